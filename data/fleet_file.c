/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/fleet_file.c - node shapes from a CSV: our own columns, or Alibaba's openb_node_list*.csv.
 *
 * A fleet is small and every node counts, so one bad row is an error and none is left out. */
#include "data/cell.h"
#include "data/trace.h"
#include <string.h>

#define MOST_NODES 1000000
#define MOST_GPUS  1024 /* in one node */

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
    RR_VEC(struct rr_node_shape) nodes;
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
    const char *words[N_FORMATS + 1] = {"auto"};
    const bool any = !name || strcmp(name, "auto") == 0;
    for (size_t i = 0; i < N_FORMATS; i++) {
        words[i + 1] = formats[i].name;
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
    return rr_fail(RR_EINPUT, "%s: unknown node list format \"%s\"%s; known: auto, alibaba-gpu-2023, csv", r->path, name,
                   rr_did_you_mean(r->arena, name, words, N_FORMATS + 1));
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
    if (!rr_cell_whole(cell(r, row, GPUS), &gpus) || gpus < 0 || gpus > MOST_GPUS)
        return bad_cell(r, row, GPUS, "is no whole number of GPUs, 0 to 1024");
    if (c.n > 0 && (!rr_cell_scaled(c, r->format->cpu_digits, &cpus) || cpus < 0 || cpus > INT32_MAX))
        return bad_cell(r, row, CPUS, "is no number of CPUs");
    if (m.n > 0 && (!rr_cell_times(m, r->format->memory_mib, &memory) || memory < 0 || memory > INT32_MAX))
        return bad_cell(r, row, MEMORY, "is no size");
    if (gpus == 0 && cpus == 0) return bad_cell(r, row, NAME, "has neither GPUs nor CPUs");
    if (r->nodes.n >= MOST_NODES) return rr_fail(RR_EINPUT, "%s:%lld: more than 1,000,000 nodes", r->path, (long long)row->line);
    const struct rr_node_shape shape = {.gpus = (int32_t)gpus,
                                        .cpus_milli = (int32_t)cpus,
                                        .memory_mib = (int32_t)memory,
                                        .gpu = rr_strndup(r->arena, gpu.n ? gpu.at : "", gpu.n),
                                        .name = rr_strndup(r->arena, name.at, name.n)};
    rr_vec_push(&r->nodes, shape);
    return RR_OK;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static enum rr_status check_names(const struct reader *r)
{
    const char **name = rr_xrealloc(NULL, r->nodes.n, sizeof *name);
    for (size_t i = 0; i < r->nodes.n; i++) name[i] = r->nodes.at[i].name;
    qsort(name, r->nodes.n, sizeof *name, by_name);
    enum rr_status st = RR_OK;
    for (size_t i = 1; i < r->nodes.n && st == RR_OK; i++)
        if (strcmp(name[i - 1], name[i]) == 0) st = rr_fail(RR_EINPUT, "%s: two nodes are named \"%s\"", r->path, name[i]);
    free(name);
    return st;
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
    if (r->nodes.n == 0) return rr_fail(RR_EINPUT, "%s: no nodes: there is no row behind the header", r->path);
    return check_names(r);
}

enum rr_status rr_fleet_read(const char *path, const char *format, struct rr_arena *arena, struct rr_fleet_file *ret)
{
    struct reader r = {.arena = arena};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &r.csv));
    r.path = rr_csv_path(r.csv);
    struct rr_fleet_file fleet = {0};
    enum rr_status st = read_rows(&r, format);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, fleet.sha256);
    if (st == RR_OK) {
        fleet.n = r.nodes.n;
        fleet.node = RR_NEWS(arena, struct rr_node_shape, fleet.n);
        memcpy(fleet.node, r.nodes.at, fleet.n * sizeof *fleet.node);
        fleet.format = r.format->name;
        *ret = fleet;
    }
    rr_vec_done(&r.nodes);
    rr_csv_close(r.csv);
    return st;
}
