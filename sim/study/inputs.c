/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/inputs.c - which values of a variant can be turned, and how the scenario would write them. */
#include "sim/study/inputs.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

double rr_input_value(const struct rr_param *row, const void *params)
{
    const void *at = (const char *)params + row->offset;
    switch (row->type) {
    case RR_P_REAL:
    case RR_P_SHARE:
    case RR_P_POWER: return *(const double *)at;
    case RR_P_MONEY: return rr_money_double(((const struct rr_amount *)at)->money);
    case RR_P_RATE: return (double)((const struct rr_price *)at)->rate.nano / 1e9;
    case RR_P_DURATION: return (double)((const struct rr_duration *)at)->months;
    default: return 0;
    }
}

cJSON *rr_number_node(double x)
{
    char text[RR_DOUBLE_MAX];
    return rr_json_make_number(rr_double_text(x, text));
}

cJSON *rr_input_node(const struct rr_param *row, const void *params, double x)
{
    const void *at = (const char *)params + row->offset;
    struct rr_buf b = {0};
    cJSON *node = NULL;
    switch (row->type) {
    case RR_P_REAL:
    case RR_P_SHARE: return rr_number_node(x);
    case RR_P_POWER: rr_buf_putf(&b, "%.9g W", x); break;
    case RR_P_MONEY:
        rr_buf_putf(&b, "%s ", ((const struct rr_amount *)at)->currency);
        rr_buf_money_plain(&b, (struct rr_money){llround(x * 1e6)});
        break;
    case RR_P_RATE: {
        struct rr_price p = *(const struct rr_price *)at;
        p.rate.nano = llround(x * 1e9);
        rr_buf_rate(&b, p.rate, p.currency);
        break;
    }
    case RR_P_DURATION: rr_buf_putf(&b, "%" PRId64 " months", (int64_t)llround(x)); break;
    default: return NULL;
    }
    node = cJSON_CreateString(rr_buf_text(&b));
    rr_buf_done(&b);
    return node;
}

static bool can_turn(const struct rr_param *row, const void *params)
{
    if (row->flags & (RR_PF_DECIDES | RR_PF_LATER) || strcmp(row->name, "term") == 0) return false;
    const double x = rr_input_value(row, params);
    return x != 0 && isfinite(x);
}

static void add_row(struct rr_inputs *s, const struct rr_param *row, size_t i, const void *params, const char *pointer)
{
    if (!can_turn(row, params)) return;
    const char *at = rr_pointer_join(s->arena, pointer, row->name);
    for (size_t k = 0; k < s->n; k++)
        if (strcmp(s->at[k].pointer, at) == 0) return;
    if (s->n < RR_MOST_INPUTS) s->at[s->n++] = (struct rr_input_row){at, row, params, 0, rr_given(params, i)};
}

/* Finance holds for all plans that do not say otherwise: it is the one to turn. */
static bool is_of_finance(const struct rr_scenario *sc, const struct rr_param *row)
{
    size_t n;
    const struct rr_param *finance = rr_finance_rows(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(finance[i].name, row->name) == 0) return rr_given(&sc->finance, i);
    return false;
}

static void add_rows(struct rr_inputs *s, const struct rr_param *row, size_t n, const void *params, const char *pointer)
{
    for (size_t i = 0; i < n; i++) add_row(s, &row[i], i, params, pointer);
}

void rr_inputs_add(struct rr_inputs *s, const struct rr_scenario *sc)
{
    struct rr_arena *a = s->arena;
    for (size_t p = 0; p < sc->n_pools; p++) {
        const struct rr_pool *pool = &sc->pool[p];
        for (size_t i = 0; pool->plan && i < pool->plan->n_params; i++)
            if (rr_given(pool->plan_params, i) || !is_of_finance(sc, &pool->plan->params[i]))
                add_row(s, &pool->plan->params[i], i, pool->plan_params, rr_pointer_join(a, pool->pointer, "plan"));
    }
    for (size_t i = 0; i < sc->n_commitments; i++) {
        const struct rr_commitment *c = &sc->commitment[i];
        add_rows(s, c->plan->params, c->plan->n_params, c->params, c->pointer);
    }
    for (size_t i = 0; i < sc->n_charges; i++) {
        const struct rr_commitment *c = &sc->charge[i];
        add_rows(s, c->plan->params, c->plan->n_params, c->params, c->pointer);
    }
    static const char *const of_all[] = {"discount_rate", "electricity", "pue"};
    size_t n;
    const struct rr_param *row = rr_finance_rows(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof of_all / sizeof *of_all; k++)
            if (strcmp(row[i].name, of_all[k]) == 0) add_row(s, &row[i], i, &sc->finance, "/finance");
}

bool rr_input_out_of_range(const struct rr_param *row, double x)
{
    return (row->type == RR_P_SHARE || row->type == RR_P_REAL) && row->least < row->most && (x < row->least || x > row->most);
}

void rr_input_ends(const struct rr_input_row *x, double *down, double *up)
{
    const double now = rr_input_value(x->row, x->params);
    *down = rr_input_out_of_range(x->row, now * 0.9) ? now : now * 0.9;
    *up = rr_input_out_of_range(x->row, now * 1.1) ? now : now * 1.1;
    if (x->row->type != RR_P_DURATION) return;
    *down = fmax(1, fmin(now - 1, round(*down)));
    *up = fmax(now + 1, round(*up));
}

/* "USD 200000" as "$200,000". */
static const char *money_shown(struct rr_arena *a, const char *text, double value)
{
    struct rr_buf b = {0};
    char currency[4] = "";
    memcpy(currency, text, strnlen(text, 3));
    rr_buf_money(&b, (struct rr_money){llround(value * 1e6)}, currency, fabs(value) >= 1000 ? 0 : 2);
    const char *shown = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return shown;
}

const char *rr_input_shown(struct rr_arena *a, const struct rr_input_row *x, double value)
{
    cJSON *node = rr_input_node(x->row, x->params, value);
    const char *text = "";
    if (cJSON_IsString(node) && x->row->type == RR_P_MONEY)
        text = money_shown(a, node->valuestring, value);
    else if (cJSON_IsString(node))
        text = rr_strdup(a, node->valuestring);
    if (cJSON_IsNumber(node)) text = x->row->type == RR_P_SHARE ? rr_strf(a, "%.3g %%", 100 * value) : rr_strf(a, "%.4g", value);
    cJSON_Delete(node);
    return text;
}
