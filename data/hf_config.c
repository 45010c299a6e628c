/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/hf_config.c - the names that families of models give to the same sizes. */
#include "data/hf_config.h"
#include <string.h>

struct reading {
    const struct rr_json *json;
    const cJSON *root;
    const char *path;
};

static const cJSON *first(const struct reading *r, const char *names)
{
    char name[40];
    for (const char *p = names; *p;) {
        const size_t n = strcspn(p, "|");
        memcpy(name, p, n);
        name[n] = '\0';
        const cJSON *m = rr_json_member(r->root, name);
        if (m && !cJSON_IsNull(m)) return m;
        p += n + (p[n] == '|');
    }
    return NULL;
}

/* A whole number of at least 0; what is absent stays as it is, unless it is needed. */
static enum rr_status whole(const struct reading *r, const char *names, bool needed, int32_t *ret)
{
    const cJSON *m = first(r, names);
    int64_t v;
    if (!m && !needed) return RR_OK;
    if (!m)
        return rr_fail(RR_EINPUT, "%s: no \"%.*s\"; the config.json of a transformer is expected", r->path, (int)strcspn(names, "|"),
                       names);
    if (!cJSON_IsNumber(m) || rr_text_i64(rr_json_number(m), &v) != RR_OK || v < 0 || v > 1000000000)
        return rr_json_fail(RR_EINPUT, r->json, m, m->string, "a whole number is expected");
    *ret = (int32_t)v;
    return RR_OK;
}

static const char *text_of(const struct reading *r, const char *name)
{
    const cJSON *m = rr_json_member(r->root, name);
    return cJSON_IsString(m) ? m->valuestring : "";
}

static bool true_of(const struct reading *r, const char *name, bool otherwise)
{
    const cJSON *m = rr_json_member(r->root, name);
    return cJSON_IsBool(m) ? cJSON_IsTrue(m) : otherwise;
}

static bool one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static enum rr_status experts(const struct reading *r, struct rr_arch *a)
{
    int32_t shared = 0, shared_wide = 0;
    RR_TRY(whole(r, "num_local_experts|n_routed_experts|num_experts", false, &a->experts));
    if (a->experts < 2) {
        a->experts = 0;
        return RR_OK;
    }
    RR_TRY(whole(r, "num_experts_per_tok|num_experts_per_token|top_k", true, &a->top_k));
    a->expert_ffn = a->ffn;
    RR_TRY(whole(r, "moe_intermediate_size", false, &a->expert_ffn));
    RR_TRY(whole(r, "n_shared_experts", false, &shared));
    RR_TRY(whole(r, "shared_expert_intermediate_size", false, &shared_wide));
    a->shared_ffn = shared_wide ? shared_wide : shared * a->expert_ffn;
    RR_TRY(whole(r, "first_k_dense_replace", false, &a->dense_layers));
    if (a->dense_layers == 0) a->ffn = 0; // every layer has experts
    return RR_OK;
}

static enum rr_status attention(const struct reading *r, struct rr_arch *a)
{
    static const char *const sliding[] = {"mistral", "gpt_oss", NULL};
    const cJSON *kinds = rr_json_member(r->root, "layer_types"), *k;
    RR_TRY(whole(r, "num_attention_heads|n_head|num_heads", true, &a->heads));
    a->kv_heads = true_of(r, "multi_query", false) ? 1 : a->heads;
    RR_TRY(whole(r, "num_key_value_heads|num_kv_heads|n_head_kv", false, &a->kv_heads));
    RR_TRY(whole(r, "head_dim", false, &a->head_dim));
    RR_TRY(whole(r, "q_lora_rank", false, &a->q_lora));
    RR_TRY(whole(r, "kv_lora_rank", false, &a->kv_lora));
    RR_TRY(whole(r, "qk_rope_head_dim", false, &a->rope_dim));
    RR_TRY(whole(r, "qk_nope_head_dim", false, &a->nope_dim));
    RR_TRY(whole(r, "v_head_dim", false, &a->v_dim));
    if (a->kv_lora) a->head_dim = 0;
    RR_TRY(whole(r, "sliding_window", false, &a->window));
    if (cJSON_IsArray(kinds)) {
        cJSON_ArrayForEach(k, kinds) a->window_layers += cJSON_IsString(k) && strcmp(k->valuestring, "sliding_attention") == 0;
    } else if (a->window && true_of(r, "use_sliding_window", one_of(text_of(r, "model_type"), sliding))) {
        a->window_layers = a->layers;
    }
    if (a->window_layers == 0) a->window = 0;
    return RR_OK;
}

