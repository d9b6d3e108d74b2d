// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The rest of the cluster scope: grids that await others, clusters that are cancelled, CTAs that
// end, and resets at any moment.
#include <Vcancel_decode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

constexpr unsigned kHub = 6;  // cycles from acceptance until launch_o or flush_o
constexpr unsigned kGridFree =
    4;  // cycles from acceptance of a wait that awaits nothing until grid_release_o
constexpr unsigned kPerformed = 2;  // from flush_o and flushed_i to grid_release_o

template <typename Unit>
class ClusterGrid : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;

  const ClusterOutputs& out() const { return this->bench_.out; }
  CancelRequest Cancel(const Cta& cta, bool multicast) const {
    CancelRequest request;
    request.cluster = cta.cluster;
    request.rank = cta.rank;
    request.warp = static_cast<std::uint8_t>(cta.first);
    request.multicast = multicast;
    request.addr = 0x140;
    request.mbar = 0x208;
    return request;
  }
  void Present(const Cta& cta, bool multicast) {
    auto& unit = this->bench_.in.units[cta.unit];
    unit.cancel_valid = true;
    unit.cancel = Cancel(cta, multicast);
    this->Step();
    EXPECT_TRUE(out().units[cta.unit].cancel_ready);
    unit.cancel_valid = false;
  }
};
TYPED_TEST_SUITE(ClusterGrid, Units);

TYPED_TEST(ClusterGrid, LaunchDependentsCountsOncePerCta) {
  const unsigned n = this->kMostCtas;
  this->Restart();
  this->bench_.in.flushed = 0;
  this->Grid(0, n);
  const auto ctas = this->Cluster(0, n);
  for (unsigned rank = 0; rank < n; ++rank) {
    this->Step();
    EXPECT_EQ(this->out().launch & 1, 0U);
    const bool exits = rank % 3 == 2;
    if (exits) {  // a CTA that completes counts too
      this->AskAll({ctas[rank]}, ClusterOp::kExit);
    } else {
      for (unsigned i = 0; i < 3; ++i) {
        this->Ask(ctas[rank], i % ctas[rank].warps, ClusterOp::kTrigger, 1U << i);
      }
    }
    if (rank + 1 < n) {
      this->Quiet();
      continue;
    }
    this->Step();
    const auto& first = this->Of(ctas[rank], exits ? ctas[rank].warps - 1 : 0);
    while (first.accepted == kNever && !this->HasFatalFailure()) {
      this->Step();
    }
    this->Step(static_cast<unsigned>(first.accepted + kHub - this->now()));
    EXPECT_EQ(this->out().launch & 1, 0U);
    this->Step();
    EXPECT_EQ(this->out().launch & 1, 1U) << kHub << " cycles";
    this->Quiet();
  }
  EXPECT_EQ(this->out().flush & 1, 0U);
}

TYPED_TEST(ClusterGrid, PrerequisitesInAChain) {
  const unsigned n =
      std::min({this->kShape.num_grids, this->kShape.num_ctas, this->kShape.num_clusters});
  this->Restart();
  auto& flushed = this->bench_.in.flushed;
  flushed = 0;
  std::vector<typename TestFixture::Cta> ctas;
  for (unsigned g = 0; g < n; ++g) {  // each awaits all before it
    this->Open(g, 1);
    this->Grid(g, 1, (1U << g) - 1);
    ctas.push_back(this->Launch(g, 0, g % this->kShape.num_units, g, g));
  }
  for (const auto& cta : ctas) {
    this->AskAll({cta}, ClusterOp::kGridWait, 0xfffffff0);
  }
  this->Step(this->kShape.num_warps + 10);
  auto& times = this->Of(ctas[0], ctas[0].warps - 1);
  EXPECT_EQ(times.grid_released, times.accepted + kGridFree);
  for (unsigned g = 0; g + 1 < n; ++g) {
    this->AskAll({ctas[g]}, ClusterOp::kExit);
    this->Step(this->kShape.num_warps + 10);
    EXPECT_EQ(this->out().flush, 1U << g);
    EXPECT_EQ(this->Of(ctas[g + 1], 0).grid_released, kNever);
    EXPECT_EQ(this->Held(ctas[g + 1], 0), 0xfffffff0);
    flushed = static_cast<std::uint8_t>(~(1U << g));  // another one
    this->Step(5);
    EXPECT_EQ(this->Of(ctas[g + 1], 0).grid_released, kNever);
    flushed = static_cast<std::uint8_t>(1U << g);
    const std::uint64_t performed = this->now();
    this->Step();
    flushed = 0;
    this->Step(5);
    EXPECT_EQ(this->out().flush & 1U << g, 0U);
    for (unsigned w = 0; w < ctas[g + 1].warps; ++w) {
      EXPECT_EQ(this->Of(ctas[g + 1], w).grid_released, performed + kPerformed);
    }
    for (unsigned later = g + 2; later < n; ++later) {
      EXPECT_EQ(this->Of(ctas[later], 0).grid_released, kNever);
    }
    ASSERT_FALSE(this->HasFailure()) << "grid " << g;
  }
  this->bench_.in.flushed = 0xff;
  this->Quiet();
}

