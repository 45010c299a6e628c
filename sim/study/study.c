/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/study.c - variants x replications: replay once a group, bill each variant, reduce in index order.
 *
 * Work is handed out by an atomic counter; the result of unit k lies at index k, so the bytes do not depend on the number of threads
 * or on who was first. Replication 1 is kept whole for the reports; the others leave their metrics alone. */
#include "sim/study/finance.h"
#include "data/profile_set.h"
#include "sim/study/parts.h"
#include "sim/study/training_sheets.h"
#include "data/price_book.h"
#include "data/uncertain.h"
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { TIMELINE_BINS = 2000, LAWS = 5 };

struct group {
    const struct rr_scenario *scenario; /* of its first variant */
    const struct rr_trace **trace;      /* [n_workloads]; NULL = generated */
    size_t *variant;
    size_t n_variants;
};

struct loaded { /* a trace file, read once a study */
    const char *path, *format, *columns, *where;
    double max_rejected;
    bool dependencies;
    struct rr_trace trace;
};

struct first_bill {           /* what replication 1 of a variant leaves */
    const struct rr_run *run; /* its own, or that of a variant of its group */
    struct rr_run own_run;    /* zeroed when it has none */
    struct rr_sample sample;  /* zeroed without uncertain inputs */
    struct rr_billing billing;
    struct rr_ledger ledger;
    const char *law_detail[LAWS];
};

struct rr_study {
    struct rr_arena *arena;
    const struct rr_scenario_set *set;
    struct rr_study_options opt;
    struct group *group;
    size_t n_groups;
    struct loaded *loaded;
    size_t n_loaded;
    struct rr_notes notes; /* about the traces */
    int n_reps;            /* those that were made, once they are: "until" */
    int most_reps;
    const char *until;             /* what became of it; NULL: not asked for */
    double **values;               /* [variant][replication * RR_METRICS + metric] */
    struct first_bill *first_bill; /* [variant] */
    struct rr_arena **keep;        /* [n_keep] one a worker: what replication 1 leaves */
    size_t n_keep;
    struct rr_store store;
    /* handing out */
    _Atomic size_t next;
    size_t done, all;
    pthread_mutex_t lock;
    enum rr_status status; /* of the failed unit with the lowest index */
    size_t failed_at;
    char reason[RR_REASON_MAX];
};

/* ---- loading ---- */

static enum rr_status load_trace(struct rr_study *st, const struct rr_scenario *s, const struct rr_workload *w, const struct rr_trace **ret)
{
    char *columns = w->columns ? cJSON_PrintUnformatted(w->columns) : NULL;
    const char *key = rr_strdup(st->arena, columns ? columns : "");
    cJSON_free(columns);
    const char *where = w->where_text ? w->where_text : "";
    for (size_t i = 0; i < st->n_loaded; i++) {
        struct loaded *l = &st->loaded[i];
        if (strcmp(l->path, w->trace) || strcmp(l->format, w->format) || strcmp(l->columns, key) || strcmp(l->where, where) ||
            l->max_rejected != w->max_rejected || l->dependencies != w->dependencies)
            continue;
        *ret = &l->trace;
        return RR_OK;
    }
    struct loaded *l = &st->loaded[st->n_loaded];
    *l = (struct loaded){.path = w->trace,
                         .format = w->format,
                         .columns = key,
                         .where = where,
                         .max_rejected = w->max_rejected,
                         .dependencies = w->dependencies};
    const struct rr_import_options opt = {
        .format = w->format, .columns = w->columns, .json = s->json, .max_rejected = w->max_rejected, .dependencies = w->dependencies};
    RR_TRY(rr_trace_read(w->trace, &opt, st->arena, &st->notes, &l->trace));
    st->n_loaded++; // freed with the study from here on
    *ret = &l->trace;
    if (!w->where) return RR_OK;
    if (rr_trace_choose(&l->trace, w->where) != RR_OK)
        return rr_fail(RR_EINPUT, "%s/where: no job of %s is such that %s", w->pointer, w->trace, where);
    rr_note(&st->notes, RR_NOTE_DATA, w->pointer, "", "%zu of the trace's jobs chosen by \"where\", %zu not", l->trace.n,
            l->trace.not_chosen);
    return RR_OK;
}

static enum rr_status make_group(struct rr_study *st, size_t variant)
{
    const struct rr_scenario *s = st->set->variant[variant];
    struct group *g = NULL;
    for (size_t i = 0; i < st->n_groups && !g; i++)
        if (st->group[i].scenario->decision_hash == s->decision_hash) g = &st->group[i];
    if (!g) {
        g = &st->group[st->n_groups++];
        g->scenario = s;
        g->variant = RR_NEWS(st->arena, size_t, st->set->n_variants);
        g->trace = RR_NEWS(st->arena, const struct rr_trace *, s->n_workloads + 1);
        for (size_t i = 0; i < s->n_workloads; i++)
            if (!s->workload[i].generates) RR_TRY(load_trace(st, s, &s->workload[i], &g->trace[i]));
    }
    g->variant[g->n_variants++] = variant;
    return RR_OK;
}

