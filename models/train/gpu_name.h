/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/gpu_name.h - the machine that a published row means by its GPU, however that is spelt. */
#ifndef RR_MODELS_TRAIN_GPU_NAME_H
#define RR_MODELS_TRAIN_GPU_NAME_H
#include "data/train_facts.h"

/* By id or alias; else by its words in any order, without vendor, generation of the socket, watts and kind of memory; at last without the size of the memory
 * too. NULL when nothing, or more than one machine, is meant. "NVIDIA B200 (SXM6, 180 GB)" is hgx-b200. */
const struct rr_machine *rr_gpu_name_machine(const struct rr_train_facts *f, struct rr_arena *a, const char *name);
#endif
