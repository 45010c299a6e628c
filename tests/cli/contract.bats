#!/usr/bin/env bats
# tests/cli/contract.bats - a scenario with every section of the contract: the schema takes it, the reader refuses by name what is not built.
load helper

contract() {
    cat <<'JSON'
{ "rackrate": 1, "name": "buy-vs-rent", "start": "2026-01-01", "horizon": "3 years", "currency": "USD",
  "fx": { "EUR": { "rate": 1.08, "date": "2026-01-02", "source": "ECB" } },
  "seed": 1, "replications": 100, "warmup": "0 s", "baseline": "rent",
  "workload": { "prod": { "trace": "jobs.csv", "format": "auto", "where": "gpus >= 1", "load_scale": 1.0, "time_scale": 1.0,
                          "repeat": true, "grow": "jobs", "growth_per_year": 0.3, "reference_gpu": "a100-80gb-sxm" },
                "synth": { "generate": { "count": 100, "arrival": { "poisson": { "rate": "0.5/s" } },
                                         "duration": { "exponential": { "mean": "2 h" } }, "gpus": { "choice": { "1": 0.6, "8": 0.4 } } } },
                "llm": { "training": { "model": "llama-3-70b", "tokens": "10B", "gpu": "h100-80gb-sxm", "gpus": 64 } }, "chat": { "serving": {} } },
  "classes": { "pretrain": { "where": "gpus >= 64", "interruptible": true, "checkpoint": {}, "pools": ["own"] } },
  "prices": ["p.csv"], "profiles": ["p.json"],
  "pools": { "own":   { "hardware": "hgx-h100-8", "nodes": { "value": 8, "source": "the rack", "owner": "ops", "as_of": "2026-01" },
                        "plan": { "type": "owned" } },
             "burst": { "instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": { "min": 0, "max": 32 },
                        "boot": "5 min", "idle_timeout": "10 min", "plan": { "type": "on_demand" } },
             "cheap": { "instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": { "max": 16 }, "plan": { "type": "spot" } } },
  "commitments": { "ri": { "type": "reserved", "instance": "aws/p5.48xlarge", "region": "us-east-1", "count": 4,
                           "term": "1 year", "payment": "all_upfront" },
                   "sp": { "type": "savings_plan", "commit": "$100/h", "term": "3 years" } },
  "scheduler": { "policy": "easy_backfill", "placement": "pack", "estimate": "user", "order": "arrival" },
  "autoscale": { "policy": "utilization", "low": 0.30, "high": 0.80, "window": "10 min", "cooldown": "5 min" },
  "checkpoint": { "interval": "young_daly", "write": "60 s", "restore": "2 min" },
  "failures": { "node_mtbf": "6000 h", "repair": {}, "detect": "10 min" },
  "service": { "wait.p95": "<= 4 h" }, "existing": "existing.csv",
  "finance": { "discount_rate": 0.08, "tax": { "rate": 0.21 }, "electricity": "$0.08/kWh", "pue": 1.3, "fiscal_year_start": "01-01" },
  "uncertainty": { "power price": { "path": "/finance/electricity", "triangular": ["$0.06/kWh", "$0.08/kWh", "$0.14/kWh"] } },
  "alternatives": { "buy": {}, "rent": {}, "nothing": {} },
  "sweep": { "/pools/own/nodes": [2, 4, 8, 16] },
  "gates": { "budget": { "alternative": "buy", "metric": "cost.total", "stat": "p90", "max": "$1.2M" } } }
JSON
}

@test "the schema takes every section of the contract" {
    python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is missing"
    contract >s.json
    python3 - "$ROOT/data/schema/scenario.schema.json" s.json <<'PY'
import json, sys, jsonschema
schema, scenario = (json.load(open(p)) for p in sys.argv[1:])
jsonschema.validate(scenario, schema, cls=jsonschema.Draft202012Validator)
for change in ("/name", 3), ("/pools/own/nodes", -1), ("/pools/own/plan/type", "ownde"), ("/finance/pue", 0.5), ("/hroizon", "1 d"), \
              ("/workload/synth/generate/duration", 5), ("/scheduler/policy", "fifoo"), ("/commitments/ri/count", "four"):
    wrong, (pointer, value) = json.loads(json.dumps(scenario)), change
    at, keys = wrong, pointer.split("/")[1:]
    for key in keys[:-1]: at = at[key]
    at[keys[-1]] = value
    if not list(jsonschema.Draft202012Validator(schema).iter_errors(wrong)): sys.exit(f"the schema takes {pointer} = {value}")
PY
}

# Taking out what is named as not built, refusal by refusal, leaves a scenario that is right: nothing is refused for another reason.
@test "what is not built yet is refused by name, exit 3" {
    contract >s.json
    echo 'job_id,submit_s,duration_s,gpus' >jobs.csv
    echo 'a,0,10,1' >>jobs.csv
    echo 'provider,instance,unit,currency,price,valid_from,source' >p.csv
    echo 'aws,p5.48xlarge,instance-hour,USD,57.125,2026-01-01,quote 5' >>p.csv
    cp "$ROOT/data/profiles/h100-node.json" p.json
    printf '%s\n' 'kind,name,date,cost,currency,life' 'server,old,2024-05-01,12345.67,USD,4 years' >existing.csv
    refused=()
    while ! "$RR" check s.json >/dev/null 2>err; do
        run "$RR" check s.json
        [ "$status" -eq 3 ]
        pointer=$(sed -nE 's/^rackrate: s\.json:[0-9]+:[0-9]+: (\/[^ ]*): "[a-z_]*" is not built yet in rackrate .*/\1/p' err)
        [ -n "$pointer" ] || { cat err; false; }
        refused+=("$pointer")
        jq --arg p "$pointer" 'delpaths([$p | split("/")[1:] | if .[0] == "commitments" or .[2] == "plan" or .[2] == "training" or .[2] == "serving"
            then .[:2] else . end])' s.json >next.json
        mv next.json s.json
    done
    [ "${#refused[@]}" -ge 3 ]
}
