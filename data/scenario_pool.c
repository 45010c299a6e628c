/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_pool.c - pools, their plans, and commitments. */
#include "data/scenario_rows.h"
#include <stdio.h>
#include <string.h>

static enum rr_status fail_because(const struct rr_reading *r, const cJSON *node, const char *pointer)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s", reason);
}

/* ---- nodes ---- */

#define MOST_NODES  10000000
#define MOST_SLICES 64

static enum rr_status read_max(const struct rr_reading *r, const cJSON *nodes, const char *pointer, struct rr_pool *p)
{
    const struct rr_json *json = r->param.json;
    const cJSON *member = rr_json_member(nodes, "max");
    if (!member)
        return rr_json_fail(RR_EINPUT, json, nodes, pointer,
                            "\"max\" is missing: an elastic pool says how far it may grow, such as \"max\": 32 or \"max\": \"unlimited\"");
    const char *at = rr_pointer_join(r->param.arena, pointer, "max");
    RR_TRY(rr_param_check_wrapper(json, member, at));
    const cJSON *max = rr_param_unwrap(member);
    if (cJSON_IsString(max) && strcmp(max->valuestring, "unlimited") == 0) {
        p->nodes_max = INT64_MAX;
        return RR_OK;
    }
    if (!cJSON_IsNumber(max) || rr_text_i64(rr_json_number(max), &p->nodes_max) != RR_OK || p->nodes_max < 0 || p->nodes_max > MOST_NODES)
        return rr_json_fail(RR_EINPUT, json, max, at, "%s given; a whole number from 0 to %d or \"unlimited\" is expected",
                            rr_param_shown(max, r->param.arena), MOST_NODES);
    if (p->nodes_max < p->nodes_min)
        return rr_json_fail(RR_EINPUT, json, max, at, "it is below \"min\", which is %lld", (long long)p->nodes_min);
    return RR_OK;
}

// From the variant that this one is a sample of.
static bool taken_over(const struct rr_reading *r, struct rr_pool *p)
{
    for (size_t i = 0; r->like && i < r->like->n_pools; i++) {
        const struct rr_pool *old = &r->like->pool[i];
        if (strcmp(old->name, p->name) != 0 || !old->nodes_file || strcmp(old->nodes_file, p->nodes_file) != 0) continue;
        if (strcmp(p->nodes_format, "auto") != 0 && strcmp(p->nodes_format, old->nodes_format) != 0) continue;
        p->shape = old->shape;
        p->n_shapes = old->n_shapes;
        p->nodes_format = old->nodes_format;
        p->nodes_sha256 = old->nodes_sha256;
        p->nodes_min = p->nodes_max = (int64_t)old->n_shapes;
        return true;
    }
    return false;
}

// What the facts know of the nodes' GPUs.
static void look_up(const struct rr_reading *r, const struct rr_pool *p, struct rr_fleet_file *fleet)
{
    const char *last = NULL;
    const struct rr_gpu *known = NULL;
    for (size_t i = 0; i < fleet->n; i++) {
        const char *gpu = *fleet->node[i].gpu ? fleet->node[i].gpu : p->gpu ? p->gpu : "";
        if (!last || strcmp(gpu, last) != 0) known = rr_catalog_gpu_called(r->catalog, gpu);
        fleet->node[i].known = known;
        last = gpu;
    }
}

