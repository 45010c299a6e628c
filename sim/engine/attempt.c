/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/attempt.c - the course of an attempt, and what an interruption leaves of it. */
#include "sim/engine/attempt.h"
#include "models/checkpoint.h"
#include <assert.h>
#include <math.h>

#define REFERENCE 1000000 // speed, millionths

// --- the course ---

static int64_t clamp_us(rr_i128 us) { return us >= RR_NEVER ? RR_NEVER : (int64_t)us; }

int64_t rr_course_wall(int64_t work_us, int32_t speed_ppm)
{
    if (work_us == RR_NEVER || speed_ppm == REFERENCE) return work_us;
    return clamp_us(((rr_i128)work_us * REFERENCE + speed_ppm - 1) / speed_ppm);
}

int64_t rr_course_work(int64_t wall_us, int32_t speed_ppm)
{
    if (speed_ppm == REFERENCE) return wall_us;
    return clamp_us((rr_i128)wall_us * speed_ppm / REFERENCE);
}

// Checkpoints of the whole attempt: none at its very end. Unlimited when it has none.
static int64_t writes(const struct rr_course *c)
{
    if (c->interval_us == RR_NEVER || c->work_us == 0) return 0;
    return c->work_us == RR_NEVER ? RR_NEVER : (c->work_us - 1) / c->interval_us;
}

int64_t rr_course_us(const struct rr_course *c)
{
    if (c->work_us == RR_NEVER) return RR_NEVER;
    return clamp_us((rr_i128)c->owed_us + c->start_us + c->work_us + (rr_i128)writes(c) * c->write_us);
}

struct rr_progress rr_course_at(const struct rr_course *c, int64_t elapsed_us)
{
    struct rr_progress p = {.checkpoint_us = elapsed_us < c->owed_us ? elapsed_us : c->owed_us};
    int64_t rest = elapsed_us - p.checkpoint_us;
    p.restart_us = rest < c->start_us ? rest : c->start_us;
    rest -= p.restart_us;
    const int64_t most = writes(c), pair = c->interval_us == RR_NEVER ? RR_NEVER : rr_add_us(c->interval_us, c->write_us);
    int64_t k = pair == RR_NEVER ? 0 : rest / pair;
    if (k > most) k = most;
    p.kept_us = k == 0 ? 0 : k * c->interval_us;
    p.checkpoint_us += k * c->write_us;
    rest -= k == 0 ? 0 : k * pair;
    p.work_us = p.kept_us + (k < most && rest > c->interval_us ? c->interval_us : rest);
    return p;
}

// --- life ---

void rr_attempts_init(struct rr_sim *s)
{
    struct rr_attempts *a = s->attempts = memset(rr_xrealloc(NULL, 1, sizeof *a), 0, sizeof *a);
    const size_t n = s->trace->n;
    a->slot_of = memset(rr_xrealloc(NULL, n + 1, sizeof *a->slot_of), 0xff, (n + 1) * sizeof *a->slot_of); // RR_NO_SLOT
    a->kept_us = memset(rr_xrealloc(NULL, n + 1, sizeof *a->kept_us), 0, (n + 1) * sizeof *a->kept_us);
    a->held_us = memset(rr_xrealloc(NULL, n + 1, sizeof *a->held_us), 0, (n + 1) * sizeof *a->held_us);
    a->owed_us = memset(rr_xrealloc(NULL, n + 1, sizeof *a->owed_us), 0, (n + 1) * sizeof *a->owed_us);
    a->on = memset(rr_xrealloc(NULL, s->n_pools, sizeof *a->on), 0, s->n_pools * sizeof *a->on);
    a->losing_node = RR_NO_NODE;
    for (size_t i = 0; i < RR_WHYS; i++) a->lost_at_us[i] = -1;
}

