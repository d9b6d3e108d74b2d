// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scheduler that users start from, with a unit. CTAs of random warps meet in rounds; a
// warp may exit while others still meet. Now and then a warp executes a SYNC without lanes before,
// or one that the unit refuses, and must be able to go on after it.
#include <Vscheduler.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "sim/isa/bits.h"
#include "tb/unit/clocked.h"

namespace muster {
namespace {

constexpr unsigned kWarps = 8, kCtas = 2;
constexpr unsigned kLong = 300;  // cycles from an operation that may go to its acceptance, at most
constexpr unsigned kSync = 0, kArrive = 1, kAnd = 2, kOr = 3, kPopc = 4;  // OpSync, OpArrive, ...

// All warps that have not exited meet at barrier 0; or two or more of them meet at another one, of
// which one arrives and goes on.
struct Round {
  unsigned op = kSync;
  unsigned count = 0;  // warps, 0: all
  std::vector<bool> comes;
  unsigned arrived = 0, lanes = 0;  // lanes: that are true
  bool all = true, any = false;
  std::uint64_t waiting = 0;  // warp slots
  bool opened = false;
};

struct Cta {
  unsigned size = 0, started = 0, exited = 0;
  std::vector<Round> rounds;
  std::vector<unsigned> leaves;  // by rank: it exits instead of this round
};

// What a warp executes before its next round.
enum class Stray { kNothing, kWithoutLanes, kRefused };

struct Warp {
  unsigned cta = 0, rank = 0, round = 0;
  unsigned ready_at = 0;
  bool running = false;
  Stray stray = Stray::kNothing;
  bool refused = false;  // accepted, and the fault is still to come
  std::uint32_t operand = 0;
};

class Scheduler : public Clocked<Vscheduler> {
 protected:
  Cta Make() {
    Cta cta;
    cta.size = 1 + random_() % kWarps;
    cta.rounds.resize(random_() % 8);
    for (unsigned r = 0; r < cta.size; ++r) {
      const auto rounds = static_cast<unsigned>(cta.rounds.size());
      cta.leaves.push_back(random_() % 3 == 0 ? random_() % (rounds + 1) : rounds);
    }
    for (unsigned i = 0; i < cta.rounds.size(); ++i) {
      Round& round = cta.rounds[i];
      constexpr unsigned kOps[] = {kSync, kSync, kPopc, kPopc, kAnd, kOr};
      round.op = kOps[random_() % 6];
      const bool some = random_() % 3 == 0;
      unsigned comes = 0;
      for (unsigned r = 0; r < cta.size; ++r) {
        round.comes.push_back(cta.leaves[r] > i && (!some || random_() % 2 == 0));
        comes += round.comes[r] ? 1 : 0;
      }
      if (some) {
        round.op = kSync;
        round.count = comes;
      }
    }
    return cta;
  }

  // The round that the warp comes to next, or nothing: it exits.
  Round* Next(Warp* warp) {
    Cta& cta = ctas_[warp->cta];
    while (warp->round < cta.leaves[warp->rank] && !cta.rounds[warp->round].comes[warp->rank]) {
      ++warp->round;
    }
    return warp->round == cta.leaves[warp->rank] ? nullptr : &cta.rounds[warp->round];
  }

  // The first of those that meet with a number arrives and goes on, if others come.
  static bool GoesOn(const Round& round, unsigned rank) {
    unsigned first = 0;
    while (!round.comes[first]) {
      ++first;
    }
    return round.count > 1 && first == rank;
  }

  void Open(Cta* cta) {
    for (Round& round : cta->rounds) {
      if (!round.opened && round.arrived != 0 &&
          round.arrived == (round.count == 0 ? cta->size - cta->exited : round.count)) {
        round.opened = true;
        ++opened_;
        opened_by_exit_ += exit_now_ ? 1 : 0;
      }
    }
  }

  void Show() {
    dut_.next_valid_i = dut_.next_exit_i = dut_.next_none_i = 0;
    dut_.next_op_i = dut_.next_bar_i = dut_.next_count_i = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      Warp& warp = warps_[w];
      if (!warp.running) {  // the slot is free, and its pins hold anything
        dut_.next_valid_i |= static_cast<unsigned char>((random_() & 1U) << w);
        continue;
      }
      if (warp.ready_at > cycle_) {
        continue;
      }
      dut_.next_valid_i |= static_cast<unsigned char>(1U << w);
      if (warp.stray == Stray::kWithoutLanes) {
        dut_.next_none_i |= static_cast<unsigned char>(1U << w);
        continue;
      }
      if (warp.stray == Stray::kRefused) {  // it expects a warp more than the CTA has
        dut_.next_count_i |= (ctas_[warp.cta].size + 1) << (4 * w);
        continue;
      }
      const Round* round = Next(&warp);
      if (round == nullptr) {
        dut_.next_exit_i |= static_cast<unsigned char>(1U << w);
        continue;
      }
      const unsigned op = GoesOn(*round, warp.rank) ? kArrive : round->op;
      const unsigned bar = round->count == 0 ? 0 : 1 + warp.round;
      dut_.next_op_i |= op << (4 * w);
      dut_.next_bar_i |= bar << (4 * w);
      dut_.next_count_i |= round->count << (4 * w);
      dut_.next_operand_i[w] = warp.operand;
    }
  }

