/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned.c - machines that are bought or leased: its rows, and the order of what it looks up and charges.
 *
 * A fixed number of nodes is bought at time 0, and again at the end of each life that the horizon reaches; the old ones are then sold.
 * Cash is the purchase (and the sale), effective cost what the books write off; what is not yet written off at the horizon is
 * value.terminal. All other lines are monthly, due at the month's end; a year is 12 of its months.
 *
 * owned_life.c purchase, depreciation, resale; owned_loan.c loans and leases; owned_bom.c what is bought around the machines; owned_energy.c
 * power (kwh.c: its price by hour); owned_month.c what is paid monthly. */
#include "models/price/owned.h"
#include <string.h>

static const char *const depreciations[] = {"straight_line", "declining", "sum_of_years", "macrs", "at_once", NULL};
static const char *const first_periods[] = {"day", "month", "next_month", NULL};
static const char *const ends[] = {"replace", "extend", "sell", NULL};
static const char *const boms[] = {"standard", NULL};
static const char *const coolings[] = {"air", "liquid", NULL};

#define FACTS "data/facts/plan_defaults.csv"
static const struct rr_param rows[] = {
    [RR_OWN_PRICE] = {.name = "price",
                      .type = RR_P_MONEY,
                      .offset = offsetof(struct rr_owned, price),
                      .unit = "per node",
                      .help = "purchase price; absent: the facts' price of the pool's hardware",
                      .source = "data/facts/hardware.csv"},
    [RR_OWN_LIFE] = {.name = "life",
                     .type = RR_P_DURATION,
                     .offset = offsetof(struct rr_owned, life),
                     .flags = RR_PF_DECIDES,
                     .unit = "",
                     .help = "useful life in the books; what happens then says \"at_end\"",
                     .source = FACTS},
    [RR_OWN_RESIDUAL] = {.name = "residual",
                         .type = RR_P_SHARE,
                         .offset = offsetof(struct rr_owned, residual),
                         .unit = "share of the price",
                         .least = 0,
                         .most = 1,
                         .help = "what the books leave at the end of the life; absent: \"resale\" at that age, then the facts' share",
                         .source = FACTS},
    [RR_OWN_IDLE] = {.name = "idle_power",
                     .type = RR_P_POWER,
                     .offset = offsetof(struct rr_owned, idle_w),
                     .unit = "W per node",
                     .least = 0,
                     .most = 1e7,
                     .help = "power of a node without work; absent: the facts, or their share of max_power",
                     .source = "data/facts/hardware.csv"},
    [RR_OWN_MAX] = {.name = "max_power",
                    .type = RR_P_POWER,
                    .offset = offsetof(struct rr_owned, max_w),
                    .unit = "W per node",
                    .least = 0,
                    .most = 1e7,
                    .help = "power of a node whose GPUs are all in use; absent: the facts",
                    .source = "data/facts/hardware.csv"},
    [RR_OWN_PUE] = {.name = "pue",
                    .type = RR_P_REAL,
                    .offset = offsetof(struct rr_owned, pue),
                    .unit = "",
                    .least = 1,
                    .most = 10,
                    .help = "energy of the whole site over that of the machines; absent: /finance/pue, then the facts",
                    .source = "/finance/pue, " FACTS},
    [RR_OWN_ELECTRICITY] = {.name = "electricity",
                            .type = RR_P_RATE,
                            .offset = offsetof(struct rr_owned, electricity),
                            .unit = "per kWh",
                            .most = 1e10,
                            .help = "price of energy; absent: /finance/electricity, then the facts",
                            .source = "/finance/electricity, " FACTS},
    [RR_OWN_COLOCATION] = {.name = "colocation",
                           .type = RR_P_RATE,
                           .offset = offsetof(struct rr_owned, colocation),
                           .unit = "per kW, rack, node or pool, and month",
                           .most = 1e10,
                           .help = "room, cooling and committed power (kW: of max_power); \"$0/kW/month\" when there is none to pay",
                           .source = FACTS},
    [RR_OWN_MAINTENANCE] = {.name = "maintenance",
                            .type = RR_P_SHARE,
                            .offset = offsetof(struct rr_owned, maintenance),
                            .unit = "share of the price per year",
                            .least = 0,
                            .most = 1,
                            .help = "support and spare parts",
                            .source = FACTS},
    [RR_OWN_STAFF] = {.name = "staff",
                      .type = RR_P_RATE,
                      .offset = offsetof(struct rr_owned, staff),
                      .unit = "per node, person or pool, and year",
                      .most = 1e10,
                      .help = "people who run the machines; public figures differ too much for a default, so none are counted when absent"},
    [RR_OWN_PEOPLE] = {.name = "people",
                       .type = RR_P_REAL,
                       .offset = offsetof(struct rr_owned, people),
                       .unit = "full-time posts for the pool",
                       .least = 0,
                       .most = 1e6,
                       .help = "how many people a \"staff\" rate per person pays for"},
    [RR_OWN_DEPRECIATION] = {.name = "depreciation",
                             .type = RR_P_WORD,
                             .offset = offsetof(struct rr_owned, depreciation),
                             .unit = "",
                             .def = "\"straight_line\"",
                             .words = depreciations,
                             .help =
                                 "how the books write the price off; macrs: classes of 3, 5 and 7 years by tax years, without a residual"},
    [RR_OWN_FACTOR] = {.name = "declining_factor",
                       .type = RR_P_REAL,
                       .offset = offsetof(struct rr_owned, factor),
                       .unit = "",
                       .def = "2",
                       .least = 0.01,
                       .most = 100,
                       .help = "of a declining balance: this over the life is its yearly rate; 2 is double declining"},
    [RR_OWN_BONUS] = {.name = "bonus",
                      .type = RR_P_SHARE,
                      .offset = offsetof(struct rr_owned, bonus),
                      .unit = "share of what is written off",
                      .def = "0",
                      .help = "written off at once on the first day, the rest as \"depreciation\" has it"},
    [RR_OWN_FIRST_PERIOD] = {.name = "first_period",
                             .type = RR_P_WORD,
                             .offset = offsetof(struct rr_owned, first_period),
                             .unit = "",
                             .def = "\"day\"",
                             .words = first_periods,
                             .help = "depreciation begins on the day in service, with its month, or with the next month"},
    [RR_OWN_RESALE] = {.name = "resale",
                       .type = RR_P_PRICES,
                       .offset = offsetof(struct rr_owned, resale),
                       .unit = "share of the price by age",
                       .help = "what machines of that age are sold for, such as {\"1 year\": \"65 %\", \"3 years\": \"27.5 %\"}: straight "
                               "from 100 % at purchase to each, and flat behind the last"},
    [RR_OWN_RESALE_CHANGE] = {.name = "resale_change_per_year",
                              .type = RR_P_CHANGE,
                              .offset = offsetof(struct rr_owned, resale_change),
                              .unit = "share a year",
                              .least = -0.99,
                              .most = 10,
                              .help = "instead of \"resale\": resale prices fall (\"-35 %\") or rise by so much a year of age"},
    [RR_OWN_PRICE_CHANGE] = {.name = "price_change_per_year",
                             .type = RR_P_CHANGE,
                             .offset = offsetof(struct rr_owned, price_change),
                             .unit = "share a year",
                             .least = -0.99,
                             .most = 10,
                             .help = "machines bought later cost less (\"-10 %\") or more, by the time since the scenario's start"},
    [RR_OWN_AT_END] =
        {.name = "at_end",
         .type = RR_P_WORD,
         .offset = offsetof(struct rr_owned, at_end),
         .flags = RR_PF_DECIDES,
         .unit = "",
         .def = "\"replace\"",
         .words = ends,
         .help = "at the end of the life: sold and bought anew (replace), kept in use without depreciation (extend), or sold (sell)"},
    [RR_OWN_EXTENDED] =
        {.name = "extended_life",
         .type = RR_P_DURATION,
         .offset = offsetof(struct rr_owned, extended),
         .unit = "",
         .help = "with \"at_end\": \"extend\": how long they are kept past their life, and then replaced; for good when absent"},
    [RR_OWN_EXTENDED_MAINTENANCE] = {.name = "extended_maintenance",
                                     .type = RR_P_SHARE,
                                     .offset = offsetof(struct rr_owned, extended_maintenance),
                                     .unit = "share of the price per year",
                                     .least = 0,
                                     .most = 1,
                                     .help = "maintenance of machines past their life, in place of \"maintenance\""},
    [RR_OWN_BOUGHT] = {.name = "bought",
                       .type = RR_P_DATE,
                       .offset = offsetof(struct rr_owned, bought_us),
                       .flags = RR_PF_DECIDES,
                       .unit = "UTC",
                       .help = "they are there already, since a date before the scenario's start: the price is sunk, and only written off"},
    [RR_OWN_LOAN] = {.name = "loan",
                     .type = RR_P_RECORD,
                     .offset = offsetof(struct rr_owned, loan),
                     .unit = "",
                     .of = &rr_owned_loan,
                     .help =
                         "pays for a share of each purchase, such as {\"share\": \"60 %\", \"rate\": \"9 %\", \"term\": \"36 months\"}"},
    [RR_OWN_LEASE] = {.name = "lease",
                      .type = RR_P_RECORD,
                      .offset = offsetof(struct rr_owned, lease),
                      .unit = "",
                      .of = &rr_owned_lease,
                      .help =
                          "the machines are leased and not bought: paid for over the term, then given back, such as {\"rate\": \"8 %\", "
                          "\"term\": \"36 months\", \"residual\": \"20 %\"}"},
    [RR_OWN_BOM] = {.name = "bom",
                    .type = RR_P_NAMED,
                    .offset = offsetof(struct rr_owned, bom),
                    .unit = "",
                    .words = boms,
                    .of = &rr_owned_bom_rows,
                    .help =
                        "what is bought around the machines, each in whole numbers, such as {\"leaf\": {\"price\": \"$35,000\", \"per\": "
                        "\"leaf\"}, \"spares\": {\"share\": \"7 %\"}}; \"standard\": the facts' list",
                    .source = FACTS},
    [RR_OWN_NETWORK] = {.name = "network",
                        .type = RR_P_RECORD,
                        .offset = offsetof(struct rr_owned, network),
                        .unit = "",
                        .of = &rr_owned_fabric_rows,
                        .help = "how switches and links of the \"bom\" are counted, such as {\"links_per_node\": 8, \"radix\": 64}"},
    [RR_OWN_RACK_NODES] = {.name = "nodes_per_rack",
                           .type = RR_P_INT,
                           .offset = offsetof(struct rr_owned, nodes_per_rack),
                           .unit = "nodes",
                           .least = 1,
                           .most = 1e6,
                           .help = "for racks of the \"bom\" and of \"colocation\"; absent: the pool's nodes_per_rack"},
    [RR_OWN_COOLING] = {.name = "cooling",
                        .type = RR_P_WORD,
                        .offset = offsetof(struct rr_owned, cooling),
                        .unit = "",
                        .words = coolings,
                        .help = "air or liquid: PUE from the facts, in place of \"pue\" and /finance/pue",
                        .source = FACTS},
    [RR_OWN_CURVE] = {.name = "load_curve",
                      .type = RR_P_PRICES,
                      .offset = offsetof(struct rr_owned, curve),
                      .unit = "share of max_power by load",
                      .help =
                          "in place of \"idle_power\": power by the share of GPUs in use, such as {\"0 %\": \"30 %\", \"50 %\": \"80 %\", "
                          "\"100 %\": \"100 %\"}, straight in between"},
    [RR_OWN_TARIFF] = {.name = "tariff",
                       .type = RR_P_LIST,
                       .offset = offsetof(struct rr_owned, tariff),
                       .unit = "per kWh",
                       .of = &rr_kwh_rows,
                       .help = "in place of \"electricity\": prices by hour, day and season, such as [{\"days\": \"Mon-Fri\", \"from\": "
                               "\"08:00\", \"to\": \"20:00\", \"rate\": \"$0.12/kWh\"}, {\"rate\": \"$0.06/kWh\"}]; the first that holds"},
    [RR_OWN_ZONE] = {.name = "timezone",
                     .type = RR_P_ZONE,
                     .offset = offsetof(struct rr_owned, zone),
                     .unit = "",
                     .help = "clock of the site, for \"tariff\""},
    [RR_OWN_DEMAND] = {.name = "demand_charge",
                       .type = RR_P_RATE,
                       .offset = offsetof(struct rr_owned, demand),
                       .unit = "per kW and month",
                       .most = 1e10,
                       .help = "for the hour with the highest mean power of each month"},
    [RR_OWN_INCLUDES] = {.name = "includes_power",
                         .type = RR_P_BOOL,
                         .offset = offsetof(struct rr_owned, includes_power),
                         .unit = "",
                         .help = "the colocation price includes the electricity; must be said where \"colocation\" is given"},
    [RR_OWN_COMMITTED] = {.name = "committed_power",
                          .type = RR_P_POWER,
                          .offset = offsetof(struct rr_owned, committed_w),
                          .unit = "W",
                          .least = 0,
                          .most = 1e10,
                          .help = "what \"colocation\" per kW is paid for; absent: max_power of the nodes in service"},
    [RR_OWN_PERSON_NODES] = {.name = "nodes_per_person",
                             .type = RR_P_INT,
                             .offset = offsetof(struct rr_owned, nodes_per_person),
                             .unit = "nodes",
                             .least = 1,
                             .most = 1e7,
                             .help = "one more person for each started so many nodes, in place of \"people\""},
    [RR_OWN_SOFTWARE] = {.name = "software",
                         .type = RR_P_RATE,
                         .offset = offsetof(struct rr_owned, software),
                         .unit = "per GPU, node or pool, and year or month",
                         .most = 1e10,
                         .help = "licences; none when absent"},
    [RR_OWN_INSURANCE] = {.name = "insurance",
                          .type = RR_P_SHARE,
                          .offset = offsetof(struct rr_owned, insurance),
                          .unit = "share of the purchase per year",
                          .def = "0",
                          .help = "of machines in service and what stands around them"},
    [RR_OWN_INFLATION] = {.name = "inflation",
                          .type = RR_P_CHANGE,
                          .offset = offsetof(struct rr_owned, inflation),
                          .unit = "share a year",
                          .least = -0.5,
                          .most = 1,
                          .help = "the prices of the lines named by \"inflates\" rise by it after each year from the start"},
    [RR_OWN_INFLATES] = {.name = "inflates",
                         .type = RR_P_TEXT,
                         .offset = offsetof(struct rr_owned, inflates),
                         .unit = "",
                         .help = "lines parted by commas: energy, demand, colocation, maintenance, staff, software, insurance"},
    [RR_OWN_STEPS] =
        {.name = "steps",
         .type = RR_P_LIST,
         .offset = offsetof(struct rr_owned, steps),
         .unit = "",
         .of = &rr_owned_step_rows,
         .flags = RR_PF_DECIDES,
         .help =
             "bought in steps, together the pool's nodes, such as [{\"nodes\": 4, \"order\": \"2026-01-01\", \"lead\": {\"triangular\": "
             "[\"8 weeks\", \"12 weeks\", \"30 weeks\"]}, \"burn_in\": \"7 days\"}]; absent: all are there at the start"},
    [RR_OWN_PAYMENTS] =
        {.name = "payments",
         .type = RR_P_PRICES,
         .offset = offsetof(struct rr_owned, payments),
         .unit = "share of the price",
         .help = "when machines of \"steps\" are paid, such as {\"order\": \"30 %\", \"delivery\": \"60 %\", \"acceptance\": \"10 %\"}; "
                 "absent: all at acceptance, after the burn-in"},
    [RR_OWN_BRIDGE] =
        {.name = "bridge",
         .type = RR_P_TEXT,
         .offset = offsetof(struct rr_owned, bridge),
         .unit = "",
         .flags = RR_PF_DECIDES,
         .help = "elastic pool that stands in, node for node, for machines of \"steps\" that are not there yet, and has none after"},
};