void rr_attempts_done(struct rr_sim *s)
{
    struct rr_attempts *a = s->attempts;
    if (!a) return;
    for (size_t i = 0; i < s->n_pools; i++) {
        free(a->on[i].first);
        free(a->on[i].gang);
    }
    rr_vec_done(&a->past);
    rr_vec_done(&a->of);
    rr_vec_done(&a->running);
    free(a->slot_of);
    free(a->kept_us);
    free(a->held_us);
    free(a->owed_us);
    free(a->on);
    free(a);
    s->attempts = NULL;
}

// --- who runs where ---

uint32_t rr_sim_slot_of(const struct rr_sim *s, uint32_t job) { return s->attempts->slot_of[job]; }
size_t rr_sim_n_running(const struct rr_sim *s) { return s->attempts->running.n; }
uint32_t rr_sim_running(const struct rr_sim *s, size_t i) { return s->attempts->running.at[i]; }

uint32_t rr_sim_first_on(const struct rr_sim *s, size_t pool, uint32_t node)
{
    const struct rr_on_node *on = &s->attempts->on[pool];
    if (node >= on->n) return RR_NO_SLOT;
    return on->first[node] != RR_NO_SLOT ? on->first[node] : on->gang[node];
}

// Jobs that need nothing may sit beside a gang, which comes last.
uint32_t rr_sim_next_on(const struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot *r = &s->slot.at[slot];
    const uint32_t next = s->attempts->of.at[slot].next;
    if (next != RR_NO_SLOT || rr_need_of(&s->asks, r->ask, r->pool)->nodes > 1) return next;
    return s->attempts->on[r->pool].gang[r->node];
}

static void cover(struct rr_on_node *on, uint32_t n_nodes)
{
    if (on->n >= n_nodes) return;
    on->first = rr_xrealloc(on->first, n_nodes, sizeof *on->first);
    on->gang = rr_xrealloc(on->gang, n_nodes, sizeof *on->gang);
    memset(on->first + on->n, 0xff, (n_nodes - on->n) * sizeof *on->first); // RR_NO_SLOT
    memset(on->gang + on->n, 0xff, (n_nodes - on->n) * sizeof *on->gang);
    on->n = n_nodes;
}

static void enlist(struct rr_sim *s, uint32_t slot, const struct rr_need *n)
{
    struct rr_attempts *a = s->attempts;
    const struct rr_slot *r = &s->slot.at[slot];
    struct rr_running *x = &a->of.at[slot];
    struct rr_on_node *on = &a->on[r->pool];
    cover(on, s->pool[r->pool].cap_nodes);
    x->next = x->before = RR_NO_SLOT;
    x->index = (uint32_t)a->running.n;
    rr_vec_push(&a->running, slot);
    a->slot_of[r->job] = slot;
    if (n->nodes > 1) {
        for (uint32_t k = r->node; k != RR_NO_NODE; k = s->pool[r->pool].node[k].next) on->gang[k] = slot;
        return;
    }
    x->next = on->first[r->node];
    if (x->next != RR_NO_SLOT) a->of.at[x->next].before = slot;
    on->first[r->node] = slot;
}

static void delist(struct rr_sim *s, uint32_t slot, const struct rr_need *n)
{
    struct rr_attempts *a = s->attempts;
    const struct rr_slot *r = &s->slot.at[slot];
    struct rr_running *x = &a->of.at[slot];
    uint32_t *first = a->on[r->pool].first;
    const uint32_t last = a->running.at[--a->running.n];
    a->running.at[x->index] = last;
    a->of.at[last].index = x->index;
    a->slot_of[r->job] = RR_NO_SLOT;
    if (n->nodes > 1) {
        for (uint32_t k = r->node; k != RR_NO_NODE; k = s->pool[r->pool].node[k].next) a->on[r->pool].gang[k] = RR_NO_SLOT;
        return;
    }
    if (x->next != RR_NO_SLOT) a->of.at[x->next].before = x->before;
    if (x->before != RR_NO_SLOT)
        a->of.at[x->before].next = x->next;
    else
        first[r->node] = x->next;
}

// --- beginning ---

