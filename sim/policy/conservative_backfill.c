/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/conservative_backfill.c - every waiting job, down to a depth, has a reservation, and none may be delayed by a later one.
 *
 * In order of arrival (or shortest first) each job is planned at the earliest time at which what runs and what is planned before it, each for as long as
 * its estimate says, leave room; it starts when that is now. Jobs beyond `depth` are not looked at (Slurm's bf_max_job_test). When a job
 * ends before or after its estimate, or room comes and goes in another way, all is planned anew, in the same order: a promise may become earlier,
 * and later only when a job outruns its estimate. Sources: Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.
 *
 * The plan is a flat skyline per pool: GPUs free and nodes wholly free from each moment on. It is exact where jobs take whole nodes, one-GPU nodes
 * among them. Where several jobs share a node it counts GPUs over all nodes, not on one; CPUs and memory are not in it: a job whose time has come and
 * that finds no node with room waits for the next end, and so may slip behind its promise.
 *
 * A replan costs O(depth x length of the skyline), the definition forces it; an arrival one search; an end on time nothing but the starts that
 * were planned for it. */
#include "sim/policy/queue.h"
#include <assert.h>

struct params {
    uint64_t given;
    int64_t depth;
};
static const struct rr_param params[] = {
    {.name = "depth",
     .type = RR_P_INT,
     .offset = offsetof(struct params, depth),
     .unit = "jobs",
     .def = "500",
     .least = 1,
     .most = 1e6,
     .help = "waiting jobs that hold a reservation; those behind are not looked at",
     .source = "Slurm, bf_max_job_test",
     .flags = RR_PF_DECIDES},
};

struct step { // from at_us on, until the next step
    int64_t at_us, milli, nodes;
};
struct planned {
    struct rr_queued job;
    int64_t at_us; // its reservation; RR_NEVER: none can be given
};
struct conservative {
    size_t depth, n_pools;
    bool shortest;
    RR_VEC(struct planned) plan;    // in order, at most `depth`
    struct rr_queue behind;         // the others
    RR_VEC(struct rr_queued) fresh; // submitted since the last pass
    struct skyline {
        RR_VEC(struct step) step;
    } * skyline;           // [n_pools]
    RR_VEC(uint32_t) left; // scratch: jobs left on a node
    int64_t *end_us;       // [trace->n] of running jobs, by estimate
    uint64_t freed;        // sim->freed that the ends explain
    bool anew;
};

// --- the skyline ---

static struct step wants(const struct rr_sim *s, uint32_t ask, size_t pool)
{
    const struct rr_need *n = rr_need_of(&s->asks, ask, pool);
    const int32_t most = s->pool[pool].max_gpus;
    if (n->nodes > 1) return (struct step){.milli = INT64_C(1000) * n->nodes * most, .nodes = n->nodes};
    return (struct step){.milli = n->milli, .nodes = n->whole > 0 && n->whole == most};
}

static void add_step(struct skyline *k, int64_t at_us, int64_t milli, int64_t nodes)
{
    struct step *last = &k->step.at[k->step.n - 1];
    if (last->at_us == at_us) {
        last->milli += milli;
        last->nodes += nodes;
        return;
    }
    const struct step next = {at_us, last->milli + milli, last->nodes + nodes};
    rr_vec_push(&k->step, next);
}

static int64_t empty_nodes(const struct rr_fleet_pool *p)
{
    int64_t n = 0;
    for (size_t i = 0; i < p->order.n; i++)
        if (p->group.at[p->order.at[i]].empty_nodes) n += p->group.at[p->order.at[i]].set.count;
    return n;
}

// What runs, as long as it is expected to; one that is past that: until now.
static void build(struct conservative *c, struct rr_sim *s, size_t pool)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    struct skyline *k = &c->skyline[pool];
    k->step.n = 0;
    const struct step now = {s->now_us, p->free_milli, empty_nodes(p)};
    rr_vec_push(&k->step, now);
    rr_vec_reserve(&c->left, p->n_nodes);
    for (uint32_t n = 0; n < p->n_nodes; n++) c->left.at[n] = p->node[n].jobs;
    const struct rr_expected *e = &s->expected[pool];
    for (size_t b = 0; b < e->block.n; b++) {
        const struct rr_due_block *block = e->block.at[b];
        for (uint32_t i = block->first; i < block->first + block->n; i++) {
            const struct rr_slot *r = &s->slot.at[block->due[i].run];
            const int64_t at_us = block->due[i].at_us > s->now_us ? block->due[i].at_us : s->now_us;
            if (block->due[i].at_us == RR_NEVER) return;
            if (r->live == RR_LIVE_BOOT) {
                add_step(k, at_us, rr_room_empty(p, 0).free_milli, 1);
                continue;
            }
            const struct rr_need *n = rr_need_of(&s->asks, r->ask, pool);
            if (p->node[r->node].group == RR_NO_GROUP) continue; // closed: nobody gets its room
            const bool gone = n->nodes > 1 || --c->left.at[r->node] == 0;
            add_step(k, at_us, n->nodes > 1 ? wants(s, r->ask, pool).milli : n->milli, gone ? n->nodes : 0);
        }
    }
}

