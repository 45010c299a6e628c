/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/result.c - results on the disk, for commands that need their database. */
#include "sim/cli/result.h"
#include "data/outfile.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

enum rr_status rr_result_load(const char *result, struct rr_arena *a, const char **ret_db, struct rr_store *ret)
{
    const char *slash = strrchr(result, '/'), *name = slash ? slash + 1 : result, *db = result;
    if (is_folder(result))
        db = rr_strf(a, "%s/results.db", result);
    else if (strcmp(name, "results.json") == 0)
        db = rr_strf(a, "%.*sresults.db", (int)(name - result), result);
    if (db != result && access(db, F_OK) != 0 && access(result, F_OK) == 0)
        return rr_fail(RR_EINPUT,
                       "%s has no results.db, which the leases and charges are in: run again with --format json,db, or all formats",
                       result);
    if (ret_db) *ret_db = db;
    return rr_store_load(db, a, ret);
}

enum rr_status rr_write_file(const char *path, const struct rr_buf *b)
{
    struct rr_outfile *o = NULL;
    RR_TRY(rr_outfile_open(path, &o));
    rr_outfile_put(o, rr_buf_text(b), b->n);
    enum rr_status st = rr_outfile_finish(o);
    if (st == RR_OK) st = rr_outfile_publish(o);
    rr_outfile_free(o);
    return st;
}
