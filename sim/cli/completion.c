/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/completion.c - `rackrate completion SHELL`: completion scripts made from the descriptors. */
#include "sim/cli/cli.h"
#include "data/metric.h"
#include <string.h>

const char *const rr_shells[] = {"bash", "zsh", "fish", NULL};

/* Words that a command's first operand may be, or NULL for files. */
static const char *const *operand_words(const struct rr_command *c)
{
    if (c == &rr_command_list) return rr_list_things;
    if (c == &rr_command_completion) return rr_shells;
    return NULL;
}

static void put_operands(struct rr_buf *b, const struct rr_command *c)
{
    if (c == &rr_command_explain)
        for (int i = 0; i < RR_METRICS; i++) rr_buf_putf(b, " %s", rr_metric_info[i].name);
    if (c == &rr_command_help)
        for (const struct rr_command *const *k = rr_commands; *k; k++) rr_buf_putf(b, " %s", (*k)->name);
    for (const char *const *w = operand_words(c); w && *w; w++) rr_buf_putf(b, " %s", *w);
}

static void put_bash(struct rr_buf *b)
{
    rr_buf_puts(b,
                "# bash completion for rackrate, made by `rackrate completion bash`\n"
                "_rackrate()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} words=\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    for (const struct rr_command *const *c = rr_commands; *c; c++) rr_buf_putf(b, "%s%s", c == rr_commands ? "" : " ", (*c)->name);
    rr_buf_puts(b, "\"\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (const struct rr_command *const *c = rr_commands; *c; c++) {
        rr_buf_putf(b, "        %s) words=\"--help", (*c)->name);
        for (size_t i = 0; i < (*c)->n_options; i++) rr_buf_putf(b, " --%s", (*c)->options[i].name);
        put_operands(b, *c);
        rr_buf_puts(b, "\" ;;\n");
    }
    rr_buf_puts(b, "        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
                   "complete -o default -F _rackrate rackrate\n");
}

/* Inside '...' of a shell: a quote ends the string, gives one, begins anew; zsh's own marks in `escape` get a backslash. */
static void put_quoted(struct rr_buf *b, const char *s, const char *escape)
{
    for (; *s; s++) {
        if (*s == '\'')
            rr_buf_puts(b, "'\\''");
        else if (strchr(escape, *s))
            rr_buf_putf(b, "\\%c", *s);
        else
            rr_buf_put(b, s, 1);
    }
}

static void put_zsh_command(struct rr_buf *b, const struct rr_command *c)
{
    struct rr_buf words = {0};
    rr_buf_putf(b, "    %s) _arguments '--help[this text]'", c->name);
    for (size_t i = 0; i < c->n_options; i++) {
        const struct rr_option *o = &c->options[i];
        rr_buf_putf(b, " '%s--%s%s[", o->many ? "*" : "", o->name, o->value ? "=" : "");
        put_quoted(b, o->help, "[]:");
        rr_buf_putf(b, "]%s%s%s'", o->value ? ":" : "", o->value ? o->value : "", o->value ? ":_files" : "");
    }
    put_operands(&words, c);
    if (words.n)
        rr_buf_putf(b, " '*:word:(%s)' ;;\n", rr_buf_text(&words) + 1);
    else
        rr_buf_puts(b, " '*:file:_files' ;;\n");
    rr_buf_done(&words);
}

static void put_zsh(struct rr_buf *b)
{
    rr_buf_puts(b, "#compdef rackrate\n# zsh completion for rackrate, made by `rackrate completion zsh`\n"
                   "local -a commands=(\n");
    for (const struct rr_command *const *c = rr_commands; *c; c++) {
        rr_buf_putf(b, "    '%s:", (*c)->name);
        put_quoted(b, (*c)->summary, "[]:");
        rr_buf_puts(b, "'\n");
    }
    rr_buf_puts(b, ")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
                   "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in\n");
    for (const struct rr_command *const *c = rr_commands; *c; c++) put_zsh_command(b, *c);
    rr_buf_puts(b, "esac\n");
}

static void put_fish(struct rr_buf *b)
{
    rr_buf_puts(b, "# fish completion for rackrate, made by `rackrate completion fish`\n");
    for (const struct rr_command *const *c = rr_commands; *c; c++) {
        struct rr_buf words = {0};
        rr_buf_putf(b, "complete -c rackrate -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
        put_quoted(b, (*c)->summary, "");
        rr_buf_puts(b, "'\n");
        for (size_t i = 0; i < (*c)->n_options; i++) {
            const struct rr_option *o = &(*c)->options[i];
            rr_buf_putf(b, "complete -c rackrate -n '__fish_seen_subcommand_from %s' -l %s%s", (*c)->name, o->name, o->value ? " -r" : "");
            if (o->letter) rr_buf_putf(b, " -s %c", o->letter);
            rr_buf_puts(b, " -d '");
            put_quoted(b, o->help, "");
            rr_buf_puts(b, "'\n");
        }
        put_operands(&words, *c);
        if (words.n)
            rr_buf_putf(b, "complete -c rackrate -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", (*c)->name, rr_buf_text(&words) + 1);
        rr_buf_done(&words);
    }
}

static enum rr_status completion_run(const struct rr_args *args)
{
    static void (*const put[])(struct rr_buf *) = {put_bash, put_zsh, put_fish};
    for (size_t i = 0; rr_shells[i]; i++) {
        if (strcmp(rr_shells[i], args->operand[0]) != 0) continue;
        struct rr_buf b = {0};
        put[i](&b);
        rr_say(rr_buf_text(&b));
        rr_buf_done(&b);
        return RR_OK;
    }
    return rr_fail(RR_EUSAGE, "no completion for \"%s\": bash, zsh or fish", args->operand[0]);
}

const struct rr_command rr_command_completion = {
    .name = "completion",
    .summary = "a completion script for bash, zsh or fish",
    .usage = "bash|zsh|fish",
    .examples = "source <(rackrate completion bash)\n"
                "rackrate completion fish > ~/.config/fish/completions/rackrate.fish",
    .least = 1,
    .most = 1,
    .run = completion_run,
};
