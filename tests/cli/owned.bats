#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/owned.bats - bought machines from the command line: delivery in steps with a bridge, tariffs by the hour, present value, bad input.

load helper

own() { # [JQ_FILTER]: one node of 8 GPUs that costs nothing but what the filter says
    jq "${1:-.}" <<'JSON'
{ "rackrate": 1, "name": "own", "start": "2026-01-01", "horizon": "100 days", "workload": { "w": { "trace": "j.csv" } },
  "pools": { "own": { "gpus_per_node": 8, "nodes": 1, "plan": { "type": "owned", "price": "$73,000", "life": "730 days", "residual": 0,
    "max_power": "1 kW", "idle_power": "0 W", "pue": 1, "colocation": "$0/month", "maintenance": 0, "staff": "$0/year", "electricity": "$1/kWh" } } } }
JSON
}

@test "a bridge stands in until the machines are there" {
    # Two jobs run at a time from hour 5 on: on the first own node, and in the cloud until day 25, when the last job there has 5 h to go.
    { echo job_id,submit_s,duration_s,gpus; for i in {0..479}; do echo "$i,$((i * 18000)),36000,8"; done; } >j.csv
    own '.pools.own += {"nodes": 3} | .pools.own.plan += {"payments": {"order": "30 %", "delivery": "60 %", "acceptance": "10 %"}, "bridge": "cloud",
            "steps": [{"nodes": 1}, {"nodes": 2, "lead": "20 d", "burn_in": "5 d"}]}
        | .pools.cloud = {"gpus_per_node": 8, "nodes": {"min": 0, "max": 8}, "plan": {"type": "on_demand", "rate": "$10/h"}}' >s.json
    works "$RR" run s.json -q -o out
    [ "$(grep -c '^base,1,own,[12],,2160000,2160000,8640000,' out/leases.csv)" = 2 ]
    [ "$(grep '^base,1,cloud' out/leases.csv | cut -d, -f6-8)" = 18000,18000,2178000 ]
    # 100 a day of 1 and 2 nodes; 4,795 h of jobs, 600 of them in the cloud; paid ahead: all of 219,000.
    [ "$(jq -c '[.alternatives[0].metrics | .["cost.owned", "cost.on_demand", "cash.total", "value.terminal", "nodes.peak"].mean]' out/results.json)" = \
        "[$((10000 + 15000 + 4195)),6000,$((219000 + 4195 + 6000)),$((219000 - 25000)),4]" ]
    [ "$(awk -F, '$13 == 43800 || $13 == 87600 || $13 == 14600 { printf "%s %s;", $12, $13 }' out/charges.csv)" = \
        "2026-01-01 43800;2026-01-21 87600;2026-01-26 14600;" ]

    # Sold after 50 days: no machine is left, and jobs wait.
    own '.pools.own.plan += {"life": "50 days", "at_end": "sell", "resale": {"50 days": "20 %"}}' >s.json
    works "$RR" run s.json -q -o out
    [ "$(grep -c '^base,1,own' out/leases.csv)" = 1 ]
    [ "$(grep '^base,1,own' out/leases.csv | cut -d, -f8)" = 4320000 ]
    [ "$(jq '.alternatives[0].metrics["value.terminal"].mean' out/results.json)" = 0 ]
    jq -e '.alternatives[0].metrics["jobs.waiting"].mean > 300' out/results.json
}

@test "a lead time is drawn anew in each replication, the same on any number of threads" {
    echo job_id,submit_s,duration_s,gpus >j.csv
    echo 1,0,36000,8 >>j.csv
    own '.replications = 20 | .pools.own.plan.steps = [{"nodes": 1, "lead": {"uniform": ["10 d", "90 d"]}}]' >s.json
    works "$RR" run s.json -q -o one -j1 --format json
    works "$RR" run s.json -q -o two -j2 --format json
    cmp one/results.json two/results.json
    jq -e '.alternatives[0].metrics["wait.max"] | .min > 864000 and .max < 7776000 and .max - .min > 2592000' one/results.json
}

