/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_owned_running.c - what owned machines cost while they run: tariffs, load curves, demand, room, people, inflation;
 * and what stands around them. */
#include "tests/unit/price_case.h"
#include <math.h>
#include <stdio.h>

#define USD  INT64_C(1000000)
#define BARE "\"price\": \"$0\", \"residual\": 0, \"life\": \"4 years\", \"maintenance\": 0"
#define ROOM "\"colocation\": \"$0/month\""
#define KW1  "\"max_power\": \"1 kW\", \"idle_power\": \"1 kW\", \"pue\": 1"

static struct price_case *world(const char *start, int64_t horizon_us, int64_t nodes, const char *params)
{
    struct price_case *x = case_new(start, horizon_us);
    struct rr_pool *pool = case_pool(x, NULL, "owned", params);
    pool->nodes_min = pool->nodes_max = nodes;
    return x;
}

static double kwh_at(const struct price_case *x, int64_t nano)
{
    double sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (x->charge.at[i].energy && x->charge.at[i].rate.nano == nano) sum += x->charge.at[i].quantity;
    return sum;
}

/* October 2026 in Berlin, by hand. In UTC the month is from 02:00 on Thursday the 1st to 01:00 on Sunday 1 November, local time; the clock
 * is set back on Sunday the 25th, which has 25 hours. Weekend: 8 days of 24, one of 25, 1 h of 1 November. Working days: 22 of 16 h by day,
 * 22 of 8 h by night less the first 2 h. */
#define BERLIN                                                                                  \
    "\"timezone\": \"Europe/Berlin\", \"tariff\": ["                                            \
    "{\"days\": \"Mon-Fri\", \"from\": \"06:00\", \"to\": \"22:00\", \"rate\": \"$0.21/kWh\"}," \
    "{\"days\": \"Sat,Sun\", \"rate\": \"$0.09/kWh\"}, {\"rate\": \"$0.05/kWh\"}]"

static void a_tariff_is_by_the_clock_on_the_wall(void **state)
{
    (void)state;
    struct price_case *x = world("2026-10-01", 31 * RR_D, 3, "{" BARE ", " KW1 ", " ROOM ", " BERLIN "}");
    case_bill(x);
    assert_true(kwh_at(x, 210000000) == 3 * 352);
    assert_true(kwh_at(x, 90000000) == 3 * (8 * 24 + 25 + 1));
    assert_true(kwh_at(x, 50000000) == 3 * (176 - 2));
    assert_int_equal(case_sum(x, "energy").billed, 3 * (352 * 210000 + 218 * 90000 + 174 * 50000));
    assert_true(fabs(rr_price_owned.energy_kwh(x->pool[0].plan_params, &x->billing, 0) - 3 * 744) < 1e-9);
    case_free(x);

    /* The long Sunday alone, and the short one of March (29th): 25 and 23 hours; 6 of them before 06:00 by the clock, 7 and 5 in truth. */
    const char *sundays =
        "{" BARE ", " KW1 ", " ROOM ", \"timezone\": \"Europe/Berlin\", \"tariff\": [{\"from\": \"06:00\", \"to\": \"22:00\","
        " \"rate\": \"$0.20/kWh\"}, {\"rate\": \"$0.05/kWh\"}]}";
    x = world("2026-10-24T22:00:00Z", 25 * RR_H, 1, sundays);
    case_bill(x);
    assert_true(kwh_at(x, 200000000) == 16 && kwh_at(x, 50000000) == 9);
    case_free(x);
    x = world("2026-03-28T23:00:00Z", 23 * RR_H, 1, sundays);
    case_bill(x);
    assert_true(kwh_at(x, 200000000) == 16 && kwh_at(x, 50000000) == 7);
    case_free(x);

    /* A season begins at midnight on the wall, half an hour into an hour of UTC: 30 min of 1 November at +05:30. */
    x = world("2026-10-31T18:00:00Z", RR_H, 1,
              "{" BARE ", " KW1 ", " ROOM
              ", \"timezone\": \"Asia/Kolkata\", \"tariff\": [{\"months\": \"Nov-Feb\", \"rate\": \"$0.5/kWh\"},"
              " {\"rate\": \"$0.1/kWh\"}]}");
    case_bill(x);
    assert_true(kwh_at(x, 500000000) == 0.5 && kwh_at(x, 100000000) == 0.5);
    case_free(x);
}

