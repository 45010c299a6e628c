/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_profiles.c - profiles on published step times: which way of using a measurement keeps the model's accuracy, and how far a network's
 * power law holds beyond the nodes that were measured.
 *
 * Nothing is fitted. Without references a measured rate takes the coefficient's place; with them it changes it by a ratio (models/train/calibrated.h). */
#include "data/profile_set.h"
#include "models/train/calibrated.h"
#include "models/train/published.h"
#include "tests/validation/published.h"
#include <math.h>
#include <string.h>

static struct rr_arena *arena;
static struct rr_train_facts facts;
static struct rr_published *run;
static size_t n_runs;
static const char *data_dir;
static struct rr_notes notes;

static void load(const char *name)
{
    struct rr_train_rows rows;
    arena = rr_arena_create();
    notes = (struct rr_notes){.arena = arena};
    const char *path = published_data(arena, name);
    if (rr_data_dir(arena, &data_dir) != RR_OK || rr_train_facts_load(data_dir, arena, &facts) != RR_OK ||
        rr_train_rows_read(path, arena, &rows) != RR_OK)
        fail_msg("%s", rr_reason());
    run = RR_NEWS(arena, struct rr_published, rows.n);
    n_runs = rows.n;
    for (size_t i = 0; i < rows.n; i++)
        if (rr_published_make(&facts, arena, &rows.at[i], &run[i]) != RR_OK) fail_msg("%s", rr_reason());
}

