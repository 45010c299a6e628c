/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/expected.h - what runs, in order of its expected end: sorted blocks, so that a change moves at most one block's entries. */
#ifndef RR_SIM_EXPECTED_H
#define RR_SIM_EXPECTED_H
#include "data/base/vec.h"
#include <stdint.h>

#define RR_DUE_BLOCK 128
struct rr_due {
    int64_t at_us;
    uint32_t run; /* a slot; ties by it */
};
struct rr_due_block {
    uint32_t first, n; /* entries [first, first + n), n >= 1; most ends are as expected and leave at the front */
    struct rr_due due[RR_DUE_BLOCK];
};
struct rr_expected {
    RR_VEC(struct rr_due_block *) block; /* in order */
    RR_VEC(struct rr_due_block *) spare;
};
void rr_expected_done(struct rr_expected *e);
void rr_expected_add(struct rr_expected *e, int64_t at_us, uint32_t run);
void rr_expected_remove(struct rr_expected *e, int64_t at_us, uint32_t run); /* must be there */
#endif
