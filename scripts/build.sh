#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Configures build/ where that is needed, and builds the targets named (none: everything). Other
# folder: BUILD=...; options for CMake: CMAKE_OPTIONS="-D...". Shows one line of progress.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
jobs=${JOBS:-$(nproc)}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one cache for all copies of the tree
mkdir -p "$build"

# Ninja brings its own rules up to date, unless a source that they name is gone.
if [[ ! -f $build/build.ninja || -n ${CMAKE_OPTIONS:-} ]] ||
  ! ninja -C "$build" build.ninja >/dev/null 2>&1; then
  read -ra options <<<"${CMAKE_OPTIONS:-}"
  if ! cmake -G Ninja -S . -B "$build" "${options[@]}" >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    exit 1
  fi
fi

# With a terminal Ninja keeps to one line. Without, a line for each fifth of the work will do.
export NINJA_STATUS='build %f/%t  '
if [[ -t 1 ]]; then
  exec ninja -C "$build" -j "$jobs" --quiet "$@"
fi
ninja -C "$build" -j "$jobs" "$@" | awk '
  /^build [0-9]+\/[0-9]+  / {
    split($2, n, "/")
    fifth = int(5 * n[1] / n[2])
    if (n[2] >= 5 && fifth > shown) { shown = fifth; print "build " $2; fflush() }
    next
  }
  /^ninja: (Entering directory|no work to do)/ { next }
  { print; fflush() }'
