/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bare.h - what a bare C loop needs for the same file: the yardstick that our readers are held against.
 *
 * Machines are noisy and differ, so the benches print ratios to this, taken in the same run. It checks nothing: a file with a quote, a
 * sign or an exponent in it comes out wrong. */
#ifndef RR_TESTS_BENCH_BARE_H
#define RR_TESTS_BENCH_BARE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double bare_now(void) // seconds of a clock that only runs forward
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct bare_jobs { // millionths of seconds, thousandths of GPUs
    size_t n, cap;
    int64_t *submit, *run;
    int32_t *gpus;
};

static inline void bare_done(struct bare_jobs *j)
{
    free(j->submit);
    free(j->run);
    free(j->gpus);
    *j = (struct bare_jobs){0};
}

/* One number up to the separator; *p moves behind it. */
static inline int64_t bare_number(const char **p, int digits)
{
    const char *s = *p;
    int64_t v = 0;
    while ((unsigned char)(*s - '0') < 10) v = v * 10 + (*s++ - '0');
    if (*s == '.')
        for (s++; (unsigned char)(*s - '0') < 10; digits--) v = v * 10 + (*s++ - '0');
    while (digits-- > 0) v *= 10;
    *p = s + 1;
    return v;
}

/* job_id,submit_s,duration_s,gpus behind a header line, into arrays; the file's blocks of a megabyte are cut at the last newline. */
static inline int bare_read(const char *path, struct bare_jobs *j)
{
    enum { BLOCK = 1 << 20 };
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    setvbuf(f, NULL, _IONBF, 0);
    char *buf = malloc(BLOCK + 1);
    size_t left = 0, got;
    int header = 1;
    while ((got = fread(buf + left, 1, BLOCK - left, f)) > 0) {
        const char *end = buf + left + got, *p = buf;
        while (end > buf && end[-1] != '\n') end--;
        if (header) p = (const char *)memchr(buf, '\n', BLOCK) + 1;
        header = 0;
        while (p < end) {
            if (j->n == j->cap) {
                j->cap = j->cap * 2 + 1024;
                j->submit = realloc(j->submit, j->cap * sizeof *j->submit);
                j->run = realloc(j->run, j->cap * sizeof *j->run);
                j->gpus = realloc(j->gpus, j->cap * sizeof *j->gpus);
            }
            (void)bare_number(&p, 0);
            j->submit[j->n] = bare_number(&p, 6);
            j->run[j->n] = bare_number(&p, 6);
            j->gpus[j->n++] = (int32_t)bare_number(&p, 3);
        }
        left = (size_t)(buf + left + got - end);
        memmove(buf, end, left);
    }
    free(buf);
    fclose(f);
    return 0;
}
#endif
