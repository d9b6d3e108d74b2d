// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/explorer.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/explore/analysis.h"
#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

// Whether both are races, of any kind, between the same two places.
bool IsRaceOf(const Suspicion& race, const Suspicion& other) {
  return IsRace(race.kind) && std::minmax(race.first.at.pc, race.second.at.pc) ==
                                  std::minmax(other.first.at.pc, other.second.at.pc);
}

bool IsWaitForInit(const ptx::Program& program, const ptx::Turn& first, const ptx::Turn& second) {
  const auto op_of = [&](const ptx::Turn& turn) {
    const auto* const mbarrier = std::get_if<ptx::Mbarrier>(&program.code[turn.pc].payload);
    return mbarrier == nullptr ? MbOp::kArrive : mbarrier->op;
  };
  return op_of(first) == MbOp::kInit && IsMbWait(op_of(second));
}

// Whether both parts of a multicast transfer go to the same CTA.
bool IsToSame(const ptx::Turn& turn, const ptx::Turn& wanted) {
  return !turn.to || !wanted.to || turn.to == wanted.to;
}

}  // namespace

Explorer::Explorer(MakeWorld make_world, ExplorerOptions options, Judge judge)
    : make_world_(std::move(make_world)),
      own_world_(make_world_()),
      world_(*own_world_),
      options_(std::move(options)),
      judge_(std::move(judge)) {
  world_.set_stop([this] { return IsOver(); });
}

// All wrong results count as one bad end, whatever the values.
std::pair<Kind, std::string> Explorer::EndOf(const BadEnd& end) {
  return {end.kind, end.kind == Kind::kWrongResult ? "" : end.what};
}

// A key of the two places that does not depend on their order.
Explorer::Key Explorer::KeyOf(const Suspicion& suspicion) {
  const auto [a, b] = std::minmax(suspicion.first.at.pc, suspicion.second.at.pc);
  return {suspicion.kind, a, b};
}

// ------------------------------------------------------------------------------------------------
// Predict, exhaust, drive
// ------------------------------------------------------------------------------------------------

Explored Explorer::Run() {
  Predict();
  if (options_.bound != 0 && !IsEnough()) {
    Exhaust();
  }
  std::uint64_t count = 0;
  for (const auto& [key, lead] : leads_) {
    const bool has_race = std::any_of(explored_.findings.begin(), explored_.findings.end(),
                                      [](const Finding& finding) { return IsPair(finding.what); });
    if (found_.count(key) == 0 && !(options_.until_finding && has_race)) {
      Say("driving suspicions to a witness", ++count);
      Witness(lead);
    }
  }
  // An event pair that races in another order is no note.
  const auto is_found = [&](const Suspicion& note) {
    return note.kind == Kind::kCollectiveOrder &&
           std::any_of(explored_.findings.begin(), explored_.findings.end(),
                       [&](const Finding& finding) { return IsRaceOf(finding.what, note); });
  };
  std::vector<Suspicion>& lints = explored_.lints;
  lints.erase(std::remove_if(lints.begin(), lints.end(), is_found), lints.end());
  return std::move(explored_);
}

// Draws the next actor. Prefers some groups of a warp, so that lanes reconverge, and sometimes
// holds one warp back for a while.
const Actor& Explorer::Choose(const std::vector<Actor>& enabled, ptx::Random* random) {
  const Actor* chosen = &enabled[random->Below(static_cast<std::uint32_t>(enabled.size()))];
  constexpr std::uint32_t kAnyOneIn = 16;
  const bool is_of_warp = chosen->kind == Actor::Kind::kLanes || chosen->kind == Actor::Kind::kWait;
  if (!is_of_warp || random->OneIn(kAnyOneIn)) {
    return *chosen;
  }
  for (const Actor& other : enabled) {
    if (other.kind == chosen->kind && other.unit == chosen->unit && other.warp == chosen->warp &&
        other.pc < chosen->pc) {
      chosen = &other;
    }
  }
  return *chosen;
}

