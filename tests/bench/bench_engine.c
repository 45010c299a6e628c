/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_engine.c - jobs and events a second of the engine, beside a bare loop on the same jobs in the same call.
 *
 * 1,000,000 jobs (JOBS=n for another number): sizes 1, 2, 4, 8, 16, 32, 64 with shares .55 .12 .10 .15 .04 .03 .01, lognormal run times
 * (median 20 min, sigma 1.6), Poisson arrivals; estimates are the run times. The start times must be those of the bare loop. "deep": the first 110,000
 * jobs come at once, so that some 100,000 wait all the time. */
#include "tests/bench/bare_replay.c"
#include "data/base/fmath.h"
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include "sim/engine/events.h"
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double rss_mib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

static double held_mib(void) // now
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}
static double bytes_a_job; // that the first replay added at its peak

struct work {
    struct rr_trace trace;
    struct bare_job *bare;
    int64_t *start;
};

static const int size_of[] = {1, 2, 4, 8, 16, 32, 64};
static const double upto[] = {.55, .67, .77, .92, .96, .99, 1};
#define MEAN_GPUS 4.63
#define MEDIAN_S  1200.0
#define SIGMA     1.6

static void make(struct work *w, size_t n, double load, double gpus, size_t burst)
{
    w->trace = (struct rr_trace){.n = n};
    w->trace.submit_us = malloc(n * sizeof(int64_t));
    w->trace.run_us = malloc(n * sizeof(int64_t));
    w->trace.gpus_milli = malloc(n * sizeof(int32_t));
    w->bare = malloc(n * sizeof *w->bare);
    w->start = malloc(n * sizeof *w->start);
    const double gap_us = MEAN_GPUS * MEDIAN_S * rr_exp(SIGMA * SIGMA / 2) * 1e6 / (gpus * load);
    struct rr_rng r;
    rr_rng_init(&r, 5, 0, RR_RNG_TEST, 0);
    double at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= burst) at += rr_rng_exponential(&r) * gap_us;
        const double u = rr_rng_uniform(&r);
        int k = 0;
        while (upto[k] < u) k++;
        const double run = MEDIAN_S * 1e6 * rr_exp(SIGMA * rr_rng_normal(&r));
        w->bare[i] = (struct bare_job){(int64_t)at, (int64_t)run + 1, size_of[k]};
        w->trace.submit_us[i] = w->bare[i].submit;
        w->trace.run_us[i] = w->bare[i].run;
        w->trace.gpus_milli[i] = size_of[k] * 1000;
    }
}

static void drop(struct work *w)
{
    free(w->trace.submit_us);
    free(w->trace.run_us);
    free(w->trace.gpus_milli);
    free(w->bare);
    free(w->start);
}

struct row {
    const char *title, *policy;
    double load;
    int64_t nodes;
    int gpus;
    size_t burst; // jobs that are there from the start: the queue is at least so deep, less what runs, from then on
    int64_t (*bare)(const struct work *w, int64_t nodes); // or NULL
};

static int replay(const struct row *row, size_t jobs)
{
    struct work w;
    make(&w, jobs, row->load, (double)(row->nodes * row->gpus), row->burst);
    struct rr_node_shape shape = {.gpus = row->gpus, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "p", .pointer = "/pools/p", .shape = &shape, .n_shapes = 1, .nodes_min = row->nodes, .nodes_max = row->nodes, .gpu = ""};
    struct rr_scenario sc = {
        .pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, row->policy), .blocking = true}};
    const struct rr_world world = {.scenario = &sc, .trace = &w.trace, .horizon_us = RR_NEVER, .timeline_bins = 2000};
    double best = 1e9, best_bare = 1e9;
    int wrong = 0;
    for (int k = 0; k < 3; k++) {
        struct rr_replay r;
        const double before_mib = held_mib();
        double t = now_s();
        if (rr_engine_run(&world, &r) != RR_OK) {
            fprintf(stderr, "%s\n", rr_reason());
            return 1;
        }
        t = now_s() - t;
        if (bytes_a_job == 0) bytes_a_job = (rss_mib() - before_mib) * 1048576 / (double)jobs;
        if (t < best) best = t;
        if (row->bare) {
            double tb = now_s();
            row->bare(&w, row->nodes);
            tb = now_s() - tb;
            if (tb < best_bare) best_bare = tb;
        }
        for (size_t i = 0; row->bare && i < jobs; i++) wrong += w.start[i] != r.outcome[i].start_us;
        if (k == 0) {
            const rr_i128 took = r.pool[0].held;
            printf("%-44s %6.2f M jobs/s %6.2f M events/s, use %.3f, queue %lld", row->title, (double)jobs / t / 1e6,
                   (double)r.events / t / 1e6, (double)r.pool[0].used / (double)took, (long long)r.queue_max);
        }
        rr_replay_done(&r);
    }
    printf("; best %.2f M jobs/s", (double)jobs / best / 1e6);
    if (row->bare)
        printf(", bare %.2f M: %.1f times its time%s", (double)jobs / best_bare / 1e6, best / best_bare,
               wrong ? ", START TIMES DIFFER" : "");
    printf("; peak RSS %.0f MiB\n", rss_mib());
    fflush(stdout);
    drop(&w);
    return wrong != 0;
}

