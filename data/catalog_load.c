/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/catalog_load.c - the tables of data/facts, read and checked.
 *
 * A column is a row of a table here, as a parameter is in param.h. An empty cell means "not known"; a written 0 is refused, since
 * it would later be a price of nothing. Every table ends in source, date and note. */
#include "data/base/csv.h"
#include "data/catalog.h"
#include <stdlib.h>
#include <string.h>

enum cell_type {
    TEXT,     /* const char * */
    REAL,     /* double > 0 */
    COUNT,    /* int32_t > 0 */
    MILLI,    /* int32_t thousandths, > 0 */
    MIB,      /* GiB in the file, int32_t MiB */
    CURRENCY, /* char[4] */
    MONEY,    /* struct rr_amount: micro > 0 */
    HOURLY,   /* struct rr_price per node and hour: nano > 0 */
};
struct column {
    const char *name;
    enum cell_type type;
    size_t at;
    bool needed;
};
struct table {
    const char *file;
    const struct column *column;
    size_t n;
    size_t row_size, fact_at;
};
#define COLUMNS(a) (a), sizeof(a) / sizeof *(a)
#define AT(s, f)   offsetof(struct s, f)
#define MAX_COLUMN 24

static const struct column gpu_columns[] = {
    {"id", TEXT, AT(rr_gpu, id), true},
    {"aliases", TEXT, AT(rr_gpu, aliases), false},
    {"vendor", TEXT, AT(rr_gpu, vendor), true},
    {"arch", TEXT, AT(rr_gpu, arch), true},
    {"memory_gib", REAL, AT(rr_gpu, memory_gib), true},
    {"idle_w", REAL, AT(rr_gpu, idle_w), false},
    {"power_w", REAL, AT(rr_gpu, power_w), false},
    {"bf16_tflops", REAL, AT(rr_gpu, bf16_tflops), false},
    {"fp16_tflops", REAL, AT(rr_gpu, fp16_tflops), false},
    {"fp32_tflops", REAL, AT(rr_gpu, fp32_tflops), false},
    {"memory_gb_s", REAL, AT(rr_gpu, memory_gb_s), false},
    {"link_gb_s", REAL, AT(rr_gpu, link_gb_s), false},
};
static const struct column hardware_columns[] = {
    {"id", TEXT, AT(rr_hardware, id), true},
    {"gpu", TEXT, AT(rr_hardware, gpu), true},
    {"gpus", COUNT, AT(rr_hardware, gpus), true},
    {"vcpus", MILLI, AT(rr_hardware, cpus_milli), false},
    {"memory_gib", MIB, AT(rr_hardware, memory_mib), false},
    {"currency", CURRENCY, AT(rr_hardware, price.currency), false},
    {"price", MONEY, AT(rr_hardware, price), false},
    {"idle_w", REAL, AT(rr_hardware, idle_w), false},
    {"power_w", REAL, AT(rr_hardware, power_w), false},
};
static const struct column instance_columns[] = {
    {"id", TEXT, AT(rr_instance, id), true},
    {"gpu", TEXT, AT(rr_instance, gpu), true},
    {"gpus", COUNT, AT(rr_instance, gpus), true},
    {"vcpus", MILLI, AT(rr_instance, cpus_milli), false},
    {"memory_gib", MIB, AT(rr_instance, memory_mib), false},
};
static const struct column price_columns[] = {
    {"instance", TEXT, AT(rr_price_row, instance), true},
    {"region", TEXT, AT(rr_price_row, region), true},
    {"plan", TEXT, AT(rr_price_row, plan), true},
    {"term", TEXT, AT(rr_price_row, term), false},
    {"payment", TEXT, AT(rr_price_row, payment), false},
    {"currency", CURRENCY, AT(rr_price_row, rate.currency), true},
    {"rate_per_hour", HOURLY, AT(rr_price_row, rate), false},
    {"upfront", MONEY, AT(rr_price_row, upfront), false},
};
static const struct column default_columns[] = {
    {"plan", TEXT, AT(rr_default, plan), true},
    {"parameter", TEXT, AT(rr_default, parameter), true},
    {"value", TEXT, AT(rr_default, value), true},
};
static const struct column rate_columns[] = {
    {"id", TEXT, AT(rr_failure_rate, id), true},
    {"gpu", TEXT, AT(rr_failure_rate, gpu), true},
    {"gpus", COUNT, AT(rr_failure_rate, gpus), false},
    {"days", REAL, AT(rr_failure_rate, days), false},
    {"failures", REAL, AT(rr_failure_rate, failures), false},
    {"gpu_hours", REAL, AT(rr_failure_rate, gpu_hours), true},
    {"least", REAL, AT(rr_failure_rate, least), true},
    {"most", REAL, AT(rr_failure_rate, most), true},
};
static const struct column cause_columns[] = {
    {"id", TEXT, AT(rr_failure_cause, id), true},
    {"cause", TEXT, AT(rr_failure_cause, cause), true},
    {"kind", TEXT, AT(rr_failure_cause, kind), true},
    {"count", REAL, AT(rr_failure_cause, count), true},
};
static const struct column spot_columns[] = {
    {"instance", TEXT, AT(rr_spot_row, instance), true}, {"region", TEXT, AT(rr_spot_row, region), true},
    {"bucket", TEXT, AT(rr_spot_row, bucket), true},     {"share", REAL, AT(rr_spot_row, share), true},
    {"saving", REAL, AT(rr_spot_row, saving), false},
};
static const struct table gpu_table = {"gpus.csv", COLUMNS(gpu_columns), sizeof(struct rr_gpu), AT(rr_gpu, fact)};
static const struct table hardware_table = {"hardware.csv", COLUMNS(hardware_columns), sizeof(struct rr_hardware), AT(rr_hardware, fact)};
static const struct table instance_table = {"instances.csv", COLUMNS(instance_columns), sizeof(struct rr_instance), AT(rr_instance, fact)};
static const struct table price_table = {"prices.csv", COLUMNS(price_columns), sizeof(struct rr_price_row), AT(rr_price_row, fact)};
static const struct table default_table = {"plan_defaults.csv", COLUMNS(default_columns), sizeof(struct rr_default), AT(rr_default, fact)};
static const struct table spot_table = {"spot.csv", COLUMNS(spot_columns), sizeof(struct rr_spot_row), AT(rr_spot_row, fact)};

