/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_json.c - the JSON scan: no input may crash it, and what it takes can be walked, merged and found again. */
#include "data/base/json.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void walk(const struct rr_json *j, const cJSON *node, struct rr_arena *a)
{
    if (strlen(rr_json_where(j, node, a)) == 0) abort();
    if (cJSON_IsNumber(node) && rr_json_number(node).n == 0) abort();
    for (const cJSON *child = node->child; child; child = child->next) walk(j, child, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_json *j = rr_json_create();
    cJSON *tree = NULL;
    if (rr_json_parse(j, "fuzz", rr_strndup(a, (const char *)data, n), false, &tree) == RR_OK) {
        walk(j, tree, a);
        cJSON *merged = rr_json_merge(tree, tree);
        cJSON_Delete(merged);
        cJSON_Delete(tree);
    } else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n')) {
        abort(); // an error is one line
    }
    rr_json_free(j);
    rr_arena_free(a);
    return 0;
}
