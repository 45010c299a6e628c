/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/carbon.c - embodied and operational carbon. */
#include "models/carbon.h"
#include <assert.h>

double rr_carbon_embodied_g(double total_g, double hours, double life_hours, double share)
{
    assert(life_hours > 0);
    return total_g * (hours / life_hours) * share;
}

double rr_carbon_operational_g(double kwh, double g_per_kwh) { return kwh * g_per_kwh; }
