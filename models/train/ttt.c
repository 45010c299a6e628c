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

/* What stops the run without warning: failures, and reclaims whose notice is too short. `M`: infinite when nothing does. */
struct stops {
    double M, D;
    double reclaims; /* share of them */
};

static struct stops stops_of(const struct rr_ttt_plan *p, const struct rr_ttt *t)
{
    const double failing = 1 / t->mtbf_s, taken = p->reclaim_s > 0 && !p->reclaim_saved ? 1 / p->reclaim_s : 0, all = failing + taken;
    const double unsaved = p->host_b_s > 0 ? t->write_s : 0; // the newest copy is not on the storage yet: that much more is done again
    if (all <= 0) return (struct stops){.M = INFINITY};
    return (struct stops){1 / all, (failing * t->down_s + taken * p->reclaim_down_s) / all + unsaved, taken / all};
}

/* Daly's expectation of `work`, with checkpoints every w of it. */
static void add_stops(const struct rr_ttt_plan *p, const struct stops *x, double work, struct rr_ttt *ret)
{
    double w = p->interval_s > 0 ? p->interval_s : rr_checkpoint_best(x->M, ret->stall_s);
    if (p->host_b_s > 0 && w < ret->write_s) w = ret->write_s; // the one before must have been written
    if (w > work) w = work;
    if (w <= 0) return;
    ret->interval_s = w;
    ret->hopeless = (w + ret->stall_s + ret->restore_s) / x->M > RR_CHECKPOINT_HOPELESS;
    const double slow = rr_checkpoint_slowdown(w, x->M, ret->stall_s, ret->restore_s, x->D);
    ret->checkpoint_s = work / w * ret->stall_s;
    ret->lost_s = ret->hopeless ? INFINITY : work * slow - work - ret->checkpoint_s;
    if (ret->lost_s < 0) ret->lost_s = 0;
    ret->reclaimed_s = x->reclaims * ret->lost_s;
}

static void add_failures(const struct rr_ttt_plan *p, const struct rr_layout *l, struct rr_ttt *ret)
{
    const double work = ret->train_s + ret->eval_s;
    ret->write_s = p->storage_b_s > 0 ? p->checkpoint_bytes / p->storage_b_s : 0;
    ret->stall_s = p->host_b_s > 0 ? p->checkpoint_bytes / l->gpus / p->host_b_s : ret->write_s;
    ret->restore_s = ret->write_s + p->compile_s;
    ret->mtbf_s = p->failure_gpu_hours > 0 ? p->failure_gpu_hours * 3600 / l->gpus : INFINITY;
    if (p->failure_gpu_hours > 0)
        ret->down_s = p->detect_s + p->requeue_s + p->image_s + rr_ttt_spare_wait_s(ret->mtbf_s, p->repair_s, p->spares);
    const struct stops stops = stops_of(p, ret);
    if (isfinite(stops.M)) {
        add_stops(p, &stops, work, ret);
    } else {
        ret->interval_s = p->interval_s;
        if (p->interval_s > 0) ret->checkpoint_s = work / p->interval_s * ret->stall_s;
    }
    const double up = work + ret->checkpoint_s + ret->lost_s;
    ret->failures = up / ret->mtbf_s;
    if (!(p->reclaim_s > 0)) return;
    ret->reclaims = up / p->reclaim_s;
    if (!p->reclaim_saved) return;
    ret->reclaimed_s = ret->reclaims * (ret->stall_s + ret->restore_s + p->reclaim_down_s);
    ret->lost_s += ret->reclaimed_s;
}

static double held_at_least(const struct rr_ttt_plan *p, const struct rr_layout *l, double nodes)
{
    struct rr_ttt t = {.train_s = 1e7}; // any long run: the shares count
    add_failures(p, l, &t);
    return (t.train_s + t.checkpoint_s + t.lost_s) * (nodes + p->spares);
}

