/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/cuda_host/cuda_fp16.h - in cuda_bf16.h. */
#include "tests/unit/cuda_host/cuda_bf16.h"
