/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/sample_store.h - a hand-made store for the tests of store and reports: own / reserved / rent over three years.
 *
 * The numbers are odd on purpose; sums that a report shows twice agree (months, lines, charges, metrics). */
#ifndef RR_TESTS_SAMPLE_STORE_H
#define RR_TESTS_SAMPLE_STORE_H
#include "data/store.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_JOBS = 7, SAMPLE_MONTHS = 36, SAMPLE_BINS = 500, SAMPLE_WAITS = 60 };

struct sample {
    struct rr_arena *arena;
    struct rr_store store;
    struct rr_alternative alternative[3];
    struct rr_trace trace;
};

static inline struct rr_money sample_usd(double v) { return (struct rr_money){llround(v * 1e6)}; }

static inline void sample_stat(struct rr_stat *t, double mean, double spread, int n)
{
    *t = (struct rr_stat){n, mean, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n < 2 || isnan(mean)) return;
    *t = (struct rr_stat){n,
                          mean,
                          spread,
                          0.3123 * spread,
                          mean - 2.3 * spread,
                          mean - 1.28 * spread,
                          mean - 0.01 * spread,
                          mean + 1.28 * spread,
                          mean + 2.4 * spread};
}

static inline void sample_trace(struct sample *p)
{
    static int64_t submit[SAMPLE_JOBS] = {0, 61000001, 3600000000, 3600000000, 86400500000, 172800000000, 259200000123};
    static int64_t run[SAMPLE_JOBS] = {7200000000, 1, 0, 93600000000, RR_NEVER, 3661000000, 5000000};
    static int32_t gpus[SAMPLE_JOBS] = {8000, 500, 0, 64000, 1000, 16000, 999000};
    static uint8_t state[SAMPLE_JOBS] = {RR_TRACE_OK,          RR_TRACE_FAILED, RR_TRACE_KILLED, RR_TRACE_OK,
                                         RR_TRACE_NEVER_ENDED, RR_TRACE_OK,     RR_TRACE_OK};
    static uint16_t klass[SAMPLE_JOBS] = {1, 1, 0, 2, 2, 1, 1};
    static uint32_t user[SAMPLE_JOBS] = {1, 2, 0, 3, 1, 1, 2};
    static uint32_t at[SAMPLE_JOBS];
    static const char *const class_name[] = {"", "train", "=1+1"}, *const user_name[] = {"", "ann", "bo \"b\", jr", "@x<script>"},
                             *const account_name[] = {""};
    static const char *const id[SAMPLE_JOBS] = {"a-1", "-2",  "=cmd|' /C calc'!A0", "\"; system(\"touch x\"); \"",
                                                "5",   "six", "line\nbreak"};
    char *text = RR_NEWS(p->arena, char, 256);
    uint32_t n = 0;
    for (int i = 0; i < SAMPLE_JOBS; i++) {
        at[i] = n;
        memcpy(text + n, id[i], strlen(id[i]) + 1);
        n += (uint32_t)strlen(id[i]) + 1;
    }
    p->trace = (struct rr_trace){.n = SAMPLE_JOBS,
                                 .submit_us = submit,
                                 .run_us = run,
                                 .gpus_milli = gpus,
                                 .state = state,
                                 .class_id = klass,
                                 .user_id = user,
                                 .id_at = at,
                                 .id_text = text,
                                 .class_name = class_name,
                                 .user_name = user_name,
                                 .account_name = account_name,
                                 .n_classes = 3,
                                 .n_users = 4,
                                 .n_accounts = 1,
                                 .path = "trace.csv",
                                 .format = "csv"};
}

