/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/calibrate.c - `rackrate calibrate`: run rackrate-probe, fit its samples, show the profile beside the datasheet.
 *
 * The probe links CUDA and is a program of its own under another licence: it is started, and its samples are read back from a file. */
#include "models/probe/layer.h"
#include "sim/cli/profile.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {'o', "out", "FILE", false, "the profile (default calibrated.json); the samples go beside it, as calibrated.samples.json"},
    {0, "budget", "TIME", false, "60s, 5m, 1h: the most valuable measurements first (default 5m; 0: everything)"},
    {0, "only", "PARTS", false, "of memory,gemm,kernel,launch,transfer,collective,storage,step"},
    {0, "gpus", "N", false, "the first N GPUs of the node"},
    {0, "disk", "DIR", false, "measure reads from this local folder too"},
    {0, "network", "DIR", false, "measure reads from this network mount too"},
    {0, "name", "NAME", false, "the profile's name (default: that of the file)"},
    {0, "dry-run", NULL, false, "print the plan by part and its time; needs no device"},
    {0, "all", NULL, false, "with --dry-run: a line for each measurement"},
};
const struct rr_command rr_command_calibrate;
extern char **environ;

/* ---- the probe ---- */

/* build/rackrate is a link to build/VARIANT/rackrate: beside it, or one level up. NULL: not there. */
static const char *find_probe(struct rr_arena *a)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return NULL;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) return NULL;
    *slash = '\0';
    const char *const places[] = {rr_strf(a, "%s/rackrate-probe", self), rr_strf(a, "%s/../rackrate-probe", self)};
    for (int i = 0; i < 2; i++)
        if (access(places[i], X_OK) == 0) return places[i];
    return NULL;
}

static enum rr_status without_device(const char *why)
{
    return rr_fail(RR_EMISSING, "%.110s. Shipped profiles: rackrate list profiles; of logs: rackrate fit LOG -o PROFILE", why);
}

/* One line of the probe's stderr. */
static void take_line(const char *line, char reason[RR_REASON_MAX])
{
    static const char said[] = "rackrate-probe: ";
    unsigned long done, all;
    int at = 0;
    if (strncmp(line, said, sizeof said - 1) == 0) {
        line += sizeof said - 1;
        if (strncmp(line, "skipped: ", 9) == 0)
            fprintf(stderr, "%srackrate: not measured: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", line + 9);
        else
            (void)snprintf(reason, RR_REASON_MAX, "%s", line);
    } else if (sscanf(line, "progress %lu %lu %n", &done, &all, &at) == 2 && at > 0 && all > 0) {
        static const char bar[] = "####################";
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r\033[K[%-20.*s] %lu of %lu  %.60s", (int)(done * 20 / all), bar, done, all, line + at);
    } else {
        (void)snprintf(reason, RR_REASON_MAX, "%s", line);
    }
}

static enum rr_status read_lines(int fd, char reason[RR_REASON_MAX])
{
    FILE *f = fdopen(fd, "r");
    char *line = NULL;
    size_t room = 0;
    if (!f) {
        (void)close(fd);
        return rr_fail(RR_EIO, "rackrate-probe: %s", strerror(errno));
    }
    while (getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        take_line(line, reason);
    }
    free(line);
    (void)fclose(f);
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    return RR_OK;
}

static enum rr_status start(const char *const *word, pid_t *pid, int *fd)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) return rr_fail(RR_EIO, "a pipe to rackrate-probe: %s", strerror(errno));
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        if (code == 0) code = posix_spawn_file_actions_addclose(&actions, ends[0]);
        if (code == 0) code = posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (code == 0) code = posix_spawn(pid, word[0], &actions, NULL, (char *const *)word, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)close(ends[1]);
    if (code == 0) {
        *fd = ends[0];
        return RR_OK;
    }
    (void)close(ends[0]);
    return rr_fail(RR_EIO, "%s: %s", word[0], strerror(code));
}

