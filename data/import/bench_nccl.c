/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_nccl.c - what nccl-tests prints, of every generation, as it comes out of srun, mpirun, Markdown and mixed streams.
 *
 * A row is "size count type [redop] [root]" and twice "time algbw busbw errors" (out-of-place, in-place), with four more columns each where single
 * iterations were timed, and a time of day at the end where asked for. How many words a row has tells the generation, so a header that is lost does no
 * harm. The operation stands in the log since 2.17; before that the columns and the ratio of size to count tell it, and where they cannot (all_gather and
 * alltoall of the middle generation) the file's name or --op must. */
#include "data/bench_help.h"
#include "data/base/vec.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { CELLS = 40 };

struct ratio { /* size over count x bytes of the type */
    int64_t line, size, count;
    const char *type;
    double share;
};

struct log {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    int64_t line;
    bool table, closed; /* inside a table; its closing line was seen */
    const char *op;     /* of the banner; "" */
    const char *found;  /* operation that the rows show; "" */
    bool redop_column, root_column, header;
    size_t first;                               /* sample of this table */
    size_t refused;                             /* of the file when it began */
    double bus;                                 /* sum of its printed bus bandwidths */
    int32_t last_rank, last_device, rank_lines; /* of the device list; last_* -1 = none */
    char hosts[64][64];
    int32_t n_hosts;
    double share; /* size / (count x bytes of the type) of rows with count > 0 */
    bool shares, differ;
    double us_per_unit;         /* of the time column */
    RR_VEC(struct ratio) ratio; /* of this table's rows with count > 0 */
    struct rr_rank_range range, range_shared;
    bool ranks_noted, op_noted; /* once a file */
};

struct cells {
    struct rr_slice cell[CELLS];
    size_t n;
};

/* ---- prefixes ---- */

static bool digits(struct rr_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!isdigit((unsigned char)s.at[i])) return false;
    return s.n > 0;
}

static struct rr_slice drop(struct rr_slice s, size_t n) { return rr_slice(s.at + n, s.n - n); }

/* "[1,0]<stdout>:" of Open MPI, "[0] " of ranks, "0: " of srun, "node7: " of pdsh; 0 = none. */
static size_t prefix(struct rr_slice s)
{
    if (s.n > 0 && s.at[0] == '[') {
        const char *close = memchr(s.at, ']', s.n);
        size_t n = close ? (size_t)(close - s.at) + 1 : 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (!isdigit((unsigned char)s.at[i]) && s.at[i] != ',') return 0;
        if (n > 2 && n < s.n && s.at[n] == '<') {
            const char *colon = memchr(s.at + n, ':', s.n - n);
            return colon ? (size_t)(colon - s.at) + 1 : 0;
        }
        return n > 2 ? n : 0;
    }
    size_t i = 0;
    while (i < s.n && (isalnum((unsigned char)s.at[i]) || strchr("._-", s.at[i]))) i++;
    if (i == 0 || i + 1 >= s.n || s.at[i] != ':' || s.at[i + 1] != ' ') return 0;
    return memcmp(s.at, "rccl-tests", i < 10 ? i : 10) == 0 ? 0 : i + 2;
}

static bool is_info(struct rr_slice s)
{
    return rr_bench_has(s, "NCCL INFO") || rr_bench_has(s, "NCCL WARN") || rr_bench_has(s, "] INFO ") || rr_bench_has(s, "] WARN ");
}

/* The line without what was put in front of it, and without ranks in its middle. */
static struct rr_slice clean(struct log *l, struct rr_slice s)
{
    for (size_t n; s = rr_trim(s), (n = prefix(s)) > 0;) s = drop(s, n);
    if (s.n == 0 || !memchr(s.at, '[', s.n) || s.at[0] == '#' || is_info(s)) return s;
    if (!isdigit((unsigned char)s.at[0])) return s;
    char *copy = rr_strndup(l->t->arena, s.at, s.n);
    for (size_t i = 0; i < s.n;) {
        const size_t n = copy[i] == '[' ? prefix(rr_slice(copy + i, s.n - i)) : 0;
        if (n == 0) i++;
        for (size_t k = 0; k < n; k++) copy[i++] = ' ';
    }
    return rr_trim(rr_slice(copy, s.n));
}

/* ---- what stands around the table ---- */