static inline void sample_records(struct sample *p, struct rr_alternative *a)
{
    static const struct rr_outcome outcome[SAMPLE_JOBS] = {{5000001, 7205000001, 0, 0, 0, 1, RR_JOB_FINISHED, RR_WHY_NONE},
                                                           {61000001, 61000002, 0, 1, 0, 1, RR_JOB_FAILED, RR_WHY_TRACE_FAILED},
                                                           {3600000000, 3600000000, 0, 2, 1, 1, RR_JOB_KILLED, RR_WHY_TRACE_KILLED},
                                                           {7205000001, 100805000001, 1500000, 0, 0, 2, RR_JOB_FINISHED, RR_WHY_NONE},
                                                           {86400500000, RR_NEVER, 0, 3, 0, 1, RR_JOB_RUNNING, RR_WHY_HORIZON},
                                                           {RR_NEVER, RR_NEVER, 0, 0, UINT16_MAX, 0, RR_JOB_WAITING, RR_WHY_HORIZON},
                                                           {RR_NEVER, RR_NEVER, 0, 0, UINT16_MAX, 0, RR_JOB_REJECTED, RR_WHY_TOO_LARGE}};
    static const char *const node_name[] = {"n0", "n1, rack 7", "n2", "n3"};
    a->trace = &p->trace;
    a->outcome = outcome;
    a->node_name = node_name;
    struct rr_lease *l = RR_NEWS(p->arena, struct rr_lease, 2);
    l[0] = (struct rr_lease){
        .ready_us = 300000000, .end_us = 94694400000000, .used_milli_us = 123456789012345, .down_milli_us = 7001, .node = 1};
    l[1] = (struct rr_lease){.start_us = -1, .ready_us = 1, .end_us = 3600000001, .node = 3, .pool = 1};
    a->lease = l;
    a->n_leases = 2;
    static const int32_t gpus[] = {8, 8, 8, 4};
    static const struct rr_cover cover[] = {
        {"ri", 1, 0, 2678400000000, 7001, 1.25, "node-hour", {88490000000, RR_PER_NODE, RR_HOUR}, 98320000000},
        {"ri", -1, 0, 2678400000000, 311, 0.5, "node-hour", {0}, 0}};
    a->node_gpus = gpus;
    a->cover = cover;
    a->n_covers = 2;
    a->document = "{\"rackrate\":1}";
    rr_i128 *used = RR_NEWS(p->arena, rr_i128, 6);
    const rr_i128 **by_pool = RR_NEWS(p->arena, const rr_i128 *, 2);
    for (size_t i = 0; i < 6; i++) used[i] = (rr_i128)1000000007 * 9999999967 * (rr_i128)(i * i); // past 64 bits from i = 1
    by_pool[0] = used;
    by_pool[1] = used + 3;
    a->used_month = by_pool;
    a->n_used_months = 3;
}

static inline void sample_months(struct sample *p, struct rr_alternative *a, double month, double growth, double upfront)
{
    struct rr_month_row *m = RR_NEWS(p->arena, struct rr_month_row, SAMPLE_MONTHS);
    const struct rr_clock clock = {true, p->store.start_us};
    for (int i = 0; i < SAMPLE_MONTHS; i++) {
        char name[16];
        int64_t from = 0, to = 0;
        if (rr_time_add(&clock, 0, (struct rr_duration){i, 0}, &from) != RR_OK ||
            rr_time_add(&clock, 0, (struct rr_duration){i + 1, 0}, &to) != RR_OK)
            return;
        const double v = (month + growth * i) * (double)(to - from) / (30.4375 * 86400e6);
        m[i] = (struct rr_month_row){rr_strdup(p->arena, rr_month_name(&clock, from, name)),
                                     from,
                                     to,
                                     sample_usd(v),
                                     sample_usd(i ? v - upfront / SAMPLE_MONTHS : v + upfront),
                                     24718.3 + 97.1 * i,
                                     46720.0};
    }
    a->month = m;
    a->n_months = SAMPLE_MONTHS;
}

static inline double *sample_array(struct sample *p, int n) { return RR_NEWS(p->arena, double, (size_t)n); }

