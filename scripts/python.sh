#!/usr/bin/env bash
# Install the package carom into a virtual environment that also sees the system's packages:
# scripts/python.sh [BUILD [ENVIRONMENT]]. BUILD has the libraries (default build), ENVIRONMENT is made (default build/python).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${1:-build}")
environment=${2:-build/python}

# The first python that has all that is needed: CAROM_PYTHON, the one on the path, the system's.
needs="import cffi, numpy, setuptools, wheel, venv, ensurepip"
for python in ${CAROM_PYTHON:-} python3 /usr/bin/python3; do
    if "$python" -c "$needs" 2>/dev/null; then
        found=$python
        break
    fi
done
if [ -z "${found:-}" ]; then
    echo "python: no python3 has cffi, numpy, setuptools, wheel and venv; scripts/setup.sh python installs Debian's" >&2
    exit 1
fi

# An environment of another python is made anew.
base=$("$found" -c "import sys; print(sys.base_prefix, sys.version_info[:2])")
if [ "$("$environment/bin/python" -c "import sys; print(sys.base_prefix, sys.version_info[:2])" 2>/dev/null)" != "$base" ]; then
    rm -rf "$environment"
    "$found" -m venv --system-site-packages "$environment"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! CAROM_BUILD="$build" "$environment/bin/python" -m pip install --no-index --no-build-isolation --no-deps --force-reinstall \
    --disable-pip-version-check ./python >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
