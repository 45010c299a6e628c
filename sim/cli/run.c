/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/run.c - rackrate run: replay, price, judge, write the report. */
#include "models/price/price.h"
#include "reports/report.h"
#include "sim/cli/cli.h"
#include "sim/study/study.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {'o', "out", "DIR", false, "where to write; out/NAME when not given (DIR/NAME for each of several scenarios)"},
    {0, "set", "PTR=VALUE", true, "set one value in every alternative, by JSON pointer: --set /pools/own/nodes=8"},
    {0, "assumptions", "FILE", true, "take values from an assumption register (CSV; a run writes its own as assumptions.csv)"},
    {0, "values", "FILE", true, "lay a JSON file over the scenario (merge patch), in the order given"},
    {0, "seed", "N", false, "seed of all random streams, instead of the scenario's"},
    {0, "reps", "N", false, "replications, instead of the scenario's"},
    {'j', "threads", "N", false, "threads for replications; the results do not depend on it (default: all processors)"},
    {0, "format", "LIST", false, "what to write, of html,md,json,csv,db,plots (default: all of them), focus (a bill)"},
    {0, "json", NULL, false, "print results.json on stdout instead of the headline"},
    {'q', "quiet", NULL, false, "no headline and no progress"},
};

const struct rr_command rr_command_run;

/* ---- progress ---- */

struct progress {
    bool shown;
    struct timespec began;
    double last_s;
};

static double since_s(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static void show_progress(void *ctx, size_t done, size_t all)
{
    struct progress *p = ctx;
    const double s = since_s(&p->began);
    if (s - p->last_s < 0.2 && done < all) return;
    p->last_s = s;
    p->shown = true;
    fprintf(stderr, "\r%zu of %zu replays, %.0f s left  ", done, all, done ? s / (double)done * (double)(all - done) : 0);
    fflush(stderr);
}

static void clear_progress(struct progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

/* ---- one scenario ---- */

struct job {
    const struct rr_args *args;
    const struct rr_catalog *catalog;
    struct rr_scenario_options scenario;
    unsigned formats;
    int threads;
    bool quiet, json;
    struct dirs {
        RR_VEC(const char *) at;
    } * written; /* folders of this call */
};

/* A metric's value, exact enough that value and limit of a gate can be told apart. */
static void put_value(struct rr_buf *b, int metric, double v, const char *currency)
{
    const enum rr_metric_unit unit = rr_metric_info[metric].unit;
    if (unit <= RR_U_MONEY_PER_JOB && fabs(v) < 9e12)
        rr_buf_money(b, (struct rr_money){(int64_t)llround(v * 1e6)}, currency, 2);
    else
        rr_buf_putf(b, "%.10g%s", v, unit == RR_U_SECONDS ? " s" : unit == RR_U_GPU_HOURS ? " GPU-hours" : "");
}

static const char *why_null(const struct rr_gate_result *g, const struct rr_store *s)
{
    if (g->metric == RR_M_NPV_COST) return " (/finance/discount_rate is not given)";
    if (strcmp(g->stat, "mean") != 0 && s->replications == 1) return " (one replication has no spread)";
    return " (not defined here)";
}

static void gate_line(const struct rr_gate_result *g, const struct rr_store *s)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "gate \"%s\" %s: %s (%s) of %s is ", g->name, strcmp(g->result, "fail") ? g->result : "failed",
                rr_metric_info[g->metric].name, g->stat, g->alternative);
    if (isnan(g->value))
        rr_buf_putf(&b, "null%s", why_null(g, s));
    else
        put_value(&b, g->metric, g->value, s->currency);
    rr_buf_puts(&b, g->is_max ? ", wanted at most " : ", wanted at least ");
    put_value(&b, g->metric, g->limit, s->currency);
    fprintf(stderr, "rackrate: %s\n", rr_buf_text(&b));
    rr_buf_done(&b);
}

static enum rr_status judge_gates(const struct rr_store *s)
{
    size_t failed = 0;
    for (size_t i = 0; i < s->n_gates; i++) {
        const struct rr_gate_result *g = &s->gate[i];
        if (strcmp(g->result, "pass") != 0) gate_line(g, s);
        failed += strcmp(g->result, "fail") == 0;
    }
    return failed ? rr_fail(RR_EGATE, "%zu of %zu gates failed", failed, s->n_gates) : RR_OK;
}

static enum rr_status say(const struct job *j, const struct rr_store *s, const char *dir)
{
    struct rr_buf b = {0};
    if (j->json)
        rr_store_json(s, &b);
    else if (!j->quiet)
        rr_report_headline(s, &b, 0);
    if (!j->json && !j->quiet)
        rr_buf_putf(&b, "\n%s%s: %s\n", j->formats & RR_FORMAT_HTML ? "Report" : "Results", j->formats & RR_FORMAT_HTML ? "" : " in",
                    j->formats & RR_FORMAT_HTML ? rr_strf(j->args->arena, "%s/report.html", dir) : dir);
    fputs(rr_buf_text(&b), stdout);
    rr_buf_done(&b);
    return RR_OK;
}

/* Two scenarios of one name would write over each other. */
static enum rr_status claim(const struct job *j, const char *dir, const char *name)
{
    for (size_t i = 0; i < j->written->at.n; i++)
        if (strcmp(j->written->at.at[i], dir) == 0)
            return rr_fail(RR_EINPUT, "a scenario named \"%s\" was written to %s in this call already: give each a \"name\" of its own",
                           name, dir);
    rr_vec_push(&j->written->at, rr_strdup(j->args->arena, dir));
    return RR_OK;
}

