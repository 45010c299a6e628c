/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/validate_training.c - `rackrate validate training FILE...`: published training measurements against the shipped model.
 *
 * Nothing is fitted, but for the columns of cross-validation (--cross), which fit anew without a fifth of the rows,
 * of the groups of model, GPUs and precision, or of the models, and predict those. */
#include "data/names.h"
#include "data/base/fmath.h"
#include "models/train/accuracy.h"
#include "models/train/arch.h"
#include "models/train/fit.h"
#include "models/train/judge.h"
#include "sim/cli/cli.h"
#include "sim/cli/training.h"
#include "sim/cli/training_accuracy.h"
#include "sim/cli/validate_memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct checked { /* a row with its predictions; NaN = none */
    struct rr_published *run;
    const char *set;
    const char *reason; /* why it has no prediction */
    double measured, predicted, flops, peer[RR_PEERS];
    double cross[RR_LEAVE_N]; /* by a fit that did not see it */
    struct rr_step step;
    bool fast, again; /* again: the row stands in another set too */
};
struct set {
    const char *name;
    bool memory, again;
    struct checked **row;
    size_t n, unpredicted;
    struct rr_judgement ours, crossed[RR_LEAVE_N], constant, peer[RR_PEERS];
    double ours_where_peer[RR_PEERS];
};
struct work {
    const struct rr_train_facts *facts;
    struct rr_arena *a;
    struct rr_training t;
    struct checked *row; /* rows, and again those that are judged in another way */
    size_t n;
    struct set *set;
    size_t n_sets;
    struct rr_memory_check memory;
};

/* ---- predictions ---- */

static enum rr_status coefs_of(const struct work *w, const struct rr_published *p, struct rr_coefs *ret)
{
    const char *note;
    return rr_coefs_find(w->facts, w->a, p->set->framework, p->machine.family, ret, &note);
}

static uint64_t group_of(const struct rr_published *p)
{
    const uint64_t key[] = {rr_hash(p->row->model, strlen(p->row->model)), (uint64_t)p->row->gpus,
                            rr_hash(p->row->gpu, strlen(p->row->gpu)), rr_hash(p->row->precision, strlen(p->row->precision)),
                            (uint64_t)p->row->global_batch};
    return rr_hash((const char *)key, sizeof key);
}

static struct checked *add(struct work *w, const char *set, struct rr_published *p)
{
    struct checked *c = &w->row[w->n++];
    *c = (struct checked){.run = p, .set = set, .reason = p->reason, .measured = NAN, .predicted = NAN, .flops = NAN};
    for (int i = 0; i < RR_LEAVE_N; i++) c->cross[i] = NAN;
    for (int i = 0; i < RR_PEERS; i++) c->peer[i] = NAN;
    return c;
}

static enum rr_status predict_time(struct work *w, struct rr_published *p, const char *set, bool fast)
{
    struct checked *c = add(w, set, p);
    struct rr_coefs coefs;
    if (p->reason) return RR_OK;
    RR_TRY(coefs_of(w, p, &coefs));
    rr_published_step(p, &coefs, &c->step);
    c->measured = p->measured_s;
    c->predicted = c->step.total_s;
    c->flops = c->step.model_flops / p->layout.gpus / rr_machine_peak_flops(&p->machine, p->layout.precision);
    c->fast = fast;
    if (!(c->predicted > 0 && isfinite(c->predicted))) c->reason = "its sizes make no step time";
    return RR_OK;
}

static double run_s(const struct rr_train_row *r, double step_s)
{
    return r->samples_to_target / r->global_batch * step_s + r->evaluations * r->evaluation_s;
}

