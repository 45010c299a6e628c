/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_policies_reference.c - sjf, srtf, srsf, priority, las and edf against their plain definition, on random small worlds.
 *
 * The reference looks at every node, every job and every moment afresh: no heap, no tree, no memory of what was refused before. Each job must start and
 * end at the same microsecond, on the same node, after as many attempts. Times are small whole seconds, so that ties are common; estimates
 * may be wrong; starts, restores and writes cost time; a part of the worlds counts CPUs too, runs in rounds or has the starvation guard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include "sim/policy/ranked.h"
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 12
#define MOST_JOBS  80
#define NEVER      (INT64_MAX / 4)

enum policy { SJF, SRTF, SRSF, PRIORITY, EDF, LAS };
static const char *const names[] = {"sjf", "srtf", "srsf", "priority", "edf", "las"};

struct job {
    int64_t submit, run, estimate, deadline, priority;
    int gpus, cpus, k; // k nodes
    // what becomes of it
    bool active, over, refused, guarded;
    int attempts, node;
    int64_t first_start, end, begin, kept, owed, paying, waited, since, held, entered; // `begin` of the attempt; `overhead` in front of it
    int64_t overhead;
    int queue; // las
    bool holds[MOST_NODES], plan[MOST_NODES];
    bool chosen, stays;
};
struct world {
    enum policy policy;
    int nodes, gpus, cpus, jobs; // of a node; cpus 0: not counted
    bool preempt, blocking;
    int migrate;
    int64_t max_wait, round, start, restore, write, threshold;
    struct job job[MOST_JOBS];
    int64_t now, entries;
};

static int share(const struct world *w, const struct job *j) { return j->k > 1 ? w->gpus : j->gpus; }
static int cpu_share(const struct world *w, const struct job *j) { return j->k > 1 ? w->cpus : j->cpus; }
static bool waits(const struct world *w, const struct job *j) { return !j->active && !j->over && j->submit <= w->now; }
static bool interrupts(const struct world *w) { return w->policy == SRTF || w->policy == SRSF || w->policy == LAS || w->preempt; }
static int64_t positive(int64_t x) { return x > 0 ? x : 0; }

static void room(const struct world *w, int n, int *gpus, int *cpus)
{
    *gpus = w->gpus;
    *cpus = w->cpus;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].holds[n]) *gpus -= share(w, &w->job[i]), *cpus -= cpu_share(w, &w->job[i]);
}

static bool fits_on(const struct world *w, const struct job *j, int n)
{
    int gpus, cpus;
    room(w, n, &gpus, &cpus);
    if (j->k > 1) return gpus == w->gpus && cpus == w->cpus;
    return gpus >= j->gpus && (w->cpus == 0 || cpus >= j->cpus);
}

static bool fits(const struct world *w, const struct job *j)
{
    int count = 0;
    for (int n = 0; n < w->nodes; n++) count += fits_on(w, j, n);
    return count >= j->k;
}

// --- ranks ---

static int64_t overhead(const struct world *w, const struct job *j) { return j->owed + w->start + (j->kept > 0 ? w->restore : 0); }
static int64_t attained(const struct world *w, const struct job *j) { return j->gpus * (j->held + (j->active ? w->now - j->begin : 0)); }

// The time it takes from now on by the estimate.
static int64_t left(const struct world *w, const struct job *j)
{
    if (!j->active) return overhead(w, j) + positive(j->estimate - j->kept);
    return j->begin + j->overhead + positive(j->estimate - j->kept) - w->now;
}

static int64_t rank(const struct world *w, const struct job *j)
{
    switch (w->policy) {
    case SJF:
    case SRTF: return left(w, j);
    case SRSF: return positive(left(w, j)) * j->gpus;
    case PRIORITY: return -j->priority;
    case EDF: return j->deadline;
    case LAS: return j->queue ? 1000 + j->entered : j - w->job;
    }
    return 0;
}

// --- starting and interrupting ---

static void begin_there(struct world *w, struct job *j)
{
    j->overhead = overhead(w, j);
    j->paying = j->owed;
    j->owed = 0;
    j->begin = w->now;
    if (j->attempts++ == 0) j->first_start = w->now;
    j->waited += w->now - j->since;
    j->end = w->now + j->overhead + j->run - j->kept;
    j->active = true;
}

