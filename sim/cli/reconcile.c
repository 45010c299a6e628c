/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/reconcile.c - `rackrate reconcile RESULT BILL...`: simulated against billed, by service, region and month.
 *
 * The months are those of the bill. Of a bill of several accounts --account takes some; a bill that rackrate wrote has one for each alternative,
 * and those of the others are left out. Explained is the share of the billed amount that the simulated lines meet: of each line the smaller of
 * the two, over what is billed. */
#include "sim/cli/result.h"
#include "data/base/time.h"
#include "data/base/vec.h"
#include "data/bill.h"
#include "reports/focus.h"
#include <stdlib.h>
#include <string.h>

static const struct rr_option options[] = {
    {0, "alternative", "NAME", false, "which of the result's alternatives is compared; needed when there are several"},
    {0, "account", "NAME", true, "only rows of this billing account or sub-account of the bill"},
    {0, "cost", "WHICH", false, "billed (default), as the invoice has it, or effective, with prepayments spread"},
    {0, "format", "NAME", false, "format of the bill (default auto): one of rackrate list bills"},
    {0, "max-rejected", "SHARE", false, "share of damaged rows of the bill past which it is refused (default 1 %)"},
    {0, "json", NULL, false, "print one JSON document"},
};

struct line {
    const char *account, *service, *region; /* account: of the bill's rows while they are read, then "" */
    int64_t month;                          /* year x 12 + month */
    rr_i128 simulated, billed;
    bool in_run, in_bill;
    uint32_t before; /* in its bucket, + 1 */
};
enum { BUCKETS = 1 << 14 };
struct books {
    struct rr_arena *arena;
    const char *alternative;
    bool effective;
    RR_VEC(struct line) line;
    uint32_t bucket[BUCKETS]; /* last line + 1 of those with that hash; 0 = none */
    const char **account;     /* of the bill: all of them */
    size_t n_accounts;
    const char *told;    /* of a bill of several accounts; or NULL */
    int64_t first, last; /* months of the bill */
    bool any;
    rr_i128 outside; /* simulated in other months */
    const char *currency;
};

static int64_t month_of(int64_t epoch_us)
{
    const struct rr_civil c = rr_civil_of(epoch_us);
    return c.year * 12 + c.month - 1;
}

static bool same_text(const char *a, const char *b) { return rr_slice_is_nocase(rr_slice(a, strlen(a)), b); }

/* Either case of letters alike, as same_text() has it. */
static uint32_t hash_of(uint32_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text)) * 16777619u;
    return (h ^ 255u) * 16777619u;
}

static struct line *line_of(struct books *b, const char *account, const char *service, const char *region, int64_t month)
{
    const uint32_t h = hash_of(hash_of(hash_of(2166136261u ^ (uint32_t)month, account), service), region) % BUCKETS;
    for (uint32_t i = b->bucket[h]; i > 0; i = b->line.at[i - 1].before) {
        struct line *l = &b->line.at[i - 1];
        if (l->month == month && strcmp(l->account, account) == 0 && same_text(l->service, service) && same_text(l->region, region))
            return l;
    }
    const struct line l = {.account = rr_strdup(b->arena, account),
                           .service = rr_strdup(b->arena, service),
                           .region = rr_strdup(b->arena, region),
                           .month = month,
                           .before = b->bucket[h]};
    rr_vec_push(&b->line, l);
    b->bucket[h] = (uint32_t)b->line.n;
    return &b->line.at[b->line.n - 1];
}

static enum rr_status take_bill(void *ctx, const struct rr_bill_row *row)
{
    struct books *b = ctx;
    const int64_t month = month_of(row->from_us);
    struct line *l = line_of(b, row->text[RR_BILL_account], row->text[RR_BILL_service], row->text[RR_BILL_region], month);
    l->billed += b->effective ? row->effective : row->billed;
    l->in_bill = true;
    return RR_OK;
}

static enum rr_status take_run(void *ctx, const struct rr_focus_line *x)
{
    struct books *b = ctx;
    const rr_i128 cost = (rr_i128)(b->effective ? x->effective.micro : x->billed.micro) * (RR_FOCUS_UNIT / 1000000);
    const int64_t month = month_of(x->month_us);
    if (strcmp(x->alternative, b->alternative) != 0) return RR_OK;
    if (month < b->first || month > b->last) {
        b->outside += cost;
        return RR_OK;
    }
    struct line *l = line_of(b, "", x->service, x->region, month);
    l->simulated += cost;
    l->in_run = true;
    return RR_OK;
}

