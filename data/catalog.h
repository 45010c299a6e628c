/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/catalog.h - the shipped facts: GPUs, hardware, instances and their prices, each row with source and date. */
#ifndef RR_DATA_CATALOG_H
#define RR_DATA_CATALOG_H
#include "data/notes.h"
#include "data/param.h"

struct rr_fact {               /* where a row stands */
    const char *source, *date; /* as in the file */
    const char *path;          /* "data/facts/instances.csv" */
    int64_t line;
    const char *note; /* conflicts between sources, conversions; "" = none */
};
struct rr_gpu {
    const char *id;      /* "h100-80gb-sxm" */
    const char *aliases; /* other spellings, separated by | */
    const char *vendor, *arch;
    double memory_gib, idle_w, power_w;           /* 0 = not known */
    double bf16_tflops, fp16_tflops, fp32_tflops; /* dense; 0 = not known */
    double memory_gb_s, link_gb_s;                /* link: one direction */
    struct rr_fact fact;
};
struct rr_hardware { /* a server that can be bought */
    const char *id;  /* "hgx-h100-8" */
    const char *gpu; /* rr_gpu id */
    int32_t gpus, cpus_milli, memory_mib;
    struct rr_amount price; /* per node; micro 0 = not known */
    double idle_w, power_w; /* of the whole node, at no load and at full load; 0 = not known */
    struct rr_fact fact;
};
struct rr_instance { /* a machine that can be rented */
    const char *id;  /* "aws/p5.48xlarge" */
    const char *gpu;
    int32_t gpus, cpus_milli, memory_mib; /* gpus >= 1; 0 = not known for the others */
    struct rr_fact fact;
};
struct rr_price_row {
    const char *instance, *region;
    const char *plan;    /* "on_demand", "reserved", "spot" */
    const char *term;    /* "1 year", "3 years", "" */
    const char *payment; /* "no_upfront", "partial_upfront", "all_upfront"; "" = not stated by the source: rate is then the effective one */
    struct rr_price rate;     /* per node and hour, used or not when reserved; nano 0 = none (all upfront) */
    struct rr_amount upfront; /* per node, at the start of the term; micro 0 = none */
    struct rr_fact fact;
};
struct rr_spot_row { /* how often spot machines of an instance are taken back */
    const char *instance, *region;
    const char *bucket;   /* as the source has it: "5-10 %" of the machines in a month */
    double share, saving; /* the share that stands for it; off the on-demand rate then, 0 = not known */
    struct rr_fact fact;
};
struct rr_default {               /* a planning value that nobody needs to give, but that is named in the report when it is used */
    const char *plan, *parameter; /* "owned", "pue"; "residual@36 months" */
    const char *value;            /* as the scenario would write it: "5 years", "$0.10/kWh" */
    struct rr_fact fact;
};
struct rr_failure_rate { /* how often a system that somebody reported on was interrupted by failures */
    const char *id;      /* "llama-3.1-405b" */
    const char *gpu;     /* as the source names it */
    int32_t gpus;        /* 0 = not known; the same for days and failures */
    double days, failures;
    double gpu_hours;   /* GPU-hours a failure */
    double least, most; /* the same of other published systems */
    struct rr_fact fact;
};
struct rr_failure_cause { /* of a row of the table above */
    const char *id, *cause;
    const char *kind; /* "node", "gpu", "network", "power" or "software": what is taken, and whether it needs repair */
    double count;
    struct rr_fact fact;
};
struct rr_shelf;
struct rr_catalog {
    const struct rr_gpu *gpu;
    const struct rr_hardware *hardware;
    const struct rr_instance *instance;
    const struct rr_price_row *price;
    const struct rr_default *fallback;
    const struct rr_failure_rate *failure_rate;
    const struct rr_failure_cause *failure_cause;
    size_t n_gpus, n_hardware, n_instances, n_prices, n_fallbacks, n_failure_rates, n_failure_causes, n_spot;
    const struct rr_spot_row *spot;
    const struct rr_shelf *shelf; /* price books in front of the facts (data/price_book.h); NULL: none */
};
/* The folder of the shipped data: $RACKRATE_DATA, else DIR/../share/rackrate or DIR/../data beside the running program, else the one given at
 * build time. RR_EIO naming what was looked at when none has facts/. */
RR_CHECKED enum rr_status rr_data_dir(struct rr_arena *a, const char **ret);
/* Reads and checks every table: RR_EINPUT "PATH:LINE: ..." for a price of 0, reserved above on-demand without a note, an unknown GPU, a repeated key, a row without source or date. */
RR_CHECKED enum rr_status rr_catalog_load(const char *data_dir, struct rr_arena *a, struct rr_catalog *ret);
bool rr_gpu_is(const struct rr_gpu *g, const char *name);   /* its id or one of its aliases; ASCII case ignored */
bool rr_gpu_fits(const struct rr_gpu *g, const char *name); /* that, or what its id begins with: "v100", "a100-80gb" */
const struct rr_gpu *rr_catalog_gpu_called(const struct rr_catalog *c, const char *name); /* by id or alias; NULL: unknown */
/* By id or alias; RR_EINPUT with the nearest right name. An instance may be one of a price book. */
RR_CHECKED enum rr_status rr_catalog_gpu(const struct rr_catalog *c, const char *name, const struct rr_gpu **ret);
RR_CHECKED enum rr_status rr_catalog_hardware(const struct rr_catalog *c, const char *id, const struct rr_hardware **ret);
RR_CHECKED enum rr_status rr_catalog_instance(const struct rr_catalog *c, const char *id, const struct rr_instance **ret);
/* The row of the first price book that has the key (data/price_book.h), else the latest one of the facts. region "" matches any only when all regions agree; a row of region "all" matches every region; a reserved row
 * without a payment form matches any when no row has the form asked for. RR_EINPUT naming what exists: never a silent $0. */
RR_CHECKED enum rr_status rr_catalog_price(const struct rr_catalog *c, const char *instance, const char *region, const char *plan,
                                           const char *term, const char *payment, const struct rr_price_row **ret);
/* NULL when there is none; region "" matches when there is one region alone. */
const struct rr_spot_row *rr_catalog_spot(const struct rr_catalog *c, const char *instance, const char *region);
/* NULL when there is none. */
const struct rr_default *rr_catalog_default(const struct rr_catalog *c, const char *plan, const char *parameter);
/* "SOURCE, DATE (data/facts/prices.csv:12)", for notes; in `a`. */
const char *rr_fact_text(struct rr_arena *a, const struct rr_fact *f);
#endif
