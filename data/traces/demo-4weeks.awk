#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-3.0-or-later
# data/traces/demo-4weeks.awk - makes demo-4weeks.csv, the sample trace of `make demo`: 4 weeks of a made-up GPU cluster.
#
#   awk -f data/traces/demo-4weeks.awk > data/traces/demo-4weeks.csv
#
# Second 0 is a Thursday at 00:00, as is 2026-01-01. Arrivals are a Poisson process thinned by the hour of the day (busiest at 15:00) and
# the weekend (a third of a weekday). Run times are lognormal, so that a few long jobs hold most of the work; sizes are 1 to 64 GPUs.
# Users ask for more time than they need, in the usual steps. Random numbers: Park and Miller's "minimal standard" generator
# (x <- 16807 x mod 2^31 - 1; Comm. ACM 31(10), 1988), exact in a double, so that any awk gives the same bytes.

function uniform() { seed = (16807 * seed) % 2147483647; return seed / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }

# The share of the busiest hour's arrivals at second t.
function rhythm(t,    hour, day) {
    hour = (t % 86400) / 3600
    day = int(t / 86400) % 7 # 0 Thursday, 2 Saturday, 3 Sunday
    return (0.55 + 0.45 * cos(6.283185307179586 * (hour - 15) / 24)) * (day == 2 || day == 3 ? 0.33 : 1)
}

function pick_gpus(    u) {
    u = uniform()
    if (u < 0.42) return 1
    if (u < 0.54) return 2
    if (u < 0.68) return 4
    if (u < 0.87) return 8
    if (u < 0.945) return 16
    if (u < 0.982) return 32
    return 64
}

# Seconds: small jobs are mostly tries, large ones mostly training. No job runs longer than 5 days.
function pick_duration(gpus,    median, sigma, s) {
    median = gpus <= 2 ? 1500 : gpus <= 8 ? 6600 : 14400
    sigma = gpus <= 2 ? 1.7 : gpus <= 8 ? 1.4 : 1.1
    s = int(median * exp(sigma * normal()) + 0.5)
    return s < 10 ? 10 : s > 432000 ? 432000 : s
}

# What the user asks for: the run time and a margin, rounded up to 30 min, 1, 2, 4, 8, 12 h, then whole days.
function pick_estimate(s,    want, i) {
    want = s * (1.1 + 1.9 * uniform())
    for (i = 1; i <= n_steps; i++)
        if (want <= step[i] * 3600) return step[i] * 3600
    return (int(want / 86400) + 1) * 86400
}

BEGIN {
    seed = 20260101
    n_steps = split("0.5 1 2 4 8 12 24", step, " ")
    print "job_id,submit_s,duration_s,gpus,estimate_s,user,class"
    for (t = 0; ; ) {
        t += -log(uniform()) * 3600 / 6.65 # 6.65 an hour at the busiest time
        if (t >= 28 * 86400) break
        if (uniform() > rhythm(t)) continue
        gpus = pick_gpus()
        duration = pick_duration(gpus)
        class = gpus <= 2 ? "explore" : gpus <= 8 ? "train" : "pretrain"
        # A few users send most jobs.
        user = int(24 * uniform() * uniform()) + 1
        printf "d%04d,%d,%d,%d,%d,u%02d,%s\n", ++n, int(t), duration, gpus, pick_estimate(duration), user, class
    }
}
