/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace_merge.c - the workloads of a scenario as one list of jobs.
 *
 * One trace that is not repeated is passed on: its columns are borrowed, and only those that a scale changes are made anew. All else is
 * drawn job by job from sources that each know when their next job comes. */
#include "data/names.h"
#include "data/trace_after.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A workload under way. next_us is the submit time of the job that comes next, RR_NEVER when there is none. */
struct source {
    const struct rr_trace_use *use;
    int64_t next_us;
    int64_t row, repetition; // of a trace; `row` is the job's number of a generated one
    int64_t period_us;
    int64_t first_week, n_weeks; // of the trace, when resampled
    int64_t shift_us;            // of the week that is drawn
    int64_t row_end;             // behind its last row
    uint16_t own_class;          // of jobs without one
    uint16_t *class_of;          // [n_classes] of the trace -> of the result
    uint32_t *user_of, *account_of;
    uint64_t type_of[RR_GPU_TYPES]; // bit of the trace -> bit of the result
    uint32_t *array_of;             // [n_arrays] of the trace -> of the result, in this repetition; 0 = not met yet
    int64_t array_repetition;
};
struct merge {
    struct source *source;
    size_t n_sources;
    struct rr_arena *arena;
    struct rr_trace t;
    size_t cap;
    bool id_texts; // ids must be written
    size_t text_n, text_cap;
    size_t after_n, after_cap; // of t.after_text
    RR_VEC(int32_t) limits;    // of the result's arrays
    size_t not_submitted;
    struct rr_names class, user, account, type;
};

static const char *name_of(const struct rr_trace_use *u) { return u->class_name ? u->class_name : ""; }

/* Scales. */

static enum rr_status scaled(const struct rr_trace_use *u, int64_t us, double factor, int64_t *ret)
{
    if (us == RR_NEVER || factor == 1) {
        *ret = us;
        return RR_OK;
    }
    const double v = floor((double)us * factor + 0.5);
    if (!(v >= 0 && v < (double)RR_MOST_TIME))
        return rr_fail(RR_EINPUT, "workload \"%s\": time_scale %g makes a time longer than 1,000 years", name_of(u), factor);
    *ret = (int64_t)v;
    return RR_OK;
}

/* Order is kept: the division and the rounding are monotone. */
static int64_t scaled_submit(const struct rr_trace_use *u, int64_t us)
{
    if (u->load_scale == 1) return us;
    const int64_t first = u->trace->submit_us[0];
    return first + (int64_t)floor((double)(us - first) / u->load_scale + 0.5);
}

static enum rr_status check_use(const struct rr_trace_use *u)
{
    if (!(u->load_scale > 0 && isfinite(u->load_scale)) || !(u->time_scale > 0 && isfinite(u->time_scale)))
        return rr_fail(RR_EINPUT, "workload \"%s\": load_scale and time_scale must be above 0", name_of(u));
    if (u->repeat && u->until_us == RR_NEVER) return rr_fail(RR_EINPUT, "workload \"%s\": a repeated workload needs a horizon", name_of(u));
    if (u->resample && u->until_us == RR_NEVER)
        return rr_fail(RR_EINPUT, "workload \"%s\": a resampled workload needs a horizon", name_of(u));
    if (u->repeat && u->generate)
        return rr_fail(RR_EINPUT, "workload \"%s\": a generated workload is not repeated; give it a larger count", name_of(u));
    if (u->generate && (u->generate->count < 0 || u->generate->count >= RR_TRACE_JOBS))
        return rr_fail(RR_EINPUT, "workload \"%s\": count must be 0 to 4,294,967,294", name_of(u));
    if (u->trace && u->trace->n > 0) {
        const int64_t first = u->trace->submit_us[0], last = u->trace->submit_us[u->trace->n - 1];
        if (!((double)(last - first) / u->load_scale < (double)RR_MOST_TIME))
            return rr_fail(RR_EINPUT, "workload \"%s\": load_scale %g makes the trace longer than 1,000 years", name_of(u), u->load_scale);
    }
    return RR_OK;
}

/* One trace, once. */

