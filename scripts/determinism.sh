#!/usr/bin/env bash
# The same bytes from every compiler, at every level, with and without AVX: build the command in
# each way and compare all built-in scenes with tests/golden.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

status=0
while IFS='|' read -r name compiler flags; do
    directory=build/determinism/$name
    cmake -S . -B "$directory" -G Ninja -D CMAKE_C_COMPILER="$compiler" -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_C_FLAGS_RELEASE="$flags -DNDEBUG" -D CAROM_TESTS=OFF --log-level=WARNING >/dev/null
    cmake --build "$directory" --target carom_cli -- --quiet
    echo "== $compiler $flags"
    scripts/golden.py --check --command "$directory/carom" || status=1
done <<'VARIANTS'
gcc-O1|gcc|-O1
gcc-O2|gcc|-O2
gcc-O3|gcc|-O3
gcc-O3-avx|gcc|-O3 -mavx2 -mfma
clang-O1|clang|-O1
clang-O2|clang|-O2
clang-O3|clang|-O3
clang-O3-avx|clang|-O3 -mavx2 -mfma
VARIANTS
exit $status
