// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Operations on named barriers, which a warp or the CTA scheduler asks for. Codes equal those of
// rtl/muster_pkg.sv (tb/lockstep checks that they do).
#ifndef MUSTER_SIM_ISA_OPERATION_H_
#define MUSTER_SIM_ISA_OPERATION_H_

#include <cstdint>
#include <string>

namespace muster {

inline constexpr unsigned kMaxLanes = 32;  // lanes of the largest warp
inline constexpr unsigned kNumBars = 16;   // named barriers of a CTA (PTX 9.7.13.1)
inline constexpr unsigned kMaxWarps = 64;
inline constexpr unsigned kMaxCtas = 32;
inline constexpr unsigned kMaxIssue = 4;

// The operations of a warp (first group), of the CTA scheduler (second group), and of where warps
// end.
enum class OpKind : std::uint8_t {
  kSync = 0,    // BAR.SYNC: arrive and wait
  kArrive = 1,  // BAR.ARV: arrive and go on
  kRedAnd = 2,  // BAR.RED: arrive with a predicate per lane, wait, reduce
  kRedOr = 3,
  kRedPopc = 4,
  kArrivePhase = 5,  // arrive and go on, answered with the phase in which the warp arrived
  kB2rBar = 8,       // B2R.BAR: read the state word of an entry
  kB2rWarp = 9,      // B2R.WARP: read the state word of the warp
  kB2rResult = 10,   // B2R.RESULT: read the result of the warp's latest reduction
  kWait = 11,        // wait for a phase of an entry, without an arrival
  kR2bBar = 12,      // R2B.BAR: write the state word of an entry
  kR2bWarp = 13,     // R2B.WARP: write the state word of the warp

  kLaunch = 16,   // a CTA takes a slot, with its warps
  kOpen = 17,     // a CTA takes a slot; its warps join one by one
  kSuspend = 18,  // a saved CTA leaves its slot
  kEnd = 19,      // a finished or abandoned CTA leaves its slot
  kJoin = 20,     // a warp of an opened CTA is live from now on

  kExit = 24,  // lanes of a warp exit; the last one's exit is the warp's
};

// Of the lifecycle port or the exit port.
constexpr bool IsLifecycle(OpKind kind) { return kind >= OpKind::kLaunch; }
// A CTA leaves its slot.
constexpr bool IsLeave(OpKind kind) { return kind == OpKind::kSuspend || kind == OpKind::kEnd; }
constexpr bool IsReduction(OpKind kind) {
  return kind >= OpKind::kRedAnd && kind <= OpKind::kRedPopc;
}
constexpr bool IsArrival(OpKind kind) { return kind <= OpKind::kArrivePhase; }
// Arrives and lets its warp go on (ARV).
constexpr bool GoesOn(OpKind kind) {
  return kind == OpKind::kArrive || kind == OpKind::kArrivePhase;
}
// Blocks its warp until a release.
constexpr bool IsWaiting(OpKind kind) {
  return (IsArrival(kind) && !GoesOn(kind)) || kind == OpKind::kWait;
}
constexpr bool IsRead(OpKind kind) { return kind >= OpKind::kB2rBar && kind <= OpKind::kB2rResult; }
constexpr bool HasResponse(OpKind kind) { return IsRead(kind) || kind == OpKind::kArrivePhase; }
// Of the operations of a warp: those that name an entry.
constexpr bool NamesEntry(OpKind kind) {
  return IsArrival(kind) || kind == OpKind::kWait || kind == OpKind::kB2rBar ||
         kind == OpKind::kR2bBar;
}

// One warp instruction, or one request of the CTA scheduler.
struct Operation {
  OpKind kind = OpKind::kSync;
  std::uint8_t cta = 0;     // CTA slot
  std::uint8_t warp = 0;    // warp slot of the core; unused by launch, open, suspend and end
  std::uint8_t bar = 0;     // barrier id, 0 to 15
  std::uint16_t count = 0;  // threads expected (12 bits), 0: all live warps
  std::uint8_t size = 0;    // launch, open: warps of the CTA, those exited before a save included
  std::uint32_t lanes = 0;  // participating (exiting, joining) lanes; none: no operation, no join
  std::uint32_t operand =
      0;  // reductions: each lane's predicate; wait: the phase; R2B: the state word
  std::uint64_t warps = 0;  // launch: the warp slots that are live
};
const char* Name(OpKind kind);  // "sync", "arrive", "red_and", ..., "b2r_bar", "launch", ...

// The kind of the arrivals that an entry holds, and of a reduction's result.
enum class BarKind : std::uint8_t { kIdle = 0, kSync = 1, kAnd = 2, kOr = 3, kPopc = 4 };
const char* Name(BarKind kind);

// Returns the operation in words: "sync at barrier 1 with count 64 by warp 3 of CTA 0".
std::string Describe(const Operation& operation);

}  // namespace muster

#endif  // MUSTER_SIM_ISA_OPERATION_H_
