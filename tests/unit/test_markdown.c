/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_markdown.c - a document as Markdown, and the answer on a terminal. */
#include "reports/doc.h"
#include "reports/report.h"
#include "reports/show.h"
#include "tests/unit/sample_store.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static void each_block_has_its_form(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_doc d = {.arena = a};
    rr_doc_heading(&d, 1, "Buy | rent");
    rr_doc_lead(&d, "own is *cheapest*");
    rr_doc_warning(&d, "%d <b>", 7);
    rr_doc_para(&d, "1. not a list");
    struct rr_table *t = rr_doc_table(&d, "A caption.");
    rr_table_column(t, "Name", false);
    rr_table_column(t, "Cost", true);
    rr_table_row(t);
    rr_table_cell(t, "a|b\nc");
    rr_table_cellf(t, "$%d", 5);
    rr_table_mark(t, RR_MARK_BEST);
    rr_table_row(t);
    rr_table_cell(t, "short row");
    rr_doc_item(&d, "- assumed", "");
    rr_doc_item(&d, "price", "facts.csv:3");
    struct rr_buf b = {0};
    rr_markdown(&d, &b);
    assert_string_equal(rr_buf_text(&b), "# Buy \\| rent\n\n**own is \\*cheapest\\***\n\n> Warning: 7 \\<b\\>\n\n1\\. not a list\n\n"
                                         "| Name | Cost |\n|:---|---:|\n| a\\|b c | **$5** |\n| short row |  |\n\n*A caption.*\n\n"
                                         "- \\- assumed\n- price (facts.csv:3)\n");
    rr_buf_done(&b);
    rr_doc_done(&d);
    rr_arena_free(a);
}

static char *rendered(const struct rr_store *s)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_doc d = {.arena = a};
    struct rr_buf b = {0};
    rr_doc_fill(&d, s);
    rr_markdown(&d, &b);
    rr_doc_done(&d);
    rr_arena_free(a);
    return b.at;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is missing", part);
}

