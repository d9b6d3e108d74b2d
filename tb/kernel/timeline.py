#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The timeline of a run: the page, looked at in a browser (skipped where there is no Chromium), and
the trace, checked by the rules of the trace-event format.

  timeline.py MUSTER CASE   runs one case, in a folder of its own
  timeline.py --list        the names of all cases
"""

import collections
import json
import pathlib
import re
import sys

from program import KERNELS, check, main_of, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from browser import chromium, pixels, probed  # noqa: E402, after its folder is known

# What the test asks of the page itself: the click, the zoom, and whether anything sticks out.
PROBE = """
addEventListener("load", () => {
  const of = name => [...document.querySelectorAll(name)];
  const outside = of("header *, #told, #view, svg, text.warp, text.cta").filter(element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
  }).map(element => element.outerHTML.slice(0, 80));
  const probe = {inner: innerWidth, wide: document.documentElement.scrollWidth, outside,
    bars: of(".wait").length, thin: of(".thin").length, ticks: of(".arrival").length, links: of(".link").length,
    open: of(".wait.open").length, title: document.title, cut: !document.getElementById("cut").hidden,
    warps: of("text.warp").map(text => text.textContent), ctas: of("text.cta").map(text => text.textContent)};
  for (let i = 0; i < 4; ++i) document.getElementById("in").click();
  probe.zoomed = of(".wait").length;
  document.getElementById("fit").click();
  probe.again = of(".wait").length;
  of(".wait, .thin")[0].dispatchEvent(new MouseEvent("click", {bubbles: true}));
  probe.told = document.getElementById("told").textContent;
  probe.picked = of(".picked").length;
  parent.postMessage(probe, "*");
});
"""


def recorded(muster, folder, kernel, code=0, *options):
    """The page, its data, and the trace of a kernel."""
    page, trace = folder / "t.html", folder / "t.json"
    result = run(muster, "run", KERNELS / kernel / f"{kernel}.json", "--timeline", page, "--trace", trace, *options)
    check(result.returncode == code, f"{kernel}: expected exit code {code}", result)
    text = page.read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    return text, data, json.loads(trace.read_text())


def page(muster, folder, size=(1200, 700)):
    """Rows, bars and ticks are those of the data; a click tells what a bar is; nothing sticks out."""
    text, data, _ = recorded(muster, folder, "block_sum")
    check("http" not in re.sub(r'http://www\.w3\.org/2000/svg', "", text), "the page needs the network")
    check(len(data["rows"]) == 16 and len(data["arrivals"]) == len(data["waits"]) == 144, "what is recorded")
    seen = probed(folder, text, size, PROBE)
    check(seen["inner"] == size[0] and seen["wide"] <= size[0] and not seen["outside"], f"it sticks out: {seen}")
    check(seen["title"] == "Timeline of block_sum" and seen["ctas"] == ["CTA (0,0,0)", "CTA (1,0,0)"] and
          seen["warps"] == [f"warp {w}" for w in range(8)] * 2, f"the rows: {seen}")
    released = sum(w[7] >= 0 for w in data["waits"])
    # In a narrow window several bars and ticks fall together.
    most = 144 if size[0] > 1000 else 100
    check(most <= seen["bars"] <= 144 and most <= seen["ticks"] <= 144 and seen["links"] == released and
          seen["open"] == 0 and seen["picked"] == 1 and not seen["cut"], f"bars and ticks: {seen}")
    check(0 < seen["zoomed"] < seen["bars"] == seen["again"], f"zoom: {seen}")
    wait = next(w for w in data["waits"] if w[0] == 0)
    check(seen["told"].startswith(f"warp 0 of CTA (0,0,0) waits at barrier 0, phase 0, from cycle {wait[4]} to {wait[5]}")
          and f"released by warp {data['rows'][wait[7]][1]} of CTA (0,0,0)" in seen["told"] and
          f"line {wait[3]}" in seen["told"], f"what a click tells: {seen['told']}")
    shot = folder / "shot.png"
    (folder / "plain.html").write_text(text)
    chromium(folder, folder / "plain.html", size, f"--screenshot={shot}")
    rows = pixels(shot)
    blue = sum(b > r + 90 and b > 150 for row in rows for r, g, b in row)
    check(len(rows) == size[1] and blue > 1000, f"the picture has {blue} pixels of bars")


def phone(muster, folder):
    """The same on a phone's screen."""
    page(muster, folder, (390, 844))


def deadlock(muster, folder):
    """Waits that do not end are drawn, and the page says so."""
    text, data, _ = recorded(muster, folder, "deadlock")
    check(data["outcome"] == "deadlock" and [w[10] for w in data["waits"]] == [1, 1], data["waits"])
    seen = probed(folder, text, (1200, 700), PROBE)
    check(seen["open"] == seen["bars"] == 2 and seen["links"] == 0 and "It is not released." in seen["told"],
          f"open waits: {seen}")


