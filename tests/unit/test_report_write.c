/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_report_write.c - all files of a report: which, with what in them, whole or not at all. */
#include "data/outfile.h"
#include "reports/report.h"
#include "tests/unit/sample_store.h"
#include "tests/unit/test_dir.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sys/mount.h>
#include <cmocka.h>

static bool have_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }
static enum rr_status whole(void) { return have_gnuplot() ? RR_OK : RR_EMISSING; }

static void a_list_of_formats(void **state)
{
    (void)state;
    unsigned f = 0;
    assert_int_equal(rr_format_parse("json", &f), RR_OK);
    assert_int_equal(f, RR_FORMAT_JSON);
    assert_int_equal(rr_format_parse("html, md,db", &f), RR_OK);
    assert_int_equal(f, RR_FORMAT_HTML | RR_FORMAT_MD | RR_FORMAT_DB);
    assert_int_equal(rr_format_parse("all", &f), RR_OK);
    assert_int_equal(f, RR_FORMAT_ALL);
    f = 77;
    static const char *const bad[] = {"", "json,", "htm", "JSON", "pdf", "json;md"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(rr_format_parse(bad[i], &f), RR_EUSAGE);
    assert_int_equal(f, 77);
    assert_int_equal(rr_format_parse("htm", &f), RR_EUSAGE);
    assert_non_null(strstr(rr_reason(), "did you mean \"html\""));
}

static void same_text(const char *name, const char *expected)
{
    char *text = file_text(in_dir(name), NULL);
    if (!text) fail_msg("%s is missing", name);
    assert_string_equal(text, expected);
    free(text);
}

static void the_tables_are_exact(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    p.store.n_alternatives = 1;
    assert_int_equal(rr_report_write(&p.store, in_dir("csv"), RR_FORMAT_CSV, NULL), RR_OK);
    assert_int_equal(files_in(in_dir("csv")), 4);
    same_text(
        "csv/jobs.csv",
        "job_id,user,account,class,gpus,submit_s,start_s,end_s,wait_s,jct_s,run_s,lost_s,attempts,status,pool,reason,alternative,"
        "replication\n"
        "a-1,ann,,train,8,0,5.000001,7205.000001,5.000001,7205.000001,7200,0,1,finished,own,,own,1\n"
        "-2,\"bo \"\"b\"\", jr\",,train,0.5,61.000001,61.000001,61.000002,0,0.000001,0.000001,0,1,failed,own,failed in the trace,own,1\n"
        "'=cmd|' /C calc'!A0,,,,0,3600,3600,3600,0,0,0,0,1,killed,burst,killed in the trace,own,1\n"
        "\"\"\"; system(\"\"touch x\"\"); \"\"\",'@x<script>,,'=1+1,64,3600,7205.000001,100805.000001,3605.000001,97205.000001,93600,1.5,2,"
        "finished,own,,own,1\n"
        "5,ann,,'=1+1,1,86400.5,86400.5,,0,,,0,1,running,own,cut off by the horizon,own,1\n"
        "six,ann,,train,16,172800,,,,,3661,0,0,waiting,,cut off by the horizon,own,1\n"
        "line break,\"bo \"\"b\"\", jr\",,train,999,259200.000123,,,,,5,0,0,rejected,,too large for every pool,own,1\n");
    same_text("csv/leases.csv", "alternative,replication,pool,node,node_name,start_s,ready_s,end_s,held_s,used_gpu_s,down_gpu_s\n"
                                "own,1,own,1,\"n1, rack 7\",0,300,94694400,94694400,123456.789012345,0.000007001\n"
                                "own,1,burst,3,n3,-0.000001,0.000001,3600.000001,3600.000002,0,0\n");
    char *text = file_text(in_dir("csv/charges.csv"), NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "own,1,own,owned,energy,,0,94694400,86400,2026-01-01,2029-01-01,2026-01-02,"));
    assert_non_null(strstr(text, ",0.000007,USD,1892311.25,kWh,$0.08/kWh\n"));
    free(text);
    text = file_text(in_dir("csv/timeline.csv"), NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "\nown,1,0,189388.8,2026-01-01,32,12.8,41.6,64,64,64,0.3,,0.8999999999999999,2.1,,,,,,,,,\n"));
    free(text);
    sample_close(&p);
}

