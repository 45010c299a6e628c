/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/input.c - plain, gzip and zstd files as one stream of bytes, with the SHA-256 of what lies on disk.
 *
 * From its second block on a file is read, hashed and unpacked by a thread of its own, some blocks ahead of the caller: hashing takes as
 * long as splitting rows, unpacking several times as long. What the caller gets is the same bytes in the same order. */
#include "data/base/input.h"
#include "data/base/vec.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define BLOCK ((size_t)256 << 10)
#define AHEAD 4 /* blocks */

enum packing { PLAIN, GZIP, ZSTD };

/* The blocks on their way from the thread to the caller: [out, in) are full, of AHEAD in a ring. All but the caller's block is under the lock. */
struct ahead {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t in, out;
    struct {
        char *at; // [BLOCK]
        size_t n; // 0: the end
    } block[AHEAD];
    bool stop;         // the caller wants no more
    enum rr_status st; // of the thread; it ends after a failure
    char reason[RR_REASON_MAX];
    size_t used; // of block[out]: the caller's own
};

struct rr_input {
    char *path; // as messages name it
    int fd;
    enum packing packing;
    bool raw_end; // the file has no more bytes
    bool inside;  // within a gzip member or zstd frame
    bool hashed;
    unsigned char *raw; // [BLOCK]
    size_t raw_at, raw_n;
    struct sha256_ctx sha;
    char hex[65];
    z_stream gz;
    ZSTD_DStream *zstd;
    struct ahead *ahead;    // NULL before the second block, and after the last
    bool first_given, done; // the first block was given out; the end was seen through `ahead`
};

static enum rr_status read_raw(struct rr_input *in, void *buf, size_t n, size_t *got)
{
    ssize_t k;
    do k = read(in->fd, buf, n);
    while (k < 0 && errno == EINTR);
    if (k < 0) return rr_fail(RR_EIO, "%s: %s", in->path, strerror(errno));
    if (k == 0) in->raw_end = true;
    sha256_update(&in->sha, (size_t)k, buf);
    *got = (size_t)k;
    return RR_OK;
}

static enum rr_status refill(struct rr_input *in)
{
    assert(in->raw_at == in->raw_n);
    in->raw_at = in->raw_n = 0;
    return read_raw(in, in->raw, BLOCK, &in->raw_n);
}

/* The first four bytes may come in pieces from a pipe. */
static enum rr_status tell_packing(struct rr_input *in)
{
    while (in->raw_n < 4 && !in->raw_end) {
        size_t got;
        RR_TRY(read_raw(in, in->raw + in->raw_n, BLOCK - in->raw_n, &got));
        in->raw_n += got;
    }
    if (in->raw_n >= 2 && in->raw[0] == 0x1f && in->raw[1] == 0x8b) {
        in->packing = GZIP;
        if (inflateInit2(&in->gz, 15 + 16) != Z_OK) return rr_fail(RR_EINTERNAL, "zlib does not start");
    } else if (in->raw_n >= 4 && memcmp(in->raw, "\x28\xb5\x2f\xfd", 4) == 0) {
        in->packing = ZSTD;
        in->zstd = ZSTD_createDStream();
        if (!in->zstd) return rr_fail(RR_EINTERNAL, "zstd does not start");
    }
    return RR_OK;
}

static enum rr_status open_file(struct rr_input *in, const char *path)
{
    struct stat s;
    in->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &s) < 0) return rr_fail(RR_EIO, "%s: %s", in->path, strerror(errno));
    if (S_ISDIR(s.st_mode)) return rr_fail(RR_EIO, "%s: is a directory, a file is needed", in->path);
    return tell_packing(in);
}

enum rr_status rr_input_open(const char *path, struct rr_input **ret)
{
    struct rr_input *in = rr_xrealloc(NULL, 1, sizeof *in);
    const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
    const size_t n = strlen(shown) + 1;
    *in = (struct rr_input){.fd = -1, .path = rr_xrealloc(NULL, n, 1), .raw = rr_xrealloc(NULL, BLOCK, 1)};
    memcpy(in->path, shown, n);
    sha256_init(&in->sha);
    const enum rr_status st = open_file(in, path);
    if (st != RR_OK)
        rr_input_close(in);
    else
        *ret = in;
    return st;
}

static void stop_ahead(struct rr_input *in);

