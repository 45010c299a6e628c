/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/migrate.c - a ranked pass that may move running jobs, so that holes between them keep nobody out.
 *
 * All jobs, those that run and those that wait, are laid on empty nodes in the order of their ranks, each on the first node with room (or the first
 * wholly free ones): that tells who should run now. Then as few as possible are touched: if those that wait and should run find room beside
 * those that run and should, nobody moves; else all go where they were laid, and a running job whose nodes change is interrupted and started
 * again there (reason "moved"), with what that costs. Who runs and should not is interrupted if it is in the way. Jobs that are not
 * interruptible, and those that the guard has put first, stay where they are and are laid first.
 *
 * With "always" all go where they were laid at each pass: so do the simulators of Tiresias and Muri, which however do not count it as a move. A pass costs O(n log n + n x
 * nodes) with n jobs that run or wait: the definition forces it. */
#include "sim/policy/ranked.h"
#include <assert.h>

const char *const rr_migrate_words[] = {"never", "needed", "always", NULL};

struct mover {
    int64_t rank;
    uint32_t job, ask, slot; // RR_NO_SLOT: waits
    uint32_t at, n;          // its nodes: node[at .. at + n)
    uint16_t pool;
    bool fixed, chosen, stays, moves;
};
struct plot { // the nodes of a pool as they would be
    struct rr_room *room;
    uint16_t *device;
};
struct rr_migration {
    RR_VEC(struct mover) all; // fixed ones first, then by rank
    RR_VEC(uint32_t) node;
    struct plot *plot; // [n_pools]
    bool stopped;      // by a job that holds up those behind it
};

// --- nodes as they would be ---

static uint16_t *device_at(const struct rr_fleet_pool *p, const struct plot *t, uint32_t node)
{
    return t->device ? t->device + (size_t)node * (size_t)p->max_gpus : NULL;
}

static bool is_open(const struct rr_fleet_pool *p, uint32_t node) { return p->node[node].group != RR_NO_GROUP; }

static void clear(struct rr_migration *m, struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_fleet_pool *p = &s->pool[i];
        struct plot *t = &m->plot[i];
        t->room = rr_xrealloc(t->room, p->n_nodes + 1, sizeof *t->room);
        if (p->device) t->device = rr_xrealloc(t->device, (size_t)(p->n_nodes + 1) * (size_t)p->max_gpus, sizeof *t->device);
        for (uint32_t n = 0; n < p->n_nodes; n++) {
            t->room[n] = rr_room_empty(p, p->kind_of ? p->kind_of[n] : 0);
            for (int32_t d = 0; p->device && d < p->max_gpus; d++) device_at(p, t, n)[d] = d < t->room[n].whole ? 1000 : 0;
        }
    }
}

static bool is_empty(const struct rr_fleet_pool *p, const struct plot *t, uint32_t node)
{
    const struct rr_room e = rr_room_empty(p, p->kind_of ? p->kind_of[node] : 0), *r = &t->room[node];
    return r->free_milli == e.free_milli && r->cpus_milli == e.cpus_milli && r->memory_mib == e.memory_mib;
}

static bool has_room(const struct rr_fleet_pool *p, const struct plot *t, uint32_t node, const struct rr_need *n)
{
    return is_open(p, node) && rr_room_fits(p, &t->room[node], n) && (n->nodes == 1 || is_empty(p, t, node));
}

// The devices that a running job has are free there.
static bool devices_free(const uint16_t *device, const struct rr_need *n, uint64_t devices)
{
    for (uint64_t b = devices; b && device; b &= b - 1)
        if (device[__builtin_ctzll(b)] < (n->part ? n->part : 1000)) return false;
    return true;
}

// Lays a running job on its own nodes, if it can be.
static bool lay_own(struct rr_migration *m, struct rr_sim *s, struct mover *x)
{
    const struct rr_slot *r = &s->slot.at[x->slot];
    const struct rr_fleet_pool *p = &s->pool[r->pool];
    const struct rr_need *n = rr_need_of(&s->asks, x->ask, r->pool);
    struct plot *t = &m->plot[r->pool];
    uint32_t node = r->node;
    for (int32_t i = 0; i<n->nodes; i++, node = n->nodes> 1 ? p->node[node].next : node) {
        if (!x->fixed && !has_room(p, t, node, n)) return false;
        if (n->nodes == 1 && !devices_free(device_at(p, t, node), n, r->devices)) return false;
    }
    node = r->node;
    x->pool = r->pool;
    x->at = (uint32_t)m->node.n;
    x->n = (uint32_t)n->nodes;
    for (int32_t i = 0; i<n->nodes; i++, node = n->nodes> 1 ? p->node[node].next : node) {
        rr_room_take_at(p, &t->room[node], device_at(p, t, node), n, r->devices);
        rr_vec_push(&m->node, node);
    }
    return true;
}

