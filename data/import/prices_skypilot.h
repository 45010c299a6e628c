/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_skypilot.h - names in SkyPilot's catalogs, shared by its two readers. */
#ifndef RR_IMPORT_PRICES_SKYPILOT_H
#define RR_IMPORT_PRICES_SKYPILOT_H
#include "data/price_import.h"

/* Our id where the catalog's name says too little ("A100" is the 40 GB one), else the name as it is. */
const char *rr_skypilot_gpu(struct rr_price_import *in, const char *provider, struct rr_slice instance, struct rr_slice name);
/* GPUs in thousandths: parts of GPUs by the size of the machine where the catalog says 1, chips of a TPU slice. */
int32_t rr_skypilot_gpus(struct rr_slice instance, struct rr_slice name, int64_t milli);
#endif
