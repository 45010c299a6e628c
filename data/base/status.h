/* SPDX-License-Identifier: MIT
 * data/base/status.h - what went wrong, in one line.
 *
 * Three kinds of trouble, three answers: a bug is an assert; what the world did wrong is an rr_status
 * with one line of reason; out of memory ends the program in arena.c. Below sim/cli nothing prints or
 * exits. The reason is kept per thread until the next rr_fail() on it. */
#ifndef RR_BASE_STATUS_H
#define RR_BASE_STATUS_H
#include <stdarg.h>

/* The values are the exit codes of DESIGN.md section 6. */
enum rr_status {
    RR_OK = 0,
    RR_EGATE = 1,      /* a gate of the scenario failed */
    RR_EUSAGE = 2,     /* the command line is wrong */
    RR_EINPUT = 3,     /* a file, a scenario or a value is wrong */
    RR_EIO = 4,        /* could not read or write */
    RR_EMISSING = 5,   /* a needed part (gnuplot, a CUDA device) is missing */
    RR_EINTERNAL = 70, /* a law is broken: a bug of ours */
};

#define RR_CHECKED      __attribute__((warn_unused_result))
#define RR_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Set this thread's reason (one line, control characters made visible, at most RR_REASON_MAX - 1 bytes) and return
 * `st`, so that `return rr_fail(RR_EINPUT, "price %s is negative", cell);` is one line. `st` != RR_OK. */
enum rr_status rr_fail(enum rr_status st, const char *fmt, ...) RR_PRINTF(2, 3);

/* Put "context: " before the reason that is already there: rr_fail_in(st, "%s:%d", path, line). Returns `st`. */
enum rr_status rr_fail_in(enum rr_status st, const char *fmt, ...) RR_PRINTF(2, 3);

/* This thread's last reason; "" when nothing failed yet. Valid until the next rr_fail/rr_fail_in on this thread. */
const char *rr_reason(void);

/* Of several exit codes, the one that DESIGN.md lets win: the first of 70 4 3 2 1 5, then 0. */
int rr_status_worse(int a, int b);

#define RR_REASON_MAX 2048
#define RR_TRY(call)                                \
    do {                                            \
        const enum rr_status rr_try_st_ = (call);   \
        if (rr_try_st_ != RR_OK) return rr_try_st_; \
    } while (0)
/* The same with something to undo: needs `enum rr_status st` in scope and a label `out`. */
#define RR_GO(call)                \
    do {                           \
        st = (call);               \
        if (st != RR_OK) goto out; \
    } while (0)
#endif
