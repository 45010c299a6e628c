/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/nodes.c - nodes that are lost, drained and come back, and the suppliers whose events do that. */
#include "sim/engine/attempt.h"
#include "sim/supply/supply.h"
#include <assert.h>

static const struct rr_supply *const built_in[] = {
#define X(name) &rr_supply_##name,
#include "sim/supply/list.h"
#undef X
    NULL};

// --- suppliers ---

static bool is_wanted(const struct rr_sim *s, const struct rr_supply *p) { return !p->wanted || p->wanted(s->world); }

enum rr_status rr_supply_init(struct rr_sim *s)
{
    const size_t most = sizeof built_in / sizeof *built_in + s->world->n_supply;
    const struct rr_supply **list = rr_xrealloc(NULL, most, sizeof(struct rr_supply *));
    size_t n = 0;
    for (size_t i = 0; built_in[i]; i++)
        if (is_wanted(s, built_in[i])) list[n++] = built_in[i];
    for (size_t i = 0; i < s->world->n_supply; i++)
        if (is_wanted(s, s->world->supply[i])) list[n++] = s->world->supply[i];
    s->supply = list;
    s->n_supply = n;
    s->supply_state = memset(rr_xrealloc(NULL, n + 1, sizeof(void *)), 0, (n + 1) * sizeof(void *));
    return RR_OK;
}

enum rr_status rr_supply_start(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_supply; i++) {
        const size_t size = s->supply[i]->state_size + 1;
        s->supply_state[i] = memset(rr_xrealloc(NULL, size, 1), 0, size);
        if (s->supply[i]->init) RR_TRY(s->supply[i]->init(s->supply_state[i], s));
    }
    return RR_OK;
}

void rr_supply_done(struct rr_sim *s)
{
    for (size_t i = 0; s->supply_state && i < s->n_supply; i++) {
        if (s->supply_state[i] && s->supply[i]->done) s->supply[i]->done(s->supply_state[i]);
        free(s->supply_state[i]);
    }
    free(s->supply_state);
    free((void *)(uintptr_t)s->supply);
}

struct rr_supply_event rr_supply_at(struct rr_sim *s, const struct rr_supply *self, int64_t at_us, enum rr_event_kind kind, uint64_t data)
{
    assert(at_us >= s->now_us);
    uint32_t who = 0;
    while (s->supply[who] != self) who++;
    if (at_us == RR_NEVER) return (struct rr_supply_event){0};
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.devices = data, .job = who, .live = RR_LIVE_SUPPLY};
    rr_sim_push(s, at_us, kind, slot);
    s->n_supply_events++;
    return (struct rr_supply_event){slot, s->slot.at[slot].sequence};
}

void rr_supply_cancel(struct rr_sim *s, struct rr_supply_event *e)
{
    if (e->sequence != 0 && s->slot.at[e->slot].sequence == e->sequence) {
        s->n_supply_events--;
        s->n_stale++;
        rr_slot_free(s, e->slot);
    }
    *e = (struct rr_supply_event){0};
}

void rr_supply_event(struct rr_sim *s, uint32_t slot, enum rr_event_kind kind)
{
    const struct rr_slot r = s->slot.at[slot];
    rr_slot_free(s, slot);
    s->n_supply_events--;
    s->supply[r.job]->event(s->supply_state[r.job], s, kind, r.devices);
}

void rr_supply_tell(struct rr_sim *s, size_t pool, uint32_t node, enum rr_told what)
{
    for (size_t i = 0; i < s->n_supply; i++) {
        const struct rr_supply *p = s->supply[i];
        void (*const hook)(void *, struct rr_sim *, size_t, uint32_t) = what == RR_TOLD_HELD       ? p->held
                                                                        : what == RR_TOLD_READY    ? p->ready
                                                                        : what == RR_TOLD_RELEASED ? p->released
                                                                                                   : p->drained;
        if (hook && s->supply_state[i]) hook(s->supply_state[i], s, pool, node);
    }
}

// --- what state a node is in ---

bool rr_sim_node_is_closed(const struct rr_sim *s, size_t pool, uint32_t node) { return rr_fleet_closed(&s->pool[pool], node) != NULL; }

bool rr_sim_node_is_held(const struct rr_sim *s, size_t pool, uint32_t node)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    return node < p->n_nodes && p->node[node].lease != UINT32_MAX && s->lease.at[p->node[node].lease].end_us == RR_NEVER;
}

bool rr_sim_node_boots(const struct rr_sim *s, size_t pool, uint32_t node)
{
    return rr_sim_node_is_held(s, pool, node) && s->pool[pool].node[node].group == RR_NO_GROUP && !rr_sim_node_is_closed(s, pool, node);
}

void rr_sim_limit(struct rr_sim *s, size_t pool, int64_t nodes)
{
    struct rr_books *b = &s->books[pool];
    const int64_t limit = nodes < b->max ? nodes : b->max;
    if (b->limit == limit) return;
    b->limit = limit;
    if (s->policy->capacity) s->policy->capacity(s->policy_state, s, pool);
}

