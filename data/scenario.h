/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario.h - the scenario document, checked, one struct a variant.
 *
 * document -> alternative (merge patch) -> sweep point -> --set/--values -> one validated document -> struct rr_scenario.
 * Parsing, checks, `check --print` and the JSON Schema all come from the rows in scenario_rows.c and of the registry. */
#ifndef RR_DATA_SCENARIO_H
#define RR_DATA_SCENARIO_H
#include "data/catalog.h"
#include "data/failures.h"
#include "data/metric.h"
#include "data/param.h"
#include "data/trace.h"
#include "data/throughput.h"
#include "data/training.h"
#include "data/where.h"

struct rr_shelf_book;
struct rr_workload {
    uint64_t given;
    const char *name;             /* the key */
    const char *pointer;          /* "/workload/prod" */
    const char *trace;            /* path, or NULL with generate */
    const char *format;           /* "auto" */
    const cJSON *columns;         /* or NULL; a path "-" is stdin */
    const char *where_text;       /* or NULL */
    const struct rr_where *where; /* which jobs of the trace; NULL = all */
    double load_scale, time_scale, max_rejected;
    bool repeat;
    bool dependencies;         /* the log's preceding jobs are taken */
    int resample;              /* 0: as it is; 1: weeks drawn with replacement */
    const char *reference_gpu; /* or NULL */
    const cJSON *generate_json;
    bool generates;
    struct rr_generate generate;
    const struct rr_records *training; /* one struct rr_training, or NULL: planned runs, as generated jobs */
    const char *training_text;
    struct rr_training_plan training_plan;
};
/* Who grows and shrinks elastic pools ("autoscale", of a pool, else of the scenario). */
struct rr_autoscale {
    const struct rr_kind *policy; /* NULL: not said */
    void *params;                 /* struct of its rows */
    const char *pointer;
    const cJSON *json;
};
struct rr_pool {
    uint64_t given;
    const char *name, *pointer;
    const char *hardware_id, *instance_id, *region; /* NULL / NULL / "" when not given */
    const struct rr_hardware *hardware;             /* resolved, or NULL */
    const struct rr_instance *instance;
    /* Node shapes: n_shapes == 1 and every node alike, or one per node from a file (then min = max = n_shapes). */
    const struct rr_node_shape *shape;
    size_t n_shapes;
    const char *nodes_file, *nodes_format, *nodes_sha256; /* NULL when not from a file */
    int64_t nodes_min, nodes_max;                         /* static: equal. INT64_MAX = "unlimited" */
    int64_t gpus_per_node, cpus_per_node, memory_bytes;   /* as given in the pool itself, 0 = not */
    const char *gpu;                                      /* accelerator id for type constraints, "" = any */
    struct rr_dist boot; /* from request to ready; boot_us is its mean, and all there is to it when it does not vary */
    int64_t boot_us, idle_timeout_us;
    const cJSON *image_json;  /* or NULL */
    int64_t image_us;         /* to pull it, on top of the boot */
    bool image_stays;         /* a node that has pulled it has it when it comes again */
    double refuse;            /* chance that a request for a node is refused */
    int64_t retry_us;         /* until the pool is asked again */
    int64_t quota;            /* requests above so many nodes are refused; 0 = none */
    int64_t idle_align_us;    /* idle nodes go at whole ones of it since their request; 0 = at once */
    int64_t spill_after_us;   /* jobs that have waited less do not use the pool */
    bool reclaimable;         /* its nodes may be taken away (a plan with RR_USE_RECLAIMS): no place for jobs that are not interruptible */
    bool arrives;             /* its nodes come and go by a schedule of its plan */
    const char *accepts_text; /* or NULL */
    const struct rr_where *accepts;           /* jobs that it takes; NULL = all */
    int64_t nodes_per_switch, nodes_per_rack; /* in the order of their numbers; 0: all of them */
    const cJSON *mig_json;                    /* {"1g.10gb": 7} or NULL */
    const char *slice;                        /* each GPU is cut into `slices` of this name; NULL: not cut */
    int64_t slices;
    const struct rr_kind *plan;    /* NULL = unpriced */
    void *plan_params;             /* struct of the plan, filled from its rows */
    struct rr_autoscale autoscale; /* the one that holds for it */
    const cJSON *nodes_json, *plan_json;
};
/* What jobs ask for in this pool, GPUs or slices of them, that make one GPU. */
static inline int64_t rr_pool_slices(const struct rr_pool *p) { return p->slice ? p->slices : 1; }
struct rr_commitment {
    const char *name, *pointer;
    const struct rr_kind *plan;
    void *params;
};
/* How far apart the nodes of a job lie; a pool without nodes_per_switch is one switch, one without nodes_per_rack one rack. */
enum rr_reach {
    RR_REACH_NODE,   /* on one node */
    RR_REACH_SWITCH, /* several nodes of one switch */
    RR_REACH_RACK,   /* several switches of one rack */
    RR_REACH_POOL,   /* several racks */
    RR_REACHES
};
struct rr_spread { /* "spread_slowdown": run time by reach, over that in the trace */
    bool given;
    double factor[RR_REACHES]; /* >= 1 when given */
};
struct rr_scheduler {
    uint64_t given;
    const struct rr_kind *policy, *placement;
    void *policy_params, *placement_params;
    const char *policy_name, *placement_name;
    enum { RR_ESTIMATE_USER, RR_ESTIMATE_EXACT, RR_ESTIMATE_FACTOR, RR_ESTIMATE_NOISE } estimate;
    double estimate_factor; /* run time x factor with RR_ESTIMATE_FACTOR; run time x e^(factor x normal) with RR_ESTIMATE_NOISE */
    const cJSON *estimate_json;
    int order;     /* 0 arrival, 1 shortest (by estimate) */
    bool blocking; /* fifo: a head that does not fit blocks all behind it (default true) */
    int overrun;   /* 0 continue, 1 kill: a job that outruns its estimate */
    struct rr_spread spread;
    int64_t round_us; /* a pass is made only at multiples of it; 0 = at every event */
};
/* What a start, a checkpoint and an interruption cost ("checkpoint", of the scenario and of classes). All zero: nothing. */
struct rr_checkpoint {
    uint64_t given;
    const char *interval; /* as written */
    enum { RR_INTERVAL_NONE, RR_INTERVAL_FIXED, RR_INTERVAL_YOUNG, RR_INTERVAL_DALY, RR_INTERVAL_BEST } rule;
    int64_t interval_us;                    /* RR_INTERVAL_FIXED: of work between two checkpoints */
    int64_t write_us, restore_us, start_us; /* a checkpoint; every start that goes on from one (its mean); every start */
    struct rr_dist restore;                 /* drawn at each such start when it varies; else restore_us holds */
    int on_preempt;                         /* 0 save: a preempted job keeps its work and owes one write, 1 lose */
    bool on_notice;                         /* a notice of at least write_us is used to save */
    int64_t bytes;                          /* 0: not given; write_us and restore follow from it and bandwidth */
    const char *bandwidth;                  /* as written, or NULL */
};
/* A kind of jobs ("classes"): the first whose `where` holds, else the one named like the job's class in the trace. */
struct rr_class {
    uint64_t given;
    const char *name, *pointer;
    const char *where_text;
    const struct rr_where *where; /* NULL: by name alone */
    bool interruptible;           /* false: never preempted, never in a reclaimable pool */
    int64_t priority;             /* larger goes first */
    int64_t limit_us;             /* of run time; 0: none */
    struct rr_price waiting_given;
    struct rr_rate waiting;          /* cost of waiting, per job and hour, in the scenario's currency; nano 0 = none */
    struct rr_checkpoint checkpoint; /* its own, or the scenario's */
    bool *may_use;                   /* [n_pools]; NULL = all */
    const cJSON *checkpoint_json;
};
#define RR_NO_CLASS UINT16_MAX

