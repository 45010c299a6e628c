/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_fgd.c - fragmentation gradient descent: where free GPU is least spoilt for the jobs that usually come.
 *
 * Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", ATC'23. A node's fragmentation as a
 * typical job sees it is the free GPU that this job cannot use there: all of it when the node cannot host the job (GPU type, CPUs, devices; a
 * CPU-only job uses none), else what is free on devices with less than the job needs of one. Its mean over the typical jobs is the node's; a
 * job goes to the node, and a share to the device, where this grows least. Typical are the most frequent requests of the trace (CPUs, GPUs,
 * types; host memory is left out) that make up 95 % of its jobs. Growths that differ by
 * less than `fragment_grain` count as equal, and of equal nodes the lowest id is taken: on openb exact comparison packs 1 point less, and so
 * does the published program, which cuts a logistic function of the growth to whole hundredths (a step of 0.04 GPUs at 0) and takes the lowest name.
 * Sums are whole numbers.
 *
 * A node's cost depends on its state alone, so costs are kept by a hash of the state: after a start one node is worked out anew. Where devices are
 * shared, each node with room is looked at, else each distinct room. */
#include "sim/policy/placement.h"
#include <assert.h>

#define TYPICAL   95 // % of the jobs
#define DEVICE    1000
#define N_ENTRIES 65536u // of the cache, a power of two

struct typical {
    int64_t jobs;
    struct rr_need need; // nodes = 0: not in this pool
};
struct known {
    uint64_t key; // 0: none
    int64_t growth;
    int32_t from; // free share of the device taken, milli; 0 where none is to be chosen
};
struct params {
    uint64_t given;
    double grain;
};
static const struct rr_param rows[] = {{.name = "fragment_grain",
                                        .type = RR_P_REAL,
                                        .offset = offsetof(struct params, grain),
                                        .unit = "GPUs",
                                        .def = "0.04",
                                        .least = 0,
                                        .most = 8,
                                        .help = "fgd: growths of fragmentation that differ by less are alike; 0: exact",
                                        .source = "step of the score in the program of Weng et al., ATC'23",
                                        .flags = RR_PF_DECIDES}};
struct fgd {
    int64_t grain; // in the unit of the growths: jobs x milli-GPUs; at least 1
    size_t n;
    struct typical *typical; // [n_pools][n]
    struct known *known;     // [N_ENTRIES]
    bool fullest;            // a share goes to the fullest device that fits, as rr_room_take does
};
struct node {
    const struct rr_node_kind *kind;
    int32_t gpus, cpus_milli, total;
    uint16_t device[64]; // free share
    const struct rr_room *room;
    bool empty;
};

// --- what is typical ---

struct request { // asks that differ in host memory alone
    int64_t jobs;
    uint32_t ask; // the first of them
};

static int most_jobs_first(const void *a, const void *b)
{
    const struct request *x = a, *y = b;
    if (x->jobs != y->jobs) return x->jobs < y->jobs ? 1 : -1;
    return x->ask < y->ask ? -1 : 1;
}

static bool alike(const struct rr_ask *a, const struct rr_ask *b)
{
    return a->gpus_milli == b->gpus_milli && a->nodes == b->nodes && a->cpus_milli == b->cpus_milli && a->gpu_types == b->gpu_types;
}

// All requests of the trace, most frequent first. jobs[ask]
static size_t rank_requests(const struct rr_asks *asks, const int64_t *jobs, struct request *ret)
{
    size_t n = 0;
    for (uint32_t a = 0; a < asks->ask.n; a++) {
        size_t i = 0;
        while (i < n && !alike(&asks->ask.at[ret[i].ask], &asks->ask.at[a])) i++;
        if (i == n) ret[n++] = (struct request){.ask = a};
        ret[i].jobs += jobs[a];
    }
    qsort(ret, n, sizeof *ret, most_jobs_first);
    return n;
}

static int64_t *count_jobs(const struct rr_placing *pl)
{
    int64_t *jobs = NULL;
    for (uint32_t j = 0, known = 0; j < pl->trace->n; j++) {
        const uint32_t a = rr_ask_of(pl->asks, j);
        if (a >= known) {
            jobs = rr_xrealloc(jobs, 2 * (size_t)a + 64, sizeof *jobs);
            memset(jobs + known, 0, (2 * (size_t)a + 64 - known) * sizeof *jobs);
            known = 2 * a + 64;
        }
        jobs[a]++;
    }
    return jobs;
}

