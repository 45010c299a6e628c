/* Formats of node lists, one row each; see data/fleet.h. */
X(csv)
X(alibaba_gpu_2023)
X(scontrol)
X(sinfo)
X(kubectl)
