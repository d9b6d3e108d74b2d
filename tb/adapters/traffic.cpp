// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/adapters/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"
#include "tb/adapters/adapter.h"
#include "tb/lockstep/random.h"

namespace muster::adapters {
namespace {

constexpr unsigned kMbBytes = 8;
constexpr unsigned kFewPatterns = 5, kMostPatterns = 24;

// A program is made of patterns: a use of a barrier by some warps of a CTA, each of which has its
// part in its own list of operations.
class Drawing {
 public:
  Drawing(const Features& features, std::uint64_t seed) : features_(features), random_(seed) {
    static constexpr std::array<unsigned, 5> kDelays = {0, 0, 2, 8, 30};
    most_delay_ = random_.Pick(kDelays);
  }

  Program Draw() {
    DrawCtas();
    if (features_.joins) {
      DrawJoins();
    }
    for (unsigned patterns = random_.Between(2, random_.OneIn(2) ? kFewPatterns : kMostPatterns);
         patterns != 0; --patterns) {
      DrawPattern(&ctas_[random_.Below(static_cast<unsigned>(ctas_.size()))]);
    }
    for (Cta& cta : ctas_) {
      DrawWaits(&cta);
    }
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      program_.steps[i].id = static_cast<unsigned>(i);
    }
    return std::move(program_);
  }

 private:
  struct Word {
    unsigned expected = 0;  // 0: there is none yet
    unsigned phases = 0;
  };
  struct Cta {
    unsigned slot = 0;
    unsigned size = 0;
    std::vector<unsigned> warps;  // that have not exited
    std::vector<std::pair<unsigned, unsigned>>
        waits;  // warp and barrier: it has arrived, and may wait
    std::vector<Word> words;
  };

  unsigned Delay() {
    return most_delay_ != 0 && random_.OneIn(2) ? random_.Below(most_delay_ + 1) : 0;
  }
  std::uint32_t AllLanes() const { return ~std::uint32_t{0} >> (kMaxLanes - features_.lanes); }

  // Each CTA has two warps at least, if there are so many: one warp alone waits for nothing.
  void DrawCtas() {
    const unsigned most = std::max(1U, std::min(features_.ctas, features_.warps / 2));
    const unsigned count = random_.Between(random_.OneIn(4) ? 1 : most, most);
    std::vector<unsigned> slots(features_.ctas), warps(features_.warps);
    for (unsigned i = 0; i < features_.ctas; ++i) {
      slots[i] = i;
    }
    for (unsigned i = 0; i < features_.warps; ++i) {
      warps[i] = i;
    }
    Shuffle(&slots);
    Shuffle(&warps);
    ctas_.resize(count);
    for (unsigned i = 0; i < features_.warps; ++i) {
      Cta& cta = ctas_[i < 2 * count ? i % count : random_.Below(count)];
      cta.warps.push_back(warps[i]);
    }
    for (unsigned i = 0; i < count; ++i) {
      Cta& cta = ctas_[i];
      cta.slot = slots[i];
      cta.size = static_cast<unsigned>(cta.warps.size());
      cta.words.resize(features_.words);
      std::uint64_t set = 0;
      for (const unsigned warp : cta.warps) {
        set |= Bit(warp);
      }
      program_.ctas.push_back({cta.slot, set});
    }
  }

  void DrawJoins() {
    for (const Cta& cta : ctas_) {
      Step* const step = Named(OpKind::kOpen, cta, 0, 0, 0);
      step->port = Port::kLifecycle;
      step->named.size = static_cast<std::uint8_t>(cta.size);
    }
    std::vector<std::pair<unsigned, unsigned>> joins;  // CTA and warp
    for (unsigned i = 0; i < ctas_.size(); ++i) {
      for (const unsigned warp : ctas_[i].warps) {
        joins.emplace_back(i, warp);
      }
    }
    Shuffle(&joins);
    for (const auto& [cta, warp] : joins) {
      Named(OpKind::kJoin, ctas_[cta], warp, 0, 0)->port = Port::kLifecycle;
    }
  }

  template <typename T>
  void Shuffle(std::vector<T>* list) {
    for (std::size_t i = list->size(); i > 1; --i) {
      std::swap((*list)[i - 1], (*list)[random_.Below(static_cast<unsigned>(i))]);
    }
  }
  // Some warps of the CTA, in any order.
  std::vector<unsigned> Some(const Cta& cta, unsigned count) {
    std::vector<unsigned> warps = cta.warps;
    Shuffle(&warps);
    warps.resize(count);
    return warps;
  }

