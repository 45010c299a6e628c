/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_aws_spot.c - answers of `aws ec2 describe-spot-price-history`: spot prices by zone, newest first.
 *
 * Windows and other systems are left out: their prices hold a licence. Empty lists are legal answers. */
#include "data/base/input.h"
#include "data/base/json.h"
#include "data/price_import.h"
#include <string.h>

#define MOST ((size_t)256 << 20)

static int aws_sniff(const char *head, size_t n) { return memmem(head, n, "\"SpotPriceHistory\"", 18) ? 95 : 0; }

static const char *text_of(const cJSON *e, const char *key)
{
    const cJSON *m = rr_json_member(e, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

/* "us-east-1a" -> us-east-1; local zones ("us-west-2-lax-1a") belong to their parent region. */
static struct rr_slice region_of(const char *zone)
{
    size_t dashes = 0, i = 0;
    for (; zone[i]; i++) {
        dashes += zone[i] == '-';
        if (dashes == 2 && zone[i] >= '0' && zone[i] <= '9') return rr_slice(zone, i + 1);
    }
    return rr_slice(zone, i);
}

static bool is_linux(const char *system) { return strcmp(system, "Linux/UNIX") == 0 || strcmp(system, "Linux/UNIX (Amazon VPC)") == 0; }

static enum rr_status read_entry(struct rr_price_import *in, const struct rr_json *json, const cJSON *e, int32_t number)
{
    if (!cJSON_IsObject(e)) return rr_json_fail(RR_EINPUT, json, e, "", "an entry {...} is expected");
    const char *price = text_of(e, "SpotPrice"), *time = text_of(e, "Timestamp"), *type = text_of(e, "InstanceType");
    const char *zone = text_of(e, "AvailabilityZone");
    struct rr_book_row r = {.line = number, .unit = RR_BOOK_INSTANCE_HOUR, .currency = "USD"};
    in->read++;
    if (!is_linux(text_of(e, "ProductDescription"))) {
        rr_price_leave(in, number, "another system than Linux/UNIX");
        return RR_OK;
    }
    if (!*type || !*zone) return rr_json_fail(RR_EINPUT, json, e, "", "\"InstanceType\" or \"AvailabilityZone\" is missing");
    if (rr_text_scaled(rr_slice(price, strlen(price)), 9, &r.nano) != RR_OK || r.nano <= 0)
        return rr_json_fail(RR_EINPUT, json, e, "", "\"SpotPrice\" is no price in quotes, such as \"1.140900\"");
    if (rr_date_parse(rr_slice(time, strlen(time)), &r.valid_us) != RR_OK)
        return rr_json_fail(RR_EINPUT, json, e, "", "\"Timestamp\" is no time such as \"2020-02-20T22:54:57.000Z\"");
    r.provider = rr_price_word(in, "aws");
    r.instance = rr_price_id(in, r.provider, rr_slice(type, strlen(type)));
    r.region = rr_price_text(in, region_of(zone));
    r.zone = rr_price_word(in, zone);
    r.plan = rr_price_word(in, "spot");
    r.source = rr_price_word(in, rr_price_set(in, "source", "aws ec2 describe-spot-price-history"));
    for (size_t i = 0; in->catalog && i < in->catalog->n_instances; i++)
        if (strcmp(in->catalog->instance[i].id, r.instance) == 0) {
            r.gpu = rr_price_word(in, in->catalog->instance[i].gpu);
            r.gpus_milli = in->catalog->instance[i].gpus * 1000;
        }
    return rr_price_add(in, &r);
}

static enum rr_status read_list(struct rr_price_import *in, const struct rr_json *json, const cJSON *list)
{
    int32_t number = 0;
    for (const cJSON *e = list->child; e; e = e->next) RR_TRY(read_entry(in, json, e, ++number));
    for (size_t i = 0; i < in->row.n / 2; i++) { // newest first: of two of one time the newest counts
        const struct rr_book_row x = in->row.at[i];
        in->row.at[i] = in->row.at[in->row.n - 1 - i];
        in->row.at[in->row.n - 1 - i] = x;
    }
    return RR_OK;
}

static enum rr_status aws_read(struct rr_price_import *in)
{
    struct rr_input *file;
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    char *text = NULL;
    size_t n;
    enum rr_status st = rr_input_open(in->path, &file);
    if (st == RR_OK) {
        st = rr_input_all(file, MOST, &text, &n);
        if (st == RR_OK) st = rr_input_sha256(file, in->sha256);
        rr_input_close(file);
    }
    if (st == RR_OK) st = rr_json_parse(json, in->path, text, false, &root);
    if (st == RR_OK) {
        const cJSON *list = rr_json_member(root, "SpotPriceHistory");
        st = cJSON_IsArray(list) ? read_list(in, json, list) : rr_price_fail(in, 0, "no list \"SpotPriceHistory\"");
    }
    cJSON_Delete(root);
    rr_json_free(json);
    free(text);
    return st;
}

const struct rr_price_reader rr_price_reader_aws_spot = {.name = "aws-spot-history",
                                                         .summary = "answers of aws ec2 describe-spot-price-history (JSON)",
                                                         .sniff = aws_sniff,
                                                         .read = aws_read,
                                                         .keys = "source"};