static void begin(struct world *w, struct job *j)
{
    int got = 0;
    if (j->k > 1) {
        j->node = -1;
        for (int n = 0; n < w->nodes && got < j->k; n++) {
            if (!fits_on(w, j, n)) continue;
            if (got++ == 0) j->node = n;
        }
        got = 0;
        bool take[MOST_NODES] = {false};
        for (int n = 0; n < w->nodes && got < j->k; n++)
            if (fits_on(w, j, n)) take[n] = true, got++;
        memcpy(j->holds, take, sizeof take);
    } else { // pack: the node with the fewest free GPUs
        int best = -1, least = 0;
        for (int n = 0; n < w->nodes; n++) {
            int gpus, cpus;
            room(w, n, &gpus, &cpus);
            if (!fits_on(w, j, n) || (best >= 0 && gpus >= least)) continue;
            best = n;
            least = gpus;
        }
        j->node = best;
        j->holds[best] = true;
    }
    begin_there(w, j);
}

static void begin_as(struct world *w, struct job *j, const bool *plan)
{
    memcpy(j->holds, plan, sizeof j->holds);
    for (j->node = 0; !plan[j->node];) j->node++;
    begin_there(w, j);
}

static void release(struct job *j)
{
    memset(j->holds, 0, sizeof j->holds);
    j->active = false;
}

static void interrupt(struct world *w, struct job *j)
{
    release(j);
    const int64_t work = w->now - j->begin - j->overhead;
    j->owed = positive(j->paying - (w->now - j->begin)); // what of an old write is still to be paid
    if (work > 0) j->kept += work, j->owed += w->write;
    j->held += w->now - j->begin;
    j->since = w->now;
    j->refused = false;
}

struct victim {
    struct job *job;
    int64_t rank;
};
static int compare_victims(const void *a, const void *b)
{
    const struct victim *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return x->job > y->job ? -1 : 1;
}

static int on_node(struct world *w, int n, struct victim *v)
{
    int count = 0;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].holds[n]) v[count++] = (struct victim){&w->job[i], w->job[i].guarded ? -NEVER : rank(w, &w->job[i])};
    qsort(v, (size_t)count, sizeof *v, compare_victims);
    return count;
}

static bool fits_without(const struct world *w, const struct job *j, int n, const struct victim *v, int k, unsigned stay)
{
    int gpus, cpus;
    room(w, n, &gpus, &cpus);
    for (int i = 0; i < k; i++)
        if (!(stay >> i & 1)) gpus += share(w, v[i].job), cpus += cpu_share(w, v[i].job);
    return gpus >= j->gpus && (w->cpus == 0 || cpus >= j->cpus);
}

static bool clear_one(struct world *w, const struct job *j, int64_t above)
{
    struct victim v[MOST_JOBS];
    int best = -1;
    int64_t most = above;
    for (int n = 0; n < w->nodes; n++) {
        const int count = on_node(w, n, v);
        for (int k = 1; k <= count && v[k - 1].rank > most; k++)
            if (fits_without(w, j, n, v, k, 0)) {
                best = n;
                most = v[k - 1].rank;
                break;
            }
    }
    if (best < 0) return false;
    on_node(w, best, v);
    int k = 1;
    while (!fits_without(w, j, best, v, k, 0)) k++;
    unsigned stay = 0;
    for (int i = k - 1; i >= 0; i--)
        if (fits_without(w, j, best, v, k, stay | 1u << i)) stay |= 1u << i;
    for (int i = 0; i < k; i++)
        if (!(stay >> i & 1)) interrupt(w, v[i].job);
    return true;
}

static bool clear_many(struct world *w, const struct job *j, int64_t above)
{
    struct victim v[MOST_JOBS];
    int can = 0;
    for (int n = 0; n < w->nodes; n++) {
        const int count = on_node(w, n, v);
        can += count == 0 || v[count - 1].rank > above;
    }
    if (can < j->k) return false;
    while (!fits(w, j)) {
        int best = -1;
        int64_t most = above;
        for (int n = 0; n < w->nodes; n++) {
            const int count = on_node(w, n, v);
            if (count && v[count - 1].rank > most) best = n, most = v[count - 1].rank;
        }
        const int count = on_node(w, best, v);
        for (int i = 0; i < count; i++) interrupt(w, v[i].job);
    }
    return true;
}

// --- the pass that moves jobs ---

// Room on node n beside all that is planned there.
static bool plan_fits(const struct world *w, const struct job *j, int n)
{
    int gpus = w->gpus, cpus = w->cpus;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].plan[n]) gpus -= share(w, &w->job[i]), cpus -= cpu_share(w, &w->job[i]);
    if (j->k > 1) return gpus == w->gpus && cpus == w->cpus;
    return gpus >= j->gpus && (w->cpus == 0 || cpus >= j->cpus);
}

