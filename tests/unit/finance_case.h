/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/finance_case.h - what the tests of models/finance share. */
#ifndef RR_TESTS_FINANCE_CASE_H
#define RR_TESTS_FINANCE_CASE_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LEN(a) (sizeof(a) / sizeof *(a))

/* Within `relative` of what is expected. */
#define NEAR(got, want, relative)                                                                                        \
    do {                                                                                                                 \
        const double got_ = (got), want_ = (want);                                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_))) fail_msg("%s is %.17g, %.17g expected", #got, got_, want_); \
    } while (0)
/* To the digits printed: within half a unit of the last decimal. */
#define DIGITS(got, want, decimals)                                                                                                \
    do {                                                                                                                           \
        const double got_ = (got), want_ = (want);                                                                                 \
        if (!(fabs(got_ - want_) <= 0.5000001 * pow(10, -(decimals)))) fail_msg("%s is %.17g, %.17g expected", #got, got_, want_); \
    } while (0)

#define MONEY(micro_) ((struct rr_money){micro_})
#endif
