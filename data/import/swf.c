/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/swf.c - Standard Workload Format: the Parallel Workloads Archive's logs, one processor taken as one GPU.
 *
 * Lines of 18 numbers between blanks, -1 = unknown, comments start with ";" (Feitelson, "The Standard Workload Format", 1999-2006). What comes
 * in the wild is read too: no header, a line of column names, tabs, more than 18 columns. Times stay as they are: seconds from the log's
 * start. The requested time is the estimate and no limit: some logs let jobs run past it. Preceding jobs (field 17) are taken on request alone: the
 * submit times of a log have them in them already. */
#include "data/cell.h"
#include "data/trace.h"
#include <stdio.h>
#include <string.h>

enum field {
    JOB = 0,
    SUBMIT = 1,
    WAIT = 2,
    RUN = 3,
    ALLOCATED = 4,
    REQUESTED = 7,
    REQUESTED_TIME = 8,
    STATUS = 10,
    USER = 11,
    GROUP = 12,
    PRECEDING = 16,
    THINK = 17,
    FIELDS = 18
};
struct links {
    bool taken;   // on request
    size_t found; // rows with a preceding job
};

/* Status 2, 3, 4 are parts of a checkpointed job: each line ran. */
static enum rr_trace_state state_of(int64_t status) { return status == 0 ? RR_TRACE_FAILED : status == 5 ? RR_TRACE_KILLED : RR_TRACE_OK; }

static struct rr_slice known(struct rr_slice cell) { return cell.n > 0 && cell.at[0] == '-' ? rr_slice("", 0) : cell; }

/* The reason why the row is malformed, with the field that shows it; -1 = good. */
static int bad_field(const struct rr_csv_row *in, struct rr_trace_row *row, const char **reason)
{
    int64_t submit, run, allocated, requested, time, status;
    const struct {
        int field, digits; // -1: whole
        int64_t *to;
        const char *reason;
    } need[] = {
        {SUBMIT, 6, &submit, "the submit time (field 2) is no number"},
        {RUN, 6, &run, "the run time (field 4) is no number"},
        {ALLOCATED, 3, &allocated, "the allocated processors (field 5) are no number"},
        {REQUESTED, 3, &requested, "the requested processors (field 8) are no number"},
        {REQUESTED_TIME, 6, &time, "the requested time (field 9) is no number"},
        {STATUS, -1, &status, "the status (field 11) is no whole number"},
    };
    for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
        *reason = need[i].reason;
        const struct rr_slice cell = in->cell[need[i].field];
        if (need[i].digits < 0 ? !rr_cell_whole(cell, need[i].to) : !rr_cell_scaled(cell, need[i].digits, need[i].to)) return need[i].field;
    }
    row->submit_us = submit;
    row->run_us = run;
    row->gpus_milli = requested > 0 ? requested : allocated;
    row->estimate_us = time > 0 ? time : RR_NOT_GIVEN;
    row->state = state_of(status);
    if (status == 5 && run <= 0 && allocated <= 0) { // cancelled while it waited; some logs then do not say how large it was
        row->state = RR_TRACE_NEVER_STARTED;
        if (row->gpus_milli < 0) row->gpus_milli = 0;
        return -1;
    }
    *reason = "unknown run time (field 4 is negative)";
    if (run < 0) return RUN;
    *reason = "unknown number of processors (fields 5 and 8 are not above 0)";
    return row->gpus_milli <= 0 ? ALLOCATED : -1;
}

/* "The current job can only start after the termination of this preceding job", and is submitted the think time later: however that one ended. */
static const char *link_job(const struct rr_csv_row *in, struct rr_trace_row *row, char text[64])
{
    int64_t job, think;
    if (!rr_cell_whole(in->cell[PRECEDING], &job)) return "the preceding job (field 17) is no whole number";
    if (!rr_cell_scaled(in->cell[THINK], 6, &think)) return "the think time (field 18) is no number";
    if (job <= 0) return NULL;
    row->depends_on = rr_slice(text, (size_t)snprintf(text, 64, "afterany:%lld", (long long)job));
    if (think > 0) row->think_us = think;
    return NULL;
}

