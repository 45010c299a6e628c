/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/import_prices.c - `rackrate import prices FILE... -o BOOK`: foreign price lists as one book, and what was left out of them. */
#include "sim/cli/cli.h"
#include "data/price_import.h"
#include <math.h>
#include <string.h>

extern const struct rr_command rr_command_import;

/* "KEY=VALUE" of an option that may be given again. */
static enum rr_status pairs(const struct rr_args *a, const char *option, struct rr_price_option **ret, size_t *n)
{
    const size_t o = rr_option_index(&rr_command_import, option);
    *n = a->n_values[o];
    *ret = RR_NEWS(a->arena, struct rr_price_option, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        const char *text = a->value[o][i], *equals = strrchr(text, '=');
        if (strcmp(option, "discount") != 0) equals = strchr(text, '=');
        if (!equals || equals == text) return rr_fail(RR_EUSAGE, "import: --%s %s: a name, = and a value are expected", option, text);
        (*ret)[i] = (struct rr_price_option){rr_strndup(a->arena, text, (size_t)(equals - text)), equals + 1};
    }
    return RR_OK;
}

static enum rr_status discounts(const struct rr_args *a, struct rr_price_options *opt)
{
    struct rr_price_option *pair;
    RR_TRY(pairs(a, "discount", &pair, &opt->n_discounts));
    struct rr_book_discount *d = RR_NEWS(a->arena, struct rr_book_discount, opt->n_discounts + 1);
    for (size_t i = 0; i < opt->n_discounts; i++) {
        double share = -1;
        if (rr_unit_ratio(rr_slice(pair[i].value, strlen(pair[i].value)), &share) != RR_OK || share < 0 || share >= 1)
            return rr_fail(RR_EINPUT, "--discount %s=%s: a share from 0 to below 100 %% is expected, such as \"12 %%\"", pair[i].key,
                           pair[i].value);
        d[i] = (struct rr_book_discount){pair[i].key, llround(share * 1e9)};
    }
    opt->discount = d;
    return RR_OK;
}

static void tell_list(const char *path, const char *what, const struct rr_price_left *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "rackrate: %s: %s: %zu x %s, first on line %lld\n", path, what, list[i].n, list[i].reason,
                (long long)list[i].first_line);
}

static void tell(const char *path, const struct rr_price_book *b, const struct rr_price_imported *t)
{
    fprintf(stderr, "rackrate: %s (%s): %zu rows read, %zu prices", path, t->format, t->rows, b->n);
    if (t->collapsed) fprintf(stderr, "; %zu on-demand rows of zones that agree stand as their region's", t->collapsed);
    if (b->repeated) fprintf(stderr, "; %zu repeated rows: the last one counts", b->repeated);
    fputs("\n", stderr);
    tell_list(path, "left out", t->left, t->n_left);
    tell_list(path, "kept", t->kept, t->n_kept);
}

static enum rr_status read_all(const struct rr_args *a, const struct rr_price_options *opt, const struct rr_price_book **book)
{
    struct rr_catalog catalog;
    RR_TRY(rr_cli_catalog(a->arena, &catalog));
    for (size_t i = 1; i < a->n_operands; i++) {
        struct rr_price_book *b = RR_NEW(a->arena, struct rr_price_book);
        struct rr_price_imported told;
        RR_TRY(rr_price_import(a->operand[i], opt, &catalog, a->arena, b, &told));
        RR_TRY(rr_book_conflicts(b));
        tell(a->operand[i], b, &told);
        book[i - 1] = b;
    }
    return RR_OK;
}

enum rr_status rr_cli_import_prices(const struct rr_args *a, struct rr_buf *b)
{
    struct rr_price_options opt = {.format = rr_arg(&rr_command_import, a, "format", "auto")};
    struct rr_price_option *set, *column;
    const size_t n = a->n_operands - 1;
    const struct rr_price_book **book = RR_NEWS(a->arena, const struct rr_price_book *, n + 1);
    struct rr_price_book all;
    RR_TRY(pairs(a, "set", &set, &opt.n_set));
    RR_TRY(pairs(a, "column", &column, &opt.n_columns));
    RR_TRY(discounts(a, &opt));
    opt.set = set;
    opt.column = column;
    RR_TRY(read_all(a, &opt, book));
    rr_book_merge(book, n, a->arena, &all);
    if (n > 1 && all.repeated) fprintf(stderr, "rackrate: %zu prices stand in several files: the last one counts\n", all.repeated);
    RR_TRY(rr_book_conflicts(&all));
    for (size_t i = 0; i < opt.n_discounts; i++)
        if (!rr_book_discount_fits(&all, opt.discount[i].pattern))
            return rr_fail(RR_EINPUT, "--discount: no instance is like \"%s\"", opt.discount[i].pattern);
    rr_book_write(b, &all);
    return RR_OK;
}
