/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/queue.h - jobs that wait, in arrival order or shortest estimate first, with an index that makes a deep queue cheap.
 *
 * Jobs of one ask are alike to the nodes, so what may start next is told by a look at each ask's first job with a short enough estimate:
 * in arrival order through a tree of least estimates over the ask's jobs, with the shortest first by a heap. The depth does not matter.
 *
 * A job that comes again, having been interrupted, takes its old place in the order of arrival: O(depth) when what it left behind is gone. */
#ifndef RR_SIM_QUEUE_H
#define RR_SIM_QUEUE_H
#include "sim/engine/sim.h"

struct rr_queued {
    int64_t estimate_us;
    uint32_t job, ask;
};
struct rr_line { /* the waiting jobs of one ask */
    /* Arrival order: jobs at [first, n), tree[cap + i] the estimate of job i or RR_GONE, tree[k] the least of its two children. */
    uint32_t *job;
    int64_t *tree;
    uint32_t first, n, cap, alive;
    /* Shortest first: a binary heap; jobs that have started are dropped when they come up. */
    RR_VEC(struct rr_queued) heap;
};
enum rr_lines { RR_LINES_NONE, RR_LINES_ARRIVAL, RR_LINES_SHORTEST }; /* an index by ask, in this order */
struct rr_queue {
    bool shortest; /* the order of `all` */
    enum rr_lines lines;
    RR_VEC(struct rr_queued) all; /* arrival: from `head` on, in order; shortest: a heap. Started jobs are dropped when they come up */
    size_t head;
    RR_VEC(struct rr_line) line;        /* by ask */
    RR_VEC(struct rr_queued) candidate; /* scratch of rr_queue_scan */
};
void rr_queue_init(struct rr_queue *q, bool shortest, enum rr_lines lines);
void rr_queue_done(struct rr_queue *q);
void rr_queue_push(struct rr_queue *q, const struct rr_sim *s, struct rr_queued x);
/* The first job in order that waits; false when none does. */
bool rr_queue_head(struct rr_queue *q, const struct rr_sim *s, struct rr_queued *ret);
/* Into x[n], in order of arrival: what comes again may come out of it. x has room. */
void rr_queued_insert(struct rr_queued *x, size_t n, struct rr_queued in);
/* The head has started: forget it. */
void rr_queue_drop_head(struct rr_queue *q);
/* x comes before y. */
static inline bool rr_queued_before(bool shortest, struct rr_queued x, struct rr_queued y)
{
    return shortest && x.estimate_us != y.estimate_us ? x.estimate_us < y.estimate_us : x.job < y.job;
}
/* The distinct asks of x[n], in `ret` [n]; returns how many. */
size_t rr_queue_asks(const struct rr_queued *x, size_t n, uint32_t *ret);
/* Start, in the order of the lines, every job of the n asks that may start: `within` tells the longest estimate with which a job of an ask may (RR_NEVER any, -1
 * none), `start` starts it. Room must only shrink on the way. Needs lines. */
void rr_queue_scan(struct rr_queue *q, struct rr_sim *s, const uint32_t *asks, size_t n, int64_t (*within)(struct rr_sim *s, uint32_t ask),
                   bool (*start)(struct rr_sim *s, uint32_t job, uint32_t ask));
#endif
