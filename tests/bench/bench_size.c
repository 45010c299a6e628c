/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_size.c - layouts searched a second: GPT-3 175B on 64 GPUs, all of them.
 *
 *     bench_size
 *
 * One core. Tried: legality, memory and, of those that fit, the step; and the step alone of those. Goals: 200,000 tried a second, all within 20 s, at most
 * 200 MiB of memory; exit 70 when one is missed. Other tools evaluate 0.1 to 212 layouts a second. */
#include "data/train_facts.h"
#include "models/train/search.h"
#include "tests/bench/bare.h"
#include <sys/resource.h>

#define MIB 1048576.0

static void fail_load(enum rr_status st)
{
    if (st == RR_OK) return;
    fprintf(stderr, "bench_size: %s\n", rr_reason());
    exit((int)st);
}

static double peak_mib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024 / MIB;
}

/* The step of one layout that fits, again and again. */
static double steps_per_s(const struct rr_search *s, const struct rr_candidate *c)
{
    enum { N = 200000 };
    struct rr_step step;
    double sum = 0;
    const double from = bare_now();
    for (int i = 0; i < N; i++) {
        rr_step_time(s->arch, s->machine, s->coefs, &c->layout, false, &step);
        sum += step.total_s;
    }
    return sum > 0 ? N / (bare_now() - from) : 0;
}

int main(void)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_train_facts f;
    struct rr_search s = {.base = {.gpus = 64, .global_batch = 3072, .seq = 2048, .precision = RR_BF16, .flash = true}};
    struct rr_search_result r;
    struct rr_coefs coefs;
    const char *dir, *note;
    fail_load(rr_data_dir(a, &dir));
    fail_load(rr_train_facts_load(dir, a, &f));
    fail_load(rr_train_facts_arch(&f, a, "gpt3-175b", &s.arch));
    fail_load(rr_train_facts_machine(&f, a, "h100-sxm", &s.machine));
    fail_load(rr_coefs_find(&f, a, "mcore", s.machine->family, &coefs, &note));
    s.coefs = &coefs;
    s.precision = (struct rr_axis){.at = {RR_FP16, RR_BF16, RR_FP8}, .n = 3};
    rr_search_widen(&s);
    const double from = bare_now();
    rr_search_run(&s, &r);
    const double took = bare_now() - from;
    if (r.n == 0) return 70;
    const double rate = (double)r.tried / took, steps = steps_per_s(&s, &r.best[0]), mib = peak_mib();
    printf("search  %9.0f layouts/s  %lld tried, %lld fit, %.2f s, best step %.3f s\n", rate, (long long)r.tried, (long long)r.fit, took,
           r.best[0].step_s);
    printf("step    %9.0f layouts/s  of the best one\n", steps);
    printf("memory  %9.1f MiB\n", mib);
    rr_arena_free(a);
    return rate >= 200000 && steps >= 200000 && took <= 20 && mib <= 200 ? 0 : 70;
}
