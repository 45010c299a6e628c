/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_failure_laws.c - failures against closed forms: how many there are, what a gang meets, what checkpoints save, and where the best
 * interval lies (Young 1974, Daly 2006).
 *
 * RACKRATE_LONG=1: more replications and more intervals. */
#include "models/checkpoint.h"
#include "tests/failure_case.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

static bool is_long(void) { return getenv("RACKRATE_LONG") != NULL; }

static int64_t failures_of(const struct rr_replay *r)
{
    int64_t n = 0;
    for (int k = RR_WHY_NODE_FAILURE; k <= RR_WHY_POWER_FAILURE; k++) n += r->pool[0].nodes_lost[k];
    return n + r->pool[0].nodes_lost[RR_WHY_SOFTWARE_FAILURE];
}

// --- how many there are ---

/* A renewal process with a mean of `cycle` between failures and a standard deviation sd, from new: by time t it has t / cycle + (sd^2 - cycle^2) /
 * (2 cycle^2) failures on average, with a variance of t sd^2 / cycle^3 (Cox, Renewal Theory, 1962, for large t). */
static void counts(const char *name, double mean_h, double sd_h, double down_h)
{
    enum { NODES = 200 };
    const double t = 50000, cycle = mean_h + down_h;
    fail_case.world.horizon_us = (int64_t)t * RR_H;
    fail_case.pool.nodes_min = fail_case.pool.nodes_max = NODES;
    struct rr_replay r = fail_run();
    const double n = (double)failures_of(&r), expected = NODES * (t / cycle + (sd_h * sd_h - cycle * cycle) / (2 * cycle * cycle));
    const double sd = sqrt(NODES * t * sd_h * sd_h / (cycle * cycle * cycle));
    print_message("%s: %.0f failures, formula %.1f +- %.1f\n", name, n, expected, sd);
    assert_true(fabs(n - expected) <= 2.6 * sd + NODES * 0.01);
    const double down = (double)r.pool[0].down / (8000.0 * (double)RR_H), share = n * down_h / (NODES * t);
    assert_true(fabs(down / (NODES * t) - share) <= NODES * down_h / (NODES * t)); // but for those that the end cuts off
    rr_replay_done(&r);
}

static void nodes_fail_as_often_as_they_should(void **state)
{
    (void)state;
    fail_world(1);
    struct rr_failures *f = &fail_case.failures;
    f->node_mtbf_us = 500 * RR_H;
    f->repair.minutes_us = fail_fixed(13 * RR_H);
    counts("exponential", 500, 500, 13);

    f->node_mtbf_us = 0;
    f->gpu_mtbf_us = 8000 * RR_H; // one of 8 GPUs every 1000 h, and the network every 1000 h
    f->network_mtbf_us = 1000 * RR_H;
    counts("GPUs and network", 500, 500, 13);

    f->gpu_mtbf_us = f->network_mtbf_us = 0;
    f->has_node = true;
    for (int k = 0; k < 2; k++) {
        const double shape = k ? 2.3 : 0.7, scale = 400;
        const double mean = scale * gsl_sf_gamma(1 + 1 / shape), second = scale * scale * gsl_sf_gamma(1 + 2 / shape);
        f->node_us = (struct rr_dist){.kind = RR_DIST_WEIBULL, .a = scale * (double)RR_H, .b = shape};
        counts(k ? "Weibull 2.3" : "Weibull 0.7", mean, sqrt(second - mean * mean), 13);
    }
}

/* Minutes or days: the mean time out of service is that of the mixture, and shares of causes are those given. */
static void repairs_and_causes_are_mixtures(void **state)
{
    (void)state;
    static const double share[RR_CAUSES] = {0.13, 0.64, 0.10, 0.03, 0.10};
    fail_world(300);
    struct rr_failures *f = &fail_case.failures;
    f->gpu_mtbf_us = 8 * 200 * RR_H;
    f->repair = (struct rr_fail_repair){
        .minutes_us = fail_fixed(30 * RR_MIN), .days_us = {.kind = RR_DIST_LOGNORMAL, .a = 40.0 * (double)RR_H, .b = 0.8}, .share = 0.2};
    f->has_causes = true;
    double upto = 0;
    for (int i = 0; i < RR_CAUSES; i++) f->causes_upto[i] = upto += share[i];
    fail_case.world.horizon_us = 20000 * RR_H;
    struct rr_replay r = fail_run();
    const double n = (double)failures_of(&r);
    for (int i = 0; i < RR_CAUSES; i++) {
        const double k = (double)r.pool[0].nodes_lost[rr_cause_reason((enum rr_fail_cause)i)];
        assert_true(fabs(k - n * share[i]) <= 3 * sqrt(n * share[i] * (1 - share[i])));
    }
    const double long_mean = 40 * exp(0.8 * 0.8 / 2), mean = 0.8 * 0.5 + 0.2 * long_mean;       // of those that need repair
    const double second = 0.8 * 0.25 + 0.2 * 1600 * exp(2 * 0.8 * 0.8), m = n * (1 - share[4]); // lognormal: median^2 e^(2 sigma^2)
    const double down = (double)r.pool[0].down / (8000.0 * (double)RR_H);
    print_message("repair: mean %.3f h, formula %.3f h\n", down / m, mean);
    assert_true(fabs(down / m - mean) <= 3 * sqrt((second - mean * mean) / m) + 0.01 * mean);
    rr_replay_done(&r);
}

