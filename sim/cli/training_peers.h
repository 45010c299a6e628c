/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training_peers.h - what other public models predict for published rows: peer_accuracy_NAME.csv beside the rows' file. */
#ifndef RR_SIM_CLI_TRAINING_PEERS_H
#define RR_SIM_CLI_TRAINING_PEERS_H
#include "data/train_rows.h"

enum { RR_PEER_CALCULON, RR_PEER_SIMUMAX, RR_PEERS };
extern const char *const rr_peer_name[RR_PEERS];
/* Their predicted step time of the row, the nearest where they have several (which favours them); NaN where they have none or no file is there. */
RR_CHECKED enum rr_status rr_peers_find(struct rr_arena *a, const struct rr_train_row *row, double ret[RR_PEERS]);
/* Their predicted memory of the row, bytes: by model, GPUs, layout and micro batch, the nearest to measured_bytes where they have several; NaN where none. */
RR_CHECKED enum rr_status rr_peers_memory(struct rr_arena *a, const struct rr_train_row *row, double measured_bytes, double ret[RR_PEERS]);
#endif
