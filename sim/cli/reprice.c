/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/reprice.c - `rackrate reprice RESULT --prices BOOK...`: what the machines of a finished run would have cost under other prices. */
#include "sim/cli/result.h"
#include "data/outfile.h"
#include "sim/study/reprice.h"
#include <inttypes.h>
#include <string.h>

static const struct rr_option options[] = {
    {0, "prices", "BOOK", true, "a price book in front of the scenario's own; each is a column; books of one column with commas between"},
    {0, "set", "PTR=VALUE", true, "set a price of the scenario, such as /pools/cloud/plan/rate='$2.10/gpu/h'"},
    {'o', "out", "DIR", false, "write reprice.csv and reprice.json there"},
    {0, "json", NULL, false, "print one JSON document"},
};
static const char held_fixed[] = "Decisions are held fixed: jobs, machines and times are those of the run; only the prices differ.";

struct column { /* one way of pricing */
    const char *name;
    struct rr_reprice_options opt;
    bool as_run;
};
struct table {
    const struct rr_store *s;
    const struct column *column;
    size_t n;
    const struct rr_repriced *cell; /* [n_alternatives][n] */
};

static const struct rr_repriced *cell(const struct table *t, size_t alternative, size_t column)
{
    return &t->cell[alternative * t->n + column];
}

/* ---- what is asked for ---- */

static void split_books(const char *list, struct rr_arena *a, struct column *c)
{
    size_t n = 1, k = 0;
    for (const char *at = list; *at; at++) n += *at == ',';
    const char **book = RR_NEWS(a, const char *, n);
    for (const char *at = list;; at++) {
        const size_t len = strcspn(at, ",");
        book[k++] = rr_strndup(a, at, len);
        at += len;
        if (*at == '\0') break;
    }
    c->opt.book = book;
    c->opt.n_books = n;
}

static const char *set_name(const struct rr_args *args, size_t k)
{
    const char *name = "";
    for (size_t i = 0; i < args->n_values[k]; i++) name = rr_strf(args->arena, "%s%s%s", name, i ? " " : "", args->value[k][i]);
    return name;
}

static struct column *columns_of(const struct rr_args *args, size_t *n)
{
    const size_t prices = rr_option_index(&rr_command_reprice, "prices"), set = rr_option_index(&rr_command_reprice, "set");
    const size_t books = args->n_values[prices];
    struct column *c = RR_NEWS(args->arena, struct column, books + 2);
    c[0] = (struct column){.name = "as run", .as_run = true};
    for (size_t i = 0; i < books; i++) {
        c[i + 1].name = args->value[prices][i];
        split_books(args->value[prices][i], args->arena, &c[i + 1]);
    }
    *n = books + 1;
    if (books == 0) c[(*n)++].name = args->n_values[set] ? set_name(args, set) : "billed again";
    for (size_t i = 1; i < *n; i++) {
        c[i].opt.set = args->value[set];
        c[i].opt.n_set = args->n_values[set];
    }
    return c;
}

static enum rr_status price_all(struct table *t, struct rr_arena *a, const struct rr_catalog *catalog)
{
    struct rr_repriced *all = RR_NEWS(a, struct rr_repriced, t->s->n_alternatives * t->n);
    for (size_t i = 0; i < t->s->n_alternatives; i++)
        for (size_t k = 0; k < t->n; k++) {
            struct rr_repriced *to = &all[i * t->n + k];
            const enum rr_status st = t->column[k].as_run ? rr_reprice_as_run(t->s, i, a, to)
                                                          : rr_reprice(t->s, i, &t->column[k].opt, &rr_registry, catalog, a, to);
            if (st != RR_OK) return st;
        }
    t->cell = all;
    return RR_OK;
}

/* A setting that is for no alternative is a mistyped pointer. */
static enum rr_status all_applied(const struct table *t)
{
    const struct rr_reprice_options *opt = &t->column[t->n - 1].opt;
    for (size_t s = 0; s < opt->n_set; s++) {
        bool any = false;
        for (size_t i = 0; i < t->s->n_alternatives; i++) any |= cell(t, i, t->n - 1)->applied[s];
        if (!any) return rr_fail(RR_EINPUT, "--set %s: no alternative has it", opt->set[s]);
    }
    return RR_OK;
}

/* ---- telling ---- */

static double share_of(struct rr_money difference, struct rr_money whole)
{
    return whole.micro ? 100.0 * (double)difference.micro / (double)whole.micro : 0;
}

