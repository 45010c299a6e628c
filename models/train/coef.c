/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/coef.c - coefficients by framework and family. */
#include "models/train/coef.h"
#include <stdlib.h>
#include <string.h>

const struct rr_coef_info rr_coef_info[RR_COEF_N] = {
#define X(id, name, unit, def, least, most, help) {name, unit, def, least, most, help},
    RR_COEF_TABLE(X)
#undef X
};

void rr_coefs_default(struct rr_coefs *ret)
{
    for (int i = 0; i < RR_COEF_N; i++) ret->v[i] = rr_coef_info[i].otherwise;
    ret->profile = "";
}

static int coef_index(const char *name)
{
    for (int i = 0; i < RR_COEF_N; i++)
        if (strcmp(rr_coef_info[i].name, name) == 0) return i;
    return -1;
}

static enum rr_status check(const struct rr_coef_row *r, int at)
{
    if (at < 0) return rr_fail(RR_EINPUT, "%s:%lld: unknown coefficient \"%s\"", r->fact.path, (long long)r->fact.line, r->coefficient);
    const struct rr_coef_info *i = &rr_coef_info[at];
    if (r->value < i->least || r->value > i->most)
        return rr_fail(RR_EINPUT, "%s:%lld: %s of %g is outside %g .. %g %s", r->fact.path, (long long)r->fact.line, r->coefficient,
                       r->value, i->least, i->most, i->unit);
    if (strcmp(r->unit, i->unit) != 0)
        return rr_fail(RR_EINPUT, "%s:%lld: the unit of %s is \"%s\", not \"%s\"", r->fact.path, (long long)r->fact.line, r->coefficient,
                       i->unit, r->unit);
    return RR_OK;
}

/* Takes the rows of `profile`; false when it has none. */
static enum rr_status take(const struct rr_train_facts *f, const char *profile, struct rr_coefs *ret, bool *found)
{
    *found = false;
    for (size_t i = 0; i < f->n_coefs; i++) {
        const struct rr_coef_row *r = &f->coef[i];
        if (strcmp(r->profile, profile) != 0) continue;
        const int at = coef_index(r->coefficient);
        RR_TRY(check(r, at));
        ret->v[at] = r->value;
        ret->profile = r->profile;
        *found = true;
    }
    return RR_OK;
}

static bool has_framework(const struct rr_train_facts *f, const char *framework)
{
    const size_t n = strlen(framework);
    for (size_t i = 0; i < f->n_coefs; i++)
        if (strncmp(f->coef[i].profile, framework, n) == 0 && f->coef[i].profile[n] == '/') return true;
    return false;
}

/* Another profile of the framework: its coefficients are shares of peaks, so they carry over to another GPU better than another framework's. */
static const char *relative(const struct rr_train_facts *f, const char *framework)
{
    const size_t n = strlen(framework);
    for (size_t i = 0; i < f->n_coefs; i++)
        if (strncmp(f->coef[i].profile, framework, n) == 0 && f->coef[i].profile[n] == '/') return f->coef[i].profile;
    return NULL;
}

enum rr_status rr_coefs_find(const struct rr_train_facts *f, struct rr_arena *a, const char *framework, const char *family,
                             struct rr_coefs *ret, const char **note)
{
    bool found;
    rr_coefs_default(ret);
    *note = "";
    if (!has_framework(f, framework)) {
        const char *words[64];
        size_t n = 0;
        for (size_t i = 0; i < f->n_coefs && n < 64; i++) {
            const char *p = f->coef[i].profile, *word = rr_strndup(a, p, strcspn(p, "/"));
            if (n == 0 || strcmp(words[n - 1], word) != 0) words[n++] = word;
        }
        return rr_fail(RR_EINPUT, "no coefficients for the framework \"%s\"%s", framework, rr_did_you_mean(a, framework, words, n));
    }
    RR_TRY(take(f, rr_strf(a, "%s/any", framework), ret, &found));
    RR_TRY(take(f, rr_strf(a, "%s/%s", framework, family), ret, &found));
    if (found) return RR_OK;
    const char *near = relative(f, framework);
    RR_TRY(take(f, near, ret, &found));
    *note = rr_strf(a, "no coefficients for %s on %s: those of %s are used", framework, family, near);
    return RR_OK;
}

long rr_coefs_runs(const struct rr_train_facts *f, const char *framework, const char *family)
{
    const size_t n = strlen(framework);
    long most = 0;
    for (size_t i = 0; i < f->n_coefs; i++) {
        const char *p = f->coef[i].profile, *over = strstr(f->coef[i].fact.source, " over ");
        if (!over || strncmp(p, framework, n) != 0 || p[n] != '/' || strcmp(p + n + 1, family) != 0) continue;
        const long runs = strtol(over + 6, NULL, 10);
        if (runs > most) most = runs;
    }
    return most;
}

static long fewest_runs(const struct rr_train_facts *f, const char *framework, const char *const *family, size_t n)
{
    long least = rr_coefs_runs(f, framework, family[0]);
    for (size_t i = 1; i < n; i++) {
        const long runs = rr_coefs_runs(f, framework, family[i]);
        if (runs < least) least = runs;
    }
    return least;
}

const char *rr_coefs_usual(const struct rr_train_facts *f, const struct rr_arch *arch, const char *const *family, size_t n)
{
    static const char *const word[] = {"nemo", "mcore", "bridge", "megatron", "fsdp", "torchtitan", "mlperf", "nanotron"};
    enum { EVERY_WAY = 4, ALL = sizeof word / sizeof *word };
    if (arch->encoder) return "mlperf-bert";
    if (arch->lora_rank) return "mlperf-lora";
    for (int alone = 0; alone < 2; alone++)
        for (size_t from = 0; from < ALL; from += EVERY_WAY) {
            const char *best = NULL;
            long most = 0;
            for (size_t i = from; i < from + EVERY_WAY; i++) {
                const long runs = fewest_runs(f, word[i], family, alone ? 1 : n);
                if (runs > most) most = runs, best = word[i];
            }
            if (best) return best;
        }
    return "nemo";
}
