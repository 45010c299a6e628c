/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/layout.h - how a training run is spread over GPUs, and why a layout is not possible. */
#ifndef RR_MODELS_TRAIN_LAYOUT_H
#define RR_MODELS_TRAIN_LAYOUT_H
#include "data/base/text.h"
#include "data/train_facts.h"

#define RR_PRECISION_TABLE(X)                                 \
    X(FP32, "fp32", "32-bit products and states")             \
    X(TF32, "tf32", "32-bit states, TF32 products")           \
    X(FP16, "fp16", "16-bit products, 32-bit master weights") \
    X(BF16, "bf16", "the same with bfloat16")                 \
    X(FP8, "fp8", "8-bit products with one scale a tensor")   \
    X(MXFP8, "mxfp8", "8-bit products with a scale every 32") \
    X(NVFP4, "nvfp4", "4-bit products with a scale every 16")
#define X(id, name, help) RR_##id,
enum rr_precision { RR_PRECISION_TABLE(X) RR_PRECISION_N };
#undef X
extern const char *const rr_precision_name[RR_PRECISION_N];

enum rr_recompute { RR_RECOMPUTE_NONE, RR_RECOMPUTE_SELECTIVE, RR_RECOMPUTE_FULL, RR_RECOMPUTE_N };
extern const char *const rr_recompute_name[RR_RECOMPUTE_N]; /* none, selective (attention core), full (every layer) */

struct rr_layout {
    int32_t gpus;
    int32_t tp, pp, vpp, dp, ep, cp; /* tp * pp * dp * cp = gpus; ep lies inside dp * cp; vpp = chunks a stage, 1 = not interleaved */
    int32_t etp;                     /* tensor parallel size inside experts; 0 = tp */
    int32_t zero;                    /* 0, 1 (optimizer), 2 (and gradients), 3 (and weights, FSDP) */
    int32_t shard;                   /* ranks that zero spreads over (HSDP); 0 = dp * cp */
    int32_t micro_batch, global_batch, seq;
    int32_t ends; /* layer slots that embedding and head take when layers are shared out: the first and last stage have fewer layers */
    int32_t recompute_layers; /* full recompute of so many layers a stage; 0 = of all of them */
    enum rr_precision precision;
    enum rr_recompute recompute;
    bool sequence_parallel; /* norms and residuals are split over tp too */
    bool flash;             /* attention never writes its scores */
    bool tp_overlap;        /* tensor-parallel communication hides behind products */
    bool balanced;          /* stages get equal shares of the parameters, head included (nanotron), not equal counts of layers */
    bool grads32;           /* gradients are also kept in 32 bits, beside those of mem_param */
    bool drop_tokens;       /* experts have a fixed capacity: nobody waits for counts of tokens */
    bool ep_overlap;        /* all-to-all of experts between nodes runs beside the other chunk's work (interleaved 1F1B) */
    bool dp_overlap;        /* gradients are reduced while the backward pass runs */
};
/* Sequences in flight per data-parallel rank: global_batch / (micro_batch * dp). */
static inline int32_t rr_layout_micro_batches(const struct rr_layout *l) { return l->global_batch / (l->micro_batch * l->dp); }

/* Layers [first, first + count) are on a stage; `head`: the vocabulary projection is too. An uneven rest goes to the first stages; with `ends` slots
 * taken, the last stage has (ends + 1) / 2 layers less and the first ends / 2. */
struct rr_stage {
    int32_t first, count;
    bool head;
};
struct rr_stage rr_layout_stage(const struct rr_arch *a, const struct rr_layout *l, int32_t stage);

/* Why not: one row each. */
#define RR_LAYOUT_FAULT_TABLE(X)                                                                     \
    X(OK, "legal")                                                                                   \
    X(SIZE, "a size below 1")                                                                        \
    X(WORLD, "tp x pp x dp x cp is not the number of GPUs")                                          \
    X(HEAD_DIM, "the hidden size does not divide by the heads")                                      \
    X(HEADS, "heads do not divide by tp")                                                            \
    X(KV_HEADS, "kv heads and tp do not divide")                                                     \
    X(FFN, "the MLP's width does not divide by tp")                                                  \
    X(LAYERS, "layers do not divide by pp x vpp")                                                    \
    X(BATCH, "the global batch does not divide by micro batch x dp")                                 \
    X(INTERLEAVE, "interleaving needs pp > 1 and micro batches in multiples of pp")                  \
    X(SEQ, "the sequence does not divide by 2 x cp, or by tp")                                       \
    X(EXPERTS, "experts do not divide by ep")                                                        \
    X(EP, "dp x cp does not divide by ep")                                                           \
    X(NO_EXPERTS, "ep > 1 without experts")                                                          \
    X(SP_ALONE, "sequence parallel with tp = 1")                                                     \
    X(ZERO, "ZeRO with nothing to shard over, or ZeRO 2 and above with pp > 1 where it is not done") \
    X(RECOMPUTE, "more layers to recompute than a stage has")                                        \
    X(PRECISION, "the GPU has no such precision")                                                    \
    X(VOCAB, "no vocabulary")                                                                        \
    X(MEMORY, "does not fit in memory")
#define X(id, help) RR_FAULT_##id,
enum rr_layout_fault { RR_LAYOUT_FAULT_TABLE(X) RR_FAULT_N };
#undef X
extern const char *const rr_layout_fault_help[RR_FAULT_N];

/* RR_FAULT_OK or the first thing that is wrong; fast, allocates nothing. MEMORY is never found here (memory.h). */
enum rr_layout_fault rr_layout_check(const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l);
/* One line with the numbers: "heads: 30 do not divide by tp 4". */
void rr_layout_say(struct rr_buf *b, const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l,
                   enum rr_layout_fault fault);
/* What is legal but worth a line, "" when nothing is: tensor parallelism over several nodes, a vocabulary that is padded; each ends with a newline. */
void rr_layout_notes(struct rr_buf *b, const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l);
/* The vocabulary as Megatron pads it: to a multiple of 128 tp. */
static inline int64_t rr_layout_padded_vocab(const struct rr_arch *a, const struct rr_layout *l)
{
    const int64_t of = 128 * (int64_t)l->tp;
    return (a->vocab + of - 1) / of * of;
}
/* "tp 4 pp 8 vpp 5 dp 4 cp 2, micro batch 1, fp8" */
void rr_layout_text(struct rr_buf *b, const struct rr_layout *l);
/* Dense peak of that precision's products, FLOP/s; 0 = the GPU has none. */
double rr_machine_peak_flops(const struct rr_machine *m, enum rr_precision p);
RR_CHECKED enum rr_status rr_precision_parse(const char *word, enum rr_precision *ret); /* RR_EINPUT with the nearest right word */
RR_CHECKED enum rr_status rr_recompute_parse(const char *word, enum rr_recompute *ret);
#endif
