#!/usr/bin/env bash
# Unpack a Python of Debian, of any architecture and release, into a folder, and print the path of a command that runs
# it. Nothing is installed: apt resolves what is needed by a state of its own in that folder, and dpkg only unpacks.
# Usage: tests/debian_python.sh ARCH RELEASE VERSION FOLDER [PACKAGE...]
#   for example arm64 bookworm 3.11 build/debian/arm64 python3-numpy; VERSION 3.14d is the debug build of 3.14
# The command is a script that starts the Python by qemu, or by its own dynamic loader where this processor can run it,
# and that Python takes for its executable: it works for child processes and for venv, too. On Debian and Ubuntu it
# needs the package debian-archive-keyring, and qemu-user for other architectures.
set -euo pipefail
arch=$1 release=$2 version=$3 folder=$4; shift 4
mkdir -p "$folder"/{lists/partial,cache/archives/partial}
folder=$(cd "$folder" && pwd)
root=$folder/root command=$folder/root/usr/bin/python$version-$arch
packages=("python${version%d}" "libpython${version%d}-dev" "$@")
[ "$version" = "${version%d}" ] || packages+=("python${version%d}-dbg")
if [ "$(cat "$folder/unpacked" 2>/dev/null)" = "$release ${packages[*]}" ]; then echo "$command"; exit; fi

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keyring ] || { echo "there is no $keyring: apt install debian-archive-keyring" >&2; exit 1; }
echo "deb [arch=$arch signed-by=$keyring] http://deb.debian.org/debian $release main" >"$folder/sources.list"
: >"$folder/status"
apt() {
  apt-get -q -y -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o APT::Install-Recommends=false \
    -o "Dir::State=$folder" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache" \
    -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Debug::NoLocking=true -o Acquire::Languages=none "$@" >"$folder/log" 2>&1 || { tail "$folder/log" >&2; exit 1; }
}
apt update
apt install --download-only "${packages[@]}"
rm -rf "$root" && mkdir "$root"
for package in "$folder"/cache/archives/*.deb; do
  # The compiler brings the C library's headers and what is linked.
  case $package in */libc6-dev_* | */linux-libc-dev_* | */libc-dev-bin_*) continue ;; esac
  dpkg -x "$package" "$root"
done
rm -rf "$folder/cache" "$folder/lists"

case $arch in
  amd64) triplet=x86_64-linux-gnu emulator= ;;
  arm64) triplet=aarch64-linux-gnu emulator=qemu-aarch64 ;;
  i386) triplet=i386-linux-gnu emulator=qemu-i386 ;;
  *) triplet=$arch-linux-gnu emulator=qemu-$arch ;;
esac
# Where pyconfig.h looks for itself.
ln -s "../$triplet" "$root/usr/include/python${version%d}/$triplet"
[ "$version" = "${version%d}" ] || ln -s "../$triplet" "$root/usr/include/python$version/$triplet"
# Debian chooses one of several such libraries when they are installed.
for library in blas lapack; do
  [ ! -d "$root/usr/lib/$triplet/$library" ] || ln -s $library/lib$library.so.3 "$root/usr/lib/$triplet/"
done
if [ "$arch" = "$(dpkg --print-architecture)" ]; then
  loader=$(find "$root" -type f -name 'ld-linux*.so.*' -print -quit)
  start="$loader --argv0 \"\$0\" --library-path $root/usr/lib/$triplet:$root/lib/$triplet"
else
  start="$emulator -L $root -0 \"\$0\""
fi
printf '#!/bin/sh\nexec %s %s "$@"\n' "$start" "$root/usr/bin/python$version" >"$command"
chmod +x "$command"
echo "$release ${packages[*]}" >"$folder/unpacked"
echo "$command"
