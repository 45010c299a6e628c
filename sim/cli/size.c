/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size.c - `rackrate size`: time, memory and cost to train; the best layouts and numbers of GPUs. */
#include "sim/cli/size.h"
#include "data/scenario.h"
#include <string.h>

static const struct rr_option options[] = {
    {0, "model", "NAME", false, "model, such as llama-3-70b (data/facts/models.csv)"},
    {0, "config", "FILE", false, "config.json of a Hugging Face model instead"},
    {0, "tokens", "N", false, "tokens to train on: 15T, 300B"},
    {0, "samples", "N", false, "sequences or images instead: 45M"},
    {0, "epochs", "N", false, "passes over --dataset instead"},
    {0, "dataset", "N", false, "what an epoch has, in tokens (samples of a model without tokens)"},
    {0, "gpu", "NAME,...", false, "machine, such as h100-sxm; further ones are compared"},
    {0, "gpus", "N,...", false, "GPUs; further numbers are compared (without any: an eighth to eight times the first)"},
    {0, "alone", NULL, false, "no other numbers of GPUs"},
    {0, "precision", "P,...", false, "bf16 (default), fp16, fp32, tf32, fp8, mxfp8, nvfp4; further ones are compared"},
    {0, "layout", "K=V,...", false,
     "fix sizes of the layout: tp, pp, vpp, cp, ep, dp, micro_batch (mb), zero, recompute, recompute_layers, ends"},
    {0, "global-batch", "N", false, "sequences a step (default: about 4 million tokens)"},
    {0, "seq", "N", false, "tokens of a sequence (default: as the model was trained)"},
    {0, "framework", "NAME", false, "whose coefficients hold: nemo, mcore, megatron, fsdp, ..."},
    {0, "lora-rank", "N", false, "fine-tune adapters of this rank instead of all weights"},
    {0, "reruns", "X", false, "all runs over the one that counts, such as 1.5"},
    {0, "deadline", "TIME", false, "the cheapest that is done in time with 90 % chance"},
    {0, "budget", "MONEY", false,
     "the fastest that costs no more with 90 % chance, such as \"$3M\"; with --deadline: the cheapest that meets both"},
    {0, "plan", "PLAN", true,
     "on_demand, reserved, spot, owned, or a plan as JSON; the first one decides (default: all four; of a scenario its pool's before "
     "these)"},
    {0, "region", "NAME", false, "prices of this region alone"},
    {0, "prices", "BOOK", true, "a price book (rackrate import prices) in front of the shipped facts, for all plans"},
    {0, "currency", "CODE", false, "count in this currency, such as CNY (default USD; of a scenario its own)"},
    {0, "fx", "CODE=RATE@DATE", true, "what one unit of another currency is worth in it, such as USD=7.25@2026-01-02"},
    {0, "start", "DATE", false, "first day, for the date of completion"},
    {0, "profile", "PROFILE", true,
     "measured speed of the machine: a file of `rackrate fit` or `calibrate`, or a name (rackrate list profiles)"},
    {0, "measured", "K=V,...", false,
     "one own run, such as \"tp=8, pp=4, step=4.3 s, memory=71 GB\": scales the prediction and narrows its band"},
    {0, "log", "FILE", false, "the same from a log of Megatron, DeepSpeed, torchtitan, NeMo, Composer, Hugging Face, MLPerf, or a CSV"},
    {0, "set", "PTR=VALUE", true, "set one value of the training section, such as /checkpoint/async=true or \"/machine/network=200 Gb/s\""},
    {0, "all-layouts", NULL, false, "search all values of ZeRO and overlap, not only those that the framework has"},
    {0, "top", "N", false, "layouts that are shown (default 5)"},
    {0, "seed", "N", false, "of the draws behind P10, P50 and P90 (default 1)"},
    {0, "explain", NULL, false, "every term with its unit, its formula and the measured fact that it rests on"},
    {0, "workload", "NAME", false, "of a scenario: which of its planned runs (default: the only one)"},
    {0, "json", NULL, false, "one JSON document"},
};
const struct rr_command rr_command_size;

