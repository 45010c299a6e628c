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
}
@test "NO_COLOR and a pipe: no escape sequences" {
    small
    run "$RR" run s.json -o out
    ! grep -qP '\x1b' <<<"$output"
}