// A grid opens in the cycle in which its prerequisite is performed, or shortly before.
TYPED_TEST(ClusterGrid, PrerequisiteEndsAsAGridOpens) {
  for (unsigned g = 1; g < this->kShape.num_grids; ++g) {
    for (unsigned ends = 0; ends < 4; ++ends) {  // so many cycles after it is presented
      this->Restart();
      this->bench_.in.flushed = 0;
      this->Grid(g - 1, 1);
      this->Open(0, 1);
      const auto first = this->Launch(0, 0, 0, 0, g - 1);
      this->AskAll({first}, ClusterOp::kExit);
      this->Step(this->kShape.num_warps + 10);
      EXPECT_EQ(this->out().flush, 1U << (g - 1));
      auto& in = this->bench_.in;
      in.life_valid = true;
      in.life = ClusterLife();
      in.life.grid = static_cast<std::uint8_t>(g);
      in.life.size = 1;
      in.life.awaits = static_cast<std::uint8_t>(1U << (g - 1));
      for (unsigned i = 0; i <= std::max(ends, 1U); ++i) {
        in.flushed = i == ends ? 0xff : 0;
        this->Step();
        EXPECT_EQ(this->out().life_ready, i == 1);
        in.life_valid = i == 0;
      }
      in.flushed = 0;
      ASSERT_EQ(this->End(first), FaultCause::kNone);
      this->Open(0, 1);
      const auto next = this->Launch(0, 0, 0, 0, g);
      this->Ask(next, 0, ClusterOp::kGridWait);
      this->Step(10);
      EXPECT_EQ(this->Of(next, 0).grid_released, this->Of(next, 0).accepted + kGridFree);
      ASSERT_FALSE(this->HasFailure()) << "grid " << g << ", " << ends;
    }
  }
}

// The last exits of all CTAs at once: flush_o within the published time.
TYPED_TEST(ClusterGrid, FlushAfterAllExits) {
  const unsigned n = this->kMostCtas;
  this->Restart();
  this->bench_.in.flushed = 0;
  this->Grid(0, n);
  const auto ctas = this->Cluster(0, n);
  for (const auto& cta : ctas) {
    for (unsigned w = 1; w < cta.warps; ++w) {
      this->Ask(cta, w, ClusterOp::kExit);
    }
  }
  this->Quiet();
  for (const auto& cta : ctas) {
    this->Ask(cta, 0, ClusterOp::kExit);
  }
  const std::uint64_t begin = this->now();
  while ((this->out().flush & 1) == 0 && this->now() < begin + 100 && !this->HasFatalFailure()) {
    this->Step();
  }
  EXPECT_EQ(this->now() - 1, begin + kHub + n - 1);
  this->bench_.in.flushed = 0xff;
  this->Quiet();
}

