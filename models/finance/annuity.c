/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/annuity.c - one equation, solved for each of its letters.
 *
 * By rr_pow and rr_exp, not libm's: payments become charges, and must be the same on every processor. */
#include "models/finance/annuity.h"
#include "data/base/arena.h"
#include "data/base/fmath.h"
#include "models/finance/irr.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ((1 + rate)^n - 1) / rate, the future value of payments of 1 in arrears; right for small rates too. */
static double grown(double rate, double n)
{
    assert(rate > -1);
    if (rate == 0) return n;
    const double x = n * rr_log1p(rate);
    const double e = fabs(x) < 1e-3 ? x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)))) : rr_exp(x) - 1; // e^x - 1
    return e / rate;
}

static double due(double rate, enum rr_when when) { return when == RR_ADVANCE ? 1 + rate : 1; }

double rr_annuity_payment(double rate, double n, double present, double future, enum rr_when when)
{
    assert(n > 0);
    return -(present * rr_pow(1 + rate, n) + future) / (grown(rate, n) * due(rate, when));
}

double rr_annuity_present(double rate, double n, double payment, double future, enum rr_when when)
{
    return -(payment * due(rate, when) * grown(rate, n) + future) * rr_pow(1 + rate, -n);
}

double rr_annuity_future(double rate, double n, double payment, double present, enum rr_when when)
{
    return -(present * rr_pow(1 + rate, n) + payment * due(rate, when) * grown(rate, n));
}

double rr_annuity_interest(double rate, int k, int n, double present, double future, enum rr_when when)
{
    assert(1 <= k && k <= n);
    const double payment = rr_annuity_payment(rate, n, present, future, when);
    if (when == RR_ARREARS) return rr_annuity_future(rate, k - 1, payment, present, when) * rate;
    /* In advance: on what is owed after the payment before, a period ago. */
    return k == 1 ? 0 : (rr_annuity_future(rate, k - 2, payment, present, when) - payment) * rate;
}

double rr_annuity_principal(double rate, int k, int n, double present, double future, enum rr_when when)
{
    return rr_annuity_payment(rate, n, present, future, when) - rr_annuity_interest(rate, k, n, present, future, when);
}

double rr_annuity_interest_sum(double rate, int n, double present, int first, int last, enum rr_when when)
{
    assert(1 <= first && first <= last && last <= n);
    double sum = 0;
    for (int k = first; k <= last; k++) sum += rr_annuity_interest(rate, k, n, present, 0, when);
    return sum;
}

double rr_annuity_principal_sum(double rate, int n, double present, int first, int last, enum rr_when when)
{
    const double paid = rr_annuity_payment(rate, n, present, 0, when) * (last - first + 1);
    return paid - rr_annuity_interest_sum(rate, n, present, first, last, when);
}

struct rr_answer rr_annuity_periods(double rate, double payment, double present, double future, enum rr_when when)
{
    assert(rate > -1);
    double n = -1;
    if (rate == 0) {
        if (payment != 0) n = -(present + future) / payment;
    } else {
        const double z = payment * due(rate, when) / rate, ratio = (z - future) / (z + present);
        if (z + present != 0 && ratio > 0) n = rr_log(ratio) / rr_log1p(rate);
    }
    if (!(n >= 0)) return (struct rr_answer){.why = "never: the payments do not get there"};
    return (struct rr_answer){.value = n};
}

struct rr_answer rr_annuity_rate(int n, double payment, double present, double future, enum rr_when when)
{
    assert(n > 0);
    double *flow = rr_xrealloc(NULL, (size_t)n + 1, sizeof *flow);
    for (int i = 0; i <= n; i++) flow[i] = (when == RR_ARREARS ? i > 0 : i < n) ? payment : 0;
    flow[0] += present;
    flow[n] += future;
    const struct rr_irr x = rr_irr(flow, (size_t)n + 1);
    free(flow);
    return (struct rr_answer){.value = x.rate, .why = x.why};
}

double rr_effective_rate(double nominal, int times)
{
    assert(times >= 1);
    return rr_pow(1 + nominal / times, times) - 1;
}

double rr_nominal_rate(double effective, int times)
{
    assert(times >= 1);
    return times * (rr_pow(1 + effective, 1.0 / times) - 1);
}

double rr_growth_rate(double n, double present, double future)
{
    assert(n > 0 && present > 0 && future > 0);
    return rr_pow(future / present, 1 / n) - 1;
}

double rr_recovery_factor(double rate, double n)
{
    assert(n > 0);
    return rr_pow(1 + rate, n) / grown(rate, n);
}
