#!/usr/bin/env bash
# Completion as bash and zsh see it: completion.sh CAROM
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$(realpath "$1")" "$folder/carom"
export PATH=$folder:$PATH
source "$here/../../completion/carom.bash"

# What is offered for the words of a command line, the last of them unfinished.
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _carom
    echo "${COMPREPLY[*]}"
}
check() {
    local wanted=$1
    shift
    local got
    got=$(offered "$@")
    [[ " $got " == *" $wanted "* ]] || { echo "completion: '$*' offers '$got', not '$wanted'" >&2 && exit 1; }
}
cd "$folder" && touch mine.json
check run carom r
check nine-ball-break carom run nine
check mine.json carom run mi
check pin-ball carom show pin
check --plot-kind carom run pin-ball --plot-k
check dark carom run pin-ball --plot-theme d
check table carom run cut-shot --plot-kind ta
check compare carom help comp
[ -z "$(offered carom show mi)" ] || { echo "completion: show takes no files" >&2 && exit 1; }
if command -v zsh >/dev/null; then
    zsh -n "$here/../../completion/_carom"
fi
echo "completion: ok"
