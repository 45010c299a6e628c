/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/fit.c - `rackrate fit FILE... -o PROFILE`: a profile of a GPU system from the logs that people already have.
 *
 * `rackrate fit training` is another thing and in fit_training.c. */
#include "sim/cli/profile.h"
#include "data/train_facts.h"
#include "sim/cli/import.h"
#include <stdlib.h>
#include <string.h>

static const struct rr_option options[] = {
    {'o', "out", "FILE", false, "write the profile there (- is standard output)"},
    {0, "json", NULL, false, "print the profile instead of the table"},
    {0, "name", "NAME", false, "the profile's name (default: the first file's)"},
    {0, "gpu", "GPU", false, "which GPU (rackrate list gpus); its datasheet's peaks stand beside the measurements"},
    {0, "datasheet", "MACHINE", false, "no logs: the peaks of a machine of data/facts/machines.csv, marked as not measured"},
    {0, "network", "TEXT", false, "what joins the nodes, such as \"InfiniBand 400 Gb/s\""},
    {0, "source", "TEXT", true, "where the files come from; again for each file"},
    {0, "note", "TEXT", false, "what else a reader must know"},
    {0, "date", "DATE", false, "of the profile (default: the first log's); training: what the rows are dated with"},
    {0, "op", "NAME", false, "the operation, where the files do not say it: all_reduce, all_gather, ..."},
    {0, "ranks", "N", false, "GPUs that took part, where the files do not say it"},
    {0, "nodes", "N", false, "nodes that they were on, where the files do not say it"},
    {0, "gpus-per-node", "N", false, "of the nodes, where nothing says how many nodes there were"},
    {0, "format", "NAME", false, "of the files (default auto; rackrate list benchmarks)"},
    {0, "max-refused", "SHARE", false, "share of damaged rows past which a file is refused (default 0.2)"},
    {0, "draws", "N", false, "bootstrap curves (default 40)"},
    {0, "seed", "N", false, "of the bootstrap (default 1)"},
};
const struct rr_command rr_command_fit;
enum { PEAKS = 8 };

enum rr_status rr_cli_samples(const struct rr_command *c, const struct rr_args *a, size_t first, struct rr_samples *ret)
{
    struct rr_sample_options o = {.max_refused = 0.2};
    int64_t ranks, nodes, each;
    const char *share = rr_arg(c, a, "max-refused", "0.2");
    RR_TRY(rr_arg_whole(c, a, "ranks", 1, 0, &ranks));
    RR_TRY(rr_arg_whole(c, a, "nodes", 1, 0, &nodes));
    RR_TRY(rr_arg_whole(c, a, "gpus-per-node", 1, 0, &each));
    if (rr_text_double(rr_slice(share, strlen(share)), &o.max_refused) != RR_OK || !(o.max_refused >= 0 && o.max_refused <= 1))
        return rr_fail(RR_EUSAGE, "--max-refused wants a share from 0 to 1, not \"%s\"", share);
    if (ranks > 10000000 || nodes > 10000000 || each > 10000000)
        return rr_fail(RR_EUSAGE, "--ranks, --nodes and --gpus-per-node are at most 10000000");
    o.ranks = (int32_t)ranks, o.nodes = (int32_t)nodes, o.gpus_per_node = (int32_t)each;
    o.format = rr_arg(c, a, "format", NULL), o.op = rr_arg(c, a, "op", NULL);
    o.network = rr_arg(c, a, "network", NULL);
    RR_TRY(rr_samples_read(a->operand + first, a->n_operands - first, &o, a->arena, ret));
    for (size_t i = 0; i < ret->n_refused; i++) fprintf(stderr, "rackrate: refused: %s\n", ret->refused[i]);
    for (size_t i = 0; i < ret->n_notes && i < 20; i++) fprintf(stderr, "rackrate: note: %s\n", ret->note[i]);
    if (ret->n_notes > 20) fprintf(stderr, "rackrate: note: %zu more of these\n", ret->n_notes - 20);
    return RR_OK;
}