// The earliest time, from from_us on, at which `want` fits for `us`; RR_NEVER: never.
static int64_t earliest(const struct skyline *k, struct step want, int64_t us, int64_t from_us)
{
    size_t i = 0;
    while (i + 1 < k->step.n && k->step.at[i + 1].at_us <= from_us) i++;
    int64_t at_us = k->step.at[i].at_us > from_us ? k->step.at[i].at_us : from_us;
    for (; i < k->step.n; i++) {
        if (k->step.at[i].at_us >= rr_add_us(at_us, us)) break;
        if (k->step.at[i].milli >= want.milli && k->step.at[i].nodes >= want.nodes) continue;
        if (i + 1 == k->step.n) return RR_NEVER;
        at_us = k->step.at[i + 1].at_us;
    }
    return at_us;
}

// A step begins at at_us: its index.
static size_t cut(struct skyline *k, int64_t at_us)
{
    size_t i = k->step.n;
    while (i > 0 && k->step.at[i - 1].at_us > at_us) i--;
    assert(i > 0);
    if (k->step.at[i - 1].at_us == at_us) return i - 1;
    rr_vec_reserve(&k->step, k->step.n + 1);
    memmove(k->step.at + i + 1, k->step.at + i, (k->step.n - i) * sizeof *k->step.at);
    k->step.n++;
    k->step.at[i] = k->step.at[i - 1];
    k->step.at[i].at_us = at_us;
    return i;
}

static void reserve(struct skyline *k, struct step want, int64_t at_us, int64_t us)
{
    const int64_t end_us = rr_add_us(at_us, us);
    size_t i = cut(k, at_us);
    const size_t end = end_us == RR_NEVER ? k->step.n + 1 : cut(k, end_us);
    for (; i < end && i < k->step.n; i++) {
        k->step.at[i].milli -= want.milli;
        k->step.at[i].nodes -= want.nodes;
    }
}

// --- planning ---

// When the job can start, in the pool where that is first.
static int64_t plan_now(struct conservative *c, struct rr_sim *s, struct rr_queued x, size_t *pool)
{
    int64_t best = RR_NEVER;
    for (size_t i = 0; i < c->n_pools; i++) {
        if (rr_need_of(&s->asks, x.ask, i)->nodes == 0) continue;
        const int64_t at_us = earliest(&c->skyline[i], wants(s, x.ask, i), x.estimate_us, s->now_us);
        if (at_us >= best) continue;
        best = at_us;
        *pool = i;
    }
    return best;
}

static bool start(struct conservative *c, struct rr_sim *s, struct rr_queued x, bool in_skyline)
{
    if (!rr_sim_start(s, x.job, x.ask)) return false;
    c->end_us[x.job] = rr_add_us(s->now_us, x.estimate_us);
    const size_t pool = s->outcome[x.job].pool;
    if (!in_skyline) reserve(&c->skyline[pool], wants(s, x.ask, pool), s->now_us, x.estimate_us);
    return true;
}

// True when it has started; else it has a reservation if there can be one.
static bool plan_one(struct conservative *c, struct rr_sim *s, struct planned *x)
{
    size_t pool = 0;
    x->at_us = plan_now(c, s, x->job, &pool);
    if (x->at_us == s->now_us && start(c, s, x->job, false)) return true; // else it waits for what should have ended by now
    if (x->at_us != RR_NEVER) reserve(&c->skyline[pool], wants(s, x->job.ask, pool), x->at_us, x->job.estimate_us);
    return false;
}

static bool refill(struct conservative *c, struct rr_sim *s, struct planned *ret)
{
    if (!rr_queue_head(&c->behind, s, &ret->job)) return false;
    rr_queue_drop_head(&c->behind);
    return true;
}

static void plan_all(struct conservative *c, struct rr_sim *s)
{
    for (size_t i = 0; i < c->n_pools; i++) build(c, s, i);
    size_t kept = 0;
    for (size_t i = 0; i < c->plan.n; i++) {
        struct planned x = c->plan.at[i];
        if (!plan_one(c, s, &x)) c->plan.at[kept++] = x;
    }
    c->plan.n = kept;
    struct planned x;
    while (c->plan.n < c->depth && refill(c, s, &x))
        if (!plan_one(c, s, &x)) rr_vec_push(&c->plan, x);
    c->anew = false;
}

// All ended as expected: those go whose time has come. False: one found no room, and the plan is void.
static bool start_planned(struct conservative *c, struct rr_sim *s)
{
    size_t kept = 0;
    bool good = true;
    for (size_t i = 0; i < c->plan.n; i++) {
        const struct planned x = c->plan.at[i];
        const bool now = good && x.at_us <= s->now_us;
        if (now && start(c, s, x.job, true)) continue;
        good &= !now;
        c->plan.at[kept++] = x;
    }
    c->plan.n = kept;
    return good && (kept >= c->depth || c->behind.all.n == c->behind.head);
}

