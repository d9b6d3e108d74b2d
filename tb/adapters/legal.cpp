// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of the operations of a program: which may go now, and what they are in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {
namespace {

bool IsSameEntry(const Operation& a, const Operation& b) {
  return a.cta == b.cta && a.bar == b.bar;
}
bool FitTogether(const Operation& a, const Operation& b) {
  const auto kind = [](OpKind of) { return IsReduction(of) ? of : OpKind::kSync; };
  return a.count == b.count && kind(a.kind) == kind(b.kind);
}
BarKind KindOf(OpKind kind) {
  switch (kind) {
    case OpKind::kRedAnd:
      return BarKind::kAnd;
    case OpKind::kRedOr:
      return BarKind::kOr;
    case OpKind::kRedPopc:
      return BarKind::kPopc;
    default:
      return BarKind::kSync;
  }
}

bool IsLegalNamed(const Features& features, const Operation& named, const golden::Model& core,
                  const std::vector<const Step*>& under_way) {
  if (named.kind == OpKind::kOpen) {
    return !core.Resident(named.cta);
  }
  if (named.kind == OpKind::kJoin) {
    return core.ToJoin(named.cta) != 0;
  }
  if (!core.Resident(named.cta) || (core.LiveWarps(named.cta) & Bit(named.warp)) == 0) {
    return false;
  }
  if (features.joins && !features.late_joins && core.ToJoin(named.cta) != 0) {
    return false;
  }
  if (!IsArrival(named.kind)) {
    return true;
  }
  if (named.count % features.lanes != 0) {
    return true;  // to be refused
  }
  const BarState entry = DecodeBarWord(core.EntryWord(named.cta, named.bar));
  if (entry.arrived != 0 && (entry.expected != named.count / features.lanes ||
                             entry.kind != static_cast<unsigned>(KindOf(named.kind)))) {
    return false;
  }
  return std::all_of(under_way.begin(), under_way.end(), [&](const Step* other) {
    return other->at_word || !IsArrival(other->named.kind) || !IsSameEntry(other->named, named) ||
           FitTogether(other->named, named);
  });
}

// What operations of one kind change at the same mbarrier.
unsigned Changing(MbOp op, const MbOperation& at, const std::vector<const Step*>& under_way) {
  unsigned sum = 0;
  for (const Step* other : under_way) {
    const bool same = other->at_word && other->word.cta == at.cta && other->word.addr == at.addr;
    sum += same && other->word.op == op ? other->word.operand : 0;
  }
  return sum;
}

// The CTA is resident, and has the warp, if it is of one.
bool IsThere(const MbOperation& step, const golden::Model& core) {
  return core.Resident(step.cta) &&
         (step.source != MbSource::kWarp || (core.LiveWarps(step.cta) & Bit(step.warp)) != 0);
}

bool IsLegalAtWord(const Features& features, const MbOperation& step, const golden::Model& core,
                   const golden::Mbarriers& words, const std::vector<const Step*>& under_way) {
  if (!IsThere(step, core)) {
    return false;
  }
  const MbWord word = DecodeMbWord(words.Word(step.cta, step.addr));
  if (step.op == MbOp::kInit) {
    return word.expected == 0;
  }
  if (word.expected == 0) {
    return false;
  }
  const auto bytes = static_cast<std::int64_t>(step.operand);
  const auto most = static_cast<std::int64_t>(features.most_bytes);
  switch (step.op) {
    case MbOp::kArrive:
      return word.pending >= step.operand + Changing(step.op, step, under_way);
    case MbOp::kExpectTx:
      return word.tx + bytes + Changing(step.op, step, under_way) <= most;
    case MbOp::kCompleteTx:
      return word.tx - bytes >= (features.early_bytes ? -most : 0);
    default:
      return true;
  }
}

}  // namespace

