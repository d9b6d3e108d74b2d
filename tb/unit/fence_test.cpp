// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain as the load/store side answers it: the tracker alone, against sets of accesses;
// and in the template, where warps that go on after an arrival always have something on its way.
// The template's copies and their arrive-ons, too.
#include <Vtemplate_flat.h>
#include <Vtracker.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tb/unit/clocked.h"

namespace muster {
namespace {

// ------------------------------------------------------------------------------------------------
// The tracker
// ------------------------------------------------------------------------------------------------

constexpr unsigned kWarps = 8;  // of the tracker under test
constexpr unsigned kMost = 3;   // accesses of a warp in one epoch

struct Access {
  bool epoch;
  bool before;  // it had begun by the first cycle of the request that goes on
};

// What one warp has outstanding, by names.
struct Warp {
  std::vector<Access> accesses;
  bool requested = false;
  bool first = false;  // this is the first cycle of the request

  bool Drained() const {
    bool drained = true;
    for (const Access& access : accesses) {
      drained = drained && !(requested && access.before);
    }
    return drained;
  }
};

using Tracker = Clocked<Vtracker>;

// Accesses begin and are performed at random, in any order; drains are requested at random, and
// stay until they are acknowledged. In every cycle: a drain is acknowledged only if nothing that
// was there at the request is left, and at the latest two cycles after that; without a request,
// exactly if nothing is outstanding.
TEST_F(Tracker, AcknowledgesWhatWasOutstandingAtTheRequest) {
  std::mt19937 random(1);
  std::array<Warp, kWarps> warps;
  std::array<unsigned, kWarps> late{};  // cycles since the drain could have been acknowledged
  unsigned drains = 0;
  unsigned overtaken = 0;  // drains that ended while later accesses were outstanding
  for (unsigned cycle = 0; cycle < 200000; ++cycle) {
    dut_.begin_i = 0;
    dut_.done_i = 0;
    dut_.done_epoch_i = 0;
    dut_.busy_i = random() % 16 == 0 ? static_cast<unsigned char>(random()) : 0;
    dut_.fence_req_i = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      dut_.fence_req_i |= static_cast<unsigned char>(warps[w].requested ? 1U << w : 0);
    }
    dut_.eval();
    for (unsigned w = 0; w < kWarps; ++w) {
      Warp& warp = warps[w];
      const unsigned bit = 1U << w;
      const bool acknowledged = (dut_.fence_ack_o & bit) != 0;
      const bool busy = (dut_.busy_i & bit) != 0;
      if (!warp.requested || busy) {
        ASSERT_EQ(acknowledged, warp.accesses.empty() && !busy) << "cycle " << cycle;
      } else {
        ASSERT_TRUE(!acknowledged || warp.Drained()) << "cycle " << cycle << ", warp " << w;
        late[w] = warp.Drained() && !acknowledged ? late[w] + 1 : 0;
        ASSERT_LE(late[w], 2U) << "cycle " << cycle << ", warp " << w;
      }
      const bool ended = warp.requested && acknowledged;
      drains += ended ? 1 : 0;
      overtaken += ended && !warp.accesses.empty() ? 1 : 0;
      // Warp 0 always has an access on its way.
      const bool begins = (dut_.full_o & bit) == 0 && (w == 0 || random() % 3 == 0);
      if (!warp.accesses.empty() && random() % 4 == 0) {
        const std::size_t pick = random() % warp.accesses.size();
        dut_.done_i |= static_cast<unsigned char>(bit);
        dut_.done_epoch_i |= static_cast<unsigned char>(warp.accesses[pick].epoch ? bit : 0);
        warp.accesses.erase(warp.accesses.begin() + static_cast<std::ptrdiff_t>(pick));
      }
      if (begins) {
        dut_.begin_i |= static_cast<unsigned char>(bit);
        warp.accesses.push_back({(dut_.epoch_o & bit) != 0, warp.first});
      }
      warp.first = false;
      if (ended) {
        warp.requested = false;
      } else if (!warp.requested && !acknowledged && random() % 8 == 0) {
        warp.requested = warp.first = true;  // from the next cycle on, as the unit does
        for (Access& access : warp.accesses) {
          access.before = true;
        }
      }
    }
    Clock();
  }
  EXPECT_GT(drains, 10000U);
  EXPECT_GT(overtaken, 5000U);
}

TEST_F(Tracker, SaysWhenAWarpIsFull) {
  dut_.begin_i = 4;
  for (unsigned i = 0; i < kMost; ++i) {
    EXPECT_EQ(dut_.full_o, 0) << i;
    Clock();
  }
  EXPECT_EQ(dut_.full_o, 4);
  dut_.begin_i = 0;
  dut_.done_i = 4;
  Clock();
  EXPECT_EQ(dut_.full_o, 0);
}

// A reset while drains wait. Afterwards nothing is outstanding; a request in the first cycle waits
// for the accesses that begin in that cycle, too.
TEST_F(Tracker, ResetAmidADrain) {
  constexpr unsigned kAll = 0xff;
  dut_.begin_i = kAll;
  Clock();
  dut_.begin_i = 0;
  dut_.fence_req_i = kAll;
  Clock();
  Clock();
  EXPECT_EQ(dut_.fence_ack_o, 0);
  dut_.fence_req_i = 0;
  dut_.rst_ni = 0;
  Clock();
  dut_.rst_ni = 1;
  dut_.eval();
  EXPECT_EQ(dut_.fence_ack_o, kAll);
  const unsigned epoch = dut_.epoch_o;
  dut_.fence_req_i = dut_.busy_i = dut_.begin_i = kAll;
  Clock();
  dut_.busy_i = dut_.begin_i = 0;
  for (unsigned cycle = 0; cycle < 4; ++cycle) {
    dut_.eval();
    EXPECT_EQ(dut_.fence_ack_o, 0) << cycle;
    Clock();
  }
  dut_.done_i = kAll;
  dut_.done_epoch_i = static_cast<unsigned char>(epoch);
  Clock();
  dut_.done_i = 0;
  dut_.eval();
  EXPECT_EQ(dut_.fence_ack_o, kAll);
}

// ------------------------------------------------------------------------------------------------
// The template
// ------------------------------------------------------------------------------------------------

constexpr unsigned kSync = 0;
constexpr unsigned kArrive = 1;

class Template : public testing::Test {
 protected:
  Template() {
    dut_.rst_ni = 0;
    Cycle();
    dut_.rst_ni = 1;
    for (unsigned i = 0; i < 16; ++i) {
      Cycle();  // the slots are freed
    }
    dut_.lifecycle_valid_i = 1;
    dut_.warps_i = 3;
    while (!Accepts(dut_.lifecycle_ready_o)) {
    }
    dut_.lifecycle_valid_i = 0;
    Cycle();
  }

