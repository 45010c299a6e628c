/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/spot_skypilot.c - SkyPilot's spot availability and preemption traces.
 *
 *     {"metadata": {"gap_seconds": 600}, "data": [1, 1, 0, 4]}
 *
 * One number a tick: instances that were up, or could be launched. "gap" replaces gap_seconds: the 2022 files say 600 while the text that came
 * with them says two weeks, which would be 300. Copies exist in which 1 means "not available": these are not told apart here. */
#include "data/base/input.h"
#include "data/spot.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)16 << 20)

static bool skypilot_sniff(const char *head, size_t n)
{
    (void)n;
    return strstr(head, "\"gap_seconds\"") != NULL;
}

static enum rr_status read_gap(const struct rr_spot_input *in, const struct rr_json *json, const cJSON *root, int64_t *ret)
{
    const cJSON *gap = rr_json_member(rr_json_member(root, "metadata"), "gap_seconds");
    if (in->file->gap_us > 0) {
        *ret = in->file->gap_us;
        return RR_OK;
    }
    if (!cJSON_IsNumber(gap) || rr_text_scaled(rr_json_number(gap), 6, ret) != RR_OK || *ret < 1 || *ret > RR_YEAR_US)
        return rr_json_fail(RR_EINPUT, json, gap ? gap : root, "/metadata/gap_seconds",
                            "the seconds from one number to the next are expected; or give \"gap\", such as \"10 min\"");
    return RR_OK;
}

static enum rr_status read_data(struct rr_spot_input *in, const struct rr_json *json, const cJSON *root)
{
    const cJSON *data = rr_json_member(root, "data");
    int64_t gap, at = 0;
    RR_TRY(read_gap(in, json, root, &gap));
    if (!cJSON_IsArray(data)) return rr_json_fail(RR_EINPUT, json, root, "/data", "a list of numbers is expected");
    for (const cJSON *m = data->child; m; m = m->next, at += gap) {
        struct rr_spot_point p = {.at_us = at};
        if (!cJSON_IsNumber(m) || rr_text_i64(rr_json_number(m), &p.value) != RR_OK || p.value < 0)
            return rr_json_fail(RR_EINPUT, json, m, "/data", "a number of instances is expected");
        if (at > INT64_MAX / 4 - gap) return rr_json_fail(RR_EINPUT, json, m, "/data", "the series is too long");
        rr_vec_push(&in->point, p);
    }
    in->end_us = at;
    return RR_OK;
}

static enum rr_status skypilot_read(struct rr_spot_input *in)
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
    if (st == RR_OK) st = read_data(in, json, root);
    cJSON_Delete(root);
    rr_json_free(json);
    free(text);
    return st;
}

const struct rr_spot_reader rr_spot_reader_skypilot = {.name = "skypilot",
                                                       .summary = "SkyPilot availability and preemption traces (JSON)",
                                                       .of = RR_SPOT_NODES,
                                                       .sniff = skypilot_sniff,
                                                       .read = skypilot_read};
