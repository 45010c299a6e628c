/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_sort.c - the radix sort against qsort, on keys of every width and sign. */
#include "data/base/sort.h"
#include "data/base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void agrees_with_qsort(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 20011};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int bits = 1; bits <= 64; bits += 9) {
            const size_t n = sizes[k];
            int64_t *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
            struct rr_rng r;
            rr_rng_init(&r, 7, (uint32_t)bits, RR_RNG_TEST, k);
            for (size_t i = 0; i < n; i++) a[i] = b[i] = (int64_t)(rr_rng_u64(&r) >> (64 - bits)) - (bits < 60 ? 17 : 0);
            rr_sort_i64(a, n);
            qsort(b, n, sizeof *b, by_value);
            if (n) assert_memory_equal(a, b, n * sizeof *a);
            free(a);
            free(b);
        }
}

static void extremes_lie_at_the_ends(void **state)
{
    (void)state;
    int64_t key[100];
    for (int i = 0; i < 100; i++) key[i] = i % 3 == 0 ? INT64_MAX : i % 3 == 1 ? INT64_MIN : -i;
    rr_sort_i64(key, 100);
    assert_int_equal(key[0], INT64_MIN);
    assert_int_equal(key[99], INT64_MAX);
    for (int i = 1; i < 100; i++) assert_true(key[i - 1] <= key[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_qsort), cmocka_unit_test(extremes_lie_at_the_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