static enum rr_status read_file(const struct rr_reading *r, const cJSON *nodes, const char *pointer, struct rr_pool *p,
                                struct rr_notes *notes)
{
    struct rr_nodes_file rows = {0};
    RR_TRY(rr_rows_read(r, &rr_rows_nodes_file, nodes, pointer, &rows));
    if (rr_json_member(nodes, "min") || rr_json_member(nodes, "max"))
        return rr_json_fail(RR_EINPUT, r->param.json, nodes, pointer,
                            "a pool is either a list of nodes from a file or from \"min\" to \"max\"");
    const cJSON *file = rr_param_unwrap(rr_json_member(nodes, "file"));
    const char *at = rr_pointer_join(r->param.arena, pointer, "file");
    RR_TRY(rr_file_there(r, file, at, rows.file));
    p->nodes_file = rows.file;
    p->nodes_format = rows.format;
    p->nodes_sha256 = "";
    if (r->any_path || taken_over(r, p)) return RR_OK;
    struct rr_fleet_file fleet;
    const enum rr_status st = rr_fleet_read(rows.file, rows.format, r->param.arena, &fleet);
    if (st == RR_EINPUT) return fail_because(r, file, at);
    RR_TRY(st);
    if (fleet.left_out)
        rr_note(notes, RR_NOTE_WARNING, at, "", "%zu nodes of %s are left out: no job can start on them now, such as %s", fleet.left_out,
                rows.file, fleet.left_out_first);
    look_up(r, p, &fleet);
    p->shape = fleet.node;
    p->n_shapes = fleet.n;
    p->nodes_format = fleet.format;
    p->nodes_sha256 = rr_strdup(r->param.arena, fleet.sha256);
    p->nodes_min = p->nodes_max = (int64_t)fleet.n;
    return RR_OK;
}

static enum rr_status read_nodes(const struct rr_reading *r, const cJSON *pool, struct rr_pool *p, struct rr_notes *notes)
{
    const struct rr_json *json = r->param.json;
    const char *pointer = rr_pointer_join(r->param.arena, p->pointer, "nodes");
    const cJSON *member = rr_json_member(pool, "nodes");
    if (!member)
        return rr_json_fail(RR_EINPUT, json, pool, p->pointer,
                            "\"nodes\" is missing: how many, such as 8, {\"min\": 0, \"max\": 32} or {\"file\": \"nodes.csv\"}");
    RR_TRY(rr_param_check_wrapper(json, member, pointer));
    const cJSON *nodes = p->nodes_json = rr_param_unwrap(member);
    if (rr_json_member(nodes, "file")) return read_file(r, nodes, pointer, p, notes);
    if (cJSON_IsObject(nodes)) {
        struct rr_nodes_range rows = {0};
        RR_TRY(rr_rows_read(r, &rr_rows_nodes_range, nodes, pointer, &rows));
        if (rr_json_member(nodes, "format"))
            return rr_json_fail(RR_EINPUT, json, nodes, pointer, "\"format\" stands beside \"file\", which is missing");
        p->nodes_min = rows.min;
        return read_max(r, nodes, pointer, p);
    }
    if (!cJSON_IsNumber(nodes) || rr_text_i64(rr_json_number(nodes), &p->nodes_min) != RR_OK || p->nodes_min < 0 ||
        p->nodes_min > MOST_NODES)
        return rr_json_fail(RR_EINPUT, json, nodes, pointer,
                            "%s given; a whole number from 0 to %d is expected, or {\"min\": 0, \"max\": 32}",
                            rr_param_shown(nodes, r->param.arena), MOST_NODES);
    p->nodes_max = p->nodes_min;
    return RR_OK;
}

/* ---- what a node is ---- */

// An instance that the facts do not know is the scenario's own where it says what a node is: its name then only ties commitments to pools.
static enum rr_status find_in_facts(const struct rr_reading *r, const cJSON *pool, bool itself, struct rr_pool *p)
{
    const char *key = p->hardware_id ? "hardware" : "instance";
    const enum rr_status st = p->hardware_id ? rr_catalog_hardware(r->catalog, p->hardware_id, &p->hardware)
                                             : rr_catalog_instance(r->catalog, p->instance_id, &p->instance);
    if (st == RR_OK && itself)
        return rr_json_fail(
            RR_EINPUT, r->param.json, rr_json_member(pool, "gpus_per_node"), rr_pointer_join(r->param.arena, p->pointer, "gpus_per_node"),
            "the facts know \"%s\": its nodes have %d GPUs; leave \"gpus_per_node\" out, or give your own instance another name",
            p->instance_id, (int)p->instance->gpus);
    if (st == RR_OK || itself) return RR_OK;
    return fail_because(r, rr_param_unwrap(rr_json_member(pool, key)), rr_pointer_join(r->param.arena, p->pointer, key));
}

