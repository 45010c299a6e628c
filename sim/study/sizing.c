/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/sizing.c - points of a sizing, priced and compared. */
#include "sim/study/sizing.h"
#include <math.h>
#include <string.h>

double rr_sizing_cost(const struct rr_sizing_point *p) { return p->answer && !p->unpriced[0] ? rr_money_double(p->spend[0].cost) : NAN; }

double rr_sizing_cost_at(const struct rr_sizing_point *p, size_t i, double total_s)
{
    return p->answer && !p->unpriced[i] ? rr_money_double(p->spend[i].cost) * (total_s / p->answer->time.total_s) : NAN;
}

double rr_sizing_time_s(const struct rr_sizing_point *p) { return p->unpriced[0] ? p->answer->time.total_s : p->spend[0].wall_s; }

double rr_sizing_p90_s(const struct rr_sizing_point *p) { return p->answer->band.p90_s * (rr_sizing_time_s(p) / p->answer->time.total_s); }

double rr_sizing_cost_p90(const struct rr_sizing_point *p) { return p->answer ? rr_sizing_cost_at(p, 0, p->answer->band.p90_s) : NAN; }

void rr_sizing_fail(struct rr_size *s, double gpu_hours, double detect_s)
{
    const double v = isinf(gpu_hours) ? 0 : gpu_hours;
    s->plan.failure_gpu_hours = s->plan.failure_least = s->plan.failure_most = v;
    s->plan.detect_s = detect_s;
}

static struct rr_spend_ask spend_ask(const struct rr_sizing_ask *ask, const struct rr_sizing_point *p, size_t plan)
{
    const struct rr_pool *own = plan == 0 && ask->pool && strcmp(ask->pool->gpu, p->size.machine.gpu) == 0 ? ask->pool : NULL;
    const char *machine = own && own->instance_id ? own->instance_id : own ? own->hardware_id : NULL;
    return (struct rr_spend_ask){.catalog = ask->catalog,
                                 .market = ask->market,
                                 .size = &p->size,
                                 .answer = p->answer,
                                 .start_us = ask->start_us,
                                 .plan = ask->plan[plan],
                                 .region = own           ? own->region
                                           : ask->region ? ask->region
                                                         : "",
                                 .instance = machine ? machine : ask->instance};
}

static void price(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_notes *notes, struct rr_sizing_point *p)
{
    for (size_t i = 0; i < ask->n_plans && i < RR_SIZING_PLANS; i++) {
        const struct rr_spend_ask k = spend_ask(ask, p, i);
        if (rr_train_spend(&k, a, notes, &p->spend[i]) != RR_OK) p->unpriced[i] = rr_strdup(a, rr_reason());
    }
}

/* "aws/" of "aws/p5.48xlarge"; 0: hardware, which no provider rents out */
static size_t provider_length(const char *machine)
{
    const char *slash = strchr(machine, '/');
    return slash ? (size_t)(slash - machine) + 1 : 0;
}

/* Two plans of different providers differ by these first of all: what the first plan costs where the others are. */
static void price_elsewhere(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_sizing_point *p)
{
    struct rr_notes unheard = {.arena = a};
    for (size_t i = 1; i < ask->n_plans && i < RR_SIZING_PLANS; i++) {
        struct rr_spend there;
        struct rr_spend_ask k = spend_ask(ask, p, 0);
        if (p->unpriced[0] || p->unpriced[i]) continue;
        const size_t n = provider_length(p->spend[i].machine);
        if (n == 0 || provider_length(p->spend[0].machine) == 0 || strncmp(p->spend[0].machine, p->spend[i].machine, n) == 0) continue;
        k.instance = p->spend[i].machine, k.region = ask->region ? ask->region : "";
        if (rr_train_spend(&k, a, &unheard, &there) == RR_OK) p->first_there[i] = there.per_gpu_hour;
    }
    rr_notes_done(&unheard);
}

static bool has_gpu(const struct rr_sizing *s, const char *gpu)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->at[i].training.gpu, gpu) == 0) return true;
    return false;
}