static enum rr_status load_all(struct rr_study *st)
{
    size_t n_workloads = 0;
    const struct rr_scenario_set *set = st->set;
    for (size_t v = 0; v < set->n_variants; v++) n_workloads += set->variant[v]->n_workloads;
    st->loaded = RR_NEWS(st->arena, struct loaded, n_workloads + 1);
    st->group = RR_NEWS(st->arena, struct group, set->n_variants);
    for (size_t v = 0; v < set->n_variants; v++) RR_TRY(make_group(st, v));
    return RR_OK;
}

/* ---- one unit ---- */

/* Work of a planned run in the replication's world of the profiles, over that with their values. */
static double world_of(const struct rr_workload *w, uint32_t rep)
{
    const struct rr_training_plan *p = &w->training_plan;
    return p->n_worlds ? p->world[rep % p->n_worlds] : 1;
}

static enum rr_status merge(const struct group *g, const struct rr_scenario *s, uint32_t rep, struct rr_arena *scratch, struct rr_run *run)
{
    struct rr_trace_use *use = RR_NEWS(scratch, struct rr_trace_use, s->n_workloads + 1);
    for (size_t i = 0; i < s->n_workloads; i++) {
        const struct rr_workload *w = &s->workload[i];
        use[i] = (struct rr_trace_use){.trace = g->trace[i],
                                       .generate = w->generates ? &w->generate : NULL,
                                       .seed = (uint64_t)s->seed,
                                       .replication = rep,
                                       .stream = i,
                                       .load_scale = w->load_scale,
                                       .time_scale = w->time_scale * world_of(w, rep),
                                       .repeat = w->repeat,
                                       .resample = w->resample != 0,
                                       .until_us = s->horizon_us,
                                       .class_name = w->name};
    }
    return rr_trace_merge(use, s->n_workloads, scratch, &run->jobs, &run->not_submitted);
}

static enum rr_status check_replay(const struct rr_world *w, const struct rr_run *run, struct rr_arena *a, const char **detail)
{
    struct rr_buf b = {0};
    enum rr_status st = rr_replay_check_jobs(w, &run->replay, &b);
    if (st != RR_OK) goto out;
    detail[0] = rr_strdup(a, rr_buf_text(&b));
    b.n = 0;
    st = rr_replay_check_time(w, &run->replay, &b);
    if (st == RR_OK) detail[1] = rr_strdup(a, rr_buf_text(&b));
out:
    rr_buf_done(&b);
    return st;
}

static enum rr_status check_bill(const struct group *g, const struct rr_billing *b, const struct rr_ledger *l, const struct rr_run *run,
                                 struct rr_arena *a, const char **detail)
{
    struct rr_buf text = {0};
    enum rr_status st = rr_check_money(b, l, &text);
    if (st == RR_OK) {
        detail[2] = rr_strdup(a, rr_buf_text(&text));
        text.n = 0;
        st = rr_check_payer(b, &text);
    }
    if (st == RR_OK) {
        detail[3] = rr_strdup(a, rr_buf_text(&text));
        text.n = 0;
        st = rr_check_named(b, l, run, g->trace, g->scenario->n_workloads, &text);
    }
    if (st == RR_OK) detail[4] = rr_strdup(a, rr_buf_text(&text));
    rr_buf_done(&text);
    return st;
}

static enum rr_status bill_variant(struct rr_study *st, const struct group *g, size_t v, const struct rr_scenario *s, uint32_t rep,
                                   const struct rr_run *run, struct rr_arena *arena, const char *const *laws, double *m)
{
    struct rr_billing b = {.scenario = s,
                           .horizon_us = run->replay.end_us,
                           .replication = rep,
                           .lease = run->replay.lease,
                           .pool_lease = run->replay.pool_lease,
                           .node_gpus = run->replay.node_gpus,
                           .arena = arena};
    struct rr_ledger l;
    const char *detail[LAWS] = {laws[0], laws[1]};
    rr_ledger_init(&l);
    enum rr_status status = rr_used_by_month(s, run, arena, &b.used_month);
    rr_used_by_hour(s, run, arena, &b);
    rr_calls_of(s, run, arena, &b);
    if (status == RR_OK) status = rr_bill(&b, &l.sink);
    if (status == RR_OK) status = check_bill(g, &b, &l, run, arena, detail);
    if (status == RR_OK) status = rr_metrics_money(&b, &l, m);
    if (status != RR_OK || rep != 0) {
        rr_ledger_done(&l);
        return status;
    }
    struct first_bill *first = &st->first_bill[v];
    first->billing = b;
    first->ledger = l;
    memcpy(first->law_detail, detail, sizeof detail);
    return RR_OK;
}

