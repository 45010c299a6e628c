#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/validate.bats - rackrate validate trace: a schedule that FIFO made, foreign columns, node lists, refusals.
load helper
FACTS=${RACKRATE_SHARED:-$ROOT/../shared}/facts

# One node of 2 GPUs, first come first served: job 3 waits for job 2, which waits for job 1.
fifo() {
    printf '%s\n' id,came,began,ran,n 1,0,0,100,1 2,10,100,50,2 3,20,150,10,1 4,1000,1000,100,1 5,1010,1100,50,2 6,1020,1150,10,1
}
map="--column job_id=id --column submit_s=came:s --column start_s=began --column duration_s=ran --column gpus=n"

@test "the rules that made the schedule come out, without error" {
    fifo >t.csv
    works "$RR" validate trace t.csv --fleet 1x2 $map --json
    [ "$(jq -r '.trials[0].policy + " " + .trials[0].rules' <<<"$output")" = "fifo blocking" ]
    [ "$(jq '.log_error, .jobs, .gpus' <<<"$output" | xargs)" = "0 6 2" ]
    [ "$(jq '.halves[1] | .recorded_wait_mean_s == .simulated_wait_mean_s and .recorded_wait_mean_s == 220 / 3' <<<"$output")" = true ]
    printf 'name,gpus\na,2\n' >nodes.csv
    works "$RR" validate trace t.csv --fleet nodes.csv $map --policy fifo
    [[ $output == *"Chosen on the first half: fifo (blocking)"* ]]
}
@test "jobs that come in one second are counted" {
    { fifo; echo 7,1010,1160,5,1; echo 8,1010.75,1165,5,1; echo 9,2000,2000,5,1; } >t.csv
    works "$RR" validate trace t.csv --fleet 1x2 $map
    [[ $output == *"- 33.3 % of the jobs (3) share their second of submission with others, up to 3 in one second"* ]]
}
@test "no recorded start" {
    printf 'submit_s,duration_s,gpus\n0,1,1\n1,1,1\n' >t.csv
    fails 3 't.csv: no recorded start: waits cannot be compared' "$RR" validate trace t.csv --fleet 1x1
}
@test "words that are wrong" {
    fifo >t.csv
    fails 2 'which machines did the trace run on\? --fleet NODESxGPUS' "$RR" validate trace t.csv
    fails 2 '--fleet 100: NODESxGPUS is expected, such as 100x8 for 100 nodes of 8 GPUs' "$RR" validate trace t.csv --fleet 100
    fails 2 '--fleet 4x: NODESxGPUS is expected' "$RR" validate trace t.csv --fleet 4x
    fails 2 '--fleet 0x8: 1 to 10,000,000 nodes' "$RR" validate trace t.csv --fleet 0x8
    fails 2 'did you mean "trace"' "$RR" validate trice t.csv --fleet 1x1
    fails 2 'which trace\?' "$RR" validate trace --fleet 1x1
    fails 2 'which measurements\?' "$RR" validate training
    fails 3 't.csv:1: no table of training measurements' "$RR" validate training t.csv
    fails 3 '"validate scheduling" is not built yet' "$RR" validate scheduling t.csv
    fails 2 'unknown policy "fefo", did you mean "fifo"' "$RR" validate trace t.csv --fleet 1x2 $map --policy fefo
    fails 2 '--column wants OURS=THEIRS' "$RR" validate trace t.csv --fleet 1x2 --column came
    fails 3 '"submit" is no column of ours' "$RR" validate trace t.csv --fleet 1x2 --column submit=came
    fails 3 'has no unit "weeks"' "$RR" validate trace t.csv --fleet 1x2 --column submit_s=came:weeks
    fails 4 'no-such' "$RR" validate trace t.csv --fleet no-such-file $map
}

