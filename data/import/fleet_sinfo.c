/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/fleet_sinfo.c - nodes as `sinfo -N -o "%N %c %m %G %T"` prints them, header included.
 *
 * Columns are found by Slurm's own header words, in any order, among any others: NODELIST (%N) and CPUS (%c) are needed; MEMORY (%m, in MiB), GRES
 * (%G) and STATE (%T or %t) are read when there. Between blanks, or any of | ; , that the header shows ("%N|%c|%m|%G|%T"). -N prints a node once
 * for each of its partitions: the same node again is taken once, and must be the same. Without -N, nodes come as "gpu[01-04]": refused. */
#include "data/fleet.h"
#include "data/names.h"
#include <string.h>
#include <sys/stat.h>

enum column { NAME, CPUS, MEMORY, GRES, STATE, COLUMNS };
static const char *const columns[COLUMNS] = {"NODELIST", "CPUS", "MEMORY", "GRES", "STATE"};

struct reader {
    struct rr_fleet_builder *b;
    struct rr_csv *csv;
    int at[COLUMNS]; // -1: not there
    size_t width;
    struct rr_names seen;
    RR_VEC(struct rr_node_shape) shape; // of seen[i]; gpus -1: left out
};

static enum rr_status read_header(struct reader *r)
{
    struct rr_csv_row header;
    RR_TRY(rr_csv_next(r->csv, &header));
    r->width = header.n;
    for (int i = 0; i < COLUMNS; i++) r->at[i] = header.n ? rr_csv_find(&header, columns[i]) : -1;
    for (int i = 0; i <= CPUS; i++)
        if (r->at[i] < 0)
            return rr_fail(RR_EINPUT, "%s:%lld: no column %s in the header: sinfo -N -o \"%%N %%c %%m %%G %%T\" prints one", r->b->path,
                           header.n ? (long long)header.line : 1, columns[i]);
    return RR_OK;
}

static struct rr_slice cell(const struct reader *r, const struct rr_csv_row *row, enum column c)
{
    return r->at[c] < 0 ? rr_slice("", 0) : rr_trim(row->cell[r->at[c]]);
}

static enum rr_status number(const struct reader *r, const struct rr_csv_row *row, enum column c, int64_t most, int32_t *ret)
{
    const struct rr_slice s = cell(r, row, c);
    int64_t v = 0;
    if (s.n > 0 && (rr_text_i64(s, &v) != RR_OK || v < 0 || v > most))
        return rr_fail(RR_EINPUT, "%s:%lld: %s is no whole number up to %lld: \"%.*s\"", r->b->path, (long long)row->line, columns[c],
                       (long long)most, s.n < 40 ? (int)s.n : 40, s.at);
    *ret = (int32_t)v;
    return RR_OK;
}

static enum rr_status read_node(struct reader *r, const struct rr_csv_row *row)
{
    if (row->n < r->width)
        return rr_fail(RR_EINPUT, "%s:%lld: %zu words, the header has %zu", r->b->path, (long long)row->line, row->n, r->width);
    const struct rr_slice name = cell(r, row, NAME), state = cell(r, row, STATE);
    if (name.n == 0 || memchr(name.at, '[', name.n))
        return rr_fail(RR_EINPUT, "%s:%lld: \"%.*s\" is no single node: print one a line with sinfo -N", r->b->path, (long long)row->line,
                       name.n < 40 ? (int)name.n : 40, name.at);
    struct rr_node_shape shape = {0};
    struct rr_slice gpu;
    RR_TRY(number(r, row, CPUS, INT32_MAX / 1000, &shape.cpus_milli));
    RR_TRY(number(r, row, MEMORY, INT32_MAX, &shape.memory_mib));
    RR_TRY(rr_fleet_gres(r->b, row->line, cell(r, row, GRES), &shape.gpus, &gpu));
    shape.cpus_milli *= 1000;
    const size_t i = rr_names_add(&r->seen, name);
    if (i < r->shape.n) {
        const struct rr_node_shape *known = &r->shape.at[i];
        if (known->gpus != shape.gpus || known->cpus_milli != shape.cpus_milli || known->memory_mib != shape.memory_mib)
            return rr_fail(RR_EINPUT, "%s:%lld: node \"%s\" is not as on a line before", r->b->path, (long long)row->line,
                           r->seen.list.at[i]);
        return RR_OK;
    }
    rr_vec_push(&r->shape, shape);
    if (rr_fleet_usable(state)) return rr_fleet_add(r->b, row->line, name, gpu, &shape);
    rr_fleet_leave_out(r->b, name, state);
    return RR_OK;
}

static enum rr_status read_rows(struct reader *r)
{
    RR_TRY(read_header(r));
    for (;;) {
        struct rr_csv_row row;
        RR_TRY(rr_csv_next(r->csv, &row));
        if (row.n == 0) return RR_OK;
        RR_TRY(read_node(r, &row));
    }
}

/* What stands between the words of the header line; 0 = blanks. */
static char separator(struct rr_slice head)
{
    for (size_t i = 0; i < head.n && head.at[i] != '\n'; i++)
        if (strchr("|;,", head.at[i]) && head.at[i]) return head.at[i];
    return 0;
}

static enum rr_status sinfo_read(const char *path, const char *name, struct rr_fleet_builder *b, char sha256[65])
{
    (void)name;
    char head[256];
    size_t n = 0;
    struct stat is;
    if (stat(path, &is) == 0 && S_ISREG(is.st_mode)) { // a pipe cannot be read twice: blanks
        struct rr_input *in;
        RR_TRY(rr_input_open(path, &in));
        const enum rr_status got = rr_input_read(in, head, sizeof head, &n);
        rr_input_close(in);
        RR_TRY(got);
    }
    const char c = separator(rr_slice(head, n));
    struct reader r = {.b = b, .seen = {.arena = b->arena}};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){.separator = c, .spaces = c == 0}, &r.csv));
    enum rr_status st = read_rows(&r);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, sha256);
    rr_csv_close(r.csv);
    rr_names_done(&r.seen);
    rr_vec_done(&r.shape);
    return st;
}

static int sinfo_sniff(struct rr_slice head)
{
    const char *nl = head.n ? memchr(head.at, '\n', head.n) : NULL;
    if (!nl) return 0;
    head.n = (size_t)(nl - head.at);
    return memmem(head.at, head.n, "NODELIST", 8) && memmem(head.at, head.n, "CPUS", 4) ? 95 : 0;
}

const struct rr_fleet_format rr_fleet_sinfo = {
    .kind = {.name = "sinfo", .summary = "Slurm: sinfo -N -o \"%N %c %m %G %T\""}, .sniff = sinfo_sniff, .read = sinfo_read};
