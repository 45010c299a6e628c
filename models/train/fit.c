/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/fit.c - Levenberg-Marquardt over the coefficients of one profile. */
#include "models/train/fit.h"
#include "data/base/fmath.h"
#include "data/names.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <string.h>

#define FLAT_TIME   0.1 /* beyond this a residual counts by its size, not its square */
#define FLAT_MEMORY 0.01
/* What a coefficient that lies a factor e off its start costs, as a residual. A profile that is like another is drawn to it more the fewer rows it has: makers
 * share kernels and libraries. FEW was chosen by groups left out (rr_fit_left_out): 0 gives small sets 19 % where it is now 10, 0.1 for all others 1 to 7 % more. */
#define PRIOR 0.03
#define FEW   20.0

struct problem {
    const struct rr_fit *f;
    const struct rr_coefs *start;
    int at[RR_COEF_N]; /* coefficient behind parameter i */
    double start_u[RR_COEF_N];
};

static double to_u(int i, double v)
{
    const struct rr_coef_info *c = &rr_coef_info[i];
    double share = (v - c->least) / (c->most - c->least);
    share = share < 0.01 ? 0.01 : share > 0.99 ? 0.99 : share; // further out the slope is lost
    return rr_log(share / (1 - share));
}

static double from_u(int i, double u)
{
    const struct rr_coef_info *c = &rr_coef_info[i];
    return c->least + (c->most - c->least) / (1 + rr_exp(-u));
}

static double flattened(double r, double flat)
{
    const double x = r / flat, y = flat * sqrt(2 * (sqrt(1 + x * x) - 1));
    return r < 0 ? -y : y;
}

static double error_of(const struct rr_fit *f, struct rr_published *run, const struct rr_coefs *c)
{
    struct rr_memory m;
    struct rr_step s;
    if (f->memory) {
        rr_published_memory(run, c, &m);
        return m.total_bytes / run->measured_bytes;
    }
    rr_published_step(run, c, &s);
    return s.total_s / run->measured_s;
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *ret)
{
    const struct problem *p = data;
    struct rr_coefs c = *p->start;
    for (size_t i = 0; i < x->size; i++) c.v[p->at[i]] = from_u(p->at[i], gsl_vector_get(x, i));
    for (size_t i = 0; i < p->f->n; i++) {
        const double r = rr_log(error_of(p->f, p->f->row[i].run, &c));
        gsl_vector_set(ret, i, sqrt(p->f->row[i].weight) * flattened(r, p->f->memory ? FLAT_MEMORY : FLAT_TIME));
    }
    for (size_t i = 0; i < x->size; i++) gsl_vector_set(ret, p->f->n + i, p->f->prior * (gsl_vector_get(x, i) - p->start_u[i]));
    return GSL_SUCCESS;
}

/* As the residual, in the layout that it chose last and with the pipeline in closed form: good enough for a slope, and many times faster. */
static double log_near(const struct rr_fit *f, const struct rr_published *run, const struct rr_coefs *c)
{
    struct rr_memory m;
    struct rr_step s;
    if (f->memory) {
        rr_published_memory(run, c, &m);
        return rr_log(m.total_bytes);
    }
    rr_step_time(&run->arch, &run->machine, c, &run->layout, false, &s);
    return rr_log(s.total_s);
}

static double flattened_slope(double r, double flat)
{
    const double x = r / flat, root = sqrt(1 + x * x), y = sqrt(2 * (root - 1));
    return y > 1e-6 ? fabs(x) / (root * y) : 1;
}

static int slopes(const gsl_vector *x, void *data, gsl_matrix *ret)
{
    const struct problem *p = data;
    const double step = 1e-3;
    struct rr_coefs c = *p->start;
    gsl_matrix_set_zero(ret);
    for (size_t k = 0; k < x->size; k++) c.v[p->at[k]] = from_u(p->at[k], gsl_vector_get(x, k));
    for (size_t i = 0; i < p->f->n; i++) {
        struct rr_published *run = p->f->row[i].run;
        const double flat = p->f->memory ? FLAT_MEMORY : FLAT_TIME, r = rr_log(error_of(p->f, run, &c)), here = log_near(p->f, run, &c);
        const double scale = sqrt(p->f->row[i].weight) * flattened_slope(r, flat) / step;
        for (size_t k = 0; k < x->size; k++) {
            const double old = c.v[p->at[k]];
            c.v[p->at[k]] = from_u(p->at[k], gsl_vector_get(x, k) + step);
            gsl_matrix_set(ret, i, k, scale * (log_near(p->f, run, &c) - here));
            c.v[p->at[k]] = old;
        }
    }
    for (size_t k = 0; k < x->size; k++) gsl_matrix_set(ret, p->f->n + k, k, p->f->prior);
    return GSL_SUCCESS;
}

