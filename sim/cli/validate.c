/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/validate.c - `rackrate validate trace FILE --fleet F`: would the simulator have foretold what the trace records? */
#include "data/base/fmath.h"
#include "sim/cli/cli.h"
#include "sim/cli/training.h"
#include "sim/engine/engine.h"
#include "sim/study/hindcast.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {0, "fleet", "FLEET", false, "the machines: NODESxGPUS such as 100x8, or a file that lists nodes"},
    {0, "fleet-format", "NAME", false, "format of the node list (default auto)"},
    {0, "format", "NAME", false, "format of the trace (default auto)"},
    {0, "column", "OURS=THEIRS", true, "a column of a foreign CSV, with its unit behind a colon: start_s=begin:ms"},
    {0, "policy", "NAME", false, "only this policy, with its variants (default: those that clusters commonly use)"},
    {0, "placement", "NAME", false, "on which nodes (default pack)"},
    {0, "cross", NULL, false, "training: fit anew on four fifths of the rows, five times over, and judge those left out too"},
    {0, "rows", "FILE", false, "training: write each row's measured and predicted time with its terms, as CSV"},
    {0, "table", "FILE", false, "training: write the errors by set, framework and GPU family, the form of data/facts/train_accuracy.csv"},
    {0, "plot", "DIR", false, "training: draw predicted against measured, a panel for each set (SVG, by gnuplot)"},
    {0, "json", NULL, false, "one JSON document"},
};
const struct rr_command rr_command_validate;

static const char *arg(const struct rr_args *a, const char *name, const char *otherwise)
{
    return rr_arg(&rr_command_validate, a, name, otherwise);
}

static void show_progress(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    fprintf(stderr, "\rreplay %zu of %zu  ", done, all);
    fflush(stderr);
}

/* ---- what is given ---- */

static bool counted_fleet(const char *text, int64_t *nodes, int64_t *gpus)
{
    const char *x = strchr(text, 'x');
    return x && rr_text_i64(rr_slice(text, (size_t)(x - text)), nodes) == RR_OK &&
           rr_text_i64(rr_slice(x + 1, strlen(x + 1)), gpus) == RR_OK;
}

static enum rr_status read_fleet(const struct rr_args *a, struct rr_pool *ret)
{
    const char *text = arg(a, "fleet", NULL);
    int64_t nodes, gpus;
    *ret = (struct rr_pool){.name = "fleet", .pointer = "/pools/fleet", .region = "", .gpu = ""};
    if (!text) return rr_fail(RR_EUSAGE, "which machines did the trace run on? --fleet NODESxGPUS, or --fleet FILE");
    if (counted_fleet(text, &nodes, &gpus)) {
        if (nodes < 1 || nodes > 10000000 || gpus < 1 || gpus > 1024)
            return rr_fail(RR_EUSAGE, "--fleet %s: 1 to 10,000,000 nodes of 1 to 1024 GPUs are possible", text);
        struct rr_node_shape *shape = RR_NEW(a->arena, struct rr_node_shape);
        *shape = (struct rr_node_shape){.gpus = (int32_t)gpus, .gpu = "", .name = ""};
        ret->shape = shape;
        ret->n_shapes = 1;
        ret->nodes_min = ret->nodes_max = nodes;
        return RR_OK;
    }
    if (text[strspn(text, "0123456789x")] == '\0' && access(text, F_OK) != 0)
        return rr_fail(RR_EUSAGE, "--fleet %s: NODESxGPUS is expected, such as 100x8 for 100 nodes of 8 GPUs, or a file that lists nodes",
                       text);
    struct rr_fleet_file file;
    RR_TRY(rr_fleet_read(text, arg(a, "fleet-format", "auto"), a->arena, &file));
    ret->shape = file.node;
    ret->n_shapes = file.n;
    ret->nodes_min = ret->nodes_max = (int64_t)file.n;
    ret->nodes_file = text;
    return RR_OK;
}

