#!/usr/bin/env bash
# clang-format, clang-tidy and cppcheck over every C file. --format rewrites the layout instead.
# --changed looks only at files that differ from LINT_BASE (default: where this branch left main, or
# the commit before on main itself), committed or not.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t files < <(find include src cli tests bench examples web/wasm python/native -name '*.[ch]' -o -name '*.cpp' | sort)
if [ "${1:-}" = --format ]; then
    exec clang-format -i "${files[@]}"
fi

# What differs from the base, among `files`.
if [ "${1:-}" = --changed ]; then
    base=${LINT_BASE:-}
    for main in origin/main main; do
        [ -n "$base" ] || base=$(git merge-base HEAD "$main" 2>/dev/null || true)
    done
    [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse --verify --quiet HEAD~1 || true)
    if [ -z "$base" ]; then
        echo "lint: no earlier commit to compare with; nothing is looked at"
        exit 0
    fi
    mapfile -t files < <({ git diff --name-only --diff-filter=d "$base" && \
        git ls-files --others --exclude-standard; } | sort -u | grep -Fxf <(printf '%s\n' "${files[@]}"))
    if [ ${#files[@]} = 0 ]; then
        echo "lint: no C file changed"
        exit 0
    fi
fi

# The command of the release build tells the tools how each file is compiled.
scripts/build.sh release || exit 1
mapfile -t compiled < <(grep -o "\"file\": \"$PWD/[^\"]*" build/compile_commands.json |
    sed "s|.*\"$PWD/||" | grep -v '^build/' | sort -u | grep -Fxf <(printf '%s\n' "${files[@]}"))

status=0
echo "== clang-format (${#files[@]} files)"
clang-format --dry-run -Werror "${files[@]}" || status=1
echo "== clang-tidy (${#compiled[@]} files)"
[ ${#compiled[@]} = 0 ] || printf '%s\0' "${compiled[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build --quiet 2> >(grep -vE 'warnings? generated' >&2) ||
    status=1
echo "== cppcheck"
filters=()
for file in "${compiled[@]}"; do
    [ "${1:-}" != --changed ] || filters+=("--file-filter=*$file")
done
cppcheck --project=build/compile_commands.json "${filters[@]}" -ibuild --quiet -j "$(nproc)" --std=c11 \
    --enable=warning,style,performance,portability --inline-suppr \
    --suppress=knownConditionTrueFalse --suppress=variableScope --error-exitcode=1 || status=1
[ $status = 0 ] && echo "lint: ok"
exit $status
