/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/focus.c - bill.focus.csv: the charges of every alternative as a FOCUS 1.2 bill, each alternative a billing account of its own.
 *
 * A charge is one row, but for two: what is paid at another time than it is used (own machines, commitments) is a Purchase row of the cash
 * and Usage rows of the accrual; and the effective cost of a commitment is shared over what it paid for (Used) and what nobody used
 * (Unused), to the micro-unit. Over all rows of an account billed is cash.total and effective is cost.total, exactly.
 *
 * List and contracted cost are price x quantity; a price that a charge does not have is its cost over its quantity. Null is an empty cell. */
#include "reports/focus.h"
#include "data/focus.h"
#include "reports/csv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXTRA = 9 };
static const char *const extra[EXTRA] = {
    "x_Alternative", "x_Scenario", "x_Seed", "x_Pool", "x_ChargeType", "x_ChargeLine", "x_GpuCount", "x_GpuHours", "x_CostAfterHorizon"};

/* One row. Texts that are NULL and numbers that are NaN are null. */
struct bill_row {
    const char *text[RR_FOCUS_COLUMNS];
    struct rr_money billed, effective, after;
    double quantity, list_price, price; /* NaN quantity: no prices, all costs equal billed */
    double consumed, committed;         /* ConsumedQuantity, CommitmentDiscountQuantity; NaN = null */
    int64_t from_us, to_us, month_us;   /* epoch; month_us lies in the billing period */
    const struct rr_charge *charge;
    int pool;
    double gpu_hours; /* NaN = null */
};

struct writer {
    const struct rr_store *s;
    const struct rr_alternative *a;
    struct rr_cells cells;
    struct rr_arena *arena; /* emptied after each alternative */
    struct rr_arena *names; /* of this alternative */
    const char *account;
    enum rr_status (*each)(void *ctx, const struct rr_focus_line *line); /* NULL: into cells */
    void *ctx;
    enum rr_status status; /* of each; the first that failed stays */
    int64_t *gpus;         /* [n_pools] GPUs of a node, 0 = not known or not alike */
};

/* ---- words ---- */

static const struct {
    const char *id, *provider, *service; /* the id before the "/" of an instance */
} providers[] = {{"aws", "AWS", "Amazon Elastic Compute Cloud"},
                 {"azure", "Microsoft", "Virtual Machines"},
                 {"gcp", "Google Cloud", "Compute Engine"},
                 {"aliyun", "Alibaba Cloud", "Elastic Compute Service"},
                 {"alibaba", "Alibaba Cloud", "Elastic Compute Service"},
                 {"tencent", "Tencent Cloud", "Cloud Virtual Machine"},
                 {"huawei", "Huawei Cloud", "Elastic Cloud Server"}};

static const struct {
    const char *type, *category, *subcategory, *service;
} services[] = {
    {"storage", "Storage", "Other (Storage)", "Storage"},           {"transfer", "Networking", "Network Connectivity", "Data Transfer"},
    {"network", "Networking", "Network Infrastructure", "Network"}, {"requests", "Storage", "Object Storage", "Requests"},
    {"keys", "Security", "Other (Security)", "Key Management"},     {"support", "Management and Governance", "Support", "Support"},
    {"serverless", "Compute", "Serverless Compute", NULL},          {"owned", "Compute", "Other (Compute)", "Own machines"}};

static const struct {
    const char *ours, *focus;
} units[] = {{"node-hour", "Hours"},
             {"hour", "Hours"},
             {"GPU-hour", "GPU-Hours"},
             {"GPU-second", "GPU-Seconds"},
             {"month", "Months"},
             {"kWh", "kWh"},
             {"kW-month", "kW-Months"},
             {"node-month", "Node-Months"},
             {"node-year", "Node-Years"},
             {"person-year", "Person-Years"},
             {"year", "Years"},
             {"GB-month", "GB-Months"},
             {"GB", "GB"},
             {"request", "Requests"},
             {"call", "Requests"}};

/* Hours are those of rented machines: what bills are turned into demand by. */
static const char *unit_of(const struct rr_charge *c, const char *ours)
{
    if (c->pricing == RR_PRICING_OTHER && strcmp(ours, "node-hour") == 0) return "Node-Hours";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].ours, ours) == 0) return units[i].focus;
    return *ours ? ours : "Units";
}

