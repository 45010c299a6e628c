/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/easy_backfill.c - EASY: in order, and whatever does not delay the first job that must wait.
 *
 * The first job that does not fit gets a reservation (sim/engine/reserve.c) by the estimates of what runs; any later one that fits and does not
 * delay it starts, in order of arrival or, with `"order": "shortest"`, shortest estimate first (SJBF: EASY++ of Tsafrir et al. 2007 without its
 * predictor); the first in line is the one that came first in either case. The depth is not limited.
 *
 * Pools that no job of the trace joins, directly or over other pools, are clusters of their own: each such part has its line and its reservation. Within a
 * part there is one in all; where some of its jobs share no pool even so, which is told, the first of another pool has none.
 * Sources: Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001. */
#include "sim/policy/queue.h"

struct part {
    struct rr_queue queue;
    RR_VEC(struct rr_queued) fresh; /* submitted at this instant */
    bool blocked;                   /* `head` waits with a reservation */
    bool again;                     /* a job of `queue` has come out of order, and may be before `head` */
    uint32_t next;                  /* behind the last job that has come */
    struct rr_queued head;
    struct rr_hold hold; /* of several parts: in s->hold during this one's pass */
    uint64_t freed;      /* room that had appeared in its pools when it reserved */
};
struct easy {
    struct part *part; /* [n_parts] */
    size_t *part_of;   /* [n_pools] */
    size_t n_parts, n_pools;
    RR_VEC(uint32_t) asks; /* scratch */
};

// --- parts ---

static size_t first_pool(const struct rr_sim *s, uint32_t ask)
{
    size_t i = 0;
    while (i < s->n_pools && rr_need_of(&s->asks, ask, i)->nodes == 0) i++;
    return i; // n_pools: it can never run
}

static struct part *part_of(const struct easy *e, const struct rr_sim *s, uint32_t ask)
{
    return &e->part[e->n_parts == 1 ? 0 : e->part_of[first_pool(s, ask)]];
}

// All pools that one ask could use become one part. Names from n_pools on are those of before they are numbered.
static void join(struct easy *e, const struct rr_sim *s, uint32_t ask)
{
    const size_t first = first_pool(s, ask);
    for (size_t i = first; i < s->n_pools; i++) {
        const size_t from = e->part_of[i], to = e->part_of[first];
        if (from == to || rr_need_of(&s->asks, ask, i)->nodes == 0) continue;
        for (size_t k = 0; k < s->n_pools; k++)
            if (e->part_of[k] == from) e->part_of[k] = to;
    }
}

static void find_parts(struct easy *e, struct rr_sim *s)
{
    e->n_pools = s->n_pools;
    e->part_of = rr_xrealloc(NULL, s->n_pools, sizeof *e->part_of);
    for (size_t i = 0; i < s->n_pools; i++) e->part_of[i] = s->n_pools + i;
    for (uint32_t j = 0; j < s->trace->n && s->n_pools > 1; j++) (void)rr_ask_of(&s->asks, j);
    for (uint32_t a = 0; a < s->asks.ask.n && s->n_pools > 1; a++) join(e, s, a);
    for (size_t i = 0; i < s->n_pools; i++) { // numbered from 0 by their first pools
        if (e->part_of[i] < e->n_parts) continue;
        const size_t was = e->part_of[i], is = e->n_parts++;
        for (size_t k = i; k < s->n_pools; k++)
            if (e->part_of[k] == was) e->part_of[k] = is;
    }
}

// Is there a pool of the part that every job of it could run in?
static bool all_share_a_pool(const struct easy *e, const struct rr_sim *s, size_t part)
{
    for (size_t p = 0; p < s->n_pools; p++) {
        bool all = e->part_of[p] == part;
        for (uint32_t a = 0; a < s->asks.ask.n && all; a++) {
            const size_t first = first_pool(s, a);
            all = first == s->n_pools || e->part_of[first] != part || rr_need_of(&s->asks, a, p)->nodes > 0;
        }
        if (all) return true;
    }
    return false;
}

static uint64_t freed_in(const struct easy *e, const struct rr_sim *s, const struct part *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n_pools; i++)
        if (&e->part[e->part_of[i]] == p) sum += s->books[i].freed;
    return sum;
}

static void easy_init(void *state, struct rr_sim *s)
{
    struct easy *e = state;
    find_parts(e, s);
    e->part = memset(rr_xrealloc(NULL, e->n_parts, sizeof *e->part), 0, e->n_parts * sizeof *e->part);
    bool shared = true;
    for (size_t i = 0; i < e->n_parts; i++) {
        rr_queue_init(&e->part[i].queue, false, s->how->order == 1 ? RR_LINES_SHORTEST : RR_LINES_ARRIVAL);
        shared = shared && (!s->world->notes || s->n_pools == 1 || all_share_a_pool(e, s, i));
    }
    if (!shared)
        rr_sim_warn(
            s, "/scheduler/policy",
            "\"easy_backfill\" makes one reservation for all pools that jobs join, and some of these jobs share no pool: while the first "
            "in line waits for one pool, the large jobs of another have none; \"conservative_backfill\" makes one for each job");
}

