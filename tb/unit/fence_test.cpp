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

constexpr unsigned kWarps = 8;    // of the tracker under test
constexpr unsigned kClasses = 2;  // likewise
constexpr unsigned kMost = 3;     // accesses of a warp and class in one epoch
constexpr unsigned kAll = (1U << kClasses * kWarps) - 1;

struct Access {
  unsigned of;  // its class
  bool epoch;
  bool before;  // it had begun by the first cycle of the request that goes on
};

// What one warp has outstanding, by names.
struct Warp {
  std::vector<Access> accesses;
  bool requested = false;
  bool first = false;    // this is the first cycle of the request
  unsigned classes = 0;  // that it names

  bool Names(const Access& access) const { return (classes >> access.of & 1) != 0; }
  // Nothing of these classes is outstanding.
  bool Idle() const {
    bool idle = true;
    for (const Access& access : accesses) {
      idle = idle && !Names(access);
    }
    return idle;
  }
  // All that the request waits for is performed.
  bool Drained() const {
    bool drained = true;
    for (const Access& access : accesses) {
      drained = drained && !(access.before && Names(access));
    }
    return drained;
  }
};

class Tracker : public Clocked<Vtracker> {
 protected:
  // A cycle of a warp: what is acknowledged is right, and accesses begin, are performed, and are
  // asked to be.
  void Step(unsigned cycle, unsigned w);

  std::mt19937 random_{1};
  std::array<Warp, kWarps> warps_;
  std::array<unsigned, kWarps> late_{};  // cycles since the drain could have been acknowledged
  unsigned drains_ = 0;
  unsigned overtaken_ = 0;  // drains that ended while later accesses were outstanding
  unsigned passed_ = 0;     // likewise, earlier ones of a class that was not named
};

