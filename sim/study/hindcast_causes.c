/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/hindcast_causes.c - what a recorded schedule shows that a scheduler's rules alone do not explain. */
#include "sim/study/hindcast.h"
#include <math.h>
#include <string.h>

enum what { ENDS, COMES, STARTS }; // in this order at one instant
struct moment {
    int64_t at_us;
    uint32_t job;
    uint8_t what;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at_us != y->at_us) return x->at_us < y->at_us ? -1 : 1;
    if (x->what != y->what) return x->what < y->what ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Jobs that wait, by size: a Fenwick tree over the distinct sizes, so that a moment costs O(log sizes). */
struct line {
    int32_t *size; // [n] ascending
    int64_t *tree; // [n + 1]
    size_t n;
    int64_t all;
};

static size_t sizes_up_to(const struct line *l, int64_t milli)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (l->size[mid] <= milli)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void line_add(struct line *l, int32_t size, int64_t n)
{
    l->all += n;
    for (size_t i = sizes_up_to(l, size); i <= l->n; i += i & -i) l->tree[i] += n;
}

static int64_t line_up_to(const struct line *l, int64_t milli)
{
    int64_t sum = 0;
    for (size_t i = sizes_up_to(l, milli); i > 0; i -= i & -i) sum += l->tree[i];
    return sum;
}

static void line_init(struct line *l, const struct rr_trace *t)
{
    *l = (struct line){.size = rr_xrealloc(NULL, t->n + 1, sizeof *l->size)};
    memcpy(l->size, t->gpus_milli, t->n * sizeof *l->size);
    qsort(l->size, t->n, sizeof *l->size, by_number);
    for (size_t i = 0; i < t->n; i++)
        if (l->n == 0 || l->size[i] != l->size[l->n - 1]) l->size[l->n++] = l->size[i];
    l->tree = rr_xrealloc(NULL, l->n + 1, sizeof *l->tree);
    memset(l->tree, 0, (l->n + 1) * sizeof *l->tree);
}

static size_t moments(const struct rr_trace *t, const int64_t *start_us, struct moment *m)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (start_us[i] == RR_NEVER || t->gpus_milli[i] == 0) continue;
        m[n++] = (struct moment){t->submit_us[i], (uint32_t)i, COMES};
        m[n++] = (struct moment){start_us[i], (uint32_t)i, STARTS};
        if (t->run_us[i] > 0 && t->run_us[i] < RR_NEVER - start_us[i])
            m[n++] = (struct moment){start_us[i] + t->run_us[i], (uint32_t)i, ENDS};
    }
    qsort(m, n, sizeof *m, by_time);
    return n;
}

static void sweep(const struct rr_trace *t, const int64_t *start_us, int64_t fleet_milli, struct rr_schedule_facts *f)
{
    struct moment *m = rr_xrealloc(NULL, 3 * t->n + 1, sizeof *m);
    const size_t n = moments(t, start_us, m);
    struct line l;
    line_init(&l, t);
    int64_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const double dt = i > 0 ? (double)(m[i].at_us - m[i - 1].at_us) : 0;
        if (dt > 0) {
            f->wait_job_us += (double)l.all * dt;
            f->wait_free_job_us += (double)line_up_to(&l, fleet_milli - used) * dt;
        }
        const int32_t milli = t->gpus_milli[m[i].job];
        if (m[i].what != ENDS) line_add(&l, milli, m[i].what == COMES ? 1 : -1);
        if (m[i].what != COMES && t->run_us[m[i].job] > 0) used += m[i].what == STARTS ? milli : -milli; // of no length: takes no room
        if (used > f->peak_milli) f->peak_milli = used;
    }
    free(l.size);
    free(l.tree);
    free(m);
}

/* From the last submit back: the earliest start, by size, of those that came later. */
static void count_overtaken(const struct rr_trace *t, const int64_t *start_us, struct rr_schedule_facts *f)
{
    struct line l;
    line_init(&l, t);
    int64_t *first = rr_xrealloc(NULL, l.n + 1, sizeof *first);
    for (size_t k = 0; k <= l.n; k++) first[k] = RR_NEVER;
    for (size_t i = t->n; i-- > 0;) {
        if (start_us[i] == RR_NEVER || t->gpus_milli[i] == 0) continue;
        int64_t *best = &first[sizes_up_to(&l, t->gpus_milli[i])];
        f->started++;
        f->overtaken += *best < start_us[i];
        if (start_us[i] < *best) *best = start_us[i];
    }
    free(first);
    free(l.size);
    free(l.tree);
}

void rr_schedule_look(const struct rr_trace *t, const int64_t *start_us, int64_t fleet_milli, struct rr_schedule_facts *ret)
{
    *ret = (struct rr_schedule_facts){0};
    sweep(t, start_us, fleet_milli, ret);
    count_overtaken(t, start_us, ret);
}

/* ---- sentences ---- */

struct telling {
    const struct rr_trace *t;
    const int64_t *recorded_us, *simulated_us;
    int64_t fleet_milli;
    struct rr_arena *arena;
    const char **cause;
    size_t n;
};

static double percent(double part, double of) { return of > 0 ? 100 * part / of : 0; }

