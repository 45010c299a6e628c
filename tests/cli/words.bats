#!/usr/bin/env bats
# tests/cli/words.bats - help, words that are wrong, exit codes, completion: what needs no scenario.
load helper

@test "help lists the commands" {
    works "$RR" help
    golden help.txt
}
@test "--help and -h are help" {
    works "$RR" --help
    golden help.txt
    works "$RR" -h
    golden help.txt
}
@test "every command has help that opens with examples" {
    for c in $("$RR" list commands --json | jq -r '.commands[].name'); do
        works "$RR" "$c" --help
        [ "${lines[0]}" = "Examples:" ]
        works "$RR" help "$c"
        [ "${lines[0]}" = "Examples:" ]
    done
}
@test "run's help" {
    works "$RR" run --help
    golden help-run.txt
}
@test "version" {
    works "$RR" version
    [[ $output =~ ^rackrate\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    works "$RR" --version
    works "$RR" version --json
    jq -e '.schema == "rackrate.version/1"' <<<"$output"
}
@test "no command is bad usage" {
    run --separate-stderr "$RR"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
}
@test "an unknown command gets the nearest" { fails 2 'unknown command "rum", did you mean "run"\?' "$RR" rum; }
@test "a command of a later version is refused by name" {
    later=$(sed -nE 's/^static const char \*const later\[\] = \{(.*)\};/\1/p' "$ROOT/sim/cli/main.c" | tr -d '",')
    for c in $later; do
        fails 3 "\"$c\" is not built yet in rackrate" "$RR" "$c" x
    done
}
@test "an unknown option gets the nearest" { fails 2 'unknown option "--sead", did you mean "--seed"\?' "$RR" run x.json --sead 3; }
@test "an option without its value" { fails 2 '--seed needs a value' "$RR" run x.json --seed; }
@test "a switch with a value" { fails 2 '--json takes no value' "$RR" version --json=yes; }
@test "an option given twice with two values" { fails 2 '--seed is given twice, as "1" and "2"' "$RR" run x.json --seed 1 --seed=2; }
@test "options before the command" { fails 2 'a command comes first' "$RR" --json list gpus; }
@test "an operand too many, one too few" {
    fails 2 '"b" is one word too many' "$RR" list gpus b
    fails 2 'something is missing: rackrate run SCENARIO' "$RR" run
}
@test "numbers of options are checked" {
    fails 2 '--seed wants a whole number' "$RR" run x.json --seed 1.5
    fails 2 '--reps wants a whole number of at least 1' "$RR" run x.json --reps 0
    fails 2 '--threads wants a whole number of at least 1' "$RR" run x.json -j 0
}
@test "-- ends the options, letters may be joined" {
    fails 4 '--seed: ' "$RR" run -- --seed
    fails 2 '--threads wants a whole number of at least 1, not "0"' "$RR" run x.json -qj0
}
@test "list: every thing, as a table and as JSON" {
    for t in plans policies placements autoscalers formats fleets pricelists series gpus hardware instances prices metrics sections commands scenarios; do
        works "$RR" list $t
        [ "${#lines[@]}" -gt 1 ]
        works "$RR" list $t --json
        jq -e --arg t $t '.schema == "rackrate.list/1" and (.[$t] | length) > 0' <<<"$output"
    done
    fails 2 'cannot list "gups", did you mean "gpus"' "$RR" list gups
}
@test "list prices: each with a source and a date" {
    works "$RR" list prices --json
    jq -e '[.prices[] | select((.source | length) == 0 or (.date | length) == 0)] | length == 0' <<<"$output"
}
@test "explain" {
    works "$RR" explain wait.p95
    [ "$output" = "wait.p95 (s): 95 % of started jobs waited at most this" ]
    works "$RR" explain cost.total wait.p95 --json
    jq -e '.metrics | length == 2' <<<"$output"
    fails 2 'unknown metric "cost.totl", did you mean "cost.total"' "$RR" explain cost.totl
}
@test "completion for bash, zsh and fish knows every command and option" {
    for s in bash zsh fish; do
        works "$RR" completion $s
        for w in $("$RR" list commands --json | jq -r '.commands[].name') threads format print; do grep -q -- "$w" <<<"$output"; done
    done
    bash -n <("$RR" completion bash)
    fails 2 'no completion for "csh"' "$RR" completion csh
}
@test "bash completes a command and an option" {
    source <("$RR" completion bash)
    COMP_WORDS=(rackrate ex) COMP_CWORD=1
    _rackrate
    [ "${COMPREPLY[*]}" = explain ]
    COMP_WORDS=(rackrate run --se) COMP_CWORD=2
    _rackrate
    [ "${COMPREPLY[*]}" = "--set --seed" ]
}
@test "the man page names every command and option" {
    man=$(sed -E 's/^\.It (Nm Cm|Fl|Ev) //; s/\\-/-/g' "$ROOT/sim/cli/rackrate.1")
    for c in $("$RR" list commands --json | jq -r '.commands[].name'); do
        grep -qE "^$c\b" <<<"$man" || { echo "no $c"; return 1; }
        for o in $("$RR" help "$c" | sed -nE 's/^ +(-.|  )?,? *--([a-z]+).*/\2/p'); do
            [ "$o" = help ] || grep -qE -- "-$o\b" <<<"$man" || { echo "no --$o"; return 1; }
        done
    done
}
@test "a full disk or a closed pipe on stdout is exit 4" {
    for c in "list metrics" version help "init x" "completion bash"; do
        run --separate-stderr bash -c "'$RR' $c >/dev/full"
        [ "$status" -eq 4 ]
        [[ $stderr == "rackrate: standard output: No space left on device" ]]
    done
    run --separate-stderr bash -c "'$RR' version >&-"
    [ "$status" -eq 4 ]
}
@test "init: a scenario that passes its own check; never over a file" {
    works "$RR" init
    run --separate-stderr "$RR" init "a \"b\"" -o s.json
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run --separate-stderr "$RR" check s.json
    [ "$status" -eq 0 ]
    ! grep -v 'warning: .*no staff is counted' <<<"$stderr" # which only the user can know
    fails 4 's.json: is already there' "$RR" init -o s.json
    fails 4 'no/s.json: No such file' "$RR" init -o no/s.json
}
@test "the sample trace is what its generator makes" {
    awk -f "$ROOT/data/traces/demo-4weeks.awk" | cmp - "$ROOT/data/traces/demo-4weeks.csv"
    awk -f "$ROOT/data/traces/office-week.awk" | cmp - "$ROOT/data/traces/office-week.csv"
    awk -f "$ROOT/data/traces/spot-cny.awk" | cmp - "$ROOT/data/traces/spot-cny.csv"
}
@test "list keys tells every key of a scenario with its default" {
    works "$RR" list keys
    for k in /horizon /workload/NAME/max_rejected /pools/NAME/idle_timeout /scheduler/policy /fx/NAME/rate /gates/NAME/stat; do
        grep -q "^$k " <<<"$output" || { echo "no $k"; return 1; }
    done
}
@test "list without a word names the things" { fails 2 'list what\? one of plans, policies' "$RR" list; }
