/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/list.c - `rackrate list THINGS`: the open sets and the shipped facts as tables. */
#include "sim/cli/cli.h"
#include "data/base/vec.h"
#include "data/bill.h"
#include "data/metric.h"
#include "data/price_import.h"
#include "data/profile.h"
#include "data/samples.h"
#include "data/scenario.h"
#include "data/spot.h"
#include "data/train_facts.h"
#include "models/train/arch.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define COLUMNS_MAX 13

/* Cells are texts in the arena; NULL is an unknown value ("-", null). */
struct table {
    const char *column[COLUMNS_MAX]; /* NULL-terminated; a name with a '#' in front holds numbers */
    struct rr_arena *arena;
    RR_VEC(const char *) cell; /* row by row */
};

static const struct rr_option options[] = {{0, "json", NULL, false, "one JSON document"}};

static size_t n_columns(const struct table *t)
{
    size_t n = 0;
    while (n < COLUMNS_MAX && t->column[n]) n++;
    return n;
}
static bool is_number(const struct table *t, size_t i) { return t->column[i][0] == '#'; }
static const char *title(const struct table *t, size_t i) { return t->column[i] + is_number(t, i); }

static void put(struct table *t, const char *text) { rr_vec_push(&t->cell, text); }

/* 0 stands for "not known" in the fact tables. */
static void put_number(struct table *t, double v)
{
    char text[RR_DOUBLE_MAX];
    put(t, v != 0 ? rr_strdup(t->arena, rr_double_text(v, text)) : NULL);
}
static void put_text(struct table *t, const struct rr_buf *b) { put(t, rr_strdup(t->arena, rr_buf_text(b))); }

static void put_kinds(struct table *t, struct rr_kinds kinds)
{
    for (size_t i = 0; i < kinds.n; i++) {
        put(t, kinds.at[i]->name);
        put(t, kinds.at[i]->summary);
    }
}

static enum rr_status list_plans(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    static const char *const where[] = {"", "pool", "commitment", "pool, commitment"};
    static const char *const charge = "charge";
    for (size_t i = 0; i < rr_registry.plans.n; i++) {
        const struct rr_kind *k = rr_registry.plans.at[i];
        struct rr_buf b = {0};
        for (size_t j = 0; j < k->n_params; j++) rr_buf_putf(&b, "%s%s", j ? " " : "", k->params[j].name);
        put(t, k->name);
        put(t, k->use & RR_USE_CHARGE ? charge : where[k->use & 3u]);
        put(t, k->summary);
        put_text(t, &b);
        rr_buf_done(&b);
    }
    return RR_OK;
}
static enum rr_status list_policies(struct table *t, const struct rr_catalog *c)
{
    return (void)c, put_kinds(t, rr_registry.policies), RR_OK;
}
static enum rr_status list_placements(struct table *t, const struct rr_catalog *c)
{
    return (void)c, put_kinds(t, rr_registry.placements), RR_OK;
}
static enum rr_status list_autoscalers(struct table *t, const struct rr_catalog *c)
{
    return (void)c, put_kinds(t, rr_registry.autoscalers), RR_OK;
}
static enum rr_status list_fleets(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    put_kinds(t, rr_fleet_formats);
    return RR_OK;
}

static enum rr_status list_bills(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (const struct rr_bill_format *const *f = rr_bill_formats; *f; f++) {
        put(t, (*f)->name);
        put(t, (*f)->summary);
        put(t, (*f)->source);
    }
    return RR_OK;
}
static enum rr_status list_formats(struct table *t, const struct rr_catalog *c)
{
    return (void)c, put_kinds(t, rr_registry.importers), RR_OK;
}

static enum rr_status list_series(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (size_t i = 0; rr_spot_readers[i]; i++) {
        put(t, rr_spot_readers[i]->name);
        put(t, rr_spot_readers[i]->summary);
    }
    return RR_OK;
}

static enum rr_status list_pricelists(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (size_t i = 0; rr_price_readers[i]; i++) {
        put(t, rr_price_readers[i]->name);
        put(t, rr_price_readers[i]->summary);
        put(t, rr_price_readers[i]->keys);
    }
    return RR_OK;
}

static enum rr_status list_benchmarks(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (const struct rr_bench_format *const *f = rr_bench_formats; *f; f++) {
        put(t, (*f)->name);
        put(t, (*f)->summary);
        put(t, (*f)->source);
    }
    return RR_OK;
}

