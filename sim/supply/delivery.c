/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/delivery.c - machines that come when they are delivered and leave when they are sold, and pools that stand in for them.
 *
 * The plan knows how many nodes there are at each time (rr_price_plan.capacity). What is not there was never held; what comes is held at once.
 * Nodes that leave take no more jobs, the highest numbers first, and go when their last job has ended. A bridge pool may hold as many nodes as are
 * still to come. */
#include "models/price/price.h"
#include "sim/supply/supply.h"
#include <string.h>

struct course {
    const struct rr_arrival *at; /* [n]; NULL: the pool is as it is */
    size_t n;
    int64_t peak;
    size_t bridge; /* pool, or SIZE_MAX */
};
struct delivery {
    struct course *pool; /* [n_pools] */
    struct rr_arena *arena;
};

static bool delivery_wanted(const struct rr_world *w)
{
    for (size_t i = 0; i < w->scenario->n_pools; i++)
        if (w->scenario->pool[i].arrives) return true;
    return false;
}

/* Nodes of the pool that are held and may take jobs. */
static int64_t serving(const struct rr_sim *s, size_t pool)
{
    int64_t n = s->books[pool].held;
    for (uint32_t k = 0; k < s->pool[pool].n_nodes; k++) n -= rr_sim_node_is_held(s, pool, k) && rr_sim_node_is_closed(s, pool, k);
    return n;
}

static void settle(const struct course *c, struct rr_sim *s, size_t pool, const struct rr_arrival *now)
{
    rr_sim_limit(s, pool, now->nodes);
    if (c->bridge != SIZE_MAX) {
        int64_t coming = 0; // the bridge ends with the last delivery, whatever leaves later
        for (const struct rr_arrival *a = now; a < c->at + c->n; a++)
            if (a->nodes > coming) coming = a->nodes;
        rr_sim_limit(s, c->bridge, coming - now->nodes);
    }
    for (uint32_t node = s->pool[pool].n_nodes; node-- > 0 && s->books[pool].held > now->nodes;) // what is down is sold as it is
        if (rr_sim_node_is_held(s, pool, node) && rr_sim_node_is_closed(s, pool, node) && s->pool[pool].node[node].jobs == 0)
            rr_sim_node_release(s, pool, node);
    int64_t n = serving(s, pool);
    for (; n < now->nodes && rr_sim_node_request(s, pool) != RR_NO_NODE; n++) {}
    for (uint32_t node = s->pool[pool].n_nodes; node-- > 0 && n > now->nodes;) {
        if (!rr_sim_node_is_held(s, pool, node) || rr_sim_node_is_closed(s, pool, node)) continue;
        n--;
        if (s->pool[pool].node[node].jobs == 0 || rr_sim_node_drain(s, pool, node)) rr_sim_node_release(s, pool, node);
    }
}

static size_t pool_named(const struct rr_sim *s, const char *name)
{
    for (size_t i = 0; name && i < s->n_pools; i++)
        if (strcmp(s->world->scenario->pool[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static enum rr_status begin(struct delivery *d, struct rr_sim *s, size_t pool)
{
    const struct rr_pool *from = &s->world->scenario->pool[pool];
    const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)from->plan;
    struct course *c = &d->pool[pool];
    struct rr_arrival *all;
    RR_TRY(plan->capacity(from->plan_params, s->world->scenario, s->world->replication, d->arena, &all, &c->n));
    c->at = all;
    c->bridge = plan->bridge ? pool_named(s, plan->bridge(from->plan_params)) : SIZE_MAX;
    settle(c, s, pool, &all[0]);
    for (size_t i = 1; i < c->n; i++) rr_supply_at(s, &rr_supply_delivery, all[i].at_us, RR_EV_READY, (uint64_t)pool << 32 | i);
    return RR_OK;
}

static enum rr_status delivery_init(void *state, struct rr_sim *s)
{
    struct delivery *d = state;
    d->arena = rr_arena_create();
    d->pool = RR_NEWS(d->arena, struct course, s->n_pools);
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->world->scenario->pool[i].arrives) RR_TRY(begin(d, s, i));
    return RR_OK;
}

static void delivery_event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    const struct delivery *d = state;
    const size_t pool = (size_t)(data >> 32), i = (size_t)(data & UINT32_MAX);
    (void)kind;
    settle(&d->pool[pool], s, pool, &d->pool[pool].at[i]);
}

static void delivery_drained(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    const struct delivery *d = state;
    if (d->pool[pool].at && s->books[pool].held > s->books[pool].limit) rr_sim_node_release(s, pool, node);
}

static void delivery_done(void *state) { rr_arena_free(((struct delivery *)state)->arena); }

const struct rr_supply rr_supply_delivery = {
    .name = "delivery",
    .wanted = delivery_wanted,
    .state_size = sizeof(struct delivery),
    .init = delivery_init,
    .event = delivery_event,
    .drained = delivery_drained,
    .done = delivery_done,
};
