// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/story.h"

#include <fmt/format.h>

#include <variant>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

using ptx::Op;
using ptx::Turn;

constexpr std::size_t kMostSentences = 10;

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

}  // namespace

std::vector<std::string> StoryOf(const Finding& finding, const ptx::Program& program) {
  const std::vector<Turn>& turns = finding.turns;
  bool several_ctas = false;
  for (const Turn& turn : turns) {
    several_ctas = several_ctas || turn.cta != turns.front().cta;
  }
  const bool is_long = turns.size() > kMostSentences;
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const bool is_needed = i < finding.needed;
    if (is_long && is_needed && i + 1 < finding.needed && IsOfSameWarp(turns[i], turns[i + 1])) {
      continue;  // told with the next turn of the warp
    }
    sentences.push_back((is_needed || finding.needed == 0 ? "" : "not before: ") +
                        SentenceOf(turns[i], program, several_ctas));
  }
  if (sentences.empty()) {
    sentences.emplace_back("any order shows it");
  }
  if (sentences.size() > kMostSentences) {
    constexpr std::size_t kFirst = 4;
    constexpr std::size_t kLast = 5;
    const auto begin = sentences.begin() + kFirst;
    const auto end = sentences.end() - kLast;
    *begin = fmt::format("... {} more ...", end - begin);
    sentences.erase(begin + 1, end);
  }
  return sentences;
}

}  // namespace muster::explore
