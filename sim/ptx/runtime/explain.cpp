// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/explain.h"

#include "sim/isa/fault.h"

namespace muster::ptx {

const char* Explain(FaultCause cause) {
  switch (cause) {
    case FaultCause::kCtaNotResident:
      return "the CTA of the mbarrier has ended";
    case FaultCause::kBadAddress:
      return "the address is not a multiple of 8 in the CTA's own shared memory";
    case FaultCause::kBadInitCount:
      return "the count of an mbarrier is 1 to 1048575, with .layout::v1 1 to 511";
    case FaultCause::kTxOverflow:
      return "the bytes that are expected and have not come are more than 1048575";
    case FaultCause::kPendingOverflow:
      return "as many arrivals are pending as an mbarrier can have: 1048575, with .layout::v1 511";
    case FaultCause::kNocompleteCompleted:
      return "it would complete the phase, which .noComplete must not";
    case FaultCause::kWordExhausted:
      return "no mbarrier is there: it was never initialised, was invalidated, or all its arrivals "
             "were dropped";
    case FaultCause::kWrongLayout:
      return "a copy reports at an mbarrier of layout v0; reports need .layout::v1";
    case FaultCause::kRemoteNotAllowed:
      return "the mbarrier is another CTA's, where only arrivals without a state, expect_tx and "
             "complete_tx may go";
    default:
      return "the unit refuses it";
  }
}

const char* Explain(Hazard hazard) {
  switch (hazard) {
    case Hazard::kInitOverLive:
      return "a live mbarrier is initialised again without mbarrier.inval";
    case Hazard::kUninitialisedWord:
      return "no mbarrier.init came before, or something else was stored there since";
    case Hazard::kLateParity:
      return "the phase that is waited for ended two or more phases ago: the parity means another "
             "one by now";
    case Hazard::kStoreOverWaiters:
      return "the mbarrier is overwritten while threads wait at it";
    case Hazard::kUnfinishedAsync:
      return "the CTA ends before copies have arrived at its mbarrier";
    case Hazard::kArrivalPastPhase:
      return "lanes of one instruction arrive more often than the phase expects; those after its "
             "completion count in the next phase, where an H100 traps";
    default:
      return "";
  }
}

}  // namespace muster::ptx
