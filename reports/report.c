/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/report.c - all files of a report: each written beside its name, and renamed when all of them are on the disk, results.json last. */
#include "reports/report.h"
#include "data/outfile.h"
#include "reports/csv.h"
#include "reports/focus.h"
#include "reports/plot.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *word;
    unsigned bits;
} format[] = {{"json", RR_FORMAT_JSON}, {"md", RR_FORMAT_MD},       {"html", RR_FORMAT_HTML}, {"csv", RR_FORMAT_CSV},
              {"db", RR_FORMAT_DB},     {"plots", RR_FORMAT_PLOTS}, {"all", RR_FORMAT_ALL},   {"focus", RR_FORMAT_FOCUS}};
enum { FORMATS = sizeof format / sizeof *format };

static enum rr_status format_of(struct rr_slice word, unsigned *bits)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (rr_slice_is(word, format[i].word)) {
            *bits |= format[i].bits;
            return RR_OK;
        }
    const char *words[FORMATS];
    for (size_t i = 0; i < FORMATS; i++) words[i] = format[i].word;
    struct rr_arena *scratch = rr_arena_create();
    const char *given = rr_strndup(scratch, word.at, word.n);
    const enum rr_status st = rr_fail(RR_EUSAGE, "\"%s\" is no format%s (json, md, html, csv, db, plots, focus or all)", given,
                                      rr_did_you_mean(scratch, given, words, FORMATS));
    rr_arena_free(scratch);
    return st;
}

enum rr_status rr_format_parse(const char *list, unsigned *ret)
{
    unsigned bits = 0;
    for (const char *at = list;; at++) {
        const size_t n = strcspn(at, ",");
        RR_TRY(format_of(rr_trim(rr_slice(at, n)), &bits));
        at += n;
        if (*at == '\0') break;
    }
    *ret = bits;
    return RR_OK;
}

/* Files on their way; published in order. */
enum { MOST_FILES = 40 };
struct writing {
    const struct rr_store *s;
    const char *dir, *db_path;
    unsigned formats;
    struct rr_arena *arena;
    struct rr_outfile *file[MOST_FILES];
    const char *name[MOST_FILES]; /* of those files */
    size_t n;
    bool made_plots; /* the folder */
    struct rr_figures figures;
};

static const char *path_of(const struct writing *w, const char *name) { return rr_strf(w->arena, "%s/%s", w->dir, name); }

static enum rr_status stage(struct writing *w, const char *name, struct rr_outfile **ret)
{
    RR_TRY(rr_outfile_open(path_of(w, name), ret));
    assert(w->n < MOST_FILES);
    w->name[w->n] = name;
    w->file[w->n++] = *ret;
    return RR_OK;
}

static enum rr_status stage_text(struct writing *w, const char *name, const char *text, size_t n)
{
    struct rr_outfile *o;
    RR_TRY(stage(w, name, &o));
    rr_outfile_put(o, text, n);
    return rr_outfile_finish(o);
}

static enum rr_status copy_file(const char *from, struct rr_outfile *to)
{
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 0;
    while (fd >= 0) {
        char *room = rr_outfile_room(to, 65536);
        n = read(fd, room, 65536);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        rr_outfile_used(to, (size_t)n);
    }
    const enum rr_status st = n < 0 ? rr_fail(RR_EIO, "%s: %s", from, strerror(errno)) : RR_OK;
    if (fd >= 0) close(fd);
    return st;
}

/* A loaded store keeps its jobs in the database it came from: that file is the result, byte for byte. */
static enum rr_status stage_db(struct writing *w)
{
    const char *path = path_of(w, "results.db");
    struct rr_outfile *o;
    if (!w->db_path) {
        RR_TRY(rr_outfile_adopt(path, &o));
        w->name[w->n] = "results.db";
        w->file[w->n++] = o;
        RR_TRY(rr_store_save(w->s, rr_outfile_beside(o)));
        return rr_outfile_finish(o);
    }
    struct stat from, to;
    if (stat(w->db_path, &from) == 0 && stat(path, &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino) return RR_OK;
    RR_TRY(stage(w, "results.db", &o));
    RR_TRY(copy_file(w->db_path, o));
    return rr_outfile_finish(o);
}

static bool has_register(const struct rr_store *s)
{
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, "register") == 0) return true;
    return false;
}

static enum rr_status stage_csv(struct writing *w)
{
    static const struct {
        const char *name;
        enum rr_status (*write)(const struct rr_store *, const char *, struct rr_outfile *);
    } file[] = {{"jobs.csv", rr_csv_jobs},       {"attempts.csv", rr_csv_attempts}, {"leases.csv", rr_csv_leases},
                {"charges.csv", rr_csv_charges}, {"timeline.csv", rr_csv_timeline}, {"assumptions.csv", rr_csv_assumptions}};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        struct rr_outfile *o;
        if (file[i].write == rr_csv_attempts && !rr_store_has_attempts(w->s)) continue;
        if (file[i].write == rr_csv_assumptions && !has_register(w->s)) continue;
        RR_TRY(stage(w, file[i].name, &o));
        RR_TRY(file[i].write(w->s, w->db_path, o));
        RR_TRY(rr_outfile_finish(o));
    }
    return RR_OK;
}

