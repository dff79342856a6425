#!/usr/bin/env bash
# Fuzz each target for FUZZ_SECONDS (default 60), starting from the inputs in the tree; new inputs
# go to build/fuzz/corpus, what breaks a target to build/fuzz/found.
# scripts/fuzz.sh [TARGET...]: impact, scene, mesh (default: all of them)
# scripts/fuzz.sh --keep: add to tests/fuzz what reaches code that nothing there reaches
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=no
[ "${1:-}" = --keep ] && keep=yes && shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(impact scene mesh)
scripts/build.sh fuzz fuzz_targets
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0

for target in "${targets[@]}"; do
    program=build/fuzz/tests/fuzz/fuzz_$target
    new=build/fuzz/corpus/$target
    seeds=(tests/fuzz/"$target")
    [ "$target" != scene ] || seeds+=(examples tests/data/scenes/good tests/data/scenes/bad)
    mkdir -p "$new" build/fuzz/found
    if [ $keep = yes ]; then
        "$program" -merge=1 -max_len=2048 tests/fuzz/"$target" "$new"
        continue
    fi
    options=(-max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -max_len=4096 -print_final_stats=1
        -artifact_prefix="build/fuzz/found/$target-")
    [ ! -e tests/fuzz/"$target".dict ] || options+=(-dict=tests/fuzz/"$target".dict)
    echo "== $target"
    "$program" "${options[@]}" "$new" "${seeds[@]}" 2>&1 | grep -vE '#[0-9]+.*(NEW|REDUCE|pulse|RELOAD)'
done
