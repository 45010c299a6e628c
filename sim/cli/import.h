/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/import.h - the kinds of `rackrate import` that have a file of their own. */
#ifndef RR_SIM_CLI_IMPORT_H
#define RR_SIM_CLI_IMPORT_H
#include "sim/cli/cli.h"

RR_CHECKED enum rr_status rr_import_bill(const struct rr_args *args);
/* Whole, or not at all; "-" is standard output. */
RR_CHECKED enum rr_status rr_write_out(const char *path, const struct rr_buf *b);
#endif
