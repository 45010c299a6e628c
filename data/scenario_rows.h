/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_rows.h - the tables of the scenario's own sections; shared by scenario*.c alone. */
#ifndef RR_DATA_SCENARIO_ROWS_H
#define RR_DATA_SCENARIO_ROWS_H
#include "data/scenario.h"

struct rr_rows {
    const struct rr_param *at;
    size_t n;
    const char *const *skip; /* members that are read by code of their own, NULL-terminated */
};
/* {"min": 0, "max": 32} and {"file": "nodes.csv", "format": "csv"} of a pool. */
struct rr_nodes_range {
    uint64_t given;
    int64_t min;
};
struct rr_nodes_file {
    uint64_t given;
    const char *file, *format;
};
struct rr_image_rows {
    uint64_t given;
    int64_t bytes;
    const char *bandwidth;
    double cache;
    bool cached;
};
struct rr_generate_rows {
    uint64_t given;
    int64_t count;
    const cJSON *arrival;
    struct rr_dist duration_us, gpus;
};
struct rr_poisson_rows {
    uint64_t given;
    double rate_per_s;
};
struct rr_gate_rows {
    uint64_t given;
    const char *alternative, *metric, *waived;
    int stat;
};
struct rr_fx_rows {
    uint64_t given;
    double rate;
    int64_t date;
    const char *source;
};
struct rr_scheduler_rows {
    uint64_t given;
    const char *policy, *placement;
    int order, overrun;
    bool blocking;
    int64_t round_us;
    const cJSON *spread;
};
struct rr_spread_rows {
    uint64_t given;
    double nodes, switches, racks;
};
extern const struct rr_rows rr_rows_scenario, rr_rows_workload, rr_rows_generate, rr_rows_poisson, rr_rows_pool, rr_rows_nodes_range,
    rr_rows_image, rr_rows_nodes_file, rr_rows_scheduler, rr_rows_spread, rr_rows_checkpoint, rr_rows_class, rr_rows_finance, rr_rows_gate,
    rr_rows_fx;
extern const struct rr_rows rr_rows_book, rr_rows_profile;
extern const struct rr_rows rr_rows_uncertain, rr_rows_until;
extern const struct rr_rows rr_rows_tax;
extern const struct rr_rows rr_rows_failures, rr_rows_fail_repair, rr_rows_fail_repair_plain, rr_rows_fail_domain, rr_rows_maintenance;

/* Plans of the contract that no file implements yet; a word that is none of them nor in the registry is a mistake. NULL-terminated. */
extern const char *const rr_later_plans[];
/* Sections that hold things by name: a pointer into one of their members may not make the member. */
extern const char *const rr_named_sections[];
/* Keys of the whole study, not of one alternative. */
extern const char *const rr_study_keys[];

/* scenario_prices.c: price books by path */
struct rr_price_book;
struct rr_books_read {
    RR_VEC(const struct rr_price_book *) list;
};
/* What reading needs beside the document. */
struct rr_reading {
    struct rr_param_ctx param; /* json, arena, base */
    const struct rr_registry *reg;
    const struct rr_catalog *catalog;
    bool any_path;
    bool priced;                    /* files with prices are read whatever any_path says */
    struct rr_books_read *books;    /* those that were read for other alternatives; NULL: none are kept */
    const struct rr_scenario *like; /* NULL, or one read before: what it took from files is taken over when the path is the same */
};
/* scenario_read.c: one validated document into `s` (document, json, variant, alternative set by the caller). */
RR_CHECKED enum rr_status rr_scenario_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
/* scenario_prices.c, after "fx" */
RR_CHECKED enum rr_status rr_prices_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
/* scenario_profiles.c, before the workloads; the check once all variants are there */
RR_CHECKED enum rr_status rr_profiles_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
RR_CHECKED enum rr_status rr_profiles_check(const struct rr_reading *r, struct rr_scenario_set *set);
/* scenario_pool.c */
RR_CHECKED enum rr_status rr_pools_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
RR_CHECKED enum rr_status rr_commitments_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
/* scenario_failures.c */
RR_CHECKED enum rr_status rr_failures_read(const struct rr_reading *r, struct rr_scenario *s);
/* scenario_metric.c: "service" and "gates" */
RR_CHECKED enum rr_status rr_service_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
RR_CHECKED enum rr_status rr_gates_read(const struct rr_reading *r, const cJSON *gates, struct rr_scenario_set *set);
RR_CHECKED enum rr_status rr_metric_read(const struct rr_reading *r, const cJSON *at, const char *pointer, const char *name, int *ret);
/* `object` has a member "alternative" that names one of the set's, or a variant. */
RR_CHECKED enum rr_status rr_alternative_find(const struct rr_reading *r, const cJSON *object, const char *pointer, const char *name,
                                              const struct rr_scenario_set *set);
