/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/catalog.c - where the shipped facts lie, and looking things up in them. */
#include "data/catalog.h"
#include "data/price_book.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#ifndef RR_DATADIR
#define RR_DATADIR "/usr/local/share/rackrate"
#endif

static bool has_facts(struct rr_arena *a, const char *dir) { return access(rr_strf(a, "%s/facts/gpus.csv", dir), R_OK) == 0; }

/* Folder of the running program, or NULL. */
static const char *program_dir(struct rr_arena *a)
{
    char buf[4096];
    const ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
    if (n <= 0) return NULL;
    buf[n] = '\0';
    char *slash = strrchr(buf, '/');
    if (slash == NULL) return NULL;
    *slash = '\0';
    return rr_strdup(a, buf);
}

enum rr_status rr_data_dir(struct rr_arena *a, const char **ret)
{
    const char *env = getenv("RACKRATE_DATA");
    if (env != NULL && *env != '\0') {
        if (!has_facts(a, env)) return rr_fail(RR_EIO, "$RACKRATE_DATA is %s, but there is no facts/gpus.csv in it", env);
        *ret = rr_strdup(a, env);
        return RR_OK;
    }
    /* build/rackrate is a link to build/VARIANT/rackrate, one level deeper; tests lie deeper still. */
    static const char *const beside[] = {"../share/rackrate", "../data", "../../data", "../../../../data"};
    const char *dir = program_dir(a);
    for (size_t i = 0; dir != NULL && i < sizeof beside / sizeof *beside; i++) {
        const char *path = rr_strf(a, "%s/%s", dir, beside[i]);
        if (!has_facts(a, path)) continue;
        *ret = path;
        return RR_OK;
    }
    if (has_facts(a, RR_DATADIR)) {
        *ret = RR_DATADIR;
        return RR_OK;
    }
    return rr_fail(RR_EIO, "the shipped data (facts/gpus.csv) is neither in %s/../share/rackrate, %s/../data nor %s; set RACKRATE_DATA",
                   dir ? dir : "?", dir ? dir : "?", RR_DATADIR);
}

/* ---- by name ---- */

static bool alias_has(const char *aliases, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = aliases; *p != '\0';) {
        const size_t len = strcspn(p, "|");
        if (len == n && strncasecmp(p, name, n) == 0) return true;
        p += len + (p[len] == '|');
    }
    return false;
}

bool rr_gpu_is(const struct rr_gpu *g, const char *name) { return strcasecmp(g->id, name) == 0 || alias_has(g->aliases, name); }

bool rr_gpu_fits(const struct rr_gpu *g, const char *name)
{
    const size_t n = strlen(name);
    return rr_gpu_is(g, name) || (n > 0 && strncasecmp(g->id, name, n) == 0 && g->id[n] == '-');
}

const struct rr_gpu *rr_catalog_gpu_called(const struct rr_catalog *c, const char *name)
{
    for (size_t i = 0; i < c->n_gpus; i++)
        if (rr_gpu_is(&c->gpu[i], name)) return &c->gpu[i];
    return NULL;
}

/* The ids of n rows of `size` bytes whose first member is the id; and a failure that names the nearest. */
static enum rr_status fail_unknown(const char *what, const char *name, const void *rows, size_t n, size_t size)
{
    struct rr_arena *a = rr_arena_create();
    const char **ids = RR_NEWS(a, const char *, n + 1);
    for (size_t i = 0; i < n; i++) memcpy(&ids[i], (const char *)rows + i * size, sizeof *ids);
    const char *hint = rr_did_you_mean(a, name, ids, n);
    if (*hint == '\0') hint = rr_strf(a, "; `rackrate list %s` shows all", what);
    const enum rr_status st = rr_fail(RR_EINPUT, "\"%s\" is not in the table of %s%s", name, what, hint);
    rr_arena_free(a);
    return st;
}

enum rr_status rr_catalog_gpu(const struct rr_catalog *c, const char *name, const struct rr_gpu **ret)
{
    const struct rr_gpu *g = rr_catalog_gpu_called(c, name);
    if (g) {
        *ret = g;
        return RR_OK;
    }
    return fail_unknown("gpus", name, c->gpu, c->n_gpus, sizeof *c->gpu);
}

enum rr_status rr_catalog_hardware(const struct rr_catalog *c, const char *id, const struct rr_hardware **ret)
{
    for (size_t i = 0; i < c->n_hardware; i++) {
        if (strcmp(c->hardware[i].id, id) != 0) continue;
        *ret = &c->hardware[i];
        return RR_OK;
    }
    return fail_unknown("hardware", id, c->hardware, c->n_hardware, sizeof *c->hardware);
}

enum rr_status rr_catalog_instance(const struct rr_catalog *c, const char *id, const struct rr_instance **ret)
{
    for (size_t i = 0; i < c->n_instances; i++) {
        if (strcmp(c->instance[i].id, id) != 0) continue;
        *ret = &c->instance[i];
        return RR_OK;
    }
    if (c->shelf) {
        RR_TRY(rr_shelf_instance(c, id, ret));
        if (*ret) return RR_OK;
    }
    return fail_unknown("instances", id, c->instance, c->n_instances, sizeof *c->instance);
}

const struct rr_default *rr_catalog_default(const struct rr_catalog *c, const char *plan, const char *parameter)
{
    for (size_t i = 0; i < c->n_fallbacks; i++)
        if (strcmp(c->fallback[i].plan, plan) == 0 && strcmp(c->fallback[i].parameter, parameter) == 0) return &c->fallback[i];
    return NULL;
}