static bool plan_first(struct world *w, struct job *j)
{
    int got = 0;
    bool take[MOST_NODES] = {false};
    for (int n = 0; n < w->nodes && got < j->k; n++)
        if (plan_fits(w, j, n)) take[n] = true, got++;
    if (got < j->k) return false;
    memcpy(j->plan, take, sizeof take);
    return true;
}

static bool plan_own(struct world *w, struct job *j)
{
    for (int n = 0; n < w->nodes; n++)
        if (j->holds[n] && !plan_fits(w, j, n)) return false;
    memcpy(j->plan, j->holds, sizeof j->plan);
    return true;
}

static void plan_nothing(struct world *w)
{
    for (int i = 0; i < w->jobs; i++) memset(w->job[i].plan, 0, sizeof w->job[i].plan);
}

static int by_order(const void *a, const void *b, void *ctx)
{
    const struct world *w = ctx;
    const struct job *x = &w->job[*(const int *)a], *y = &w->job[*(const int *)b];
    const bool fixed_x = x->active && x->guarded, fixed_y = y->active && y->guarded;
    if (fixed_x != fixed_y) return fixed_x ? -1 : 1;
    if (!fixed_x && x->guarded != y->guarded) return x->guarded ? -1 : 1;
    if (!fixed_x && !x->guarded && rank(w, x) != rank(w, y)) return rank(w, x) < rank(w, y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool plan_all(struct world *w, const int *order, int n, bool *stopped)
{
    bool any = false;
    plan_nothing(w);
    *stopped = false;
    for (int i = 0; i < n; i++) {
        struct job *j = &w->job[order[i]];
        if (j->active && (j->guarded || *stopped))
            j->chosen = plan_own(w, j);
        else
            j->chosen = !*stopped && plan_first(w, j);
        any |= j->chosen && !j->active;
        if (!j->chosen && !j->active && (w->blocking || j->guarded)) *stopped = true;
    }
    return any;
}

static void migrating_pass(struct world *w)
{
    int order[MOST_JOBS], n = 0;
    bool stopped, beside = true;
    for (int i = 0; i < w->jobs; i++)
        if (waits(w, &w->job[i]) || w->job[i].active) order[n++] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_order, w);
    const bool any = plan_all(w, order, n, &stopped);
    if (any) {
        beside = w->migrate == 1;
        plan_nothing(w);
        for (int i = 0; i < n; i++)
            if (w->job[order[i]].chosen && w->job[order[i]].active) beside &= plan_own(w, &w->job[order[i]]);
        for (int i = 0; i < n && beside; i++)
            if (w->job[order[i]].chosen && !w->job[order[i]].active) beside &= plan_first(w, &w->job[order[i]]);
        if (!beside) plan_all(w, order, n, &stopped);
        for (int i = 0; i < n; i++) {
            struct job *j = &w->job[order[i]];
            if (!j->active || (j->guarded && j->chosen)) continue;
            if (!j->chosen ? beside && plan_own(w, j) : memcmp(j->plan, j->holds, sizeof j->plan) == 0) continue;
            interrupt(w, j);
        }
        for (int i = 0; i < n; i++)
            if (w->job[order[i]].chosen && !w->job[order[i]].active) begin_as(w, &w->job[order[i]], w->job[order[i]].plan);
    }
    for (int i = 0; i < n && !stopped; i++)
        if (!w->job[order[i]].active && fits(w, &w->job[order[i]])) begin(w, &w->job[order[i]]);
}

// --- the pass ---

static struct job *first_waiting(struct world *w)
{
    struct job *best = NULL;
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (!waits(w, j) || j->refused) continue;
        if (best && best->guarded != j->guarded ? best->guarded : best && (best->guarded || rank(w, best) <= rank(w, j))) continue;
        best = j;
    }
    return best;
}

static void pass(struct world *w)
{
    if (w->migrate) {
        migrating_pass(w);
        return;
    }
    for (int i = 0; i < w->jobs; i++) w->job[i].refused = false;
    for (struct job *j; (j = first_waiting(w));) {
        const int64_t above = j->guarded ? -NEVER / 2 : rank(w, j);
        if (fits(w, j) || (interrupts(w) && (j->k > 1 ? clear_many : clear_one)(w, j, above))) {
            begin(w, j);
            continue;
        }
        j->refused = true;
        if (w->blocking || j->guarded) return;
    }
}

static int64_t due(const struct world *w, const struct job *j) { return j->since + positive(w->max_wait - j->waited); }

