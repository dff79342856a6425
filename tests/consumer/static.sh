#!/usr/bin/env bash
# Install a build elsewhere, move it, and use it as a stranger would: static.sh BUILD_DIR COMPILER
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$1
cc=$2

# An installed tree must work from anywhere.
cmake --install "$build" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/usr"
lib=$(find "$tmp/usr" -name libcarom.a)
export PKG_CONFIG_PATH=${lib%/*}/pkgconfig
"$tmp/usr/bin/carom" --version

# By pkg-config.
flags=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
"$cc" "${flags[@]}" "$here/consumer.c" $(pkg-config --cflags --libs carom) -lm -o "$tmp/consumer"
"$tmp/consumer"
for name in soft scene plot; do
    "$cc" "${flags[@]}" "$here/$name.c" $(pkg-config --cflags --libs "carom-$name") -o "$tmp/$name"
    "$tmp/$name"
done

# By find_package.
cmake -S "$here" -B "$tmp/cmake" -G Ninja -D CMAKE_C_COMPILER="$cc" \
    -D CMAKE_PREFIX_PATH="$tmp/usr" >/dev/null
cmake --build "$tmp/cmake" -- --quiet
"$tmp/cmake/consumer"
"$tmp/cmake/soft"
"$tmp/cmake/scene"
"$tmp/cmake/plot"

# The core needs libm and the C library, nothing else.
needed=$(readelf -d "$tmp/consumer" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | sort | xargs)
[[ "$needed" =~ ^libc\.so\.6( libm\.so\.6)?$ ]] || fail "the core needs $needed"

# All of it, used or not, adds less than 1 MB to a program.
echo 'int main(void) { return 0; }' >"$tmp/empty.c"
"$cc" "$tmp/empty.c" -o "$tmp/empty"
"$cc" "$tmp/empty.c" -Wl,--whole-archive "$lib" -Wl,--no-whole-archive -lm -o "$tmp/whole"
added=$(($(stat -c %s "$tmp/whole") - $(stat -c %s "$tmp/empty")))
echo "the core adds $((added / 1024)) kB to a program"
[ "$added" -lt 1000000 ] || fail "the core adds $added bytes to a program"

# It neither prints nor exits, and every name it brings begins with carom_.
bad=$(nm -u "$lib" | grep -wE 'printf|puts|putchar|fprintf|fputs|fwrite|perror|exit|_exit|abort' || true)
[ -z "$bad" ] || fail "the core calls" $bad
bad=$(nm -g --defined-only "$lib" | awk 'NF == 3 && $3 !~ /^carom_/ { print $3 }')
[ -z "$bad" ] || fail "names without carom_:" $bad

# Each public header stands alone, in C and in C++.
for header in "$tmp"/usr/include/carom/*.h; do
    include="#include <carom/${header##*/}>"
    "$cc" "${flags[@]}" -I "$tmp/usr/include" -x c -fsyntax-only - <<<"$include"
    if command -v clang >/dev/null; then
        clang -std=c++17 -Wall -Wextra -Werror -I "$tmp/usr/include" -x c++ -fsyntax-only - \
            <<<"$include"
    fi
done
echo "static: ok"
