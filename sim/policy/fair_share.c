/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/fair_share.c - tenants share the machines by weight: whoever has used least for its weight is next.
 *
 * Tenants are accounts, users or classes; with `within` each is a virtual cluster whose own tenants share what it gets, in the same way. Every tenant has a
 * queue of its own, in order of arrival: a first job that finds no room, or would exceed a quota, holds up the queue that it is in and no
 * other. Nobody is interrupted.
 *
 * Usage is GPU time that fades: what was used `half_life` ago counts half (Slurm's multifactor plugin; 0: nothing fades). What runs counts
 * `ahead` more, so that one pass does not give all to one tenant whose usage has not grown yet. Score = (usage + running GPUs x ahead) / weight;
 * least first, ties to the tenant that comes first in the trace's list of names. `quotas` are GPUs at once.
 *
 * Starvation: a wide job may wait while others pass it by. With `max_wait` one that has waited longer goes before all others, and holds them up
 * until it starts, unless a quota is what keeps it back. Jobs start on all of their GPUs at once or not at all.
 *
 * A decision costs O(tenants): all their scores change with time. A pass without room for anybody costs one look at the first job of each queue. */
#include "data/base/fmath.h"
#include "sim/policy/heap.h"
#include "sim/engine/sim.h"

#define MOST_PAIRS 100000000
#define LN2        0.6931471805599453

enum who { NOBODY, ACCOUNT, USER, CLASS };
struct params {
    uint64_t given;
    int tenants, within;
    const cJSON *weights, *quotas;
    int64_t half_life_us, ahead_us, max_wait_us;
};
static const char *const tenant_words[] = {"account", "user", "class", NULL};
static const char *const within_words[] = {"none", "account", "user", "class", NULL};
static const struct rr_param params[] = {
    {.name = "tenants",
     .type = RR_P_WORD,
     .offset = offsetof(struct params, tenants),
     .def = "\"account\"",
     .words = tenant_words,
     .help = "who shares: accounts, users or classes",
     .flags = RR_PF_DECIDES},
    {.name = "within",
     .type = RR_P_WORD,
     .offset = offsetof(struct params, within),
     .def = "\"none\"",
     .words = within_words,
     .help = "who shares within a tenant: each tenant is then a virtual cluster",
     .flags = RR_PF_DECIDES},
    {.name = "weights",
     .type = RR_P_OBJECT,
     .offset = offsetof(struct params, weights),
     .help = "shares by name of tenant, such as {\"lab\": 2, \"lab/ann\": 3, \"ops/*\": 2} (each within ops); 1 when not named",
     .flags = RR_PF_DECIDES},
    {.name = "quotas",
     .type = RR_P_OBJECT,
     .offset = offsetof(struct params, quotas),
     .unit = "GPUs",
     .help = "most GPUs at once by name of tenant, as for weights; none when not named",
     .flags = RR_PF_DECIDES},
    {.name = "half_life",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, half_life_us),
     .unit = "s",
     .def = "\"7 d\"",
     .help = "past usage counts half after this; 0 = it never fades",
     .source = "Slurm, PriorityDecayHalfLife",
     .flags = RR_PF_DECIDES},
    {.name = "ahead",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, ahead_us),
     .unit = "s",
     .def = "\"1 min\"",
     .help = "usage that running GPUs are charged in advance",
     .flags = RR_PF_DECIDES},
    {.name = "max_wait",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, max_wait_us),
     .unit = "s",
     .def = "\"0 s\"",
     .help = "a job that has waited longer goes before all others; 0 = never",
     .flags = RR_PF_DECIDES},
};

struct share {
    double weight;
    int64_t quota_milli, running_milli;
    double usage; // milli-GPU-microseconds as of at_us, faded
    int64_t at_us;
};
struct queued {
    uint32_t job, ask;
};
struct queue { // of a tenant without tenants of its own
    struct share share;
    uint32_t group, next; // next queue of the same group
    RR_VEC(struct queued) heap;
    bool fresh; // its first job came since the last pass
};
struct group {
    struct share share;
    uint32_t first; // its queues
};
#define NONE  UINT32_MAX
#define EVERY (UINT32_MAX - 1)
struct due {
    int64_t at_us;
    uint32_t job;
};

