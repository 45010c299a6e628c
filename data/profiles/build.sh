#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# data/profiles/build.sh - every shipped profile anew, from the public logs and the facts; `make profiles` runs it.
#
#   sh data/profiles/build.sh RACKRATE CALIBRATION OUT
#
# RACKRATE is the program, CALIBRATION the folder with the logs (nccl-tests/, nccl-lut/, nvbandwidth/), OUT the folder to write to. The same logs give the
# same bytes. A profile is one call of `fit`: name, GPU, GPUs a node, network, note, then a log and its source in turn; or `sheet`: name, machine, network, note.
set -eu
[ $# -eq 3 ] || { echo "usage: sh data/profiles/build.sh RACKRATE CALIBRATION OUT" >&2 && exit 2; }
rackrate=$1 logs=$2 out=$3
date=2026-12-01

fit() {
    name=$1 gpu=$2 each=$3 network=$4 note=$5
    shift 5
    n=$(($# / 2))
    while [ "$n" -gt 0 ]; do # FILE SOURCE ... becomes FILE --source SOURCE ...
        set -- "$@" "$logs/$1" --source "$2"
        shift 2
        n=$((n - 1))
    done
    "$rackrate" fit "$@" --name "$name" --gpu "$gpu" --gpus-per-node "$each" --network "$network" --note "$note" --date "$date" -o "$out/$name.json" >"$out/$name.log" 2>&1 ||
        { cat "$out/$name.log" >&2 && exit 1; }
    rm "$out/$name.log"
}
sheet() {
    "$rackrate" fit --datasheet "$2" --name "$1" --network "$3" --note "datasheet, not measured: $4" -o "$out/$1.json" >/dev/null
}

fit v100-node v100-32gb-sxm 8 '' \
    'all-reduce from 1 MiB to 1 GiB inside one node; the source does not state the product of the node, its datasheet figures are those of the 32 GB SXM2 part' \
    nccl-lut/v100_1x2_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/v100/AR_GPU2_1M_1024M_LUT (MIT)' \
    nccl-lut/v100_1x4_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/v100/AR_GPU4_1M_1024M_LUT (MIT)' \
    nccl-lut/v100_1x8_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/v100/AR_GPU8_1M_1024M_LUT (MIT)'
fit v100-roce v100-32gb-sxm 8 'RoCE, 2 adapters of 100 Gb/s a node' \
    'a noisy log: latencies jump between 80 and 2200 us at small sizes; two DGX-1' \
    nccl-tests/v100-32g_2x8_100g-roce-sriov_all_reduce_oldfmt_noisy.txt 'NVIDIA/deepops docs/k8s-cluster/roce-perf-k8s.md'
fit a100-40-node a100-40gb-sxm 8 '' '' \
    nccl-tests/a100-40g_1x8_all_gather_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_allgather.log (MIT)' \
    nccl-tests/a100-40g_1x8_all_reduce_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_allreduce.log (MIT)' \
    nccl-tests/a100-40g_1x8_alltoall_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_alltoall.log (MIT)' \
    nccl-tests/a100-40g_1x8_broadcast_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_broadcast.log (MIT)' \
    nccl-tests/a100-40g_1x8_reduce_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_reduce.log (MIT)' \
    nccl-tests/a100-40g_1x8_reduce_scatter_oldfmt.txt 'microsoft/superbenchmark tests/data/nccl_reducescatter.log (MIT)' \
    nvbandwidth/a100-40g_x1_h2d-sm_v0.8.txt 'NVIDIA/nvbandwidth issue 42'
fit a100-40-roce a100-40gb-sxm 8 'RoCE (Oracle BM.GPU4.8)' '' \
    nccl-tests/a100-40g_2x8_oci-roce_all_reduce.txt 'oracle-quickstart/oci-hpc-oke README.md, commit 1402938'
fit a100-40-ib-sharp a100-40gb-sxm 8 'InfiniBand with SHARP' '' \
    nccl-tests/a100-40g_2x8_ib-sharp_all_reduce_oldfmt_collnet-info.txt 'ABCI user documentation (aistairc/abci-docs)'
fit a100-node a100-80gb-sxm 8 '' \
    'all-reduce from 1 MiB to 1 GiB inside one node with NVSwitch; the source names an A100, not which memory' \
    nccl-lut/a100_1x2_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/a100/AR_GPU2_1M_1024M_LUT (MIT)' \
    nccl-lut/a100_1x4_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/a100/AR_GPU4_1M_1024M_LUT (MIT)' \
    nccl-lut/a100_1x8_all_reduce_vtrain_lut.csv 'VIA-Research/vTrain trace/a100/AR_GPU8_1M_1024M_LUT (MIT)'
fit a100-80-efa a100-80gb-sxm 8 'EFA 400 Gb/s a node (AWS p4de)' '' \
    nccl-tests/a100-80g_2x8_efa_all_reduce_srun-label.txt 'aws-samples/awsome-distributed-training micro-benchmarks/nccl-tests/README.md'
fit dgxa100-ib a100-40gb-sxm 8 'InfiniBand HDR, 8 adapters of 200 Gb/s a node' 'two and four DGX A100; which memory is not said' \
    nccl-tests/dgxa100_2x8_hdr200x8_all_reduce_oldfmt.txt 'NVIDIA/deepops docs/k8s-cluster/nvidia-network-operator.md (2 nodes)' \
    nccl-tests/dgxa100_4x8_ib_all_reduce_oldfmt_errorcol.txt 'NVIDIA/deepops docs/slurm-cluster/slurm-perf-cluster.md (4 nodes)'
fit h100-node h100-80gb-sxm 8 '' '' \
    nccl-tests/h100-80g_1x8_all_reduce.txt 'NVIDIA/dgxc-benchmarking nccl/README.md' \
    nvbandwidth/h100-80g_x8_p2p_h2d_latency_v0.10.0.txt 'public page with nvbandwidth 0.10.0 on 8x H100'
fit h100-efa h100-80gb-sxm 8 'EFA 3200 Gb/s a node (AWS p5)' '' \
    nccl-tests/h100-80g_2x8_efa_all_reduce_srun-label.txt 'aws-samples/awsome-distributed-training micro-benchmarks/nccl-tests/README.md'
fit h100-efa-cluster h100-80gb-sxm 8 'EFA (Hugging Face cluster)' \
    'one size, 256 MB, on 1 to 64 nodes: median and 5 to 95 % over many sets of nodes; read from published plot data' \
    h100_collective_bandwidth_by_nodes.csv 'Ultra-Scale Playbook assets/data/benchmarks/pp_comm_bandwidth.html (copy: vinjn/nanotron-ultrascale-playbook)'
fit h100-tcpx h100-80gb-sxm 8 'GPUDirect-TCPX (Google a3-high)' '' \
    nccl-tests/h100-80g_2x8_gcp-a3high-tcpx_all_gather_nocheck.txt 'GoogleCloudPlatform/cluster-toolkit examples/gke-a3-highgpu/multi-node-test-plan.md'
fit h100-tcpxo h100-80gb-sxm 8 'GPUDirect-TCPXO (Google a3-mega)' '' \
    nccl-tests/h100-80g_2x8_gcp-tcpxo_all_reduce.txt 'lessizzmore/create-a3mega-ztan-fork, commit 02dd8f4' \
    nccl-tests/h100-80g_2x8_gcp-a3mega_all_gather_newfmt.txt 'GoogleCloudPlatform/cluster-toolkit examples/gke-a3-megagpu/README.md'
fit h200-roce h200-141gb-sxm 8 RoCE '16 GPUs, NCCL 2.30.4; the log begins at 8 KiB' \
    nccl-tests/h200_2x8_roce_all_reduce_tail_newfmt.txt 'public page, table only'
fit gb200-nvl72 gb200-186gb 4 'NVLink over 72 GPUs; two racks' 'NCCL 2.26.2; 512 MiB and more only' \
    nccl-tests/gb200-nvl72_18x4_all_reduce_headless.txt 'coreweave/nccl-tests README.md (one rack)' \
    nccl-tests/gb200_36x4_two-racks_all_reduce_headless.txt 'coreweave/nccl-tests README.md (two racks)'
fit mi300x-roce mi300x-192gb 8 'RoCE (Oracle)' '1 GiB and more only' \
    nccl-tests/mi300x_2x8_oci-roce_all_reduce_rccl.txt 'oracle-quickstart/oci-hpc-oke docs'

sheet h100-ib-datasheet hgx-h100 'InfiniBand 400 Gb/s a GPU' 'no log of H100 over InfiniBand is in our folder; for the node itself see h100-node'
sheet h200-datasheet hgx-h200 'InfiniBand 400 Gb/s a GPU' 'for collectives over RoCE see h200-roce'
sheet b200-datasheet hgx-b200 'InfiniBand 400 Gb/s a GPU' 'no log of this machine is public in our folder'
