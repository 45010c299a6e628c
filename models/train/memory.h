/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/memory.h - what a rank holds in memory, term by term, on each pipeline stage. */
#ifndef RR_MODELS_TRAIN_MEMORY_H
#define RR_MODELS_TRAIN_MEMORY_H
#include "models/train/coef.h"
#include "models/train/layout.h"

#define RR_MEMORY_TABLE(X)                                                                      \
    X(WEIGHTS, "weights", "in the precision of the products")                                   \
    X(GRADIENTS, "gradients", "as they are accumulated")                                        \
    X(OPTIMIZER, "optimizer", "master weights and two moments, divided by ZeRO")                \
    X(ACTIVATIONS, "activations", "kept for the backward pass, of all micro batches in flight") \
    X(LOGITS, "logits", "on the last stage")                                                    \
    X(EXPERTS, "experts", "tokens on their way to and from experts")                            \
    X(BUFFERS, "buffers", "of communication: gathered weights, buckets, pipeline messages")     \
    X(WORKSPACE, "workspace", "of the layer that is being computed, and of libraries")          \
    X(FRAGMENTS, "fragments", "blocks that later micro batches cannot use")                     \
    X(CONTEXT, "context", "CUDA, NCCL and the framework")
#define X(id, name, help) RR_MEMORY_##id,
enum rr_memory_term { RR_MEMORY_TABLE(X) RR_MEMORY_N };
#undef X
extern const char *const rr_memory_name[RR_MEMORY_N];
extern const char *const rr_memory_help[RR_MEMORY_N];

struct rr_memory {
    double term_bytes[RR_MEMORY_N];
    double total_bytes;
    int32_t stage;
};
/* Terms that follow from the number of parameters; the others, but for the context, are scaled by a measurement. */
static inline bool rr_memory_is_state(int term)
{
    return term == RR_MEMORY_WEIGHTS || term == RR_MEMORY_GRADIENTS || term == RR_MEMORY_OPTIMIZER;
}
/* Of one stage, 0 .. pp - 1. The layout must be legal. */
void rr_memory_stage(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, int32_t stage, struct rr_memory *ret);
/* Of the stage that holds most. */
void rr_memory_peak(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, struct rr_memory *ret);
/* The fewest layers that each stage has to recompute for all stages to fit, 1 or more: memory falls by the same amount with each. 0: not even all of them are
 * enough. The layout's recompute is taken as full; found in closed form, two stages' memory each. */
int32_t rr_memory_recompute_least(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, double usable_bytes);
/* What the machine lets a program have, bytes. */
double rr_memory_usable_bytes(const struct rr_machine *m);
#endif
