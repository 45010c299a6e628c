/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/spot.c - pay the market's price for machines that may be taken back.
 *
 * The course of prices is that of models/spot.h, the same one that the replay saw. A lease is billed for its length rounded up to whole
 * increments, at least the minimum: at the price of each moment, or at the price of its start. The exact sum of nano-units times
 * microseconds over all leases is rounded once a month and pool. A started unit belongs to the month it starts in; what lies behind the
 * horizon is cost.after_horizon. No commitment covers spot machines. */
#include "models/price/spot.h"
#include "data/price_book.h"
#include "data/base/fmath.h"
#include "models/price/path.h"
#include <assert.h>
#include <string.h>

enum { BILL_SECOND, BILL_START };
static const char *const bill_words[] = {"second", "start", NULL};

struct spot {
    uint64_t given;
    struct rr_spot_feed price, availability;
    struct rr_price max_price;
    int64_t notice_us, increment_us, minimum_us;
    int bill;
    bool first_hour_free;
    struct rr_sold sold;
    struct rr_spot_terms terms; /* resolved */
};
enum { P_PRICE, P_AVAILABILITY, P_MAX_PRICE };

static const struct rr_param rows[] = {
    [P_PRICE] = {.name = "price",
                 .type = RR_P_SPOT_PRICES,
                 .offset = offsetof(struct spot, price),
                 .unit = "per node or GPU, and hour",
                 .help = "a rate, a series over time or a model; absent: the facts' latest spot row of the pool's instance and region",
                 .source = "data/facts/prices.csv",
                 .flags = RR_PF_DECIDES},
    [P_AVAILABILITY] = {.name = "availability",
                        .type = RR_P_SPOT_NODES,
                        .offset = offsetof(struct spot, availability),
                        .unit = "nodes",
                        .help = "nodes that can be held over time, or a hazard; absent: the facts' interruption bucket",
                        .source = "data/facts/spot.csv",
                        .flags = RR_PF_DECIDES},
    [P_MAX_PRICE] = {.name = "max_price",
                     .type = RR_P_RATE,
                     .offset = offsetof(struct spot, max_price),
                     .unit = "per node or GPU, and hour",
                     .most = 1e10,
                     .help =
                         "machines are given back when the price is above this, after the notice, whose time is paid at the price of the "
                         "market; not asked for until it no longer is",
                     .flags = RR_PF_DECIDES},
    {.name = "notice",
     .type = RR_P_TIME,
     .offset = offsetof(struct spot, notice_us),
     .unit = "time",
     .def = "\"2 min\"",
     .least = 0,
     .most = (double)RR_D,
     .help = "from the warning to the loss of a machine",
     .source = "AWS: 120 s; Google and Azure: 30 s",
     .flags = RR_PF_DECIDES},
    {.name = "bill",
     .type = RR_P_WORD,
     .offset = offsetof(struct spot, bill),
     .unit = "",
     .def = "\"second\"",
     .help = "the price of each moment, or that of the lease's start for all of it",
     .words = bill_words},
    {.name = "increment",
     .type = RR_P_TIME,
     .offset = offsetof(struct spot, increment_us),
     .unit = "time",
     .def = "\"1 s\"",
     .least = 1,
     .most = 31.0 * (double)RR_D,
     .help = "billing increment: a started one is paid in full",
     .source = "per-second billing of the large clouds"},
    {.name = "minimum",
     .type = RR_P_TIME,
     .offset = offsetof(struct spot, minimum_us),
     .unit = "time",
     .def = "\"60 s\"",
     .least = 0,
     .most = 31.0 * (double)RR_D,
     .help = "least time billed for a lease",
     .source = "60 s minimum of the large clouds"},
    {.name = "interrupted_first_hour_free",
     .type = RR_P_BOOL,
     .offset = offsetof(struct spot, first_hour_free),
     .unit = "",
     .def = "false",
     .help = "a machine taken back within its first hour costs nothing",
     .source = "AWS, where AWS interrupts"},
    RR_SOLD_ROWS(struct spot, sold),
};

