/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_schema.c - the JSON Schema (2020-12) of scenarios, from the rows that the reader uses. */
#include "data/scenario_rows.h"
#include <string.h>

// For the few forms that no row describes. `text` is our own JSON.
static cJSON *written(const char *text) { return cJSON_Parse(text); }

static cJSON *described(const char *text, const char *description)
{
    cJSON *o = written(text);
    cJSON_AddStringToObject(o, "description", description);
    return o;
}

static cJSON *properties_of(cJSON *object) { return cJSON_GetObjectItemCaseSensitive(object, "properties"); }

static cJSON *rows_schema(const struct rr_rows *rows) { return rr_params_schema(rows->at, rows->n); }

// {"NAME": <of>} with names of 1 to 64 characters.
static cJSON *by_name(cJSON *of, const char *description, bool some)
{
    cJSON *o = written("{\"type\": \"object\", \"propertyNames\": {\"minLength\": 1, \"maxLength\": 64}}");
    cJSON_AddStringToObject(o, "description", description);
    if (some) cJSON_AddNumberToObject(o, "minProperties", 1);
    cJSON_AddItemToObject(o, "additionalProperties", of);
    return o;
}

static cJSON *sourced_or(const char *text, const char *description)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
    cJSON_AddStringToObject(o, "description", description);
    cJSON_AddItemToArray(any, written(text));
    cJSON_AddItemToArray(any, written("{\"$ref\": \"#/$defs/sourced\"}"));
    return o;
}

/* ---- open sets ---- */

// One object form a kind: {"type": const, its rows}; `key` is "type".
static cJSON *kind_schema(const struct rr_kind *kind, const char *key)
{
    cJSON *o = rr_params_schema(kind->params, kind->n_params), *type = cJSON_CreateObject();
    cJSON_AddStringToObject(type, "const", kind->name);
    cJSON_AddItemToObject(properties_of(o), key, type);
    cJSON *required = cJSON_GetObjectItemCaseSensitive(o, "required");
    if (!required) required = cJSON_AddArrayToObject(o, "required");
    cJSON_AddItemToArray(required, cJSON_CreateString(key));
    cJSON_AddStringToObject(o, "description", kind->summary);
    return o;
}

static cJSON *later_plans(void)
{
    cJSON *o =
        written("{\"type\": \"object\", \"required\": [\"type\"], \"properties\": {\"type\": {}}, \"description\": \"not built yet\"}");
    cJSON *words = cJSON_AddArrayToObject(cJSON_GetObjectItemCaseSensitive(properties_of(o), "type"), "enum");
    for (size_t i = 0; rr_later_plans[i]; i++) cJSON_AddItemToArray(words, cJSON_CreateString(rr_later_plans[i]));
    return o;
}

static cJSON *plan_schema(struct rr_kinds plans, unsigned use)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
    for (size_t i = 0; i < plans.n; i++)
        if (plans.at[i]->use & use) cJSON_AddItemToArray(any, kind_schema(plans.at[i], "type"));
    if (use == RR_USE_POOL)
        cJSON_AddItemToArray(any,
                             written("{\"type\": \"object\", \"required\": [\"type\"], \"additionalProperties\": false, \"properties\": "
                                     "{\"type\": {\"const\": \"unpriced\"}}, \"description\": \"no charges, no part in the verdict\"}"));
    cJSON_AddItemToArray(any, later_plans());
    return o;
}

static void set_words(cJSON *object, const char *key, struct rr_kinds kinds, const char *extra)
{
    cJSON *words = cJSON_CreateArray();
    if (extra) cJSON_AddItemToArray(words, cJSON_CreateString(extra));
    for (size_t i = 0; i < kinds.n; i++) cJSON_AddItemToArray(words, cJSON_CreateString(kinds.at[i]->name));
    cJSON *row = cJSON_GetObjectItemCaseSensitive(properties_of(object), key);
    cJSON *text = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(row, "anyOf"), 0);
    cJSON_AddItemToObject(text, "enum", words);
}

/* ---- sections ---- */

