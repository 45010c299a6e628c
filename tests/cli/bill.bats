#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/bill.bats - a bill out of a run, bills of clouds in, leases under other prices, simulated against billed.
load helper

# A month of two machines of which one is reserved for two months, paid upfront; the first job runs on both.
rented() {
    jobs a,0,90000,16 b,864000,7200,8 >jobs.csv
    scenario '.name = "rented" | .horizon = "31 days" | .workload.w.trace = "jobs.csv"
        | .pools = {"cloud": {"instance": "aws/own.8", "region": "us-east-1", "gpus_per_node": 8, "nodes": {"min": 0, "max": 2}, "idle_timeout": "10 min",
            "plan": {"type": "on_demand", "rate": "$23.85/h", "discount": 0.1}}}
        | .autoscale = {"policy": "queue"}
        | .commitments = {"ri": {"type": "reserved", "instance": "aws/own.8", "region": "us-east-1", "count": 1, "term": "2 months", "payment": "all_upfront",
            "rate": "$11.37/h"}}' >s.json
}

@test "a run as a FOCUS bill: its sums are cash and cost, and it keeps to FOCUS" {
    rented
    "$RR" run s.json -o out --format focus,json,db -q
    run --separate-stderr "$RR" import bill --check out/bill.focus.csv
    [ "$status" -eq 0 ]
    [[ $output == *" 0 findings; "* ]]
    sums=$(jq -r '.alternatives[0].metrics | "effective \(.["cost.total"].mean), billed \(.["cash.total"].mean)"' out/results.json)
    [[ $output == *"$sums" ]] || { echo "$output is not $sums"; return 1; }
    grep -c ',Purchase,' out/bill.focus.csv | grep -qx 1
    grep -q ',Unused,' out/bill.focus.csv
    "$RR" report out -o again --format focus
    cmp out/bill.focus.csv again/bill.focus.csv
}
@test "a run writes no bill unless asked, and a bill needs a calendar" {
    rented
    "$RR" run s.json -o out -q
    [ ! -e out/bill.focus.csv ]
    jq 'del(.start, .commitments)' s.json >n.json
    fails 3 'a FOCUS bill needs a calendar: give the scenario a "start"' "$RR" run n.json -o no --format focus -q
    [ ! -e no ]
}
@test "a bill in: our columns, demand by the hour, and what is refused" {
    printf '%s\n' ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ServiceCategory,ServiceName,BilledCost,EffectiveCost,BillingCurrency,ConsumedQuantity,ConsumedUnit,SkuId,RegionId \
        '2024-09-18 22:00:00,2024-09-18 23:00:00,Usage,Compute,EC2,4.77,NULL,USD,2,Hours,g5,us-west-2' \
        '2024-09-18 00:00:00,2024-09-19 00:00:00,Usage,Compute,EC2,12,12,USD,24,Hours,g5,us-west-2' \
        '2024-09-18 22:00:00,2024-09-18 23:00:00,Purchase,Compute,EC2,99,0,USD,,,ri,us-west-2' >f.csv
    run --separate-stderr "$RR" import bill f.csv -o b.csv --demand d.csv
    [ "$status" -eq 0 ]
    [[ ${stderr_lines[0]} == "rackrate: focus: 3 rows, 0 rejected, 2 of machine hours; billed 115.77, effective 16.77 USD" ]]
    [[ $stderr == *"1 of 2 rows are longer than an hour: spread evenly over their time, peaks are lost"* ]]
    [ "$(wc -l <d.csv)" -eq 25 ]
    grep -qx 2024-09-18T22:00:00Z,g5,us-west-2,3 d.csv
    grep -qx 2024-09-18T21:00:00Z,g5,us-west-2,1 d.csv
    gzip -k b.csv
    run --separate-stderr "$RR" import bill b.csv.gz -o -
    [ "$output" = "$(cat b.csv)" ]
    sed '2s/4.77/$4.77/' f.csv >bad.csv
    fails 3 'bad.csv: 1 of 3 rows are damaged, more than 1 %.*bad.csv:2: billed: "\$4.77" is no plain decimal' "$RR" import bill bad.csv -o no.csv
    [ ! -e no.csv ]
    printf 'PAR1 xyz PAR1' >p.parquet
    fails 3 "p.parquet: is a Parquet file, .*duckdb -c \"COPY \(FROM 'p.parquet'\) TO 'p.parquet.csv'" "$RR" import bill p.parquet -o no.csv
    fails 2 'where to' "$RR" import bill f.csv
    printf 'When,Cost\n2024-09-18,1.5\n' >own.csv
    fails 3 'own.csv:1: the header is of no known format' "$RR" import bill own.csv -o no.csv
    run --separate-stderr "$RR" import bill own.csv -o - --column day=When --column billed=Cost
    [[ ${lines[1]} == 2024-09-18T00:00:00Z,2024-09-19T00:00:00Z,*,1.5,1.5, ]]
}
@test "the check of FOCUS names line and column" {
    rented
    "$RR" run s.json -o out --format focus -q
    sed '2s/,USD,/,usd,/; 3s/T00:00:00Z,Usage/ 00:00:00,Usage/' out/bill.focus.csv >bad.csv
    run --separate-stderr "$RR" import bill --check bad.csv
    [ "$status" -eq 3 ]
    [[ $output == *'bad.csv:2: BillingCurrency: "usd" is no code such as USD'* ]]
    [[ $stderr == *"findings against FOCUS 1.2 in"* ]]
    fails 2 'FOCUS 1.9 is not known here' "$RR" import bill --check --focus 1.9 bad.csv
}
@test "the same prices give the same totals, to the micro-unit" {
    for s in buy-vs-rent commitments spot discounts failures ways-to-pay; do
        "$RR" run "$ROOT/data/scenarios/$s.json" -o "$s" --format db -q
        works "$RR" reprice "$s" --json
        jq -e '.held_fixed | startswith("Decisions are held fixed")' <<<"$output"
        jq -e '[.alternatives[].priced | (.[1].difference == 0 and .[0]["cash.total"] == .[1]["cash.total"]
            and .[0]["cost.after_horizon"] == .[1]["cost.after_horizon"] and .[0].lines == .[1].lines)] | all' <<<"$output" || { echo "$s"; return 1; }
    done
}
@test "a tariff by the hour finds its hours in the stored result" {
    jobs a,0,90000,8 b,100000,7200,4 >jobs.csv
    scenario '.pools.p.plan = {"type": "owned", "price": "$100,000", "life": "5 years", "residual": 0.1, "max_power": "10 kW", "idle_power": "2 kW",
        "pue": 1.3, "colocation": "$0/kW/month", "includes_power": false, "maintenance": 0, "timezone": "Europe/Berlin",
        "tariff": [{"from": "06:00", "to": "22:00", "rate": "$0.20/kWh"}, {"rate": "$0.0837/kWh"}]}' >s.json
    "$RR" run s.json -o out --format db -q
    works "$RR" reprice out --json
    jq -e '.alternatives[0].priced | .[1].difference == 0 and .[0].lines == .[1].lines' <<<"$output"
}
@test "other rates and books: one table, exact where it can be said" {
    rented
    "$RR" run s.json -o out --format db -q
    # 90000 s x 2 and 7200 s, each with what idles after it; on demand is what lies above the reserved machine: $23.85/h less 10 %
    works "$RR" reprice out --set /pools/cloud/plan/rate='$47.70/h' --json
    jq -e '.alternatives[0].priced | [.[] | [.lines[] | select(.type == "on_demand") | .effective] | add] | (.[1] - 2 * .[0] | fabs) < 0.000002' <<<"$output"
    jq -e '.alternatives[0].priced | [.[] | [.lines[] | select(.type == "reserved") | .effective] | add] | .[0] == .[1]' <<<"$output"
    works "$RR" reprice out --set /pools/cloud/plan/rate='$47.70/h' -o priced
    [[ $output == *"Decisions are held fixed"* ]]
    grep -q '^base,as run,total,' priced/reprice.csv
    jq -e '.schema == "rackrate.reprice/1"' priced/reprice.json
    fails 3 'no alternative has it' "$RR" reprice out --set /pools/clod/plan/rate='$1/h'
    fails 3 'rate' "$RR" reprice out --set /pools/cloud/plan/rate=-3
}
@test "price books: columns beside the run, own rates are told" {
    rented
    jq 'del(.pools.cloud.plan.rate, .pools.cloud.gpus_per_node) | .prices = ["old.csv"]' s.json >b.json
    head=provider,instance,gpu_count,unit,region,plan,currency,price,valid_from,source
    printf '%s\n' $head 'aws,own.8,8,instance-hour,us-east-1,on_demand,USD,23.85,2025-01-01,quote' >old.csv
    printf '%s\n' $head 'aws,own.8,8,instance-hour,us-east-1,on_demand,USD,71.55,2025-01-01,quote' >new.csv
    "$RR" run b.json -o out --format db -q
    works "$RR" reprice out --prices old.csv --prices new.csv --json
    jq -e '.alternatives[0].priced | map(.prices) == ["as run", "old.csv", "new.csv"]' <<<"$output"
    jq -e '.alternatives[0].priced | (.[1].difference == 0) and ([.[] | [.lines[] | select(.type == "on_demand") | .effective] | add]
        | (.[2] - 3 * .[0] | fabs) < 0.000003)' <<<"$output"
    works "$RR" reprice out --prices new.csv
    [[ $output == *"with a price in the scenario, which no book replaces"* ]]
    fails 4 'none.csv: No such file' "$RR" reprice out --prices none.csv
}
@test "what cannot be priced again" {
    rented
    "$RR" run s.json -o out --format json -q
    fails 3 'has no results.db' "$RR" reprice out/results.json
    fails 4 'nowhere: No such file' "$RR" reprice nowhere
}
@test "simulated against billed, line by line" {
    rented
    "$RR" run s.json -o out --format focus,db -q
    works "$RR" reconcile out out/bill.focus.csv --json
    jq -e '.difference == 0 and .explained == 1 and (.lines | length) == 1 and .lines[0].on == "both"' <<<"$output"
    works "$RR" reconcile out out/bill.focus.csv --cost effective --json
    jq -e '.difference == 0' <<<"$output"
    "$RR" import bill out/bill.focus.csv -o bill.csv 2>/dev/null
    {
        cat bill.csv
        echo '2026-01-05T00:00:00Z,2026-01-06T00:00:00Z,a,AWS,Amazon S3,Storage,us-east-1,,,,,Usage,Standard,,,1,GB,,,100.5,100.5,USD'
    } >more.csv
    works "$RR" reconcile out more.csv --json
    jq -e '.only_billed == 100.5 and .difference == -100.5 and ([.lines[] | select(.on == "billed") | .service] == ["Amazon S3"])' <<<"$output"
    works "$RR" reconcile out more.csv
    [[ $output == *"not simulated"* ]]
    [[ $output == *'$100.50 is billed and not simulated.'* ]]
    [[ $output == *'All 2 accounts of the bill (--account takes some): '*'"a"'* ]]
    works "$RR" reconcile out more.csv --account a --json
    jq -e '.billed == 100.5 and (.lines | length) == 2' <<<"$output"
    fails 2 'the bill has no account "b"; there are ' "$RR" reconcile out more.csv --account b
    sed 's/USD/EUR/' bill.csv >eur.csv
    fails 3 'the bill is in EUR, the result in USD' "$RR" reconcile out eur.csv
    fails 2 'no alternative "bese", did you mean "base"' "$RR" reconcile out bill.csv --alternative bese
    fails 2 'billed or effective' "$RR" reconcile out bill.csv --cost list
}

@test "of a bill with all alternatives of the result the others are left out" {
    works "$RR" run "$ROOT/data/scenarios/discounts.json" -o three --format focus,db,json
    for a in 'on demand' prepaid 'spot, stop at 20'; do
        works "$RR" reconcile three three/bill.focus.csv --alternative "$a" --json
        jq -e '.difference == 0 and .explained == 1' <<<"$output"
    done
    works "$RR" reconcile three three/bill.focus.csv --alternative prepaid
    [[ $output == *"Left out of the bill: 2 accounts of this result's other alternatives."* ]]
    works "$RR" reconcile three three/bill.focus.csv --alternative prepaid --account 'discounts/on demand' --json
    jq -e '.difference != 0' <<<"$output"
}
