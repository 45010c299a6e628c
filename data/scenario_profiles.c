/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_profiles.c - the section "profiles": measured speed of the machines that planned training runs are on.
 *
 *     "profiles": ["our-node.json", "h100-efa-cluster"]
 *
 * A file relative to the scenario, else the name of a shipped profile. Each replication takes one world of all of them. */
#include "data/profile_set.h"
#include "data/scenario_rows.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct rr_profile_row {
    uint64_t given;
    const char *path;
};
static const struct rr_param rows[] = {{.name = "path",
                                        .type = RR_P_PATH,
                                        .offset = offsetof(struct rr_profile_row, path),
                                        .help = "profile (JSON), relative to the scenario",
                                        .flags = RR_PF_REQUIRED}};
const struct rr_rows rr_rows_profile = {rows, sizeof rows / sizeof *rows, NULL};

/* The file that is meant, in *ret. */
static enum rr_status read_name(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *dir, const char **ret)
{
    struct rr_arena *a = r->param.arena;
    const cJSON *v = rr_param_unwrap(node);
    struct rr_profile_row read = {0};
    if (!cJSON_IsString(v))
        return rr_json_fail(RR_EINPUT, r->param.json, v, pointer,
                            "%s given; a file such as \"node.json\" or the name of a shipped profile is expected", rr_param_shown(v, a));
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "path", cJSON_Duplicate(v, true));
    const enum rr_status st = rr_rows_read(r, &rr_rows_profile, object, pointer, &read);
    cJSON_Delete(object);
    RR_TRY(st);
    *ret = read.path;
    if (access(read.path, F_OK) == 0 || strchr(v->valuestring, '/')) return rr_file_there(r, v, pointer, read.path);
    const char *shipped = rr_strf(a, "%s/profiles/%s.json", dir, v->valuestring);
    *ret = access(shipped, F_OK) == 0 ? shipped : v->valuestring; // rr_profile_find() names what is near
    return RR_OK;
}

static bool same_names(const struct rr_scenario *like, const char *const *name, size_t n)
{
    if (!like || !like->profiles || like->profiles->n != n) return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(like->profile_name[i], name[i]) != 0) return false;
    return true;
}

static enum rr_status read_set(const struct rr_reading *r, const cJSON *all, const char *dir, struct rr_scenario *s, size_t n)
{
    struct rr_profile_set *set = RR_NEW(r->param.arena, struct rr_profile_set);
    const enum rr_status st = rr_profile_set_read(dir, s->profile_name, n, r->param.arena, set);
    if (st == RR_EINPUT) {
        char reason[RR_REASON_MAX];
        snprintf(reason, sizeof reason, "%s", rr_reason());
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/profiles", "%s", reason);
    }
    RR_TRY(st);
    set->seed = (uint64_t)s->seed;
    set->worlds = s->replications;
    s->profiles = set;
    return RR_OK;
}

enum rr_status rr_profiles_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    struct rr_arena *a = r->param.arena;
    const cJSON *all = rr_json_member(document, "profiles");
    const char *dir, **name;
    size_t n = 0;
    if (!all) return RR_OK;
    if (!cJSON_IsArray(all))
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/profiles", "%s given; a list of profiles is expected, such as [\"h100-node\"]",
                            rr_param_shown(all, a));
    if (r->any_path) return RR_OK;
    RR_TRY(rr_data_dir(a, &dir));
    name = RR_NEWS(a, const char *, (size_t)cJSON_GetArraySize(all) + 1);
    for (const cJSON *m = all->child; m; m = m->next, n++) RR_TRY(read_name(r, m, rr_strf(a, "/profiles/%zu", n), dir, &name[n]));
    if (n == 0) return RR_OK;
    s->profile_name = name;
    if (same_names(r->like, name, n)) {
        s->profiles = r->like->profiles;
        return RR_OK;
    }
    return read_set(r, all, dir, s, n);
}

/* ---- what they are for ---- */

static bool of_a_pool(const struct rr_scenario *s, const struct rr_profile *p)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->pool[i].gpu && *p->gpu && strcmp(s->pool[i].gpu, p->gpu) == 0) return true;
    return false;
}

static bool of_a_run(const struct rr_scenario *s, size_t profile)
{
    for (size_t i = 0; i < s->n_workloads; i++)
        if (s->workload[i].training_plan.profile_used && s->workload[i].training_plan.profile_used[profile]) return true;
    return false;
}

/* A profile of another machine is a mistake; one of a machine without planned runs is not used, and said. */
static enum rr_status check_one(const struct rr_reading *r, struct rr_scenario_set *set, const struct rr_scenario *s, size_t at)
{
    const struct rr_profile *p = &s->profiles->at[at];
    const char *pointer = rr_strf(r->param.arena, "/profiles/%zu", at);
    bool run = false, pool = false;
    for (size_t v = 0; v < set->n_variants; v++) {
        const struct rr_scenario *x = set->variant[v];
        for (size_t i = 0; x->profiles && i < x->profiles->n; i++) {
            if (strcmp(x->profile_name[i], s->profile_name[at]) != 0) continue;
            run |= of_a_run(x, i);
            pool |= of_a_pool(x, p);
        }
    }
    if (run) return RR_OK;
    if (!pool)
        return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(s->document, "profiles"), pointer,
                            "profile %s is of %s: no planned run and no pool has that GPU", p->name,
                            *p->gpu      ? p->gpu
                            : *p->device ? p->device
                                         : "no GPU that it names");
    rr_note(&set->notes, RR_NOTE_WARNING, pointer, "", "profile %s: no \"training\" is planned on %s, so nothing rests on it", p->name,
            p->gpu);
    return RR_OK;
}

enum rr_status rr_profiles_check(const struct rr_reading *r, struct rr_scenario_set *set)
{
    for (size_t v = 0; v < set->n_variants; v++)
        for (size_t i = 0; set->variant[v]->profiles && i < set->variant[v]->profiles->n; i++)
            RR_TRY(check_one(r, set, set->variant[v], i));
    return RR_OK;
}
