/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/size.h - a planned training run answered: the best layouts, what a step takes, when it is done.
 *
 * rr_size_make() turns the words of data/training.h into numbers, with a note for each that nobody gave; rr_size_find() searches and predicts. */
#ifndef RR_MODELS_TRAIN_SIZE_H
#define RR_MODELS_TRAIN_SIZE_H
#include "data/training.h"
#include "models/train/calibrated.h"
#include "models/train/search.h"
#include "models/train/ttt.h"

struct rr_size_measured { /* one run of one's own */
    bool given;
    struct rr_layout layout;
    double step_s, predicted_s;
    double memory_bytes;    /* 0 = not told */
    double predicted_bytes; /* of the fullest stage, in that layout; of a log without the context, which the allocator does not count */
    double after_bytes;     /* the same with the measurement */
    double doubt;      /* of the step, from its own spread and number, as DOUBT_MODEL: a log of few or uneven steps; 0 = none of its own */
    bool of_allocator; /* memory_bytes is what a log's allocator says; false: what the GPU holds in all (nvidia-smi) */
    double memory_scale, memory_offset_bytes; /* what it does to the terms that are no states; what it adds to each GPU. 1 and 0: nothing */
};
struct rr_size {
    const struct rr_training_run *training;
    struct rr_arch arch;
    struct rr_machine machine;
    struct rr_coefs coefs;
    const char *framework;
    const char *borrowed; /* why its coefficients are those of another machine; "" = they are its own */
    bool tokens_counted;  /* the target is given in tokens: samples x seq */
    double samples;
    struct rr_search search;
    struct rr_ttt_plan plan;
    struct rr_ttt_doubt unmeasured; /* doubt without a run of one's own */
    struct rr_ttt_doubt doubt;
    struct rr_size_measured measured;
    struct rr_calibrated calibrated; /* n = 0: no profile is of the machine */
    double scale;                    /* measured / predicted; 1 = nothing was measured */
    double memory_margin;            /* of 1: how far memory may lie beside its prediction */
};
#define RR_SIZE_LEVERS 6
struct rr_size_answer {
    struct rr_search_result found; /* step_s of the best ones with the scale */
    struct rr_step step;           /* of the best layout, as predicted, played */
    struct rr_memory memory[64];   /* of its stages; the first 64 */
    int32_t n_memory;
    struct rr_ttt time;
    struct rr_ttt_band band, band_before; /* before: without the measured run */
    struct rr_lever lever[RR_SIZE_LEVERS];
    size_t n_levers;
};
/* t and f are borrowed for as long as *ret lives. RR_EINPUT for names that are unknown, a layout that is none, a sparse peak and so on.
 * `wide`: all values of ZeRO and of the flags are searched, not those that the framework has. */
RR_CHECKED enum rr_status rr_size_make(const struct rr_training_run *t, const struct rr_train_facts *f, const struct rr_catalog *catalog,
                                       struct rr_arena *a, struct rr_notes *notes, bool wide, struct rr_size *ret);
/* RR_EINPUT with the reasons, counted, when no layout is legal and fits. */
RR_CHECKED enum rr_status rr_size_find(const struct rr_size *s, uint64_t seed, struct rr_size_answer *ret);
#endif