/* From one start; *cost is half the sum of squares, priors included. */
static enum rr_status descend(struct problem *p, const struct rr_coefs *from, size_t n, struct rr_coefs *c, double *cost)
{
    gsl_multifit_nlinear_parameters par = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .df = slopes, .n = p->f->n + n, .p = n, .params = p};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &par, fdf.n, n);
    gsl_vector *start = gsl_vector_alloc(n);
    for (size_t i = 0; i < n; i++) gsl_vector_set(start, i, to_u(p->at[i], from->v[p->at[i]]));
    int info, code = gsl_multifit_nlinear_init(start, &fdf, w);
    if (code == GSL_SUCCESS) {
        code = gsl_multifit_nlinear_driver((size_t)p->f->most_rounds, 1e-4, 1e-5, 1e-5, NULL, NULL, &info, w);
        if (code == GSL_EMAXITER || code == GSL_ENOPROG) code = GSL_SUCCESS; // as good as it gets
    }
    *c = *p->start;
    for (size_t i = 0; code == GSL_SUCCESS && i < n; i++) c->v[p->at[i]] = from_u(p->at[i], gsl_vector_get(w->x, i));
    const double norm = code == GSL_SUCCESS ? gsl_blas_dnrm2(w->f) : 0;
    *cost = norm * norm / 2;
    gsl_vector_free(start);
    gsl_multifit_nlinear_free(w);
    return code == GSL_SUCCESS ? RR_OK : rr_fail(RR_EINTERNAL, "the fit of training coefficients failed: %s", gsl_strerror(code));
}

static bool differ(const struct rr_coefs *a, const struct rr_coefs *b)
{
    for (int i = 0; i < RR_COEF_N; i++)
        if (a->v[i] < b->v[i] || a->v[i] > b->v[i]) return true;
    return false;
}

enum rr_status rr_fit_coefs(const struct rr_fit *f, struct rr_coefs *c)
{
    const struct rr_coefs centre = *c;
    struct rr_coefs plain, a, b;
    struct problem p = {.f = f, .start = &centre};
    double cost_a, cost_b;
    size_t n = 0;
    for (int i = 0; i < RR_COEF_N; i++)
        if (!f->fixed || !f->fixed[i]) {
            p.at[n] = i;
            p.start_u[n++] = to_u(i, c->v[i]);
        }
    rr_coefs_default(&plain);
    if (f->warm) {
        RR_TRY(descend(&p, f->warm, n, c, &cost_a));
        c->profile = centre.profile;
        return RR_OK;
    }
    RR_TRY(descend(&p, &centre, n, &a, &cost_a));
    b = a, cost_b = cost_a;
    if (differ(&plain, &centre)) RR_TRY(descend(&p, &plain, n, &b, &cost_b));
    *c = cost_b < cost_a ? b : a;
    c->profile = centre.profile;
    return RR_OK;
}

/* ---- all profiles ---- */

