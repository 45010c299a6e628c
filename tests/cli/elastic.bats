#!/usr/bin/env bats
# tests/cli/elastic.bats - autoscalers and how nodes come, as a scenario says it: what is read, shown and refused.
load helper

pools() { # the rest of the pool's members, and what stands beside "pools"
    echo 'job_id,submit_s,duration_s,gpus' >jobs.csv
    for i in 1 2 3; do echo "j$i,$((i * 100)),3000,8" >>jobs.csv; done
    cat >s.json <<JSON
{ "rackrate": 1, "start": "2026-03-27", "horizon": "3 days", "workload": { "w": { "trace": "jobs.csv" } },
  "pools": { "p": { "gpus_per_node": 8, "nodes": { "min": 0, "max": 4 }, "plan": { "type": "on_demand", "rate": "\$31.40/h" } $1 } } $2 }
JSON
}

@test "autoscalers are listed, read and shown" {
    works "$RR" list autoscalers
    for a in queue utilization target schedule; do grep -q "^$a " <<<"$output"; done
    pools ', "autoscale": {"policy": "schedule", "timezone": "Europe/Berlin", "windows": [{"days": "Mon-Fri", "from": "09:00", "nodes": 2}]}'
    works "$RR" check s.json --print --set '/pools/q={"gpus_per_node": 8, "nodes": {"min": 0, "max": 4}, "plan": {"type": "unpriced"}}' \
        --set '/autoscale={"policy": "utilization", "high": "75 %"}'
    grep -qE '/autoscale/high +0.75 +given' <<<"$output"
    grep -qE '/autoscale/window +10 min +default' <<<"$output"
    grep -qE '/pools/p/autoscale/timezone +Europe/Berlin +given' <<<"$output"
    works "$RR" run s.json -o out # 08:00 to 23:00 UTC on the Friday, two nodes
    [ "$(tail -n +2 out/leases.csv | wc -l)" -eq 2 ]
    jq -e '.alternatives[0].metrics."gpu_hours.held".mean == 2 * 8 * 15' out/results.json
}
@test "what is wrong with an autoscaler is said" {
    pools ', "autoscale": {"policy": "utilisation"}'
    fails 3 's.json:2:[0-9]*: /pools/p/autoscale/policy: "utilisation" is no autoscaler, did you mean "utilization"?' "$RR" check s.json
    pools '' ', "autoscale": {"policy": "target", "low": 0.3}'
    fails 3 '/autoscale/low: unknown key "low"' "$RR" check s.json
    pools '' ', "autoscale": {"policy": "utilization", "low": 0.9}'
    fails 3 's.json:2:[0-9]*: /autoscale/low: 0.9 is not below "high", which is 0.8' "$RR" run s.json -o out
    pools ', "autoscale": {"policy": "schedule", "windows": [{"nodes": 1}]}'
    fails 3 '/pools/p/autoscale/policy: "schedule" follows a calendar; add "start"' "$RR" check s.json --set /start=null
    fails 3 '/pools/p/autoscale/timezone: no time zone "Mars"' "$RR" check s.json --set '/pools/p/autoscale/timezone="Mars"'
    fails 3 '"days": "Mo" given; days are expected, such as "Mon-Fri"' "$RR" check s.json --set '/pools/p/autoscale/windows/0/days="Mo"'
    fails 3 '"to": "25:00" given; a time of day is expected' "$RR" check s.json --set '/pools/p/autoscale/windows/0/to="25:00"'
    fails 3 '/pools/p/autoscale: the pool always has the same nodes' "$RR" check s.json --set /pools/p/nodes=3
}
@test "how nodes come is read and refused" {
    pools ', "boot": {"exponential": {"mean": "4 min"}}, "image": {"size": "20 GiB", "bandwidth": "1 GB/s", "cache": "50 %"}, "quota": 2,
             "refuse": "20 %", "retry": "2 min", "idle_align": "1 h", "spill_after": "1 min"' ', "pool_order": "cheapest"'
    works "$RR" check s.json --print
    grep -qE '/pools/p/boot +\{"exponential": \{"mean": "4 min"\}\} +given' <<<"$output"
    grep -qE '/pools/p/image/cache +50 % +given' <<<"$output"
    works "$RR" run s.json -o out
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } END { exit NR != 3 }' out/leases.csv # no more than the quota
    grep -qE '^> Warning: .*requests for a node of pool "p" were refused, 2 nodes came; [0-9.]+ % of all waiting was for refused' out/report.md
    fails 3 '/pools/p/image/bandwidth: "3 GB" is a size where a bandwidth is wanted' "$RR" check s.json --set '/pools/p/image/bandwidth="3 GB"'
    fails 3 '/pools/p/quota: it is below the nodes that are always held, which are 3' "$RR" check s.json --set /pools/p/nodes/min=3
    fails 3 '/pool_order: "cheapest" needs a price of each pool; "p" is unpriced' "$RR" check s.json --set '/pools/p/plan={"type": "unpriced"}'
    fails 3 '/pools/p/retry: "0 s" given; at least 1 s is expected' "$RR" check s.json --set '/pools/p/retry="0 s"'
}
@test "capacity that is refused is a headline: all of the third job's wait was for it" {
    pools ', "quota": 2, "retry": "10 min"'
    run --separate-stderr "$RR" run s.json -o out
    [ "$status" -eq 0 ]
    grep -qF '5 requests for a node of pool "p" were refused, 2 nodes came; 100.0 % of all waiting was for refused capacity' out/report.md # at 300, 900 .. 2,700 s
    grep -q 'were refused' <<<"$output"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 4 { exit $c["start_s"] != 3100 }' out/jobs.csv
}
@test "a timeout that an autoscaler does not use is told" {
    pools ', "idle_timeout": "5 min"' ', "autoscale": {"policy": "utilization"}'
    works "$RR" run s.json -o out
    grep -q 'not used: the autoscaler "utilization" says which nodes leave' out/report.md
}
@test "what decides is in the hash: autoscalers and supply do not share a replay" {
    pools '' ', "alternatives": {"a": {}, "b": {"autoscale": {"policy": "utilization"}}, "c": {"pools": {"p": {"boot": "9 min"}}},
                                 "d": {"pools": {"p": {"idle_align": "1 h"}}}}'
    works "$RR" run s.json -o out
    jq -e '[.alternatives[].metrics."gpu_hours.held".mean] | unique | length == 4' out/results.json
}