// CTAs trigger, arrive and exit shortly after each other, while the hub listens to others: it hears
// of all.
TYPED_TEST(ClusterGrid, NewsInQuickSuccession) {
  const unsigned n = this->kMostCtas;
  for (unsigned gap = 0; gap <= this->kPlaces + 2; ++gap) {
    for (const ClusterOp op : {ClusterOp::kTrigger, ClusterOp::kArriveRelaxed}) {
      this->Restart();
      this->bench_.in.flushed = 0;
      this->Grid(0, n);
      this->Open(0, n);
      std::vector<typename TestFixture::Cta> ctas;
      for (unsigned r = 0; r < n; ++r) {
        ctas.push_back(
            this->Launch(0, r, r % this->kShape.num_units, r / this->kShape.num_units, 0, 1));
      }
      this->AskAll(ctas, op);
      for (unsigned i = 0; i < gap; ++i) {
        this->Step();
      }
      this->AskAll(ctas, ClusterOp::kExit);
      this->Step(8 * this->kPlaces + 20);
      EXPECT_EQ(this->out().flush & 1, 1U);
      EXPECT_EQ(this->out().launch & 1, 1U);
      this->bench_.in.flushed = 0xff;
      this->Quiet();
      ASSERT_FALSE(this->HasFailure()) << Name(op) << ", gap " << gap;
    }
  }
}

// A CTA is abandoned while others, or its own warps, wait: the phase completes without it, and its
// warps hear nothing.
TYPED_TEST(ClusterGrid, AbandonedCtas) {
  const unsigned n = this->kMostCtas;
  for (unsigned rank = 0; rank < n; ++rank) {
    for (const bool arrived : {false, true}) {
      this->Restart();
      this->Grid(0, n);
      const auto ctas = this->Cluster(0, n);
      for (unsigned r = 0; r < n; ++r) {
        const std::uint32_t lanes = r == rank ? 0x7 : kAllLanes;  // of the one, not all arrive
        if (r != rank || arrived) {
          this->AskAll({ctas[r]}, ClusterOp::kArriveRelaxed, lanes);
          this->AskAll({ctas[r]}, ClusterOp::kWait, lanes);
        }
      }
      this->Quiet();
      this->AskAll({ctas[rank]}, ClusterOp::kGridWait, 0xf000);
      this->Quiet();
      for (unsigned w = 0; w < ctas[rank].warps; ++w) {
        EXPECT_NE(this->Of(ctas[rank], w).grid_released, kNever);
      }
      EXPECT_EQ(this->bench_.checker().model().Phases(0), 0U);
      ASSERT_EQ(this->End(ctas[rank]), FaultCause::kNone);
      const std::uint64_t ended = this->now() - 1;
      EXPECT_EQ(this->End(ctas[rank]), FaultCause::kCtaNotResident);
      this->Quiet();
      EXPECT_EQ(this->bench_.checker().model().Phases(0), n > 1 ? 1U : 0U);
      for (unsigned r = 0; r < n; ++r) {
        for (unsigned w = 0; w < ctas[r].warps; ++w) {
          EXPECT_EQ(this->Of(ctas[r], w).released, r == rank ? kNever : ended + 4);
        }
      }
      // The slot's next CTA begins as one that has done nothing.
      this->bench_.in.flushed = 0;
      this->Grid(0 + (this->kShape.num_grids > 1 ? 1 : 0), 1);
      ASSERT_FALSE(this->HasFailure()) << "rank " << rank;
    }
  }
}

TYPED_TEST(ClusterGrid, CancelTakesTwoCyclesAndFourForEachCta) {
  const unsigned n = this->kMostCtas;
  for (const bool multicast : {false, true}) {
    this->Restart();
    this->Grid(0, n);
    const auto ctas = this->Cluster(0, n);
    for (const auto& cta : ctas) {
      this->Present(cta, multicast);
      this->Step();
      EXPECT_FALSE(this->out().take_valid);
      for (unsigned i = 0; i < 4;
           ++i) {  // from two cycles after acceptance on, until it is answered
        this->Step();
        EXPECT_TRUE(this->out().take_valid);
      }
      this->bench_.in.take_ready = true;
      this->bench_.in.take = {5, 6, 7, 1};
      this->Step();
      EXPECT_TRUE(this->out().take_valid);
      this->bench_.in.take_ready = false;
      this->bench_.in.take = {};
      for (unsigned rank = 0; rank < (multicast ? n : 1); ++rank) {
        const auto& to = ctas[multicast ? rank : cta.rank];
        this->Step(3);
        EXPECT_TRUE(this->out().units[to.unit].write_valid);
        EXPECT_EQ(this->out().write.place, (CtaPlace{to.unit, to.slot}));
        EXPECT_EQ(this->out().write.addr, 0x140U);
        EXPECT_EQ(this->out().write.data, (CancelResponse{5, 6, 7, 1}));
        this->Step();
        EXPECT_TRUE(this->out().units[to.unit].complete_valid);
        EXPECT_EQ(this->out().complete.place, (CtaPlace{to.unit, to.slot}));
        EXPECT_EQ(this->out().complete.addr, 0x208U);
        EXPECT_EQ(this->out().complete.bytes, 16U);
      }
      this->Step();  // it sees that no CTA is left
      EXPECT_TRUE(this->out().active);
      this->Step();
      EXPECT_FALSE(this->out().active);
      ASSERT_FALSE(this->HasFailure());
    }
  }
}