  // A cycle; whether `ready` was high in it.
  bool Accepts(const unsigned char& ready) {
    dut_.eval();
    const bool taken = ready != 0;
    Cycle();
    return taken;
  }

  // One cycle of the core: each access is performed `kLatency` cycles after it began.
  void Cycle() {
    dut_.eval();
    const unsigned done = cycle_ % kLatency;
    dut_.access_begin_i = accessing_ & ~dut_.access_full_o;
    dut_.access_done_i = begun_[done];
    dut_.access_done_epoch_i = epochs_[done];
    begun_[done] = dut_.access_begin_i;
    epochs_[done] = dut_.access_epoch_o;
    released_ |= dut_.release_o;
    faulted_ = faulted_ || dut_.fault_o != 0;
    accepted_ += dut_.mb_valid_i != 0 && dut_.mb_ready_o != 0 ? 1 : 0;
    EndCycle(&dut_);
    ++cycle_;
  }

  void Issue(unsigned op, unsigned warp) {
    dut_.issue_valid_i = 1;
    dut_.op_i = static_cast<unsigned char>(op);
    dut_.warp_i = static_cast<unsigned char>(warp);
    dut_.count_i = 64;
    for (unsigned i = 0; i < 100 && !Accepts(dut_.issue_ready_o); ++i) {
    }
    dut_.issue_valid_i = 0;
  }

  // Warp 0 arrives and goes on, warp 1 waits. True if it is released within `cycles`.
  bool Meets(unsigned cycles) {
    Issue(kArrive, 0);
    Issue(kSync, 1);
    for (unsigned i = 0; i < cycles && released_ == 0; ++i) {
      Cycle();
    }
    return released_ == 2 && !faulted_;
  }

  // Arrivals that are pending at the mbarrier, fewer than at first.
  unsigned Arrived() const { return static_cast<unsigned>(dut_.word_o >> 43 & 0xfffff) - 1; }

  // A copy of the warp begins. Its epoch.
  unsigned BeginCopy(unsigned warp) {
    dut_.copy_begin_valid_i = 1;
    dut_.copy_begin_warp_i = static_cast<unsigned char>(warp);
    dut_.eval();
    const unsigned epoch = dut_.copy_begin_epoch_o;
    EXPECT_TRUE(Accepts(dut_.copy_begin_ready_o));
    dut_.copy_begin_valid_i = 0;
    return epoch;
  }

  void EndCopy(unsigned warp, unsigned epoch) {
    dut_.copy_done_valid_i = 1;
    dut_.copy_done_warp_i = static_cast<unsigned char>(warp);
    dut_.copy_done_epoch_i = static_cast<unsigned char>(epoch);
    Cycle();
    dut_.copy_done_valid_i = 0;
  }

  void ArriveAfterCopies(unsigned warp, std::uint32_t lanes) {
    dut_.copy_arrive_valid_i = 1;
    dut_.copy_arrive_warp_i = static_cast<unsigned char>(warp);
    dut_.copy_arrive_lanes_i = lanes;
    EXPECT_TRUE(Accepts(dut_.copy_arrive_ready_o));
    dut_.copy_arrive_valid_i = 0;
  }

