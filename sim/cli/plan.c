/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/plan.c - `rackrate plan`: how many nodes are enough, and what breaks with one less. */
#include "models/price/price.h"
#include "sim/cli/plan.h"
#include "sim/study/capacity.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {0, "capacity", NULL, false, "the smallest pool that meets the scenario's \"service\" limits"},
    {0, "commitments", NULL, false, "what to reserve and which savings plan, for a scenario or an hourly demand curve (.csv)"},
    {0, "learn", "SHARE", false, "of the hours that the choice of commitments sees; the rest scores it (default \"50 %\")"},
    {0, "savings", "[NAME=]SHARE", true, "a savings plan takes this off on demand: \"30 %\", or of a family, \"aws/p5=35 %\""},
    {0, "prices", "BOOK", true, "price book that holds before the shipped facts, for a demand curve"},
    {0, "pool", "NAME", true, "pool whose size is searched; given twice: the cheapest mix of both (default: the only static one)"},
    {0, "alternative", "NAME", false, "in which alternative (default: the only one)"},
    {0, "most", "N", false, "nodes of a pool at most (default 10000)"},
    {0, "set", "PTR=VALUE", true, "set one value, by JSON pointer"},
    {0, "assumptions", "FILE", true, "take values from an assumption register (CSV; a run writes its own as assumptions.csv)"},
    {0, "values", "FILE", true, "lay a JSON file over the scenario (merge patch), in the order given"},
    {0, "seed", "N", false, "seed of all random streams, instead of the scenario's"},
    {0, "reps", "N", false, "replications, instead of the scenario's"},
    {'j', "threads", "N", false, "threads for replications (default: all processors)"},
    {0, "json", NULL, false, "one JSON document"},
};
const struct rr_command rr_command_plan;

static void show_progress(void *ctx, size_t tried)
{
    (void)ctx;
    fprintf(stderr, "\r%zu sizes tried  ", tried);
    fflush(stderr);
}

/* ---- which pools ---- */

static enum rr_status default_pool(const struct rr_scenario_set *set, struct rr_capacity_options *opt, struct rr_arena *a)
{
    const char **name = RR_NEWS(a, const char *, 1);
    size_t n = 0;
    const struct rr_scenario *v = set->variant[0];
    for (size_t i = 0; i < set->n_variants; i++)
        if (opt->alternative &&
            (!strcmp(set->variant[i]->variant, opt->alternative) || !strcmp(set->variant[i]->alternative, opt->alternative)))
            v = set->variant[i];
    for (size_t p = 0; p < v->n_pools; p++) {
        if (v->pool[p].nodes_min != v->pool[p].nodes_max || v->pool[p].nodes_file) continue;
        name[0] = v->pool[p].name;
        n++;
    }
    if (n == 0)
        return rr_fail(RR_EINPUT,
                       "%s: /pools: no pool of \"%s\" has a fixed number of like nodes to search: give one \"nodes\" a number, such as 8",
                       set->path, v->variant);
    if (n != 1) return rr_fail(RR_EUSAGE, "plan: %zu static pools in \"%s\": say which with --pool NAME", n, v->variant);
    opt->pools = name;
    opt->n_pools = 1;
    return RR_OK;
}

/* ---- the answer ---- */

static void put_counts(struct rr_buf *b, const struct rr_capacity_options *opt, const int64_t *nodes)
{
    for (size_t k = 0; k < opt->n_pools; k++)
        rr_buf_putf(b, "%s%" PRId64 " node%s of \"%s\"", k ? " and " : "", nodes[k], nodes[k] == 1 ? "" : "s", opt->pools[k]);
}

static void put_text(struct rr_buf *b, const struct rr_scenario_set *set, const struct rr_capacity_options *opt,
                     const struct rr_capacity *c)
{
    const char *currency = set->variant[0]->currency;
    put_counts(b, opt, c->best.nodes);
    rr_buf_puts(b, opt->n_pools > 1 ? " are the cheapest mix that meets" : c->best.nodes[0] == 1 ? " meets" : " are the fewest that meet");
    rr_buf_puts(b, " the service limits");
    if (!isnan(c->best.cost)) {
        rr_buf_puts(b, ": ");
        rr_buf_money(b, (struct rr_money){(int64_t)llround(c->best.cost * 1e6)}, currency, 0);
    }
    rr_buf_puts(b, "\n");
    if (c->below.nodes[0] >= 0) {
        rr_buf_puts(b, "With ");
        put_counts(b, opt, c->below.nodes);
        rr_buf_putf(b, ": %s\n", c->below.good ? "the limits are met too, at a higher cost" : c->below.detail);
    }
    rr_buf_puts(b, "\n     nodes       wait p95  allocated               cost\n");
    for (size_t i = 0; i < c->n_tried; i++) {
        const struct rr_capacity_point *p = &c->tried[i];
        struct rr_buf wait = {0}, cost = {0};
        if (isnan(p->wait_p95_s))
            rr_buf_puts(&wait, "-");
        else
            rr_buf_time_short(&wait, (int64_t)(p->wait_p95_s * 1e6));
        if (isnan(p->cost))
            rr_buf_puts(&cost, "-");
        else
            rr_buf_money(&cost, (struct rr_money){(int64_t)llround(p->cost * 1e6)}, currency, 0);
        char nodes[48];
        if (opt->n_pools > 1)
            snprintf(nodes, sizeof nodes, "%" PRId64 " + %" PRId64, p->nodes[0], p->nodes[1]);
        else
            snprintf(nodes, sizeof nodes, "%" PRId64, p->nodes[0]);
        char share[16] = "-";
        if (!isnan(p->allocated_share)) snprintf(share, sizeof share, "%.1f %%", 100 * p->allocated_share);
        rr_buf_putf(b, "%10s %14s %10s %18s  %s\n", nodes, rr_buf_text(&wait), share, rr_buf_text(&cost), p->good ? "meets" : p->detail);
        rr_buf_done(&wait);
        rr_buf_done(&cost);
    }
}

