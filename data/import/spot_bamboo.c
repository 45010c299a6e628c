/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/spot_bamboo.c - Bamboo's and Parcae's preemption traces: nodes that are added and removed, and counts of nodes.
 *
 *     0,add,node1            bamboo-events: milliseconds, what, name; the events at time 0 build the first fleet
 *     517000,remove,node1
 *
 *     0,5                    node-counts: time in "unit" (ms), nodes
 *     2021-12-11, 11:11:30, 55      or a date, a time of day (taken as UTC) and nodes; not strictly sorted
 *
 * Several lines share a time: the last of them is the count that holds. */
#include "data/base/csv.h"
#include "data/spot.h"
#include <string.h>

static size_t first_line(const char *head, size_t n, struct rr_slice *cell, size_t most)
{
    const char *end = memchr(head, '\n', n);
    size_t cells = 0, from = 0;
    const size_t len = end ? (size_t)(end - head) : n;
    for (size_t i = 0; i <= len && cells < most; i++) {
        if (i < len && head[i] != ',' && head[i] != '\r') continue;
        cell[cells++] = rr_trim(rr_slice(head + from, i - from));
        from = i + 1;
        if (i < len && head[i] == '\r') break;
    }
    return cells;
}

static bool is_whole(struct rr_slice s)
{
    int64_t v;
    return rr_text_i64(s, &v) == RR_OK;
}

static bool events_sniff(const char *head, size_t n)
{
    struct rr_slice cell[4];
    return first_line(head, n, cell, 4) == 3 && is_whole(cell[0]) && (rr_slice_is(cell[1], "add") || rr_slice_is(cell[1], "remove"));
}

static bool is_date(struct rr_slice s)
{
    int64_t us;
    return s.n == 10 && s.at[4] == '-' && rr_date_parse(s, &us) == RR_OK;
}

static bool counts_sniff(const char *head, size_t n)
{
    struct rr_slice cell[4];
    const size_t cells = first_line(head, n, cell, 4);
    return (cells == 2 && is_whole(cell[0]) && is_whole(cell[1])) || (cells == 3 && is_date(cell[0]) && is_whole(cell[2]));
}

static enum rr_status each_row(struct rr_spot_input *in, enum rr_status (*read)(struct rr_spot_input *in, const struct rr_csv_row *row))
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    enum rr_status st;
    RR_TRY(rr_csv_open(in->file->path, (struct rr_csv_options){0}, &csv));
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        st = read(in, &row);
        if (st != RR_OK) {
            st = rr_fail_in(st, "%s:%lld", in->file->path, (long long)row.line);
            goto out;
        }
    }
out:
    rr_csv_close(csv);
    return st;
}

static enum rr_status event_row(struct rr_spot_input *in, const struct rr_csv_row *row)
{
    struct rr_spot_point p;
    int64_t count = in->point.n ? in->point.at[in->point.n - 1].value : 0;
    if (row->n != 3 || rr_text_scaled(rr_trim(row->cell[0]), 3, &p.at_us) != RR_OK)
        return rr_fail(RR_EINPUT, "milliseconds, add or remove, and a name are expected");
    if (rr_slice_is(rr_trim(row->cell[1]), "add"))
        count++;
    else if (rr_slice_is(rr_trim(row->cell[1]), "remove"))
        count--;
    else
        return rr_fail(RR_EINPUT, "\"add\" or \"remove\" is expected in the second column");
    if (count < 0) return rr_fail(RR_EINPUT, "more nodes are removed than were added");
    if (in->point.n && p.at_us < in->point.at[in->point.n - 1].at_us) return rr_fail(RR_EINPUT, "the events are not in order of time");
    p.value = count;
    rr_vec_push(&in->point, p);
    return RR_OK;
}

static enum rr_status events_read(struct rr_spot_input *in) { return each_row(in, event_row); }

static enum rr_status dated_row(struct rr_spot_input *in, const struct rr_csv_row *row, struct rr_spot_point *p)
{
    const struct rr_slice date = rr_trim(row->cell[0]), time = rr_trim(row->cell[1]);
    const char *text =
        rr_strf(in->arena, "%.*sT%.*sZ", (int)(date.n > 16 ? 16 : date.n), date.at, (int)(time.n > 16 ? 16 : time.n), time.at);
    if (rr_date_parse(rr_slice(text, strlen(text)), &p->at_us) != RR_OK || rr_text_i64(rr_trim(row->cell[2]), &p->value) != RR_OK)
        return rr_fail(RR_EINPUT, "a date, a time of day and a number of nodes are expected");
    in->absolute = true;
    return RR_OK;
}

static enum rr_status count_row(struct rr_spot_input *in, const struct rr_csv_row *row)
{
    static const uint64_t us_of[] = {[RR_SPOT_MS] = 1000, [RR_SPOT_S] = 1000000, [RR_SPOT_H] = UINT64_C(3600000000)};
    struct rr_spot_point p;
    if (in->point.n > 0 && in->absolute != (row->n == 3)) return rr_fail(RR_EINPUT, "dates and times from the start in one series");
    if (row->n == 3)
        RR_TRY(dated_row(in, row, &p));
    else if (row->n != 2 || rr_text_times(rr_trim(row->cell[0]), us_of[in->file->unit], &p.at_us, NULL) != RR_OK ||
             rr_text_i64(rr_trim(row->cell[1]), &p.value) != RR_OK)
        return rr_fail(RR_EINPUT, "a time and a number of nodes are expected");
    rr_vec_push(&in->point, p);
    return RR_OK;
}

static enum rr_status counts_read(struct rr_spot_input *in) { return each_row(in, count_row); }

const struct rr_spot_reader rr_spot_reader_bamboo_events = {.name = "bamboo-events",
                                                            .summary = "milliseconds, add or remove, node name (CSV)",
                                                            .of = RR_SPOT_NODES,
                                                            .sniff = events_sniff,
                                                            .read = events_read};
const struct rr_spot_reader rr_spot_reader_node_counts = {.name = "node-counts",
                                                          .summary = "time and number of nodes (CSV without a header)",
                                                          .of = RR_SPOT_NODES,
                                                          .sniff = counts_sniff,
                                                          .read = counts_read};