static struct rr_slice after(struct rr_slice s, const char *word)
{
    const char *at = s.n ? memmem(s.at, s.n, word, strlen(word)) : NULL;
    if (!at) return rr_slice("", 0);
    const size_t n = (size_t)(at - s.at) + strlen(word);
    return rr_trim(drop(s, n));
}

static struct rr_slice first_word(struct rr_slice s)
{
    size_t n = 0;
    while (n < s.n && s.at[n] != ' ' && s.at[n] != '\t') n++;
    return rr_slice(s.at, n);
}

static void take_version(struct log *l, struct rr_slice s)
{
    struct rr_arena *a = l->t->arena;
    struct rr_machine_info *m = rr_sink_machine(l->sink);
    struct rr_slice v = first_word(after(s, "NCCL version "));
    if (v.n > 0 && isdigit((unsigned char)v.at[0])) {
        const char *plus = memmem(v.at, v.n, "+cuda", 5);
        m->nccl = rr_strndup(a, v.at, plus ? (size_t)(plus - v.at) : v.n);
        if (plus) m->cuda = rr_strndup(a, plus + 5, v.n - (size_t)(plus - v.at) - 5);
    }
    v = first_word(after(s, "nccl-tests version "));
    if (v.n > 0) rr_sink_file(l->sink)->tool = rr_strf(a, "nccl-tests %.*s", (int)v.n, v.at);
    v = first_word(after(s, "rccl-tests: Version "));
    if (v.n > 0) rr_sink_file(l->sink)->tool = rr_strf(a, "rccl-tests %.*s", (int)v.n, v.at);
    int64_t code = 0;
    v = first_word(after(s, "nccl-library="));
    if (v.n > 0 && rr_text_i64(v, &code) == RR_OK && code >= 20000) // major 10000, minor 100, patch
        m->nccl = rr_strf(a, "%d.%d.%d", (int)(code / 10000), (int)(code / 100 % 100), (int)(code % 100));
}

/* "Rank  0 [Group  0] Pid 1001 on node0 device  0 [0x27] NVIDIA A100-SXM4-40GB" */
static bool take_rank(struct log *l, struct rr_slice s)
{
    struct cells c;
    int64_t rank = -1, device = -1;
    struct rr_slice host = {0};
    c.n = rr_bench_cells(s, c.cell, CELLS);
    if (c.n < 6 || !rr_slice_is(c.cell[0], "Rank") || rr_text_i64(c.cell[1], &rank) != RR_OK || rank < 0 || rank > 10000000) return false;
    for (size_t i = 2; i + 1 < c.n && i + 1 < CELLS; i++) {
        if (rr_slice_is(c.cell[i], "on")) host = c.cell[i + 1];
        if (rr_slice_is(c.cell[i], "device") && rr_text_i64(c.cell[i + 1], &device) != RR_OK) return false;
    }
    if (host.n == 0 || device < 0 || device > 1000) return false;
    if (rank == 0 && l->first > 0) l->last_rank = l->last_device = -1, l->rank_lines = l->n_hosts = 0; // the list of another run
    l->rank_lines++;
    if (rank > l->last_rank) l->last_rank = (int32_t)rank, l->last_device = (int32_t)device;
    const char *name = memchr(s.at, ']', s.n);
    const struct rr_slice gpu = name ? rr_trim(rr_slice(name + 1, s.n - (size_t)(name + 1 - s.at))) : rr_slice("", 0);
    struct rr_machine_info *m = rr_sink_machine(l->sink);
    if (gpu.n > 0 && !*m->gpu && !rr_bench_has(gpu, "Graphics Device")) m->gpu = rr_strndup(l->t->arena, gpu.at, gpu.n);
    const size_t keep = host.n < sizeof l->hosts[0] ? host.n : sizeof l->hosts[0] - 1;
    for (int32_t i = 0; i < l->n_hosts; i++)
        if (strlen(l->hosts[i]) == keep && memcmp(l->hosts[i], host.at, keep) == 0) return true;
    if (l->n_hosts < (int32_t)(sizeof l->hosts / sizeof *l->hosts)) {
        memcpy(l->hosts[l->n_hosts], host.at, keep);
        l->hosts[l->n_hosts++][keep] = '\0';
    }
    return true;
}

