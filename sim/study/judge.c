/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/judge.c - what the numbers mean: service limits, same work, the verdict, pairs and gates (DESIGN.md section 4, Verdict). */
#include "models/finance/finance.h"
#include "sim/study/parts.h"
#include <math.h>
#include <string.h>

#define SAME_WORK 0.001 /* finished shares that differ by less are the same reference work */

/* ---- service and work ---- */

static void metric_text(struct rr_buf *b, int metric, double v, const char *currency)
{
    switch (rr_metric_info[metric].unit) {
    case RR_U_SECONDS: rr_buf_time_short(b, (int64_t)(v * 1e6)); break;
    case RR_U_MONEY:
    case RR_U_MONEY_PER_GPU_HOUR:
    case RR_U_MONEY_PER_MONTH:
    case RR_U_MONEY_PER_JOB: rr_buf_money(b, (struct rr_money){(int64_t)llround(v * 1e6)}, currency, fabs(v) < 100 ? 2 : 0); break;
    default: rr_buf_putf(b, "%.6g", v);
    }
}

// The value beside a limit: with more digits where the usual ones would make both read the same, though it misses the limit.
static void missed_text(struct rr_buf *b, const struct rr_limit *l, double v, const char *currency)
{
    struct rr_buf shown = {0}, limit = {0};
    metric_text(&shown, l->metric, v, currency);
    metric_text(&limit, l->metric, l->limit, currency);
    const double off_us = fabs(v - l->limit) * 1e6;
    const int64_t us = llround(v * 1e6), step = off_us >= 2e6 ? RR_S : off_us >= 2e3 ? 1000 : 1;
    if (strcmp(rr_buf_text(&shown), rr_buf_text(&limit)) != 0)
        rr_buf_puts(b, rr_buf_text(&shown));
    else if (rr_metric_info[l->metric].unit == RR_U_SECONDS)
        rr_buf_time(b, (us + step / 2) / step * step);
    else
        rr_buf_putf(b, "%.12g", v);
    rr_buf_done(&shown);
    rr_buf_done(&limit);
}

static void check_service(const struct rr_scenario *s, struct rr_arena *arena, struct rr_alternative *a)
{
    struct rr_buf b = {0};
    a->meets_service = true;
    for (size_t i = 0; i < s->n_service; i++) {
        const struct rr_limit *l = &s->service[i];
        const double v = a->metric[l->metric].mean;
        if (!isnan(v) && (l->at_least ? v >= l->limit : v <= l->limit)) continue;
        a->meets_service = false;
        rr_buf_putf(&b, "%s%s is ", b.n ? "; " : "", rr_metric_info[l->metric].name);
        if (isnan(v))
            rr_buf_puts(&b, "not defined");
        else
            missed_text(&b, l, v, s->currency);
        rr_buf_putf(&b, ", wanted %s", l->text);
    }
    a->service_detail = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
}

static double best_share(const struct rr_store *store)
{
    double best = NAN;
    for (size_t i = 0; i < store->n_alternatives; i++) {
        const double v = store->alternative[i].metric[RR_M_WORK_FINISHED_SHARE].mean;
        if (isnan(best) || v > best) best = v;
    }
    return best;
}

/* ---- the verdict ---- */

/* The longest term (row "term") among the commitments of all variants, in months. */
static int64_t longest_term(const struct rr_scenario_set *set)
{
    int64_t months = 0;
    for (size_t v = 0; v < set->n_variants; v++)
        for (size_t i = 0; i < set->variant[v]->n_commitments; i++) {
            const struct rr_commitment *c = &set->variant[v]->commitment[i];
            for (size_t k = 0; k < c->plan->n_params; k++) {
                const struct rr_param *row = &c->plan->params[k];
                if (row->type != RR_P_DURATION || strcmp(row->name, "term") != 0) continue;
                const struct rr_duration *term = (const struct rr_duration *)((const char *)c->params + row->offset);
                if (term->months > months) months = term->months;
            }
        }
    return months;
}

/* A span of calendar months; whole ones alone, else days. */
static void span_text(struct rr_buf *b, const struct rr_clock *clock, int64_t us)
{
    const double months = rr_months(clock, us), years = months / 12;
    if (clock->anchored && months >= 12 && fabs(years - round(years)) < 1e-9)
        rr_buf_putf(b, "%.0f year%s", years, round(years) == 1 ? "" : "s");
    else if (clock->anchored && months >= 1 && fabs(months - round(months)) < 1e-9)
        rr_buf_putf(b, "%.0f month%s", months, round(months) == 1 ? "" : "s");
    else
        rr_buf_time_short(b, us);
}

