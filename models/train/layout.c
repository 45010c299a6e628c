/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/layout.c - legality of a layout, with the numbers. */
#include "models/train/layout.h"
#include "models/train/arch.h"
#include <string.h>

const char *const rr_precision_name[RR_PRECISION_N] = {
#define X(id, name, help) name,
    RR_PRECISION_TABLE(X)
#undef X
};
const char *const rr_recompute_name[RR_RECOMPUTE_N] = {"none", "selective", "full"};
const char *const rr_layout_fault_help[RR_FAULT_N] = {
#define X(id, help) help,
    RR_LAYOUT_FAULT_TABLE(X)
#undef X
};

double rr_machine_peak_flops(const struct rr_machine *m, enum rr_precision p)
{
    switch (p) {
    case RR_FP32: return m->fp32_tflops * 1e12;
    case RR_TF32: return m->tf32_tflops * 1e12;
    case RR_FP8:
    case RR_MXFP8: return m->fp8_tflops * 1e12;
    case RR_NVFP4: return m->fp4_tflops * 1e12;
    default: return m->bf16_tflops * 1e12;
    }
}

/* nanotron: blocks in order, the next stage begins when the sum of costs has passed its share. */
static struct rr_stage balanced_stage(const struct rr_arch *a, const struct rr_layout *l, int32_t stage)
{
    const double d = rr_arch_head_dim(a), layer = (4.0 * a->heads * d + 3.0 * a->ffn) * a->hidden, head = (double)a->vocab * a->hidden;
    const double all = a->layers * layer + head;
    struct rr_stage s = {0};
    int32_t at = 0;
    for (int32_t i = 0; i < a->layers; i++) {
        if (at == stage) {
            if (s.count++ == 0) s.first = i;
        }
        if ((i + 1) * layer > all * (at + 1) / l->pp) at++;
    }
    s.head = at == stage;
    return s;
}

struct rr_stage rr_layout_stage(const struct rr_arch *a, const struct rr_layout *l, int32_t stage)
{
    if (l->balanced) return balanced_stage(a, l, stage);
    const int32_t taken = l->pp > 1 ? l->ends : 0, all = a->layers + taken, each = all / l->pp, rest = all % l->pp;
    const int32_t before = stage < rest ? stage : rest, ends = (stage == 0 ? taken / 2 : 0) + (stage == l->pp - 1 ? (taken + 1) / 2 : 0);
    const int32_t first = stage * each + before - (stage > 0 ? taken / 2 : 0);
    return (struct rr_stage){first, each + (stage < rest) - ends, stage == l->pp - 1};
}

static bool sizes_fault(const struct rr_layout *l)
{
    return l->gpus < 1 || l->tp < 1 || l->pp < 1 || l->vpp < 1 || l->dp < 1 || l->ep < 1 || l->cp < 1 || l->micro_batch < 1 ||
           l->global_batch < 1 || l->seq < 1;
}

/* The first width of an MLP that tensor parallelism cannot split: the dense one, an expert's, the shared experts'; 0 = none. */
static int32_t unsplit_width(const struct rr_arch *a, const struct rr_layout *l)
{
    if (a->ffn % l->tp) return a->ffn;
    if (a->experts && a->expert_ffn % (l->etp ? l->etp : l->tp)) return a->expert_ffn;
    return a->experts && a->shared_ffn % l->tp ? a->shared_ffn : 0;
}

/* Of the stage that has most. */
static int32_t most_layers(const struct rr_arch *a, const struct rr_layout *l)
{
    return (a->layers + (l->pp > 1 ? l->ends : 0) + l->pp - 1) / l->pp;
}

static bool layers_fault(const struct rr_arch *a, const struct rr_layout *l)
{
    const int64_t chunks = (int64_t)l->pp * l->vpp;
    const int32_t taken = l->pp > 1 ? l->ends : 0;
    return (a->layers + taken) % chunks || (a->layers + taken) / l->pp < (taken + 1) / 2;
}

static enum rr_layout_fault shape_fault(const struct rr_arch *a, const struct rr_layout *l)
{
    if (a->heads && a->head_dim == 0 && a->kv_lora == 0 && a->hidden % a->heads) return RR_FAULT_HEAD_DIM;
    if (a->heads % l->tp) return RR_FAULT_HEADS;
    if (a->kv_heads && a->kv_heads % l->tp && l->tp % a->kv_heads) return RR_FAULT_KV_HEADS;
    if (unsplit_width(a, l)) return RR_FAULT_FFN;
    if (layers_fault(a, l)) return RR_FAULT_LAYERS;
    if (l->recompute_layers && (l->recompute != RR_RECOMPUTE_FULL || l->recompute_layers > most_layers(a, l))) return RR_FAULT_RECOMPUTE;
    if (l->cp > 1 && l->seq % (2 * l->cp)) return RR_FAULT_SEQ;
    if (l->sequence_parallel && l->tp == 1) return RR_FAULT_SP_ALONE;
    if (l->sequence_parallel && l->seq / l->cp % l->tp) return RR_FAULT_SEQ;
    if (l->ep > 1 && a->experts == 0) return RR_FAULT_NO_EXPERTS;
    if (l->ep > 1 && a->experts % l->ep) return RR_FAULT_EXPERTS;
    if (l->ep > 1 && ((int64_t)l->dp * l->cp) % l->ep) return RR_FAULT_EP;
    return RR_FAULT_OK;
}

