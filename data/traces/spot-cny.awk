# Makes data/traces/spot-cny.csv: awk -f spot-cny.awk. A year of made-up spot prices of a machine with 4 V100, CNY an hour: about 30 % of the
# on-demand rate of CNY 34.25, moving every 6 hours on average, and now and then a day or two near the on-demand rate. Fixed seed: the same bytes.
function uniform() { seed = (seed * 1103515245 + 12345) % 2147483648; return (seed + 0.5) / 2147483648 }
BEGIN {
    seed = 20260101
    print "time,price"
    level = 0; spike = 0
    for (t = 0; t < 366 * 86400; ) {
        if (spike > 0) spike--
        else if (uniform() < 0.012) spike = 2 + int(uniform() * 7)
        level = 0.9 * level + 0.06 * (uniform() + uniform() + uniform() - 1.5)
        price = spike > 0 ? 24 + 9 * uniform() : 10.275 * (1 + level)
        printf "%d,%.3f\n", t, price
        t += int(3600 * (2 + 8 * uniform()))
    }
}
