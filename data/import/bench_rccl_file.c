/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_rccl_file.c - what rccl-tests writes with -Z csv or -Z json into the file of -x or -X: a row for each time, all values named.
 *
 * Early versions print the CSV header without "nodes" while the rows have it, and JSON as one object a line; later ones "numCycle" first, and a list. Texts
 * are in quotation marks. A run with MPI says ranks and GPUs of each; one without says the GPUs of its one process. */
#include "data/bench_help.h"
#include <ctype.h>
#include <string.h>

enum { CELLS = 24 };
enum field { OTHER, NAME, NODES, RANKS, EACH, SIZE, TYPE, IN_PLACE, TIME, ALG, BUS, WRONG, FIELDS };

struct reader {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    int64_t line;
};

static enum field field_of(struct rr_slice name)
{
    static const struct {
        const char *word;
        enum field field;
    } words[] = {{"collective", NAME}, {"name", NAME}, {"nodes", NODES},  {"ranks", RANKS},      {"gpusperrank", EACH},
                 {"gpus", EACH},       {"size", SIZE}, {"type", TYPE},    {"inplace", IN_PLACE}, {"time", TIME},
                 {"algbw", ALG},       {"busbw", BUS}, {"#wrong", WRONG}, {"wrong", WRONG}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rr_slice_is_nocase(name, words[i].word)) return words[i].field;
    return OTHER;
}

static struct rr_slice bare(struct rr_slice s)
{
    s = rr_trim(s);
    return s.n >= 2 && s.at[0] == '"' && s.at[s.n - 1] == '"' ? rr_trim(rr_slice(s.at + 1, s.n - 2)) : s;
}

static double number_of(struct rr_slice s, double otherwise)
{
    double v;
    return s.n > 0 && rr_text_double(s, &v) == RR_OK ? v : otherwise;
}

/* Columns that say nothing of the time, as rccl-tests names them. */
static bool is_other(struct rr_slice name)
{
    static const char *const words[] = {"numCycle", "ranksPerNode", "redop", "root", "count", "timestamp"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rr_slice_is_nocase(name, words[i])) return true;
    return false;
}

/* The first of the numbers that is none; NULL = all are (or stand nowhere). "N/A" wrong results were not looked for. */
static const struct rr_slice *no_number(const struct rr_slice *cell)
{
    static const enum field fields[] = {NODES, RANKS, EACH, IN_PLACE, WRONG};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct rr_slice *c = &cell[fields[i]];
        double v;
        if (c->n > 0 && rr_text_double(*c, &v) != RR_OK && !(fields[i] == WRONG && rr_slice_is(*c, "N/A"))) return c;
    }
    return NULL;
}

static void nothing(struct rr_slice by[FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++) by[i] = rr_slice("", 0);
}

/* A row whose values stand in cell[field]; an empty cell was not there. */
static void take(struct reader *r, const struct rr_slice *cell)
{
    struct rr_sample s = rr_sample_none(RR_SAMPLE_COLLECTIVE);
    const double ranks = number_of(cell[RANKS], 1) * number_of(cell[EACH], 1), nodes = number_of(cell[NODES], cell[RANKS].n ? 0 : 1);
    const double wrong = number_of(cell[WRONG], 0);
    const struct rr_slice *no = no_number(cell);
    s.line = r->line;
    s.op = rr_bench_op_word(rr_strndup(r->t->arena, cell[NAME].at, cell[NAME].n));
    s.type = rr_strndup(r->t->arena, cell[TYPE].at, cell[TYPE].n);
    s.us = number_of(cell[TIME], 0), s.gb_s = number_of(cell[ALG], -1), s.bus_gb_s = number_of(cell[BUS], -1);
    s.in_place = number_of(cell[IN_PLACE], 0) > 0;
    s.ranks = r->t->opt->ranks > 0 ? r->t->opt->ranks : ranks >= 1 && ranks < 1e8 ? (int32_t)ranks : 0;
    s.nodes = nodes >= 0 && nodes < 1e8 ? (int32_t)nodes : 0;
    if (no)
        rr_sink_refuse(r->sink, r->line, "nodes, ranks, GPUs of a rank, in place and wrong results are numbers: \"%.*s\" is none",
                       (int)no->n, no->at);
    else if (!*s.op)
        rr_sink_refuse(r->sink, r->line, "\"%.*s\" is no collective operation that is known (AllReduce, AllGather, ...)", (int)cell[NAME].n,
                       cell[NAME].at);
    else if (!rr_bench_bytes(cell[SIZE], &s.bytes) || !(s.us > 0) || s.gb_s < 0 || s.bus_gb_s < 0)
        rr_sink_refuse(r->sink, r->line, "size, time, algbw and busbw must be numbers, the time above 0: \"%.*s\", \"%.*s\"",
                       (int)cell[SIZE].n, cell[SIZE].at, (int)cell[TIME].n, cell[TIME].at);
    else if (wrong >= 1)
        rr_sink_refuse(r->sink, r->line, "%g wrong results: the time of a wrong collective says nothing", wrong);
    else
        rr_sink_add(r->sink, &s);
}

/* ---- CSV ---- */

static size_t split(struct rr_slice line, struct rr_slice *cell)
{
    size_t n = 0;
    for (const char *at = line.at, *end = line.at + line.n; n < CELLS;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        cell[n++] = bare(rr_slice(at, (size_t)((comma ? comma : end) - at)));
        if (!comma) break;
        at = comma + 1;
    }
    return n;
}