static inline void sample_series(struct sample *p, struct rr_alternative *a, double held, double wait_p95)
{
    struct rr_series *s = RR_NEWS(p->arena, struct rr_series, 7);
    const double horizon = p->store.horizon_s;
    double *x = sample_array(p, SAMPLE_BINS);
    double *v[10];
    for (int k = 0; k < 10; k++) v[k] = sample_array(p, SAMPLE_BINS);
    for (int i = 0; i < SAMPLE_BINS; i++) {
        const double day = 0.5 + 0.3 * sin(i * 0.29) + 0.1 * sin(i * 1.7);
        x[i] = horizon * i / SAMPLE_BINS;
        v[0][i] = 64 * day; /* used */
        v[1][i] = 64 * day * 0.4;
        v[2][i] = fmin(64, 64 * day * 1.3);
        v[3][i] = held > 0 ? held : fmin(64, 64 * day + 6); /* held */
        v[4][i] = held > 0 ? held : 8;
        v[5][i] = held > 0 ? held : fmin(64, 64 * day * 1.3 + 8);
        v[6][i] = day > 0.8 ? 12 * day : 0.3;
        v[7][i] = v[6][i] * 3;
        v[8][i] = v[6][i] * 7;
    }
    double *cx = sample_array(p, SAMPLE_MONTHS + 1), *ce = sample_array(p, SAMPLE_MONTHS + 1), *cb = sample_array(p, SAMPLE_MONTHS + 1);
    for (int i = 0; i < SAMPLE_MONTHS; i++) {
        cx[i + 1] = (double)a->month[i].to_us / 1e6;
        ce[i + 1] = ce[i] + rr_money_double(a->month[i].effective);
        cb[i + 1] = cb[i] + rr_money_double(a->month[i].billed);
    }
    double *wx = sample_array(p, SAMPLE_WAITS), *wy = sample_array(p, SAMPLE_WAITS);
    for (int i = 0; i < SAMPLE_WAITS; i++) {
        wx[i] = i < 20 ? 0 : exp((i - 20) * log(4 * wait_p95) / 40);
        wy[i] = (i + 1.0) / SAMPLE_WAITS;
    }
    s[0] = (struct rr_series){"used_gpus", "s", "GPUs", SAMPLE_BINS, x, v[0], v[1], v[2]};
    s[1] = (struct rr_series){"held_gpus", "s", "GPUs", SAMPLE_BINS, x, v[3], v[4], v[5]};
    s[2] = (struct rr_series){"queue_jobs", "s", "jobs", SAMPLE_BINS, x, v[6], NULL, v[7]};
    s[3] = (struct rr_series){"queue_gpus", "s", "GPUs", SAMPLE_BINS, x, v[8], NULL, NULL};
    s[4] = (struct rr_series){"cost_effective", "s", "USD", SAMPLE_MONTHS + 1, cx, ce, NULL, NULL};
    s[5] = (struct rr_series){"cost_billed", "s", "USD", SAMPLE_MONTHS + 1, cx, cb, NULL, NULL};
    s[6] = (struct rr_series){"wait_cdf", "s", "share of started jobs", SAMPLE_WAITS, wx, wy, NULL, NULL};
    a->series = s;
    a->n_series = 7;
}

/* Lines share the months' total by weight; one charge a line. */
static inline void sample_lines(struct sample *p, struct rr_alternative *a, const struct rr_cost_line *line, const double *weight, size_t n)
{
    struct rr_cost_line *l = RR_NEWS(p->arena, struct rr_cost_line, n);
    struct rr_charge *c = RR_NEWS(p->arena, struct rr_charge, n);
    struct rr_money total = {0}, billed = {0}, *part = RR_NEWS(p->arena, struct rr_money, n), *cash = RR_NEWS(p->arena, struct rr_money, n);
    rr_i128 w[8];
    for (size_t i = 0; i < a->n_months; i++) total.micro += a->month[i].effective.micro, billed.micro += a->month[i].billed.micro;
    for (size_t i = 0; i < n; i++) w[i] = (rr_i128)(weight[i] * 1e6);
    rr_money_split(total, w, n, part);
    rr_money_split(billed, w, n, cash);
    for (size_t i = 0; i < n; i++) {
        l[i] = line[i];
        l[i].effective = part[i];
        l[i].billed = cash[i];
        c[i] = (struct rr_charge){l[i].type,
                                  l[i].line,
                                  *l[i].commitment ? l[i].commitment : NULL,
                                  *l[i].pool ? 0 : -1,
                                  i == 1,
                                  0,
                                  94694400000000,
                                  86400000000 * (int64_t)i,
                                  cash[i],
                                  part[i],
                                  {(int64_t)i * 7},
                                  l[i].quantity,
                                  l[i].unit,
                                  l[i].rate,
                                  l[i].rate.nano ? l[i].rate.nano + 17 : 0,
                                  i == 0 ? RR_PRICING_OTHER : RR_PRICING_STANDARD,
                                  i == 0 ? 94694400000001 : 0};
    }
    a->line = l;
    a->n_lines = n;
    a->charge = c;
    a->n_charges = n;
}

