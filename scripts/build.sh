#!/usr/bin/env bash
# Configure a preset where that is needed and build it: scripts/build.sh PRESET [TARGET]
# Progress: every step on a terminal, every tenth of the work elsewhere.
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
if [ -t 1 ]; then
    exec cmake --build "$directory" --target "$target"
fi
NINJA_STATUS='[%p] ' cmake --build "$directory" --target "$target" | awk '
    /^(-- |ninja: no work)/ { next }
    /^\[ *[0-9]+%\]/ {
        tenth = int(substr($0, 2) / 10)
        if (tenth > last) { print "building " directory ": " tenth * 10 "%"; fflush(); last = tenth }
        next
    }
    { print }' directory="$directory"
