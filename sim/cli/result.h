/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/result.h - what commands that read a RESULT share. */
#ifndef RR_SIM_CLI_RESULT_H
#define RR_SIM_CLI_RESULT_H
#include "data/store.h"
#include "sim/cli/cli.h"

/* RESULT is a folder, its results.db or its results.json; leases and charges are in the database, which must be there; its path is
 * returned (ret_db may be NULL). */
RR_CHECKED enum rr_status rr_result_load(const char *result, struct rr_arena *a, const char **ret_db, struct rr_store *ret);
/* A whole file, or none. */
RR_CHECKED enum rr_status rr_write_file(const char *path, const struct rr_buf *b);
#endif
