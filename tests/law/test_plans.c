/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_plans.c - the laws of a bill over random leases and all plans that rent: price paths, tiers, sustained use, prepaid, serverless,
 * reservations, savings plans, capacity blocks, charges around machines, contracts and credits.
 *
 * 10,000 seeds; 50,000 with RACKRATE_LONG. A failure names its seed. */
#include "data/base/rng.h"
#include "tests/unit/price_case.h"
#include <stdio.h>

static struct rr_rng rng;
static uint64_t seed_now;

static int64_t draw(int64_t low, int64_t high) { return low + (int64_t)rr_rng_below(&rng, (uint64_t)(high - low + 1)); }

#define hold(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) fail_msg("seed %llu: %s does not hold", (unsigned long long)seed_now, #condition); \
    } while (0)

/* ---- random worlds: the same draws give the same world, so that one thing can be changed in it ---- */

struct world {
    int64_t rate_up;   /* micro-units added to every rate of a pool */
    int64_t longer_us; /* added to the end of each lease */
    int64_t pieces;    /* each lease cut in so many, 1 = whole */
    int64_t more;      /* leases more in each pool, as the last one */
    bool exact;        /* no increments or minimums, no periods: only plans that pay by the microsecond */
    bool bare;         /* nothing but pools */
};

#define P5 "aws/p5.48xlarge"

static const char *rate(struct price_case *x, int64_t micro)
{
    return rr_strf(x->arena, "$%lld.%06lld", (long long)(micro / 1000000), (long long)(micro % 1000000));
}

/* Shares rise: a unit more is never cheaper than nothing. */
static const char *tiers(struct price_case *x, const char *const limit[2])
{
    const int64_t a = draw(0, 30), b = a + draw(0, 30), c = b + draw(0, 40);
    return rr_strf(x->arena, "[{\"up_to\": %s, \"share\": \"%lld %%\"}, {\"up_to\": %s, \"share\": \"%lld %%\"}, {\"share\": \"%lld %%\"}]",
                   limit[0], (long long)a, limit[1], (long long)b, (long long)c);
}

static const char *on_demand(struct price_case *x, const struct world *w, int64_t micro)
{
    static const char *const increment[] = {"1 us", "1 s", "1 min", "1 h"};
    const char *inc = increment[draw(0, 3)], *minimum = draw(0, 1) ? "60 s" : "0 s";
    const char *extra = "";
    if (w->exact) inc = "1 us", minimum = "0 s";
    switch (draw(0, 4)) {
    case 1:
        extra = rr_strf(x->arena, ", \"steps\": {\"2026-04-01T03:00:00Z\": \"%s/h\", \"2027-02-01\": \"%s/h\"}",
                        rate(x, draw(0, 50000000) + w->rate_up), rate(x, draw(0, 50000000) + w->rate_up));
        break;
    case 2: extra = rr_strf(x->arena, ", \"change_per_year\": \"%lld %%\"", (long long)draw(-60, 60)); break;
    case 3: extra = rr_strf(x->arena, ", \"tiers\": %s", tiers(x, (const char *const[]){"100.5", "1000"})); break;
    case 4: extra = rr_strf(x->arena, ", \"sustained\": %s", tiers(x, (const char *const[]){"\"25 %\"", "\"62.5 %\""})); break;
    default: break;
    }
    return rr_strf(x->arena, "{\"rate\": \"%s/h\", \"increment\": \"%s\", \"minimum\": \"%s\"%s}", rate(x, micro), inc, minimum, extra);
}

static void draw_pool(struct price_case *x, const struct world *w)
{
    const int64_t kind = draw(0, 5), micro = draw(1, 200000000) + w->rate_up;
    const char *od = on_demand(x, w, micro);
    if (w->exact || kind < 4)
        case_pool(x, P5, "on_demand", od);
    else if (kind == 4)
        case_pool(x, P5, "prepaid",
                  rr_strf(x->arena, "{\"rate\": \"%s/h\", \"period\": \"%lld months\"}", rate(x, micro), (long long)draw(1, 12)));
    else
        case_pool(x, P5, "serverless", rr_strf(x->arena, "{\"rate\": \"%s/gpu/h\", \"of\": \"held\"}", rate(x, micro)));
}

static void draw_leases(struct price_case *x, const struct world *w)
{
    int64_t start = 0, end = 0;
    const int64_t n = draw(1, 10), horizon = x->s.horizon_us;
    for (int64_t i = 0; i < n && start < horizon; i++) {
        end = start + draw(0, draw(0, 2) == 0 ? 3 * RR_H : 40 * RR_D) + w->longer_us;
        if (end > horizon) end = horizon;
        const int64_t piece = (end - start) / w->pieces;
        for (int64_t k = 0; k < w->pieces; k++) case_lease(x, start + piece * k, k + 1 == w->pieces ? end : start + piece * (k + 1));
        const int64_t next = start + draw(0, horizon / 8);
        if (i + 1 == n || next >= horizon)
            for (int64_t k = 0; k < w->more; k++) case_lease(x, start, end);
        start = next;
    }
}