  Step* Named(OpKind kind, const Cta& cta, unsigned warp, unsigned bar, unsigned count) {
    Step step;
    step.delay = Delay();
    step.named.kind = kind;
    step.named.cta = static_cast<std::uint8_t>(cta.slot);
    step.named.warp = static_cast<std::uint8_t>(warp);
    step.named.bar = static_cast<std::uint8_t>(bar);
    step.named.count = static_cast<std::uint16_t>(count);
    step.named.lanes = AllLanes();
    if (IsReduction(kind)) {
      step.named.operand = random_.OneIn(2) ? AllLanes() : random_.Word() & AllLanes();
      if (random_.OneIn(4)) {
        step.named.lanes = (random_.Word() & AllLanes()) | 1;
      }
    }
    program_.steps.push_back(step);
    return &program_.steps.back();
  }

  Step* AtWord(MbOp op, MbSource source, const Cta& cta, unsigned index, std::uint32_t operand) {
    Step step;
    step.delay = Delay();
    step.port = source == MbSource::kWarp ? Port::kWarps : Port::kTransactions;
    step.at_word = true;
    step.word.op = op;
    step.word.source = source;
    step.word.cta = static_cast<std::uint8_t>(cta.slot);
    step.word.lanes = 1;
    step.word.addr = index * kMbBytes;
    step.word.operand = operand;
    program_.steps.push_back(step);
    return &program_.steps.back();
  }
  void ByWarp(MbOp op, const Cta& cta, unsigned index, std::uint32_t operand) {
    Step* const step = AtWord(op, MbSource::kWarp, cta, index, operand);
    step->word.warp = static_cast<std::uint8_t>(random_.Pick(cta.warps));
    step->word.has_token = op == MbOp::kArrive;
  }

  void DrawPattern(Cta* cta) {
    if (random_.OneIn(2)) {
      DrawWaits(cta);
    }
    const bool at_word = features_.words != 0 && (features_.barriers == 0 || random_.OneIn(3));
    if (at_word) {
      DrawPhase(cta);
    } else if (features_.exits && cta->warps.size() > 1 && random_.OneIn(6)) {
      DrawExit(cta);
    } else if (features_.odd_counts && random_.OneIn(10)) {
      const unsigned warps = random_.Below(cta->size);
      Named(OpKind::kSync, *cta, random_.Pick(cta->warps), random_.Below(features_.barriers),
            warps * features_.lanes + random_.Between(1, features_.lanes - 1));
    } else if (features_.counts && (!features_.all_warps || random_.OneIn(2))) {
      DrawCounted(cta);
    } else {
      const unsigned bar = random_.Below(features_.barriers);
      const OpKind kind = Kind();
      for (const unsigned warp : Some(*cta, static_cast<unsigned>(cta->warps.size()))) {
        Named(kind, *cta, warp, bar, 0);
      }
    }
  }

  OpKind Kind() {
    static constexpr std::array<OpKind, 3> kReductions = {OpKind::kRedAnd, OpKind::kRedOr,
                                                          OpKind::kRedPopc};
    return features_.reductions && random_.OneIn(2) ? random_.Pick(kReductions) : OpKind::kSync;
  }

  // Warps that meet at a barrier with a count. Some may go on, and one may arrive several times.
  void DrawCounted(Cta* cta) {
    const auto present = static_cast<unsigned>(cta->warps.size());
    const unsigned bar = random_.Below(features_.barriers);
    const OpKind kind = Kind();
    const bool go_on = features_.arrivals && kind == OpKind::kSync && random_.Percent(60);
    const unsigned most = go_on ? cta->size : present;
    const unsigned total = most > 1 && !random_.OneIn(16) ? random_.Between(2, most) : 1;
    const unsigned least = total > present ? total - present : 1;
    const unsigned going = go_on ? random_.Between(least, total) : 0;
    const std::vector<unsigned> warps = Some(*cta, present);
    for (unsigned i = 0; i < going; ++i) {
      const unsigned warp = random_.OneIn(4) ? warps[0] : random_.Pick(warps);
      const bool asks = features_.phases && random_.OneIn(2);
      Named(asks ? OpKind::kArrivePhase : OpKind::kArrive, *cta, warp, bar,
            total * features_.lanes);
      if (asks) {
        cta->waits.emplace_back(warp, bar);
      }
    }
    for (unsigned i = 0; i < total - going; ++i) {
      Named(kind, *cta, warps[i], bar, total * features_.lanes);
    }
  }