static void note_changes(struct world *w)
{
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (j->submit == w->now && j->attempts == 0) j->since = w->now;
    }
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (w->max_wait && waits(w, j) && w->now >= due(w, j)) j->guarded = true;
    }
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (w->policy == LAS && j->active && j->queue == 0 && attained(w, j) >= w->threshold) j->queue = 1, j->entered = ++w->entries;
    }
}

static void earlier(int64_t *next, int64_t t, int64_t now)
{
    if (t > now && t < *next) *next = t;
}

static void reference(struct world *w)
{
    for (w->now = 0; w->now != NEVER;) {
        bool any = false;
        for (int i = 0; i < w->jobs; i++)
            if (w->job[i].active && w->job[i].end <= w->now) release(&w->job[i]), w->job[i].over = true;
        note_changes(w);
        for (int i = 0; i < w->jobs; i++) any |= waits(w, &w->job[i]);
        if (any && (w->round == 0 || w->now % w->round == 0)) pass(w);
        for (int i = 0; i < w->jobs; i++) // of no length
            if (w->job[i].active && w->job[i].end <= w->now) any = true;
        int64_t next = NEVER;
        for (int i = 0; i < w->jobs; i++) {
            const struct job *j = &w->job[i];
            earlier(&next, j->submit, w->now);
            if (j->active) earlier(&next, j->end, w->now);
            if (w->max_wait && waits(w, j) && !j->guarded) earlier(&next, due(w, j), w->now);
            if (w->policy == LAS && j->active && j->queue == 0)
                earlier(&next, j->begin + (w->threshold + j->gpus - 1) / j->gpus - j->held, w->now);
        }
        if (any && w->round && w->now % w->round) earlier(&next, w->now - w->now % w->round + w->round, w->now);
        w->now = next;
    }
}

// --- the engine ---

struct row { // as the policies' own parameters
    struct rr_ranked_params common;
    bool preempt;
};
struct las_row {
    struct rr_ranked_params common;
    int64_t threshold_us;
};

static const struct rr_kind *kind(struct rr_kinds k, const char *name)
{
    const struct rr_kind *found = rr_kind_find(k, name);
    assert_non_null(found);
    return found;
}

