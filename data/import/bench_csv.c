/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_csv.c - plain tables of measured times: a header names the columns with their units, each row is a measurement.
 *
 * A size and a time, or a size and a rate, make a row; m, n and k make it a matrix product. A second pair of time and busbw (tables made of nccl-tests) is
 * the in-place half. Times of collectives that stand as a bandwidth alone are size x factor / busbw. Columns that are not known are named and left. */
#include "data/bench_help.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { CELLS = 64 };
static const double LEAST_US = 1e-3;
enum field {
    NONE,
    BYTES,
    TIME,
    BUS,
    ALG,
    LOW,
    HIGH,
    OP,
    KIND,
    TYPE,
    RANKS,
    NODES,
    PER_NODE,
    IN_PLACE,
    ALGORITHM,
    PROTOCOL,
    M,
    N,
    K,
    FLOPS,
    COUNT,
    POWER,
};
static const struct {
    const char *name;
    enum field field;
    double times; /* into bytes, us, 10^9 bytes/s */
} columns[] = {
    {"bytes", BYTES, 1},
    {"size", BYTES, 1},
    {"size(B)", BYTES, 1},
    {"size_bytes", BYTES, 1},
    {"size_kib", BYTES, 1024},
    {"size_mib", BYTES, 1048576},
    {"size_mb", BYTES, 1e6},
    {"message_mb", BYTES, 1e6},
    {"us", TIME, 1},
    {"time_us", TIME, 1},
    {"time(us)", TIME, 1},
    {"ms", TIME, 1e3},
    {"time_ms", TIME, 1e3},
    {"time(ms)", TIME, 1e3},
    {"ns", TIME, 1e-3},
    {"time_ns", TIME, 1e-3},
    {"time(ns)", TIME, 1e-3},
    {"busbw(GB/s)", BUS, 1},
    {"bus_gb_s", BUS, 1},
    {"busbw", BUS, 1},
    {"median_gb_s", BUS, 1},
    {"bus_gbit_s", BUS, 0.125},
    {"algbw(GB/s)", ALG, 1},
    {"alg_gb_s", ALG, 1},
    {"algbw", ALG, 1},
    {"gb_s", ALG, 1},
    {"gbit_s", ALG, 0.125},
    {"p05_gb_s", LOW, 1},
    {"p95_gb_s", HIGH, 1},
    {"op", OP, 0},
    {"collective", OP, 0},
    {"operation", OP, 0},
    {"kind", KIND, 0},
    {"type", TYPE, 0},
    {"dtype", TYPE, 0},
    {"ranks", RANKS, 1},
    {"gpus", RANKS, 1},
    {"nodes", NODES, 1},
    {"gpus_per_node", PER_NODE, 1},
    {"in_place", IN_PLACE, 0},
    {"algorithm", ALGORITHM, 0},
    {"protocol", PROTOCOL, 0},
    {"m", M, 1},
    {"n", N, 1},
    {"k", K, 1},
    {"flops", FLOPS, 1},
    {"count", COUNT, 1},
    {"power_w", POWER, 1},
};

struct table {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    int64_t line;
    size_t n;
    enum field field[CELLS];
    double times[CELLS];
    bool second[CELLS]; /* of the in-place half */
    bool kind_said;
    struct rr_rank_range range;
    const char *op; /* of the whole file, where no column says it */
};

static size_t cells_of(struct rr_slice line, struct rr_slice *cell)
{
    size_t n = 0;
    const char *at = line.at, *end = line.at + line.n;
    while (n < CELLS) {
        const bool quoted = at < end && *at == '"';
        const char *from = at + quoted, *close = quoted ? memchr(from, '"', (size_t)(end - from)) : NULL;
        const char *comma = memchr(close ? close : at, ',', (size_t)(end - (close ? close : at)));
        const char *stop = close ? close : comma ? comma : end;
        cell[n++] = rr_trim(rr_slice(close ? from : at, (size_t)(stop - (close ? from : at))));
        if (!comma) break;
        at = comma + 1;
    }
    return n;
}

/* ---- the header ---- */

