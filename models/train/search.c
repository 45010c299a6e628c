/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/search.c - all layouts in order, counted by what is wrong with them.
 *
 * The step costs ten times what legality and memory cost, and most layouts fail one of these. The pipeline is taken in closed form while
 * searching; the layouts that are kept are then played stage by stage and sorted anew. */
#include "models/train/search.h"
#include "models/train/arch.h"
#include <math.h>
#include <string.h>

static void put(struct rr_axis *x, int32_t v)
{
    if (x->n < RR_AXIS_MOST) x->at[x->n++] = v;
}

static void divisors(struct rr_axis *x, int32_t of, int32_t most)
{
    if (x->n) return;
    for (int32_t d = 1; d <= of && d <= most; d++)
        if (of % d == 0) put(x, d);
}

static void fixed(struct rr_axis *x, int32_t v)
{
    if (!x->n) put(x, v);
}

static void upto(struct rr_axis *x, int32_t most)
{
    if (x->n) return;
    for (int32_t v = 0; v <= most; v++) put(x, v);
}

void rr_search_axes(struct rr_search *s)
{
    const struct rr_arch *a = s->arch;
    const int32_t gpus = s->base.gpus, batch = s->base.global_batch;
    const bool table = a->sample_gflop > 0;
    divisors(&s->tp, gpus, table ? 1 : a->heads);
    divisors(&s->pp, gpus, table ? 1 : a->layers);
    divisors(&s->cp, gpus, table ? 1 : s->base.seq / 2 > 0 ? s->base.seq / 2 : 1);
    divisors(&s->vpp, table ? 1 : a->layers + s->base.ends, a->layers);
    divisors(&s->ep, a->experts ? a->experts : 1, gpus);
    divisors(&s->micro_batch, batch, table ? 4096 : 64);
    upto(&s->zero, 3);
    upto(&s->recompute, table ? 0 : RR_RECOMPUTE_N - 1);
    fixed(&s->precision, (int32_t)s->base.precision);
    fixed(&s->sequence_parallel, s->base.sequence_parallel ? RR_AXIS_WHERE : 0);
    fixed(&s->tp_overlap, s->base.tp_overlap);
    fixed(&s->dp_overlap, s->base.dp_overlap);
}

void rr_search_widen(struct rr_search *s)
{
    upto(&s->sequence_parallel, 1);
    upto(&s->tp_overlap, 1);
    upto(&s->dp_overlap, 1);
    rr_search_axes(s);
}

int64_t rr_search_size(const struct rr_search *s)
{
    const struct rr_axis *const axis[] = {&s->tp,          &s->pp,        &s->vpp,       &s->cp,        &s->ep,
                                          &s->micro_batch, &s->zero,      &s->recompute, &s->precision, &s->sequence_parallel,
                                          &s->tp_overlap,  &s->dp_overlap};
    int64_t n = 1, worlds = 0;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) n *= axis[i]->n;
    const int64_t split = (int64_t)s->tp.n * s->pp.n * s->cp.n;
    for (int32_t t = 0; t < s->tp.n; t++)
        for (int32_t p = 0; p < s->pp.n; p++)
            for (int32_t c = 0; c < s->cp.n; c++) {
                const int64_t model = (int64_t)s->tp.at[t] * s->pp.at[p] * s->cp.at[c];
                worlds += s->base.gpus % model == 0 && (s->dp <= 0 || s->base.gpus / model == s->dp);
            }
    return split ? n / split * worlds : 0;
}

/* ---- one layout ---- */

/* Candidates while searching: more than are asked for, so that variants of the fastest do not push all else out, and few of one world. */
#define POOL      96
#define POOL_EACH 6
struct pool {
    struct rr_candidate at[POOL]; /* fastest first */
    int32_t n;
};
struct run {
    const struct rr_search *s;
    struct rr_search_result *r;
    struct pool pool;
    double usable_bytes;
};

/* One split of the GPUs. */
static bool same_world(const struct rr_layout *a, const struct rr_layout *b)
{
    return a->tp == b->tp && a->pp == b->pp && a->cp == b->cp && a->ep == b->ep && a->precision == b->precision;
}

static void take_out(struct pool *p, int32_t at)
{
    p->n--;
    memmove(&p->at[at], &p->at[at + 1], (size_t)(p->n - at) * sizeof *p->at);
}

/* Room for one that is faster than the slowest of the pool and, where its world has its share, of its world. */
static bool make_room(struct pool *p, const struct rr_candidate *c)
{
    int32_t alike = 0, last = -1;
    for (int32_t i = 0; i < p->n; i++)
        if (same_world(&p->at[i].layout, &c->layout)) alike++, last = i;
    if (alike >= POOL_EACH) {
        if (c->step_s >= p->at[last].step_s) return false;
        take_out(p, last);
    } else if (p->n == POOL) {
        p->n--;
    }
    return true;
}

