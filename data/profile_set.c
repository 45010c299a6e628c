/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/profile_set.c - profiles by name, and the references that they are compared with. */
#include "data/profile_set.h"
#include "data/base/input.h"
#include "data/facts_table.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define C(name, type, field, needed)                                     \
    {                                                                    \
        name, type, offsetof(struct rr_profile_reference, field), needed \
    }
static const struct rr_facts_column columns[] = {
    C("of", RR_FACTS_TEXT, of, true),        C("what", RR_FACTS_TEXT, what, true),  C("profile", RR_FACTS_TEXT, profile, false),
    C("value", RR_FACTS_REAL, value, false), C("unit", RR_FACTS_TEXT, unit, false),
};
static const struct rr_facts_table table = RR_FACTS_TABLE("profile_references.csv", columns, rr_profile_reference);

#define NAMES 200

static enum rr_status unknown(const char *data_dir, const char *name, struct rr_arena *a)
{
    const char *word[NAMES];
    size_t n = 0;
    DIR *d = opendir(rr_strf(a, "%s/profiles", data_dir));
    for (struct dirent *e; d && n < NAMES && (e = readdir(d)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && strcmp(dot, ".json") == 0) word[n++] = rr_strndup(a, e->d_name, (size_t)(dot - e->d_name));
    }
    if (d) closedir(d);
    return rr_fail(RR_EINPUT, "%s: no such file, and no shipped profile (rackrate list profiles)%s", name,
                   rr_did_you_mean(a, name, word, n));
}

enum rr_status rr_profile_find(const char *data_dir, const char *name, struct rr_arena *a, struct rr_profile *ret)
{
    if (access(name, F_OK) != 0 && !strchr(name, '/')) {
        const char *shipped = rr_strf(a, "%s/profiles/%s%s", data_dir, name, strstr(name, ".json") ? "" : ".json");
        if (access(shipped, F_OK) == 0) return rr_profile_read(shipped, a, ret);
        return unknown(data_dir, name, a);
    }
    return rr_profile_read(name, a, ret);
}

static enum rr_status read_reference(const char *data_dir, struct rr_arena *a, struct rr_profile_reference *r)
{
    static const char *const words[] = {"gemm", "gemm8", "memory", "launch", "links", "network"};
    bool known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) known |= strcmp(words[i], r->what) == 0;
    if (!known) return rr_fail(RR_EINPUT, "%s:%lld: unknown quantity \"%s\"", r->fact.path, (long long)r->fact.line, r->what);
    if (r->profile && *r->profile == '\0') r->profile = NULL;
    if ((r->profile != NULL) == (r->value > 0))
        return rr_fail(RR_EINPUT, "%s:%lld: either a profile or a value is expected", r->fact.path, (long long)r->fact.line);
    if (!r->profile) return RR_OK;
    struct rr_profile *p = RR_NEW(a, struct rr_profile);
    const enum rr_status st = rr_profile_find(data_dir, r->profile, a, p);
    if (st != RR_OK) return rr_fail_in(st, "%s:%lld", r->fact.path, (long long)r->fact.line);
    r->measured = p;
    return RR_OK;
}

static bool is_shipped(const char *data_dir, const char *path)
{
    const size_t n = strlen(data_dir);
    return strncmp(path, data_dir, n) == 0 && strncmp(path + n, "/profiles/", 10) == 0;
}

enum rr_status rr_profile_set_read(const char *data_dir, const char *const *name, size_t n, struct rr_arena *a, struct rr_profile_set *ret)
{
    struct rr_profile *p = RR_NEWS(a, struct rr_profile, n + 1);
    struct rr_profile_reference *r = NULL;
    const char **sha256 = RR_NEWS(a, const char *, n + 1), **input = RR_NEWS(a, const char *, n + 1);
    *ret = (struct rr_profile_set){.at = p, .n = n, .sha256 = sha256, .input = input};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            if (strcmp(name[i], name[k]) == 0) return rr_fail(RR_EINPUT, "profile %s is named twice", name[i]);
        char hex[65];
        RR_TRY(rr_profile_find(data_dir, name[i], a, &p[i]));
        RR_TRY(rr_file_sha256(p[i].path, hex));
        sha256[i] = rr_strdup(a, hex);
        input[i] = is_shipped(data_dir, p[i].path) ? rr_strf(a, "profile %s", p[i].name) : p[i].path;
    }
    if (n == 0) return RR_OK;
    RR_TRY(rr_facts_read(data_dir, &table, a, &r, &ret->n_references));
    for (size_t i = 0; i < ret->n_references; i++) RR_TRY(read_reference(data_dir, a, &r[i]));
    ret->reference = r;
    return RR_OK;
}

const struct rr_profile_reference *rr_profile_reference_of(const struct rr_profile_set *s, const char *framework, const char *family,
                                                           const char *what)
{
    const struct rr_profile_reference *best = NULL;
    const size_t n = strlen(framework);
    int most = 0;
    for (size_t i = 0; i < s->n_references; i++) {
        const struct rr_profile_reference *r = &s->reference[i];
        const bool own = strncmp(r->of, framework, n) == 0 && r->of[n] == '/' && strcmp(r->of + n + 1, family) == 0;
        const int fits = strcmp(r->what, what) != 0 ? 0 : own ? 3 : strcmp(r->of, family) == 0 ? 2 : strcmp(r->of, "any") == 0;
        if (fits > most) most = fits, best = r;
    }
    return best;
}