static void make_shape(const struct rr_reading *r, struct rr_pool *p)
{
    struct rr_node_shape *shape = RR_NEW(r->param.arena, struct rr_node_shape);
    *shape = (struct rr_node_shape){.gpu = "", .name = p->name};
    if (p->hardware)
        *shape =
            (struct rr_node_shape){p->hardware->gpus, p->hardware->cpus_milli, p->hardware->memory_mib, p->hardware->gpu, p->name, NULL};
    if (p->instance)
        *shape =
            (struct rr_node_shape){p->instance->gpus, p->instance->cpus_milli, p->instance->memory_mib, p->instance->gpu, p->name, NULL};
    if (!p->hardware && !p->instance) shape->gpus = (int32_t)p->gpus_per_node;
    if (p->cpus_per_node) shape->cpus_milli = (int32_t)(p->cpus_per_node * 1000);
    if (p->memory_bytes) shape->memory_mib = (int32_t)(p->memory_bytes >> 20);
    if (!p->gpu) p->gpu = shape->gpu;
    shape->gpu = p->gpu;
    shape->known = rr_catalog_gpu_called(r->catalog, p->gpu);
    p->shape = shape;
    p->n_shapes = 1;
}

static enum rr_status read_shape(const struct rr_reading *r, const cJSON *pool, struct rr_pool *p)
{
    const bool itself = rr_json_member(pool, "gpus_per_node") != NULL;
    const bool own_instance = itself && p->instance_id != NULL;
    const int n = (p->hardware_id != NULL) + (p->instance_id != NULL && !own_instance) + itself + (p->nodes_file != NULL);
    if (n != 1)
        return rr_json_fail(RR_EINPUT, r->param.json, pool, p->pointer,
                            "%s; exactly one of \"hardware\", \"instance\", \"gpus_per_node\" and \"nodes\": {\"file\": ...} is expected",
                            n == 0 ? "what is a node?" : "a node is described more than once");
    if (p->nodes_file) {
        if (p->cpus_per_node || p->memory_bytes)
            return rr_json_fail(RR_EINPUT, r->param.json, pool, p->pointer, "CPUs and memory of these nodes come from the file");
        if (!p->gpu) p->gpu = "";
        return RR_OK;
    }
    if (!itself || own_instance) RR_TRY(find_in_facts(r, pool, itself, p));
    make_shape(r, p);
    return RR_OK;
}

/* ---- plans ---- */

// {"type": ..., own rows}; *kind stays NULL for "unpriced".
static enum rr_status read_plan(const struct rr_reading *r, const cJSON *object, const char *pointer, unsigned use,
                                const struct rr_kind **kind, void **params)
{
    static const char *const type_alone[] = {"type", NULL};
    const struct rr_json *json = r->param.json;
    const char *what = use == RR_USE_POOL ? "plan of a pool" : use == RR_USE_COMMITMENT ? "commitment" : "charge";
    if (!cJSON_IsObject(object))
        return rr_json_fail(RR_EINPUT, json, object, pointer, "%s given; an object is expected, such as {\"type\": \"on_demand\"}",
                            rr_param_shown(object, r->param.arena));
    const cJSON *type = rr_json_member(object, "type");
    const char *at = rr_pointer_join(r->param.arena, pointer, "type");
    if (!type)
        return rr_json_fail(RR_EINPUT, json, object, pointer, "\"type\" is missing: which %s, such as \"%s\"", what,
                            use == RR_USE_POOL         ? "on_demand"
                            : use == RR_USE_COMMITMENT ? "reserved"
                                                       : "storage");
    if (!cJSON_IsString(type)) return rr_unknown_kind(r, type, at, what, r->reg->plans, use);
    if (use == RR_USE_POOL && strcmp(type->valuestring, "unpriced") == 0)
        return rr_params_read(&r->param, NULL, 0, object, pointer, type_alone, &(uint64_t){0});
    *kind = rr_kind_find(r->reg->plans, type->valuestring);
    for (size_t i = 0; !*kind && rr_later_plans[i]; i++)
        if (strcmp(rr_later_plans[i], type->valuestring) == 0) return rr_param_later(json, type, at, type->valuestring);
    if (!*kind) return rr_unknown_kind(r, type, at, what, r->reg->plans, use);
    if (!((*kind)->use & use))
        return rr_json_fail(RR_EINPUT, json, type, at, "\"%s\" is no %s; %s", type->valuestring, what,
                            (*kind)->use & RR_USE_POOL         ? "make it the \"plan\" of a pool"
                            : (*kind)->use & RR_USE_COMMITMENT ? "put it into \"commitments\""
                                                               : "put it into \"charges\"");
    *params = rr_alloc(r->param.arena, 1, (*kind)->params_size > sizeof(uint64_t) ? (*kind)->params_size : sizeof(uint64_t));
    return rr_params_read(&r->param, (*kind)->params, (*kind)->n_params, object, pointer, type_alone, *params);
}

