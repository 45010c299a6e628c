/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/commit/commit.c - cutting planes for the level of commitments.
 *
 * The master problem holds a variable for each offer, the savings plan's level, and one for the on-demand cost of each group of hours, bounded
 * from below by cuts. Between whole numbers of units the cost is taken as linear, which changes nothing at whole ones and makes the relaxed
 * optimum whole when no savings plan couples the types. */
#include "models/commit/commit.h"
#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 24 };           // cuts a round: more learn faster, fewer keep the master small
static const double gap = 1e-9; // of the cost

struct work {
    const struct rr_commit_problem *p;
    size_t n;      // columns of units and the plan's level
    size_t *order; // types by what a unit of plan money saves, most first; eligible ones alone
    size_t n_order;
    double *have, *left, *slope; // [n_types] reserved now; residual; its change with one more unit
    double *grad;                // [n_offers + 1] of a group
    int first_theta, n_groups;
    glp_prob *master;
    int *index; // of a cut, from 1
    double *value;
};

static double at_least_0(double x) { return x > 0 ? x : 0; }

static bool eligible(const struct rr_commit_problem *p, size_t i)
{
    return p->savings && p->savings[i] > 0 && p->savings[i] < p->on_demand[i];
}

static void order_types(struct work *w)
{
    const struct rr_commit_problem *p = w->p;
    for (size_t i = 0; i < p->n_types; i++) {
        if (!eligible(p, i)) continue;
        size_t k = w->n_order++;
        for (; k > 0; k--) {
            const size_t other = w->order[k - 1];
            if (p->on_demand[other] / p->savings[other] >= p->on_demand[i] / p->savings[i]) break;
            w->order[k] = other;
        }
        w->order[k] = i;
    }
}

static void reserved_at(const struct work *w, const double *units, size_t hour)
{
    const struct rr_commit_problem *p = w->p;
    memset(w->have, 0, p->n_types * sizeof *w->have);
    for (size_t j = 0; j < p->n_offers; j++)
        if (p->offer[j].from <= hour && hour < p->offer[j].to) w->have[p->offer[j].type] += units[j];
}

/* What reserved units leave, linear between whole numbers of them. */
static void leave(const struct work *w, size_t hour, double scale)
{
    const struct rr_commit_problem *p = w->p;
    for (size_t i = 0; i < p->n_types; i++) {
        const double d = p->demand[hour * p->n_types + i] * scale, whole = floor(w->have[i]);
        const double before = at_least_0(d - whole), after = at_least_0(d - whole - 1);
        w->slope[i] = after - before;
        w->left[i] = before + (w->have[i] - whole) * w->slope[i];
    }
}

struct hour {
    double on_demand, served_by_plan, spent;
    double worth;  // what one more unit of plan money would save
    size_t margin; // place in the order of the type that it would serve; n_order = none
};

static struct hour pay(const struct work *w, double commit)
{
    const struct rr_commit_problem *p = w->p;
    struct hour h = {.margin = w->n_order};
    double rest = commit;
    for (size_t i = 0; i < p->n_types; i++) h.on_demand += w->left[i] * p->on_demand[i];
    for (size_t k = 0; k < w->n_order; k++) {
        const size_t i = w->order[k];
        const double wants = w->left[i] * p->savings[i], gets = wants < rest ? wants : rest;
        h.on_demand -= gets / p->savings[i] * p->on_demand[i];
        h.served_by_plan += gets / p->savings[i];
        h.spent += gets;
        rest -= gets;
        if (gets < wants) {
            h.margin = k;
            h.worth = p->on_demand[i] / p->savings[i];
            break;
        }
    }
    h.on_demand = at_least_0(h.on_demand);
    return h;
}

/* What one more node-hour left over would cost, by type: through the plan where that still pays for it, else on demand. */
static void price_left(const struct work *w, const struct hour *h, double *price)
{
    const struct rr_commit_problem *p = w->p;
    for (size_t i = 0; i < p->n_types; i++) price[i] = p->on_demand[i];
    for (size_t k = 0; k < w->n_order && k < h->margin; k++) price[w->order[k]] = p->savings[w->order[k]] * h->worth;
}

