/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/fit.c - Levenberg-Marquardt over the coefficients of one profile. */
#include "models/train/fit.h"
#include "data/base/fmath.h"
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

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
        const double r = rr_log(s.total_s / p->f->row[i].run->row->iter_time_s);
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
        if (!f->free || f->free[i]) {
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
