/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile_compare.c - two machines side by side: which is faster at what, by how much, and whether that is beyond the error bars.
 *
 * The bar of a difference is that of both in the square, as shares: a curve's band holds 90 % of single measurements, a rate has its 5 to 95 %. */
#include "sim/cli/profile.h"
#include <math.h>
#include <string.h>

struct pair {
    const char *kind, *what, *unit;
    double bytes;         /* of a collective; else 0 */
    double first, second; /* us or a rate */
    double bar;           /* share that a difference must exceed; < 0 = none is known */
    bool outside;         /* beyond the sizes that one was measured on */
    bool rate;            /* more is faster */
};

/* How much faster the second is; below 1 the first is. */
static double ratio(const struct pair *p) { return p->rate ? p->second / p->first : p->first / p->second; }
static bool beyond(const struct pair *p) { return p->bar >= 0 && fabs(log(ratio(p))) > p->bar; }

static void put_pair(struct rr_buf *b, const struct pair *p, bool json, bool more)
{
    const double r = ratio(p);
    const char *faster = fabs(r - 1) < 5e-4 ? "same" : r > 1 ? "second" : "first";
    if (json) {
        rr_buf_putf(b, "%s\n    {\"kind\": \"%s\", \"what\": ", more ? "," : "", p->kind);
        rr_buf_json(b, p->what);
        if (p->bytes > 0) rr_buf_putf(b, ", \"bytes\": %.0f", p->bytes);
        rr_buf_putf(b, ", \"unit\": \"%s\", \"first\": %.6g, \"second\": %.6g, \"faster\": \"%s\", \"times\": %.4g, ", p->unit, p->first,
                    p->second, faster, r > 1 ? r : 1 / r);
        if (p->bar >= 0) rr_buf_putf(b, "\"bar_pct\": %.4g, \"beyond_bar\": %s, ", 100 * p->bar, beyond(p) ? "true" : "false");
        rr_buf_putf(b, "\"outside\": %s}", p->outside ? "true" : "false");
        return;
    }
    if (p->bytes > 0) {
        rr_profile_put_size(b, p->bytes);
        rr_profile_put_us(b, p->first);
        rr_profile_put_us(b, p->second);
    } else {
        rr_buf_putf(b, "  %-32.32s %9.4g %9.4g %-12s", p->what, p->first, p->second, p->unit);
    }
    if (p->outside) {
        rr_buf_puts(b, "  -             -  beyond a log\n");
        return;
    }
    rr_buf_putf(b, "  %-6s %6.2f x  ", faster, r > 1 ? r : 1 / r);
    if (p->bar < 0)
        rr_buf_puts(b, "no error bars");
    else
        rr_buf_putf(b, "%-3s (bar %.1f %%)", beyond(p) ? "yes" : "no", 100 * p->bar);
    rr_buf_puts(b, "\n");
}

/* ---- what stands in both ---- */

struct tally {
    size_t n, second, first, sure; /* sizes inside both logs, faster there, beyond the bars */
    double least, most;
};

static void count(struct tally *t, const struct pair *p)
{
    const double r = ratio(p);
    if (p->outside) return;
    t->n++;
    t->second += r > 1, t->first += r < 1, t->sure += beyond(p);
    t->least = t->n == 1 ? r : fmin(t->least, r), t->most = fmax(t->most, r);
}

static void put_tally(struct rr_buf *b, const struct tally *t)
{
    if (t->n == 0)
        rr_buf_puts(b, "  no size was measured on both\n");
    else if (t->second == t->n || t->first == t->n)
        rr_buf_putf(b, "  the %s is faster at all %zu sizes that both were measured on, %.2f to %.2f times; at %zu beyond the error bars\n",
                    t->second ? "second" : "first", t->n, t->second ? t->least : 1 / t->most, t->second ? t->most : 1 / t->least, t->sure);
    else
        rr_buf_putf(
            b, "  of %zu sizes that both were measured on the first is faster at %zu, the second at %zu; at %zu beyond the error bars\n",
            t->n, t->first, t->second, t->sure);
}

static size_t put_curves(struct rr_buf *b, const struct rr_curve *x, const struct rr_curve *y, bool json, size_t done)
{
    struct tally t = {0};
    if (!json)
        rr_buf_putf(
            b,
            "\n%s: %d GPUs on %d node%s against %d on %d\n      size      first       second       faster       by    beyond the bars?\n",
            x->op, (int)x->ranks, (int)x->nodes, x->nodes == 1 ? "" : "s", (int)y->ranks, (int)y->nodes);
    if (!json && x->ranks != y->ranks) rr_buf_puts(b, "  (over different numbers of GPUs: the times differ by that, too)\n");
    for (double bytes = 1024; bytes <= 17179869184.0; bytes *= 16) {
        bool out_x, out_y;
        struct pair p = {.kind = "collective", .what = x->op, .unit = "us", .bytes = bytes};
        p.first = rr_curve_us(x, bytes, &out_x), p.second = rr_curve_us(y, bytes, &out_y);
        p.bar = x->band_pct > 0 && y->band_pct > 0 ? hypot(x->band_pct, y->band_pct) / 100 : -1;
        p.outside = out_x || out_y;
        count(&t, &p);
        put_pair(b, &p, json, done++ > 0);
    }
    if (!json) put_tally(b, &t);
    return done;
}