  bool Waits(unsigned w) const {
    const Warp& warp = warps_[w];
    bool waits = warp.refused;
    for (const Round& round : ctas_[warp.cta].rounds) {
      waits |= (round.waiting >> w & 1) != 0;
    }
    return waits;
  }

  // The operation of this warp has been accepted.
  void Accept(unsigned w) {
    Warp& warp = warps_[w];
    Cta& cta = ctas_[warp.cta];
    ASSERT_FALSE(Waits(w)) << "cycle " << cycle_ << ": warp " << w;
    if (warp.stray != Stray::kNothing) {
      warp.refused = warp.stray == Stray::kRefused;
      refused_ += warp.refused ? 1 : 0;
      without_lanes_ += warp.refused ? 0 : 1;
      warp.stray = Stray::kNothing;
      warp.ready_at = cycle_ + 1;
      return;
    }
    Round* round = Next(&warp);
    warp.ready_at = cycle_ + 1 + (random_() % 2 == 0 ? 0 : random_() % 20);
    exit_now_ = round == nullptr;
    if (round == nullptr) {
      warp.running = false;
      ++cta.exited;
    } else {
      ++round->arrived;
      round->lanes += static_cast<unsigned>(__builtin_popcount(warp.operand));
      round->all = round->all && warp.operand == ~0U;
      round->any = round->any || warp.operand != 0;
      round->waiting |= GoesOn(*round, warp.rank) ? 0 : std::uint64_t{1} << w;
      ++warp.round;
      warp.operand = DrawOperand();
      warp.stray = Draw();
    }
    Open(&cta);
  }

  // A CTA of all warps.
  void StartAll() {
    for (unsigned w = 0; w < kWarps; ++w) {
      dut_.start_valid_i = 1;
      dut_.start_warp_i = static_cast<unsigned char>(w);
      dut_.start_cta_i = 0;
      dut_.start_size_i = kWarps;
      for (dut_.eval(); dut_.start_ready_o == 0; dut_.eval()) {
        ASSERT_LT(++cycle_, 1000U);
        Clock();
      }
      Clock();
    }
    dut_.start_valid_i = 0;
  }

  std::uint32_t DrawOperand() {
    const auto any = static_cast<std::uint32_t>(random_());
    return any % 8 == 0 ? any : any % 2 == 0 ? 0 : ~0U;
  }

  static unsigned ValueOf(const Round& round) {
    switch (round.op) {
      case kAnd:
        return round.all ? 1 : 0;
      case kOr:
        return round.any ? 1 : 0;
      default:
        return round.op == kPopc ? round.lanes : 0;
    }
  }

  Stray Draw() {
    constexpr Stray kStrays[] = {Stray::kWithoutLanes, Stray::kRefused};
    return random_() % 4 == 0 ? kStrays[random_() % 2] : Stray::kNothing;
  }

  // The unit reports a fault: of a warp that has executed what it refuses, and may go on now.
  void Refuse() {
    ASSERT_EQ(dut_.fault_o, 1) << "cycle " << cycle_;
    Warp& warp = warps_[dut_.fault_warp_o];
    ASSERT_TRUE(warp.refused) << "cycle " << cycle_;
    warp.refused = false;
    warp.ready_at = cycle_;
  }

  // No operation that may go is left standing.
  void ExpectProgress() {
    for (unsigned w = 0; w < kWarps; ++w) {
      const Warp& warp = warps_[w];
      ASSERT_FALSE(warp.running && !Waits(w) && warp.ready_at + kLong < cycle_)
          << "cycle " << cycle_ << ": warp " << w << " is held";
    }
  }

  void Release() {
    bool found = false;
    for (unsigned w = 0; w < kWarps && !found; ++w) {
      if ((dut_.release_o >> w & 1) == 0) {
        continue;
      }
      for (Round& round : ctas_[warps_[w].cta].rounds) {
        if ((round.waiting >> w & 1) != 0) {
          found = true;
          ASSERT_TRUE(round.opened) << "cycle " << cycle_ << ": warp " << w;
          ASSERT_EQ(round.waiting, dut_.release_o) << "cycle " << cycle_;
          ASSERT_EQ(dut_.value_o, ValueOf(round)) << "cycle " << cycle_;
          reduced_ += round.op != kSync ? 1 : 0;
          ForEachBit(round.waiting, [&](unsigned waited) {
            warps_[waited].ready_at = std::max(warps_[waited].ready_at, cycle_);
          });
          round.waiting = 0;
        }
      }
    }
    ASSERT_TRUE(found) << "cycle " << cycle_ << ": nobody waits";
  }

