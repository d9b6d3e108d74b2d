// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What one run implies for other orders: two events that are not ordered, and what could follow
// from that.
#ifndef MUSTER_SIM_EXPLORE_SUSPICION_H_
#define MUSTER_SIM_EXPLORE_SUSPICION_H_

#include <cstdint>
#include <optional>
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
  kLifetime,           // an object or a CTA's memory may have ended, or may not exist yet
  kRegisterOrder,      // two setmaxnreg of a warpgroup, whose warps have not synchronized
  // Notes.
  kCollectiveOrder,  // a race, if collectives do not order the memory of their members
  kUnawaited,        // a barrier for which no thread waits
  kBeforeFirst,      // a wait that ends at once, because no phase of its mbarrier has completed
  kPassedWithout,    // a barrier that threads pass after others have exited
  // Bad ends of another order.
  kDeadlock,
  kFault,
  kHazard,
  kWrongResult,
  kDifferingResult,
};
const char* Name(Kind kind);  // "data_race"
// Whether the reverse order of the two events is all that a witness has to show.
constexpr bool IsRace(Kind kind) {
  return kind <= Kind::kSourceOverwritten || kind == Kind::kLifetime;
}

constexpr bool IsNote(Kind kind) {
  return kind >= Kind::kCollectiveOrder && kind <= Kind::kPassedWithout;
}

// What an event does. The text is built only when it is reported.
struct ActionText {
  const char* does = "";
  const char* what = "";  // follows `does`
  unsigned bytes = 0;     // follows `does`, unless 0

  std::string Text() const;  // "writes 4 bytes"
};

// One of the two events.
struct Side {
  Place at;                    // one lane
  std::uint64_t step = 0;      // of the run: index from 1; 0: the place tells how an order ends
  std::uint64_t transfer = 0;  // the transfer, started by the thread, whose event it is
  ActionText action;
};

// A warp collective that these lanes executed together.
struct Collective {
  Place at;
  WarpOp op = WarpOp::kSync;
};

// A wait at an mbarrier that was over at once, and so has held no warp back.
struct IdleWait {
  std::uint32_t pc = 0;
  // It was for the phase before the first. Otherwise its lanes had waited for that phase before,
  // and had gone on to something else.
  bool is_fresh = false;
};

struct Suspicion {
  Kind kind = Kind::kDataRace;
  Side first;  // in the order of the run
  Side second;
  Range object;                       // memory, or an mbarrier
  int bar = -1;                       // a named barrier of the CTA object.owner
  std::string why;                    // why nothing orders them: a sentence
  std::optional<IdleWait> idle_wait;  // which `why` names
  std::string hint;                   // what may be wrong, where the run shows it: a sentence
  // Of a race: the numbers of the events, unless a transfer does them; and an arrival after one of
  // them at a barrier for which no thread waits.
  std::uint32_t first_event = 0;
  std::uint32_t second_event = 0;
  std::optional<std::uint32_t> unawaited;
  // No other order of instructions shows it: the run itself is the witness.
  bool of_memory_model = false;
  // Collectives between the two events that would order them if collectives ordered memory, in the
  // order of the run. For a race, only the last one, and only on request.
  std::vector<Collective> collectives;
  std::vector<Place> without;  // of kPassedWithout: where the threads exited
};

// Whether the finding concerns two events. Otherwise it concerns how an order ends.
inline bool IsPair(const Suspicion& suspicion) { return suspicion.first.step != 0; }

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SUSPICION_H_
