// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

using ptx::Op;
using ptx::Turn;

constexpr std::size_t kMostSentences = 10;
constexpr std::size_t kNear = 3;  // turns before an event that are told of a long order

std::string MbarrierVerb(MbOp op) {
  return op == MbOp::kInit    ? "initialises an mbarrier"
         : op == MbOp::kInval ? "invalidates an mbarrier"
         : IsMbWait(op)       ? "waits at an mbarrier"
                              : fmt::format("does mbarrier.{}", Name(op));
}

std::string VerbOf(const ptx::Instruction& i) {
  switch (i.op) {
    case Op::kLoad:
      return "loads";
    case Op::kStore:
      return "stores";
    case Op::kAtomic:
      return "does an atomic operation";
    case Op::kFence:
      return "fences";
    case Op::kExit:
      return "exits";
    case Op::kTrap:
      return "traps";
    case Op::kBarrier:
      return i.As<ptx::CtaBarrier>().kind == OpKind::kArrive ? "arrives at a barrier"
                                                             : "comes to a barrier";
    case Op::kClusterBarrier:
      return i.As<ptx::ClusterBarrier>().op == ptx::ClusterForm::kWait
                 ? "waits at the cluster's barrier"
                 : "arrives at the cluster's barrier";
    case Op::kMbarrier:
      return MbarrierVerb(i.As<ptx::Mbarrier>().op);
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
      return "starts a copy";
    default:
      return "goes on";
  }
}

// How often the lanes have come there.
std::string TimeOf(const Turn& turn) {
  const char* const ending = turn.time % 100 / 10 == 1 ? "th"
                             : turn.time % 10 == 1     ? "st"
                             : turn.time % 10 == 2     ? "nd"
                             : turn.time % 10 == 3     ? "rd"
                                                       : "th";
  return turn.time == 1 ? "" : fmt::format(", the {}{} time", turn.time, ending);
}

std::string WarpOf(const Turn& turn, bool several_ctas) {
  std::string text = fmt::format("warp {}", turn.warp);
  if (Ones(turn.lanes) == 1) {
    text += fmt::format(", lane {}", First(turn.lanes));
  } else if (turn.lanes != ~0U) {
    text += fmt::format(", lanes {:#010x}", turn.lanes);
  }
  return several_ctas ? text + fmt::format(", of CTA {}", turn.cta) : text;
}

std::string SentenceOf(const Turn& turn, const ptx::Program& program, bool several_ctas) {
  if (turn.what == Turn::What::kStarts) {
    return fmt::format("the cluster of CTA {} starts", turn.cta);
  }
  const ptx::Instruction& i = program.code[turn.pc];
  const std::string where = program.Place(i.line) + TimeOf(turn);
  const std::string who = WarpOf(turn, several_ctas);
  if (turn.what == Turn::What::kExecutes) {
    return fmt::format("{} {} at {}", who, VerbOf(i), where);
  }
  return fmt::format("what {} has started at {} {}{}", who, where,
                     turn.what == Turn::What::kReads ? "reads its source" : "is performed",
                     turn.to ? fmt::format(" in CTA {}", *turn.to) : "");
}

bool IsOfSameWarp(const Turn& a, const Turn& b) {
  return a.what == Turn::What::kExecutes && b.what == a.what && a.cta == b.cta && a.warp == b.warp;
}

// Which turns of a long order are told: those up to its two events; or the last ones that must
// come.
std::vector<bool> NearEvents(const Finding& finding) {
  const std::vector<Turn>& turns = finding.turns;
  std::vector<bool> near(turns.size());
  std::vector<std::size_t> events;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto is_event = [&](const Turn& event) {
      return event.cta == turns[i].cta && event.warp == turns[i].warp && event.pc == turns[i].pc &&
             event.time == turns[i].time && event.what == turns[i].what &&
             (event.lanes & turns[i].lanes) != 0;
    };
    if (std::any_of(finding.pair.begin(), finding.pair.end(), is_event)) {
      events.push_back(i);
    }
  }
  if (events.empty()) {
    const std::size_t last = finding.needed == 0 ? turns.size() : finding.needed;
    const std::size_t first = last - std::min(last, kMostSentences - 2);
    std::fill(near.begin() + static_cast<std::ptrdiff_t>(first),
              near.begin() + static_cast<std::ptrdiff_t>(last), true);
    return near;
  }
  events.resize(std::min<std::size_t>(events.size(), 2));
  for (const std::size_t event : events) {
    for (std::size_t i = event - std::min(event, kNear - 1); i <= event; ++i) {
      near[i] = true;
    }
  }
  return near;
}

}  // namespace

std::vector<std::string> StoryOf(const Finding& finding, const ptx::Program& program) {
  if (finding.what.of_memory_model) {
    return {};
  }
  const std::vector<Turn>& turns = finding.turns;
  bool several_ctas = false;
  for (const Turn& turn : turns) {
    several_ctas = several_ctas || turn.cta != turns.front().cta;
  }
  const bool is_long = turns.size() > kMostSentences;
  std::vector<std::string> sentences;
  std::vector<std::size_t> numbers;  // of the turns that they tell
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const bool is_needed = i < finding.needed;
    if (is_long && is_needed && i + 1 < finding.needed && IsOfSameWarp(turns[i], turns[i + 1])) {
      continue;  // told with the next turn of the warp
    }
    numbers.push_back(i);
    sentences.push_back((is_needed || finding.needed == 0 ? "" : "not before: ") +
                        SentenceOf(turns[i], program, several_ctas));
  }
  if (sentences.empty()) {
    sentences.emplace_back("any order shows it");
  }
  if (sentences.size() <= kMostSentences) {
    return sentences;
  }
  const std::vector<bool> near = NearEvents(finding);
  std::vector<std::string> told;
  std::size_t left_out = 0;
  const auto tell_gap = [&] {
    if (left_out != 0) {
      told.push_back(fmt::format("... {} more ...", left_out));
    }
    left_out = 0;
  };
  for (std::size_t k = 0; k < sentences.size(); ++k) {
    if (!near[numbers[k]]) {
      ++left_out;
      continue;
    }
    tell_gap();
    told.push_back(std::move(sentences[k]));
  }
  tell_gap();
  return told;
}

}  // namespace muster::explore