static const struct table rate_table = {"failure_rates.csv", COLUMNS(rate_columns), sizeof(struct rr_failure_rate),
                                        AT(rr_failure_rate, fact)};
static const struct table cause_table = {"failure_causes.csv", COLUMNS(cause_columns), sizeof(struct rr_failure_cause),
                                         AT(rr_failure_cause, fact)};

struct loader {
    const char *dir;
    struct rr_arena *arena;
    struct rr_catalog *c;
};

static enum rr_status fail_at(const struct loader *l, const struct rr_fact *f, enum rr_status st)
{
    const char *slash = strrchr(f->path, '/');
    return rr_fail_in(st, "%s/facts%s:%lld", l->dir, slash, (long long)f->line);
}

/* ---- cells ---- */

static enum rr_status cell_count(struct rr_slice s, int digits, int64_t *ret)
{
    int64_t v;
    RR_TRY(rr_text_scaled(s, digits, &v));
    if (v <= 0 || v > INT32_MAX)
        return rr_fail(RR_EINPUT, "%.*s is out of range; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_positive(struct rr_slice s, int digits, int64_t *ret)
{
    int64_t v;
    RR_TRY(rr_text_scaled(s, digits, &v));
    if (v <= 0) return rr_fail(RR_EINPUT, "%.*s is no price; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_currency(struct rr_slice s, char ret[4])
{
    bool good = s.n == 3;
    for (size_t i = 0; good && i < 3; i++) good = s.at[i] >= 'A' && s.at[i] <= 'Z';
    if (!good) return rr_fail(RR_EINPUT, "\"%.*s\" is no currency code such as USD", (int)s.n, s.at);
    memcpy(ret, s.at, 3);
    return RR_OK;
}

static enum rr_status cell_real(struct rr_slice s, double *ret)
{
    double v;
    RR_TRY(rr_text_double(s, &v));
    if (!(v > 0)) return rr_fail(RR_EINPUT, "%.*s is not above 0; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_read(const struct column *col, struct rr_slice s, struct rr_arena *a, char *row)
{
    void *field = row + col->at;
    int64_t v = 0;
    if (col->type == TEXT) {
        *(const char **)field = rr_strndup(a, s.at, s.n);
        return RR_OK;
    }
    if (s.n == 0) return RR_OK;
    switch (col->type) {
    case REAL: return cell_real(s, field);
    case COUNT:
        RR_TRY(rr_text_i64(s, &v));
        RR_TRY(cell_count(s, 0, &v));
        break;
    case MILLI: RR_TRY(cell_count(s, 3, &v)); break;
    case MIB:
        RR_TRY(cell_count(s, 0, &v));
        if (v > INT32_MAX / 1024) return rr_fail(RR_EINPUT, "%.*s GiB is out of range", (int)s.n, s.at);
        v *= 1024;
        break;
    case CURRENCY: return cell_currency(s, field);
    case MONEY: return cell_positive(s, 6, &((struct rr_amount *)field)->money.micro);
    case HOURLY:
        ((struct rr_price *)field)->rate = (struct rr_rate){.per = RR_PER_NODE, .time = RR_HOUR};
        return cell_positive(s, 9, &((struct rr_price *)field)->rate.nano);
    case TEXT: break;
    }
    *(int32_t *)field = (int32_t)v;
    return RR_OK;
}

/* ---- rows ---- */

/* index[i] = cell of column i, then source, date, note. Every column must be there, and none that we do not know. */
static enum rr_status header_read(const struct table *t, const struct rr_csv_row *head, struct rr_arena *a, int index[MAX_COLUMN])
{
    const char *name[MAX_COLUMN];
    for (size_t i = 0; i < t->n; i++) name[i] = t->column[i].name;
    name[t->n] = "source", name[t->n + 1] = "date", name[t->n + 2] = "note";
    for (size_t i = 0; i < t->n + 3; i++) {
        index[i] = rr_csv_find(head, name[i]);
        if (index[i] < 0) return rr_fail(RR_EINPUT, "column \"%s\" is missing", name[i]);
    }
    for (size_t k = 0; k < head->n; k++) {
        bool used = false;
        for (size_t i = 0; i < t->n + 3 && !used; i++) used = index[i] == (int)k;
        const char *cell = rr_strndup(a, head->cell[k].at, head->cell[k].n);
        if (!used)
            return rr_fail(RR_EINPUT, "column \"%s\" is not known or stands there twice%s", cell, rr_did_you_mean(a, cell, name, t->n + 3));
    }
    return RR_OK;
}

static bool date_good(const char *s)
{
    static const char shape[] = "dddd-dd-dd";
    const size_t n = strlen(s);
    if (n != 4 && n != 7 && n != 10) return false;
    for (size_t i = 0; i < n; i++)
        if (shape[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != '-') return false;
    return true;
}

static enum rr_status row_read(const struct table *t, const struct rr_csv_row *r, const int *index, struct rr_arena *a, char *row)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[i]]);
        if (t->column[i].needed && cell.n == 0) return rr_fail(RR_EINPUT, "column \"%s\" is empty", t->column[i].name);
        const enum rr_status st = cell_read(&t->column[i], cell, a, row);
        if (st != RR_OK) return rr_fail_in(st, "column \"%s\"", t->column[i].name);
    }
    struct rr_fact *f = (struct rr_fact *)(void *)(row + t->fact_at);
    const char **text[] = {&f->source, &f->date, &f->note};
    for (size_t i = 0; i < 3; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[t->n + i]]);
        *text[i] = rr_strndup(a, cell.at, cell.n);
    }
    f->path = rr_strf(a, "data/facts/%s", t->file);
    f->line = r->line;
    if (*f->source == '\0') return rr_fail(RR_EINPUT, "the row has no source");
    if (!date_good(f->date)) return rr_fail(RR_EINPUT, "date \"%s\" is not YYYY, YYYY-MM or YYYY-MM-DD", f->date);
    return RR_OK;
}

struct rows {
    char *at;
    size_t n, cap;
};

static enum rr_status rows_read(const struct table *t, struct rr_csv *csv, struct rr_arena *a, struct rows *rows)
{
    struct rr_csv_row r = {0};
    int index[MAX_COLUMN];
    RR_TRY(rr_csv_next(csv, &r));
    enum rr_status st = r.n == 0 ? rr_fail(RR_EINPUT, "the file is empty") : header_read(t, &r, a, index);
    if (st != RR_OK) return rr_fail_in(st, "%s:1", rr_csv_path(csv));
    const size_t width = r.n;
    for (;;) {
        RR_TRY(rr_csv_next(csv, &r));
        if (r.n == 0) return RR_OK;
        if (rows->n == rows->cap) {
            rows->cap = rows->cap ? rows->cap * 2 : 64;
            rows->at = rr_xrealloc(rows->at, rows->cap, t->row_size);
        }
        char *row = rows->at + rows->n++ * t->row_size;
        memset(row, 0, t->row_size);
        st = r.n == width ? row_read(t, &r, index, a, row) : rr_fail(RR_EINPUT, "%zu cells, the header has %zu", r.n, width);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)r.line);
    }
}

