/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/room.c - taking from and giving back to the room of one node.
 *
 * Where the trace shares devices, each device's free share is kept: whole devices are taken lowest index first, a share goes to the
 * device with the least free share that fits, ties to the lowest index, whatever the placement. */
#include "sim/engine/fleet.h"
#include <assert.h>

#define DEVICE 1000 // milli

// CPUs and memory that a node of this kind counts.
static int32_t cpus(const struct rr_fleet_pool *p, const struct rr_room *r, const struct rr_need *n)
{
    return p->kind.at[r->kind].cpus_milli ? n->cpus_milli : 0;
}
static int32_t memory(const struct rr_fleet_pool *p, const struct rr_room *r, const struct rr_need *n)
{
    return p->kind.at[r->kind].memory_mib ? n->memory_mib : 0;
}

static void count_devices(const struct rr_fleet_pool *p, struct rr_room *r, const uint16_t *device)
{
    r->whole = r->part = r->free_milli = 0;
    for (int32_t d = 0; d < p->kind.at[r->kind].gpus; d++) {
        r->free_milli += device[d];
        if (device[d] == DEVICE)
            r->whole++;
        else if (device[d] > r->part)
            r->part = device[d];
    }
}

static uint64_t take_whole(uint16_t *device, int32_t whole)
{
    uint64_t bits = 0;
    for (int32_t d = 0; whole > 0; d++)
        if (device[d] == DEVICE) {
            device[d] = 0;
            bits |= UINT64_C(1) << d;
            whole--;
        }
    return bits;
}

static uint64_t take_share(uint16_t *device, int32_t n_devices, int32_t part)
{
    int32_t best = -1;
    for (int32_t d = 0; d < n_devices; d++)
        if (device[d] >= part && (best < 0 || device[d] < device[best])) best = d;
    assert(best >= 0);
    device[best] = (uint16_t)(device[best] - part);
    return UINT64_C(1) << best;
}

// A node of a multi-node job is held as a whole, though the job may use only some of its devices.
static void fill(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device)
{
    const struct rr_node_kind *k = &p->kind.at[r->kind];
    r->whole = r->part = r->free_milli = 0;
    if (k->cpus_milli) r->cpus_milli = 0;
    if (k->memory_mib) r->memory_mib = 0;
    for (int32_t d = 0; device && d < k->gpus; d++) device[d] = 0;
}

void rr_room_take(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t *devices)
{
    *devices = 0;
    if (n->nodes > 1) {
        fill(p, r, device);
        return;
    }
    r->cpus_milli -= cpus(p, r, n);
    r->memory_mib -= memory(p, r, n);
    if (!device) {
        r->whole -= n->whole;
        r->free_milli -= n->whole * DEVICE;
    } else if (n->whole || n->part) {
        *devices = n->part ? take_share(device, p->kind.at[r->kind].gpus, n->part) : take_whole(device, n->whole);
        count_devices(p, r, device);
    }
}

void rr_room_take_at(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t devices)
{
    uint64_t same;
    if (!device || n->nodes > 1) {
        rr_room_take(p, r, device, n, &same);
        return;
    }
    r->cpus_milli -= cpus(p, r, n);
    r->memory_mib -= memory(p, r, n);
    for (uint64_t b = devices; b; b &= b - 1) {
        const int d = __builtin_ctzll(b);
        device[d] = (uint16_t)(device[d] - (n->part ? n->part : DEVICE));
    }
    if (devices) count_devices(p, r, device);
}

void rr_room_give(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t devices)
{
    if (n->nodes > 1) {
        *r = rr_room_empty(p, r->kind);
        for (int32_t d = 0; device && d < r->whole; d++) device[d] = DEVICE;
        return;
    }
    r->cpus_milli += cpus(p, r, n);
    r->memory_mib += memory(p, r, n);
    if (!device) {
        r->whole += n->whole;
        r->free_milli += n->whole * DEVICE;
        return;
    }
    for (uint64_t b = devices; b; b &= b - 1)
        device[__builtin_ctzll(b)] = (uint16_t)(device[__builtin_ctzll(b)] + (n->part ? n->part : DEVICE));
    if (devices) count_devices(p, r, device);
}
