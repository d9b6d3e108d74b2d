#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Builds the wheel of the Python package, installs it into build/python/environment, and runs its tests there. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/run/wheel.sh
export PATH=$PWD/build/python/environment/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
pip install --quiet --no-deps --no-index --force-reinstall build/python/wheel/*.whl
scripts/run/python_tests.py --stamp
exec python -m pytest -q -rs tb/python "$@"
