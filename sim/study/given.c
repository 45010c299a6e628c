/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/given.c - the money inputs that the scenario gives itself, for the report: prices, discounts, rates, and whatever names its source.
 *
 * Plans, commitments, finance and exchange rates are told whole; elsewhere in the document what stands in a {"value", "source", "owner", "as_of"}
 * wrapper is. */
#include "sim/study/parts.h"
#include <string.h>

struct walk {
    struct rr_notes *notes;
    struct rr_arena *arena;
};

static const char *text_of(const struct walk *w, const cJSON *node)
{
    if (cJSON_IsString(node)) return node->valuestring;
    char *text = cJSON_PrintUnformatted(node);
    const char *kept = rr_strdup(w->arena, text ? text : "");
    cJSON_free(text);
    return kept;
}

static const char *source_of(const struct walk *w, const cJSON *wrapper)
{
    static const char *const part[] = {"source", "owner", "as_of"};
    struct rr_buf b = {0};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const cJSON *m = rr_json_member(wrapper, part[i]);
        if (m) rr_buf_putf(&b, "%s%s", b.n ? ", " : "", text_of(w, m));
    }
    const char *text = rr_strdup(w->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static bool is_wrapper(const cJSON *node) { return cJSON_IsObject(node) && rr_json_member(node, "value"); }

static const char *below(const struct walk *w, const char *pointer, const cJSON *m)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "%s/", pointer);
    rr_json_escape(&b, m->string);
    const char *text = rr_strdup(w->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void tell(const struct walk *w, const cJSON *node, const char *pointer, bool all)
{
    if (is_wrapper(node)) {
        rr_note(w->notes, RR_NOTE_GIVEN, pointer, source_of(w, node), "%s", text_of(w, rr_json_member(node, "value")));
        return;
    }
    if (cJSON_IsObject(node)) {
        for (const cJSON *m = node->child; m; m = m->next)
            if (strcmp(m->string, "type") != 0) tell(w, m, below(w, pointer, m), all);
    } else if (all) {
        rr_note(w->notes, RR_NOTE_GIVEN, pointer, "", "%s", text_of(w, node));
    }
}

void rr_note_given(const struct rr_scenario *s, struct rr_notes *notes)
{
    static const char *const whole[] = {"commitments", "charges", "finance", "fx"};
    const struct walk w = {notes, notes->arena};
    for (const cJSON *m = s->document->child; m; m = m->next) {
        bool all = false;
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) all |= strcmp(m->string, whole[i]) == 0;
        tell(&w, m, below(&w, "", m), all);
        for (const cJSON *pool = strcmp(m->string, "pools") == 0 ? m->child : NULL; pool; pool = pool->next) {
            const cJSON *plan = rr_json_member(pool, "plan");
            if (plan) tell(&w, plan, below(&w, below(&w, "/pools", pool), plan), true);
        }
    }
}
