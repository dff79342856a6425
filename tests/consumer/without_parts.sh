#!/usr/bin/env bash
# Build the command without soft objects, ensembles and fits: it needs no CHOLMOD, SQLite or
# cminpack, and says what it lacks.
# without_parts.sh COMPILER
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cc=$1

cmake -S "$root" -B "$tmp/build" -G Ninja -D CMAKE_C_COMPILER="$cc" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O0 \
    -D CAROM_SOFT=OFF -D CAROM_ENSEMBLE=OFF -D CAROM_STUDY=OFF -D CAROM_TESTS=OFF -D CAROM_WERROR=ON \
    >/dev/null
cmake --build "$tmp/build" -- --quiet
carom=$tmp/build/carom

needed=$(readelf -d "$carom" | grep NEEDED || true)
grep -qE 'cholmod|amd|metis|suitesparse|sqlite|cminpack' <<<"$needed" && fail "the command needs $needed"
"$carom" run pin-ball --quiet --plot "$tmp/pin-ball.svg"
"$carom" examples | grep -qE ' (soft|ensemble|fit) ' && fail "built-in scenes of kinds that it lacks"

# expect CODE TEXT COMMAND...: its exit code and its last line
expect() {
    local wanted=$1 text=$2 code=0 said
    shift 2
    said=$("$@" 2>&1) || code=$?
    [ "$code" = "$wanted" ] || fail "$* gives $code, not $wanted: $said"
    [[ "$said" == *"$text"* ]] || fail "$said"
}
while read -r scene kind part; do
    expect 3 "kind: \"$kind\" is not in this build (it was made without $part)" \
        "$carom" check "$root/examples/$scene.json"
done <<'SCENES'
soft-gelatin soft CAROM_SOFT
ensemble-breaks ensemble CAROM_ENSEMBLE
SCENES
fit=$(basename "$(ls "$root"/examples/*-fit.json | head -1)" .json)
expect 3 'kind: "fit" is not in this build (it was made without CAROM_STUDY)' "$carom" check "$root/examples/$fit.json"
expect 2 "this carom was built without ensembles" "$carom" run pin-ball --store "$tmp/x.db"
echo "without_parts: ok"
