#!/usr/bin/env bash
# Install the Debian package in a fresh Debian, use it and remove it: scripts/try_package.sh [ROOT]. Needs root
# rights, debootstrap and a network; ROOT keeps the fresh system for the next time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=${1:-build/debian}
package=$(find build/packages -maxdepth 1 -name '*.deb' | sort | tail -n 1)
[ -n "$package" ] || { echo "try_package: run make package first" >&2 && exit 1; }
[ -e "$root/bin/sh" ] || debootstrap --variant=minbase bookworm "$root" >/dev/null

inside() {
    chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"
}
cp "$package" "$root/tmp/"
inside apt-get -qq update
inside apt-get -qq install -y --no-install-recommends "/tmp/$(basename "$package")" >/dev/null 2>&1
inside carom --version
inside carom run nine-ball-break --plot /tmp/break.svg | head -n 1
inside carom run soft-gelatin --quiet
[ -s "$root/tmp/break.svg" ]
echo "depends on $(dpkg-deb -f "$package" Depends)"
inside apt-get -qq purge -y carom >/dev/null 2>&1
left=$(cd "$root" && find usr -path '*carom*' -not -path '*/dpkg/*')
[ -z "$left" ] || { echo "try_package: left behind: $left" >&2 && exit 1; }
echo "try_package: installed, used and removed"
