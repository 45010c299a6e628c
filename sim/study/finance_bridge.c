/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance_bridge.c - why one alternative costs another sum than the baseline, line by line; and who used what it costs. */
#include "models/finance/bridge.h"
#include "sim/study/finance.h"
#include <math.h>
#include <string.h>

/* ---- bridge: price, volume and mix ---- */

/* A product is a cost line of a kind of machine: "on_demand compute, aws/p5.48xlarge". */
struct product {
    const char *type, *line, *what, *unit;
};
struct products {
    RR_VEC(struct product) of;
    RR_VEC(struct rr_bridge_line) line;
};

static const char *what_of(const struct rr_alternative *a, const char *pool)
{
    for (size_t p = 0; p < a->n_pools; p++)
        if (strcmp(a->pool[p].name, pool) == 0) return a->pool[p].what;
    return "";
}

static size_t product_of(struct products *s, const struct rr_cost_line *l, const char *what)
{
    for (size_t i = 0; i < s->of.n; i++) {
        const struct product *p = &s->of.at[i];
        if (!strcmp(p->type, l->type) && !strcmp(p->line, l->line) && !strcmp(p->what, what) && !strcmp(p->unit, l->unit)) return i;
    }
    int unit = (int)s->of.n;
    for (size_t i = 0; i < s->of.n; i++)
        if (strcmp(s->of.at[i].unit, l->unit) == 0 && s->line.at[i].unit < unit) unit = s->line.at[i].unit;
    rr_vec_push(&s->of, ((struct product){l->type, l->line, what, l->unit}));
    rr_vec_push(&s->line, ((struct rr_bridge_line){.unit = unit}));
    return s->of.n - 1;
}

/* Quantities in thousandths. */
static enum rr_status gather(struct products *s, const struct rr_alternative *a, bool first)
{
    for (size_t i = 0; i < a->n_lines; i++) {
        const struct rr_cost_line *l = &a->line[i];
        const size_t k = product_of(s, l, what_of(a, l->pool));
        struct rr_bridge_line *to = &s->line.at[k];
        const int64_t quantity = l->quantity > 0 && l->quantity < 9e15 ? llround(l->quantity * 1000) : 0;
        *(first ? &to->quantity_a : &to->quantity_b) += quantity;
        RR_TRY(rr_money_add(first ? &to->amount_a : &to->amount_b, l->effective));
    }
    return RR_OK;
}

static void put_part(struct rr_sheet_maker *m, const char *who, const char *what, const struct rr_bridge *p, struct rr_money from,
                     struct rr_money to)
{
    rr_sheet_row(m);
    rr_sheet_text(m, who);
    rr_sheet_text(m, what);
    const struct rr_money part[] = {from, p->price, p->volume, p->mix, p->added, p->dropped, to};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) rr_sheet_number(m, rr_money_double(part[k]));
}

static enum rr_status bridge_to(const struct rr_finance_view *v, const struct rr_alternative *base, const struct rr_alternative *a,
                                struct rr_sheet_maker *m)
{
    struct products s = {0};
    struct rr_bridge sum, *part = NULL;
    struct rr_money from = {0}, to = {0};
    enum rr_status st = gather(&s, base, true);
    if (st == RR_OK) st = gather(&s, a, false);
    if (st == RR_OK && s.line.n) {
        part = RR_NEWS(v->arena, struct rr_bridge, s.line.n);
        st = rr_bridge(s.line.at, s.line.n, part, &sum);
    }
    for (size_t i = 0; part && st == RR_OK && i < s.line.n; i++) {
        const struct product *p = &s.of.at[i];
        const char *what = rr_strf(v->arena, "%s %s%s%s", p->type, p->line, *p->what ? ", " : "", p->what);
        put_part(m, a->name, what, &part[i], s.line.at[i].amount_a, s.line.at[i].amount_b);
        from.micro += s.line.at[i].amount_a.micro;
        to.micro += s.line.at[i].amount_b.micro;
    }
    if (part && st == RR_OK) put_part(m, a->name, "all", &sum, from, to);
    rr_vec_done(&s.of);
    rr_vec_done(&s.line);
    return st;
}

enum rr_status rr_finance_bridge(const struct rr_finance_view *v, struct rr_sheets *out)
{
    const size_t base = rr_finance_base(v);
    if (v->n < 2 || base == v->n || v->book[base].alt->unpriced) return RR_OK;
    const char *name = v->book[base].alt->name;
    struct rr_sheet_maker m = rr_sheet_begin(v->arena, "finance.bridge", rr_strf(v->arena, "From %s to the others", name),
                                             "Cost inside the horizon: price at the new quantity, volume as if all had grown alike, mix "
                                             "between lines of one unit; what only one side has "
                                             "is new or gone. The parts add up exactly. Replication 1.");
    rr_sheet_column(&m, "To", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Line", RR_SHEET_TEXT);
    const char *column[] = {name, "Price", "Volume", "Mix", "New", "Gone", "The other"};
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) rr_sheet_column(&m, column[k], RR_SHEET_MONEY);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < v->n && st == RR_OK; i++)
        if (i != base && !v->book[i].alt->unpriced) st = bridge_to(v, v->book[base].alt, v->book[i].alt, &m);
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (st == RR_OK && sheet.n_rows) rr_vec_push(&out->list, sheet);
    return st;
}

/* ---- showback ---- */

enum { MOST_TENANTS = 15 };

/* Whose job i is. */
struct tenants {
    const char *title, *name;
    const char *const *label;
    size_t n;
    const uint32_t *id; /* [jobs]; NULL: all jobs are of tenant 0 */
};

