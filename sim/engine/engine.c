/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/engine.c - the loop: what happens at one instant, in the order of DESIGN.md section 4, then one scheduling pass. */
#include "sim/engine/engine.h"
#include "sim/autoscale/autoscale.h"
#include "sim/engine/arrays.h"
#include "sim/engine/attempt.h"
#include "sim/engine/depends.h"
#include "sim/policy/placement.h"
#include <stdio.h>

static const struct rr_kind *const policies[] = {
#define X(name) &rr_policy_##name.kind,
#include "sim/policy/list.h"
#undef X
};
static const struct rr_kind *const placements[] = {
#define X(name) &rr_placement_##name.kind,
#include "sim/policy/placement_list.h"
#undef X
};
static const struct rr_kind *const autoscalers[] = {
#define X(name) &rr_autoscaler_##name.kind,
#include "sim/autoscale/list.h"
#undef X
};
const struct rr_kinds rr_autoscalers = {autoscalers, sizeof autoscalers / sizeof *autoscalers};
const struct rr_kinds rr_policies = {policies, sizeof policies / sizeof *policies};
const struct rr_kinds rr_placements = {placements, sizeof placements / sizeof *placements};

// --- set up ---

static struct rr_demand demand_of(const struct rr_trace *t)
{
    struct rr_demand d = {0};
    for (size_t i = 0; i < t->n && !d.shares; i++) d.shares = t->gpus_milli[i] % 1000 != 0;
    for (size_t i = 0; t->cpus_milli && i < t->n && !d.cpus; i++) d.cpus = t->cpus_milli[i] > 0;
    for (size_t i = 0; t->memory_mib && i < t->n && !d.memory; i++) d.memory = t->memory_mib[i] > 0;
    return d;
}

static void *zeroed(size_t n, size_t size) { return memset(rr_xrealloc(NULL, n, size), 0, n * size); }

static void number_nodes(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const int64_t most = s->world->scenario->pool[i].nodes_max;
        // an unlimited pool has as many ids as it turns out to use: put right in fix_ids()
        s->node_base[i + 1] = s->node_base[i] + (uint32_t)(most > (INT64_C(1) << 24) ? 0 : most);
    }
}

static bool costs(const struct rr_checkpoint *c) { return c->start_us > 0 || (c->rule != RR_INTERVAL_NONE && c->write_us > 0); }

// Can anything interrupt a job or make it last longer than its run time?
static bool needs_attempts(const struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    bool any = s->policy->preempts || rr_elastic_drains(sc) || s->n_supply > 0 || rr_sim_has_speeds(s) || costs(&sc->checkpoint);
    for (size_t i = 0; i < sc->n_classes; i++) any |= costs(&sc->classes[i].checkpoint);
    return any;
}

static enum rr_status check_interval(const struct rr_sim *s, const struct rr_checkpoint *c, const char *pointer)
{
    if (c->rule < RR_INTERVAL_YOUNG) return RR_OK;
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->node_mtbf_us[i] > 0) return RR_OK;
    return rr_fail(RR_EINPUT,
                   "%s/checkpoint/interval: \"%s\" follows from how often nodes fail; add \"failures\", or give a time such as "
                   "\"30 min\"",
                   pointer, c->interval);
}

static enum rr_status check_intervals(const struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    RR_TRY(check_interval(s, &sc->checkpoint, ""));
    for (size_t i = 0; i < sc->n_classes; i++)
        if (sc->classes[i].checkpoint_json) RR_TRY(check_interval(s, &sc->classes[i].checkpoint, sc->classes[i].pointer));
    return RR_OK;
}

// What a placement with a choice of its own knows; the others need none of it.
static void init_placing(struct rr_sim *s, const struct rr_placement *pl)
{
    if (!pl->choose) return;
    s->placing = (struct rr_placing){.seed = (uint64_t)s->world->scenario->seed,
                                     .replication = s->world->replication,
                                     .trace = s->trace,
                                     .asks = &s->asks,
                                     .params = s->how->placement_params,
                                     .state = zeroed(pl->state_size + 1, 1)};
    for (size_t i = 0; i < s->n_pools; i++) {
        s->pool[i].placing = &s->placing;
        s->pool[i].index = (uint32_t)i;
    }
    if (pl->init) pl->init(&s->placing);
}

