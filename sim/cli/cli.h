/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/cli.h - a subcommand is one constant in one file, sim/cli/NAME.c, and one row in sim/cli/list.h.
 *
 * From the descriptor come `rackrate help`, --help, the completion and the man page's table. Results on stdout, all else on stderr. */
#ifndef RR_SIM_CLI_H
#define RR_SIM_CLI_H
#include "data/param.h"
#include <stdio.h>

struct rr_option {
    char letter;       /* 'o', or 0 */
    const char *name;  /* "out" for --out */
    const char *value; /* "DIR", or NULL: a switch */
    bool many;         /* may be given again */
    const char *help;  /* one line, no period */
};
struct rr_args { /* parsed; option i of the descriptor */
    const char *const *operand;
    size_t n_operands;
    const char *const **value; /* [option][k]: its values in order; a switch has n_values > 0 */
    size_t *n_values;
    struct rr_arena *arena;
};
struct rr_command {
    const char *name, *summary;
    const char *usage;    /* "SCENARIO... [options]" */
    const char *examples; /* lines, first thing that --help shows */
    const struct rr_option *options;
    size_t n_options;
    int least, most; /* operands; most -1 = any */
    /* Returns the exit code; on a status the command returns it and main prints "rackrate: REASON" on stderr. */
    enum rr_status (*run)(const struct rr_args *args);
};
#define X(name) extern const struct rr_command rr_command_##name;
#include "sim/cli/list.h"
#undef X
extern const struct rr_command *const rr_commands[]; /* NULL-terminated */

/* Value of option `name`, the last one given, or `otherwise`. */
const char *rr_arg(const struct rr_command *c, const struct rr_args *a, const char *name, const char *otherwise);
bool rr_arg_given(const struct rr_command *c, const struct rr_args *a, const char *name);
extern const struct rr_registry rr_registry; /* the open sets of this program (registry.c) */
#ifndef RR_VERSION
#define RR_VERSION "0.1.0"
#endif
#endif
