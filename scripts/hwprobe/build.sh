#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Builds the probe in the folder named (build/hwprobe): with nvcc the whole of it. Without, or with
# --ptx, only what runs on the GPU, as PTX and with clang; exit code 77 if that is missing too.
set -euo pipefail
cd "$(dirname "$0")/../.."

whole=true
[[ ${1:-} != --ptx ]] || { whole=false; shift; }
out=${1:-build/hwprobe}
mkdir -p "$out"
nvcc=$(command -v "${NVCC:-nvcc}" || true)
clang=$(command -v "${CLANG:-clang-14}" || command -v "${CLANG:-clang}" || true)

if $whole && [[ -n $nvcc ]]; then
  "$nvcc" -std=c++17 -O2 -arch=sm_90 -I . -o "$out/hwprobe" scripts/hwprobe/probe.cu
  echo "Built $out/hwprobe with $nvcc. On a machine with a GPU of sm_90 or later:"
  echo "  $out/hwprobe > sim/golden/hardware/NAME.json"
  exit 0
fi
! $whole || echo "There is no nvcc (set NVCC). Only the device's part is compiled: nothing can run."
if [[ -z $clang ]]; then
  echo "skipped: there is no clang either (or set CLANG); \`make setup\` installs it" >&2
  exit 77
fi

# clang 14 knows no GPU newer than sm_86. All that is newer here is inline assembly, which it does not
# look into: so the file says what it is for.
"$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent -nocudainc \
  -nocudalib -std=c++17 -Xclang -target-feature -Xclang +ptx75 -O2 -S -I . \
  scripts/hwprobe/device.cu -o "$out/device.tmp"
sed -e 's/^\.version 7\.5$/.version 8.0/' -e 's/^\.target sm_80$/.target sm_90/' \
  "$out/device.tmp" > "$out/device.ptx"
rm "$out/device.tmp"
echo "Compiled the device's part with $clang: $out/device.ptx"
