#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/size.bats - rackrate size against closed forms, published sizes and runs, and its refusals.
# Coefficients are fitted anew from time to time, so nothing here is a step time that the model gave.
load helper

llama() { "$RR" size --model llama-3-70b --tokens 15T --gpu h100-sxm --gpus 1024 --alone "$@"; }
bare() { run --separate-stderr "$RR" size "$@"; [ "$status" -eq 0 ] || { echo "exit $status: $stderr"; return 1; }; }

@test "parameters and steps are the published ones" {
    works llama --json
    jq -e '.schema == "rackrate.size/1" and (.parameters / 70.554e9 - 1 | fabs) < 0.001' <<<"$output"
    # 512 sequences of 8192 tokens: 15e12 / 4194304 = 3576278.7
    jq -e '.points[0].time.steps == 3576279' <<<"$output"
    # MFU = model FLOPs of a step / (1024 x 989.4e12 x step)
    jq -e '.points[0].step | (.mfu / (.model_flops / (1024 * 989.4e12 * .step_s)) - 1 | fabs) < 1e-9' <<<"$output"
}
@test "the parts of the time add up, and GPU-hours and money follow from it" {
    works llama --plan on_demand,owned --json
    jq -e '.points[0].time | (.training_s + .evaluations_s + .checkpoints_s + .failures_s + .start_s + .reruns_s - .total_s | fabs) < 1' <<<"$output"
    jq -e '.points[0].time | (.gpu_hours / (1024 * .total_s / 3600) - 1 | fabs) < 1e-9' <<<"$output"
    # a node of 8 H100 at nebius is $23.60 an hour in the facts
    jq -e '.points[0] | .costs[0].machine == "nebius/gpu-h100-sxm_8gpu-128vcpu-1600gb" and
           (.costs[0].effective / ((128 + .time.spare_nodes) * 23.60 * .time.total_s / 3600) - 1 | fabs) < 1e-4' <<<"$output"
    # 128 nodes of $335,000 and the spares are bought whole
    jq -e '.points[0] | .costs[1].billed > (128 + .time.spare_nodes) * 335000' <<<"$output"
    works llama --plan on_demand --set /restart/spares=0 --json
    jq -e '.points[0] | .costs[0].nodes == 128 and (.costs[0].effective / (128 * 23.60 * .time.total_s / 3600) - 1 | fabs) < 1e-4' <<<"$output"
}
@test "the same question has the same answer" {
    works llama --json
    local first=$output
    works llama --json
    [ "$output" = "$first" ]
    works llama --seed 2 --json
    [ "$(jq .points[0].time.total_s <<<"$output")" = "$(jq .points[0].time.total_s <<<"$first")" ]
    [ "$(jq .points[0].time.p90_s <<<"$output")" != "$(jq .points[0].time.p90_s <<<"$first")" ]
}
@test "samples, tokens and epochs are one target" {
    works llama --json
    local steps=$(jq .points[0].time.steps <<<"$output")
    works "$RR" size --model llama-3-70b --samples 1831054687.5 --gpu h100-sxm --gpus 1024 --alone --json
    [ "$(jq .points[0].time.steps <<<"$output")" = "$steps" ]
    works "$RR" size --model llama-3-70b --epochs 3 --dataset 5T --gpu h100-sxm --gpus 1024 --alone --json
    [ "$(jq .points[0].time.steps <<<"$output")" = "$steps" ]
    fails 3 'no target; give one of' "$RR" size --model llama-3-70b --gpu h100-sxm --gpus 8
    fails 3 'more than one target' "$RR" size --model llama-3-70b --tokens 1T --samples 3M --gpu h100-sxm --gpus 8
    fails 3 'a count as people|"15TT" is no count' "$RR" size --model llama-3-70b --tokens 15TT --gpu h100-sxm --gpus 8
    fails 3 '"tokens": resnet-50 has none' "$RR" size --model resnet-50 --tokens 1T --gpu a100 --gpus 8
}
@test "every layout is counted once" {
    works llama --json
    jq -e '.points[0].layouts | .fit + ([.rejected[].count] | add) == .tried' <<<"$output"
    # tp, pp, cp divide 1024 in C(13, 3) ways with dp; tp has no more than 64 heads, pp no more than 80 layers
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --global-batch 512 --alone --all-layouts --json
    # C(9, 3) = 84 worlds; 10 divisors of 80 chunks; micro batches 1 2 4 .. 64; 4 of zero, 3 of recompute, 8 of flags
    jq -e '.points[0].layouts.tried == 84 * 10 * 7 * 4 * 3 * 8' <<<"$output"
}
@test "a layout that is given is taken" {
    works llama --layout tp=8,pp=4,mb=1,vpp=1,recompute=full,zero=1 --json
    jq -e '.points[0].layouts.best[0].layout | .tp == 8 and .pp == 4 and .dp == 32 and .recompute == "full"' <<<"$output"
}
@test "as few layers are recomputed as memory asks for, or as many as one says" {
    works llama --layout tp=4,pp=4,mb=1,vpp=1,cp=1,recompute_layers=7 --json
    jq -e '.points[0].layouts.best[0].layout | .recompute == "full" and .recompute_layers == 7' <<<"$output"
    works llama --layout tp=4,pp=4,mb=1,vpp=1,cp=1,recompute_layers=7
    [[ $output == *"recompute of 7 layers a stage"* ]]
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --alone --layout tp=4,pp=4,mb=1,vpp=1,cp=1 --json
    # the fastest is a layer too many for the machine: with one layer less it does not fit
    local n=$(jq '.points[0].layouts.best[0].layout.recompute_layers' <<<"$output")
    ((n > 1 && n < 20))
    fails 3 'does not fit' "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --alone --layout tp=4,pp=4,mb=1,vpp=1,cp=1,recompute_layers=$((n - 1))
    fails 3 'recompute: 90 layers a stage, but 80 on 4 stages are at most 20' llama --layout pp=4,recompute_layers=90
    fails 3 'recompute: 9 layers a stage go with recompute full, not selective' llama --layout pp=4,recompute=selective,recompute_layers=9
}
@test "what is legal and odd has a line" {
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --alone --layout tp=16
    [[ $output == *"tp 16 spans 2 nodes of 8 GPUs"* ]]
    [[ $output == *"kv heads: 8 for tp 16: each is held by 2 ranks"* ]]
}
@test "what does not divide is one line with the numbers" {
    fails 3 'layout: tp 7 x pp 1 x cp 1 does not divide 1024 GPUs' llama --layout tp=7
    fails 3 'layers: 80 layers on 3 stages' "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 24 --layout pp=3
    fails 3 'layers: 80 do not divide by pp 4 x vpp 3' llama --layout pp=4,vpp=3
    fails 3 'batch: 512 sequences do not divide by micro batch 3 x dp' llama --layout tp=8,pp=4,micro_batch=3
    fails 3 'experts: ep 2, but llama-3-70b has no experts' llama --layout ep=2
    fails 3 'sequence parallel: with tp 1' llama --layout tp=1,sequence_parallel=true
    fails 3 'heads: 25 do not divide by tp 2' "$RR" size --model gpt2-1.5b --tokens 1B --gpu a100 --gpus 8 --layout tp=2
    fails 3 'does not fit: [0-9.]+ of 84.6 GB with tp 1' "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 8 --layout tp=1,pp=1
}
@test "wrong names get the nearest right one" {
    fails 3 'no model is called "lama-3-70b", did you mean "llama-3-70b"\?' "$RR" size --model lama-3-70b --tokens 1T --gpu h100-sxm --gpus 8
    fails 3 'no machine has a GPU called "h100-smx", did you mean "h100-sxm"\?' "$RR" size --model llama-3-70b --tokens 1T --gpu h100-smx --gpus 8
    fails 3 'no machine has a GPU called "gb20"' "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm,gb20 --gpus 8
    fails 3 'unknown key "micro_bach"' llama --layout micro_bach=1
    fails 3 'did you mean "fp8"\?' llama --precision fp9
    fails 3 'hgx-h100 has no nvfp4' llama --precision nvfp4
    fails 3 'did you mean "owned"\?' llama --plan owned_
    fails 3 'did you mean "llama-3.1-405b"\?' llama --set /failures/like=llama-3-405b
    fails 2 'has no currency' llama --budget 3
    fails 2 'set wants PTR=VALUE' llama --set gpus=3
}
@test "a sparse peak is refused" {
    fails 3 'of hgx-h100 with sparsity, in 16 bits; training runs dense, and in 16 bits that is 989.4 TFLOP/s' llama --set '/machine/peak=1979 TFLOP/s'
    fails 3 'with sparsity, in 8 bits; training runs dense' llama --set '/machine/peak=3958 TFLOP/s'
}
@test "what-ifs are one --set away" {
    works llama --layout tp=8,pp=1 --json
    local step=$(jq .points[0].step.step_s <<<"$output")
    works llama --layout tp=8,pp=1 --set '/machine/network=100 Gb/s' --json
    jq -e --argjson was "$step" '.points[0].step.step_s > $was' <<<"$output"
    works llama --layout tp=8,pp=1 --set /failures/none=true --json
    jq -e '.points[0].time | .failures_s == 0 and .checkpoints_s == 0' <<<"$output"
    # 14 bytes a parameter at 10 GB/s, every hour
    works llama --set '/checkpoint/storage=10 GB/s' --set '/checkpoint/interval=1 h' --json
    jq -e '(.points[0].time | .checkpoints_s / (.training_s / 3600)) as $each | ($each / (14 * .parameters / 10e9) - 1 | fabs) < 1e-9' <<<"$output"
    # 100 global batches forward, a third of a step each, after every 1000 steps
    works llama --set /evaluation/every=1000 --json
    jq -e '.points[0] | (.time.evaluations_s / ((.time.steps / 1000 | floor) * 100 * .step.step_s / 3) - 1 | fabs) < 1e-9' <<<"$output"
    works llama --set '/evaluation={"every": 1000, "time": "12 min"}' --json
    jq -e '.points[0] | .time.evaluations_s == (.time.steps / 1000 | floor) * 720' <<<"$output"
    works llama --reruns 1.5 --json
    jq -e '.points[0].time | (.total_s / (.total_s - .reruns_s) - 1.5 | fabs) < 1e-9' <<<"$output"
}
@test "more GPUs of one batch are quicker and dearer" {
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 512,1024,2048 --json
    jq -e '[.points[].gpus] == [512, 1024, 2048]' <<<"$output"
    jq -e '.points | .[0].time.total_s > .[1].time.total_s and .[1].time.total_s > .[2].time.total_s' <<<"$output"
    jq -e '.points | (.[1].costs[0].effective - .[0].costs[0].effective - .[1].marginal_cost | fabs) < 0.01' <<<"$output"
    jq -e '.fastest == 2 and .cheapest == 0 and ([.points[].pareto] | all)' <<<"$output"
}
@test "a deadline takes the cheapest in time, a budget the quickest in money" {
    three() { "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 512,1024,2048 "$@"; }
    works three --deadline '3000 days' --budget '$1B' --json
    jq -e '.meets_deadline == .cheapest and .meets_budget == .fastest' <<<"$output"
    # what none meets is a gate that fails, printed all the same, with how far it is off
    run --separate-stderr three --deadline '1 min' --budget '$1B' --json
    [ "$status" -eq 1 ]
    jq -e '.meets_deadline == -1 and .meets_budget == .fastest' <<<"$output"
    local off=$(jq '[.points[].time.p90_s] | min / 60' <<<"$output")
    awk -v off="$off" '{ for (i = 1; i < NF; i++) if ($(i + 1) == "times") { d = $i / off; exit !(d > 0.99 && d < 1.01) } exit 1 }' <<<"$stderr"
    [[ "$stderr" == *"deadline: none of these: the quickest, 2048 x hgx-h100, has a P90 of "*" of the 1 T tokens"* ]]
    fails 1 'budget: none of these: the cheapest, 512 x hgx-h100, costs \$[0-9,]+ at P90, [0-9.e+]+ times as much as there is' three --budget '$1'
    fails 1 'budget: none of these has a price' "$RR" size --model llama-3-70b --tokens 1T --gpu gb200 --gpus 512 --alone --budget '$1'
}
@test "cost has the quantiles of the time, and a budget holds with nine chances of ten" {
    three() { "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 512,1024,2048 "$@"; }
    works three --plan on_demand,owned --json
    # what falls into the time is in proportion to it
    jq -e '[.points[] | .time as $t | .costs[] | .p10 / .effective - $t.p10_s / $t.total_s, .p50 / .effective - $t.p50_s / $t.total_s,
        .p90 / .effective - $t.p90_s / $t.total_s | fabs < 1e-9] | all and length == 18' <<<"$output"
    # between the cost as predicted and its P90 a budget is not held
    local cost=$(jq '.points[2].costs[0].effective' <<<"$output") p90=$(jq '.points[2].costs[0].p90' <<<"$output") late=$(jq '.points[0].time.p90_s' <<<"$output")
    works three --plan on_demand --budget "\$$(jq -n "($cost + $p90) / 2 | floor")" --json
    jq -e '.meets_budget == 1' <<<"$output"
    works three --plan on_demand --budget "\$$(jq -n "$p90 | ceil")" --json
    jq -e '.meets_budget == 2' <<<"$output"
    # a deadline that the middle one meets, and money for it, but not for the quickest
    local dear=$(jq '.points[1].costs[0].p90 | ceil' <<<"$output") time=$(jq '.points[1].time.p90_s | ceil' <<<"$output")
    works three --plan on_demand --deadline "$time s" --budget "\$$dear" --json
    jq -e '.meets_both == 1 and .meets_deadline == 1 and .meets_budget == 1' <<<"$output"
    # each can be met, both cannot
    dear=$(jq '.points[0].costs[0].p90 | ceil' <<<"$output")
    run --separate-stderr three --plan on_demand --deadline "$time s" --budget "\$$dear" --json
    [ "$status" -eq 1 ]
    jq -e '.meets_both == -1 and .meets_deadline == 1 and .meets_budget == 0' <<<"$output"
    # nearest: the least of the larger of the two factors
    local off=$(jq "[.points[] | [.time.p90_s / $time, .costs[0].p90 / $dear] | max] | min" <<<"$output")
    [[ "$stderr" == "rackrate: deadline and budget: none of these; nearest is "*", $(printf %.4g "$off") times what there is"* ]]
}
@test "other numbers stand in their order, the one that was asked for is marked, what has no price has no star" {
    works "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm,gb200 --gpus 64,32,128 --plan on_demand
    [ "$(sed -nE 's/^[> ] [* ] +(hgx-h100|gb200[a-z0-9-]*) +([0-9]+) .*/\2/p' <<<"$output" | xargs)" = "32 64 128 32 64 128" ]
    [ "$(grep -c '^> ' <<<"$output")" = 1 ] && grep -qE '^> . +hgx-h100 +64 ' <<<"$output"
    grep -qE '^  \*.*gb200' <<<"$output" && return 1
    grep -q 'gb200-nvl72 is not priced' <<<"$output"
}
@test "the list of models has what was published of them, that of machines the names that people use" {
    works "$RR" list models --json
    # 10^9 parameters as printed: arXiv 2005.14165 table 2.1; the model cards of the others
    for m in gpt3-125m=0.125 gpt3-350m=0.350 gpt3-760m=0.760 gpt3-1.3b=1.3 gpt3-2.7b=2.7 gpt3-6.7b=6.7 gpt3-13b=13.0 gpt3-175b=175 \
        gpt-j-6b=6.05 gpt-neox-20b=20.55 falcon-40b=41.3 falcon-180b=179.5 llama-3.2-1b=1.236 llama-3.2-3b=3.213 mistral-7b=7.242 \
        mixtral-8x22b=140.6 qwen2.5-7b=7.616 qwen2.5-14b=14.77 qwen2.5-32b=32.76 qwen2.5-72b=72.71 gemma-2-9b=9.242 gemma-2-27b=27.23 \
        phi-3-mini=3.821 phi-3-medium=13.96 bert-base=0.110; do
        jq -e --arg name "${m%=*}" --argjson want "${m#*=}" '.models[] | select(.name == $name) | .parameters_b / $want - 1 | fabs < 0.025' <<<"$output" || {
            echo "$m"; false; }
    done
    jq -e '.models[] | select(.name == "mixtral-8x22b") | .active_b == 39.16 and .experts == 8 and .layers == 56' <<<"$output"
    works "$RR" list machines --json
    jq -e '.machines[] | select(.id == "hgx-h100") | .bf16_tflops == 989.4 and .memory_gib == 80 and .linked_gpus == 8 and .net_gb_s == 50 and .fp4_tflops == null' <<<"$output"
    jq -e '.machines[] | select(.id == "gb200-nvl72") | .linked_gpus == 72' <<<"$output"
    works "$RR" list models
    [[ $output == *"llama-3-70b"*"70.55"* ]]
    for gpu in a100-80=hgx-a100-80 a100-80gb=hgx-a100-80 A100-40GB=hgx-a100-40 h100-80gb=hgx-h100 h100-80=hgx-h100 h200-141gb=hgx-h200 b200-180gb=hgx-b200; do
        works "$RR" size --model llama-3-8b --tokens 1T --gpu "${gpu%=*}" --gpus 64 --alone --json
        [ "$(jq -r '.points[0].gpu' <<<"$output")" = "${gpu#*=}" ]
    done
    fails 3 'no model is called "gpt3-14b", did you mean "gpt3-1?.*"\? \(rackrate list models\)' "$RR" size --model gpt3-14b --tokens 1T --gpu h100 --gpus 8
    fails 3 '\(rackrate list machines\)' "$RR" size --model llama-3-8b --tokens 1T --gpu h101 --gpus 8
    fails 2 '^rackrate: --model, --gpu, --gpus are missing; such as rackrate size --model' "$RR" size
    fails 2 '^rackrate: --gpus is missing' "$RR" size --model llama-3-8b --tokens 1T --gpu h100
}
@test "dp of a layout is held for the number that was asked for" {
    works "$RR" size --model llama-3-70b --tokens 15T --gpu h100-sxm --gpus 1024,2048 --layout tp=8,pp=4,dp=32 --json
    jq -e '[.points[].layouts.best[].layout | select(.tp == 8 and .pp == 4)] | length > 1' <<<"$output"
    jq -e '(.points[0].layouts.best | map(.layout | .dp == 32 and .cp == 1) | all) and .points[1].layouts.best[0].layout.dp * .points[1].layouts.best[0].layout.cp == 64' <<<"$output"
    works llama --layout dp=16 --json
    jq -e '.points[0].layouts | (.best | map(.layout.dp == 16) | all) and .fit + ([.rejected[].count] | add) == .tried' <<<"$output"
    fails 3 'layout: dp 7 does not divide 1024 GPUs' llama --layout dp=7
    fails 3 'layout: tp 8 x pp 4 x cp 1 x dp 16 are 512 GPUs, not 1024' llama --layout tp=8,pp=4,cp=1,dp=16
    fails 3 'measured: layout: dp 7 does not divide 1024 GPUs' llama --measured 'dp=7, step=4 s'
}
@test "a number that would do is named where none of those asked for does" {
    one() { "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --alone --plan on_demand "$@"; }
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64,128,256,512 --plan on_demand --json
    local days=$(jq '[.points[].time.p90_s] | (.[1] + .[2]) / 2 | floor' <<<"$output")
    fails 1 '; 256 x hgx-h100 would do$' one --deadline "$days s"
    run --separate-stderr one --deadline "$days s" --json
    jq -e '.would_do_gpus == 256 and .meets_deadline == -1' <<<"$output"
    fails 1 '; nor does any number from 128 to 8192 that was tried$' one --deadline '1 min'
    fails 1 '; nor does any number from 1 to 32 that was tried$' one --budget '$7'
}
@test "utilisation says of which peak it is" {
    works llama --precision fp8
    [[ $output =~ MFU\ ([0-9.]+)\ %\ of\ the\ 16-bit\ peak\ \(([0-9.]+)\ %\ of\ fp8\'s\) ]]
    # 1979 of 989.4 TFLOP/s
    awk "BEGIN { r = ${BASH_REMATCH[1]} / ${BASH_REMATCH[2]}; exit !(r > 1.99 && r < 2.01) }"
    works llama --precision fp8 --json
    jq -e '.points[0].step | .mfu / .mfu_of_own_peak / (1979 / 989.4) - 1 | fabs < 1e-3' <<<"$output"
    works llama
    [[ $output != *"16-bit peak"* ]]
}
@test "attention is flash where nobody says otherwise, near the runs that had it" {
    # mosaicml/llm-foundry, scripts/train/benchmarking: MPT-7b and -13b (the shapes of GPT-3 6.7B and 13B) on 8 x A100-80GB, 8192 tokens a sequence
    for row in 6.7b,128,8,40.8722 13b,120,5,68.4473; do
        IFS=, read -r size batch micro printed <<<"$row"
        works "$RR" size --model "gpt3-$size" --tokens 1T --gpu a100-80gb --gpus 8 --global-batch "$batch" --seq 8192 --alone --plan on_demand \
            --layout "tp=1,pp=1,cp=1,zero=3,mb=$micro,recompute=full" --json
        jq -e --argjson printed "$printed" '.points[0] | (.step.step_s / $printed - 1 | fabs < 0.2) and .time.step_p10_s < $printed and $printed < .time.step_p90_s' <<<"$output"
        jq -e '.notes | map(.text) | any(test("had no flash attention; it is taken here, with a wider band"))' <<<"$output"
    done
    works "$RR" size --model llama-3-8b --tokens 1T --gpu a100-80gb --gpus 64 --alone --framework megatron
    [[ $output == *"attention writes its scores, as in the published runs of megatron"* ]]
}
@test "a number between those asked for may meet both" {
    between() { "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --global-batch 480 --plan on_demand "$@"; }
    works between --gpus 256,512 --json
    local time=$(jq '[.points[].time.p90_s] | add / 2 | floor' <<<"$output") cost=$(jq '[.points[].costs[0].p90] | add / 2 | floor' <<<"$output")
    run --separate-stderr between --gpus 256,512 --deadline "$time s" --budget "\$$cost" --json
    [ "$status" -eq 1 ]
    local would=$(grep -oE '[0-9]+ x hgx-h100 would do' <<<"$stderr" | cut -d' ' -f1)
    ((would > 256 && would < 512)) || { echo "$stderr"; false; }
    works between --gpus "$would" --alone --deadline "$time s" --budget "\$$cost"
}
@test "plans of different providers say so" {
    # reserved H100 are of aws in the facts, whose p5.48xlarge is $55.04 an hour on demand: 8 GPUs
    works llama --plan on_demand,reserved
    [[ $output == *"another provider: on_demand is \$6.88/gpu/h there"* ]]
    works llama --plan on_demand,reserved --json
    jq -e '.points[0].costs[1].first_plan_there_per_gpu_hour - 55.04 / 8 | fabs < 1e-6' <<<"$output"
}
@test "what a measured run does not tell is the best layout that fits" {
    works llama --json
    local best=$(jq -c '.points[0].layouts.best[0] | [.step_s, .layout.tp, .layout.pp, .layout.dp]' <<<"$output")
    local step=$(jq '.[0] * 1.13' <<<"$best")
    works llama --measured "step=$step s" --json
    jq -e '.points[0].step.scale - 1.13 | fabs < 1e-3' <<<"$output"
}
@test "one own measured run scales the prediction and narrows its band" {
    works llama --layout tp=8,pp=4,mb=1,vpp=1,recompute=full,zero=1 --json
    local was=$output step
    step=$(jq '.points[0].step.step_s * 1.25 * 1e6 | round / 1e6' <<<"$was")
    works llama --layout tp=8,pp=4,mb=1,vpp=1,recompute=full,zero=1 --measured "step=$step s" --json
    jq -e '(.points[0].step.scale - 1.25 | fabs) < 0.03' <<<"$output" # searched in closed form, played after that
    jq -e '.points[0] | (.step.step_s / .step.predicted_s / .step.scale - 1 | fabs) < 1e-9' <<<"$output"
    jq -e '.points[0] | .time.p90_s / .time.p10_s < .before_measured.p90_s / .before_measured.p10_s' <<<"$output"
    works llama --layout tp=8,pp=4 --measured "tp=8, pp=4, step=$step s"
    [[ $output == *"measured: a step of"*"before: P10"* ]]
    fails 3 'measured: no step time' llama --measured tp=8
    fails 3 'measured: unknown word "stap", did you mean "step"\?' llama --measured 'stap=3 s'
    fails 3 'measured: layout: tp 5 x pp 1 x cp 1 does not divide 1024 GPUs' llama --measured 'tp=5, step=3 s'
}
@test "logs of trainers are read" {
    cat >megatron.log <<'LOG'
 iteration        1/   10 | consumed samples:          512 | elapsed time per iteration (ms): 91234.5 | global batch size:   512 | lm loss: 1.2E+01 |
 iteration        2/   10 | consumed samples:         1024 | elapsed time per iteration (ms): 4771.0 | global batch size:   512 | lm loss: 1.1E+01 |
[Rank 0] (after 2 iterations) memory (MB) | allocated: 31000.5 | max allocated: 45678.25 | reserved: 50000.0 | max reserved: 50000.0
 iteration        3/   10 | consumed samples:         1536 | elapsed time per iteration (ms): 4772.0 | global batch size:   512 | lm loss: 1.0E+01 |
 iteration        4/   10 | consumed samples:         2048 | elapsed time per iteration (ms): 4774.0 | global batch size:   512 | lm loss: 1.0E+01 |
LOG
    printf '[rank0]:\033[31mstep: %2d  \033[32mloss:  7.1  \033[33mmemory: 45.12GiB(57.00%%)  \033[34mtps: %s  \033[35mmfu: 40%%\033[39m\n' 1 100 2 '1,000' 3 1,002 4 1,003 >titan.log
    printf '[INFO] steps: %d loss: 6.9 iter time (s): %s samples/sec: 107.3\n' 1 90 2 4.771 3 4.772 4 4.774 >deepspeed.log
    printf 'Epoch 0: train_step_timing in s=%s, consumed_samples=1\n' 50 4.771 4.772 4.774 >nemo.log
    printf 'step_time_s,memory_gb\n60,40\n4.771,41\n4.772,41\n4.774,41\n' >metrics.csv
    echo '{"global_step": 9, "log_history": [{"loss": 2.1, "step": 5}, {"step": 9, "train_runtime": 42.948, "train_steps_per_second": 0.21}]}' >trainer_state.json
    for f in megatron.log deepspeed.log nemo.log metrics.csv trainer_state.json; do
        works llama --layout tp=8,pp=4 --log $f
        [[ $output == *"a step of 4.772 s"* ]] || { echo "$f: $output"; false; }
    done
    # 512 x 8192 tokens / 1024 GPUs at 1002 a second
    works llama --layout tp=8,pp=4 --log titan.log
    [[ $output == *"a step of 4.088 s"* ]]
    echo nothing >empty.log
    fails 3 'empty.log: no step times' llama --log empty.log
    fails 4 'gone.log' llama --log gone.log
}
@test "a log says what it is of, or is refused" {
    steps() { for i in $(seq "$1"); do echo " iteration $i/ 500 | consumed samples: 2560 | elapsed time per iteration (ms): ${2:-4312.5} | global batch size: ${3:-512} |"; done; }
    steps 12 >good.log
    works llama --log good.log --json
    local scale=$(jq '.points[0].step.scale' <<<"$output") width=$(jq '.points[0].time | .step_p90_s / .step_p10_s' <<<"$output")
    steps 12 | sed '7s/4312.5/43x2.5/' >damaged.log
    fails 3 'damaged.log:7: "elapsed time per iteration \(ms\)" with a damaged number: "43x2.5"' llama --log damaged.log
    # one step is warm-up; three leave two, which say little
    steps 1 >one.log
    fails 3 'one.log: 1 step, and the first ones are warm-up: 3 or more are expected' llama --log one.log
    steps 3 >three.log
    works llama --log three.log --json
    jq -e --argjson scale "$scale" --argjson width "$width" '.points[0] | .step.scale == $scale and (.time.step_p90_s / .time.step_p10_s > $width) and
        .before_measured.p90_s / .before_measured.p10_s >= .time.p90_s / .time.p10_s' <<<"$output"
    jq -e '.notes | map(.text) | any(test("only 2 steps behind the warm-up"))' <<<"$output"
    printf 'step_time_s\n1e9\n1e9\n1e9\n' >big.csv
    fails 3 'measured: a step of 1e\+09 s: no more than a day' llama --log big.csv
    printf 'step_time_s\n4\n0\n4\n' >none.csv
    fails 3 'none.csv:3: step_time_s: 0; more than 0' llama --log none.csv
    # twice the batch of the plan: compared with the prediction for that, and said
    steps 12 8625 1024 >batch.log
    works llama --log batch.log --json
    jq -e '.notes | map(.text) | any(test("the measured run had 1024 sequences a step, the plan has 512"))' <<<"$output"
    jq -e --argjson scale "$scale" '.points[0].step.scale / $scale - 1 | fabs < 0.15' <<<"$output"
    fails 3 'measured: global_batch=256, but batch.log says 1024' llama --log batch.log --measured global_batch=256
    # its arguments are its layout
    { printf 'using world size: 512\n  tensor_model_parallel_size ...... 8\n  pipeline_model_parallel_size ...... 2\n'; steps 12 8625; } >arguments.log
    works llama --log arguments.log
    [[ $output == *"where "*" s was predicted (tp 8 pp 2 "*"the measured run had 512 GPUs, the plan has 1024"* ]]
    fails 3 'measured: tp=4, but arguments.log says 8' llama --log arguments.log --measured tp=4
    { echo "  num_layers ........ 48"; steps 12; } >other.log
    fails 3 'other.log: a log of another model: it has 48 layers, llama-3-70b 80' llama --log other.log
}
@test "a measured step that no run has is refused, one that few have is doubted" {
    # 6 x 70e9 x 4194304 FLOPs in a second would be twice the peak of 1024 x 989.4 TFLOP/s
    fails 3 'measured: a step of 1 s would be [12][.0-9]* times the dense bf16 peak of 1024 GPUs' llama --measured 'step=1 s'
    fails 3 'measured: step=0 s: more than nothing is expected' llama --measured 'step=0 s'
    works llama --layout tp=8,pp=4,mb=1 --measured 'step=12.3 s' --json
    jq -e '.notes | map(select(.kind == "warning") | .text) | any(test("times the predicted one, outside of the 0.6 to 1.7 of published runs"))' <<<"$output"
    jq -e '.points[0] | (.time.step_p90_s / .time.step_p10_s) as $now | (.time.p90_s / .time.p10_s) / (.before_measured.p90_s / .before_measured.p10_s) | . > 0.95 and . < 1.05' <<<"$output"
}
@test "a config.json is a model" {
    cat >config.json <<'JSON'
{ "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
  "intermediate_size": 14336, "vocab_size": 128256, "hidden_act": "silu", "max_position_embeddings": 8192, "tie_word_embeddings": false }
JSON
    works "$RR" size --config config.json --tokens 1T --gpu h100-sxm --gpus 64 --alone --json
    local own=$(jq .points <<<"$output")
    jq -e '(.parameters / 8.030e9 - 1 | fabs) < 0.001' <<<"$output"
    works "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --alone --json
    [ "$(jq .points <<<"$output")" = "$own" ]
    fails 3 'both "model" and "config"' "$RR" size --model llama-3-8b --config config.json --tokens 1T --gpu h100-sxm --gpus 64
    echo '{"model_type": "llama", "hidden_size": 4096}' >half.json
    fails 3 'half.json: no "num_hidden_layers"' "$RR" size --config half.json --tokens 1T --gpu h100-sxm --gpus 64
    echo '{"num_hidden_layers": 2.5}' >wrong.json
    fails 3 'wrong.json:1:.*a whole number is expected' "$RR" size --config wrong.json --tokens 1T --gpu h100-sxm --gpus 64
}
@test "LoRA trains less and steps quicker" {
    works "$RR" size --model llama-2-70b --tokens 1B --gpu h100-sxm --gpus 64 --framework nemo --alone --json
    local full=$output
    works "$RR" size --model llama-2-70b --tokens 1B --gpu h100-sxm --gpus 64 --framework nemo --lora-rank 16 --alone --json
    jq -e --argjson full "$(jq '.points[0].step.step_s' <<<"$full")" '.points[0].step.step_s < $full and .trained_parameters < 0.01 * .parameters' <<<"$output"
}
@test "ResNet-50 on 8 A100 and 8 H100 is near the MLPerf runs" {
    # v1.0 .. v2.1: 28.5 to 29.1 min on 8 A100, 35 epochs of 1,281,167 images; v2.1 on H100: 52433 images/s
    works "$RR" size --model resnet-50 --epochs 35 --dataset 1281167 --gpu a100 --gpus 8 --global-batch 3264 --alone --json
    jq -e '.points[0].time.training_s / 60 | . > 28.7 * 0.9 and . < 28.7 * 1.1' <<<"$output"
    works "$RR" size --model resnet-50 --epochs 35 --dataset 1281167 --gpu h100-sxm --gpus 8 --global-batch 3200 --alone --json
    jq -e '3200 / .points[0].step.step_s | . > 52433 * 0.9 and . < 52433 * 1.1' <<<"$output"
}
@test "--explain names the fact under each term" {
    works llama --explain
    [[ $output == *"matrix products"*"gemm_eff = "*"data/facts/train_coefficients.csv:"* ]]
    # each term: a formula with its file, the machine's figure, the coefficient's row
    for term in 'matrix products' attention memory-bound 'data parallel'; do
        grep -A9 -E "^  $term +[0-9.e-]+ s  " <<<"$output" | grep -qE '^      .*; models/train/[a-z]+\.c' || { echo "$term"; false; }
    done
    grep -qF '      dense peak = 989.4 TFLOP/s (data/facts/machines.csv:' <<<"$output"
    grep -qE '^      llama-3.1-405b: .*data/facts/failure_rates.csv:2' <<<"$output"
    works llama --explain --set '/machine/network=100 Gb/s' --set '/restart/detect=1 min'
    [[ $output == *"network = 12.5 GB/s a GPU, one way, as given"*"detect: as given"* ]]
    works llama --explain
    [[ $output == *"Daly 2006"* && $output == *"data/facts/machines.csv:"* && $output == *"data/facts/models.csv:"* ]]
}

planned() { # FILTER: a scenario with one planned run
    jq "${1:-.}" <<'JSON'
{ "rackrate": 1, "name": "planned", "start": "2026-01-01",
  "workload": { "llm": { "training": { "model": "llama-3-8b", "tokens": "100B", "gpu": "h100-sxm", "gpus": 64, "layout": {"tp": 2, "pp": 1} } } },
  "pools": { "cloud": { "instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": 9, "plan": { "type": "on_demand" } } } }
JSON
}
@test "a planned run is a job of the replay, as long as it is sized" {
    planned >s.json
    works "$RR" size s.json --alone --json
    local want=$(jq '.points[0].time | .training_s + .start_s' <<<"$output")
    run "$RR" run s.json -q -o out
    jq -e --argjson want "$want" '.alternatives[0].metrics | (.makespan.mean - $want | fabs) < 0.01 and .["jobs.finished"].mean == 1' out/results.json
    # 64 GPUs of it
    jq -e --argjson want "$want" '.alternatives[0].metrics["gpu_hours.used"].mean as $h | ($h / (64 * $want / 3600) - 1 | fabs) < 0.01' out/results.json
}
@test "run says on the terminal when planned runs are done" {
    planned >s.json
    works "$RR" size s.json --alone --json
    local hours=$(jq '.points[0].time.p50_s / 86400' <<<"$output")
    run --separate-stderr "$RR" run s.json -o out
    local row=$(grep -A1 ' done P10 ' <<<"$output" | tail -1)
    # the middle one in days, to three digits
    awk -v row="$row" -v want="$hours" 'BEGIN { split(row, w, " +"); v = w[4]; exit !(w[5] == "d" && v / want > 0.994 && v / want < 1.006) }' || { echo "$row: $hours"; false; }
}
@test "its failures and checkpoints are those of the replay" {
    planned '.failures = {"gpu_mtbf": "500 h", "detect": "10 min"}' >s.json
    run "$RR" run s.json -q -o out
    jq -e '.alternatives[0].metrics | .restarts.mean > 0 and .["gpu_hours.lost"].mean > 0 and .["jobs.finished"].mean == 1' out/results.json
    planned '.replications = 20 | .horizon = "60 days"' >v.json
    run "$RR" run v.json -q -o varied
    jq -e '.alternatives[0].metrics.makespan | .p90 > .p10' varied/results.json
}
@test "failures that a planned run names are the replay's" {
    planned '.workload.llm.training.failures = {"gpu_hours": 500}' >s.json
    planned '.failures = {"gpu_mtbf": "500 h", "detect": "10 min", "repair": "4 h"}' >t.json
    works "$RR" size s.json --alone --json
    planned '.workload.llm.training += {"failures": {"gpu_hours": 500}, "restart": {"repair": "4 h"}}' >s.json
    run "$RR" run s.json -q -o out
    run "$RR" run t.json -q -o other
    jq -e '.alternatives[0].metrics.restarts.mean > 0' out/results.json
    [ "$(jq '.alternatives[0].metrics.makespan.mean' out/results.json)" = "$(jq '.alternatives[0].metrics.makespan.mean' other/results.json)" ]
    grep -q 'nothing interrupts the planned runs' out/report.md && return 1
    planned >q.json
    run "$RR" run q.json -q -o quiet
    grep -q 'nothing interrupts the planned runs' quiet/report.md
    planned '.failures = {"gpu_mtbf": "900 h"} | .workload.llm.training.failures = {"gpu_hours": 500}' >both.json
    run "$RR" run both.json -q -o both
    grep -q "the scenario's own \"failures\" hold" both/report.md
    planned '.workload.other = {"training": (.workload.llm.training + {"failures": {"gpu_hours": 700}})} | .workload.llm.training.failures = {"gpu_hours": 500}' >two.json
    fails 3 'two.json:[0-9]+:[0-9]+: /workload/other/training/failures: other failures than those of workload llm' "$RR" check two.json
    planned '.workload.llm.training.failures = {"like": "llama"}' >bad.json
    fails 3 'llama' "$RR" check bad.json
}
@test "a deadline that is missed is counted and shown" {
    planned >s.json
    works "$RR" size s.json --alone --json
    local took=$(jq '.points[0].time | .training_s + .start_s | floor' <<<"$output")
    planned ".workload.llm.training.deadline = \"$((took + 60)) s\"" >kept.json
    planned ".workload.llm.training.deadline = \"$((took - 60)) s\"" >missed.json
    run "$RR" run kept.json -q -o kept
    run "$RR" run missed.json -q -o missed
    [ "$(jq '.alternatives[0].metrics["deadline.missed"].mean' kept/results.json missed/results.json | xargs)" = "0 1" ]
    jq -e '.sheets[] | select(.name == "training.done") | .columns[-2:] == [{"title": "Deadline", "unit": "seconds"}, {"title": "Missed", "unit": "share"}] and
        .rows[0][-1] == 1' missed/results.json
    planned '.workload.llm.training.deadline = "0 s"' >bad.json
    fails 3 '/workload/llm/training/deadline: .*' "$RR" check bad.json
}
@test "two planned runs share a fleet and its storage, and cost what their GPU time costs" {
    # 16 nodes hold both at once, 8 one after the other; the price of a GPU-hour is the pool's
    both='.workload.second = .workload.llm | .pools.cloud += {"nodes": {"min": 0, "max": NODES}, "boot": "0 s", "idle_timeout": "0 s"}'
    planned "${both/NODES/16}" >wide.json
    planned "${both/NODES/8}" >narrow.json
    run "$RR" run wide.json -q -o wide
    run "$RR" run narrow.json -q -o narrow
    local want=$("$RR" size wide.json --workload llm --alone --json | jq '.points[0].time | .training_s + .start_s')
    jq -e --argjson want "$want" '.alternatives[0].metrics | (.makespan.mean / $want - 1 | fabs < 1e-3) and
        (."cost.on_demand".mean / (2 * 8 * 55.04 * $want / 3600) - 1 | fabs < 2e-3)' wide/results.json
    jq -e --argjson want "$want" '.alternatives[0].metrics.makespan.mean / $want - 2 | fabs < 1e-3' narrow/results.json
    # two that write at once have half of the storage each
    stands() { "$RR" size wide.json --workload llm --set '/workload/llm/training/checkpoint={"interval": "1 h", "shared_by": '"$1"'}' --alone --json | jq '.points[0].time.checkpoints_s'; }
    python3 -c "import sys; sys.exit(not 1.999 < $(stands 2) / $(stands 1) < 2.001)"
    # run times that vary are costs that vary
    planned "${both/NODES/16} | .replications = 20 | .horizon = \"60 days\"" >varied.json
    run "$RR" run varied.json -q -o varied
    jq -e '.alternatives[0].metrics | ."cost.total" | .p10 < .p50 and .p50 < .p90' varied/results.json
}
@test "several runs come one after the other" {
    planned '.workload.llm.training += {"count": 3, "every": "100 days", "submit": "2 days"}' >s.json
    run "$RR" run s.json -q -o out
    jq -e '.alternatives[0].metrics["jobs.finished"].mean == 3 and .alternatives[0].metrics.makespan.mean > 200 * 86400' out/results.json
    grep -q ',172800,' out/jobs.csv
}
@test "a planned run that cannot be is refused at its place" {
    planned '.pools.cloud.instance = "aws/p4d.24xlarge"' >s.json
    fails 3 's.json:[0-9]+:[0-9]+: /workload/llm/training: no pool has the GPU that it is planned on, h100-80gb-sxm' "$RR" check s.json
    planned '.workload.llm.training.layout.tp = 7' >s.json
    fails 3 '/workload/llm/training: layout: tp 7 x pp 1 x cp 1 does not divide 64 GPUs' "$RR" check s.json
    planned '.workload.llm.training.modell = "x"' >s.json
    fails 3 '/workload/llm/training/modell: unknown key "modell"' "$RR" check s.json
    planned '.workload.llm.generate = {}' >s.json
    fails 3 'more than one of "trace", "generate" and "training"' "$RR" check s.json
    planned >s.json
    fails 2 'gpus beside a scenario' "$RR" size s.json --gpus 8
    fails 2 '"lm" has no "training", did you mean "llm"' "$RR" size s.json --workload lm
    planned '.workload.llm = {"generate": {"count": 1, "arrival": {"poisson": {"rate": "1/h"}}, "duration": "1 h"}}' >t.json
    fails 3 'no workload has a "training" section' "$RR" size t.json
}
@test "a scenario is sized with --set" {
    planned >s.json
    works "$RR" size s.json --set /workload/llm/training/gpus=128 --alone --json
    jq -e '.workload == "llm" and .points[0].gpus == 128' <<<"$output"
}
@test "a batch of a billion sequences is answered at once" {
    run timeout 20 "$RR" size --model llama-3-8b --tokens 100T --gpu h100-sxm --gpus 64 --global-batch 1000000000 --alone --json
    [ "$status" -eq 0 ]
    jq -e '.points[0].time.steps == 13' <<<"$output" # 1e14 / 8192e9 = 12.2
}
@test "the report has the step, the memory, the scaling and the roof" {
    command -v gnuplot >/dev/null || skip "gnuplot is missing"
    planned >s.json
    run "$RR" run s.json -q -o out
    grep -q 'Time to train' out/report.html
    for f in step memory scaling roofline; do [ -s out/plots/$f.svg ]; done
    # the terms of the step in the report are those of size, and add up to its step
    works "$RR" size s.json --alone --json
    local want=$(jq '.points[0].step.predicted_s' <<<"$output")
    jq -e --argjson want "$want" '.sheets[] | select(.name == "training.step") |
        .columns[1].unit == "seconds" and .rows[-1][0] == "total" and ([.rows[:-1][][1]] | add / $want - 1 | fabs < 1e-6) and .rows[-1][1] == $want' out/results.json
    jq -e '[.sheets[] | select(.name | startswith("training.")) | .name] ==
        ("runs done layouts rejected step memory scaling roofline trust accuracy" | split(" ") | map("training." + .))' out/results.json
    # every layout that was tried is counted once
    jq -e --argjson tried "$(jq '.points[0].layouts.tried' <<<"$output")" \
        '.sheets[] | select(.name == "training.rejected") | [.rows[][1]] | add == $tried' out/results.json
    # what it rests on: the rows of its framework and GPU in the facts
    local framework=$(jq -r '.points[0].framework' <<<"$output")
    [ "$(jq -r '.sheets[] | select(.name == "training.trust") | .rows[] | "\(.[1]) \(.[3])"' out/results.json | sort)" = \
        "$(grep ",step time,$framework,h100," "$ROOT/data/facts/train_accuracy.csv" | awk -F, '{ print $1 " " $5 }' | sort)" ]
    grep -q 'How far to trust this' out/report.md
    [ -s out/plots/trust.svg ]
}
@test "a plan without a price says what can be named instead" {
    run --separate-stderr "$RR" size --model llama-3-8b --tokens 1T --gpu mi300x --gpus 8 --alone --region us-east-1 --plan spot
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"no spot price of a machine with"*"in us-east-1"*"another --plan"*"--prices"* ]]
}
@test "a llama config without hidden_act has the gated layers of its class" {
    echo '{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":8192,"vocab_size":128256,"tie_word_embeddings":true}' >config.json
    # 128256 x 2048 + 16 x (2 x 2048^2 + 2 x 2048 x 512 + 3 x 2048 x 8192 + 2 x 2048) + 2048 = 1235814400, as published
    works "$RR" size --config config.json --tokens 2B --gpu h100-sxm --gpus 8 --alone --json
    jq -e '(.parameters / 1235814400 - 1 | fabs) < 1e-3' <<<"$output"
}
@test "one own run's memory scales what moves and narrows the margin" {
    local run='tp=8, pp=4, micro_batch=1, zero=1, recompute=none'
    own() { "$RR" size --model llama-3-70b --tokens 1T --gpu h100-sxm --gpus 64 --alone --layout tp=8,pp=4,mb=1,vpp=1,cp=1 "$@"; }
    works own --json
    local was=$(jq '.points[0].memory_bytes[0].activations' <<<"$output")
    jq -e '.points[0].memory_fit | .margin == 0.1 and .measured_bytes == null' <<<"$output"
    works own --measured "$run, memory=60 GB" --json
    jq -e --argjson was "$was" '.points[0] | .memory_fit.margin == 0.03 and (.memory_fit.after_bytes - 60e9 | fabs) < 1 and .step.scale == 1
        and (.memory_bytes[0].activations / $was - .memory_fit.scale | fabs) < 1e-6' <<<"$output"
    works own --measured "$run, step=60 s, memory=60 GB"
    [[ $output == *"60.0 GB measured, "*" GB predicted"*"activations, logits and buffers times "*"now 60.0 GB"* ]]
    fails 3 'measured: memory of 9.0 GB is less than the [0-9.]+ GB of weights, gradients and optimizer' own --measured "$run, memory=9 GB"
    fails 3 'measured: memory: "60" has no unit' own --measured "$run, memory=60"
    fails 3 'measured: no step time and no memory' own --measured "$run"
}
@test "the memory of a log stands beside the predicted one" {
    for i in 10 20 30 40 50; do
        echo " iteration $i/ 500 | consumed samples: 2560 | elapsed time per iteration (ms): 3123.4 | global batch size: 256 |"
    done >run.log
    echo "[Rank 0] (after 10 iterations) memory (MB) | allocated: 1000.0 | max allocated: 50000.0 | reserved: 60000.0" >>run.log
    works "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --alone --log run.log
    [[ "$output" == *"memory: 52.4 GB measured, "*" GB predicted"* ]] # 50000 x 2^20 bytes
}

eight() { "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --alone --set /failures/none=true "$@"; }
quotes() {
    cat >quotes.csv <<'CSV'
provider,product,instance,gpu,gpu_count,unit,region,zone,plan,term,payment,currency,price,upfront,valid_from,source,note
acme,compute,acme/h100x8,h100-80gb-sxm,8,GPU-hour,oslo,,on_demand,,,EUR,2.1637,,2025-12-01,quote 17,
acme,compute,acme/h100x8,h100-80gb-sxm,8,instance-hour,oslo,,reserved,1 year,all_upfront,USD,,91000.50,2025-12-01,quote 17,
acme,compute,acme/l40s,l40s-48gb,8,instance-hour,oslo,,on_demand,,,USD,0.01,,2025-12-01,quote 17,another GPU
CSV
}
@test "a price book is in front of the facts, in any currency that has a rate" {
    quotes
    works eight --prices quotes.csv --fx EUR=1.17@2026-01-02 --plan on_demand,reserved,owned --json
    # 64 GPUs at EUR 2.1637, $1.17 each
    jq -e '.points[0] | .costs[0].machine == "acme/h100x8" and (.costs[0].effective / (64 * 2.1637 * 1.17 * .time.total_s / 3600) - 1 | fabs) < 1e-6' <<<"$output"
    # 8 nodes paid for a year; the run has its share of it
    jq -e '.points[0] | .costs[1].billed == 728004 and (.costs[1].effective / (728004 * .time.total_s / (365 * 86400)) - 1 | fabs) < 0.003' <<<"$output"
    # without a rate the book's price cannot be counted, and is said to be left out
    works eight --prices quotes.csv --plan on_demand
    [[ $output == *"nebius/"*"warning: prices in EUR are left out"* ]]
    works eight --currency CNY --fx USD=7.25@2026-01-02 --plan on_demand --json
    jq -e '.currency == "CNY" and (.points[0] | .costs[0].effective / (8 * 23.60 * 7.25 * .time.total_s / 3600) - 1 | fabs) < 1e-6' <<<"$output"
    works eight --currency CNY --fx USD=7.25@2026-01-02 --budget '$1M'
    [[ $output == *"Within the budget with 90 % chance, the quickest: 64 x hgx-h100"*"¥"* ]]
    fails 3 'are in USD, and nothing says what that is in CNY: --fx USD=RATE@DATE' eight --currency CNY --plan on_demand
    fails 2 'CODE=RATE@DATE is expected' eight --fx USD
    fails 2 'other than USD is expected' eight --fx USD=1@2026-01-01
    fails 2 'a code such as CNY is expected' eight --currency yuan
    fails 2 '3M is in CNY, and nothing says' eight --budget '¥3M'
    fails 4 'gone.csv' eight --prices gone.csv
    echo 'provider,price' >bad.csv
    fails 3 'bad.csv' eight --prices bad.csv
}
@test "a scenario's books and currency are those of its size" {
    quotes
    planned '.prices = ["quotes.csv"] | .fx = {"EUR": {"rate": 1.17, "date": "2026-01-02"}}' >s.json
    works "$RR" size s.json --alone --plan on_demand --json
    jq -e '.points[0].costs[0].machine == "acme/h100x8"' <<<"$output"
    fails 2 'beside a scenario: it counts in USD' "$RR" size s.json --currency CNY
}
@test "the plan of the pool of a planned run is priced first" {
    planned '.pools.cloud.plan.rate = "$70/h"' >s.json
    works "$RR" size s.json --alone --json
    # 8 nodes and a spare at $70 an hour
    jq -e '.points[0] | .costs[0].machine == "aws/p5.48xlarge" and (.costs[0].effective / ((8 + .time.spare_nodes) * 70 * .time.total_s / 3600) - 1 | fabs) < 1e-4' <<<"$output"
    [ "$(jq '.points[0].costs | length' <<<"$output")" = 5 ]
    works "$RR" size s.json --alone
    [[ $output == *"own plan "*"/pools/cloud: the own plan is that of this pool"* ]]
    # --plan is asked for instead
    works "$RR" size s.json --alone --plan on_demand --json
    jq -e '.points[0].costs | length == 1' <<<"$output"
    # machines that no price is known of are left to `rackrate run`
    planned '.pools.cloud |= (del(.instance, .region) + {"gpus_per_node": 8, "gpu": "h100-80gb-sxm"})' >bare.json
    works "$RR" size bare.json --alone
}
@test "what a spot market takes back is lost time" {
    # a month takes 25 % of the nodes: ln(4/3) hits in 730.5 h each, 8 of them, 1 at once
    spot() { eight --plan "{\"type\": \"spot\", \"price\": \"\$10/h\", $1}" --json; }
    works spot '"availability": {"monthly": "25 %", "batch": 1, "back": "1 h"}'
    # reclaims = time without pauses / (730.5 h / (8 ln(4/3)))
    jq -e '.points[0] | .costs[0] as $c | ((.time.total_s / 3600 * 8 * (4 / 3 | log) / 730.5) / $c.reclaims - 1 | fabs) < 0.001' <<<"$output"
    # notice of 2 min is longer than a checkpoint: each costs writing, an hour, requeue, image, load and compile
    jq -e '.points[0] | .costs[0] as $c | (($c.time_s - .time.total_s) / $c.reclaims) as $each | $each > 3600 + 120 + 60 + 180 and $each < 3600 + 120 + 60 + 180 + 60' <<<"$output"
    jq -e '.points[0] | .costs[0] | (.effective / (8 * 10 * .time_s / 3600) - 1 | fabs) < 1e-6' <<<"$output"
    local saved=$(jq '.points[0].costs[0].time_s' <<<"$output")
    works spot '"notice": "1 s", "availability": {"monthly": "25 %", "batch": 1, "back": "1 h"}'
    jq -e --argjson saved "$saved" '.points[0].costs[0].time_s > $saved' <<<"$output"
    # dear for 6 of every 24 hours: it stands still then, and is not paid for
    printf 'time,price\n0,10\n64800,20\n86400,10\n' >market.csv
    works eight --plan '{"type": "spot", "price": {"file": "market.csv", "repeat": true}, "max_price": "$11/h", "availability": {"monthly": 0.0, "batch": 1}}' --json
    jq -e '.points[0].costs[0] | (.held_s / .time_s - 0.75 | fabs) < 0.02 and (.per_gpu_hour - 1.25 | fabs) < 1e-6' <<<"$output"
    # nothing is known of this provider: like the others, and it says so
    works eight --plan spot
    [[ $output == *"nothing is known of nebius/"*"data/facts/spot.csv"* ]]
}
@test "layouts that real runs had: fewer layers on the first and last stage" {
    works "$RR" size --model llama-3.1-405b --tokens 1T --gpu h100 --gpus 16384 --alone --global-batch 2048 --layout tp=8,pp=16 --json
    jq -e '.points[0].layouts.best[0].layout | .pp == 16 and .ends == 2' <<<"$output"
    works "$RR" size --model bloom-176b --tokens 366B --gpu a100 --gpus 384 --alone --global-batch 2048 --layout tp=4,pp=12
    [[ $output == *"pp 12"*"ends 2"* ]]
    fails 3 '126 layers on 16 stages' "$RR" size --model llama-3.1-405b --tokens 1T --gpu h100 --gpus 16384 --alone --global-batch 2048 --layout tp=8,pp=16,vpp=1,ends=0
}
@test "one framework for all GPUs that are compared" {
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100,gb300 --gpus 512 --alone --plan on_demand
    [[ $output == *"framework bridge"* ]]
    works "$RR" size --model llama-3-70b --tokens 1T --gpu h100 --gpus 512 --alone --plan on_demand
    [[ $output == *"framework nemo"* ]]
    works "$RR" size --model llama-3-8b --tokens 1T --gpu h100,l40s --gpus 64 --alone --plan on_demand
    [[ $output == *"warning: l40s: no coefficients for nemo on l40s"* ]]
}
@test "a precision that the GPU has not is refused with the one it has" {
    fails 3 'dgx-2-v100 has no bf16; fp16 is' "$RR" size --model bert-large --samples 1M --gpu v100 --gpus 16 --alone
    fails 3 'hgx-h100 has no mxfp8; fp8 is' "$RR" size --model llama-3-8b --tokens 1T --gpu h100 --gpus 16 --alone --precision mxfp8
}
@test "no bandwidth and no peak is 0, and nothing takes for ever" {
    fails 3 'checkpoint: storage: "0 GB/s": more than 0 is expected' llama --set '/checkpoint/storage="0 GB/s"'
    fails 3 'checkpoint: host: "0 GB/s": more than 0' llama --set '/checkpoint/host="0 GB/s"'
    fails 3 'machine: network: "0 Gb/s": more than 0' llama --set '/machine/network="0 Gb/s"'
    fails 3 'machine: link: "0 GB/s": more than 0' llama --set '/machine/link="0 GB/s"'
    fails 3 'machine: memory_bandwidth: "0 GB/s": more than 0' llama --set '/machine/memory_bandwidth="0 GB/s"'
    fails 3 'machine: peak: "0 TFLOP/s": more than 0' llama --set '/machine/peak="0 TFLOP/s"'
    fails 3 'it never ends: [0-9]+ steps of [0-9]+ s' llama --set '/machine/network="1 b/s"'
}
@test "a run far outside the band says so, and why the band is as wide as it was" {
    works llama --layout tp=8,pp=4,mb=1,vpp=1,cp=1 --measured "step=60 s"
    [[ $output == *"the band stays "*" wide"*"warning: far outside the band: check layout, batch, GPUs"* ]]
    fails 3 'measured: memory of 200.0 GB is more than the 85.9 GB that a GPU of hgx-h100 has' llama --measured "memory=200 GB"
    # few steps that vary by a half each do not make it narrower
    printf 'step_time_s\n4\n5\n9\n4\n6\n9\n' >uneven.csv
    works "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --alone --log uneven.csv
    [[ $output == *"the band stays "*"the measured steps are too few or too uneven to narrow it"* ]]
    [[ $output != *"wide instead of"* ]]
}
@test "Megatron's first line is the layout of a log" {
    line() { echo "using world size: 64, data-parallel size: $1, context-parallel size: 1, tensor-model-parallel size: $2, pipeline-model-parallel size: $3 "; }
    steps() { for i in 10 20 30 40 50 60 70; do echo " iteration $i/ 500 | elapsed time per iteration (ms): 5123.4 | global batch size: 512 |"; done; }
    of() { "$RR" size --model llama-3-8b --tokens 1T --gpu h100-sxm --gpus 64 --alone --log run.log "$@"; }
    { line 8 4 2; steps; } >run.log
    works of
    [[ $output == *"was predicted (tp 4 pp 2 "*"dp 8 "* ]]
    fails 3 'measured: tp=8, but run.log says 4' of --measured "tp=8"
    # 8 x 4 x 1 are not 64
    { line 8 4 1; steps; } >run.log
    fails 3 'measured: .*' of
}
@test "wrong and double words of a question are refused" {
    fails 3 'no price is of a region "nowhere"' llama --region nowhere
    fails 3 'did you mean "us-east-1"' llama --region us-eest-1
    fails 2 'layout: "tp" is given twice' llama --layout tp=8,tp=4
    fails 2 'layout: "micro_batch" is given twice' llama --layout mb=1,micro_batch=2
    fails 3 'resnet-50 is given by a table of its samples, so it has data parallelism only' "$RR" size --model resnet-50 --samples 1M --gpu a100 --gpus 8 --layout tp=2
    echo '{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":7,"intermediate_size":8192,"vocab_size":128256}' >kv.json
    fails 3 'kv.json: 32 attention heads do not divide by 7 key-value heads' "$RR" size --config kv.json --tokens 2B --gpu h100-sxm --gpus 8
}
@test "text has no exponents" {
    works "$RR" size --model llama-3.1-405b --tokens 15T --gpu h100-sxm --gpus 1024 --alone --global-batch 2048 \
        --set '/checkpoint/bytes_per_parameter=60' --set '/checkpoint/storage="100 MB/s"' --set '/checkpoint/interval="3 d"' --set /failures/none=true
    ! grep -E '[0-9]e[+-][0-9]' <<<"$output"
}
