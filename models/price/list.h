/* Price plans, one row each; see models/price/price.h. */
X(on_demand)
X(reserved)
X(owned)
X(spot)
X(savings_plan)
X(capacity_block)
X(prepaid)