static struct rr_money minus(struct rr_money x, struct rr_money y) { return (struct rr_money){x.micro - y.micro}; }

static const char *money_text(const struct table *t, struct rr_arena *a, struct rr_money m)
{
    struct rr_buf b = {0};
    rr_buf_money(&b, m, t->s->currency, 2);
    const char *text = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void put_table(const struct table *t, struct rr_arena *a, struct rr_buf *b)
{
    int wide = 11, name = 12;
    for (size_t i = 0; i < t->s->n_alternatives; i++)
        if ((int)strlen(t->s->alternative[i].name) > wide) wide = (int)strlen(t->s->alternative[i].name);
    for (size_t k = 0; k < t->n; k++)
        if ((int)strlen(t->column[k].name) > name) name = (int)strlen(t->column[k].name);
    rr_buf_putf(b, "%-*s  %-*s  %18s  %18s  %9s  %18s\n", wide, "alternative", name, "prices", "cost", "difference", "", "cash");
    for (size_t i = 0; i < t->s->n_alternatives; i++)
        for (size_t k = 0; k < t->n; k++) {
            const struct rr_repriced *x = cell(t, i, k);
            const struct rr_money d = minus(x->effective, cell(t, i, 0)->effective);
            rr_buf_putf(b, "%-*s  %-*s  %18s  ", wide, k ? "" : t->s->alternative[i].name, name, t->column[k].name,
                        money_text(t, a, x->effective));
            rr_buf_putf(b, "%18s  ", k ? money_text(t, a, d) : "");
            if (k)
                rr_buf_putf(b, "%+7.2f %%  ", share_of(d, cell(t, i, 0)->effective));
            else
                rr_buf_putf(b, "%11s", "");
            rr_buf_putf(b, "%18s\n", money_text(t, a, x->billed));
        }
    rr_buf_putf(b, "\n%s\n", held_fixed);
    if (t->s->replications > 1)
        rr_buf_putf(b, "Replication 1 of %" PRId64 ", which is the one whose leases are kept.\n", t->s->replications);
    for (size_t i = 0; i < t->s->n_alternatives; i++)
        if (t->column[1].opt.n_books && cell(t, i, 1)->own_rates)
            rr_buf_putf(b, "%s: %zu plan%s or commitment%s with a price in the scenario, which no book replaces (use --set).\n",
                        t->s->alternative[i].name, cell(t, i, 1)->own_rates, cell(t, i, 1)->own_rates == 1 ? "" : "s",
                        cell(t, i, 1)->own_rates == 1 ? "" : "s");
}

static void put_csv(const struct table *t, struct rr_buf *b)
{
    rr_buf_puts(b, "alternative,prices,type,line,pool,commitment,effective,billed,after_horizon,difference,currency\n");
    for (size_t i = 0; i < t->s->n_alternatives; i++)
        for (size_t k = 0; k < t->n; k++) {
            const struct rr_repriced *x = cell(t, i, k), *run = cell(t, i, 0);
            for (size_t n = 0; n <= x->n_lines; n++) { // the last one is the total
                const struct rr_cost_line total = {"total", "", "", "", x->billed, x->effective, x->after_horizon, 0, "", {0}};
                const struct rr_cost_line *l = n < x->n_lines ? &x->line[n] : &total;
                struct rr_money was = n < x->n_lines ? (struct rr_money){0} : run->effective;
                for (size_t m = 0; n < x->n_lines && m < run->n_lines; m++)
                    if (strcmp(run->line[m].type, l->type) == 0 && strcmp(run->line[m].line, l->line) == 0 &&
                        strcmp(run->line[m].pool, l->pool) == 0 && strcmp(run->line[m].commitment, l->commitment) == 0)
                        was = run->line[m].effective;
                const char *const text[] = {t->s->alternative[i].name, t->column[k].name, l->type, l->line, l->pool, l->commitment};
                for (size_t c = 0; c < 6; c++) {
                    rr_buf_csv(b, text[c]);
                    rr_buf_puts(b, ",");
                }
                const struct rr_money money[] = {l->effective, l->billed, l->after_horizon, minus(l->effective, was)};
                for (size_t c = 0; c < 4; c++) {
                    rr_buf_money_plain(b, money[c]);
                    rr_buf_puts(b, ",");
                }
                rr_buf_putf(b, "%s\n", t->s->currency);
            }
        }
}

static void put_amount(struct rr_buf *b, const char *key, struct rr_money m)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_money_plain(b, m);
}

