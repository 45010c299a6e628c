/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned.h - machines that are bought: what the parts of the plan share (owned*.c alone).
 *
 * A *lot* is machines that come into service together, and leave together: a purchase or a lease of a count of nodes for one life. A pool's
 * lots follow from its terms alone, so that the replay and the bill see the same ones. Everything else is summed over them. */
#ifndef RR_MODELS_PRICE_OWNED_H
#define RR_MODELS_PRICE_OWNED_H
#include "data/prices.h"
#include "models/finance/depreciation.h"
#include "models/price/path.h"
#include "models/price/kwh.h"

enum { RR_OWNED_AIR, RR_OWNED_LIQUID }; /* cooling */
enum rr_owned_end { RR_OWNED_REPLACE, RR_OWNED_EXTEND, RR_OWNED_SELL };

struct rr_owned_borrow { /* "loan", "lease" */
    uint64_t given;
    double share, rate, balloon;
    struct rr_duration term;
    int when; /* enum rr_when */
};
struct rr_owned_fabric { /* "network" */
    uint64_t given;
    int64_t links, radix;
    double over;
};
struct rr_owned_step { /* of "steps" */
    uint64_t given;
    int64_t nodes, order_us, burn_in_us; /* order_us: epoch */
    struct rr_dist lead;                 /* from order to delivery */
};
enum { RR_OWNED_PAYMENTS = 3 }; /* with the order, at delivery, at acceptance */
extern const struct rr_param_table rr_owned_step_rows;
extern const struct rr_param_table rr_owned_loan, rr_owned_lease, rr_owned_bom_rows, rr_owned_fabric_rows;

struct rr_owned {
    uint64_t given;
    struct rr_amount price;
    struct rr_duration life, extended;
    double residual, idle_w, max_w, pue, maintenance, extended_maintenance, people, factor, bonus, price_change, resale_change;
    int depreciation, first_period, at_end;
    struct rr_price electricity, colocation, staff;
    const struct rr_price_map *resale;
    const struct rr_records *loan, *lease;
    int64_t bought_us; /* epoch */
    const struct rr_records *steps;
    const struct rr_price_map *payments;
    const char *bridge;
    const struct rr_records *bom, *network, *tariff;
    const struct rr_zone *zone;
    const struct rr_price_map *curve;
    struct rr_price demand, software;
    double committed_w, insurance, inflation;
    const char *inflates;
    int64_t nodes_per_rack, nodes_per_person;
    int cooling;
    bool includes_power;
    /* resolved, in the scenario's currency, per node */
    struct rr_money cost;                /* purchase price at the scenario's start */
    double paid_upto[RR_OWNED_PAYMENTS]; /* shares of the price, added up */
    uint32_t stream;                     /* of the pool's name, for lead times */
    bool sunk;                           /* bought before the start */
    int64_t first_us;                    /* when the first life begins: 0, or before it */
    int64_t nodes;
    int64_t idle_mw, span_mw, rack_mw; /* milliwatts: idle and max - idle with PUE, max without */
    int64_t energy_nano;               /* per kWh */
    struct rr_rate colocate;           /* per kW, node or pool, and month */
    int64_t maintain_nano;             /* per node and year */
    int64_t maintain_more_nano;        /* of machines past their life */
    struct rr_rate staff_rate;         /* per pool, node or person, and year */
    struct rr_rate licence;            /* per pool, node or GPU, and month or year */
    int64_t node_gpus;                 /* of each node; -1: they differ */
    int64_t rack_nodes;                /* nodes in a rack; 0: not known */
    bool bom_assumed;                  /* from the facts */
    bool by_hour;                      /* what energy costs depends on the hour */
    struct rr_kwh rates;               /* of "tariff" */
    int64_t *load_parts, *power_parts; /* [curve->n] billionths */
    int64_t demand_nano;               /* per kW and month */
};
enum {
    RR_OWN_PRICE,
    RR_OWN_LIFE,
    RR_OWN_RESIDUAL,
    RR_OWN_IDLE,
    RR_OWN_MAX,
    RR_OWN_PUE,
    RR_OWN_ELECTRICITY,
    RR_OWN_COLOCATION,
    RR_OWN_MAINTENANCE,
    RR_OWN_STAFF,
    RR_OWN_PEOPLE,
    RR_OWN_DEPRECIATION,
    RR_OWN_FACTOR,
    RR_OWN_BONUS,
    RR_OWN_FIRST_PERIOD,
    RR_OWN_RESALE,
    RR_OWN_RESALE_CHANGE,
    RR_OWN_PRICE_CHANGE,
    RR_OWN_AT_END,
    RR_OWN_EXTENDED,
    RR_OWN_EXTENDED_MAINTENANCE,
    RR_OWN_BOUGHT,
    RR_OWN_LOAN,
    RR_OWN_LEASE,
    RR_OWN_BOM,
    RR_OWN_NETWORK,
    RR_OWN_RACK_NODES,
    RR_OWN_COOLING,
    RR_OWN_CURVE,
    RR_OWN_TARIFF,
    RR_OWN_ZONE,
    RR_OWN_DEMAND,
    RR_OWN_INCLUDES,
    RR_OWN_COMMITTED,
    RR_OWN_PERSON_NODES,
    RR_OWN_SOFTWARE,
    RR_OWN_INSURANCE,
    RR_OWN_INFLATION,
    RR_OWN_INFLATES,
    RR_OWN_STEPS,
    RR_OWN_PAYMENTS,
    RR_OWN_BRIDGE,
};

