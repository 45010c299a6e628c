/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/where.c - reads and evaluates expressions over jobs: a tree, by recursive descent.
 *
 *     or: and ("or" and)*    and: not ("and" not)*    not: "not" not | "(" or ")" | FIELD COMPARISON VALUE */
#include "data/where.h"
#include <math.h>
#include <string.h>

#define MOST_DEPTH 64 // of parentheses and "not"
#define MOST_TEXT  65536

enum op { OP_AND, OP_OR, OP_NOT, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };
enum field { F_GPUS, F_NODES, F_CPUS, F_ESTIMATE_H, F_PRIORITY, F_USER, F_ACCOUNT, F_CLASS };
static const char *const fields[] = {"gpus", "nodes", "cpus", "estimate_h", "priority", "user", "account", "class"};
#define N_FIELDS (sizeof fields / sizeof *fields)

struct rr_where {
    enum op op;
    enum field field;
    double number;
    const char *text;
    const struct rr_where *a, *b; /* of `and` and `or`; a alone of `not` */
};
enum kind { K_END, K_WORD, K_NUMBER, K_TEXT, K_OPEN, K_CLOSE, K_COMPARE };
struct token {
    enum kind kind;
    struct rr_slice at;
    enum op op;
    double number;
    const char *text;
};
struct parser {
    const char *start, *next;
    struct rr_arena *arena;
    struct token token; /* looked at, not taken */
    int depth;
};

// --- words ---

static enum rr_status wrong_at(const struct parser *p, const char *at, const char *what)
{
    return rr_fail(RR_EINPUT, "column %ld: %s", (long)(at - p->start) + 1, what);
}

static enum rr_status read_text(struct parser *p)
{
    const char quote = *p->next, *s = p->next + 1;
    char *out = rr_alloc(p->arena, strlen(s) + 1, 1);
    size_t n = 0;
    for (; *s && *s != quote; s++) {
        if (*s == '\\' && (s[1] == '"' || s[1] == '\'' || s[1] == '\\')) s++;
        out[n++] = *s;
    }
    if (!*s) return wrong_at(p, p->next, "this text has no closing quote");
    p->token = (struct token){.kind = K_TEXT, .at = rr_slice(p->next, (size_t)(s + 1 - p->next)), .text = out};
    return RR_OK;
}

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static enum rr_status read_number(struct parser *p)
{
    size_t n = *p->next == '-';
    while (is_word(p->next[n]) || p->next[n] == '.' || ((p->next[n] == '-' || p->next[n] == '+') && (p->next[n - 1] | 32) == 'e')) n++;
    const struct rr_slice at = rr_slice(p->next, n);
    double v;
    if (rr_text_double(at, &v) != RR_OK) return wrong_at(p, p->next, "this is no number; units are not written here");
    p->token = (struct token){.kind = K_NUMBER, .at = at, .number = v};
    return RR_OK;
}

static bool read_mark(struct parser *p)
{
    static const struct {
        const char *text;
        enum kind kind;
        enum op op;
    } marks[] = {{"==", K_COMPARE, OP_EQ}, {"!=", K_COMPARE, OP_NE}, {"<=", K_COMPARE, OP_LE}, {">=", K_COMPARE, OP_GE},
                 {"<", K_COMPARE, OP_LT},  {">", K_COMPARE, OP_GT},  {"(", K_OPEN, OP_AND},    {")", K_CLOSE, OP_AND}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t n = strlen(marks[i].text);
        if (strncmp(p->next, marks[i].text, n) != 0) continue;
        p->token = (struct token){.kind = marks[i].kind, .at = rr_slice(p->next, n), .op = marks[i].op};
        return true;
    }
    return false;
}

