#!/usr/bin/env bash
# The tests that depend on the version of Python, on every CPython from 3.10 to 3.14 that is found on
# the PATH or under pyenv, but for the one that `make test` runs on; PYTHONS="3.10 3.13" chooses some.
# Built without optimisation, which no result may depend on, and which compiles in a third of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
tested=0
main=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in ${PYTHONS:-3.10 3.11 3.12 3.13 3.14}; do
  [ "$version" = "$main" ] && continue
  python=$(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python3 2>/dev/null | tail -n 1 || true)
  [ -n "$python" ] || python=$(command -v "python$version" || true)
  [ -n "$python" ] || { echo "CPython $version: not found, not tested"; continue; }
  echo "CPython $version:"
  FASTBLEU_DEBUG=1 FASTBLEU_TEST_SEGMENTS=${FASTBLEU_TEST_SEGMENTS:-2000} FASTBLEU_TEST_ONLY=fastbleu \
    make --no-print-directory test PYTHON="$python" VENV=".venv-$version" PYTEST_ARGS="-q \
      tests/test_nltk_parity.py tests/test_nltk_arguments.py tests/test_nltk_smoothing.py \
      tests/test_stats.py tests/test_patch.py tests/test_hostile.py \
      tests/test_hostile_sequences.py tests/test_hostile_changes.py tests/test_errors.py \
      tests/test_import.py tests/test_text.py tests/test_metric.py tests/test_sacrebleu_errors.py \
      tests/test_sacrebleu_parity.py tests/test_sacrebleu_patch.py tests/test_sacrebleu_rows.py \
      tests/test_tokenizers.py tests/test_tokenizers_widths.py tests/test_files.py \
      tests/test_formats.py tests/test_ids.py tests/test_streaming_state.py \
      tests/test_streaming_reentrancy.py tests/test_sentences.py tests/test_pairwise.py \
      tests/test_self_bleu.py tests/test_index_file.py tests/test_subinterpreters.py \
      tests/test_large_integers.py tests/test_trust_entries.py"
  tested=$((tested + 1))
done
echo "tested on $tested other versions"