static const char *what_of(const struct writer *w, int pool)
{
    return pool >= 0 && (size_t)pool < w->a->n_pools ? w->a->pool[pool].what : "";
}

/* "aws/p5.48xlarge, us-east-1": the pool of that instance which a charge without a pool is nearest to, for the provider's name. */
static int cloud_pool(const struct writer *w, const struct rr_charge *c)
{
    if (c->pool >= 0) return c->pool;
    for (size_t i = 0; c->commitment && *c->commitment && i < w->a->n_covers; i++)
        if (w->a->cover[i].pool >= 0 && strcmp(w->a->cover[i].commitment, c->commitment) == 0) return w->a->cover[i].pool;
    for (size_t i = 0; i < w->a->n_pools; i++)
        if (strchr(w->a->pool[i].what, '/')) return (int)i;
    return -1;
}

static void put_provider(const struct writer *w, struct bill_row *r, int pool)
{
    const char *what = what_of(w, pool), *slash = strchr(what, '/');
    const char *name = "Own", *service = "Own machines";
    if (slash && strcmp(r->charge->type, "owned") != 0) {
        name = service = rr_strndup(w->arena, what, (size_t)(slash - what));
        for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
            if (strcmp(name, providers[i].id) == 0) {
                service = providers[i].service;
                name = providers[i].provider;
                break;
            }
    } else if (strcmp(r->charge->type, "owned") != 0) {
        name = service = "Simulated";
    }
    r->text[RR_FOCUS_ProviderName] = r->text[RR_FOCUS_PublisherName] = r->text[RR_FOCUS_InvoiceIssuerName] = name;
    r->text[RR_FOCUS_ServiceName] = service;
}

static void put_service(struct bill_row *r)
{
    r->text[RR_FOCUS_ServiceCategory] = "Compute";
    r->text[RR_FOCUS_ServiceSubcategory] = "Virtual Machines";
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (strcmp(services[i].type, r->charge->type) != 0) continue;
        r->text[RR_FOCUS_ServiceCategory] = services[i].category;
        r->text[RR_FOCUS_ServiceSubcategory] = services[i].subcategory;
        if (services[i].service) r->text[RR_FOCUS_ServiceName] = services[i].service;
    }
}

static bool is_compute(const struct rr_charge *c) { return strcmp(c->line, "compute") == 0 || c->pricing == RR_PRICING_COMMITTED; }

/* ---- what all rows have ---- */

static void put_place(const struct writer *w, struct bill_row *r, int pool)
{
    const char *what = what_of(w, pool), *comma = strstr(what, ", ");
    if (strchr(what, '/') && comma) r->text[RR_FOCUS_RegionId] = r->text[RR_FOCUS_RegionName] = comma + 2;
}

static void put_sku(const struct writer *w, struct bill_row *r, int pool, const char *how)
{
    const char *what = what_of(w, pool), *comma = strstr(what, ", ");
    const char *instance = comma ? rr_strndup(w->arena, what, (size_t)(comma - what)) : what;
    const char *sku = is_compute(r->charge) && *instance ? instance : r->charge->line;
    r->text[RR_FOCUS_SkuId] = sku;
    r->text[RR_FOCUS_SkuMeter] = r->charge->line;
    r->text[RR_FOCUS_SkuPriceId] = rr_strf(w->arena, "%s/%s", sku, how);
    if (!is_compute(r->charge) || !*instance) return;
    struct rr_buf b = {0};
    rr_buf_puts(&b, "{\"InstanceType\": ");
    const char *slash = strchr(instance, '/');
    rr_buf_json(&b, slash ? slash + 1 : instance);
    if (w->gpus[pool] > 0) rr_buf_putf(&b, ", \"GpuCount\": %d", (int)w->gpus[pool]);
    rr_buf_puts(&b, "}");
    r->text[RR_FOCUS_SkuPriceDetails] = rr_strdup(w->arena, rr_buf_text(&b));
    rr_buf_done(&b);
}

