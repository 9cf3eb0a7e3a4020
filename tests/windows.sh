#!/usr/bin/env bash
# Does it compile for Windows, where a long has 32 bits and there is no __int128? Nothing is linked or run: what the
# kernel gives on Windows is compared by tests/levels.sh. Usage: tests/windows.sh PYTHON, after `make demo`. It needs
# gcc-mingw-w64-x86-64 and clang.
set -euo pipefail
cd "$(dirname "$0")/.."
clang=$(command -v clang || command -v clang-14) || { echo 'there is no clang' >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All modules, by mingw-w64 from the C code that the build left. The headers are those of the Python at hand, whose
# pyconfig.h is told what Windows has.
cp -r "$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')" "$work/python"
sed -i -E 's/(SIZEOF_LONG|SIZEOF_PID_T) 8/\1 4/; s/(SIZEOF_WCHAR_T) 4/\1 2/
  /define HAVE_(SYS_SELECT_H|TERMIOS_H|PTY_H|PTHREAD_H)/d' "$work/python/pyconfig.h"
echo '#define NT_THREADS 1' >>"$work/python/pyconfig.h"
find src -name '*.pyx' | sed 's|^|build/cython/|; s|pyx$|c|' >"$work/modules"
xargs -P "$(nproc)" -I{} x86_64-w64-mingw32-gcc -fsyntax-only -Werror=implicit-function-declaration \
  -DMS_WINDOWS -DMS_WIN64 -I"$work/python" -Isrc/fastbleu/core {} <"$work/modules"
echo "mingw: $(wc -l <"$work/modules") modules compile"

# The kernel without Python, in MSVC's mode of clang with declarations for MSVC's C library: as clang-cl, and as cl,
# which is no clang, has all intrinsics in every function.
mkdir "$work/msvc"
cat >"$work/msvc/string.h" <<'END'
#include <stddef.h>
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
void *memchr(const void *, int, size_t), *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
void free(void *), *_aligned_malloc(size_t, size_t), _aligned_free(void *);
double log(double), exp(double), sqrt(double), floor(double), fabs(double);
END
for header in stdlib malloc math; do echo '#include "string.h"' >"$work/msvc/$header.h"; done
echo 'typedef int jmp_buf[64];' >"$work/msvc/setjmp.h"
grep -rL 'Python.h\|prefetch.h\|object_array.h' --include='*.h' --exclude='*_loops.h' src/fastbleu/core/kernel >"$work/headers"
as_cl=(-U__clang__)
for feature in avx2 bmi bmi2 lzcnt popcnt xsave avx512{f,bw,vl,dq,vbmi,vbmi2,bitalg}; do as_cl+=("-m$feature"); done
for mode in clang-cl cl cl-arm64; do
  case $mode in
    clang-cl) flags=() ;;
    cl) flags=("${as_cl[@]}") ;;
    cl-arm64) flags=(-U__clang__ --target=aarch64-pc-windows-msvc19.40) ;;
  esac
  xargs -P "$(nproc)" -I{} "$clang" -x c --target=x86_64-pc-windows-msvc19.40 -fms-compatibility -fsyntax-only -Wall \
    -Werror -Wno-unused -Wno-unused-const-variable -Wno-pragma-once-outside-header "${flags[@]}" -isystem "$work/msvc" {} <"$work/headers"
  echo "$mode: $(wc -l <"$work/headers") headers compile"
done