static void easy_done(void *state)
{
    struct easy *e = state;
    for (size_t i = 0; i < e->n_parts; i++) {
        rr_queue_done(&e->part[i].queue);
        rr_vec_done(&e->part[i].fresh);
        rr_hold_done(&e->part[i].hold, e->n_pools);
    }
    rr_vec_done(&e->asks);
    free(e->part);
    free(e->part_of);
}

// --- a part ---

static void easy_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct part *p = part_of(state, s, ask);
    const struct rr_queued x = {.estimate_us = rr_sim_estimate(s, job), .job = job, .ask = ask};
    if (job < p->next) { // it was interrupted, or another that it depended on has ended
        rr_queue_push(&p->queue, s, x);
        p->again = true;
        return;
    }
    p->next = job + 1;
    rr_vec_push(&p->fresh, x);
}

static void reserve(struct easy *e, struct part *p, struct rr_sim *s)
{
    p->blocked = true;
    rr_sim_grow(s);
    rr_sim_reserve(s, p->head.ask);
    if (e->n_parts > 1) p->freed = freed_in(e, s, p);
}

static bool is_reserved(const struct easy *e, const struct part *p, const struct rr_sim *s)
{
    return e->n_parts == 1 ? rr_sim_reserved(s) : p->freed == freed_in(e, s, p) && s->hold.at_us >= s->now_us;
}

static void scan_all(struct easy *e, struct part *p, struct rr_sim *s)
{
    const uint32_t *asks = s->asks.busy.at;
    size_t n = s->asks.busy.n;
    if (e->n_parts > 1) {
        e->asks.n = 0;
        for (size_t i = 0; i < n; i++)
            if (part_of(e, s, asks[i]) == p) rr_vec_push(&e->asks, asks[i]);
        asks = e->asks.at;
        n = e->asks.n;
    }
    rr_queue_scan(&p->queue, s, asks, n, rr_sim_within, rr_sim_start_behind);
}

// All from the start: heads while they fit, the reservation, the scan.
static void look_at_all(struct easy *e, struct part *p, struct rr_sim *s)
{
    p->blocked = p->again = false;
    while (rr_queue_head(&p->queue, s, &p->head) && rr_sim_start(s, p->head.job, p->head.ask)) rr_queue_drop_head(&p->queue);
    if (!rr_queue_head(&p->queue, s, &p->head)) return;
    reserve(e, p, s);
    scan_all(e, p, s);
}

static void pass_by_arrival(struct easy *e, struct part *p, struct rr_sim *s)
{
    if (p->again || (p->blocked && !is_reserved(e, p, s))) look_at_all(e, p, s);
    for (size_t i = 0; i < p->fresh.n; i++) {
        const struct rr_queued x = p->fresh.at[i];
        if (p->blocked ? rr_sim_start_behind(s, x.job, x.ask) : rr_sim_start(s, x.job, x.ask)) continue;
        rr_queue_push(&p->queue, s, x);
        if (p->blocked) continue;
        p->head = x;
        reserve(e, p, s);
    }
}

static void pass_by_length(struct easy *e, struct part *p, struct rr_sim *s)
{
    const bool all = p->again || !p->blocked || !is_reserved(e, p, s);
    size_t i = 0;
    while (!p->blocked && !p->again && i < p->fresh.n && rr_sim_start(s, p->fresh.at[i].job, p->fresh.at[i].ask)) i++;
    if (i == p->fresh.n && !p->blocked && !p->again) return;
    rr_vec_reserve(&e->asks, p->fresh.n);
    e->asks.n = rr_queue_asks(p->fresh.at + i, p->fresh.n - i, e->asks.at);
    for (; i < p->fresh.n; i++) rr_queue_push(&p->queue, s, p->fresh.at[i]);
    if (all)
        look_at_all(e, p, s);
    else
        rr_queue_scan(&p->queue, s, e->asks.at, e->asks.n, rr_sim_within, rr_sim_start_behind);
}

static void pass(struct easy *e, struct part *p, struct rr_sim *s)
{
    (p->queue.lines == RR_LINES_SHORTEST ? pass_by_length : pass_by_arrival)(e, p, s);
    p->fresh.n = 0;
}

static void easy_pass(void *state, struct rr_sim *s)
{
    struct easy *e = state;
    if (e->n_parts == 1) {
        pass(e, e->part, s);
        return;
    }
    const struct rr_hold own = s->hold;
    for (size_t i = 0; i < e->n_parts; i++) {
        s->hold = e->part[i].hold;
        pass(e, &e->part[i], s);
        e->part[i].hold = s->hold;
    }
    s->hold = own;
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
