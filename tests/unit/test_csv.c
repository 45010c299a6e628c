/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_csv.c - rows and cells against a slow reader written from RFC 4180, block edges included, and every refusal. */
#include "tests/trace_help.h"

/* All rows of `path` as "LINE:cell|cell;" */
static const char *rows_of(const char *path, struct rr_csv_options opt)
{
    struct rr_csv *c;
    struct rr_buf b = {0};
    if (rr_csv_open(path, opt, &c) != RR_OK) return rr_strf(arena, "! %s", rr_reason());
    for (;;) {
        struct rr_csv_row row;
        if (rr_csv_next(c, &row) != RR_OK) {
            rr_buf_putf(&b, "! %s", rr_reason());
            break;
        }
        if (row.n == 0) break;
        rr_buf_putf(&b, "%lld:", (long long)row.line);
        for (size_t i = 0; i < row.n; i++) {
            if (i) rr_buf_puts(&b, "|");
            rr_buf_put(&b, row.cell[i].at, row.cell[i].n);
        }
        rr_buf_puts(&b, ";");
    }
    rr_csv_close(c);
    const char *text = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}
static const char *rows(const char *text) { return rows_of(file_of("t.csv", text), (struct rr_csv_options){0}); }

static void plain_rows(void **state)
{
    (void)state;
    assert_string_equal(rows("a,b\n1,2\n"), "1:a|b;2:1|2;");
    assert_string_equal(rows("a,b\r\n1,2\r\n"), "1:a|b;2:1|2;");
    assert_string_equal(rows("a,b\n1,2"), "1:a|b;2:1|2;");
    assert_string_equal(rows("a,b\n1,"), "1:a|b;2:1|;");
    assert_string_equal(rows(",\n,,"), "1:|;2:||;");
    assert_string_equal(rows("\n\n  \r\na\n\t\nb\n\n"), "4:a;6:b;");
    assert_string_equal(rows("\xef\xbb\xbf"
                             "a,b\n"),
                        "1:a|b;");
    assert_string_equal(rows(""), "");
    assert_string_equal(rows("\xef\xbb\xbf"), "");
    assert_string_equal(rows("\n"), "");
    assert_string_equal(rows("x"), "1:x;");
    assert_string_equal(rows_of(file_of("t.csv", "a;b,c\n"), (struct rr_csv_options){.separator = ';'}), "1:a|b,c;");
}

static void quotes(void **state)
{
    (void)state;
    assert_string_equal(rows("\"a\",b\n"), "1:a|b;");
    assert_string_equal(rows("\"a,b\",\"c\nd\"\r\ne\n"), "1:a,b|c\nd;3:e;");
    assert_string_equal(rows("\"say \"\"hi\"\"\",\"\"\"\",\"\"\n\"\"\n"), "1:say \"hi\"|\"|;2:;");
    assert_string_equal(rows("5\" disk,a\"b\"\n"), "1:5\" disk|a\"b\";");
    assert_string_equal(rows("a,\"b\""), "1:a|b;");
    assert_string_equal(rows("a,\"b\"\"\""), "1:a|b\";");
}

static void what_is_refused(void **state)
{
    (void)state;
    const char *got = rows("a\n\"b\nc\nd");
    assert_non_null(strstr(got, "t.csv:2: a quote is never closed"));
    assert_memory_equal(got, "1:a;! ", 6);
    assert_non_null(strstr(rows("\"a\"b,c\n"), "t.csv:1: text behind a closing quote"));
    assert_non_null(strstr(rows("x\n\"a\nb\" ,c\n"), "t.csv:3: text behind a closing quote"));
    assert_non_null(strstr(rows("\"a\"\rb\n"), "text behind a closing quote"));
    assert_non_null(strstr(rows("\xff\xfe"
                                "a\0b\n"),
                           "UTF-16"));
    char *wide = rr_alloc(arena, 3001, 1);
    memset(wide, 'x', 3000);
    const struct rr_csv_options small = {.most_row = 2048};
    assert_non_null(strstr(rows_of(file_of("w.csv", wide), small), "w.csv:1: a row is longer than 2048 bytes"));
    wide[1500] = '\n';
    assert_int_equal(strlen(rows_of(file_of("w.csv", wide), small)), 3000 + 5);
}

static void blanks_and_comments(void **state)
{
    (void)state;
    const struct rr_csv_options swf = {.spaces = true, .comment = ';'};
    assert_string_equal(rows_of(file_of("t", "; Version: 2\n;\n  1\t 2   3 \r\n\n;x\n4 \"5 6"), swf), "3:1|2|3;6:4|\"5|6;");
    assert_string_equal(rows_of(file_of("t", "; only"), swf), "");
    assert_string_equal(rows_of(file_of("t", "#a\n1,2\n#b"), (struct rr_csv_options){.comment = '#'}), "2:1|2;");
}

