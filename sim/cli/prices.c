/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/prices.c - `rackrate prices [BOOK...]`: what a price book or the shipped facts hold, cheapest by GPU, and what looks wrong. */
#include "sim/cli/cli.h"
#include "data/base/time.h"
#include "data/price_book.h"
#include "data/price_import.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct rr_option options[] = {
    {0, "search", "WORDS", true, "only rows that hold all these words, in any column"},
    {0, "instance", "NAME", false, "only this machine, such as aws/p5.48xlarge"},
    {0, "gpu", "NAME", false, "only machines with this GPU, by its id or another name"},
    {0, "region", "NAME", false, "only this region, and what holds in any"},
    {0, "plan", "NAME", false, "only this plan: on_demand, spot, reserved and so on"},
    {0, "at", "DATE", false, "the prices of that day (default: the latest ones)"},
    {0, "history", NULL, false, "all rows, not only those that hold"},
    {0, "compare", NULL, false, "the cheapest GPU-hour of each GPU by provider (of on_demand, unless --plan says otherwise)"},
    {0, "lint", NULL, false, "what looks wrong: exit 1, or 3 where a price is not certain"},
    {0, "limit", "N", false, "at most so many rows as text (default 50, 0 is all)"},
    {0, "json", NULL, false, "one JSON document"},
};
const struct rr_command rr_command_prices;

struct view {
    const struct rr_args *args;
    struct rr_arena *arena;
    struct rr_catalog catalog;
    const struct rr_price_book *const *each; /* as read, for their own lints */
    size_t n_each;
    const struct rr_price_book *book; /* all of them as one */
    const char *instance, *gpu, *region, *plan;
    int64_t at_us, limit;
    bool history, json;
    RR_VEC(const struct rr_book_row *) row; /* what was asked for */
};

static bool given(const struct view *v, const char *name) { return rr_arg_given(&rr_command_prices, v->args, name); }

/* ---- choosing ---- */

static bool holds_word(const struct rr_book_row *r, const char *word, size_t n)
{
    const char *const text[] = {r->provider, r->product, r->instance, r->gpu,    r->region, r->zone,
                                r->plan,     r->term,    r->payment,  r->source, r->note};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (const char *p = text[i]; *p; p++)
            if (strncasecmp(p, word, n) == 0) return true;
    return false;
}

static bool holds_words(const struct view *v, const struct rr_book_row *r)
{
    const size_t o = rr_option_index(&rr_command_prices, "search");
    for (size_t i = 0; i < v->args->n_values[o]; i++)
        for (const char *p = v->args->value[o][i]; *p;) {
            const size_t n = strcspn(p, " ");
            if (n > 0 && !holds_word(r, p, n)) return false;
            p += n + (p[n] == ' ');
        }
    return true;
}

static bool is_wanted(const struct view *v, const struct rr_book_row *r)
{
    if (v->instance && strcmp(v->instance, r->instance) != 0) return false;
    if (v->gpu && strcasecmp(v->gpu, r->gpu) != 0) return false;
    if (v->plan && strcmp(v->plan, r->plan) != 0) return false;
    if (v->region && *r->region && strcmp(v->region, r->region) != 0) return false;
    return holds_words(v, r);
}

static int by_row(const void *a, const void *b)
{
    const struct rr_book_row *x = *(const struct rr_book_row *const *)a, *y = *(const struct rr_book_row *const *)b;
    return x < y ? -1 : x > y;
}

static void choose(struct view *v)
{
    const struct rr_price_book *b = v->book;
    for (size_t s = 0; s < b->n_series; s++) {
        const struct rr_book_row *now = NULL;
        for (uint32_t i = 0; i < b->series[s].n; i++) {
            const struct rr_book_row *r = &b->row[b->order[b->series[s].first + i]];
            if (v->history && is_wanted(v, r)) rr_vec_push(&v->row, r);
            if (r->valid_us <= v->at_us) now = r;
        }
        if (!v->history && now && rr_book_offers(now) && is_wanted(v, now)) rr_vec_push(&v->row, now);
    }
    if (v->row.n) qsort(v->row.at, v->row.n, sizeof *v->row.at, by_row);
}

/* ---- showing ---- */

