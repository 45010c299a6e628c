/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/asks.c - what a request needs in each pool, and why it can never run. */
#include "sim/engine/asks.h"
#include "sim/engine/speed.h"
#include <assert.h>

#define DEVICE 1000 // milli

// --- which pools accept it ("accepts") ---

static uint16_t set_index(struct rr_asks *a, const bool *set)
{
    const size_t size = a->n_pools * sizeof *set;
    for (size_t i = a->accepting.n; i-- > 0;) // alike jobs come in runs
        if (memcmp(a->accepting.at[i], set, size) == 0) return (uint16_t)i;
    assert(a->accepting.n < UINT16_MAX);
    rr_vec_push(&a->accepting, memcpy(rr_xrealloc(NULL, size, 1), set, size));
    return (uint16_t)(a->accepting.n - 1);
}

static void find_accepting(struct rr_asks *a)
{
    bool any = false;
    for (size_t p = 0; p < a->n_pools; p++) any |= a->from[p].accepts != NULL;
    if (!any) return;
    bool *set = rr_xrealloc(NULL, a->n_pools, sizeof *set);
    a->accepted_of = rr_xrealloc(NULL, a->trace->n ? a->trace->n : 1, sizeof *a->accepted_of);
    for (size_t j = 0; j < a->trace->n; j++) {
        for (size_t p = 0; p < a->n_pools; p++) set[p] = !a->from[p].accepts || rr_where_holds(a->from[p].accepts, a->trace, j);
        a->accepted_of[j] = set_index(a, set);
    }
    free(set);
}

void rr_asks_init(struct rr_asks *a, const struct rr_trace *t, const struct rr_pool *from, const struct rr_fleet_pool *pool, size_t n_pools)
{
    *a = (struct rr_asks){.trace = t, .from = from, .pool = pool, .n_pools = n_pools, .table_cap = 64};
    a->table = memset(rr_xrealloc(NULL, a->table_cap, sizeof *a->table), 0, a->table_cap * sizeof *a->table);
    find_accepting(a);
}

void rr_asks_done(struct rr_asks *a)
{
    rr_vec_done(&a->ask);
    rr_vec_done(&a->need);
    rr_vec_done(&a->busy);
    for (size_t i = 0; i < a->accepting.n; i++) free((void *)(uintptr_t)a->accepting.at[i]);
    rr_vec_done(&a->accepting);
    free(a->accepted_of);
    free(a->table);
    *a = (struct rr_asks){0};
}

// --- what it needs ---

static bool type_fits(const struct rr_fleet_pool *p, const struct rr_node_kind *k, const struct rr_ask *q)
{
    if (p->by_name && q->gpu_types == 0) return q->gpus_milli == 0; // a slice is no GPU
    return q->gpu_types == 0 || (k->gpu_types & q->gpu_types) != 0;
}

// Nodes of kind `kind` that the pool can ever have.
static int64_t nodes_of_kind(const struct rr_fleet_pool *p, const struct rr_pool *from, uint32_t kind)
{
    if (!p->kind_of) return from->quota > 0 && from->quota < from->nodes_max ? from->quota : from->nodes_max;
    int64_t n = 0;
    for (size_t i = 0; i < from->n_shapes; i++) n += p->kind_of[i] == kind;
    return n;
}

static int32_t divide_up(int32_t a, int32_t b) { return (int32_t)(((int64_t)a + b - 1) / b); }

// The nodes that the job is spread over and what each gives; nodes = 0 when the pool has no device for it.
static struct rr_need split(const struct rr_fleet_pool *p, const struct rr_ask *q)
{
    const int32_t whole = q->gpus_milli / DEVICE, part = q->gpus_milli % DEVICE;
    int32_t most = 0;
    for (size_t k = 0; k < p->kind.n; k++)
        if (type_fits(p, &p->kind.at[k], q) && p->kind.at[k].gpus > most) most = p->kind.at[k].gpus;
    if (q->gpus_milli < 0 || (part && whole) || (q->gpus_milli > 0 && most == 0)) return (struct rr_need){0};
    int32_t n = whole > most ? divide_up(whole, most) : 1;
    if (q->nodes > n && !part) n = q->nodes; // a share of a device is on one node, whatever the trace says
    return (struct rr_need){.nodes = n,
                            .milli = q->gpus_milli,
                            .whole = divide_up(whole, n),
                            .n_fuller = n > 1 ? whole % n : 0,
                            .part = part,
                            .cpus_milli = divide_up(q->cpus_milli, n),
                            .memory_mib = divide_up(q->memory_mib, n),
                            .gpu_types = q->gpu_types};
}

// How far a request gets in a pool; the farthest over all pools is the reason for a rejection.
enum hurdle { NO_TYPE, NO_GPUS, NO_CPUS, NO_MEMORY, NO_NODE, FITS };

static enum hurdle try_kinds(const struct rr_fleet_pool *p, const struct rr_pool *from, const struct rr_ask *q, const struct rr_need *n)
{
    int64_t typed = 0, gpus = 0, cpus = 0, memory = 0, all = 0;
    for (uint32_t k = 0; k < p->kind.n; k++) {
        const int64_t count = nodes_of_kind(p, from, k);
        if (count == 0 || !type_fits(p, &p->kind.at[k], q)) continue;
        const struct rr_room r = rr_room_empty(p, k);
        const bool g = n->nodes && r.whole >= n->whole && (n->part == 0 || r.whole > 0);
        typed = 1;
        if (g) gpus = count > INT64_MAX - gpus ? INT64_MAX : gpus + count;
        if (r.cpus_milli >= n->cpus_milli) cpus = 1;
        if (r.memory_mib >= n->memory_mib) memory = 1;
        if (g && rr_room_fits(p, &r, n)) all = count > INT64_MAX - all ? INT64_MAX : all + count;
    }
    if (!typed) return NO_TYPE;
    if (n->nodes == 0 || gpus < n->nodes) return NO_GPUS;
    if (!cpus) return NO_CPUS;
    if (!memory) return NO_MEMORY;
    return all < n->nodes ? NO_NODE : FITS;
}

