/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/measured_memory.c - the memory of a run of one's own.
 *
 * Weights, gradients and optimizer follow from the number of parameters; what is uncertain is what moves: activations, logits, buffers, fragments. Their
 * share of the measured figure scales them, since it grows with micro batch, sequence and layers as they do. Where they are too small a part of it to
 * tell, or a factor would be out of all proportion, the difference is the same on every GPU: libraries, buffers of communication, another process. */
#include "models/train/measured.h"

#define LEAST_SHARE 0.15 /* of the measured figure that moves, for a factor to mean something */
#define GIB         1073741824.0

static enum rr_status too_little(const struct rr_size_measured *m, double states)
{
    struct rr_buf b = {0};
    rr_layout_text(&b, &m->layout);
    const enum rr_status st =
        rr_fail(RR_EINPUT, "measured: memory of %.1f GB is less than the %.1f GB of weights, gradients and optimizer with %s",
                m->memory_bytes / 1e9, states / 1e9, rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

enum rr_status rr_measured_memory(const struct rr_arch *a, struct rr_coefs *c, struct rr_size_measured *m)
{
    struct rr_memory p;
    rr_memory_peak(a, c, &m->layout, &p);
    double states = 0;
    for (int i = 0; i < RR_MEMORY_N; i++)
        if (rr_memory_is_state(i)) states += p.term_bytes[i];
    const double context = p.term_bytes[RR_MEMORY_CONTEXT], moving = p.total_bytes - states - context;
    const double counted = m->of_allocator ? p.total_bytes - context : p.total_bytes;
    const double left = m->memory_bytes - (counted - moving), factor = moving > 0 ? left / moving : 0;
    if (m->memory_bytes < states) return too_little(m, states);
    m->predicted_bytes = counted;
    m->memory_scale = 1, m->memory_offset_bytes = 0;
    if (left >= LEAST_SHARE * m->memory_bytes && factor >= 1.0 / 3 && factor <= 3) {
        m->memory_scale = factor;
        c->v[RR_COEF_MEM_SCALE] *= factor;
    } else {
        m->memory_offset_bytes = m->memory_bytes - counted;
        c->v[RR_COEF_MEM_CONTEXT] += m->memory_offset_bytes / GIB;
    }
    rr_memory_peak(a, c, &m->layout, &p);
    m->after_bytes = p.total_bytes - (m->of_allocator ? context : 0); // an offset is in the context, but the allocator counts it here
    return RR_OK;
}
