/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_cell.c - the quick number reader against the general one, on all forms near the edge between them. */
#include "data/cell.h"
#include "tests/trace_help.h"

/* In a buffer with nothing but letters behind the cell: they must not count. */
static void same(const char *text, int digits)
{
    char buf[128];
    memset(buf, '7', sizeof buf);
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) buf[i] = text[i];
    const struct rr_slice cell = rr_slice(buf, n);
    int64_t quick = -1, general = -2, whole = -3, general_whole = -4;
    const bool a = rr_cell_scaled(cell, digits, &quick), b = rr_text_scaled(rr_trim(cell), digits, &general) == RR_OK;
    if (a != b || (a && quick != general))
        fail_msg("\"%s\" x 10^%d: %d %lld, not %d %lld", text, digits, a, (long long)quick, b, (long long)general);
    const bool c = rr_cell_whole(cell, &whole), d = rr_text_i64(rr_trim(cell), &general_whole) == RR_OK;
    if (c != d || (c && whole != general_whole))
        fail_msg("\"%s\": %d %lld, not %d %lld", text, c, (long long)whole, d, (long long)general_whole);
}

static void named_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "0",
                                        "7",
                                        "00",
                                        "007",
                                        "12345678",
                                        "123456789",
                                        "1234567890123456789012",
                                        "0.5",
                                        ".5",
                                        "5.",
                                        ".",
                                        "..",
                                        "1..2",
                                        "1.2.3",
                                        "1,5",
                                        "12345678.123456",
                                        "12345678.1234567",
                                        "1.9999995",
                                        "1.9999985",
                                        "2.5",
                                        "3.5",
                                        "-1",
                                        "-0.25",
                                        "+1",
                                        "1e3",
                                        "1.5e-3",
                                        "1e300",
                                        "nan",
                                        "inf",
                                        "0x10",
                                        " 1",
                                        "1 ",
                                        "\t2.5 ",
                                        "1 2",
                                        "\xb1",
                                        "9:",
                                        "1/",
                                        "99999999",
                                        "9223372036854.775807",
                                        "9223372036854.775808",
                                        "-9223372036854.775808",
                                        "1.0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int digits = 0; digits <= 6; digits++) same(texts[i], digits);
}

static void drawn_forms(void **state)
{
    (void)state;
    struct rr_rng r;
    rr_rng_init(&r, 99, 0, RR_RNG_TEST, 1);
    for (int k = 0; k < 200000; k++) {
        char text[24];
        const size_t n = 1 + rr_rng_below(&r, 18);
        for (size_t i = 0; i < n; i++) text[i] = "012345678901234567890123456789..-e"[rr_rng_below(&r, k % 2 ? 30 : 34)];
        if (k % 2 && n > 2) text[1 + rr_rng_below(&r, n - 1)] = '.';
        text[n] = '\0';
        same(text, (int)rr_rng_below(&r, 7));
    }
}

static void sizes(void **state)
{
    (void)state;
    int64_t v;
    assert_true(rr_cell_times(rr_slice(" 2.5", 4), 1024, &v));
    assert_int_equal(v, 2560);
    assert_false(rr_cell_times(rr_slice("1e300", 5), 1024, &v));
    assert_false(rr_cell_times(rr_slice("x", 1), 1, &v));
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(named_forms), T(drawn_forms), T(sizes)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
