/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/json_scan.h - the scan in front of cJSON; used by json.c alone.
 *
 * Blanks comments in place, checks the whole grammar (strict JSON but for comments), and notes where each value stands. What passes
 * here, cJSON reads without an error, and its nodes in pre-order are the values in the order noted. */
#ifndef RR_BASE_JSON_SCAN_H
#define RR_BASE_JSON_SCAN_H
#include "data/base/vec.h"
#include <stdint.h>

#define RR_JSON_DEPTH    200
#define RR_JSON_MAX      ((size_t)16 << 20) /* bytes in one document */
#define RR_JSON_NUMBER   60                 /* characters in one number; cJSON cuts at 63 */
#define RR_JSON_KEY_SHOW 80                 /* bytes of a key shown in a pointer */

struct rr_json_pos { /* of one value and, for a member, of its key: 1-based, columns in characters */
    uint32_t doc, line, column, key_line, key_column;
};
struct rr_json_positions {
    struct rr_json_pos *at; /* used through rr_vec_* */
    size_t n, cap;
};

/* `text` of n bytes followed by a NUL. Appends to `pos` one entry a value, in pre-order. RR_EINPUT "NAME:LINE:COLUMN: POINTER: reason"; `pos`
 * may then have grown. */
RR_CHECKED enum rr_status rr_json_scan(const char *name, char *text, size_t n, uint32_t doc, struct rr_json_positions *pos);
#endif
