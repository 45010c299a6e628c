/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/speed.c - speeds by class and kind of node, worked out once; the slowdown by where a job's nodes lie, at each start. */
#include "sim/engine/speed.h"
#include "sim/engine/sim.h"
#include <math.h>

bool rr_sim_has_speeds(const struct rr_sim *s) { return s->speeds != NULL; }

// --- the table ---

static int32_t ppm_of(double ratio)
{
    const double ppm = floor(ratio * RR_SPEED_REFERENCE + 0.5);
    return ppm < 1 ? 1 : ppm > INT32_MAX ? INT32_MAX : (int32_t)ppm;
}

static void fill_table(struct rr_speeds *v, const struct rr_scenario *sc, const struct rr_trace *t)
{
    const uint32_t kinds = v->kind_base[v->n_pools];
    v->n_classes = t->n_classes ? t->n_classes : 1;
    v->ppm = rr_xrealloc(NULL, v->n_classes * kinds + 1, sizeof *v->ppm);
    for (size_t c = 0; c < v->n_classes; c++) {
        const char *name = t->class_name && c < t->n_classes ? t->class_name[c] : "";
        const double reference = rr_throughput_of(sc->throughput, name, sc->reference_gpu);
        for (size_t p = 0; p < v->n_pools; p++)
            for (size_t k = 0; k < v->pool[p].kind.n; k++) {
                const double here = rr_throughput_of(sc->throughput, name, v->pool[p].kind.at[k].gpu);
                v->ppm[c * kinds + v->kind_base[p] + k] = here > 0 && reference > 0 ? ppm_of(here / reference) : 0;
            }
    }
}

void rr_speeds_init(struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    if (!sc->throughput && !sc->scheduler.spread.given) return;
    struct rr_speeds *v = s->speeds = memset(rr_xrealloc(NULL, 1, sizeof *v), 0, sizeof *v);
    for (int i = 0; i < RR_REACHES; i++) v->none.factor[i] = 1;
    v->spread = sc->scheduler.spread.given ? &sc->scheduler.spread : &v->none;
    v->pool = s->pool;
    v->n_pools = s->n_pools;
    v->kind_base = memset(rr_xrealloc(NULL, s->n_pools + 1, sizeof *v->kind_base), 0, sizeof *v->kind_base);
    for (size_t p = 0; p < s->n_pools; p++) v->kind_base[p + 1] = v->kind_base[p] + (uint32_t)s->pool[p].kind.n;
    if (sc->throughput) fill_table(v, sc, s->trace);
}

void rr_speeds_done(struct rr_sim *s)
{
    if (!s->speeds) return;
    free(s->speeds->kind_base);
    free(s->speeds->ppm);
    free(s->speeds);
    s->speeds = NULL;
}

// --- is the table whole ---

static enum rr_status lacks(const struct rr_sim *s, uint16_t speed_class, size_t pool, const char *gpu)
{
    const struct rr_scenario *sc = s->world->scenario;
    const char *name = s->trace->class_name && speed_class < s->trace->n_classes ? s->trace->class_name[speed_class] : "";
    if (rr_throughput_of(sc->throughput, name, sc->reference_gpu) <= 0) gpu = sc->reference_gpu;
    return rr_fail(RR_EINPUT, "%s: no throughput of class \"%s\" on \"%s\" (%s); a row for the class, or for \"*\", is expected",
                   sc->throughput->path, name, gpu, gpu == sc->reference_gpu ? "the reference" : sc->pool[pool].pointer);
}

static bool could_run(const struct rr_fleet_pool *p, uint32_t kind, const struct rr_need *n)
{
    const struct rr_room r = rr_room_empty(p, kind);
    return rr_room_fits(p, &r, n);
}

enum rr_status rr_speeds_check(struct rr_sim *s)
{
    const struct rr_speeds *v = s->speeds;
    if (!v || !v->n_classes) return RR_OK;
    for (uint32_t j = 0; j < s->trace->n; j++) (void)rr_ask_of(&s->asks, j);
    for (uint32_t a = 0; a < s->asks.ask.n; a++)
        for (size_t p = 0; p < s->n_pools; p++) {
            const struct rr_ask *q = &s->asks.ask.at[a];
            const struct rr_need *n = rr_need_of(&s->asks, a, p);
            for (uint32_t k = 0; n->nodes && q->gpus_milli && k < v->pool[p].kind.n; k++)
                if (could_run(&v->pool[p], k, n) && !v->ppm[q->speed_class * v->kind_base[v->n_pools] + v->kind_base[p] + k])
                    return lacks(s, q->speed_class, p, v->pool[p].kind.at[k].gpu);
        }
    return RR_OK;
}

// --- asking ---

static int32_t on_kind(const struct rr_speeds *v, size_t pool, uint16_t speed_class, uint32_t kind)
{
    return v->n_classes ? v->ppm[speed_class * v->kind_base[v->n_pools] + v->kind_base[pool] + kind] : RR_SPEED_REFERENCE;
}

static int32_t slowed(const struct rr_speeds *v, int32_t ppm, enum rr_reach reach)
{
    const double f = v->spread->factor[reach];
    return f == 1 ? ppm : ppm_of((double)ppm / RR_SPEED_REFERENCE / f);
}

int32_t rr_speeds_slowest(const struct rr_speeds *v, size_t pool, uint16_t speed_class, const struct rr_need *n)
{
    if (!v || (n->whole == 0 && n->part == 0)) return RR_SPEED_REFERENCE;
    const struct rr_fleet_pool *p = &v->pool[pool];
    int32_t least = INT32_MAX;
    for (uint32_t k = 0; k < p->kind.n; k++) {
        if (!could_run(p, k, n)) continue;
        const int32_t ppm = on_kind(v, pool, speed_class, k);
        if (ppm < least) least = ppm;
    }
    const enum rr_reach far = n->nodes == 1 ? RR_REACH_NODE : p->per_rack ? RR_REACH_POOL : p->per_switch ? RR_REACH_RACK : RR_REACH_SWITCH;
    return slowed(v, least > 0 ? least : 1, far);
}

int32_t rr_sim_speed(const struct rr_sim *s, uint32_t job, size_t pool, uint32_t node)
{
    const struct rr_speeds *v = s->speeds;
    const struct rr_fleet_pool *p = &s->pool[pool];
    if (s->trace->gpus_milli[job] == 0) return RR_SPEED_REFERENCE;
    const uint16_t speed_class = rr_speeds_class(v, s->trace, job);
    int32_t least = INT32_MAX;
    enum rr_reach reach = RR_REACH_NODE;
    for (uint32_t d = node; d != RR_NO_NODE; d = p->node[d].next) {
        const int32_t ppm = on_kind(v, pool, speed_class, p->kind_of ? p->kind_of[d] : 0);
        if (ppm < least) least = ppm;
        const enum rr_reach here = d == node ? RR_REACH_NODE : rr_fleet_between(p, node, d);
        if (here > reach) reach = here;
    }
    return slowed(v, least, reach);
}