/* The facts know no zones: "us-east-1/use1-az4" is us-east-1 to them. */
static const char *region_alone(const char *region, char place[128])
{
    const size_t n = strcspn(region, "/");
    if (region[n] == '\0' || n >= 128) return region;
    memcpy(place, region, n);
    place[n] = '\0';
    return place;
}

const struct rr_spot_row *rr_catalog_spot(const struct rr_catalog *c, const char *instance, const char *region)
{
    const struct rr_spot_row *found = NULL;
    char place[128];
    region = region_alone(region, place);
    for (size_t i = 0; i < c->n_spot; i++) {
        const struct rr_spot_row *r = &c->spot[i];
        if (strcmp(r->instance, instance) != 0 || (*region && strcmp(r->region, region) != 0)) continue;
        if (found != NULL && strcmp(found->region, r->region) != 0) return NULL;
        if (found == NULL || strcmp(r->fact.date, found->fact.date) >= 0) found = r;
    }
    return found;
}

const char *rr_fact_text(struct rr_arena *a, const struct rr_fact *f)
{
    return rr_strf(a, "%s, %s (%s:%lld)", f->source, f->date, f->path, (long long)f->line);
}

/* ---- prices ---- */

struct price_key {
    const char *instance, *region, *plan, *term, *payment;
};

static bool price_is(const struct rr_price_row *p, const struct price_key *k)
{
    if (strcmp(p->instance, k->instance) != 0 || strcmp(p->plan, k->plan) != 0) return false;
    if (strcmp(p->term, k->term) != 0 || strcmp(p->payment, k->payment) != 0) return false;
    return *k->region == '\0' || strcmp(p->region, k->region) == 0 || strcmp(p->region, "all") == 0;
}

/* The latest row of that region alone: a later row for "all" does not hide an older one of the region. */
static const struct rr_price_row *price_latest(const struct rr_catalog *c, const struct price_key *k, const char *region)
{
    const struct rr_price_row *best = NULL;
    for (size_t i = 0; i < c->n_prices; i++) {
        const struct rr_price_row *p = &c->price[i];
        if (!price_is(p, k) || strcmp(p->region, region) != 0) continue;
        if (best == NULL || strcmp(p->fact.date, best->fact.date) >= 0) best = p;
    }
    return best;
}

static bool price_equal(const struct rr_price_row *a, const struct rr_price_row *b)
{
    return a->rate.rate.nano == b->rate.rate.nano && a->upfront.money.micro == b->upfront.money.micro &&
           strcmp(a->rate.currency, b->rate.currency) == 0;
}

/* "us-east-1 reserved 1 year, ..." of what there is for an instance. */
static void price_list(struct rr_buf *b, const struct rr_catalog *c, const char *instance)
{
    int n = 0;
    for (size_t i = 0; i < c->n_prices; i++) {
        const struct rr_price_row *p = &c->price[i];
        if (strcmp(p->instance, instance) != 0) continue;
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = price_is(&c->price[k], &(struct price_key){instance, p->region, p->plan, p->term, p->payment}) &&
                    strcmp(c->price[k].region, p->region) == 0;
        if (again) continue;
        if (n++ == 8) {
            rr_buf_puts(b, ", ...");
            return;
        }
        rr_buf_putf(b, "%s%s %s%s%s%s%s", n > 1 ? ", " : "", p->region, p->plan, *p->term ? " " : "", p->term, *p->payment ? " " : "",
                    p->payment);
    }
    if (n == 0) rr_buf_puts(b, "none");
}

static enum rr_status price_missing(const struct rr_catalog *c, const struct price_key *k)
{
    struct rr_buf b = {0};
    price_list(&b, c, k->instance);
    const enum rr_status st =
        rr_fail(RR_EINPUT, "the facts have no %s price for %s%s%s%s%s%s%s; there is: %s", k->plan, k->instance, *k->region ? " in " : "",
                k->region, *k->term ? ", " : "", k->term, *k->payment ? ", " : "", k->payment, rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

static enum rr_status price_find(const struct rr_catalog *c, const struct price_key *k, const struct rr_price_row **ret)
{
    const struct rr_price_row *best = *k->region != '\0' ? price_latest(c, k, k->region) : NULL;
    if (best == NULL && *k->region != '\0') best = price_latest(c, k, "all");
    for (size_t i = 0; *k->region == '\0' && i < c->n_prices; i++) {
        if (!price_is(&c->price[i], k)) continue;
        const struct rr_price_row *p = price_latest(c, k, c->price[i].region);
        if (best != NULL && !price_equal(p, best))
            return rr_fail(RR_EINPUT, "the %s price of %s depends on the region (%s, %s, ...): give \"region\"", k->plan, k->instance,
                           best->region, p->region);
        best = p;
    }
    *ret = best;
    return RR_OK;
}

enum rr_status rr_catalog_price(const struct rr_catalog *c, const char *instance, const char *region, const char *plan, const char *term,
                                const char *payment, const struct rr_price_row **ret)
{
    const struct rr_instance *known;
    const struct rr_price_row *row = NULL;
    char place[128];
    struct price_key key = {instance, region, plan, term, payment};
    if (c->shelf) {
        const struct rr_book_query q = {
            .instance = instance, .region = region, .plan = plan, .term = term, .payment = payment, .at_us = c->shelf->at_us};
        RR_TRY(rr_shelf_price(c, &q, ret));
        if (*ret) return RR_OK;
    }
    key.region = region_alone(region, place);
    RR_TRY(rr_catalog_instance(c, instance, &known));
    RR_TRY(price_find(c, &key, &row));
    if (row == NULL && *payment != '\0') {
        key.payment = "";
        RR_TRY(price_find(c, &key, &row));
        key.payment = payment;
    }
    if (row == NULL) return price_missing(c, &key);
    *ret = row;
    return RR_OK;
}
