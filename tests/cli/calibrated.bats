#!/usr/bin/env bats
# tests/cli/calibrated.bats - profiles in rackrate size and in scenarios: coefficients before and after, worlds, refusals.
load helper

llama() { "$RR" size --model llama-3-8b --tokens 20B --gpu h100-sxm --gpus 64 --alone "$@"; }
# gemm LOW HIGH [GPU]: a profile whose product rate is a tenth under the reference's 794.5, within these bars around 700.
gemm() {
    cat >p.json <<JSON
{ "schema": "rackrate.profile/1", "name": "ours", "date": "2026-11-07", "measured": true,
  "hardware": {"gpu": "${3:-h100-80gb-sxm}", "gpus_per_node": 8, "nodes": 1},
  "sources": [{"name": "log-1", "text": "our probe", "file": "probe.json"}],
  "gemm": [{"type": "bf16", "source": "log-1", "peak_tflops": 715.05, "rate_tflops": {"value": 700, "p05": $1, "p95": $2}, "overhead_us": 3,
            "bytes_gb_s": 2800, "depth": 150}] }
JSON
}
scenario() { # PROFILES
    cat >s.json <<JSON
{ "rackrate": 1, "name": "s", "start": "2026-01-01", "horizon": "30 days", "seed": 4, "replications": 400, "profiles": $1,
  "workload": { "llm": { "training": { "model": "llama-3-8b", "tokens": "20B", "gpu": "h100-sxm", "gpus": 64 } } },
  "pools": { "p": { "instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": {"min": 0, "max": 8}, "boot": "0 s", "idle_timeout": "0 s",
                    "plan": {"type": "on_demand"} } } }
JSON
}

