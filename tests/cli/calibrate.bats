#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/calibrate.bats - `rackrate calibrate` and `rackrate-probe`: without a device, and with a probe of paper in its place.
load helper

PROBE=$ROOT/build/rackrate-probe

device() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }
probe() { [ -x "$PROBE" ] || skip "skipped: no nvcc here, so no rackrate-probe"; }

# paper EXIT [LINE]: a program of our own and a shell script in the probe's place, which measures nothing: its times come from made-up rates,
# 500 TFLOP/s and 3000 GB/s. The layer step is given as 14 ms.
paper() {
    mkdir -p bin && cp "$RR" bin/rackrate && RR=$PWD/bin/rackrate
    cat >bin/samples.jq <<'JQ'
def us(t): [t * 0.999, t, t * 1.001];
def product(m; n; k): {kind: "gemm", type: "bf16", m: m, n: n, k: k, us: us([2 * m * n * k / 5e8, 2 * (m * k + k * n + m * n) / 3e6] | max)};
{schema: "rackrate.samples/1", tool: "made up", date: "2026-07-01T00:00:00Z", note: "made up",
 hardware: {gpu: "NVIDIA H200", gpus_per_node: 1, nodes: 1, driver: "1.0", cuda: "13.0"}, topology: "", skipped: [],
 samples: (
  [(512, 1024, 2048, 4096, 8192, 16384) as $m | (1024, 4096) as $k | product($m; 4096; $k)]
  + [product(2048; 131072; 128), product(128; 131072; 2048)]
  + [("copy", "read", "write", "triad") as $op | {kind: "memory", op: $op, bytes: 2147483648, us: us(2147483648 / 3e6)}]
  + [{kind: "launch", op: "empty", us: us(2.385)}, {kind: "step", op: "layer", type: "bf16", flops: 5.36e12, us: us(14000)}])}
JQ
    cat >bin/rackrate-probe <<SH
#!/bin/sh
echo "\$@" >words
echo "progress 0 2 gemm" >&2
[ -n "$2" ] && echo "rackrate-probe: $2" >&2
for last; do :; done
jq -n -f bin/samples.jq >"\$last"
exit $1
SH
    chmod +x bin/rackrate-probe
}

@test "without a CUDA device: one short line, exit 5, where profiles are and how to use logs" {
    device && skip "skipped: there is a device"
    fails 5 'no CUDA device.*rackrate list profiles.*rackrate fit LOG -o PROFILE' "$RR" calibrate
    [ "${#stderr}" -le 200 ]
    [ ! -e calibrated.json ]
    cp "$RR" rackrate
    fails 5 'rackrate-probe is not beside rackrate.*rackrate list profiles' ./rackrate calibrate --dry-run
    [ "${#stderr}" -le 200 ]
}

@test "the plan needs no device" {
    probe
    works "$RR" calibrate --dry-run --budget 7s
    [[ $output == *"budget 7 s; everything: about "* && $output != *"launch empty"* ]]
    [ "$(wc -l <<<"$output")" -le 12 ]
    works "$RR" calibrate --dry-run --all --budget 7s
    [[ $output == *"launch empty"* ]]
    [ "$(sed -n 's/^[0-9]* of [0-9]* measurements on 1 GPU, about \([0-9]*\) s.*/\1/p' <<<"$output")" -le 7 ]
    works "$PROBE" --dry-run --all --gpus 8 --budget 0 --only collective
    [ "$(grep -c 'all_reduce .* 8 ranks' <<<"$output")" -eq 31 ]
    [[ $output == *"all_reduce 8 B, 8 ranks"* && $output == *"all_reduce 8 GiB, 8 ranks"* ]]
    works "$PROBE" --dry-run --budget 0 --only memory,transfer # 4 kernels at 13 sizes; 4 ways at 5
    [[ $output =~ memory\ +52\ of\ 52\ +[0-9.]+\ \ 1\ MiB\ to\ 4\ GiB ]]
    [[ $output =~ transfer\ +20\ of\ 20\ +[0-9.]+\ \ 4\ KiB\ to\ 256\ MiB ]]
    works "$PROBE" --dry-run --all --gpus 2 --budget 0 --only transfer
    [[ $output == *"h2d_pinned 256 MiB, host to GPU 0"* && $output == *"p2p_read 4 KiB, GPU 1 to GPU 0"* && $output != *"-1"* ]]
}

@test "wrong words" {
    probe
    fails 2 '"gem" is no part; parts: memory, gemm' "$RR" calibrate --only gem
    fails 2 'budget wants a time like 60s' "$RR" calibrate --budget soon
    fails 2 '--out wants a file' "$RR" calibrate -o -
    fails 2 '--all goes with --dry-run' "$RR" calibrate --all
    run --separate-stderr "$PROBE" --bugdet 3s
    [ "$status" -eq 2 ]
    [[ $stderr == 'rackrate-probe: unknown option "--bugdet", did you mean "--budget"?'* ]]
}