// Follows runs in random orders with vector clocks.
void Explorer::Predict() {
  for (std::uint64_t run = 0;
       run < options_.predictions && (run == 0 || !IsSearchOver()) && !IsEnough(); ++run) {
    Say("predicting along runs", run);
    world_.Reset();
    Analysis analysis(world_);
    world_.set_observer(&analysis);
    Trace trace;
    std::vector<Actor> actors;
    ptx::Random random(options_.seed + run);
    // In every second run one warp is held back.
    const bool favours = run % 2 == 1;
    std::uint64_t behind = random.Next();
    while (!IsLeft()) {
      const std::vector<Actor>& enabled = world_.Enabled();
      if (enabled.empty()) {
        break;
      }
      constexpr std::uint32_t kOtherOneIn = 64;
      behind = random.OneIn(kOtherOneIn) ? random.Next() : behind;
      std::vector<Actor> others;
      for (const Actor& actor : enabled) {
        const unsigned who = actor.kind == Actor::Kind::kTransfer ? 63U
                             : actor.kind == Actor::Kind::kStart  ? 62U
                                                                  : actor.warp;
        if (favours && (behind >> who & 1) == 0) {
          others.push_back(actor);
        }
      }
      const Actor actor = Choose(others.empty() ? enabled : others, &random);
      const ptx::Turn turn = world_.TurnOf(actor);
      world_.Step(actor);
      trace.Add(actor, turn, world_.gathered());
      actors.push_back(actor);
    }
    world_.set_observer(nullptr);
    if (world_.Enabled().empty()) {
      analysis.Conclude();
    }
    ++explored_.runs;
    Take(world_, analysis.suspicions(), trace, actors);
    Conclude(world_, trace);
  }
}

// ------------------------------------------------------------------------------------------------
// Findings
// ------------------------------------------------------------------------------------------------

void Explorer::AddFinding(const World& world, const Suspicion& what, const Trace& trace,
                          std::vector<ptx::Turn> pair) {
  Finding finding;
  finding.pair = std::move(pair);
  finding.what = what;
  finding.ending = world.Ending();
  finding.is_bad = !judge_(world).empty();
  finding.needed = trace.turns().size();
  finding.turns = trace.WithNext(world);
  finding.standing = world.Standing();
  Add(std::move(finding));
}

void Explorer::Add(Finding finding) {
  if (options_.found) {
    options_.found(finding.what);
  }
  explored_.findings.push_back(std::move(finding));
}

// Records the bad ends of the order.
void Explorer::Conclude(const World& world, const Trace& trace) {
  for (const BadEnd& end : judge_(world)) {
    if (!ends_.insert(EndOf(end)).second) {
      continue;
    }
    Suspicion what;
    what.kind = end.kind;
    what.why = end.kind == Kind::kDeadlock ? "" : end.what;
    const std::vector<Place> standing = world.Standing();
    if (end.at) {
      what.first.at = what.second.at = *end.at;
    }
    if (end.kind == Kind::kDeadlock && !standing.empty()) {
      what.first.at = what.second.at = standing.front();
      for (const Place& place : standing) {
        if (place.pc != what.first.at.pc) {
          what.second.at = place;
        }
      }
    }
    AddFinding(world, what, trace, {});
  }
}

// Takes the unordered events of a run. If no other order of instructions can show a suspicion, the
// run itself is its witness; otherwise the suspicion is to be confirmed.
void Explorer::Take(const World& world, const std::vector<Suspicion>& suspicions,
                    const Trace& trace, const std::vector<Actor>& actors) {
  for (const Suspicion& suspicion : TakeNotes(suspicions, actors)) {
    const Key key = KeyOf(suspicion);
    if (IsNote(suspicion.kind)) {
      if (found_.insert(key).second) {
        explored_.lints.push_back(suspicion);
      }
      continue;
    }
    const auto turn = [&](const Side& side) {
      ptx::Turn at = trace.At(side.step, First(side.at.lanes));
      if (side.transfer != 0) {
        at.what = ptx::Turn::What::kPerforms;
        if (suspicion.object.owner != kGlobal &&
            !ptx::IsOfTensorCore(world.program().code[side.at.pc].op)) {
          at.to = suspicion.object.owner;
        }
      }
      return at;
    };
    if (suspicion.of_memory_model) {
      if (found_.insert(key).second) {
        AddFinding(world, suspicion, trace, {turn(suspicion.first), turn(suspicion.second)});
      }
      continue;
    }
    leads_.try_emplace(key, Lead{suspicion, turn(suspicion.first), turn(suspicion.second)});
  }
}

// Only warp collectives could order the two events.
bool Explorer::MayBeNote(const Suspicion& suspicion) const {
  return IsRace(suspicion.kind) && suspicion.of_memory_model && found_.count(KeyOf(suspicion)) == 0;
}

// There is no time to tell whether the race is a note.
void Explorer::LeaveOpen(const Suspicion& race) {
  if (found_.insert(KeyOf(race)).second) {
    explored_.suspicions.push_back(
        {race,
         "nothing: the time was over before it was known whether collectives order it",
         {},
         0});
  }
}