// Of NVIDIA's profiles, "3g.40gb", the compute slices; a GPU has SLICES_OF_GPU of them (MIG user guide, A100 and H100). 0: another name.
#define SLICES_OF_GPU 7
static int64_t compute_slices(const char *profile)
{
    const int64_t n = profile[0] - '0';
    return n >= 1 && n <= SLICES_OF_GPU && strncmp(profile + 1, "g.", 2) == 0 ? n : 0;
}

// One kind of slice a pool, cut once and for all: nodes that are cut otherwise are another pool.
static enum rr_status read_mig(const struct rr_reading *r, struct rr_pool *p)
{
    const struct rr_json *json = r->param.json;
    if (!p->mig_json) return RR_OK;
    const char *pointer = rr_pointer_join(r->param.arena, p->pointer, "mig");
    const cJSON *m = p->mig_json->child, *count = rr_param_unwrap(m);
    if (!m || m->next || !*m->string)
        return rr_json_fail(RR_EINPUT, json, p->mig_json, pointer,
                            "one kind of slice and how many of it a GPU has are expected, such as {\"1g.10gb\": 7}; nodes that are cut "
                            "otherwise are a pool of their own");
    if (!cJSON_IsNumber(count) || rr_text_i64(rr_json_number(count), &p->slices) != RR_OK || p->slices < 1 || p->slices > MOST_SLICES)
        return rr_json_fail(RR_EINPUT, json, count, rr_pointer_join(r->param.arena, pointer, m->string),
                            "%s given; a whole number from 1 to %d is expected", rr_param_shown(count, r->param.arena), MOST_SLICES);
    const int64_t each = compute_slices(m->string);
    if (each * p->slices > SLICES_OF_GPU)
        return rr_json_fail(RR_EINPUT, json, count, rr_pointer_join(r->param.arena, pointer, m->string),
                            "%lld given; a GPU has %d compute slices, so that at most %lld of \"%s\" are expected", (long long)p->slices,
                            SLICES_OF_GPU, (long long)(SLICES_OF_GPU / each), m->string);
    p->slice = rr_strdup(r->param.arena, m->string);
    return RR_OK;
}

static enum rr_status check_topology(const struct rr_reading *r, const cJSON *pool, const struct rr_pool *p)
{
    if (!p->nodes_per_switch || !p->nodes_per_rack || p->nodes_per_rack % p->nodes_per_switch == 0) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(pool, "nodes_per_rack")),
                        rr_pointer_join(r->param.arena, p->pointer, "nodes_per_rack"),
                        "%lld given; a multiple of \"nodes_per_switch\", which is %lld, is expected", (long long)p->nodes_per_rack,
                        (long long)p->nodes_per_switch);
}

/* ---- how nodes come ---- */

static enum rr_status read_image(const struct rr_reading *r, struct rr_pool *p)
{
    struct rr_arena *a = r->param.arena;
    const char *pointer = rr_pointer_join(a, p->pointer, "image");
    struct rr_image_rows rows = {0};
    double bytes_s;
    RR_TRY(rr_rows_read(r, &rr_rows_image, p->image_json, pointer, &rows));
    const cJSON *node = rr_param_unwrap(rr_json_member(p->image_json, "bandwidth"));
    if (rr_unit_bandwidth(rr_slice(rows.bandwidth, strlen(rows.bandwidth)), &bytes_s) != RR_OK)
        return fail_because(r, node, rr_pointer_join(a, pointer, "bandwidth"));
    if (!(bytes_s >= 1)) return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "at least 1 B/s is expected");
    p->image_us = (int64_t)((double)rows.bytes * (1 - rows.cache) / bytes_s * 1e6 + 0.5);
    p->image_stays = rows.cached;
    return RR_OK;
}