// All units ask: one after another, in turns.
TYPED_TEST(ClusterGrid, CancelsTakeTurns) {
  const unsigned n = this->kShape.num_units;
  this->Restart();
  this->Grid(0, n);
  const auto ctas = this->Cluster(0, n);
  this->bench_.in.take_ready = true;
  for (const auto& cta : ctas) {
    this->bench_.in.units[cta.unit].cancel_valid = true;
    this->bench_.in.units[cta.unit].cancel = this->Cancel(cta, false);
  }
  std::vector<unsigned> served;
  for (unsigned i = 0; i < 8 * 3 * n; ++i) {
    this->Step();
    for (unsigned u = 0; u < n; ++u) {
      if (this->out().units[u].cancel_ready && this->bench_.in.units[u].cancel_valid) {
        served.push_back(u);
        this->bench_.in.units[u].cancel_valid = served.size() <= std::size_t{2} * n;
      }
    }
  }
  ASSERT_EQ(served.size(), 3 * n) << "eight cycles each";
  for (unsigned i = 0; i + n < served.size(); ++i) {
    EXPECT_EQ(served[i], served[i + n]);
  }
}

TYPED_TEST(ClusterGrid, CancelIsRefusedIfACtaIsNotThere) {
  const unsigned n = this->kMostCtas;
  for (unsigned missing = 0; missing < n; ++missing) {
    this->Restart();
    this->Grid(0, n);
    this->Open(0, n);
    std::vector<typename TestFixture::Cta> ctas(n);
    for (unsigned r = 0; r < n; ++r) {
      if (r != missing) {
        ctas[r] = this->Launch(0, r, r % this->kShape.num_units, r / this->kShape.num_units);
      }
    }
    typename TestFixture::Cta none;
    none.rank = static_cast<std::uint8_t>(missing);
    const unsigned other = missing == 0 ? n - 1 : 0;
    for (const bool multicast : {false, true}) {
      const auto& from = multicast && n > 1 ? ctas[other] : none;
      this->Present(from, multicast);
      this->Step();
      EXPECT_TRUE(this->out().cancel_lost_valid);
      EXPECT_EQ(this->out().cancel_lost.rank, missing);
      EXPECT_EQ(this->out().cancel_lost.unit, from.unit);
      EXPECT_EQ(this->out().cancel_lost.addr, 0x140U);
      this->Step();
      EXPECT_FALSE(this->out().active);
      EXPECT_FALSE(this->out().take_valid);
    }
    if (n > 1) {  // the others are served
      this->bench_.in.take_ready = true;
      this->Present(ctas[other], false);
      this->Quiet();
      this->bench_.in.take_ready = false;
    }
    // No such cluster.
    none.cluster = static_cast<std::uint8_t>(this->kShape.num_clusters);
    this->Present(none, true);
    this->Step();
    EXPECT_TRUE(this->out().cancel_lost_valid);
    this->Step();
    EXPECT_FALSE(this->out().active);
    ASSERT_FALSE(this->HasFailure());
  }
}

