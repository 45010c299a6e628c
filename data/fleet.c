/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/fleet.c - telling the format of a node list, and what its readers share. */
#include "data/fleet.h"
#include <string.h>
#include <sys/stat.h>

#define MOST_NODES 1000000
#define MOST_BYTES ((size_t)256 << 20)
#define HEAD       ((size_t)64 << 10)

#define X(name) &rr_fleet_##name,
static const struct rr_fleet_format *const formats[] = {
#include "data/import/fleet_list.h"
};
#undef X
#define X(name) &rr_fleet_##name.kind,
static const struct rr_kind *const format_kinds[] = {
#include "data/import/fleet_list.h"
};
#undef X
#define N_FORMATS (sizeof formats / sizeof *formats)
const struct rr_kinds rr_fleet_formats = {format_kinds, N_FORMATS};

/* ---- nodes ---- */

enum rr_status rr_fleet_add(struct rr_fleet_builder *b, int64_t line, struct rr_slice name, struct rr_slice gpu,
                            const struct rr_node_shape *shape)
{
    if (shape->gpus == 0 && shape->cpus_milli == 0)
        return rr_fail(RR_EINPUT, "%s:%lld: name has neither GPUs nor CPUs: \"%.*s\"", b->path, (long long)line,
                       name.n < 40 ? (int)name.n : 40, name.at);
    if (b->nodes.n >= MOST_NODES) return rr_fail(RR_EINPUT, "%s:%lld: more than 1,000,000 nodes", b->path, (long long)line);
    struct rr_node_shape node = *shape;
    node.name = rr_strndup(b->arena, name.at, name.n);
    node.gpu = rr_strndup(b->arena, gpu.n ? gpu.at : "", gpu.n);
    rr_vec_push(&b->nodes, node);
    return RR_OK;
}

void rr_fleet_leave_out(struct rr_fleet_builder *b, struct rr_slice name, struct rr_slice state)
{
    if (b->left_out++ == 0)
        b->left_out_first = rr_strf(b->arena, "%.*s (%.*s)", name.n < 60 ? (int)name.n : 60, name.at, state.n < 40 ? (int)state.n : 40,
                                    state.n ? state.at : "");
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static enum rr_status check_names(const struct rr_fleet_builder *b)
{
    if (b->nodes.n == 0)
        return rr_fail(RR_EINPUT, "%s: no nodes%s%s", b->path, b->left_out ? ": all are down or drained, such as " : "",
                       b->left_out ? b->left_out_first : "");
    const char **name = rr_xrealloc(NULL, b->nodes.n, sizeof *name);
    for (size_t i = 0; i < b->nodes.n; i++) name[i] = b->nodes.at[i].name;
    qsort(name, b->nodes.n, sizeof *name, by_name);
    enum rr_status st = RR_OK;
    for (size_t i = 1; i < b->nodes.n && st == RR_OK; i++)
        if (strcmp(name[i - 1], name[i]) == 0) st = rr_fail(RR_EINPUT, "%s: two nodes are named \"%s\"", b->path, name[i]);
    free(name);
    return st;
}

/* ---- what Slurm writes ---- */

/* Up to the comma that is not inside parentheses. */
static struct rr_slice next_part(struct rr_slice *rest)
{
    size_t n = 0, deep = 0;
    for (; n < rest->n && (rest->at[n] != ',' || deep > 0); n++) deep += (rest->at[n] == '(') - (size_t)(rest->at[n] == ')' && deep > 0);
    const struct rr_slice part = rr_slice(rest->at, n);
    n += n < rest->n;
    *rest = rr_slice(rest->at + n, rest->n - n);
    return part;
}

static struct rr_slice before(struct rr_slice s, char c)
{
    const char *at = s.n ? memchr(s.at, c, s.n) : NULL;
    return at ? rr_slice(s.at, (size_t)(at - s.at)) : s;
}

/* "gpu", "gpu:8", "gpu:a100", "gpu:a100:8". */
static void gpu_part(struct rr_slice s, struct rr_slice *type, int64_t *count)
{
    *type = rr_slice("", 0);
    *count = 1;
    if (s.n <= 4) return;
    s = rr_slice(s.at + 4, s.n - 4);
    const char *colon = memrchr(s.at, ':', s.n);
    const struct rr_slice last = colon ? rr_slice(colon + 1, s.n - (size_t)(colon + 1 - s.at)) : s;
    const bool counted = rr_text_i64(last, count) == RR_OK;
    if (!counted) *count = 1;
    *type = !counted ? s : colon ? rr_slice(s.at, (size_t)(colon - s.at)) : rr_slice("", 0);
}

enum rr_status rr_fleet_gres(const struct rr_fleet_builder *b, int64_t line, struct rr_slice gres, int32_t *ret_gpus,
                             struct rr_slice *ret_type)
{
    int64_t gpus = 0;
    struct rr_slice known = rr_slice("", 0), rest = gres;
    while (rest.n > 0) {
        const struct rr_slice part = before(next_part(&rest), '(');
        int64_t count;
        struct rr_slice type;
        if (!rr_slice_is(before(part, ':'), "gpu")) continue;
        gpu_part(part, &type, &count);
        if (count < 0 || count > RR_NODE_GPUS || gpus + count > RR_NODE_GPUS)
            return rr_fail(RR_EINPUT, "%s:%lld: Gres is no number of GPUs, 0 to 1024: \"%.*s\"", b->path, (long long)line,
                           gres.n < 60 ? (int)gres.n : 60, gres.at);
        if (count > 0 && gpus > 0 && (type.n != known.n || memcmp(type.at, known.at, known.n) != 0))
            return rr_fail(RR_EINPUT, "%s:%lld: a node with GPUs of two types (\"%.*s\"): write it as two nodes", b->path, (long long)line,
                           gres.n < 60 ? (int)gres.n : 60, gres.at);
        if (count > 0) known = type;
        gpus += count;
    }
    *ret_gpus = (int32_t)gpus;
    *ret_type = known;
    return RR_OK;
}

bool rr_fleet_usable(struct rr_slice state)
{
    static const char *const closed[] = {
        "down", "drain", "drained", "draining", "drng",  "fail", "failing", "failg",       "future",         "futr",      "unknown",
        "unk",  "unk",   "error",   "invalid",  "inval", "fut",  "no_resp", "invalid_reg", "not_responding", "no_respond"};
    while (state.n > 0) {
        struct rr_slice word = before(state, '+');
        const size_t n = word.n + (word.n < state.n);
        state = rr_slice(state.at + n, state.n - n);
        while (word.n > 0 && strchr("*~#!%$@^-", word.at[word.n - 1])) word.n--; // flags: not responding, powered down, ...
        for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
            if (rr_slice_is_nocase(word, closed[i])) return false;
    }
    return true;
}

enum rr_status rr_fleet_text(const char *path, char **ret, size_t *ret_n, char sha256[65])
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = rr_input_all(in, MOST_BYTES, ret, ret_n);
    if (st == RR_OK) {
        st = rr_input_sha256(in, sha256);
        if (st != RR_OK) free(*ret);
    }
    rr_input_close(in);
    return st;
}

