// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/program.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/state_word.h"
#include "tb/lockstep/fields.h"

namespace muster::lockstep {
namespace {

constexpr std::uint16_t kAllBars = 0xffff;
constexpr unsigned kSplitBars = 4;  // at most so many ids are for split phases, too
constexpr std::array kReductions = {OpKind::kRedAnd, OpKind::kRedOr, OpKind::kRedPopc};

using WarpSet = std::uint64_t;
std::uint16_t Bar(unsigned bar) { return static_cast<std::uint16_t>(1U << bar); }

class Writer {
 public:
  Writer(const Config& config, const ProgramOptions& options, Random* random)
      : config_(config), options_(options), random_(*random) {
    program_.warps = options.warps;
    for (unsigned i = 0; i < kSplitBars && config.split; ++i) {
      program_.split_bars |= Bar(random_.Below(kNumBars));
    }
    for (unsigned warp = 0; warp < options.warps; ++warp) {
      live_ |= Bit(warp);
      lanes_[warp] = LanesOfWarp(config);
      known_idle_[warp] = kAllBars;
      // Lanes that a partial warp lacks exit right after launch.
      if (config.lanes && random_.Percent(15)) {
        ExitSomeLanes(warp);
      }
    }
  }

  Program Write() {
    for (unsigned i = 0; i < options_.episodes; ++i) {
      Episode();
    }
    Farewell();
    return std::move(program_);
  }

 private:
  // Waits that are still to come, of warps of a split phase.
  struct Pending {
    unsigned bar;
    bool phase;
    WarpSet warps;
  };

  void Episode() {
    if (!pending_.empty() && random_.Percent(40)) {
      const WarpSet some = random_.Next();
      WaitForPending(random_.Below(static_cast<unsigned>(pending_.size())), some);
    }
    if (config_.split && random_.Percent(20)) {
      return random_.Percent(60) ? Split() : SplitRounds();
    }
    switch (random_.Below(12)) {
      case 0:
      case 1:
      case 2:
        return AllWarps(random_.Percent(30));
      case 3: {
        const OpKind kind = RandomKind();
        return Group(Some(), kind);
      }
      case 4:
        return Group(live_, RandomKind());  // the explicit full count
      case 5: {
        const OpKind kind = RandomKind();
        return Group(Bit(random_.Bit(live_)), kind);
      }
      case 6:
        return ProducerConsumer();
      case 7:
        return Batch();
      case 8:
        return BackToBack();
      case 9:
        return Forged();
      case 10:
        return ExitLanes();
      default:
        return ReadResults();
    }
  }

  OpKind RandomKind() {
    return config_.reduce && random_.Percent(60) ? random_.Pick(kReductions) : OpKind::kSync;
  }

  // Some of the live warps, at least one.
  WarpSet Some() {
    const WarpSet set = live_ & random_.Sparse(random_.Between(1, 3));
    return set != 0 ? set : Bit(random_.Bit(live_));
  }

  // A barrier that all warps of `who` know to be idle; -1 if there is none. Unless all warps of the
  // CTA `wait` at it, one barrier that all know to be idle is left over, for an episode of all.
  int IdleBar(WarpSet who, WarpSet wait, std::uint16_t bars = kAllBars) {
    for (WarpSet left = who; left != 0; left &= left - 1) {
      bars &= known_idle_[First(left)];
    }
    if (wait != live_) {
      std::uint16_t reserve = kAllBars;
      for (WarpSet left = live_; left != 0; left &= left - 1) {
        reserve &= known_idle_[First(left)];
      }
      if ((reserve & (reserve - 1)) == 0) {
        bars &= static_cast<std::uint16_t>(~reserve);
      }
    }
    return bars == 0 ? -1 : static_cast<int>(random_.Bit(bars));
  }

  // An episode at `bar` of those who come, of whom some wait; it completes so many generations.
  void Learn(unsigned bar, WarpSet come, WarpSet wait, unsigned completions = 1) {
    phases_ ^= completions % 2 != 0 ? Bar(bar) : 0;
    std::uint16_t heard = 0;
    for (WarpSet left = come; left != 0; left &= left - 1) {
      heard |= known_idle_[First(left)];
    }
    for (WarpSet left = live_; left != 0; left &= left - 1) {
      known_idle_[First(left)] &= static_cast<std::uint16_t>(~Bar(bar));
    }
    for (WarpSet left = wait; left != 0; left &= left - 1) {
      known_idle_[First(left)] |= heard | Bar(bar);
    }
  }

