/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/fleet_scontrol.c - nodes as `scontrol show node -o` prints them (or without -o, over several lines).
 *
 *     NodeName=gpu01 Arch=x86_64 CPUTot=128 ... Gres=gpu:a100:8(S:0-1) ... RealMemory=1031000 ... State=IDLE ... Reason=any words
 *
 * Values may hold blanks (OS, Reason, Comment), so only the first of a key counts: the ones read stand before those texts. */
#include "data/fleet.h"
#include <string.h>

enum key { NAME, CPUS, MEMORY, GRES, STATE, KEYS };
static const char *const keys[KEYS] = {"NodeName", "CPUTot", "RealMemory", "Gres", "State"};

struct record {
    struct rr_slice value[KEYS]; // at = NULL: not seen
    int64_t line[KEYS];
};

static enum rr_status number(const struct rr_fleet_builder *b, const struct record *r, enum key k, int64_t most, int32_t *ret)
{
    int64_t v = 0;
    if (r->value[k].at && (rr_text_i64(r->value[k], &v) != RR_OK || v < 0 || v > most))
        return rr_fail(RR_EINPUT, "%s:%lld: %s is no whole number up to %lld: \"%.*s\"", b->path, (long long)r->line[k], keys[k],
                       (long long)most, r->value[k].n < 40 ? (int)r->value[k].n : 40, r->value[k].at);
    *ret = (int32_t)v;
    return RR_OK;
}

static enum rr_status finish(struct rr_fleet_builder *b, struct record *r)
{
    const struct record done = *r;
    *r = (struct record){0};
    if (!done.value[NAME].at) return RR_OK;
    if (done.value[NAME].n == 0) return rr_fail(RR_EINPUT, "%s:%lld: NodeName is empty", b->path, (long long)done.line[NAME]);
    if (!done.value[CPUS].at)
        return rr_fail(RR_EINPUT, "%s:%lld: node \"%.*s\" has no CPUTot: not what `scontrol show node -o` prints", b->path,
                       (long long)done.line[NAME], done.value[NAME].n < 40 ? (int)done.value[NAME].n : 40, done.value[NAME].at);
    struct rr_node_shape shape = {0};
    struct rr_slice gpu = rr_slice("", 0);
    RR_TRY(number(b, &done, CPUS, INT32_MAX / 1000, &shape.cpus_milli));
    RR_TRY(number(b, &done, MEMORY, INT32_MAX, &shape.memory_mib));
    shape.cpus_milli *= 1000;
    if (done.value[GRES].at) RR_TRY(rr_fleet_gres(b, done.line[GRES], done.value[GRES], &shape.gpus, &gpu));
    if (done.value[STATE].at && !rr_fleet_usable(done.value[STATE])) {
        rr_fleet_leave_out(b, done.value[NAME], done.value[STATE]);
        return RR_OK;
    }
    return rr_fleet_add(b, done.line[NAME], done.value[NAME], gpu, &shape);
}

static enum rr_status take(struct rr_fleet_builder *b, struct record *r, struct rr_slice word, int64_t line)
{
    const char *equals = memchr(word.at, '=', word.n);
    if (!equals) return RR_OK;
    const struct rr_slice key = rr_slice(word.at, (size_t)(equals - word.at));
    for (int k = 0; k < KEYS; k++) {
        if (!rr_slice_is(key, keys[k])) continue;
        if (k == NAME) RR_TRY(finish(b, r));
        if (r->value[k].at) continue;
        r->value[k] = rr_slice(equals + 1, word.n - key.n - 1);
        r->line[k] = line;
    }
    return RR_OK;
}

static enum rr_status read_text(struct rr_fleet_builder *b, const char *text, size_t n)
{
    struct record r = {0};
    int64_t line = 1;
    for (size_t i = 0; i < n;) {
        const size_t from = i;
        while (i < n && text[i] != ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r') i++;
        if (i > from) RR_TRY(take(b, &r, rr_slice(text + from, i - from), line));
        if (i < n && text[i] == '\n') line++;
        i++;
    }
    return finish(b, &r);
}

static enum rr_status scontrol_read(const char *path, const char *name, struct rr_fleet_builder *b, char sha256[65])
{
    (void)name;
    char *text;
    size_t n;
    RR_TRY(rr_fleet_text(path, &text, &n, sha256));
    enum rr_status st = read_text(b, text, n);
    if (st == RR_OK && b->nodes.n + b->left_out == 0)
        st = rr_fail(RR_EINPUT, "%s:1: no NodeName=: not what `scontrol show node -o` prints", b->path);
    free(text);
    return st;
}

static int scontrol_sniff(struct rr_slice head) { return head.n > 9 && memcmp(head.at, "NodeName=", 9) == 0 ? 95 : 0; }

const struct rr_fleet_format rr_fleet_scontrol = {
    .kind = {.name = "scontrol", .summary = "Slurm: scontrol show node -o"}, .sniff = scontrol_sniff, .read = scontrol_read};
