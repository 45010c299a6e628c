/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/gnuplot.c - gnuplot as a program, on a script of ours. */
#include "sim/cli/gnuplot.h"
#include "data/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static enum rr_status run_gnuplot(const char *script, struct rr_arena *a)
{
    char *argv[] = {"gnuplot", "-d", rr_strdup(a, script), NULL};
    const char *path = getenv("PATH");
    char *env[] = {rr_strf(a, "PATH=%s", path ? path : "/usr/bin:/bin"), "LC_ALL=C", "TZ=UTC", "HOME=/nonexistent", NULL};
    posix_spawn_file_actions_t act;
    pid_t pid;
    int status = 0, rc = posix_spawn_file_actions_init(&act);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 2, "/dev/null", O_WRONLY, 0);
    if (!rc) rc = posix_spawnp(&pid, "gnuplot", &act, NULL, argv, env);
    posix_spawn_file_actions_destroy(&act);
    if (rc == ENOENT) return rr_fail(RR_EMISSING, "gnuplot is not installed: plots need the package gnuplot-nox");
    if (rc) return rr_fail(RR_EIO, "gnuplot: %s", strerror(rc));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? RR_OK : rr_fail(RR_EIO, "gnuplot failed on %s", script);
}

/* The script beside the picture for the time that gnuplot runs. */
enum rr_status rr_gnuplot(const char *dir, const char *name, int width, int height, const struct rr_buf *body, struct rr_arena *a)
{
    const char *script = rr_strf(a, "%s/%s.gp", dir, name);
    struct rr_buf b = {0};
    struct rr_outfile *o = NULL;
    rr_buf_putf(&b, "set terminal svg size %d,%d noenhanced font 'sans,13' background '#ffffff'\nset output \"", width, height);
    rr_buf_gnuplot(&b, rr_strf(a, "%s/%s.svg", dir, name));
    rr_buf_puts(&b, "\"\nset grid lc rgb '#dddddd'\n");
    rr_buf_put(&b, rr_buf_text(body), body->n);
    rr_buf_puts(&b, "unset output\n");
    enum rr_status st = rr_outfile_open(script, &o);
    if (st == RR_OK) {
        rr_outfile_put(o, rr_buf_text(&b), b.n);
        st = rr_outfile_finish(o);
        if (st == RR_OK) st = rr_outfile_publish(o);
        rr_outfile_free(o);
    }
    if (st == RR_OK) st = run_gnuplot(script, a);
    unlink(script);
    rr_buf_done(&b);
    return st;
}
