/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/ttt.c - from a step to the day it is done. */
#include "models/train/ttt.h"
#include "data/base/fmath.h"
#include "models/checkpoint.h"
#include "models/train/network.h"
#include <math.h>
#include <stdlib.h>

#define LEVELS 16 /* of the batch in a warm-up */

static double predicted_s(const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c, const struct rr_layout *l)
{
    struct rr_step s;
    rr_step_time(a, m, c, l, false, &s);
    return s.total_s;
}

/* ---- steps ---- */

/* A batch that the layout can do: whole micro batches on every rank, and whole groups of stages where it interleaves. */
static int32_t possible_batch(const struct rr_layout *l, double want)
{
    const int64_t each = (int64_t)l->micro_batch * l->dp * (l->vpp > 1 ? l->pp : 1);
    int64_t n = (int64_t)(want / (double)each + 0.5);
    if (n < 1) n = 1;
    return n * each < l->global_batch ? (int32_t)(n * each) : l->global_batch;
}

static void add_warmup(const struct rr_ttt_plan *p, const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c,
                       const struct rr_layout *l, double scale, double samples, struct rr_ttt *ret)
{
    for (int k = 0; k < LEVELS; k++) {
        struct rr_layout now = *l;
        const double share = (k + 0.5) / LEVELS;
        now.global_batch = possible_batch(l, p->warmup_batch + share * (l->global_batch - p->warmup_batch));
        const double steps = samples / LEVELS / now.global_batch;
        ret->warmup_steps += steps;
        ret->train_s += steps * scale * predicted_s(a, m, c, &now);
    }
}

static void add_steps(const struct rr_ttt_plan *p, const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c,
                      const struct rr_layout *l, double step_s, struct rr_ttt *ret)
{
    const bool grows = p->warmup_samples > 0 && p->warmup_batch > 0 && p->warmup_batch < l->global_batch;
    const double warm = !grows ? 0 : p->warmup_samples < p->samples ? p->warmup_samples : p->samples;
    if (warm > 0) add_warmup(p, a, m, c, l, step_s / predicted_s(a, m, c, l), warm, ret);
    const double rest = ceil((p->samples - warm) / l->global_batch - 1e-9);
    ret->warmup_steps = ceil(ret->warmup_steps - 1e-9);
    ret->steps = ret->warmup_steps + rest;
    ret->train_s += rest * step_s;
    if (p->eval_every > 0) ret->eval_s = floor(ret->steps / p->eval_every) * (p->eval_s + p->eval_samples / l->global_batch * step_s / 3);
}

/* ---- failures ---- */

double rr_ttt_spare_wait_s(double mtbf_s, double repair_s, int32_t spares)
{
    const double down = repair_s / mtbf_s;
    double below = 0, term = rr_exp(-down);
    for (int32_t k = 0; k < spares; k++) below += term, term *= down / (k + 1);
    return below < 1 ? (1 - below) * repair_s / (spares + 1) : 0; // the first of spares + 1 nodes in repair comes back
}

static void add_failures(const struct rr_ttt_plan *p, const struct rr_layout *l, struct rr_ttt *ret)
{
    const double work = ret->train_s + ret->eval_s;
    ret->write_s = p->storage_b_s > 0 ? p->checkpoint_bytes / p->storage_b_s : 0;
    ret->stall_s = p->host_b_s > 0 ? p->checkpoint_bytes / l->gpus / p->host_b_s : ret->write_s;
    ret->restore_s = ret->write_s + p->compile_s;
    ret->mtbf_s = p->failure_gpu_hours > 0 ? p->failure_gpu_hours * 3600 / l->gpus : INFINITY;
    if (p->failure_gpu_hours <= 0) {
        ret->interval_s = p->interval_s;
        if (p->interval_s > 0) ret->checkpoint_s = work / p->interval_s * ret->stall_s;
        return;
    }
    ret->down_s = p->detect_s + p->requeue_s + p->image_s + rr_ttt_spare_wait_s(ret->mtbf_s, p->repair_s, p->spares);
    double w = p->interval_s > 0 ? p->interval_s : rr_checkpoint_best(ret->mtbf_s, ret->stall_s);
    if (p->host_b_s > 0 && w < ret->write_s) w = ret->write_s; // the one before must have been written
    if (w > work) w = work;
    if (w <= 0) return;
    ret->interval_s = w;
    ret->hopeless = (w + ret->stall_s + ret->restore_s) / ret->mtbf_s > RR_CHECKPOINT_HOPELESS;
    const double slow = rr_checkpoint_slowdown(w, ret->mtbf_s, ret->stall_s, ret->restore_s, ret->down_s);
    ret->checkpoint_s = work / w * ret->stall_s;
    ret->lost_s = ret->hopeless ? INFINITY : work * slow - work - ret->checkpoint_s;
    if (ret->lost_s < 0) ret->lost_s = 0;
    ret->failures = (work + ret->checkpoint_s + ret->lost_s) / ret->mtbf_s;
}

