# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The cluster scope: clusters that come and go, whose warps meet at barrier.cluster, exit and misuse, against the golden model."""

import collections
import os

import cocotb
from harness import PORTS, Bench, Source, expect
from muster import golden
from muster.golden import ClusterLifeOp, ClusterOp, FaultCause

CYCLES = int(os.environ.get("MUSTER_CYCLES", "3000"))
UNITS = PORTS["request_valid_i"]["width"]
WARPS = PORTS["busy_o"]["width"] // UNITS
GRIDS = PORTS["launch_o"]["width"]
LATEST = 200  # cycles from the request that lets lanes go on until they do
HALVES = 0x0000ffff, 0xffff0000


class Warp:
    """A warp of a CTA: what its lanes do next. Both halves of it may have come apart."""

    def __init__(self, cluster, unit, cta, warp, phases):
        self.cluster, self.unit, self.cta, self.warp = cluster, unit, cta, warp
        self.live = 0xffffffff
        self.left = {half: [ClusterOp.arrive, ClusterOp.wait] * phases for half in HALVES}
        self.resting = 0  # lanes that wait
        self.under_way = False  # a request was presented and is not accepted, or has not committed


class Life(Source):
    """The scheduler: a grid of one cluster with a CTA on each unit, again and again."""

    def __init__(self, bench, board):
        self.board, self.script = board, collections.deque()
        super().__init__(bench, "life_valid_i", "life_ready_o", "life_i", self._next)

    def _next(self):
        board, random = self.board, self.bench.random
        if not self.script and not board.warps and not board.in_flight:
            phases, size = random.randrange(1, 4), random.randrange(1, 3)
            life = golden.cluster_life
            self.script += [life(ClusterLifeOp.grid, grid=0, size=UNITS), life(ClusterLifeOp.open, cluster=0, size=UNITS)]
            self.script += [life(ClusterLifeOp.launch, grid=0, size=size, cluster=0, rank=rank, unit=rank, cta=rank % 2) for rank in range(UNITS)]
            if random.random() < 0.5:
                self.script.append(self.script[-1])  # misuse: that CTA has been launched
            self.phases = phases
        if not self.script and board.warps and all(not warp.live and not warp.under_way for warp in board.warps):
            self.script += [golden.cluster_life(ClusterLifeOp.end, unit=rank, cta=rank % 2) for rank in range(UNITS)]
        return self.script.popleft() if self.script else None

    def present(self, held):
        self.bench.set("life_i", {name: getattr(held, name) for name in ("grid", "awaits", "size", "cluster", "rank", "unit", "cta")}
                       | {"op": held.op.value})

    def see(self, view):
        if self.held is None or not view["life_ready_o"]:
            return
        held, self.held = self.held, None
        effects = self.board.begin(held, view)
        expect("life_fault_o", view["life_fault_o"], effects.fault.value, view)
        if held.op == ClusterLifeOp.launch and effects.fault == FaultCause.none:
            self.board.warps += [Warp(held.cluster, held.unit, held.cta, warp, self.phases) for warp in range(held.size)]
        if held.op == ClusterLifeOp.end:
            self.board.warps = [warp for warp in self.board.warps if (warp.unit, warp.cta) != (held.unit, held.cta)]


class Requests:
    """The cores of all units: each presents a request at a time."""

    def __init__(self, bench, board):
        self.bench, self.board = bench, board
        self.held = [None] * UNITS
        bench.drivers.append(self)
        bench.monitors.append(self)

    def _next(self, unit):
        random = self.bench.random
        free = [warp for warp in self.board.warps if warp.unit == unit and warp.live and not warp.under_way]
        if not free or random.random() < 0.4:
            return None
        warp = random.choice(free)
        half = random.choice(HALVES)
        lanes = warp.live & half
        if not lanes or warp.resting & lanes:
            return None
        if not warp.left[half]:
            left = warp.live & ~lanes
            request = golden.cluster_request(ClusterOp.exit, warp=warp.warp, cta=warp.cta, lanes=lanes, live=left)
        else:
            op = warp.left[half][0]
            if op == ClusterOp.arrive and random.random() < 0.05:
                op = ClusterOp.wait  # misuse: the lanes have not arrived
            request = golden.cluster_request(op, warp=warp.warp, cta=warp.cta, lanes=lanes, live=warp.live)
        if not self.board.scope.may_be_presented(unit, request):
            return None
        warp.under_way = True
        return warp, half, request

    def drive(self):
        valid, bits = 0, {}
        for unit in range(UNITS):
            self.held[unit] = self.held[unit] or self._next(unit)
            if self.held[unit] is not None:
                request = self.held[unit][2]
                valid |= 1 << unit
                bits |= {f"[{unit}].{name}": getattr(request, name) for name in ("warp", "cta", "lanes", "live")} | {f"[{unit}].op": request.op.value}
        self.bench.set("request_valid_i", valid)
        self.bench.set("request_i", bits)

    def see(self, view):
        for unit in range(UNITS):
            if self.held[unit] is not None and view["request_ready_o"] >> unit & 1:
                self.board.flights[unit, self.held[unit][0].warp] = self.held[unit]
                self.held[unit] = None


