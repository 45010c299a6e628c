/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/plot.c - gnuplot, started without a shell in a directory of its own. */
#include "reports/plot.h"
#include "data/base/input.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    bool (*draw)(struct rr_drawing *d, struct rr_figure *f);
} figures[] = {{"cost", rr_figure_cost},       {"breakdown", rr_figure_breakdown}, {"gpus", rr_figure_gpus},  {"wait", rr_figure_wait},
               {"queue", rr_figure_queue},     {"gantt", rr_figure_gantt},         {"step", rr_figure_step},  {"memory", rr_figure_memory},
               {"scaling", rr_figure_scaling}, {"roofline", rr_figure_roofline},   {"trust", rr_figure_trust}};
const char *const rr_figure_names[] = {"cost", "breakdown", "gpus",    "wait",     "queue", "gantt",
                                       "step", "memory",    "scaling", "roofline", "trust", NULL};
enum { FIGURES = sizeof figures / sizeof *figures, MOST_SVG = 32 << 20 };

enum { WIDE, NARROW, FORMS };
_Static_assert((int)FIGURES <= (int)(sizeof((struct rr_figures *)0)->at / sizeof(struct rr_figure)), "rr_figures holds all");
static const char *const suffix[FORMS] = {"", "_narrow"};

/* The private directory and the figures that have data. */
struct workshop {
    struct rr_arena *arena;
    const char *dir;
    size_t n;
    int height[FORMS][FIGURES];
    struct rr_figure figure[FIGURES];
};

static const char *path_of(const struct workshop *w, const char *name, const char *ext)
{
    return rr_strf(w->arena, "%s/%s%s", w->dir, name, ext);
}

static enum rr_status put_file(const char *path, const struct rr_buf *b)
{
    FILE *f = fopen(path, "wxe");
    if (!f) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    const bool written = fwrite(rr_buf_text(b), 1, b->n, f) == b->n;
    if (fclose(f) != 0 || !written) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    return RR_OK;
}

// Figure i for the file and the page, or for a narrow page. *drawn: it has data.
static enum rr_status draw(struct workshop *w, const struct rr_store *s, size_t i, int form, struct rr_figure *f, bool *drawn)
{
    struct rr_drawing d = {.s = s,
                           .arena = w->arena,
                           .name = rr_strf(w->arena, "%s%s", figures[i].name, suffix[form]),
                           .width = form == NARROW ? RR_DRAW_NARROW : RR_DRAW_WIDTH};
    enum rr_status st = RR_OK;
    d.n = rr_show_chosen(s, RR_CURVES, false, d.chosen);
    *drawn = figures[i].draw(&d, f);
    if (*drawn) {
        if (d.n < s->n_alternatives)
            f->caption = rr_strf(w->arena, "%s Shown: %zu of %zu alternatives.", f->caption, d.n, s->n_alternatives);
        rr_buf_puts(&d.script, "unset output\n");
        w->height[form][w->n] = d.height;
        st = put_file(path_of(w, d.name, ".gp"), &d.script);
        if (st == RR_OK) st = put_file(path_of(w, d.name, ".dat"), &d.data);
    }
    rr_buf_done(&d.script);
    rr_buf_done(&d.data);
    return st;
}

static enum rr_status prepare(struct workshop *w, const struct rr_store *s)
{
    for (size_t i = 0; i < FIGURES; i++) {
        struct rr_figure *f = &w->figure[w->n], same = {.name = figures[i].name};
        bool drawn = false;
        *f = same;
        RR_TRY(draw(w, s, i, WIDE, f, &drawn));
        if (!drawn) continue;
        RR_TRY(draw(w, s, i, NARROW, &same, &drawn));
        if (!drawn) w->height[NARROW][w->n] = 0; // the wide one does for both
        w->n++;
    }
    return RR_OK;
}