static void tell_room(struct telling *x, const struct rr_schedule_facts *rec, const struct rr_schedule_facts *sim)
{
    const double a = percent(rec->wait_free_job_us, rec->wait_job_us), b = percent(sim->wait_free_job_us, sim->wait_job_us);
    if (rec->wait_job_us == 0) return;
    x->cause[x->n++] =
        rr_strf(x->arena, "%.1f %% of the recorded waiting passed while as many GPUs as the job asks for were free (simulated %.1f %%)%s",
                a, b, a > b + 5 ? ": quotas, reservations, time windows, or nodes that were down" : "");
}

static void tell_order(struct telling *x, const struct rr_schedule_facts *rec, const struct rr_schedule_facts *sim)
{
    const double a = percent((double)rec->overtaken, (double)rec->started), b = percent((double)sim->overtaken, (double)sim->started);
    x->cause[x->n++] =
        rr_strf(x->arena, "%.1f %% of the recorded jobs were overtaken by a later job of the same size (simulated %.1f %%)%s", a, b,
                a > b + 5 ? ": priorities, fair shares, or several queues" : "");
}

static void tell_fleet(struct telling *x, const struct rr_schedule_facts *rec)
{
    const double peak = (double)rec->peak_milli / 1000, fleet = (double)x->fleet_milli / 1000;
    if (peak > fleet)
        x->cause[x->n++] =
            rr_strf(x->arena, "the recorded jobs held up to %g GPUs at once, the fleet has %g: it was larger, or shared", peak, fleet);
    else if (peak < 0.9 * fleet)
        x->cause[x->n++] = rr_strf(
            x->arena, "the recorded jobs never held more than %g of the fleet's %g GPUs: it was smaller, or others used it", peak, fleet);
}

static void tell_estimates(struct telling *x)
{
    const struct rr_trace *t = x->t;
    size_t over = 0;
    double work = 0, all = 0;
    for (size_t i = 0; t->estimate_us && i < t->n; i++) {
        const double w = t->run_us[i] == RR_NEVER ? 0 : (double)t->run_us[i] * t->gpus_milli[i];
        const bool out = t->run_us[i] != RR_NEVER && t->run_us[i] > t->estimate_us[i];
        over += out;
        work += out ? w : 0;
        all += w;
    }
    if (over)
        x->cause[x->n++] =
            rr_strf(x->arena, "%zu jobs (%.1f %% of the GPU time) ran longer than their estimate: what is planned behind them comes later",
                    over, percent(work, all));
    if (!t->estimate_us) x->cause[x->n++] = "the trace has no estimates: the replay knows the run times, the recorded scheduler did not";
}

static void tell_missing(struct telling *x, size_t rejected)
{
    size_t unknown = 0, unstarted = 0;
    for (size_t i = 0; i < x->t->n; i++) {
        unknown += x->recorded_us[i] == RR_NEVER;
        unstarted += x->recorded_us[i] != RR_NEVER && x->simulated_us[i] == RR_NEVER;
    }
    if (unknown)
        x->cause[x->n++] = rr_strf(x->arena, "%zu jobs have no recorded start: replayed when they have a run time, not compared", unknown);
    if (unstarted)
        x->cause[x->n++] = rr_strf(x->arena, "%zu recorded jobs did not start in the replay (%zu can never fit this fleet): not compared",
                                   unstarted, rejected);
}

/* Where most of the difference lies. */
static void tell_weeks(struct telling *x, const struct rr_hindcast_groups *week)
{
    double all = 0;
    const struct rr_hindcast_group *worst = NULL;
    double most = 0;
    for (size_t i = 0; i < week->n; i++) {
        const struct rr_hindcast_group *g = &week->at[i];
        if (g->jobs == 0) continue;
        const double gap = fabs(g->simulated_mean_s - g->recorded_mean_s) * (double)g->jobs;
        all += gap;
        if (gap > most) most = gap, worst = g;
    }
    if (worst && week->n > 3)
        x->cause[x->n++] = rr_strf(x->arena, "week %s alone makes %.0f %% of the difference by week", worst->name, percent(most, all));
}

void rr_hindcast_causes(const struct rr_trace *t, const int64_t *recorded_us, const int64_t *simulated_us, size_t rejected,
                        int64_t fleet_milli, struct rr_arena *arena, struct rr_hindcast *h)
{
    struct telling x = {.t = t,
                        .recorded_us = recorded_us,
                        .simulated_us = simulated_us,
                        .fleet_milli = fleet_milli,
                        .arena = arena,
                        .cause = RR_NEWS(arena, const char *, 16)};
    struct rr_schedule_facts recorded, simulated;
    rr_schedule_look(t, recorded_us, fleet_milli, &recorded);
    rr_schedule_look(t, simulated_us, fleet_milli, &simulated);
    tell_room(&x, &recorded, &simulated);
    tell_order(&x, &recorded, &simulated);
    tell_fleet(&x, &recorded);
    tell_estimates(&x);
    tell_missing(&x, rejected);
    tell_weeks(&x, &h->week);
    h->cause = x.cause;
    h->n_causes = x.n;
}
