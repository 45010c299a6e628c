/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/explain.c - `rackrate explain METRIC...`: meaning and unit of the numbers in results.json. */
#include "sim/cli/cli.h"
#include "data/metric.h"

static const struct rr_option options[] = {{0, "json", NULL, false, "one JSON document"}};

const char *rr_metric_unit_text(int unit)
{
    switch ((enum rr_metric_unit)unit) {
    case RR_U_MONEY: return "currency units";
    case RR_U_MONEY_PER_GPU_HOUR: return "currency units per GPU-hour";
    case RR_U_MONEY_PER_MONTH: return "currency units per month";
    case RR_U_MONEY_PER_JOB: return "currency units per job";
    case RR_U_SECONDS: return "s";
    case RR_U_GPU_HOURS: return "GPU-hours";
    case RR_U_COUNT: return "count";
    case RR_U_RATIO: return "ratio";
    case RR_U_KWH: return "kWh";
    case RR_U_KG: return "kg CO2e";
    }
    return "";
}

static enum rr_status find(const char *name, struct rr_arena *a, int *ret)
{
    *ret = rr_metric_find(name);
    if (*ret >= 0) return RR_OK;
    const char *names[RR_METRICS];
    for (int i = 0; i < RR_METRICS; i++) names[i] = rr_metric_info[i].name;
    return rr_fail(RR_EUSAGE, "unknown metric \"%s\"%s (rackrate list metrics)", name, rr_did_you_mean(a, name, names, RR_METRICS));
}

static enum rr_status explain_run(const struct rr_args *args)
{
    const bool json = rr_arg_given(&rr_command_explain, args, "json");
    struct rr_buf b = {0};
    if (json) rr_buf_puts(&b, "{\"schema\": \"rackrate.explain/1\", \"metrics\": [");
    for (size_t i = 0; i < args->n_operands; i++) {
        int m;
        const enum rr_status st = find(args->operand[i], args->arena, &m);
        if (st != RR_OK) {
            rr_buf_done(&b);
            return st;
        }
        const struct rr_metric_info *info = &rr_metric_info[m];
        const char *unit = rr_metric_unit_text(info->unit);
        if (!json) {
            rr_buf_putf(&b, "%s (%s): %s\n", info->name, unit, info->help);
            continue;
        }
        rr_buf_putf(&b, "%s{\"name\": \"%s\", \"unit\": \"%s\", \"meaning\": ", i ? ", " : "", info->name, unit);
        rr_buf_json(&b, info->help);
        rr_buf_puts(&b, "}");
    }
    if (json) rr_buf_puts(&b, "]}\n");
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

const struct rr_command rr_command_explain = {
    .name = "explain",
    .summary = "the meaning and unit of a metric",
    .usage = "METRIC... [--json]",
    .examples = "rackrate explain cost.total\n"
                "rackrate explain wait.p95 jct.p95",
    .options = options,
    .n_options = 1,
    .least = 1,
    .most = -1,
    .run = explain_run,
};
