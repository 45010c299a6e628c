#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/existing.bats - what is there already: imported from AWS, sunk in NPV, in the cost of every alternative; "nothing" is one.

load helper

@test "import commitments makes the list that \"existing\" names" {
    cat >ri.json <<'END'
{"ReservedInstances": [{"ReservedInstancesId": "ri-7", "InstanceType": "p4d.24xlarge", "InstanceCount": 2, "State": "active", "CurrencyCode": "USD",
  "Start": "2025-07-01T00:00:00+00:00", "End": "2026-07-01T00:00:00+00:00", "FixedPrice": 8760, "UsagePrice": 0,
  "RecurringCharges": [{"Amount": 1.5, "Frequency": "Hourly"}]}]}
END
    run --separate-stderr "$RR" import commitments ri.json -o e.csv
    [ "$status" -eq 0 ]
    [ "$stderr" = "rackrate: 1 commitment" ]
    [ "$(sed -n 2p e.csv)" = "commitment,2 x p4d.24xlarge ri-7,2025-07-01,2026-07-01,17520,USD,3,aws ec2 describe-reserved-instances,aws/p4d.24xlarge,,2" ]
    fails 3 'no JSON value' "$RR" import commitments e.csv -o f.csv
    [ ! -e f.csv ]
    fails 2 'where to' "$RR" import commitments ri.json
}

@test "sunk cost is in the cost and not in the cash, and nothing is an alternative" {
    printf '%s\n' 'job_id,submit_s,duration_s,gpus' '1,0,3600,8' >jobs.csv
    # 1,460 days of 100; 2 an hour paid before and 3 still to pay for 181 of the 365 days; 10 kW at 8 ct.
    printf '%s\n' 'kind,name,date,cost,currency,life,kw,ends,recurring_per_hour' 'server,rack,2025-01-01,146000,USD,1460 days,10,,' \
        'commitment,ri,2025-07-01,17520,USD,,,2026-07-01,3' >e.csv
    cat >s.json <<'END'
{ "rackrate": 1, "name": "e", "start": "2026-01-01", "horizon": "1 year", "existing": "e.csv", "workload": { "w": { "trace": "jobs.csv" } },
  "finance": { "discount_rate": 0, "electricity": "$0.08/kWh", "pue": 1 },
  "pools": { "own": { "gpus_per_node": 8, "nodes": 1, "plan": { "type": "owned", "price": "$73,000", "life": "730 days", "residual": 0, "max_power": "0 W",
    "bought": "2025-01-01", "colocation": "$0/month", "maintenance": 0, "staff": "$0/year", "electricity": "$0/kWh" } } },
  "alternatives": { "nothing": {}, "sell later": { "pools": { "own": { "plan": { "resale": { "1 year": "50 %", "2 years": "40 %" } } } } } } }
END
    works "$RR" run s.json -q -o out
    r='.alternatives[0].metrics'
    [ "$(jq "$r[\"cost.existing\"].mean" out/results.json)" = "$(awk 'BEGIN { printf "%.0f", 36500 + 181 * 24 * 5 + 8760 * 0.8 }')" ]
    [ "$(jq "$r[\"cost.owned\"].mean" out/results.json)" = 36500 ]
    # owed at the end of March: what recurs in the 91 days that the commitment still runs; what was paid before is not owed
    jq -e '.sheets[] | select(.name == "finance.quarters") | (.columns | map(.title) | index("Owed at its end")) as $k
        | [.rows[] | select(.[1] == "nothing") | .[$k]] == [91 * 24 * 3, 0, 0, 0]' out/results.json
    [ "$(jq "$r[\"cash.total\"].mean" out/results.json)" = "$(awk 'BEGIN { printf "%.0f", 181 * 24 * 3 + 8760 * 0.8 }')" ]
    jq -e "$r | (.[\"npv.cost\"].mean - .[\"cash.total\"].mean + .[\"value.terminal\"].mean | fabs) < 1e-6" out/results.json
    jq -e '.inputs | any(.path == "e.csv")' out/results.json
    sed -i 's/server,rack/sever,rack/' e.csv
    fails 3 's.json:1:[0-9]+: /existing: e.csv:2: kind "sever" given; server or commitment is expected' "$RR" check s.json
    rm e.csv
    fails 4 'e.csv' "$RR" run s.json -q -o out2
}

@test "a running reservation covers its machines until it ends" {
    printf '%s\n' 'job_id,submit_s,duration_s,gpus' '1,0,31536000,24' >jobs.csv # 3 nodes all year
    printf '%s\n' 'kind,name,date,cost,currency,ends,recurring_per_hour,instance,region,count' \
        'commitment,ri,2025-07-01,17520,USD,2026-07-01,3,own/box,,2' >e.csv
    cat >s.json <<'END'
{ "rackrate": 1, "name": "e", "start": "2026-01-01", "horizon": "1 year", "existing": "e.csv", "workload": { "w": { "trace": "jobs.csv" } },
  "pools": { "p": { "instance": "own/box", "gpus_per_node": 8, "region": "here", "nodes": 3, "plan": { "type": "on_demand", "rate": "$7/h" } } } }
END
    works "$RR" run s.json -q -o out
    # 181 days of one node, then 184 of three, at 7; the reservation itself 2 + 3 an hour for 181 days
    jq -e '.alternatives[0].metrics | .["cost.on_demand"].mean == (181 + 184 * 3) * 24 * 7 and .["cost.existing"].mean == 181 * 24 * 5' out/results.json
    jq -e '.alternatives[0].laws | map(.holds) | all' out/results.json
    sed -i 's/,own.box,,2/,,,/' e.csv
    run --separate-stderr "$RR" run s.json -o out
    [[ $output == *'"ri" is paid for and covers nothing'* ]]
    sed -i 's/2026-07-01,3,,,/2026-07-01,3,own\/box,,0/' e.csv
    fails 3 'e.csv:2: count "0" given' "$RR" check s.json
}