// --- closing and opening ---

// What jobs use of the node, in thousandths of a GPU.
static int32_t used_on(const struct rr_sim *s, size_t pool, uint32_t node)
{
    int32_t used = 0;
    for (uint32_t slot = rr_sim_first_on(s, pool, node); slot != RR_NO_SLOT; slot = rr_sim_next_on(s, slot)) {
        const struct rr_slot *r = &s->slot.at[slot];
        const struct rr_need *n = rr_need_of(&s->asks, r->ask, pool);
        if (n->nodes == 1) {
            used += n->milli;
            continue;
        }
        int32_t i = 0;
        for (uint32_t k = r->node; k != node; k = s->pool[pool].node[k].next) i++;
        used += 1000 * rr_need_whole(n, i);
    }
    return used;
}

static void close_node(struct rr_sim *s, size_t pool, uint32_t node)
{
    if (rr_sim_node_is_closed(s, pool, node)) return;
    rr_books_touch(s, pool);
    rr_fleet_close(&s->pool[pool], node, used_on(s, pool, node), s->now_us);
    rr_elastic_closed(s, pool, node);
    rr_sim_freed(s, pool); // what is expected has changed
}

uint32_t rr_sim_node_hang(struct rr_sim *s, size_t pool, uint32_t node)
{
    assert(s->attempts && rr_sim_node_is_held(s, pool, node) && !rr_sim_node_boots(s, pool, node));
    uint32_t n = 0;
    for (uint32_t slot = rr_sim_first_on(s, pool, node); slot != RR_NO_SLOT; slot = rr_sim_next_on(s, slot), n++) rr_attempt_hang(s, slot);
    close_node(s, pool, node);
    return n;
}

bool rr_sim_node_drain(struct rr_sim *s, size_t pool, uint32_t node)
{
    assert(s->attempts && rr_sim_node_is_held(s, pool, node));
    if (rr_sim_node_boots(s, pool, node)) rr_elastic_unboot(s, pool, node);
    close_node(s, pool, node);
    return s->pool[pool].node[node].jobs == 0;
}

void rr_sim_node_back(struct rr_sim *s, size_t pool, uint32_t node)
{
    assert(rr_sim_node_is_closed(s, pool, node));
    rr_books_touch(s, pool);
    rr_node_touch(s, pool, node);
    rr_fleet_open(&s->pool[pool], node);
    rr_sim_freed(s, pool);
    if (s->books[pool].elastic) rr_elastic_freed(s, pool, node);
}

uint32_t rr_sim_node_lost(struct rr_sim *s, size_t pool, uint32_t node, enum rr_reason why, int64_t notice_us, enum rr_fate fate)
{
    assert(s->attempts && rr_sim_node_is_held(s, pool, node) && (fate == RR_FATE_DOWN || s->books[pool].elastic));
    struct rr_attempts *a = s->attempts;
    struct rr_pool_time *t = &s->books[pool].time;
    uint32_t n = 0;
    t->nodes_lost[why]++;
    if (a->lost_at_us[why] != s->now_us) t->events_of[why]++;
    a->lost_at_us[why] = s->now_us;
    a->losing_pool = pool;
    a->losing_node = node;
    for (uint32_t slot; (slot = rr_sim_first_on(s, pool, node)) != RR_NO_SLOT; n++) rr_attempt_interrupt(s, slot, why, notice_us);
    a->losing_node = RR_NO_NODE;
    if (fate == RR_FATE_RELEASED) {
        s->lease.at[s->pool[pool].node[node].lease].why = (uint8_t)why;
        rr_sim_node_release(s, pool, node);
        return n;
    }
    if (rr_sim_node_boots(s, pool, node)) rr_elastic_unboot(s, pool, node);
    close_node(s, pool, node);
    return n;
}

// --- jobs that end on closed nodes ---

static uint32_t after(const struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n, uint32_t node)
{
    return n->nodes > 1 ? s->pool[r->pool].node[node].next : RR_NO_NODE;
}

void rr_closed_touch(struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n)
{
    for (uint32_t node = r->node; node != RR_NO_NODE; node = after(s, r, n, node)) rr_node_touch(s, r->pool, node);
}

void rr_tell_drained(struct rr_sim *s, const struct rr_slot *r)
{
    const struct rr_need n = *rr_need_of(&s->asks, r->ask, r->pool);
    const struct rr_attempts *a = s->attempts;
    for (uint32_t node = r->node, next; node != RR_NO_NODE; node = next) {
        next = after(s, r, &n, node);
        const bool losing = a->losing_node == node && a->losing_pool == r->pool;
        if (!losing && s->pool[r->pool].node[node].jobs == 0 && rr_sim_node_is_closed(s, r->pool, node))
            rr_supply_tell(s, r->pool, node, RR_TOLD_DRAINED);
    }
}
