/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/gpu_name.c - words of a GPU's name. */
#include "models/train/gpu_name.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 12
#define LONGEST    16

struct words {
    char at[MOST_WORDS][LONGEST];
    size_t n;
};

static bool digit(char c) { return c >= '0' && c <= '9'; }
static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static bool of_word(char c) { return digit(c) || (small(c) >= 'a' && small(c) <= 'z'); }

static bool number_of(const char *w, const char *unit)
{
    const size_t n = strspn(w, "0123456789");
    return n > 0 && strcmp(w + n, unit) == 0;
}

/* Says nothing of which machine it is. */
static bool empty(const char *w)
{
    static const char *const none[] = {"nvidia", "amd",    "instinct", "gpu", "tensor", "core",       "blackwell",
                                       "ultra",  "hopper", "ampere",   "hgx", "dgx",    "accelerator"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(w, none[i]) == 0) return true;
    return number_of(w, "w") || (strncmp(w, "hbm3", 4) == 0);
}

static void add(struct words *w, const char *from, size_t n)
{
    char *to = w->at[w->n];
    if (w->n == MOST_WORDS || n >= LONGEST) return;
    for (size_t i = 0; i < n; i++) to[i] = small(from[i]);
    to[n] = '\0';
    if (strncmp(to, "sxm", 3) == 0) to[3] = '\0'; // the generation of the socket
    if (strcmp(to, "gb") == 0 && w->n > 0 && number_of(w->at[w->n - 1], "") && strlen(w->at[w->n - 1]) + 3 < LONGEST)
        strcat(w->at[w->n - 1], "gb");
    else if (!empty(to))
        w->n++;
}

static int by_text(const void *x, const void *y) { return strcmp(x, y); }

static struct words words_of(const char *name, size_t n, bool memory)
{
    struct words w = {0};
    for (size_t i = 0; i < n;) {
        size_t k = 0;
        while (i + k < n && of_word(name[i + k])) k++;
        if (k > 0) add(&w, name + i, k);
        i += k ? k : 1;
    }
    for (size_t i = 0; !memory && i < w.n;)
        if (number_of(w.at[i], "gb"))
            memmove(w.at[i], w.at[i + 1], (--w.n - i) * LONGEST);
        else
            i++;
    qsort(w.at, w.n, LONGEST, by_text);
    return w;
}

static bool same(const struct words *x, const struct words *y)
{
    if (x->n != y->n || x->n == 0) return false;
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->at[i], y->at[i]) != 0) return false;
    return true;
}

static bool called(const struct rr_machine *m, const struct words *w)
{
    const struct words id = words_of(m->id, strlen(m->id), true);
    if (same(&id, w)) return true;
    for (const char *p = m->aliases; *p != '\0';) {
        const size_t n = strcspn(p, "|");
        const struct words alias = words_of(p, n, true);
        if (same(&alias, w)) return true;
        p += n + (p[n] == '|');
    }
    return false;
}

const struct rr_machine *rr_gpu_name_machine(const struct rr_train_facts *f, struct rr_arena *a, const char *name)
{
    const struct rr_machine *m = NULL;
    if (rr_train_facts_machine(f, a, name, &m) == RR_OK) return m;
    for (int memory = 1; memory >= 0; memory--) {
        const struct words w = words_of(name, strlen(name), memory != 0);
        size_t n = 0;
        for (size_t i = 0; i < f->n_machines; i++)
            if (called(&f->machine[i], &w)) m = &f->machine[i], n++;
        if (n == 1) return m;
        if (n > 1) return NULL;
    }
    return NULL;
}
