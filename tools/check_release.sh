#!/usr/bin/env bash
# Check the files that only a release or the repository's host reads, against their schemas.
#   bash tools/check_release.sh BIN    with check-jsonschema, cibuildwheel and validate-pyproject in BIN
set -euo pipefail
cd "$(dirname "$0")/.."
check() { "$1/check-jsonschema" --builtin-schema "vendor.$2" "${@:3}"; }
"$1/validate-pyproject" pyproject.toml
check "$1" citation-file-format CITATION.cff
check "$1" github-workflows .github/workflows/*.yml
check "$1" dependabot .github/dependabot.yml
check "$1" github-issue-config .github/ISSUE_TEMPLATE/config.yml
check "$1" github-issue-forms $(ls .github/ISSUE_TEMPLATE/*.yml | grep -v config.yml)
for platform in linux macos windows; do
  "$1/cibuildwheel" --print-build-identifiers --platform $platform . >/dev/null
done
# Actions are pinned by commit.
if grep -nE 'uses: [^.]' .github/workflows/*.yml | grep -vE '@[0-9a-f]{40} # v'; then
  echo "these actions are not pinned by commit" >&2
  exit 1
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
for file in CITATION.cff src/fastbleu/__init__.py; do
  grep -q "$version" $file || { echo "$file does not have the version $version" >&2; exit 1; }
done
echo "checked for a release of $version"
