/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_samples.c - logs of benchmark tools: every generation, damage refused by line, rates that do not follow. */
#include "data/bench_help.h"
#include "data/samples.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rr_arena *arena;
static int setup(void **state)
{
    (void)state;
    arena = rr_arena_create();
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

static enum rr_status read_opt(const char *name, const char *text, struct rr_sample_options opt, struct rr_samples *s)
{
    char dir[] = "/tmp/rr-samples-XXXXXX", path[128];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    const char *p = path;
    const enum rr_status st = rr_samples_read(&p, 1, &opt, arena, s);
    unlink(path);
    rmdir(dir);
    return st;
}
static void reads(const char *name, const char *text, struct rr_samples *s)
{
    const struct rr_sample_options opt = {.max_refused = 0.8};
    const enum rr_status st = read_opt(name, text, opt, s);
    if (st != RR_OK) fail_msg("%s", rr_reason());
}
static void refuses(const char *name, const char *text, const char *why)
{
    struct rr_samples s;
    const struct rr_sample_options opt = {.max_refused = 0.8};
    assert_int_equal(read_opt(name, text, opt, &s), RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" does not say \"%s\"", rr_reason(), why);
}
/* Notes that hold `text`; all of them for "". */
static size_t notes(const struct rr_samples *s, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_notes; i++) n += strstr(s->note[i], text) != NULL;
    return n;
}
static void near(double a, double b, double rel)
{
    if (!(fabs(a - b) <= rel * fabs(b))) fail_msg("%.9g is not %.9g", a, b);
}

#define HEAD_NEW                                                                                                             \
    "#                                                              out-of-place                       in-place\n"           \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
#define TAIL "# Out of bounds values : 0 OK\n"

static void a_gib_in_22490_us_over_16_ranks(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "#  Rank  0 Group  0 Pid 7 on a device  0 [0x1] H\n#  Rank 15 Group  0 Pid 7 on b device  7 [0x1] H\n" HEAD_NEW
          "  1073741824     268435456     float     sum      -1    22490   47.74   89.52      0    22490   47.74   89.52      0\n" TAIL,
          &s);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.at[0].op, "all_reduce");
    assert_int_equal(s.at[0].ranks, 16);
    assert_int_equal(s.at[0].nodes, 2);
    assert_int_equal(s.at[0].line, 6);
    assert_int_equal(s.n_notes, 0);
    near((double)s.at[0].bytes / s.at[0].us / 1e3, 47.743, 2e-5);
    near((double)s.at[0].bytes / s.at[0].us / 1e3 * rr_bus_factor("all_reduce", 16), 89.518, 2e-5);
}

static void factors(void **state)
{
    (void)state;
    near(rr_bus_factor("all_reduce", 16), 1.875, 1e-12);
    near(rr_bus_factor("all_gather", 16), 0.9375, 1e-12);
    near(rr_bus_factor("reduce_scatter", 3), 2. / 3, 1e-12);
    near(rr_bus_factor("alltoall", 8), 0.875, 1e-12);
    near(rr_bus_factor("broadcast", 8), 1, 1e-12);
    near(rr_bus_factor("sendrecv", 0), 1, 1e-12);
    assert_true(rr_bus_factor("all_reduce", 0) == 0);
    assert_true(rr_bus_factor("nonsense", 8) == 0);
}

static void units_of_rates(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.csv", "op,ranks,bytes,ms\nsendrecv,2,1073741824,12\n", &s);
    near(s.at[0].gb_s, 89.4784853, 1e-8);
    reads("x.csv", "op,ranks,bytes,gbit_s\nsendrecv,2,1000000,400\n", &s);
    near(s.at[0].gb_s, 50, 1e-12);
    near(s.at[0].us, 20, 1e-12);
    reads("x.csv", "op,nodes,gpus_per_node,size_mib,bus_gb_s,colour\nall-to-all?,2,4,3,7.5,red\nalltoall,2,4,3,7.5,red\n", &s);
    assert_int_equal(s.n_refused, 1);
    near(s.at[0].us, 3 * 1048576. * 0.875 / 7.5 / 1e3, 1e-12);
    assert_non_null(strstr(s.note[0], "column \"colour\" is not used"));
}