/* Two 8-GPU nodes, 4 kW at most, PUE 1.25: 6 h without work, 2 h at a quarter of all GPUs, 1 h at all of them. */
static void load_by_hour_sets_power_and_demand(void **state)
{
    (void)state;
    const char *curve =
        "\"max_power\": \"4 kW\", \"pue\": 1.25, \"load_curve\": {\"0 %\": \"30 %\", \"50 %\": \"80 %\", \"100 %\": \"100 %\"}";
    char text[900];
    snprintf(text, sizeof text, "{" BARE ", %s, " ROOM ", \"electricity\": \"$0.10/kWh\", \"demand_charge\": \"$15/kW/month\"}", curve);
    struct price_case *x = world("2026-02-01", 9 * RR_H, 2, text);
    rr_i128 used[9] = {0};
    const rr_i128 *const pools[] = {used};
    used[6] = used[7] = (rr_i128)4000 * RR_H;
    used[8] = (rr_i128)16000 * RR_H;
    case_lease(x, 0, 9 * RR_H);
    case_lease(x, 0, 9 * RR_H);
    case_bill(x);
    x->charge.n = 0;
    x->billing.used_hour = pools;
    x->billing.n_used_hours = 9;
    assert_int_equal(rr_bill(&x->billing, &x->sink), RR_OK);
    /* 2 x 4 kW x 1.25 = 10 kW: 3 kW idle, 5.5 at a quarter (30 % + 25 % of load x 1), 10 at all. */
    assert_true(fabs(case_sum(x, "energy").quantity - (6 * 3 + 2 * 5.5 + 10)) < 1e-9);
    assert_int_equal(case_sum(x, "energy").billed, 3900000);
    assert_true(llabs(case_sum(x, "demand").billed - 150 * USD * 9 / (28 * 24)) <= 1); // of 10 kW; 9 h of February
    assert_true(rr_price_owned.hours(x->pool[0].plan_params));
    case_free(x);
}

static void room_is_paid_by_power_or_rack(void **state)
{
    (void)state;
    struct price_case *x =
        world("2026-01-01", 31 * RR_D, 7,
              "{" BARE ", " KW1 ", \"colocation\": \"$1,100/rack/month\", \"includes_power\": true, \"nodes_per_rack\": 3}");
    case_bill(x);
    assert_int_equal(case_sum(x, "colocation").billed, 3300 * USD); // 3 racks for 7 nodes
    assert_int_equal(case_sum(x, "energy").n, 0);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "electricity"), 0);
    assert_true(rr_price_owned.energy_kwh(x->pool[0].plan_params, &x->billing, 0) == 7 * 744);
    case_free(x);

    x = world("2026-01-01", 31 * RR_D, 7,
              "{" BARE ", " KW1 ", \"colocation\": \"$200/kW/month\", \"includes_power\": false, \"committed_power\": \"10 kW\","
              " \"electricity\": \"$0/kWh\"}");
    case_bill(x);
    assert_int_equal(case_sum(x, "colocation").billed, 2000 * USD);
    case_free(x);

    x = world("2026-01-01", 31 * RR_D, 1,
              "{" BARE ", \"max_power\": \"1 kW\", \"idle_power\": \"1 kW\", \"cooling\": \"liquid\", " ROOM
              ", \"electricity\": \"$1/kWh\"}");
    x->s.finance.pue = 1.9;
    case_bill(x);
    assert_true(fabs(case_sum(x, "energy").quantity - 744 * 1.22) < 1e-9);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "pue is 1.22"), 1);
    case_free(x);
}

/* 3 % on staff and software alone, from each anniversary on: 1 July 2027, 2028. */
static void people_and_licences_come_in_steps_and_inflate(void **state)
{
    (void)state;
    struct price_case *x = world("2026-07-01", (365 + 366 + 31) * RR_D, 80,
                                 "{" BARE ", " KW1 ", " ROOM ", \"electricity\": \"$0/kWh\", \"staff\": \"$120,000/person/year\","
                                 " \"nodes_per_person\": 75, \"software\": \"$4,500/gpu/year\", \"inflation\": \"3 %\","
                                 " \"inflates\": \"staff, software\"}");
    case_bill(x);
    const double years = 1 + 1.03 + 1.03 * 1.03 / 12;
    assert_true(fabs((double)case_sum(x, "staff").billed / 1e6 - 2 * 120000 * years) < 1e-3);
    assert_true(fabs((double)case_sum(x, "software").billed / 1e6 - 80 * 8 * 4500 * years) < 1e-2);
    case_free(x);

    x = world("2026-01-01", 365 * RR_D, 2,
              "{\"price\": \"$300,000\", \"residual\": 0, \"life\": \"4 years\", \"maintenance\": \"2 %\", " KW1 ", " ROOM
              ", \"electricity\": \"$0/kWh\", \"insurance\": \"0.75 %\", \"bom\": {\"spares\": {\"share\": \"10 %\"}}}");
    case_bill(x);
    assert_int_equal(case_sum(x, "insurance").billed, 4950 * USD);
    assert_int_equal(case_sum(x, "maintenance").billed, 12000 * USD);
    case_free(x);
}

