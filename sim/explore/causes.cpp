// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/demangle.h"

namespace muster::explore {
namespace {

std::string LineOf(std::uint32_t pc, const World& world) {
  const std::uint32_t at = world.program().code[pc].line;
  const std::string own = world.program().sources.OwnLine(at);
  return own.empty() ? fmt::format("PTX line {}", at) : own;
}

// Returns a key of the lines, the variable and, for a note, its kind. Empty: no other finding can
// have this cause.
std::string KeyOf(const Suspicion& suspicion, const World& world) {
  if (suspicion.first.step == 0) {
    return "";
  }
  // A thread waits for the phase before the first in an empty ring, too: then only races at the
  // same variable have one cause.
  if (suspicion.idle_wait) {
    return fmt::format("wait {}\n{}", LineOf(suspicion.idle_wait->pc, world),
                       suspicion.idle_wait->is_fresh ? VariableOf(suspicion, world) : "");
  }
  auto lines =
      std::make_pair(LineOf(suspicion.first.at.pc, world), LineOf(suspicion.second.at.pc, world));
  if (lines.second < lines.first) {
    std::swap(lines.first, lines.second);
  }
  return fmt::format("{}\n{}\n{}\n{}", lines.first, lines.second, VariableOf(suspicion, world),
                     IsNote(suspicion.kind) ? Name(suspicion.kind) : "");
}

// The order in which causes are told. A deadlock is what a user sees, and says who waits for what.
// Two events that nothing orders say what to mend, and mostly lead to the other bad ends, which
// come after them. What a CTA's end is too early for comes last of them: a mistake that lets
// threads pass often leads to it.
int Rank(const Suspicion& what) {
  if (what.kind == Kind::kDeadlock) {
    return -2;
  }
  if (what.idle_wait) {
    return -1;
  }
  switch (what.kind) {
    case Kind::kSharedBarrier:
      return 0;
    case Kind::kSourceOverwritten:
    case Kind::kProxyRace:
      return 1;
    case Kind::kDataRace:
    case Kind::kRegisterOrder:
      return 2;
    case Kind::kExpectedBytes:
    case Kind::kOtherPhase:
    case Kind::kLateWait:
      return IsPair(what) ? 3 : 5;
    case Kind::kLifetime:
      return IsPair(what) ? 4 : 5;
    case Kind::kFault:
      return 6;
    case Kind::kHazard:
      return 7;
    default:
      return 8;
  }
}

// Of several kinds with one cause, the most specific one is reported: first that the source of a
// copy is overwritten or a fence is missing, then which phase an event could fall into, then that
// an object may not exist; last, that nothing orders the two events.
int Generality(Kind kind) {
  switch (kind) {
    case Kind::kSourceOverwritten:
      return 0;
    case Kind::kProxyRace:
      return 1;
    case Kind::kExpectedBytes:
      return 2;
    case Kind::kOtherPhase:
      return 3;
    case Kind::kLateWait:
      return 4;
    case Kind::kLifetime:
      return 5;
    case Kind::kSharedBarrier:
      return 6;
    default:
      return 7;
  }
}

const Suspicion& WhatOf(const Finding& finding) { return finding.what; }
const Suspicion& WhatOf(const Unconfirmed& suspicion) { return suspicion.what; }
const Suspicion& WhatOf(const Suspicion& note) { return note; }

using Index = std::map<std::string, std::size_t>;  // of the causes so far, by key

template <typename T>
void GroupByKey(const std::vector<T>& all, const World& world, std::vector<Cause<T>>* causes) {
  Index index;
  for (const T& one : all) {
    const std::string key = KeyOf(WhatOf(one), world);
    const auto known = key.empty() ? index.end() : index.find(key);
    if (known == index.end()) {
      if (!key.empty()) {
        index[key] = causes->size();
      }
      causes->push_back({one, {}});
      continue;
    }
    Cause<T>& cause = (*causes)[known->second];
    cause.more.push_back(one);
    if (Generality(WhatOf(one).kind) < Generality(WhatOf(cause.told).kind)) {
      std::swap(cause.told, cause.more.back());
    }
  }
}

// That a wait may come late is told of its own only where no race comes of the same wait.
bool FollowsFromIdleWait(const Suspicion& what) {
  return what.kind == Kind::kLateWait && what.idle_wait;
}

// Returns the cause of a race that comes of the same wait.
template <typename T>
Cause<T>* CauseOfWait(const Suspicion& late, const World& world, std::vector<Cause<T>>* causes) {
  const auto found = std::find_if(causes->begin(), causes->end(), [&](const Cause<T>& cause) {
    const auto& idle = WhatOf(cause.told).idle_wait;
    return idle && LineOf(idle->pc, world) == LineOf(late.idle_wait->pc, world);
  });
  return found == causes->end() ? nullptr : &*found;
}

template <typename T>
void Group(std::vector<T> all, const World& world, std::vector<Cause<T>>* causes) {
  const auto late = std::stable_partition(
      all.begin(), all.end(), [](const T& one) { return !FollowsFromIdleWait(WhatOf(one)); });
  const std::vector<T> of_waits(late, all.end());
  all.erase(late, all.end());
  GroupByKey(all, world, causes);
  for (const T& one : of_waits) {
    if (Cause<T>* const cause = CauseOfWait(WhatOf(one), world, causes); cause != nullptr) {
      cause->more.push_back(one);
    } else {
      causes->push_back({one, {}});
    }
  }
}

// A deadlock has the hints that the run gives beside it.
void AddHints(const Explored& explored, Causes* causes) {
  std::vector<std::string> hints;
  const auto add = [&](const Suspicion& what) {
    if (!what.hint.empty() && std::find(hints.begin(), hints.end(), what.hint) == hints.end()) {
      hints.push_back(what.hint);
    }
  };
  for (const Finding& finding : explored.findings) {
    add(finding.what);
  }
  for (const Unconfirmed& suspicion : explored.suspicions) {
    add(suspicion.what);
  }
  for (Cause<Finding>& cause : causes->findings) {
    if (cause.told.what.kind == Kind::kDeadlock) {
      cause.told.hints = hints;
    }
  }
}

// A note of arrivals for which no thread waits goes to the race that a wait for them would order.
void TakeNotes(const std::vector<Suspicion>& notes, const World& world, Causes* causes) {
  std::vector<Suspicion> others;
  for (const Suspicion& note : notes) {
    const auto is_of = [&](const Finding& finding) {
      return note.kind == Kind::kUnawaited && finding.what.unawaited == note.first.at.pc;
    };
    const auto cause = std::find_if(
        causes->findings.begin(), causes->findings.end(), [&](const Cause<Finding>& one) {
          return is_of(one.told) || std::any_of(one.more.begin(), one.more.end(), is_of);
        });
    if (cause == causes->findings.end()) {
      others.push_back(note);
    } else {
      cause->notes.push_back(note);
    }
  }
  Group(others, world, &causes->notes);
}

// Returns the name of the variable at that address of shared memory, or the address.
std::string SharedVariable(const ptx::Program& program, std::uint64_t address) {
  for (const ptx::SharedName& name : program.shared_names) {
    if (address >= name.address && (name.bytes == 0 || address - name.address < name.bytes)) {
      return ptx::Demangled(name.name);
    }
  }
  return fmt::format("{:#x}", address);
}

}  // namespace

std::string VariableOf(const Suspicion& suspicion, const World& world) {
  const Range& object = suspicion.object;
  if (suspicion.bar >= 0) {
    return fmt::format("barrier {}", suspicion.bar);
  }
  if (object.size == 0) {
    return "";
  }
  if (IsTensorMemory(object.owner)) {
    return "tensor memory";
  }
  if (object.owner != kGlobal) {
    return SharedVariable(world.program(), object.address);
  }
  if (ptx::SegmentOf(object.address) == ptx::kGlobalSegment) {
    const std::uint64_t byte = ptx::ByteOf(object.address);
    for (const ptx::FileVariable& variable : world.program().variables) {
      if (!variable.is_const && byte >= variable.offset &&
          byte - variable.offset < variable.bytes) {
        return ptx::Demangled(variable.name);
      }
    }
  }
  const ptx::Region* const region = world.memory().RegionAt(object.address);
  return region == nullptr || region->name.empty() ? "global memory" : region->name;
}

Causes ByCause(const Explored& explored, const World& world) {
  Causes causes;
  Group(explored.findings, world, &causes.findings);
  std::stable_sort(causes.findings.begin(), causes.findings.end(),
                   [](const Cause<Finding>& a, const Cause<Finding>& b) {
                     return Rank(a.told.what) < Rank(b.told.what);
                   });
  Index found;
  for (std::size_t i = 0; i < causes.findings.size(); ++i) {
    found.emplace(KeyOf(causes.findings[i].told.what, world), i);
  }
  found.erase("");
  std::vector<Unconfirmed> others;
  for (const Unconfirmed& suspicion : explored.suspicions) {
    const auto known = found.find(KeyOf(suspicion.what, world));
    if (known == found.end()) {
      others.push_back(suspicion);
    } else {
      causes.findings[known->second].unconfirmed.push_back(suspicion);
    }
  }
  Group(others, world, &causes.suspicions);
  AddHints(explored, &causes);
  TakeNotes(explored.lints, world, &causes);
  return causes;
}

}  // namespace muster::explore