const struct rr_spot_terms *rr_spot_terms_of(const struct rr_pool *pool)
{
    return pool->plan == &rr_price_spot.kind ? &((const struct spot *)pool->plan_params)->terms : NULL;
}

/* ---- at load ---- */

struct load {
    const struct rr_scenario *s;
    const struct rr_pool *pool;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
    int64_t gpus;
};

static enum rr_status node_rate(const struct load *l, struct rr_price price, int64_t *ret_nano)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(l->s, price, &rate));
    return rr_rate_node_hour(rate, l->gpus, ret_nano);
}

/* From one date of a book to the next, and from the last one to the horizon. */
static void gaps_of_steps(const struct load *l, struct rr_spot_series *s)
{
    static const struct rr_spot_file as_usual = {0};
    for (size_t i = 0; i < s->n; i++) {
        if (i + 1 == s->n && !l->s->has_horizon) break;
        const int64_t gap = (i + 1 < s->n ? s->at_us[i + 1] : l->s->horizon_us) - s->at_us[i];
        s->gaps += gap > RR_WEEK;
        if (gap > s->longest_gap_us) s->longest_gap_us = gap;
    }
    rr_spot_note(l->notes, l->pointer, s, &as_usual);
}

/* The course of the price that a book knows. */
static enum rr_status price_from_steps(const struct load *l, const struct rr_price_step *step, size_t n, struct rr_spot_terms *t)
{
    int64_t *at = RR_NEWS(l->arena, int64_t, n), *value = RR_NEWS(l->arena, int64_t, n);
    const struct rr_fact *f = &step[0].row->fact;
    for (size_t i = 0; i < n; i++) {
        at[i] = step[i].from_us;
        RR_TRY(node_rate(l, step[i].row->rate, &value[i]));
    }
    t->price = RR_PRICE_SERIES;
    t->prices = (struct rr_spot_series){.of = RR_SPOT_PRICES,
                                        .n = n,
                                        .at_us = at,
                                        .value = value,
                                        .rows = n,
                                        .absolute = true,
                                        .epoch_us = l->s->clock.start_us,
                                        .end_us = at[n - 1],
                                        .path = f->path,
                                        .format = "price book",
                                        .currency = l->s->currency,
                                        .zone = step[0].row->region,
                                        .instance = step[0].row->instance};
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, rr_fact_text(l->arena, f), "spot price of %s in %s changes %zu times, as %s has it",
            step[0].row->instance, step[0].row->region, n - 1, f->path);
    gaps_of_steps(l, &t->prices);
    return RR_OK;
}

static enum rr_status price_from_facts(const struct load *l, struct rr_spot_terms *t)
{
    const struct rr_price_row *row;
    const struct rr_pool *pool = l->pool;
    struct rr_price_step *step;
    size_t n = 0;
    if (pool->instance_id == NULL)
        return rr_fail(RR_EINPUT, "spot needs \"price\", or a pool that names an \"instance\" whose spot price is in the facts");
    const struct rr_book_query q = {
        .instance = pool->instance_id, .region = pool->region ? pool->region : "", .plan = "spot", .term = "", .payment = ""};
    const enum rr_status st = rr_catalog_price_steps(l->catalog, &q, l->s->has_horizon ? l->s->horizon_us : RR_NEVER, l->arena, &step, &n);
    if (st != RR_OK) return rr_fail_in(st, "no \"price\" is given");
    if (n > 1) return price_from_steps(l, step, n, t);
    row = step[0].row;
    struct rr_buf b = {0};
    rr_buf_rate(&b, row->rate.rate, row->rate.currency);
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, rr_fact_text(l->arena, &row->fact),
            "spot price of %s in %s is %s all the time, as seen on one day", row->instance, row->region, rr_buf_text(&b));
    rr_buf_done(&b);
    return node_rate(l, row->rate, &t->nano);
}

