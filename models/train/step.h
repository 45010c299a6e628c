/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/step.h - how long one optimizer step takes, term by term.
 *
 * Operator by operator: matrix products by shape, attention, what memory bandwidth bounds, launches; collectives by where their ranks sit and
 * what hides them; the pipeline by its schedule. Pure, allocates nothing, a few microseconds a layout. */
#ifndef RR_MODELS_TRAIN_STEP_H
#define RR_MODELS_TRAIN_STEP_H
#include "models/train/coef.h"
#include "models/train/layout.h"

#define RR_STEP_TABLE(X)                                                                         \
    X(GEMM, "matrix products", "2 m n k FLOPs at the rate that the shape reaches")               \
    X(ATTENTION, "attention", "scores and weighted values")                                      \
    X(MEMORY, "memory-bound", "norms, activations, residuals: bytes at memory bandwidth")        \
    X(LOGITS, "embedding and logits", "vocabulary projection and loss on the last stage")        \
    X(RECOMPUTE, "recompute", "forward passes repeated in the backward pass")                    \
    X(LAUNCH, "launch", "waiting for the host to launch kernels")                                \
    X(TP, "tensor parallel", "all-reduce, or all-gather and reduce-scatter, that nothing hides") \
    X(CP, "context parallel", "keys and values passed around")                                   \
    X(EP, "expert parallel", "all-to-all of tokens, with imbalance")                             \
    X(PP, "pipeline sends", "between stages")                                                    \
    X(BUBBLE, "pipeline bubble", "stages that wait for work")                                    \
    X(DP, "data parallel", "gradients and sharded weights, beyond what the backward pass hides") \
    X(OPTIMIZER, "optimizer", "reads and writes of the states")                                  \
    X(FIXED, "fixed", "what a step costs whatever its size: data, clipping, logging")            \
    X(STRAGGLER, "stragglers", "the slowest of many ranks, network jitter")
#define X(id, name, help) RR_STEP_##id,
enum rr_step_term { RR_STEP_TABLE(X) RR_STEP_N };
#undef X
extern const char *const rr_step_name[RR_STEP_N];
extern const char *const rr_step_help[RR_STEP_N];

struct rr_step {
    double term_s[RR_STEP_N]; /* of the slowest stage; they add up to total_s */
    double total_s;
    double model_flops; /* RR_FLOP_MODEL_FULL of the global batch */
    double mfu;         /* model_flops / (gpus x dense peak of 16-bit products x total_s) */
    double tokens_per_s_per_gpu;
};
/* A legal layout (layout.h). play: the pipeline is played stage by stage; false: its closed form, for searches. */
void rr_step_time(const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c, const struct rr_layout *l, bool play,
                  struct rr_step *ret);
#endif