static void prefixes_and_lines_in_between(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "[1,0]<stdout>:NCCL version 2.29.7+cuda12.9\n"
          "[1,0]<stdout>:      65536         16384     float     sum      -1    70.40    0.93    1.75      0    70.40    0.93    1.75      "
          "0\n"
          "[1,3]<stdout>:node3:77:88 [3] NCCL INFO Channel 00/02 : 0 1\n"
          "0: 67108864      16777216     float     sum      -1    600.0  111.85  209.72      0    600.0  111.85  209.72      0\n"
          "[0]  134217728      33554432     float     sum      -1[0]  1200.0  111.85  209.72      0[3]  1200.0  111.85  209.72      0\n"
          "node7: 268435456      67108864     float     sum      -1    2400.0  111.85  209.72      0    2400.0  111.85  209.72      0\n",
          &s);
    assert_int_equal(s.n, 8);
    assert_int_equal(s.n_refused, 0);
    assert_int_equal(s.at[0].ranks, 16); // 209.72/111.85 = 1.875
    assert_int_equal(s.at[4].line, 5);
    assert_string_equal(s.machine.nccl, "2.29.7");
    assert_string_equal(s.machine.cuda, "12.9");
    assert_false(s.file[0].complete);
}

static void per_iteration_columns_and_clocks(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "# nccl-tests version 2.19.1 nccl-headers=23102 nccl-library=23102\n# Collective test starting: all_gather_perf\n"
          "#  size  count  type  redop  root  time  algbw  busbw  #wrong  i_min i_max i_p99 i_cv%  time  algbw  busbw  #wrong  i_min i_max "
          "i_p99 i_cv%\n"
          "  8000  1000  half  none  -1  10.00  0.80  0.60  0  9.1  12.5  12.4  3.3  11.00  0.73  0.55  0  10.1  13.5  13.4  3.1 "
          "2026-01-31 12:30:59\n",
          &s);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.at[0].op, "all_gather");
    assert_int_equal(s.at[0].ranks, 4); // 8000 / (1000 x 2)
    near(s.at[1].us, 11, 1e-12);
    assert_string_equal(s.machine.nccl, "2.31.2");
    assert_int_equal(s.n_notes, 1); // no closing line
}

static void damaged_rows_are_refused_by_line(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          HEAD_NEW "          64            16     float     sum      -1    14.92    0.00    0.01      0    14.72    0.00    0.01      0\n"
                   "         128            32     float     sum      -1    15.87    0.01    0.0\n"
                   "         256            64     float     sum      -1    1x.10    0.02    0.03      0    15.77    0.02    0.03      0\n"
                   "         512           128     float     sum      -1    16.70    0.03    0.05      7    16.01    0.03    0.06      0\n"
                   "        1024           256     flnode0:1:2 [0] NCCL INFO Connected all trees\n"
                   "        2048           512     float     sum      -1    17.14    0.12    0.21      0    16.43    0.12    0.22      0\n"
                   "        40",
          &s);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.n_refused, 5);
    const char *why[] = {":5: 8 words", ":6: time and bandwidths must be numbers", ":7: 7 wrong results", ":8: another line runs into",
                         ":10: a row begins with size, count and type"};
    for (size_t i = 0; i < 5; i++)
        if (!strstr(s.refused[i], why[i])) fail_msg("\"%s\" does not say \"%s\"", s.refused[i], why[i]);
}

static void doubled_tables_count_once(void **state)
{
    (void)state;
    struct rr_samples s;
#define ROWS                                                                              \
    "  1048576  262144  float  sum  -1  27.37  38.31  67.04  0  26.93  38.94  68.14  0\n" \
    "  2097152  524288  float  sum  -1  42.21  49.68  86.94  0  42.09  49.83  87.20  0\n"
    reads("x.txt", HEAD_NEW ROWS TAIL HEAD_NEW ROWS TAIL, &s);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.file[0].rows, 2);
    assert_int_equal(notes(&s, "repeats its first 2 rows"), 1);
    assert_int_equal(notes(&s, "the number of ranks, 8, follows from busbw/algbw"), 1);
}

static void a_second_copy_may_be_cut_and_lines_stand_twice(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt", HEAD_NEW ROWS "  4194304  1048576  float  sum  -1  54.19  77.40  135.5  0  53.82  77.93  136.4  0\n" TAIL HEAD_NEW ROWS,
          &s);
    assert_int_equal(s.n, 6);
    assert_int_equal(s.file[0].rows, 3);
    assert_int_equal(notes(&s, ":11: from here on the file repeats its first 2 rows"), 1);
#define TWICE(row) row row
    reads("x.txt",
          HEAD_NEW TWICE("  1048576  262144  float  sum  -1  27.37  38.31  67.04  0  26.93  38.94  68.14  0\n")
              TWICE("  2097152  524288  float  sum  -1  42.21  49.68  86.94  0  42.09  49.83  87.20  0\n") TAIL,
          &s);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.at[2].bytes, 2097152);
    assert_int_equal(notes(&s, ":4: from here on every row stands twice"), 1);
}