/* A gang of 128 nodes that fail every 50,000 h meets a failure every 390.625 h (reference figures: job MTBF = node MTBF / nodes). */
static void a_gang_meets_the_failures_of_all_its_nodes(void **state)
{
    (void)state;
    static const struct {
        int nodes;
        double mtbf_h;
    } row[] = {{128, 390.625}, {2048, 24.4140625}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        fail_world(row[i].nodes);
        fail_case.failures.node_mtbf_us = 50000 * RR_H;
        fail_case.scenario.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_YOUNG, .interval = "young", .write_us = 6 * RR_MIN};
        const double runs = 400;
        fail_job(0, (int64_t)(runs * row[i].mtbf_h * (double)RR_H), 8 * row[i].nodes);
        struct rr_replay r = fail_run();
        const double n = (double)r.outcome[0].attempts - 1, took_h = (double)r.outcome[0].end_us / (double)RR_H;
        const double expected = took_h / row[i].mtbf_h; // Poisson
        print_message("gang of %d: a failure every %.2f h, node MTBF / nodes %.2f h\n", row[i].nodes, took_h / n, row[i].mtbf_h);
        assert_true(fabs(n - expected) <= 2.6 * sqrt(expected));
        assert_true(r.end_us == r.outcome[0].end_us);
        rr_replay_done(&r);
    }
}

// --- what checkpoints save ---

/* Time on the wall of K intervals w of work with a write after each but the last. */
static double wall_s(double M, double C, double R, double D, double w, int intervals, uint32_t replication)
{
    fail_world(1);
    fail_case.failures.node_mtbf_us = (int64_t)(M * 1e6);
    fail_case.failures.detect_us = fail_fixed((int64_t)(D * 1e6));
    fail_case.world.replication = replication;
    fail_case.scenario.checkpoint = (struct rr_checkpoint){
        .rule = RR_INTERVAL_FIXED, .interval_us = (int64_t)(w * 1e6), .write_us = (int64_t)(C * 1e6), .restore_us = (int64_t)(R * 1e6)};
    fail_job(0, intervals * (int64_t)(w * 1e6), 0);
    fail_case.milli[0] = 1; // a lease counts GPU time in 64 bits: 700 years of a thousandth of one
    struct rr_replay r = fail_run();
    const double s = (double)r.outcome[0].end_us / 1e6;
    rr_replay_done(&r);
    return s;
}

/* E[T] of tau seconds that must pass without a failure: (M + D) e^(R/M) (e^(tau/M) - 1). */
static double expected_s(double M, double R, double D, double tau) { return (M + D) * exp(R / M) * (exp(tau / M) - 1); }

static void goodput_is_that_of_the_closed_form(void **state)
{
    (void)state;
    static const struct {
        double M, C, R, D, slowdown_young, slowdown_best;
    } row[] = {{86400, 300, 300, 0, 1.0920000702570978, 1.0919654281169193},
               {86400, 600, 600, 120, 1.1372735363001238, 1.1371720260654345},
               {18000, 300, 300, 60, 1.231984388328921, 1.2315793968374071}};
    const int replications = is_long() ? 400 : 60, intervals = 400;
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        const double M = row[i / 2].M, C = row[i / 2].C, R = row[i / 2].R, D = row[i / 2].D;
        const double w = floor(i % 2 ? rr_checkpoint_best(M, C) : rr_checkpoint_young(M, C));
        double sum = 0, squares = 0;
        for (int k = 0; k < replications; k++) {
            const double x = wall_s(M, C, R, D, w, intervals, (uint32_t)k) / (intervals * w);
            sum += x;
            squares += x * x;
        }
        const double mean = sum / replications, var = (squares - sum * mean) / (replications - 1);
        const double half = gsl_cdf_tdist_Pinv(0.995, replications - 1) * sqrt(var / replications);
        const double exact = ((intervals - 1) * expected_s(M, R, D, w + C) + expected_s(M, R, D, w)) / (intervals * w);
        const double table = i % 2 ? row[i / 2].slowdown_best : row[i / 2].slowdown_young; // with a write at the very end too
        print_message("M %.0f s, C %.0f s, w %.0f s: slowdown %.5f +- %.5f, formula %.5f (goodput %.2f %%)\n", M, C, w, mean, half, exact,
                      100 / mean);
        assert_true(half < 0.01);
        assert_true(fabs(mean - exact) <= half);
        assert_true(fabs(exact - table) < 1e-3);
    }
}