static void attempts_are_exact(void **state)
{
    (void)state;
    struct sample p;
    struct rr_store s;
    struct rr_arena *arena = rr_arena_create();
    sample_open(&p, 1);
    sample_interrupt(&p);
    assert_int_equal(rr_report_write(&p.store, in_dir("att"), RR_FORMAT_CSV | RR_FORMAT_DB, NULL), RR_OK);
    static const char *const want =
        "job_id,attempt,pool,node,nodes,gpus,start_s,end_s,used_gpu_s,lost_gpu_s,reason,alternative\n"
        "a-1,1,own,0,1,8,5.000001,7205.000001,57600,0,,own\n"
        "\"\"\"; system(\"\"touch x\"\"); \"\"\",1,own,1,2,64,7205.000001,9205.000001,127904,96,node failure,own\n"
        "\"\"\"; system(\"\"touch x\"\"); \"\"\",2,own,0,2,64,9300,100805.000001,5856320.000064,0,,own\n";
    same_text("att/attempts.csv", want);
    assert_int_equal(rr_store_load(in_dir("att/results.db"), arena, &s), RR_OK);
    assert_int_equal(rr_report_write(&s, in_dir("att2"), RR_FORMAT_CSV, in_dir("att/results.db")), RR_OK);
    same_text("att2/attempts.csv", want);
    rr_arena_free(arena);
    sample_close(&p);
}

/* Money of the charges adds up to the micro-unit with what the report says. */
static void charges_add_up(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    p.store.n_alternatives = 1;
    int64_t sum = 0, want = 0;
    for (size_t i = 0; i < p.alternative[0].n_months; i++) want += p.alternative[0].month[i].effective.micro;
    assert_int_equal(rr_report_write(&p.store, in_dir("sum"), RR_FORMAT_CSV, NULL), RR_OK);
    struct rr_csv *c;
    struct rr_csv_row row;
    assert_int_equal(rr_csv_open(in_dir("sum/charges.csv"), (struct rr_csv_options){0}, &c), RR_OK);
    assert_int_equal(rr_csv_next(c, &row), RR_OK);
    const int column = rr_csv_find(&row, "effective");
    assert_true(column > 0);
    for (;;) {
        int64_t v;
        assert_int_equal(rr_csv_next(c, &row), RR_OK);
        if (row.n == 0) break;
        assert_int_equal(rr_text_scaled(row.cell[column], 6, &v), RR_OK);
        sum += v;
    }
    rr_csv_close(c);
    assert_int_equal(sum, want);
    sample_close(&p);
}

static void a_timeline_has_at_most_2000_bins(void **state)
{
    (void)state;
    enum { BINS = 4567 };
    struct sample p;
    sample_open(&p, 1);
    p.store.n_alternatives = 1;
    double *x = RR_NEWS(p.arena, double, BINS), *mean = RR_NEWS(p.arena, double, BINS), *max = RR_NEWS(p.arena, double, BINS);
    for (int i = 0; i < BINS; i++) x[i] = i, mean[i] = i % 3, max[i] = i;
    const struct rr_series s = {"used_gpus", "s", "GPUs", BINS, x, mean, mean, max};
    p.alternative[0].series = &s;
    p.alternative[0].n_series = 1;
    p.alternative[0].end_us = BINS * RR_S - 250000; // within the last bin
    assert_int_equal(rr_report_write(&p.store, in_dir("bins"), RR_FORMAT_CSV, NULL), RR_OK);
    char *text = file_text(in_dir("bins/timeline.csv"), NULL);
    int lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 1 + (BINS + 2) / 3);
    assert_non_null(strstr(text, "\nown,1,3,6,2026-01-01T00:00:03Z,1,0,5,,,,,,,,,,,,,,,,\n")); // bins 3, 4, 5: means 0, 1, 2
    assert_non_null(strstr(text, "\nown,1,4566,4566.75,2026-01-01T01:16:06Z,0,0,4566,"));      // the last bin stands alone
    free(text);
    sample_close(&p);
}

static const char *const all_files[] = {"report.md",      "report.html",    "results.json",   "results.db",
                                        "jobs.csv",       "leases.csv",     "charges.csv",    "timeline.csv",
                                        "plots/cost.svg", "plots/wait.svg", "plots/gpus.svg", "plots/breakdown.svg"};
enum { ALL_FILES = sizeof all_files / sizeof *all_files };

static void the_formats_asked_for_are_written(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    assert_int_equal(rr_report_write(&p.store, in_dir("a/b/all"), RR_FORMAT_ALL, NULL), whole());
    for (size_t i = 0; i < ALL_FILES; i++) {
        char name[64];
        snprintf(name, sizeof name, "a/b/all/%s", all_files[i]);
        if (strncmp(all_files[i], "plots", 5) == 0 && !have_gnuplot()) continue;
        assert_int_equal(access(in_dir(name), R_OK), 0);
    }
    assert_int_equal(files_in(in_dir("a/b/all")), have_gnuplot() ? 9 : 8);
    assert_int_equal(rr_report_write(&p.store, in_dir("json"), RR_FORMAT_JSON, NULL), RR_OK);
    assert_int_equal(files_in(in_dir("json")), 1);
    sample_close(&p);
}