/* ---- at load ---- */

void rr_owned_assume(const struct rr_owned_load *l, const char *parameter, const char *value, const struct rr_fact *f, const char *remark)
{
    rr_note(l->notes, RR_NOTE_ASSUMED, rr_strf(l->arena, "%s/%s", l->pointer, parameter), rr_fact_text(l->arena, f), "%s is %s%s%s",
            parameter, value, *remark ? "; " : "", remark);
}

enum rr_status rr_owned_fallback(const struct rr_owned_load *l, const char *key, const char *parameter, struct rr_slice *ret)
{
    const struct rr_default *d = rr_catalog_default(l->catalog, "owned", key);
    if (d == NULL) return rr_fail(RR_EINPUT, "\"%s\" is not given, and the facts have no default for it", parameter);
    rr_owned_assume(l, parameter, d->value, &d->fact, d->fact.note);
    *ret = rr_slice(d->value, strlen(d->value));
    return RR_OK;
}

static enum rr_status take_price(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_hardware *h = l->pool->hardware;
    if (!rr_given(o, RR_OWN_PRICE)) {
        if (h == NULL || h->price.money.micro == 0)
            return rr_fail(RR_EINPUT, "no purchase price: give \"price\" per node, such as \"$335,000\"%s%s",
                           h ? "; the facts have none for " : "", h ? h->id : "");
        struct rr_buf b = {0};
        rr_buf_money(&b, h->price.money, h->price.currency, 2);
        rr_buf_putf(&b, " for one %s", h->id);
        rr_owned_assume(l, "price", rr_buf_text(&b), &h->fact, h->fact.note);
        rr_buf_done(&b);
        o->price = h->price;
    }
    if (o->price.money.micro < 0) return rr_fail(RR_EINPUT, "\"price\" is negative");
    return rr_scenario_money(l->s, o->price, &o->cost);
}

