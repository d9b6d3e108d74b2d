#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Configures build/ where that is needed, and builds the targets named (none: everything). Shows how
# far it has come. With --config NAME the unit is built in that configuration only, in build/NAME, so
# that an edit of the RTL builds one unit anew and not all. Another folder: BUILD=...; options for
# CMake: CMAKE_OPTIONS="-D...". Exit code 2: there is no such configuration.
set -euo pipefail
cd "$(dirname "$0")/../.."

read -ra options <<<"${CMAKE_OPTIONS:-}"
build=${BUILD:-build}
if [[ ${1:-} == --config ]]; then
  config=${2:?--config needs a name}
  shift 2
  scripts/common/configs.py "$config"
  build=$build/$config
  [[ -f $build/build.ninja ]] || options+=("-DMUSTER_CONFIGS=$config")
fi
jobs=${JOBS:-$(nproc)}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # one cache for all copies of the tree
mkdir -p "$build"

# Two builds in one folder would write, and run, each other's programs. What is built here inherits
# the lock and does not outlive the build.
exec {lock}>"$build/.lock"
if ! flock --nonblock "$lock"; then
  echo "Another build is at work in $build/; this one waits until that has ended." >&2
  flock "$lock"
fi

export NINJA_STATUS='build %f/%t  '

# Of what Ninja says, a line for each fifth of the work, and, but for its rules, all that is no progress.
show() {
  awk -v rules="$1" '
    /^build [0-9]+\/[0-9]+  / {
      split($2, n, "/")
      fifth = int(5 * n[1] / n[2])
      if (n[2] >= 5 && fifth > shown) { shown = fifth; print rules "build " $2; fflush() }
      if (/Re-running CMake/) { print "configuring anew; half a minute or so"; fflush() }
      next
    }
    rules || /^ninja: (Entering directory|no work to do)/ { next }
    { print; fflush() }'
}

# Ninja brings its own rules up to date, for which it verilates the units. Where that fails, because a
# source that the rules name is gone or a generated one is old, CMake makes them anew.
if [[ ! -f $build/build.ninja || ${#options[@]} -gt 0 ]] ||
  ! ninja -C "$build" -j "$jobs" build.ninja 2>&1 | show "rules: "; then
  echo "Configuring $build/; half a minute or so" >&2
  if ! cmake -G Ninja -S . -B "$build" "${options[@]}" >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    exit 1
  fi
fi

# With a terminal Ninja keeps to one line.
if [[ -t 1 ]]; then
  cd "$build"  # Ninja announces -C
  exec ninja -j "$jobs" "$@"
fi
ninja -C "$build" -j "$jobs" "$@" | show ""