/* ---- at load: owned_facts.c ---- */

struct rr_owned_load { /* where a resolve stands */
    const struct rr_scenario *s;
    const struct rr_pool *pool;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
};
/* Notes "PARAMETER is VALUE" as assumed; `remark`: the row's note. */
void rr_owned_assume(const struct rr_owned_load *l, const char *parameter, const char *value, const struct rr_fact *f, const char *remark);
/* The facts' default as text, noted as assumed; RR_EINPUT when there is none. */
RR_CHECKED enum rr_status rr_owned_fallback(const struct rr_owned_load *l, const char *key, const char *parameter, struct rr_slice *ret);
RR_CHECKED enum rr_status rr_owned_take_power(struct rr_owned *o, const struct rr_owned_load *l);  /* owned_energy.c */
RR_CHECKED enum rr_status rr_owned_take_energy(struct rr_owned *o, const struct rr_owned_load *l); /* the same */
RR_CHECKED enum rr_status rr_owned_take_months(struct rr_owned *o, const struct rr_owned_load *l); /* owned_month.c */
RR_CHECKED enum rr_status rr_owned_take_life(struct rr_owned *o, const struct rr_owned_load *l);   /* owned_life.c */
RR_CHECKED enum rr_status rr_owned_take_loan(struct rr_owned *o, const struct rr_owned_load *l);   /* owned_loan.c */

RR_CHECKED enum rr_status rr_owned_take_bom(struct rr_owned *o, const struct rr_owned_load *l); /* owned_bom.c */
/* What stands around so many machines costs, at the prices of the scenario's start. */
RR_CHECKED enum rr_status rr_owned_bom(const struct rr_owned *o, const struct rr_scenario *s, int64_t nodes, struct rr_money *ret);

RR_CHECKED enum rr_status rr_owned_take_steps(struct rr_owned *o, const struct rr_owned_load *l); /* owned_steps.c */

struct rr_owned_bill;

/* ---- lots: owned_life.c ---- */

