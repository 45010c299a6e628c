/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/queue.c - as many nodes as the queue needs.
 *
 * Growth looks at the whole queue: the asks, largest first, are laid over the room of ready nodes, then of booting ones; what is left over is
 * laid on new nodes, as far as `max` allows, pool by pool; a pool that has refused a node is left
 * out until it may be asked again. An idle node is released idle_timeout after its last job (sim/engine/elastic.c). */
#include "sim/autoscale/autoscale.h"

struct bin { // `count` nodes with this room
    struct rr_room room;
    int64_t count;
    bool empty;
};
struct plan {
    RR_VEC(struct bin) bin;
    RR_VEC(uint32_t) ask; // that wait, largest first
    RR_VEC(int64_t) left; // [ask.n] jobs without a place yet
};

// How many jobs of this need one node with this room takes; shares of devices are counted low, but never 0 when one fits.
static int64_t per_node(const struct rr_fleet_pool *p, const struct bin *b, const struct rr_need *n)
{
    if (!rr_room_fits(p, &b->room, n)) return 0;
    int64_t k = INT32_MAX;
    if (n->whole) k = b->room.whole / n->whole;
    if (n->part) k = (int64_t)b->room.whole * (1000 / n->part) + b->room.part / n->part;
    if (n->cpus_milli && b->room.cpus_milli != INT32_MAX && b->room.cpus_milli / n->cpus_milli < k) k = b->room.cpus_milli / n->cpus_milli;
    if (n->memory_mib && b->room.memory_mib != INT32_MAX && b->room.memory_mib / n->memory_mib < k) k = b->room.memory_mib / n->memory_mib;
    return k > 0 ? k : 1;
}

static struct rr_room room_less(const struct bin *b, const struct rr_need *n, int64_t jobs)
{
    struct rr_room r = b->room;
    r.whole -= (int32_t)(n->whole * jobs);
    if (n->part && r.part >= n->part * jobs) {
        r.part -= (int32_t)(n->part * jobs);
    } else if (n->part) {
        const int64_t a_device = 1000 / n->part;
        r.whole -= (int32_t)((jobs + a_device - 1) / a_device);
        if (r.whole < 0) r.whole = 0;
        r.part = 0;
    }
    if (r.cpus_milli != INT32_MAX) r.cpus_milli -= (int32_t)(n->cpus_milli * jobs);
    if (r.memory_mib != INT32_MAX) r.memory_mib -= (int32_t)(n->memory_mib * jobs);
    return r;
}

// Lay up to `jobs` one-node jobs on bin i; what they leave of the nodes becomes bins of its own. Returns how many found a place.
static int64_t lay(const struct rr_fleet_pool *p, struct plan *plan, size_t i, const struct rr_need *n, int64_t jobs)
{
    const struct bin b = plan->bin.at[i];
    const int64_t k = b.count > 0 ? per_node(p, &b, n) : 0;
    if (k == 0) return 0;
    const int64_t fit = jobs / k < b.count ? jobs : b.count * k;
    const int64_t full = fit / k, rest = fit % k;
    plan->bin.at[i].count -= full + (rest > 0);
    if (full) rr_vec_push(&plan->bin, ((struct bin){.room = room_less(&b, n, k), .count = full}));
    if (rest) rr_vec_push(&plan->bin, ((struct bin){.room = room_less(&b, n, rest), .count = 1}));
    return fit;
}

// Take up to `nodes` wholly free nodes out of the bins; with `dry`, only count them.
static int64_t take_empty(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t nodes, bool dry)
{
    int64_t got = 0;
    for (size_t i = 0; i < plan->bin.n && got < nodes; i++) {
        struct bin *b = &plan->bin.at[i];
        if (!b->empty || !rr_room_fits(p, &b->room, n)) continue;
        const int64_t k = b->count < nodes - got ? b->count : nodes - got;
        if (!dry) b->count -= k;
        got += k;
    }
    return got;
}

// Find places for `jobs` jobs of this need; returns how many new nodes that takes, at most `most`.
static int64_t place_multi(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t *jobs, int64_t most)
{
    const int64_t want = *jobs * n->nodes, have = take_empty(p, plan, n, want, true);
    const int64_t more = want - have < most ? want - have : most;
    if (more > 0) rr_vec_push(&plan->bin, ((struct bin){rr_room_empty(p, 0), more, true}));
    const int64_t placed = (have + more) / n->nodes;
    take_empty(p, plan, n, placed * n->nodes, false);
    *jobs -= placed;
    return more;
}

static int64_t place_single(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t *jobs, int64_t most)
{
    const size_t old = plan->bin.n;
    for (size_t i = 0; i<old && * jobs> 0; i++) *jobs -= lay(p, plan, i, n, *jobs);
    if (*jobs == 0 || most == 0) return 0;
    const struct bin fresh = {rr_room_empty(p, 0), most, true};
    const int64_t k = per_node(p, &fresh, n), nodes = (*jobs + k - 1) / k;
    const int64_t more = nodes < most ? nodes : most;
    rr_vec_push(&plan->bin, ((struct bin){fresh.room, more, true}));
    *jobs -= lay(p, plan, plan->bin.n - 1, n, *jobs);
    return more;
}