/* A deadline or a budget that no number of GPUs meets is a gate that fails; the answer is printed all the same. */
static enum rr_status missed(const struct rr_size_question *q, const struct rr_sizing *s)
{
    struct rr_buf b = {0};
    const enum rr_status st = rr_size_put_missed(&b, q, s) ? rr_fail(RR_EGATE, "%s", rr_buf_text(&b)) : RR_OK;
    rr_buf_done(&b);
    return st;
}

/* A pool's plan that cannot be priced here (a file of prices, a server without one) leaves the usual ones, and a line. */
static enum rr_status make(const struct rr_args *a, struct rr_size_question *q, struct rr_sizing *ret)
{
    RR_TRY(rr_sizing_make(&q->ask, a->arena, &q->notes, ret));
    if (!q->pool) return RR_OK;
    const char *why = ret->at[0].unpriced[0];
    if (why) {
        rr_notes_done(&q->notes);
        q->notes = (struct rr_notes){.arena = a->arena};
        q->ask.pool = NULL, q->ask.plan++, q->ask.n_plans--;
        RR_TRY(rr_sizing_make(&q->ask, a->arena, &q->notes, ret));
        rr_note(&q->notes, RR_NOTE_WARNING, q->pool->pointer, "", "its plan is not priced here, only in `rackrate run`: %s", why);
    } else {
        rr_note(&q->notes, RR_NOTE_GIVEN, q->pool->pointer, "",
                "the own plan is that of this pool; commitments and charges of the scenario are in `rackrate run`");
    }
    return RR_OK;
}

static enum rr_status answer(const struct rr_args *a, struct rr_size_question *q, struct rr_buf *b)
{
    struct rr_sizing s;
    RR_TRY(rr_size_ask_around(&rr_command_size, a, q));
    RR_TRY(rr_size_ask_profiles(&rr_command_size, a, q));
    RR_TRY(make(a, q, &s));
    if (rr_arg_given(&rr_command_size, a, "json"))
        rr_size_json(b, q, &s);
    else if (rr_arg_given(&rr_command_size, a, "explain"))
        rr_size_explain(b, q, &s);
    else
        rr_size_text(b, q, &s);
    return missed(q, &s);
}

static enum rr_status of_options(const struct rr_args *a, struct rr_size_question *q, struct rr_buf *b)
{
    q->json = rr_json_create();
    enum rr_status st = rr_size_ask(&rr_command_size, a, q);
    if (st == RR_OK) st = answer(a, q, b);
    cJSON_Delete(q->document);
    rr_json_free(q->json);
    return st;
}

