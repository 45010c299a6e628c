/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/spot.c - picks the reader of a spot series and makes its points a step function. */
#include "data/spot.h"
#include "data/base/input.h"
#include "data/base/text.h"
#include <assert.h>
#include <string.h>

const struct rr_spot_reader *const rr_spot_readers[] = {
#define X(name) &rr_spot_reader_##name,
#include "data/import/spot_list.h"
#undef X
    NULL};

enum { HEAD = 4096 };

int64_t rr_spot_at(const struct rr_spot_series *s, int64_t t_us)
{
    size_t low = 0, high = s->n; // the last point at or before t
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (s->at_us[mid] <= t_us)
            low = mid;
        else
            high = mid;
    }
    return s->value[low];
}

static enum rr_status read_head(const char *path, char head[HEAD + 1], size_t *n)
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = RR_OK;
    size_t got = 1;
    for (*n = 0; st == RR_OK && got > 0 && *n < HEAD; *n += got) {
        got = 0;
        st = rr_input_read(in, head + *n, HEAD - *n, &got);
    }
    head[*n] = '\0';
    rr_input_close(in);
    return st;
}

static enum rr_status pick(const struct rr_spot_file *file, enum rr_spot_of of, const struct rr_spot_reader **ret)
{
    char head[HEAD + 1];
    size_t n;
    RR_TRY(read_head(file->path, head, &n));
    const bool any = file->format == NULL || strcmp(file->format, "auto") == 0;
    struct rr_buf names = {0};
    *ret = NULL;
    for (size_t i = 0; rr_spot_readers[i] && *ret == NULL; i++) {
        const struct rr_spot_reader *r = rr_spot_readers[i];
        rr_buf_putf(&names, "%s%s", i ? ", " : "", r->name);
        if (any ? r->sniff(head, n) : strcmp(file->format, r->name) == 0) *ret = r;
    }
    enum rr_status st = RR_OK;
    if (*ret == NULL && any)
        st = rr_fail(RR_EINPUT, "%s: no spot series that is known here (%s)", file->path, rr_buf_text(&names));
    else if (*ret == NULL)
        st = rr_fail(RR_EINPUT, "\"format\": \"%.60s\" is no spot series; %s are known", file->format, rr_buf_text(&names));
    else if (strcmp((*ret)->name, "spot_csv") != 0 && (*ret)->of != of) // our own CSV holds either
        st = rr_fail(RR_EINPUT, "%s: a %s file has %s, not %s", file->path, (*ret)->name, of == RR_SPOT_PRICES ? "nodes" : "prices",
                     of == RR_SPOT_PRICES ? "prices" : "nodes");
    rr_buf_done(&names);
    return st;
}

struct order {
    struct rr_spot_point point;
    size_t i;
};

static int by_time(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->point.at_us != y->point.at_us) return x->point.at_us < y->point.at_us ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static int64_t gap_limit(const struct rr_spot_file *f, enum rr_spot_of of)
{
    return f->gap_limit_us > 0 ? f->gap_limit_us : of == RR_SPOT_PRICES ? RR_WEEK : RR_H;
}

static void measure_gaps(struct rr_spot_series *s, const struct rr_spot_input *in, const struct order *o, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const int64_t gap = o[i].point.at_us - o[i - 1].point.at_us;
        s->gaps += gap > gap_limit(in->file, s->of);
        if (gap > s->longest_gap_us) s->longest_gap_us = gap;
    }
}

/* Equal times: the last one counts. Equal values: the first one does. */
static void make_steps(struct rr_spot_series *s, const struct order *o, size_t n, struct rr_arena *a)
{
    int64_t *at = RR_NEWS(a, int64_t, n), *value = RR_NEWS(a, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && o[i + 1].point.at_us == o[i].point.at_us) continue;
        if (s->n > 0 && value[s->n - 1] == o[i].point.value) continue;
        at[s->n] = o[i].point.at_us - s->epoch_us;
        value[s->n++] = o[i].point.value;
    }
    s->at_us = at;
    s->value = value;
}

