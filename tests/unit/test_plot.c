/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_plot.c - the figures: what they show, the same bytes everywhere, no name obeyed, gnuplot missing or failing. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/plot.h"
#include "reports/show.h"
#include "tests/unit/sample_store.h"
#include "tests/unit/test_dir.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static bool have_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

static const struct rr_figure *named(const struct rr_figures *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->at[i].name, name) == 0) return &f->at[i];
    fail_msg("no figure %s", name);
    return NULL;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is missing", part);
}

static void the_figures_say_what_they_show(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    if (rr_plots(&p.store, p.arena, &f) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(f.n, 5);
    const char *cost = named(&f, "cost")->svg;
    has(cost, "<title>Cumulative effective cost</title>");
    has(cost, "cumulative cost (million USD)");
    has(cost, "date (UTC)");
    has(cost, ">Jan 2027: own becomes the cheapest<"); // rent 53,279 rising by 3,211 a month against 71,000: sums meet in month 13
    has(cost, "Jan 2029");
    has(named(&f, "cost")->caption, "so far, rent is the cheapest until Jan 2027, then own (dotted)");
    has(named(&f, "cost")->alt, "; rent is the cheapest until Jan 2027, then own");
    assert_string_equal(rr_cost_crossings(&p.store, p.arena), "rent is the cheapest until Jan 2027, then own");
    has(named(&f, "breakdown")->svg, "owned, depreciation");
    has(named(&f, "breakdown")->svg, "effective cost inside the horizon (million USD)");
    has(named(&f, "gpus")->svg, ">GPUs<");
    has(named(&f, "wait")->svg, "wait from submit to first start");
    has(named(&f, "wait")->svg, "share of started jobs");
    has(named(&f, "wait")->svg, "stroke-dasharray"); // curves that coincide show each other
    for (size_t i = 0; i < f.n; i++) {
        has(f.at[i].svg, "viewBox=");
        has(f.at[i].inlined, "role=\"img\" aria-label=\"");
        has(f.at[i].inlined, "var(--c0)");
        has(f.at[i].inlined, "<svg viewBox=\"0 0 960 ");
        has(f.at[i].narrow, "<svg viewBox=\"0 0 460 ");
        assert_null(strstr(f.at[i].narrow, "rgb("));
        assert_null(strstr(f.at[i].inlined, "rgb("));
        assert_null(strstr(f.at[i].inlined, "http"));
        assert_null(strstr(f.at[i].svg, "gnuplot_canvas"));
        assert_null(strstr(f.at[i].svg, "Produced"));
        assert_true(strlen(f.at[i].svg) < 200000);
    }
    sample_close(&p);
}

static void a_small_run_is_drawn_node_by_node(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    sample_interrupt(&p);
    if (rr_plots(&p.store, p.arena, &f) != RR_OK) fail_msg("%s", rr_reason());
    const struct rr_figure *gantt = named(&f, "gantt");
    has(gantt->svg, "n1, rac"); // the name of the node
    has(gantt->svg, "=1+1 ");
    has(gantt->svg, "striped: interrupted");
    has(gantt->svg, "<pattern id=\"gantt_hatch7\""); // of the legend, and of one class at least
    has(gantt->svg, "fill = 'url(#gantt_hatch1)'");
    has(gantt->inlined, "<pattern id=\"gantt_hatch1\"");
    has(gantt->narrow, "<pattern id=\"gantt_narrow_hatch1\""); // ids do not clash on one page
    has(gantt->caption, "a node of own");
    assert_non_null(gantt->narrow);
    struct rr_bar *many = RR_NEWS(p.arena, struct rr_bar, 1000);
    for (int i = 0; i < 1000; i++) many[i] = p.alternative[0].bar[i % 4];
    p.alternative[0].bar = many;
    p.alternative[0].n_bars = 1000;
    assert_int_equal(rr_plots(&p.store, p.arena, &f), RR_OK);
    assert_null(named(&f, "gantt")->narrow); // too fine for a phone
    sample_close(&p);
}

static void the_same_store_gives_the_same_bytes(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    struct sample p;
    struct rr_figures a, b;
    sample_open(&p, 1);
    assert_int_equal(rr_plots(&p.store, p.arena, &a), RR_OK);
    setenv("TZ", "Asia/Shanghai", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("TMPDIR", test_dir, 1);
    setenv("GNUTERM", "dumb", 1);
    const enum rr_status st = rr_plots(&p.store, p.arena, &b);
    unsetenv("TZ"), unsetenv("LC_ALL"), unsetenv("TMPDIR"), unsetenv("GNUTERM");
    assert_int_equal(st, RR_OK);
    for (size_t i = 0; i < a.n; i++) {
        assert_string_equal(a.at[i].svg, b.at[i].svg);
        assert_string_equal(a.at[i].inlined, b.at[i].inlined);
    }
    assert_int_equal(files_in(test_dir), 0); // the workshop is cleared away
    sample_close(&p);
}

/* The names hold commands for a shell and for gnuplot; they would leave files rr_hostile_1..3 in gnuplot's directory or in ours. */
static void no_name_is_obeyed(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    sample_make_hostile(&p);
    char here[256], odd[128];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(odd, sizeof odd, "%s/a \"b' `touch rr_hostile_4` $(touch rr_hostile_5)", test_dir);
    assert_int_equal(mkdir(odd, 0700), 0);
    setenv("TMPDIR", odd, 1);
    assert_int_equal(chdir(test_dir), 0);
    const enum rr_status st = rr_plots(&p.store, p.arena, &f);
    const int left = files_in(odd), made = files_in(test_dir);
    unsetenv("TMPDIR");
    assert_int_equal(chdir(here), 0);
    rmdir(odd);
    if (st != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(left, 0);
    assert_int_equal(made, 1); // the odd directory itself
    assert_int_equal(f.n, 5);
    for (size_t i = 0; i < f.n; i++) {
        assert_null(strstr(f.at[i].inlined, "<script"));
        assert_null(strstr(f.at[i].svg, "<script"));
    }
    has(named(&f, "wait")->svg, "&lt;script>alert('x')&lt;/script>&amp;");
    sample_close(&p);
}

static void without_gnuplot_the_package_is_named(void **state)
{
    (void)state;
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    const enum rr_status st = rr_plots(&p.store, p.arena, &f);
    setenv("PATH", path, 1);
    assert_int_equal(st, RR_EMISSING);
    assert_string_equal(rr_reason(), "gnuplot is not installed: apt-get install gnuplot-nox");
    assert_int_equal(f.n, 0);
    sample_close(&p);
}

static void a_gnuplot_that_fails_is_told(void **state)
{
    (void)state;
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    const char *fake = in_dir("gnuplot");
    FILE *file = fopen(fake, "w");
    fputs("#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n", file);
    fclose(file);
    chmod(fake, 0700);
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", test_dir, 1);
    const enum rr_status st = rr_plots(&p.store, p.arena, &f);
    setenv("PATH", path, 1);
    unlink(fake);
    assert_int_equal(st, RR_EIO);
    assert_string_equal(rr_reason(), "gnuplot failed: line 3: no such terminal");
    setenv("TMPDIR", in_dir("none"), 1);
    assert_int_equal(rr_plots(&p.store, p.arena, &f), RR_EIO);
    unsetenv("TMPDIR");
    sample_close(&p);
}

static void what_has_no_data_has_no_figure(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    for (int i = 0; i < 3; i++) {
        p.alternative[i].unpriced = true;
        p.alternative[i].n_series = 0;
    }
    assert_int_equal(rr_plots(&p.store, p.arena, &f), RR_OK);
    assert_int_equal(f.n, 0);
    sample_close(&p);
}

/* Odd stores: one point, all zero, no start, a horizon of minutes or of decades, seven curves and more, negative cost. */
static void odd_stores_are_drawn(void **state)
{
    (void)state;
    if (!have_gnuplot()) skip();
    static const double span[] = {30, 5400, 86400, 5 * 86400., 40 * 86400., 200 * 86400., 9 * 366 * 86400., 60 * 366 * 86400.};
    for (size_t k = 0; k < 2 * sizeof span / sizeof *span; k++) {
        struct sample p;
        struct rr_figures f;
        sample_open(&p, 1);
        p.store.anchored = k % 2 == 0;
        for (int i = 0; i < 3; i++)
            for (size_t n = 0; n < p.alternative[i].n_series; n++) {
                struct rr_series *r = (struct rr_series *)&p.alternative[i].series[n];
                const double scale = span[k / 2] / p.store.horizon_s;
                for (size_t j = 0; j < r->n && i == 0; j++)
                    if (strcmp(r->name, "cost_effective") == 0 || strcmp(r->name, "used_gpus") == 0 || strcmp(r->name, "wait_cdf") == 0)
                        r->x[j] *= scale;
                for (size_t j = 0; j < r->n && i && strncmp(r->name, "cost_e", 6) == 0; j++)
                    r->x[j] *= scale, r->mean[j] *= k % 3 ? 1 : -1e-7;
            }
        if (rr_plots(&p.store, p.arena, &f) != RR_OK) fail_msg("%g s: %s", span[k / 2], rr_reason());
        assert_int_equal(f.n, 5);
        sample_close(&p);
    }
    struct sample p;
    struct rr_figures f;
    sample_open(&p, 1);
    for (int i = 0; i < 3; i++)
        for (size_t n = 0; n < p.alternative[i].n_series; n++) {
            struct rr_series *r = (struct rr_series *)&p.alternative[i].series[n];
            for (size_t j = 0; j < r->n; j++) {
                r->mean[j] = 0;
                if (r->min) r->min[j] = 0;
                if (r->max) r->max[j] = 0;
            }
        }
    assert_int_equal(rr_plots(&p.store, p.arena, &f), RR_OK);
    struct rr_alternative *many = RR_NEWS(p.arena, struct rr_alternative, 30);
    for (int i = 0; i < 30; i++) many[i] = p.alternative[i % 3];
    p.store.alternative = many;
    p.store.n_alternatives = 30;
    assert_int_equal(rr_plots(&p.store, p.arena, &f), RR_OK);
    has(named(&f, "wait")->caption, "Shown: 7 of 30 alternatives.");
    sample_close(&p);
}

/* Room for four of nine: the best, the baseline and the two that come next by the criterion; an unpriced one where prices do not matter. */
static void the_cheapest_are_shown(void **state)
{
    (void)state;
    struct sample p;
    size_t chosen[4];
    sample_open(&p, 1);
    const int metric = rr_metric_find("npv.cost");
    struct rr_alternative *many = RR_NEWS(p.arena, struct rr_alternative, 9);
    static const double cost[] = {7, 9, 3, 8, 2, 6, 4, 5, 1};
    for (int i = 0; i < 9; i++) {
        many[i] = p.alternative[0];
        many[i].name = rr_strf(p.arena, "a%d", i);
        many[i].unpriced = i == 8;
        many[i].metric[metric].mean = cost[i];
    }
    p.store.alternative = many;
    p.store.n_alternatives = 9;
    p.store.best = "a4";
    p.store.baseline = "a1"; // the dearest
    assert_int_equal(rr_show_chosen(&p.store, 4, true, chosen), 4);
    assert_true(chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 4 && chosen[3] == 6);
    assert_int_equal(rr_show_chosen(&p.store, 4, false, chosen), 4);
    assert_true(chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 4 && chosen[3] == 8);
    p.store.criterion = ""; // no verdict: as they stand in the scenario
    assert_int_equal(rr_show_chosen(&p.store, 3, true, chosen), 3);
    assert_true(chosen[0] == 0 && chosen[1] == 1 && chosen[2] == 4);
    sample_close(&p);
}

static void steps_are_round(void **state)
{
    (void)state;
    assert_true(rr_draw_step(10, 5) == 2);
    assert_true(rr_draw_step(11, 5) == 5);
    assert_true(rr_draw_step(0.7, 7) > 0.0999 && rr_draw_step(0.7, 7) < 0.1001);
    assert_true(rr_draw_step(3e6, 4) == 1e6);
    assert_true(rr_draw_step(0, 4) == 1);
}

static void names_are_cut_between_characters(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    assert_string_equal(rr_draw_short(a, "short", 8), "short");
    assert_string_equal(rr_draw_short(a, "abcdefghij", 8), "abcdefg\xe2\x80\xa6");
    assert_string_equal(rr_draw_short(a, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3), "\xc3\xa4\xc3\xb6\xe2\x80\xa6");
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_run_is_drawn_node_by_node),
        cmocka_unit_test(the_figures_say_what_they_show),
        cmocka_unit_test(the_same_store_gives_the_same_bytes),
        cmocka_unit_test(no_name_is_obeyed),
        cmocka_unit_test(without_gnuplot_the_package_is_named),
        cmocka_unit_test(a_gnuplot_that_fails_is_told),
        cmocka_unit_test(what_has_no_data_has_no_figure),
        cmocka_unit_test(odd_stores_are_drawn),
        cmocka_unit_test(the_cheapest_are_shown),
        cmocka_unit_test(steps_are_round),
        cmocka_unit_test(names_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
