/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/rows.c - replication 1 told by month, by cost line, by job class and by pool. */
#include "sim/study/parts.h"
#include <inttypes.h>
#include <string.h>

static double gpu_hours(rr_i128 milli_us) { return (double)milli_us / (1000.0 * (double)RR_H); }

/* ---- by month ---- */

struct months {
    size_t n;
    int64_t *edge; /* [n + 1] */
    rr_i128 *used, *held;
};

static enum rr_status months_of(const struct rr_telling *t, struct months *ret)
{
    const struct rr_clock *c = &t->scenario->clock;
    const int64_t end = t->billing->horizon_us;
    struct rr_month_part *part = NULL;
    size_t n = 0;
    RR_TRY(rr_month_parts(c, 0, end > 0 ? end : 1, t->arena, &part, &n));
    *ret = (struct months){n, RR_NEWS(t->arena, int64_t, n + 1), RR_NEWS(t->arena, rr_i128, n), RR_NEWS(t->arena, rr_i128, n)};
    for (size_t i = 0; i < n; i++) ret->edge[i] = part[i].from_us;
    ret->edge[n] = part[n - 1].to_us;
    return RR_OK;
}

static size_t month_at(const struct months *m, int64_t t_us)
{
    size_t low = 0, high = m->n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (m->edge[mid] <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void spread(const struct months *m, rr_i128 *sum, int64_t from, int64_t to, int64_t milli)
{
    for (size_t i = month_at(m, from); i < m->n && from < to; i++) {
        const int64_t until = i + 1 < m->n && m->edge[i + 1] < to ? m->edge[i + 1] : to;
        sum[i] += (rr_i128)milli * (until - from);
        from = until;
    }
}

static enum rr_status spread_work(const struct rr_telling *t, struct months *m)
{
    const struct rr_replay *r = &t->run->replay;
    const rr_i128 *const *used;
    RR_TRY(rr_used_by_month(t->scenario, t->run, t->arena, &used));
    for (size_t p = 0; p < t->scenario->n_pools; p++)
        for (size_t i = 0; i < m->n; i++) m->used[i] += used[p][i];
    for (size_t i = 0; i < r->n_leases; i++) {
        const struct rr_lease *l = &r->lease[i];
        spread(m, m->held, l->start_us, l->end_us, (int64_t)r->node_gpus[l->node] * 1000);
    }
    return RR_OK;
}

static enum rr_status tell_months(const struct rr_telling *t)
{
    struct months m;
    RR_TRY(months_of(t, &m));
    RR_TRY(spread_work(t, &m));
    struct rr_month_row *row = RR_NEWS(t->arena, struct rr_month_row, m.n);
    for (size_t i = 0; i < m.n; i++) {
        char name[16];
        row[i] = (struct rr_month_row){.month = rr_strdup(t->arena, rr_month_name(&t->scenario->clock, m.edge[i], name)),
                                       .from_us = m.edge[i],
                                       .to_us = m.edge[i + 1],
                                       .used_gpu_hours = gpu_hours(m.used[i]),
                                       .held_gpu_hours = gpu_hours(m.held[i])};
    }
    for (size_t i = 0; i < t->ledger->charge.n; i++) {
        const struct rr_charge *c = &t->ledger->charge.at[i];
        struct rr_month_row *to = &row[month_at(&m, c->from_us)];
        RR_TRY(rr_money_add(&to->billed, c->billed));
        RR_TRY(rr_money_add(&to->effective, c->effective));
    }
    t->alt->month = row;
    t->alt->n_months = m.n;
    return RR_OK;
}

/* ---- by cost line ---- */

static const char *text_or_empty(const char *s) { return s ? s : ""; }

static bool same_line(const struct rr_cost_line *l, const struct rr_charge *c, const char *pool)
{
    return strcmp(l->type, c->type) == 0 && strcmp(l->line, c->line) == 0 && strcmp(l->pool, pool) == 0 &&
           strcmp(l->commitment, text_or_empty(c->commitment)) == 0 && strcmp(l->unit, text_or_empty(c->unit)) == 0;
}

static enum rr_status tell_lines(const struct rr_telling *t)
{
    const struct rr_ledger *l = t->ledger;
    struct rr_cost_line *line = RR_NEWS(t->arena, struct rr_cost_line, l->charge.n);
    size_t n = 0;
    for (size_t i = 0; i < l->charge.n; i++) {
        const struct rr_charge *c = &l->charge.at[i];
        const char *pool = c->pool >= 0 ? t->scenario->pool[c->pool].name : "";
        size_t k = 0;
        while (k < n && !same_line(&line[k], c, pool)) k++;
        if (k == n)
            line[n++] = (struct rr_cost_line){.type = c->type,
                                              .line = c->line,
                                              .pool = pool,
                                              .commitment = text_or_empty(c->commitment),
                                              .unit = text_or_empty(c->unit),
                                              .rate = c->rate};
        if (line[k].rate.nano != c->rate.nano) line[k].rate.nano = 0; // several rates have none in common
        RR_TRY(rr_money_add(&line[k].billed, c->billed));
        RR_TRY(rr_money_add(&line[k].effective, c->effective));
        RR_TRY(rr_money_add(&line[k].after_horizon, c->after_horizon));
        line[k].quantity += c->quantity;
    }
    t->alt->line = line;
    t->alt->n_lines = n;
    return RR_OK;
}

/* ---- by job class: a pool's cost is shared by the GPU time that each class used in it, idle time included; a commitment's by the use of
 * all pools; what nobody used stays on "(idle)" ---- */

static size_t class_of(const struct rr_trace *jobs, size_t i) { return jobs->class_id ? jobs->class_id[i] : 0; }

struct shares {
    size_t n_classes, n_pools;
    rr_i128 *work; /* [n_pools + 1][n_classes + 1]: the last pool is all pools, the last class "(idle)" */
};

static rr_i128 *shares_of(const struct shares *s, int pool)
{
    return s->work + (pool < 0 ? s->n_pools : (size_t)pool) * (s->n_classes + 1);
}

// In GPUs, where the job may have held slices of them.
static rr_i128 gpu_work(const struct rr_telling *t, size_t i)
{
    const struct rr_outcome *o = &t->run->replay.outcome[i];
    const rr_i128 work = rr_job_work(t->run, i);
    return o->pool < t->scenario->n_pools ? work / rr_pool_slices(&t->scenario->pool[o->pool]) : work;
}

static void shares_fill(const struct rr_telling *t, struct shares *s)
{
    for (size_t i = 0; i < t->run->replay.n_jobs; i++) {
        const struct rr_outcome *o = &t->run->replay.outcome[i];
        if (o->start_us == RR_NEVER || o->pool >= s->n_pools) continue;
        const rr_i128 work = gpu_work(t, i);
        shares_of(s, o->pool)[class_of(&t->run->jobs, i)] += work;
        shares_of(s, -1)[class_of(&t->run->jobs, i)] += work;
    }
    for (size_t p = 0; p <= s->n_pools; p++) {
        rr_i128 *w = s->work + p * (s->n_classes + 1), sum = 0;
        for (size_t k = 0; k < s->n_classes; k++) sum += w[k];
        w[s->n_classes] = sum == 0; // nobody used it
    }
}

static double lost_gpu_hours(const struct rr_telling *t, size_t i)
{
    const struct rr_outcome *o = &t->run->replay.outcome[i];
    if (o->start_us == RR_NEVER || o->lost_us == 0) return 0;
    return gpu_hours((rr_i128)t->run->jobs.gpus_milli[i] * o->lost_us / rr_pool_slices(&t->scenario->pool[o->pool]));
}

static void count_jobs(const struct rr_telling *t, struct rr_class_row *row, size_t n)
{
    double *wait_s = RR_NEWS(t->arena, double, n), *started = RR_NEWS(t->arena, double, n);
    for (size_t i = 0; i < t->run->replay.n_jobs; i++) {
        const struct rr_outcome *o = &t->run->replay.outcome[i];
        const size_t k = class_of(&t->run->jobs, i);
        if (o->state == RR_JOB_NOT_SUBMITTED) continue;
        row[k].jobs++;
        row[k].finished += o->state == RR_JOB_FINISHED;
        row[k].used_gpu_hours += gpu_hours(gpu_work(t, i)) - lost_gpu_hours(t, i); // as in the pools' books: lost is not used
        if (o->start_us == RR_NEVER || t->run->jobs.submit_us[i] < t->scenario->warmup_us) continue;
        wait_s[k] += (double)(o->start_us - t->run->jobs.submit_us[i]) / 1e6;
        started[k]++;
    }
    for (size_t k = 0; k < n; k++) row[k].wait_mean_s = started[k] > 0 ? wait_s[k] / started[k] : __builtin_nan("");
}

static enum rr_status tell_classes(const struct rr_telling *t)
{
    const struct rr_trace *jobs = &t->run->jobs;
    struct shares s = {.n_classes = jobs->n_classes ? jobs->n_classes : 1, .n_pools = t->scenario->n_pools};
    const size_t n = s.n_classes + 1;
    s.work = RR_NEWS(t->arena, rr_i128, (s.n_pools + 1) * n);
    shares_fill(t, &s);
    struct rr_class_row *row = RR_NEWS(t->arena, struct rr_class_row, n);
    for (size_t k = 0; k < s.n_classes; k++) {
        const char *name = jobs->n_classes ? jobs->class_name[k] : "";
        row[k].name = *name ? name : "(none)";
    }
    row[s.n_classes].name = "(idle)";
    row[s.n_classes].wait_mean_s = __builtin_nan("");
    count_jobs(t, row, s.n_classes);
    struct rr_money *part = RR_NEWS(t->arena, struct rr_money, n);
    for (size_t i = 0; i < t->ledger->charge.n; i++) {
        const struct rr_charge *c = &t->ledger->charge.at[i];
        rr_money_split(c->effective, shares_of(&s, c->pool), n, part);
        for (size_t k = 0; k < n; k++) RR_TRY(rr_money_add(&row[k].effective, part[k]));
        rr_money_split(c->billed, shares_of(&s, c->pool), n, part);
        for (size_t k = 0; k < n; k++) RR_TRY(rr_money_add(&row[k].billed, part[k]));
    }
    rr_i128 effective = 0, billed = 0;
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        effective += row[k].effective.micro;
        billed += row[k].billed.micro;
        if (row[k].jobs || row[k].effective.micro || row[k].billed.micro) row[kept++] = row[k];
    }
    if (effective != t->ledger->effective.micro || billed != t->ledger->billed.micro)
        return rr_fail(RR_EINTERNAL, "law 3 (money) is broken: by job class the charges do not come to the total");
    t->alt->class_row = row;
    t->alt->n_classes = kept;
    return RR_OK;
}

/* ---- by pool ---- */

static const char *what_it_is(const struct rr_telling *t, const struct rr_pool *p)
{
    if (p->hardware_id) return p->hardware_id;
    if (p->instance_id) return *p->region ? rr_strf(t->arena, "%s, %s", p->instance_id, p->region) : p->instance_id;
    if (p->nodes_file) return rr_strf(t->arena, "%zu nodes from a file", p->n_shapes);
    return rr_strf(t->arena, "%" PRId64 " GPUs a node", p->gpus_per_node);
}

static enum rr_status tell_pools(const struct rr_telling *t)
{
    const size_t n = t->scenario->n_pools;
    struct rr_pool_row *row = RR_NEWS(t->arena, struct rr_pool_row, n);
    for (size_t i = 0; i < n; i++) {
        const struct rr_pool *p = &t->scenario->pool[i];
        const struct rr_pool_time *time = &t->run->replay.pool[i];
        const int64_t slices = rr_pool_slices(p);
        row[i] = (struct rr_pool_row){.name = p->name,
                                      .what = what_it_is(t, p),
                                      .plan = p->plan ? p->plan->name : "unpriced",
                                      .nodes_min = p->nodes_min,
                                      .nodes_max = p->nodes_max,
                                      .nodes_peak = time->nodes_peak,
                                      .held = gpu_hours(time->held / slices),
                                      .used = gpu_hours(time->used / slices),
                                      .lost = gpu_hours(time->lost / slices),
                                      .idle = gpu_hours(time->idle / slices),
                                      .starting = gpu_hours(time->starting / slices),
                                      .down = gpu_hours(time->down / slices)};
    }
    for (size_t i = 0; i < t->ledger->charge.n; i++) {
        const struct rr_charge *c = &t->ledger->charge.at[i];
        if (c->pool < 0) continue;
        RR_TRY(rr_money_add(&row[c->pool].effective, c->effective));
        RR_TRY(rr_money_add(&row[c->pool].billed, c->billed));
    }
    t->alt->pool = row;
    t->alt->n_pools = n;
    return RR_OK;
}

/* ---- what was lost, and what was waited for ---- */

static void tell_losses(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    struct rr_loss_row all[RR_WHYS] = {0}, *row = RR_NEWS(t->arena, struct rr_loss_row, RR_WHYS);
    size_t n = 0;
    for (size_t i = 0; i < r->n_attempts; i++) all[r->attempt[i].reason].attempts++;
    for (size_t p = 0; p < t->scenario->n_pools; p++)
        for (int k = 0; k < RR_WHYS; k++) {
            all[k].nodes += r->pool[p].nodes_lost[k];
            all[k].events += r->pool[p].events_of[k];
            all[k].gpu_hours += gpu_hours(r->pool[p].lost_to[k] / rr_pool_slices(&t->scenario->pool[p]));
        }
    for (int k = 0; k < RR_WHYS; k++) {
        if (!rr_why_interrupts((enum rr_reason)k)) all[k].attempts = 0; // those came to their own end
        all[k].reason = rr_why_text((enum rr_reason)k);
        if (all[k].attempts || all[k].nodes || all[k].gpu_hours > 0) row[n++] = all[k];
    }
    t->alt->loss = row;
    t->alt->n_losses = n;
}

static void tell_bounds(const struct rr_telling *t)
{
    struct rr_bound_row *row = RR_NEWS(t->arena, struct rr_bound_row, RR_BOUNDS);
    size_t n = 0;
    for (int k = 0; k < RR_BOUNDS; k++) {
        const struct rr_bound_time *b = &t->run->replay.bound[k];
        if (b->jobs_us > 0)
            row[n++] = (struct rr_bound_row){rr_bound_word((enum rr_bound)k), rr_bound_text((enum rr_bound)k), b->jobs_us / (double)RR_H,
                                             b->gpus_us / (double)RR_H};
    }
    t->alt->bound = row;
    t->alt->n_bounds = n;
}

enum rr_status rr_tell_rows(const struct rr_telling *t)
{
    RR_TRY(tell_months(t));
    RR_TRY(tell_lines(t));
    RR_TRY(tell_classes(t));
    tell_losses(t);
    tell_bounds(t);
    rr_tell_bars(t);
    return tell_pools(t);
}
