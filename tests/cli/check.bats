#!/usr/bin/env bats
# tests/cli/check.bats - `check` refuses what `run` would refuse, in the same words, and tells what is given and does nothing.
load helper

trace() {
    printf '%s\n' 'job_id,submit_s,duration_s,gpus,user,account,class,priority' a,0,3671,8,ann,lab,train,1 b,17,59,1,bob,ops,serve,2 \
        c,4000,7213,16,ann,lab,train,3 >jobs.csv
}

# both REGEX JQ_FILTER: `check` and `run` of the changed scenario say the same one line, with its place in the file, and exit 3.
both() {
    scenario "$2" >s.json
    fails 3 "$1" "$RR" run s.json -o out
    local said=$stderr
    fails 3 "$1" "$RR" check s.json
    [ "$stderr" = "$said" ] || { echo "run: $said"; echo "check: $stderr"; return 1; }
    [[ $stderr =~ ^"rackrate: s.json:"[0-9]+:[0-9]+:\ / ]] || { echo "no place: $stderr"; return 1; }
    [ ! -e out ]
}

# warned REGEX JQ_FILTER: `check` says so on stderr, exit 0, and the headline of the report of `run` has it too.
warned() {
    scenario "$2" >s.json
    run --separate-stderr "$RR" check s.json
    [ "$status" -eq 0 ] || { echo "exit $status: $stderr"; return 1; }
    [[ $stderr =~ $1 ]] || { echo "does not match $1: $stderr"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
    [[ $stderr == "rackrate: s.json: warning: /"* ]]
    works "$RR" run s.json -o out
    "$RR" check s.json --json | jq -e --arg want "$1" '[.scenarios[].variants[].notes[] | select(.kind == "warning") | .where + ": " + .text
        | select(test($want))] | length == 1' || { echo "not in --json"; return 1; }
    grep -E "^> Warning: .*${1#*: }" out/report.md || { echo "not in the report"; return 1; }
}

elastic='.pools.p.nodes = {min: 1, max: 3}'
spot='.pools.s = {gpus_per_node: 8, nodes: {min: 0, max: 4}, plan: {type: "spot", price: "$9.71/h"}}'

