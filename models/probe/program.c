/* SPDX-License-Identifier: MIT
 * models/probe/program.c - the program rackrate-probe: words of the command line, the run, the JSON. */
#include "models/probe/probe.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "rackrate-probe --budget 60s -o samples.json      measure this machine's GPUs, the most valuable points first\n"
    "rackrate-probe --dry-run --gpus 8                the plan and its time; needs no device\n"
    "rackrate-probe --check                           compare every kernel with the host's reference, time nothing\n"
    "srun -N2 --ntasks-per-node=8 rackrate-probe --id-file /shared/id -o samples.json\n"
    "\n"
    "  --budget TIME     60s, 5m, 1h; what does not fit is left out and counted (default 5m; 0: everything)\n"
    "  --only PARTS      of memory, gemm, kernel, launch, transfer, collective, storage, step; commas between them\n"
    "  --gpus N          use the first N GPUs of the node\n"
    "  --points N        N measurements at most\n"
    "  --disk DIR        read rate of a local disk too; writes 256 MiB there and removes it\n"
    "  --network DIR     the same on a network mount\n"
    "  --id-file FILE    of many processes: where they meet and rank 0 leaves the NCCL id, seen by all (or NCCL_COMM_ID=HOST:PORT)\n"
    "  --wait TIME       how long they wait for each other there (default 2m)\n"
    "  --note TEXT       kept in the output\n"
    "  --dry-run         print the plan by part and its time on a nominal machine\n"
    "  --all             with --dry-run: a line for each measurement\n"
    "  --check           results only\n"
    "  --progress        a line \"progress DONE ALL WHAT\" on stderr for each measurement\n"
    "  -o FILE           where to write (default: standard output)\n"
    "\n"
    "It changes no clocks, power limits or other settings. Exit: 0 done, 1 a kernel's result was wrong, 2 bad usage, 4 a call failed,\n"
    "5 no CUDA device.\n";

struct device_side {
    const struct rr_cuda *cu;
    const struct rr_loader *ld;
};
struct words {
    struct rr_probe_options opt;
    const char *out;
    bool dry_run, all, help, version;
};

static enum rr_status read_time(const char *name, const char *text, double *ret)
{
    size_t n = strlen(text);
    double unit = 1;
    if (n > 1 && text[n - 1] == 's') n--;
    if (n > 1 && text[n - 1] == 'm') unit = 60, n--;
    if (n > 1 && text[n - 1] == 'h') unit = 3600, n--;
    if (n > 0 && rr_text_double(rr_slice(text, n), ret) == RR_OK && *ret >= 0 && *ret < 1e6) {
        *ret *= unit;
        return RR_OK;
    }
    return rr_fail(RR_EUSAGE, "%s wants a time like 60s, 5m or 1h, not \"%s\"", name, text);
}

static void progress(size_t done, size_t n, const char *what) { (void)fprintf(stderr, "progress %zu %zu %s\n", done, n, what); }

static enum rr_status set_value(struct words *w, const char *name, const char *value)
{
    int64_t gpus = 0, most = 0;
    if (strcmp(name, "--budget") == 0) return read_time(name, value, &w->opt.budget_s);
    if (strcmp(name, "--wait") == 0) return read_time(name, value, &w->opt.wait_s);
    if (strcmp(name, "--gpus") == 0) {
        if (rr_text_i64(rr_slice(value, strlen(value)), &gpus) != RR_OK || gpus < 1 || gpus > 16)
            return rr_fail(RR_EUSAGE, "--gpus wants a whole number from 1 to 16, not \"%s\"", value);
        w->opt.gpus = (int)gpus;
        return RR_OK;
    }
    if (strcmp(name, "--points") == 0) {
        if (rr_text_i64(rr_slice(value, strlen(value)), &most) != RR_OK || most < 1)
            return rr_fail(RR_EUSAGE, "--points wants a whole number of at least 1, not \"%s\"", value);
        w->opt.most = (size_t)most;
        return RR_OK;
    }
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--only", &w->opt.only},       {"--disk", &w->opt.disk}, {"--network", &w->opt.network},
                 {"--id-file", &w->opt.id_file}, {"--note", &w->opt.note}, {"-o", &w->out}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, name) == 0) *texts[i].to = value;
    return RR_OK;
}

static bool set_switch(struct words *w, const char *word)
{
    if (strcmp(word, "--dry-run") == 0) return w->dry_run = true;
    if (strcmp(word, "--all") == 0) return w->all = true;
    if (strcmp(word, "--check") == 0) return w->opt.check_only = true;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return w->help = true;
    if (strcmp(word, "--version") == 0) return w->version = true;
    if (strcmp(word, "--progress") != 0) return false;
    w->opt.progress = progress;
    return true;
}