struct rr_finance {
    uint64_t given;
    double discount_rate;        /* effective yearly */
    bool has_discount_rate;      /* given: npv.cost is null without it */
    struct rr_price electricity; /* per kWh; nano 0 with given bit clear = none */
    double pue;                  /* 0 = not given: the plan takes its default from the facts */
    const char *fiscal_year_start;
    int fiscal_month;                   /* 1..12: the fiscal year starts on its first day */
    double reinvest_rate, finance_rate; /* of MIRR, effective yearly; the discount rate when not given */
    double exit_penalty, exit_resale;   /* shares, of what is owed and of the book value, when a plan is left early; NaN: not given */
    const cJSON *tax_json;
    struct rr_tax_rules *tax; /* NULL: before tax */
};
/* "finance": {"tax": {...}}: the same rules for every alternative. */
struct rr_tax_rules {
    uint64_t given;
    double rate, vat, vat_recovered;
    int64_t vat_lag_months;
    bool taxable_profit;
    int depreciation; /* enum rr_tax_write_off */
};
enum rr_tax_write_off { RR_TAX_BOOK, RR_TAX_MACRS_3, RR_TAX_MACRS_5, RR_TAX_MACRS_7, RR_TAX_AT_ONCE };
struct rr_limit {     /* "service": {"wait.p95": "<= 4 h"} */
    int metric;       /* enum rr_metric */
    bool at_least;    /* ">=" */
    double limit;     /* in the metric's unit */
    const char *text; /* as written */
    const char *pointer;
};
struct rr_gate {
    const char *name, *alternative, *stat; /* alternative NULL = every one; stat default "mean" */
    int metric;
    bool has_max, has_min;
    double max, min;
    const char *pointer;
    const char *waived; /* reason, or NULL */
};
struct rr_fx {
    char from[4]; /* 1 `from` = rate x reporting currency */
    int64_t rate_nano;
    const char *date, *source;
};