/* --column OURS=THEIRS[:UNIT] ... as the object that a scenario's "columns" would hold. */
static enum rr_status read_columns(const struct rr_args *a, struct rr_json *json, cJSON **ret)
{
    size_t at = 0;
    while (strcmp(options[at].name, "column") != 0) at++;
    *ret = NULL;
    if (a->n_values[at] == 0) return RR_OK;
    struct rr_buf b = {0};
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < a->n_values[at] && st == RR_OK; i++) {
        const char *word = a->value[at][i], *equals = strchr(word, '=');
        const char *colon = equals ? strrchr(equals, ':') : NULL;
        if (!equals || equals == word || equals[1] == '\0')
            st = rr_fail(RR_EUSAGE, "--column wants OURS=THEIRS, such as start_s=begin or start_s=begin:ms, not \"%s\"", word);
        else {
            rr_buf_puts(&b, i ? ", " : "{");
            rr_buf_json(&b, rr_strndup(a->arena, word, (size_t)(equals - word)));
            rr_buf_puts(&b, ": {\"name\": ");
            rr_buf_json(&b, colon ? rr_strndup(a->arena, equals + 1, (size_t)(colon - equals - 1)) : equals + 1);
            if (colon) {
                rr_buf_puts(&b, ", \"unit\": ");
                rr_buf_json(&b, colon + 1);
            }
            rr_buf_puts(&b, "}");
        }
    }
    rr_buf_puts(&b, "}");
    if (st == RR_OK) st = rr_json_parse(json, "--column", rr_buf_text(&b), false, ret);
    rr_buf_done(&b);
    return st;
}

static enum rr_status pick(const struct rr_args *a, const char *option, struct rr_kinds kinds, const struct rr_kind **ret)
{
    const char *name = arg(a, option, NULL), *words[64];
    *ret = NULL;
    if (!name || (*ret = rr_kind_find(kinds, name))) return RR_OK;
    size_t n = 0;
    for (; n < kinds.n && n < 64; n++) words[n] = kinds.at[n]->name;
    return rr_fail(RR_EUSAGE, "--%s: unknown %s \"%s\"%s", option, option, name, rr_did_you_mean(a->arena, name, words, n));
}

/* ---- text ---- */

static void put_wait(struct rr_buf *b, double s)
{
    struct rr_buf t = {0};
    if (isnan(s))
        rr_buf_puts(&t, "-");
    else
        rr_buf_time_short(&t, (int64_t)(s * 1e6));
    rr_buf_putf(b, " %11s", rr_buf_text(&t));
    rr_buf_done(&t);
}

static void put_share(struct rr_buf *b, double share)
{
    if (isnan(share))
        rr_buf_putf(b, " %10s", "-");
    else
        rr_buf_putf(b, " %8.1f %%", 100 * share);
}

static void put_group(struct rr_buf *b, const struct rr_hindcast_group *g)
{
    rr_buf_putf(b, "%-16.16s %8zu", g->name, g->jobs);
    put_wait(b, g->recorded_mean_s);
    put_wait(b, g->simulated_mean_s);
    put_wait(b, g->recorded_p95_s);
    put_wait(b, g->simulated_p95_s);
    put_share(b, g->recorded_used);
    put_share(b, g->simulated_used);
    rr_buf_puts(b, "\n");
}

static void put_table(struct rr_buf *b, const char *title, const char *used, const struct rr_hindcast_group *g, size_t n)
{
    if (n == 0) return;
    rr_buf_putf(b, "\n%-16s %8s %23s %23s %21s\n", "", "", "mean wait", "95 % waited at most", used);
    rr_buf_putf(b, "%-16s %8s %11s %11s %11s %11s %10s %10s\n", title, "jobs", "recorded", "simulated", "recorded", "simulated", "recorded",
                "simulated");
    for (size_t i = 0; i < n; i++) put_group(b, &g[i]);
}

