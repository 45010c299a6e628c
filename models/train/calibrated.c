/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/calibrated.c - profiles into coefficients. */
#include "models/train/calibrated.h"
#include "data/base/fmath.h"
#include "data/names.h"
#include "data/samples.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST 1073741824.0 /* gradients and weights go in pieces below it */
#define SMALL     65536.0      /* a log that begins above it has no latency */
/* How far bandwidth between nodes is from the power law of the counts of nodes that were measured, a doubling outside them, as the standard deviation
 * of its logarithm: h100-efa-cluster, three operations, each count from those below it (tests/validation/test_profiles.c). */
#define BEYOND_LAW   0.30 /* two counts or more */
#define BEYOND_POINT 0.52 /* one count: no law */
#define LN2          0.6931471805599453

#define X(id, what, help) help,
const char *const rr_calibrated_unit[RR_CALIBRATED_N] = {RR_CALIBRATED_TABLE(X)};
#undef X
#define X(id, what, help) what,
static const char *const what_of[RR_CALIBRATED_N] = {RR_CALIBRATED_TABLE(X)};
#undef X
static const enum rr_coef coef_of[RR_CALIBRATED_N] = {
    RR_COEF_GEMM_EFF, RR_COEF_GEMM8_EFF, RR_COEF_MEM_EFF,   RR_COEF_KERNEL_US,  RR_COEF_LINK_EFF,
    RR_COEF_LINK_US,  RR_COEF_NET_EFF,   RR_COEF_NET_DECAY, RR_COEF_GATHER_NET, RR_COEF_NET_US,
};

struct work {
    const struct rr_machine *m;
    const char *framework;
    struct rr_arena *a;
    struct rr_notes *notes;
    struct rr_calibrated *k;
    const struct rr_coefs *c; /* as shipped, until rows are made */
};

/* ---- machines ---- */

static bool among(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; n && at && *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == n && strncasecmp(at, word, n) == 0) return true;
    return false;
}

bool rr_calibrated_fits(const struct rr_profile *p, const struct rr_machine *m)
{
    if (p->gpu && *p->gpu) return strcmp(p->gpu, m->gpu) == 0 || strcmp(p->gpu, m->id) == 0 || among(m->aliases, p->gpu);
    return p->device && *p->device && among(m->aliases, p->device);
}

/* ---- collectives ---- */

static bool covers(const struct rr_curve *c, double bytes) { return c->knot[0].bytes <= bytes && bytes <= c->knot[c->n_knots - 1].bytes; }

static double bus_gb_s(const struct rr_curve *c, double bytes)
{
    bool outside;
    return bytes / rr_curve_us(c, bytes, &outside) / 1e3 * rr_bus_factor(c->op, c->ranks);
}

/* 1: inside the fast links; 2 or more: so many of their domains; 0: GPUs spread in another way. */
static int32_t domains_of(const struct rr_calibrated *k, const struct rr_curve *c)
{
    const int32_t nodes = (c->ranks + k->gpus_per_node - 1) / k->gpus_per_node;
    if (!c->measured || c->ranks < 2 || (c->nodes > 0 && c->nodes != nodes)) return 0;
    if (c->ranks <= k->domain) return 1;
    return c->ranks % k->domain == 0 ? c->ranks / k->domain : 0;
}

struct law { /* busbw = two (nodes / 2)^-decay */
    double two, decay;
    int counts;
    int32_t least, most;
};

/* Of the curves over two domains or more that have a time at `bytes`, by least squares of logarithms. counts = 0: none. */
static struct law law_of(const struct rr_calibrated *k, const struct rr_profile *p, const char *op, double bytes)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    struct law l = {0};
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct rr_curve *c = &p->curve[i];
        const int32_t nodes = strcmp(c->op, op) == 0 ? domains_of(k, c) : 0;
        if (nodes < 2 || !covers(c, bytes)) continue;
        const double x = rr_log(nodes / 2.0), y = rr_log(bus_gb_s(c, bytes));
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
        l.least = l.counts == 0 || nodes < l.least ? nodes : l.least;
        l.most = nodes > l.most ? nodes : l.most;
        l.counts++;
    }
    if (l.counts == 0) return l;
    const double spread = n * sxx - sx * sx;
    const double slope = spread > 1e-9 ? (n * sxy - sx * sy) / spread : 0;
    if (spread <= 1e-9) l.counts = 1;
    l.decay = -slope;
    l.two = l.counts == 1 ? rr_exp(sy / n) : rr_exp((sy - slope * sx) / n);
    return l;
}

