/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/published.c - rows of published measurements to runs. */
#include "models/train/published.h"
#include "models/train/arch.h"
#include "models/train/gpu_name.h"
#include <math.h>
#include <string.h>

#define MOST_MFU 1.5 /* a share: dense peaks of 16 bits are passed in 8 and 4 bits, but not by this */

/* Small letters; what parts words is alike. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c == '_' || c == '-' ? ' ' : c; }

/* Length of `name` if `text` starts with it, ASCII case and kind of hyphen ignored; else 0. */
static size_t starts(const char *text, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lower(text[i]) != lower(name[i])) return 0;
    return n;
}

static size_t match(const struct rr_arch *a, const char *model)
{
    size_t best = starts(model, a->name, strlen(a->name));
    for (const char *p = a->aliases; *p != '\0';) {
        const size_t n = strcspn(p, "|"), m = starts(model, p, n);
        if (m > best) best = m;
        p += n + (p[n] == '|');
    }
    return best;
}

/* The named model that the row's name starts with, longest name first; its width must be that of the row. */
static const struct rr_arch *named(const struct rr_train_facts *f, const struct rr_train_row *r)
{
    const struct rr_arch *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < f->n_archs; i++) {
        const size_t n = match(&f->arch[i], r->model);
        if (n > longest && (r->hidden == 0 || f->arch[i].hidden == r->hidden)) best = &f->arch[i], longest = n;
    }
    return best;
}

static void take(int32_t *field, int32_t v)
{
    if (v > 0) *field = v;
}

/* Layers that give the printed parameters, for rows that print no layers. */
static int32_t layers_of(const struct rr_train_row *r)
{
    const double h = r->hidden, each = 4 * h * h + 2 * h * r->ffn_hidden;
    double params_b = r->params_b;
    for (const char *p = r->model; params_b <= 0 && *p; p++) // "BLOOM candidate 191B"
        if (*p >= '0' && *p <= '9') {
            const size_t n = strspn(p, "0123456789.");
            if (p[n] != 'B' || rr_text_double(rr_slice(p, n), &params_b) != RR_OK) break;
        }
    return each > 0 && params_b > 0 ? (int32_t)floor((params_b * 1e9 - h * r->vocab) / each + 0.5) : 0;
}

/* Heads of about 128, for rows that print none: they divide the width and by tp. */
static int32_t heads_of(const struct rr_train_row *r)
{
    const int32_t tp = r->tp > 0 ? r->tp : 1, near = r->hidden / 128;
    for (int32_t off = 0; off < near; off++)
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            const int32_t n = near + sign * off;
            if (n > 0 && r->hidden % n == 0 && n % tp == 0) return n;
        }
    return near > 0 ? near : 1;
}

static void arch_make(const struct rr_train_facts *f, struct rr_published *p)
{
    const struct rr_train_row *r = p->row;
    const struct rr_arch *known = named(f, r);
    struct rr_arch a = known ? *known : (struct rr_arch){.name = r->model, .aliases = ""};
    take(&a.layers, r->layers);
    take(&a.hidden, r->hidden);
    take(&a.heads, r->heads);
    take(&a.kv_heads, r->kv_heads);
    if (a.experts == 0 || a.ffn > 0) take(&a.ffn, r->ffn_hidden);
    take(&a.vocab, r->vocab);
    if (known && r->layers > 0 && r->layers < known->layers && a.dense_layers > 0 && r->layers <= 8) a.dense_layers = 1;
    if (!known) a.gated = p->set->gated, a.tied = p->set->tied, a.positions = p->set->positions;
    if (strcmp(p->set->name, "Ultra-Scale Playbook") == 0) a.tied = rr_train_noted(r, "tied embeddings yes");
    if (a.vocab == 0) a.vocab = p->set->vocab ? p->set->vocab : 51200;
    if (a.layers == 0 && a.hidden > 0) a.layers = layers_of(r);

    if (a.heads == 0 && a.hidden > 0) a.heads = heads_of(r);
    if (a.kv_heads == 0) a.kv_heads = a.heads;
    if (a.ffn == 0 && a.experts == 0) a.ffn = 4 * a.hidden;
    if (strstr(r->model, "w/o MTP")) a.mtp = 0;
    if (strstr(r->model, "LoRA") || strstr(r->model, "LORA") || strstr(r->model, "lora")) a.lora_rank = 16;
    p->arch = a;
}

