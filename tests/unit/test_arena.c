/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_arena.c - arenas, and the vector over the same allocator. */
#include "data/base/arena.h"
#include "data/base/vec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void pieces_are_zero_aligned_and_apart(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    unsigned char *piece[2000];
    for (size_t i = 0; i < 2000; i++) {
        const size_t n = i * 7919 % 5003;
        piece[i] = rr_alloc(a, n, 1);
        assert_int_equal((uintptr_t)piece[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < n; k++) assert_int_equal(piece[i][k], 0);
        memset(piece[i], (int)(i % 255) + 1, n);
    }
    for (size_t i = 0; i < 2000; i++) { // nobody wrote over another's
        const size_t n = i * 7919 % 5003;
        for (size_t k = 0; k < n; k++) assert_int_equal(piece[i][k], i % 255 + 1);
    }
    rr_arena_free(a);
    rr_arena_free(NULL);
}

static void a_reset_arena_gives_zeroed_memory_again(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    rr_arena_reset(a);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 300; i++) {
            char *p = RR_NEWS(a, char, 1237);
            assert_int_equal(p[0] | p[1236], 0);
            memset(p, 'x', 1237);
        }
        int64_t *large = RR_NEWS(a, int64_t, 300000); // larger than any block
        assert_true(large[0] == 0 && large[299999] == 0);
        large[299999] = round + 1;
        rr_arena_reset(a);
    }
    rr_arena_free(a);
}

static void texts_are_copied(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    assert_string_equal(rr_strdup(a, "h100"), "h100");
    assert_string_equal(rr_strndup(a, "h100-80gb", 4), "h100");
    assert_string_equal(rr_strndup(a, NULL, 0), "");
    assert_string_equal(rr_strf(a, "%s:%d", "trace.csv", 17), "trace.csv:17");
    assert_string_equal(rr_strf(a, "%s", ""), "");
    rr_arena_free(a);
}

/* Out of memory ends the program with exit 70 and one line on stderr. */
static void check_ends(size_t n, size_t size)
{
    int fd[2];
    char line[200] = "";
    assert_int_equal(pipe(fd), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], 2);
        struct rr_arena *a = rr_arena_create();
        volatile char *p = rr_alloc(a, n, size);
        (void)p;
        _exit(0);
    }
    close(fd[1]);
    assert_true(child > 0);
    const ssize_t got = read(fd[0], line, sizeof line - 1);
    close(fd[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(got > 0 && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), RR_EINTERNAL);
    assert_non_null(strstr(line, "out of memory"));
}

static void too_much_ends_the_program(void **state)
{
    (void)state;
    check_ends(SIZE_MAX / 2, 3); // n x size overflows
    check_ends(SIZE_MAX, 1);
    check_ends(PTRDIFF_MAX, 1);
}

static void vectors_grow(void **state)
{
    (void)state;
    RR_VEC(int64_t) v = {0};
    for (int64_t i = 0; i < 100000; i++) rr_vec_push(&v, i * i);
    assert_int_equal(v.n, 100000);
    for (int64_t i = 0; i < 100000; i++) assert_int_equal(v.at[i], i * i);
    rr_vec_done(&v);
    assert_null(v.at);
    assert_int_equal(v.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zero_aligned_and_apart),
        cmocka_unit_test(a_reset_arena_gives_zeroed_memory_again),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(too_much_ends_the_program),
        cmocka_unit_test(vectors_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
