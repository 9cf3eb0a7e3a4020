#!/usr/bin/env bash
# Every instruction set gives what the portable code gives, on this processor and on AArch64, which qemu emulates
# where this is another: builds tests/counting/compare_levels.c in six ways and runs each with the same seed.
# A build fails if its levels differ; all of them must print one checksum, those under sanitizers another, of
# fewer segments. Usage: tests/levels.sh [BUILD...], of native, native-portable, native-sanitized, neon,
# neon-portable and neon-sanitized. FASTBLEU_HEADERS is the folder of the headers, default src/fastbleu;
# FASTBLEU_TEST_SEGMENTS and FASTBLEU_TEST_SEED are as for other tests.
set -euo pipefail
cd "$(dirname "$0")/.."
headers=${FASTBLEU_HEADERS:-src/fastbleu}
seed=${FASTBLEU_TEST_SEED:-20261123}
segments=${FASTBLEU_TEST_SEGMENTS:-50000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
  aarch64 | arm64) cross=("${CC:-cc}") emulator=() ;;
  *) cross=(aarch64-linux-gnu-gcc) emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
esac
require_cross() {
  for tool in "${cross[0]}" "${emulator[@]:0:1}"; do
    command -v "$tool" >/dev/null && continue
    echo "there is no $tool; on Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2
    exit 1
  done
}

declare -A checksums
compare() {   # compare BUILD: build it and run it
  local build=$1 compiler=("${CC:-cc}") run=() flags=(-O2) count=$segments kind=plain
  if [[ $build == neon* ]]; then
    require_cross
    compiler=("${cross[@]}") run=("${emulator[@]}")
  fi
  case $build in
    *-portable) flags+=(-DFASTBLEU_PORTABLE) ;;
    *-sanitized)
      flags=(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all)
      count=$((segments / 20)) kind=sanitized ;;
  esac
  "${compiler[@]}" -std=c99 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function "${flags[@]}" -I"$headers" \
    -o "$work/$build" tests/counting/compare_levels.c
  # Leaks are not looked for: that needs ptrace, which the emulator lacks.
  ASAN_OPTIONS=detect_leaks=0 "${run[@]}" "$work/$build" "$seed" "$count" >"$work/result"
  sed "s/^/$build: /" "$work/result"
  local checksum
  checksum=$(tail -n 1 "$work/result")
  if [ "${checksums[$kind]:=$checksum}" != "$checksum" ]; then
    echo "$build: not the $kind results of the builds before" >&2
    exit 1
  fi
}

builds=("$@")
[ $# -gt 0 ] || builds=(native native-portable native-sanitized neon neon-portable neon-sanitized)
for build in "${builds[@]}"; do compare "$build"; done
echo "levels: ${#builds[@]} builds, all equal, in $SECONDS s"