/* The largest size at which all curves of both sides that are over several domains (inside: at most one) have a time; 0 = there is none. */
static double size_of(const struct rr_calibrated *k, const struct rr_profile *p, const struct rr_profile *q, const char *op)
{
    double most = SIZE_MOST, least = 0;
    bool any[2] = {false, false};
    for (int side = 0; side < 2; side++) {
        const struct rr_profile *x = side ? q : p;
        for (size_t i = 0; x && i < x->n_curves; i++) {
            const struct rr_curve *c = &x->curve[i];
            if (strcmp(c->op, op) != 0 || domains_of(k, c) < 2) continue;
            any[side] = true;
            if (c->knot[c->n_knots - 1].bytes < most) most = c->knot[c->n_knots - 1].bytes;
            if (c->knot[0].bytes > least) least = c->knot[0].bytes;
        }
    }
    return any[0] && (!q || any[1]) && least <= most ? most : 0;
}

static const struct rr_curve *curve_like(const struct rr_profile *p, const struct rr_curve *like, double *bytes)
{
    for (size_t i = 0; p && i < p->n_curves; i++) {
        const struct rr_curve *c = &p->curve[i];
        if (!c->measured || strcmp(c->op, like->op) != 0 || c->ranks != like->ranks) continue;
        const double a = c->knot[c->n_knots - 1].bytes, b = like->knot[like->n_knots - 1].bytes;
        const double most = a < b ? a : b;
        *bytes = most < SIZE_MOST ? most : SIZE_MOST;
        if (covers(c, *bytes) && covers(like, *bytes)) return c;
    }
    return NULL;
}

/* ---- one number ---- */

static double gemm_tflops(const struct rr_profile *given, const struct rr_profile *p, size_t at)
{
    const struct rr_gemm *g = &p->gemm[at], *was = &given->gemm[at];
    if (g->peak_tflops.value <= 0) return g->rate_tflops.value;
    const bool sure = was->peak_tflops.p05 == was->peak_tflops.p95; // of the largest rate seen: it varies as the fitted rate does
    return g->peak_tflops.value * (sure && was->rate_tflops.value > 0 ? g->rate_tflops.value / was->rate_tflops.value : 1);
}

static double measured(const struct rr_calibrated *k, enum rr_calibrated_quantity q, const struct rr_profile *p)
{
    const struct rr_calibrated_how *h = &k->how[q];
    switch (q) {
    case RR_CALIBRATED_GEMM:
    case RR_CALIBRATED_GEMM8: return gemm_tflops(&k->set->at[h->profile], p, h->at);
    case RR_CALIBRATED_MEMORY: return p->rate[h->at].gb_s.value;
    case RR_CALIBRATED_LAUNCH: return p->latency[h->at].us.value;
    case RR_CALIBRATED_LINK: return bus_gb_s(&p->curve[h->at], h->bytes);
    case RR_CALIBRATED_LINK_US: return p->curve[h->at].knot[0].us.value;
    case RR_CALIBRATED_NET: return law_of(k, p, h->op, h->bytes).two;
    case RR_CALIBRATED_NET_DECAY: return law_of(k, p, h->op, h->bytes).decay;
    case RR_CALIBRATED_GATHER: return law_of(k, p, "all_gather", h->bytes).two / law_of(k, p, "all_reduce", h->bytes).two;
    default: return p->curve[h->at].knot[0].us.value / (rr_log(domains_of(k, &p->curve[h->at])) / LN2);
    }
}

static double within(enum rr_coef coef, double v)
{
    const struct rr_coef_info *i = &rr_coef_info[coef];
    return v < i->least ? i->least : v > i->most ? i->most : v;
}

/* Without the coefficient's bounds. */
static double changed(const struct rr_calibrated *k, enum rr_calibrated_quantity q, double before, double now)
{
    const struct rr_calibrated_how *h = &k->how[q];
    switch (q) {
    case RR_CALIBRATED_LAUNCH:
    case RR_CALIBRATED_LINK_US:
    case RR_CALIBRATED_NET_US: return before + now - h->reference;
    case RR_CALIBRATED_NET_DECAY: return isnan(h->reference) ? now : before + now - h->reference;
    default: return h->reference > 0 ? before * now / h->reference : now / h->peak;
    }
}

