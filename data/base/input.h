/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/input.h - a file as a stream of bytes: plain, .gz, .zst or "-" (stdin), hashed on the way. */
#ifndef RR_BASE_INPUT_H
#define RR_BASE_INPUT_H
#include "data/base/arena.h"
#include <stdint.h>

struct rr_input;
/* Compression is told by the first bytes, not by the name. RR_EIO: cannot open or read, with "PATH: reason". A directory is RR_EIO. */
RR_CHECKED enum rr_status rr_input_open(const char *path, struct rr_input **ret);
void rr_input_close(struct rr_input *in); /* takes NULL */
/* Up to n decompressed bytes; *got = 0 only at the end. RR_EIO on a read error, RR_EINPUT on damaged compression. */
RR_CHECKED enum rr_status rr_input_read(struct rr_input *in, char *buf, size_t n, size_t *got);
/* The whole rest, NUL-terminated, heap; RR_EINPUT above `most` bytes. */
RR_CHECKED enum rr_status rr_input_all(struct rr_input *in, size_t most, char **ret, size_t *ret_n);
/* SHA-256 of the file's raw (compressed) bytes, once the end has been read (reads on to it if need be): 64 hex digits. */
RR_CHECKED enum rr_status rr_input_sha256(struct rr_input *in, char hex[65]);
RR_CHECKED enum rr_status rr_file_sha256(const char *path, char hex[65]);
#endif
