/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param.h - a parameter is a row: from it come parsing, checks, --help, `check --print`, `list` and the JSON Schema.
 *
 * A table of rows fills one struct: each row names the field by its offset. The struct's first member is `uint64_t given`: bit i is
 * set when the scenario gave row i itself (a default does not count). At most 64 rows a table. */
#ifndef RR_DATA_PARAM_H
#define RR_DATA_PARAM_H
#include "data/base/json.h"
#include "data/base/time.h"
#include "data/dist.h"
#include "data/notes.h"

/* The type of a row. JSON form -> C field. */
enum rr_param_type {
    RR_P_BOOL,        /* true                          -> bool */
    RR_P_INT,         /* 8                             -> int64_t */
    RR_P_REAL,        /* 1.3                           -> double */
    RR_P_SHARE,       /* 0.3 or "30 %"                 -> double in [least, most] */
    RR_P_TEXT,        /* "text"                        -> const char * */
    RR_P_PATH,        /* "file", relative to the scenario file -> const char *, joined to its folder */
    RR_P_WORD,        /* one of words[]                -> int, the index */
    RR_P_TIME,        /* "5 min"                       -> int64_t, microseconds */
    RR_P_DURATION,    /* "36 months"                   -> struct rr_duration */
    RR_P_DATE,        /* "2026-01-01"                  -> int64_t, epoch microseconds */
    RR_P_MONEY,       /* "$400,000"                    -> struct rr_amount */
    RR_P_RATE,        /* "$2.10/gpu/h"                 -> struct rr_price */
    RR_P_BYTES,       /* "80 GiB"                      -> int64_t */
    RR_P_POWER,       /* "10.2 kW"                     -> double, W */
    RR_P_FREQUENCY,   /* "0.5/s"                       -> double, 1/s */
    RR_P_DIST_TIME,   /* "2 h" or {"exponential": ...} -> struct rr_dist, microseconds */
    RR_P_DIST_REAL,   /* 1 or {"choice": ...}          -> struct rr_dist */
    RR_P_OBJECT,      /* {...}                         -> const cJSON *: read by its owner's code (tables of its own) */
    RR_P_SPOT_PRICES, /* "$1.2/h", "FILE" or {...}   -> struct rr_spot_feed (data/spot_feed.h) */
    RR_P_SPOT_NODES,  /* "FILE" or {...}             -> struct rr_spot_feed */
    RR_P_WEEK,        /* [{"days": "Mon-Fri", ...}]  -> const struct rr_week * (data/week.h) */
    RR_P_ZONE,        /* "Europe/Berlin"             -> const struct rr_zone * (data/base/tz.h) */
    RR_P_CHANGE,      /* -0.3, "-30 %" or "+40 %"    -> double */
    RR_P_TIERS,       /* [{"up_to": "10 TB", ...}]   -> const struct rr_tiers * (data/prices.h) */
    RR_P_PRICES,      /* {"aws/p5": "$60/h", ...}    -> const struct rr_price_map * (data/prices.h) */
    RR_P_RECORD,      /* {...} by the table `of`       -> const struct rr_records *, n = 1 */
    RR_P_LIST,        /* [{...}, ...]                  -> const struct rr_records *, n >= 1 */
    RR_P_NAMED,       /* {"name": {...}, ...}          -> const struct rr_records *, n >= 1; with `words` also one of these */
};
/* What an object inside a parameter has for rows, and the size of the struct that they fill (`given` first). */
struct rr_param;
struct rr_param_table {
    const struct rr_param *row;
    size_t n, size;
};
struct rr_records {
    const cJSON *json; /* first: as written */
    int word;          /* index into the row's words, n = 0; -1: none */
    size_t n;
    const char **key; /* [n] names; "0", "1", ... of a list */
    void *at;         /* [n] structs */
};
struct rr_amount {
    struct rr_money money;
    char currency[4];
};
struct rr_price {
    struct rr_rate rate;
    char currency[4];
};

#define RR_PF_REQUIRED 1u /* absent is an error */
#define RR_PF_DECIDES  2u /* part of the decision hash: the engine's course depends on it */
#define RR_PF_LATER    4u /* in the contract, not built yet: given = RR_EINPUT "POINTER: "NAME" is not built yet in rackrate VERSION" */

struct rr_param {
    const char *name;
    enum rr_param_type type;
    size_t offset;
    const char *unit;         /* for people: "s", "per node and hour", "" */
    const char *def;          /* default as JSON text ("\"5 min\"", "0.3", "true"); NULL = none: field stays zero */
    double least, most;       /* in the field's unit; both 0 = no limits */
    const char *help;         /* one line, no period */
    const char *source;       /* where the default comes from; NULL when plain */
    const char *const *words; /* RR_P_WORD: NULL-terminated */
    unsigned flags;
    const struct rr_param_table *of; /* RR_P_RECORD, RR_P_LIST, RR_P_NAMED */
};

