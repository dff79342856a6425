#!/usr/bin/env bash
# Build the playground: the module by clang, the page by esbuild. The site is build/web.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/jansson_source.sh build/wasm-jansson
scripts/build.sh wasm carom_web

# Packed once, until the module changes. (clang has run wasm-opt of binaryen on it.)
module=build/wasm/web/wasm/carom.wasm
if [ "$module" -nt "$module.xz" ]; then
    xz --check=crc32 --lzma2=preset=9e,dict=1MiB,lc=4,pb=0 -c "$module" >"$module.part"
    mv "$module.part" "$module.xz"
fi

cd web
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    npm ci --ignore-scripts >"$log" 2>&1 || { cat "$log" >&2 && exit 1; }
fi
node_modules/.bin/tsc --noEmit
node build.mjs
