/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/focus_check.c - a FOCUS file against the rules of its version, row by row. */
#include "data/base/csv.h"
#include "data/base/vec.h"
#include "data/focus.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEPT = 100 };

struct term { /* of one commitment */
    const char *id, *unit;
    rr_i128 purchased, accrued;
    int64_t from_us, to_us;           /* of its purchases */
    int64_t used_from_us, used_to_us; /* of its usage */
    bool bought, used;
    int64_t line;
};

struct checker {
    struct rr_arena *arena;
    struct rr_focus_report *report;
    int level; /* index into rr_focus_info.level */
    int at[RR_FOCUS_COLUMNS];
    struct rr_slice cell[RR_FOCUS_COLUMNS]; /* of this row; .at NULL: no such column */
    bool null[RR_FOCUS_COLUMNS];
    rr_i128 number[RR_FOCUS_COLUMNS];
    bool read[RR_FOCUS_COLUMNS]; /* number[] or time[] could be read */
    int64_t time[RR_FOCUS_COLUMNS];
    int64_t line;
    size_t found_before;
    struct rr_focus_finding kept[KEPT];
    RR_VEC(struct term) term;
};

static void find(struct checker *c, const char *column, const char *fmt, ...) RR_PRINTF(3, 4);
static void find(struct checker *c, const char *column, const char *fmt, ...)
{
    va_list args;
    char text[256];
    struct rr_focus_report *r = c->report;
    if (r->found++ >= KEPT) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->kept[r->n++] = (struct rr_focus_finding){c->line, rr_strdup(c->arena, column), rr_strdup(c->arena, text)};
}

static const char *name_of(enum rr_focus_column k) { return rr_focus_info[k].name; }
static bool has(const struct checker *c, enum rr_focus_column k) { return c->at[k] >= 0; }
static bool is(const struct checker *c, enum rr_focus_column k, const char *word) { return has(c, k) && rr_slice_is(c->cell[k], word); }

/* ---- header ---- */

static bool is_known(const struct checker *c, struct rr_slice name)
{
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++)
        if (rr_slice_is(name, rr_focus_info[k].name)) return rr_focus_info[k].level[c->level] != '-';
    return name.n > 2 && name.at[0] == 'x' && name.at[1] == '_';
}

static void check_header(struct checker *c, const struct rr_csv_row *row)
{
    c->line = row->line;
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++) {
        c->at[k] = rr_csv_find(row, rr_focus_info[k].name);
        if (c->at[k] < 0 && rr_focus_info[k].level[c->level] == 'M')
            find(c, rr_focus_info[k].name, "the column is missing: it is mandatory");
        if (rr_focus_info[k].level[c->level] == '-') c->at[k] = -1;
    }
    for (size_t i = 0; i < row->n; i++) {
        const struct rr_slice name = rr_trim(row->cell[i]);
        if (!is_known(c, name))
            find(c, rr_strndup(c->arena, name.at, name.n), "no column of this version; a column of one's own starts with \"x_\"");
        for (size_t k = 0; k < i; k++)
            if (rr_trim(row->cell[k]).n == name.n && memcmp(rr_trim(row->cell[k]).at, name.at, name.n) == 0)
                find(c, rr_strndup(c->arena, name.at, name.n), "the column stands twice in the header");
    }
}

/* ---- one cell ---- */

static void check_json(struct checker *c, enum rr_focus_column k)
{
    cJSON *o = cJSON_ParseWithLength(c->cell[k].at, c->cell[k].n);
    if (!cJSON_IsObject(o)) find(c, name_of(k), "no JSON object");
    for (const cJSON *m = cJSON_IsObject(o) ? o->child : NULL; m; m = m->next) {
        if (cJSON_IsObject(m) || cJSON_IsArray(m)) find(c, name_of(k), "the object is not flat: \"%.40s\" is no plain value", m->string);
        for (const cJSON *e = o->child; e != m; e = e->next)
            if (strcmp(e->string, m->string) == 0) find(c, name_of(k), "the key \"%.40s\" stands twice", m->string);
    }
    cJSON_Delete(o);
}

static void check_word(struct checker *c, enum rr_focus_column k)
{
    const char *const *words = rr_focus_words(k);
    for (size_t i = 0; words && words[i]; i++)
        if (rr_slice_is(c->cell[k], words[i])) return;
    if (words)
        find(c, name_of(k), "\"%.*s\" is not allowed: %s, ... (case counts)", (int)(c->cell[k].n < 40 ? c->cell[k].n : 40), c->cell[k].at,
             words[0]);
}

