/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_lint.c - what looks wrong in a price book, and the shipped facts as a book. */
#include "data/price_book.h"
#include "data/price_import.h"
#include <string.h>

const char *const rr_lint_names[] = {"two-prices", "two-currencies", "unit", "reserved-dear", "spot-dear", "band",
                                     "regions",    "sentinel",       NULL};

static int64_t term_hours(const char *term)
{
    struct rr_duration d;
    if (!*term || rr_unit_duration(rr_slice(term, strlen(term)), &d) != RR_OK) return 0;
    return d.months ? d.months * 8766 / 12 : d.us / RR_H; // a year of 8766 hours: only to compare, never to charge
}

/* What a node's hour costs over the term, upfront included; 0: no price per time. */
static int64_t effective_nano(const struct rr_book_row *r)
{
    const int64_t hours = term_hours(r->term), rate = r->nano > 0 ? r->nano : 0;
    int64_t spread = 0;
    if (r->unit != RR_BOOK_INSTANCE_HOUR) return 0;
    if (r->upfront.micro > 0 && (hours == 0 || rr_round_div((rr_i128)r->upfront.micro * 1000, hours, &spread) != RR_OK)) return 0;
    return rate + spread;
}

bool rr_book_gpu_hour(const struct rr_book_row *r, int64_t *ret_nano)
{
    if (r->upfront.micro > 0 || r->nano <= 0) {
        const int64_t nano = effective_nano(r);
        if (nano <= 0 || r->gpus_milli < 1000 || r->gpus_milli % 1000) return false;
        return rr_round_div(nano, r->gpus_milli / 1000, ret_nano) == RR_OK;
    }
    if (r->unit == RR_BOOK_GPU_HOUR) {
        *ret_nano = r->nano;
        return true;
    }
    if (r->unit == RR_BOOK_GPU_SECOND) return !__builtin_mul_overflow(r->nano, 3600, ret_nano);
    if (r->unit != RR_BOOK_INSTANCE_HOUR || r->gpus_milli < 1000 || r->gpus_milli % 1000) return false;
    return rr_round_div(r->nano, r->gpus_milli / 1000, ret_nano) == RR_OK;
}

struct lint {
    const struct rr_price_book *book;
    struct rr_arena *arena;
    RR_VEC(struct rr_lint) list;
};

static void add(struct lint *l, enum rr_lint_kind kind, const struct rr_book_row *row, const struct rr_book_row *other, const char *text)
{
    const struct rr_lint x = {kind, row, other, text};
    rr_vec_push(&l->list, x);
}