static struct rr_profile_set set_of(const char *name)
{
    const char *const names[] = {name};
    struct rr_profile_set s;
    if (rr_profile_set_read(data_dir, names, 1, arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    return s;
}

enum way { SHIPPED, RATE, RATIO, WAYS };

/* Coefficients of the run's framework on its machine; calibration is the same for all runs of both. */
static void coefs_of(const struct rr_published *p, const struct rr_profile_set *s, enum way way, struct rr_coefs *ret)
{
    static struct {
        const char *framework, *machine;
        const struct rr_profile_set *set;
        enum way way;
        struct rr_coefs c;
    } known[400];
    static size_t n;
    const char *note;
    for (size_t i = 0; i < n; i++)
        if (known[i].set == s && known[i].way == way && strcmp(known[i].framework, p->set->framework) == 0 &&
            strcmp(known[i].machine, p->machine.id) == 0) {
            *ret = known[i].c;
            return;
        }
    if (rr_coefs_find(&facts, arena, p->set->framework, p->machine.family, ret, &note) != RR_OK) fail_msg("%s", rr_reason());
    struct rr_profile_set *own = RR_NEW(arena, struct rr_profile_set);
    *own = *s;
    if (way == RATE) own->n_references = 0;
    struct rr_calibrated k;
    if (way != SHIPPED && rr_calibrate(own, &p->machine, p->set->framework, 8, arena, &notes, ret, &k) != RR_OK)
        fail_msg("%s", rr_reason());
    assert_true(n < sizeof known / sizeof *known);
    known[n].framework = p->set->framework, known[n].machine = p->machine.id;
    known[n].set = s, known[n].way = way, known[n].c = *ret;
    n++;
}

struct errors {
    size_t n;
    double mape[WAYS];
};

/* Mean absolute error in per cent of the runs whose machine the profile is of; the Playbook, whose network stalled, is left out. */
static struct errors errors_of(const struct rr_profile_set *s)
{
    struct errors e = {0};
    for (size_t i = 0; i < n_runs; i++) {
        struct rr_published *p = &run[i];
        if (!p->set || p->reason || p->measured_s <= 0 || !rr_calibrated_fits(&s->at[0], &p->machine)) continue;
        if (strcmp(p->set->name, "Ultra-Scale Playbook") == 0) continue;
        e.n++;
        for (int w = 0; w < WAYS; w++) {
            struct rr_coefs c;
            struct rr_step step;
            coefs_of(p, s, (enum way)w, &c);
            rr_published_step(p, &c, &step);
            e.mape[w] += 100 * fabs(step.total_s / p->measured_s - 1);
        }
    }
    for (int w = 0; w < WAYS; w++) e.mape[w] /= e.n ? (double)e.n : 1;
    return e;
}

static void a_ratio_keeps_what_a_rate_loses(void **state)
{
    (void)state;
    static const struct {
        const char *profile;
        double allowed; /* points that the ratio may cost over all its rows */
    } at[] = {{"a100-node", 0.05}, {"a100-40-node", 0.3}, {"dgxa100-ib", 0.05}, {"h100-node", 0.05},
              {"h100-efa", 0.5},   {"h200-roce", 1.0},    {"gb200-nvl72", 0.05}};
    double rate = 0, ratio = 0;
    load("facts/training_validation.csv");
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct rr_profile_set *s = RR_NEW(arena, struct rr_profile_set);
        *s = set_of(at[i].profile);
        const struct errors e = errors_of(s);
        print_message("%-14s %5zu rows: shipped %5.2f, rate %5.2f, ratio %5.2f %%\n", at[i].profile, e.n, e.mape[SHIPPED], e.mape[RATE],
                      e.mape[RATIO]);
        if (e.mape[RATIO] > e.mape[SHIPPED] + at[i].allowed) fail_msg("%s: the ratio costs too much", at[i].profile);
        rate += e.mape[RATE] - e.mape[SHIPPED], ratio += e.mape[RATIO] - e.mape[SHIPPED];
    }
    assert_true(ratio < rate);
    rr_notes_done(&notes);
    rr_arena_free(arena);
}

/* ---- beyond the nodes that were measured ---- */

/* ln of busbw of `op` at `nodes`, at the one size that the cluster's profile has. */
static double ln_bus(const struct rr_profile *p, const char *op, int32_t nodes)
{
    const struct rr_curve *c = rr_profile_curve(p, op, 8 * nodes, nodes);
    assert_true(c && c->ranks == 8 * nodes);
    return log(c->bus_gb_s.value);
}

/* Each count of nodes foretold from all below it, by least squares: errors of the logarithm a doubling, one count known and several. */
static void a_law_of_nodes_beyond_them(void **state)
{
    (void)state;
    static const char *const ops[] = {"all_reduce", "all_gather", "reduce_scatter"};
    arena = rr_arena_create();
    if (rr_data_dir(arena, &data_dir) != RR_OK) fail_msg("%s", rr_reason());
    const struct rr_profile_set s = set_of("h100-efa-cluster");
    double one = 0, several = 0;
    int n_one = 0, n_several = 0;
    for (size_t o = 0; o < 3; o++)
        for (int known = 1; known < 6; known++)
            for (int x = known; x < 6; x++) { // 2^(x + 1) nodes
                double mx = 0, my = 0, sxx = 0, sxy = 0;
                for (int i = 0; i < known; i++) mx += i / (double)known, my += ln_bus(&s.at[0], ops[o], 2 << i) / known;
                for (int i = 0; i < known; i++) sxx += (i - mx) * (i - mx), sxy += (i - mx) * (ln_bus(&s.at[0], ops[o], 2 << i) - my);
                const double slope = known > 1 ? sxy / sxx : 0, off = ln_bus(&s.at[0], ops[o], 2 << x) - (my + slope * (x - mx));
                const double each = off / (x - known + 1);
                if (known == 1)
                    one += each * each, n_one++;
                else
                    several += each * each, n_several++;
            }
    one = sqrt(one / n_one), several = sqrt(several / n_several);
    print_message("a doubling beyond one count of nodes %.3f, beyond several %.3f of the logarithm\n", one, several);
    assert_true(fabs(one - 0.52) < 0.01 && fabs(several - 0.30) < 0.01); // BEYOND_POINT, BEYOND_LAW
    rr_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ratio_keeps_what_a_rate_loses),
        cmocka_unit_test(a_law_of_nodes_beyond_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
