#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/plan.bats - rackrate plan --capacity against Erlang C, and its refusals.
load helper

# 10 erlangs, 180 s each: Erlang C gives a mean wait of 40.5 s on 12 servers, 17.1 s on 13, 7.84 s on 14 (0.0435330 x 180 s, a published value), 3.67 s on 15.
erlang() { # LIMIT
    cat <<JSON
{ "rackrate": 1, "name": "erlang", "seed": 5, "warmup": "1 h",
  "workload": { "w": { "generate": { "count": 200000, "arrival": {"poisson": {"rate": "200/h"}},
                                     "duration": {"exponential": {"mean": "3 min"}}, "gpus": 1 } } },
  "pools": { "c": { "gpus_per_node": 1, "nodes": 3, "plan": {"type": "unpriced"} } },
  "service": { "wait.mean": "<= $1" } }
JSON
}

@test "the fewest servers are those of Erlang C" {
    for want in "12 s 14" "28 s 13" "5.5 s 15"; do
        set -- $want
        erlang "$1 $2" >s.json
        run --separate-stderr "$RR" plan s.json --capacity --json
        [ "$status" -eq 0 ]
        [ "$(jq .best.nodes.c <<<"$output")" = "$3" ]
        [ "$(jq .below.nodes.c <<<"$output")" = "$(($3 - 1))" ]
        [ "$(jq .below.meets <<<"$output")" = false ]
    done
}

@test "the cheapest mix of two pools is as cheap as the cheaper pool alone" {
    cat >s.json <<JSON
{ "rackrate": 1, "name": "mix", "start": "2026-01-01", "horizon": "30 days", "seed": 3, "warmup": "1 h",
  "workload": { "w": { "generate": { "count": 4000, "arrival": {"poisson": {"rate": "6/h"}}, "duration": {"exponential": {"mean": "1 h"}}, "gpus": 1 } } },
  "pools": { "dear":  { "gpus_per_node": 1, "nodes": 1, "plan": {"type": "on_demand", "rate": "\$3/h"} },
             "cheap": { "gpus_per_node": 1, "nodes": 1, "plan": {"type": "on_demand", "rate": "\$2/h"} } },
  "service": { "wait.p95": "<= 30 min" } }
JSON
    run --separate-stderr "$RR" plan s.json --capacity --pool dear --pool cheap --json
    [ "$status" -eq 0 ]
    [ "$(jq .best.nodes.dear <<<"$output")" = 0 ]
    n=$(jq .best.nodes.cheap <<<"$output")
    run --separate-stderr "$RR" plan s.json --capacity --pool cheap --set /pools/dear/nodes=0 --json
    [ "$(jq .best.nodes.cheap <<<"$output")" = "$n" ]
}

@test "what cannot be planned is refused with the reason" {
    erlang "12 s" >s.json
    run --separate-stderr "$RR" plan s.json
    [ "$status" -eq 2 ]
    run --separate-stderr "$RR" plan s.json --capacity --most 9
    [ "$status" -eq 3 ]
    [[ "$stderr" == *'9 nodes of pool "c" are not enough'* ]]
    run --separate-stderr "$RR" plan s.json --capacity --pool nix
    [ "$status" -eq 3 ]
    [[ "$stderr" == *'has no pool "nix"'* ]]
    jq 'del(.service)' s.json >no.json
    run --separate-stderr "$RR" plan no.json --capacity
    [ "$status" -eq 3 ]
    [[ "$stderr" == *'there is nothing to meet'* ]]
}
@test "a limit that is missed by less than the usual digits show is told with more" {
    jobs a,0,7204,8 b,0,10,8 >jobs.csv
    scenario '.pools.p.nodes = 1 | .service = {"wait.mean": "<= 1 h"}' >s.json # half of 7,204 s
    works "$RR" plan s.json --capacity --json
    jq -e '.best.nodes.p == 2 and .below.detail == "wait.mean is 1 h 2 s, wanted <= 1 h"' <<<"$output"
    jobs a,0,7200.5,8 b,0,10,8 >jobs.csv
    works "$RR" plan s.json --capacity --json
    jq -e '.below.detail == "wait.mean is 1 h 250 ms, wanted <= 1 h"' <<<"$output"
}
@test "pools whose size cannot be searched" {
    jobs >jobs.csv
    scenario '.pools.p.nodes = {min: 0, max: 4} | .service = {"wait.mean": "<= 1 h"}' >s.json
    fails 3 's.json: /pools: no pool of "base" has a fixed number of like nodes to search: give one "nodes" a number' "$RR" plan s.json --capacity
    scenario '.service = {"wait.mean": "<= 1 h"} | .replications = 3 | .uncertainty = {fleet: {path: "/pools/p/nodes", uniform: [1, 3]}}' >s.json
    fails 3 's.json:[0-9]+:[0-9]+: /uncertainty/fleet: "fleet" varies the nodes of pool "p", which are what is searched' "$RR" plan s.json --capacity
    fails 3 '/uncertainty/fleet: "fleet" varies the nodes' "$RR" plan s.json --capacity --pool p
}