static enum rr_status read_head(struct table *w, struct rr_slice line)
{
    struct rr_slice cell[CELLS];
    bool seen[POWER + 1] = {false};
    w->n = cells_of(line, cell);
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            if (rr_slice_is_nocase(cell[i], columns[k].name)) w->field[i] = columns[k].field, w->times[i] = columns[k].times;
        const enum field f = w->field[i];
        if (f == NONE) rr_sink_note(w->sink, w->line, "column \"%.*s\" is not used", (int)cell[i].n, cell[i].at);
        if (f == NONE) continue;
        w->second[i] = seen[f] && (f == TIME || f == BUS || f == ALG);
        if (seen[f] && !w->second[i])
            return rr_fail(RR_EINPUT, "%s:%lld: two columns say the same: \"%.*s\"", w->t->path, (long long)w->line, (int)cell[i].n,
                           cell[i].at);
        seen[f] = true;
        if (rr_slice_is_nocase(cell[i], "median_gb_s"))
            rr_sink_note(w->sink, w->line, "median_gb_s is taken as bus bandwidth, as nccl-tests counts it");
    }
    if ((!seen[BYTES] && !seen[M] && !seen[OP]) || (!seen[TIME] && !seen[BUS] && !seen[ALG]))
        return rr_fail(RR_EINPUT, "%s:%lld: needs a size (bytes, size_mib, or m, n, k) and a time (us, ms, ns) or a rate (bus_gb_s, gb_s)",
                       w->t->path, (long long)w->line);
    w->kind_said = seen[KIND];
    const char *said = w->t->opt->op;
    w->op = said && *said ? rr_bench_op_word(said) : "";
    if (!seen[OP] && !seen[KIND] && !seen[M] && !*w->op) w->op = rr_bench_op_of_path(w->t->path);
    if (!seen[OP] && !seen[KIND] && !seen[M] && !*w->op)
        return rr_fail(RR_EINPUT, "%s:%lld: no column says the operation: say which with --op", w->t->path, (long long)w->line);
    return RR_OK;
}

/* ---- rows ---- */

static bool is_text(enum field f) { return f == OP || f == KIND || f == TYPE || f == ALGORITHM || f == PROTOCOL || f == IN_PLACE; }

static bool set_text(struct table *w, enum field f, struct rr_slice cell, struct rr_sample *s)
{
    const char *text = rr_strndup(w->t->arena, cell.at, cell.n);
    if (f == TYPE) s->type = text;
    if (f == ALGORITHM) s->algorithm = text;
    if (f == PROTOCOL) s->protocol = text;
    if (f == IN_PLACE) {
        s->in_place = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
        return s->in_place || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
    }
    if (f == OP) s->op = text;
    if (f != KIND) return true;
    for (int k = 0; k < RR_SAMPLE_KIND_N; k++)
        if (strcmp(text, rr_sample_kind_name[k]) == 0) {
            s->kind = (enum rr_sample_kind)k;
            return true;
        }
    return false;
}

static void set_number(enum field f, double v, struct rr_sample *s, double *per_node)
{
    switch (f) {
    case BYTES: s->bytes = (int64_t)(v + 0.5); break;
    case TIME: s->us = v; break;
    case BUS: s->bus_gb_s = v; break;
    case ALG: s->gb_s = v; break;
    case LOW: s->p05_gb_s = v; break;
    case HIGH: s->p95_gb_s = v; break;
    case RANKS: s->ranks = (int32_t)(v < 1e9 ? v : 0); break;
    case NODES: s->nodes = (int32_t)(v < 1e9 ? v : 0); break;
    case PER_NODE: *per_node = v; break;
    case M: s->m = (int64_t)v; break;
    case N: s->n = (int64_t)v; break;
    case K: s->k = (int64_t)v; break;
    case FLOPS: s->flops = v; break;
    case POWER: s->power_w = v; break;
    default: break;
    }
}

/* Half of the last digit that was meant: "5435500" ns was 5435.5 us, and so was "5435499", whose fraction was cut. */
static double half_unit(struct rr_slice s)
{
    double half = rr_bench_half_unit(s), cut = half;
    if (s.n == 0 || memchr(s.at, '.', s.n)) return half;
    for (size_t i = s.n; i > 1 && s.at[i - 1] == '0'; i--) half *= 10;
    for (size_t i = s.n; i > 1 && s.at[i - 1] == '9'; i--) cut *= 10;
    return (half > cut ? half : cut) + 1;
}

/* "" = nothing. */
static const char *what_is_wrong(enum field f, double v, double times)
{
    const bool whole = v == floor(v);
    switch (f) {
    case BYTES: return times == 1 && !whole ? "is no whole number of bytes" : "";
    case TIME: return v * times < LEAST_US ? "is less than a nanosecond: no time of a measurement" : "";
    case RANKS:
    case NODES:
    case PER_NODE: return !whole || v < 1 || v >= 1e9 ? "is no whole number of at least 1" : "";
    case M:
    case N:
    case K:
    case COUNT: return whole ? "" : "is no whole number";
    default: return "";
    }
}