static cJSON *workload_schema(const struct rr_registry *reg)
{
    cJSON *o = rows_schema(&rr_rows_workload), *generate = rows_schema(&rr_rows_generate), *arrival = cJSON_CreateObject();
    cJSON_AddStringToObject(arrival, "type", "object");
    cJSON *kinds = cJSON_AddObjectToObject(arrival, "properties");
    cJSON_AddItemToObject(kinds, "poisson", rows_schema(&rr_rows_poisson));
    cJSON_AddItemToObject(arrival, "required", written("[\"poisson\"]"));
    cJSON_AddFalseToObject(arrival, "additionalProperties");
    cJSON_ReplaceItemInObjectCaseSensitive(properties_of(generate), "arrival", arrival);
    cJSON_ReplaceItemInObjectCaseSensitive(properties_of(o), "generate", generate);
    set_words(o, "format", reg->importers, "auto");
    return by_name(o, "what work comes", true);
}

static cJSON *nodes_schema(void)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
    cJSON_AddStringToObject(o, "description", "how many nodes");
    cJSON_AddItemToArray(any, written("{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 10000000}"));
    cJSON *range = rows_schema(&rr_rows_nodes_range), *file = rows_schema(&rr_rows_nodes_file);
    cJSON_AddItemToObject(
        properties_of(range), "max",
        sourced_or("{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 10000000}, {\"const\": \"unlimited\"}]}",
                   "nodes that the pool may grow to"));
    cJSON_AddItemToArray(any, range);
    cJSON_AddItemToArray(any, file);
    cJSON_AddItemToArray(any, written("{\"$ref\": \"#/$defs/sourced\"}"));
    return o;
}

static cJSON *described_rows(const struct rr_rows *rows, const char *description)
{
    cJSON *o = rows_schema(rows);
    cJSON_AddStringToObject(o, "description", description);
    return o;
}

static cJSON *autoscale_schema(const struct rr_registry *reg)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
    cJSON_AddStringToObject(o, "description", "who grows and shrinks elastic pools; of a pool, else of the scenario");
    for (size_t i = 0; i < reg->autoscalers.n; i++) cJSON_AddItemToArray(any, kind_schema(reg->autoscalers.at[i], "policy"));
    return o;
}

static cJSON *pools_schema(const struct rr_registry *reg)
{
    cJSON *o = rows_schema(&rr_rows_pool);
    cJSON_AddItemToObject(properties_of(o), "nodes", nodes_schema());
    cJSON_AddItemToObject(properties_of(o), "plan", plan_schema(reg->plans, RR_USE_POOL));
    cJSON_ReplaceItemInObjectCaseSensitive(
        properties_of(o), "mig",
        described("{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": "
                  "{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 64}}",
                  "what each GPU is cut into, such as {\"1g.10gb\": 7}; jobs ask for the slice as their gpu_type"));
    cJSON_AddItemToObject(properties_of(o), "autoscale", autoscale_schema(reg));
    cJSON_ReplaceItemInObjectCaseSensitive(properties_of(o), "image",
                                           described_rows(&rr_rows_image, "image that a new node pulls after its boot"));
    return by_name(o, "machines that work may run on, tried in this order", false);
}

static void take_rows(cJSON *object, const struct rr_kind *kind)
{
    cJSON *rows = rr_params_schema(kind->params, kind->n_params), *from = properties_of(rows), *to = properties_of(object);
    while (from->child) {
        cJSON *row = cJSON_DetachItemViaPointer(from, from->child);
        if (cJSON_GetObjectItemCaseSensitive(to, row->string))
            cJSON_Delete(row);
        else
            cJSON_AddItemToObject(to, row->string, row);
    }
    cJSON_Delete(rows);
}

