/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_store.c - results.db: what goes in comes out, in the same bytes; damage and a full disk are told. */
#include "data/base/text.h"
#include "tests/unit/sample_store.h"
#include "tests/unit/test_dir.h"
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sys/mount.h>
#include <cmocka.h>

static void the_schema_file_is_the_schema_used(void **state)
{
    (void)state;
    char *text = file_text("data/schema/store.sql", NULL);
    assert_non_null(text);
    assert_string_equal(text, rr_store_sql);
    free(text);
}

static enum rr_status tell_job(void *ctx, const struct rr_job_view *j)
{
    rr_buf_putf(ctx, "%s|%s|%s|%s|%s|%s|%s|%s|%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld\n", j->alternative, j->id, j->user,
                j->account, j->class_name, j->pool, j->status, j->reason, (long long)j->gpus_milli, (long long)j->submit_us,
                (long long)j->start_us, (long long)j->end_us, (long long)j->wait_us, (long long)j->jct_us, (long long)j->run_us,
                (long long)j->lost_us, (long long)j->attempts, (long long)j->replication);
    return RR_OK;
}

static void same_series(const struct rr_series *x, const struct rr_series *y)
{
    assert_string_equal(x->name, y->name);
    assert_string_equal(x->x_unit, y->x_unit);
    assert_string_equal(x->y_unit, y->y_unit);
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->x, y->x, x->n * sizeof *x->x);
    assert_memory_equal(x->mean, y->mean, x->n * sizeof *x->x);
    assert_int_equal(!x->min, !y->min);
    assert_int_equal(!x->max, !y->max);
    if (x->min) assert_memory_equal(x->min, y->min, x->n * sizeof *x->x);
    if (x->max) assert_memory_equal(x->max, y->max, x->n * sizeof *x->x);
}

static void same_records(const struct rr_alternative *x, const struct rr_alternative *y)
{
    assert_int_equal(x->n_leases, y->n_leases);
    for (size_t i = 0; i < x->n_leases; i++) {
        assert_int_equal(x->lease[i].start_us, y->lease[i].start_us);
        assert_int_equal(x->lease[i].ready_us, y->lease[i].ready_us);
        assert_int_equal(x->lease[i].end_us, y->lease[i].end_us);
        assert_int_equal(x->lease[i].used_milli_us, y->lease[i].used_milli_us);
        assert_int_equal(x->lease[i].down_milli_us, y->lease[i].down_milli_us);
        assert_int_equal(x->lease[i].pool, y->lease[i].pool);
        assert_string_equal(x->node_name[x->lease[i].node], y->node_name[y->lease[i].node]);
    }
    assert_int_equal(x->n_charges, y->n_charges);
    for (size_t i = 0; i < x->n_charges; i++) {
        assert_string_equal(x->charge[i].type, y->charge[i].type);
        assert_string_equal(x->charge[i].commitment ? x->charge[i].commitment : "", y->charge[i].commitment);
        assert_int_equal(x->charge[i].pool, y->charge[i].pool);
        assert_int_equal(x->charge[i].energy, y->charge[i].energy);
        assert_int_equal(x->charge[i].due_us, y->charge[i].due_us);
        assert_int_equal(x->charge[i].billed.micro, y->charge[i].billed.micro);
        assert_int_equal(x->charge[i].effective.micro, y->charge[i].effective.micro);
        assert_int_equal(x->charge[i].after_horizon.micro, y->charge[i].after_horizon.micro);
        assert_true(x->charge[i].quantity == y->charge[i].quantity);
        assert_int_equal(x->charge[i].rate.nano, y->charge[i].rate.nano);
        assert_int_equal(x->charge[i].rate.per, y->charge[i].rate.per);
        assert_int_equal(x->charge[i].rate.time, y->charge[i].rate.time);
        assert_int_equal(x->charge[i].list_nano, y->charge[i].list_nano);
        assert_int_equal(x->charge[i].pricing, y->charge[i].pricing);
        assert_int_equal(x->charge[i].until_us, y->charge[i].until_us);
    }
}