static inline void sample_metrics(struct sample *p, struct rr_alternative *a, double wait_p95, double allocated)
{
    struct rr_money total = {0}, billed = {0};
    double used = 0;
    const int n = (int)p->store.replications;
    for (size_t i = 0; i < a->n_months; i++) {
        total.micro += a->month[i].effective.micro;
        billed.micro += a->month[i].billed.micro;
        used += a->month[i].used_gpu_hours;
    }
    const double cost = rr_money_double(total);
    for (int k = 0; k < RR_METRICS; k++) sample_stat(&a->metric[k], NAN, 0, n);
    sample_stat(&a->metric[RR_M_COST_TOTAL], cost, 0.013 * cost, n);
    sample_stat(&a->metric[RR_M_CASH_TOTAL], rr_money_double(billed), 0.017 * cost, n);
    sample_stat(&a->metric[RR_M_NPV_COST], 0.913 * cost, 0.012 * cost, n);
    sample_stat(&a->metric[RR_M_COST_PER_GPU_HOUR_USED], cost / used, 0.02, n);
    sample_stat(&a->metric[RR_M_COST_PER_MONTH], cost / 36, 0.013 * cost / 36, n);
    sample_stat(&a->metric[RR_M_COST_AFTER_HORIZON], 0, 0, n);
    sample_stat(&a->metric[RR_M_WAIT_MEAN], wait_p95 / 5.3, 11, n);
    sample_stat(&a->metric[RR_M_WAIT_P50], wait_p95 / 37, 3, n);
    sample_stat(&a->metric[RR_M_WAIT_P95], wait_p95, 97, n);
    sample_stat(&a->metric[RR_M_WAIT_P99], wait_p95 * 2.7, 197, n);
    sample_stat(&a->metric[RR_M_WAIT_MAX], wait_p95 * 11.3, 1000, n);
    sample_stat(&a->metric[RR_M_JCT_P50], 1871, 13, n);
    sample_stat(&a->metric[RR_M_JCT_P95], 93211, 130, n);
    sample_stat(&a->metric[RR_M_BSLD_MEAN], 1 + wait_p95 / 7000, 0.1, n);
    sample_stat(&a->metric[RR_M_WORK_FINISHED_SHARE], 0.99871, 0.0001, n);
    sample_stat(&a->metric[RR_M_GPU_ALLOCATED_SHARE], allocated, 0.01, n);
    sample_stat(&a->metric[RR_M_GPU_HOURS_USED], used, 100, n);
    const double jobs[] = {78214, 71877, 3311, 2987, 4, 21, 14};
    for (int k = 0; k < 7; k++) sample_stat(&a->metric[RR_M_JOBS_SUBMITTED + k], jobs[k], 0, n);
}

static inline void sample_alternative(struct sample *p, int i, const char *name, double month, double growth, double upfront, double held,
                                      double wait_p95)
{
    static const struct rr_law_result law[] = {
        {"jobs", true, "78214 = 71877 + 3311 + 2987 + 4 + 21 + 14"},
        {"gpu_time", true, "pool p: 1,681,920.000 = 951,239.117 + 14.203 + 728,811.680 + 12.000 + 1,843.000 GPU-hours"},
        {"money", true, "4,011,223.170000 by pool, plan, month and class"},
        {"payer", true, "every GPU-second has one payer"},
        {"named", true, "2 notes, none silent"}};
    struct rr_alternative *a = &p->alternative[i];
    a->name = a->alternative = name;
    a->meets_service = wait_p95 < 14400;
    a->same_work = true;
    a->service_detail = a->meets_service ? "" : "wait.p95 is 5.2 h, wanted <= 4 h";
    a->law = law;
    a->n_laws = sizeof law / sizeof *law;
    a->end_us = 94694400000000;
    a->not_submitted = 17;
    sample_months(p, a, month, growth, upfront);
    sample_series(p, a, held, wait_p95);
    sample_metrics(p, a, wait_p95, held > 0 ? 0.5669 : 0.8912);
    sample_records(p, a);
    struct rr_class_row *c = RR_NEWS(p->arena, struct rr_class_row, 2);
    c[0] = (struct rr_class_row){"train", 61007, 57001, 700123.4, sample_usd(month * 26.1), sample_usd(month * 25.3), wait_p95 / 4};
    c[1] = (struct rr_class_row){"=1+1", 17207, 14876, 251115.7, sample_usd(month * 9.9), sample_usd(month * 10.7), NAN};
    a->class_row = c;
    a->n_classes = 2;
}

