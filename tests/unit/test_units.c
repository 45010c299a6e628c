/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_units.c - quantities as people write them, and what is refused with which advice. */
#include "data/base/time.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <string.h>

#include <cmocka.h>

static struct rr_slice slice(const char *s) { return rr_slice(s, strlen(s)); }

/* The reason names `advice` and ends without a period. */
static void check_refused(enum rr_status st, const char *text, const char *advice)
{
    if (st != RR_EINPUT) fail_msg("\"%s\" was taken", text);
    if (!strstr(rr_reason(), advice)) fail_msg("\"%s\": %s, without \"%s\"", text, rr_reason(), advice);
    assert_true(rr_reason()[strlen(rr_reason()) - 1] != '.');
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t months, us;
    } good[] = {{"5 min", 0, 5 * RR_MIN},
                {"5min", 0, 5 * RR_MIN},
                {" 5  min ", 0, 5 * RR_MIN},
                {"36 months", 36, 0},
                {"1 month", 1, 0},
                {"3 years", 36, 0},
                {"1.5 years", 18, 0},
                {"1 h 30 min", 0, 90 * RR_MIN},
                {"1h30min", 0, 90 * RR_MIN},
                {"1 year 6 months 2 d", 18, 2 * RR_D},
                {"2.385 s", 0, 2385000},
                {"0.1 h", 0, 6 * RR_MIN},
                {"250 ms", 0, 250000},
                {"7 us", 0, 7},
                {"7 µs", 0, 7},
                {"2 weeks", 0, 14 * RR_D},
                {"1e3 s", 0, 1000 * RR_S},
                {"0 s", 0, 0},
                {"1 day 1 hour 1 minute 1 second", 0, RR_D + RR_H + RR_MIN + RR_S}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct rr_duration d = {-7, -7};
        if (rr_unit_duration(slice(good[i].text), &d) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(d.months, good[i].months);
        assert_int_equal(d.us, good[i].us);
        int64_t us = -7;
        assert_int_equal(rr_unit_time(slice(good[i].text), &us), good[i].months ? RR_EINPUT : RR_OK);
        assert_int_equal(us, good[i].months ? -7 : good[i].us);
    }
}

static void refused_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text, *advice;
    } bad[] = {{"5 m", "\"5 min\" or \"5 months\""},
               {"5", "no unit"},
               {"", "\"36 months\""},
               {"min", "a number and a unit"},
               {"-5 min", "negative"},
               {"5 Min", "did you mean min?"},
               {"80 GiB", "a size where a duration is wanted"},
               {"1.5 months", "whole number of months"},
               {"30 min 1 h", "the larger unit first"},
               {"1 h 1 h", "each once"},
               {"1,5 h", "comma"},
               {"0.1 us", "microsecond"},
               {"1e300 h", "too"},
               {"9223372036854775807 us 1 h", "the larger unit first"},
               {"106751991 d 100 h", "too long"},
               {"5 fortnights", "not a duration"},
               {"1 h 30", "no unit"},
               {"2 hrs", "\"2 h\""},
               {"1.2.3 s", "not a number"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rr_duration d = {-7, -7};
        check_refused(rr_unit_duration(slice(bad[i].text), &d), bad[i].text, bad[i].advice);
        assert_true(d.months == -7 && d.us == -7);
    }
    int64_t us;
    check_refused(rr_unit_time(slice("3 years"), &us), "3 years", "no fixed length");
    check_refused(rr_unit_time(slice("12"), &us), "12", "\"5 min\"");
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"80 GiB", INT64_C(80) << 30},
                {"80 GB", INT64_C(80000000000)},
                {"1.5 TiB", INT64_C(3) << 39},
                {"24 kB", 24000},
                {"24 KiB", 24576},
                {"7 B", 7},
                {"2 PB", INT64_C(2000000000000000)},
                {"0 B", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t v = -7;
        if (rr_unit_bytes(slice(good[i].text), &v) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(v, good[i].bytes);
    }
    int64_t v = -7;
    check_refused(rr_unit_bytes(slice("80 G"), &v), "80 G", "\"80 GB\" or \"80 GiB\"");
    check_refused(rr_unit_bytes(slice("80 Gb"), &v), "80 Gb", "bits where a size is wanted");
    check_refused(rr_unit_bytes(slice("80 KB"), &v), "80 KB", "\"80 kB\" or \"80 KiB\"");
    check_refused(rr_unit_bytes(slice("80 gib"), &v), "80 gib", "did you mean GiB?");
    check_refused(rr_unit_bytes(slice("80"), &v), "80", "no unit");
    check_refused(rr_unit_bytes(slice("80 GB/s"), &v), "80 GB/s", "bandwidth where a size is wanted");
    check_refused(rr_unit_bytes(slice("80 GiB 5"), &v), "80 GiB 5", "goes on");
    check_refused(rr_unit_bytes(slice("9e9 PiB"), &v), "9e9 PiB", "too large");
    check_refused(rr_unit_bytes(slice("0.2 B"), &v), "0.2 B", "less than a byte");
    assert_int_equal(v, -7);
}

