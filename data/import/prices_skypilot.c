/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_skypilot.c - vms.csv of SkyPilot's catalogs: USD an hour of the whole machine, on demand and spot.
 *
 * Columns are read by name, their order differs. On GCP a machine is two rows, host and accelerator: they are added in their zone, and what has
 * no other half is kept as product "host" or "accelerator", never as a machine. TPU rows are whole prices. 700 is "no price found" on
 * TPU rows; a blank is no offer. A region's on-demand price is repeated zone by zone: one row where the zones agree. */
#include "data/import/prices_skypilot.h"
#include "data/base/csv.h"
#include <stdio.h>
#include <string.h>

enum { INSTANCE, ACCELERATOR, COUNT, PRICE, SPOT, REGION, ZONE, COLUMNS };
static const char *const names[COLUMNS] = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price",
                                           "SpotPrice",    "Region",          "AvailabilityZone"};
#define SENTINEL (INT64_C(700) * 1000000000)

struct raw { /* a row of the file; texts interned */
    const char *instance, *accelerator, *region, *zone;
    int64_t count_milli, price, spot;
    int32_t line;
};
struct catalog {
    struct rr_price_import *in;
    const char *provider, *source;
    int64_t valid_us;
    RR_VEC(struct raw) host, part; /* halves of machines */
};

static int skypilot_sniff(const char *head, size_t n)
{
    const char *end = memchr(head, '\n', n);
    const size_t line = end ? (size_t)(end - head) : n;
    return memmem(head, line, "InstanceType", 12) && memmem(head, line, "AcceleratorName", 15) && memmem(head, line, "SpotPrice", 9) ? 95
                                                                                                                                     : 0;
}

/* ---- names ---- */

static bool has(struct rr_slice s, const char *part) { return memmem(s.at, s.n, part, strlen(part)) != NULL; }
static bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

const char *rr_skypilot_gpu(struct rr_price_import *in, const char *provider, struct rr_slice instance, struct rr_slice name)
{
    const bool azure = strcmp(provider, "azure") == 0, pcie_v100 = azure || strcmp(provider, "ibm") == 0;
    const bool lambda = strcmp(provider, "lambda") == 0;
    if (rr_slice_is(name, "V100")) return rr_price_word(in, pcie_v100 ? "v100-16gb-pcie" : "v100-16gb-sxm");
    if (rr_slice_is(name, "A100")) return rr_price_word(in, lambda && !has(instance, "sxm") ? "a100-40gb-pcie" : "a100-40gb-sxm");
    if (rr_slice_is(name, "A100-80GB") && azure && has(instance, "_NC")) return rr_price_word(in, "a100-80gb-pcie");
    if (rr_slice_is(name, "H100") && has(instance, "pcie")) return rr_price_word(in, "h100-80gb-pcie");
    if (rr_slice_is(name, "H100-MEGA")) return rr_price_word(in, "h100-80gb-sxm");
    if (name.n > 4 && memcmp(name.at, "tpu-", 4) == 0) { // the slice's size goes
        size_t n = name.n;
        while (n > 4 && name.at[n - 1] != '-') n--;
        return rr_price_text(in, rr_slice(name.at, n > 5 ? n - 1 : name.n));
    }
    return rr_price_text(in, name);
}

/* "tpu-v5p-8192" counts TensorCores, two a chip (v2 to v5p); "tpu-v6e-256" and v5litepod count chips. */
static int64_t tpu_chips(struct rr_slice name)
{
    size_t at = name.n;
    int64_t n;
    while (at > 0 && name.at[at - 1] != '-') at--;
    if (rr_text_i64(rr_slice(name.at + at, name.n - at), &n) != RR_OK || n < 1 || n > 1000000) return 0;
    return has(name, "v6e") || has(name, "lite") ? n : (n + 1) / 2;
}

/* Azure cuts an A10 in six and an MI25 in eight: "NV6ads_A10_v5" has 6 of 36 vCPUs, "NV4as_v4" 4 of 32. */
static int64_t azure_share(struct rr_slice instance)
{
    static const char nv[] = "Standard_NV";
    const size_t n = sizeof nv - 1;
    int64_t vcpus = 0;
    if (instance.n <= n || memcmp(instance.at, nv, n) != 0) return 0;
    for (size_t i = n; i < instance.n && instance.at[i] >= '0' && instance.at[i] <= '9' && vcpus < 1000; i++)
        vcpus = vcpus * 10 + instance.at[i] - '0';
    const int64_t whole = has(instance, "ads_A10_v5") ? 36 : has(instance, "as_v4") ? 32 : 0;
    return vcpus < whole ? (vcpus * 2000 + whole) / (2 * whole) : 0;
}

