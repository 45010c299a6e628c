/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/fit.c - Levenberg-Marquardt over the coefficients of one profile. */
#include "models/train/fit.h"
#include "data/base/fmath.h"
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <string.h>

#define FLAT 0.1 /* beyond this a residual counts by its size, not its square */

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
    share = share < 0.002 ? 0.002 : share > 0.998 ? 0.998 : share;
    return rr_log(share / (1 - share));
}

static double from_u(int i, double u)
{
    const struct rr_coef_info *c = &rr_coef_info[i];
    return c->least + (c->most - c->least) / (1 + rr_exp(-u));
}

static double flattened(double r)
{
    const double x = r / FLAT, y = FLAT * sqrt(2 * (sqrt(1 + x * x) - 1));
    return r < 0 ? -y : y;
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *ret)
{
    const struct problem *p = data;
    struct rr_coefs c = *p->start;
    for (size_t i = 0; i < x->size; i++) c.v[p->at[i]] = from_u(p->at[i], gsl_vector_get(x, i));
    for (size_t i = 0; i < p->f->n; i++) {
        struct rr_step s;
        rr_published_step(p->f->row[i].run, &c, &s);
        const double r = rr_log(s.total_s / p->f->row[i].run->measured_s);
        gsl_vector_set(ret, i, sqrt(p->f->row[i].weight) * flattened(r));
    }
    for (size_t i = 0; i < x->size; i++) gsl_vector_set(ret, p->f->n + i, p->f->prior * (gsl_vector_get(x, i) - p->start_u[i]));
    return GSL_SUCCESS;
}

enum rr_status rr_fit_coefs(const struct rr_fit *f, struct rr_coefs *c)
{
    struct problem p = {.f = f, .start = c};
    size_t n = 0;
    for (int i = 0; i < RR_COEF_N; i++)
        if (!f->fixed || !f->fixed[i]) {
            p.at[n] = i;
            p.start_u[n++] = to_u(i, c->v[i]);
        }
    gsl_multifit_nlinear_parameters par = gsl_multifit_nlinear_default_parameters();
    par.h_df = 1e-4;
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .n = f->n + n, .p = n, .params = &p};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &par, fdf.n, n);
    gsl_vector_view x = gsl_vector_view_array(p.start_u, n);
    gsl_vector *start = gsl_vector_alloc(n);
    gsl_vector_memcpy(start, &x.vector);
    int info, code = gsl_multifit_nlinear_init(start, &fdf, w);
    if (code == GSL_SUCCESS) {
        code = gsl_multifit_nlinear_driver((size_t)f->most_rounds, 1e-4, 1e-5, 1e-5, NULL, NULL, &info, w);
        if (code == GSL_EMAXITER || code == GSL_ENOPROG) code = GSL_SUCCESS; // as good as it gets
    }
    for (size_t i = 0; code == GSL_SUCCESS && i < n; i++) c->v[p.at[i]] = from_u(p.at[i], gsl_vector_get(w->x, i));
    gsl_vector_free(start);
    gsl_multifit_nlinear_free(w);
    return code == GSL_SUCCESS ? RR_OK : rr_fail(RR_EINTERNAL, "the fit of training coefficients failed: %s", gsl_strerror(code));
}

/* ---- all profiles ---- */

static const struct {
    const char *profile, *like;
} plan[] = {
    {"megatron-ds/a100", ""},
    {"megatron-ds-multi/a100", "megatron-ds/a100"},
    {"bloom/a100", "megatron-ds-multi/a100"},
    {"megatron/a100", "bloom/a100"},
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
    {"mcore/a100", "megatron/a100"},
    {"nemo/b200", "nemo/h100"},
    {"bridge/h100", "nemo/h100"},
    {"bridge/b200", "bridge/h100"},
    {"bridge/b300", "bridge/b200"},
    {"mcore-plain/b200", "bridge/b200"},
    {"mlperf/h100", "nemo/h100"},
    {"mlperf/b200", "mlperf/h100"},
    {"mlperf/mi300", "mlperf/h100"},
    {"mlperf/h100-pcie", "mlperf/h100"},
    {"mlperf/l40s", "mlperf/h100"},
    {"mlperf-lora/h100", "mlperf/h100"},
    {"mlperf-lora/b200", "mlperf-lora/h100"},
    {"mlperf-lora/b300", "mlperf-lora/b200"},
    {"mlperf-lora/mi300", "mlperf-lora/h100"},
    {"mlperf-lora/mi355", "mlperf-lora/mi300"},
    {"mlperf-lora/h100-pcie", "mlperf-lora/h100"},
    {"mlperf-lora/l40s", "mlperf-lora/h100"},
    {"mlperf-bert/h100", ""},
    {"mlperf-bert/a100", "mlperf-bert/h100"},
    {"mlperf-bert/a100-pcie", "mlperf-bert/a100"},
    {"mlperf-bert/h100-pcie", "mlperf-bert/h100"},
    {"mlperf-bert/b200", "mlperf-bert/h100"},
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

/* Layouts that nobody would choose count little: half of them ran into a network that stalled, which no layout explains. */
static double weight_of(const struct rr_published *p, bool fast) { return strcmp(p->set->framework, "nanotron") == 0 && !fast ? 0.01 : 1; }

enum rr_status rr_fit_all(struct rr_published *run, size_t n, const bool *use, struct rr_arena *a, struct rr_fit_result *ret)
{
    static const bool fixed[RR_COEF_N] = {
        [RR_COEF_GRAD_BYTES] = true, [RR_COEF_MEM_CONTEXT] = true, [RR_COEF_MEM_LOSS] = true, [RR_COEF_ACT_BYTES] = true};
    bool *fast = RR_NEWS(a, bool, n + 1);
    struct rr_fit_row *row = RR_NEWS(a, struct rr_fit_row, n + 1);
    rr_fastest_quarter(run, n, fast);
    ret->n = 0;
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        const struct rr_fit_profile *like = find(ret, plan[i].like);
        struct rr_fit_profile *p = &ret->at[ret->n++];
        *p = (struct rr_fit_profile){.profile = plan[i].profile, .like = plan[i].like};
        if (like)
            p->coefs = like->coefs;
        else
            rr_coefs_default(&p->coefs);
        p->coefs.profile = p->profile;
        for (size_t k = 0; k < n; k++)
            if (!run[k].reason && run[k].measured_s > 0 && (!use || use[k]) && of_profile(&run[k], p->profile))
                row[p->rows++] = (struct rr_fit_row){&run[k], weight_of(&run[k], fast[k])};
        const struct rr_fit f = {.row = row, .n = p->rows, .fixed = fixed, .prior = 0.05, .most_rounds = 30};
        if (p->rows > 0) RR_TRY(rr_fit_coefs(&f, &p->coefs));
    }
    return RR_OK;
}
