/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_nvbandwidth.c - what nvbandwidth prints: a matrix for each test, bandwidth in GB/s (10^9) or latency in ns.
 *
 * A test opens with "Running NAME.", its title says what rows and columns are, a line of column numbers follows, then a row for each source; SUM
 * closes it and is checked. Where the opening line was lost, SUM names the test. N/A, and 0.00 of a device with itself, are no measurement. */
#include "data/bench_help.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 260 };

struct log {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    int64_t line;
    char running[128], title[160];
    bool matrix; /* inside one */
    struct rr_bench_title says;
    size_t columns, first; /* of the line of column numbers; first sample of this matrix */
    double sum;
    size_t waived;
};

static void keep(char *to, size_t room, struct rr_slice s)
{
    const size_t n = s.n < room ? s.n : room - 1;
    memcpy(to, s.at, n);
    to[n] = '\0';
}

/* ---- a matrix ---- */

/* The test's name goes into its samples once it is known. */
static void name_samples(struct log *l, const char *name)
{
    const char *kept = rr_strdup(l->t->arena, name);
    for (size_t i = l->first; i < rr_sink_rows(l->sink); i++) rr_sink_row(l->sink, i)->op = kept;
}

static const char *part(const char *title)
{
    return strstr(title, "Read1") ? "_read1" : strstr(title, "Read2") ? "_read2" : strstr(title, "Total") ? "_total" : "";
}

static void close_matrix(struct log *l)
{
    char name[200];
    if (!l->matrix) return;
    l->matrix = false;
    if (l->first < rr_sink_rows(l->sink) && !*rr_sink_row(l->sink, l->first)->op) {
        if (*l->running)
            snprintf(name, sizeof name, "%s%s", l->running, part(l->title));
        else
            snprintf(name, sizeof name, "%s", l->title);
        name_samples(l, name);
    }
}

static void open_matrix(struct log *l, struct rr_slice s)
{
    close_matrix(l);
    if (!rr_bench_title(s, &l->says)) {
        rr_sink_refuse(l->sink, l->line,
                       "a title such as CPU(row) <- GPU(column) (GB/s) that leaves rows, direction or unit open: \"%.*s\"",
                       (int)(s.n > 80 ? 80 : s.n), s.at);
        return;
    }
    keep(l->title, sizeof l->title, s);
    l->matrix = true;
    l->columns = 0;
    l->sum = 0;
    l->first = rr_sink_rows(l->sink);
}

static void take_cell(struct log *l, int64_t row, int64_t column, double v)
{
    struct rr_sample s = rr_sample_none(RR_SAMPLE_TRANSFER);
    const int32_t r = l->says.row_is_cpu ? -1 : (int32_t)row;
    s.from = l->says.to_row ? (int32_t)column : r;
    s.to = l->says.to_row ? r : (int32_t)column;
    s.line = l->line;
    if (l->says.latency)
        s.us = v / 1e3;
    else
        s.gb_s = v;
    l->sum += v;
    rr_sink_add(l->sink, &s);
}

/* Numbers and N/A, nothing else. */
static bool holds_values(const struct rr_slice *cell, size_t n)
{
    double v;
    for (size_t i = 0; i < n; i++)
        if (rr_text_double(cell[i], &v) != RR_OK && !rr_slice_is(cell[i], "N/A")) return false;
    return n > 0;
}

static void take_row(struct log *l, const struct rr_slice *cell, size_t n)
{
    int64_t row, column[CELLS];
    double v[CELLS];
    size_t good = 0;
    if (rr_text_i64(cell[0], &row) != RR_OK || row < 0 || row > 1000000) {
        if (holds_values(cell + 1, n - 1) || n == l->columns + 1 || isdigit((unsigned char)*cell[0].at))
            rr_sink_refuse(l->sink, l->line, "a row begins with its number: \"%.*s\" is none", (int)cell[0].n, cell[0].at);
        return;
    }
    if (n != l->columns + 1) {
        rr_sink_refuse(l->sink, l->line, "%zu values in a row of a matrix with %zu columns: cut off or damaged", n - 1, l->columns);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double x;
        if (rr_slice_is(cell[i], "N/A")) continue;
        if (rr_text_double(cell[i], &x) != RR_OK || x < 0) {
            rr_sink_refuse(l->sink, l->line, "\"%.*s\" is neither a bandwidth nor N/A", (int)cell[i].n, cell[i].at);
            return;
        }
        if (x == 0 && !l->says.row_is_cpu && row == (int64_t)i - 1) continue;
        if (x == 0) {
            rr_sink_refuse(l->sink, l->line, "%.*s is neither a bandwidth nor a latency", (int)cell[i].n, cell[i].at);
            return;
        }
        column[good] = (int64_t)i - 1, v[good++] = x;
    }
    for (size_t i = 0; i < good; i++) take_cell(l, row, column[i], v[i]);
}