  // One lane of warp 0 arrives, or announces an arrive-on of copies.
  void ArriveAtMbarrier(bool copy) {
    dut_.mb_valid_i = 1;
    dut_.mb_copy_arrive_i = copy ? 1 : 0;
    for (unsigned i = 0; i < 100 && !Accepts(dut_.mb_ready_o); ++i) {
    }
    dut_.mb_valid_i = 0;
    Idle();
  }

  void Idle() {
    for (unsigned i = 0; i < 2 * kLatency; ++i) {
      Cycle();
    }
  }

  static constexpr unsigned kLatency = 10;

  VerilatedContext context_;
  Vtemplate_flat dut_{&context_};
  std::uint32_t accessing_ = 0;  // warps that begin an access in every cycle
  std::array<std::uint32_t, kLatency> begun_{};
  std::array<std::uint64_t, kLatency> epochs_{};
  std::uint32_t released_ = 0;
  unsigned accepted_ = 0;  // groups at the mbarrier
  bool faulted_ = false;
  unsigned cycle_ = 0;
};

TEST_F(Template, WarpsMeet) { EXPECT_TRUE(Meets(20)); }

// A warp polls after its arrival: it never has nothing outstanding.
TEST_F(Template, WarpThatPollsDrains) {
  accessing_ = 1;
  for (unsigned i = 0; i < 2 * kLatency; ++i) {
    Cycle();
  }
  EXPECT_TRUE(Meets(4 * kLatency));
}

// It arrives at an mbarrier as fast as it can, with and without a drain of its own.
TEST_F(Template, WarpThatArrivesAtMbarriersDrains) {
  for (const bool releasing : {false, true}) {
    released_ = 0;
    accessing_ = releasing ? 1 : 0;
    dut_.mb_valid_i = 1;
    dut_.mb_releasing_i = releasing ? 1 : 0;
    for (unsigned i = 0; i < 2 * kLatency; ++i) {
      Cycle();
    }
    EXPECT_NE(dut_.mb_busy_o, 0U);
    EXPECT_TRUE(Meets(8 * kLatency)) << releasing;
    const std::uint64_t word = dut_.word_o;
    for (unsigned i = 0; i < 8 * kLatency; ++i) {
      Cycle();
    }
    EXPECT_NE(dut_.word_o, word);  // and goes on arriving afterwards
  }
}

// An arrive-on comes for each lane when the copies before it are performed, in whatever order;
// copies after it do not matter, and barriers do not wait for copies.
TEST_F(Template, CopiesArrive) {
  const std::array<unsigned, 2> before = {BeginCopy(2), BeginCopy(2)};
  ArriveAfterCopies(2, 0b111);
  const unsigned after = BeginCopy(2);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EXPECT_EQ(dut_.copy_busy_o, 1U << 2);
  EXPECT_TRUE(Meets(20));
  EndCopy(2, before[1]);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EndCopy(2, before[0]);
  Idle();
  EXPECT_EQ(Arrived(), 3U);
  EXPECT_EQ(dut_.copy_busy_o, 0U);
  ArriveAfterCopies(2, 1);
  EndCopy(2, after);
  Idle();
  EXPECT_EQ(Arrived(), 4U);
  EXPECT_FALSE(faulted_);
}

// Without .noinc an arrival more is pending from the instruction on, so that the arrive-on is
// made up for.
TEST_F(Template, CopiesArriveWithoutNoinc) {
  ArriveAtMbarrier(false);
  EXPECT_EQ(Arrived(), 1U);
  const unsigned epoch = BeginCopy(0);
  ArriveAtMbarrier(true);
  EXPECT_EQ(Arrived(), 0U);
  EXPECT_EQ(dut_.mb_busy_o, 0U);
  ArriveAfterCopies(0, 1);
  Idle();
  EXPECT_EQ(Arrived(), 0U);
  EndCopy(0, epoch);
  Idle();
  EXPECT_EQ(Arrived(), 1U);
  EXPECT_FALSE(faulted_);
}

// Arrive-ons of copies take their turn among the arrivals of warps in every cycle.
TEST_F(Template, CopiesArriveAmongWarps) {
  dut_.mb_valid_i = 1;
  for (unsigned i = 0; i < 4 * kLatency; ++i) {
    EndCopy(2, BeginCopy(2));
    ArriveAfterCopies(2, 0x80000001);
    for (unsigned j = 0; j < kLatency; ++j) {
      Cycle();
    }
    EXPECT_EQ(dut_.copy_busy_o, 0U) << i;
  }
  dut_.mb_valid_i = 0;
  Idle();
  EXPECT_GT(accepted_, 50U);
  EXPECT_EQ(Arrived(), accepted_ + 4 * kLatency * 2);
  EXPECT_FALSE(faulted_);
}

}  // namespace
}  // namespace muster