static int64_t bare_fifo_8(const struct work *w, int64_t nodes) { return bare_fifo(w->bare, w->trace.n, (uint32_t)nodes, w->start); }
static int64_t bare_easy_1(const struct work *w, int64_t nodes) { return bare_easy(w->bare, w->trace.n, nodes, w->start); }

static void memory(void)
{
    printf("memory: the first replay took %.0f bytes a job at its peak, fleet and timeline included (%zu of them outcomes), beside a trace "
           "of 20 "
           "(submit, run, GPUs) to 71 (all columns)\n",
           bytes_a_job, sizeof(struct rr_outcome));
}

// M/M/c on the event core alone: c customers in service, arrivals merged as in the engine.
static void customers(int c, long n)
{
    struct rr_events e;
    struct rr_rng r;
    rr_events_init(&e);
    rr_rng_init(&r, 9, 0, RR_RNG_TEST, (uint64_t)c);
    long waiting = 0, served = 0;
    int busy = 0;
    double arrival = 0;
    const double gap = 1e6 / (0.8 * c);
    const double t = now_s();
    int64_t next = 0;
    while (served < n) {
        if (rr_events_time(&e) <= next) {
            const struct rr_event ev = rr_events_pop(&e);
            served++;
            if (waiting) {
                waiting--;
                rr_events_push(&e, ev.time_us + (int64_t)(rr_rng_exponential(&r) * 1e6), RR_EV_END, ev.slot);
            } else {
                busy--;
            }
            continue;
        }
        if (busy < c)
            rr_events_push(&e, next + (int64_t)(rr_rng_exponential(&r) * 1e6), RR_EV_END, (uint32_t)busy++);
        else
            waiting++;
        arrival += rr_rng_exponential(&r) * gap;
        next = (int64_t)arrival;
    }
    const double took = now_s() - t;
    printf("event core, M/M/%-5d %6.2f M customers/s (fastest C library: 14 / 8 / 3.6 for 1 / 10 / 1000)\n", c, (double)n / took / 1e6);
    rr_events_done(&e);
}

static const struct row rows[] = {
    {"FIFO, 1,000 nodes of 8, load .80", "fifo", 0.80, 1000, 8, 0, bare_fifo_8},
    {"FIFO, 1,000 nodes of 8, load .95", "fifo", 0.95, 1000, 8, 0, bare_fifo_8},
    {"EASY, 8,000 nodes of 1, load .95", "easy_backfill", 0.95, 8000, 1, 0, bare_easy_1},
    {"EASY, 8,000 nodes of 1, load 1.05", "easy_backfill", 1.05, 8000, 1, 0, bare_easy_1},
    {"EASY, 1,000 nodes of 8, load .90", "easy_backfill", 0.90, 1000, 8, 0, NULL},
    {"EASY, 1,000 nodes of 8, load 1.05", "easy_backfill", 1.05, 1000, 8, 0, NULL},
    {"EASY, 8,000 nodes of 1, load 1.05, deep", "easy_backfill", 1.05, 8000, 1, 110000, bare_easy_1},
    {"EASY, 1,000 nodes of 8, load 1.05, deep", "easy_backfill", 1.05, 1000, 8, 110000, NULL},
    {"SRTF, 1,000 nodes of 8, load .95", "srtf", 0.95, 1000, 8, 0, NULL},
    {"SRTF, 1,000 nodes of 8, load 1.05", "srtf", 1.05, 1000, 8, 0, NULL},
};

int main(void)
{
    const char *jobs = getenv("JOBS"), *only = getenv("ONLY"); // ONLY=3: the third replay alone, for a profile
    const size_t n = jobs ? (size_t)strtoull(jobs, NULL, 10) : 1000000, one = only ? (size_t)strtoull(only, NULL, 10) : 0;
    int bad = 0;
    for (int c = 1; !one && c <= 1000; c = c == 1 ? 10 : c * 100) customers(c, 3000000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!one || one == i + 1) bad |= replay(&rows[i], n);
    memory();
    return bad;
}