static cJSON *scheduler_schema(const struct rr_registry *reg)
{
    cJSON *o = rows_schema(&rr_rows_scheduler);
    set_words(o, "policy", reg->policies, NULL);
    set_words(o, "placement", reg->placements, NULL);
    cJSON_ReplaceItemInObjectCaseSensitive(properties_of(o), "spread_slowdown", rows_schema(&rr_rows_spread));
    cJSON_AddItemToObject(properties_of(o), "estimate",
                          sourced_or("{\"anyOf\": [{\"enum\": [\"user\", \"exact\"]}, {\"type\": \"object\", \"required\": [\"factor\"], "
                                     "\"additionalProperties\": false, \"properties\": {\"factor\": {\"type\": \"number\", "
                                     "\"exclusiveMinimum\": 0}}}, {\"type\": \"object\", \"required\": [\"noise\"], "
                                     "\"additionalProperties\": false, \"properties\": {\"noise\": {\"type\": \"number\", "
                                     "\"minimum\": 0, \"maximum\": 10}}}]}",
                                     "how long jobs are thought to run"));
    for (size_t i = 0; i < reg->policies.n; i++) take_rows(o, reg->policies.at[i]);
    for (size_t i = 0; i < reg->placements.n; i++) take_rows(o, reg->placements.at[i]);
    return o;
}

static cJSON *repair_schema(void)
{
    cJSON *o = rows_schema(&rr_rows_fail_repair_plain), *row = cJSON_DetachItemFromObjectCaseSensitive(properties_of(o), "repair");
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(row, "anyOf"), rows_schema(&rr_rows_fail_repair));
    cJSON_Delete(o);
    return row;
}

static cJSON *failures_schema(void)
{
    cJSON *o = rows_schema(&rr_rows_failures), *p = properties_of(o), *domains = cJSON_CreateObject(), *causes = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "description", "failures of nodes and their repair");
    cJSON *of = cJSON_AddObjectToObject(domains, "properties");
    for (int k = 0; rr_domain_names[k]; k++) cJSON_AddItemToObject(of, rr_domain_names[k], rows_schema(&rr_rows_fail_domain));
    cJSON_AddStringToObject(domains, "type", "object");
    cJSON_AddFalseToObject(domains, "additionalProperties");
    cJSON *share = cJSON_AddObjectToObject(causes, "properties");
    for (int k = 0; rr_cause_names[k]; k++)
        cJSON_AddItemToObject(share, rr_cause_names[k],
                              sourced_or("{\"type\": \"number\", \"minimum\": 0}", "share or count of this cause"));
    cJSON_AddStringToObject(causes, "type", "object");
    cJSON_AddFalseToObject(causes, "additionalProperties");
    cJSON_ReplaceItemInObjectCaseSensitive(p, "domains", domains);
    cJSON_ReplaceItemInObjectCaseSensitive(p, "causes", causes);
    cJSON_ReplaceItemInObjectCaseSensitive(p, "maintenance",
                                           by_name(rows_schema(&rr_rows_maintenance), "planned maintenance by name", false));
    cJSON_AddItemToObject(p, "repair", repair_schema());
    cJSON_AddItemToObject(
        p, "pools",
        described("{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 1}", "pools whose nodes fail; all when absent"));
    return o;
}

static cJSON *service_schema(void)
{
    cJSON *o = written("{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {}}");
    cJSON_AddStringToObject(o, "description", "limits that an alternative must meet to win");
    for (int i = 0; i < RR_METRICS; i++)
        cJSON_AddItemToObject(properties_of(o), rr_metric_info[i].name,
                              sourced_or("{\"type\": \"string\", \"pattern\": \"^ *[<>]=\"}", rr_metric_info[i].help));
    return o;
}

static cJSON *gates_schema(void)
{
    cJSON *o = rows_schema(&rr_rows_gate), *names = cJSON_CreateArray();
    static const char bound[] = "{\"type\": [\"string\", \"number\"]}";
    cJSON_AddItemToObject(properties_of(o), "max", sourced_or(bound, "at most this, in the metric's unit"));
    cJSON_AddItemToObject(properties_of(o), "min", sourced_or(bound, "at least this, in the metric's unit"));
    for (int i = 0; i < RR_METRICS; i++) cJSON_AddItemToArray(names, cJSON_CreateString(rr_metric_info[i].name));
    cJSON *metric = cJSON_GetObjectItemCaseSensitive(properties_of(o), "metric");
    cJSON_AddItemToObject(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(metric, "anyOf"), 0), "enum", names);
    return by_name(o, "limits that fail the run with exit code 1", false);
}

