/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/fleet.h - readers of node lists: our CSV, and what cluster managers print.
 *
 * A reader is one constant in one file, data/import/fleet_NAME.c, and one row in data/import/fleet_list.h. A fleet is small and every node
 * counts: a row that cannot be understood is an error with its line, none is dropped. Nodes on which no job can start (down, drained, not
 * there yet) are left out, and counted. */
#ifndef RR_DATA_FLEET_H
#define RR_DATA_FLEET_H
#include "data/base/vec.h"
#include "data/trace.h"

#define RR_NODE_GPUS 1024 /* most in one node */

struct rr_fleet_builder {
    const char *path; /* for messages */
    struct rr_arena *arena;
    RR_VEC(struct rr_node_shape) nodes;
    const char *format; /* that was read */
    size_t left_out;
    const char *left_out_first; /* "NAME (STATE)" */
};
struct rr_fleet_format {
    struct rr_kind kind;
    int (*sniff)(struct rr_slice head); /* 0 = no .. 100 = certain; NULL: a CSV, told by its header */
    /* `name` is the format's, or "auto". */
    RR_CHECKED enum rr_status (*read)(const char *path, const char *name, struct rr_fleet_builder *b, char sha256[65]);
};
#define X(name) extern const struct rr_fleet_format rr_fleet_##name;
#include "data/import/fleet_list.h"
#undef X

/* The node as it is, checked; texts are copied. `line` 0: none to name. */
RR_CHECKED enum rr_status rr_fleet_add(struct rr_fleet_builder *b, int64_t line, struct rr_slice name, struct rr_slice gpu,
                                       const struct rr_node_shape *shape);
void rr_fleet_leave_out(struct rr_fleet_builder *b, struct rr_slice name, struct rr_slice state);
/* Slurm's GPUs of a node, "gpu:a100:8(S:0-1),gpu:a100:2,shard:16": their number and type ("" when not said). RR_EINPUT: two types. */
RR_CHECKED enum rr_status rr_fleet_gres(const struct rr_fleet_builder *b, int64_t line, struct rr_slice gres, int32_t *ret_gpus,
                                        struct rr_slice *ret_type);
/* Slurm's state of a node, "IDLE+DRAIN", "down*", "mix-": can jobs start there? */
bool rr_fleet_usable(struct rr_slice state);
/* A whole file in memory, heap, NUL-terminated, with its hash. */
RR_CHECKED enum rr_status rr_fleet_text(const char *path, char **ret, size_t *ret_n, char sha256[65]);
#endif
