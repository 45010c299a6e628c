/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/training.c - the rows of a planned training run. */
#include "data/training.h"
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define ROWS(table)     table, sizeof table / sizeof *table

static const char *const recomputes[] = {"none", "selective", "full", NULL};
const char *const rr_training_precisions[] = {"fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4", NULL};

#define SIZE(word, text)                                                                                                                \
    {                                                                                                                                   \
        .name = #word, .type = RR_P_INT, .offset = AT(rr_training_layout, word), .unit = "", .least = 1, .most = 1048576, .help = text, \
        .flags = RR_PF_DECIDES                                                                                                          \
    }
static const struct rr_param layout[] = {
    SIZE(tp, "tensor parallel ranks; searched when absent"),
    SIZE(pp, "pipeline stages"),
    SIZE(vpp, "chunks a stage, interleaved"),
    SIZE(cp, "context parallel ranks"),
    SIZE(ep, "expert parallel ranks, inside dp x cp"),
    SIZE(micro_batch, "sequences that a rank works on at a time"),
    {.name = "zero",
     .type = RR_P_INT,
     .offset = AT(rr_training_layout, zero),
     .least = 0,
     .most = 3,
     .help = "what data-parallel ranks share: 0 nothing, 1 optimizer, 2 gradients, 3 weights (FSDP)",
     .flags = RR_PF_DECIDES},
    {.name = "recompute",
     .type = RR_P_WORD,
     .offset = AT(rr_training_layout, recompute),
     .words = recomputes,
     .help = "activations computed again in the backward pass",
     .flags = RR_PF_DECIDES},
    {.name = "sequence_parallel",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_layout, sequence_parallel),
     .help = "norms are split over tp too; where tp > 1 when absent",
     .flags = RR_PF_DECIDES},
    {.name = "tp_overlap",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_layout, tp_overlap),
     .help = "tensor-parallel communication behind products; as the framework does it when absent",
     .flags = RR_PF_DECIDES},
    {.name = "dp_overlap",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_layout, dp_overlap),
     .help = "gradients are reduced while the backward pass runs; as the framework does it when absent",
     .flags = RR_PF_DECIDES},
    {.name = "flash",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_layout, flash),
     .help = "attention that never writes its scores; as the framework does it when absent",
     .flags = RR_PF_DECIDES},
    {.name = "ends",
     .type = RR_P_INT,
     .offset = AT(rr_training_layout, ends),
     .least = 0,
     .most = 16,
     .help =
         "layer slots that embedding and head take when layers are shared out over stages (126 layers + 2 on 16 stages); as the model's "
         "developers did it, where layers do not divide, when absent",
     .flags = RR_PF_DECIDES},
    SIZE(recompute_layers, "full recompute of so many layers of a stage; as few as memory needs when absent, all with recompute full"),
    SIZE(dp, "data parallel ranks: what tp, pp and cp leave of the GPUs; only layouts that leave so many are looked at"),
};
const struct rr_param_table rr_training_layout_table = {ROWS(layout), sizeof(struct rr_training_layout)};

static const struct rr_param warmup[] = {
    {.name = "from",
     .type = RR_P_INT,
     .offset = AT(rr_training_warmup, from),
     .least = 1,
     .most = 1e9,
     .help = "sequences of the first batch",
     .flags = RR_PF_REQUIRED | RR_PF_DECIDES},
    {.name = "over",
     .type = RR_P_TEXT,
     .offset = AT(rr_training_warmup, over),
     .help = "tokens (samples, where those are counted) until it is whole, such as \"20B\"",
     .flags = RR_PF_REQUIRED | RR_PF_DECIDES},
};
const struct rr_param_table rr_training_warmup_table = {ROWS(warmup), sizeof(struct rr_training_warmup)};

