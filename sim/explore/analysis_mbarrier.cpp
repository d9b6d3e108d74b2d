// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Mbarriers: which phase an arrival could fall into, which phase a wait could find, and what a wait
// acquires.

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
  const auto [found, fresh] = objects_.try_emplace({owner, operation.addr});
  Object& object = found->second;
  if (fresh) {
    object.self = PseudoOf(owner);
  }
  if (operation.op != MbOp::kCopyArriveNoInc) {
    CheckWord(object, at, word, operation, event, of);
  }
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval) {
    const Thread self = object.self;
    const bool awaited = object.awaited;
    object = {};
    object.self = self;
    object.awaited = awaited;
    if (operation.op == MbOp::kInit) {
      object.init = Past{static_cast<std::uint32_t>(accesses_.size() - 1), at.lanes};
      object.made = SideOf(at, {"does mbarrier.", Name(operation.op)});
    }
    return;
  }
  const ptx::Scope scope = instruction == nullptr ? ptx::Scope::kCluster : instruction->scope;
  if (IsMbWait(operation.op)) {
    object.awaited = true;
    if (effects.complete != 0) {
      Side waited = SideOf(at, {"waits"});
      waited.at.lanes = effects.complete;
      Acquire(object.done, scope, instruction->acquiring, waited.at);
      object.waits.emplace_back(event, waited);
      NoteFresh(object, waited, word);
    }
    return;
  }
  if (operation.op == MbOp::kCopyArrive || operation.op == MbOp::kCopyArriveNoInc) {
    return;  // the arrive-on comes later
  }
  CheckPhase(object, at, word, operation, of);
  const Shared<Known> known = of == 0 ? Gather(at, event) : transfers_[of].known;
  if (of != 0) {
    const Transfer& transfer = transfers_[of];
    object.transfers.push_back(of);
    object.transfers.insert(object.transfers.end(), transfer.copies.begin(), transfer.copies.end());
  }
  object.now.must.Join(known->must);
  if (instruction == nullptr) {
    // The completion of copies: it orders the copies alone, and not what their threads did before
    // them.
    Publish(&object.now.list, {ptx::Scope::kCluster, owner, {}});
  } else if (instruction->releasing && IsMbArrival(operation.op)) {
    Publish(&object.now.list, {scope, at.cta, known});
  } else if (of != 0) {
    PublishRelaxed(transfers_[of].fences, scope, &object.now);
  } else {
    PublishRelaxed(FencesOf(at), scope, &object.now);
  }
  object.latest = SideOf(at, {"does mbarrier.", Name(operation.op)});
  object.latest.transfer = of;
  if (of != 0) {
    object.latest.step = transfers_[of].step;
  }
  object.arrivals.push_back({object.latest, event});
  object.arrived = true;
  if (effects.completions != 0) {
    Complete(&object, word, ++events_);
  }
}

// Notes a wait for the phase before the first one: no phase has completed since the init.
void Analysis::NoteFresh(const Object& object, const Side& waits, const Range& word) {
  const bool is_fresh = object.made.step != 0 && object.completed == 0;
  std::uint32_t& fresh = at_fresh_[{waits.at.cta, waits.at.warp}].lanes;
  fresh = is_fresh ? fresh | waits.at.lanes : fresh & ~waits.at.lanes;
  if (!is_fresh) {
    return;
  }
  at_fresh_[{waits.at.cta, waits.at.warp}].pc = waits.at.pc;
  Suspicion note;
  note.kind = Kind::kBeforeFirst;
  note.first = object.made;
  note.second = waits;
  note.object = word;
  note.why = "it is over at once, for the phase before the first: the mbarrier is fresh";
  note.of_memory_model = true;
  Suspect(std::move(note));
}

// Checks the mbarrier's word as memory: init and inval are writes, and all other operations are
// atomic. Every use must be ordered after the init, even if another ordered use comes before it.
void Analysis::CheckWord(const Object& object, const Place& at, const Range& word,
                         const MbOperation& operation, EventNumber event, std::uint64_t of) {
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
  const auto check = [&](std::uint32_t lanes, const Known& known) {
    const Accessor now{&accesses_[index], index, lanes, &known, true, false};
    if (!makes && object.init && !IsOrdered(*object.init, now)) {
      Race(*object.init, word, now);
    }
    Check(word, now);
  };
  if (of != 0) {
    check(at.lanes, *transfers_[of].known);
    return;
  }
  ForEachState(at, [&](ThreadState* state, std::uint32_t lanes) { check(lanes, *state->known); });
}

// In every order, the phase before the arrival's own phase must have completed before the arrival.
void Analysis::CheckPhase(const Object& object, const Place& at, const Range& word,
                          const MbOperation& operation, std::uint64_t of) {
  const bool counts = IsMbArrival(operation.op) || operation.op == MbOp::kCompleteTx;
  if (!counts || object.completed == 0) {
    return;
  }
  const auto suspect = [&](const Place& place, const Known& known) {
    if (known.must.Knows(object.self, object.completed)) {
      return;
    }
    const Arrived* const before = Unknown(object.completes, place, known.must);
    if (before == nullptr) {
      return;
    }
    Suspicion suspicion;
    suspicion.kind = operation.op == MbOp::kCompleteTx ? Kind::kExpectedBytes : Kind::kOtherPhase;
    suspicion.first = before->side;
    suspicion.first.at.lanes &= -suspicion.first.at.lanes;
    suspicion.second = SideOf(place, {"does mbarrier.", Name(operation.op)});
    suspicion.second.transfer = of;
    suspicion.second.step = of != 0 ? transfers_[of].step : world_.steps();
    suspicion.object = word;
    suspicion.why = "nothing tells it that the phase before is complete, so it could count there";
    Suspect(std::move(suspicion));
  };
  if (of != 0) {
    suspect(transfers_[of].at, *transfers_[of].known);
    return;
  }
  ForEachState(at, [&](ThreadState* state, std::uint32_t lanes) {
    Place one = at;
    one.lanes = lanes & -lanes;
    suspect(one, *state->known);
  });
}

void Analysis::Complete(Object* object, const Range& word, EventNumber event) {
  // A wait for the preceding phase must end before this phase completes, or it could find this one
  // complete.
  for (const auto& [waited, side] : object->waits) {
    std::uint32_t late = side.at.lanes;
    while (late != 0 && object->now.must.Knows(ThreadOf(side.at, First(late)), waited)) {
      late &= late - 1;
    }
    if (late == 0) {
      continue;
    }
    Suspicion suspicion;
    suspicion.kind = Kind::kLateWait;
    suspicion.first = side;
    suspicion.first.at.lanes = late & -late;
    suspicion.second = object->latest;
    suspicion.object = word;
    suspicion.why =
        "no arrival of the next phase comes after the wait, so the wait could come when that phase "
        "has completed, too";
    Suspect(std::move(suspicion));
  }
  object->waits.clear();
  object->completed = event;
  object->now.must.Note(object->self, event, kAllLanes);
  object->done.must.Join(object->now.must);
  object->done.list = std::move(object->now.list);  // a wait acquires what this phase released
  for (Published& one : object->done.list) {
    one.known.Own().Note(object->self, event, kAllLanes);
  }
  object->now = {};
  for (const std::uint64_t number : object->transfers) {
    transfers_[number].waited.push_back({object->self, event, false});
  }
  object->completes = std::exchange(object->arrivals, {});
  object->transfers.clear();
}

}  // namespace muster::explore