static struct bill_row row_of(const struct writer *w, const struct rr_charge *c, int pool)
{
    struct bill_row r = {.charge = c,
                         .pool = pool,
                         .quantity = NAN,
                         .list_price = NAN,
                         .price = NAN,
                         .consumed = NAN,
                         .committed = NAN,
                         .gpu_hours = NAN,
                         .from_us = w->s->start_us + c->from_us,
                         .to_us = w->s->start_us + c->to_us};
    const int near = pool >= 0 ? pool : cloud_pool(w, c);
    r.month_us = r.from_us;
    put_provider(w, &r, near);
    put_service(&r);
    put_place(w, &r, near);
    r.text[RR_FOCUS_ChargeCategory] = "Usage";
    r.text[RR_FOCUS_ChargeFrequency] = "Usage-Based";
    r.text[RR_FOCUS_PricingUnit] = unit_of(c, c->unit ? c->unit : "");
    if (pool >= 0) {
        r.text[RR_FOCUS_ResourceId] = rr_strf(w->arena, "%s/%s", w->account, w->a->pool[pool].name);
        r.text[RR_FOCUS_ResourceName] = w->a->pool[pool].name;
        r.text[RR_FOCUS_ResourceType] = "Pool of machines";
    }
    return r;
}

/* ---- writing ---- */

static const char *time_text(const struct writer *w, int64_t epoch_us)
{
    const struct rr_civil c = rr_civil_of(epoch_us);
    return rr_strf(w->arena, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)c.year, c.month, c.day, c.hour, c.minute, c.second);
}

static void put_period(const struct writer *w, struct bill_row *r)
{
    struct rr_civil c = rr_civil_of(r->month_us);
    c = (struct rr_civil){.year = c.year, .month = c.month, .day = 1};
    r->text[RR_FOCUS_BillingPeriodStart] = time_text(w, rr_epoch_of(c));
    c.year += c.month == 12;
    c.month = c.month % 12 + 1;
    r->text[RR_FOCUS_BillingPeriodEnd] = time_text(w, rr_epoch_of(c));
    r->text[RR_FOCUS_ChargePeriodStart] = time_text(w, r->from_us);
    r->text[RR_FOCUS_ChargePeriodEnd] = time_text(w, r->to_us > r->from_us + RR_S ? r->to_us : r->from_us + RR_S);
}

/* The shortest digits that are the same double, plain, whatever the locale. */
static void put_decimal(struct rr_cells *c, double v)
{
    char text[RR_DOUBLE_MAX];
    rr_i128 exact = 0;
    if (isnan(v))
        rr_out_text(c, NULL);
    else if (rr_focus_decimal(rr_slice(text, strlen(rr_double_text(v, text))), &exact) == RR_OK)
        rr_out_scaled(c, exact, RR_FOCUS_DIGITS);
    else
        rr_out_scaled(c, (__int128)v, 0); // past 10^16: "1e+17"
}

static double cost_at(const struct bill_row *r, double price)
{
    return isnan(r->quantity) ? rr_money_double(r->billed) : price * r->quantity;
}

static void put_cell(struct writer *w, const struct bill_row *r, enum rr_focus_column k)
{
    switch (k) {
    case RR_FOCUS_BilledCost: rr_out_scaled(&w->cells, r->billed.micro, 6); return;
    case RR_FOCUS_EffectiveCost: rr_out_scaled(&w->cells, r->effective.micro, 6); return;
    case RR_FOCUS_ListCost: put_decimal(&w->cells, cost_at(r, r->list_price)); return;
    case RR_FOCUS_ContractedCost: put_decimal(&w->cells, cost_at(r, r->price)); return;
    case RR_FOCUS_PricingQuantity: put_decimal(&w->cells, r->quantity); return;
    case RR_FOCUS_ListUnitPrice: put_decimal(&w->cells, r->list_price); return;
    case RR_FOCUS_ContractedUnitPrice: put_decimal(&w->cells, r->price); return;
    case RR_FOCUS_ConsumedQuantity: put_decimal(&w->cells, r->consumed); return;
    case RR_FOCUS_CommitmentDiscountQuantity: put_decimal(&w->cells, r->committed); return;
    default: rr_out_text(&w->cells, r->text[k] ? r->text[k] : "");
    }
}

static void put_extra(struct writer *w, const struct bill_row *r)
{
    rr_out_text(&w->cells, w->a->name);
    rr_out_text(&w->cells, w->s->name);
    rr_out_scaled(&w->cells, w->s->seed, 0);
    rr_out_text(&w->cells, r->pool >= 0 ? w->a->pool[r->pool].name : "");
    rr_out_text(&w->cells, r->charge->type);
    rr_out_text(&w->cells, r->charge->line);
    if (r->pool >= 0 && w->gpus[r->pool] > 0 && is_compute(r->charge))
        rr_out_scaled(&w->cells, w->gpus[r->pool], 0);
    else
        rr_out_text(&w->cells, "");
    put_decimal(&w->cells, r->gpu_hours);
    rr_out_scaled(&w->cells, r->after.micro, 6);
}