static enum rr_status list_gpus(struct table *t, const struct rr_catalog *c)
{
    for (size_t i = 0; i < c->n_gpus; i++) {
        const struct rr_gpu *g = &c->gpu[i];
        put(t, g->id);
        put_number(t, g->memory_gib);
        put_number(t, g->power_w);
        put_number(t, g->bf16_tflops);
        put_number(t, g->memory_gb_s);
        put_number(t, g->link_gb_s);
        put(t, g->fact.date);
        put(t, g->fact.source);
    }
    return RR_OK;
}

static enum rr_status load_train(struct table *t, struct rr_train_facts *ret)
{
    const char *dir;
    RR_TRY(rr_data_dir(t->arena, &dir));
    return rr_train_facts_load(dir, t->arena, ret);
}

/* 70.55 for 70,553,706,496 */
static void put_billions(struct table *t, double n)
{
    const double step = n < 10e9 ? 1e6 : 1e7;
    put_number(t, floor(n / step + 0.5) * step / 1e9);
}

static enum rr_status list_models(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    struct rr_train_facts f;
    RR_TRY(load_train(t, &f));
    for (size_t i = 0; i < f.n_archs; i++) {
        const struct rr_arch *a = &f.arch[i];
        const struct rr_params n = rr_arch_params(a);
        put(t, a->name);
        put_billions(t, n.total);
        put_billions(t, n.active);
        const int32_t sizes[] = {a->layers, a->hidden, a->heads, a->kv_heads, a->experts, a->vocab, a->seq};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) put_number(t, sizes[k]);
        put(t, a->fact.date);
        put(t, a->fact.source);
        put(t, a->aliases);
    }
    return RR_OK;
}

static enum rr_status list_machines(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    struct rr_train_facts f;
    RR_TRY(load_train(t, &f));
    for (size_t i = 0; i < f.n_machines; i++) {
        const struct rr_machine *m = &f.machine[i];
        put(t, m->id);
        put(t, *m->gpu ? m->gpu : NULL);
        const double sizes[] = {m->domain > m->gpus_per_node ? m->domain : m->gpus_per_node,
                                m->memory_gib,
                                m->bf16_tflops,
                                m->fp8_tflops,
                                m->fp4_tflops,
                                m->memory_gb_s,
                                m->link_gb_s,
                                m->net_gb_s,
                                m->power_w};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) put_number(t, sizes[k]);
        put(t, m->fact.date);
        put(t, m->aliases);
    }
    return RR_OK;
}

static void put_amount(struct table *t, struct rr_amount m)
{
    struct rr_buf b = {0};
    if (m.money.micro) rr_buf_money(&b, m.money, m.currency, m.money.micro % 1000000 ? 2 : 0);
    if (m.money.micro)
        put_text(t, &b);
    else
        put(t, NULL);
    rr_buf_done(&b);
}

static enum rr_status list_hardware(struct table *t, const struct rr_catalog *c)
{
    for (size_t i = 0; i < c->n_hardware; i++) {
        const struct rr_hardware *h = &c->hardware[i];
        put(t, h->id);
        put_number(t, h->gpus);
        put(t, h->gpu);
        put_amount(t, h->price);
        put_number(t, h->idle_w);
        put_number(t, h->power_w);
        put(t, h->fact.date);
        put(t, h->fact.source);
    }
    return RR_OK;
}

static enum rr_status list_instances(struct table *t, const struct rr_catalog *c)
{
    for (size_t i = 0; i < c->n_instances; i++) {
        const struct rr_instance *v = &c->instance[i];
        put(t, v->id);
        put_number(t, v->gpus);
        put(t, v->gpu);
        put_number(t, v->cpus_milli / 1000.0);
        put_number(t, v->memory_mib / 1024.0);
        put(t, v->fact.date);
        put(t, v->fact.source);
    }
    return RR_OK;
}

static enum rr_status list_prices(struct table *t, const struct rr_catalog *c)
{
    for (size_t i = 0; i < c->n_prices; i++) {
        const struct rr_price_row *p = &c->price[i];
        struct rr_buf b = {0};
        if (p->rate.rate.nano) rr_buf_rate(&b, p->rate.rate, p->rate.currency);
        put(t, p->instance);
        put(t, p->region);
        put(t, p->plan);
        put(t, *p->term ? p->term : NULL);
        put(t, *p->payment ? p->payment : NULL);
        put_text(t, &b);
        put_amount(t, p->upfront);
        put(t, p->fact.date);
        put(t, p->fact.source);
        rr_buf_done(&b);
    }
    return RR_OK;
}

