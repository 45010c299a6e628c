/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/spot.c - spot markets: capacity that comes and goes, and prices above the limit.
 *
 * Two causes, told apart by the reason: RR_WHY_RECLAIMED, capacity is taken back; RR_WHY_PRICE, the price is above max_price (a price equal to
 * it keeps the machine). A node under notice is drained: no job starts there, and it is given back as soon as its last one has ended.
 *
 * A series of capacity says when nodes are gone: notice was given before. So the nodes that can be held without a warning at t are the least
 * of the series over [t, t + notice]; what is held above is warned at t and gone at t + notice. Price and hits come as they are: notice is
 * given then. Which nodes a reduction takes is drawn at random among those held, with numbers of their own for each reduction.
 *
 * Nodes below the pool's min are asked for again as soon as there is capacity. O(nodes of the pool) a reduction. */
#include "models/price/spot.h"
#include "sim/supply/supply.h"
#include <assert.h>
#include <string.h>

enum { AHEAD, ARRIVE, PRICE, DIE, HIT, BACK }; /* what an event is: its top 8 bits; then 16 of pool, 32 of node or count */
#define DATA(what, pool, low) ((uint64_t)(what) << 56 | (uint64_t)(pool) << 32 | (uint32_t)(low))

struct doomed { /* a node under notice; `since_us` RR_NEVER: it is not */
    int64_t since_us;
    uint8_t why;
    struct rr_supply_event death;
};
struct market {
    const struct rr_spot_terms *terms; /* NULL: no spot pool */
    struct rr_spot_prices prices;
    struct rr_spot_nodes nodes;
    struct rr_spot_hits hits;
    struct rr_spot_point next, next_price; /* the change that has not been announced; the price to come */
    RR_VEC(struct rr_spot_point) coming;   /* changes that were announced and have not come, from `first` on */
    size_t first;
    int64_t capacity; /* now */
    struct rr_spot_hit hit;
    int64_t withheld; /* of hits: nodes that cannot be had */
    bool dear;        /* the price is above the limit */
    RR_VEC(struct doomed) node;
    int64_t n_doomed;
    uint64_t n_cuts;
};
struct spot {
    struct market *market; /* [n_pools] */
    size_t n;
};

static bool spot_wanted(const struct rr_world *w)
{
    for (size_t i = 0; i < w->scenario->n_pools; i++)
        if (rr_spot_terms_of(&w->scenario->pool[i])) return true;
    return false;
}

// --- how many nodes may be held ---

static int64_t allowed(const struct market *m)
{
    if (m->dear) return 0;
    if (m->terms->availability == RR_NODES_HITS) return m->terms->pool_nodes > m->withheld ? m->terms->pool_nodes - m->withheld : 0;
    if (m->terms->availability == RR_NODES_ALWAYS) return RR_NEVER;
    int64_t least = m->capacity;
    for (size_t i = m->first; i < m->coming.n; i++)
        if (m->coming.at[i].value < least) least = m->coming.at[i].value;
    return least;
}

static void settle(struct market *m, struct rr_sim *s, size_t pool)
{
    const int64_t most = allowed(m);
    rr_sim_limit(s, pool, most > RR_NEVER - m->n_doomed ? RR_NEVER : most + m->n_doomed);
    while (s->books[pool].held - m->n_doomed < s->books[pool].min && s->books[pool].held - m->n_doomed < most)
        if (rr_sim_node_request(s, pool) == RR_NO_NODE) return;
}

// --- nodes under notice ---

static struct doomed *doomed_of(struct market *m, uint32_t node)
{
    while (m->node.n <= node) rr_vec_push(&m->node, (struct doomed){.since_us = RR_NEVER});
    return &m->node.at[node];
}

static void forget(struct market *m, struct rr_sim *s, struct doomed *d)
{
    if (d->since_us == RR_NEVER) return;
    rr_supply_cancel(s, &d->death);
    d->since_us = RR_NEVER;
    m->n_doomed--;
}

static void take(struct market *m, struct rr_sim *s, size_t pool, uint32_t node, enum rr_reason why, int64_t warned_us)
{
    forget(m, s, doomed_of(m, node));
    rr_sim_node_lost(s, pool, node, why, warned_us, RR_FATE_RELEASED);
}

static void doom(struct market *m, struct rr_sim *s, size_t pool, uint32_t node, enum rr_reason why, int64_t death_us)
{
    struct doomed *d = doomed_of(m, node);
    if (death_us <= s->now_us || rr_sim_node_drain(s, pool, node)) {
        take(m, s, pool, node, why, 0);
        return;
    }
    d->since_us = s->now_us;
    d->why = (uint8_t)why;
    d->death = rr_supply_at(s, &rr_supply_spot, death_us, RR_EV_FAILURE, DATA(DIE, pool, node));
    m->n_doomed++;
}

