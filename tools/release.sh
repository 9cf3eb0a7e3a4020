#!/usr/bin/env bash
# Check what a release needs: `make release` calls this with the dependency group `release` in PYTHON's environment.
#   bash tools/release.sh PYTHON PART...
#     check      pyproject.toml, CITATION.cff and the workflows have no mistakes and agree on versions
#     packaging  the source distribution has all files; what is under packaging/ passes its linters
#     sdist      the source distribution runs its own tests
#     wheels     each CPython that is found (PYTHONS="3.11 3.13") builds the same wheel twice; a bare environment installs
#                it by name from an index in a folder, over an older release, runs README.md and uninstalls it
#     installs   each pip install of README.md and docs/ works (WORDS="ja DESTDIR": those that contain one of these)
#   bash tools/release.sh version NEW     write the version wherever one stands
#   bash tools/release.sh by-name         let README.md, docs/ and messages install from the index: once, for the first release
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/fastbleu/__init__.py)   # setuptools reads it there, too
versioned=(CITATION.cff packaging/conda-forge/recipe.yaml packaging/debian/changelog)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {   # quietly COMMAND...: shows what it prints only if it fails
  "$@" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }
}

check() {
  local file platform pin
  "$bin/validate-pyproject" pyproject.toml
  "$bin/check-jsonschema" --builtin-schema vendor.citation-file-format CITATION.cff
  "$bin/check-jsonschema" --builtin-schema vendor.dependabot .github/dependabot.yml
  "$bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
  "$bin/check-jsonschema" --builtin-schema vendor.readthedocs .readthedocs.yaml
  "$bin/actionlint"
  for platform in linux macos windows; do
    quietly "$bin/cibuildwheel" --print-build-identifiers --platform $platform .
  done
  if grep -nE 'uses: [^.]' .github/workflows/*.yml | grep -vE '@[0-9a-f]{40} # v'; then
    echo "these actions are not pinned by commit" >&2; exit 1
  fi
  for file in "${versioned[@]}"; do
    grep -q "$version" $file || { echo "$file does not have the version $version" >&2; exit 1; }
  done
  if git grep -E 'fastbleu\.[0-9]+\.[0-9]' -- '*.md' | grep -vF "fastbleu.$version"; then
    echo "these signatures are not of the version $version" >&2; exit 1
  fi
  for pin in $(grep -o '[a-z-]*==[0-9.]*' .pre-commit-config.yaml); do
    grep -q "\"$pin\"" pyproject.toml || { echo "pyproject.toml does not have $pin" >&2; exit 1; }
  done
  echo "checked for a release of $version"
}

build_sdist() {   # into $work; its path is then $sdist
  quietly "$python" -m build --sdist --outdir "$work" .
  sdist=$work/pyfastbleu-$version.tar.gz
}

packaging() {
  local missing
  build_sdist
  missing=$(git ls-files ':!.editorconfig' ':!.gitattributes' ':!.gitignore' | LC_ALL=C sort | LC_ALL=C comm -23 - \
    <(tar -tzf "$sdist" | cut -d/ -f2- | LC_ALL=C sort))
  [ -z "$missing" ] || { echo "MANIFEST.in leaves out:" $missing >&2; exit 1; }
  "$python" packaging/check.py
  if ! command -v lintian >/dev/null || ! command -v dpkg-source >/dev/null; then
    [ "${FASTBLEU_REQUIRE_TOOLS:-0}" = 0 ] || { echo "there is no lintian or dpkg-dev" >&2; exit 1; }
    echo "debian/: not checked, for want of lintian or dpkg-dev"
    return
  fi
  cp "$sdist" "$work/pyfastbleu_$version.orig.tar.gz"
  tar -xzf "$sdist" -C "$work"
  cp -r packaging/debian "$work/pyfastbleu-$version/"
  (cd "$work" && quietly dpkg-source -b "pyfastbleu-$version" &&
    lintian --allow-root --fail-on error,warning "pyfastbleu_$version-1.dsc")
  echo "packaging/: no errors or warnings"
}

sdist() {
  build_sdist
  tar -xzf "$sdist" -C "$work"
  env -u FASTBLEU_DATA -u FASTBLEU_REQUIRE_DATA make --no-print-directory -C "$work/pyfastbleu-$version" test PYTEST_ARGS=-q
}

wheels() {
  "$python" tools/rehearse.py ${PYTHONS:-3.11 3.12 3.13 3.14 3.15}
}

installs() {
  "$python" tools/test_installs.py ${WORDS:-}
}

if [ "$1" = version ]; then
  sed -i "s/^__version__ = .*/__version__ = \"$2\"/" src/fastbleu/__init__.py
  sed -i "s/^version: .*/version: $2/; s/^  version: \"$version\"/  version: \"$2\"/; 1s/($version-/($2-/" "${versioned[@]}"
  git grep -lF "fastbleu.$version" -- '*.md' | xargs sed -i "s/fastbleu\.$version/fastbleu.$2/g"
  exit
fi
if [ "$1" = by-name ]; then
  name=$(sed -n 's/^name = "\(.*\)"/\1/p' pyproject.toml)
  sed -i "s/^\([a-z]* is not on PyPI yet. \)\?In a checkout, with \(Python.*\) and a C compiler:/With \2; in a checkout also a C compiler:/
    s/^pip install \.\( .*\)\?$/pip install $name/; s/^make demo   .*or into/make demo        # in a checkout, into/" README.md docs/index.md
  sed -i "s/ and, until there are wheels on PyPI, a C compiler. In a checkout:/:/; s/^pip install \.  /pip install $name  /" docs/quickstart.md
  grep -rl "'\\\\*\.\\\\*\[" --include='*.md' --include='*.py' docs src tests | xargs sed -i "s/'\\\\*\.\(\\\\*\[\)/'$name\1/g
    s/ in a checkout of [a-z]*//; s/\(\]'\`\`\) in a checkout/\1/; s/# in a checkout; /# /"
  exit
fi
bin=$(cd "$(dirname "$1")" && pwd) python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
for part in "${@:2}"; do
  case $part in
    check | packaging | sdist | wheels | installs) "$part" ;;
    *) echo "there is no part $part" >&2; exit 1 ;;
  esac
done