/* steps x step time + evaluations x their time, for MLPerf rows that print all of it. */
static void predict_run(struct work *w, const struct checked *step)
{
    const struct rr_train_row *r = step->run->row;
    if (r->table != RR_TRAIN_MLPERF) return;
    struct checked *c = add(w, "MLPerf LLM runs, time to train", step->run);
    c->again = true;
    if (!c->reason) c->reason = step->reason;
    if (c->reason) return;
    if (r->samples_to_target <= 0 || r->evaluations <= 0 || r->evaluation_s <= 0 || r->minutes <= 0) {
        c->reason = "the row lacks samples to target, evaluations, their time or minutes";
        return;
    }
    c->measured = r->minutes * 60;
    c->predicted = run_s(r, step->predicted);
}

static enum rr_status predict_memory(struct work *w, struct rr_published *p)
{
    struct checked *c = add(w, rr_strf(w->a, "memory: %s", p->set ? p->set->name : p->row->source), p);
    struct rr_coefs coefs;
    struct rr_memory mem;
    if (p->reason) return RR_OK;
    RR_TRY(coefs_of(w, p, &coefs));
    c->cross[RR_LEAVE_FIFTH] = w->memory.left_out[p - w->t.run];
    if (p->measured_bytes <= 0) return RR_OK;
    rr_published_memory(p, &coefs, &mem);
    c->measured = p->measured_bytes;
    c->predicted = mem.total_bytes;
    if (!(c->predicted > 0 && isfinite(c->predicted))) c->reason = "its sizes make no memory";
    return RR_OK;
}

static enum rr_status predict_all(struct work *w)
{
    bool *fast = RR_NEWS(w->a, bool, w->t.n + 1);
    rr_fastest_quarter(w->t.run, w->t.n, fast);
    for (size_t i = 0; i < w->t.n; i++) {
        struct rr_published *p = &w->t.run[i];
        if (p->row->table == RR_TRAIN_MEMORY) {
            RR_TRY(predict_memory(w, p));
            continue;
        }
        const bool mlperf = p->row->table == RR_TRAIN_MLPERF;
        const char *name = mlperf ? "MLPerf LLM runs, step time" : p->set ? p->set->name : p->row->source;
        RR_TRY(predict_time(w, p, name, fast[i]));
        predict_run(w, &w->row[w->n - 1]);
        if (!fast[i] || strcmp(name, "Ultra-Scale Playbook") != 0) continue;
        RR_TRY(predict_time(w, p, "Ultra-Scale Playbook, fastest quarter", true));
        w->row[w->n - 1].again = true;
    }
    return RR_OK;
}

/* ---- cross-validation ---- */

static enum rr_status cross_all(struct work *w)
{
    struct rr_fit_result *shipped = RR_NEW(w->a, struct rr_fit_result);
    double *step_s = RR_NEWS(w->a, double, w->t.n + 1);
    RR_TRY(rr_fit_shipped(w->facts, w->a, shipped));
    for (enum rr_leave leave = 0; leave < RR_LEAVE_N; leave++) {
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\rleaving out, %d of %d  ", (int)leave + 1, RR_LEAVE_N);
        RR_TRY(rr_fit_left_out(w->t.run, w->t.n, leave, shipped, w->a, step_s));
        for (size_t i = 0; i < w->n; i++) {
            struct checked *c = &w->row[i];
            const double s = step_s[c->run - w->t.run];
            if (c->reason || c->run->other || c->run->row->table == RR_TRAIN_MEMORY) continue;
            c->cross[leave] = isnan(c->flops) ? run_s(c->run->row, s) : s;
        }
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    return RR_OK;
}

/* ---- sets ---- */

static struct set *set_of(struct work *w, const char *name)
{
    for (size_t i = 0; i < w->n_sets; i++)
        if (strcmp(w->set[i].name, name) == 0) return &w->set[i];
    struct set *s = &w->set[w->n_sets++];
    *s = (struct set){.name = name, .memory = strncmp(name, "memory: ", 8) == 0, .row = RR_NEWS(w->a, struct checked *, w->n + 1)};
    return s;
}

static size_t collect(const struct set *s, double (*value)(const struct checked *, int), int k, struct rr_judged *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct checked *c = s->row[i];
        const double v = value(c, k);
        if (c->reason || isnan(c->measured) || isnan(v)) continue;
        ret[n++] = (struct rr_judged){c->measured, v, group_of(c->run)};
    }
    return n;
}