// Work between checkpoints on the wall; nodes of the pool fail one by one.
static int64_t interval_of(const struct rr_sim *s, const struct rr_checkpoint *c, size_t pool, int32_t nodes)
{
    if (c->rule == RR_INTERVAL_NONE) return RR_NEVER;
    if (c->rule == RR_INTERVAL_FIXED) return c->interval_us;
    const double M = s->node_mtbf_us[pool] / nodes, C = (double)c->write_us;
    if (!(M > 0)) return RR_NEVER; // nothing fails there
    const double us = c->rule == RR_INTERVAL_YOUNG  ? rr_checkpoint_young(M, C)
                      : c->rule == RR_INTERVAL_DALY ? rr_checkpoint_daly(M, C)
                                                    : rr_checkpoint_best(M, C);
    return us < 1 ? 1 : us >= 9e18 ? RR_NEVER : (int64_t)(us + 0.5);
}

static struct rr_course course_of(const struct rr_sim *s, uint32_t job, size_t pool, const struct rr_need *n)
{
    const struct rr_checkpoint *c = rr_sim_checkpoint(s, job);
    const bool saved = s->attempts->kept_us[job] > 0; // who begins from scratch has nothing to restore
    return (struct rr_course){.owed_us = s->attempts->owed_us[job],
                              .start_us = rr_add_us(c->start_us, saved ? c->restore_us : 0),
                              .interval_us = interval_of(s, c, pool, n->nodes > 0 ? n->nodes : 1),
                              .write_us = c->write_us,
                              .speed_ppm = REFERENCE};
}

static int64_t less(int64_t us, int64_t done_us) { return us == RR_NEVER ? RR_NEVER : us > done_us ? us - done_us : 0; }

#define MOST_TRIES 10000 // as many as RR_CHECKPOINT_HOPELESS allows on average

// A plan that in effect never ends is refused: what must pass without a failure takes far longer than failures are apart; or, where failures are not
// exponential, it has been tried often enough.
static void refuse_hopeless(struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n, const struct rr_course *c)
{
    if (s->failed != RR_OK || c->work_us == RR_NEVER) return;
    char id[24];
    const char *name = rr_trace_id(s->trace, r->job, id), *pool = s->world->scenario->pool[r->pool].name;
    const double M = s->has_memory[r->pool] ? 0 : s->node_mtbf_us[r->pool] / n->nodes;
    const double w = (double)(c->work_us < c->interval_us ? c->work_us : c->interval_us);
    const double us = w + (double)c->write_us * (c->interval_us < c->work_us) + (double)c->start_us;
    if (M > 0 && us / M > RR_CHECKPOINT_HOPELESS)
        s->failed =
            rr_fail(RR_EINPUT,
                    "job %s on %d nodes of pool %s would in effect never end: it needs %.3g h without a failure, which come every %.3g h; "
                    "give it a shorter \"interval\" in \"checkpoint\"",
                    name, (int)n->nodes, pool, us / 3.6e9, M / 3.6e9);
    else if (s->outcome[r->job].attempts >= MOST_TRIES && s->attempts->kept_us[r->job] == 0)
        s->failed =
            rr_fail(RR_EINPUT,
                    "job %s on %d nodes of pool %s would in effect never end: it was started %d times and has kept nothing; it needs "
                    "%.3g h without an interruption; give it a shorter \"interval\" in \"checkpoint\"",
                    name, (int)n->nodes, pool, MOST_TRIES, us / 3.6e9);
}

// A restart that varies: course_of has its mean, which is what is expected.
static void draw_restore(const struct rr_sim *s, uint32_t job, struct rr_course *course)
{
    const struct rr_checkpoint *c = rr_sim_checkpoint(s, job);
    const uint64_t tries = s->outcome[job].attempts;
    if (c->restore.kind == RR_DIST_CONSTANT || s->attempts->kept_us[job] == 0) return;
    struct rr_rng rng;
    rr_rng_init(&rng, (uint64_t)s->world->scenario->seed, s->world->replication, RR_RNG_RESTART, tries << 32 | job);
    const double us = rr_dist_draw(&c->restore, &rng);
    course->start_us = rr_add_us(c->start_us, us <= 0 ? 0 : us >= (double)RR_MOST_TIME ? RR_MOST_TIME : (int64_t)(us + 0.5));
}

