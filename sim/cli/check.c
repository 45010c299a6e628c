/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/check.c - `rackrate check SCENARIO...`: is it right, and what does it come to with all defaults? */
#include "sim/cli/cli.h"
#include "models/price/price.h"
#include "sim/study/study.h"
#include <string.h>

static const struct rr_option options[] = {
    {0, "print", NULL, false, "show every parameter with its value, unit, source, and whether it is a default"},
    {0, "set", "PTR=VALUE", true, "change one value, as in --set /pools/own/nodes=4"},
    {0, "assumptions", "FILE", true, "take values from an assumption register (CSV)"},
    {0, "values", "FILE", true, "merge a JSON file over the scenario"},
    {0, "schema", NULL, false, "print the JSON Schema of scenarios and stop"},
    {0, "json", NULL, false, "one JSON document"},
};

static void put_schema(void)
{
    cJSON *schema = rr_scenario_schema(&rr_registry);
    char *text = cJSON_Print(schema);
    rr_say(text);
    rr_say("\n");
    cJSON_free(text);
    cJSON_Delete(schema);
}

/* What loading leaves open: prices from the facts, then the traces and all that the engine asks of its parts before it starts. */
static enum rr_status check_set(const struct rr_catalog *catalog, struct rr_scenario_set *set)
{
    for (size_t i = 0; i < set->n_variants; i++) {
        struct rr_scenario *s = set->variant[i];
        s->notes.arena = set->arena;
        RR_TRY(rr_price_resolve(s, catalog, set->arena, &s->notes));
    }
    return rr_study_check(set, &set->notes);
}

static void put_count(struct rr_buf *b, size_t n, const char *one, const char *many) { rr_buf_putf(b, ", %zu %s", n, n == 1 ? one : many); }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Variants may differ: the largest count of any. */
static void put_line(struct rr_buf *b, const struct rr_scenario_set *set)
{
    size_t workloads = 0, pools = 0, commitments = 0, replications = 1;
    for (size_t i = 0; i < set->n_variants; i++) {
        const struct rr_scenario *s = set->variant[i];
        workloads = larger(workloads, s->n_workloads);
        pools = larger(pools, s->n_pools);
        commitments = larger(commitments, s->n_commitments);
        replications = larger(replications, (size_t)s->replications);
    }
    rr_buf_putf(b, "ok %s: %zu %s", set->path, set->n_variants, set->n_variants == 1 ? "variant" : "variants");
    put_count(b, workloads, "workload", "workloads");
    put_count(b, pools, "pool", "pools");
    put_count(b, commitments, "commitment", "commitments");
    put_count(b, set->n_gates, "gate", "gates");
    put_count(b, replications, "replication", "replications");
    rr_buf_puts(b, "\n");
}

static void put_notes(struct rr_buf *b, const struct rr_notes *notes)
{
    static const char *const kind[] = {"assumed", "warning", "data", "given"};
    for (size_t i = 0; i < notes->list.n; i++) {
        const struct rr_note *n = &notes->list.at[i];
        rr_buf_putf(b, "%s{\"kind\": \"%s\", \"where\": ", i ? ", " : "", kind[n->kind]);
        rr_buf_json(b, n->where);
        rr_buf_puts(b, ", \"text\": ");
        rr_buf_json(b, n->text);
        rr_buf_puts(b, ", \"source\": ");
        rr_buf_json(b, n->source);
        rr_buf_puts(b, "}");
    }
}

static bool has_warning(const struct rr_notes *notes, const struct rr_note *like)
{
    for (size_t i = 0; i < notes->list.n; i++) {
        const struct rr_note *n = &notes->list.at[i];
        if (n->kind == RR_NOTE_WARNING && strcmp(n->where, like->where) == 0 && strcmp(n->text, like->text) == 0) return true;
    }
    return false;
}

/* Which variants it is about, where it is not all of them: the first one by name. */
static void put_variants(struct rr_buf *b, const struct rr_scenario_set *set, const struct rr_note *n)
{
    size_t count = 0, first = 0;
    for (size_t v = set->n_variants; v-- > 0;)
        if (has_warning(&set->variant[v]->notes, n)) {
            count++;
            first = v;
        }
    if (count == 0 || count == set->n_variants) return;
    rr_buf_putf(b, " (in \"%s\"", set->variant[first]->variant);
    if (count > 1) rr_buf_putf(b, " and %zu more", count - 1);
    rr_buf_puts(b, ")");
}

/* One line each, on stderr: what several variants have in common once. */
static void warn(const struct rr_scenario_set *set)
{
    struct rr_notes all = {.arena = set->arena};
    struct rr_buf b = {0};
    for (size_t v = 0; v <= set->n_variants; v++) {
        const struct rr_notes *notes = v < set->n_variants ? &set->variant[v]->notes : &set->notes;
        for (size_t i = 0; i < notes->list.n; i++) {
            const struct rr_note *n = &notes->list.at[i];
            if (n->kind == RR_NOTE_WARNING) rr_note(&all, n->kind, n->where, n->source, "%s", n->text);
        }
    }
    for (size_t i = 0; i < all.list.n; i++) {
        const struct rr_note *n = &all.list.at[i];
        rr_buf_putf(&b, "rackrate: %s: warning: %s%s%s", set->path, n->where, *n->where ? ": " : "", n->text);
        put_variants(&b, set, n);
        rr_buf_puts(&b, "\n");
    }
    fputs(rr_buf_text(&b), stderr);
    rr_buf_done(&b);
    rr_notes_done(&all);
}

