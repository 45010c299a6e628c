/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_spot.c - a price or an availability of a spot pool: a constant, a file or a model, into a struct rr_spot_feed. */
#include "data/param_field.h"
#include "data/spot_feed.h"
#include <stdio.h>
#include <string.h>

#define N_OF(table) (sizeof(table) / sizeof *(table))

static const char *const unit_words[] = {"ms", "s", "h", NULL};
static const char *const align_words[] = {"start", "absolute", NULL};
static const char *const bucket_words[] = {"<5 %", "5-10 %", "10-15 %", "15-20 %", ">20 %", NULL};
// Middles of the advisor's ranges; the last one is open, and a quarter is taken for it.
const double rr_spot_bucket_share[] = {0.025, 0.075, 0.125, 0.175, 0.25};

#define FILE_ROW(member) offsetof(struct rr_spot_file, member)
static const struct rr_param file_rows[] = {
    {.name = "file",
     .type = RR_P_PATH,
     .offset = FILE_ROW(path),
     .unit = "",
     .help = "a series over time, plain, .gz or .zst",
     .flags = RR_PF_REQUIRED},
    {.name = "format", .type = RR_P_TEXT, .offset = FILE_ROW(format), .unit = "", .def = "\"auto\"", .help = "how it is written"},
    {.name = "zone", .type = RR_P_TEXT, .offset = FILE_ROW(zone), .unit = "", .help = "which zone, where the file has several"},
    {.name = "instance",
     .type = RR_P_TEXT,
     .offset = FILE_ROW(instance),
     .unit = "",
     .help = "which instance type, where the file has several"},
    {.name = "currency", .type = RR_P_TEXT, .offset = FILE_ROW(currency), .unit = "", .def = "\"USD\"", .help = "of the file's prices"},
    {.name = "gap",
     .type = RR_P_TIME,
     .offset = FILE_ROW(gap_us),
     .unit = "time",
     .least = 1,
     .most = 366.0 * (double)RR_D,
     .help = "from one number to the next, in place of what a skypilot file says"},
    {.name = "gap_limit",
     .type = RR_P_TIME,
     .offset = FILE_ROW(gap_limit_us),
     .unit = "time",
     .least = 1,
     .most = 3660.0 * (double)RR_D,
     .help = "longer gaps are told in the report; absent: a week for prices, an hour for nodes"},
    {.name = "from",
     .type = RR_P_TIME,
     .offset = FILE_ROW(from_us),
     .unit = "time",
     .def = "\"0 s\"",
     .least = 0,
     .most = 36600.0 * (double)RR_D,
     .help = "the scenario starts so far into the series"},
    {.name = "unit",
     .type = RR_P_WORD,
     .offset = FILE_ROW(unit),
     .unit = "",
     .def = "\"ms\"",
     .help = "of the times of node counts",
     .words = unit_words},
    {.name = "align",
     .type = RR_P_WORD,
     .offset = FILE_ROW(align),
     .unit = "",
     .def = "\"start\"",
     .help = "the series begins with the scenario, or its dates are the scenario's",
     .words = align_words},
    {.name = "repeat",
     .type = RR_P_BOOL,
     .offset = FILE_ROW(repeat),
     .unit = "",
     .def = "false",
     .help = "the series begins again at its end"},
    {.name = "times",
     .type = RR_P_INT,
     .offset = FILE_ROW(times),
     .unit = "nodes",
     .def = "1",
     .least = 1,
     .most = 1e6,
     .help = "nodes for each one of the file"},
};

