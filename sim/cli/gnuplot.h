/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/gnuplot.h - a picture that a subcommand draws; started without a shell. */
#ifndef RR_SIM_CLI_GNUPLOT_H
#define RR_SIM_CLI_GNUPLOT_H
#include "data/base/text.h"

/* DIR/NAME.svg of `width` x `height` pixels from a script's body; its texts went through rr_buf_gnuplot(). RR_EMISSING: gnuplot is not installed. */
RR_CHECKED enum rr_status rr_gnuplot(const char *dir, const char *name, int width, int height, const struct rr_buf *body,
                                     struct rr_arena *a);
#endif
