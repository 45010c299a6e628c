/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/throughput.h - how fast kinds of jobs run on kinds of GPUs: a table `class,gpu,throughput` from a CSV file.
 *
 * Throughput is in any unit, the same for all GPUs of one class (steps a second): only ratios count. A class of "*" is every class that has no
 * row of its own. GPUs are named as in pools ("gpu", or that of hardware and instances) or by another spelling of the facts. Lines that start with #
 * are comments. */
#ifndef RR_DATA_THROUGHPUT_H
#define RR_DATA_THROUGHPUT_H
#include "data/catalog.h"

struct rr_throughput_row {
    const char *job_class, *gpu; /* gpu: the facts' id where they know it */
    double value;                /* > 0 */
    int64_t line;
};
struct rr_throughput {
    const char *path;
    char sha256[65];
    size_t n;
    const struct rr_throughput_row *row; /* [n] as in the file, in the arena */
    const struct rr_catalog *catalog;    /* borrowed */
};
/* catalog: for other spellings of GPUs, must outlive the table; NULL: none are known. RR_EINPUT "PATH:LINE: ..." for a column that is missing, a throughput that is not
 * above 0, a class and GPU that occur twice. */
RR_CHECKED enum rr_status rr_throughput_read(const char *path, const struct rr_catalog *catalog, struct rr_arena *arena,
                                             struct rr_throughput *ret);
/* Of a class ("" and unknown ones: the row "*") on a GPU; 0 when there is no row. */
double rr_throughput_of(const struct rr_throughput *t, const char *job_class, const char *gpu);
bool rr_throughput_has_gpu(const struct rr_throughput *t, const char *gpu); /* in any row */
#endif
