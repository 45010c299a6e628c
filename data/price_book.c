/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_book.c - a book in memory: rows found by hash of their key, then by region, zone and date.
 *
 * A group is a key without its place; a series one place of it; both are spans of arrays sorted by counting, so that a quarter of a million rows
 * are indexed in a few passes without a comparison sort. Groups have at most some hundred places, which are looked through one by one. */
#include "data/price_book.h"
#include "data/price_import.h"
#include <assert.h>
#include <string.h>

const char *const rr_book_units[] = {"instance-hour", "GPU-hour", "GPU-second", "request", "million-tokens", "GB-month", "GB", NULL};
const char *const rr_book_plans[] = {"on_demand",      "spot",       "reserved",  "savings_plan", "prepaid",
                                     "capacity_block", "serverless", "dedicated", "sustained",    NULL};

struct rr_book_index {
    struct rr_names names; /* slots and list in the book's arena */
    uint32_t *slot;        /* group + 1, 0 = free */
    size_t n_slots;        /* a power of two */
};

/* ---- making the index ---- */

struct key {
    const void *part[5];
};

static uint64_t key_hash(const struct key *k)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < 5; i++) {
        const unsigned __int128 m = (unsigned __int128)(h ^ (uint64_t)(uintptr_t)k->part[i]) * 0xe7037ed1a0b428dbu;
        h = (uint64_t)m ^ (uint64_t)(m >> 64);
    }
    return h ^ (h >> 29);
}

/* A set of keys, each with its number; heap. */
struct keys {
    RR_VEC(struct key) list;
    uint32_t *slot;
    size_t n_slots;
};

static size_t key_slot(const struct keys *s, const struct key *k)
{
    size_t i = key_hash(k) & (s->n_slots - 1);
    while (s->slot[i] && memcmp(&s->list.at[s->slot[i] - 1], k, sizeof *k) != 0) i = (i + 1) & (s->n_slots - 1);
    return i;
}

static uint32_t key_number(struct keys *s, const struct key *k)
{
    if (2 * (s->list.n + 1) > s->n_slots) {
        s->n_slots = s->n_slots ? s->n_slots * 2 : 64;
        s->slot = rr_xrealloc(s->slot, s->n_slots, sizeof *s->slot);
        memset(s->slot, 0, s->n_slots * sizeof *s->slot);
        for (size_t i = 0; i < s->list.n; i++) s->slot[key_slot(s, &s->list.at[i])] = (uint32_t)i + 1;
    }
    const size_t i = key_slot(s, k);
    if (!s->slot[i]) {
        rr_vec_push(&s->list, *k);
        s->slot[i] = (uint32_t)s->list.n;
    }
    return s->slot[i] - 1;
}

static void keys_done(struct keys *s)
{
    rr_vec_done(&s->list);
    free(s->slot);
}

static struct key group_key(const struct rr_book_row *r) { return (struct key){{r->product, r->instance, r->plan, r->term, r->payment}}; }

/* Machines without a name are told apart by their GPU, other things by provider and unit: the key's instance stands for it. */
static const char *key_instance(const struct rr_book_row *r) { return r->instance; }

/* members[first[k] .. first[k + 1]) = items of number k, in their order. */
static void count_sort(const uint32_t *number, size_t n, size_t n_numbers, uint32_t *first, uint32_t *members)
{
    memset(first, 0, (n_numbers + 1) * sizeof *first);
    for (size_t i = 0; i < n; i++) first[number[i] + 1]++;
    for (size_t k = 0; k < n_numbers; k++) first[k + 1] += first[k];
    for (size_t i = 0; i < n; i++) members[first[number[i]]++] = (uint32_t)i;
    for (size_t k = n_numbers; k > 0; k--) first[k] = first[k - 1];
    first[0] = 0;
}

/* By date, stable; rows mostly come in order. */
static void sort_dates(const struct rr_book_row *row, uint32_t *order, size_t n, uint32_t *scratch)
{
    if (n < 32) {
        for (size_t i = 1; i < n; i++) {
            const uint32_t x = order[i];
            size_t k = i;
            for (; k > 0 && row[order[k - 1]].valid_us > row[x].valid_us; k--) order[k] = order[k - 1];
            order[k] = x;
        }
        return;
    }
    const size_t half = n / 2;
    sort_dates(row, order, half, scratch);
    sort_dates(row, order + half, n - half, scratch);
    if (row[order[half - 1]].valid_us <= row[order[half]].valid_us) return;
    memcpy(scratch, order, n * sizeof *order);
    for (size_t i = 0, a = 0, b = half; i < n; i++)
        order[i] = b == n || (a < half && row[scratch[a]].valid_us <= row[scratch[b]].valid_us) ? scratch[a++] : scratch[b++];
}

