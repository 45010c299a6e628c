/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/register.h - an assumption register: the inputs that a decision rests on, as a table that a finance team keeps.
 *
 * CSV with the columns pointer,value and, optional, low,mode,high,unit,source,owner,as_of; others are passed over. `pointer` is the value's JSON
 * pointer in the scenario, `value` as the scenario writes it ("$0.08/kWh", 0.3, "36 months"). With `low` and `high` the value is uncertain: triangular,
 * `mode` (else `value`) the most likely. `unit` is for people.
 *
 * A run writes its own as assumptions.csv, with two columns more that are read: a row whose value and range are still what `as_run` says leaves the
 * scenario as it is; another holds in the `alternatives` that it names (parted by "; ") alone. */
#ifndef RR_DATA_REGISTER_H
#define RR_DATA_REGISTER_H
#include "data/base/arena.h"
#include "data/base/status.h"
#include <stdbool.h>
#include <stdint.h>

struct rr_register_row {
    const char *pointer, *value, *low, *mode, *high; /* low, mode, high: "" when the value is certain */
    const char *source, *owner, *as_of;
    const char *alternatives; /* "" = all */
    bool unchanged;
    int64_t line;
};
struct rr_register {
    const char *path;
    const struct rr_register_row *row;
    size_t n;
};
/* RR_EINPUT "PATH:LINE: ...": no pointer or value column, a pointer that is none or stands twice, a row without value, low without high. */
RR_CHECKED enum rr_status rr_register_read(const char *path, struct rr_arena *a, struct rr_register *ret);
/* What `as_run` holds of a row: "$0.08/kWh", "$0.08/kWh ($0.06/kWh; $0.08/kWh; $0.14/kWh)". */
const char *rr_register_as_run(struct rr_arena *a, const char *value, const char *low, const char *mode, const char *high);
#endif
