/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/bridge.h - why B costs another sum than A: price, volume, mix, and what is new or gone.
 *
 * A line is a product (an instance type in a region, a storage class) with a quantity and an amount on either side. Lines of one `unit`
 * (GPU-hours, GB-months) share a volume. With Q the sum of quantities of the lines of that unit that are on both sides:
 *     volume = amount_a x (Q_b - Q_a) / Q_a         as if all lines had grown alike
 *     price  = amount_b - amount_a x quantity_b / quantity_a
 *     mix    = the rest: amount_a x (quantity_b / quantity_a - Q_b / Q_a)
 * A line without a quantity on both sides (a fee) is price alone. Each of price and volume is rounded once, and mix is what is left, so the
 * five parts sum to amount_b - amount_a exactly, line by line. */
#ifndef RR_MODELS_FINANCE_BRIDGE_H
#define RR_MODELS_FINANCE_BRIDGE_H
#include "data/base/money.h"

struct rr_bridge_line {
    int unit;                       /* lines with the same number are in the same unit */
    int64_t quantity_a, quantity_b; /* >= 0, any integer scale, one for all lines of a unit; 0: not on that side */
    struct rr_money amount_a, amount_b;
};
struct rr_bridge {
    struct rr_money price, volume, mix, added, dropped;
};
/* part[n] by line, or NULL; *sum over all. RR_EINPUT: negative quantity, overflow. */
RR_CHECKED enum rr_status rr_bridge(const struct rr_bridge_line *line, size_t n, struct rr_bridge *part, struct rr_bridge *sum);
#endif
