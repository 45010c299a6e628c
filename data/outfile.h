/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/outfile.h - a file that is written beside its final name and appears there whole, or not at all.
 *
 *     struct rr_outfile *o;
 *     RR_TRY(rr_outfile_open(path, &o));
 *     rr_outfile_put(o, text, n);               // errors are kept until finish
 *     RR_GO(rr_outfile_finish(o));              // all bytes on the disk, under the name beside
 *     RR_GO(rr_outfile_publish(o));             // renamed
 *     out: rr_outfile_free(o);                  // what was not published is removed
 *
 * Several files that belong together are all finished before the first is published. */
#ifndef RR_DATA_OUTFILE_H
#define RR_DATA_OUTFILE_H
#include "data/base/text.h"

struct rr_outfile;
RR_CHECKED enum rr_status rr_outfile_open(const char *path, struct rr_outfile **ret);
void rr_outfile_put(struct rr_outfile *o, const char *bytes, size_t n);
/* The buffer itself, for writers that format in place: at least `n` free bytes (n <= 64 KiB); then tell how many were used. */
char *rr_outfile_room(struct rr_outfile *o, size_t n);
void rr_outfile_used(struct rr_outfile *o, size_t n);
RR_CHECKED enum rr_status rr_outfile_finish(struct rr_outfile *o);  /* RR_EIO "PATH: reason"; the first error of any put */
RR_CHECKED enum rr_status rr_outfile_publish(struct rr_outfile *o); /* after finish */
void rr_outfile_free(struct rr_outfile *o);                         /* takes NULL */

/* The name beside: what another writer (SQLite) fills. An rr_outfile that adopts it syncs, publishes and removes it like its own. */
RR_CHECKED enum rr_status rr_outfile_adopt(const char *path, struct rr_outfile **ret);
const char *rr_outfile_beside(const struct rr_outfile *o);

/* The directory and its parents, made when missing. */
RR_CHECKED enum rr_status rr_make_dirs(const char *dir);
#endif