/* ---- which accounts ---- */

static bool is_one_of(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void list_accounts(struct books *b)
{
    b->account = RR_NEWS(b->arena, const char *, b->line.n + 1);
    for (size_t i = 0; i < b->line.n; i++)
        if (!is_one_of(b->account, b->n_accounts, b->line.at[i].account)) b->account[b->n_accounts++] = b->line.at[i].account;
}

/* The lines of these accounts, added up without regard to them. */
static void keep_accounts(struct books *b, const char *const *account, size_t n)
{
    const size_t read = b->line.n;
    struct line *line = RR_NEWS(b->arena, struct line, read + 1);
    memcpy(line, b->line.at, read * sizeof *line);
    b->line.n = 0;
    memset(b->bucket, 0, sizeof b->bucket);
    for (size_t i = 0; i < read; i++) {
        if (!is_one_of(account, n, line[i].account)) continue;
        struct line *l = line_of(b, "", line[i].service, line[i].region, line[i].month);
        l->billed += line[i].billed;
        l->in_bill = true;
        if (!b->any || l->month < b->first) b->first = l->month;
        if (!b->any || l->month > b->last) b->last = l->month;
        b->any = true;
    }
}

/* Those of the bill but for the result's other alternatives, when the one that is compared is among them. */
static size_t without_others(const struct books *b, const struct rr_store *s, const char **ret)
{
    size_t n = 0;
    const bool ours = is_one_of(b->account, b->n_accounts, rr_strf(b->arena, "%s/%s", s->name, b->alternative));
    for (size_t i = 0; i < b->n_accounts; i++) {
        bool other = false;
        for (size_t k = 0; k < s->n_alternatives && ours; k++)
            other |= strcmp(s->alternative[k].name, b->alternative) != 0 &&
                     strcmp(rr_strf(b->arena, "%s/%s", s->name, s->alternative[k].name), b->account[i]) == 0;
        if (!other) ret[n++] = b->account[i];
    }
    return n;
}

static const char *joined(const struct books *b)
{
    const char *all = "";
    enum { SHOWN = 8 };
    for (size_t i = 0; i < b->n_accounts && i < SHOWN; i++) all = rr_strf(b->arena, "%s%s\"%s\"", all, i ? ", " : "", b->account[i]);
    return b->n_accounts > SHOWN ? rr_strf(b->arena, "%s and %zu more", all, b->n_accounts - SHOWN) : all;
}

static enum rr_status choose_accounts(const struct rr_args *args, const struct rr_store *s, struct books *b)
{
    const size_t option = rr_option_index(&rr_command_reconcile, "account"), n = args->n_values[option];
    const char *const *wanted = args->value[option];
    list_accounts(b);
    for (size_t k = 0; k < n; k++)
        if (!is_one_of(b->account, b->n_accounts, wanted[k]))
            return rr_fail(RR_EUSAGE, "reconcile: the bill has no account \"%s\"%s; there %s %s", wanted[k],
                           rr_did_you_mean(b->arena, wanted[k], b->account, b->n_accounts), b->n_accounts == 1 ? "is" : "are", joined(b));
    const char **kept = RR_NEWS(b->arena, const char *, b->n_accounts + 1);
    const size_t n_kept = n > 0 ? 0 : without_others(b, s, kept);
    keep_accounts(b, n > 0 ? wanted : kept, n > 0 ? n : n_kept);
    if (n == 0 && n_kept < b->n_accounts)
        b->told = rr_strf(b->arena, "Left out of the bill: %zu account%s of this result's other alternatives.\n", b->n_accounts - n_kept,
                          b->n_accounts - n_kept == 1 ? "" : "s");
    else if (n == 0 && n_kept > 1)
        b->told = rr_strf(b->arena, "All %zu accounts of the bill (--account takes some): %s.\n", n_kept, joined(b));
    return RR_OK;
}

/* ---- which alternative ---- */

static enum rr_status choose(const struct rr_store *s, const char *name, struct rr_arena *a, const char **ret)
{
    const char **names = RR_NEWS(a, const char *, s->n_alternatives), *all = "";
    for (size_t i = 0; i < s->n_alternatives; i++) {
        names[i] = s->alternative[i].name;
        all = rr_strf(a, "%s%s%s", all, i ? ", " : "", names[i]);
        if (name && strcmp(name, names[i]) == 0) *ret = names[i];
    }
    if (!name && s->n_alternatives == 1) *ret = names[0];
    if (*ret) return RR_OK;
    if (!name) return rr_fail(RR_EUSAGE, "reconcile: which alternative was billed? --alternative NAME, one of %s", all);
    return rr_fail(RR_EUSAGE, "reconcile: there is no alternative \"%s\"%s; there are %s", name,
                   rr_did_you_mean(a, name, names, s->n_alternatives), all);
}

/* ---- telling ---- */

struct sums {
    rr_i128 simulated, billed, met, only_run, only_bill;
};

static rr_i128 smaller(rr_i128 a, rr_i128 b) { return a < b ? a : b; }

static struct sums sums_of(const struct books *b)
{
    struct sums s = {0};
    for (size_t i = 0; i < b->line.n; i++) {
        const struct line *l = &b->line.at[i];
        s.simulated += l->simulated;
        s.billed += l->billed;
        if (l->simulated > 0 && l->billed > 0) s.met += smaller(l->simulated, l->billed);
        if (!l->in_bill) s.only_run += l->simulated;
        if (!l->in_run) s.only_bill += l->billed;
    }
    return s;
}

static double explained(const struct sums *s) { return s->billed > 0 ? (double)s->met / (double)s->billed : 0; }

static int compare(const void *x, const void *y)
{
    const struct line *a = x, *b = y;
    if (a->month != b->month) return a->month < b->month ? -1 : 1;
    const int c = strcmp(a->service, b->service);
    return c ? c : strcmp(a->region, b->region);
}

static const char *where_of(const struct line *l) { return l->in_run && l->in_bill ? "" : l->in_run ? "not billed" : "not simulated"; }

static const char *amount(const struct books *b, rr_i128 v)
{
    struct rr_buf text = {0};
    struct rr_money m = {0};
    if (rr_round_div(v, RR_FOCUS_UNIT / 1000000, &m.micro) == RR_OK)
        rr_buf_money(&text, m, b->currency, 2);
    else
        rr_buf_focus(&text, v);
    const char *kept = rr_strdup(b->arena, rr_buf_text(&text));
    rr_buf_done(&text);
    return kept;
}

static void put_share(struct rr_buf *b, rr_i128 difference, rr_i128 whole)
{
    if (whole == 0)
        rr_buf_putf(b, "%10s", "");
    else
        rr_buf_putf(b, "%+8.2f %%", 100 * (double)difference / (double)whole);
}

static void put_table(const struct books *k, struct rr_buf *b)
{
    int service = 7, region = 6;
    for (size_t i = 0; i < k->line.n; i++) {
        if ((int)strlen(k->line.at[i].service) > service) service = (int)strlen(k->line.at[i].service);
        if ((int)strlen(k->line.at[i].region) > region) region = (int)strlen(k->line.at[i].region);
    }
    rr_buf_putf(b, "%-7s  %-*s  %-*s  %16s  %16s  %16s\n", "month", service, "service", region, "region", "simulated", "billed",
                "difference");
    for (size_t i = 0; i < k->line.n; i++) {
        const struct line *l = &k->line.at[i];
        rr_buf_putf(b, "%04d-%02d  %-*s  %-*s  %16s  %16s  %16s", (int)(l->month / 12), (int)(l->month % 12) + 1, service, l->service,
                    region, l->region, amount(k, l->simulated), amount(k, l->billed), amount(k, l->simulated - l->billed));
        put_share(b, l->simulated - l->billed, l->billed);
        rr_buf_putf(b, "%s%s\n", *where_of(l) ? "  " : "", where_of(l));
    }
    const struct sums s = sums_of(k);
    rr_buf_putf(b, "\nSimulated %s, billed %s: %.1f %% of the bill is explained", amount(k, s.simulated), amount(k, s.billed),
                100 * explained(&s));
    if (s.only_bill) rr_buf_putf(b, "; %s is billed and not simulated", amount(k, s.only_bill));
    if (s.only_run) rr_buf_putf(b, "; %s is simulated and not billed", amount(k, s.only_run));
    rr_buf_puts(b, ".\n");
    if (k->told) rr_buf_puts(b, k->told);
    if (k->outside) rr_buf_putf(b, "Simulated in months that the bill does not have, left out: %s.\n", amount(k, k->outside));
}

static void put_number(struct rr_buf *b, const char *key, rr_i128 v)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_focus(b, v);
}