static void put_nano(struct rr_buf *b, int64_t nano, const char *currency)
{
    struct rr_money m = {0};
    if (rr_round_div(nano, 1000, &m.micro) == RR_OK) rr_buf_money(b, m, currency, m.micro % 10000 ? m.micro % 100 ? 6 : 4 : 2);
}

static const char *nano_text(struct rr_arena *a, int64_t nano, const char *currency)
{
    struct rr_buf b = {0};
    put_nano(&b, nano, currency);
    const char *s = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return s;
}

static const char *date_text(struct rr_arena *a, int64_t us)
{
    struct rr_buf b = {0};
    rr_buf_date(&b, us);
    const char *s = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return s;
}

static const char *price_text(struct rr_arena *a, const struct rr_book_row *r)
{
    const char *text = r->nano > 0 ? rr_strf(a, "%s/%s", nano_text(a, r->nano, r->currency), rr_book_units[r->unit]) : "";
    if (r->upfront.micro > 0)
        text = rr_strf(a, "%s%s%s upfront", text, *text ? " + " : "", nano_text(a, r->upfront.micro * 1000, r->currency));
    return *text ? text : "not offered";
}

static const char *plan_text(struct rr_arena *a, const struct rr_book_row *r)
{
    return rr_strf(a, "%s%s%s%s%s", r->plan, *r->term ? " " : "", r->term, *r->payment ? " " : "", r->payment);
}

static const char *place_text(struct rr_arena *a, const struct rr_book_row *r)
{
    return *r->zone ? rr_strf(a, "%s/%s", r->region, r->zone) : *r->region ? r->region : "any";
}

static const char *per_gpu_text(struct rr_arena *a, const struct rr_book_row *r)
{
    int64_t nano;
    return rr_book_gpu_hour(r, &nano) ? nano_text(a, nano, r->currency) : "-";
}

#define COLUMNS 7
/* Cells [n][COLUMNS] padded to their widest; the last one runs free. */
static void put_table(struct rr_buf *b, const char *const *cell, size_t n)
{
    int width[COLUMNS] = {0};
    for (size_t i = 0; i < n * COLUMNS; i++)
        if ((int)strlen(cell[i]) > width[i % COLUMNS]) width[i % COLUMNS] = (int)strlen(cell[i]);
    for (size_t i = 0; i < n * COLUMNS; i++) {
        const bool last = i % COLUMNS == COLUMNS - 1;
        rr_buf_putf(b, "%-*s%s", last ? 0 : width[i % COLUMNS], cell[i], last ? "\n" : "  ");
    }
}

static void put_json_text(struct rr_buf *b, const char *key, const char *text)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    if (*text)
        rr_buf_json(b, text);
    else
        rr_buf_puts(b, "null");
}

/* Nanos as an exact decimal number. */
static void put_json_nano(struct rr_buf *b, const char *key, int64_t nano)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    if (nano <= 0)
        rr_buf_puts(b, "null");
    else
        rr_buf_putf(b, "%" PRId64 ".%09" PRId64, nano / 1000000000, nano % 1000000000);
}

static void put_json_row(struct rr_buf *b, struct rr_arena *a, const struct rr_book_row *r)
{
    int64_t per_gpu = 0;
    char text[RR_DOUBLE_MAX];
    rr_buf_puts(b, "{\"provider\": ");
    rr_buf_json(b, r->provider);
    put_json_text(b, "product", r->product);
    put_json_text(b, "instance", r->instance);
    put_json_text(b, "gpu", r->gpu);
    rr_buf_putf(b, ", \"gpus\": %s", r->gpus_milli ? rr_double_text(r->gpus_milli / 1000.0, text) : "null");
    put_json_text(b, "unit", rr_book_units[r->unit]);
    put_json_text(b, "region", r->region);
    put_json_text(b, "zone", r->zone);
    put_json_text(b, "plan", r->plan);
    put_json_text(b, "term", r->term);
    put_json_text(b, "payment", r->payment);
    put_json_text(b, "currency", r->currency);
    put_json_nano(b, "price", r->nano);
    put_json_nano(b, "upfront", r->upfront.micro * 1000);
    put_json_nano(b, "per_gpu_hour", rr_book_gpu_hour(r, &per_gpu) ? per_gpu : 0);
    put_json_text(b, "valid_from", date_text(a, r->valid_us));
    put_json_text(b, "source", r->source);
    put_json_text(b, "note", r->note);
    rr_buf_putf(b, ", \"line\": %d}", (int)r->line);
}