static enum rr_status table_read(const struct loader *l, const struct table *t, const void *ret_rows, size_t *ret_n)
{
    struct rr_csv *csv = NULL;
    struct rows rows = {0};
    RR_TRY(rr_csv_open(rr_strf(l->arena, "%s/facts/%s", l->dir, t->file), (struct rr_csv_options){0}, &csv));
    const enum rr_status st = rows_read(t, csv, l->arena, &rows);
    if (st == RR_OK) {
        void *copy = rr_alloc(l->arena, rows.n + 1, t->row_size);
        if (rows.n > 0) memcpy(copy, rows.at, rows.n * t->row_size);
        *(void **)ret_rows = copy;
        *ret_n = rows.n;
    }
    free(rows.at);
    rr_csv_close(csv);
    return st;
}

/* ---- checks across rows ---- */

static enum rr_status gpu_check(const struct loader *l, size_t i)
{
    const struct rr_gpu *g = &l->c->gpu[i];
    if (g->idle_w > 0 && g->power_w > 0 && g->idle_w >= g->power_w) return rr_fail(RR_EINPUT, "idle_w is not below power_w");
    for (size_t k = 0; k < i; k++) {
        const struct rr_gpu *other = &l->c->gpu[k];
        if (rr_gpu_is(other, g->id)) return rr_fail(RR_EINPUT, "\"%s\" was already used on line %lld", g->id, (long long)other->fact.line);
        for (const char *p = g->aliases; *p != '\0';) {
            const size_t len = strcspn(p, "|");
            const char *name = rr_strndup(l->arena, p, len);
            if (rr_gpu_is(other, name))
                return rr_fail(RR_EINPUT, "alias \"%s\" was already used on line %lld", name, (long long)other->fact.line);
            p += len + (p[len] == '|');
        }
    }
    return RR_OK;
}