static void put_json(const struct books *k, struct rr_buf *b)
{
    const struct sums s = sums_of(k);
    rr_buf_puts(b, "{\"schema\": \"rackrate.reconcile/1\", \"alternative\": ");
    rr_buf_json(b, k->alternative);
    rr_buf_putf(b, ", \"cost\": \"%s\", \"currency\": \"%s\"", k->effective ? "effective" : "billed", k->currency);
    put_number(b, "simulated", s.simulated);
    put_number(b, "billed", s.billed);
    put_number(b, "difference", s.simulated - s.billed);
    put_number(b, "only_simulated", s.only_run);
    put_number(b, "only_billed", s.only_bill);
    put_number(b, "outside", k->outside);
    rr_buf_puts(b, ", \"explained\": ");
    rr_buf_double(b, explained(&s));
    rr_buf_puts(b, ", \"lines\": [");
    for (size_t i = 0; i < k->line.n; i++) {
        const struct line *l = &k->line.at[i];
        rr_buf_putf(b, "%s\n  {\"month\": \"%04d-%02d\", \"service\": ", i ? "," : "", (int)(l->month / 12), (int)(l->month % 12) + 1);
        rr_buf_json(b, l->service);
        rr_buf_puts(b, ", \"region\": ");
        rr_buf_json(b, l->region);
        put_number(b, "simulated", l->simulated);
        put_number(b, "billed", l->billed);
        put_number(b, "difference", l->simulated - l->billed);
        rr_buf_putf(b, ", \"on\": \"%s\"}", l->in_run && l->in_bill ? "both" : l->in_run ? "simulated" : "billed");
    }
    rr_buf_puts(b, "]}\n");
}

