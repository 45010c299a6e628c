#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/import.bats - node lists and queues of a cluster as files that a scenario takes.
load helper

nodes() {
    echo 'NodeName=g1 CPUTot=128 Gres=gpu:a100:8(S:0-1) RealMemory=1031000 State=IDLE'
    echo 'NodeName=g2 CPUTot=96 Gres=gpu:a100:4 RealMemory=512000 State=MIXED'
    echo 'NodeName=g3 CPUTot=96 Gres=gpu:a100:4 RealMemory=512000 State=DOWN*'
}

@test "a node list becomes our CSV, which reads the same" {
    nodes >n.txt
    run --separate-stderr "$RR" import fleet n.txt -o n.csv
    [ "$status" -eq 0 ]
    [ "$stderr" = 'rackrate: n.txt (scontrol): 2 nodes, 12 GPUs; 1 left out on which no job can start now, such as g3 (DOWN*)' ]
    [ "$(sed -n 2p n.csv)" = g1,8,128,1006.8359375,a100 ]
    run --separate-stderr "$RR" import fleet n.csv -o -
    [ "$output" = "$(cat n.csv)" ]
}
@test "a scenario and validate take it as it is" {
    nodes >n.txt
    jobs a,0,10,8 b,1,10,4 >jobs.csv
    scenario '.pools.p = {"nodes": {"file": "n.txt"}, "plan": {"type": "unpriced"}}' >s.json
    works "$RR" run s.json --format json --json
    [ "$(jq '.alternatives[0].metrics["jobs.finished"].mean' <<<"$output")" = 2 ]
    jq -e '[.. | strings | select(test("1 nodes of .*n.txt are left out: .* g3 .DOWN"))] | length > 0' <<<"$output"
    printf '%s\n' submit_s,duration_s,gpus,start_s 0,10,8,0 1,10,4,1 >t.csv
    works "$RR" validate trace t.csv --fleet n.txt
}
@test "queues become classes, and their limits keys" {
    printf '%s\n' 'Name|Priority|Preempt|MaxWall|GrpTRES|MaxTRESPU|MaxJobs' 'normal|10||00:50:00|||' 'gold|1000|normal||gres/gpu=8,cpu=64||3' \
        'lab|7||||gres/gpu=2|' >q.txt
    run --separate-stderr "$RR" import qos q.txt -o classes.json
    [ "$status" -eq 0 ]
    [[ $stderr == *"3 classes; 1 have limits for which there is no key: they stand as comments" ]]
    grep -q 'not taken over: GrpTRES=cpu=64, MaxJobs=3' classes.json
    printf '%s\n' job_id,submit_s,duration_s,gpus,user,class a,0,3671,1,ann,normal b,0,1000,8,bob,gold c,0,1000,1,cyd,gold d,0,500,2,ann,lab \
        e,1,500,1,ann,lab f,2,500,2,bob,lab >jobs.csv
    scenario '.pools.p.nodes = 4' >s.json
    run --separate-stderr "$RR" run s.json --values classes.json -o out # priorities are not looked at, which is told
    [ "$status" -eq 0 ]
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { printf "%s %s %s %s\n", $c["job_id"], $c["start_s"], $c["end_s"], $c["status"] }' \
        out/jobs.csv >got
    printf '%s\n' 'a 0 3000 killed' 'b 0 1000 finished' 'c 1000 2000 finished' 'd 0 500 finished' 'e 500 1000 finished' 'f 2 502 finished' | diff - got
}
@test "queues without limits go by priority" {
    printf '%s\n' 'Name|Priority|Preempt' 'normal|10|' 'gold|1000|normal' >q.txt
    run --separate-stderr "$RR" import qos q.txt -o classes.json
    [ "$status" -eq 0 ]
    printf '%s\n' job_id,submit_s,duration_s,gpus,class a,0,1000,16,normal b,100,500,16,gold >jobs.csv
    scenario >s.json
    works "$RR" check s.json --values classes.json
    works "$RR" check s.json --values classes.json --print
    [[ $output == *gold*1000* ]]
    run --separate-stderr "$RR" run s.json --values classes.json -o out
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { printf "%s %s %s\n", $c["job_id"], $c["start_s"], $c["end_s"] }' out/jobs.csv >got
    printf '%s\n' 'a 0 1500' 'b 100 600' | diff - got
}
@test "words that are wrong" {
    nodes >n.txt
    fails 2 'unknown kind "fleat", did you mean "fleet"' "$RR" import fleat n.txt -o x
    fails 2 'where to\?' "$RR" import fleet n.txt
    fails 2 'which file\?' "$RR" import fleet -o x
    fails 3 'no known format of measured times' "$RR" import profiles n.txt -o x
    fails 2 'one file too many' "$RR" import fleet n.txt n.txt -o x
    fails 3 'unknown node list format "scontrl", did you mean "scontrol"' "$RR" import fleet n.txt -o x --format scontrl
    fails 4 'no-such' "$RR" import fleet no-such -o x
    echo 'NodeName=a CPUTot=x' >n.txt
    fails 3 'n.txt:1: CPUTot is no whole number' "$RR" import fleet n.txt -o x.csv
    [ ! -e x.csv ]
}