/* What reprice and the FOCUS bill read. */
static void same_priced(const struct rr_alternative *x, const struct rr_alternative *y)
{
    assert_string_equal(x->document, y->document);
    for (size_t i = 0; i < x->n_leases; i++) {
        assert_int_equal(x->lease[i].why, y->lease[i].why);
        assert_int_equal(x->node_gpus[x->lease[i].node], y->node_gpus[y->lease[i].node]);
    }
    assert_int_equal(x->n_used_months, y->n_used_months);
    for (size_t p = 0; p < x->n_pools; p++)
        for (size_t m = 0; m < x->n_used_months; m++) assert_true(x->used_month[p][m] == y->used_month[p][m]);
    assert_int_equal(x->n_covers, y->n_covers);
    for (size_t i = 0; i < x->n_covers; i++) {
        const struct rr_cover *c = &x->cover[i], *d = &y->cover[i];
        assert_string_equal(c->commitment, d->commitment);
        assert_string_equal(c->unit, d->unit);
        assert_int_equal(c->pool, d->pool);
        assert_int_equal(c->from_us, d->from_us);
        assert_int_equal(c->to_us, d->to_us);
        assert_int_equal(c->part, d->part);
        assert_true(c->quantity == d->quantity);
        assert_memory_equal(&c->rate, &d->rate, sizeof c->rate);
        assert_int_equal(c->list_nano, d->list_nano);
    }
}

static enum rr_status tell_attempt(void *ctx, const struct rr_attempt_view *x)
{
    rr_buf_putf(ctx, "%s %s %s %s %d %d %d %d %lld %lld %lld %lld\n", x->alternative, x->job_id, x->pool, x->reason, (int)x->attempt,
                (int)x->node, (int)x->nodes, (int)x->gpus_milli, (long long)x->start_us, (long long)x->end_us, (long long)x->used_milli_us,
                (long long)x->lost_milli_us);
    return RR_OK;
}

static void same_bars(const struct rr_alternative *x, const struct rr_alternative *y)
{
    assert_int_equal(x->n_bars, y->n_bars);
    for (size_t i = 0; i < x->n_bars; i++) {
        assert_string_equal(x->bar[i].job_id, y->bar[i].job_id);
        assert_string_equal(x->bar[i].class_name, y->bar[i].class_name);
        assert_true(x->bar[i].from_gpu == y->bar[i].from_gpu && x->bar[i].gpus == y->bar[i].gpus && x->bar[i].node == y->bar[i].node);
        assert_true(x->bar[i].start_us == y->bar[i].start_us && x->bar[i].end_us == y->bar[i].end_us);
        assert_int_equal(x->bar[i].interrupted, y->bar[i].interrupted);
    }
}

