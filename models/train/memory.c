/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/memory.c - memory of a rank. */
#include "models/train/memory.h"
#include "models/train/arch.h"
#include <string.h>

const char *const rr_memory_name[RR_MEMORY_N] = {
#define X(id, name, help) name,
    RR_MEMORY_TABLE(X)
#undef X
};
const char *const rr_memory_help[RR_MEMORY_N] = {
#define X(id, name, help) help,
    RR_MEMORY_TABLE(X)
#undef X
};

double rr_memory_usable_bytes(const struct rr_machine *m) { return m->memory_gib * 1073741824.0 * 0.985; }

void rr_memory_stage(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, int32_t stage, struct rr_memory *ret)
{
    const struct rr_params n = rr_arch_params(a);
    memset(ret, 0, sizeof *ret);
    ret->stage = stage;
    const struct rr_stage s = rr_layout_stage(a, l, stage);
    const double params = n.layers * s.count / a->layers / l->tp + (stage == 0 ? n.embedding / l->tp : 0) + (s.head ? n.output / l->tp : 0);
    const double ranks = l->dp * l->cp;
    ret->term_bytes[RR_MEMORY_WEIGHTS] = 2 * params / (l->zero >= 3 ? ranks : 1);
    ret->term_bytes[RR_MEMORY_GRADIENTS] = 4 * params / (l->zero >= 2 ? ranks : 1);
    ret->term_bytes[RR_MEMORY_OPTIMIZER] = 12 * params / (l->zero >= 1 ? ranks : 1);
    ret->term_bytes[RR_MEMORY_CONTEXT] = c->v[RR_COEF_MEM_CONTEXT] * 1073741824.0;
    for (int i = 0; i < RR_MEMORY_N; i++) ret->total_bytes += ret->term_bytes[i];
}

void rr_memory_peak(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, struct rr_memory *ret)
{
    struct rr_memory m;
    rr_memory_stage(a, c, l, 0, ret);
    for (int32_t s = 1; s < l->pp; s++) {
        rr_memory_stage(a, c, l, s, &m);
        if (m.total_bytes > ret->total_bytes) *ret = m;
    }
}
