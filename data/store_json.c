/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_json.c - results.json: one line a metric, so that a baseline kept in git shows in a diff what changed. */
#include "data/store_db.h"
#include <math.h>
#include <string.h>

/* What a study too large for RR_RESULTS_MOST bytes leaves out, least missed first; each level includes those before it. */
enum cut { CUT_NOTHING, CUT_SHEETS, CUT_SWEEP_MONTHS, CUT_MONTHS, CUT_SWEEP_METRICS, CUT_SWEEP_SPREAD, CUT_PAIRS, CUT_SWEEP, CUTS };
static const char *const cut_text[CUTS] = {
    [CUT_SHEETS] = "to stay below 200 kB, the sheets of findings were left out (results.db has them)",
    [CUT_SWEEP_MONTHS] = "to stay below 200 kB, sheets and the months of sweep points were left out (results.db has them)",
    [CUT_MONTHS] = "to stay below 200 kB, sheets and all months were left out (results.db has them)",
    [CUT_SWEEP_METRICS] =
        "to stay below 200 kB, sheets, months and the metrics of sweep points beside cost, cash, wait and work were left out "
        "(results.db has them)",
    [CUT_SWEEP_SPREAD] =
        "to stay below 200 kB, sheets and months were left out, and sweep points show the mean of cost, cash, wait and work alone "
        "(results.db has all)",
    [CUT_PAIRS] =
        "to stay below 200 kB, sheets, months and pairs were left out, and sweep points show the mean of cost, cash, wait and work alone "
        "(results.db has all)",
    [CUT_SWEEP] =
        "to stay below 200 kB, sheets, months, pairs and sweep points beside the best, the baseline and those with gates were left out "
        "(results.db has all)",
};

// The metrics that a sweep point keeps when room is short.
static bool is_key(int metric)
{
    switch (metric) {
    case RR_M_COST_TOTAL:
    case RR_M_CASH_TOTAL:
    case RR_M_NPV_COST:
    case RR_M_COST_PER_GPU_HOUR_USED:
    case RR_M_WORK_FINISHED_SHARE:
    case RR_M_WAIT_P50:
    case RR_M_WAIT_P95:
    case RR_M_GPU_ALLOCATED_SHARE: return true;
    default: return false;
    }
}

static bool is_sweep_point(const struct rr_alternative *a) { return a->alternative && strcmp(rr_or_empty(a->name), a->alternative) != 0; }

static bool in_gate(const struct rr_store *s, const char *name, int metric)
{
    for (size_t i = 0; i < s->n_gates; i++)
        if (strcmp(rr_or_empty(s->gate[i].alternative), name) == 0 && (metric < 0 || s->gate[i].metric == metric)) return true;
    return false;
}

static bool is_kept(const struct rr_store *s, const struct rr_alternative *a, enum cut cut)
{
    const char *name = rr_or_empty(a->name);
    return cut < CUT_SWEEP || !is_sweep_point(a) || strcmp(name, rr_or_empty(s->best)) == 0 ||
           strcmp(name, rr_or_empty(s->baseline)) == 0 || in_gate(s, name, -1);
}

static void put_key(struct rr_buf *b, const char *key)
{
    rr_buf_json(b, key);
    rr_buf_puts(b, ": ");
}

static void put_text(struct rr_buf *b, const char *key, const char *text)
{
    put_key(b, key);
    rr_buf_json(b, rr_or_empty(text));
}

static void put_stat(struct rr_buf *b, const struct rr_stat *t, bool spread)
{
    const double d[] = {t->stddev, t->ci95, t->min, t->p10, t->p50, t->p90, t->max};
    static const char *const name[] = {"stddev", "ci95", "min", "p10", "p50", "p90", "max"};
    rr_buf_putf(b, "{\"n\": %d, \"mean\": ", t->n);
    rr_buf_double(b, t->mean);
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) {
        rr_buf_putf(b, ", \"%s\": ", name[i]);
        rr_buf_double(b, spread ? d[i] : (double)NAN);
    }
    rr_buf_puts(b, "}");
}