/* Behind all that are as fast: the first tried stays in front. */
static void keep(struct pool *p, const struct rr_candidate *c)
{
    if ((p->n == POOL && c->step_s >= p->at[POOL - 1].step_s) || !make_room(p, c)) return;
    int32_t at = p->n++;
    for (; at > 0 && p->at[at - 1].step_s > c->step_s; at--) p->at[at] = p->at[at - 1];
    p->at[at] = *c;
}

static void reject(struct run *x, const struct rr_layout *l, enum rr_layout_fault fault)
{
    if (x->r->fault[fault]++ == 0) x->r->like[fault] = (struct rr_candidate){.layout = *l};
}

/* Its memory, or false: not on the machine. The fullest stage is computed where it decides something. */
static bool fits(struct run *x, const struct rr_layout *l, double *bytes)
{
    struct rr_memory m;
    struct rr_candidate *nearest = &x->r->like[RR_FAULT_MEMORY];
    rr_memory_stage(x->s->arch, x->s->coefs, l, 0, &m);
    const bool first = x->r->fault[RR_FAULT_MEMORY] == 0;
    if (m.total_bytes > x->usable_bytes && !first && m.total_bytes >= nearest->memory_bytes) {
        x->r->fault[RR_FAULT_MEMORY]++;
        return false;
    }
    rr_memory_peak(x->s->arch, x->s->coefs, l, &m);
    *bytes = m.total_bytes;
    if (m.total_bytes <= x->usable_bytes) return true;
    if (first || m.total_bytes < nearest->memory_bytes) *nearest = (struct rr_candidate){.layout = *l, .memory_bytes = m.total_bytes};
    x->r->fault[RR_FAULT_MEMORY]++;
    return false;
}

/* Full recompute of no more layers than memory asks for. */
static void spare(struct run *x, struct rr_candidate *c)
{
    struct rr_layout *l = &c->layout;
    struct rr_memory m;
    if (!x->s->some_layers || l->recompute != RR_RECOMPUTE_FULL || l->recompute_layers > 0) return;
    const int32_t n = rr_memory_recompute_least(x->s->arch, x->s->coefs, l, x->usable_bytes);
    if (n < 1 || n >= (x->s->arch->layers + l->pp - 1) / l->pp) return;
    l->recompute_layers = n;
    rr_memory_peak(x->s->arch, x->s->coefs, l, &m);
    c->memory_bytes = m.total_bytes;
}

static void try_layout(struct run *x, const struct rr_layout *l)
{
    const enum rr_layout_fault fault = rr_layout_check(x->s->arch, x->s->machine, l);
    struct rr_candidate c = {.layout = *l};
    struct rr_step step;
    x->r->tried++;
    if (fault != RR_FAULT_OK) {
        reject(x, l, fault);
        return;
    }
    if (!fits(x, l, &c.memory_bytes)) return;
    x->r->fault[RR_FAULT_OK]++;
    x->r->fit++;
    spare(x, &c);
    rr_step_time(x->s->arch, x->s->machine, x->s->coefs, &c.layout, false, &step);
    c.step_s = step.total_s;
    keep(&x->pool, &c);
}

/* ---- all of them ---- */

#define EACH(i, axis) for (int32_t i = 0; i < (axis).n; i++)

static void try_flags(struct run *x, struct rr_layout l)
{
    const struct rr_search *s = x->s;
    EACH(q, s->sequence_parallel)
    {
        const int32_t sp = s->sequence_parallel.at[q];
        l.sequence_parallel = sp == RR_AXIS_WHERE ? l.tp > 1 : sp != 0;
        EACH(t, s->tp_overlap)
        {
            l.tp_overlap = s->tp_overlap.at[t] != 0;
            EACH(d, s->dp_overlap)
            {
                l.dp_overlap = s->dp_overlap.at[d] != 0;
                try_layout(x, &l);
            }
        }
    }
}

/* What is wrong with a layout whatever its inner sizes, of which there are `inner`, would be: all of them are counted at once. */
static bool hopeless(struct run *x, const struct rr_layout *probe, int64_t inner)
{
    const enum rr_layout_fault fault = rr_layout_check(x->s->arch, x->s->machine, probe);
    if (fault == RR_FAULT_OK) return false;
    reject(x, probe, fault);
    x->r->fault[fault] += inner - 1;
    x->r->tried += inner;
    return true;
}