static enum rr_status run_probe(const char *const *word)
{
    char reason[RR_REASON_MAX] = "it said nothing";
    pid_t pid;
    int fd = -1, state = 0;
    (void)fflush(stdout);
    RR_TRY(start(word, &pid, &fd));
    const enum rr_status st = read_lines(fd, reason);
    if (waitpid(pid, &state, 0) != pid) return rr_fail(RR_EIO, "rackrate-probe: %s", strerror(errno));
    RR_TRY(st);
    if (WIFSIGNALED(state)) return rr_fail(RR_EIO, "rackrate-probe was ended by signal %d: %s", WTERMSIG(state), reason);
    switch (WEXITSTATUS(state)) {
    case 0: return RR_OK;
    case RR_EMISSING: return without_device(reason);
    case RR_EGATE:
    case RR_EUSAGE: return rr_fail((enum rr_status)WEXITSTATUS(state), "rackrate-probe: %s", reason);
    default: return rr_fail(RR_EIO, "rackrate-probe: %s", reason);
    }
}

/* ---- what came out ---- */

static const struct rr_device_rate *find_rate(const struct rr_profile *p, const char *kind, const char *op)
{
    for (size_t i = 0; i < p->n_rates; i++)
        if (strcmp(p->rate[i].kind, kind) == 0 && strcmp(p->rate[i].op, op) == 0 && p->rate[i].gb_s.value > 0) return &p->rate[i];
    return NULL;
}

static const struct rr_gemm *find_gemm(const struct rr_profile *p, const char *type)
{
    for (size_t i = 0; i < p->n_gemms; i++)
        if (strcmp(p->gemm[i].type, type) == 0) return &p->gemm[i];
    return NULL;
}

/* The layer's step from the profile alone: products by the fitted surface (batches as one longer product), the rest by bytes over the kernel's rate, or
 * that of a copy. 0: the profile lacks something. */
static double layer_us(const struct rr_profile *p)
{
    const struct rr_gemm *g = find_gemm(p, "bf16");
    const struct rr_device_rate *copy = find_rate(p, "memory", "copy");
    double us = 0;
    static const char *const name[] = {
#define X(id, text, bytes) text,
        RR_PROBE_KERNELS(X)
#undef X
    };
    if (!g) return 0;
    for (size_t i = 0; i < rr_layer_n; i++) {
        const struct rr_layer_op *o = &rr_layer_ops[i];
        bool outside;
        if (o->kernel == RR_KERNEL_GEMM) {
            us += rr_gemm_us(g, (double)o->m, (double)o->n * o->batch, (double)o->k, 2, &outside);
            continue;
        }
        const struct rr_device_rate *r = find_rate(p, "kernel", name[o->kernel]);
        if (!r) r = copy;
        if (!r) return 0;
        us += o->bytes / (r->gb_s.value * 1e3);
    }
    return us;
}

static double peak(const struct rr_profile *p, const char *what)
{
    for (size_t i = 0; i < p->n_peaks; i++)
        if (strcmp(p->peak[i].what, what) == 0) return p->peak[i].value;
    return 0;
}

static void put_row(struct rr_buf *b, const char *what, double measured, double datasheet, const char *unit)
{
    if (!(measured > 0)) return;
    rr_buf_putf(b, "%-24s %12.4g ", what, measured);
    if (datasheet > 0)
        rr_buf_putf(b, "%12.4g %-8s %5.1f %%\n", datasheet, unit, 100 * measured / datasheet);
    else
        rr_buf_putf(b, "%12s %s\n", "-", unit);
}

static void put_against_datasheet(struct rr_buf *b, const struct rr_profile *p, const struct rr_samples *s)
{
    static const char *const types[] = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8"}, *const memory[] = {"copy", "triad", "read",
                                                                                                           "write"};
    rr_buf_putf(b, "\n%-24s %12s %12s\n", "", "measured", "datasheet");
    for (size_t i = 0; i < 6; i++) {
        const struct rr_gemm *g = find_gemm(p, types[i]);
        char what[32];
        (void)snprintf(what, sizeof what, "gemm %s", types[i]);
        put_row(b, what, g ? g->peak_tflops.value : 0, peak(p, types[i]), "TFLOP/s");
    }
    for (size_t i = 0; i < 4; i++) {
        const struct rr_device_rate *r = find_rate(p, "memory", memory[i]);
        char what[32];
        (void)snprintf(what, sizeof what, "memory %s", memory[i]);
        put_row(b, what, r ? r->gb_s.value : 0, peak(p, "memory"), "GB/s");
    }
    for (size_t i = 0; i < p->n_latencies; i++)
        if (strncmp(p->latency[i].op, "launch", 6) == 0) put_row(b, p->latency[i].op, p->latency[i].us.value, 0, "us");
    const double predicted = layer_us(p);
    for (size_t i = 0; i < s->n; i++) {
        if (s->at[i].kind != RR_SAMPLE_STEP) continue;
        rr_buf_putf(b, "%-24s %12.4g ms", "transformer layer step", s->at[i].us / 1e3);
        if (predicted > 0) rr_buf_putf(b, ", predicted %.4g ms (%+.1f %%)", predicted / 1e3, 100 * (predicted / s->at[i].us - 1));
        rr_buf_puts(b, "\n");
    }
}

