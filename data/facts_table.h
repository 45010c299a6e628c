/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/facts_table.h - how a table of data/facts is read: its columns are rows here, as parameters are in param.h.
 *
 * An empty cell means "not known" and leaves its field zero. Every table ends in source, date and note, and has no other column. */
#ifndef RR_DATA_FACTS_TABLE_H
#define RR_DATA_FACTS_TABLE_H
#include "data/catalog.h"

enum rr_facts_type {
    RR_FACTS_TEXT,     /* const char * */
    RR_FACTS_REAL,     /* double > 0: a written 0 would later be a rate or a size of nothing */
    RR_FACTS_COUNT,    /* int32_t > 0 */
    RR_FACTS_REAL0,    /* double >= 0 */
    RR_FACTS_COUNT0,   /* int32_t >= 0 */
    RR_FACTS_MILLI,    /* int32_t thousandths, > 0 */
    RR_FACTS_MIB,      /* GiB in the file, int32_t MiB */
    RR_FACTS_CURRENCY, /* char[4] */
    RR_FACTS_MONEY,    /* struct rr_amount: micro > 0 */
    RR_FACTS_HOURLY,   /* struct rr_price per node and hour: nano > 0 */
};
struct rr_facts_column {
    const char *name;
    enum rr_facts_type type;
    size_t at; /* of the field in the row's struct */
    bool needed;
};
struct rr_facts_table {
    const char *file; /* "gpus.csv" */
    const struct rr_facts_column *column;
    size_t n;                 /* at most RR_FACTS_COLUMNS less the last three */
    size_t row_size, fact_at; /* of the row's struct; its struct rr_fact */
};
#define RR_FACTS_COLUMNS 48
/* Of the array `columns`, into `struct type` with a member `fact`. */
#define RR_FACTS_TABLE(file, columns, type)                                                                  \
    {                                                                                                        \
        file, columns, sizeof(columns) / sizeof *(columns), sizeof(struct type), offsetof(struct type, fact) \
    }
/* All rows of DATA_DIR/facts/FILE, in `a`; *ret_rows is a pointer to the row's struct. RR_EINPUT "PATH:LINE: ..." for a cell that is wrong or missing, a
 * column that is missing or not known, a row without source or with a bad date. */
RR_CHECKED enum rr_status rr_facts_read(const char *data_dir, const struct rr_facts_table *t, struct rr_arena *a, const void *ret_rows,
                                        size_t *ret_n);
#endif