static size_t rows_until(const struct rr_trace_use *u, int64_t until_us)
{
    size_t n = u->trace->n;
    if (until_us == RR_NEVER) return n;
    size_t low = 0;
    while (low < n) {
        const size_t mid = low + (n - low) / 2;
        if (scaled_submit(u, u->trace->submit_us[mid]) < until_us)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

static enum rr_status scaled_column(const struct rr_trace_use *u, int64_t **column, size_t n)
{
    if (!*column || u->time_scale == 1) return RR_OK;
    const int64_t *from = *column;
    int64_t *to = *column = rr_xrealloc(NULL, n ? n : 1, sizeof *to); // of the caller's trace from now on, also when this fails
    for (size_t i = 0; i < n; i++) RR_TRY(scaled(u, from[i], u->time_scale, &to[i]));
    return RR_OK;
}

/* Class 0 becomes the workload's own; when the trace has a class of that name already, jobs without one join it. */
static void name_classes(const struct rr_trace_use *u, struct rr_trace *t, struct rr_arena *arena)
{
    const char **names = RR_NEWS(arena, const char *, t->n_classes ? t->n_classes : 1);
    for (size_t k = 1; k < t->n_classes; k++) names[k] = t->class_name[k];
    names[0] = rr_strdup(arena, name_of(u));
    size_t same = 1;
    while (same < t->n_classes && strcmp(names[same], names[0]) != 0) same++;
    if (same < t->n_classes && t->class_id) {
        uint16_t *ids = rr_xrealloc(NULL, t->n ? t->n : 1, sizeof *ids);
        for (size_t i = 0; i < t->n; i++) ids[i] = t->class_id[i] ? t->class_id[i] : (uint16_t)same;
        t->class_id = ids;
    }
    t->class_name = names;
    if (!t->class_id) t->n_classes = 1;
}

static size_t count_censored(const struct rr_trace *t)
{
    size_t n = 0;
    for (size_t i = 0; t->state && i < t->n; i++) n += t->state[i] == RR_TRACE_NEVER_STARTED || t->state[i] == RR_TRACE_NEVER_ENDED;
    return n;
}

static enum rr_status pass_on(const struct rr_trace_use *u, struct rr_arena *arena, struct rr_trace *ret, size_t *not_submitted)
{
    struct rr_trace t = *u->trace;
    t.lender = u->trace;
    t.n = rows_until(u, u->until_us);
    if (u->load_scale != 1) {
        t.submit_us = rr_xrealloc(NULL, t.n ? t.n : 1, sizeof *t.submit_us);
        for (size_t i = 0; i < t.n; i++) t.submit_us[i] = scaled_submit(u, u->trace->submit_us[i]);
    }
    enum rr_status st = scaled_column(u, &t.run_us, t.n);
    if (st == RR_OK) st = scaled_column(u, &t.estimate_us, t.n);
    if (st == RR_OK) st = scaled_column(u, &t.limit_us, t.n);
    if (st != RR_OK) {
        rr_trace_done(&t);
        return st;
    }
    name_classes(u, &t, arena);
    t.censored = t.n < u->trace->n ? count_censored(&t) : u->trace->censored;
    *not_submitted = u->trace->n - t.n;
    *ret = t;
    return RR_OK;
}

/* Sources. */

/* A draw in microseconds or thousandths, rounded; a negative one is refused: cutting it off would change the distribution unseen. */
static enum rr_status draw(const struct source *s, enum rr_purpose purpose, const struct rr_dist *d, double factor, const char *what,
                           int64_t *ret)
{
    struct rr_rng rng;
    rr_rng_init(&rng, s->use->seed, s->use->replication, purpose, s->use->stream << 32 | (uint64_t)s->row);
    const double v = floor(rr_dist_draw(d, &rng) * factor + 0.5);
    if (!(v >= 0 && v < (double)RR_MOST_TIME))
        return rr_fail(RR_EINPUT, "workload \"%s\": the %s drawn for job %lld is %s", name_of(s->use), what, (long long)s->row + 1,
                       v < 0 ? "below 0: take a distribution that stays above" : "out of range");
    *ret = (int64_t)v;
    return RR_OK;
}

static enum rr_status next_generated(struct source *s)
{
    const struct rr_generate *g = s->use->generate;
    const int64_t before_us = s->row == 0 ? g->before_us : s->next_us;
    s->next_us = RR_NEVER;
    if (s->row >= g->count) return RR_OK;
    int64_t gap_us;
    RR_TRY(draw(s, RR_RNG_ARRIVAL, &g->gap_us, 1 / s->use->load_scale, "gap between arrivals", &gap_us));
    if (before_us + gap_us >= RR_MOST_TIME)
        return rr_fail(RR_EINPUT, "workload \"%s\": job %lld arrives after 1,000 years", name_of(s->use), (long long)s->row + 1);
    s->next_us = before_us + gap_us;
    return RR_OK;
}

static enum rr_status next_row(struct source *s)
{
    const struct rr_trace *t = s->use->trace;
    s->next_us = RR_NEVER;
    if ((size_t)s->row == t->n && s->use->repeat) {
        s->row = 0;
        s->repetition++;
    }
    if ((size_t)s->row < t->n) s->next_us = scaled_submit(s->use, t->submit_us[s->row]) + s->repetition * s->period_us;
    return RR_OK;
}

/* The next row of the week under way, or the first one of the next week that has any. */
static enum rr_status next_resampled(struct source *s)
{
    const struct rr_trace_use *u = s->use;
    s->next_us = RR_NEVER;
    while (s->row == s->row_end) {
        const int64_t week = s->repetition + 1;
        if (week >= (u->until_us + RR_WEEK - 1) / RR_WEEK) return RR_OK;
        struct rr_rng rng;
        rr_rng_init(&rng, u->seed, u->replication, RR_RNG_RESAMPLE, u->stream << 32 | (uint64_t)week);
        const int64_t from = s->first_week + (int64_t)rr_rng_below(&rng, (uint64_t)s->n_weeks);
        s->repetition = week;
        s->shift_us = (week - from) * RR_WEEK;
        s->row = (int64_t)rows_until(u, from * RR_WEEK);
        s->row_end = (int64_t)rows_until(u, (from + 1) * RR_WEEK);
    }
    s->next_us = scaled_submit(u, u->trace->submit_us[s->row]) + s->shift_us;
    return RR_OK;
}

/* When the job at s->row comes. next_us holds the time of the one before. */
static enum rr_status look_ahead(struct merge *m, struct source *s)
{
    RR_TRY(s->use->generate ? next_generated(s) : s->use->resample ? next_resampled(s) : next_row(s));
    if (s->next_us == RR_NEVER || s->next_us < s->use->until_us) return RR_OK;
    s->next_us = RR_NEVER;
    if (s->use->resample) s->repetition = INT32_MAX; // later weeks lie behind the end too
    if (s->repetition == 0) m->not_submitted += (s->use->generate ? (size_t)s->use->generate->count : s->use->trace->n) - (size_t)s->row;
    return RR_OK;
}

static uint32_t *map_names(struct merge *m, struct rr_names *into, const char *const *name, size_t n)
{
    if (n == 0) return NULL;
    uint32_t *of = RR_NEWS(m->arena, uint32_t, n);
    if (into->list.n == 0) rr_names_add(into, rr_slice("", 0));
    for (size_t k = 0; k < n; k++) of[k] = rr_names_add(into, rr_slice(name[k], strlen(name[k])));
    return of;
}

static bool has_classless(const struct rr_trace *t)
{
    if (!t || !t->class_id) return true;
    for (size_t i = 0; i < t->n; i++)
        if (t->class_id[i] == 0) return true;
    return false;
}

static enum rr_status map_source(struct merge *m, struct source *s)
{
    const struct rr_trace *t = s->use->trace;
    const char *own = name_of(s->use);
    if (has_classless(t)) s->own_class = (uint16_t)rr_names_add(&m->class, rr_slice(own, strlen(own)));
    if (!t) return RR_OK;
    s->class_of = RR_NEWS(m->arena, uint16_t, t->n_classes + 1);
    s->class_of[0] = s->own_class;
    for (size_t k = 1; t->class_id && k < t->n_classes; k++)
        s->class_of[k] = (uint16_t)rr_names_add(&m->class, rr_slice(t->class_name[k], strlen(t->class_name[k])));
    if (m->class.list.n > UINT16_MAX) return rr_fail(RR_EINPUT, "more than 65,535 classes in all workloads together");
    s->user_of = map_names(m, &m->user, t->user_name, t->n_users);
    s->account_of = map_names(m, &m->account, t->account_name, t->n_accounts);
    for (size_t k = 0; k < t->n_gpu_types; k++) {
        const uint32_t bit = rr_names_add(&m->type, rr_slice(t->gpu_type_name[k], strlen(t->gpu_type_name[k])));
        if (bit >= RR_GPU_TYPES) return rr_fail(RR_EINPUT, "more than 64 GPU types in all workloads together");
        s->type_of[k] = UINT64_C(1) << bit;
    }
    return RR_OK;
}

/* Whole weeks of the trace as scaled: a last week without jobs on its last day was cut off. */
static enum rr_status count_weeks(struct source *s)
{
    const struct rr_trace_use *u = s->use;
    if (!u->resample) return RR_OK;
    const int64_t last_us = scaled_submit(u, u->trace->submit_us[u->trace->n - 1]);
    s->first_week = scaled_submit(u, u->trace->submit_us[0]) / RR_WEEK;
    s->n_weeks = last_us / RR_WEEK - s->first_week + (last_us % RR_WEEK >= RR_WEEK - RR_D);
    s->repetition = -1;
    if (s->n_weeks >= 2) return RR_OK;
    return rr_fail(RR_EINPUT,
                   "workload \"%s\": \"resample\" draws from the weeks of the trace, which has %d whole; at least 2 are expected",
                   name_of(u), (int)s->n_weeks);
}

static enum rr_status check_after(const struct rr_trace_use *u)
{
    if (u->resample && u->trace->after_at)
        return rr_fail(RR_EINPUT,
                       "workload \"%s\": jobs that depend on each other cannot be resampled: weeks that are drawn may lack the one or the "
                       "other",
                       name_of(u));
    return rr_after_check(u->trace);
}

static enum rr_status start_source(struct merge *m, struct source *s, const struct rr_trace_use *u)
{
    RR_TRY(check_use(u));
    *s = (struct source){.use = u};
    const struct rr_trace *t = u->trace;
    if (t && t->n > 0) {
        const int64_t span = scaled_submit(u, t->submit_us[t->n - 1]) - t->submit_us[0];
        s->period_us = span > RR_WEEK ? (span + RR_WEEK - 1) / RR_WEEK * RR_WEEK : RR_WEEK;
    }
    RR_TRY(map_source(m, s));
    if (t) RR_TRY(check_after(u));
    RR_TRY(count_weeks(s));
    if (t && t->array_id) s->array_of = RR_NEWS(m->arena, uint32_t, t->n_arrays);
    return look_ahead(m, s);
}

/* The result's columns. */

/* A column is made when one of the traces has it. */
static void choose_columns(struct merge *m)
{
    struct rr_trace *t = &m->t;
    t->submit_us = rr_xrealloc(NULL, 1, sizeof *t->submit_us);
    t->run_us = rr_xrealloc(NULL, 1, sizeof *t->run_us);
    t->gpus_milli = rr_xrealloc(NULL, 1, sizeof *t->gpus_milli);
    m->id_texts = m->n_sources > 1;
    for (size_t k = 0; k < m->n_sources; k++) {
        const struct rr_trace *from = m->source[k].use->trace;
        const struct rr_generate *g = m->source[k].use->generate;
        if (g && g->deadline_us > 0 && !t->deadline_us) t->deadline_us = rr_xrealloc(NULL, 1, sizeof *t->deadline_us);
        if (!from) continue;
#define HAVE(col) \
    if (from->col && !t->col) t->col = rr_xrealloc(NULL, 1, sizeof *t->col);
        HAVE(estimate_us)
        HAVE(limit_us)
        HAVE(deadline_us)
        HAVE(waited_us)
        HAVE(priority)
        HAVE(nodes)
        HAVE(cpus_milli)
        HAVE(memory_mib)
        HAVE(gpu_types)
        HAVE(state)
        HAVE(user_id)
        HAVE(account_id)
        HAVE(after_at)
        HAVE(think_us)
        HAVE(array_id)
#undef HAVE
        m->id_texts |= from->id_at != NULL;
        t->rows += from->rows;
        t->rejected += from->rejected;
    }
    if (t->after_at) {
        t->after_text = rr_xrealloc(NULL, 1, 1);
        t->after_text[m->after_n++] = '\0'; // offset 0 is the empty text
        t->after_exact = true;
    }
    if (m->class.list.n > 1) t->class_id = rr_xrealloc(NULL, 1, sizeof *t->class_id);
    if (m->id_texts) t->id_at = rr_xrealloc(NULL, 1, sizeof *t->id_at);
    m->cap = 1;
}

static void resize(struct merge *m, size_t cap)
{
    struct rr_trace *t = &m->t;
#define RESIZE(col) t->col = t->col ? rr_xrealloc(t->col, cap, sizeof *t->col) : NULL;
    RR_TRACE_COLUMNS(RESIZE)
#undef RESIZE
    m->cap = cap;
}

/* The id of a job of this copy, without its NUL, at `at` of a text that is grown for it. */
static enum rr_status write_id(const struct merge *m, const struct source *s, struct rr_slice own, char **text, size_t at, size_t *cap,
                               size_t *ret_n)
{
    char tail[24] = "";
    const char *name = m->n_sources > 1 ? name_of(s->use) : "";
    if (s->repetition > 0) snprintf(tail, sizeof tail, "#%lld", (long long)s->repetition + 1);
    const size_t n = strlen(name) + 1 + own.n + strlen(tail) + 4; // with room for a mark, a line's end and a NUL
    if (at + n > UINT32_MAX) return rr_fail(RR_EINPUT, "more than 4 GiB of job ids");
    if (at + n > *cap) {
        *cap += *cap / 2 + n + 4096;
        *text = rr_xrealloc(*text, *cap, 1);
    }
    *ret_n = (size_t)snprintf(*text + at, n, "%s%s%.*s%s", name, *name ? "/" : "", (int)own.n, own.at, tail);
    return RR_OK;
}

static enum rr_status put_id(struct merge *m, const struct source *s)
{
    char number[24];
    const char *own = number;
    size_t n;
    if (s->use->trace)
        own = rr_trace_id(s->use->trace, (size_t)s->row, number);
    else
        snprintf(number, sizeof number, "%lld", (long long)s->row + 1);
    RR_TRY(write_id(m, s, rr_slice(own, strlen(own)), &m->t.id_text, m->text_n, &m->text_cap, &n));
    m->t.id_at[m->t.n] = (uint32_t)m->text_n;
    m->text_n += n + 1;
    return RR_OK;
}

/* Those of the same copy. */
static enum rr_status put_after(struct merge *m, const struct source *s, size_t i)
{
    const struct rr_trace *from = s->use->trace;
    m->t.after_at[i] = 0;
    if (!from->after_at || from->after_at[s->row] == 0) return RR_OK;
    m->t.after_at[i] = (uint32_t)m->after_n;
    for (struct rr_after a = rr_after_of(from, (size_t)s->row); rr_after_next(&a);) {
        size_t n;
        RR_TRY(write_id(m, s, a.id, &m->t.after_text, m->after_n + 1, &m->after_cap, &n));
        m->t.after_text[m->after_n] = a.any ? '*' : '=';
        m->after_n += n + 1;
        m->t.after_text[m->after_n++] = '\n';
    }
    if (m->t.after_at[i] == m->after_n) // nothing but blanks
        m->t.after_at[i] = 0;
    else
        m->t.after_text[m->after_n++] = '\0';
    return RR_OK;
}

static uint32_t array_of(struct merge *m, struct source *s)
{
    const struct rr_trace *from = s->use->trace;
    const uint32_t a = from->array_id ? from->array_id[s->row] : 0;
    if (a == 0 || from->array_limit[a] == 0) return 0;
    if (s->array_repetition != s->repetition) memset(s->array_of, 0, from->n_arrays * sizeof *s->array_of);
    s->array_repetition = s->repetition;
    if (s->array_of[a] == 0) {
        s->array_of[a] = (uint32_t)m->limits.n;
        rr_vec_push(&m->limits, from->array_limit[a]);
    }
    return s->array_of[a];
}

/* Above one GPU whole ones, to the nearest. */
static int64_t whole_gpus(int64_t milli) { return milli <= 1000 ? milli : (milli + 500) / 1000 * 1000; }

static enum rr_status put_generated(struct merge *m, struct source *s, size_t i)
{
    struct rr_trace *t = &m->t;
    const struct rr_generate *g = s->use->generate;
    int64_t gpus;
    RR_TRY(draw(s, RR_RNG_DURATION, &g->duration_us, s->use->time_scale, "duration", &t->run_us[i]));
    RR_TRY(draw(s, RR_RNG_GPUS, &g->gpus, 1000, "number of GPUs", &gpus));
    gpus = whole_gpus(gpus);
    if (gpus > INT32_MAX)
        return rr_fail(RR_EINPUT, "workload \"%s\": more than 2,147,483 GPUs drawn for job %lld", name_of(s->use), (long long)s->row + 1);
    t->gpus_milli[i] = (int32_t)gpus;
    if (t->estimate_us) t->estimate_us[i] = t->run_us[i];
    if (t->limit_us) t->limit_us[i] = RR_NEVER;
    if (t->deadline_us) t->deadline_us[i] = g->deadline_us > 0 ? g->deadline_us : RR_NEVER;
    if (t->waited_us) t->waited_us[i] = RR_NEVER;
    if (t->class_id) t->class_id[i] = s->own_class;
#define EMPTY(col) \
    if (t->col) t->col[i] = 0;
    EMPTY(nodes)
    EMPTY(priority)
    EMPTY(cpus_milli)
    EMPTY(memory_mib)
    EMPTY(gpu_types)
    EMPTY(state)
    EMPTY(user_id)
    EMPTY(account_id)
    EMPTY(after_at)
    EMPTY(think_us)
    EMPTY(array_id)
#undef EMPTY
    return RR_OK;
}

static uint64_t mapped_types(const struct source *s, uint64_t bits)
{
    uint64_t to = 0;
    for (; bits; bits &= bits - 1) to |= s->type_of[__builtin_ctzll(bits)];
    return to;
}

static enum rr_status put_row(struct merge *m, struct source *s, size_t i)
{
    struct rr_trace *t = &m->t;
    const struct rr_trace *from = s->use->trace;
    const size_t r = (size_t)s->row;
    const double scale = s->use->time_scale;
    RR_TRY(scaled(s->use, from->run_us[r], scale, &t->run_us[i]));
    t->gpus_milli[i] = from->gpus_milli[r];
    if (t->estimate_us) RR_TRY(scaled(s->use, from->estimate_us ? from->estimate_us[r] : from->run_us[r], scale, &t->estimate_us[i]));
    if (t->limit_us) RR_TRY(scaled(s->use, from->limit_us ? from->limit_us[r] : RR_NEVER, scale, &t->limit_us[i]));
    if (t->deadline_us) t->deadline_us[i] = from->deadline_us ? from->deadline_us[r] : RR_NEVER;
    if (t->waited_us) t->waited_us[i] = from->waited_us ? from->waited_us[r] : RR_NEVER;
    if (t->priority) t->priority[i] = from->priority ? from->priority[r] : 0;
    if (t->nodes) t->nodes[i] = from->nodes ? from->nodes[r] : 0;
    if (t->cpus_milli) t->cpus_milli[i] = from->cpus_milli ? from->cpus_milli[r] : 0;
    if (t->memory_mib) t->memory_mib[i] = from->memory_mib ? from->memory_mib[r] : 0;
    if (t->gpu_types) t->gpu_types[i] = from->gpu_types ? mapped_types(s, from->gpu_types[r]) : 0;
    if (t->state) t->state[i] = from->state ? from->state[r] : RR_TRACE_OK;
    if (t->class_id) t->class_id[i] = from->class_id ? s->class_of[from->class_id[r]] : s->own_class;
    if (t->user_id) t->user_id[i] = from->user_id ? s->user_of[from->user_id[r]] : 0;
    if (t->account_id) t->account_id[i] = from->account_id ? s->account_of[from->account_id[r]] : 0;
    if (t->think_us) t->think_us[i] = from->think_us ? from->think_us[r] : 0;
    if (t->array_id) t->array_id[i] = array_of(m, s);
    return t->after_at ? put_after(m, s, i) : RR_OK;
}

static enum rr_status take_job(struct merge *m, struct source *s)
{
    if (m->t.n + 1 >= RR_TRACE_JOBS) return rr_fail(RR_EINPUT, "more than 4,294,967,294 jobs in all workloads together");
    if (m->t.n == m->cap) resize(m, m->cap + m->cap / 2 + 1024);
    const size_t i = m->t.n;
    m->t.submit_us[i] = s->next_us;
    RR_TRY(s->use->generate ? put_generated(m, s, i) : put_row(m, s, i));
    if (m->id_texts) RR_TRY(put_id(m, s));
    m->t.n++;
    s->row++;
    return look_ahead(m, s);
}

/* The source whose job comes first; of several at one instant the first source. NULL at the end. */
static struct source *earliest(const struct merge *m)
{
    struct source *best = NULL;
    for (size_t k = 0; k < m->n_sources; k++)
        if (m->source[k].next_us != RR_NEVER && (!best || m->source[k].next_us < best->next_us)) best = &m->source[k];
    return best;
}

static enum rr_status merge_all(struct merge *m, const struct rr_trace_use *use)
{
    for (size_t k = 0; k < m->n_sources; k++) RR_TRY(start_source(m, &m->source[k], &use[k]));
    choose_columns(m);
    rr_vec_push(&m->limits, 0); // of array 0
    for (struct source *s; (s = earliest(m));) RR_TRY(take_job(m, s));

    struct rr_trace *t = &m->t;
    resize(m, t->n ? t->n : 1);
    if (t->id_text) t->id_text = rr_xrealloc(t->id_text, m->text_n, 1);
    if (t->after_text) t->after_text = rr_xrealloc(t->after_text, m->after_n, 1);
    t->n_arrays = m->limits.n;
    t->array_limit = memcpy(RR_NEWS(m->arena, int32_t, m->limits.n), m->limits.at, m->limits.n * sizeof *t->array_limit);
    t->class_name = rr_names_array(&m->class);
    t->user_name = rr_names_array(&m->user);
    t->account_name = rr_names_array(&m->account);
    t->gpu_type_name = rr_names_array(&m->type);
    t->n_classes = m->class.list.n;
    t->n_users = m->user.list.n;
    t->n_accounts = m->account.list.n;
    t->n_gpu_types = m->type.list.n;
    t->has_estimates = t->estimate_us != NULL;
    t->censored = count_censored(t);
    const struct rr_trace *only = m->n_sources == 1 ? use[0].trace : NULL;
    t->path = only ? only->path : "";
    t->format = only ? only->format : "";
    if (only) memcpy(t->sha256, only->sha256, sizeof t->sha256);
    return RR_OK;
}

enum rr_status rr_trace_merge(const struct rr_trace_use *use, size_t n_uses, struct rr_arena *arena, struct rr_trace *ret,
                              size_t *not_submitted)
{
    if (n_uses == 1 && use[0].trace && !use[0].repeat && !use[0].resample) {
        RR_TRY(check_use(&use[0]));
        return pass_on(&use[0], arena, ret, not_submitted);
    }
    struct merge m = {.source = RR_NEWS(arena, struct source, n_uses + 1), .n_sources = n_uses, .arena = arena};
    m.class.arena = m.user.arena = m.account.arena = m.type.arena = arena;
    const enum rr_status st = merge_all(&m, use);
    rr_names_done(&m.class);
    rr_names_done(&m.user);
    rr_names_done(&m.account);
    rr_names_done(&m.type);
    rr_vec_done(&m.limits);
    if (st != RR_OK) {
        rr_trace_done(&m.t);
        return st;
    }
    *ret = m.t;
    *not_submitted = m.not_submitted;
    return RR_OK;
}
