#!/usr/bin/env bash
# The same bytes everywhere: build the command in each way, compare all built-in scenes with
# tests/golden and the one hash of them all (`carom version --hash`) between the jobs. Soft objects, fits and ensembles are
# compared on this machine only; arm64 and WebAssembly are built without them.
#     scripts/determinism.sh [JOB...]    jobs by name, all of them if none is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=$PWD/build/determinism
mkdir -p "$root"
status=0
hashes=() # "HASH job"

wanted() { # JOB of the command line?
    [ ${#chosen[@]} = 0 ] || [[ " ${chosen[*]} " == *" $1 "* ]]
}
chosen=("$@")

# configure_and_build JOB CMAKE_ARGUMENT...
configure_and_build() {
    local directory=$root/$1
    shift
    cmake -S . -B "$directory" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CAROM_TESTS=OFF -D CAROM_INSTALL=OFF \
        --log-level=WARNING "$@" >/dev/null
    cmake --build "$directory" --target carom_cli -- --quiet
}

# compare JOB TITLE GOLDEN_ARGUMENT...: golden results, and the hash that golden.py takes of them
compare() {
    local job=$1 title=$2 output
    shift 2
    echo "== $job: $title"
    output=$(scripts/golden.py --check "$@") || status=1
    grep -v '^hash ' <<<"$output" || true
    hashes+=("$(sed -n 's/^hash //p' <<<"$output") $job")
}

# run_job JOB TITLE COMMAND: the same for a command, whose own hash must be the same
run_job() {
    compare "$1" "$2" --command "$3"
    hashes+=("$($3 version --hash | cut -d ' ' -f 1) $1-version")
}

# ---- Compilers and levels on this machine ------------------------------------------------------------

while IFS='|' read -r job compiler flags; do
    wanted "$job" || continue
    configure_and_build "$job" -D CMAKE_C_COMPILER="$compiler" -D CMAKE_C_FLAGS_RELEASE="$flags -DNDEBUG"
    run_job "$job" "$compiler $flags" "$root/$job/carom"
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

# ---- glibc as on an older processor ------------------------------------------------------------------

if wanted glibc-old; then
    configure_and_build gcc-O3 -D CMAKE_C_COMPILER=gcc -D CMAKE_C_FLAGS_RELEASE="-O3 -DNDEBUG"
    export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX,-AVX512F
    run_job glibc-old "gcc -O3, glibc without FMA and AVX" "$root/gcc-O3/carom"
    unset GLIBC_TUNABLES
fi

# ---- arm64 in an emulator ----------------------------------------------------------------------------

if wanted arm64; then
    toolchain=(-D CMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake")
    scripts/jansson_source.sh "$root/jansson"
    cmake -S "$root/jansson" -B "$root/jansson-arm64" -G Ninja "${toolchain[@]}" -D CMAKE_BUILD_TYPE=Release \
        -D JANSSON_EXAMPLES=OFF -D JANSSON_WITHOUT_TESTS=ON -D JANSSON_BUILD_DOCS=OFF \
        -D CMAKE_INSTALL_PREFIX="$root/arm64-prefix" >/dev/null 2>&1
    cmake --build "$root/jansson-arm64" --target install >/dev/null
    configure_and_build arm64 "${toolchain[@]}" -D CMAKE_C_FLAGS_RELEASE="-O3 -DNDEBUG" \
        -D jansson_INCLUDE_DIR="$root/arm64-prefix/include" \
        -D jansson_LIBRARY="$root/arm64-prefix/lib/libjansson.a" -D CAROM_SOFT=OFF -D CAROM_ENSEMBLE=OFF -D CAROM_STUDY=OFF -D CAROM_PLOT=OFF
    run_job arm64 "gcc -O3 for arm64, under qemu" "qemu-aarch64 -L /usr/aarch64-linux-gnu $root/arm64/carom"
fi

# ---- WebAssembly in node -------------------------------------------------------------------------------

if wanted wasm; then
    scripts/jansson_source.sh build/wasm-jansson
    scripts/build.sh wasm carom_web
    rm -rf "$root/wasm"
    mkdir -p "$root/wasm"
    mapfile -t scenes < <(grep -LE '"kind": *"(soft|fit|ensemble)"' examples/*.json)
    node web/run.mjs build/wasm/web/wasm/carom.wasm --into "$root/wasm" "${scenes[@]}"
    compare wasm "clang -O2 for WebAssembly, in node" --results "$root/wasm"
fi

# ---- One hash ------------------------------------------------------------------------------------------

echo "== one hash"
printf '%s\n' "${hashes[@]}"
different=$(printf '%s\n' "${hashes[@]}" | cut -d ' ' -f 1 | sort -u | wc -l)
if [ "$different" != 1 ]; then
    echo "determinism: $different different hashes"
    status=1
fi
exit $status
