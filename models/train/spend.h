/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/spend.h - what it costs to hold the machines of a run, under any pricing plan: the plans of models/price bill it. */
#ifndef RR_MODELS_TRAIN_SPEND_H
#define RR_MODELS_TRAIN_SPEND_H
#include "data/scenario.h"
#include "models/train/size.h"

struct
    rr_spend_market { /* what prices there are beside the facts', and in which currency it is counted; all zero: the facts alone, in USD */
    const struct rr_shelf_book *const *book; /* price books in front of the facts [n_books] */
    size_t n_books;
    const char *currency;   /* "CNY"; NULL = "USD" */
    const struct rr_fx *fx; /* what others are worth in it [n_fx] */
    size_t n_fx;
};
struct rr_spend_ask {
    const struct rr_catalog *catalog;
    struct rr_spend_market market;
    const struct rr_size *size; /* machine, number of GPUs, failures, spares */
    const struct rr_size_answer *answer;
    int64_t start_us;   /* when they are taken, epoch: what a term or a tariff needs */
    const char *plan;   /* "on_demand", "reserved", "spot", "owned" or any other plan; or its parameters as JSON, {"type": "owned", ...} */
    const char *region; /* "" = any */
    const char *instance; /* "aws/p5.48xlarge", or a server that is bought; NULL = the cheapest */
};
struct rr_spend {
    struct rr_money cost;   /* effective: what falls into the time of the run */
    struct rr_money billed; /* cash: a term or a purchase is paid whole */
    char currency[4];
    const char *machine; /* instance or hardware that was priced, "aws/p5.48xlarge" */
    int64_t nodes;       /* held: those of the run and its spares */
    double per_gpu_hour; /* of the GPUs that are held, while they are */
    double wall_s;       /* from start to end under this plan: longer where the market takes machines back */
    double held_s;       /* of which they are held and paid for */
    double reclaims;     /* expected stops by the market */
};
/* RR_EINPUT when no machine with that GPU has a price under the plan: never a silent $0. Assumptions go to notes. */
RR_CHECKED enum rr_status rr_train_spend(const struct rr_spend_ask *ask, struct rr_arena *a, struct rr_notes *notes, struct rr_spend *ret);
#endif