static const struct {
    const char *profile, *like;
} plan[] = {
    {"megatron-ds/a100", ""},
    {"megatron-ds-multi/a100", "megatron-ds/a100"},
    {"bloom/a100", "megatron-ds-multi/a100"},
    {"megatron/a100", ""},
    {"megatron-2022/a100", "megatron/a100"},
    {"megatron-2020/a100", "megatron/a100"},
    {"megatron-2020/v100", "megatron-2020/a100"},
    {"zero3/a100", "megatron/a100"},
    {"nanotron/h100", ""},
    {"fsdp/h100", ""},
    {"fsdp/a100", "fsdp/h100"},
    {"torchtitan/h100", "fsdp/h100"},
    {"maxtext/h100", "fsdp/h100"},
    {"paxml/h100", "maxtext/h100"},
    {"nemo/h100", ""},
    {"mcore/h100", "nemo/h100"},
    {"llama3/h100", "mcore/h100"},
    {"mcore/a100", "megatron/a100"},
    {"nemo/b200", "nemo/h100"},
    {"nemo/gb200", "nemo/b200"},
    {"bridge/h100", "nemo/h100"},
    {"bridge/b200", "bridge/h100"},
    {"bridge/gb200", "bridge/b200"},
    {"bridge/gb300", "bridge/gb200"},
    {"bridge/b300", "bridge/gb300"},
    {"bridge-2606/gb300", "bridge/gb300"},
    {"bridge-2606/gb200", "bridge/gb200"},
    {"mcore-plain/b200", "nemo/b200"},
    {"mlperf/h100", "nemo/h100"},
    {"mlperf/b200", "mlperf/h100"},
    {"mlperf/gb200", "mlperf/b200"},
    {"mlperf/b300", "mlperf/b200"},
    {"mlperf/gb300", "mlperf/gb200"},
    {"mlperf/mi355", "mlperf/mi300"},
    {"mlperf/mi300", "mlperf/h100"},
    {"mlperf/h100-pcie", "mlperf/h100"},
    {"mlperf/l40s", "mlperf/h100"},
    {"mlperf-lora/h100", "mlperf/h100"},
    {"mlperf-lora/b200", "mlperf-lora/h100"},
    {"mlperf-lora/gb200", "mlperf-lora/b200"},
    {"mlperf-lora/b300", "mlperf-lora/b200"},
    {"mlperf-lora/gb300", "mlperf-lora/gb200"},
    {"mlperf-lora/mi300", "mlperf-lora/h100"},
    {"mlperf-lora/mi355", "mlperf-lora/mi300"},
    {"mlperf-lora/h100-pcie", "mlperf-lora/h100"},
    {"mlperf-lora/l40s", "mlperf-lora/h100"},
    {"mlperf-bert/h100", ""},
    {"mlperf-bert/a100", "mlperf-bert/h100"},
    {"mlperf-bert/a100-pcie", "mlperf-bert/a100"},
    {"mlperf-bert/h100-pcie", "mlperf-bert/h100"},
    {"mlperf-bert/b200", "mlperf-bert/h100"},
    {"mlperf-bert/gb200", "mlperf-bert/b200"},
    {"mlperf-bert/l40s", "mlperf-bert/h100"},
    {"mlperf-bert/a5000", "mlperf-bert/a100"},
};

static bool of_profile(const struct rr_published *p, const char *profile)
{
    const size_t n = strlen(p->set->framework);
    return strncmp(profile, p->set->framework, n) == 0 && profile[n] == '/' && strcmp(profile + n + 1, p->machine.family) == 0;
}

static const struct rr_fit_profile *find(const struct rr_fit_result *r, const char *profile)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->at[i].profile, profile) == 0) return &r->at[i];
    return NULL;
}

const struct rr_coefs *rr_fit_of(const struct rr_fit_result *r, const struct rr_published *run)
{
    for (size_t i = 0; i < r->n; i++)
        if (of_profile(run, r->at[i].profile)) return &r->at[i].coefs;
    return NULL;
}

static bool alike(const struct rr_published *a, const struct rr_published *b)
{
    return a->set == b->set && a->row->gpus == b->row->gpus && strcmp(a->row->model, b->row->model) == 0;
}

void rr_fastest_quarter(const struct rr_published *run, size_t n, bool *ret)
{
    for (size_t i = 0; i < n; i++) {
        size_t all = 0, faster = 0;
        ret[i] = false;
        if (run[i].reason || run[i].measured_s <= 0) continue;
        const double mine = run[i].measured_s / run[i].row->global_batch;
        for (size_t k = 0; k < n; k++) {
            if (run[k].reason || run[k].measured_s <= 0 || !alike(&run[i], &run[k])) continue;
            all++;
            if (run[k].measured_s / run[k].row->global_batch < mine) faster++;
        }
        ret[i] = faster * 4 < all;
    }
}

