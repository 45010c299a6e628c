/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/failures.h - nodes that are out of service, and why; shared by failures.c and maintenance.c alone.
 *
 * A node works while nobody has closed it: a failure, planned maintenance, its place as a spare. Each sets and clears its own bit, and the node is back
 * when none is left. Its failure processes run only while it is held, usable and no bit but RR_OUT_MAINTENANCE (drained, not down yet) is set. */
#ifndef RR_SIM_FAILURES_H
#define RR_SIM_FAILURES_H
#include "sim/supply/supply.h"

enum { RR_OUT_FAILED = 1, RR_OUT_MAINTENANCE = 2, RR_OUT_SPARE = 4 };
struct rr_node_life {
    struct rr_rng rng;
    struct rr_supply_event next; /* a failure, or while failed: its detection, then its repair */
    int64_t repair_us;           /* of the failure that it has */
    uint8_t out;                 /* RR_OUT_* */
    uint8_t cause;               /* enum rr_fail_cause of the next or the present failure */
    bool keyed;                  /* rng is set up */
};
struct rr_fail_pool {
    RR_VEC(struct rr_node_life) node;
    RR_VEC(struct rr_rng) domain[RR_DOMAINS]; /* those that have been of use */
    bool fails;                               /* the section is about this pool */
    bool has_spares;
    int64_t missing; /* roles that neither a node nor a spare fills */
};
struct rr_fail_state {
    const struct rr_failures *how;
    struct rr_fail_pool *pool; /* [n_pools] */
    size_t n_pools;
};
enum rr_fail_event_kind {
    RR_FAIL_NODE,
    RR_FAIL_DETECTED,
    RR_FAIL_REPAIRED,
    RR_FAIL_DOMAIN,
    RR_FAIL_TRACE,
    RR_MAINT_NOTICE,
    RR_MAINT_BEGIN,
    RR_MAINT_END
};
/* The data of an event: kind, which (of a domain or maintenance), pool, node or number. */
static inline uint64_t rr_fail_data(enum rr_fail_event_kind kind, size_t which, size_t pool, uint32_t node)
{
    return (uint64_t)kind << 60 | (uint64_t)which << 44 | (uint64_t)pool << 32 | node;
}
void rr_fail_renew(struct rr_fail_state *f, struct rr_sim *s, size_t pool, uint32_t node); /* the node's processes begin anew */
void rr_fail_restore(struct rr_fail_state *f, struct rr_sim *s, size_t pool,
                     uint32_t node); /* back into service, if nothing keeps it out */
struct rr_node_life *rr_fail_life(struct rr_fail_state *f, size_t pool, uint32_t node);
/* maintenance.c */
void rr_maint_init(struct rr_fail_state *f, struct rr_sim *s);
void rr_maint_event(struct rr_fail_state *f, struct rr_sim *s, enum rr_fail_event_kind kind, size_t which, size_t pool, uint32_t batch);
#endif
