#!/usr/bin/env bash
# Runs a command in a new directory that is a disk of 64 KiB, of which 40 are used: a tmpfs, which goes
# with the mount namespace. UNSHARE is the command for that: unshare -m, or unshare -rm without root.
set -euo pipefail
if [ -z "${IN_NAMESPACE:-}" ]; then
  directory=$(mktemp -d)
  trap 'rmdir "$directory"' EXIT
  IN_NAMESPACE=$directory ${UNSHARE:-unshare -m} bash "$0" "$@"
  exit
fi
mount -t tmpfs -o size=64k tmpfs "$IN_NAMESPACE"
cd "$IN_NAMESPACE"
head -c 40960 /dev/zero >ballast
"$@"
