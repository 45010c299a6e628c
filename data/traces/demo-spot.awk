#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-3.0-or-later
# data/traces/demo-spot.awk - makes demo-spot-prices.csv and demo-spot-nodes.csv: 4 weeks of a made-up spot market of 8-GPU machines.
#
#   awk -v what=prices -f data/traces/demo-spot.awk > data/traces/demo-spot-prices.csv
#   awk -v what=nodes -f data/traces/demo-spot.awk > data/traces/demo-spot-nodes.csv
#
# Prices change every 3 to 9 hours around $21, with a dear day on the 12th. Capacity is 12 machines, of which some are taken now and then, two
# at a time on average, and come back within hours. Random numbers: Park and Miller's "minimal standard" generator, as in demo-4weeks.awk.

function uniform() { seed = (16807 * seed) % 2147483647; return seed / 2147483647 }

BEGIN {
    seed = what == "prices" ? 20261 : 20262
    end = 28 * 86400
    if (what == "prices") {
        print "time,price"
        x = 0
        for (t = 0; t < end; t += int(10800 + 21600 * uniform())) {
            x = 0.7 * x + 2.2 * (uniform() + uniform() - 1)
            day = int(t / 86400)
            printf "%d,%.4f\n", t, 21 + x + (day == 11 ? 12 : 0)
        }
    } else {
        print "time,nodes"
        print "0,12"
        t = n = 0
        while (t < end) { # what is taken at t, and back at some later time
            t += int(1800 - 14400 * log(uniform()))
            k = 1
            while (uniform() < 0.52 && k < 9) k++
            change[n] = t; by[n++] = -k
            change[n] = t + int(1200 - 7200 * log(uniform())); by[n++] = k
        }
        for (i = 1; i < n; i++) # by time
            for (j = i; j > 0 && change[j - 1] > change[j]; j--) {
                c = change[j]; change[j] = change[j - 1]; change[j - 1] = c
                c = by[j]; by[j] = by[j - 1]; by[j - 1] = c
            }
        nodes = 12
        for (i = 0; i < n && change[i] < end; i++) {
            nodes += by[i]
            printf "%d,%d\n", change[i], nodes < 0 ? 0 : nodes
        }
    }
    print end ","
}