/* The series in the scenario's currency. */
static enum rr_status convert(const struct load *l, struct rr_spot_series *s)
{
    if (strcmp(s->currency, l->s->currency) == 0) return RR_OK;
    int64_t *value = RR_NEWS(l->arena, int64_t, s->n);
    struct rr_price p = {.rate = {.per = RR_PER_NODE, .time = RR_HOUR}};
    if (strlen(s->currency) != 3) return rr_fail(RR_EINPUT, "\"currency\": \"%.20s\" is no code of three letters", s->currency);
    memcpy(p.currency, s->currency, 3);
    for (size_t i = 0; i < s->n; i++) {
        p.rate.nano = s->value[i];
        RR_TRY(node_rate(l, p, &value[i]));
    }
    s->value = value;
    s->currency = l->s->currency;
    return RR_OK;
}

static void warn_span(const struct load *l, const struct rr_spot_series *s, const struct rr_spot_file *file, int64_t from_us)
{
    struct rr_buf b = {0};
    const char *what = s->of == RR_SPOT_PRICES ? "prices" : "node counts";
    if (from_us < 0) {
        rr_buf_time_short(&b, -from_us);
        rr_note(l->notes, RR_NOTE_WARNING, l->pointer, s->path, "the %s begin %s after the start: until then the first one holds", what,
                rr_buf_text(&b));
        b.n = 0;
    }
    const int64_t known_us = s->end_us - from_us; // of the scenario's time
    if (!file->repeat && l->s->has_horizon && known_us < l->s->horizon_us) {
        rr_buf_time_short(&b, l->s->horizon_us - known_us);
        rr_note(l->notes, RR_NOTE_WARNING, l->pointer, s->path,
                "the %s end %s before the horizon: the last one is carried on (\"repeat\": true begins again)", what, rr_buf_text(&b));
    }
    rr_buf_done(&b);
}

/* Time 0 of the scenario in the series. */
static enum rr_status place(const struct load *l, const struct rr_spot_series *s, const struct rr_spot_file *file, int64_t *ret_us)
{
    int64_t from = file->from_us;
    if (file->align != 0) {
        if (!s->absolute) return rr_fail(RR_EINPUT, "%s: \"align\": \"absolute\" needs a series with dates", s->path);
        if (!l->s->clock.anchored) return rr_fail(RR_EINPUT, "\"align\": \"absolute\" needs a scenario with a \"start\"");
        from += l->s->clock.start_us - s->epoch_us;
    }
    if (!file->repeat && from > s->end_us) return rr_fail(RR_EINPUT, "%s: the series ends before the scenario starts in it", s->path);
    if (file->repeat && from < 0) return rr_fail(RR_EINPUT, "%s: the series begins after the start and cannot be repeated", s->path);
    rr_spot_note(l->notes, l->pointer, s, file);
    warn_span(l, s, file, from);
    *ret_us = from;
    return RR_OK;
}

