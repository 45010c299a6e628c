/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace.c - telling a format, reading a trace, letting go of it. */
#include "data/trace.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD ((size_t)64 << 10)

#define X(name) &rr_import_##name,
static const struct rr_importer *const importers[] = {
#include "data/import/list.h"
};
#undef X
#define X(name) &rr_import_##name.kind,
static const struct rr_kind *const importer_kinds[] = {
#include "data/import/list.h"
};
#undef X
#define N_IMPORTERS (sizeof importers / sizeof *importers)
const struct rr_kinds rr_importers = {importer_kinds, N_IMPORTERS};

void rr_trace_done(struct rr_trace *t)
{
    const struct rr_trace none = {0};
    const struct rr_trace *lender = t->lender ? t->lender : &none;
#define FREE(col) \
    if (t->col != lender->col) free(t->col);
    RR_TRACE_COLUMNS(FREE)
    FREE(id_text)
    FREE(after_text)
#undef FREE
    *t = none;
}

const char *rr_trace_id(const struct rr_trace *t, size_t i, char buf[24])
{
    if (t->id_at) return t->id_text + t->id_at[i];
    snprintf(buf, 24, "%zu", i + 1);
    return buf;
}

size_t rr_trace_bytes(const struct rr_trace *t)
{
    size_t bytes = 0;
#define ADD(col) bytes += t->col ? t->n * sizeof *t->col : 0;
    RR_TRACE_COLUMNS(ADD)
#undef ADD
    for (size_t i = 0; t->id_at && i < t->n; i++) bytes += strlen(t->id_text + t->id_at[i]) + 1;
    return bytes;
}

static const char *format_names(struct rr_arena *arena)
{
    const char *names = importers[0]->kind.name;
    for (size_t i = 1; i < N_IMPORTERS; i++) names = rr_strf(arena, "%s, %s", names, importers[i]->kind.name);
    return names;
}

static enum rr_status named_importer(const char *path, const char *name, struct rr_arena *arena, const struct rr_importer **ret)
{
    const char *words[N_IMPORTERS];
    for (size_t i = 0; i < N_IMPORTERS; i++) {
        words[i] = importers[i]->kind.name;
        if (strcmp(name, words[i]) == 0) {
            *ret = importers[i];
            return RR_OK;
        }
    }
    return rr_fail(RR_EINPUT, "%s: unknown trace format \"%s\"%s; known: auto, %s", path, name,
                   rr_did_you_mean(arena, name, words, N_IMPORTERS), format_names(arena));
}

static enum rr_status read_head(const char *path, char *head, size_t *ret_n)
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    size_t n = 0, got = 0;
    enum rr_status st;
    do {
        st = rr_input_read(in, head + n, HEAD - n, &got);
        n += st == RR_OK ? got : 0;
    } while (st == RR_OK && got > 0 && n < HEAD);
    rr_input_close(in);
    *ret_n = n;
    return st;
}

static enum rr_status surest(const char *path, struct rr_slice head, struct rr_arena *arena, const struct rr_importer **ret)
{
    int best = 0;
    const struct rr_importer *first = NULL, *second = NULL;
    for (size_t i = 0; i < N_IMPORTERS; i++) {
        const int sure = importers[i]->sniff(path, head);
        if (sure > best) {
            best = sure;
            first = importers[i];
            second = NULL;
        } else if (sure == best && best > 0) {
            second = importers[i];
        }
    }
    if (second) return rr_fail(RR_EINPUT, "%s: may be %s or %s: say which with \"format\"", path, first->kind.name, second->kind.name);
    if (!first)
        return rr_fail(RR_EINPUT, "%s: is no trace in a known format (%s); name it with \"format\", or map a CSV's header with \"columns\"",
                       path, format_names(arena));
    *ret = first;
    return RR_OK;
}

static enum rr_status tell_importer(const char *path, const struct rr_import_options *opt, struct rr_arena *arena,
                                    const struct rr_importer **ret)
{
    if (opt->format && strcmp(opt->format, "auto") != 0) return named_importer(path, opt->format, arena, ret);
    if (opt->columns) return named_importer(path, "csv", arena, ret);
    struct stat file;
    const bool rewinds = strcmp(path, "-") != 0 && (stat(path, &file) != 0 || S_ISREG(file.st_mode) || S_ISDIR(file.st_mode));
    if (!rewinds) // looking at its head would eat it
        return rr_fail(RR_EINPUT, "%s: is a stream, so its format must be named: one of %s", strcmp(path, "-") == 0 ? "stdin" : path,
                       format_names(arena));
    char *head = rr_xrealloc(NULL, HEAD, 1);
    size_t n = 0;
    enum rr_status st = read_head(path, head, &n);
    if (st == RR_OK && n == 0) st = rr_fail(RR_EINPUT, "%s: the file is empty", path);
    if (st == RR_OK) st = surest(path, rr_slice(head, n), arena, ret);
    free(head);
    return st;
}

static void move_to_start(struct rr_trace *t)
{
    if (!t->absolute) return;
    const int64_t first = t->submit_us[0];
    for (size_t i = 0; i < t->n; i++) t->submit_us[i] -= first;
    t->absolute = false;
}

enum rr_status rr_trace_read(const char *path, const struct rr_import_options *opt, struct rr_arena *arena, struct rr_notes *notes,
                             struct rr_trace *ret)
{
    const struct rr_importer *importer;
    RR_TRY(tell_importer(path, opt, arena, &importer));
    if (opt->dependencies && !importer->links)
        return rr_fail(RR_EINPUT, "%s: \"dependencies\" is for logs that name preceding jobs (format swf), not for format %s%s", path,
                       importer->kind.name, strcmp(importer->kind.name, "csv") ? "" : ", whose column depends_on is always taken");
    struct rr_trace_builder *b = rr_trace_builder_create(path, arena, notes);
    struct rr_trace t = {0};
    char sha256[65];
    enum rr_status st = importer->read(path, opt, b, sha256);
    if (st == RR_OK) st = rr_trace_finish(b, opt->max_rejected, &t);
    rr_trace_builder_free(b);
    if (st != RR_OK) return st;
    move_to_start(&t);
    t.format = importer->kind.name;
    memcpy(t.sha256, sha256, sizeof t.sha256);
    *ret = t;
    return RR_OK;
}