void rr_ttt_make(const struct rr_ttt_plan *p, const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c,
                 const struct rr_layout *l, double step_s, struct rr_ttt *ret)
{
    *ret = (struct rr_ttt){.startup_s = p->startup_s};
    add_steps(p, a, m, c, l, step_s, ret);
    add_failures(p, l, ret);
    const double once = ret->startup_s + ret->train_s + ret->eval_s + ret->checkpoint_s + ret->lost_s;
    ret->rerun_s = p->reruns > 1 ? once * (p->reruns - 1) : 0;
    ret->total_s = once + ret->rerun_s;
    ret->goodput = once > 0 ? ret->train_s / once : 0;
    ret->gpu_hours = ret->total_s / 3600 * l->gpus;
    ret->kwh = p->node_w > 0 && p->pue > 0 ? ret->gpu_hours / m->gpus_per_node * p->node_w / 1000 * p->pue : NAN;
}

/* ---- how sure ---- */

static double drawn(struct rr_rng *r, double sd) { return rr_exp(sd * rr_rng_normal(r)); }

static void draw_coefs(const struct rr_ttt_doubt *d, const struct rr_coefs *c, struct rr_rng *r, struct rr_coefs *ret)
{
    *ret = *c;
    for (int i = 0; i < RR_COEF_N; i++) {
        const struct rr_coef_info *info = &rr_coef_info[i];
        double v = c->v[i] * drawn(r, d->coef);
        if (i == RR_COEF_NET_EFF) v *= drawn(r, d->network);
        ret->v[i] = v < info->least ? info->least : v > info->most ? info->most : v;
    }
}

/* Least and most are taken for the 10th and 90th percentile of a lognormal around the value (z = 1.2816). */
static double draw_failures(const struct rr_ttt_plan *p, struct rr_rng *r)
{
    const double z = rr_rng_normal(r), side = z < 0 ? p->failure_least : p->failure_most;
    if (p->failure_gpu_hours <= 0 || side <= 0) return p->failure_gpu_hours;
    const double sd = fabs(rr_log(side / p->failure_gpu_hours)) / 1.2815515655446004;
    return p->failure_gpu_hours * rr_exp(sd * z);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, double q)
{
    const double at = q * (RR_TTT_DRAWS - 1);
    return sorted[(int)(at + 0.5)]; // 0.1, 0.5 and 0.9 of 400 are whole
}

/* What happened differs from what was expected of it: n failures have a standard deviation of sqrt(n). */
static double with_luck(const struct rr_ttt *t, struct rr_rng *r)
{
    const double luck = t->failures > 0 ? 1 + rr_rng_normal(r) / sqrt(t->failures) : 1;
    return t->total_s + t->lost_s * ((luck > 0 ? luck : 0) - 1) * (t->total_s / (t->total_s - t->rerun_s));
}

void rr_ttt_band(const struct rr_ttt_plan *p, const struct rr_ttt_doubt *d, const struct rr_arch *a, const struct rr_machine *m,
                 const struct rr_coefs *c, const struct rr_layout *l, double step_s, uint64_t seed, struct rr_ttt_band *ret)
{
    double step[RR_TTT_DRAWS], total[RR_TTT_DRAWS];
    const double base = predicted_s(a, m, c, l);
    struct rr_ttt t;
    for (int i = 0; i < RR_TTT_DRAWS; i++) {
        struct rr_rng r;
        struct rr_coefs drawn_c;
        struct rr_ttt_plan q = *p;
        rr_rng_init(&r, seed, 0, RR_RNG_INPUT, (uint64_t)i);
        draw_coefs(d, c, &r, &drawn_c);
        step[i] = step_s * predicted_s(a, m, &drawn_c, l) / base * drawn(&r, d->model);
        q.failure_gpu_hours = draw_failures(p, &r);
        rr_ttt_make(&q, a, m, c, l, step[i], &t);
        total[i] = with_luck(&t, &r);
        if (isnan(total[i])) total[i] = INFINITY;
    }
    qsort(step, RR_TTT_DRAWS, sizeof *step, by_size);
    qsort(total, RR_TTT_DRAWS, sizeof *total, by_size);
    *ret = (struct rr_ttt_band){quantile(step, 0.1),
                                quantile(step, 0.5),
                                quantile(step, 0.9),
                                quantile(total, 0.1),
                                quantile(total, 0.5),
                                quantile(total, 0.9),
                                0,
                                0};
    struct rr_ttt_plan q = *p;
    if (p->failure_most > 0) q.failure_gpu_hours = p->failure_most;
    rr_ttt_make(&q, a, m, c, l, ret->step_p10_s, &t);
    ret->tuned_s = t.total_s;
    q = *p;
    if (p->failure_least > 0) q.failure_gpu_hours = p->failure_least;
    rr_ttt_make(&q, a, m, c, l, ret->step_p90_s, &t);
    ret->first_months_s = t.total_s;
}
