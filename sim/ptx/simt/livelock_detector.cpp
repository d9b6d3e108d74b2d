// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/livelock_detector.h"

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/timed.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {
namespace {

std::uint64_t Mix(std::uint64_t state, std::uint64_t value) { return Random(state ^ value).Next(); }

}  // namespace

LivelockDetector::LivelockDetector(const Program& program)
    : program_(program), functions_(ByEntry(program)) {}

const Function& LivelockDetector::FunctionAt(std::uint32_t pc) const {
  const auto after =
      std::upper_bound(functions_.begin(), functions_.end(), std::make_pair(pc, ~std::uint32_t{0}));
  return program_.functions[std::prev(after)->second];
}

// Of all its frames.
std::uint64_t LivelockDetector::RegistersOf(const Warp& warp, const Group& group,
                                            unsigned lane) const {
  std::uint64_t state = Mix(group.pc, warp.timed);
  std::uint32_t pc = group.pc;
  std::uint32_t frame = group.frame;
  while (true) {
    const Function& function = FunctionAt(pc);
    const auto at = [&](std::uint32_t slot) {
      return warp.registers[(std::size_t{frame} + slot) * kWarpSize + lane];
    };
    for (std::uint32_t slot = 0; slot < function.slots; ++slot) {
      state = function.timed[slot] ? state : Mix(state, at(slot));
    }
    if (frame == 0) {
      return state;
    }
    pc = static_cast<std::uint32_t>(at(kReturnSlot)) - 1;
    frame = static_cast<std::uint32_t>(at(kFrameSlot));
  }
}

// Its registers and local memory.
std::uint64_t LivelockDetector::OwnState(const Warp& warp, unsigned lane, std::uint64_t registers) {
  std::uint64_t state = registers;
  const std::vector<std::uint8_t>& local = warp.local[lane];
  for (std::size_t i = 0; i < local.size(); i += sizeof state) {
    std::uint64_t word = 0;
    std::memcpy(&word, &local[i], std::min(sizeof word, local.size() - i));
    state = Mix(state, word);
  }
  return state;
}

// The registers of the other lanes to which one of these is bound.
std::uint64_t LivelockDetector::BoundState(const Warp& warp, std::uint32_t lanes) const {
  const Bound& bound = bound_[warp.slot];
  std::uint64_t state = 0;
  if (bound.epoch == epoch_ && (bound.lanes & lanes) != 0) {
    for (const Group& group : warp.groups) {
      ForEachBit(group.lanes & bound.lanes & ~lanes,
                 [&](unsigned other) { state += Mix(other, RegistersOf(warp, group, other)); });
    }
  }
  return state;
}

std::uint64_t LivelockDetector::StateOf(const Warp& warp, unsigned lane,
                                        std::uint64_t registers) const {
  return OwnState(warp, lane, registers) + BoundState(warp, 1U << lane);
}

std::uint64_t LivelockDetector::StateOfAll(const Warp& warp, const Group& group,
                                           std::uint32_t lanes) const {
  std::uint64_t state = BoundState(warp, lanes);
  ForEachBit(lanes, [&](unsigned lane) {
    state = Mix(state, OwnState(warp, lane, RegistersOf(warp, group, lane)));
  });
  return state;
}

// What takes long to look at is looked at only where the registers are as they were.
void LivelockDetector::Visit(const Warp& warp, const Group& group) {
  ForEachBit(group.lanes, [&](unsigned index) {
    Lane& lane = lanes_[warp.slot][index];
    const std::uint64_t registers = RegistersOf(warp, group, index);
    const auto keep = [&](std::uint64_t limit) {
      lane = {epoch_, registers, StateOf(warp, index, registers), 0, limit, 0};
    };
    if (lane.epoch != epoch_) {
      keep(1);
    } else if (lane.registers == registers && lane.state == StateOf(warp, index, registers)) {
      ++lane.repeats;
      lane.steps = 0;
    } else if (++lane.steps >= lane.limit) {
      keep(2 * lane.limit);
    }
  });
}

void LivelockDetector::Bind(unsigned warp, std::uint32_t lanes) {
  Bound& bound = bound_[warp];
  bound = {epoch_, lanes | (bound.epoch == epoch_ ? bound.lanes : 0)};
}

std::uint32_t LivelockDetector::Repeating(unsigned warp) const {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Lane& state = lanes_[warp][lane];
    lanes |= (state.epoch == epoch_ && state.repeats >= kRepeats ? 1U : 0U) << lane;
  }
  return lanes;
}

}  // namespace muster::ptx
