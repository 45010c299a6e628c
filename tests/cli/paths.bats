#!/usr/bin/env bats
# tests/cli/paths.bats - prices that change inside the horizon: from a price book, and from the scenario itself.
load helper

@test "a price book's dates become the path of an on-demand price" {
    echo 'provider,instance,gpu,gpu_count,unit,region,currency,price,valid_from,source' >book.csv
    echo 'acme,x,h100-80gb-sxm,4,GPU-hour,east,USD,2.5,2025-11-01,quote' >>book.csv
    echo 'acme,x,h100-80gb-sxm,4,GPU-hour,east,USD,2.25,2026-01-11,quote' >>book.csv
    jobs >jobs.csv
    scenario '.start = "2026-01-01" | .horizon = "31 days" | .prices = ["book.csv"] | .pools.p = {"instance": "acme/x", "region": "east", "nodes": 1,
        "plan": {"type": "on_demand"}}' >s.json
    works "$RR" run s.json -o out --format json
    # 4 GPUs for 10 days at $2.50 and 21 at $2.25
    jq -e '.alternatives[0].metrics."cost.total".mean == 4 * 24 * (10 * 2.5 + 21 * 2.25)' out/results.json
    # the scenario's own dates go before the book's
    jq '.pools.p.plan.steps = {"2026-01-21": "$1/gpu/h"}' s.json >own.json
    works "$RR" run own.json -o out2 --format json
    jq -e '.alternatives[0].metrics."cost.total".mean == 4 * 24 * (20 * 2.5 + 11 * 1)' out2/results.json
}