/* Restarts of a heavy tail: what they cost is their mean times how many there are. */
static void restarts_may_have_a_heavy_tail(void **state)
{
    (void)state;
    const double median = 60, sigma = 1.7, mean = median * exp(sigma * sigma / 2);
    double restart_s = 0, tries = 0;
    for (uint32_t k = 0; k < 40; k++) {
        fail_world(1);
        fail_case.failures.node_mtbf_us = 100 * RR_H;
        fail_case.world.replication = k;
        fail_case.scenario.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_FIXED,
                                                               .interval_us = RR_H,
                                                               .restore_us = (int64_t)(mean * 1e6),
                                                               .restore = {.kind = RR_DIST_LOGNORMAL, .a = median * 1e6, .b = sigma}};
        fail_job(0, 50000 * RR_H, 1);
        struct rr_replay r = fail_run();
        restart_s += (double)r.pool[0].lost_to[RR_WHY_RESTART] / 1e9;
        tries += r.outcome[0].attempts - 1;
        rr_replay_done(&r);
    }
    const double sd = mean * sqrt(exp(sigma * sigma) - 1);
    print_message("restart: %.1f s on average over %.0f, formula %.1f s\n", restart_s / tries, tries, mean);
    assert_true(fabs(restart_s / tries - mean) <= 2.6 * sd / sqrt(tries) + 1);
}

// --- the best interval ---

/* Least of a cubic fitted to (ln w, slowdown) over the scan: the scan shares its random numbers, the curve is flat at its bottom. */
static double bottom(const double *w, const double *slowdown, size_t n)
{
    gsl_matrix *x = gsl_matrix_alloc(n, 4), *cov = gsl_matrix_alloc(4, 4);
    gsl_vector *y = gsl_vector_alloc(n), *c = gsl_vector_alloc(4);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(n, 4);
    const double middle = log(w[n / 2]);
    double chi;
    for (size_t i = 0; i < n; i++) {
        const double u = log(w[i]) - middle;
        for (size_t k = 0; k < 4; k++) gsl_matrix_set(x, i, k, pow(u, (double)k));
        gsl_vector_set(y, i, slowdown[i]);
    }
    gsl_multifit_linear(x, y, c, cov, &chi, work);
    const double b = gsl_vector_get(c, 1), q = 2 * gsl_vector_get(c, 2), t = 3 * gsl_vector_get(c, 3);
    const double root = t == 0 ? -b / q : (-q + sqrt(q * q - 4 * t * b)) / (2 * t);
    gsl_multifit_linear_free(work);
    gsl_matrix_free(x);
    gsl_matrix_free(cov);
    gsl_vector_free(y);
    gsl_vector_free(c);
    return exp(middle + root);
}

static void the_best_interval_is_dalys(void **state)
{
    (void)state;
    static const double mtbf_h[] = {1, 3, 10, 30, 100, 300, 1000}, write_s[] = {60, 300, 600};
    const int steps = is_long() ? 25 : 13, replications = is_long() ? 20 : 3;
    double worst = 0;
    for (size_t i = 0; i < sizeof mtbf_h / sizeof *mtbf_h; i += is_long() ? 1 : 2)
        for (size_t j = 0; j < sizeof write_s / sizeof *write_s; j++) {
            const double M = mtbf_h[i] * 3600, C = write_s[j], daly = rr_checkpoint_daly(M, C);
            double w[25], slowdown[25] = {0};
            for (int k = 0; k < steps; k++) {
                w[k] = daly * pow(2, 2.0 * k / (steps - 1) - 1); // from half of it to twice
                const int intervals = (int)(6000 * M / w[k]);    // some 6,000 failures
                for (int q = 0; q < replications; q++)
                    slowdown[k] += wall_s(M, C, 30, 0, w[k], intervals, (uint32_t)q) / (intervals * w[k]) / replications;
            }
            const double best = bottom(w, slowdown, (size_t)steps), off = best / daly - 1;
            print_message("MTBF %4.0f h, write %3.0f s: best %7.0f s, Daly %7.0f s (%+.1f %%), Young %7.0f s\n", mtbf_h[i], C, best, daly,
                          100 * off, rr_checkpoint_young(M, C));
            assert_true(fabs(off) < 0.10);
            if (fabs(off) > worst) worst = fabs(off);
        }
    print_message("furthest from Daly's: %.1f %%\n", 100 * worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_fail_as_often_as_they_should),
        cmocka_unit_test(repairs_and_causes_are_mixtures),
        cmocka_unit_test(a_gang_meets_the_failures_of_all_its_nodes),
        cmocka_unit_test(goodput_is_that_of_the_closed_form),
        cmocka_unit_test(restarts_may_have_a_heavy_tail),
        cmocka_unit_test(the_best_interval_is_dalys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
