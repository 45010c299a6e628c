/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_import.c - what readers of price lists share: texts, words, dates, counts of what was left out, and one file to one book. */
#include "data/price_import.h"
#include "data/base/input.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct rr_price_reader *const rr_price_readers[] = {
#define X(name) &rr_price_reader_##name,
#include "data/import/prices_list.h"
#undef X
    NULL};

enum { HEAD = 4096 };

enum rr_status rr_price_fail(const struct rr_price_import *in, int64_t line, const char *fmt, ...)
{
    char text[RR_REASON_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return line > 0 ? rr_fail(RR_EINPUT, "%s:%lld: %s", in->path, (long long)line, text) : rr_fail(RR_EINPUT, "%s: %s", in->path, text);
}

/* ---- texts ---- */

const char *rr_price_text(struct rr_price_import *in, struct rr_slice s)
{
    const uint32_t k = rr_names_add(&in->names, s);
    return in->names.list.at[k];
}
const char *rr_price_word(struct rr_price_import *in, const char *s) { return rr_price_text(in, rr_slice(s, strlen(s))); }

const char *rr_price_id(struct rr_price_import *in, const char *provider, struct rr_slice instance)
{
    char text[256];
    const size_t n = strlen(provider);
    if (instance.n == 0 || n == 0 || n + 1 + instance.n > sizeof text) return rr_price_text(in, instance);
    if (instance.n > n && memcmp(instance.at, provider, n) == 0 && instance.at[n] == '/') return rr_price_text(in, instance);
    memcpy(text, provider, n);
    text[n] = '/';
    memcpy(text + n + 1, instance.at, instance.n);
    return rr_price_text(in, rr_slice(text, n + 1 + instance.n));
}

const char *rr_price_set(const struct rr_price_import *in, const char *key, const char *otherwise)
{
    for (size_t i = 0; in->opt && i < in->opt->n_set; i++)
        if (strcmp(in->opt->set[i].key, key) == 0) return in->opt->set[i].value;
    return otherwise;
}

/* "YYYY-MM-DD" in the path, with no digit beside it. */
static struct rr_slice date_in(const char *path)
{
    static const char shape[] = "dddd-dd-dd";
    for (const char *p = path; *p; p++) {
        size_t i = 0;
        while (i < 10 && (shape[i] == 'd' ? p[i] >= '0' && p[i] <= '9' : p[i] == '-')) i++;
        const bool after = i == 10 && p[10] >= '0' && p[10] <= '9', before = p > path && p[-1] >= '0' && p[-1] <= '9';
        if (i == 10 && !after && !before) return rr_slice(p, 10);
    }
    return rr_slice("", 0);
}

enum rr_status rr_price_date(const struct rr_price_import *in, int64_t *ret_us)
{
    const char *said = rr_price_set(in, "valid_from", NULL);
    if (said) {
        const enum rr_status st = rr_price_when(rr_slice(said, strlen(said)), ret_us);
        return st == RR_OK ? st : rr_fail_in(st, "--set valid_from");
    }
    const struct rr_slice found = date_in(in->path);
    if (found.n > 0 && rr_price_when(found, ret_us) == RR_OK) return RR_OK;
    return rr_fail(RR_EINPUT, "%s: of which day are these prices? --set valid_from=2026-01-01", in->path);
}

const char *rr_price_provider(struct rr_price_import *in)
{
    const char *said = rr_price_set(in, "provider", NULL), *slash = strrchr(in->path, '/');
    if (said) return rr_price_word(in, said);
    const char *name = slash ? slash + 1 : in->path;
    return rr_price_text(in, rr_slice(name, strcspn(name, "._")));
}

enum rr_status rr_price_when(struct rr_slice s, int64_t *ret_us)
{
    char text[16];
    if (s.n == 4 || s.n == 7) {
        snprintf(text, sizeof text, "%.*s%s", (int)s.n, s.at, s.n == 4 ? "-01-01" : "-01");
        if (rr_date_parse(rr_slice(text, strlen(text)), ret_us) == RR_OK) return RR_OK;
    } else if (rr_date_parse(s, ret_us) == RR_OK) {
        return RR_OK;
    }
    return rr_fail(RR_EINPUT, "\"%.*s\" is no date such as 2026-01-31 or 2026-01-31T08:30:00Z", (int)(s.n < 60 ? s.n : 60), s.at);
}

/* Digits behind the point. */
static size_t decimals(struct rr_slice s)
{
    const char *point = memchr(s.at, '.', s.n);
    if (!point || memchr(s.at, 'e', s.n) || memchr(s.at, 'E', s.n)) return 0;
    size_t n = (size_t)(s.at + s.n - point) - 1;
    while (n > 9 && point[n] == '0') n--;
    return n;
}

enum rr_status rr_price_nano(const struct rr_price_import *in, int64_t line, struct rr_slice s, bool exact, int64_t *ret)
{
    if (s.n == 0) {
        *ret = RR_BOOK_NO_PRICE;
        return RR_OK;
    }
    const int n = (int)(s.n < 60 ? s.n : 60);
    int64_t v;
    if (rr_text_scaled(s, 9, &v) != RR_OK) return rr_price_fail(in, line, "\"%.*s\" is no price such as 3.06", n, s.at);
    if (v < 0 || *s.at == '-') return rr_price_fail(in, line, "the price %.*s is negative", n, s.at);
    if (exact && decimals(s) > 9) return rr_price_fail(in, line, "the price %.*s has more than 9 decimals", n, s.at);
    *ret = v;
    return RR_OK;
}

static bool counted(struct rr_price_left *list, size_t n, const char *reason)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].reason, reason) == 0) return ++list[i].n > 0;
    return false;
}

