/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_money.c - the laws of a bill over random fleets, plans, commitments and leases.
 *
 * 2,000 seeds; 50,000 with RACKRATE_LONG. A failure names its seed. */
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
    int64_t horizon_us;
    int64_t rate_up;   /* micro-units added to every on-demand rate */
    int64_t longer_us; /* added to the end of each lease */
    int64_t pieces;    /* each lease cut in so many, 1 = whole */
    bool exact;        /* 1 us increments without minimum */
};
struct drawn { /* what pool p was given, for a second way to the answer */
    int64_t increment_us, minimum_us;
    bool clock;
};
static struct drawn drawn[CASE_POOLS];

static void draw_pool(struct price_case *x, const struct world *w)
{
    static const int64_t increment[] = {1, RR_S, RR_MIN, RR_H, 7 * RR_MIN + 13 * RR_S, 3 * RR_D};
    static const int64_t minimum[] = {0, 60 * RR_S, 10 * RR_MIN, 1};
    char text[256];
    const int64_t rate = draw(1, 200000000) + w->rate_up;
    struct drawn *d = &drawn[x->s.n_pools];
    *d = (struct drawn){increment[draw(0, 5)], minimum[draw(0, 3)], draw(0, 3) == 0};
    if (RR_H % d->increment_us != 0) d->clock = false;
    if (w->exact) d->increment_us = 1, d->minimum_us = 0;
    snprintf(text, sizeof text, "{\"rate\": \"$%lld.%06lld/h\", \"increment\": \"%lld us\", \"minimum\": \"%lld us\", \"hours\": \"%s\"}",
             (long long)(rate / 1000000), (long long)(rate % 1000000), (long long)d->increment_us, (long long)d->minimum_us,
             d->clock ? "clock" : "lease");
    case_pool(x, "aws/p5.48xlarge", "on_demand", text);
}

static void draw_owned(struct price_case *x)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"price\": \"$%lld.%02lld\", \"residual\": %.3f, \"life\": \"%lld months\", \"max_power\": \"%lld W\", \"idle_power\": "
             "\"%lld W\","
             " \"pue\": 1.37, \"electricity\": \"$0.0%lld/kWh\", \"colocation\": \"$%lld.07/kW/month\", \"includes_power\": false, "
             "\"maintenance\": 0.0%lld,"
             " \"staff\": \"$%lld/year\"}",
             (long long)draw(1, 500000), (long long)draw(0, 99), (double)draw(0, 1000) / 1000, (long long)draw(1, 30),
             (long long)draw(5000, 12000), (long long)draw(0, 5000), (long long)draw(1, 9), (long long)draw(0, 300), (long long)draw(0, 99),
             (long long)draw(0, 99999));
    struct rr_pool *pool = case_pool(x, NULL, "owned", text);
    pool->nodes_min = pool->nodes_max = draw(1, 40);
}

static void draw_leases(struct price_case *x, const struct world *w)
{
    int64_t start = 0;
    const int64_t n = draw(0, 12);
    for (int64_t i = 0; i < n && start < w->horizon_us; i++) {
        int64_t length = draw(0, draw(0, 2) == 0 ? 3 * RR_H : 40 * RR_D);
        if (draw(0, 1)) length -= length % RR_MIN;
        int64_t end = start + length + w->longer_us;
        if (end > w->horizon_us) end = w->horizon_us;
        const int64_t piece = (end - start) / w->pieces;
        for (int64_t k = 0; k < w->pieces; k++) case_lease(x, start + piece * k, k + 1 == w->pieces ? end : start + piece * (k + 1));
        start += draw(0, w->horizon_us / 8);
    }
}