/* ---- what a profile has ---- */

/* Of a node for what is inside it before of several nodes; two of one kind cannot both hold. */
static enum rr_status offer(struct work *w, enum rr_calibrated_quantity q, struct rr_calibrated_how how)
{
    struct rr_calibrated_how *h = &w->k->how[q];
    const struct rr_profile *now = &w->k->set->at[how.profile], *old = &w->k->set->at[h->profile];
    how.has = true;
    if (h->has && h->profile == how.profile) return RR_OK; // the first of a profile's own
    if (h->has && (old->nodes > 1) == (now->nodes > 1))
        return rr_fail(RR_EINPUT, "profiles %s and %s both measured %s of %s: give one of them", old->name, now->name, what_of[q],
                       w->m->id);
    if (!h->has || old->nodes > 1) *h = how;
    return RR_OK;
}

static const struct rr_profile_reference *reference_of(const struct work *w, const char *what)
{
    return rr_profile_reference_of(w->k->set, w->framework, w->m->family, what);
}

static double value_of(const struct rr_profile_reference *r) { return r && !r->measured ? r->value : 0; }

static enum rr_status offer_gemm(struct work *w, size_t i)
{
    const struct rr_profile *p = &w->k->set->at[i];
    for (size_t g = 0; g < p->n_gemms; g++) {
        const struct rr_gemm *x = &p->gemm[g];
        const bool wide = strcmp(x->type, "bf16") == 0 || strcmp(x->type, "fp16") == 0;
        const bool narrow = strncmp(x->type, "fp8", 3) == 0;
        if (!x->measured || (!wide && !narrow) || (x->peak_tflops.value <= 0 && x->rate_tflops.value <= 0)) continue;
        if (narrow && w->m->fp8_tflops <= 0) continue;
        RR_TRY(offer(w, wide ? RR_CALIBRATED_GEMM : RR_CALIBRATED_GEMM8,
                     (struct rr_calibrated_how){.profile = i,
                                                .at = g,
                                                .reference = value_of(reference_of(w, wide ? "gemm" : "gemm8")),
                                                .peak = wide ? w->m->bf16_tflops : w->m->fp8_tflops}));
    }
    return RR_OK;
}

static enum rr_status offer_rates(struct work *w, size_t i)
{
    const struct rr_profile *p = &w->k->set->at[i];
    struct rr_calibrated *k = w->k;
    for (size_t r = 0; r < p->n_rates; r++) {
        const struct rr_device_rate *x = &p->rate[r];
        const double gb_s = x->gb_s.value;
        if (!x->measured || gb_s <= 0) continue;
        const char *source = rr_strf(w->a, "%s %s, %.4g GB/s, profile %s", x->kind, x->op, gb_s, p->name);
        if (strcmp(x->kind, "memory") == 0 && strcmp(x->op, "copy") == 0)
            RR_TRY(offer(w, RR_CALIBRATED_MEMORY,
                         (struct rr_calibrated_how){.profile = i,
                                                    .at = r,
                                                    .reference = value_of(reference_of(w, "memory")) * w->m->memory_gb_s,
                                                    .peak = w->m->memory_gb_s}));
        const bool home = strstr(x->op, "device_to_host") || strcmp(x->op, "d2h_pinned") == 0;
        if (strcmp(x->kind, "transfer") == 0 && home && k->host_b_s <= 0) k->host_b_s = gb_s * 1e9, k->host_source = source;
        const bool net = strcmp(x->op, "network_read") == 0; // what all nodes share, before a disk of one
        if (strcmp(x->kind, "storage") == 0 && (k->storage_b_s <= 0 || net)) k->storage_b_s = gb_s * 1e9, k->storage_source = source;
    }
    return RR_OK;
}

static enum rr_status offer_launch(struct work *w, size_t i)
{
    const struct rr_profile *p = &w->k->set->at[i];
    const double reference = value_of(reference_of(w, "launch"));
    for (size_t l = 0; reference > 0 && l < p->n_latencies; l++)
        if (p->latency[l].measured && strcmp(p->latency[l].op, "launch empty") == 0)
            RR_TRY(offer(w, RR_CALIBRATED_LAUNCH, (struct rr_calibrated_how){.profile = i, .at = l, .reference = reference}));
    return RR_OK;
}

