/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_bom.c - the bill of materials around owned machines: racks, switches, optics, spares, in whole numbers.
 *
 * The network is a folded Clos of switches with `radix` ports: one switch while all links fit, else leaves and spines, else a core above
 * them (Al-Fares, "A scalable, commodity data center network architecture", 2008). A leaf's ports are parted into down and up by the
 * oversubscription. Everything is bought with the machines, has their life and nothing left at its end. */
#include "models/finance/share.h"
#include "models/price/owned.h"
#include <math.h>
#include <string.h>

enum { PER_NODE, PER_GPU, PER_RACK, PER_LINK, PER_LEAF, PER_SPINE, PER_CORE, PER_SWITCH, PER_POOL, PERS };
static const char *const pers[] = {"node", "gpu", "rack", "link", "leaf", "spine", "core", "switch", "pool", NULL};

struct line {
    uint64_t given;
    struct rr_amount price;
    int per;
    double count, share;
    int64_t of;
};
enum { L_PRICE, L_PER, L_COUNT, L_OF, L_SHARE };
static const struct rr_param line_rows[] = {
    [L_PRICE] = {.name = "price", .type = RR_P_MONEY, .offset = offsetof(struct line, price), .unit = "each", .help = "price of one"},
    [L_PER] = {.name = "per",
               .type = RR_P_WORD,
               .offset = offsetof(struct line, per),
               .def = "\"node\"",
               .words = pers,
               .help = "what it is counted by"},
    [L_COUNT] = {.name = "count",
                 .type = RR_P_REAL,
                 .offset = offsetof(struct line, count),
                 .def = "1",
                 .least = 1e-6,
                 .most = 1e6,
                 .help = "how many for `of` of them; the total is rounded up"},
    [L_OF] = {.name = "of",
              .type = RR_P_INT,
              .offset = offsetof(struct line, of),
              .def = "1",
              .least = 1,
              .most = 1e7,
              .help = "one `count` for so many"},
    [L_SHARE] = {.name = "share",
                 .type = RR_P_SHARE,
                 .offset = offsetof(struct line, share),
                 .least = 0,
                 .most = 1,
                 .help = "instead of a price: a share of the machines and all lines before, such as spares or installation"},
};
const struct rr_param_table rr_owned_bom_rows = {line_rows, sizeof line_rows / sizeof *line_rows, sizeof(struct line)};

enum { F_LINKS, F_RADIX, F_OVER };
static const struct rr_param fabric_rows[] = {
    [F_LINKS] = {.name = "links_per_node",
                 .type = RR_P_INT,
                 .offset = offsetof(struct rr_owned_fabric, links),
                 .least = 1,
                 .most = 1024,
                 .help = "ports of a node on the network",
                 .flags = RR_PF_REQUIRED},
    [F_RADIX] = {.name = "radix",
                 .type = RR_P_INT,
                 .offset = offsetof(struct rr_owned_fabric, radix),
                 .least = 4,
                 .most = 4096,
                 .help = "ports of a switch",
                 .flags = RR_PF_REQUIRED},
    [F_OVER] = {.name = "oversubscription",
                .type = RR_P_REAL,
                .offset = offsetof(struct rr_owned_fabric, over),
                .def = "1",
                .least = 1,
                .most = 64,
                .help = "down over up at a leaf; 1: none"},
};
const struct rr_param_table rr_owned_fabric_rows = {fabric_rows, sizeof fabric_rows / sizeof *fabric_rows, sizeof(struct rr_owned_fabric)};

static int64_t ceil_of(int64_t n, int64_t each) { return (n + each - 1) / each; }

/* ---- counts ---- */

struct counts {
    int64_t of[PERS];
};

static enum rr_status count_switches(const struct rr_owned_fabric *f, int64_t nodes, struct counts *c)
{
    const int64_t hosts = nodes * f->links, r = f->radix;
    if (hosts <= r) {
        c->of[PER_LEAF] = nodes > 0;
        c->of[PER_LINK] = hosts;
        return RR_OK;
    }
    int64_t down = (int64_t)floor((double)r * f->over / (1 + f->over));
    if (down >= r) down = r - 1;
    const int64_t up = r - down, leaf = ceil_of(hosts, down);
    c->of[PER_LEAF] = leaf;
    c->of[PER_LINK] = hosts + leaf * up;
    if (leaf <= r) {
        c->of[PER_SPINE] = ceil_of(leaf * up, r);
        return RR_OK;
    }
    c->of[PER_SPINE] = ceil_of(leaf * up, r / 2);
    c->of[PER_CORE] = ceil_of(c->of[PER_SPINE] * (r / 2), r);
    c->of[PER_LINK] += c->of[PER_SPINE] * (r / 2);
    if (c->of[PER_SPINE] <= r * (r / 2)) return RR_OK;
    return rr_fail(RR_EINPUT, "\"network\": three levels of switches with %lld ports do not reach %lld links", (long long)r,
                   (long long)hosts);
}

