#!/usr/bin/env bash
# Every instruction set gives what the portable code gives, on this processor and, emulated, on others; so do other C
# libraries and Windows: builds check_headers.c and compare_levels.c of tests/core/counting for each and runs all with the
# same seed. A build fails if a header or a level differs; all of them must print one checksum of matches and, but for
# the byte order, of keys; those under sanitizers others, of fewer segments. Usage: tests/levels.sh [BUILD...], where a
# BUILD is a platform:
#   native   this processor, with CC
#   neon     AArch64: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user
#   s390x    big-endian: gcc-s390x-linux-gnu, libc6-dev-s390x-cross, qemu-user
#   i386     32 bits: gcc-i686-linux-gnu, libc6-dev-i386-cross, qemu-user
#   musl     this processor with another C library: musl-tools
#   windows  where a long has 32 bits: gcc-mingw-w64-x86-64, wine64
#   MODEL,SET=off or MODEL,SET=on,...  an x86-64 processor of qemu's (its -cpu) that lacks sets of instructions: qemu-user
# or one with -portable or -sanitized behind it. FASTBLEU_HEADERS is the folder of the headers, default src/fastbleu/core;
# FASTBLEU_TEST_SEGMENTS and FASTBLEU_TEST_SEED are as for other tests.
set -euo pipefail
cd "$(dirname "$0")/.."
headers=${FASTBLEU_HEADERS:-src/fastbleu/core}
seed=${FASTBLEU_TEST_SEED:-20261123}
segments=${FASTBLEU_TEST_SEGMENTS:-50000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all

choose() {   # choose PLATFORM: sets compiler and run
  case $1 in
    native) compiler=("${CC:-cc}") run=() ;;
    neon) compiler=(aarch64-linux-gnu-gcc) run=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
    s390x) compiler=(s390x-linux-gnu-gcc) run=(qemu-s390x -L /usr/s390x-linux-gnu) ;;
    i386) compiler=(i686-linux-gnu-gcc) run=(qemu-i386 -L /usr/i686-linux-gnu) ;;
    musl) compiler=(musl-gcc) run=() ;;
    windows) compiler=(x86_64-w64-mingw32-gcc) run=(/usr/lib/wine/wine64) ;;
    # For this emulator BZHI, which the C library uses where there is BMI2, belongs to BMI1.
    *=o*) compiler=("${CC:-cc}") run=(qemu-x86_64 -E GLIBC_TUNABLES=glibc.cpu.hwcaps=-BMI2 -cpu "$1") ;;
    *) echo "there is no build $1" >&2; exit 1 ;;
  esac
  case $1-$(uname -m) in neon-aarch64 | neon-arm64) compiler=("${CC:-cc}") run=() ;; esac
  for tool in "${compiler[0]}" "${run[@]:0:1}"; do
    command -v "$tool" >/dev/null && continue
    echo "there is no $tool for $1; the head of tests/levels.sh has the names of Debian's packages" >&2
    exit 1
  done
}

declare -A checksums
must_agree() {   # must_agree KIND CHECKSUM: with the builds before of that kind
  [ "${checksums[$1]:=$2}" = "$2" ] || { echo "$build: not the $1 results of the builds before" >&2; exit 1; }
}

start() {   # start NAME COUNT: build and run a program; adds what it prints to $work/result
  local program="$work/${compiler[0]##*/}${flags[*]}$1.exe"   # of one name for all emulated processors
  [ -e "$program" ] || "${compiler[@]}" -std=c99 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function "${flags[@]}" \
    -I"$headers" -o "$program" "tests/core/counting/$1.c"
  # Leaks are not looked for: that needs ptrace, which the emulator lacks.
  ASAN_OPTIONS=detect_leaks=0 "${run[@]}" "$program" "$seed" "$2" 2> >(grep -v "TCG doesn't support" >&2) |
    tr -d '\r' >>"$work/result"
}

compare() {   # compare BUILD: build it and run it
  local build=$1 compiler run flags=(-O2) count=$segments kind=plain order=little-endian
  choose "${build%%-*}"
  case $build in
    *-portable) flags+=(-DFASTBLEU_PORTABLE) ;;
    *-sanitized)
      flags=(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all)
      count=$((segments / 20)) kind=sanitized ;;
    *=o*)   # the emulator reads whole vectors where a masked load reads a part
      flags+=(-DBEHIND=PROT_READ)
      count=$((segments / 20)) kind=processor ;;
  esac
  [ "${build%%-*}" != s390x ] || order=big-endian
  : >"$work/result"
  start check_headers $((count / 10))
  start compare_levels "$count"
  sed "s/^/$build: /" "$work/result"
  must_agree $kind "$(grep matches\  "$work/result")"
  must_agree "$kind $order" "$(grep keys\  "$work/result")"
}

builds=("$@")
[ $# -gt 0 ] || builds=(native native-portable native-sanitized neon neon-portable neon-sanitized s390x i386 musl windows
  Haswell,{sse3,ssse3,sse4.1,sse4.2,popcnt,xsave,avx,bmi1,avx2,bmi2,abm,fma}=off Nehalem,xsave=on,avx=on,avx2=on)
for build in "${builds[@]}"; do compare "$build"; done
echo "levels: ${#builds[@]} builds, all equal, in $SECONDS s"
