/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_input.c - plain, gzip and zstd give the same bytes and the hash of what is on disk; damage is told. */
#include "tests/trace_help.h"
#include <zlib.h>
#include <zstd.h>

#define N 700001 /* more than two of the reader's blocks, and odd */
static char text[N];

static void fill(void)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        text[i] = "0123456789,\nabcdefghijklmnopqrst"[x >> 27];
    }
}

static size_t gzip(char *to, size_t cap, const char *from, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)from;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return cap - z.avail_out;
}

/* With the checksum that the zstd program writes. */
static size_t zstd(char *to, size_t cap, const char *from, size_t n)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    const size_t packed = ZSTD_compress2(c, to, cap, from, n);
    assert_false(ZSTD_isError(packed));
    ZSTD_freeCCtx(c);
    return packed;
}

/* Reads in pieces of an odd size. */
static enum rr_status read_back(const char *path, char **ret, size_t *n, char hex[65])
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    *ret = rr_alloc(arena, 2 * N + 1, 1);
    *n = 0;
    enum rr_status st;
    size_t got = 0;
    do {
        st = rr_input_read(in, *ret + *n, 9973, &got);
        *n += st == RR_OK ? got : 0;
    } while (st == RR_OK && got > 0 && *n < 2 * N - 9973);
    if (st == RR_OK) st = rr_input_sha256(in, hex);
    rr_input_close(in);
    return st;
}

static void same_bytes_however_packed(void **state)
{
    (void)state;
    fill();
    char *packed = rr_alloc(arena, 2 * N, 1), *back, hex[65], whole[65];
    for (int i = 0; i < 3; i++) {
        const size_t size = i == 0 ? N : i == 1 ? gzip(packed, 2 * N, text, N) : zstd(packed, 2 * N, text, N);
        const char *path = file_of_bytes((const char *[]){"plain", "gz", "zst"}[i], i == 0 ? text : packed, size);
        size_t n;
        if (read_back(path, &back, &n, hex) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(n, N);
        assert_memory_equal(back, text, N);
        assert_int_equal(rr_file_sha256(path, whole), RR_OK);
        assert_string_equal(hex, whole);
    }
}

/* FIPS 180-2, appendix B.1. */
static void hash_of_abc(void **state)
{
    (void)state;
    char hex[65];
    assert_int_equal(rr_file_sha256(file_of("abc", "abc"), hex), RR_OK);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void members_follow_each_other(void **state)
{
    (void)state;
    char *packed = rr_alloc(arena, 4096, 1), *back, hex[65];
    size_t n = gzip(packed, 4096, "one\n", 4);
    n += gzip(packed + n, 4096 - n, "two\n", 4);
    assert_int_equal(read_back(file_of_bytes("two.gz", packed, n), &back, &n, hex), RR_OK);
    assert_int_equal(n, 8);
    assert_memory_equal(back, "one\ntwo\n", 8);
}

static void damage_is_told(void **state)
{
    (void)state;
    fill();
    char *packed = rr_alloc(arena, 2 * N, 1), *back, hex[65];
    size_t n, gz = gzip(packed, 2 * N, text, N);
    for (size_t cut = 1; cut < 60; cut += 7) {
        refused_for(read_back(file_of_bytes("cut.gz", packed, gz - cut), &back, &n, hex), "cut.gz: |gzip|cut off");
    }
    refused_for(read_back(file_of_bytes("head.gz", packed, 2), &back, &n, hex), "head.gz: |cut off");
    packed[gz / 2] ^= 0x55;
    refused_for(read_back(file_of_bytes("bad.gz", packed, gz), &back, &n, hex), "bad.gz: |gzip data are damaged");
    packed[gz / 2] ^= 0x55;
    memset(packed + gz, 'g', 7);
    refused_for(read_back(file_of_bytes("tail.gz", packed, gz + 7), &back, &n, hex), "tail.gz: |damaged");

    const size_t zst = zstd(packed, 2 * N, text, N);
    refused_for(read_back(file_of_bytes("cut.zst", packed, zst - 3), &back, &n, hex), "cut.zst: |zstd|cut off");
    packed[zst / 2] ^= 0x55;
    refused_for(read_back(file_of_bytes("bad.zst", packed, zst), &back, &n, hex), "bad.zst: |zstd data");
}

static void what_cannot_be_opened(void **state)
{
    (void)state;
    struct rr_input *in;
    assert_int_equal(rr_input_open("/nowhere/to/be.found", &in), RR_EIO);
    assert_string_equal(rr_reason(), "/nowhere/to/be.found: No such file or directory");
    assert_int_equal(rr_input_open(help_dir, &in), RR_EIO);
    assert_non_null(strstr(rr_reason(), "is a directory"));
}

static void all_of_it_up_to_a_limit(void **state)
{
    (void)state;
    struct rr_input *in;
    char *all = NULL;
    size_t n = 0;
    const char *path = file_of("seven", "sevenby");
    assert_int_equal(rr_input_open(path, &in), RR_OK);
    assert_int_equal(rr_input_all(in, 7, &all, &n), RR_OK);
    assert_int_equal(n, 7);
    assert_string_equal(all, "sevenby");
    free(all);
    rr_input_close(in);
    assert_int_equal(rr_input_open(path, &in), RR_OK);
    refused_for(rr_input_all(in, 6, &all, &n), "seven: larger than 6 bytes");
    rr_input_close(in);
    rr_input_close(NULL);
}

static void an_empty_file_is_empty(void **state)
{
    (void)state;
    char *back, hex[65];
    size_t n = 1;
    assert_int_equal(read_back(file_of("empty", ""), &back, &n, hex), RR_OK);
    assert_int_equal(n, 0);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_bytes_however_packed, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(hash_of_abc, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(members_follow_each_other, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(damage_is_told, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_opened, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(all_of_it_up_to_a_limit, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(an_empty_file_is_empty, help_setup, help_teardown),
    };
    return cmocka_run_group_tests(tests, help_start, help_end);
}
