/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/coef.h - the few numbers that a framework on a GPU is described by, each with a meaning, a unit and bounds.
 *
 * A profile such as "nemo/h100" is a framework and a GPU family. What a profile has no row for, its family's or framework's nearest relative
 * gives, then the default here. data/facts/train_coefficients.csv holds the fitted values; `rackrate fit training` finds them again. */
#ifndef RR_MODELS_TRAIN_COEF_H
#define RR_MODELS_TRAIN_COEF_H
#include "data/train_facts.h"

/* id, name, unit, default, least, most, meaning */
#define RR_COEF_TABLE(X)                                                                                                                  \
    X(GEMM_EFF, "gemm_eff", "of peak", 0.75, 0.3, 0.93, "what large 16-bit matrix products reach")                                        \
    X(GEMM8_EFF, "gemm8_eff", "of peak", 0.65, 0.15, 1.0, "what large 8-bit matrix products reach, casts included")                       \
    X(GEMMX_EFF, "gemmx_eff", "of peak", 0.6, 0.15, 1.0,                                                                                  \
      "what large 8-bit products with scales for parts of a tensor reach (MXFP8, rowwise)")                                               \
    X(GEMM4_EFF, "gemm4_eff", "of peak", 0.5, 0.1, 1.0, "what large 4-bit matrix products reach, casts included")                         \
    X(GEMM_TAIL, "gemm_tail", "waves", 0.5, 0.0, 2.0, "waves of tiles lost at the end of a product")                                      \
    X(GEMM_DEPTH, "gemm_depth", "elements", 200, 0.0, 2000, "depth k at which a tile spends half its time on start and end")              \
    X(GEMM_ALIGN, "gemm_align", "share", 0.25, 0, 2, "longer product where a width is no multiple of 64 elements")                        \
    X(ATTN_ALIGN, "attn_align", "share", 1.0, 0, 6, "longer attention where the width of a head is no multiple of 8")                     \
    X(ATTN_EFF, "attn_eff", "of peak", 0.55, 0.05, 0.95, "what attention's products reach")                                               \
    X(ATTN_SOFTMAX, "attn_softmax", "elements", 60, 0, 600,                                                                               \
      "width of a query and a value at which a score's exponential takes as long as its products")                                        \
    X(ATTN_BYTES, "attn_bytes", "bytes", 8.0, 0.0, 60, "moved a score by attention that writes its scores, forward")                      \
    X(MEM_EFF, "mem_eff", "of peak", 0.75, 0.2, 1.0, "of memory bandwidth that memory-bound kernels reach")                               \
    X(MEM_PASSES, "mem_passes", "passes", 14, 2, 60, "16-bit reads and writes of the hidden state a layer, forward")                      \
    X(LAUNCH_US, "launch_us", "us", 250, 0, 5000, "host time of one layer's forward pass")                                                \
    X(LAUNCH_BACK, "launch_back", "ratio", 1.2, 0.3, 4.0, "host time of a backward pass over that of a forward pass")                     \
    X(LAUNCH_TP_US, "launch_tp_us", "us", 50, 0, 3000, "more of it where the layer is split by tensor parallelism")                       \
    X(KERNEL_US, "kernel_us", "us", 3, 0, 20, "start and end of a kernel on the device")                                                  \
    X(LINK_EFF, "link_eff", "of peak", 0.8, 0.1, 1.0, "of the fast links' bandwidth that collectives reach")                              \
    X(LINK_US, "link_us", "us", 15, 0, 60, "latency of a collective inside the fast domain")                                              \
    X(NET_EFF, "net_eff", "of peak", 0.7, 0.02, 1.0, "of the adapters' bandwidth that collectives between nodes reach")                   \
    X(NET_US, "net_us", "us", 30, 0, 2000, "latency that each further node adds to a collective")                                         \
    X(NET_DECAY, "net_decay", "ratio", 0.0, 0.0, 1.5, "bandwidth between nodes falls as nodes to this power")                             \
    X(GATHER_NET, "gather_net", "ratio", 0.9, 0.2, 1.0,                                                                                   \
      "bandwidth of all-gather and reduce-scatter between nodes over that of all-reduce")                                                 \
    X(TP_SHOWN, "tp_shown", "share", 0.9, 0.0, 1.0, "of tensor-parallel communication that products do not hide, where they overlap")     \
    X(DP_SHOWN, "dp_shown", "share", 0.5, 0.0, 1.0, "of data-parallel communication that the backward pass does not hide")                \
    X(GATHER_SHOWN, "gather_shown", "share", 0.3, 0.0, 1.0, "of gathering the updated weights (ZeRO-1) that the next step does not hide") \
    X(PP_SHOWN, "pp_shown", "share", 0.9, 0.0, 1.0, "of pipeline sends that nothing hides")                                               \
    X(EP_SHOWN, "ep_shown", "share", 1.0, 0.0, 1.0, "of expert all-to-all that nothing hides")                                            \
    X(EP_IMBALANCE, "ep_imbalance", "ratio", 1.1, 1.0, 3.0, "busiest expert rank over the mean")                                          \
    X(MOE_SYNC_US, "moe_sync_us", "us", 100, 0, 4000, "a layer whose experts take all tokens waits for their counts, each pass")          \
    X(CP_SHOWN, "cp_shown", "share", 0.3, 0.0, 1.0, "of context-parallel communication that attention does not hide")                     \
    X(STEP_MS, "step_ms", "ms", 20, 0, 500, "what a step costs whatever its size")                                                        \
    X(MICRO_MS, "micro_ms", "ms", 0.5, 0, 50, "what a micro batch costs whatever its size")                                               \
    X(OPT_BYTES, "opt_bytes", "bytes", 30, 4, 300, "moved a parameter by the optimizer, clipping and casts")                              \
    X(STALL_MS, "stall_ms", "ms", 0.5, 0, 2000,                                                                                           \
      "a step waits on 64 nodes or more for a network that others use too; below with nodes to the eighth")                               \
    X(PP_STALL_MS, "pp_stall_ms", "ms", 0.5, 0, 4000, "a micro batch waits in a pipeline over many nodes, as nanotron on EFA did")        \
    X(GRAD_BYTES, "grad_bytes", "bytes", 4, 1, 4, "a gradient when it is reduced")                                                        \
    X(SELECT_SHARE, "select_share", "share", 0, 0, 1, "of the forward pass that selective recompute repeats beside the attention core")   \
    X(STRAGGLE, "straggle", "share", 0.005, 0.0, 0.1, "longer step for each doubling of nodes")                                           \
    X(MEM_CONTEXT, "mem_context", "GiB", 2.0, 0, 12, "CUDA, NCCL and the framework, outside the allocator")                               \
    X(MEM_REST, "mem_rest", "GiB", 0.2, 0, 2, "what the allocator holds whatever the model: workspaces of libraries, random states")      \
    X(MEM_PARAM, "mem_param", "bytes", 6, 2, 16, "held a parameter whatever is sharded: weight and gradient (ZeRO-3: while gathered)")    \
    X(MEM_STATE, "mem_state", "bytes", 12, 4, 24, "held a parameter and sharded by ZeRO: master weight, moments")                         \
    X(MEM_BUCKET, "mem_bucket", "bytes", 0, 0, 4, "held a parameter in buckets of gradients, where replicas shard nothing")               \
    X(MEM_FRAG, "mem_frag", "share", 0.0, 0, 0.5,                                                                                         \
      "of activations and logits, lost to blocks that fit no tensor of the second micro batch and later")                                 \
    X(ACT_BYTES, "act_bytes", "bytes", 18, 2, 80,                                                                                         \
      "kept a token and hidden element of a layer, beside the MLP's inner width; 6 of them are q, k, v")                                  \
    X(ACT_FFN_BYTES, "act_ffn_bytes", "bytes", 4, 0, 20,                                                                                  \
      "kept a token and element of the MLP's inner width; half as much again where it is gated")                                          \
    X(ACT_SELECT, "act_select", "share", 1.0, 0.05, 1.0, "of these that selective recompute keeps")                                       \
    X(WORK_LAYERS, "work_layers", "layers", 1, 0, 4, "whose activations' gradients are held while a layer is computed backward")          \
    X(WORK_BYTES, "work_bytes", "bytes", 4, 0, 40,                                                                                        \
      "held a token and hidden element while a layer is computed, whole on each rank of tp > 1")                                          \
    X(LOGIT_BYTES, "logit_bytes", "bytes", 8, 0, 30, "held a token and word of the vocabulary")                                           \
    X(HEAD_BYTES, "head_bytes", "bytes", 4, 0, 150, "held a token and hidden element around the head, whole on each rank of tp > 1")      \
    X(MEM_SCALE, "mem_scale", "ratio", 1, 0.2, 5, "times what is not weights, gradients, optimizer or context: one own measured run")     \
    X(GATHER_LAYERS, "gather_layers", "layers", 2, 0, 20, "gathered at a time by ZeRO-3, with their gradients")

