/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/fit_training.c - `rackrate fit training FILE...`: the coefficients of the training model from published step times. */
#include "models/train/fit.h"
#include "sim/cli/profile.h"
#include "sim/cli/training.h"
#include <math.h>
#include <string.h>

static void put_profile(struct rr_buf *b, const struct rr_fit_profile *p, const char *date)
{
    for (int i = 0; i < RR_COEF_N; i++) {
        const struct rr_coef_info *c = &rr_coef_info[i];
        const double v = p->coefs.v[i];
        if (i > 0 && fabs(v - c->otherwise) <= 0.01 * fabs(c->otherwise) + 1e-9) continue; // the default says it
        rr_buf_putf(b, "%s,%s,%.4g,%s,", p->profile, c->name, v, c->unit);
        const size_t rows = i >= RR_COEF_MEM_CONTEXT ? p->memory_rows : p->rows;
        if (i >= RR_COEF_MEM_CONTEXT && rows == 0 && rr_fit_given(p->profile))
            rr_buf_putf(b, "%s,%s,\n", rr_fit_given(p->profile), date);
        else if (rr_fit_gives(p->profile, (enum rr_coef)i, v))
            rr_buf_putf(b, "given: models/train/fit.c says what it rests on,%s,\n", date);
        else if (rows > 0 || !*p->like)
            rr_buf_putf(b, "rackrate fit training over %zu published rows,%s,%s\n", rows, date, p->like);
        else
            rr_buf_putf(b, "as %s: no published rows,%s,\n", p->like, date);
    }
}

enum rr_status rr_fit_training(const struct rr_args *a)
{
    if (a->n_operands < 2) return rr_fail(RR_EUSAGE, "fit: which measurements? rackrate fit training FILE.csv...");
    struct rr_train_facts facts;
    struct rr_training t;
    RR_TRY(rr_training_read(a->operand + 1, a->n_operands - 1, a->arena, &facts, &t));
    struct rr_fit_result *r = RR_NEW(a->arena, struct rr_fit_result);
    RR_TRY(rr_fit_all(t.run, t.n, NULL, NULL, a->arena, r));
    struct rr_buf b = {0};
    rr_buf_puts(&b, "profile,coefficient,value,unit,source,date,note\n");
    for (size_t i = 0; i < r->n; i++) put_profile(&b, &r->at[i], rr_arg(&rr_command_fit, a, "date", "2026"));
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}