static inline void sample_pools(struct sample *p)
{
    struct rr_pool_row *r = RR_NEWS(p->arena, struct rr_pool_row, 6);
    r[0] = (struct rr_pool_row){"own",
                                "hgx-h100-8",
                                "owned",
                                8,
                                8,
                                8,
                                1681920,
                                951239.117,
                                14.203,
                                728811.68,
                                12,
                                1843,
                                sample_usd(2534117.5),
                                sample_usd(3011876.25)};
    r[1] = (struct rr_pool_row){"burst", "aws/p5.48xlarge, us-east-1", "on_demand",        0, 32, 3, 812.5, 701.25, 0, 101.25, 10,
                                0,       sample_usd(8113.77),          sample_usd(8113.77)};
    r[2] = (struct rr_pool_row){
        "cloud", "aws/p5.48xlarge, us-east-1", "on_demand",           0, INT64_MAX, 8, 1067123.4, 951940.4, 0, 103183, 12000,
        0,       sample_usd(3911223.17),       sample_usd(3911223.17)};
    r[3] = (struct rr_pool_row){"spare", "aws/p5.48xlarge, us-east-1", "on_demand", 0, 2, 0, 0, 0, 0, 0, 0, 0, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        p->alternative[i].pool = i ? r + 2 : r;
        p->alternative[i].n_pools = 2;
    }
}

static inline void sample_notes(struct sample *p)
{
    static const struct rr_note common[] = {
        {RR_NOTE_ASSUMED, "/finance/electricity", "electricity costs $0.08/kWh", "data/facts/regions.csv:12, 2026-03"},
        {RR_NOTE_DATA, "trace.csv:17", "12 rows rejected: negative duration", ""},
        {RR_NOTE_WARNING, "", "the backlog still grows at the horizon: waits are censored", ""}};
    static const struct rr_note owned[] = {{RR_NOTE_ASSUMED, "/pools/own", "a node costs $289,000", "data/facts/hardware.csv:4, 2026-02"}};
    static const char *const headline[] = {"rent: pool \"cloud\" may grow without a limit"};
    static const char *const varied[] = {"arrivals and run times of \"prod\"", "electricity, triangular $0.06 to $0.14/kWh"};
    p->alternative[0].note = owned;
    p->alternative[0].n_notes = 1;
    p->store.note = common;
    p->store.n_notes = 3;
    p->store.headline = headline;
    p->store.n_headline = 1;
    p->store.varied = varied;
    p->store.n_varied = 2;
}