def check_trace(trace, arrivals, waits):
    """The rules of the format; returns the events by their kind."""
    events = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        check({"ph", "name", "pid", "tid"} <= set(event) and isinstance(event["pid"], int), event)
        check(event["ph"] in "XMsf" and (event["ph"] == "M" or event["ts"] >= 0), event)
        events[event["ph"]].append(event)
    slices = collections.defaultdict(list)
    for event in events["X"]:
        check(event["dur"] >= 0 and {"phase", "place"} <= set(event["args"]), event)
        slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for thread in slices.values():  # slices of a thread lie in each other, or apart
        open_ends = []
        for begin, end in sorted(thread, key=lambda slice: (slice[0], -slice[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            check(not open_ends or end <= open_ends[-1], f"slices that overlap: {begin} to {end}")
            open_ends.append(end)
    begins = {event["id"]: event for event in events["s"]}
    ends = {event["id"]: event for event in events["f"]}
    check(len(begins) == len(events["s"]) and len(ends) == len(events["f"]) and set(begins) == set(ends),
          "flows without a beginning, without an end, or twice")
    for number, begin in begins.items():
        end = ends[number]
        check(begin["ts"] <= end["ts"] and end["bp"] == "e" and begin["cat"] == end["cat"], f"{begin} {end}")
        for event in (begin, end):
            check(any(a <= event["ts"] <= b for a, b in slices[event["pid"], event["tid"]]),
                  f"a flow that touches no slice: {event}")
    names = {(event["pid"], event["tid"]) for event in events["M"] if event["name"] == "thread_name"}
    check({thread for thread in slices if thread[1] % 64 == 0} <= names, "threads without a name")
    check(len(events["X"]) == arrivals + waits, f"{len(events['X'])} slices, not {arrivals} + {waits}")
    return events


def trace(muster, folder):
    """The traces of kernels of each scope keep to the format, and have what the pages have."""
    for kernel, kind in (("block_sum", "barrier 0"), ("mb_pipeline", "mbarrier "), ("cluster_forms", "barrier.cluster"),
                         ("warp_gather", "other lanes of the warp"), ("mb_lanes_apart", "mbarrier "),
                         ("mb_copy_arrive", "mbarrier "), ("mb_remote_arrive", "mbarrier "), ("deadlock", "barrier 1")):
        _, data, said = recorded(muster, folder, kernel)
        events = check_trace(said, len(data["arrivals"]), len(data["waits"]))
        check(any(event["name"].startswith(f"waits at {kind}") for event in events["X"]), f"{kernel}: no waits")
        released = sum(w[7] >= 0 and not w[10] and w[5] > w[4] for w in data["waits"])
        check(len(events["s"]) == released and (released > 0) == (kernel != "deadlock"),
              f"{kernel}: {len(events['s'])} flows for {released} waits that a warp ended")
        outside = sum("copy" in event["args"].get("released", "") for event in events["X"])
        check((outside > 0) == (kernel in ("mb_copy_arrive", "mb_remote_arrive", "mb_pipeline")),
              f"{kernel}: {outside} waits that a copy or another CTA ended")
        check(said["otherData"]["outcome"] == data["outcome"] and said["otherData"]["cycles"] == data["cycles"], kernel)


def same_run(muster, folder):
    """Recording changes nothing: the log is the same with it and without."""
    logs = []
    for n, options in enumerate(((), ("--timeline", folder / "t.html", "--trace", folder / "t.json"))):
        log = folder / f"{n}.jsonl"
        result = run(muster, "run", KERNELS / "mb_pipeline" / "mb_pipeline.json", "--log", log, *options)
        check(result.returncode == 0, "expected success", result)
        logs.append(log.read_text())
    check(logs[0] == logs[1], "the run is another one")
    result = run(muster, "run", KERNELS / "vote" / "vote.json", "--timeline", KERNELS / "vote" / "vote.ptx")
    check(result.returncode == 2 and "would replace" in result.stderr, "expected a sentence", result)
    result = run(muster, "run", KERNELS / "vote" / "vote.json", "--seeds", 2, "--trace", folder / "x")
    check(result.returncode == 2 and "--trace is of a single run" in result.stderr, "expected a sentence", result)


CUT = """.version 7.5
.target sm_80
.address_size 64
.visible .entry cut() {
    .reg .b32 %r; .reg .pred %p;
    mov.u32 %r, 1300;
AGAIN:
    bar.sync 0;
    sub.u32 %r, %r, 1; setp.ne.u32 %p, %r, 0; @%p bra AGAIN;
    ret;
}
"""


def cut(muster, folder):
    """Of a run with too many events the first ones are shown, and the page says so."""
    (folder / "k.ptx").write_text(CUT)
    page_file, trace_file = folder / "t.html", folder / "t.json"
    result = run(muster, "run", folder / "k.ptx", "--block", 1024, "--timeline", page_file, "--trace", trace_file)
    check(result.returncode == 0, "expected success", result)
    text = page_file.read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    count = len(data["rows"]) + len(data["arrivals"]) + len(data["waits"])
    check(data["most"] == 50_000 and count <= 50_001 and data["shown"] < data["cycles"], f"{count} events")
    said = json.loads(trace_file.read_text())
    check(said["otherData"]["recorded_until"] == data["shown"], said["otherData"])
    check_trace(said, len(data["arrivals"]), len(data["waits"]))
    seen = probed(folder, text, (1200, 700), PROBE)
    check(seen["cut"] and seen["bars"] < 2000 and seen["thin"] > 20 and seen["zoomed"] > 0, f"the page: {seen}")


CASES = {"page": page, "phone": phone, "deadlock": deadlock, "trace": trace, "same_run": same_run, "cut": cut}

if __name__ == "__main__":
    main_of(CASES, lambda case, muster, folder: case(muster, folder))