@test "energy is priced by the hour in which jobs ran" {
    echo job_id,submit_s,duration_s,gpus >j.csv
    echo 1,0,21600,8 >>j.csv
    own '.horizon = "1 day" | .start = "2026-01-01T05:00:00Z" | .pools.own.plan |= (del(.electricity) + {"timezone": "America/New_York",
        "tariff": [{"from": "06:00", "to": "22:00", "rate": "$1/kWh"}, {"rate": "$0.1/kWh"}], "demand_charge": "$31/kW/month"})' >s.json
    works "$RR" run s.json -q -o out
    # Midnight to 06:00 in New York: 6 kWh at 10 ct; 1 kW at 31 $ for a day of January.
    [ "$(jq '.alternatives[0].metrics["cost.energy"].mean' out/results.json)" = 1.6 ]
}

@test "present value: 400,000 now and 60,000 a year by the month, 8 %, 4 years" {
    echo job_id,submit_s,duration_s,gpus >j.csv
    echo 1,0,3600,8 >>j.csv
    own '.horizon = "4 years" | .finance.discount_rate = 0.08 | .pools.own.plan += {"price": "$400,000", "life": "4 years", "staff": "$60,000/year", "electricity": "$0/kWh"}' >s.json
    works "$RR" run s.json -q -o out
    jq -e '.alternatives[0].metrics["npv.cost"].mean
        | . - (400000 + 5000 * (1 - pow(1.08; -4)) / (pow(1.08; 1 / 12) - 1)) | fabs < 1e-6' out/results.json
    # A loan changes the cash and not the project.
    npv=$(jq '.alternatives[0].metrics["npv.cost"].mean' out/results.json)
    jq '.pools.own.plan.loan = {"share": "60 %", "rate": "9 %", "term": "36 months"}' s.json >l.json
    works "$RR" run l.json -q -o loan
    [ "$(jq '.alternatives[0].metrics["npv.cost"].mean' loan/results.json)" = "$npv" ]
    jq -e '.alternatives[0].metrics["cash.total"].mean | . - (640000 + 36 * 240000 * 0.0075 / (1 - pow(1.0075; -36)) - 240000) | fabs < 0.001' loan/results.json
}

@test "bad terms of owned machines each have their line" {
    echo job_id,submit_s,duration_s,gpus >j.csv
    echo 1,0,3600,8 >>j.csv
    bad() {
        own ".pools.own.plan |= ($2)" >s.json
        fails 3 "s.json:[0-9]+:[0-9]+: $1" "$RR" check s.json
    }
    bad '/pools/own/plan: "steps" bring 3 nodes, the pool has 1' '. + {"steps": [{"nodes": 3}]}'
    bad '/pools/own/plan: "payments" come to 90 %, not to 100 %' '. + {"steps": [{"nodes": 1}], "payments": {"order": "90 %"}}'
    bad '/pools/own/plan: "tariff": no window holds on Sat at 00:00 in Jan' \
        'del(.electricity) + {"timezone": "UTC", "tariff": [{"days": "Mon-Fri", "rate": "$1/kWh"}]}'
    bad '/pools/own/plan/timezone: .*"Mars/Olympus"' '. + {"timezone": "Mars/Olympus"}'
    bad '/pools/own/plan/bom/leaf/count: 0 given' '. + {"bom": {"leaf": {"price": "$1", "count": 0}}}'
    bad '/pools/own/plan: MACRS has classes of 3, 5 and 7 years' '. + {"depreciation": "macrs", "life": "4 years"}'
    bad '/pools/own/plan: "includes_power" is missing' '. + {"colocation": "$100/kW/month"}'
    bad '/pools/own/plan: "bridge": there is no other pool' '. + {"steps": [{"nodes": 1}], "bridge": "own"}'
    bad '/pools/own/plan/steps/0/led: unknown key "led"; did you mean "lead"' '. + {"steps": [{"nodes": 1, "led": "3 d"}]}'
}
