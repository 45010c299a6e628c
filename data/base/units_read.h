/* SPDX-License-Identifier: MIT
 * data/base/units_read.h - shared by units.c and units_money.c alone. */
#ifndef RR_BASE_UNITS_READ_H
#define RR_BASE_UNITS_READ_H
#include "data/base/text.h"

/* Bytes of the number in front of s: digits, point, commas, exponent; no sign. */
size_t rr_units_number(struct rr_slice s);
#endif