static enum rr_status sim_init(struct rr_sim *s, const struct rr_world *w)
{
    const struct rr_scenario *sc = w->scenario;
    *s = (struct rr_sim){
        .world = w, .trace = w->trace, .how = &sc->scheduler, .n_pools = sc->n_pools, .free_slot = UINT32_MAX, .bound_us = RR_NEVER};
    if (sc->n_pools == 0) return rr_fail(RR_EINPUT, "/pools: the scenario has no pool");
    const struct rr_kind *policy = s->how->policy ? s->how->policy : policies[0];
    const struct rr_kind *placement = s->how->placement ? s->how->placement : placements[0];
    s->policy = (const struct rr_policy *)(const void *)policy;
    s->pool = zeroed(s->n_pools, sizeof *s->pool);
    s->books = zeroed(s->n_pools, sizeof *s->books);
    s->node_base = zeroed(s->n_pools + 1, sizeof *s->node_base);
    if (s->policy->expects) s->expected = zeroed(s->n_pools, sizeof *s->expected);
    s->outcome = rr_xrealloc(NULL, w->trace->n, sizeof *s->outcome);
    for (size_t i = 0; i < w->trace->n; i++)
        s->outcome[i] = (struct rr_outcome){.start_us = RR_NEVER, .end_us = RR_NEVER, .pool = UINT16_MAX, .node = UINT32_MAX};
    rr_events_init(&s->events);
    struct rr_demand d = demand_of(w->trace);
    d.speeds = sc->throughput != NULL;
    for (size_t i = 0; i < s->n_pools; i++)
        RR_TRY(rr_fleet_init(&s->pool[i], &sc->pool[i], w->trace, d, (const struct rr_placement *)(const void *)placement));
    rr_asks_init(&s->asks, w->trace, sc->pool, s->pool, s->n_pools);
    number_nodes(s);
    s->node_mtbf_us = zeroed(s->n_pools, sizeof *s->node_mtbf_us);
    s->has_memory = zeroed(s->n_pools, sizeof *s->has_memory);
    rr_sim_classify(s);
    s->asks.classes = sc->classes;
    s->asks.class_of = s->class_of;
    rr_speeds_init(s);
    s->asks.speeds = s->speeds;
    RR_TRY(rr_speeds_check(s));
    RR_TRY(rr_depends_init(s));
    rr_arrays_init(s);
    init_placing(s, (const struct rr_placement *)(const void *)placement);
    RR_TRY(rr_order_init(s));
    RR_TRY(rr_supply_init(s));
    if (needs_attempts(s)) rr_attempts_init(s);
    RR_TRY(rr_elastic_init(s));
    rr_series_init(&s->series, w->timeline_bins, w->horizon_us);
    s->seats = w->timeline_bins > 0 && w->trace->n <= RR_SEAT_JOBS;
    s->policy_state = zeroed(s->policy->state_size + 1, 1);
    s->policy->init(s->policy_state, s);
    RR_TRY(rr_supply_start(s));
    RR_TRY(rr_elastic_start(s));
    RR_TRY(check_intervals(s));
    if (w->notes) rr_sim_warn_unused(s);
    return s->failed;
}

static void sim_done(struct rr_sim *s)
{
    if (s->policy_state) s->policy->done(s->policy_state);
    free(s->policy_state);
    rr_elastic_done(s);
    rr_supply_done(s);
    rr_attempts_done(s);
    rr_depends_done(s);
    rr_arrays_done(s);
    free(s->node_mtbf_us);
    free(s->has_memory);
    free(s->class_of);
    rr_hold_done(&s->hold, s->n_pools);
    rr_speeds_done(s);
    if (s->placing.state && s->pool[0].placement->done) s->pool[0].placement->done(s->placing.state);
    free(s->placing.state);
    for (size_t i = 0; i < s->n_pools && s->pool; i++) {
        rr_fleet_done(&s->pool[i]);
        rr_nodeset_done(&s->books[i].off);
        rr_vec_done(&s->books[i].touched);
        rr_vec_done(&s->books[i].overdue);
        rr_vec_done(&s->books[i].draining);
        rr_vec_done(&s->books[i].idle);
        if (s->expected) rr_expected_done(&s->expected[i]);
    }
    rr_asks_done(&s->asks);
    rr_events_done(&s->events);
    rr_vec_done(&s->slot);
    rr_vec_done(&s->lease);
    rr_vec_done(&s->seat);
    free(s->series.bin);
    free(s->expected);
    free(s->order);
    free(s->node_base);
    free(s->books);
    free(s->pool);
    free(s->outcome);
}

// --- the loop ---

// What is held and not in use: ready, closed, or still starting.
static inline void idle_levels(struct rr_sim *s)
{
    int64_t rest = s->level.held_milli - s->level.used_milli, down = 0;
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_fleet_pool *p = &s->pool[i];
        const bool cut = p->slices > 1;
        rest -= cut ? p->free_milli / p->slices : p->free_milli;
        down += cut ? p->closed_milli / p->slices : p->closed_milli;
    }
    s->level.down_milli = down;
    s->level.starting_milli = rest > down ? rest - down : 0;
}

