#!/usr/bin/env bats
# tests/cli/hostile.bats - input that is wrong: one clear line on stderr and exit 3, and nothing half written.
load helper

# bad REGEX [JQ_FILTER]: check and run both refuse this scenario with one such line.
bad() {
    [ -e jobs.csv ] || jobs >jobs.csv
    scenario "${2:-.}" >s.json
    fails 3 "$1" "$RR" run s.json -o out
    [ ! -e out/results.json ]
    fails 3 "$1" "$RR" check s.json
}
# bad_trace REGEX ROW...: run refuses this trace.
bad_trace() {
    local want=$1
    shift
    jobs "$@" >jobs.csv
    scenario >s.json
    fails 3 "$want" "$RR" run s.json -o out
    [ ! -e out/results.json ]
}

@test "the small scenario itself is right" {
    jobs >jobs.csv
    scenario >s.json
    works "$RR" check s.json
    [[ $output == "ok s.json: "* ]]
}
@test "scenario: an empty file, no JSON, a directory, a missing file" {
    : >s.json
    fails 3 's.json:1:1: ' "$RR" run s.json
    echo '{"rackrate": 1,' >s.json
    fails 3 's.json:1:1: .*never closed' "$RR" run s.json
    fails 4 'directory' "$RR" run .
    fails 4 'gone.json: No such file' "$RR" run gone.json
}
@test "scenario: an unknown key gets the nearest, with line, column and pointer" {
    bad 's.json:[0-9]+:[0-9]+: /pools/p.*"nods".*did you mean "nodes"' '.pools.p.nods = 2 | del(.pools.p.nodes)'
    bad 'unknown.*"workloads".*did you mean "workload"' '.workloads = {}'
}
@test "scenario: a key twice" {
    jobs >jobs.csv
    scenario | sed 's/"name": "small"/"name": "small", "name": "big"/' >s.json
    fails 3 's.json:[0-9]+:[0-9]+: .*/name: this key was already used at 3:3' "$RR" check s.json
}
@test "scenario: a missing and a cyclic path" {
    jobs >jobs.csv
    scenario '.workload.w.trace = "gone.csv"' >s.json
    fails 3 's.json:[0-9]+:[0-9]+: /workload/w/trace: gone.csv: No such file' "$RR" run s.json -o out
    ln -s loop.csv loop.csv
    scenario '.workload.w.trace = "loop.csv"' >s.json
    fails 3 '/workload/w/trace: loop.csv: Too many levels of symbolic links' "$RR" run s.json -o out
}
@test "scenario: a percentage over 100" { bad '/workload/w/max_rejected.*100 %|/workload/w/max_rejected.*\b1\b' '.workload.w.max_rejected = "101 %"'; }
@test "scenario: -1 nodes" { bad '/pools/p/nodes.*-1' '.pools.p.nodes = -1'; }
@test "scenario: a price with the wrong unit, without unit, without currency" {
    bad '/pools/p/plan.*rate must be per node or GPU and hour' '.pools.p.plan.rate = "$23.85/kWh"'
    bad '/pools/p/plan/rate' '.pools.p.plan.rate = 23.85'
    bad '/pools/p/plan/rate' '.pools.p.plan.rate = "23.85/h"'
    bad '/pools/p/plan/rate' '.pools.p.plan.rate = "$23.85"'
}
@test "scenario: an unknown plan, policy and placement get the nearest" {
    bad '"on_demnd".*did you mean "on_demand"' '.pools.p.plan.type = "on_demnd"'
    bad '"fifoo".*did you mean "fifo"' '.scheduler.policy = "fifoo"'
    bad '"packs".*did you mean "pack"' '.scheduler.placement = "packs"'
}
@test "scenario: sections of the contract that are not built yet are refused by name" {
    bad 'not built yet' '.pools.p.plan = {"type": "dedicated"}'
    bad 'not built yet' '.workload.w = {"serving": {}}'
}
@test "scenario: tiers, discounts and prices that cannot be" {
    bad 's.json:[0-9]+:[0-9]+: /charges/out/tiers: .*limits must ascend' \
        '.charges.out = {"type": "transfer", "per_month": "1 TB", "tiers": [{"up_to": "10 TB", "rate": "$0.09/GB"}, {"up_to": "9 TB", "rate": "$0.08/GB"}, {"rate": "$0.07/GB"}]}'
    bad 's.json:[0-9]+:[0-9]+: /pools/p/plan/discount: .*120 %.*100 %' '.pools.p.plan.discount = "120 %"'
    bad 's.json:[0-9]+:[0-9]+: /commitments/sp/discount: .*1.2' '.start = "2026-01-01" | .commitments.sp = {"type": "savings_plan", "commit": "$1/h", "term": "1 year", "discount": 1.2}'
    bad 's.json:[0-9]+:[0-9]+: /pools/p/plan/rate: .*at least 0|negative' '.pools.p.plan.rate = "$-3/h"'
    bad 's.json:[0-9]+:[0-9]+: /charges/s: .*no rate for EUR' '.start = "2026-01-01" | .charges.s = {"type": "storage", "size": "1 TB", "rate": "EUR 0.02/GB/month"}'
    bad 's.json:[0-9]+:[0-9]+: /charges/s: .*no price is given' '.start = "2026-01-01" | .charges.s = {"type": "storage", "size": "1 TB"}'
    bad 's.json:[0-9]+:[0-9]+: /pools/p/plan: .*it is sold in us-east-1' '.pools.p.region = "eu-west-1" | .pools.p.plan.sold_in = "us-east-1"'
    bad '/charges/x/type: "on_demand" is no charge; make it the "plan" of a pool' '.charges.x = {"type": "on_demand"}'
    bad '/commitments/x/type: "storage" is no commitment; put it into "charges"' '.commitments.x = {"type": "storage"}'
}
@test "scenario: a price that nobody gave is never zero" {
    bad '/pools/p' '.pools.p.plan = {"type": "on_demand"}'
}
@test "scenario: an elastic pool without a maximum" { bad '/pools/p/nodes.*max' '.pools.p.nodes = {"min": 0}'; }
@test "scenario: --set of a path that is not there" {
    jobs >jobs.csv
    scenario >s.json
    fails 3 '/pools/q/nodes' "$RR" check s.json --set /pools/q/nodes=3
    fails 3 'nodes' "$RR" check s.json --set /pools/p/nodes=many
}
@test "several scenarios: each wrong one has its line, the right one its ok" {
    jobs >jobs.csv
    scenario >s.json
    scenario '.pools.p.nodes = -1' >t.json
    run --separate-stderr "$RR" check s.json t.json
    [ "$status" -eq 3 ]
    [[ $output == "ok s.json: "* ]]
    [ "${#stderr_lines[@]}" -eq 2 ]
}