void Tracker::Step(unsigned cycle, unsigned w) {
  Warp& warp = warps_[w];
  const unsigned bit = 1U << w;
  const bool acknowledged = (dut_.fence_ack_o & bit) != 0;
  bool busy = false;
  for (unsigned c = 0; c < kClasses; ++c) {
    busy = busy || ((warp.classes >> c & 1) != 0 && (dut_.busy_i >> c * kWarps & bit) != 0);
  }
  if (!warp.requested || busy) {
    ASSERT_EQ(acknowledged, warp.Idle() && !busy) << "cycle " << cycle;
  } else {
    ASSERT_TRUE(!acknowledged || warp.Drained()) << "cycle " << cycle << ", warp " << w;
    late_[w] = warp.Drained() && !acknowledged ? late_[w] + 1 : 0;
    ASSERT_LE(late_[w], 2U) << "cycle " << cycle << ", warp " << w;
  }
  const bool ended = warp.requested && acknowledged;
  drains_ += ended ? 1 : 0;
  overtaken_ += ended && !warp.Idle() ? 1 : 0;
  for (const Access& access : warp.accesses) {
    passed_ += ended && access.before && !warp.Names(access) ? 1 : 0;
  }
  if (!warp.accesses.empty() && random_() % 3 == 0) {
    const std::size_t pick = random_() % warp.accesses.size();
    const Access& done = warp.accesses[pick];
    dut_.done_i |= static_cast<unsigned short>(bit << done.of * kWarps);
    dut_.done_epoch_i |= static_cast<unsigned short>(done.epoch ? bit << done.of * kWarps : 0);
    warp.accesses.erase(warp.accesses.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  for (unsigned c = 0; c < kClasses; ++c) {
    const unsigned place = bit << c * kWarps;
    // Warp 0 always has an access of each class on its way.
    if ((dut_.full_o & place) == 0 && (w == 0 || random_() % 6 == 0)) {
      dut_.begin_i |= static_cast<unsigned short>(place);
      warp.accesses.push_back({c, (dut_.epoch_o & place) != 0, warp.first});
    }
  }
  warp.first = false;
  if (ended) {
    warp.requested = false;
    for (Access& access : warp.accesses) {
      access.before = false;
    }
  } else if (!warp.requested && !acknowledged && random_() % 8 == 0) {
    warp.requested = warp.first = true;  // from the next cycle on, as the unit does
    for (Access& access : warp.accesses) {
      access.before = true;
    }
  }
}

// Accesses of two classes begin and are performed at random, in any order; drains of some classes
// are requested at random, and stay until they are acknowledged. In every cycle: a drain is
// acknowledged only if nothing of its classes that was there at the request is left, and at the
// latest two cycles after that; without a request, exactly if nothing of the classes is
// outstanding.
TEST_F(Tracker, AcknowledgesWhatWasOutstandingAtTheRequest) {
  for (unsigned cycle = 0; cycle < 200000 && !HasFatalFailure(); ++cycle) {
    dut_.begin_i = 0;
    dut_.done_i = 0;
    dut_.done_epoch_i = 0;
    dut_.busy_i = random_() % 16 == 0 ? static_cast<unsigned short>(random_() & random_()) : 0;
    dut_.fence_req_i = 0;
    dut_.fence_classes_i = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      Warp& warp = warps_[w];
      dut_.fence_req_i |= static_cast<unsigned char>(warp.requested ? 1U << w : 0);
      warp.classes = warp.requested && !warp.first ? warp.classes : random_() % (1U << kClasses);
      for (unsigned c = 0; c < kClasses; ++c) {
        dut_.fence_classes_i |=
            static_cast<unsigned short>((warp.classes >> c & 1) << (c * kWarps + w));
      }
    }
    dut_.eval();
    for (unsigned w = 0; w < kWarps && !HasFatalFailure(); ++w) {
      Step(cycle, w);
    }
    Clock();
  }
  EXPECT_GT(drains_, 10000U);
  EXPECT_GT(overtaken_, 5000U);
  EXPECT_GT(passed_, 5000U);
}

TEST_F(Tracker, SaysWhenAWarpIsFull) {
  for (const unsigned place : {4U, 4U << kWarps}) {
    dut_.begin_i = static_cast<unsigned short>(place);
    for (unsigned i = 0; i < kMost; ++i) {
      EXPECT_EQ(dut_.full_o, 0) << i;
      Clock();
    }
    EXPECT_EQ(dut_.full_o, place);
    dut_.begin_i = 0;
    dut_.done_i = static_cast<unsigned short>(place);
    Clock();
    dut_.done_i = 0;
    EXPECT_EQ(dut_.full_o, 0);
  }
}

// A reset while drains wait. Afterwards nothing is outstanding; a request in the first cycle waits
// for the accesses that begin in that cycle, too.
TEST_F(Tracker, ResetAmidADrain) {
  constexpr unsigned kAllWarps = (1U << kWarps) - 1;
  dut_.fence_classes_i = kAll;
  dut_.begin_i = kAll;
  Clock();
  dut_.begin_i = 0;
  dut_.fence_req_i = kAllWarps;
  Clock();
  Clock();
  EXPECT_EQ(dut_.fence_ack_o, 0);
  dut_.fence_req_i = 0;
  dut_.rst_ni = 0;
  Clock();
  dut_.rst_ni = 1;
  dut_.eval();
  EXPECT_EQ(dut_.fence_ack_o, kAllWarps);
  const unsigned epoch = dut_.epoch_o;
  dut_.fence_req_i = kAllWarps;
  dut_.busy_i = dut_.begin_i = kAll;
  Clock();
  dut_.busy_i = dut_.begin_i = 0;
  for (unsigned cycle = 0; cycle < 4; ++cycle) {
    dut_.eval();
    EXPECT_EQ(dut_.fence_ack_o, 0) << cycle;
    Clock();
  }
  dut_.done_i = kAll;
  dut_.done_epoch_i = static_cast<unsigned short>(epoch);
  Clock();
  dut_.done_i = 0;
  dut_.eval();
  EXPECT_EQ(dut_.fence_ack_o, kAllWarps);
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
