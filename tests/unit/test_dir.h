/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_dir.h - a directory of a test's own, whole files, and writes that fail. */
#ifndef RR_TESTS_TEST_DIR_H
#define RR_TESTS_TEST_DIR_H
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char test_dir[64];
static int test_dir_rm(const char *path, const struct stat *st, int kind, struct FTW *f)
{
    (void)st, (void)kind, (void)f;
    return remove(path);
}
static inline int test_dir_make(void **state)
{
    (void)state;
    strcpy(test_dir, "/tmp/rr-test-XXXXXX");
    return mkdtemp(test_dir) ? 0 : -1;
}
static inline int test_dir_remove(void **state)
{
    (void)state;
    return nftw(test_dir, test_dir_rm, 16, FTW_DEPTH | FTW_PHYS);
}
/* A path in it; the last few stay valid. */
static inline const char *in_dir(const char *name)
{
    static char path[8][512];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", test_dir, name);
    return path[next];
}
/* The whole file, NUL-terminated, to free(); NULL when there is none. */
static inline char *file_text(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    size_t size = 0, got;
    do {
        text = realloc(text, size + 65537);
        got = fread(text + size, 1, 65536, f);
        size += got;
    } while (got > 0);
    fclose(f);
    text[size] = '\0';
    if (n) *n = size;
    return text;
}
static inline int files_in(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d) closedir(d);
    return n;
}
/* From here on no file of this process may grow past `bytes` (EFBIG stands for a full disk); RLIM_INFINITY ends it. */
static inline void limit_files(rlim_t bytes)
{
    struct rlimit l;
    getrlimit(RLIMIT_FSIZE, &l);
    l.rlim_cur = bytes;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &l);
}
#endif