struct build {
    struct rr_arena *arena;
    const struct rr_book_row *row;
    size_t n;
    struct keys group, series; /* of a series: group number, region, zone */
    uint32_t *of_row, *group_of;
};

static void number_rows(struct build *b)
{
    b->of_row = rr_xrealloc(NULL, b->n + 1, sizeof *b->of_row);
    RR_VEC(uint32_t) group_of = {0};
    for (size_t i = 0; i < b->n; i++) {
        const struct rr_book_row *r = &b->row[i];
        const struct key g = group_key(r);
        const uint32_t group = key_number(&b->group, &g);
        const char *what = *key_instance(r) ? "" : r->gpu;
        const struct key s = {{(const void *)(uintptr_t)(group + 1), r->region, r->zone, *what ? what : NULL,
                               *r->instance ? NULL : (const void *)(uintptr_t)(r->provider)}};
        b->of_row[i] = key_number(&b->series, &s);
        while (group_of.n < b->series.list.n) rr_vec_push(&group_of, group);
    }
    b->group_of = group_of.at;
}

static void make_series(struct build *b, struct rr_price_book *ret)
{
    const size_t n_series = b->series.list.n, n_groups = b->group.list.n;
    uint32_t *first = rr_xrealloc(NULL, n_series + n_groups + 2, sizeof *first), *row_of = RR_NEWS(b->arena, uint32_t, b->n + 1);
    uint32_t *group_first = rr_xrealloc(NULL, n_groups + 1, sizeof *first), *in_group = rr_xrealloc(NULL, n_series + 1, sizeof *first);
    uint32_t *scratch = rr_xrealloc(NULL, b->n + 1, sizeof *scratch);
    struct rr_book_series *series = RR_NEWS(b->arena, struct rr_book_series, n_series + 1);
    struct rr_book_group *group = RR_NEWS(b->arena, struct rr_book_group, n_groups + 1);
    count_sort(b->of_row, b->n, n_series, first, row_of);
    count_sort(b->group_of, n_series, n_groups, group_first, in_group);
    for (size_t i = 0; i < n_series; i++) {
        const uint32_t s = in_group[i];
        series[i] = (struct rr_book_series){b->series.list.at[s].part[1], b->series.list.at[s].part[2], first[s], first[s + 1] - first[s]};
        sort_dates(b->row, row_of + series[i].first, series[i].n, scratch);
    }
    for (size_t g = 0; g < n_groups; g++) {
        const struct key *k = &b->group.list.at[g];
        group[g] = (struct rr_book_group){
            k->part[0], k->part[1], k->part[2], k->part[3], k->part[4], group_first[g], group_first[g + 1] - group_first[g]};
    }
    ret->order = row_of;
    ret->series = series;
    ret->group = group;
    ret->n_series = n_series;
    ret->n_groups = n_groups;
    free(first);
    free(group_first);
    free(in_group);
    free(scratch);
}

static bool same_price(const struct rr_book_row *a, const struct rr_book_row *b)
{
    return a->nano == b->nano && a->upfront.micro == b->upfront.micro && a->unit == b->unit && memcmp(a->currency, b->currency, 4) == 0;
}

/* Rows that say nothing new go; of foreign lists also the earlier of two prices of one date. Returns how many. */
static size_t mark_repeated(const struct rr_price_book *b, bool last_counts, bool *drop)
{
    size_t n = 0;
    for (size_t s = 0; s < b->n_series; s++)
        for (uint32_t i = 1; i < b->series[s].n; i++) {
            const uint32_t was = b->order[b->series[s].first + i - 1], is = b->order[b->series[s].first + i];
            if (b->row[was].valid_us != b->row[is].valid_us) continue;
            if (!last_counts && !same_price(&b->row[was], &b->row[is])) continue;
            drop[was] = true;
            n++;
        }
    return n;
}

static void index_once(struct rr_price_import *in, struct rr_price_book *ret)
{
    struct build b = {.arena = in->arena, .row = ret->row, .n = ret->n};
    number_rows(&b);
    make_series(&b, ret);
    struct rr_book_index *x = RR_NEW(in->arena, struct rr_book_index);
    x->n_slots = b.group.n_slots;
    x->slot = RR_NEWS(in->arena, uint32_t, x->n_slots + 1);
    if (x->n_slots) memcpy(x->slot, b.group.slot, x->n_slots * sizeof *x->slot);
    ret->index = x;
    keys_done(&b.group);
    keys_done(&b.series);
    free(b.of_row);
    free(b.group_of);
}