static void machine_make(const struct rr_train_facts *f, struct rr_arena *arena, struct rr_published *p)
{
    const struct rr_machine *m = rr_gpu_name_machine(f, arena, p->row->gpu);
    if (!m) {
        p->reason = *p->row->gpu ? rr_strf(arena, "unknown GPU \"%s\"", p->row->gpu) : "the row prints no GPU";
        return;
    }
    p->machine = *m;
    take(&p->machine.gpus_per_node, p->row->gpus_per_node);
    if (p->set->net_gb_s > 0) p->machine.net_gb_s = p->set->net_gb_s;
}

/* Rows that print no batch have it from tokens/s and time. Where the printed MFU then makes twice the FLOPs a token that the model has, or more, tokens/s
 * was printed for a part of the batch. */
static void whole_batch(struct rr_published *p)
{
    const struct rr_train_row *r = p->row;
    if (r->global_batch > 0 || p->arch.lora_rank || r->mfu <= 0 || r->mfu > MOST_MFU || r->tokens_per_s_gpu <= 0 || p->layout.seq < 1)
        return;
    const double rate = r->mfu * rr_machine_peak_flops(&p->machine, p->layout.precision) / r->tokens_per_s_gpu;
    const int32_t times = (int32_t)floor(rate / rr_arch_flops(&p->arch, p->layout.seq, RR_FLOP_MODEL_FULL) * p->layout.seq + 0.5);
    if (times < 2 || times > 8) return;
    p->layout.global_batch *= times;
    p->doubt = "its MFU is that of several times the batch that its tokens/s make";
}

/* A row without a layout whose printed MFU and tokens/s make far less FLOPs a token than the named model has ran a cut one: so many layers. */
static void cut_layers(struct rr_published *p)
{
    const struct rr_train_row *r = p->row;
    struct rr_arch *a = &p->arch;
    if (!p->free_layout || a->lora_rank || r->mfu <= 0 || r->mfu > MOST_MFU || r->tokens_per_s_gpu <= 0 || p->layout.seq < 1 ||
        a->layers < 2)
        return;
    const double rate = r->mfu * rr_machine_peak_flops(&p->machine, p->layout.precision) / r->tokens_per_s_gpu;
    struct rr_arch one = *a;
    one.layers = 1;
    const double first = rr_arch_flops(&one, p->layout.seq, RR_FLOP_MODEL_FULL) / p->layout.seq;
    const double all = rr_arch_flops(a, p->layout.seq, RR_FLOP_MODEL_FULL) / p->layout.seq, each = (all - first) / (a->layers - 1);
    if (rate >= 0.7 * all || rate < first) return;
    a->layers = 1 + (int32_t)floor((rate - first) / each + 0.5);
    p->note = "the printed MFU and tokens/s are those of a model with fewer layers";
}

/* ---- layout ---- */

static int32_t at_least_1(int32_t v) { return v > 0 ? v : 1; }

