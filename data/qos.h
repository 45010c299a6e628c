/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/qos.h - Slurm's qualities of service, as classes of jobs. */
#ifndef RR_DATA_QOS_H
#define RR_DATA_QOS_H
#include "data/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct rr_qos {
    const char *name;
    int64_t priority;
    bool preempted;            /* another one's Preempt names it */
    int64_t gpus, gpus_a_user; /* GrpTRES and MaxTRESPU of gres/gpu; -1: no limit */
    int64_t wall_us;           /* MaxWall; 0: none */
    const char *limits;        /* "GrpTRES=cpu=512, MaxJobs=4": the others that it sets, as written; "" none */
};
/* `sacctmgr show qos -P`: a header, then rows between |. Columns by name: Name is needed; Priority, Preempt and limits when there. RR_EINPUT with
 * the line. */
RR_CHECKED enum rr_status rr_qos_read(const char *path, struct rr_arena *arena, struct rr_qos **ret, size_t *ret_n);
#endif