/* ---- which format ---- */

static const struct rr_fleet_format *surest(struct rr_slice head)
{
    const struct rr_fleet_format *best = &rr_fleet_csv;
    int most = 0;
    for (size_t i = 0; i < N_FORMATS; i++) {
        const int sure = formats[i]->sniff ? formats[i]->sniff(head) : 0;
        if (sure > most) most = sure, best = formats[i];
    }
    return best;
}

static enum rr_status tell_format(const char *path, const struct rr_fleet_format **ret)
{
    *ret = &rr_fleet_csv;
    struct stat is;
    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) return RR_OK; // a pipe cannot be read twice
    if (strcmp(path, "-") == 0) return RR_OK;
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    char *head = rr_xrealloc(NULL, HEAD, 1);
    size_t n = 0, got = 0;
    enum rr_status st;
    do {
        st = rr_input_read(in, head + n, HEAD - n, &got);
        n += st == RR_OK ? got : 0;
    } while (st == RR_OK && got > 0 && n < HEAD);
    rr_input_close(in);
    if (st == RR_OK) *ret = surest(rr_slice(head, n));
    free(head);
    return st;
}

static enum rr_status named_format(const char *path, const char *name, struct rr_arena *arena, const struct rr_fleet_format **ret)
{
    const char *words[N_FORMATS + 1] = {"auto"}, *list = "auto";
    if (!name || strcmp(name, "auto") == 0) return tell_format(path, ret);
    for (size_t i = 0; i < N_FORMATS; i++) {
        words[i + 1] = formats[i]->kind.name;
        list = rr_strf(arena, "%s, %s", list, words[i + 1]);
        *ret = formats[i];
        if (strcmp(name, words[i + 1]) == 0) return RR_OK;
    }
    return rr_fail(RR_EINPUT, "%s: unknown node list format \"%s\"%s; known: %s", path, name,
                   rr_did_you_mean(arena, name, words, N_FORMATS + 1), list);
}

enum rr_status rr_fleet_read(const char *path, const char *name, struct rr_arena *arena, struct rr_fleet_file *ret)
{
    const struct rr_fleet_format *format;
    RR_TRY(named_format(path, name, arena, &format));
    struct rr_fleet_builder b = {.path = strcmp(path, "-") == 0 ? "stdin" : rr_strdup(arena, path), .arena = arena, .left_out_first = ""};
    b.format = format->kind.name;
    struct rr_fleet_file fleet = {0};
    enum rr_status st = format->read(path, name ? name : "auto", &b, fleet.sha256);
    if (st == RR_OK) st = check_names(&b);
    if (st == RR_OK) {
        fleet.n = b.nodes.n;
        fleet.node = RR_NEWS(arena, struct rr_node_shape, fleet.n);
        memcpy(fleet.node, b.nodes.at, fleet.n * sizeof *fleet.node);
        fleet.format = b.format;
        fleet.left_out = b.left_out;
        fleet.left_out_first = b.left_out_first;
        *ret = fleet;
    }
    rr_vec_done(&b.nodes);
    return st;
}