static void add_gradient(const struct work *w, size_t hour, const struct hour *h, double *price)
{
    const struct rr_commit_problem *p = w->p;
    price_left(w, h, price);
    for (size_t j = 0; j < p->n_offers; j++) {
        const struct rr_commit_offer *o = &p->offer[j];
        if (o->from <= hour && hour < o->to) w->grad[j] += w->slope[o->type] * price[o->type];
    }
    w->grad[p->n_offers] -= h->worth;
}

static struct work work_of(const struct rr_commit_problem *p, struct rr_arena *a)
{
    struct work w = {.p = p, .n = p->n_offers + 1};
    w.order = RR_NEWS(a, size_t, p->n_types + 1);
    w.have = RR_NEWS(a, double, p->n_types + 1);
    w.left = RR_NEWS(a, double, p->n_types + 1);
    w.slope = RR_NEWS(a, double, p->n_types + 1);
    w.grad = RR_NEWS(a, double, w.n);
    order_types(&w);
    return w;
}

void rr_commit_cost(const struct rr_commit_problem *p, const double *units, double commit, double scale, struct rr_arena *scratch,
                    struct rr_commit_cost *ret)
{
    const struct work w = work_of(p, scratch);
    struct rr_commit_cost c = {.savings_plan = commit * (double)p->n_hours};
    for (size_t j = 0; j < p->n_offers; j++) {
        const double hours = units[j] * (double)(p->offer[j].to - p->offer[j].from);
        c.reserved += hours * p->offer[j].rate;
        c.reserved_hours += hours;
    }
    for (size_t t = 0; t < p->n_hours; t++) {
        reserved_at(&w, units, t);
        leave(&w, t, scale);
        const struct hour h = pay(&w, commit);
        c.on_demand += h.on_demand;
        c.by_savings_plan += h.served_by_plan;
        c.savings_used += h.spent;
        for (size_t i = 0; i < p->n_types; i++) {
            const double d = p->demand[t * p->n_types + i] * scale;
            c.wanted += d;
            c.by_reserved += d - w.left[i];
        }
    }
    c.total = c.reserved + c.savings_plan + c.on_demand;
    *ret = c;
}

/* ---- the master ---- */

static void cut(struct work *w, int group, double cost, const double *x)
{
    // theta_g - grad x >= cost - grad x0
    double right = cost;
    int n = 0;
    for (size_t j = 0; j < w->n; j++) {
        right -= w->grad[j] * x[j];
        if (w->grad[j] == 0) continue;
        w->index[++n] = (int)j + 1;
        w->value[n] = -w->grad[j];
    }
    w->index[++n] = w->first_theta + group;
    w->value[n] = 1;
    const int row = glp_add_rows(w->master, 1);
    glp_set_row_bnds(w->master, row, GLP_LO, right, 0);
    glp_set_mat_row(w->master, row, n, w->index, w->value);
}

/* On-demand cost at x; cuts where the master believes in less. */
static double look(struct work *w, const double *x, const double *theta, double *price)
{
    const struct rr_commit_problem *p = w->p;
    double sum = 0;
    for (int g = 0; g < w->n_groups; g++) {
        const size_t from = p->n_hours * (size_t)g / (size_t)w->n_groups, to = p->n_hours * ((size_t)g + 1) / (size_t)w->n_groups;
        double cost = 0;
        memset(w->grad, 0, w->n * sizeof *w->grad);
        for (size_t t = from; t < to; t++) {
            reserved_at(w, x, t);
            leave(w, t, 1);
            const struct hour h = pay(w, x[p->n_offers]);
            cost += h.on_demand;
            add_gradient(w, t, &h, price);
        }
        sum += cost;
        if (!theta || theta[g] < cost - 1e-12 * (1 + cost)) cut(w, g, cost, x);
    }
    return sum;
}

static void column(glp_prob *m, int j, bool whole, double most, double cost)
{
    if (most > 0)
        glp_set_col_bnds(m, j, GLP_DB, 0, most);
    else
        glp_set_col_bnds(m, j, GLP_FX, 0, 0);
    glp_set_col_kind(m, j, whole ? GLP_IV : GLP_CV);
    glp_set_obj_coef(m, j, cost);
}