/* Puts the GPU's id in place of an alias. */
static enum rr_status gpu_resolve(const struct loader *l, const char **name)
{
    const struct rr_gpu *g;
    RR_TRY(rr_catalog_gpu(l->c, *name, &g));
    *name = g->id;
    return RR_OK;
}

static enum rr_status hardware_check(const struct loader *l, struct rr_hardware *h, const struct rr_hardware *first)
{
    RR_TRY(gpu_resolve(l, &h->gpu));
    if ((h->price.money.micro > 0) != (h->price.currency[0] != '\0')) return rr_fail(RR_EINPUT, "price and currency belong together");
    if (h->idle_w > 0 && h->idle_w >= h->power_w) return rr_fail(RR_EINPUT, "idle_w is not below power_w");
    for (const struct rr_hardware *o = first; o < h; o++)
        if (strcmp(o->id, h->id) == 0) return rr_fail(RR_EINPUT, "\"%s\" was already used on line %lld", h->id, (long long)o->fact.line);
    return RR_OK;
}

static enum rr_status instance_check(const struct loader *l, struct rr_instance *x, const struct rr_instance *first)
{
    RR_TRY(gpu_resolve(l, &x->gpu));
    for (const struct rr_instance *o = first; o < x; o++)
        if (strcmp(o->id, x->id) == 0) return rr_fail(RR_EINPUT, "\"%s\" was already used on line %lld", x->id, (long long)o->fact.line);
    return RR_OK;
}

static bool price_same_key(const struct rr_price_row *a, const struct rr_price_row *b)
{
    return strcmp(a->instance, b->instance) == 0 && strcmp(a->region, b->region) == 0 && strcmp(a->plan, b->plan) == 0 &&
           strcmp(a->term, b->term) == 0 && strcmp(a->payment, b->payment) == 0;
}