static enum rr_status take_units(struct log *l, struct rr_slice s)
{
    static const struct {
        const char *word;
        double us;
    } units[] = {{"(us)", 1}, {"(ms)", 1e3}, {"(ns)", 1e-3}, {"(s)", 1e6}};
    if (memcmp(s.at, "(B)", 3) != 0)
        return rr_fail(RR_EINPUT, "%s:%lld: the size is in %.*s by this line of units; nccl-tests prints bytes, (B)", l->t->path,
                       (long long)l->line, (int)first_word(s).n, s.at);
    if (!rr_bench_has(s, "(GB/s)"))
        return rr_fail(RR_EINPUT, "%s:%lld: bandwidth is not in GB/s by this line of units", l->t->path, (long long)l->line);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (rr_bench_has(s, units[i].word)) {
            l->us_per_unit = units[i].us;
            return RR_OK;
        }
    return rr_fail(RR_EINPUT, "%s:%lld: the time has no unit that is known (us, ms, ns, s)", l->t->path, (long long)l->line);
}

static void new_table(struct log *l, struct rr_slice s)
{
    l->refused = rr_sink_file(l->sink)->refused;
    l->table = l->header = true;
    l->closed = false;
    l->redop_column = rr_bench_has(s, "redop");
    l->root_column = rr_bench_has(s, "root");
}

/* ---- a row ---- */

struct row {
    int64_t size, count;
    const char *type;
    bool has_redop, has_root;
    int64_t root;
    size_t first; /* cell of the first time */
    size_t each;  /* cells of one half: 4, or 8 with single iterations */
    size_t halves;
};