static double half_bar(struct rr_value v) { return log(v.p95 / v.p05) / 2; }

static size_t put_rates(struct rr_buf *b, const struct rr_profile *p, const struct rr_profile *q, bool json, size_t done)
{
    for (size_t i = 0; i < p->n_rates; i++)
        for (size_t k = 0; k < q->n_rates; k++) {
            const struct rr_device_rate *x = &p->rate[i], *y = &q->rate[k];
            if (strcmp(x->op, y->op) != 0 || strcmp(x->kind, y->kind) != 0 || !(x->gb_s.value > 0) || !(y->gb_s.value > 0)) continue;
            const struct pair r = {.kind = x->kind,
                                   .what = x->op,
                                   .unit = "GB/s",
                                   .first = x->gb_s.value,
                                   .second = y->gb_s.value,
                                   .rate = true,
                                   .bar = hypot(half_bar(x->gb_s), half_bar(y->gb_s))};
            put_pair(b, &r, json, done++ > 0);
        }
    for (size_t i = 0; i < p->n_latencies; i++)
        for (size_t k = 0; k < q->n_latencies; k++) {
            const struct rr_latency *x = &p->latency[i], *y = &q->latency[k];
            if (strcmp(x->op, y->op) != 0) continue;
            const struct pair r = {.kind = "latency",
                                   .what = x->op,
                                   .unit = "us",
                                   .first = x->us.value,
                                   .second = y->us.value,
                                   .bar = hypot(half_bar(x->us), half_bar(y->us))};
            put_pair(b, &r, json, done++ > 0);
        }
    return done;
}

static size_t put_products(struct rr_buf *b, const struct rr_profile *p, const struct rr_profile *q, bool json, size_t done)
{
    for (size_t i = 0; i < p->n_gemms; i++)
        for (size_t k = 0; k < q->n_gemms; k++) {
            const struct rr_gemm *x = &p->gemm[i], *y = &q->gemm[k];
            if (strcmp(x->type, y->type) != 0) continue;
            const struct pair r = {.kind = "gemm",
                                   .what = x->type,
                                   .unit = "TFLOP/s",
                                   .first = x->peak_tflops.value,
                                   .rate = true,
                                   .second = y->peak_tflops.value,
                                   .bar = hypot(x->spread_pct, y->spread_pct) / 100};
            put_pair(b, &r, json, done++ > 0);
        }
    return done;
}

static size_t put_peaks(struct rr_buf *b, const struct rr_profile *p, const struct rr_profile *q, bool json, size_t done)
{
    bool head = false;
    for (size_t i = 0; i < p->n_peaks; i++)
        for (size_t k = 0; k < q->n_peaks; k++) {
            const struct rr_peak *x = &p->peak[i], *y = &q->peak[k];
            if (strcmp(x->what, y->what) != 0) continue;
            if (!head && !json) rr_buf_puts(b, "\ndatasheet, not measured\n");
            head = true;
            const struct pair r = {
                .kind = "datasheet", .what = x->what, .unit = x->unit, .first = x->value, .second = y->value, .rate = true, .bar = -1};
            put_pair(b, &r, json, done++ > 0);
        }
    return done;
}

enum rr_status rr_profile_compare(const struct rr_profile *p, const struct rr_profile *q, bool json)
{
    struct rr_buf b = {0};
    size_t done = 0;
    if (json) {
        rr_buf_puts(&b, "{ \"schema\": \"rackrate.profile-comparison/1\", \"first\": ");
        rr_buf_json(&b, p->name);
        rr_buf_puts(&b, ", \"second\": ");
        rr_buf_json(&b, q->name);
        rr_buf_puts(&b, ",\n  \"pairs\": [");
    } else {
        rr_buf_putf(&b, "first:  %s (%s)\nsecond: %s (%s)\n", p->name, p->gpu, q->name, q->gpu);
    }
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct rr_curve *y = rr_profile_curve(q, p->curve[i].op, p->curve[i].ranks, p->curve[i].nodes);
        if (y) done = put_curves(&b, &p->curve[i], y, json, done);
    }
    const size_t before = done;
    if (!json) rr_buf_puts(&b, "\nrates and latencies\n");
    done = put_rates(&b, p, q, json, done);
    done = put_products(&b, p, q, json, done);
    if (!json && done == before) rr_buf_puts(&b, "  none stands in both\n");
    done = put_peaks(&b, p, q, json, done);
    if (json) rr_buf_puts(&b, "] }\n");
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}
