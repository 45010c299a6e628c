/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_facts.h - what training runs are made of: model architectures, machines with their links, fitted coefficients.
 *
 * Plain rows of data/facts/models.csv, machines.csv and train_coefficients.csv, each with source and date; models/train/ computes with them. */
#ifndef RR_DATA_TRAIN_FACTS_H
#define RR_DATA_TRAIN_FACTS_H
#include "data/catalog.h"

/* A transformer (or, by table, another network). Counts are whole numbers; 0 = it has none of it. */
struct rr_arch {
    const char *name;    /* "llama-3-70b" */
    const char *aliases; /* other spellings, separated by | */
    int32_t layers, hidden, heads, kv_heads;
    int32_t head_dim;      /* 0 = hidden / heads */
    int32_t ffn;           /* width of the dense MLP; of a gated one, of one of its three matrices */
    int32_t gated;         /* 1: three matrices (SwiGLU), 0: two */
    int32_t vocab, tied;   /* tied = 1: input and output embedding are one */
    int32_t positions;     /* learned position embeddings; 0 = rotary or ALiBi */
    int32_t seq;           /* tokens in a sequence as it was trained */
    int32_t encoder;       /* 1: no causal mask (BERT) */
    int32_t window;        /* sliding-window attention of so many tokens ... */
    int32_t window_layers; /* ... in so many of the layers */
    int32_t experts, top_k, expert_ffn, shared_ffn;
    int32_t dense_layers;                               /* of a mixture of experts: first layers without experts */
    int32_t q_lora, kv_lora, rope_dim, nope_dim, v_dim; /* multi-head latent attention (DeepSeek); kv_lora 0 = plain heads */
    int32_t attention_layers, mamba_layers, ffn_layers; /* hybrids; all 0 = every layer has attention and an MLP */
    int32_t mamba_inner, mamba_state, mamba_groups;
    int32_t latent;      /* experts work in so many dimensions instead of hidden; 0 = hidden */
    int32_t ends;        /* layer slots that its developers left to embedding and head when they shared out layers (126 + 2 on 16 stages) */
    int32_t mtp;         /* layers that predict further tokens in training */
    int32_t lora_rank;   /* > 0: the weights are frozen, adapters of this rank are trained */
    double sample_gflop; /* by table: forward FLOPs (10^9, a multiply-add is two) of one sample; 0 = computed from the shape */
    double sample_mb;    /* by table: bytes (10^6) that one sample's forward pass moves in 16 bits */
    double params_m;     /* by table: 10^6 parameters */
    struct rr_fact fact;
};

/* One GPU in its node and network. Bandwidths are one direction, 10^9 bytes/s; peaks are dense, 10^12 FLOP/s; 0 = it has none. */
struct rr_machine {
    const char *id;      /* "h100-sxm-ib400" */
    const char *aliases; /* names that published rows and users give its GPU, separated by | */
    const char *gpu;     /* rr_gpu id, for money and energy; "" = not in the facts */
    const char *family;  /* "h100": which coefficients hold */
    int32_t gpus_per_node;
    int32_t domain; /* GPUs that the fast links join (72 in an NVL72); >= gpus_per_node or 0 = gpus_per_node */
    int32_t sms;    /* processors that share a matrix product */
    double fp32_tflops, tf32_tflops, bf16_tflops, fp8_tflops, fp4_tflops;
    double memory_gib, memory_gb_s;
    double link_gb_s; /* inside the domain, of a GPU */
    double net_gb_s;  /* between nodes, a GPU's share of the node's adapters */
    double power_w;   /* of the GPU alone, board limit */
    struct rr_fact fact;
};

struct rr_coef_row {         /* one fitted number */
    const char *profile;     /* "nemo/h100": framework and family; a name without its own row falls back to the profile in `like` */
    const char *coefficient; /* models/train/coef.h */
    double value;
    const char *unit;
    struct rr_fact fact;
};

/* How the rows of a published data set were run, where the rows do not say: the first row whose prefixes fit holds. */
struct rr_train_set {
    const char *prefix;    /* of the column source */
    const char *model;     /* prefix of the column model; "" = any */
    const char *name;      /* of the set in tables */
    const char *framework; /* of the coefficients */
    double net_gb_s;       /* a GPU's share of its node's adapters, one direction; 0 = as the machine has it */
    int32_t flash, sequence_parallel, tp_overlap, dp_overlap, balanced; /* as in struct rr_layout */
    int32_t gated, tied, positions;                                     /* as in struct rr_arch */
    int32_t zero, vocab;
    const char *recompute; /* where the rows do not print it; "" = none */
    struct rr_fact fact;
};

/* How well the shipped coefficients foretell published rows of one kind; "left out": by a fit without the row's fifth. Ratios are predicted / measured. */
struct rr_train_accuracy {
    const char *set;                /* "NeMo" */
    const char *measure;            /* "step time", "time to train", "memory" */
    const char *framework, *family; /* of the coefficients; "" = all of the set */
    int32_t rows, left_out;         /* rows of each kind; left_out 0 = not cross-validated, and its fields are 0 */
    double mape, median_error;      /* shares, of |predicted / measured - 1| */
    double mean, p10, p50, p90;     /* ratios; bias = mean - 1 */
    double left_out_mape, left_out_median_error;
    double left_out_p10, left_out_p50, left_out_p90;
    struct rr_fact fact;
};

struct rr_train_facts {
    const struct rr_train_set *set;
    size_t n_sets;
    const struct rr_train_accuracy *accuracy; /* train_accuracy.csv, as `make validate-training` writes it */
    size_t n_accuracies;
    const struct rr_arch *arch;
    const struct rr_machine *machine;
    const struct rr_coef_row *coef;
    size_t n_archs, n_machines, n_coefs;
};
/* RR_EINPUT "PATH:LINE: ..." for a column or a unit that is missing or wrong, a repeated name, a row without source or date. */
RR_CHECKED enum rr_status rr_train_facts_load(const char *data_dir, struct rr_arena *a, struct rr_train_facts *ret);
/* By name or alias, ASCII case ignored; RR_EINPUT with the nearest right name. */
RR_CHECKED enum rr_status rr_train_facts_arch(const struct rr_train_facts *f, struct rr_arena *a, const char *name,
                                              const struct rr_arch **ret);
RR_CHECKED enum rr_status rr_train_facts_machine(const struct rr_train_facts *f, struct rr_arena *a, const char *name,
                                                 const struct rr_machine **ret);
/* NULL when no set's prefixes fit. */
const struct rr_train_set *rr_train_facts_set(const struct rr_train_facts *f, const char *source, const char *model);
#endif