static const char *evidence_of(const struct load *l, const struct rr_spot_series *s, const char *given)
{
    struct rr_buf b = {0};
    if (given && *given) return given;
    if (s->n == 0) return "the evidence is not stated";
    rr_buf_putf(&b, "fitted to %zu prices of %s%s%s", s->rows, *s->instance ? s->instance : "the file", *s->zone ? " in " : "", s->zone);
    if (s->absolute) {
        rr_buf_puts(&b, " from ");
        rr_buf_date(&b, s->epoch_us / RR_D * RR_D);
        rr_buf_puts(&b, " to ");
        rr_buf_date(&b, (s->epoch_us + s->end_us) / RR_D * RR_D);
    }
    const char *text = rr_strdup(l->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void note_ou(const struct load *l, const struct rr_spot_ou *o, const struct rr_spot_series *s, const char *evidence)
{
    struct rr_buf b = {0};
    rr_buf_rate(&b, (struct rr_rate){(int64_t)(rr_exp(o->log_mean) / 1e5 + 0.5) * 100000, RR_PER_NODE, RR_HOUR}, l->s->currency);
    rr_buf_putf(&b, ", standard deviation of the logarithm %.3g, half-life ", o->log_sd);
    const double steps = o->keep > 0 ? rr_log(0.5) / rr_log(o->keep) : 0;
    rr_buf_time_short(&b, (int64_t)(steps * (double)o->step_us));
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, s->n ? s->path : "", "spot prices are a model: median %s; %s", rr_buf_text(&b),
            evidence);
    rr_buf_done(&b);
}

/* A trend looks like a slow return to a mean. */
static void warn_slow(const struct load *l, const struct rr_spot_ou *o, const struct rr_spot_series *s)
{
    const double half_life_us = rr_log(0.5) / rr_log(o->keep) * (double)o->step_us;
    if (half_life_us * 4 <= (double)s->end_us) return;
    rr_note(l->notes, RR_NOTE_WARNING, l->pointer, s->path,
            "the series is only %.2g half-lives of the fitted model long: its mean and half-life are little more than a guess",
            (double)s->end_us / half_life_us);
}

static enum rr_status price_model(const struct load *l, const struct rr_spot_feed *f, const struct rr_spot_series *s, struct rr_spot_ou *o)
{
    const struct rr_spot_ou_rows *r = &f->ou;
    int64_t nano;
    *o = (struct rr_spot_ou){.step_us = r->step_us, .least_nano = 1, .most_nano = INT64_MAX / 2};
    if (s->n > 0) {
        RR_TRY(rr_spot_ou_fit(s, r->step_us, o));
        if (!rr_given(r, RR_OU_HALF_LIFE)) warn_slow(l, o, s);
    }
    if (rr_given(r, RR_OU_MEAN)) {
        RR_TRY(node_rate(l, r->mean, &nano));
        if (nano <= 0) return rr_fail(RR_EINPUT, "\"mean\" must be above 0");
        o->log_mean = rr_log((double)nano);
    }
    if (rr_given(r, RR_OU_SD)) o->log_sd = r->sd;
    if (rr_given(r, RR_OU_HALF_LIFE)) o->keep = rr_exp(rr_log(0.5) * (double)r->step_us / (double)r->half_life_us);
    if (rr_given(r, RR_OU_LEAST)) RR_TRY(node_rate(l, r->least, &o->least_nano));
    if (rr_given(r, RR_OU_MOST)) RR_TRY(node_rate(l, r->most, &o->most_nano));
    if (o->least_nano < 1 || o->least_nano > o->most_nano) return rr_fail(RR_EINPUT, "\"least\" must be above 0 and at most \"most\"");
    note_ou(l, o, s, evidence_of(l, s, r->evidence));
    return RR_OK;
}

static enum rr_status resolve_price(const struct load *l, const struct rr_spot_feed *f, struct rr_spot_terms *t)
{
    t->price = f->kind == RR_FEED_SERIES ? RR_PRICE_SERIES : f->kind == RR_FEED_MODEL ? RR_PRICE_OU : RR_PRICE_CONSTANT;
    if (f->kind == RR_FEED_NONE) return price_from_facts(l, t);
    if (f->kind == RR_FEED_RATE) {
        RR_TRY(node_rate(l, f->rate, &t->nano));
        if (t->nano == 0) rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "the price is 0: these machines cost nothing");
        return RR_OK;
    }
    t->prices = f->series;
    if (t->prices.n > 0) RR_TRY(convert(l, &t->prices));
    if (f->kind == RR_FEED_MODEL) return price_model(l, f, &t->prices, &t->ou);
    t->prices_repeat = f->file.repeat;
    return place(l, &t->prices, &f->file, &t->prices_from_us);
}

static enum rr_status hazard(const struct load *l, double monthly, double batch, const struct rr_dist *back, struct rr_spot_terms *t)
{
    if (l->pool->nodes_max > 1000000)
        return rr_fail(RR_EINPUT, "a hazard needs to know how many nodes the pool may hold: give \"nodes\" a \"max\" of at most 1,000,000");
    t->availability = RR_NODES_HITS;
    t->hazard_per_us = rr_spot_hazard(monthly);
    t->batch = batch;
    t->back_us = *back;
    return RR_OK;
}

