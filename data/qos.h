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
    bool preempted;     /* another one's Preempt names it */
    const char *limits; /* "GrpTRES=gres/gpu=16, MaxWall=1-00:00:00": those that it sets; "" none */
};
/* `sacctmgr show qos -P`: a header, then rows between |. Columns by name: Name is needed; Priority, Preempt and limits when there. RR_EINPUT with
 * the line. */
RR_CHECKED enum rr_status rr_qos_read(const char *path, struct rr_arena *arena, struct rr_qos **ret, size_t *ret_n);
#endif