static void advance(struct rr_sim *s, int64_t t)
{
    if (s->series.bin && t > s->series.last_us) {
        idle_levels(s);
        rr_series_advance(&s->series, t, &s->level);
    }
    const int64_t h = s->world->horizon_us;
    if (h != RR_NEVER && t > h / 2 && s->level.queue > 0) { // backlog in the third and in the fourth quarter
        const int64_t cut = h / 2 + h / 4, from = s->now_us > h / 2 ? s->now_us : h / 2;
        if (from < cut) s->backlog[0] += (double)s->level.queue * (double)((t < cut ? t : cut) - from);
        if (t > cut) s->backlog[1] += (double)s->level.queue * (double)(t - (from > cut ? from : cut));
    }
    s->now_us = t;
}

void rr_sim_wake(struct rr_sim *s, int64_t at_us)
{
    if (at_us == RR_NEVER) return;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.live = RR_LIVE_WAKE};
    rr_sim_push(s, at_us, RR_EV_TIMER, slot);
    s->n_wakes++;
}

static void wake(struct rr_sim *s, uint32_t slot)
{
    rr_slot_free(s, slot);
    s->n_wakes--;
    if (s->policy->timer) s->policy->timer(s->policy_state, s);
}

static void happen(struct rr_sim *s)
{
    const struct rr_event e = rr_events_pop(&s->events);
    if (s->slot.at[e.slot].sequence != (uint32_t)e.sequence) { // called off at this very instant
        s->n_stale--;
        return;
    }
    s->n_events++;
    switch (s->slot.at[e.slot].live) {
    case RR_LIVE_JOB: rr_sim_end(s, e.slot); break;
    case RR_LIVE_BOOT: rr_elastic_boot_done(s, e.slot); break;
    case RR_LIVE_TIMER: rr_elastic_timer(s, e.slot); break;
    case RR_LIVE_WAKE: wake(s, e.slot); break;
    case RR_LIVE_LOOK: rr_elastic_look(s, e.slot); break;
    case RR_LIVE_THINK: rr_depends_thought(s, e.slot); break;
    default: rr_supply_event(s, e.slot, e.kind);
    }
}

static bool is_current(void *ctx, struct rr_event e) { return ((struct rr_sim *)ctx)->slot.at[e.slot].sequence == (uint32_t)e.sequence; }

// An event that was called off makes no instant.
static void drop_stale(struct rr_sim *s)
{
    if (s->n_stale > s->events.n / 2 + 1024) {
        rr_events_filter(&s->events, is_current, s);
        s->n_stale = 0;
    }
    while (s->n_stale > 0 && s->events.n > 0 && !is_current(s, rr_events_top(&s->events))) {
        rr_events_pop(&s->events);
        s->n_stale--;
    }
}

// With rounds a pass waits for the next multiple of the round, for which there is an event of its own.
static bool is_round(struct rr_sim *s)
{
    const int64_t round = s->how->round_us;
    if (round == 0 || s->now_us % round == 0) return true;
    const int64_t next = rr_add_us(s->now_us - s->now_us % round, round);
    if (s->round_at_us == next) return false;
    s->round_at_us = next;
    rr_sim_wake(s, next);
    return false;
}

static void bound(struct rr_sim *s)
{
    if (s->level.queue == 0) {
        if (s->bound_us != RR_NEVER) rr_bound_close(s, s->now_us);
    } else if (s->bound_us == RR_NEVER || s->now_us >= s->bound_due_us) {
        rr_bound_look(s);
    }
}

static void instant(struct rr_sim *s, size_t *next)
{
    const int64_t t = s->now_us;
    while (rr_events_time(&s->events) == t && rr_events_kind(&s->events) < RR_EV_ARRIVAL) happen(s);
    for (; *next < s->trace->n && s->trace->submit_us[*next] <= t && t < s->world->horizon_us; ++*next) {
        rr_sim_submit(s, (uint32_t)*next);
        s->n_events++;
    }
    while (rr_events_time(&s->events) == t) happen(s);
    if (t >= s->world->horizon_us) return;
    if (s->level.queue > 0 && is_round(s)) {
        if (s->order && rr_order_now(s) != RR_OK) s->failed = RR_EINPUT;
        s->policy->pass(s->policy_state, s);
        rr_sim_grow(s);
    }
    if (s->series.bin) bound(s);
    if (s->level.queue > s->queue_max) s->queue_max = s->level.queue;
    if (s->any_elastic) rr_elastic_settle(s);
}