#define PHYSICAL(read, text, want)                               \
    do {                                                         \
        double v_ = -7;                                          \
        if (read(slice(text), &v_)) fail_msg("%s", rr_reason()); \
        assert_true(v_ == (want));                               \
    } while (0)
#define REFUSED(read, text, advice)                          \
    do {                                                     \
        double v_ = -7;                                      \
        check_refused(read(slice(text), &v_), text, advice); \
        assert_true(v_ == -7);                               \
    } while (0)

static void physical_quantities(void **state)
{
    (void)state;
    PHYSICAL(rr_unit_bandwidth, "400 Gb/s", 50e9);
    PHYSICAL(rr_unit_bandwidth, "3.35 TB/s", 3.35e12);
    PHYSICAL(rr_unit_bandwidth, "1 GiB/s", 1073741824.0);
    PHYSICAL(rr_unit_bandwidth, "10 kb/s", 1250.0);
    REFUSED(rr_unit_bandwidth, "400 Gb", "bits where a bandwidth is wanted, such as \"400 Gb/s\"");
    REFUSED(rr_unit_bandwidth, "400 Gbps", "\"400 Gb/s\" or \"400 GB/s\"");
    REFUSED(rr_unit_bandwidth, "400", "no unit");
    REFUSED(rr_unit_bandwidth, "400 GB", "a size where a bandwidth");
    PHYSICAL(rr_unit_flops, "989 TFLOP/s", 989e12);
    PHYSICAL(rr_unit_flops, "1.979 PFLOP/s", 1.979e15);
    REFUSED(rr_unit_flops, "989 TFLOPS", "\"989 TFLOP/s\"");
    PHYSICAL(rr_unit_power, "10.2 kW", 10200);
    PHYSICAL(rr_unit_power, "700 W", 700);
    PHYSICAL(rr_unit_power, "2 MW", 2e6);
    REFUSED(rr_unit_power, "2 mW", "\"2 MW\" or \"2 W\"");
    REFUSED(rr_unit_power, "2 kw", "did you mean kW?");
    REFUSED(rr_unit_power, "2 kWh", "an energy where a power");
    PHYSICAL(rr_unit_energy, "5 kWh", 18e6);
    PHYSICAL(rr_unit_energy, "3 Wh", 10800);
    PHYSICAL(rr_unit_energy, "7 J", 7);
    REFUSED(rr_unit_energy, "5 kW", "a power where an energy");
    PHYSICAL(rr_unit_frequency, "0.5/s", 0.5);
    PHYSICAL(rr_unit_frequency, "30/min", 0.5);
    PHYSICAL(rr_unit_frequency, "120 /h", 120.0 / 3600);
    PHYSICAL(rr_unit_frequency, "5000/day", 5000.0 / 86400);
    REFUSED(rr_unit_frequency, "0.5", "such as \"0.5/s\"");
    REFUSED(rr_unit_frequency, "3/m", "\"3/min\"");
    REFUSED(rr_unit_frequency, "3/month", "not a frequency");
    REFUSED(rr_unit_power, "-2 kW", "negative");
    REFUSED(rr_unit_power, "1e308 MW", "too large");
}

static void shares(void **state)
{
    (void)state;
    PHYSICAL(rr_unit_share, "30 %", 0.3);
    PHYSICAL(rr_unit_share, "2.5%", 0.025);
    PHYSICAL(rr_unit_share, "0.3", 0.3);
    PHYSICAL(rr_unit_share, "100 %", 1);
    PHYSICAL(rr_unit_ratio, "130 %", 1.3);
    REFUSED(rr_unit_share, "130 %", "from 0 to 1");
    REFUSED(rr_unit_share, "30", "from 0 to 1");
    REFUSED(rr_unit_share, "-0.1", "negative");
    REFUSED(rr_unit_share, "%", "\"30 %\" or \"0.3\"");
    REFUSED(rr_unit_share, "30 percent", "not a share");
}