void rr_price_leave(struct rr_price_import *in, int64_t line, const char *reason)
{
    const struct rr_price_left x = {reason, 1, line};
    if (!counted(in->left.at, in->left.n, reason)) rr_vec_push(&in->left, x);
}

void rr_price_keep(struct rr_price_import *in, int64_t line, const char *reason)
{
    const struct rr_price_left x = {reason, 1, line};
    if (!counted(in->kept.at, in->kept.n, reason)) rr_vec_push(&in->kept, x);
}

/* ---- rows ---- */

static bool is_word(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

static size_t count(const char *const *words)
{
    size_t n = 0;
    while (words[n]) n++;
    return n;
}

/* The GPU's id in place of one of its other names; looked up once a name. */
static const char *gpu_id(struct rr_price_import *in, const char *name)
{
    if (!in->catalog || !*name) return name;
    const uint32_t k = rr_names_add(&in->names, rr_slice(name, strlen(name)));
    while (in->gpu.n <= k) rr_vec_push(&in->gpu, NULL);
    if (in->gpu.at[k]) return in->gpu.at[k];
    const char *id = name;
    for (size_t i = 0; i < in->catalog->n_gpus; i++)
        if (rr_gpu_is(&in->catalog->gpu[i], name)) id = rr_price_word(in, in->catalog->gpu[i].id);
    in->gpu.at[k] = id;
    return id;
}

static enum rr_status check_commitment(const struct rr_price_import *in, const struct rr_book_row *row)
{
    static const char *const payments[] = {"", "no_upfront", "partial_upfront", "all_upfront", NULL};
    if (!is_word(payments, row->payment))
        return rr_price_fail(in, row->line, "payment \"%s\" is not no_upfront, partial_upfront or all_upfront", row->payment);
    if (strcmp(row->plan, "reserved") == 0 && !*row->term)
        return rr_price_fail(in, row->line, "a reserved price needs a term, such as \"1 year\"");
    if ((strcmp(row->plan, "on_demand") == 0 || strcmp(row->plan, "spot") == 0) && (*row->term || *row->payment || row->upfront.micro))
        return rr_price_fail(in, row->line, "term, payment and upfront do not go with %s", row->plan);
    if (row->upfront.micro < 0) return rr_price_fail(in, row->line, "upfront is negative");
    return RR_OK;
}

static enum rr_status check_row(const struct rr_price_import *in, const struct rr_book_row *row)
{
    if (!is_word(rr_book_plans, row->plan))
        return rr_price_fail(in, row->line, "plan \"%s\" is not known%s", row->plan,
                             rr_did_you_mean(in->arena, row->plan, rr_book_plans, count(rr_book_plans)));
    if (strlen(row->currency) != 3 || strspn(row->currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
        return rr_price_fail(in, row->line, "\"%s\" is no currency code such as USD", row->currency);
    if (*row->zone && !*row->region) return rr_price_fail(in, row->line, "zone \"%s\" without a region", row->zone);
    if (row->nano == 0) return rr_price_fail(in, row->line, "a price of 0; leave the cell empty when there is no offer from then on");
    if (row->unit == RR_BOOK_GPU_HOUR || row->unit == RR_BOOK_GPU_SECOND || row->unit == RR_BOOK_INSTANCE_HOUR)
        if (!*row->instance && !*row->gpu) return rr_price_fail(in, row->line, "neither instance nor gpu is given");
    return check_commitment(in, row);
}

/* Takes what was agreed off the row, and says so in its note. */
static enum rr_status take_off(struct rr_price_import *in, struct rr_book_row *r)
{
    const struct rr_book_discount *d = in->opt ? rr_book_discount(in->opt->discount, in->opt->n_discounts, r) : NULL;
    char share[RR_DOUBLE_MAX];
    if (!d) return RR_OK;
    if (rr_book_less(d, &r->nano, &r->upfront) != RR_OK) return rr_price_fail(in, r->line, "the price does not fit");
    r->note = rr_price_word(in, rr_strf(in->arena, "%s%sless %s %% (%s)", r->note, *r->note ? "; " : "",
                                        rr_double_text((double)d->share_nano / 1e7, share), d->pattern));
    return RR_OK;
}

enum rr_status rr_price_add(struct rr_price_import *in, const struct rr_book_row *row)
{
    struct rr_book_row r = *row;
    const char *none = "";
    const char **text[] = {&r.provider, &r.product, &r.instance, &r.gpu,    &r.region, &r.zone,
                           &r.plan,     &r.term,    &r.payment,  &r.source, &r.note};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!*text[i]) *text[i] = none;
    if (!*r.product) r.product = rr_price_word(in, "compute");
    r.gpu = gpu_id(in, r.gpu);
    RR_TRY(check_row(in, &r));
    RR_TRY(take_off(in, &r));
    const char *empty = rr_price_text(in, rr_slice("", 0));
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!**text[i]) *text[i] = empty;
    if (in->row.n >= INT32_MAX) return rr_price_fail(in, row->line, "more than %d rows", INT32_MAX);
    rr_vec_push(&in->row, r);
    return RR_OK;
}

/* ---- zones that agree ---- */

struct zone_row {
    const char *product, *instance, *region;
    size_t i;
};

static int by_place(const void *a, const void *b)
{
    const struct zone_row *x = a, *y = b;
    if (x->instance != y->instance) return (uintptr_t)x->instance < (uintptr_t)y->instance ? -1 : 1;
    if (x->product != y->product) return (uintptr_t)x->product < (uintptr_t)y->product ? -1 : 1;
    if (x->region != y->region) return (uintptr_t)x->region < (uintptr_t)y->region ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* The rows [from, to) of one machine in one region: the first for all, unless they differ. */
static void collapse_span(struct rr_price_import *in, const struct zone_row *z, size_t from, size_t to, bool *drop)
{
    const struct rr_book_row *first = &in->row.at[z[from].i];
    for (size_t k = from; k < to; k++) {
        const struct rr_book_row *r = &in->row.at[z[k].i];
        if (r->nano != first->nano || r->gpus_milli != first->gpus_milli || r->valid_us != first->valid_us) return;
    }
    in->row.at[z[from].i].zone = rr_price_text(in, rr_slice("", 0));
    for (size_t k = from + 1; k < to; k++) drop[z[k].i] = true;
    in->collapsed += to - from - 1;
}

void rr_price_collapse(struct rr_price_import *in)
{
    RR_VEC(struct zone_row) z = {0};
    bool *drop = rr_xrealloc(NULL, in->row.n + 1, sizeof *drop);
    memset(drop, 0, in->row.n + 1);
    for (size_t i = 0; i < in->row.n; i++) {
        const struct rr_book_row *r = &in->row.at[i];
        const struct zone_row x = {r->product, r->instance, r->region, i};
        if (strcmp(r->plan, "on_demand") == 0) rr_vec_push(&z, x);
    }
    if (z.n) qsort(z.at, z.n, sizeof *z.at, by_place);
    for (size_t from = 0, to; from < z.n; from = to) {
        for (to = from + 1; to < z.n; to++)
            if (z.at[to].instance != z.at[from].instance || z.at[to].product != z.at[from].product || z.at[to].region != z.at[from].region)
                break;
        collapse_span(in, z.at, from, to, drop);
    }
    size_t n = 0;
    for (size_t i = 0; i < in->row.n; i++)
        if (!drop[i]) in->row.at[n++] = in->row.at[i];
    in->row.n = n;
    free(drop);
    rr_vec_done(&z);
}

/* ---- one file ---- */

static enum rr_status read_head(const char *path, char head[HEAD + 1], size_t *n)
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = RR_OK;
    size_t got = 1;
    for (*n = 0; st == RR_OK && got > 0 && *n < HEAD; *n += got) {
        got = 0;
        st = rr_input_read(in, head + *n, HEAD - *n, &got);
    }
    head[*n] = '\0';
    rr_input_close(in);
    return st;
}

static enum rr_status pick(const char *path, const char *format, struct rr_arena *a, const struct rr_price_reader **ret)
{
    char head[HEAD + 1];
    size_t n, known = 0;
    int best = 0;
    const char *names[32];
    const bool any = !format || strcmp(format, "auto") == 0;
    *ret = NULL;
    RR_TRY(read_head(path, head, &n));
    for (const struct rr_price_reader *const *r = rr_price_readers; *r; r++) {
        const int sure = any ? (*r)->sniff(head, n) : strcmp((*r)->name, format) == 0;
        if (known < 32) names[known++] = (*r)->name;
        if (sure <= best) continue;
        best = sure;
        *ret = *r;
    }
    if (*ret) return RR_OK;
    const char *all = "";
    for (size_t i = 0; i < known; i++) all = rr_strf(a, "%s%s%s", all, i ? ", " : "", names[i]);
    if (any) return rr_fail(RR_EINPUT, "%s: no price list that is known here (%s)", path, all);
    return rr_fail(RR_EUSAGE, "--format %s is no price list%s; known: %s", format, rr_did_you_mean(a, format, names, known), all);
}

static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; *p;) {
        const size_t k = strcspn(p, " ");
        if (k == n && memcmp(p, word, n) == 0) return true;
        p += k + (p[k] == ' ');
    }
    return false;
}