static bool is_live(struct market *m, const struct rr_sim *s, size_t pool, uint32_t node)
{
    return rr_sim_node_is_held(s, pool, node) && doomed_of(m, node)->since_us == RR_NEVER;
}

// All live nodes above `keep`, drawn at random.
static void cut(struct market *m, struct rr_sim *s, size_t pool, int64_t keep, enum rr_reason why, int64_t death_us)
{
    const int64_t live = s->books[pool].held - m->n_doomed;
    if (live <= keep) return;
    uint32_t *node = rr_xrealloc(NULL, (size_t)live, sizeof *node);
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->pool[pool].n_nodes; i++)
        if (is_live(m, s, pool, i)) node[n++] = i;
    assert(n == (uint64_t)live);
    struct rr_rng rng;
    rr_spot_pick_init(&rng, m->terms, (uint64_t)s->world->scenario->seed, s->world->replication, m->n_cuts++);
    for (int64_t k = live - keep; k > 0; k--) {
        const uint64_t i = rr_rng_below(&rng, n);
        const uint32_t taken = node[i];
        node[i] = node[--n];
        doom(m, s, pool, taken, why, death_us);
    }
    free(node);
}

// --- capacity as a series ---

static void announce_next(struct market *m, struct rr_sim *s, size_t pool)
{
    if (!rr_spot_nodes_next(&m->nodes, &m->next.at_us, &m->next.value)) return;
    const int64_t at = m->next.at_us - m->terms->notice_us;
    rr_supply_at(s, &rr_supply_spot, at > s->now_us ? at : s->now_us, RR_EV_FAILURE, DATA(AHEAD, pool, 0));
}

static void ahead(struct market *m, struct rr_sim *s, size_t pool)
{
    const struct rr_spot_point p = m->next;
    if (m->first == m->coming.n) m->first = m->coming.n = 0;
    if (p.at_us > s->now_us) {
        rr_vec_push(&m->coming, p);
        rr_supply_at(s, &rr_supply_spot, p.at_us, RR_EV_FAILURE, DATA(ARRIVE, pool, 0));
    } else {
        m->capacity = p.value;
    }
    if (!m->dear) cut(m, s, pool, allowed(m), RR_WHY_RECLAIMED, p.at_us);
    settle(m, s, pool);
    announce_next(m, s, pool);
}

static void arrive(struct market *m, struct rr_sim *s, size_t pool)
{
    m->capacity = m->coming.at[m->first++].value;
    settle(m, s, pool);
}

// --- prices ---

static void next_price(struct market *m, struct rr_sim *s, size_t pool)
{
    while (rr_spot_prices_next(&m->prices, &m->next_price.at_us, &m->next_price.value)) {
        if ((m->next_price.value > m->terms->max_nano) == m->dear) {
            if (m->next_price.at_us - s->now_us > RR_D) break; // not for ever: a model never ends
            continue;
        }
        break;
    }
    if (m->next_price.at_us > s->now_us) rr_supply_at(s, &rr_supply_spot, m->next_price.at_us, RR_EV_PRICE, DATA(PRICE, pool, 0));
}

static void price(struct market *m, struct rr_sim *s, size_t pool)
{
    m->dear = m->next_price.value > m->terms->max_nano;
    if (m->dear) cut(m, s, pool, 0, RR_WHY_PRICE, rr_add_us(s->now_us, m->terms->notice_us));
    settle(m, s, pool);
    next_price(m, s, pool);
}

// --- hits ---

static void next_hit(struct market *m, struct rr_sim *s, size_t pool)
{
    if (rr_spot_hits_next(&m->hits, &m->hit)) rr_supply_at(s, &rr_supply_spot, m->hit.at_us, RR_EV_FAILURE, DATA(HIT, pool, 0));
}

static void hit(struct market *m, struct rr_sim *s, size_t pool)
{
    const struct rr_spot_hit h = m->hit;
    const int64_t gone = rr_add_us(s->now_us, m->terms->notice_us);
    m->withheld += h.count;
    for (int64_t i = 0; i < h.count; i++) {
        const int64_t node = (h.first + i) % m->terms->pool_nodes;
        if (node < s->pool[pool].n_nodes && is_live(m, s, pool, (uint32_t)node)) doom(m, s, pool, (uint32_t)node, RR_WHY_RECLAIMED, gone);
    }
    rr_supply_at(s, &rr_supply_spot, rr_add_us(gone, h.back_us), RR_EV_READY, DATA(BACK, pool, h.count));
    settle(m, s, pool);
    next_hit(m, s, pool);
}

// --- hooks ---

