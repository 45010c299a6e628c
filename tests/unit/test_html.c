/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_html.c - the page: whole, alone, and deaf to what names say. */
#include "reports/doc.h"
#include "tests/unit/sample_store.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static char *page_of(const struct rr_store *s, const struct rr_figures *figures)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_doc d = {.arena = a, .figures = figures};
    struct rr_buf b = {0};
    rr_doc_fill(&d, s);
    rr_html(&d, s->name, &b);
    rr_doc_done(&d);
    rr_arena_free(a);
    return b.at;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static bool is_void(const char *name) { return strcmp(name, "meta") == 0 || strcmp(name, "!DOCTYPE") == 0; }

/* Every tag is closed in order; attributes are quoted; nothing else holds a '<'. Returns the number of elements. */
static int check_nesting(const char *text)
{
    char stack[64][16];
    int depth = 0, n = 0;
    for (const char *at = text; (at = strchr(at, '<')); n++) {
        const bool closes = at[1] == '/';
        char name[16] = "";
        size_t k = 0;
        at += closes ? 2 : 1;
        while (k < 15 && *at && !strchr(" >\n/", *at)) name[k++] = *at++;
        name[k] = '\0';
        bool quoted = false;
        for (; *at && (quoted || *at != '>'); at++) {
            if (*at == '"') quoted = !quoted;
            assert_true(*at != '<');
        }
        assert_true(*at == '>');
        if (is_void(name)) continue;
        if (!closes && at[-1] == '/') continue;
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(stack[--depth], name);
        } else {
            assert_true(depth < 64);
            strcpy(stack[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
    return n;
}

static void no_link_leads_out(const char *page)
{
    static const char *const bad[] = {"http:", "https:", "src=", "@import", "url(", "javascript:", "<script", "<link", "<img", "<iframe"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(page, bad[i])) fail_msg("the page has %s", bad[i]);
    assert_int_equal(count(page, "href="), count(page, "href=\"#"));
    assert_non_null(strstr(page, "default-src 'none'"));
}

static void the_page_is_whole_and_alone(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    char *page = page_of(&p.store, NULL);
    assert_true(strncmp(page, "<!DOCTYPE html>\n<html lang=\"en\">", 32) == 0);
    assert_true(check_nesting(page) > 500);
    no_link_leads_out(page);
    assert_non_null(strstr(page, "<title>buy-vs-rent \xe2\x80\x93 rackrate</title>"));
    assert_non_null(strstr(page, "width=device-width"));
    assert_non_null(strstr(page, "<p class=\"lead\">Over 3 years, own is cheapest"));
    assert_non_null(strstr(page, "<td class=\"n best\">$2,541,795 <span>\xc2\xb1 $10,319</span></td>"));
    assert_int_equal(count(page, "<h1>"), 1);
    assert_int_equal(count(page, "<h2 id="), count(page, "<a href=\"#s"));
    assert_int_equal(count(page, "<table"), count(page, "<thead>"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "@media print"));
    free(page);
    sample_close(&p);
}

static void hostile_texts_stay_texts(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    sample_make_hostile(&p);
    char *page = page_of(&p.store, NULL);
    check_nesting(page);
    no_link_leads_out(page);
    assert_non_null(strstr(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;&quot; onload=&quot;x"));
    assert_null(strstr(page, "\xff"));
    free(page);
    sample_close(&p);
}

static void a_figure_carries_its_words(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 1);
    struct rr_figures f = {1,
                           {{"cost", "T <1>", "C & c", "alt", "<svg file>",
                             "<svg viewBox=\"0 0 1 1\" role=\"img\" aria-label=\"alt\"></svg>", "<svg viewBox=\"0 0 7 9\"></svg>"}}};
    char *page = page_of(&p.store, &f);
    check_nesting(page);
    assert_non_null(strstr(page, "<h3>T &lt;1&gt;</h3>"));
    assert_non_null(strstr(page, "<figcaption>C &amp; c</figcaption>"));
    assert_non_null(strstr(page, "aria-label=\"alt\"></svg>"));
    assert_non_null(strstr(page, "<div class=\"narrow\"><svg viewBox=\"0 0 7 9\"></svg></div>"));
    assert_null(strstr(page, "<svg file>"));
    free(page);
    sample_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_whole_and_alone),
        cmocka_unit_test(hostile_texts_stay_texts),
        cmocka_unit_test(a_figure_carries_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
