# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Named barriers: CTAs whose warps meet, reduce, read, exit and misuse, against the golden model."""

import collections
import os

import cocotb
from harness import Bench, Source, expect
from muster import golden
from muster.golden import FaultCause, OpKind

CONFIG = golden.config(os.environ["MUSTER_CONFIG"])
ALL = 0xffffffff
CYCLES = int(os.environ.get("MUSTER_CYCLES", "4000"))


class Program:
    """What each warp of a CTA does, an operation after the other; it ends with its exit."""

    def __init__(self, random, cta, warps):
        self.cta, self.warps = cta, warps
        steps = {warp: [] for warp in warps}
        threads = 32 * len(warps)
        for _ in range(random.randrange(3, 9)):
            bar = random.randrange(16)
            kind = random.choice([OpKind.sync, OpKind.red_and, OpKind.red_or, OpKind.red_popc])
            producers = set(random.sample(warps, random.randrange(len(warps)))) if kind == OpKind.sync else set()
            for warp in warps:
                if random.random() < 0.1:  # misuse, which changes nothing
                    steps[warp].append(random.choice([dict(kind=OpKind.arrive, bar=bar), dict(kind=OpKind.sync, bar=bar, count=33),
                                                      dict(kind=OpKind.sync, bar=bar, count=4064)]))
                if random.random() < 0.2:
                    steps[warp].append(dict(kind=random.choice([OpKind.b2r_bar, OpKind.b2r_warp, OpKind.b2r_result]), bar=random.randrange(16)))
                steps[warp].append(dict(kind=OpKind.arrive if warp in producers else kind, bar=bar, count=threads if producers else 0,
                                        operand=random.choice([0, ALL, random.getrandbits(32)])))
            if producers:  # who only arrives must not arrive again before the others have come
                for warp in warps:
                    steps[warp].append(dict(kind=OpKind.sync, bar=(bar + 1) % 16))
        self.steps = {warp: collections.deque(own) for warp, own in steps.items()}


class Traffic:
    """Launches CTAs, and presents what their programs say: a driver of the issue, lifecycle and exit ports."""

    def __init__(self, bench, board):
        self.bench, self.board, self.random = bench, board, bench.random
        self.programs = {}  # by CTA slot
        self.leaving = {}
        Issue(bench, self)
        Lifecycle(bench, self)
        Exit(bench, self)

    def _free(self, warp):
        return not self.board.pending >> warp & 1 and not self.board.model.waiting >> warp & 1

    def issue(self):
        ready = [(program, warp) for program in self.programs.values() for warp in program.warps if program.steps[warp] and self._free(warp)]
        if not ready:
            return None
        program, warp = self.random.choice(ready)
        return golden.operation(cta=program.cta, warp=warp, lanes=ALL, **program.steps[warp].popleft())

    def exits(self):
        for program in self.programs.values():
            for warp in program.warps:
                if not program.steps[warp] and self._free(warp) and self.board.model.live >> warp & 1:
                    return golden.operation(OpKind.exit, cta=program.cta, warp=warp, lanes=ALL)
        return None

    def lifecycle(self):
        model = self.board.model
        for cta in range(CONFIG.num_ctas):
            program = self.programs.get(cta)
            if program is not None and not model.live_warps(cta) and not any(program.steps.values()):
                del self.programs[cta]
                return golden.operation(OpKind.end, cta=cta)
            if program is None and not model.resident(cta):
                taken = {warp for other in self.programs.values() for warp in other.warps}
                free = [warp for warp in range(CONFIG.num_warps) if warp not in taken]
                if len(free) < 2:
                    continue
                warps = sorted(self.random.sample(free, self.random.randrange(2, min(len(free), 6) + 1)))
                self.launching = Program(self.random, cta, warps)
                return golden.operation(OpKind.launch, cta=cta, size=len(warps), warps=sum(1 << warp for warp in warps))
        return None


class Issue(Source):
    def __init__(self, bench, traffic):
        self.traffic = traffic
        super().__init__(bench, "issue_valid_i", "issue_ready_o", "issue_i", traffic.issue)

    def drive(self):
        # An operation of a warp that one before has parked waits for its commit.
        super().drive()
        if self.held is not None:
            self.traffic.board.pending |= 1 << self.held.warp

    def present(self, held):
        self.bench.set("issue_i", {f"[0].{name}": getattr(held, name) for name in ("cta", "warp", "bar", "count", "lanes", "operand")}
                       | {"[0].op": held.kind.value})

    def accepted(self, held, view):
        self.traffic.board.accepted[held.warp] = held


