// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/fault.h"

namespace muster {

const char* Name(FaultCause cause) {
  switch (cause) {
    case FaultCause::kNone:
      return "none";
    case FaultCause::kBadLaunch:
      return "bad_launch";
    case FaultCause::kCtaNotResident:
      return "cta_not_resident";
    case FaultCause::kWarpNotLive:
      return "warp_not_live";
    case FaultCause::kWarpWaiting:
      return "warp_waiting";
    case FaultCause::kBadStateWord:
      return "bad_state_word";
    case FaultCause::kArvWithoutCount:
      return "arv_without_count";
    case FaultCause::kCountNotMultiple:
      return "count_not_multiple";
    case FaultCause::kCountAboveCta:
      return "count_above_cta";
    case FaultCause::kCountMismatch:
      return "count_mismatch";
    case FaultCause::kKindMismatch:
      return "kind_mismatch";
    case FaultCause::kBadAddress:
      return "bad_address";
    case FaultCause::kBadInitCount:
      return "bad_init_count";
    case FaultCause::kBadArriveCount:
      return "bad_arrive_count";
    case FaultCause::kTxOverflow:
      return "tx_overflow";
    case FaultCause::kPendingOverflow:
      return "pending_overflow";
    case FaultCause::kNocompleteCompleted:
      return "nocomplete_completed";
    case FaultCause::kWordExhausted:
      return "word_exhausted";
    case FaultCause::kRemoteNotAllowed:
      return "remote_not_allowed";
    case FaultCause::kRestoreUnfinished:
      return "restore_unfinished";
    case FaultCause::kBadJoin:
      return "bad_join";
    case FaultCause::kNotAMember:
      return "not_a_member";
    case FaultCause::kMaskMismatch:
      return "mask_mismatch";
    case FaultCause::kClusterArrivedTwice:
      return "cluster_arrived_twice";
    case FaultCause::kClusterWaitWithoutArrive:
      return "cluster_wait_without_arrive";
    case FaultCause::kRankNotThere:
      return "rank_not_there";
    case FaultCause::kBarrierMismatch:
      return "barrier_mismatch";
    case FaultCause::kWrongLayout:
      return "wrong_layout";
  }
  return "?";
}

const char* Name(Hazard hazard) {
  switch (hazard) {
    case Hazard::kRepeatedArrival:
      return "repeated_arrival";
    case Hazard::kUnfinishedBarrier:
      return "unfinished_barrier";
    case Hazard::kInitOverLive:
      return "init_over_live";
    case Hazard::kUninitialisedWord:
      return "uninitialised_word";
    case Hazard::kLateParity:
      return "late_parity";
    case Hazard::kStoreOverWaiters:
      return "store_over_waiters";
    case Hazard::kUnfinishedAsync:
      return "unfinished_async";
    case Hazard::kLateWait:
      return "late_wait";
    case Hazard::kArrivalPastPhase:
      return "arrival_past_phase";
  }
  return "?";
}

}  // namespace muster
