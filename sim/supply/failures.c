/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/failures.c - nodes fail and are repaired ("failures" of the scenario, data/failures.h).
 *
 * failure -> (detect: the jobs hang, their GPUs are lost) -> jobs wait again, the node is down -> (repair) -> back, its processes anew. A node draws from a
 * stream of its own, (seed, replication, RR_RNG_FAILURE, pool << 32 | node), a domain from one with its kind + 1 above the pool: what one meets does not
 * depend on the others, nor on what runs. For the interval rules a node's rate is the sum over its processes; a domain counts by the node's share of it,
 * since a gang that spans it meets each failure once. A row of a trace about a node that is not held, or out of service, changes nothing. */
#include "sim/supply/failures.h"
#include <assert.h>

#define SELF (&rr_supply_failures)

struct rr_node_life *rr_fail_life(struct rr_fail_state *f, size_t pool, uint32_t node)
{
    struct rr_fail_pool *p = &f->pool[pool];
    while (p->node.n <= node) rr_vec_push(&p->node, (struct rr_node_life){0});
    return &p->node.at[node];
}

static int64_t whole_us(double us) { return us <= 0 ? 0 : us >= 9e18 ? RR_NEVER : (int64_t)(us + 0.5); }
static int64_t draw_us(const struct rr_dist *d, struct rr_rng *r) { return whole_us(rr_dist_draw(d, r)); }

static int64_t draw_repair(const struct rr_failures *h, struct rr_rng *r)
{
    const bool long_one = h->repair.share > 0 && rr_rng_uniform(r) < h->repair.share;
    return draw_us(long_one ? &h->repair.days_us : &h->repair.minutes_us, r);
}

static uint8_t draw_cause(const struct rr_failures *h, struct rr_rng *r)
{
    const double u = rr_rng_uniform(r);
    uint8_t c = 0;
    while (c + 1 < RR_CAUSES && u >= h->causes_upto[c]) c++;
    return c;
}

static bool at_work(const struct rr_node_life *n) { return (n->out & (RR_OUT_FAILED | RR_OUT_SPARE)) == 0; }

// --- a node's own processes ---

// The first of the processes, by cause; RR_NEVER when there is none.
static int64_t next_failure(const struct rr_failures *h, struct rr_node_life *n, int32_t gpus)
{
    int64_t least = RR_NEVER;
    const int64_t at[] = {
        [RR_CAUSE_NODE] = h->has_node       ? draw_us(&h->node_us, &n->rng)
                          : h->node_mtbf_us ? whole_us((double)h->node_mtbf_us * rr_rng_exponential(&n->rng))
                                            : RR_NEVER,
        [RR_CAUSE_GPU] = h->gpu_mtbf_us && gpus ? whole_us((double)h->gpu_mtbf_us / gpus * rr_rng_exponential(&n->rng)) : RR_NEVER,
        [RR_CAUSE_NETWORK] = h->network_mtbf_us ? whole_us((double)h->network_mtbf_us * rr_rng_exponential(&n->rng)) : RR_NEVER};
    for (size_t c = 0; c < sizeof at / sizeof *at; c++) {
        if (at[c] >= least) continue;
        least = at[c];
        n->cause = (uint8_t)c;
    }
    if (h->has_causes && least != RR_NEVER) n->cause = draw_cause(h, &n->rng);
    return least;
}

void rr_fail_renew(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    if (!f->pool[pool].fails) return;
    struct rr_node_life *n = rr_fail_life(f, pool, node);
    const uint64_t seed = (uint64_t)s->world->scenario->seed;
    if (!n->keyed) rr_rng_init(&n->rng, seed, s->world->replication, RR_RNG_FAILURE, (uint64_t)pool << 32 | node);
    n->keyed = true;
    rr_supply_cancel(s, &n->next);
    const int64_t after = next_failure(f->how, n, rr_node_kind_of(&s->pool[pool], node)->gpus);
    n->next = rr_supply_at(s, SELF, rr_add_us(s->now_us, after), RR_EV_FAILURE, rr_fail_data(RR_FAIL_NODE, 0, pool, node));
}