static double value_ours(const struct checked *c, int k)
{
    (void)k;
    return c->predicted;
}
static double value_cross(const struct checked *c, int k) { return c->cross[k]; }
static double value_peer(const struct checked *c, int k) { return c->peer[k]; }
static double value_ours_where_peer(const struct checked *c, int k) { return isnan(c->peer[k]) ? NAN : c->predicted; }

static void judge_constant(struct set *s, struct rr_arena *a)
{
    double *measured = RR_NEWS(a, double, s->n + 1), *cost = RR_NEWS(a, double, s->n + 1), *guess = RR_NEWS(a, double, s->n + 1);
    struct rr_judged *row = RR_NEWS(a, struct rr_judged, s->n + 1);
    size_t n = 0, m = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->row[i]->reason && !isnan(s->row[i]->flops)) measured[n] = s->row[i]->measured, cost[n++] = s->row[i]->flops;
    rr_judge_constant(measured, cost, n, guess);
    for (size_t i = 0; i < n; i++)
        if (!isnan(guess[i])) row[m++] = (struct rr_judged){measured[i], guess[i], i};
    rr_train_judge(row, m, a, &s->constant);
}

static void judge_set(struct set *s, struct rr_arena *a)
{
    struct rr_judged *row = RR_NEWS(a, struct rr_judged, s->n + 1);
    rr_train_judge(row, collect(s, value_ours, 0, row), a, &s->ours);
    for (int k = 0; k < RR_LEAVE_N; k++) rr_train_judge(row, collect(s, value_cross, k, row), a, &s->crossed[k]);
    judge_constant(s, a);
    for (int k = 0; k < RR_PEERS; k++) {
        struct rr_judgement same;
        rr_train_judge(row, collect(s, value_peer, k, row), a, &s->peer[k]);
        rr_train_judge(row, collect(s, value_ours_where_peer, k, row), a, &same);
        s->ours_where_peer[k] = same.mape;
    }
}

static void judge_all(struct work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        struct checked *c = &w->row[i];
        struct set *s = set_of(w, c->set);
        s->row[s->n++] = c;
        s->again = c->again;
        if (c->reason) s->unpredicted++;
    }
    for (size_t i = 0; i < w->n_sets; i++) judge_set(&w->set[i], w->a);
}

/* ---- every row is somewhere ---- */

struct total {
    size_t predicted, refused, judged, twice; /* judged: ran or not, without its memory */
};

static struct total total_of(const struct work *w)
{
    struct total t = {0};
    for (size_t i = 0; i < w->n_sets; i++) {
        const struct set *s = &w->set[i];
        if (s->again) continue;
        t.predicted += s->ours.n, t.refused += s->unpredicted;
    }
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        t.judged += !c->again && !c->reason && isnan(c->measured) && c->run->row->oom != RR_OOM_UNKNOWN;
    }
    for (size_t i = 0; i < w->t.n_files; i++) t.twice += w->t.n_twice[i];
    return t;
}

static enum rr_status total_check(const struct work *w)
{
    const struct total t = total_of(w);
    const size_t sum = t.predicted + t.refused + t.judged + t.twice;
    return sum == w->t.n_read ? RR_OK : rr_fail(RR_EINTERNAL, "%zu rows were read, %zu are in the figures", w->t.n_read, sum);
}

/* ---- what is printed ---- */

static void put_pct(struct rr_buf *b, const char *name, double share)
{
    rr_buf_putf(b, ", \"%s\": ", name);
    rr_buf_double(b, isnan(share) ? NAN : floor(1e4 * share + 0.5) / 100);
}