/* A script that runs one tool after another into one log: each table has its own operation and device list. */
static void several_tables_in_one_log(void **state)
{
    (void)state;
    struct rr_samples s;
#define OLD_COLUMNS "time   algbw   busbw  error     time   algbw   busbw  error\n"
    reads("x.txt",
          "#  Rank  0 Pid 1 on a device  0 [0x27] NVIDIA X1\n#  Rank  1 Pid 1 on a device  1 [0x28] NVIDIA X1\n"
          "#       size         count      type   redop     " OLD_COLUMNS
          "        8192          2048     float     sum    10.00    0.82    0.82  0e+00    11.00    0.74    0.74  0e+00\n"
          "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.78\n#\n"
          "#  Rank  0 Pid 1 on a device  0 [0x27] NVIDIA X1\n#  Rank  1 Pid 1 on a device  1 [0x28] NVIDIA X1\n"
          "#  Rank  2 Pid 2 on b device  0 [0x27] NVIDIA X1\n#  Rank  3 Pid 2 on b device  1 [0x28] NVIDIA X1\n"
          "#       size         count      type     " OLD_COLUMNS
          "        8192           512     float    10.00    0.82    0.61  0e+00    10.00    0.82    0.61  0e+00\n"
          "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.61\n"
          "# Collective test starting: reduce_scatter_perf\n" HEAD_NEW
          "        8192           512     float     sum      -1    12.00    0.68    0.51      0    12.00    0.68    0.51      0\n"
          "# Collective test concluded: reduce_scatter_perf\n",
          &s);
    static const struct {
        const char *op;
        int32_t ranks, nodes;
    } are[] = {{"all_reduce", 2, 1}, {"all_gather", 4, 2}, {"reduce_scatter", 4, 2}};
    assert_int_equal(s.n, 6);
    assert_int_equal(s.n_notes, 0);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(s.at[i].op, are[i / 2].op);
        assert_int_equal(s.at[i].ranks, are[i / 2].ranks);
        assert_int_equal(s.at[i].nodes, are[i / 2].nodes);
    }
}

static void all_operators_and_types_in_one_table(void **state) /* -o all -d all */
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "#  Rank  0 Group  0 Pid 1 on a device  0 [0x27] X1\n#  Rank  1 Group  0 Pid 1 on a device  1 [0x27] X1\n" HEAD_NEW
          "  4194304  4194304      int8     sum      -1    40.00  104.86  104.86      0    41.00  102.30  102.30    N/A\n"
          "  4194304  2097152  bfloat16    prod      -1    42.00   99.86   99.86      0    43.00   97.54   97.54      0\n"
          "  4194304   524288    double  mulsum      -1    44.00   95.33   95.33      0    45.00   93.21   93.21      0\n" TAIL,
          &s);
    assert_int_equal(s.n, 6);
    assert_int_equal(s.n_refused, 0);
    assert_int_equal(s.n_notes, 0);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(s.at[i].op, "all_reduce");
        near(s.at[i].us, 40 + (double)i, 1e-12);
    }
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          HEAD_NEW
          "           8             2     float     sum      -1     0.00     inf     inf      0     0.00     nan     nan      0\n"
          "          16             4     float     sum      -1    -3.00    0.01    0.01      0     3.00    0.01    0.01      0\n"
          "          32             8     float     sum      -1      nan    0.01    0.01      0     3.00    0.01    0.01      0\n"
          "         2Mx        524288     float     sum      -1    42.21   49.68   86.94      0    42.09   49.83   87.20      0\n"
          "          2M        524288     float     sum      -1    42.21   49.68   86.94      0    42.09   49.83   87.20      0\n" TAIL,
          &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.at[0].bytes, 2097152);
    assert_int_equal(s.n_refused, 4);
    const char *why[] = {":4: time and bandwidths must be numbers, the time above 0: \"0.00 inf inf\"", ":5: time and", ":6: time and",
                         ":7: the size must be bytes such as 1048576 or 1M"};
    for (size_t i = 0; i < 4; i++)
        if (!strstr(s.refused[i], why[i])) fail_msg("\"%s\" does not say \"%s\"", s.refused[i], why[i]);
}

static void milliseconds_and_line_ends_of_windows(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "#   size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\r\n"
          "#    (B)  (elements)  (ms)  (GB/s)  (GB/s)  (ms)  (GB/s)  (GB/s)\r\n"
          "  1048576  262144  float  sum  -1  0.02737  38.31  67.04  0  0.02693  38.94  68.14  0\r\n# Avg bus bandwidth    : 67.59\r\n",
          &s);
    near(s.at[0].us, 27.37, 1e-12);
    near(s.at[1].us, 26.93, 1e-12);
    assert_int_equal(s.at[0].ranks, 8);
    assert_int_equal(s.n_notes, 1); // whence the ranks are
}

static void a_mean_that_the_rows_do_not_have(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt", HEAD_NEW ROWS TAIL "# Avg bus bandwidth    : 77.33\n", &s); // (67.04 + 68.14 + 86.94 + 87.20) / 4
    assert_int_equal(notes(&s, "Avg bus"), 0);
    reads("x.txt", HEAD_NEW ROWS TAIL "# Avg bus bandwidth    : 90.5\n", &s);
    assert_int_equal(notes(&s, ":7: Avg bus bandwidth says 90.5 GB/s, the rows above have 77.33: some are missing"), 1);
}

