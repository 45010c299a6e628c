/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/plot.h - the figures, drawn by gnuplot.
 *
 * gnuplot is started without a shell, in a private directory, on a script and data files of ours; the only texts of a scenario in the script are
 * labels that went through rr_buf_gnuplot. */
#ifndef RR_REPORTS_PLOT_H
#define RR_REPORTS_PLOT_H
#include "reports/doc.h"

extern const char *const rr_figure_names[]; /* all that there are; NULL-terminated */

/* The figures that the store has data for, in `arena`. RR_EMISSING: gnuplot is not installed; RR_EIO: it failed. *ret is then empty. */
RR_CHECKED enum rr_status rr_plots(const struct rr_store *s, struct rr_arena *arena, struct rr_figures *ret);
#endif
