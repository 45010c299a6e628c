/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/spot_aws_history.c - answers of `aws ec2 describe-spot-price-history`.
 *
 *     {"SpotPriceHistory": [{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX",
 *                            "SpotPrice": "1.140900", "Timestamp": "2020-02-20T22:54:57.000Z"}]}
 *
 * Entries are price changes, newest first, all zones of the region mixed; a list may be empty (type not sold there). A price is one zone's:
 * with several in the file, "zone" says which. */
#include "data/base/input.h"
#include "data/spot.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)16 << 20) /* bytes, as rr_json_read() */

static bool aws_sniff(const char *head, size_t n)
{
    (void)n;
    return strstr(head, "\"SpotPriceHistory\"") != NULL;
}

static const char *text_of(const cJSON *entry, const char *key)
{
    const cJSON *m = rr_json_member(entry, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

/* The one word that `key` has in all entries, or the one wanted; several: which they are. */
static enum rr_status only(struct rr_spot_input *in, const cJSON *list, const char *key, const char *option, const char *want,
                           const char **ret)
{
    if (want && *want) {
        *ret = want;
        return RR_OK;
    }
    const char *first = "";
    for (const cJSON *e = list->child; e; e = e->next) {
        const char *word = text_of(e, key);
        if (!*first) first = word;
        if (strcmp(word, first) != 0)
            return rr_fail(RR_EINPUT, "%s: prices of several of %s (%.40s, %.40s, ...): say which with \"%s\"", in->file->path, key, first,
                           word, option);
    }
    *ret = rr_strdup(in->arena, first);
    return RR_OK;
}

static bool is_wanted(const cJSON *e, const char *zone, const char *instance)
{
    return (!*zone || strcmp(text_of(e, "AvailabilityZone"), zone) == 0) &&
           (!*instance || strcmp(text_of(e, "InstanceType"), instance) == 0);
}

static enum rr_status read_entry(struct rr_spot_input *in, const struct rr_json *json, const cJSON *e)
{
    struct rr_spot_point p;
    const char *price = text_of(e, "SpotPrice"), *time = text_of(e, "Timestamp");
    if (rr_text_scaled(rr_slice(price, strlen(price)), 9, &p.value) != RR_OK)
        return rr_json_fail(RR_EINPUT, json, e, "", "\"SpotPrice\" is no price in quotes, such as \"1.140900\"");
    if (rr_date_parse(rr_slice(time, strlen(time)), &p.at_us) != RR_OK)
        return rr_json_fail(RR_EINPUT, json, e, "", "\"Timestamp\" is no time such as \"2020-02-20T22:54:57.000Z\"");
    rr_vec_push(&in->point, p);
    return RR_OK;
}

static enum rr_status read_list(struct rr_spot_input *in, const struct rr_json *json, const cJSON *list)
{
    RR_TRY(only(in, list, "AvailabilityZone", "zone", in->file->zone, &in->zone));
    RR_TRY(only(in, list, "InstanceType", "instance", in->file->instance, &in->instance));
    for (const cJSON *e = list->child; e; e = e->next) {
        if (!cJSON_IsObject(e)) return rr_json_fail(RR_EINPUT, json, e, "", "an entry {...} is expected");
        if (is_wanted(e, in->zone, in->instance)) RR_TRY(read_entry(in, json, e));
    }
    if (in->point.n == 0 && list->child)
        return rr_fail(RR_EINPUT, "%s: no price of zone \"%.40s\" and instance \"%.40s\"", in->file->path, in->zone, in->instance);
    for (size_t i = 0; i < in->point.n / 2; i++) { // newest first: what happened last shall come last
        const struct rr_spot_point x = in->point.at[i];
        in->point.at[i] = in->point.at[in->point.n - 1 - i];
        in->point.at[in->point.n - 1 - i] = x;
    }
    in->absolute = true;
    return RR_OK;
}

static enum rr_status aws_read(struct rr_spot_input *in)
{
    struct rr_input *file;
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    char *text = NULL;
    size_t n;
    enum rr_status st = rr_input_open(in->file->path, &file);
    if (st == RR_OK) {
        st = rr_input_all(file, MOST, &text, &n);
        rr_input_close(file);
    }
    if (st == RR_OK) st = rr_json_parse(json, in->file->path, text, false, &root);
    if (st == RR_OK) {
        const cJSON *list = rr_json_member(root, "SpotPriceHistory");
        st = cJSON_IsArray(list) ? read_list(in, json, list) : rr_fail(RR_EINPUT, "%s: no list \"SpotPriceHistory\"", in->file->path);
    }
    cJSON_Delete(root);
    rr_json_free(json);
    free(text);
    return st;
}

const struct rr_spot_reader rr_spot_reader_aws_spot_history = {.name = "aws-spot-history",
                                                               .summary = "answers of aws ec2 describe-spot-price-history (JSON)",
                                                               .of = RR_SPOT_PRICES,
                                                               .sniff = aws_sniff,
                                                               .read = aws_read};