/* As the scenario writes the horizon; the replay's length where it has none. */
static void horizon_text(struct rr_buf *b, const struct rr_scenario *s, int64_t end_us)
{
    if (!s->has_horizon)
        span_text(b, &s->clock, end_us);
    else if (s->horizon.months > 0 && s->horizon.months % 12 == 0 && s->horizon.us == 0)
        rr_buf_putf(b, "%lld year%s", (long long)s->horizon.months / 12, s->horizon.months == 12 ? "" : "s");
    else if (s->horizon.months == 0 && s->horizon.us % RR_D == 0)
        rr_buf_putf(b, "%lld day%s", (long long)(s->horizon.us / RR_D), s->horizon.us == RR_D ? "" : "s");
    else
        rr_buf_duration(b, s->horizon);
}

static void term_text(struct rr_buf *b, int64_t months)
{
    if (months % 12 == 0)
        rr_buf_putf(b, "%lld year%s", (long long)months / 12, months == 12 ? "" : "s");
    else
        rr_buf_putf(b, "%lld month%s", (long long)months, months == 1 ? "" : "s");
}

static bool competes(const struct rr_alternative *a) { return !a->unpriced && a->same_work && a->meets_service; }

/* npv.cost when every competitor has one, else cost.total. */
static int criterion_of(const struct rr_store *store)
{
    for (size_t i = 0; i < store->n_alternatives; i++)
        if (competes(&store->alternative[i]) && isnan(store->alternative[i].metric[RR_M_NPV_COST].mean)) return RR_M_COST_TOTAL;
    return RR_M_NPV_COST;
}

/* "; rent is cheaper, but finishes 12 % less" for each alternative that does not compete. */
static void tell_others(struct rr_buf *b, const struct rr_store *store, int metric, const struct rr_alternative *best)
{
    const double share = best_share(store);
    for (size_t i = 0; i < store->n_alternatives; i++) {
        const struct rr_alternative *a = &store->alternative[i];
        if (competes(a)) continue;
        if (a->unpriced) {
            rr_buf_putf(b, "; %s has no price", a->name);
            continue;
        }
        const bool cheaper = best && a->metric[metric].mean < best->metric[metric].mean;
        rr_buf_putf(b, "; %s %s", a->name, cheaper ? "is cheaper, but " : "");
        if (!a->same_work)
            rr_buf_putf(b, "finishes %.1f %% less", 100 * (1 - a->metric[RR_M_WORK_FINISHED_SHARE].mean / share));
        else
            rr_buf_putf(b, "misses the service limits (%s)", a->service_detail);
    }
}

static void tell_best(struct rr_buf *b, const struct rr_store *store, int metric, const struct rr_alternative *best,
                      const struct rr_alternative *second, size_t n)
{
    const double v = best->metric[metric].mean, w = second ? second->metric[metric].mean : 0;
    if (second && fabs(w - v) <= 5e-7 * fabs(w)) {
        rr_buf_putf(b, "%s and %s cost the same by %s: ", best->name, second->name, rr_metric_info[metric].name);
        metric_text(b, metric, v, store->currency);
    } else {
        rr_buf_putf(b, "%s is cheapest by %s: ", best->name, rr_metric_info[metric].name);
        metric_text(b, metric, v, store->currency);
        if (second) {
            rr_buf_putf(b, ", %.*f %% below %s (", fabs(1 - v / w) < 0.001 ? 3 : 1, w > 0 ? 100 * (1 - v / w) : 0.0, second->name);
            metric_text(b, metric, w, store->currency);
            rr_buf_puts(b, ")");
        }
    }
    if (second && w - v > 5e-7 * fabs(w) && w - v < best->metric[metric].ci95 + second->metric[metric].ci95)
        rr_buf_puts(b, ", a difference inside their confidence intervals");
    if (n > 1 && n == store->n_alternatives)
        rr_buf_putf(b, "; %s finish the same work", n == 2 ? "both" : "all");
    else if (n > 1)
        rr_buf_putf(b, "; these %zu finish the same work", n);
}

