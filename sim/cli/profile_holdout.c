/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile_holdout.c - `rackrate profile validate --alternate LOG...`: how well each log's every other size predicts the sizes between.
 *
 * Both ways round where the log has sizes enough: the 1st, 3rd, ... predict the 2nd, 4th, ..., then these predict those. */
#include "sim/cli/profile.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_SIZES = 12, LEAST_TURNED = 16, NAME = 48 }; /* 13 sizes turned round leave six to see */
#define MEDIAN_BAR 5.0
#define WORST_BAR  20.0

struct log {
    const char *name;
    size_t rows, sizes, times, inside, judged, flagged, curves;
    double *miss_pct; /* [judged] */
    double median_pct, worst_pct;
};

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void append(struct log *l, const struct rr_held_out *h, struct rr_arena *a)
{
    double *all = RR_NEWS(a, double, l->judged + h->judged + 1);
    if (l->judged) memcpy(all, l->miss_pct, l->judged * sizeof *all);
    if (h->judged) memcpy(all + l->judged, h->miss_pct, h->judged * sizeof *all);
    l->miss_pct = all;
    l->judged += h->judged, l->times += h->times, l->inside += h->inside, l->flagged += h->flagged;
}

static void judge(struct log *l)
{
    if (l->judged == 0) return;
    qsort(l->miss_pct, l->judged, sizeof *l->miss_pct, by_double);
    l->median_pct = l->miss_pct[l->judged / 2], l->worst_pct = l->miss_pct[l->judged - 1];
}

static bool same_curve(const struct rr_sample *x, const struct rr_sample *y)
{
    return x->kind == y->kind && strcmp(x->op, y->op) == 0 && strcmp(x->algorithm, y->algorithm) == 0 &&
           strcmp(x->protocol, y->protocol) == 0 && x->ranks == y->ranks && x->nodes == y->nodes;
}

/* The curve that the i-th sample is of, its samples marked as done. */
static void hold_out_curve(struct log *l, const struct rr_samples *s, size_t i, bool *done, struct rr_arena *a)
{
    const struct rr_fit_options opt = {.seed = 1};
    struct rr_point *p = RR_NEWS(a, struct rr_point, s->n + 1);
    struct rr_held_out h;
    size_t n = 0;
    for (size_t k = i; k < s->n; k++) {
        const struct rr_sample *r = &s->at[k];
        if (done[k] || !same_curve(&s->at[i], r)) continue;
        done[k] = true;
        if (r->bytes > 0 && r->us > 0) p[n++] = (struct rr_point){(double)r->bytes, r->us, r->in_place, r->line, false};
    }
    const double factor = rr_bus_factor(s->at[i].op, s->at[i].ranks);
    rr_curve_hold_out(p, n, factor, &opt, false, a, &h);
    l->sizes += h.sizes, l->curves++;
    if (h.sizes < LEAST_SIZES) return;
    append(l, &h, a);
    if (h.sizes < LEAST_TURNED) return;
    rr_curve_hold_out(p, n, factor, &opt, true, a, &h);
    append(l, &h, a);
}

static enum rr_status read_one(const struct rr_command *c, const struct rr_args *args, size_t i, struct log *l)
{
    struct rr_args one = *args;
    struct rr_samples s;
    const char *slash = strrchr(args->operand[i], '/');
    one.operand = args->operand + i, one.n_operands = 1;
    l->name = slash ? slash + 1 : args->operand[i];
    RR_TRY(rr_cli_samples(c, &one, 0, &s));
    bool *done = RR_NEWS(args->arena, bool, s.n + 1);
    l->rows = s.n_files ? s.file[0].rows : 0;
    for (size_t k = 0; k < s.n; k++)
        if (!done[k] && s.at[k].kind == RR_SAMPLE_COLLECTIVE) hold_out_curve(l, &s, k, done, args->arena);
    judge(l);
    return RR_OK;
}

