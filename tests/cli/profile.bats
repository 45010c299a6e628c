#!/usr/bin/env bats
# tests/cli/profile.bats - logs of benchmarks into profiles: fit, import profiles, profile show, compare and validate.
load helper

# log [ROW]...: a table of nccl-tests over 16 GPUs; times are 25 us + size / 37.5 GB/s, or the rows given.
log() {
    echo '# nccl-tests version 2.19.1 nccl-headers=23102 nccl-library=23102'
    echo '# Collective test starting: all_reduce_perf'
    echo '#  Rank  0 Group  0 Pid 7 on a device  0 [0000:19:00] NVIDIA H100 80GB HBM3'
    echo '#  Rank 15 Group  0 Pid 7 on b device  7 [0000:e4:00] NVIDIA H100 80GB HBM3'
    echo '#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong'
    echo '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)'
    [ $# -gt 0 ] && printf '%s\n' "$@"
    awk 'BEGIN { for (x = 1024; x <= 2^30; x *= 2) { t = 25 + x / 37500; a = x / t / 1000
        printf "%d %d float sum -1 %.4f %.2f %.2f 0 %.4f %.2f %.2f 0\n", x, x / 4, t, a, a * 1.875, t, a, a * 1.875 } }'
    echo '# Out of bounds values : 0 OK'
}

@test "a log becomes a profile whose numbers are those of the line behind it" {
    log >log.txt
    works "$RR" fit log.txt -o p.json --name ours --gpu h100-80gb-sxm --source 'made up' --network 'InfiniBand'
    [[ $output == "ours: h100-80gb-sxm, 8 a node, InfiniBand"* ]]
    jq -e '.schema == "rackrate.profile/1" and .sources[0].text == "made up" and .hardware.nodes == 2' p.json
    jq -e '.collectives[0] | .op == "all_reduce" and .ranks == 16 and (.knots | length) == 2' p.json
    jq -e '.collectives[0].bus_gb_s | (.value? // .) | . > 70.25 and . < 70.38' p.json # 37.5 x 1.875
    jq -e '.collectives[0].half_bytes | (.value? // .) | . > 930000 and . < 945000' p.json # 25 us x 37.5 GB/s
    jq -e '.peaks[] | select(.what == "bf16") | .value == 989.4 and .source == "datasheet"' p.json
    works "$RR" fit log.txt --name ours --gpu h100-80gb-sxm --source 'made up' --network 'InfiniBand' --json
    diff p.json <(printf '%s\n' "$output")
}
@test "a profile is shown, drawn, compared and validated" {
    log >log.txt
    "$RR" fit log.txt -o p.json --name ours >table
    works "$RR" profile show p.json -o plots
    diff table <(printf '%s\n' "$output")
    grep -q '<svg' plots/collectives.svg
    grep -q '<svg' plots/roofline.svg
    [ "$(ls plots | wc -l)" -eq 2 ]
    works "$RR" profile validate p.json log.txt --json
    jq -e '.n == 42 and .worst_pct < 0.1 and .without_curve == 0' <<<"$output"
    works "$RR" profile compare p.json h100-efa
    [[ $output == *"16 GPUs on 2 nodes against 16 on 2"* ]]
    [[ $output == *"datasheet, not measured"* ]]
    works "$RR" profile show h100-node --json
    jq -e '.name == "h100-node"' <<<"$output"
}
@test "plots show what was measured and where a curve goes beyond its log; two machines in one" {
    log >log.txt
    "$RR" fit log.txt -o p.json --name ours >table
    jq -e '.collectives[0].points | length == 21 and .[0][0] == 1024 and .[0][1] > 25.02 and .[0][1] < 25.03' p.json # 25 + 1024 / 37500
    works "$RR" profile show p.json -o plots
    grep -q 'beyond the log' plots/collectives.svg
    grep -q 'measured (median of a size)' plots/collectives.svg
    works "$RR" profile compare p.json h100-efa -o both
    grep -q 'all_reduce, 16 GPUs on 2 nodes, ours' both/collectives.svg
    grep -q 'all_reduce, 16 GPUs on 2 nodes, h100-efa' both/collectives.svg
    grep -q 'h100-efa: bf16, fp16: 989.4 TFLOP/s' both/roofline.svg
}