/* Columns that a bill in one currency has no use for. */
static bool is_left_out(enum rr_focus_column k)
{
    return k == RR_FOCUS_PricingCurrency || k == RR_FOCUS_PricingCurrencyContractedUnitPrice ||
           k == RR_FOCUS_PricingCurrencyEffectiveCost || k == RR_FOCUS_PricingCurrencyListUnitPrice;
}

static const char *or_empty(const char *s) { return s ? s : ""; }

static void tell_line(struct writer *w, const struct bill_row *r)
{
    if (w->status != RR_OK) return;
    const struct rr_focus_line line = {.alternative = w->a->name,
                                       .provider = or_empty(r->text[RR_FOCUS_ProviderName]),
                                       .service = or_empty(r->text[RR_FOCUS_ServiceName]),
                                       .category = or_empty(r->text[RR_FOCUS_ServiceCategory]),
                                       .region = or_empty(r->text[RR_FOCUS_RegionId]),
                                       .month_us = r->month_us,
                                       .billed = r->billed,
                                       .effective = r->effective};
    w->status = w->each(w->ctx, &line);
}

static void put_row(struct writer *w, struct bill_row *r)
{
    if (w->each) {
        tell_line(w, r);
        return;
    }
    put_period(w, r);
    r->text[RR_FOCUS_BillingAccountId] = w->account;
    r->text[RR_FOCUS_BillingAccountName] = w->a->name;
    r->text[RR_FOCUS_BillingAccountType] = "Alternative";
    r->text[RR_FOCUS_BillingCurrency] = w->s->currency;
    r->text[RR_FOCUS_Tags] = "{}";
    if (isnan(r->consumed)) r->text[RR_FOCUS_ConsumedUnit] = NULL;
    if (isnan(r->quantity)) r->text[RR_FOCUS_PricingUnit] = NULL;
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++)
        if (!is_left_out((enum rr_focus_column)k)) put_cell(w, r, (enum rr_focus_column)k);
    put_extra(w, r);
    rr_out_row(&w->cells);
}

/* ---- prices ---- */

static double nano(int64_t n) { return (double)n / 1e9; }

/* Quantity and prices of a cost that a charge states; its own rate where that gives the cost. */
static void put_prices(struct bill_row *r, double quantity, struct rr_money cost)
{
    const struct rr_charge *c = r->charge;
    const double money = rr_money_double(cost);
    if (!(quantity > 0)) {
        quantity = cost.micro < 0 ? -1 : 1;
        r->text[RR_FOCUS_PricingUnit] = "Units";
    }
    r->quantity = quantity;
    r->price = r->list_price = money / quantity;
    if (c->rate.nano <= 0 || fabs(nano(c->rate.nano) * quantity - money) > 1e-6 + 1e-9 * fabs(money)) return;
    r->price = r->list_price = nano(c->rate.nano);
    if (c->list_nano > 0) r->list_price = nano(c->list_nano);
}

static const char *category_of(enum rr_pricing p)
{
    static const char *const word[] = {[RR_PRICING_STANDARD] = "Standard",
                                       [RR_PRICING_DYNAMIC] = "Dynamic",
                                       [RR_PRICING_COMMITTED] = "Committed",
                                       [RR_PRICING_OTHER] = "Other"};
    return word[p];
}

static const char *describe(const struct writer *w, const struct bill_row *r, const char *what)
{
    const char *pool = r->pool >= 0 ? w->a->pool[r->pool].name : "", *commitment = r->charge->commitment ? r->charge->commitment : "";
    return rr_strf(w->arena, "%s%s%s%s%s: %s", r->charge->type, *commitment ? " " : "", commitment, *pool ? ", pool " : "", pool, what);
}

/* ---- rows of a charge ---- */

static bool has_commitment(const struct rr_charge *c) { return c->commitment && *c->commitment; }