static enum rr_status read_supply(const struct rr_reading *r, const cJSON *node, struct rr_pool *p)
{
    const double mean = rr_dist_mean(&p->boot);
    p->boot_us = mean >= 9e18 ? RR_NEVER : (int64_t)(mean + 0.5);
    if (p->image_json) RR_TRY(read_image(r, p));
    if (p->quota > 0 && p->quota < p->nodes_min)
        return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(node, "quota")),
                            rr_pointer_join(r->param.arena, p->pointer, "quota"),
                            "it is below the nodes that are always held, which are %lld", (long long)p->nodes_min);
    return RR_OK;
}

static enum rr_status read_pool(const struct rr_reading *r, const cJSON *node, struct rr_pool *p, struct rr_notes *notes)
{
    p->name = rr_strdup(r->param.arena, node->string);
    p->pointer = rr_pointer_join(r->param.arena, "/pools", node->string);
    RR_TRY(rr_named(r, node, p->pointer));
    RR_TRY(rr_rows_read(r, &rr_rows_pool, node, p->pointer, p));
    RR_TRY(rr_where_read(r, node, p->pointer, "accepts", p->accepts_text, &p->accepts));
    RR_TRY(read_nodes(r, node, p, notes));
    RR_TRY(read_supply(r, node, p));
    RR_TRY(check_topology(r, node, p));
    RR_TRY(read_shape(r, node, p));
    RR_TRY(read_mig(r, p));
    p->plan_json = rr_json_member(node, "plan");
    if (!p->plan_json)
        return rr_json_fail(RR_EINPUT, r->param.json, node, p->pointer,
                            "\"plan\" is missing: how it is paid, such as {\"type\": \"on_demand\"} or {\"type\": \"unpriced\"}");
    RR_TRY(read_plan(r, p->plan_json, rr_pointer_join(r->param.arena, p->pointer, "plan"), RR_USE_POOL, &p->plan, &p->plan_params));
    p->reclaimable = p->plan && (p->plan->use & RR_USE_RECLAIMS);
    return RR_OK;
}

static enum rr_status find_pool(const struct rr_reading *r, const struct rr_scenario *s, const cJSON *node, size_t *ret)
{
    const char **names = RR_NEWS(r->param.arena, const char *, s->n_pools);
    for (size_t i = 0; i < s->n_pools; i++) {
        names[i] = s->pool[i].name;
        if (!cJSON_IsString(node) || strcmp(names[i], node->valuestring) != 0) continue;
        *ret = i;
        return RR_OK;
    }
    return rr_unknown_word(r, node, "/pool_order", "pool", names, s->n_pools);
}

static enum rr_status order_by_price(const struct rr_reading *r, const cJSON *order, struct rr_scenario *s)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (!s->pool[i].plan)
            return rr_json_fail(RR_EINPUT, r->param.json, order, "/pool_order",
                                "\"cheapest\" needs a price of each pool; \"%s\" is unpriced", s->pool[i].name);
    s->cheapest_first = true;
    return RR_OK;
}

