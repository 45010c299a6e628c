# tests/cli/helper.bash - shared by the bats files: the program, a folder of its own for each test, and what to expect.
bats_require_minimum_version 1.5.0

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RR=${RACKRATE:-$ROOT/build/release/rackrate}
export LC_ALL=C RACKRATE_DATA="$ROOT/data"

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

# works COMMAND...: exit 0, nothing on stderr; $output is its stdout.
works() {
    run --separate-stderr "$@"
    [ "$status" -eq 0 ] || { echo "exit $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "on stderr: $stderr"; return 1; }
}

# fails CODE REGEX COMMAND...: this exit code, and one line on stderr, "rackrate: ...", that matches.
fails() {
    local code=$1 want=$2
    shift 2
    run --separate-stderr "$@"
    [ "$status" -eq "$code" ] || { echo "exit $status, not $code: $stderr"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
    [[ $stderr == "rackrate: "* ]] || { echo "no \"rackrate: \": $stderr"; return 1; }
    [[ $stderr =~ $want ]] || { echo "does not match $want: $stderr"; return 1; }
}

# golden NAME: $output is what tests/cli/golden/NAME holds; RACKRATE_GOLDEN=update writes it.
golden() {
    local file=$ROOT/tests/cli/golden/$1
    if [ "${RACKRATE_GOLDEN:-}" = update ]; then
        printf '%s\n' "$output" >"$file"
    else
        diff "$file" <(printf '%s\n' "$output")
    fi
}

# scenario [JQ_FILTER]: a small scenario on stdout, changed by the filter.
scenario() {
    jq "${1:-.}" <<'JSON'
{
  "rackrate": 1, "name": "small", "start": "2026-01-01", "horizon": "2 days",
  "workload": { "w": { "trace": "jobs.csv" } },
  "pools": { "p": { "gpus_per_node": 8, "nodes": 2, "plan": { "type": "on_demand", "rate": "$23.85/h" } } }
}
JSON
}

# jobs [ROW]...: a small trace.
jobs() {
    echo job_id,submit_s,duration_s,gpus
    [ $# -eq 0 ] && set -- a,0,3671,8 b,17,59,1 c,4000,7213,16
    printf '%s\n' "$@"
}

# A file against a JSON Schema; comments are left out first.
validates() { # SCHEMA FILE
    python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is missing"
    python3 - "$1" "$2" <<'PY'
import json, re, sys, jsonschema
schema = json.load(open(sys.argv[1]))
text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda m: m.group(1) or '', open(sys.argv[2]).read())
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(json.loads(text), schema, cls=jsonschema.Draft202012Validator)
PY
}