static void check_currency(struct checker *c, enum rr_focus_column k)
{
    const struct rr_slice s = c->cell[k];
    bool ok = s.n == 3;
    for (size_t i = 0; i < s.n; i++) ok &= s.at[i] >= 'A' && s.at[i] <= 'Z';
    if (!ok && k == RR_FOCUS_BillingCurrency) find(c, name_of(k), "\"%.*s\" is no code such as USD", (int)(s.n < 40 ? s.n : 40), s.at);
}

static void check_cell(struct checker *c, enum rr_focus_column k)
{
    switch (rr_focus_info[k].type) {
    case RR_FOCUS_TEXT: check_word(c, k); return;
    case RR_FOCUS_JSON: check_json(c, k); return;
    case RR_FOCUS_CURRENCY: check_currency(c, k); return;
    case RR_FOCUS_TIME:
        c->read[k] = rr_focus_time(c->cell[k], true, &c->time[k]) == RR_OK;
        if (!c->read[k]) find(c, name_of(k), "%s", rr_reason());
        return;
    case RR_FOCUS_DECIMAL:
    case RR_FOCUS_PRICE: break;
    }
    c->read[k] = rr_focus_decimal(c->cell[k], &c->number[k]) == RR_OK;
    if (!c->read[k])
        find(c, name_of(k), "%s", rr_reason());
    else if (rr_focus_info[k].type == RR_FOCUS_PRICE && c->number[k] < 0)
        find(c, name_of(k), "a unit price is negative");
}

/* ---- one row ---- */

static void check_null(struct checker *c, enum rr_focus_column k)
{
    const bool priced = is(c, RR_FOCUS_ChargeCategory, "Usage") || is(c, RR_FOCUS_ChargeCategory, "Purchase");
    const bool wants =
        rr_focus_info[k].null == RR_FOCUS_NEVER || (rr_focus_info[k].null == RR_FOCUS_PRICED && priced && c->null[RR_FOCUS_ChargeClass]);
    if (c->null[k] && wants)
        find(c, name_of(k), rr_focus_info[k].null == RR_FOCUS_NEVER ? "null is not allowed" : "null is not allowed on usage and purchases");
    if (!c->null[k] && rr_focus_info[k].null == RR_FOCUS_PRICED && is(c, RR_FOCUS_ChargeCategory, "Tax"))
        find(c, name_of(k), "must be null on taxes");
}

static const enum rr_focus_column together[][2] = {{RR_FOCUS_PricingUnit, RR_FOCUS_PricingQuantity},
                                                   {RR_FOCUS_ConsumedUnit, RR_FOCUS_ConsumedQuantity},
                                                   {RR_FOCUS_RegionName, RR_FOCUS_RegionId},
                                                   {RR_FOCUS_CommitmentDiscountCategory, RR_FOCUS_CommitmentDiscountId},
                                                   {RR_FOCUS_CommitmentDiscountType, RR_FOCUS_CommitmentDiscountId},
                                                   {RR_FOCUS_CommitmentDiscountUnit, RR_FOCUS_CommitmentDiscountQuantity},
                                                   {RR_FOCUS_CapacityReservationStatus, RR_FOCUS_CapacityReservationId},
                                                   {RR_FOCUS_ResourceType, RR_FOCUS_ResourceId},
                                                   {RR_FOCUS_SubAccountName, RR_FOCUS_SubAccountId},
                                                   {RR_FOCUS_SubAccountType, RR_FOCUS_SubAccountId},
                                                   {RR_FOCUS_SkuMeter, RR_FOCUS_SkuId}};

static void check_pairs(struct checker *c)
{
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        const enum rr_focus_column a = together[i][0], b = together[i][1];
        if (has(c, a) && has(c, b) && c->null[a] != c->null[b]) find(c, name_of(a), "must be null if and only if %s is", name_of(b));
    }
}

/* Cost = price x quantity, to 1e-6 of it and 1e-9. */
static void check_product(struct checker *c, enum rr_focus_column cost, enum rr_focus_column price)
{
    if (!c->read[cost] || !c->read[price] || !c->read[RR_FOCUS_PricingQuantity] || !c->null[RR_FOCUS_ChargeClass]) return;
    const double is_ = rr_focus_double(c->number[cost]);
    const double want = rr_focus_double(c->number[price]) * rr_focus_double(c->number[RR_FOCUS_PricingQuantity]);
    if (fabs(is_ - want) > 1e-6 * fabs(want) + 1e-9)
        find(c, name_of(cost), "%.12g is not %s x PricingQuantity, %.12g", is_, name_of(price), want);
}

