/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_prices.c - every reader of price lists on any bytes: a book that can be asked, written and read again, or one line of reason. */
#include "data/price_import.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_rows(const struct rr_price_book *b)
{
    size_t rows = 0;
    for (size_t s = 0; s < b->n_series; s++) {
        rows += b->series[s].n;
        for (uint32_t i = 1; i < b->series[s].n; i++)
            if (b->row[b->order[b->series[s].first + i]].valid_us < b->row[b->order[b->series[s].first + i - 1]].valid_us) abort();
    }
    if (rows != b->n) abort();
    for (size_t i = 0; i < b->n; i++)
        if (b->row[i].nano == 0 || b->row[i].nano < RR_BOOK_NO_PRICE || b->row[i].gpus_milli < 0 || b->row[i].upfront.micro < 0) abort();
}

/* Each row's own key must be answered, or refused with a reason. */
static void ask(const struct rr_price_book *b, struct rr_arena *a)
{
    for (size_t i = 0; i < b->n && i < 50; i++) {
        const struct rr_book_row *r = &b->row[i], *found = NULL;
        const struct rr_book_query q = {.product = r->product,
                                        .instance = r->instance,
                                        .region = *r->zone ? rr_strf(a, "%s/%s", r->region, r->zone) : r->region,
                                        .plan = r->plan,
                                        .term = r->term,
                                        .payment = r->payment,
                                        .at_us = r->valid_us};
        if (rr_book_find(b, &q, &found, NULL) != RR_OK && *rr_reason() == '\0') abort();
    }
}

static void use(const struct rr_price_book *b, struct rr_arena *a)
{
    struct rr_lint *lint;
    struct rr_buf out = {0};
    size_t n;
    check_rows(b);
    ask(b, a);
    rr_book_lint(b, NULL, a, &lint, &n);
    rr_book_write(&out, b);
    rr_buf_done(&out);
}

static void read_as(const char *path, const struct rr_price_options *opt)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_price_book b;
    if (rr_price_import(path, opt, NULL, a, &b, NULL) == RR_OK)
        use(&b, a);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    rr_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct rr_price_option day[] = {{"provider", "gcp"}, {"valid_from", "2026-01-01"}}, who[] = {{"provider", "aws"}};
    static const struct rr_price_option rig[] = {{"instance", "rig"}, {"gpus", "8"}, {"vcpus", "9.5"}, {"valid_from", "2026-01-01"}};
    char path[64];
    const int fd = memfd_create("prices", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_as(path, &(struct rr_price_options){.format = "auto"});
    read_as(path, &(struct rr_price_options){.format = "csv"});
    read_as(path, &(struct rr_price_options){.format = "skypilot", .set = day, .n_set = 2});
    read_as(path, &(struct rr_price_options){.format = "price-log", .set = who, .n_set = 1});
    read_as(path, &(struct rr_price_options){.format = "aws-spot-history"});
    read_as(path, &(struct rr_price_options){.format = "self-hosted", .set = rig, .n_set = 4});
    close(fd);
    return 0;
}
