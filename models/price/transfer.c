/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/transfer.c - data that moves: to the internet, between regions or zones, by the GB.
 *
 * Tiers are marginal and start anew each calendar month, with their full limits also in a month that is cut off. What is free each month
 * (`allowance`) comes off first. */
#include "models/price/around.h"

static const char *const kind_words[] = {"egress", "inter_region", "inter_zone", "ingress", "private_link", NULL};

struct transfer {
    uint64_t given;
    int kind;
    struct rr_flow flow;
    int64_t allowance_bytes;
    struct rr_price rate;
    const struct rr_tiers *tiers;
    struct rr_tariff tariff; /* resolved */
};
enum { P_KIND, P_PER_MONTH, P_CHANGE, P_GPU_HOUR, P_JOB, P_ALLOWANCE, P_RATE, P_TIERS };
#define GB 1000000000

static const struct rr_param rows[] = {
    [P_KIND] = {.name = "kind",
                .type = RR_P_WORD,
                .offset = offsetof(struct transfer, kind),
                .unit = "",
                .def = "\"egress\"",
                .help = "where it goes; the line of the bill",
                .words = kind_words},
    [P_PER_MONTH] = {.name = "per_month",
                     .type = RR_P_BYTES,
                     .offset = offsetof(struct transfer, flow.per_month),
                     .unit = "bytes",
                     .help = "data a calendar month"},
    [P_CHANGE] = {.name = "change_per_year",
                  .type = RR_P_CHANGE,
                  .offset = offsetof(struct transfer, flow.change_per_year),
                  .unit = "share a year",
                  .least = -0.99,
                  .most = 10,
                  .help = "\"per_month\" changes by it, a step each month"},
    [P_GPU_HOUR] = {.name = "per_gpu_hour",
                    .type = RR_P_BYTES,
                    .offset = offsetof(struct transfer, flow.per_gpu_hour),
                    .unit = "bytes",
                    .help = "data for each GPU-hour that jobs held"},
    [P_JOB] = {.name = "per_job",
               .type = RR_P_BYTES,
               .offset = offsetof(struct transfer, flow.per_job),
               .unit = "bytes",
               .help = "data for each job that finished"},
    [P_ALLOWANCE] = {.name = "allowance",
                     .type = RR_P_BYTES,
                     .offset = offsetof(struct transfer, allowance_bytes),
                     .unit = "bytes a month",
                     .help = "free each calendar month"},
    [P_RATE] = {.name = "rate", .type = RR_P_RATE, .offset = offsetof(struct transfer, rate), .unit = "", .help = "such as \"$0.09/GB\""},
    [P_TIERS] = {.name = "tiers",
                 .type = RR_P_TIERS,
                 .offset = offsetof(struct transfer, tiers),
                 .unit = "",
                 .help = "rates by volume in the month, marginal: [{\"up_to\": \"10 TB\", \"rate\": \"$0.09/GB\"}, ...]"},
};

static enum rr_status transfer_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct transfer *t = params;
    (void)pool, (void)catalog;
    RR_TRY(rr_around_check(s));
    if (t->flow.per_month == 0 && t->flow.per_gpu_hour == 0 && t->flow.per_job == 0)
        rr_note(notes, RR_NOTE_WARNING, pointer, "", "nothing is transferred: give \"per_month\", \"per_gpu_hour\" or \"per_job\"");
    return rr_tariff_make(s, rr_given(t, P_RATE) ? &t->rate : NULL, t->tiers, RR_TIER_BYTES, RR_PER_GB, RR_EVER, "$0.09/GB", arena,
                          &t->tariff);
}

static enum rr_status transfer_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct transfer *t = params;
    struct rr_months m;
    (void)entry;
    RR_TRY(rr_months_of(b, &m));
    for (size_t i = 0; i < m.n; i++) {
        rr_i128 bytes;
        RR_TRY(rr_flow_month(&t->flow, &m, i, &bytes));
        const struct rr_charge c = rr_month_charge(&m, i, rr_price_transfer.kind.name, kind_words[t->kind], "GB");
        RR_TRY(rr_tariff_charge(&t->tariff, bytes - t->allowance_bytes, 1, GB, c, sink));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_transfer = {
    .kind = {.name = "transfer",
             .summary = "data that leaves, or goes between regions, by the GB with monthly tiers",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct transfer),
             .use = RR_USE_CHARGE},
    .calls = true,
    .resolve = transfer_resolve,
    .bill = transfer_bill,
};
