# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""mbarriers: warps, a copy engine and another CTA at a few words of two CTAs, with a slow memory, against the golden model."""

import collections
import os

import cocotb
from harness import Bench, Source, expect
from muster import golden
from muster.golden import FaultCause, MbOp, MbSource, OpKind

CONFIG = golden.config(os.environ["MUSTER_CONFIG"])
CYCLES = int(os.environ.get("MUSTER_CYCLES", "4000"))
ADDRESSES = (0, 8, 64, 1024)
WAITS = (MbOp.test_wait, MbOp.test_wait_parity, MbOp.try_wait, MbOp.try_wait_parity)
TRY_WAITS = WAITS[2:]
ARRIVALS = (MbOp.arrive, MbOp.arrive_expect_tx, MbOp.arrive_drop, MbOp.arrive_no_complete)


class Memory:
    """The shared memory of the CTAs: grants at random, and answers a read some cycles later."""

    def __init__(self, bench):
        self.bench, self.words, self.reading = bench, {}, None
        bench.drivers.append(self)
        bench.monitors.append(self)

    def drive(self):
        chance = self.bench.random.random
        self.bench.set("smem_read_ready_i", int(self.reading is None and chance() < 0.8))
        self.bench.set("smem_write_ready_i", int(chance() < 0.8))
        self.answers = self.reading is not None and chance() < 0.6
        self.bench.set("smem_rdata_valid_i", int(self.answers))
        if self.answers:
            self.bench.set("smem_rdata_i", self.words.get(self.reading, 0))

    def see(self, view):
        if self.answers:
            self.reading = None
        if view["smem_write_valid_o"] and view["smem_write_ready_i"]:
            place = view.struct("smem_write_place_o")
            self.words[place.cta, place.addr] = view["smem_write_data_o"]
        if view["smem_read_valid_o"] and view["smem_read_ready_i"]:
            place = view.struct("smem_read_place_o")
            self.reading = place.cta, place.addr


class Warps(Source):
    def __init__(self, bench, board):
        self.board = board
        super().__init__(bench, "mb_issue_valid_i", "mb_issue_ready_o", "mb_issue_i", self._next)

    def _next(self):
        random, board = self.bench.random, self.board
        free = [warp for warp in range(CONFIG.num_warps) if not board.flights[MbSource.warp, warp] and not board.barriers.parked >> warp & 1]
        if not free:
            return None
        warp = random.choice(free)
        op = random.choices([MbOp.init, MbOp.inval, *ARRIVALS, MbOp.expect_tx, MbOp.complete_tx, *WAITS],
                            [4, 0.3, 12, 1, 0.5, 1, 0.5, 0.2, 2, 4, 3, 8])[0]
        lanes = random.choice([1, 1 << random.randrange(32), 0x30, 0xffffffff])
        operand = {MbOp.init: random.randrange(1, 8), MbOp.arrive: random.choice([1, 1, 2, 9])}.get(op, random.choice([0, 4, 16]))
        if op in ARRIVALS[2:]:
            operand = 1
        hint = op in TRY_WAITS and random.random() < 0.9  # so that no warp waits for long
        addr = random.choice(ADDRESSES)
        running = board.barriers.word(warp % 2, addr) >> 63 == 1  # the phase that most waits are for
        return golden.mb_operation(op, cta=warp % 2, warp=warp, lanes=lanes, addr=addr, operand=random.randrange(20, 400) if hint else operand,
                                   phase=op in WAITS and running ^ (random.random() < 0.2), has_token=op in ARRIVALS and random.random() < 0.5, has_hint=hint,
                                   whole=op in TRY_WAITS, releasing=op in ARRIVALS and random.random() < 0.5)

    def present(self, held):
        self.bench.set("mb_issue_i", {"op": held.op.value, "place.cta": held.cta, "place.addr": held.addr, "warp": held.warp, "lanes": held.lanes,
                                      "operand": held.operand} | {name: int(getattr(held, name)) for name in
                                                                  ("phase", "has_token", "has_hint", "whole", "releasing")})

    def accepted(self, held, view):
        self.board.flights[MbSource.warp, held.warp].append(held)


class Others(Source):
    """A copy engine, or another CTA."""

    def __init__(self, bench, board, name, source):
        self.board, self.source = board, source
        super().__init__(bench, f"mb_{name}_valid_i", f"mb_{name}_ready_o", f"mb_{name}_i", self._next, gap=0.8)

    def _next(self):
        random = self.bench.random
        cta, addr = random.randrange(2), random.choice(ADDRESSES)
        missing = self.board.missing(cta, addr)
        if missing > 0 or random.random() < 0.1:
            op, operand = MbOp.complete_tx, max(missing, 4)
        else:
            op, operand = MbOp.arrive, 1
        return golden.mb_operation(op, source=self.source, cta=cta, lanes=1, addr=addr, operand=operand)

    def present(self, held):
        values = {"op": held.op.value, "place.cta": held.cta, "place.addr": held.addr, "operand": held.operand}
        self.bench.set(self.payload, values | ({"lanes": 1} if self.source == MbSource.remote else {}))

    def accepted(self, held, view):
        self.board.flights[self.source, 0].append(held)