/* Layouts that nobody would choose are left out: half of them ran into a network that stalled, which no layout explains. */
static bool left_out(const struct rr_published *p, bool fast) { return strcmp(p->set->framework, "nanotron") == 0 && !fast; }

/* Coefficients that tell of memory; what a layout shards and gathers by is given, not fitted. */
static bool of_memory(int i) { return i >= RR_COEF_MEM_CONTEXT; }

static bool same_framework(const char *a, const char *b)
{
    const size_t n = strcspn(a, "/");
    return strncmp(a, b, n + 1) == 0;
}

static void forget_memory(struct rr_coefs *c)
{
    for (int i = 0; i < RR_COEF_N; i++)
        if (of_memory(i)) c->v[i] = rr_coef_info[i].otherwise;
}

/* What a framework's sources say and its few rows do not. MPT trains without dropout, 31 of the 34 bytes of Korthikanti et al. 2022, and its loss keeps
 * logits in 16 and in 32 bits: with it all of 107 published runs fit, most of them tuned to the last micro batch that does. torchtitan shards weights,
 * gradients and two moments in 32 bits, 16 bytes a parameter; no dropout; of logits it keeps 16 bits, a copy in 32, their softmax, and 16 bits of
 * gradients; its selective recompute keeps every other product. Megatron-Core's README says that gradients and weights travel beside the passes. Plain Megatron-Core
 * on B200 has no rows: products between nemo/b200 (0.77), nemo/gb200 (0.62) and mcore/h100 (0.68), attention as cuDNN 9 on shapes of 128 (half of the peak, both
 * passes), latencies and links as fsdp and torchtitan have them in a node, Adam's 30 bytes and the norm of the gradients. */
static const struct {
    const char *framework;
    enum rr_coef coef;
    double value;
} given[] = {
    {"mcore-plain/", RR_COEF_GEMM_EFF, 0.72},   {"mcore-plain/", RR_COEF_GEMM_DEPTH, 150},  {"mcore-plain/", RR_COEF_ATTN_EFF, 0.65},
    {"mcore-plain/", RR_COEF_ATTN_SOFTMAX, 64}, {"mcore-plain/", RR_COEF_MEM_EFF, 0.75},    {"mcore-plain/", RR_COEF_MEM_PASSES, 10},
    {"mcore-plain/", RR_COEF_LINK_US, 20},      {"mcore-plain/", RR_COEF_LINK_EFF, 0.75},   {"mcore-plain/", RR_COEF_MICRO_MS, 0.5},
    {"mcore-plain/", RR_COEF_OPT_BYTES, 34},    {"mcore-plain/", RR_COEF_MOE_SYNC_US, 150}, {"fsdp/", RR_COEF_ACT_BYTES, 15},
    {"fsdp/", RR_COEF_LOGIT_BYTES, 6},          {"fsdp/", RR_COEF_MEM_CONTEXT, 1.5},        {"torchtitan/", RR_COEF_MEM_PARAM, 4},
    {"torchtitan/", RR_COEF_ACT_BYTES, 18},     {"torchtitan/", RR_COEF_LOGIT_BYTES, 12},   {"mcore/", RR_COEF_DP_SHOWN, 0.1},
    {"mcore/", RR_COEF_GATHER_SHOWN, 0.1},      {"torchtitan/", RR_COEF_ACT_SELECT, 0.5},   {"torchtitan/", RR_COEF_MEM_FRAG, 0.05},
};
#define FEW_ROWS 30 /* fewer tell of a few coefficients at most: all are held closer to what they start from */

static void give(const char *profile, struct rr_coefs *c)
{
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (strncmp(profile, given[i].framework, strlen(given[i].framework)) == 0) c->v[given[i].coef] = given[i].value;
}

bool rr_fit_gives(const char *profile, enum rr_coef coef, double value)
{
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].coef == coef && fabs(given[i].value - value) < 1e-9 &&
            strncmp(profile, given[i].framework, strlen(given[i].framework)) == 0)
            return true;
    return false;
}

const char *rr_fit_given(const char *profile)
{
    return strncmp(profile, "fsdp/", 5) == 0 ? "mosaicml/llm-foundry: no dropout; loss on 32-bit logits" : NULL;
}