static void draw_commitment(struct price_case *x, const char *name)
{
    static const char *const payment[] = {"no_upfront", "partial_upfront", "all_upfront"};
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"count\": %lld, \"term\": \"%lld months\", \"payment\": \"%s\","
        " \"rate\": \"$%lld.%03lld/h\", \"from\": \"%lld min\", \"renew\": %s}",
        (long long)draw(1, 5), (long long)draw(1, 14), payment[draw(0, 2)], (long long)draw(0, 90), (long long)draw(1, 999),
        (long long)draw(0, 9000), draw(0, 1) ? "true" : "false");
    case_commit(x, name, text);
}

static struct price_case *world_new(uint64_t seed, struct world w)
{
    static const char *const start[] = {"2026-01-01", "2028-02-28T23:59:59.999999Z", "2027-12-31T07:13:11Z", "2026-10-31T00:30:00Z"};
    seed_now = seed;
    rr_rng_init(&rng, seed, 1, RR_RNG_TEST, 4711);
    w.horizon_us = draw(1, 400) * RR_D - draw(0, 1) * draw(0, RR_D - 1);
    struct price_case *x = case_bare(start[draw(0, 3)], w.horizon_us);
    const int64_t pools = draw(1, 3);
    for (int64_t p = 0; p < pools; p++) {
        draw_pool(x, &w);
        draw_leases(x, &w);
    }
    if (draw(0, 1)) draw_owned(x);
    const int64_t commitments = draw(0, 2);
    for (int64_t i = 0; i < commitments; i++) draw_commitment(x, i ? "b" : "a");
    case_bill(x);
    return x;
}

static uint64_t seeds(void) { return getenv("RACKRATE_LONG") != NULL ? 50000 : 2000; }

/* ---- laws ---- */

static void charge_holds(const struct price_case *x, const struct rr_charge *c)
{
    int64_t next;
    hold(rr_month_next(&x->s.clock, c->from_us, &next) == RR_OK);
    hold(c->from_us >= 0 && c->to_us <= next && c->to_us <= x->s.horizon_us);
    hold(c->due_us >= 0 && c->due_us <= x->s.horizon_us);
    hold(c->pool >= -1 && c->pool < (int)x->s.n_pools && (c->pool >= 0 || c->commitment != NULL));
    hold(c->effective.micro >= 0 && c->after_horizon.micro >= 0);
}

/* Every charge lies in one month. What is billed is accrued inside the horizon or behind it, or is still there as book value; what a
 * reservation still owes behind the horizon is accrued there and not yet billed. */
static void charges_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *x = world_new(seed, (struct world){.pieces = 1});
        rr_i128 billed = 0, effective = 0, after = 0, owed = 0;
        for (size_t i = 0; i < x->charge.n; i++) {
            const struct rr_charge *c = &x->charge.at[i];
            charge_holds(x, c);
            billed += c->billed.micro, effective += c->effective.micro, after += c->after_horizon.micro;
            if (strcmp(c->line, "reservation") == 0 && c->due_us == c->to_us) owed += c->after_horizon.micro;
        }
        struct rr_money book;
        hold(rr_bill_terminal(&x->billing, x->s.horizon_us, &book) == RR_OK);
        hold(billed + owed == effective + after + book.micro);
        case_free(x);
    }
}

/* The metered total against the rule written down a second time. */
static void metered_time_is_the_rule(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *x = world_new(seed, (struct world){.pieces = 1});
        for (size_t p = 0; p < x->s.n_pools; p++) {
            const struct drawn *d = &drawn[p];
            rr_i128 want = 0;
            for (size_t i = x->pool_lease[p]; i < x->pool_lease[p + 1]; i++) {
                int64_t from = x->lease[i].start_us + x->s.clock.start_us, to = x->lease[i].end_us + x->s.clock.start_us, time;
                if (from == to) continue;
                if (d->clock) from = from / d->increment_us * d->increment_us;
                for (time = (to - from) / d->increment_us * d->increment_us; time < to - from;) time += d->increment_us;
                want += time > d->minimum_us ? time : d->minimum_us;
            }
            hold(x->billing.usage[p].metered == want);
        }
        case_free(x);
    }
}

