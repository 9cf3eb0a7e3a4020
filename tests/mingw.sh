#!/usr/bin/env bash
# The compiled modules compile for Windows, where a long has 32 bits: by mingw-w64, from the C code that `make build` left.
# The headers are those of the Python at hand, whose pyconfig.h is told what Windows has; nothing is linked or run.
# What the kernel gives on Windows is compared by tests/levels.sh. Usage: tests/mingw.sh PYTHON.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v x86_64-w64-mingw32-gcc >/dev/null || { echo 'there is no mingw: apt install gcc-mingw-w64-x86-64' >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')" "$work/include"
sed -i -E 's/(SIZEOF_LONG|SIZEOF_PID_T) 8/\1 4/; s/(SIZEOF_WCHAR_T) 4/\1 2/
  /define HAVE_(SYS_SELECT_H|TERMIOS_H|PTY_H|PTHREAD_H)/d' "$work/include/pyconfig.h"
echo '#define NT_THREADS 1' >>"$work/include/pyconfig.h"
find src -name '*.pyx' | sed 's|^|build/plain/cython/|; s|pyx$|c|' | xargs -P "$(nproc)" -I{} \
  x86_64-w64-mingw32-gcc -fsyntax-only -DMS_WINDOWS -DMS_WIN64 -I"$work/include" -Isrc/fastbleu {}
echo "mingw: $(find src -name '*.pyx' | wc -l) modules compile in $SECONDS s"
