/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_csv.c - a trace of 1,000,000 jobs: splitting it into cells, and reading it with all checks.
 *
 *     bench_csv [JOBS]
 *
 * Each is run five times, the best counts; the ratio is to the bare loop of bare.h. Goals: 400 MB/s through to the trace. */
#include "data/trace.h"
#include "tests/bench/bare.h"
#include <unistd.h>

enum { TIMES = 5 };

static int64_t write_trace(const char *path, long jobs)
{
    FILE *f = fopen(path, "wb");
    if (!f) return -1;
    struct rr_rng r;
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 0);
    int64_t submit_ms = 0;
    fputs("job_id,submit_s,duration_s,gpus\n", f);
    for (long i = 1; i <= jobs; i++) {
        submit_ms += (int64_t)(2000 * rr_rng_exponential(&r));
        const int64_t run_ms = (int64_t)(4e6 * rr_rng_exponential(&r));
        fprintf(f, "%ld,%lld.%03lld,%lld.%03lld,%d\n", i, (long long)submit_ms / 1000, (long long)submit_ms % 1000,
                (long long)run_ms / 1000, (long long)run_ms % 1000, 1 << rr_rng_below(&r, 4));
    }
    const int64_t bytes = ftell(f);
    return fclose(f) == 0 ? bytes : -1;
}

static enum rr_status split(const char *path, int64_t *sum)
{
    struct rr_csv *c;
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &c));
    struct rr_csv_row row = {.n = 1};
    enum rr_status st = RR_OK;
    while (st == RR_OK && row.n > 0) {
        st = rr_csv_next(c, &row);
        *sum += (int64_t)row.n;
    }
    rr_csv_close(c);
    return st;
}

static enum rr_status read_all(const char *path, int64_t *sum)
{
    struct rr_arena *arena = rr_arena_create();
    struct rr_notes notes = {.arena = arena};
    struct rr_trace t = {0};
    const struct rr_import_options opt = {.format = "auto", .max_rejected = 0.01};
    const enum rr_status st = rr_trace_read(path, &opt, arena, &notes, &t);
    if (st == RR_OK) *sum += t.submit_us[t.n - 1] + t.run_us[t.n / 2];
    rr_trace_done(&t);
    rr_notes_done(&notes);
    rr_arena_free(arena);
    return st;
}

static enum rr_status bare(const char *path, int64_t *sum)
{
    struct bare_jobs j = {0};
    if (bare_read(path, &j) != 0) return rr_fail(RR_EIO, "%s: the bare loop cannot read it", path);
    *sum += j.submit[j.n - 1] + j.run[j.n / 2];
    bare_done(&j);
    return RR_OK;
}

static double best_of(enum rr_status (*work)(const char *, int64_t *), const char *path, int64_t *sum)
{
    double best = 1e9;
    for (int k = 0; k < TIMES; k++) {
        *sum = 0;
        const double from = bare_now();
        if (work(path, sum) != RR_OK) {
            fprintf(stderr, "%s\n", rr_reason());
            return 1e9;
        }
        const double took = bare_now() - from;
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv)
{
    const long jobs = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    char path[] = "/tmp/rackrate-bench-XXXXXX";
    const int fd = mkstemp(path);
    const int64_t bytes = fd < 0 ? -1 : write_trace(path, jobs);
    if (bytes < 0 || jobs < 1) {
        fprintf(stderr, "bench_csv: cannot write %s\n", path);
        return 4;
    }
    close(fd);
    const struct {
        const char *name;
        enum rr_status (*work)(const char *, int64_t *);
    } runs[] = {{"bare loop", bare}, {"rr_csv_next", split}, {"rr_trace_read", read_all}};
    double yardstick = 0;
    int64_t sum, same = 0;
    printf("%ld jobs, %.1f MB\n%-14s %9s %9s %9s %9s\n", jobs, (double)bytes * 1e-6, "", "ms", "MB/s", "ns/row", "x bare");
    for (int k = 0; k < 3; k++) {
        const double took = best_of(runs[k].work, path, &sum);
        if (k == 0) yardstick = took, same = sum;
        if (k == 2 && sum != same) fprintf(stderr, "bench_csv: the trace differs from the bare loop's\n");
        printf("%-14s %9.1f %9.0f %9.1f %9.2f\n", runs[k].name, took * 1e3, (double)bytes * 1e-6 / took, took * 1e9 / (double)jobs,
               took / yardstick);
    }
    unlink(path);
    return sum == same ? 0 : 70;
}
