/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/cuda_host/kernels_host.cpp - the device code of kernels.cu, run on the host, against reference.c at odd sizes: index arithmetic, the
 * tails, rows of any width, more elements than the grid has threads, and that nothing behind the end is written. */
#include "models/probe/kernels.cu"
#include <cmath>
#include <cstdio>
#include <vector>
extern "C" {
void rr_reference_kernel(enum rr_probe_kernel k, const struct rr_kernel_args *args);
double rr_reference_get(enum rr_probe_type type, const void *at, int64_t i);
extern const char *const rr_probe_kernel_name[];
}

static int failed;
typedef std::vector<uint8_t> bytes;
enum { GUARD = 64 };

static bytes filled(enum rr_probe_type type, size_t each, int64_t n, uint32_t seed)
{
    bytes v((size_t)n * each + GUARD, 0xab);
    struct rr_kernel_args g = {};
    g.out = v.data(), g.n = n, g.seed = seed, g.s = 0, g.type = type;
    rr_reference_kernel(RR_KERNEL_FILL, &g);
    return v;
}

static void compare(const char *what, enum rr_probe_type type, size_t each, int64_t n, int width, const bytes &want, const bytes &got,
                    double tolerance)
{
    double worst = 0;
    int64_t where = -1;
    for (int64_t i = 0; i < n; i++) {
        const double w = rr_reference_get(type, want.data(), i),
                     d = std::fabs(w - rr_reference_get(type, got.data(), i)) / std::fmax(1, std::fabs(w));
        if (!(d <= worst)) worst = d, where = i;
    }
    bool guard = true;
    for (size_t i = (size_t)n * each; i < got.size(); i++) guard = guard && got[i] == 0xab;
    if (worst <= tolerance && guard) return;
    std::printf("%s n %lld width %d: off by %g at %lld%s\n", what, (long long)n, width, worst, (long long)where,
                guard ? "" : ", and behind the end");
    failed = 1;
}

static void one(enum rr_probe_kernel k, int64_t n, int width)
{
    const bool fp32 = k <= RR_KERNEL_WRITE || k == RR_KERNEL_ADAM;
    const enum rr_probe_type type = fp32 ? RR_PROBE_FP32 : RR_PROBE_BF16, in = k == RR_KERNEL_ADAM ? RR_PROBE_BF16 : type;
    const size_t each = fp32 ? 4 : 2, in_each = in == RR_PROBE_FP32 ? 4 : 2;
    const int64_t out_n = k == RR_KERNEL_READ ? RR_READ_SUMS : n;
    bytes want = filled(type, each, out_n, 3), a = filled(in, in_each, n, 5), b = filled(in, in_each, n, 7),
          state = filled(RR_PROBE_FP32, 4, 2 * n, 9);
    for (int64_t i = n; i < 2 * n; i++) ((float *)state.data())[i] = 0.25f;
    bytes got = want, b2 = b, state2 = state;
    struct rr_kernel_args g = {};
    g.out = got.data(), g.a = a.data(), g.b = b.data(), g.state = state.data(), g.n = n, g.width = width, g.s = 0.5f, g.type = type;
    if (rr_kernel_launch(k, &g, nullptr) != 0) std::printf("%s: launch\n", rr_probe_kernel_name[k]), failed = 1;
    g.out = want.data(), g.b = b2.data(), g.state = state2.data();
    rr_reference_kernel(k, &g);
    if (k == RR_KERNEL_READ) {
        double w = 0, s = 0;
        for (int i = 0; i < RR_READ_SUMS; i++) w += (double)((float *)want.data())[i], s += (double)((float *)got.data())[i];
        if (!(std::fabs(w - s) <= 1e-6 * (double)n)) std::printf("read n %lld: %g, not %g\n", (long long)n, s, w), failed = 1;
        return;
    }
    compare(rr_probe_kernel_name[k], type, each, n, width, want, got, fp32 ? 1e-6 : 0.0079);
    if (k == RR_KERNEL_ADAM) compare("adam's state", RR_PROBE_FP32, 4, 2 * n, 0, state2, state, 1e-6);
    if (k == RR_KERNEL_ADAM) compare("adam's copy", RR_PROBE_BF16, 2, n, 0, b2, b, 0.0079);
}

static void fills(int64_t n)
{
    static const size_t each[] = {8, 4, 4, 2, 2, 1};
    for (int t = 0; t < RR_PROBE_TYPE_N; t++)
        for (int exact = 0; exact < 2; exact++) {
            bytes want((size_t)n * each[t] + GUARD, 0xab), got = want;
            struct rr_kernel_args g = {};
            g.out = got.data(), g.n = n, g.seed = 13, g.s = (float)exact, g.type = (enum rr_probe_type)t;
            if (rr_kernel_launch(RR_KERNEL_FILL, &g, nullptr) != 0) failed = 1;
            g.out = want.data();
            rr_reference_kernel(RR_KERNEL_FILL, &g);
            compare("fill", g.type, each[t], n, 0, want, got, 0);
        }
}

int main()
{
    static const int64_t sizes[] = {4, 1020, 1028, 132 * 32 * 256 * 4 + 12};
    static const int widths[] = {4, 12, 31 * 4, 256, 260, 1000};
    for (int64_t n : sizes) {
        for (int k = RR_KERNEL_COPY; k < RR_KERNEL_LAYER_NORM; k++)
            if (n < 2000 || k == RR_KERNEL_TRIAD || k == RR_KERNEL_GELU_GRAD) one((enum rr_probe_kernel)k, n, 1);
        one(RR_KERNEL_ADAM, n < 2000 ? n + 3 : 132 * 32 * 256 + 21, 1);
        if (n < 2000) fills(n + 3);
    }
    for (int w : widths)
        for (int k = RR_KERNEL_LAYER_NORM; k <= RR_KERNEL_SOFTMAX_GRAD; k++) one((enum rr_probe_kernel)k, (int64_t)w * 7, w);
    const struct rr_kernel_args none = {};
    if (rr_kernel_launch(RR_KERNEL_EMPTY, &none, nullptr) != 0) failed = 1;
    if (!failed) std::printf("all kernels agree with the reference\n");
    return failed;
}
