/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/json.h - JSON with // and block comments, where every node knows where it came from.
 *
 * One scan of our own in front of cJSON blanks the comments in place, refuses duplicate keys and trailing commas, and notes the
 * offset of every node. After parsing, each cJSON node carries in `valueint` an index into the document's positions, and a number
 * node its text in `valuestring`; cJSON_Duplicate copies both, so position and exact number survive a merge patch. */
#ifndef RR_BASE_JSON_H
#define RR_BASE_JSON_H
#include "data/base/arena.h"
#include "data/base/text.h"
#include <cjson/cJSON.h>

struct rr_json; /* positions and texts of all documents read through it */
struct rr_json *rr_json_create(void);
void rr_json_free(struct rr_json *j); /* takes NULL; the trees are the callers', cJSON_Delete() them */

/* Errors are RR_EINPUT "PATH:LINE:COLUMN: POINTER: reason" (RR_EIO for reading). Depth at most 200, size at most 16 MiB. */
RR_CHECKED enum rr_status rr_json_read(struct rr_json *j, const char *path, cJSON **ret);
/* The same from memory; `name` stands for the path ("--set /pools/own/nodes"). `bare` takes a text that is no JSON as a string: --set a=5 min. */
RR_CHECKED enum rr_status rr_json_parse(struct rr_json *j, const char *name, const char *text, bool bare, cJSON **ret);

/* "PATH:LINE:COLUMN" of a node; "" when it has none. Allocated in `a`. */
const char *rr_json_where(const struct rr_json *j, const cJSON *node, struct rr_arena *a);
const char *rr_json_where_key(const struct rr_json *j, const cJSON *node, struct rr_arena *a); /* of the member's key, when it has one */
/* rr_fail with "PATH:LINE:COLUMN: POINTER: " in front, as far as there are a position and a pointer. `st` != RR_OK. */
enum rr_status rr_json_fail(enum rr_status st, const struct rr_json *j, const cJSON *node, const char *pointer, const char *fmt, ...)
    RR_PRINTF(5, 6);
enum rr_status rr_json_fail_key(enum rr_status st, const struct rr_json *j, const cJSON *node, const char *pointer, const char *fmt, ...)
    RR_PRINTF(5, 6); /* the same at the key */
/* A number node with its text, as reading makes them, but without a position. `text` is a JSON number. The caller owns it. */
cJSON *rr_json_make_number(const char *text);
struct rr_slice rr_json_number(const cJSON *node); /* the number as written; node must be a number */

/* RFC 6901. Find: NULL when absent. Set: makes missing objects on the way when `make`, takes `value` over; RR_EINPUT when a parent is no object,
 * naming the pointer and the nearest key. Set takes `value` over also when it fails. A null value removes the member. */
cJSON *rr_json_at(const cJSON *root, const char *pointer);
const cJSON *rr_json_member(const cJSON *object, const char *key); /* case counts; NULL when absent or when `object` is none */
RR_CHECKED enum rr_status rr_json_set(cJSON *root, const char *pointer, bool make, cJSON *value);
/* RFC 7396 on a copy (Debian 12 ships no cJSON_Utils): returns a new tree. */
cJSON *rr_json_merge(const cJSON *target, const cJSON *patch);
void rr_json_escape(struct rr_buf *b, const char *key); /* "~" -> "~0", "/" -> "~1": one reference token */
#endif