static void sizes_with_units(void **state)
{
    (void)state;
    struct rr_samples s;
    int64_t v;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"0", 0},          {"1048576", 1048576}, {"64K", 65536}, {"1.5GiB", 1610612736}, {"8 MiB", 8388608},
                {"8 MB", 8000000}, {"3kB", 3000},        {"7B", 7},      {"2T", 2199023255552}};
    static const char *const bad[] = {"", "1.5", "3 furlongs", "1Mi", "-1", "0.0001K", "M", "99999999T", "1e400G"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!rr_bench_bytes(rr_slice(good[i].text, strlen(good[i].text)), &v) || v != good[i].bytes) fail_msg("%s", good[i].text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (rr_bench_bytes(rr_slice(bad[i], strlen(bad[i])), &v)) fail_msg("%s is taken for %lld", bad[i], (long long)v);
    reads("x.csv", "op,ranks,size,us\nall_reduce,8,1M,27.4\nall_reduce,8,8 MiB,81\nall_reduce,8,3 furlongs,8\n", &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.at[1].bytes, 8388608);
    assert_non_null(strstr(s.refused[0], "x.csv:4: column 3: \"3 furlongs\" is no size such as 1048576, 1M or 8 MiB"));
}

static void files_of_rccl_tests(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("a.csv",
          "numCycle,collective,nodes,ranks,ranksPerNode,gpusPerRank,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
          "1,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",0,27.370000,38.311,71.833,\"0\"\n"
          "1,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",1,26.93,38.937,73.007,\"N/A\"\n"
          "1,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",1,26.93,38.937,73.007,\"3\"\n"
          "1,\"Dance\",2,16,8,1,1048576,\"float\",\"sum\",1,26.93,38.937,73.007,\"0\"\n"
          "1,\"AllReduce\",2,16,8,1,2097152,\"float\",\"sum\",1,26.93\n",
          &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.at[0].ranks, 16);
    assert_int_equal(s.at[0].nodes, 2);
    assert_true(s.at[1].in_place);
    near(s.at[0].us, 27.37, 1e-12);
    const char *why[] = {":4: 3 wrong results", ":5: \"Dance\" is no collective", ":6: 11 cells under 14 columns"};
    for (size_t i = 0; i < 3; i++)
        if (!strstr(s.refused[i], why[i])) fail_msg("\"%s\" does not say \"%s\"", s.refused[i], why[i]);
    reads("b.csv", // early: "nodes" stands in the rows alone
          "collective, ranks, rankspernode, gpusperrank, size, type, redop, inplace, time, algbw, busbw, #wrong\n"
          "\"AllGather\", 2, 4, 2, 2, 1048576, \"float\", \"none\", 0, 20.0, 52.43, 45.875, \"0\"\n",
          &s);
    assert_string_equal(s.at[0].op, "all_gather");
    assert_int_equal(s.at[0].ranks, 8);
    assert_int_equal(s.at[0].nodes, 2);
    assert_int_equal(s.n_notes, 0); // 52.43 x 7/8
    reads("c.json",
          "{\"name\":\"AlltoAll\", \"gpus\":4, \"size\":1048576, \"type\":\"float\", \"redop\":\"none\", \"inPlace\":0, \"time\":20.0, "
          "\"algBw\":52.43, \"busBw\":39.32, \"wrong\":\"0\"}\n{\"name\":\"AlltoAll\", \"gpus\":4, \"size\":10485",
          &s);
    assert_string_equal(s.at[0].op, "alltoall");
    assert_int_equal(s.at[0].ranks, 4);
    assert_int_equal(s.at[0].nodes, 1);
    assert_non_null(strstr(s.refused[0], ":2: one object"));
    reads("d.json",
          "[\n{\"numCycle\":1, \"name\":\"AllReduce\", \"nodes\":1, \"ranks\":8, \"ranksPerNode\":8, \"gpusPerRank\":1, \"size\":1048576, "
          "\"type\":\"float\", \"redop\":\"sum\", \"inPlace\":0, \"time\":27.37, \"algBw\":38.31, \"busBw\":60.04, \"wrong\":\"0\"}\n]\n",
          &s);
    assert_int_equal(s.n, 1);
    assert_true(s.file[0].complete);
    assert_non_null(strstr(s.note[0], "busbw 60.04 GB/s is printed, but all_reduce over 8 ranks makes 67.04"));
}