static bool one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

/* A year of 8766 hours: only to compare, never to charge. */
static enum rr_status price_dear(const struct loader *l, const struct rr_price_row *p)
{
    const struct rr_price_row *od = NULL;
    const int64_t hours = strcmp(p->term, "3 years") == 0 ? 3 * 8766 : 8766;
    const int64_t nano = p->rate.rate.nano + (int64_t)((rr_i128)p->upfront.money.micro * 1000 / hours);
    for (size_t i = 0; i < l->c->n_prices; i++) {
        const struct rr_price_row *q = &l->c->price[i];
        if (strcmp(q->plan, "on_demand") != 0 || strcmp(q->instance, p->instance) != 0 || strcmp(q->region, p->region) != 0) continue;
        if (strcmp(q->rate.currency, p->rate.currency) == 0 && (od == NULL || strcmp(q->fact.date, od->fact.date) > 0)) od = q;
    }
    if (od != NULL && nano > od->rate.rate.nano && *p->fact.note == '\0')
        return rr_fail(RR_EINPUT, "reserved is dearer than on demand on line %lld; say why in the note", (long long)od->fact.line);
    return RR_OK;
}

static enum rr_status price_check(const struct loader *l, struct rr_price_row *p)
{
    static const char *const plans[] = {"on_demand", "reserved", "spot", "capacity_block", NULL};
    static const char *const terms[] = {"1 year", "3 years", NULL};
    static const char *const payments[] = {"", "no_upfront", "partial_upfront", "all_upfront", NULL};
    const struct rr_instance *x;
    RR_TRY(rr_catalog_instance(l->c, p->instance, &x));
    if (!one_of(p->plan, plans)) return rr_fail(RR_EINPUT, "plan \"%s\" is not on_demand, reserved, spot or capacity_block", p->plan);
    const bool reserved = strcmp(p->plan, "reserved") == 0;
    if (reserved ? !one_of(p->term, terms) : *p->term != '\0')
        return rr_fail(RR_EINPUT, "term \"%s\" does not go with %s", p->term, p->plan);
    if (!one_of(p->payment, payments) || (!reserved && *p->payment != '\0'))
        return rr_fail(RR_EINPUT, "payment \"%s\" does not go with %s", p->payment, p->plan);
    const bool upfront = p->upfront.money.micro > 0, rate = p->rate.rate.nano > 0;
    if (!upfront && !rate) return rr_fail(RR_EINPUT, "the row has no price");
    if (upfront && (!strcmp(p->payment, "") || !strcmp(p->payment, "no_upfront")))
        return rr_fail(RR_EINPUT, "upfront needs a payment form");
    if (!upfront && strstr(p->payment, "l_upfront") != NULL) return rr_fail(RR_EINPUT, "%s needs an upfront price", p->payment);
    memcpy(p->upfront.currency, p->rate.currency, sizeof p->upfront.currency);
    if (!rate) p->rate.rate = (struct rr_rate){.per = RR_PER_NODE, .time = RR_HOUR};
    for (const struct rr_price_row *o = l->c->price; o < p; o++)
        if (price_same_key(o, p) && strcmp(o->fact.date, p->fact.date) == 0)
            return rr_fail(RR_EINPUT, "the same price was already given on line %lld", (long long)o->fact.line);
    return reserved ? price_dear(l, p) : RR_OK;
}

static enum rr_status default_check(const struct rr_default *d, const struct rr_default *first)
{
    for (const struct rr_default *o = first; o < d; o++)
        if (strcmp(o->plan, d->plan) == 0 && strcmp(o->parameter, d->parameter) == 0)
            return rr_fail(RR_EINPUT, "\"%s\" was already given on line %lld", d->parameter, (long long)o->fact.line);
    return RR_OK;
}

