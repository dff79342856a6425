#!/usr/bin/env bash
# Carom as part of another project: subproject.sh COMPILER. Only the core is built, optimised, with the options
# of Carom's own; nothing is installed but what the other project installs, unless it asks for it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cc=$1

mkdir "$tmp/project"
cp "$here/consumer.c" "$tmp/project/"
cat >"$tmp/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(outer LANGUAGES C)
add_subdirectory("$root" carom)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE carom::carom)
install(TARGETS consumer)
END
cmake -S "$tmp/project" -B "$tmp/build" -G Ninja -D CMAKE_C_COMPILER="$cc" >/dev/null
flags=$(grep -A8 'carom.dir/src/base/poly.c.o:' "$tmp/build/build.ninja")
[[ "$flags" == *"-O3 -DNDEBUG"* ]] || fail "not optimised: $flags"
cmake -D CMAKE_C_FLAGS_RELEASE= "$tmp/build" >/dev/null # which takes longer; the rest does not depend on it
cmake --build "$tmp/build" -- --quiet
"$tmp/build/consumer"

libraries=$(find "$tmp/build" -name '*.a' -printf '%f ' -o -name 'carom' -type f -printf '%f ')
[ "$libraries" = "libcarom.a " ] || fail "built: $libraries"
flags=$(grep -A8 'consumer.dir/consumer.c.o:' "$tmp/build/build.ninja")
[[ "$flags" != *-Wconversion* ]] || fail "flags of Carom leak out: $flags"

cmake --install "$tmp/build" --prefix "$tmp/usr" >/dev/null
installed=$(cd "$tmp/usr" && find . -type f | sort | xargs)
[ "$installed" = "./bin/consumer" ] || fail "installed: $installed"
cmake -D CAROM_INSTALL=ON "$tmp/build" >/dev/null
cmake --build "$tmp/build" -- --quiet
cmake --install "$tmp/build" --prefix "$tmp/usr" >/dev/null
[ -e "$tmp/usr/include/carom/carom.h" ] || fail "CAROM_INSTALL=ON installs no header"

# And back: uninstalling leaves nothing of Carom.
cmake -D MANIFEST="$tmp/build/install_manifest.txt" -P "$root/cmake/uninstall.cmake" >/dev/null
left=$(cd "$tmp/usr" && find . -type f | xargs)
[ -z "$left" ] || fail "left behind: $left"
[ ! -e "$tmp/usr/include/carom" ] || fail "an empty folder is left behind"
echo "subproject: ok"