static enum rr_status point(const struct rr_sizing_ask *ask, const char *gpu, int64_t gpus, int precision, struct rr_arena *a,
                            struct rr_notes *notes, struct rr_sizing *s)
{
    struct rr_notes unheard = {.arena = a};
    struct rr_notes *told = s->n == 0 ? notes : &unheard; // what is assumed is the same for all points
    struct rr_sizing_point *p = &s->at[s->n];
    if (s->n == RR_SIZING_POINTS) return rr_fail(RR_EINPUT, "more than %d kinds and numbers of GPUs", RR_SIZING_POINTS);
    p->training = *ask->training;
    p->training.gpu = gpu, p->training.gpus = gpus, p->training.precision = precision;
    p->training.other_number = gpus != ask->training->gpus;
    p->training.beside = s->gpus, p->training.n_beside = ask->n_gpu + 1;
    p->marginal_cost = p->marginal_s = NAN;
    for (size_t i = 0; i < RR_SIZING_PLANS; i++) p->first_there[i] = NAN;
    if (s->n) p->training.global_batch = s->at[0].size.search.base.global_batch;
    enum rr_status st = rr_size_make(&p->training, ask->facts, ask->catalog, a, told, ask->wide, &p->size);
    if (told == &unheard && !has_gpu(s, gpu) && st == RR_OK && *p->size.borrowed)
        rr_note(notes, RR_NOTE_WARNING, "", "", "%s: %s", p->size.machine.id, p->size.borrowed);
    if (st == RR_OK) {
        if (ask->failure_gpu_hours > 0) rr_sizing_fail(&p->size, ask->failure_gpu_hours, ask->detect_s);
        p->answer = RR_NEW(a, struct rr_size_answer);
        st = rr_size_find(&p->size, ask->seed, p->answer);
        s->tried += p->answer->found.tried;
    }
    if (st != RR_OK && s->n > 0) {
        p->answer = NULL;
        p->reason = rr_strdup(a, rr_reason());
        st = RR_OK;
    }
    if (st == RR_OK && p->answer) price(ask, a, told, p);
    if (st == RR_OK && s->n == 0) price_elsewhere(ask, a, p);
    if (s->n == 0 && st == RR_OK && ask->must_price && p->unpriced[0]) st = rr_fail(RR_EINPUT, "%s", p->unpriced[0]);
    s->n++;
    rr_notes_done(&unheard);
    return st;
}

static bool is_there(const struct rr_sizing *s, const char *gpu, int64_t gpus, int precision)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->at[i].training.gpu, gpu) == 0 && s->at[i].training.gpus == gpus && s->at[i].training.precision == precision)
            return true;
    return false;
}

static enum rr_status all_points(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_notes *notes, struct rr_sizing *s)
{
    const struct rr_training_run *t = ask->training;
    s->gpus = RR_NEWS(a, const char *, ask->n_gpu + 1);
    s->gpus[0] = t->gpu ? t->gpu : "";
    for (size_t g = 0; g < ask->n_gpu; g++) {
        const struct rr_machine *m; // a name that is none is no GPU that cannot
        RR_TRY(rr_train_facts_machine(ask->facts, a, ask->gpu[g], &m));
        s->gpus[g + 1] = ask->gpu[g];
    }
    RR_TRY(point(ask, t->gpu, t->gpus, t->precision, a, notes, s));
    for (size_t g = 0; g <= ask->n_gpu; g++)
        for (size_t r = 0; r <= ask->n_precision; r++)
            for (size_t c = 0; c <= ask->n_count; c++) {
                const char *gpu = g ? ask->gpu[g - 1] : t->gpu;
                const int64_t gpus = c ? ask->count[c - 1] : t->gpus;
                const int precision = r ? ask->precision[r - 1] : t->precision;
                if (!is_there(s, gpu, gpus, precision)) RR_TRY(point(ask, gpu, gpus, precision, a, notes, s));
            }
    return RR_OK;
}

/* ---- comparisons ---- */

static bool alike(const struct rr_sizing_point *a, const struct rr_sizing_point *b)
{
    return strcmp(a->training.gpu, b->training.gpu) == 0 && a->training.precision == b->training.precision;
}

/* Against the next smaller number of the same GPU. */
static void margins(struct rr_sizing *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct rr_sizing_point *less = NULL;
        struct rr_sizing_point *p = &s->at[i];
        for (size_t k = 0; k < s->n; k++) {
            const struct rr_sizing_point *q = &s->at[k];
            if (q->answer && alike(p, q) && q->training.gpus < p->training.gpus && (!less || q->training.gpus > less->training.gpus))
                less = q;
        }
        if (!less || !p->answer) continue;
        p->marginal_cost = rr_sizing_cost(p) - rr_sizing_cost(less);
        p->marginal_s = rr_sizing_time_s(less) - rr_sizing_time_s(p);
    }
}

