/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile.c - `rackrate profile show|compare|validate`: a profile as tables and plots, two machines side by side, one against another log. */
#include "sim/cli/profile.h"
#include "data/profile_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {'o', "out", "DIR", false, "write collectives.svg and roofline.svg there; compare: of both machines"},
    {0, "json", NULL, false, "one JSON document"},
    {0, "alternate", NULL, false, "validate: no profile; every other size of each log predicts the sizes between, a line a log"},
    {0, "op", "NAME", false, "validate: the operation, where the log does not say it"},
    {0, "ranks", "N", false, "validate: GPUs that took part, where the log does not say it"},
    {0, "nodes", "N", false, "validate: nodes that they were on"},
    {0, "gpus-per-node", "N", false, "validate: of the nodes, where nothing says how many nodes there were"},
    {0, "format", "NAME", false, "validate: of the log (default auto)"},
    {0, "network", "TEXT", false, "validate: what joins the nodes"},
    {0, "max-refused", "SHARE", false, "validate: share of damaged rows past which a log is refused (default 0.2)"},
};
const struct rr_command rr_command_profile;

enum rr_status rr_cli_profile(const char *name, struct rr_arena *a, struct rr_profile *ret)
{
    const char *dir = ".";
    if (rr_data_dir(a, &dir) != RR_OK) dir = "."; // a file needs none
    return rr_profile_find(dir, name, a, ret);
}

/* ---- show ---- */

void rr_profile_put_us(struct rr_buf *b, double us)
{
    if (us < 1e3)
        rr_buf_putf(b, "%9.2f us", us);
    else if (us < 1e6)
        rr_buf_putf(b, "%9.2f ms", us / 1e3);
    else
        rr_buf_putf(b, "%9.3f s ", us / 1e6);
}

void rr_profile_put_size(struct rr_buf *b, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (bytes >= 1024 && u < 4) bytes /= 1024, u++;
    rr_buf_putf(b, "%7.4g %-3s", bytes, units[u]);
}

/* " 64 MiB" */
static void put_size_after(struct rr_buf *b, double bytes)
{
    struct rr_buf one = {0};
    rr_profile_put_size(&one, bytes);
    const struct rr_slice s = rr_trim(rr_slice(rr_buf_text(&one), one.n));
    rr_buf_putf(b, " %.*s", (int)s.n, s.at);
    rr_buf_done(&one);
}

enum { COLUMNS = 100 };

/* A text in words, its lines indented by `indent` but the first, which begins at column `at`. Names of files are not cut. */
static void put_wrapped(struct rr_buf *b, const char *text, size_t at, size_t indent)
{
    bool first = true;
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (!first && at + 1 + n > COLUMNS) {
            rr_buf_putf(b, "\n%*s", (int)indent, "");
            at = indent, first = true;
        }
        if (!first) rr_buf_puts(b, " "), at++;
        rr_buf_put(b, text, n);
        at += n, text += n, first = false;
        while (*text == ' ') text++;
    }
    rr_buf_puts(b, "\n");
}

static void put_value(struct rr_buf *b, struct rr_value v, const char *unit)
{
    if (v.p95 - v.p05 <= 2e-4 * v.value)
        rr_buf_putf(b, "%.4g %s", v.value, unit);
    else
        rr_buf_putf(b, "%.4g %s (%.4g to %.4g)", v.value, unit, v.p05, v.p95);
}

/* "latency 13.4 us", or what there is instead where the log begins too high to show one. */
static void put_latency(struct rr_buf *b, const struct rr_curve *c)
{
    const struct rr_knot *k = &c->knot[0];
    if (c->latency_us.value > 0) {
        rr_buf_puts(b, "  latency   ");
        put_value(b, c->latency_us, "us");
        if (k->bytes > 1024) {
            rr_buf_puts(b, " (intercept; the log begins at");
            put_size_after(b, k->bytes);
            rr_buf_puts(b, ")");
        }
        return;
    }
    rr_buf_puts(b, "  latency   not in the log; at");
    put_size_after(b, k->bytes);
    rr_buf_puts(b, c->n_knots > 1 ? ", its smallest size: " : ", its only size: ");
    put_value(b, k->us, "us");
}

