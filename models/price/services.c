/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/services.c - anything else with a price: requests, public addresses, keys and their calls, licences, monitoring.
 *
 * A rate with a time ("$0.005/h", "$1/month") is paid for each of `count` things that are there all the time; one without ("$0.0000004/call")
 * for each unit of a quantity: a month, a GPU-hour, a job. */
#include "models/price/around.h"
#include <math.h>

struct services {
    uint64_t given;
    double count, per_month, per_gpu_hour, per_job, change;
    struct rr_price rate;
    const struct rr_tiers *tiers;
    const char *unit;
    /* resolved */
    bool held;
    struct rr_tariff tariff;
    struct rr_flow flow; /* in millionths */
};
enum { P_RATE, P_COUNT, P_PER_MONTH, P_GPU_HOUR, P_JOB, P_CHANGE, P_TIERS, P_UNIT };
#define MILLION 1000000
#define MOST    9e12

static const struct rr_param rows[] = {
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct services, rate),
                .unit = "",
                .help = "for a thing and time (\"$0.005/h\", \"$1/month\"), or for each (\"$0.0000004/call\")"},
    [P_COUNT] = {.name = "count",
                 .type = RR_P_REAL,
                 .offset = offsetof(struct services, count),
                 .unit = "",
                 .def = "1",
                 .least = 0,
                 .most = MOST,
                 .help = "things that are there all the time, at a rate with a time"},
    [P_PER_MONTH] = {.name = "per_month",
                     .type = RR_P_REAL,
                     .offset = offsetof(struct services, per_month),
                     .unit = "",
                     .least = 0,
                     .most = MOST,
                     .help = "units a calendar month, at a rate for each"},
    [P_GPU_HOUR] = {.name = "per_gpu_hour",
                    .type = RR_P_REAL,
                    .offset = offsetof(struct services, per_gpu_hour),
                    .unit = "",
                    .least = 0,
                    .most = MOST,
                    .help = "units for each GPU-hour that jobs held"},
    [P_JOB] = {.name = "per_job",
               .type = RR_P_REAL,
               .offset = offsetof(struct services, per_job),
               .unit = "",
               .least = 0,
               .most = MOST,
               .help = "units for each job that finished"},
    [P_CHANGE] = {.name = "change_per_year",
                  .type = RR_P_CHANGE,
                  .offset = offsetof(struct services, change),
                  .unit = "share a year",
                  .least = -0.99,
                  .most = 10,
                  .help = "\"count\" and \"per_month\" change by it, a step each month"},
    [P_TIERS] = {.name = "tiers",
                 .type = RR_P_TIERS,
                 .offset = offsetof(struct services, tiers),
                 .unit = "",
                 .help = "rates by units in the month, marginal: [{\"up_to\": 1000000, \"rate\": \"$0.0000004/call\"}, ...]"},
    [P_UNIT] = {.name = "unit",
                .type = RR_P_TEXT,
                .offset = offsetof(struct services, unit),
                .unit = "",
                .def = "\"unit\"",
                .help = "what a thing or unit is called on the bill"},
};

static int64_t millionths(double x) { return llround(x * MILLION); }

static enum rr_status services_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct services *sv = params;
    const struct rr_rate shape = sv->tiers != NULL && sv->tiers->has_rates ? sv->tiers->tier[0].rate.rate : sv->rate.rate;
    (void)pool, (void)catalog;
    RR_TRY(rr_around_check(s));
    sv->held = shape.time != RR_EVER;
    if (sv->held && (rr_given(sv, P_PER_MONTH) || rr_given(sv, P_GPU_HOUR) || rr_given(sv, P_JOB)))
        return rr_fail(RR_EINPUT,
                       "a rate with a time is for \"count\" things; for quantities give a rate for each, such as \"$0.0000004/call\"");
    if (!sv->held && rr_given(sv, P_COUNT))
        return rr_fail(RR_EINPUT, "\"count\" things need a rate with a time, such as \"$0.005/h\" or \"$1/month\"");
    if (!sv->held && !rr_given(sv, P_PER_MONTH) && !rr_given(sv, P_GPU_HOUR) && !rr_given(sv, P_JOB))
        rr_note(notes, RR_NOTE_WARNING, pointer, "", "nothing is used: give \"per_month\", \"per_gpu_hour\" or \"per_job\"");
    sv->flow = (struct rr_flow){millionths(sv->per_month), millionths(sv->per_gpu_hour), millionths(sv->per_job), sv->change};
    return rr_tariff_make(s, rr_given(sv, P_RATE) ? &sv->rate : NULL, sv->tiers, RR_TIER_NUMBER, shape.per, shape.time,
                          "$0.005/h\", \"$1/month\" or \"$0.0000004/call", arena, &sv->tariff);
}

/* `count` things over part of a month. */
static enum rr_status charge_held(const struct services *sv, const struct rr_months *m, size_t i, struct rr_charge c, struct rr_sink *sink)
{
    const int64_t count = rr_grown(millionths(sv->count), sv->change, i), time = m->part[i].to_us - m->part[i].from_us;
    const enum rr_per_time t = sv->tariff.time;
    const int64_t fixed = rr_per_time_us(t), per = fixed > 0 ? fixed : m->length_us[i] * (t == RR_YEAR ? 12 : 1);
    if (fixed > 0) return rr_tariff_charge(&sv->tariff, (rr_i128)count * time, fixed, (rr_i128)MILLION * per, c, sink);
    return rr_tariff_charge(&sv->tariff, (rr_i128)count * time, m->length_us[i], (rr_i128)MILLION * per, c, sink);
}

static enum rr_status services_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct services *sv = params;
    struct rr_months m;
    RR_TRY(rr_months_of(b, &m));
    for (size_t i = 0; i < m.n; i++) {
        const struct rr_charge c = rr_month_charge(&m, i, rr_price_services.kind.name, b->scenario->charge[entry].name, sv->unit);
        rr_i128 used;
        if (sv->held) {
            RR_TRY(charge_held(sv, &m, i, c, sink));
            continue;
        }
        RR_TRY(rr_flow_month(&sv->flow, &m, i, &used));
        RR_TRY(rr_tariff_charge(&sv->tariff, used, 1, MILLION, c, sink));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_services = {
    .kind = {.name = "services",
             .summary = "anything else: requests, addresses, keys, licences; by thing and time, or by the unit",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct services),
             .use = RR_USE_CHARGE},
    .calls = true,
    .resolve = services_resolve,
    .bill = services_bill,
};