  // Warps that were told a phase wait for it.
  void DrawWaits(Cta* cta) {
    for (const auto& [warp, bar] : cta->waits) {
      if (IsThere(*cta, warp)) {
        Named(OpKind::kWait, *cta, warp, bar, 0);
      }
    }
    cta->waits.clear();
  }
  static bool IsThere(const Cta& cta, unsigned warp) {
    return std::find(cta.warps.begin(), cta.warps.end(), warp) != cta.warps.end();
  }

  void DrawExit(Cta* cta) {
    const unsigned place = random_.Below(static_cast<unsigned>(cta->warps.size()));
    Named(OpKind::kExit, *cta, cta->warps[place], 0, 0);
    cta->warps.erase(cta->warps.begin() + place);
  }

  // A phase of an mbarrier: its arrivals, the bytes that it expects, and warps that wait for it.
  void DrawPhase(Cta* cta) {
    const unsigned index = random_.Below(features_.words);
    Word& word = cta->words[index];
    if (word.expected == 0) {
      word.expected = random_.Between(1, features_.most_arrivals);
      ByWarp(MbOp::kInit, *cta, index, word.expected);
    }
    const bool with_bytes = features_.transactions && random_.Percent(60);
    const unsigned most = std::min(features_.most_bytes, features_.bytes_at_once * 4);
    const bool storm = with_bytes && random_.OneIn(4);
    const unsigned bytes = !with_bytes ? 0
                           : storm     ? std::min(features_.most_bytes, random_.Between(10, 60))
                                       : random_.Between(1, most);
    const bool early = features_.early_bytes && random_.OneIn(2);
    if (bytes != 0 && early) {
      DrawBytes(*cta, index, bytes, storm);
    }
    if (bytes != 0 && !(early && random_.OneIn(2))) {
      ByWarp(MbOp::kExpectTx, *cta, index, bytes);
    }
    const bool bytes_expected = bytes == 0 || program_.steps.back().word.op == MbOp::kExpectTx;
    if (bytes != 0 && !early) {
      DrawBytes(*cta, index, bytes, storm);
    }
    for (unsigned i = 0; i < word.expected; ++i) {
      if (features_.remote && random_.OneIn(4)) {
        AtWord(MbOp::kArrive, MbSource::kRemote, *cta, index, 1);
      } else {
        ByWarp(MbOp::kArrive, *cta, index, 1);
      }
    }
    if (!bytes_expected) {
      ByWarp(MbOp::kExpectTx, *cta, index, bytes);
    }
    for (const unsigned warp : cta->warps) {
      if (random_.Percent(60)) {
        Step* const step = AtWord(MbOp::kTryWaitParity, MbSource::kWarp, *cta, index, 0);
        step->word.warp = static_cast<std::uint8_t>(warp);
        step->word.phase = word.phases % 2 != 0;
      }
    }
    ++word.phases;
  }

  void DrawBytes(const Cta& cta, unsigned index, unsigned bytes, bool storm) {
    while (bytes != 0) {
      const unsigned part =
          storm ? 1 : random_.Between(1, std::min(bytes, features_.bytes_at_once));
      Step* const step = AtWord(MbOp::kCompleteTx, MbSource::kAsync, cta, index, part);
      step->delay = storm ? 0 : step->delay;
      bytes -= part;
    }
  }

  const Features& features_;
  lockstep::Random random_;
  unsigned most_delay_ = 0;
  std::vector<Cta> ctas_;
  Program program_;
};

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

bool IsLegalAtWord(const Features& features, const MbOperation& step, const golden::Model& core,
                   const golden::Mbarriers& words, const std::vector<const Step*>& under_way) {
  if (!core.Resident(step.cta) ||
      (step.source == MbSource::kWarp && (core.LiveWarps(step.cta) & Bit(step.warp)) == 0)) {
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
      return word.pending > Changing(MbOp::kArrive, step, under_way);
    case MbOp::kExpectTx:
      return word.tx + bytes + Changing(step.op, step, under_way) <= most;
    case MbOp::kCompleteTx:
      return word.tx - bytes - Changing(step.op, step, under_way) >=
             (features.early_bytes ? -most : 0);
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

Program Draw(const Features& features, std::uint64_t seed) {
  return Drawing(features, seed).Draw();
}

bool IsLegal(const Features& features, const Step& step, const golden::Model& core,
             const golden::Mbarriers& words, const std::vector<const Step*>& under_way) {
  return step.at_word ? IsLegalAtWord(features, step.word, core, words, under_way)
                      : IsLegalNamed(features, step.named, core, under_way);
}

bool IsHeld(const Features& features, const Step& step, const golden::Mbarriers& words,
            const std::vector<const Step*>& under_way) {
  if (!features.early_arrivals || !step.at_word || step.word.op != MbOp::kArrive) {
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