struct rr_owned_lot {
    int64_t order_us, delivery_us;
    int64_t in_us, end_us; /* in service, and sold, given back or thrown away; RR_NEVER: kept */
    int64_t life_end_us;   /* past it they cost more maintenance */
    int64_t nodes;
    bool sunk;                  /* paid before the scenario's start */
    struct rr_money machines;   /* what they cost */
    struct rr_money cost, left; /* with all that stands around them; what the books leave of it */
};
/* Those ordered before `until_us`, step by step. Lead times are drawn by replication. */
RR_CHECKED enum rr_status rr_owned_lots(const struct rr_owned *o, const struct rr_scenario *s, uint32_t replication, int64_t until_us,
                                        struct rr_arena *a, struct rr_owned_lot **ret, size_t *n);
/* Step i: its nodes, and when they are ordered, delivered and in service. Without "steps" the one that is there from the start. owned_steps.c */
size_t rr_owned_n_steps(const struct rr_owned *o);
void rr_owned_step_of(const struct rr_owned *o, const struct rr_scenario *s, uint32_t replication, size_t i, struct rr_owned_lot *ret);
/* What was paid of a lot before it is due: payments before at_us. */
RR_CHECKED enum rr_status rr_owned_paid(const struct rr_owned *o, const struct rr_owned_lot *lot, int64_t at_us, struct rr_money *ret);
RR_CHECKED enum rr_status rr_owned_bill_payments(const struct rr_owned_bill *x,
                                                 const struct rr_owned_lot *lot); /* before it is in service */
RR_CHECKED enum rr_status rr_owned_capacity(const void *params, const struct rr_scenario *s, uint32_t replication, struct rr_arena *a,
                                            struct rr_arrival **ret, size_t *n);
const char *rr_owned_bridge(const void *params);
bool rr_owned_arrives(const void *params);
/* What a lot brings at a date: by the path of resale prices, else the book value. */
RR_CHECKED enum rr_status rr_owned_worth(const struct rr_owned *o, const struct rr_clock *c, const struct rr_owned_lot *lot, int64_t at_us,
                                         struct rr_money *ret);
RR_CHECKED enum rr_status rr_owned_book(const struct rr_owned *o, const struct rr_clock *c, const struct rr_owned_lot *lot, int64_t at_us,
                                        struct rr_money *ret);
/* Node-microseconds of a time in service. */
rr_i128 rr_owned_node_us(const struct rr_owned_lot *lot, size_t n, int64_t from_us, int64_t to_us);

/* ---- the bill ---- */

struct rr_owned_bill {
    const struct rr_owned *o;
    const struct rr_billing *b;
    struct rr_sink *sink;
    struct rr_charge c; /* type, pool and pricing set */
    struct rr_owned_lot *lot;
    size_t n_lots;
};
RR_CHECKED enum rr_status rr_owned_bill_lots(const struct rr_owned_bill *x);                                  /* owned_life.c */
RR_CHECKED enum rr_status rr_owned_bill_loan(const struct rr_owned_bill *x, const struct rr_owned_lot *lot);  /* owned_loan.c */
RR_CHECKED enum rr_status rr_owned_bill_lease(const struct rr_owned_bill *x, const struct rr_owned_lot *lot); /* the same */
/* All months of the horizon. owned_energy.c */
RR_CHECKED enum rr_status rr_owned_bill_energy(const struct rr_owned_bill *x, size_t pool, const struct rr_month_part *month, size_t n);
RR_CHECKED enum rr_status rr_owned_bill_month(const struct rr_owned_bill *x, struct rr_month_part part); /* owned_month.c */
/* The rate of a line at t, where "inflates" names it. owned_month.c */
RR_CHECKED enum rr_status rr_owned_inflate(const struct rr_owned_bill *x, const char *line, int64_t t_us, int64_t *nano);
/* One line of a month, due at its end. */
RR_CHECKED enum rr_status rr_owned_emit(const struct rr_owned_bill *x, struct rr_month_part part, const char *line, const char *unit,
                                        double quantity, struct rr_rate rate, struct rr_money amount);
double rr_owned_energy_kwh(const void *params, const struct rr_billing *b, size_t pool);
bool rr_owned_hours(const void *params); /* the hour matters */
#endif
