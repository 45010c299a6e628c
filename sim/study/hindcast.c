/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/hindcast.c - trials on the first half, the test on the second, and both schedules by size, class and week. */
#include "sim/study/hindcast.h"
#include "data/base/fmath.h"
#include "sim/engine/engine.h"
#include <math.h>
#include <string.h>

#define FLOOR_S      60.0 /* waits below a minute are alike */
#define MOST_CLASSES 20

struct rules {
    const char *policy;
    int estimate; // RR_ESTIMATE_*
    double factor;
    int order; // 0 arrival, 1 shortest
    bool blocking;
};
static const struct rules grid[] = {
    {"fifo", RR_ESTIMATE_USER, 1, 0, true},
    {"fifo", RR_ESTIMATE_USER, 1, 0, false},
    {"sjf", RR_ESTIMATE_USER, 1, 0, true},
    {"sjf", RR_ESTIMATE_EXACT, 1, 0, true},
    {"easy_backfill", RR_ESTIMATE_USER, 1, 0, true},
    {"easy_backfill", RR_ESTIMATE_EXACT, 1, 0, true},
    {"easy_backfill", RR_ESTIMATE_FACTOR, 2, 0, true},
    {"easy_backfill", RR_ESTIMATE_USER, 1, 1, true},
    {"priority", RR_ESTIMATE_USER, 1, 0, true},
};
// Of one policy that the caller names.
static const struct rules own[] = {
    {NULL, RR_ESTIMATE_USER, 1, 0, true},   {NULL, RR_ESTIMATE_USER, 1, 0, false},  {NULL, RR_ESTIMATE_EXACT, 1, 0, true},
    {NULL, RR_ESTIMATE_FACTOR, 2, 0, true}, {NULL, RR_ESTIMATE_FACTOR, 5, 0, true}, {NULL, RR_ESTIMATE_USER, 1, 1, true},
};

/* One way to put jobs into groups: group_of[job] < n, or UINT32_MAX. */
struct grouping {
    const char *const *name; // NULL: weeks
    uint32_t *of;
    size_t n;
};
struct hindcast {
    const struct rr_trace *t;
    const struct rr_hindcast_options *opt;
    struct rr_arena *arena;
    struct rr_pool pool;
    struct rr_scenario scenario;
    int64_t fleet_milli;
    size_t split;           // jobs of the first half
    int64_t from_us, to_us; // first and last submit
    int64_t *recorded_us;   // [n] start, RR_NEVER: none
    int64_t *simulated_us;
    struct grouping size, class, week;
    double *used[2]; // [week.n] GPUs in use, recorded and simulated, milli-GPU-microseconds
};

/* ---- groups ---- */

static uint32_t size_group(int32_t milli)
{
    uint32_t g = 2; // 1 GPU
    if (milli < 1000) return milli > 0;
    for (int64_t most = 1000; most < milli; most *= 2) g++;
    return g;
}

static void group_sizes(struct hindcast *h)
{
    static const char *const small[] = {"CPU only", "below 1", "1", "2"};
    const char **name = RR_NEWS(h->arena, const char *, 40);
    for (size_t g = 0; g < 40; g++) name[g] = g < 4 ? small[g] : rr_strf(h->arena, "%lld-%lld", (1LL << (g - 3)) + 1, 1LL << (g - 2));
    h->size.name = name;
    h->size.n = 40;
    for (size_t i = 0; i < h->t->n; i++) h->size.of[i] = size_group(h->t->gpus_milli[i]);
}

