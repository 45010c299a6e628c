/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/fit.c - `rackrate fit FILE... -o PROFILE`: a profile of a GPU system from the logs that people already have.
 *
 * `rackrate fit training` is another thing and in fit_training.c. */
#include "sim/cli/profile.h"
#include "sim/cli/import.h"
#include <stdlib.h>
#include <string.h>

static const struct rr_option options[] = {
    {'o', "out", "FILE", false, "write the profile there (- is standard output)"},
    {0, "json", NULL, false, "print the profile instead of the table"},
    {0, "name", "NAME", false, "the profile's name (default: the first file's)"},
    {0, "gpu", "GPU", false, "which GPU (rackrate list gpus); its datasheet's peaks stand beside the measurements"},
    {0, "network", "TEXT", false, "what joins the nodes, such as \"InfiniBand 400 Gb/s\""},
    {0, "source", "TEXT", true, "where the files come from; again for each file"},
    {0, "note", "TEXT", false, "what else a reader must know"},
    {0, "date", "DATE", false, "of the profile (default: the first log's); training: what the rows are dated with"},
    {0, "op", "NAME", false, "the operation, where the files do not say it: all_reduce, all_gather, ..."},
    {0, "ranks", "N", false, "GPUs that took part, where the files do not say it"},
    {0, "nodes", "N", false, "nodes that they were on, where the files do not say it"},
    {0, "format", "NAME", false, "of the files (default auto; rackrate list benchmarks)"},
    {0, "max-refused", "SHARE", false, "share of damaged rows past which a file is refused (default 0.2)"},
    {0, "draws", "N", false, "bootstrap curves (default 40)"},
    {0, "seed", "N", false, "of the bootstrap (default 1)"},
};
const struct rr_command rr_command_fit;

enum rr_status rr_cli_samples(const struct rr_command *c, const struct rr_args *a, size_t first, struct rr_samples *ret)
{
    struct rr_sample_options o = {.max_refused = 0.2};
    int64_t ranks, nodes;
    const char *share = rr_arg(c, a, "max-refused", "0.2");
    RR_TRY(rr_arg_whole(c, a, "ranks", 1, 0, &ranks));
    RR_TRY(rr_arg_whole(c, a, "nodes", 1, 0, &nodes));
    if (rr_text_double(rr_slice(share, strlen(share)), &o.max_refused) != RR_OK || !(o.max_refused >= 0 && o.max_refused <= 1))
        return rr_fail(RR_EUSAGE, "--max-refused wants a share from 0 to 1, not \"%s\"", share);
    if (ranks > 10000000 || nodes > 10000000) return rr_fail(RR_EUSAGE, "--ranks and --nodes are at most 10000000");
    o.ranks = (int32_t)ranks, o.nodes = (int32_t)nodes;
    o.format = rr_arg(c, a, "format", NULL), o.op = rr_arg(c, a, "op", NULL);
    o.network = rr_arg(c, a, "network", NULL);
    RR_TRY(rr_samples_read(a->operand + first, a->n_operands - first, &o, a->arena, ret));
    for (size_t i = 0; i < ret->n_refused; i++) fprintf(stderr, "rackrate: refused: %s\n", ret->refused[i]);
    for (size_t i = 0; i < ret->n_notes && i < 20; i++) fprintf(stderr, "rackrate: note: %s\n", ret->note[i]);
    if (ret->n_notes > 20) fprintf(stderr, "rackrate: note: %zu more of these\n", ret->n_notes - 20);
    return RR_OK;
}

