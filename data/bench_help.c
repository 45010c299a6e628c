/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/bench_help.c - lines, cells, and ranks from printed rates. */
#include "data/bench_help.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool rr_bench_line(const char *text, size_t n, size_t *at, struct rr_slice *ret)
{
    if (*at >= n) return false;
    const char *from = text + *at, *end = memchr(from, '\n', n - *at);
    size_t len = end ? (size_t)(end - from) : n - *at;
    *at += len + (end ? 1 : 0);
    if (len > 0 && from[len - 1] == '\r') len--;
    *ret = rr_slice(from, len);
    return true;
}

bool rr_bench_has(struct rr_slice s, const char *word) { return s.n > 0 && memmem(s.at, s.n, word, strlen(word)) != NULL; }

size_t rr_bench_cells(struct rr_slice s, struct rr_slice *cell, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        while (i < s.n && (s.at[i] == ' ' || s.at[i] == '\t')) i++;
        const size_t from = i;
        while (i < s.n && s.at[i] != ' ' && s.at[i] != '\t') i++;
        if (i > from && n++ < most) cell[n - 1] = rr_slice(s.at + from, i - from);
    }
    return n;
}

bool rr_bench_text_has(const char *text, size_t n, const char *a, const char *b)
{
    struct rr_slice line;
    for (size_t at = 0; rr_bench_line(text, n, &at, &line);)
        if (rr_bench_has(line, a) && (!b || rr_bench_has(line, b))) return true;
    return false;
}

const char *rr_bench_op_word(const char *name)
{
    static const struct {
        const char *word, *op;
    } words[] = {
        {"all_reduce", "all_reduce"},
        {"allreduce", "all_reduce"},
        {"all_gather", "all_gather"},
        {"allgather", "all_gather"},
        {"reduce_scatter", "reduce_scatter"},
        {"reducescatter", "reduce_scatter"},
        {"alltoallv", "alltoallv"},
        {"alltoall", "alltoall"},
        {"all_to_all", "alltoall"},
        {"all2all", "alltoall"},
        {"broadcast", "broadcast"},
        {"sendrecv", "sendrecv"},
        {"hypercube", "hypercube"},
        {"scatter", "scatter"},
        {"gather", "gather"},
        {"reduce", "reduce"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i].word)) return words[i].op;
    return "";
}

const char *rr_bench_op_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return rr_bench_op_word(slash ? slash + 1 : path);
}

