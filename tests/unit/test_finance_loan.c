/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_loan.c - loan and lease schedules add up to the micro-unit. */
#include "tests/unit/finance_case.h"
#include "models/finance/loan.h"
#include <stdlib.h>

#define MOST 360
static struct rr_loan_row row[MOST];
static struct rr_money tail;

/* Every row follows from the one before, and the whole comes out exactly. Returns the first payment. */
static int64_t adds_up(const struct rr_loan *l)
{
    int64_t owed = l->principal.micro, interest = 0, paid = 0;
    assert_int_equal(rr_loan_schedule(l, row, &tail), RR_OK);
    for (int i = 0; i < l->n; i++) {
        const struct rr_loan_row *r = &row[i];
        const long double exact = i == 0 && l->when == RR_ADVANCE ? 0 : (long double)owed * (long double)l->rate;
        assert_true(fabsl((long double)r->interest.micro - exact) <= 0.51L);
        assert_int_equal(r->payment.micro, r->interest.micro + r->principal.micro);
        owed -= r->principal.micro;
        assert_int_equal(r->balance.micro, owed);
        if (i + 1 < l->n) assert_int_equal(r->payment.micro, row[0].payment.micro);
        assert_true(llabs(r->payment.micro - row[0].payment.micro) <= l->n); // the last one takes up half a micro-unit a period
        interest += r->interest.micro;
        paid += r->payment.micro;
    }
    assert_int_equal(owed, l->residual.micro - tail.micro);
    assert_int_equal(paid + l->residual.micro, l->principal.micro + interest + tail.micro);
    return row[0].payment.micro;
}

static void leases_of_reference(void **state)
{
    (void)state;
    struct rr_loan l = {.principal = {100000000000}, .rate = 0.08 / 12, .n = 36};
    assert_int_equal(adds_up(&l), 3133636546); // 3133.636546143113
    assert_int_equal(tail.micro, 0);
    l.residual.micro = 20000000000;
    assert_int_equal(adds_up(&l), 2640242570); // 2640.2425702478236
    assert_int_equal(row[0].interest.micro, 666666667);
    l.when = RR_ADVANCE;
    assert_int_equal(adds_up(&l), 2622757520); // 2622.757520113732
    assert_int_equal(row[0].interest.micro, 0);
    assert_int_equal(tail.micro, 132450331); // 20,000 x (1 - 1 / (1 + 0.08 / 12))
}

static void interest_only_and_without_interest(void **state)
{
    (void)state;
    struct rr_loan l = {.principal = {1000000}, .rate = 0, .n = 3};
    assert_int_equal(adds_up(&l), 333333);
    assert_int_equal(row[2].payment.micro, 333334);
    l = (struct rr_loan){.principal = {7000000001}, .residual = {7000000001}, .rate = 0.0123, .n = 5};
    assert_int_equal(adds_up(&l), 86100000);
    l = (struct rr_loan){.principal = {0}, .rate = 0.05, .n = 2};
    assert_int_equal(adds_up(&l), 0);
}

static void every_loan_adds_up(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252; // xorshift
    for (int k = 0; k < 2000; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        struct rr_loan l = {.principal = {(int64_t)(x % 4000000000000)}, .n = 1 + (int)(x >> 20) % MOST};
        l.n = l.n < 1 ? 1 : l.n;
        l.rate = (double)(x >> 40) / (1 << 24) / 20;
        l.residual.micro = (int64_t)((double)l.principal.micro * (double)(x % 97) / 97);
        l.when = x & 1 ? RR_ADVANCE : RR_ARREARS;
        /* Rounding grows with the balance it is owed on. */
        if (pow(1 + l.rate, l.n) > 1.5) l.rate = 0.4 / l.n;
        adds_up(&l);
    }
}

static void refused(const char *why, struct rr_loan l)
{
    assert_int_equal(rr_loan_schedule(&l, row, &tail), RR_EINPUT);
    assert_string_equal(rr_reason(), why);
}

static void terms_out_of_range(void **state)
{
    (void)state;
    refused("a loan needs at least one payment, not 0", (struct rr_loan){.principal = {5}});
    refused("a loan's rate of -0.01 per period is not within 0 and 1", (struct rr_loan){.principal = {5}, .n = 2, .rate = -0.01});
    refused("a loan's rate of nan per period is not within 0 and 1", (struct rr_loan){.principal = {5}, .n = 2, .rate = NAN});
    refused("a loan's principal is negative", (struct rr_loan){.principal = {-5}, .n = 2});
    refused("a loan's residual is not within 0 and its principal", (struct rr_loan){.principal = {5}, .residual = {6}, .n = 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases_of_reference),
        cmocka_unit_test(interest_only_and_without_interest),
        cmocka_unit_test(every_loan_adds_up),
        cmocka_unit_test(terms_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
