/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size_ask.c - the words of `rackrate size` as a training section, and what to compare it with. */
#include "sim/cli/size.h"
#include "data/base/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOME_DAY_US (20454 * RR_D) /* 2026-01-01, where nobody says when: terms and depreciation need a calendar */

static const struct plain {
    const char *option, *pointer;
    bool text;
} plains[] = {
    {"model", "/model", true},
    {"config", "/config", true},
    {"tokens", "/tokens", true},
    {"samples", "/samples", true},
    {"epochs", "/epochs", false},
    {"dataset", "/dataset", true},
    {"framework", "/framework", true},
    {"global-batch", "/global_batch", false},
    {"seq", "/seq", false},
    {"lora-rank", "/lora_rank", false},
    {"reruns", "/reruns", false},
    {"measured", "/measured", true},
    {"log", "/log", true},
};

static enum rr_status put(struct rr_size_question *q, const char *name, const char *pointer, const char *value, bool text)
{
    cJSON *node = NULL;
    if (text)
        node = cJSON_CreateString(value);
    else
        RR_TRY(rr_json_parse(q->json, name, value, true, &node));
    const enum rr_status st = rr_json_set(q->document, pointer, true, node);
    return st == RR_OK ? st : rr_fail_in(st, "%s", name);
}

/* The k-th word of "a,b,c", or NULL. */
static const char *word_at(struct rr_arena *a, const char *list, size_t k)
{
    for (size_t i = 0; list; i++) {
        const size_t n = strcspn(list, ",");
        const struct rr_slice w = rr_trim(rr_slice(list, n));
        if (i == k) return rr_strndup(a, w.at, w.n);
        list = list[n] ? list + n + 1 : NULL;
    }
    return NULL;
}

/* "tp=8,pp=4": members of /layout; mb is short for micro_batch. */
static enum rr_status put_layout(struct rr_size_question *q, struct rr_arena *a, const char *list)
{
    const char *w;
    for (size_t k = 0; (w = word_at(a, list, k)) != NULL; k++) {
        const char *equals = strchr(w, '=');
        if (!equals) return rr_fail(RR_EUSAGE, "--layout: \"%s\": NAME=VALUE is expected, such as tp=8,pp=4,micro_batch=1", w);
        const char *key = rr_strndup(a, w, (size_t)(equals - w));
        if (strcmp(key, "mb") == 0) key = "micro_batch";
        if (rr_json_member(rr_json_member(q->document, "layout"), key)) return rr_fail(RR_EUSAGE, "--layout: \"%s\" is given twice", key);
        RR_TRY(put(q, "--layout", rr_strf(a, "/layout/%s", key), equals + 1, false));
    }
    return RR_OK;
}

static enum rr_status put_settings(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q)
{
    const size_t at = rr_option_index(c, "set");
    for (size_t i = 0; i < a->n_values[at]; i++) {
        const char *text = a->value[at][i], *equals = strchr(text, '=');
        if (!equals || text[0] != '/') return rr_fail(RR_EUSAGE, "--set wants PTR=VALUE, such as /checkpoint/async=true, not \"%s\"", text);
        RR_TRY(put(q, "--set", rr_strndup(a->arena, text, (size_t)(equals - text)), equals + 1, false));
    }
    return RR_OK;
}

/* What no default can stand for. */
static enum rr_status check_asked(struct rr_arena *a, const cJSON *document)
{
    static const char *const word[] = {"model", "gpu", "gpus"};
    const char *missing = "";
    int n = 0;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        if (rr_json_member(document, word[i]) || (i == 0 && rr_json_member(document, "config"))) continue;
        missing = rr_strf(a, "%s%s--%s", missing, n++ ? ", " : "", word[i]);
    }
    if (n == 0) return RR_OK;
    return rr_fail(
        RR_EUSAGE,
        "%s %s missing; such as rackrate size --model llama-3-70b --tokens 15T --gpu h100-sxm --gpus 1024 (rackrate list models, "
        "rackrate list machines)",
        missing, n > 1 ? "are" : "is");
}