static void note_hazard(const struct load *l, const struct rr_spot_terms *t, double monthly, const char *source, const char *evidence)
{
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, source,
            "spot reclaims are a model: %.3g %% of the nodes a month, taken as a hazard of -ln(1 - share) / 730.5 h each, %.3g at once "
            "(geometric; Bamboo, AWS p3 of 2021); %s",
            100 * monthly, t->batch, evidence);
}

static enum rr_status availability_from_facts(const struct load *l, struct rr_spot_terms *t)
{
    static const struct rr_dist back = {.kind = RR_DIST_EXPONENTIAL, .a = 10.0 * (double)RR_MIN};
    const struct rr_pool *pool = l->pool;
    const struct rr_spot_row *row =
        pool->instance_id ? rr_catalog_spot(l->catalog, pool->instance_id, pool->region ? pool->region : "") : NULL;
    if (row == NULL) {
        rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "",
                "no \"availability\" is given and the facts have none: no machine is taken back");
        return RR_OK;
    }
    RR_TRY(hazard(l, row->share, 2.1, &back, t));
    note_hazard(l, t, row->share, rr_fact_text(l->arena, &row->fact),
                rr_strf(l->arena, "%s in %s, bucket %s of the AWS Spot Advisor", row->instance, row->region, row->bucket));
    return RR_OK;
}

static enum rr_status resolve_availability(const struct load *l, const struct rr_spot_feed *f, struct rr_spot_terms *t)
{
    if (f->kind == RR_FEED_NONE) return availability_from_facts(l, t);
    if (f->kind == RR_FEED_SERIES) {
        t->availability = RR_NODES_SERIES;
        t->nodes = f->series;
        t->nodes_repeat = f->file.repeat;
        return place(l, &t->nodes, &f->file, &t->nodes_from_us);
    }
    const struct rr_spot_hazard_rows *h = &f->hazard;
    RR_TRY(hazard(l, h->monthly, h->batch, &h->back_us, t));
    note_hazard(l, t, h->monthly, "", h->evidence && *h->evidence ? h->evidence : "the evidence is not stated");
    return RR_OK;
}

static bool files_unread(const struct rr_spot_feed *f) { return f->file.path != NULL && f->series.n == 0; }

static enum rr_status spot_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                   const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct spot *p = params;
    const struct load l = {s, pool, pointer, catalog, arena, notes, rr_pool_gpus(pool)};
    struct rr_spot_terms t = {
        .max_nano = RR_NEVER, .notice_us = p->notice_us, .pool_nodes = pool->nodes_max, .stream = rr_spot_stream(pool->name)};
    RR_TRY(rr_sold_check(&p->sold, pool->region));
    if (files_unread(&p->price) || files_unread(&p->availability)) return rr_fail(RR_EINPUT, "the files of the spot market were not read");
    if (pool->nodes_file != NULL) return rr_fail(RR_EINPUT, "spot machines are alike: give \"nodes\" a number, or \"min\" and \"max\"");
    RR_TRY(resolve_price(&l, &p->price, &t));
    RR_TRY(resolve_availability(&l, &p->availability, &t));
    if (rr_given(p, P_MAX_PRICE)) {
        RR_TRY(node_rate(&l, p->max_price, &t.max_nano));
        if (t.price == RR_PRICE_CONSTANT && t.nano > t.max_nano)
            return rr_fail(RR_EINPUT, "\"max_price\" is below the price, which never changes: the pool could never hold a machine");
    }
    p->terms = t;
    return RR_OK;
}

/* ---- bill ---- */

struct course { /* of the price, until the last billed moment */
    RR_VEC(struct rr_spot_point) price;
    RR_VEC(rr_i128) before; /* nano x microseconds until price.at[i].at_us */
};

