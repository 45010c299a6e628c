/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training.h - published training measurements as runs, for validate and fit. */
#ifndef RR_SIM_CLI_TRAINING_H
#define RR_SIM_CLI_TRAINING_H
#include "models/train/published.h"

struct rr_training {
    struct rr_published *run; /* [n], all rows of all files in order, those of an earlier file left out */
    size_t n;
    const char **twice; /* [n_files]: the file before it whose rows file i has too; "" = none */
    size_t *n_twice;    /* such rows: they are no runs a second time */
    const char *const *path;
    size_t n_files, n_read; /* rows of all files */
};
/* Reads the facts and the files. RR_EINPUT with file and line. */
RR_CHECKED enum rr_status rr_training_read(const char *const *path, size_t n_paths, struct rr_arena *a, struct rr_train_facts *facts,
                                           struct rr_training *ret);
/* `rackrate validate training FILE... [--json]` */
struct rr_args;
struct rr_validate_files { /* NULL = not wanted */
    const char *rows;      /* CSV: each row with its terms */
    const char *table;     /* CSV: errors by set, framework and family, the form of data/facts/train_accuracy.csv */
    const char *plots;     /* folder */
};
RR_CHECKED enum rr_status rr_validate_training(const struct rr_args *a, bool json, bool cross, const struct rr_validate_files *files);
#endif
