/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_scenario_errors.c - what is wrong in a scenario: one line with place, pointer, what was wrong and what would be right. */
#include "tests/unit/scenario_fake.h"

static int setup(void **state)
{
    if (fake_setup(state) != 0) return -1;
    fake_file("jobs.csv", "job_id,submit_s,duration_s,gpus\na,0,10,1\n");
    char path[160];
    snprintf(path, sizeof path, "%s/loop", fake_dir);
    return symlink("loop", path);
}

#define WORK(w) "{\"rackrate\": 1, \"workload\": {\"w\": " w "}, " FAKE_POOL "}"
#define POOL(p) "{\"rackrate\": 1, " FAKE_WORK ", \"pools\": {\"p\": " p "}}"
#define NODE(n) POOL("{\"gpus_per_node\": 8, \"nodes\": " n ", \"plan\": {\"type\": \"owned\"}}")
#define PLAN(p) POOL("{\"gpus_per_node\": 8, \"nodes\": 1, \"plan\": " p "}")
#define GEN(g)  WORK("{\"generate\": {\"count\": 5, \"duration\": \"1 h\", " g "}}")

/* Every part must stand in the one line, in this order; the line starts with the file's place and has the pointer. */
static const struct {
    const char *text, *pointer, *part[3];
} cases[] = {
    {"", "", {"empty"}},
    {"[]", "", {"a list given; a scenario is an object"}},
    {"{", "", {"never closed"}},
    {"{\"rackrate\": 1, \"rackrate\": 1}", "/rackrate", {"this key was already used at 1:2"}},
    {"{}", "", {"\"rackrate\" is missing"}},
    {"{\"rackrate\": 2}", "/rackrate", {"format 2 is not known; rackrate ", " reads 1"}},
    {"{\"rackrate\": 1}", "/workload", {"no workload; such as"}},
    {"{\"rackrate\": 1, " FAKE_WORK "}", "/pools", {"no pool; such as"}},
    {"{\"rackrate\": 1, " FAKE_WORK ", \"pools\": {}}", "/pools", {"no pool"}},
    {FAKE(", \"hroizon\": \"3 d\""), "/hroizon", {"unknown key \"hroizon\"; did you mean \"horizon\"?"}},
    {FAKE(", \"pool\": {}"), "/pool", {"did you mean \"pools\"?"}},
    {FAKE(", \"name\": \"\""), "/name", {"a name of 1 to 200 bytes"}},
    {FAKE(", \"horizon\": 3"), "/horizon", {"3 has no unit", "\"36 months\""}},
    {FAKE(", \"horizon\": \"3 years\""), "/horizon", {"needs a calendar; add", "\"start\": \"2026-01-01\""}},
    {FAKE(", \"horizon\": \"0 s\""), "/horizon", {"longer than 0"}},
    {FAKE(", \"horizon\": \"9000 years\", \"start\": \"2026-01-01\""), "/horizon", {"at most 1000 years"}},
    {FAKE(", \"horizon\": \"1 d\", \"warmup\": \"1 d\""), "/warmup", {"end before the horizon"}},
    {FAKE(", \"start\": \"2025-02-29\""), "/start", {"2025-02-29"}},
    {FAKE(", \"currency\": \"usd\""), "/currency", {"three capital letters"}},
    {FAKE(", \"seed\": -1"), "/seed", {"-1 given; at least 0"}},
    {FAKE(", \"replications\": 0"), "/replications", {"0 given; at least 1"}},
    {FAKE(", \"replications\": 3"), "/horizon", {"\"horizon\" is missing", "/pools/own"}},
    {FAKE(", \"alternatives\": {\"a\": {}, \"b\": {}}"), "/horizon", {"\"horizon\" is missing", "add such as"}},
    {FAKE(", \"baseline\": \"bsae\""), "/baseline", {"there is no alternative \"bsae\", did you mean \"base\"?"}},
    {FAKE(", \"fx\": 3"), "/fx", {"rates by currency"}},
    {FAKE(", \"fx\": {\"EUR\": {\"rate\": 1.1}}"), "/fx/EUR", {"\"date\" is missing"}},
    {FAKE(", \"fx\": {\"EUR\": {\"rate\": 0, \"date\": \"2026-01-01\"}}"), "/fx/EUR/rate", {"at least"}},
    {FAKE(", \"fx\": {\"USD\": {\"rate\": 1, \"date\": \"2026-01-01\"}}"), "/fx/USD", {"other than the scenario's own USD"}},
    {FAKE(", \"fx\": {\"euro\": {\"rate\": 1, \"date\": \"2026-01-01\"}}"), "/fx/euro", {"three capital letters"}},

    {WORK("3"), "/workload/w", {"3 given; an object"}},
    {WORK("{}"), "/workload/w", {"no jobs; give \"trace\": \"FILE\", \"generate\""}},
    {WORK("{\"trace\": \"jobs.csv\", \"generate\": {}}"), "/workload/w", {"more than one of \"trace\", \"generate\""}},
    {WORK("{\"trace\": \"nowhere.csv\"}"), "/workload/w/trace", {"/nowhere.csv: No such file"}},
    {WORK("{\"trace\": \"loop\"}"), "/workload/w/trace", {"/loop: Too many levels"}},
    {WORK("{\"trace\": \".\"}"), "/workload/w/trace", {"is a directory; a file is expected"}},
    {WORK("{\"trace\": \"jobs.csv\", \"format\": \"swff\"}"), "/workload/w/format", {"\"swff\" is no trace format, did you mean \"swf\"?"}},
    {WORK("{\"trace\": \"jobs.csv\", \"load_scale\": 0}"), "/workload/w/load_scale", {"0 given; at least"}},
    {WORK("{\"trace\": \"jobs.csv\", \"max_rejected\": \"130 %\"}"), "/workload/w/max_rejected", {"130 %"}},
    {WORK("{\"trace\": \"jobs.csv\", \"repeat\": true}"), "/workload/w", {"\"repeat\" without an end; add \"horizon\""}},
    {WORK("{\"trace\": \"jobs.csv\", \"where\": \"gpus >\"}"), "/workload/w/where", {"column 7: a number is expected"}},
    {WORK("{\"trace\": \"jobs.csv\", \"where\": 3}"), "/workload/w/where", {"3 given; a text"}},
    {WORK(
         "{\"generate\": {\"count\": 5, \"duration\": \"1 h\", \"arrival\": {\"poisson\": {\"rate\": \"1/s\"}}}, \"where\": \"gpus > 1\"}"),
     "/workload/w",
     {"\"where\" chooses from a trace"}},
    {FAKE(", \"checkpoint\": {\"interval\": \"often\"}"), "/checkpoint/interval", {"\"often\" given; a time above 0", "young"}},
    {FAKE(", \"checkpoint\": {\"interval\": \"0 s\"}"), "/checkpoint/interval", {"a time above 0"}},
    {FAKE(", \"checkpoint\": {\"write\": \"-1 s\"}"), "/checkpoint/write", {"-1 s"}},
    {FAKE(", \"checkpoint\": {\"on_preempt\": \"keep\"}"), "/checkpoint/on_preempt", {"\"keep\" given; save or lose is expected"}},
    {FAKE(", \"checkpoint\": {\"size\": \"1 TB\"}"), "/checkpoint", {"\"size\" stands without \"bandwidth\""}},
    {FAKE(", \"checkpoint\": {\"bandwidth\": \"1 GB/s\"}"), "/checkpoint", {"\"bandwidth\" stands without \"size\""}},
    {FAKE(", \"checkpoint\": {\"size\": \"1 TB\", \"bandwidth\": \"7 GB\"}"), "/checkpoint/bandwidth", {"7 GB"}},
    {FAKE(", \"classes\": []"), "/classes", {"classes by name are expected"}},
    {FAKE(", \"classes\": {\"a\": 1}"), "/classes/a", {"1 given; an object"}},
    {FAKE(", \"classes\": {\"a\": {\"where\": \"gpu == 1\"}}"),
     "/classes/a/where",
     {"column 1: \"gpu\" is no field", "did you mean \"gpus\"?"}},
    {FAKE(", \"classes\": {\"a\": {\"pools\": \"own\"}}"), "/classes/a/pools", {"a list of pools"}},
    {FAKE(", \"classes\": {\"a\": {\"pools\": [\"owm\"]}}"), "/classes/a/pools", {"\"owm\" is no pool", "\"own\""}},
    {FAKE(", \"classes\": {\"a\": {\"waiting_cost\": \"$2/day\"}}"), "/classes/a/waiting_cost", {"per job and hour, such as \"$2/h\""}},
    {FAKE(", \"classes\": {\"a\": {\"waiting_cost\": \"EUR 2/h\"}}"), "/classes/a/waiting_cost", {"no rate for EUR"}},
    {FAKE(", \"classes\": {\"a\": {\"checkpoint\": {\"wrote\": \"1 s\"}}}"), "/classes/a/checkpoint/wrote", {"did you mean \"write\"?"}},
    {"{\"rackrate\": 1, \"workload\": {\"\": {\"trace\": \"jobs.csv\"}}, " FAKE_POOL "}", "", {"a name of 0 bytes; 1 to 64"}},
    {"{\"rackrate\": 1, \"workload\": {\"a\\nb\": {\"trace\": \"jobs.csv\"}}, " FAKE_POOL "}", "/workload/a?b", {"a control character"}},
    {WORK("{\"generate\": {\"count\": 5, \"duration\": \"1 h\"}}"), "/workload/w/generate", {"\"arrival\" is missing", "poisson"}},
    {GEN("\"arrival\": {\"gamma\": {}}"), "/workload/w/generate/arrival", {"one arrival process is expected"}},
    {GEN("\"arrival\": {\"poisson\": {\"rate\": 0.5}}"), "/workload/w/generate/arrival/poisson/rate", {"0.5 has no unit", "\"0.5/s\""}},
    {GEN("\"arrival\": {\"poisson\": {\"rate\": \"0/s\"}}"), "/workload/w/generate/arrival/poisson/rate", {"at least"}},
    {GEN("\"arrival\": {\"poisson\": {\"rate\": \"1/s\"}}, \"gpus\": 2.5"), "/workload/w/generate/gpus", {"2.5 GPUs", "whole"}},
    {GEN("\"arrival\": {\"poisson\": {\"rate\": \"1/s\"}}, \"gpus\": {\"choice\": {\"1\": 1, \"1.5\": 1}}"),
     "/workload/w/generate/gpus",
     {"1.5 GPUs"}},
    {GEN("\"arrival\": {\"poisson\": {\"rate\": \"1/s\"}}, \"gpus\": -1"), "/workload/w/generate/gpus", {"at least 0"}},

    {POOL("{}"), "/pools/p", {"\"nodes\" is missing"}},
    {POOL("{\"nodes\": 1}"), "/pools/p", {"what is a node?; exactly one of"}},
    {POOL("{\"nodes\": 1, \"gpus_per_node\": 8}"), "/pools/p", {"\"plan\" is missing", "\"unpriced\""}},
    {POOL("{\"nodes\": 1, \"gpus_per_node\": 8, \"hardware\": \"hgx-h100-8\", \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p",
     {"described more than once"}},
    {POOL("{\"nodes\": 1, \"hardware\": \"hgx-h10-8\", \"plan\": {\"type\": \"owned\"}}"), "/pools/p/hardware", {"hgx-h100-8"}},
    {POOL("{\"nodes\": 1, \"instance\": \"aws/p5\", \"plan\": {\"type\": \"owned\"}}"), "/pools/p/instance", {"aws/p5"}},
    {POOL("{\"nodes\": 1, \"gpus_per_node\": 8, \"memory\": \"512 G\", \"plan\": {\"type\": \"owned\"}}"), "/pools/p/memory", {"GiB"}},
    {POOL("{\"nodes\": 1, \"gpus_per_node\": 8, \"boot\": 300, \"plan\": {\"type\": \"owned\"}}"), "/pools/p/boot", {"300 has no unit"}},
    {NODE("-1"), "/pools/p/nodes", {"-1 given; a whole number from 0 to 10000000 is expected, or {\"min\": 0, \"max\": 32}"}},
    {NODE("2.5"), "/pools/p/nodes", {"2.5 given"}},
    {NODE("\"8\""), "/pools/p/nodes", {"\"8\" given; a whole number"}},
    {NODE("{\"min\": 1}"), "/pools/p/nodes", {"\"max\" is missing", "\"unlimited\""}},
    {NODE("{\"min\": 5, \"max\": 4}"), "/pools/p/nodes/max", {"below \"min\", which is 5"}},
    {NODE("{\"min\": -5, \"max\": 4}"), "/pools/p/nodes/min", {"-5 given; at least 0"}},
    {NODE("{\"max\": \"many\"}"), "/pools/p/nodes/max", {"\"many\" given", "\"unlimited\" is expected"}},
    {NODE("{\"uniform\": [1, 2]}"), "/pools/p/nodes/uniform", {"\"uniform\" is not built yet"}},
    {NODE("{\"max\": 4, \"mni\": 2}"), "/pools/p/nodes/mni", {"did you mean \"min\"?"}},
    {NODE("{\"max\": 4, \"format\": \"csv\"}"), "/pools/p/nodes", {"\"format\" stands beside \"file\""}},
    {POOL("{\"nodes\": {\"file\": \"no.csv\"}, \"plan\": {\"type\": \"owned\"}}"), "/pools/p/nodes/file", {"/no.csv: No such file"}},
    {POOL("{\"nodes\": {\"file\": \"jobs.csv\", \"max\": 3}, \"plan\": {\"type\": \"owned\"}}"), "/pools/p/nodes", {"either a list"}},
    {POOL("{\"nodes\": {\"file\": \"jobs.csv\"}, \"plan\": {\"type\": \"owned\"}}"), "/pools/p/nodes/file", {"jobs.csv"}},
    {POOL("{\"nodes\": 4, \"gpus_per_node\": 8, \"nodes_per_switch\": 3, \"nodes_per_rack\": 8, \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p/nodes_per_rack",
     {"8 given; a multiple of \"nodes_per_switch\", which is 3"}},
    {POOL("{\"nodes\": 4, \"gpus_per_node\": 8, \"nodes_per_switch\": 0, \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p/nodes_per_switch",
     {"0 given; at least 1"}},
    {POOL("{\"nodes\": 4, \"gpus_per_node\": 8, \"mig\": {\"1g.10gb\": 7, \"3g.40gb\": 2}, \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p/mig",
     {"one kind of slice", "a pool of their own"}},
    {POOL("{\"nodes\": 4, \"gpus_per_node\": 8, \"mig\": {\"2g.20gb\": 4}, \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p/mig/2g.20gb",
     {"4 given; a GPU has 7 compute slices", "at most 3 of"}},
    {POOL("{\"nodes\": 4, \"gpus_per_node\": 8, \"mig\": {\"1g.10gb\": 6.5}, \"plan\": {\"type\": \"owned\"}}"),
     "/pools/p/mig/1g.10gb",
     {"6.5 given; a whole number from 1 to 64"}},
    {FAKE(", \"throughput\": \"jobs.csv\""), "/workload/w", {"\"reference_gpu\" is missing"}},
    {"{\"rackrate\": 1, \"workload\": {\"w\": {\"trace\": \"jobs.csv\", \"reference_gpu\": \"v100\"}}, \"throughput\": "
     "\"jobs.csv\", " FAKE_POOL "}",
     "/throughput",
     {"jobs.csv", "no column \"class\""}},
    {FAKE(", \"scheduler\": {\"spread_slowdown\": {\"switch\": 0.9}}"), "/scheduler/spread_slowdown/switch", {"0.9 given; at least 1"}},
    {FAKE(", \"scheduler\": {\"spread_slowdown\": {\"racks\": 2}}"), "/scheduler/spread_slowdown/racks", {"did you mean \"rack\"?"}},
    {FAKE(", \"scheduler\": {\"spread_slowdown\": 2}"), "/scheduler/spread_slowdown", {"2 given"}},
    {PLAN("\"owned\""), "/pools/p/plan", {"\"owned\" given; an object is expected, such as {\"type\": \"on_demand\"}"}},
    {PLAN("{}"), "/pools/p/plan", {"\"type\" is missing"}},
    {PLAN("{\"type\": 3}"), "/pools/p/plan/type", {"3 is no plan of a pool; known: on_demand, owned, spot, unpriced"}},
    {PLAN("{\"type\": \"dedicated\"}"), "/pools/p/plan/type", {"\"dedicated\" is not built yet"}},
    {PLAN("{\"type\": \"on_demnad\"}"), "/pools/p/plan/type", {"\"on_demnad\" is no plan of a pool, did you mean \"on_demand\"?"}},
    {PLAN("{\"type\": \"reserved\"}"), "/pools/p/plan/type", {"\"reserved\" is no plan of a pool; put it into \"commitments\""}},
    {PLAN("{\"type\": \"on_demand\", \"rate\": \"$5\"}"), "/pools/p/plan/rate", {"$5"}},
    {PLAN("{\"type\": \"on_demand\", \"rat\": \"$5/h\"}"), "/pools/p/plan/rat", {"did you mean \"rate\"?"}},
    {PLAN("{\"type\": \"unpriced\", \"rate\": \"$5/h\"}"), "/pools/p/plan/rate", {"unknown key"}},
    {FAKE(", \"pool_order\": \"own\""), "/pool_order", {"a list of pools"}},
    {FAKE(", \"pool_order\": [\"onw\"]"), "/pool_order", {"\"onw\" is no pool, did you mean \"own\"?"}},
    {FAKE(", \"pool_order\": [\"own\", \"own\"]"), "/pool_order", {"stands twice"}},
    {FAKE(", \"commitments\": []"), "/commitments", {"commitments by name"}},
    {FAKE(", \"commitments\": {\"a\": {\"type\": \"owned\"}}"), "/commitments/a/type", {"no commitment; make it the \"plan\" of a pool"}},
    {FAKE(", \"commitments\": {\"a\": {\"type\": \"dedicated\"}}"), "/commitments/a/type", {"\"dedicated\" is not built yet"}},
    {FAKE(", \"commitments\": {\"a\": {\"type\": \"reserved\"}}"), "/commitments/a", {"\"count\" is missing"}},

    {FAKE(", \"scheduler\": {\"policy\": \"fifoo\"}"), "/scheduler/policy", {"no scheduling policy, did you mean \"fifo\"?"}},
    {FAKE(", \"scheduler\": {\"policy\": 3}"), "/scheduler/policy", {"a text in double quotes"}},
    {FAKE(", \"scheduler\": {\"placement\": \"zzz\"}"), "/scheduler/placement", {"\"zzz\" is no placement; known: pack, spread"}},
    {FAKE(", \"scheduler\": {\"depth\": 3}"), "/scheduler/depth", {"unknown key \"depth\""}}, // of another policy
    {FAKE(", \"scheduler\": {\"policy\": \"easy_backfill\", \"depth\": 0}"), "/scheduler/depth", {"0 given; at least 1"}},
    {FAKE(", \"scheduler\": {\"order\": \"short\"}"), "/scheduler/order", {"arrival or shortest is expected"}},
    {FAKE(", \"scheduler\": {\"estimate\": 2}"), "/scheduler/estimate", {"2 given; \"user\", \"exact\", {\"factor\": 2}"}},
    {FAKE(", \"scheduler\": {\"estimate\": {\"factor\": 0}}"), "/scheduler/estimate", {"0 given; a factor above 0"}},
    {FAKE(", \"scheduler\": []"), "/scheduler", {"a list given; an object"}},

    {FAKE(", \"service\": []"), "/service", {"limits by metric"}},
    {FAKE(", \"service\": {\"wait.p59\": \"<= 4 h\"}"), "/service/wait.p59", {"\"wait.p59\" is no metric, did you mean \"wait.p"}},
    {FAKE(", \"service\": {\"wait.p95\": \"4 h\"}"), "/service/wait.p95", {"\"4 h\" given; a limit is expected, such as \"<= 4 h\""}},
    {FAKE(", \"service\": {\"wait.p95\": \"<= 4\"}"), "/service/wait.p95", {"a limit on wait.p95 is written such as \"4 h\""}},
    {FAKE(", \"service\": {\"work.finished_share\": \">= lots\"}"), "/service/work.finished_share", {"such as 0.99"}},
    {FAKE(", \"finance\": {\"pue\": 0.9}"), "/finance/pue", {"0.9 given; at least 1"}},
    {FAKE(", \"finance\": {\"discount_rate\": 8}"), "/finance/discount_rate", {"8 given; at most 1"}},
    {FAKE(", \"finance\": {\"electricity\": \"$0.08/h\"}"), "/finance/electricity", {"per kWh, such as \"$0.08/kWh\""}},
    {FAKE(", \"finance\": {\"electricity\": \"0.08/kWh\"}"), "/finance/electricity", {"0.08/kWh"}},
    {FAKE(", \"finance\": {\"tax\": {}}"), "/finance/tax", {"\"rate\" is missing"}},
    {FAKE(", \"finance\": {\"fiscal_year_start\": \"04-15\"}"), "/finance/fiscal_year_start", {"the first day of a month"}},
    {FAKE(", \"gates\": []"), "/gates", {"gates by name"}},
    {FAKE(", \"gates\": {\"g\": {\"max\": 3}}"), "/gates/g", {"\"metric\" is missing"}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"makespan\"}}"), "/gates/g", {"no limit; give \"max\" or \"min\", such as \"max\": \"4 h\""}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"makspan\", \"max\": \"1 h\"}}"), "/gates/g/metric", {"did you mean \"makespan\"?"}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"cost.total\", \"max\": 1200000}}"), "/gates/g/max", {"1200000 has no unit", "\"$1.2M\""}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"cost.total\", \"max\": \"EUR 5\"}}"), "/gates/g/max", {"no rate for EUR in /fx"}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"makespan\", \"max\": \"1 h\", \"stat\": \"p9\"}}"),
     "/gates/g/stat",
     {"did you mean \"p90\"?"}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"makespan\", \"max\": \"1 h\", \"alternative\": \"bas\"}}"),
     "/gates/g/alternative",
     {"there is no alternative \"bas\", did you mean \"base\"?"}},
    {FAKE(", \"gates\": {\"g\": {\"metric\": \"makespan\", \"max\": \"1 h\", \"waived\": \"\"}}"), "/gates/g", {"\"waived\" says why"}},

    {FAKE(", \"alternatives\": []"), "/alternatives", {"patches by name"}},
    {FAKE(", \"alternatives\": {\"a\": null}"), "/alternatives/a", {"null given; an object"}},
    {FAKE(", \"alternatives\": {\"a\": {\"horizon\": \"3 d\"}}"),
     "/alternatives/a/horizon",
     {"the same for all alternatives; put it at the top"}},
    {FAKE(", \"alternatives\": {\"a\": {\"sweep\": {}}}"), "/alternatives/a/sweep", {"the same for all alternatives"}},
    {FAKE(", \"alternatives\": {\"a\": {\"pools\": {\"own\": {\"nodes\": -3}}}}"),
     "/pools/own/nodes",
     {"-3 given", "(in alternative \"a\")"}},
    {FAKE(", \"alternatives\": {\"a\": {\"pools\": null}}"), "/pools", {"no pool", "(in alternative \"a\")"}},
    {FAKE(", \"alternatives\": {\"a\": {\"pools\": {\"own\": {\"plan\": {\"type\": \"on_demand\", \"rat\": 1}}}}}"),
     "/pools/own/plan/rat",
     {"unknown key \"rat\"; did you mean \"rate\"? (in alternative \"a\")"}},
    {"{\"rackrate\": 1, " FAKE_WORK
     ", \"pools\": {\"p\": {\"gpus_per_node\": 1, \"nodes\": 1, \"plan\": {\"type\": \"on_demand\", \"rate\": "
     "\"$5/h\"}}}, \"alternatives\": {\"a\": {\"pools\": {\"p\": {\"plan\": {\"type\": \"owned\"}}}}}}",
     "/pools/p/plan/rate",
     {"unknown key \"rate\"", "(in alternative \"a\"; a patch keeps what it does not name: set to null what must go)"}},
    {FAKE("}"), "", {"this } closes nothing"}},
    {FAKE(", \"sweep\": []"), "/sweep", {"values by pointer"}},
    {FAKE(", \"sweep\": {\"pools/own/nodes\": [1]}"), "/sweep/pools~1own~1nodes", {"a JSON pointer is expected"}},
    {FAKE(", \"sweep\": {\"/pools/own/nodes\": 4}"), "/sweep/~1pools~1own~1nodes", {"a list of values"}},
    {FAKE(", \"sweep\": {\"/pools/own/nodes\": []}"), "/sweep/~1pools~1own~1nodes", {"a list of values"}},
    {FAKE(", \"sweep\": {\"/pools/own/nodes\": [4, 4]}"), "/sweep/~1pools~1own~1nodes", {"4 stands twice"}},
    {FAKE(", \"sweep\": {\"/pools/onw/nodes\": [4]}"), "/pools/onw/nodes", {"there is no \"onw\"; did you mean \"own\"?"}},
    {FAKE(", \"sweep\": {\"/seed\": [4]}"), "/sweep/~1seed", {"the same for the whole study"}},
    {FAKE(", \"sweep\": {\"/pools/own/nodes\": [4, -1]}, \"horizon\": \"1 d\""),
     "/pools/own/nodes",
     {"-1 given", "(in alternative \"base[/pools/own/nodes=-1]\")"}},
    {FAKE(", \"sweep\": {\"/pools/own/nodes/max\": [4]}"), "/sweep", {"neither an object nor an array"}},
};

