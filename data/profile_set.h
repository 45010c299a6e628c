/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/profile_set.h - profiles that a question or a scenario names, and what the machines behind the shipped coefficients measure.
 *
 * data/facts/profile_references.csv says, for a family of GPUs ("h100"; "any") or a framework on one ("nanotron/h100"), what the machines that
 * the published training rows ran on reach in the same test: a number, or a shipped profile. models/train/calibrated.h compares the two. */
#ifndef RR_DATA_PROFILE_SET_H
#define RR_DATA_PROFILE_SET_H
#include "data/catalog.h"
#include "data/profile.h"

struct rr_profile_reference {
    const char *of, *what; /* "h100", "gemm" | "gemm8" | "memory" | "launch" | "links" | "network" */
    const char *profile;   /* name of a shipped one; NULL: `value` */
    double value;          /* 0 = `profile` */
    const char *unit;
    const struct rr_profile *measured; /* of `profile` */
    struct rr_fact fact;
};
struct rr_profile_set {
    const struct rr_profile *at; /* [n] */
    size_t n;
    const struct rr_profile_reference *reference;
    size_t n_references;
    const char *const *sha256; /* [n] of the files */
    const char *const *input;  /* [n] the file as a reader knows it: its path, "profile h100-node" of a shipped one */
    uint64_t seed;             /* of the worlds; 0 unless the caller sets it */
    int64_t worlds;            /* that a replay takes, one a replication; 0 or 1: it takes the profiles' values */
};
/* NAME: a file, or the name of one in DATA_DIR/profiles. RR_EINPUT as rr_profile_read(), RR_EIO. */
RR_CHECKED enum rr_status rr_profile_find(const char *data_dir, const char *name, struct rr_arena *a, struct rr_profile *ret);
/* All of `name` [n] and the references; the same name twice is RR_EINPUT. */
RR_CHECKED enum rr_status rr_profile_set_read(const char *data_dir, const char *const *name, size_t n, struct rr_arena *a,
                                              struct rr_profile_set *ret);
/* The row of FRAMEWORK/FAMILY, else FAMILY, else "any"; NULL when there is none. */
const struct rr_profile_reference *rr_profile_reference_of(const struct rr_profile_set *s, const char *framework, const char *family,
                                                           const char *what);
#endif