static enum rr_status check_options(const struct rr_price_reader *r, const struct rr_price_options *o)
{
    for (size_t i = 0; o && i < o->n_set; i++)
        if (!has_word(r->keys, o->set[i].key)) return rr_fail(RR_EUSAGE, "--set %s: a %s file takes %s", o->set[i].key, r->name, r->keys);
    if (o && o->n_columns > 0 && strcmp(r->name, "csv") != 0)
        return rr_fail(RR_EUSAGE, "--column is for --format csv; a %s file has columns of its own", r->name);
    return RR_OK;
}

static void import_done(struct rr_price_import *in)
{
    rr_vec_done(&in->row);
    rr_vec_done(&in->gpu);
    rr_vec_done(&in->left);
    rr_vec_done(&in->kept);
    rr_names_done(&in->names);
}

static void tell(const struct rr_price_import *in, struct rr_price_imported *told)
{
    struct rr_price_left *left = RR_NEWS(in->arena, struct rr_price_left, in->left.n + 1);
    struct rr_price_left *kept = RR_NEWS(in->arena, struct rr_price_left, in->kept.n + 1);
    if (in->left.n) memcpy(left, in->left.at, in->left.n * sizeof *left);
    if (in->kept.n) memcpy(kept, in->kept.at, in->kept.n * sizeof *kept);
    *told = (struct rr_price_imported){in->format, in->read, left, kept, in->left.n, in->kept.n, in->collapsed};
}