/* The classes with most jobs, in that order; all others are one. */
static void group_by(struct hindcast *h, const char *const *names, size_t n, uint32_t (*of)(const struct rr_trace *t, size_t i))
{
    size_t *count = RR_NEWS(h->arena, size_t, n), kept = 0;
    uint32_t *to = RR_NEWS(h->arena, uint32_t, n);
    const char **name = RR_NEWS(h->arena, const char *, MOST_CLASSES + 1);
    for (size_t i = h->split; i < h->t->n; i++) count[of(h->t, i)]++;
    for (size_t k = 0; k < n; k++) to[k] = MOST_CLASSES;
    while (kept < MOST_CLASSES) {
        size_t best = n;
        for (size_t k = 0; k < n; k++)
            if (to[k] == MOST_CLASSES && count[k] > 0 && (best == n || count[k] > count[best])) best = k;
        if (best == n) break;
        to[best] = (uint32_t)kept;
        name[kept++] = *names[best] ? names[best] : "(none)";
    }
    name[MOST_CLASSES] = "all others";
    h->class.name = name;
    h->class.n = MOST_CLASSES + 1;
    for (size_t i = 0; i < h->t->n; i++) h->class.of[i] = to[of(h->t, i)];
}

static uint32_t class_of(const struct rr_trace *t, size_t i) { return t->class_id[i]; }
static uint32_t account_of(const struct rr_trace *t, size_t i) { return t->account_id[i]; }
static uint32_t user_of(const struct rr_trace *t, size_t i) { return t->user_id[i]; }

static const char *group_classes(struct hindcast *h)
{
    const struct rr_trace *t = h->t;
    if (t->class_id) return group_by(h, t->class_name, t->n_classes, class_of), "class";
    if (t->account_id) return group_by(h, t->account_name, t->n_accounts, account_of), "account";
    if (t->user_id) return group_by(h, t->user_name, t->n_users, user_of), "user";
    h->class.n = 0;
    return "class";
}

static void make_groups(struct hindcast *h, struct rr_hindcast *ret)
{
    const struct rr_trace *t = h->t;
    h->from_us = t->submit_us[0];
    h->to_us = t->submit_us[t->n - 1];
    h->size.of = RR_NEWS(h->arena, uint32_t, t->n);
    h->class.of = RR_NEWS(h->arena, uint32_t, t->n);
    h->week.of = RR_NEWS(h->arena, uint32_t, t->n);
    group_sizes(h);
    ret->class_word = group_classes(h);
    for (size_t i = 0; i < t->n; i++) h->week.of[i] = (uint32_t)((t->submit_us[i] - h->from_us) / RR_WEEK);
    h->week.n = (size_t)((h->to_us - h->from_us) / RR_WEEK) + 1;
    for (int k = 0; k < 2; k++) h->used[k] = RR_NEWS(h->arena, double, h->week.n);
}

/* ---- one replay ---- */

static bool compared(const struct hindcast *h, size_t i) { return h->recorded_us[i] != RR_NEVER && h->simulated_us[i] != RR_NEVER; }
static double recorded_wait_s(const struct hindcast *h, size_t i) { return (double)(h->recorded_us[i] - h->t->submit_us[i]) / 1e6; }
static double simulated_wait_s(const struct hindcast *h, size_t i) { return (double)(h->simulated_us[i] - h->t->submit_us[i]) / 1e6; }

static enum rr_status set_rules(struct hindcast *h, const struct rules *r, const struct rr_kind *policy)
{
    struct rr_scheduler *s = &h->scenario.scheduler;
    *s = (struct rr_scheduler){.policy = policy,
                               .policy_name = policy->name,
                               .placement = h->opt->placement ? h->opt->placement : rr_placements.at[0],
                               .estimate = (unsigned)r->estimate,
                               .estimate_factor = r->factor,
                               .order = r->order,
                               .blocking = r->blocking};
    const struct rr_param_ctx ctx = {.arena = h->arena};
    s->placement_name = s->placement->name;
    s->policy_params = policy->params_size ? rr_alloc(h->arena, 1, policy->params_size) : NULL;
    s->placement_params = s->placement->params_size ? rr_alloc(h->arena, 1, s->placement->params_size) : NULL;
    if (s->policy_params) RR_TRY(rr_params_read(&ctx, policy->params, policy->n_params, NULL, "/scheduler", NULL, s->policy_params));
    if (s->placement_params)
        RR_TRY(rr_params_read(&ctx, s->placement->params, s->placement->n_params, NULL, "/scheduler", NULL, s->placement_params));
    return RR_OK;
}

