# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The pins of a unit, of a warp scope, of the atomics beside a unit or of a cluster scope in a trace (FST): those that are shown, their
names, and their values by cycle."""

import dataclasses
import os
import re
import subprocess

from root import ROOT

CYCLE = 10  # time units, as sim/lockstep/dut.h has it
PACKAGES = ["muster_pkg.sv", "warp/muster_warp_pkg.sv", "atomics/muster_atomics_pkg.sv", "cluster/muster_cluster_pkg.sv"]  # of enums


@dataclasses.dataclass(frozen=True)
class Row:
    signal: str  # below the block
    label: str
    how: str = "decimal"  # bit, warps (a set of numbers, of lanes too), decimal, hex, ..., or an enum of the packages
    when: str = ""  # the signal that must not be 0 for this one to mean anything
    bit: int | None = None  # of `when`, and of what is shown as a bit, in a vector of ports
    ops: tuple = ()  # what `lifecycle_i.op` must be for this one to mean anything; empty: anything

    def at(self, port):
        return dataclasses.replace(self, signal=self.signal.replace("PORT", str(port)), bit=port)


def payload(of, when, rows):
    return [Row(f"{of}.{name}", label, how, when) for name, label, how in rows]


GROUP = [("op", "op", "mb_op_e"), ("place.cta", "cta", "decimal"), ("place.addr", "address", "hex")]

@dataclasses.dataclass(frozen=True)
class Block:
    """What is shown of a block, group by group. PORT stands for each of its ports or units, which are those
    that have the signal `each`. `events`: of the one that happens most often, the first time is worth a picture."""
    path: str  # in the trace
    each: str
    groups: dict
    events: tuple


UNIT = Block("muster.muster", "issue_i[PORT].op", {
    "lifecycle": [Row("lifecycle_valid_i", "valid", "bit"), Row("lifecycle_ready_o", "ready", "bit"),
                  *payload("lifecycle_i", "lifecycle_valid_i",
                           [("op", "op", "lifecycle_e"), ("cta", "cta", "decimal")]),
                  Row("lifecycle_warps_i", "warps", "warps", "lifecycle_valid_i", ops=("Launch",)),
                  Row("lifecycle_i.size", "size", "decimal", "lifecycle_valid_i", ops=("Launch", "Open")),
                  Row("lifecycle_i.warp", "warp", "decimal", "lifecycle_valid_i", ops=("Join",)),
                  Row("lifecycle_i.lanes", "lanes", "hex", "lifecycle_valid_i", ops=("Join",))],
    "exit": [Row("exit_valid_i", "valid", "bit"), Row("exit_ready_o", "ready", "bit"),
             *payload("exit_i", "exit_valid_i",
                      [("cta", "cta", "decimal"), ("warp", "warp", "decimal"), ("lanes", "lanes", "hex")])],
    "issue, port PORT": [Row("issue_valid_i", "valid", "bit"), Row("issue_ready_o", "ready", "bit"),
                         *payload("issue_i[PORT]", "issue_valid_i",
                                  [("op", "op", "op_e"), ("cta", "cta", "decimal"),
                                   ("warp", "warp", "decimal"), ("bar", "barrier", "decimal"),
                                   ("count", "count", "decimal"), ("lanes", "lanes", "hex")])],
    "warps": [Row("fence_req_o", "drain asked for", "warps"), Row("busy_o", "busy", "warps"),
              Row("u_cta.waiting", "waiting", "warps")],
    "commit, port PORT": [Row("commit_o.valid", "valid", "bit"),
                          Row("commit_o.warp[PORT]", "warp", "decimal", "commit_o.valid")],
    "commit": [Row("commit_o.lifecycle", "lifecycle", "bit"), Row("commit_o.exit", "exit", "bit")],
    "entry": [Row("commit_o.entry_valid", "written", "bit"),
              *payload("commit_o", "commit_o.entry_valid",
                       [("entry_cta", "cta", "decimal"), ("entry_bar", "barrier", "decimal"),
                        ("entry_word.kind", "kind", "kind_e"), ("entry_word.arrived", "arrived", "decimal"),
                        ("entry_word.expected", "of", "expected"),
                        ("entry_word.value", "value", "decimal"), ("entry_word.phase", "phase", "decimal")])],
    "release": [Row("release_o", "warps", "warps"),
                *payload("release_info_o", "release_o",
                         [("cta", "cta", "decimal"), ("bar", "barrier", "decimal"),
                          ("kind", "kind", "kind_e"), ("value", "value", "decimal")])],
    "fault": [Row("fault_valid_o", "ports, lifecycle, exit", "warps")],
    "mbarrier, warps": [Row("mb_issue_valid_i", "valid", "bit"), Row("mb_issue_ready_o", "ready", "bit"),
                        *payload("mb_issue_i", "mb_issue_valid_i",
                                 [*GROUP, ("warp", "warp", "decimal"), ("lanes", "lanes", "hex"),
                                  ("operand", "operand", "decimal")])],
    "mbarrier, copies": [Row("mb_async_valid_i", "valid", "bit"), Row("mb_async_ready_o", "ready", "bit"),
                         *payload("mb_async_i", "mb_async_valid_i",
                                  [*GROUP, ("operand", "operand", "decimal")])],
    "mbarrier, other CTAs": [Row("mb_remote_valid_i", "valid", "bit"),
                             Row("mb_remote_ready_o", "ready", "bit"),
                             *payload("mb_remote_i", "mb_remote_valid_i",
                                      [*GROUP, ("lanes", "lanes", "hex"),
                                       ("operand", "operand", "decimal")])],
    "mbarrier, commit": [Row("mb_commit_o.valid", "valid", "bit"),
                         *payload("mb_commit_o", "mb_commit_o.valid",
                                  [("source", "source", "mb_source_e"), ("warp", "warp", "decimal"),
                                   ("place.cta", "cta", "decimal"), ("place.addr", "address", "hex"),
                                   ("word.phase", "phase", "decimal"),
                                   ("word.pending", "pending", "negated"),
                                   ("word.tx", "tx-count", "negated_tx"), ("completed", "completed", "decimal"),
                                   ("parked", "parked", "decimal")])],
    "mbarrier, waits": [Row("mb_wake_o", "woken", "warps"), Row("mb_expire_o", "expired", "warps"),
                        Row("mb_fence_req_o", "drain asked for", "warps"),
                        Row("mb_busy_o", "busy", "warps")],
    "mbarrier, response": [Row("mb_response_valid_o", "valid", "bit"),
                           *payload("mb_response_o", "mb_response_valid_o",
                                    [("warp", "warp", "decimal"), ("op", "op", "mb_op_e"),
                                     ("complete", "complete", "decimal")])],
    "mbarrier, fault": [Row("mb_fault_valid_o", "valid", "bit"),
                        *payload("mb_fault_o", "mb_fault_valid_o",
                                 [("cause", "cause", "fault_e"), ("warp", "warp", "decimal")])],
}, ("release_o", "mb_wake_o"))


def each(rows):
    """The elements of arrays."""
    return [dataclasses.replace(row, signal=f"{row.signal}[PORT]") for row in rows]


LANES = [("warp", "warp", "decimal"), ("lanes", "lanes", "warps")]

WARP = Block("warp.muster_warp", "request_i.op", {
    "request": [Row("valid_i", "valid", "bit"), Row("ready_o", "ready", "bit"),
                *payload("request_i", "valid_i",
                         [("op", "op", "warp_op_e"), *LANES, ("live", "live", "warps"), ("key", "key", "hex"),
                          ("preds", "preds", "warps")]),
                Row("beat_i", "beat", "decimal", "valid_i"), Row("last_i", "last beat", "bit")],
    "answer": [Row("answer_valid_o", "valid", "bit"),
               *payload("answer_o", "answer_valid_o",
                     [("op", "op", "warp_op_e"), *LANES, ("data", "data", "hex"), ("pred", "predicate", "decimal")])],
    "arrival at a barrier": [Row("arrival_valid_o", "valid", "bit"), Row("arrival_ready_i", "ready", "bit"),
                             *payload("arrival_o", "arrival_valid_o", [*LANES, ("key", "key", "hex")])],
    "warps": [Row("clear_i", "cleared", "warps"), Row("busy_i", "busy at the barriers", "warps"),
              Row("open_o", "with waiting lanes", "warps")],
    "fault": [Row("fault_valid_o", "valid", "bit"),
              *payload("fault_o", "fault_valid_o", [("cause", "cause", "fault_e"), *LANES])],
}, ("answer_valid_o", "arrival_valid_o"))

ATOMICS = Block("atomics.muster_atomics", "issue_i.op", {
    "update": [Row("issue_valid_i", "valid", "bit"), Row("issue_ready_o", "ready", "bit"),
               *payload("issue_i", "issue_valid_i",
                        [("op", "op", "at_op_e"), ("size", "size", "at_size_e"), ("place.cta", "CTA", "decimal"),
                         ("place.addr", "address", "hex"), ("warp", "warp", "decimal"), ("lane", "lane", "decimal"),
                         ("operand", "operand", "hex")])],
    "memory": [Row("smem_read_valid_o", "read", "bit"), Row("smem_read_place_o.addr", "address", "hex", "smem_read_valid_o"),
               Row("smem_rdata_valid_i", "data", "bit"), Row("smem_rdata_i", "word", "hex", "smem_rdata_valid_i"),
               Row("smem_write_valid_o", "write", "bit"), Row("smem_write_place_o.addr", "address", "hex", "smem_write_valid_o"),
               Row("smem_write_data_o", "word", "hex", "smem_write_valid_o")],
    "commit": [Row("commit_o.valid", "valid", "bit"), Row("commit_o.warp", "warp", "decimal", "commit_o.valid")],
    "answer": [Row("response_valid_o", "valid", "bit"),
               *payload("response_o", "response_valid_o",
                        [("warp", "warp", "decimal"), ("lane", "lane", "decimal"), ("word", "word", "hex")])],
    "warps": [Row("fence_req_o", "drain asked for", "warps"), Row("busy_o", "busy", "warps")],
    "fault": [Row("fault_valid_o", "valid", "bit"), *payload("fault_o", "fault_valid_o", [("cause", "cause", "fault_e")])],
}, ("commit_o.valid", "fault_valid_o"))

CLUSTER = Block("cluster.muster_cluster", "request_i[PORT].op", {
    "what comes and goes": [Row("life_valid_i", "valid", "bit"), Row("life_ready_o", "ready", "bit"),
                            *payload("life_i", "life_valid_i",
                                  [("op", "op", "cluster_life_e"), ("cluster", "cluster", "decimal"),
                                   ("rank", "rank", "decimal"), ("unit", "unit", "decimal"),
                                   ("cta", "cta", "decimal"), ("grid", "grid", "decimal"),
                                   ("size", "size", "decimal")])],
    "request, unit PORT": [Row("request_valid_i", "valid", "bit"), Row("request_ready_o", "ready", "bit"),
                           *payload("request_i[PORT]", "request_valid_i",
                                      [("op", "op", "cluster_op_e"), ("cta", "cta", "decimal"), *LANES])],
    "warps, unit PORT": each([Row("busy_o", "busy", "warps"), Row("fence_req_o", "drain asked for", "warps"),
                              Row("release_o", "released", "warps"),
                              Row("grid_release_o", "released, grid", "warps")]),
    "need not wait, unit PORT": [Row("go_valid_o", "valid", "bit"), *payload("go_o[PORT]", "go_valid_o", LANES)],
    "fault, unit PORT": [Row("fault_valid_o", "valid", "bit"),
                         *payload("fault_o[PORT]", "fault_valid_o", [("cause", "cause", "fault_e"), *LANES])],
    "send, unit PORT": [Row("send_valid_i", "valid", "bit"), Row("send_ready_o", "ready", "bit"),
                        *payload("send_i[PORT]", "send_valid_i",
                                   [("op", "op", "mb_op_e"), ("rank", "rank", "decimal"), *LANES,
                                    ("addr", "address", "hex")])],
    "remote, unit PORT": [Row("remote_valid_o", "valid", "bit"), Row("remote_ready_i", "ready", "bit"),
                          *payload("remote_o[PORT]", "remote_valid_o", GROUP), *payload("remote_from_o[PORT]", "remote_valid_o",
                                             [("unit", "from unit", "decimal"), ("warp", "from warp", "decimal")])],
    "lost, unit PORT": [Row("lost_valid_o", "valid", "bit"),
                        *payload("lost_o[PORT]", "lost_valid_o",
                                   [("rank", "rank", "decimal"), *LANES, ("addr", "address", "hex")])],
    "cancel, unit PORT": [Row("cancel_valid_i", "valid", "bit"), Row("cancel_ready_o", "ready", "bit"),
                          Row("write_valid_o", "response", "bit"), Row("complete_valid_o", "complete_tx", "bit")],
    "grids": [Row("launch_o", "dependents may start", "warps"), Row("flush_o", "to be flushed", "warps")],
}, tuple(f"release_o[{unit}]" for unit in range(16)))

BLOCKS = (UNIT, WARP, ATOMICS, CLUSTER)


NEGATED = {"negated_tx": 21, "negated": 20}  # the widths of the tx-count and of counts in a word


def enum_names(name):
    """The names of an enum of the packages by value, without what all of them begin with."""
    text = "".join((ROOT / "rtl" / package).read_text() for package in PACKAGES)
    body = re.search(rf"typedef enum logic \[\d+:0\] \{{([^}}]*)\}} {name};", text)[1]
    values = re.findall(r"(\w+)\s*=\s*\d+'d(\d+)", body)
    prefix = os.path.commonprefix([item for item, _ in values])
    return {int(value): item.removeprefix(prefix) for item, value in values}


class Trace:
    """The rows' signals, and their values from the trace's begin on, or near its first event."""

    def __init__(self, fst, cycles, at=None):
        self.block = None  # of which this is a trace
        self.full = {}  # signal below the block: its name in the trace, range included
        self.changes = {}  # signal below the block: [(cycle, value)]
        self.event = at
        self.what = ""  # the event's signal, if it was looked for
        self.first = self.last = None
        codes = {}
        if at is None:
            with self.opened(fst) as vcd:
                self.read_names(vcd.stdout, codes)
                self.event = self.first_event(vcd.stdout, codes)
        codes = {}
        with self.opened(fst) as vcd:
            self.read_names(vcd.stdout, codes)
            block = self.block or UNIT
            ports = sum(block.each.replace("PORT", str(port)) in self.full for port in range(64))
            self.groups = {title.replace("PORT", str(port)):
                           [row.at(port) if "PORT" in title else row for row in rows]
                           for title, rows in block.groups.items()
                           for port in range(ports if "PORT" in title else 1)}
            self.read_values(vcd.stdout, codes, cycles)
            vcd.terminate()

    @staticmethod
    def opened(fst):
        return subprocess.Popen(["fst2vcd", fst], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")

    def first_event(self, lines, codes):
        """The first cycle of the event that happens most often, which is what the run is about; None: there is none."""
        events = (self.block or UNIT).events
        codes = {code: event for code, signals in codes.items() for event in events if event in signals}
        cycle, counts = 0, {}
        for line in lines:
            if line.startswith("#"):
                cycle = cycle_of(int(line[1:]))
            elif (event := codes.get(code_of(line))) and "1" in (line.split()[0] if line[0] == "b" else line[0]):
                first, count = counts.get(event, (cycle, 0))
                counts[event] = first, count + 1
        self.what = max(counts, key=lambda event: counts[event][1]) if counts else ""
        return counts[self.what][0] if counts else None

    def read_names(self, lines, codes):
        scope = []
        for line in lines:
            if line.startswith("$scope"):
                scope.append(line.split()[2])
            elif line.startswith("$upscope"):
                scope.pop()
            elif line.startswith("$var"):
                _, _, _, code, name, *bits = line.split()[:-1]
                full = ".".join([*scope, name])
                block = next((block for block in BLOCKS if full.startswith(f"{block.path}.")), None)
                if block:
                    self.block = block
                    signal = full.removeprefix(f"{block.path}.")
                    self.full[signal] = full + "".join(bits)
                    codes.setdefault(code, []).append(signal)
            elif line.startswith("$enddefinitions"):
                return

    def missing(self):
        """Signals that are shown and not in the trace."""
        return sorted({signal for rows in self.groups.values() for row in rows
                       for signal in (row.signal, row.when) if signal and signal not in self.full})

    def read_values(self, lines, codes, cycles):
        wanted = {signal for rows in self.groups.values() for row in rows
                  for signal in (row.signal, row.when)}
        codes = {code: [s for s in signals if s in wanted] for code, signals in codes.items()}
        time = 0
        for line in lines:
            if line.startswith("#"):
                time = int(line[1:])
                if self.event is not None and time > (self.event + cycles) * CYCLE:
                    return
                self.first = time // CYCLE if self.first is None else self.first
                self.last = time // CYCLE
                continue
            value, _, code = line.strip().partition(" ") if line[0] == "b" else (line[0], "", line[1:].strip())
            digits = value.removeprefix("b")
            number = int(digits, 2) if digits and set(digits) <= set("01") else None
            for signal in codes.get(code, ()):
                self.changes.setdefault(signal, []).append((cycle_of(time), number))

    def values(self, signal, cycles):
        """The signal's settled values in these cycles; None: unknown."""
        changes, value, next_change, result = self.changes.get(signal, []), None, 0, []
        for cycle in cycles:
            while next_change < len(changes) and changes[next_change][0] <= cycle:
                value = changes[next_change][1]
                next_change += 1
            result.append(value)
        return result

    def shown(self, row, cycles):
        """What a row shows in each of these cycles: True or False of a bit, or a text; empty: nothing."""
        mask = -1 if row.bit is None else 1 << row.bit
        values = self.values(row.signal, cycles)
        if row.how == "bit":
            return [bool(value and value & mask) for value in values]
        valid = self.values(row.when, cycles) if row.when else [mask] * len(values)
        means = [bool(value and value & mask) for value in valid]
        if row.ops:
            names = enum_names("lifecycle_e")
            means = [valid and names.get(op) in row.ops
                     for valid, op in zip(means, self.values("lifecycle_i.op", cycles))]
        if row.how == "expected":  # of an entry in use alone: 0 stands for all live warps
            used = self.values(row.signal.replace("expected", "kind"), cycles)
            return [str(value or "all live") if valid and kind else "" for value, valid, kind in zip(values, means, used)]
        return [text_of(value, row.how) if valid else "" for value, valid in zip(values, means)]


def cycle_of(time):
    """What the clock's edge, in the middle of a cycle, changes is seen in the next one."""
    return time // CYCLE + (time % CYCLE != 0)


def code_of(line):
    """The short name of the signal that a line of a VCD changes."""
    return line.strip().partition(" ")[2] if line[0] == "b" else line[1:].strip()


def text_of(value, how):
    if value is None:
        return "x"
    if how == "warps":
        return numbers_text(value)
    if how == "hex":
        return f"{value:#x}"
    if how in NEGATED:
        return str(-(value if value < 1 << NEGATED[how] - 1 else value - (1 << NEGATED[how])))
    return str(value) if how == "decimal" else enum_names(how).get(value, str(value))


def numbers_text(mask):
    """0b1101: 0,2-3."""
    numbers = [number for number in range(mask.bit_length()) if mask >> number & 1]
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