static enum rr_status owned_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                    const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct rr_owned *o = params;
    const struct rr_owned_load l = {s, pool, pointer, catalog, arena, notes};
    if (!s->clock.anchored)
        return rr_fail(RR_EINPUT, "owned machines need a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (pool->nodes_min != pool->nodes_max || pool->nodes_max < 0)
        return rr_fail(RR_EINPUT, "owned machines need a fixed number of nodes, such as \"nodes\": 8");
    o->nodes = pool->nodes_max;
    RR_TRY(take_price(o, &l));
    RR_TRY(rr_owned_take_steps(o, &l));
    o->rack_nodes = rr_given(o, RR_OWN_RACK_NODES) ? o->nodes_per_rack : pool->nodes_per_rack;
    RR_TRY(rr_owned_take_bom(o, &l));
    RR_TRY(rr_owned_take_loan(o, &l));
    RR_TRY(rr_owned_take_life(o, &l));
    RR_TRY(rr_owned_take_power(o, &l));
    RR_TRY(rr_owned_take_energy(o, &l));
    return rr_owned_take_months(o, &l);
}

/* ---- the bill ---- */

enum rr_status rr_owned_emit(const struct rr_owned_bill *x, struct rr_month_part part, const char *line, const char *unit, double quantity,
                             struct rr_rate rate, struct rr_money amount)
{
    struct rr_charge c = x->c;
    c.line = line;
    c.unit = unit;
    c.quantity = quantity;
    c.rate = rate;
    c.from_us = part.from_us;
    c.to_us = c.due_us = part.to_us;
    c.billed = c.effective = amount;
    return x->sink->emit(x->sink, &c);
}