@test "size: a coefficient before and after, with the measurement" {
    gemm 700 700
    works llama --profile p.json --json
    jq -e '.points[0].profiles == [.points[0].profiles[0]] and (.points[0].profiles[0] | .coefficient == "gemm_eff" and .profile == "ours" and .date == "2026-11-07" and
           .source == "products in bf16, log-1: our probe, probe.json" and (.after / .before - 0.9 | fabs) < 1e-9 and .reference == 794.5 and .p05 == .p95)' <<<"$output"
    works llama --profile p.json --explain
    [[ "$output" == *"gemm_eff = "*" -> "*"measured: 715 TFLOP/s in 16 bits, profile ours, fitted 2026-11-07, products in bf16, log-1: our probe, probe.json; behind the coefficient: 794.5"* ]]
    works llama --profile p.json
    [[ "$output" == *"profile ours: 715 TFLOP/s in 16 bits; 794.5 behind it"* ]]
}
@test "size: bars of the profile are in the band, bars of no width are not" {
    width() { jq '.points[0].time | .p90_s / .p10_s' <<<"$output"; }
    gemm 700 700
    works llama --profile p.json --json
    sure=$(width)
    gemm 350 1050
    works llama --profile p.json --json
    unsure=$(width)
    jq -ne "$unsure > $sure * 1.1"
    # money goes with time
    jq -e '.points[0] | .time as $t | .costs[0] | (.p90 / .p10 / ($t.p90_s / $t.p10_s) - 1 | fabs) < 1e-9 and .p10 < .p50 and .p50 < .p90' <<<"$output"
    works llama --profile p.json --json --seed 2
    [ "$(width)" != "$unsure" ]
}
@test "size: a run beyond what its profile measured says so at its head, and is about as sure as without one" {
    p90() { jq '.points[0].time.p90_s' <<<"$output"; }
    big() { works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 512 --alone "$@"; }
    big --json
    none=$(p90)
    for profile in h100-efa h100-tcpx; do
        big --profile $profile
        head -6 <<<"$output" | grep -q "^warning: profile $profile measured collectives over 2 nodes, the run is on 64: extrapolated (bandwidth"
        big --profile $profile --json
        jq -e '.points[0].profiles[] | select(.coefficient == "net_eff") | .p95 <= 1 and .p05 >= 0.02 and .date_is == "fitted"' <<<"$output"
        jq -ne "$(p90) < 1.6 * $none"
    done
    big --profile h100-efa-cluster
    [[ "$output" != *warning:\ profile* ]]
}
@test "scenario: a report says once what was measured, in which runs, and by which profile" {
    scenario '[]'
    sed 's/"replications": 400/"replications": 4/; s/"profiles": \[\],/"alternatives": {"as published": {}, "EFA": {"profiles": ["h100-node", "h100-efa"]}, "TCPX": {"profiles": ["h100-node", "h100-tcpx"]}},/' s.json >t.json
    works "$RR" run t.json -o out
    rows() { jq -c '.sheets[] | select(.name == "training.profiles") | .rows[]' out/results.json; }
    [ "$(rows | grep -c '"link_eff"')" = 1 ]
    [ "$(rows | grep -c '"net_eff"')" = 2 ]
    rows | grep '"link_eff"' | grep -q '"EFA; TCPX"'
    rows | grep '"net_eff"' | grep -q '"EFA".*"fitted 2026-12-01"'
    grep -q 'profile h100-tcpx' out/report.html
    [ -z "$(grep -o '[^ <>"]*data/profiles[^ <>"]*' out/report.html)" ]
}
@test "size: refusals and what is passed over" {
    gemm 700 700
    fails 3 'profile ours is of h100-80gb-sxm; the run is on hgx-a100-80 \(a100-80gb-sxm\)' "$RR" size --model llama-3-8b --tokens 1B --gpu a100 --gpus 8 --profile p.json
    fails 3 'h100-nod: no such file, and no shipped profile \(rackrate list profiles\), did you mean "h100-node"\?' llama --profile h100-nod
    fails 3 'profile p.json is named twice' llama --profile p.json --profile p.json
    cp p.json q.json
    fails 3 'both measured gemm of hgx-h100: give one of them' llama --profile p.json --profile q.json
    sed 's/"bf16"/7/' p.json >bad.json
    fails 3 'bad.json:[0-9]+:[0-9]+' llama --profile bad.json
    works llama --profile h100-ib-datasheet
    [[ "$output" == *"is from a datasheet, not measured"* ]]
}
@test "scenario: replications are worlds of the profile" {
    spread() { jq '.alternatives[0].metrics.makespan | .stddev / .mean' "$1/results.json"; }
    scenario '[]'
    works "$RR" run s.json -o none
    gemm 700 700
    scenario '["p.json"]'
    works "$RR" run s.json -o sure
    gemm 350 1050
    works "$RR" run s.json -o unsure --threads 1
    works "$RR" run s.json -o again
    cmp unsure/results.json again/results.json
    # a standard deviation of 30 % of the products, two thirds of the step, on top of the model's tenth
    jq -ne "$(spread unsure) > $(spread sure) * 1.4"
    grep -q 'profile error' unsure/report.html
    [ -z "$(grep 'profile error' none/report.html)" ]
    # the same step with a tenth slower products is slower, whatever the bars
    jq -ne "$(jq .alternatives[0].metrics.makespan.mean sure/results.json) > $(jq .alternatives[0].metrics.makespan.mean none/results.json) * 1.03"
}
@test "scenario: what is wrong with profiles" {
    gemm 700 700
    scenario '"p.json"'
    fails 3 's.json:1:[0-9]+: /profiles: .*a list of profiles is expected' "$RR" check s.json
    scenario '[3]'
    fails 3 '/profiles/0: 3 given; a file such as' "$RR" check s.json
    scenario '["dir/nothing.json"]'
    fails 3 '/profiles/0: dir/nothing.json: No such file' "$RR" check s.json
    scenario '["h100-nod"]'
    fails 3 '/profiles: h100-nod: no such file, and no shipped profile .*did you mean "h100-node"' "$RR" check s.json
    scenario '["v100-node"]'
    fails 3 '/profiles/0: profile v100-node is of v100-32gb-sxm: no planned run and no pool has that GPU' "$RR" check s.json
    scenario '["p.json", "h100-datasheet.json"]'
    sed -n '1,2p' p.json >h100-datasheet.json
    fails 3 'h100-datasheet.json' "$RR" check s.json
}