static inline void sample_comparisons(struct sample *p)
{
    static struct rr_pair pair[2] = {{.a = "own", .b = "rent", .metric = RR_M_COST_TOTAL, .prob_a_cheaper = 0.97},
                                     {.a = "reserved", .b = "rent", .metric = RR_M_COST_TOTAL, .prob_a_cheaper = 0.81}};
    static const struct rr_gate_result gate[] = {{"budget", "own", "p90", "pass", RR_M_COST_TOTAL, true, 4.2e6, 2.6e6},
                                                 {"fast", "rent", "mean", "fail", RR_M_WAIT_P95, true, 60, NAN}};
    static const struct rr_sheet_head head[] = {{"Rent", RR_SHEET_TEXT}, {"own", RR_SHEET_MONEY}, {"share", RR_SHEET_SHARE}};
    static const struct rr_sheet_cell cell[] = {{NAN, "flat"}, {11640000.25, NULL}, {0.2385, NULL}, {NAN, "<b>moved &amp; gone</b>"},
                                                {NAN, NULL},   {NAN, "never"}};
    static const struct rr_sheet sheet[] = {{"finance.rents", "If rents move", "Decisions held fixed.", head, cell, 3, 2},
                                            {"finance.none", "Nothing", "", head, cell, 3, 0}};
    p->store.sheet = sheet;
    p->store.n_sheets = 2;
    sample_stat(&pair[0].diff, -1368992.21, 31234.5, (int)p->store.replications);
    sample_stat(&pair[1].diff, -701234.9, 29876.5, (int)p->store.replications);
    p->store.pair = pair;
    p->store.n_pairs = 2;
    p->store.gate = gate;
    p->store.n_gates = 2;
}