/* The curve in few parts. The slope says a bandwidth only where it makes up a fifth of the time or more. */
static void put_regimes(struct rr_buf *b, const struct rr_curve *c)
{
    struct rr_regime r[RR_MOST_REGIMES];
    const size_t n = rr_curve_regimes(c, r);
    const double factor = rr_bus_factor(c->op, c->ranks);
    if (n == 0) return;
    rr_buf_puts(b, "        from          to        alpha     beta us/MiB  slope as busbw  off by at most\n");
    for (size_t i = 0; i < n; i++) {
        const double share = r[i].beta_us * r[i].to / (r[i].alpha_us + r[i].beta_us * r[i].to);
        rr_buf_puts(b, "  ");
        rr_profile_put_size(b, r[i].from);
        rr_profile_put_size(b, r[i].to);
        rr_profile_put_us(b, r[i].alpha_us);
        rr_buf_putf(b, "  %12.4g", r[i].beta_us * 1048576);
        if (share >= 0.2 && factor > 0)
            rr_buf_putf(b, "  %9.4g GB/s", factor / r[i].beta_us / 1e3);
        else
            rr_buf_putf(b, "  %14s", share < 0.2 ? "flat" : "");
        rr_buf_putf(b, "  %9.1f %%\n", r[i].off_pct);
    }
    if (c->n_knots > n + 1) rr_buf_putf(b, "  (a summary: what predicts is the curve with its %zu break points, --json)\n", c->n_knots);
}

static void put_curve(struct rr_buf *b, const struct rr_curve *c)
{
    rr_buf_putf(b, "\n%s%s%s%s%s, %d GPUs", c->op, *c->algorithm ? ", " : "", c->algorithm, *c->protocol ? ", " : "", c->protocol,
                (int)c->ranks);
    if (c->nodes > 0) rr_buf_putf(b, " on %d node%s", (int)c->nodes, c->nodes == 1 ? "" : "s");
    rr_buf_putf(b, " (%zu size%s, %zu time%s, %s)\n", c->rows, c->rows == 1 ? "" : "s", c->samples, c->samples == 1 ? "" : "s",
                c->measured ? c->source : "datasheet, not measured");
    put_latency(b, c);
    rr_buf_puts(b, "\n  bandwidth ");
    if (c->bus_gb_s.value > 0)
        put_value(b, c->bus_gb_s, "GB/s busbw");
    else
        rr_buf_puts(b, "not known without the number of ranks");
    if (c->half_bytes.value > 0 && c->n_knots > 1) {
        rr_buf_puts(b, "\n  half size");
        put_size_after(b, c->half_bytes.value);
        if (c->half_bytes.value < c->knot[0].bytes) rr_buf_puts(b, " (below the smallest size of the log)");
    }
    if (c->band_pct > 0)
        rr_buf_putf(b, "\n  90 %% of this log's single times within %.1f %%; one size left out: median %.1f %%, worst %.1f %%", c->band_pct,
                    c->loo_median_pct, c->loo_worst_pct);
    if (c->n_outliers)
        rr_buf_putf(b, "\n  %zu outlier%s not fitted, the first at %.0f bytes: %.2f us", c->n_outliers, c->n_outliers == 1 ? "" : "s",
                    c->outlier[0].bytes, c->outlier[0].us);
    rr_buf_puts(b, "\n");
    put_regimes(b, c);
}

static void put_head(struct rr_buf *b, const struct rr_profile *p)
{
    struct rr_buf line = {0};
    rr_buf_putf(&line, "%s: %s", p->name, *p->gpu ? p->gpu : *p->device ? p->device : "GPU not named");
    if (p->gpus_per_node > 0) rr_buf_putf(&line, ", %d a node", (int)p->gpus_per_node);
    if (*p->network) rr_buf_putf(&line, ", %s", p->network);
    if (*p->date) rr_buf_putf(&line, ", %s %s", rr_profile_dated(p), p->date);
    if (!p->measured) rr_buf_puts(&line, " (datasheet, not measured)");
    put_wrapped(b, rr_buf_text(&line), 0, 2);
    rr_buf_done(&line);
    if (*p->note) put_wrapped(b, p->note, 0, 0);
}