static const char *price_text(struct lint *l, int64_t nano, const char *currency)
{
    struct rr_buf b = {0};
    rr_buf_money(&b, (struct rr_money){(nano + 500) / 1000}, currency, 4);
    const char *s = rr_strdup(l->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return s;
}

/* ---- within one key ---- */

static void within_series(struct lint *l)
{
    const struct rr_price_book *b = l->book;
    for (size_t s = 0; s < b->n_series; s++)
        for (uint32_t i = 1; i < b->series[s].n; i++) {
            const struct rr_book_row *was = &b->row[b->order[b->series[s].first + i - 1]], *is = &b->row[b->order[b->series[s].first + i]];
            if (memcmp(was->currency, is->currency, 4) != 0)
                add(l, RR_LINT_TWO_CURRENCIES, is, was,
                    rr_strf(l->arena, "in %s, the same price on line %d is in %s", is->currency, (int)was->line, was->currency));
            else if (was->unit != is->unit)
                add(l, RR_LINT_UNIT, is, was,
                    rr_strf(l->arena, "per %s, the same price on line %d is per %s", rr_book_units[is->unit], (int)was->line,
                            rr_book_units[was->unit]));
            else if (was->valid_us == is->valid_us && (was->nano != is->nano || was->upfront.micro != is->upfront.micro))
                add(l, RR_LINT_TWO_PRICES, is, was,
                    rr_strf(l->arena, "%s, but %s on line %d for the same key and day", price_text(l, is->nano, is->currency),
                            price_text(l, was->nano, was->currency), (int)was->line));
        }
}

/* ---- against on demand ---- */

static const struct rr_book_row *on_demand_of(const struct rr_price_book *b, const struct rr_book_row *r, struct rr_arena *a)
{
    const struct rr_book_row *od;
    const char *region = *r->zone ? rr_strf(a, "%s/%s", r->region, r->zone) : r->region;
    const struct rr_book_query q = {.product = r->product,
                                    .instance = r->instance,
                                    .region = region,
                                    .plan = "on_demand",
                                    .term = "",
                                    .payment = "",
                                    .at_us = r->valid_us};
    if (rr_book_find(b, &q, &od, NULL) != RR_OK || !od) return NULL;
    return memcmp(od->currency, r->currency, 4) == 0 && od->unit == r->unit ? od : NULL;
}

static void against_on_demand(struct lint *l, const struct rr_book_row *r)
{
    const bool spot = strcmp(r->plan, "spot") == 0;
    if ((!spot && strcmp(r->plan, "reserved") != 0 && strcmp(r->plan, "prepaid") != 0) || !*r->instance || !rr_book_offers(r)) return;
    const int64_t nano = spot ? r->nano : effective_nano(r);
    const struct rr_book_row *od = on_demand_of(l->book, r, l->arena);
    if (!od || od->nano <= 0 || nano <= 0) return;
    if ((rr_i128)nano * 100000 <= (rr_i128)od->nano * 100001) return; // above by rounding alone
    add(l, spot ? RR_LINT_SPOT_DEAR : RR_LINT_RESERVED_DEAR, r, od,
        rr_strf(l->arena, "%s %s an hour, above %s on demand (line %d)", spot ? "spot" : "reserved at", price_text(l, nano, r->currency),
                price_text(l, od->nano, od->currency), (int)od->line));
}

/* ---- bands ---- */

struct sample {
    const char *gpu, *currency;
    int64_t nano;
};

static int by_sample(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    const int gpu = strcmp(x->gpu, y->gpu), c = gpu ? gpu : strcmp(x->currency, y->currency);
    if (c) return c;
    return x->nano < y->nano ? -1 : x->nano > y->nano;
}

struct samples {
    RR_VEC(struct sample) list;
};

/* On-demand prices of whole machines with whole GPUs; a book that repeats a price region by region counts it as often. */
static void collect(const struct rr_price_book *b, struct samples *s)
{
    for (size_t i = 0; b && i < b->n; i++) {
        const struct rr_book_row *r = &b->row[i];
        struct sample x = {r->gpu, r->currency, 0};
        if (!*r->gpu || strcmp(r->plan, "on_demand") != 0 || strcmp(r->product, "compute") != 0 || !rr_book_gpu_hour(r, &x.nano)) continue;
        rr_vec_push(&s->list, x);
    }
}

/* [*first, *end) of the samples of a GPU in a currency. */
static void span_of(const struct samples *s, const char *gpu, const char *currency, size_t *first, size_t *end)
{
    size_t low = 0, high = s->list.n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const int c = strcmp(s->list.at[mid].gpu, gpu), d = c ? c : strcmp(s->list.at[mid].currency, currency);
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *first = *end = low;
    while (*end < s->list.n && strcmp(s->list.at[*end].gpu, gpu) == 0 && strcmp(s->list.at[*end].currency, currency) == 0) ++*end;
}

/* What is usual for a GPU: from the lowest to the highest of the shipped prices, and twice as far; where they have fewer than two, a third to
 * three times the median of the book's own. */
struct band {
    int64_t low, high; /* as they are */
    int64_t least, most;
};

static bool band_of(const struct samples *facts, const struct samples *own, const struct rr_book_row *r, struct band *ret)
{
    size_t first, end;
    span_of(facts, r->gpu, r->currency, &first, &end);
    if (end - first >= 2) {
        const int64_t low = facts->list.at[first].nano, high = facts->list.at[end - 1].nano;
        *ret = (struct band){low, high, low / 2, high > INT64_MAX / 2 ? INT64_MAX : high * 2};
        return true;
    }
    span_of(own, r->gpu, r->currency, &first, &end);
    if (end - first < 3) return false;
    const int64_t median = own->list.at[first + (end - first - 1) / 2].nano;
    *ret = (struct band){median, median, median / 3, median * 3};
    return true;
}

static const char *band_text(struct lint *l, const struct band *b, const struct rr_book_row *r)
{
    if (b->low == b->high) return rr_strf(l->arena, "%s is usual for %s", price_text(l, b->low, r->currency), r->gpu);
    return rr_strf(l->arena, "%s to %s are known for %s", price_text(l, b->low, r->currency), price_text(l, b->high, r->currency), r->gpu);
}

/* The same machine in the facts, where one price holds in all their regions; gpus times as much or as little is a unit mixed up. */
static bool mixed_up(struct lint *l, const struct rr_price_book *facts, const struct rr_book_row *r, int64_t nano)
{
    const struct rr_book_row *f;
    const int64_t gpus = r->gpus_milli / 1000;
    int64_t known;
    const struct rr_book_query q = {
        .instance = r->instance, .region = "", .plan = "on_demand", .term = "", .payment = "", .at_us = RR_NEVER};
    if (!facts || gpus < 2 || !*r->instance || rr_book_find(facts, &q, &f, NULL) != RR_OK || !f) return false;
    if (memcmp(f->currency, r->currency, 4) != 0 || !rr_book_gpu_hour(f, &known)) return false;
    const double off = r->unit == RR_BOOK_INSTANCE_HOUR ? (double)known / (double)nano : (double)nano / (double)known;
    if (off * 1.4 < (double)gpus || off > 1.4 * (double)gpus) return false;
    add(l, RR_LINT_UNIT, r, NULL,
        rr_strf(l->arena, "%s per GPU-hour where the facts have %s (%s:%d): is it %s?", price_text(l, nano, r->currency),
                price_text(l, known, f->currency), facts->path, (int)f->line,
                r->unit == RR_BOOK_INSTANCE_HOUR ? "the price of one GPU (unit GPU-hour)"
                                                 : "the price of the whole machine (unit instance-hour)"));
    return true;
}

static void against_band(struct lint *l, const struct rr_price_book *book, const struct samples *facts, const struct samples *own,
                         const struct rr_book_row *r)
{
    int64_t nano;
    struct band b;
    if (!*r->gpu || strcmp(r->plan, "on_demand") != 0 || strcmp(r->product, "compute") != 0 || !rr_book_gpu_hour(r, &nano)) return;
    if (mixed_up(l, book, r, nano) || !band_of(facts, own, r, &b) || (nano >= b.least && nano <= b.most)) return;
    const int64_t gpus = r->gpus_milli / 1000, other = nano < b.least ? nano * gpus : gpus ? nano / gpus : 0;
    const enum rr_book_unit wrong = nano < b.least ? RR_BOOK_INSTANCE_HOUR : RR_BOOK_GPU_HOUR;
    if (gpus > 1 && r->unit == wrong && other >= b.least && other <= b.most)
        add(l, RR_LINT_UNIT, r, NULL,
            rr_strf(l->arena, "%s per GPU-hour where %s: is it %s?", price_text(l, nano, r->currency), band_text(l, &b, r),
                    nano < b.least ? "the price of one GPU (unit GPU-hour)" : "the price of the whole machine (unit instance-hour)"));
    else
        add(l, RR_LINT_BAND, r, NULL, rr_strf(l->arena, "%s per GPU-hour where %s", price_text(l, nano, r->currency), band_text(l, &b, r)));
}

/* ---- regions of one machine ---- */

static void across_regions(struct lint *l)
{
    const struct rr_price_book *b = l->book;
    for (size_t g = 0; g < b->n_groups; g++) {
        const struct rr_book_row *low = NULL, *high = NULL;
        if (strcmp(b->group[g].plan, "on_demand") != 0 || strcmp(b->group[g].product, "host") == 0) continue;
        for (uint32_t s = 0; s < b->group[g].n; s++) {
            const struct rr_book_series *x = &b->series[b->group[g].first + s];
            const struct rr_book_row *r = &b->row[b->order[x->first + x->n - 1]];
            if (r->nano <= 0 || (low && (low->unit != r->unit || memcmp(low->currency, r->currency, 4) != 0 || low->gpu != r->gpu ||
                                         low->gpus_milli != r->gpus_milli)))
                continue;
            if (!low || r->nano < low->nano) low = r;
            if (!high || r->nano > high->nano) high = r;
        }
        if (!low || (rr_i128)high->nano <= (rr_i128)low->nano * 2) continue;
        add(l, RR_LINT_REGIONS, high, low,
            rr_strf(l->arena, "%s in %s, %s in %s (line %d): more than twice as much; two products in one column?",
                    price_text(l, high->nano, high->currency), *high->region ? high->region : "any region",
                    price_text(l, low->nano, low->currency), *low->region ? low->region : "any region", (int)low->line));
    }
}

/* ---- sentinels ---- */

struct round {
    int64_t nano;
    const struct rr_book_row *row;
};

static int by_round(const void *a, const void *b)
{
    const struct round *x = a, *y = b;
    if (x->nano != y->nano) return x->nano < y->nano ? -1 : 1;
    const int c = strcmp(x->row->instance, y->row->instance);
    return c ? c : x->row->line < y->row->line ? -1 : x->row->line > y->row->line;
}

/* A whole multiple of 100, or 9s alone, as the price of three machines or more: "no price found". */
static bool is_sentinel(int64_t nano)
{
    if (nano <= 0 || nano % 1000000000) return false;
    int64_t v = nano / 1000000000;
    if (v % 100 == 0) return true;
    for (int digits = 0; v > 0; digits++, v /= 10)
        if (v % 10 != 9) return false;
    return nano >= 99 * INT64_C(1000000000);
}

static void sentinels(struct lint *l)
{
    const struct rr_price_book *b = l->book;
    RR_VEC(struct round) all = {0};
    for (size_t i = 0; i < b->n; i++) {
        const struct round x = {b->row[i].nano, &b->row[i]};
        if (is_sentinel(x.nano) && *x.row->instance) rr_vec_push(&all, x);
    }
    if (all.n) qsort(all.at, all.n, sizeof *all.at, by_round);
    for (size_t i = 0, end; i < all.n; i = end) {
        size_t machines = 1;
        for (end = i + 1; end < all.n && all.at[end].nano == all.at[i].nano; end++)
            machines += strcmp(all.at[end].row->instance, all.at[end - 1].row->instance) != 0;
        for (size_t k = i; machines >= 3 && k < end; k++)
            add(l, RR_LINT_SENTINEL, all.at[k].row, NULL,
                rr_strf(l->arena, "%s is the price of %zu machines: does it stand for \"no price found\"?",
                        price_text(l, all.at[k].nano, all.at[k].row->currency), machines));
    }
    rr_vec_done(&all);
}

static int by_line(const void *a, const void *b)
{
    const struct rr_lint *x = a, *y = b;
    if (x->row->line != y->row->line) return x->row->line < y->row->line ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void rr_book_lint(const struct rr_price_book *b, const struct rr_price_book *facts, struct rr_arena *a, struct rr_lint **ret, size_t *ret_n)
{
    struct lint l = {.book = b, .arena = a};
    struct samples known = {0}, own = {0};
    within_series(&l);
    collect(b, &own);
    collect(facts, &known);
    if (own.list.n) qsort(own.list.at, own.list.n, sizeof *own.list.at, by_sample);
    if (known.list.n) qsort(known.list.at, known.list.n, sizeof *known.list.at, by_sample);
    for (size_t i = 0; i < b->n; i++) {
        against_on_demand(&l, &b->row[i]);
        if (facts != b) against_band(&l, facts, &known, &own, &b->row[i]);
    }
    across_regions(&l);
    sentinels(&l);
    if (l.list.n) qsort(l.list.at, l.list.n, sizeof *l.list.at, by_line);
    *ret = RR_NEWS(a, struct rr_lint, l.list.n + 1);
    if (l.list.n) memcpy(*ret, l.list.at, l.list.n * sizeof **ret);
    *ret_n = l.list.n;
    rr_vec_done(&known.list);
    rr_vec_done(&own.list);
    rr_vec_done(&l.list);
}

/* ---- the facts ---- */

void rr_book_of_facts(const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret)
{
    struct rr_price_import in = {.path = "data/facts/prices.csv", .format = "facts", .arena = a, .names = {.arena = a}};
    for (size_t i = 0; i < c->n_prices; i++) {
        const struct rr_price_row *p = &c->price[i];
        const size_t provider = strcspn(p->instance, "/");
        struct rr_book_row r = {.provider = rr_price_text(&in, rr_slice(p->instance, provider)),
                                .product = rr_price_word(&in, "compute"),
                                .instance = rr_price_word(&in, p->instance),
                                .gpu = rr_price_word(&in, ""),
                                .region = rr_price_word(&in, strcmp(p->region, "all") == 0 ? "" : p->region),
                                .zone = rr_price_word(&in, ""),
                                .plan = rr_price_word(&in, p->plan),
                                .term = rr_price_word(&in, p->term),
                                .payment = rr_price_word(&in, p->payment),
                                .source = rr_price_word(&in, p->fact.source),
                                .note = rr_price_word(&in, p->fact.note),
                                .nano = p->rate.rate.nano > 0 ? p->rate.rate.nano : RR_BOOK_NO_PRICE,
                                .upfront = p->upfront.money,
                                .line = (int32_t)p->fact.line};
        memcpy(r.currency, p->rate.currency, sizeof r.currency);
        if (rr_price_when(rr_slice(p->fact.date, strlen(p->fact.date)), &r.valid_us) != RR_OK) r.valid_us = 0;
        for (size_t k = 0; k < c->n_instances; k++)
            if (strcmp(c->instance[k].id, p->instance) == 0) {
                r.gpu = rr_price_word(&in, c->instance[k].gpu);
                r.gpus_milli = c->instance[k].gpus * 1000;
            }
        rr_vec_push(&in.row, r);
    }
    rr_price_index(&in, ret);
    rr_vec_done(&in.row);
    rr_names_done(&in.names);
}