enum rr_status rr_price_import(const char *path, const struct rr_price_options *opt, const struct rr_catalog *c, struct rr_arena *a,
                               struct rr_price_book *ret, struct rr_price_imported *told)
{
    const struct rr_price_reader *r;
    RR_TRY(pick(path, opt ? opt->format : NULL, a, &r));
    RR_TRY(check_options(r, opt));
    struct rr_price_import in = {
        .path = rr_strdup(a, path), .format = r->name, .opt = opt, .catalog = c, .arena = a, .names = {.arena = a}};
    const enum rr_status st = r->read(&in);
    if (st == RR_OK) {
        if (told) tell(&in, told);
        rr_price_index(&in, ret);
    }
    import_done(&in);
    return st;
}

enum rr_status rr_book_read_raw(const char *path, const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret)
{
    static const struct rr_price_options csv = {.format = "csv"};
    const struct rr_price_reader *r;
    if (pick(path, NULL, a, &r) == RR_OK && strcmp(r->name, "csv") != 0)
        return rr_fail(RR_EINPUT, "%s is a price list (%s), no book: rackrate import prices %s -o BOOK makes one of it", path, r->name,
                       path);
    return rr_price_import(path, &csv, c, a, ret, NULL);
}

enum rr_status rr_book_read(const char *path, const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret)
{
    struct rr_price_book b;
    RR_TRY(rr_book_read_raw(path, c, a, &b));
    RR_TRY(rr_book_conflicts(&b));
    *ret = b;
    return RR_OK;
}