struct fair {
    const struct params *p;
    const char **class_name; // of the scenario, and ""
    uint32_t n_groups, n_inner;
    struct group *group; // [n_groups]
    uint32_t *at;        // [n_groups x n_inner] queue + 1; 0: not yet
    RR_VEC(struct queue) queue;
    RR_VEC(uint32_t) open; // scratch: queues to look at in this pass
    uint64_t freed;
    bool again;
    bool *held_up;          // [n_pools] by overdue jobs
    int64_t *since_us;      // [trace->n] with max_wait
    RR_VEC(struct due) due; // in order of time, from due_head on
    size_t due_head;
    int64_t wake_us;
};

static bool comes_first(const struct queued *a, const struct queued *b) { return a->job < b->job; }
RR_HEAP(jobs, struct queued, comes_first)

// --- names ---

// Classes are the scenario's, with "" for jobs of none, where it has some; else the trace's.
static uint32_t names_of(const struct fair *f, const struct rr_sim *s, enum who who, const char *const **names)
{
    const struct rr_trace *t = s->trace;
    if (who == CLASS && s->class_of) {
        *names = f->class_name;
        return (uint32_t)s->world->scenario->n_classes + 1;
    }
    *names = who == ACCOUNT ? t->account_name : who == USER ? t->user_name : t->class_name;
    const size_t n = who == NOBODY ? 0 : who == ACCOUNT ? t->n_accounts : who == USER ? t->n_users : t->n_classes;
    return n ? (uint32_t)n : 1;
}

static uint32_t tenant_of(const struct rr_sim *s, enum who who, uint32_t job)
{
    const struct rr_trace *t = s->trace;
    switch (who) {
    case ACCOUNT: return t->account_id ? t->account_id[job] : 0;
    case USER: return t->user_id ? t->user_id[job] : 0;
    case CLASS:
        if (s->class_of) return s->class_of[job] == RR_NO_CLASS ? (uint32_t)s->world->scenario->n_classes : s->class_of[job];
        return t->class_id ? t->class_id[job] : 0;
    case NOBODY: break;
    }
    return 0;
}

static enum who outer(const struct params *p) { return (enum who)(p->tenants + 1); }
static enum who inner(const struct params *p) { return (enum who)p->within; }

static uint32_t find_name(const char *const *names, uint32_t n, const char *word, size_t length)
{
    for (uint32_t i = 0; names && i < n; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) return i;
    return NONE;
}

// The tenant that a key of `weights` or `quotas` names: "lab" or, within it, "lab/ann", or each within it, "lab/*".
static bool find_tenant(const struct fair *f, const struct rr_sim *s, const char *key, uint32_t *group, uint32_t *within)
{
    const char *const *outside, *const *inside;
    names_of(f, s, outer(f->p), &outside);
    names_of(f, s, inner(f->p), &inside);
    *within = NONE;
    *group = find_name(outside, f->n_groups, key, strlen(key));
    if (*group != NONE) return true;
    for (const char *slash = strchr(key, '/'); slash && inner(f->p) != NOBODY; slash = strchr(slash + 1, '/')) {
        *group = find_name(outside, f->n_groups, key, (size_t)(slash - key));
        *within = strcmp(slash, "/*") == 0 ? EVERY : find_name(inside, f->n_inner, slash + 1, strlen(slash + 1));
        if (*group != NONE && *within != NONE) return true;
    }
    return false;
}

static uint32_t queue_of(struct fair *f, uint32_t group, uint32_t within)
{
    uint32_t *at = &f->at[(size_t)group * f->n_inner + within];
    if (*at) return *at - 1;
    const struct queue q = {.share = {.weight = 1, .quota_milli = INT64_MAX}, .group = group, .next = f->group[group].first};
    rr_vec_push(&f->queue, q);
    f->group[group].first = (uint32_t)f->queue.n - 1;
    *at = (uint32_t)f->queue.n;
    return *at - 1;
}