/* The names' table into the arena: a book has nothing to free. */
static void keep_names(struct rr_price_import *in, struct rr_names *ret)
{
    const struct rr_names *s = &in->names;
    *ret = (struct rr_names){.arena = in->arena, .n_slots = s->n_slots};
    ret->slot = RR_NEWS(in->arena, uint32_t, s->n_slots + 1);
    ret->list.at = RR_NEWS(in->arena, const char *, s->list.n + 1);
    ret->list.n = ret->list.cap = s->list.n;
    if (s->n_slots) memcpy(ret->slot, s->slot, s->n_slots * sizeof *s->slot);
    if (s->list.n) memcpy(ret->list.at, s->list.at, s->list.n * sizeof *s->list.at);
}

void rr_price_index(struct rr_price_import *in, struct rr_price_book *ret)
{
    struct rr_price_book b = {.path = in->path, .n = in->row.n};
    memcpy(b.sha256, in->sha256, sizeof b.sha256);
    b.row = RR_NEWS(in->arena, struct rr_book_row, b.n + 1);
    if (b.n) memcpy(b.row, in->row.at, b.n * sizeof *b.row);
    index_once(in, &b);
    bool *drop = rr_xrealloc(NULL, b.n + 1, sizeof *drop);
    memset(drop, 0, b.n + 1);
    b.repeated = mark_repeated(&b, strcmp(in->format, "csv") != 0, drop);
    if (b.repeated) {
        size_t n = 0;
        for (size_t i = 0; i < b.n; i++)
            if (!drop[i]) b.row[n++] = b.row[i];
        b.n = n;
        index_once(in, &b);
    }
    free(drop);
    keep_names(in, &b.index->names);
    *ret = b;
}

void rr_book_merge(const struct rr_price_book *const *book, size_t n, struct rr_arena *a, struct rr_price_book *ret)
{
    struct rr_price_import in = {.path = n ? book[0]->path : "", .format = "merged", .arena = a, .names = {.arena = a}};
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < book[k]->n; i++) {
            struct rr_book_row r = book[k]->row[i];
            const char **text[] = {&r.provider, &r.product, &r.instance, &r.gpu,    &r.region, &r.zone,
                                   &r.plan,     &r.term,    &r.payment,  &r.source, &r.note};
            for (size_t t = 0; t < sizeof text / sizeof *text; t++) *text[t] = rr_price_word(&in, *text[t]);
            rr_vec_push(&in.row, r);
        }
    rr_price_index(&in, ret);
    rr_vec_done(&in.row);
    rr_names_done(&in.names);
}

/* ---- looking up ---- */

struct place {
    const char *region, *zone; /* interned; NULL: not in the book */
};

static const char *find_text(const struct rr_price_book *b, struct rr_slice s)
{
    const uint32_t k = rr_names_find(&b->index->names, s);
    return k == RR_NO_NAME ? NULL : b->index->names.list.at[k];
}

static const struct rr_book_group *find_group(const struct rr_price_book *b, const struct rr_book_query *q)
{
    const struct rr_book_index *x = b->index;
    const char *word[5] = {q->product ? q->product : "compute", q->instance, q->plan, q->term, q->payment};
    struct key k;
    if (x->n_slots == 0) return NULL;
    for (size_t i = 0; i < 5; i++) {
        k.part[i] = find_text(b, rr_slice(word[i], strlen(word[i])));
        if (!k.part[i]) return NULL;
    }
    for (size_t i = key_hash(&k) & (x->n_slots - 1); x->slot[i]; i = (i + 1) & (x->n_slots - 1)) {
        const struct rr_book_group *g = &b->group[x->slot[i] - 1];
        if (g->product == k.part[0] && g->instance == k.part[1] && g->plan == k.part[2] && g->term == k.part[3] && g->payment == k.part[4])
            return g;
    }
    return NULL;
}