static enum rr_status stage_focus(struct writing *w)
{
    struct rr_outfile *o;
    RR_TRY(stage(w, "bill.focus.csv", &o));
    RR_TRY(rr_focus_write(w->s, w->db_path, o));
    return rr_outfile_finish(o);
}

static enum rr_status stage_plots(struct writing *w)
{
    if (w->figures.n == 0) return RR_OK;
    if (mkdir(path_of(w, "plots"), 0777) == 0)
        w->made_plots = true;
    else
        RR_TRY(rr_make_dirs(path_of(w, "plots"))); // says what is in the way
    for (size_t i = 0; i < w->figures.n; i++) {
        const struct rr_figure *f = &w->figures.at[i];
        RR_TRY(stage_text(w, rr_strf(w->arena, "plots/%s.svg", f->name), f->svg, strlen(f->svg)));
    }
    return RR_OK;
}

static enum rr_status stage_documents(struct writing *w)
{
    struct rr_doc d = {.arena = w->arena, .figures = &w->figures, .figure_files = (w->formats & RR_FORMAT_PLOTS) != 0};
    struct rr_buf b = {0};
    enum rr_status st = RR_OK;
    rr_doc_fill(&d, w->s);
    if (w->formats & RR_FORMAT_MD) {
        rr_markdown(&d, &b);
        st = stage_text(w, "report.md", rr_buf_text(&b), b.n);
    }
    if (st == RR_OK && w->formats & RR_FORMAT_HTML) {
        b.n = 0;
        rr_html(&d, w->s->name, &b);
        st = stage_text(w, "report.html", rr_buf_text(&b), b.n);
    }
    rr_buf_done(&b);
    rr_doc_done(&d);
    return st;
}

static enum rr_status stage_json(struct writing *w)
{
    struct rr_buf b = {0};
    rr_store_json(w->s, &b);
    const enum rr_status st = stage_text(w, "results.json", rr_buf_text(&b), b.n);
    rr_buf_done(&b);
    return st;
}

static enum rr_status stage_all(struct writing *w)
{
    if (w->formats & RR_FORMAT_PLOTS) RR_TRY(stage_plots(w));
    if (w->formats & RR_FORMAT_CSV) RR_TRY(stage_csv(w));
    if (w->formats & RR_FORMAT_FOCUS) RR_TRY(stage_focus(w));
    if (w->formats & RR_FORMAT_DB) RR_TRY(stage_db(w));
    if (w->formats & (RR_FORMAT_MD | RR_FORMAT_HTML)) RR_TRY(stage_documents(w));
    if (w->formats & RR_FORMAT_JSON) RR_TRY(stage_json(w));
    for (size_t i = 0; i < w->n; i++) RR_TRY(rr_outfile_publish(w->file[i]));
    return RR_OK;
}

/* Every name that a report of ours can have; plots by the folder and the ending. */
static const char *const ours[] = {"report.html", "report.md",    "results.json", "results.db",     "jobs.csv",       "leases.csv",
                                   "charges.csv", "timeline.csv", "attempts.csv", "bill.focus.csv", "assumptions.csv"};

static bool is_written(const struct writing *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->name[i], name) == 0) return true;
    return false;
}

/* What an earlier run of ours left in the folder does not belong to these results. */
static void sweep(struct writing *w)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!is_written(w, ours[i])) unlink(path_of(w, ours[i]));
    for (size_t i = 0; rr_figure_names[i]; i++) {
        const char *name = rr_strf(w->arena, "plots/%s.svg", rr_figure_names[i]);
        if (!is_written(w, name)) unlink(path_of(w, name));
    }
    rmdir(path_of(w, "plots")); // if it is empty
}

/* The folder and its parents, those that are not there yet, the deepest first. */
static size_t missing_dirs(struct rr_arena *a, const char *dir, const char *ret[64])
{
    struct stat is;
    size_t n = 0, end = strlen(dir);
    while (end > 0 && n < 64) {
        const char *path = rr_strndup(a, dir, end);
        if (stat(path, &is) == 0) break;
        ret[n++] = path;
        while (end > 0 && dir[end - 1] != '/') end--;
        while (end > 0 && dir[end - 1] == '/') end--;
    }
    return n;
}

enum rr_status rr_report_write(const struct rr_store *s, const char *dir, unsigned formats, const char *db_path)
{
    struct writing w = {.s = s, .dir = dir, .db_path = db_path, .formats = formats, .arena = rr_arena_create()};
    const char *made[64], *why = "";
    const size_t n_made = missing_dirs(w.arena, dir, made);
    enum rr_status st = rr_make_dirs(dir), plots = RR_OK;
    if (st == RR_OK && formats & (RR_FORMAT_PLOTS | RR_FORMAT_HTML)) {
        plots = rr_plots(s, w.arena, &w.figures);
        if (plots != RR_OK) why = rr_strdup(w.arena, rr_reason());
    }
    if (st == RR_OK) st = stage_all(&w);
    for (size_t i = 0; i < w.n; i++) rr_outfile_free(w.file[i]);
    if (st == RR_OK && !db_path) sweep(&w);
    if (st != RR_OK && w.made_plots) rmdir(path_of(&w, "plots"));
    for (size_t i = 0; st != RR_OK && i < n_made; i++) rmdir(made[i]); // those with something in them stay
    if (st == RR_OK && plots != RR_OK) st = rr_fail(plots, "%s", why);
    rr_arena_free(w.arena);
    return st;
}