static size_t read_head(struct reader *r, struct rr_slice line, enum field *field)
{
    struct rr_slice cell[CELLS];
    const size_t n = split(line, cell);
    for (size_t i = 0; i < n; i++) {
        field[i] = field_of(cell[i]);
        if (field[i] == OTHER && !is_other(cell[i]))
            rr_sink_note(r->sink, r->line, "column \"%.*s\" is not known and left out", (int)cell[i].n, cell[i].at);
    }
    return n;
}

static void read_row(struct reader *r, struct rr_slice line, const enum field *field, size_t heads)
{
    struct rr_slice cell[CELLS], by[FIELDS];
    const size_t n = split(line, cell);
    bool ranks = false, nodes = false;
    nothing(by);
    for (size_t i = 0; i < heads; i++) ranks |= field[i] == RANKS, nodes |= field[i] == NODES;
    const bool unnamed = ranks && !nodes && n == heads + 1; // the header of early versions forgets "nodes"
    if (n != heads && !unnamed) {
        rr_sink_refuse(r->sink, r->line, "%zu cells under %zu columns: cut off", n, heads);
        return;
    }
    for (size_t i = 0, k = 0; i < heads; i++) {
        if (unnamed && field[i] == RANKS) by[NODES] = cell[k++];
        by[field[i]] = cell[k++];
    }
    take(r, by);
}

static void read_csv(struct reader *r)
{
    enum field field[CELLS];
    struct rr_slice line;
    size_t heads = 0;
    for (size_t at = 0; rr_bench_line(r->t->text, r->t->n, &at, &line);) {
        r->line++;
        line = rr_trim(line);
        if (line.n == 0) continue;
        if (heads == 0)
            heads = read_head(r, line, field);
        else
            read_row(r, line, field, heads);
    }
}

/* ---- JSON: an object a line, with or without the brackets and commas of a list ---- */

static struct rr_slice value_of(const cJSON *m, struct rr_arena *a)
{
    if (cJSON_IsString(m)) return rr_trim(rr_slice(m->valuestring, strlen(m->valuestring)));
    if (!cJSON_IsNumber(m)) return rr_slice("", 0);
    const char *text = rr_strf(a, "%.17g", m->valuedouble);
    return rr_slice(text, strlen(text));
}

static void read_object(struct reader *r, struct rr_slice line)
{
    struct rr_slice by[FIELDS];
    const cJSON *m;
    nothing(by);
    const char *end = NULL;
    cJSON *o = cJSON_ParseWithLengthOpts(line.at, line.n, &end, 0);
    if (!cJSON_IsObject(o) || end != line.at + line.n) {
        rr_sink_refuse(r->sink, r->line, "one object {\"name\": ..., \"size\": ...} a line: this one is cut or damaged");
        cJSON_Delete(o);
        return;
    }
    cJSON_ArrayForEach(m, o)
    {
        const struct rr_slice key = rr_slice(m->string, strlen(m->string));
        by[field_of(key)] = value_of(m, r->t->arena);
        if (field_of(key) == OTHER && !is_other(key))
            rr_sink_note(r->sink, r->line, "\"%.*s\" is not known and left out", (int)key.n, key.at);
    }
    take(r, by);
    cJSON_Delete(o);
}

static void read_json(struct reader *r)
{
    struct rr_slice line;
    for (size_t at = 0; rr_bench_line(r->t->text, r->t->n, &at, &line);) {
        r->line++;
        line = rr_trim(line);
        while (line.n > 0 && (line.at[0] == '[' || line.at[0] == ',')) line = rr_trim(rr_slice(line.at + 1, line.n - 1));
        while (line.n > 0 && (line.at[line.n - 1] == ']' || line.at[line.n - 1] == ',')) line = rr_trim(rr_slice(line.at, line.n - 1));
        if (line.n > 0) read_object(r, line);
    }
}

static enum rr_status read_file(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct reader r = {.t = t, .sink = sink};
    struct rr_slice all = rr_slice(t->text, t->n);
    while (all.n > 0 && isspace((unsigned char)all.at[0])) all = rr_slice(all.at + 1, all.n - 1);
    while (all.n > 0 && isspace((unsigned char)all.at[all.n - 1])) all.n--;
    const bool json = all.n > 0 && (all.at[0] == '[' || all.at[0] == '{');
    if (json)
        read_json(&r);
    else
        read_csv(&r);
    RR_TRY(rr_bench_check_rates(sink));
    rr_sink_file(sink)->tool = "rccl-tests";
    rr_sink_file(sink)->complete = !json || all.at[0] == '{' || all.at[all.n - 1] == ']';
    if (!rr_sink_file(sink)->complete) rr_sink_note(sink, 0, "the list has no end: perhaps cut");
    return RR_OK;
}

static int sniff(const char *text, size_t n)
{
    struct rr_slice line;
    if (rr_bench_text_has(text, n, "\"algBw\":", "\"inPlace\":")) return 95;
    for (size_t at = 0; rr_bench_line(text, n, &at, &line);) {
        if (rr_trim(line).n == 0) continue;
        return rr_bench_has(line, "collective,") && rr_bench_has(line, "redop") && rr_bench_has(line, "algbw") ? 95 : 0;
    }
    return 0;
}

const struct rr_bench_format rr_bench_rccl_file = {
    .name = "rccl-tests-file",
    .summary = "the file that rccl-tests -Z csv or -Z json writes",
    .source = "ROCm/rccl-tests src/common.cu",
    .sniff = sniff,
    .read = read_file,
};
