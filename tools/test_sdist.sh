#!/usr/bin/env bash
# Build the source distribution, unpack it where nothing else is, and run its tests there.
#   bash tools/test_sdist.sh PYTHON    with a Python that has build
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" -m build --sdist --outdir "$folder" . >"$folder/log" 2>&1 || { tail -n 20 "$folder/log"; exit 1; }
tar -xzf "$folder"/*.tar.gz -C "$folder"
cd "$folder"/pyfastbleu-*/
env -u FASTBLEU_DATA -u FASTBLEU_REQUIRE_DATA make test PYTEST_ARGS="-q ${PYTEST_ARGS:-}"
