/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/bridge.c - line by line, exact. */
#include "models/finance/bridge.h"
#include <stdbool.h>

static bool on_both(const struct rr_bridge_line *l) { return l->quantity_a > 0 && l->quantity_b > 0; }

/* amount x n / d */
static enum rr_status scaled(struct rr_money amount, rr_i128 n, rr_i128 d, int64_t *ret)
{
    rr_i128 product;
    if (__builtin_mul_overflow((rr_i128)amount.micro, n, &product))
        return rr_fail(RR_EINPUT, "a bridge does not fit: amount times quantity is past 128 bits");
    return rr_round_div(product, d, ret);
}

static enum rr_status bridge_line(const struct rr_bridge_line *l, rr_i128 all_a, rr_i128 all_b, struct rr_bridge *ret)
{
    struct rr_bridge x = {0};
    int64_t alike;
    if (on_both(l)) {
        RR_TRY(scaled(l->amount_a, all_b - all_a, all_a, &x.volume.micro));
        RR_TRY(scaled(l->amount_a, l->quantity_b, l->quantity_a, &alike)); // B's quantity at A's price
        x.price = l->amount_b;
        RR_TRY(rr_money_add(&x.price, (struct rr_money){-alike}));
        x.mix.micro = alike;
        RR_TRY(rr_money_add(&x.mix, (struct rr_money){-l->amount_a.micro}));
        RR_TRY(rr_money_add(&x.mix, (struct rr_money){-x.volume.micro}));
    } else if (l->quantity_a > 0) {
        x.dropped.micro = -l->amount_a.micro;
        x.price = l->amount_b; // a fee for what is gone
    } else if (l->quantity_b > 0) {
        x.added = l->amount_b;
        x.price.micro = -l->amount_a.micro;
    } else {
        x.price = l->amount_b;
        RR_TRY(rr_money_add(&x.price, (struct rr_money){-l->amount_a.micro}));
    }
    *ret = x;
    return RR_OK;
}

static enum rr_status add(struct rr_bridge *sum, const struct rr_bridge *x)
{
    RR_TRY(rr_money_add(&sum->price, x->price));
    RR_TRY(rr_money_add(&sum->volume, x->volume));
    RR_TRY(rr_money_add(&sum->mix, x->mix));
    RR_TRY(rr_money_add(&sum->added, x->added));
    return rr_money_add(&sum->dropped, x->dropped);
}

enum rr_status rr_bridge(const struct rr_bridge_line *line, size_t n, struct rr_bridge *part, struct rr_bridge *sum)
{
    struct rr_bridge all = {0}, x;
    for (size_t i = 0; i < n; i++)
        if (line[i].quantity_a < 0 || line[i].quantity_b < 0) return rr_fail(RR_EINPUT, "a bridge has a negative quantity");
    for (size_t i = 0; i < n; i++) {
        rr_i128 a = 0, b = 0;
        for (size_t k = 0; k < n; k++) {
            if (line[k].unit != line[i].unit || !on_both(&line[k])) continue;
            a += line[k].quantity_a;
            b += line[k].quantity_b;
        }
        RR_TRY(bridge_line(&line[i], a, b, &x));
        RR_TRY(add(&all, &x));
        if (part) part[i] = x;
    }
    *sum = all;
    return RR_OK;
}