void Fit(const Features& features, Program* program) {
  std::array<std::uint64_t, kMaxCtas> warps{};
  const auto cannot_be = [&](const Step& step) {
    const unsigned size = Ones(warps[step.cta()]);
    const unsigned count = step.at_word ? 0 : step.named.count;
    const bool above = count % features.lanes == 0 && count / features.lanes > size;
    return !step.at_word && (above || (step.named.kind == OpKind::kOpen && size == 0));
  };
  auto& steps = program->steps;
  for (std::size_t before = steps.size() + 1; before != steps.size();) {
    before = steps.size();
    warps.fill(0);
    for (const Step& step : steps) {
      const bool joins = !step.at_word && step.named.kind == OpKind::kJoin;
      if (features.joins ? joins : step.port == Port::kWarps) {
        warps[step.cta()] |= Bit(step.warp());
      }
    }
    steps.erase(std::remove_if(steps.begin(), steps.end(), cannot_be), steps.end());
  }
  for (Program::Cta& cta : program->ctas) {
    cta.warps = warps[cta.slot];
  }
  for (Step& step : steps) {
    if (!step.at_word && step.named.kind == OpKind::kOpen) {
      step.named.size = static_cast<std::uint8_t>(Ones(warps[step.cta()]));
    }
  }
}

bool IsLegal(const Features& features, const Step& step, const golden::Model& core,
             const golden::Mbarriers& words, const std::vector<const Step*>& under_way) {
  return step.at_word ? IsLegalAtWord(features, step.word, core, words, under_way)
                      : IsLegalNamed(features, step.named, core, under_way);
}

bool IsHeld(const Features& features, const Step& step, const golden::Model& core,
            const golden::Mbarriers& words, const std::vector<const Step*>& under_way) {
  if (!features.early_arrivals || !step.at_word || step.word.op != MbOp::kArrive ||
      !IsThere(step.word, core)) {
    return false;
  }
  const MbWord word = DecodeMbWord(words.Word(step.word.cta, step.word.addr));
  return word.expected != 0 && word.pending == 0 &&
         Changing(MbOp::kArrive, step.word, under_way) == 0;
}

std::string Describe(const Step& step, const Features& features) {
  if (step.at_word) {
    const MbOperation& word = step.word;
    const std::string where = fmt::format("mbarrier {} of CTA {}", step.index(), step.cta());
    const std::string source = word.source == MbSource::kWarp
                                   ? fmt::format("warp {}: ", step.warp())
                               : word.source == MbSource::kAsync ? "copy engine: "
                                                                 : "another CTA: ";
    if (word.op == MbOp::kTryWaitParity) {
      return fmt::format("{}wait for phase {} of {}", source, word.phase ? 1 : 0, where);
    }
    const char* const what = word.op == MbOp::kInit ? "init" : Name(word.op);
    return fmt::format("{}{} {} at {}", source, what, word.operand, where);
  }
  const Operation& named = step.named;
  const std::string cta = fmt::format("CTA {}", named.cta);
  if (named.kind == OpKind::kOpen) {
    return fmt::format("{} opens for {} warp{}", cta, named.size, named.size == 1 ? "" : "s");
  }
  if (named.kind == OpKind::kJoin || named.kind == OpKind::kExit) {
    return fmt::format("warp {}: {} {}", named.warp,
                       named.kind == OpKind::kJoin ? "joins" : "exits from", cta);
  }
  std::string text =
      fmt::format("warp {}: {} at barrier {} of {}", named.warp, Name(named.kind), named.bar, cta);
  if (IsArrival(named.kind)) {
    text += named.count == 0 ? ", of all warps"
            : named.count % features.lanes == 0
                ? fmt::format(", of {} warp{}", named.count / features.lanes,
                              named.count == features.lanes ? "" : "s")
                : fmt::format(", of {} threads", named.count);
  }
  if (named.kind == OpKind::kWait) {
    text += fmt::format(", for phase {}", named.operand);
  }
  if (IsReduction(named.kind)) {
    text += fmt::format(", predicates {:#x} of lanes {:#x}", named.operand, named.lanes);
  }
  return text;
}

}  // namespace muster::adapters
