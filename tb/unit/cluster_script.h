// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Scripts for a cluster scope under the checker of the lockstep. What is presented is withdrawn
// when it is accepted, and the cycle in which each thing happened last is kept.
#ifndef TB_UNIT_CLUSTER_SCRIPT_H_
#define TB_UNIT_CLUSTER_SCRIPT_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/isa/bits.h"
#include "tb/unit/cluster_bench.h"

namespace muster::cluster {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

template <typename Unit>
class ClusterScript : public ::testing::Test {
 protected:
  static constexpr ClusterConfig kShape = kConfig<Unit>;
  static constexpr unsigned kWarpsOfCta = kShape.num_warps / kShape.num_ctas;
  static constexpr unsigned kPlaces = kShape.num_units * kShape.num_ctas;
  static constexpr unsigned kMostCtas = kPlaces < kShape.num_ranks ? kPlaces : kShape.num_ranks;

  struct Cta {
    std::uint8_t unit = 0, slot = 0, cluster = 0, rank = 0;
    unsigned first = 0;  // of its warps
    unsigned warps = 0;
  };
  // Of a warp: the last cycle in which this happened.
  struct Times {
    std::uint64_t accepted = kNever, idle = kNever, go = kNever, fault = kNever, released = kNever,
                  grid_released = kNever;
  };

  void Restart() {
    bench_.Reset();
    times_ = {};
    for (auto& warps : live_) {
      warps.fill(kAllLanes);
    }
    requests_ = {};
    sends_ = {};
    busy_ = {};
  }

  std::uint64_t now() const { return bench_.cycle(); }
  Times& Of(const Cta& cta, unsigned warp) { return times_[cta.unit][cta.first + warp]; }

  // One cycle, or several; what happened in the last one is in bench_.out.
  void Step(unsigned cycles = 1) {
    for (unsigned i = 0; i < cycles && !this->HasFatalFailure(); ++i) {
      Present();
      bench_.Cycle();
      for (unsigned u = 0; u < kShape.num_units; ++u) {
        Note(u);
      }
    }
  }

  // Until everything has been accepted, and nothing is under way.
  void Quiet(unsigned limit = 2000) {
    Step(2);
    while (Pending() || bench_.out.active || !bench_.checker().Settled()) {
      ASSERT_NE(limit--, 0U) << "it does not come to rest";
      ASSERT_FALSE(this->HasFatalFailure());
      Step();
    }
  }

  // --- What comes and goes

  FaultCause Carry(const ClusterLife& life) {
    bench_.in.life_valid = true;
    bench_.in.life = life;
    for (unsigned limit = 0; limit < 1000 && !this->HasFatalFailure(); ++limit) {
      Step();
      if (bench_.out.life_ready) {
        bench_.in.life_valid = false;
        return bench_.out.life_fault;
      }
    }
    ADD_FAILURE() << "it is never carried out";
    return FaultCause::kNone;
  }

  void Grid(unsigned grid, unsigned size, unsigned awaits = 0) {
    ClusterLife life;
    life.op = ClusterLifeOp::kGrid;
    life.grid = static_cast<std::uint8_t>(grid);
    life.size = size;
    life.awaits = static_cast<std::uint8_t>(awaits);
    EXPECT_EQ(Carry(life), FaultCause::kNone);
  }
  void Open(unsigned cluster, unsigned size) {
    ClusterLife life;
    life.op = ClusterLifeOp::kOpen;
    life.cluster = static_cast<std::uint8_t>(cluster);
    life.size = size;
    EXPECT_EQ(Carry(life), FaultCause::kNone);
  }
  // The warps of a CTA slot are as many slots of the unit, one after another.
  Cta Launch(unsigned cluster, unsigned rank, unsigned unit, unsigned slot, unsigned grid = 0,
             unsigned warps = kWarpsOfCta) {
    ClusterLife life;
    life.op = ClusterLifeOp::kLaunch;
    life.unit = static_cast<std::uint8_t>(unit);
    life.cta = static_cast<std::uint8_t>(slot);
    life.cluster = static_cast<std::uint8_t>(cluster);
    life.rank = static_cast<std::uint8_t>(rank);
    life.grid = static_cast<std::uint8_t>(grid);
    life.size = warps;
    EXPECT_EQ(Carry(life), FaultCause::kNone);
    const unsigned first = slot * kWarpsOfCta;
    for (unsigned w = first; w < first + warps; ++w) {
      live_[unit][w] = kAllLanes;
      times_[unit][w] = Times();
    }
    return {life.unit, life.cta, life.cluster, life.rank, first, warps};
  }
  FaultCause End(const Cta& cta) {
    ClusterLife life;
    life.op = ClusterLifeOp::kEnd;
    life.unit = cta.unit;
    life.cta = cta.slot;
    return Carry(life);
  }
  // A cluster of so many CTAs, spread over the units, from this place on.
  std::vector<Cta> Cluster(unsigned cluster, unsigned ctas, unsigned from = 0, unsigned grid = 0) {
    Open(cluster, ctas);
    std::vector<Cta> all;
    for (unsigned r = 0; r < ctas; ++r) {
      const unsigned place = from + r;
      all.push_back(Launch(cluster, r, place % kShape.num_units, place / kShape.num_units, grid));
    }
    return all;
  }

