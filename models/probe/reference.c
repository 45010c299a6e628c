/* SPDX-License-Identifier: MIT
 * models/probe/reference.c - the kernels once more on the host, slow and plain: what the device must agree with. */
#include "data/base/fmath.h"
#include "models/probe/probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rr_probe_type_name[RR_PROBE_TYPE_N] = {
#define X(id, name, bytes) name,
    RR_PROBE_TYPES(X)
#undef X
};
const char *const rr_probe_kernel_name[RR_KERNEL_N] = {
#define X(id, name, bytes) name,
    RR_PROBE_KERNELS(X)
#undef X
};
const int rr_probe_kernel_bytes[RR_KERNEL_N] = {
#define X(id, name, bytes) bytes,
    RR_PROBE_KERNELS(X)
#undef X
};
static const size_t type_bytes[RR_PROBE_TYPE_N] = {
#define X(id, name, bytes) bytes,
    RR_PROBE_TYPES(X)
#undef X
};

size_t rr_probe_type_bytes(enum rr_probe_type type) { return type_bytes[type]; }
enum rr_probe_type rr_probe_result_type(enum rr_probe_type type) { return type == RR_PROBE_FP8 ? RR_PROBE_BF16 : type; }

/* A binary floating-point format with `e` exponent and `m` mantissa bits: IEEE 754, fp8 as e4m3 without infinities (OCP OFP8, 2023). Nearest even. */
static uint32_t encode(double v, int e, int m)
{
    const uint32_t sign = (uint32_t)(signbit(v) ? 1 : 0) << (e + m), most = e == 4 ? 0x7e : ((1u << e) - 1) << m;
    const int bias = (1 << (e - 1)) - 1;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int power = (int)(bits >> 52 & 0x7ff) - 1023, least = 1 - bias; // a subnormal double is 0 in all formats
    if (power >= 1 << (e - 1)) return sign | most;
    const int shift = 52 - m + (power < least ? least - power : 0);
    if (shift > 54) return sign;
    const uint64_t full = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52, half = UINT64_C(1) << (shift - 1);
    uint64_t steps = full >> shift;
    const uint64_t rest = full & (2 * half - 1);
    steps += rest > half || (rest == half && (steps & 1));
    const uint64_t all = ((uint64_t)((power < least ? least : power) + bias - 1) << m) + steps;
    return sign | (all > most ? most : (uint32_t)all);
}

static double decode(uint32_t bits, int e, int m)
{
    const int bias = (1 << (e - 1)) - 1, exponent = (int)(bits >> m) & ((1 << e) - 1);
    const double fraction = bits & ((1u << m) - 1);
    const double v = exponent == 0 ? ldexp(fraction, 1 - bias - m) : ldexp(fraction + (double)(1u << m), exponent - bias - m);
    return bits >> (e + m) ? -v : v;
}

double rr_reference_get(enum rr_probe_type type, const void *at, int64_t i)
{
    switch (type) {
    case RR_PROBE_FP64: return ((const double *)at)[i];
    case RR_PROBE_FP32:
    case RR_PROBE_TF32: return (double)((const float *)at)[i];
    case RR_PROBE_FP16: return decode(((const uint16_t *)at)[i], 5, 10);
    case RR_PROBE_BF16: { // the upper half of a float
        const uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
        float v;
        memcpy(&v, &bits, sizeof v);
        return (double)v;
    }
    default: return decode(((const uint8_t *)at)[i], 4, 3);
    }
}

void rr_reference_set(enum rr_probe_type type, void *at, int64_t i, double v)
{
    switch (type) {
    case RR_PROBE_FP64: ((double *)at)[i] = v; break;
    case RR_PROBE_FP32:
    case RR_PROBE_TF32: ((float *)at)[i] = (float)v; break;
    case RR_PROBE_FP16: ((uint16_t *)at)[i] = (uint16_t)encode(v, 5, 10); break;
    case RR_PROBE_BF16: ((uint16_t *)at)[i] = (uint16_t)encode(v, 8, 7); break;
    default: ((uint8_t *)at)[i] = (uint8_t)encode(v, 4, 3); break;
    }
}

/* The same mixing as in kernels.cu (M. O'Neill, PCG "RXS-M-XS" constants as in C. Wellons' prospector "lowbias32"). */
static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
static double random_value(uint32_t seed, int64_t i, bool exact)
{
    const uint32_t x = mix((uint32_t)i ^ mix(seed));
    return exact ? (double)((int)(x >> 28) - 8) / 8 : (double)(x >> 8) / 8388608.0 - 1;
}

static double bf(const void *at, int64_t i) { return rr_reference_get(RR_PROBE_BF16, at, i); }
static void put(void *at, int64_t i, double v) { rr_reference_set(RR_PROBE_BF16, at, i, v); }