static cJSON *fx_schema(void)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "type", "object");
    cJSON_AddStringToObject(o, "description", "what one unit of another currency is worth in the scenario's");
    cJSON_AddItemToObject(o, "propertyNames", written("{\"pattern\": \"^[A-Z]{3}$\"}"));
    cJSON_AddItemToObject(o, "additionalProperties", rows_schema(&rr_rows_fx));
    return o;
}

static cJSON *prices_schema(void)
{
    cJSON *list = written("{\"type\": \"array\"}"), *item = cJSON_CreateObject(), *forms = cJSON_AddArrayToObject(item, "anyOf");
    cJSON_AddItemToArray(forms, written("{\"type\": \"string\"}"));
    cJSON_AddItemToArray(forms, rows_schema(&rr_rows_book));
    cJSON_AddStringToObject(list, "description", "price books, asked in their order before the shipped facts");
    cJSON_AddItemToObject(list, "items", item);
    return list;
}

static cJSON *profiles_schema(void)
{
    cJSON *list = written("{\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
    cJSON_AddStringToObject(
        list, "description",
        "measured speed of the machines that planned training runs are on: files of rackrate fit or calibrate, or names of "
        "shipped ones; each replication draws its world from their error bars");
    return list;
}

static cJSON *classes_schema(void)
{
    cJSON *o = rows_schema(&rr_rows_class);
    cJSON_ReplaceItemInObjectCaseSensitive(
        properties_of(o), "checkpoint",
        described_rows(&rr_rows_checkpoint, "as \"checkpoint\" of the scenario, whose values hold where this says nothing"));
    cJSON_AddItemToObject(properties_of(o), "pools",
                          described("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
                                    "pools that its jobs may run in; all when absent"));
    return by_name(o, "kinds of jobs and what may be done with them; the first that fits holds", false);
}

// Numbers or texts with a unit: the reader looks closer.
static cJSON *uncertainty_schema(void)
{
    static const char value[] = "{\"type\": [\"number\", \"string\"]}";
    static const char *const lists[] = {"uniform", "triangular"};
    static const struct {
        const char *name, *unit, *plain;
    } pairs[] = {{"normal", "mean", NULL}, {"lognormal", "median", "sigma"}, {"weibull", "scale", "shape"}, {"exponential", "mean", ""}};
    cJSON *o = rows_schema(&rr_rows_uncertain), *p = properties_of(o);
    cJSON_ReplaceItemInObjectCaseSensitive(
        p, "correlation",
        described("{\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\", \"exclusiveMinimum\": -1, "
                  "\"exclusiveMaximum\": 1}}",
                  "with other inputs, such as {\"demand\": 0.6}: of the normal numbers of a Gaussian copula"));
    for (int i = 0; i < 2; i++) {
        cJSON *list = written("{\"type\": \"array\"}");
        cJSON_AddNumberToObject(list, "minItems", i + 2);
        cJSON_AddNumberToObject(list, "maxItems", i + 2);
        cJSON_AddItemToObject(list, "items", written(value));
        cJSON_AddItemToObject(p, lists[i], list);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cJSON *pair = written("{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {}}");
        cJSON_AddItemToObject(properties_of(pair), pairs[i].unit, written(value));
        if (!pairs[i].plain) cJSON_AddItemToObject(properties_of(pair), "sd", written(value));
        if (pairs[i].plain && *pairs[i].plain)
            cJSON_AddItemToObject(properties_of(pair), pairs[i].plain, written("{\"type\": \"number\"}"));
        cJSON_AddItemToObject(p, pairs[i].name, pair);
    }
    cJSON_AddItemToObject(p, "choice",
                          described("{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": "
                                    "\"number\", \"minimum\": 0}}",
                                    "values and their weights"));
    return by_name(o, "inputs that vary over replications, the same in every alternative", false);
}

static cJSON *until_schema(void)
{
    cJSON *o = rows_schema(&rr_rows_until), *names = cJSON_CreateArray();
    cJSON_AddStringToObject(o, "description", "stop at 64, 128, 256, ... replications when the confidence interval is narrow enough");
    for (int i = 0; i < RR_METRICS; i++) cJSON_AddItemToArray(names, cJSON_CreateString(rr_metric_info[i].name));
    cJSON *metric = cJSON_GetObjectItemCaseSensitive(properties_of(o), "metric");
    cJSON_AddItemToObject(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(metric, "anyOf"), 0), "enum", names);
    return o;
}

