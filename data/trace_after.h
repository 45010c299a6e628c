/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace_after.h - which jobs a job waits for, as its trace says: ids one by one, and the job of an id. */
#ifndef RR_DATA_TRACE_AFTER_H
#define RR_DATA_TRACE_AFTER_H
#include "data/trace.h"

/* The ids of "17:18", "17;18" or "afterok:17,afterany:18", one at each call of rr_after_next(). Of a merged trace (after_exact) each id stands between
 * a mark, '=' (must finish well) or '*' (must end), and a line's end, for ids may then hold any other character. */
struct rr_after {
    const char *at;
    bool exact;
    bool any; /* of the last id: that it ends is enough */
    struct rr_slice id;
};
struct rr_after rr_after_of(const struct rr_trace *t, size_t job); /* t->after_at is there */
bool rr_after_next(struct rr_after *a);

/* Jobs by their ids. */
struct rr_trace_ids {
    const struct rr_trace *t; /* borrowed */
    uint32_t *slot;           /* [n_slots], a power of two: job + 1, 0 = free */
    size_t n_slots;
};
#define RR_NO_JOB UINT32_MAX
void rr_trace_ids_init(struct rr_trace_ids *x, const struct rr_trace *t);
void rr_trace_ids_done(struct rr_trace_ids *x);
uint32_t rr_trace_ids_find(const struct rr_trace_ids *x, struct rr_slice id); /* RR_NO_JOB: none has it */
/* "jobs.csv: job b depends on "x7", which is no job that is replayed": RR_EINPUT. */
RR_CHECKED enum rr_status rr_after_unknown(const struct rr_trace *t, size_t job, struct rr_slice id);
/* Every id that a job waits for is a job's: RR_EINPUT else. */
RR_CHECKED enum rr_status rr_after_check(const struct rr_trace *t);
#endif