static bool is_redop(struct rr_slice s)
{
    static const char *const words[] = {"sum", "prod", "max", "min", "avg", "all", "mulsum", "none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rr_slice_is(s, words[i])) return true;
    return false;
}

static bool is_clock(const struct cells *c, size_t i) /* "2026-01-31 12:00:00" */
{
    return i + 2 == c->n && c->cell[i].n == 10 && c->cell[i].at[4] == '-' && c->cell[i + 1].n == 8 && c->cell[i + 1].at[2] == ':';
}

/* Which cells are what, by their number; false: no such row. */
static bool shape(const struct log *l, struct cells *c, struct row *r)
{
    size_t i = 3;
    if (c->n > CELLS || c->n < 7) return false;
    if (is_clock(c, c->n - 2)) c->n -= 2;
    r->has_redop = is_redop(c->cell[i]);
    i += r->has_redop;
    for (int root = 0; root <= 1; root++) {
        const size_t left = c->n - i - (size_t)root;
        if (c->n < i + (size_t)root || (left != 4 && left != 8 && left != 16)) continue;
        if (root && rr_text_i64(c->cell[i], &r->root) != RR_OK) continue;
        if (l->header && root != (l->root_column ? 1 : 0) && !(root == 0 && l->root_column && !r->has_redop)) continue;
        r->has_root = root;
        r->first = i + (size_t)root;
        r->each = left == 16 ? 8 : 4;
        r->halves = left == 4 ? 1 : 2;
        return true;
    }
    return false;
}

static bool read_half(struct log *l, const struct cells *c, const struct row *r, size_t half, struct rr_sample *out)
{
    const struct rr_slice *cell = &c->cell[r->first + half * r->each];
    double wrong = 0;
    if (rr_text_double(cell[0], &out->us) != RR_OK || rr_text_double(cell[1], &out->gb_s) != RR_OK ||
        rr_text_double(cell[2], &out->bus_gb_s) != RR_OK || !(out->us > 0) || out->gb_s < 0 || out->bus_gb_s < 0) {
        rr_sink_refuse(l->sink, l->line, "time and bandwidths must be numbers, the time above 0: \"%.*s %.*s %.*s\"", (int)cell[0].n,
                       cell[0].at, (int)cell[1].n, cell[1].at, (int)cell[2].n, cell[2].at);
        return false;
    }
    const bool unchecked = rr_slice_is(cell[3], "N/A");
    if (!unchecked && rr_text_double(cell[3], &wrong) != RR_OK) {
        rr_sink_refuse(l->sink, l->line, "the error column is neither a number nor N/A: \"%.*s\"", (int)cell[3].n, cell[3].at);
        return false;
    }
    if (wrong >= 1) {
        rr_sink_refuse(l->sink, l->line, "%g wrong results: the time of a wrong collective says nothing", wrong);
        return false;
    }
    out->us *= l->us_per_unit;
    out->in_place = half == 1 || r->halves == 1; // a replay leaves the out-of-place half blank
    return true;
}

/* What the row says of the operation: columns that old versions print only where they mean something, and the ratio of size to count. */
static const char *op_of_row(const struct log *l, const struct row *r, double share)
{
    const bool whole = share > 0.99 && share < 1.01, many = share >= 1.99;
    if (l->header && l->redop_column && !r->has_redop) return many ? "alltoall" : whole ? "sendrecv" : "";
    if (l->header && !l->redop_column && !l->root_column) return "all_gather";
    if (r->has_redop && r->has_root && r->root >= 0) return many ? "" : "reduce";
    if (!r->has_redop && r->has_root) return many ? "" : "broadcast";
    return many ? "reduce_scatter" : whole ? "all_reduce" : "";
}

static void note_ratio(struct log *l, const struct cells *c, const struct row *r, const struct rr_sample *half)
{
    const double type = rr_bench_type_bytes(r->type);
    const double share = type > 0 && r->count > 0 ? (double)r->size / ((double)r->count * type) : 0;
    const bool none = r->has_redop && rr_slice_is(c->cell[3], "none");
    if (share > 0) {
        rr_vec_push(&l->ratio, ((struct ratio){l->line, r->size, r->count, r->type, share}));
        l->differ |= l->shares && share != l->share;
        l->share = share;
        l->shares = true;
        const char *op = none && !(r->has_root && r->root >= 0) ? (share < 1.01 ? "sendrecv" : "")
                         : none                                 ? "broadcast"
                                                                : op_of_row(l, r, share);
        if (!*l->found) l->found = op;
    }
    for (size_t h = 0; h < r->halves; h++) {
        const struct rr_slice *cell = &c->cell[r->first + h * r->each];
        const double us_half = rr_bench_half_unit(cell[0]) * l->us_per_unit, bus_half = rr_bench_half_unit(cell[2]);
        rr_rank_range_add(&l->range, "all_reduce", (double)r->size, half[h].us, us_half, half[h].bus_gb_s, bus_half);
        rr_rank_range_add(&l->range_shared, "all_gather", (double)r->size, half[h].us, us_half, half[h].bus_gb_s, bus_half);
    }
}

/* `ranks` 0: not known; < 0: no matter. */
static void refuse_ratio(struct log *l, const struct ratio *r, int32_t ranks)
{
    const char *times = ranks > 0 ? rr_strf(l->t->arena, ", nor %d times that", (int)ranks) : ranks == 0 ? ", nor a multiple" : "";
    rr_sink_refuse(l->sink, r->line, "size %lld is not count x type, %lld x %s = %.0f bytes%s", (long long)r->size, (long long)r->count,
                   r->type, (double)r->count * rr_bench_type_bytes(r->type), times);
}

static void take_row(struct log *l, struct rr_slice s)
{
    struct cells c;
    struct row r = {.root = -1};
    struct rr_sample half[2];
    c.n = rr_bench_cells(s, c.cell, CELLS);
    if (is_info(s)) {
        rr_sink_refuse(l->sink, l->line, "another line runs into this row");
        return;
    }
    if (c.n < 4 || !digits(c.cell[1]) || !isalpha((unsigned char)c.cell[2].at[0])) {
        rr_sink_refuse(l->sink, l->line, "a row begins with size, count and type; this one is cut: \"%.*s\"", (int)(s.n > 40 ? 40 : s.n),
                       s.at);
        return;
    }
    if (!rr_bench_bytes(c.cell[0], &r.size) || rr_text_i64(c.cell[1], &r.count) != RR_OK) {
        rr_sink_refuse(l->sink, l->line, "the size must be bytes such as 1048576 or 1M, the count a whole number: \"%.*s %.*s\"",
                       (int)c.cell[0].n, c.cell[0].at, (int)c.cell[1].n, c.cell[1].at);
        return;
    }
    if (!shape(l, &c, &r)) {
        rr_sink_refuse(
            l->sink, l->line,
            "%zu words, which no generation of nccl-tests prints in a row (11 to 13 of them, or 7 to 9 with one half): cut off or "
            "mixed with another line",
            c.n);
        return;
    }
    r.type = rr_strndup(l->t->arena, c.cell[2].at, c.cell[2].n);
    for (size_t h = 0; h < r.halves; h++) {
        half[h] = rr_sample_none(RR_SAMPLE_COLLECTIVE);
        half[h].type = r.type, half[h].bytes = r.size, half[h].line = l->line;
        if (!read_half(l, &c, &r, h, &half[h])) return;
    }
    const double type = rr_bench_type_bytes(r.type), share = type > 0 && r.count > 0 ? (double)r.size / ((double)r.count * type) : 0;
    if (share > 0 && fabs(share - round(share)) > 1e-6) { // no whole number of ranks
        refuse_ratio(l, &(struct ratio){l->line, r.size, r.count, r.type, share}, 0);
        return;
    }
    note_ratio(l, &c, &r, half);
    for (size_t h = 0; h < r.halves; h++) {
        rr_sink_add(l->sink, &half[h]);
        l->bus += half[h].bus_gb_s;
    }
    l->table = true;
}

/* ---- the end of a table: what the rows are of ---- */

static enum rr_status find_op(struct log *l, const char **ret)
{
    const struct rr_sample_options *o = l->t->opt;
    const char *by_name = rr_bench_op_of_path(l->t->path);
    if (o->op && *o->op) {
        *ret = rr_bench_op_word(o->op);
        return **ret ? RR_OK : rr_fail(RR_EUSAGE, "\"%s\" is no collective operation that is known (all_reduce, all_gather, ...)", o->op);
    }
    if (*l->op) {
        *ret = l->op;
        return RR_OK;
    }
    if (*l->found) {
        *ret = l->found;
        if (!l->header && !l->op_noted)
            rr_sink_note(l->sink, 0, "the operation, %s, follows from the rows' columns (--op says otherwise)", l->found);
        l->op_noted = true;
        return RR_OK;
    }
    if (!*by_name)
        return rr_fail(RR_EINPUT, "%s: the operation stands nowhere in the file, and its columns fit several: say which with --op",
                       l->t->path);
    rr_sink_note(l->sink, 0, "the operation, %s, is taken from the file's name", by_name);
    *ret = by_name;
    return RR_OK;
}

static int32_t find_ranks(struct log *l, const char *op)
{
    bool guessed = false;
    const bool shared = strcmp(op, "all_reduce") != 0;
    const int32_t by_bus = rr_rank_range_ranks(shared ? &l->range_shared : &l->range, &guessed);
    int32_t by_list = l->last_rank + 1;
    const double factor = rr_bus_factor(op, 3);
    if (l->t->opt->ranks > 0 && by_list > 0 && l->t->opt->ranks != by_list)
        rr_sink_note(l->sink, 0, "%d ranks are taken as --ranks says; the log's list of devices has %d", (int)l->t->opt->ranks,
                     (int)by_list);
    if (l->t->opt->ranks > 0) return l->t->opt->ranks;
    if (by_list > 0) return by_list;
    if (shared && factor != 1 && l->shares && !l->differ && l->share >= 2) return (int32_t)(l->share + 0.5);
    if (factor == 1 || by_bus == 0) return 0;
    if (l->ranks_noted) return by_bus;
    l->ranks_noted = true;
    if (guessed)
        rr_sink_note(l->sink, 0, "busbw/algbw allows %.0f to %.0f ranks: the multiple of 8 is taken (--ranks says otherwise)",
                     l->range.least, l->range.most);
    else
        rr_sink_note(l->sink, 0, "the number of ranks, %d, follows from busbw/algbw (--ranks says otherwise)", (int)by_bus);
    return by_bus;
}

/* Nodes by the hosts of a full device list, else by the last rank's device where that ends a node; 0 = not said. */
static int32_t find_nodes(const struct log *l, int32_t ranks)
{
    if (l->rank_lines == 0) return 0;
    if (l->rank_lines >= ranks) return l->n_hosts;
    return ranks % (l->last_device + 1) == 0 ? ranks / (l->last_device + 1) : 0;
}

/* A size is count x type; of operations whose count is that of one rank (all_gather, reduce_scatter, alltoall) it may be that times the ranks. */
static void check_ratios(struct log *l, const char *op, int32_t ranks)
{
    const bool shared = rr_bus_factor(op, 3) != 1 && strcmp(op, "all_reduce") != 0;
    for (size_t i = 0; i < l->ratio.n; i++) {
        const struct ratio *r = &l->ratio.at[i];
        if (r->share == 1 || (shared && (ranks == 0 || r->share == ranks))) continue;
        rr_sink_drop_line(l->sink, r->line);
        refuse_ratio(l, r, shared ? ranks : -1);
    }
    l->ratio.n = 0;
}

static enum rr_status close_log(struct log *l)
{
    const char *op = "";
    if (rr_sink_rows(l->sink) == l->first) return RR_OK;
    RR_TRY(find_op(l, &op));
    const int32_t ranks = find_ranks(l, op), nodes = find_nodes(l, ranks);
    for (size_t i = l->first; i < rr_sink_rows(l->sink); i++) {
        struct rr_sample *r = rr_sink_row(l->sink, i);
        r->op = op, r->ranks = ranks, r->nodes = nodes;
    }
    check_ratios(l, op, ranks);
    l->found = "";
    l->first = rr_sink_rows(l->sink), l->bus = 0;
    l->range = l->range_shared = (struct rr_rank_range){0};
    l->shares = l->differ = false;
    return RR_OK;
}

/* "# Avg bus bandwidth    : 89.5" is the mean over the table; another mean means that rows of it are not here. */
static void check_mean(struct log *l, struct rr_slice s)
{
    double said;
    const size_t n = rr_sink_rows(l->sink) - l->first;
    const struct rr_slice word = first_word(after(s, "Avg bus bandwidth    :"));
    if (n == 0 || word.n == 0 || rr_text_double(word, &said) != RR_OK || rr_sink_file(l->sink)->refused != l->refused) return;
    const double mean = l->bus / (double)n;
    if (said < mean - 0.01 * mean - 0.01 || said > mean + 0.01 * mean + 0.01)
        rr_sink_note(l->sink, l->line, "Avg bus bandwidth says %g GB/s, the rows above have %g: some are missing", said, mean);
}

static bool starts_list(struct rr_slice s) /* "Rank  0 ...", the first of another run's device list */
{
    struct rr_slice two[2];
    return rr_bench_cells(s, two, 2) > 2 && rr_slice_is(two[0], "Rank") && rr_slice_is(two[1], "0");
}

/* Whether a line holds what a row does, whatever became of its beginning: five numbers, three of them side by side. */
static bool holds_row(struct rr_slice s)
{
    struct rr_slice c[CELLS];
    const size_t n = rr_bench_cells(s, c, CELLS);
    size_t numbers = 0, run = 0, longest = 0;
    for (size_t i = 0; i < n && i < CELLS; i++) {
        double v;
        const bool number = rr_text_double(c[i], &v) == RR_OK || rr_slice_is(c[i], "N/A");
        numbers += number, run = number ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return numbers >= 5 && longest >= 3;
}

/* Whether a line begins like a row: a number, perhaps with a unit, and inside a table or before a type. */
static bool begins_like_row(const struct log *l, struct rr_slice s)
{
    struct rr_slice two[3];
    int64_t bytes;
    double v;
    if (!l->table && !rr_bench_has(s, " float ") && !rr_bench_has(s, " half ") && !rr_bench_has(s, " bfloat16 ")) return false;
    const size_t n = rr_bench_cells(s, two, 3);
    return n >= 1 && (rr_text_double(two[0], &v) == RR_OK || (n > 2 && rr_bench_bytes(two[0], &bytes)) || (n > 2 && digits(two[1])));
}

/* "(B)    (elements)    (us)  (GB/s)  (GB/s)" */
static bool is_units(struct rr_slice s)
{
    return s.n > 3 && s.at[0] == '(' && (memcmp(s.at, "(B)", 3) == 0 || rr_bench_has(s, "(elements)") || rr_bench_has(s, "(GB/s)"));
}

/* Whether a whole row, "size count type ... number number number", ends a line of the library's own output. */
static bool ends_in_row(struct rr_slice s)
{
    struct rr_slice c[CELLS];
    const size_t n = rr_bench_cells(s, c, CELLS);
    for (size_t i = 0; i + 6 < n && i + 2 < CELLS; i++) {
        const char *from = c[i].at;
        char type[16] = "";
        if (!digits(c[i]) || !digits(c[i + 1]) || c[i + 2].n >= sizeof type) continue;
        memcpy(type, c[i + 2].at, c[i + 2].n);
        if (rr_bench_type_bytes(type) > 0 && holds_row(rr_slice(from, (size_t)(s.at + s.n - from)))) return true;
    }
    return false;
}

static enum rr_status take_line(struct log *l, struct rr_slice raw)
{
    struct rr_slice s = clean(l, raw);
    take_version(l, s);
    const bool candidate = s.n > 0 && isdigit((unsigned char)s.at[0]);
    if (candidate && begins_like_row(l, s)) {
        take_row(l, s);
        return RR_OK;
    }
    if (is_info(s)) {
        if (ends_in_row(s)) rr_sink_refuse(l->sink, l->line, "a row runs into another line");
        return RR_OK;
    }
    if (s.n > 0 && s.at[0] != '#' && holds_row(s)) { // damaged, or the first row of a tail, cut
        take_row(l, s);
        return RR_OK;
    }
    if (s.n > 0 && s.at[0] == '#' && holds_row(s)) rr_sink_refuse(l->sink, l->line, "a row runs into this comment");
    while (s.n > 0 && s.at[0] == '#') s = rr_trim(drop(s, 1));
    if (starts_list(s)) RR_TRY(close_log(l));
    if (take_rank(l, s)) return RR_OK;
    if (rr_bench_has(s, "Collective test starting:")) {
        struct rr_slice name = after(s, "Collective test starting:");
        RR_TRY(close_log(l));
        l->op = rr_bench_op_word(rr_strndup(l->t->arena, name.at, name.n));
    }
    if (s.n > 4 && memcmp(s.at, "size", 4) == 0 && rr_bench_has(s, "busbw")) {
        RR_TRY(close_log(l));
        new_table(l, s);
    }
    if (is_units(s)) return take_units(l, s);
    if (rr_bench_has(s, "Out of bounds values")) {
        l->closed = true;
        l->table = false;
        if (rr_bench_has(s, "FAILED")) rr_sink_note(l->sink, l->line, "the tool says FAILED: results were out of bounds");
    }
    if (rr_bench_has(s, "Avg bus bandwidth")) check_mean(l, s);
    if (rr_bench_has(s, "Collective test concluded") || rr_bench_has(s, "Avg bus bandwidth")) l->closed = true, l->table = false;
    return RR_OK;
}

enum rr_status rr_bench_read_nccl(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    enum rr_status st;
    struct log l = {.t = t, .sink = sink, .op = "", .found = "", .last_rank = -1, .last_device = -1, .us_per_unit = 1};
    struct rr_slice line;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        l.line++;
        RR_GO(take_line(&l, line));
    }
    RR_GO(close_log(&l));
    RR_GO(rr_bench_check_rates(sink));
    rr_sink_file(sink)->complete = l.closed;
    if (!l.closed && rr_sink_rows(sink) > 0) rr_sink_note(sink, 0, "ends without the tool's closing line: perhaps cut");
out:
    rr_vec_done(&l.ratio);
    return st;
}

/* A header, a banner, or rows: number number type ... number number number. */
static int sniff(const char *text, size_t n)
{
    if (rr_bench_text_has(text, n, "nccl-tests version", NULL)) return 90;
    if (rr_bench_text_has(text, n, "algbw", "busbw") && !rr_bench_text_has(text, n, "rccl-tests", NULL)) return 80;
    struct rr_slice line, c[CELLS];
    int rows = 0;
    for (size_t at = 0; rr_bench_line(text, n, &at, &line) && rows < 2;) {
        const size_t cells = rr_bench_cells(line, c, CELLS);
        for (size_t i = 0; i + 2 < cells && i < 4; i++)
            if (digits(c[i]) && digits(c[i + 1]) && rr_bench_type_bytes("float") > 0 && rr_slice_is(c[i + 2], "float") && cells >= 10) {
                rows++;
                break;
            }
    }
    return rows >= 2 ? 60 : 0;
}

const struct rr_bench_format rr_bench_nccl = {
    .name = "nccl-tests",
    .summary = "what nccl-tests prints, all generations, with prefixes of srun, mpirun and ranks",
    .source = "NVIDIA/nccl-tests src/util.cu and its history",
    .sniff = sniff,
    .read = rr_bench_read_nccl,
};
