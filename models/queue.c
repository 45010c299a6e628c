/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/queue.c - Erlang's formulas by recursion. */
#include "models/queue.h"
#include "data/base/fmath.h"
#include <assert.h>
#include <math.h>

double rr_erlang_b(double load, int servers)
{
    assert(load >= 0 && servers >= 0);
    double b = 1;
    for (int c = 1; c <= servers; c++) b = load * b / (c + load * b);
    return b;
}

double rr_erlang_c(double load, int servers)
{
    if (load >= servers) return 1;
    const double b = rr_erlang_b(load, servers);
    return b / (1 - load / servers * (1 - b));
}

double rr_queue_wait(double load, int servers) { return load >= servers ? HUGE_VAL : rr_erlang_c(load, servers) / (servers - load); }

double rr_queue_length(double load, int servers) { return load >= servers ? HUGE_VAL : load * rr_queue_wait(load, servers); }

double rr_queue_within(double load, int servers, double t)
{
    if (load >= servers) return 0;
    return 1 - rr_erlang_c(load, servers) * rr_exp(-(servers - load) * t);
}

int rr_erlang_servers(double load, double blocking)
{
    assert(load >= 0 && 0 < blocking && blocking < 1);
    int c = 0;
    for (double b = 1; b > blocking; b = load * b / (c + load * b)) c++;
    return c;
}

double rr_queue_general(double load, double cv2) { return load >= 1 ? HUGE_VAL : load / (1 - load) * (1 + cv2) / 2; }

struct rr_queue_finite rr_queue_finite(double load, int servers, int room)
{
    assert(load > 0 && 1 <= servers && servers <= room);
    double weight = 1, sum = 1, in_system = 0, waiting = 0; // of the states 0..n, over that of state 0 or a later scale
    for (int n = 1; n <= room; n++) {
        weight *= load / (n < servers ? n : servers);
        if (weight > 1e250) { // the states far below no longer count
            sum /= weight;
            in_system /= weight;
            waiting /= weight;
            weight = 1;
        }
        sum += weight;
        in_system += n * weight;
        if (n > servers) waiting += (n - servers) * weight;
    }
    struct rr_queue_finite x = {weight / sum, in_system / sum, waiting / sum, 0};
    x.time = x.in_system / (load * (1 - x.blocking));
    return x;
}