static bool is_clear(size_t i, const char *line)
{
    const char *at = line;
    if (strncmp(line, fake_path, strlen(fake_path)) != 0 || strspn(line + strlen(fake_path), ":0123456789") < 5) return false;
    if (!strstr(line, cases[i].pointer)) return false;
    for (size_t k = 0; k < 3 && cases[i].part[k]; k++) {
        at = strstr(at, cases[i].part[k]);
        if (!at) return false;
    }
    return true;
}

static void every_mistake_is_one_clear_line(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rr_scenario_set *s = NULL;
        const enum rr_status st = fake_load(cases[i].text, NULL, &s);
        if (st == RR_EINPUT && is_clear(i, rr_reason())) continue;
        wrong++;
        print_error("%s\n  gave %d: %s\n", cases[i].text, (int)st, st == RR_OK ? "taken" : rr_reason());
        rr_scenario_set_free(s);
    }
    assert_int_equal(wrong, 0);
}

static void place_is_that_of_the_value(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    assert_int_equal(fake_load("{ \"rackrate\": 1, // one\n  " FAKE_WORK ",\n  " FAKE_POOL
                               ",\n  \"alternatives\": {\n    \"a\": { \"pools\": { "
                               "\"own\": { \"nodes\": -3 } } } } }",
                               NULL, &s),
                     RR_EINPUT);
    char want[200];
    snprintf(want, sizeof want, "%s:5:41: /pools/own/nodes: -3 given", fake_path);
    if (strncmp(rr_reason(), want, strlen(want)) != 0) fail_msg("%s", rr_reason());
}

