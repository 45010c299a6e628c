#!/usr/bin/env bats
# tests/cli/public.bats - a public trace through the whole program: Alibaba's GPU-sharing cluster of 2023 on its own 1,523 nodes.
load helper

DATA=${RACKRATE_SHARED:-$ROOT/../shared}/traces/alibaba-gpu-v2023

openb() {
    [ -e "$DATA/openb_pod_list_default.csv.gz" ] || skip "the public traces are not there (RACKRATE_SHARED)"
    jq --arg pods "$DATA/openb_pod_list_default.csv.gz" --arg nodes "$DATA/openb_node_list_all_node.csv" \
        '.workload.prod.trace = $pods | .pools.all.nodes.file = $nodes' >openb.json <<'JSON'
{ "rackrate": 1, "name": "openb", "start": "2023-01-01",
  "workload": { "prod": { "format": "alibaba-gpu-2023" } },
  "pools": { "all": { "nodes": { "format": "alibaba-gpu-2023" }, "plan": { "type": "unpriced" } } },
  "scheduler": { "policy": "fifo", "placement": "pack" } }
JSON
}

@test "8,152 pods, 897 of them never scheduled, 51,471 GPU-hours; all laws hold; the same bytes again" {
    openb
    works "$RR" run openb.json -o a
    jq -e '[.alternatives[].laws[] | .holds] | length >= 5 and all' a/results.json
    jq -e '.alternatives[0].metrics | ."jobs.submitted".mean == 8152 and ."jobs.killed".mean >= 897
           and (."gpu_hours.used".mean - 51471 | fabs) < 1' a/results.json
    [ "$(grep -c 'never started' a/jobs.csv)" -eq 897 ]
    works env TZ=Asia/Shanghai LC_ALL=de_DE.UTF-8 "$RR" run openb.json -o b
    diff -r a b
}

@test "Batsim's 32 machines at 95 W for 16,088.51 s: 48,909,070.4 J" {
    trace=${RACKRATE_SHARED:-$ROOT/../shared}/traces/batsim/medium_late.json.gz
    [ -e "$trace" ] || skip "the public traces are not there (RACKRATE_SHARED)"
    jq --arg trace "$trace" '.workload.w.trace = $trace' >energy.json <<'JSON'
{ "rackrate": 1, "name": "energy", "start": "2026-01-01", "workload": { "w": {} },
  "pools": { "m": { "gpus_per_node": 1, "nodes": 32, "plan": { "type": "owned", "price": "$1", "life": "5 years", "residual": 0,
    "idle_power": "95 W", "max_power": "95 W", "pue": 1, "electricity": "$0.10/kWh", "colocation": "$0/kW/month", "maintenance": 0,
    "staff": "$0/node/year" } } },
  "scheduler": { "policy": "easy_backfill" } }
JSON
    run --separate-stderr "$RR" run energy.json -o energy --format json -q
    [ "$status" -eq 0 ]
    jq -e '.alternatives[0].metrics | (."energy.kwh".mean * 3.6e6 - 48909070.4 | fabs) < 0.01 and .makespan.mean == 16088.51' energy/results.json
}
