/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/irr.c - all roots of a sum of exponentials.
 *
 * With u = ln(1 + rate) the present value is sum c[i] e^(-u t[i]). Times e^(u t[0]) its derivative has no term 0 any more, its coefficients
 * c[i] (t[i] - t[0]) keep their signs, and its roots are the only places where it turns. Level k has lost the terms 0..k-1. The first
 * level with at most one change of sign is solved at once; each level below has one root at most between two roots of the one above. */
#include "models/finance/irr.h"
#include "data/base/arena.h"
#include "data/base/fmath.h"
#include "models/finance/root.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define LIMIT 20.72326583694641 /* ln 1e9 */
#define TOUCH 1e-14             /* of the sum of the terms' sizes: a turn this near 0 is a double root */

struct terms {
    const double *c, *t; /* [n], none of c is 0, t ascending */
    size_t n;
};

/* The sum over the sum of the terms' sizes: its sign and roots, without overflow. */
static double balance(double u, void *ctx)
{
    const struct terms *p = ctx;
    const double from = u >= 0 ? p->t[0] : p->t[p->n - 1];
    double sum = 0, size = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double x = p->c[i] * rr_exp(-u * (p->t[i] - from));
        sum += x;
        size += fabs(x);
    }
    return sum / size;
}

static size_t sign_changes(const double *c, size_t n)
{
    size_t changes = 0;
    for (size_t i = 1; i < n; i++) changes += (c[i] > 0) != (c[i - 1] > 0);
    return changes;
}

/* turn[n_turns]: where it turns, ascending. ret: the roots, ascending. */
static size_t roots_between(struct terms *p, const double *turn, size_t n_turns, double *ret)
{
    size_t n = 0;
    double a = -LIMIT, at_a = balance(a, p);
    for (size_t i = 0; i <= n_turns; i++) {
        const double b = i < n_turns ? turn[i] : LIMIT;
        double at_b = balance(b, p);
        if (i < n_turns && fabs(at_b) <= TOUCH) at_b = 0;
        if (at_a * at_b < 0) ret[n++] = rr_root(balance, p, a, b, 1e-15);
        if (i < n_turns && at_b == 0) ret[n++] = b;
        a = b;
        at_a = at_b;
    }
    return n;
}

/* Coefficients of level k over the greatest: c[i] x product of (t[i] - t[m]), m < k. By logarithms, for they pass 1e308. */
static void raise_to(const struct terms *p, size_t k, double *w)
{
    double most = -HUGE_VAL;
    for (size_t i = k; i < p->n; i++) {
        w[i] = rr_log(fabs(p->c[i]));
        for (size_t m = 0; m < k; m++) w[i] += rr_log(p->t[i] - p->t[m]);
        if (w[i] > most) most = w[i];
    }
    for (size_t i = k; i < p->n; i++) {
        const double size = fmax(rr_exp(w[i] - most), 1e-300);
        w[i] = p->c[i] < 0 ? -size : size;
    }
}

static size_t all_roots(const struct terms *p, double *ret)
{
    double *w = rr_xrealloc(NULL, 2 * p->n + 1, sizeof *w), *turn = w + p->n;
    size_t k = 0, n = 0;
    while (sign_changes(p->c + k, p->n - k) > 1) k++;
    for (size_t level = k + 1; level-- > 0;) {
        if (level > 0) raise_to(p, level, w);
        struct terms at = {level > 0 ? w + level : p->c, p->t + level, p->n - level};
        for (size_t i = 0; i < n; i++) turn[i] = ret[i];
        n = roots_between(&at, turn, n, ret);
    }
    free(w);
    return n;
}

static struct rr_irr solve(const struct terms *p)
{
    struct rr_irr x = {0};
    if (p->n == 0) return (struct rr_irr){.why = "there are no flows"};
    x.sign_changes = (int)sign_changes(p->c, p->n);
    if (x.sign_changes == 0) {
        x.why = p->c[0] > 0 ? "no flow is a cost" : "no flow is income";
        return x;
    }
    double *root = rr_xrealloc(NULL, p->n, sizeof *root), nearest = 0;
    x.n = all_roots(p, root);
    if (x.n == 0) x.why = "no rate makes the present value 0";
    for (size_t i = 0; i < x.n; i++) {
        const double rate = rr_exp(root[i]) - 1;
        if (i < RR_IRR_ROOTS) x.root[i] = rate;
        if (i == 0 || fabs(root[i]) < nearest) {
            nearest = fabs(root[i]);
            x.rate = rate;
        }
    }
    free(root);
    return x;
}

struct rr_irr rr_irr(const double *flow, size_t n)
{
    double *c = rr_xrealloc(NULL, 2 * n + 1, sizeof *c), *t = c + n;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (flow[i] == 0) continue;
        c[kept] = flow[i];
        t[kept++] = (double)i;
    }
    const struct rr_irr x = solve(&(struct terms){c, t, kept});
    free(c);
    return x;
}

struct dated {
    int64_t at_us;
    double flow;
};

static int by_date(const void *x, const void *y)
{
    const struct dated *a = x, *b = y;
    return (a->at_us > b->at_us) - (a->at_us < b->at_us);
}

struct rr_irr rr_xirr(const double *flow, const int64_t *at_us, size_t n)
{
    struct dated *d = rr_xrealloc(NULL, n + 1, sizeof *d);
    double *c = rr_xrealloc(NULL, 2 * n + 1, sizeof *c), *t = c + n;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) d[i] = (struct dated){at_us[i], flow[i]};
    qsort(d, n, sizeof *d, by_date);
    for (size_t i = 0; i < n;) {
        double sum = 0;
        const int64_t at = d[i].at_us;
        for (; i < n && d[i].at_us == at; i++) sum += d[i].flow; // flows of a day are one
        if (sum == 0) continue;
        c[kept] = sum;
        t[kept++] = (double)(at - d[0].at_us) / (365.0 * RR_D);
    }
    const struct rr_irr x = solve(&(struct terms){c, t, kept});
    free(c);
    free(d);
    return x;
}

struct rr_answer rr_mirr(const double *flow, size_t n, double finance, double reinvest)
{
    assert(finance > -1 && reinvest > -1);
    double cost = 0, income = 0; // income at the last flow's time
    for (size_t i = 0; i < n; i++) {
        if (flow[i] < 0) cost -= flow[i] * rr_pow(1 + finance, -(double)i);
        if (flow[i] > 0) income += flow[i] * rr_pow(1 + reinvest, (double)(n - 1 - i));
    }
    if (cost == 0) return (struct rr_answer){.why = "no flow is a cost"};
    if (income == 0) return (struct rr_answer){.why = "no flow is income"};
    return (struct rr_answer){.value = rr_pow(income / cost, 1 / (double)(n - 1)) - 1};
}
