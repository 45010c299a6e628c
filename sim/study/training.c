/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training.c - what the model says about a planned run, as a job wants it. */
#include "sim/study/training.h"
#include "data/base/fmath.h"
#include "models/train/size.h"

#define WORLDS 20000 /* replications beyond begin again at the first */

static const char *summary(const struct rr_size *z, const struct rr_size_answer *x, struct rr_arena *a)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "%s on %d x %s: %.0f steps of %.4g s (P10 %.4g, P90 %.4g), ", z->arch.name, z->search.base.gpus, z->machine.id,
                x->time.steps, x->found.best[0].step_s, x->band.step_p10_s, x->band.step_p90_s);
    rr_layout_text(&b, &x->found.best[0].layout);
    rr_buf_putf(&b, "; %.3g d of work, a checkpoint of %.3g GB", (x->time.train_s + x->time.eval_s) / 86400,
                z->plan.checkpoint_bytes / 1e9);
    const char *text = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

/* The step in each replication's world over that with the profiles' values, the layout staying as it is. */
static const double *worlds_of(const struct rr_size *z, const struct rr_layout *l, size_t n, struct rr_arena *a)
{
    struct rr_step now, then;
    double *w = RR_NEWS(a, double, n + 1), *value = RR_NEWS(a, double, z->calibrated.n + 1);
    rr_step_time(&z->arch, &z->machine, &z->coefs, l, false, &now);
    for (size_t i = 0; i < n; i++) {
        struct rr_coefs c = z->coefs;
        rr_calibrated_world(&z->calibrated, (uint32_t)i, value);
        rr_calibrated_put(&z->calibrated, value, &c);
        rr_step_time(&z->arch, &z->machine, &c, l, false, &then);
        w[i] = then.total_s / now.total_s;
    }
    return w;
}

/* What varies beside the worlds, which come on top. */
static struct rr_ttt_band beside_worlds(const struct rr_size *z, const struct rr_size_answer *x, bool worlds)
{
    struct rr_ttt_band b = x->band;
    struct rr_ttt_doubt d = z->doubt;
    const struct rr_layout *l = &x->found.best[0].layout;
    d.profile = &z->calibrated, d.still = true;
    if (worlds) rr_ttt_band(&z->plan, &d, &z->arch, &z->machine, &z->coefs, l, x->found.best[0].step_s, 1, &b);
    return b;
}

enum rr_status rr_study_plan_training(const struct rr_training_run *t, const struct rr_catalog *catalog, struct rr_arena *a,
                                      struct rr_notes *notes, struct rr_training_plan *ret)
{
    struct rr_train_facts facts;
    struct rr_size z;
    struct rr_size_answer x;
    struct rr_training_run once = *t;
    struct rr_training_failures no_failures = {.none = true}; // the replay has its own
    struct rr_records none = {.n = 1, .at = &no_failures};
    const char *dir;
    once.failures = &none;
    RR_TRY(rr_data_dir(a, &dir));
    RR_TRY(rr_train_facts_load(dir, a, &facts));
    RR_TRY(rr_size_make(&once, &facts, catalog, a, notes, false, &z));
    RR_TRY(rr_size_find(&z, 1, &x));
    if (*z.machine.gpu == '\0')
        return rr_fail(RR_EINPUT, "%s has no GPU of data/facts/gpus.csv, so that no pool can be known to have it", z.machine.id);
    const double work_us = (x.time.train_s + x.time.eval_s) * z.plan.reruns * 1e6;
    const bool drawn = t->profiles && t->profiles->worlds > 1 && z.doubt.calibrated && z.calibrated.n > 0;
    const size_t n_worlds = !drawn ? 0 : t->profiles->worlds < WORLDS ? (size_t)t->profiles->worlds : WORLDS;
    const struct rr_ttt_band band = beside_worlds(&z, &x, drawn);
    *ret = (struct rr_training_plan){.work_us = (int64_t)(work_us + 0.5),
                                     .median_us = (int64_t)(work_us * band.step_p50_s / x.found.best[0].step_s + 0.5),
                                     .start_us = (int64_t)(x.time.startup_s * 1e6 + 0.5),
                                     .write_us = (int64_t)(x.time.stall_s * 1e6 + 0.5),
                                     .restore_us = (int64_t)(x.time.write_s * 1e6 + 0.5),
                                     .interval_us = (int64_t)(z.plan.interval_s * 1e6 + 0.5),
                                     .sigma = rr_log(band.step_p90_s / band.step_p10_s) / (2 * 1.2815515655446004),
                                     .world = n_worlds ? worlds_of(&z, &x.found.best[0].layout, n_worlds, a) : NULL,
                                     .n_worlds = n_worlds,
                                     .profile_used = z.calibrated.used,
                                     .gpu = z.machine.gpu,
                                     .summary = summary(&z, &x, a)};
    return RR_OK;
}
