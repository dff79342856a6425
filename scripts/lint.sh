#!/usr/bin/env bash
# clang-format, clang-tidy and cppcheck over every C file; --format rewrites the layout instead.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t files < <(find include src cli tests bench examples -name '*.[ch]' -o -name '*.cpp' | sort)
if [ "${1:-}" = --format ]; then
    exec clang-format -i "${files[@]}"
fi

# The command of the release build tells the tools how each file is compiled.
scripts/build.sh release || exit 1
mapfile -t compiled < <(grep -o "\"file\": \"$PWD/[^\"]*" build/compile_commands.json |
    sed "s|.*\"$PWD/||" | grep -v '^build/' | sort -u)

status=0
echo "== clang-format (${#files[@]} files)"
clang-format --dry-run -Werror "${files[@]}" || status=1
echo "== clang-tidy (${#compiled[@]} files)"
printf '%s\0' "${compiled[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build --quiet 2> >(grep -vE 'warnings? generated' >&2) ||
    status=1
echo "== cppcheck"
cppcheck --project=build/compile_commands.json -ibuild --quiet -j "$(nproc)" --std=c11 \
    --enable=warning,style,performance,portability --inline-suppr \
    --suppress=knownConditionTrueFalse --suppress=variableScope --error-exitcode=1 || status=1
[ $status = 0 ] && echo "lint: ok"
exit $status