static int64_t capex(int64_t nodes, const char *bom)
{
    char text[1500];
    snprintf(text, sizeof text,
             "{\"price\": \"$100\", \"residual\": 0.5, \"life\": \"4 years\", \"maintenance\": 0, " KW1 ", " ROOM
             ", \"electricity\": \"$0/kWh\", %s}",
             bom);
    struct price_case *x = world("2026-01-01", RR_D, nodes, text);
    case_bill(x);
    const int64_t sum = case_sum(x, "depreciation").billed;
    case_free(x);
    return sum;
}

#define FABRIC "\"network\": {\"links_per_node\": 8, \"radix\": 64}"
static void what_stands_around_comes_in_whole_numbers(void **state)
{
    (void)state;
    /* 8 nodes fill one switch; the ninth needs 3 leaves of 32 down and 2 spines. */
    const char *switches = FABRIC ", \"bom\": {\"switches\": {\"price\": \"$1\", \"per\": \"switch\"}}";
    assert_int_equal(capex(8, switches), 801 * USD);
    assert_int_equal(capex(9, switches), (900 + 3 + 2) * USD);
    assert_int_equal(capex(128, switches), (12800 + 32 + 16) * USD);
    /* Links: of the nodes alone, then with 32 up from each leaf. */
    const char *links = FABRIC ", \"bom\": {\"optics\": {\"price\": \"$1\", \"per\": \"link\", \"count\": 2}}";
    assert_int_equal(capex(8, links), (800 + 128) * USD);
    assert_int_equal(capex(9, links), (900 + 2 * (72 + 96)) * USD);
    /* Published: 600-800 switches of 64 ports for 10,000 GPUs (infra-economics.com). 313 leaves, 313 spines, 157 in the core. */
    assert_int_equal(capex(1250, switches), (125000 + 783) * USD);
    /* Twice as much down as up: 42 down and 22 up. 72 links: 2 leaves, 44 up in one spine. */
    assert_int_equal(capex(9, "\"network\": {\"links_per_node\": 8, \"radix\": 64, \"oversubscription\": 2},"
                              " \"bom\": {\"switches\": {\"price\": \"$1\", \"per\": \"switch\"}}"),
                     (900 + 2 + 1) * USD);
    /* Racks of 3, a spare of 5 nodes begun, shares of all before in order: (700 + 30 + 20) x 1.1 x 1.03. */
    assert_int_equal(
        capex(7, "\"nodes_per_rack\": 3, \"bom\": {\"rack\": {\"price\": \"$10\", \"per\": \"rack\"},"
                 " \"spare\": {\"price\": \"$10\", \"of\": 5}, \"spares\": {\"share\": 0.1}, \"installation\": {\"share\": \"3 %\"}}"),
        849750000);

    struct price_case *x = world("2026-01-01", RR_D, 9, "{\"bom\": \"standard\", \"staff\": \"$0/year\"}");
    assert_int_equal(rr_catalog_hardware(&x->catalog, "hgx-h100-8", &x->pool[0].hardware), RR_OK);
    case_bill(x);
    /* 335,000 + 7,500 a node; 5 switches; 2 optics for each of 72 + 96 links; then 7 %, then 3 %. */
    const double all = (9 * 342500.0 + 5 * 35000 + 336 * 750) * 1.07 * 1.03;
    assert_true(fabs((double)case_sum(x, "depreciation").billed / 1e6 - all) < 1e-5);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "around 9 nodes: 9 x rack $67,500, 5 x switches $175,000, 336 x optics $252,000"), 1);
    case_free(x);
}

static void refuse(const char *params, const char *why)
{
    char text[900];
    snprintf(text, sizeof text, "{" BARE ", \"max_power\": \"1 kW\", %s}", params);
    struct price_case *x = world("2026-01-01", 400 * RR_D, 4, text);
    case_refused(x, why);
    case_free(x);
}