enum rr_status rr_size_ask(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q)
{
    q->document = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof plains / sizeof *plains; i++) {
        const char *v = rr_arg(c, a, plains[i].option, NULL);
        if (v) RR_TRY(put(q, rr_strf(a->arena, "--%s", plains[i].option), plains[i].pointer, v, plains[i].text));
    }
    const char *gpu = rr_arg(c, a, "gpu", NULL), *gpus = rr_arg(c, a, "gpus", NULL), *precision = rr_arg(c, a, "precision", NULL);
    if (gpu) RR_TRY(put(q, "--gpu", "/gpu", word_at(a->arena, gpu, 0), true));
    if (gpus) RR_TRY(put(q, "--gpus", "/gpus", word_at(a->arena, gpus, 0), false));
    if (precision) RR_TRY(put(q, "--precision", "/precision", word_at(a->arena, precision, 0), true));
    if (rr_arg(c, a, "layout", NULL)) RR_TRY(put_layout(q, a->arena, rr_arg(c, a, "layout", NULL)));
    RR_TRY(put_settings(c, a, q));
    RR_TRY(check_asked(a->arena, q->document));
    const struct rr_param_ctx ctx = {.json = q->json, .arena = a->arena, .base = ""};
    const enum rr_status st = rr_params_read(&ctx, rr_training_table.row, rr_training_table.n, q->document, "", NULL, &q->training);
    return st == RR_OK ? st : rr_fail_in(st, "size");
}

/* ---- beside the training itself ---- */

static enum rr_status more_counts(const char *list, struct rr_arena *a, struct rr_sizing_ask *ask, int64_t *count)
{
    const char *w;
    for (size_t k = 1; list && (w = word_at(a, list, k)) != NULL; k++) {
        if (ask->n_count == RR_SIZING_POINTS) return rr_fail(RR_EUSAGE, "--gpus: more than %d numbers", RR_SIZING_POINTS);
        if (rr_text_i64(rr_slice(w, strlen(w)), &count[ask->n_count]) != RR_OK || count[ask->n_count] < 1 || count[ask->n_count] > 1048576)
            return rr_fail(RR_EUSAGE, "--gpus: \"%s\": a number from 1 to 1048576 is expected", w);
        ask->n_count++;
    }
    return RR_OK;
}

/* An eighth to eight times as many: what a doubling brings, where no numbers were asked for. */
static void doublings(const struct rr_training_run *t, struct rr_sizing_ask *ask, int64_t *count)
{
    for (int64_t f = 8; f >= 2; f /= 2)
        if (t->gpus % f == 0) count[ask->n_count++] = t->gpus / f;
    for (int64_t f = 2; f <= 8; f *= 2)
        if (t->gpus * f <= 1048576) count[ask->n_count++] = t->gpus * f;
}

static enum rr_status more_precisions(const char *list, size_t from, struct rr_arena *a, struct rr_sizing_ask *ask, int *precision)
{
    const char *w;
    for (size_t k = from; list && (w = word_at(a, list, k)) != NULL && k < from + RR_PRECISION_N; k++) {
        enum rr_precision p;
        RR_TRY(rr_precision_parse(w, &p));
        precision[ask->n_precision++] = (int)p;
    }
    return RR_OK;
}

static size_t words_of(const char *list, size_t from, struct rr_arena *a, const char **ret, size_t most)
{
    const char *w;
    size_t n = 0;
    for (size_t k = from; list && n < most && (w = word_at(a, list, k)) != NULL; k++) ret[n++] = w;
    return n;
}

static enum rr_status plans_of(const struct rr_command *c, const struct rr_args *a, struct rr_sizing_ask *ask)
{
    static const char *const usual[] = {"on_demand", "reserved", "spot", "owned"};
    const size_t at = rr_option_index(c, "plan");
    const char **plan = RR_NEWS(a->arena, const char *, RR_SIZING_PLANS);
    size_t n = 0;
    for (size_t i = 0; i < a->n_values[at] && n < RR_SIZING_PLANS; i++) {
        if (a->value[at][i][0] == '{')
            plan[n++] = a->value[at][i];
        else
            n += words_of(a->value[at][i], 0, a->arena, plan + n, RR_SIZING_PLANS - n);
    }
    ask->must_price = n > 0;
    ask->plan = n ? plan : usual;
    ask->n_plans = n ? n : sizeof usual / sizeof *usual;
    return RR_OK;
}