static void put_sources(struct rr_buf *b, const struct rr_profile *p)
{
    rr_buf_puts(b, "\nsources\n");
    for (size_t i = 0; i < p->n_sources; i++) {
        const struct rr_profile_source *s = &p->source[i];
        struct rr_buf line = {0};
        rr_buf_putf(&line, "%s%s%s", s->text, *s->file ? ": " : "", s->file);
        if (strncmp(s->name, "log", 3) == 0) rr_buf_putf(&line, " (%s)", *s->date ? s->date : "says no date");
        rr_buf_putf(b, "  %-10s ", s->name);
        put_wrapped(b, rr_buf_text(&line), 13, 13);
        rr_buf_done(&line);
    }
}

void rr_profile_table(struct rr_buf *b, const struct rr_profile *p)
{
    put_head(b, p);
    for (size_t i = 0; i < p->n_curves; i++) put_curve(b, &p->curve[i]);
    for (size_t i = 0; i < p->n_gemms; i++) {
        const struct rr_gemm *g = &p->gemm[i];
        rr_buf_putf(b, "\nmatrix products %s (%zu shape%s): largest ", g->type, g->n_points, g->n_points == 1 ? "" : "s");
        put_value(b, g->peak_tflops, "TFLOP/s");
        rr_buf_puts(b, ", overhead ");
        put_value(b, g->overhead_us, "us");
        rr_buf_putf(b, ", one shape left out: median %.1f %%, 90 %% within %.1f %%\n", g->loo_median_pct, g->spread_pct);
    }
    if (p->n_rates) rr_buf_puts(b, "\nrates\n");
    for (size_t i = 0; i < p->n_rates; i++) {
        const struct rr_device_rate *r = &p->rate[i];
        rr_buf_putf(b, "  %-9s %-46s %s%s", r->kind, r->op, r->type, *r->type ? " " : "");
        if (r->gb_s.value > 0) put_value(b, r->gb_s, "GB/s");
        if (r->gb_s.value > 0 && r->tflops.value > 0) rr_buf_puts(b, ", ");
        if (r->tflops.value > 0) put_value(b, r->tflops, "TFLOP/s");
        rr_buf_puts(b, r->measured ? "\n" : " (datasheet, not measured)\n");
    }
    if (p->n_latencies) rr_buf_puts(b, "\nlatencies\n");
    for (size_t i = 0; i < p->n_latencies; i++) {
        rr_buf_putf(b, "  %-56s ", p->latency[i].op);
        put_value(b, p->latency[i].us, "us");
        rr_buf_puts(b, "\n");
    }
    if (p->n_peaks) rr_buf_puts(b, "\ndatasheet, not measured\n");
    for (size_t i = 0; i < p->n_peaks; i++) rr_buf_putf(b, "  %-10s %10.5g %s\n", p->peak[i].what, p->peak[i].value, p->peak[i].unit);
    put_sources(b, p);
}