#define OU_ROW(member) offsetof(struct rr_spot_ou_rows, member)
static const struct rr_param ou_rows[] = {
    [RR_OU_MEAN] = {.name = "mean",
                    .type = RR_P_RATE,
                    .offset = OU_ROW(mean),
                    .unit = "per node or GPU, and hour",
                    .help = "median of the price in the long run: e to the mean of its logarithm"},
    [RR_OU_SD] = {.name = "sd",
                  .type = RR_P_REAL,
                  .offset = OU_ROW(sd),
                  .unit = "",
                  .least = 0,
                  .most = 3,
                  .help = "standard deviation of the price's logarithm in the long run"},
    [RR_OU_HALF_LIFE] = {.name = "half_life",
                         .type = RR_P_TIME,
                         .offset = OU_ROW(half_life_us),
                         .unit = "time",
                         .least = (double)RR_S,
                         .most = 3660.0 * (double)RR_D,
                         .help = "after which half of a deviation is gone"},
    [RR_OU_STEP] = {.name = "step",
                    .type = RR_P_TIME,
                    .offset = OU_ROW(step_us),
                    .unit = "time",
                    .def = "\"1 h\"",
                    .least = (double)RR_S,
                    .most = 31.0 * (double)RR_D,
                    .help = "the price changes this often"},
    [RR_OU_LEAST] = {.name = "least",
                     .type = RR_P_RATE,
                     .offset = OU_ROW(least),
                     .unit = "per node or GPU, and hour",
                     .help = "the price is never below"},
    [RR_OU_MOST] = {.name = "most",
                    .type = RR_P_RATE,
                    .offset = OU_ROW(most),
                    .unit = "per node or GPU, and hour",
                    .help = "the price is never above, such as the on-demand rate"},
    [RR_OU_EVIDENCE] = {.name = "evidence",
                        .type = RR_P_TEXT,
                        .offset = OU_ROW(evidence),
                        .unit = "",
                        .help = "hardware and years that the parameters come from, for the report"},
};

#define HAZARD_ROW(member) offsetof(struct rr_spot_hazard_rows, member)
static const struct rr_param hazard_rows[] = {
    [RR_HAZARD_BUCKET] = {.name = "hazard",
                          .type = RR_P_WORD,
                          .offset = HAZARD_ROW(bucket),
                          .unit = "",
                          .help = "share of nodes taken back in a month, as the AWS Spot Advisor says it",
                          .source = "ranges of the AWS Spot Advisor, June 2025",
                          .words = bucket_words},
    [RR_HAZARD_MONTHLY] = {.name = "monthly",
                           .type = RR_P_SHARE,
                           .offset = HAZARD_ROW(monthly),
                           .unit = "share",
                           .least = 0,
                           .most = 0.999999,
                           .help = "in place of \"hazard\": share of nodes taken back in a month"},
    [RR_HAZARD_BATCH] = {.name = "batch",
                         .type = RR_P_REAL,
                         .offset = HAZARD_ROW(batch),
                         .unit = "nodes",
                         .def = "2.1",
                         .least = 1,
                         .most = 10000,
                         .help = "nodes taken back at once, mean of a geometric distribution",
                         .source = "Bamboo traces, AWS p3, 2021: 167 removals at 79 times"},
    [RR_HAZARD_BACK] = {.name = "back",
                        .type = RR_P_DIST_TIME,
                        .offset = HAZARD_ROW(back_us),
                        .unit = "time",
                        .def = "{\"exponential\": {\"mean\": \"10 min\"}}",
                        .least = 0,
                        .most = 366.0 * (double)RR_D,
                        .help = "until as many nodes can be had again",
                        .source = "assumption of the order of the Bamboo traces' gaps between additions"},
    [RR_HAZARD_EVIDENCE] = {.name = "evidence",
                            .type = RR_P_TEXT,
                            .offset = HAZARD_ROW(evidence),
                            .unit = "",
                            .help = "hardware and years that the parameters come from, for the report"},
};

static enum rr_status fail_because(const struct rr_field *f, const cJSON *at)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_field_fail(f, at, "%s", reason);
}

/* ---- series read before ---- */