static void a_loaded_store_renders_the_same_bytes(void **state)
{
    (void)state;
    struct sample p;
    struct rr_store s;
    struct rr_arena *arena = rr_arena_create();
    sample_open(&p, 100);
    assert_int_equal(rr_report_write(&p.store, in_dir("first"), RR_FORMAT_ALL, NULL), whole());
    assert_int_equal(rr_store_load(in_dir("first/results.db"), arena, &s), RR_OK);
    assert_int_equal(rr_report_write(&s, in_dir("again"), RR_FORMAT_ALL, in_dir("first/results.db")), whole());
    for (size_t i = 0; i < ALL_FILES; i++) {
        char one[64], two[64];
        size_t n = 0, m = 0;
        snprintf(one, sizeof one, "first/%s", all_files[i]);
        snprintf(two, sizeof two, "again/%s", all_files[i]);
        char *x = file_text(in_dir(one), &n), *y = file_text(in_dir(two), &m);
        if (x || have_gnuplot()) {
            assert_non_null(x);
            assert_non_null(y);
            assert_int_equal(n, m);
            assert_memory_equal(x, y, n);
        }
        free(x);
        free(y);
    }
    assert_int_equal(rr_report_write(&s, in_dir("first"), RR_FORMAT_ALL, in_dir("first/results.db")), whole()); // over itself
    rr_arena_free(arena);
    sample_close(&p);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void files_that_are_not_ours_stay(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_int_equal(mkdir(in_dir("mine"), 0700), 0);
    put(in_dir("mine/notes.txt"), "keep me");
    put(in_dir("mine/report.md"), "old");
    assert_int_equal(rr_report_write(&p.store, in_dir("mine"), RR_FORMAT_MD | RR_FORMAT_JSON, NULL), RR_OK);
    same_text("mine/notes.txt", "keep me");
    assert_int_equal(files_in(in_dir("mine")), 3);
    sample_close(&p);
}

static void an_earlier_run_of_ours_is_swept(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_int_equal(rr_report_write(&p.store, in_dir("swept"), RR_FORMAT_ALL, NULL), whole());
    put(in_dir("swept/notes.txt"), "keep me");
    put(in_dir("swept/attempts.csv"), "of an earlier run");
    assert_int_equal(rr_report_write(&p.store, in_dir("swept"), RR_FORMAT_JSON | RR_FORMAT_MD, NULL), RR_OK);
    assert_int_equal(files_in(in_dir("swept")), 3); // plots/ is gone too
    same_text("swept/notes.txt", "keep me");
    assert_int_equal(mkdir(in_dir("swept/plots"), 0700), 0);
    put(in_dir("swept/plots/cost.svg"), "old");
    put(in_dir("swept/plots/mine.svg"), "keep me too");
    assert_int_equal(rr_report_write(&p.store, in_dir("swept"), RR_FORMAT_DB, NULL), RR_OK);
    assert_int_equal(files_in(in_dir("swept")), 3); // results.db, notes.txt, plots/
    assert_int_equal(files_in(in_dir("swept/plots")), 1);
    same_text("swept/plots/mine.svg", "keep me too");
    /* written again from the database: the rest of the same run stays */
    struct rr_store s;
    struct rr_arena *arena = rr_arena_create();
    assert_int_equal(rr_store_load(in_dir("swept/results.db"), arena, &s), RR_OK);
    assert_int_equal(rr_report_write(&s, in_dir("swept"), RR_FORMAT_MD, in_dir("swept/results.db")), RR_OK);
    assert_int_equal(files_in(in_dir("swept")), 4);
    rr_arena_free(arena);
    sample_close(&p);
}

static void folders_for_nothing_are_removed(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_int_equal(mkdir(in_dir("mine2"), 0700), 0);
    limit_files(300);
    const enum rr_status st = rr_report_write(&p.store, in_dir("mine2/a/b"), RR_FORMAT_JSON | RR_FORMAT_CSV, NULL);
    limit_files(RLIM_INFINITY);
    assert_int_equal(st, RR_EIO);
    assert_int_equal(files_in(in_dir("mine2")), 0);
    sample_close(&p);
}

/* Wherever the disk fills, no report of this run is there: the old ones are, and nothing half written. */
static void a_disk_that_fills_leaves_the_old_report(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_int_equal(mkdir(in_dir("full"), 0700), 0);
    put(in_dir("full/report.md"), "old");
    static const rlim_t most[] = {0, 10, 500, 1500, 4096, 20000, 100000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        limit_files(most[i]);
        const enum rr_status st = rr_report_write(&p.store, in_dir("full"), RR_FORMAT_ALL & ~(unsigned)RR_FORMAT_PLOTS, NULL);
        limit_files(RLIM_INFINITY);
        assert_int_equal(st, RR_EIO);
        assert_int_equal(files_in(in_dir("full")), 1);
        same_text("full/report.md", "old");
    }
    sample_close(&p);
}

static void a_tmpfs_of_1_mib_is_too_small_for_many_jobs(void **state)
{
    (void)state;
    char dir[128];
    snprintf(dir, sizeof dir, "%s", in_dir("mnt"));
    assert_int_equal(mkdir(dir, 0700), 0);
    if (mount("none", dir, "tmpfs", 0, "size=600k") != 0) skip();
    struct sample p;
    sample_open(&p, 1);
    const enum rr_status st = rr_report_write(&p.store, dir, RR_FORMAT_ALL, NULL);
    const bool told = strstr(rr_reason(), "No space left on device") != NULL;
    char plots[160];
    snprintf(plots, sizeof plots, "%s/plots", dir);
    const int left = files_in(dir) + files_in(plots);
    umount(dir);
    assert_int_equal(st, RR_EIO);
    assert_true(told);
    assert_int_equal(left, 0); // nor an empty folder plots/
    sample_close(&p);
}

static void a_place_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    put(in_dir("file"), "");
    assert_int_equal(rr_report_write(&p.store, in_dir("file"), RR_FORMAT_JSON, NULL), RR_EIO);
    assert_non_null(strstr(rr_reason(), "file: is not a directory"));
    assert_int_equal(rr_report_write(&p.store, in_dir("file/sub"), RR_FORMAT_JSON, NULL), RR_EIO);
    assert_int_equal(mkdir(in_dir("taken"), 0700), 0);
    assert_int_equal(mkdir(in_dir("taken/results.json"), 0700), 0);
    assert_int_equal(rr_report_write(&p.store, in_dir("taken"), RR_FORMAT_JSON, NULL), RR_EIO);
    assert_int_equal(files_in(in_dir("taken")), 1);
    sample_close(&p);
}

