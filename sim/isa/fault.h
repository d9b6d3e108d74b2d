// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Faults, which refuse an operation, and hazards, which do not. The codes of faults equal those of
// rtl/muster_pkg.sv (tb/lockstep checks that they do).
#ifndef MUSTER_SIM_ISA_FAULT_H_
#define MUSTER_SIM_ISA_FAULT_H_

#include <cstdint>

namespace muster {

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
  kBadJoin = 20,

  // Of the warp scope: kNotAMember, then kBarrierMismatch, then kMaskMismatch.
  kNotAMember = 21,
  kMaskMismatch = 22,

  // Of the cluster scope.
  kClusterArrivedTwice = 23,
  kClusterWaitWithoutArrive = 24,
  kRankNotThere = 25,

  kBarrierMismatch = 26,

  kWrongLayout = 27,  // of mbarrier, after kWordExhausted: a report-on of an object of layout v0
};
inline constexpr unsigned kNumFaultCauses = 28;
const char* Name(FaultCause cause);  // as the design spells it: "count_mismatch"

// Hazards are carried out as the ISA says, and reported.
enum class Hazard : std::uint8_t {
  kRepeatedArrival,    // a warp arrives again before the generation of its last ARV completes
  kUnfinishedBarrier,  // a CTA ends while an entry holds arrivals

  // Of mbarrier.
  kInitOverLive,       // mbarrier.init of a word that holds a valid object
  kUninitialisedWord,  // another mbarrier operation on a word that holds none
  kLateParity,         // a wait for a phase, two or more phases after it
  kStoreOverWaiters,   // a store, init or inval over a word at which warps are parked
  kUnfinishedAsync,    // a CTA ends with an asynchronous arrive-on outstanding

  kLateWait,  // a wait for the phase of the warp's arrival, an even number of phases after it

  // Of mbarrier: an arrival completes the phase, and others of its instruction come after it.
  kArrivalPastPhase,
};
inline constexpr unsigned kNumHazards = static_cast<unsigned>(Hazard::kArrivalPastPhase) + 1;
const char* Name(Hazard hazard);
// Of a set of hazards, such as Effects has.
constexpr std::uint32_t HazardBit(Hazard hazard) { return 1U << static_cast<unsigned>(hazard); }

}  // namespace muster

#endif  // MUSTER_SIM_ISA_FAULT_H_