int32_t rr_ttt_spares(const struct rr_ttt_plan *p, int32_t gpus, int32_t gpus_per_node)
{
    const struct rr_layout l = {.gpus = gpus};
    const double nodes = ceil((double)gpus / gpus_per_node);
    struct rr_ttt_plan q = *p;
    double least = INFINITY;
    int32_t best = 0;
    if (p->failure_gpu_hours <= 0) return 0;
    if (p->failure_least > 0) q.failure_gpu_hours = p->failure_least;
    for (q.spares = 0; q.spares <= nodes; q.spares++) {
        const double held = held_at_least(&q, &l, nodes);
        if (held >= least) break; // one more is dearer than what it saves, and the next saves less
        least = held, best = q.spares;
    }
    return best;
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

static void draw_coefs(const struct rr_ttt_doubt *d, const struct rr_coefs *c, int world, struct rr_rng *r, struct rr_coefs *ret)
{
    *ret = *c;
    for (int i = 0; i < RR_COEF_N; i++) {
        const struct rr_coef_info *info = &rr_coef_info[i];
        double v = c->v[i] * drawn(r, d->coef);
        if (i == RR_COEF_NET_EFF) v *= drawn(r, d->network);
        ret->v[i] = v < info->least ? info->least : v > info->most ? info->most : v;
    }
    for (size_t k = 0; d->profile && k < d->profile->n; k++) {
        const enum rr_coef at = d->profile->row[k].coef;
        ret->v[at] = d->still ? c->v[at] : d->profile->world[(size_t)world * d->profile->n + k];
    }
}

static double draw_failures(const struct rr_ttt_plan *p, struct rr_rng *r) { return p->failure_gpu_hours * drawn(r, p->failure_sd); }

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

/* Poisson by the gaps between events; normal where it is near enough. */
static double count_drawn(double mean, struct rr_rng *r)
{
    if (mean > 50) return fmax(0, mean + sqrt(mean) * rr_rng_normal(r));
    double at = rr_rng_exponential(r), n = 0;
    for (; at < mean; n++) at += rr_rng_exponential(r);
    return n;
}

/* What happened differs from what was expected of it: failures are counted, and each costs what one costs in the mean. */
static double with_luck(const struct rr_ttt *t, struct rr_rng *r)
{
    const double expected = t->failures + t->reclaims;
    if (!(expected > 0) || !isfinite(t->total_s)) return t->total_s;
    return t->total_s + t->lost_s * (count_drawn(expected, r) / expected - 1) * (t->total_s / (t->total_s - t->rerun_s));
}

struct draws {
    double step[RR_TTT_DRAWS], total[RR_TTT_DRAWS], by_step[RR_TTT_DRAWS], by_failures[RR_TTT_DRAWS];
};

static double total_of(const struct rr_ttt *t) { return isnan(t->total_s) ? INFINITY : t->total_s; }

static void draw_all(const struct rr_ttt_plan *p, const struct rr_ttt_doubt *d, const struct rr_arch *a, const struct rr_machine *m,
                     const struct rr_coefs *c, const struct rr_layout *l, double step_s, uint64_t seed, struct draws *ret)
{
    const double base = predicted_s(a, m, c, l);
    struct rr_ttt t;
    for (int i = 0; i < RR_TTT_DRAWS; i++) {
        struct rr_rng r;
        struct rr_coefs drawn_c;
        struct rr_ttt_plan q = *p;
        rr_rng_init(&r, seed, 0, RR_RNG_INPUT, (uint64_t)i);
        draw_coefs(d, c, i, &r, &drawn_c);
        ret->step[i] = step_s * predicted_s(a, m, &drawn_c, l) / base * drawn(&r, d->model);
        q.failure_gpu_hours = draw_failures(p, &r);
        struct rr_rng luck = r;
        rr_ttt_make(&q, a, m, c, l, ret->step[i], &t);
        ret->total[i] = with_luck(&t, &luck);
        luck = r;
        rr_ttt_make(&q, a, m, c, l, step_s, &t);
        ret->by_failures[i] = with_luck(&t, &luck);
        rr_ttt_make(p, a, m, c, l, ret->step[i], &t);
        ret->by_step[i] = total_of(&t);
        if (isnan(ret->total[i])) ret->total[i] = INFINITY;
        if (isnan(ret->by_failures[i])) ret->by_failures[i] = INFINITY;
    }
}

static double with_failures(const struct rr_ttt_plan *p, double gpu_hours, const struct rr_arch *a, const struct rr_machine *m,
                            const struct rr_coefs *c, const struct rr_layout *l, double step_s)
{
    struct rr_ttt_plan q = *p;
    struct rr_ttt t;
    if (gpu_hours > 0) q.failure_gpu_hours = gpu_hours;
    rr_ttt_make(&q, a, m, c, l, step_s, &t);
    return total_of(&t);
}

void rr_ttt_band(const struct rr_ttt_plan *p, const struct rr_ttt_doubt *d, const struct rr_arch *a, const struct rr_machine *m,
                 const struct rr_coefs *c, const struct rr_layout *l, double step_s, uint64_t seed, struct rr_ttt_band *ret)
{
    struct draws x;
    double *const all[] = {x.step, x.total, x.by_step, x.by_failures};
    draw_all(p, d, a, m, c, l, step_s, seed, &x);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) qsort(all[i], RR_TTT_DRAWS, sizeof *all[i], by_size);
    *ret = (struct rr_ttt_band){.step_p10_s = quantile(x.step, 0.1),
                                .step_p50_s = quantile(x.step, 0.5),
                                .step_p90_s = quantile(x.step, 0.9),
                                .p10_s = quantile(x.total, 0.1),
                                .p50_s = quantile(x.total, 0.5),
                                .p90_s = quantile(x.total, 0.9),
                                .by_step = {quantile(x.by_step, 0.1), quantile(x.by_step, 0.9)},
                                .by_failures = {quantile(x.by_failures, 0.1), quantile(x.by_failures, 0.9)}};
    ret->tuned_s = with_failures(p, p->failure_most, a, m, c, l, ret->step_p10_s);
    ret->first_months_s = with_failures(p, p->failure_least, a, m, c, l, ret->step_p90_s);
}