/* No more units of an offer than its type's largest demand; no more of the plan than all demand through it. */
static void columns(struct work *w)
{
    const struct rr_commit_problem *p = w->p;
    double plan = 0;
    glp_add_cols(w->master, (int)w->n + w->n_groups);
    for (size_t j = 0; j < p->n_offers; j++) {
        const struct rr_commit_offer *o = &p->offer[j];
        double most = 0;
        for (size_t t = o->from; t < o->to; t++) most = fmax(most, p->demand[t * p->n_types + o->type]);
        column(w->master, (int)j + 1, true, ceil(most), o->rate * (double)(o->to - o->from));
    }
    for (size_t t = 0; t < p->n_hours; t++) {
        double all = 0;
        for (size_t i = 0; i < p->n_types; i++) all += eligible(p, i) ? p->demand[t * p->n_types + i] * p->savings[i] : 0;
        plan = fmax(plan, all);
    }
    column(w->master, (int)w->n, false, plan, (double)p->n_hours);
    for (int g = 0; g < w->n_groups; g++) {
        glp_set_col_bnds(w->master, w->first_theta + g, GLP_LO, 0, 0);
        glp_set_obj_coef(w->master, w->first_theta + g, 1);
    }
}

static double fixed_cost(const struct work *w, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < w->n; j++) sum += glp_get_obj_coef(w->master, (int)j + 1) * x[j];
    return sum;
}

static bool solve(struct work *w, bool whole)
{
    glp_smcp lp;
    glp_init_smcp(&lp);
    lp.msg_lev = GLP_MSG_OFF;
    lp.meth = GLP_DUALP; // rows were added
    if (glp_simplex(w->master, &lp) != 0 || glp_get_status(w->master) != GLP_OPT) return false;
    if (!whole) return true;
    glp_iocp ip;
    glp_init_iocp(&ip);
    ip.msg_lev = GLP_MSG_OFF;
    ip.mip_gap = gap / 2;
    return glp_intopt(w->master, &ip) == 0 && glp_mip_status(w->master) == GLP_OPT;
}

static void drop_slack(glp_prob *m)
{
    int n = 0, *row = rr_xrealloc(NULL, (size_t)glp_get_num_rows(m) + 1, sizeof *row);
    for (int i = 1; i <= glp_get_num_rows(m); i++)
        if (glp_get_row_prim(m, i) > glp_get_row_lb(m, i) + 1e-6 * (1 + fabs(glp_get_row_lb(m, i)))) row[++n] = i;
    if (n > 0) glp_del_rows(m, n, row);
    free(row);
    glp_std_basis(m);
}

struct best {
    double cost, bound;
    double *x;
};

/* Rounds of master and look until the bound meets the best; relaxed first, whole then. */
static bool rounds(struct work *w, bool whole, struct best *best, double *x, double *theta, double *price, int *n_rounds)
{
    enum { MOST = 2000 };
    for (int k = 0; k < MOST; k++, ++*n_rounds) {
        if (!solve(w, whole)) return false;
        for (size_t j = 0; j < w->n; j++) {
            x[j] = whole ? glp_mip_col_val(w->master, (int)j + 1) : glp_get_col_prim(w->master, (int)j + 1);
            if (whole && j + 1 < w->n) x[j] = round(x[j]);
            x[j] = at_least_0(x[j]);
        }
        for (int g = 0; g < w->n_groups; g++)
            theta[g] = whole ? glp_mip_col_val(w->master, w->first_theta + g) : glp_get_col_prim(w->master, w->first_theta + g);
        best->bound = whole ? glp_mip_obj_val(w->master) : glp_get_obj_val(w->master);
        const double cost = fixed_cost(w, x) + look(w, x, theta, price);
        if (cost < best->cost) {
            best->cost = cost;
            memcpy(best->x, x, w->n * sizeof *x);
        }
        if (best->cost - best->bound <= gap * (1 + best->cost)) return true;
    }
    return false;
}

