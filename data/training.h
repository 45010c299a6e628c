/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/training.h - a planned training run as people write it: the words of `rackrate size`, and "training" of a scenario's workload.
 *
 *     {"model": "llama-3-70b", "tokens": "15T", "gpu": "h100-sxm", "gpus": 1024, "layout": {"tp": 8, "pp": 4}}
 *
 * What is not given is searched (the layout) or taken from the rows' defaults. models/train computes with it. */
#ifndef RR_DATA_TRAINING_H
#define RR_DATA_TRAINING_H
#include "data/param.h"

struct rr_training_layout { /* a size of 0 (zero, recompute: -1) is searched */
    uint64_t given;
    int64_t tp, pp, vpp, cp, ep, micro_batch, zero;
    int recompute; /* index into none, selective, full; with the row's given bit */
    bool sequence_parallel, tp_overlap, dp_overlap, flash;
    int64_t ends;
    int64_t dp;               /* what the others leave must be so many; 0 = any */
    int64_t recompute_layers; /* full recompute of so many layers a stage; 0 = searched, or all with recompute full */
};
struct rr_training_warmup {
    uint64_t given;
    int64_t from;     /* sequences a step */
    const char *over; /* "20B" tokens, or samples where those are counted */
};
struct rr_training_evaluation {
    uint64_t given;
    int64_t every, samples; /* steps; sequences */
    int64_t time_us;
};
struct rr_training_checkpoint {
    uint64_t given;
    const char *storage; /* "2 GB/s": of the file system, for all jobs that write at once */
    int64_t shared_by;   /* jobs that write at once */
    bool async;
    const char *host; /* "16 GB/s": a GPU to its host's memory */
    double bytes_per_parameter;
    int64_t interval_us; /* 0 = the best */
};
struct rr_training_failures {
    uint64_t given;
    const char *like; /* row of data/facts/failure_rates.csv */
    double gpu_hours; /* 0 = of that row */
    bool none;
};
struct rr_training_restart {
    uint64_t given;
    int64_t detect_us, requeue_us, image_us, compile_us, repair_us;
    int64_t spares;
};
struct rr_training_machine { /* what-ifs: in place of the facts' */
    uint64_t given;
    const char *network, *link, *memory_bandwidth, *peak; /* "400 Gb/s" a GPU, one direction; "989 TFLOP/s" dense, 16 bits */
    int64_t memory_bytes;
};
struct rr_profile_set;
struct rr_training_run {
    uint64_t given;
    const char *model, *config, *gpu, *framework;
    int64_t gpus;
    const char *tokens, *samples, *dataset; /* "15T"; NULL when not given */
    double epochs;
    int precision; /* index into rr_training_precisions */
    int64_t global_batch, seq, lora_rank;
    const struct rr_records *layout, *warmup, *evaluation, *checkpoint, *failures, *restart, *machine; /* structs above; NULL: not given */
    double reruns;
    int64_t count, every_us;        /* of a scenario: runs, and the time from one submit to the next */
    int64_t submit_us, deadline_us; /* of a scenario: deadline from a run's submit, 0 = none */
    const char *const *beside;      /* not a word of the section: GPUs that it is compared with, so that one framework is taken for all */
    size_t n_beside;
    bool other_number;    /* no word: GPUs that are compared with those asked for, whose dp does not hold here */
    const char *measured; /* "step=12.3 s, tp=8, ...": one run of one's own */
    const char *log;      /* a training log of one's own */
    const struct rr_profile_set
        *profiles; /* no word: measured performance of its machine, set by the caller; NULL: none (data/profile_set.h) */
};
extern const struct rr_param_table rr_training_table;
extern const struct rr_param_table rr_training_warmup_table, rr_training_evaluation_table, rr_training_checkpoint_table,
    rr_training_failures_table, rr_training_restart_table, rr_training_machine_table, rr_training_layout_table;
extern const char *const rr_training_precisions[]; /* NULL-terminated, in the order of enum rr_precision */

/* What a run is to a replay: the registry's function makes it (data/ knows no models). */
struct rr_training_plan {
    int64_t work_us;     /* steps and evaluations, reruns included, without interruptions */
    int64_t median_us;   /* of the work, with sigma: what several replications draw around */
    int64_t start_us;    /* overhead of every start */
    int64_t write_us;    /* the job stands still for a checkpoint */
    int64_t restore_us;  /* at every start that goes on from one */
    int64_t interval_us; /* 0 = the best for the failures */
    double sigma;        /* of the work's logarithm: how sure the prediction is */
    const char *gpu;     /* rr_gpu id */
    const char *summary; /* one line: layout, step, what was assumed */
    const double *
        world; /* [n_worlds] work of replication i over work_us, in that replication's world of the profiles; NULL: no profile, or one world */
    size_t n_worlds;
    const bool *profile_used; /* [n of the scenario's profiles]; NULL: none */
};

/* "15T", "300B", "1.5e12", "2,048", "64k": a count as people write it; k M B T. RR_EINPUT naming the right form. */
RR_CHECKED enum rr_status rr_count_parse(const char *text, double *ret);
#endif
