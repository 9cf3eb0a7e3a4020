#!/usr/bin/env bash
# The tests that depend on the version of Python, on every CPython from 3.10 to 3.15 that is found on
# the PATH or under pyenv, except the one that `make test` runs on; PYTHONS="3.10 3.13" chooses some. Where Debian's
# packages can be unpacked, 3.14 and 3.15 are taken from its testing release if they are not found.
# Built without optimization, which no result may depend on, and which compiles in a third of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
tested=0
main=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in ${PYTHONS:-3.10 3.11 3.12 3.13 3.14 3.15}; do
  [ "$version" = "$main" ] && continue
  python=$(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python3 2>/dev/null | tail -n 1 || true)
  [ -n "$python" ] || python=$(command -v "python$version" || true)
  if [ -z "$python" ] && [[ $version = 3.1[45] ]] && command -v apt-get >/dev/null; then
    python=$(bash tools/debian_python.sh "$(dpkg --print-architecture)" forky "$version" "build/debian/python$version" \
      "python$version-venv")
    # Debian's venv looks for pip in /usr/share.
    if [ ! -e .venv-$version/created ]; then
      "$python" -m venv --without-pip .venv-$version
      python3 -m pip --disable-pip-version-check download --quiet --no-deps --dest build/pip 'pip>=25.1'
      PYTHONPATH=$(ls build/pip/pip-*.whl | tail -n 1) .venv-$version/bin/python -m pip install --quiet 'pip>=25.1'
      touch .venv-$version/created
    fi
  fi
  [ -n "$python" ] || { echo "CPython $version: not found, not tested"; continue; }
  echo "CPython $version:"
  FASTBLEU_DEBUG=1 FASTBLEU_TEST_SEGMENTS=${FASTBLEU_TEST_SEGMENTS:-2000} FASTBLEU_TEST_ONLY=fastbleu \
    make --no-print-directory test-full PYTHON="$python" VENV=.venv-$version PYTEST_ARGS="-q \
      tests/nltk/test_nltk_parity.py tests/nltk/test_nltk_arguments.py tests/nltk/test_nltk_smoothing.py \
      tests/counting/test_stats.py tests/integrations/test_patching.py tests/inputs/test_hostile.py \
      tests/inputs/test_errors.py \
      tests/test_import.py tests/counting/test_text.py tests/metric/test_metric.py tests/sacrebleu/test_sacrebleu_errors.py \
      tests/sacrebleu/test_sacrebleu_parity.py tests/sacrebleu/test_sacrebleu_patch.py tests/dialects/test_sacrebleu.py \
      tests/tokenizers/test_tokenizers.py tests/tokenizers/test_tokenizers_widths.py tests/cli/test_files.py \
      tests/cli/test_formats.py tests/counting/test_ids.py tests/metric/test_state.py \
      tests/metric/test_update.py tests/matrix/test_reader.py tests/matrix/test_pairwise.py \
      tests/matrix/test_self_bleu.py tests/matrix/test_reference_index.py tests/matrix/test_nearest.py \
      tests/runtime/test_subinterpreters.py \
      tests/test_entry_points.py::test_each_dialect \
      tests/test_entry_points.py::test_every_public_name_has_an_entry"
  tested=$((tested + 1))
done
echo "tested on $tested other versions"
