// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/atomic_port.h"

#include <algorithm>
#include <cstring>

#include "sim/golden/atomics.h"
#include "sim/isa/bits.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kAtomicBytes = 8;
constexpr std::uint32_t kAtomicStall = 16;  // one in so many cycles nothing is presented or taken

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

AtomicPort::AtomicPort(std::uint64_t seed) : random_(seed), bank_(this, seed) {
  bank_.timing.read_stalls = 5;
  bank_.timing.write_stalls = 5;
  pins_.in.memory = this;
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
    may = may && bank_.MayStore({static_cast<std::uint8_t>(cta), static_cast<std::uint32_t>(word)});
  }
  return may;
}

void AtomicPort::Perform(const AtomicInstruction& instruction) {
  for (const AtomicUpdate& update : UpdatesOf(instruction)) {
    queue_.push_back(update);
    left_[update.warp] += update.has_answer ? 2 : 1;
  }
  under_way_ |= Bit(instruction.warp);
}

void AtomicPort::Await(unsigned warp, unsigned answers) {
  left_[warp] += answers;
  under_way_ |= Bit(warp);
}

bool AtomicPort::TakeAnswer(unsigned warp) { return End(warp); }

void AtomicPort::TakeRemote(const Transfer& sent) {
  const RemoteAtomic& atomic = sent.update;
  AtomicUpdate update;
  update.op = atomic.op;
  update.size = atomic.size;
  update.is_signed = atomic.is_signed;
  update.cta = static_cast<std::uint8_t>(sent.to->slot);
  update.addr = atomic.addr;
  update.warp = static_cast<std::uint8_t>(sent.warp);
  update.lane = atomic.lane;
  update.from = {true, static_cast<std::uint8_t>(sent.issuer->unit)};
  update.operand = atomic.operand;
  update.compare = atomic.compare;
  update.has_answer = atomic.has_answer;
  remotes_.push_back(update);
  incoming_.push_back(sent);
  if (update.size == AtomicSize::k128) {
    update.upper = true;
    update.operand = atomic.operand_upper;
    update.compare = atomic.compare_upper;
    remotes_.push_back(update);
  }
}

const Transfer* AtomicPort::Reaching(const Cta* cta) const {
  const auto found = std::find_if(incoming_.begin(), incoming_.end(),
                                  [cta](const Transfer& sent) { return sent.to == cta; });
  return found == incoming_.end() ? nullptr : &*found;
}

void AtomicPort::Begin() {
  replies_.clear();
  answers_.clear();
  done_ = 0;
  changed_ = false;
  if (Quiet() && !bank_.Holds() && !pins_.out.active) {
    return;
  }
  const AtomicOutputs& seen = pins_.out;
  AtomicInputs& in = pins_.in;
  const bool accepted = in.issue_valid && seen.issue_ready;
  const bool answered = seen.response_valid && in.response_ready;
  bank_.Cycle(seen, &in);
  if (seen.commit_valid) {
    const AtomicUpdate& update = flights_.front();
    if (!update.from.remote) {
      done_ |= End(update.warp) ? Bit(update.warp) : 0;
    } else if (update.size != AtomicSize::k128 || update.upper) {
      incoming_.pop_front();
    }
    flights_.pop_front();
  }
  if (answered && seen.response.from.remote) {
    answers_.push_back(seen.response);
  } else if (answered) {
    replies_.push_back(seen.response);
    done_ |= End(seen.response.warp) ? Bit(seen.response.warp) : 0;
  }
  if (accepted) {
    in.issue_valid = false;
    flights_.push_back(queue_.front());
    queue_.pop_front();
  }
  if (in.remote_valid && seen.remote_ready) {
    in.remote_valid = false;
    flights_.push_back(remotes_.front());
    remotes_.pop_front();
  }
}

bool AtomicPort::End(unsigned warp) {
  const bool over = --left_[warp] == 0;
  under_way_ &= over ? ~Bit(warp) : ~std::uint64_t{0};
  return over;
}

void AtomicPort::Present(std::uint64_t outstanding, bool ending) {
  AtomicInputs& in = pins_.in;
  if (Quiet() && !pins_.out.active) {
    return;
  }
  in.fence_ack = ~outstanding;
  in.response_ready = ending || random_.Below(kAtomicStall) != 0;
  if (!in.issue_valid && !queue_.empty() && !ending && random_.Below(kAtomicStall) != 0) {
    in.issue_valid = true;
    in.issue = queue_.front();
  }
  if (!in.remote_valid && !remotes_.empty() && !ending && random_.Below(kAtomicStall) != 0) {
    in.remote_valid = true;
    in.remote = remotes_.front();
  }
}

}  // namespace muster::ptx
