/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/train_case.h - the shipped facts, and a machine and a model with odd figures. */
#ifndef RR_TESTS_TRAIN_CASE_H
#define RR_TESTS_TRAIN_CASE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "models/train/arch.h"
#include "models/train/layer.h"
#include "models/train/memory.h"
#include "models/train/pipeline.h"
#include "models/train/step.h"
#include <math.h>
#include <string.h>

static struct rr_arena *arena;
static struct rr_train_facts facts;

static inline int load_facts(void **state)
{
    (void)state;
    const char *dir;
    arena = rr_arena_create();
    if (rr_data_dir(arena, &dir) != RR_OK || rr_train_facts_load(dir, arena, &facts) != RR_OK) fail_msg("%s", rr_reason());
    return 0;
}
static inline int forget_facts(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

static inline void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("%.17g, %.17g expected", got, want);
}

static inline const struct rr_arch *model(const char *name)
{
    const struct rr_arch *a = NULL;
    if (rr_train_facts_arch(&facts, arena, name, &a) != RR_OK) fail_msg("%s", rr_reason());
    return a;
}
static inline const struct rr_machine *machine(const char *name)
{
    const struct rr_machine *m = NULL;
    if (rr_train_facts_machine(&facts, arena, name, &m) != RR_OK) fail_msg("%s", rr_reason());
    return m;
}

static inline struct rr_layout layout_of(int32_t gpus, int32_t tp, int32_t pp, int32_t micro, int32_t batch)
{
    return (struct rr_layout){.gpus = gpus,
                              .tp = tp,
                              .pp = pp,
                              .vpp = 1,
                              .dp = gpus / tp / pp,
                              .ep = 1,
                              .cp = 1,
                              .micro_batch = micro,
                              .global_batch = batch,
                              .seq = 2048,
                              .precision = RR_BF16,
                              .flash = true};
}
#endif