// A CTA goes after the scheduler has answered, before its turn: the others hear of it, and it is
// reported.
TYPED_TEST(ClusterGrid, CtaGoesAmidACancel) {
  const unsigned n = this->kMostCtas;
  for (unsigned gone = 1; gone < n; ++gone) {
    this->Restart();
    this->Grid(0, n);
    const auto ctas = this->Cluster(0, n);
    this->bench_.in.units[ctas[0].unit].write_ready = false;
    this->bench_.in.take_ready = true;
    this->bench_.in.take = {1, 2, 3, 1};
    this->Present(ctas[0], true);
    this->Step(6);
    EXPECT_TRUE(this->out().units[ctas[0].unit].write_valid);
    ASSERT_EQ(this->End(ctas[gone]), FaultCause::kNone);
    this->Step(10);
    const std::uint64_t lost = this->bench_.checker().counts().lost;
    this->bench_.in.units[ctas[0].unit].write_ready = true;
    this->Quiet();
    EXPECT_EQ(this->bench_.checker().counts().writes, n - 1 + (gone - 1) * (n - 1));
    EXPECT_EQ(this->bench_.checker().counts().lost, lost + 1);
    ASSERT_FALSE(this->HasFailure()) << "rank " << gone;
  }
}

// In each cycle of a run in which everything is under way: after a reset nothing is left.
TYPED_TEST(ClusterGrid, ResetAtAnyMoment) {
  for (unsigned when = 0; when < 40; ++when) {
    this->Restart();
    this->Grid(0, this->kPlaces, 0);
    const unsigned n = this->kMostCtas;
    const auto ctas = this->Cluster(0, n);
    for (unsigned u = 0; u < this->kShape.num_units; ++u) {
      this->bench_.in.units[u].fence_ack = 0;
      this->bench_.in.units[u].remote_ready = u % 2 == 0 && when % 2 == 0;
      this->bench_.in.units[u].write_ready = false;
      for (unsigned i = 0; i < 10; ++i) {
        this->Send(u, this->To((u + i) % n, i));
      }
    }
    this->bench_.in.take_ready = when % 3 != 0;
    this->bench_.in.units[0].cancel_valid = true;
    this->bench_.in.units[0].cancel = this->Cancel(ctas[0], true);
    this->AskAll(ctas, ClusterOp::kArriveRelaxed, 0xffff);
    this->AskAll(ctas, ClusterOp::kWait, 0xff);
    this->AskAll(ctas, when % 4 == 0 ? ClusterOp::kArrive : ClusterOp::kArriveRelaxed, 0xffff0000);
    for (unsigned i = 0; i < when; ++i) {
      this->Step();
      if (this->out().units[0].cancel_ready) {
        this->bench_.in.units[0].cancel_valid = false;
      }
    }
    this->Restart();
    for (unsigned i = 0; i < 20; ++i) {
      this->Step();
      ASSERT_FALSE(this->out().active);
      ASSERT_EQ(this->out().flush, 0U);
      for (unsigned u = 0; u < this->kShape.num_units; ++u) {
        const auto& unit = this->out().units[u];
        ASSERT_TRUE(unit.fence_req == 0 && unit.busy == 0 && unit.release == 0 &&
                    unit.grid_release == 0 && !unit.remote_valid && !unit.lost_valid &&
                    !unit.write_valid && !unit.complete_valid && !unit.fault_valid &&
                    !unit.go_valid);
      }
    }
    this->Grid(0, n);
    const auto fresh = this->Cluster(0, n);
    this->AskAll(fresh, ClusterOp::kArrive);
    this->AskAll(fresh, ClusterOp::kWait);
    this->Quiet();
    EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
    ASSERT_FALSE(this->HasFailure()) << "cycle " << when;
  }
}

TEST(CancelDecode, AnyResponse) {
  VerilatedContext context;
  Vcancel_decode decode(&context);
  std::mt19937 random(1);
  unsigned cancelled = 0;
  for (unsigned i = 0; i < 100000; ++i) {
    CancelResponse response;
    for (std::uint32_t& word : response) {
      word = static_cast<std::uint32_t>(random());
    }
    if (i % 2 == 0) {
      response[3] = random() % 3;
    }
    std::copy(response.begin(), response.end(), &decode.response_i[0]);
    decode.eval();
    const CancelQuery query = golden::DecodeCancel(response);
    ASSERT_EQ(decode.is_canceled_o != 0, query.is_canceled);
    cancelled += query.is_canceled ? 1 : 0;
    for (unsigned word = 0; word < 3; ++word) {
      // Of a response that says no, the ctaid is undefined (9.7.13.18); it is 0 here.
      ASSERT_EQ(decode.ctaid_o[word], query.is_canceled ? query.first_ctaid[word] : 0);
    }
  }
  EXPECT_GT(cancelled, 10000U);
}

}  // namespace
}  // namespace muster::cluster
