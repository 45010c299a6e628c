/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training_accuracy.h - what `rackrate validate training` leaves behind: the table of errors, and predicted against measured as a picture. */
#ifndef RR_SIM_CLI_TRAINING_ACCURACY_H
#define RR_SIM_CLI_TRAINING_ACCURACY_H
#include "models/train/accuracy.h"

/* The form of data/facts/train_accuracy.csv. RR_EIO. */
RR_CHECKED enum rr_status rr_accuracy_write(const char *path, const struct rr_residual *row, size_t n, struct rr_arena *a);
/* DIR/NAME.svg for each measure: step-time.svg, time-to-train.svg, memory.svg; the folder is made. RR_EMISSING: no gnuplot. */
RR_CHECKED enum rr_status rr_accuracy_plot(const char *dir, const struct rr_residual *row, size_t n, struct rr_arena *a);
#endif
