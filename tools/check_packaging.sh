#!/usr/bin/env bash
# Check what is under packaging/ by its own linters, and that the source distribution has all files, and two builds of
# it the same bytes.
#   bash tools/check_packaging.sh PYTHON    with a Python that has build and py-rattler-build; Debian's part needs
#   dpkg-dev and lintian, and is left out with one line where they are not installed
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Two copies of the files that git knows, of different names and times.
for copy in one another; do
  mkdir "$folder/$copy" "$folder/sdist-$copy"
  git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$folder/$copy"
  [ $copy = one ] || find "$folder/$copy" -exec touch -d 2001-02-03 {} +
  (umask $([ $copy = one ] && echo 022 || echo 077)
   SOURCE_DATE_EPOCH=1700000000 "$python" -m build --sdist --outdir "$folder/sdist-$copy" "$folder/$copy" \
     >"$folder/log" 2>&1) || { tail "$folder/log"; exit 1; }
done
cmp "$folder"/sdist-*/*.tar.gz || { echo "two builds of the source distribution differ" >&2; exit 1; }
sdist=$(ls "$folder"/sdist-one/*.tar.gz)
echo "$(basename "$sdist"): two builds, same bytes, sha256 $(sha256sum "$sdist" | cut -d' ' -f1)"
missing=$(git ls-files ':!.editorconfig' ':!.gitignore' | LC_ALL=C sort | LC_ALL=C comm -23 - \
  <(tar -tzf "$sdist" | cut -d/ -f2- | LC_ALL=C sort))
[ -z "$missing" ] || { echo "MANIFEST.in leaves out:" $missing >&2; exit 1; }

"$python" packaging/check.py

if ! command -v lintian >/dev/null || ! command -v dpkg-source >/dev/null; then
  [ "${FASTBLEU_REQUIRE_TOOLS:-0}" = 0 ] || { echo "there is no lintian or dpkg-dev" >&2; exit 1; }
  echo "debian/: not checked, for want of lintian or dpkg-dev"
  exit
fi
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' packaging/debian/changelog)
cp "$sdist" "$folder/pyfastbleu_$version.orig.tar.gz"
tar -xzf "$sdist" -C "$folder"
cp -r packaging/debian "$folder/pyfastbleu-$version/"
cd "$folder"
dpkg-source -b "pyfastbleu-$version" >"$folder/log" 2>&1 || { tail "$folder/log"; exit 1; }
lintian --allow-root --fail-on error,warning "pyfastbleu_$version-1.dsc"
echo "debian/: lintian has no errors or warnings"
