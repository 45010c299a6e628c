/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/storage.c - data that is kept: GB-months by the real length of each month, and provisioned throughput.
 *
 * The size steps at the start of each calendar month: size x (1 + growth)^(months / 12) + months x grows, and all that the jobs of this and earlier
 * months left behind, for as long as it is kept. A GB is 10^9 bytes, a GiB 2^30; a part of a month goes by time. */
#include "data/base/units.h"
#include "models/price/around.h"
#include <math.h>
#include <string.h>

struct storage {
    uint64_t given;
    int64_t size_bytes, grows_bytes, keep_months;
    struct rr_flow left; /* by jobs */
    double growth;
    struct rr_price rate;
    const struct rr_tiers *tiers;
    const char *throughput;
    struct rr_amount throughput_rate;
    /* resolved */
    struct rr_tariff tariff;
    int64_t bytes_s;
    struct rr_money per_mb_s; /* and month */
};
enum { P_SIZE, P_GROWS, P_GROWTH, P_GPU_HOUR, P_JOB, P_KEEP, P_RATE, P_TIERS, P_THROUGHPUT, P_THROUGHPUT_RATE };
#define GB 1000000000

static const struct rr_param rows[] = {
    [P_SIZE] = {.name = "size",
                .type = RR_P_BYTES,
                .offset = offsetof(struct storage, size_bytes),
                .unit = "bytes",
                .def = "\"0 B\"",
                .help = "data kept from the start on"},
    [P_GROWS] = {.name = "grows",
                 .type = RR_P_BYTES,
                 .offset = offsetof(struct storage, grows_bytes),
                 .unit = "bytes a month",
                 .help = "more of it each calendar month"},
    [P_GROWTH] = {.name = "growth_per_year",
                  .type = RR_P_CHANGE,
                  .offset = offsetof(struct storage, growth),
                  .unit = "share a year",
                  .least = -0.99,
                  .most = 10,
                  .help = "\"size\" grows by it, a step each month"},
    [P_GPU_HOUR] = {.name = "per_gpu_hour",
                    .type = RR_P_BYTES,
                    .offset = offsetof(struct storage, left.per_gpu_hour),
                    .unit = "bytes",
                    .help = "left behind by each GPU-hour that jobs held"},
    [P_JOB] = {.name = "per_job",
               .type = RR_P_BYTES,
               .offset = offsetof(struct storage, left.per_job),
               .unit = "bytes",
               .help = "left behind by each job that finished"},
    [P_KEEP] = {.name = "keep_months",
                .type = RR_P_INT,
                .offset = offsetof(struct storage, keep_months),
                .unit = "months",
                .least = 1,
                .most = 1200,
                .help = "how long that is kept, the month that it comes in counted; absent: for ever"},
    [P_RATE] =
        {.name = "rate", .type = RR_P_RATE, .offset = offsetof(struct storage, rate), .unit = "", .help = "such as \"$0.023/GB/month\""},
    [P_TIERS] = {.name = "tiers",
                 .type = RR_P_TIERS,
                 .offset = offsetof(struct storage, tiers),
                 .unit = "",
                 .help = "rates by size, marginal: [{\"up_to\": \"50 TB\", \"rate\": \"$0.023/GB/month\"}, ...]"},
    [P_THROUGHPUT] = {.name = "throughput",
                      .type = RR_P_TEXT,
                      .offset = offsetof(struct storage, throughput),
                      .unit = "",
                      .help = "provisioned throughput, such as \"2 GB/s\""},
    [P_THROUGHPUT_RATE] = {.name = "throughput_rate",
                           .type = RR_P_MONEY,
                           .offset = offsetof(struct storage, throughput_rate),
                           .unit = "per MB/s and month",
                           .help = "price of it, such as \"$0.04\""},
};

static enum rr_status resolve_throughput(struct storage *st, const struct rr_scenario *s)
{
    double bytes_s;
    if (rr_given(st, P_THROUGHPUT) != rr_given(st, P_THROUGHPUT_RATE))
        return rr_fail(RR_EINPUT, "give \"throughput\" and \"throughput_rate\" together");
    if (!rr_given(st, P_THROUGHPUT)) return RR_OK;
    RR_TRY(rr_unit_bandwidth(rr_slice(st->throughput, strlen(st->throughput)), &bytes_s));
    if (!(bytes_s >= 0 && bytes_s < 9e15)) return rr_fail(RR_EINPUT, "\"throughput\" does not fit");
    st->bytes_s = llround(bytes_s);
    if (st->throughput_rate.money.micro < 0) return rr_fail(RR_EINPUT, "\"throughput_rate\" is negative");
    return rr_scenario_money(s, st->throughput_rate, &st->per_mb_s);
}

static enum rr_status storage_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                      const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct storage *st = params;
    (void)pool, (void)pointer, (void)catalog, (void)notes;
    RR_TRY(rr_around_check(s));
    if (st->keep_months == 0) st->keep_months = INT32_MAX;
    RR_TRY(resolve_throughput(st, s));
    return rr_tariff_make(s, rr_given(st, P_RATE) ? &st->rate : NULL, st->tiers, RR_TIER_BYTES, RR_PER_GB, RR_MONTH, "$0.023/GB/month",
                          arena, &st->tariff);
}

static enum rr_status storage_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct storage *st = params;
    struct rr_months m;
    rr_i128 left = 0;
    RR_TRY(rr_months_of(b, &m));
    rr_i128 *came = RR_NEWS(b->arena, rr_i128, m.n);
    for (size_t i = 0; i < m.n; i++) {
        const int64_t time = m.part[i].to_us - m.part[i].from_us;
        RR_TRY(rr_flow_month(&st->left, &m, i, &came[i]));
        left += came[i];
        if (i >= (size_t)st->keep_months) left -= came[i - (size_t)st->keep_months];
        const rr_i128 size = rr_grown(st->size_bytes, st->growth, i) + (rr_i128)st->grows_bytes * (int64_t)i + left;
        const struct rr_charge c = rr_month_charge(&m, i, rr_price_storage.kind.name, b->scenario->charge[entry].name, "GB-month");
        RR_TRY(rr_tariff_charge(&st->tariff, size * time, m.length_us[i], (rr_i128)GB * m.length_us[i], c, sink));
        if (st->bytes_s == 0) continue;
        struct rr_charge t = rr_month_charge(&m, i, rr_price_storage.kind.name, "throughput", "MB/s-month");
        RR_TRY(rr_round_div((rr_i128)st->per_mb_s.micro * st->bytes_s * time, (rr_i128)1000000 * m.length_us[i], &t.billed.micro));
        t.effective = t.billed;
        t.quantity = (double)st->bytes_s / 1e6 * (double)time / (double)m.length_us[i];
        RR_TRY(sink->emit(sink, &t));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_storage = {
    .kind = {.name = "storage",
             .summary = "data that is kept, by GB and month, and provisioned throughput",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct storage),
             .use = RR_USE_CHARGE},
    .calls = true,
    .resolve = storage_resolve,
    .bill = storage_bill,
};
