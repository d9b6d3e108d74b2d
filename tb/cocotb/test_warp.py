# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The warp scope: lanes that come apart to collectives and barriers, exit and misuse, against the golden model."""

import collections
import os

import cocotb
from harness import PORTS, Bench, Source, expect
from muster import golden
from muster.golden import FaultCause, OpKind, WarpOp

CYCLES = int(os.environ.get("MUSTER_CYCLES", "3000"))
WARPS = PORTS["open_o"]["width"]
LANES_PER_BEAT = PORTS["values_i"]["width"] // 64
BEATS = 32 // LANES_PER_BEAT
ALL = 0xffffffff
MATCHES = (WarpOp.match_any, WarpOp.match_all)
REDUXES = (WarpOp.redux_add, WarpOp.redux_min, WarpOp.redux_max, WarpOp.redux_and, WarpOp.redux_or, WarpOp.redux_xor)
VOTES = (WarpOp.vote_all, WarpOp.vote_any, WarpOp.vote_uni, WarpOp.ballot)
OTHERS = (WarpOp.sync, WarpOp.shuffle, WarpOp.elect)
ALONE = 0x0000ffff, 0x00ff0000, 0xff000000  # member masks of lanes that have come apart


class Warp:
    def __init__(self):
        self.live = ALL
        self.resting = 0  # lanes that were presented, and not answered
        self.meeting = {}  # member mask, or None at a barrier: the instruction for which its lanes come


class Requests(Source):
    """What cores present: one of the lanes that are free comes, or several."""

    def __init__(self, bench, board):
        self.board, self.beat = board, 0
        super().__init__(bench, "valid_i", "ready_o", "request_i", self._next)

    def _next(self):
        request = self._request()
        return request if request is not None and self.board.scope.may_be_presented(request) else None

    def _request(self):
        random = self.bench.random
        number = random.randrange(WARPS)
        warp = self.board.warps[number]
        free = warp.live & ~warp.resting
        if not free or number in self.board.due:
            return None
        if random.random() < 0.03:
            gone = free & random.getrandbits(32)
            return golden.warp_request(WarpOp.exit, warp=number, lanes=gone, live=warp.live & ~gone) if gone else None
        # All warps come apart for some time, and then meet at a barrier.
        mask = None if self.bench.cycle // 200 % 2 or None in warp.meeting else random.choice(ALONE) & warp.live
        if mask is None and None not in warp.meeting and warp.meeting:
            mask = random.choice(list(warp.meeting))  # those that have come apart end this first
        lanes = free & (ALL if mask is None else mask) & (random.getrandbits(32) | random.getrandbits(32))
        if not lanes:
            return None
        if mask is not None and random.random() < 0.03:
            return golden.warp_request(WarpOp.ballot, warp=number, lanes=lanes, live=warp.live, key=ALL & ~lanes)  # misuse: they are no members
        op, mode, key = warp.meeting.setdefault(mask, self._instruction(mask))
        has_predicates = op in VOTES or op == WarpOp.gather and key >> 16 in (2, 3, 4)
        request = golden.warp_request(op, warp=number, mode=mode, lanes=lanes, live=warp.live, key=key,
                                      preds=lanes & random.choice([0, ALL, random.getrandbits(32)]) if has_predicates else 0)
        if op in MATCHES or op in REDUXES:
            wide = op in MATCHES and mode == 1
            request.values = [random.choice([5, 5, random.getrandbits(64 if wide else 32)]) if lanes >> lane & 1 else 0 for lane in range(32)]
        return request

    def _instruction(self, mask):
        random = self.bench.random
        if mask is None:
            kind = random.choice([OpKind.sync, OpKind.arrive, OpKind.red_and, OpKind.red_popc])
            return WarpOp.gather, 0, random.randrange(16) | (64 if kind == OpKind.arrive else 0) << 4 | kind.value << 16
        op = random.choice([*MATCHES, *REDUXES, *VOTES, *OTHERS])
        signs = op in (WarpOp.redux_add, WarpOp.redux_min, WarpOp.redux_max)
        return op, random.randrange(4 if op == WarpOp.shuffle else 2 if op in MATCHES or signs else 1), mask

    def present(self, held):
        # The unit is told which lanes are left by an exit, the golden model which ones exit.
        lanes = held.live if held.op == WarpOp.exit else held.lanes
        self.beat = 0
        self.bench.set("request_i", {name: getattr(held, name) for name in ("mode", "warp", "cta", "live", "key", "preds")}
                       | {"lanes": lanes, "op": held.op.value, "abs": int(held.abs), "nan": int(held.nan)})
        if held.op != WarpOp.exit:
            self.board.warps[held.warp].resting |= held.lanes

    def drive(self):
        super().drive()
        if self.held is not None:
            values = self.held.values[self.beat * LANES_PER_BEAT:][:LANES_PER_BEAT]
            self.bench.set("values_i", {f"[{index}]": value for index, value in enumerate(values)})
            self.bench.set("beat_i", self.beat)
            self.bench.set("last_i", int(self.beat == self._beats() - 1))

    def _beats(self):
        return BEATS if self.held.op in MATCHES or self.held.op in REDUXES else 1

    def see(self, view):
        if self.held is None or not view["ready_o"]:
            return
        if self.beat < self._beats() - 1:
            self.beat += 1
            return
        held, self.held = self.held, None
        self.board.step(held, view)