static enum rr_status owned_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    struct rr_owned_bill x = {
        .o = params, .b = b, .sink = sink, .c = {.type = rr_price_owned.kind.name, .pool = (int)pool, .pricing = RR_PRICING_OTHER}};
    struct rr_month_part *part;
    size_t n;
    RR_TRY(rr_owned_lots(x.o, b->scenario, b->replication, b->horizon_us, b->arena, &x.lot, &x.n_lots));
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &n));
    RR_TRY(rr_owned_bill_lots(&x));
    RR_TRY(rr_owned_bill_energy(&x, pool, part, n));
    for (size_t i = 0; i < n; i++) RR_TRY(rr_owned_bill_month(&x, part[i]));
    return RR_OK;
}

/* Machines that are sold and bought at that instant count as not yet. */
static enum rr_status owned_terminal(const void *params, const struct rr_billing *b, size_t pool, int64_t at_us, struct rr_money *value)
{
    const struct rr_owned *o = params;
    struct rr_owned_lot *lot;
    size_t n;
    (void)pool;
    RR_TRY(rr_owned_lots(o, b->scenario, b->replication, at_us > 0 ? at_us : 1, b->arena, &lot, &n));
    for (size_t i = 0; i < n && !o->lease; i++) {
        struct rr_money worth;
        if (lot[i].end_us < at_us) continue;
        if (lot[i].in_us > 0 && lot[i].in_us >= at_us) { // what was paid ahead
            RR_TRY(rr_owned_paid(o, &lot[i], at_us, &worth));
            RR_TRY(rr_money_add(value, worth));
            continue;
        }
        RR_TRY(rr_owned_worth(o, &b->scenario->clock, &lot[i], at_us, &worth));
        RR_TRY(rr_money_add(value, worth));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_owned = {
    .kind = {.name = "owned",
             .summary = "bought or leased machines: depreciation, loan, resale, power, room, upkeep, staff, what stands around",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct rr_owned),
             .use = RR_USE_POOL},
    .resolve = owned_resolve,
    .bill = owned_bill,
    .hours = rr_owned_hours,
    .arrives = rr_owned_arrives,
    .capacity = rr_owned_capacity,
    .bridge = rr_owned_bridge,
    .terminal = owned_terminal,
    .energy_kwh = rr_owned_energy_kwh,
};