static void set_share(struct share *share, double v, bool is_quota)
{
    if (is_quota)
        share->quota_milli = (int64_t)(v * 1000 + 0.5);
    else
        share->weight = v;
}

static enum rr_status read_named(struct fair *f, struct rr_sim *s, const cJSON *object, bool is_quota)
{
    const struct rr_json *json = s->world->scenario->json;
    const char *pointer = is_quota ? "/scheduler/quotas" : "/scheduler/weights";
    for (const cJSON *m = object ? object->child : NULL; m; m = m->next) {
        uint32_t group, within;
        const double v = cJSON_IsNumber(m) ? m->valuedouble : -1;
        if (!find_tenant(f, s, m->string, &group, &within))
            return rr_json_fail(RR_EINPUT, json, m, pointer, "\"%s\" is no %s of the jobs", m->string, tenant_words[f->p->tenants]);
        if (is_quota ? !(v >= 0 && v <= 1e9) : !(v > 0 && v <= 1e9))
            return rr_json_fail(RR_EINPUT, json, m, pointer, "\"%s\": %s is expected", m->string,
                                is_quota ? "a number of GPUs, 0 or more," : "a number above 0");
        if (within == NONE) set_share(&f->group[group].share, v, is_quota);
        for (uint32_t i = 0; within != NONE && i < f->n_inner; i++) {
            if (within != EVERY && within != i) continue;
            const uint32_t k = queue_of(f, group, i);
            set_share(&f->queue.at[k].share, v, is_quota);
        }
    }
    return RR_OK;
}

// A job beyond a quota of its tenant would wait for ever.
static enum rr_status check_quotas(struct fair *f, const struct rr_sim *s)
{
    for (uint32_t j = 0; j < s->trace->n; j++) {
        const uint32_t g = tenant_of(s, outer(f->p), j), k = f->at[(size_t)g * f->n_inner + tenant_of(s, inner(f->p), j)];
        int64_t quota = f->group[g].share.quota_milli;
        if (k && f->queue.at[k - 1].share.quota_milli < quota) quota = f->queue.at[k - 1].share.quota_milli;
        char id[24];
        if (s->trace->gpus_milli[j] > quota)
            return rr_fail(RR_EINPUT, "/scheduler/quotas: job %s asks for %g GPUs, its tenant's quota is %g: it could never start",
                           rr_trace_id(s->trace, j, id), s->trace->gpus_milli[j] / 1000.0, (double)quota / 1000);
    }
    return RR_OK;
}

// --- life ---

static void fair_init(void *state, struct rr_sim *s)
{
    static const struct params plain = {.half_life_us = 7 * RR_D, .ahead_us = RR_MIN};
    struct fair *f = state;
    const char *const *names;
    f->p = s->how->policy_params ? s->how->policy_params : &plain;
    f->freed = UINT64_MAX;
    f->held_up = rr_xrealloc(NULL, s->n_pools, sizeof *f->held_up);
    f->wake_us = RR_NEVER;
    const struct rr_scenario *sc = s->world->scenario;
    f->class_name = rr_xrealloc(NULL, sc->n_classes + 1, sizeof *f->class_name);
    for (size_t i = 0; i < sc->n_classes; i++) f->class_name[i] = sc->classes[i].name;
    f->class_name[sc->n_classes] = "";
    f->n_groups = names_of(f, s, outer(f->p), &names);
    f->n_inner = names_of(f, s, inner(f->p), &names);
    f->group = rr_xrealloc(NULL, f->n_groups, sizeof *f->group);
    for (uint32_t g = 0; g < f->n_groups; g++)
        f->group[g] = (struct group){.share = {.weight = 1, .quota_milli = INT64_MAX}, .first = NONE};
    const size_t n = (size_t)f->n_groups * f->n_inner;
    if (n > MOST_PAIRS) {
        s->failed =
            rr_fail(RR_EINPUT, "/scheduler/within: %u tenants with %u in each are more than %d pairs", f->n_groups, f->n_inner, MOST_PAIRS);
        return;
    }
    f->at = memset(rr_xrealloc(NULL, n, sizeof *f->at), 0, n * sizeof *f->at);
    if (f->p->max_wait_us > 0) f->since_us = rr_xrealloc(NULL, s->trace->n + 1, sizeof *f->since_us);
    enum rr_status st = read_named(f, s, f->p->weights, false);
    if (st == RR_OK) st = read_named(f, s, f->p->quotas, true);
    if (st == RR_OK && f->p->quotas) st = check_quotas(f, s);
    if (st != RR_OK) s->failed = st;
}