static void put_cell(const struct table *t, size_t i, size_t k, struct rr_buf *b)
{
    const struct rr_repriced *x = cell(t, i, k);
    rr_buf_puts(b, "{\"prices\": ");
    rr_buf_json(b, t->column[k].name);
    put_amount(b, "cost.total", x->effective);
    put_amount(b, "cash.total", x->billed);
    put_amount(b, "cost.after_horizon", x->after_horizon);
    put_amount(b, "difference", minus(x->effective, cell(t, i, 0)->effective));
    rr_buf_puts(b, ", \"lines\": [");
    for (size_t n = 0; n < x->n_lines; n++) {
        const struct rr_cost_line *l = &x->line[n];
        const char *const text[] = {"type", l->type, "line", l->line, "pool", l->pool, "commitment", l->commitment};
        rr_buf_puts(b, n ? ", {" : "{");
        for (size_t c = 0; c < 8; c += 2) {
            rr_buf_putf(b, "%s\"%s\": ", c ? ", " : "", text[c]);
            rr_buf_json(b, text[c + 1]);
        }
        put_amount(b, "effective", l->effective);
        put_amount(b, "billed", l->billed);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]}");
}

static void put_json(const struct table *t, struct rr_buf *b)
{
    rr_buf_puts(b, "{\"schema\": \"rackrate.reprice/1\", \"name\": ");
    rr_buf_json(b, t->s->name);
    rr_buf_putf(b, ", \"currency\": \"%s\", \"replication\": 1, \"held_fixed\": ", t->s->currency);
    rr_buf_json(b, held_fixed);
    rr_buf_puts(b, ",\n  \"alternatives\": [");
    for (size_t i = 0; i < t->s->n_alternatives; i++) {
        rr_buf_puts(b, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        rr_buf_json(b, t->s->alternative[i].name);
        rr_buf_puts(b, ", \"priced\": [");
        for (size_t k = 0; k < t->n; k++) {
            rr_buf_puts(b, k ? ",\n      " : "\n      ");
            put_cell(t, i, k, b);
        }
        rr_buf_puts(b, "]}");
    }
    rr_buf_puts(b, "]}\n");
}

static enum rr_status write_files(const struct table *t, const char *dir, struct rr_arena *a)
{
    struct rr_buf b = {0};
    enum rr_status st = rr_make_dirs(dir);
    put_csv(t, &b);
    if (st == RR_OK) st = rr_write_file(rr_strf(a, "%s/reprice.csv", dir), &b);
    b.n = 0;
    put_json(t, &b);
    if (st == RR_OK) st = rr_write_file(rr_strf(a, "%s/reprice.json", dir), &b);
    rr_buf_done(&b);
    return st;
}

static enum rr_status reprice_run(const struct rr_args *args)
{
    struct rr_arena *a = args->arena;
    struct rr_catalog catalog = {0};
    struct rr_store store = {0};
    struct rr_buf b = {0};
    struct table t = {.s = &store};
    const char *db, *dir = rr_arg(&rr_command_reprice, args, "out", NULL);
    struct column *column = columns_of(args, &t.n);
    t.column = column;
    RR_TRY(rr_result_load(args->operand[0], a, &db, &store));
    for (size_t k = 0; k < t.n; k++) column[k].opt.db_path = db;
    RR_TRY(rr_cli_catalog(a, &catalog));
    RR_TRY(price_all(&t, a, &catalog));
    RR_TRY(all_applied(&t));
    if (dir) RR_TRY(write_files(&t, dir, a));
    if (rr_arg_given(&rr_command_reprice, args, "json"))
        put_json(&t, &b);
    else
        put_table(&t, a, &b);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

const struct rr_command rr_command_reprice = {
    .name = "reprice",
    .summary = "the machines of a finished run under other prices",
    .usage = "RESULT [--prices BOOK]... [--set PTR=VALUE]... [-o DIR] [--json]",
    .examples = "  rackrate reprice out/plan --prices quotes.csv --prices list-2027.csv\n"
                "  rackrate reprice out/plan --set /pools/cloud/plan/rate='$2.10/gpu/h'\n"
                "  rackrate reprice out/plan --prices quotes.csv -o out/quotes --json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = reprice_run,
};
