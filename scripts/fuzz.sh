#!/usr/bin/env bash
# Fuzz each target for FUZZ_SECONDS (default 60), starting from the inputs in the tree; new inputs
# go to build/fuzz/corpus, what breaks a target to build/fuzz/found. A target goes on after a find,
# so the time is known: that of the build, FUZZ_SECONDS for each target, and a minute at most for
# each slow input, which is tried again alone (60 s of processor time). Fails if an input crashes, breaks a law or leaks.
# scripts/fuzz.sh [TARGET...]: impact, scene, mesh, pickup (default: all of them)
# scripts/fuzz.sh --keep: add to tests/fuzz what reaches code that nothing there reaches
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=no
[ "${1:-}" = --keep ] && keep=yes && shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(impact scene mesh pickup)
scripts/build.sh fuzz fuzz_targets
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0
found=build/fuzz/found
broken=0
mkdir -p "$found"

for target in "${targets[@]}"; do
    program=build/fuzz/tests/fuzz/fuzz_$target
    new=build/fuzz/corpus/$target
    seeds=(tests/fuzz/"$target")
    [ "$target" != scene ] || seeds+=(examples tests/data/scenes/good tests/data/scenes/bad)
    mkdir -p "$new"
    if [ $keep = yes ]; then
        "$program" -merge=1 -max_len=2048 tests/fuzz/"$target" "$new"
        continue
    fi
    options=(-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -timeout=60 -max_len=4096
        -max_total_time="${FUZZ_SECONDS:-60}" -artifact_prefix="$found/$target-")
    [ ! -e tests/fuzz/"$target".dict ] || options+=(-dict=tests/fuzz/"$target".dict)
    echo "== $target"
    "$program" "${options[@]}" "$new" "${seeds[@]}" >"build/fuzz/$target.log" 2>&1 || true
    grep -E '^#[0-9]+: cov' "build/fuzz/$target.log" | tail -n 1
    grep -E 'broken:|ERROR: |SUMMARY: ' "build/fuzz/$target.log" | sort | uniq -c || true

    # Time is measured by the clock there: on a busy machine an input may only have waited. Here it is processor time.
    TIMEFORMAT=%U
    for input in "$found/$target"-*; do
        [ -e "$input" ] || continue
        if spent=$( { time (ulimit -t 60 && "$program" "$input" >/dev/null 2>&1); } 2>&1); then
            echo "$input: $spent s alone"
        else
            echo "$input: FAILS"
            broken=$((broken + 1))
        fi
    done
done
[ $broken -eq 0 ] || { echo "$broken inputs fail"; exit 1; }