static const struct rr_param evaluation[] = {
    {.name = "every",
     .type = RR_P_INT,
     .offset = AT(rr_training_evaluation, every),
     .unit = "steps",
     .least = 1,
     .most = 1e12,
     .help = "steps from one evaluation to the next",
     .flags = RR_PF_REQUIRED | RR_PF_DECIDES},
    {.name = "samples",
     .type = RR_P_INT,
     .offset = AT(rr_training_evaluation, samples),
     .least = 0,
     .most = 1e12,
     .help = "sequences of one evaluation: forward passes alone, a third of a step's time each; 100 global batches when neither this nor "
             "\"time\" is given",
     .flags = RR_PF_DECIDES},
    {.name = "time",
     .type = RR_P_TIME,
     .offset = AT(rr_training_evaluation, time_us),
     .least = 0,
     .most = 3e16,
     .help = "of one evaluation, on top of its samples",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_evaluation_table = {ROWS(evaluation), sizeof(struct rr_training_evaluation)};

static const struct rr_param checkpoint[] = {
    {.name = "storage",
     .type = RR_P_TEXT,
     .offset = AT(rr_training_checkpoint, storage),
     .def = "\"58 GB/s\"",
     .help = "bandwidth of the file system that checkpoints go to",
     .source = "bigscience-workshop/bigscience chronicles, 2022: 2.3 TB in 40 s on 384 GPUs",
     .flags = RR_PF_DECIDES},
    {.name = "shared_by",
     .type = RR_P_INT,
     .offset = AT(rr_training_checkpoint, shared_by),
     .def = "1",
     .unit = "jobs",
     .least = 1,
     .most = 100000,
     .help = "jobs that write at the same time and share that bandwidth",
     .flags = RR_PF_DECIDES},
    {.name = "async",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_checkpoint, async),
     .def = "false",
     .help = "training waits for the copy to the host's memory alone",
     .flags = RR_PF_DECIDES},
    {.name = "host",
     .type = RR_P_TEXT,
     .offset = AT(rr_training_checkpoint, host),
     .def = "\"16 GB/s\"",
     .help = "a GPU's bandwidth to its host's memory, for async",
     .source = "half of PCIe 4.0 x16",
     .flags = RR_PF_DECIDES},
    {.name = "bytes_per_parameter",
     .type = RR_P_REAL,
     .offset = AT(rr_training_checkpoint, bytes_per_parameter),
     .def = "14",
     .unit = "bytes",
     .least = 1,
     .most = 64,
     .help = "16-bit weights, 32-bit master weights and two moments: 2 + 4 + 4 + 4",
     .flags = RR_PF_DECIDES},
    {.name = "interval",
     .type = RR_P_TIME,
     .offset = AT(rr_training_checkpoint, interval_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "work between checkpoints; 0: the best for the failures",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_checkpoint_table = {ROWS(checkpoint), sizeof(struct rr_training_checkpoint)};

static const struct rr_param failures[] = {
    {.name = "like",
     .type = RR_P_TEXT,
     .offset = AT(rr_training_failures, like),
     .def = "\"llama-3.1-405b\"",
     .help = "row of data/facts/failure_rates.csv, with its range",
     .flags = RR_PF_DECIDES},
    {.name = "gpu_hours",
     .type = RR_P_REAL,
     .offset = AT(rr_training_failures, gpu_hours),
     .unit = "GPU-hours",
     .least = 1,
     .most = 1e12,
     .help = "GPU-hours from one interruption to the next, in place of that row's",
     .flags = RR_PF_DECIDES},
    {.name = "none",
     .type = RR_P_BOOL,
     .offset = AT(rr_training_failures, none),
     .def = "false",
     .help = "nothing fails",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_failures_table = {ROWS(failures), sizeof(struct rr_training_failures)};

#define PAUSE(word, length, text)                                                                                                \
    {                                                                                                                            \
        .name = #word, .type = RR_P_TIME, .offset = AT(rr_training_restart, word##_us), .def = length, .least = 0, .most = 3e16, \
        .help = text, .flags = RR_PF_DECIDES                                                                                     \
    }
static const struct rr_param restart[] = {
    PAUSE(detect, "\"10 min\"", "from the failure until it is noticed (a hang takes the collective's time-out)"),
    PAUSE(requeue, "\"2 min\"", "until the scheduler starts the job again"),
    PAUSE(image, "\"1 min\"", "starting containers on all nodes"),
    PAUSE(compile, "\"3 min\"", "building the model, compiling, the first step"),
    PAUSE(repair, "\"4 h\"", "of a node, which the job waits for when no spare is left"),
    {.name = "spares",
     .type = RR_P_INT,
     .offset = AT(rr_training_restart, spares),
     .unit = "nodes",
     .least = 0,
     .most = 100000,
     .help =
         "nodes kept ready to step in, held and paid for; when absent as many as pay for themselves at the highest published failure rate",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_restart_table = {ROWS(restart), sizeof(struct rr_training_restart)};

#define SPEED(word, text)                                                                                               \
    {                                                                                                                   \
        .name = #word, .type = RR_P_TEXT, .offset = AT(rr_training_machine, word), .help = text, .flags = RR_PF_DECIDES \
    }
static const struct rr_param machine[] = {
    SPEED(network, "a GPU's share of its node's adapters, one direction, such as \"400 Gb/s\"; the facts' when absent"),
    SPEED(link, "of a GPU inside the node, one direction, such as \"450 GB/s\""),
    SPEED(memory_bandwidth, "of a GPU's memory, such as \"3.35 TB/s\""),
    SPEED(peak, "dense peak of 16-bit products, such as \"989 TFLOP/s\"; a sparse figure is refused"),
    {.name = "memory",
     .type = RR_P_BYTES,
     .offset = AT(rr_training_machine, memory_bytes),
     .least = 1073741824.0,
     .most = 1e15,
     .help = "of a GPU, such as \"80 GiB\"",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_machine_table = {ROWS(machine), sizeof(struct rr_training_machine)};

#define WORDS(word, text)                                                                                           \
    {                                                                                                               \
        .name = #word, .type = RR_P_TEXT, .offset = AT(rr_training_run, word), .help = text, .flags = RR_PF_DECIDES \
    }
#define PART(word, table, text)                                                                                           \
    {                                                                                                                     \
        .name = #word, .type = RR_P_RECORD, .offset = AT(rr_training_run, word), .def = "{}", .help = text, .of = &table, \
        .flags = RR_PF_DECIDES                                                                                            \
    }
static const struct rr_param rows[] = {
    WORDS(model, "model of data/facts/models.csv, such as \"llama-3-70b\""),
    {.name = "config",
     .type = RR_P_PATH,
     .offset = AT(rr_training_run, config),
     .help = "config.json of a Hugging Face model, in place of \"model\"",
     .flags = RR_PF_DECIDES},
    WORDS(tokens, "tokens to train on, such as \"15T\""),
    WORDS(samples, "sequences or images to train on, in place of tokens, such as \"45M\""),
    {.name = "epochs",
     .type = RR_P_REAL,
     .offset = AT(rr_training_run, epochs),
     .least = 1e-6,
     .most = 1e6,
     .help = "passes over \"dataset\", in place of tokens",
     .flags = RR_PF_DECIDES},
    WORDS(dataset, "what an epoch has: tokens, or samples of a model without tokens"),
    WORDS(gpu, "machine of data/facts/machines.csv, such as \"h100-sxm\""),
    {.name = "gpus",
     .type = RR_P_INT,
     .offset = AT(rr_training_run, gpus),
     .least = 1,
     .most = 1048576,
     .help = "GPUs of the run",
     .flags = RR_PF_REQUIRED | RR_PF_DECIDES},
    {.name = "precision",
     .type = RR_P_WORD,
     .offset = AT(rr_training_run, precision),
     .def = "\"bf16\"",
     .words = rr_training_precisions,
     .help = "of the matrix products; fp32 is without mixed precision",
     .flags = RR_PF_DECIDES},
    WORDS(framework, "whose coefficients hold (data/facts/train_coefficients.csv); when absent, of those that split a model in every way "
                     "(nemo, mcore, bridge, megatron) the one with most published runs on "
                     "all GPUs that are compared"),
    {.name = "global_batch",
     .type = RR_P_INT,
     .offset = AT(rr_training_run, global_batch),
     .unit = "sequences",
     .least = 1,
     .most = 1e9,
     .help = "sequences a step; when absent about 4 million tokens, in whole micro batches",
     .flags = RR_PF_DECIDES},
    {.name = "seq",
     .type = RR_P_INT,
     .offset = AT(rr_training_run, seq),
     .unit = "tokens",
     .least = 1,
     .most = 1e8,
     .help = "tokens of a sequence; as the model was trained when absent",
     .flags = RR_PF_DECIDES},
    {.name = "lora_rank",
     .type = RR_P_INT,
     .offset = AT(rr_training_run, lora_rank),
     .least = 0,
     .most = 65536,
     .help = "fine-tuning by adapters of this rank; 0: all weights are trained",
     .flags = RR_PF_DECIDES},
    PART(layout, rr_training_layout_table, "how it is spread over the GPUs; what is absent is searched"),
    {.name = "batch_warmup",
     .type = RR_P_RECORD,
     .offset = AT(rr_training_run, warmup),
     .help = "the batch grows to its size",
     .of = &rr_training_warmup_table,
     .flags = RR_PF_DECIDES},
    {.name = "evaluation",
     .type = RR_P_RECORD,
     .offset = AT(rr_training_run, evaluation),
     .help = "evaluations; none when absent",
     .of = &rr_training_evaluation_table,
     .flags = RR_PF_DECIDES},
    PART(checkpoint, rr_training_checkpoint_table, "where checkpoints go and how often"),
    PART(failures, rr_training_failures_table, "how often the run is interrupted"),
    PART(restart, rr_training_restart_table, "what an interruption costs"),
    PART(machine, rr_training_machine_table, "what-ifs on the machine"),
    {.name = "reruns",
     .type = RR_P_REAL,
     .offset = AT(rr_training_run, reruns),
     .least = 1,
     .most = 1000,
     .help = "all runs over the one that counts (ablations, what is thrown away); not included when absent",
     .flags = RR_PF_DECIDES},
    {.name = "count",
     .type = RR_P_INT,
     .offset = AT(rr_training_run, count),
     .def = "1",
     .least = 1,
     .most = 100000,
     .help = "of a scenario: runs of this kind",
     .flags = RR_PF_DECIDES},
    {.name = "every",
     .type = RR_P_TIME,
     .offset = AT(rr_training_run, every_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "of a scenario: from one submit to the next",
     .flags = RR_PF_DECIDES},
    {.name = "submit",
     .type = RR_P_TIME,
     .offset = AT(rr_training_run, submit_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "of a scenario: the first submit after the start",
     .flags = RR_PF_DECIDES},
    {.name = "deadline",
     .type = RR_P_TIME,
     .offset = AT(rr_training_run, deadline_us),
     .least = 1e6,
     .most = 3e16,
     .help = "of a scenario: time from a run's submit by which it is to be done; deadline.missed counts those that are not",
     .flags = RR_PF_DECIDES},
    WORDS(measured, "one step of one's own, such as \"tp=8, pp=4, micro_batch=1, step=4.3 s\": scales the prediction and narrows its band"),
    {.name = "log",
     .type = RR_P_PATH,
     .offset = AT(rr_training_run, log),
     .help = "a training log of one's own with the layout of \"measured\" or \"layout\": its median step",
     .flags = RR_PF_DECIDES},
};
const struct rr_param_table rr_training_table = {ROWS(rows), sizeof(struct rr_training_run)};

enum rr_status rr_count_parse(const char *text, double *ret)
{
    static const char suffix[] = "kMBT";
    const size_t n = strlen(text);
    char plain[64];
    size_t k = 0;
    double factor = 1, v;
    const char *at = n ? strchr(suffix, text[n - 1]) : NULL;
    for (size_t i = 0; at && i <= (size_t)(at - suffix); i++) factor *= 1000;
    for (size_t i = 0; i < n - (at != NULL) && k + 1 < sizeof plain; i++)
        if (text[i] != ',' && text[i] != '_') plain[k++] = text[i];
    if (rr_text_double(rr_trim(rr_slice(plain, k)), &v) != RR_OK || !(v > 0) || !(v * factor < 1e30))
        return rr_fail(RR_EINPUT, "\"%s\" is no count; such as \"15T\", \"300B\", \"45M\" or \"1.5e12\" is expected", text);
    *ret = v * factor;
    return RR_OK;
}