/* -1, 0 or 1; what has no price is dearer than all that has one. */
static int dearer(const struct rr_sizing_point *p, const struct rr_sizing_point *q)
{
    const double a = rr_sizing_cost(p), b = rr_sizing_cost(q);
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static bool quicker(const struct rr_sizing_point *p, const struct rr_sizing_point *q) { return rr_sizing_time_s(p) < rr_sizing_time_s(q); }

static bool is_pareto(const struct rr_sizing *s, const struct rr_sizing_point *p)
{
    if (isnan(rr_sizing_cost(p))) return false;
    for (size_t k = 0; k < s->n; k++) {
        const struct rr_sizing_point *q = &s->at[k];
        if (q->answer && q != p && !quicker(p, q) && dearer(q, p) <= 0 && (quicker(q, p) || dearer(q, p) < 0)) return false;
    }
    return true;
}

double rr_sizing_over(const struct rr_sizing_ask *ask, const struct rr_sizing_point *p)
{
    const double late = ask->deadline_s > 0 ? rr_sizing_p90_s(p) / ask->deadline_s : 0,
                 dear = ask->budget > 0 ? rr_sizing_cost_p90(p) / ask->budget : 0;
    return isnan(dear) ? INFINITY : fmax(late, dear);
}

static void choose(const struct rr_sizing_ask *ask, struct rr_sizing *s)
{
    s->fastest = s->cheapest = s->meets_deadline = s->meets_budget = s->meets_both = s->nearest_deadline = s->nearest_budget =
        s->nearest_both = -1;
    for (int i = 0; i < (int)s->n; i++) {
        struct rr_sizing_point *p = &s->at[i];
        if (!p->answer) continue;
        const bool in_time = ask->deadline_s > 0 && rr_sizing_p90_s(p) <= ask->deadline_s,
                   in_money = ask->budget > 0 && rr_sizing_cost_p90(p) <= ask->budget;
        p->pareto = is_pareto(s, p);
        if (s->nearest_deadline < 0 || rr_sizing_p90_s(p) < rr_sizing_p90_s(&s->at[s->nearest_deadline])) s->nearest_deadline = i;
        if (!isnan(rr_sizing_cost(p)) && (s->nearest_budget < 0 || rr_sizing_cost_p90(p) < rr_sizing_cost_p90(&s->at[s->nearest_budget])))
            s->nearest_budget = i;
        if (s->nearest_both < 0 || rr_sizing_over(ask, p) < rr_sizing_over(ask, &s->at[s->nearest_both])) s->nearest_both = i;
        if (s->fastest < 0 || quicker(p, &s->at[s->fastest])) s->fastest = i;
        if (!isnan(rr_sizing_cost(p)) && (s->cheapest < 0 || dearer(p, &s->at[s->cheapest]) < 0)) s->cheapest = i;
        if (in_time && (s->meets_deadline < 0 || dearer(p, &s->at[s->meets_deadline]) < 0)) s->meets_deadline = i;
        if (in_money && (s->meets_budget < 0 || quicker(p, &s->at[s->meets_budget]))) s->meets_budget = i;
        if (in_time && in_money && (s->meets_both < 0 || dearer(p, &s->at[s->meets_both]) < 0)) s->meets_both = i;
    }
}

/* ---- a number that would do ---- */

#define FURTHER 7 /* doublings or halvings beyond the numbers that are compared */

static bool is_missed(const struct rr_sizing_ask *ask, const struct rr_sizing *s)
{
    return (ask->deadline_s > 0 && s->meets_deadline < 0) || (ask->budget > 0 && s->meets_budget < 0) ||
           (ask->deadline_s > 0 && ask->budget > 0 && s->meets_both < 0);
}

struct looking {
    const struct rr_sizing_ask *ask;
    struct rr_arena *a;
    struct rr_sizing *s;
    int64_t low, high; /* the most that the budget allows, the fewest that are in time; 0 and INT64_MAX: none yet */
};

static void narrow(struct looking *x, const struct rr_sizing_point *p)
{
    const int64_t gpus = p->training.gpus;
    if (!p->answer) return;
    if (rr_sizing_cost_p90(p) <= x->ask->budget && gpus > x->low) x->low = gpus;
    if (rr_sizing_p90_s(p) <= x->ask->deadline_s && gpus < x->high) x->high = gpus;
}

/* true: so many of the first GPU meet what is asked; they are s->would_do then. */
static bool try_number(struct looking *x, int64_t gpus)
{
    struct rr_notes unheard = {.arena = x->a};
    struct rr_sizing *s = x->s, trial = {.at = RR_NEWS(x->a, struct rr_sizing_point, 2), .n = 1, .gpus = s->gpus};
    const struct rr_training_run *t = x->ask->training;
    trial.at[0] = s->at[0];
    const enum rr_status st = point(x->ask, t->gpu, gpus, t->precision, x->a, &unheard, &trial);
    rr_notes_done(&unheard);
    if (s->least_tried == 0 || gpus < s->least_tried) s->least_tried = gpus;
    if (gpus > s->most_tried) s->most_tried = gpus;
    if (st != RR_OK || !trial.at[1].answer) return false;
    narrow(x, &trial.at[1]);
    if (rr_sizing_over(x->ask, &trial.at[1]) > 1) return false;
    s->would_do = &trial.at[1];
    return true;
}

/* Between the most that the budget allows and the fewest that are in time, in eighths of whole nodes. */
static void between(struct looking *x)
{
    const int64_t node = x->s->at[0].size.machine.gpus_per_node, low = x->low, high = x->high;
    for (int64_t k = 1; k < 8 && low > 0 && high < INT64_MAX; k++) {
        const int64_t gpus = (low + (high - low) * k / 8) / node * node;
        if (gpus > low && gpus < high && try_number(x, gpus)) return;
    }
}

static void look_further(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_sizing *s)
{
    struct looking x = {ask, a, s, 0, INT64_MAX};
    int64_t least = s->at[0].training.gpus, most = least;
    const bool late = ask->deadline_s > 0 && s->meets_deadline<0, dear = ask->budget> 0 && s->meets_budget < 0;
    if (ask->budget > 0 && isnan(rr_sizing_cost(&s->at[0]))) return;
    for (size_t i = 0; i < s->n; i++) {
        if (!alike(&s->at[i], &s->at[0])) continue;
        if (s->at[i].training.gpus < least) least = s->at[i].training.gpus;
        if (s->at[i].training.gpus > most) most = s->at[i].training.gpus;
        narrow(&x, &s->at[i]);
    }
    for (int k = 1; k <= FURTHER && late && (most << k) <= 1048576; k++)
        if (try_number(&x, most << k)) return;
    for (int k = 1; k <= FURTHER && dear && (least >> k) << k == least && least >> k > 0; k++)
        if (try_number(&x, least >> k)) return;
    if (ask->deadline_s > 0 && ask->budget > 0) between(&x);
}

/* A profile that is of none of the machines would be passed over in silence. */
static enum rr_status check_profiles(const struct rr_profile_set *set, const struct rr_sizing *s)
{
    for (size_t i = 0; set && i < set->n; i++) {
        bool used = false;
        for (size_t k = 0; k < s->n; k++) used |= s->at[k].size.calibrated.used && s->at[k].size.calibrated.used[i];
        if (used) continue;
        const char *gpu = *set->at[i].gpu      ? set->at[i].gpu
                          : *set->at[i].device ? set->at[i].device
                                               : "no GPU that it names (hardware: gpu)";
        return rr_fail(RR_EINPUT, "profile %s is of %s; the run is on %s (%s)", set->at[i].name, gpu, s->at[0].size.machine.id,
                       *s->at[0].size.machine.gpu ? s->at[0].size.machine.gpu : "no GPU of data/facts/gpus.csv");
    }
    return RR_OK;
}

enum rr_status rr_sizing_make(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_notes *notes, struct rr_sizing *ret)
{
    *ret = (struct rr_sizing){.at = RR_NEWS(a, struct rr_sizing_point, RR_SIZING_POINTS + 1)};
    RR_TRY(all_points(ask, a, notes, ret));
    RR_TRY(check_profiles(ask->profiles, ret));
    margins(ret);
    choose(ask, ret);
    if (is_missed(ask, ret)) look_further(ask, a, ret);
    return RR_OK;
}
