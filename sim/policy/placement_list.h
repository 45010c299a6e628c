/* Placements, one row each; see sim/policy/placement.h. The first is the default. */
X(pack)
X(spread)
X(first_fit)
X(best_fit)
X(random)
X(fgd)
X(locality)
