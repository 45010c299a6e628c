/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/validate_memory.h - the part of `rackrate validate training` that is about memory. */
#ifndef RR_SIM_CLI_VALIDATE_MEMORY_H
#define RR_SIM_CLI_VALIDATE_MEMORY_H
#include "models/train/judge_memory.h"
#include "sim/cli/training_peers.h"

struct rr_memory_set {
    const char *name;
    struct rr_memory_row *row;
    double (*peer_bytes)[RR_PEERS]; /* of row i; NaN = none */
    size_t n, unpredicted;
    struct rr_memory_judgement ours;
    double peer[RR_PEERS]; /* median errors; NaN = none */
    size_t peer_n[RR_PEERS];
};
struct rr_memory_check {
    struct rr_memory_set *set;
    size_t n;
    double *left_out, *by_model; /* of run i, bytes; NaN = none */
};
/* Predicts all rows of the table of memory among run[n], and with `cross` those that are left out of a fit. */
RR_CHECKED enum rr_status rr_memory_check(const struct rr_train_facts *f, struct rr_published *run, size_t n, bool cross,
                                          struct rr_arena *a, struct rr_memory_check *ret);
void rr_memory_check_text(struct rr_buf *b, const struct rr_memory_check *m);
/* The members of a set after "set" and "n", without braces. */
void rr_memory_check_json(struct rr_buf *b, const struct rr_memory_check *m, const char *set);
#endif
