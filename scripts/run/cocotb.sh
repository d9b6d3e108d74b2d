#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Builds muster.golden into build/cocotb/environment and runs the tests of tb/cocotb there. Arguments go to tb/cocotb/run.py.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../.."
root=$PWD

export PATH=$PWD/build/cocotb/environment/bin:$PATH
export CC=${CC:-cc} CXX=${CXX:-c++}
export CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

echo "Building muster.golden (build/cocotb/golden.log)"
if ! pip install --verbose --disable-pip-version-check --no-build-isolation --no-deps --no-index --force-reinstall sim/python \
  --config-settings=cmake.define.MUSTER_UNITS=OFF --config-settings=build.targets=python_golden_stub \
  --config-settings=build-dir="$PWD/build/cocotb/golden" >build/cocotb/golden.log 2>&1; then
  tail -n 40 build/cocotb/golden.log >&2
  exit 1
fi
cd "$from"
exec python "$root/tb/cocotb/run.py" "$@"