static void contradictions_are_told_once(void **state)
{
    (void)state;
    struct rr_samples s;
    const struct rr_sample_options twelve = {.ranks = 12, .max_refused = 0.2};
    const struct rr_sample_options gather = {.op = "all_gather", .max_refused = 0.2};
    assert_int_equal(read_opt("x.txt", HEAD_NEW ROWS TAIL, twelve, &s), RR_EINPUT); // busbw/algbw is 1.75, that of 8; of 12 it were 1.833
    assert_non_null(strstr(rr_reason(), "but all_reduce over 12 ranks makes"));
    assert_non_null(strstr(rr_reason(), "so in 4 of 4 times: another operation or another number of ranks"));
    assert_int_equal(read_opt("x.txt", HEAD_NEW ROWS TAIL, gather, &s), RR_EINPUT); // of an all_gather it is below 1
    assert_non_null(strstr(rr_reason(), "but all_gather over any number of ranks makes at most"));
    reads("x.txt", ROWS, &s);
    assert_int_equal(notes(&s, "the operation, all_reduce, follows from the rows' columns"), 1);
}

/* The rows of a true log say GB/s; with another unit of the time they are off by that. */
static void units_that_are_not_so(void **state)
{
    (void)state;
    refuses("x.txt",
            "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
            "#        (B)    (elements)                               (ms)  (GB/s)  (GB/s)\n" ROWS TAIL,
            "off by a factor of 1000; so in 4 of 4 times: the unit of the size or of the time");
    refuses("x.txt",
            "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
            "#       (KB)    (elements)                               (us)  (GB/s)  (GB/s)\n" ROWS TAIL,
            "x.txt:2: the size is in (KB) by this line of units");
}

/* 1048576 = 262144 floats. An all_gather counts what one rank sends: 8 ranks, 8 times that. */
static void sizes_that_are_not_count_x_type(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt", HEAD_NEW "  9048576  262144  float  sum  -1  27.37  38.31  67.04  0  26.93  38.94  68.14  0\n" ROWS TAIL, &s);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "x.txt:4: size 9048576 is not count x type, 262144 x float = 1048576 bytes"));
    assert_int_equal(s.n, 4);
    reads("x.txt", HEAD_NEW ROWS "  8388608  262144  float  sum  -1  27.37  38.31  67.04  0  26.93  38.94  68.14  0\n" TAIL, &s);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "x.txt:6: size 8388608 is not count x type"));
    assert_int_equal(s.n, 4);
    assert_int_equal(s.file[0].rows, 2);
    const char *list = "#  Rank  0 Pid 7 on a device  0 [0x1] H\n#  Rank  7 Pid 7 on a device  7 [0x1] H\n";
    const char *head = "# Collective test starting: all_gather_perf\n" HEAD_NEW
                       "  8388608  262144  float  none  -1  100  83.89  73.40  0  100  83.89  73.40  0\n";
    char text[2000];
    snprintf(text, sizeof text, "%s%s  8388608  524288  float  none  -1  100  83.89  73.40  0  100  83.89  73.40  0\n" TAIL, list, head);
    reads("x.txt", text, &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "x.txt:8: size 8388608 is not count x type, 524288 x float = 2097152 bytes, nor 8 times that"));
}

static void a_row_behind_a_line_of_the_library(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          HEAD_NEW ROWS "node0:5:5 [0] NCCL INFO Channel 00   1048576  262144  float  sum  -1  27.37  38.31  67.04  0  26.93  38.94  "
                        "68.14  0\nnode0:5:5 [0] NCCL INFO Channel 01/02 : 0 1 2 3 4 5 6 7\n" TAIL,
          &s);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "x.txt:6: a row runs into another line"));
    assert_int_equal(s.n, 4);
}

static void cells_of_a_table_that_cannot_be(void **state)
{
    (void)state;
    struct rr_samples s;
    const char *csv = "op,ranks,bytes,us\nall_reduce,8,65536.5,20\nall_reduce,0,65536,20\nall_reduce,8,65536,1e-30\nall_reduce,8.5,9,9\n"
                      "all_reduce,8,131072,25\nall_reduce,8,262144,30\n";
    reads("x.csv", csv, &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.n_refused, 4);
    assert_non_null(strstr(s.refused[0], "x.csv:2: column 3: \"65536.5\" is no whole number of bytes"));
    assert_non_null(strstr(s.refused[1], "x.csv:3: column 2: \"0\" is no whole number of at least 1"));
    assert_non_null(strstr(s.refused[2], "x.csv:4: column 4: \"1e-30\" is less than a nanosecond"));
    assert_non_null(strstr(s.refused[3], "x.csv:5: column 2: \"8.5\""));
    const struct rr_sample_options strict = {.max_refused = 0.2};
    assert_int_equal(read_opt("x.csv", csv, strict, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "; lines 3, 4 and 5 too; 4 of 6 rows are damaged"));
    struct rr_buf many = {0};
    rr_buf_puts(&many, "op,ranks,bytes,us\n");
    for (int i = 0; i < 24; i++) rr_buf_puts(&many, "all_reduce,8,x,1\n");
    refuses("x.csv", rr_buf_text(&many), "20, 21, 22 and 3 more too; no row is left");
    rr_buf_done(&many);
}