/* The slow way: one byte at a time. Writes what rows_of() would. */
static const char *slow_rows(const char *s, size_t n)
{
    struct rr_buf b = {0};
    int line = 1;
    for (size_t i = 0; i < n;) {
        struct rr_buf row = {0};
        const int at = line;
        size_t cells = 0, quoted = 0;
        for (;;) {
            if (cells++) rr_buf_puts(&row, "|");
            if (i < n && s[i] == '"') {
                quoted++;
                for (i++; s[i] != '"' || s[i + 1] == '"'; i++) {
                    line += s[i] == '\n';
                    i += s[i] == '"';
                    rr_buf_put(&row, &s[i], 1);
                }
                i++;
            } else {
                while (i < n && s[i] != ',' && s[i] != '\n') rr_buf_put(&row, &s[i++], 1);
            }
            if (i < n && s[i++] == ',') continue;
            break;
        }
        line++;
        if (row.n + quoted > 0) rr_buf_putf(&b, "%d:%s;", at, rr_buf_text(&row));
        rr_buf_done(&row);
    }
    const char *text = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

/* Rows of all sorts, so many that they cross the block's edge in every way over the seeds. */
static void against_the_slow_way(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct rr_buf b = {0};
        struct rr_rng r;
        rr_rng_init(&r, 4711, 0, RR_RNG_TEST, seed);
        while (b.n < 600000 + 37 * seed) {
            const uint64_t cells = 1 + rr_rng_below(&r, 6);
            for (uint64_t c = 0; c < cells; c++) {
                if (c) rr_buf_puts(&b, ",");
                const uint64_t kind = rr_rng_below(&r, 12), n = rr_rng_below(&r, kind == 0 ? 300 : 12);
                if (kind < 3) rr_buf_puts(&b, "\"");
                for (uint64_t k = 0; k < n; k++)
                    rr_buf_puts(&b, kind < 3 ? (const char *[]){"\"\"", ",", "\n", "q", "w"}[rr_rng_below(&r, 5)]
                                             : (const char *[]){"1", "2", ".", "x"}[rr_rng_below(&r, 4)]);
                if (kind < 3) rr_buf_puts(&b, "\"");
            }
            rr_buf_puts(&b, "\n");
        }
        const char *want = slow_rows(b.at, b.n);
        const char *got = rows_of(file_of_bytes("t.csv", b.at, b.n), (struct rr_csv_options){0});
        size_t same = 0;
        while (want[same] && want[same] == got[same]) same++;
        if (want[same] != got[same]) fail_msg("seed %d: at %zu: \"%.40s\" instead of \"%.40s\"", (int)seed, same, got + same, want + same);
        rr_buf_done(&b);
    }
}

/* A quoted cell of a megabyte, a row longer than the first block, and an edge after each byte of a short file. */
static void long_cells(void **state)
{
    (void)state;
    const size_t mib = 1 << 20;
    char *s = rr_alloc(arena, 3 * mib, 1);
    s[0] = '"';
    memset(s + 1, 'x', mib);
    s[5] = '\n';
    strcpy(s + 1 + mib, "\",7\n8,9\n");
    struct rr_csv *c;
    struct rr_csv_row row;
    assert_int_equal(rr_csv_open(file_of("big.csv", s), (struct rr_csv_options){0}, &c), RR_OK);
    assert_int_equal(rr_csv_next(c, &row), RR_OK);
    assert_int_equal(row.n, 2);
    assert_int_equal(row.cell[0].n, mib);
    assert_true(rr_slice_is(row.cell[1], "7"));
    assert_int_equal(rr_csv_next(c, &row), RR_OK);
    assert_int_equal(row.line, 3);
    assert_int_equal(rr_csv_next(c, &row), RR_OK);
    assert_int_equal(row.n, 0);
    char hex[65];
    assert_int_equal(rr_csv_sha256(c, hex), RR_OK);
    rr_csv_close(c);

    static const char text[] = "ab,\"c\"\"d\",e\r\n\"f\ng\",h,\n";
    for (size_t most = 24; most < 60; most++)
        assert_string_equal(rows_of(file_of("t.csv", text), (struct rr_csv_options){.most_row = most}), "1:ab|c\"d|e;2:f\ng|h|;");
}

static void finding_a_column(void **state)
{
    (void)state;
    const struct rr_slice cells[] = {rr_slice(" a ", 3), rr_slice("b", 1), rr_slice("B", 1)};
    const struct rr_csv_row header = {.cell = cells, .n = 3, .line = 1};
    assert_int_equal(rr_csv_find(&header, "a"), 0);
    assert_int_equal(rr_csv_find(&header, "B"), 2);
    assert_int_equal(rr_csv_find(&header, "c"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_rows, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(quotes, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(what_is_refused, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(blanks_and_comments, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(against_the_slow_way, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(long_cells, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(finding_a_column, help_setup, help_teardown),
    };
    return cmocka_run_group_tests(tests, help_start, help_end);
}
