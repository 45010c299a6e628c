/* SPDX-License-Identifier: MIT
 * data/base/status.c - the thread's one-line reason. */
#include "data/base/status.h"
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char reason[RR_REASON_MAX];

/* Bytes of the well-formed UTF-8 sequence at s, 0 when there is none (RFC 3629, without the finer ranges of the second byte). */
static size_t sequence(const char *s)
{
    const unsigned char c = (unsigned char)*s;
    const size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
    return n;
}

/* A name or a cell quoted in a reason may hold anything; the line stays one line of text, also on a terminal. */
static void keep_to_one_line(char *s)
{
    while (*s) {
        const size_t n = sequence(s);
        if (n == 0 || (unsigned char)*s < 0x20 || *s == 0x7f) *s = '?';
        s += n ? n : 1;
    }
}

enum rr_status rr_fail(enum rr_status st, const char *fmt, ...)
{
    assert(st != RR_OK);
    char line[RR_REASON_MAX]; // the arguments may point into `reason`
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    keep_to_one_line(line);
    memcpy(reason, line, strlen(line) + 1);
    return st;
}

enum rr_status rr_fail_in(enum rr_status st, const char *fmt, ...)
{
    assert(st != RR_OK);
    char line[RR_REASON_MAX];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    const size_t used = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (used + 3 < sizeof line) {
        size_t rest = strlen(reason);
        if (rest > sizeof line - used - 3) rest = sizeof line - used - 3;
        memcpy(line + used, ": ", 2);
        memcpy(line + used + 2, reason, rest);
        line[used + 2 + rest] = '\0';
    }
    keep_to_one_line(line);
    memcpy(reason, line, strlen(line) + 1);
    return st;
}

const char *rr_reason(void) { return reason; }

int rr_status_worse(int a, int b)
{
    static const int order[] = {RR_EINTERNAL, RR_EIO, RR_EINPUT, RR_EUSAGE, RR_EGATE, RR_EMISSING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return RR_OK;
}