static void interruptions_come_back(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_false(rr_store_has_attempts(&p.store));
    sample_interrupt(&p);
    struct rr_arena *arena = rr_arena_create();
    struct rr_store s;
    assert_int_equal(rr_store_save(&p.store, in_dir("lost.db")), RR_OK);
    if (rr_store_load(in_dir("lost.db"), arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    struct rr_buf a = {0}, b = {0};
    assert_int_equal(rr_store_attempts(&p.store, NULL, tell_attempt, &a), RR_OK);
    assert_int_equal(rr_store_attempts(&s, in_dir("lost.db"), tell_attempt, &b), RR_OK);
    assert_string_equal(rr_buf_text(&a), rr_buf_text(&b));
    /* held 2,000 s x 64 GPUs, of which 1.5 s lost */
    assert_non_null(strstr(rr_buf_text(&a), " node failure 1 1 2 64000 7205000001 9205000001 127904000000000 96000000000\n"));
    assert_non_null(strstr(rr_buf_text(&a), "  2 0 2 64000 9300000000 "));
    assert_true(rr_store_has_attempts(&s));
    const struct rr_alternative *x = &p.alternative[0], *y = &s.alternative[0];
    assert_int_equal(y->n_attempts, 3);
    assert_null(y->attempt);
    assert_int_equal(y->n_losses, 2);
    assert_string_equal(y->loss[0].reason, "node failure");
    assert_int_equal(y->loss[0].attempts * 100 + y->loss[0].nodes * 10 + y->loss[0].events, 111);
    assert_true(y->loss[1].gpu_hours == x->loss[1].gpu_hours);
    assert_int_equal(y->n_bounds, 2);
    assert_string_equal(y->bound[1].what, x->bound[1].what);
    assert_true(y->bound[0].job_hours == 7.25 && y->bound[0].gpu_hours == 93.5);
    same_bars(x, y);
    assert_int_equal(s.alternative[1].n_attempts + s.alternative[1].n_losses + s.alternative[1].n_bars, 0);
    rr_buf_done(&a);
    rr_buf_done(&b);
    rr_arena_free(arena);
    sample_close(&p);
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    struct rr_arena *arena = rr_arena_create();
    struct rr_store s;
    assert_int_equal(rr_store_save(&p.store, in_dir("results.db")), RR_OK);
    if (rr_store_load(in_dir("results.db"), arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    struct rr_buf a = {0}, b = {0};
    rr_store_json(&p.store, &a);
    rr_store_json(&s, &b);
    assert_string_equal(rr_buf_text(&a), rr_buf_text(&b));
    a.n = b.n = 0;
    assert_int_equal(rr_store_jobs(&p.store, NULL, tell_job, &a), RR_OK);
    assert_int_equal(rr_store_jobs(&s, in_dir("results.db"), tell_job, &b), RR_OK);
    assert_string_equal(rr_buf_text(&a), rr_buf_text(&b));
    assert_int_equal(s.n_alternatives, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct rr_alternative *x = &p.store.alternative[i], *y = &s.alternative[i];
        same_records(x, y);
        same_priced(x, y);
        assert_int_equal(x->n_series, y->n_series);
        for (size_t k = 0; k < x->n_series; k++) same_series(&x->series[k], &y->series[k]);
        assert_int_equal(x->n_notes, y->n_notes);
        assert_int_equal(x->n_lines, y->n_lines);
        assert_int_equal(x->n_pools, y->n_pools);
        assert_int_equal(x->pool[0].nodes_max, y->pool[0].nodes_max);
        assert_null(y->trace);
    }
    assert_int_equal(s.n_headline, 1);
    assert_int_equal(s.n_varied, 2);
    assert_int_equal(s.n_notes, 3);
    assert_string_equal(s.note[1].where, "trace.csv:17");
    rr_buf_done(&a);
    rr_buf_done(&b);
    rr_arena_free(arena);
    sample_close(&p);
}

static void the_sheets_come_back(void **state)
{
    (void)state;
    struct sample p;
    struct rr_store s;
    struct rr_arena *arena = rr_arena_create();
    sample_open(&p, 1);
    assert_int_equal(rr_store_save(&p.store, in_dir("sheets.db")), RR_OK);
    assert_int_equal(rr_store_load(in_dir("sheets.db"), arena, &s), RR_OK);
    assert_int_equal(s.n_sheets, 2);
    const struct rr_sheet *x = &p.store.sheet[0], *y = &s.sheet[0];
    assert_string_equal(y->name, x->name);
    assert_string_equal(y->title, x->title);
    assert_string_equal(y->note, x->note);
    assert_int_equal(y->n_columns, 3);
    assert_int_equal(y->n_rows, 2);
    assert_int_equal(s.sheet[1].n_rows, 0);
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(y->head[k].title, x->head[k].title);
        assert_int_equal(y->head[k].unit, x->head[k].unit);
    }
    for (size_t k = 0; k < 6; k++) {
        assert_true(y->cell[k].number == x->cell[k].number || (isnan(y->cell[k].number) && isnan(x->cell[k].number)));
        assert_true(!x->cell[k].text == !y->cell[k].text);
        if (x->cell[k].text) assert_string_equal(y->cell[k].text, x->cell[k].text);
    }
    rr_arena_free(arena);
    sample_close(&p);
}

static void the_same_run_gives_the_same_bytes(void **state)
{
    (void)state;
    size_t n[2] = {0};
    char *text[2];
    for (int i = 0; i < 2; i++) {
        struct sample p;
        sample_open(&p, 1);
        assert_int_equal(rr_store_save(&p.store, in_dir(i ? "b.db" : "a.db")), RR_OK);
        sample_close(&p);
        text[i] = file_text(in_dir(i ? "b.db" : "a.db"), &n[i]);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(text[0], text[1], n[0]);
    free(text[0]);
    free(text[1]);
}

static void hostile_texts_come_back_as_they_were(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    sample_make_hostile(&p);
    struct rr_arena *arena = rr_arena_create();
    struct rr_store s;
    assert_int_equal(rr_store_save(&p.store, in_dir("h.db")), RR_OK);
    assert_int_equal(rr_store_load(in_dir("h.db"), arena, &s), RR_OK);
    assert_string_equal(s.name, SAMPLE_HTML);
    assert_string_equal(s.verdict, SAMPLE_FORMAT);
    assert_string_equal(s.alternative[0].name, SAMPLE_SHELL);
    rr_arena_free(arena);
    sample_close(&p);
}

static void a_person_can_ask_the_database(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    assert_int_equal(rr_store_save(&p.store, in_dir("view.db")), RR_OK);
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open_v2(in_dir("view.db"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT wait_s, user, class, gpus, pool FROM job WHERE alternative = 'own' AND job_id = "
                                        "'a-1' AND status = 'finished'",
                                        -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_true(sqlite3_column_double(q, 0) == 5.000001);
    assert_string_equal((const char *)sqlite3_column_text(q, 1), "ann");
    assert_string_equal((const char *)sqlite3_column_text(q, 2), "train");
    assert_true(sqlite3_column_double(q, 3) == 8);
    assert_string_equal((const char *)sqlite3_column_text(q, 4), "own");
    sqlite3_finalize(q);
    assert_int_equal(sqlite3_exec(db, "SELECT * FROM lease; SELECT * FROM charge", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    sample_close(&p);
}

static void refused(const char *path, enum rr_status st, const char *reason)
{
    struct rr_arena *arena = rr_arena_create();
    struct rr_store s;
    assert_int_equal(rr_store_load(path, arena, &s), st);
    if (!strstr(rr_reason(), reason)) fail_msg("\"%s\" has no \"%s\"", rr_reason(), reason);
    rr_arena_free(arena);
}

static void put(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void what_is_no_results_db_is_refused(void **state)
{
    (void)state;
    refused(in_dir("none.db"), RR_EIO, "No such file");
    put(in_dir("empty.db"), "", 0);
    refused(in_dir("empty.db"), RR_EINPUT, "is no results.db");
    put(in_dir("text.db"), "{ \"schema\": \"rackrate.results/1\" }", 34);
    refused(in_dir("text.db"), RR_EINPUT, "is no results.db");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(in_dir("other.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x); PRAGMA application_id=1920103532; PRAGMA user_version=7", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    refused(in_dir("other.db"), RR_EINPUT, "another version");
    assert_int_equal(sqlite3_open(in_dir("bare.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x); PRAGMA application_id=1920103532; PRAGMA user_version=3", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    refused(in_dir("bare.db"), RR_EINPUT, "damaged");
}

/* Cut anywhere: an error or a smaller store, never a crash. */
static void a_damaged_file_does_no_harm(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    size_t n = 0;
    assert_int_equal(rr_store_save(&p.store, in_dir("whole.db")), RR_OK);
    char *text = file_text(in_dir("whole.db"), &n);
    assert_non_null(text);
    for (size_t cut = 50; cut < n; cut += n / 37) {
        put(in_dir("cut.db"), text, cut);
        struct rr_arena *arena = rr_arena_create();
        struct rr_store s;
        if (rr_store_load(in_dir("cut.db"), arena, &s) != RR_OK) assert_true(rr_reason()[0] != '\0');
        rr_arena_free(arena);
    }
    for (size_t at = 100; at < n; at += n / 61) {
        text[at] = (char)(text[at] ^ 0x5a);
        put(in_dir("bad.db"), text, n);
        struct rr_arena *arena = rr_arena_create();
        struct rr_store s;
        if (rr_store_load(in_dir("bad.db"), arena, &s) != RR_OK) assert_true(rr_reason()[0] != '\0');
        rr_arena_free(arena);
        text[at] = (char)(text[at] ^ 0x5a);
    }
    free(text);
    sample_close(&p);
}

static void a_disk_that_fills_leaves_nothing(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    const int before = files_in(test_dir);
    static const rlim_t most[] = {0, 1, 16384, 40000, 100000, 300000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        limit_files(most[i]);
        const enum rr_status st = rr_store_save(&p.store, in_dir("full.db"));
        limit_files(RLIM_INFINITY);
        assert_int_equal(st, RR_EIO);
        assert_non_null(strstr(rr_reason(), "full.db: "));
        assert_int_equal(files_in(test_dir), before);
    }
    assert_int_equal(rr_store_save(&p.store, in_dir("no/such/dir.db")), RR_EIO);
    sample_close(&p);
}

static void a_small_tmpfs_is_no_space_left(void **state)
{
    (void)state;
    const char *at = in_dir("mnt");
    char dir[128];
    snprintf(dir, sizeof dir, "%s", at);
    assert_int_equal(mkdir(dir, 0700), 0);
    if (mount("none", dir, "tmpfs", 0, "size=64k") != 0) skip();
    struct sample p;
    sample_open(&p, 1);
    char path[160];
    snprintf(path, sizeof path, "%s/results.db", dir);
    const enum rr_status st = rr_store_save(&p.store, path);
    const int left = files_in(dir);
    umount(dir);
    sample_close(&p);
    assert_int_equal(st, RR_EIO);
    assert_non_null(strstr(rr_reason(), "No space left on device"));
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interruptions_come_back),
        cmocka_unit_test(the_schema_file_is_the_schema_used),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(the_sheets_come_back),
        cmocka_unit_test(the_same_run_gives_the_same_bytes),
        cmocka_unit_test(hostile_texts_come_back_as_they_were),
        cmocka_unit_test(a_person_can_ask_the_database),
        cmocka_unit_test(what_is_no_results_db_is_refused),
        cmocka_unit_test(a_damaged_file_does_no_harm),
        cmocka_unit_test(a_disk_that_fills_leaves_nothing),
        cmocka_unit_test(a_small_tmpfs_is_no_space_left),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
