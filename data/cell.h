/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/cell.h - a cell as a number, fast where it is plain digits and one point; text.h decides all other cases. */
#ifndef RR_DATA_CELL_H
#define RR_DATA_CELL_H
#include "data/base/text.h"

/* The trimmed cell as a decimal x 10^digits (0..6), exact; as rr_text_scaled(), without its reason. */
bool rr_cell_scaled(struct rr_slice cell, int digits, int64_t *ret);
bool rr_cell_whole(struct rr_slice cell, int64_t *ret); /* the same for a number that must be whole, where "1.5" is none */
/* round(value x factor). For sizes, where a double is good enough. */
bool rr_cell_times(struct rr_slice cell, double factor, int64_t *ret);
#endif