static void put_json_set(struct rr_buf *b, const struct work *w, const struct set *s)
{
    rr_buf_puts(b, "{\"set\": ");
    rr_buf_json(b, s->name);
    rr_buf_putf(b, ", \"n\": %zu", s->ours.n);
    put_pct(b, "mape_pct", s->ours.mape);
    put_pct(b, "median_pct", s->ours.median);
    put_pct(b, "worst_pct", s->ours.worst);
    put_pct(b, "bias_pct", s->ours.bias);
    rr_buf_puts(b, ", \"tau\": ");
    rr_buf_double(b, s->memory ? NAN : s->ours.tau);
    put_pct(b, "regret_pct", s->memory ? NAN : s->ours.regret);
    put_pct(b, "best_bias_pct", s->memory ? NAN : s->ours.best_bias);
    rr_buf_putf(b, ", \"unpredicted\": %zu", s->unpredicted);
    if (s->memory) {
        rr_memory_check_json(b, &w->memory, s->name + strlen("memory: "));
    } else {
        static const char *const name[RR_LEAVE_N] = {"cross_mape_pct", "cross_group_mape_pct", "cross_model_mape_pct"};
        for (int k = 0; k < RR_LEAVE_N; k++) put_pct(b, name[k], s->crossed[k].mape);
        put_pct(b, "constant_mape_pct", s->constant.mape);
        for (int k = 0; k < RR_PEERS; k++) {
            if (s->peer[k].n == 0) continue;
            rr_buf_putf(b, ", \"%s\": {\"n\": %zu", rr_peer_name[k], s->peer[k].n);
            put_pct(b, "mape_pct", s->peer[k].mape);
            put_pct(b, "ours_mape_pct", s->ours_where_peer[k]);
            rr_buf_puts(b, "}");
        }
    }
    rr_buf_puts(b, "}");
}

static bool doubtful(const struct checked *c) { return !c->again && !c->reason && *c->run->doubt; }

static void put_json_doubtful(struct rr_buf *b, const struct work *w)
{
    bool first = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        if (!doubtful(c)) continue;
        rr_buf_puts(b, first ? "\n  {\"set\": " : ",\n  {\"set\": ");
        first = false;
        rr_buf_json(b, c->set);
        rr_buf_puts(b, ", \"row\": ");
        rr_buf_json(b, rr_strf(w->a, "%s:%lld", c->run->row->path, (long long)c->run->row->line));
        rr_buf_puts(b, ", \"doubt\": ");
        rr_buf_json(b, c->run->doubt);
        rr_buf_puts(b, "}");
    }
}

static void put_json(struct rr_buf *b, const struct work *w)
{
    rr_buf_puts(b, "{\"schema\": \"rackrate.validation/1\",\n \"sets\": [");
    for (size_t i = 0; i < w->n_sets; i++) {
        rr_buf_puts(b, i ? ",\n  " : "\n  ");
        put_json_set(b, w, &w->set[i]);
    }
    rr_buf_puts(b, "],\n \"unpredicted\": [");
    bool first = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        if (!c->reason) continue;
        rr_buf_puts(b, first ? "\n  {\"set\": " : ",\n  {\"set\": ");
        first = false;
        rr_buf_json(b, c->set);
        rr_buf_puts(b, ", \"row\": ");
        rr_buf_json(b, rr_strf(w->a, "%s:%lld", c->run->row->path, (long long)c->run->row->line));
        rr_buf_puts(b, ", \"reason\": ");
        rr_buf_json(b, c->reason);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "],\n \"doubtful\": [");
    put_json_doubtful(b, w);
    const struct total t = total_of(w);
    rr_buf_putf(b,
                "],\n \"rows\": {\"read\": %zu, \"predicted\": %zu, \"not_predicted\": %zu, \"judged_by_whether_they_ran\": %zu, "
                "\"counted_once\": %zu}}\n",
                w->t.n_read, t.predicted, t.refused, t.judged, t.twice);
}

