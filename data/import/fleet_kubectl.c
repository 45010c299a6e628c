/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/fleet_kubectl.c - nodes as `kubectl get nodes -o json` prints them.
 *
 * Of a node: status.allocatable (cpu, memory, nvidia.com/gpu or amd.com/gpu), the label nvidia.com/gpu.product (else
 * cloud.google.com/gke-accelerator) as the GPU's type. Cordoned nodes, and those that are not Ready, are left out. */
#include "data/base/json.h"
#include "data/fleet.h"
#include <string.h>

struct reader {
    struct rr_fleet_builder *b;
    const struct rr_json *json;
};

static enum rr_status bad(const struct reader *r, const cJSON *node, const char *pointer, const char *why)
{
    return rr_json_fail(RR_EINPUT, r->json, node, pointer, "%s: %s", why,
                        cJSON_IsString(node) ? rr_strndup(r->b->arena, node->valuestring, strnlen(node->valuestring, 40)) : "no text");
}

/* A Kubernetes quantity ("127", "127500m", "1056431200Ki", "4e3") x `scale`, cut to a whole number. */
static bool quantity(const cJSON *node, double scale, double most, int32_t *ret)
{
    static const struct {
        const char *text;
        double times;
    } suffix[] = {{"m", 1e-3}, {"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
                  {"P", 1e15}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}};
    if (!cJSON_IsString(node) && !cJSON_IsNumber(node)) return false;
    const struct rr_slice s = cJSON_IsString(node) ? rr_slice(node->valuestring, strlen(node->valuestring)) : rr_json_number(node);
    size_t n = s.n;
    while (n > 0 && strchr("mkKMGTPi", s.at[n - 1])) n--;
    double v;
    if (rr_text_double(rr_slice(s.at, n), &v) != RR_OK || v < 0) return false;
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        if (!rr_slice_is(rr_slice(s.at + n, s.n - n), suffix[i].text)) continue;
        v *= suffix[i].times * scale;
        if (!(v <= most)) return false;
        *ret = (int32_t)(v * (1 + 1e-12)); // 0.1 k is 100
        return true;
    }
    return false;
}

static enum rr_status amount(const struct reader *r, const cJSON *of, const char *pointer, const char *key, double scale, double most,
                             int32_t *ret)
{
    const cJSON *node = rr_json_member(of, key);
    *ret = 0;
    if (!node || quantity(node, scale, most, ret)) return RR_OK;
    return bad(r, node, rr_pointer_join(r->b->arena, pointer, key), "no quantity such as 127, 127500m or 1056431200Ki");
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *node = rr_json_member(object, key);
    return cJSON_IsString(node) ? node->valuestring : NULL;
}

/* Why no pod can start there, or NULL. */
static const char *closed(const cJSON *item)
{
    if (cJSON_IsTrue(rr_json_at(item, "/spec/unschedulable"))) return "cordoned";
    const cJSON *conditions = rr_json_at(item, "/status/conditions");
    for (const cJSON *c = conditions ? conditions->child : NULL; c; c = c->next) {
        const char *type = text_of(c, "type"), *status = text_of(c, "status");
        if (type && status && strcmp(type, "Ready") == 0 && strcmp(status, "True") != 0) return "not ready";
    }
    return NULL;
}

static enum rr_status read_item(const struct reader *r, const cJSON *item, size_t i)
{
    const char *pointer = rr_strf(r->b->arena, "/items/%zu", i);
    const cJSON *allocatable = rr_json_at(item, "/status/allocatable"), *labels = rr_json_at(item, "/metadata/labels");
    const char *name = text_of(rr_json_member(item, "metadata"), "name");
    if (!name || !*name) return rr_json_fail(RR_EINPUT, r->json, item, pointer, "a node has no metadata.name");
    if (!cJSON_IsObject(allocatable)) return rr_json_fail(RR_EINPUT, r->json, item, pointer, "node \"%s\" has no status.allocatable", name);
    const char *at = rr_strf(r->b->arena, "%s/status/allocatable", pointer), *why = closed(item);
    struct rr_node_shape shape = {0};
    int32_t other = 0;
    RR_TRY(amount(r, allocatable, at, "cpu", 1000, INT32_MAX, &shape.cpus_milli));
    RR_TRY(amount(r, allocatable, at, "memory", 0x1p-20, INT32_MAX, &shape.memory_mib));
    RR_TRY(amount(r, allocatable, at, "nvidia.com/gpu", 1, RR_NODE_GPUS, &shape.gpus));
    RR_TRY(amount(r, allocatable, at, "amd.com/gpu", 1, RR_NODE_GPUS, &other));
    if (shape.gpus == 0) shape.gpus = other;
    const char *gpu = text_of(labels, "nvidia.com/gpu.product");
    if (!gpu) gpu = text_of(labels, "cloud.google.com/gke-accelerator");
    if (!gpu || shape.gpus == 0) gpu = "";
    if (why) {
        rr_fleet_leave_out(r->b, rr_slice(name, strlen(name)), rr_slice(why, strlen(why)));
        return RR_OK;
    }
    if (shape.gpus == 0 && shape.cpus_milli == 0)
        return rr_json_fail(RR_EINPUT, r->json, allocatable, at, "node \"%s\" has neither GPUs nor CPUs", name);
    return rr_fleet_add(r->b, 0, rr_slice(name, strlen(name)), rr_slice(gpu, strlen(gpu)), &shape);
}

static enum rr_status read_items(const struct reader *r, const cJSON *root)
{
    const cJSON *items = rr_json_member(root, "items");
    if (!cJSON_IsArray(items))
        return rr_json_fail(RR_EINPUT, r->json, root, "", "no list \"items\": not what `kubectl get nodes -o json` prints");
    size_t i = 0;
    for (const cJSON *item = items->child; item; item = item->next) RR_TRY(read_item(r, item, i++));
    return RR_OK;
}

static enum rr_status kubectl_read(const char *path, const char *name, struct rr_fleet_builder *b, char sha256[65])
{
    (void)name;
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    const struct reader r = {b, json};
    sha256[0] = '\0';
    enum rr_status st = rr_json_read(json, path, &root);
    if (st == RR_OK) st = read_items(&r, root);
    if (st == RR_OK && strcmp(path, "-") != 0) st = rr_file_sha256(path, sha256);
    cJSON_Delete(root);
    rr_json_free(json);
    return st;
}

static int kubectl_sniff(struct rr_slice head)
{
    size_t i = 0;
    while (i < head.n && strchr(" \t\r\n", head.at[i]) && head.at[i]) i++;
    if (i == head.n || head.at[i] != '{') return 0;
    return memmem(head.at, head.n, "\"items\"", 7) ? 90 : 50;
}

const struct rr_fleet_format rr_fleet_kubectl = {
    .kind = {.name = "kubectl", .summary = "Kubernetes: kubectl get nodes -o json"}, .sniff = kubectl_sniff, .read = kubectl_read};
