/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/spot.h - what is known of a spot market: prices and capacity over time as step functions, and the models that stand in for them.
 *
 * A reader is one constant in one file, data/import/spot_NAME.c, and one row in data/import/spot_list.h. All readers make the same struct:
 * from at_us[i] on, value[i] holds, until the next. A series may come newest first, unsorted, with equal times (the last one that happened
 * counts) and with gaps: the last value is carried over them, and gaps longer than `gap_limit` are counted and told. */
#ifndef RR_DATA_SPOT_H
#define RR_DATA_SPOT_H
#include "data/base/json.h"
#include "data/base/time.h"
#include "data/base/vec.h"
#include "data/dist.h"
#include "data/notes.h"

enum rr_spot_of { RR_SPOT_PRICES, RR_SPOT_NODES };

/* n >= 1, at_us strictly ascending, at_us[0] = 0. Prices: nano-units of `currency` per node-hour, > 0; nodes: >= 0. */
struct rr_spot_series {
    enum rr_spot_of of;
    size_t n;
    const int64_t *at_us, *value;
    int64_t end_us;   /* known until here; > at_us[n - 1] unless the last point is the end */
    bool absolute;    /* the file has dates: 0 is epoch_us */
    int64_t epoch_us; /* microseconds since 1970, 0 when relative */
    size_t rows;      /* records of the file that belong to the series */
    size_t gaps;      /* distances between two records above gap_limit */
    int64_t longest_gap_us;
    const char *path, *format, *currency;
    const char *zone, *instance; /* "" when the file does not say */
    char sha256[65];
};
/* Value at t_us from the series' start; the first value before it, the last one after its end. */
int64_t rr_spot_at(const struct rr_spot_series *s, int64_t t_us);

/* How a file is read: the members of {"file": ...}. */
struct rr_spot_file {
    uint64_t given;
    const char *path, *format, *zone, *instance, *currency;
    int64_t gap_us;       /* skypilot: in place of gap_seconds */
    int64_t gap_limit_us; /* longer gaps are told; 0 = a week for prices, an hour for nodes */
    int64_t from_us;      /* the scenario starts here in the series */
    int unit;             /* counts: enum rr_spot_unit */
    int align;            /* 0: the series starts with the scenario; 1: its dates are those of the scenario */
    bool repeat;          /* begins again at its end */
    int64_t times;        /* nodes: for each one of the file */
};
enum rr_spot_unit { RR_SPOT_MS, RR_SPOT_S, RR_SPOT_H };
/* Errors: RR_EINPUT "PATH:LINE: ..." for what cannot be understood; several zones or instances and none named; RR_EIO. */
RR_CHECKED enum rr_status rr_spot_read(const struct rr_spot_file *file, enum rr_spot_of of, struct rr_arena *a, struct rr_spot_series *ret);
/* Gaps of a series, and a horizon past its end, in `notes`. */
void rr_spot_note(struct rr_notes *notes, const char *where, const struct rr_spot_series *s, const struct rr_spot_file *file);

/* --- for readers --- */
struct rr_spot_point {
    int64_t at_us, value;
};
struct rr_spot_input {
    const struct rr_spot_file *file;
    enum rr_spot_of of;
    struct rr_arena *arena;
    RR_VEC(struct rr_spot_point) point; /* in the order in which they happened; may be unsorted */
    bool absolute;                      /* at_us are epoch microseconds */
    int64_t end_us;                     /* same clock as at_us; 0 = the last point */
    const char *zone, *instance;
    char sha256[65];
};
struct rr_spot_reader {
    const char *name;    /* the word in "format" */
    const char *summary; /* one line */
    enum rr_spot_of of;
    bool (*sniff)(const char *head, size_t n); /* the file's first bytes, decompressed; head[n] is NUL */
    enum rr_status (*read)(struct rr_spot_input *in);
};
#define X(name) extern const struct rr_spot_reader rr_spot_reader_##name;
#include "data/import/spot_list.h"
#undef X
extern const struct rr_spot_reader *const rr_spot_readers[]; /* NULL-terminated */
#endif
