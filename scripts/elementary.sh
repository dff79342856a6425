#!/usr/bin/env bash
# Every elementary function against MPFR at many points, all processors at work:
#     scripts/elementary.sh [POINTS]    of each function, ten million if not given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CAROM_POINTS=${1:-10000000}
sed -n 's/^    {"\([a-z0-9]*\)",$/\1/p' tests/base/test_elementary.c |
    xargs -P "$(nproc)" -I NAME sh -c '
        if output=$(CAROM_FUNCTION=NAME build/tests/base_test_elementary errors_against_mpfr); then
            printf "%s\n" "$output" | grep "^  "
        else
            printf "%s\n" "$output"
            exit 1
        fi'
