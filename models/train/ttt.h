/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/ttt.h - the time to train: steps, evaluations, checkpoints, failures and restarts, and how sure that is.
 *
 *   wall = start-up + (steps + evaluations) x slowdown(interval, M, C, R, D)      (models/checkpoint.h, Daly 2006)
 *   M = GPU-hours a failure / GPUs;  C = the part of a checkpoint that training waits for;  R = load + compile;  D = detect + requeue + image + spare
 *
 * A checkpoint that is written while training goes on (async) holds only once it is on the storage: each failure costs the writing as well.
 * Machines that their owner takes back interrupt it as well. Where the notice is long enough to save, such a one costs C + R + its own D and no
 * work; else both kinds come as one, of rate 1/M + 1/M' and of the D that they have in the mean.
 *
 * All times in seconds. Pure: the random stream is an argument. */
#ifndef RR_MODELS_TRAIN_TTT_H
#define RR_MODELS_TRAIN_TTT_H
#include "data/base/rng.h"
#include "models/train/calibrated.h"
#include "models/train/step.h"

struct rr_ttt_plan {
    double samples;        /* sequences (or images) until the target */
    double reruns;         /* all runs over the one that counts, >= 1: ablations and what is thrown away */
    int32_t warmup_batch;  /* the batch grows evenly from here to the layout's ... */
    double warmup_samples; /* ... over so many sequences; 0 = it is whole from the start */
    double eval_every;     /* steps; 0 = no evaluations */
    double eval_samples;   /* forward alone, a third of a step's work a sample ... */
    double eval_s;         /* ... and this much on top of it */
    double startup_s;      /* once: image, load, compile */
    double checkpoint_bytes;
    double storage_b_s; /* of this job, writing or reading; what others write at the same time is taken off before */
    double host_b_s;    /* async: a GPU's copy to host memory is all that training waits for; 0 = it waits for the storage */
    double interval_s;  /* work between checkpoints; 0 = the best for M and C */
    double failure_gpu_hours, failure_least, failure_most; /* GPU-hours a failure, and the range; 0 = nothing fails */
    double failure_sd;                                     /* of its logarithm, from one system to the next; 0 = it is known */
    double reclaim_s;      /* from one reclaim that stops the run to the next; 0 = machines are not taken back */
    double reclaim_down_s; /* until as many are there again */
    bool reclaim_saved;    /* the notice is long enough for a checkpoint */
    double detect_s, requeue_s, image_s, compile_s;
    double repair_s; /* of a node, when no spare is left */
    int32_t spares;
    double node_w; /* power of a node under load; 0 = not known */
    double pue;    /* 0 = not known */
};

struct rr_ttt {
    double steps, warmup_steps; /* all of them, and those of the warm-up */
    double train_s, eval_s;     /* without interruptions */
    double checkpoint_s;        /* waiting for checkpoints */
    double lost_s;              /* work done twice, down, restore */
    double reclaimed_s;         /* of which to reclaims */
    double startup_s;
    double rerun_s; /* what reruns add */
    double total_s; /* the sum */
    double goodput; /* train_s / (total_s - rerun_s) */
    double mtbf_s, interval_s, write_s, stall_s, restore_s, down_s, failures, reclaims;
    bool hopeless;         /* failures come faster than a checkpoint interval can be finished: total_s is infinite */
    double gpu_hours, kwh; /* reruns and PUE included; kwh NaN when the power is not known */
};
/* step_s: of the layout's whole batch; the steps of a warm-up are predicted with the model and scaled like it. */
void rr_ttt_make(const struct rr_ttt_plan *p, const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c,
                 const struct rr_layout *l, double step_s, struct rr_ttt *ret);
/* Chance that a failure finds no spare, and the mean wait for a node then: nodes in repair are Poisson with mean repair / M. */
double rr_ttt_spare_wait_s(double mtbf_s, double repair_s, int32_t spares);
/* Spare nodes with which (nodes + spares) x time is least, where failures are as frequent as p->failure_least; p->spares is not looked at. */
int32_t rr_ttt_spares(const struct rr_ttt_plan *p, int32_t gpus, int32_t gpus_per_node);

struct rr_ttt_doubt {                    /* standard deviations of logarithms */
    double model;                        /* of a step against its prediction, whatever the coefficients: what validation shows */
    double coef;                         /* of each coefficient */
    double network;                      /* of the bandwidth between nodes, more than that: from one cluster to the next */
    bool calibrated;                     /* a profile's worlds hold for what it measured, in place of these two */
    const struct rr_calibrated *profile; /* those worlds: draw i is world i; NULL: none */
    bool still;                          /* what it measured does not vary: somebody else draws its worlds */
};
struct rr_ttt_band {
    double step_p10_s, step_p50_s, step_p90_s;
    double p10_s, p50_s, p90_s; /* total */
    double by_step[2];          /* P10 and P90 of the total if failures came as expected */
    double by_failures[2];      /* the same if the step took as long as expected */
    double tuned_s;             /* failures as in the best published system, step at its P10 */
    double first_months_s;      /* failures as in the worst one, step at its P90 */
};
#define RR_TTT_DRAWS RR_CALIBRATED_WORLDS /* quantiles type 7 fall on draws */
/* `entity` keys the stream: the same question has the same band. Times above what double holds are infinite. */
void rr_ttt_band(const struct rr_ttt_plan *p, const struct rr_ttt_doubt *d, const struct rr_arch *a, const struct rr_machine *m,
                 const struct rr_coefs *c, const struct rr_layout *l, double step_s, uint64_t seed, struct rr_ttt_band *ret);
#endif
