#!/usr/bin/env bash
# Build the command without soft objects: it needs no CHOLMOD, and says what it lacks.
# without_soft.sh COMPILER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cc=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "without_soft: $*" >&2
    exit 1
}

cmake -S "$root" -B "$tmp/build" -G Ninja -D CMAKE_C_COMPILER="$cc" -D CMAKE_BUILD_TYPE=Debug \
    -D CAROM_SOFT=OFF -D CAROM_TESTS=OFF -D CAROM_WERROR=ON >/dev/null
cmake --build "$tmp/build" -- --quiet

needed=$(readelf -d "$tmp/build/carom" | grep NEEDED || true)
grep -qE 'cholmod|amd|metis|suitesparse' <<<"$needed" && fail "the command needs $needed"
"$tmp/build/carom" run pin-ball --quiet

code=0
said=$("$tmp/build/carom" check "$root/examples/soft-gelatin.json" 2>&1) || code=$?
[ "$code" = 3 ] || fail "a soft scene gives $code, not 3"
[[ "$said" == *'kind: "soft" is not in this build (it was made without CAROM_SOFT)' ]] || fail "$said"
echo "without_soft: ok"