static void sizes(struct rr_published *p)
{
    const struct rr_train_row *r = p->row;
    struct rr_layout *l = &p->layout;
    l->gpus = r->gpus;
    l->tp = at_least_1(r->tp), l->pp = at_least_1(r->pp), l->vpp = at_least_1(r->vpp),
    l->cp = at_least_1(r->cp > 0 ? r->cp : (int32_t)rr_train_note(r, "; cp ", 1)), l->ep = at_least_1(r->ep);
    l->dp = r->dp > 0 ? r->dp : at_least_1(r->gpus / (l->tp * l->pp * l->cp));
    const int32_t model = l->tp * l->pp * l->cp;
    if (r->table == RR_TRAIN_MEMORY && strncmp(r->source, "Ultra-Scale", 11) == 0) l->global_batch = 256; // a million tokens a step
    if (r->gpus > 0 && l->dp * model != r->gpus && r->gpus % model == 0) {
        l->dp = r->gpus / model;
        p->note = "the printed sizes do not multiply to the GPUs: dp follows from the others";
    }
    if (r->table == RR_TRAIN_MEMORY && strncmp(r->source, "Reducing", 8) == 0 && l->pp > 1) l->vpp = 3; // table 3 of the paper
    l->zero = r->zero_stage >= 0 ? r->zero_stage : p->set->zero;
    l->seq = r->seq_len > 0 ? r->seq_len : p->arch.seq;
    if (p->arch.encoder && p->arch.seq < l->seq) l->seq = p->arch.seq; // padding is left out
    l->shard = (int32_t)rr_train_note(r, "FSDP group ", 0);
    if (r->global_batch > 0) l->global_batch = r->global_batch;
    if (l->global_batch == 0 && r->tokens_per_s_gpu > 0 && l->seq > 0)
        l->global_batch = (int32_t)floor(r->tokens_per_s_gpu * r->gpus * r->iter_time_s / l->seq + 0.5);
    if (l->cp > 1 && l->global_batch > 0 && l->global_batch < l->dp && l->dp % l->global_batch == 0) {
        l->cp *= l->dp / l->global_batch;
        l->dp = l->global_batch;
        p->doubt = "more data-parallel ranks than sequences; cp follows from the others";
    }
    p->free_layout = r->tp == 0 && l->zero < 3;
}

static void micro_batch(struct rr_published *p)
{
    const struct rr_train_row *r = p->row;
    struct rr_layout *l = &p->layout;
    const int32_t local = (int32_t)rr_train_note(r, "local batch ", 0), rank = at_least_1(l->global_batch / l->dp);
    l->micro_batch = r->micro_batch;
    if (l->micro_batch == 0 && local > 0) l->micro_batch = l->pp > 1 ? at_least_1(local / l->pp) : local;
    if (l->micro_batch == 0 && p->arch.encoder) l->micro_batch = rank;
    if (l->micro_batch == 0) {
        p->free_micro_batch = true;
        l->micro_batch = 1;
    }
    p->free_chunks = r->vpp == 0 && l->pp > 1 && r->table == RR_TRAIN_TIMES &&
                     (rr_train_noted(r, "interleaved schedule") || rr_train_noted(r, "interleaved 1F1B") ||
                      rr_train_noted(r, "interleaved not printed") || strcmp(p->set->framework, "mcore") == 0 ||
                      strcmp(p->set->framework, "llama3") == 0);
}

static enum rr_status flags(struct rr_published *p, struct rr_arena *a)
{
    const struct rr_train_row *r = p->row;
    const struct rr_train_set *s = p->set;
    struct rr_layout *l = &p->layout;
    const char *word = rr_strndup(a, r->precision, strcspn(r->precision, " ")); // "bf16 with fp32 gradient accumulation"
    RR_TRY(rr_precision_parse(*word ? word : "bf16", &l->precision));
    if (rr_train_noted(r, "rowwise")) l->precision = RR_MXFP8;
    RR_TRY(rr_recompute_parse(*r->recompute ? r->recompute : *s->recompute ? s->recompute : "none", &l->recompute));
    l->flash = s->flash > 0;
    l->sequence_parallel =
        l->tp > 1 && (s->sequence_parallel > 0 || (strncmp(r->source, "Reducing", 8) == 0 && l->recompute == RR_RECOMPUTE_SELECTIVE));
    l->tp_overlap = s->tp_overlap > 0 || rr_train_noted(r, "async TP");
    l->dp_overlap = s->dp_overlap > 0;
    l->balanced = s->balanced > 0;
    l->ep_overlap = strncmp(s->framework, "bridge", 6) == 0 && l->vpp > 1;       // its recipes for experts over several nodes
    l->grads32 = strncmp(r->source, "BLOOM", 5) == 0 && l->precision == RR_BF16; // DeepSpeed's bf16 optimizer; its fp16 one keeps 16 bits
    l->drop_tokens = strstr(r->model, "tokendrop") != NULL;
    const bool counted =
        rr_train_noted(r, "embedding counted as a pipeline layer") || (p->arch.layers % l->pp != 0 && (p->arch.layers + 2) % l->pp == 0);
    l->ends = l->pp > 1 && counted ? 2 : 0;
    return RR_OK;
}