/* The ends take layer slots where all layers do not divide, unless somebody says otherwise. */
static int32_t ends_of(const struct rr_search *s, const struct rr_layout *l)
{
    return s->ends_given || s->arch->layers % ((int64_t)l->pp * l->vpp) ? s->base.ends : 0;
}

/* A probe has the inner sizes that are always legal, and a batch that they divide. */
static struct rr_layout probe_of(const struct rr_layout *l, int32_t batch)
{
    struct rr_layout p = *l;
    p.micro_batch = 1, p.zero = 0, p.sequence_parallel = false;
    p.global_batch = batch;
    return p;
}

static void try_micro_batches(struct run *x, struct rr_layout l)
{
    const struct rr_search *s = x->s;
    const int64_t inner = (int64_t)s->zero.n * s->recompute.n * s->sequence_parallel.n * s->tp_overlap.n * s->dp_overlap.n;
    EACH(m, s->micro_batch)
    {
        l.micro_batch = s->micro_batch.at[m];
        struct rr_layout probe = l;
        probe.zero = 0, probe.sequence_parallel = false;
        if (hopeless(x, &probe, inner)) continue;
        EACH(z, s->zero)
        {
            l.zero = s->zero.at[z];
            EACH(r, s->recompute)
            {
                l.recompute = (enum rr_recompute)s->recompute.at[r];
                try_flags(x, l);
            }
        }
    }
}

static void try_world(struct run *x, struct rr_layout l)
{
    const struct rr_search *s = x->s;
    const int64_t flags = (int64_t)s->sequence_parallel.n * s->tp_overlap.n * s->dp_overlap.n;
    const int64_t of_chunk = (int64_t)s->micro_batch.n * s->zero.n * s->recompute.n * flags, of_ep = of_chunk * s->vpp.n;
    EACH(p, s->precision)
    {
        l.precision = (enum rr_precision)s->precision.at[p];
        EACH(e, s->ep)
        {
            l.ep = s->ep.at[e];
            l.vpp = 1, l.ends = ends_of(s, &l);
            struct rr_layout probe = probe_of(&l, l.dp);
            if (hopeless(x, &probe, of_ep)) continue;
            EACH(v, s->vpp)
            {
                l.vpp = s->vpp.at[v], l.ends = ends_of(s, &l);
                probe = probe_of(&l, l.dp * l.pp); // whole groups of stages
                if (!hopeless(x, &probe, of_chunk)) try_micro_batches(x, l);
            }
        }
    }
}

/* ---- the ones that are told ---- */

static void play(const struct run *x, struct pool *ret)
{
    for (int32_t i = 0; i < x->pool.n; i++) {
        struct rr_candidate c = x->pool.at[i];
        struct rr_step step;
        rr_step_time(x->s->arch, x->s->machine, x->s->coefs, &c.layout, true, &step);
        c.step_s = step.total_s;
        keep(ret, &c);
    }
}

/* Another recompute or another flag that is neither faster nor smaller is no choice. */
static bool no_better(const struct rr_candidate *slower, const struct rr_candidate *c)
{
    const struct rr_layout *a = &slower->layout, *b = &c->layout;
    return same_world(a, b) && a->vpp == b->vpp && a->zero == b->zero && a->micro_batch == b->micro_batch &&
           slower->memory_bytes >= c->memory_bytes * (1 - 1e-9);
}

static void drop_worse(struct pool *p)
{
    for (int32_t i = 1; i < p->n;) {
        bool worse = false;
        for (int32_t k = 0; k < i && !worse; k++) worse = no_better(&p->at[i], &p->at[k]);
        if (worse)
            take_out(p, i);
        else
            i++;
    }
}

/* The fastest of each world before further ones of the same; fastest first again. */
static void choose(const struct pool *p, struct rr_search_result *r)
{
    bool taken[POOL] = {false};
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < p->n && n < RR_SEARCH_KEEP; i++) {
            bool seen = taken[i];
            for (int32_t k = 0; k < i && !seen && pass == 0; k++) seen = same_world(&p->at[i].layout, &p->at[k].layout);
            if (!seen) taken[i] = true, n++;
        }
    for (int32_t i = 0; i < p->n; i++)
        if (taken[i]) r->best[r->n++] = p->at[i];
}

