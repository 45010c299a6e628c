#!/usr/bin/env bats
# tests/cli/run.bats - rackrate run: what it writes, the same bytes each time, gates, full disks.
load helper

small() {
    jobs >jobs.csv
    scenario "${1:-.}" >s.json
}

@test "run writes every file, results.json fits its schema" {
    small
    works "$RR" run s.json -o out
    for f in report.html report.md results.json results.db jobs.csv leases.csv charges.csv timeline.csv; do [ -s out/$f ]; done
    [ "$(find out/plots -name '*.svg' | wc -l)" -ge 3 ]
    [ -z "$(find out -name '*.tmp*')" ]
    jq -e '.schema == "rackrate.results/1" and .alternatives[0].name == "base"' out/results.json
    [ "$(stat -c %s out/results.json)" -lt 200000 ]
}
@test "figures that can be checked by hand" {
    small '.horizon = "3 h"'
    works "$RR" run s.json -o out --json
    # 2 nodes x 3 h x $23.85; a 8 x 3671 s, b 1 x 59 s, c 16 x (10800 - 4000) s
    jq -e '.alternatives[0].metrics | ."cost.total".mean == 143.1 and ."jobs.running".mean == 1 and ."jobs.finished".mean == 2
           and (."gpu_hours.used".mean * 3600 - (8 * 3671 + 59 + 16 * 6800) | fabs) < 1e-6' <<<"$output"
}
@test "all laws hold and are printed" {
    small
    works "$RR" run s.json -o out --format json
    jq -e '[.alternatives[].laws[] | .holds] | length >= 5 and all' out/results.json
    [ "$(ls out)" = results.json ]
}
@test "--json prints one document, -q nothing" {
    small
    works "$RR" run s.json -o out --format json --json
    cmp out/results.json <(printf '%s\n' "$output")
    works "$RR" run s.json -o out -q
    [ -z "$output" ]
}
@test "the default folder is out/NAME, reduced to safe letters" {
    small '.name = "a/b c"'
    works "$RR" run s.json --format json
    [ -s "$(find out -name results.json)" ]
    [ "$(find out -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
}
@test "a scenario from stdin" {
    small
    works bash -c "'$RR' run - -o out --format json <s.json"
    [ -s out/results.json ]
}
@test "files that are not ours stay" {
    small
    mkdir -p out && echo mine >out/notes.txt
    works "$RR" run s.json -o out
    [ "$(cat out/notes.txt)" = mine ]
}
@test "the same bytes twice, on 1 and 2 threads, under another zone, locale and libm" {
    small '.replications = 4 | .workload.g = {"generate": {"count": 300, "arrival": {"poisson": {"rate": "9/h"}},
           "duration": {"lognormal": {"median": "31 min", "sigma": 1.3}}, "gpus": {"choice": {"1": 0.7, "4": 0.3}}}}'
    works "$RR" run s.json -o a -j1
    works "$RR" run s.json -o b -j1
    works "$RR" run s.json -o c -j2
    works env TZ=Asia/Shanghai LC_ALL=de_DE.UTF-8 "$RR" run s.json -o d
    works env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA "$RR" run s.json -o e
    for d in b c d e; do
        diff -r a $d
    done
}
@test "another seed gives other numbers" {
    small '.workload = {"g": {"generate": {"count": 300, "arrival": {"poisson": {"rate": "9/h"}}, "duration": "31 min", "gpus": 1}}}'
    works "$RR" run s.json -o a --format json
    works "$RR" run s.json -o b --format json --seed 2
    ! cmp -s a/results.json b/results.json
}
@test "gates: exit 1 and one line for each that failed" {
    small '.gates = {"cheap": {"metric": "cost.total", "max": "$1"}, "ok": {"metric": "cost.total", "max": "$1M"}}'
    run --separate-stderr "$RR" run s.json -o out --format json
    [ "$status" -eq 1 ]
    grep -q 'gate "cheap" failed: cost.total' <<<"$stderr"
    ! grep -q '"ok"' <<<"$stderr"
    jq -e '[.gates[].result] == ["fail", "pass"]' out/results.json
}
@test "a full disk is exit 4 and leaves no report under the final name" {
    small
    fails 4 . bash -c "'$RR' run s.json -o out --json >/dev/full"
    mkdir disk
    mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null || skip "cannot mount a tmpfs here"
    head -c 1000000 /dev/zero >disk/full 2>/dev/null || true
    head -c 100000 /dev/zero >>disk/full 2>/dev/null || true
    run --separate-stderr "$RR" run s.json -o disk/out
    left=$(find disk -type f ! -name full -size +0)
    umount disk
    [ "$status" -eq 4 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr =~ 'No space left' || $stderr =~ 'full' ]]
    [ -z "$(grep -E 'report|results' <<<"$left")" ]
}
@test "a folder that cannot be written is exit 4" {
    small
    echo file >out
    fails 4 'out' "$RR" run s.json -o out
    fails 4 '/proc/' "$RR" run s.json -o /proc/rackrate
}
@test "without gnuplot everything else is written and exit 5 says what to install" {
    small
    mkdir empty
    fails 5 'gnuplot' env PATH="$PWD/empty" "$RR" run s.json -o out
    [ -s out/report.html ] && [ -s out/results.json ]
    works env PATH="$PWD/empty" "$RR" run s.json -o out2 --format json,md,csv
}
@test "report: the same files again from the database" {
    small
    works "$RR" run s.json -o out
    for from in out out/results.db out/results.json; do
        rm -rf again
        works "$RR" report $from -o again
        for f in report.html report.md results.json jobs.csv leases.csv charges.csv timeline.csv; do cmp out/$f again/$f; done
        diff -r out/plots again/plots
    done
    fails 3 'jobs.csv' "$RR" report jobs.csv -o x
    fails 4 'gone' "$RR" report gone -o x
    fails 2 '"htlm"' "$RR" report out --format htlm
    works "$RR" report out -o again
    grep -q '^Report: again/report.html$' <<<"$output"
    works "$RR" report out -o again --json
    jq -e '.schema == "rackrate.results/1"' <<<"$output"
}
@test "report: results.json alone tells what it holds, and what is missing" {
    small
    works "$RR" run s.json -o out
    cp -r out whole
    works "$RR" run s.json -o out --format json
    cmp out/results.json whole/results.json
    works "$RR" report out
    grep -q '^Report: out/report.html$' <<<"$output"
    [ "$(ls out | tr '\n' ' ')" = 'report.html report.md results.json ' ] || [ -d out/plots ]
    cmp out/results.json whole/results.json
    grep -q 'made from results.json alone. Pools, job classes' out/report.md
    # the same answer, table for table, up to the first one that needs more
    diff <(sed '/^## /q' out/report.md) <(sed '/^## /q' whole/report.md)
    works "$RR" report out/results.json --json -o other
    printf '%s\n' "$output" | cmp - whole/results.json
    fails 3 'has no results.db beside it.*run again with --format json,db' "$RR" report out --format csv
    sed 's/"seed": [0-9]*/"seed": "x"/' whole/results.json >out/results.json
    fails 3 'results.json:[0-9]+:[0-9]+: a whole number is wanted here' "$RR" report out
    sed 's/rackrate.results.1/rackrate.results\/9/' whole/results.json >out/results.json
    fails 3 'results.json:1:[0-9]+: /schema: is no results.json of a version that this one reads' "$RR" report out
}
@test "a run with fewer formats leaves nothing of an earlier one" {
    small
    works "$RR" run s.json -o out
    echo mine >out/notes.txt
    works "$RR" run s.json -o out --format json
    [ "$(ls out | tr '\n' ' ')" = 'notes.txt results.json ' ]
}
@test "NO_COLOR and a pipe: no escape sequences" {
    small
    run "$RR" run s.json -o out
    ! grep -qP '\x1b' <<<"$output"
}
@test "two scenarios of one name do not write over each other" {
    small
    cp s.json t.json
    run --separate-stderr "$RR" run s.json t.json -o out --format json
    [ "$status" -eq 3 ]
    [[ "$stderr" == *'t.json: a scenario named'*'already'* ]]
}
@test "a failed gate says value and limit apart" {
    small '.gates = {"tight": {"metric": "cost.total", "max": "$0.01"}, "spread": {"metric": "wait.p95", "stat": "p90", "max": "9 h"}}'
    run --separate-stderr "$RR" run s.json -o out --format json -q
    [ "$status" -eq 1 ]
    [[ "$stderr" == *'gate "tight" failed: cost.total (mean) of base is $'*', wanted at most $0.01'* ]]
    [[ "$stderr" == *'gate "spread" failed: wait.p95 (p90) of base is null (one replication has no spread), wanted at most 32400 s'* ]]
}
@test "an instance of one's own can be reserved" {
    small '.start = "2026-01-01" | .horizon = "10 days" | .pools = {"c": {"instance": "mycloud/x8", "gpus_per_node": 8, "nodes": 2,
           "plan": {"type": "on_demand", "rate": "$3/gpu/h"}}}
           | .commitments = {"ri": {"type": "reserved", "instance": "mycloud/x8", "count": 1, "term": "1 year", "rate": "$2/gpu/h"}}'
    works "$RR" run s.json -o out --json
    # 240 h: one node at $16 under the commitment, the other at $24
    jq -e '.alternatives[0].metrics | ."cost.reserved".mean == 3840 and ."cost.on_demand".mean == 5760' <<<"$output"
}
@test "owned energy falls into the month in which it was used" {
    printf 'job_id,submit_s,duration_s,gpus\na,0,43200,8\n' >jobs.csv
    scenario '.start = "2026-01-01" | .horizon = "2 months" | .pools = {"c": {"gpus_per_node": 8, "nodes": 1, "plan": {"type": "owned",
              "price": "$100,000", "life": "5 years", "residual": 0.1, "idle_power": "1 kW", "max_power": "10 kW", "pue": 1,
              "electricity": "$0.10/kWh", "colocation": "$0/kW/month", "maintenance": 0, "staff": "$0/node/year"}}}' >s.json
    run --separate-stderr "$RR" run s.json -o out --format csv -q
    [ "$status" -eq 0 ]
    # January: 744 h x 1 kW + 12 h x 9 kW; February: 672 h x 1 kW
    grep -q ',energy,.*,2026-02-01,85.2,85.2,' out/charges.csv
    grep -q ',energy,.*,2026-03-01,67.2,67.2,' out/charges.csv
}