int64_t rr_attempt_begin(struct rr_sim *s, uint32_t slot, int64_t work_us)
{
    struct rr_attempts *a = s->attempts;
    const struct rr_slot *r = &s->slot.at[slot];
    const struct rr_need *n = rr_need_of(&s->asks, r->ask, r->pool);
    rr_vec_reserve(&a->of, s->slot.n);
    a->of.n = s->slot.n;
    struct rr_course c = course_of(s, r->job, r->pool, n);
    if (rr_sim_has_speeds(s)) c.speed_ppm = rr_sim_speed(s, r->job, r->pool, r->node);
    assert(c.speed_ppm > 0);
    c.work_us = rr_course_wall(less(work_us, a->kept_us[r->job]), c.speed_ppm);
    a->of.at[slot].course = c;
    a->of.at[slot].hung_us = RR_NEVER;
    a->owed_us[r->job] = 0;
    enlist(s, slot, n);
    refuse_hopeless(s, r, n, &c);
    draw_restore(s, r->job, &a->of.at[slot].course);
    return rr_course_us(&a->of.at[slot].course);
}

// --- what is left ---

// How long it has been at work by end_us.
static int64_t worked(const struct rr_sim *s, uint32_t slot, int64_t end_us)
{
    const int64_t elapsed = end_us - s->slot.at[slot].start_us, hung = s->attempts->of.at[slot].hung_us;
    return elapsed < hung ? elapsed : hung;
}

int64_t rr_attempt_left(const struct rr_sim *s, uint32_t job, int64_t us)
{
    const struct rr_attempts *a = s->attempts;
    const uint32_t slot = a->slot_of[job];
    const int64_t left = less(us, a->kept_us[job]);
    if (slot == RR_NO_SLOT) return left;
    const struct rr_course *c = &a->of.at[slot].course;
    return less(left, rr_course_work(rr_course_at(c, worked(s, slot, s->now_us)).work_us, c->speed_ppm));
}

int64_t rr_attempt_expected(const struct rr_sim *s, uint32_t slot, int64_t us)
{
    struct rr_course c = s->attempts->of.at[slot].course;
    c.work_us = rr_course_wall(less(us, s->attempts->kept_us[s->slot.at[slot].job]), c.speed_ppm);
    return rr_course_us(&c);
}

// In the first pool that it could run in.
int64_t rr_attempt_estimate(const struct rr_sim *s, uint32_t job, int64_t us)
{
    const uint32_t ask =
        rr_ask_of(&((struct rr_sim *)(uintptr_t)s)->asks, job); // finds what is there: every job that waits has been asked for
    size_t pool = 0;
    while (pool + 1 < s->n_pools && rr_need_of(&s->asks, ask, pool)->nodes == 0) pool++;
    struct rr_course c = course_of(s, job, pool, rr_need_of(&s->asks, ask, pool));
    c.work_us = less(us, s->attempts->kept_us[job]);
    return rr_course_us(&c);
}

rr_i128 rr_sim_attained_us(const struct rr_sim *s, uint32_t job)
{
    const uint32_t slot = s->attempts->slot_of[job];
    const int64_t now = slot == RR_NO_SLOT ? 0 : s->now_us - s->slot.at[slot].start_us;
    return (rr_i128)s->trace->gpus_milli[job] * (s->attempts->held_us[job] + now);
}

// --- the end ---

