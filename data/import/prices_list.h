/* Readers of price lists, one row each, in the order in which they are asked; see data/price_import.h. */
X(csv)
X(skypilot)
X(spot_log)
X(aws_spot)
X(self_hosted)
