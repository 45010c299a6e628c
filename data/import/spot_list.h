/* Readers of spot series, one row each; see data/spot.h. */
X(aws_spot_history)
X(skypilot)
X(spot_csv)
X(bamboo_events)
X(node_counts)