/* One replication of a group: its variants as they are in it. */
struct unit {
    struct group *group;
    uint32_t rep;
    struct rr_arena *arena;
    struct rr_sample *sample;          /* [n_variants of the group]; NULL without uncertain inputs */
    const struct rr_scenario **course; /* [n_variants] */
};

static enum rr_status sample_variants(struct rr_study *st, struct unit *u)
{
    const struct group *g = u->group;
    u->course = RR_NEWS(u->arena, const struct rr_scenario *, g->n_variants);
    for (size_t i = 0; i < g->n_variants; i++) u->course[i] = st->set->variant[g->variant[i]];
    if (!st->set->uncertainty) return RR_OK;
    u->sample = RR_NEWS(u->arena, struct rr_sample, g->n_variants);
    for (size_t i = 0; i < g->n_variants; i++) {
        RR_TRY(rr_sample_make(st->set, u->course[i], u->rep, u->arena, &u->sample[i]));
        struct rr_scenario *s = u->sample[i].scenario;
        const enum rr_status status = rr_price_resolve(s, st->set->catalog, u->arena, &s->notes);
        if (status != RR_OK) return rr_fail_in(status, "/uncertainty: replication %" PRIu32 " of \"%s\"", u->rep + 1, s->variant);
        u->course[i] = s;
    }
    return RR_OK;
}

/* Replay for variant `first` of the group; bill it, and all later ones whose course is the same. */
static enum rr_status run_course(struct rr_study *st, const struct unit *u, size_t first, bool *billed)
{
    struct group *g = u->group;
    const struct rr_scenario *s = u->course[first];
    struct rr_run run = {.notes.arena = u->arena};
    const char *laws[LAWS] = {0};
    double m[RR_METRICS];

    enum rr_status status = merge(g, s, u->rep, u->arena, &run);
    const struct rr_world w = {.scenario = s,
                               .trace = &run.jobs,
                               .replication = u->rep,
                               .horizon_us = s->horizon_us,
                               .notes = u->rep == 0 ? &run.notes : NULL,
                               .timeline_bins = u->rep == 0 ? TIMELINE_BINS : 0};
    if (status == RR_OK) status = rr_engine_run(&w, &run.replay);
    if (status == RR_OK) status = check_replay(&w, &run, u->arena, laws);
    if (status == RR_OK) rr_metrics_replay(s, &run, u->arena, m);
    struct rr_run *kept = &st->first_bill[g->variant[first]].own_run;
    for (size_t i = first; i < g->n_variants && status == RR_OK; i++) {
        const size_t v = g->variant[i];
        if (billed[i] || u->course[i]->decision_hash != s->decision_hash) continue;
        double *into = st->values[v] + (size_t)u->rep * RR_METRICS;
        memcpy(into, m, sizeof m);
        billed[i] = true;
        if (u->rep == 0) st->first_bill[v].run = kept;
        status = bill_variant(st, g, v, u->course[i], u->rep, &run, u->arena, laws, into);
    }
    if (u->rep == 0 && status == RR_OK)
        *kept = run;
    else
        rr_run_done(&run);
    return status;
}

/* `arena` outlives the study for replication 1 (index 0) and is reset after the others. */
static enum rr_status run_unit(struct rr_study *st, size_t k, struct rr_arena *arena)
{
    struct unit u = {.group = &st->group[k % st->n_groups], .rep = (uint32_t)(k / st->n_groups), .arena = arena};
    const size_t n = u.group->n_variants;
    bool *billed = RR_NEWS(arena, bool, n);
    enum rr_status status = sample_variants(st, &u);
    for (size_t i = 0; i < n && status == RR_OK; i++)
        if (!billed[i]) status = run_course(st, &u, i, billed);
    for (size_t i = 0; u.sample && i < n; i++) {
        if (u.rep == 0 && status == RR_OK)
            st->first_bill[u.group->variant[i]].sample = u.sample[i];
        else
            rr_sample_done(&u.sample[i]);
    }
    return status;
}

struct worker {
    struct rr_study *study;
    struct rr_arena *keep; /* for replication 1 */
    pthread_t thread;
};

static void finish_unit(struct rr_study *st, size_t unit, enum rr_status status)
{
    pthread_mutex_lock(&st->lock);
    if (status != RR_OK && unit < st->failed_at) {
        st->failed_at = unit;
        st->status = status;
        memcpy(st->reason, rr_reason(), strlen(rr_reason()) + 1);
    }
    st->done++;
    if (st->opt.progress) st->opt.progress(st->opt.ctx, st->done, st->all);
    pthread_mutex_unlock(&st->lock);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct rr_study *st = w->study;
    struct rr_arena *scratch = rr_arena_create();
    for (size_t unit; (unit = atomic_fetch_add(&st->next, 1)) < st->all;) {
        const bool first = unit < st->n_groups;
        pthread_mutex_lock(&st->lock);
        const bool hopeless = st->failed_at < unit;
        pthread_mutex_unlock(&st->lock);
        finish_unit(st, unit, hopeless ? RR_OK : run_unit(st, unit, first ? w->keep : scratch));
        rr_arena_reset(scratch);
    }
    rr_arena_free(scratch);
    return NULL;
}

