/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/fleet_csv.c - node shapes from a CSV: our own columns, or Alibaba's openb_node_list*.csv.
 *
 * A fleet is small and every node counts, so one bad row is an error and none is left out. */
#include "data/cell.h"
#include "data/fleet.h"
#include <string.h>

enum column { NAME, GPUS, CPUS, MEMORY, GPU, COLUMNS };
struct format {
    const char *name;
    const char *column[COLUMNS];
    int cpu_digits;     // cell x 10^this = thousandths of a CPU
    double memory_mib;  // MiB in one unit of the cell
    bool cpus_required; // and the memory
};
static const struct format formats[] = {
    {"alibaba-gpu-2023", {"sn", "gpu", "cpu_milli", "memory_mib", "model"}, 0, 1, true},
    {"csv", {"name", "gpus", "cpus", "memory_gib", "gpu"}, 3, 1024, false},
};
#define N_FORMATS (sizeof formats / sizeof *formats)

struct reader {
    const char *path;
    struct rr_csv *csv;
    struct rr_arena *arena;
    const struct format *format;
    int at[COLUMNS]; // -1: not there
    size_t width;
    struct rr_fleet_builder *b;
};

static void find_columns(struct reader *r, const struct rr_csv_row *header, const struct format *f)
{
    r->format = f;
    for (int i = 0; i < COLUMNS; i++) r->at[i] = rr_csv_find(header, f->column[i]);
}

/* The first required column that the header lacks, or COLUMNS. */
static int missing(const struct reader *r)
{
    for (int i = 0; i < COLUMNS; i++) {
        const bool required = i == NAME || i == GPUS || (i != GPU && r->format->cpus_required);
        if (required && r->at[i] < 0) return i;
    }
    return COLUMNS;
}

static enum rr_status pick_format(struct reader *r, const struct rr_csv_row *header, const char *name)
{
    const bool any = !name || strcmp(name, "auto") == 0;
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (!any && strcmp(name, formats[i].name) != 0) continue;
        find_columns(r, header, &formats[i]);
        const int lacks = missing(r);
        if (lacks == COLUMNS) return RR_OK;
        if (!any)
            return rr_fail(RR_EINPUT, "%s:%lld: no column \"%s\" in the header of the node list", r->path, (long long)header->line,
                           r->format->column[lacks]);
    }
    if (any)
        return rr_fail(RR_EINPUT, "%s:%lld: is no node list: name,gpus,cpus,memory_gib,gpu or sn,cpu_milli,memory_mib,gpu,model are needed",
                       r->path, (long long)header->line);
    return rr_fail(RR_EINPUT, "%s: is no node list", r->path);
}

static enum rr_status bad_cell(const struct reader *r, const struct rr_csv_row *row, enum column c, const char *why)
{
    const struct rr_slice s = row->cell[r->at[c]];
    return rr_fail(RR_EINPUT, "%s:%lld: %s %s: \"%.*s\"", r->path, (long long)row->line, r->format->column[c], why,
                   s.n < 40 ? (int)s.n : 40, s.at);
}

static struct rr_slice cell(const struct reader *r, const struct rr_csv_row *row, enum column c)
{
    return r->at[c] < 0 ? rr_slice("", 0) : rr_trim(row->cell[r->at[c]]);
}

static enum rr_status read_node(struct reader *r, const struct rr_csv_row *row)
{
    if (row->n < r->width)
        return rr_fail(RR_EINPUT, "%s:%lld: %zu cells, the header has %zu", r->path, (long long)row->line, row->n, r->width);
    int64_t gpus, cpus = 0, memory = 0;
    const struct rr_slice name = cell(r, row, NAME), gpu = cell(r, row, GPU), c = cell(r, row, CPUS), m = cell(r, row, MEMORY);
    if (name.n == 0) return bad_cell(r, row, NAME, "is empty");
    if (!rr_cell_whole(cell(r, row, GPUS), &gpus) || gpus < 0 || gpus > RR_NODE_GPUS)
        return bad_cell(r, row, GPUS, "is no whole number of GPUs, 0 to 1024");
    if (c.n > 0 && (!rr_cell_scaled(c, r->format->cpu_digits, &cpus) || cpus < 0 || cpus > INT32_MAX))
        return bad_cell(r, row, CPUS, "is no number of CPUs");
    if (m.n > 0 && (!rr_cell_times(m, r->format->memory_mib, &memory) || memory < 0 || memory > INT32_MAX))
        return bad_cell(r, row, MEMORY, "is no size");
    if (gpus == 0 && cpus == 0) return bad_cell(r, row, NAME, "has neither GPUs nor CPUs");
    const struct rr_node_shape shape = {.gpus = (int32_t)gpus, .cpus_milli = (int32_t)cpus, .memory_mib = (int32_t)memory};
    return rr_fleet_add(r->b, row->line, name, gpu, &shape);
}

static enum rr_status read_rows(struct reader *r, const char *format)
{
    struct rr_csv_row row;
    RR_TRY(rr_csv_next(r->csv, &row));
    if (row.n == 0) return rr_fail(RR_EINPUT, "%s: the file is empty", r->path);
    r->width = row.n;
    RR_TRY(pick_format(r, &row, format));
    for (;;) {
        RR_TRY(rr_csv_next(r->csv, &row));
        if (row.n == 0) break;
        RR_TRY(read_node(r, &row));
    }
    if (r->b->nodes.n == 0) return rr_fail(RR_EINPUT, "%s: no nodes: there is no row behind the header", r->path);
    return RR_OK;
}

static enum rr_status csv_read(const char *path, const char *name, struct rr_fleet_builder *b, char sha256[65])
{
    struct reader r = {.arena = b->arena, .b = b};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &r.csv));
    b->path = r.path = rr_strdup(b->arena, rr_csv_path(r.csv));
    enum rr_status st = read_rows(&r, name);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, sha256);
    if (st == RR_OK) b->format = r.format->name;
    rr_csv_close(r.csv);
    return st;
}

const struct rr_fleet_format rr_fleet_csv = {.kind = {.name = "csv", .summary = "our columns name,gpus,cpus,memory_gib,gpu"},
                                             .read = csv_read};
const struct rr_fleet_format rr_fleet_alibaba_gpu_2023 = {
    .kind = {.name = "alibaba-gpu-2023", .summary = "node lists of Alibaba's GPU-sharing trace of 2023 (openb_node_list*.csv)"},
    .read = csv_read};
