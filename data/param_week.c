/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_week.c - windows of the week, and a time zone, from a scenario. */
#include "data/base/tz.h"
#include "data/param_field.h"
#include "data/week.h"
#include <stdio.h>
#include <string.h>

struct window_rows {
    uint64_t given;
    const char *days, *from, *to;
    int64_t nodes;
};
static const struct rr_param window_rows[] = {
    {.name = "days",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window_rows, days),
     .help = "days that it begins on, such as \"Mon-Fri\" or \"Sat,Sun\"; all when absent"},
    {.name = "from", .type = RR_P_TEXT, .offset = offsetof(struct window_rows, from), .def = "\"00:00\"", .help = "when it begins"},
    {.name = "to",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window_rows, to),
     .def = "\"24:00\"",
     .help = "when it ends; at or before \"from\": on the next day"},
    {.name = "nodes",
     .type = RR_P_INT,
     .offset = offsetof(struct window_rows, nodes),
     .least = 0,
     .most = 1e7,
     .help = "nodes to be held in it",
     .flags = RR_PF_REQUIRED},
};
#define N_ROWS (sizeof window_rows / sizeof *window_rows)

cJSON *rr_week_schema(void)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "type", "array");
    cJSON_AddNumberToObject(o, "minItems", 1);
    cJSON_AddItemToObject(o, "items", rr_params_schema(window_rows, N_ROWS));
    return o;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : 100; }

static enum rr_status read_clock(const char *key, const char *text, int32_t *ret)
{
    const bool form = strlen(text) == 5 && text[2] == ':';
    const int h = form ? 10 * digit(text[0]) + digit(text[1]) : 99, m = form ? 10 * digit(text[3]) + digit(text[4]) : 99;
    if (h > 24 || m > 59 || (h == 24 && m > 0))
        return rr_fail(RR_EINPUT, "\"%s\": \"%.32s\" given; a time of day is expected, such as \"09:00\" or \"24:00\"", key, text);
    *ret = h * 3600 + m * 60;
    return RR_OK;
}

static int day_of(const char *s)
{
    static const char names[] = "MonTueWedThuFriSatSun";
    for (int i = 0; i < 7; i++)
        if (strncmp(s, names + 3 * i, 3) == 0) return i;
    return -1;
}

// "Mon-Fri", "Sat,Sun", "Fri-Mon,Wed"
static bool read_days(const char *s, unsigned *ret)
{
    for (*ret = 0;; s++) {
        const int from = day_of(s);
        if (from < 0) return false;
        s += 3;
        int to = from;
        if (*s == '-') {
            to = day_of(s + 1);
            if (to < 0) return false;
            s += 4;
        }
        *ret |= 1u << to;
        for (int i = from; i != to; i = (i + 1) % 7) *ret |= 1u << i;
        if (!*s) return true;
        if (*s != ',') return false;
        if (s[1] == ' ') s++;
    }
}

enum rr_status rr_week_window_read(const char *days, const char *from, const char *to, struct rr_week_window *w)
{
    w->days = 0x7f;
    if (days && !read_days(days, &w->days))
        return rr_fail(RR_EINPUT, "\"days\": \"%.32s\" given; days are expected, such as \"Mon-Fri\" or \"Sat,Sun\"", days);
    RR_TRY(read_clock("from", from ? from : "00:00", &w->from_s));
    RR_TRY(read_clock("to", to ? to : "24:00", &w->to_s));
    if (w->from_s == 86400) return rr_fail(RR_EINPUT, "\"from\": a window begins before \"24:00\"");
    return RR_OK;
}

static enum rr_status read_window(const struct rr_field *f, const cJSON *node, size_t i, struct rr_week_window *w)
{
    struct window_rows rows = {0};
    char index[24], reason[RR_REASON_MAX];
    snprintf(index, sizeof index, "%zu", i);
    RR_TRY(rr_params_read(f->ctx, window_rows, N_ROWS, node, rr_pointer_join(f->ctx->arena, f->pointer, index), NULL, &rows));
    w->nodes = rows.nodes;
    if (rr_week_window_read(rows.days, rows.from, rows.to, w) == RR_OK) return RR_OK;
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_field_fail(f, node, "%s", reason);
}

enum rr_status rr_field_week(const struct rr_field *f, const struct rr_week **ret)
{
    if (!cJSON_IsArray(f->node) || !f->node->child) return rr_field_wrong(f, f->node, RR_P_WEEK);
    struct rr_week *w = RR_NEW(f->ctx->arena, struct rr_week);
    w->json = f->node;
    w->window = RR_NEWS(f->ctx->arena, struct rr_week_window, (size_t)cJSON_GetArraySize(f->node));
    for (const cJSON *m = f->node->child; m; m = m->next, w->n++) RR_TRY(read_window(f, m, w->n, &w->window[w->n]));
    *ret = w;
    return RR_OK;
}

enum rr_status rr_field_zone(const struct rr_field *f, const struct rr_zone **ret)
{
    if (!cJSON_IsString(f->node)) return rr_field_wrong(f, f->node, RR_P_ZONE);
    const enum rr_status st = rr_zone_load(f->node->valuestring, f->ctx->arena, ret);
    if (st == RR_OK) return RR_OK;
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_json_fail(st, f->ctx->json, f->node, f->pointer, "%s", reason);
}