// Write the attempt down; `thrown` is the reason of the interruption. The pool's books have all of it, or will have it, as used.
static void record(struct rr_sim *s, uint32_t slot, int64_t end_us, struct rr_progress p, uint8_t reason)
{
    struct rr_attempts *a = s->attempts;
    const struct rr_slot *r = &s->slot.at[slot];
    const struct rr_need *n = rr_need_of(&s->asks, r->ask, r->pool);
    struct rr_pool_time *t = &s->books[r->pool].time;
    const int64_t took = end_us - r->start_us, lost = took - p.kept_us, overhead = p.restart_us + p.checkpoint_us;
    assert(p.kept_us >= 0 && overhead >= 0 && overhead <= lost);
    t->used -= (rr_i128)n->milli * lost;
    t->lost += (rr_i128)n->milli * lost;
    t->lost_to[RR_WHY_RESTART] += (rr_i128)n->milli * p.restart_us;
    t->lost_to[RR_WHY_CHECKPOINT] += (rr_i128)n->milli * p.checkpoint_us;
    t->lost_to[reason] += (rr_i128)n->milli * (lost - overhead);
    s->outcome[r->job].lost_us += lost;
    a->held_us[r->job] += took;
    const struct rr_attempt x = {.job = r->job,
                                 .node = s->node_base[r->pool] + r->node,
                                 .nodes = (uint32_t)n->nodes,
                                 .gpus_milli = n->milli,
                                 .pool = r->pool,
                                 .reason = reason,
                                 .start_us = r->start_us,
                                 .end_us = end_us,
                                 .lost_us = lost,
                                 .overhead_us = overhead,
                                 .restart_us = p.restart_us};
    rr_vec_push(&a->past, x);
}

void rr_attempt_end(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot *r = &s->slot.at[slot];
    struct rr_progress p = rr_course_at(&s->attempts->of.at[slot].course, s->now_us - r->start_us);
    p.kept_us = p.work_us;
    record(s, slot, s->now_us, p, r->reason);
    delist(s, slot, rr_need_of(&s->asks, r->ask, r->pool));
}

// Work that is done counts as used, saved or not: who knows what becomes of it.
void rr_attempt_cut(struct rr_sim *s, uint32_t slot, int64_t end_us)
{
    const struct rr_course *c = &s->attempts->of.at[slot].course;
    const int64_t elapsed = worked(s, slot, end_us);
    struct rr_progress p = rr_course_at(c, elapsed);
    p.checkpoint_us = elapsed - p.restart_us - p.work_us; // a write in progress too
    p.kept_us = p.work_us;
    record(s, slot, end_us, p, RR_WHY_HORIZON);
}

static bool by_scheduler(enum rr_reason why) { return why == RR_WHY_PREEMPTED || why == RR_WHY_MOVED; }

// What is kept, and the write that this owes.
static struct rr_progress saved(const struct rr_sim *s, uint32_t slot, enum rr_reason why, int64_t warned_us, int64_t *owed_us)
{
    const struct rr_slot *r = &s->slot.at[slot];
    const struct rr_checkpoint *c = rr_sim_checkpoint(s, r->job);
    const struct rr_course *course = &s->attempts->of.at[slot].course;
    const int64_t elapsed = worked(s, slot, s->now_us);
    struct rr_progress p = rr_course_at(course, elapsed);
    if (s->attempts->of.at[slot].hung_us != RR_NEVER) return p; // nothing answers
    if (by_scheduler(why)) {
        if (c->on_preempt != 0 || p.work_us == p.kept_us) return p;
        p.kept_us = p.work_us;
        *owed_us = c->write_us;
        return p;
    }
    if (warned_us <= 0 || !c->on_notice || warned_us < c->write_us || elapsed <= warned_us) return p;
    struct rr_progress then = rr_course_at(course, elapsed - warned_us);
    if (then.work_us <= p.kept_us) return p;
    then.kept_us = then.work_us;
    then.checkpoint_us += c->write_us;
    return then;
}

void rr_attempt_hang(struct rr_sim *s, uint32_t slot)
{
    struct rr_running *x = &s->attempts->of.at[slot];
    struct rr_slot *r = &s->slot.at[slot];
    if (x->hung_us != RR_NEVER) return;
    x->hung_us = s->now_us - r->start_us;
    s->n_hung++;
    if (r->sequence == 0) return; // it would never have ended
    r->sequence = 0;
    s->n_stale++;
    s->n_ends--;
}

