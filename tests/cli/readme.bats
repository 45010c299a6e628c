#!/usr/bin/env bats
# tests/cli/readme.bats - the README's commands print what the README says (tests/cli/console.awk).
load helper

@test "the console blocks of README.md" {
    cd "$ROOT"
    export OUT="$BATS_TEST_TMPDIR/out"
    awk -f tests/cli/console.awk README.md >"$BATS_TEST_TMPDIR/README.md"
    if [ "${RACKRATE_GOLDEN:-}" = update ]; then
        cp "$BATS_TEST_TMPDIR/README.md" README.md
    else
        diff README.md "$BATS_TEST_TMPDIR/README.md"
    fi
}
@test "README.md names both commands" {
    grep -q 'make demo' "$ROOT/README.md"
    grep -q 'make check' "$ROOT/README.md"
}
