// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/adapters/traffic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
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
      const unsigned threads = warps * features_.lanes + random_.Between(1, features_.lanes - 1);
      const unsigned bar = random_.Below(features_.barriers);
      Named(OpKind::kSync, *cta, random_.Pick(cta->warps), bar, threads);
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

  // A warp exits: some time, or while all others wait at a barrier that only it keeps closed, or at
  // one with a count of all, at which a second arrival of one of them takes its place.
  void DrawExit(Cta* cta) {
    const unsigned place = random_.Below(static_cast<unsigned>(cta->warps.size()));
    const unsigned warp = cta->warps[place];
    cta->warps.erase(cta->warps.begin() + place);
    const std::vector<unsigned> others = Some(*cta, static_cast<unsigned>(cta->warps.size()));
    const unsigned bar = random_.Below(features_.barriers);
    const auto count = static_cast<unsigned>(others.size() + 1) * features_.lanes;
    const bool counted = features_.arrivals && features_.counts && random_.OneIn(3);
    if (counted) {
      for (const unsigned other : others) {
        Named(other == others[0] ? OpKind::kArrive : OpKind::kSync, *cta, other, bar, count);
      }
    } else if (features_.all_warps && random_.OneIn(2)) {
      const OpKind kind = Kind();
      for (const unsigned other : others) {
        Named(kind, *cta, other, bar, 0);
      }
    }
    Named(OpKind::kExit, *cta, warp, 0, 0);
    if (counted) {
      Named(OpKind::kSync, *cta, others[0], bar, count);
    }
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
    const bool storm = with_bytes && random_.OneIn(4);
    const unsigned bytes = with_bytes ? DrawSum(storm) : 0;
    const bool early = features_.early_bytes && random_.OneIn(2);  // before they are expected
    const bool last = early && random_.OneIn(2);  // they are expected after all else
    if (early) {
      DrawBytes(*cta, index, bytes, storm);
    }
    if (bytes != 0 && !last) {
      ByWarp(MbOp::kExpectTx, *cta, index, bytes);
    }
    if (!early) {
      DrawBytes(*cta, index, bytes, storm);
    }
    for (unsigned left = word.expected; left != 0;) {
      if (features_.remote && random_.OneIn(4)) {
        AtWord(MbOp::kArrive, MbSource::kRemote, *cta, index, 1);
        --left;
      } else {
        const unsigned most = std::min(left, features_.arrivals_at_once);
        const unsigned count = random_.OneIn(3) ? random_.Between(1, most) : 1;
        ByWarp(MbOp::kArrive, *cta, index, count);
        left -= count;
      }
    }
    if (bytes != 0 && last) {
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

  // A storm is of many bytes, one by one and without a pause.
  unsigned DrawSum(bool storm) {
    return storm ? std::min(features_.most_bytes, random_.Between(10, 60))
                 : random_.Between(1, std::min(features_.most_bytes, features_.bytes_at_once * 4));
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

}  // namespace

Program Draw(const Features& features, std::uint64_t seed) {
  return Drawing(features, seed).Draw();
}

}  // namespace muster::adapters
