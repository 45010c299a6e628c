/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/network.c - collectives over rings.
 *
 * A ring over several nodes crosses each node's border once in each direction, and each member of the group inside a node can drive an
 * adapter of its own: busbw = members in the node x an adapter's rate, at most that of the fast links. The latency grows with the doublings of
 * nodes, as a tree's does: NCCL takes a tree and LL or LL128 for what is small, a ring (NVLS in a node) and Simple for what is large, and the curve
 * between is that of chunks in a pipe. Against 18 public logs of nccl-tests (tests/validation/test_network.c) that halves the error of a straight line. */
#include "models/train/network.h"
#include "data/base/fmath.h"
#include <math.h>

struct rr_group rr_group_make(const struct rr_machine *m, int32_t size, int32_t stride)
{
    const int32_t domain = m->domain ? m->domain : m->gpus_per_node;
    const int32_t near = stride >= domain ? 1 : domain / stride;
    return (struct rr_group){.size = size, .stride = stride, .inside = near < size ? near : size};
}

/* Nodes that the group spans, as doublings: 3 for 8 nodes. */
static double doublings(double nodes) { return nodes > 1 ? rr_log(nodes) * 1.4426950408889634 : 0; }

double rr_group_bus_bytes_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g)
{
    const double link = m->link_gb_s * 1e9 * c->v[RR_COEF_LINK_EFF];
    if (g->inside >= g->size) return link;
    const double nodes = (double)g->size / g->inside;
    double net = m->net_gb_s * 1e9 * c->v[RR_COEF_NET_EFF] * g->inside;
    if (c->v[RR_COEF_NET_DECAY] > 0) net *= rr_exp(-c->v[RR_COEF_NET_DECAY] * (doublings(nodes) - 1) * 0.6931471805599453);
    return net < link ? net : link;
}

static double latency_s(const struct rr_coefs *c, const struct rr_group *g)
{
    const double nodes = (double)g->size / g->inside;
    return 1e-6 * (c->v[RR_COEF_LINK_US] + c->v[RR_COEF_NET_US] * doublings(nodes));
}

#define RAMP_MOST 3.0 /* latencies: chunks do not grow past the library's buffers */

/* A message goes along the ring in chunks, each of which pays the latency: the best number of them makes latency + wire + 2 sqrt(latency wire), between
 * a message too small to be cut and one so large that the chunks have reached their largest size. */
static double piped_s(double latency, double wire)
{
    const double ramp = 2 * sqrt(latency * wire), most = RAMP_MOST * latency;
    return latency + wire + (ramp < most ? ramp : most);
}

double rr_all_gather_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g, double bytes)
{
    if (g->size < 2) return 0;
    const double bus = rr_group_bus_bytes_s(m, c, g) * (g->inside < g->size ? c->v[RR_COEF_GATHER_NET] : 1);
    return piped_s(latency_s(c, g), bytes * (g->size - 1) / g->size / bus);
}

double rr_all_reduce_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g, double bytes)
{
    if (g->size < 2) return 0;
    return piped_s(latency_s(c, g), 2 * bytes * (g->size - 1) / g->size / rr_group_bus_bytes_s(m, c, g));
}

double rr_all_to_all_s(const struct rr_machine *m, const struct rr_coefs *c, const struct rr_group *g, double near_bytes, double far_bytes)
{
    if (g->size < 2) return 0;
    const double near = near_bytes / (m->link_gb_s * 1e9 * c->v[RR_COEF_LINK_EFF]),
                 far = far_bytes / (m->net_gb_s * 1e9 * c->v[RR_COEF_NET_EFF]);
    return (near > far ? near : far) + latency_s(c, g);
}

double rr_send_s(const struct rr_machine *m, const struct rr_coefs *c, int32_t stride, double bytes)
{
    const int32_t domain = m->domain ? m->domain : m->gpus_per_node;
    if (stride < domain) return bytes / (m->link_gb_s * 1e9 * c->v[RR_COEF_LINK_EFF]) + 1e-6 * c->v[RR_COEF_LINK_US];
    return bytes / (m->net_gb_s * 1e9 * c->v[RR_COEF_NET_EFF]) + 1e-6 * c->v[RR_COEF_NET_US];
}