/* Only what gnuplot needs of the environment: its language, start files and fonts are not the user's. */
static int spawn(const struct workshop *w, pid_t *pid)
{
    char *argv[FORMS * FIGURES + 3] = {"gnuplot", "-d"};
    size_t n = 2;
    for (size_t i = 0; i < FORMS * w->n; i++)
        if (w->height[i % FORMS][i / FORMS]) argv[n++] = rr_strf(w->arena, "%s%s.gp", w->figure[i / FORMS].name, suffix[i % FORMS]);
    const char *path = getenv("PATH");
    char *env[] = {rr_strf(w->arena, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin"), "LC_ALL=C", "TZ=UTC",
                   rr_strf(w->arena, "HOME=%s", w->dir), NULL};
    posix_spawn_file_actions_t act;
    int rc = posix_spawn_file_actions_init(&act);
    if (rc) return rc;
    rc = posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 1, "/dev/null", O_WRONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 2, path_of(w, "err", ".txt"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!rc) rc = posix_spawn_file_actions_addchdir_np(&act, w->dir);
    if (!rc) rc = posix_spawnp(pid, "gnuplot", &act, NULL, argv, env);
    posix_spawn_file_actions_destroy(&act);
    return rc;
}

// The first line of gnuplot's complaint that is not a copy of the script.
static enum rr_status complain(const struct workshop *w, int status)
{
    char line[200] = "";
    FILE *f = fopen(path_of(w, "err", ".txt"), "re");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "line ") && strchr(line, ':') && !strstr(line, "warning:")) break;
    if (f) fclose(f);
    line[strcspn(line, "\n")] = '\0';
    if (WIFSIGNALED(status)) return rr_fail(RR_EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
    return rr_fail(RR_EIO, "gnuplot failed%s%s", *line ? ": " : "", line);
}

static enum rr_status run_gnuplot(const struct workshop *w)
{
    pid_t pid;
    const int rc = spawn(w, &pid);
    if (rc == ENOENT) return rr_fail(RR_EMISSING, "gnuplot is not installed: apt-get install gnuplot-nox");
    if (rc) return rr_fail(RR_EIO, "gnuplot: %s", strerror(rc));
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return rr_fail(RR_EIO, "gnuplot: %s", strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? RR_OK : complain(w, status);
}

static enum rr_status read_svg(const char *path, char **ret)
{
    struct rr_input *in;
    size_t n = 0;
    RR_TRY(rr_input_open(path, &in));
    const enum rr_status st = rr_input_all(in, MOST_SVG, ret, &n);
    rr_input_close(in);
    return st;
}

static enum rr_status collect(struct workshop *w, struct rr_figures *ret)
{
    for (size_t i = 0; i < FORMS * w->n; i++) {
        const int form = (int)(i % FORMS);
        if (w->height[form][i / FORMS] == 0) continue;
        struct rr_figure *f = &w->figure[i / FORMS];
        char *raw = NULL;
        RR_TRY(read_svg(path_of(w, rr_strf(w->arena, "%s%s", f->name, suffix[form]), ".svg"), &raw));
        const int height = w->height[form][i / FORMS];
        const bool good = form == NARROW ? rr_svg_finish_narrow(w->arena, raw, height, f) : rr_svg_finish(w->arena, raw, height, f);
        free(raw);
        if (!good) return rr_fail(RR_EIO, "gnuplot: %s.svg is not as expected", f->name);
    }
    memcpy(ret->at, w->figure, w->n * sizeof *ret->at);
    ret->n = w->n;
    return RR_OK;
}

static void clean(const struct workshop *w)
{
    static const char *const ext[] = {".gp", ".dat", ".svg"};
    for (size_t i = 0; i < FIGURES; i++)
        for (int form = 0; form < FORMS; form++)
            for (size_t k = 0; k < sizeof ext / sizeof *ext; k++)
                unlink(path_of(w, rr_strf(w->arena, "%s%s", figures[i].name, suffix[form]), ext[k]));
    unlink(path_of(w, "err", ".txt"));
    rmdir(w->dir);
}

enum rr_status rr_plots(const struct rr_store *s, struct rr_arena *arena, struct rr_figures *ret)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = rr_strf(arena, "%s/rackrate-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    *ret = (struct rr_figures){0};
    if (!mkdtemp(dir)) return rr_fail(RR_EIO, "%s: %s", dir, strerror(errno));
    struct workshop w = {.arena = arena, .dir = dir};
    struct rr_figures made = {0};
    enum rr_status st = prepare(&w, s);
    if (st == RR_OK && w.n > 0) st = run_gnuplot(&w);
    if (st == RR_OK && w.n > 0) st = collect(&w, &made);
    if (st == RR_OK) *ret = made;
    clean(&w);
    return st;
}