@test "every other size of a log predicts those between, a line a log" {
    log >line.txt # 21 sizes on one line: nothing is left over but what printing rounds
    log | awk '$1 + 0 <= 65536 || !($1 ~ /^[0-9]+$/)' >short.txt
    works "$RR" profile validate --alternate line.txt short.txt
    grep -Eq '^line.txt +21 +21 +0\.0 % +0\.0 % +0 ' <<<"$output"
    grep -Eq '^short.txt +7 +7  fewer than 12 sizes: not judged' <<<"$output"
    [[ $output == *"1 of 1 logs with 12 sizes or more keep a median of 5 % and a worst of 20 %"* ]]
    [ "$(awk 'length > 100' <<<"$output" | wc -l)" -eq 0 ]
    # every other time half as long again: nothing that a curve can follow
    log | awk '$1 ~ /^[0-9]+$/ { n++; if (n % 2) { $6 *= 1.24; $10 *= 1.24; $7 = $8 = $11 = $12 = 0 } } { print }' >saw.txt
    run --separate-stderr "$RR" profile validate --alternate line.txt saw.txt
    grep -Eq '^saw.txt .* !$' <<<"$output"
    run --separate-stderr "$RR" profile validate --alternate line.txt no-such --json
    [ "$status" -eq 0 ]
    [[ $stderr == *"refused: "*no-such* ]]
    jq -e '(.logs | length) == 1 and .logs[0].times == 38 and .all.rows == 21' <<<"$output" # (10 + 11 - 2) sizes between, twice
    fails 4 'no-such' "$RR" profile validate --alternate no-such
}

@test "a latency is the intercept, or said not to be in the log" {
    # 20 us + 1e-5 us a byte from 1 MiB on; the same from 512 MiB on, where it takes 5.39 ms
    { echo op,ranks,bytes,us && awk 'BEGIN { for (x = 2^20; x <= 2^30; x *= 2) printf "all_reduce,8,%d,%.6f\n", x, 20 + x * 1e-5 }'; } >mib.csv
    { echo op,ranks,bytes,us && awk 'BEGIN { for (x = 2^29; x <= 2^33; x *= 2) printf "all_reduce,8,%d,%.6f\n", x, 20 + x * 1e-5 }'; } >large.csv
    works "$RR" fit mib.csv
    [[ $output == *"latency   20 us (intercept; the log begins at 1 MiB)"* ]]
    works "$RR" fit large.csv
    [[ $output == *"latency   not in the log; at 512 MiB, its smallest size: 5389 us"* ]]
    works "$RR" profile show gb200-nvl72
    [[ $output != *"latency   1820 us"* ]]
}

@test "a table of one size on more and more GPUs is drawn against their number" {
    works "$RR" profile show h100-efa-cluster -o plots
    grep -q 'on more and more GPUs' plots/collectives.svg
    grep -q 'all_gather' plots/collectives.svg
}

@test "two machines: which is faster, by how much, and whether it is sure" {
    log >log.txt
    "$RR" fit log.txt -o p.json --name ours >table
    # half the time at every size; then 3 % less, inside a band of 5 %
    jq '.name = "twice" | .collectives[0] |= (.band_pct = 5 | del(.draws) | .knots[].us |= ((.value? // .) / 2))' p.json >twice.json
    jq '.name = "near" | .collectives[0] |= (.band_pct = 5 | del(.draws) | .knots[].us |= ((.value? // .) * 0.97))' p.json >near.json
    jq '.collectives[0] |= (.band_pct = 5 | del(.draws) | .knots[].us |= (.value? // .))' p.json >q.json
    works "$RR" profile compare q.json twice.json --json
    jq -e '[.pairs[] | select(.kind == "collective")] | length == 7 and all(.faster == "second" and .times > 1.99 and .times < 2.01 and .beyond_bar)' <<<"$output"
    works "$RR" profile compare q.json twice.json
    [[ $output == *"the second is faster at all 6 sizes that both were measured on, 2.00 to 2.00 times; at 6 beyond the error bars"* ]]
    works "$RR" profile compare q.json near.json --json # sqrt(5 squared + 5 squared) = 7.07 %
    jq -e '[.pairs[] | select(.kind == "collective")] | all(.faster == "second" and (.beyond_bar | not) and .bar_pct > 7.07 and .bar_pct < 7.08)' <<<"$output"
    run --separate-stderr "$RR" profile validate twice.json log.txt
    [ "$status" -eq 1 ]
    [[ $stderr == *"twice does not hold for log.txt: half of the times are off by 50.0 % or more"* ]]
    [[ $output == *"does not hold for this log: half of the times within 50.0 %, 0 % inside"* ]]
    works "$RR" profile validate q.json log.txt
    [[ $output == *"The profile holds for this log"* ]]
    [ "$(awk 'length > 100' <<<"$output" | wc -l)" -eq 0 ]
    works "$RR" profile validate q.json log.txt --json
    jq -e '.verdict == "holds"' <<<"$output"
}

