/* Scheduling policies, one row each; see sim/engine/sim.h. The first is the default. */
X(fifo)
X(easy_backfill)