static void rates_that_do_not_follow_are_told(void **state)
{
    (void)state;
    struct rr_samples s;
    const struct rr_sample_options opt = {.max_refused = 0.8, .ranks = 8};
    assert_int_equal(
        read_opt("x.txt", HEAD_NEW "  1048576  262144  float  sum  -1  27.37  39.31  67.04  0  26.93  38.94  70.14  0\n" TAIL, opt, &s),
        RR_OK);
    assert_int_equal(s.n_notes, 2);
    assert_non_null(strstr(s.note[0], ":4: algbw 39.31 GB/s is printed, but 1048576 bytes in 27.37 us are 38.31 GB/s"));
    assert_non_null(strstr(s.note[1], ":4: busbw 70.14 GB/s is printed, but all_reduce over 8 ranks makes 68.14 GB/s"));
}

static void an_operation_that_nothing_tells(void **state)
{
    (void)state;
    struct rr_samples s;
    const char *rows = HEAD_NEW "  1048576  16384  float  none  -1  27.37  38.31  35.92  0  26.93  38.94  36.51  0\n" TAIL;
    refuses("log.txt", rows, "the operation stands nowhere in the file");
    reads("x_alltoall.txt", rows, &s);
    assert_string_equal(s.at[0].op, "alltoall");
    assert_int_equal(s.at[0].ranks, 16);
    assert_non_null(strstr(s.note[0], "taken from the file's name"));
    const struct rr_sample_options opt = {.max_refused = 0.8, .op = "all_gather"};
    assert_int_equal(read_opt("log.txt", rows, opt, &s), RR_OK);
    assert_string_equal(s.at[0].op, "all_gather");
}

static void wrong_files(void **state)
{
    (void)state;
    refuses("x.txt", "a letter to a friend\n", "no known format of measured times");
    refuses("x.txt", "", "no known format");
    refuses("x.txt", HEAD_NEW TAIL, "holds no row");
    refuses("x.txt", HEAD_NEW "  8  2  float  sum  -1  1.0\n", "no row is left");
    refuses("x.txt", "#  size count type time algbw busbw error\n#  (B) (elements) (us) (MB/s) (MB/s)\n", "not in GB/s");
    refuses("x.csv", "op,bytes,size,us\n", "two columns say the same");
    refuses("x.csv", "op,bytes,colour\nall_reduce,1,2\n", "needs a size");
    refuses("x.csv", "bytes,us\n8,9\n", "no column says the operation");
}

static void nvbandwidth_matrices(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.txt",
          "nvbandwidth Version: v0.9\nDriver Version: 570.1\nDevice 0: NVIDIA X1 (00000000:99:00)\n\nRunning "
          "device_to_device_memcpy_read_ce.\n"
          "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A    276.07\n 1    276.19       N/A\n\n"
          "SUM device_to_device_memcpy_read_ce 552.26\n\nRunning host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth "
          "(GB/s)\n"
          "           0         1\n 0     25.11     25.32\n\nSUM host_to_device_memcpy_ce 99.00\nRunning host_device_latency_sm.\n"
          "memory latency SM CPU(row) <-> GPU(column) (ns)\n           0         1\n 0    772.58\n 0    772.58   800.00\n",
          &s);
    assert_int_equal(s.n, 6);
    assert_string_equal(s.at[0].op, "device_to_device_memcpy_read_ce");
    assert_int_equal(s.at[1].from, 1);
    assert_int_equal(s.at[1].to, 0);
    near(s.at[3].gb_s, 25.32, 1e-12);
    assert_int_equal(s.at[3].from, -1);
    near(s.at[4].us, 0.77258, 1e-12);
    assert_string_equal(s.at[4].op, "host_device_latency_sm");
    assert_string_equal(s.machine.gpu, "NVIDIA X1");
    assert_int_equal(s.n_refused, 1);
    if (!strstr(s.refused[0], ":22: 1 values in a row of a matrix with 2 columns")) fail_msg("%s", s.refused[0]);
    if (!strstr(s.note[0], ":18: SUM says 99.00, the values before it add up to 50.43")) fail_msg("%s", s.note[0]);
}

/* A device with itself may print 0.00; anything else that does was not measured. */
static void nvbandwidth_of_nothing(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("z.txt", "Running a.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n   0   1\n 0 0.00 276.07\n 1 0.00 0.00\nSUM a 276.07\n",
          &s);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "z.txt:5: 0.00 is neither a bandwidth nor a latency"));
    refuses("y.txt", "Running a.\nmemcpy CE XPU(row) <- GPU(column) bandwidth (GB/s)\n   0\n 0 55.2\n", "y.txt:2: a title such as");
    refuses("w.txt", "Running a.\nmemcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n   0\n 0 0.00\n", "w.txt:4: 0.00 is neither");
}