static void name_commitment(const struct writer *w, struct bill_row *r)
{
    const char *name = r->charge->commitment;
    const bool spend = strcmp(r->charge->type, "savings_plan") == 0;
    r->text[RR_FOCUS_CommitmentDiscountId] = rr_strf(w->arena, "%s/%s", w->account, name);
    r->text[RR_FOCUS_CommitmentDiscountName] = name;
    r->text[RR_FOCUS_CommitmentDiscountCategory] = spend ? "Spend" : "Usage";
    r->text[RR_FOCUS_CommitmentDiscountType] = r->charge->type;
    r->text[RR_FOCUS_CommitmentDiscountUnit] = spend ? w->s->currency : "Hours";
}

static void be_commitment(struct bill_row *r)
{
    r->text[RR_FOCUS_ResourceId] = r->text[RR_FOCUS_CommitmentDiscountId];
    r->text[RR_FOCUS_ResourceName] = r->text[RR_FOCUS_CommitmentDiscountName];
    r->text[RR_FOCUS_ResourceType] = "Commitment";
}

/* Cash that falls into another time than what it pays for. */
static void put_purchase(struct writer *w, const struct rr_charge *c, double committed)
{
    struct bill_row r = row_of(w, c, c->pool);
    const bool recurring = c->due_us > c->from_us && c->due_us <= c->to_us;
    if (!recurring && c->due_us != c->from_us) {
        r.from_us = r.month_us = w->s->start_us + c->due_us;
        r.to_us = r.from_us + RR_D;
    } else if (c->until_us > c->to_us) {
        r.to_us = w->s->start_us + c->until_us;
    }
    r.text[RR_FOCUS_ChargeCategory] = "Purchase";
    r.text[RR_FOCUS_ChargeFrequency] = recurring ? "Recurring" : "One-Time";
    r.text[RR_FOCUS_PricingCategory] = "Standard";
    r.text[RR_FOCUS_PricingUnit] = "Units";
    r.billed = c->billed;
    r.quantity = c->billed.micro < 0 ? -1 : 1;
    r.price = r.list_price = fabs(rr_money_double(c->billed));
    if (has_commitment(c)) {
        name_commitment(w, &r);
        be_commitment(&r);
        r.committed = committed;
    }
    put_sku(w, &r, cloud_pool(w, c), "purchase");
    r.text[RR_FOCUS_ChargeDescription] = describe(w, &r, rr_strf(w->arena, "%s, paid", c->line));
    put_row(w, &r);
}

static void put_credit(struct writer *w, const struct rr_charge *c)
{
    struct bill_row r = row_of(w, c, c->pool);
    r.text[RR_FOCUS_ChargeCategory] = "Credit";
    r.text[RR_FOCUS_ChargeFrequency] = "One-Time";
    r.billed = c->billed;
    r.effective = c->effective;
    r.after = c->after_horizon;
    r.text[RR_FOCUS_ChargeDescription] = describe(w, &r, c->line);
    put_row(w, &r);
}

static double gpu_hours_of(const struct writer *w, const struct bill_row *r)
{
    if (!is_compute(r->charge) || r->pool < 0) return (double)NAN;
    if (r->charge->unit && strcmp(r->charge->unit, "GPU-hour") == 0) return r->quantity;
    return w->gpus[r->pool] > 0 ? r->quantity * (double)w->gpus[r->pool] : (double)NAN;
}

/* `billed` of it; 0 when a purchase row has it. */
static void put_usage(struct writer *w, const struct rr_charge *c, struct rr_money billed, struct rr_money priced)
{
    struct bill_row r = row_of(w, c, c->pool);
    r.billed = billed;
    r.effective = c->effective;
    r.after = c->after_horizon;
    r.text[RR_FOCUS_PricingCategory] = category_of(c->pricing);
    put_prices(&r, c->quantity, priced);
    r.consumed = r.quantity;
    r.text[RR_FOCUS_ConsumedUnit] = r.text[RR_FOCUS_PricingUnit];
    if (c->pricing == RR_PRICING_COMMITTED && has_commitment(c)) {
        name_commitment(w, &r);
        r.text[RR_FOCUS_CommitmentDiscountStatus] = c->pool >= 0 ? "Used" : "Unused";
        r.committed = r.quantity;
        if (c->pool < 0) {
            be_commitment(&r);
            r.consumed = (double)NAN;
        }
    }
    put_sku(w, &r, cloud_pool(w, c), category_of(c->pricing));
    r.gpu_hours = gpu_hours_of(w, &r);
    r.text[RR_FOCUS_ChargeDescription] = describe(w, &r, c->line);
    put_row(w, &r);
}