static const char *out_dir(const struct job *j, const struct rr_scenario_set *set)
{
    const char *out = rr_arg(&rr_command_run, j->args, "out", NULL), *name = rr_file_name(j->args->arena, set->name);
    if (out && j->args->n_operands == 1) return out;
    return rr_strf(j->args->arena, "%s/%s", out ? out : "out", name);
}

static enum rr_status run_one(const struct job *j, const char *path)
{
    struct rr_scenario_set *set = NULL;
    struct rr_study *study = NULL;
    struct progress progress = {0};
    enum rr_status st;
    clock_gettime(CLOCK_MONOTONIC, &progress.began);
    RR_GO(rr_scenario_load(path, &j->scenario, &rr_registry, j->catalog, &set));
    for (size_t v = 0; v < set->n_variants; v++) {
        struct rr_scenario *s = set->variant[v];
        s->notes.arena = set->arena;
        RR_GO(rr_price_resolve(s, j->catalog, set->arena, &s->notes));
    }
    const char *dir = out_dir(j, set);
    if (claim(j, dir, set->name) != RR_OK) {
        st = rr_fail_in(RR_EINPUT, "%s", path);
        goto out;
    }
    const bool show = !j->quiet && isatty(STDERR_FILENO);
    const struct rr_study_options opt = {.threads = j->threads,
                                         .keep_jobs = (j->formats & ~(unsigned)RR_FORMAT_JSON) != 0,
                                         .findings = true,
                                         .progress = show ? show_progress : NULL,
                                         .ctx = &progress};
    st = rr_study_run(set, &opt, &study);
    clear_progress(&progress);
    if (st != RR_OK) goto out;
    const struct rr_store *store = rr_study_store(study);
    const enum rr_status written = rr_report_write(store, dir, j->formats, NULL);
    if (written != RR_OK && written != RR_EMISSING) {
        st = written;
        goto out;
    }
    const char *missing = written == RR_EMISSING ? rr_strdup(j->args->arena, rr_reason()) : NULL;
    RR_GO(say(j, store, dir));
    st = judge_gates(store);
    if (st == RR_OK && missing) st = rr_fail(RR_EMISSING, "%s", missing);
out:
    rr_study_free(study);
    rr_scenario_set_free(set);
    return st;
}

/* Each scenario is run whatever became of the others; the worst status is returned, its reason last. */
static enum rr_status run_each(const struct job *j)
{
    enum rr_status worst = RR_OK;
    const char *reason = "";
    for (size_t i = 0; i < j->args->n_operands; i++) {
        const enum rr_status st = run_one(j, j->args->operand[i]);
        if (st == RR_OK) continue;
        if (worst != RR_OK && rr_status_worse((int)worst, (int)st) == (int)worst) {
            fprintf(stderr, "rackrate: %s\n", rr_reason());
            continue;
        }
        if (worst != RR_OK) fprintf(stderr, "rackrate: %s\n", reason);
        worst = st;
        reason = rr_strdup(j->args->arena, rr_reason());
    }
    return worst == RR_OK ? RR_OK : rr_fail(worst, "%s", reason);
}

static enum rr_status run(const struct rr_args *a)
{
    const char *dir = NULL;
    struct rr_catalog catalog = {0};
    int64_t threads = 0;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t set = rr_option_index(&rr_command_run, "set"), values = rr_option_index(&rr_command_run, "values"),
                 assumptions = rr_option_index(&rr_command_run, "assumptions");
    struct dirs written = {0};
    struct job j = {.args = a,
                    .written = &written,
                    .catalog = &catalog,
                    .scenario = {.set = a->value[set],
                                 .n_set = a->n_values[set],
                                 .values = a->value[values],
                                 .n_values = a->n_values[values],
                                 .registers = a->value[assumptions],
                                 .n_registers = a->n_values[assumptions]},
                    .quiet = rr_arg_given(&rr_command_run, a, "quiet"),
                    .json = rr_arg_given(&rr_command_run, a, "json")};
    RR_TRY(rr_arg_whole(&rr_command_run, a, "seed", 0, -1, &j.scenario.seed));
    RR_TRY(rr_arg_whole(&rr_command_run, a, "reps", 1, -1, &j.scenario.reps));
    RR_TRY(rr_arg_whole(&rr_command_run, a, "threads", 1, online > 0 ? online : 1, &threads));
    j.threads = threads > 256 ? 256 : (int)threads;
    j.formats = RR_FORMAT_ALL;
    const char *format = rr_arg(&rr_command_run, a, "format", NULL);
    if (format) RR_TRY(rr_format_parse(format, &j.formats));
    RR_TRY(rr_data_dir(a->arena, &dir));
    RR_TRY(rr_catalog_load(dir, a->arena, &catalog));
    const enum rr_status st = run_each(&j);
    rr_vec_done(&written.at);
    return st;
}

const struct rr_command rr_command_run = {
    .name = "run",
    .summary = "replay a scenario, price it, and write the report",
    .usage = "SCENARIO... [options]",
    .examples = "  rackrate run buy-vs-rent.json\n"
                "  rackrate run buy-vs-rent.json -o out/eight --set /pools/own/nodes=8\n"
                "  rackrate run nightly/*.json -o reports --format json,html -j 2\n"
                "  rackrate run budget.json --format json && echo within budget",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = -1,
    .run = run,
};
