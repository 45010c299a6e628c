/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/samples.c - files told apart by their contents, rows gathered, what was refused named by line. */
#include "data/samples.h"
#include "data/base/input.h"
#include "data/base/vec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const rr_sample_kind_name[RR_SAMPLE_KIND_N] = {
#define X(id, name, ops) name,
    RR_SAMPLE_KINDS(X)
#undef X
};

#define X(name) &rr_bench_##name,
const struct rr_bench_format *const rr_bench_formats[] = {
#include "data/import/bench_list.h"
    NULL};
#undef X

enum { MOST_BYTES = 64 << 20 };

struct rr_sample_sink {
    struct rr_arena *arena;
    RR_VEC(struct rr_sample) row;
    RR_VEC(struct rr_sample_file) file;
    RR_VEC(const char *) refused;
    RR_VEC(int64_t) refused_line; /* [refused.n] */
    RR_VEC(const char *) note;
    struct rr_machine_info machine;
    size_t first; /* sample of the file that is being read */
    bool doubled;
};

/* ---- what formats call ---- */

struct rr_sample rr_sample_none(enum rr_sample_kind kind)
{
    return (struct rr_sample){.kind = kind, .op = "", .algorithm = "", .protocol = "", .type = "", .from = -2, .to = -2};
}

static struct rr_sample_file *now(struct rr_sample_sink *s) { return &s->file.at[s->file.n - 1]; }

void rr_sink_add(struct rr_sample_sink *s, const struct rr_sample *row)
{
    struct rr_sample r = *row;
    r.file = (int32_t)(s->file.n - 1);
    if (r.gb_s == 0 && r.us > 0 && r.bytes > 0) r.gb_s = (double)r.bytes / r.us / 1e3;
    if (s->row.n == s->first || s->row.at[s->row.n - 1].line != r.line || s->row.at[s->row.n - 1].log != r.log) now(s)->rows++;
    rr_vec_push(&s->row, r);
}

void rr_sink_drop_line(struct rr_sample_sink *s, int64_t line)
{
    size_t kept = s->first;
    for (size_t i = s->first; i < s->row.n; i++)
        if (s->row.at[i].line != line) s->row.at[kept++] = s->row.at[i];
    if (kept < s->row.n) now(s)->rows--;
    s->row.n = kept;
}

static const char *said(struct rr_sample_sink *s, int64_t line, const char *fmt, va_list ap)
{
    char text[512];
    vsnprintf(text, sizeof text, fmt, ap);
    return line > 0 ? rr_strf(s->arena, "%s:%lld: %s", now(s)->path, (long long)line, text)
                    : rr_strf(s->arena, "%s: %s", now(s)->path, text);
}

void rr_sink_refuse(struct rr_sample_sink *s, int64_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = said(s, line, fmt, ap);
    va_end(ap);
    now(s)->refused++;
    rr_vec_push(&s->refused_line, line);
    rr_vec_push(&s->refused, text);
}

void rr_sink_note(struct rr_sample_sink *s, int64_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = said(s, line, fmt, ap);
    va_end(ap);
    rr_vec_push(&s->note, text);
}

struct rr_machine_info *rr_sink_machine(struct rr_sample_sink *s) { return &s->machine; }
struct rr_sample_file *rr_sink_file(struct rr_sample_sink *s) { return now(s); }
size_t rr_sink_rows(const struct rr_sample_sink *s) { return s->row.n - s->first; }
struct rr_sample *rr_sink_row(struct rr_sample_sink *s, size_t i) { return &s->row.at[s->first + i]; }

double rr_bus_factor(const char *op, int32_t ranks)
{
    static const char *const shared[] = {"all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter", "hypercube"};
    static const char *const plain[] = {"broadcast", "reduce", "sendrecv"};
    const double n = ranks;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(op, plain[i]) == 0) return 1;
    if (ranks <= 0) return 0;
    if (strcmp(op, "all_reduce") == 0) return ranks == 1 ? 1 : 2 * (n - 1) / n;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(op, shared[i]) == 0) return ranks == 1 ? 1 : (n - 1) / n;
    return 0;
}

/* ---- one file ---- */

static bool same_row(const struct rr_sample *a, const struct rr_sample *b)
{
    return a->kind == b->kind && strcmp(a->op, b->op) == 0 && a->bytes == b->bytes && a->us == b->us && a->gb_s == b->gb_s &&
           a->in_place == b->in_place && a->from == b->from && a->to == b->to && a->m == b->m && a->n == b->n && a->k == b->k;
}

static size_t lines_of(struct rr_sample_sink *s, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++) n += i == from || rr_sink_row(s, i)->line != rr_sink_row(s, i - 1)->line;
    return n;
}