// Look at the next token.
static enum rr_status look(struct parser *p)
{
    while (*p->next == ' ' || *p->next == '\t' || *p->next == '\n' || *p->next == '\r') p->next++;
    const char c = *p->next;
    if (c == '\0') {
        p->token = (struct token){.kind = K_END, .at = rr_slice(p->next, 0)};
        return RR_OK;
    }
    if (c == '"' || c == '\'') return read_text(p);
    if (c == '-' || c == '.' || (c >= '0' && c <= '9')) return read_number(p);
    if (read_mark(p)) return RR_OK;
    if (c == '=') return wrong_at(p, p->next, "\"=\" compares nothing; write \"==\"");
    if (!is_word(c))
        return wrong_at(p, p->next,
                        c == '&' || c == '|' || c == '!' ? "write \"and\", \"or\" or \"not\"" : "this character has no meaning here");
    size_t n = 1;
    while (is_word(p->next[n])) n++;
    p->token = (struct token){.kind = K_WORD, .at = rr_slice(p->next, n)};
    return RR_OK;
}

static enum rr_status take(struct parser *p)
{
    p->next = p->token.at.at + p->token.at.n;
    return look(p);
}

static bool at_word(const struct parser *p, const char *word) { return p->token.kind == K_WORD && rr_slice_is(p->token.at, word); }

// --- expressions ---

static enum rr_status read_or(struct parser *p, const struct rr_where **ret);