// --- a failure, its detection, its repair ---

static void take_spare(struct rr_fail_state *f, struct rr_sim *s, size_t pool)
{
    struct rr_fail_pool *p = &f->pool[pool];
    if (!p->has_spares) return;
    for (uint32_t k = 0; k < p->node.n; k++) {
        if (p->node.at[k].out != RR_OUT_SPARE) continue;
        p->node.at[k].out = 0;
        rr_fail_restore(f, s, pool, k);
        return;
    }
    p->missing++;
}

void rr_fail_restore(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    if (rr_fail_life(f, pool, node)->out != 0 || !rr_sim_node_is_held(s, pool, node)) return;
    if (rr_sim_node_is_closed(s, pool, node)) rr_sim_node_back(s, pool, node);
    rr_fail_renew(f, s, pool, node);
}

static void repaired(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_fail_pool *p = &f->pool[pool];
    struct rr_node_life *n = &p->node.at[node];
    n->next = (struct rr_supply_event){0};
    n->out &= (uint8_t)~RR_OUT_FAILED;
    if (p->has_spares && !(n->out & RR_OUT_SPARE)) {
        if (p->missing > 0)
            p->missing--;
        else
            n->out |= RR_OUT_SPARE; // another has its place
    }
    rr_fail_restore(f, s, pool, node);
}

static void detected(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_node_life *n = &f->pool[pool].node.at[node];
    rr_sim_node_lost(s, pool, node, rr_cause_reason(n->cause), 0, RR_FATE_DOWN);
    if (!(n->out & RR_OUT_SPARE)) take_spare(f, s, pool);
    if (n->repair_us == 0) { // within this very instant
        repaired(f, s, pool, node);
        return;
    }
    n->next = rr_supply_at(s, SELF, rr_add_us(s->now_us, n->repair_us), RR_EV_READY, rr_fail_data(RR_FAIL_REPAIRED, 0, pool, node));
}

static void fail(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node, enum rr_fail_cause cause, int64_t detect_us,
                 int64_t repair_us)
{
    struct rr_node_life *n = rr_fail_life(f, pool, node);
    rr_supply_cancel(s, &n->next);
    n->out |= RR_OUT_FAILED;
    n->cause = (uint8_t)cause;
    n->repair_us = cause == RR_CAUSE_SOFTWARE ? 0 : repair_us;
    if (detect_us == 0 || rr_sim_node_boots(s, pool, node)) {
        detected(f, s, pool, node);
        return;
    }
    rr_sim_node_hang(s, pool, node);
    n->next = rr_supply_at(s, SELF, rr_add_us(s->now_us, detect_us), RR_EV_FAILURE, rr_fail_data(RR_FAIL_DETECTED, 0, pool, node));
}

static void fail_itself(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_node_life *n = &f->pool[pool].node.at[node];
    n->next = (struct rr_supply_event){0};
    const int64_t detect = draw_us(&f->how->detect_us, &n->rng), repair = draw_repair(f->how, &n->rng);
    fail(f, s, pool, node, n->cause, detect, repair);
}

// --- domains ---

static const enum rr_fail_cause domain_cause[RR_DOMAINS] = {RR_CAUSE_NETWORK, RR_CAUSE_NODE, RR_CAUSE_POWER};

static void next_of_domain(struct rr_fail_state *f, struct rr_sim *s, size_t kind, size_t pool, uint32_t d)
{
    struct rr_rng *rng = &f->pool[pool].domain[kind].at[d];
    const int64_t after = whole_us((double)f->how->domain[kind].mtbf_us * rr_rng_exponential(rng));
    rr_supply_at(s, SELF, rr_add_us(s->now_us, after), RR_EV_FAILURE, rr_fail_data(RR_FAIL_DOMAIN, kind, pool, d));
}