static void show_rows(struct view *v, struct rr_buf *b)
{
    struct rr_arena *a = v->arena;
    const size_t n = v->json || v->limit == 0 || v->row.n < (size_t)v->limit ? v->row.n : (size_t)v->limit;
    if (v->json) {
        rr_buf_puts(b, "{\"schema\": \"rackrate.prices/1\", \"prices\": [");
        for (size_t i = 0; i < n; i++) {
            rr_buf_puts(b, i ? ",\n" : "\n");
            put_json_row(b, a, v->row.at[i]);
        }
        rr_buf_puts(b, "\n]}\n");
        return;
    }
    const char **cell = RR_NEWS(a, const char *, (n + 1) * COLUMNS);
    const char *const head[COLUMNS] = {"instance", "region", "plan", "price", "per GPU-hour", "from", "source"};
    memcpy(cell, head, sizeof head);
    for (size_t i = 0; i < n; i++) {
        const struct rr_book_row *r = v->row.at[i];
        const char *const row[COLUMNS] = {*r->instance ? r->instance : rr_strf(a, "%s %s", r->provider, *r->gpu ? r->gpu : r->product),
                                          place_text(a, r),
                                          plan_text(a, r),
                                          price_text(a, r),
                                          per_gpu_text(a, r),
                                          date_text(a, r->valid_us),
                                          r->source};
        memcpy(&cell[(i + 1) * COLUMNS], row, sizeof row);
    }
    put_table(b, cell, n + 1);
    if (n < v->row.n) rr_buf_putf(b, "%zu more rows: --limit 0 shows all\n", v->row.n - n);
}

/* ---- comparing ---- */

struct offer {
    const struct rr_book_row *row;
    int64_t nano;
};

