/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace_build.c - rows become columns: checked, counted, in submit order.
 *
 * Columns grow together by half and are cut to size at the end; a column that no row uses is never made. Four columns cost
 * 20 bytes a job, and up to 8 more while ids that are no ascending numbers are compared. */
#include "data/names.h"
#include "data/trace.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct reject {
    const char *reason;
    size_t n;
    int64_t line;       // of the first
    const char *detail; // "what is wrong: "cell"" of the first
};

struct array {
    int32_t limit; // 0: not said
    int64_t line;  // that says it
};

struct rr_trace_builder {
    const char *path;
    struct rr_arena *arena;
    struct rr_notes *notes;
    struct rr_trace t; // t.n jobs so far
    bool wide;         // a row had more than the four columns
    size_t cap;        // of every column
    bool sorted;
    bool too_many;
    size_t with_estimate;
    struct rr_names class, user, account, gpu_type, array;
    RR_VEC(struct array) arrays; // by number
    const char *clash;           // two limits of one array: the message
    RR_VEC(struct reject) rejects;

    /* Lines: first_line + i, until a row says otherwise. */
    int64_t first_line;
    uint32_t *line; // [cap] or NULL; freed at the end

    /* Ids: i + 1 until one is not (then in t.id_text); not looked up while they are ascending numbers. */
    bool ascending;
    uint64_t last_id;
    char next_id[24]; // t.n + 1 in digits, while that is what ids are
    size_t next_n;
    size_t text_n, text_cap;
    size_t after_n, after_cap; // of t.after_text
    uint32_t *slot;            // [n_slots], job + 1, 0 = free; NULL while ascending
    size_t n_slots;
};

const struct rr_trace_row rr_trace_row_empty = {.submit_us = RR_NOT_GIVEN,
                                                .run_us = RR_NOT_GIVEN,
                                                .estimate_us = RR_NOT_GIVEN,
                                                .limit_us = RR_NOT_GIVEN,
                                                .deadline_us = RR_NOT_GIVEN,
                                                .start_us = RR_NOT_GIVEN,
                                                .waited_us = RR_NOT_GIVEN,
                                                .priority = RR_NOT_GIVEN,
                                                .think_us = RR_NOT_GIVEN,
                                                .array_limit = RR_NOT_GIVEN,
                                                .gpus_milli = RR_NOT_GIVEN,
                                                .nodes = RR_NOT_GIVEN,
                                                .cpus_milli = RR_NOT_GIVEN,
                                                .memory_mib = RR_NOT_GIVEN};

struct rr_trace_builder *rr_trace_builder_create(const char *path, struct rr_arena *arena, struct rr_notes *notes)
{
    struct rr_trace_builder *b = rr_xrealloc(NULL, 1, sizeof *b);
    *b = (struct rr_trace_builder){.path = rr_strdup(arena, strcmp(path, "-") == 0 ? "stdin" : path),
                                   .arena = arena,
                                   .notes = notes,
                                   .sorted = true,
                                   .ascending = true,
                                   .next_id = "1",
                                   .next_n = 1};
    b->class.arena = b->user.arena = b->account.arena = b->gpu_type.arena = b->array.arena = arena;
    return b;
}

void rr_trace_builder_free(struct rr_trace_builder *b)
{
    if (!b) return;
    rr_trace_done(&b->t);
    rr_names_done(&b->class);
    rr_names_done(&b->user);
    rr_names_done(&b->account);
    rr_names_done(&b->gpu_type);
    rr_names_done(&b->array);
    rr_vec_done(&b->arrays);
    rr_vec_done(&b->rejects);
    free(b->line);
    free(b->slot);
    free(b);
}

struct rr_arena *rr_trace_builder_arena(const struct rr_trace_builder *b) { return b->arena; }
void rr_trace_set_absolute(struct rr_trace_builder *b) { b->t.absolute = true; }