static void read_row(struct rr_trace_builder *b, struct links *links, const struct rr_csv_row *in)
{
    if (in->n < FIELDS) {
        rr_trace_reject(b, in->line, "fewer than 18 fields", rr_slice("", 0));
        return;
    }
    struct rr_trace_row row = rr_trace_row_empty;
    const char *reason;
    const int bad = bad_field(in, &row, &reason);
    if (bad >= 0) {
        rr_trace_reject(b, in->line, reason, in->cell[bad]);
        return;
    }
    char text[64];
    links->found += in->cell[PRECEDING].at[0] != '-' && !rr_slice_is(in->cell[PRECEDING], "0");
    if (links->taken && (reason = link_job(in, &row, text))) {
        rr_trace_reject(b, in->line, reason, rr_slice("", 0));
        return;
    }
    int64_t wait;
    const bool started = row.state != RR_TRACE_NEVER_STARTED && rr_cell_scaled(in->cell[WAIT], 6, &wait);
    if (started && wait >= 0 && (row.submit_us < 0 || __builtin_add_overflow(row.submit_us, wait, &row.start_us)))
        row.start_us = RR_NOT_GIVEN;
    row.id = in->cell[JOB];
    row.user = known(in->cell[USER]);
    row.account = known(in->cell[GROUP]);
    row.line = in->line;
    rr_trace_add(b, &row);
}

/* "id submit wait ..." */
static bool is_names(const struct rr_csv_row *row)
{
    int64_t v;
    return row->n >= FIELDS && !rr_cell_whole(row->cell[JOB], &v) && !rr_cell_scaled(row->cell[SUBMIT], 6, &v);
}

static enum rr_status read_rows(struct rr_csv *csv, struct rr_trace_builder *b, struct links *links)
{
    for (bool first = true;; first = false) {
        struct rr_csv_row row;
        RR_TRY(rr_csv_next(csv, &row));
        if (row.n == 0) return RR_OK;
        if (!(first && is_names(&row))) read_row(b, links, &row);
    }
}

static enum rr_status swf_read(const char *path, const struct rr_import_options *opt, struct rr_trace_builder *b, char sha256[65])
{
    struct links links = {.taken = opt->dependencies};
    struct rr_csv *csv;
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){.spaces = true, .comment = ';'}, &csv));
    enum rr_status st = read_rows(csv, b, &links);
    if (st == RR_OK) st = rr_csv_sha256(csv, sha256);
    rr_csv_close(csv);
    if (st != RR_OK) return st;
    rr_trace_tell(b, RR_NOTE_ASSUMED, "one processor of the log is taken as one GPU");
    if (links.found > 0 && links.taken)
        rr_trace_tell(b, RR_NOTE_DATA, "%zu jobs start only after the end of their preceding job and their think time (fields 17 and 18)",
                      links.found);
    else if (links.found > 0)
        rr_trace_tell(b, RR_NOTE_DATA, "%zu jobs name a preceding job (field 17): not taken; \"dependencies\": true takes it", links.found);
    return st;
}

static size_t count_words(struct rr_slice s, size_t *ret_numbers)
{
    size_t words = 0;
    *ret_numbers = 0;
    for (size_t i = 0; i < s.n;) {
        while (i < s.n && (s.at[i] == ' ' || s.at[i] == '\t' || s.at[i] == '\r')) i++;
        const size_t from = i;
        while (i < s.n && !(s.at[i] == ' ' || s.at[i] == '\t' || s.at[i] == '\r')) i++;
        double v;
        if (i > from) words++;
        if (i > from && rr_text_double(rr_slice(s.at + from, i - from), &v) == RR_OK) ++*ret_numbers;
    }
    return words;
}

/* The first line that is neither comment nor blank tells; a head that is all comments tells by its keys. */
static int swf_sniff(const char *name, struct rr_slice head)
{
    const bool named = strstr(name, ".swf") != NULL;
    if (head.n > 0 && head.at[0] == ';' && memmem(head.at, head.n, "MaxProcs:", 9)) return 95;
    while (head.n > 0) {
        const char *nl = memchr(head.at, '\n', head.n);
        const struct rr_slice line = rr_slice(head.at, nl ? (size_t)(nl - head.at) : head.n);
        size_t numbers;
        const size_t words = line.n > 0 && line.at[0] == ';' ? 0 : count_words(line, &numbers);
        if (words >= FIELDS) return numbers == words ? 90 : named ? 80 : 0;
        if (words > 0) break;
        head = nl ? rr_slice(nl + 1, head.n - line.n - 1) : rr_slice("", 0);
    }
    return named ? 5 : 0;
}

const struct rr_importer rr_import_swf = {.kind = {.name = "swf", .summary = "Standard Workload Format, one processor as one GPU"},
                                          .licence = "Parallel Workloads Archive: acknowledge the log, its centre and its converter",
                                          .links = true,
                                          .sniff = swf_sniff,
                                          .read = swf_read};