static void put_cell(struct rr_buf *b, double share)
{
    if (isnan(share))
        rr_buf_putf(b, " %8s", "-");
    else
        rr_buf_putf(b, " %8.1f", 100 * share);
}

static void put_row(struct rr_buf *b, const struct set *s)
{
    rr_buf_putf(b, "%-38.38s %5zu", s->name, s->ours.n);
    put_cell(b, s->ours.mape);
    for (int k = 0; k < RR_LEAVE_N; k++) {
        rr_buf_puts(b, k == RR_LEAVE_FIFTH ? " " : "   ");
        put_cell(b, s->crossed[k].mape);
    }
    put_cell(b, s->ours.median);
    put_cell(b, s->ours.worst);
    put_cell(b, s->ours.bias);
    if (isnan(s->ours.tau))
        rr_buf_putf(b, " %6s", "-");
    else
        rr_buf_putf(b, " %6.2f", s->ours.tau);
    put_cell(b, s->ours.regret);
    put_cell(b, s->constant.mape);
    for (int k = 0; k < RR_PEERS; k++) put_cell(b, s->peer[k].mape);
    rr_buf_puts(b, "\n");
}

/* Each reason once, with how many rows it holds for. */
static void put_reasons(struct rr_buf *b, const struct work *w)
{
    bool title = false;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        size_t n = 0;
        bool before = false;
        for (size_t k = 0; c->reason && k < w->n; k++)
            if (w->row[k].reason && strcmp(w->row[k].set, c->set) == 0 && strcmp(w->row[k].reason, c->reason) == 0) n++, before |= k < i;
        if (n == 0 || before) continue;
        if (!title) rr_buf_puts(b, "\nNot predicted:\n");
        title = true;
        rr_buf_putf(b, "- %s: %zu row%s: %s\n", c->set, n, n == 1 ? "" : "s", c->reason);
    }
}

/* Kept in the figures all the same. */
static void put_contradictions(struct rr_buf *b, const struct work *w)
{
    bool title = false;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        if (!doubtful(c)) continue;
        if (!title) rr_buf_puts(b, "\nKept, though doubtful:\n");
        title = true;
        rr_buf_putf(b, "- %s:%lld: %s: the row contradicts itself: %s", c->run->row->path, (long long)c->run->row->line, c->run->row->model,
                    c->run->doubt);
        if (!isnan(c->measured)) rr_buf_putf(b, " (predicted / measured %.2f)", c->predicted / c->measured);
        rr_buf_puts(b, "\n");
    }
}

static void put_total(struct rr_buf *b, const struct work *w)
{
    const struct total t = total_of(w);
    for (size_t i = 0; i < w->t.n_files; i++)
        if (w->t.n_twice[i] > 0)
            rr_buf_putf(b, "\nCounted once: %zu row%s of %s that %s has too.\n", w->t.n_twice[i], w->t.n_twice[i] == 1 ? "" : "s",
                        w->t.path[i], w->t.twice[i]);
    rr_buf_putf(b, "\nRows read: %zu = %zu predicted + %zu not predicted", w->t.n_read, t.predicted, t.refused);
    if (t.judged > 0) rr_buf_putf(b, " + %zu judged by whether they ran", t.judged);
    if (t.twice > 0) rr_buf_putf(b, " + %zu counted once", t.twice);
    rr_buf_puts(b, "\n");
}

/* Which framework stands for the rows of sets that train_sets.csv does not know. */
static void put_others(struct rr_buf *b, const struct work *w)
{
    bool title = false;
    for (size_t i = 0; i < w->n_sets; i++) {
        const struct set *s = &w->set[i];
        const struct rr_published *p = s->n > 0 ? s->row[0]->run : NULL;
        if (s->again || !p || !p->other || s->unpredicted == s->n) continue;
        if (!title) rr_buf_puts(b, "\nOf no set of data/facts/train_sets.csv, predicted as the usual framework of its GPU:\n");
        title = true;
        rr_buf_putf(b, "- %s: %zu row%s, as %s\n", s->name, s->n - s->unpredicted, s->n - s->unpredicted == 1 ? "" : "s",
                    p->set->framework);
    }
}