double rr_bench_type_bytes(const char *type)
{
    static const struct {
        const char *name;
        double bytes;
    } types[] = {{"float", 4},    {"half", 2},     {"bfloat16", 2}, {"bf16", 2},   {"fp16", 2},  {"double", 8},
                 {"int8", 1},     {"uint8", 1},    {"int32", 4},    {"uint32", 4}, {"int64", 8}, {"uint64", 8},
                 {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"f8e4m3", 1},   {"f8e5m2", 1}, {"char", 1},  {"int", 4},
                 {"fp32", 4},     {"fp64", 8},     {"tf32", 4},     {"fp8", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0) return types[i].bytes;
    return 0;
}

bool rr_bench_bytes(struct rr_slice s, int64_t *ret)
{
    static const char letters[] = "KMGT";
    double v, unit = 1;
    size_t n = s.n;
    if (n == 0) return false;
    while (n > 0 && (isalpha((unsigned char)s.at[n - 1]) || s.at[n - 1] == ' ')) n--;
    const struct rr_slice word = rr_trim(rr_slice(s.at + n, s.n - n));
    if (word.n == 0) return rr_text_i64(s, ret) == RR_OK && *ret >= 0;
    const char *letter = strchr(letters, word.at[0] == 'k' ? 'K' : word.at[0]);
    const bool bare = rr_slice_is(word, "B"), decimal = word.n == 2 && word.at[1] == 'B';
    if (!bare && (!letter || !*letter || !(word.n == 1 || decimal || (word.n == 3 && memcmp(word.at + 1, "iB", 2) == 0)))) return false;
    for (const char *c = letters; !bare && c <= letter; c++) unit *= decimal ? 1000 : 1024;
    if (rr_text_double(rr_slice(s.at, n), &v) != RR_OK || !(v >= 0 && v * unit < 9e18) || v * unit != floor(v * unit)) return false;
    *ret = (int64_t)(v * unit);
    return true;
}

/* ---- ranks ---- */

static double ranks_of(const char *op, double factor)
{
    if (strcmp(op, "all_reduce") == 0) return factor < 2 ? 2 / (2 - factor) : INFINITY;
    return factor < 1 ? 1 / (1 - factor) : INFINITY;
}

void rr_rank_range_add(struct rr_rank_range *r, const char *op, double bytes, double us, double us_half, double bus, double bus_half)
{
    if (!(us > us_half) || bus < 100 * bus_half || bytes <= 0 || rr_bus_factor(op, 3) == 1) return;
    const double low = ranks_of(op, (bus - bus_half) * (us - us_half) * 1e3 / bytes);
    const double high = ranks_of(op, (bus + bus_half) * (us + us_half) * 1e3 / bytes);
    if (!r->any || low > r->least) r->least = low;
    if (!r->any || high < r->most) r->most = high;
    r->any = true;
}

int32_t rr_rank_range_ranks(const struct rr_rank_range *r, bool *guessed)
{
    *guessed = false;
    if (!r->any || !(r->least <= r->most) || r->most > 1e6) return 0;
    const double first = ceil(r->least - 1e-9), last = floor(r->most + 1e-9);
    if (first == last && first >= 2) return (int32_t)first;
    const double eight = ceil(first / 8) * 8;
    if (first > last || eight > last || eight + 8 <= last || eight < 8) return 0;
    *guessed = true;
    return (int32_t)eight;
}

double rr_bench_half_unit(struct rr_slice s)
{
    double unit = 0.5;
    const char *dot = s.n ? memchr(s.at, '.', s.n) : NULL;
    const char *e = s.n ? memchr(s.at, 'e', s.n) : NULL;
    if (e) { // 1.2e+06
        double v = 0;
        if (rr_text_double(s, &v) != RR_OK) return unit;
        return fabs(v) * 0.05;
    }
    for (const char *c = dot ? dot + 1 : s.at + s.n; c < s.at + s.n; c++) unit /= 10;
    return unit;
}

/* A printed rate against the one that size and time make. */
struct rate {
    double said, is; /* GB/s; is 0 = not known */
    bool off;
};

static bool off(double said, double is) { return fabs(said - is) > 0.01 * is + 0.0051; }

static struct rate alg_of(const struct rr_sample *r)
{
    if (r->kind != RR_SAMPLE_COLLECTIVE || r->us <= 0 || r->bytes <= 0) return (struct rate){0};
    const double is = (double)r->bytes / r->us / 1e3;
    return (struct rate){r->gb_s, is, off(r->gb_s, is)};
}

enum { ANY_RANKS = 10000000 };

/* Without the number of ranks a busbw may be anything up to what infinitely many make: twice algbw of an all_reduce, algbw of an all_gather. */
static struct rate bus_of(const struct rr_sample *r)
{
    const double alg = alg_of(r).is, known = rr_bus_factor(r->op, r->ranks);
    const double is = alg * (known > 0 ? known : rr_bus_factor(r->op, ANY_RANKS));
    if (!(is > 0) || !(r->bus_gb_s > 0)) return (struct rate){0};
    return (struct rate){r->bus_gb_s, is, off(r->bus_gb_s, is) && (known > 0 || r->bus_gb_s > is)};
}

struct rates { /* of one file */
    size_t judged, off;
    const struct rr_sample *largest; /* of those that are off: the one with the most digits */
    struct rate at;
};

/* A rate that was made of size and time says nothing, nor one that is 0.00 both ways. */
static struct rates count_rates(struct rr_sample_sink *s, struct rate (*of)(const struct rr_sample *))
{
    struct rates t = {0};
    for (size_t i = 0; i < rr_sink_rows(s); i++) {
        const struct rate r = of(rr_sink_row(s, i));
        if (!(r.is > 0) || fmax(r.said, r.is) < 0.0102 || r.said == r.is) continue;
        t.judged++, t.off += r.off;
        if (!r.off || (t.largest && fmax(t.at.said, t.at.is) >= fmax(r.said, r.is))) continue;
        t.largest = rr_sink_row(s, i), t.at = r;
    }
    return t;
}

static bool most(const struct rates *t) { return t->judged > 2 && t->off * 2 > t->judged; }

static enum rr_status refuse_alg(struct rr_sample_sink *s, const struct rates *t)
{
    return rr_fail(RR_EINPUT,
                   "%s:%lld: algbw %g GB/s is printed, but %lld bytes in %g us are %.4g GB/s, off by a factor of %.4g; so in %zu of %zu "
                   "times: the unit of the size or of the time is not what the file says",
                   rr_sink_file(s)->path, (long long)t->largest->line, t->at.said, (long long)t->largest->bytes, t->largest->us, t->at.is,
                   fmax(t->at.said, t->at.is) / fmin(t->at.said, t->at.is), t->off, t->judged);
}

static enum rr_status refuse_bus(struct rr_sample_sink *s, const struct rates *t)
{
    const struct rr_sample *r = t->largest;
    char over[64] = "over any number of ranks makes at most";
    if (rr_bus_factor(r->op, r->ranks) > 0) snprintf(over, sizeof over, "over %d ranks makes", (int)r->ranks);
    return rr_fail(
        RR_EINPUT,
        "%s:%lld: busbw %g GB/s is printed, but %s %s %.4g GB/s of %lld bytes in %g us; so in %zu of %zu times: another operation "
        "or another number of ranks",
        rr_sink_file(s)->path, (long long)r->line, t->at.said, r->op, over, t->at.is, (long long)r->bytes, r->us, t->off, t->judged);
}

enum rr_status rr_bench_check_rates(struct rr_sample_sink *s)
{
    const struct rates alg = count_rates(s, alg_of), bus = count_rates(s, bus_of);
    if (most(&alg)) return refuse_alg(s, &alg);
    if (most(&bus)) return refuse_bus(s, &bus);
    for (size_t i = 0; i < rr_sink_rows(s); i++) {
        const struct rr_sample *r = rr_sink_row(s, i);
        const struct rate a = alg_of(r), b = bus_of(r);
        if (a.off)
            rr_sink_note(s, r->line, "algbw %g GB/s is printed, but %lld bytes in %g us are %.2f GB/s", a.said, (long long)r->bytes, r->us,
                         a.is);
        if (b.off)
            rr_sink_note(s, r->line, "busbw %g GB/s is printed, but %s over %d ranks makes %.2f GB/s of this size and time", b.said, r->op,
                         (int)r->ranks, b.is);
    }
    return RR_OK;
}

/* rr_json_where says PATH:LINE:COLUMN. */
int64_t rr_bench_json_line(const struct rr_json *j, const cJSON *node, struct rr_arena *a)
{
    const char *where = rr_json_where(j, node, a);
    const char *end = strrchr(where, ':');
    const char *colon = end ? memrchr(where, ':', (size_t)(end - where)) : NULL;
    int64_t line = 0;
    if (!colon || rr_text_i64(rr_slice(colon + 1, (size_t)(end - colon - 1)), &line) != RR_OK) return 0;
    return line;
}

bool rr_bench_title(struct rr_slice s, struct rr_bench_title *ret)
{
    const bool ns = rr_bench_has(s, "(ns)"), rate = rr_bench_has(s, "(GB/s)");
    const bool cpu = rr_bench_has(s, "CPU(row)"), gpu = rr_bench_has(s, "GPU(row)");
    const bool both = rr_bench_has(s, " <-> GPU(column)"), left = rr_bench_has(s, " <- GPU(column)"),
               right = rr_bench_has(s, " -> GPU(column)");
    *ret = (struct rr_bench_title){.latency = ns, .row_is_cpu = cpu, .to_row = left};
    return ns != rate && cpu != gpu && both + left + right == 1;
}
