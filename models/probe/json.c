/* SPDX-License-Identifier: MIT
 * models/probe/json.c - what was measured as "rackrate.samples/1" (data/samples.h). */
#include "models/probe/probe.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_text(struct rr_buf *b, const char *key, const char *value)
{
    rr_buf_putf(b, "\"%s\": ", key);
    rr_buf_json(b, value);
}

static const char *processor(struct rr_arena *a)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[512];
    const char *found = "";
    while (f && !*found && fgets(line, sizeof line, f)) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!colon) continue;
        line[strcspn(line, "\n")] = '\0';
        found = rr_strdup(a, colon + 1 + strspn(colon + 1, " "));
    }
    if (f) (void)fclose(f);
    return found;
}

static const char *version_text(struct rr_arena *a, int v) { return v > 0 ? rr_strf(a, "%d.%d", v / 1000, v % 1000 / 10) : ""; }

/* 2.9 and later count 10000, 100; before 1000, 100 (nccl.h). */
static const char *nccl_text(struct rr_arena *a, int v)
{
    if (v <= 0) return "";
    return v >= 10000 ? rr_strf(a, "%d.%d.%d", v / 10000, v % 10000 / 100, v % 100)
                      : rr_strf(a, "%d.%d.%d", v / 1000, v % 1000 / 100, v % 100);
}

static void put_hardware(struct rr_buf *b, const struct rr_probe *p)
{
    rr_buf_puts(b, "  \"hardware\": {");
    put_text(b, "gpu", p->device.name);
    rr_buf_putf(b, ", \"gpus_per_node\": %d, \"nodes\": %d, ", rr_probe_per_node(p), rr_probe_nodes(p));
    put_text(b, "driver", *p->nvml_driver ? p->nvml_driver : version_text(p->arena, p->driver));
    rr_buf_puts(b, ", ");
    put_text(b, "cuda", version_text(p->arena, p->runtime));
    rr_buf_puts(b, ",\n    ");
    put_text(b, "nccl", nccl_text(p->arena, p->nccl_version));
    rr_buf_puts(b, ", ");
    put_text(b, "host", processor(p->arena));
    rr_buf_putf(b, ", \"memory_gib\": %.1f, \"sms\": %d", (double)p->device.memory_bytes / 1073741824.0, p->device.sms);
    if (p->power_limit_w > 0) rr_buf_putf(b, ", \"power_limit_w\": %.0f", p->power_limit_w);
    rr_buf_puts(b, "},\n");
}

static void put_point(struct rr_buf *b, const struct rr_probe_result *r)
{
    const struct rr_probe_point *p = &r->point;
    const bool gemm = strcmp(p->kind, "gemm") == 0, collective = strcmp(p->kind, "collective") == 0;
    put_text(b, "kind", p->kind);
    if (*p->op) rr_buf_puts(b, ", "), put_text(b, "op", p->op);
    if (collective) rr_buf_putf(b, ", \"ranks\": %d, \"nodes\": %d, \"type\": \"float\", \"in_place\": false", p->ranks, r->nodes);
    if (p->typed) rr_buf_puts(b, ", "), put_text(b, "type", rr_probe_type_name[p->type]);
    if (gemm) rr_buf_putf(b, ", \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64, p->m, p->n, p->k);
    if (strcmp(p->kind, "transfer") == 0) rr_buf_putf(b, ", \"from\": %d, \"to\": %d", p->from, p->to);
    if (r->flops > 0) rr_buf_puts(b, ", \"flops\": "), rr_buf_double(b, r->flops);
    if (p->bytes > 0) rr_buf_putf(b, ", \"bytes\": %" PRId64, p->bytes);
}

static void put_result(struct rr_buf *b, const struct rr_probe_result *r)
{
    rr_buf_puts(b, "    {");
    put_point(b, r);
    if (r->power_w > 0) rr_buf_putf(b, ", \"power_w\": %.1f, \"clock_mhz\": %.0f", r->power_w, r->clock_mhz);
    if (r->check) rr_buf_puts(b, ", "), put_text(b, "check", r->check);
    rr_buf_puts(b, ", \"us\": [");
    for (int i = 0; i < r->n_us; i++) rr_buf_putf(b, "%s%.*f", i ? ", " : "", r->us[i] < 1000 ? 4 : 1, r->us[i]);
    rr_buf_puts(b, "]}");
}

void rr_probe_json(const struct rr_probe *p, const char *date, struct rr_buf *b)
{
    rr_buf_puts(b, "{\n  \"schema\": \"rackrate.samples/1\", \"tool\": \"rackrate-probe " RR_VERSION "\", ");
    put_text(b, "date", date);
    rr_buf_puts(b, ", ");
    put_text(b, "note", p->opt.note ? p->opt.note : "");
    rr_buf_puts(b, ",\n");
    put_hardware(b, p);
    rr_buf_puts(b, "  ");
    put_text(b, "topology", p->topology);
    rr_buf_puts(b, ",\n  \"skipped\": [");
    for (size_t i = 0; i < p->skipped.n; i++) {
        rr_buf_puts(b, i ? ",\n    {" : "\n    {");
        put_text(b, "part", p->skipped.at[i].part), rr_buf_puts(b, ", "), put_text(b, "why", p->skipped.at[i].why);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "],\n  \"samples\": [\n");
    for (size_t i = 0; i < p->results.n; i++) {
        put_result(b, &p->results.at[i]);
        rr_buf_puts(b, i + 1 < p->results.n ? ",\n" : "\n");
    }
    rr_buf_puts(b, "  ]\n}\n");
}
