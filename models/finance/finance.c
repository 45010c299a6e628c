/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/finance.c - present values.
 *
 * By rr_pow, not libm's: npv.cost is published, and must be the same on every processor. */
#include "models/finance/finance.h"
#include "data/base/fmath.h"
#include <assert.h>

double rr_npv(double rate, const double *flow, size_t n)
{
    assert(rate > -1);
    double sum = 0;
    for (size_t i = n; i-- > 0;) sum = sum / (1 + rate) + flow[i]; // Horner
    return sum;
}

double rr_npv_spreadsheet(double rate, const double *flow, size_t n) { return rr_npv(rate, flow, n) / (1 + rate); }

double rr_xnpv(double rate, const double *flow, const int64_t *at_us, size_t n)
{
    assert(rate > -1);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += flow[i] * rr_pow(1 + rate, -(double)(at_us[i] - at_us[0]) / (365.0 * RR_D));
    return sum;
}

double rr_month_rate(double yearly)
{
    assert(yearly > -1);
    return rr_pow(1 + yearly, 1.0 / 12) - 1;
}

double rr_months(const struct rr_clock *c, int64_t t_us)
{
    const double by_years = (double)t_us / (double)RR_YEAR_US * 12;
    int64_t n = t_us / (31 * RR_D), at = 0, next = 0; // never too many: no month is longer
    if (!c->anchored || rr_time_add(c, 0, (struct rr_duration){.months = n}, &at) != RR_OK) return by_years;
    for (;; n++, at = next) {
        if (rr_time_add(c, 0, (struct rr_duration){.months = n + 1}, &next) != RR_OK) return by_years;
        if (t_us < next) return (double)n + (double)(t_us - at) / (double)(next - at);
    }
}

double rr_discount(const struct rr_clock *c, double rate, int64_t t_us)
{
    assert(rate > -1 && t_us >= 0);
    return rr_pow(1 + rate, c->anchored ? -rr_months(c, t_us) / 12 : -(double)t_us / (double)RR_YEAR_US);
}