@test "a size that one log does not have is not compared; numbers of GPUs that differ are said" {
    log >log.txt # from 1 KiB to 1 GiB, 16 GPUs
    "$RR" fit log.txt -o p.json --name ours >table
    jq '.name = "eight" | .collectives[0].ranks = 8' p.json >q.json
    works "$RR" profile compare p.json q.json
    [[ $output == *"over different numbers of GPUs"* ]]
    [ "$(grep -c '  -  *-  beyond a log$' <<<"$output")" -eq 1 ] # 16 GiB
    ! grep -q 'x .*beyond a log' <<<"$output"
}

@test "a profile with no ranks, or dated with a word, is refused" {
    log >log.txt
    "$RR" fit log.txt -o p.json >table
    jq '.collectives[0].ranks = 0' p.json >r.json
    fails 3 'r.json:[0-9]+:[0-9]+: .*ranks: must be at least 1' "$RR" profile show r.json
    jq '.date = "yesterday"' p.json >d.json
    fails 3 'd.json:[0-9]+:[0-9]+: .*date: must be a date such as 2026-01-31' "$RR" profile show d.json
    fails 2 'the date must be one such as 2026-01-31, not "tomorrow"' "$RR" fit log.txt --date tomorrow
}

@test "logs become raw samples, and these the same profile" {
    log >log.txt
    run --separate-stderr "$RR" import profiles log.txt -o s.json
    [ "$status" -eq 0 ]
    [[ $stderr == *"1 file, 42 times, 0 rows refused"* ]]
    "$RR" fit log.txt --json >a
    "$RR" fit s.json --json >b
    diff <(jq .collectives[0].knots a) <(jq .collectives[0].knots b)
}
@test "a damaged row is named by its line, the rest is taken" {
    log '2048 512 float sum -1 25.05 0.08' >log.txt
    run --separate-stderr "$RR" fit log.txt -o p.json
    [ "$status" -eq 0 ]
    [[ $stderr == "rackrate: refused: log.txt:7: 7 words, which no generation"* ]]
    fails 3 'log.txt:7: .*; 1 of 22 rows are damaged' "$RR" fit log.txt -o q.json --max-refused 0
    [ ! -e q.json ]
}
@test "every shipped profile is read, and says where it comes from" {
    for p in "$ROOT"/data/profiles/*.json; do
        works "$RR" profile show "$p"
        [ "$(awk 'length > 100' <<<"$output")" = "" ]
        jq -e '(.sources | length) > 0 and all(.sources[]; .text != "")' "$p"
        jq -e '.measured or (.note | startswith("datasheet, not measured"))' "$p"
    done
    works "$RR" list profiles --json
    jq -e '.profiles | length >= 15' <<<"$output"
    works "$RR" list benchmarks
}
@test "the public logs make the shipped profiles again, byte for byte" {
    local logs=${RACKRATE_SHARED:-$ROOT/../shared}/calibration
    [ -d "$logs" ] || skip "no public logs"
    mkdir made
    works sh "$ROOT/data/profiles/build.sh" "$RR" "$logs" made
    rm -f made/*.log
    for p in "$ROOT"/data/profiles/*.json; do # one that a probe measured is not made of logs
        [ -e "made/${p##*/}" ] || jq -e '.sources | any(.text | startswith("rackrate-probe"))' "$p"
        [ ! -e "made/${p##*/}" ] || cmp "$p" "made/${p##*/}"
    done
    [ "$(ls made | wc -l)" -ge 19 ]
}

