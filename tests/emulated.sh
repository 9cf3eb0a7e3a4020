#!/usr/bin/env bash
# The tests on other processors, emulated by qemu: Debian's Python of that architecture is unpacked into build/debian
# (tests/debian_python.sh), and the modules are cross-compiled into src, beside this processor's. numpy and what else
# tests need of compiled packages is Debian's, so an older numpy than usual; child processes are emulated, too.
# Usage: tests/emulated.sh PYTHON ARCH... [-- PYTEST_ARGUMENT...], where PYTHON is that of an environment with the
# package, setuptools and Cython, and ARCH is arm64, s390x (big-endian) or i386 (32 bits). It needs gcc-TRIPLET,
# libc6-dev-ARCH-cross, qemu-user and debian-archive-keyring. FASTBLEU_TEST_SEGMENTS is 300 by default; UNOPTIMIZED=1
# builds without optimization, which no result may depend on, and which compiles in a third of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1; shift
architectures=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do architectures+=("$1"); shift; done
[ $# -eq 0 ] || shift
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(tests/{inputs,counting,dialects,matrix,metric,nltk,sacrebleu,tokenizers,significance,tables})
export FASTBLEU_TEST_SEGMENTS=${FASTBLEU_TEST_SEGMENTS:-300}
packages=build/debian/packages
pure=(click colorama defusedxml execnet iniconfig jinja2 joblib nltk==3.10.4 packaging pluggy portalocker
  pygments 'pytest>=8' 'pytest-xdist>=3' sacrebleu==2.6.0 shtab sybil tabulate tqdm typing_extensions)
if [ "$(cat $packages/installed 2>/dev/null)" != "${pure[*]}" ]; then
  rm -rf $packages
  "$python" -m pip --disable-pip-version-check install --quiet --target $packages --no-deps --only-binary :all: \
    --python-version 3.11 --platform any --implementation py --abi none "${pure[@]}"
  echo "${pure[*]}" >$packages/installed
fi

for arch in "${architectures[@]}"; do
  started=$SECONDS
  emulated=$(bash tests/debian_python.sh "$arch" bookworm 3.11 "build/debian/$arch" \
    python3-lxml python3-markupsafe python3-numpy python3-regex)
  root=$(cd "build/debian/$arch/root" && pwd)
  data=$("$emulated" -c 'import sysconfig; print(sysconfig._get_sysconfigdata_name())')
  machine=${data#_sysconfigdata__}
  # CPython's way to build for another machine: its own settings, with the headers that were unpacked.
  mkdir -p "build/debian/$arch/settings"
  sed -E "s|(['= ]\|-[IL])/usr/(include\|lib)|\1$root/usr/\2|g" "$root/usr/lib/python3.11/$data.py" \
    >"build/debian/$arch/settings/$data.py"
  env FASTBLEU_DEBUG="${UNOPTIMIZED:-0}" _PYTHON_SYSCONFIGDATA_NAME="$data" _PYTHON_HOST_PLATFORM="linux-${machine%%-*}" \
    PYTHONPATH="build/debian/$arch/settings" CFLAGS=-w "$python" setup.py -q build_ext --inplace
  echo "$arch: built after $((SECONDS - started)) s; $("$emulated" -c 'import platform, sys
print(platform.machine(), sys.byteorder + "-endian", "CPython", platform.python_version())')"
  PYTHONPATH=$PWD/src:$PWD/$packages "$emulated" -m pytest -n "${WORKERS:-2}" -p no:cacheprovider -q \
    "${tests[@]}"
  echo "$arch: $((SECONDS - started)) s"
done