static void put_best(struct rr_buf *b, const struct work *w)
{
    bool title = false;
    for (size_t i = 0; i < w->n_sets; i++) {
        const struct set *s = &w->set[i];
        if (s->memory || s->ours.groups < 10) continue;
        if (!title)
            rr_buf_puts(b, "\nThe layout that is predicted best of each model, number of GPUs and batch, its step as predicted against as "
                           "measured:\n");
        title = true;
        rr_buf_putf(b, "- %s: %zu groups, mean bias %+.1f %%\n", s->name, s->ours.groups, 100 * s->ours.best_bias);
    }
}

static bool in_band(const struct work *w, const struct checked *c, double predicted)
{
    int32_t rows;
    const double sd = rr_accuracy_doubt(w->facts, c->run->set->framework, c->run->machine.family, &rows);
    return fabs(rr_log(c->measured / predicted)) <= 1.2815515655 * sd;
}

/* The share of step times that lie in the band that size gives: 80 % if the band is right. */
static void put_band(struct rr_buf *b, const struct work *w)
{
    size_t n = 0, in = 0, here = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        const bool layouts = strcmp(c->set, "Ultra-Scale Playbook") == 0; // bad ones too, which nobody sizes
        if (c->reason || isnan(c->flops) || layouts) continue;
        const bool crossed = !isnan(c->cross[RR_LEAVE_GROUP]);
        n++, here += crossed, in += in_band(w, c, crossed ? c->cross[RR_LEAVE_GROUP] : c->predicted);
    }
    if (n > 0)
        rr_buf_putf(b, "\nFrom P10 to P90 of the band that size gives: %.0f %% of %zu step times%s.\n", 100.0 * (double)in / (double)n, n,
                    here ? ", their groups left out" : ", in sample");
}

static const char left_out_key[] =
    "mean: with the shipped coefficients. With --cross, means of rows that the fit did not see: rows out: a fifth of the rows at a time,\n"
    "which the bars are judged by; groups out: all rows of a model on so many GPUs in a precision; models out: all rows of a model.\n";

static void put_text(struct rr_buf *b, const struct work *w)
{
    bool times = false;
    for (size_t i = 0; i < w->n_sets; i++) times |= !w->set[i].memory;
    if (times)
        rr_buf_putf(b, "%-38s %5s %8s %9s %11s %11s %8s %8s %8s %6s %8s %8s %8s %8s\n", "step time, errors in %", "rows", "mean",
                    "rows out", "groups out", "models out", "median", "worst", "bias", "tau", "regret", "constant", "Calculon", "SimuMax");
    for (size_t i = 0; i < w->n_sets; i++)
        if (!w->set[i].memory) put_row(b, &w->set[i]);
    if (times) rr_buf_puts(b, left_out_key);
    put_best(b, w);
    if (times) put_band(b, w);
    rr_memory_check_text(b, &w->memory);
    put_others(b, w);
    put_contradictions(b, w);
    put_reasons(b, w);
    put_total(b, w);
}

