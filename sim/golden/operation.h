// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The vocabulary that the golden model, the lockstep harness, the PTX front end and the tests
// share: operations that a warp or the CTA scheduler asks for, and what can come of them. Codes
// equal those of rtl/muster_pkg.sv (tb/lockstep checks that they do).
#ifndef MUSTER_SIM_GOLDEN_OPERATION_H_
#define MUSTER_SIM_GOLDEN_OPERATION_H_

#include <cstdint>

namespace muster {

inline constexpr unsigned kWarpSize = 32;  // lanes of a warp
inline constexpr unsigned kNumBars = 16;   // named barriers of a CTA (PTX 9.7.13.1)
inline constexpr unsigned kMaxWarps = 64;
inline constexpr unsigned kMaxCtas = 32;
inline constexpr unsigned kMaxIssue = 4;

// What a warp (first group) or the CTA scheduler (second group) asks for.
enum class OpKind : std::uint8_t {
  kSync = 0,    // BAR.SYNC: arrive and wait
  kArrive = 1,  // BAR.ARV: arrive and go on
  kRedAnd = 2,  // BAR.RED: arrive with a predicate per lane, wait, reduce
  kRedOr = 3,
  kRedPopc = 4,
  kB2rBar = 8,      // B2R.BAR: read the state word of an entry
  kB2rWarp = 9,     // B2R.WARP: read the state word of the warp
  kB2rResult = 10,  // B2R.RESULT: read the result of the warp's latest reduction
  kR2bBar = 12,     // R2B.BAR: write the state word of an entry
  kR2bWarp = 13,    // R2B.WARP: write the state word of the warp

  kLaunch = 16,   // a CTA takes a slot
  kExit = 17,     // lanes of a warp exit; the last one's exit is the warp's
  kSuspend = 18,  // a saved CTA leaves its slot
  kEnd = 19,      // a finished or abandoned CTA leaves its slot
};

constexpr bool IsLifecycle(OpKind kind) { return kind >= OpKind::kLaunch; }
constexpr bool IsReduction(OpKind kind) {
  return kind >= OpKind::kRedAnd && kind <= OpKind::kRedPopc;
}
constexpr bool IsArrival(OpKind kind) { return kind <= OpKind::kRedPopc; }
// Arrives and then blocks its warp.
constexpr bool IsWaiting(OpKind kind) { return IsArrival(kind) && kind != OpKind::kArrive; }
constexpr bool HasResponse(OpKind kind) {
  return kind >= OpKind::kB2rBar && kind <= OpKind::kB2rResult;
}

// One warp instruction, or one request of the CTA scheduler.
struct Operation {
  OpKind kind = OpKind::kSync;
  std::uint8_t cta = 0;       // CTA slot
  std::uint8_t warp = 0;      // warp slot of the core; unused by launch, suspend and end
  std::uint8_t bar = 0;       // barrier id, 0 to 15
  std::uint16_t count = 0;    // threads expected (12 bits), 0: all live warps
  std::uint8_t size = 0;      // launch: warps of the CTA, those that exited before a save included
  std::uint32_t lanes = 0;    // participating (or exiting) lanes; none: no operation
  std::uint32_t operand = 0;  // reductions: the predicate of each lane; R2B: the state word
  std::uint64_t warps = 0;    // launch: the warp slots that are live
};

// In order of precedence. A refused operation changes nothing.
enum class FaultCause : std::uint8_t {
  kNone = 0,
  kBadLaunch = 1,
  kCtaNotResident = 2,
  kWarpNotLive = 3,
  kWarpWaiting = 4,
  kBadStateWord = 5,
  kArvWithoutCount = 6,
  kCountNotMultiple = 7,
  kCountAboveCta = 8,
  kCountMismatch = 9,
  kKindMismatch = 10,

  // Of mbarrier; their precedence is in mbarrier_operation.h.
  kBadAddress = 11,
  kBadInitCount = 12,
  kBadArriveCount = 13,
  kTxOverflow = 14,
  kPendingOverflow = 15,
  kNocompleteCompleted = 16,
  kWordExhausted = 17,
  kRemoteNotAllowed = 18,

  kRestoreUnfinished = 19,  // comes after kWarpWaiting
};
inline constexpr unsigned kNumFaultCauses = 20;
const char* Name(FaultCause cause);  // as the design spells it: "count_mismatch"
const char* Name(OpKind kind);       // "sync", "arrive", "red_and", ..., "b2r_bar", "launch", ...

// Carried out as the ISA counts, and reported.
enum class Hazard : std::uint8_t {
  kRepeatedArrival = 0,    // a warp arrives again at an entry not turned since its last ARV
  kUnfinishedBarrier = 1,  // a CTA ends while an entry holds arrivals
  kDivergentOperand = 2,   // registers differ between lanes (found by the front end)
  kDivergedAligned = 3,    // lanes of a warp come apart to an aligned barrier (front end)

  // Of mbarrier.
  kInitOverLive = 4,       // mbarrier.init of a word that holds a valid object
  kUninitialisedWord = 5,  // another mbarrier operation on a word that holds none
  kLateParity = 6,         // a wait for a phase, two or more phases after it
  kStoreOverWaiters = 7,   // a store, init or inval over a word at which warps are parked
  kUnfinishedAsync = 8,    // a CTA ends with an asynchronous arrive-on outstanding

  // Found by the front end.
  kDivergedBarrier = 9,  // lanes of a warp come to different barriers, forms or counts
  kAsyncToOwnCta = 10,   // st.async or red.async to the CTA of the thread itself
};
inline constexpr unsigned kNumHazards = 11;
const char* Name(Hazard hazard);

// What an entry holds arrivals of, and the kind of a reduction's result.
enum class BarKind : std::uint8_t { kIdle = 0, kSync = 1, kAnd = 2, kOr = 3, kPopc = 4 };
const char* Name(BarKind kind);

// The parameters of a unit, as scripts/configs.json has them.
struct Config {
  const char* name;
  unsigned num_warps;
  unsigned num_ctas;
  unsigned num_issue;
  bool reduce;  // BAR.RED and B2R
  bool state;   // R2B
  bool faults;  // misuse is refused and reported; without it, misuse is undefined
  bool drain;   // the memory-drain handshake
  bool lanes;   // exits lane by lane, several lanes in an mbarrier group; without it, any exit is
                // the warp's, and a group is one lane, unless it waits

  bool mbarrier;                // the shared-memory scope
  bool mb_drop;                 // arrive_drop
  bool mb_limit;                // time limits of try_wait, and the end of waits when a CTA leaves
  std::uint32_t smem_bytes;     // shared memory of a CTA
  unsigned clock_period_ps;     // of the unit's clock
  std::uint64_t wait_limit_ns;  // of a try_wait without a hint
  unsigned mb_responses = 8;    // places for tokens and answers to waits
};

inline constexpr std::uint64_t kPsPerNs = 1000;

// Whether the unit has the operation. One that it lacks must not be presented, whatever its fields.
constexpr bool Has(const Config& config, OpKind kind) {
  if (IsReduction(kind) || HasResponse(kind)) {
    return config.reduce;
  }
  return (kind != OpKind::kR2bBar && kind != OpKind::kR2bWarp) || config.state;
}

}  // namespace muster

#endif  // MUSTER_SIM_GOLDEN_OPERATION_H_
