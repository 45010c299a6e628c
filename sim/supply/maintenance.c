/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/maintenance.c - planned maintenance, part of the failures supplier: nodes are drained from the notice on, down for the length.
 *
 * Batches of `at_once` nodes follow on each other; a node's own turns are `every` apart. Jobs that still run when it begins are interrupted; they have known
 * of it, so those that save on notice write a checkpoint right before, if the notice is long enough for one. */
#include "sim/engine/attempt.h"
#include "sim/supply/failures.h"

#define SELF (&rr_supply_failures)

static int64_t batch_of(const struct rr_maintenance *m, const struct rr_sim *s, size_t pool)
{
    return m->at_once > 0 ? m->at_once : s->pool[pool].n_nodes > 0 ? s->pool[pool].n_nodes : 1;
}

static void at(struct rr_sim *s, int64_t at_us, enum rr_fail_event_kind kind, size_t which, size_t pool, uint32_t batch)
{
    const enum rr_event_kind place = kind == RR_MAINT_END ? RR_EV_READY : RR_EV_FAILURE;
    rr_supply_at(s, SELF, at_us, place, rr_fail_data(kind, which, pool, batch));
}

void rr_maint_init(struct rr_fail_state *f, struct rr_sim *s)
{
    for (size_t k = 0; k < f->how->n_maintenance; k++) {
        const struct rr_maintenance *m = &f->how->maintenance[k];
        for (size_t i = 0; i < s->n_pools; i++)
            if (f->pool[i].fails) at(s, m->first_us - m->notice_us, RR_MAINT_NOTICE, k, i, 0);
    }
}

static void notice(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_node_life *n = rr_fail_life(f, pool, node);
    n->out |= RR_OUT_MAINTENANCE;
    if (!rr_sim_node_is_closed(s, pool, node)) rr_sim_node_drain(s, pool, node);
}

static void begin(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node, int64_t notice_us)
{
    struct rr_node_life *n = rr_fail_life(f, pool, node);
    if (!(n->out & RR_OUT_MAINTENANCE)) return; // let go since
    for (uint32_t slot; (slot = rr_sim_first_on(s, pool, node)) != RR_NO_SLOT;) {
        const int64_t write = rr_sim_checkpoint(s, s->slot.at[slot].job)->write_us;
        rr_attempt_interrupt(s, slot, RR_WHY_MAINTENANCE, notice_us >= write && notice_us > 0 ? (write > 0 ? write : 1) : 0);
    }
    rr_sim_node_lost(s, pool, node, RR_WHY_MAINTENANCE, 0, RR_FATE_DOWN);
    if (!(n->out & RR_OUT_FAILED)) rr_supply_cancel(s, &n->next); // nothing fails that is off
}

static void end(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_node_life *n = rr_fail_life(f, pool, node);
    if (!(n->out & RR_OUT_MAINTENANCE)) return;
    n->out &= (uint8_t)~RR_OUT_MAINTENANCE;
    rr_fail_restore(f, s, pool, node);
}

// When the batch hears of it, what follows is set: its own beginning, the next batch's notice, the next round's.
static void plan(struct rr_sim *s, const struct rr_maintenance *m, size_t which, size_t pool, uint32_t batch)
{
    at(s, rr_add_us(s->now_us, m->notice_us), RR_MAINT_BEGIN, which, pool, batch);
    if (batch == 0) at(s, rr_add_us(s->now_us, m->every_us), RR_MAINT_NOTICE, which, pool, 0);
    if ((int64_t)(batch + 1) * batch_of(m, s, pool) < s->pool[pool].n_nodes)
        at(s, rr_add_us(s->now_us, m->length_us), RR_MAINT_NOTICE, which, pool, batch + 1);
}

void rr_maint_event(struct rr_fail_state *f, struct rr_sim *s, enum rr_fail_event_kind kind, size_t which, size_t pool, uint32_t batch)
{
    const struct rr_maintenance *m = &f->how->maintenance[which];
    const int64_t first = (int64_t)batch * batch_of(m, s, pool), most = s->pool[pool].n_nodes;
    if (kind == RR_MAINT_NOTICE) plan(s, m, which, pool, batch);
    if (kind == RR_MAINT_BEGIN) at(s, rr_add_us(s->now_us, m->length_us), RR_MAINT_END, which, pool, batch);
    for (int64_t k = first; k < first + batch_of(m, s, pool) && k < most; k++) {
        const uint32_t node = (uint32_t)k;
        if (!rr_sim_node_is_held(s, pool, node) || rr_sim_node_boots(s, pool, node)) continue; // one that boots now is new enough
        if (kind == RR_MAINT_NOTICE) notice(f, s, pool, node);
        if (kind == RR_MAINT_BEGIN) begin(f, s, pool, node, m->notice_us);
        if (kind == RR_MAINT_END) end(f, s, pool, node);
    }
}