static void check_costs(struct checker *c)
{
    static const enum rr_focus_column others[] = {RR_FOCUS_ListCost, RR_FOCUS_ContractedCost, RR_FOCUS_EffectiveCost};
    check_product(c, RR_FOCUS_ListCost, RR_FOCUS_ListUnitPrice);
    check_product(c, RR_FOCUS_ContractedCost, RR_FOCUS_ContractedUnitPrice);
    const bool alone = (is(c, RR_FOCUS_ChargeCategory, "Credit") || is(c, RR_FOCUS_ChargeCategory, "Adjustment")) &&
                       c->null[RR_FOCUS_ListUnitPrice] && c->null[RR_FOCUS_ContractedUnitPrice];
    for (size_t i = 0; alone && i < 3; i++)
        if (c->read[others[i]] && c->read[RR_FOCUS_BilledCost] && c->number[others[i]] != c->number[RR_FOCUS_BilledCost])
            find(c, name_of(others[i]), "must be BilledCost on a credit or adjustment without unit prices");
}

static void check_periods(struct checker *c)
{
    const bool charge = c->read[RR_FOCUS_ChargePeriodStart] && c->read[RR_FOCUS_ChargePeriodEnd];
    const bool bill = c->read[RR_FOCUS_BillingPeriodStart] && c->read[RR_FOCUS_BillingPeriodEnd];
    if (charge && c->time[RR_FOCUS_ChargePeriodStart] >= c->time[RR_FOCUS_ChargePeriodEnd])
        find(c, "ChargePeriodEnd", "is not behind ChargePeriodStart");
    if (bill && c->time[RR_FOCUS_BillingPeriodStart] >= c->time[RR_FOCUS_BillingPeriodEnd])
        find(c, "BillingPeriodEnd", "is not behind BillingPeriodStart");
    if (charge && bill &&
        (c->time[RR_FOCUS_ChargePeriodStart] >= c->time[RR_FOCUS_BillingPeriodEnd] ||
         c->time[RR_FOCUS_ChargePeriodEnd] <= c->time[RR_FOCUS_BillingPeriodStart]))
        find(c, "ChargePeriodStart", "the charge period lies outside the billing period");
}

static void check_commitment(struct checker *c)
{
    const bool usage = is(c, RR_FOCUS_ChargeCategory, "Usage"), unused = is(c, RR_FOCUS_CommitmentDiscountStatus, "Unused");
    if (has(c, RR_FOCUS_CommitmentDiscountId) && has(c, RR_FOCUS_CommitmentDiscountStatus)) {
        if (usage && !c->null[RR_FOCUS_CommitmentDiscountId] && c->null[RR_FOCUS_CommitmentDiscountStatus])
            find(c, "CommitmentDiscountStatus", "null is not allowed on usage with a CommitmentDiscountId");
        if (c->null[RR_FOCUS_CommitmentDiscountId] && !c->null[RR_FOCUS_CommitmentDiscountStatus])
            find(c, "CommitmentDiscountStatus", "must be null without a CommitmentDiscountId");
    }
    if (is(c, RR_FOCUS_ChargeCategory, "Purchase") && is(c, RR_FOCUS_ChargeFrequency, "Usage-Based"))
        find(c, "ChargeFrequency", "a purchase is not Usage-Based");
    if (has(c, RR_FOCUS_ConsumedQuantity) && !c->null[RR_FOCUS_ConsumedQuantity] && (!usage || unused))
        find(c, "ConsumedQuantity", unused ? "must be null on an unused commitment" : "must be null on what is no usage");
    if (!unused || !has(c, RR_FOCUS_ResourceId) || !has(c, RR_FOCUS_CommitmentDiscountId)) return;
    const struct rr_slice r = c->cell[RR_FOCUS_ResourceId], id = c->cell[RR_FOCUS_CommitmentDiscountId];
    if (r.n != id.n || memcmp(r.at, id.at, r.n) != 0) find(c, "ResourceId", "must be CommitmentDiscountId on an unused commitment");
}

static struct term *term_of(struct checker *c)
{
    const struct rr_slice id = c->cell[RR_FOCUS_CommitmentDiscountId];
    for (size_t i = 0; i < c->term.n; i++)
        if (rr_slice_is(id, c->term.at[i].id)) return &c->term.at[i];
    const struct term t = {.id = rr_strndup(c->arena, id.at, id.n), .line = c->line};
    rr_vec_push(&c->term, t);
    return &c->term.at[c->term.n - 1];
}

static void widen(bool *any, int64_t *from, int64_t *to, const struct checker *c)
{
    const int64_t a = c->time[RR_FOCUS_ChargePeriodStart], b = c->time[RR_FOCUS_ChargePeriodEnd];
    if (!*any || a < *from) *from = a;
    if (!*any || b > *to) *to = b;
    *any = true;
}

