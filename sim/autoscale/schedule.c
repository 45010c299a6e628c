/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/schedule.c - so many nodes at certain times of the day and the week, by the clock on the wall of a time zone.
 *
 * When the clock jumps the windows go with it: one from 02:00 to 03:00 does not come on the night when that hour is left out, and comes twice
 * when it is repeated. */
#include "data/base/tz.h"
#include "data/week.h"
#include "sim/autoscale/autoscale.h"

struct params {
    uint64_t given;
    const struct rr_zone *zone;
    const struct rr_week *windows;
    int64_t otherwise;
    bool drain;
};
enum { TIMEZONE, WINDOWS, OTHERWISE }; // rows, in order
static const struct rr_param rows[] = {
    {.name = "timezone",
     .type = RR_P_ZONE,
     .offset = offsetof(struct params, zone),
     .def = "\"UTC\"",
     .help = "whose clock it goes by, daylight saving included"},
    {.name = "windows",
     .type = RR_P_WEEK,
     .offset = offsetof(struct params, windows),
     .help = "times of the week and the nodes to be held then; the first that holds counts",
     .flags = RR_PF_REQUIRED},
    {.name = "otherwise",
     .type = RR_P_INT,
     .offset = offsetof(struct params, otherwise),
     .def = "0",
     .least = 0,
     .most = 1e7,
     .help = "nodes to be held at all other times"},
    {.name = "drain",
     .type = RR_P_BOOL,
     .offset = offsetof(struct params, drain),
     .def = "true",
     .help = "shrink by nodes with jobs too: they take no more and leave when the last has ended"},
};

struct state {
    const struct params *p;
};

static bool drains(const void *params) { return ((const struct params *)params)->drain; }

// The pool holds at least its min and at most its max, whatever is asked.
static void warn_cut(const struct params *p, struct rr_sim *s, size_t pool)
{
    const struct rr_pool *of = &s->world->scenario->pool[pool];
    size_t above = 0, below = 0;
    int64_t most = 0, least = INT64_MAX;
    for (size_t i = 0; i <= p->windows->n; i++) {
        if (i == p->windows->n && !rr_given(p, OTHERWISE)) break;
        const int64_t nodes = i < p->windows->n ? p->windows->window[i].nodes : p->otherwise;
        above += nodes > of->nodes_max;
        below += nodes < of->nodes_min;
        if (nodes > most) most = nodes;
        if (nodes < least) least = nodes;
    }
    if (above)
        rr_sim_warn(
            s, of->autoscale.pointer,
            "the schedule of pool \"%s\": %zu of its numbers (up to %lld nodes) are above the pool's max of %lld, which is held instead",
            of->name, above, (long long)most, (long long)of->nodes_max);
    if (below)
        rr_sim_warn(
            s, of->autoscale.pointer,
            "the schedule of pool \"%s\": %zu of its numbers (down to %lld nodes) are below the pool's min of %lld, which is held instead",
            of->name, below, (long long)least, (long long)of->nodes_min);
}

static enum rr_status init(void *state, const void *params, struct rr_sim *s, size_t pool)
{
    ((struct state *)state)->p = params;
    if (!s->world->scenario->clock.anchored)
        return rr_fail(RR_EINPUT, "%s: a schedule needs \"start\"", s->world->scenario->pool[pool].autoscale.pointer);
    warn_cut(params, s, pool);
    rr_sim_look_at(s, pool, 0);
    return RR_OK;
}

// Until the next second at which what holds may change: a window's end, or a jump of the clock, between which it runs as ours does.
static void look(void *state, struct rr_sim *s, size_t pool)
{
    const struct params *p = ((struct state *)state)->p;
    const int64_t epoch_us = s->world->scenario->clock.start_us + s->now_us;
    const int64_t epoch_s = epoch_us / RR_S - (epoch_us % RR_S < 0), offset_s = rr_zone_offset(p->zone, epoch_s);
    const int64_t monday_s = epoch_s + offset_s + 3 * 86400; // 1970-01-01 was a Thursday
    const int64_t week_s = (monday_s % RR_WEEK_S + RR_WEEK_S) % RR_WEEK_S;
    rr_sim_want(s, pool, rr_week_at(p->windows, week_s, p->otherwise));
    const int64_t jump_s = rr_zone_next(p->zone, epoch_s);
    int64_t next_s = epoch_s + rr_week_until(p->windows, week_s);
    if (jump_s < next_s) next_s = jump_s;
    rr_sim_look_at(s, pool, s->now_us + (next_s * RR_S - epoch_us));
}

const struct rr_autoscaler rr_autoscaler_schedule = {.kind = {.name = "schedule",
                                                              .summary = "by time of day and week in a time zone",
                                                              .params = rows,
                                                              .n_params = sizeof rows / sizeof *rows,
                                                              .params_size = sizeof(struct params)},
                                                     .drains = drains,
                                                     .state_size = sizeof(struct state),
                                                     .init = init,
                                                     .look = look};