static enum rr_status count(const struct rr_owned *o, int64_t nodes, struct counts *c)
{
    *c = (struct counts){{0}};
    c->of[PER_NODE] = nodes;
    c->of[PER_GPU] = nodes * (o->node_gpus > 0 ? o->node_gpus : 0);
    c->of[PER_RACK] = o->rack_nodes > 0 ? ceil_of(nodes, o->rack_nodes) : 0;
    c->of[PER_POOL] = nodes > 0;
    if (o->network) RR_TRY(count_switches(o->network->at, nodes, c));
    c->of[PER_SWITCH] = c->of[PER_LEAF] + c->of[PER_SPINE] + c->of[PER_CORE];
    return RR_OK;
}

/* Pieces of a line for so many units: rounded up, a count of thousandths of thousandths at a time. */
static int64_t pieces(const struct line *l, int64_t units)
{
    const rr_i128 whole = (rr_i128)units * llround(l->count * 1e6), per = (rr_i128)l->of * 1000000;
    return (int64_t)((whole + per - 1) / per);
}

/* ---- cost ---- */

static enum rr_status add_line(const struct rr_owned *o, const struct rr_scenario *s, size_t i, const struct counts *c,
                               struct rr_money machines, struct rr_money *sum, struct rr_money *ret, int64_t *n)
{
    const struct line *l = (const struct line *)o->bom->at + i;
    struct rr_money each;
    (void)o;
    if (rr_given(l, L_SHARE)) {
        RR_TRY(rr_money_add(&machines, *sum));
        RR_TRY(rr_money_share(machines, l->share, ret));
        *n = 0;
    } else {
        *n = pieces(l, c->of[l->per]);
        RR_TRY(rr_scenario_money(s, l->price, &each));
        RR_TRY(rr_round_div((rr_i128)each.micro * *n, 1, &ret->micro));
    }
    return rr_money_add(sum, *ret);
}

enum rr_status rr_owned_bom(const struct rr_owned *o, const struct rr_scenario *s, int64_t nodes, struct rr_money *ret)
{
    struct rr_money sum = {0}, machines, one;
    struct counts c;
    int64_t n;
    *ret = sum;
    if (!o->bom || nodes == 0) return RR_OK;
    RR_TRY(count(o, nodes, &c));
    RR_TRY(rr_round_div((rr_i128)o->cost.micro * nodes, 1, &machines.micro));
    for (size_t i = 0; i < o->bom->n; i++) RR_TRY(add_line(o, s, i, &c, machines, &sum, &one, &n));
    *ret = sum;
    return RR_OK;
}

/* ---- at load ---- */

static enum rr_status check_line(const struct rr_owned *o, size_t i, const struct counts *c)
{
    const struct line *l = (const struct line *)o->bom->at + i;
    const char *key = o->bom->key[i];
    if (rr_given(l, L_SHARE) == rr_given(l, L_PRICE)) return rr_fail(RR_EINPUT, "\"bom\": \"%s\" has a \"price\" or a \"share\"", key);
    if (rr_given(l, L_SHARE)) {
        if (rr_given(l, L_PER) || rr_given(l, L_COUNT) || rr_given(l, L_OF))
            return rr_fail(RR_EINPUT, "\"bom\": \"%s\" is a share: it is not counted by anything", key);
        return RR_OK;
    }
    if (l->price.money.micro <= 0) return rr_fail(RR_EINPUT, "\"bom\": the price of \"%s\" is not above 0", key);
    if (l->per == PER_RACK && o->rack_nodes == 0) return rr_fail(RR_EINPUT, "\"bom\": \"%s\" per rack needs \"nodes_per_rack\"", key);
    if (l->per == PER_GPU && o->node_gpus < 0)
        return rr_fail(RR_EINPUT, "\"bom\": \"%s\" per GPU: the pool's nodes have different numbers of GPUs", key);
    if (l->per >= PER_LINK && l->per <= PER_SWITCH && !o->network)
        return rr_fail(RR_EINPUT, "\"bom\": \"%s\" per %s needs \"network\", such as {\"links_per_node\": 8, \"radix\": 64}", key,
                       pers[l->per]);
    if (c->of[l->per] == 0 && l->per != PER_SPINE && l->per != PER_CORE && o->nodes > 0)
        return rr_fail(RR_EINPUT, "\"bom\": \"%s\": there is no %s to count by", key, pers[l->per]);
    return RR_OK;
}

