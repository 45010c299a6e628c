/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/failures.h - what fails, how often, and for how long: the "failures" section of a scenario.
 *
 * A node has up to three processes: its own (`node` or `node_mtbf`), one of its GPUs (`gpu_mtbf` / GPUs) and one of its network (`network_mtbf`). Each
 * begins anew when the node is back. A domain (switch, rack, power) takes all its nodes at once. Any of them takes the whole node. */
#ifndef RR_DATA_FAILURES_H
#define RR_DATA_FAILURES_H
#include "data/catalog.h"
#include "data/record.h"

enum rr_fail_cause { RR_CAUSE_NODE, RR_CAUSE_GPU, RR_CAUSE_NETWORK, RR_CAUSE_POWER, RR_CAUSE_SOFTWARE, RR_CAUSES };
extern const char *const rr_cause_names[]; /* NULL-terminated, the words in scenarios, traces and facts */
enum rr_reason rr_cause_reason(enum rr_fail_cause c);

enum rr_domain_kind { RR_DOMAIN_SWITCH, RR_DOMAIN_RACK, RR_DOMAIN_POWER, RR_DOMAINS };
extern const char *const rr_domain_names[];
struct rr_fail_domain {
    uint64_t given;
    int64_t mtbf_us; /* of one switch, rack ...; 0 = there is none */
    int64_t nodes;   /* that share it: node / nodes is its number within the pool */
    struct rr_dist repair_us;
    bool has_repair; /* else the repair of a node */
};
struct rr_maintenance {
    uint64_t given;
    const char *name, *pointer;
    int64_t first_us, every_us, length_us;
    int64_t notice_us; /* no job starts on the node from then on */
    int64_t at_once;   /* nodes of a pool; the next ones follow when these are back. 0 = all */
};
struct rr_fail_event { /* of a trace */
    int64_t at_us, duration_us;
    uint32_t pool, node;
    uint8_t cause;
};
/* Repair in minutes or, with a chance of `share`, in days. */
struct rr_fail_repair {
    uint64_t given;
    struct rr_dist minutes_us, days_us;
    double share;
};
struct rr_failures {
    uint64_t given;
    const char *like;       /* row of data/facts/failure_rates.csv, or NULL */
    int64_t node_mtbf_us;   /* 0 = no such process; the same for the next ones */
    struct rr_dist node_us; /* time between failures, when has_node */
    int64_t gpu_mtbf_us, network_mtbf_us;
    struct rr_dist detect_us; /* from the failure until the jobs on the node are restarted: they hold their GPUs and do nothing */
    int64_t spares;
    const char *trace, *trace_sha256; /* or NULL */
    const cJSON *repair_json, *domains_json, *causes_json, *maintenance_json;
    bool has_node, has_causes;
    double causes_upto[RR_CAUSES]; /* cumulative shares; a failure of node, GPU or network draws its cause from them when has_causes */
    struct rr_fail_repair repair;  /* minutes_us alone, share 0, when repair is no mixture */
    struct rr_fail_domain domain[RR_DOMAINS];
    struct rr_maintenance *maintenance;
    size_t n_maintenance;
    const struct rr_fail_event *event; /* in order of time */
    size_t n_events;
    bool *pool; /* [n_pools] whose nodes fail; NULL = all */
};

/* time_s,pool,node,duration_s and, optional, cause; one row a failure, any order. pool[n_pools] names the pools and nodes[n_pools] how many they
 * may have. RR_EINPUT "PATH:LINE: ...". */
RR_CHECKED enum rr_status rr_fail_trace_read(const char *path, struct rr_arena *a, const char *const *pool, const int64_t *nodes,
                                             size_t n_pools, struct rr_failures *into);
#endif