// The domains of a node's number exist from its first lease on.
static void cover_domains(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    for (size_t k = 0; k < RR_DOMAINS; k++) {
        const struct rr_fail_domain *how = &f->how->domain[k];
        struct rr_fail_pool *p = &f->pool[pool];
        while (how->mtbf_us && (int64_t)p->domain[k].n <= node / how->nodes) {
            const uint32_t d = (uint32_t)p->domain[k].n;
            struct rr_rng rng;
            rr_rng_init(&rng, (uint64_t)s->world->scenario->seed, s->world->replication, RR_RNG_FAILURE,
                        (uint64_t)(k + 1) << 44 | (uint64_t)pool << 32 | d);
            rr_vec_push(&p->domain[k], rng);
            next_of_domain(f, s, k, pool, d);
        }
    }
}

static void domain_fails(struct rr_fail_state *f, struct rr_sim *s, size_t kind, size_t pool, uint32_t d)
{
    const struct rr_fail_domain *how = &f->how->domain[kind];
    struct rr_rng *rng = &f->pool[pool].domain[kind].at[d];
    const int64_t detect = draw_us(&f->how->detect_us, rng);
    const int64_t repair = how->has_repair ? draw_us(&how->repair_us, rng) : draw_repair(f->how, rng);
    const int64_t first = (int64_t)d * how->nodes;
    for (int64_t k = first; k < first + how->nodes && k < s->pool[pool].n_nodes; k++) {
        const uint32_t node = (uint32_t)k;
        if (rr_sim_node_is_held(s, pool, node) && !(rr_fail_life(f, pool, node)->out & RR_OUT_FAILED))
            fail(f, s, pool, node, domain_cause[kind], detect, repair);
    }
    next_of_domain(f, s, kind, pool, d);
}

// --- a trace ---

static void next_of_trace(const struct rr_fail_state *f, struct rr_sim *s, uint32_t i)
{
    if (i < f->how->n_events) rr_supply_at(s, SELF, f->how->event[i].at_us, RR_EV_FAILURE, rr_fail_data(RR_FAIL_TRACE, 0, 0, i));
}

static void trace_fails(struct rr_fail_state *f, struct rr_sim *s, uint32_t i)
{
    const struct rr_fail_event *e = &f->how->event[i];
    next_of_trace(f, s, i + 1);
    if (!rr_sim_node_is_held(s, e->pool, e->node)) return;
    struct rr_node_life *n = rr_fail_life(f, e->pool, e->node);
    if (!at_work(n)) return;
    if (!n->keyed)
        rr_rng_init(&n->rng, (uint64_t)s->world->scenario->seed, s->world->replication, RR_RNG_FAILURE, (uint64_t)e->pool << 32 | e->node);
    n->keyed = true;
    int64_t detect = draw_us(&f->how->detect_us, &n->rng);
    if (detect > e->duration_us) detect = e->duration_us; // the row says when it is back
    fail(f, s, e->pool, e->node, (enum rr_fail_cause)e->cause, detect, e->duration_us - detect);
}

// --- rates, for the interval rules ---

static double mean_gpus(const struct rr_sim *s, size_t pool)
{
    const struct rr_pool *p = &s->world->scenario->pool[pool];
    double sum = 0;
    for (size_t i = 0; i < p->n_shapes; i++) sum += p->shape[i].gpus;
    return p->n_shapes ? sum / (double)p->n_shapes : 0;
}

static double rate_of(const struct rr_fail_state *f, const struct rr_sim *s, size_t pool)
{
    const struct rr_failures *h = f->how;
    double rate = h->has_node ? 1 / rr_dist_mean(&h->node_us) : h->node_mtbf_us ? 1 / (double)h->node_mtbf_us : 0;
    if (h->gpu_mtbf_us) rate += mean_gpus(s, pool) / (double)h->gpu_mtbf_us;
    if (h->network_mtbf_us) rate += 1 / (double)h->network_mtbf_us;
    for (size_t k = 0; k < RR_DOMAINS; k++)
        if (h->domain[k].mtbf_us) rate += 1 / ((double)h->domain[k].mtbf_us * (double)h->domain[k].nodes);
    size_t rows = 0;
    for (size_t i = 0; i < h->n_events; i++) rows += h->event[i].pool == pool;
    const double nodes = (double)s->world->scenario->pool[pool].nodes_max;
    if (rows) rate += (double)rows / (nodes * (double)h->event[h->n_events - 1].at_us);
    return f->pool[pool].fails ? rate : 0;
}