/* The note names every line with its count, and what it comes to for a node. */
static enum rr_status tell(const struct rr_owned *o, const struct rr_owned_load *l, const struct counts *c)
{
    struct rr_buf b = {0};
    struct rr_money sum = {0}, machines, one, total;
    enum rr_status st = rr_round_div((rr_i128)o->cost.micro * o->nodes, 1, &machines.micro);
    for (size_t i = 0; st == RR_OK && i < o->bom->n; i++) {
        int64_t n = 0;
        st = add_line(o, l->s, i, c, machines, &sum, &one, &n);
        if (st != RR_OK) break;
        rr_buf_putf(&b, "%s", i ? ", " : "");
        if (n > 0) rr_buf_putf(&b, "%lld x ", (long long)n);
        rr_buf_putf(&b, "%s ", o->bom->key[i]);
        rr_buf_money(&b, one, l->s->currency, 0);
    }
    total = machines;
    if (st == RR_OK) st = rr_money_add(&total, sum);
    if (st == RR_OK && o->nodes > 0) {
        total.micro /= o->nodes;
        rr_buf_puts(&b, "; ");
        rr_buf_money(&b, total, l->s->currency, 0);
        rr_buf_puts(&b, " a node with everything");
        rr_note(l->notes, o->bom_assumed ? RR_NOTE_ASSUMED : RR_NOTE_GIVEN, rr_strf(l->arena, "%s/bom", l->pointer),
                o->bom_assumed ? "data/facts/plan_defaults.csv" : "", "around %lld nodes: %s", (long long)o->nodes, rr_buf_text(&b));
    }
    rr_buf_done(&b);
    return st;
}

/* "$750 x 2 per link", "7 %". */
static enum rr_status read_standard(const char *text, struct line *l)
{
    const char *per = strstr(text, " per "), *times = strstr(text, " x ");
    *l = (struct line){.count = 1, .of = 1};
    if (!per) {
        l->given = UINT64_C(1) << L_SHARE;
        return rr_unit_share(rr_slice(text, strlen(text)), &l->share);
    }
    l->given = UINT64_C(1) << L_PRICE;
    while (pers[l->per] && strcmp(pers[l->per], per + 5) != 0) l->per++;
    if (!pers[l->per]) return rr_fail(RR_EINTERNAL, "\"%s\" counts by nothing known", text);
    if (times) RR_TRY(rr_text_double(rr_slice(times + 3, (size_t)(per - times - 3)), &l->count));
    return rr_unit_money(rr_slice(text, (size_t)((times ? times : per) - text)), &l->price.money, l->price.currency);
}

static enum rr_status standard_number(const struct rr_owned_load *l, const char *key, const char *parameter, int64_t *ret)
{
    struct rr_slice text;
    RR_TRY(rr_owned_fallback(l, key, parameter, &text));
    return rr_text_i64(text, ret);
}

/* "bom": "standard": every row bom:NAME of the facts, in their order. */
static enum rr_status take_standard(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_catalog *c = l->catalog;
    struct rr_records *r = RR_NEW(l->arena, struct rr_records);
    struct line *line = RR_NEWS(l->arena, struct line, c->n_fallbacks + 1);
    struct rr_owned_fabric *fabric = RR_NEW(l->arena, struct rr_owned_fabric);
    struct rr_records *network = RR_NEW(l->arena, struct rr_records);
    *r = (struct rr_records){.json = o->bom->json, .word = -1, .at = line, .key = RR_NEWS(l->arena, const char *, c->n_fallbacks + 1)};
    for (size_t i = 0; i < c->n_fallbacks; i++) {
        const struct rr_default *d = &c->fallback[i];
        struct rr_slice text;
        if (strcmp(d->plan, "owned") != 0 || strncmp(d->parameter, "bom:", 4) != 0) continue;
        RR_TRY(read_standard(d->value, &line[r->n]));
        RR_TRY(rr_owned_fallback(l, d->parameter, rr_strf(l->arena, "bom/%s", d->parameter + 4), &text));
        r->key[r->n++] = d->parameter + 4;
    }
    if (!o->network) {
        *fabric = (struct rr_owned_fabric){.over = 1};
        RR_TRY(standard_number(l, "network:links_per_node", "network/links_per_node", &fabric->links));
        RR_TRY(standard_number(l, "network:radix", "network/radix", &fabric->radix));
        *network = (struct rr_records){.n = 1, .word = -1, .at = fabric};
        o->network = network;
    }
    o->bom = r;
    o->bom_assumed = true;
    return RR_OK;
}

enum rr_status rr_owned_take_bom(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct counts c;
    o->node_gpus = rr_pool_gpus(l->pool);
    if (!o->bom) return o->network ? rr_fail(RR_EINPUT, "\"network\" counts switches and links for a \"bom\": there is none") : RR_OK;
    if (o->lease) return rr_fail(RR_EINPUT, "\"bom\" is bought: it does not go with a \"lease\"; a pool of its own can own it");
    if (o->bom->word == 0) RR_TRY(take_standard(o, l));
    RR_TRY(count(o, o->nodes, &c));
    for (size_t i = 0; i < o->bom->n; i++) RR_TRY(check_line(o, i, &c));
    return tell(o, l, &c);
}
