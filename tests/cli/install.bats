#!/usr/bin/env bats
# tests/cli/install.bats - what make install puts down works from there, without the source tree.
load helper

@test "an installed program finds its facts, and brings man page and completions" {
    run make -s -C "$ROOT" install DESTDIR="$PWD/root" PREFIX=/opt/rr
    [ "$status" -eq 0 ]
    unset RACKRATE_DATA
    works root/opt/rr/bin/rackrate check root/opt/rr/share/rackrate/scenarios/buy-vs-rent.json
    works root/opt/rr/bin/rackrate list scenarios
    [[ $output == */opt/rr/*share/rackrate/scenarios/minimal.json* ]]
    for f in man/man1/rackrate.1 bash-completion/completions/rackrate zsh/site-functions/_rackrate \
        fish/vendor_completions.d/rackrate.fish doc/rackrate/LICENSE rackrate/schema/scenario.schema.json rackrate/schema/profile.schema.json; do
        [ -s root/opt/rr/share/$f ]
    done
}
@test "facts that are nowhere are named" {
    cp "$RR" ./rackrate
    unset RACKRATE_DATA
    fails 4 'facts/gpus.csv.*RACKRATE_DATA' ./rackrate list gpus
}
