/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training.c - published training measurements as runs. */
#include "sim/cli/training.h"
#include "sim/cli/cli.h"
#include <string.h>

enum rr_status rr_training_read(const char *const *path, size_t n_paths, struct rr_arena *a, struct rr_train_facts *facts,
                                struct rr_training *ret)
{
    const char *dir;
    struct rr_train_rows *rows = RR_NEWS(a, struct rr_train_rows, n_paths);
    size_t n = 0, at = 0;
    RR_TRY(rr_data_dir(a, &dir));
    RR_TRY(rr_train_facts_load(dir, a, facts));
    for (size_t i = 0; i < n_paths; i++) {
        RR_TRY(rr_train_rows_read(path[i], a, &rows[i]));
        n += rows[i].n;
    }
    ret->run = RR_NEWS(a, struct rr_published, n + 1);
    ret->n = n;
    for (size_t i = 0; i < n_paths; i++)
        for (size_t k = 0; k < rows[i].n; k++) {
            const enum rr_status st = rr_published_make(facts, a, &rows[i].at[k], &ret->run[at++]);
            if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rows[i].at[k].path, (long long)rows[i].at[k].line);
        }
    return RR_OK;
}
