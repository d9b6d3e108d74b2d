// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/atomic_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/golden/atomics.h"
#include "sim/isa/bits.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kAtomicBytes = 8;

// The updates of an instruction, as muster_atomics_lanes makes them: lanes at one address are one
// if their order does not matter and no answer is wanted, and else follow each other; a value of
// 128 bits is two.
std::vector<AtomicUpdate> UpdatesOf(const AtomicInstruction& instruction) {
  const bool folds = IsFoldable(instruction.op) && !instruction.has_answer;
  std::vector<AtomicUpdate> updates;
  for (std::uint32_t left = instruction.lanes; left != 0;) {
    const unsigned leader = First(left);
    const std::uint32_t addr = instruction.addr[leader];
    const unsigned shift = 8 * (addr % kAtomicBytes);
    std::uint32_t alike = 0;
    std::uint64_t operand = instruction.operand[leader];
    ForEachBit(left, [&](unsigned lane) {
      if (instruction.addr[lane] != addr) {
        return;
      }
      alike |= 1U << lane;
      if (folds && lane != leader) {
        operand = golden::CombineAtomic(instruction.op, instruction.size, instruction.is_signed,
                                        operand, instruction.operand[lane], 0);
      }
    });
    left &= ~alike;
    ForEachBit(folds ? 1U << leader : alike, [&](unsigned lane) {
      AtomicUpdate update;
      update.op = instruction.op;
      update.size = instruction.size;
      update.is_signed = instruction.is_signed;
      update.cta = instruction.cta;
      update.addr = addr;
      update.warp = instruction.warp;
      update.lane = static_cast<std::uint8_t>(lane);
      update.operand = (folds ? operand : instruction.operand[lane]) << shift;
      update.compare = instruction.compare[lane] << shift;
      update.has_answer = instruction.has_answer;
      update.releasing = instruction.releasing;
      updates.push_back(update);
      if (instruction.size == AtomicSize::k128) {
        update.upper = true;
        update.operand = instruction.operand_upper[lane];
        update.compare = instruction.compare_upper[lane];
        update.releasing = false;
        updates.push_back(update);
      }
    });
  }
  return updates;
}

}  // namespace

AtomicPort::AtomicPort(std::uint64_t seed) {
  banks_.reserve(kBanks);
  for (std::size_t bank = 0; bank < kBanks; ++bank) {
    banks_.emplace_back(this, seed + bank);
  }
}

std::vector<AtomicPins*> AtomicPort::pins() {
  std::vector<AtomicPins*> pins;
  for (AtomicBank& bank : banks_) {
    pins.push_back(bank.pins());
  }
  return pins;
}

// What lies beyond the last whole word of a CTA's memory reads as zeroes, and belongs to no
// variable.
std::uint64_t AtomicPort::Load(MbPlace place) {
  const std::vector<std::uint8_t>& shared = *memories_[place.cta];
  std::uint64_t word = 0;
  std::memcpy(&word, &shared[place.addr],
              std::min<std::size_t>(kAtomicBytes, shared.size() - place.addr));
  return word;
}

void AtomicPort::Store(MbPlace place, std::uint64_t word) {
  std::vector<std::uint8_t>& shared = *memories_[place.cta];
  changed_ = changed_ || Load(place) != word;
  std::memcpy(&shared[place.addr], &word,
              std::min<std::size_t>(kAtomicBytes, shared.size() - place.addr));
}

bool AtomicPort::MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) {
  bool may = true;
  for (std::uint64_t word = addr / kAtomicBytes * kAtomicBytes; HoldsAny() && word < addr + bytes;
       word += kAtomicBytes) {
    const auto at = static_cast<std::uint32_t>(word);
    may = may && BankOf(at).MayStore({static_cast<std::uint8_t>(cta), at});
  }
  return may;
}

void AtomicPort::Perform(const AtomicInstruction& instruction) {
  for (const AtomicUpdate& update : UpdatesOf(instruction)) {
    BankOf(update.addr).Push(update);
    left_[update.warp] += update.has_answer ? 2 : 1;
  }
  under_way_ |= Bit(instruction.warp);
}

void AtomicPort::Await(unsigned warp, unsigned answers) {
  left_[warp] += answers;
  under_way_ |= Bit(warp);
}

bool AtomicPort::TakeAnswer(unsigned warp) { return End(warp); }

const Transfer* AtomicPort::Reaching(const Cta* cta) const {
  for (const AtomicBank& bank : banks_) {
    for (const Transfer& sent : bank.incoming()) {
      if (sent.to == cta) {
        return &sent;
      }
    }
  }
  return nullptr;
}

void AtomicPort::Begin() {
  replies_.clear();
  answers_.clear();
  performed_.clear();
  done_ = 0;
  changed_ = false;
  for (AtomicBank& bank : banks_) {
    if (bank.Idle()) {
      continue;
    }
    bank.Begin();
    if (const AtomicUpdate* const update = bank.committed();
        update != nullptr && !update->from.remote) {
      done_ |= End(update->warp) ? Bit(update->warp) : 0;
    }
    if (bank.performed()) {
      performed_.push_back(*bank.performed());
    }
    const AtomicResponse* const answer = bank.answer();
    if (answer != nullptr && answer->from.remote) {
      answers_.push_back(*answer);
    } else if (answer != nullptr) {
      replies_.push_back(*answer);
      done_ |= End(answer->warp) ? Bit(answer->warp) : 0;
    }
  }
}

bool AtomicPort::End(unsigned warp) {
  const bool over = --left_[warp] == 0;
  under_way_ &= over ? ~Bit(warp) : ~std::uint64_t{0};
  return over;
}

void AtomicPort::Present(std::uint64_t outstanding, bool ending) {
  for (AtomicBank& bank : banks_) {
    if (!bank.Idle()) {
      bank.Present(outstanding, ending);
    }
  }
}

}  // namespace muster::ptx
