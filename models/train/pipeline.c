/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/pipeline.c - 1F1B, plain and interleaved, played and in closed form.
 *
 * Each stage has a fixed order of work: some forward passes to warm up, then one forward and one backward in turn, then the backward passes
 * that are left. An operation starts when its stage is free and what it needs has come. The playing walks all stages round robin, each as far
 * as it can get: every operation is looked at once or twice. */
#include "models/train/pipeline.h"
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include "data/base/arena.h"

struct play {
    const struct rr_pipeline *p;
    double *free_s;       /* [stages] */
    int64_t *next;        /* [stages] operation that a stage does next, of 2 x chunks x micro batches */
    double *forward_end;  /* [chunks * stages][micro_batches] */
    double *backward_end; /* likewise */
};

struct operation {
    bool backward;
    int32_t chunk;
    int64_t micro;
};

/* The k-th forward (or backward) pass of a stage: groups of `stages` micro batches go through all chunks before the next group does. */
static struct operation pass(const struct rr_pipeline *p, int64_t k, bool backward)
{
    if (p->chunks == 1) return (struct operation){backward, 0, k};
    const int64_t group = (int64_t)p->stages * p->chunks, in = k % group;
    const int32_t chunk = (int32_t)(in / p->stages);
    return (struct operation){backward, backward ? p->chunks - 1 - chunk : chunk, k / group * p->stages + in % p->stages};
}

static int64_t warm_up(const struct rr_pipeline *p, int32_t stage)
{
    const int64_t all = p->micro_batches * p->chunks;
    int64_t n = p->chunks == 1 ? p->stages - 1 - stage : 2LL * (p->stages - 1 - stage) + (int64_t)(p->chunks - 1) * p->stages;
    return n < all ? n : all;
}

static struct operation operation_at(const struct rr_pipeline *p, int32_t stage, int64_t i)
{
    const int64_t warm = warm_up(p, stage), all = p->micro_batches * p->chunks;
    if (i < warm) return pass(p, i, false);
    const int64_t j = i - warm, steady = all - warm;
    if (j < 2 * steady) return j % 2 == 0 ? pass(p, warm + j / 2, false) : pass(p, j / 2, true);
    return pass(p, steady + (j - 2 * steady), true);
}

/* When what the operation needs has come; negative: not yet. */
static double ready(const struct play *y, int32_t stage, struct operation o)
{
    const struct rr_pipeline *p = y->p;
    const int64_t n = p->micro_batches, at = (int64_t)o.chunk * p->stages + stage, last = (int64_t)p->stages * p->chunks - 1;
    if (!o.backward) {
        if (at == 0) return 0;
        const double t = y->forward_end[(at - 1) * n + o.micro];
        return t < 0 ? -1 : t + p->send_s;
    }
    if (at == last) return y->forward_end[at * n + o.micro];
    const double t = y->backward_end[(at + 1) * n + o.micro];
    return t < 0 ? -1 : t + p->send_s;
}

static bool advance(struct play *y, int32_t stage)
{
    const struct rr_pipeline *p = y->p;
    const int64_t all = 2 * p->micro_batches * p->chunks;
    bool moved = false;
    while (y->next[stage] < all) {
        const struct operation o = operation_at(p, stage, y->next[stage]);
        const double from = ready(y, stage, o);
        if (from < 0) break;
        const int64_t at = (int64_t)o.chunk * p->stages + stage;
        const double start = from > y->free_s[stage] ? from : y->free_s[stage];
        const double end = start + (o.backward ? p->backward_s : p->forward_s)[at];
        (o.backward ? y->backward_end : y->forward_end)[at * p->micro_batches + o.micro] = end;
        y->free_s[stage] = end;
        y->next[stage]++;
        moved = true;
    }
    return moved;
}

double rr_pipeline_play(const struct rr_pipeline *p)
{
    assert(p->stages >= 1 && p->chunks >= 1 && p->micro_batches >= 1);
    assert(p->chunks == 1 || p->micro_batches % p->stages == 0);
    const size_t cells = (size_t)p->stages * (size_t)p->chunks * (size_t)p->micro_batches, stages = (size_t)p->stages;
    double *ends = rr_xrealloc(NULL, 2 * cells + stages, sizeof *ends);
    int64_t *next = rr_xrealloc(NULL, stages, sizeof *next);
    struct play y = {.p = p, .free_s = ends + 2 * cells, .next = next, .forward_end = ends, .backward_end = ends + cells};
    for (size_t i = 0; i < 2 * cells; i++) ends[i] = -1;
    for (size_t i = 0; i < stages; i++) y.free_s[i] = 0, next[i] = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int32_t s = 0; s < p->stages; s++) moved |= advance(&y, s);
    }
    double end = 0;
    for (int32_t s = 0; s < p->stages; s++) {
        assert(next[s] == 2 * p->micro_batches * p->chunks);
        if (y.free_s[s] > end) end = y.free_s[s];
    }
    free(ends);
    free(next);
    return end;
}

double rr_pipeline_closed(const struct rr_pipeline *p)
{
    double all = 0, slowest = 0;
    for (int32_t s = 0; s < p->stages; s++) {
        double one = 0;
        for (int32_t c = 0; c < p->chunks; c++) one += p->forward_s[c * p->stages + s] + p->backward_s[c * p->stages + s];
        all += one;
        if (one > slowest) slowest = one;
    }
    const double rest = all / p->chunks - slowest / p->chunks; // what fills and drains around the slowest stage
    const double sends = 2.0 * (p->stages - 1) * p->send_s;
    return slowest * (double)p->micro_batches + rest + sends;
}