void rr_input_close(struct rr_input *in)
{
    if (!in) return;
    stop_ahead(in);
    if (in->fd > STDIN_FILENO) close(in->fd);
    if (in->packing == GZIP) inflateEnd(&in->gz);
    ZSTD_freeDStream(in->zstd);
    free(in->raw);
    free(in->path);
    free(in);
}

static enum rr_status cut_off(const struct rr_input *in, const char *what)
{
    return rr_fail(RR_EINPUT, "%s: the %s data end too early: the file is cut off", in->path, what);
}

/* One step of a decoder: bytes in at raw_at, bytes out at buf; either may be 0. */
static enum rr_status gunzip_some(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    if (!in->inside && inflateReset(&in->gz) != Z_OK) return rr_fail(RR_EINTERNAL, "zlib does not restart");
    in->inside = true;
    in->gz.next_in = in->raw + in->raw_at;
    in->gz.avail_in = (uInt)(in->raw_n - in->raw_at);
    in->gz.next_out = (Bytef *)buf;
    in->gz.avail_out = n > BLOCK * 64 ? (uInt)(BLOCK * 64) : (uInt)n;
    const uInt room = in->gz.avail_out;
    const int z = inflate(&in->gz, Z_NO_FLUSH);
    in->raw_at = in->raw_n - in->gz.avail_in;
    *got = room - in->gz.avail_out;
    if (z == Z_STREAM_END) in->inside = false;
    if (z != Z_OK && z != Z_STREAM_END && z != Z_BUF_ERROR)
        return rr_fail(RR_EINPUT, "%s: the gzip data are damaged (%s)", in->path, in->gz.msg ? in->gz.msg : "unknown reason");
    return RR_OK;
}

static enum rr_status unzstd_some(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    ZSTD_inBuffer src = {in->raw, in->raw_n, in->raw_at};
    ZSTD_outBuffer dst = {buf, n, 0};
    const size_t left = ZSTD_decompressStream(in->zstd, &dst, &src);
    if (ZSTD_isError(left)) return rr_fail(RR_EINPUT, "%s: the zstd data are damaged (%s)", in->path, ZSTD_getErrorName(left));
    in->raw_at = src.pos;
    in->inside = left > 0;
    *got = dst.pos;
    return RR_OK;
}

static enum rr_status read_packed(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    *got = 0;
    for (;;) {
        // A full output buffer may have left bytes inside the decoder, so ask it before asking the file.
        if (in->raw_at < in->raw_n || in->inside) RR_TRY(in->packing == GZIP ? gunzip_some(in, buf, n, got) : unzstd_some(in, buf, n, got));
        if (*got > 0) return RR_OK;
        if (in->raw_at < in->raw_n) continue;
        if (in->raw_end) break;
        RR_TRY(refill(in));
    }
    return in->inside ? cut_off(in, in->packing == GZIP ? "gzip" : "zstd") : RR_OK;
}

static enum rr_status read_plain(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    if (in->raw_at == in->raw_n) return in->raw_end ? RR_OK : read_raw(in, buf, n, got);
    *got = in->raw_n - in->raw_at < n ? in->raw_n - in->raw_at : n;
    memcpy(buf, in->raw + in->raw_at, *got);
    in->raw_at += *got;
    return RR_OK;
}

static enum rr_status read_here(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    *got = 0;
    return in->packing == PLAIN ? read_plain(in, buf, n, got) : read_packed(in, buf, n, got);
}

/* The thread. */

static enum rr_status fill_block(struct rr_input *in, char *at, size_t *n)
{
    size_t got;
    *n = 0;
    do {
        RR_TRY(read_here(in, at + *n, BLOCK - *n, &got));
        *n += got;
    } while (got > 0 && *n < BLOCK);
    return RR_OK;
}

