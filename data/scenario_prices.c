/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_prices.c - the section "prices": books of one's own, asked in their order before the shipped facts.
 *
 *     "prices": ["quotes.csv", {"path": "list.csv", "discount": {"aws/p5*": "12 %"}}]
 *
 * A book is read once for all alternatives that name it. */
#include "data/price_book.h"
#include "data/scenario_rows.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct rr_book_rows {
    uint64_t given;
    const char *path;
    const cJSON *discount;
};
static const struct rr_param rows[] = {
    {.name = "path",
     .type = RR_P_PATH,
     .offset = offsetof(struct rr_book_rows, path),
     .help = "price book (CSV), relative to the scenario",
     .flags = RR_PF_REQUIRED},
    {.name = "discount",
     .type = RR_P_OBJECT,
     .offset = offsetof(struct rr_book_rows, discount),
     .help = "shares off by family, such as {\"aws/p5*\": \"12 %\"}: the longest pattern that fits an instance; not on spot prices"},
};
const struct rr_rows rr_rows_book = {rows, sizeof rows / sizeof *rows, NULL};

static enum rr_status read_share(const struct rr_reading *r, const cJSON *m, const char *pointer, struct rr_book_discount *ret)
{
    const cJSON *v = rr_param_unwrap(m);
    double share = -1;
    if (cJSON_IsNumber(v)) share = v->valuedouble;
    if (cJSON_IsString(v) && rr_unit_ratio(rr_slice(v->valuestring, strlen(v->valuestring)), &share) != RR_OK) share = -1;
    if (!(share >= 0 && share < 1))
        return rr_json_fail(RR_EINPUT, r->param.json, v, pointer, "%s given; a share from 0 to below 100 %% is expected, such as \"12 %%\"",
                            rr_param_shown(v, r->param.arena));
    *ret = (struct rr_book_discount){m->string, llround(share * 1e9)};
    return RR_OK;
}

static enum rr_status read_discounts(const struct rr_reading *r, const cJSON *all, const char *pointer, struct rr_shelf_book *b)
{
    struct rr_book_discount *d = RR_NEWS(r->param.arena, struct rr_book_discount, (size_t)(all ? cJSON_GetArraySize(all) : 0) + 1);
    for (const cJSON *m = all ? all->child : NULL; m; m = m->next)
        RR_TRY(read_share(r, m, rr_pointer_join(r->param.arena, pointer, m->string), &d[b->n_discounts++]));
    b->discount = d;
    return RR_OK;
}

/* As another alternative or the scenario before the sample read it. */
static const struct rr_price_book *known(const struct rr_reading *r, const char *path)
{
    for (size_t i = 0; r->like && i < r->like->n_books; i++)
        if (strcmp(r->like->book[i]->book.path, path) == 0) return &r->like->book[i]->book;
    for (size_t i = 0; !r->like && r->books && i < r->books->list.n; i++)
        if (strcmp(r->books->list.at[i]->path, path) == 0) return r->books->list.at[i];
    return NULL;
}

static enum rr_status read_book(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *path,
                                struct rr_price_book *ret)
{
    const struct rr_price_book *old = known(r, path);
    if (old) {
        *ret = *old;
        return RR_OK;
    }
    *ret = (struct rr_price_book){.path = path};
    if (r->any_path && !r->priced) return RR_OK;
    if (strcmp(path, "-") == 0) return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "a price book is a file, not standard input");
    RR_TRY(rr_file_there(r, node, pointer, path));
    enum rr_status st = rr_book_read(path, r->catalog, r->param.arena, ret);
    if (st == RR_EINPUT) {
        char reason[RR_REASON_MAX];
        snprintf(reason, sizeof reason, "%s", rr_reason());
        return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s", reason);
    }
    if (st == RR_OK && !r->like && r->books) {
        struct rr_price_book *copy = RR_NEW(r->param.arena, struct rr_price_book);
        *copy = *ret;
        rr_vec_push(&r->books->list, copy);
    }
    return st;
}

static enum rr_status read_entry(const struct rr_reading *r, const cJSON *node, const char *pointer, struct rr_shelf_book *b)
{
    struct rr_arena *a = r->param.arena;
    struct rr_book_rows read = {0};
    const cJSON *v = rr_param_unwrap(node), *object = v;
    cJSON *own = NULL;
    if (!cJSON_IsString(v) && !cJSON_IsObject(v))
        return rr_json_fail(RR_EINPUT, r->param.json, v, pointer,
                            "%s given; a file such as \"quotes.csv\" or {\"path\": \"quotes.csv\"} is expected", rr_param_shown(v, a));
    if (cJSON_IsString(v)) { // the short form
        object = own = cJSON_CreateObject();
        cJSON_AddItemToObject(own, "path", cJSON_Duplicate(v, true));
    }
    enum rr_status st = rr_rows_read(r, &rr_rows_book, object, pointer, &read);
    cJSON_Delete(own);
    if (st == RR_OK) st = read_discounts(r, read.discount, rr_pointer_join(a, pointer, "discount"), b);
    if (st == RR_OK) st = read_book(r, v, pointer, read.path, &b->book);
    for (size_t i = 0; st == RR_OK && (!r->any_path || r->priced) && i < b->n_discounts; i++)
        if (!rr_book_discount_fits(&b->book, b->discount[i].pattern))
            st = rr_json_fail_key(RR_EINPUT, r->param.json, rr_json_member(read.discount, b->discount[i].pattern), pointer,
                                  "no instance of %s is like \"%s\"", read.path, b->discount[i].pattern);
    return st;
}

enum rr_status rr_prices_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    struct rr_arena *a = r->param.arena;
    const cJSON *all = rr_json_member(document, "prices");
    if (!all) return RR_OK;
    if (!cJSON_IsArray(all))
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/prices",
                            "%s given; a list of price books is expected, such as [\"quotes.csv\"]", rr_param_shown(all, a));
    const struct rr_shelf_book **book = RR_NEWS(a, const struct rr_shelf_book *, (size_t)cJSON_GetArraySize(all) + 1);
    for (const cJSON *m = all->child; m; m = m->next) {
        struct rr_shelf_book *b = RR_NEW(a, struct rr_shelf_book);
        RR_TRY(read_entry(r, m, rr_strf(a, "/prices/%zu", s->n_books), b));
        book[s->n_books++] = b;
    }
    s->book = book;
    if (r->any_path && !r->priced) s->n_books = 0; // nothing was read
    return RR_OK;
}
