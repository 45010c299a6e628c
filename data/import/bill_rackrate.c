/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bill_rackrate.c - our own bill CSV, as `rackrate import bill` writes it: the columns are the fields. */
#include "data/bill.h"

const struct rr_bill_format rr_bill_rackrate = {
    .name = "rackrate",
    .summary = "our own columns: from,to,provider,service,...,billed,currency",
    .source = "data/bill.h",
    .tell = {"from", "to", "billed", "effective"},
    .column =
        {
#define X(name, what) [RR_BILL_##name] = {#name},
            RR_BILL_TABLE
#undef X
        },
};
