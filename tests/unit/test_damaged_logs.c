/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_damaged_logs.c - no damaged row goes in silence: each byte of a small log of every format replaced in turn, and lines cut.
 *
 * After one byte became another, every measurement of the whole log is still there as it was, or its line is refused, or the file is refused, or a note
 * names what was not taken; where a digit became another digit, a number may differ. Never may a row be missing and nothing said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/samples.h"
#include "tests/unit/test_dir.h"
#include <ctype.h>
#include <math.h>

static const char nccl_new[] =
    "# nccl-tests version 2.17.9 nccl-headers=22903 nccl-library=22903\n"
    "# Collective test starting: all_reduce_perf\n"
    "#  Rank  0 Group  0 Pid   1001 on  node0 device  0 [0000:01:00] NVIDIA X1\n"
    "#  Rank  1 Group  0 Pid   1002 on  node0 device  1 [0000:02:00] NVIDIA X1\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    "     1048576        262144     float     sum      -1    27.37   38.31   38.31      0    26.93   38.94   38.94      0\n"
    "     2097152        524288     float     sum      -1    35.00   59.92   59.92      0    36.00   58.25   58.25      0\n"
    "     4194304       1048576     float     sum      -1    54.19   77.40   77.40    N/A    53.82   77.93   77.93    N/A\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 58.4567\n"
    "#\n";
static const char nccl_old[] =
    "#                                                     out-of-place                       in-place\n"
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
    "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    "0:     1048576        262144   float     sum    27.37   38.31   67.04  2e-07    26.93   38.94   68.14  2e-07\n"
    "0:     2097152        524288   float     sum    35.00   59.92  104.86  2e-07    36.00   58.25  101.95  2e-07\n"
    "0: # Out of bounds values : 0 OK\n";
static const char nccl_bare[] =
    "     1048576        262144     float     sum      -1    27.37   38.31   67.04      0    26.93   38.94   68.14      0\n"
    "     2097152        524288     float     sum      -1    35.00   59.92  104.86      0    36.00   58.25  101.95      0\n"
    "     4194304       1048576     float     sum      -1    54.19   77.40  135.45      0    53.82   77.93  136.38      0\n";
static const char rccl[] =
    "# rccl-tests: Version develop:a52452e\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    "     1048576        262144     float     sum      -1    27.37   38.31   67.04      0    26.93   38.94   68.14      0\n"
    "     2097152        524288     float     sum      -1    35.00   59.92  104.86      0    36.00   58.25  101.95      0\n"
    "# Out of bounds values : 0 OK\n";
static const char rccl_csv[] = "numCycle,collective,nodes,ranks,ranksPerNode,gpusPerRank,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
                               "1,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",0,27.370000,38.311,71.833,\"0\"\n"
                               "1,\"AllReduce\",2,16,8,1,1048576,\"float\",\"sum\",1,26.930000,38.937,73.007,\"0\"\n";
static const char rccl_json[] =
    "[\n{\"numCycle\":1, \"name\":\"AllReduce\", \"nodes\":1, \"ranks\":8, \"gpusPerRank\":1, \"size\":1048576, "
    "\"type\":\"float\", \"redop\":\"sum\", \"inPlace\":0, \"time\":27.37, \"algBw\":38.31, \"busBw\":67.04, "
    "\"wrong\":\"0\"},\n{\"numCycle\":1, \"name\":\"AllReduce\", \"nodes\":1, \"ranks\":8, \"gpusPerRank\":1, "
    "\"size\":2097152, \"type\":\"float\", \"redop\":\"sum\", \"inPlace\":0, \"time\":35, \"algBw\":59.92, "
    "\"busBw\":104.86, \"wrong\":\"0\"}\n]\n";
static const char nccl_json[] =
    "{\"version\": 2, \"args\": [\"./all_reduce_perf\"], \"nccl_version\": 22703,\n"
    "\"config\": {\"nthreads\": 1, \"ngpus\": 4, \"devices\": [{\"rank\": 0, \"hostname\": \"a\"}]},\n\"results\": [\n"
    "{\"size\": 8388608, \"count\": 2097152, \"type\": \"float\", \"out_of_place\": {\"time\": 100.0, \"alg_bw\": "
    "83.886, \"bus_bw\": 125.83, \"nwrong\": 0}, \"in_place\": {\"time\": 99.0, \"alg_bw\": 84.73, \"bus_bw\": "
    "127.1, \"nwrong\": 0}},\n{\"size\": 16777216, \"count\": 4194304, \"type\": \"float\", \"out_of_place\": "
    "{\"time\": 180.0, \"alg_bw\": 93.21, \"bus_bw\": 139.81, \"nwrong\": 0},\n \"out_of_place_per_iter\": "
    "{\"times_us\": [181.0, 179.0]}, \"in_place\": null}],\n\"end_time\": \"y\"}\n";
