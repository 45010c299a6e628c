/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size.h - the parts of `rackrate size`: words to a question, the answer as text, as JSON, term by term. */
#ifndef RR_SIM_CLI_SIZE_H
#define RR_SIM_CLI_SIZE_H
#include "sim/cli/cli.h"
#include "sim/study/sizing.h"

struct rr_size_question {
    struct rr_train_facts facts;
    struct rr_catalog catalog;
    struct rr_profile_set profiles;
    struct rr_json *json;
    cJSON *document; /* the training section that the options say */
    struct rr_training_run training;
    struct rr_spend_market market; /* of a scenario, before rr_size_market() */
    struct rr_sizing_ask ask;
    int64_t start_us; /* of the run, epoch; 0 = not told */
    int64_t top;      /* layouts that are shown */
    struct rr_notes notes;
    const char *name;           /* of a scenario's workload; NULL: from the options */
    const char *gpu;            /* rr_gpu id that it is planned on */
    const struct rr_pool *pool; /* of the scenario, whose plan comes first; NULL: none */
    const char *pool_plan;      /* as JSON */
};
/* size_ask.c: the options of `rackrate size` -> document, training and ask; facts, catalog and json are there. */
RR_CHECKED enum rr_status rr_size_ask(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q);
/* What is asked beside the training itself: other GPUs and numbers, plans, deadline and budget. q->training is there. */
RR_CHECKED enum rr_status rr_size_ask_around(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q);

/* size_market.c: books and rates of the options in front of those that q->market has. */
RR_CHECKED enum rr_status rr_size_market(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q);
/* RR_EINPUT: neither the facts nor a book have a price in the region; "" = any. */
RR_CHECKED enum rr_status rr_size_check_region(const struct rr_size_question *q, const char *region, struct rr_arena *a);
/* An amount of an option in the currency that is counted in, by the rates given. */
RR_CHECKED enum rr_status rr_size_money(const struct rr_size_question *q, const char *option, const char *text, double *ret);
/* --profile, or those that a scenario gave. q->ask is there. */
RR_CHECKED enum rr_status rr_size_ask_profiles(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q);

void rr_size_text(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s);    /* size_text.c */
void rr_size_explain(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s); /* size_explain.c */
void rr_size_json(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s);    /* size_json.c */

/* Which of the numbers comes nearest to a deadline or budget that none meets, and how far it gets; false: they are met. */
bool rr_size_put_missed(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s);
void rr_size_put_days(struct rr_buf *b, double s);                        /* "83.1 d", "4.2 h", "12.3 s"; "never" */
void rr_size_put_money(struct rr_buf *b, double v, const char *currency); /* "$5,310,000"; "-" for NaN */
void rr_size_put_count(struct rr_buf *b, double n);                       /* "15.0 T" */
#endif
