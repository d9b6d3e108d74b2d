#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Builds the tests in C++ and `muster`, for the configuration small, with the address and
# undefined-behaviour sanitizers (the preset asan of CMakePresets.json), and runs them and the kernels.
set -euo pipefail
cd "$(dirname "$0")/../.."

export BUILD=build/asan
[[ -f $BUILD/build.ninja ]] || export CMAKE_OPTIONS="--preset asan"
scripts/run/build.sh golden_test tlm_test response_test bcu_test ptx_test lockstep_test muster

# The preset sets the sanitizers' options: SystemC's threads change stacks, which the search for uses
# after return does not follow.
ctest --preset asan -j "${JOBS:-$(nproc)}"

# Cut short at each of many moments, what is on its way is carried out all the same.
kernel=sim/kernels/mb_arrive_wait/mb_arrive_wait.json
for cycles in {580..620}; do
  "$BUILD/sim/app/muster" run "$kernel" --config small --max-cycles "$cycles" >/dev/null && code=0 || code=$?
  [[ $code == 6 ]] || { echo "$kernel, cut after $cycles cycles: exit code $code" >&2; exit 1; }
done
