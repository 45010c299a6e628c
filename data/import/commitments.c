/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/commitments.c - running commitments as the AWS command line prints them, into rows of data/existing.h.
 *
 * Reserved instances: FixedPrice and RecurringCharges are per instance, the latter per hour; savings plans: upfrontPaymentAmount and
 * recurringPaymentAmount are of the whole plan, the latter per hour (AWS API references, 2024). Amounts are taken over as written. */
#include "data/base/json.h"
#include "data/base/money.h"
#include "data/base/units.h"
#include "data/existing.h"
#include <string.h>

struct in {
    struct rr_json *json;
    struct rr_arena *arena;
    struct rr_buf *out;
    struct rr_commitments_found *found;
};

static enum rr_status fail(const struct in *in, const cJSON *at, const char *what)
{
    return rr_json_fail(RR_EINPUT, in->json, at, "", "%s", what);
}

/* Text of a member, a number as it is written; "" when absent. */
static const char *text(const struct in *in, const cJSON *node, const char *key)
{
    const cJSON *m = rr_json_member(node, key);
    if (cJSON_IsString(m)) return rr_strdup(in->arena, m->valuestring);
    if (!cJSON_IsNumber(m)) return "";
    const struct rr_slice s = rr_json_number(m);
    return rr_strf(in->arena, "%.*s", (int)s.n, s.at);
}

static enum rr_status need(const struct in *in, const cJSON *node, const char *key, const char **ret)
{
    *ret = text(in, node, key);
    return **ret ? RR_OK : fail(in, node, rr_strf(in->arena, "\"%s\" is missing", key));
}

/* A decimal in nano-units; "" is 0. */
static enum rr_status nano(const struct in *in, const cJSON *node, const char *s, int64_t *ret)
{
    *ret = 0;
    if (!*s) return RR_OK;
    if (rr_text_times(rr_slice(s, strlen(s)), 1000000000, ret, NULL) != RR_OK || *ret < 0)
        return fail(in, node, rr_strf(in->arena, "\"%.32s\" is no amount", s));
    return RR_OK;
}

struct row {
    const char *name, *from, *to, *currency, *source;
    const char *instance, *region; /* or NULL */
    int64_t count;
    int64_t upfront_nano, hourly_nano; /* of all */
};

static void put_nano(struct rr_buf *b, int64_t v)
{
    struct rr_buf t = {0};
    rr_buf_putf(&t, "%lld.%09lld", (long long)(v / 1000000000), (long long)(v % 1000000000));
    size_t n = t.n;
    while (rr_buf_text(&t)[n - 1] == '0') n--;
    if (rr_buf_text(&t)[n - 1] == '.') n--;
    rr_buf_put(b, rr_buf_text(&t), n);
    rr_buf_done(&t);
}

static void put_row(const struct in *in, const struct row *r)
{
    struct rr_buf *b = in->out;
    if (b->n == 0) rr_buf_puts(b, "kind,name,date,ends,cost,currency,recurring_per_hour,source,instance,region,count\n");
    rr_buf_puts(b, "commitment,");
    rr_buf_csv(b, r->name);
    rr_buf_putf(b, ",%s,%s,", r->from, r->to);
    put_nano(b, r->upfront_nano);
    rr_buf_putf(b, ",%s,", r->currency);
    put_nano(b, r->hourly_nano);
    rr_buf_puts(b, ",");
    rr_buf_csv(b, r->source);
    rr_buf_puts(b, ",");
    if (r->instance) {
        rr_buf_csv(b, r->instance);
        rr_buf_putf(b, ",%s,%lld\n", r->region, (long long)r->count);
    } else {
        rr_buf_puts(b, ",,\n");
    }
    in->found->n++;
}