static void the_report_opens_with_the_answer(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    char *text = rendered(&p.store);
    const char *answer = strstr(text, "**Over 3 years, own is cheapest by npv.cost");
    assert_non_null(answer);
    assert_true(answer - text < 120);
    has(text, "> Warning: rent: pool \"cloud\" may grow without a limit");
    has(text, "| Effective cost | **$2,541,795 \xc2\xb1 $10,319** | $3,008,134 \xc2\xb1 $12,213 | $3,911,037 \xc2\xb1 $15,878 |");
    has(text, "| Against the cheapest | **cheapest** | +18.3 % | +53.9 % |");
    has(text, "| **Total** |  | **$2,541,795** | **$3,008,134** | **$3,911,037** |");
    has(text, "| own | owned, energy | own | 1,892,311 kWh | $0.08/kWh | $337,191 | $330,433 |");
    has(text, "| reserved | cloud | aws/p5.48xlarge, us-east-1, on-demand | 0\xe2\x80\x93unlimited, peak 8 | 1,067,123 |");
    has(text, "| 2028-02 | $67,336 |");
    has(text, "| budget | own | cost.total, p90 | at most $4,200,000 | $2,600,000 | pass |");
    has(text, "| fast | rent | wait.p95, mean | at most 1 min | \xe2\x80\x93 | **fail** |");
    has(text, "- electricity costs $0.08/kWh (/finance/electricity; data/facts/regions.csv:12, 2026-03)");
    has(text, "- own: a node costs $289,000");
    has(text, "- 12 rows rejected: negative duration (trace.csv:17)");
    has(text, "15 of 15 checks hold.");
    has(text, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    free(text);
    sample_close(&p);
}

static void alternatives_that_do_not_compete_say_why(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    p.alternative[1].meets_service = false;
    p.alternative[1].service_detail = "wait.p95 is 5.2 h, wanted <= 4 h";
    p.alternative[2].same_work = false;
    char *text = rendered(&p.store);
    has(text, "| Against the cheapest | **cheapest** | **misses the service limits** | **finishes less work** |");
    has(text, "| reserved | yes | **wait.p95 is 5.2 h, wanted \\<= 4 h** |");
    free(text);
    p.alternative[1].meets_service = true;
    p.alternative[1].unpriced = true;
    for (int i = 0; i < 2; i++)
        for (int k = RR_M_COST_TOTAL; k <= RR_M_VALUE_TERMINAL; k++) sample_stat(&p.alternative[1].metric[k], NAN, 0, 1);
    text = rendered(&p.store);
    has(text, "| **not priced** |");
    has(text, "| Effective cost | **$2,541,795** | \xe2\x80\x93 | $3,911,037 |");
    free(text);
    sample_close(&p);
}

static void a_gate_shows_how_it_was_missed(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    static const struct rr_gate_result gate[] = {{"all", "own", "mean", "fail", RR_M_WORK_FINISHED_SHARE, false, 1, 0.99981},
                                                 {"most", "own", "mean", "pass", RR_M_WORK_FINISHED_SHARE, false, 1, 1},
                                                 {"soon", "own", "mean", "fail", RR_M_WAIT_P95, true, 14400, 14400.04},
                                                 {"cheap", "own", "mean", "fail", RR_M_COST_TOTAL, true, 1200000, 1200000.25}};
    p.store.gate = gate;
    p.store.n_gates = 4;
    char *text = rendered(&p.store);
    has(text, "| at least 1 | 0.9998 | **fail** |");
    has(text, "| at least 1 | 1 | pass |");
    has(text, "| at most 4 h | 14400.04 s | **fail** |");
    has(text, "| at most $1,200,000 | 1200000.2 USD | **fail** |");
    free(text);
    sample_close(&p);
}

static void what_was_given_has_its_source(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    static const struct rr_note own[] = {{RR_NOTE_GIVEN, "/finance/discount_rate", "0.08", "CFO, 2026-01"},
                                         {RR_NOTE_GIVEN, "/pools/own/plan/capex", "$289,000", ""}},
                                rest[] = {{RR_NOTE_GIVEN, "/finance/discount_rate", "0.08", "CFO, 2026-01"}};
    for (int i = 0; i < 3; i++) p.alternative[i].note = i ? rest : own, p.alternative[i].n_notes = i ? 1 : 2;
    char *text = rendered(&p.store);
    has(text, "### Given in the scenario\n\n| Where | Value | Source | In |");
    has(text, "discount\\_rate | 0.08 | CFO, 2026-01 | all |");
    has(text, "/pools/own/plan/capex | $289,000 | none named | own |");
    const char *once = strstr(text, "CFO");
    assert_null(strstr(once + 1, "CFO"));
    free(text);
    sample_close(&p);
}

static void interruptions_and_waiting_are_told(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    char *text = rendered(&p.store);
    assert_null(strstr(text, "## Interruptions"));
    assert_null(strstr(text, "What jobs waited for"));
    free(text);
    sample_interrupt(&p);
    text = rendered(&p.store);
    has(text, "## Interruptions\n\n| Alternative | Reason |");
    has(text, "| own | node failure | 1 | 1 | 1 | 0.0178 |");
    has(text, "| own | writing checkpoints | \xe2\x80\x93 | \xe2\x80\x93 | \xe2\x80\x93 | 0.0089 |");
    has(text, "| a pool at its limit of nodes | 93.5 | 93.5 % |"); // 93.5 of 100
    has(text, "| GPUs: too few were free anywhere | 6.50 | 6.5 % |");
    free(text);
    sample_close(&p);
}

static void a_broken_law_is_a_warning_at_the_top(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    const struct rr_law_result law = {"money", false, "1.000001 by pool, 1 by month"};
    p.alternative[2].law = &law;
    p.alternative[2].n_laws = 1;
    char *text = rendered(&p.store);
    const char *at = strstr(text, "> Warning: rent: the law \"money\" does not hold: 1.000001 by pool, 1 by month");
    assert_non_null(at);
    assert_true(at < strstr(text, "| Effective cost"));
    has(text, "10 of 11 checks hold.");
    free(text);
    sample_close(&p);
}

/* A line that begins a block of HTML, or a cell that ends early, would be one: none is. */
static void hostile_texts_stay_texts(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    sample_make_hostile(&p);
    char *text = rendered(&p.store);
    for (const char *at = text; (at = strchr(at, '<')); at++) assert_true(at[-1] == '\\');
    has(text, "\\<script\\>");
    for (const char *c = text; *c; c++) assert_false((unsigned char)*c == 0xff || (unsigned char)*c == 0xc0);
    free(text);
    sample_close(&p);
}

static void nothing_at_all_is_a_report_too(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    struct rr_alternative bare = {
        .name = "base", .alternative = "base", .unpriced = true, .meets_service = true, .same_work = true, .service_detail = ""};
    for (int k = 0; k < RR_METRICS; k++) sample_stat(&bare.metric[k], NAN, 0, 1);
    struct rr_store s = {.schema = "rackrate.results/1",
                         .name = "n",
                         .version = "0",
                         .currency = "USD",
                         .scenario_path = "s.json",
                         .replications = 1,
                         .horizon_s = NAN,
                         .baseline = "",
                         .verdict = "",
                         .criterion = "",
                         .best = "",
                         .alternative = &bare,
                         .n_alternatives = 1};
    char *text = rendered(&s);
    has(text, "# n\n");
    has(text, "## How to make it again");
    assert_null(strstr(text, "nan"));
    free(text);
    sample_close(&p);
}

static void many_alternatives_become_rows(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    struct rr_alternative *a = RR_NEWS(p.arena, struct rr_alternative, 70);
    for (int i = 0; i < 70; i++) {
        a[i] = p.alternative[i % 3];
        a[i].name = rr_strf(p.arena, "mix[/pools/own/nodes=%d]", i);
    }
    a[69].name = "rent"; // the baseline
    p.store.alternative = a;
    p.store.n_alternatives = 70;
    char *text = rendered(&p.store);
    has(text, "| Alternative | Effective cost |");
    has(text, "| mix\\[/pools/own/nodes=0\\] | $2,541,795 |");
    has(text, "| rent | $2,541,795 |");
    has(text, "The table shows 60 of 70 alternatives");
    free(text);
    sample_close(&p);
}

static void sweep_points_are_told_apart_and_warned_of_once(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    static const char *const line[] = {"mix[/pools/own/nodes=4]: no staff", "a warning of all", "mix[/pools/own/nodes=8,/a/b=x]: no staff",
                                       "rent: other"};
    p.alternative[0].name = "mix[/pools/own/nodes=4]", p.alternative[0].alternative = "mix";
    p.alternative[1].name = "mix[/pools/own/nodes=8,/a/b=x]", p.alternative[1].alternative = "mix";
    p.store.headline = line;
    p.store.n_headline = 4;
    const char *const *told;
    assert_string_equal(rr_show_name(&p.store, p.arena, 0), "mix, nodes=4");
    assert_string_equal(rr_show_name(&p.store, p.arena, 1), "mix, nodes=8, b=x");
    assert_string_equal(rr_show_name(&p.store, p.arena, 2), "rent");
    assert_int_equal(rr_show_headline(&p.store, p.arena, &told), 3);
    assert_string_equal(told[0], "mix, nodes=4, mix, nodes=8, b=x: no staff");
    assert_string_equal(told[1], "a warning of all");
    assert_string_equal(told[2], "rent: other");
    p.store.n_alternatives = 2;
    assert_int_equal(rr_show_headline(&p.store, p.arena, &told), 3);
    assert_string_equal(told[0], "no staff");
    assert_string_equal(rr_show_name(&p.store, p.arena, 0), "nodes=4");
    p.alternative[1].name = "mix[/pools/burst/nodes=4]"; // would look the same
    assert_string_equal(rr_show_name(&p.store, p.arena, 0), "mix[/pools/own/nodes=4]");
    sample_close(&p);
}

static void numbers_are_for_people(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    assert_string_equal(rr_show_amount(a, 1234567.5, "USD"), "$1,234,568");
    assert_string_equal(rr_show_amount(a, 2.385, "USD"), "$2.38");
    assert_string_equal(rr_show_amount(a, 0.01234, "USD"), "$0.0123");
    assert_string_equal(rr_show_amount(a, NAN, "USD"), RR_SHOW_NONE);
    assert_string_equal(rr_show_amount(a, 3e15, "USD"), "USD 3e+15");
    assert_string_equal(rr_show_number(a, 1234567), "1,234,567");
    assert_string_equal(rr_show_number(a, -12345.678), "-12,346");
    assert_string_equal(rr_show_number(a, 12.345), "12.3");
    assert_string_equal(rr_show_number(a, 1.239), "1.24");
    assert_string_equal(rr_show_number(a, 0), "0");
    assert_string_equal(rr_show_count(a, INT64_MAX), "unlimited");
    assert_string_equal(rr_show_share(a, 0.9315), "93.2 %");
    assert_string_equal(rr_show_share(a, 0.99987), "99.99 %");
    assert_string_equal(rr_show_share(a, 1), "100 %");
    assert_string_equal(rr_show_seconds(a, 15120), "4.2 h");
    assert_string_equal(rr_show_span(a, 94694400), "3 years");
    assert_string_equal(rr_show_span(a, 28 * 86400), "4 weeks");
    assert_string_equal(rr_show_span(a, 5.5 * 86400), "5.5 days");
    assert_string_equal(rr_show_span(a, 86400), "1 day");
    rr_arena_free(a);
}

static void widest(const char *text, size_t most)
{
    size_t n = 0;
    for (; *text; text++) {
        n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
        assert_true(n <= most);
        assert_true((unsigned char)*text >= 0x20 || *text == '\n');
    }
}

static void the_headline_fits_the_terminal(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    for (int width = 60; width <= 200; width += 20) {
        struct rr_buf b = {0};
        rr_report_headline(&p.store, &b, width);
        widest(rr_buf_text(&b), (size_t)width);
        has(rr_buf_text(&b), "own");
        rr_buf_done(&b);
    }
    struct rr_buf b = {0};
    p.alternative[0].name = "a very long name that says [/pools/own/nodes=16] and \x1b[31m red";
    rr_report_headline(&p.store, &b, 0);
    widest(rr_buf_text(&b), 80);
    has(rr_buf_text(&b), "a very long name t");
    rr_buf_done(&b);
    sample_close(&p);
}

/* Quantiles over the replications where a run has some, as predicted where it has none; costs where there is room. */
static void planned_runs_say_when_they_are_done(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    static const struct rr_sheet_head
        done_head[] = {{"Run", RR_SHEET_TEXT},    {"Predicted P10", RR_SHEET_SECONDS}, {"P50", RR_SHEET_SECONDS},
                       {"P90", RR_SHEET_SECONDS}, {"Replayed P10", RR_SHEET_SECONDS},  {"P50", RR_SHEET_SECONDS},
                       {"P90", RR_SHEET_SECONDS}},
        bill_head[] = {{"Run", RR_SHEET_TEXT}, {"Effective cost P10", RR_SHEET_MONEY}, {"P50", RR_SHEET_MONEY}, {"P90", RR_SHEET_MONEY}};
    const struct rr_sheet_cell done_cell[] = {{NAN, "8 A100"}, {900, NULL},   {960, NULL},  {1080, NULL},  {7200, NULL},
                                              {8640, NULL},    {10800, NULL}, {NAN, "two"}, {86400, NULL}, {90720, NULL},
                                              {95040, NULL},   {NAN, NULL},   {NAN, NULL},  {NAN, NULL}},
                               bill_cell[] = {{NAN, "8 A100"}, {1234.75, NULL}, {1300, NULL}, {2345.25, NULL},
                                              {NAN, "two"},    {NAN, NULL},     {NAN, NULL},  {NAN, NULL}};
    const struct rr_sheet sheet[] = {{"training.done", "", "", done_head, done_cell, 7, 2},
                                     {"training.bill", "", "", bill_head, bill_cell, 4, 2}};
    p.store.sheet = sheet, p.store.n_sheets = 2;
    struct rr_buf b = {0};
    rr_report_headline(&p.store, &b, 80);
    widest(rr_buf_text(&b), 80);
    has(rr_buf_text(&b), "\n          done P10       P50       P90      cost P10           P90\n"
                         "8 A100      2.00 h    2.40 h    3.00 h        $1,235        $2,345\n"
                         "two         1.00 d    1.05 d    1.10 d             \xe2\x80\x93             \xe2\x80\x93\n");
    for (int width = 20; width < 80; width += 7) {
        b.n = 0;
        rr_report_headline(&p.store, &b, width);
        has(rr_buf_text(&b), "2.40 h");
    }
    rr_buf_done(&b);
    sample_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interruptions_and_waiting_are_told),
        cmocka_unit_test(each_block_has_its_form),
        cmocka_unit_test(the_report_opens_with_the_answer),
        cmocka_unit_test(alternatives_that_do_not_compete_say_why),
        cmocka_unit_test(a_gate_shows_how_it_was_missed),
        cmocka_unit_test(what_was_given_has_its_source),
        cmocka_unit_test(a_broken_law_is_a_warning_at_the_top),
        cmocka_unit_test(hostile_texts_stay_texts),
        cmocka_unit_test(nothing_at_all_is_a_report_too),
        cmocka_unit_test(many_alternatives_become_rows),
        cmocka_unit_test(sweep_points_are_told_apart_and_warned_of_once),
        cmocka_unit_test(numbers_are_for_people),
        cmocka_unit_test(the_headline_fits_the_terminal),
        cmocka_unit_test(planned_runs_say_when_they_are_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