static size_t tenant_of(const struct tenants *t, size_t i) { return t->id && t->id[i] < t->n ? t->id[i] : 0; }

struct shown {
    rr_i128 work; /* milli-GPU-microseconds */
    struct rr_money cost;
    size_t tenant, jobs;
};

static int most_first(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    if (x->cost.micro != y->cost.micro) return x->cost.micro < y->cost.micro ? 1 : -1;
    return x->tenant < y->tenant ? -1 : x->tenant > y->tenant;
}

/* Each pool's cost by the GPU time that tenants held in it; what belongs to no pool by all GPU time, and so does what a pool cost that nobody used. */
static enum rr_status share_out(const struct rr_finance_view *v, const struct rr_books *b, const struct tenants *t, struct shown *row)
{
    const size_t n_pools = b->billing->scenario->n_pools;
    rr_i128 *work = RR_NEWS(v->arena, rr_i128, (n_pools + 1) * t->n), *all = work + n_pools * t->n;
    for (size_t i = 0; i < b->run->replay.n_jobs; i++) {
        const struct rr_outcome *o = &b->run->replay.outcome[i];
        if (o->start_us == RR_NEVER || o->pool >= n_pools) continue;
        const size_t k = tenant_of(t, i);
        const rr_i128 x = rr_job_work(b->run, i) / rr_pool_slices(&b->billing->scenario->pool[o->pool]);
        work[o->pool * t->n + k] += x;
        all[k] += x;
        row[k].jobs++;
    }
    rr_i128 sum = 0;
    for (size_t k = 0; k < t->n; k++) {
        row[k].work = all[k];
        row[k].tenant = k;
        sum += all[k];
    }
    if (sum == 0) return RR_OK;
    struct rr_money *part = RR_NEWS(v->arena, struct rr_money, t->n);
    for (size_t i = 0; i < b->ledger->charge.n; i++) {
        const struct rr_charge *c = &b->ledger->charge.at[i];
        const rr_i128 *w = c->pool < 0 ? all : work + (size_t)c->pool * t->n;
        rr_i128 used = 0;
        for (size_t k = 0; k < t->n; k++) used += w[k];
        rr_money_split(c->effective, used > 0 ? w : all, t->n, part);
        for (size_t k = 0; k < t->n; k++) RR_TRY(rr_money_add(&row[k].cost, part[k]));
    }
    return RR_OK;
}

static void put_tenant(struct rr_sheet_maker *m, const char *name, const struct rr_books *b, const struct shown *x)
{
    const double hours = (double)x->work / (1000.0 * (double)RR_H), cost = rr_money_double(x->cost),
                 total = rr_money_double(b->ledger->effective);
    rr_sheet_row(m);
    rr_sheet_text(m, b->alt->name);
    rr_sheet_text(m, name);
    rr_sheet_number(m, (double)x->jobs);
    rr_sheet_number(m, hours);
    rr_sheet_number(m, cost);
    rr_sheet_number(m, total > 0 ? cost / total : NAN);
    rr_sheet_number(m, hours > 0 ? cost / hours : NAN);
}

static enum rr_status show(const struct rr_finance_view *v, const struct rr_books *b, const struct tenants *t, struct rr_sheet_maker *m)
{
    struct shown *row = RR_NEWS(v->arena, struct shown, t->n), others = {0};
    RR_TRY(share_out(v, b, t, row));
    qsort(row, t->n, sizeof *row, most_first);
    size_t kept = 0, left = 0;
    for (size_t k = 0; k < t->n; k++) {
        if (row[k].jobs == 0 && row[k].cost.micro == 0) continue;
        if (kept < MOST_TENANTS) {
            const char *name = t->label ? t->label[row[k].tenant] : "";
            put_tenant(m, *name ? name : "(none)", b, &row[k]);
            kept++;
            continue;
        }
        others.work += row[k].work;
        others.jobs += row[k].jobs;
        RR_TRY(rr_money_add(&others.cost, row[k].cost));
        left++;
    }
    if (left) put_tenant(m, rr_strf(v->arena, "%zu others", left), b, &others);
    return RR_OK;
}

static enum rr_status showback_by(const struct rr_finance_view *v, struct tenants (*of)(const struct rr_trace *), struct rr_sheets *out)
{
    const struct tenants head = of(&v->book[0].run->jobs);
    struct rr_sheet_maker m = rr_sheet_begin(
        v->arena, head.name, head.title,
        "Each pool's cost by the GPU time held in it, lost time included; idle time, and what belongs to no pool, in proportion "
        "to GPU time. The parts add up to the whole exactly. Replication 1.");
    rr_sheet_column(&m, "Alternative", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Who", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Jobs", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "GPU-hours", RR_SHEET_HOURS);
    rr_sheet_column(&m, "Cost", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Share", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Per GPU-hour", RR_SHEET_RATE);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < v->n && st == RR_OK; i++) {
        const struct tenants t = of(&v->book[i].run->jobs);
        if (t.n > 1 && !v->book[i].alt->unpriced) st = show(v, &v->book[i], &t, &m);
    }
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (st == RR_OK && sheet.n_rows) rr_vec_push(&out->list, sheet);
    return st;
}

static struct tenants users(const struct rr_trace *t)
{
    return (struct tenants){"Cost shown back by user", "finance.showback.user", t->user_name, t->n_users, t->user_id};
}

static struct tenants accounts(const struct rr_trace *t)
{
    return (struct tenants){"Cost shown back by account", "finance.showback.account", t->account_name, t->n_accounts, t->account_id};
}

enum rr_status rr_finance_showback(const struct rr_finance_view *v, struct rr_sheets *out)
{
    RR_TRY(showback_by(v, accounts, out));
    return showback_by(v, users, out);
}
