/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_queues.c - the engine as a queue against closed forms: M/M/c (Erlang C), M/D/1 and M/G/1 (Pollaczek-Khinchine), and
 * Little's law.
 *
 * One-GPU nodes are the servers, FIFO the discipline. Each case runs independent replications, drops the first customers of each, and
 * takes a 99 % confidence interval (Student t) of the mean wait from the replications' means: customers of one replication are correlated,
 * replications are not. The interval must hold the formula's value and be narrow enough to say something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/fmath.h"
#include "data/base/rng.h"
#include "models/queue.h"
#include "sim/engine/engine.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define REPLICATIONS 24
#define MOST         240000
#define WARMUP       10000 // first customers of a replication that are not counted
#define MEAN_US      2385000.0

enum service { EXPONENTIAL, CONSTANT, LOGNORMAL };
#define SIGMA 0.8

static int64_t draw_us(enum service s, struct rr_rng *r)
{
    double v = 1;
    if (s == EXPONENTIAL) v = rr_rng_exponential(r);
    if (s == LOGNORMAL) v = rr_exp(SIGMA * rr_rng_normal(r) - SIGMA * SIGMA / 2); // mean 1
    return (int64_t)(v * MEAN_US + 0.5);
}

struct customers {
    int n;
    int64_t submit[MOST], run[MOST];
    int32_t milli[MOST];
};

static void arrive(struct customers *c, int servers, double load, enum service s, uint32_t replication)
{
    struct rr_rng gap, run;
    rr_rng_init(&gap, 2026, replication, RR_RNG_ARRIVAL, (uint64_t)servers * 1000 + (uint64_t)(load * 100));
    rr_rng_init(&run, 2026, replication, RR_RNG_DURATION, (uint64_t)servers * 1000 + (uint64_t)(load * 100) + 7 * (uint64_t)s);
    double at = 0;
    for (int i = 0; i < c->n; i++) {
        at += rr_rng_exponential(&gap) * MEAN_US / (load * servers);
        c->submit[i] = (int64_t)at;
        c->run[i] = draw_us(s, &run);
        c->milli[i] = 1000;
    }
}

// The replay's mean wait in service times, customers of the warm-up left out.
static double mean_wait(struct customers *c, int servers)
{
    const struct rr_trace t = {.n = (size_t)c->n, .submit_us = c->submit, .run_us = c->run, .gpus_milli = c->milli};
    struct rr_node_shape shape = {.gpus = 1, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "p", .pointer = "/pools/p", .shape = &shape, .n_shapes = 1, .nodes_min = servers, .nodes_max = servers, .gpu = ""};
    struct rr_scenario sc = {.pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .blocking = true}};
    const struct rr_world w = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER, .timeline_bins = 500};
    struct rr_replay r;
    assert_int_equal(rr_engine_run(&w, &r), RR_OK);
    double sum = 0, all = 0, queue = 0;
    for (int i = 0; i < c->n; i++) {
        const double wait = (double)(r.outcome[i].start_us - c->submit[i]);
        all += wait;
        if (i >= WARMUP) sum += wait;
    }
    for (size_t i = 0; i < r.timeline.n; i++) {
        const int64_t from = (int64_t)i * r.timeline.bin_us, to = from + r.timeline.bin_us < r.end_us ? from + r.timeline.bin_us : r.end_us;
        queue += r.timeline.queue_mean[i] * (double)(to - from);
    }
    assert_true(fabs(queue - all) <= 1e-9 * all); // Little: the integral of the queue is the sum of the waits
    rr_replay_done(&r);
    return sum / (c->n - WARMUP) / MEAN_US;
}

static void holds(const char *name, int servers, double load, enum service s, double expected)
{
    struct customers *c = malloc(sizeof *c);
    assert_non_null(c);
    c->n = servers > 8 ? MOST : 60000; // many servers at a high load: waits are rare and come in long spells
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < REPLICATIONS; k++) {
        arrive(c, servers, load, s, k);
        const double w = mean_wait(c, servers);
        sum += w;
        squares += w * w;
    }
    free(c);
    const double mean = sum / REPLICATIONS, var = (squares - sum * mean) / (REPLICATIONS - 1);
    const double half = gsl_cdf_tdist_Pinv(0.995, REPLICATIONS - 1) * sqrt(var / REPLICATIONS);
    print_message("%s, load %.2f: mean wait %.5f +- %.5f service times, formula %.5f\n", name, load, mean, half, expected);
    assert_true(half < 0.1 * expected);
    assert_true(fabs(mean - expected) <= half);
}

static void m_m_c(void **state)
{
    (void)state;
    assert_true(fabs(rr_queue_wait(0.9, 1) - 9) < 1e-12);            // load / (1 - load)
    assert_true(fabs(rr_queue_wait(2 * 0.75, 2) - 9.0 / 7) < 1e-12); // load^2 / (1 - load^2)
    holds("M/M/1", 1, 0.50, EXPONENTIAL, rr_queue_wait(0.50, 1));
    holds("M/M/1", 1, 0.90, EXPONENTIAL, rr_queue_wait(0.90, 1));
    holds("M/M/8", 8, 0.80, EXPONENTIAL, rr_queue_wait(8 * 0.80, 8));
    holds("M/M/64", 64, 0.95, EXPONENTIAL, rr_queue_wait(64 * 0.95, 64));
}

// Pollaczek-Khinchine: load E[S^2] / (2 E[S]^2 (1 - load)), in service times.
static double khinchine_wait(double load, double second_moment) { return load * second_moment / (2 * (1 - load)); }

static void m_d_1(void **state)
{
    (void)state;
    holds("M/D/1", 1, 0.50, CONSTANT, khinchine_wait(0.50, 1));
    holds("M/D/1", 1, 0.80, CONSTANT, khinchine_wait(0.80, 1));
}

static void m_g_1(void **state)
{
    (void)state;
    holds("M/G/1 lognormal", 1, 0.50, LOGNORMAL, khinchine_wait(0.50, exp(SIGMA * SIGMA)));
    holds("M/G/1 lognormal", 1, 0.80, LOGNORMAL, khinchine_wait(0.80, exp(SIGMA * SIGMA)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(m_m_c), cmocka_unit_test(m_d_1), cmocka_unit_test(m_g_1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
