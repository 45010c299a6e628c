/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/depreciation.c - yearly formulas. */
#include "models/finance/depreciation.h"
#include "data/base/fmath.h"
#include <assert.h>
#include <math.h>

double rr_straight_line(double price, double salvage, double life)
{
    assert(life > 0);
    return (price - salvage) / life;
}

double rr_sum_of_years(double price, double salvage, int life, int year)
{
    assert(life >= 1);
    if (year < 1 || year > life) return 0;
    return (price - salvage) * (life - year + 1) * 2 / ((double)life * (life + 1));
}

double rr_fixed_declining(double price, double salvage, int life, int year, int months)
{
    assert(life >= 1 && 0 < salvage && salvage <= price && 1 <= months && months <= 12);
    const double rate = round((1 - rr_pow(salvage / price, 1.0 / life)) * 1000) / 1000;
    if (year < 1 || year > life + (months < 12)) return 0;
    double amount = price * rate * months / 12, sum = 0;
    for (int k = 1; k < year; k++) {
        sum += amount;
        amount = (price - sum) * rate;
    }
    return year > life ? amount * (12 - months) / 12 : amount;
}

double rr_declining(double price, double salvage, int life, int year, double factor, bool to_line)
{
    assert(life >= 1 && factor > 0 && 0 <= salvage && salvage <= price);
    if (year < 1 || year > life) return 0;
    const double rate = fmin(factor / life, 1);
    double book = price, amount = 0;
    for (int k = 1; k <= year; k++) {
        book -= amount;
        amount = fmin(book * rate, book - salvage);
        if (to_line) amount = fmax(amount, (book - salvage) / (life - k + 1));
    }
    return amount;
}

/* Hundredths of a percent: IRS Publication 946 (2024), table A-1. */
static const short table[][8] = {
    {3333, 4445, 1481, 741},
    {2000, 3200, 1920, 1152, 1152, 576},
    {1429, 2449, 1749, 1249, 893, 892, 893, 446},
};

double rr_macrs(int life, int year)
{
    assert(life == 3 || life == 5 || life == 7);
    if (year < 1 || year > life + 1) return 0;
    const short *of_life = table[(life - 3) / 2];
    return of_life[year - 1] / 1e4;
}

double rr_macrs_exact(int life, int year)
{
    assert(life == 3 || life == 5 || life == 7);
    if (year < 1 || year > life + 1) return 0;
    const double rate = 2.0 / life;
    double book = 1, amount = rate / 2;
    for (int k = 2; k <= year; k++) {
        book -= amount;
        const double left = life - k + 1.5; // years of life at the start of tax year k
        amount = fmax(book * rate, book / fmax(left, 1));
    }
    return amount;
}
