/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/validate_memory.c - published memory against the shipped model: errors, false fits, crashes by how full the machine would be. */
#include "sim/cli/validate_memory.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

static struct rr_memory_set *set_of(struct rr_memory_check *m, struct rr_arena *a, const char *name, size_t n)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->set[i].name, name) == 0) return &m->set[i];
    struct rr_memory_set *s = &m->set[m->n++];
    *s = (struct rr_memory_set){.name = name, .row = RR_NEWS(a, struct rr_memory_row, n)};
    s->peer_bytes = rr_alloc(a, n, sizeof *s->peer_bytes);
    return s;
}

static enum rr_status predict(const struct rr_train_facts *f, struct rr_published *p, struct rr_arena *a, struct rr_memory_row *ret)
{
    const char *note;
    struct rr_coefs coefs;
    struct rr_memory m;
    RR_TRY(rr_coefs_find(f, a, p->set->framework, p->machine.family, &coefs, &note));
    rr_published_memory(p, &coefs, &m);
    ret->predicted_bytes = m.total_bytes;
    rr_memory_peak(&p->arch, &coefs, &p->layout, &m);
    ret->needed_bytes = m.total_bytes;
    ret->usable_bytes = rr_memory_usable_bytes(&p->machine);
    ret->measured_bytes = p->measured_bytes;
    ret->oom = p->row->oom;
    return RR_OK;
}

/* Median error of peer k over the rows that it predicts. */
static void judge_peer(struct rr_memory_set *s, int k, struct rr_arena *a)
{
    double *error = RR_NEWS(a, double, s->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->row[i].measured_bytes > 0 && !isnan(s->peer_bytes[i][k]))
            error[n++] = fabs(s->peer_bytes[i][k] / s->row[i].measured_bytes - 1);
    gsl_sort(error, 1, n);
    s->peer_n[k] = n;
    s->peer[k] = n ? gsl_stats_median_from_sorted_data(error, 1, n) : NAN;
}

enum rr_status rr_memory_check(const struct rr_train_facts *f, struct rr_published *run, size_t n, bool cross, struct rr_arena *a,
                               struct rr_memory_check *ret)
{
    *ret = (struct rr_memory_check){
        .set = RR_NEWS(a, struct rr_memory_set, n + 1), .left_out = RR_NEWS(a, double, n + 1), .by_model = RR_NEWS(a, double, n + 1)};
    for (size_t i = 0; i < n; i++) ret->left_out[i] = ret->by_model[i] = NAN;
    if (cross) RR_TRY(rr_memory_leave_out(run, n, a, ret->left_out, ret->by_model));
    for (size_t i = 0; i < n; i++) {
        struct rr_published *p = &run[i];
        if (p->row->table != RR_TRAIN_MEMORY) continue;
        struct rr_memory_set *s = set_of(ret, a, p->set ? p->set->name : p->row->source, n);
        struct rr_memory_row *row = &s->row[s->n];
        if (p->reason) {
            s->unpredicted++;
            continue;
        }
        RR_TRY(predict(f, p, a, row));
        if (p->other) ret->left_out[i] = ret->by_model[i] = NAN; // no fit had it to leave it out
        row->left_out_bytes = ret->left_out[i], row->model_bytes = ret->by_model[i];
        RR_TRY(rr_peers_memory(a, p->row, p->measured_bytes, s->peer_bytes[s->n]));
        s->n++;
    }
    for (size_t i = 0; i < ret->n; i++) {
        rr_memory_judge(ret->set[i].row, ret->set[i].n, a, &ret->set[i].ours);
        for (int k = 0; k < RR_PEERS; k++) judge_peer(&ret->set[i], k, a);
    }
    return RR_OK;
}

/* ---- what is printed ---- */

static void put_share(struct rr_buf *b, int wide, double share)
{
    if (isnan(share))
        rr_buf_putf(b, " %*s", wide, "-");
    else
        rr_buf_putf(b, " %*.1f", wide, 100 * share);
}