class Board:
    """The scoreboard: steps the golden model when a request has been accepted, and compares answers, arrivals and faults."""

    def __init__(self, bench):
        self.bench = bench
        self.scope = golden.WarpScope(WARPS)
        self.warps = [Warp() for _ in range(WARPS)]
        self.answers = collections.deque()  # of each request a list, whose order is open
        self.arrivals, self.faults = collections.deque(), collections.deque()
        self.due = set()  # warps that are to arrive: nothing of them is presented
        self.clearing = set()
        self.counts = collections.Counter()
        bench.drivers.append(self)
        bench.monitors.append(self)

    def drive(self):
        self.bench.set("arrival_ready_i", int(self.bench.random.random() < 0.5))
        # A warp whose lanes have all exited gives its slot to a new one, some time later.
        self.bench.set("clear_i", 0)
        for number, warp in enumerate(self.warps):
            if not warp.live and not warp.resting and number not in self.due and self.bench.random.random() < 0.02:
                self.bench.set("clear_i", 1 << number)
                self.scope.clear(number)
                self.warps[number] = Warp()
                self.counts["cleared"] += 1
                break

    def step(self, request, view):
        effects = self.scope.step(request)
        warp = self.warps[request.warp]
        self.counts[request.op.name] += 1
        if request.op == WarpOp.exit:
            warp.live = request.live
        if effects.fault != FaultCause.none:
            self.faults.append((effects.fault.value, request.warp, request.lanes))
            return
        if effects.answers:
            self.answers.append([(answer.op.value, answer.warp, answer.lanes, answer.data, int(answer.pred)) for answer in effects.answers])
        if effects.arrival is not None:
            self.arrivals.append(effects.arrival)
            self.due.add(request.warp)

    def see(self, view):
        if view["answer_valid_o"]:
            seen = view.struct("answer_o")
            answer = seen.op, seen.warp, seen.lanes, seen.data, seen.pred
            assert self.answers and answer in self.answers[0], f"cycle {view.cycle}: the answer {answer}, where the golden model has {list(self.answers)[:1]}"
            self.answers[0].remove(answer)
            if not self.answers[0]:
                self.answers.popleft()
            self._resume(seen.warp, seen.lanes)
            self.counts["answers"] += 1
        if view["fault_valid_o"]:
            seen = view.struct("fault_o")
            expect("a fault", (seen.cause, seen.warp, seen.lanes), self.faults.popleft(), view)
            self._resume(seen.warp, seen.lanes)
            self.counts["faults"] += 1
        if view["arrival_valid_o"] and view["arrival_ready_i"]:
            seen, wanted = view.struct("arrival_o"), next(one for one in self.arrivals if one.warp == view.struct("arrival_o").warp)
            for name in ("cta", "lanes", "key", "preds"):
                expect(f"{name} of an arrival", getattr(seen, name), getattr(wanted, name), view)
            self.arrivals.remove(wanted)
            self.due.discard(seen.warp)
            self._resume(seen.warp, seen.lanes)
            self.counts["arrivals"] += 1

    def _resume(self, number, lanes):
        warp = self.warps[number]
        warp.resting &= ~lanes
        for mask in list(warp.meeting):
            if not warp.resting & (ALL if mask is None else mask):
                del warp.meeting[mask]


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut)
    board = Board(bench)
    await bench.reset()
    Requests(bench, board)
    await bench.run(CYCLES)
    dut._log.info(", ".join(f"{name} {count}" for name, count in sorted(board.counts.items())))
    for name in ("sync", "ballot", "match_any", "redux_add", "gather", "exit", "answers", "arrivals", "faults"):
        assert board.counts[name] >= 5, f"the traffic has {board.counts[name]} of {name}: too few to say anything"