@test "a datasheet becomes a profile that says it was not measured" {
    works "$RR" fit --datasheet hgx-b200 --json
    jq -e '.measured == false and (.note | startswith("datasheet, not measured")) and .hardware.gpus_per_node == 8' <<<"$output"
    jq -e '[.peaks[] | select(.what == "network")][0].value == 50' <<<"$output"
    jq -e 'all(.sources[]; .text | startswith("datasheet, not measured"))' <<<"$output"
    fails 2 'takes no logs' "$RR" fit log.txt --datasheet hgx-b200
    fails 3 'hgx-b200' "$RR" fit --datasheet hgx-b20
    fails 2 'which logs' "$RR" fit
}

@test "GPUs a node say how many nodes there were" {
    log | grep -v Rank >log.txt
    "$RR" fit log.txt --ranks 16 --gpus-per-node 8 --json >p.json 2>/dev/null
    jq -e '.hardware.gpus_per_node == 8 and .hardware.nodes == 2 and .collectives[0].nodes == 2' p.json
}

@test "words that are wrong" {
    log >log.txt
    fails 2 'unknown word "shaw", did you mean "show"' "$RR" profile shaw p.json
    fails 2 'which one\?' "$RR" profile show
    fails 2 'wants two profiles' "$RR" profile compare h100-efa
    fails 2 'wants a profile and a log' "$RR" profile validate h100-efa
    fails 3 'no-such: no such file, and no shipped profile' "$RR" profile show no-such
    fails 3 'did you mean "h100-80gb-sxm"' "$RR" fit log.txt --gpu h100-80gb-sxn
    fails 2 '"ncl-tests" is no format of measured times, did you mean "nccl-tests"' "$RR" fit log.txt --format ncl-tests
    fails 2 '--draws wants at most 10000' "$RR" fit log.txt --draws 20000
    fails 4 'no-such' "$RR" fit no-such
    echo 'a letter to a friend' >letter.txt
    fails 3 'letter.txt: no known format of measured times' "$RR" fit letter.txt
    echo '{"schema": "rackrate.profile/1", "name": "x", "hardware": {"gpu": 3}}' >p.json
    fails 3 'p.json:1:[0-9]+: .*gpu: must be a text' "$RR" profile show p.json
}

@test "every shipped profile, and one fitted anew, is valid against the schema" {
    log >log.txt
    "$RR" fit log.txt -o p.json --name ours --gpu h100-80gb-sxm >/dev/null
    for f in "$ROOT"/data/profiles/*.json p.json; do
        validates "$ROOT/data/schema/profile.schema.json" "$f" || { echo "$f is not valid"; false; }
    done
}

@test "the schema and the reader refuse the same" {
    local least='{schema: "rackrate.profile/1", name: "x", hardware: {gpu: ""}, sources: [{name: "s"}],
        collectives: [{op: "all_reduce", source: "s", knots: [{bytes: 8, us: {value: 9, p05: 8, p95: 11}}], points: [[8, 9]]}],
        gemm: [{type: "bf16", source: "s", peak_tflops: 3, rate_tflops: 3, overhead_us: 0, bytes_gb_s: 7, depth: 0}],
        rates: [{kind: "memory", op: "copy", source: "s", gb_s: 5}], latencies: [{op: "launch", us: 2, source: "s"}],
        peaks: [{what: "bf16", unit: "TFLOP/s", source: "s", value: 3}]}'
    jq -n "$least" >p.json
    works "$RR" profile show p.json
    validates "$ROOT/data/schema/profile.schema.json" p.json
    while read -r wrong; do
        jq -n "$least | $wrong" >w.json
        fails 3 'w.json:' "$RR" profile show w.json
        run validates "$ROOT/data/schema/profile.schema.json" w.json
        [ "$status" -ne 0 ] || { echo "the schema takes $wrong"; false; }
    done <<'JQ'
.schema = "rackrate.profile/2"
del(.name)
.nam = "y"
.hardware.nodes = 1.5
del(.hardware.gpu)
.sources = []
.collectives[0].op = "all_reduces"
.collectives[0].knots = []
.collectives[0].knots[0].us.value = 0
.collectives[0].knots[0].us.mean = 3
.collectives[0].points = [[8]]
.collectives[0].draws = [[0]]
.collectives[0].outliers = [{bytes: 8}]
del(.gemm[0].depth)
.gemm[0].bytes_gb_s = 0
.gemm[0].points = [{m: 0, n: 1, k: 1, us: 1}]
.rates[0].gb_s = 0
.rates[0].gb_s = "5"
del(.latencies[0].us)
.peaks[0].value = -1
.measured = "no"
JQ
}
