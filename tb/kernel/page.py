#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The page of a run and of `explore` (--page): what is in it, and how it looks in a browser, wide and narrow (skipped where there is no
Chromium).

  page.py MUSTER CASE   runs one case, in a folder of its own
  page.py --list        the names of all cases
"""

import json
import pathlib
import re
import sys

from program import KERNELS, check, main_of, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from browser import chromium, pixels, probed  # noqa: E402, after its folder is known

WIDE, NARROW = (1280, 800), (390, 844)
SOURCE = """// Two warps come to two barriers.
__global__ void crossed() {
  if (threadIdx.x < 32) meet(1);
  meet(2);
}
"""
CROSSED = """.version 7.5
.target sm_80
.address_size 64
.visible .entry crossed() {
    .reg .pred %p; .reg .b32 %r;
    mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 32;
    .loc 1 3 5
    @%p bra FIRST;
    .loc 1 4 3
    bar.sync 2, 64;
    ret;
FIRST:
    .loc 1 3 25
    bar.sync 1, 64;
    ret;
}
.file 1 "crossed.cu"
"""

# What is asked of the page itself. A page in a frame cannot look into a sandboxed timeline, so the timeline's own script is asked to
# click there: it gets a line more.
PROBE = """
addEventListener("load", () => setTimeout(() => {
  const of = name => [...document.querySelectorAll(name)];
  const outside = of("header *, h2, h3, p, li, pre, iframe, #source, .told, .stuck").filter(element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
  }).map(element => element.outerHTML.slice(0, 80));
  const text = name => of(name).map(element => element.textContent);
  const probe = {inner: innerWidth, wide: document.documentElement.scrollWidth, outside, title: document.title, heads: text("h1, h2, h3"),
    verdict: text("#verdict")[0], files: text("#files button"), stuck: text(".stuck"), told: text(".told"), marked: text("#code .marked"),
    shown: text(".stuck.shown h3"), frames: of("iframe").length, buttons: of("#parts button.to").length};
  const seen = element => { const box = element.getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0 && box.height > 100; };
  probe.source = seen(document.getElementById("source"));
  const links = of(".stuck button.to");
  if (links.length) {
    links[links.length - 1].click();
    probe.clicked = links[links.length - 1].textContent;
    probe.now = text("#code .marked");
    const mark = document.querySelector("#code .marked").getBoundingClientRect(), code = document.getElementById("code").getBoundingClientRect();
    probe.inside = mark.top >= code.top - 1 && mark.bottom <= code.bottom + 1;
  }
  parent.postMessage(probe, "*");
}, 1500));
"""
# A frame may not be laid out yet, so the wait is picked as its bar's click does; that clicks arrive is seen in timeline.py.
CLICK = """addEventListener("load", () => setTimeout(() => pick(data.waits.find(wait => wait[OPEN]), true), 300));"""


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def made(muster, folder, *command, code=0):
    """The page that a command writes, and its data. It asks for nothing from elsewhere."""
    page = folder / "page.html"
    result = run(muster, *command, "--page", page)
    check(result.returncode == code, f"expected exit code {code}", result)
    text = page.read_text()
    check("http" not in re.sub(r"http://www\\.w3\\.org/2000/svg", "", re.sub(r"http://www\.w3\.org/2000/svg", "", text)) and
          not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", re.sub(r'url\(#\w+\)', "", text)), "the page needs the network")
    return text, data_of(text)


def crossed(folder):
    (folder / "crossed.cu").write_text(SOURCE)
    (folder / "crossed.ptx").write_text(CROSSED)
    return folder / "crossed.ptx"


def content(muster, folder):
    """The verdict, the launch with its timeline, what is missing where, and the sources; of a run that completes, nothing is missing."""
    _, data = made(muster, folder, "run", crossed(folder), "--block", 64, code=3)
    check(data["title"] == "crossed: deadlock" and not data["good"] and "deadlock" in data["verdict"], data["title"])
    check([file["name"] for file in data["files"]] == ["crossed.cu", "crossed.ptx"] and data["files"][0]["text"] == SOURCE, data["files"])
    part, = data["parts"]
    check([(stuck["ctas"], stuck["place"]) for stuck in part["stuck"]] == [(["(0,0,0)"], "barrier 1"), (["(0,0,0)"], "barrier 2")] and
          len(part["causes"]) == 2, part["stuck"])
    check(data["programs"][0]["lines"]["10"] == [[0, 4]] and data["programs"][0]["ptx"] == 1, data["programs"])
    check(len(data_of(part["timeline"])["waits"]) == 2 and "Every live warp waits" in data["text"], "the timeline and the report")
    _, data = made(muster, folder, "run", KERNELS / "block_sum/block_sum.json")
    check(data["good"] and data["parts"][0]["stuck"] == [] and data["verdict"] == "completes, as expected", data["verdict"])
    _, data = made(muster, folder, "run", KERNELS / "two_buffers/two_buffers.json")
    check(len(data["parts"]) == 1, "a part for each launch")
    text = crossed(folder).read_text().replace("crossed.cu", "gone.cu")
    (folder / "crossed.ptx").write_text(text + "// </script><script>alert(1)</script>\n")
    page, data = made(muster, folder, "run", folder / "crossed.ptx", "--block", 64, code=3)
    check([file["name"] for file in data["files"]] == ["crossed.ptx"], "a source that is not there")
    check(page.count("</script>") == 2 and "alert(1)" in data["files"][0]["text"], "a text ends the page's script")


def misuse(muster, folder):
    """Nothing is overwritten that is read; a page is of a single run, of the unit, and of findings."""
    ptx = crossed(folder)
    for command, says in ((("run", ptx, "--block", 64, "--page", ptx), "would replace"),
                          (("run", ptx, "--block", 64, "--page", folder / "x", "--seeds", 2), "--page is of a single run"),
                          (("run", ptx, "--block", 64, "--page", folder / "x", "--target", "cuda"), "--page is of the unit"),
                          (("explore", ptx, "--block", 64, "--page", ptx), "would replace"),
                          (("explore", ptx, "--block", 64, "--page", folder / "x", "--needless"), "--page is of findings"),
                          (("run", ptx, "--block", 64, "--page", folder / "no/x"), "cannot be written")):
        result = run(muster, *command)
        check(result.returncode == 2 and says in result.stderr, f"expected {says!r}", result)


def explored(muster, folder):
    """A part for each finding, with the timeline of its witness; what nothing confirms is apart."""
    _, data = made(muster, folder, "explore", KERNELS / "explore/stage_reused_too_early/wrong.json", code=3)
    found = [part for part in data["parts"] if part["title"].startswith("Finding")]
    check(found and all("timeline" in part and "PTX line" in part["text"] and "order" in part["text"] for part in found), "the findings")
    check(any(data_of(part["timeline"])["turns"] for part in found), "the turns of a witness")
    check("wrong.cu" in [file["name"] for file in data["files"]] and not data["good"], data["verdict"])
    _, data = made(muster, folder, "explore", KERNELS / "vote/vote.json")
    check(data["good"] and "0 findings" in data["verdict"], data["verdict"])


def looked_at(muster, folder, size):
    """Nothing sticks out; a click on a wait shows which warps are missing and where; a click on a place shows its line of the source."""
    text, _ = made(muster, folder, "run", crossed(folder), "--block", 64, code=3)
    clicks = text.replace("\\u003c/body>", f"\\u003cscript>{json.dumps(CLICK)[1:-1]}\\u003c/script>\\u003c/body>")
    check(clicks != text, "the timeline in the page")
    seen = probed(folder, clicks, size, PROBE)
    check(seen["inner"] == size[0] and seen["wide"] <= size[0] and not seen["outside"] and seen["source"], f"it sticks out: {seen}")
    check(seen["title"] == "crossed: deadlock" and seen["files"] == ["crossed.cu", "crossed.ptx"] and seen["frames"] == 1, f"{seen}")
    check("waits at barrier 1" in seen["told"][0] and "It waits for ever: 1 of 2 warps have arrived" in seen["told"][0] and
          "missing  warp 1, which waits at barrier 2" in seen["told"][0] and len(seen["shown"]) == 1, f"a click on a wait: {seen}")
    check(seen["marked"] == ["  if (threadIdx.x < 32) meet(1);"], f"the line of the wait: {seen}")
    check("line 14" in seen["clicked"] and seen["now"] == ["  if (threadIdx.x < 32) meet(1);"] and seen["inside"], f"a click on a place: {seen}")
    shot = folder / "shot.png"
    (folder / "plain.html").write_text(text)
    chromium(folder, folder / "plain.html", size, f"--screenshot={shot}")
    colours = {colour for row in pixels(shot) for colour in row}
    check(len(colours) > 50, f"the picture has {len(colours)} colours")


def wide(muster, folder):
    looked_at(muster, folder, WIDE)


def narrow(muster, folder):
    looked_at(muster, folder, NARROW)


def findings(muster, folder):
    """The page of findings in a browser, wide and narrow: each has its timeline, and the source of its first place is shown."""
    text, _ = made(muster, folder, "explore", KERNELS / "explore/stage_reused_too_early/wrong.json", code=3)
    for size in (WIDE, NARROW):
        seen = probed(folder, text, size, PROBE)
        check(seen["wide"] <= size[0] and not seen["outside"] and seen["frames"] > 0 and seen["buttons"] > 4 and len(seen["marked"]) == 1,
              f"{size}: {seen}")


CASES = {"content": content, "misuse": misuse, "explored": explored, "wide": wide, "narrow": narrow, "findings": findings}

if __name__ == "__main__":
    main_of(CASES, lambda case, muster, folder: case(muster, folder))
