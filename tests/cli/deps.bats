#!/usr/bin/env bats
# tests/cli/deps.bats - .ci/deps: what is missing is installed, or named in one command with exit 5.
load helper

# A system where nothing is installed, whose apt-get only tells what it was asked; in a folder that anybody may read.
bare() {
    bare=$(mktemp -d)
    cd "$bare"
    cp "$ROOT/.ci/deps" deps
    mkdir -p bin
    printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
    printf '#!/bin/sh\necho "apt-get $*" >>"%s/asked"\n' "$PWD" >bin/apt-get
    printf '#!/bin/sh\ncase $1 in depends) echo "  Depends: clang-14" ;; esac\n' >bin/apt-cache
    printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
    chmod +x bin/*
    touch asked
    chmod 777 . asked
    chmod 755 bin
    export PATH="$PWD/bin:$PATH"
}
teardown() { [ -z "${bare:-}" ] || rm -rf "$bare"; }
as_nobody() { # without a terminal on stdin
    unset DEPS
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups "$@" </dev/null; else "$@" </dev/null; fi
}

@test "nothing missing: silence" { works sh "$ROOT/.ci/deps" build; }
@test "a plain user in a pipeline gets the one command and exit 5" {
    bare
    fails 5 'sudo apt-get install .*make .*gnuplot-nox' as_nobody sh deps
    [ ! -s asked ]
}
@test "DEPS=1 installs through sudo, with clang's own library" {
    bare
    run as_nobody env DEPS=1 sh deps check
    [ "$status" -eq 0 ]
    grep -q 'install .*bats.* clang .*libclang-rt-14-dev' asked
}
@test "DEPS=0 does not look" {
    bare
    works as_nobody env DEPS=0 sh deps lint
}
@test "a word that is no list" {
    run sh "$ROOT/.ci/deps" everything
    [ "$status" -eq 2 ]
}