  // A warp of the CTA that is being started goes to any free slot; CTAs begin where a slot is free.
  void Start() {
    if (!starting_ && dut_.start_valid_i == 0) {
      for (unsigned c = 0; c < kCtas; ++c) {
        if ((dut_.resident_o >> c & 1) == 0 && !starting_) {
          ctas_[c] = Make();
          starting_ = c;
          ++begun_;
        }
      }
    }
    dut_.start_valid_i = 0;
    for (unsigned w = 0; w < kWarps && starting_ && dut_.start_valid_i == 0; ++w) {
      if ((dut_.live_o >> w & 1) == 0) {
        dut_.start_valid_i = 1;
        dut_.start_warp_i = static_cast<unsigned char>(w);
        dut_.start_cta_i = static_cast<unsigned char>(*starting_);
        dut_.start_size_i = static_cast<unsigned char>(ctas_[*starting_].size);
      }
    }
  }

  std::mt19937 random_{1};
  std::array<Warp, kWarps> warps_;
  std::array<Cta, kCtas> ctas_;
  std::optional<unsigned> starting_;
  bool exit_now_ = false;
  unsigned cycle_ = 0, begun_ = 0, opened_ = 0, opened_by_exit_ = 0, reduced_ = 0;
  unsigned refused_ = 0, without_lanes_ = 0;
};

TEST_F(Scheduler, RandomCtas) {
  unsigned both = 0;  // cycles in which all CTA slots are resident
  while (begun_ < 5000) {
    ++cycle_;
    if (dut_.start_valid_i == 0) {
      Start();
    }
    Show();
    dut_.eval();
    both += dut_.resident_o == 3 ? 1 : 0;
    ASSERT_EQ(dut_.busy_o, 0) << "cycle " << cycle_;
    if (dut_.fault_o != 0) {
      Refuse();
    }
    const unsigned accepted = dut_.next_ready_o;
    ASSERT_EQ(accepted & dut_.waits_o, 0U);
    if (dut_.release_o != 0) {
      Release();
    }
    for (unsigned w = 0; w < kWarps; ++w) {
      if ((accepted >> w & 1) != 0) {
        Accept(w);
      }
    }
    ExpectProgress();
    if (HasFatalFailure()) {
      FAIL() << "cycle " << cycle_;
    }
    const bool started = dut_.start_ready_o != 0;
    Clock();
    if (started) {
      Cta& cta = ctas_[*starting_];
      warps_[dut_.start_warp_i] = {*starting_, cta.started++, 0,     cycle_ + 1,
                                   true,       Draw(),        false, DrawOperand()};
      if (cta.started == cta.size) {
        starting_.reset();
      }
      dut_.start_valid_i = 0;
    }
  }
  EXPECT_GT(opened_, 8000U);
  EXPECT_GT(opened_by_exit_, 500U);
  EXPECT_GT(reduced_, 1500U);
  EXPECT_GT(both, 10000U);
  EXPECT_GT(refused_, 1000U);
  EXPECT_GT(without_lanes_, 1000U);
}

// All warps always have something that lets none of them wait. They take turns.
TEST_F(Scheduler, WarpsTakeTurns) {
  StartAll();
  dut_.next_valid_i = dut_.next_none_i = (1U << kWarps) - 1;
  std::array<unsigned, kWarps> turns{};
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    dut_.eval();
    for (unsigned w = 0; w < kWarps; ++w) {
      turns[w] += dut_.next_ready_o >> w & 1;
    }
    const auto [least, most] = std::minmax_element(turns.begin(), turns.end());
    ASSERT_LE(*most, *least + 1) << "cycle " << cycle;
    Clock();
  }
  EXPECT_GT(turns[0], 20U);
}

// A reset while warps wait, an operation stands at the issue port or a start at the lifecycle port.
// What is presented without valid starts nothing either.
TEST_F(Scheduler, ResetForgetsAll) {
  for (const unsigned cycles : {1U, 2U, 5U, 50U}) {
    StartAll();
    dut_.next_valid_i = (1U << kWarps) - 2;  // all but one of them sync
    for (unsigned i = 0; i < cycles; ++i) {
      Clock();
    }
    if (cycles == 50) {  // a CTA stands at the lifecycle port
      dut_.start_valid_i = 1;
      dut_.start_cta_i = 1;
      Clock();
      Clock();
    }
    dut_.rst_ni = 0;
    dut_.eval();
    Clock();
    dut_.rst_ni = 1;
    dut_.next_valid_i = dut_.start_valid_i = 0;
    for (unsigned i = 0; i < 300; ++i) {
      dut_.eval();
      ASSERT_EQ(dut_.live_o | dut_.resident_o | dut_.waits_o | dut_.fault_o, 0) << "cycle " << i;
      ASSERT_EQ(dut_.next_ready_o, 0) << "cycle " << i;
      Clock();
    }
  }
}

}  // namespace
}  // namespace muster