/* First sample from which on the file repeats its beginning, to its end (a second copy may be cut); 0 = none. */
static size_t repeats_from(struct rr_sample_sink *s, size_t n)
{
    for (size_t p = (n + 1) / 2; p + 2 <= n; p++) {
        size_t i = p;
        while (i < n && same_row(rr_sink_row(s, i), rr_sink_row(s, i - p))) i++;
        if (i == n && rr_sink_row(s, p)->line != rr_sink_row(s, p - 1)->line) return p;
    }
    return 0;
}

/* Every line stands twice, one after the other. */
static bool lines_doubled(struct rr_sample_sink *s, size_t n)
{
    size_t each = 1;
    while (each < n && rr_sink_row(s, each)->line == rr_sink_row(s, 0)->line) each++;
    if (n < 4 || n % (2 * each)) return false;
    for (size_t i = 0; i < n; i += 2 * each)
        for (size_t k = 0; k < each; k++)
            if (!same_row(rr_sink_row(s, i + k), rr_sink_row(s, i + each + k)) ||
                rr_sink_row(s, i + k)->line == rr_sink_row(s, i + each + k)->line)
                return false;
    for (size_t i = 0; i < n; i += 2 * each)
        for (size_t k = 0; k < each; k++) *rr_sink_row(s, i / 2 + k) = *rr_sink_row(s, i + k);
    return true;
}

/* A file that holds the same table twice, word by word (two streams of one job in one log), or each line twice, is one measurement. */
static void drop_doubled(struct rr_sample_sink *s)
{
    size_t n = rr_sink_rows(s), from;
    if (n < 4) return;
    if (lines_doubled(s, n)) {
        rr_sink_note(s, rr_sink_row(s, 0)->line, "from here on every row stands twice: counted once");
        s->row.n = s->first + n / 2;
        now(s)->rows /= 2;
    }
    while (n = rr_sink_rows(s), n >= 4 && (from = repeats_from(s, n)) > 0) {
        const size_t lines = lines_of(s, from, n);
        rr_sink_note(s, rr_sink_row(s, from)->line, "from here on the file repeats its first %zu row%s: counted once", lines,
                     lines == 1 ? "" : "s");
        s->row.n = s->first + from;
        now(s)->rows -= lines;
    }
}

static enum rr_status find_format(const struct rr_bench_text *t, const struct rr_bench_format **ret)
{
    const char *want = t->opt->format && strcmp(t->opt->format, "auto") != 0 ? t->opt->format : NULL;
    const char *words[32];
    size_t n = 0;
    int best = 0;
    *ret = NULL;
    for (const struct rr_bench_format *const *f = rr_bench_formats; *f; f++) {
        words[n++] = (*f)->name;
        if (want) {
            if (strcmp(want, (*f)->name) == 0) *ret = *f;
            continue;
        }
        const int sure = (*f)->sniff(t->text, t->n);
        if (sure > best) best = sure, *ret = *f;
    }
    if (*ret) return RR_OK;
    if (want)
        return rr_fail(RR_EUSAGE, "\"%s\" is no format of measured times%s (rackrate list benchmarks)", want,
                       rr_did_you_mean(t->arena, want, words, n));
    return rr_fail(RR_EINPUT, "%s: no known format of measured times (rackrate list benchmarks names them)", t->path);
}

enum { MOST_LINES = 20 }; /* that one message names */