static void *read_ahead(void *arg)
{
    struct rr_input *in = arg;
    struct ahead *a = in->ahead;
    bool more = true;
    while (more) {
        pthread_mutex_lock(&a->lock);
        while (a->in - a->out == AHEAD && !a->stop) pthread_cond_wait(&a->moved, &a->lock);
        const bool stop = a->stop;
        const size_t k = a->in % AHEAD;
        pthread_mutex_unlock(&a->lock);
        if (stop) break;

        size_t n = 0;
        const enum rr_status st = fill_block(in, a->block[k].at, &n);
        more = st == RR_OK && n > 0;
        pthread_mutex_lock(&a->lock);
        a->block[k].n = n;
        a->st = st;
        if (st != RR_OK) memcpy(a->reason, rr_reason(), strlen(rr_reason()) + 1);
        a->in++;
        pthread_cond_signal(&a->moved);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

/* No thread where there is one processor, or where none can be had. */
static void start_ahead(struct rr_input *in)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
    struct ahead *a = rr_xrealloc(NULL, 1, sizeof *a);
    memset(a, 0, sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    for (int k = 0; k < AHEAD; k++) a->block[k].at = rr_xrealloc(NULL, BLOCK, 1);
    in->ahead = a;
    sigset_t all, before; // signals are the main thread's
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int failed = pthread_create(&a->thread, NULL, read_ahead, in);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        a->stop = true;
        stop_ahead(in);
    }
}

/* From here on this thread reads again, behind what the other one has read. */
static void stop_ahead(struct rr_input *in)
{
    struct ahead *a = in->ahead;
    if (!a) return;
    if (!a->stop) {
        pthread_mutex_lock(&a->lock);
        a->stop = true;
        pthread_cond_signal(&a->moved);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
        in->done = true;
    }
    for (int k = 0; k < AHEAD; k++) free(a->block[k].at);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->moved);
    free(a);
    in->ahead = NULL;
}

static enum rr_status take_ahead(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    struct ahead *a = in->ahead;
    *got = 0;
    pthread_mutex_lock(&a->lock);
    while (a->in == a->out) pthread_cond_wait(&a->moved, &a->lock);
    const size_t k = a->out % AHEAD;
    const bool last = a->in - a->out == 1;
    const enum rr_status st = last ? a->st : RR_OK; // a failure comes with the last block
    pthread_mutex_unlock(&a->lock);
    if (st != RR_OK) return rr_fail(st, "%s", a->reason);

    *got = a->block[k].n - a->used < n ? a->block[k].n - a->used : n;
    memcpy(buf, a->block[k].at + a->used, *got);
    a->used += *got;
    if (*got == 0 || a->used < a->block[k].n) return RR_OK; // the end stays where it is
    pthread_mutex_lock(&a->lock);
    a->out++;
    a->used = 0;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
    return RR_OK;
}

enum rr_status rr_input_read(struct rr_input *in, char *buf, size_t n, size_t *got)
{
    *got = 0;
    if (n == 0 || in->done) return RR_OK;
    if (in->ahead) return take_ahead(in, buf, n, got);
    if (in->first_given && !in->raw_end) {
        start_ahead(in);
        if (in->ahead) return take_ahead(in, buf, n, got);
    }
    RR_TRY(read_here(in, buf, n, got));
    in->first_given = in->raw_at == in->raw_n;
    return RR_OK;
}

enum rr_status rr_input_all(struct rr_input *in, size_t most, char **ret, size_t *ret_n)
{
    RR_VEC(char) text = {0};
    enum rr_status st = RR_OK;
    size_t got = 0;
    do {
        text.n += got;
        if (text.n > most) RR_GO(rr_fail(RR_EINPUT, "%s: larger than %zu bytes", in->path, most));
        rr_vec_reserve(&text, text.n + (BLOCK >> 2));
        RR_GO(rr_input_read(in, text.at + text.n, text.cap - text.n - 1, &got));
    } while (got > 0);
    text.at[text.n] = '\0';
    *ret = text.at;
    *ret_n = text.n;
    return RR_OK;
out:
    rr_vec_done(&text);
    return st;
}

static void to_hex(const uint8_t *bytes, size_t n, char *hex)
{
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    hex[2 * n] = '\0';
}

enum rr_status rr_input_sha256(struct rr_input *in, char hex[65])
{
    stop_ahead(in);
    while (!in->raw_end) {
        in->raw_at = in->raw_n; // hashed when it was read
        RR_TRY(refill(in));
    }
    if (!in->hashed) {
        uint8_t digest[SHA256_DIGEST_SIZE];
        sha256_digest(&in->sha, sizeof digest, digest);
        to_hex(digest, sizeof digest, in->hex);
        in->hashed = true;
    }
    memcpy(hex, in->hex, sizeof in->hex);
    return RR_OK;
}

enum rr_status rr_file_sha256(const char *path, char hex[65])
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    const enum rr_status st = rr_input_sha256(in, hex);
    rr_input_close(in);
    return st;
}