static enum rr_status list_metrics(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (int i = 0; i < RR_METRICS; i++) {
        put(t, rr_metric_info[i].name);
        put(t, rr_metric_unit_text(rr_metric_info[i].unit));
        put(t, rr_metric_info[i].help);
    }
    return RR_OK;
}

/* ---- the keys of a scenario, from the JSON Schema that the rows make ---- */

static void put_key(struct table *t, const char *pointer, const cJSON *schema)
{
    struct rr_buf values = {0};
    const cJSON *any = rr_json_member(schema, "anyOf"), *one = any && any->child ? any->child : schema;
    const cJSON *words = rr_json_member(one, "enum"), *examples = rr_json_member(one, "examples");
    for (const cJSON *m = words ? words->child : examples ? examples->child : NULL; m; m = m->next) {
        char *text = cJSON_PrintUnformatted(m);
        rr_buf_putf(&values, "%s%s", values.n ? " " : "", text ? text : "");
        cJSON_free(text);
    }
    const cJSON *type = rr_json_member(one, "type"), *def = rr_json_member(schema, "default"),
                *help = rr_json_member(schema, "description");
    if (!values.n && cJSON_IsString(type)) rr_buf_puts(&values, type->valuestring);
    char *shown = def ? cJSON_PrintUnformatted(def) : NULL;
    put(t, pointer);
    put(t, shown ? rr_strdup(t->arena, shown) : NULL);
    put(t, cJSON_IsString(help) ? rr_strdup(t->arena, help->valuestring) : NULL);
    put_text(t, &values);
    cJSON_free(shown);
    rr_buf_done(&values);
}

static void put_keys(struct table *t, const cJSON *schema, const char *pointer, int depth)
{
    const cJSON *all = rr_json_member(schema, "properties"), *named = rr_json_member(schema, "additionalProperties");
    const cJSON *any = rr_json_member(schema, "anyOf");
    for (const cJSON *m = all ? all->child : NULL; m && depth < 12; m = m->next) {
        const char *below = rr_strf(t->arena, "%s/%s", pointer, m->string);
        put_key(t, below, m);
        put_keys(t, m, below, depth + 1);
    }
    if (cJSON_IsObject(named) && depth < 12) put_keys(t, named, rr_strf(t->arena, "%s/NAME", pointer), depth + 1);
    for (const cJSON *m = any                               ? any->child
                          : rr_json_member(schema, "oneOf") ? rr_json_member(schema, "oneOf")->child
                                                            : NULL;
         m && depth < 12; m = m->next)
        put_keys(t, m, pointer, depth + 1);
}

static enum rr_status list_keys(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    cJSON *schema = rr_scenario_schema(&rr_registry);
    put_keys(t, schema, "", 0);
    cJSON_Delete(schema);
    return RR_OK;
}

static enum rr_status list_sections(struct table *t, const struct rr_catalog *c)
{
    (void)c;
#define X(name) put(t, #name);
#include "reports/section/list.h"
#undef X
    return RR_OK;
}

static enum rr_status list_commands(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    for (const struct rr_command *const *k = rr_commands; *k; k++) {
        put(t, (*k)->name);
        put(t, (*k)->usage);
        put(t, (*k)->summary);
    }
    return RR_OK;
}

static int is_json(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".json") == 0;
}

/* The first comment line of a scenario says what it shows. */
static const char *first_comment(const char *path, struct rr_arena *a)
{
    char line[256];
    FILE *f = fopen(path, "r");
    if (!f) return "";
    const char *ret = fgets(line, sizeof line, f) && strncmp(line, "// ", 3) == 0 ? rr_strndup(a, line + 3, strcspn(line + 3, "\n")) : "";
    fclose(f);
    return ret;
}