static void put_text(struct rr_buf *b, const struct rr_hindcast *h, const struct rr_pool *fleet, const struct rr_notes *notes)
{
    const struct rr_hindcast_group *test = &h->all[1];
    const struct rr_hindcast_trial *best = &h->trial[0];
    rr_buf_putf(b, "%zu jobs with a recorded start on %" PRId64 " nodes, %g GPUs.\nChosen on the first half: %s (%s). On the second half ",
                h->jobs, fleet->nodes_max, h->fleet_gpus, best->policy, best->rules);
    if (isnan(h->error))
        rr_buf_puts(b, "no job can be compared.\n");
    else
        rr_buf_putf(b, "the mean waits are off by\na factor of %.2f (by size and week, weighted by jobs), the mean of all by %+.1f %%.\n",
                    rr_exp(h->error), 100 * (test->simulated_mean_s / test->recorded_mean_s - 1));
    rr_buf_putf(b, "\n%-16s %-40s %12s %12s\n", "first half", "", "off by", "mean wait");
    for (size_t i = 0; i < h->n_trials; i++) {
        rr_buf_putf(b, "%-16s %-40s %10.2f x ", h->trial[i].policy, h->trial[i].rules, rr_exp(h->trial[i].error));
        put_wait(b, h->trial[i].wait_mean_s);
        rr_buf_puts(b, "\n");
    }
    rr_buf_putf(b, "%-57s %12s ", "recorded", "");
    put_wait(b, h->all[0].recorded_mean_s);
    rr_buf_puts(b, "\n");
    put_table(b, "", "GPUs in use", h->all, 2);
    put_table(b, "GPUs", "share of GPU time", h->size.at, h->size.n);
    put_table(b, h->class_word, "share of GPU time", h->class.at, h->class.n);
    put_table(b, "week", "GPUs in use", h->week.at, h->week.n);
    rr_buf_puts(b, "\nWhat sets them apart:\n");
    for (size_t i = 0; i < h->n_causes; i++) rr_buf_putf(b, "- %s\n", h->cause[i]);
    if (notes->list.n) rr_buf_puts(b, "\nAbout the trace:\n");
    for (size_t i = 0; i < notes->list.n; i++) rr_buf_putf(b, "- %s\n", notes->list.at[i].text);
}

/* ---- JSON ---- */

static void put_number(struct rr_buf *b, const char *name, double v)
{
    rr_buf_putf(b, ", \"%s\": ", name);
    rr_buf_double(b, v);
}

static void put_json_group(struct rr_buf *b, const struct rr_hindcast_group *g)
{
    rr_buf_puts(b, "{\"name\": ");
    rr_buf_json(b, g->name);
    rr_buf_putf(b, ", \"jobs\": %zu", g->jobs);
    put_number(b, "recorded_wait_mean_s", g->recorded_mean_s);
    put_number(b, "simulated_wait_mean_s", g->simulated_mean_s);
    put_number(b, "recorded_wait_p95_s", g->recorded_p95_s);
    put_number(b, "simulated_wait_p95_s", g->simulated_p95_s);
    put_number(b, "recorded_used", g->recorded_used);
    put_number(b, "simulated_used", g->simulated_used);
    rr_buf_puts(b, "}");
}

static void put_json_groups(struct rr_buf *b, const char *name, const struct rr_hindcast_group *g, size_t n)
{
    rr_buf_putf(b, ",\n \"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        rr_buf_puts(b, i ? ",\n  " : "\n  ");
        put_json_group(b, &g[i]);
    }
    rr_buf_puts(b, "]");
}