static const char nvbandwidth[] = "nvbandwidth Version: v0.9\n"
                                  "Device 0: X1 (0000:99)\n"
                                  "Running device_to_device.\n"
                                  "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n"
                                  "           0         1\n"
                                  " 0       N/A    276.07\n"
                                  " 1    276.19       N/A\n"
                                  "SUM device_to_device 552.26\n"
                                  "Running latency.\n"
                                  "latency CPU(row) <-> GPU(column) (ns)\n"
                                  "           0         1\n"
                                  " 0    772.50    781.25\n"
                                  "SUM latency 1553.75\n";
static const char nvbandwidth_json[] =
    "{\"nvbandwidth\": {\"CUDA Runtime Version\": 12080, \"testcases\": [\n{\"name\": \"d2d\", \"status\": "
    "\"Passed\", \"bandwidth_description\": \"GPU(row) <- GPU(column) (GB/s)\",\n\"bandwidth_matrix\": "
    "[\n[\"N/A\", \"276.50\"],\n[\"275.50\", \"N/A\"]]},\n{\"name\": \"y\", \"status\": \"Waived\"}]}}\n";
static const char csv[] = "op,ranks,bytes,us,bus_gb_s\n"
                          "all_reduce,8,1048576,27.37,67.04\n"
                          "all_reduce,8,2097152,35.00,104.86\n"
                          "all_reduce,8,4194304,54.19,135.45\n";
static const char lut[] = "size(B),count,type,time(ns),busbw(GB/s),time(ns),busbw(GB/s)\n"
                          "1048576,262144,float,44210,20.75,45100,20.34\n"
                          "2097152,524288,float,55210,33.24,55300,33.18\n";
static const char samples[] = "{ \"schema\": \"rackrate.samples/1\", \"hardware\": {\"gpu\": \"X1\"}, \"samples\": [\n"
                              "{\"kind\": \"collective\", \"op\": \"all_reduce\", \"ranks\": 8, \"bytes\": 1048576, \"us\": 27.37},\n"
                              "{\"kind\": \"gemm\", \"type\": \"bf16\", \"m\": 128, \"n\": 256, \"k\": 512, \"us\": [3.25, 3.5]},\n"
                              "{\"kind\": \"launch\", \"op\": \"empty\", \"us\": 2.31}] }\n";
static const char smi[] = "name, memory.total [MiB], power.limit [W], driver_version\n"
                          "X1, 81559 MiB, 700.00 W, 570.1\n"
                          "X1, 81559 MiB, 700.00 W, 570.1\n";
static const char topo[] = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\n"
                           "GPU0\t X \tNV18\tPXB\t0-47\n"
                           "GPU1\tNV18\t X \tSYS\t0-47\n";

static const struct {
    const char *name, *format, *text;
    size_t samples;
} logs[] = {
    {"nccl-tests 2.17", "nccl-tests", nccl_new, 6},
    {"nccl-tests of 2021", "nccl-tests", nccl_old, 4},
    {"nccl-tests, rows alone", "nccl-tests", nccl_bare, 6},
    {"rccl-tests", "rccl-tests", rccl, 4},
    {"rccl-tests -Z csv", "rccl-tests-file", rccl_csv, 2},
    {"rccl-tests -Z json", "rccl-tests-file", rccl_json, 2},
    {"nccl-tests -J", "nccl-tests-json", nccl_json, 3},
    {"nvbandwidth", "nvbandwidth", nvbandwidth, 4},
    {"nvbandwidth -j", "nvbandwidth-json", nvbandwidth_json, 2},
    {"csv", "csv", csv, 3},
    {"csv, both halves", "csv", lut, 4},
    {"samples", "samples", samples, 3},
    {"nvidia-smi", "nvidia-smi-csv", smi, 0},
    {"nvidia-smi topo", "nvidia-smi-topo", topo, 0},
};
enum { LOGS = sizeof logs / sizeof *logs };

static enum rr_status read_as(const char *format, const char *text, size_t n, struct rr_arena *a, struct rr_samples *ret)
{
    const char *path = in_dir("damaged.log");
    const struct rr_sample_options o = {.format = format, .op = "all_reduce", .max_refused = 1};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    return rr_samples_read(&path, 1, &o, a, ret);
}

/* Some refusal or note names the line, or the whole file. */
static bool told(const struct rr_samples *s, int64_t line)
{
    char at[64];
    snprintf(at, sizeof at, "damaged.log:%lld:", (long long)line);
    for (size_t i = 0; i < s->n_refused; i++)
        if (strstr(s->refused[i], at)) return true;
    for (size_t i = 0; i < s->n_notes; i++)
        if (strstr(s->note[i], at)) return true;
    return false;
}

static bool same_numbers(const struct rr_sample *x, const struct rr_sample *y)
{
    return x->kind == y->kind && x->bytes == y->bytes && x->us == y->us && x->gb_s == y->gb_s && x->m == y->m && x->n == y->n &&
           x->k == y->k && x->from == y->from && x->to == y->to && x->in_place == y->in_place;
}

/* A sample of the whole log is among those of the damaged one, at its line. */
static bool still_there(const struct rr_sample *x, const struct rr_samples *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].line == x->line && same_numbers(x, &s->at[i])) return true;
    return false;
}

static size_t of_line(const struct rr_samples *s, int64_t line)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += s->at[i].line == line;
    return n;
}