static enum rr_status list_scenarios(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    const char *dir;
    RR_TRY(rr_data_dir(t->arena, &dir));
    const char *folder = rr_strf(t->arena, "%s/scenarios", dir);
    struct dirent **entry;
    const int n = scandir(folder, &entry, is_json, alphasort);
    if (n < 0) return rr_fail(RR_EIO, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        const char *path = rr_strf(t->arena, "%s/%s", folder, entry[i]->d_name);
        put(t, path);
        put(t, first_comment(path, t->arena));
        free(entry[i]);
    }
    free(entry);
    return RR_OK;
}

static enum rr_status list_profiles(struct table *t, const struct rr_catalog *c)
{
    (void)c;
    const char *dir;
    RR_TRY(rr_data_dir(t->arena, &dir));
    const char *folder = rr_strf(t->arena, "%s/profiles", dir);
    struct dirent **entry;
    const int n = scandir(folder, &entry, is_json, alphasort);
    enum rr_status st = n < 0 ? rr_fail(RR_EIO, "%s: %s", folder, strerror(errno)) : RR_OK;
    for (int i = 0; i < n; i++) {
        struct rr_profile p;
        if (st == RR_OK) st = rr_profile_read(rr_strf(t->arena, "%s/%s", folder, entry[i]->d_name), t->arena, &p);
        free(entry[i]);
        if (st != RR_OK) continue;
        put(t, p.name);
        put(t, p.gpu);
        put(t, rr_strf(t->arena, "%d", (int)p.gpus_per_node));
        put(t, rr_strf(t->arena, "%zu", p.n_curves));
        put(t, p.measured ? "logs" : "datasheet, not measured");
        put(t, p.network);
    }
    if (n >= 0) free(entry);
    return st;
}

static const struct thing {
    const char *name;
    const char *column[COLUMNS_MAX];
    bool facts; /* needs the catalog */
    enum rr_status (*list)(struct table *t, const struct rr_catalog *c);
} things[] = {
    {"plans", {"name", "for", "summary", "parameters"}, false, list_plans},
    {"policies", {"name", "summary"}, false, list_policies},
    {"placements", {"name", "summary"}, false, list_placements},
    {"autoscalers", {"name", "summary"}, false, list_autoscalers},
    {"formats", {"name", "summary"}, false, list_formats},
    {"series", {"name", "summary"}, false, list_series},
    {"fleets", {"name", "summary"}, false, list_fleets},
    {"pricelists", {"name", "summary", "set"}, false, list_pricelists},
    {"bills", {"name", "summary", "source"}, false, list_bills},
    {"benchmarks", {"name", "summary", "source"}, false, list_benchmarks},
    {"profiles", {"name", "gpu", "#gpus_per_node", "#collectives", "from", "network"}, false, list_profiles},
    {"gpus", {"id", "#memory_gib", "#power_w", "#bf16_tflops", "#memory_gb_s", "#link_gb_s", "date", "source"}, true, list_gpus},
    {"models",
     {"name", "#parameters_b", "#active_b", "#layers", "#hidden", "#heads", "#kv_heads", "#experts", "#vocab", "#seq", "date", "source",
      "also"},
     false,
     list_models},
    {"machines",
     {"id", "gpu", "#linked_gpus", "#memory_gib", "#bf16_tflops", "#fp8_tflops", "#fp4_tflops", "#memory_gb_s", "#link_gb_s", "#net_gb_s",
      "#power_w", "date", "also"},
     false,
     list_machines},
    {"hardware", {"id", "#gpus", "gpu", "price", "#idle_w", "#power_w", "date", "source"}, true, list_hardware},
    {"instances", {"id", "#gpus", "gpu", "#cpus", "#memory_gib", "date", "source"}, true, list_instances},
    {"prices", {"instance", "region", "plan", "term", "payment", "rate", "upfront", "date", "source"}, true, list_prices},
    {"metrics", {"name", "unit", "meaning"}, false, list_metrics},
    {"keys", {"pointer", "default", "meaning", "values"}, false, list_keys},
    {"sections", {"name"}, false, list_sections},
    {"commands", {"name", "usage", "summary"}, false, list_commands},
    {"scenarios", {"path", "summary"}, false, list_scenarios},
};
#define N_THINGS (sizeof things / sizeof *things)
const char *const rr_list_things[] = {"plans",      "policies", "placements", "autoscalers", "formats",  "fleets",
                                      "pricelists", "series",   "bills",      "benchmarks",  "profiles", "gpus",
                                      "models",     "machines", "hardware",   "instances",   "prices",   "metrics",
                                      "keys",       "sections", "commands",   "scenarios",   NULL};

