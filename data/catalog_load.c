/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/catalog_load.c - the tables of data/facts, read and checked.
 *
 * The tables are read by data/facts_table.h; here stand their columns, and what must hold between rows. */
#include "data/facts_table.h"
#include <string.h>

#define AT(s, f) offsetof(struct s, f)

static const struct rr_facts_column gpu_columns[] = {
    {"id", RR_FACTS_TEXT, AT(rr_gpu, id), true},
    {"aliases", RR_FACTS_TEXT, AT(rr_gpu, aliases), false},
    {"vendor", RR_FACTS_TEXT, AT(rr_gpu, vendor), true},
    {"arch", RR_FACTS_TEXT, AT(rr_gpu, arch), true},
    {"memory_gib", RR_FACTS_REAL, AT(rr_gpu, memory_gib), true},
    {"idle_w", RR_FACTS_REAL, AT(rr_gpu, idle_w), false},
    {"power_w", RR_FACTS_REAL, AT(rr_gpu, power_w), false},
    {"bf16_tflops", RR_FACTS_REAL, AT(rr_gpu, bf16_tflops), false},
    {"fp16_tflops", RR_FACTS_REAL, AT(rr_gpu, fp16_tflops), false},
    {"fp32_tflops", RR_FACTS_REAL, AT(rr_gpu, fp32_tflops), false},
    {"memory_gb_s", RR_FACTS_REAL, AT(rr_gpu, memory_gb_s), false},
    {"link_gb_s", RR_FACTS_REAL, AT(rr_gpu, link_gb_s), false},
};
static const struct rr_facts_column hardware_columns[] = {
    {"id", RR_FACTS_TEXT, AT(rr_hardware, id), true},
    {"gpu", RR_FACTS_TEXT, AT(rr_hardware, gpu), true},
    {"gpus", RR_FACTS_COUNT, AT(rr_hardware, gpus), true},
    {"vcpus", RR_FACTS_MILLI, AT(rr_hardware, cpus_milli), false},
    {"memory_gib", RR_FACTS_MIB, AT(rr_hardware, memory_mib), false},
    {"currency", RR_FACTS_CURRENCY, AT(rr_hardware, price.currency), false},
    {"price", RR_FACTS_MONEY, AT(rr_hardware, price), false},
    {"idle_w", RR_FACTS_REAL, AT(rr_hardware, idle_w), false},
    {"power_w", RR_FACTS_REAL, AT(rr_hardware, power_w), false},
};
static const struct rr_facts_column instance_columns[] = {
    {"id", RR_FACTS_TEXT, AT(rr_instance, id), true},
    {"gpu", RR_FACTS_TEXT, AT(rr_instance, gpu), true},
    {"gpus", RR_FACTS_COUNT, AT(rr_instance, gpus), true},
    {"vcpus", RR_FACTS_MILLI, AT(rr_instance, cpus_milli), false},
    {"memory_gib", RR_FACTS_MIB, AT(rr_instance, memory_mib), false},
};
static const struct rr_facts_column price_columns[] = {
    {"instance", RR_FACTS_TEXT, AT(rr_price_row, instance), true},
    {"region", RR_FACTS_TEXT, AT(rr_price_row, region), true},
    {"plan", RR_FACTS_TEXT, AT(rr_price_row, plan), true},
    {"term", RR_FACTS_TEXT, AT(rr_price_row, term), false},
    {"payment", RR_FACTS_TEXT, AT(rr_price_row, payment), false},
    {"currency", RR_FACTS_CURRENCY, AT(rr_price_row, rate.currency), true},
    {"rate_per_hour", RR_FACTS_HOURLY, AT(rr_price_row, rate), false},
    {"upfront", RR_FACTS_MONEY, AT(rr_price_row, upfront), false},
};
static const struct rr_facts_column default_columns[] = {
    {"plan", RR_FACTS_TEXT, AT(rr_default, plan), true},
    {"parameter", RR_FACTS_TEXT, AT(rr_default, parameter), true},
    {"value", RR_FACTS_TEXT, AT(rr_default, value), true},
};
static const struct rr_facts_column rate_columns[] = {
    {"id", RR_FACTS_TEXT, AT(rr_failure_rate, id), true},
    {"gpu", RR_FACTS_TEXT, AT(rr_failure_rate, gpu), true},
    {"gpus", RR_FACTS_COUNT, AT(rr_failure_rate, gpus), false},
    {"days", RR_FACTS_REAL, AT(rr_failure_rate, days), false},
    {"failures", RR_FACTS_REAL, AT(rr_failure_rate, failures), false},
    {"gpu_hours", RR_FACTS_REAL, AT(rr_failure_rate, gpu_hours), true},
    {"least", RR_FACTS_REAL, AT(rr_failure_rate, least), true},
    {"most", RR_FACTS_REAL, AT(rr_failure_rate, most), true},
};
static const struct rr_facts_column cause_columns[] = {
    {"id", RR_FACTS_TEXT, AT(rr_failure_cause, id), true},
    {"cause", RR_FACTS_TEXT, AT(rr_failure_cause, cause), true},
    {"kind", RR_FACTS_TEXT, AT(rr_failure_cause, kind), true},
    {"count", RR_FACTS_REAL, AT(rr_failure_cause, count), true},
};
static const struct rr_facts_column spot_columns[] = {
    {"instance", RR_FACTS_TEXT, AT(rr_spot_row, instance), true}, {"region", RR_FACTS_TEXT, AT(rr_spot_row, region), true},
    {"bucket", RR_FACTS_TEXT, AT(rr_spot_row, bucket), true},     {"share", RR_FACTS_REAL, AT(rr_spot_row, share), true},
    {"saving", RR_FACTS_REAL, AT(rr_spot_row, saving), false},
};
static const struct rr_facts_table gpu_table = RR_FACTS_TABLE("gpus.csv", gpu_columns, rr_gpu);
static const struct rr_facts_table hardware_table = RR_FACTS_TABLE("hardware.csv", hardware_columns, rr_hardware);
static const struct rr_facts_table instance_table = RR_FACTS_TABLE("instances.csv", instance_columns, rr_instance);
static const struct rr_facts_table price_table = RR_FACTS_TABLE("prices.csv", price_columns, rr_price_row);
static const struct rr_facts_table default_table = RR_FACTS_TABLE("plan_defaults.csv", default_columns, rr_default);
static const struct rr_facts_table spot_table = RR_FACTS_TABLE("spot.csv", spot_columns, rr_spot_row);

