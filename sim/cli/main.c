/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/main.c - find the command, sort its words, run it, and say on stderr what went wrong. */
#include "sim/cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define X(name) &rr_command_##name,
const struct rr_command *const rr_commands[] = {
#include "sim/cli/list.h"
    NULL};
#undef X

/* Commands of the contract (DESIGN.md section 6) that later versions bring: refused by name, never "unknown". */
static const char *const later[] = {"diff", "trace", "doctor"};

const struct rr_command *rr_command_find(const char *name)
{
    for (const struct rr_command *const *c = rr_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

enum rr_status rr_command_missing(const char *name, struct rr_arena *a)
{
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i], name) == 0) return rr_fail(RR_EINPUT, "\"%s\" is not built yet in rackrate %s", name, RR_VERSION);
    const char *words[64];
    size_t n = 0;
    for (const struct rr_command *const *c = rr_commands; *c && n < 64; c++) words[n++] = (*c)->name;
    const char *hint = rr_did_you_mean(a, name, words, n);
    return rr_fail(RR_EUSAGE, "unknown command \"%s\"%s (rackrate help lists them)", name, hint);
}

static int write_error; // errno of the first write to stdout that failed

void rr_say(const char *text)
{
    if (fputs(text, stdout) == EOF && write_error == 0) write_error = errno;
}

/* A closed descriptor 0, 1 or 2 would be handed to the next file opened, and messages written into it. */
static void keep_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) != fd) exit(RR_EIO);
}

/* What was printed counts only once it has arrived: a full disk or a closed pipe is exit 4. */
static enum rr_status flush_stdout(void)
{
    if (fflush(stdout) != 0 && write_error == 0) write_error = errno;
    if (write_error == 0 && !ferror(stdout)) return RR_OK;
    return rr_fail(RR_EIO, "standard output: %s", write_error ? strerror(write_error) : "could not write");
}

static enum rr_status run_command(const struct rr_command *c, int n, char *const *word, struct rr_arena *a)
{
    struct rr_args args = {.arena = a};
    for (int i = 0; i < n && strcmp(word[i], "--") != 0; i++) {
        if (strcmp(word[i], "--help") != 0 && strcmp(word[i], "-h") != 0) continue;
        struct rr_buf b = {0};
        rr_help_command(&b, c);
        rr_say(rr_buf_text(&b));
        rr_buf_done(&b);
        return RR_OK;
    }
    const enum rr_status st = rr_args_parse(c, n, word, a, &args);
    if (st != RR_OK) return rr_fail_in(st, "%s", c->name);
    return c->run(&args);
}

static enum rr_status run_program(int argc, char *const *argv, struct rr_arena *a)
{
    if (argc < 2) {
        struct rr_buf b = {0};
        rr_help_program(&b);
        fputs(rr_buf_text(&b), stderr);
        rr_buf_done(&b);
        return rr_fail(RR_EUSAGE, "no command given");
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    if (name[0] == '-') return rr_fail(RR_EUSAGE, "a command comes first, then its options: rackrate COMMAND %s", name);
    const struct rr_command *c = rr_command_find(name);
    return c ? run_command(c, argc - 2, argv + 2, a) : rr_command_missing(name, a);
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, seen in flush_stdout()
    gsl_set_error_handler_off();

    struct rr_arena *a = rr_arena_create();
    int exit_code = (int)run_program(argc, argv, a);
    if (exit_code != RR_OK && *rr_reason()) fprintf(stderr, "rackrate: %s\n", rr_reason());
    if (flush_stdout() != RR_OK) {
        if (write_error != EPIPE) fprintf(stderr, "rackrate: %s\n", rr_reason()); // who closed the pipe knows
        exit_code = rr_status_worse(exit_code, RR_EIO);
    }
    rr_arena_free(a);
    return exit_code;
}
