#!/usr/bin/env bash
# The tokenizer tests must notice a fault in the tokenisers: each MUTANT(n) of the kernel headers is
# built in turn and tested, and a mutant that passes is a failure of this script. The unmutated build
# goes first and must pass. Usage: tests/mutants.sh PYTHON [NUMBER...], where the package is built in
# place; needs gcc or clang.
set -euo pipefail
python=$1; shift
cd "$(dirname "$0")/.."
work=build/mutants
tests=(tests/tokenizers/test_tokenizers_parity.py tests/tokenizers/test_tokenizers_widths.py)
fewest=6

numbers=("$@")
if [ ${#numbers[@]} -eq 0 ]; then
  mapfile -t numbers < <(grep -rhoE 'MUTANT\([0-9]+\)' src/fastbleu/kernel | grep -oE '[0-9]+' | sort -nu)
  [ ${#numbers[@]} -ge $fewest ] || { echo "only ${#numbers[@]} mutants in the kernel" >&2; exit 1; }
fi

tested() {   # tested NAME: run the short form of the tests on the build NAME
  env PYTHONPATH="$PWD/$work/$1" FASTBLEU_TEST_SEGMENTS="${FASTBLEU_TEST_SEGMENTS:-20000}" \
    timeout 900 "$python" -m pytest -x -q -p no:cacheprovider "${tests[@]}" >"$work/$1.log" 2>&1
}

rm -rf "$work"
mkdir -p "$work/unmutated"
cp -r src/fastbleu "$work/unmutated"
PYTHONPATH="$PWD/$work/unmutated" "$python" -c \
  'import fastbleu._text as m; assert "/unmutated/" in m.__file__, m.__file__'
tested unmutated || { cat "$work/unmutated.log" >&2; echo "the tests fail without a mutant" >&2; exit 1; }
echo "unmutated: $(tail -n 1 "$work/unmutated.log")"

# Only one module differs, so it is compiled by itself, from what Cython has made for the ordinary build.
source=build/plain/cython/src/fastbleu/_text.c
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
module=fastbleu/_text$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
[ -f "$work/unmutated/$module" ] || { echo "no $work/unmutated/$module" >&2; exit 1; }
survivors=()
for number in "${numbers[@]}"; do
  name=mutant-$number
  cp -r "$work/unmutated" "$work/$name"
  "${CC:-cc}" -shared -fPIC -O1 -w -DFASTBLEU_MUTANT="$number" -I"$include" -Isrc/fastbleu \
    -o "$work/$name/$module" "$source"
  status=0
  tested "$name" || status=$?
  # 1: a test failed; 124: it hangs; above 128: it crashed. Anything else is no verdict.
  if [ $status -eq 0 ]; then
    survivors+=("$number")
    echo "$name: SURVIVED"
  elif [ $status -eq 1 ] && grep -q '^FAILED' "$work/$name.log"; then
    echo "$name: caught by $(grep -m 1 '^FAILED' "$work/$name.log" | sed 's/^FAILED [^:]*:://; s/ - .*//')"
  elif [ $status -eq 124 ] || [ $status -gt 128 ]; then
    echo "$name: caught, it hangs or crashes"
  else
    cat "$work/$name.log" >&2
    echo "$name: pytest ended with status $status" >&2
    exit 1
  fi
  rm -rf "${work:?}/$name"
done
[ ${#survivors[@]} -eq 0 ] || { echo "the tests missed mutants ${survivors[*]}" >&2; exit 1; }
echo "mutants: ${#numbers[@]} built, all caught"
