#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/commitments.bats - `rackrate plan --commitments`: the newsvendor's day, a savings plan, and the bill of what was chosen.

load helper

# A day's demand (147 node-hours), repeated.
day() {
    echo hour,instance,region,nodes
    local d h=0 n
    for d in $(seq 1 "$1"); do
        h=0
        for n in 2 2 2 3 5 8 10 12 12 10 8 6 6 7 9 10 9 7 5 4 3 3 2 2; do
            printf '2026-03-%02dT%02d:00:00Z,%s,%s,%d\n' "$d" "$h" "${2:-aws/p5.48xlarge}" us-east-1 "$n"
            h=$((h + 1))
        done
    done
}

book() { # ON_DEMAND RESERVED
    echo provider,instance,unit,region,plan,term,payment,currency,price,valid_from,source
    echo "aws,p5.48xlarge,instance-hour,us-east-1,on_demand,,,USD,$1,2026-01-01,made up"
    echo "aws,p5.48xlarge,instance-hour,us-east-1,reserved,1 year,no_upfront,USD,$2,2026-01-01,made up"
}

@test "the newsvendor's table: how many to reserve at which price" {
    day 4 >d.csv
    while read -r p r units cost; do
        book "$p" "$r" >b.csv
        works "$RR" plan d.csv --commitments --prices b.csv --learn "25 %" --json
        jq -e --argjson u "$units" --argjson c "$cost" '
            (.strategies[] | select(.name == "reserved 1 year")) as $s |
            ([$s.reserve[].count] == [$u]) and ($s.learnt.total - $c | fabs < 1e-6)
            and ($s.scored.total - 3 * $c | fabs < 1e-6) and ($s.regret | fabs < 1e-6)
            and (.strategies[0].learnt.total - 147 * (.machines[0].on_demand) | fabs < 1e-6)' <<<"$output"
    done <<'END'
10 6 5 1210
10 4 7 922
10 7 3 1304
98.32 53.95 5 11291.68
98.32 77.43 3 13440.56
END
}

@test "regret is what knowing the rest would have saved" {
    day 1 >d.csv # then a day with one machine all along: reserving 5 was wrong
    for h in $(seq 0 23); do printf '2026-03-02T%02d:00:00Z,aws/p5.48xlarge,us-east-1,1\n' "$h"; done >>d.csv
    book 10 6 >b.csv
    works "$RR" plan d.csv --commitments --prices b.csv --json
    # 5 x 24 x 6 = 720 against 1 x 24 x 6 = 144
    jq -e '.strategies[] | select(.name == "reserved 1 year") | .scored.total == 720 and (.regret - 576 | fabs < 1e-9)' <<<"$output"
    # demand 20 % of the first day less 50 %: 5 reserved cost 720 and serve all but what is above 5
    jq -e '.strategies[] | select(.name == "reserved 1 year") | .loss_if_demand_falls["0.5"]
        == (720 + 10 * ([2,2,2,3,5,8,10,12,12,10,8,6,6,7,9,10,9,7,5,4,3,3,2,2] | map(. / 2 - 5 | if . > 0 then . else 0 end) | add) - 735)' <<<"$output"
}

@test "what was chosen costs that much when it is billed" {
    day 4 >d.csv
    book 10 6 >b.csv
    # jobs that hold the day's machines, one job an hour and machine
    { echo job_id,submit_s,duration_s,gpus; awk -F, 'NR > 1 { for (k = 0; k < $4; k++) printf "%d-%d,%d,3600,8\n", NR, k, (NR - 2) * 3600 }' d.csv; } >jobs.csv
    cat >s.json <<'END'
{ "rackrate": 1, "name": "day", "start": "2026-03-01", "horizon": "4 d", "prices": ["b.csv"],
  "workload": { "w": { "trace": "jobs.csv" } },
  "pools": { "p": { "instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": { "min": 0, "max": 40 }, "boot": "0 s", "idle_timeout": "0 s",
             "plan": { "type": "on_demand" } } } }
END
    for extra in "" "--savings=25 %"; do
        works "$RR" plan s.json --commitments --learn "100 %" --json ${extra:+"$extra"}
        for s in "reserved 1 year" "all together"; do
            jq --arg s "$s" '.strategies[] | select(.name == $s) | .values' <<<"$output" >values.json
            want=$(jq --arg s "$s" '.strategies[] | select(.name == $s) | .learnt.total' <<<"$output")
            "$RR" run s.json --values values.json --format json -o out >/dev/null
            jq -e --argjson w "$want" '.alternatives[0].metrics["cost.total"].mean - $w | fabs < 0.01' out/results.json
        done
    done
}

@test "what it cannot do is one line" {
    day 1 >d.csv
    day 1 aws/none.1xlarge >e.csv
    fails 2 'capacity or --commitments' "$RR" plan d.csv
    fails 2 '"30"' "$RR" plan d.csv --commitments --savings 30
    fails 3 'none of the machines' "$RR" plan d.csv --commitments --savings 'gcp/a3=20 %'
    fails 3 'aws/none.1xlarge' "$RR" plan e.csv --commitments
    fails 2 'learn' "$RR" plan d.csv --commitments --learn 0
}
