/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_prices.c - a price book of 250,000 rows: reading it with all checks and its index, and looking a million prices up.
 *
 *     bench_prices [ROWS]
 *
 * Each is run five times, the best counts. Goal: read in less than a second; exit 70 when it is not reached. */
#include "data/price_book.h"
#include "tests/bench/bare.h"
#include <unistd.h>

enum { TIMES = 5, MACHINES = 997, REGIONS = 23, LOOKUPS = 1000000 };

static int64_t write_book(const char *path, long rows)
{
    FILE *f = fopen(path, "wb");
    if (!f) return -1;
    fputs("provider,product,instance,gpu,gpu_count,unit,region,zone,plan,term,payment,currency,price,upfront,valid_from,source,note\n", f);
    for (long i = 0; i < rows; i++) {
        const long machine = i % MACHINES, region = i / MACHINES % REGIONS, day = i / MACHINES / REGIONS;
        fprintf(
            f,
            "acme,compute,acme/m%ld.xlarge,H100,8,instance-hour,region-%ld,,%s,,,USD,%ld.%04ld,,2025-%02ld-%02ld,price log of a cloud,\n",
            machine, region, i % 2 ? "spot" : "on_demand", 2 + i % 97, i % 9999 + 1, day / 28 % 12 + 1, day % 28 + 1);
    }
    const int64_t bytes = ftell(f);
    return fclose(f) == 0 ? bytes : -1;
}

static double read_once(const char *path, size_t *n)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_price_book b;
    const double from = bare_now();
    if (rr_book_read(path, NULL, a, &b) != RR_OK) {
        fprintf(stderr, "%s\n", rr_reason());
        exit(3);
    }
    const double took = bare_now() - from;
    *n = b.n;
    rr_arena_free(a);
    return took;
}

static double look_up(const char *path, int64_t *sum)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_price_book b;
    if (rr_book_read(path, NULL, a, &b) != RR_OK) exit(3);
    const double from = bare_now();
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        const struct rr_book_row *asked = &b.row[(uint64_t)i * 2654435761u % b.n], *r = NULL;
        const struct rr_book_query q = {
            .instance = asked->instance, .region = asked->region, .plan = asked->plan, .term = "", .payment = "", .at_us = asked->valid_us};
        if (rr_book_find(&b, &q, &r, NULL) != RR_OK || r != asked) exit(70);
        *sum += r->nano;
    }
    const double took = bare_now() - from;
    rr_arena_free(a);
    return took;
}

int main(int argc, char **argv)
{
    const long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 250000;
    char path[] = "/tmp/rackrate-bench-XXXXXX";
    const int fd = mkstemp(path);
    const int64_t bytes = fd < 0 || rows < 1 ? -1 : write_book(path, rows);
    double best = 1e9;
    size_t n = 0;
    int64_t sum = 0;
    if (bytes < 0) {
        fprintf(stderr, "bench_prices: cannot write %s\n", path);
        return 4;
    }
    close(fd);
    for (int k = 0; k < TIMES; k++) {
        const double took = read_once(path, &n);
        if (took < best) best = took;
    }
    const double found = look_up(path, &sum);
    printf("%zu rows, %.1f MB\n", n, (double)bytes * 1e-6);
    printf("read and indexed  %7.1f ms  %6.0f MB/s  %6.1f ns/row\n", best * 1e3, (double)bytes * 1e-6 / best, best * 1e9 / (double)rows);
    printf("looked up         %7.1f ms                %6.1f ns/price (%d of them)\n", found * 1e3, found * 1e9 / LOOKUPS, LOOKUPS);
    unlink(path);
    if (best * 250000 / (double)rows < 1) return 0;
    fprintf(stderr, "bench_prices: more than a second for 250,000 rows\n");
    return 70;
}