// --- the supplier ---

static bool wanted(const struct rr_world *w) { return w->scenario->failures != NULL; }

static void held(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_fail_state *f = state;
    if (f->how && f->pool[pool].fails) cover_domains(f, s, pool, node); // not before init
}

static void ready(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_fail_state *f = state;
    if (rr_fail_life(f, pool, node)->out == 0) rr_fail_renew(f, s, pool, node);
}

static void released(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_node_life *n = rr_fail_life(state, pool, node);
    rr_supply_cancel(s, &n->next);
    n->out = 0;
}

static void put_aside(struct rr_fail_state *f, struct rr_sim *s, size_t pool)
{
    const struct rr_pool *from = &s->world->scenario->pool[pool];
    struct rr_fail_pool *p = &f->pool[pool];
    p->has_spares = p->fails && f->how->spares > 0 && from->nodes_min == from->nodes_max;
    if (!p->has_spares) return;
    for (int64_t k = from->nodes_min - f->how->spares; k < from->nodes_min; k++) {
        rr_fail_life(f, pool, (uint32_t)k)->out = RR_OUT_SPARE;
        rr_sim_node_drain(s, pool, (uint32_t)k);
    }
}

static enum rr_status init(void *state, struct rr_sim *s)
{
    struct rr_fail_state *f = state;
    f->how = s->world->scenario->failures;
    f->n_pools = s->n_pools;
    f->pool = memset(rr_xrealloc(NULL, s->n_pools, sizeof *f->pool), 0, s->n_pools * sizeof *f->pool);
    for (size_t i = 0; i < s->n_pools; i++) {
        f->pool[i].fails = !f->how->pool || f->how->pool[i];
        const double rate = rate_of(f, s, i);
        if (rate > 0) s->node_mtbf_us[i] = 1 / rate;
        s->has_memory[i] = (f->how->has_node && f->how->node_us.kind != RR_DIST_EXPONENTIAL) || f->how->n_events > 0;
        put_aside(f, s, i);
        for (uint32_t k = 0; k < s->pool[i].n_nodes; k++) {
            if (!rr_sim_node_is_held(s, i, k)) continue;
            if (f->pool[i].fails) cover_domains(f, s, i, k);
            if (rr_fail_life(f, i, k)->out == 0) rr_fail_renew(f, s, i, k);
        }
    }
    next_of_trace(f, s, 0);
    rr_maint_init(f, s);
    return RR_OK;
}

static void done(void *state)
{
    struct rr_fail_state *f = state;
    for (size_t i = 0; i < f->n_pools; i++) {
        rr_vec_done(&f->pool[i].node);
        for (size_t k = 0; k < RR_DOMAINS; k++) rr_vec_done(&f->pool[i].domain[k]);
    }
    free(f->pool);
}

static void event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    struct rr_fail_state *f = state;
    const size_t which = data >> 44 & 0xffff, pool = data >> 32 & 0xfff;
    const uint32_t node = (uint32_t)data;
    (void)kind;
    switch ((enum rr_fail_event_kind)(data >> 60)) {
    case RR_FAIL_NODE: fail_itself(f, s, pool, node); break;
    case RR_FAIL_DETECTED: detected(f, s, pool, node); break;
    case RR_FAIL_REPAIRED: repaired(f, s, pool, node); break;
    case RR_FAIL_DOMAIN: domain_fails(f, s, which, pool, node); break;
    case RR_FAIL_TRACE: trace_fails(f, s, node); break;
    default: rr_maint_event(f, s, (enum rr_fail_event_kind)(data >> 60), which, pool, node);
    }
}

const struct rr_supply rr_supply_failures = {.name = "failures",
                                             .wanted = wanted,
                                             .state_size = sizeof(struct rr_fail_state),
                                             .init = init,
                                             .event = event,
                                             .done = done,
                                             .held = held,
                                             .ready = ready,
                                             .released = released};