static void course_init(struct course *c, const struct rr_spot_terms *t, const struct rr_billing *b, int64_t until_us)
{
    struct rr_spot_prices walk;
    struct rr_spot_point p;
    *c = (struct course){0};
    rr_spot_prices_init(&walk, t, (uint64_t)b->scenario->seed, b->replication);
    while (rr_spot_prices_next(&walk, &p.at_us, &p.value)) {
        if (c->price.n > 0 && p.at_us >= until_us) break;
        rr_i128 sum = 0;
        if (c->price.n > 0) {
            const struct rr_spot_point *last = &c->price.at[c->price.n - 1];
            if (last->value == p.value) continue;
            sum = c->before.at[c->price.n - 1] + (rr_i128)last->value * (p.at_us - last->at_us);
        }
        rr_vec_push(&c->price, p);
        rr_vec_push(&c->before, sum);
    }
}

static void course_done(struct course *c)
{
    rr_vec_done(&c->price);
    rr_vec_done(&c->before);
}

static size_t course_find(const struct course *c, int64_t t_us)
{
    size_t low = 0, high = c->price.n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (c->price.at[mid].at_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static rr_i128 course_upto(const struct course *c, int64_t t_us)
{
    const size_t i = course_find(c, t_us);
    return c->before.at[i] + (rr_i128)c->price.at[i].value * (t_us - c->price.at[i].at_us);
}

struct month_sum {
    rr_i128 inside, behind;                /* nano x microseconds */
    rr_i128 inside_us, behind_us, free_us; /* node-microseconds */
};

struct bill {
    const struct spot *plan;
    const struct rr_billing *b;
    struct course course;
    const struct rr_month_part *month;
    struct month_sum *sum;
    size_t n_months;
};

/* The price x time of [from, to) of a lease that starts at start_us. */
static rr_i128 worth(const struct bill *x, int64_t start_us, int64_t from_us, int64_t to_us)
{
    if (x->plan->bill == BILL_START) return (rr_i128)x->course.price.at[course_find(&x->course, start_us)].value * (to_us - from_us);
    return course_upto(&x->course, to_us) - course_upto(&x->course, from_us);
}

static void add_piece(struct bill *x, struct month_sum *m, int64_t start_us, int64_t from_us, int64_t to_us)
{
    const int64_t h = x->b->horizon_us, edge = to_us < h ? to_us : from_us > h ? from_us : h;
    m->inside += worth(x, start_us, from_us, edge);
    m->inside_us += edge - from_us;
    m->behind += worth(x, start_us, edge, to_us);
    m->behind_us += to_us - edge;
}

static int64_t round_up(int64_t t, int64_t unit) { return (t + unit - 1) / unit * unit; }

static int64_t billed_until(const struct spot *p, int64_t start_us, int64_t end_us)
{
    const int64_t took = end_us - start_us > p->minimum_us ? end_us - start_us : p->minimum_us;
    return start_us + round_up(took, p->increment_us);
}

static bool is_free(const struct spot *p, const struct rr_lease *l)
{
    return p->first_hour_free && (l->why == RR_WHY_RECLAIMED || l->why == RR_WHY_PRICE) && l->end_us - l->start_us < RR_H;
}

static void bill_lease(struct bill *x, const struct rr_lease *l)
{
    const int64_t until = billed_until(x->plan, l->start_us, l->end_us), unit = x->plan->increment_us;
    size_t m = 0, high = x->n_months; // the month of its start
    while (high - m > 1) {
        const size_t mid = (m + high) / 2;
        if (x->month[mid].from_us <= l->start_us)
            m = mid;
        else
            high = mid;
    }
    if (is_free(x->plan, l)) {
        x->sum[m].free_us += l->end_us - l->start_us;
        return;
    }
    for (int64_t at = l->start_us; at < until; m++) {
        int64_t to = until;
        if (m + 1 < x->n_months) { // units that start in this month
            const int64_t cut = l->start_us + round_up(x->month[m].to_us - l->start_us, unit);
            if (cut < until) to = cut;
        }
        if (to > at) add_piece(x, &x->sum[m], l->start_us, at, to);
        at = to;
    }
}

static enum rr_status emit_month(const struct bill *x, size_t pool, size_t i, struct rr_sink *sink)
{
    const struct month_sum *m = &x->sum[i];
    struct rr_charge c = {.type = rr_price_spot.kind.name,
                          .line = "compute",
                          .pool = (int)pool,
                          .from_us = x->month[i].from_us,
                          .to_us = x->month[i].to_us,
                          .due_us = x->month[i].to_us,
                          .quantity = (double)(m->inside_us + m->behind_us) / (double)RR_H,
                          .unit = "node-hour",
                          .pricing = RR_PRICING_DYNAMIC};
    if (x->course.price.n == 1) c.rate = (struct rr_rate){x->course.price.at[0].value, RR_PER_NODE, RR_HOUR};
    RR_TRY(rr_charge_wide(1, m->inside + m->behind, RR_H, &c.billed));
    RR_TRY(rr_charge_wide(1, m->inside, RR_H, &c.effective));
    c.after_horizon.micro = c.billed.micro - c.effective.micro;
    if (m->inside_us + m->behind_us > 0) RR_TRY(sink->emit(sink, &c));
    if (m->free_us == 0) return RR_OK;
    // a charge of 0 on the same line: what was held and is free is told, and no line of its own makes the scopes of alternatives differ
    c.billed = c.effective = c.after_horizon = (struct rr_money){0};
    c.rate = (struct rr_rate){0};
    c.quantity = (double)m->free_us / (double)RR_H;
    return sink->emit(sink, &c);
}

static enum rr_status spot_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    struct bill x = {.plan = params, .b = b};
    struct rr_month_part *month;
    int64_t until = 0;
    const struct rr_lease *lease = b->lease;
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &month, &x.n_months));
    x.month = month;
    x.sum = RR_NEWS(b->arena, struct month_sum, x.n_months);
    for (size_t i = b->pool_lease[pool]; i < b->pool_lease[pool + 1]; i++) {
        const int64_t end = billed_until(x.plan, lease[i].start_us, lease[i].end_us);
        if (end > until) until = end;
    }
    course_init(&x.course, &x.plan->terms, b, until);
    for (size_t i = b->pool_lease[pool]; i < b->pool_lease[pool + 1]; i++)
        if (lease[i].start_us < lease[i].end_us) bill_lease(&x, &lease[i]);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < x.n_months && st == RR_OK; i++) st = emit_month(&x, pool, i, sink);
    course_done(&x.course);
    return st;
}