#define GELU_A 0.7978845608028654 /* sqrt(2 / pi) */
#define GELU_B 0.044715
static double gelu(double x) { return 0.5 * x * (1 + tanh(GELU_A * (x + GELU_B * x * x * x))); }
static double gelu_slope(double x)
{
    const double t = tanh(GELU_A * (x + GELU_B * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * GELU_A * (1 + 3 * GELU_B * x * x);
}

static void moments(const void *a, int64_t row, int32_t width, double *mean, double *scale)
{
    double sum = 0, square = 0;
    for (int32_t i = 0; i < width; i++) sum += bf(a, row + i);
    *mean = sum / width;
    for (int32_t i = 0; i < width; i++) square += (bf(a, row + i) - *mean) * (bf(a, row + i) - *mean);
    *scale = 1 / sqrt(square / width + 1e-5);
}

static void layer_norm(const struct rr_kernel_args *g, int64_t row)
{
    double mean, scale;
    moments(g->a, row, g->width, &mean, &scale);
    for (int32_t i = 0; i < g->width; i++) put(g->out, row + i, (bf(g->a, row + i) - mean) * scale);
}

/* a: gradient of the output, b: input. */
static void norm_grad(const struct rr_kernel_args *g, int64_t row)
{
    double mean, scale, dy = 0, dyx = 0;
    moments(g->b, row, g->width, &mean, &scale);
    for (int32_t i = 0; i < g->width; i++) {
        dy += bf(g->a, row + i);
        dyx += bf(g->a, row + i) * (bf(g->b, row + i) - mean) * scale;
    }
    for (int32_t i = 0; i < g->width; i++) {
        const double x = (bf(g->b, row + i) - mean) * scale;
        put(g->out, row + i, scale * (bf(g->a, row + i) - dy / g->width - x * dyx / g->width));
    }
}

static void softmax(const struct rr_kernel_args *g, int64_t row)
{
    const int32_t seen = 1 + (int32_t)(row / g->width % g->width);
    double most = bf(g->a, row), sum = 0;
    for (int32_t i = 1; i < seen; i++) most = fmax(most, bf(g->a, row + i));
    for (int32_t i = 0; i < seen; i++) sum += rr_exp(bf(g->a, row + i) - most);
    for (int32_t i = 0; i < g->width; i++) put(g->out, row + i, i < seen ? rr_exp(bf(g->a, row + i) - most) / sum : 0);
}

/* a: gradient of the output, b: output. */
static void softmax_grad(const struct rr_kernel_args *g, int64_t row)
{
    double dot = 0;
    for (int32_t i = 0; i < g->width; i++) dot += bf(g->a, row + i) * bf(g->b, row + i);
    for (int32_t i = 0; i < g->width; i++) put(g->out, row + i, bf(g->b, row + i) * (bf(g->a, row + i) - dot));
}

/* Kingma and Ba 2015, with beta 0.9 and 0.95, eps 1e-8, no bias correction; s: learning rate. */
static void adam(const struct rr_kernel_args *g, int64_t i)
{
    float *w = g->out, *m = g->state, *v = m + g->n;
    const double d = bf(g->a, i);
    m[i] = (float)(0.9 * (double)m[i] + 0.1 * d);
    v[i] = (float)(0.95 * (double)v[i] + 0.05 * d * d);
    w[i] = (float)((double)w[i] - (double)g->s * (double)m[i] / (sqrt((double)v[i]) + 1e-8));
    put((void *)(uintptr_t)g->b, i, (double)w[i]);
}

static void read_sums(const struct rr_kernel_args *g)
{
    float *sum = g->out;
    memset(sum, 0, RR_READ_SUMS * sizeof *sum);
    for (int64_t i = 0; i < g->n; i++) sum[i % RR_READ_SUMS] += ((const float *)g->a)[i];
}

static void each_element(enum rr_probe_kernel k, const struct rr_kernel_args *g)
{
    const float *a = g->a, *b = g->b;
    float *out = g->out;
    for (int64_t i = 0; i < g->n; i++) {
        if (k == RR_KERNEL_FILL) rr_reference_set(g->type, g->out, i, random_value(g->seed, i, g->s > 0));
        if (k == RR_KERNEL_COPY) out[i] = a[i];
        if (k == RR_KERNEL_TRIAD) out[i] = a[i] + g->s * b[i];
        if (k == RR_KERNEL_WRITE) out[i] = g->s;
        if (k == RR_KERNEL_GELU) put(out, i, gelu(bf(a, i)));
        if (k == RR_KERNEL_GELU_GRAD) put(out, i, bf(a, i) * gelu_slope(bf(b, i)));
        if (k == RR_KERNEL_ADD) put(out, i, bf(a, i) + bf(b, i));
        if (k == RR_KERNEL_ADAM) adam(g, i);
    }
}

void rr_reference_kernel(enum rr_probe_kernel k, const struct rr_kernel_args *g)
{
    if (k == RR_KERNEL_EMPTY) return;
    if (k == RR_KERNEL_READ)
        read_sums(g);
    else if (k < RR_KERNEL_LAYER_NORM || k == RR_KERNEL_ADAM)
        each_element(k, g);
    else
        for (int64_t row = 0; row + g->width <= g->n; row += g->width) {
            if (k == RR_KERNEL_LAYER_NORM) layer_norm(g, row);
            if (k == RR_KERNEL_NORM_GRAD) norm_grad(g, row);
            if (k == RR_KERNEL_SOFTMAX) softmax(g, row);
            if (k == RR_KERNEL_SOFTMAX_GRAD) softmax_grad(g, row);
        }
}

static double *as_double(enum rr_probe_type type, const void *at, int64_t first, int64_t n)
{
    double *v = rr_xrealloc(NULL, (size_t)n, sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = rr_reference_get(type, at, first + i);
    return v;
}

void rr_reference_gemm(const struct rr_gemm_shape *s, const void *a, const void *b, void *d)
{
    for (int64_t z = 0; z < s->batch; z++) {
        double *av = as_double(s->type, a, z * s->m * s->k, s->m * s->k), *bv = as_double(s->type, b, z * s->n * s->k, s->n * s->k);
        for (int64_t j = 0; j < s->n; j++)
            for (int64_t i = 0; i < s->m; i++) {
                double sum = 0;
                for (int64_t p = 0; p < s->k; p++) sum += av[i * s->k + p] * bv[j * s->k + p];
                rr_reference_set(rr_probe_result_type(s->type), d, (z * s->n + j) * s->m + i, sum);
            }
        free(av);
        free(bv);
    }
}
