/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/cli.h - a subcommand is one constant in one file, sim/cli/NAME.c, and one row in sim/cli/list.h.
 *
 * From the descriptor come `rackrate help`, --help, the completion and the man page's table. Results on stdout, all else on stderr. */
#ifndef RR_SIM_CLI_H
#define RR_SIM_CLI_H
#include "data/catalog.h"
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
extern const struct rr_command *const rr_commands[];        /* NULL-terminated */
const struct rr_command *rr_command_find(const char *name); /* NULL when there is none */
/* RR_EINPUT for a command of the contract that this version lacks, else RR_EUSAGE with the nearest right word. */
RR_CHECKED enum rr_status rr_command_missing(const char *name, struct rr_arena *a);

/* Sort the words after the command into options and operands. Options may stand anywhere before "--"; "-" is an operand; "--opt=value", "-oVALUE" and
 * combined switches ("-qj4") are understood. RR_EUSAGE in one line that names the nearest right option. */
RR_CHECKED enum rr_status rr_args_parse(const struct rr_command *c, int n, char *const *word, struct rr_arena *a, struct rr_args *ret);

/* Value of option `name`, the last one given, or `otherwise`. */
const char *rr_arg(const struct rr_command *c, const struct rr_args *a, const char *name, const char *otherwise);
/* A whole number of at least `least`; `otherwise` when not given. RR_EUSAGE in one line. */
RR_CHECKED enum rr_status rr_arg_whole(const struct rr_command *c, const struct rr_args *a, const char *name, int64_t least,
                                       int64_t otherwise, int64_t *ret);
size_t rr_option_index(const struct rr_command *c, const char *name); /* of rr_args.value and n_values; the option must exist */
bool rr_arg_given(const struct rr_command *c, const struct rr_args *a, const char *name);
extern const struct rr_registry rr_registry; /* the open sets of this program (registry.c) */

/* Shared by commands. The catalog of the shipped facts, loaded into `a`. */
RR_CHECKED enum rr_status rr_cli_catalog(struct rr_arena *a, struct rr_catalog *ret);
/* import_prices.c: a->operand[1 ..] as one price book into b; what was left out goes to stderr. */
RR_CHECKED enum rr_status rr_cli_import_prices(const struct rr_args *a, struct rr_buf *b);
void rr_help_command(struct rr_buf *b, const struct rr_command *c); /* what `rackrate help NAME` prints */
void rr_help_program(struct rr_buf *b);                             /* what `rackrate help` prints */
void rr_say(const char *text);                                      /* to stdout; main sees whether it arrived */
const char *rr_metric_unit_text(int unit);                          /* "GPU-hours"; enum rr_metric_unit */
extern const char *const rr_shells[];                               /* of `completion`; NULL-terminated */
extern const char *const rr_list_things[];                          /* of `list`; NULL-terminated */

#ifndef RR_VERSION
#define RR_VERSION "0.1.0"
#endif
#endif