void rr_search_run(const struct rr_search *s, struct rr_search_result *ret)
{
    struct run x = {.s = s, .r = ret, .usable_bytes = s->usable_bytes > 0 ? s->usable_bytes : rr_memory_usable_bytes(s->machine)};
    memset(ret, 0, sizeof *ret);
    EACH(t, s->tp)
    {
        EACH(c, s->cp)
        {
            EACH(p, s->pp)
            {
                struct rr_layout l = s->base;
                const int64_t model = (int64_t)s->tp.at[t] * s->cp.at[c] * s->pp.at[p];
                if (l.gpus % model || (s->dp > 0 && l.gpus / model != s->dp)) continue;
                l.tp = s->tp.at[t], l.cp = s->cp.at[c], l.pp = s->pp.at[p], l.dp = (int32_t)(l.gpus / model);
                try_world(&x, l);
            }
        }
    }
    struct pool played = {.n = 0};
    play(&x, &played);
    drop_worse(&played);
    choose(&played, ret);
}

void rr_search_say_world(struct rr_buf *b, const struct rr_search *s)
{
    const int32_t gpus = s->base.gpus, dp = s->dp;
    if (dp > 0 && gpus % dp)
        rr_buf_putf(b, "layout: dp %d does not divide %d GPUs", dp, gpus);
    else if (dp > 0 && s->tp.n == 1 && s->pp.n == 1 && s->cp.n == 1)
        rr_buf_putf(b, "layout: tp %d x pp %d x cp %d x dp %d are %lld GPUs, not %d", s->tp.at[0], s->pp.at[0], s->cp.at[0], dp,
                    (long long)s->tp.at[0] * s->pp.at[0] * s->cp.at[0] * dp, gpus);
    else if (dp > 0)
        rr_buf_putf(b, "layout: dp %d leaves %d of %d GPUs, which no tp x pp x cp that is possible makes", dp, gpus / dp, gpus);
    else
        rr_buf_putf(b, "layout: tp %d x pp %d x cp %d does not divide %d GPUs", s->tp.at[0], s->pp.at[0], s->cp.at[0], gpus);
}

void rr_search_say(struct rr_buf *b, const struct rr_search *s, const struct rr_search_result *r, enum rr_layout_fault fault)
{
    const struct rr_candidate *c = &r->like[fault];
    if (fault == RR_FAULT_MEMORY) {
        const double usable = s->usable_bytes > 0 ? s->usable_bytes : rr_memory_usable_bytes(s->machine);
        const int digits = c->memory_bytes - usable < 0.1e9 ? 3 : 1; // 84.6 of 84.6 GB would be no reason
        rr_buf_putf(b, "does not fit: %.*f of %.*f GB with ", digits, c->memory_bytes / 1e9, digits, usable / 1e9);
        rr_layout_text(b, &c->layout);
        return;
    }
    rr_layout_say(b, s->arch, s->machine, &c->layout, fault);
}

/* ---- levers ---- */

/* Step of kept layout i with coefficient `at` moved to v. */
static double step_with(const struct rr_search *s, const struct rr_candidate *c, int at, double v)
{
    struct rr_coefs moved = *s->coefs;
    struct rr_step step;
    const struct rr_coef_info *info = &rr_coef_info[at];
    moved.v[at] = v < info->least ? info->least : v > info->most ? info->most : v;
    rr_step_time(s->arch, s->machine, &moved, &c->layout, false, &step);
    return step.total_s;
}

static bool overtaken(const struct rr_search *s, const struct rr_search_result *r, int at, double v)
{
    const double best = step_with(s, &r->best[0], at, v);
    for (int32_t i = 1; i < r->n; i++)
        if (step_with(s, &r->best[i], at, v) < best * (1 - 1e-9)) return true;
    return false;
}

static double reach(const struct rr_lever *x) { return x->slower - x->faster; }

size_t rr_search_levers(const struct rr_search *s, const struct rr_search_result *r, double spread, struct rr_lever *ret, size_t n)
{
    size_t found = 0;
    if (r->n == 0) return 0;
    for (int i = 0; i < RR_COEF_N; i++) {
        const double v = s->coefs->v[i], now = step_with(s, &r->best[0], i, v);
        const double low = step_with(s, &r->best[0], i, v * (1 - spread)) / now,
                     high = step_with(s, &r->best[0], i, v * (1 + spread)) / now;
        struct rr_lever x = {.coef = (enum rr_coef)i, .slower = fmax(1, fmax(low, high)), .faster = fmin(1, fmin(low, high))};
        if (reach(&x) <= 1e-6) continue;
        x.changes_best = overtaken(s, r, i, v * (1 - spread)) || overtaken(s, r, i, v * (1 + spread));
        size_t at = found < n ? found : n;
        for (; at > 0 && reach(&ret[at - 1]) < reach(&x); at--)
            if (at < n) ret[at] = ret[at - 1];
        if (at < n) ret[at] = x;
        if (found < n) found++;
    }
    return found;
}