/* A second method for exact metering: hours by direct overlap, commitments by taking the smaller, one pool. */
static rr_i128 left_by_overlap(const struct price_case *x, int64_t count, int64_t from, int64_t to)
{
    rr_i128 left = 0;
    for (int64_t hour = rr_hour_start(&x->s.clock, 0); hour < x->s.horizon_us; hour += RR_H) {
        int64_t used = 0;
        for (size_t i = 0; i < x->n_leases; i++) {
            const int64_t a = x->lease[i].start_us > hour ? x->lease[i].start_us : hour;
            const int64_t b = x->lease[i].end_us < hour + RR_H ? x->lease[i].end_us : hour + RR_H;
            if (b > a) used += b - a;
        }
        const int64_t a = from > hour ? from : hour, b = to < hour + RR_H ? to : hour + RR_H;
        const int64_t promised = b > a ? count * (b - a) : 0;
        left += used > promised ? used - promised : 0;
    }
    return left;
}

static void coverage_is_the_smaller_of_use_and_promise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds() / 10; seed++) {
        seed_now = seed;
        rr_rng_init(&rng, seed, 2, RR_RNG_TEST, 4711);
        struct world w = {.pieces = 1, .exact = true};
        w.horizon_us = draw(1, 60) * RR_D - draw(0, RR_D - 1);
        struct price_case *x = case_bare("2026-01-31T22:17:03Z", w.horizon_us);
        draw_pool(x, &w);
        draw_leases(x, &w);
        const int64_t count = draw(1, 4), from = draw(0, 3000);
        case_commit(x, "a",
                    rr_strf(x->arena,
                            "{\"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"count\": %lld, \"term\": \"1 year\","
                            " \"rate\": \"$1/h\", \"from\": \"%lld min\"}",
                            (long long)count, (long long)from));
        case_bill(x);
        const struct rr_usage *u = &x->billing.usage[0];
        rr_i128 left = 0;
        for (size_t h = 0; h < u->n_hours; h++) left += u->node_us[h];
        hold(left == left_by_overlap(x, count, from * RR_MIN, w.horizon_us));
        hold(left + u->covered == u->metered);
        case_free(x);
    }
}

static int64_t on_demand_of(const struct price_case *x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].type, "on_demand") == 0) sum += x->charge.at[i].billed.micro;
    return sum;
}

static void cost_grows_with_rate_and_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *base = world_new(seed, (struct world){.pieces = 1});
        struct price_case *dear = world_new(seed, (struct world){.pieces = 1, .rate_up = 1});
        struct price_case *slow = world_new(seed, (struct world){.pieces = 1, .longer_us = 1234567});
        hold(on_demand_of(dear) >= on_demand_of(base));
        for (size_t p = 0; p < base->s.n_pools; p++) {
            hold(slow->billing.usage[p].metered >= base->billing.usage[p].metered);
            hold(dear->billing.usage[p].metered == base->billing.usage[p].metered);
        }
        if (base->s.n_commitments == 0) hold(on_demand_of(slow) >= on_demand_of(base));
        case_free(base);
        case_free(dear);
        case_free(slow);
    }
}

/* With 1 us increments and no minimum the months' sums are exact, so that cutting changes nothing at all. */
static void cutting_a_lease_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct price_case *whole = world_new(seed, (struct world){.pieces = 1, .exact = true});
        struct price_case *cut = world_new(seed, (struct world){.pieces = 7, .exact = true});
        hold(on_demand_of(whole) == on_demand_of(cut));
        hold(case_sum(whole, NULL).effective == case_sum(cut, NULL).effective);
        hold(whole->charge.n == cut->charge.n);
        case_free(whole);
        case_free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_add_up),
        cmocka_unit_test(metered_time_is_the_rule),
        cmocka_unit_test(coverage_is_the_smaller_of_use_and_promise),
        cmocka_unit_test(cost_grows_with_rate_and_time),
        cmocka_unit_test(cutting_a_lease_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