static enum rr_status find_field(const struct parser *p, enum field *ret)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (rr_slice_is(p->token.at, fields[i])) {
            *ret = (enum field)i;
            return RR_OK;
        }
    struct rr_buf b = {0};
    const char *word = rr_strndup(p->arena, p->token.at.at, p->token.at.n < 64 ? p->token.at.n : 64),
               *near = rr_nearest(word, fields, N_FIELDS);
    for (size_t i = 0; i < N_FIELDS; i++) rr_buf_putf(&b, "%s%s", i ? ", " : "", fields[i]);
    const enum rr_status st = near ? rr_fail(RR_EINPUT, "column %ld: \"%s\" is no field of a job; did you mean \"%s\"?",
                                             (long)(p->token.at.at - p->start) + 1, word, near)
                                   : rr_fail(RR_EINPUT, "column %ld: \"%s\" is no field of a job; known: %s",
                                             (long)(p->token.at.at - p->start) + 1, word, rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

static enum rr_status read_comparison(struct parser *p, const struct rr_where **ret)
{
    struct rr_where *w = RR_NEW(p->arena, struct rr_where);
    if (p->token.kind != K_WORD) return wrong_at(p, p->token.at.at, "a field of a job is expected, such as gpus >= 8");
    RR_TRY(find_field(p, &w->field));
    RR_TRY(take(p));
    if (p->token.kind != K_COMPARE) return wrong_at(p, p->token.at.at, "a comparison is expected: == != < <= > >=");
    const bool text = w->field >= F_USER;
    w->op = p->token.op;
    if (text && w->op != OP_EQ && w->op != OP_NE) return wrong_at(p, p->token.at.at, "texts are compared by == and != alone");
    RR_TRY(take(p));
    if (p->token.kind != (text ? K_TEXT : K_NUMBER))
        return wrong_at(p, p->token.at.at, text ? "a text in quotes is expected, such as \"alice\"" : "a number is expected");
    w->number = p->token.number;
    w->text = p->token.text;
    *ret = w;
    return take(p);
}

static enum rr_status read_inner(struct parser *p, const struct rr_where **ret)
{
    if (p->token.kind == K_OPEN) {
        const char *open = p->token.at.at;
        RR_TRY(take(p));
        RR_TRY(read_or(p, ret));
        if (p->token.kind == K_END) return wrong_at(p, open, "this parenthesis is never closed");
        if (p->token.kind != K_CLOSE) return wrong_at(p, p->token.at.at, "\"and\", \"or\" or \")\" is expected");
        return take(p);
    }
    if (!at_word(p, "not")) return read_comparison(p, ret);
    struct rr_where *w = RR_NEW(p->arena, struct rr_where);
    w->op = OP_NOT;
    RR_TRY(take(p));
    *ret = w;
    if (++p->depth > MOST_DEPTH) return wrong_at(p, p->token.at.at, "too many levels");
    RR_TRY(read_inner(p, &w->a));
    p->depth--;
    return RR_OK;
}

static enum rr_status read_not(struct parser *p, const struct rr_where **ret)
{
    if (++p->depth > MOST_DEPTH) return wrong_at(p, p->token.at.at, "too many levels");
    RR_TRY(read_inner(p, ret));
    p->depth--;
    return RR_OK;
}

static enum rr_status read_chain(struct parser *p, enum op op, const char *word,
                                 enum rr_status (*part)(struct parser *, const struct rr_where **), const struct rr_where **ret)
{
    RR_TRY(part(p, ret));
    while (at_word(p, word)) {
        struct rr_where *w = RR_NEW(p->arena, struct rr_where);
        *w = (struct rr_where){.op = op, .a = *ret};
        RR_TRY(take(p));
        RR_TRY(part(p, &w->b));
        *ret = w;
    }
    return RR_OK;
}

static enum rr_status read_and(struct parser *p, const struct rr_where **ret) { return read_chain(p, OP_AND, "and", read_not, ret); }
static enum rr_status read_or(struct parser *p, const struct rr_where **ret) { return read_chain(p, OP_OR, "or", read_and, ret); }

enum rr_status rr_where_parse(const char *text, struct rr_arena *a, const struct rr_where **ret)
{
    struct parser p = {.start = text, .next = text, .arena = a};
    const struct rr_where *w = NULL;
    if (strlen(text) > MOST_TEXT) return wrong_at(&p, text + MOST_TEXT, "the expression is too long");
    RR_TRY(look(&p));
    if (p.token.kind == K_END) return wrong_at(&p, p.token.at.at, "an expression is expected, such as gpus >= 64");
    RR_TRY(read_or(&p, &w));
    if (p.token.kind == K_CLOSE) return wrong_at(&p, p.token.at.at, "this parenthesis was never opened");
    if (p.token.kind != K_END) return wrong_at(&p, p.token.at.at, "\"and\" or \"or\" is expected");
    *ret = w;
    return RR_OK;
}

// --- evaluation ---

static double number_of(enum field f, const struct rr_trace *t, size_t j)
{
    switch (f) {
    case F_GPUS: return t->gpus_milli[j] / 1000.0;
    case F_NODES: return t->nodes ? t->nodes[j] : 0;
    case F_CPUS: return t->cpus_milli ? t->cpus_milli[j] / 1000.0 : 0;
    case F_PRIORITY: return t->priority ? t->priority[j] : 0;
    default: break;
    }
    const int64_t us = t->estimate_us && t->estimate_us[j] >= 0 ? t->estimate_us[j] : t->run_us[j]; // no estimate: the run time
    return us == RR_NEVER ? HUGE_VAL : (double)us / (double)RR_H;
}

static const char *text_of(enum field f, const struct rr_trace *t, size_t j)
{
    switch (f) {
    case F_USER: return t->user_id && t->n_users ? t->user_name[t->user_id[j]] : "";
    case F_ACCOUNT: return t->account_id && t->n_accounts ? t->account_name[t->account_id[j]] : "";
    default: return t->n_classes ? t->class_name[t->class_id ? t->class_id[j] : 0] : "";
    }
}

static bool compare(enum op op, double a, double b)
{
    switch (op) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    default: return a >= b;
    }
}

bool rr_where_holds(const struct rr_where *w, const struct rr_trace *t, size_t job)
{
    switch (w->op) {
    case OP_AND: return rr_where_holds(w->a, t, job) && rr_where_holds(w->b, t, job);
    case OP_OR: return rr_where_holds(w->a, t, job) || rr_where_holds(w->b, t, job);
    case OP_NOT: return !rr_where_holds(w->a, t, job);
    default: break;
    }
    if (w->field < F_USER) return compare(w->op, number_of(w->field, t, job), w->number);
    return (strcmp(text_of(w->field, t, job), w->text) == 0) == (w->op == OP_EQ);
}