/* GPU and currency, then price. */
static int by_offer(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    const int gpu = strcmp(x->row->gpu, y->row->gpu), money = gpu ? gpu : strcmp(x->row->currency, y->row->currency);
    if (money) return money;
    if (x->nano != y->nano) return x->nano < y->nano ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

struct offers {
    RR_VEC(struct offer) list;
    size_t parts; /* machines with a part of a GPU */
};

/* The cheapest of each GPU, currency and provider, in that order. */
static void compare(const struct view *v, struct offers *o)
{
    RR_VEC(struct offer) all = {0};
    for (size_t i = 0; i < v->row.n; i++) {
        struct offer x = {v->row.at[i], 0};
        if (!*x.row->gpu || strcmp(x.row->product, "compute") != 0) continue;
        o->parts += x.row->gpus_milli % 1000 != 0;
        if (rr_book_gpu_hour(x.row, &x.nano)) rr_vec_push(&all, x);
    }
    if (all.n) qsort(all.at, all.n, sizeof *all.at, by_offer);
    for (size_t i = 0; i < all.n; i++) {
        const struct rr_book_row *r = all.at[i].row;
        bool seen = false;
        for (size_t k = o->list.n; k > 0 && !seen; k--) {
            const struct rr_book_row *q = o->list.at[k - 1].row;
            if (strcmp(q->gpu, r->gpu) != 0 || strcmp(q->currency, r->currency) != 0) break;
            seen = strcmp(q->provider, r->provider) == 0;
        }
        if (!seen) rr_vec_push(&o->list, all.at[i]);
    }
    rr_vec_done(&all);
}

static void put_compare(const struct view *v, const struct offers *o, struct rr_buf *b)
{
    struct rr_arena *a = v->arena;
    const char **cell = RR_NEWS(a, const char *, (o->list.n + 1) * COLUMNS);
    const char *const head[COLUMNS] = {"gpu", "per GPU-hour", "provider", "instance", "region", "plan", "from"};
    memcpy(cell, head, sizeof head);
    for (size_t i = 0; i < o->list.n; i++) {
        const struct rr_book_row *r = o->list.at[i].row;
        const char *const row[COLUMNS] = {r->gpu,
                                          nano_text(a, o->list.at[i].nano, r->currency),
                                          r->provider,
                                          *r->instance ? r->instance : "-",
                                          place_text(a, r),
                                          plan_text(a, r),
                                          date_text(a, r->valid_us)};
        memcpy(&cell[(i + 1) * COLUMNS], row, sizeof row);
    }
    put_table(b, cell, o->list.n + 1);
    if (o->parts) rr_buf_putf(b, "%zu prices of machines with a part of a GPU are left out\n", o->parts);
}

static void show_compare(struct view *v, struct rr_buf *b)
{
    struct offers o = {0};
    compare(v, &o);
    if (v->json) {
        rr_buf_puts(b, "{\"schema\": \"rackrate.prices/1\", \"compare\": [");
        for (size_t i = 0; i < o.list.n; i++) {
            rr_buf_puts(b, i ? ",\n" : "\n");
            put_json_row(b, v->arena, o.list.at[i].row);
        }
        rr_buf_putf(b, "\n], \"parts_left_out\": %zu}\n", o.parts);
    } else {
        put_compare(v, &o, b);
    }
    rr_vec_done(&o.list);
}

/* ---- lints ---- */

struct findings {
    size_t n, uncertain; /* of these, no price is certain */
};

static void put_lint(const struct view *v, const struct rr_price_book *book, const struct rr_lint *x, bool first, struct rr_buf *b)
{
    const char *what = rr_strf(v->arena, "%s %s %s", *x->row->instance ? x->row->instance : x->row->provider, place_text(v->arena, x->row),
                               plan_text(v->arena, x->row));
    if (!v->json) {
        rr_buf_putf(b, "%s:%d: %s: %s: %s\n", book->path, (int)x->row->line, rr_lint_names[x->kind], what, x->text);
        return;
    }
    rr_buf_puts(b, first ? "\n{\"path\": " : ",\n{\"path\": ");
    rr_buf_json(b, book->path);
    rr_buf_putf(b, ", \"line\": %d, \"lint\": \"%s\", \"other_line\": ", (int)x->row->line, rr_lint_names[x->kind]);
    if (x->other)
        rr_buf_putf(b, "%d", (int)x->other->line);
    else
        rr_buf_puts(b, "null");
    put_json_text(b, "what", what);
    put_json_text(b, "text", x->text);
    rr_buf_puts(b, "}");
}

static enum rr_status show_lints(struct view *v, struct rr_buf *b)
{
    struct findings f = {0};
    struct rr_price_book facts;
    rr_book_of_facts(&v->catalog, v->arena, &facts);
    if (v->json) rr_buf_puts(b, "{\"schema\": \"rackrate.prices/1\", \"lints\": [");
    for (size_t k = 0; k < v->n_each; k++) {
        struct rr_lint *lint;
        size_t n;
        rr_book_lint(v->each[k], v->each[k]->sha256[0] ? &facts : v->each[k], v->arena, &lint, &n);
        for (size_t i = 0; i < n; i++) {
            if (!is_wanted(v, lint[i].row)) continue;
            put_lint(v, v->each[k], &lint[i], f.n++ == 0, b);
            f.uncertain += lint[i].kind == RR_LINT_TWO_PRICES || lint[i].kind == RR_LINT_TWO_CURRENCIES;
        }
    }
    rr_buf_puts(b, v->json ? "\n]}\n" : f.n ? "" : "nothing looks wrong\n");
    if (f.uncertain) return rr_fail(RR_EINPUT, "%zu finding%s; %zu leave the price open", f.n, f.n == 1 ? "" : "s", f.uncertain);
    return f.n ? rr_fail(RR_EGATE, "%zu finding%s", f.n, f.n == 1 ? "" : "s") : RR_OK;
}

/* ---- reading ---- */

static enum rr_status read_books(struct view *v, const struct rr_args *args)
{
    struct rr_arena *a = args->arena;
    const size_t n = args->n_operands ? args->n_operands : 1;
    const struct rr_price_book **each = RR_NEWS(a, const struct rr_price_book *, n);
    struct rr_price_book *all = RR_NEW(a, struct rr_price_book);
    RR_TRY(rr_cli_catalog(a, &v->catalog));
    for (size_t i = 0; i < n; i++) {
        struct rr_price_book *b = RR_NEW(a, struct rr_price_book);
        if (args->n_operands == 0)
            rr_book_of_facts(&v->catalog, a, b);
        else
            RR_TRY(rr_book_read_raw(args->operand[i], &v->catalog, a, b));
        each[i] = b;
    }
    v->each = each;
    v->n_each = n;
    if (n > 1) rr_book_merge(each, n, a, all);
    v->book = n > 1 ? all : each[0];
    return RR_OK;
}

/* A name that nothing has is more likely mistyped than an empty answer. */
static enum rr_status check_name(const struct view *v, const char *what, const char *name, size_t at)
{
    const char **known = RR_NEWS(v->arena, const char *, v->book->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < v->book->n; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)&v->book->row[i] + at);
        if (strcasecmp(text, name) == 0) return RR_OK;
        if (n == 0 || known[n - 1] != text) known[n++] = text;
    }
    return rr_fail(RR_EINPUT, "no price of the %s \"%s\"%s", what, name, rr_did_you_mean(v->arena, name, known, n));
}