static enum rr_status run_some(struct rr_study *st, struct worker *worker, int n)
{
    int started = 1; // this thread is the first worker
    for (; started < n && (size_t)started < st->all; started++)
        if (pthread_create(&worker[started].thread, NULL, work, &worker[started]) != 0) break;
    work(&worker[0]);
    for (int i = 1; i < started; i++) pthread_join(worker[i].thread, NULL);
    return st->status == RR_OK ? RR_OK : rr_fail(st->status, "%s", st->reason);
}

/* ---- until ---- */

static const double *column(const struct rr_study *st, size_t v, int metric, double *scratch)
{
    for (int r = 0; r < st->n_reps; r++) scratch[r] = st->values[v][(size_t)r * RR_METRICS + (size_t)metric];
    return scratch;
}

/* Half width over mean, the widest of the alternatives that count; infinite when it is not defined. */
static double widest(const struct rr_study *st)
{
    const struct rr_until *u = st->set->until;
    double *scratch = rr_xrealloc(NULL, (size_t)st->n_reps, sizeof *scratch), most = 0;
    for (size_t v = 0; v < st->set->n_variants; v++) {
        const struct rr_scenario *s = st->set->variant[v];
        if (u->alternative && strcmp(u->alternative, s->alternative) != 0 && strcmp(u->alternative, s->variant) != 0) continue;
        struct rr_stat stat;
        rr_stat_of(column(st, v, u->metric, scratch), st->n_reps, &stat);
        const double width = stat.ci95 == 0 ? 0 : stat.ci95 / fabs(stat.mean);
        most = width <= most ? most : isnan(width) ? INFINITY : width;
    }
    free(scratch);
    return most;
}

/* In rounds that end at 64, 128, 256, ... replications: where it stops does not depend on the threads. */
static enum rr_status run_all(struct rr_study *st, struct worker *worker, int n)
{
    enum { FIRST = 64 };
    const struct rr_until *u = st->set->until;
    double width = INFINITY;
    for (st->n_reps = u && FIRST < st->most_reps ? FIRST : st->most_reps;;) {
        st->all = st->n_groups * (size_t)st->n_reps;
        RR_TRY(run_some(st, worker, n));
        if (u) width = widest(st);
        if (!u || width <= u->half_width || st->n_reps == st->most_reps) break;
        st->n_reps = st->n_reps > st->most_reps / 2 ? st->most_reps : st->n_reps * 2;
        atomic_store(&st->next, st->done);
    }
    if (u)
        st->until = rr_strf(st->arena, "%s after %d of %d replications: %s is known to %.3g %% of its mean%s, %.3g %% was asked for",
                            width <= u->half_width ? "stopped" : "not narrow enough", st->n_reps, st->most_reps, u->metric_name,
                            100 * width, u->alternative ? "" : " or better in every alternative", 100 * u->half_width);
    return RR_OK;
}

/* ---- telling ---- */

static void note_estimates(const struct rr_study *st, const struct group *g, struct rr_notes *notes)
{
    const struct rr_scheduler *sch = &g->scenario->scheduler;
    if (sch->estimate != RR_ESTIMATE_USER || strcmp(sch->policy_name, "fifo") == 0) return;
    for (size_t i = 0; i < g->scenario->n_workloads; i++)
        if (g->trace[i] && !g->trace[i]->has_estimates)
            rr_note(notes, RR_NOTE_ASSUMED, g->scenario->workload[i].pointer, "",
                    "no estimates in the trace: the scheduler knows the run times");
    (void)st;
}

/* When the last job ended; the replay's end while any waits or runs. */
static int64_t work_until(const struct rr_replay *r)
{
    int64_t last = 0;
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->state == RR_JOB_WAITING || o->state == RR_JOB_RUNNING) return r->end_us;
        if (o->end_us != RR_NEVER && o->end_us > last) last = o->end_us;
    }
    return last;
}

/* Work that runs out long before the horizon leaves the machines idle, and makes what is rented look cheap. */
static void note_early_end(const struct group *g, const struct rr_run *r, struct rr_notes *notes)
{
    const int64_t horizon_us = g->scenario->horizon_us, last_us = work_until(&r->replay);
    bool planned = true; // runs that are planned one by one end when they end
    for (size_t i = 0; i < g->scenario->n_workloads; i++) planned &= g->scenario->workload[i].training != NULL;
    if (horizon_us == RR_NEVER || last_us > horizon_us / 10 * 9 || planned) return;
    struct rr_buf last = {0};
    rr_buf_time_short(&last, last_us);
    rr_note(notes, RR_NOTE_WARNING, "/workload", "",
            "the last job ends after %s, long before the horizon: \"repeat\" a trace, or raise \"count\"", rr_buf_text(&last));
    rr_buf_done(&last);
}