cJSON *rr_scenario_schema(const struct rr_registry *reg)
{
    cJSON *o = cJSON_CreateObject(), *body = rows_schema(&rr_rows_scenario), *p = properties_of(body);
    cJSON_AddStringToObject(o, "$schema", "https://json-schema.org/draft/2020-12/schema");
    cJSON_AddStringToObject(o, "title", "rackrate scenario, format 1");
    cJSON_AddStringToObject(
        o, "description",
        "Generated by `rackrate check --schema` from the tables that the reader uses. Comments are allowed in a scenario; "
        "take them out before validating it");
    cJSON_AddItemToObject(p, "fx", fx_schema());
    cJSON_AddItemToObject(p, "prices", prices_schema());
    cJSON_AddItemToObject(p, "profiles", profiles_schema());
    cJSON_AddItemToObject(p, "workload", workload_schema(reg));
    cJSON_AddItemToObject(p, "pools", pools_schema(reg));
    cJSON_AddItemToObject(p, "pool_order",
                          described("{\"anyOf\": [{\"const\": \"cheapest\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}",
                                    "pools that are tried first, or \"cheapest\": by what a GPU costs at the time"));
    cJSON_AddItemToObject(p, "commitments",
                          by_name(plan_schema(reg->plans, RR_USE_COMMITMENT), "promises to pay, laid over the leases", false));
    cJSON_AddItemToObject(
        p, "charges",
        by_name(plan_schema(reg->plans, RR_USE_CHARGE), "what is paid around the machines: storage, transfer, support", false));
    cJSON_AddItemToObject(p, "scheduler", scheduler_schema(reg));
    cJSON_AddItemToObject(p, "checkpoint", described_rows(&rr_rows_checkpoint, "what starts, checkpoints and interruptions cost"));
    cJSON_AddItemToObject(p, "classes", classes_schema());
    cJSON_ReplaceItemInObjectCaseSensitive(p, "failures", failures_schema());
    cJSON_AddItemToObject(p, "autoscale", autoscale_schema(reg));
    cJSON_AddItemToObject(p, "service", service_schema());
    cJSON *finance = rows_schema(&rr_rows_finance);
    cJSON_ReplaceItemInObjectCaseSensitive(properties_of(finance), "tax",
                                           described_rows(&rr_rows_tax, "tax on profit and value-added tax"));
    cJSON_AddItemToObject(p, "finance", finance);
    cJSON_AddItemToObject(
        p, "alternatives",
        by_name(written("{\"type\": \"object\"}"), "merge patches (RFC 7396) on this document, one a way of doing it", false));
    cJSON_AddItemToObject(p, "sweep",
                          described("{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"^/\"}, \"additionalProperties\": {\"type\": "
                                    "\"array\", \"minItems\": 1}}",
                                    "values by JSON pointer; every combination is run"));
    cJSON_AddItemToObject(p, "gates", gates_schema());
    cJSON_ReplaceItemInObjectCaseSensitive(p, "uncertainty", uncertainty_schema());
    cJSON_ReplaceItemInObjectCaseSensitive(p, "until", until_schema());
    while (body->child) {
        cJSON *m = cJSON_DetachItemViaPointer(body, body->child);
        cJSON_AddItemToObject(o, m->string, m);
    }
    cJSON_Delete(body);
    cJSON_AddItemToObject(o, "$defs", rr_param_schema_defs());
    return o;
}
