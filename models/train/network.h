/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/network.h - collectives: latency and bandwidth by where the ranks of a group sit. */
#ifndef RR_MODELS_TRAIN_NETWORK_H
#define RR_MODELS_TRAIN_NETWORK_H
#include "models/train/coef.h"

struct rr_group { /* ranks that talk: `size` of them, `stride` apart in the order of ranks */
    int32_t size;
    int32_t stride; /* 1 = neighbours */
    int32_t inside; /* of them in one fast domain; rr_group_make() fills it */
};
/* tp is innermost, then cp, dp, pp, as Megatron orders ranks. */
struct rr_group rr_group_make(const struct rr_machine *m, int32_t size, int32_t stride);
/* Bytes/s that a ring over the group passes on for each GPU (nccl-tests' busbw), for large messages. */
double rr_group_bus_bytes_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g);
/* `bytes` is the whole buffer of one rank (all-gather: what it has afterwards). On the wire: all-reduce w = 2 (n-1)/n bytes / busbw, the others half.
 * With a latency l the time is l + w + min(2 sqrt(l w), 3 l): chunks in a pipe, Hockney's terms and what cutting a message costs. */
double rr_all_reduce_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g, double bytes);
double rr_all_gather_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g,
                       double bytes); /* reduce-scatter too */
/* What a rank sends to others inside its domain, and out of it; both at once. */
double rr_all_to_all_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g, double near_bytes, double far_bytes);
double rr_send_s(const struct rr_machine *m, const struct rr_coefs *c, int32_t stride, double bytes); /* to the rank `stride` on */
#endif
