/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/events.h - what is to happen: a 4-ary heap of 16-byte events.
 *
 * An event is one 128-bit number, time | priority | sequence | slot, so that a comparison orders by time, then by the priority of
 * DESIGN.md section 4, then by insertion: ties are never left to chance. The four children of a node share one 64-byte line.
 * Cancelling is lazy: an event lives if its sequence is the one that its slot holds now. */
#ifndef RR_SIM_EVENTS_H
#define RR_SIM_EVENTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rr_event_kind { /* the order at one instant */
                     RR_EV_READY,
                     RR_EV_END,
                     RR_EV_FAILURE,
                     RR_EV_PRICE,
                     RR_EV_ARRIVAL, /* never in the heap: merged from the trace */
                     RR_EV_TIMER,
};
#define RR_EVENT_SLOTS (UINT32_C(1) << 24) /* live things at once */

struct rr_event {
    int64_t time_us;
    uint64_t sequence; /* 36 bits */
    uint32_t slot;     /* 24 bits */
    enum rr_event_kind kind;
};
struct rr_events {
    unsigned __int128 *at; /* heap; at[n ..] hold the greatest number */
    void *block;
    size_t n, cap;
    uint64_t sequence; /* of the last event pushed */
};
void rr_events_init(struct rr_events *e);
void rr_events_done(struct rr_events *e);
/* time_us >= 0. Returns the event's sequence, never 0. */
uint64_t rr_events_push(struct rr_events *e, int64_t time_us, enum rr_event_kind kind, uint32_t slot);
struct rr_event rr_events_pop(struct rr_events *e);       /* e->n > 0 */
struct rr_event rr_events_top(const struct rr_events *e); /* the same, left where it is */
/* Drop the events that `keep` does not keep. */
void rr_events_filter(struct rr_events *e, bool (*keep)(void *ctx, struct rr_event x), void *ctx);

static inline int64_t rr_events_time(const struct rr_events *e) { return e->n ? (int64_t)(uint64_t)(e->at[0] >> 64) : INT64_MAX; }
static inline enum rr_event_kind rr_events_kind(const struct rr_events *e)
{
    return (enum rr_event_kind)((uint64_t)e->at[0] >> 60); /* e->n > 0 */
}
#endif