static void amounts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t micro;
        const char *currency;
    } good[] = {{"$400,000", INT64_C(400000000000), "USD"},
                {"$1.2M", INT64_C(1200000000000), "USD"},
                {"$1,234,567.891", INT64_C(1234567891000), "USD"},
                {"¥12.5", 12500000, "CNY"},
                {"￥12.5", 12500000, "CNY"},
                {"EUR 3.20", 3200000, "EUR"},
                {"3.20 EUR", 3200000, "EUR"},
                {"EUR3.20", 3200000, "EUR"},
                {"€3.20", 3200000, "EUR"},
                {"-$5", -5000000, "USD"},
                {"$-5", -5000000, "USD"},
                {"$45k", INT64_C(45000000000), "USD"},
                {"$2B", INT64_C(2000000000000000), "USD"},
                {"45k USD", INT64_C(45000000000), "USD"},
                {"$0.000001", 1, "USD"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct rr_money m = {-7};
        char currency[4] = "";
        if (rr_unit_money(slice(good[i].text), &m, currency) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(m.micro, good[i].micro);
        assert_string_equal(currency, good[i].currency);
    }
    static const struct {
        const char *text, *advice;
    } bad[] = {{"400000", "no currency: write \"$400000\""},
               {"", "not an amount"},
               {"$", "not an amount"},
               {"$5/h", "a rate where an amount is wanted"},
               {"$1,23", "groups of three"},
               {"$1,2345", "groups of three"},
               {"$1234,567", "groups of three"},
               {"$,123", "groups of three"},
               {"$1.5,000", "groups of three"},
               {"$0.0000001", "finer"},
               {"$9e300", "too"},
               {"$5 or so", "goes on"},
               {"$5 G", "goes on"},
               {"usd 5", "not an amount"},
               {"5 dollars", "no currency"},
               {"free", "not an amount"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rr_money m = {-7};
        char currency[4] = "xy";
        check_refused(rr_unit_money(slice(bad[i].text), &m, currency), bad[i].text, bad[i].advice);
        assert_int_equal(m.micro, -7);
        assert_string_equal(currency, "xy");
    }
}

static void rates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nano;
        enum rr_per per;
        enum rr_per_time time;
        const char *currency, *back;
    } good[] = {{"$2.10/gpu/h", 2100000000, RR_PER_GPU, RR_HOUR, "USD", "$2.10/gpu/h"},
                {"¥8/h", 8000000000, RR_PER_NODE, RR_HOUR, "CNY", "¥8.00/h"},
                {"$0.08/kWh", 80000000, RR_PER_KWH, RR_EVER, "USD", "$0.08/kWh"},
                {"$200/kW/month", 200000000000, RR_PER_KW, RR_MONTH, "USD", "$200.00/kW/month"},
                {"$45,000/year", 45000000000000, RR_PER_ONCE, RR_YEAR, "USD", "$45,000.00/year"},
                {"EUR 3.20/h", 3200000000, RR_PER_NODE, RR_HOUR, "EUR", "EUR 3.20/h"},
                {"3.20 EUR/h", 3200000000, RR_PER_NODE, RR_HOUR, "EUR", "EUR 3.20/h"},
                {"$0.000097/gpu/s", 97000, RR_PER_GPU, RR_SECOND, "USD", "$0.000097/gpu/s"},
                {"$5/node/month", 5000000000, RR_PER_NODE, RR_MONTH, "USD", "$5.00/node/month"},
                {"$0.023/GB/month", 23000000, RR_PER_GB, RR_MONTH, "USD", "$0.023/GB/month"},
                {"$0.09/GB", 90000000, RR_PER_GB, RR_EVER, "USD", "$0.09/GB"},
                {"$150k/person/year", 150000000000000, RR_PER_PERSON, RR_YEAR, "USD", "$150,000.00/person/year"},
                {"$1,500 / rack / month", 1500000000000, RR_PER_RACK, RR_MONTH, "USD", "$1,500.00/rack/month"},
                {"$0.6/Mtoken", 600000000, RR_PER_MTOKEN, RR_EVER, "USD", "$0.60/Mtoken"},
                {"$0.0000002/call", 200, RR_PER_CALL, RR_EVER, "USD", "$0.0000002/call"},
                {"-$0.01/kWh", -10000000, RR_PER_KWH, RR_EVER, "USD", "-$0.01/kWh"},
                {"$0.01/min", 10000000, RR_PER_NODE, RR_MINUTE, "USD", "$0.01/min"},
                {"$3/day", 3000000000, RR_PER_ONCE, RR_DAY, "USD", "$3.00/day"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct rr_rate r;
        char currency[4];
        if (rr_unit_rate(slice(good[i].text), &r, currency) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(r.nano, good[i].nano);
        assert_int_equal(r.per, good[i].per);
        assert_int_equal(r.time, good[i].time);
        assert_string_equal(currency, good[i].currency);
        struct rr_buf b = {0};
        rr_buf_rate(&b, r, currency);
        assert_string_equal(rr_buf_text(&b), good[i].back);
        rr_buf_done(&b);
    }
    static const struct {
        const char *text, *advice;
    } bad[] = {{"$2.10", "\"$2.10/h\" (a node) or \"$2.10/gpu/h\""},
               {"2.10/h", "no currency"},
               {"$2/h/gpu", "\"$2.10/gpu/h\""},
               {"$2/gpu/node/h", "each once"},
               {"$2/GPU/h", "did you mean /gpu?"},
               {"$2/m", "/min or /month"},
               {"$2/gpu-hour", "no unit /gpu-hour"},
               {"$2/", "no unit"},
               {"$2 per hour", "no unit"},
               {"$0.0000000001/h", "finer"},
               {"$99999999999/h", "too large"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rr_rate r = {.nano = -7};
        char currency[4] = "xy";
        check_refused(rr_unit_rate(slice(bad[i].text), &r, currency), bad[i].text, bad[i].advice);
        assert_int_equal(r.nano, -7);
        assert_string_equal(currency, "xy");
    }
}

static void check_text(struct rr_buf *b, const char *want)
{
    assert_string_equal(rr_buf_text(b), want);
    rr_buf_done(b);
}

static void quantities_are_printed(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    static const struct {
        int64_t us;
        const char *exact, *brief;
    } times[] = {{0, "0 s", "0 s"},
                 {51 * RR_H, "2 d 3 h", "2.1 d"},
                 {9500 * RR_MS, "9 s 500 ms", "9.5 s"},
                 {90 * RR_MIN, "1 h 30 min", "1.5 h"},
                 {15121 * RR_S, "4 h 12 min 1 s", "4.2 h"},
                 {7, "7 us", "7 us"},
                 {-90 * RR_S, "-1 min 30 s", "-1.5 min"},
                 {400 * RR_D, "400 d", "400 d"},
                 {RR_S + 7, "1 s 7 us", "1 s"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        rr_buf_time(&b, times[i].us);
        check_text(&b, times[i].exact);
        rr_buf_time_short(&b, times[i].us);
        check_text(&b, times[i].brief);
        int64_t back;
        if (times[i].us >= 0) {
            assert_int_equal(rr_unit_time(slice(times[i].exact), &back), RR_OK);
            assert_int_equal(back, times[i].us);
        }
    }
    rr_buf_duration(&b, (struct rr_duration){36, 0});
    check_text(&b, "3 years");
    rr_buf_duration(&b, (struct rr_duration){1, 0});
    check_text(&b, "1 month");
    rr_buf_duration(&b, (struct rr_duration){18, RR_D});
    check_text(&b, "18 months 1 d");
    rr_buf_duration(&b, (struct rr_duration){0, 0});
    check_text(&b, "0 s");
    static const struct {
        int64_t bytes;
        const char *text;
    } sizes_[] = {{INT64_C(80) << 30, "80 GiB"}, {80000000000, "80 GB"}, {0, "0 B"}, {1023, "1023 B"}, {1536, "1536 B"},
                  {INT64_C(3) << 50, "3 PiB"}};
    for (size_t i = 0; i < sizeof sizes_ / sizeof *sizes_; i++) {
        int64_t back = -1;
        rr_buf_bytes(&b, sizes_[i].bytes);
        check_text(&b, sizes_[i].text);
        assert_int_equal(rr_unit_bytes(slice(sizes_[i].text), &back), RR_OK);
        assert_int_equal(back, sizes_[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations), cmocka_unit_test(refused_durations), cmocka_unit_test(sizes), cmocka_unit_test(physical_quantities),
        cmocka_unit_test(shares),    cmocka_unit_test(amounts),           cmocka_unit_test(rates), cmocka_unit_test(quantities_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
