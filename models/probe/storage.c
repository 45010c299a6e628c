/* SPDX-License-Identifier: MIT
 * models/probe/storage.c - how fast the host reads a file: a local disk (--disk DIR), a network mount (--network DIR).
 *
 * A file of the size is written, synced and dropped from the page cache, then read once in order; it is removed again. */
#include "models/probe/probe.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

static enum rr_status write_file(int fd, const char *path, int64_t bytes, char *chunk)
{
    for (int64_t done = 0; done < bytes; done += CHUNK)
        if (write(fd, chunk, CHUNK) != CHUNK) return rr_fail(RR_EIO, "%s: %s", path, errno ? strerror(errno) : "written in part");
    if (fsync(fd) != 0) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    return RR_OK;
}

static enum rr_status read_file(int fd, const char *path, int64_t bytes, char *chunk, double *us)
{
    const int dropped = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (dropped != 0) return rr_fail(RR_EIO, "%s: the page cache does not let go: %s", path, strerror(dropped));
    if (lseek(fd, 0, SEEK_SET) != 0) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    const double start = rr_probe_now_us();
    for (int64_t done = 0; done < bytes; done += CHUNK)
        if (read(fd, chunk, CHUNK) != CHUNK) return rr_fail(RR_EIO, "%s: %s", path, errno ? strerror(errno) : "read in part");
    *us = rr_probe_now_us() - start;
    return RR_OK;
}

static enum rr_status time_reads(int fd, const char *path, int64_t bytes, struct rr_probe_result *ret)
{
    char *chunk = rr_xrealloc(NULL, CHUNK, 1);
    enum rr_status st;
    for (int i = 0; i < CHUNK; i++) chunk[i] = (char)(i * 167 >> 3);
    errno = 0;
    RR_GO(write_file(fd, path, bytes, chunk));
    for (ret->n_us = 0; ret->n_us < 3; ret->n_us++) RR_GO(read_file(fd, path, bytes, chunk, &ret->us[ret->n_us]));
out:
    free(chunk);
    return st;
}

enum rr_status rr_probe_storage(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    const char *dir = strcmp(pt->op, "disk_read") == 0 ? p->opt.disk : p->opt.network;
    char *path = rr_strf(p->arena, "%s/rackrate-probe-XXXXXX", dir);
    const int fd = mkstemp(path);
    if (fd < 0) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    (void)unlink(path);
    const enum rr_status st = time_reads(fd, path, pt->bytes, ret);
    (void)close(fd);
    *done = st == RR_OK;
    return st;
}