  // --- Requests, presented in order as soon as their warps are not busy

  void Ask(const Cta& cta, unsigned warp, ClusterOp op, std::uint32_t lanes = kAllLanes) {
    std::uint32_t& live = live_[cta.unit][cta.first + warp];
    lanes &= live;
    if (op == ClusterOp::kExit) {
      live &= ~lanes;
    }
    requests_[cta.unit].push_back(
        {op, static_cast<std::uint8_t>(cta.first + warp), cta.slot, lanes, live});
  }
  void AskAll(const std::vector<Cta>& ctas, ClusterOp op, std::uint32_t lanes = kAllLanes) {
    for (const Cta& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        if ((live_[cta.unit][cta.first + w] & lanes) != 0) {
          Ask(cta, w, op, lanes);
        }
      }
    }
  }
  std::uint32_t Held(const Cta& cta, unsigned warp) const {
    return bench_.checker().held(cta.unit, cta.first + warp);
  }

  void Send(unsigned unit, const RemoteSend& send) { sends_[unit].push_back(send); }
  RemoteSend To(unsigned rank, std::uint32_t operand, unsigned cluster = 0) const {
    RemoteSend send;
    send.cluster = static_cast<std::uint8_t>(cluster);
    send.rank = static_cast<std::uint8_t>(rank);
    send.addr = 8 * rank;
    send.lanes = 1;
    send.operand = operand;
    return send;
  }

  ClusterBench<Unit> bench_;
  std::array<std::array<Times, kMaxWarps>, kMaxUnits> times_{};
  std::array<std::array<std::uint32_t, kMaxWarps>, kMaxUnits> live_{};
  std::array<std::deque<ClusterRequest>, kMaxUnits> requests_;
  std::array<std::deque<RemoteSend>, kMaxUnits> sends_;
  std::array<std::uint64_t, kMaxUnits> accepted_sends_{};  // how many

 private:
  bool Pending() const {
    for (unsigned u = 0; u < kShape.num_units; ++u) {
      if (!requests_[u].empty() || !sends_[u].empty()) {
        return true;
      }
    }
    return false;
  }

  void Present() {
    for (unsigned u = 0; u < kShape.num_units; ++u) {
      ClusterInputs::Unit& unit = bench_.in.units[u];
      if (!unit.request_valid && !requests_[u].empty() &&
          !bench_.checker().IsUnderWay(u, requests_[u].front().warp)) {
        unit.request_valid = true;
        unit.request = requests_[u].front();
      }
      if (!unit.send_valid && !sends_[u].empty()) {
        unit.send_valid = true;
        unit.send = sends_[u].front();
      }
    }
  }

  void Note(unsigned u) {
    ClusterInputs::Unit& in = bench_.in.units[u];
    const ClusterOutputs::Unit& out = bench_.out.units[u];
    const std::uint64_t cycle = bench_.cycle() - 1;
    if (in.request_valid && out.request_ready) {
      times_[u][in.request.warp].accepted = cycle;
      requests_[u].pop_front();
      in.request_valid = false;
    }
    if (in.send_valid && out.send_ready) {
      sends_[u].pop_front();
      in.send_valid = false;
      ++accepted_sends_[u];
    }
    if (out.go_valid) {
      times_[u][out.go.warp].go = cycle;
    }
    if (out.fault_valid) {
      times_[u][out.fault.warp].fault = cycle;
    }
    const auto each = [&](std::uint64_t warps, std::uint64_t Times::*what) {
      ForEachBit(warps, [&](unsigned w) { times_[u][w].*what = cycle; });
    };
    each(out.release, &Times::released);
    each(out.grid_release, &Times::grid_released);
    each(busy_[u] & ~out.busy, &Times::idle);
    busy_[u] = out.busy;
  }

  std::array<std::uint64_t, kMaxUnits> busy_{};
};

}  // namespace muster::cluster

#endif  // TB_UNIT_CLUSTER_SCRIPT_H_
