/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_hash.c - what the engine's course depends on, as one number.
 *
 * FNV-1a (Fowler, Noll, Vo; 64 bits) over a canonical text of everything that decides: workloads, seed, fleet, scheduler, horizon, and
 * the plan parameters marked RR_PF_DECIDES. Prices, commitments and finance are not in it, so that alternatives which differ only there
 * share one replay. What stands in it without need costs a replay; what is missing would be a wrong result: in doubt, it stands in it. */
#include "data/price_book.h"
#include "data/scenario_rows.h"
#include <inttypes.h>

static void put(struct rr_buf *b, const char *key, const char *value)
{
    rr_buf_putf(b, "%s=", key);
    rr_buf_json(b, value ? value : "");
    rr_buf_puts(b, ";");
}

static void put_rows(struct rr_buf *b, const struct rr_param *rows, size_t n, const void *into, bool all)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].flags & RR_PF_LATER || (!all && !(rows[i].flags & RR_PF_DECIDES))) continue;
        rr_buf_putf(b, "%s%s=", rows[i].name, rr_given(into, i) ? "!" : "");
        struct rr_buf value = {0};
        rr_param_text(&value, &rows[i], into);
        rr_buf_json(b, rr_buf_text(&value)); // quoted: no value can look like two
        rr_buf_done(&value);
        rr_buf_puts(b, ";");
    }
}

static void put_dist(struct rr_buf *b, const struct rr_dist *d)
{
    rr_buf_putf(b, "%d,%a,%a,%a", (int)d->kind, d->a, d->b, d->c);
    for (size_t i = 0; i < d->n; i++) rr_buf_putf(b, ",%a:%a", d->value[i], d->upto[i]);
    rr_buf_puts(b, ";");
}

static void put_workload(struct rr_buf *b, const struct rr_workload *w)
{
    put(b, "workload", w->name);
    put_rows(b, rr_rows_workload.at, rr_rows_workload.n, w, true);
    if (!w->generates) return;
    rr_buf_putf(b, "%" PRId64 ";", w->generate.count);
    put_dist(b, &w->generate.gap_us);
    put_dist(b, &w->generate.duration_us);
    put_dist(b, &w->generate.gpus);
    for (size_t i = 0; i < w->training_plan.n_worlds; i++) rr_buf_putf(b, "%a;", w->training_plan.world[i]);
    rr_buf_putf(b, "%" PRId64 ";", w->generate.deadline_us);
}

static void put_autoscale(struct rr_buf *b, const struct rr_autoscale *a)
{
    put(b, "autoscale", a->policy ? a->policy->name : "");
    if (a->policy) put_rows(b, a->policy->params, a->policy->n_params, a->params, true);
}

// `quotes`: what the pool costs decides too.
static void put_pool(struct rr_buf *b, const struct rr_pool *p, bool quotes)
{
    put(b, "pool", p->name);
    put(b, "gpu", p->gpu);
    put(b, "hardware", p->hardware_id); // jobs over several pools need the same hardware and region
    put(b, "instance", p->instance_id);
    put(b, "region", p->region);
    put(b, "slice", p->slice);
    put(b, "accepts", p->accepts_text);
    rr_buf_putf(b, "%" PRId64 ";", p->slices);
    put(b, "file", p->nodes_file);
    put(b, "sha256", p->nodes_sha256);
    rr_buf_putf(b, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%zu;", p->nodes_min, p->nodes_max, p->boot_us, p->idle_timeout_us,
                p->n_shapes);
    rr_buf_putf(b, "%" PRId64 ",%" PRId64 ";", p->nodes_per_switch, p->nodes_per_rack);
    if (p->n_shapes == 1)
        rr_buf_putf(b, "%" PRId32 ",%" PRId32 ",%" PRId32 ";", p->shape->gpus, p->shape->cpus_milli, p->shape->memory_mib);
    put_dist(b, &p->boot);
    rr_buf_putf(b, "%" PRId64 ",%d,%a,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ";", p->image_us, p->image_stays, p->refuse,
                p->retry_us, p->quota, p->idle_align_us, p->spill_after_us);
    if (p->nodes_min != p->nodes_max || p->reclaimable) put_autoscale(b, &p->autoscale);
    if (p->plan) put_rows(b, p->plan->params, p->plan->n_params, p->plan_params, quotes);
}