class Board:
    """The scoreboard. A request takes effect when the warp is busy no longer; lanes that may go on do so within a bound, and no others."""

    def __init__(self, bench):
        self.bench = bench
        config = golden.ClusterConfig()
        config.num_units, config.num_warps, config.num_ctas, config.num_clusters, config.num_grids = UNITS, WARPS, 2, 2, GRIDS
        self.scope = golden.ClusterScope(config)
        self.warps = []
        self.flights = {}  # accepted, by unit and warp
        self.may_go = {}  # (unit, warp): lanes, and the cycle since which
        self.busy = [0] * UNITS
        self.counts = collections.Counter()
        self.fences = self.flushes = self.flushing = 0
        self.in_flight = False  # a grid that is not over
        bench.drivers.append(self)
        bench.monitors.append(self)

    def drive(self):
        self.bench.set("fence_ack_i", self.fences if self.bench.random.random() < 0.4 else 0)
        self.flushing = self.flushes if self.bench.random.random() < 0.2 else 0
        self.bench.set("flushed_i", self.flushing)

    def begin(self, life, view):
        effects = self.scope.begin(life)
        if life.op == ClusterLifeOp.grid and effects.fault == FaultCause.none:
            self.in_flight = True
        self.counts[life.op.name] += 1
        self.counts["refused lives"] += effects.fault != FaultCause.none
        return effects

    def see(self, view):
        for unit in range(UNITS):
            busy = view["busy_o"] >> unit * WARPS & (1 << WARPS) - 1
            done = self.busy[unit] & ~busy
            self.busy[unit] = busy
            assert done & done - 1 == 0, f"cycle {view.cycle}: requests of several warps of unit {unit} end in one cycle"
            if done:
                self._commit(unit, done.bit_length() - 1, view)
            else:
                expect(f"a fault or a go of unit {unit}", (view["fault_valid_o"] | view["go_valid_o"]) >> unit & 1, 0, view)
            for number in range(WARPS):
                if view["release_o"] >> unit * WARPS + number & 1:
                    warp = self._warp(unit, number)
                    expect(f"what goes on of warp {number} of unit {unit}", warp.resting, self.may_go.pop((unit, number), (0, 0))[0], view)
                    warp.resting = 0
                    self.counts["released"] += 1
        for place, (lanes, since) in self.may_go.items():
            assert view.cycle < since + LATEST, f"cycle {view.cycle}: lanes {lanes:#x} of unit and warp {place} may go on since cycle {since}"
        self.fences = view["fence_req_o"]
        if self.flushing & view["flush_o"]:
            self.scope.flushed(0)
            self.in_flight = False
            self.counts["grids over"] += 1
        self.flushes = view["flush_o"]

    def _warp(self, unit, number):
        return next(warp for warp in self.warps if (warp.unit, warp.warp) == (unit, number))

    def _commit(self, unit, number, view):
        warp, half, request = self.flights.pop((unit, number))
        warp.under_way = False
        effects = self.scope.step(unit, request)
        self.counts[request.op.name] += 1
        refused = effects.fault != FaultCause.none
        expect(f"whether {request.op.name} of unit {unit}, warp {number} is refused", view["fault_valid_o"] >> unit & 1, int(refused), view)
        go = view.struct("go_o", unit).lanes if view["go_valid_o"] >> unit & 1 else 0
        assert go & ~effects.go == 0, f"cycle {view.cycle}: lanes {go:#x} go on, and the golden model says {effects.go:#x}"
        if refused:
            fault = view.struct("fault_o", unit)
            expect("a fault", (fault.cause, fault.warp, fault.cta, fault.lanes), (effects.fault.value, number, request.cta, effects.at_fault), view)
            self.counts["faults"] += 1
            return
        if request.op == ClusterOp.exit:
            warp.live = request.live
        else:
            warp.left[half].pop(0)
        if request.op == ClusterOp.wait:
            warp.resting |= request.lanes & ~go
            self._may_go(unit, number, effects.go & ~go, view)
        for lanes in effects.releases:
            self._may_go(lanes.unit, lanes.warp, lanes.lanes, view)

    def _may_go(self, unit, number, lanes, view):
        if lanes:
            before, since = self.may_go.get((unit, number), (0, view.cycle))
            self.may_go[unit, number] = before | lanes, since


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut)
    board = Board(bench)
    await bench.reset()
    Life(bench, board)
    Requests(bench, board)
    await bench.run(CYCLES)
    dut._log.info(", ".join(f"{name} {count}" for name, count in sorted(board.counts.items())))
    for name in ("grid", "open", "launch", "end", "arrive", "wait", "exit", "released", "faults", "refused lives", "grids over"):
        assert board.counts[name] >= 3, f"the traffic has {board.counts[name]} of {name}: too few to say anything"