// Those named first, in that order, then the others as in the file.
static enum rr_status read_order(const struct rr_reading *r, const cJSON *order, struct rr_scenario *s)
{
    if (!order) return RR_OK;
    if (cJSON_IsString(order) && strcmp(order->valuestring, "cheapest") == 0) return order_by_price(r, order, s);
    if (!cJSON_IsArray(order))
        return rr_json_fail(RR_EINPUT, r->param.json, order, "/pool_order",
                            "a list of pools, such as [\"own\", \"burst\"], or \"cheapest\" is expected");
    struct rr_pool *sorted = RR_NEWS(r->param.arena, struct rr_pool, s->n_pools);
    bool *used = RR_NEWS(r->param.arena, bool, s->n_pools);
    size_t n = 0;
    for (const cJSON *m = order->child; m; m = m->next) {
        size_t i = 0;
        RR_TRY(find_pool(r, s, m, &i));
        if (used[i]) return rr_json_fail(RR_EINPUT, r->param.json, m, "/pool_order", "\"%s\" stands twice", s->pool[i].name);
        used[i] = true;
        sorted[n++] = s->pool[i];
    }
    for (size_t i = 0; i < s->n_pools; i++)
        if (!used[i]) sorted[n++] = s->pool[i];
    s->pool = sorted;
    return RR_OK;
}

enum rr_status rr_pools_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "pools");
    if (!cJSON_IsObject(all) || !all->child)
        return rr_json_fail(
            RR_EINPUT, r->param.json, all ? all : document, "/pools",
            "no pool; such as {\"own\": {\"gpus_per_node\": 8, \"nodes\": 4, \"plan\": {\"type\": \"unpriced\"}}} is expected");
    const int n = cJSON_GetArraySize(all);
    if (n > 1000) return rr_json_fail(RR_EINPUT, r->param.json, all, "/pools", "%d pools; at most 1000", n);
    s->pool = RR_NEWS(r->param.arena, struct rr_pool, (size_t)n);
    for (const cJSON *m = all->child; m; m = m->next) RR_TRY(read_pool(r, m, &s->pool[s->n_pools++], &s->notes));
    return read_order(r, rr_json_member(document, "pool_order"), s);
}

/* Entries of "commitments" or "charges", by name. */
static enum rr_status read_entries(const struct rr_reading *r, const cJSON *all, const char *section, unsigned use, const char *example,
                                   struct rr_commitment **ret, size_t *n)
{
    const char *pointer = rr_pointer_join(r->param.arena, "", section);
    if (!all) return RR_OK;
    if (!cJSON_IsObject(all)) return rr_json_fail(RR_EINPUT, r->param.json, all, pointer, "%s by name are expected: %s", section, example);
    *ret = RR_NEWS(r->param.arena, struct rr_commitment, (size_t)cJSON_GetArraySize(all));
    for (const cJSON *m = all->child; m; m = m->next) {
        struct rr_commitment *c = &(*ret)[(*n)++];
        c->name = rr_strdup(r->param.arena, m->string);
        c->pointer = rr_pointer_join(r->param.arena, pointer, m->string);
        RR_TRY(rr_named(r, m, c->pointer));
        RR_TRY(read_plan(r, m, c->pointer, use, &c->plan, &c->params));
    }
    return RR_OK;
}

/* "existing": FILE is an entry of "charges" {"type": "existing", "file": FILE}. */
static enum rr_status read_existing(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *file = rr_param_unwrap(rr_json_member(document, "existing"));
    if (!file) return RR_OK;
    struct rr_commitment *all = RR_NEWS(r->param.arena, struct rr_commitment, s->n_charges + 1), *c = &all[s->n_charges];
    if (s->n_charges > 0) memcpy(all, s->charge, s->n_charges * sizeof *all);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "type", "existing");
    cJSON_AddItemReferenceToObject(entry, "file", (cJSON *)(uintptr_t)file);
    c->name = "existing";
    c->pointer = "/existing";
    const enum rr_status st = read_plan(r, entry, c->pointer, RR_USE_CHARGE, &c->plan, &c->params);
    cJSON_Delete(entry);
    s->charge = all;
    s->n_charges++;
    return st;
}

enum rr_status rr_commitments_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    RR_TRY(read_entries(r, rr_json_member(document, "commitments"), "commitments", RR_USE_COMMITMENT, "{\"ri\": {\"type\": \"reserved\"}}",
                        &s->commitment, &s->n_commitments));
    RR_TRY(read_entries(r, rr_json_member(document, "charges"), "charges", RR_USE_CHARGE, "{\"data\": {\"type\": \"storage\"}}", &s->charge,
                        &s->n_charges));
    return read_existing(r, document, s);
}
