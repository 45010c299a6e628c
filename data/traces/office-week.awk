#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-3.0-or-later
# data/traces/office-week.awk - makes office-week.csv: a week of a team that works from 9 to 18 on weekdays.
#
#   awk -f data/traces/office-week.awk > data/traces/office-week.csv
#
# Second 0 is a Monday at 00:00. Jobs come in office hours alone, fewer at noon; most are short tries on 1 to 8 GPUs, and in the last hour some are
# sent off to run into the night. Random numbers: Park and Miller's "minimal standard" generator, as in demo-4weeks.awk.

function uniform() { seed = (16807 * seed) % 2147483647; return seed / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }

function pick_gpus(    u) {
    u = uniform()
    return u < 0.35 ? 1 : u < 0.6 ? 2 : u < 0.8 ? 4 : 8
}

BEGIN {
    seed = 20260105
    print "job_id,submit_s,duration_s,gpus,class"
    for (day = 0; day < 5; day++) {
        for (t = 9 * 3600; ; ) {
            t += -log(uniform()) * 3600 / 14 # 14 an hour
            if (t >= 18 * 3600) break
            if (t >= 12 * 3600 && t < 13 * 3600 && uniform() > 0.4) continue
            night = t >= 17 * 3600 && uniform() < 0.25
            s = int((night ? 18000 : 2400) * exp((night ? 0.4 : 0.9) * normal()) + 0.5)
            if (s < 30) s = 30
            if (s > 36000) s = 36000
            printf "o%03d,%d,%d,%d,%s\n", ++n, int(day * 86400 + t), s, pick_gpus(), night ? "night" : "day"
        }
    }
}
