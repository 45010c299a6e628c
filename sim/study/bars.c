/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/bars.c - a small run as bars: which GPUs of which node each attempt held, for the Gantt plot.
 *
 * The engine knows how many GPUs of a node a job holds; which ones only matters to the eye, so the lowest free ones are given out here, in one
 * piece where there is one. */
#include "sim/study/parts.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = 512 }; // GPUs (or slices) of a node

struct span {
    int64_t start_us, end_us;
    bool interrupted;
};

// Attempts of each job in order: from those kept, else the one that the outcome tells.
static struct span span_of(const struct rr_telling *t, const struct rr_seat *seat, const size_t *const *of)
{
    const struct rr_replay *r = &t->run->replay;
    if (!r->attempt) {
        const struct rr_outcome *o = &r->outcome[seat->job];
        return (struct span){o->start_us, o->end_us < r->end_us ? o->end_us : r->end_us, false};
    }
    const struct rr_attempt *a = &r->attempt[of[seat->job][seat->attempt - 1]];
    return (struct span){a->start_us, a->end_us, rr_why_interrupts((enum rr_reason)a->reason)};
}

static const size_t *const *attempts_by_job(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    size_t **of = RR_NEWS(t->arena, size_t *, r->n_jobs + 1), *n = RR_NEWS(t->arena, size_t, r->n_jobs + 1);
    for (size_t i = 0; i < r->n_jobs; i++) of[i] = RR_NEWS(t->arena, size_t, (size_t)r->outcome[i].attempts + 1);
    for (size_t i = 0; i < r->n_attempts; i++) {
        const uint32_t job = r->attempt[i].job;
        if (n[job] < r->outcome[job].attempts) of[job][n[job]++] = i;
    }
    return (const size_t *const *)of;
}

struct lane {
    int64_t until_us;
};

/* The first run of `want` lanes that are free at `at_us`, else the lowest; lanes past the node's are shared. */
static size_t find_lanes(const struct lane *lane, size_t n, size_t want, int64_t at_us)
{
    size_t run = 0;
    for (size_t k = 0; k < n; k++) {
        run = lane[k].until_us <= at_us ? run + 1 : 0;
        if (run == want) return k + 1 - want;
    }
    for (size_t k = 0; k < n; k++)
        if (lane[k].until_us <= at_us) return k + want <= n ? k : n - want;
    return 0;
}

static int by_start(const void *x, const void *y)
{
    const struct rr_bar *a = x, *b = y;
    if (a->start_us != b->start_us) return a->start_us < b->start_us ? -1 : 1;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return strcmp(a->job_id, b->job_id);
}

static void lay(struct rr_bar *bar, size_t n, const struct rr_replay *r)
{
    struct lane(*lane)[LANES] = calloc(r->n_nodes + 1, sizeof *lane);
    for (size_t i = 0; lane && i < n; i++) {
        struct rr_bar *b = &bar[i];
        const size_t gpus = (size_t)r->node_gpus[b->node] < LANES ? (size_t)r->node_gpus[b->node] : LANES;
        size_t want = (size_t)(b->gpus + 0.999);
        if (want > gpus) want = gpus;
        if (want == 0) continue; // a job without GPUs has no place of its own
        const size_t first = find_lanes(lane[b->node], gpus, want, b->start_us);
        b->from_gpu = (double)first;
        for (size_t k = first; k < first + want; k++) lane[b->node][k].until_us = b->end_us;
    }
    free(lane);
}

void rr_tell_bars(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    const struct rr_trace *jobs = &t->run->jobs;
    if (!r->seat || r->n_seats == 0 || r->n_nodes > RR_BAR_NODES) return;
    const size_t *const *of = attempts_by_job(t);
    struct rr_bar *bar = RR_NEWS(t->arena, struct rr_bar, r->n_seats);
    for (size_t i = 0; i < r->n_seats; i++) {
        const struct rr_seat *seat = &r->seat[i];
        const struct span s = span_of(t, seat, of);
        size_t nodes = 1;
        for (; i + nodes < r->n_seats && r->seat[i + nodes].job == seat->job && r->seat[i + nodes].attempt == seat->attempt;) nodes++;
        for (size_t k = 0; k < nodes; k++) {
            char id[24];
            bar[i + k] = (struct rr_bar){
                .job_id = rr_strdup(t->arena, rr_trace_id(jobs, seat->job, id)),
                .class_name = jobs->n_classes ? jobs->class_name[jobs->class_id ? jobs->class_id[seat->job] : 0] : "",
                .node = r->seat[i + k].node,
                .gpus = (double)jobs->gpus_milli[seat->job] / 1000 / (double)rr_pool_slices(&t->scenario->pool[seat->pool]) / (double)nodes,
                .start_us = s.start_us,
                .end_us = s.end_us,
                .interrupted = s.interrupted};
        }
        i += nodes - 1;
    }
    qsort(bar, r->n_seats, sizeof *bar, by_start);
    lay(bar, r->n_seats, r);
    t->alt->bar = bar;
    t->alt->n_bars = r->n_seats;
}
