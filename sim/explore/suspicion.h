// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What one run says of others: two events that nothing orders, and what that could do.
#ifndef MUSTER_SIM_EXPLORE_SUSPICION_H_
#define MUSTER_SIM_EXPLORE_SUSPICION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/explore/observer.h"

namespace muster::explore {

enum class Kind : std::uint8_t {
  kDataRace,
  kProxyRace,          // the generic and the async proxy, without a fence between them
  kSourceOverwritten,  // a bulk copy's source is written before it was read
  kOtherPhase,         // an arrival that could fall into another generation or phase
  kLateWait,           // a wait that could come when the next phase has completed, too
  kExpectedBytes,      // bytes that could be counted in another phase
  kSharedBarrier,      // one barrier, used by groups that nothing orders
  kLifetime,           // an object, or a CTA's memory, that could be gone, or not there yet
  // What is worth a note.
  kCollectiveOrder,  // a race, if collectives do not order the memory of their members
  kUnawaited,        // a barrier for which nobody waits
  kBeforeFirst,      // a wait that is over at once, since its mbarrier is fresh
  kPassedWithout,    // a barrier that threads pass, and before which others have left
  // What a run in another order has come to.
  kDeadlock,
  kFault,
  kHazard,
  kWrongResult,
  kDifferingResult,
};
const char* Name(Kind kind);  // "data_race"
// The other order of the two events is all that is to be shown.
constexpr bool IsRace(Kind kind) {
  return kind <= Kind::kSourceOverwritten || kind == Kind::kLifetime;
}

constexpr bool IsNote(Kind kind) {
  return kind >= Kind::kCollectiveOrder && kind <= Kind::kPassedWithout;
}

// What is done, in words that are put together only where they are told.
struct Deed {
  const char* does = "";
  const char* what = "";  // that follows
  unsigned bytes = 0;     // likewise, if there are any

  std::string Text() const;  // "writes 4 bytes"
};

// One of the two events.
struct Side {
  Place at;                    // one lane
  std::uint64_t step = 0;      // of the run: index from 1; 0: the place tells how an order ends
  std::uint64_t transfer = 0;  // if it is not the thread's own doing, but that of what it started
  Deed deed;
};

// A collective of a warp at which these lanes have met.
struct Collective {
  Place at;
  WarpOp op = WarpOp::kSync;
};

struct Suspicion {
  Kind kind = Kind::kDataRace;
  Side first;  // in the order of the run
  Side second;
  Range object;     // memory, or an mbarrier
  int bar = -1;     // a named barrier of the CTA object.owner
  std::string why;  // why nothing orders them: a sentence
  // Other orders of instructions do not show it: the run itself is the witness.
  bool of_memory_model = false;
  // Collectives between the two that would order them if they ordered memory, in the order of the
  // run; of a race, the last one, and only where it was asked for.
  std::vector<Collective> collectives;
  std::vector<Place> without;  // of kPassedWithout: where the threads have left
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SUSPICION_H_
