/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/help.c - `rackrate help [COMMAND]`: examples first, then the options, from the descriptors. */
#include "sim/cli/cli.h"
#include <ctype.h>
#include <string.h>

/* The example lines, two blanks in front of each. */
static void put_examples(struct rr_buf *b, const char *lines)
{
    rr_buf_puts(b, "Examples:\n");
    while (*lines) {
        lines += strspn(lines, " ");
        const size_t n = strcspn(lines, "\n");
        rr_buf_putf(b, "  %.*s\n", (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

static void put_option(struct rr_buf *b, const struct rr_option *o)
{
    char left[64];
    const char letter[] = {'-', o->letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name, o->value ? " " : "", o->value ? o->value : "");
    rr_buf_putf(b, "  %-24s %s%s\n", left, o->help, o->many ? " (may be repeated)" : "");
}

void rr_help_command(struct rr_buf *b, const struct rr_command *c)
{
    put_examples(b, c->examples);
    rr_buf_putf(b, "\nUsage: rackrate %s %s\n\n%c%s.\n", c->name, c->usage, toupper((unsigned char)c->summary[0]), c->summary + 1);
    rr_buf_puts(b, "\nOptions:\n");
    for (size_t i = 0; i < c->n_options; i++) put_option(b, &c->options[i]);
    put_option(b, &(struct rr_option){'h', "help", NULL, false, "this text"});
}

void rr_help_program(struct rr_buf *b)
{
    rr_buf_puts(b, "rackrate " RR_VERSION ": what GPU work costs, when it is done, and whether to buy, reserve or rent.\n\n");
    put_examples(b, "rackrate init my-plan -o my-plan.json     a commented scenario to start from\n"
                    "rackrate run my-plan.json                 replay, price, report into out/my-plan\n"
                    "rackrate list instances                   what the shipped facts know\n"
                    "rackrate explain cost.total               what a number means");
    rr_buf_puts(b, "\nCommands:\n");
    for (const struct rr_command *const *c = rr_commands; *c; c++) rr_buf_putf(b, "  %-12s %s\n", (*c)->name, (*c)->summary);
    rr_buf_puts(b, "\n`rackrate help COMMAND` tells its options. Exit: 0 done, 1 a gate failed, 2 bad usage, 3 bad input,\n"
                   "4 could not read or write, 5 a needed part is missing, 70 internal error.\n");
}

static enum rr_status help_run(const struct rr_args *args)
{
    struct rr_buf b = {0};
    if (args->n_operands == 0) {
        rr_help_program(&b);
    } else {
        const struct rr_command *c = rr_command_find(args->operand[0]);
        if (!c) return rr_command_missing(args->operand[0], args->arena);
        rr_help_command(&b, c);
    }
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

const struct rr_command rr_command_help = {
    .name = "help",
    .summary = "what the commands do",
    .usage = "[COMMAND]",
    .examples = "rackrate help\n"
                "rackrate help run      the same as rackrate run --help",
    .most = 1,
    .run = help_run,
};
