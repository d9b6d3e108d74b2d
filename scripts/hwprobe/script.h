// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the probe asks of one mbarrier word, step by step, and what it writes down. For the device,
// the host and the golden model alike: so nothing is included.
#ifndef MUSTER_SCRIPTS_HWPROBE_SCRIPT_H_
#define MUSTER_SCRIPTS_HWPROBE_SCRIPT_H_

namespace muster::hwprobe {

// In the order of MbOp (sim/isa/mbarrier_operation.h), without kReportOn, which no thread performs.
// The operand is in parentheses.
enum class Op : unsigned {
  kInit,  // (count)
  kInval,
  kArrive,                // (count)
  kArriveNoComplete,      // (count)
  kArriveExpectTx,        // (bytes)
  kArriveDrop,            // (count)
  kArriveDropNoComplete,  // (count)
  kArriveDropExpectTx,    // (bytes)
  kExpectTx,              // (bytes)
  kCompleteTx,            // (bytes)
  kTestWait,              // (the step whose token it has)
  kTestWaitParity,        // (phaseParity)
  kTryWait,
  kTryWaitParity,
  kCopyArrive,  // cp.async.mbarrier.arrive, without a copy: the arrive-on comes at once
  kCopyArriveNoInc,
};

struct Step {
  Op op;
  unsigned operand;
  unsigned lanes;  // 1, or the lowest so many of a warp, together
};

// What there is after a step: the word as an ordinary load reads it; the token or the answer (0 or
// 1) of the lowest and of the highest lane.
struct Record {
  unsigned long long word, first, last;
  unsigned long long done;  // 1: the step came to its end
};

constexpr unsigned kMaxSteps = 8;

// What is measured, by the number of warps that do it together.
enum class Timed : unsigned {
  kBarSync,
  kBarArrive,
  kBarRed,
  kArriveLane,     // by a lane of each warp, all at one word
  kArriveWarp,     // by all lanes
  kTestWait,       // answered false
  kTryWait,        // answered true
  kArriveAndWait,  // by a lane of each warp: a barrier of warps
  kClusterBarrier  // by the number of CTAs, of four warps each
};

constexpr unsigned kRounds = 256;  // of what is timed, one after the other
constexpr unsigned kMaxWarps = 32;

}  // namespace muster::hwprobe

#endif  // MUSTER_SCRIPTS_HWPROBE_SCRIPT_H_