/* The collective over most GPUs of a node that the reference has too; without one, all-reduce over most of them. */
static enum rr_status offer_links(struct work *w, size_t i)
{
    const struct rr_profile *p = &w->k->set->at[i];
    const struct rr_profile_reference *r = reference_of(w, "links");
    const struct rr_curve *best = NULL, *other = NULL;
    double bytes = 0;
    for (size_t c = 0; c < p->n_curves; c++) {
        const struct rr_curve *x = &p->curve[c], *y;
        double at;
        if (domains_of(w->k, x) != 1 || rr_bus_factor(x->op, x->ranks) <= 0 || strcmp(x->op, "alltoall") == 0) continue;
        y = curve_like(r ? r->measured : NULL, x, &at);
        if (!y && (other || strcmp(x->op, "all_reduce") != 0)) continue;
        if (best && (x->ranks < best->ranks || (x->ranks == best->ranks && (other || !y)))) continue;
        best = x, other = y, bytes = y ? at : x->knot[x->n_knots - 1].bytes;
    }
    if (!best) return RR_OK;
    struct rr_calibrated_how how = {.profile = i, .at = (size_t)(best - p->curve), .op = best->op, .peak = w->m->link_gb_s};
    how.bytes = bytes < SIZE_MOST ? bytes : best->knot[0].bytes > SIZE_MOST ? best->knot[0].bytes : SIZE_MOST;
    how.reference = other ? bus_gb_s(other, how.bytes) : 0;
    RR_TRY(offer(w, RR_CALIBRATED_LINK, how));
    if (!other || best->knot[0].bytes > SMALL || other->knot[0].bytes > SMALL) return RR_OK;
    how.reference = other->knot[0].us.value;
    return offer(w, RR_CALIBRATED_LINK_US, how);
}

static enum rr_status offer_latency(struct work *w, size_t i, const struct rr_profile *reference, const char *op)
{
    const struct rr_profile *p = &w->k->set->at[i];
    for (size_t c = 0; c < p->n_curves; c++) {
        const struct rr_curve *x = &p->curve[c];
        double bytes;
        const int32_t nodes = strcmp(x->op, op) == 0 ? domains_of(w->k, x) : 0;
        const struct rr_curve *y = nodes > 1 && x->knot[0].bytes <= SMALL ? curve_like(reference, x, &bytes) : NULL;
        if (!y || y->knot[0].bytes > SMALL) continue;
        const double doublings = rr_log(nodes) / LN2;
        return offer(w, RR_CALIBRATED_NET_US,
                     (struct rr_calibrated_how){.profile = i, .at = c, .op = op, .reference = y->knot[0].us.value / doublings});
    }
    return RR_OK;
}

static void find_beyond(struct work *w, const struct rr_profile *p, const struct law *l)
{
    struct rr_calibrated *k = w->k;
    const double nodes = k->nodes;
    if (nodes <= 1 || (nodes >= l->least && nodes <= l->most)) return;
    k->beyond = nodes > l->most ? rr_log(nodes / l->most) / LN2 : rr_log(l->least / nodes) / LN2;
    k->beyond_sd = sqrt(k->beyond) * (l->counts > 1 ? BEYOND_LAW : BEYOND_POINT);
    const char *range = l->least == l->most ? rr_strf(w->a, "%d", l->least) : rr_strf(w->a, "%d to %d", l->least, l->most);
    k->beyond_text =
        rr_strf(w->a, "profile %s measured collectives over %s nodes, the run is on %.4g: extrapolated", p->name, range, nodes);
}