/* The first n jobs; starts into simulated_us. */
static enum rr_status replay(struct hindcast *h, size_t n, struct rr_replay *ret)
{
    struct rr_trace jobs = *h->t;
    jobs.n = n;
    const struct rr_world w = {.scenario = &h->scenario, .trace = &jobs, .horizon_us = RR_NEVER};
    RR_TRY(rr_engine_run(&w, ret));
    for (size_t i = 0; i < n; i++) h->simulated_us[i] = ret->outcome[i].start_us;
    for (size_t i = n; i < h->t->n; i++) h->simulated_us[i] = RR_NEVER;
    return RR_OK;
}

/* Over the jobs from .. to - 1, see the header. */
static double error_of(const struct hindcast *h, size_t from, size_t to)
{
    const size_t cells = h->size.n * h->week.n;
    double *sum = rr_xrealloc(NULL, cells * 3, sizeof *sum), error = 0, jobs = 0;
    memset(sum, 0, cells * 3 * sizeof *sum);
    for (size_t i = from; i < to; i++) {
        if (!compared(h, i)) continue;
        double *c = sum + 3 * (h->size.of[i] * h->week.n + h->week.of[i]);
        c[0] += 1;
        c[1] += recorded_wait_s(h, i);
        c[2] += simulated_wait_s(h, i);
    }
    for (const double *c = sum; c < sum + 3 * cells; c += 3) {
        if (c[0] == 0) continue;
        error += c[0] * fabs(rr_log((c[2] / c[0] + FLOOR_S) / (c[1] / c[0] + FLOOR_S)));
        jobs += c[0];
    }
    free(sum);
    return jobs > 0 ? error / jobs : NAN;
}

static double mean_simulated(const struct hindcast *h, size_t to)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < to; i++)
        if (compared(h, i)) sum += simulated_wait_s(h, i), n++;
    return n > 0 ? sum / n : NAN;
}

/* ---- trials ---- */

static const char *text_of(struct hindcast *h, const struct rules *r, const char *policy)
{
    static const char *const estimate[] = {
        [RR_ESTIMATE_USER] = "estimate user", [RR_ESTIMATE_EXACT] = "estimate exact", [RR_ESTIMATE_FACTOR] = "estimate run time x %g"};
    if (strcmp(policy, "fifo") == 0) return r->blocking ? "blocking" : "not blocking";
    const char *e = r->estimate == RR_ESTIMATE_FACTOR ? rr_strf(h->arena, "estimate run time x %g", r->factor) : estimate[r->estimate];
    if (strcmp(policy, "easy_backfill") != 0) return e;
    return rr_strf(h->arena, "order %s, %s", r->order ? "shortest" : "arrival", e);
}

/* Does it differ from others in what the policy heeds and the trace has? */
static bool worth(const struct hindcast *h, const struct rules *r, const struct rr_kind *policy)
{
    const bool fifo = strcmp(policy->name, "fifo") == 0;
    if (r->estimate == RR_ESTIMATE_EXACT && !h->t->estimate_us) return false;
    if (!h->opt->policy) return strcmp(policy->name, "priority") != 0 || h->t->priority;
    if (fifo) return r->estimate == RR_ESTIMATE_USER && r->order == 0;
    return r->blocking && (r->order == 0 || strcmp(policy->name, "easy_backfill") == 0);
}

struct tried {
    struct rr_hindcast_trial trial;
    struct rules rules;
    const struct rr_kind *policy;
};