/* Rows that print FLOP/s alone: the time follows from the rule that the source counts by (all of them model FLOPs, attention in full). */
static void time_of(struct rr_published *p)
{
    if (p->measured_s > 0 || p->row->tflops_gpu <= 0 || p->row->table != RR_TRAIN_TIMES || p->layout.gpus < 1) return;
    const double flops = p->layout.global_batch * rr_arch_flops(&p->arch, p->layout.seq, RR_FLOP_MODEL_FULL);
    p->measured_s = flops / (p->row->tflops_gpu * 1e12 * p->layout.gpus);
}

static void refuse(struct rr_published *p, struct rr_arena *a)
{
    const struct rr_layout *l = &p->layout;
    if (p->reason) return;
    if (p->arch.sample_gflop <= 0 && (p->arch.hidden == 0 || p->arch.layers < 1))
        p->reason = "the row prints no shape and the model is not in data/facts/models.csv";
    else if (l->gpus < 1)
        p->reason = "the row prints no number of GPUs";
    else if (l->global_batch < 1 && p->row->table != RR_TRAIN_MEMORY)
        p->reason = "the row prints no global batch";
    else if (p->arch.sample_gflop <= 0 && l->seq < 1)
        p->reason = "the row prints no sequence length";
    else if (rr_machine_peak_flops(&p->machine, l->precision) <= 0)
        p->reason = rr_strf(a, "%s has no %s rate", p->machine.id, rr_precision_name[l->precision]);
    else if (p->row->table == RR_TRAIN_MLPERF && (strncmp(p->row->notes, "matched", 7) != 0 || p->row->tp == 0))
        p->reason = "no layout was found for the run";
    else if (p->row->table != RR_TRAIN_MEMORY && p->measured_s <= 0)
        p->reason = "the row prints no step time";
    else if (p->row->table == RR_TRAIN_MEMORY && p->row->peak_mem_gb <= 0 &&
             (p->row->oom == RR_OOM_UNKNOWN || p->row->oom == RR_OOM_COMPUTED))
        p->reason = "the row prints neither its peak nor whether it ran";
}

static void doubt(struct rr_published *p, struct rr_arena *a, const char *what)
{
    p->doubt = *p->doubt ? rr_strf(a, "%s; %s", p->doubt, what) : what;
}

/* How the printed cells contradict each other. The row is predicted all the same. */
static void contradictions(struct rr_published *p, struct rr_arena *a)
{
    const struct rr_train_row *r = p->row;
    const int32_t cp = at_least_1(r->cp > 0 ? r->cp : (int32_t)rr_train_note(r, "; cp ", 1));
    const int64_t model = (int64_t)at_least_1(r->tp) * at_least_1(r->pp) * cp, all = model * r->dp;
    if (r->tp > 0 && r->pp > 0 && r->dp > 0 && r->gpus > 0 && all != r->gpus)
        doubt(p, a, rr_strf(a, "tp %d x pp %d x dp %d x cp %d is %lld, not %d GPUs", r->tp, r->pp, r->dp, cp, (long long)all, r->gpus));
    if (r->heads > 0 && r->tp > 0 && r->heads % r->tp) doubt(p, a, rr_strf(a, "%d heads are not divisible by tp %d", r->heads, r->tp));
    const int64_t at_once = (int64_t)r->micro_batch * r->dp;
    if (r->global_batch > 0 && at_once > 0 && r->global_batch % at_once)
        doubt(p, a, rr_strf(a, "a global batch of %d is not divisible by micro batch %d x dp %d", r->global_batch, r->micro_batch, r->dp));
    if (r->ep > 1 && p->arch.experts == 0) doubt(p, a, rr_strf(a, "ep %d, but the model is dense", r->ep));
    if (r->mfu > MOST_MFU) doubt(p, a, rr_strf(a, "mfu %g is no share: above %g", r->mfu, MOST_MFU));
}