static bool lay_in(struct rr_migration *m, struct rr_sim *s, struct mover *x, size_t pool)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    const struct rr_need *n = rr_need_of(&s->asks, x->ask, pool);
    struct plot *t = &m->plot[pool];
    if (n->nodes == 0) return false;
    x->at = (uint32_t)m->node.n;
    x->n = 0;
    for (uint32_t node = 0; node < p->n_nodes && x->n < (uint32_t)n->nodes; node++) {
        if (!has_room(p, t, node, n)) continue;
        rr_vec_push(&m->node, node);
        x->n++;
    }
    if (x->n < (uint32_t)n->nodes) {
        m->node.n = x->at;
        return false;
    }
    x->pool = (uint16_t)pool;
    uint64_t devices;
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t node = m->node.at[x->at + i];
        rr_room_take(p, &t->room[node], device_at(p, t, node), n, &devices);
    }
    return true;
}

static bool lay(struct rr_migration *m, struct rr_sim *s, struct mover *x)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (lay_in(m, s, x, i)) return true;
    return false;
}

// --- who should run ---

static int by_rank(const void *a, const void *b)
{
    const struct mover *x = a, *y = b;
    if (x->fixed != y->fixed) return x->fixed ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static void collect(struct rr_migration *m, struct rr_ranked *r, struct rr_sim *s)
{
    m->all.n = 0;
    for (size_t i = 0; i < rr_sim_n_running(s); i++) {
        const uint32_t slot = rr_sim_running(s, i);
        const struct rr_slot *k = &s->slot.at[slot];
        struct mover x = {.job = k->job, .ask = k->ask, .slot = slot};
        x.fixed = !rr_sim_interruptible(s, k->job) || rr_ranked_is_guarded(r, k->job) || !is_open(&s->pool[k->pool], k->node);
        x.rank = r->rules.runs(r->state, s, slot);
        if (r->rules.counts_from_zero && x.rank != RR_NEVER) x.rank -= s->now_us;
        rr_vec_push(&m->all, x);
    }
    size_t kept = 0;
    for (size_t i = 0; i < r->waiting.n; i++) {
        const struct rr_ranked_job w = r->waiting.at[i];
        if (!rr_sim_waits(s, w.job) || r->rank[w.job] != w.rank) continue;
        r->waiting.at[kept++] = w;
        const struct mover x = {.rank = w.rank, .job = w.job, .ask = w.ask, .slot = RR_NO_SLOT};
        rr_vec_push(&m->all, x);
    }
    r->waiting.n = kept;
    qsort(m->all.at, m->all.n, sizeof *m->all.at, by_rank);
}

// Lay all on empty nodes; false: nobody who waits should run.
static bool choose(struct rr_migration *m, struct rr_ranked *r, struct rr_sim *s)
{
    bool any = false;
    clear(m, s);
    m->node.n = 0;
    m->stopped = false;
    for (size_t i = 0; i < m->all.n; i++) {
        struct mover *x = &m->all.at[i];
        const bool waits = x->slot == RR_NO_SLOT;
        if (i > 0 && waits && m->all.at[i - 1].job == x->job) continue; // entered twice
        x->chosen = x->fixed || (m->stopped && !waits) ? lay_own(m, s, x) : !m->stopped && lay(m, s, x);
        any |= x->chosen && waits;
        if (!x->chosen && waits && (r->rules.blocking || rr_ranked_is_guarded(r, x->job))) m->stopped = true;
    }
    return any;
}

// --- making it so ---

// Those that run and should stay where they are; do the others find room beside them?
static bool fits_beside(struct rr_migration *m, struct rr_sim *s)
{
    bool all = true;
    clear(m, s);
    for (size_t i = 0; i < m->all.n; i++) {
        struct mover *x = &m->all.at[i];
        if (x->chosen && x->slot != RR_NO_SLOT) all &= lay_own(m, s, x);
    }
    for (size_t i = 0; i < m->all.n && all; i++) {
        struct mover *x = &m->all.at[i];
        if (x->chosen && x->slot == RR_NO_SLOT) all &= lay(m, s, x);
    }
    for (size_t i = 0; i < m->all.n && all; i++) {
        struct mover *x = &m->all.at[i];
        if (!x->chosen && x->slot != RR_NO_SLOT) x->stays = lay_own(m, s, x);
    }
    return all;
}

static bool is_where_laid(const struct rr_migration *m, const struct rr_sim *s, const struct mover *x)
{
    const struct rr_slot *r = &s->slot.at[x->slot];
    if (r->pool != x->pool) return false;
    uint32_t node = r->node;
    for (uint32_t i = 0; i<x->n; i++, node = x->n> 1 ? s->pool[r->pool].node[node].next : node) {
        bool found = false;
        for (uint32_t k = 0; k < x->n && !found; k++) found = m->node.at[x->at + k] == node;
        if (!found) return false;
    }
    return true;
}

static void clear_the_way(struct rr_migration *m, struct rr_sim *s, bool anew)
{
    for (size_t i = 0; i < m->all.n; i++) {
        struct mover *x = &m->all.at[i];
        if (x->slot == RR_NO_SLOT || x->fixed || x->stays) continue;
        x->moves = x->chosen && anew && !is_where_laid(m, s, x);
    }
    for (size_t i = 0; i < m->all.n; i++) {
        const struct mover *x = &m->all.at[i];
        if (x->slot == RR_NO_SLOT || x->fixed || x->stays || (x->chosen && !x->moves)) continue;
        rr_sim_preempt(s, x->job, x->moves ? RR_WHY_MOVED : RR_WHY_PREEMPTED);
    }
}

static void start_there(struct rr_migration *m, struct rr_sim *s, const struct mover *x)
{
    struct rr_fleet_pool *p = &s->pool[x->pool];
    const struct rr_need *n = rr_need_of(&s->asks, x->ask, x->pool);
    const uint32_t node = n->nodes > 1 ? rr_fleet_find(p, n) : m->node.at[x->at];
    if (n->nodes == 1 && !rr_room_fits(p, &p->group.at[p->node[node].group].room, n)) return;
    if (node != RR_NO_NODE) rr_sim_begin(s, x->job, x->ask, x->pool, node);
}

void rr_ranked_migrate(struct rr_ranked *r, struct rr_sim *s)
{
    struct rr_migration *m = r->migration;
    collect(m, r, s);
    if (choose(m, r, s)) {
        const bool anew = r->rules.migrate == RR_MIGRATE_ALWAYS || !fits_beside(m, s);
        if (anew) {
            for (size_t i = 0; i < m->all.n; i++) m->all.at[i].stays = false;
            choose(m, r, s);
        }
        clear_the_way(m, s, anew);
        for (size_t i = 0; i < m->all.n; i++)
            if (m->all.at[i].chosen && rr_sim_waits(s, m->all.at[i].job)) start_there(m, s, &m->all.at[i]);
    }
    for (size_t i = 0; i < m->all.n && !m->stopped; i++)
        if (rr_sim_waits(s, m->all.at[i].job)) rr_sim_start(s, m->all.at[i].job, m->all.at[i].ask);
}

void rr_ranked_migration_init(struct rr_ranked *r, const struct rr_sim *s)
{
    struct rr_migration *m = r->migration = memset(rr_xrealloc(NULL, 1, sizeof *m), 0, sizeof *m);
    m->plot = memset(rr_xrealloc(NULL, s->n_pools, sizeof *m->plot), 0, s->n_pools * sizeof *m->plot);
}

void rr_ranked_migration_done(struct rr_ranked *r, size_t n_pools)
{
    struct rr_migration *m = r->migration;
    if (!m) return;
    for (size_t i = 0; i < n_pools; i++) {
        free(m->plot[i].room);
        free(m->plot[i].device);
    }
    free(m->plot);
    rr_vec_done(&m->all);
    rr_vec_done(&m->node);
    free(m);
}
