/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/alibaba_gpu_2023.c - the pod lists of Alibaba's GPU-sharing trace of 2023 ("openb", Weng et al., USENIX ATC'23).
 *
 * A pod is a job: run = deletion - scheduled, submit = creation, in seconds from the trace's start. A pod that was never scheduled is kept as such.
 * Columns are found by name: the lists differ in them. The lists without times (multigpuNN) cannot be replayed and are refused. */
#include "data/cell.h"
#include "data/trace.h"
#include <string.h>

enum column { NAME, CPU, MEMORY, GPUS, GPU_MILLI, CREATED, DELETED, SCHEDULED, REQUIRED, SPEC = REQUIRED, QOS, PHASE, COLUMNS };
static const char *const names[COLUMNS] = {"name",          "cpu_milli",      "memory_mib", "num_gpu", "gpu_milli", "creation_time",
                                           "deletion_time", "scheduled_time", "gpu_spec",   "qos",     "pod_phase"};

struct reader {
    struct rr_csv *csv;
    struct rr_trace_builder *b;
    size_t width;
    int at[COLUMNS]; // -1: the list has none
};

static enum rr_status read_header(struct reader *r)
{
    struct rr_csv_row header;
    RR_TRY(rr_csv_next(r->csv, &header));
    if (header.n == 0) return rr_fail(RR_EINPUT, "%s: the file is empty", rr_csv_path(r->csv));
    r->width = header.n;
    for (int i = 0; i < COLUMNS; i++) r->at[i] = rr_csv_find(&header, names[i]);
    if (r->at[GPUS] >= 0 && r->at[CREATED] < 0 && r->at[DELETED] < 0 && r->at[SCHEDULED] < 0)
        return rr_fail(RR_EINPUT,
                       "%s:%lld: this pod list has no times (creation_time, scheduled_time, deletion_time), so it cannot be replayed",
                       rr_csv_path(r->csv), (long long)header.line);
    for (int i = 0; i < REQUIRED; i++)
        if (r->at[i] < 0)
            return rr_fail(RR_EINPUT, "%s:%lld: no column \"%s\" in the header", rr_csv_path(r->csv), (long long)header.line, names[i]);
    return RR_OK;
}

static struct rr_slice cell(const struct reader *r, const struct rr_csv_row *in, enum column c)
{
    return r->at[c] < 0 ? rr_slice("", 0) : rr_trim(in->cell[r->at[c]]);
}

/* An optional time in seconds: RR_NOT_GIVEN when empty. */
static bool read_time(struct rr_slice s, int64_t *ret)
{
    *ret = RR_NOT_GIVEN;
    return s.n == 0 || rr_cell_scaled(s, 6, ret);
}

static const char *read_times(const struct reader *r, const struct rr_csv_row *in, struct rr_trace_row *row, enum column *at)
{
    int64_t scheduled, deleted;
    if (*at = CREATED, !read_time(cell(r, in, CREATED), &row->submit_us)) return "creation_time is no number of seconds";
    if (*at = SCHEDULED, !read_time(cell(r, in, SCHEDULED), &scheduled)) return "scheduled_time is no number of seconds";
    if (*at = DELETED, !read_time(cell(r, in, DELETED), &deleted)) return "deletion_time is no number of seconds";
    if (scheduled != RR_NOT_GIVEN && scheduled >= row->submit_us) row->start_us = scheduled;
    row->state = rr_slice_is(cell(r, in, PHASE), "Failed") ? RR_TRACE_FAILED : RR_TRACE_OK;
    if (scheduled == RR_NOT_GIVEN)
        row->state = RR_TRACE_NEVER_STARTED;
    else if (deleted == RR_NOT_GIVEN)
        row->state = RR_TRACE_NEVER_ENDED;
    else if (__builtin_sub_overflow(deleted, scheduled, &row->run_us) || row->run_us < 0)
        return "deletion_time is before scheduled_time";
    return NULL;
}

static const char *read_sizes(const struct reader *r, const struct rr_csv_row *in, struct rr_trace_row *row, enum column *at)
{
    int64_t gpus, milli;
    if (*at = CPU, !rr_cell_whole(cell(r, in, CPU), &row->cpus_milli)) return "cpu_milli is no whole number";
    if (*at = MEMORY, !rr_cell_whole(cell(r, in, MEMORY), &row->memory_mib)) return "memory_mib is no whole number";
    if (*at = GPUS, !rr_cell_whole(cell(r, in, GPUS), &gpus) || gpus < 0 || gpus > INT32_MAX) return "num_gpu is no number of GPUs";
    if (*at = GPU_MILLI, !rr_cell_whole(cell(r, in, GPU_MILLI), &milli) || milli < 0 || milli > 1000)
        return "gpu_milli is not within 0 .. 1000";
    row->gpus_milli = gpus == 1 ? milli : gpus * 1000;
    return NULL;
}

static void read_row(struct reader *r, const struct rr_csv_row *in)
{
    if (in->n != r->width) {
        rr_trace_reject(r->b, in->line, "not as many cells as the header", rr_slice("", 0));
        return;
    }
    struct rr_trace_row row = rr_trace_row_empty;
    enum column at = NAME;
    const char *bad = read_sizes(r, in, &row, &at);
    if (!bad) bad = read_times(r, in, &row, &at);
    if (bad) {
        rr_trace_reject(r->b, in->line, bad, cell(r, in, at));
        return;
    }
    row.id = cell(r, in, NAME);
    row.class_name = cell(r, in, QOS);
    row.gpu_types = cell(r, in, SPEC);
    row.line = in->line;
    rr_trace_add(r->b, &row);
}

static enum rr_status read_rows(struct reader *r)
{
    RR_TRY(read_header(r));
    for (;;) {
        struct rr_csv_row in;
        RR_TRY(rr_csv_next(r->csv, &in));
        if (in.n == 0) return RR_OK;
        read_row(r, &in);
    }
}

static enum rr_status alibaba_read(const char *path, const struct rr_import_options *opt, struct rr_trace_builder *b, char sha256[65])
{
    (void)opt;
    struct reader r = {.b = b};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &r.csv));
    enum rr_status st = read_rows(&r);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, sha256);
    rr_csv_close(r.csv);
    return st;
}

static int alibaba_sniff(const char *name, struct rr_slice head)
{
    (void)name;
    const char *nl = memchr(head.at, '\n', head.n);
    if (nl) head.n = (size_t)(nl - head.at);
    static const char *const must[] = {"name", "cpu_milli", "num_gpu", "gpu_milli"};
    for (size_t i = 0; i < sizeof must / sizeof *must; i++)
        if (!memmem(head.at, head.n, must[i], strlen(must[i]))) return 0;
    return 95;
}

const struct rr_importer rr_import_alibaba_gpu_2023 = {
    .kind = {.name = "alibaba-gpu-2023", .summary = "pod lists of Alibaba's GPU-sharing trace of 2023 (openb_pod_list*.csv)"},
    .licence = "Alibaba clusterdata, cluster-trace-gpu-v2023: no licence file; cite Weng et al., USENIX ATC'23",
    .sniff = alibaba_sniff,
    .read = alibaba_read};
