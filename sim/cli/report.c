/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/report.c - `rackrate report RESULT`: write the files of a finished run again. */
#include "sim/cli/cli.h"
#include "reports/report.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {'o', "out", "DIR", false, "write there instead of beside the result"},
    {0, "format", "LIST", false, "only these: json, md, html, csv, db, plots, focus"},
    {0, "json", NULL, false, "print results.json on stdout instead of the headline"},
};

static bool has_end(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_file(const char *path) { return access(path, F_OK) == 0; }

/* RESULT is a folder, its results.db or its results.json. All is in the database; without one, what results.json holds can be told. */
static const char *source_of(const char *result, struct rr_arena *a)
{
    const char *dir = result;
    if (!is_folder(result)) {
        const char *slash = strrchr(result, '/'), *name = slash ? slash + 1 : result;
        if (strcmp(name, "results.json") != 0) return result;
        dir = slash ? rr_strndup(a, result, slash == result ? 1 : (size_t)(slash - result)) : ".";
    }
    const char *db = rr_strf(a, "%s/results.db", dir), *json = rr_strf(a, "%s/results.json", dir);
    return is_file(db) || !is_file(json) ? db : json;
}

static enum rr_status load(const char *path, struct rr_arena *a, unsigned *formats, bool asked, struct rr_store *s)
{
    const unsigned all = RR_FORMAT_CSV | RR_FORMAT_DB;
    if (!has_end(path, ".json")) return rr_store_load(path, a, s);
    if (asked && *formats & all)
        return rr_fail(RR_EINPUT,
                       "%s has no results.db beside it, which csv and db are made from: run again with --format json,db, or all formats",
                       path);
    *formats &= ~all & ~(unsigned)RR_FORMAT_JSON;
    return rr_store_read_json(path, a, s);
}

static const char *folder_of(const char *path, struct rr_arena *a)
{
    const char *slash = strrchr(path, '/');
    return slash ? rr_strndup(a, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

static enum rr_status report_run(const struct rr_args *args)
{
    unsigned formats = RR_FORMAT_ALL & ~RR_FORMAT_DB;
    const char *list = rr_arg(&rr_command_report, args, "format", NULL);
    if (list) RR_TRY(rr_format_parse(list, &formats));

    struct rr_arena *a = args->arena;
    const char *from = source_of(args->operand[0], a);
    struct rr_store store = {0};
    RR_TRY(load(from, a, &formats, list != NULL, &store));
    const char *dir = rr_arg(&rr_command_report, args, "out", folder_of(from, a));
    const enum rr_status st = rr_report_write(&store, dir, formats, from);
    if (st != RR_OK && st != RR_EMISSING) return st;

    struct rr_buf b = {0};
    const bool html = (formats & RR_FORMAT_HTML) != 0;
    if (rr_arg_given(&rr_command_report, args, "json")) {
        rr_store_json(&store, &b);
    } else {
        rr_report_headline(&store, &b, 0);
        rr_buf_putf(&b, "\n%s: %s%s\n", html ? "Report" : "Results in", dir, html ? "/report.html" : "");
    }
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_report = {
    .name = "report",
    .summary = "write the report of a finished run again",
    .usage = "RESULT [-o DIR] [--format LIST] [--json]",
    .examples = "rackrate report out/buy-vs-rent\n"
                "rackrate report out/buy-vs-rent -o pages --format html,plots",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = report_run,
};
