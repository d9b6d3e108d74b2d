// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What lanes that are parked with a time limit would do after it has passed. Where that leads
// straight back to the same wait, there is no need to let the time pass.
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {
namespace {

constexpr unsigned kLongestWay = 1000;  // instructions from a wait back to it
constexpr unsigned kAnswers = 8;        // until its state is as it was before
// The time from one answer to the next doubles: after these, 18 minutes have passed.
constexpr unsigned kRetries = 50;
constexpr unsigned kLongest = 40;

// What a lane may do on its way back.
bool IsUnseen(const Instruction& i, bool retries) {
  const bool goes =
      i.op == Op::kBranch || i.op == Op::kBranchIndexed || i.op == Op::kCall || i.op == Op::kReturn;
  return (retries || !i.timed) && (goes || OnlyWritesRegisters(i));
}

}  // namespace

// On a copy of the warp. The run is as it was before: what is drawn at random, too.
bool Interpreter::DryRun(const Warp& warp, const Group& group, std::uint32_t lanes, bool retries) {
  Warp copy = warp;
  LivelockDetector* const detector = std::exchange(x_.livelock, nullptr);
  LateSink* const late = std::exchange(x_.late, nullptr);
  const Random random = x_.random;
  const std::uint64_t warp_instructions = x_.warp_instructions;
  const std::uint64_t thread_instructions = x_.thread_instructions;
  const std::uint64_t cycle = x_.cycle;
  bool all = true;
  for (std::uint32_t left = lanes; left != 0 && all; left &= left - 1) {
    all = ReturnsToWait(&copy, {group.pc, group.frame, left & -left}, *detector, retries);
    x_.cycle = cycle;
  }
  x_.livelock = detector;
  x_.late = late;
  x_.random = random;
  x_.warp_instructions = warp_instructions;
  x_.thread_instructions = thread_instructions;
  return all;
}

// A lane alone, which stands at its wait.
bool Interpreter::ReturnsToWait(Warp* alone, const Group& asked, const LivelockDetector& detector,
                                bool retries) {
  const unsigned lane = First(asked.lanes);
  std::uint64_t before = detector.StateOf(*alone, asked, lane);
  for (unsigned answer = 0; answer < (retries ? kRetries : kAnswers); ++answer) {
    if (retries && answer >= kRetries - kLongest) {
      x_.cycle += std::uint64_t{1} << (answer - (kRetries - kLongest));
    }
    alone->Register(asked.frame, x_.program.code[asked.pc].As<Mbarrier>().d, lane) = 0;
    alone->groups.assign(1, {asked.pc + 1, asked.frame, asked.lanes});
    alone->held = 0;
    const auto back = [&] {
      const Group& at = alone->groups.front();
      return at.pc == asked.pc && at.frame == asked.frame;
    };
    for (unsigned step = 0; !back(); ++step) {
      const Instruction& i = x_.program.code[alone->groups.front().pc];
      if (step == kLongestWay || !IsUnseen(i, retries)) {
        return false;
      }
      if (i.op == Op::kSleep) {
        ++alone->groups.front().pc;
      } else if (const StepEvent event = Execute(alone, 0);
                 event == StepEvent::kFault || event == StepEvent::kMisuse) {
        return false;
      }
    }
    const std::uint64_t after = detector.StateOf(*alone, asked, lane);
    if (after == before) {
      return true;
    }
    before = after;
  }
  return retries;
}

}  // namespace muster::ptx