struct rr_spot_kept {
    struct rr_spot_kept *next;
    enum rr_spot_of of;
    struct rr_spot_file file;
    struct rr_spot_series series;
};

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_file(const struct rr_spot_file *a, const struct rr_spot_file *b)
{
    return same_text(a->path, b->path) && same_text(a->format, b->format) && same_text(a->zone, b->zone) &&
           same_text(a->instance, b->instance) && same_text(a->currency, b->currency) && a->given == b->given && a->gap_us == b->gap_us &&
           a->gap_limit_us == b->gap_limit_us && a->from_us == b->from_us && a->unit == b->unit && a->align == b->align &&
           a->repeat == b->repeat && a->times == b->times;
}

static const struct rr_spot_kept *find_kept(const struct rr_param_ctx *ctx, enum rr_spot_of of, const struct rr_spot_file *file)
{
    for (const struct rr_spot_kept *k = ctx->spot ? *ctx->spot : NULL; k; k = k->next)
        if (k->of == of && same_file(&k->file, file)) return k;
    return NULL;
}

static void keep(const struct rr_param_ctx *ctx, enum rr_spot_of of, const struct rr_spot_feed *feed)
{
    if (!ctx->spot || ctx->spot_is_shared) return;
    struct rr_spot_kept *k = RR_NEW(ctx->arena, struct rr_spot_kept);
    *k = (struct rr_spot_kept){*ctx->spot, of, feed->file, feed->series};
    *ctx->spot = k;
}

static enum rr_status load(const struct rr_field *f, enum rr_spot_of of, const cJSON *at, struct rr_spot_feed *feed)
{
    if (f->ctx->no_files) return RR_OK;
    const struct rr_spot_kept *kept = find_kept(f->ctx, of, &feed->file);
    if (kept) {
        feed->series = kept->series;
        return RR_OK;
    }
    const enum rr_status st = rr_spot_read(&feed->file, of, f->ctx->arena, &feed->series);
    if (st == RR_OK) keep(f->ctx, of, feed);
    return st == RR_OK ? RR_OK : fail_because(f, at);
}

// A plain text: a file, with the defaults of its rows.
static enum rr_status read_plain(const struct rr_field *f, enum rr_spot_of of, struct rr_spot_feed *feed)
{
    if (!*f->node->valuestring) return rr_field_fail(f, f->node, "an empty file name");
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "file", f->node->valuestring);
    enum rr_status st = rr_params_read(f->ctx, file_rows, N_OF(file_rows), object, f->pointer, NULL, &feed->file);
    cJSON_Delete(object);
    if (st == RR_OK) st = load(f, of, f->node, feed);
    feed->kind = RR_FEED_SERIES;
    return st;
}

static enum rr_status read_text(const struct rr_field *f, enum rr_spot_of of, struct rr_spot_feed *feed)
{
    const char *text = f->node->valuestring;
    if (of == RR_SPOT_NODES) return read_plain(f, of, feed);
    if (rr_unit_rate(rr_slice(text, strlen(text)), &feed->rate.rate, feed->rate.currency) == RR_OK) {
        feed->kind = RR_FEED_RATE;
        return RR_OK;
    }
    // "$1.2" is a price without its "/h", not a file
    const bool money = *text == '$' || (*text >= '0' && *text <= '9' && strchr(text, '/') && !strchr(text, '.'));
    return money ? fail_because(f, f->node) : read_plain(f, of, feed);
}

static enum rr_status read_model(const struct rr_field *f, const cJSON *model, struct rr_spot_feed *feed)
{
    const char *pointer = rr_pointer_join(f->ctx->arena, f->pointer, "model");
    RR_TRY(rr_params_read(f->ctx, ou_rows, N_OF(ou_rows), model, pointer, NULL, &feed->ou));
    feed->kind = RR_FEED_MODEL;
    if (feed->file.path) return RR_OK;
    if (rr_given(&feed->ou, RR_OU_MEAN) && rr_given(&feed->ou, RR_OU_SD) && rr_given(&feed->ou, RR_OU_HALF_LIFE)) return RR_OK;
    return rr_json_fail(RR_EINPUT, f->ctx->json, model, pointer,
                        "a model needs \"mean\", \"sd\" and \"half_life\", or a \"file\" beside \"model\" to be fitted to");
}

