#!/usr/bin/env bash
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that are missing; silent when none is. Arguments name groups:
#   build (the default), lint, wave, report, synth, fpga, asic, formal, fourstate, integration, site, suites, python, coverage, browser, farm.
# SETUP=no skips it, for those who bring their own tools. Exit code 2: it cannot install.
set -euo pipefail

declare -Ar PACKAGES=(
  [build]="clang g++ make cmake ninja-build ccache pkg-config python3 python3-jsonschema verilator
           zlib1g-dev libsystemc-dev libgtest-dev libcli11-dev nlohmann-json3-dev libvalijson-dev libfmt-dev tao-pegtl-dev"
  [lint]="clang-format clang-tidy shellcheck"
  [wave]="gtkwave"
  [report]="gnuplot-nox"
  [synth]="npm nextpnr-ice40"
  [fpga]="npm nextpnr-ice40 fpga-icestorm python3-venv"
  [asic]="npm opensta qflow-tech-osu018"
  [formal]="npm yosys cvc5"
  [fourstate]="iverilog"
  [integration]="python3-venv yosys"
  [site]="python3-venv"
  [suites]="python3-venv"
  [python]="python3-venv python3-dev"
  [coverage]="lcov"
  [browser]="chromium"
  [farm]="slurm-wlm munge"
)

[[ ${SETUP:-} != no ]] || exit 0

needed=()
for group in "${@:-build}"; do
  read -ra packages -d '' <<<"${PACKAGES[$group]:?unknown group $group}" || true
  needed+=("${packages[@]}")
done

is_installed() {
  case $1 in
    npm) command -v npm >/dev/null ;;  # other builds of Node bring their own
    *) [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ;;
  esac
}

missing=()
for package in "${needed[@]}"; do
  is_installed "$package" || missing+=("$package")
done
((${#missing[@]})) || exit 0

give_up() {
  echo "$1 Muster needs these packages (Debian 12's names):" >&2
  printf '  %s\n' "${missing[@]}" >&2
  echo "Install them, or what they stand for on your system, then add SETUP=no to the command." >&2
  exit 2
}

command -v apt-get >/dev/null || give_up "There is no apt here."
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || give_up "Neither root nor sudo, so nothing can be installed."
  as_root=(sudo)
fi

cd "$(dirname "$0")/../.."
mkdir -p build
log=build/setup.log
echo "Muster now installs ${#missing[@]} Debian packages that are missing with ${as_root[*]:+sudo }apt-get (SETUP=no forbids it): ${missing[*]}"
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}
: >"$log"
apt update || echo "apt-get update failed; going on with the lists that there are." >&2
if ! apt install --no-install-recommends "${missing[@]}"; then
  tail -n 5 "$log" >&2
  give_up "apt-get could not install them (see $log)."
fi