void rr_trace_tell(struct rr_trace_builder *b, enum rr_note_kind kind, const char *fmt, ...)
{
    if (!b->notes) return;
    char text[RR_REASON_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rr_note(b->notes, kind, b->path, "", "%s", text);
}

/* Rejected rows. */

static void reject(struct rr_trace_builder *b, int64_t line, const char *reason, const char *detail)
{
    b->t.rejected++;
    struct reject *r = b->rejects.at;
    for (size_t i = 0; i < b->rejects.n; i++)
        if (strcmp(r[i].reason, reason) == 0) {
            r[i].n++;
            return;
        }
    rr_vec_push(&b->rejects, ((struct reject){.reason = reason, .n = 1, .line = line, .detail = rr_strdup(b->arena, detail)}));
}

/* A cell may be a megabyte; forty bytes of it tell enough. */
static void quote_cell(char *buf, size_t n, const char *reason, struct rr_slice cell)
{
    const bool cut = cell.n > 40;
    if (cell.n == 0)
        snprintf(buf, n, "%s", reason);
    else
        snprintf(buf, n, "%s: \"%.*s%s\"", reason, cut ? 40 : (int)cell.n, cell.at, cut ? "..." : "");
}

void rr_trace_reject(struct rr_trace_builder *b, int64_t line, const char *reason, struct rr_slice cell)
{
    char detail[512];
    quote_cell(detail, sizeof detail, reason, cell);
    b->t.rows++;
    reject(b, line, reason, detail);
}

/* Ids. */

static int64_t line_of(const struct rr_trace_builder *b, size_t i) { return b->line ? b->line[i] : b->first_line + (int64_t)i; }

static void add_id_text(struct rr_trace_builder *b, size_t i, struct rr_slice id)
{
    if (b->text_n + id.n + 1 > UINT32_MAX) {
        b->too_many = true;
        return;
    }
    if (b->text_n + id.n + 1 > b->text_cap) {
        b->text_cap = b->text_cap + b->text_cap / 2 + id.n + 4096;
        b->t.id_text = rr_xrealloc(b->t.id_text, b->text_cap, 1);
    }
    b->t.id_at[i] = (uint32_t)b->text_n;
    memcpy(b->t.id_text + b->text_n, id.at, id.n);
    b->t.id_text[b->text_n + id.n] = '\0';
    b->text_n += id.n + 1;
}

/* The ids of the first t.n jobs as text, where they were just numbers. */
static void spell_ids(struct rr_trace_builder *b)
{
    if (b->t.id_at) return;
    b->last_id = b->t.n;
    b->t.id_at = rr_xrealloc(NULL, b->cap ? b->cap : 1, sizeof *b->t.id_at);
    for (size_t i = 0; i < b->t.n && !b->too_many; i++) {
        char buf[24];
        add_id_text(b, i, rr_slice(buf, (size_t)snprintf(buf, sizeof buf, "%zu", i + 1)));
    }
}

/* A number as we would write it: no sign, no leading zero. */
static bool id_number(struct rr_slice id, uint64_t *ret)
{
    if (id.n == 0 || id.n > 18 || (id.at[0] == '0' && id.n > 1)) return false;
    uint64_t v = 0;
    for (size_t i = 0; i < id.n; i++) {
        if ((unsigned char)(id.at[i] - '0') > 9) return false;
        v = v * 10 + (uint64_t)(id.at[i] - '0');
    }
    *ret = v;
    return true;
}

static size_t id_slot(const struct rr_trace_builder *b, struct rr_slice id)
{
    size_t i = rr_hash(id.at, id.n) & (b->n_slots - 1);
    while (b->slot[i] && !rr_slice_is(id, b->t.id_text + b->t.id_at[b->slot[i] - 1])) i = (i + 1) & (b->n_slots - 1);
    return i;
}

static void widen_slots(struct rr_trace_builder *b)
{
    while (2 * (b->t.n + 1) > b->n_slots) b->n_slots = b->n_slots ? b->n_slots * 2 : 1024;
    b->slot = rr_xrealloc(b->slot, b->n_slots, sizeof *b->slot);
    memset(b->slot, 0, b->n_slots * sizeof *b->slot);
    for (size_t i = 0; i < b->t.n; i++) {
        const char *id = b->t.id_text + b->t.id_at[i];
        b->slot[id_slot(b, rr_slice(id, strlen(id)))] = (uint32_t)i + 1;
    }
}

static void count_next_id(struct rr_trace_builder *b)
{
    size_t i = b->next_n;
    while (i > 0 && b->next_id[i - 1] == '9') b->next_id[--i] = '0';
    if (i > 0)
        b->next_id[i - 1]++;
    else
        memmove(b->next_id + 1, b->next_id, b->next_n++), b->next_id[0] = '1';
}

/* Job t.n gets `id`; false, and the row is rejected, when it was used before. */
static bool take_id(struct rr_trace_builder *b, struct rr_slice id, int64_t line)
{
    if (!b->t.id_at && (id.n == 0 || (id.n == b->next_n && memcmp(id.at, b->next_id, id.n) == 0))) { // its number
        count_next_id(b);
        return true;
    }
    if (id.n == 0) {
        char buf[24];
        return take_id(b, rr_slice(buf, (size_t)snprintf(buf, sizeof buf, "%zu", b->t.n + 1)), line);
    }
    spell_ids(b);
    uint64_t number = 0;
    if (b->ascending && id_number(id, &number) && (number > b->last_id || b->t.n == 0)) {
        b->last_id = number;
    } else {
        b->ascending = false;
        if (2 * (b->t.n + 1) > b->n_slots) widen_slots(b);
        const size_t s = id_slot(b, id);
        if (b->slot[s]) {
            char detail[512];
            const bool cut = id.n > 40;
            snprintf(detail, sizeof detail, "job id \"%.*s%s\" was already used on line %lld", cut ? 40 : (int)id.n, id.at,
                     cut ? "..." : "", (long long)line_of(b, b->slot[s] - 1));
            reject(b, line, "job id used before", detail);
            return false;
        }
        b->slot[s] = (uint32_t)b->t.n + 1;
    }
    add_id_text(b, b->t.n, id);
    return true;
}

/* Columns. */

#define GROW(col) (b)->t.col = (b)->t.col ? rr_xrealloc((b)->t.col, cap, sizeof *(b)->t.col) : NULL
static void grow(struct rr_trace_builder *b)
{
    if (b->t.n + 1 >= RR_TRACE_JOBS) {
        b->too_many = true;
        return;
    }
    const size_t cap = b->cap + b->cap / 2 + 1024 < RR_TRACE_JOBS ? b->cap + b->cap / 2 + 1024 : RR_TRACE_JOBS;
    b->t.submit_us = rr_xrealloc(b->t.submit_us, cap, sizeof *b->t.submit_us);
    b->t.run_us = rr_xrealloc(b->t.run_us, cap, sizeof *b->t.run_us);
    b->t.gpus_milli = rr_xrealloc(b->t.gpus_milli, cap, sizeof *b->t.gpus_milli);
    GROW(estimate_us);
    GROW(limit_us);
    GROW(deadline_us);
    GROW(waited_us);
    GROW(priority);
    GROW(nodes);
    GROW(cpus_milli);
    GROW(memory_mib);
    GROW(gpu_types);
    GROW(state);
    GROW(class_id);
    GROW(user_id);
    GROW(account_id);
    GROW(id_at);
    GROW(after_at);
    GROW(think_us);
    GROW(array_id);
    if (b->line) b->line = rr_xrealloc(b->line, cap, sizeof *b->line);
    b->cap = cap;
}

/* Job t.n's value of a column that is made, with `missing` for the jobs so far, once a value differs from that. */
#define PUT(col, value, missing)                                                     \
    do {                                                                             \
        if (!b->t.col && (value) != (missing)) {                                     \
            b->t.col = rr_xrealloc(NULL, b->cap, sizeof *b->t.col);                  \
            for (size_t put_ = 0; put_ < b->t.n; put_++) b->t.col[put_] = (missing); \
        }                                                                            \
        if (b->t.col) b->t.col[b->t.n] = (value);                                    \
    } while (0)

static void put_estimate(struct rr_trace_builder *b, const struct rr_trace_row *row, int64_t run_us)
{
    const bool given = row->estimate_us != RR_NOT_GIVEN;
    b->with_estimate += given;
    if (given && !b->t.estimate_us) {
        b->t.estimate_us = rr_xrealloc(NULL, b->cap, sizeof *b->t.estimate_us);
        memcpy(b->t.estimate_us, b->t.run_us, b->t.n * sizeof *b->t.estimate_us);
    }
    if (b->t.estimate_us) b->t.estimate_us[b->t.n] = given ? row->estimate_us : run_us;
}

static void put_line(struct rr_trace_builder *b, int64_t line)
{
    if (b->t.n == 0) b->first_line = line;
    if (!b->line && line != b->first_line + (int64_t)b->t.n) {
        b->line = rr_xrealloc(NULL, b->cap, sizeof *b->line);
        for (size_t i = 0; i < b->t.n; i++) b->line[i] = (uint32_t)(b->first_line + (int64_t)i);
    }
    if (b->line) b->line[b->t.n] = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
}

static int64_t given_or(int64_t v, int64_t missing) { return v == RR_NOT_GIVEN ? missing : v; }

/* 0 and "" are one: nobody. */
static uint32_t name_number(struct rr_names *names, struct rr_slice name)
{
    if (name.n == 0) return 0;
    if (names->list.n == 0) rr_names_add(names, rr_slice("", 0));
    return rr_names_add(names, name);
}

/* Checks. */

static const char *bad_time(int64_t us, const char *missing, const char *negative, const char *large)
{
    if (us == RR_NOT_GIVEN) return missing;
    return us < 0 ? negative : us >= RR_MOST_TIME ? large : NULL;
}

static const char *bad_gpus(int64_t milli)
{
    if (milli == RR_NOT_GIVEN) return "the number of GPUs is missing";
    if (milli < 0) return "the number of GPUs is negative";
    if (milli > INT32_MAX) return "more than 2,147,483 GPUs";
    return milli > 1000 && milli % 1000 ? "more than one GPU must be a whole number of GPUs" : NULL;
}

static const char *bad_times(const struct rr_trace_row *r)
{
    const char *bad =
        bad_time(r->submit_us, "the submit time is missing", "the submit time is negative", "the submit time is past 1,000 years");
    const bool runs = r->state != RR_TRACE_NEVER_STARTED && r->state != RR_TRACE_NEVER_ENDED;
    if (!bad && runs) bad = bad_time(r->run_us, "the run time is missing", "the run time is negative", "the run time is past 1,000 years");
    if (!bad) bad = bad_time(r->estimate_us, NULL, "the estimate is negative", "the estimate is past 1,000 years");
    if (!bad && r->deadline_us != RR_NOT_GIVEN)
        bad = bad_time(r->deadline_us, NULL, "the deadline is negative", "the deadline is past 1,000 years");
    if (!bad && r->start_us != RR_NOT_GIVEN && (r->start_us < r->submit_us || r->start_us >= RR_MOST_TIME))
        bad = r->start_us < r->submit_us ? "the recorded start is before the submit" : "the recorded start is past 1,000 years";
    if (!bad && r->priority != RR_NOT_GIVEN && (r->priority < INT32_MIN || r->priority > INT32_MAX))
        bad = "the priority is past 2,147,483,647";
    if (!bad && r->think_us != RR_NOT_GIVEN)
        bad = bad_time(r->think_us, NULL, "the think time is negative", "the think time is past 1,000 years");
    if (!bad) bad = bad_time(r->limit_us, NULL, "the time limit is negative", "the time limit is past 1,000 years");
    return bad;
}

static const char *bad_count(int64_t n, const char *bad) { return n != RR_NOT_GIVEN && (n < 0 || n > INT32_MAX) ? bad : NULL; }

/* Longer texts are damage (a quote that closes megabytes later), not names. */
#define RR_MOST_NAME 1024

static const char *bad_names(const struct rr_trace_row *r)
{
    const bool long_one = (r->id.n > RR_MOST_NAME) | (r->class_name.n > RR_MOST_NAME) | (r->user.n > RR_MOST_NAME) |
                          (r->account.n > RR_MOST_NAME) | (r->array.n > RR_MOST_NAME) | (r->depends_on.n > 64 * RR_MOST_NAME) |
                          (r->gpu_types.n > 64 * RR_MOST_NAME);
    return long_one ? "an id or a name of more than 1,024 bytes" : NULL;
}

static const char *bad_array(const struct rr_trace_row *r)
{
    if (r->array_limit == RR_NOT_GIVEN) return NULL;
    if (r->array.n == 0) return "an array_limit without an array";
    return r->array_limit < 1 || r->array_limit > INT32_MAX ? "the array_limit is not 1 or more" : NULL;
}

static const char *bad_row(const struct rr_trace_row *r)
{
    const char *bad = bad_times(r);
    if (!bad) bad = bad_array(r);
    if (!bad) bad = bad_names(r);
    if (!bad) bad = bad_gpus(r->gpus_milli);
    if (!bad) bad = bad_count(r->nodes, "the number of nodes is negative or past 2^31");
    if (!bad) bad = bad_count(r->cpus_milli, "the number of CPUs is negative or past 2,147,483");
    if (!bad) bad = bad_count(r->memory_mib, "the host memory is negative or past 2^31 MiB");
    if (!bad && r->gpus_milli == 0 && given_or(r->cpus_milli, 1) == 0 && given_or(r->memory_mib, 1) == 0)
        bad = "neither GPUs nor CPUs nor memory are asked for";
    return bad;
}

/* "A100|H100" as bits; false when the trace has more types than bits. */
static bool type_bits(struct rr_trace_builder *b, struct rr_slice types, uint64_t *ret)
{
    *ret = 0;
    while (types.n > 0) {
        const char *bar = memchr(types.at, '|', types.n);
        const size_t n = bar ? (size_t)(bar - types.at) : types.n;
        const struct rr_slice one = rr_trim(rr_slice(types.at, n));
        if (one.n > 0) {
            const uint32_t bit = rr_names_add(&b->gpu_type, one);
            if (bit >= RR_GPU_TYPES) return false;
            *ret |= UINT64_C(1) << bit;
        }
        types.at += bar ? n + 1 : n;
        types.n -= bar ? n + 1 : n;
    }
    return true;
}

/* What all but the first three columns of numbers hold when nothing is given: one test that the common row passes. */
static bool has_more(const struct rr_trace_row *r)
{
    const bool numbers = (r->estimate_us != RR_NOT_GIVEN) | (r->limit_us != RR_NOT_GIVEN) | (r->nodes != RR_NOT_GIVEN) |
                         (r->cpus_milli != RR_NOT_GIVEN) | (r->memory_mib != RR_NOT_GIVEN) | (r->deadline_us != RR_NOT_GIVEN) |
                         (r->priority != RR_NOT_GIVEN) | (r->start_us != RR_NOT_GIVEN) | (r->think_us != RR_NOT_GIVEN) |
                         (r->array_limit != RR_NOT_GIVEN);
    const size_t names = r->class_name.n | r->user.n | r->account.n | r->gpu_types.n | r->depends_on.n | r->array.n;
    return numbers | (r->state != RR_TRACE_OK) | (names != 0);
}

/* The same as bad_row() for a row that has no more; never true for a bad one. */
static bool plainly_good(const struct rr_trace_row *r)
{
    return ((uint64_t)r->submit_us < RR_MOST_TIME) & ((uint64_t)r->run_us < RR_MOST_TIME) & ((uint64_t)r->gpus_milli <= INT32_MAX) &
           ((r->gpus_milli <= 1000) | (r->gpus_milli % 1000 == 0)) & (r->id.n <= RR_MOST_NAME);
}

/* Offset 0 is the empty text. */
static void put_after(struct rr_trace_builder *b, struct rr_slice ids)
{
    if (!b->t.after_at && ids.n == 0) return;
    if (!b->t.after_at) {
        b->t.after_at = rr_xrealloc(NULL, b->cap, sizeof *b->t.after_at);
        memset(b->t.after_at, 0, b->t.n * sizeof *b->t.after_at);
    }
    if (b->after_n + ids.n + 2 > b->after_cap) {
        b->after_cap += b->after_cap / 2 + ids.n + 4096;
        b->t.after_text = rr_xrealloc(b->t.after_text, b->after_cap, 1);
    }
    if (b->after_n == 0) b->t.after_text[b->after_n++] = '\0';
    if (b->after_n + ids.n + 1 > UINT32_MAX) b->too_many = true;
    b->t.after_at[b->t.n] = ids.n && !b->too_many ? (uint32_t)b->after_n : 0;
    if (ids.n == 0 || b->too_many) return;
    memcpy(b->t.after_text + b->after_n, ids.at, ids.n);
    b->after_n += ids.n;
    b->t.after_text[b->after_n++] = '\0';
}

/* The array's number; its limit is what any of its rows says. */
static uint32_t put_array(struct rr_trace_builder *b, const struct rr_trace_row *row)
{
    const uint32_t a = name_number(&b->array, row->array);
    if (row->array_limit == RR_NOT_GIVEN) return a;
    while (b->arrays.n <= a) rr_vec_push(&b->arrays, (struct array){0});
    struct array *x = &b->arrays.at[a];
    if (x->limit == 0)
        *x = (struct array){(int32_t)row->array_limit, row->line};
    else if (x->limit != row->array_limit && !b->clash)
        b->clash =
            rr_strf(b->arena, "%lld: array \"%.40s\" has the array_limit %lld here and %d on line %lld; one is right for all its rows",
                    (long long)row->line, b->array.list.at[a], (long long)row->array_limit, x->limit, (long long)x->line);
    return a;
}

static void put_more(struct rr_trace_builder *b, const struct rr_trace_row *row, uint64_t types, uint32_t class)
{
    const size_t i = b->t.n;
    b->wide = true;
    put_estimate(b, row, b->t.run_us[i]);
    PUT(limit_us, given_or(row->limit_us, RR_NEVER), RR_NEVER);
    PUT(deadline_us, row->deadline_us == RR_NOT_GIVEN ? RR_NEVER : row->deadline_us - row->submit_us, RR_NEVER);
    PUT(waited_us, row->start_us == RR_NOT_GIVEN ? RR_NEVER : row->start_us - row->submit_us, RR_NEVER);
    PUT(priority, (int32_t)given_or(row->priority, 0), 0);
    PUT(nodes, (int32_t)given_or(row->nodes, 0), 0);
    PUT(cpus_milli, (int32_t)given_or(row->cpus_milli, 0), 0);
    PUT(memory_mib, (int32_t)given_or(row->memory_mib, 0), 0);
    PUT(gpu_types, types, 0);
    PUT(state, (uint8_t)row->state, RR_TRACE_OK);
    PUT(class_id, (uint16_t) class, 0);
    PUT(user_id, name_number(&b->user, row->user), 0);
    PUT(account_id, name_number(&b->account, row->account), 0);
    put_after(b, row->depends_on);
    PUT(think_us, given_or(row->think_us, 0), 0);
    PUT(array_id, put_array(b, row), 0);
    b->t.censored += row->state == RR_TRACE_NEVER_STARTED || row->state == RR_TRACE_NEVER_ENDED;
}

/* NULL, or why the row cannot be taken; the numbers of its names otherwise. */
static const char *check_more(struct rr_trace_builder *b, const struct rr_trace_row *row, uint64_t *types, uint32_t *class)
{
    const char *bad = bad_row(row);
    if (!bad && !type_bits(b, row->gpu_types, types)) bad = "more than 64 GPU types in one trace";
    if (!bad) *class = name_number(&b->class, row->class_name);
    return !bad && *class > UINT16_MAX ? "more than 65,535 classes in one trace" : bad;
}

void rr_trace_add(struct rr_trace_builder *b, const struct rr_trace_row *row)
{
    b->t.rows++;
    uint64_t types = 0;
    uint32_t class = 0;
    const bool more = b->wide || has_more(row);
    if (more || !plainly_good(row)) {
        const char *bad = check_more(b, row, &types, &class);
        if (bad) {
            reject(b, row->line, bad, bad);
            return;
        }
    }
    if (b->t.n == b->cap) grow(b);
    if (b->too_many || !take_id(b, row->id, row->line)) return;

    const size_t i = b->t.n;
    if (i > 0 && row->submit_us < b->t.submit_us[i - 1]) b->sorted = false;
    b->t.submit_us[i] = row->submit_us;
    b->t.run_us[i] = row->state == RR_TRACE_NEVER_ENDED ? RR_NEVER : row->state == RR_TRACE_NEVER_STARTED ? 0 : row->run_us;
    b->t.gpus_milli[i] = (int32_t)row->gpus_milli;
    put_line(b, row->line);
    if (more) put_more(b, row, types, class);
    b->t.n++;
}

/* Finishing. */

static enum rr_status too_many_rejected(const struct rr_trace_builder *b, double most)
{
    const struct reject *first = &b->rejects.at[0];
    for (size_t i = 1; i < b->rejects.n; i++)
        if (b->rejects.at[i].line < first->line) first = &b->rejects.at[i];
    return rr_fail(RR_EINPUT, "%s:%lld: %s (%zu of %zu rows are malformed, limit %g %%)", b->path, (long long)first->line, first->detail,
                   b->t.rejected, b->t.rows, most * 100);
}

static enum rr_status check_counts(const struct rr_trace_builder *b, double most)
{
    if (b->too_many) return rr_fail(RR_EINPUT, "%s: more than 4,294,967,294 jobs, or more than 4 GiB of job ids", b->path);
    if (b->t.rows == 0) return rr_fail(RR_EINPUT, "%s: no jobs: there is no row behind the header", b->path);
    if ((double)b->t.rejected > most * (double)b->t.rows || b->t.n == 0) return too_many_rejected(b, most);
    return RR_OK;
}

static void tell_counts(struct rr_trace_builder *b)
{
    for (size_t i = 0; i < b->rejects.n; i++) {
        const struct reject *r = &b->rejects.at[i];
        rr_trace_tell(b, RR_NOTE_DATA, "%zu of %zu rows left out: %s (first on line %lld)", r->n, b->t.rows, r->reason, (long long)r->line);
    }
    size_t ended[5] = {0};
    for (size_t i = 0; b->t.state && i < b->t.n; i++) ended[b->t.state[i]]++;
    if (ended[RR_TRACE_NEVER_STARTED])
        rr_trace_tell(b, RR_NOTE_DATA, "%zu of %zu jobs never started in the trace: kept as submitted and killed, never placed",
                      ended[RR_TRACE_NEVER_STARTED], b->t.n);
    if (ended[RR_TRACE_NEVER_ENDED])
        rr_trace_tell(b, RR_NOTE_DATA, "%zu of %zu jobs never ended in the trace: kept running to the horizon", ended[RR_TRACE_NEVER_ENDED],
                      b->t.n);
    if (b->with_estimate > 0 && b->with_estimate < b->t.n)
        rr_trace_tell(b, RR_NOTE_DATA, "%zu jobs have no estimate: their run time is taken", b->t.n - b->with_estimate);
}

struct order {
    int64_t submit_us;
    uint32_t job;
};
static int by_submit(const void *pa, const void *pb)
{
    const struct order *x = pa, *y = pb;
    if (x->submit_us != y->submit_us) return x->submit_us < y->submit_us ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

static void *gathered(void *column, const struct order *o, size_t n, size_t size)
{
    if (!column) return NULL;
    char *to = rr_xrealloc(NULL, n, size);
    for (size_t i = 0; i < n; i++) memcpy(to + i * size, (char *)column + o[i].job * size, size);
    free(column);
    return to;
}

static void sort_jobs(struct rr_trace_builder *b)
{
    struct rr_trace *t = &b->t;
    spell_ids(b);
    struct order *o = rr_xrealloc(NULL, t->n, sizeof *o);
    for (size_t i = 0; i < t->n; i++) o[i] = (struct order){t->submit_us[i], (uint32_t)i};
    qsort(o, t->n, sizeof *o, by_submit);
#define GATHER(col) t->col = gathered(t->col, o, t->n, sizeof *t->col);
    RR_TRACE_COLUMNS(GATHER)
#undef GATHER
    free(o);
}

static void trim(struct rr_trace_builder *b)
{
    struct rr_trace *t = &b->t;
#define TRIM(col) t->col = t->col ? rr_xrealloc(t->col, t->n, sizeof *t->col) : NULL;
    RR_TRACE_COLUMNS(TRIM)
#undef TRIM
    if (t->id_text) t->id_text = rr_xrealloc(t->id_text, b->text_n, 1);
}

static void name_columns(struct rr_trace_builder *b)
{
    struct rr_trace *t = &b->t;
    if (t->class_id) t->class_name = rr_names_array(&b->class), t->n_classes = b->class.list.n;
    if (t->user_id) t->user_name = rr_names_array(&b->user), t->n_users = b->user.list.n;
    if (t->account_id) t->account_name = rr_names_array(&b->account), t->n_accounts = b->account.list.n;
    if (t->gpu_types) t->gpu_type_name = rr_names_array(&b->gpu_type), t->n_gpu_types = b->gpu_type.list.n;
    if (t->n_gpu_types > RR_GPU_TYPES) t->n_gpu_types = RR_GPU_TYPES;
}

/* Arrays without a limit are jobs like others. */
static void limit_arrays(struct rr_trace_builder *b)
{
    struct rr_trace *t = &b->t;
    if (b->arrays.n == 0) {
        free(t->array_id);
        t->array_id = NULL;
        return;
    }
    t->n_arrays = b->array.list.n;
    t->array_limit = RR_NEWS(b->arena, int32_t, t->n_arrays);
    for (size_t a = 0; a < b->arrays.n; a++) t->array_limit[a] = b->arrays.at[a].limit;
}

enum rr_status rr_trace_finish(struct rr_trace_builder *b, double max_rejected, struct rr_trace *ret)
{
    RR_TRY(check_counts(b, max_rejected));
    if (b->clash) return rr_fail(RR_EINPUT, "%s:%s", b->path, b->clash);
    tell_counts(b);
    if (!b->sorted) {
        sort_jobs(b);
        rr_trace_tell(b, RR_NOTE_DATA, "the rows were not in submit order: sorted");
    }
    if (b->too_many) return check_counts(b, max_rejected); // ids spelled out for the sort may be too long
    if (!b->t.absolute && b->t.submit_us[0] >= INT64_C(1000000000) * RR_S) {
        b->t.absolute = true;
        rr_trace_tell(b, RR_NOTE_ASSUMED, "submit times past 1e9 s are taken as Unix time: the first is moved to the start");
    }
    trim(b);
    name_columns(b);
    limit_arrays(b);
    b->t.has_estimates = b->t.estimate_us != NULL;
    b->t.path = b->path;
    *ret = b->t;
    b->t = (struct rr_trace){0};
    b->cap = 0;
    return RR_OK;
}
