// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Mbarriers: which phase an arrival could fall into, which one a wait could find, and what a wait
// makes known.
#include <fmt/format.h>

#include <algorithm>

#include "sim/explore/analysis.h"
#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

void Analysis::OnMbarrier(const Place& at, std::uint64_t owner, const MbOperation& operation,
                          const ptx::Mbarrier* instruction, const MbEffects& effects,
                          std::uint64_t of) {
  const EventNumber event = EventAt(at);
  const Range word{owner, operation.addr, kWordBytes};
  if (operation.op != MbOp::kCopyArriveNoInc) {
    CheckWord(at, word, operation, event, of);
  }
  const auto [found, fresh] = objects_.try_emplace({owner, operation.addr});
  Object& object = found->second;
  if (fresh) {
    object.self = PseudoOf(owner);
  }
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval) {
    const Thread self = object.self;
    const bool awaited = object.awaited;
    object = {};
    object.self = self;
    object.awaited = awaited;
    return;
  }
  const ptx::Scope scope = instruction == nullptr ? ptx::Scope::kCluster : instruction->scope;
  if (IsMbWait(operation.op)) {
    object.awaited = true;
    if (effects.complete != 0) {
      Place waited = at;
      waited.lanes = effects.complete;
      Acquire(object.done, scope, instruction->acquiring, waited);
      ForEachBit(effects.complete, [&](unsigned lane) {
        Side side = SideOf(at, "waits");
        side.at.lanes = 1U << lane;
        object.waits.emplace_back(ThreadOf(at, lane), event, side);
      });
    }
    return;
  }
  if (operation.op == MbOp::kCopyArrive || operation.op == MbOp::kCopyArriveNoInc) {
    return;  // the arrive-on comes later
  }
  CheckPhase(object, at, word, operation, of);
  Known known = of == 0 ? Gather(at, event) : transfers_[of].known;
  if (of != 0) {
    const Transfer& transfer = transfers_[of];
    object.transfers.push_back(of);
    object.transfers.insert(object.transfers.end(), transfer.copies.begin(), transfer.copies.end());
  }
  object.now.must = Clock::Join(object.now.must, known.must);
  if (instruction == nullptr) {
    // The end of copies: they alone come before it, not what their threads did before them.
    Publish(&object.now.list, {ptx::Scope::kCluster, owner, {}});
  } else if (instruction->releasing && IsMbArrival(operation.op)) {
    Publish(&object.now.list, {scope, at.cta, known});
  } else if (of != 0) {
    PublishRelaxed(transfers_[of].fences, scope, at.cta, &object.now);
  } else {
    ForEachBit(at.lanes, [&](unsigned lane) {
      PublishRelaxed(StateOf(at, lane).fences, scope, at.cta, &object.now);
    });
  }
  object.latest = SideOf(at, fmt::format("does mbarrier.{}", Name(operation.op)));
  object.latest.transfer = of;
  if (of != 0) {
    object.latest.step = transfers_[of].step;
  }
  object.arrived = true;
  if (effects.completions != 0) {
    Complete(&object, word, ++events_);
  }
}

// The word is memory, too: init and inval are writes, all else is atomic.
void Analysis::CheckWord(const Place& at, const Range& word, const MbOperation& operation,
                         EventNumber event, std::uint64_t of) {
  const bool makes = operation.op == MbOp::kInit || operation.op == MbOp::kInval;
  Access access;
  access.at = at;
  access.event = event;
  access.step = of != 0 ? transfers_[of].step : world_.steps();
  access.transfer = of;
  access.role = makes ? Role::kMakes : Role::kMbarrier;
  access.ordering.order = makes ? ptx::Order::kWeak : ptx::Order::kRelaxed;
  access.size = kWordBytes;
  const std::uint32_t index = NoteAccess(access);
  last_.lanes = 0;
  ForEachBit(at.lanes, [&](unsigned lane) {
    const Known& known = of != 0 ? transfers_[of].known : StateOf(at, lane).known;
    Check(word, {&accesses_[index], index, lane, &known, true, false});
    if (word.owner != at.cta && of == 0) {
      visits_[word.owner][{at.cta, ThreadOf(at, lane).index}] = index;
    }
  });
}

// An arrival must come after the phase before its own has completed, in every order.
void Analysis::CheckPhase(const Object& object, const Place& at, const Range& word,
                          const MbOperation& operation, std::uint64_t of) {
  const bool counts = IsMbArrival(operation.op) || operation.op == MbOp::kCompleteTx;
  if (!counts || object.completed == 0) {
    return;
  }
  const auto suspect = [&](const Place& place, const Known& known) {
    if (Clock::Knows(known.must, object.self, object.completed)) {
      return;
    }
    Suspicion suspicion;
    suspicion.kind = operation.op == MbOp::kCompleteTx ? Kind::kExpectedBytes : Kind::kOtherPhase;
    suspicion.first = object.before;
    suspicion.second = SideOf(place, fmt::format("does mbarrier.{}", Name(operation.op)));
    suspicion.second.transfer = of;
    suspicion.second.step = of != 0 ? transfers_[of].step : world_.steps();
    suspicion.object = word;
    suspicion.why = "nothing tells it that the phase before is complete, so it could count there";
    Suspect(std::move(suspicion));
  };
  if (of != 0) {
    suspect(transfers_[of].at, transfers_[of].known);
    return;
  }
  ForEachBit(at.lanes, [&](unsigned lane) {
    Place one = at;
    one.lanes = 1U << lane;
    suspect(one, StateOf(at, lane).known);
  });
}

void Analysis::Complete(Object* object, const Range& word, EventNumber event) {
  // Who waited for the phase before must have done so, or would find this one complete.
  for (const auto& [thread, waited, side] : object->waits) {
    if (Clock::Knows(object->now.must, thread, waited)) {
      continue;
    }
    Suspicion suspicion;
    suspicion.kind = Kind::kLateWait;
    suspicion.first = side;
    suspicion.second = object->latest;
    suspicion.object = word;
    suspicion.why =
        "no arrival of the next phase comes after the wait, so the wait could come when that phase "
        "has completed, too";
    Suspect(std::move(suspicion));
  }
  object->waits.clear();
  object->completed = event;
  object->before = object->latest;
  object->now.must = Clock::With(object->now.must, object->self, event);
  object->done.must = Clock::Join(object->done.must, object->now.must);
  for (Published& one : object->now.list) {
    one.known.Note(object->self, event);
    Publish(&object->done.list, one);
  }
  object->now = {};
  for (const std::uint64_t number : object->transfers) {
    transfers_[number].waited.push_back({object->self, event, false});
  }
  object->transfers.clear();
}

}  // namespace muster::explore
