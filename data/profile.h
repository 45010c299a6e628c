/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/profile.h - a profile: how fast one GPU system is, with error bars and sources; JSON, small, written by `rackrate fit`.
 *
 *     { "schema": "rackrate.profile/1", "name": "h100-efa", "date": "2026-12-01", "measured": true, "note": "...",
 *       "hardware": { "gpu": "h100-80gb-sxm", "device": "NVIDIA H100 80GB HBM3", "gpus_per_node": 8, "nodes": 2, "network": "EFA 3200 Gb/s",
 *                     "driver": "", "cuda": "", "nccl": "", "host": "" },
 *       "sources": [ { "name": "aws", "text": "repository path", "file": "log.txt", "sha256": "..", "date": "2024" } ],
 *       "collectives": [ {
 *           "op": "all_reduce", "algorithm": "", "protocol": "", "ranks": 16, "nodes": 2, "source": "aws", "rows": 32, "samples": 64,
 *           "latency_us": VALUE,                 // of a message without bytes: alpha of the first regime; missing where the log begins too high to tell
 *           "bus_gb_s": VALUE,                   // at the largest size measured, as nccl-tests counts it
 *           "half_bytes": VALUE,                 // size at which half of that bandwidth is reached
 *           "knots": [ {"bytes": 8, "us": VALUE}, ... ],  // break points; between two of them t = alpha + beta x
 *           "draws": [ [us of knot 0, 1, ...], ... ],     // bootstrap: each row is one whole curve that fits the samples as well
 *           "points": [ [8, 13.4], [16, 13.1], ... ],     // [bytes, us] measured, the median of each size (64 sizes at most), for plots
 *           "band_pct": 6.1,                     // half width of the band that holds 90 % of single measurements
 *           "loo_median_pct": 2.0, "loo_worst_pct": 11.3, // leave one size out
 *           "outliers": [ {"bytes": 32, "us": 68.14, "in_place": false, "line": 15} ] } ],
 *       "gemm":      [ { "type": "bf16", "source": "..", "peak_tflops": VALUE, "rate_tflops": VALUE, "overhead_us": VALUE, "bytes_gb_s": VALUE,
 *                        "depth": VALUE, "spread_pct": 4.0, "points": [ {"m":..,"n":..,"k":..,"us": VALUE} ] } ],
 *       "rates":     [ { "kind": "memory", "op": "copy", "gb_s": VALUE, "source": "..", "bytes": 2147483648 } ],   // memory, transfer, kernel, storage
 *       "latencies": [ { "op": "launch", "us": VALUE, "source": ".." } ],
 *       "peaks":     [ { "what": "bf16", "unit": "TFLOP/s", "value": 989.4, "source": "datasheet" }, {"what": "memory", ...} ] }
 *
 * VALUE is { "value": 4.1, "p05": 4.0, "p95": 4.3 } or a plain number (no error bar known). Every member but schema, name, hardware and sources may be
 * missing. What is not measured says so: "measured": false on the profile or on one entry, shown as "datasheet, not measured".
 * data/schema/profile.schema.json is the same as a JSON Schema: a key that is added here is added there. */
#ifndef RR_DATA_PROFILE_H
#define RR_DATA_PROFILE_H
#include "data/base/rng.h"
#include "data/base/arena.h"
#include "data/base/text.h"

struct rr_value {
    double value, p05, p95; /* p05 = p95 = value: no error bar */
};