static void what_is_wrong_without_a_patch_names_no_alternative(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    assert_int_equal(fake_load(FAKE(", \"warmup\": 5, \"alternatives\": {\"a\": {}, \"b\": {}}"), NULL, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "/warmup: 5 has no unit"));
    assert_null(strstr(rr_reason(), "in alternative"));
}

static void refused_set(const char *set, enum rr_status status, const char *reason)
{
    const char *const list[] = {set};
    const struct rr_scenario_options opt = {.set = list, .n_set = 1, .seed = -1, .reps = -1};
    struct rr_scenario_set *s = NULL;
    assert_int_equal(fake_load(FAKE(", \"horizon\": \"9 d\", \"sweep\": {\"/finance/pue\": [1, 2]}"), &opt, &s), status);
    if (!strstr(rr_reason(), reason)) fail_msg("%s: \"%s\" has no \"%s\"", set, rr_reason(), reason);
}

static void a_wrong_set_is_refused(void **state)
{
    (void)state;
    refused_set("/pools/own/nodes", RR_EUSAGE, "POINTER=VALUE is expected");
    refused_set("pools/own/nodes=4", RR_EUSAGE, "POINTER=VALUE is expected");
    refused_set("/pools/onw/nodes=4", RR_EINPUT, "--set: /pools/onw/nodes: there is no \"onw\"; did you mean \"own\"?");
    refused_set("/pools/own/nodes/max=4", RR_EINPUT, "neither an object nor an array");
    refused_set("/pools/own/nodes={\"max\": ", RR_EINPUT, "--set /pools/own/nodes:1:");
    refused_set("/pools/own/nodes=-4", RR_EINPUT, "--set /pools/own/nodes:1:1: /pools/own/nodes: -4 given");
    refused_set("/pools/own/boot=5 m", RR_EINPUT, "min");
    refused_set("/pools/own/bot=5 min", RR_EINPUT, "did you mean \"boot\"?");
    refused_set("/finance/pue=1.2", RR_EINPUT, "it is swept and given by --set as well");
    refused_set("/gates/g/max=3", RR_EINPUT, "--set: /gates/g/max: there is no \"gates\"");
    refused_set("/horizon=null", RR_EINPUT, "\"horizon\" is missing");
}

