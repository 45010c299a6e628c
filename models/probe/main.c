/* SPDX-License-Identifier: MIT
 * models/probe/main.c - rackrate-probe on the real CUDA runtime. */
#include "models/probe/probe.h"

int main(int argc, char **argv) { return rr_probe_program(argc, argv, &rr_cuda_real, &rr_loader_real); }