class Board:
    """The scoreboard: steps the golden model at each commit, and compares words, wake-ups, faults and responses."""

    def __init__(self, bench):
        self.bench = bench
        self.model = golden.Model(CONFIG)
        self.barriers = golden.Mbarriers(self.model, CONFIG.smem_bytes)
        self.latency = golden.latency(CONFIG)
        self.flights = collections.defaultdict(collections.deque)  # accepted and not committed, by source and warp
        self.wakes, self.faults = collections.Counter(), {}
        self.committed = None
        self.responses = collections.deque()  # warp, lanes, what is answered, whether that is of a wait
        self.counts = collections.Counter()
        self.fences = 0
        bench.drivers.append(self)
        bench.monitors.append(self)

    def missing(self, cta, addr):
        """Bytes that are expected, and have not come."""
        tx = self.barriers.word(cta, addr) >> 21 & 0x1fffff
        return (1 << 21) - tx if tx >> 20 else -tx

    def drive(self):
        self.bench.set("mb_response_ready_i", int(self.bench.random.random() < 0.8))
        self.bench.set("mb_fence_ack_i", self.fences if self.bench.random.random() < 0.4 else 0)

    def see(self, view):
        self.fences = view["mb_fence_req_o"]
        # A wait whose time is over has been answered before what committed in the cycle before.
        for warp in range(CONFIG.num_warps):
            if view["mb_expire_o"] >> warp & 1:
                assert self.barriers.parked >> warp & 1, f"cycle {view.cycle}: warp {warp} is answered, and is not parked"
                self.barriers.expire(warp)
                self.counts["expired"] += 1
        if self.committed is not None:
            self._step(*self.committed)
            self.committed = None
        expect("mb_wake_o", view["mb_wake_o"], self.wakes.pop(view.cycle, 0), view)
        cause = self.faults.pop(view.cycle, None)
        expect("mb_fault_valid_o", view["mb_fault_valid_o"], int(cause is not None), view)
        if cause is not None:
            expect("the cause of the fault", view.struct("mb_fault_o").cause, cause.value, view)
        if view["mb_response_valid_o"] and view["mb_response_ready_i"]:
            self._answer(view)
        commit = view.struct("mb_commit_o")
        if commit.valid:
            source = MbSource(commit.source)
            warp = commit.warp if source == MbSource.warp else 0
            flight = self.flights[source, warp]
            assert flight, f"cycle {view.cycle}: a commit of {source.name} {warp}, of which nothing was accepted"
            lanes = flight[0].lanes & commit.lanes
            rest = flight[0].lanes & ~lanes
            operation = _with_lanes(flight[0], lanes)
            operation.behind |= rest
            if rest:
                flight[0] = _with_lanes(flight[0], rest)
            else:
                flight.popleft()
            self.committed = view, commit, operation

    def _step(self, view, commit, operation):
        effects = self.barriers.step(operation)
        self.counts[operation.op.name] += 1
        self.counts["completions"] += effects.completions
        expect(f"whether {operation} is written", commit.written, int(effects.written), view)
        if effects.written:
            expect(f"the word after {operation}", _bits(commit, "word"), effects.word, view)
        expect(f"whether {operation} completes a phase", commit.completed, int(effects.completions > 0), view)
        expect(f"whether {operation} parks", commit.parked, int(effects.parked != 0), view)
        for answer in effects.answers:
            self.wakes[view.cycle + self.latency.mb_wake] |= 1 << answer.warp
            self.counts["woken"] += 1
        causes = [cause for cause in effects.fault if cause != FaultCause.none]
        if causes:
            self.faults[view.cycle + 1] = causes[0]
            self.counts["faults"] += 1
        elif operation.source == MbSource.warp and not effects.parked and (operation.op in WAITS or operation.has_token):
            first = (operation.lanes & -operation.lanes).bit_length() - 1
            answer = effects.complete == operation.lanes if operation.op in WAITS else effects.token[first]
            self.responses.append((operation.warp, operation.lanes, int(answer), operation.op in WAITS))

    def _answer(self, view):
        response = view.struct("mb_response_o")
        *wanted, waits = self.responses.popleft()
        expect("a response", [response.warp, response.lanes, response.complete if waits else _bits(response, "token")], wanted, view)
        self.counts["responses"] += 1


def _with_lanes(operation, lanes):
    names = ("op", "source", "cta", "warp", "addr", "operand", "phase", "has_token", "has_hint", "whole", "releasing", "behind")
    return golden.mb_operation(**{name: getattr(operation, name) for name in names}, lanes=lanes)


def _bits(struct, member):
    """The bits of a member that is itself a struct."""
    inside = [place for name, place in struct._places.items() if name.startswith(f"{member}.")]
    low = min(place[0] for place in inside)
    width = max(place[0] + place[1] for place in inside) - low
    return struct._bits >> low & (1 << width) - 1


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut)
    board = Board(bench)
    Memory(bench)
    await bench.reset()
    for cta in range(2):  # every second warp is of CTA 0, the others of CTA 1
        warps = sum(1 << warp for warp in range(cta, CONFIG.num_warps, 2))
        launch = golden.operation(OpKind.launch, cta=cta, size=CONFIG.num_warps // 2, warps=warps)
        bench.set("lifecycle_i", {"op": 0, "cta": cta, "size": launch.size})
        bench.set("lifecycle_warps_i", warps)
        bench.set("lifecycle_valid_i", 1)
        await bench.until("lifecycle_ready_o")
        bench.set("lifecycle_valid_i", 0)
        board.model.step(launch)
        await bench.run(10)
    Warps(bench, board)
    Others(bench, board, "async", MbSource.async_)
    Others(bench, board, "remote", MbSource.remote)
    await bench.run(CYCLES)
    dut._log.info(", ".join(f"{name} {count}" for name, count in sorted(board.counts.items())))
    for name in ("init", "arrive", "arrive_expect_tx", "complete_tx", "test_wait_parity", "try_wait_parity", "completions", "woken", "expired", "faults",
                 "responses"):
        assert board.counts[name] >= 5, f"the traffic has {board.counts[name]} of {name}: too few to say anything"
