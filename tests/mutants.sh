#!/usr/bin/env bash
# The tests must notice faults. Each patch of tests/faults, except memory-* (which tests/trust/canaries.py plants), is
# applied to a copy of the sources; the modules that the patch names are compiled, and one of its tests must fail.
# First all of these tests must pass without a fault. `levels` stands for tests/levels.sh, which emulates NEON.
# Usage: tests/mutants.sh PYTHON [NAME...], where a NAME is the beginning of a patch's name, and the package is built
# in place. It needs patch, gcc or clang, Cython, and for NEON what levels.sh needs.
set -euo pipefail
python=$1; shift
cd "$(dirname "$0")/.."
work=build/mutants
[ $# -gt 0 ] || set -- call kernel lowering neon rewriting tokenizer utf8
faults=()
for name in "$@"; do faults+=(tests/faults/"$name"*.patch); done
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')

named() {   # named modules|tests PATCH...: what the patches name
  sed -n "s/^$1: //p" "${@:2}" | tr ' ' '\n' | sort -u
}

tested() {   # tested NAME TEST...: run the tests on the build NAME
  local name=$1 command=("$python" -m pytest -x -q -p no:cacheprovider "${@:2}")
  [ "$2" != levels ] || command=(bash tests/levels.sh neon neon-portable)
  env PYTHONPATH="$PWD/$work/$name" FASTBLEU_HEADERS="$work/$name/fastbleu" \
    FASTBLEU_TEST_SEGMENTS="${FASTBLEU_TEST_SEGMENTS:-10000}" timeout 900 "${command[@]}" >"$work/$name.log" 2>&1
}

unmutated() {   # unmutated TEST...
  [ $# -eq 0 ] || tested unmutated "$@" || {
    cat "$work/unmutated.log" >&2
    echo "the tests fail without a mutant" >&2
    exit 1
  }
}

rm -rf "$work"
mkdir -p "$work/unmutated"
cp -r src/fastbleu "$work/unmutated"
PYTHONPATH="$PWD/$work/unmutated" "$python" -c \
  'import fastbleu.counting._text_packer as m; assert "/unmutated/" in m.__file__, m.__file__'
all_tests=$(named tests "${faults[@]}")
unmutated $(grep -v levels <<<"$all_tests")
unmutated $(grep levels <<<"$all_tests")

survivors=()
for fault in "${faults[@]}"; do
  name=$(basename "$fault" .patch)
  package=$work/$name/fastbleu
  cp -r "$work/unmutated" "$work/$name"
  patch -s -p1 -d "$package" <"$fault"
  for module in $(named modules "$fault"); do
    if cmp -s "src/fastbleu/$module.pyx" "$package/$module.pyx"; then
      # A copy: beside the original are Cython's copies of the headers, which would be included first.
      cp "build/cython/src/fastbleu/$module.c" "$package/$module.c"
    else
      "$python" -m cython -X language_level=3,cdivision=True,binding=False "$package/$module.pyx"
    fi
    "${CC:-cc}" -shared -fPIC -O1 -w -I"$include" -I"$package" \
      -o "$package/$module$suffix" "$package/$module.c"
  done
  status=0
  tested "$name" $(named tests "$fault") || status=$?
  # 1: a test failed; 124: it hangs; above 128: it crashed. Anything else is no verdict.
  if [ $status -eq 0 ]; then
    survivors+=("$name")
    echo "$name: SURVIVED"
  elif [ $status -eq 1 ] && found=$(grep -m 1 -E '^FAILED|differs on neon|not the plain' "$work/$name.log"); then
    echo "$name: caught by $(sed 's/^FAILED [^:]*:://; s/ - .*//' <<<"$found")"
  elif [ $status -eq 124 ] || [ $status -gt 128 ]; then
    echo "$name: caught, it hangs or crashes"
  else
    cat "$work/$name.log" >&2
    echo "$name: the tests ended with status $status" >&2
    exit 1
  fi
  rm -rf "${work:?}/$name"
done
[ ${#survivors[@]} -eq 0 ] || { echo "the tests missed ${survivors[*]}" >&2; exit 1; }
echo "mutants: ${#faults[@]} built, all caught, in $SECONDS s"