/* ---- the command ---- */

static const char *beside(struct rr_arena *a, const char *out)
{
    const size_t n = strlen(out), cut = n > 5 && strcmp(out + n - 5, ".json") == 0 ? n - 5 : n;
    return rr_strf(a, "%s.samples.json", rr_strndup(a, out, cut));
}

static size_t probe_words(const struct rr_args *a, const char *probe, const char **word)
{
    static const char *const passed[] = {"budget", "only", "gpus", "disk", "network"};
    size_t n = 0;
    word[n++] = probe;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const char *value = rr_arg(&rr_command_calibrate, a, passed[i], NULL);
        if (!value) continue;
        word[n++] = rr_strf(a->arena, "--%s", passed[i]);
        word[n++] = value;
    }
    return n;
}

/* `rackrate fit SAMPLES -o OUT`, with its table; then the measured beside the datasheet. */
static enum rr_status fit(const struct rr_args *a, const char *samples, const char *out)
{
    const char *slash = strrchr(out, '/'), *file = slash ? slash + 1 : out, *dot = strstr(file, ".json");
    const char *name =
        rr_arg(&rr_command_calibrate, a, "name", dot && dot > file ? rr_strndup(a->arena, file, (size_t)(dot - file)) : file);
    const char *const words[] = {"--out", out, "--name", name, "--", samples};
    struct rr_args args;
    struct rr_profile p;
    struct rr_samples s;
    struct rr_buf b = {0};
    RR_TRY(rr_args_parse(&rr_command_fit, 6, (char *const *)words, a->arena, &args));
    RR_TRY(rr_command_fit.run(&args));
    RR_TRY(rr_profile_read(out, a->arena, &p));
    RR_TRY(rr_samples_read(&samples, 1, &(struct rr_sample_options){.max_refused = 1}, a->arena, &s));
    put_against_datasheet(&b, &p, &s);
    rr_buf_putf(&b, "\nwritten: %s, %s\n", out, samples);
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static struct stat look(const char *path) // zeros: not there
{
    struct stat s;
    return stat(path, &s) == 0 ? s : (struct stat){.st_ino = 0};
}

/* Samples of an earlier run are never taken for this one's. */
static enum rr_status calibrate(const struct rr_args *a)
{
    const char *word[24], *out = rr_arg(&rr_command_calibrate, a, "out", "calibrated.json"), *samples = beside(a->arena, out);
    const char *probe = find_probe(a->arena);
    if (strcmp(out, "-") == 0) return rr_fail(RR_EUSAGE, "--out wants a file: the samples are written beside it");
    if (!probe) return without_device("rackrate-probe is not beside rackrate (make builds it where nvcc is)");
    size_t n = probe_words(a, probe, word);
    const bool dry = rr_arg_given(&rr_command_calibrate, a, "dry-run"), all = rr_arg_given(&rr_command_calibrate, a, "all");
    if (all && !dry) return rr_fail(RR_EUSAGE, "--all goes with --dry-run");
    if (dry) {
        word[n++] = "--dry-run";
        if (all) word[n++] = "--all";
    } else {
        word[n++] = "--progress";
        word[n++] = "-o";
        word[n++] = samples;
    }
    word[n] = NULL;
    const struct stat before = look(samples);
    RR_TRY(run_probe(word));
    if (dry) return RR_OK;
    const struct stat after = look(samples);
    if (after.st_ino == 0 ||
        (after.st_ino == before.st_ino && after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec))
        return rr_fail(RR_EIO, "rackrate-probe ended well, but wrote no %s", samples);
    return fit(a, samples, out);
}

const struct rr_command rr_command_calibrate = {
    .name = "calibrate",
    .summary = "measure this machine's GPUs and write a profile",
    .usage = "[-o PROFILE] [options]",
    .examples = "  rackrate calibrate --dry-run --budget 60s\n"
                "  rackrate calibrate --budget 10m -o our-node.json --disk /scratch\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = calibrate,
};
