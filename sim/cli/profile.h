/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile.h - what `rackrate fit`, `profile`, `import profiles` and `calibrate` share. */
#ifndef RR_SIM_CLI_PROFILE_H
#define RR_SIM_CLI_PROFILE_H
#include "models/calib/calib.h"
#include "sim/cli/cli.h"

/* Operands from `first` on, read with the options op, ranks, nodes, format, network and max-refused of `c`; what was refused or noted goes to stderr. */
RR_CHECKED enum rr_status rr_cli_samples(const struct rr_command *c, const struct rr_args *a, size_t first, struct rr_samples *ret);
void rr_profile_table(struct rr_buf *b, const struct rr_profile *p); /* what `profile show` prints */
void rr_profile_put_us(struct rr_buf *b, double us);                 /* "    35.86 us", right-aligned */
void rr_profile_put_size(struct rr_buf *b, double bytes);            /* "     64 MiB", right-aligned */
/* profile_compare.c: two side by side on stdout, as a table or as one JSON document. */
RR_CHECKED enum rr_status rr_profile_compare(const struct rr_profile *p, const struct rr_profile *q, bool json);
/* profile_holdout.c: each of the logs from operand `first` on: a fit of every other size against the sizes between. A log that cannot be read is named on
 * stderr; an error when none can. */
RR_CHECKED enum rr_status rr_profile_hold_out(const struct rr_command *c, const struct rr_args *a, size_t first, bool json);
/* PROFILE: a file, or the name of one in data/profiles. */
RR_CHECKED enum rr_status rr_cli_profile(const char *name, struct rr_arena *a, struct rr_profile *ret);
/* collectives.svg and roofline.svg in `dir`, by gnuplot; `s` (may be NULL): measured points beside the curves. RR_EMISSING without gnuplot. */
RR_CHECKED enum rr_status rr_profile_plots(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a);
/* The same of two machines, the curves of each operation that both have. */
RR_CHECKED enum rr_status rr_profile_plots_both(const struct rr_profile *p, const struct rr_profile *q, const char *dir,
                                                struct rr_arena *a);
/* fit_training.c: the coefficients of models/train from published step times. */
RR_CHECKED enum rr_status rr_fit_training(const struct rr_args *a);
#endif
