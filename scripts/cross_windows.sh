#!/usr/bin/env bash
# Build for Windows with mingw-w64: scripts/cross_windows.sh [FOLDER]. The core always; the command, without
# soft objects and pictures, if there is a source of jansson in build/jansson (Debian has no jansson for
# Windows). Runs what it built if wine is here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/windows}
toolchain=$PWD/cmake/mingw-w64.cmake
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
options=(-G Ninja -D CMAKE_TOOLCHAIN_FILE="$toolchain" -D CMAKE_BUILD_TYPE="${CROSS_TYPE:-Release}" --log-level=WARNING)

jansson=${JANSSON_SOURCE:-build/jansson}
scene=OFF
if [ -e "$jansson/src/jansson.h" ]; then
    cmake -S "$jansson" -B "$folder/jansson" "${options[@]}" -D JANSSON_EXAMPLES=OFF -D JANSSON_WITHOUT_TESTS=ON \
        -D JANSSON_BUILD_DOCS=OFF -D CMAKE_INSTALL_PREFIX="$folder/prefix" >/dev/null 2>&1
    cmake --build "$folder/jansson" --target install >/dev/null
    scene=ON
fi
cmake -S . -B "$folder/carom" "${options[@]}" -D CAROM_SCENE=$scene -D CAROM_SOFT=OFF -D CAROM_ENSEMBLE=OFF -D CAROM_STUDY=OFF -D CAROM_PLOT=OFF \
    -D CAROM_TESTS=OFF -D CAROM_WERROR=ON -D jansson_INCLUDE_DIR="$folder/prefix/include" \
    -D jansson_LIBRARY="$folder/prefix/lib/libjansson.a" >/dev/null
cmake --build "$folder/carom" -- --quiet

# A program on the core, as a stranger would build it.
x86_64-w64-mingw32-gcc -std=c17 -O1 -I include examples/first_impact.c -L "$folder/carom" -lcarom -o "$folder/first_impact.exe"
if command -v wine >/dev/null; then
    WINEDEBUG=-all wine "$folder/first_impact.exe"
    [ $scene = OFF ] || WINEDEBUG=-all wine "$folder/carom/carom.exe" run pin-ball --quiet
fi
echo "windows: the core$([ $scene = OFF ] || echo " and the command") built$(command -v wine >/dev/null && echo " and run")"
