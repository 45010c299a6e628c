/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_self_hosted.c - what one's own cluster charges by its parts: SkyPilot's pricing.csv for Slurm.
 *
 *     Region,Zone,AcceleratorName,PricePerVCPU,PricePerMemoryGB,PricePerAccelerator
 *
 * Each an hour; region, zone and accelerator may be blank, which is any. The machine whose price is wanted is named by --set instance=, vcpus=,
 * memory_gb= and gpus=: its price is the sum of its parts, exactly. */
#include "data/base/csv.h"
#include "data/price_import.h"
#include <string.h>

enum { REGION, ZONE, GPU, PER_VCPU, PER_GB, PER_GPU, COLUMNS };
static const char *const names[COLUMNS] = {"Region", "Zone", "AcceleratorName", "PricePerVCPU", "PricePerMemoryGB", "PricePerAccelerator"};

struct machine {
    const char *provider, *instance, *currency, *source;
    int64_t part[3]; /* vCPUs, GB and GPUs in thousandths */
    int64_t valid_us;
};

static int own_sniff(const char *head, size_t n)
{
    const char *end = memchr(head, '\n', n);
    const size_t line = end ? (size_t)(end - head) : n;
    return memmem(head, line, "PricePerVCPU", 12) && memmem(head, line, "PricePerAccelerator", 19) ? 95 : 0;
}

static enum rr_status read_machine(struct rr_price_import *in, struct machine *m)
{
    static const char *const key[3] = {"vcpus", "memory_gb", "gpus"};
    *m = (struct machine){.provider = rr_price_word(in, rr_price_set(in, "provider", "own")),
                          .currency = rr_price_set(in, "currency", "USD"),
                          .source = rr_price_word(in, rr_price_set(in, "source", "prices of one's own"))};
    const char *instance = rr_price_set(in, "instance", NULL);
    if (!instance) return rr_price_fail(in, 0, "which machine? --set instance=gpu-8 --set vcpus=96 --set memory_gb=1024 --set gpus=8");
    for (int i = 0; i < 3; i++) {
        const char *v = rr_price_set(in, key[i], "0");
        if (rr_text_scaled(rr_slice(v, strlen(v)), 3, &m->part[i]) != RR_OK || m->part[i] < 0 || m->part[i] > INT32_MAX)
            return rr_fail(RR_EUSAGE, "--set %s=%s is no number such as 8", key[i], v);
    }
    if (strlen(m->currency) != 3) return rr_fail(RR_EUSAGE, "--set currency=%s is no code such as USD", m->currency);
    m->instance = rr_price_id(in, m->provider, rr_slice(instance, strlen(instance)));
    return rr_price_date(in, &m->valid_us);
}

static struct rr_slice cell(const struct rr_csv_row *row, int i)
{
    return i >= 0 && (size_t)i < row->n ? rr_trim(row->cell[i]) : rr_slice("", 0);
}

static enum rr_status read_row(struct rr_price_import *in, const struct machine *m, const struct rr_csv_row *row, const int at[COLUMNS])
{
    rr_i128 sum = 0;
    struct rr_book_row r = {.provider = m->provider,
                            .instance = m->instance,
                            .gpu = rr_price_text(in, cell(row, at[GPU])),
                            .region = rr_price_text(in, cell(row, at[REGION])),
                            .zone = rr_price_text(in, cell(row, at[ZONE])),
                            .plan = rr_price_word(in, "on_demand"),
                            .source = m->source,
                            .valid_us = m->valid_us,
                            .gpus_milli = (int32_t)m->part[2],
                            .line = (int32_t)(row->line < INT32_MAX ? row->line : INT32_MAX),
                            .unit = RR_BOOK_INSTANCE_HOUR};
    memcpy(r.currency, m->currency, 3);
    in->read++;
    for (int i = 0; i < 3; i++) {
        int64_t nano;
        RR_TRY(rr_price_nano(in, row->line, cell(row, at[PER_VCPU + i]), true, &nano));
        if (nano == RR_BOOK_NO_PRICE && m->part[i] > 0 && i == 2)
            return rr_price_fail(in, row->line, "PricePerAccelerator is empty, but the machine has GPUs");
        if (nano > 0) sum += (rr_i128)nano * m->part[i];
    }
    if (rr_round_div(sum, 1000, &r.nano) != RR_OK) return rr_price_fail(in, row->line, "the price is out of range");
    if (r.nano == 0) return rr_price_fail(in, row->line, "the machine would cost nothing");
    return rr_price_add(in, &r);
}

static enum rr_status own_read(struct rr_price_import *in)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    struct machine m;
    enum rr_status st;
    int at[COLUMNS];
    RR_TRY(read_machine(in, &m));
    RR_TRY(rr_csv_open(in->path, (struct rr_csv_options){.comment = '#'}, &csv));
    RR_GO(rr_csv_next(csv, &row));
    RR_GO(row.n == 0 ? rr_price_fail(in, 0, "the file is empty") : RR_OK);
    for (int i = 0; i < COLUMNS; i++) at[i] = rr_csv_find(&row, names[i]);
    RR_GO(at[PER_GPU] < 0 ? rr_price_fail(in, row.line, "column \"PricePerAccelerator\" is missing") : RR_OK);
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        RR_GO(read_row(in, &m, &row, at));
    }
    RR_GO(rr_csv_sha256(csv, in->sha256));
out:
    rr_csv_close(csv);
    return st;
}

const struct rr_price_reader rr_price_reader_self_hosted = {.name = "self-hosted",
                                                            .summary =
                                                                "one's own cluster by vCPU, GB and accelerator (SkyPilot's pricing.csv)",
                                                            .sniff = own_sniff,
                                                            .read = own_read,
                                                            .keys = "provider instance vcpus memory_gb gpus currency valid_from source"};