enum rr_layout_fault rr_layout_check(const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l)
{
    if (sizes_fault(l)) return RR_FAULT_SIZE;
    if ((int64_t)l->tp * l->pp * l->dp * l->cp != l->gpus) return RR_FAULT_WORLD;
    if (l->global_batch % ((int64_t)l->micro_batch * l->dp)) return RR_FAULT_BATCH;
    if (l->vpp > 1 && (l->pp == 1 || rr_layout_micro_batches(l) % l->pp)) return RR_FAULT_INTERLEAVE;
    if (l->zero > 0 && l->dp * l->cp == 1) return RR_FAULT_ZERO;
    if (l->zero >= 2 && l->pp > 1) return RR_FAULT_ZERO;
    if (rr_machine_peak_flops(m, l->precision) <= 0) return RR_FAULT_PRECISION;
    if (a->sample_gflop > 0) return l->tp * l->pp * l->cp * l->ep > 1 ? RR_FAULT_LAYERS : RR_FAULT_OK;
    return shape_fault(a, l);
}

void rr_layout_say(struct rr_buf *b, const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l,
                   enum rr_layout_fault fault)
{
    switch (fault) {
    case RR_FAULT_WORLD:
        rr_buf_putf(b, "world: tp %d x pp %d x dp %d x cp %d = %lld GPUs, not %d", l->tp, l->pp, l->dp, l->cp,
                    (long long)l->tp * l->pp * l->dp * l->cp, l->gpus);
        break;
    case RR_FAULT_HEADS: rr_buf_putf(b, "heads: %d do not divide by tp %d", a->heads, l->tp); break;
    case RR_FAULT_KV_HEADS: rr_buf_putf(b, "kv heads: %d and tp %d do not divide", a->kv_heads, l->tp); break;
    case RR_FAULT_HEAD_DIM: rr_buf_putf(b, "heads: a hidden size of %d does not divide by %d heads", a->hidden, a->heads); break;
    case RR_FAULT_FFN: rr_buf_putf(b, "MLP: a width of %d does not divide by tp %d", unsplit_width(a, l), l->tp); break;
    case RR_FAULT_LAYERS:
        if (a->sample_gflop > 0) {
            rr_buf_putf(b, "layers: %s is given by a table of its samples, so it has data parallelism only: tp, pp, cp and ep are 1",
                        a->name);
            break;
        }
        rr_buf_putf(b, "layers: %d ", a->layers);
        if (l->ends > 0) rr_buf_putf(b, "and %d for the ends ", l->ends);
        if (l->vpp > 1)
            rr_buf_putf(b, "do not divide by pp %d x vpp %d", l->pp, l->vpp);
        else
            rr_buf_putf(b, "layers on %d stages", l->pp);
        break;
    case RR_FAULT_RECOMPUTE:
        if (l->recompute != RR_RECOMPUTE_FULL)
            rr_buf_putf(b, "recompute: %d layers a stage go with recompute full, not %s", l->recompute_layers,
                        rr_recompute_name[l->recompute]);
        else
            rr_buf_putf(b, "recompute: %d layers a stage, but %d on %d stages are at most %d", l->recompute_layers, a->layers, l->pp,
                        most_layers(a, l));
        break;
    case RR_FAULT_BATCH:
        rr_buf_putf(b, "batch: %d sequences do not divide by micro batch %d x dp %d", l->global_batch, l->micro_batch, l->dp);
        break;
    case RR_FAULT_INTERLEAVE:
        if (l->pp == 1)
            rr_buf_putf(b, "interleave: vpp %d with pp 1: there is no pipeline to interleave", l->vpp);
        else
            rr_buf_putf(b, "interleave: with vpp %d micro batches come in multiples of pp %d; batch %d / (micro batch %d x dp %d) are %d",
                        l->vpp, l->pp, l->global_batch, l->micro_batch, l->dp, rr_layout_micro_batches(l));
        break;
    case RR_FAULT_SEQ:
        if (l->cp > 1 && l->seq % (2 * l->cp))
            rr_buf_putf(b, "sequence: %d tokens do not divide by 2 x cp %d", l->seq, l->cp);
        else
            rr_buf_putf(b, "sequence: %d tokens / cp %d do not divide by tp %d, as sequence parallel needs", l->seq, l->cp, l->tp);
        break;
    case RR_FAULT_EXPERTS: rr_buf_putf(b, "experts: %d do not divide by ep %d", a->experts, l->ep); break;
    case RR_FAULT_EP: rr_buf_putf(b, "experts: dp %d x cp %d does not divide by ep %d", l->dp, l->cp, l->ep); break;
    case RR_FAULT_NO_EXPERTS: rr_buf_putf(b, "experts: ep %d, but %s has no experts", l->ep, a->name); break;
    case RR_FAULT_SP_ALONE: rr_buf_puts(b, "sequence parallel: with tp 1 there is nothing to split over"); break;
    case RR_FAULT_ZERO:
        rr_buf_putf(b, "zero: stage %d with dp %d x cp %d and pp %d%s", l->zero, l->dp, l->cp, l->pp,
                    l->dp * l->cp == 1 ? ": nothing to shard over" : ": stages 2 and 3 go with pp 1");
        break;
    case RR_FAULT_PRECISION: rr_buf_putf(b, "precision: %s has no %s rate", m->id, rr_precision_name[l->precision]); break;
    case RR_FAULT_SIZE:
        rr_buf_putf(b,
                    "size: all of gpus %d tp %d pp %d vpp %d dp %d ep %d cp %d, micro batch %d, batch %d, sequence %d must be at least 1",
                    l->gpus, l->tp, l->pp, l->vpp, l->dp, l->ep, l->cp, l->micro_batch, l->global_batch, l->seq);
        break;
    default: rr_buf_puts(b, rr_layout_fault_help[fault]); break;
    }
}

