#!/usr/bin/env bash
# Test the playground of build/web in Chromium, beside the command of the release build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh release carom_cli
cd web
node --test --test-concurrency=1 --test-reporter=spec tests/*.test.mjs
