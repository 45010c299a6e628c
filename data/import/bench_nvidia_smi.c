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
    return rr_text_double(number, &v) == RR_OK && rr_bench_has(said, unit) ? v : -1;
}

static void take_cell(const struct rr_bench_text *t, struct rr_sample_sink *sink, int64_t line, struct rr_slice head, struct rr_slice cell)
{
    struct rr_machine_info *m = rr_sink_machine(sink);
    if (column(head, "name") || column(head, "gpu_name")) {
        if (*m->gpu && !rr_slice_is(cell, m->gpu)) rr_sink_note(sink, line, "another GPU than %s: \"%.*s\"", m->gpu, (int)cell.n, cell.at);
        if (!*m->gpu) m->gpu = rr_strndup(t->arena, cell.at, cell.n);
    }
    if (column(head, "driver_version")) m->driver = rr_strndup(t->arena, cell.at, cell.n);
    const double mib = column(head, "memory.total") ? quantity(cell, head, "MiB") : 0;
    const double watts = column(head, "power.limit") || column(head, "enforced.power.limit") ? quantity(cell, head, "W") : 0;
    if (mib < 0 || watts < 0) rr_sink_note(sink, line, "\"%.*s\" is no number with its unit: not taken", (int)cell.n, cell.at);
    if (mib > 0) m->memory_gib = mib / 1024;
    if (watts > 0) m->power_limit_w = watts;
}

static enum rr_status read_text(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct rr_slice line, head[CELLS], cell[CELLS];
    size_t heads = 0;
    int64_t at_line = 0;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        at_line++;
        if (rr_trim(line).n == 0) continue;
        if (heads == 0) {
            heads = split(line, head);
            continue;
        }
        const size_t n = split(line, cell);
        if (n != heads) {
            rr_sink_refuse(sink, at_line, "%zu cells under %zu columns", n, heads);
            continue;
        }
        for (size_t i = 0; i < n; i++) take_cell(t, sink, at_line, head[i], cell[i]);
        rr_sink_file(sink)->rows++;
    }
    rr_sink_machine(sink)->gpus_per_node = (int32_t)rr_sink_file(sink)->rows;
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
