# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How often inputs change in a run of a kernel, from its waveform."""

import re
import subprocess

from root import ROOT

KERNEL = "mb_ring"
# The instance of a top within the unit; other tops are taken for parts whose inputs change as often as the unit's do.
INSTANCE = {"muster": "muster", "muster_mbarrier": "u_mbarrier"}


def of_kernel(config, fst):
    """The waveform of the kernel on a configuration, as VCD."""
    subprocess.run([ROOT / "scripts/run/build.sh", "muster"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([ROOT / "build/sim/app/muster", "run", f"sim/kernels/{KERNEL}/{KERNEL}.json", "--config", config, "--wave", fst],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["fst2vcd", fst], capture_output=True, text=True, check=True).stdout


def of_inputs(vcd, top):
    """Changes of a bit in a cycle: of each input of the top, the mean over its bits, and of all of them, under the name ''."""
    found = rates(vcd, INSTANCE.get(top, "muster"))
    return found if top in INSTANCE else {"": found[""]}


def rates(vcd, instance):
    scope, bits, clock = [], {}, None
    head, changes = vcd.split("$enddefinitions", 1)
    for kind, rest in re.findall(r"^\s*\$(scope|upscope|var)\s*(.*?)\s*\$end", head, re.MULTILINE):
        words = rest.split()
        if kind == "scope":
            scope.append(words[1])
        elif kind == "upscope":
            scope.pop()
        elif instance in scope:
            # A port, or, a scope deeper, a member of one that is a structure.
            path = [*scope[scope.index(instance) + 1:], words[3]]
            port = path[0].split("[")[0]
            if path == ["clk_i"]:
                clock = words[2]
            elif port.endswith("_i"):
                bits.setdefault(words[2], (port, int(words[1])))
    before, changed, cycles = {}, {}, 0
    for line in changes.split("\n"):
        if line.startswith("b"):
            value, _, code = line[1:].partition(" ")
        else:
            value, code = line[:1], line[1:]
        if code == clock:
            cycles += value == "1"
        elif code in bits:
            port, width = bits[code]
            value = value.rjust(width, "0")
            if code in before:
                changed[port] = changed.get(port, 0) + sum(a != b for a, b in zip(value, before[code]))
            before[code] = value
    widths = {}
    for port, width in bits.values():
        widths[port] = widths.get(port, 0) + width
    means = {port: changed.get(port, 0) / (cycles * width) for port, width in widths.items()}
    return means | {"": sum(changed.values()) / (cycles * sum(widths.values()))}