static enum rr_status read_prices(const struct rr_field *f, struct rr_spot_feed *feed)
{
    static const char *const model_alone[] = {"model", NULL}, *const none[] = {NULL};
    const cJSON *model = rr_param_unwrap(rr_json_member(f->node, "model")), *file = rr_json_member(f->node, "file");
    if (file || !model) {
        RR_TRY(rr_params_read(f->ctx, file_rows, N_OF(file_rows), f->node, f->pointer, model_alone, &feed->file));
        feed->kind = RR_FEED_SERIES;
        RR_TRY(load(f, RR_SPOT_PRICES, file, feed));
    } else {
        uint64_t given;
        RR_TRY(rr_params_read(f->ctx, NULL, 0, f->node, f->pointer, model ? model_alone : none, &given));
    }
    return model ? read_model(f, model, feed) : RR_OK;
}

static enum rr_status read_hazard(const struct rr_field *f, struct rr_spot_feed *feed)
{
    struct rr_spot_hazard_rows *h = &feed->hazard;
    RR_TRY(rr_params_read(f->ctx, hazard_rows, N_OF(hazard_rows), f->node, f->pointer, NULL, h));
    feed->kind = RR_FEED_MODEL;
    if (rr_given(h, RR_HAZARD_BUCKET) == rr_given(h, RR_HAZARD_MONTHLY))
        return rr_field_fail(f, f->node,
                             "a model needs one of \"hazard\" and \"monthly\", such as {\"hazard\": \"5-10 %%\"}; a series needs \"file\"");
    if (rr_given(h, RR_HAZARD_BUCKET)) h->monthly = rr_spot_bucket_share[h->bucket];
    return RR_OK;
}

enum rr_status rr_field_spot(const struct rr_field *f, enum rr_spot_of of, struct rr_spot_feed *ret)
{
    struct rr_spot_feed feed = {.json = f->node};
    if (cJSON_IsString(f->node)) {
        RR_TRY(read_text(f, of, &feed));
    } else if (!cJSON_IsObject(f->node)) {
        return rr_field_wrong(f, f->node, f->row->type);
    } else if (of == RR_SPOT_PRICES) {
        RR_TRY(read_prices(f, &feed));
    } else if (rr_json_member(f->node, "file")) {
        RR_TRY(rr_params_read(f->ctx, file_rows, N_OF(file_rows), f->node, f->pointer, NULL, &feed.file));
        feed.kind = RR_FEED_SERIES;
        RR_TRY(load(f, of, rr_json_member(f->node, "file"), &feed));
    } else {
        RR_TRY(read_hazard(f, &feed));
    }
    *ret = feed;
    return RR_OK;
}

cJSON *rr_spot_feed_schema(enum rr_spot_of of)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf"), *text = cJSON_CreateObject();
    cJSON_AddStringToObject(text, "type", "string");
    cJSON_AddItemToArray(any, text);
    cJSON *file = rr_params_schema(file_rows, N_OF(file_rows));
    cJSON_AddItemToArray(any, file);
    if (of == RR_SPOT_NODES) {
        cJSON_AddItemToArray(any, rr_params_schema(hazard_rows, N_OF(hazard_rows)));
        return o;
    }
    cJSON *model = rr_params_schema(ou_rows, N_OF(ou_rows)), *alone = cJSON_CreateObject();
    cJSON_AddItemToObject(cJSON_GetObjectItemCaseSensitive(file, "properties"), "model", cJSON_Duplicate(model, true));
    cJSON_AddStringToObject(alone, "type", "object");
    cJSON_AddItemToObject(cJSON_AddObjectToObject(alone, "properties"), "model", model);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(alone, "required"), cJSON_CreateString("model"));
    cJSON_AddFalseToObject(alone, "additionalProperties");
    cJSON_AddItemToArray(any, alone);
    return o;
}