/* "; lines 4, 5 and 9 too": where else a file is damaged than in its first refused row. */
static const char *other_lines(struct rr_sample_sink *s)
{
    const size_t from = s->refused.n - now(s)->refused + 1, n = s->refused.n - from;
    struct rr_buf b = {0};
    if (n == 0) return "";
    rr_buf_putf(&b, "; line%s ", n == 1 ? "" : "s");
    for (size_t i = 0; i < n && i < MOST_LINES; i++)
        rr_buf_putf(&b, "%s%lld", i == 0 ? "" : i + 1 == n ? " and " : ", ", (long long)s->refused_line.at[from + i]);
    if (n > MOST_LINES) rr_buf_putf(&b, " and %zu more", n - MOST_LINES);
    const char *text = rr_strdup(s->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return rr_strf(s->arena, "%s too", text);
}

static enum rr_status judge(struct rr_sample_sink *s, double most)
{
    const struct rr_sample_file *f = now(s);
    const char *first = NULL;
    for (size_t i = s->refused.n; i-- > s->refused.n - f->refused;) first = s->refused.at[i];
    if (f->rows == 0 && first) return rr_fail(RR_EINPUT, "%s%s; no row is left", first, other_lines(s));
    if (f->rows == 0) return rr_fail(RR_EINPUT, "%s: holds no row of measured times (format %s)", f->path, f->format);
    if ((double)f->refused > most * (double)(f->rows + f->refused))
        return rr_fail(RR_EINPUT, "%s%s; %zu of %zu rows are damaged, more than the share that may be (%g)", first, other_lines(s),
                       f->refused, f->rows + f->refused, most);
    return RR_OK;
}

static bool seen_before(struct rr_sample_sink *s)
{
    for (size_t i = 0; i + 1 < s->file.n; i++)
        if (strcmp(s->file.at[i].sha256, now(s)->sha256) == 0) {
            rr_sink_note(s, 0, "the same bytes as %s: counted once", s->file.at[i].path);
            return true;
        }
    return false;
}

static enum rr_status read_file(struct rr_sample_sink *s, const char *path, const struct rr_sample_options *opt)
{
    struct rr_input *in;
    char *text = NULL;
    struct rr_bench_text t = {.path = rr_strdup(s->arena, path), .opt = opt, .arena = s->arena};
    const struct rr_bench_format *format;
    RR_TRY(rr_input_open(path, &in));
    rr_vec_push(&s->file, ((struct rr_sample_file){.path = t.path, .format = "", .tool = "", .date = ""}));
    s->first = s->row.n;
    enum rr_status st;
    RR_GO(rr_input_all(in, MOST_BYTES, &text, &t.n));
    RR_GO(rr_input_sha256(in, now(s)->sha256));
    t.text = text;
    if (seen_before(s)) {
        s->file.n--;
        goto out;
    }
    RR_GO(find_format(&t, &format));
    now(s)->format = format->name;
    RR_GO(format->read(&t, s));
    drop_doubled(s);
    RR_GO(judge(s, opt->max_refused));
out:
    free(text);
    rr_input_close(in);
    return st;
}

/* What the user says stands above what the files say. */
static void apply(struct rr_sample_sink *s, const struct rr_sample_options *opt)
{
    if (opt->gpu && *opt->gpu) s->machine.gpu = rr_strdup(s->arena, opt->gpu);
    if (opt->network && *opt->network) s->machine.network = rr_strdup(s->arena, opt->network);
    if (opt->gpus_per_node > 0) s->machine.gpus_per_node = opt->gpus_per_node;
    for (size_t i = 0; i < s->row.n; i++) {
        struct rr_sample *r = &s->row.at[i];
        if (r->kind != RR_SAMPLE_COLLECTIVE) continue;
        if (opt->nodes > 0) r->nodes = opt->nodes;
        if (r->nodes == 0 && opt->gpus_per_node > 0) r->nodes = (r->ranks + opt->gpus_per_node - 1) / opt->gpus_per_node;
        if (r->nodes > s->machine.nodes) s->machine.nodes = r->nodes;
        const int32_t each = r->nodes > 0 && r->ranks % r->nodes == 0 ? r->ranks / r->nodes : 0;
        if (each > s->machine.gpus_per_node) s->machine.gpus_per_node = each;
    }
}

enum rr_status rr_samples_read(const char *const *path, size_t n, const struct rr_sample_options *opt, struct rr_arena *a,
                               struct rr_samples *ret)
{
    struct rr_sample_sink s = {.arena = a};
    enum rr_status st = RR_OK;
    s.machine = (struct rr_machine_info){.gpu = "", .network = "", .driver = "", .cuda = "", .nccl = "", .host = "", .topology = ""};
    for (size_t i = 0; i < n && st == RR_OK; i++) st = read_file(&s, path[i], opt);
    if (st == RR_OK) {
        apply(&s, opt);
        *ret = (struct rr_samples){.n = s.row.n, .n_files = s.file.n, .n_refused = s.refused.n, .n_notes = s.note.n, .machine = s.machine};
        ret->at = RR_NEWS(a, struct rr_sample, s.row.n + 1);
        ret->file = RR_NEWS(a, struct rr_sample_file, s.file.n + 1);
        ret->refused = RR_NEWS(a, const char *, s.refused.n + 1);
        ret->note = RR_NEWS(a, const char *, s.note.n + 1);
        if (s.row.n) memcpy(ret->at, s.row.at, s.row.n * sizeof *s.row.at);
        if (s.file.n) memcpy(ret->file, s.file.at, s.file.n * sizeof *s.file.at);
        if (s.refused.n) memcpy(ret->refused, s.refused.at, s.refused.n * sizeof *s.refused.at);
        if (s.note.n) memcpy(ret->note, s.note.at, s.note.n * sizeof *s.note.at);
    }
    rr_vec_done(&s.row);
    rr_vec_done(&s.file);
    rr_vec_done(&s.refused);
    rr_vec_done(&s.refused_line);
    rr_vec_done(&s.note);
    return st;
}

/* ---- the JSON form ---- */

static void put_text(struct rr_buf *b, const char *key, const char *text)
{
    if (!*text) return;
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_json(b, text);
}

static void put_number(struct rr_buf *b, const char *key, double v)
{
    if (v == 0) return;
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_double(b, v);
}

/* `logs`: how many were read. */
static void put_sample(struct rr_buf *b, const struct rr_sample *r, size_t logs)
{
    rr_buf_putf(b, "    {\"kind\": \"%s\"", rr_sample_kind_name[r->kind]);
    put_text(b, "op", r->op);
    put_text(b, "algorithm", r->algorithm);
    put_text(b, "protocol", r->protocol);
    put_text(b, "type", r->type);
    put_number(b, "ranks", r->ranks);
    put_number(b, "nodes", r->nodes);
    if (r->from > -2) rr_buf_putf(b, ", \"from\": %d", (int)r->from);
    if (r->to > -2) rr_buf_putf(b, ", \"to\": %d", (int)r->to);
    if (r->bytes > 0 || r->kind == RR_SAMPLE_COLLECTIVE) rr_buf_putf(b, ", \"bytes\": %lld", (long long)r->bytes);
    put_number(b, "m", (double)r->m);
    put_number(b, "n", (double)r->n);
    put_number(b, "k", (double)r->k);
    put_number(b, "flops", r->flops);
    if (r->kind == RR_SAMPLE_COLLECTIVE) rr_buf_putf(b, ", \"in_place\": %s", r->in_place ? "true" : "false");
    put_number(b, "power_w", r->power_w);
    put_number(b, "clock_mhz", r->clock_mhz);
    put_number(b, "predicted_us", r->predicted_us);
    put_number(b, "p05_gb_s", r->p05_gb_s);
    put_number(b, "p95_gb_s", r->p95_gb_s);
    if (r->us == 0) put_number(b, "gb_s", r->gb_s);
    if (r->us > 0 && r->n_all == 0) put_number(b, "us", r->us);
    if (r->line > 0) rr_buf_putf(b, ", \"line\": %lld", (long long)r->line);
    if (r->log > 0 || logs > 1) rr_buf_putf(b, ", \"log\": %d", r->log > 0 ? (int)r->log : (int)r->file + 1);
    for (size_t i = 0; i < r->n_all; i++) {
        rr_buf_puts(b, i ? ", " : ", \"us\": [");
        rr_buf_double(b, r->all[i]);
    }
    rr_buf_puts(b, r->n_all ? "]}" : "}");
}

static void put_hardware(struct rr_buf *b, const struct rr_machine_info *m)
{
    rr_buf_puts(b, "  \"hardware\": {\"gpu\": ");
    rr_buf_json(b, m->gpu);
    put_number(b, "gpus_per_node", m->gpus_per_node);
    put_number(b, "nodes", m->nodes);
    put_text(b, "network", m->network);
    put_text(b, "driver", m->driver);
    put_text(b, "cuda", m->cuda);
    put_text(b, "nccl", m->nccl);
    put_text(b, "host", m->host);
    put_number(b, "memory_gib", m->memory_gib);
    put_number(b, "sms", m->sms);
    put_number(b, "power_limit_w", m->power_limit_w);
    rr_buf_puts(b, "}");
}

void rr_samples_json(struct rr_buf *b, const struct rr_samples *s)
{
    const char *date = s->n_files ? s->file[0].date : "", *tool = s->n_files ? s->file[0].tool : "";
    rr_buf_puts(b, "{ \"schema\": \"rackrate.samples/1\", \"tool\": ");
    rr_buf_json(b, *tool ? tool : "rackrate import profiles");
    put_text(b, "date", date);
    rr_buf_puts(b, ",\n  \"sources\": [");
    for (size_t i = 0; i < s->n_files; i++) {
        rr_buf_puts(b, i ? ",\n    {\"file\": " : "\n    {\"file\": ");
        rr_buf_json(b, s->file[i].path);
        rr_buf_putf(b, ", \"sha256\": \"%s\"}", s->file[i].sha256);
    }
    rr_buf_puts(b, "],\n");
    put_hardware(b, &s->machine);
    if (*s->machine.topology) {
        rr_buf_puts(b, ",\n  \"topology\": ");
        rr_buf_json(b, s->machine.topology);
    }
    rr_buf_puts(b, ",\n  \"samples\": [");
    for (size_t i = 0; i < s->n; i++) {
        rr_buf_puts(b, i ? ",\n" : "\n");
        put_sample(b, &s->at[i], s->n_files);
    }
    rr_buf_puts(b, "] }\n");
}