static void without_gnuplot_the_rest_is_written(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    const enum rr_status st = rr_report_write(&p.store, in_dir("bare"), RR_FORMAT_ALL, NULL);
    setenv("PATH", path, 1);
    assert_int_equal(st, RR_EMISSING);
    assert_non_null(strstr(rr_reason(), "apt-get install gnuplot-nox"));
    assert_int_equal(files_in(in_dir("bare")), 8);
    char *text = file_text(in_dir("bare/report.md"), NULL);
    assert_null(strstr(text, "plots/"));
    free(text);
    sample_close(&p);
}

static void an_outfile_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    struct rr_outfile *o;
    assert_int_equal(rr_outfile_open(in_dir("o.txt"), &o), RR_OK);
    rr_outfile_put(o, "half", 4);
    assert_int_equal(access(in_dir("o.txt"), F_OK), -1);
    rr_outfile_free(o);
    const int before = files_in(test_dir);
    assert_int_equal(rr_outfile_open(in_dir("o.txt"), &o), RR_OK);
    char big[5000];
    memset(big, 'x', sizeof big);
    for (int i = 0; i < 100; i++) rr_outfile_put(o, big, sizeof big);
    char *room = rr_outfile_room(o, 3);
    memcpy(room, "end", 3);
    rr_outfile_used(o, 3);
    assert_int_equal(rr_outfile_finish(o), RR_OK);
    assert_int_equal(rr_outfile_publish(o), RR_OK);
    rr_outfile_free(o);
    size_t n = 0;
    char *text = file_text(in_dir("o.txt"), &n);
    assert_int_equal(n, 500003);
    assert_string_equal(text + 500000, "end");
    free(text);
    assert_int_equal(files_in(test_dir), before + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_are_exact),
        cmocka_unit_test(a_list_of_formats),
        cmocka_unit_test(the_tables_are_exact),
        cmocka_unit_test(charges_add_up),
        cmocka_unit_test(a_timeline_has_at_most_2000_bins),
        cmocka_unit_test(the_formats_asked_for_are_written),
        cmocka_unit_test(a_loaded_store_renders_the_same_bytes),
        cmocka_unit_test(files_that_are_not_ours_stay),
        cmocka_unit_test(an_earlier_run_of_ours_is_swept),
        cmocka_unit_test(folders_for_nothing_are_removed),
        cmocka_unit_test(a_disk_that_fills_leaves_the_old_report),
        cmocka_unit_test(a_tmpfs_of_1_mib_is_too_small_for_many_jobs),
        cmocka_unit_test(a_place_that_cannot_be_written_is_told),
        cmocka_unit_test(without_gnuplot_the_rest_is_written),
        cmocka_unit_test(an_outfile_appears_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