static void what_does_not_add_up_is_refused(void **state)
{
    (void)state;
    refuse("\"colocation\": \"$100/kW/month\"", "\"includes_power\" is missing");
    refuse("\"includes_power\": true", "give it");
    refuse("\"colocation\": \"$1/month\", \"includes_power\": true, \"electricity\": \"$0.1/kWh\"", "twice");
    refuse("\"colocation\": \"$1/rack/month\", \"includes_power\": true", "needs \"nodes_per_rack\"");
    refuse("\"colocation\": \"$1/kW/month\", \"includes_power\": true, \"committed_power\": \"3.9 kW\"", "below the 4 kW");
    refuse("\"cooling\": \"air\", \"pue\": 1.2", "\"cooling\" or \"pue\"");
    refuse("\"load_curve\": {\"0 %\": \"30 %\"}", "must go from");
    refuse("\"load_curve\": {\"50 %\": \"30 %\", \"0 %\": \"31 %\", \"100 %\": \"100 %\"}", "loads must ascend");
    refuse("\"load_curve\": {\"0 %\": \"$30\"}", "\"load_curve\": shares of max_power");
    refuse("\"load_curve\": {\"0 %\": \"1 %\", \"100 %\": \"100 %\"}, \"idle_power\": \"1 W\"", "not both");
    refuse("\"timezone\": \"UTC\"", "there is none");
    refuse("\"tariff\": [{\"rate\": \"$1/kWh\"}]", "needs the site's \"timezone\"");
    const char *gap = "\"timezone\": \"UTC\", \"tariff\": [{\"days\": \"Mon-Fri\", \"rate\": \"$1/kWh\"}]";
    refuse(gap, "no window holds on Sat at 00:00 in Jan");
    refuse("\"timezone\": \"UTC\", \"tariff\": [{\"months\": \"Jan-May\", \"rate\": \"$1/kWh\"}]",
           "no window holds on Mon at 00:00 in Jun");
    refuse("\"timezone\": \"UTC\", \"tariff\": [{\"to\": \"20:00\", \"rate\": \"$1/kWh\"}]", "no window holds on Mon at 20:00 in Jan");
    refuse("\"timezone\": \"UTC\", \"tariff\": [{\"months\": \"summer\", \"rate\": \"$1/kWh\"}]", "months are expected");
    refuse("\"timezone\": \"UTC\", \"tariff\": [{\"rate\": \"$1/h\"}]", "\"tariff\", window 1: \"rate\" must be per kWh");
    refuse("\"timezone\": \"UTC\", \"tariff\": [{\"from\": \"25:00\", \"rate\": \"$1/kWh\"}]", "a time of day is expected");
    refuse("\"demand_charge\": \"$1/kW/year\"", "per kW and month");
    refuse(ROOM ", \"staff\": \"$1/person/year\", \"people\": 1, \"nodes_per_person\": 4", "not both");
    refuse(ROOM ", \"software\": \"$1/kWh\"", "\"software\" must be");
    refuse(ROOM ", \"inflation\": \"3 %\"", "go together");
    refuse(ROOM ", \"inflation\": \"3 %\", \"inflates\": \"staff, beer\"", "\"beer\" is no such line");
    refuse("\"bom\": {\"rack\": {\"price\": \"$1\", \"per\": \"rack\"}}", "needs \"nodes_per_rack\"");
    refuse("\"bom\": {\"leaf\": {\"price\": \"$1\", \"per\": \"leaf\"}}", "needs \"network\"");
    refuse("\"bom\": {\"leaf\": {\"per\": \"node\"}}", "has a \"price\" or a \"share\"");
    refuse("\"bom\": {\"leaf\": {\"price\": \"$0\"}}", "is not above 0");
    refuse("\"bom\": {\"leaf\": {\"share\": 0.1, \"per\": \"pool\"}}", "it is not counted");
    refuse(FABRIC, "there is none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tariff_is_by_the_clock_on_the_wall),
        cmocka_unit_test(load_by_hour_sets_power_and_demand),
        cmocka_unit_test(room_is_paid_by_power_or_rack),
        cmocka_unit_test(people_and_licences_come_in_steps_and_inflate),
        cmocka_unit_test(what_stands_around_comes_in_whole_numbers),
        cmocka_unit_test(what_does_not_add_up_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
