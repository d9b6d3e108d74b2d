// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/atomics.h"

#include <algorithm>

#include "sim/golden/float_sum.h"

namespace muster::golden {
namespace {

constexpr std::uint32_t kWordBytes = 8;

std::uint64_t Cut(AtomicSize size, std::uint64_t bits) {
  return size == AtomicSize::k128 ? bits : bits & (~std::uint64_t{0} >> (64 - 8 * BytesOf(size)));
}

std::int64_t Signed(AtomicSize size, std::uint64_t bits) {
  const unsigned above = 64 - 8 * BytesOf(size);
  return static_cast<std::int64_t>(bits << above) >> above;
}

// "In such cases, the atomicity is guaranteed separately for each of the individual scalar
// elements": a pair is two sums.
std::uint64_t AddHalves(std::uint16_t (*add)(std::uint16_t, std::uint16_t), AtomicSize size,
                        std::uint64_t r, std::uint64_t s) {
  std::uint64_t sums = 0;
  for (unsigned shift = 0; shift < 8 * BytesOf(size); shift += 16) {
    sums |= std::uint64_t{add(static_cast<std::uint16_t>(r >> shift),
                              static_cast<std::uint16_t>(s >> shift))}
            << shift;
  }
  return sums;
}

// "Addresses as operands": an address is a multiple of the size of what is accessed.
bool IsMisplaced(AtomicSize size, std::uint32_t addr, std::uint32_t smem_bytes) {
  return addr % BytesOf(size) != 0 || addr >= smem_bytes;
}

}  // namespace

// "inc(r, s)  = (r >= s) ? 0 : r+1;
//  dec(r, s)  = (r==0 || r > s)  ? s : r-1;
//  exch(r, s) =  s;
//  cas(r,s,t) = (r == s) ? t : r;"
std::uint64_t CombineAtomic(AtomicOp op, AtomicSize size, bool is_signed, std::uint64_t old,
                            std::uint64_t b, std::uint64_t c) {
  const std::uint64_t r = Cut(size, old);
  const std::uint64_t s = Cut(size, b);
  const bool less = is_signed ? Signed(size, s) < Signed(size, r) : s < r;
  switch (op) {
    case AtomicOp::kAdd:
      return Cut(size, r + s);
    case AtomicOp::kInc:
      return r >= s ? 0 : r + 1;
    case AtomicOp::kDec:
      return r == 0 || r > s ? s : r - 1;
    case AtomicOp::kMin:
      return less ? s : r;
    case AtomicOp::kMax:
      return less ? r : s;
    case AtomicOp::kAnd:
      return r & s;
    case AtomicOp::kOr:
      return r | s;
    case AtomicOp::kXor:
      return r ^ s;
    case AtomicOp::kExch:
      return s;
    case AtomicOp::kCas:
      return r == s ? Cut(size, c) : r;
    case AtomicOp::kFAdd:
      return size == AtomicSize::k64
                 ? AddF64(r, s)
                 : AddF32(static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(s));
    case AtomicOp::kHAdd:
      return AddHalves(AddF16, size, r, s);
    case AtomicOp::kBAdd:
      return AddHalves(AddBf16, size, r, s);
  }
  return r;
}

bool IsAsWanted(const AtomicUpdate& update, std::uint64_t word) {
  return update.op != AtomicOp::kCas || word == update.compare;
}

AtomicEffects StepAtomic(const AtomicUpdate& update, std::uint64_t word, std::uint32_t smem_bytes,
                         bool also) {
  AtomicEffects effects;
  effects.before = effects.after = word;
  if (IsMisplaced(update.size, update.addr, smem_bytes)) {
    effects.fault = FaultCause::kBadAddress;
    return effects;
  }
  if (!also) {
    return effects;
  }
  const unsigned shift = 8 * (update.addr % kWordBytes);
  const bool swaps = update.op == AtomicOp::kCas;
  const std::uint64_t value =
      CombineAtomic(update.op, update.size, update.is_signed, word >> shift,
                    (swaps ? update.compare : update.operand) >> shift, update.operand >> shift);
  const std::uint64_t mask = Cut(update.size, ~std::uint64_t{0}) << shift;
  effects.after = (word & ~mask) | value << shift;
  return effects;
}

AtomicLanes PerformAtomic(const AtomicInstruction& instruction, std::uint32_t smem_bytes,
                          const std::function<std::uint64_t&(std::uint32_t addr)>& word) {
  AtomicLanes done;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if ((instruction.lanes >> lane & 1) == 0) {
      continue;
    }
    const std::uint32_t addr = instruction.addr[lane];
    if (IsMisplaced(instruction.size, addr, smem_bytes)) {
      done.at_fault |= 1U << lane;
      continue;
    }
    if (instruction.size == AtomicSize::k128) {
      std::uint64_t& low = word(addr);
      std::uint64_t& high = word(addr + kWordBytes);
      done.before[lane] = low;
      done.before_upper[lane] = high;
      if (instruction.op != AtomicOp::kCas ||
          (low == instruction.compare[lane] && high == instruction.compare_upper[lane])) {
        low = instruction.operand[lane];
        high = instruction.operand_upper[lane];
      }
      continue;
    }
    const unsigned shift = 8 * (addr % kWordBytes);
    std::uint64_t& around = word(addr / kWordBytes * kWordBytes);
    const std::uint64_t old = Cut(instruction.size, around >> shift);
    const bool swaps = instruction.op == AtomicOp::kCas;
    const std::uint64_t value = CombineAtomic(
        instruction.op, instruction.size, instruction.is_signed, old,
        swaps ? instruction.compare[lane] : instruction.operand[lane], instruction.operand[lane]);
    around = (around & ~(Cut(instruction.size, ~std::uint64_t{0}) << shift)) | value << shift;
    done.before[lane] = old;
  }
  return done;
}

}  // namespace muster::golden
