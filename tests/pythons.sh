#!/usr/bin/env bash
# The tests that depend on the version of Python (marked `pythons`) on every CPython from 3.11 to 3.15 that is found on
# the PATH or under pyenv, except the one that `make test` runs on; PYTHONS="3.11 3.13" chooses some, FULL=1 adds the
# long ones. Where Debian's packages can be unpacked, 3.14 and 3.15 are taken from its testing release if need be, and
# 3.14d, the debug build, which checks that the GIL is held where it has to be. Built without optimization, which no
# result may depend on, and which compiles in a third of the time.
set -euo pipefail
cd "$(dirname "$0")/.."

find_python() {   # find_python VERSION: prints its path, or nothing
  local versions=${PYENV_ROOT:-$HOME/.pyenv}/versions
  ls "$versions/$1".*/bin/python3 2>/dev/null | tail -n 1 | grep . || command -v "python$1" || true
}

unpack_python() {   # unpack_python VERSION: Debian's, with .venv-VERSION; prints its path
  local python
  python=$(bash tests/debian_python.sh "$(dpkg --print-architecture)" forky "$1" "build/debian/python$1" "python${1%d}-venv")
  # Debian's venv looks for pip in /usr/share.
  if [ ! -e ".venv-$1/created" ]; then
    "$python" -m venv --without-pip ".venv-$1"
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --dest build/pip 'pip>=25.1'
    PYTHONPATH=$(ls build/pip/pip-*.whl | tail -n 1) ".venv-$1/bin/python" -m pip install --quiet 'pip>=25.1'
    touch ".venv-$1/created"
  fi
  echo "$python"
}

tested=0
main=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
marked=$(grep -rl --include='test_*.py' 'pytest.mark.pythons' tests | sort)
mark="pythons and not long"
[ -z "${FULL:-}" ] || mark=pythons
for version in ${PYTHONS:-3.11 3.12 3.13 3.14 3.14d 3.15}; do
  [ "$version" != "$main" ] || continue
  python=$(find_python "$version")
  case $version in 3.14 | 3.14d | 3.15)
    [ -n "$python" ] || ! command -v apt-get >/dev/null || python=$(unpack_python "$version") ;;
  esac
  [ -n "$python" ] || { echo "CPython $version: not found, not tested"; continue; }
  echo "CPython $version:"
  FASTBLEU_DEBUG=1 FASTBLEU_TEST_SEGMENTS=${FASTBLEU_TEST_SEGMENTS:-2000} FASTBLEU_TEST_ONLY=fastbleu \
    make --no-print-directory test PYTHON="$python" VENV=".venv-$version" \
      PYTEST_ARGS="-q ${PYTEST_ARGS:-} -m '$mark' $(echo $marked)"
  tested=$((tested + 1))
done
echo "tested on $tested other versions"