/* Peaks of the datasheet, beside what was measured. */
static enum rr_status add_peaks(const struct rr_args *a, struct rr_profile *p)
{
    const char *said = rr_arg(&rr_command_fit, a, "gpu", NULL);
    struct rr_catalog c;
    RR_TRY(rr_cli_catalog(a->arena, &c));
    const struct rr_gpu *g = rr_catalog_gpu_called(&c, said ? said : p->device);
    if (said) RR_TRY(rr_catalog_gpu(&c, said, &g));
    if (!g) return RR_OK;
    struct rr_peak *k = RR_NEWS(a->arena, struct rr_peak, 8);
    struct rr_profile_source *s = RR_NEWS(a->arena, struct rr_profile_source, p->n_sources + 1);
    const struct rr_peak rows[] = {{"bf16", "TFLOP/s", "datasheet", g->bf16_tflops},
                                   {"fp16", "TFLOP/s", "datasheet", g->fp16_tflops},
                                   {"fp32", "TFLOP/s", "datasheet", g->fp32_tflops},
                                   {"memory", "GB/s", "datasheet", g->memory_gb_s},
                                   {"link", "GB/s one way", "datasheet", g->link_gb_s}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value > 0) k[p->n_peaks++] = rows[i];
    memcpy(s, p->source, p->n_sources * sizeof *s);
    s[p->n_sources++] = (struct rr_profile_source){"datasheet", rr_strf(a->arena, "datasheet, not measured: %s", g->fact.source),
                                                   "data/facts/gpus.csv", "", g->fact.date};
    p->peak = k, p->source = s, p->gpu = g->id;
    return RR_OK;
}

static void name_it(const struct rr_args *a, struct rr_profile *p)
{
    const size_t i = rr_option_index(&rr_command_fit, "source");
    struct rr_profile_source *s = RR_NEWS(a->arena, struct rr_profile_source, p->n_sources + 1);
    const char *file = p->n_sources ? p->source[0].file : "profile", *date = p->n_sources ? p->source[0].date : "";
    const char *dot = strrchr(file, '.');
    memcpy(s, p->source, p->n_sources * sizeof *s);
    for (size_t k = 0; k < a->n_values[i] && k < p->n_sources; k++) s[k].text = a->value[i][k];
    p->source = s;
    p->name = rr_arg(&rr_command_fit, a, "name", dot && dot > file ? rr_strndup(a->arena, file, (size_t)(dot - file)) : file);
    p->date = rr_arg(&rr_command_fit, a, "date", date);
    p->note = rr_arg(&rr_command_fit, a, "note", p->note);
}

static enum rr_status fit_run(const struct rr_args *a)
{
    const char *out = rr_arg(&rr_command_fit, a, "out", NULL);
    const bool json = rr_arg_given(&rr_command_fit, a, "json");
    struct rr_samples s;
    struct rr_profile p;
    struct rr_buf b = {0};
    int64_t draws, seed;
    if (strcmp(a->operand[0], "training") == 0) return rr_fit_training(a);
    RR_TRY(rr_arg_whole(&rr_command_fit, a, "draws", 0, 40, &draws));
    RR_TRY(rr_arg_whole(&rr_command_fit, a, "seed", 0, 1, &seed));
    if (draws > 10000) return rr_fail(RR_EUSAGE, "--draws wants at most 10000");
    RR_TRY(rr_cli_samples(&rr_command_fit, a, 0, &s));
    const struct rr_fit_options opt = {.draws = (size_t)draws, .loo = true, .seed = (uint64_t)seed};
    RR_TRY(rr_profile_fit(&s, &opt, a->arena, &p));
    name_it(a, &p);
    RR_TRY(add_peaks(a, &p));
    rr_profile_json(&b, &p);
    enum rr_status st = out ? rr_write_out(out, &b) : RR_OK;
    if (st == RR_OK && (!out || strcmp(out, "-") != 0)) {
        if (!json) {
            rr_buf_done(&b);
            rr_profile_table(&b, &p);
        }
        rr_say(rr_buf_text(&b));
    }
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_fit = {
    .name = "fit",
    .summary = "a profile of a GPU system from logs of benchmarks; coefficients of the training model",
    .usage = "FILE... [-o PROFILE] | training FILE.csv... [options]",
    .examples = "  rackrate fit all_reduce.txt -o cluster.json --gpu h100-80gb-sxm --network \"InfiniBand 400 Gb/s\"\n"
                "  rackrate fit nccl/*.log nvbandwidth.txt probe.json -o node.json --name our-node\n"
                "  rackrate fit log.txt --op all_gather --ranks 16 --json\n"
                "  rackrate fit training times.csv mlperf_layouts.csv >train_coefficients.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = -1,
    .run = fit_run,
};