static void put_json_point(struct rr_buf *b, const struct rr_capacity_options *opt, const struct rr_capacity_point *p)
{
    rr_buf_puts(b, "{\"nodes\": {");
    for (size_t k = 0; k < opt->n_pools; k++) {
        rr_buf_puts(b, k ? ", " : "");
        rr_buf_json(b, opt->pools[k]);
        rr_buf_putf(b, ": %" PRId64, p->nodes[k]);
    }
    rr_buf_putf(b, "}, \"meets\": %s, \"detail\": ", p->good ? "true" : "false");
    rr_buf_json(b, p->detail);
    rr_buf_puts(b, ", \"cost.total\": ");
    rr_buf_double(b, p->cost);
    rr_buf_puts(b, ", \"wait.p95\": ");
    rr_buf_double(b, p->wait_p95_s);
    rr_buf_puts(b, ", \"gpu.allocated_share\": ");
    rr_buf_double(b, p->allocated_share);
    rr_buf_puts(b, "}");
}

static void put_json(struct rr_buf *b, const struct rr_scenario_set *set, const struct rr_capacity_options *opt,
                     const struct rr_capacity *c)
{
    rr_buf_puts(b, "{\"schema\": \"rackrate.capacity/1\", \"name\": ");
    rr_buf_json(b, set->name);
    rr_buf_puts(b, ", \"currency\": ");
    rr_buf_json(b, set->variant[0]->currency);
    rr_buf_puts(b, ",\n \"best\": ");
    put_json_point(b, opt, &c->best);
    rr_buf_puts(b, ",\n \"below\": ");
    if (c->below.nodes[0] >= 0)
        put_json_point(b, opt, &c->below);
    else
        rr_buf_puts(b, "null");
    rr_buf_puts(b, ",\n \"tried\": [");
    for (size_t i = 0; i < c->n_tried; i++) {
        rr_buf_puts(b, i ? ",\n  " : "\n  ");
        put_json_point(b, opt, &c->tried[i]);
    }
    rr_buf_puts(b, "]}\n");
}

static enum rr_status answer(const struct rr_args *a, struct rr_scenario_set *set, const struct rr_catalog *catalog,
                             struct rr_capacity_options *opt)
{
    struct rr_capacity found;
    if (opt->n_pools == 0) RR_TRY(default_pool(set, opt, a->arena));
    if (opt->n_pools > 2) return rr_fail(RR_EUSAGE, "plan: --pool may be given twice at most");
    opt->progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    const enum rr_status st = rr_capacity_find(set, catalog, opt, &found);
    if (opt->progress) fputs("\r\033[K", stderr);
    if (st != RR_OK) return st;
    struct rr_buf b = {0};
    (rr_arg_given(&rr_command_plan, a, "json") ? put_json : put_text)(&b, set, opt, &found);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static enum rr_status plan(const struct rr_args *a)
{
    const size_t set_at = rr_option_index(&rr_command_plan, "set"), values = rr_option_index(&rr_command_plan, "values"),
                 pool = rr_option_index(&rr_command_plan, "pool"), assumptions = rr_option_index(&rr_command_plan, "assumptions");
    struct rr_scenario_options load = {.set = a->value[set_at],
                                       .n_set = a->n_values[set_at],
                                       .values = a->value[values],
                                       .n_values = a->n_values[values],
                                       .registers = a->value[assumptions],
                                       .n_registers = a->n_values[assumptions]};
    struct rr_capacity_options opt = {
        .alternative = rr_arg(&rr_command_plan, a, "alternative", NULL), .pools = a->value[pool], .n_pools = a->n_values[pool]};
    struct rr_catalog catalog;
    struct rr_scenario_set *set = NULL;
    int64_t threads;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const bool commitments = rr_arg_given(&rr_command_plan, a, "commitments");
    if (rr_arg_given(&rr_command_plan, a, "capacity") == commitments)
        return rr_fail(RR_EUSAGE, "plan: say what to plan: --capacity or --commitments");
    RR_TRY(rr_arg_whole(&rr_command_plan, a, "seed", 0, -1, &load.seed));
    RR_TRY(rr_arg_whole(&rr_command_plan, a, "reps", 1, -1, &load.reps));
    RR_TRY(rr_arg_whole(&rr_command_plan, a, "most", 1, 10000, &opt.most));
    RR_TRY(rr_arg_whole(&rr_command_plan, a, "threads", 1, online > 0 ? online : 1, &threads));
    opt.threads = threads > 256 ? 256 : (int)threads;
    RR_TRY(rr_cli_catalog(a->arena, &catalog));
    if (commitments) return rr_cli_plan_commitments(a, &load, &catalog, opt.threads);
    RR_TRY(rr_scenario_load(a->operand[0], &load, &rr_registry, &catalog, &set));
    const enum rr_status st = answer(a, set, &catalog, &opt);
    rr_scenario_set_free(set);
    return st;
}

const struct rr_command rr_command_plan = {
    .name = "plan",
    .summary = "how many nodes are enough, and what to commit to",
    .usage = "SCENARIO --capacity|--commitments [options]",
    .examples = "  rackrate plan cluster.json --capacity\n"
                "  rackrate plan cluster.json --capacity --pool own --alternative buy --json\n"
                "  rackrate plan two-kinds.json --capacity --pool h100 --pool a100     the cheapest mix\n"
                "  rackrate plan rent.json --commitments --savings \"28 %\"\n"
                "  rackrate plan demand.csv --commitments --learn \"75 %\" --json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = plan,
};