static bool is_columns(const struct rr_slice *cell, size_t n)
{
    int64_t v;
    for (size_t i = 0; i < n; i++)
        if (rr_text_i64(cell[i], &v) != RR_OK || v != (int64_t)i) return false;
    return n > 0;
}

static void take_sum(struct log *l, const struct rr_slice *cell, size_t n)
{
    double sum;
    char name[160];
    if (n != 3 || rr_text_double(cell[2], &sum) != RR_OK) {
        rr_sink_note(l->sink, l->line, "the line SUM is cut off: the matrix before it was not checked");
        return;
    }
    keep(name, sizeof name, cell[1]);
    name_samples(l, name);
    if (fabs(sum - l->sum) > 0.01 * fabs(l->sum) + 0.02)
        rr_sink_note(l->sink, l->line, "SUM says %.2f, the values before it add up to %.2f", sum, l->sum);
    l->matrix = false;
}

/* ---- the rest ---- */

static bool starts(struct rr_slice s, const char *word) { return s.n >= strlen(word) && memcmp(s.at, word, strlen(word)) == 0; }

static void take_head(struct log *l, struct rr_slice s)
{
    struct rr_machine_info *m = rr_sink_machine(l->sink);
    struct rr_arena *a = l->t->arena;
    const char *colon = memchr(s.at, ':', s.n);
    if (!colon) return;
    struct rr_slice v = rr_trim(rr_slice(colon + 1, s.n - (size_t)(colon + 1 - s.at)));
    if (starts(s, "nvbandwidth Version:")) rr_sink_file(l->sink)->tool = rr_strf(a, "nvbandwidth %.*s", (int)v.n, v.at);
    if (starts(s, "Driver Version:")) m->driver = rr_strndup(a, v.at, v.n);
    if (starts(s, "CUDA Runtime Version:")) m->cuda = rr_strndup(a, v.at, v.n);
    if (starts(s, "Device ") && !*m->gpu) {
        const char *bus = memrchr(v.at, '(', v.n);
        v = rr_trim(rr_slice(v.at, bus ? (size_t)(bus - v.at) : v.n));
        m->gpu = rr_strndup(a, v.at, v.n);
    }
}

static void take_line(struct log *l, struct rr_slice s)
{
    struct rr_slice cell[CELLS];
    s = rr_trim(s);
    const size_t n = rr_bench_cells(s, cell, CELLS);
    if (n == 0) return;
    if (n > CELLS) {
        rr_sink_refuse(l->sink, l->line, "%zu values in a row: more than any machine has GPUs", n);
        return;
    }
    if (starts(s, "Running ") && s.n > 8) {
        close_matrix(l);
        keep(l->running, sizeof l->running, rr_slice(s.at + 8, s.at[s.n - 1] == '.' ? s.n - 9 : s.n - 8));
    } else if (starts(s, "Waived")) {
        l->waived++;
    } else if (rr_bench_has(s, "ASSERT in expression") || rr_bench_has(s, "[CUDA_ERROR") || starts(s, "ERROR:")) {
        rr_sink_refuse(l->sink, l->line, "nvbandwidth stopped in %s instead of measuring: \"%.*s\"", *l->running ? l->running : "a test",
                       (int)(s.n > 60 ? 60 : s.n), s.at);
        l->matrix = false;
    } else if (rr_bench_has(s, "(row)") || rr_bench_has(s, "(column)")) {
        open_matrix(l, s);
    } else if (starts(s, "SUM ")) {
        take_sum(l, cell, n);
    } else if (l->matrix && l->columns == 0 && is_columns(cell, n)) {
        l->columns = n;
    } else if (l->matrix && l->columns > 0) {
        take_row(l, cell, n);
    } else if (holds_values(cell, n) || (l->matrix && isdigit((unsigned char)*cell[0].at))) {
        rr_sink_refuse(l->sink, l->line,
                       l->matrix ? "the line of column numbers 0 1 2 ... is damaged"
                                 : "values outside of a matrix: its title is lost or damaged");
    } else {
        take_head(l, s);
    }
}

static enum rr_status read_text(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct log l = {.t = t, .sink = sink};
    struct rr_slice line;
    for (size_t at = 0; rr_bench_line(t->text, t->n, &at, &line);) {
        l.line++;
        take_line(&l, line);
    }
    close_matrix(&l);
    if (l.waived) rr_sink_note(sink, 0, "%zu tests were waived: this machine cannot run them", l.waived);
    rr_sink_file(sink)->complete = true;
    return RR_OK;
}

static int sniff(const char *text, size_t n)
{
    if (n > 0 && (*text == '{' || *text == '[')) return 0;
    if (rr_bench_text_has(text, n, "nvbandwidth Version", NULL)) return 90;
    return rr_bench_text_has(text, n, "(row)", "(column)") ? 80 : 0;
}

const struct rr_bench_format rr_bench_nvbandwidth = {
    .name = "nvbandwidth",
    .summary = "matrices of nvbandwidth, 0.5 and later",
    .source = "NVIDIA/nvbandwidth output.cpp",
    .sniff = sniff,
    .read = read_text,
};