static void reach_verdict(const struct rr_scenario_set *set, struct rr_arena *arena, struct rr_store *store)
{
    struct rr_buf b = {0};
    const struct rr_scenario *s = set->variant[0];
    const int64_t end_us = isnan(store->horizon_s) ? store->alternative[0].end_us : (int64_t)(store->horizon_s * 1e6);
    const int64_t term = longest_term(set);
    const int metric = criterion_of(store);
    const struct rr_alternative *best = NULL, *second = NULL;
    size_t n = 0, priced = 0;
    for (size_t i = 0; i < store->n_alternatives; i++) {
        const struct rr_alternative *a = &store->alternative[i];
        priced += !a->unpriced;
        if (!competes(a)) continue;
        n++;
        if (!best || a->metric[metric].mean < best->metric[metric].mean) {
            second = best;
            best = a;
        } else if (!second || a->metric[metric].mean < second->metric[metric].mean) {
            second = a;
        }
    }
    store->criterion = store->best = "";
    rr_buf_puts(&b, "Over ");
    horizon_text(&b, s, end_us);
    rr_buf_puts(&b, ", ");
    if (!priced) {
        rr_buf_puts(&b, "nothing is priced: the replay's times stand without a cost");
    } else if (store->n_alternatives == 1) {
        const struct rr_alternative *a = &store->alternative[0];
        rr_buf_putf(&b, "%s costs ", a->name);
        metric_text(&b, RR_M_COST_TOTAL, a->metric[RR_M_COST_TOTAL].mean, store->currency);
        rr_buf_putf(&b, " (cost.total) and finishes %.1f %% of the work", 100 * a->metric[RR_M_WORK_FINISHED_SHARE].mean);
        if (!a->meets_service) rr_buf_putf(&b, ", but misses the service limits (%s)", a->service_detail);
    } else if ((double)term > rr_months(&s->clock, end_us) + 1e-9) {
        rr_buf_puts(&b, "there is no verdict on commitments: the longest term compared is ");
        term_text(&b, term);
        rr_buf_puts(&b, ", longer than the horizon");
    } else if (!best) {
        rr_buf_puts(&b, "no alternative both finishes the same work and meets the service limits");
        tell_others(&b, store, metric, NULL);
    } else {
        store->best = best->name;
        store->criterion = rr_metric_info[metric].name;
        tell_best(&b, store, metric, best, second, n);
        if (n > 1 && set->variant[0]->n_service) rr_buf_puts(&b, " within the service limits");
        tell_others(&b, store, metric, best);
    }
    store->verdict = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
}

/* ---- warnings beside the verdict ---- */

struct lines {
    RR_VEC(const char *) at;
};

static bool has_line(const struct rr_alternative *a, const char *type, const char *line)
{
    for (size_t i = 0; i < a->n_lines; i++)
        if (strcmp(a->line[i].type, type) == 0 && (!line || strcmp(a->line[i].line, line) == 0)) return true;
    return false;
}

/* Two alternatives that use the same plan type must carry the same lines of it. */
static void scopes_differ(const struct rr_store *store, struct rr_arena *arena, struct lines *out)
{
    for (size_t i = 0; i < store->n_alternatives; i++)
        for (size_t j = 0; j < store->n_alternatives; j++)
            for (size_t k = 0; k < store->alternative[i].n_lines && i != j; k++) {
                const struct rr_cost_line *l = &store->alternative[i].line[k];
                const struct rr_alternative *other = &store->alternative[j];
                const bool around = !strcmp(l->type, "storage") || !strcmp(l->type, "transfer") || !strcmp(l->type, "support");
                if (has_line(other, l->type, l->line) || other->unpriced || !(around || has_line(other, l->type, NULL))) continue;
                const char *text = rr_strf(arena, "scopes differ: %s has a \"%s\" line (%s), %s has none", store->alternative[i].name,
                                           l->line, l->type, other->name);
                bool told = false;
                for (size_t n = 0; n < out->at.n; n++) told |= strcmp(out->at.at[n], text) == 0;
                if (!told) rr_vec_push(&out->at, text);
            }
}

static void tell_headline(const struct rr_scenario_set *set, struct rr_arena *arena, struct rr_store *store)
{
    struct lines out = {0};
    scopes_differ(store, arena, &out);
    for (size_t v = 0; v < set->n_variants; v++) {
        const struct rr_scenario *s = set->variant[v];
        for (size_t p = 0; p < s->n_pools; p++)
            if (s->pool[p].nodes_max == INT64_MAX) {
                const char *text = rr_strf(arena, "%s: pool \"%s\" may grow without a limit", s->variant, s->pool[p].name);
                rr_vec_push(&out.at, text);
            }
        const struct rr_alternative *a = &store->alternative[v];
        for (size_t i = 0; i < a->n_notes; i++)
            if (a->note[i].kind == RR_NOTE_WARNING) rr_vec_push(&out.at, rr_strf(arena, "%s: %s", a->name, a->note[i].text));
    }
    for (size_t i = 0; i < store->n_notes; i++)
        if (store->note[i].kind == RR_NOTE_WARNING) rr_vec_push(&out.at, store->note[i].text);
    const char **line = RR_NEWS(arena, const char *, out.at.n);
    for (size_t i = 0; i < out.at.n; i++) line[i] = out.at.at[i];
    store->headline = line;
    store->n_headline = out.at.n;
    rr_vec_done(&out.at);
}