/* Reads the members of `object` (may be NULL: defaults only) by `table` into `into` (zeroed by the caller, `given` first).
 * `pointer` is the object's JSON pointer. {"value", "source", "owner", "as_of"} wrappers are looked through. Unknown keys fail with the nearest right key;
 * names in `skip` (NULL-terminated, or NULL) are left alone: the caller reads them. `base` is the folder for RR_P_PATH.
 * Errors: RR_EINPUT "PATH:LINE:COLUMN: POINTER: what is wrong; what would be right". */
struct rr_spot_kept;
struct rr_param_ctx {
    const struct rr_json *json;
    struct rr_arena *arena; /* texts and arrays of the result live here */
    const char *base;
    bool no_files; /* do not look at the files that are named (schema tests) */
    /* Spot series read before: a file that many variants and samples name is read once. NULL: none is kept. Samples of a study take from it on
     * several threads at once, and add nothing. */
    struct rr_spot_kept **spot;
    bool spot_is_shared;
};
RR_CHECKED enum rr_status rr_params_read(const struct rr_param_ctx *ctx, const struct rr_param *table, size_t n, const cJSON *object,
                                         const char *pointer, const char *const *skip, void *into);
/* The value inside a {"value", "source", "owner", "as_of"} wrapper, else the node itself. Takes NULL. */
const cJSON *rr_param_unwrap(const cJSON *node);
/* "source, owner, as_of" of a wrapper as one text in `a`; "" when there is none. */
const char *rr_param_source(const cJSON *node, struct rr_arena *a);
/* A wrapper has no other keys, and texts behind all but "value": RR_EINPUT else. Other nodes pass. */
RR_CHECKED enum rr_status rr_param_check_wrapper(const struct rr_json *json, const cJSON *node, const char *pointer);
/* POINTER + "/" + key, escaped, in `a`. */
const char *rr_pointer_join(struct rr_arena *a, const char *pointer, const char *key);
/* RR_EINPUT 'POINTER: "NAME" is not built yet in rackrate VERSION' at the node's key. */
enum rr_status rr_param_later(const struct rr_json *json, const cJSON *node, const char *pointer, const char *name);
/* The value of a node as a message shows it: 8, "text", an object, a list; long texts cut. */
const char *rr_param_shown(const cJSON *node, struct rr_arena *a);
static inline bool rr_given(const void *into, size_t row) { return (*(const uint64_t *)into >> row) & 1u; }
/* "VALUE" of row i as the scenario would write it, for `check --print` and reports. */
void rr_param_text(struct rr_buf *b, const struct rr_param *row, const void *into);
bool rr_param_is_zero(const struct rr_param *row, const void *into); /* the field holds nothing: neither given nor with a default */
/* {"anyOf": [TYPE, sourced], "description": ..., "default": ...} of the row, as JSON Schema 2020-12; "#/$defs/sourced", "#/$defs/dist_time" and
 * "#/$defs/dist_real" are rr_param_schema_defs(). The caller owns the trees. */
cJSON *rr_param_schema_defs(void);
cJSON *rr_param_schema(const struct rr_param *row);
/* {"type": "object", "additionalProperties": false, "properties": {...}} of a table. */
cJSON *rr_params_schema(const struct rr_param *table, size_t n);

/* An open set's member as the scenario sees it: a plan, a policy, a placement, an importer. FIRST member of its descriptor. */
struct rr_kind {
    const char *name;    /* the word in scenarios */
    const char *summary; /* one line for `rackrate list` */
    const struct rr_param *params;
    size_t n_params;
    size_t params_size; /* of the struct that the rows fill; 0 = no params */
    unsigned use;       /* RR_USE_*: where the word may stand */
};
#define RR_USE_POOL       1u  /* a pool's plan */
#define RR_USE_COMMITMENT 2u  /* an entry of "commitments" */
#define RR_USE_RECLAIMS   4u  /* nodes of such a pool may be taken away */
#define RR_USE_CHARGE     16u /* an entry of "charges": what is paid around the machines */
#define RR_USE_IDLES      8u  /* an autoscaler that lets idle nodes go after idle_timeout */
struct rr_kinds {
    const struct rr_kind *const *at;
    size_t n;
};
const struct rr_kind *rr_kind_find(struct rr_kinds kinds, const char *name); /* NULL when absent */
/* The open sets, handed down by sim/cli: data/ does not know models/ or sim/. */
struct rr_training_run;
struct rr_training_plan;
struct rr_catalog;
struct rr_registry {
    struct rr_kinds plans, policies, placements, importers, autoscalers;
    /* A planned training run (data/training.h) as a job; NULL: there is no model. */
    RR_CHECKED enum rr_status (*plan_training)(const struct rr_training_run *t, const struct rr_catalog *catalog, struct rr_arena *a,
                                               struct rr_notes *notes, struct rr_training_plan *ret);
};
#endif
