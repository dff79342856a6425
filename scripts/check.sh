#!/usr/bin/env bash
# The quick look after a change: release build, the short tests, the format of changed files.
# Tests that take longer than a second carry the label "slow" (tests/CMakeLists.txt).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
begin=$SECONDS

scripts/setup.sh check run || exit 1
scripts/build.sh release || exit 1
built=$SECONDS

status=0
log=build/check.log
ctest --preset release --parallel "$(nproc)" --label-exclude slow --no-label-summary \
    --stop-time "$(date -d '+5 minutes' +%H:%M:%S)" >"$log" 2>&1 || status=1
if [ $status != 0 ]; then
    grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed )' "$log"
fi
tail -n 4 "$log" | grep 'tests passed'

# What should carry the label: on a busy machine a short test may be listed here, too.
awk '/ Passed / && $(NF - 1) > 2 { print "check: " $4 " took " $(NF - 1) " s (see the list of slow tests)" }' "$log"

if command -v clang-format >/dev/null; then
    mapfile -t files < <({ git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard; } |
        grep -E '\.[ch]$')
    [ ${#files[@]} = 0 ] || clang-format --dry-run -Werror "${files[@]}" || status=1
fi
echo "check: $([ $status = 0 ] && echo ok || echo FAILED), $((built - begin)) s to build, $((SECONDS - built)) s to test"
exit $status
