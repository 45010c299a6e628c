/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/record.c - job states and reasons in words. */
#include "data/record.h"
#include <assert.h>

const char *rr_job_state_text(enum rr_job_state s)
{
    static const char *const text[] = {
        [RR_JOB_NOT_SUBMITTED] = "not submitted", [RR_JOB_WAITING] = "waiting", [RR_JOB_RUNNING] = "running",
        [RR_JOB_FINISHED] = "finished",           [RR_JOB_FAILED] = "failed",   [RR_JOB_KILLED] = "killed",
        [RR_JOB_REJECTED] = "rejected",
    };
    assert((unsigned)s < sizeof text / sizeof *text);
    return text[s];
}

const char *rr_why_text(enum rr_reason r)
{
    static const char *const text[RR_WHYS] = {
        [RR_WHY_NONE] = "",
        [RR_WHY_NEVER_STARTED] = "never started in the trace",
        [RR_WHY_LIMIT] = "ran into its time limit",
        [RR_WHY_TRACE_KILLED] = "killed in the trace",
        [RR_WHY_TRACE_FAILED] = "failed in the trace",
        [RR_WHY_TOO_LARGE] = "too large for every pool",
        [RR_WHY_NO_CPU] = "no node has enough CPUs",
        [RR_WHY_NO_MEMORY] = "no node has enough host memory",
        [RR_WHY_NO_GPU_TYPE] = "no pool has the GPU type",
        [RR_WHY_NO_DEVICE] = "no node fits its GPUs, CPUs and memory together",
        [RR_WHY_HORIZON] = "cut off by the horizon",
        [RR_WHY_PREEMPTED] = "preempted",
        [RR_WHY_MOVED] = "moved to other nodes",
        [RR_WHY_NODE_FAILURE] = "node failure",
        [RR_WHY_GPU_FAILURE] = "GPU failure",
        [RR_WHY_NETWORK_FAILURE] = "network failure",
        [RR_WHY_POWER_FAILURE] = "power failure",
        [RR_WHY_RECLAIMED] = "spot capacity reclaimed",
        [RR_WHY_PRICE] = "spot price above the limit",
        [RR_WHY_MAINTENANCE] = "planned maintenance",
        [RR_WHY_DRAINED] = "node released",
        [RR_WHY_CHECKPOINT] = "writing checkpoints",
        [RR_WHY_RESTART] = "starting and restoring",
        [RR_WHY_CLASS] = "its class may use no pool that could run it",
        [RR_WHY_SOFTWARE_FAILURE] = "software failure",
        [RR_WHY_DEPENDENCY] = "a job that it depends on did not finish well",
        [RR_WHY_ACCEPTS] = "no pool that could run it accepts it",
    };
    assert((unsigned)r < RR_WHYS);
    return text[r];
}

bool rr_why_interrupts(enum rr_reason r) { return (r >= RR_WHY_PREEMPTED && r <= RR_WHY_DRAINED) || r == RR_WHY_SOFTWARE_FAILURE; }
