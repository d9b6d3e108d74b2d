#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What each kernel must leave in its buffers, computed from the mathematical definition of what it
does, without Muster: one function per kernel, from the buffers' initial contents to the final ones.

  expected.py --check   compares with the manifests and their files (the default)
  expected.py --write   writes the expected values, and the input files, anew
"""

import argparse
import itertools
import json
import math
import operator
import pathlib
import struct
import sys
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i",
           "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}
MASK32 = 0xFFFFFFFF


def scatter(seed, count, low, high):
    """Reproducible numbers from low to high (a linear congruential generator, high bits)."""
    values = []
    state = seed
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append(low + (state >> 33) % (high - low + 1))
    return values


def half_bits(numbers):
    return [struct.unpack("H", struct.pack("e", number))[0] for number in numbers]


def halves(bits):
    return [struct.unpack("e", struct.pack("H", one))[0] for one in bits]


def floyd_input():
    """A road from half of the nodes to others, a length of 1 to 99; 30000 is no road."""
    roads = iter(scatter(6, 256, 1, 99))
    gaps = iter(scatter(7, 256, 0, 2))
    return [0 if a == b else next(roads) if next(gaps) == 0 else 30000
            for a in range(16) for b in range(16)]


def warp_float_input():
    """Bits: numbers, subnormal ones and infinities among them; the same with both zeroes and no number
    that is nearer to zero; with NaNs; NaNs alone."""
    numbers = [struct.unpack("I", struct.pack("f", v / 64))[0] for v in scatter(22, 32, -9999, 9999)]
    nans = [0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFFFFFFF]
    beside_zero = [0x7F800000, 0xFF800000, 0x00000001, 0x807FFFFF] + numbers[4:]
    zeroes = [0x80000000 if lane % 3 else 0 for lane in range(32)]
    some = [nans[lane % 4] if lane in (3, 17, 18) else v for lane, v in enumerate(numbers)]
    return beside_zero + zeroes + some + [nans[lane % 4] for lane in range(32)]


# Buffers whose initial contents are in a file.
INPUTS = {
    "attention": {"q": half_bits([v / 64 for v in scatter(31, 8192, -128, 128)]),
                  "k": half_bits([v / 64 for v in scatter(32, 24576, -128, 128)]),
                  "v": half_bits([v / 64 for v in scatter(33, 24576, -64, 64)])},
    "bitonic_sort": {"keys": scatter(1, 256, -10**9, 10**9)},
    "centre": {"in": scatter(10, 256, -1000, 1000)},
    "floyd": {"in": floyd_input()},
    "half": {"in": [v / 1024 for v in scatter(15, 256, -4000, 4000)]},
    "histogram": {"in": scatter(11, 500, 0, 255)},
    "shared_atomics": {"in": scatter(25, 64, -2**31, 2**31 - 1)},
    "magnify": {"texels": scatter(41, 32, -100, 100)},
    "matmul_async": {"a": scatter(12, 1024, -500, 500), "b": scatter(13, 1024, -500, 500)},
    "matrix_tile": {"a": half_bits(scatter(23, 2048, -16, 16)), "b": half_bits(scatter(24, 1024, -16, 16))},
    "mb_copy_arrive": {"in": scatter(15, 1152, -10**9, 10**9)},
    "mb_copy_arrive_noinc": {"in": scatter(16, 384, -10**9, 10**9)},
    "mb_example_3": {"gbl1": scatter(17, 64, -10**6, 10**6),
                     "gbl2": scatter(18, 256, -10**6, 10**6)},
    "mb_pipeline": {"in": scatter(19, 1280, -30000, 30000)},
    "mb_ring": {"in": scatter(20, 608, 0, 2**32 - 1)},
    "median": {"in": scatter(2, 128, 0, 255)},
    "prints": {"in": scatter(14, 192, 0, 999)},
    "reverse": {"in": scatter(3, 384, -30000, 30000)},
    "scan": {"in": scatter(4, 768, 0, 2**31 - 1)},
    "stencil": {"in": scatter(5, 256, 0, 1000)},
    "tcgen05_ring": {"a": half_bits(scatter(25, 16384, -16, 16)), "b": half_bits(scatter(26, 4096, -16, 16))},
    "tcgen05_tile": {"a": half_bits(scatter(27, 8192, -16, 16)), "b": half_bits(scatter(28, 4096, -16, 16))},
    "tensor_ring": {"in": scatter(25, 3552, 0, 2**32 - 1)},
    "volume": {"in": scatter(8, 256, -2**30, 2**30)},
    "vote": {"in": scatter(9, 96, 0, 2000)},
    "warp_float": {"in": warp_float_input()},
    "warp_forms": {"in": scatter(21, 64, -10**6, 10**6)},
    "wgmma_ring": {"a": half_bits(scatter(27, 16384, -4, 4)), "b": half_bits(scatter(28, 8192, -4, 4))},
    "wgmma_tile": {"a": half_bits(scatter(25, 4096, -16, 16)), "b": half_bits(scatter(26, 4096, -16, 16))},
}


def attention(q, k, v):
    def rows(bits):
        numbers = halves(bits)
        return [numbers[i:i + 64] for i in range(0, len(numbers), 64)]

    out = []
    columns = list(zip(*rows(v)))
    keys = rows(k)
    for query in rows(q):
        scores = [sum(map(operator.mul, query, key)) / 8 for key in keys]
        weights = [math.exp(score - max(scores)) for score in scores]
        whole = sum(weights)
        out += [sum(map(operator.mul, weights, column)) / whole for column in columns]
    return {"out": out}


def bitonic_sort(keys):
    return {"keys": sorted(keys)}


def block_sum(in_):
    return {"out": [sum(in_[:256]), sum(in_[256:])]}


def bulk_copy(in_):
    return {"out": [3 * in_[i] + in_[i // 64 * 64 + 63 - i % 64] for i in range(448)]}


def centre(in_):
    # Every step before the division is exact in single precision: sums of integers, over 128.
    out = []
    for row in (in_[:128], in_[128:]):
        deviations = [v - sum(row) / 128 for v in row]
        largest = max(abs(d) for d in deviations)
        out += [d / largest for d in deviations]
    return {"out": out}


def cluster_forms():
    """Each round: the next rank's number of the round, of itself and of the thread."""
    sums = [sum(1000 * (round_ + 1) + 100 * ((cta + 1) % 4) + thread for round_ in range(6))
            for cta in range(8) for thread in range(64)]
    return {"out": [value + (0 if i // 64 % 4 == 3 or i % 32 == 7 else 5) for i, value in enumerate(sums)]}


def cluster_atomics():
    """A ticket each; for each rank what its lanes of all four CTAs leave in its memory."""
    out = [1] * 256
    for rank in range(4):
        lanes = range(rank, 64, 4)
        highest = max(4 * lane + cta - 100 for lane in lanes for cta in range(4))
        out += [4 * sum(lane + 1 for lane in lanes), struct.unpack("I", struct.pack("f", 4 * len(lanes) / 2))[0],
                highest & MASK32, highest >> 32 & MASK32]
    return {"out": out}


def cluster_async():
    """For each rank, what the CTA before it has sent: a word for each of its threads, and the reductions."""
    out = []
    for rank in range(4):
        sender = (rank - 1) % 4
        for thread in range(32):
            word = thread * 100 + sender
            out.append(((((word ^ thread) + word) ^ thread) + thread + 1 ^ sender) + word)
        mix = 0
        for thread in range(32):
            mix ^= thread * 0x9E3779B1 & MASK32
        total = sum(thread + 1 << 32 for thread in range(32)) - 32 * sender
        out += [sum(range(1, 33)), 4 * 31 + sender - 100, 32 % 10, mix, total & MASK32, total >> 32 & MASK32]
    return {"out": out}


def cluster_handover():
    """Of 16 words that are 100 times the round and their number, the sums over eight rounds."""
    return {"out": [sum(100 * turn + i for turn in range(8)) for i in range(16)]}


def cluster_reduction(in_):
    return {"out": [sum(in_[first:first + 384]) for first in (0, 384, 768)]}


def cluster_sixteen(in_):
    return {"out": [sum(in_[cta // 16 * 16:cta + 1]) for cta in range(32)]}


def collatz():
    def sequence(n):
        values = [n]
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            values.append(n)
        return values

    all_of_them = [sequence(n) for n in range(1, 65)]
    rounds = max(len(values) for values in all_of_them) - 1
    at_round = [[values[min(r, len(values) - 1)] for values in all_of_them] for r in range(rounds)]
    return {"steps": [len(values) - 1 for values in all_of_them],
            "under_way": [sum(n != 1 for n in now) for now in at_round],
            "above": [sum(max(now) > 1000 for now in at_round)] * 64}


def diverged_barrier():
    return {"value": [(t ^ 33) ** 2 for t in range(64)],
            "count": [40 + (1000 if t % 2 == 0 else 0) for t in range(63)] + [0]}


def early_exit():
    return {"out": [16 * (warp + 1) for warp in range(8) for _ in range(32)]}


def exit_red():
    # The reduction before which each warp exits, and each warp's odd lanes.
    exits = [3 * warp + warp % 3 for warp in range(7)] + [21]
    odd = [16] * 6 + [8, 16]
    results = []
    for step in range(21):
        there = [warp for warp in range(8) if exits[warp] > step]
        results.append([sum(odd[warp] for warp in there), int(3 not in there),
                        int(4 in there)][step % 3])
    digest = []
    for t in range(256):
        d = 0
        if not 208 <= t < 224:
            for result in results[:exits[t // 32]]:
                d = (31 * d + result) & MASK32
        digest.append(d)
    return {"results": results, "digest": digest}


def floyd(in_):
    # Bellman and Ford from every node, not the kernel's own recurrence.
    out = []
    for start in range(16):
        distance = in_[16 * start:16 * start + 16]
        for _ in range(16):
            distance = [min(distance[via] + in_[16 * via + to] for via in range(16))
                        for to in range(16)]
        out += distance
    return {"out": out}


def forms():
    return {"out": [255] * 64}


def full_count():
    return {"out": [(t + 2 * 5) % 128 for t in range(128)]}


def hazard_arrival_past_phase():
    return {"out": [3] * 32}


def hazard_init_over_live():
    return {"out": [2 + t for t in range(32)]}


def hazard_late_parity():
    return {"out": [0] + [2] * 63}


def hazard_repeated_arrival():
    return {"out": list(range(96))}


def grid_sync(a):
    n = len(a)
    for _ in range(8):
        a = [(a[(i + 1) % n] + a[i - 1]) % 2**32 for i in range(n)]
    return {"a": a}


def half(in_):
    # A format is the bits of its fraction and the least exponent of its normal numbers; numbers are
    # exact, and rounded once by each operation.
    f16, bf16 = (10, -14), (7, -126)

    def exponent_of(number, least):
        while abs(number) >= Fraction(2) ** (least + 1):
            least += 1
        return least

    def rounded(number, format_):
        fraction_bits, least = format_
        unit = Fraction(2) ** (exponent_of(number, least) - fraction_bits)
        return round(number / unit) * unit  # ties to even

    def word(pair, format_):
        fraction_bits, least = format_

        def code(number):
            exponent = exponent_of(number, least)
            steps = int(abs(number) / Fraction(2) ** (exponent - fraction_bits))
            return steps + (exponent - least << fraction_bits) | (number < 0) << 15
        return code(pair[0]) | code(pair[1]) << 16

    def fma(values, format_, factors, terms):
        return [tuple(rounded(v * (v if factor is None else factor) + term, format_)
                      for v, factor, term in zip(pair, factors, terms)) for pair in values]

    given = [tuple(map(Fraction, pair)) for pair in zip(in_[:128], in_[128:])]
    halves = [tuple(rounded(v, f16) for v in pair) for pair in given]
    brains = [tuple(rounded(v, bf16) for v in pair) for pair in given]
    squares = fma(halves, f16, (None, None), (Fraction(1, 2), Fraction(-5, 4)))
    layer = fma(brains, bf16, (Fraction(2), Fraction(-1, 2)), (Fraction(1), Fraction(3)))
    tree = squares
    while len(tree) > 1:
        middle = len(tree) // 2
        tree = [tuple(rounded(x + y, f16) for x, y in zip(a, b))
                for a, b in zip(tree[:middle], tree[middle:])]
    return {"squares": [word(pair, f16) for pair in squares],
            "layer": [word([max(v, Fraction(0)) for v in pair], bf16) for pair in layer],
            "sum": [word(tree[0], f16)],
            "above": [sum(pair[k] > 1 for pair in squares) for k in range(2)]}


def hazard_late_inval():
    return {"out": [0] * 32 + [1] + [0] * 31}


def hazard_store_over_waiters():
    return {"out": [0] * 32 + [2] * 32}


def hazard_unfinished_async():
    return {"out": [7] * 256}


def hazard_uninitialised_word():
    return {"out": [2] + [0] * 31}


def histogram(in_):
    return {"out": [sum(v // 16 == bin_ for v in in_) for bin_ in range(16)]}


def lock():
    return {"taken": [0], "total": [sum(range(192)), 192] + [1] * 192}


def magnify(texels):
    """Between four texels, those of the edge going on outside of it; and from each texel to the next one, behind the edge to zero."""
    def texel(x, y):
        return texels[8 * min(max(y, 0), 3) + min(max(x, 0), 7)]

    def filtered(x, y):
        (x, a), (y, b) = divmod(2 * x - 1, 4), divmod(2 * y - 1, 4)  # a quarter of a texel, and three
        return sum(texel(x + i, y + j) * (a if i else 4 - a) * (b if j else 4 - b) for i in (0, 1) for j in (0, 1)) / 16

    places = [(x, y) for y in range(8) for x in range(16)]
    return {"large": [filtered(x, y) for x, y in places],
            "edges": [(texel(x // 2 + 1, y // 2) if x < 14 else 0) - texel(x // 2, y // 2) for x, y in places]}


def matmul(a, b):
    return {"c": [sum(a[32 * row + k] * b[32 * k + column] for k in range(32))
                  for row in range(32) for column in range(32)]}


def matmul_async(a, b):
    return matmul(a, b)


def product_of_halves(a, b, depth):
    """Of the rows of a and the columns of b, of `depth` elements each."""
    a, b = halves(a), halves(b)
    return {"c": [sum(a[row + k] * b[column + k] for k in range(depth))
                  for row in range(0, len(a), depth) for column in range(0, len(b), depth)]}


def matrix_tile(a, b):
    return product_of_halves(a, b, 64)


def wgmma_ring(a, b):
    return product_of_halves(a, b, 256)


def wgmma_tile(a, b):
    return product_of_halves(a, b, 64)


def three_phases():
    # Parity P is over while the phase of the other parity runs, two arrivals each.
    phases = [arrivals // 2 for arrivals in range(7)]
    return {"parity0": [phase % 2 for phase in phases], "parity1": [1 - phase % 2 for phase in phases],
            "pending": [2 - arrivals % 2 for arrivals in range(6)]}


def mb_arrive_wait():
    return {"out": 2 * [(thread + 5) % 256 + sum(range(1, 6)) for thread in range(256)]}


def mb_long_wait():
    return {"out": [10] * 64}


def mb_complete_first():
    return {"out": [4] * 64}


def mb_copy_arrive(in_):
    # Each tile from its end to its beginning.
    return {"out": [v for tile in range(3) for v in in_[384 * tile:384 * tile + 384][::-1]]}


def mb_copy_arrive_noinc(in_):
    return {"out": in_[::-1]}


def mb_drop_exit():
    arrivals = [128, 96, 64]
    seen = [0, arrivals[0], 1000 * arrivals[0] + arrivals[1]]
    seen.append(1000 * seen[2] + arrivals[2])
    return {"out": [seen[t % 4] for t in range(128)]}


def mb_example_1():
    first = [((t + 1) % 128) ** 2 + t for t in range(128)]
    return {"out": [first[(t + 33) % 128] for t in range(128)]}


def mb_example_2():
    # Ten steps of 17 on, and the sum of their numbers.
    return {"out": [(t + 170) % 96 + 45 for t in range(96)]}


def mb_example_3(gbl1, gbl2):
    return {"out": [sum(gbl2[4 * t:4 * t + 4]) - gbl1[t] for t in reversed(range(64))]}


def mb_report(in_):
    # A tile is not valid if the first number of any 16 bytes has the bits of -0.
    out, flags = [], []
    for tile in (in_[at:at + 32] for at in range(0, 160, 32)):
        reported = 0x80000000 in tile[::4]
        out += [0xDEAD00] * 32 if reported else tile
        flags.append(4 | (2 if reported else 1))  # layout v1; a report, or the conditional phase
    return {"out": out, "flags": flags}


def mb_conditional(in_):
    return {"in": [77 if i == 16 else v for i, v in enumerate(in_)],
            "out": [77 if i == 16 else v for i, v in enumerate(in_)], "tries": [4]}


def mb_example_4():
    data = [[(1000 * cta + t) * t for t in range(64)] for cta in range(4)]
    return {"data": sum(data, []), "out": [sum(cta[63 - t] for cta in data) for t in range(64)]}


def mb_multicast(in_):
    return {"out": [9 * in_[word] + 3 * in_[8 + word] + in_[16 + word] for word in range(8)] * 4}


def mb_pipeline(in_):
    return {"out": [in_[128 * tile + 127 - t] ** 2 + tile for tile in range(10) for t in range(128)]}


def mb_remote_arrive():
    # Seven steps round the ring, each of which turns the row of lanes and adds the reader's rank.
    out = []
    for rank in range(4):
        added = sum((rank - step) % 4 for step in range(7))
        out += [100 * ((rank - 7) % 4) + 31 - t + added for t in range(32)]
    return {"out": out}


def mb_arrive_and_wait():
    # Each thread's value is the next one's, and the number of the round more.
    return {"out": [(t + 2) % 64 + 3 for t in range(64)]}


def mb_lanes_apart():
    return {"out": list(range(32)) + [2000, 2001] + 30 * [1000]}


def mb_ring(in_):
    out = []
    for warp in (1, 2, 3):
        for lane in range(32):
            made = 0
            for item in range(19):
                made = (3 * made + in_[32 * item + 31 - lane] + warp) & MASK32
            out.append(made)
    return {"out": out}


def mb_try_wait_timeout():
    return {"out": 64 * [1, 77]}


def median(in_):
    line = in_
    for _ in range(3):
        line = [sorted(line[(at + d) % 128] for d in range(-2, 3))[2] for at in range(128)]
    return {"out": line}


def pairs():
    value = list(range(1024))
    for pair in range(16):
        block = range(64 * pair, 64 * pair + 64)
        for _ in range(pair):
            new = {t: (3 * value[t] + value[t ^ 63]) & MASK32 for t in block}
            for t in block:
                value[t] = new[t]
    for barrier in range(16):
        value = [((value[t] ^ value[t ^ 64]) + barrier) & MASK32 for t in range(1024)]
    return {"out": value}


def partial_warp():
    return {"popc": [100] * 100, "and_or": [2] * 100, "value": list(range(99, -1, -1))}


def layers(sums, weights):
    for n in range(1, 5):
        before = sums[256 * (n - 1):256 * n]
        sums[256 * n:256 * (n + 1)] = [(before[i] * weights[n] + before[(i + 1) % 256]) & MASK32
                                       for i in range(256)]
    return {"sums": sums}


def pipeline(in_):
    # v -> 3 v + w for w = 0..7 is v -> 3^8 v + (sum over w of 3^(7-w) w).
    offset = sum(3**(7 - stage) * stage for stage in range(8))
    return {"out": [3**8 * v + offset for v in in_]}


def prints(in_):
    # What printf returns: the number of its arguments, where a block's largest number is printed.
    assert all(in_[b:b + 64].count(max(in_[b:b + 64])) == 1 for b in (0, 64, 128))
    return {"out": [4] * 3}


def producer_consumer(in_):
    return {"out": [2 * in_[i ^ 31] for i in range(192)]}


def reuse():
    # Each round takes the value 97 threads on, and adds 1.
    return {"out": [(t + 97 * 25) % 256 + 25 for t in range(256)]}


def reverse(in_):
    reversed_ = []
    difference = []
    for block in (in_[:192], in_[192:]):
        reversed_ += block[::-1]
        difference += [block[t] - block[t - 1] for t in range(192)][::-1]
    return {"reversed": reversed_, "difference": difference}


def scan(in_):
    return {"out": [v & MASK32 for start in range(0, 768, 256)
                    for v in itertools.accumulate(in_[start:start + 256])]}


def shapes():
    def area(t):
        return [t * t, t * t, t * t - (t - 1) ** 2][t % 3]

    return {"area": [area(63 - t) for t in range(64)],
            "corners": [[4, 3, 8][(63 - t) % 3] for t in range(64)]}


def shared_atomics(in_):
    """The words of shared memory, of 64 bits; most hold two numbers of 32."""
    low = [v & MASK32 for v in in_]
    wide = [(v * 0x100000001) % 2**64 for v in in_]
    signed = [v - 2**64 if v >> 63 else v for v in wide]
    xor, wide_xor, all_of, any_of, wide_all, wide_any = 0, 0, MASK32, 0, 2**64 - 1, 0
    for one, both in zip(low, wide):
        xor, wide_xor = xor ^ one, wide_xor ^ both
        all_of, any_of, wide_all, wide_any = all_of & one, any_of | one, wide_all & both, wide_any | both
    halves_32 = [sum(low) & MASK32, min(in_) & MASK32, max(in_) & MASK32, min(low), max(low), all_of, any_of, xor,
                 64 % 25, 9 - 63 % 10, 64, sum(range(65)), 0, 64 | 0x5A5A << 16]
    words = [a | b << 32 for a, b in zip(halves_32[::2], halves_32[1::2])]
    words += [sum(wide) % 2**64, min(signed) % 2**64, max(signed) % 2**64, min(wide), max(wide), wide_all, wide_any, wide_xor,
              0x123456789ABCDEF0, 64 * 0x80000001]
    return {"out": words + [0x0101010101010101] * 8}


def shared_floats():
    """The words of shared memory, of 64 bits."""
    single = struct.unpack("I", struct.pack("f", sum(range(1, 65)) / 2))[0]
    double = struct.unpack("Q", struct.pack("d", sum(range(64)) + 64 / 2**40))[0]
    half, pair = half_bits([sum(range(64)), 64])
    brain, other, two = (struct.unpack("I", struct.pack("f", v))[0] >> 16 for v in (64, 192, 128))
    tickets = struct.unpack("I", struct.pack("f", 64))[0]
    return {"out": [single | 64 << 32, double, 64, half | 0x5A5A << 16 | pair << 32 | 64 << 48,
                    brain | other << 16 | two << 32 | 64 << 48, tickets | 0xFF800000 << 32,
                    0x7F800000 | 0x7FFFFFFF << 32, 0] + [0x0101010101010101] * 8}


def shared_wide():
    return {"out": [64, 3 * 64, sum(range(65))]}


def single_warp():
    value = list(range(32))
    count = 0
    for _ in range(100):
        value = [v + 1 for v in value[1:] + value[:1]]
        count += sum(v % 3 == 0 for v in value)
    return {"out": [1000 * count + v for v in value]}


def steal(in_):
    out = []
    for block in range(150):
        tile = in_[64 * block:64 * block + 64]
        for _ in range(block % 5 + 1):
            tile = [(3 * tile[i] + tile[(i + 1) % 64]) % 2**32 for i in range(64)]
        out += tile
    return {"out": out, "count": [1] * 150}


def steal_clusters(in_):
    # The other block of a cluster is the one to the left or right.
    return {"out": [2 * in_[i] + in_[i ^ 64] for i in range(6144)], "count": [1] * 96}


def stencil(in_):
    # Twelve times (1 2 1) is once the binomial coefficients of 24; outside are zeroes, which the
    # kernel holds at 0, so the reflection of what lies inside with its sign turned.
    def mirrored(i):
        period = 2 * (256 + 1)
        i = (i + 1) % period
        return 0 if i in (0, 257) else in_[i - 1] if i < 257 else -in_[period - i - 1]

    row = [1]
    for k in range(24):
        row.append(row[-1] * (24 - k) // (k + 1))
    return {"out": [sum(row[k] * mirrored(t + k - 12) for k in range(25)) & MASK32
                    for t in range(256)]}


def tcgen05_release():
    """Row t of D is 48 t: thread i has one element of row i / 4, and eight rows on if it is odd."""
    return {"out": [48 * (i // 4 + 8 * (i % 2)) for i in range(32)]}


def tcgen05_ring(a, b):
    a, b = halves(a), halves(b)
    return {"c": [sum(a[128 * row + k] * b[128 * column + k] for k in range(128))
                  for row in range(128) for column in range(32)]}


def tcgen05_tile(a, b):
    a, b = halves(a), halves(b)
    return {"c": [sum(a[64 * row + k] * b[64 * column + k] for k in range(64))
                  for row in range(128) for column in range(64)]}


def tensor_edge():
    """Twice the number where a tile is inside; rows of 28 words, the first of which is before the matrix."""
    return {"out": [2 * (100 * (i // 28 - 1) + i % 28) if i % 28 < 25 and 1 <= i // 28 <= 11 else 7
                    for i in range(392)]}


def tensor_gather(in_, rows):
    out = [0] * 192
    for first in range(0, 24, 8):
        for source, target in zip(rows[first:first + 4], rows[first + 4:first + 8]):
            if 0 <= target < 12:
                inside = 0 <= source < 20
                out[16 * target:16 * target + 16] = in_[16 * source:16 * source + 16] if inside else [0] * 16
    return {"out": out}


def tensor_im2col(in_):
    def pixel(image, row, column, channel):
        inside = 0 <= row < 4 and 0 <= column < 5
        return in_[((image * 4 + row) * 5 + column) * 4 + channel] if inside else 0

    return {"out": [sum((3 * y + x + 1) * pixel(image, row + y - 1, column + x - 1, channel)
                        for y in range(3) for x in range(3))
                    for image in range(2) for row in range(4) for column in range(5) for channel in range(4)]}


def tensor_multicast(in_):
    rows = [[in_[32 * row + 16 * cluster:32 * row + 16 * cluster + 16] for row in range(16)] for cluster in (0, 1)]
    return {"out": sum((row for tile in rows for side in (tile, tile[::-1]) for row in side), [])}


def tensor_ring(in_):
    """Sums of eight rows; the matrix has 37 rows of 90 numbers, 96 apart."""
    return {"out": [sum(in_[96 * row + column] for row in range(first, min(first + 8, 37))) & MASK32
                    if column < 90 else 0
                    for first in range(0, 40, 8) for column in range(96)]}


def transpose(in_):
    return {"out": [in_[64 * y + x] for x in range(64) for y in range(32)]}


def two_buffers():
    has = [t + 1 for t in range(64)]
    for _ in range(4):
        has = [(3 * has[t] + has[63 - t]) & MASK32 for t in range(64)]
    return {"out": has}


def two_ctas():
    out = []
    for cta, rounds in ((0, 9), (1, 14)):
        out += [sum(1000 * cta + lane + 32 * r for r in range(rounds)) for lane in range(32)]
    return {"out": out}


def volume(in_):
    def neighbours(v):
        def at(cell, z, y, x):
            return v[128 * cell + (z % 4) * 32 + (y % 4) * 8 + x % 8]

        return [at(c, z, y, x - 1) + at(c, z, y, x + 1) + at(c, z, y - 1, x) +
                at(c, z, y + 1, x) + at(c, z - 1, y, x) + at(c, z + 1, y, x)
                for c in range(2) for z in range(4) for y in range(4) for x in range(8)]

    return {"out": neighbours(neighbours(in_))}


def vote(in_):
    true = [v > 1000 for v in in_]
    count = sum(true)
    common = [count, 96 - count, 1, int(all(true)), int(any(true)), 0]
    first = [sum(true[:64]), int(not all(true[:64]))]
    last = [32 - sum(true[64:]), int(not any(true[64:]))]
    return {"out": 2 * (common + first) + common + last}


def extreme(bits, greatest, magnitude, keeps_nan):
    """The least or greatest of f32 values, as bits: +0 is more than -0."""
    def is_nan(b):
        return b & 0x7FFFFFFF > 0x7F800000

    def order(b):  # the order of the numbers is that of their magnitudes, and of their signs
        return -(b & 0x7FFFFFFF) - 1 if b >> 31 else b

    values = [b & 0x7FFFFFFF if magnitude else b for b in bits if not is_nan(b)]
    if not values or (keeps_nan and len(values) != len(bits)):
        return 0x7FFFFFFF
    return (max if greatest else min)(values, key=order)


def warp_cluster():
    # Thread 5 has exited; the others read what their partners in the other CTA have.
    return {"out": [0 if t == 5 else 1000 * (1 - rank) + t for rank in range(2) for t in range(64)]}


def warp_examples():
    lanes = range(32)
    xor = 0
    for lane in lanes:
        xor ^= (lane - 5) & MASK32
    return {"out": [3 * (31 - lane) for lane in lanes] + [0] * 32 + [0xFFF] * 32 +
            [0xF << lane // 4 * 4 for lane in lanes] + [MASK32] * 32 +
            [0] * 16 + [0xFFFF0000] * 16 +
            [sum(range(-5, 3)) & MASK32 if lane < 8 else 0 for lane in lanes] +
            [xor] * 32 + [0x3FC00000] * 32 + [1000] + [0] * 31}


def warp_exits():
    leaves = [lane * 11 % 32 for lane in range(32)]

    def collected(lane, worth):
        return sum(worth(other) for r in range(leaves[lane])
                   for other in range(32) if leaves[other] > r)

    return {"out": [(leaves[lane] << 16) + collected(lane, worth)
                    for worth in (lambda v: v, lambda v: v % 2, lambda v: v % 2)
                    for lane in range(32)]}


def warp_float(in_):
    return {"out": [extreme(in_[start:start + 32], greatest, magnitude, keeps_nan)
                    for greatest in (False, True) for magnitude in (False, True)
                    for keeps_nan in (False, True)
                    for start in range(0, 128, 32) for _ in range(32)]}


def warp_rounds():
    values = list(range(32))
    for _ in range(100):
        alike = [v & 7 for v in values]
        values = [v + alike.count(a) for v, a in zip(values, alike)]
        values = [v ^ (sum(values) & MASK32) for v in values]
        values = [v & MASK32 for v in values]
    for _ in range(500):
        total, largest = sum(values) & MASK32, max(values)
        values = [((v ^ total) + largest) & MASK32 for v in values]
    return {"out": values}


def warp_forms(in_):
    value = [v & MASK32 for v in in_]
    sign = [int(v >= 0) for v in in_]

    def members(t):
        return range(32) if t < 32 else range(32, 48) if t < 48 else range(48, 64)

    def mask(threads):
        return sum(1 << t % 32 for t in threads)

    def rows(f):
        """What each thread gets from the group that it is in, which f is given."""
        return [f(t, members(t)) for t in range(64)]

    def reduced(f):
        return rows(lambda t, g: f(g) & MASK32)

    def folded(f):
        def all_of(group):
            result = value[group[0]]
            for t in group[1:]:
                result = f(result, value[t])
            return result
        return reduced(all_of)

    def warp(t):
        return range(t // 32 * 32, t // 32 * 32 + 32)

    def shuffled(source):
        """Values from the lanes that source gives, their own where that is None."""
        return rows(lambda t, g: value[t if source(t % 32) is None else t // 32 * 32 + source(t % 32)])

    def down(lane):  # in segments of eight lanes
        return lane + 2 if lane % 8 < 6 else None

    by_four = [v & 3 for v in value]
    half = [t // 16 for t in range(64)]
    same = rows(lambda t, g: mask(o for o in g if by_four[o] == by_four[t]))
    leaders = rows(lambda t, g: int(t == g[0]))
    out = [
        rows(lambda t, g: value[t ^ 1]),
        rows(lambda t, g: int(all(sign[o] for o in g))),
        rows(lambda t, g: int(not all(sign[o] for o in g))),
        rows(lambda t, g: int(len({o % 32 < 16 for o in g}) == 1)),
        rows(lambda t, g: mask(o for o in g if sign[o])),
        rows(lambda t, g: mask(o for o in warp(t) if not sign[o])),
        same, same,
        rows(lambda t, g: mask(g) if len({half[o] for o in g}) == 1 else 0),
        rows(lambda t, g: int(len({half[o] for o in g}) == 1)),
        rows(lambda t, g: mask(g) if len({half[o] for o in g}) == 1 else 0),
        rows(lambda t, g: int(len({by_four[o] for o in g}) == 1)),
        reduced(lambda g: sum(in_[o] for o in g)), reduced(lambda g: sum(in_[o] for o in g)),
        reduced(lambda g: min(value[o] for o in g)), reduced(lambda g: min(in_[o] for o in g)),
        reduced(lambda g: max(value[o] for o in g)), reduced(lambda g: max(in_[o] for o in g)),
        folded(lambda a, b: a & b), folded(lambda a, b: a | b), folded(lambda a, b: a ^ b),
        rows(lambda t, g: g[0] % 32), leaders, rows(lambda t, g: int(t % 32 == 0)),
        [MASK32] * 64,
        shuffled(lambda lane: lane - 3 if lane % 8 >= 3 else None), shuffled(down),
        rows(lambda t, g: int(down(t % 32) is not None)),
        shuffled(lambda lane: lane ^ 5),
        shuffled(lambda lane: lane // 8 * 8 + (lane ^ 7) % 8),
    ]
    return {"out": [v for row in out for v in row]}


def warp_gather():
    def got(t):
        warp, lane = divmod(t, 32)
        if warp == 2:
            return 3 * (t - 32)
        return 3 * (t ^ 32) + 32 if lane < 10 else 1032 if lane < 20 else 0

    return {"out": [got(t) for t in range(96)]}


def warp_groups():
    values = list(range(128))
    reductions = [sum, None, sum, max, sum]
    for r, reduction in enumerate(reductions):
        groups = {}
        for t in range(128):
            groups.setdefault((t // 32, t >> r & 1), []).append(t)
        after = list(values)
        for group in groups.values():
            if reduction is None:
                result = 0
                for t in group:
                    result ^= values[t]
            else:
                result = reduction(values[t] for t in group) & MASK32
            for t in group:
                after[t] = (result * 5 + t % 32) & MASK32
        values = after
    return {"out": values}


def warp_old_forms():
    rows = [[0] * 9 + [1] * 23, [0] * 9 + [1] * 23, [0x1E0] * 9 + [MASK32 - 0x1FF] * 23,
            [1] * 9 + [0] * 23, [0, *range(8), *range(10, 32), 31], [*range(9)] + [30] * 23]
    return {"out": [v for row in rows for v in row]}


def waves():
    # A round turns the ring by one and adds 1.
    return {"out": [sum(((i + group % 5) % 64 + group + group % 5) * (i + 1) for i in range(64))
                    for group in range(40)]}


def work_queue():
    # A node's sum is that of the nodes on its way from the root; all places have been drawn, and one
    # in vain by each thread.
    sums = [0]
    for node in range(1, 301):
        sums.append(sums[node // 2] + node)
    return {"sums": sums, "ends": [300 + 192, 300]}


def pack(kind, values):
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def initial(folder, buffer):
    """The initial contents of a buffer of a manifest."""
    init = buffer["init"]
    if init == "zero":
        return [0] * buffer["count"]
    if init == "iota":
        return list(range(buffer["count"]))
    if isinstance(init, list):
        return init
    if "fill" in init:
        return [init["fill"]] * buffer["count"]
    raw = (folder / init["file"]).read_bytes()
    return list(struct.unpack(f"<{buffer['count']}{FORMATS[buffer['type']]}", raw))


def dump(manifest):
    """JSON with a line per key, and per buffer and expectation; long lists wrapped."""
    def nested(value):
        items = [f'    {json.dumps(k)}: {json.dumps(v)}' for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n  }"

    lines = []
    for key, value in manifest.items():
        text = nested(value) if key in ("buffers", "expect", "tensor_maps") else json.dumps(value)
        lines.append(f"  {json.dumps(key)}: {text}")
    wrapped = []
    for line in ("{\n" + ",\n".join(lines) + "\n}\n").split("\n"):
        while len(line) > 100:
            cut = line.rindex(", ", 0, 100) + 1
            wrapped.append(line[:cut])
            line = " " * 8 + line[cut + 1:]
        wrapped.append(line)
    return "\n".join(wrapped)


class Tree:
    """The files, compared with what they should hold or written."""

    def __init__(self, write):
        self.write = write
        self.differing = []

    def put(self, path, data):
        if path.exists() and path.read_bytes() == data:
            return
        if self.write:
            path.write_bytes(data)
            print(f"wrote {path.relative_to(HERE)}")
        else:
            self.differing.append(path)


def expect(manifest, folder, function, tree):
    """The manifest with its expectations computed; those in files go to the files."""
    buffers = manifest.get("buffers", {})
    arguments = function.__code__.co_varnames[:function.__code__.co_argcount]
    final = function(*(initial(folder, buffers[name.rstrip("_")]) for name in arguments))
    given = manifest.get("expect", {})
    result = {}
    for name, values in final.items():
        kind = buffers[name]["type"]
        assert len(values) == buffers[name]["count"], f"{manifest['ptx']}: length of {name}"
        if isinstance(given.get(name), dict) and "file" in given[name]:
            tree.put(folder / given[name]["file"], pack(kind, values))
            result[name] = given[name]
        elif len(values) > 1 and len(set(values)) == 1:
            result[name] = {"fill": values[0]}
        else:
            result[name] = values
    ordered = {}
    for key, value in manifest.items():
        if key != "expect":
            ordered[key] = value
        if key == "buffers":
            ordered["expect"] = result
    return ordered


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare (the default)")
    mode.add_argument("--write", action="store_true", help="write manifests and files")
    tree = Tree(parser.parse_args().write)
    for path in sorted(path for path in HERE.glob("*/*.json") if path.parent.name != "explore"):
        manifest = json.loads(path.read_text())
        for name, values in INPUTS.get(path.stem, {}).items():
            buffer = manifest["buffers"][name]
            tree.put(path.parent / buffer["init"]["file"], pack(buffer["type"], values))
        if manifest.get("outcome", "completes") == "completes" and "buffers" in manifest:
            manifest = expect(manifest, path.parent, globals()[path.stem], tree)
        tree.put(path, dump(manifest).encode())
    for path in tree.differing:
        print(f"{path} is not what expected.py computes", file=sys.stderr)
    return 1 if tree.differing else 0


if __name__ == "__main__":
    sys.exit(main())