#define X(id, name, unit, def, least, most, help) RR_COEF_##id,
enum rr_coef { RR_COEF_TABLE(X) RR_COEF_N };
#undef X

struct rr_coefs {
    double v[RR_COEF_N];
    const char *profile; /* "nemo/h100"; borrowed */
};
struct rr_coef_info {
    const char *name, *unit;
    double otherwise, least, most;
    const char *help;
};
extern const struct rr_coef_info rr_coef_info[RR_COEF_N];

/* The profile FRAMEWORK/FAMILY. RR_EINPUT with the nearest right name; a family without rows of that framework takes those of the nearest (said in *note, "" = none). */
RR_CHECKED enum rr_status rr_coefs_find(const struct rr_train_facts *f, struct rr_arena *a, const char *framework, const char *family,
                                        struct rr_coefs *ret, const char **note);
void rr_coefs_default(struct rr_coefs *ret);
/* Published runs that the coefficients of a framework on a family of GPUs were fitted to ("... over 207 published rows"); 0 = none. */
long rr_coefs_runs(const struct rr_train_facts *f, const char *framework, const char *family);
/* The framework of those who name none: the one with most published runs on each of family[n], first among those that split a model in every way; where
 * none ran on all, the same for family[0] alone. */
const char *rr_coefs_usual(const struct rr_train_facts *f, const struct rr_arch *arch, const char *const *family, size_t n);
#endif