// Turns races that vanish if collectives order memory into notes, which name the collectives.
// Returns the other races.
std::vector<Suspicion> Explorer::TakeNotes(const std::vector<Suspicion>& suspicions,
                                           const std::vector<Actor>& actors) {
  if (std::none_of(suspicions.begin(), suspicions.end(),
                   [&](const Suspicion& one) { return MayBeNote(one); })) {
    return suspicions;
  }
  const auto race_of = [](const std::vector<Suspicion>& list, const Suspicion& note) {
    return std::find_if(list.begin(), list.end(),
                        [&](const Suspicion& one) { return IsRaceOf(one, note); });
  };
  std::vector<Suspicion> others = Follow(actors, {true});
  if (other_world_->is_stopped()) {
    for (const Suspicion& one : suspicions) {
      if (!MayBeNote(one)) {
        others.push_back(one);
      } else if (race_of(others, one) == others.end()) {
        LeaveOpen(one);
      }
    }
    return others;
  }
  // By the collectives that would order them.
  std::map<std::set<std::uint32_t>, std::vector<Suspicion>> told;
  for (Suspicion note : suspicions) {
    if (!MayBeNote(note) || race_of(others, note) != others.end()) {
      continue;
    }
    Suspicion race = note;
    note.kind = Kind::kCollectiveOrder;
    if (found_.count(KeyOf(note)) != 0) {
      continue;
    }
    Collectives some{false, {}, true};
    while (true) {
      const auto [known, fresh] = told.try_emplace(some.order_at);
      if (fresh) {
        known->second = Follow(actors, some);
      }
      const auto left = race_of(known->second, note);
      if (left == known->second.end() || left->collectives.empty()) {
        break;
      }
      note.collectives.push_back(left->collectives.front());
      some.order_at.insert(left->collectives.front().at.pc);
    }
    if (other_world_->is_stopped()) {
      LeaveOpen(race);
      told.clear();
      continue;
    }
    if (note.collectives.empty()) {
      others.push_back(std::move(race));
      continue;
    }
    found_.insert(KeyOf(note));
    explored_.lints.push_back(std::move(note));
  }
  return others;
}

std::vector<Suspicion> Explorer::Follow(const std::vector<Actor>& actors,
                                        const Collectives& collectives) {
  if (other_world_ == nullptr) {
    other_world_ = make_world_();
    other_world_->set_stop([this] { return IsOver(); });
  }
  World& world = *other_world_;
  world.Reset();
  Analysis analysis(world, collectives);
  world.set_observer(&analysis);
  for (const Actor& actor : actors) {
    if (!world.Enabled().empty()) {
      world.Step(actor);
    }
  }
  world.set_observer(nullptr);
  if (world.Enabled().empty()) {
    analysis.Conclude();
  }
  return analysis.suspicions();
}

// Whether the order is a witness: the second event came before the first, and the order ended badly
// or the suspicion is a race.
bool Explorer::IsShown(const Lead& lead) {
  const auto index = [](const std::vector<ptx::Turn>& turns, const ptx::Turn& wanted) {
    return std::find_if(turns.begin(), turns.end(),
                        [&](const ptx::Turn& turn) {
                          return turn.cta == wanted.cta && turn.warp == wanted.warp &&
                                 turn.pc == wanted.pc && turn.time == wanted.time &&
                                 turn.what == wanted.what && IsToSame(turn, wanted) &&
                                 (turn.lanes & wanted.lanes) != 0;
                        }) -
           turns.begin();
  };
  for (std::size_t i = 0; i < explored_.findings.size(); ++i) {
    Finding finding = explored_.findings[i];
    const auto second = index(finding.turns, lead.second);
    const bool is_enough = finding.is_bad || IsRace(lead.what.kind);
    const auto needed = static_cast<std::ptrdiff_t>(finding.needed);
    if (is_enough && second < std::min(needed, index(finding.turns, lead.first))) {
      finding.what = lead.what;
      finding.pair = {lead.second, lead.first};
      Add(std::move(finding));
      return true;
    }
  }
  return false;
}

// Tries to confirm the suspicion with orders in which the first event waits for the second.
void Explorer::Witness(const Lead& lead) {
  if (IsShown(lead)) {
    return;
  }
  std::uint64_t attempts = 0;
  std::uint64_t reversals = 0;
  Unconfirmed nearest{lead.what, "", {}, 0};
  std::string end;  // the bad end of the nearest order, if it has one
  const auto is_over = [&] { return attempts == 0 ? IsOver() : IsDrivingOver() || IsEnough(); };
  for (; attempts < options_.attempts && !is_over(); ++attempts) {
    Trace trace;
    const bool reversed = RunReversed(lead, options_.seed + attempts, &trace);
    ++explored_.runs;
    reversals += reversed ? 1 : 0;
    const std::vector<BadEnd> bad = judge_(world_);
    if (nearest.turns.empty() || (reversed && reversals == 1)) {
      nearest.turns = trace.WithNext(world_);
      nearest.needed = trace.turns().size();
      end = bad.empty() ? "" : bad.front().what;
    }
    Conclude(world_, trace);
    if (reversed && (!bad.empty() || IsRace(lead.what.kind))) {
      found_.insert(KeyOf(lead.what));
      AddFinding(world_, lead.what, trace, {lead.second, lead.first});
      return;
    }
  }
  nearest.tried = TriedText(attempts, reversals, end);
  explored_.suspicions.push_back(std::move(nearest));
}