@test "published rows: each is predicted or counted with its reason" {
    head=source,model,layers,hidden,heads,kv_heads,ffn_hidden,vocab,seq_len,gpu,gpus,tp,pp,vpp,dp,cp,zero_stage,micro_batch,global_batch
    head+=,precision,recompute,iter_time_s,tokens_per_s_per_gpu,notes
    printf '%s\n' "$head" \
        'NVIDIA NeMo x,LLAMA3-8B,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,1,1,,4,2,,1,128,fp8,,9.67,,x' \
        'NVIDIA NeMo x,LLAMA3-8B,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,2,1,,4,1,,1,128,bf16,,12.4,,x' \
        'NVIDIA NeMo x,Unheard,,,,,,,8192,H100-SXM5-80GB,8,1,1,,4,2,,1,128,fp8,,9.67,,x' >rows.csv
    run -0 "$RR" validate training rows.csv --json --rows out.csv
    jq -e '.schema == "rackrate.validation/1" and (.sets | length) == 1 and .sets[0].set == "NeMo" and .sets[0].n == 2 and
        .sets[0].unpredicted == 1 and .sets[0].mape_pct < 30 and .sets[0].tau == null and
        .unpredicted[0].reason == "the row prints no shape and the model is not in data/facts/models.csv"' <<<"$output"
    [ "$(wc -l <out.csv)" -eq 3 ]
    works "$RR" validate training rows.csv --table table.csv --plot plots
    # the whole set, and what nemo/h100 gives alone: the same two rows; nothing was fitted anew
    [ "$(cut -d, -f1-5,12 table.csv | tail -n +2)" = "$(printf '%s\n' 'NeMo,step time,,,2,0' 'NeMo,step time,nemo,h100,2,0')" ]
    grep -q 'NeMo' plots/step-time.svg
    [ "$(ls plots)" = step-time.svg ]
    fails 4 'table.csv' "$RR" validate training rows.csv --table nowhere/table.csv
    run -0 "$RR" validate training rows.csv
    [[ "$output" == *"NeMo: 1 row: the row prints no shape"* ]]
    sed -i 's/fp8,,9.67/fp9,,9.67/' rows.csv
    fails 3 'rows.csv:2: unknown precision "fp9", did you mean "fp8"' "$RR" validate training rows.csv
}

# Random rows of a published table with random cells blanked, each seen again in exactly one place.
blanked() { # FILE SEED
    python3 - "$1" "$2" <<'P'
import csv, random, sys
path, seed = sys.argv[1], int(sys.argv[2])
random.seed(seed)
with open(path, newline="") as f:
    head, *rows = list(csv.reader(f))
out = csv.writer(open("blanked.csv", "w", newline=""), lineterminator="\n")
out.writerow(head)
for i, row in enumerate(random.sample(rows, min(60, len(rows)))):
    cells = [c if random.random() > 0.15 else "" for c in row]
    cells[0] = row[0]  # a row of empty cells is an empty line
    out.writerow(cells)
P
}

counted() { # FILE...: rows as Python counts them = predicted + not predicted + judged + counted once; the reasons say as many
    local rows=0 f
    for f; do rows=$((rows + $(python3 -c 'import csv, sys; print(sum(1 for r in csv.reader(open(sys.argv[1], newline="")) if r) - 1)' "$f"))); done
    run -0 "$RR" validate training "$@" --json
    jq -e --argjson n "$rows" '.rows.read == $n and
        .rows.predicted + .rows.not_predicted + .rows.judged_by_whether_they_ran + .rows.counted_once == $n and
        ([.unpredicted[] | select(.set != "MLPerf LLM runs, time to train")] | length) == .rows.not_predicted' <<<"$output"
}

@test "rows with blanked cells are predicted or counted with a reason, all of them" {
    for f in training_validation memory_validation mlperf_llm_layouts; do
        [ -f "$FACTS/$f.csv" ] || skip "no public data"
        for seed in 3 17; do
            blanked "$FACTS/$f.csv" "$seed"
            counted blanked.csv
        done
    done
    counted "$FACTS/memory_validation.csv" "$FACTS/mlperf_llm_layouts.csv"
    jq -e '.rows.predicted > 1000 and .rows.judged_by_whether_they_ran > 900' <<<"$output"
}