static void fair_done(void *state)
{
    struct fair *f = state;
    for (size_t i = 0; i < f->queue.n; i++) rr_vec_done(&f->queue.at[i].heap);
    rr_vec_done(&f->queue);
    rr_vec_done(&f->open);
    rr_vec_done(&f->due);
    free(f->group);
    free(f->class_name);
    free(f->at);
    free(f->since_us);
    free(f->held_up);
}

// --- usage ---

static double usage_at(const struct fair *f, const struct share *x, int64_t now_us)
{
    const double dt = (double)(now_us - x->at_us), running = (double)x->running_milli, half = (double)f->p->half_life_us;
    if (dt <= 0) return x->usage;
    if (half <= 0) return x->usage + running * dt;
    const double kept = rr_exp(-LN2 * dt / half);
    return x->usage * kept + running * (half / LN2) * (1 - kept);
}

static double score(const struct fair *f, const struct share *x, int64_t now_us)
{
    return (usage_at(f, x, now_us) + (double)x->running_milli * (double)f->p->ahead_us) / x->weight;
}

static void count(struct fair *f, const struct rr_sim *s, uint32_t job, int64_t sign)
{
    const uint32_t k = queue_of(f, tenant_of(s, outer(f->p), job), tenant_of(s, inner(f->p), job));
    struct queue *q = &f->queue.at[k];
    struct share *both[] = {&q->share, &f->group[q->group].share};
    for (int i = 0; i < 2; i++) {
        both[i]->usage = usage_at(f, both[i], s->now_us);
        both[i]->at_us = s->now_us;
        both[i]->running_milli += sign * s->trace->gpus_milli[job];
    }
}

static void fair_started(void *state, struct rr_sim *s, uint32_t job) { count(state, s, job, 1); }
static void fair_ended(void *state, struct rr_sim *s, uint32_t job) { count(state, s, job, -1); }

// --- the guard ---

static bool is_overdue(const struct fair *f, const struct rr_sim *s, uint32_t job)
{
    return f->since_us && s->now_us - f->since_us[job] >= f->p->max_wait_us;
}

static void set_timer(struct fair *f, struct rr_sim *s)
{
    while (f->due_head < f->due.n && (!rr_sim_waits(s, f->due.at[f->due_head].job) || f->due.at[f->due_head].at_us <= s->now_us))
        f->due_head++;
    if (f->due_head == f->due.n) {
        f->due_head = f->due.n = 0;
        return;
    }
    if (f->due.at[f->due_head].at_us >= f->wake_us) return;
    f->wake_us = f->due.at[f->due_head].at_us;
    rr_sim_wake(s, f->wake_us);
}

static void fair_timer(void *state, struct rr_sim *s)
{
    struct fair *f = state;
    if (!f->since_us || f->wake_us > s->now_us) return;
    f->wake_us = RR_NEVER;
    f->again = true;
    set_timer(f, s);
}

// --- queues ---

static void fair_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct fair *f = state;
    const uint32_t k = queue_of(f, tenant_of(s, outer(f->p), job), tenant_of(s, inner(f->p), job));
    struct queue *q = &f->queue.at[k];
    const struct queued x = {job, ask};
    rr_heap_put(jobs, &q->heap, x);
    q->fresh |= q->heap.at[0].job == job;
    if (!f->since_us) return;
    f->since_us[job] = s->now_us;
    const struct due d = {rr_add_us(s->now_us, f->p->max_wait_us), job};
    rr_vec_push(&f->due, d);
    set_timer(f, s);
}

static bool within_quota(const struct share *x, int32_t milli) { return x->running_milli + milli <= x->quota_milli; }