static enum rr_reason why(const struct rr_asks *a, enum hurdle h, const struct rr_ask *q)
{
    static const enum rr_reason reason[] = {RR_WHY_NO_GPU_TYPE, RR_WHY_TOO_LARGE, RR_WHY_NO_CPU,
                                            RR_WHY_NO_MEMORY,   RR_WHY_NO_DEVICE, RR_WHY_NONE};
    bool sliced = false;
    for (size_t i = 0; i < a->n_pools; i++) sliced |= a->pool[i].by_name;
    if (h == NO_TYPE && q->gpu_types == 0 && !sliced) return RR_WHY_TOO_LARGE; // pools without nodes
    if (h == NO_GPUS && q->gpus_milli > DEVICE && q->gpus_milli % DEVICE) return RR_WHY_NO_DEVICE;
    return reason[h];
}

// Does its class let the ask into the pool?
static bool may_use(const struct rr_asks *a, const struct rr_ask *q, size_t pool)
{
    if (q->of_class == RR_NO_CLASS) return true;
    const struct rr_class *c = &a->classes[q->of_class];
    return (!c->may_use || c->may_use[pool]) && (c->interruptible || !a->from[pool].reclaimable);
}

static uint32_t add(struct rr_asks *a, struct rr_ask q)
{
    enum hurdle best = NO_TYPE;
    enum rr_reason refused = RR_WHY_NONE; // by a pool that could run it
    for (size_t i = 0; i < a->n_pools; i++) {
        struct rr_need n = split(&a->pool[i], &q);
        const enum hurdle h = try_kinds(&a->pool[i], &a->from[i], &q, &n);
        const bool may_class = may_use(a, &q, i), may = may_class && (!a->accepted_of || a->accepting.at[q.accepted][i]);
        if (h != FITS || !may) n.nodes = 0;
        if (may && h > best) best = h;
        if (h == FITS && !may && refused != RR_WHY_ACCEPTS) refused = may_class ? RR_WHY_ACCEPTS : RR_WHY_CLASS;
        n.slowest_ppm = n.nodes ? rr_speeds_slowest(a->speeds, i, q.speed_class, &n) : RR_SPEED_REFERENCE;
        rr_vec_push(&a->need, n);
    }
    q.why = best != FITS && refused != RR_WHY_NONE ? refused : why(a, best, &q);
    rr_vec_push(&a->ask, q);
    return (uint32_t)a->ask.n - 1;
}

// --- which it is ---

static uint64_t hash(const struct rr_ask *q)
{
    uint64_t h = ((uint64_t)(uint32_t)q->gpus_milli << 32 | (uint32_t)q->cpus_milli) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32 ^ ((uint64_t)(uint32_t)q->memory_mib << 32 | (uint32_t)q->nodes)) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 29 ^ q->gpu_types ^ ((uint64_t)q->accepted << 32 | (uint64_t)q->of_class << 16 | q->speed_class)) *
        UINT64_C(0x94D049BB133111EB);
    return h ^ h >> 32;
}

static bool same(const struct rr_ask *a, const struct rr_ask *b)
{
    return a->gpus_milli == b->gpus_milli && a->nodes == b->nodes && a->cpus_milli == b->cpus_milli && a->memory_mib == b->memory_mib &&
           a->gpu_types == b->gpu_types && a->of_class == b->of_class && a->accepted == b->accepted && a->speed_class == b->speed_class;
}

static void widen(struct rr_asks *a)
{
    a->table_cap *= 2;
    a->table = memset(rr_xrealloc(a->table, a->table_cap, sizeof *a->table), 0, a->table_cap * sizeof *a->table);
    for (uint32_t i = 0; i < a->ask.n; i++) {
        uint32_t at = (uint32_t)hash(&a->ask.at[i]) & (a->table_cap - 1);
        while (a->table[at]) at = (at + 1) & (a->table_cap - 1);
        a->table[at] = i + 1;
    }
}

// Jobs of classes that limit nothing are alike.
static uint16_t limiting_class(const struct rr_asks *a, uint32_t job)
{
    const uint16_t k = a->class_of[job];
    return k != RR_NO_CLASS && (a->classes[k].may_use || !a->classes[k].interruptible) ? k : RR_NO_CLASS;
}

uint32_t rr_ask_of(struct rr_asks *a, uint32_t job)
{
    const struct rr_trace *t = a->trace;
    const struct rr_ask q = {.gpus_milli = t->gpus_milli[job],
                             .nodes = t->nodes ? t->nodes[job] : 0,
                             .cpus_milli = t->cpus_milli ? t->cpus_milli[job] : 0,
                             .memory_mib = t->memory_mib ? t->memory_mib[job] : 0,
                             .gpu_types = t->gpu_types ? t->gpu_types[job] : 0,
                             .of_class = a->class_of ? limiting_class(a, job) : RR_NO_CLASS,
                             .accepted = a->accepted_of ? a->accepted_of[job] : 0,
                             .speed_class = rr_speeds_class(a->speeds, t, job)};
    uint32_t at = (uint32_t)hash(&q) & (a->table_cap - 1);
    for (; a->table[at]; at = (at + 1) & (a->table_cap - 1))
        if (same(&a->ask.at[a->table[at] - 1], &q)) return a->table[at] - 1;
    const uint32_t ask = add(a, q);
    a->table[at] = ask + 1;
    if (a->ask.n * 2 > a->table_cap) widen(a);
    return ask;
}
