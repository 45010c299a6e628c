/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/hf_config.h - a model's architecture from the config.json that Hugging Face models carry. */
#ifndef RR_DATA_HF_CONFIG_H
#define RR_DATA_HF_CONFIG_H
#include "data/base/json.h"
#include "data/train_facts.h"

/* Names of fields as GPT-2, GPT-NeoX, OPT, BLOOM, LLaMA, Mistral, Mixtral, Qwen, DeepSeek and their like have them. RR_EINPUT "PATH: ..." naming the
 * field that is missing or wrong. */
RR_CHECKED enum rr_status rr_hf_config_read(const char *path, struct rr_arena *a, struct rr_arch *ret);
#endif