class Lifecycle(Source):
    def __init__(self, bench, traffic):
        self.traffic = traffic
        self.committed = True
        super().__init__(bench, "lifecycle_valid_i", "lifecycle_ready_o", "lifecycle_i", self._next, gap=0.8)

    def _next(self):
        if self.traffic.board.lifecycle is not None:
            return None
        self.traffic.board.lifecycle = self.traffic.lifecycle()
        return self.traffic.board.lifecycle

    def present(self, held):
        self.bench.set("lifecycle_i", {"op": held.kind.value - OpKind.launch.value, "cta": held.cta, "size": held.size})
        self.bench.set("lifecycle_warps_i", held.warps)


class Exit(Source):
    def __init__(self, bench, traffic):
        self.traffic = traffic
        super().__init__(bench, "exit_valid_i", "exit_ready_o", "exit_i", self._next, gap=0.5)

    def _next(self):
        if self.traffic.board.exit is not None:
            return None
        self.traffic.board.exit = self.traffic.exits()
        if self.traffic.board.exit is not None:
            self.traffic.board.pending |= 1 << self.traffic.board.exit.warp
        return self.traffic.board.exit

    def present(self, held):
        self.bench.set("exit_i", {name: getattr(held, name) for name in ("cta", "warp", "lanes")})


class Board:
    """The scoreboard, a monitor: steps the golden model at each commit, and compares the outputs, at the cycles that the RTL publishes."""

    def __init__(self, bench):
        self.bench = bench
        self.model = golden.Model(CONFIG)
        self.latency = golden.latency(CONFIG)
        self.pending = 0  # warps with an operation that was presented and has not committed
        self.accepted = {}
        self.lifecycle = self.exit = None
        self.effects = collections.defaultdict(list)  # by cycle: (place in fault_o, effects)
        self.responses = collections.deque()
        self.counts = collections.Counter()
        self.traffic = None
        bench.monitors.append(self)
        bench.drivers.append(self)

    def drive(self):
        self.bench.set("response_ready_i", int(self.bench.random.random() < 0.7))
        # Memory: what a warp has accessed is performed some cycles later.
        self.bench.set("fence_ack_i", self.fences if self.bench.random.random() < 0.4 else 0)

    fences = 0

    def see(self, view):
        self.fences = view["fence_req_o"]
        self._compare(view)
        if view["response_valid_o"] and view["response_ready_i"]:
            response = view.struct("response_o")
            expect("a response", (response.warp, response.data, response.pred), self.responses.popleft(), view)
        commit = view.struct("commit_o")
        if commit.lifecycle:
            operation, self.lifecycle = self.lifecycle, None
            self._step(CONFIG.num_issue, operation, view)
            if operation.kind == OpKind.launch:
                self.traffic.programs[operation.cta] = self.traffic.launching
        if commit.exit:
            operation, self.exit = self.exit, None
            self._step(CONFIG.num_issue + 1, operation, view)
            self.pending &= ~(1 << operation.warp)
        if commit.valid & 1:
            warp = getattr(commit, "warp[0]")
            self._step(0, self.accepted.pop(warp), view)
            self.pending &= ~(1 << warp)

    def _step(self, place, operation, view):
        effects = self.model.step(operation)
        self.counts[operation.kind.name] += 1
        self.counts["faults"] += effects.fault != FaultCause.none
        self.effects[view.cycle + self.latency.effect].append((place, operation, effects))
        if effects.responds:
            self.responses.append((operation.warp, effects.data, int(effects.pred)))

    def _compare(self, view):
        released, faults = 0, 0
        for place, operation, effects in self.effects.pop(view.cycle, []):
            released |= effects.released
            if effects.released and effects.released_kind != golden.BarKind.sync:
                info = view.struct("release_info_o")
                expect("the result", (info.cta, info.bar, info.kind, info.value),
                       (effects.cta, effects.bar, effects.released_kind.value, effects.released_value), view)
            if effects.fault != FaultCause.none:
                faults |= 1 << place
                expect(f"the cause of the fault of {operation}", view.struct("fault_o", place).cause, effects.fault.value, view)
        expect("release_o", view["release_o"], released, view)
        expect("fault_valid_o", view["fault_valid_o"], faults, view)
        self.counts["released"] += bin(released).count("1")


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut)
    board = Board(bench)
    board.traffic = Traffic(bench, board)
    await bench.reset()
    await bench.run(CYCLES)
    dut._log.info(", ".join(f"{name} {count}" for name, count in sorted(board.counts.items())))
    for name in ("sync", "arrive", "red_and", "red_or", "red_popc", "b2r_bar", "b2r_warp", "b2r_result", "launch", "exit", "end", "faults"):
        assert board.counts[name] >= 5, f"the traffic has {board.counts[name]} of {name}: too few to say anything"
    assert board.counts["released"] > 100
