#!/usr/bin/env bash
# Build and test with gcc (release) and with clang (sanitizers). The last line is the total.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

status=0
for preset in release clang; do
    echo "== $preset"
    cmake --preset "$preset" --log-level=WARNING >/dev/null || exit 1 # looks again for what was installed since
    scripts/build.sh "$preset" || exit 1
    ctest --preset "$preset" --parallel "$(nproc)" --no-label-summary \
        --test-output-size-passed 1000000 --output-junit "$PWD/build/tests-$preset.xml" |
        { grep -vE '^ *Start +[0-9]+: ' || true; } || status=1
done

echo "Not tested here: the playground in a browser (make test-web)."
python3 scripts/count_tests.py build/tests-release.xml build/tests-clang.xml || status=1
exit $status