static void put_metrics(struct rr_buf *b, const struct rr_store *s, const struct rr_alternative *a, enum cut cut)
{
    const bool few = cut >= CUT_SWEEP_METRICS && is_sweep_point(a), spread = cut < CUT_SWEEP_SPREAD || !is_sweep_point(a);
    bool first = true;
    rr_buf_puts(b, ",\n      \"metrics\": {");
    for (int k = 0; k < RR_METRICS; k++) {
        if (few && !is_key(k) && !in_gate(s, rr_or_empty(a->name), k)) continue;
        rr_buf_putf(b, "%s\n        ", first ? "" : ",");
        put_key(b, rr_metric_info[k].name);
        put_stat(b, &a->metric[k], spread);
        first = false;
    }
    rr_buf_puts(b, "}");
}

static void put_months(struct rr_buf *b, const struct rr_alternative *a, enum cut cut)
{
    const size_t n = cut >= CUT_MONTHS || (cut >= CUT_SWEEP_MONTHS && is_sweep_point(a)) ? 0 : a->n_months;
    rr_buf_puts(b, ",\n      \"monthly\": [");
    for (size_t i = 0; i < n; i++) {
        const struct rr_month_row *m = &a->month[i];
        rr_buf_puts(b, i ? ",\n        {" : "\n        {");
        put_text(b, "month", m->month);
        rr_buf_puts(b, ", \"effective\": ");
        rr_buf_money_plain(b, m->effective);
        rr_buf_puts(b, ", \"billed\": ");
        rr_buf_money_plain(b, m->billed);
        rr_buf_puts(b, ", \"used_gpu_hours\": ");
        rr_buf_double(b, m->used_gpu_hours);
        rr_buf_puts(b, ", \"held_gpu_hours\": ");
        rr_buf_double(b, m->held_gpu_hours);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

// The numbers of laws that hold are the first thing to go when sweep points get short.
static void put_laws(struct rr_buf *b, const struct rr_alternative *a, enum cut cut)
{
    const bool brief = cut >= CUT_SWEEP_METRICS && is_sweep_point(a);
    rr_buf_puts(b, ",\n      \"laws\": [");
    for (size_t i = 0; i < a->n_laws; i++) {
        rr_buf_puts(b, i ? ",\n        {" : "\n        {");
        put_text(b, "law", a->law[i].law);
        rr_buf_putf(b, ", \"holds\": %s, ", a->law[i].holds ? "true" : "false");
        put_text(b, "detail", brief && a->law[i].holds ? "" : a->law[i].detail);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_losses(struct rr_buf *b, const struct rr_alternative *a, enum cut cut)
{
    const size_t n = cut >= CUT_SWEEP_METRICS && is_sweep_point(a) ? 0 : a->n_losses;
    rr_buf_puts(b, ",\n      \"losses\": [");
    for (size_t i = 0; i < n; i++) {
        const struct rr_loss_row *l = &a->loss[i];
        rr_buf_puts(b, i ? ",\n        {" : "\n        {");
        put_text(b, "reason", l->reason);
        rr_buf_putf(b, ", \"attempts\": %lld, \"nodes\": %lld, \"events\": %lld, \"gpu_hours\": ", (long long)l->attempts,
                    (long long)l->nodes, (long long)l->events);
        rr_buf_double(b, l->gpu_hours);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_bounds(struct rr_buf *b, const struct rr_alternative *a, enum cut cut)
{
    const size_t n = cut >= CUT_SWEEP_METRICS && is_sweep_point(a) ? 0 : a->n_bounds;
    rr_buf_puts(b, ",\n      \"waited_for\": [");
    for (size_t i = 0; i < n; i++) {
        rr_buf_puts(b, i ? ",\n        {" : "\n        {");
        put_text(b, "bound", a->bound[i].bound);
        rr_buf_puts(b, ", ");
        put_text(b, "what", a->bound[i].what);
        rr_buf_puts(b, ", \"job_hours\": ");
        rr_buf_double(b, a->bound[i].job_hours);
        rr_buf_puts(b, ", \"gpu_hours\": ");
        rr_buf_double(b, a->bound[i].gpu_hours);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

// Warnings as an array of lines; a note's place stands in front.
static void put_warnings(struct rr_buf *b, const struct rr_note *note, size_t n, bool *first)
{
    for (size_t i = 0; i < n; i++) {
        if (note[i].kind != RR_NOTE_WARNING) continue;
        struct rr_buf line = {0};
        if (*rr_or_empty(note[i].where)) rr_buf_putf(&line, "%s: ", note[i].where);
        rr_buf_puts(&line, rr_or_empty(note[i].text));
        if (!*first) rr_buf_puts(b, ", ");
        rr_buf_json(b, rr_buf_text(&line));
        rr_buf_done(&line);
        *first = false;
    }
}

static void put_flag(struct rr_buf *b, const char *key, bool v) { rr_buf_putf(b, ", \"%s\": %s", key, v ? "true" : "false"); }

static void put_alternative(struct rr_buf *b, const struct rr_store *s, const struct rr_alternative *a, enum cut cut)
{
    bool first = true;
    rr_buf_puts(b, "\n    { ");
    put_text(b, "name", a->name);
    rr_buf_puts(b, ", ");
    put_text(b, "alternative", a->alternative);
    put_flag(b, "unpriced", a->unpriced);
    put_flag(b, "meets_service", a->meets_service);
    put_flag(b, "same_work", a->same_work);
    rr_buf_puts(b, ", ");
    put_text(b, "service_detail", a->service_detail);
    rr_buf_putf(b, ", \"not_submitted\": %lld", (long long)a->not_submitted);
    put_metrics(b, s, a, cut);
    put_months(b, a, cut);
    put_laws(b, a, cut);
    put_losses(b, a, cut);
    put_bounds(b, a, cut);
    rr_buf_puts(b, ",\n      \"warnings\": [");
    put_warnings(b, a->note, a->n_notes, &first);
    rr_buf_puts(b, "] }");
}

static void put_pairs(struct rr_buf *b, const struct rr_store *s, enum cut cut)
{
    rr_buf_puts(b, ",\n  \"pairs\": [");
    for (size_t i = 0; i < s->n_pairs && cut < CUT_PAIRS; i++) {
        const struct rr_pair *p = &s->pair[i];
        rr_buf_puts(b, i ? ",\n    {" : "\n    {");
        put_text(b, "a", p->a);
        rr_buf_puts(b, ", ");
        put_text(b, "b", p->b);
        rr_buf_puts(b, ", ");
        put_text(b, "metric", rr_metric_info[p->metric].name);
        const double d[] = {p->diff.mean, p->diff.p10, p->diff.p50, p->diff.p90, p->diff.ci95};
        static const char *const name[] = {"{\"mean\": ", ", \"p10\": ", ", \"p50\": ", ", \"p90\": ", ", \"ci95\": "};
        rr_buf_puts(b, ", \"diff\": ");
        for (size_t k = 0; k < sizeof d / sizeof *d; k++) {
            rr_buf_puts(b, name[k]);
            rr_buf_double(b, d[k]);
        }
        rr_buf_puts(b, "}, \"prob_a_cheaper\": ");
        rr_buf_double(b, p->prob_a_cheaper);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_gates(struct rr_buf *b, const struct rr_store *s)
{
    rr_buf_puts(b, ",\n  \"gates\": [");
    for (size_t i = 0; i < s->n_gates; i++) {
        const struct rr_gate_result *g = &s->gate[i];
        rr_buf_puts(b, i ? ",\n    {" : "\n    {");
        put_text(b, "name", g->name);
        rr_buf_puts(b, ", ");
        put_text(b, "alternative", g->alternative);
        rr_buf_puts(b, ", ");
        put_text(b, "metric", rr_metric_info[g->metric].name);
        rr_buf_puts(b, ", ");
        put_text(b, "stat", g->stat);
        rr_buf_putf(b, ", \"bound\": \"%s\", \"limit\": ", g->is_max ? "max" : "min");
        rr_buf_double(b, g->limit);
        rr_buf_puts(b, ", \"value\": ");
        rr_buf_double(b, g->value);
        rr_buf_puts(b, ", ");
        put_text(b, "result", g->result);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_list(struct rr_buf *b, const char *key, const char *const *line, size_t n)
{
    put_key(b, key);
    rr_buf_puts(b, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) rr_buf_puts(b, ", ");
        rr_buf_json(b, rr_or_empty(line[i]));
    }
    rr_buf_puts(b, "]");
}

static void put_head(struct rr_buf *b, const struct rr_store *s)
{
    rr_buf_puts(b, "{ ");
    put_text(b, "schema", s->schema);
    rr_buf_puts(b, ", ");
    put_text(b, "name", s->name);
    rr_buf_puts(b, ",\n  ");
    put_text(b, "version", s->version);
    rr_buf_putf(b, ", \"seed\": %lld, \"replications\": %lld, ", (long long)s->seed, (long long)s->replications);
    put_text(b, "currency", s->currency);
    rr_buf_puts(b, ", \"start\": ");
    struct rr_buf start = {0};
    if (s->anchored) rr_buf_date(&start, s->start_us);
    if (s->anchored)
        rr_buf_json(b, rr_buf_text(&start));
    else
        rr_buf_puts(b, "null");
    rr_buf_done(&start);
    rr_buf_puts(b, ", \"horizon_s\": ");
    rr_buf_double(b, s->horizon_s);
    rr_buf_puts(b, ",\n  ");
    put_text(b, "scenario", s->scenario_path);
    rr_buf_puts(b, ", ");
    put_text(b, "baseline", s->baseline);
}

static void put_inputs(struct rr_buf *b, const struct rr_store *s)
{
    rr_buf_puts(b, ",\n  \"inputs\": [");
    for (size_t i = 0; i < s->n_inputs; i++) {
        rr_buf_puts(b, i ? ",\n    {" : "\n    {");
        put_text(b, "path", s->input[i].path);
        rr_buf_puts(b, ", ");
        put_text(b, "sha256", s->input[i].sha256);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_verdict(struct rr_buf *b, const struct rr_store *s)
{
    rr_buf_puts(b, ",\n  \"verdict\": { ");
    put_text(b, "text", s->verdict);
    rr_buf_puts(b, ",\n    ");
    put_text(b, "criterion", s->criterion);
    rr_buf_puts(b, ", ");
    put_text(b, "best", s->best);
    rr_buf_puts(b, ",\n    ");
    put_list(b, "headline", s->headline, s->n_headline);
    rr_buf_puts(b, ",\n    ");
    put_list(b, "varied", s->varied, s->n_varied);
    rr_buf_puts(b, " }");
}

static void put_all(struct rr_buf *b, const struct rr_store *s, enum cut cut)
{
    bool first = true;
    put_head(b, s);
    put_inputs(b, s);
    put_verdict(b, s);
    rr_buf_puts(b, ",\n  \"warnings\": [");
    put_warnings(b, s->note, s->n_notes, &first);
    if (cut != CUT_NOTHING) put_warnings(b, &(struct rr_note){RR_NOTE_WARNING, "", cut_text[cut], ""}, 1, &first);
    rr_buf_puts(b, "],\n  \"alternatives\": [");
    first = true;
    for (size_t i = 0; i < s->n_alternatives; i++) {
        if (!is_kept(s, &s->alternative[i], cut)) continue;
        if (!first) rr_buf_puts(b, ",");
        put_alternative(b, s, &s->alternative[i], cut);
        first = false;
    }
    rr_buf_puts(b, "]");
    put_pairs(b, s, cut);
    put_gates(b, s);
    if (cut < CUT_SHEETS) rr_put_sheets(b, s);
    rr_buf_puts(b, " }\n");
}

void rr_store_json(const struct rr_store *s, struct rr_buf *b)
{
    const size_t before = b->n;
    for (enum cut cut = CUT_NOTHING; cut < CUTS; cut++) {
        b->n = before;
        put_all(b, s, cut);
        if (b->n - before <= RR_RESULTS_MOST) return;
    }
}