// Without a horizon the replay ends when nothing can change a job any more: idle timers alone do not keep it going. Events of suppliers and timers of
// policies may never cease; after STALLED without a start or an end, what waits then waits for ever.
#define STALLED (10 * RR_YEAR_US)
static bool goes_on(const struct rr_sim *s, size_t next)
{
    if (s->failed != RR_OK) return false;
    if (s->world->horizon_us != RR_NEVER) return true;
    if (next < s->trace->n || s->n_ends + s->n_hung + s->n_thinking > 0) return true;
    if (s->level.queue == 0) return false;
    return s->n_boots > 0 || (s->n_wakes + s->n_supply_events > 0 && s->now_us - s->moved_us < STALLED);
}

static void loop(struct rr_sim *s)
{
    size_t next = 0;
    while (goes_on(s, next)) {
        if (s->n_stale) drop_stale(s);
        int64_t t = rr_events_time(&s->events);
        if (next < s->trace->n && s->trace->submit_us[next] < t) t = s->trace->submit_us[next];
        if (t == RR_NEVER || t > s->world->horizon_us) break;
        if (next < s->trace->n && t == s->trace->submit_us[next] && t >= s->world->horizon_us && rr_events_time(&s->events) > t) break;
        advance(s, t);
        instant(s, &next);
    }
}

// --- results ---

static void fix_ids(struct rr_sim *s)
{
    uint32_t *base = zeroed(s->n_pools + 1, sizeof *base);
    bool moved = false;
    for (size_t i = 0; i < s->n_pools; i++) {
        const int64_t most = s->world->scenario->pool[i].nodes_max;
        base[i + 1] = base[i] + (most > (INT64_C(1) << 24) ? s->pool[i].n_nodes : (uint32_t)most);
        moved |= base[i] != s->node_base[i];
    }
    for (size_t j = 0; moved && j < s->trace->n; j++) {
        struct rr_outcome *o = &s->outcome[j];
        if (o->pool != UINT16_MAX) o->node += base[o->pool] - s->node_base[o->pool];
    }
    for (size_t k = 0; moved && s->attempts && k < s->attempts->past.n; k++) {
        struct rr_attempt *a = &s->attempts->past.at[k];
        a->node += base[a->pool] - s->node_base[a->pool];
    }
    free(s->node_base);
    s->node_base = base;
}