static void put_json(struct rr_buf *b, const struct rr_scenario_set *set)
{
    rr_buf_puts(b, "{\"path\": ");
    rr_buf_json(b, set->path);
    rr_buf_putf(b, ", \"sha256\": \"%s\", \"gates\": %zu, \"variants\": [", set->sha256, set->n_gates);
    for (size_t i = 0; i < set->n_variants; i++) {
        const struct rr_scenario *s = set->variant[i];
        rr_buf_puts(b, i ? ", {\"name\": " : "{\"name\": ");
        rr_buf_json(b, s->variant);
        rr_buf_putf(b, ", \"workloads\": %zu, \"pools\": %zu, \"commitments\": %zu, \"notes\": [", s->n_workloads, s->n_pools,
                    s->n_commitments);
        put_notes(b, &s->notes);
        rr_buf_puts(b, "]}");
    }
    rr_buf_puts(b, "], \"notes\": [");
    put_notes(b, &set->notes);
    rr_buf_puts(b, "]}");
}

static enum rr_status check_one(const char *path, const struct rr_args *args, const struct rr_scenario_options *opt,
                                const struct rr_catalog *catalog, struct rr_buf *b)
{
    struct rr_scenario_set *set = NULL;
    RR_TRY(rr_scenario_load(path, opt, &rr_registry, catalog, &set));
    enum rr_status st = check_set(catalog, set);
    if (st == RR_OK && rr_arg_given(&rr_command_check, args, "print"))
        for (size_t i = 0; i < set->n_variants; i++) rr_scenario_print(b, set->variant[i], &rr_registry);
    if (st == RR_OK && rr_arg_given(&rr_command_check, args, "json"))
        put_json(b, set);
    else if (st == RR_OK)
        put_line(b, set);
    if (st == RR_OK && !rr_arg_given(&rr_command_check, args, "json")) warn(set);
    rr_scenario_set_free(set);
    return st;
}

/* One wrong scenario of several does not hide the others: each gets its line on stderr. */
static enum rr_status check_all(const struct rr_args *args, const struct rr_scenario_options *opt, const struct rr_catalog *catalog,
                                struct rr_buf *b)
{
    int worst = RR_OK;
    size_t wrong = 0, written = b->n;
    for (size_t i = 0; i < args->n_operands; i++) {
        if (b->n > written && rr_arg_given(&rr_command_check, args, "json")) rr_buf_puts(b, ",\n");
        written = b->n;
        const enum rr_status st = check_one(args->operand[i], args, opt, catalog, b);
        if (st == RR_OK) continue;
        if (args->n_operands == 1) return st;
        fprintf(stderr, "rackrate: %s\n", rr_reason());
        worst = rr_status_worse(worst, st);
        wrong++;
    }
    return wrong ? rr_fail((enum rr_status)worst, "%zu of %zu scenarios are wrong", wrong, args->n_operands) : RR_OK;
}

static enum rr_status check_run(const struct rr_args *args)
{
    const struct rr_command *c = &rr_command_check;
    if (rr_arg_given(c, args, "schema")) {
        put_schema();
        return RR_OK;
    }
    if (args->n_operands == 0) return rr_fail(RR_EUSAGE, "something is missing: rackrate check %s", c->usage);
    struct rr_catalog catalog;
    RR_TRY(rr_cli_catalog(args->arena, &catalog));
    const size_t set = rr_option_index(&rr_command_check, "set"), values = rr_option_index(&rr_command_check, "values"),
                 assumptions = rr_option_index(&rr_command_check, "assumptions");
    const struct rr_scenario_options opt = {.set = args->value[set],
                                            .n_set = args->n_values[set],
                                            .values = args->value[values],
                                            .n_values = args->n_values[values],
                                            .registers = args->value[assumptions],
                                            .n_registers = args->n_values[assumptions],
                                            .seed = -1,
                                            .reps = -1};
    const bool json = rr_arg_given(c, args, "json");
    struct rr_buf b = {0};
    if (json) rr_buf_puts(&b, "{\"schema\": \"rackrate.check/1\", \"scenarios\": [");
    const enum rr_status st = check_all(args, &opt, &catalog, &b);
    if (json) rr_buf_puts(&b, "]}\n");
    if (!json || st == RR_OK || args->n_operands > 1) rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_check = {
    .name = "check",
    .summary = "is a scenario right, and what are its values with all defaults",
    .usage = "SCENARIO... [--print] [--set PTR=VALUE]... [--values FILE]... [--json] | --schema",
    .examples = "rackrate check my-plan.json\n"
                "rackrate check my-plan.json --print\n"
                "rackrate check --schema > scenario.schema.json",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .most = -1,
    .run = check_run,
};
