/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/csv.h - the CSV files. Times are exact decimals of seconds from the start, money exact decimals of the currency unit. */
#ifndef RR_REPORTS_CSV_H
#define RR_REPORTS_CSV_H
#include "data/outfile.h"
#include "data/store.h"

/* Cells, each with the comma in front of it unless it is the row's first. */
struct rr_cells {
    struct rr_outfile *out;
    bool first;
};
void rr_out_text(struct rr_cells *c, const char *text);         /* NULL is ""; guarded against spreadsheet formulas */
void rr_out_scaled(struct rr_cells *c, __int128 v, int digits); /* v / 10^digits, exact, as few decimals as needed */
void rr_out_time(struct rr_cells *c, int64_t us);               /* seconds; RR_NEVER is empty */
void rr_out_double(struct rr_cells *c, double v);               /* NaN is empty */
void rr_out_row(struct rr_cells *c);                            /* the line's end */

RR_CHECKED enum rr_status rr_csv_jobs(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
RR_CHECKED enum rr_status rr_csv_attempts(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
RR_CHECKED enum rr_status rr_csv_leases(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
RR_CHECKED enum rr_status rr_csv_charges(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
RR_CHECKED enum rr_status rr_csv_timeline(const struct rr_store *s, const char *db_path, struct rr_outfile *out);

/* The sheet "register": nothing without it. */
RR_CHECKED enum rr_status rr_csv_assumptions(const struct rr_store *s, const char *db_path, struct rr_outfile *out);

/* A curve of an alternative by name, or NULL. */
const struct rr_series *rr_series_find(const struct rr_alternative *a, const char *name);
#endif