/* What the market took, by cause. */
static void note_taken(struct rr_notes *notes, const char *where, const struct rr_pool_time *t, enum rr_reason why, const char *text)
{
    const int64_t n = t->nodes_lost[why], times = t->events_of[why];
    if (n > 0)
        rr_note(notes, RR_NOTE_DATA, where, "", "%" PRId64 " spot node%s %s, at %" PRId64 " time%s", n, n == 1 ? " was" : "s were", text,
                times, times == 1 ? "" : "s");
}

static void note_market(const struct group *g, const struct rr_run *r, struct rr_notes *notes)
{
    for (size_t p = 0; p < g->scenario->n_pools; p++) {
        const char *where = g->scenario->pool[p].pointer;
        note_taken(notes, where, &r->replay.pool[p], RR_WHY_RECLAIMED, "reclaimed");
        note_taken(notes, where, &r->replay.pool[p], RR_WHY_PRICE, "given up above max_price");
    }
}

/* Capacity that did not come, and what of all waiting it was; known where there is a timeline. */
static void note_refused(const struct group *g, const struct rr_run *r, struct rr_notes *notes)
{
    double all = 0;
    for (int k = 0; k < RR_BOUNDS; k++) all += r->replay.bound[k].jobs_us;
    char share[80] = "";
    if (all > 0)
        snprintf(share, sizeof share, "; %.1f %% of all waiting was for refused capacity",
                 100 * r->replay.bound[RR_BOUND_REFUSED].jobs_us / all);
    for (size_t i = 0; i < g->scenario->n_pools; i++) {
        const struct rr_pool *p = &g->scenario->pool[i];
        const struct rr_pool_time *t = &r->replay.pool[i];
        if (t->refused)
            rr_note(notes, RR_NOTE_WARNING, p->pointer, "",
                    "%" PRId64 " requests for a node of pool \"%s\" were refused, %" PRId64 " nodes came%s", t->refused, p->name,
                    t->nodes_started, share);
    }
}

static void note_replay(const struct group *g, const struct rr_run *r, struct rr_notes *notes)
{
    size_t why[RR_WHYS] = {0}, first[RR_WHYS] = {0};
    char text[200];
    for (size_t i = 0; i < r->replay.n_jobs; i++)
        if (r->replay.outcome[i].state == RR_JOB_REJECTED && why[r->replay.outcome[i].reason]++ == 0)
            first[r->replay.outcome[i].reason] = i;
    for (size_t k = 0; k < RR_WHYS; k++)
        if (why[k])
            rr_note(notes, RR_NOTE_WARNING, "", "", "%zu job%s rejected at once: %s, such as for %s", why[k],
                    why[k] == 1 ? " was" : "s were", rr_why_text((enum rr_reason)k), rr_job_text(&r->jobs, first[k], text));
    note_market(g, r, notes);
    note_early_end(g, r, notes);
    note_refused(g, r, notes);
    if (r->replay.depth > 0 && r->replay.queue_max > r->replay.depth)
        rr_note(notes, RR_NOTE_ASSUMED, "/scheduler/depth", "",
                "the queue was up to %lld jobs deep, of which the scheduler looks at the first %lld", (long long)r->replay.queue_max,
                (long long)r->replay.depth);
    if (r->replay.queue_grows) rr_note(notes, RR_NOTE_WARNING, "", "", "the backlog still grows at the horizon: waits are censored");
    if (r->not_submitted)
        rr_note(notes, RR_NOTE_DATA, "", "", "%zu trace rows lie beyond the horizon and were not submitted", r->not_submitted);
}

static void tell_laws(struct rr_study *st, size_t v, struct rr_alternative *a)
{
    static const char *const name[LAWS] = {"jobs", "gpu_time", "money", "payer", "named"};
    struct rr_law_result *law = RR_NEWS(st->arena, struct rr_law_result, LAWS);
    for (size_t i = 0; i < LAWS; i++) law[i] = (struct rr_law_result){name[i], true, st->first_bill[v].law_detail[i]};
    a->law = law;
    a->n_laws = LAWS;
}

static void tell_stats(const struct rr_study *st, size_t v, struct rr_alternative *a, double *scratch)
{
    for (int m = 0; m < RR_METRICS; m++) rr_stat_of(column(st, v, m, scratch), st->n_reps, &a->metric[m]);
}