/* One variant: an alternative at a sweep point, fully checked. */
struct rr_scenario {
    uint64_t given;
    const char *name;        /* of the scenario */
    const char *variant;     /* "buy" or "buy[/pools/own/nodes=4]" */
    const char *alternative; /* "buy" ("base" when there is none) */
    struct rr_clock clock;
    int64_t start_us;
    struct rr_duration horizon;
    int64_t horizon_us; /* RR_NEVER: the last job's end */
    bool has_horizon;
    const char *currency; /* "USD" */
    int64_t seed, replications, warmup_us;
    const char *baseline; /* variant's alternative name, or NULL */
    struct rr_workload *workload;
    size_t n_workloads;
    struct rr_pool *pool; /* in the order that they are tried */
    bool cheapest_first;  /* in the order of what a GPU costs at the time */
    size_t n_pools;
    struct rr_commitment *commitment;
    size_t n_commitments;
    struct rr_commitment *charge; /* "charges": storage, transfer, support and the like */
    size_t n_charges;
    struct rr_scheduler scheduler;
    const char *throughput_path; /* or NULL */
    const struct rr_throughput *throughput;
    const char *reference_gpu; /* with throughput: what all run times were measured on */
    struct rr_checkpoint checkpoint;
    struct rr_class *classes;
    size_t n_classes;
    const struct rr_failures *failures; /* NULL: nothing fails */
    const cJSON *failures_json;
    struct rr_autoscale autoscale; /* of pools without their own */
    struct rr_finance finance;
    struct rr_limit *service;
    size_t n_service;
    struct rr_fx *fx;
    size_t n_fx;
    const struct rr_shelf_book *const *book; /* "prices": books in front of the shipped facts (data/price_book.h) */
    size_t n_books;
    const struct rr_profile_set *profiles; /* "profiles" (data/profile_set.h); NULL: none */
    const char *const *profile_name;       /* [profiles->n] as files or names of shipped ones */
    const char *existing_path;             /* or NULL; an entry of `charge` bills it */
    const cJSON *document;                 /* the validated document of this variant (owned by the set) */
    struct rr_json *json;
    struct rr_notes notes;                      /* assumptions and warnings about this variant (prices resolved from the facts) */
    int64_t format;                             /* 1 */
    const cJSON *uncertainty_json, *until_json; /* of the whole study; NULL: not given */
    uint64_t decision_hash; /* of all that the engine's course depends on: world, fleet, policies, quotes, rows with RR_PF_DECIDES */
};
/* "until": replications stop when the 95 % confidence interval is narrow enough. */
struct rr_until {
    uint64_t given;
    const char *metric_name;
    int metric;              /* enum rr_metric */
    double half_width;       /* of the mean */
    const char *alternative; /* NULL: of every one */
};
struct rr_reading;
struct rr_uncertainty;
/* One scenario file with all its variants. */
struct rr_scenario_set {
    struct rr_arena *arena;
    struct rr_json *json;
    const char *path, *name;
    char sha256[65];
    struct rr_scenario **variant;
    size_t n_variants;
    const char *baseline; /* variant name for `pairs`: the scenario's, else the first */
    struct rr_gate *gate;
    size_t n_gates;
    struct rr_notes notes;
    const cJSON *root;
    const struct rr_uncertainty *uncertainty; /* data/uncertain.h; NULL: no input varies */
    const struct rr_until *until;             /* NULL: all replications */
    const struct rr_reading *reading;         /* for samples: how the documents were read */
    const struct rr_catalog *catalog;
};
struct rr_scenario_options {
    const char *const *set;    /* "PTR=VALUE" [n_set] */
    const char *const *values; /* files: merge patches, in order [n_values] */
    size_t n_set, n_values;
    const char *const *registers; /* assumption registers (data/register.h), before --set [n_registers] */
    size_t n_registers;
    int64_t seed, reps; /* -1 = as the scenario says */
    bool any_path;      /* do not look at the files it names (schema tests) */
    const char *text;   /* the document, in place of the file at the path, which its own paths stay relative to; NULL = read the file */
    bool priced_only;   /* to price leases that are there: of the files that it names only those with prices are read */
};
/* Path "-" is stdin. Unknown keys, wrong units, sections that are not built yet and so on are RR_EINPUT with file:line:column and pointer. */
RR_CHECKED enum rr_status rr_scenario_load(const char *path, const struct rr_scenario_options *opt, const struct rr_registry *reg,
                                           const struct rr_catalog *catalog, struct rr_scenario_set **ret);
void rr_scenario_set_free(struct rr_scenario_set *s); /* takes NULL */

/* Is the pointer one that this document has the part for? "/pools/own/plan/rate" of a document without the pool "own" is for another
 * alternative. */
bool rr_scenario_has_part(const cJSON *document, const char *pointer, struct rr_arena *a);

/* An amount or rate in another currency, by the scenario's dated rate: RR_EINPUT "no rate for EUR in /fx ..." when there is none. */
RR_CHECKED enum rr_status rr_scenario_money(const struct rr_scenario *s, struct rr_amount in, struct rr_money *ret);
RR_CHECKED enum rr_status rr_scenario_rate(const struct rr_scenario *s, struct rr_price in, struct rr_rate *ret);

/* The rows of "finance". */
const struct rr_param *rr_finance_rows(size_t *n);
/* `check --print`: every parameter of the variant with value, unit, given or default, and source, as aligned text. */
void rr_scenario_print(struct rr_buf *b, const struct rr_scenario *s, const struct rr_registry *reg);
/* data/schema/scenario.schema.json from the same rows. The caller owns the tree. */
cJSON *rr_scenario_schema(const struct rr_registry *reg);
#endif
