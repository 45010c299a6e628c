/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/focus.h - bill.focus.csv: a finished run as a bill in the words of FOCUS 1.2 (data/focus.h). */
#ifndef RR_REPORTS_FOCUS_H
#define RR_REPORTS_FOCUS_H
#include "data/outfile.h"
#include "data/store.h"

/* One row of it, for who adds them up. Texts are borrowed until `each` returns. */
struct rr_focus_line {
    const char *alternative, *provider, *service, *category, *region; /* "" = none */
    int64_t month_us;                                                 /* epoch; lies in the billing period */
    struct rr_money billed, effective;
};
/* Every row, alternatives in order. Same errors. */
RR_CHECKED enum rr_status rr_focus_each(const struct rr_store *s, enum rr_status (*each)(void *ctx, const struct rr_focus_line *line),
                                        void *ctx);

/* RR_EINPUT when the run has no calendar. */
RR_CHECKED enum rr_status rr_focus_write(const struct rr_store *s, const char *db_path, struct rr_outfile *out);
#endif