static enum rr_status offer_network(struct work *w, size_t i)
{
    static const char *const ops[] = {"all_reduce", "reduce_scatter", "all_gather"};
    struct rr_calibrated *k = w->k;
    const struct rr_profile *p = &k->set->at[i];
    const struct rr_profile_reference *row = reference_of(w, "network");
    const struct rr_profile *r = row ? row->measured : NULL;
    double bytes = 0;
    const char *op = NULL;
    for (size_t o = 0; o < 3 && r && bytes == 0; o++) bytes = size_of(k, p, r, op = ops[o]);
    const bool compared = bytes > 0;
    for (size_t o = 0; o < 3 && bytes == 0; o++) bytes = size_of(k, p, NULL, op = ops[o]);
    if (bytes == 0) return RR_OK;
    const struct law l = law_of(k, p, op, bytes), other = compared ? law_of(k, r, op, bytes) : (struct law){0};
    struct rr_calibrated_how how = {.profile = i, .op = op, .bytes = bytes, .reference = other.two};
    how.peak = w->m->net_gb_s * k->domain * (strcmp(op, "all_reduce") == 0 ? 1 : w->c->v[RR_COEF_GATHER_NET]);
    RR_TRY(offer(w, RR_CALIBRATED_NET, how));
    if (k->how[RR_CALIBRATED_NET].profile == i) find_beyond(w, p, &l);
    how.reference = other.counts > 1 ? other.decay : (double)NAN;
    if (l.counts > 1) RR_TRY(offer(w, RR_CALIBRATED_NET_DECAY, how));
    if (compared) RR_TRY(offer_latency(w, i, r, op));
    const struct law gather = law_of(k, p, "all_gather", bytes), theirs = compared ? law_of(k, r, "all_gather", bytes) : (struct law){0};
    if (gather.counts == 0 || theirs.counts == 0 || strcmp(op, "all_reduce") != 0) return RR_OK;
    how.reference = theirs.two / other.two;
    return offer(w, RR_CALIBRATED_GATHER, how);
}

static enum rr_status offer_all(struct work *w, size_t i)
{
    const struct rr_profile *p = &w->k->set->at[i];
    const bool alike = p->gpus_per_node <= 0 || p->gpus_per_node == w->m->gpus_per_node;
    size_t before = 0, after = 0;
    for (int q = 0; q < RR_CALIBRATED_N; q++) before += w->k->how[q].has;
    if (!p->measured) {
        rr_note(w->notes, RR_NOTE_WARNING, "", "",
                "profile %s is from a datasheet, not measured: its peaks are no rates, the shipped coefficients stay", p->name);
        return RR_OK;
    }
    RR_TRY(offer_gemm(w, i));
    RR_TRY(offer_rates(w, i));
    RR_TRY(offer_launch(w, i));
    if (alike) RR_TRY(offer_links(w, i));
    if (alike) RR_TRY(offer_network(w, i));
    if (!alike && p->n_curves)
        rr_note(w->notes, RR_NOTE_WARNING, "", "",
                "profile %s has collectives of nodes of %d GPUs, %s has %d: its collectives are not used", p->name, p->gpus_per_node,
                w->m->id, w->m->gpus_per_node);
    for (int q = 0; q < RR_CALIBRATED_N; q++) after += w->k->how[q].has;
    if (after == before && w->k->host_b_s <= 0 && w->k->storage_b_s <= 0)
        rr_note(w->notes, RR_NOTE_WARNING, "", "", "profile %s measured nothing that a step of %s rests on", p->name, w->m->id);
    return RR_OK;
}

/* ---- rows ---- */

static const char *source_text(const struct work *w, const struct rr_profile *p, const char *name)
{
    for (size_t i = 0; name && i < p->n_sources; i++)
        if (strcmp(p->source[i].name, name) == 0)
            return rr_strf(w->a, "%s: %s%s%s", name, p->source[i].text, p->source[i].file && *p->source[i].file ? ", " : "",
                           p->source[i].file ? p->source[i].file : "");
    return name ? name : "";
}

static const char *row_source(const struct work *w, enum rr_calibrated_quantity q)
{
    const struct rr_calibrated_how *h = &w->k->how[q];
    const struct rr_profile *p = &w->k->set->at[h->profile];
    const struct rr_curve *c = p->n_curves && h->at < p->n_curves ? &p->curve[h->at] : NULL;
    switch (q) {
    case RR_CALIBRATED_GEMM:
    case RR_CALIBRATED_GEMM8: return rr_strf(w->a, "products in %s, %s", p->gemm[h->at].type, source_text(w, p, p->gemm[h->at].source));
    case RR_CALIBRATED_MEMORY: return rr_strf(w->a, "memory copy, %s", source_text(w, p, p->rate[h->at].source));
    case RR_CALIBRATED_LAUNCH: return rr_strf(w->a, "launch, %s", source_text(w, p, p->latency[h->at].source));
    case RR_CALIBRATED_LINK:
        return rr_strf(w->a, "%s over %d GPUs at %.4g MB, %s", h->op, c->ranks, h->bytes / 1e6, source_text(w, p, c->source));
    case RR_CALIBRATED_LINK_US:
    case RR_CALIBRATED_NET_US: return rr_strf(w->a, "%s over %d GPUs, %s", h->op, c->ranks, source_text(w, p, c->source));
    default: break;
    }
    const struct law l = law_of(w->k, p, h->op, h->bytes);
    for (size_t i = 0; i < p->n_curves; i++)
        if (strcmp(p->curve[i].op, h->op) == 0 && domains_of(w->k, &p->curve[i]) > 1) c = &p->curve[i];
    const char *range = l.least == l.most ? rr_strf(w->a, "%d", l.least) : rr_strf(w->a, "%d to %d", l.least, l.most);
    return rr_strf(w->a, "%s over %s nodes at %.4g MB, %s", h->op, range, h->bytes / 1e6, source_text(w, p, c->source));
}