/* The row's set is known to nobody: its framework is the one that a planned run on the GPU would have, its attention that of today. */
static void other_set(const struct rr_train_facts *f, struct rr_arena *a, struct rr_published *p)
{
    static const struct rr_arch plain;
    const struct rr_train_row *r = p->row;
    const struct rr_arch *known = named(f, r);
    const struct rr_machine *m = rr_gpu_name_machine(f, a, r->gpu);
    struct rr_train_set *s = RR_NEW(a, struct rr_train_set);
    const char *framework = rr_coefs_usual(f, known ? known : &plain, m ? &m->family : (const char *[]){""}, 1);
    for (size_t i = 0; i < f->n_sets; i++)
        if (strcmp(f->set[i].framework, framework) == 0) {
            *s = f->set[i];
            break;
        }
    s->framework = framework, s->prefix = r->source, s->model = s->recompute = "";
    s->name = rr_strf(a, "other: %s", *r->source ? r->source : "rows without a source");
    s->flash = 1, s->net_gb_s = 0, s->tied = s->positions = s->vocab = 0;
    s->gated = r->ffn_hidden > 0 && r->ffn_hidden != 4 * r->hidden;
    p->set = s;
    p->other = true;
    if (known && known->sample_gflop > 0)
        p->reason = rr_strf(a, "no row of data/facts/train_sets.csv fits the source \"%s\", and no coefficients are fitted to %s",
                            r->source, known->name);
}

enum rr_status rr_published_make(const struct rr_train_facts *f, struct rr_arena *a, const struct rr_train_row *row,
                                 struct rr_published *ret)
{
    *ret = (struct rr_published){.row = row, .note = "", .doubt = ""};
    ret->set = rr_train_facts_set(f, row->source, row->model);
    if (!ret->set) other_set(f, a, ret);
    arch_make(f, ret);
    machine_make(f, a, ret);
    sizes(ret);
    micro_batch(ret);
    RR_TRY(flags(ret, a));
    whole_batch(ret);
    cut_layers(ret);
    ret->measured_s = row->iter_time_s;
    ret->measured_bytes =
        row->peak_mem_gb * (strncmp(row->source, "Ultra-Scale", 11) == 0 || strncmp(row->source, "BLOOM", 5) == 0 ? 1073741824.0 : 1e9);
    time_of(ret);
    contradictions(ret, a);
    refuse(ret, a);
    return RR_OK;
}

/* ---- prediction, with what is free ---- */

static void better(struct rr_published *p, const struct rr_coefs *c, const struct rr_layout *l, struct rr_layout *best, struct rr_step *ret)
{
    struct rr_step s;
    struct rr_memory mem;
    rr_memory_peak(&p->arch, c, l, &mem);
    rr_step_time(&p->arch, &p->machine, c, l, false, &s);
    const bool fits = mem.total_bytes <= rr_memory_usable_bytes(&p->machine);
    if (!fits) s.total_s *= 1 + mem.total_bytes / rr_memory_usable_bytes(&p->machine); // the least bad of those that do not fit
    if (best->gpus == 0 || s.total_s < ret->total_s) *best = *l, *ret = s;
}

static void choose_batches(struct rr_published *p, const struct rr_coefs *c, struct rr_layout l, struct rr_layout *best,
                           struct rr_step *ret)
{
    static const int32_t micro[] = {1, 2, 4, 8, 16};
    const int32_t rank = l.global_batch / l.dp > 0 ? l.global_batch / l.dp : 1, each = (p->arch.layers + l.ends) / l.pp;
    for (int i = 0; i < 5; i++) {
        if (p->free_micro_batch || p->free_layout) {
            if (rank % micro[i]) continue;
            l.micro_batch = micro[i];
        }
        const bool chunks = p->free_chunks || p->free_layout;
        for (int32_t v = 1; v <= (chunks ? each : 1); v++) {
            if (chunks) {
                if (each % v || (v > 1 && (l.pp == 1 || rr_layout_micro_batches(&l) % l.pp))) continue;
                l.vpp = v;
            }
            better(p, c, &l, best, ret);
        }
        if (!p->free_micro_batch && !p->free_layout) return;
    }
}