@test "the probe links no GPL library" {
    probe
    ! ldd "$PROBE" | grep -E 'gsl|glpk|nettle|sqlite|cjson'
    grep -L 'SPDX-License-Identifier: MIT' "$ROOT"/models/probe/*.[ch]* | { ! grep .; }
}

@test "the probe is built for every target from sm_70 to sm_100 that nvcc knows, and PTX of the last" {
    probe
    local nvcc want
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    want=$("$nvcc" --list-gpu-code | sed -n 's/^sm_//p' | grep -xE '70|72|75|80|86|87|89|90|100' | sort -n)
    run make --no-print-directory -n -B V=1 -C "$ROOT" build/probe/kernels.o
    [ "$(grep -oE 'code=sm_[0-9]+' <<<"$output" | sed 's/code=sm_//' | sort -nu)" = "$want" ]
    [[ $output == *"code=compute_$(tail -n 1 <<<"$want") "* ]]
}

@test "samples become a profile, beside the datasheet, and the layer step is predicted" {
    paper 0
    run --separate-stderr "$RR" calibrate --budget 3s -o node.json
    [ "$status" -eq 0 ]
    [[ $(cat words) == "--budget 3s --progress -o node.samples.json" ]]
    jq -e '.name == "node" and .hardware.gpu == "h200-141gb-sxm"' node.json
    validates "$ROOT/data/schema/profile.schema.json" node.json
    # 500 of 989.5 TFLOP/s, 3000 of 4800 GB/s; by hand: 5.36e12 / 500e12 s + 9.731e9 / 3000e9 s = 13.96 ms, and six products
    # of the attention move 0.571e9 bytes in 190 us, where they would compute 137: 14.28 ms
    [[ $output =~ gemm\ bf16\ +(499|500)\.?[0-9]*\ +989\.5\ TFLOP/s\ +50\.[456]\ % ]]
    [[ $output =~ memory\ copy\ +3000\ +4800\ GB/s\ +62\.5\ % ]]
    [[ $output =~ launch\ empty\ +2\.385 ]]
    [[ $output =~ transformer\ layer\ step\ +14\ ms,\ predicted\ 14\.[0-5] ]]
}

@test "what the probe says when it fails is passed on" {
    paper 4 'cudaMalloc: out of memory (2) (models/probe/measure.c:57)'
    fails 4 'cudaMalloc: out of memory \(2\) \(models/probe/measure.c:57\)' "$RR" calibrate
    paper 1 'wrong results, whose times say nothing: softmax'
    fails 1 'wrong results.*softmax' "$RR" calibrate
    [ ! -e calibrated.json ]
}

@test "a probe that breaks down, writes nothing or writes rubbish: one line, and no profile" {
    paper 0
    printf '#!/bin/sh\nkill -SEGV $$\n' >bin/rackrate-probe
    fails 4 'rackrate-probe was ended by signal 11' "$RR" calibrate
    echo '{}' >calibrated.samples.json
    printf '#!/bin/sh\nexit 0\n' >bin/rackrate-probe
    fails 4 'rackrate-probe ended well, but wrote no calibrated.samples.json' "$RR" calibrate
    printf '#!/bin/sh\nfor last; do :; done\nprintf "\\211PNG{" >"$last"\n' >bin/rackrate-probe
    fails 3 'calibrated.samples.json: no known format' "$RR" calibrate
    [ ! -e calibrated.json ]
}

@test "progress is drawn on a terminal and nowhere else" {
    paper 0
    run --separate-stderr "$RR" calibrate --budget 3s
    [ "$status" -eq 0 ]
    [[ $stderr != *"of 2"* ]]
    command -v script >/dev/null || skip "skipped: no script(1)"
    run script -qec "$RR calibrate --budget 3s" /dev/null
    [[ $output == *"] 0 of 2  gemm"* ]]
}

@test "an ended calibrate ends its probe, and nothing half written stays" {
    paper 0
    cat >bin/rackrate-probe <<'SH'
#!/bin/sh
echo $$ >pid
while echo "progress 0 2 gemm" >&2; do sleep 0.1; done
SH
    "$RR" calibrate &
    local own=$!
    until [ -s pid ]; do sleep 0.1; done
    kill -TERM "$own"
    wait "$own" || true
    for _ in $(seq 100); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.1; done
    ! kill -0 "$(cat pid)" 2>/dev/null
    [ ! -e calibrated.json ] && [ ! -e calibrated.samples.json ]
}

@test "what goes into the probe is MIT, and its other libraries are CUDA's and the system's" {
    local base
    base=$(make --no-print-directory -s -C "$ROOT" probe-files)
    [[ $base == *models/probe/world.c* && $base == *data/base/text.c* ]]
    # the files and every header of ours that they include, and so on
    local all=$base before='' f
    while [ "$all" != "$before" ]; do
        before=$all
        all=$( (echo "$all"; cd "$ROOT" && for f in $all; do sed -n 's/^#include "\(.*\)"$/\1/p' "$f"; done) | tr ' ' '\n' | sort -u)
    done
    [ "$(wc -l <<<"$all")" -gt 25 ]
    for f in $all; do head -n 1 "$ROOT/$f" | grep -q 'SPDX-License-Identifier: MIT' || { echo "$f is not MIT"; false; }; done
}

@test "the device code, run on the host by a stand-in, agrees with the reference at odd sizes" {
    command -v g++ >/dev/null || skip "skipped: no g++"
    (cd "$ROOT" && g++ -O2 -std=c++17 -Wall -Wextra -Wno-unknown-pragmas -Werror -I. -Itests/unit/cuda_host \
        -c tests/unit/cuda_host/kernels_host.cpp -o "$OLDPWD/kernels.o")
    for f in models/probe/reference data/base/arena data/base/fmath data/base/status; do
        gcc -std=c17 -D_GNU_SOURCE -O2 -I"$ROOT" -c "$ROOT/$f.c" -o "$(basename "$f").o"
    done
    g++ -o kernels ./*.o -lm
    works ./kernels
    [[ $output == "all kernels agree with the reference" ]]
}

@test "make probe-gpu says so without a device" {
    device && skip "skipped: there is a device"
    run --separate-stderr make --no-print-directory -s -C "$ROOT" probe-gpu CUDA=0
    [ "$status" -ne 0 ]
    [[ $stderr == "skipped: no nvcc"* && $stderr == *"Error 5" ]]
}