static enum rr_status try(struct hindcast *h, const struct rules *r, const struct rr_kind *policy, struct tried *ret)
{
    struct rr_replay replay_of = {0};
    RR_TRY(set_rules(h, r, policy));
    RR_TRY(replay(h, h->split, &replay_of));
    rr_replay_done(&replay_of);
    *ret = (struct tried){{policy->name, text_of(h, r, policy->name), error_of(h, 0, h->split), mean_simulated(h, h->split)}, *r, policy};
    return RR_OK;
}

static bool better(const struct tried *a, const struct tried *b)
{
    return !isnan(a->trial.error) && (isnan(b->trial.error) || a->trial.error < b->trial.error);
}

static enum rr_status try_all(struct hindcast *h, struct rr_hindcast *ret)
{
    const struct rules *r = h->opt->policy ? own : grid;
    const size_t n = h->opt->policy ? sizeof own / sizeof *own : sizeof grid / sizeof *grid;
    struct tried done[sizeof grid / sizeof *grid + sizeof own / sizeof *own];
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rr_kind *policy = h->opt->policy ? h->opt->policy : rr_kind_find(rr_policies, r[i].policy);
        if (!policy || !worth(h, &r[i], policy)) continue;
        struct tried one;
        RR_TRY(try(h, &r[i], policy, &one));
        size_t at = k++;
        for (; at > 0 && better(&one, &done[at - 1]); at--) done[at] = done[at - 1];
        done[at] = one;
        if (h->opt->progress) h->opt->progress(h->opt->ctx, k, n + 1);
    }
    ret->trial = RR_NEWS(h->arena, struct rr_hindcast_trial, k);
    ret->n_trials = k;
    for (size_t i = 0; i < k; i++) ret->trial[i] = done[i].trial;
    return set_rules(h, &done[0].rules, done[0].policy);
}

/* ---- the test ---- */

static void use(const struct hindcast *h, double *week, int64_t from_us, int64_t to_us, double milli)
{
    if (to_us > h->to_us) to_us = h->to_us;
    for (int64_t at = from_us; at < to_us;) {
        const int64_t w = (at - h->from_us) / RR_WEEK, end = h->from_us + (w + 1) * RR_WEEK, until = end < to_us ? end : to_us;
        week[w] += milli * (double)(until - at);
        at = until;
    }
}

static int64_t end_of(int64_t start_us, int64_t run_us) { return start_us > RR_NEVER - run_us ? RR_NEVER : start_us + run_us; }