static void add_to_term(struct checker *c)
{
    if (!has(c, RR_FOCUS_CommitmentDiscountId) || c->null[RR_FOCUS_CommitmentDiscountId] || !c->read[RR_FOCUS_ChargePeriodStart] ||
        !c->read[RR_FOCUS_ChargePeriodEnd] || !c->read[RR_FOCUS_BilledCost] || !c->read[RR_FOCUS_EffectiveCost])
        return;
    struct term *t = term_of(c);
    if (is(c, RR_FOCUS_ChargeCategory, "Purchase")) {
        t->purchased += c->number[RR_FOCUS_BilledCost];
        widen(&t->bought, &t->from_us, &t->to_us, c);
    } else if (is(c, RR_FOCUS_ChargeCategory, "Usage")) {
        t->accrued += c->number[RR_FOCUS_EffectiveCost];
        widen(&t->used, &t->used_from_us, &t->used_to_us, c);
    }
}

static void check_terms(struct checker *c)
{
    for (size_t i = 0; i < c->term.n; i++) {
        const struct term *t = &c->term.at[i];
        if (!t->bought || !t->used || t->used_from_us > t->from_us || t->used_to_us < t->to_us) continue; // the file has a part of it
        const double bought = rr_focus_double(t->purchased), used = rr_focus_double(t->accrued);
        c->line = t->line;
        if (fabs(bought - used) > 1e-6 * fabs(bought) + 1e-6)
            find(c, "EffectiveCost", "commitment %.60s: used and unused come to %.12g over its term, purchased for %.12g", t->id, used,
                 bought);
    }
}

static void add_sums(struct checker *c)
{
    struct rr_focus_report *r = c->report;
    if (c->read[RR_FOCUS_ListCost]) r->list += c->number[RR_FOCUS_ListCost];
    if (c->read[RR_FOCUS_ContractedCost]) r->contracted += c->number[RR_FOCUS_ContractedCost];
    if (c->read[RR_FOCUS_EffectiveCost]) r->effective += c->number[RR_FOCUS_EffectiveCost];
    if (c->read[RR_FOCUS_BilledCost]) r->billed += c->number[RR_FOCUS_BilledCost];
}

static void check_row(struct checker *c, const struct rr_csv_row *row, size_t n_header)
{
    const size_t before = c->report->found;
    c->line = row->line;
    c->report->rows++;
    if (row->n != n_header) find(c, "", "%zu cells, the header has %zu", row->n, n_header);
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++) {
        const bool there = c->at[k] >= 0 && (size_t)c->at[k] < row->n;
        c->cell[k] = there ? row->cell[c->at[k]] : rr_slice("", 0);
        c->null[k] = rr_focus_is_null(c->cell[k]);
        c->read[k] = false;
    }
    for (int k = 0; k < RR_FOCUS_COLUMNS; k++) {
        if (!has(c, (enum rr_focus_column)k)) continue;
        check_null(c, (enum rr_focus_column)k);
        if (!c->null[k]) check_cell(c, (enum rr_focus_column)k);
    }
    check_pairs(c);
    check_costs(c);
    check_periods(c);
    check_commitment(c);
    add_to_term(c);
    add_sums(c);
    c->report->bad_rows += c->report->found > before;
}

/* ---- the file ---- */

static enum rr_status level_of(const char *version, int *ret)
{
    static const char *const known[] = {"1.0", "1.1", "1.2"};
    for (int i = 0; i < 3; i++)
        if (strcmp(version, known[i]) == 0) {
            *ret = i;
            return RR_OK;
        }
    return rr_fail(RR_EUSAGE, "FOCUS %s is not known here: 1.0, 1.1 or 1.2", version);
}

static enum rr_status check_all(struct checker *c, struct rr_csv *csv)
{
    struct rr_csv_row row;
    RR_TRY(rr_csv_next(csv, &row));
    if (row.n == 0) return rr_fail(RR_EINPUT, "%s: is empty; a header of FOCUS columns is expected", c->report->path);
    check_header(c, &row);
    if (!has(c, RR_FOCUS_BilledCost) && !has(c, RR_FOCUS_EffectiveCost))
        return rr_fail(RR_EINPUT, "%s:%lld: has neither BilledCost nor EffectiveCost: this is no FOCUS file", c->report->path,
                       (long long)row.line);
    for (const size_t n = row.n;;) {
        RR_TRY(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        check_row(c, &row, n);
    }
    check_terms(c);
    return RR_OK;
}

enum rr_status rr_focus_check(const char *path, const char *version, struct rr_arena *arena, struct rr_focus_report *ret)
{
    struct rr_csv *csv;
    struct rr_focus_report report = {.path = rr_strdup(arena, path)};
    struct checker *c = RR_NEW(arena, struct checker);
    *c = (struct checker){.arena = arena, .report = &report};
    RR_TRY(level_of(version, &c->level));
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
    const enum rr_status st = check_all(c, csv);
    rr_csv_close(csv);
    rr_vec_done(&c->term);
    report.finding = c->kept;
    if (st == RR_OK) *ret = report;
    return st;
}
