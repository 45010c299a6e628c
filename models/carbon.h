/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/carbon.h - grams of CO2-equivalent of machines held and energy drawn.
 *
 * Source: Green Software Foundation, Software Carbon Intensity specification 1.1 (ISO/IEC 21031:2024): M = TE x TS x RS, O = E x I. */
#ifndef RR_MODELS_CARBON_H
#define RR_MODELS_CARBON_H

/* Making the machine, in proportion: its total x (hours held / hours of its life) x (share of it held, such as GPUs 4 of 8: 0.5).
 * life_hours > 0; a year has 8,760 hours in the specification's examples, 8,766 by the calendar. */
double rr_carbon_embodied_g(double total_g, double hours, double life_hours, double share);
/* Energy at the meter (with PUE, when the site's overhead is to count) x grid intensity. */
double rr_carbon_operational_g(double kwh, double g_per_kwh);
#endif
