/* Scheduling policies, one row each; see sim/engine/sim.h. The first is the default. */
X(fifo)
X(sjf)
X(srtf)
X(srsf)
X(las)
X(priority)
X(edf)
X(easy_backfill)