struct rr_knot {
    double bytes; /* ascending */
    struct rr_value us;
};
struct rr_outlier {
    double bytes, us;
    bool in_place;
    int64_t line;
};
struct rr_measured {
    double bytes, us;
};
struct rr_curve { /* time of one collective against its size */
    const char *op, *algorithm, *protocol, *source;
    int32_t ranks, nodes;
    size_t rows, samples;       /* sizes and times that it was fitted from */
    struct rr_value latency_us; /* 0: the log begins too high to tell */
    struct rr_value bus_gb_s, half_bytes;
    const struct rr_knot *knot; /* neither bytes nor us ever fall */
    size_t n_knots;             /* >= 1 */
    const double *draw;         /* [n_draws][n_knots] us */
    size_t n_draws;
    double band_pct, loo_median_pct, loo_worst_pct;
    const struct rr_measured *point; /* [n_points] medians of sizes, ascending; may be none */
    size_t n_points;
    const struct rr_outlier *outlier;
    size_t n_outliers;
    bool measured;
};

struct rr_gemm_point {
    double m, n, k;
    struct rr_value us;
};
/* us = overhead + max(2 m n k' / (efficiency peak), bytes / rate), k' = k + depth: see models/calib/gemm.h. */
struct rr_gemm {
    const char *type, *source;
    struct rr_value peak_tflops; /* the largest rate seen */
    struct rr_value rate_tflops, overhead_us, gb_s, depth;
    double spread_pct, loo_median_pct, loo_worst_pct;
    const struct rr_gemm_point *point;
    size_t n_points;
    bool measured;
};
struct rr_device_rate {
    const char *kind, *op, *type, *source;
    struct rr_value gb_s; /* 10^9 bytes/s, or with kind "kernel" and flops 10^12 FLOP/s in tflops */
    struct rr_value tflops;
    double bytes; /* of the largest transfer it rests on; 0 = not said */
    bool measured;
};
struct rr_latency {
    const char *op, *source;
    struct rr_value us;
    bool measured;
};
struct rr_peak {
    const char *what, *unit, *source; /* "bf16", "TFLOP/s" */
    double value;
};
struct rr_profile_source {
    const char *name, *text, *file, *sha256, *date;
};

struct rr_profile {
    const char *path, *name, *date, *note;
    bool measured;
    const char *gpu, *device, *network, *driver, *cuda, *nccl, *host; /* gpu: id of data/facts/gpus.csv, "" = none */
    int32_t gpus_per_node, nodes;
    const struct rr_profile_source *source;
    size_t n_sources;
    const struct rr_curve *curve;
    size_t n_curves;
    const struct rr_gemm *gemm;
    size_t n_gemms;
    const struct rr_device_rate *rate;
    size_t n_rates;
    const struct rr_latency *latency;
    size_t n_latencies;
    const struct rr_peak *peak;
    size_t n_peaks;
};

/* "2026-01-31", perhaps with a time of day, "2026-01", "2026" or "". */
bool rr_profile_date(const char *text);
/* RR_EINPUT "PATH:LINE:COLUMN: POINTER: ..." for what is unknown, missing, not a number, out of order; RR_EIO. Everything is owned by `a`. */
RR_CHECKED enum rr_status rr_profile_read(const char *path, struct rr_arena *a, struct rr_profile *ret);
void rr_profile_json(struct rr_buf *b, const struct rr_profile *p);
/* What its date is: "measured" when one of its logs has it, else "fitted"; "as of" of a datasheet. */
const char *rr_profile_dated(const struct rr_profile *p);

/* The curve of an operation over `ranks` on `nodes` (0 = any): exact when there is one, else the nearest in ranks. NULL when the op is not in it. */
const struct rr_curve *rr_profile_curve(const struct rr_profile *p, const char *op, int32_t ranks, int32_t nodes);
/* us at `bytes`: linear between knots, the first and the last regime carried on outside them, then *outside = true. Never falls. */
double rr_curve_us(const struct rr_curve *c, double bytes, bool *outside);
/* One world: every number drawn from its error bar (curves: one bootstrap row; the rest: p05 .. p95 as a split normal), the same stream the same
 * world. `ret` borrows what does not vary from `p`. */
void rr_profile_sample(const struct rr_profile *p, struct rr_rng *rng, struct rr_arena *a, struct rr_profile *ret);
#endif
