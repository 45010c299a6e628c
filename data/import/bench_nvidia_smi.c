/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_nvidia_smi.c - `nvidia-smi --query-gpu=... --format=csv`: what the GPUs are. No times: it goes into the profile's hardware.
 *
 * A header names the columns with their units, "memory.total [MiB]"; with nounits the values are bare. */
#include "data/bench_help.h"
#include <string.h>

enum { CELLS = 64 };

static size_t split(struct rr_slice line, struct rr_slice *cell)
{
    size_t n = 0;
    for (const char *at = line.at, *end = line.at + line.n; n < CELLS;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        cell[n++] = rr_trim(rr_slice(at, (size_t)((comma ? comma : end) - at)));
        if (!comma) break;
        at = comma + 1;
    }
    return n;
}

static bool column(struct rr_slice head, const char *name)
{
    const char *bracket = memchr(head.at, '[', head.n);
    return rr_slice_is(rr_trim(rr_slice(head.at, bracket ? (size_t)(bracket - head.at) : head.n)), name);
}

/* "81559 MiB", "81559" under a header with the unit; -1 = not a number in that unit. */
static double quantity(struct rr_slice cell, struct rr_slice head, const char *unit)
{
    double v;
    const char *blank = memchr(cell.at, ' ', cell.n);
    const struct rr_slice number = rr_slice(cell.at, blank ? (size_t)(blank - cell.at) : cell.n);
    const struct rr_slice said = blank ? rr_trim(rr_slice(blank, cell.n - number.n)) : head;
    return rr_text_double(number, &v) == RR_OK && rr_bench_has(said, unit) && v > 0 ? v : -1;
}

/* "[N/A]", "[Not Supported]", "[Unknown Error]": the driver does not say it. */
static bool not_said(struct rr_slice cell)
{
    return rr_slice_is(cell, "N/A") || (cell.n > 0 && *cell.at == '[' && cell.at[cell.n - 1] == ']');
}

static const char *unit_of(struct rr_slice head)
{
    if (column(head, "memory.total")) return "MiB";
    return column(head, "power.limit") || column(head, "enforced.power.limit") ? "W" : NULL;
}

/* The cell that is no number in its unit; n when there is none. */
static size_t damaged(const struct rr_slice *head, const struct rr_slice *cell, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *unit = unit_of(head[i]);
        if (unit && !not_said(cell[i]) && quantity(cell[i], head[i], unit) < 0) return i;
    }
    return n;
}

static void take_cell(const struct rr_bench_text *t, struct rr_sample_sink *sink, int64_t line, struct rr_slice head, struct rr_slice cell)
{
    struct rr_machine_info *m = rr_sink_machine(sink);
    if (column(head, "name") || column(head, "gpu_name")) {
        if (*m->gpu && !rr_slice_is(cell, m->gpu)) rr_sink_note(sink, line, "another GPU than %s: \"%.*s\"", m->gpu, (int)cell.n, cell.at);
        if (!*m->gpu) m->gpu = rr_strndup(t->arena, cell.at, cell.n);
    }
    if (column(head, "driver_version")) m->driver = rr_strndup(t->arena, cell.at, cell.n);
    const char *unit = unit_of(head);
    if (!unit || not_said(cell)) return;
    const double v = quantity(cell, head, unit);
    if (*unit == 'M') m->memory_gib = v / 1024;
    if (*unit == 'W') m->power_limit_w = v;
}

/* One note for all columns of which nothing is taken. */
static void note_unused(struct rr_sample_sink *sink, int64_t line, const struct rr_slice *head, size_t n)
{
    struct rr_buf b = {0};
    for (size_t i = 0; i < n; i++)
        if (!unit_of(head[i]) && !column(head[i], "name") && !column(head[i], "gpu_name") && !column(head[i], "driver_version"))
            rr_buf_putf(&b, "%s%.*s", b.n ? ", " : "", (int)head[i].n, head[i].at);
    if (b.n) rr_sink_note(sink, line, "nothing is taken of the columns %s", rr_buf_text(&b));
    rr_buf_done(&b);
}

static enum rr_status read_text(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct rr_slice line, head[CELLS], cell[CELLS];
    size_t heads = 0;
    int64_t at_line = 0;
    int32_t gpus = 0;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        at_line++;
        if (rr_trim(line).n == 0) continue;
        if (heads == 0) {
            heads = split(line, head);
            note_unused(sink, at_line, head, heads);
            continue;
        }
        const size_t n = split(line, cell);
        gpus++; // whatever is wrong with its row
        if (n != heads) {
            rr_sink_refuse(sink, at_line, "%zu cells under %zu columns", n, heads);
            continue;
        }
        const size_t bad = damaged(head, cell, n);
        if (bad < n) {
            rr_sink_refuse(sink, at_line, "\"%.*s\" is no number in %s", (int)cell[bad].n, cell[bad].at, unit_of(head[bad]));
            continue;
        }
        for (size_t i = 0; i < n; i++) take_cell(t, sink, at_line, head[i], cell[i]);
        rr_sink_file(sink)->rows++;
    }
    rr_sink_machine(sink)->gpus_per_node = gpus;
    rr_sink_file(sink)->tool = "nvidia-smi";
    rr_sink_file(sink)->complete = true;
    return RR_OK;
}

static int sniff(const char *text, size_t n)
{
    struct rr_slice line;
    size_t at = 0;
    if (!rr_bench_line(text, n, &at, &line) || !memchr(line.at, ',', line.n)) return 0;
    return rr_bench_has(line, "memory.total") || rr_bench_has(line, "driver_version") || rr_bench_has(line, "power.limit") ? 75 : 0;
}

const struct rr_bench_format rr_bench_nvidia_smi = {
    .name = "nvidia-smi-csv",
    .summary = "nvidia-smi --query-gpu=name,memory.total,... --format=csv",
    .source = "nvidia-smi --help-query-gpu",
    .sniff = sniff,
    .read = read_text,
};