/* Columns padded to their widest cell; the last one runs free. */
static void put_table(struct rr_buf *b, const struct table *t)
{
    const size_t columns = n_columns(t);
    int width[COLUMNS_MAX];
    for (size_t i = 0; i < columns; i++) width[i] = (int)strlen(title(t, i));
    for (size_t k = 0; k < t->cell.n; k++) {
        const int n = t->cell.at[k] ? (int)strlen(t->cell.at[k]) : 1;
        if (n > width[k % columns]) width[k % columns] = n;
    }
    for (size_t i = 0; i < columns; i++) rr_buf_putf(b, i + 1 < columns ? "%-*s  " : "%.0d%s", i + 1 < columns ? width[i] : 0, title(t, i));
    for (size_t k = 0; k < t->cell.n; k++) {
        const size_t i = k % columns;
        const char *cell = t->cell.at[k] ? t->cell.at[k] : "-";
        if (i == 0) rr_buf_puts(b, "\n");
        if (is_number(t, i))
            rr_buf_putf(b, "%*s", width[i], cell);
        else
            rr_buf_putf(b, "%-*s", i + 1 < columns ? width[i] : 0, cell);
        if (i + 1 < columns) rr_buf_puts(b, "  ");
    }
    rr_buf_puts(b, "\n");
}

static void put_json(struct rr_buf *b, const struct table *t, const char *thing)
{
    const size_t columns = n_columns(t);
    rr_buf_putf(b, "{\"schema\": \"rackrate.list/1\", \"%s\": [", thing);
    for (size_t k = 0; k < t->cell.n; k++) {
        const size_t i = k % columns;
        rr_buf_putf(b, "%s\"%s\": ", i ? ", " : k ? "},\n{" : "\n{", title(t, i));
        if (!t->cell.at[k])
            rr_buf_puts(b, "null");
        else if (is_number(t, i))
            rr_buf_puts(b, t->cell.at[k]);
        else
            rr_buf_json(b, t->cell.at[k]);
    }
    rr_buf_puts(b, t->cell.n ? "}\n]}\n" : "]}\n");
}

static const struct thing *find(const char *name)
{
    for (size_t i = 0; i < N_THINGS; i++)
        if (strcmp(things[i].name, name) == 0) return &things[i];
    return NULL;
}

static enum rr_status list_run(const struct rr_args *args)
{
    struct rr_arena *a = args->arena;
    if (args->n_operands == 0) {
        const char *all = "";
        for (size_t i = 0; i < N_THINGS; i++) all = rr_strf(a, "%s%s%s", all, i ? ", " : "", things[i].name);
        return rr_fail(RR_EUSAGE, "list what? one of %s", all);
    }
    const struct thing *thing = find(args->operand[0]);
    if (!thing) {
        const char *hint = rr_did_you_mean(a, args->operand[0], rr_list_things, N_THINGS);
        return rr_fail(RR_EUSAGE, "cannot list \"%s\"%s (rackrate list --help)", args->operand[0], hint);
    }
    struct rr_catalog catalog = {0};
    if (thing->facts) RR_TRY(rr_cli_catalog(a, &catalog));
    struct table t = {.arena = a};
    memcpy(t.column, thing->column, sizeof t.column);
    const enum rr_status st = thing->list(&t, &catalog);
    if (st == RR_OK) {
        struct rr_buf b = {0};
        if (rr_arg_given(&rr_command_list, args, "json"))
            put_json(&b, &t, thing->name);
        else
            put_table(&b, &t);
        rr_say(rr_buf_text(&b));
        rr_buf_done(&b);
    }
    rr_vec_done(&t.cell);
    return st;
}

const struct rr_command rr_command_list = {
    .name = "list",
    .summary = "what this version knows: plans, policies, formats, prices and so on",
    .usage = "THINGS [--json]",
    .examples = "rackrate list plans\n"
                "rackrate list instances\n"
                "rackrate list prices --json\n"
                "rackrate list models\n"
                "THINGS: plans policies placements autoscalers formats fleets pricelists bills benchmarks profiles gpus models machines "
                "hardware instances "
                "prices metrics keys "
                "sections "
                "commands scenarios",
    .options = options,
    .n_options = 1,
    .least = 0,
    .most = 1,
    .run = list_run,
};