static enum rr_status show(const struct rr_args *a)
{
    const char *dir = rr_arg(&rr_command_profile, a, "out", NULL);
    struct rr_buf b = {0};
    for (size_t i = 1; i < a->n_operands; i++) {
        struct rr_profile p;
        enum rr_status st = rr_cli_profile(a->operand[i], a->arena, &p);
        if (st == RR_OK && dir) st = rr_profile_plots(&p, NULL, dir, a->arena);
        if (st != RR_OK) {
            rr_buf_done(&b);
            return st;
        }
        if (i > 1) rr_buf_puts(&b, "\n");
        if (rr_arg_given(&rr_command_profile, a, "json"))
            rr_profile_json(&b, &p);
        else
            rr_profile_table(&b, &p);
    }
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

/* ---- compare ---- */

static enum rr_status compare(const struct rr_args *a)
{
    struct rr_profile p, q;
    if (a->n_operands != 3) return rr_fail(RR_EUSAGE, "profile compare wants two profiles: rackrate profile compare PROFILE PROFILE");
    RR_TRY(rr_cli_profile(a->operand[1], a->arena, &p));
    RR_TRY(rr_cli_profile(a->operand[2], a->arena, &q));
    const char *dir = rr_arg(&rr_command_profile, a, "out", NULL);
    if (dir) RR_TRY(rr_profile_plots_both(&p, &q, dir, a->arena));
    return rr_profile_compare(&p, &q, rr_arg_given(&rr_command_profile, a, "json"));
}

/* ---- validate ---- */

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { DECADES = 16 }; /* of sizes: below 10 bytes, below 100, ... */

struct errors {
    size_t n, inside;
    double *miss; /* [n] % */
    double sum;   /* % */
};

struct verdict {
    struct errors all, decade[DECADES];
    size_t beyond, missing;
};

static void add(struct errors *e, double off, double band)
{
    e->miss[e->n++] = 100 * fabs(off);
    e->sum += 100 * off;
    e->inside += 100 * fabs(off) <= band;
}

static double median(struct errors *e)
{
    if (e->n == 0) return 0;
    qsort(e->miss, e->n, sizeof *e->miss, by_double);
    return e->miss[e->n / 2];
}

static struct verdict judge(const struct rr_profile *p, const struct rr_samples *s, struct rr_arena *a)
{
    struct verdict v = {0};
    v.all.miss = RR_NEWS(a, double, s->n + 1);
    for (size_t d = 0; d < DECADES; d++) v.decade[d].miss = RR_NEWS(a, double, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        const struct rr_sample *r = &s->at[i];
        bool outside;
        if (r->kind != RR_SAMPLE_COLLECTIVE || r->bytes <= 0 || r->us <= 0) continue;
        const struct rr_curve *c = rr_profile_curve(p, r->op, r->ranks, r->nodes);
        if (!c || (r->ranks > 0 && c->ranks > 0 && c->ranks != r->ranks)) {
            v.missing++;
            continue;
        }
        const double off = rr_curve_us(c, (double)r->bytes, &outside) / r->us - 1, decade = log10((double)r->bytes);
        add(&v.all, off, c->band_pct);
        add(&v.decade[decade < DECADES - 1 ? (size_t)decade : DECADES - 1], off, c->band_pct);
        v.beyond += outside;
    }
    return v;
}

/* "holds" when the band keeps what it promises and nothing leans: 80 % inside or more, and a median within 5 %. */
static const char *word_of(struct verdict *v)
{
    const double inside = (double)v->all.inside / (double)v->all.n, mid = median(&v->all);
    return inside >= 0.8 && mid <= 5 ? "holds" : mid <= 10 ? "roughly holds" : "does not hold";
}

static void put_errors(struct rr_buf *b, const char *what, struct errors *e)
{
    if (e->n == 0) return;
    const double mid = median(e);
    rr_buf_putf(b, "  %-18s %6zu %9.1f %% %9.1f %% %+9.1f %% %9.0f %%\n", what, e->n, mid, e->miss[e->n - 1], e->sum / (double)e->n,
                100.0 * (double)e->inside / (double)e->n);
}

static void put_verdict(struct rr_buf *b, const struct rr_profile *p, struct verdict *v)
{
    rr_buf_putf(b, "%s against %zu time%s\n\n  %-18s %6s %11s %11s %11s %11s\n", p->name, v->all.n, v->all.n == 1 ? "" : "s", "size",
                "times", "median off", "worst", "bias", "in band");
    for (size_t d = 0; d < DECADES; d++) {
        static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
        static const char *const steps[] = {"1", "10", "100", "1000"};
        char what[32];
        snprintf(what, sizeof what, "%s to %s %s", steps[d % 3], steps[d % 3 + 1], units[d / 3 < 5 ? d / 3 : 4]);
        put_errors(b, what, &v->decade[d]);
    }
    put_errors(b, "all", &v->all);
    rr_buf_putf(b, "\nThe profile %s for this log: half of the times within %.1f %%, %.0f %% inside the band of 90 %%.\n", word_of(v),
                median(&v->all), 100.0 * (double)v->all.inside / (double)v->all.n);
    rr_buf_puts(b, "The band is of the profile's own log; times of another cluster or library leave it more often.\n");
    if (v->beyond) rr_buf_putf(b, "%zu time%s beyond the sizes that it was fitted on.\n", v->beyond, v->beyond == 1 ? " is" : "s are");
    if (v->missing)
        rr_buf_putf(b, "%zu time%s no curve: another operation or number of GPUs.\n", v->missing, v->missing == 1 ? " has" : "s have");
}

static enum rr_status validate(const struct rr_args *a)
{
    const char *dir = rr_arg(&rr_command_profile, a, "out", NULL);
    struct rr_profile p;
    struct rr_samples s;
    struct rr_buf b = {0};
    if (rr_arg_given(&rr_command_profile, a, "alternate"))
        return rr_profile_hold_out(&rr_command_profile, a, 1, rr_arg_given(&rr_command_profile, a, "json"));
    if (a->n_operands < 3)
        return rr_fail(RR_EUSAGE, "profile validate wants a profile and a log: rackrate profile validate PROFILE LOG...");
    RR_TRY(rr_cli_profile(a->operand[1], a->arena, &p));
    RR_TRY(rr_cli_samples(&rr_command_profile, a, 2, &s));
    struct verdict v = judge(&p, &s, a->arena);
    if (v.all.n == 0)
        return rr_fail(RR_EINPUT, "%s has no curve for the operations and numbers of GPUs of %s", a->operand[1], a->operand[2]);
    if (dir) RR_TRY(rr_profile_plots(&p, &s, dir, a->arena));
    const double mid = median(&v.all), worst = v.all.miss[v.all.n - 1];
    if (rr_arg_given(&rr_command_profile, a, "json"))
        rr_buf_putf(
            &b,
            "{\"schema\": \"rackrate.profile-validation/1\", \"n\": %zu, \"median_pct\": %.4g, \"worst_pct\": %.4g, \"bias_pct\": %.4g, "
            "\"inside_band\": %zu, \"beyond\": %zu, \"without_curve\": %zu, \"verdict\": \"%s\"}\n",
            v.all.n, mid, worst, v.all.sum / (double)v.all.n, v.all.inside, v.beyond, v.missing, word_of(&v));
    else
        put_verdict(&b, &p, &v);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    if (strcmp(word_of(&v), "does not hold") != 0) return RR_OK;
    return rr_fail(RR_EGATE, "%s does not hold for %s: half of the times are off by %.1f %% or more", p.name, a->operand[2], mid);
}

static enum rr_status profile_run(const struct rr_args *a)
{
    static const char *const words[] = {"show", "compare", "validate"};
    const char *word = a->operand[0];
    if (a->n_operands < 2) return rr_fail(RR_EUSAGE, "profile: which one? rackrate profile show PROFILE (rackrate list profiles)");
    if (strcmp(word, "show") == 0) return show(a);
    if (strcmp(word, "compare") == 0) return compare(a);
    if (strcmp(word, "validate") == 0) return validate(a);
    return rr_fail(RR_EUSAGE, "profile: unknown word \"%s\"%s; known: show, compare, validate", word,
                   rr_did_you_mean(a->arena, word, words, 3));
}

const struct rr_command rr_command_profile = {
    .name = "profile",
    .summary = "show a profile of a GPU system, compare two, validate one against a log",
    .usage = "show|compare|validate PROFILE... [options]",
    .examples = "  rackrate profile show h100-efa -o plots\n"
                "  rackrate profile compare a100-40-node h100-node\n"
                "  rackrate profile validate h100-efa all_reduce.txt   # exit 1 where the profile does not hold for the log\n"
                "  rackrate profile validate --alternate logs/*.txt\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = -1,
    .run = profile_run,
};