/* Peaks of the datasheet, beside what was measured. */
static enum rr_status add_peaks(const struct rr_args *a, const char *said, struct rr_profile *p)
{
    struct rr_catalog c;
    RR_TRY(rr_cli_catalog(a->arena, &c));
    const struct rr_gpu *g = rr_catalog_gpu_called(&c, said ? said : p->device);
    if (said) RR_TRY(rr_catalog_gpu(&c, said, &g));
    if (!g) return RR_OK;
    struct rr_peak *k = RR_NEWS(a->arena, struct rr_peak, PEAKS);
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

/* A profile that nobody measured: what the vendor prints of one machine. */
static enum rr_status from_datasheet(const struct rr_args *a, const char *id, struct rr_profile *p)
{
    const char *dir;
    struct rr_train_facts facts;
    const struct rr_machine *m;
    if (a->n_operands > 0) return rr_fail(RR_EUSAGE, "fit: --datasheet takes no logs");
    RR_TRY(rr_data_dir(a->arena, &dir));
    RR_TRY(rr_train_facts_load(dir, a->arena, &facts));
    RR_TRY(rr_train_facts_machine(&facts, a->arena, id, &m));
    if (!*m->gpu) return rr_fail(RR_EINPUT, "machine \"%s\" names no GPU of data/facts/gpus.csv, so its peaks have no source", m->id);
    *p = (struct rr_profile){.path = "", .name = m->id, .date = m->fact.date, .note = "datasheet, not measured", .gpu = "", .device = ""};
    p->network = p->driver = p->cuda = p->nccl = p->host = "";
    p->gpus_per_node = m->gpus_per_node, p->nodes = 1;
    RR_TRY(add_peaks(a, m->gpu, p));
    struct rr_peak *k = RR_NEWS(a->arena, struct rr_peak, PEAKS + 3);
    struct rr_profile_source *s = RR_NEWS(a->arena, struct rr_profile_source, p->n_sources + 1);
    const struct rr_peak rows[] = {{"fp8", "TFLOP/s", "machine", m->fp8_tflops},
                                   {"fp4", "TFLOP/s", "machine", m->fp4_tflops},
                                   {"network", "GB/s one way, a GPU", "machine", m->net_gb_s}};
    memcpy(k, p->peak, p->n_peaks * sizeof *k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value > 0) k[p->n_peaks++] = rows[i];
    memcpy(s, p->source, p->n_sources * sizeof *s);
    s[p->n_sources++] = (struct rr_profile_source){"machine", rr_strf(a->arena, "datasheet, not measured: %s", m->fact.source),
                                                   "data/facts/machines.csv", "", m->fact.date};
    p->peak = k, p->source = s;
    return RR_OK;
}

static enum rr_status name_it(const struct rr_args *a, struct rr_profile *p)
{
    const size_t i = rr_option_index(&rr_command_fit, "source");
    struct rr_profile_source *s = RR_NEWS(a->arena, struct rr_profile_source, p->n_sources + 1);
    const char *file = p->n_sources ? p->source[0].file : "profile", *dot = strrchr(file, '.');
    memcpy(s, p->source, p->n_sources * sizeof *s);
    for (size_t k = 0; k < a->n_values[i] && k < p->n_sources && p->measured; k++) s[k].text = a->value[i][k];
    p->source = s;
    if (!*p->name) p->name = dot && dot > file ? rr_strndup(a->arena, file, (size_t)(dot - file)) : file;
    if (!*p->date && p->n_sources) p->date = p->source[0].date;
    p->name = rr_arg(&rr_command_fit, a, "name", p->name);
    p->date = rr_arg(&rr_command_fit, a, "date", p->date);
    p->note = rr_arg(&rr_command_fit, a, "note", p->note);
    p->network = rr_arg(&rr_command_fit, a, "network", p->network);
    if (!rr_profile_date(p->date)) return rr_fail(RR_EUSAGE, "fit: the date must be one such as 2026-01-31, not \"%s\"", p->date);
    return RR_OK;
}

static enum rr_status from_logs(const struct rr_args *a, struct rr_profile *p)
{
    struct rr_samples s;
    int64_t draws, seed;
    if (a->n_operands == 0) return rr_fail(RR_EUSAGE, "fit: which logs? rackrate fit FILE... -o PROFILE");
    RR_TRY(rr_arg_whole(&rr_command_fit, a, "draws", 0, 40, &draws));
    RR_TRY(rr_arg_whole(&rr_command_fit, a, "seed", 0, 1, &seed));
    if (draws > 10000) return rr_fail(RR_EUSAGE, "--draws wants at most 10000");
    RR_TRY(rr_cli_samples(&rr_command_fit, a, 0, &s));
    const struct rr_fit_options opt = {.draws = (size_t)draws, .loo = true, .seed = (uint64_t)seed};
    RR_TRY(rr_profile_fit(&s, &opt, a->arena, p));
    RR_TRY(name_it(a, p));
    return add_peaks(a, rr_arg(&rr_command_fit, a, "gpu", NULL), p);
}

static enum rr_status fit_run(const struct rr_args *a)
{
    const char *out = rr_arg(&rr_command_fit, a, "out", NULL), *machine = rr_arg(&rr_command_fit, a, "datasheet", NULL);
    const bool json = rr_arg_given(&rr_command_fit, a, "json");
    struct rr_profile p;
    struct rr_buf b = {0};
    if (a->n_operands > 0 && strcmp(a->operand[0], "training") == 0) return rr_fit_training(a);
    RR_TRY(machine ? from_datasheet(a, machine, &p) : from_logs(a, &p));
    if (machine) RR_TRY(name_it(a, &p));
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
    .usage = "FILE... [-o PROFILE] | --datasheet MACHINE [-o PROFILE] | training FILE.csv... [options]",
    .examples = "  rackrate fit all_reduce.txt -o cluster.json --gpu h100-80gb-sxm --network \"InfiniBand 400 Gb/s\"\n"
                "  rackrate fit nccl/*.log nvbandwidth.txt probe.json -o node.json --name our-node\n"
                "  rackrate fit log.txt --op all_gather --ranks 16 --json\n"
                "  rackrate fit --datasheet hgx-b200 -o b200.json\n"
                "  rackrate fit training times.csv mlperf_layouts.csv >train_coefficients.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 0,
    .most = -1,
    .run = fit_run,
};