static bool read_half(struct table *w, const struct rr_slice *cell, bool second, struct rr_sample *s)
{
    double per_node = 0, us_half = 0, bus_half = 0;
    for (size_t i = 0; i < w->n; i++) {
        const enum field f = w->field[i];
        double v;
        const bool halves = f == TIME || f == BUS || f == ALG;
        if (f == NONE || cell[i].n == 0 || (halves && w->second[i] != second)) continue;
        if (f == BYTES && w->times[i] == 1 && !isdigit((unsigned char)cell[i].at[cell[i].n - 1])) {
            if (rr_bench_bytes(cell[i], &s->bytes)) continue;
            rr_sink_refuse(w->sink, w->line, "column %zu: \"%.*s\" is no size such as 1048576, 1M or 8 MiB", i + 1, (int)cell[i].n,
                           cell[i].at);
            return false;
        }
        if (is_text(f) ? !set_text(w, f, cell[i], s) : rr_text_double(cell[i], &v) != RR_OK || !(v * w->times[i] < 9e15) || v < 0) {
            rr_sink_refuse(w->sink, w->line, "column %zu: \"%.*s\" is no number of at least 0, or no word that is known", i + 1,
                           (int)cell[i].n, cell[i].at);
            return false;
        }
        if (is_text(f)) continue;
        if (*what_is_wrong(f, v, w->times[i])) {
            rr_sink_refuse(w->sink, w->line, "column %zu: \"%.*s\" %s", i + 1, (int)cell[i].n, cell[i].at,
                           what_is_wrong(f, v, w->times[i]));
            return false;
        }
        set_number(f, v * w->times[i], s, &per_node);
        if (f == TIME) us_half = half_unit(cell[i]) * w->times[i];
        if (f == BUS) bus_half = rr_bench_half_unit(cell[i]);
    }
    if (s->ranks == 0 && s->nodes > 0 && per_node > 0 && per_node < 1e5)
        s->ranks = (int32_t)((double)s->nodes * per_node < 1e9 ? (double)s->nodes * per_node : 0);
    if (s->m > 0) s->kind = w->kind_said ? s->kind : RR_SAMPLE_GEMM;
    if (s->us > 0 && s->bus_gb_s > 0) rr_rank_range_add(&w->range, s->op, (double)s->bytes, s->us, us_half, s->bus_gb_s, bus_half);
    return true;
}

static void take_row(struct table *w, struct rr_slice line, bool second)
{
    struct rr_slice cell[CELLS];
    struct rr_sample s = rr_sample_none(RR_SAMPLE_COLLECTIVE);
    const size_t n = cells_of(line, cell);
    if (n != w->n) {
        if (!second) rr_sink_refuse(w->sink, w->line, "%zu cells under %zu columns", n, w->n);
        return;
    }
    s.op = w->op, s.line = w->line, s.in_place = second;
    if (!read_half(w, cell, second, &s)) return;
    if (s.kind == RR_SAMPLE_COLLECTIVE && *s.op) {
        const char *op = rr_bench_op_word(s.op);
        if (*op) s.op = op;
    }
    if (s.kind == RR_SAMPLE_COLLECTIVE && rr_bus_factor(s.op, 2) == 0) {
        rr_sink_refuse(w->sink, w->line, "\"%s\" is no collective operation that is known (all_reduce, all_gather, ...)", s.op);
        return;
    }
    const double factor = rr_bus_factor(s.op, s.ranks);
    if (s.kind == RR_SAMPLE_COLLECTIVE && s.us == 0 && s.bus_gb_s > 0 && factor > 0) s.us = (double)s.bytes * factor / s.bus_gb_s / 1e3;
    if (s.us == 0 && s.gb_s > 0 && s.bytes > 0) s.us = (double)s.bytes / s.gb_s / 1e3;
    if (!(s.us > 0) && !(s.gb_s > 0)) {
        if (!second) rr_sink_refuse(w->sink, w->line, "neither a time nor a rate from which one follows");
        return;
    }
    rr_sink_add(w->sink, &s);
}

static void fill_ranks(struct table *w)
{
    bool guessed;
    int32_t ranks = w->t->opt->ranks;
    if (ranks == 0) ranks = rr_rank_range_ranks(&w->range, &guessed);
    for (size_t i = 0; i < rr_sink_rows(w->sink); i++)
        if (rr_sink_row(w->sink, i)->ranks == 0) rr_sink_row(w->sink, i)->ranks = ranks;
}

static enum rr_status read_text(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct table w = {.t = t, .sink = sink};
    struct rr_slice line;
    bool halves = false;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        w.line++;
        line = rr_trim(line);
        if (line.n == 0 || *line.at == '#') continue;
        if (w.n == 0) {
            RR_TRY(read_head(&w, line));
            for (size_t i = 0; i < w.n; i++) halves |= w.second[i];
            continue;
        }
        take_row(&w, line, false);
        if (halves) take_row(&w, line, true);
    }
    fill_ranks(&w);
    RR_TRY(rr_bench_check_rates(sink));
    rr_sink_file(sink)->complete = true;
    return RR_OK;
}

static int sniff(const char *text, size_t n)
{
    struct rr_slice line, cell[CELLS];
    for (size_t at = 0; rr_bench_line(text, n, &at, &line);) {
        line = rr_trim(line);
        if (line.n == 0 || *line.at == '#') continue;
        if (!memchr(line.at, ',', line.n)) return 0;
        int known = 0;
        const size_t cells = cells_of(line, cell);
        for (size_t i = 0; i < cells; i++)
            for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) known += rr_slice_is_nocase(cell[i], columns[k].name);
        return known >= 2 ? 50 : 0;
    }
    return 0;
}

const struct rr_bench_format rr_bench_csv = {
    .name = "csv",
    .summary = "a table with columns such as op, ranks, bytes, us, bus_gb_s",
    .source = "data/import/README.md",
    .sniff = sniff,
    .read = read_text,
};
