/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_where.c - any text as an expression over jobs: refused with a column, or read and evaluated without a crash. */
#include "data/where.h"
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int64_t submit[] = {0, 1}, run[] = {RR_H, RR_NEVER};
    int32_t gpus[] = {500, 8000};
    uint32_t user[] = {0, 1};
    static const char *const user_name[] = {"", "alice"};
    const struct rr_trace t = {
        .n = 2, .submit_us = submit, .run_us = run, .gpus_milli = gpus, .user_id = user, .user_name = user_name, .n_users = 2};
    struct rr_arena *a = rr_arena_create();
    char *text = rr_xrealloc(NULL, n + 1, 1); // of its own, so that a read past its end is seen
    if (n) memcpy(text, data, n);
    text[n] = '\0';
    const struct rr_where *w = NULL;
    const enum rr_status st = rr_where_parse(text, a, &w);
    assert(st == RR_OK || (st == RR_EINPUT && strncmp(rr_reason(), "column ", 7) == 0));
    for (size_t j = 0; st == RR_OK && j < t.n; j++) (void)rr_where_holds(w, &t, j);
    free(text);
    rr_arena_free(a);
    return 0;
}
