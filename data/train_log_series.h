/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log_series.h - series that the readers of training logs fill (train_log.c: text; train_log_table.c: CSV, JSON). */
#ifndef RR_DATA_TRAIN_LOG_SERIES_H
#define RR_DATA_TRAIN_LOG_SERIES_H
#include "data/base/vec.h"
#include "data/train_log.h"
#include <stdint.h>

enum rr_log_what { RR_LOG_STEP, RR_LOG_SAMPLES, RR_LOG_TOKENS, RR_LOG_BATCH, RR_LOG_MEMORY, RR_LOG_SIZE /* + enum rr_log_size */ };

struct rr_log_word { /* what stands before a number */
    const char *format, *text;
    enum rr_log_what what;
    double unit;        /* s, samples/s, tokens/s and GPU, sequences or bytes; of what is over it where it is a rate of steps */
    bool over;          /* steps a second: one over it */
    const char *behind; /* must follow the number; NULL = anything */
};
struct rr_log_value {
    double v;
    int64_t step; /* -1 = not known */
    bool beside;  /* an evaluation or a checkpoint came just before */
};
struct rr_log_series {
    const struct rr_log_word *word;
    RR_VEC(struct rr_log_value) list;
};
struct rr_log_read {
    struct rr_arena *arena; /* of words that a file makes */
    RR_VEC(struct rr_log_series) series;
    int64_t lines;
    int64_t bad_line; /* first one that is refused; 0 = none */
    const char *bad;  /* why: in `arena` */
};

/* v > 0 and finite, else nothing; the same step of the same word counts once (ranks, redrawn bars). `word` is borrowed.
 * false: v tells of a step, is not > 0 and not the first one, which may not have been timed. */
bool rr_log_add(struct rr_log_read *r, const struct rr_log_word *word, double v, int64_t step, bool beside);
void rr_log_done(struct rr_log_read *r);

RR_CHECKED enum rr_status rr_log_read_csv(const char *path, struct rr_log_read *ret);
RR_CHECKED enum rr_status rr_log_read_json(const char *path, struct rr_log_read *ret);
#endif