static void copy_notes(const struct rr_notes *from, struct rr_notes *to)
{
    for (size_t i = 0; i < from->list.n; i++) {
        const struct rr_note *n = &from->list.at[i];
        rr_note(to, n->kind, n->where, n->source, "%s", n->text);
    }
}

/* What the leases can be priced by again. */
static enum rr_status tell_priced(const struct rr_study *st, const struct first_bill *first, struct rr_alternative *a)
{
    const struct rr_billing *b = &first->billing;
    struct rr_month_part *part;
    char *text = cJSON_PrintUnformatted(b->scenario->document);
    a->document = rr_strdup(st->arena, text ? text : "{}");
    cJSON_free(text);
    a->used_month = b->used_month;
    return rr_month_parts(&b->scenario->clock, 0, b->horizon_us > 0 ? b->horizon_us : 1, st->arena, &part, &a->n_used_months);
}

static enum rr_status tell_variant(struct rr_study *st, const struct group *g, size_t v, struct rr_alternative *a)
{
    const struct rr_scenario *s = st->set->variant[v];
    const struct first_bill *first = &st->first_bill[v];
    const struct rr_run *run = first->run;
    struct rr_notes notes = {.arena = st->arena};
    a->name = s->variant;
    a->alternative = s->alternative;
    for (size_t p = 0; p < s->n_pools; p++) a->unpriced |= !s->pool[p].plan;
    a->end_us = run->replay.end_us;
    a->not_submitted = (int64_t)run->not_submitted;
    tell_laws(st, v, a);
    note_estimates(st, g, &notes);
    note_replay(g, run, &notes);
    rr_note_given(s, &notes);
    copy_notes(&s->notes, &notes);
    copy_notes(&run->notes, &notes);
    struct rr_note *list = RR_NEWS(st->arena, struct rr_note, notes.list.n);
    if (notes.list.n) memcpy(list, notes.list.at, notes.list.n * sizeof *list);
    a->note = list;
    a->n_notes = notes.list.n;
    rr_notes_done(&notes);
    a->charge = first->ledger.charge.at;
    a->n_charges = first->ledger.charge.n;
    a->cover = first->ledger.cover.at;
    a->n_covers = first->ledger.cover.n;
    const struct rr_telling t = {st->arena, first->billing.scenario, run, &first->billing, &first->ledger, a};
    RR_TRY(rr_tell_rows(&t));
    if (!st->opt.keep_jobs) return RR_OK;
    a->trace = &run->jobs;
    a->outcome = run->replay.outcome;
    a->lease = run->replay.lease;
    a->n_leases = run->replay.n_leases;
    a->node_gpus = run->replay.node_gpus;
    RR_TRY(tell_priced(st, first, a));
    return rr_tell_series(&t);
}

struct inputs {
    struct rr_arena *arena;
    RR_VEC(struct rr_input_file) file;
};

static void tell_input(void *ctx, const char *path, const char *sha256)
{
    struct inputs *in = ctx;
    for (size_t i = 0; i < in->file.n; i++)
        if (strcmp(in->file.at[i].path, path) == 0) return;
    const struct rr_input_file file = {path, rr_strdup(in->arena, sha256 ? sha256 : "")};
    rr_vec_push(&in->file, file);
}

static void tell_inputs(struct rr_study *st)
{
    const struct rr_scenario_set *set = st->set;
    struct inputs in = {.arena = st->arena};
    tell_input(&in, set->path, set->sha256);
    for (size_t i = 0; i < st->n_loaded; i++) tell_input(&in, st->loaded[i].path, st->loaded[i].trace.sha256);
    for (size_t v = 0; v < set->n_variants; v++) {
        const struct rr_scenario *s = set->variant[v];
        if (s->failures && s->failures->trace) tell_input(&in, s->failures->trace, s->failures->trace_sha256);
        for (size_t i = 0; s->profiles && i < s->profiles->n; i++) tell_input(&in, s->profiles->input[i], s->profiles->sha256[i]);
        for (size_t b = 0; b < s->n_books; b++) tell_input(&in, s->book[b]->book.path, s->book[b]->book.sha256);
        if (s->throughput) tell_input(&in, s->throughput->path, s->throughput->sha256);
        for (size_t p = 0; p < s->n_pools; p++) {
            const struct rr_pool *pool = &s->pool[p];
            const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)pool->plan;
            if (pool->nodes_file) tell_input(&in, pool->nodes_file, pool->nodes_sha256);
            if (plan && plan->inputs) plan->inputs(pool->plan_params, tell_input, &in);
        }
        for (size_t k = 0; k < s->n_charges; k++) {
            const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)s->charge[k].plan;
            if (plan->inputs) plan->inputs(s->charge[k].params, tell_input, &in);
        }
    }
    struct rr_input_file *kept = RR_NEWS(st->arena, struct rr_input_file, in.file.n);
    memcpy(kept, in.file.at, in.file.n * sizeof *kept);
    st->store.input = kept;
    st->store.n_inputs = in.file.n;
    rr_vec_done(&in.file);
}

