#!/usr/bin/env bash
# Install what is missing: scripts/setup.sh run|test|python|lint|docs|cross|determinism|peers|mpi|web|browser|all. Silent when all is there.
# scripts/setup.sh check WHAT installs nothing: it only says what is missing.
set -euo pipefail

install=yes
if [ "${1:-}" = check ]; then
    install=no
    shift
fi

# Each package with the command that shows it is there without dpkg ("-": none does).
run="gcc=gcc libc6-dev=- cmake=cmake ninja-build=ninja libjansson-dev=- libcairo2-dev=-
libsuitesparse-dev=- libcminpack-dev=- libsqlite3-dev=-"
test="clang=clang libclang-rt-dev=- pkg-config=pkg-config dpkg-dev=dpkg-shlibdeps python3=python3
python3-jsonschema=- libmpfr-dev=-"
python="python3=python3 python3-dev=- python3-venv=- python3-setuptools=- python3-wheel=- python3-cffi=- python3-numpy=-"
python_test="python3-pytest=- mypy=mypy python3-flake8=-"
lint="clang-format=clang-format clang-tidy=clang-tidy cppcheck=cppcheck"
docs="mkdocs=mkdocs mkdocs-material=- doxygen=doxygen katex=- libjs-katex=- python3-pymdownx=-"
arm64="gcc-aarch64-linux-gnu=aarch64-linux-gnu-gcc libc6-dev-arm64-cross=- qemu-user=qemu-aarch64"
cross="gcc-mingw-w64-x86-64=x86_64-w64-mingw32-gcc"
mpi="openmpi-bin=mpirun libopenmpi-dev=mpicc"
peers="g++=g++ libode-dev=- libbullet-dev=- libsiconos-kernel-dev=-"
web="clang=clang lld=wasm-ld llvm=llvm-ar wasi-libc=- libclang-rt-dev-wasm32=- binaryen=wasm-opt xz-utils=xz
cmake=cmake ninja-build=ninja"
# Node from elsewhere brings its own npm, and Debian's does not go with it.
command -v npm >/dev/null || web="$web nodejs=node npm=npm"
browser="chromium=chromium fonts-dejavu-core=-"

case "${1:-}" in
run) wanted="$run" ;;
test) wanted="$run $test $python $python_test" ;;
python) wanted="$run $python" ;;
lint) wanted="$run $lint" ;;
docs) wanted="$run $docs" ;;
cross) wanted="$run $cross" ;;
determinism) wanted="$run $test $arm64 $web" ;;
peers) wanted="$run $peers" ;;
mpi) wanted="$run $test $mpi" ;;
web) wanted="$web" ;;
browser) wanted="$run $web $browser" ;;
all) wanted="$run $test $python $python_test $lint" ;;
*) echo "usage: scripts/setup.sh [check] run|test|python|lint|docs|cross|determinism|peers|mpi|web|browser|all" >&2 && exit 2 ;;
esac

declare -A command_of
packages=()
for pair in $wanted; do
    packages+=("${pair%%=*}")
    command_of[${pair%%=*}]="${pair##*=}"
done

# What dpkg does not list as installed.
missing=()
installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${packages[@]}" 2>/dev/null || true)"
for package in "${packages[@]}"; do
    [[ "$installed" == *" installed=$package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
if [ $install = yes ] && command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }; then
    echo "setup: installing ${missing[*]}" >&2
    apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    fetch=("${apt[@]}" install --no-install-recommends -y)
    if "${apt[@]}" update >"$log" 2>&1 && "${fetch[@]}" "${missing[@]}" >>"$log" 2>&1; then
        exit 0
    fi

    # One that cannot be had must not keep the others away.
    refused=()
    for package in "${missing[@]}"; do
        "${fetch[@]}" "$package" >>"$log" 2>&1 || refused+=("$package")
    done
    missing=("${refused[@]}")
    [ ${#missing[@]} -gt 0 ] || exit 0
    cat "$log" >&2
    echo "setup: that failed" >&2
fi

# No way to install. Tools that came from elsewhere may do; only what is surely absent stops us.
absent=()
for package in "${missing[@]}"; do
    tool=${command_of[$package]}
    [ "$tool" = - ] || command -v "$tool" >/dev/null || absent+=("$package")
done
echo "setup: not installed as packages: ${missing[*]}" >&2
if [ $install = no ]; then
    echo "setup: make setup installs them" >&2
elif command -v apt-get >/dev/null; then
    echo "setup: someone who is root can run:" >&2
    echo "    apt-get update && apt-get install --no-install-recommends -y ${missing[*]}" >&2
else
    echo "setup: there is no apt-get here; please install them by hand (names as in Debian)" >&2
fi
if [ ${#absent[@]} -gt 0 ]; then
    echo "setup: cannot go on without: ${absent[*]}" >&2
    exit 1
fi
echo "setup: all commands are found, so this goes on" >&2
