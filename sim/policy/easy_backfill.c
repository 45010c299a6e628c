/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/easy_backfill.c - EASY: in order, and whatever does not delay the first job that must wait.
 *
 * The first job that does not fit gets a reservation (sim/engine/reserve.c) by the estimates of what runs; any later one that fits and does not
 * delay it starts, in order of arrival or, with `"order": "shortest"`, shortest estimate first (SJBF: EASY++ of Tsafrir et al. 2007 without its
 * predictor); the first in line is the one that came first in either case. The depth is not limited. One reservation in all:
 * with pools that share no job, the first of another pool has none, which is told. Sources: Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001. */
#include "sim/policy/queue.h"

struct easy {
    struct rr_queue queue;
    RR_VEC(struct rr_queued) fresh; /* submitted at this instant */
    RR_VEC(uint32_t) asks;          /* scratch */
    bool blocked;                   /* `head` waits with a reservation */
    bool again;                     /* a job of `queue` has come out of order, and may be before `head` */
    uint32_t next;                  /* behind the last job that has come */
    struct rr_queued head;
};

// Is there a pool that every job could run in?
static bool all_share_a_pool(struct rr_sim *s)
{
    for (uint32_t j = 0; j < s->trace->n; j++) (void)rr_ask_of(&s->asks, j);
    for (size_t p = 0; p < s->n_pools; p++) {
        bool all = true;
        for (uint32_t a = 0; a < s->asks.ask.n && all; a++) {
            bool any = false;
            for (size_t i = 0; i < s->n_pools; i++) any |= rr_need_of(&s->asks, a, i)->nodes > 0;
            all = !any || rr_need_of(&s->asks, a, p)->nodes > 0;
        }
        if (all) return true;
    }
    return false;
}

static void easy_init(void *state, struct rr_sim *s)
{
    struct easy *e = state;
    rr_queue_init(&e->queue, false, s->how->order == 1 ? RR_LINES_SHORTEST : RR_LINES_ARRIVAL);
    if (s->world->notes && !all_share_a_pool(s))
        rr_sim_warn(
            s, "/scheduler/policy",
            "\"easy_backfill\" makes one reservation in all, and some jobs share no pool: while the first in line waits for one pool, the "
            "large jobs of another have none; \"conservative_backfill\" makes one for each job");
}

static void easy_done(void *state)
{
    struct easy *e = state;
    rr_queue_done(&e->queue);
    rr_vec_done(&e->fresh);
    rr_vec_done(&e->asks);
}

static void easy_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct easy *e = state;
    const struct rr_queued x = {.estimate_us = rr_sim_estimate(s, job), .job = job, .ask = ask};
    if (job < e->next) { // it was interrupted, or another that it depended on has ended
        rr_queue_push(&e->queue, s, x);
        e->again = true;
        return;
    }
    e->next = job + 1;
    rr_vec_push(&e->fresh, x);
}

// All from the start: heads while they fit, the reservation, the scan.
static void look_at_all(struct easy *e, struct rr_sim *s)
{
    e->blocked = e->again = false;
    while (rr_queue_head(&e->queue, s, &e->head) && rr_sim_start(s, e->head.job, e->head.ask)) rr_queue_drop_head(&e->queue);
    if (!rr_queue_head(&e->queue, s, &e->head)) return;
    e->blocked = true;
    rr_sim_grow(s);
    rr_sim_reserve(s, e->head.ask);
    rr_queue_scan(&e->queue, s, s->asks.busy.at, s->asks.busy.n, rr_sim_within, rr_sim_start_behind);
}

static void pass_by_arrival(struct easy *e, struct rr_sim *s)
{
    if (e->again || (e->blocked && !rr_sim_reserved(s))) look_at_all(e, s);
    for (size_t i = 0; i < e->fresh.n; i++) {
        const struct rr_queued x = e->fresh.at[i];
        if (e->blocked ? rr_sim_start_behind(s, x.job, x.ask) : rr_sim_start(s, x.job, x.ask)) continue;
        rr_queue_push(&e->queue, s, x);
        if (e->blocked) continue;
        e->blocked = true;
        e->head = x;
        rr_sim_grow(s);
        rr_sim_reserve(s, x.ask);
    }
}

static void pass_by_length(struct easy *e, struct rr_sim *s)
{
    const bool all = e->again || !e->blocked || !rr_sim_reserved(s);
    size_t i = 0;
    while (!e->blocked && !e->again && i < e->fresh.n && rr_sim_start(s, e->fresh.at[i].job, e->fresh.at[i].ask)) i++;
    if (i == e->fresh.n && !e->blocked && !e->again) return;
    rr_vec_reserve(&e->asks, e->fresh.n);
    e->asks.n = rr_queue_asks(e->fresh.at + i, e->fresh.n - i, e->asks.at);
    for (; i < e->fresh.n; i++) rr_queue_push(&e->queue, s, e->fresh.at[i]);
    if (all)
        look_at_all(e, s);
    else
        rr_queue_scan(&e->queue, s, e->asks.at, e->asks.n, rr_sim_within, rr_sim_start_behind);
}

static void easy_pass(void *state, struct rr_sim *s)
{
    struct easy *e = state;
    (e->queue.lines == RR_LINES_SHORTEST ? pass_by_length : pass_by_arrival)(e, s);
    e->fresh.n = 0;
}

const struct rr_policy rr_policy_easy_backfill = {
    .kind = {.name = "easy_backfill", .summary = "in order, and later jobs that do not delay the first that must wait (EASY)"},
    .expects = true,
    .reads = RR_READS_ORDER | RR_READS_ESTIMATE,
    .state_size = sizeof(struct easy),
    .init = easy_init,
    .done = easy_done,
    .submit = easy_submit,
    .pass = easy_pass};