static void draw_commitment(struct price_case *x, const char *name)
{
    static const char *const payment[] = {"no_upfront", "partial_upfront", "all_upfront"};
    const char *pay = payment[draw(0, 2)], *renew = draw(0, 1) ? "true" : "false";
    const long long months = draw(1, 14), count = draw(1, 5), from = draw(0, 9000), micro = draw(1, 90000000), off = draw(0, 90);
    const int64_t kind = draw(0, 2);
    if (kind == 0)
        case_commitment(x, "reserved", name,
                        rr_strf(x->arena,
                                "{\"instance\": \"" P5
                                "\", \"region\": \"us-east-1\", \"count\": %lld, \"term\": \"%lld months\", \"payment\": \"%s\","
                                " \"rate\": \"%s/h\", \"from\": \"%lld min\", \"renew\": %s}",
                                count, months, pay, rate(x, micro), from, renew));
    else if (kind == 1)
        case_commitment(
            x, "savings_plan", name,
            rr_strf(
                x->arena,
                "{\"commit\": \"%s/h\", \"term\": \"%lld months\", \"payment\": \"%s\", \"discount\": \"%lld %%\", \"from\": \"%lld min\","
                " \"renew\": %s}",
                rate(x, micro), months, pay, off, from, renew));
    else
        case_commitment(x, "capacity_block", name,
                        rr_strf(x->arena,
                                "{\"instance\": \"" P5
                                "\", \"region\": \"us-east-1\", \"count\": %lld, \"term\": \"%lld days\", \"from\": \"%lld min\","
                                " \"rate\": \"%s/h\"}",
                                count, months, from, rate(x, micro)));
}

static void draw_around(struct price_case *x)
{
    case_around(x, "storage", "data",
                rr_strf(x->arena,
                        "{\"size\": \"%lld GB\", \"grows\": \"%lld GB\", \"growth_per_year\": \"%lld %%\", \"rate\": \"$0.023/GB/month\"}",
                        (long long)draw(0, 99999), (long long)draw(0, 999), (long long)draw(-50, 90)));
    case_around(
        x, "transfer", "out",
        rr_strf(x->arena,
                "{\"per_month\": \"%lld MB\", \"tiers\": [{\"up_to\": \"10 TB\", \"rate\": \"$0.09/GB\"}, {\"rate\": \"$0.07/GB\"}]}",
                (long long)draw(0, 40000000)));
    case_around(x, "support", "help",
                "{\"minimum\": \"$29\", \"tiers\": [{\"up_to\": \"$10,000\", \"share\": \"10 %\"}, {\"share\": \"7 %\"}]}");
    case_commitment(
        x, "contract", "deal",
        rr_strf(
            x->arena,
            "{\"term\": \"1 year\", \"period\": \"3 months\", \"minimum\": \"$%lld\", \"volume\": [{\"up_to\": \"$10,000\", \"share\": 0},"
            " {\"share\": \"5 %%\"}]}",
            (long long)draw(0, 99999)));
    case_commitment(x, "credit", "gift", rr_strf(x->arena, "{\"amount\": \"$%lld\"}", (long long)draw(1, 9999)));
}

static struct price_case *world_new(uint64_t seed, struct world w)
{
    static const char *const start[] = {"2026-01-01", "2028-02-28T23:59:59.999999Z", "2025-12-31T07:13:11Z", "2026-10-31T00:30:00Z"};
    seed_now = seed;
    rr_rng_init(&rng, seed, 3, RR_RNG_TEST, 4711);
    const int64_t horizon = draw(1, 400) * RR_D - draw(0, 1) * draw(0, RR_D - 1);
    struct price_case *x = case_bare(start[draw(0, 3)], horizon);
    const int64_t pools = draw(1, 3);
    for (int64_t p = 0; p < pools; p++) {
        draw_pool(x, &w);
        draw_leases(x, &w);
    }
    if (!w.bare) {
        const int64_t commitments = draw(0, 2);
        for (int64_t i = 0; i < commitments; i++) draw_commitment(x, i ? "b" : "a");
        if (draw(0, 1)) draw_around(x);
    }
    case_bill(x);
    return x;
}

static uint64_t seeds(void) { return getenv("RACKRATE_LONG") != NULL ? 50000 : 10000; }

/* ---- laws ---- */

/* Sums by one key after the other: a key is the charge's own text or number. */
struct group {
    const char *text;
    int64_t number;
    rr_i128 billed, effective;
};
enum { BY_POOL, BY_TYPE, BY_LINE, BY_COMMITMENT, BY_MONTH, KEYS };