static const char *reference_text(const struct work *w, enum rr_calibrated_quantity q)
{
    const struct rr_profile_reference *r = reference_of(w, what_of[q]);
    const double reference = w->k->how[q].reference;
    if (!r || !(reference > 0 || (q == RR_CALIBRATED_NET_DECAY && !isnan(reference)))) return "";
    return r->measured ? rr_strf(w->a, "profile %s", r->profile) : rr_strf(w->a, "%s, %s", r->fact.source, r->fact.date);
}

static void add_row(struct work *w, enum rr_calibrated_quantity q, enum rr_coef coef, struct rr_coefs *c)
{
    struct rr_calibrated *k = w->k;
    const struct rr_calibrated_how *h = &k->how[q];
    const struct rr_profile *p = &k->set->at[h->profile];
    struct rr_calibrated_row *r = &k->row[k->n++];
    *r = (struct rr_calibrated_row){.quantity = q, .coef = coef, .before = c->v[coef], .profile = p, .reference = h->reference};
    r->measured = measured(k, q, p);
    r->held = changed(k, q, r->before, r->measured);
    r->after = r->p05 = r->p95 = within(coef, r->held);
    r->source = row_source(w, q);
    r->reference_text = reference_text(w, q);
    c->v[coef] = r->after;
}

static void note_row(const struct work *w, const struct rr_calibrated_row *r)
{
    const struct rr_coef_info *i = &rr_coef_info[r->coef];
    const char *than =
        *r->reference_text ? rr_strf(w->a, "; %.4g behind it (%s)", r->reference, r->reference_text) : "; no reference: as it is";
    const bool same = rr_calibrated_same(r), held = fabs(r->held - r->after) > 1e-9;
    const char *to = same ? "" : rr_strf(w->a, " -> %.4g", r->after);
    const char *why = held   ? rr_strf(w->a, " (%.4g, held within %.4g to %.4g)", r->held, i->least, i->most)
                      : same ? ", as its reference"
                             : "";
    rr_note(w->notes, RR_NOTE_GIVEN, "", r->source, "%s %.4g%s %s%s (5 to 95 %%: %.4g to %.4g), profile %s: %.4g %s%s", i->name, r->before,
            to, i->unit, why, r->p05, r->p95, r->profile->name, r->measured, rr_calibrated_unit[r->quantity], than);
}

static void note_beyond(const struct work *w)
{
    const struct rr_calibrated *k = w->k;
    if (k->beyond <= 0) return;
    rr_note(w->notes, RR_NOTE_WARNING, "", "",
            "%s, so the bandwidth between nodes varies by another factor of %.2f (one standard deviation)", k->beyond_text,
            rr_exp(k->beyond_sd));
}

/* ---- worlds ---- */

void rr_calibrated_world(const struct rr_calibrated *k, uint32_t replication, double *value)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_profile *p = RR_NEWS(a, struct rr_profile, k->set->n + 1);
    struct rr_rng rng;
    double wide = 1;
    for (size_t i = 0; i < k->set->n; i++) {
        const struct rr_profile *from = &k->set->at[i];
        rr_rng_init(&rng, k->set->seed, replication, RR_RNG_PROFILE, rr_hash(from->name, strlen(from->name)) & 0xffffffffffff);
        if (!k->used[i]) continue;
        rr_profile_sample(from, &rng, a, &p[i]);
        const double z = rr_rng_normal(&rng);
        if (k->beyond_sd > 0 && k->how[RR_CALIBRATED_NET].has && k->how[RR_CALIBRATED_NET].profile == i) wide = rr_exp(k->beyond_sd * z);
    }
    for (size_t i = 0; i < k->n; i++) {
        const struct rr_calibrated_row *r = &k->row[i];
        value[i] = changed(k, r->quantity, r->before, measured(k, r->quantity, &p[k->how[r->quantity].profile]));
        value[i] = within(r->coef, r->coef == RR_COEF_NET_EFF ? value[i] * wide : value[i]);
    }
    rr_arena_free(a);
}