static void fgd_init(struct rr_placing *pl)
{
    struct fgd *f = pl->state;
    int64_t *jobs = count_jobs(pl), covered = 0;
    struct request *r = rr_xrealloc(NULL, pl->asks->ask.n + 1, sizeof *r);
    const size_t n = rank_requests(pl->asks, jobs, r);
    while (f->n < n && covered * 100 < (int64_t)pl->trace->n * TYPICAL) covered += r[f->n++].jobs;
    const struct params *params = pl->params;
    f->grain = (int64_t)((params ? params->grain : 0.04) * 1000 * (double)covered + 0.5);
    if (f->grain < 1) f->grain = 1;
    const size_t n_pools = pl->asks->n_pools;
    f->typical = rr_xrealloc(NULL, n_pools * f->n + 1, sizeof *f->typical);
    for (size_t i = 0; i < n_pools * f->n; i++) {
        const struct request *q = &r[i % f->n];
        f->typical[i] = (struct typical){.jobs = q->jobs, .need = *rr_need_of(pl->asks, q->ask, i / f->n)};
    }
    f->known = memset(rr_xrealloc(NULL, N_ENTRIES, sizeof *f->known), 0, N_ENTRIES * sizeof *f->known);
    free(r);
    free(jobs);
}

static void fgd_done(void *state)
{
    struct fgd *f = state;
    free(f->typical);
    free(f->known);
}

// --- fragmentation ---

static struct node look_at(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node)
{
    struct node s = {.kind = &p->kind.at[g->room.kind], .cpus_milli = g->room.cpus_milli, .room = &g->room, .empty = g->empty_nodes};
    s.total = g->room.free_milli;
    if (!p->device) return s;
    s.gpus = s.kind->gpus;
    memcpy(s.device, rr_place_device(p, node), (size_t)s.gpus * sizeof *s.device);
    return s;
}

// Free share that the typical job cannot use, of a node with `whole` devices wholly free (no device is shared).
static int32_t spoilt_whole(const struct node *s, const struct rr_need *m, int32_t whole)
{
    const int32_t total = whole * DEVICE;
    return m->part || whole < m->whole || s->cpus_milli < m->cpus_milli ? total : 0;
}

static int32_t spoilt(const struct node *s, const struct rr_need *m)
{
    const int32_t milli = m->part ? m->part : DEVICE, devices = m->part ? 1 : m->whole;
    int32_t lost = 0, fit = 0;
    for (int32_t d = 0; d < s->gpus; d++)
        if (s->device[d] >= milli)
            fit++;
        else
            lost += s->device[d];
    return fit < devices || s->cpus_milli < m->cpus_milli ? s->total : lost;
}

static int64_t fragments(const struct rr_fleet_pool *p, const struct node *s)
{
    const struct fgd *f = p->placing->state;
    const struct typical *t = &f->typical[p->index * f->n];
    int64_t sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct rr_need *m = &t[i].need;
        int32_t lost = s->total;
        if (m->nodes > 1)
            lost = s->empty && s->kind->gpus >= m->whole ? 0 : lost;
        else if (m->nodes == 1 && (m->whole || m->part) && (m->gpu_types == 0 || (s->kind->gpu_types & m->gpu_types)))
            lost = p->device ? spoilt(s, m) : spoilt_whole(s, m, s->total / DEVICE);
        sum += t[i].jobs * lost;
    }
    return sum;
}

// --- growth ---

static void take_whole(const struct rr_fleet_pool *p, struct node *s, int32_t whole)
{
    s->total -= whole * DEVICE;
    for (int32_t d = 0; p->device && whole > 0; d++)
        if (s->device[d] == DEVICE) {
            s->device[d] = 0;
            whole--;
        }
}

static int64_t share_taken(const struct rr_fleet_pool *p, const struct node *s, int32_t d, int32_t part)
{
    struct node t = *s;
    t.device[d] = (uint16_t)(t.device[d] - part);
    t.total -= part;
    return fragments(p, &t);
}