static inline void sample_open(struct sample *p, int64_t replications)
{
    static const struct rr_input_file input[] = {{"buy-vs-rent.json", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
                                                 {"trace.csv", "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"}};
    static const struct rr_rate hourly = {98320000000, RR_PER_NODE, RR_HOUR}, kwh = {80000000, RR_PER_KWH, RR_EVER};
    *p = (struct sample){.arena = rr_arena_create()};
    p->store = (struct rr_store){.schema = "rackrate.results/1",
                                 .name = "buy-vs-rent",
                                 .version = "0.1.0",
                                 .currency = "USD",
                                 .scenario_path = "buy-vs-rent.json",
                                 .seed = 42,
                                 .replications = replications,
                                 .anchored = true,
                                 .start_us = 1767225600000000,
                                 .horizon_s = 94694400,
                                 .baseline = "rent",
                                 .criterion = "npv.cost",
                                 .best = "own",
                                 .verdict = "Over 3 years, own is cheapest by npv.cost: $2,320,659, 15.5 % below reserved ($2,746,427); "
                                            "all finish the same work within the service limits",
                                 .input = input,
                                 .n_inputs = 2,
                                 .alternative = p->alternative,
                                 .n_alternatives = 3};
    sample_trace(p);
    sample_alternative(p, 0, "own", 70391.2, 11.3, 1871234.5, 64, 9211);
    sample_alternative(p, 1, "reserved", 79123.7, 251.9, 612345.25, 48, 5003);
    sample_alternative(p, 2, "rent", 52311.9, 3211.3, 0, 0, 311);
    sample_lines(p, &p->alternative[0],
                 (const struct rr_cost_line[]){{"owned", "depreciation", "own", "", {0}, {0}, {0}, 36, "month", {0, RR_PER_ONCE, RR_EVER}},
                                               {"owned", "energy", "own", "", {0}, {0}, {0}, 1892311.25, "kWh", kwh},
                                               {"owned", "colocation", "own", "", {0}, {0}, {0}, 36, "month", {0, RR_PER_ONCE, RR_EVER}},
                                               {"owned", "maintenance", "own", "", {0}, {0}, {0}, 3, "year", {0, RR_PER_ONCE, RR_EVER}},
                                               {"owned", "staff", "own", "", {0}, {0}, {0}, 36, "month", {0, RR_PER_ONCE, RR_EVER}},
                                               {"on_demand", "compute", "burst", "", {0}, {0}, {0}, 101.5625, "node-hour", hourly}},
                 (const double[]){0.61, 0.13, 0.09, 0.06, 0.107, 0.003}, 6);
    sample_lines(p, &p->alternative[1],
                 (const struct rr_cost_line[]){{"reserved", "upfront", "", "ri", {0}, {0}, {7000000}, 3, "term", {0, RR_PER_ONCE, RR_EVER}},
                                               {"reserved", "compute", "", "ri", {0}, {0}, {0}, 157788, "node-hour", hourly},
                                               {"on_demand", "compute", "cloud", "", {0}, {0}, {0}, 9871.25, "node-hour", hourly}},
                 (const double[]){0.4, 0.31, 0.29}, 3);
    sample_lines(p, &p->alternative[2],
                 (const struct rr_cost_line[]){{"on_demand", "compute", "cloud", "", {0}, {0}, {0}, 133390.425, "node-hour", hourly}},
                 (const double[]){1}, 1);
    sample_pools(p);
    sample_notes(p);
    sample_comparisons(p);
}

/* Names that would do harm in a shell, in gnuplot, in HTML or in Markdown. */
#define SAMPLE_SHELL  "\"; system(\"touch rr_hostile_1\"); \"`touch rr_hostile_2`$(touch rr_hostile_3)"
#define SAMPLE_HTML   "<script>alert('x')</script>&amp;\" onload=\"x"
#define SAMPLE_FORMAT "%s %n @{} |pipe| *bold* \n\\\" # ${x} \xff\xc0\x80"
static inline void sample_make_hostile(struct sample *p)
{
    static struct rr_note note = {RR_NOTE_ASSUMED, SAMPLE_HTML, SAMPLE_FORMAT, SAMPLE_SHELL};
    static struct rr_class_row row = {SAMPLE_HTML, 1, 1, 2.5, {1}, {1}, 3};
    static struct rr_pool_row pool = {SAMPLE_FORMAT, SAMPLE_SHELL, SAMPLE_HTML, 1, 1, 1, 1, 1, 0, 0, 0, 0, {0}, {0}};
    static const struct rr_cost_line line = {SAMPLE_SHELL, SAMPLE_HTML, SAMPLE_FORMAT, SAMPLE_SHELL, {5000000},
                                             {7000000},    {0},         1.5,           SAMPLE_HTML,  {0, RR_PER_ONCE, RR_EVER}};
    static const char *const name[] = {SAMPLE_SHELL, SAMPLE_HTML, SAMPLE_FORMAT};
    for (int i = 0; i < 3; i++) {
        struct rr_alternative *a = &p->alternative[i];
        a->name = a->alternative = name[i];
        a->note = &note;
        a->n_notes = 1;
        a->class_row = &row;
        a->n_classes = 1;
        a->pool = &pool;
        a->n_pools = 1;
        a->line = &line;
        a->n_lines = 1;
    }
    p->store.name = SAMPLE_HTML;
    p->store.verdict = SAMPLE_FORMAT;
    p->store.scenario_path = SAMPLE_SHELL;
    p->store.best = name[1];
    p->store.baseline = name[2];
    p->store.headline = name;
    p->store.n_headline = 3;
}

/* The first alternative could be interrupted: job 4 lost a node, and started again. */
static inline void sample_interrupt(struct sample *p)
{
    static const struct rr_attempt attempt[] = {
        {0, 0, 1, 8000, 0, RR_WHY_NONE, 5000001, 7205000001, 0, 0, 0},
        {3, 1, 2, 64000, 0, RR_WHY_NODE_FAILURE, 7205000001, 9205000001, 1500000, 500000, 0},
        {3, 0, 2, 64000, 0, RR_WHY_NONE, 9300000000, 100805000001, 0, 0, 0},
    };
    static const struct rr_loss_row loss[] = {{"node failure", 1, 1, 1, 0.017777777}, {"writing checkpoints", 0, 0, 0, 0.0088888}};
    static const struct rr_bound_row bound[] = {{"limit", "a pool at its limit of nodes", 7.25, 93.5},
                                                {"gpus", "GPUs: too few were free anywhere", 1.5, 6.5}};
    static const struct rr_bar bar[] = {
        {"a-1", "train", 0, 0, 8, 5000001, 7205000001, false},
        {"x\"; system(\"touch x\")", "=1+1 \"%s", 1, 0, 8, 7205000001, 9205000001, true},
        {"4", "=1+1 \"%s", 0, 0, 8, 9300000000, 94600000000000, false},
        {"9", "train", 1, 2.5, 0.5, 9300000000, 94600000000000, false},
    };
    struct rr_alternative *a = &p->alternative[0];
    a->attempt = attempt;
    a->n_attempts = 3;
    a->loss = loss;
    a->n_losses = 2;
    a->bound = bound;
    a->n_bounds = 2;
    a->bar = bar;
    a->n_bars = 4;
}

static inline void sample_close(struct sample *p) { rr_arena_free(p->arena); }
#endif