static void enter(struct conservative *c, struct rr_sim *s, struct rr_queued x)
{
    size_t i = c->plan.n;
    while (i > 0 && rr_queued_before(c->shortest, x, c->plan.at[i - 1].job)) i--;
    if (i == c->depth || (i == c->plan.n && c->behind.all.n > c->behind.head)) {
        rr_queue_push(&c->behind, s, x);
        return;
    }
    struct planned p = {.job = x, .at_us = RR_NEVER};
    if (i == c->plan.n && !c->anew && plan_one(c, s, &p)) return;
    c->anew |= i < c->plan.n;
    rr_vec_reserve(&c->plan, c->plan.n + 1);
    memmove(c->plan.at + i + 1, c->plan.at + i, (c->plan.n - i) * sizeof *c->plan.at);
    c->plan.at[i] = p;
    if (++c->plan.n > c->depth) rr_queue_push(&c->behind, s, c->plan.at[--c->plan.n].job);
}

// --- hooks ---

static int64_t conservative_depth(const void *p) { return p ? ((const struct params *)p)->depth : 500; }

static void conservative_init(void *state, struct rr_sim *s)
{
    struct conservative *c = state;
    const struct params *p = s->how->policy_params;
    c->depth = (size_t)conservative_depth(p);
    c->shortest = s->how->order == 1;
    c->n_pools = s->n_pools;
    c->freed = s->freed;
    c->anew = true;
    rr_queue_init(&c->behind, c->shortest, RR_LINES_NONE);
    c->skyline = memset(rr_xrealloc(NULL, s->n_pools, sizeof *c->skyline), 0, s->n_pools * sizeof *c->skyline);
    c->end_us = rr_xrealloc(NULL, s->trace->n + 1, sizeof *c->end_us);
}

static void conservative_done(void *state)
{
    struct conservative *c = state;
    for (size_t i = 0; i < c->n_pools; i++) rr_vec_done(&c->skyline[i].step);
    free(c->skyline);
    free(c->end_us);
    rr_queue_done(&c->behind);
    rr_vec_done(&c->plan);
    rr_vec_done(&c->fresh);
    rr_vec_done(&c->left);
}

static void conservative_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct conservative *c = state;
    const int64_t us = rr_sim_estimate(s, job);
    const struct rr_queued x = {.estimate_us = us > 0 ? us : 1, .job = job, .ask = ask}; // no length takes a moment too
    rr_vec_push(&c->fresh, x);
}

static void conservative_ended(void *state, struct rr_sim *s, uint32_t job)
{
    struct conservative *c = state;
    c->freed++;
    c->anew |= s->now_us != c->end_us[job];
}

// A job that outran its estimate may end at any moment: what was planned behind it moves.
static bool any_overrun(const struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->expected[i].block.n && s->expected[i].block.at[0]->due[s->expected[i].block.at[0]->first].at_us < s->now_us) return true;
    return false;
}

// A new job goes before one that has a reservation, or before another that came with it.
static bool goes_before(const struct conservative *c)
{
    if (c->shortest && c->fresh.n > 1) return true;
    for (size_t i = 0; i < c->fresh.n && c->plan.n; i++)
        if (rr_queued_before(c->shortest, c->fresh.at[i], c->plan.at[c->plan.n - 1].job)) return true;
    return false;
}

// Steps of the past.
static void trim(struct skyline *k, int64_t now_us)
{
    size_t i = 0;
    while (i + 1 < k->step.n && k->step.at[i + 1].at_us <= now_us) i++;
    if (i < 64) return;
    k->step.n -= i;
    memmove(k->step.at, k->step.at + i, k->step.n * sizeof *k->step.at);
}

static void conservative_pass(void *state, struct rr_sim *s)
{
    struct conservative *c = state;
    c->anew |= c->freed != s->freed || any_overrun(s) || goes_before(c);
    for (size_t i = 0; i < c->n_pools; i++) trim(&c->skyline[i], s->now_us);
    c->freed = s->freed;
    if (!c->anew && !start_planned(c, s)) c->anew = true;
    for (size_t i = 0; i < c->fresh.n; i++) enter(c, s, c->fresh.at[i]);
    c->fresh.n = 0;
    rr_sim_grow(s);
    if (c->freed != s->freed || c->anew) plan_all(c, s);
    c->freed = s->freed;
}

const struct rr_policy rr_policy_conservative_backfill = {
    .kind = {.name = "conservative_backfill",
             .summary = "every waiting job has a reservation that no later one may delay",
             .params = params,
             .n_params = sizeof params / sizeof *params,
             .params_size = sizeof(struct params)},
    .expects = true,
    .depth = conservative_depth,
    .reads = RR_READS_ORDER | RR_READS_ESTIMATE,
    .state_size = sizeof(struct conservative),
    .init = conservative_init,
    .done = conservative_done,
    .submit = conservative_submit,
    .pass = conservative_pass,
    .ended = conservative_ended};