static int compare_asks(const void *a, const void *b, void *ctx)
{
    const struct rr_asks *asks = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct rr_ask *x = &asks->ask.at[i], *y = &asks->ask.at[j];
    if (x->gpus_milli != y->gpus_milli) return x->gpus_milli > y->gpus_milli ? -1 : 1;
    if (x->cpus_milli != y->cpus_milli) return x->cpus_milli > y->cpus_milli ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void plan_init(struct rr_sim *s, struct plan *plan)
{
    for (size_t i = 0; i < s->asks.busy.n; i++) rr_vec_push(&plan->ask, s->asks.busy.at[i]);
    qsort_r(plan->ask.at, plan->ask.n, sizeof *plan->ask.at, compare_asks, &s->asks);
    for (size_t i = 0; i < plan->ask.n; i++) rr_vec_push(&plan->left, (int64_t)s->asks.ask.at[plan->ask.at[i]].waiting);
}

// The rooms that the pool has or will have without asking for more.
static void plan_bins(const struct rr_sim *s, size_t pool, struct plan *plan)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    plan->bin.n = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (g->set.count) rr_vec_push(&plan->bin, ((struct bin){g->room, g->set.count, g->empty_nodes}));
    }
    if (s->books[pool].starting) rr_vec_push(&plan->bin, ((struct bin){rr_room_empty(p, 0), s->books[pool].starting, true}));
}

static bool may_ask(const struct rr_sim *s, const struct rr_books *b)
{
    return b->elastic && b->scaler->by_demand && b->held < b->limit && s->now_us >= b->retry_at_us;
}

// Of `left` jobs those that may use the pool yet.
static int64_t may_use(const struct rr_sim *s, size_t pool, uint32_t ask, int64_t left)
{
    const int64_t after = s->world->scenario->pool[pool].spill_after_us;
    const int64_t n = after > 0 ? rr_waits_count(s, ask, after) : left;
    return n < left ? n : left;
}

// Lay the jobs that are left on the pool's nodes; returns how many new ones they need.
static int64_t plan_pool(struct rr_sim *s, size_t pool, struct plan *plan)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    const struct rr_books *b = &s->books[pool];
    const int64_t most = may_ask(s, b) ? b->limit - b->held : 0;
    int64_t asked = 0;
    plan_bins(s, pool, plan);
    for (size_t a = 0; a < plan->ask.n; a++) {
        const struct rr_need *n = rr_need_of(&s->asks, plan->ask.at[a], pool);
        if (n->nodes == 0 || plan->left.at[a] == 0) continue;
        const int64_t jobs = may_use(s, pool, plan->ask.at[a], plan->left.at[a]);
        int64_t left = jobs;
        if (jobs == 0) continue;
        asked += (n->nodes > 1 ? place_multi : place_single)(p, plan, n, &left, most - asked);
        plan->left.at[a] -= jobs - left;
    }
    return asked;
}

static bool can_grow(const struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (may_ask(s, &s->books[i]) && s->books[i].waiting > 0) return true;
    return false;
}

// False: a node was refused, and its pool is not asked again for a while; what was to go there must be laid anew.
static bool grow(struct rr_sim *s)
{
    struct plan plan = {0};
    bool granted = true;
    plan_init(s, &plan);
    for (size_t k = 0; k < s->n_pools && granted; k++) {
        const size_t i = rr_sim_pool_at(s, k);
        for (int64_t n = plan_pool(s, i, &plan); n > 0 && granted; n--) granted = rr_sim_node_request(s, i) != RR_NO_NODE;
    }
    rr_vec_done(&plan.bin);
    rr_vec_done(&plan.ask);
    rr_vec_done(&plan.left);
    return granted;
}

void rr_sim_grow(struct rr_sim *s)
{
    if (!s->any_elastic || s->level.queue == 0) return;
    while (can_grow(s) && !grow(s)) {}
}

int64_t rr_sim_missing(struct rr_sim *s, size_t pool, uint32_t ask)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    const struct rr_need *n = rr_need_of(&s->asks, ask, pool);
    struct plan plan = {0};
    int64_t one = 1, more = 0;
    plan_bins(s, pool, &plan);
    if (n->nodes) more = (n->nodes > 1 ? place_multi : place_single)(p, &plan, n, &one, n->nodes);
    rr_vec_done(&plan.bin);
    return more;
}

const struct rr_autoscaler rr_autoscaler_queue = {
    .kind = {.name = "queue", .summary = "what the queue needs; idle nodes leave after the pool's idle_timeout", .use = RR_USE_IDLES},
    .by_demand = true};
