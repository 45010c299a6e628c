/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_bill.c - every reader of bills, the check of FOCUS and the reader of demand on any bytes: rows that read back as they were
 * written, or one line of reason. */
#include "data/bill.h"
#include "data/demand.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum rr_status keep(void *ctx, const struct rr_bill_row *row)
{
    if (row->from_us >= row->to_us || !row->has_billed || !row->has_effective || !*row->text[RR_BILL_charge]) abort();
    rr_bill_put(ctx, row);
    return RR_OK;
}

static void one_line(enum rr_status st)
{
    if (st != RR_OK && (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))) abort();
}

static void to_file(int fd, const void *data, size_t n)
{
    if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 || write(fd, data, n) != (ssize_t)n) abort();
}

static const char *path_of(char text[64], int fd)
{
    snprintf(text, 64, "/proc/self/fd/%d", fd);
    return text;
}

static void read_again(const struct rr_buf *from, int fd, struct rr_arena *a, struct rr_buf *ret)
{
    char name[64];
    struct rr_bill_report report;
    const struct rr_bill_options opt = {.format = "rackrate"};
    const char *path = path_of(name, fd);
    to_file(fd, from->at, from->n);
    rr_bill_header(ret);
    if (rr_bill_read(&path, 1, &opt, a, keep, ret, &report) != RR_OK) abort();
}

/* What was written in our form reads again, and from then on to the same bytes: writing takes control characters out. */
static void again(const struct rr_buf *first, int fd, struct rr_arena *a)
{
    struct rr_buf second = {0}, third = {0};
    read_again(first, fd, a, &second);
    read_again(&second, fd, a, &third);
    if (third.n != second.n || memcmp(third.at, second.at, second.n) != 0) abort();
    rr_buf_done(&second);
    rr_buf_done(&third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char name[64];
    struct rr_arena *a = rr_arena_create();
    const int fd = memfd_create("bill", 0), copy = memfd_create("again", 0);
    if (fd < 0 || copy < 0) abort();
    to_file(fd, data, n);
    const char *path = path_of(name, fd);
    for (const struct rr_bill_format *const *f = rr_bill_formats; *f; f++) {
        struct rr_buf b = {0};
        struct rr_bill_report report;
        const struct rr_bill_options opt = {.format = (*f)->name, .max_rejected = 1};
        rr_bill_header(&b);
        const enum rr_status st = rr_bill_read(&path, 1, &opt, a, keep, &b, &report);
        one_line(st);
        if (st == RR_OK) again(&b, copy, a);
        rr_buf_done(&b);
    }
    struct rr_focus_report check;
    struct rr_demand demand;
    one_line(rr_focus_check(path, "1.2", a, &check));
    one_line(rr_demand_read(path, a, &demand));
    close(fd);
    close(copy);
    rr_arena_free(a);
    return 0;
}