static bool may_start(const struct fair *f, const struct rr_sim *s, const struct queue *q)
{
    const int32_t milli = s->trace->gpus_milli[q->heap.at[0].job];
    return within_quota(&q->share, milli) && within_quota(&f->group[q->group].share, milli);
}

// The queue whose turn it is: an overdue first job in trace order, else by score of the group, then of the queue. NONE: none is left.
static uint32_t whose_turn(const struct fair *f, const struct rr_sim *s)
{
    uint32_t best = NONE;
    bool overdue = false;
    double of_group = 0, own = 0;
    for (size_t i = 0; i < f->open.n; i++) {
        const uint32_t k = f->open.at[i];
        const struct queue *q = &f->queue.at[k];
        const bool late = is_overdue(f, s, q->heap.at[0].job);
        if (best != NONE && late != overdue && overdue) continue;
        const double g = score(f, &f->group[q->group].share, s->now_us), mine = score(f, &q->share, s->now_us);
        bool better = best == NONE || late != overdue;
        if (!better && late)
            better = q->heap.at[0].job < f->queue.at[best].heap.at[0].job;
        else if (!better && q->group != f->queue.at[best].group)
            better = g != of_group ? g < of_group : q->group < f->queue.at[best].group;
        else if (!better)
            better = mine != own ? mine < own : q->heap.at[0].job < f->queue.at[best].heap.at[0].job;
        if (!better) continue;
        best = k;
        overdue = late;
        of_group = g;
        own = mine;
    }
    return best;
}

static void close_queue(struct fair *f, uint32_t k)
{
    size_t i = 0;
    while (f->open.at[i] != k) i++;
    f->open.at[i] = f->open.at[--f->open.n];
}

static void fair_pass(void *state, struct rr_sim *s)
{
    struct fair *f = state;
    const bool all = f->again || f->freed != s->freed;
    f->again = false;
    memset(f->held_up, 0, s->n_pools * sizeof *f->held_up);
    f->open.n = 0;
    for (uint32_t k = 0; k < f->queue.n; k++) {
        struct queue *q = &f->queue.at[k];
        if (q->heap.n && (all || q->fresh)) rr_vec_push(&f->open, k);
        q->fresh = false;
    }
    for (uint32_t k; (k = whose_turn(f, s)) != NONE;) {
        struct queue *q = &f->queue.at[k];
        const struct queued x = q->heap.at[0];
        const bool may = may_start(f, s, q);
        if (may && rr_sim_start_beside(s, x.job, x.ask, f->held_up)) {
            rr_heap_drop(jobs, &q->heap);
            if (q->heap.n == 0) close_queue(f, k);
            continue;
        }
        close_queue(f, k);
        if (!may || !is_overdue(f, s, x.job)) continue;
        f->again = true; // what it holds up has not been looked at
        if (rr_sim_hold_up(s, x.ask, f->held_up)) break;
    }
    f->freed = s->freed;
}

// All of a queue waits when its first job is beyond a quota. Of a deep queue the first LOOKS in the heap stand for all.
static void fair_kept_back(const void *state, const struct rr_sim *s, double *by_ask)
{
    enum { LOOKS = 4096 };
    const struct fair *f = state;
    for (size_t k = 0; f->p->quotas && k < f->queue.n; k++) {
        const struct queue *q = &f->queue.at[k];
        if (q->heap.n == 0 || may_start(f, s, q)) continue;
        const size_t n = q->heap.n < LOOKS ? q->heap.n : LOOKS;
        for (size_t i = 0; i < n; i++) by_ask[q->heap.at[i].ask] += (double)q->heap.n / (double)n;
    }
}

const struct rr_policy rr_policy_fair_share = {
    .kind = {.name = "fair_share",
             .summary = "tenants by weight, decayed usage and quota, each with a queue of its own",
             .params = params,
             .n_params = sizeof params / sizeof *params,
             .params_size = sizeof(struct params)},
    .state_size = sizeof(struct fair),
    .init = fair_init,
    .done = fair_done,
    .submit = fair_submit,
    .pass = fair_pass,
    .started = fair_started,
    .ended = fair_ended,
    .kept_back = fair_kept_back,
    .timer = fair_timer};