static void nvbandwidth_as_json(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.json",
          "{\"nvbandwidth\": {\"CUDA Runtime Version\": 12080, \"Driver Version\": \"570.1\", \"version\": \"v0.8\", \"testcases\": [\n"
          "{\"name\": \"device_to_device_memcpy_write_ce\", \"status\": \"Passed\", \"bandwidth_description\": \"memcpy CE GPU(row) <- "
          "GPU(column) "
          "bandwidth (GB/s)\",\n\"bandwidth_matrix\": [[\"N/A\", \"276.5\"], [\"275.5\", \"N/A\"]], \"sum\": 552},\n"
          "{\"name\": \"x\", \"status\": \"Waived\"}, {\"name\": \"y\", \"status\": \"Error\", \"error\": \"CUDA_ERROR\"}]}}",
          &s);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.at[0].from, 1);
    assert_int_equal(s.at[0].to, 0);
    assert_int_equal(s.n_refused, 1);
    assert_string_equal(s.machine.cuda, "12.8");
}

static void nccl_tests_as_json(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("x.json",
          "{\"version\": 2, \"start_time\": \"2026-01-31 12:00:00\", \"args\": [\"./build/reduce_scatter_perf\", \"-J\"], "
          "\"nccl_version\": 22703,\n"
          "\"config\": {\"nthreads\": 1, \"ngpus\": 4, \"devices\": [{\"rank\": 0, \"hostname\": \"a\", \"device_info\": \"NVIDIA X1\"},"
          "{\"rank\": 4, \"hostname\": \"b\"}]},\n\"results\": [\n{\"size\": 8388608, \"count\": 262144, \"type\": \"float\", \"redop\": "
          "\"sum\", \"root\": \"-1\",\n"
          "\"out_of_place\": {\"time\": 100.0, \"alg_bw\": 83.886, \"bus_bw\": 73.400, \"nwrong\": 0},\n"
          "\"out_of_place_per_iter\": {\"times_us\": [101.0, 99.0, 100.0]},\n"
          "\"in_place\": {\"time\": 98.0, \"alg_bw\": 85.598, \"bus_bw\": 74.898, \"nwrong\": 3}}], \"end_time\": \"x\"}",
          &s);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.at[0].ranks, 8);
    assert_int_equal(s.at[0].nodes, 2);
    assert_int_equal(s.at[0].line, 4);
    assert_int_equal(s.at[0].n_all, 3);
    assert_true(s.at[0].all[0] == 99);
    assert_string_equal(s.machine.nccl, "2.27.3");
    assert_int_equal(s.n_refused, 1);
    assert_int_equal(s.n_notes, 0);
}

static void machines_without_times(void **state)
{
    (void)state;
    struct rr_samples s;
    reads("t.txt",
          "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\tPXB\t0-47\t0\nGPU1\tNV18\t X \tSYS\t0-47\t0\nNIC0\tPXB\tSYS\t "
          "X \n",
          &s);
    assert_string_equal(s.machine.topology, "2 GPUs; NV18 x 1 between GPUs; PXB x 1 to adapters; SYS x 1 to adapters");
    assert_int_equal(s.machine.gpus_per_node, 2);
    refuses("t.txt", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \n", "no row is left");
    reads("s.csv",
          "name, memory.total [MiB], power.limit [W], driver_version\nNVIDIA X1, 81559 MiB, 700.00 W, 570.1\nNVIDIA X1, 81559 MiB, 700.00 "
          "W, 570.1\n",
          &s);
    near(s.machine.memory_gib, 81559 / 1024., 1e-12);
    assert_int_equal(s.machine.gpus_per_node, 2);
    near(s.machine.power_limit_w, 700, 1e-12);
    const char *head = "name, memory.total [MiB], power.limit [W], driver_version\nX1, 81559 MiB, 700.00 W, 570.1\n";
    reads("n.csv", rr_strf(arena, "%sX1, 81559 MiB, [N/A], 570.1\n", head), &s);
    assert_int_equal(s.n_refused + s.n_notes, 0);
    reads("b.csv", rr_strf(arena, "%sX1, 81559 MiB, banana, 570.1\n", head), &s);
    assert_int_equal(s.n_refused, 1);
    assert_non_null(strstr(s.refused[0], "b.csv:3: \"banana\" is no number in W"));
    assert_int_equal(s.machine.gpus_per_node, 2);
}

static void samples_there_and_back(void **state)
{
    (void)state;
    struct rr_samples s, t;
    struct rr_buf b = {0};
    reads(
        "x.json",
        "{\"schema\": \"rackrate.samples/1\", \"hardware\": {\"gpu\": \"NVIDIA X1\"}, \"samples\": [\n"
        "{\"kind\": \"gemm\", \"type\": \"bf16\", \"m\": 128, \"n\": 256, \"k\": 512, \"us\": [3, 1, 2.5]},\n"
        "{\"kind\": \"collective\", \"op\": \"all_reduce\", \"ranks\": 8, \"bytes\": 1024, \"us\": 7.25, \"in_place\": true},\n"
        "{\"kind\": \"launch\", \"op\": \"empty\", \"us\": 2.31, \"check\": \"failed\"},\n"
        "{\"kind\": \"launch\", \"op\": \"empty\", \"us\": -2}, {\"kind\": \"gemm\", \"us\": 3}, {\"kind\": \"cat\", \"us\": 3},\n"
        "{\"kind\": \"launch\", \"op\": \"empty\", \"us\": 2.31, \"colour\": 3}, {\"kind\": \"launch\", \"op\": \"empty\", \"us\": 2.31}]}",
        &s);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.n_refused, 5);
    near(s.at[0].us, 2.5, 1e-12);
    rr_samples_json(&b, &s);
    reads("y.json", rr_buf_text(&b), &t);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.at[0].n_all, 3);
    assert_true(t.at[1].in_place);
    near(t.at[1].us, 7.25, 1e-12);
    assert_int_equal(t.at[1].line, 3); // of x.json, not of y.json
    rr_buf_done(&b);
}

