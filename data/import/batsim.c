/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/batsim.c - Batsim workloads (JSON): jobs with delay profiles, one machine taken as one GPU.
 *
 *     {"nb_res": 32, "jobs": [{"id": 1, "subtime": 10.5, "walltime": 100, "res": 4, "profile": "1"}],
 *      "profiles": {"1": {"type": "delay", "delay": 20.05}}}
 *
 * The run time is the profile's delay. The wall time is both the user's estimate and, as in Batsim, the limit. Profiles of other types
 * (computation, communication) have no run time before a platform is simulated, and are refused by name. */
#include "data/base/json.h"
#include "data/trace.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)16 << 20) /* bytes, as rr_json_read(): cJSON is too slow for more */

struct reader {
    struct rr_json *json;
    struct rr_trace_builder *b;
    struct rr_arena *scratch;
    const cJSON *profiles;
};

static bool scaled(const cJSON *node, int digits, int64_t *ret)
{
    return cJSON_IsNumber(node) && rr_text_scaled(rr_json_number(node), digits, ret) == RR_OK;
}

static int64_t line_of(const struct reader *r, const cJSON *node)
{
    const char *where = rr_json_where(r->json, node, r->scratch); // PATH:LINE:COLUMN
    const char *colon = strrchr(where, ':');
    while (colon && colon > where && colon[-1] != ':') colon--;
    return colon ? strtoll(colon, NULL, 10) : 0;
}

static struct rr_slice text_of(const cJSON *node)
{
    if (cJSON_IsNumber(node)) return rr_json_number(node);
    const char *s = cJSON_IsString(node) ? node->valuestring : "";
    return rr_slice(s, strlen(s));
}

/* A profile that is no delay makes the whole file unreadable: leaving its jobs out would be another workload. */
static enum rr_status check_profiles(const struct reader *r)
{
    for (const cJSON *p = r->profiles->child; p; p = p->next) {
        const cJSON *type = rr_json_member(p, "type");
        const char *word = cJSON_IsString(type) ? type->valuestring : "";
        if (strcmp(word, "delay") != 0 && strcmp(word, "DelayProfile") != 0) // the second is an old spelling
            return rr_json_fail(RR_EINPUT, r->json, p, "", "profile \"%s\" is of type \"%s\"; only \"delay\" has a run time", p->string,
                                word);
    }
    return RR_OK;
}

static const char *bad_job(const struct reader *r, const cJSON *job, struct rr_trace_row *row, const cJSON **at)
{
    int64_t walltime;
    if (*at = rr_json_member(job, "subtime"), !scaled(*at, 6, &row->submit_us)) return "subtime is no number of seconds";
    if (*at = rr_json_member(job, "res"), !scaled(*at, 3, &row->gpus_milli)) return "res is no number of machines";
    if (*at = rr_json_member(job, "walltime"), *at && !scaled(*at, 6, &walltime)) return "walltime is no number of seconds";
    if (*at && walltime >= 0) row->estimate_us = row->limit_us = walltime; // -1: none
    *at = rr_json_member(job, "profile");
    const struct rr_slice name = text_of(*at);
    const cJSON *profile = rr_json_member(r->profiles, rr_strndup(r->scratch, name.at, name.n));
    if (!profile) return "the profile is not among the profiles";
    if (!scaled(rr_json_member(profile, "delay"), 6, &row->run_us)) return "the delay of the job's profile is no number of seconds";
    return NULL;
}

static void read_job(const struct reader *r, const cJSON *job)
{
    struct rr_trace_row row = rr_trace_row_empty;
    const cJSON *at = NULL;
    row.line = line_of(r, job);
    const char *bad = bad_job(r, job, &row, &at);
    row.id = text_of(rr_json_member(job, "id"));
    if (!bad && row.id.n == 0) bad = "the id is missing", at = NULL;
    if (bad)
        rr_trace_reject(r->b, row.line, bad, text_of(at));
    else
        rr_trace_add(r->b, &row);
}

static enum rr_status read_jobs(struct reader *r, const cJSON *root)
{
    const cJSON *jobs = rr_json_member(root, "jobs");
    r->profiles = rr_json_member(root, "profiles");
    if (!cJSON_IsArray(jobs) || !cJSON_IsObject(r->profiles))
        return rr_json_fail(RR_EINPUT, r->json, root, "", "no Batsim workload: \"jobs\": [...] and \"profiles\": {...} are needed");
    RR_TRY(check_profiles(r));
    for (const cJSON *job = jobs->child; job; job = job->next) {
        read_job(r, job);
        rr_arena_reset(r->scratch);
    }
    return RR_OK;
}

static enum rr_status read_text(const char *path, char **ret, char sha256[65])
{
    struct rr_input *in;
    char *text = NULL;
    size_t n;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = rr_input_all(in, MOST, &text, &n);
    if (st == RR_OK) st = rr_input_sha256(in, sha256);
    if (st == RR_OK && n != strlen(text)) st = rr_fail(RR_EINPUT, "%s: is no text: a NUL byte at %zu", path, strlen(text));
    rr_input_close(in);
    if (st == RR_OK)
        *ret = text;
    else
        free(text);
    return st;
}

static enum rr_status batsim_read(const char *path, const struct rr_import_options *opt, struct rr_trace_builder *b, char sha256[65])
{
    (void)opt;
    char *text;
    RR_TRY(read_text(path, &text, sha256));
    struct reader r = {.json = rr_json_create(), .b = b, .scratch = rr_arena_create()};
    cJSON *root = NULL;
    enum rr_status st = rr_json_parse(r.json, strcmp(path, "-") == 0 ? "stdin" : path, text, false, &root);
    if (st == RR_OK) st = read_jobs(&r, root);
    if (st == RR_OK) rr_trace_tell(b, RR_NOTE_ASSUMED, "one machine of the workload is taken as one GPU");
    cJSON_Delete(root);
    rr_json_free(r.json);
    rr_arena_free(r.scratch);
    free(text);
    return st;
}

static int batsim_sniff(const char *name, struct rr_slice head)
{
    size_t i = 0;
    while (i < head.n && strchr(" \t\r\n", head.at[i]) && head.at[i]) i++;
    if (i == head.n || head.at[i] != '{') return 0;
    if (memmem(head.at, head.n, "\"jobs\"", 6) || memmem(head.at, head.n, "\"nb_res\"", 8)) return 90;
    return strstr(name, ".json") ? 5 : 0;
}

const struct rr_importer rr_import_batsim = {.kind = {.name = "batsim", .summary = "Batsim workloads (JSON) with delay profiles"},
                                             .licence = "",
                                             .sniff = batsim_sniff,
                                             .read = batsim_read};