static int compare_leases(const void *a, const void *b)
{
    const struct rr_lease *x = a, *y = b;
    if (x->pool != y->pool) return x->pool < y->pool ? -1 : 1;
    if (x->start_us != y->start_us) return x->start_us < y->start_us ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void put_leases(struct rr_sim *s, struct rr_replay *r)
{
    if (s->any_elastic && s->lease.n > 0)
        qsort(s->lease.at, s->lease.n, sizeof *s->lease.at, compare_leases); // static ones were made in order
    r->pool_lease = zeroed(s->n_pools + 1, sizeof *r->pool_lease);
    for (size_t i = 0; i < s->lease.n; i++) {
        s->lease.at[i].used_milli_us /= s->pool[s->lease.at[i].pool].slices; // of slices: of GPUs
        s->lease.at[i].down_milli_us /= s->pool[s->lease.at[i].pool].slices;
        s->lease.at[i].node += s->node_base[s->lease.at[i].pool];
        r->pool_lease[s->lease.at[i].pool + 1]++;
    }
    for (size_t i = 0; i < s->n_pools; i++) r->pool_lease[i + 1] += r->pool_lease[i];
    r->lease = s->lease.at;
    r->n_leases = s->lease.n;
    s->lease.at = NULL;
}

static void put_nodes(struct rr_sim *s, struct rr_replay *r)
{
    r->n_nodes = s->node_base[s->n_pools];
    r->node_gpus = rr_xrealloc(NULL, r->n_nodes, sizeof *r->node_gpus);
    for (size_t i = 0; i < s->n_pools; i++)
        for (uint32_t n = s->node_base[i]; n < s->node_base[i + 1]; n++)
            r->node_gpus[n] = rr_node_kind_of(&s->pool[i], n - s->node_base[i])->gpus / s->pool[i].slices;
    r->pool = zeroed(s->n_pools, sizeof *r->pool);
    for (size_t i = 0; i < s->n_pools; i++) r->pool[i] = s->books[i].time;
}

// What still waits or runs, and GPU time of the latter; jobs that run are those of live slots.
static void cut_off(struct rr_sim *s, int64_t end_us)
{
    bool *is_free = zeroed(s->slot.n + 1, 1);
    for (uint32_t f = s->free_slot; f != UINT32_MAX; f = s->slot.at[f].node) is_free[f] = true;
    for (size_t i = 0; i < s->slot.n; i++)
        if (!is_free[i] && s->slot.at[i].live == RR_LIVE_JOB) rr_sim_cut(s, (uint32_t)i, end_us);
    free(is_free);
    for (size_t j = 0; (s->level.queue > 0 || s->depends || s->arrays) && j < s->trace->n; j++)
        if (s->outcome[j].state == RR_JOB_WAITING) s->outcome[j].reason = RR_WHY_HORIZON;
}

static void put_seats(struct rr_sim *s, struct rr_replay *r)
{
    if (!s->seats) return;
    for (size_t i = 0; i < s->seat.n; i++) s->seat.at[i].node += s->node_base[s->seat.at[i].pool];
    r->seat = s->seat.at;
    r->n_seats = s->seat.n;
    s->seat.at = NULL;
}

static void finish(struct rr_sim *s, struct rr_replay *r)
{
    const int64_t end_us = s->world->horizon_us != RR_NEVER ? s->world->horizon_us : s->now_us;
    advance(s, end_us);
    *r = (struct rr_replay){.end_us = end_us, .n_jobs = s->trace->n, .queue_max = s->queue_max, .events = s->n_events};
    if (s->policy->depth) r->depth = s->policy->depth(s->how->policy_params);
    cut_off(s, end_us);
    rr_elastic_close(s, end_us);
    fix_ids(s);
    put_nodes(s, r);
    put_leases(s, r);
    put_seats(s, r);
    r->outcome = s->outcome;
    s->outcome = NULL;
    r->class_of = s->class_of;
    s->class_of = NULL;
    if (s->attempts) {
        r->attempt = s->attempts->past.at ? s->attempts->past.at : zeroed(1, sizeof *r->attempt);
        r->n_attempts = s->attempts->past.n;
        r->held_us = s->attempts->held_us;
        s->attempts->past.at = NULL;
        s->attempts->held_us = NULL;
    }
    if (s->series.bin) {
        rr_bound_close(s, end_us);
        rr_bound_scale(s);
        memcpy(r->bound, s->bound, sizeof r->bound);
    }
    rr_series_finish(&s->series, end_us, &r->timeline);
    // A backlog that grows evenly is 7/5 of the quarter before in the last one, and ends above its mean; chance alone seldom does both.
    r->queue_grows = s->backlog[1] > 1.25 * s->backlog[0] && (double)s->level.queue * (double)end_us / 4 > s->backlog[1];
}

// A reason that begins with a pointer gets the place in the document in front: of what it points to, or of the nearest thing around it.
static enum rr_status placed(const struct rr_world *w, enum rr_status st)
{
    char reason[RR_REASON_MAX], pointer[RR_REASON_MAX];
    const struct rr_scenario *sc = w->scenario;
    if (st != RR_EINPUT || !sc->document) return st;
    snprintf(reason, sizeof reason, "%s", rr_reason());
    snprintf(pointer, sizeof pointer, "%.*s", (int)strcspn(reason, ":"), reason);
    const cJSON *node = NULL;
    for (char *end = pointer; *pointer == '/' && !node; *end = '\0') {
        node = rr_json_at(sc->document, pointer);
        end = strrchr(pointer, '/');
    }
    return node ? rr_json_fail(st, sc->json, node, NULL, "%s", reason) : st;
}

enum rr_status rr_engine_check(const struct rr_world *w)
{
    struct rr_sim s;
    const enum rr_status st = placed(w, sim_init(&s, w));
    if (st == RR_OK && w->notes) rr_sim_warn_rejected(&s);
    sim_done(&s);
    return st;
}

enum rr_status rr_engine_run(const struct rr_world *w, struct rr_replay *ret)
{
    struct rr_sim s;
    enum rr_status st = sim_init(&s, w);
    if (st == RR_OK) {
        loop(&s);
        st = s.failed;
        if (st == RR_OK) finish(&s, ret);
    }
    sim_done(&s);
    return placed(w, st);
}

void rr_replay_done(struct rr_replay *r)
{
    free(r->outcome);
    free(r->attempt);
    free(r->held_us);
    free(r->class_of);
    free(r->lease);
    free(r->seat);
    free(r->pool_lease);
    free(r->node_gpus);
    free(r->pool);
    rr_timeline_done(&r->timeline);
    *r = (struct rr_replay){0};
}