static void put_set(struct rr_buf *b, const struct rr_memory_set *s)
{
    const struct rr_memory_judgement *j = &s->ours;
    rr_buf_putf(b, "%-24.24s %5zu", s->name, j->n);
    const double v[] = {j->median, j->left_out, j->by_model, j->mean, j->worst, j->bias, j->within_5, j->within_10};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) put_share(b, i == 1 ? 9 : i == 2 ? 11 : 8, v[i]);
    for (int k = 0; k < RR_PEERS; k++) put_share(b, 8, s->peer[k]);
    rr_buf_putf(b, " %5zu of %-4zu %4zu of %zu\n", j->false_fits, j->ooms, j->refused, j->ran);
}

/* What crashed, of all that were tried with such a prediction. */
static void put_margins(struct rr_buf *b, const struct rr_memory_set *s)
{
    const struct rr_memory_judgement *j = &s->ours;
    if (j->crashed == 0) return;
    rr_buf_putf(b, "\n%s: %zu rows crashed or ran out of memory (the source does not say which)\n", s->name, j->crashed);
    rr_buf_puts(b, "predicted / usable     ran  crashed  share crashed\n");
    for (int i = 0; i < RR_MEMORY_BINS; i++) {
        const size_t all = j->bin_ran[i] + j->bin_crashed[i];
        const double from = i ? rr_memory_bin_to[i - 1] : 0, to = rr_memory_bin_to[i];
        if (isinf(to))
            rr_buf_putf(b, "  %4.2f and more  ", from);
        else
            rr_buf_putf(b, "  %4.2f to %4.2f   ", from, to);
        rr_buf_putf(b, " %7zu %8zu  ", j->bin_ran[i], j->bin_crashed[i]);
        put_share(b, 6, all ? (double)j->bin_crashed[i] / (double)all : NAN);
        rr_buf_puts(b, all ? " %\n" : "\n");
    }
}

void rr_memory_check_text(struct rr_buf *b, const struct rr_memory_check *m)
{
    if (m->n == 0) return;
    rr_buf_putf(b, "\n%-24s %5s %8s %9s %11s %8s %8s %8s %8s %8s %8s %8s %13s %s\n", "memory, errors in %", "rows", "median", "rows out",
                "models out", "mean", "worst", "bias", "in 5 %", "in 10 %", "Calculon", "SimuMax", "false fits", "false alarms");
    for (size_t i = 0; i < m->n; i++) put_set(b, &m->set[i]);
    for (size_t i = 0; i < m->n; i++) put_margins(b, &m->set[i]);
}

static void put_pct(struct rr_buf *b, const char *name, double share)
{
    rr_buf_putf(b, ", \"%s\": ", name);
    rr_buf_double(b, isnan(share) ? NAN : floor(1e4 * share + 0.5) / 100);
}

void rr_memory_check_json(struct rr_buf *b, const struct rr_memory_check *m, const char *set)
{
    const struct rr_memory_set *s = m->set;
    while (strcmp(s->name, set) != 0) s++;
    const struct rr_memory_judgement *j = &s->ours;
    put_pct(b, "cross_median_pct", j->left_out);
    put_pct(b, "by_model_median_pct", j->by_model);
    put_pct(b, "within_5_pct", j->within_5);
    put_pct(b, "within_10_pct", j->within_10);
    for (int k = 0; k < RR_PEERS; k++) {
        if (s->peer_n[k] == 0) continue;
        rr_buf_putf(b, ", \"%s\": {\"n\": %zu", rr_peer_name[k], s->peer_n[k]);
        put_pct(b, "median_pct", s->peer[k]);
        rr_buf_puts(b, "}");
    }
    rr_buf_putf(b, ", \"ran\": %zu, \"refused_that_ran\": %zu", j->ran, j->refused);
    rr_buf_putf(b, ", \"oom\": %zu, \"false_fits\": %zu, \"crashed_or_oom\": %zu, \"margins\": [", j->ooms, j->false_fits, j->crashed);
    for (int i = 0; i < RR_MEMORY_BINS; i++) {
        rr_buf_puts(b, i ? ", {\"below\": " : "{\"below\": ");
        rr_buf_double(b, isinf(rr_memory_bin_to[i]) ? NAN : rr_memory_bin_to[i]);
        rr_buf_putf(b, ", \"ran\": %zu, \"crashed\": %zu}", j->bin_ran[i], j->bin_crashed[i]);
    }
    rr_buf_puts(b, "]");
}
