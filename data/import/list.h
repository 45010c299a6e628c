/* Importers, one row each; see data/trace.h. */
X(csv)
X(swf)
X(alibaba_gpu_2023)
X(batsim)
