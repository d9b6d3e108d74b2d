// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/mbarriers.h"

#include <fmt/format.h>

#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"

namespace muster::explore {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

void Mbarriers::Operate(const Place& at, std::uint64_t owner, const MbOperation& operation,
                        const ptx::Mbarrier* instruction, const MbEffects& effects,
                        std::uint64_t of) {
  const EventNumber event = threads_.NewEvent();
  const MbOp op = operation.op;
  const auto [found, fresh] = objects_.try_emplace({owner, operation.addr});
  Object& object = found->second;
  if (fresh) {
    object.word = {owner, operation.addr, kWordBytes};
    object.self = threads_.NewPseudo(owner);
  }
  if (of == 0 && !IsMbWait(op)) {
    memory_.NoteAction(at);
  }
  std::uint32_t access = 0;
  if (op != MbOp::kCopyArriveNoInc) {
    access =
        memory_.ByMbarrier(at, object.word, op, event, of, object.init ? &*object.init : nullptr);
  }
  if (op == MbOp::kInit || op == MbOp::kInval) {
    Make(&object, at, op, access, effects.word);
  } else if (op == MbOp::kReportOn || operation.asks == MbAsks::kLayout) {
    return;  // neither waits for anything, nor ends a wait
  } else if (IsMbWait(op)) {
    object.awaited = true;
    if (effects.complete != 0) {
      Place answered = at;
      answered.lanes = effects.complete;
      Wait(&object, answered, *instruction, event);
    }
  } else if (op != MbOp::kCopyArrive &&
             op != MbOp::kCopyArriveNoInc) {  // the arrive-on comes later
    CheckPhase(object, at, op, of);
    Arrive(&object, at, op, instruction, event, of);
    if (op == MbOp::kArrive && operation.operand == 1) {
      object.arrivers[at.pc][{at.cta, at.warp}] |= at.lanes;
    }
    if (effects.completions != 0) {
      Complete(&object, threads_.NewEvent());
    }
  }
}

Side Mbarriers::SideOf(const Place& at, MbOp op, std::uint64_t of) const {
  return {at, of != 0 ? transfers_.Of(of).step : world_.steps(), of, {"does mbarrier.", Name(op)}};
}

void Mbarriers::Make(Object* object, const Place& at, MbOp op, std::uint32_t access,
                     std::uint64_t word) {
  Object made;
  made.word = object->word;
  made.self = object->self;
  made.awaited = object->awaited;
  if (op == MbOp::kInit) {
    made.init = Past{access, at.lanes};
    made.made = SideOf(at, op, 0);
    made.expected = DecodeMbWord(word, true).expected;
  }
  *object = std::move(made);
}

// Returns the lanes that have waited for the phase before, and have then done something else.
std::uint32_t Mbarriers::WaitedBefore(const Object& object, const Place& at) const {
  std::uint32_t lanes = 0;
  for (const Waiter& one : object.waits) {
    const Place& its = one.side.at;
    if (its.cta == at.cta && its.warp == at.warp && memory_.HasActedSince(at, one.event)) {
      lanes |= its.lanes & at.lanes;
    }
  }
  return lanes;
}

void Mbarriers::Wait(Object* object, const Place& at, const ptx::Mbarrier& instruction,
                     EventNumber event) {
  const Side waits{at, world_.steps(), 0, {"waits"}};
  threads_.Acquire(object->done, instruction.scope, instruction.acquiring, at);
  // The wait was for the phase before the first one: no phase has completed since the init.
  const bool is_fresh = object->made.step != 0 && object->completed == 0;
  const std::uint32_t idle = is_fresh ? at.lanes : WaitedBefore(*object, at);
  object->waits.push_back({event, waits, idle, is_fresh});
  memory_.NoteWait(at, idle, is_fresh);
}

void Mbarriers::Arrive(Object* object, const Place& at, MbOp op, const ptx::Mbarrier* instruction,
                       EventNumber event, std::uint64_t of) {
  const Transfer* const transfer = of == 0 ? nullptr : &transfers_.Of(of);
  const Shared<Known> known = transfer == nullptr ? threads_.Gather(at, event) : transfer->known;
  if (transfer != nullptr) {
    object->transfers.emplace_back(of, Part::kAll);
    for (const std::uint64_t copy : transfer->copies) {
      object->transfers.emplace_back(copy, transfer->awaited);
    }
  }
  object->now.must.Join(known->must);
  const ptx::Scope scope = instruction == nullptr ? ptx::Scope::kCluster : instruction->scope;
  if (instruction == nullptr) {
    // The completion of copies: it orders the copies alone, and not what their threads did before
    // them.
    Publish(&object->now.list, {ptx::Scope::kCluster, object->word.owner, {}});
  } else if (instruction->releasing && IsMbArrival(op)) {
    Publish(&object->now.list, {scope, at.cta, known});
  } else {
    Threads::PublishRelaxed(transfer != nullptr ? transfer->fences : threads_.FencesOf(at), scope,
                            &object->now);
  }
  object->latest = SideOf(at, op, of);
  object->arrivals.push_back({object->latest, event});
  object->arrived = true;
}

// In every order, the phase before the arrival's own phase must have completed before the arrival.
void Mbarriers::CheckPhase(const Object& object, const Place& at, MbOp op, std::uint64_t of) {
  const bool counts = IsMbArrival(op) || op == MbOp::kCompleteTx;
  if (!counts || object.completed == 0) {
    return;
  }
  const auto suspect = [&](const Place& place, const Known& known) {
    if (known.must.Knows(object.self, object.completed)) {
      return;
    }
    const Arrived* const before = transfers_.Unknown(object.completes, place, known.must);
    if (before == nullptr) {
      return;
    }
    Suspicion suspicion;
    suspicion.kind = op == MbOp::kCompleteTx ? Kind::kExpectedBytes : Kind::kOtherPhase;
    suspicion.first = before->side;
    suspicion.first.at.lanes &= -suspicion.first.at.lanes;
    suspicion.second = SideOf(place, op, of);
    suspicion.object = object.word;
    suspicion.why = "nothing tells it that the phase before is complete, so it could count there";
    suspicions_.Add(std::move(suspicion));
  };
  if (of != 0) {
    suspect(transfers_.Of(of).at, *transfers_.Of(of).known);
    return;
  }
  threads_.ForEachKnown(at, [&](const Known& known, std::uint32_t lanes) {
    Place one = at;
    one.lanes = lanes & -lanes;
    suspect(one, known);
  });
}

// A wait for the preceding phase must end before this phase completes, or it could find this one
// complete.
void Mbarriers::CheckWaits(Object* object) {
  for (const Waiter& waiter : object->waits) {
    const Side& side = waiter.side;
    std::uint32_t late = side.at.lanes;
    while (late != 0 && object->now.must.Knows(ThreadOf(side.at, First(late)), waiter.event)) {
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
    suspicion.object = object->word;
    suspicion.why =
        "no arrival of the next phase comes after the wait, so the wait could come when that phase "
        "has completed, too";
    if ((waiter.idle >> First(late) & 1) != 0) {
      suspicion.idle_wait = IdleWait{side.at.pc, waiter.is_fresh};
    }
    suspicions_.Add(std::move(suspicion));
    if (waiter.is_fresh) {
      NoteBeforeFirst(*object, waiter);
    }
  }
  object->waits.clear();
}

// Where an arrival of the first phase comes after the wait, as where a slot is free at first, the
// wait is as it should be.
void Mbarriers::NoteBeforeFirst(const Object& object, const Waiter& waiter) {
  Suspicion note;
  note.kind = Kind::kBeforeFirst;
  note.first = object.made;
  note.second = waiter.side;
  note.object = object.word;
  note.why = "it is over at once, for the phase before the first: the mbarrier is fresh";
  note.of_memory_model = true;
  suspicions_.Add(std::move(note));
}

void Mbarriers::Complete(Object* object, EventNumber event) {
  CheckWaits(object);
  object->completed = event;
  object->now.must.Note(object->self, event, kAllLanes);
  object->done.must.Join(object->now.must);
  object->done.list = std::move(object->now.list);  // a wait acquires what this phase released
  for (Published& one : object->done.list) {
    one.known.Own().Note(object->self, event, kAllLanes);
  }
  object->now = {};
  for (const auto& [number, part] : object->transfers) {
    transfers_.NoteWait(number, {object->self, event, part});
  }
  object->completes = std::exchange(object->arrivals, {});
  object->transfers.clear();
}

void Mbarriers::Conclude() {
  for (const auto& [key, object] : objects_) {
    if (object.arrived && !object.awaited) {
      Clock told = object.done.must;
      told.Join(object.now.must);
      suspicions_.AddUnawaited(object.latest, object.word, -1,
                               [&](const Side& side, EventNumber event) {
                                 return transfers_.ComesBefore(side, event, told);
                               });
    }
  }
}

void Mbarriers::CountArrivals() {
  const ptx::Program& program = world_.program();
  for (const auto& [key, object] : objects_) {
    for (const auto& [pc, warps] : object.arrivers) {
      std::uint32_t threads = 0;
      for (const auto& [warp, lanes] : warps) {
        threads += Ones(lanes);
      }
      if (threads <= object.expected) {
        continue;
      }
      const std::string who = threads == warps.size()
                                  ? fmt::format("{} warps", threads)
                                  : fmt::format("{} threads of {} warp{}", threads, warps.size(),
                                                warps.size() == 1 ? "" : "s");
      suspicions_.AddHint(
          object.word, pc,
          fmt::format("mbarrier {} expects {} arrival{}, and {} arrive each round, at {}",
                      ptx::MbarrierName(program, key.second), object.expected,
                      object.expected == 1 ? "" : "s", who, program.Place(program.code[pc].line)));
    }
  }
}

}  // namespace muster::explore