/* ---- the command ---- */

static enum rr_status read_bill(const struct rr_args *args, struct books *b)
{
    const struct rr_command *c = &rr_command_reconcile;
    const char *share = rr_arg(c, args, "max-rejected", "0.01");
    struct rr_bill_options opt = {.format = rr_arg(c, args, "format", "auto")};
    struct rr_bill_report report;
    if (rr_unit_share(rr_slice(share, strlen(share)), &opt.max_rejected) != RR_OK) return rr_fail_in(RR_EUSAGE, "--max-rejected");
    RR_TRY(rr_bill_read(args->operand + 1, args->n_operands - 1, &opt, args->arena, take_bill, b, &report));
    for (size_t i = 0; i < report.n_first; i++) fprintf(stderr, "rackrate: rejected: %s\n", report.first[i]);
    if (b->line.n == 0) return rr_fail(RR_EINPUT, "%s: there is no row of a bill in it", args->operand[1]);
    if (*report.currency && strcmp(report.currency, b->currency) != 0)
        return rr_fail(RR_EINPUT, "%s: the bill is in %s, the result in %s: run the scenario with \"currency\": \"%s\"", args->operand[1],
                       report.currency, b->currency, report.currency);
    return RR_OK;
}

static enum rr_status compare_them(const struct rr_args *args, const struct rr_store *s, struct books *b)
{
    struct rr_buf text = {0};
    RR_TRY(read_bill(args, b));
    RR_TRY(choose_accounts(args, s, b));
    RR_TRY(rr_focus_each(s, take_run, b));
    qsort(b->line.at, b->line.n, sizeof *b->line.at, compare);
    if (rr_arg_given(&rr_command_reconcile, args, "json"))
        put_json(b, &text);
    else
        put_table(b, &text);
    rr_say(rr_buf_text(&text));
    rr_buf_done(&text);
    return RR_OK;
}

static enum rr_status reconcile_run(const struct rr_args *args)
{
    struct rr_store store = {0};
    struct books b = {.arena = args->arena};
    const char *cost = rr_arg(&rr_command_reconcile, args, "cost", "billed");
    b.effective = strcmp(cost, "effective") == 0;
    if (!b.effective && strcmp(cost, "billed") != 0)
        return rr_fail(RR_EUSAGE, "reconcile: --cost is billed or effective, not \"%s\"", cost);
    RR_TRY(rr_result_load(args->operand[0], args->arena, NULL, &store));
    RR_TRY(choose(&store, rr_arg(&rr_command_reconcile, args, "alternative", NULL), args->arena, &b.alternative));
    b.currency = store.currency;
    const enum rr_status st = compare_them(args, &store, &b);
    rr_vec_done(&b.line);
    return st;
}

const struct rr_command rr_command_reconcile = {
    .name = "reconcile",
    .summary = "simulated against billed, by service, region and month",
    .usage = "RESULT BILL... [--alternative NAME] [--account NAME]... [--cost billed|effective] [--json]",
    .examples = "  rackrate reconcile out/plan focus-2026-01.csv.gz --alternative rent\n"
                "  rackrate reconcile out/plan cur.csv --cost effective --json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 2,
    .most = -1,
    .run = reconcile_run,
};
