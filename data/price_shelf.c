/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_shelf.c - price books in front of the shipped facts, as rows of the catalog. */
#include "data/price_book.h"
#include "data/scenario.h"
#include <fnmatch.h>
#include <string.h>

static const struct rr_instance *in_facts(const struct rr_catalog *c, const char *id)
{
    for (size_t i = 0; i < c->n_instances; i++)
        if (strcmp(c->instance[i].id, id) == 0) return &c->instance[i];
    return NULL;
}

static struct rr_fact fact_of(struct rr_arena *a, const struct rr_price_book *b, const struct rr_book_row *r)
{
    struct rr_buf day = {0};
    rr_buf_date(&day, r->valid_us);
    const struct rr_fact f = {
        .source = r->source, .date = rr_strdup(a, rr_buf_text(&day)), .path = b->path, .line = r->line, .note = r->note};
    rr_buf_done(&day);
    return f;
}

/* ---- discounts ---- */

bool rr_book_discount_fits(const struct rr_price_book *b, const char *pattern)
{
    for (size_t g = 0; g < b->n_groups; g++)
        if (strcmp(b->group[g].plan, "spot") != 0 && fnmatch(pattern, b->group[g].instance, 0) == 0) return true;
    return false;
}

const struct rr_book_discount *rr_book_discount(const struct rr_book_discount *d, size_t n, const struct rr_book_row *r)
{
    const struct rr_book_discount *best = NULL;
    for (size_t i = 0; i < n && strcmp(r->plan, "spot") != 0; i++)
        if (fnmatch(d[i].pattern, r->instance, 0) == 0 && (!best || strlen(d[i].pattern) > strlen(best->pattern))) best = &d[i];
    return best;
}

enum rr_status rr_book_less(const struct rr_book_discount *d, int64_t *nano, struct rr_money *upfront)
{
    const int64_t left = 1000000000 - d->share_nano;
    if (*nano > 0) RR_TRY(rr_round_div((rr_i128)*nano * left, 1000000000, nano));
    return rr_round_div((rr_i128)upfront->micro * left, 1000000000, &upfront->micro);
}

/* ---- one row ---- */

/* A price per instance where 8 GPUs were meant as one, or the other way round, is wrong by a factor of 8. */
static enum rr_status check_gpus(const struct rr_catalog *c, const struct rr_price_book *b, const struct rr_book_row *r)
{
    const struct rr_instance *x = in_facts(c, r->instance);
    if (!x || r->gpus_milli == 0 || r->gpus_milli == x->gpus * 1000) return RR_OK;
    return rr_fail(RR_EINPUT, "%s:%d: %g GPUs, but %s has %d (%s:%lld); a price per GPU has the unit GPU-hour", b->path, (int)r->line,
                   r->gpus_milli / 1000.0, r->instance, (int)x->gpus, x->fact.path, (long long)x->fact.line);
}

/* The exchange rate must not be older than the price that it converts. */
static enum rr_status check_fx(const struct rr_shelf *shelf, const struct rr_price_book *b, const struct rr_book_row *r)
{
    const struct rr_scenario *s = shelf->scenario;
    for (size_t i = 0; s && i < s->n_fx; i++) {
        int64_t at_us;
        if (strcmp(s->fx[i].from, r->currency) != 0 || strcmp(r->currency, s->currency) == 0 || !s->fx[i].date) continue;
        if (rr_date_parse(rr_slice(s->fx[i].date, strlen(s->fx[i].date)), &at_us) != RR_OK || at_us + RR_D > r->valid_us) continue;
        struct rr_buf day = {0};
        rr_buf_date(&day, r->valid_us);
        const enum rr_status st =
            rr_fail(RR_EINPUT, "/fx/%s is of %s, older than the price of %s (%s:%d): give a rate of that day or later", r->currency,
                    s->fx[i].date, rr_buf_text(&day), b->path, (int)r->line);
        rr_buf_done(&day);
        return st;
    }
    return RR_OK;
}