static void choose_layout(struct rr_published *p, const struct rr_coefs *c, struct rr_layout *best, struct rr_step *ret)
{
    struct rr_layout l = p->layout;
    for (l.tp = 1; l.tp <= p->machine.gpus_per_node; l.tp *= 2)
        for (l.pp = 1; l.pp <= 16 && l.pp <= p->arch.layers; l.pp++)
            for (l.cp = 1; l.cp <= 2; l.cp++) {
                const int32_t model = l.tp * l.pp * l.cp;
                if (p->arch.layers % l.pp || l.gpus % model) continue;
                l.dp = l.gpus / model;
                if (l.global_batch % l.dp || p->arch.heads % l.tp) continue;
                l.ep = p->arch.experts ? (p->arch.experts < l.dp ? p->arch.experts : l.dp) : 1;
                while (l.ep > 1 && (p->arch.experts % l.ep || l.dp % l.ep)) l.ep--;
                l.sequence_parallel = l.tp > 1 && p->set->sequence_parallel > 0;
                l.micro_batch = 1;
                choose_batches(p, c, l, best, ret);
            }
}

void rr_published_step(struct rr_published *p, const struct rr_coefs *c, struct rr_step *ret)
{
    struct rr_layout best = {0};
    if (p->free_layout)
        choose_layout(p, c, &best, ret);
    else if (p->free_micro_batch || p->free_chunks)
        choose_batches(p, c, p->layout, &best, ret);
    if (best.gpus > 0) p->layout = best;
    rr_step_time(&p->arch, &p->machine, c, &p->layout, true, ret);
}

bool rr_published_of_allocator(const struct rr_published *p)
{
    static const char *const source[] = {"Ultra-Scale", "torchtitan", "SimuMax", "Reducing"};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++)
        if (strncmp(p->row->source, source[i], strlen(source[i])) == 0) return true;
    return false;
}

/* What the source does not count is taken away. */
static void counted(const struct rr_published *p, struct rr_memory *m)
{
    const bool allocated = strncmp(p->row->source, "SimuMax", 7) == 0, computed = p->row->oom == RR_OOM_COMPUTED;
    // logits are gone before a layer is computed backward; the allocator keeps blocks for both
    const int gone = m->term_bytes[RR_MEMORY_LOGITS] < m->term_bytes[RR_MEMORY_WORKSPACE] ? RR_MEMORY_LOGITS : RR_MEMORY_WORKSPACE;
    for (int i = 0; i < RR_MEMORY_N; i++) {
        const bool state = i == RR_MEMORY_WEIGHTS || i == RR_MEMORY_GRADIENTS || i == RR_MEMORY_OPTIMIZER || i == RR_MEMORY_ACTIVATIONS;
        const bool none = (i == RR_MEMORY_CONTEXT && rr_published_of_allocator(p)) ||
                          ((i == RR_MEMORY_FRAGMENTS || i == gone) && allocated) || (computed && !state);
        if (!none) continue;
        m->total_bytes -= m->term_bytes[i];
        m->term_bytes[i] = 0;
    }
}

void rr_published_memory(const struct rr_published *p, const struct rr_coefs *c, struct rr_memory *ret)
{
    if (strncmp(p->row->source, "Ultra-Scale", 11) == 0 && p->measured_bytes > 0)
        rr_memory_stage(&p->arch, c, &p->layout, 0, ret);
    else
        rr_memory_peak(&p->arch, c, &p->layout, ret);
    if (p->measured_bytes > 0) counted(p, ret);
}