void rr_attempt_interrupt(struct rr_sim *s, uint32_t slot, enum rr_reason why, int64_t warned_us)
{
    struct rr_attempts *a = s->attempts;
    const struct rr_slot r = s->slot.at[slot];
    const int32_t speed = a->of.at[slot].course.speed_ppm;
    int64_t owed_us = 0;
    const int64_t unpaid_us = less(a->of.at[slot].course.owed_us, worked(s, slot, s->now_us)); // of an earlier write, which still stands
    const struct rr_progress p = saved(s, slot, why, warned_us, &owed_us);
    record(s, slot, s->now_us, p, (uint8_t)why);
    s->books[r.pool].time.interrupted[why]++;
    const int64_t work = rr_sim_work_us(s, r.job), kept = rr_add_us(a->kept_us[r.job], rr_course_work(p.kept_us, speed));
    a->kept_us[r.job] = kept < work ? kept : work;
    a->owed_us[r.job] = owed_us + unpaid_us;
    s->n_hung -= a->of.at[slot].hung_us != RR_NEVER;
    delist(s, slot, rr_need_of(&s->asks, r.ask, r.pool));
    s->n_stale += r.sequence != 0;
    rr_sim_leave(s, slot);
    s->outcome[r.job].reason = RR_WHY_NONE;
    if (s->policy->ended) s->policy->ended(s->policy_state, s, r.job);
    if (s->pool[r.pool].closed.n) rr_tell_drained(s, &r);
    rr_sim_requeue(s, r.job, r.ask);
}

bool rr_sim_preempt(struct rr_sim *s, uint32_t job, enum rr_reason why)
{
    assert(s->attempts && by_scheduler(why));
    const uint32_t slot = s->attempts->slot_of[job];
    if (slot == RR_NO_SLOT || !rr_sim_interruptible(s, job)) return false;
    rr_attempt_interrupt(s, slot, why, 0);
    return true;
}

// --- classes ---

void rr_sim_classify(struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    const struct rr_trace *t = s->trace;
    if (sc->n_classes == 0) return;
    s->class_of = rr_xrealloc(NULL, t->n + 1, sizeof *s->class_of);
    for (size_t j = 0; j < t->n; j++) {
        const char *own = t->n_classes ? t->class_name[t->class_id ? t->class_id[j] : 0] : "";
        s->class_of[j] = RR_NO_CLASS;
        for (size_t k = sc->n_classes; k-- > 0;) // a name that fits stands back behind every `where` that holds
            if (!strcmp(sc->classes[k].name, own)) s->class_of[j] = (uint16_t)k;
        for (size_t k = sc->n_classes; k-- > 0;)
            if (sc->classes[k].where && rr_where_holds(sc->classes[k].where, t, j)) s->class_of[j] = (uint16_t)k;
    }
}

const struct rr_class *rr_sim_class(const struct rr_sim *s, uint32_t job)
{
    const size_t k = rr_sim_class_of(s, job);
    return k == RR_NO_CLASS ? NULL : &s->world->scenario->classes[k];
}

bool rr_sim_interruptible(const struct rr_sim *s, uint32_t job)
{
    const struct rr_class *c = rr_sim_class(s, job);
    return !c || c->interruptible;
}

int64_t rr_sim_priority(const struct rr_sim *s, uint32_t job)
{
    const struct rr_class *c = rr_sim_class(s, job);
    return (c ? c->priority : 0) + (s->trace->priority ? s->trace->priority[job] : 0);
}

const struct rr_checkpoint *rr_sim_checkpoint(const struct rr_sim *s, uint32_t job)
{
    const struct rr_class *c = rr_sim_class(s, job);
    return c ? &c->checkpoint : &s->world->scenario->checkpoint;
}