static void tell_varied(struct rr_study *st)
{
    bool arrives = false, lasts = false, sizes = false, resampled = false, fails = false, market = false, profiles = false;
    const struct rr_uncertainty *u = st->set->uncertainty;
    for (size_t i = 0; i < st->n_groups; i++) {
        const struct rr_scenario *s = st->group[i].scenario;
        for (size_t k = 0; k < s->n_workloads; k++) {
            const struct rr_generate *g = s->workload[k].generates ? &s->workload[k].generate : NULL;
            arrives |= g && g->gap_us.kind != RR_DIST_CONSTANT;
            lasts |= g && g->duration_us.kind != RR_DIST_CONSTANT;
            sizes |= g && g->gpus.kind != RR_DIST_CONSTANT;
            resampled |= s->workload[k].resample != 0;
            profiles |= s->workload[k].training_plan.n_worlds > 0;
        }
        for (size_t k = 0; k < s->n_pools; k++) market |= s->pool[k].reclaimable;
        fails |= s->failures != NULL;
    }
    if (st->n_reps < 2) return;
    const char **varied = RR_NEWS(st->arena, const char *, 7 + (u ? u->n : 0));
    size_t n = 0;
    if (arrives) varied[n++] = "arrivals";
    if (lasts) varied[n++] = "run times";
    if (profiles) varied[n++] = "profile error";
    if (sizes) varied[n++] = "GPUs a job";
    if (fails) varied[n++] = "failures";
    if (market) varied[n++] = "spot market";
    if (resampled) varied[n++] = "weeks of the trace";
    for (size_t i = 0; u && i < u->n; i++) varied[n++] = u->input[i].name;
    st->store.varied = varied;
    st->store.n_varied = n;
}

static void note_worlds(struct rr_study *st)
{
    if (st->until) rr_note(&st->notes, RR_NOTE_DATA, "/until", "", "%s", st->until);
    if (st->set->uncertainty && st->most_reps == 1)
        rr_note(&st->notes, RR_NOTE_WARNING, "/uncertainty", "",
                "one replication draws each uncertain input once: raise \"replications\" to see the spread");
}

/* One more note of the study, when its list is made already. */
static void note_last(struct rr_study *st, const char *text)
{
    struct rr_note *note = RR_NEWS(st->arena, struct rr_note, st->store.n_notes + 1);
    memcpy(note, st->store.note, st->store.n_notes * sizeof *note);
    note[st->store.n_notes] = (struct rr_note){RR_NOTE_DATA, "/finance", text, ""};
    st->store.note = note;
    st->store.n_notes++;
}

/* Sheets over the alternatives as they stand, best and baseline whatever they are; sweep points are too many to read. */
static enum rr_status tell_finance(struct rr_study *st)
{
    const struct rr_store *s = &st->store;
    struct rr_books *book = RR_NEWS(st->arena, struct rr_books, s->n_alternatives);
    size_t n = 0, leases = 0;
    for (size_t v = 0; v < s->n_alternatives; v++) {
        const struct rr_alternative *a = &s->alternative[v];
        const bool point = strcmp(a->name, a->alternative) != 0;
        if (point && strcmp(a->name, s->best) != 0 && strcmp(a->name, s->baseline) != 0) continue;
        const struct first_bill *f = &st->first_bill[v];
        book[n++] = (struct rr_books){a, &f->billing, &f->ledger, f->run, st->values[v]};
        leases += f->run->replay.n_leases;
    }
    const struct rr_finance_view view = {st->set, st->arena, book, n, s, leases <= RR_MOST_AGAIN};
    if (!view.again)
        note_last(st, rr_strf(st->arena,
                              "%zu leases are too many to be priced again and again: what would change the verdict was not looked for, "
                              "nor what is owed at each quarter's end",
                              leases));
    return n ? rr_tell_finance(&view, &st->store) : RR_OK;
}