/* Two logs, whose rows stand in lines 3 and 5, and in line 2; through JSON and back they still do. */
static void lines_and_logs_there_and_back(void **state)
{
    (void)state;
    struct rr_samples s, t;
    struct rr_buf b = {0};
    static const char *const text[] = {"# a table\nop,ranks,bytes,us\nall_reduce,8,4096,17.5\n# a line between\nall_reduce,8,8192,19.5\n",
                                       "op,ranks,bytes,us\nall_reduce,16,4096,33.5\n"};
    char path[2][32] = {"/tmp/rr-one-XXXXXX", "/tmp/rr-two-XXXXXX"};
    const char *paths[2] = {path[0], path[1]};
    const struct rr_sample_options o = {.max_refused = 0.2};
    for (int i = 0; i < 2; i++) {
        const int fd = mkstemp(path[i]);
        assert_int_equal(write(fd, text[i], strlen(text[i])), strlen(text[i]));
        close(fd);
    }
    if (rr_samples_read(paths, 2, &o, arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    unlink(path[0]), unlink(path[1]);
    rr_samples_json(&b, &s);
    reads("again.json", rr_buf_text(&b), &t);
    assert_int_equal(t.n, 3);
    const int64_t line[] = {3, 5, 2};
    const int32_t log[] = {1, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(t.at[i].line, line[i]);
        assert_int_equal(t.at[i].log, log[i]);
    }
    rr_buf_done(&b);
    refuses("l.json",
            "{\"schema\": \"rackrate.samples/1\", \"samples\": [{\"kind\": \"launch\", \"op\": \"empty\", \"us\": 2, \"line\": 2.5}]}",
            "l.json:1:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gib_in_22490_us_over_16_ranks),
        cmocka_unit_test(factors),
        cmocka_unit_test(units_of_rates),
        cmocka_unit_test(prefixes_and_lines_in_between),
        cmocka_unit_test(per_iteration_columns_and_clocks),
        cmocka_unit_test(damaged_rows_are_refused_by_line),
        cmocka_unit_test(doubled_tables_count_once),
        cmocka_unit_test(a_second_copy_may_be_cut_and_lines_stand_twice),
        cmocka_unit_test(several_tables_in_one_log),
        cmocka_unit_test(all_operators_and_types_in_one_table),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(milliseconds_and_line_ends_of_windows),
        cmocka_unit_test(a_mean_that_the_rows_do_not_have),
        cmocka_unit_test(sizes_with_units),
        cmocka_unit_test(files_of_rccl_tests),
        cmocka_unit_test(contradictions_are_told_once),
        cmocka_unit_test(units_that_are_not_so),
        cmocka_unit_test(sizes_that_are_not_count_x_type),
        cmocka_unit_test(a_row_behind_a_line_of_the_library),
        cmocka_unit_test(cells_of_a_table_that_cannot_be),
        cmocka_unit_test(rates_that_do_not_follow_are_told),
        cmocka_unit_test(an_operation_that_nothing_tells),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(nvbandwidth_matrices),
        cmocka_unit_test(nvbandwidth_of_nothing),
        cmocka_unit_test(nvbandwidth_as_json),
        cmocka_unit_test(nccl_tests_as_json),
        cmocka_unit_test(machines_without_times),
        cmocka_unit_test(samples_there_and_back),
        cmocka_unit_test(lines_and_logs_there_and_back),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
