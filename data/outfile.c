/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/outfile.c - write beside, sync, rename. */
#include "data/outfile.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 256 * 1024, MOST_ROOM = 64 * 1024 };

struct rr_outfile {
    char *path, *beside;
    int fd;    // -1: none open
    int error; // errno of the first failure, 0 = none
    bool there, finished;
    size_t n;
    char room[ROOM];
};

/* The process number keeps two runs into one directory apart; the name never shows in an output. */
static struct rr_outfile *named(const char *path)
{
    struct rr_outfile *o = rr_xrealloc(NULL, 1, sizeof *o);
    const size_t n = strlen(path) + 32;
    o->fd = -1;
    o->error = 0;
    o->there = o->finished = false;
    o->n = 0;
    o->path = rr_xrealloc(NULL, n, 1);
    o->beside = rr_xrealloc(NULL, n, 1);
    snprintf(o->path, n, "%s", path);
    snprintf(o->beside, n, "%s.%ld.part", path, (long)getpid());
    return o;
}

enum rr_status rr_outfile_adopt(const char *path, struct rr_outfile **ret)
{
    struct rr_outfile *o = named(path);
    if (unlink(o->beside) < 0 && errno != ENOENT) {
        const enum rr_status st = rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
        rr_outfile_free(o);
        return st;
    }
    o->there = true;
    *ret = o;
    return RR_OK;
}

enum rr_status rr_outfile_open(const char *path, struct rr_outfile **ret)
{
    struct rr_outfile *o = named(path);
    unlink(o->beside); // left by a killed process of the same number
    o->fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (o->fd < 0) {
        const enum rr_status st = rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
        rr_outfile_free(o);
        return st;
    }
    o->there = true;
    *ret = o;
    return RR_OK;
}

const char *rr_outfile_beside(const struct rr_outfile *o) { return o->beside; }

static void write_all(struct rr_outfile *o, const char *at, size_t n)
{
    while (n > 0 && !o->error) {
        const ssize_t k = write(o->fd, at, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            o->error = errno;
            return;
        }
        at += k;
        n -= (size_t)k;
    }
}

static void flush(struct rr_outfile *o)
{
    write_all(o, o->room, o->n);
    o->n = 0;
}

char *rr_outfile_room(struct rr_outfile *o, size_t n)
{
    assert(n <= MOST_ROOM);
    if (o->n + n > ROOM) flush(o);
    return o->room + o->n;
}

void rr_outfile_used(struct rr_outfile *o, size_t n)
{
    o->n += n;
    assert(o->n <= ROOM);
}

void rr_outfile_put(struct rr_outfile *o, const char *bytes, size_t n)
{
    if (n == 0) return;
    if (o->n + n > ROOM) flush(o);
    if (n > ROOM) {
        write_all(o, bytes, n);
        return;
    }
    memcpy(o->room + o->n, bytes, n);
    o->n += n;
}

enum rr_status rr_outfile_finish(struct rr_outfile *o)
{
    if (o->fd < 0) o->fd = open(o->beside, O_RDONLY | O_CLOEXEC);
    if (o->fd < 0) return rr_fail(RR_EIO, "%s: %s", o->path, strerror(errno));
    flush(o);
    if (!o->error && fsync(o->fd) < 0 && errno != EINVAL && errno != EROFS) o->error = errno;
    if (close(o->fd) < 0 && !o->error) o->error = errno;
    o->fd = -1;
    if (o->error) return rr_fail(RR_EIO, "%s: %s", o->path, strerror(o->error));
    o->finished = true;
    return RR_OK;
}

enum rr_status rr_outfile_publish(struct rr_outfile *o)
{
    assert(o->finished);
    if (rename(o->beside, o->path) < 0) return rr_fail(RR_EIO, "%s: %s", o->path, strerror(errno));
    o->there = false;
    return RR_OK;
}

void rr_outfile_free(struct rr_outfile *o)
{
    if (!o) return;
    if (o->fd >= 0) close(o->fd); // only reached when the file is given up
    if (o->there) unlink(o->beside);
    free(o->path);
    free(o->beside);
    free(o);
}

enum rr_status rr_make_dirs(const char *dir)
{
    char *path = rr_xrealloc(NULL, strlen(dir) + 1, 1);
    memcpy(path, dir, strlen(dir) + 1);
    enum rr_status st = RR_OK;
    for (char *p = path; st == RR_OK; p++) {
        if (*p != '/' && *p != '\0') continue;
        const char was = *p;
        *p = '\0';
        struct stat is;
        if (*path && mkdir(path, 0777) < 0 && errno != EEXIST)
            st = rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
        else if (*path && stat(path, &is) == 0 && !S_ISDIR(is.st_mode))
            st = rr_fail(RR_EIO, "%s: is not a directory", path);
        *p = was;
        if (!was) break;
    }
    free(path);
    return st;
}
