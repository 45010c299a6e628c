/* Autoscalers, one row each; see sim/autoscale/autoscale.h. The first is the default. */
X(queue)
X(utilization)
X(target)
X(schedule)