static const struct rr_facts_table rate_table = RR_FACTS_TABLE("failure_rates.csv", rate_columns, rr_failure_rate);
static const struct rr_facts_table cause_table = RR_FACTS_TABLE("failure_causes.csv", cause_columns, rr_failure_cause);

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
    RR_TRY(rr_facts_read(l->dir, &gpu_table, l->arena, &c->gpu, &c->n_gpus));
    CHECK_EACH(c->gpu, c->n_gpus, gpu_check(l, i));

    struct rr_hardware *hardware = NULL;
    RR_TRY(rr_facts_read(l->dir, &hardware_table, l->arena, &hardware, &c->n_hardware));
    c->hardware = hardware;
    CHECK_EACH(hardware, c->n_hardware, hardware_check(l, &hardware[i], hardware));

    struct rr_instance *instance = NULL;
    RR_TRY(rr_facts_read(l->dir, &instance_table, l->arena, &instance, &c->n_instances));
    c->instance = instance;
    CHECK_EACH(instance, c->n_instances, instance_check(l, &instance[i], instance));

    struct rr_price_row *price = NULL;
    RR_TRY(rr_facts_read(l->dir, &price_table, l->arena, &price, &c->n_prices));
    c->price = price;
    CHECK_EACH(price, c->n_prices, price_check(l, &price[i]));

    RR_TRY(rr_facts_read(l->dir, &default_table, l->arena, &c->fallback, &c->n_fallbacks));
    CHECK_EACH(c->fallback, c->n_fallbacks, default_check(&c->fallback[i], c->fallback));

    RR_TRY(rr_facts_read(l->dir, &rate_table, l->arena, &c->failure_rate, &c->n_failure_rates));
    CHECK_EACH(c->failure_rate, c->n_failure_rates, rate_check(&c->failure_rate[i], c->failure_rate));
    RR_TRY(rr_facts_read(l->dir, &cause_table, l->arena, &c->failure_cause, &c->n_failure_causes));
    CHECK_EACH(c->failure_cause, c->n_failure_causes, cause_check(l, &c->failure_cause[i]));

    RR_TRY(rr_facts_read(l->dir, &spot_table, l->arena, &c->spot, &c->n_spot));
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