void rr_calibrated_put(const struct rr_calibrated *k, const double *value, struct rr_coefs *c)
{
    for (size_t i = 0; i < k->n; i++) c->v[k->row[i].coef] = value[i];
}

bool rr_calibrated_same(const struct rr_calibrated_row *r) { return fabs(r->after - r->before) <= 1e-9 * fabs(r->before); }

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Log standard deviation that the error bars alone give the bandwidth between the run's nodes. */
static double sd_of_bars(const struct rr_calibrated *k)
{
    double n = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < RR_CALIBRATED_WORLDS; i++) {
        double ln = 0;
        for (size_t r = 0; r < k->n; r++) {
            const double v = k->world[i * k->n + r];
            if (k->row[r].coef == RR_COEF_NET_EFF) ln += rr_log(v);
            if (k->row[r].coef == RR_COEF_NET_DECAY && k->nodes > 2) ln -= v * rr_log(k->nodes / 2);
        }
        n++, sum += ln, squares += ln * ln;
    }
    const double variance = (squares - sum * sum / n) / (n - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

/* What is left of RR_NETWORK_DOUBT beside the error bars is the most that extrapolation adds. */
static void bound_beyond(struct rr_calibrated *k, double most_sd)
{
    const double bars = sd_of_bars(k), left = bars < RR_NETWORK_DOUBT ? sqrt(RR_NETWORK_DOUBT * RR_NETWORK_DOUBT - bars * bars) : 0;
    k->beyond_sd = most_sd < left ? most_sd : left;
}

static void draw(struct rr_calibrated *k)
{
    for (uint32_t i = 0; i < RR_CALIBRATED_WORLDS; i++) rr_calibrated_world(k, i, k->world + i * k->n);
}

static void draw_worlds(struct work *w)
{
    struct rr_calibrated *k = w->k;
    double sorted[RR_CALIBRATED_WORLDS];
    const double beyond_sd = k->beyond_sd;
    k->world = RR_NEWS(w->a, double, RR_CALIBRATED_WORLDS *(k->n + 1));
    k->beyond_sd = 0;
    draw(k);
    if (beyond_sd > 0) bound_beyond(k, beyond_sd), draw(k);
    for (size_t r = 0; r < k->n; r++) {
        for (size_t i = 0; i < RR_CALIBRATED_WORLDS; i++) sorted[i] = k->world[i * k->n + r];
        qsort(sorted, RR_CALIBRATED_WORLDS, sizeof *sorted, by_size);
        k->row[r].p05 = sorted[RR_CALIBRATED_WORLDS / 20];
        k->row[r].p95 = sorted[RR_CALIBRATED_WORLDS - 1 - RR_CALIBRATED_WORLDS / 20];
    }
}

enum rr_status rr_calibrate(const struct rr_profile_set *set, const struct rr_machine *m, const char *framework, int64_t gpus,
                            struct rr_arena *a, struct rr_notes *notes, struct rr_coefs *c, struct rr_calibrated *ret)
{
    struct work w = {.m = m, .framework = framework, .a = a, .notes = notes, .k = ret, .c = c};
    *ret = (struct rr_calibrated){.set = set, .used = RR_NEWS(a, bool, set->n + 1), .gpus_per_node = m->gpus_per_node};
    ret->domain = m->domain ? m->domain : m->gpus_per_node;
    ret->nodes = (double)gpus / ret->domain;
    for (size_t i = 0; i < set->n; i++) {
        ret->used[i] = rr_calibrated_fits(&set->at[i], m);
        if (ret->used[i]) RR_TRY(offer_all(&w, i));
    }
    for (int q = 0; q < RR_CALIBRATED_N; q++) {
        if (!ret->how[q].has) continue;
        add_row(&w, (enum rr_calibrated_quantity)q, coef_of[q], c);
        if (q == RR_CALIBRATED_GEMM8) add_row(&w, RR_CALIBRATED_GEMM8, RR_COEF_GEMMX_EFF, c);
    }
    draw_worlds(&w);
    note_beyond(&w);
    for (size_t i = 0; i < ret->n; i++) note_row(&w, &ret->row[i]);
    return RR_OK;
}