static void engine(const struct world *w, struct rr_replay *r)
{
    static int64_t submit[MOST_JOBS], run[MOST_JOBS], estimate[MOST_JOBS], deadline[MOST_JOBS];
    static int32_t milli[MOST_JOBS], cpus[MOST_JOBS], priority[MOST_JOBS];
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        submit[i] = j->submit * RR_S;
        run[i] = j->run * RR_S;
        estimate[i] = j->estimate * RR_S;
        deadline[i] = j->deadline == NEVER ? RR_NEVER : (j->deadline - j->submit) * RR_S;
        priority[i] = (int32_t)j->priority;
        milli[i] = j->gpus * 1000;
        cpus[i] = j->cpus * 1000;
    }
    struct rr_trace t = {.n = (size_t)w->jobs,
                         .submit_us = submit,
                         .run_us = run,
                         .estimate_us = estimate,
                         .gpus_milli = milli,
                         .cpus_milli = w->cpus ? cpus : NULL,
                         .deadline_us = deadline,
                         .priority = priority};
    struct rr_node_shape shape = {.gpus = w->gpus, .cpus_milli = w->cpus * 1000, .memory_mib = w->cpus ? 1000 : 0, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "own", .pointer = "/pools/own", .shape = &shape, .n_shapes = 1, .nodes_min = w->nodes, .nodes_max = w->nodes, .gpu = ""};
    struct row row = {.common = {.max_wait_us = w->max_wait * RR_S, .migrate = w->migrate}, .preempt = w->preempt};
    struct las_row las = {.common = {.max_wait_us = w->max_wait * RR_S, .migrate = w->migrate}, .threshold_us = w->threshold * RR_S};
    struct rr_scenario sc = {.pool = &pool,
                             .n_pools = 1,
                             .checkpoint = {.start_us = w->start * RR_S, .restore_us = w->restore * RR_S, .write_us = w->write * RR_S},
                             .scheduler = {.policy = kind(rr_policies, names[w->policy]),
                                           .policy_params = w->policy == LAS ? (void *)&las : (void *)&row,
                                           .placement = kind(rr_placements, "pack"),
                                           .round_us = w->round * RR_S,
                                           .blocking = w->blocking}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    assert_int_equal(rr_engine_run(&world, r), RR_OK);
    if (rr_replay_check_jobs(&world, r, NULL) != RR_OK || rr_replay_check_time(&world, r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void make(struct world *w, enum policy policy, uint64_t seed)
{
    struct rr_rng g;
    rr_rng_init(&g, seed, 0, RR_RNG_TEST, (uint64_t)policy);
    *w = (struct world){.policy = policy,
                        .nodes = 1 + draw(&g, MOST_NODES),
                        .gpus = 1 + draw(&g, 8),
                        .jobs = 1 + draw(&g, MOST_JOBS),
                        .blocking = (policy == SJF || policy == PRIORITY) && draw(&g, 2),
                        .preempt = (policy == PRIORITY || policy == EDF) && draw(&g, 4),
                        .max_wait = draw(&g, 4) ? 0 : 1 + draw(&g, 90),
                        .round = draw(&g, 4) ? 0 : 1 + draw(&g, 20),
                        .threshold = 32 * (1 + draw(&g, 4))}; // in whole seconds for powers of two
    w->migrate = interrupts(w) && draw(&g, 3) == 0 ? 1 + draw(&g, 2) : 0;
    if (draw(&g, 3) == 0) w->cpus = w->gpus * (1 + draw(&g, 3));
    if (draw(&g, 2)) w->start = draw(&g, 4), w->restore = draw(&g, 4), w->write = draw(&g, 4);
    int64_t at = 0;
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        at += draw(&g, 3) ? draw(&g, 8) : 0;
        const int most = w->nodes * w->gpus < 40 ? w->nodes * w->gpus : 40;
        j->gpus = draw(&g, 3) ? 1 + draw(&g, w->gpus) : 1 + draw(&g, most);
        if (policy == LAS)
            while (j->gpus & (j->gpus - 1)) j->gpus &= j->gpus - 1;
        j->k = (j->gpus + w->gpus - 1) / w->gpus;
        j->cpus = w->cpus && j->k == 1 ? draw(&g, w->cpus + 1) : 0;
        j->submit = at;
        j->run = 1 + draw(&g, draw(&g, 4) ? 12 : 60);
        j->estimate = draw(&g, 4) ? j->run : 1 + draw(&g, 30);
        j->priority = draw(&g, 3);
        j->deadline = draw(&g, 4) ? at + draw(&g, 60) : NEVER;
    }
}

static void compare(const struct world *w, const struct rr_replay *r, uint64_t seed)
{
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        const struct rr_outcome *o = &r->outcome[i];
        if (o->start_us == j->first_start * RR_S && o->end_us == j->end * RR_S && o->node == (uint32_t)j->node &&
            o->attempts == j->attempts)
            continue;
        fail_msg(
            "%s%s, seed %llu (%d nodes of %d GPUs, %d CPUs, round %lld, guard %lld, blocking %d, preempt %d), job %d of %d: start %lld "
            "end %lld "
            "node %u attempts %d; the definition says %lld %lld %d %d",
            names[w->policy],
            w->migrate == 2 ? " always moving"
            : w->migrate    ? " moving"
                            : "",
            (unsigned long long)seed, w->nodes, w->gpus, w->cpus, (long long)w->round, (long long)w->max_wait, w->blocking, w->preempt, i,
            w->jobs, (long long)(o->start_us / RR_S), (long long)(o->end_us / RR_S), o->node, o->attempts, (long long)j->first_start,
            (long long)j->end, j->node, j->attempts);
    }
}

static void agrees(enum policy policy)
{
    static struct world w;
    const int worlds = getenv("RACKRATE_LONG") ? 20000 : 1000;
    size_t attempts = 0, jobs = 0;
    for (int seed = 1; seed <= worlds; seed++) {
        make(&w, policy, (uint64_t)seed);
        reference(&w);
        struct rr_replay r;
        engine(&w, &r);
        compare(&w, &r, (uint64_t)seed);
        jobs += r.n_jobs;
        for (size_t i = 0; i < r.n_jobs; i++) attempts += r.outcome[i].attempts;
        rr_replay_done(&r);
    }
    print_message("%s: %d worlds, %zu jobs, %zu attempts\n", names[policy], worlds, jobs, attempts);
}

static void sjf(void **state) { (void)state, agrees(SJF); }
static void srtf(void **state) { (void)state, agrees(SRTF); }
static void srsf(void **state) { (void)state, agrees(SRSF); }
static void priority(void **state) { (void)state, agrees(PRIORITY); }
static void edf(void **state) { (void)state, agrees(EDF); }

static void las(void **state) { (void)state, agrees(LAS); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sjf),      cmocka_unit_test(srtf), cmocka_unit_test(srsf),
                                       cmocka_unit_test(priority), cmocka_unit_test(edf),  cmocka_unit_test(las)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