@test "check refuses what only the engine's parts refuse: autoscalers" {
    trace
    both '/autoscale/low: 0.9 is not below "high", which is 0.4' "$elastic | .autoscale = {policy: \"utilization\", low: 0.9, high: 0.4}"
    both '/pools/p/autoscale/low: 0.3 is not below "high", which is 0.3' \
        "$elastic | .pools.p.autoscale = {policy: \"utilization\", low: 0.3, high: 0.3}"
    both '/pools/p/autoscale/low: 0.3 is not below "high", which is 0.1' "$elastic | .pools.p.autoscale = {policy: \"utilization\", high: 0.1}"
    both '/autoscale/low: 0.9 is not below' \
        ".alternatives = {a: {}, b: {pools: {p: {nodes: {min: 1, max: 3}}}, autoscale: {policy: \"utilization\", low: 0.9}}}"
}
@test "check refuses what only the engine's parts refuse: policies" {
    trace
    both '/scheduler/weights: "labb" is no account of the jobs' '.scheduler = {policy: "fair_share", weights: {labb: 2}}'
    both '/scheduler/weights: "lab": a number above 0 is expected' '.scheduler = {policy: "fair_share", weights: {lab: -2}}'
    both '/scheduler/quotas: "ops": a number of GPUs, 0 or more, is expected' '.scheduler = {policy: "fair_share", quotas: {ops: -1}}'
    both '/scheduler/quotas: job c asks for 16 GPUs, its tenant.s quota is 9' '.scheduler = {policy: "fair_share", quotas: {lab: 9}}'
    both '/scheduler/policy: "deadline_greedy" needs a pool with the plan "spot" and one without' \
        '.scheduler = {policy: "deadline_greedy", deadline: "9 h"}'
    both '/scheduler/policy: job a has no deadline' "$spot | .scheduler = {policy: \"deadline_uniform\"}"
    both '/scheduler/policy: "deadline_omniscient" needs an "availability" that is a series' \
        "$spot | .pools.s.plan.availability = {hazard: \">20 %\"} | .scheduler = {policy: \"deadline_omniscient\", deadline: \"9 h\"}"
    both '/checkpoint/interval: "daly" follows from how often nodes fail' '.checkpoint = {interval: "daly", write: "1 min"}'
    both '/classes/train/checkpoint/interval: "young" follows' '.classes = {train: {checkpoint: {interval: "young", write: "1 min"}}}'
}
@test "check tells what is given and does nothing" {
    trace
    warned '/autoscale: "autoscale" is not used: 1 of 1 pools always hold the same nodes' '.autoscale = {policy: "queue"}'
    warned '/pools/p/autoscale: the schedule of pool "p": 2 of its numbers .up to 47 nodes. are above the pool.s max of 3' \
        "$elastic | .pools.p.autoscale = {policy: \"schedule\", otherwise: 2,
         windows: [{days: \"Mon\", nodes: 47}, {days: \"Tue\", nodes: 4}, {days: \"Wed\", nodes: 3}]}"
    warned '/pools/p/autoscale: the schedule of pool "p": 1 of its numbers .down to 0 nodes. are below the pool.s min of 1' \
        "$elastic | .pools.p.autoscale = {policy: \"schedule\", otherwise: 0, windows: [{days: \"Mon\", nodes: 3}]}"
    warned '/classes/traning: class "traning" does nothing: none of 3 jobs' '.classes = {traning: {waiting_cost: "$2/h"}}'
    warned '/classes/big: class "big" does nothing: none of 3 jobs is of it; "gpus == 64" is true of none' '.classes = {big: {where: "gpus == 64"}}'
    warned '/classes/late: class "late" does nothing' '.classes = {first: {where: "gpus > 0"}, late: {where: "gpus > 4"}}'
    warned '/scheduler/policy: no job has a deadline' '.scheduler = {policy: "edf"}'
    warned '/scheduler/blocking: "blocking" of the scheduler is not used: the policy "srtf"' '.scheduler = {policy: "srtf", blocking: true}'
    warned '/scheduler/order: "order" of the scheduler is not used: the policy "las"' '.scheduler = {policy: "las", order: "shortest"}'
    warned '/scheduler/estimate: "estimate" of the scheduler is not used: the policy "fifo"' '.scheduler = {estimate: {factor: 2}}'
    warned '/classes/train/priority: the priority of class "train" is not used: the policy "fifo"' '.classes = {train: {priority: 3}}'
    cut -d, -f1-7 jobs.csv >plain.csv
    warned '/scheduler/policy: all jobs have the same priority' '.scheduler = {policy: "priority"} | .workload.w.trace = "plain.csv"'
    warned '/checkpoint/restore: "restore" of the checkpoint is not used' '.checkpoint = {restore: "5 min"}'
    warned '/pools/p/refuse: "refuse" of pool "p" is not used: it always holds the same nodes' '.pools.p.refuse = 0.2'
    warned '/pools/p/boot: "boot" of pool "p" is not used: it always holds the same nodes' '.pools.p.boot = "4 min"'
}
@test "what is wrong stands at its key, with what would be right" {
    trace
    both '/pools/p/plan/rate: "\$-4/h" given; at least 0' '.pools.p.plan.rate = "$-4/h"'
    both '/pools/s/plan/max_price: "\$-4/h" given; at least 0' "$spot | .pools.s.plan.max_price = \"\$-4/h\""
    both '/checkpoint/interval: 5 given; a text in double quotes is expected: .* a time such as "30 min"' '.checkpoint = {interval: 5}'
}
@test "jobs that can never run are told before and after, with the first" {
    printf '%s\n' job_id,submit_s,duration_s,gpus,gpu_type a,0,100,1,1g.10gb b,3,100,7,h100 c,5,100,24,h100 d,7,100,2,'t4|1g.10gb' >jobs.csv
    scenario '.pools.p.gpu = "h100"' >s.json
    run --separate-stderr "$RR" check s.json
    [ "$status" -eq 0 ]
    [[ $stderr == *"2 of 4 jobs will be rejected at once: no pool has the GPU type, such as for job a (1 GPU of 1g.10gb)"* ]]
    [[ $stderr == *"1 of 4 jobs will be rejected at once: too large for every pool, such as for job c (24 GPUs of h100)"* ]]
    run --separate-stderr "$RR" run s.json -o out
    grep -q '2 jobs were rejected at once: no pool has the GPU type, such as for job a (1 GPU of 1g.10gb)' out/report.md
    scenario '.pools.p.gpu = "h100" | .pools.m = {gpus_per_node: 1, nodes: 1, mig: {"1g.10gb": 7}, plan: {type: "on_demand", rate: "$3/h"}}
        | .workload.w.where = "gpus < 24"' >s.json
    works "$RR" check s.json
}
@test "what is used is not warned of" {
    trace
    for filter in '.scheduler = {policy: "sjf", blocking: false, estimate: {factor: 2}}' '.scheduler = {order: "shortest", estimate: "exact"}' \
        '.scheduler = {overrun: "kill", estimate: {factor: 2}}' '.scheduler = {policy: "priority"} | .classes = {train: {priority: 3}}' \
        '.scheduler = {policy: "srtf"} | .checkpoint = {restore: "5 min", write: "1 min"}' '.classes = {train: {}}' \
        "$elastic | .pools.p.boot = \"4 min\" | .autoscale = {policy: \"queue\"}"; do
        scenario "$filter" >s.json
        works "$RR" check s.json
    done
}
@test "a warning about some of the variants names them" {
    trace
    scenario '.alternatives = {a: {}, b: {classes: {none: {}}}}' >s.json
    run --separate-stderr "$RR" check s.json
    [ "$status" -eq 0 ]
    [[ $stderr == *'/classes/none: class "none" does nothing'*'(in "b")' ]]
}
@test "virtual clusters by accepts: each has a reservation of its own under easy_backfill" {
    cat >vc.csv <<'CSV'
job_id,submit_s,duration_s,gpus,account
r1,0,1000,1,red
b1,0,100,1,blue
r2,5,50,2,red
b2,10,50,2,blue
b3,20,200,1,blue
CSV
    cat >vc.json <<'JSON'
{ "rackrate": 1, "name": "vc", "workload": { "w": { "trace": "vc.csv" } }, "scheduler": { "policy": "easy_backfill" },
  "pools": { "r": { "gpus_per_node": 2, "nodes": 1, "plan": { "type": "unpriced" }, "accepts": "account == 'red'" },
             "b": { "gpus_per_node": 2, "nodes": 1, "plan": { "type": "unpriced" }, "accepts": "account != 'red'" } } }
JSON
    works "$RR" run vc.json -o vc -q
    # b3 would delay b2, although r2 came before and waits for the other cluster
    [ "$(awk -F, 'NR > 1 { printf "%s %s ", $1, $7 }' vc/jobs.csv)" = "r1 0 b1 0 r2 1000 b2 100 b3 150 " ]
    jq -e '[.alternatives[].warnings[] | select(test("reservation"))] == []' vc/results.json
}