static void put_scheduler(struct rr_buf *b, const struct rr_scheduler *s)
{
    put(b, "policy", s->policy_name);
    put(b, "placement", s->placement_name);
    rr_buf_putf(b, "%d,%a,%d,%d,%d,%" PRId64 ";", (int)s->estimate, s->estimate_factor, s->order, s->blocking, s->overrun, s->round_us);
    for (int i = 0; i < RR_REACHES && s->spread.given; i++) rr_buf_putf(b, "%a;", s->spread.factor[i]);
    put_rows(b, s->policy->params, s->policy->n_params, s->policy_params, true);
    put_rows(b, s->placement->params, s->placement->n_params, s->placement_params, true);
}

static void put_class(struct rr_buf *b, const struct rr_class *c, size_t n_pools)
{
    put(b, "class", c->name);
    put_rows(b, rr_rows_class.at, rr_rows_class.n, c, true);
    rr_buf_putf(b, "waiting=%" PRId64 ";", c->waiting.nano); // in the scenario's currency
    put_rows(b, rr_rows_checkpoint.at, rr_rows_checkpoint.n, &c->checkpoint, true);
    for (size_t i = 0; c->may_use && i < n_pools; i++) rr_buf_putf(b, "%d", c->may_use[i]);
    rr_buf_puts(b, ";");
}

static void put_failures(struct rr_buf *b, const struct rr_failures *f, size_t n_pools)
{
    if (!f) return;
    for (size_t i = 0; f->pool && i < n_pools; i++) rr_buf_putf(b, "%d;", f->pool[i]);
    put(b, "failures", f->trace_sha256);
    put_rows(b, rr_rows_failures.at, rr_rows_failures.n, f, true);
    rr_buf_putf(b, "%" PRId64 ",%d;", f->gpu_mtbf_us, f->has_causes);
    for (int i = 0; i < RR_CAUSES; i++) rr_buf_putf(b, "%a;", f->causes_upto[i]);
    put_rows(b, rr_rows_fail_repair.at, rr_rows_fail_repair.n, &f->repair, true);
}

static void put_book(struct rr_buf *b, const struct rr_shelf_book *book)
{
    put(b, "prices", book->book.sha256);
    for (size_t i = 0; i < book->n_discounts; i++) {
        put(b, "pattern", book->discount[i].pattern);
        rr_buf_putf(b, "%" PRId64 ";", book->discount[i].share_nano);
    }
}

uint64_t rr_scenario_hash(const struct rr_scenario *s)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "seed=%" PRId64 ";replications=%" PRId64 ";horizon=%" PRId64 ";start=%d,%" PRId64 ";warmup=%" PRId64 ";", s->seed,
                s->replications, s->horizon_us, s->clock.anchored, s->start_us, s->warmup_us);
    for (size_t i = 0; i < s->n_workloads; i++) put_workload(&b, &s->workload[i]);
    for (size_t i = 0; i < s->n_pools; i++) put_pool(&b, &s->pool[i], s->cheapest_first);
    for (size_t i = 0; s->cheapest_first && i < s->n_fx; i++) rr_buf_putf(&b, "%s=%" PRId64 ";", s->fx[i].from, s->fx[i].rate_nano);
    put_scheduler(&b, &s->scheduler);
    put_rows(&b, rr_rows_checkpoint.at, rr_rows_checkpoint.n, &s->checkpoint, true);
    for (size_t i = 0; i < s->n_classes; i++) put_class(&b, &s->classes[i], s->n_pools);
    bool market = false;
    for (size_t i = 0; i < s->n_pools; i++) market |= s->pool[i].reclaimable;
    for (size_t i = 0; market && i < s->n_fx; i++)
        rr_buf_putf(&b, "fx=%s,%" PRId64 ";", s->fx[i].from, s->fx[i].rate_nano); // limits of prices
    for (size_t i = 0; (market || s->cheapest_first) && i < s->n_books; i++) put_book(&b, s->book[i]);
    put(&b, "throughput", s->throughput ? s->throughput->sha256 : s->throughput_path);
    put(&b, "reference", s->reference_gpu);
    put_failures(&b, s->failures, s->n_pools);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < b.n; i++) h = (h ^ (unsigned char)b.at[i]) * UINT64_C(0x100000001b3);
    rr_buf_done(&b);
    return h;
}
