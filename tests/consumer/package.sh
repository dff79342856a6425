#!/usr/bin/env bash
# The Debian package, unpacked into an empty root and used there: package.sh BUILD_DIR. (scripts/try_package.sh
# installs it with apt in a fresh Debian, which takes a network.)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$1

(cd "$build" && cpack --config CPackConfig.cmake -B "$tmp/packages" >"$tmp/log" 2>&1) || { cat "$tmp/log" && exit 1; }
package=$(find "$tmp/packages" -maxdepth 1 -name '*.deb')
[ -n "$package" ] || fail "no package"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libjansson4 libcairo2 libcholmod3; do
    [[ "$depends" == *$library* ]] || fail "depends on $depends, not on $library"
done

dpkg-deb -x "$package" "$tmp/root"
for file in bin/carom include/carom/carom.h lib/libcarom.a share/man/man1/carom.1 share/man/man1/carom-run.1 \
    share/bash-completion/completions/carom share/zsh/site-functions/_carom share/doc/carom/LICENSE; do
    [ -e "$tmp/root/usr/$file" ] || [ -e "$tmp/root/usr/$file.gz" ] || fail "no $file"
done
"$tmp/root/usr/bin/carom" run nine-ball-break --quiet
"$tmp/root/usr/bin/carom" --version | grep -qF "carom $(dpkg-deb -f "$package" Version)" || fail "another version"
! grep -rlF "$PWD" "$tmp/root" || fail "the name of the build folder is in the package"
echo "package: $(basename "$package"), $(du -k "$package" | cut -f 1) kB, $(dpkg-deb -c "$package" | wc -l) files, unpacked and run"
