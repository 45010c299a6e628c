/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/las.c - least attained service in two queues: Tiresias-L (Gu et al., NSDI 2019), for run times that nobody knows.
 *
 * A job begins in the first queue and falls into the second when it has held `threshold` of GPU time (time x GPUs), overheads included. The first
 * queue goes before the second; within each the order is that of entering it, which an interruption does not change. A job interrupts those
 * that come after it; one that finds no room is passed over. The paper's promotion of starved jobs is `max_wait` here: they then go before all others.
 *
 * Cost as in ranked.h and victims.h: O(log) a decision, and a timer when a running job falls. */
#include "sim/policy/heap.h"
#include "sim/policy/ranked.h"

struct params {
    struct rr_ranked_params common; // first
    int64_t threshold_us;
};
static const struct rr_param params[] = {
    RR_RANKED_MAX_WAIT,
    RR_RANKED_MIGRATE,
    {.name = "threshold",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, threshold_us),
     .unit = "s of one GPU",
     .def = "\"3200 s\"",
     .help = "GPU time (time x GPUs) after which a job falls into the second queue",
     .source = "Tiresias, NSDI 2019, testbed",
     .flags = RR_PF_DECIDES},
};

#define SECOND (INT64_C(1) << 60) // ranks of the second queue begin here

struct fall {
    int64_t at_us;
    uint32_t job;
};
struct las {
    struct rr_ranked ranked; // first
    int64_t threshold_us;
    int64_t *rank;            // [trace->n] 0: not seen yet
    RR_VEC(struct fall) fall; // heap: when jobs that run, or ran, fall
    int64_t wake_us;          // the timer that is set for the first of them
    int64_t n_fallen;
};

static bool sooner(const struct fall *a, const struct fall *b) { return a->at_us != b->at_us ? a->at_us < b->at_us : a->job < b->job; }
RR_HEAP(falls, struct fall, sooner)

static rr_i128 missing(const struct las *l, const struct rr_sim *s, uint32_t job)
{
    return (rr_i128)l->threshold_us * 1000 - rr_sim_attained_us(s, job);
}

static bool has_fallen(const struct las *l, uint32_t job) { return l->rank[job] >= SECOND; }

// Falls if it is time; true when it does.
static bool look(struct las *l, const struct rr_sim *s, uint32_t job)
{
    if (has_fallen(l, job) || s->trace->gpus_milli[job] == 0 || missing(l, s, job) > 0) return false;
    l->rank[job] = SECOND + ++l->n_fallen;
    return true;
}

static int64_t waits(void *state, struct rr_sim *s, uint32_t job)
{
    struct las *l = state;
    if (l->rank[job] == 0) l->rank[job] = (int64_t)job + 1;
    look(l, s, job);
    return l->rank[job];
}

static int64_t runs(void *state, struct rr_sim *s, uint32_t slot) { return ((struct las *)state)->rank[s->slot.at[slot].job]; }

static void las_init(void *state, struct rr_sim *s)
{
    struct las *l = state;
    const struct params *p = s->how->policy_params, plain = {.threshold_us = 3200 * RR_S};
    if (!p) p = &plain;
    l->threshold_us = p->threshold_us;
    l->wake_us = RR_NEVER;
    l->rank = memset(rr_xrealloc(NULL, s->trace->n + 1, sizeof *l->rank), 0, (s->trace->n + 1) * sizeof *l->rank);
    const struct rr_rank_rules rules = {
        .waits = waits, .runs = runs, .preempts = true, .max_wait_us = p->common.max_wait_us, .migrate = p->common.migrate};
    rr_ranked_init(&l->ranked, s, rules, l);
}

static void las_done(void *state)
{
    struct las *l = state;
    rr_ranked_done(l);
    rr_vec_done(&l->fall);
    free(l->rank);
}

static void set_timer(struct las *l, struct rr_sim *s)
{
    if (l->fall.n == 0 || l->fall.at[0].at_us >= l->wake_us) return;
    l->wake_us = l->fall.at[0].at_us;
    rr_sim_wake(s, l->wake_us);
}

static void las_started(void *state, struct rr_sim *s, uint32_t job)
{
    struct las *l = state;
    rr_ranked_started(l, s, job);
    const int32_t milli = s->trace->gpus_milli[job];
    if (has_fallen(l, job) || milli == 0) return;
    const rr_i128 us = (missing(l, s, job) + milli - 1) / milli;
    if (us > RR_NEVER / 2) return;
    const struct fall f = {rr_add_us(s->now_us, us > 0 ? (int64_t)us : 0), job};
    rr_heap_put(falls, &l->fall, f);
    set_timer(l, s);
}

static void las_timer(void *state, struct rr_sim *s)
{
    struct las *l = state;
    rr_ranked_timer(l, s);
    if (l->wake_us > s->now_us) return;
    l->wake_us = RR_NEVER;
    while (l->fall.n && l->fall.at[0].at_us <= s->now_us) {
        const uint32_t job = l->fall.at[0].job;
        rr_heap_drop(falls, &l->fall);
        if (rr_sim_slot_of(s, job) != RR_NO_SLOT && look(l, s, job)) rr_ranked_changed(&l->ranked, s, job);
    }
    set_timer(l, s);
}

const struct rr_policy rr_policy_las = {.kind = {.name = "las",
                                                 .summary = "least attained service in two queues (Tiresias-L)",
                                                 .params = params,
                                                 .n_params = sizeof params / sizeof *params,
                                                 .params_size = sizeof(struct params)},
                                        .preempts = true,
                                        .state_size = sizeof(struct las),
                                        .init = las_init,
                                        .done = las_done,
                                        .submit = rr_ranked_submit,
                                        .pass = rr_ranked_pass,
                                        .started = las_started,
                                        .ended = rr_ranked_ended,
                                        .timer = las_timer};