static void pool_plan_first(struct rr_arena *a, struct rr_size_question *q)
{
    struct rr_sizing_ask *ask = &q->ask;
    if (!q->pool) return;
    const char **plan = RR_NEWS(a, const char *, RR_SIZING_PLANS);
    plan[0] = q->pool_plan;
    for (size_t i = 0; i < ask->n_plans; i++) plan[i + 1] = ask->plan[i]; // the usual ones: --plan was not given
    ask->plan = plan, ask->n_plans++;
    ask->pool = q->pool;
}

enum rr_status rr_size_ask_around(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q)
{
    struct rr_sizing_ask *ask = &q->ask;
    int64_t seed, *count = RR_NEWS(a->arena, int64_t, RR_SIZING_POINTS + 1);
    int *precision = RR_NEWS(a->arena, int, RR_PRECISION_N);
    const char **gpu = RR_NEWS(a->arena, const char *, 16), *gpus = rr_arg(c, a, "gpus", NULL);
    const char *deadline = rr_arg(c, a, "deadline", NULL), *budget = rr_arg(c, a, "budget", NULL), *start = rr_arg(c, a, "start", NULL);
    RR_TRY(rr_arg_whole(c, a, "seed", 0, 1, &seed));
    RR_TRY(rr_arg_whole(c, a, "top", 1, 5, &q->top));
    *ask = (struct rr_sizing_ask){.training = &q->training,
                                  .facts = &q->facts,
                                  .catalog = &q->catalog,
                                  .gpu = gpu,
                                  .count = count,
                                  .precision = precision,
                                  .region = rr_arg(c, a, "region", ""),
                                  .seed = (uint64_t)seed,
                                  .wide = rr_arg_given(c, a, "all-layouts")};
    ask->n_gpu = words_of(rr_arg(c, a, "gpu", NULL), a->n_operands ? 0 : 1, a->arena, gpu, 16);
    RR_TRY(more_precisions(rr_arg(c, a, "precision", NULL), a->n_operands ? 0 : 1, a->arena, ask, precision));
    RR_TRY(more_counts(gpus, a->arena, ask, count));
    if (ask->n_count == 0 && !rr_arg_given(c, a, "alone")) doublings(&q->training, ask, count);
    RR_TRY(plans_of(c, a, ask));
    pool_plan_first(a->arena, q);
    RR_TRY(rr_size_market(c, a, q));
    RR_TRY(rr_size_check_region(q, ask->region, a->arena));
    ask->market = q->market;
    if (budget) RR_TRY(rr_size_money(q, "budget", budget, &ask->budget));
    if (deadline) {
        int64_t us;
        if (rr_unit_time(rr_slice(deadline, strlen(deadline)), &us) != RR_OK) return rr_fail(RR_EUSAGE, "--deadline: %s", rr_reason());
        ask->deadline_s = (double)us / 1e6;
    }
    if (start && rr_date_parse(rr_slice(start, strlen(start)), &q->start_us) != RR_OK)
        return rr_fail(RR_EUSAGE, "--start: %s", rr_reason());
    ask->start_us = q->start_us ? q->start_us : SOME_DAY_US;
    return RR_OK;
}

enum rr_status rr_size_ask_profiles(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q)
{
    const size_t at = rr_option_index(c, "profile");
    const char *dir;
    if (a->n_values[at] == 0) return RR_OK;
    RR_TRY(rr_data_dir(a->arena, &dir));
    RR_TRY(rr_profile_set_read(dir, a->value[at], a->n_values[at], a->arena, &q->profiles));
    q->profiles.seed = q->ask.seed;
    q->training.profiles = q->ask.profiles = &q->profiles;
    return RR_OK;
}