struct pool { /* rows to fit to, and where to begin */
    struct rr_published *run;
    size_t n;
    const bool *use, *fast;
    struct rr_fit_row *row; /* [n], scratch */
    const struct rr_fit_result *warm;
};

static enum rr_status fit_profile(const struct pool *from, bool memory, struct rr_fit_profile *p, size_t *ret_rows)
{
    struct rr_published *const run = from->run;
    struct rr_fit_row *const row = from->row;
    const struct rr_fit_profile *warm = from->warm ? find(from->warm, p->profile) : NULL;
    bool fixed[RR_COEF_N];
    size_t rows = 0;
    for (int i = 0; i < RR_COEF_N; i++) fixed[i] = of_memory(i) != memory || i == RR_COEF_GRAD_BYTES;
    fixed[RR_COEF_MEM_CONTEXT] = !memory;
    fixed[RR_COEF_MEM_SCALE] = true; // of one own run, not of published ones
    for (size_t k = 0; k < from->n; k++) {
        if (run[k].reason || run[k].other || (from->use && !from->use[k]) || !of_profile(&run[k], p->profile)) continue;
        if (memory ? run[k].row->table == RR_TRAIN_MEMORY && run[k].measured_bytes > 0 && run[k].row->oom != RR_OOM_COMPUTED
                   : run[k].measured_s > 0 && !left_out(&run[k], from->fast[k]))
            row[rows++] = (struct rr_fit_row){&run[k], 1};
        if (memory && rr_published_of_allocator(&run[k])) fixed[RR_COEF_MEM_CONTEXT] = true;
    }
    *ret_rows = rows;
    const struct rr_fit f = {.row = row,
                             .n = rows,
                             .fixed = fixed,
                             .memory = memory,
                             .prior = memory     ? (rows >= FEW_ROWS ? 0.01 : 0.03)
                                      : *p->like ? PRIOR * sqrt(1 + FEW / (double)(rows + 1))
                                                 : PRIOR,
                             .most_rounds = warm     ? 8
                                            : memory ? 200
                                                     : 40,
                             .warm = warm ? &warm->coefs : NULL};
    return rows > 0 ? rr_fit_coefs(&f, &p->coefs) : RR_OK;
}

/* A profile as it is before its rows are looked at: as the one that it is like. */
static void begin(const struct rr_fit_profile *like, struct rr_fit_profile *p)
{
    if (like)
        p->coefs = like->coefs;
    else
        rr_coefs_default(&p->coefs);
    p->coefs.profile = p->profile;
    if (like && !same_framework(p->profile, like->profile)) forget_memory(&p->coefs);
    give(p->profile, &p->coefs);
}

static enum rr_status fit_plan(const struct pool *from, bool times, struct rr_fit_result *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        struct rr_fit_profile *p = &ret->at[ret->n++];
        *p = (struct rr_fit_profile){.profile = plan[i].profile, .like = plan[i].like};
        begin(find(ret, p->like), p);
        if (times) RR_TRY(fit_profile(from, false, p, &p->rows));
        RR_TRY(fit_profile(from, true, p, &p->memory_rows));
    }
    return RR_OK;
}

enum rr_status rr_fit_all(struct rr_published *run, size_t n, const bool *use, const struct rr_fit_result *warm, struct rr_arena *a,
                          struct rr_fit_result *ret)
{
    bool *fast = RR_NEWS(a, bool, n + 1);
    const struct pool from = {.run = run, .n = n, .use = use, .fast = fast, .row = RR_NEWS(a, struct rr_fit_row, n + 1), .warm = warm};
    rr_fastest_quarter(run, n, fast);
    return fit_plan(&from, true, ret);
}

enum rr_status rr_fit_memory(struct rr_published *run, size_t n, const bool *use, struct rr_arena *a, struct rr_fit_result *ret)
{
    const struct pool from = {.run = run, .n = n, .use = use, .row = RR_NEWS(a, struct rr_fit_row, n + 1)};
    return fit_plan(&from, false, ret);
}

/* ---- rows that a fit did not see ---- */

#define FOLDS 5

