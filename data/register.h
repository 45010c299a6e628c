/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/register.h - an assumption register: the inputs that a decision rests on, as a table that a finance team keeps.
 *
 * CSV with the columns pointer,value and, optional, low,mode,high,unit,source,owner,as_of; others are passed over. `pointer` is the value's JSON
 * pointer in the scenario, `value` as the scenario writes it ("$0.08/kWh", 0.3, "36 months"). With `low` and `high` the value is uncertain: triangular,
 * `mode` (else `value`) the most likely. `unit` is for people. A run writes its own as assumptions.csv. */
#ifndef RR_DATA_REGISTER_H
#define RR_DATA_REGISTER_H
#include "data/base/arena.h"
#include "data/base/status.h"
#include <stdint.h>

struct rr_register_row {
    const char *pointer, *value, *low, *mode, *high; /* low, mode, high: "" when the value is certain */
    const char *source, *owner, *as_of;
    int64_t line;
};
struct rr_register {
    const char *path;
    const struct rr_register_row *row;
    size_t n;
};
/* RR_EINPUT "PATH:LINE: ...": no pointer or value column, a pointer that is none or stands twice, a row without value, low without high. */
RR_CHECKED enum rr_status rr_register_read(const char *path, struct rr_arena *a, struct rr_register *ret);
#endif