/* ---- commitments: effective cost by what it paid for ---- */

struct shared { /* the records of one commitment and time */
    size_t first, n;
    struct rr_money effective;
    const struct rr_charge *charge; /* one of those that it shares */
    double quantity;
};

static size_t group_covers(const struct writer *w, struct shared *g)
{
    size_t n = 0;
    for (size_t i = 0; i < w->a->n_covers; i++) {
        const struct rr_cover *c = &w->a->cover[i], *last = n ? &w->a->cover[g[n - 1].first] : NULL;
        if (!last || strcmp(last->commitment, c->commitment) != 0 || last->from_us != c->from_us) g[n++] = (struct shared){.first = i};
        g[n - 1].n++;
        g[n - 1].quantity += c->quantity;
    }
    return n;
}

static struct shared *group_of(const struct writer *w, struct shared *g, size_t n, const struct rr_charge *c)
{
    if (!has_commitment(c) || c->pricing != RR_PRICING_COMMITTED) return NULL;
    for (size_t i = 0; i < n; i++) {
        const struct rr_cover *x = &w->a->cover[g[i].first];
        if (strcmp(x->commitment, c->commitment) == 0 && x->from_us <= c->from_us && c->to_us <= x->to_us) return &g[i];
    }
    return NULL;
}

/* What a machine-hour costs on the list that the commitment stands against. */
static void price_cover(const struct writer *w, const struct shared *g, const struct rr_cover *x, struct bill_row *r)
{
    const struct rr_cover *priced = x;
    for (size_t i = 0; i < g->n && priced->rate.nano <= 0; i++) priced = &w->a->cover[g->first + i];
    const double effective = rr_money_double(r->effective);
    r->quantity = x->quantity > 0 ? x->quantity : 1;
    r->price = r->list_price = priced->rate.nano > 0 ? nano(priced->rate.nano) : fabs(effective / r->quantity);
    if (priced->list_nano > 0) r->list_price = nano(priced->list_nano);
}

static void put_cover(struct writer *w, const struct shared *g, const struct rr_cover *x, struct rr_money effective)
{
    struct bill_row r = row_of(w, g->charge, x->pool);
    r.from_us = r.month_us = w->s->start_us + x->from_us;
    r.to_us = w->s->start_us + x->to_us;
    r.effective = effective;
    name_commitment(w, &r);
    r.text[RR_FOCUS_PricingCategory] = "Committed";
    r.text[RR_FOCUS_PricingUnit] = unit_of(g->charge, x->unit);
    r.text[RR_FOCUS_CommitmentDiscountStatus] = x->pool >= 0 ? "Used" : "Unused";
    price_cover(w, g, x, &r);
    r.committed = strcmp(r.text[RR_FOCUS_CommitmentDiscountCategory], "Spend") == 0 ? rr_money_double(effective) : r.quantity;
    if (x->pool >= 0) {
        r.consumed = r.quantity;
        r.text[RR_FOCUS_ConsumedUnit] = r.text[RR_FOCUS_PricingUnit];
        r.gpu_hours = gpu_hours_of(w, &r);
    } else {
        be_commitment(&r);
    }
    put_sku(w, &r, x->pool >= 0 ? x->pool : cloud_pool(w, g->charge), "Committed");
    r.text[RR_FOCUS_ChargeDescription] = describe(w, &r, x->pool >= 0 ? "usage that it pays for" : "not used");
    put_row(w, &r);
}

static void put_shared(struct writer *w, const struct shared *g)
{
    const struct rr_cover *x = &w->a->cover[g->first];
    rr_i128 *weight = RR_NEWS(w->arena, rr_i128, g->n), sum = 0;
    struct rr_money *part = RR_NEWS(w->arena, struct rr_money, g->n);
    for (size_t i = 0; i < g->n; i++) sum += weight[i] = x[i].part > 0 ? x[i].part : 0;
    if (sum == 0) weight[g->n - 1] = 1;
    rr_money_split(g->effective, weight, g->n, part);
    for (size_t i = 0; i < g->n; i++)
        if (x[i].quantity > 0 || part[i].micro != 0) put_cover(w, g, &x[i], part[i]);
}