static void put_json(struct rr_buf *b, const struct rr_hindcast *h, const struct rr_pool *fleet, const struct rr_notes *notes)
{
    rr_buf_putf(b, "{\"schema\": \"rackrate.hindcast/1\", \"jobs\": %zu, \"nodes\": %" PRId64, h->jobs, fleet->nodes_max);
    put_number(b, "gpus", h->fleet_gpus);
    put_number(b, "log_error", h->error);
    rr_buf_puts(b, ",\n \"trials\": [");
    for (size_t i = 0; i < h->n_trials; i++) {
        rr_buf_puts(b, i ? ",\n  {\"policy\": " : "\n  {\"policy\": ");
        rr_buf_json(b, h->trial[i].policy);
        rr_buf_puts(b, ", \"rules\": ");
        rr_buf_json(b, h->trial[i].rules);
        put_number(b, "log_error", h->trial[i].error);
        put_number(b, "wait_mean_s", h->trial[i].wait_mean_s);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
    put_json_groups(b, "halves", h->all, 2);
    put_json_groups(b, "sizes", h->size.at, h->size.n);
    rr_buf_puts(b, ",\n \"classes_by\": ");
    rr_buf_json(b, h->class_word);
    put_json_groups(b, "classes", h->class.at, h->class.n);
    put_json_groups(b, "weeks", h->week.at, h->week.n);
    rr_buf_puts(b, ",\n \"causes\": [");
    for (size_t i = 0; i < h->n_causes; i++) {
        rr_buf_puts(b, i ? ",\n  " : "\n  ");
        rr_buf_json(b, h->cause[i]);
    }
    rr_buf_puts(b, "],\n \"notes\": [");
    for (size_t i = 0; i < notes->list.n; i++) {
        rr_buf_puts(b, i ? ",\n  " : "\n  ");
        rr_buf_json(b, notes->list.at[i].text);
    }
    rr_buf_puts(b, "]}\n");
}

/* ---- the command ---- */

static enum rr_status compare(const struct rr_args *a, const struct rr_trace *t, const struct rr_pool *fleet, const struct rr_notes *notes)
{
    struct rr_hindcast_options opt = {.progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    struct rr_hindcast found;
    RR_TRY(pick(a, "policy", rr_policies, &opt.policy));
    RR_TRY(pick(a, "placement", rr_placements, &opt.placement));
    const enum rr_status st = rr_hindcast_run(t, fleet, &opt, a->arena, &found);
    if (opt.progress) fputs("\r\033[K", stderr);
    if (st != RR_OK) return st;
    struct rr_buf b = {0};
    (rr_arg_given(&rr_command_validate, a, "json") ? put_json : put_text)(&b, &found, fleet, notes);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

// Jobs of one second have no order in the trace but that of its rows.
static void note_ties(const struct rr_trace *t, struct rr_notes *notes)
{
    size_t tied = 0, most = 0;
    for (size_t i = 0, k; i < t->n; i = k) {
        for (k = i + 1; k < t->n && t->submit_us[k] / RR_S == t->submit_us[i] / RR_S;) k++;
        if (k - i > 1) tied += k - i;
        if (k - i > most) most = k - i;
    }
    if (tied)
        rr_note(notes, RR_NOTE_DATA, "", "",
                "%.1f %% of the jobs (%zu) share their second of submission with others, up to %zu in one second: who came "
                "first is taken from the order of the rows, and another order gives other waits",
                100.0 * (double)tied / (double)t->n, tied, most);
}

static enum rr_status validate_trace(const struct rr_args *a, struct rr_json *json, const cJSON *columns)
{
    struct rr_pool fleet;
    struct rr_trace t = {0};
    struct rr_notes notes = {.arena = a->arena};
    const struct rr_import_options opt = {.format = arg(a, "format", "auto"), .columns = columns, .json = json, .max_rejected = 0.01};
    enum rr_status st = read_fleet(a, &fleet);
    if (st == RR_OK) st = rr_trace_read(a->operand[1], &opt, a->arena, &notes, &t);
    if (st == RR_OK) note_ties(&t, &notes);
    if (st == RR_OK) st = compare(a, &t, &fleet, &notes);
    rr_trace_done(&t);
    rr_notes_done(&notes);
    return st;
}

static enum rr_status validate(const struct rr_args *a)
{
    static const char *const known[] = {"trace", "training", "scheduling"};
    const char *what = a->operand[0];
    if (strcmp(what, "training") == 0)
        return rr_validate_training(
            a, rr_arg_given(&rr_command_validate, a, "json"), rr_arg_given(&rr_command_validate, a, "cross"),
            &(struct rr_validate_files){.rows = arg(a, "rows", NULL), .table = arg(a, "table", NULL), .plots = arg(a, "plot", NULL)});
    if (strcmp(what, "scheduling") == 0) return rr_fail(RR_EINPUT, "\"validate %s\" is not built yet in rackrate %s", what, RR_VERSION);
    if (strcmp(what, "trace") != 0)
        return rr_fail(RR_EUSAGE, "validate: \"%s\" cannot be validated%s: rackrate validate trace FILE --fleet F", what,
                       rr_did_you_mean(a->arena, what, known, 3));
    if (a->n_operands != 2) return rr_fail(RR_EUSAGE, "validate: which trace? rackrate validate trace FILE --fleet F");
    struct rr_json *json = rr_json_create();
    cJSON *columns = NULL;
    enum rr_status st = read_columns(a, json, &columns);
    if (st == RR_OK) st = validate_trace(a, json, columns);
    cJSON_Delete(columns);
    rr_json_free(json);
    return st;
}

const struct rr_command rr_command_validate = {
    .name = "validate",
    .summary = "simulated against recorded waits of a trace; predicted against published training times",
    .usage = "trace FILE --fleet FLEET | training FILE.csv... [options]",
    .examples = "  rackrate validate trace KTH-SP2-1996-2.1-cln.swf.gz --fleet 100x1\n"
                "  rackrate validate trace pods.csv --fleet nodes.csv --policy easy_backfill --json\n"
                "  rackrate validate trace jobs.csv --fleet 16x8 --column submit_s=submitted:ms --column start_s=began:ms \\\n"
                "      --column duration_s=ran:ms --column gpus=devices\n"
                "  rackrate validate training training_validation.csv memory_validation.csv --json\n"
                "  rackrate validate training training_validation.csv --plot plots\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = -1,
    .run = validate,
};