static void put_line(struct rr_buf *b, const struct log *l)
{
    const size_t n = strlen(l->name);
    rr_buf_putf(b, "%s%-*s %6zu %6zu", n > NAME ? "..." : "", n > NAME ? NAME - 3 : NAME, n > NAME ? l->name + n - (NAME - 3) : l->name,
                l->rows, l->sizes);
    if (l->judged == 0) {
        rr_buf_puts(b, l->sizes ? "  fewer than 12 sizes: not judged\n" : "  no times of collectives\n");
        return;
    }
    rr_buf_putf(b, " %6.1f %% %6.1f %% %8zu %8.1f %%%s\n", l->median_pct, l->worst_pct, l->flagged,
                100.0 * (double)l->inside / (double)l->times, l->median_pct > MEDIAN_BAR || l->worst_pct > WORST_BAR ? " !" : "");
}

static void put_json(struct rr_buf *b, const struct log *l)
{
    rr_buf_puts(b, "{\"log\": ");
    rr_buf_json(b, l->name);
    rr_buf_putf(b, ", \"rows\": %zu, \"sizes\": %zu, \"times\": %zu, \"inside_band\": %zu, \"outliers\": %zu", l->rows, l->sizes, l->times,
                l->inside, l->flagged);
    if (l->judged) rr_buf_putf(b, ", \"median_pct\": %.4g, \"worst_pct\": %.4g", l->median_pct, l->worst_pct);
    rr_buf_puts(b, "}");
}

static void put_all(struct rr_buf *b, const struct log *l, size_t n, const struct log *all, bool json)
{
    size_t judged = 0, good = 0;
    for (size_t i = 0; i < n; i++)
        judged += l[i].judged > 0, good += l[i].judged > 0 && l[i].median_pct <= MEDIAN_BAR && l[i].worst_pct <= WORST_BAR;
    if (json) {
        rr_buf_puts(b, "{\"schema\": \"rackrate.profile-alternate/1\", \"logs\": [");
        for (size_t i = 0; i < n; i++) rr_buf_puts(b, i ? ",\n  " : "\n  "), put_json(b, &l[i]);
        rr_buf_puts(b, "],\n \"all\": ");
        put_json(b, all);
        rr_buf_puts(b, "}\n");
        return;
    }
    rr_buf_putf(b, "Each log's every other size predicts the sizes between, both ways round.\n\n%-*s %6s %6s %8s %8s %8s %10s\n", NAME,
                "log", "rows", "sizes", "median", "worst", "outliers", "in band");
    for (size_t i = 0; i < n; i++) put_line(b, &l[i]);
    put_line(b, all);
    rr_buf_putf(b,
                "\n%zu of %zu logs with 12 sizes or more keep a median of %g %% and a worst of %g %%; \"!\" marks the others.\n"
                "Outliers count in the band of 90 %% alone; the sizes around name them, not the prediction.\n",
                good, judged, MEDIAN_BAR, WORST_BAR);
}

enum rr_status rr_profile_hold_out(const struct rr_command *c, const struct rr_args *a, size_t first, bool json)
{
    struct log *l = RR_NEWS(a->arena, struct log, a->n_operands + 1), all = {.name = "all"};
    struct rr_buf b = {0};
    enum rr_status st = RR_OK;
    size_t n = 0;
    for (size_t i = first; i < a->n_operands; i++) {
        st = read_one(c, a, i, &l[n]);
        if (st != RR_OK && i + 1 < a->n_operands) fprintf(stderr, "rackrate: refused: %s\n", rr_reason());
        if (st != RR_OK) continue;
        const struct rr_held_out h = {
            .judged = l[n].judged, .times = l[n].times, .inside = l[n].inside, .flagged = l[n].flagged, .miss_pct = l[n].miss_pct};
        append(&all, &h, a->arena);
        all.rows += l[n].rows, all.sizes += l[n].sizes;
        n++;
    }
    if (n == 0) return st;
    if (st != RR_OK) fprintf(stderr, "rackrate: refused: %s\n", rr_reason());
    judge(&all);
    put_all(&b, l, n, &all, json);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}