static void spot_inputs(const void *params, void (*each)(void *ctx, const char *path, const char *sha256), void *ctx)
{
    const struct spot *sp = params;
    if (sp->price.file.path) each(ctx, sp->price.file.path, sp->price.series.sha256);
    if (sp->availability.file.path) each(ctx, sp->availability.file.path, sp->availability.series.sha256);
}

/* The price of a series then; of a model, its median. */
static enum rr_status spot_quote(const void *params, int64_t t_us, int64_t *ret_nano)
{
    const struct rr_spot_terms *t = &((const struct spot *)params)->terms;
    *ret_nano = t->nano;
    if (t->price == RR_PRICE_OU) {
        const double v = rr_exp(t->ou.log_mean);
        *ret_nano = v >= (double)t->ou.most_nano ? t->ou.most_nano : v <= (double)t->ou.least_nano ? t->ou.least_nano : (int64_t)(v + 0.5);
    }
    if (t->price == RR_PRICE_SERIES) {
        int64_t at = t->prices_from_us + t_us;
        if (t->prices_repeat && t->prices.end_us > 0 && at >= 0) at %= t->prices.end_us;
        *ret_nano = rr_spot_at(&t->prices, at);
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_spot = {
    .kind = {.name = "spot",
             .summary = "the market's price for machines that may be taken back",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct spot),
             .use = RR_USE_POOL | RR_USE_RECLAIMS},
    .resolve = spot_resolve,
    .bill = spot_bill,
    .inputs = spot_inputs,
    .quote = spot_quote,
};