static struct group key_of(const struct price_case *x, const struct rr_charge *c, int key)
{
    struct group g = {.text = ""};
    if (key == BY_POOL) g.number = c->pool;
    if (key == BY_TYPE) g.text = c->type;
    if (key == BY_LINE) g.text = c->line;
    if (key == BY_COMMITMENT) g.text = c->commitment ? c->commitment : "";
    if (key == BY_MONTH) hold(rr_month_start(&x->s.clock, c->from_us, &g.number) == RR_OK);
    return g;
}

static void charge_holds(const struct price_case *x, const struct rr_charge *c)
{
    int64_t next;
    const bool settles = strcmp(c->type, "contract") == 0;
    hold(rr_month_next(&x->s.clock, c->from_us, &next) == RR_OK);
    hold(c->from_us >= 0 && c->to_us <= next && c->to_us <= x->s.horizon_us);
    hold(c->due_us >= 0 && c->due_us <= x->s.horizon_us);
    hold(c->after_horizon.micro >= 0 && (settles || (c->effective.micro >= 0 && c->billed.micro >= 0)));
}

static void every_grouping_comes_to_the_total(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *x = world_new(seed, (struct world){.pieces = 1});
        rr_i128 billed = 0, effective = 0, after = 0, owed = 0;
        for (size_t i = 0; i < x->charge.n; i++) {
            const struct rr_charge *c = &x->charge.at[i];
            charge_holds(x, c);
            billed += c->billed.micro, effective += c->effective.micro, after += c->after_horizon.micro;
            /* what is paid month by month, and least spends, are not billed before their time */
            const bool monthly = (strcmp(c->line, "reservation") == 0 || strcmp(c->line, "commitment") == 0) && c->due_us == c->to_us;
            if (monthly || strcmp(c->line, "shortfall") == 0) owed += c->after_horizon.micro;
        }
        hold(billed + owed == effective + after);
        for (int key = 0; key < KEYS; key++) {
            struct group group[64];
            size_t n = 0;
            for (size_t i = 0; i < x->charge.n; i++) {
                const struct group g = key_of(x, &x->charge.at[i], key);
                size_t k = 0;
                while (k < n && (group[k].number != g.number || strcmp(group[k].text, g.text) != 0)) k++;
                hold(k < 64);
                if (k == n) group[n++] = g;
                group[k].billed += x->charge.at[i].billed.micro;
                group[k].effective += x->charge.at[i].effective.micro;
            }
            rr_i128 b = 0, e = 0;
            for (size_t k = 0; k < n; k++) b += group[k].billed, e += group[k].effective;
            hold(b == billed && e == effective);
        }
        case_free(x);
    }
}

/* Records of what commitments paid for: used and unused of a month come to what was promised in it, and the used time is what pools had covered. */
static void covered_and_on_demand_are_the_usage(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *x = world_new(seed, (struct world){.pieces = 1});
        double told = 0;
        rr_i128 covered = 0, behind = 0;
        for (size_t p = 0; p < x->s.n_pools; p++) {
            const struct rr_usage *u = &x->billing.usage[p];
            rr_i128 left = 0;
            for (size_t h = 0; u->node_us != NULL && h < u->n_hours; h++) {
                hold(u->node_us[h] >= 0);
                left += u->node_us[h];
            }
            hold(left + u->covered == u->metered);
            covered += u->covered;
            behind +=
                u->node_us != NULL ? 32 * RR_H : 0; // what may be covered behind the horizon, which is not told: at most an hour a node
        }
        for (size_t i = 0; i < x->cover.n; i++) {
            hold(x->cover.at[i].part >= 0);
            if (x->cover.at[i].pool >= 0) told += x->cover.at[i].quantity * (double)RR_H;
        }
        hold(told <= (double)covered + 1 && told >= (double)(covered - behind) - 1);
        case_free(x);
    }
}

static int64_t pools_of(const struct price_case *x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (x->charge.at[i].pool >= 0 && x->charge.at[i].commitment == NULL) sum += x->charge.at[i].billed.micro;
    return sum;
}

/* A lease in k pieces changes a pool's cost by at most k micro-units. */
static void cutting_a_lease_changes_at_most_a_micro_a_piece(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        const int64_t k = 2 + (int64_t)(seed % 9);
        struct price_case *whole = world_new(seed, (struct world){.pieces = 1, .exact = true});
        struct price_case *cut = world_new(seed, (struct world){.pieces = k, .exact = true});
        const int64_t d = pools_of(whole) - pools_of(cut);
        hold(d <= k && d >= -k);
        case_free(whole);
        case_free(cut);
    }
}