static enum rr_status rate_of(const struct rr_price_book *b, const struct rr_book_row *r, struct rr_rate *ret)
{
    const int64_t nano = r->nano > 0 ? r->nano : 0;
    switch (r->unit) {
    case RR_BOOK_INSTANCE_HOUR: *ret = (struct rr_rate){nano, RR_PER_NODE, RR_HOUR}; return RR_OK;
    case RR_BOOK_GPU_HOUR: *ret = (struct rr_rate){nano, RR_PER_GPU, RR_HOUR}; return RR_OK;
    case RR_BOOK_GPU_SECOND: *ret = (struct rr_rate){nano, RR_PER_GPU, RR_SECOND}; return RR_OK;
    case RR_BOOK_REQUEST: *ret = (struct rr_rate){nano, RR_PER_CALL, RR_EVER}; return RR_OK;
    case RR_BOOK_MTOKEN: *ret = (struct rr_rate){nano, RR_PER_MTOKEN, RR_EVER}; return RR_OK;
    case RR_BOOK_GB_MONTH: *ret = (struct rr_rate){nano, RR_PER_GB, RR_MONTH}; return RR_OK;
    case RR_BOOK_GB: *ret = (struct rr_rate){nano, RR_PER_GB, RR_EVER}; return RR_OK;
    case RR_BOOK_UNITS: break;
    }
    return rr_fail(RR_EINTERNAL, "%s:%d: a unit without a rate", b->path, (int)r->line);
}

static enum rr_status take_off(struct rr_arena *a, const struct rr_book_discount *d, struct rr_price_row *p)
{
    char text[RR_DOUBLE_MAX];
    RR_TRY(rr_book_less(d, &p->rate.rate.nano, &p->upfront.money));
    p->fact.source = rr_strf(a, "%s, less %s %% (%s)", p->fact.source, rr_double_text((double)d->share_nano / 1e7, text), d->pattern);
    return RR_OK;
}

enum rr_status rr_shelf_row(const struct rr_catalog *c, const struct rr_shelf_book *b, const struct rr_book_row *r,
                            const struct rr_price_row **ret)
{
    struct rr_arena *a = c->shelf->arena;
    struct rr_price_row *p = RR_NEW(a, struct rr_price_row);
    const struct rr_book_discount *d = rr_book_discount(b->discount, b->n_discounts, r);
    RR_TRY(check_gpus(c, &b->book, r));
    RR_TRY(check_fx(c->shelf, &b->book, r));
    *p = (struct rr_price_row){.instance = r->instance,
                               .region = *r->zone     ? rr_strf(a, "%s/%s", r->region, r->zone)
                                         : *r->region ? r->region
                                                      : "all",
                               .plan = r->plan,
                               .term = r->term,
                               .payment = r->payment,
                               .upfront.money = r->upfront,
                               .fact = fact_of(a, &b->book, r)};
    memcpy(p->rate.currency, r->currency, sizeof p->rate.currency);
    memcpy(p->upfront.currency, r->currency, sizeof p->upfront.currency);
    RR_TRY(rate_of(&b->book, r, &p->rate.rate));
    if (d) RR_TRY(take_off(a, d, p));
    *ret = p;
    return RR_OK;
}

/* ---- the first book that has it ---- */

static enum rr_status find_in(const struct rr_catalog *c, size_t book, const struct rr_book_query *q, const struct rr_price_row **ret)
{
    const struct rr_shelf_book *b = c->shelf->book[book];
    const struct rr_book_row *row;
    struct rr_price_row *late;
    struct rr_book_query any = *q;
    bool early;
    *ret = NULL;
    RR_TRY(rr_book_find(&b->book, q, &row, &early));
    any.payment = "";
    if (!row && *q->payment) RR_TRY(rr_book_find(&b->book, &any, &row, &early));
    if (!row) return RR_OK;
    RR_TRY(rr_shelf_row(c, b, row, ret));
    if (!early) return RR_OK;
    late = RR_NEW(c->shelf->arena, struct rr_price_row);
    *late = **ret;
    late->fact.date = rr_strf(c->shelf->arena, "%s (after the start)", late->fact.date);
    *ret = late;
    return RR_OK;
}

enum rr_status rr_shelf_price(const struct rr_catalog *c, const struct rr_book_query *q, const struct rr_price_row **ret)
{
    const struct rr_price_row *row = NULL;
    for (size_t i = 0; i < c->shelf->n && !row; i++) RR_TRY(find_in(c, i, q, &row));
    *ret = row;
    return RR_OK;
}

