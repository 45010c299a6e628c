/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/deadline.c - where to run in each step, by dynamic programming. */
#include "models/deadline.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* State 0: nowhere. 1 + age: on spot, 1 + ages + age: on demand, for `age` whole steps (the last age: all that is longer). */
struct table {
    const struct rr_deadline_job *job;
    size_t ages, states, counts;
    int64_t *now, *next; /* [states][counts] most progress, -1: cannot be */
    unsigned char *from; /* [n_steps][states][counts] the state before */
};

static enum rr_place place_of(const struct table *t, size_t state)
{
    return state == 0 ? RR_PLACE_NONE : state <= t->ages ? RR_PLACE_SPOT : RR_PLACE_ON_DEMAND;
}

/* The state after a step at `place`, and the work done in it. */
static size_t after(const struct table *t, size_t state, enum rr_place place, size_t k, int64_t *work_us)
{
    const struct rr_deadline_job *j = t->job;
    const size_t first = place == RR_PLACE_SPOT ? 1 : 1 + t->ages;
    *work_us = 0;
    if (place == RR_PLACE_NONE) return 0;
    const bool stays = place_of(t, state) == place;
    const size_t age = stays ? state - first : 0; // whole steps there so far; one that begins has none
    const size_t steps = stays ? age + 1 : 0;
    const int64_t rest = j->due_us - (int64_t)k * j->step_us, length = rest < j->step_us ? rest : j->step_us;
    int64_t change = j->change_us - (int64_t)steps * j->step_us;
    if (change < 0 || (stays && age + 1 == t->ages)) change = 0;
    *work_us = length > change ? length - change : 0;
    return first + (steps < t->ages - 1 ? steps : t->ages - 1);
}

static void step(struct table *t, size_t k)
{
    for (size_t i = 0; i < t->states * t->counts; i++) t->next[i] = -1;
    for (size_t s = 0; s < t->states; s++)
        for (enum rr_place p = RR_PLACE_NONE; p <= RR_PLACE_ON_DEMAND; p++) {
            if (p == RR_PLACE_SPOT && !t->job->spot[k]) continue;
            int64_t work;
            const size_t to = after(t, s, p, k, &work), more = p == RR_PLACE_ON_DEMAND;
            for (size_t c = 0; c + more < t->counts; c++) {
                const int64_t v = t->now[s * t->counts + c];
                const size_t at = to * t->counts + c + more;
                if (v < 0 || v + work <= t->next[at]) continue;
                t->next[at] = v + work;
                t->from[k * t->states * t->counts + at] = (unsigned char)s;
            }
        }
    int64_t *x = t->now;
    t->now = t->next;
    t->next = x;
}

/* The state at the end with the fewest on-demand steps that has done the work; false: none. */
static bool best_end(const struct table *t, size_t *state, size_t *count)
{
    for (*count = 0; *count < t->counts; ++*count)
        for (*state = 0; *state < t->states; ++*state)
            if (t->now[*state * t->counts + *count] >= t->job->work_us) return true;
    return false;
}

int64_t rr_deadline_plan(const struct rr_deadline_job *job, unsigned char *place)
{
    struct table t = {.job = job, .ages = (size_t)((job->change_us + job->step_us - 1) / job->step_us) + 1, .counts = job->n_steps + 1};
    size_t state, count;
    assert(job->n_steps > 0 && job->n_steps <= RR_DEADLINE_STEPS && job->step_us > 0 && job->change_us >= 0);
    if (t.ages > 100) t.ages = 100;
    t.states = 2 * t.ages + 1;
    const size_t cells = t.states * t.counts;
    t.now = rr_xrealloc(NULL, cells, sizeof *t.now);
    t.next = rr_xrealloc(NULL, cells, sizeof *t.next);
    t.from = rr_xrealloc(NULL, cells * job->n_steps, 1);
    for (size_t i = 0; i < cells; i++) t.now[i] = -1;
    t.now[0] = 0;
    for (size_t k = 0; k < job->n_steps; k++) step(&t, k);
    int64_t ret = -1;
    memset(place, RR_PLACE_ON_DEMAND, job->n_steps);
    if (best_end(&t, &state, &count)) {
        ret = (int64_t)count;
        for (size_t k = job->n_steps; k-- > 0;) {
            place[k] = (unsigned char)place_of(&t, state);
            const size_t before = t.from[(k * t.states + state) * t.counts + count];
            count -= place[k] == RR_PLACE_ON_DEMAND;
            state = before;
        }
    }
    free(t.now);
    free(t.next);
    free(t.from);
    return ret;
}