static void put_rows(struct rr_buf *b, const struct work *w)
{
    rr_buf_puts(b, "set,file,line,model,gpu,gpus,layout,measured,predicted,rows out,groups out,models out");
    for (int i = 0; i < RR_STEP_N; i++) rr_buf_putf(b, ",%s s", rr_step_name[i]);
    rr_buf_puts(b, "\n");
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        struct rr_buf l = {0};
        if (c->reason || isnan(c->measured)) continue;
        rr_layout_text(&l, &c->run->layout);
        rr_buf_csv(b, c->set);
        rr_buf_puts(b, ",");
        rr_buf_csv(b, c->run->row->path);
        rr_buf_putf(b, ",%lld,", (long long)c->run->row->line);
        rr_buf_csv(b, c->run->row->model);
        rr_buf_putf(b, ",%s,%d,", c->run->machine.id, c->run->layout.gpus);
        rr_buf_csv(b, rr_buf_text(&l));
        rr_buf_putf(b, ",%.6g,%.6g,", c->measured, c->predicted);
        for (int k = 0; k < RR_LEAVE_N; k++) {
            if (k) rr_buf_puts(b, ",");
            if (!isnan(c->cross[k])) rr_buf_putf(b, "%.6g", c->cross[k]);
        }
        for (int k = 0; k < RR_STEP_N; k++) rr_buf_putf(b, ",%.4g", c->step.term_s[k]);
        rr_buf_puts(b, "\n");
        rr_buf_done(&l);
    }
}

static enum rr_status write_rows(const struct work *w, const char *path)
{
    struct rr_buf b = {0};
    put_rows(&b, w);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(rr_buf_text(&b), 1, b.n, f) == b.n;
    if (f && fclose(f) != 0) good = false;
    rr_buf_done(&b);
    return good ? RR_OK : rr_fail(RR_EIO, "%s: could not be written", path);
}

/* ---- what is left behind ---- */

static const char *measure_of(const struct checked *c)
{
    return c->run->row->table == RR_TRAIN_MEMORY ? "memory" : isnan(c->flops) ? "time to train" : "step time";
}

static size_t residuals(const struct work *w, struct rr_residual *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct checked *c = &w->row[i];
        const char *colon = strncmp(c->set, "memory: ", 8) == 0 ? c->set + 8 : c->set;
        if (c->reason || isnan(c->measured) || isnan(c->predicted)) continue;
        ret[n++] = (struct rr_residual){.set = colon,
                                        .measure = measure_of(c),
                                        .framework = c->run->set->framework,
                                        .family = c->run->machine.family,
                                        .measured = c->measured,
                                        .predicted = c->predicted,
                                        .left_out = c->cross[c->run->row->table == RR_TRAIN_MEMORY ? RR_LEAVE_FIFTH : RR_LEAVE_GROUP]};
    }
    return n;
}

static enum rr_status leave_behind(const struct work *w, const struct rr_validate_files *f)
{
    struct rr_residual *row = RR_NEWS(w->a, struct rr_residual, w->n + 1);
    const size_t n = residuals(w, row);
    if (f->rows) RR_TRY(write_rows(w, f->rows));
    if (f->table) RR_TRY(rr_accuracy_write(f->table, row, n, w->a));
    return f->plots ? rr_accuracy_plot(f->plots, row, n, w->a) : RR_OK;
}

enum rr_status rr_validate_training(const struct rr_args *a, bool json, bool cross, const struct rr_validate_files *files)
{
    struct rr_train_facts facts;
    struct work w = {.facts = &facts, .a = a->arena};
    if (a->n_operands < 2) return rr_fail(RR_EUSAGE, "validate: which measurements? rackrate validate training FILE.csv...");
    RR_TRY(rr_training_read(a->operand + 1, a->n_operands - 1, a->arena, &facts, &w.t));
    w.row = RR_NEWS(a->arena, struct checked, 2 * w.t.n + 1);
    w.set = RR_NEWS(a->arena, struct set, 2 * w.t.n + 1);
    RR_TRY(rr_memory_check(&facts, w.t.run, w.t.n, cross, a->arena, &w.memory));
    RR_TRY(predict_all(&w));
    for (size_t i = 0; i < w.n; i++)
        if (!w.row[i].reason && !isnan(w.row[i].flops)) RR_TRY(rr_peers_find(a->arena, w.row[i].run->row, w.row[i].peer));
    if (cross) RR_TRY(cross_all(&w));
    judge_all(&w);
    RR_TRY(total_check(&w));
    RR_TRY(leave_behind(&w, files));
    struct rr_buf b = {0};
    (json ? put_json : put_text)(&b, &w);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}
