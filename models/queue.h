/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/queue.h - waiting lines in closed form, to size a pool before it is simulated, and to check the simulation by.
 *
 * Servers in parallel, first come first served, Poisson arrivals. `load` is offered load in servers (arrivals x mean service time). Times in
 * mean service times. Erlang B by its recursion, for factorials overflow past 170 servers. Sources: Erlang 1917; Pollaczek 1930, Khinchine 1932. */
#ifndef RR_MODELS_QUEUE_H
#define RR_MODELS_QUEUE_H

double rr_erlang_b(double load, int servers);               /* share of arrivals lost when none can wait; servers >= 0 */
double rr_erlang_c(double load, int servers);               /* share that waits; 1 when load >= servers */
double rr_queue_wait(double load, int servers);             /* mean wait, M/M/c; inf when load >= servers */
double rr_queue_length(double load, int servers);           /* mean number that waits */
double rr_queue_within(double load, int servers, double t); /* share that waits at most t */
int rr_erlang_servers(double load, double blocking);        /* the least that loses no more than `blocking`, 0 < blocking < 1 */
double rr_queue_general(double load, double cv2); /* mean wait of M/G/1, squared coefficient of variation cv2 of the service time */

struct rr_queue_finite { /* M/M/c/K */
    double blocking, in_system, waiting;
    double time; /* in the system, of those that get in */
};
/* room: servers and places to wait, >= servers >= 1; load may exceed servers. */
struct rr_queue_finite rr_queue_finite(double load, int servers, int room);
#endif
