/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/focus.h - bill.focus.csv: a finished run as a bill in the words of FOCUS 1.2 (data/focus.h). */
#ifndef RR_REPORTS_FOCUS_H
#define RR_REPORTS_FOCUS_H
#include "data/outfile.h"
#include "data/store.h"

/* RR_EINPUT when the run has no calendar. */
RR_CHECKED enum rr_status rr_focus_write(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
#endif
