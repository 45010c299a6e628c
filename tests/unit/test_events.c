/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_events.c - the event heap against a sort, the sorted blocks against a list, the node set against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/events.h"
#include "sim/engine/expected.h"
#include "sim/engine/nodeset.h"
#include <stdlib.h>

static void order_at_one_instant(void **state)
{
    (void)state;
    struct rr_events e;
    rr_events_init(&e);
    assert_int_equal(rr_events_time(&e), INT64_MAX);
    rr_events_push(&e, 7, RR_EV_TIMER, 1);
    rr_events_push(&e, 7, RR_EV_END, 2);
    rr_events_push(&e, 3, RR_EV_TIMER, 3);
    rr_events_push(&e, 7, RR_EV_END, 4);
    rr_events_push(&e, 7, RR_EV_READY, RR_EVENT_SLOTS - 1);
    rr_events_push(&e, INT64_MAX - 1, RR_EV_READY, 5);
    static const uint32_t order[] = {3, RR_EVENT_SLOTS - 1, 2, 4, 1, 5};
    for (int i = 0; i < 6; i++) assert_int_equal(rr_events_pop(&e).slot, order[i]);
    assert_int_equal(e.n, 0);
    rr_events_done(&e);
}

static int compare_events(const void *a, const void *b)
{
    const struct rr_event *x = a, *y = b;
    if (x->time_us != y->time_us) return x->time_us < y->time_us ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

// Push and pop at random: what comes out is the least of what is in, by a sort.
static void heap_against_sort(void **state)
{
    (void)state;
    enum { N = 3000 };
    static struct rr_event in[N];
    struct rr_events e;
    struct rr_rng r;
    rr_events_init(&e);
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 1);
    size_t n = 0;
    for (int step = 0; step < 20000; step++) {
        if (n < N && (n == 0 || rr_rng_below(&r, 100) < (step < 10000 ? 55u : 45u))) {
            struct rr_event *x = &in[n++];
            *x = (struct rr_event){
                .time_us = (int64_t)rr_rng_below(&r, 50), .kind = (enum rr_event_kind)rr_rng_below(&r, 6), .slot = (uint32_t)step};
            x->sequence = rr_events_push(&e, x->time_us, x->kind, x->slot);
            continue;
        }
        size_t least = 0;
        for (size_t i = 1; i < n; i++)
            if (compare_events(&in[i], &in[least]) < 0) least = i;
        assert_int_equal(rr_events_time(&e), in[least].time_us);
        assert_int_equal(rr_events_kind(&e), in[least].kind);
        const struct rr_event got = rr_events_pop(&e);
        assert_int_equal(got.sequence, in[least].sequence);
        assert_int_equal(got.slot, in[least].slot);
        assert_int_equal(got.time_us, in[least].time_us);
        in[least] = in[--n];
    }
    assert_int_equal(e.n, n);
    rr_events_done(&e);
}

static int compare_due(const void *a, const void *b)
{
    const struct rr_due *x = a, *y = b;
    if (x->at_us != y->at_us) return x->at_us < y->at_us ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

static void blocks_against_sort(void **state)
{
    (void)state;
    enum { N = 2000 };
    static struct rr_due in[N];
    struct rr_expected e = {0};
    struct rr_rng r;
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 2);
    size_t n = 0;
    for (int step = 0; step < 20000; step++) {
        const bool add = n < N && (n == 0 || rr_rng_below(&r, 100) < (step < 10000 ? 58u : 42u));
        if (add) {
            in[n] = (struct rr_due){.at_us = step / 4 + (int64_t)rr_rng_below(&r, 3000), .run = (uint32_t)step};
            rr_expected_add(&e, in[n].at_us, in[n].run);
            n++;
        } else {
            size_t i = rr_rng_below(&r, n);
            for (size_t k = 0; step % 2 && k < n; k++) i = compare_due(&in[k], &in[i]) < 0 ? k : i; // every other time the first
            rr_expected_remove(&e, in[i].at_us, in[i].run);
            in[i] = in[--n];
        }
        if (step % 97) continue;
        qsort(in, n, sizeof *in, compare_due);
        size_t i = 0;
        for (size_t b = 0; b < e.block.n; b++)
            for (uint32_t k = 0; k < e.block.at[b]->n; k++, i++)
                assert_int_equal(e.block.at[b]->due[e.block.at[b]->first + k].run, in[i].run);
        assert_int_equal(i, n);
    }
    rr_expected_done(&e);
}

static void nodeset_against_array(void **state)
{
    (void)state;
    enum { N = 10007 };
    static bool in[N];
    struct rr_nodeset s = {0};
    struct rr_rng r;
    rr_nodeset_grow(&s, 100);
    rr_nodeset_add(&s, 99);
    in[99] = true;
    rr_nodeset_grow(&s, N);
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 3);
    uint32_t count = 1;
    for (int step = 0; step < 6000; step++) {
        const uint32_t id = (uint32_t)rr_rng_below(&r, step % 3 ? N : 200);
        if (in[id])
            rr_nodeset_remove(&s, id);
        else
            rr_nodeset_add(&s, id);
        count += in[id] ? UINT32_MAX : 1;
        in[id] = !in[id];
        assert_int_equal(s.count, count);
        const uint32_t from = (uint32_t)rr_rng_below(&r, N);
        uint32_t lowest = 0, next = from;
        while (lowest < N && !in[lowest]) lowest++;
        while (next < N && !in[next]) next++;
        if (count) assert_int_equal(rr_nodeset_lowest(&s), lowest);
        assert_int_equal(rr_nodeset_next(&s, from), next < N ? next : RR_NO_NODE);
    }
    assert_int_equal(rr_nodeset_next(&s, 1000000), RR_NO_NODE);
    rr_nodeset_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_at_one_instant), cmocka_unit_test(heap_against_sort),
                                       cmocka_unit_test(blocks_against_sort), cmocka_unit_test(nodeset_against_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