/* Judges one damaged text. `joined`: the line's end went, so that those behind it move up. `digit`: one digit became another or
 * went, so numbers of that line may differ. Returns what is wrong, "" = nothing. */
static const char *judge(struct rr_samples *whole, const struct rr_samples *s, int64_t line, bool joined, bool digit)
{
    const struct rr_machine_info *m = &whole->machine, *n = &s->machine;
    if (!digit && s->n_refused + s->n_notes == 0 && m->memory_gib > 0 &&
        (m->memory_gib != n->memory_gib || m->power_limit_w != n->power_limit_w))
        return "the machine's numbers differ";
    if (!digit && s->n_refused == 0 && strcmp(m->topology, n->topology) != 0) return "the machine's links differ";
    for (size_t i = 0; i < whole->n; i++) {
        struct rr_sample moved = whole->at[i], *x = &moved;
        if (joined && x->line > line) x->line--;
        if (still_there(x, s) || told(s, x->line)) continue;
        if (told(s, line)) continue; // a header that was damaged, a row that runs into the next
        if (of_line(s, x->line) < of_line(whole, whole->at[i].line)) return "a row is missing and nothing is said";
        if (!digit) return "a number differs though no digit became another";
    }
    return "";
}

static size_t damage(size_t l, char with, bool digits_alone)
{
    const char *text = logs[l].text;
    const size_t n = strlen(text);
    struct rr_arena *kept = rr_arena_create();
    struct rr_samples whole;
    size_t wrong = 0;
    int64_t line = 1;
    if (read_as(logs[l].format, text, n, kept, &whole) != RR_OK) fail_msg("%s: %s", logs[l].name, rr_reason());
    for (size_t i = 0; i < n; line += text[i++] == '\n') {
        if (text[i] == with || (digits_alone && !isdigit((unsigned char)text[i]))) continue;
        struct rr_arena *a = rr_arena_create();
        struct rr_samples s;
        char *copy = rr_strndup(a, text, n);
        copy[i] = with;
        if (read_as(logs[l].format, copy, n, a, &s) == RR_OK) {
            const char *why = judge(&whole, &s, line, text[i] == '\n', digits_alone || (with == ' ' && isdigit((unsigned char)text[i])));
            if (*why && wrong++ < 12)
                print_error("%s, line %lld, byte %zu '%c' became '%c': %s\n", logs[l].name, (long long)line, i, text[i], with, why);
        }
        rr_arena_free(a);
    }
    rr_arena_free(kept);
    return wrong;
}

static void whole_logs_are_read(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOGS; l++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_samples s;
        if (read_as(logs[l].format, logs[l].text, strlen(logs[l].text), a, &s) != RR_OK) fail_msg("%s: %s", logs[l].name, rr_reason());
        if (s.n != logs[l].samples || s.n_refused) fail_msg("%s: %zu samples, %zu refused", logs[l].name, s.n, s.n_refused);
        rr_arena_free(a);
    }
}

static void each_byte(char with, bool digits_alone)
{
    size_t wrong = 0;
    for (size_t l = 0; l < LOGS; l++) wrong += damage(l, with, digits_alone);
    if (wrong) fail_msg("%zu damaged logs are taken in silence", wrong);
}

static void every_byte_an_x(void **state)
{
    (void)state;
    each_byte('x', false);
}
static void every_byte_a_minus(void **state)
{
    (void)state;
    each_byte('-', false);
}
static void every_byte_a_blank(void **state)
{
    (void)state;
    each_byte(' ', false);
}
static void every_digit_a_seven(void **state)
{
    (void)state;
    each_byte('7', true);
}

/* The log ends inside a line. What is left of it is a whole row still, or it is refused, or the file is said to be cut. */
static void every_cut(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t l = 0; l < LOGS; l++) {
        const char *text = logs[l].text;
        struct rr_arena *kept = rr_arena_create();
        struct rr_samples whole;
        int64_t line = 1;
        bool begun = false;
        assert_int_equal(read_as(logs[l].format, text, strlen(text), kept, &whole), RR_OK);
        for (size_t i = 0; text[i]; i++) {
            struct rr_arena *a = rr_arena_create();
            struct rr_samples s;
            if (begun && read_as(logs[l].format, text, i, a, &s) == RR_OK && s.n_notes == 0 && !told(&s, line) &&
                of_line(&s, line) < of_line(&whole, line) && wrong++ < 12)
                print_error("%s, cut in line %lld after byte %zu: nothing is said\n", logs[l].name, (long long)line, i);
            begun = text[i] != '\n' && (begun || isdigit((unsigned char)text[i]));
            line += text[i] == '\n';
            rr_arena_free(a);
        }
        rr_arena_free(kept);
    }
    if (wrong) fail_msg("%zu cut logs are taken in silence", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_logs_are_read), cmocka_unit_test(every_byte_an_x),     cmocka_unit_test(every_byte_a_minus),
        cmocka_unit_test(every_byte_a_blank),  cmocka_unit_test(every_digit_a_seven), cmocka_unit_test(every_cut),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
