/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/newsvendor.c - the critical fractile, on a curve and on distributions. */
#include "models/finance/newsvendor.h"
#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int descending(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a < b) - (a > b);
}

enum rr_status rr_reserve_cost(const int64_t *demand, size_t hours, int64_t reserved_nano, int64_t on_demand_nano, int64_t units,
                               struct rr_reserve *ret)
{
    assert(units >= 0);
    rr_i128 all = 0, above = 0;
    struct rr_reserve r = {.units = units};
    struct rr_money spill;
    for (size_t i = 0; i < hours; i++) {
        all += demand[i];
        if (demand[i] > units) above += demand[i] - units;
    }
    RR_TRY(rr_money_charge(on_demand_nano, all, 1, &r.all_on_demand));
    RR_TRY(rr_money_charge(on_demand_nano, above, 1, &spill));
    RR_TRY(rr_money_charge(reserved_nano, (rr_i128)units * (int64_t)hours, 1, &r.cost));
    RR_TRY(rr_money_add(&r.cost, spill));
    *ret = r;
    return RR_OK;
}

enum rr_status rr_reserve_best(const int64_t *demand, size_t hours, int64_t reserved_nano, int64_t on_demand_nano, struct rr_reserve *ret)
{
    assert(reserved_nano > 0 && on_demand_nano > 0);
    /* Unit k pays when more than `least` hours want k, that is when the hour of that rank still does. */
    const rr_i128 least = (rr_i128)reserved_nano * (int64_t)hours / on_demand_nano;
    int64_t units = 0;
    if (least < (int64_t)hours) {
        int64_t *sorted = rr_xrealloc(NULL, hours, sizeof *sorted);
        memcpy(sorted, demand, hours * sizeof *sorted);
        qsort(sorted, hours, sizeof *sorted, descending);
        units = sorted[least];
        free(sorted);
    }
    return rr_reserve_cost(demand, hours, reserved_nano, on_demand_nano, units, ret);
}

double rr_newsvendor_normal_cost(double units, double mean, double sd, double holding, double shortage)
{
    assert(sd > 0);
    const double z = (units - mean) / sd, density = gsl_ran_ugaussian_pdf(z);
    const double short_of = density - z * gsl_cdf_ugaussian_Q(z), over = density + z * gsl_cdf_ugaussian_P(z); // of one sd
    return sd * (shortage * short_of + holding * over);
}

struct rr_order rr_newsvendor_normal(double mean, double sd, double holding, double shortage)
{
    assert(holding > 0 && shortage > 0);
    const double units = mean + sd * gsl_cdf_ugaussian_Pinv(shortage / (shortage + holding));
    return (struct rr_order){units, rr_newsvendor_normal_cost(units, mean, sd, holding, shortage)};
}

double rr_newsvendor_poisson_cost(int64_t units, double mean, double holding, double shortage)
{
    assert(units >= 0 && mean > 0);
    const unsigned u = (unsigned)units;
    const double short_of = mean * gsl_ran_poisson_pdf(u, mean) + (mean - u) * gsl_cdf_poisson_Q(u, mean);
    return shortage * short_of + holding * (short_of + u - mean);
}

struct rr_order rr_newsvendor_poisson(double mean, double holding, double shortage)
{
    assert(holding > 0 && shortage > 0 && mean > 0 && mean < 1e9);
    const double fractile = shortage / (shortage + holding);
    unsigned lo = 0, hi = (unsigned)(mean + 1);
    while (gsl_cdf_poisson_P(hi, mean) < fractile) hi *= 2;
    while (lo < hi) { // the least count whose distribution reaches the fractile
        const unsigned mid = lo + (hi - lo) / 2;
        if (gsl_cdf_poisson_P(mid, mean) < fractile)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (struct rr_order){lo, rr_newsvendor_poisson_cost(lo, mean, holding, shortage)};
}

struct rr_order rr_newsvendor_profit(double mean, double sd, double sell, double buy, double salvage)
{
    assert(salvage < buy && buy < sell);
    struct rr_order x = rr_newsvendor_normal(mean, sd, buy - salvage, sell - buy);
    x.cost = (sell - buy) * mean - x.cost;
    return x;
}
