#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""ask.py, with the unit in the place of a GPU and a made-up disassembler in that of the toolkit's.

  ask_test.py MUSTER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import questions

HERE = pathlib.Path(__file__).resolve().parent
CODE = """        /*0070*/                   ISETP.GE.U32.AND P0, PT, R9, 0x1, PT ;
        /*0080*/              @!P0 BRA 0x180 ;           /* 0x0000000000000947 */
        /*0090*/                   BAR.SYNC.DEFER_BLOCKING 0x1, 0x20 ;
        /*00a0*/                   EXIT ;
"""


def asked(muster, folder, tools, *options):
    done = subprocess.run([sys.executable, HERE / "ask.py", muster, folder, *options], capture_output=True, text=True,
                          env=os.environ | {"PATH": str(tools)})
    return done.returncode, done.stdout, done.stderr


def main():
    muster = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        tools, few = pathlib.Path(temporary) / "tools", pathlib.Path(temporary) / "few"
        tools.mkdir()
        questions.write(few)
        for file in few.iterdir():
            if file.stem not in ("a96_r0_one_left", "words_kept"):
                file.unlink()

        code, out, _ = asked(muster, few, tools)
        answers = json.loads(out)
        assert code == 0 and list(answers) == ["a96_r0_one_left", "words_kept"], out
        assert answers["a96_r0_one_left"]["outcome"] == "fault:count_mismatch", out
        assert answers["words_kept"]["out"] == [0x7FFFE800] * 8192, out
        assert answers["words_kept"]["code"] == "there is no ptxas and no cuobjdump here", out

        (tools / "ptxas").write_text("#!/bin/sh\nexit 0\n")
        (tools / "cuobjdump").write_text(f"#!/bin/sh\necho '{CODE}'\n")
        for tool in tools.iterdir():
            tool.chmod(0o755)
        answers = json.loads(asked(muster, few, tools)[1])
        assert answers["words_kept"]["code"] == ["@!P0 BRA 0x180", "BAR.SYNC.DEFER_BLOCKING 0x1, 0x20", "EXIT"], answers
        (tools / "ptxas").write_text("#!/bin/sh\necho no such GPU >&2\nexit 1\n")
        answers = json.loads(asked(muster, few, tools)[1])
        assert answers["words_kept"]["code"] == "ptxas: no such GPU", answers

        code, out, said = asked(muster, few, tools, "--target", "nothing")
        assert code and not out and said.startswith("ask.py: a96_r0_one_left: it does not run with"), said
        code, out, said = asked(muster, tools, tools)
        assert code and "there is no manifest" in said, said


if __name__ == "__main__":
    main()
