/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/where.h - which jobs: a small boolean language over the fields of a job.
 *
 *     gpus >= 64 and not (user == "alice" or account == "physics")
 *
 * Fields: gpus, nodes, cpus, priority, estimate_h (numbers; no estimate: the run time); user, account, class (texts). Comparisons: == != < <= > >=, texts by == and !=
 * alone; a text is written in quotes, single or double, with \\ in front of a quote or a backslash. `and`, `or`, `not`, parentheses; `not` binds
 * tightest, then `and`. A field that the trace lacks is 0 or "". */
#ifndef RR_DATA_WHERE_H
#define RR_DATA_WHERE_H
#include "data/base/arena.h"
#include "data/trace.h"

struct rr_where;
/* Compiled into `a`. RR_EINPUT 'column 6: "foo" is no field of a job; ...': columns count bytes from 1. */
RR_CHECKED enum rr_status rr_where_parse(const char *text, struct rr_arena *a, const struct rr_where **ret);
bool rr_where_holds(const struct rr_where *w, const struct rr_trace *t, size_t job);
#endif