static void begin(struct market *m, struct rr_sim *s, size_t pool)
{
    const uint64_t seed = (uint64_t)s->world->scenario->seed;
    const uint32_t replication = s->world->replication;
    m->capacity = RR_NEVER;
    if (m->terms->availability == RR_NODES_SERIES) {
        rr_spot_nodes_init(&m->nodes, m->terms);
        if (rr_spot_nodes_next(&m->nodes, &m->next.at_us, &m->next.value)) m->capacity = m->next.value; // at 0
        announce_next(m, s, pool);
    }
    if (m->terms->availability == RR_NODES_HITS) {
        rr_spot_hits_init(&m->hits, m->terms, seed, replication);
        next_hit(m, s, pool);
    }
    if (m->terms->max_nano != RR_NEVER) {
        rr_spot_prices_init(&m->prices, m->terms, seed, replication);
        if (rr_spot_prices_next(&m->prices, &m->next_price.at_us, &m->next_price.value)) m->dear = m->next_price.value > m->terms->max_nano;
        next_price(m, s, pool);
    }
    const int64_t most = allowed(m); // what the market does not give at the start was never held
    for (uint32_t node = s->pool[pool].n_nodes; node-- > 0 && s->books[pool].held > most;)
        if (rr_sim_node_is_held(s, pool, node)) rr_sim_node_release(s, pool, node);
    settle(m, s, pool);
}

/* Checkpoint intervals by Young, Daly and the like follow from how often a node is hit. Not when a notice saves the work: then what is lost to
 * a reclaim does not depend on the interval. */
static void tell_mtbf(const struct market *m, struct rr_sim *s, size_t pool)
{
    const struct rr_scenario *sc = s->world->scenario;
    bool saves = sc->checkpoint.on_notice;
    for (size_t i = 0; i < sc->n_classes; i++) saves |= sc->classes[i].checkpoint.on_notice;
    if (m->terms->availability != RR_NODES_HITS || !(m->terms->hazard_per_us > 0) || saves) return;
    double *mtbf = &s->node_mtbf_us[pool];
    *mtbf = 1 / (m->terms->hazard_per_us + (*mtbf > 0 ? 1 / *mtbf : 0));
}

static enum rr_status spot_init(void *state, struct rr_sim *s)
{
    struct spot *x = state;
    x->n = s->n_pools;
    x->market = rr_xrealloc(NULL, x->n, sizeof *x->market);
    memset(x->market, 0, x->n * sizeof *x->market);
    for (size_t i = 0; i < x->n; i++) {
        struct market *m = &x->market[i];
        m->terms = rr_spot_terms_of(&s->world->scenario->pool[i]);
        if (!m->terms) continue;
        tell_mtbf(m, s, i);
        begin(m, s, i);
    }
    return RR_OK;
}

static void spot_event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    struct spot *x = state;
    const size_t pool = data >> 32 & 0xffff;
    struct market *m = &x->market[pool];
    (void)kind;
    switch (data >> 56) {
    case AHEAD: ahead(m, s, pool); return;
    case ARRIVE: arrive(m, s, pool); return;
    case PRICE: price(m, s, pool); return;
    case HIT: hit(m, s, pool); return;
    case BACK: m->withheld -= (uint32_t)data; break;
    default: {
        const struct doomed d = *doomed_of(m, (uint32_t)data);
        if (d.since_us == RR_NEVER) return;
        take(m, s, pool, (uint32_t)data, (enum rr_reason)d.why, s->now_us - d.since_us);
    }
    }
    settle(m, s, pool);
}

// Its last job has ended: nothing keeps it. Not from within the engine's own steps: at this instant, as an event.
static void spot_drained(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct market *m = &((struct spot *)state)->market[pool];
    if (!m->terms) return;
    struct doomed *d = doomed_of(m, node);
    if (d->since_us == RR_NEVER) return;
    rr_supply_cancel(s, &d->death);
    d->death = rr_supply_at(s, &rr_supply_spot, s->now_us, RR_EV_FAILURE, DATA(DIE, pool, node));
}

static void spot_released(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct market *m = &((struct spot *)state)->market[pool];
    if (m->terms) forget(m, s, doomed_of(m, node));
}

static void spot_done(void *state)
{
    struct spot *x = state;
    for (size_t i = 0; i < x->n; i++) {
        rr_vec_done(&x->market[i].coming);
        rr_vec_done(&x->market[i].node);
    }
    free(x->market);
}

const struct rr_supply rr_supply_spot = {.name = "spot",
                                         .wanted = spot_wanted,
                                         .state_size = sizeof(struct spot),
                                         .init = spot_init,
                                         .event = spot_event,
                                         .done = spot_done,
                                         .drained = spot_drained,
                                         .released = spot_released};