@test "memory rows that print neither peak nor fate are said, files given twice are counted once" {
    printf '%s\n' model,gpu,gpus,tp,pp,seq_len,peak_mem_gb,oom 'LLAMA3-8B,H100 80GB SXM5,8,8,1,4096,,' 'LLAMA3-8B,h100,8,8,1,4096,31.7,no' \
        'LLAMA3-8B,h100,8,1,1,4096,,yes' >memory.csv
    works "$RR" validate training memory.csv
    [[ "$output" == *"memory: other: rows without a source: 1 row: the row prints neither its peak nor whether it ran"* ]]
    [[ "$output" == *"Of no set of data/facts/train_sets.csv"*"predicted as the usual framework"*"2 rows, as nemo"* ]]
    [[ "$output" == *"Rows read: 3 = 1 predicted + 1 not predicted + 1 judged by whether they ran"* ]]
    tac memory.csv | sed '$d' >body
    (head -1 memory.csv; cat body) >again.csv
    counted memory.csv again.csv memory.csv
    jq -e '.rows == {read: 9, predicted: 1, not_predicted: 1, judged_by_whether_they_ran: 1, counted_once: 6}' <<<"$output"
    works "$RR" validate training memory.csv again.csv
    [[ "$output" == *"Counted once: 3 rows of again.csv that memory.csv has too."* ]]
}

@test "rows of sets that no table here holds are predicted, the GPU spelt one way or another" {
    head=source,model,layers,hidden,heads,kv_heads,ffn_hidden,vocab,seq_len,gpu,gpus,gpus_per_node,tp,pp,dp,ep,cp,micro_batch,global_batch,precision,iter_time_s,mfu
    printf '%s\n' "$head" \
        'SimuMax B200 release v1.2,LLAMA3-70B,4,8192,64,8,28672,128256,4096,B200-SXM,8,8,2,1,4,,1,1,32,bf16,1.37,' \
        'SimuMax B200 release v1.2,DeepSeekV3,4,7168,128,128,18432,129280,4096,"NVIDIA B200 (SXM6, 180 GB)",8,8,1,1,8,8,1,1,64,bf16,2.11,' \
        'SimuMax B200 release v1.2,Qwen3_30B_a3B,4,2048,32,4,,151936,4096,B200 SXM 180GB,8,8,1,2,4,4,1,1,64,bf16,1.03,' \
        'Megatron MoE model zoo,Qwen3_30B_a3B,,,,,,,4096,H100-SXM5-80GB,16,8,1,1,16,8,1,1,512,bf16,9.9,' \
        'Megatron MoE model zoo,Qwen3_235B_a22B,,,,,,,4096,NVIDIA H100 80 GB SXM,256,8,2,8,16,16,1,1,2048,bf16,23,' \
        'My lab,LLAMA3-8B,,,,,,,8192,H100,8,8,2,1,4,,1,3,128,bf16,9.7,52.5' >rows.csv
    run -0 "$RR" validate training rows.csv --json
    jq -e '.rows.predicted == 6 and .rows.not_predicted == 0 and ([.sets[] | {(.set): .n}] | add) ==
        {"SimuMax B200": 3, "Megatron MoE": 2, "other: My lab": 1} and all(.sets[]; .mape_pct < 100)' <<<"$output"
    jq -e '(.doubtful | length) == 1 and .doubtful[0].row == "rows.csv:7"' <<<"$output"
    works "$RR" validate training rows.csv
    [[ "$output" == *" mean  rows out  groups out  models out "*"which the bars are judged by"* ]]
    [[ "$output" == *"rows.csv:7: LLAMA3-8B: the row contradicts itself: a global batch of 128 is not divisible by micro batch 3 x dp 4; mfu 52.5 is no share"* ]]
}
