/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/args.c - words of the command line into options and operands, by the command's descriptor. */
#include "sim/cli/cli.h"
#include <inttypes.h>
#include <string.h>

struct parser {
    const struct rr_command *command;
    struct rr_arena *arena;
    int n, at; /* words, and the next one */
    char *const *word;
    const char **operand;
    const char ***value; /* [option][n_words]: as many slots as there are words */
    struct rr_args *ret;
};

static enum rr_status unknown(const struct parser *p, const char *word, const char *name)
{
    const char **known = RR_NEWS(p->arena, const char *, p->command->n_options + 1);
    for (size_t i = 0; i < p->command->n_options; i++) known[i] = rr_strf(p->arena, "--%s", p->command->options[i].name);
    known[p->command->n_options] = "--help";
    const char *hint = rr_did_you_mean(p->arena, rr_strf(p->arena, "--%s", name), known, p->command->n_options + 1);
    return rr_fail(RR_EUSAGE, "unknown option \"%s\"%s (see rackrate %s --help)", word, hint, p->command->name);
}

static enum rr_status take(struct parser *p, size_t option, const char *value)
{
    const struct rr_option *o = &p->command->options[option];
    size_t *n = &p->ret->n_values[option];
    if (*n > 0 && !o->many && o->value && strcmp(p->value[option][*n - 1], value) != 0)
        return rr_fail(RR_EUSAGE, "--%s is given twice, as \"%s\" and \"%s\"", o->name, p->value[option][*n - 1], value);
    p->value[option][(*n)++] = value;
    return RR_OK;
}

/* The option's value: what is glued to it, else the next word. */
static enum rr_status take_with_value(struct parser *p, size_t option, const char *glued)
{
    const struct rr_option *o = &p->command->options[option];
    if (glued) return take(p, option, glued);
    if (p->at == p->n) return rr_fail(RR_EUSAGE, "--%s needs a value: --%s %s", o->name, o->name, o->value);
    return take(p, option, p->word[p->at++]);
}

static enum rr_status parse_long(struct parser *p, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    for (size_t i = 0; i < p->command->n_options; i++) {
        const struct rr_option *o = &p->command->options[i];
        if (strlen(o->name) != length || memcmp(o->name, name, length) != 0) continue;
        if (o->value) return take_with_value(p, i, equals ? equals + 1 : NULL);
        return equals ? rr_fail(RR_EUSAGE, "--%s takes no value", o->name) : take(p, i, "");
    }
    return unknown(p, word, rr_strndup(p->arena, name, length));
}

static enum rr_status parse_short(struct parser *p, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        size_t i = 0;
        while (i < p->command->n_options && p->command->options[i].letter != *letter) i++;
        if (i == p->command->n_options) return unknown(p, rr_strf(p->arena, "-%c", *letter), word + 1);
        if (p->command->options[i].value) return take_with_value(p, i, letter[1] ? letter + 1 : NULL);
        RR_TRY(take(p, i, ""));
    }
    return RR_OK;
}

static enum rr_status check_operands(const struct rr_command *c, const struct rr_args *a)
{
    const long n = (long)a->n_operands;
    if (n < c->least) return rr_fail(RR_EUSAGE, "something is missing: rackrate %s %s", c->name, c->usage);
    if (c->most >= 0 && n > c->most)
        return rr_fail(RR_EUSAGE, "\"%s\" is one word too many: rackrate %s %s", a->operand[c->most], c->name, c->usage);
    return RR_OK;
}

enum rr_status rr_args_parse(const struct rr_command *c, int n, char *const *word, struct rr_arena *a, struct rr_args *ret)
{
    struct parser p = {.command = c, .arena = a, .n = n, .word = word, .ret = ret};
    p.operand = RR_NEWS(a, const char *, (size_t)n + 1);
    p.value = RR_NEWS(a, const char **, c->n_options + 1);
    for (size_t i = 0; i < c->n_options; i++) p.value[i] = RR_NEWS(a, const char *, (size_t)n + 1);
    *ret = (struct rr_args){.operand = p.operand, .value = (const char *const **)p.value, .arena = a};
    ret->n_values = RR_NEWS(a, size_t, c->n_options + 1);

    bool options = true;
    while (p.at < n) {
        const char *w = word[p.at++];
        if (options && strcmp(w, "--") == 0)
            options = false;
        else if (options && strncmp(w, "--", 2) == 0)
            RR_TRY(parse_long(&p, w));
        else if (options && w[0] == '-' && w[1] != '\0')
            RR_TRY(parse_short(&p, w));
        else
            p.operand[ret->n_operands++] = w;
    }
    return check_operands(c, ret);
}

size_t rr_option_index(const struct rr_command *c, const char *name)
{
    size_t i = 0;
    while (i < c->n_options && strcmp(c->options[i].name, name) != 0) i++;
    return i;
}

const char *rr_arg(const struct rr_command *c, const struct rr_args *a, const char *name, const char *otherwise)
{
    const size_t i = rr_option_index(c, name);
    return i < c->n_options && a->n_values[i] > 0 ? a->value[i][a->n_values[i] - 1] : otherwise;
}

bool rr_arg_given(const struct rr_command *c, const struct rr_args *a, const char *name)
{
    const size_t i = rr_option_index(c, name);
    return i < c->n_options && a->n_values[i] > 0;
}

enum rr_status rr_arg_whole(const struct rr_command *c, const struct rr_args *a, const char *name, int64_t least, int64_t otherwise,
                            int64_t *ret)
{
    const char *text = rr_arg(c, a, name, NULL);
    *ret = otherwise;
    if (!text) return RR_OK;
    if (rr_text_i64(rr_slice(text, strlen(text)), ret) != RR_OK || *ret < least)
        return rr_fail(RR_EUSAGE, "--%s wants a whole number of at least %" PRId64 ", not \"%s\"", name, least, text);
    return RR_OK;
}