/* ---- pairs ---- */

static const int compared[] = {RR_M_COST_TOTAL, RR_M_NPV_COST, RR_M_WAIT_MEAN};

/* Every other variant against the baseline, replication by replication (the same arrivals in both). */
static void tell_pairs(struct rr_arena *arena, const double *const *values, int n_reps, struct rr_store *store)
{
    const size_t n_compared = sizeof compared / sizeof *compared;
    size_t base = 0, n = 0;
    for (size_t i = 0; i < store->n_alternatives; i++)
        if (strcmp(store->alternative[i].name, store->baseline) == 0) base = i;
    struct rr_pair *pair = RR_NEWS(arena, struct rr_pair, store->n_alternatives * n_compared);
    double *diff = RR_NEWS(arena, double, (size_t)n_reps);
    for (size_t i = 0; i < store->n_alternatives; i++) {
        for (size_t k = 0; i != base && k < n_compared; k++) {
            const int m = compared[k];
            int cheaper = 0;
            for (int r = 0; r < n_reps; r++) {
                diff[r] = values[i][r * RR_METRICS + m] - values[base][r * RR_METRICS + m];
                cheaper += diff[r] < 0;
            }
            struct rr_pair *p = &pair[n];
            *p = (struct rr_pair){.a = store->alternative[i].name, .b = store->baseline, .metric = m};
            rr_stat_of(diff, n_reps, &p->diff);
            p->prob_a_cheaper = n_reps > 1 && m != RR_M_WAIT_MEAN ? (double)cheaper / n_reps : NAN;
            if (!isnan(p->diff.mean)) n++;
        }
    }
    store->pair = pair;
    store->n_pairs = n;
}

/* ---- gates ---- */

static const char *judge_gate(const struct rr_gate *g, const struct rr_stat *s, double v, double limit, bool is_max)
{
    if (g->waived) return "waived";
    if (isnan(v)) return "fail"; // a gate on null fails
    const bool mean = strcmp(g->stat, "mean") == 0 && s->n > 1;
    if (mean && fabs(v - limit) < s->ci95) return "inconclusive"; // the limit lies inside the confidence interval
    return (is_max ? v <= limit : v >= limit) ? "pass" : "fail";
}

static bool gate_is_for(const struct rr_gate *g, const struct rr_alternative *a)
{
    return !g->alternative || strcmp(g->alternative, a->alternative) == 0 || strcmp(g->alternative, a->name) == 0;
}

static void judge_gates(const struct rr_scenario_set *set, struct rr_arena *arena, struct rr_store *store)
{
    struct rr_gate_result *result = RR_NEWS(arena, struct rr_gate_result, 2 * set->n_gates * store->n_alternatives);
    size_t n = 0;
    for (size_t i = 0; i < set->n_gates; i++)
        for (size_t k = 0; k < store->n_alternatives; k++) {
            const struct rr_gate *g = &set->gate[i];
            const struct rr_alternative *a = &store->alternative[k];
            if (!gate_is_for(g, a)) continue;
            for (int is_max = 0; is_max < 2; is_max++) {
                if (!(is_max ? g->has_max : g->has_min)) continue;
                const double limit = is_max ? g->max : g->min, v = rr_stat_get(&a->metric[g->metric], g->stat);
                result[n++] = (struct rr_gate_result){.name = g->name,
                                                      .alternative = a->name,
                                                      .stat = g->stat,
                                                      .result = judge_gate(g, &a->metric[g->metric], v, limit, is_max),
                                                      .metric = g->metric,
                                                      .is_max = is_max,
                                                      .limit = limit,
                                                      .value = v};
            }
        }
    store->gate = result;
    store->n_gates = n;
}

enum rr_status rr_judge(const struct rr_scenario_set *set, struct rr_arena *arena, const double *const *values, int n_reps,
                        struct rr_store *store)
{
    struct rr_alternative *alt = (struct rr_alternative *)(uintptr_t)store->alternative; // this study's own
    const double share = best_share(store);
    for (size_t i = 0; i < store->n_alternatives; i++) {
        check_service(set->variant[i], arena, &alt[i]);
        const double v = alt[i].metric[RR_M_WORK_FINISHED_SHARE].mean;
        alt[i].same_work = isnan(share) || v >= share - SAME_WORK * fabs(share);
    }
    reach_verdict(set, arena, store);
    tell_headline(set, arena, store);
    tell_pairs(arena, values, n_reps, store);
    judge_gates(set, arena, store);
    return RR_OK;
}
