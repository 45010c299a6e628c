/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_topo.c - `nvidia-smi topo -m`: how the GPUs of a node are joined. No times: it goes into the profile's hardware. */
#include "data/bench_help.h"
#include <string.h>

enum { CELLS = 300, KINDS = 16 };

struct links { /* how often each word stands between two GPUs, or a GPU and an adapter */
    char word[KINDS][16];
    size_t count[KINDS], n;
};

static void count(struct links *l, struct rr_slice s)
{
    size_t i = 0;
    for (; i < l->n; i++)
        if (rr_slice_is(s, l->word[i])) break;
    if (i == KINDS || s.n >= sizeof l->word[0]) return;
    if (i == l->n) {
        memcpy(l->word[i], s.at, s.n);
        l->word[i][s.n] = '\0';
        l->n++;
    }
    l->count[i]++;
}

static bool is_name(struct rr_slice s, const char *word) { return s.n > strlen(word) && memcmp(s.at, word, strlen(word)) == 0; }

static bool is_link(struct rr_slice s)
{
    static const char *const words[] = {"X", "SYS", "NODE", "PHB", "PXB", "PIX"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rr_slice_is(s, words[i])) return true;
    int64_t bonds;
    return s.n >= 3 && s.n <= 4 && memcmp(s.at, "NV", 2) == 0 && rr_text_i64(rr_slice(s.at + 2, s.n - 2), &bonds) == RR_OK && bonds > 0;
}

static void put(struct rr_buf *b, const struct links *l, const char *what)
{
    for (size_t i = 0; i < l->n; i++) rr_buf_putf(b, "; %s x %zu %s", l->word[i], l->count[i], what);
}

static size_t head_names(const struct rr_slice *cell, size_t n, size_t *gpus)
{
    size_t k = 0;
    *gpus = 0;
    for (; k < n && k < CELLS && (is_name(cell[k], "GPU") || is_name(cell[k], "NIC") || is_name(cell[k], "mlx5_")); k++)
        *gpus += is_name(cell[k], "GPU") && k == *gpus;
    return k;
}

static enum rr_status read_text(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct links between = {0}, out = {0};
    struct rr_slice line, cell[CELLS];
    size_t gpus = 0, names = 0, seen = 0;
    int64_t at_line = 0;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        const size_t n = rr_bench_cells(line, cell, CELLS);
        at_line++;
        if (n == 0 || n > CELLS) continue;
        if (names == 0) {
            names = head_names(cell, n, &gpus);
            if (gpus == 0) names = 0;
            continue;
        }
        if (!is_name(cell[0], "GPU") || seen == gpus) continue;
        size_t links = 0;
        while (links + 1 < n && is_link(cell[links + 1])) links++;
        if (links != names || !rr_slice_is(cell[seen + 1], "X")) {
            rr_sink_refuse(sink, at_line, "%zu links in a row of a matrix with %zu columns, X where a device meets itself", links, names);
            continue;
        }
        for (size_t i = 0; i < names; i++)
            if (i != seen && (i >= gpus || i > seen)) count(i < gpus ? &between : &out, cell[i + 1]);
        seen++;
        rr_sink_file(sink)->rows++;
    }
    if (seen < gpus) rr_sink_refuse(sink, at_line, "the matrix of %zu GPUs ends after %zu rows", gpus, seen);
    struct rr_buf b = {0};
    rr_buf_putf(&b, "%zu GPUs", gpus);
    put(&b, &between, "between GPUs");
    put(&b, &out, "to adapters");
    rr_sink_machine(sink)->topology = rr_strdup(t->arena, rr_buf_text(&b));
    rr_sink_machine(sink)->gpus_per_node = (int32_t)gpus;
    rr_sink_file(sink)->tool = "nvidia-smi topo -m";
    rr_sink_file(sink)->complete = seen == gpus;
    rr_buf_done(&b);
    return RR_OK;
}

static int sniff(const char *text, size_t n)
{
    return rr_bench_text_has(text, n, "GPU0", "CPU Affinity") || rr_bench_text_has(text, n, "GPU0", " X ") ? 85 : 0;
}

const struct rr_bench_format rr_bench_topo = {
    .name = "nvidia-smi-topo",
    .summary = "nvidia-smi topo -m: how the GPUs of a node are joined",
    .source = "nvidia-smi topo --help",
    .sniff = sniff,
    .read = read_text,
};