static enum rr_status read_words(int n, char **word, struct rr_arena *a, struct words *w)
{
    static const char *const with_value[] = {"--budget",  "--only",    "--gpus", "--points", "--disk",
                                             "--network", "--id-file", "--wait", "--note",   "-o"};
    static const char *const known[] = {"--budget", "--only", "--gpus", "--points",  "--disk", "--network", "--id-file",  "--wait",
                                        "--note",   "-o",     "--help", "--dry-run", "--all",  "--check",   "--progress", "--version"};
    w->opt.budget_s = 300;
    for (int i = 1; i < n; i++) {
        size_t k = 0;
        if (set_switch(w, word[i])) continue;
        while (k < sizeof with_value / sizeof *with_value && strcmp(with_value[k], word[i]) != 0) k++;
        if (k == sizeof with_value / sizeof *with_value)
            return rr_fail(RR_EUSAGE, "unknown option \"%s\"%s (see --help)", word[i],
                           rr_did_you_mean(a, word[i], known, sizeof known / sizeof *known));
        if (i + 1 == n) return rr_fail(RR_EUSAGE, "%s needs a value", word[i]);
        RR_TRY(set_value(w, with_value[k], word[i + 1]));
        i++;
    }
    return RR_OK;
}

/* A file is written aside and renamed: what stood there stays whole until then. A device or pipe is written as it is. */
static enum rr_status write_out(const char *path, const struct rr_buf *b, struct rr_arena *a)
{
    struct stat s;
    const bool is_file = path && strcmp(path, "-") != 0, aside = is_file && (stat(path, &s) != 0 || S_ISREG(s.st_mode));
    const char *to = aside ? rr_strf(a, "%s.new", path) : path;
    FILE *f = is_file ? fopen(to, "w") : stdout;
    if (!f) return rr_fail(RR_EIO, "%s: %s", to, strerror(errno));
    const bool written = fwrite(rr_buf_text(b), 1, b->n, f) == b->n;
    const int closed = f == stdout ? fflush(f) : fclose(f);
    if (written && closed == 0 && (!aside || rename(to, path) == 0)) return RR_OK;
    const enum rr_status st = rr_fail(RR_EIO, "%s: %s", is_file ? path : "standard output", strerror(errno));
    if (aside) (void)unlink(to);
    return st;
}

/* ---- what hangs is ended: NCCL waits for ever for a process that is gone ---- */

static struct {
    char line[256];
    size_t n;
} last_word;

static void hangs(int number)
{
    (void)number;
    if (write(STDERR_FILENO, last_word.line, last_word.n) < 0) _exit(RR_EIO); // said or not
    _exit(RR_EIO);
}

static void alive(const char *next, unsigned seconds)
{
    (void)alarm(0);
    const int n = snprintf(last_word.line, sizeof last_word.line, "rackrate-probe: %.150s: no answer in %u s\n", next, seconds);
    last_word.n = n > 0 ? (size_t)n : 0;
    (void)alarm(seconds);
}

static enum rr_status run_probe(const struct words *w, const struct device_side *side, struct rr_arena *a, struct rr_buf *b)
{
    struct rr_probe p;
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    (void)signal(SIGALRM, hangs);
    rr_probe_init(&p, side->cu, side->ld, &w->opt, a);
    enum rr_status st = rr_probe_run(&p);
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (st == RR_OK) rr_probe_json(&p, date, b);
    for (size_t i = 0; st == RR_OK && p.world.rank == 0 && i < p.skipped.n; i++)
        (void)fprintf(stderr, "rackrate-probe: skipped: %s: %s\n", p.skipped.at[i].part, p.skipped.at[i].why);
    if (st == RR_OK && p.world.rank == 0) st = write_out(w->out, b, a);
    const char *wrong = rr_probe_wrong(&p);
    if (st == RR_OK && wrong)
        st = rr_fail(RR_EGATE, "wrong results, whose times say nothing: %s", wrong);
    else if (st == RR_OK && w->opt.check_only && p.world.rank == 0)
        (void)fprintf(stderr, "rackrate-probe: every kernel and product on %s agrees with the reference\n", p.device.name);
    alive("giving everything back", 60);
    rr_probe_done(&p);
    (void)alarm(0);
    return st;
}

static enum rr_status run(const struct words *w, const struct device_side *side, struct rr_arena *a, struct rr_buf *b)
{
    struct rr_probe_plan plan;
    if (w->help) rr_buf_puts(b, help);
    if (w->version) rr_buf_puts(b, "rackrate-probe " RR_VERSION "\n");
    if (w->help || w->version) return write_out(NULL, b, a);
    if (w->all && !w->dry_run) return rr_fail(RR_EUSAGE, "--all goes with --dry-run (see --help)");
    if (!w->dry_run) return run_probe(w, side, a, b);
    RR_TRY(rr_probe_plan(&w->opt, w->opt.gpus > 0 ? w->opt.gpus : 1, 1, a, &plan));
    rr_probe_plan_text(b, &plan, w->opt.budget_s, w->all);
    return write_out(w->out, b, a);
}

int rr_probe_program(int argc, char **argv, const struct rr_cuda *cu, const struct rr_loader *ld)
{
    const struct device_side side = {cu, ld};
    struct words w = {.out = NULL};
    struct rr_buf b = {0};
    struct rr_arena *a = rr_arena_create();
    w.opt.alive = alive;
    (void)setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0); // standard output is the result's
    enum rr_status st = read_words(argc, argv, a, &w);
    if (st == RR_OK) st = run(&w, &side, a, &b);
    if (st != RR_OK) (void)fprintf(stderr, "rackrate-probe: %s\n", rr_reason());
    rr_buf_done(&b);
    rr_arena_free(a);
    return (int)st;
}
