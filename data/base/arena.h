/* SPDX-License-Identifier: MIT
 * data/base/arena.h - memory with three lifetimes: the program, one simulated run, scratch.
 *
 * An arena is an argument; leaf code allocates from it and never frees. What grows for ever (event heap, vectors)
 * owns its heap block (vec.h). A build with RR_ARENA_MALLOC mallocs each piece so that the sanitizer sees it.
 * Out of memory ends the program with exit 70 and one line: in this file alone. */
#ifndef RR_BASE_ARENA_H
#define RR_BASE_ARENA_H
#include "data/base/status.h"
#include <stddef.h>

struct rr_arena;
struct rr_arena *rr_arena_create(void);
void rr_arena_free(struct rr_arena *a);  /* takes NULL */
void rr_arena_reset(struct rr_arena *a); /* forget everything, keep the blocks */

/* `n` objects of `size` bytes, zeroed, aligned for any type; never NULL. n * size may not overflow (ends the program). */
void *rr_alloc(struct rr_arena *a, size_t n, size_t size) __attribute__((returns_nonnull));
#define RR_NEW(arena, type)     ((type *)rr_alloc((arena), 1, sizeof(type)))
#define RR_NEWS(arena, type, n) ((type *)rr_alloc((arena), (n), sizeof(type)))

char *rr_strdup(struct rr_arena *a, const char *s);
char *rr_strndup(struct rr_arena *a, const char *s, size_t n); /* n bytes, then a NUL */
char *rr_strf(struct rr_arena *a, const char *fmt, ...) RR_PRINTF(2, 3);

/* malloc/realloc that never return NULL; free() what they return. */
void *rr_xrealloc(void *p, size_t n, size_t size);
#endif
