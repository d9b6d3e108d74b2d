# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
import pathlib
import site

# The compilers that `make suites` has installed, after the packages of this environment.
COMPILERS = pathlib.Path(__file__).resolve().parents[2] / "build/suites/environment/lib/python3.11/site-packages"
if COMPILERS.is_dir():
    site.addsitedir(str(COMPILERS))
