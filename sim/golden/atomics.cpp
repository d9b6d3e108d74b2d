// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/atomics.h"

#include <algorithm>

namespace muster::golden {
namespace {

constexpr std::uint32_t kWordBytes = 8;

std::uint64_t Cut(AtomicSize size, std::uint64_t bits) {
  return bits & (~std::uint64_t{0} >> (64 - 8 * BytesOf(size)));
}

std::int64_t Signed(AtomicSize size, std::uint64_t bits) {
  const unsigned above = 64 - 8 * BytesOf(size);
  return static_cast<std::int64_t>(bits << above) >> above;
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
  }
  return r;
}

AtomicEffects StepAtomic(const AtomicUpdate& update, std::uint64_t word, std::uint32_t smem_bytes) {
  AtomicEffects effects;
  effects.before = effects.after = word;
  if (IsMisplaced(update.size, update.addr, smem_bytes)) {
    effects.fault = FaultCause::kBadAddress;
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