static bool search(struct work *w, struct rr_arena *a, struct best *best, int *n_rounds)
{
    const size_t n = w->n;
    double *x = RR_NEWS(a, double, n), *theta = RR_NEWS(a, double, GROUPS), *price = RR_NEWS(a, double, w->p->n_types + 1);
    columns(w);
    look(w, x, NULL, price); // nothing committed: its cuts make the master bounded
    *best = (struct best){INFINITY, 0, RR_NEWS(a, double, n)};
    if (!rounds(w, false, best, x, theta, price, n_rounds)) return false;
    drop_slack(w->master);
    *best = (struct best){INFINITY, 0, best->x}; // what was found need not be whole
    return rounds(w, true, best, x, theta, price, n_rounds);
}

static enum rr_status best_together(const struct rr_commit_problem *p, struct rr_arena *arena, struct rr_commit_answer *ret)
{
    struct rr_arena *scratch = rr_arena_create();
    struct work w = work_of(p, scratch);
    struct rr_commit_answer answer = {.units = RR_NEWS(arena, double, p->n_offers + 1)};
    struct best best;
    w.n_groups = p->n_hours < GROUPS ? (int)p->n_hours : GROUPS;
    w.first_theta = (int)w.n + 1;
    w.index = RR_NEWS(scratch, int, w.n + 2);
    w.value = RR_NEWS(scratch, double, w.n + 2);
    glp_term_out(GLP_OFF);
    w.master = glp_create_prob();
    const bool found = search(&w, scratch, &best, &answer.rounds);
    glp_delete_prob(w.master);
    if (found) {
        memcpy(answer.units, best.x, p->n_offers * sizeof *answer.units);
        answer.commit = best.x[p->n_offers];
        answer.bound = best.bound;
        rr_commit_cost(p, answer.units, answer.commit, 1, scratch, &answer.cost);
        *ret = answer;
    }
    rr_arena_free(scratch);
    glp_free_env();
    return found ? RR_OK : rr_fail(RR_EINTERNAL, "GLPK found no cheapest commitment after %d rounds", answer.rounds);
}

/* One type's part of a problem without a savings plan; place[k] is where its offer k stands in the whole. */
static struct rr_commit_problem part_of(const struct rr_commit_problem *p, size_t type, struct rr_arena *a, size_t *place)
{
    double *demand = RR_NEWS(a, double, p->n_hours + 1);
    struct rr_commit_offer *offer = RR_NEWS(a, struct rr_commit_offer, p->n_offers + 1);
    struct rr_commit_problem part = {
        .n_hours = p->n_hours, .n_types = 1, .demand = demand, .on_demand = p->on_demand + type, .offer = offer};
    for (size_t t = 0; t < p->n_hours; t++) demand[t] = p->demand[t * p->n_types + type];
    for (size_t j = 0; j < p->n_offers; j++) {
        if (p->offer[j].type != type) continue;
        place[part.n_offers] = j;
        offer[part.n_offers] = p->offer[j];
        offer[part.n_offers++].type = 0;
    }
    return part;
}

enum rr_status rr_commit_best(const struct rr_commit_problem *p, struct rr_arena *arena, struct rr_commit_answer *ret)
{
    if (p->savings || p->n_types < 2) return best_together(p, arena, ret);
    struct rr_arena *scratch = rr_arena_create(); // nothing couples the types
    struct rr_commit_answer all = {.units = RR_NEWS(arena, double, p->n_offers + 1)}, one;
    size_t *place = RR_NEWS(arena, size_t, p->n_offers + 1);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < p->n_types && st == RR_OK; i++) {
        const struct rr_commit_problem part = part_of(p, i, scratch, place);
        st = best_together(&part, scratch, &one);
        for (size_t k = 0; st == RR_OK && k < part.n_offers; k++) all.units[place[k]] = one.units[k];
        if (st == RR_OK) {
            all.bound += one.bound;
            all.rounds += one.rounds;
        }
        rr_arena_reset(scratch);
    }
    if (st == RR_OK) {
        rr_commit_cost(p, all.units, 0, 1, scratch, &all.cost);
        *ret = all;
    }
    rr_arena_free(scratch);
    return st;
}