static void use_weeks(struct hindcast *h, const struct rr_replay *r)
{
    const struct rr_trace *t = h->t;
    for (size_t i = 0; i < t->n; i++) {
        if (h->recorded_us[i] != RR_NEVER) use(h, h->used[0], h->recorded_us[i], end_of(h->recorded_us[i], t->run_us[i]), t->gpus_milli[i]);
        if (!r->attempt && r->outcome[i].start_us != RR_NEVER)
            use(h, h->used[1], r->outcome[i].start_us, r->outcome[i].end_us, t->gpus_milli[i]);
    }
    for (size_t i = 0; i < r->n_attempts; i++) use(h, h->used[1], r->attempt[i].start_us, r->attempt[i].end_us, r->attempt[i].gpus_milli);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Type 7. */
static double quantile(double *v, size_t n, double q)
{
    if (n == 0) return NAN;
    qsort(v, n, sizeof *v, by_value);
    const double at = q * (double)(n - 1), low = floor(at);
    const size_t k = (size_t)low;
    return k + 1 < n ? v[k] + (at - low) * (v[k + 1] - v[k]) : v[k];
}

/* Jobs from .. to - 1 of group g (g = UINT32_MAX: all). GPU time is that of run times. */
static struct rr_hindcast_group group_up(const struct hindcast *h, const struct grouping *by, uint32_t g, size_t from, size_t to)
{
    struct rr_hindcast_group out = {.name = by && by->name ? by->name[g] : ""};
    double *wait = rr_xrealloc(NULL, 2 * (to - from) + 1, sizeof *wait), *other = wait + (to - from), sum[2] = {0}, time[2][2] = {{0}};
    for (size_t i = from; i < to; i++) {
        const bool in = !by || by->of[i] == g;
        const double work = h->t->run_us[i] == RR_NEVER ? 0 : (double)h->t->run_us[i] * h->t->gpus_milli[i];
        time[0][in] += h->recorded_us[i] != RR_NEVER ? work : 0;
        time[1][in] += h->simulated_us[i] != RR_NEVER ? work : 0;
        if (!in || !compared(h, i)) continue;
        sum[0] += wait[out.jobs] = recorded_wait_s(h, i);
        sum[1] += other[out.jobs++] = simulated_wait_s(h, i);
    }
    const double n = (double)out.jobs;
    out.recorded_mean_s = out.jobs ? sum[0] / n : NAN;
    out.simulated_mean_s = out.jobs ? sum[1] / n : NAN;
    out.recorded_p95_s = quantile(wait, out.jobs, 0.95);
    out.simulated_p95_s = quantile(other, out.jobs, 0.95);
    out.recorded_used = time[0][1] / (time[0][0] + time[0][1]);
    out.simulated_used = time[1][1] / (time[1][0] + time[1][1]);
    free(wait);
    return out;
}

static void tell_groups(const struct hindcast *h, const struct grouping *by, size_t from, struct rr_hindcast_groups *ret)
{
    ret->at = RR_NEWS(h->arena, struct rr_hindcast_group, by->n + 1);
    for (uint32_t g = 0; g < by->n; g++) {
        const struct rr_hindcast_group one = group_up(h, by, g, from, h->t->n);
        if (one.jobs > 0) ret->at[ret->n++] = one;
    }
}

static double share_of(const struct hindcast *h, double used, int64_t from_us, int64_t to_us)
{
    const double all = (double)h->fleet_milli * (double)(to_us - from_us);
    return all > 0 ? used / all : NAN;
}

static void tell_weeks(const struct hindcast *h, struct rr_hindcast_groups *ret)
{
    ret->at = RR_NEWS(h->arena, struct rr_hindcast_group, h->week.n);
    for (uint32_t w = 0; w < h->week.n; w++) {
        struct rr_hindcast_group *g = &ret->at[ret->n++];
        const int64_t from = h->from_us + w * RR_WEEK, to = from + RR_WEEK < h->to_us ? from + RR_WEEK : h->to_us;
        size_t first = 0, last = h->t->n; // jobs are in submit order
        while (first < h->t->n && h->week.of[first] < w) first++;
        while (last > first && h->week.of[last - 1] > w) last--;
        *g = group_up(h, NULL, UINT32_MAX, first, last);
        g->name = rr_strf(h->arena, "%u", w + 1);
        g->recorded_used = share_of(h, h->used[0][w], from, to);
        g->simulated_used = share_of(h, h->used[1][w], from, to);
    }
}

/* The two halves; GPUs in use by whole weeks would cut the middle one, so here from the starts. */
static void tell_halves(const struct hindcast *h, const struct rr_replay *r, struct rr_hindcast *ret)
{
    const int64_t middle = h->t->submit_us[h->split];
    for (int half = 0; half < 2; half++) {
        const size_t from = half ? h->split : 0, to = half ? h->t->n : h->split;
        const int64_t from_us = half ? middle : h->from_us, to_us = half ? h->to_us : middle;
        double used[2] = {0};
        for (size_t i = 0; i < h->t->n; i++) {
            const int64_t run = h->t->run_us[i];
            const int64_t start[2] = {h->recorded_us[i], h->simulated_us[i]};
            const int64_t end[2] = {start[0] == RR_NEVER ? RR_NEVER : end_of(start[0], run), r->outcome[i].end_us};
            for (int k = 0; k < 2; k++) {
                const int64_t a = start[k] > from_us ? start[k] : from_us, b = end[k] < to_us ? end[k] : to_us;
                if (start[k] != RR_NEVER && b > a) used[k] += (double)(b - a) * h->t->gpus_milli[i];
            }
        }
        ret->all[half] = group_up(h, NULL, UINT32_MAX, from, to);
        ret->all[half].name = half ? "second half" : "first half";
        ret->all[half].recorded_used = share_of(h, used[0], from_us, to_us);
        ret->all[half].simulated_used = share_of(h, used[1], from_us, to_us);
    }
}

static enum rr_status test(struct hindcast *h, struct rr_hindcast *ret)
{
    struct rr_replay r = {0};
    RR_TRY(replay(h, h->t->n, &r));
    size_t rejected = 0;
    for (size_t i = 0; i < r.n_jobs; i++) rejected += r.outcome[i].state == RR_JOB_REJECTED;
    ret->error = error_of(h, h->split, h->t->n);
    use_weeks(h, &r);
    tell_halves(h, &r, ret);
    tell_groups(h, &h->size, h->split, &ret->size);
    tell_groups(h, &h->class, h->split, &ret->class);
    tell_weeks(h, &ret->week);
    rr_replay_done(&r);
    rr_hindcast_causes(h->t, h->recorded_us, h->simulated_us, rejected, h->fleet_milli, h->arena, ret);
    return RR_OK;
}

/* ---- what is there ---- */

static enum rr_status recorded_starts(struct hindcast *h, struct rr_hindcast *ret)
{
    const struct rr_trace *t = h->t;
    h->recorded_us = RR_NEWS(h->arena, int64_t, t->n + 1);
    h->simulated_us = RR_NEWS(h->arena, int64_t, t->n + 1);
    h->split = t->n / 2;
    for (size_t i = 0; i < t->n; i++) {
        const bool known = t->waited_us && t->waited_us[i] != RR_NEVER;
        h->recorded_us[i] = known ? t->submit_us[i] + t->waited_us[i] : RR_NEVER;
        ret->jobs += known;
        ret->first_half += known && i < h->split;
    }
    if (ret->jobs == 0)
        return rr_fail(RR_EINPUT, "%s: no recorded start: waits cannot be compared (csv: a column start_s; swf: a wait, field 3)", t->path);
    if (ret->first_half == 0 || ret->first_half == ret->jobs)
        return rr_fail(RR_EINPUT,
                       "%s: no recorded start in one half of the jobs (%zu have one): nothing to choose rules on, or to test them", t->path,
                       ret->jobs);
    return RR_OK;
}

static int64_t fleet_of(const struct rr_pool *p)
{
    int64_t milli = 0;
    for (int64_t i = 0; i < p->nodes_max; i++) milli += INT64_C(1000) * p->shape[p->n_shapes == 1 ? 0 : i].gpus;
    return milli;
}

enum rr_status rr_hindcast_run(const struct rr_trace *t, const struct rr_pool *pool, const struct rr_hindcast_options *opt,
                               struct rr_arena *arena, struct rr_hindcast *ret)
{
    struct hindcast *h = RR_NEW(arena, struct hindcast);
    *h = (struct hindcast){.t = t, .opt = opt, .arena = arena, .pool = *pool, .fleet_milli = fleet_of(pool)};
    h->scenario = (struct rr_scenario){.name = "hindcast", .variant = "hindcast", .pool = &h->pool, .n_pools = 1, .seed = 1};
    struct rr_hindcast out = {.fleet_gpus = (double)h->fleet_milli / 1000};
    RR_TRY(recorded_starts(h, &out));
    make_groups(h, &out);
    RR_TRY(try_all(h, &out));
    RR_TRY(test(h, &out));
    if (opt->progress) opt->progress(opt->ctx, 1, 1);
    *ret = out;
    return RR_OK;
}
