/* SPDX-License-Identifier: MIT
 * data/base/arena.c - bump allocation in blocks that double up to 1 MiB. */
#include "data/base/arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct block {
    struct block *next;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

struct rr_arena {
    struct block *first, *now; // blocks after `now` are empty
};

static _Noreturn void out_of_memory(size_t n)
{
    fprintf(stderr, "rackrate: out of memory (%zu bytes more were asked for)\n", n);
    _exit(RR_EINTERNAL); // no exit handlers: they may want memory, and what is half printed stays unprinted
}

static size_t times(size_t n, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total) || total > PTRDIFF_MAX) out_of_memory(SIZE_MAX);
    return total;
}

void *rr_xrealloc(void *p, size_t n, size_t size)
{
    const size_t total = times(n, size);
    void *q = realloc(p, total ? total : 1);
    if (!q) out_of_memory(total);
    return q;
}

struct rr_arena *rr_arena_create(void)
{
    struct rr_arena *a = rr_xrealloc(NULL, 1, sizeof *a);
    *a = (struct rr_arena){0};
    return a;
}

static void free_from(struct block *b)
{
    while (b) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
}

void rr_arena_free(struct rr_arena *a)
{
    if (!a) return;
    free_from(a->first);
    free(a);
}

void rr_arena_reset(struct rr_arena *a)
{
#ifdef RR_ARENA_MALLOC
    free_from(a->first);
    a->first = NULL;
#endif
    for (struct block *b = a->first; b; b = b->next) b->used = 0;
    a->now = a->first;
}

static struct block *add_block(struct rr_arena *a, size_t least)
{
    size_t size = a->now ? a->now->size * 2 : 4096;
    if (size > (size_t)1 << 20) size = (size_t)1 << 20;
#ifdef RR_ARENA_MALLOC
    size = least;
#endif
    if (size < least) size = least;
    struct block *b = rr_xrealloc(NULL, 1, sizeof *b + size);
    b->size = size;
    b->used = 0;
    b->next = a->now ? a->now->next : a->first;
    if (a->now)
        a->now->next = b;
    else
        a->first = b;
    return b;
}

void *rr_alloc(struct rr_arena *a, size_t n, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    size_t need = times(n, size);
    need = need > SIZE_MAX - align ? SIZE_MAX : (need + align - 1) & ~(align - 1);
    if (need > PTRDIFF_MAX - sizeof(struct block)) out_of_memory(need);
    while (a->now && a->now->size - a->now->used < need && a->now->next && a->now->next->size >= need) a->now = a->now->next;
    if (!a->now || a->now->size - a->now->used < need) a->now = add_block(a, need);
    void *p = a->now->bytes + a->now->used;
    a->now->used += need;
    return memset(p, 0, need ? need : 0);
}

char *rr_strndup(struct rr_arena *a, const char *s, size_t n)
{
    char *d = rr_alloc(a, n + 1, 1);
    if (n) memcpy(d, s, n);
    return d;
}

char *rr_strdup(struct rr_arena *a, const char *s) { return rr_strndup(a, s, strlen(s)); }

char *rr_strf(struct rr_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = rr_alloc(a, (size_t)(n < 0 ? 0 : n) + 1, 1);
    if (n > 0) vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}
