#!/usr/bin/env bash
# Build and install shared libraries, use them, and look at what they export: shared.sh COMPILER
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cc=$1

cmake -S "$root" -B "$tmp/build" -G Ninja -D CMAKE_C_COMPILER="$cc" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O0 \
    -D BUILD_SHARED_LIBS=ON -D CAROM_TESTS=OFF -D CAROM_WERROR=ON >/dev/null
cmake --build "$tmp/build" -- --quiet
cmake --install "$tmp/build" --prefix "$tmp/usr" >/dev/null
lib=$(dirname "$(find "$tmp/usr" -name libcarom.so)")
"$tmp/usr/bin/carom" --version

export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
for pair in consumer=carom soft=carom-soft scene=carom-scene plot=carom-plot; do
    name=${pair%=*}
    "$cc" -std=c17 "$here/$name.c" $(pkg-config --cflags --libs "${pair#*=}") -lm -o "$tmp/$name"
    "$tmp/$name"
done

# Exactly what the headers call CAROM_API is seen from outside.
exported=$(nm -D --defined-only "$lib"/libcarom{,-soft,-scene,-plot}.so |
    awk 'NF == 3 { print $3 }' | sort -u)
declared=$(cat "$tmp"/usr/include/carom/*.h | tr '\n' ' ' | grep -oE 'CAROM_API [^(;]*\((\*carom_\w+)?' |
    grep -oE 'carom_\w+' | sort -u)
if ! diff <(echo "$declared") <(echo "$exported"); then
    echo "shared: < declared but not exported, > exported but not declared" >&2
    exit 1
fi
echo "shared: $(wc -l <<<"$exported") functions exported"