static enum rr_status rate_check(const struct rr_failure_rate *x, const struct rr_failure_rate *first)
{
    for (const struct rr_failure_rate *o = first; o < x; o++)
        if (strcmp(o->id, x->id) == 0) return rr_fail(RR_EINPUT, "\"%s\" was already used on line %lld", x->id, (long long)o->fact.line);
    if (x->gpu_hours < x->least || x->gpu_hours > x->most) return rr_fail(RR_EINPUT, "gpu_hours is not between least and most");
    if (x->gpus == 0 || x->days == 0 || x->failures == 0) return RR_OK;
    const double own = x->gpus * x->days * 24 / x->failures;
    if (own < 0.99 * x->gpu_hours || own > 1.01 * x->gpu_hours)
        return rr_fail(RR_EINPUT, "gpus x days x 24 h / failures is %.0f, not %.0f GPU-hours", own, x->gpu_hours);
    return RR_OK;
}

static enum rr_status cause_check(const struct loader *l, const struct rr_failure_cause *x)
{
    static const char *const kinds[] = {"node", "gpu", "network", "power", "software", NULL};
    if (!one_of(x->kind, kinds)) return rr_fail(RR_EINPUT, "kind \"%s\" is not node, gpu, network, power or software", x->kind);
    for (size_t i = 0; i < l->c->n_failure_rates; i++)
        if (strcmp(l->c->failure_rate[i].id, x->id) == 0) return RR_OK;
    return rr_fail(RR_EINPUT, "\"%s\" is not in failure_rates.csv", x->id);
}

static enum rr_status spot_check(const struct loader *l, const struct rr_spot_row *r)
{
    const struct rr_instance *x;
    RR_TRY(rr_catalog_instance(l->c, r->instance, &x));
    if (r->share >= 1 || r->saving >= 1) return rr_fail(RR_EINPUT, "share and saving must be below 1");
    for (const struct rr_spot_row *o = l->c->spot; o < r; o++)
        if (!strcmp(o->instance, r->instance) && !strcmp(o->region, r->region) && !strcmp(o->fact.date, r->fact.date))
            return rr_fail(RR_EINPUT, "the same instance and region were already given on line %lld", (long long)o->fact.line);
    return RR_OK;
}

#define CHECK_EACH(rows, n, call)                                \
    for (size_t i = 0; i < (n); i++) {                           \
        const enum rr_status st = (call);                        \
        if (st != RR_OK) return fail_at(l, &(rows)[i].fact, st); \
    }

static enum rr_status load_all(const struct loader *l)
{
    struct rr_catalog *c = l->c;
    RR_TRY(table_read(l, &gpu_table, &c->gpu, &c->n_gpus));
    CHECK_EACH(c->gpu, c->n_gpus, gpu_check(l, i));

    struct rr_hardware *hardware = NULL;
    RR_TRY(table_read(l, &hardware_table, &hardware, &c->n_hardware));
    c->hardware = hardware;
    CHECK_EACH(hardware, c->n_hardware, hardware_check(l, &hardware[i], hardware));

    struct rr_instance *instance = NULL;
    RR_TRY(table_read(l, &instance_table, &instance, &c->n_instances));
    c->instance = instance;
    CHECK_EACH(instance, c->n_instances, instance_check(l, &instance[i], instance));

    struct rr_price_row *price = NULL;
    RR_TRY(table_read(l, &price_table, &price, &c->n_prices));
    c->price = price;
    CHECK_EACH(price, c->n_prices, price_check(l, &price[i]));

    RR_TRY(table_read(l, &default_table, &c->fallback, &c->n_fallbacks));
    CHECK_EACH(c->fallback, c->n_fallbacks, default_check(&c->fallback[i], c->fallback));

    RR_TRY(table_read(l, &rate_table, &c->failure_rate, &c->n_failure_rates));
    CHECK_EACH(c->failure_rate, c->n_failure_rates, rate_check(&c->failure_rate[i], c->failure_rate));
    RR_TRY(table_read(l, &cause_table, &c->failure_cause, &c->n_failure_causes));
    CHECK_EACH(c->failure_cause, c->n_failure_causes, cause_check(l, &c->failure_cause[i]));

    RR_TRY(table_read(l, &spot_table, &c->spot, &c->n_spot));
    CHECK_EACH(c->spot, c->n_spot, spot_check(l, &c->spot[i]));
    return RR_OK;
}

enum rr_status rr_catalog_load(const char *data_dir, struct rr_arena *a, struct rr_catalog *ret)
{
    struct rr_catalog c = {0};
    RR_TRY(load_all(&(struct loader){data_dir, a, &c}));
    *ret = c;
    return RR_OK;
}
