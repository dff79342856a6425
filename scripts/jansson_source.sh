#!/usr/bin/env bash
# Put the source of jansson into a folder: scripts/jansson_source.sh FOLDER. Debian has no jansson for
# WebAssembly, so `make web` compiles it. The source is that of Debian's package, found through the
# package lists of this machine and checked by its digest. JANSSON_TARBALL names a copy of one's own.
set -euo pipefail

folder=$1
version=2.14
package=jansson=2.14-2
digest=c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
[ ! -e "$folder/src/jansson.h" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Ask Debian for the source, with package lists of our own: root is not needed and nothing is left.
download() {
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' 'Component: main' | sort -u >"$work/sources.list"
    [ -s "$work/sources.list" ] || { echo "jansson: apt has no package lists of Debian" >&2 && return 1; }
    apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update && (cd "$work" && "${apt[@]}" source --download-only "$package")
}

tarball=${JANSSON_TARBALL:-}
if [ -z "$tarball" ]; then
    tarball=$work/jansson_$version.orig.tar.gz
    if ! download >"$work/log" 2>&1 || [ ! -e "$tarball" ]; then
        cat "$work/log" >&2
        echo "jansson: no source from Debian; JANSSON_TARBALL=jansson-$version.tar.gz may name a copy" >&2
        exit 1
    fi
fi
echo "$digest  $tarball" | sha256sum --check --quiet || exit 1
mkdir -p "$folder"
tar -xzf "$tarball" --strip-components=1 -C "$folder"