static enum rr_status read_options(struct view *v, const struct rr_args *args)
{
    const struct rr_command *c = &rr_command_prices;
    v->instance = rr_arg(c, args, "instance", NULL);
    v->gpu = rr_arg(c, args, "gpu", NULL);
    v->region = rr_arg(c, args, "region", NULL);
    v->plan = rr_arg(c, args, "plan", given(v, "compare") ? "on_demand" : NULL);
    v->history = given(v, "history");
    v->json = given(v, "json");
    v->at_us = RR_NEVER;
    const char *at = rr_arg(c, args, "at", NULL);
    if (at && rr_price_when(rr_slice(at, strlen(at)), &v->at_us) != RR_OK) return rr_fail_in(RR_EUSAGE, "--at");
    RR_TRY(rr_arg_whole(c, args, "limit", 0, 50, &v->limit));
    for (size_t i = 0; v->gpu && i < v->catalog.n_gpus; i++)
        if (rr_gpu_is(&v->catalog.gpu[i], v->gpu)) v->gpu = v->catalog.gpu[i].id;
    if (v->instance) RR_TRY(check_name(v, "instance", v->instance, offsetof(struct rr_book_row, instance)));
    if (v->gpu) RR_TRY(check_name(v, "GPU", v->gpu, offsetof(struct rr_book_row, gpu)));
    if (v->region) RR_TRY(check_name(v, "region", v->region, offsetof(struct rr_book_row, region)));
    if (v->plan && !given(v, "compare")) RR_TRY(check_name(v, "plan", v->plan, offsetof(struct rr_book_row, plan)));
    return RR_OK;
}

/* An empty table may be a day before all prices. */
static void say_none(const struct view *v)
{
    int64_t first = RR_NEVER;
    for (size_t i = 0; i < v->book->n; i++)
        if (v->book->row[i].valid_us < first) first = v->book->row[i].valid_us;
    if (v->row.n > 0) return;
    if (v->at_us == RR_NEVER || v->at_us >= first) {
        fprintf(stderr, "rackrate: no price fits\n");
        return;
    }
    const struct rr_civil c = rr_civil_of(first);
    fprintf(stderr, "rackrate: no price holds on that day: the first one is of %04d-%02d-%02d\n", (int)c.year, c.month, c.day);
}

static enum rr_status prices(const struct rr_args *args)
{
    struct view v = {.args = args, .arena = args->arena};
    struct rr_buf b = {0};
    RR_TRY(read_books(&v, args));
    RR_TRY(read_options(&v, args));
    enum rr_status st = RR_OK;
    if (given(&v, "lint")) {
        st = show_lints(&v, &b);
    } else {
        choose(&v);
        say_none(&v);
        if (given(&v, "compare"))
            show_compare(&v, &b);
        else
            show_rows(&v, &b);
    }
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    rr_vec_done(&v.row);
    return st;
}

const struct rr_command rr_command_prices = {
    .name = "prices",
    .summary = "search, compare and check price books and the shipped prices",
    .usage = "[BOOK...] [options]",
    .examples = "  rackrate prices --gpu H100\n"
                "  rackrate prices --compare --json\n"
                "  rackrate prices book.csv --instance aws/p5.48xlarge --region us-east-1 --history\n"
                "  rackrate prices book.csv --lint\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 0,
    .most = -1,
    .run = prices,
};