static enum rr_status shape(const struct reading *r, struct rr_arch *a)
{
    static const char *const gates[] = {"silu", "swiglu", "swish", NULL};
    static const char *const gated[] = {"gemma", "gemma2", "gemma3_text", "t5", NULL};
    // these classes take silu where the file leaves "hidden_act" out
    static const char *const silu[] = {"llama",     "mistral",     "mixtral",     "qwen2", "qwen2_moe", "qwen3",
                                       "qwen3_moe", "deepseek_v2", "deepseek_v3", "phi3",  "olmo2",     NULL};
    static const char *const learned[] = {"gpt2", "opt", "gpt_bigcode", "bert", "roberta", "gpt_neo", NULL};
    static const char *const encoders[] = {"bert", "roberta", "electra", "deberta-v2", NULL};
    const char *type = text_of(r, "model_type"),
               *act = *text_of(r, "hidden_act") ? text_of(r, "hidden_act") : text_of(r, "activation_function");
    RR_TRY(whole(r, "num_hidden_layers|n_layer|num_layers", true, &a->layers));
    RR_TRY(whole(r, "hidden_size|n_embd|d_model", true, &a->hidden));
    RR_TRY(whole(r, "vocab_size", true, &a->vocab));
    a->ffn = 4 * a->hidden;
    RR_TRY(whole(r, "intermediate_size|n_inner|ffn_dim|d_ff", false, &a->ffn));
    a->gated = one_of(act, gates) || one_of(type, gated) || (!*act && one_of(type, silu));
    a->encoder = one_of(type, encoders);
    a->tied = true_of(r, "tie_word_embeddings", !a->gated || one_of(type, gated));
    a->seq = 2048;
    RR_TRY(whole(r, "max_position_embeddings|n_positions|n_ctx|max_seq_len", false, &a->seq));
    if (one_of(type, learned)) a->positions = a->seq;
    return whole(r, "num_nextn_predict_layers", false, &a->mtp);
}

static enum rr_status checked(const struct reading *r, const struct rr_arch *a)
{
    if (a->layers < 1 || a->hidden < 1 || a->heads < 1 || a->vocab < 1)
        return rr_fail(RR_EINPUT, "%s: layers %d, hidden size %d, heads %d, vocabulary %d: each must be at least 1", r->path, a->layers,
                       a->hidden, a->heads, a->vocab);
    if (a->layers > 4096) return rr_fail(RR_EINPUT, "%s: %d layers; at most 4096", r->path, a->layers);
    if (!a->kv_lora && (a->kv_heads < 1 || a->heads % a->kv_heads))
        return rr_fail(RR_EINPUT, "%s: %d attention heads do not divide by %d key-value heads", r->path, a->heads, a->kv_heads);
    if (!a->head_dim && !a->kv_lora && a->hidden % a->heads)
        return rr_fail(RR_EINPUT, "%s: a hidden size of %d does not divide by %d heads, and there is no \"head_dim\"", r->path, a->hidden,
                       a->heads);
    return RR_OK;
}

enum rr_status rr_hf_config_read(const char *path, struct rr_arena *a, struct rr_arch *ret)
{
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    struct rr_arch arch = {.aliases = ""};
    enum rr_status st = rr_json_read(json, path, &root);
    if (st == RR_OK) {
        const cJSON *inner = rr_json_member(root, "text_config"); // of models with images too
        const struct reading r = {json, inner ? inner : root, path};
        const cJSON *name = rr_json_member(root, "_name_or_path");
        const char *type = text_of(&r, "model_type");
        arch.name = rr_strdup(a, cJSON_IsString(name) && *name->valuestring ? name->valuestring : *type ? type : "config.json");
        arch.fact = (struct rr_fact){.source = rr_strdup(a, path), .date = "", .path = rr_strdup(a, path), .line = 1, .note = ""};
        st = shape(&r, &arch);
        if (st == RR_OK) st = attention(&r, &arch);
        if (st == RR_OK) st = experts(&r, &arch);
        if (st == RR_OK) st = checked(&r, &arch);
    }
    cJSON_Delete(root);
    rr_json_free(json);
    if (st == RR_OK) *ret = arch;
    return st;
}