/* Options that say what a scenario says already. */
static enum rr_status refuse_words(const struct rr_args *a)
{
    static const char *const word[] = {"model",        "config", "tokens",    "samples",   "epochs", "dataset",  "gpus", "layout",
                                       "global-batch", "seq",    "framework", "lora-rank", "reruns", "measured", "log"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (rr_arg_given(&rr_command_size, a, word[i]))
            return rr_fail(RR_EUSAGE,
                           "--%s beside a scenario: change its \"training\" with --set, such as --set /workload/NAME/training/gpus=512",
                           word[i]);
    return RR_OK;
}

static enum rr_status find_workload(const struct rr_args *a, const struct rr_scenario *s, struct rr_size_question *q)
{
    const char *name = rr_arg(&rr_command_size, a, "workload", NULL), *words[64];
    size_t n = 0;
    for (size_t i = 0; i < s->n_workloads && n < 64; i++) {
        const struct rr_workload *w = &s->workload[i];
        if (!w->training) continue;
        words[n++] = w->name;
        if (name && strcmp(name, w->name) != 0) continue;
        q->name = w->name;
        q->gpu = w->training_plan.gpu;
        q->training = *(const struct rr_training_run *)w->training->at;
    }
    if (name && !q->name)
        return rr_fail(RR_EUSAGE, "--workload: \"%s\" has no \"training\"%s", name, rr_did_you_mean(a->arena, name, words, n));
    if (n == 0) return rr_fail(RR_EINPUT, "%s: no workload has a \"training\" section", a->operand[0]);
    if (!name && n > 1)
        return rr_fail(RR_EUSAGE, "%zu workloads have a \"training\" section: say which with --workload, such as %s", n, words[0]);
    return RR_OK;
}

/* The plan of the first pool with its GPU comes before the usual ones, unless --plan says otherwise. */
static void take_pool_plan(const struct rr_args *a, const struct rr_scenario *s, struct rr_size_question *q)
{
    if (rr_arg_given(&rr_command_size, a, "plan") || rr_arg_given(&rr_command_size, a, "region")) return;
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_pool *p = &s->pool[i];
        if (!p->plan || !p->plan_json || !p->gpu || strcmp(p->gpu, q->gpu) != 0) continue;
        char *text = cJSON_PrintUnformatted(p->plan_json);
        q->pool = p, q->pool_plan = rr_strdup(a->arena, text);
        cJSON_free(text);
        return;
    }
}

static enum rr_status of_scenario(const struct rr_args *a, struct rr_size_question *q, struct rr_buf *b)
{
    const size_t set = rr_option_index(&rr_command_size, "set");
    const struct rr_scenario_options load = {.set = a->value[set], .n_set = a->n_values[set], .seed = -1, .reps = -1};
    struct rr_scenario_set *s = NULL;
    RR_TRY(refuse_words(a));
    RR_TRY(rr_scenario_load(a->operand[0], &load, &rr_registry, &q->catalog, &s));
    const struct rr_scenario *v = s->variant[0];
    enum rr_status st = find_workload(a, v, q);
    q->market = (struct rr_spend_market){.book = v->book, .n_books = v->n_books, .currency = v->currency, .fx = v->fx, .n_fx = v->n_fx};
    if (st == RR_OK) take_pool_plan(a, v, q);
    if (st == RR_OK && v->clock.anchored) q->start_us = v->start_us;
    if (st == RR_OK) st = answer(a, q, b);
    rr_scenario_set_free(s);
    return st;
}

static enum rr_status size(const struct rr_args *a)
{
    struct rr_size_question q = {.notes = {.arena = a->arena}};
    struct rr_buf b = {0};
    const char *dir;
    RR_TRY(rr_cli_catalog(a->arena, &q.catalog));
    RR_TRY(rr_data_dir(a->arena, &dir));
    RR_TRY(rr_train_facts_load(dir, a->arena, &q.facts));
    const enum rr_status st = a->n_operands ? of_scenario(a, &q, &b) : of_options(a, &q, &b);
    rr_notes_done(&q.notes);
    if (st == RR_OK || st == RR_EGATE) rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_size = {
    .name = "size",
    .summary = "time, memory and cost to train; the best layouts and numbers of GPUs",
    .usage = "SCENARIO | --model NAME --tokens N --gpu NAME --gpus N [options]",
    .examples = "  rackrate size --model llama-3-70b --tokens 15T --gpu h100-sxm --gpus 1024\n"
                "  rackrate size --model llama-3-70b --tokens 15T --gpu h100-sxm,gb200 --gpus 1024,2048,4096 --deadline \"30 days\"\n"
                "  rackrate size --model bert-large --samples 3M --gpu a100 --gpus 8 --precision fp32,bf16 --alone\n"
                "  rackrate size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --currency CNY --fx USD=7.25@2026-01-02\n"
                "  rackrate size --config config.json --tokens 2B --lora-rank 16 --gpu h100-sxm --gpus 8 --explain\n"
                "  rackrate size plan.json --set /workload/llm/training/gpus=512     the \"training\" of a scenario\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 0,
    .most = 1,
    .run = size,
};