// `end`: the bad end of the nearest order, or empty.
std::string Explorer::TriedText(std::uint64_t attempts, std::uint64_t reversals,
                                const std::string& end) const {
  if (attempts == 0) {
    return "no order: the time was over";
  }
  const std::string orders = fmt::format("{} order{}", attempts, attempts == 1 ? "" : "s");
  return reversals != 0
             ? fmt::format("{}; in {} the second came first, and none of these ended badly", orders,
                           reversals)
         : end.empty()
             ? fmt::format("{}; in none the second came first", orders)
             : fmt::format("{}; in none the second came first; the nearest one ends badly, in {}",
                           orders, end);
}

bool Explorer::RunReversed(const Lead& lead, std::uint64_t seed, Trace* trace) {
  world_.Reset();
  ptx::Random random(seed);
  bool second_done = false;
  bool first_done = false;
  bool reversed = false;
  const unsigned lane = First(lead.first.lanes);
  const auto is = [&](const Actor& actor, const ptx::Turn& turn, const ptx::Turn& wanted) {
    if (actor.kind == Actor::Kind::kStart) {
      return false;
    }
    const bool flies = actor.kind == Actor::Kind::kTransfer;
    const unsigned its_lane = First(wanted.lanes);
    return turn.cta == wanted.cta && turn.warp == wanted.warp && turn.pc == wanted.pc &&
           (turn.lanes >> its_lane & 1) != 0 &&
           flies == (wanted.what != ptx::Turn::What::kExecutes) && IsToSame(turn, wanted) &&
           (flies ? turn.time : trace->Times(turn, its_lane) + 1) == wanted.time;
  };
  while (!IsLeft()) {
    std::vector<Actor> enabled = world_.Enabled();
    if (enabled.empty()) {
      break;
    }
    std::vector<Actor> allowed;
    for (const Actor& actor : enabled) {
      const ptx::Turn turn = world_.TurnOf(actor);
      const bool held = !second_done && !first_done && is(actor, turn, lead.first);
      if (!held) {
        allowed.push_back(actor);
      } else if (actor.kind == Actor::Kind::kLanes && lead.what.bar < 0 &&
                 (actor.lanes & ~(1U << lane)) != 0) {
        // The lane splits from lanes that need not wait. At a named barrier all lanes arrive
        // together.
        world_.Split(actor, 1U << lane);
        Actor rest = actor;
        rest.lanes &= ~(1U << lane);
        allowed.push_back(rest);
      }
    }
    // A wait before the init finds no phase complete: it suffices that the wait was reached.
    if (!second_done && !first_done && IsWaitForInit(world_.program(), lead.first, lead.second)) {
      const auto waits = world_.Waiting();
      const auto second = std::find_if(waits.begin(), waits.end(), [&](const Actor& wait) {
        return is(wait, world_.TurnOf(wait), lead.second);
      });
      const auto first = std::find_if(enabled.begin(), enabled.end(), [&](const Actor& actor) {
        return is(actor, world_.TurnOf(actor), lead.first);
      });
      if (second != waits.end() && first != enabled.end()) {
        const ptx::Turn turn = world_.TurnOf(*first);
        trace->Add(*second, world_.TurnOf(*second), {});
        world_.Step(*first);
        trace->Add(*first, turn, world_.gathered());
        return true;
      }
    }
    if (allowed.empty()) {
      first_done = true;  // the first event can be delayed no longer
      continue;
    }
    // Prefers the actor of the second event most of the time; in every fourth order, always.
    const Actor* chosen = nullptr;
    constexpr std::uint32_t kFavourOneIn = 2;
    constexpr std::uint64_t kAlwaysOneIn = 4;
    if (!second_done && (seed % kAlwaysOneIn == 0 || random.OneIn(kFavourOneIn))) {
      for (const Actor& actor : allowed) {
        const ptx::Turn turn = world_.TurnOf(actor);
        if (turn.cta == lead.second.cta && turn.warp == lead.second.warp) {
          chosen = &actor;
        }
      }
    }
    const Actor actor = chosen != nullptr ? *chosen : Choose(allowed, &random);
    const ptx::Turn turn = world_.TurnOf(actor);
    if (!second_done && is(actor, turn, lead.second)) {
      second_done = true;
      reversed = !first_done;
    } else if (is(actor, turn, lead.first)) {
      first_done = true;
    }
    world_.Step(actor);
    trace->Add(actor, turn, world_.gathered());
  }
  return reversed;
}

}  // namespace muster::explore