// The device whose loss of `part` spoils least: its free share, and the fragments then. Of equal ones, and with `fullest`, the fullest.
static int64_t after_share(const struct rr_fleet_pool *p, const struct node *s, int32_t part, bool fullest, int32_t *from)
{
    int64_t best = INT64_MAX;
    *from = 0;
    for (int32_t d = 0; d < s->gpus; d++) {
        const int32_t has = s->device[d];
        if (has < part || has == *from || (fullest && *from && has > *from)) continue;
        const int64_t then = share_taken(p, s, d, part);
        if (!fullest && (then > best || (then == best && has > *from))) continue;
        best = then;
        *from = has;
    }
    return best;
}

static int64_t growth_of(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n, int32_t *from)
{
    const struct fgd *f = p->placing->state;
    struct node s = look_at(p, g, node);
    const int64_t before = fragments(p, &s);
    s.empty = false;
    if (s.kind->cpus_milli) s.cpus_milli -= n->cpus_milli;
    *from = 0;
    if (n->part) return after_share(p, &s, n->part, f->fullest, from) - before;
    take_whole(p, &s, n->whole);
    return fragments(p, &s) - before;
}

// --- costs that are known ---

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 31;
}

// Of all that the growth depends on. Devices count as a bag; two states with the same 64 bits are not expected in any replay.
static uint64_t state_key(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n)
{
    const struct rr_room *r = &g->room;
    uint64_t h = mix((uint64_t)p->index << 32 | r->kind, (uint64_t)(uint32_t)r->cpus_milli << 32 | (uint32_t)r->free_milli);
    h = mix(h, (uint64_t)(uint32_t)n->cpus_milli << 32 | (uint32_t)(n->part ? n->part : n->whole * DEVICE));
    h = mix(h, (uint64_t)g->empty_nodes << 1 | ((const struct fgd *)p->placing->state)->fullest);
    if (!p->device) return h ? h : 1;
    uint64_t bag = 0;
    const uint16_t *device = rr_place_device(p, node);
    for (int32_t d = 0; d < p->kind.at[r->kind].gpus; d++) bag += mix(UINT64_C(0xBF58476D1CE4E5B9), device[d]);
    h = mix(h, bag);
    return h ? h : 1;
}

static const struct known *know(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n)
{
    const struct fgd *f = p->placing->state;
    const uint64_t key = state_key(p, g, node, n);
    struct known *k = &f->known[(uint32_t)(key >> 40) & (N_ENTRIES - 1)];
    if (k->key == key) return k;
    k->growth = growth_of(p, g, node, n, &k->from);
    k->key = key;
    return k;
}

static int64_t growth(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n)
{
    const int64_t grain = ((const struct fgd *)p->placing->state)->grain, by = know(p, g, node, n)->growth;
    return by / grain - (by % grain < 0);
}

// --- the choice ---

static int64_t rank(const struct rr_room *room) { return room->free_milli; }

static uint32_t choose(struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    const struct rr_need *n = seek->need;
    struct fgd *f = p->placing->state;
    if (n->nodes > 1) return rr_fleet_find(p, n); // wholly free nodes: smaller ones first, by id
    f->fullest = seek->allow != NULL;             // `allow` has judged the nodes with that device
    const uint32_t node = rr_place_least(p, seek, growth, p->device != NULL, NULL);
    if (node == RR_NO_NODE || !n->part || !p->device || f->fullest) return node;
    const struct known *k = know(p, &p->group.at[p->node[node].group], node, n);
    const uint16_t *device = rr_place_device(p, node);
    for (int32_t d = 0; d < rr_node_kind_of(p, node)->gpus && !p->chosen_devices; d++)
        if (device[d] == k->from) p->chosen_devices = UINT64_C(1) << d;
    return node;
}

const struct rr_placement rr_placement_fgd = {
    .kind = {.name = "fgd",
             .summary = "where free GPU is least fragmented for the jobs that usually come (ATC'23)",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct params)},
    .rank = rank,
    .choose = choose,
    .state_size = sizeof(struct fgd),
    .init = fgd_init,
    .done = fgd_done};
