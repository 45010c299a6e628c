/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/expected.c - sorted blocks of what runs. */
#include "sim/engine/expected.h"
#include <assert.h>
#include <stdbool.h>
#include <string.h>

void rr_expected_done(struct rr_expected *e)
{
    for (size_t i = 0; i < e->block.n; i++) free(e->block.at[i]);
    for (size_t i = 0; i < e->spare.n; i++) free(e->spare.at[i]);
    rr_vec_done(&e->block);
    rr_vec_done(&e->spare);
}

static bool before(struct rr_due a, struct rr_due b) { return a.at_us != b.at_us ? a.at_us < b.at_us : a.run < b.run; }

// The first block whose last entry is not before x; the last block when there is none.
static size_t block_for(const struct rr_expected *e, struct rr_due x)
{
    size_t low = 0, high = e->block.n - 1;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct rr_due_block *b = e->block.at[mid];
        if (before(b->due[b->first + b->n - 1], x))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

// Index in due[] of the first entry that is not before x.
static uint32_t place_in(const struct rr_due_block *b, struct rr_due x)
{
    uint32_t low = b->first, high = b->first + b->n;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (before(b->due[mid], x))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_block(struct rr_expected *e, size_t at)
{
    struct rr_due_block *b = e->spare.n ? e->spare.at[--e->spare.n] : rr_xrealloc(NULL, 1, sizeof *b);
    b->first = b->n = 0;
    rr_vec_reserve(&e->block, e->block.n + 1);
    memmove(e->block.at + at + 1, e->block.at + at, (e->block.n - at) * sizeof(struct rr_due_block *));
    e->block.at[at] = b;
    e->block.n++;
}

static void split(struct rr_expected *e, size_t at)
{
    insert_block(e, at + 1);
    struct rr_due_block *a = e->block.at[at], *b = e->block.at[at + 1];
    a->n = RR_DUE_BLOCK / 2;
    b->n = RR_DUE_BLOCK - a->n;
    memcpy(b->due, a->due + a->n, b->n * sizeof *b->due);
}

// A gap before due[i], made by moving the shorter side; returns its index.
static uint32_t open_gap(struct rr_due_block *b, uint32_t i)
{
    const uint32_t left = i - b->first, right = b->n - left;
    b->n++;
    if (b->first > 0 && (left < right || b->first + b->n > RR_DUE_BLOCK)) {
        memmove(b->due + b->first - 1, b->due + b->first, left * sizeof *b->due);
        b->first--;
        return i - 1;
    }
    memmove(b->due + i + 1, b->due + i, right * sizeof *b->due);
    return i;
}

static void close_gap(struct rr_due_block *b, uint32_t i)
{
    const uint32_t left = i - b->first, right = b->first + b->n - i - 1;
    b->n--;
    if (left < right) {
        memmove(b->due + b->first + 1, b->due + b->first, left * sizeof *b->due);
        b->first++;
    } else {
        memmove(b->due + i, b->due + i + 1, right * sizeof *b->due);
    }
}

void rr_expected_add(struct rr_expected *e, int64_t at_us, uint32_t run)
{
    const struct rr_due x = {at_us, run};
    if (e->block.n == 0) insert_block(e, 0);
    size_t at = block_for(e, x);
    if (e->block.at[at]->n == RR_DUE_BLOCK) {
        split(e, at);
        at = block_for(e, x);
    }
    struct rr_due_block *b = e->block.at[at];
    b->due[open_gap(b, place_in(b, x))] = x;
}

void rr_expected_remove(struct rr_expected *e, int64_t at_us, uint32_t run)
{
    const struct rr_due x = {at_us, run};
    const size_t at = block_for(e, x);
    struct rr_due_block *b = e->block.at[at];
    const uint32_t i = place_in(b, x);
    assert(i < b->first + b->n && b->due[i].run == run && b->due[i].at_us == at_us);
    close_gap(b, i);
    if (b->n) return;
    rr_vec_push(&e->spare, b);
    e->block.n--;
    memmove(e->block.at + at, e->block.at + at + 1, (e->block.n - at) * sizeof(struct rr_due_block *));
}
