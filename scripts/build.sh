#!/usr/bin/env bash
# Configure a preset where that is needed and build it: scripts/build.sh PRESET [TARGET]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
target=${2:-all}
directory=build
[ "$preset" = release ] || directory=build/$preset

# CMake itself watches its own files, but not the presets.
if [ ! "$directory/build.ninja" -nt CMakePresets.json ]; then
    cmake --preset "$preset" --log-level=WARNING >/dev/null
fi
cmake --build "$directory" --target "$target" -- --quiet |
    { grep -vE "^(-- |ninja: no work)" || true; }