void rr_layout_notes(struct rr_buf *b, const struct rr_arch *a, const struct rr_machine *m, const struct rr_layout *l)
{
    const int32_t domain = m->domain > m->gpus_per_node ? m->domain : m->gpus_per_node;
    if (l->tp > domain)
        rr_buf_putf(b, "tp %d spans %d nodes of %d GPUs: its collectives go through the network at every layer\n", l->tp,
                    (l->tp + m->gpus_per_node - 1) / m->gpus_per_node, m->gpus_per_node);
    if (a->sample_gflop <= 0 && a->vocab % l->tp)
        rr_buf_putf(b, "vocabulary: %d words do not divide by tp %d: padded to %lld, a multiple of 128 x tp\n", a->vocab, l->tp,
                    (long long)rr_layout_padded_vocab(a, l));
    if (a->kv_heads && a->kv_heads < l->tp)
        rr_buf_putf(b, "kv heads: %d for tp %d: each is held by %d ranks\n", a->kv_heads, l->tp, l->tp / a->kv_heads);
}

void rr_layout_text(struct rr_buf *b, const struct rr_layout *l)
{
    rr_buf_putf(b, "tp %d pp %d", l->tp, l->pp);
    if (l->vpp > 1) rr_buf_putf(b, " vpp %d", l->vpp);
    rr_buf_putf(b, " dp %d", l->dp);
    if (l->cp > 1) rr_buf_putf(b, " cp %d", l->cp);
    if (l->pp > 1 && l->ends > 0) rr_buf_putf(b, " ends %d", l->ends);
    if (l->ep > 1) rr_buf_putf(b, " ep %d", l->ep);
    if (l->zero > 0) rr_buf_putf(b, " zero %d", l->zero);
    rr_buf_putf(b, ", micro batch %d, %s", l->micro_batch, rr_precision_name[l->precision]);
    if (l->recompute_layers > 0)
        rr_buf_putf(b, ", recompute of %d layer%s a stage", l->recompute_layers, l->recompute_layers == 1 ? "" : "s");
    else if (l->recompute != RR_RECOMPUTE_NONE)
        rr_buf_putf(b, ", %s recompute", rr_recompute_name[l->recompute]);
}

enum rr_status rr_precision_parse(const char *word, enum rr_precision *ret)
{
    if (strcmp(word, "amp_bf16") == 0) word = "bf16";
    if (strcmp(word, "amp_fp16") == 0) word = "fp16";
    if (strcmp(word, "amp_fp8") == 0) word = "fp8";
    if (strcmp(word, "fp4") == 0) word = "nvfp4";
    for (int i = 0; i < RR_PRECISION_N; i++)
        if (strcmp(word, rr_precision_name[i]) == 0) {
            *ret = (enum rr_precision)i;
            return RR_OK;
        }
    const char *near = rr_nearest(word, rr_precision_name, RR_PRECISION_N);
    return rr_fail(RR_EINPUT, "unknown precision \"%s\"%s%s%s", word, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

enum rr_status rr_recompute_parse(const char *word, enum rr_recompute *ret)
{
    for (int i = 0; i < RR_RECOMPUTE_N; i++)
        if (strcmp(word, rr_recompute_name[i]) == 0) {
            *ret = (enum rr_recompute)i;
            return RR_OK;
        }
    const char *near = rr_nearest(word, rr_recompute_name, RR_RECOMPUTE_N);
    return rr_fail(RR_EINPUT, "unknown recompute \"%s\"%s%s%s", word, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}