static enum rr_status finish(struct rr_spot_input *in, const struct rr_spot_reader *r, struct rr_spot_series *ret)
{
    const size_t n = in->point.n;
    if (n == 0) return rr_fail(RR_EINPUT, "%s: no %s", in->file->path, in->of == RR_SPOT_PRICES ? "prices" : "node counts");
    struct order *o = rr_xrealloc(NULL, n, sizeof *o);
    for (size_t i = 0; i < n; i++) o[i] = (struct order){in->point.at[i], i};
    qsort(o, n, sizeof *o, by_time);
    struct rr_spot_series s = {.of = in->of,
                               .rows = n,
                               .absolute = in->absolute,
                               .epoch_us = o[0].point.at_us,
                               .path = rr_strdup(in->arena, in->file->path),
                               .format = r->name,
                               .currency = rr_strdup(in->arena, in->file->currency ? in->file->currency : "USD"),
                               .zone = in->zone ? in->zone : "",
                               .instance = in->instance ? in->instance : ""};
    const int64_t last = o[n - 1].point.at_us;
    s.end_us = (in->end_us > last ? in->end_us : last) - s.epoch_us;
    measure_gaps(&s, in, o, n);
    make_steps(&s, o, n, in->arena);
    if (!s.absolute) s.epoch_us = 0;
    memcpy(s.sha256, in->sha256, sizeof s.sha256);
    free(o);
    *ret = s;
    return RR_OK;
}

/* Times up to about 3,000 years from 1970, either way: sums of two cannot overflow. */
#define MOST_US (INT64_C(1) << 56)

static enum rr_status check_points(const struct rr_spot_input *in)
{
    for (size_t i = 0; i < in->point.n; i++) {
        const struct rr_spot_point p = in->point.at[i];
        if (p.at_us < -MOST_US || p.at_us > MOST_US) return rr_fail(RR_EINPUT, "%s: a time out of range", in->file->path);
        if (in->of == RR_SPOT_PRICES ? p.value <= 0 : p.value < 0)
            return rr_fail(RR_EINPUT, "%s: a %s", in->file->path,
                           in->of == RR_SPOT_PRICES ? "price that is not above 0" : "number of nodes below 0");
    }
    return RR_OK;
}

enum rr_status rr_spot_read(const struct rr_spot_file *file, enum rr_spot_of of, struct rr_arena *a, struct rr_spot_series *ret)
{
    const struct rr_spot_reader *r = NULL;
    struct rr_spot_input in = {.file = file, .of = of, .arena = a};
    RR_TRY(pick(file, of, &r));
    enum rr_status st = r->read(&in);
    if (st == RR_OK && of == RR_SPOT_NODES && file->times > 1)
        for (size_t i = 0; i < in.point.n; i++)
            if (__builtin_mul_overflow(in.point.at[i].value, file->times, &in.point.at[i].value)) in.point.at[i].value = -1;
    if (st == RR_OK) st = check_points(&in);
    if (st == RR_OK) st = rr_file_sha256(file->path, in.sha256);
    if (st == RR_OK) st = finish(&in, r, ret);
    rr_vec_done(&in.point);
    return st;
}

void rr_spot_note(struct rr_notes *notes, const char *where, const struct rr_spot_series *s, const struct rr_spot_file *file)
{
    if (s->gaps == 0) return;
    struct rr_buf b = {0};
    rr_buf_putf(&b, "%zu gap%s of more than ", s->gaps, s->gaps == 1 ? "" : "s");
    rr_buf_time_short(&b, gap_limit(file, s->of));
    rr_buf_puts(&b, ", the longest ");
    rr_buf_time_short(&b, s->longest_gap_us);
    rr_note(notes, RR_NOTE_DATA, where, s->path, "%s: the last %s is carried on", rr_buf_text(&b),
            s->of == RR_SPOT_PRICES ? "price" : "number of nodes");
    rr_buf_done(&b);
}