/* scenario_uncertain.c, once all variants are there; the sections may be NULL */
RR_CHECKED enum rr_status rr_uncertainty_read(const struct rr_reading *r, const cJSON *all, struct rr_scenario_set *set);
RR_CHECKED enum rr_status rr_until_read(const struct rr_reading *r, const cJSON *object, struct rr_scenario_set *set);
/* uncertain.c: is the variant right with all inputs at their medians? */
RR_CHECKED enum rr_status rr_uncertainty_try(const struct rr_scenario_set *set, const struct rr_scenario *variant, struct rr_arena *arena);
/* scenario.c: a pointer into a pool, workload, commitment ... that this document does not have is for another alternative. */
/* Does the plan that the pointer leads into have such a row? Another alternative may pay for the same pool in another way. True outside of plans. */
bool rr_plan_has_row(const struct rr_registry *reg, const cJSON *document, const char *pointer, struct rr_arena *a);
bool rr_pointer_is_for(struct rr_arena *a, const cJSON *document, const char *pointer);
/* scenario_training.c: "training" of a workload, and the classes of such jobs, after "classes" */
RR_CHECKED enum rr_status rr_trainings_read(const struct rr_reading *r, struct rr_scenario *s, struct rr_workload *w);
RR_CHECKED enum rr_status rr_trainings_classes(const struct rr_reading *r, struct rr_scenario *s);
/* Failures that a planned run asks for, as the "failures" of a scenario without its own; *ret NULL: none. The caller deletes it. */
RR_CHECKED enum rr_status rr_trainings_failures(const struct rr_reading *r, struct rr_scenario *s, cJSON **ret);
/* scenario_class.c: "checkpoint" and "classes", after the pools; a member with an expression over jobs, whose text may be NULL */
RR_CHECKED enum rr_status rr_classes_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
RR_CHECKED enum rr_status rr_where_read(const struct rr_reading *r, const cJSON *object, const char *pointer, const char *key,
                                        const char *text, const struct rr_where **ret);
/* scenario_speed.c, when the rest is read; `object` may be NULL */
RR_CHECKED enum rr_status rr_speeds_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
RR_CHECKED enum rr_status rr_spread_read(const struct rr_reading *r, const cJSON *object, const char *pointer, struct rr_spread *ret);
/* scenario_autoscale.c, after the pools */
RR_CHECKED enum rr_status rr_autoscale_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s);
/* scenario_hash.c */
uint64_t rr_scenario_hash(const struct rr_scenario *s);

/* Shared small things. */
RR_CHECKED enum rr_status rr_rows_read(const struct rr_reading *r, const struct rr_rows *rows, const cJSON *object, const char *pointer,
                                       void *into);
RR_CHECKED enum rr_status rr_named(const struct rr_reading *r, const cJSON *node,
                                   const char *pointer); /* an object, name fit to be shown */
RR_CHECKED enum rr_status rr_file_there(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *path);
enum rr_status rr_unknown_word(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *what,
                               const char *const *words, size_t n);
enum rr_status rr_unknown_kind(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *what, struct rr_kinds kinds,
                               unsigned use);
#endif