/* The row of a series that holds at a time; before its first date NULL. */
static const struct rr_book_row *row_at(const struct rr_price_book *b, const struct rr_book_series *s, int64_t at_us)
{
    const struct rr_book_row *found = NULL;
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct rr_book_row *r = &b->row[b->order[s->first + mid]];
        if (r->valid_us <= at_us) {
            found = r;
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return found;
}

struct search {
    const struct rr_price_book *book;
    const struct rr_book_group *group;
    const struct rr_book_query *q;
    struct rr_slice region, zone; /* zone.n = 0: not said */
    const struct rr_book_row *row;
    bool early;
    int64_t at_us;
};

static void split_region(const char *region, struct rr_slice *ret_region, struct rr_slice *ret_zone)
{
    const size_t n = strcspn(region, "/");
    *ret_region = rr_slice(region, n);
    *ret_zone = region[n] ? rr_slice(region + n + 1, strlen(region + n + 1)) : rr_slice("", 0);
    if (rr_slice_is(*ret_region, "all") || rr_slice_is(*ret_region, "any")) ret_region->n = 0;
}

static const struct rr_book_row *first_row(const struct rr_price_book *b, const struct rr_book_series *s)
{
    return &b->row[b->order[s->first]];
}

/* Does the series answer? step 0: the zone asked for, 1: its region, 2: any zone of it, 3: what holds everywhere. */
static bool answers(const struct search *s, const struct rr_book_series *x, int step)
{
    const bool here = rr_slice_is(s->region, x->region);
    if (s->q->provider && strcmp(first_row(s->book, x)->provider, s->q->provider) != 0) return false;
    switch (step) {
    case 0: return s->zone.n > 0 && here && rr_slice_is(s->zone, x->zone);
    case 1: return here && *x->region && !*x->zone;
    case 2: return s->zone.n == 0 && (s->region.n == 0 || here);
    default: return !*x->region;
    }
}

static enum rr_status differ(const struct search *s, const struct rr_book_row *a, const struct rr_book_row *b)
{
    const bool zones = a->region == b->region;
    return rr_fail(RR_EINPUT, "%s: the %s price of %s depends on the %s (%s on line %d, %s on line %d, ...): give \"region\"%s",
                   s->book->path, s->q->plan, s->q->instance, zones ? "zone" : "region",
                   zones        ? a->zone
                   : *a->region ? a->region
                                : "any",
                   (int)a->line,
                   zones        ? b->zone
                   : *b->region ? b->region
                                : "any",
                   (int)b->line, zones ? " as \"REGION/ZONE\"" : "");
}

/* All series of one step must agree on what holds. A place where the offer has not begun or has ended is left out while another has one. */
static enum rr_status try_step(struct search *s, int step, bool early)
{
    const struct rr_book_row *best = NULL, *ended = NULL;
    for (uint32_t i = 0; i < s->group->n; i++) {
        const struct rr_book_series *x = &s->book->series[s->group->first + i];
        if (!answers(s, x, step)) continue;
        const struct rr_book_row *r = row_at(s->book, x, s->at_us);
        if (!r && early) r = first_row(s->book, x);
        if (!r) continue;
        if (!rr_book_offers(r)) {
            ended = r;
            continue;
        }
        if (best && !same_price(best, r)) return differ(s, best, r);
        if (!best || r->valid_us > best->valid_us) best = r;
    }
    s->row = best ? best : ended;
    s->early = early && best;
    return RR_OK;
}

static enum rr_status unknown_zone(const struct search *s)
{
    struct rr_buf known = {0};
    bool any = false;
    for (uint32_t i = 0; i < s->group->n; i++) {
        const struct rr_book_series *x = &s->book->series[s->group->first + i];
        if (!rr_slice_is(s->region, x->region) || !*x->zone) continue;
        if (known.n < 200) rr_buf_putf(&known, "%s%s", any ? ", " : "", x->zone);
        any = true;
    }
    enum rr_status st = RR_OK;
    if (any)
        st = rr_fail(RR_EINPUT, "%s: zone \"%.*s\" of %.*s is not known for %s; there is: %s", s->book->path, (int)s->zone.n, s->zone.at,
                     (int)s->region.n, s->region.at, s->q->instance, rr_buf_text(&known));
    rr_buf_done(&known);
    return st;
}

static bool zone_known(const struct search *s)
{
    for (uint32_t i = 0; i < s->group->n; i++)
        if (answers(s, &s->book->series[s->group->first + i], 0)) return true;
    return false;
}

static enum rr_status search(struct search *s)
{
    if (s->zone.n > 0 && !zone_known(s)) RR_TRY(unknown_zone(s));
    for (int early = 0; early < 2 && !s->row; early++)
        for (int step = 0; step < 4 && !s->row; step++) RR_TRY(try_step(s, step, early));
    return RR_OK;
}

enum rr_status rr_book_find(const struct rr_price_book *b, const struct rr_book_query *q, const struct rr_book_row **ret, bool *ret_early)
{
    struct search s = {.book = b, .q = q, .group = find_group(b, q), .at_us = q->at_us};
    *ret = NULL;
    if (ret_early) *ret_early = false;
    if (!s.group) return RR_OK;
    split_region(q->region, &s.region, &s.zone);
    RR_TRY(search(&s));
    if (s.row && !rr_book_offers(s.row)) {
        struct rr_buf day = {0};
        rr_buf_date(&day, s.row->valid_us);
        const enum rr_status st = rr_fail(RR_EINPUT, "%s:%d: %s is not offered %s%s%s from %s on", b->path, (int)s.row->line, q->instance,
                                          q->plan, *q->region ? " in " : "", q->region, rr_buf_text(&day));
        rr_buf_done(&day);
        return st;
    }
    *ret = s.row;
    if (ret_early) *ret_early = s.early;
    return RR_OK;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

void rr_book_changes(const struct rr_price_book *b, const struct rr_book_query *q, int64_t from_us, int64_t to_us, struct rr_arena *a,
                     int64_t **ret_us, size_t *ret_n)
{
    struct search s = {.book = b, .q = q, .group = find_group(b, q)};
    RR_VEC(int64_t) at = {0};
    split_region(q->region, &s.region, &s.zone);
    for (uint32_t i = 0; s.group && i < s.group->n; i++) {
        const struct rr_book_series *x = &b->series[s.group->first + i];
        bool any = false;
        for (int step = 0; step < 4; step++) any |= answers(&s, x, step);
        for (uint32_t k = 0; any && k < x->n; k++) {
            const int64_t t = b->row[b->order[x->first + k]].valid_us;
            if (t > from_us && t < to_us) rr_vec_push(&at, t);
        }
    }
    if (at.n) qsort(at.at, at.n, sizeof *at.at, by_value);
    *ret_us = RR_NEWS(a, int64_t, at.n + 1);
    *ret_n = 0;
    for (size_t i = 0; i < at.n; i++)
        if (i == 0 || at.at[i] != at.at[i - 1]) (*ret_us)[(*ret_n)++] = at.at[i];
    rr_vec_done(&at);
}

/* ---- checks and writing ---- */

enum rr_status rr_book_conflicts(const struct rr_price_book *b)
{
    for (size_t s = 0; s < b->n_series; s++)
        for (uint32_t i = 1; i < b->series[s].n; i++) {
            const struct rr_book_row *was = &b->row[b->order[b->series[s].first + i - 1]], *is = &b->row[b->order[b->series[s].first + i]];
            if (memcmp(was->currency, is->currency, 4) != 0)
                return rr_fail(RR_EINPUT, "%s:%d: in %s, but the same price stands in %s on line %d", b->path, (int)is->line, is->currency,
                               was->currency, (int)was->line);
            if (was->valid_us == is->valid_us && !same_price(was, is))
                return rr_fail(RR_EINPUT,
                               "%s:%d: another price of the same key and day stands on line %d; `rackrate prices --lint` lists all",
                               b->path, (int)is->line, (int)was->line);
        }
    return RR_OK;
}

static void put_scaled(struct rr_buf *out, int64_t v, int digits)
{
    char text[32];
    size_t n = 0;
    rr_buf_puts(out, ",");
    if (v <= 0) return;
    for (int i = 0; v > 0 || i <= digits; i++, v /= 10) {
        if (i == digits && n > 0) text[n++] = '.';
        if (i < digits && n == 0 && v % 10 == 0) continue; // zeros at the end
        text[n++] = (char)('0' + v % 10);
    }
    while (n > 0) rr_buf_put(out, &text[--n], 1);
}

static void put_cell(struct rr_buf *out, const char *text)
{
    rr_buf_puts(out, ",");
    if (*text) rr_buf_csv(out, text);
}

void rr_book_write(struct rr_buf *out, const struct rr_price_book *b)
{
    rr_buf_puts(
        out, "provider,product,instance,gpu,gpu_count,unit,region,zone,plan,term,payment,currency,price,upfront,valid_from,source,note\n");
    for (size_t i = 0; i < b->n; i++) {
        const struct rr_book_row *r = &b->row[i];
        rr_buf_csv(out, r->provider);
        put_cell(out, r->product);
        put_cell(out, r->instance);
        put_cell(out, r->gpu);
        put_scaled(out, r->gpus_milli, 3);
        put_cell(out, rr_book_units[r->unit]);
        put_cell(out, r->region);
        put_cell(out, r->zone);
        put_cell(out, r->plan);
        put_cell(out, r->term);
        put_cell(out, r->payment);
        put_cell(out, r->currency);
        put_scaled(out, r->nano, 9);
        put_scaled(out, r->upfront.micro, 6);
        rr_buf_puts(out, ",");
        rr_buf_date(out, r->valid_us);
        put_cell(out, r->source);
        put_cell(out, r->note);
        rr_buf_puts(out, "\n");
    }
}