int32_t rr_skypilot_gpus(struct rr_slice instance, struct rr_slice name, int64_t milli)
{
    const bool tpu = name.n > 4 && memcmp(name.at, "tpu-", 4) == 0;
    const int64_t chips = tpu ? tpu_chips(name) : 0, share = azure_share(instance);
    const int64_t v = chips ? chips * 1000 : milli == 1000 && share ? share : milli;
    return v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

/* The host that GCP sells with so many GPUs of a kind; NULL: any (n1). */
static const char *gcp_host(const char *gpu, int64_t milli, char text[32])
{
    static const struct {
        const char *gpu;
        int64_t gpus;
        const char *host;
    } odd[] = {{"A100", 16, "a2-megagpu-16g"}, {"L4", 1, "g2-standard-4"},  {"L4", 2, "g2-standard-24"},
               {"L4", 4, "g2-standard-48"},    {"L4", 8, "g2-standard-96"}, {"H100-MEGA", 8, "a3-megagpu-8g"},
               {"H200", 8, "a3-ultragpu-8g"},  {"B200", 8, "a4-highgpu-8g"}};
    static const char *const even[][2] = {{"A100", "a2-highgpu"}, {"A100-80GB", "a2-ultragpu"}, {"H100", "a3-highgpu"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (strcmp(odd[i].gpu, gpu) == 0 && odd[i].gpus * 1000 == milli) return odd[i].host;
    for (size_t i = 0; i < sizeof even / sizeof *even; i++)
        if (strcmp(even[i][0], gpu) == 0) {
            snprintf(text, 32, "%s-%dg", even[i][1], (int)(milli / 1000));
            return text;
        }
    return NULL;
}

static bool is_gpu_host(const char *instance)
{
    return begins(instance, "a2-") || begins(instance, "a3-") || begins(instance, "a4-") || begins(instance, "g2-");
}

/* ---- rows ---- */

static enum rr_status emit_price(struct catalog *c, const struct rr_book_row *base, const char *plan, int64_t nano, const char *none)
{
    struct rr_book_row r = *base;
    if (nano == RR_BOOK_NO_PRICE) {
        rr_price_leave(c->in, base->line, none);
        return RR_OK;
    }
    if (nano == 0) {
        rr_price_leave(c->in, base->line, "a price of 0");
        return RR_OK;
    }
    if (nano == SENTINEL && begins(base->gpu, "tpu-")) {
        rr_price_leave(c->in, base->line, "a price of 700 that stands for none (TPU)");
        return RR_OK;
    }
    r.plan = rr_price_word(c->in, plan);
    r.nano = nano;
    return rr_price_add(c->in, &r);
}

static enum rr_status emit(struct catalog *c, const struct raw *x, const char *product, const char *instance, const char *note)
{
    const struct rr_slice type = rr_slice(x->instance, strlen(x->instance)), gpu = rr_slice(x->accelerator, strlen(x->accelerator));
    struct rr_book_row r = {.provider = c->provider,
                            .product = rr_price_word(c->in, product),
                            .instance = rr_price_id(c->in, c->provider, rr_slice(instance, strlen(instance))),
                            .gpu = rr_skypilot_gpu(c->in, c->provider, type, gpu),
                            .region = x->region,
                            .zone = x->zone,
                            .source = c->source,
                            .note = rr_price_word(c->in, note),
                            .valid_us = c->valid_us,
                            .gpus_milli = rr_skypilot_gpus(type, gpu, x->count_milli),
                            .line = x->line,
                            .unit = RR_BOOK_INSTANCE_HOUR,
                            .currency = "USD"};
    RR_TRY(emit_price(c, &r, "on_demand", x->price, "no on-demand offer (blank)"));
    const bool none = x->spot == SENTINEL && begins(r.gpu, "tpu-");
    const bool dear = x->price > 0 && x->spot > 0 && !none && (rr_i128)x->spot * 100000 > (rr_i128)x->price * 100001;
    if (dear) {
        rr_price_keep(c->in, x->line, "spot above on demand");
        r.note =
            rr_price_word(c->in, rr_strf(c->in->arena, "%s%sspot above on demand: two products in one column?", note, *note ? "; " : ""));
    }
    return emit_price(c, &r, "spot", x->spot, "no spot offer (blank)");
}

static const struct raw *find_host(const struct catalog *c, const char *name, const struct raw *part)
{
    const struct raw *found = NULL;
    for (size_t i = 0; i < c->host.n; i++) {
        const struct raw *h = &c->host.at[i];
        if (strcmp(h->instance, name) == 0 && h->region == part->region && h->zone == part->zone) found = h;
    }
    return found;
}

/* What it costs together; a half that is not offered, or not really priced, makes the whole so. */
static int64_t both(int64_t a, int64_t b)
{
    int64_t sum;
    if (a <= 0 || b <= 0) return RR_BOOK_NO_PRICE;
    return __builtin_add_overflow(a, b, &sum) ? RR_BOOK_NO_PRICE : sum;
}

static void put_nano(struct rr_buf *b, int64_t nano)
{
    struct rr_money m;
    if (rr_round_div(nano, 1000, &m.micro) == RR_OK) rr_buf_money_plain(b, m);
}

static enum rr_status emit_part(struct catalog *c, const struct raw *part)
{
    char text[32];
    const char *name = gcp_host(part->accelerator, part->count_milli, text);
    const struct raw *host = name ? find_host(c, name, part) : NULL;
    if (!host) {
        rr_price_keep(c->in, part->line, "an accelerator without its host, kept as product accelerator");
        return emit(c, part, "accelerator", rr_strf(c->in->arena, "%s:%d", part->accelerator, (int)(part->count_milli / 1000)), "");
    }
    struct raw whole = *part;
    struct rr_buf note = {0};
    whole.instance = host->instance;
    whole.price = both(host->price, part->price);
    whole.spot = both(host->spot, part->spot);
    rr_buf_puts(&note, "host ");
    put_nano(&note, host->price > 0 ? host->price : 0);
    rr_buf_puts(&note, " + accelerator ");
    put_nano(&note, part->price > 0 ? part->price : 0);
    rr_buf_puts(&note, " an hour");
    const enum rr_status st = emit(c, &whole, "compute", host->instance, rr_buf_text(&note));
    rr_buf_done(&note);
    return st;
}

static enum rr_status take(struct catalog *c, const struct raw *x)
{
    const bool tpu = begins(x->accelerator, "tpu-");
    if (!*x->instance && !*x->accelerator) return rr_price_fail(c->in, x->line, "neither InstanceType nor AcceleratorName");
    if (!*x->instance && tpu) return emit(c, x, "compute", x->accelerator, "");
    if (!*x->instance) {
        rr_vec_push(&c->part, *x);
        return RR_OK;
    }
    if (!*x->accelerator && strcmp(c->provider, "gcp") == 0 && is_gpu_host(x->instance)) {
        rr_vec_push(&c->host, *x);
        return RR_OK;
    }
    return emit(c, x, "compute", x->instance, "");
}

/* ---- the file ---- */

static enum rr_status find_columns(struct catalog *c, const struct rr_csv_row *head, int at[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        at[i] = rr_csv_find(head, names[i]);
        if (at[i] < 0 && i != ZONE) return rr_price_fail(c->in, head->line, "column \"%s\" is missing", names[i]);
    }
    return RR_OK;
}

static struct rr_slice cell(const struct rr_csv_row *row, int i)
{
    return i >= 0 && (size_t)i < row->n ? rr_trim(row->cell[i]) : rr_slice("", 0);
}

static enum rr_status read_row(struct catalog *c, const struct rr_csv_row *row, const int at[COLUMNS])
{
    struct rr_price_import *in = c->in;
    const struct rr_slice count = cell(row, at[COUNT]);
    struct raw x = {.instance = rr_price_text(in, cell(row, at[INSTANCE])),
                    .accelerator = rr_price_text(in, cell(row, at[ACCELERATOR])),
                    .region = rr_price_text(in, cell(row, at[REGION])),
                    .zone = rr_price_text(in, cell(row, at[ZONE])),
                    .line = (int32_t)(row->line < INT32_MAX ? row->line : INT32_MAX)};
    RR_TRY(rr_price_nano(in, row->line, cell(row, at[PRICE]), false, &x.price));
    RR_TRY(rr_price_nano(in, row->line, cell(row, at[SPOT]), false, &x.spot));
    if (count.n && (rr_text_scaled(count, 3, &x.count_milli) != RR_OK || x.count_milli < 0 || x.count_milli > INT32_MAX))
        return rr_price_fail(in, row->line, "AcceleratorCount \"%.*s\" is no number such as 8", (int)(count.n < 60 ? count.n : 60),
                             count.at);
    return take(c, &x);
}

static enum rr_status read_rows(struct catalog *c)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    enum rr_status st;
    int at[COLUMNS];
    RR_TRY(rr_csv_open(c->in->path, (struct rr_csv_options){0}, &csv));
    RR_GO(rr_csv_next(csv, &row));
    RR_GO(row.n == 0 ? rr_price_fail(c->in, 0, "the file is empty") : find_columns(c, &row, at));
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        RR_GO(read_row(c, &row, at));
        c->in->read++;
    }
    RR_GO(rr_csv_sha256(csv, c->in->sha256));
out:
    rr_csv_close(csv);
    return st;
}

static enum rr_status skypilot_read(struct rr_price_import *in)
{
    struct catalog c = {.in = in, .provider = rr_price_provider(in)};
    const char *slash = strrchr(in->path, '/');
    c.source = rr_price_word(in, rr_price_set(in, "source", rr_strf(in->arena, "SkyPilot catalog %s", slash ? slash + 1 : in->path)));
    RR_TRY(rr_price_date(in, &c.valid_us));
    enum rr_status st = read_rows(&c);
    for (size_t i = 0; i < c.part.n && st == RR_OK; i++) st = emit_part(&c, &c.part.at[i]);
    for (size_t i = 0; i < c.host.n && st == RR_OK; i++)
        st = emit(&c, &c.host.at[i], "host", c.host.at[i].instance, "without its accelerator");
    if (st == RR_OK) rr_price_collapse(in);
    rr_vec_done(&c.host);
    rr_vec_done(&c.part);
    return st;
}

const struct rr_price_reader rr_price_reader_skypilot = {.name = "skypilot",
                                                         .summary = "vms.csv of a SkyPilot catalog: one day's prices of one cloud",
                                                         .sniff = skypilot_sniff,
                                                         .read = skypilot_read,
                                                         .keys = "provider valid_from source"};