/* Without commitments: these take the hours that they find first, which may be those of a pool that its own discounts have made cheap. */
static void cost_grows_with_rate_time_and_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *base = world_new(seed, (struct world){.pieces = 1, .bare = true});
        struct price_case *other[] = {world_new(seed, (struct world){.pieces = 1, .bare = true, .rate_up = 1}),
                                      world_new(seed, (struct world){.pieces = 1, .bare = true, .longer_us = 1234567}),
                                      world_new(seed, (struct world){.pieces = 1, .bare = true, .more = 1})};
        /* Each charge is rounded once, so that more of them may lose half a micro-unit each. */
        for (size_t i = 0; i < 3; i++) hold(pools_of(other[i]) + (int64_t)(base->charge.n + other[i]->charge.n) >= pools_of(base));
        for (size_t i = 0; i < 3; i++) case_free(other[i]);
        case_free(base);
    }
}

/* ---- a second method for discounts by use: no hour is walked through ---- */

#define LIMITS 2
struct shares {
    rr_i128 limit[LIMITS]; /* node-microseconds */
    double share[LIMITS + 1];
};

/* What `time` costs in hours at full price, marginally. */
static double discounted(const struct shares *s, double time)
{
    double sum = 0, below = 0;
    for (int k = 0; k <= LIMITS; k++) {
        const double limit = k < LIMITS ? (double)s->limit[k] : time, upto = limit < time ? limit : time;
        if (upto > below) sum += (upto - below) * (1 - s->share[k]), below = upto;
    }
    return sum / (double)RR_H;
}

/* Node time of a lease set within [from, to) at which at least k + 1 nodes are held within each clock hour. */
static double stacked(const struct price_case *x, int64_t from, int64_t to, int64_t k)
{
    double sum = 0;
    for (int64_t hour = from; hour < to; hour += RR_H) {
        int64_t used = 0;
        for (size_t i = 0; i < x->n_leases; i++) {
            const int64_t a = x->lease[i].start_us > hour ? x->lease[i].start_us : hour, end = hour + RR_H < to ? hour + RR_H : to;
            const int64_t b = x->lease[i].end_us < end ? x->lease[i].end_us : end;
            if (b > a) used += b - a;
        }
        used -= k * RR_H;
        if (used > 0) sum += (double)(used < RR_H ? used : RR_H);
    }
    return sum;
}

static void discounts_by_use_are_the_formula(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds() / 20; seed++) {
        seed_now = seed;
        rr_rng_init(&rng, seed, 4, RR_RNG_TEST, 4711);
        const bool sustained = draw(0, 1);
        const int64_t days[] = {31, 28, 31}, low = draw(1, 50), high = low + draw(1, 49), a = draw(0, 100), b = draw(0, 100),
                      c = draw(0, 100);
        struct price_case *x = case_bare("2026-01-01", 90 * RR_D);
        const char *unit = sustained ? " %\"" : "", *quote = sustained ? "\"" : "";
        case_pool(x, NULL, "on_demand",
                  rr_strf(x->arena,
                          "{\"rate\": \"$17.35/h\", \"increment\": \"1 us\", \"minimum\": \"0 s\", \"%s\": [{\"up_to\": %s%lld%s, "
                          "\"share\": \"%lld %%\"},"
                          " {\"up_to\": %s%lld%s, \"share\": \"%lld %%\"}, {\"share\": \"%lld %%\"}]}",
                          sustained ? "sustained" : "tiers", quote, (long long)low, unit, (long long)a, quote, (long long)high, unit,
                          (long long)b, (long long)c));
        draw_leases(x, &(struct world){.pieces = 1});
        case_bill(x);
        int64_t at = 0;
        for (int m = 0; m < 3; m++) {
            const int64_t month = days[m] * RR_D;
            struct shares s = {.share = {(double)a / 100, (double)b / 100, (double)c / 100}};
            s.limit[0] = sustained ? (rr_i128)month * low / 100 : (rr_i128)low * RR_H;
            s.limit[1] = sustained ? (rr_i128)month * high / 100 : (rr_i128)high * RR_H;
            double want = 0, all = 0, billed = 0;
            for (int64_t k = 0; k < 12; k++) {
                const double time = stacked(x, at, at + month, k);
                all += time;
                if (sustained) want += discounted(&s, time);
            }
            if (!sustained) want = discounted(&s, all);
            for (size_t i = 0; i < x->charge.n; i++)
                if (x->charge.at[i].from_us == at) billed += (double)x->charge.at[i].billed.micro;
            hold(billed - want * 17.35e6 < 4 && billed - want * 17.35e6 > -4);
            at += month;
        }
        case_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_grouping_comes_to_the_total),
        cmocka_unit_test(covered_and_on_demand_are_the_usage),
        cmocka_unit_test(cutting_a_lease_changes_at_most_a_micro_a_piece),
        cmocka_unit_test(cost_grows_with_rate_time_and_nodes),
        cmocka_unit_test(discounts_by_use_are_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
