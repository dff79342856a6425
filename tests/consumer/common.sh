# What the tests of installed and embedded builds share: a folder of their own, and a way to fail.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # of those that build the tree
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}
