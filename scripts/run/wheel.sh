#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Builds the Python package as a wheel that needs no library of this system, into build/python/wheel, with the tools of build/python/environment,
# which it makes.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/run/setup.sh build python
scripts/run/environment.sh build/python/environment sim/python/requirements.txt
export PATH=$PWD/build/python/environment/bin:$PATH
export CC=${CC:-cc} CXX=${CXX:-c++}  # and not those that this Python was built with
export CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1

echo "Building the wheel; ten minutes from a clean tree, seconds afterwards (build/python/wheel.log)"
rm -rf build/python/linked build/python/wheel
if ! pip wheel --verbose --no-build-isolation --no-deps --no-index --wheel-dir build/python/linked sim/python >build/python/wheel.log 2>&1; then
  tail -n 40 build/python/wheel.log >&2
  exit 1
fi
# With the libraries that it is linked with, for any Linux as new as this one.
auditwheel repair --wheel-dir build/python/wheel build/python/linked/*.whl >build/python/repair.log 2>&1 || { cat build/python/repair.log >&2; exit 1; }
ls build/python/wheel/*.whl