/* Of the whole term, from what this part of it accrues. */
static double committed_by(const struct rr_charge *c, const struct shared *g)
{
    const double here = g && g->quantity > 0 ? g->quantity : c->quantity > 0 ? c->quantity : 1;
    return c->effective.micro > 0 ? here * rr_money_double(c->billed) / rr_money_double(c->effective) : here;
}

static void put_charge(struct writer *w, const struct rr_charge *c, struct shared *group, size_t n_groups)
{
    struct shared *g = group_of(w, group, n_groups, c);
    const bool apart = c->pricing == RR_PRICING_COMMITTED || c->pricing == RR_PRICING_OTHER;
    if (g) {
        g->charge = c;
        g->effective.micro += c->effective.micro; // within the total, which fits
        if (c->billed.micro != 0) put_purchase(w, c, committed_by(c, g));
        return;
    }
    if (c->billed.micro == c->effective.micro && c->billed.micro < 0) {
        put_credit(w, c);
    } else if (apart && (c->billed.micro != c->effective.micro || has_commitment(c))) {
        if (c->billed.micro != 0) put_purchase(w, c, committed_by(c, NULL));
        if (c->effective.micro != 0) put_usage(w, c, (struct rr_money){0}, c->effective);
    } else {
        put_usage(w, c, c->billed, c->billed);
    }
}

/* ---- the whole ---- */

static void find_gpus(struct writer *w)
{
    w->gpus = RR_NEWS(w->names, int64_t, w->a->n_pools + 1);
    for (size_t i = 0; w->a->node_gpus && i < w->a->n_leases; i++) {
        const struct rr_lease *l = &w->a->lease[i];
        if (l->pool >= w->a->n_pools || w->gpus[l->pool] < 0) continue;
        const int64_t gpus = w->a->node_gpus[l->node];
        w->gpus[l->pool] = w->gpus[l->pool] == 0 || w->gpus[l->pool] == gpus ? gpus : -1;
    }
}

static void put_alternative(struct writer *w)
{
    w->account = rr_strf(w->names, "%s/%s", w->s->name, w->a->name);
    find_gpus(w);
    struct shared *group = RR_NEWS(w->names, struct shared, w->a->n_covers + 1);
    const size_t n = group_covers(w, group);
    for (size_t i = 0; i < w->a->n_charges; i++) {
        put_charge(w, &w->a->charge[i], group, n);
        rr_arena_reset(w->arena);
    }
    for (size_t i = 0; i < n; i++) {
        if (group[i].charge) put_shared(w, &group[i]);
        rr_arena_reset(w->arena);
    }
}

static void put_header(struct rr_outfile *out)
{
    struct rr_buf b = {0};
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++)
        if (!is_left_out((enum rr_focus_column)k)) rr_buf_putf(&b, "%s%s", k ? "," : "", rr_focus_info[k].name);
    for (size_t i = 0; i < EXTRA; i++) rr_buf_putf(&b, ",%s", extra[i]);
    rr_buf_puts(&b, "\n");
    rr_outfile_put(out, rr_buf_text(&b), b.n);
    rr_buf_done(&b);
}

static enum rr_status check_store(const struct rr_store *s)
{
    if (s->summary_only) return rr_fail(RR_EINPUT, "a FOCUS bill needs the charges, which are in results.db: there is only results.json");
    if (s->anchored) return RR_OK;
    return rr_fail(RR_EINPUT, "a FOCUS bill needs a calendar: give the scenario a \"start\", such as \"2026-01-01\", and run it again");
}

static enum rr_status put_all(struct writer *w)
{
    w->arena = rr_arena_create();
    w->names = rr_arena_create();
    for (size_t i = 0; i < w->s->n_alternatives; i++) {
        w->a = &w->s->alternative[i];
        put_alternative(w);
        rr_arena_reset(w->names);
    }
    rr_arena_free(w->arena);
    rr_arena_free(w->names);
    return w->status;
}

enum rr_status rr_focus_write(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    (void)db_path;
    struct writer w = {.s = s, .cells = {out, true}};
    RR_TRY(check_store(s));
    put_header(out);
    return put_all(&w);
}

enum rr_status rr_focus_each(const struct rr_store *s, enum rr_status (*each)(void *ctx, const struct rr_focus_line *line), void *ctx)
{
    struct writer w = {.s = s, .each = each, .ctx = ctx};
    RR_TRY(check_store(s));
    return put_all(&w);
}
