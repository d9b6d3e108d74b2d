#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# environment.sh FOLDER REQUIREMENTS: makes a Python environment in FOLDER with the packages of PyPI that the file pins, by hash; silent
# when it is there. SETUP=no forbids it. Exit code 2: it cannot be made.
set -euo pipefail

folder=$1
requirements=$2
stamp=$folder/requirements.txt

if cmp -s "$requirements" "$stamp"; then
  exit 0
fi
if [[ ${SETUP:-} == no ]]; then
  echo "SETUP=no: $folder is not what $requirements asks for, and nothing is installed." >&2
  exit 2
fi
echo "Muster now installs $(grep -c -- --hash "$requirements") packages of PyPI into $folder (SETUP=no forbids it)."
rm -rf "$folder"
python3 -m venv "$folder"
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$requirements"; then
  echo "pip could not install what $requirements asks for: the lines above say why." >&2
  rm -rf "$folder"
  exit 2
fi
cp "$requirements" "$stamp"
