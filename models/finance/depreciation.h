/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/depreciation.h - how a price is written off: the yearly formulas of spreadsheets and the tax office, and exact money by month.
 *
 * Years count from 1. Formulas: SLN, SYD, DB, DDB and VDB as in spreadsheets; MACRS: IRS Publication 946, appendix A, table A-1 (200 %
 * declining balance, switch to straight line, half a year in the first and the last tax year). */
#ifndef RR_MODELS_FINANCE_DEPRECIATION_H
#define RR_MODELS_FINANCE_DEPRECIATION_H
#include "data/base/arena.h"
#include "data/base/money.h"
#include "data/base/time.h"
#include <stdbool.h>

/* One year's amount, currency units; 0 outside of the life. life in years, >= 1; 0 <= salvage <= price. */
double rr_straight_line(double price, double salvage, double life);
double rr_sum_of_years(double price, double salvage, int life, int year);
/* DB: a rate of 1 - (salvage / price)^(1 / life), rounded to 3 decimals as spreadsheets do, for `months` (1..12) of the first year; then
 * there is a year life + 1 with the 12 - months left. salvage > 0. */
double rr_fixed_declining(double price, double salvage, int life, int year, int months);
/* DDB: factor / life (2: double declining) of the book value, never below salvage; with `to_line`, from where that is more, the book value
 * in equal parts over the years left (VDB). */
double rr_declining(double price, double salvage, int life, int year, double factor, bool to_line);
/* Share of the price in tax year `year` for property of `life` = 3, 5 or 7 years, half-year convention: as the IRS prints it, and not
 * rounded. 0 outside of 1..life + 1. */
double rr_macrs(int life, int year);
double rr_macrs_exact(int life, int year);

enum rr_depreciation_kind {
    RR_WRITE_STRAIGHT,     /* by time, so that February gets less than March */
    RR_WRITE_DECLINING,    /* factor / life, switching to a straight line; factor 0 means 2 */
    RR_WRITE_SUM_OF_YEARS, /* life of whole years */
    RR_WRITE_MACRS,        /* life of 3, 5 or 7 years; salvage does not count: all of the price is written off, by tax years */
    RR_WRITE_AT_ONCE,      /* all on the first day (100 % bonus) */
};
/* When a first period that is no whole one begins. MACRS has its own half-year convention. */
enum rr_depreciation_from {
    RR_FROM_DAY,        /* in service: by time */
    RR_FROM_MONTH,      /* with the month it falls in, in full */
    RR_FROM_NEXT_MONTH, /* with the month after it (Chinese accounting and tax rules) */
};
struct rr_depreciation {
    enum rr_depreciation_kind kind;
    enum rr_depreciation_from from;
    struct rr_money price, salvage; /* 0 <= salvage <= price */
    struct rr_duration life;        /* > 0; by months, unless straight */
    int64_t in_service_us;
    double factor;    /* declining */
    double bonus;     /* share of price - salvage that is written off at once, the rest as `kind` has it; 0..1 */
    int fiscal_month; /* MACRS: first month of the tax year, 1..12; 0 means 1 */
};
/* Written off in (-inf, at_us): grows from 0 to price - salvage (MACRS: price), which it reaches exactly at rr_depreciation_end. Shares of a
 * month, a year or any cut are differences of it, so they add up to the micro-unit. Book value: price less this. Within a year of a life
 * the amount accrues evenly by time. Needs an anchored clock, but for straight lives without months. RR_EINPUT: terms out of range. */
RR_CHECKED enum rr_status rr_depreciation_upto(const struct rr_depreciation *d, const struct rr_clock *c, int64_t at_us,
                                               struct rr_money *ret);
RR_CHECKED enum rr_status rr_depreciation_end(const struct rr_depreciation *d, const struct rr_clock *c, int64_t *ret_us);

struct rr_month_amount {
    int64_t from_us, to_us; /* a calendar month, cut at both ends of the schedule */
    struct rr_money amount;
};
/* All months from the first to the last day of depreciation, in order; their amounts sum to rr_depreciation_upto(end). */
RR_CHECKED enum rr_status rr_depreciation_months(const struct rr_depreciation *d, const struct rr_clock *c, struct rr_arena *arena,
                                                 struct rr_month_amount **ret, size_t *n);
#endif