static void values_and_options_are_checked(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    const char *const list[] = {fake_file("v.json", "[1]")};
    struct rr_scenario_options opt = {.values = list, .n_values = 1, .seed = -1, .reps = -1};
    char text[] = FAKE("");
    char path[160];
    strcpy(path, list[0]);
    const char *const kept[] = {path};
    opt.values = kept;
    assert_int_equal(fake_load(text, &opt, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "v.json:1:1: --values takes a file with an object"));
    fake_file("v.json", "{\"pools\": {\"own\": {\"nodes\": -2}}}");
    assert_int_equal(fake_load(text, &opt, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "v.json:1:29: /pools/own/nodes: -2 given"));
    opt = (struct rr_scenario_options){.seed = -1, .reps = 0};
    assert_int_equal(fake_load(text, &opt, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "--reps:1:1: /replications: 0 given; at least 1"));
    assert_int_equal(rr_scenario_load("/nowhere/s.json", NULL, &fake_registry, &fake_catalog, &s), RR_EIO);
    assert_int_equal(rr_scenario_load(fake_dir, NULL, &fake_registry, &fake_catalog, &s), RR_EIO);
}

static void too_many_points_are_refused(void **state)
{
    (void)state;
    char text[6000] = "{\"rackrate\": 1, " FAKE_WORK ", " FAKE_POOL ", \"horizon\": \"9 d\", \"sweep\": {\"/pools/own/nodes\": [0";
    for (int i = 1; i < 100; i++) sprintf(text + strlen(text), ",%d", i);
    strcat(text, "], \"/finance/pue\": [1");
    for (int i = 1; i < 100; i++) sprintf(text + strlen(text), ",1.%02d", i);
    strcat(text, "]}}");
    struct rr_scenario_set *s = NULL;
    assert_int_equal(fake_load(text, NULL, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "more than 4096 points"));
}

static void paths_are_not_looked_at_when_told(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    const struct rr_scenario_options opt = {.seed = -1, .reps = -1, .any_path = true};
    assert_int_equal(
        fake_load("{\"rackrate\": 1, \"workload\": {\"w\": {\"trace\": \"/nowhere\"}}, \"pools\": {\"p\": {\"nodes\": {\"file\": "
                  "\"/nowhere\"}, \"plan\": {\"type\": \"unpriced\"}}}}",
                  &opt, &s),
        RR_OK);
    rr_scenario_set_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_one_clear_line),
        cmocka_unit_test(place_is_that_of_the_value),
        cmocka_unit_test(what_is_wrong_without_a_patch_names_no_alternative),
        cmocka_unit_test(a_wrong_set_is_refused),
        cmocka_unit_test(values_and_options_are_checked),
        cmocka_unit_test(too_many_points_are_refused),
        cmocka_unit_test(paths_are_not_looked_at_when_told),
    };
    return cmocka_run_group_tests(tests, setup, fake_teardown);
}