  std::uint32_t SomeLanes(unsigned warp) {
    if (random_.Percent(70)) {
      return lanes_[warp];
    }
    const std::uint32_t some = lanes_[warp] & random_.Word();
    return some != 0 ? some : lanes_[warp];
  }

  void Arrive(unsigned warp, OpKind kind, unsigned bar, unsigned count, unsigned flavour,
              int after = -1) {
    Step step;
    step.operation.kind = kind;
    step.operation.bar = static_cast<std::uint8_t>(bar);
    step.operation.count = static_cast<std::uint16_t>(count * config_.warp_size);
    step.operation.lanes = SomeLanes(warp);
    if (IsReduction(kind)) {
      // Flavours of an episode: all true, all false, all but one lane somewhere, any.
      step.operation.operand = flavour == 0   ? kAllLanes
                               : flavour == 1 ? 0
                               : flavour == 2 ? kAllLanes << (random_.OneIn(8) ? 1 : 0)
                                              : random_.Word();
    }
    step.after = after;
    program_.steps[warp].push_back(step);
  }

  void Exit(unsigned warp, std::uint32_t lanes) {
    Step step;
    step.operation.kind = OpKind::kExit;
    step.operation.lanes = lanes;
    program_.steps[warp].push_back(step);
    lanes_[warp] = config_.lanes ? lanes_[warp] & ~lanes : 0;
    if (lanes_[warp] == 0) {
      live_ &= ~Bit(warp);
    }
  }

  // All of the warp exits, at once or lane by lane.
  void ExitWarp(unsigned warp) {
    while (config_.lanes && random_.Percent(30) && Ones(lanes_[warp]) > 1) {
      ExitSomeLanes(warp);
    }
    Exit(warp, random_.Percent(50) ? kAllLanes : lanes_[warp]);
  }

  void ExitSomeLanes(unsigned warp) {
    const std::uint32_t lanes = lanes_[warp] & random_.Word();
    if (lanes != 0 && lanes != lanes_[warp]) {
      Exit(warp, lanes);
    }
  }

  void ExitLanes() {
    if (config_.lanes) {
      ExitSomeLanes(random_.Bit(live_));
    }
  }

  // All live warps meet; in place of arriving, some exit.
  void AllWarps(bool exits) {
    const int bar = IdleBar(live_, live_);
    const OpKind kind = RandomKind();
    const unsigned flavour = random_.Below(4);
    const WarpSet leave = exits ? live_ & random_.Sparse(2) : 0;
    const WarpSet arrive = live_ & ~leave;
    if (arrive == 0) {
      return;
    }
    for (WarpSet left = arrive; left != 0; left &= left - 1) {
      Arrive(First(left), kind, static_cast<unsigned>(bar), 0, flavour);
    }
    for (WarpSet left = leave; left != 0; left &= left - 1) {
      ExitWarp(First(left));
    }
    phases_ ^= Bar(static_cast<unsigned>(bar));
    std::uint16_t idle = kAllBars;
    for (const Pending& pending : pending_) {
      idle &= static_cast<std::uint16_t>(~Bar(pending.bar));
    }
    for (WarpSet left = live_; left != 0; left &= left - 1) {
      known_idle_[First(left)] = idle;
    }
  }

  // Some arrive, with and without an answer, some at once wait; with them, or later, others wait
  // who do not arrive.
  void Split() {
    const WarpSet who = Some();
    const WarpSet others = live_ & ~who & random_.Sparse(1);
    const int idle = IdleBar(who | others, 0, program_.split_bars);
    if (idle < 0) {
      return AllWarps(false);
    }
    const auto bar = static_cast<unsigned>(idle);
    const bool phase = (phases_ & Bar(bar)) != 0;
    Pending pending{bar, phase, others & random_.Next()};
    for (WarpSet left = others & ~pending.warps; left != 0; left &= left - 1) {
      WaitFor(First(left), bar, phase);
    }
    const OpKind kind = RandomKind();
    const unsigned flavour = random_.Below(4);
    for (WarpSet left = who; left != 0; left &= left - 1) {
      const unsigned warp = First(left);
      const bool stays = IsReduction(kind) || random_.Percent(30);
      const OpKind arrival = stays                 ? kind
                             : random_.Percent(75) ? OpKind::kArrivePhase
                                                   : OpKind::kArrive;
      Arrive(warp, arrival, bar, Ones(who), flavour);
      pending.warps |= GoesOn(arrival) && random_.Percent(80) ? Bit(warp) : 0;
    }
    Learn(bar, who, 0);
    if (pending.warps != 0) {
      pending_.push_back(pending);
    }
  }

