#!/usr/bin/env bash
# The tests must notice a fault in the tokenizers, the kernels and calls of one segment. Each patch of
# tests/faults (tokenizer-*, utf8-*, kernel-*, neon-*, call-*) is applied to a copy of the sources, which is built
# and tested; a fault that no test finds is a failure of this script. The build without a fault goes first and
# must pass. Usage: tests/mutants.sh PYTHON [NAME...], where a NAME is one such as tokenizer-3 or a family such as
# kernel, and the package is built in place. It needs patch, gcc or clang; for calls Cython; for NEON what
# levels.sh needs.
set -euo pipefail
python=$1; shift
cd "$(dirname "$0")/.."
work=build/mutants
tokenizer_tests=(tests/tokenizers/test_tokenizers_parity.py tests/tokenizers/test_tokenizers_widths.py
  tests/counting/test_text.py::test_every_character_is_lowered)
kernel_tests=(tests/counting/test_kernels.py)
utf8_tests=(tests/counting/test_utf8.py tests/inputs/test_utf8_lines.py)
call_tests=(tests/nltk/test_nltk_parity.py tests/nltk/test_nltk_smoothing.py tests/nltk/test_nltk_arguments.py
  tests/sacrebleu/test_sacrebleu_parity.py tests/inputs/test_hostile_changes.py)
faults=()
for name in "${@:-tokenizer utf8 kernel neon call}"; do
  for family in $name; do faults+=(tests/faults/"$family"*.patch); done
done
[ -f "${faults[0]}" ] || { echo "there is no ${faults[0]}" >&2; exit 1; }

tested() {   # tested NAME TEST...: run the short form of the tests, or `levels`, on the build NAME
  local name=$1; shift
  local command=("$python" -m pytest -x -q -p no:cacheprovider "$@")
  [ "$1" != levels ] || command=(bash tests/levels.sh neon neon-portable)
  env PYTHONPATH="$PWD/$work/$name" FASTBLEU_HEADERS="$work/$name/fastbleu" \
    FASTBLEU_TEST_SEGMENTS="${FASTBLEU_TEST_SEGMENTS:-10000}" timeout 900 "${command[@]}" >"$work/$name.log" 2>&1
}

rm -rf "$work"
mkdir -p "$work/unmutated"
cp -r src/fastbleu "$work/unmutated"
PYTHONPATH="$PWD/$work/unmutated" "$python" -c \
  'import fastbleu.counting._text as m; assert "/unmutated/" in m.__file__, m.__file__'
unmutated() {   # unmutated TEST...
  tested unmutated "$@" || { cat "$work/unmutated.log" >&2; echo "the tests fail without a mutant" >&2; exit 1; }
  echo "unmutated: $(tail -n 1 "$work/unmutated.log")"
}
[[ ! ${faults[*]} =~ (tokenizer|utf8|kernel)- ]] ||
  unmutated "${tokenizer_tests[@]}" "${kernel_tests[@]}" "${utf8_tests[@]}"
[[ ! ${faults[*]} =~ neon- ]] || unmutated levels
[[ ! ${faults[*]} =~ call- ]] || unmutated "${call_tests[@]}"

# Only the modules that include the changed header are compiled, from what Cython has made for the ordinary build;
# or the module that the patch changes is translated anew.
tokenizer_modules=(counting/_text tokenizers/_compiled)
utf8_modules=(counting/_utf8 inputs/_utf8)
kernel_modules=(counting/_text counting/_tokens counting/_ids _packed _core)
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
survivors=()
for fault in "${faults[@]}"; do
  name=$(basename "$fault" .patch)
  package=$work/$name/fastbleu
  cp -r "$work/unmutated" "$work/$name"
  patch -s -p1 -d "$package" <"$fault"
  changed=$(sed -n 's|^+++ b/||p' "$fault")
  case $name in
    neon-*) modules=() tests=(levels) ;;
    utf8-*) modules=("${utf8_modules[@]}") tests=("${utf8_tests[@]}") ;;
    call-*) modules=($(sed -n 's|^+++ b/\(.*\)\.pyx$|\1|p' "$fault")) tests=("${call_tests[@]}") ;;
    kernel-*) modules=("${kernel_modules[@]}") tests=("${kernel_tests[@]}") ;;
    *) modules=("${tokenizer_modules[@]}") tests=("${tokenizer_tests[@]}") ;;
  esac
  for module in "${modules[@]}"; do
    [ -f "$package/$module$suffix" ] || { echo "no $package/$module$suffix" >&2; exit 1; }
    # A copy: beside the original are Cython's copies of the headers, which would be included first.
    if cmp -s "src/fastbleu/$module.pyx" "$package/$module.pyx"; then
      cp "build/plain/cython/src/fastbleu/$module.c" "$package/$module.c"
      "${CC:-cc}" -MM -I"$include" -I"$package" "$package/$module.c" |
        grep -F "/${changed##*/}" >/dev/null || continue
    else
      "$python" -m cython -X language_level=3,cdivision=True,binding=False "$package/$module.pyx"
    fi
    "${CC:-cc}" -shared -fPIC -O1 -w -I"$include" -I"$package" \
      -o "$package/$module$suffix" "$package/$module.c"
  done
  status=0
  tested "$name" "${tests[@]}" || status=$?
  # 1: a test failed; 124: it hangs; above 128: it crashed. Anything else is no verdict.
  if [ $status -eq 0 ]; then
    survivors+=("$name")
    echo "$name: SURVIVED"
  elif [ $status -eq 1 ] && found=$(grep -m 1 -E '^FAILED|differs on neon|not the plain results' "$work/$name.log"); then
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
echo "mutants: ${#faults[@]} built, all caught"
