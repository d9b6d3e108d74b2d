# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Pages as a browser shows them: what a script finds out in them, and their pixels. Without a browser a test is skipped."""

import html
import json
import re
import shutil
import struct
import subprocess
import sys
import zlib

SKIPPED = 77
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# A window is never as narrow as a phone's screen, but a frame may be.
FRAME = """<!DOCTYPE html><pre id="probe"></pre><script>
addEventListener("message", event => { document.getElementById("probe").textContent = JSON.stringify(event.data); });
</script><iframe src="probed.html" width="%d" height="%d" style="border: 0"></iframe>"""


def browser():
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    print(f"skipped: there is no browser here ({', '.join(BROWSERS)}); scripts/run/setup.sh browser installs one")
    sys.exit(SKIPPED)


def chromium(folder, page, size, *options):
    """What the browser prints about a page in a window of this size, in pixels. All frames are in one process: virtual time is a process's."""
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-features=IsolateSandboxedIframes", f"--user-data-dir={folder}/profile",
               f"--window-size={size[0]},{size[1]}", *options, page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    if result.returncode:
        sys.exit(f"the browser fails: {result.stdout}{result.stderr}")
    return result.stdout


def probed(folder, text, size, script):
    """What a script finds out in the page, in a frame of this size: it sends that to its parent."""
    (folder / "probed.html").write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    frame = folder / "frame.html"
    frame.write_text(FRAME % size)
    dom = chromium(folder, frame, (size[0] + 50, size[1] + 100), "--dump-dom", "--virtual-time-budget=10000")
    found = re.search(r'<pre id="probe">(.+?)</pre>', dom, re.DOTALL)
    if not found:
        sys.exit(f"the page has not come to its end: {dom[:2000]}")
    return json.loads(html.unescape(found[1]))


def pixels(path):
    """The pixels of a PNG as browsers write it: 8 bits, not interlaced."""
    data = path.read_bytes()
    width, height, bits, kind = struct.unpack(">IIBB", data[16:26])
    if bits != 8 or kind not in (2, 6):
        sys.exit("another kind of PNG")
    step = 3 if kind == 2 else 4
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, before, rows = zlib.decompress(packed), bytes(width * step), []
    for y in range(height):
        row = bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        filtered = raw[y * (width * step + 1)]
        for i in range(len(row) if filtered else 0):
            a, b, c = (row[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = row[i] + (0, a, b, (a + b) // 2, paeth)[filtered] & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), step)])
        before = bytes(row)
    return rows