  // The same warps in phase after phase: each arrives in all of them, and waits then or at once.
  void SplitRounds() {
    const WarpSet who = random_.Percent(50) ? live_ : Some();
    const int idle = IdleBar(who, 0, program_.split_bars);
    if (idle < 0) {
      return AllWarps(false);
    }
    const auto bar = static_cast<unsigned>(idle);
    const unsigned times = random_.Between(2, 5);
    for (unsigned i = 0; i < times; ++i) {
      const bool phase = ((phases_ & Bar(bar)) != 0) != (i % 2 != 0);
      for (WarpSet left = who; left != 0; left &= left - 1) {
        const bool splits = random_.Percent(75);
        Arrive(First(left), splits ? OpKind::kArrivePhase : OpKind::kSync, bar, Ones(who), 0);
        if (splits) {
          WaitFor(First(left), bar, phase);
        }
      }
    }
    Learn(bar, who, 0, times);
  }

  // Of the waits of a split phase, those of some warps.
  void WaitForPending(unsigned index, WarpSet some) {
    Pending& pending = pending_[index];
    for (WarpSet left = pending.warps & some & live_; left != 0; left &= left - 1) {
      WaitFor(First(left), pending.bar, pending.phase);
    }
    pending.warps &= ~some & live_;
    if (pending.warps == 0) {
      pending_.erase(pending_.begin() + index);
    }
  }

  void WaitFor(unsigned warp, unsigned bar, bool phase) {
    Step step;
    step.operation.kind = OpKind::kWait;
    step.operation.bar = static_cast<std::uint8_t>(bar);
    step.operation.lanes = SomeLanes(warp);
    step.operation.operand = (random_.Word() & ~1U) | (phase ? 1 : 0);
    program_.steps[warp].push_back(step);
  }

  // Some warps meet, and count themselves.
  void Group(WarpSet who, OpKind kind) {
    const int bar = IdleBar(who, who);
    if (bar < 0) {
      return AllWarps(false);
    }
    const unsigned flavour = random_.Below(4);
    for (WarpSet left = who; left != 0; left &= left - 1) {
      Arrive(First(left), kind, static_cast<unsigned>(bar), Ones(who), flavour);
    }
    Learn(static_cast<unsigned>(bar), who, who);
  }

  // Some arrive and go on, a few of them twice; the others wait.
  void ProducerConsumer() {
    const WarpSet who = Some();
    const WarpSet produce = random_.Percent(15) ? who : who & random_.Next();
    const int bar = IdleBar(who, who & ~produce);
    if (bar < 0) {
      return AllWarps(false);
    }
    WarpSet twice = random_.Percent(30) ? produce & random_.Sparse(2) : 0;
    if (Ones(who) + Ones(twice) > options_.warps) {
      twice = 0;
    }
    const unsigned count = Ones(who) + Ones(twice);
    for (WarpSet left = who; left != 0; left &= left - 1) {
      const unsigned warp = First(left);
      const bool produces = (produce >> warp & 1) != 0;
      const OpKind kind = produces ? OpKind::kArrive : OpKind::kSync;
      Arrive(warp, kind, static_cast<unsigned>(bar), count, 0);
      if ((twice >> warp & 1) != 0) {
        Arrive(warp, kind, static_cast<unsigned>(bar), count, 0);
      }
    }
    Learn(static_cast<unsigned>(bar), who, who & ~produce);
  }

