#!/usr/bin/env bash
# The test suite against a build with AddressSanitizer and UndefinedBehaviorSanitizer, then a build
# with a planted out-of-bounds read, which the sanitizers must report.
# Usage: tests/sanitize.sh PYTHON; SANITIZE=short takes fewer random segments and leaves out the tests
# of nltk itself, of the command line, and of what is Python upon compiled code that others test. Needs
# gcc.
set -euo pipefail
python=$1
cd "$(dirname "$0")/.."
segments=200000
few=()
if [ "${SANITIZE:-long}" = short ]; then
  segments=5000
  few=(--ignore tests/test_sacrebleu_parity.py --ignore tests/test_sacrebleu_errors.py
       --ignore tests/test_sacrebleu_patch.py --ignore tests/test_sacrebleu_real_data.py
       --ignore tests/test_real_data.py --ignore tests/test_nltk_arguments.py
       --ignore tests/test_tokenizer_libraries.py --ignore-glob 'tests/test_cli*' --ignore tests/test_files.py --ignore tests/test_formats.py
       --ignore-glob 'tests/test_streaming*' --ignore tests/test_mbr.py
       --ignore tests/test_sentences_errors.py --ignore tests/test_trust_entries.py
       --ignore tests/test_interrupt.py --ignore tests/test_unicode_ranges.py)
  export FASTBLEU_TEST_ONLY=fastbleu
fi

build() {   # build NAME: into build/NAME, with the switches in the environment
  rm -rf "build/$1"
  "$python" -m pip --disable-pip-version-check install --quiet --no-deps --target "build/$1" .
}

sanitized() {   # sanitized NAME COMMAND...: run with the build NAME and the sanitizers' run-time
  local name=$1; shift
  env PYTHONPATH="$PWD/build/$name" PYTHONMALLOC=malloc FASTBLEU_SANITIZED=1 \
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so) $(gcc -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 "$@"
}

echo "building with sanitizers ..."
FASTBLEU_SANITIZE=1 build sanitized
sanitized sanitized "$python" -c 'import fastbleu._core as m; assert "/build/sanitized/" in m.__file__, m.__file__'
FASTBLEU_TEST_SEGMENTS=$segments sanitized sanitized "$python" -m pytest -q -p no:cacheprovider \
  -n "${WORKERS:-2}" -p no:benchmark \
  --ignore tests/test_memory.py "${few[@]}"

echo "building with a planted fault ..."
FASTBLEU_SANITIZE=1 FASTBLEU_CANARY=overflow build canary
if sanitized canary "$python" -c '
import fastbleu
word = "sixteen-or-more-characters"
fastbleu.count([[word]], [[[word]]])' >build/canary.log 2>&1; then
  echo "the sanitizers missed the planted out-of-bounds read" >&2
  exit 1
fi
grep -q 'heap-buffer-overflow' build/canary.log || { cat build/canary.log >&2; exit 1; }
echo "sanitizers: no report from the tests, and the planted fault was found"