/* A machine as a book describes it: its rows must say how many GPUs, and agree. */
static enum rr_status instance_of(const struct rr_catalog *c, const struct rr_price_book *b, const char *id, const struct rr_instance **ret)
{
    const struct rr_book_row *found = NULL, *any = NULL;
    for (size_t g = 0; g < b->n_groups; g++) {
        if (strcmp(b->group[g].instance, id) != 0) continue;
        for (uint32_t s = 0; s < b->group[g].n; s++) {
            const struct rr_book_row *r = &b->row[b->order[b->series[b->group[g].first + s].first]];
            any = r;
            if (r->gpus_milli == 0) continue;
            if (found && found->gpus_milli != r->gpus_milli)
                return rr_fail(RR_EINPUT, "%s:%d: %g GPUs, but %s has %g on line %d", b->path, (int)r->line, r->gpus_milli / 1000.0, id,
                               found->gpus_milli / 1000.0, (int)found->line);
            found = r;
        }
    }
    *ret = NULL;
    if (!any) return RR_OK;
    if (!found) return rr_fail(RR_EINPUT, "%s:%d: no gpu_count says how many GPUs %s has", b->path, (int)any->line, id);
    if (found->gpus_milli % 1000)
        return rr_fail(RR_EINPUT, "%s:%d: %s has a part of a GPU (%g); a pool needs whole ones", b->path, (int)found->line, id,
                       found->gpus_milli / 1000.0);
    struct rr_instance *x = RR_NEW(c->shelf->arena, struct rr_instance);
    *x = (struct rr_instance){
        .id = found->instance, .gpu = found->gpu, .gpus = found->gpus_milli / 1000, .fact = fact_of(c->shelf->arena, b, found)};
    *ret = x;
    return RR_OK;
}

enum rr_status rr_shelf_instance(const struct rr_catalog *c, const char *id, const struct rr_instance **ret)
{
    const struct rr_instance *x = NULL;
    for (size_t i = 0; i < c->shelf->n && !x; i++) RR_TRY(instance_of(c, &c->shelf->book[i]->book, id, &x));
    *ret = x;
    return RR_OK;
}

/* ---- over time ---- */

static bool same_rate(const struct rr_price_row *a, const struct rr_price_row *b)
{
    return a->rate.rate.nano == b->rate.rate.nano && a->rate.rate.per == b->rate.rate.per && a->rate.rate.time == b->rate.rate.time &&
           a->upfront.money.micro == b->upfront.money.micro && memcmp(a->rate.currency, b->rate.currency, 4) == 0;
}

/* The book that answers at the start. */
static enum rr_status find_book(const struct rr_catalog *c, const struct rr_book_query *q, size_t *ret)
{
    const struct rr_price_row *row = NULL;
    for (*ret = 0; *ret < c->shelf->n; ++*ret) {
        RR_TRY(find_in(c, *ret, q, &row));
        if (row) return RR_OK;
    }
    return RR_OK;
}

static enum rr_status later_steps(const struct rr_catalog *c, size_t book, const struct rr_book_query *q, int64_t until_us,
                                  struct rr_arena *a, struct rr_price_step **step, size_t *n)
{
    const struct rr_shelf *shelf = c->shelf;
    int64_t *at, end;
    size_t n_at;
    if (__builtin_add_overflow(shelf->at_us, until_us, &end)) end = RR_NEVER;
    rr_book_changes(&shelf->book[book]->book, q, shelf->at_us, end, a, &at, &n_at);
    struct rr_price_step *all = RR_NEWS(a, struct rr_price_step, n_at + 1);
    all[0] = (*step)[0];
    *n = 1;
    for (size_t i = 0; i < n_at; i++) {
        struct rr_book_query then = *q;
        const struct rr_price_row *row;
        then.at_us = at[i];
        RR_TRY(find_in(c, book, &then, &row));
        if (row && !same_rate(row, all[*n - 1].row)) all[(*n)++] = (struct rr_price_step){at[i] - shelf->at_us, row};
    }
    *step = all;
    return RR_OK;
}

enum rr_status rr_catalog_price_steps(const struct rr_catalog *c, const struct rr_book_query *q, int64_t until_us, struct rr_arena *a,
                                      struct rr_price_step **ret, size_t *ret_n)
{
    struct rr_price_step *step = RR_NEW(a, struct rr_price_step);
    struct rr_book_query own = *q;
    size_t n = 1, book = 0;
    RR_TRY(rr_catalog_price(c, q->instance, q->region, q->plan, q->term, q->payment, &step->row));
    if (c->shelf && c->shelf->at_us != RR_NEVER) {
        own.at_us = c->shelf->at_us;
        RR_TRY(find_book(c, &own, &book));
        if (book < c->shelf->n) RR_TRY(later_steps(c, book, &own, until_us, a, &step, &n));
    }
    *ret = step;
    *ret_n = n;
    return RR_OK;
}

void rr_catalog_with_books(const struct rr_catalog *c, const struct rr_scenario *s, struct rr_arena *a, struct rr_catalog *ret)
{
    *ret = c ? *c : (struct rr_catalog){0};
    if (s->n_books == 0) return;
    struct rr_shelf *shelf = RR_NEW(a, struct rr_shelf);
    *shelf = (struct rr_shelf){
        .book = s->book, .n = s->n_books, .at_us = s->clock.anchored ? s->clock.start_us : RR_NEVER, .scenario = s, .arena = a};
    ret->shelf = shelf;
}