  // Several generations at one barrier; who meets whom is left to chance.
  void Batch() {
    const unsigned count = random_.Between(1, 3);
    WarpSet who = Some();
    while (Ones(who) % count != 0) {
      who &= who - 1;
    }
    const int bar = who == 0 ? -1 : IdleBar(who, 0);
    if (bar < 0) {
      return AllWarps(false);
    }
    const OpKind kind = options_.timing_shows ? RandomKind() : OpKind::kSync;
    for (WarpSet left = who; left != 0; left &= left - 1) {
      Arrive(First(left), kind, static_cast<unsigned>(bar), count, random_.Below(4));
    }
    Learn(static_cast<unsigned>(bar), who, 0, Ones(who) / count);
  }

  // The same warps at the same barrier again and again, in different ways.
  void BackToBack() {
    const WarpSet who = random_.Percent(50) ? live_ : Some();
    const int bar = IdleBar(who, who);
    if (bar < 0) {
      return AllWarps(false);
    }
    const bool all = who == live_ && random_.Percent(50);
    const unsigned times = random_.Between(2, 6);
    for (unsigned i = 0; i < times; ++i) {
      const OpKind kind = RandomKind();
      const unsigned flavour = random_.Below(4);
      for (WarpSet left = who; left != 0; left &= left - 1) {
        Arrive(First(left), kind, static_cast<unsigned>(bar), all ? 0 : Ones(who), flavour);
      }
    }
    Learn(static_cast<unsigned>(bar), who, who, times);
  }

  // One warp writes the state of an idle barrier as if others had arrived, or 0; the rest come
  // after it.
  void Forged() {
    const WarpSet who = Some();
    const unsigned come = Ones(who);
    const int bar = IdleBar(who, who);
    if (!config_.state || bar < 0) {
      return AllWarps(false);
    }
    const unsigned room = options_.warps - come;
    const unsigned forged = std::min(random_.Below(4), room);
    const OpKind kind = RandomKind();
    BarState state;
    if (forged != 0) {
      state.arrived = forged;
      state.expected = come + forged;
      state.kind =
          static_cast<unsigned>(IsReduction(kind) ? static_cast<BarKind>(kind) : BarKind::kSync);
      state.value = kind == OpKind::kRedPopc ? random_.Below(forged * config_.warp_size + 1)
                    : IsReduction(kind)      ? random_.Below(2)
                                             : 0;
    }
    state.phase = config_.split && random_.Percent(50);
    phases_ &= static_cast<std::uint16_t>(~Bar(static_cast<unsigned>(bar)));
    phases_ |= state.phase ? Bar(static_cast<unsigned>(bar)) : 0;
    Step write;
    write.operation.kind = OpKind::kR2bBar;
    write.operation.bar = static_cast<std::uint8_t>(bar);
    write.operation.lanes = kAllLanes;
    write.operation.operand = Encode(state);
    write.opens = static_cast<int>(program_.gates++);
    program_.steps[random_.Bit(who)].push_back(write);
    for (WarpSet left = who; left != 0; left &= left - 1) {
      Arrive(First(left), kind, static_cast<unsigned>(bar), come + forged, random_.Below(4),
             write.opens);
    }
    Learn(static_cast<unsigned>(bar), who, who);
  }

  // Some warps read the result of their latest reduction.
  void ReadResults() {
    for (WarpSet left = Has(config_, OpKind::kB2rResult) ? Some() : 0; left != 0;
         left &= left - 1) {
      Step step;
      step.operation.kind = OpKind::kB2rResult;
      step.operation.lanes = kAllLanes;
      program_.steps[First(left)].push_back(step);
    }
  }

  // The end of a program: one warp after another exits, while the rest still meet.
  void Farewell() {
    while (!pending_.empty()) {
      WaitForPending(0, live_);
    }
    while (live_ != 0) {
      if (random_.Percent(40)) {
        AllWarps(true);
      }
      if (live_ != 0) {
        ExitWarp(random_.Bit(live_));
      }
    }
  }

  const Config& config_;
  const ProgramOptions options_;
  Random& random_;
  Program program_;
  WarpSet live_ = 0;
  std::array<std::uint32_t, kMaxWarps> lanes_{};
  std::uint16_t phases_ = 0;  // the barriers that are in phase 1 after the episodes so far
  std::vector<Pending> pending_;
  std::array<std::uint16_t, kMaxWarps> known_idle_{};  // barriers that a warp knows to be idle
};

}  // namespace

Program MakeProgram(const Config& config, const ProgramOptions& options, Random* random) {
  return Writer(config, options, random).Write();
}

}  // namespace muster::lockstep
