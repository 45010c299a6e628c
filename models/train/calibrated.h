/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/calibrated.h - what a profile measured, in place of what the shipped coefficients take for granted.
 *
 * A coefficient such as gemm_eff holds the machine's speed and a framework's habits in one number. A profile measures the machine alone, so a rate
 * changes by the ratio of what the profile measured to what the machines behind the coefficient reach in the same test
 * (data/facts/profile_references.csv), and a latency by the difference. Without a reference a rate takes the coefficient's place and a latency is not
 * used. models/train/README.md has the errors of these two ways. What a datasheet says is no measurement and changes nothing.
 *
 *   gemm, gemm8  the largest rate seen, 16 and 8 bits      memory  a large copy          launch  an empty kernel
 *   links        the node's collective over most ranks     network  that over more nodes: a power of their number
 *
 * A collective is compared at the largest size that both sides measured, 1 GiB at most. A coefficient stays within its bounds (coef.h), in each world
 * too: an efficiency is at most 1 whatever the extrapolation says.
 *
 * Over more or fewer nodes than were measured bandwidth follows the measured law and varies more, by 0.30 of its logarithm (0.52 where one count was
 * measured) times the root of the doublings, as one doubling's error says little of the next one's; together with the profile's error bars at most by
 * RR_NETWORK_DOUBT, what it varies by where nothing was measured: a profile can make it no vaguer than that. */
#ifndef RR_MODELS_TRAIN_CALIBRATED_H
#define RR_MODELS_TRAIN_CALIBRATED_H
#include "data/profile_set.h"
#include "models/train/coef.h"

/* Log standard deviation of the bandwidth between nodes from one cluster to the next: all-reduce over 64 nodes was measured between 12.5 and 177 GB/s,
 * 32.9 in the middle. */
#define RR_NETWORK_DOUBT 0.35

/* Quantity, the row of the references that it is compared with, what it is. */
#define RR_CALIBRATED_TABLE(X)                                              \
    X(GEMM, "gemm", "TFLOP/s in 16 bits")                                   \
    X(GEMM8, "gemm8", "TFLOP/s in 8 bits")                                  \
    X(MEMORY, "memory", "GB/s of a large copy, read and written")           \
    X(LAUNCH, "launch", "us of an empty kernel")                            \
    X(LINK, "links", "GB/s busbw inside the fast links")                    \
    X(LINK_US, "links", "us of the smallest message inside the fast links") \
    X(NET, "network", "GB/s busbw over two nodes")                          \
    X(NET_DECAY, "network", "power of the nodes that busbw falls with")     \
    X(GATHER, "network", "busbw of all-gather over that of all-reduce")     \
    X(NET_US, "network", "us of the smallest message, a doubling of nodes")
#define X(id, what, help) RR_CALIBRATED_##id,
enum rr_calibrated_quantity { RR_CALIBRATED_TABLE(X) RR_CALIBRATED_N };
#undef X
extern const char *const rr_calibrated_unit[RR_CALIBRATED_N]; /* "TFLOP/s in 16 bits" */

struct rr_calibrated_row {
    enum rr_calibrated_quantity quantity;
    enum rr_coef coef;
    double before, after;       /* in the coefficient's unit */
    double p05, p95;            /* of `after` over the worlds */
    double held;                /* what `after` would be without the coefficient's bounds; `after` where these do not matter */
    double measured, reference; /* reference 0 (decay: NaN): there is none */
    const struct rr_profile *profile;
    const char *source;         /* row of the profile: "all_reduce over 8 ranks at 1 GiB, log-1: NVIDIA/... FILE" */
    const char *reference_text; /* "h100-node", "stas00/..., 2026" or "" */
};
#define RR_CALIBRATED_ROWS   16
#define RR_CALIBRATED_WORLDS 401
struct rr_calibrated {
    struct rr_calibrated_row row[RR_CALIBRATED_ROWS];
    size_t n;
    const struct rr_profile_set *set;
    bool *used;              /* [set->n] the profile is of this machine */
    double nodes;            /* of the run */
    double beyond;           /* doublings of nodes outside what was measured; 0 = inside, or no network was measured */
    double beyond_sd;        /* log standard deviation that these add to the bandwidth between nodes */
    const char *beyond_text; /* "profile P measured collectives over 2 nodes, the run is on 64: extrapolated"; NULL: inside */
    double *world;           /* [RR_CALIBRATED_WORLDS][n] of `after` */
    double storage_b_s;      /* one node's read rate; 0 = not measured */
    double host_b_s;         /* a GPU to its host's memory; 0 = not measured */
    const char *storage_source, *host_source;
    struct rr_calibrated_how { /* how each quantity was found, so that a world finds it again */
        bool has;
        size_t profile, at; /* index in set->at, and in the profile's list */
        const char *op;
        double bytes;
        double reference; /* 0 (decay: NaN): none */
        double peak;      /* in its place: what makes a coefficient of 1 */
    } how[RR_CALIBRATED_N];
    int32_t domain, gpus_per_node;
};

/* Changes *c (coefficients of `framework`) by the profiles of set that are of machine m; a run on `gpus` GPUs. RR_EINPUT when two profiles of the same
 * machine measured the same: of a node's profile and one of several nodes the first holds inside the node. */
RR_CHECKED enum rr_status rr_calibrate(const struct rr_profile_set *set, const struct rr_machine *m, const char *framework, int64_t gpus,
                                       struct rr_arena *a, struct rr_notes *notes, struct rr_coefs *c, struct rr_calibrated *ret);
/* Is the profile of this machine: the same GPU (id, or the device's name among the machine's aliases)? */
bool rr_calibrated_fits(const struct rr_profile *p, const struct rr_machine *m);
/* Is `after` the coefficient as it was: the profile is its own reference, or equal to it? */
bool rr_calibrated_same(const struct rr_calibrated_row *r);
/* One world: value[n] of `after`, all profiles drawn once (rr_profile_sample) from the stream (set->seed, replication, RR_RNG_PROFILE, the profile's
 * name): all machines, layouts and alternatives see the same. */
void rr_calibrated_world(const struct rr_calibrated *k, uint32_t replication, double *value);
/* The same as coefficients: those that were measured, put into *c. */
void rr_calibrated_put(const struct rr_calibrated *k, const double *value, struct rr_coefs *c);
#endif