static enum rr_status tell(struct rr_study *st)
{
    const struct rr_scenario_set *set = st->set;
    const struct rr_scenario *s = set->variant[0];
    struct rr_alternative *alt = RR_NEWS(st->arena, struct rr_alternative, set->n_variants);
    double *scratch = RR_NEWS(st->arena, double, (size_t)st->n_reps);
    note_worlds(st);
    for (size_t i = 0; i < st->n_groups; i++)
        for (size_t k = 0; k < st->group[i].n_variants; k++) {
            const size_t v = st->group[i].variant[k];
            tell_stats(st, v, &alt[v], scratch);
            RR_TRY(tell_variant(st, &st->group[i], v, &alt[v]));
        }
    struct rr_note *note = RR_NEWS(st->arena, struct rr_note, set->notes.list.n + st->notes.list.n);
    size_t n_notes = 0;
    for (size_t i = 0; i < set->notes.list.n; i++) note[n_notes++] = set->notes.list.at[i];
    for (size_t i = 0; i < st->notes.list.n; i++) note[n_notes++] = st->notes.list.at[i];
    st->store = (struct rr_store){.schema = "rackrate.results/1",
                                  .name = set->name,
                                  .version = RR_VERSION,
                                  .currency = s->currency,
                                  .scenario_path = set->path,
                                  .seed = s->seed,
                                  .replications = st->n_reps,
                                  .anchored = s->clock.anchored,
                                  .start_us = s->start_us,
                                  .horizon_s = s->horizon_us == RR_NEVER ? NAN : (double)s->horizon_us / 1e6,
                                  .baseline = set->baseline,
                                  .alternative = alt,
                                  .n_alternatives = set->n_variants,
                                  .note = note,
                                  .n_notes = n_notes};
    tell_inputs(st);
    tell_varied(st);
    RR_TRY(rr_judge(set, st->arena, (const double *const *)st->values, st->n_reps, &st->store));
    if (!st->opt.findings) return RR_OK;
    RR_TRY(tell_finance(st));
    return rr_tell_training(st->set, st->arena, &st->store);
}

/* ---- from outside ---- */

enum rr_status rr_study_run(const struct rr_scenario_set *set, const struct rr_study_options *opt, struct rr_study **ret)
{
    struct rr_arena *arena = rr_arena_create();
    struct rr_study *st = RR_NEW(arena, struct rr_study);
    st->arena = arena;
    st->set = set;
    st->opt = *opt;
    st->notes.arena = arena;
    st->most_reps = (int)set->variant[0]->replications;
    st->failed_at = SIZE_MAX;
    pthread_mutex_init(&st->lock, NULL);
    st->first_bill = RR_NEWS(arena, struct first_bill, set->n_variants);
    st->values = RR_NEWS(arena, double *, set->n_variants);
    for (size_t v = 0; v < set->n_variants; v++) st->values[v] = RR_NEWS(arena, double, (size_t)st->most_reps *RR_METRICS);
    const int n = opt->threads > 1 ? opt->threads : 1;
    struct worker *worker = RR_NEWS(arena, struct worker, (size_t)n);
    st->keep = RR_NEWS(arena, struct rr_arena *, (size_t)n);
    st->n_keep = (size_t)n;
    for (int i = 0; i < n; i++) {
        st->keep[i] = rr_arena_create();
        worker[i] = (struct worker){.study = st, .keep = st->keep[i]};
    }
    enum rr_status status = load_all(st);
    if (status == RR_OK) status = run_all(st, worker, n);
    if (status == RR_OK) status = tell(st);
    if (status != RR_OK)
        rr_study_free(st);
    else
        *ret = st;
    return status;
}

static enum rr_status check_group(const struct group *g, struct rr_notes *notes)
{
    const struct rr_scenario *s = g->scenario;
    struct rr_arena *scratch = rr_arena_create();
    struct rr_run run = {0};
    enum rr_status st = merge(g, s, 0, scratch, &run);
    const struct rr_world w = {.scenario = s, .trace = &run.jobs, .horizon_us = s->horizon_us, .notes = notes};
    if (st == RR_OK) st = rr_engine_check(&w);
    rr_run_done(&run);
    rr_arena_free(scratch);
    return st;
}

enum rr_status rr_study_check(struct rr_scenario_set *set, struct rr_notes *notes)
{
    struct rr_study st = {.arena = set->arena, .set = set, .notes = *notes};
    enum rr_status status = load_all(&st);
    *notes = st.notes;
    for (size_t i = 0; i < st.n_groups && status == RR_OK; i++) {
        struct rr_notes told = {.arena = set->arena};
        status = check_group(&st.group[i], &told);
        for (size_t k = 0; k < st.group[i].n_variants; k++) copy_notes(&told, &set->variant[st.group[i].variant[k]]->notes);
        rr_notes_done(&told);
    }
    for (size_t i = 0; i < st.n_loaded; i++) rr_trace_done(&st.loaded[i].trace);
    return status;
}

const struct rr_store *rr_study_store(const struct rr_study *s) { return &s->store; }

void rr_study_free(struct rr_study *s)
{
    if (!s) return;
    for (size_t v = 0; v < s->set->n_variants; v++) {
        rr_ledger_done(&s->first_bill[v].ledger);
        rr_run_done(&s->first_bill[v].own_run);
        rr_sample_done(&s->first_bill[v].sample);
    }
    for (size_t i = 0; i < s->n_loaded; i++) rr_trace_done(&s->loaded[i].trace);
    for (size_t i = 0; i < s->n_keep; i++) rr_arena_free(s->keep[i]);
    rr_notes_done(&s->notes);
    pthread_mutex_destroy(&s->lock);
    rr_arena_free(s->arena);
}