@test "trace: an empty file" {
    : >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv.*empty' "$RR" run s.json -o out
}
@test "trace: a header only" {
    echo job_id,submit_s,duration_s,gpus >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv.*no job' "$RR" run s.json -o out
}
@test "trace: NaN durations" { bad_trace 'jobs.csv:2: ' a,0,nan,1 b,1,NaN,1; }
@test "trace: negative durations" { bad_trace 'jobs.csv:2: ' a,0,-5,1 b,1,-7,1; }
@test "trace: 1e300" { bad_trace 'jobs.csv:2: ' a,0,1e300,1 b,1e300,4,1; }
@test "trace: a GPU count abc" { bad_trace 'jobs.csv:3: .*abc' a,0,5,1 b,1,7,abc; }
@test "trace: a repeated id names both lines" { bad_trace 'jobs.csv:4: .*"a".*line 2' a,0,5,1 b,1,7,1 a,3,8,2; }
@test "trace: a 1 MiB quoted field" {
    { jobs 'a,0,5,1'; printf '"%s",1,7,abc\n' "$(head -c 1048576 /dev/zero | tr '\0' x)"; } >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv:3: ' "$RR" run s.json -o out
    [ "${#stderr}" -lt 2200 ]
}
@test "trace: a 1 MiB id" {
    { jobs 'a,0,5,1'; printf '"%s",1,7,1\n' "$(head -c 1048576 /dev/zero | tr '\0' x)"; } >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv:3: .*more than 1,024 bytes' "$RR" run s.json -o out
    [ "${#stderr}" -lt 2200 ]
}
@test "trace: a quote that never ends" {
    printf 'job_id,submit_s,duration_s,gpus\n"a,0,5,1\nb,0,5,1\n' >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv:2: ' "$RR" run s.json -o out
}
@test "trace: a missing column is named" {
    printf 'job_id,submit_s,gpus\na,0,1\n' >jobs.csv
    scenario >s.json
    fails 3 'duration_s' "$RR" run s.json -o out
}
@test "trace: damaged gzip" {
    jobs | gzip >good.gz
    head -c 40 good.gz >jobs.csv
    scenario >s.json
    fails 3 'jobs.csv' "$RR" run s.json -o out
}
@test "trace: control characters and shell words stay data" {
    printf 'job_id,submit_s,duration_s,gpus,class\na,0,3600,1,"$(touch pwned)`touch pwned`"\nb,0,3600,1,"<script>alert(1)</script>"\nc,0,60,1,"=1+1"\nd,0,60,1,"\033[31mred"\n' >jobs.csv
    scenario '.name = "x;touch pwned \"<b>"' >s.json
    works "$RR" run s.json -o out
    [ ! -e pwned ]
    ! grep -q '<script>alert' out/report.html
    ! grep -qP '\x1b' out/report.html out/report.md
    grep -q "'=1+1" out/jobs.csv
}