/* A date that the reader of the rows takes; the command line prints +00:00. */
static enum rr_status date(const struct in *in, const cJSON *node, const char *key, const char **ret)
{
    const char *s;
    int64_t epoch;
    RR_TRY(need(in, node, key, &s));
    if (rr_date_parse(rr_slice(s, strlen(s)), &epoch) != RR_OK)
        return fail(in, node, rr_strf(in->arena, "\"%s\": \"%.40s\" is no date", key, s));
    struct rr_buf b = {0};
    rr_buf_date(&b, epoch - epoch % RR_S);
    *ret = rr_strdup(in->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static enum rr_status times(const struct in *in, const cJSON *node, int64_t count, int64_t *v)
{
    return __builtin_mul_overflow(*v, count, v) ? fail(in, node, "the amount does not fit") : RR_OK;
}

static enum rr_status read_reserved(const struct in *in, const cJSON *node)
{
    struct row r = {.source = "aws ec2 describe-reserved-instances"};
    const char *id, *type, *n, *end = text(in, node, "End");
    int64_t count, each;
    if (strcmp(text(in, node, "State"), "active") != 0) {
        in->found->left_out++;
        return RR_OK;
    }
    (void)end;
    RR_TRY(need(in, node, "ReservedInstancesId", &id));
    RR_TRY(need(in, node, "InstanceType", &type));
    RR_TRY(need(in, node, "InstanceCount", &n));
    if (rr_text_i64(rr_slice(n, strlen(n)), &count) != RR_OK || count < 1) return fail(in, node, "\"InstanceCount\" is no count");
    RR_TRY(date(in, node, "Start", &r.from));
    RR_TRY(date(in, node, "End", &r.to));
    RR_TRY(need(in, node, "CurrencyCode", &r.currency));
    RR_TRY(nano(in, node, text(in, node, "FixedPrice"), &r.upfront_nano));
    RR_TRY(nano(in, node, text(in, node, "UsagePrice"), &r.hourly_nano));
    const cJSON *charges = rr_json_member(node, "RecurringCharges");
    for (const cJSON *c = charges ? charges->child : NULL; c; c = c->next) {
        if (strcmp(text(in, c, "Frequency"), "Hourly") != 0) return fail(in, c, "a \"Frequency\" that is not Hourly");
        RR_TRY(nano(in, c, text(in, c, "Amount"), &each));
        r.hourly_nano += each;
    }
    RR_TRY(times(in, node, count, &r.upfront_nano));
    RR_TRY(times(in, node, count, &r.hourly_nano));
    r.name = rr_strf(in->arena, "%lld x %s %s", (long long)count, type, id);
    r.instance = rr_strf(in->arena, "aws/%s", type);
    r.count = count;
    const char *zone = text(in, node, "AvailabilityZone"); // of a zonal one; the command line prints no region
    const size_t n_zone = strlen(zone);
    r.region = n_zone > 1 ? rr_strndup(in->arena, zone, n_zone - 1) : "";
    put_row(in, &r);
    return RR_OK;
}

static enum rr_status read_savings_plan(const struct in *in, const cJSON *node)
{
    struct row r = {.source = "aws savingsplans describe-savings-plans"};
    const char *id;
    if (strcmp(text(in, node, "state"), "active") != 0) {
        in->found->left_out++;
        return RR_OK;
    }
    RR_TRY(need(in, node, "savingsPlanId", &id));
    RR_TRY(date(in, node, "start", &r.from));
    RR_TRY(date(in, node, "end", &r.to));
    RR_TRY(need(in, node, "currency", &r.currency));
    RR_TRY(nano(in, node, text(in, node, "upfrontPaymentAmount"), &r.upfront_nano));
    RR_TRY(nano(in, node, text(in, node, "recurringPaymentAmount"), &r.hourly_nano));
    r.name = rr_strf(in->arena, "savings plan %s", id);
    put_row(in, &r);
    return RR_OK;
}

static enum rr_status read_list(const struct in *in, const cJSON *root)
{
    const cJSON *reserved = rr_json_member(root, "ReservedInstances"), *plans = rr_json_member(root, "savingsPlans");
    if (!cJSON_IsArray(reserved) && !cJSON_IsArray(plans))
        return fail(in, root,
                    "neither \"ReservedInstances\" nor \"savingsPlans\": what `aws ec2 describe-reserved-instances` or `aws savingsplans "
                    "describe-savings-plans` prints as JSON is expected");
    for (const cJSON *m = reserved ? reserved->child : NULL; m; m = m->next) RR_TRY(read_reserved(in, m));
    for (const cJSON *m = plans ? plans->child : NULL; m; m = m->next) RR_TRY(read_savings_plan(in, m));
    return RR_OK;
}

enum rr_status rr_commitments_import(const char *path, struct rr_arena *a, struct rr_buf *b, struct rr_commitments_found *ret)
{
    struct in in = {.json = rr_json_create(), .arena = a, .out = b, .found = ret};
    cJSON *root = NULL;
    enum rr_status st = rr_json_read(in.json, path, &root);
    if (st == RR_OK) st = read_list(&in, root);
    cJSON_Delete(root);
    rr_json_free(in.json);
    return st;
}