static uint64_t row_key(const struct rr_published *p, enum rr_leave leave)
{
    const struct rr_train_row *r = p->row;
    if (leave == RR_LEAVE_FIFTH) { // by what it is, so that copies of a row in two tables fall together
        const double key[] = {r->iter_time_s, r->gpus, r->global_batch};
        return rr_hash((const char *)key, sizeof key);
    }
    const uint64_t model = rr_hash(p->arch.name, strlen(p->arch.name)), shape = (uint64_t)p->arch.hidden << 32 | (uint32_t)p->arch.layers;
    const bool group = leave == RR_LEAVE_GROUP;
    const uint64_t key[] = {model, shape, group ? (uint64_t)r->gpus : 0, group ? (uint64_t)p->layout.precision : 0};
    return rr_hash((const char *)key, sizeof key);
}

/* Folds of a profile's rows: groups in turn, so that each fold has as many; fifths by the key itself, single rows where there are few. */
static size_t fold_rows(const struct rr_published *run, size_t n, const char *profile, enum rr_leave leave, uint64_t *key, size_t *fold)
{
    size_t keys = 0, rows = 0;
    for (size_t i = 0; i < n; i++) {
        fold[i] = SIZE_MAX;
        if (run[i].reason || run[i].measured_s <= 0 || !of_profile(&run[i], profile)) continue;
        const uint64_t k = row_key(&run[i], leave);
        size_t at = 0;
        while (at < keys && key[at] != k) at++;
        if (at == keys) key[keys++] = k;
        fold[i] = at;
        rows++;
    }
    const bool few = leave == RR_LEAVE_FIFTH && rows < 10;
    if (few || keys <= FOLDS) return keys;
    for (size_t i = 0; i < n; i++)
        if (fold[i] != SIZE_MAX) fold[i] = (leave == RR_LEAVE_FIFTH ? (size_t)(key[fold[i]] % FOLDS) : fold[i] % FOLDS);
    return FOLDS;
}

enum rr_status rr_fit_left_out(struct rr_published *run, size_t n, enum rr_leave leave, const struct rr_fit_result *shipped,
                               struct rr_arena *a, double *ret)
{
    bool *fast = RR_NEWS(a, bool, n + 1), *use = RR_NEWS(a, bool, n + 1);
    size_t *fold = RR_NEWS(a, size_t, n + 1), rows;
    uint64_t *key = RR_NEWS(a, uint64_t, n + 1);
    struct pool from = {.run = run, .n = n, .use = use, .fast = fast, .row = RR_NEWS(a, struct rr_fit_row, n + 1)};
    rr_fastest_quarter(run, n, fast);
    for (size_t i = 0; i < n; i++) ret[i] = NAN;
    for (size_t i = 0; i < shipped->n; i++) {
        const size_t folds = fold_rows(run, n, shipped->at[i].profile, leave, key, fold);
        for (size_t k = 0; k < folds; k++) {
            struct rr_fit_profile p = shipped->at[i];
            size_t here = 0;
            begin(find(shipped, p.like), &p);
            for (size_t r = 0; r < n; r++) use[r] = fold[r] != SIZE_MAX && fold[r] != k, here += use[r];
            from.warm = here > 100 ? shipped : NULL; // so many rows leave little where it was
            RR_TRY(fit_profile(&from, false, &p, &rows));
            for (size_t r = 0; r < n; r++) {
                struct rr_step s;
                if (fold[r] != k) continue;
                rr_published_step(&run[r], &p.coefs, &s);
                ret[r] = s.total_s;
            }
        }
    }
    return RR_OK;
}

enum rr_status rr_fit_shipped(const struct rr_train_facts *f, struct rr_arena *a, struct rr_fit_result *ret)
{
    const char *note;
    ret->n = 0;
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        struct rr_fit_profile *p = &ret->at[ret->n++];
        const char *slash = strchr(plan[i].profile, '/');
        *p = (struct rr_fit_profile){.profile = plan[i].profile, .like = plan[i].like};
        RR_TRY(rr_coefs_find(f, a, rr_strndup(a, p->profile, (size_t)(slash - p->profile)), slash + 1, &p->coefs, &note));
    }
    return RR_OK;
}
