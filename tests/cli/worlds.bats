#!/usr/bin/env bats
# tests/cli/worlds.bats - sampled inputs, resampled weeks, until and accepts, end to end against closed forms.
load helper

# 3 nodes held for 10 days whatever happens: the cost of energy is power x PUE x hours x the price that is drawn.
priced() {
    cat >jobs.csv <<'CSV'
job_id,submit_s,duration_s,gpus
1,0,3600,8
CSV
    cat >s.json <<'JSON'
{ "rackrate": 1, "name": "s", "start": "2026-01-05", "horizon": "10 days", "seed": 5, "replications": 2000,
  "workload": { "w": { "trace": "jobs.csv" } },
  "pools": { "own": { "hardware": "hgx-h100-8", "nodes": 3, "plan": { "type": "owned" } } },
  "finance": { "electricity": "$0.08/kWh", "pue": 1.3 },
  "uncertainty": { "power": { "path": "/finance/electricity", "triangular": ["$0.06/kWh", "$0.08/kWh", "$0.14/kWh"] } },
  "alternatives": { "three": {}, "four": { "pools": { "own": { "nodes": 4 } } } } }
JSON
}

@test "worlds: the cost of energy has the quantiles of its price" {
    priced
    works "$RR" run s.json -q -o out --format json
    works "$RR" run s.json -q -o flat --format json --set '/uncertainty=null' --reps 1
    # quantiles of the triangle 6, 8, 14: 6 + sqrt(16 u) below 1/4, 14 - sqrt(48 (1 - u)) above; the standard error at a quantile is
    # sqrt(u (1 - u) / 2000) / density, below 0.08 cents here
    jq -e --slurpfile flat flat/results.json '
        ($flat[0].alternatives[0].metrics."cost.energy".mean / 8) as $cent | .alternatives[0].metrics."cost.energy" |
        def near(want; tolerance): . / $cent - want | fabs < tolerance;
        (.p10 | near(6 + (1.6 | sqrt); 0.16)) and (.p50 | near(14 - (24 | sqrt); 0.24)) and (.p90 | near(14 - (4.8 | sqrt); 0.32)) and
        (.mean | near(28 / 3; 0.16)) and .min >= 6 * $cent and .max <= 14 * $cent' out/results.json
    # all alternatives see the same price: fewer machines are cheaper in every world, and the spread is the same share
    jq -e '[.pairs[] | select(.metric == "cost.total").prob_a_cheaper] | . == [1] or . == [0]' out/results.json
    jq -e '[.alternatives[].metrics."cost.energy" | .stddev / .mean] | .[1] / .[0] - 1 | fabs < 1e-6' out/results.json
    jq -e '.verdict.varied == ["power"]' out/results.json
}
@test "worlds: threads change no byte, until stops at a checkpoint" {
    priced
    sed -i 's|"seed": 5|"seed": 5, "until": { "metric": "cost.energy", "half_width": "1.5 %" }|' s.json
    works "$RR" run s.json -q -o one -j1 --format json
    works "$RR" run s.json -q -o two -j2 --format json
    cmp one/results.json two/results.json
    # sd / mean of the triangle is 0.18: 1.96 x 0.18 / sqrt(n) is below 1.5 % from 570 on
    jq -e '.replications == 1024' one/results.json
    works "$RR" run s.json -q -o all --format json --set /until/half_width=1e-4 --reps 100
    jq -e '.replications == 100' all/results.json
}
@test "worlds: a resampled trace is made of its weeks" {
    # week k has k + 1 jobs, each on Wednesday at 10, 11, ...; the last week is cut off on its Thursday
    { echo 'job_id,submit_s,duration_s,gpus'
      for k in 0 1 2 3; do for j in $(seq 0 "$k"); do echo "$k-$j,$((k * 604800 + 2 * 86400 + (10 + j) * 3600)),60,1"; done; done
      for k in 0 1 2; do echo "sun-$k,$((k * 604800 + 6 * 86400 + 3600)),60,1"; done; } >jobs.csv
    scenario '.horizon = "20 weeks" | .replications = 40 | .workload.w.resample = "week"' >s.json
    works "$RR" run s.json -q -o out
    # 2, 3 or 4 jobs a week with Sunday's: never the 4 of the week that was cut off
    jq -e '.alternatives[0].metrics."jobs.submitted" | .mean > 55 and .mean < 65 and .min >= 40 and .max <= 80 and .stddev > 1' out/results.json
    awk -F, 'NR > 1 { week = int($6 / 604800); n[week]++; day = int($6 / 86400) % 7; if (day != 2 && day != 6) exit 1; sunday[week] += day == 6 }
        END { if (length(n) != 20) exit 1; for (w in n) if (sunday[w] != 1 || n[w] < 2 || n[w] > 4) exit 1 }' out/jobs.csv
    jq -e '.verdict.varied == ["weeks of the trace"]' out/results.json
    works "$RR" run s.json -q -o two -j2
    cmp out/results.json two/results.json
    scenario '.workload.w.resample = "week" | del(.horizon)' >s.json
    fails 3 '"resample" without an end' "$RR" check s.json
    scenario '.workload.w.resample = "week" | .horizon = "5 weeks"' >s.json
    printf 'job_id,submit_s,duration_s,gpus\n1,0,60,1\n' >jobs.csv
    fails 3 'which has 0 whole' "$RR" run s.json -o out
}
@test "worlds: a virtual cluster takes only its own jobs" {
    { echo 'job_id,submit_s,duration_s,gpus,account'
      for i in 1 2 3 4 5 6; do echo "a$i,0,3600,8,vc1"; echo "b$i,0,60,8,vc2"; done; echo "c,0,60,1,guest"; } >jobs.csv
    scenario '.pools = {"one": (.pools.p + {"gpus_per_node": 8, "nodes": 1, "accepts": "account == \"vc1\""}),
                        "two": (.pools.p + {"gpus_per_node": 8, "nodes": 1, "accepts": "account == \"vc2\""})} |
              .scheduler = {"policy": "easy_backfill"} | .horizon = "2 days"' >s.json
    works "$RR" run s.json -q -o out
    awk -F, 'NR > 1 { split($1, id, ""); want = id[1] == "a" ? "one" : id[1] == "b" ? "two" : ""; if ($15 != want) exit 1 }' out/jobs.csv
    jq -e '.alternatives[0].metrics | ."jobs.rejected".mean == 1 and ."jobs.finished".mean == 12' out/results.json
    grep -q 'no pool that could run it accepts it' out/jobs.csv
    scenario '.pools.p.accepts = "acount == 1"' >s.json
    fails 3 '/pools/p/accepts: column 1: "acount"' "$RR" check s.json
}
