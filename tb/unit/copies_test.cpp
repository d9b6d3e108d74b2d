// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tracker of cp.async.mbarrier.arrive, against a copy engine that knows each copy by name: an
// arrive-on comes after every copy that its warp began before the instruction, once for each lane,
// and soon.
#include <Vcopies.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tb/unit/clocked.h"

namespace muster {
namespace {

constexpr unsigned kWarps = 6;        // of the tracker under test
constexpr unsigned kEpochs = 4;       // of each
constexpr unsigned kMost = 3;         // copies of a warp in one epoch
constexpr std::uint32_t kArrive = 2;  // MbArrive

struct Copy {
  unsigned number;
  unsigned epoch;
};

// A cp.async.mbarrier.arrive that has been accepted.
struct Instruction {
  unsigned lanes;         // whose arrive-ons have not come
  std::uint32_t address;  // of the mbarrier
  unsigned before;        // copies of the warp below this number began before it
};

struct Warp {
  std::vector<Copy> copies;  // on their way
  std::deque<Instruction> instructions;
  unsigned next = 0;  // number of the next copy

  bool Due() const {
    bool due = !instructions.empty();
    for (const Copy& copy : copies) {
      due = due && copy.number >= instructions.front().before;
    }
    return due;
  }
};

class CopyTracker : public Clocked<Vcopies> {
 protected:
  // Each warp has a word of its own, so that an arrive-on tells whose it is.
  static std::uint32_t AddressOf(unsigned warp, unsigned turn) {
    return 0x1000 * warp + 8 * (turn % 512);
  }

  void Begin(unsigned warp) {
    dut_.begin_valid_i = 1;
    dut_.begin_warp_i = static_cast<unsigned char>(warp);
    dut_.eval();
    if (dut_.begin_ready_o != 0) {
      warps_[warp].copies.push_back({warps_[warp].next++, dut_.begin_epoch_o});
    }
  }

  void End(unsigned warp, std::size_t pick) {
    Warp& of = warps_[warp];
    dut_.done_valid_i = 1;
    dut_.done_warp_i = static_cast<unsigned char>(warp);
    dut_.done_epoch_i = static_cast<unsigned char>(of.copies[pick].epoch);
    of.copies.erase(of.copies.begin() + static_cast<std::ptrdiff_t>(pick));
  }

  void Arrive(unsigned warp, std::uint32_t lanes, std::uint32_t address) {
    dut_.arrive_valid_i = 1;
    dut_.arrive_warp_i = static_cast<unsigned char>(warp);
    dut_.arrive_lanes_i = lanes;
    dut_.arrive_place_i = std::uint64_t{warp} << 32 | address;  // the CTA slot is the warp's number
    dut_.eval();
    if (dut_.arrive_ready_o != 0) {
      warps_[warp].instructions.push_back(
          {static_cast<unsigned>(__builtin_popcount(lanes)), address, warps_[warp].next});
    }
  }

  // An arrive-on that is taken in this cycle. `due`: the warps whose oldest one was due before it.
  void Take(unsigned due) {
    const std::uint32_t address = dut_.async_o[1];
    const unsigned warp = dut_.async_o[2] & 31;
    ASSERT_EQ(dut_.async_o[0], 1U) << "arrives once";
    ASSERT_EQ(dut_.async_o[2] >> 5, kArrive);
    ASSERT_LT(warp, kWarps);
    ASSERT_NE(due >> warp & 1, 0U) << "warp " << warp << ": before its copies";
    Instruction& first = warps_[warp].instructions.front();
    ASSERT_EQ(address, first.address) << "warp " << warp << ": out of order";
    if (--first.lanes == 0) {
      warps_[warp].instructions.pop_front();
    }
  }

  std::array<Warp, kWarps> warps_;
};

// Copies begin and end at random, in any order; instructions are presented at random, and the unit
// takes arrive-ons at random. In every cycle: what goes out is due; and where the unit always takes
// them, one that is due does not wait for longer than all others of a round.
TEST_F(CopyTracker, ArrivesAfterTheCopiesBeforeIt) {
  std::mt19937 random(1);
  std::array<unsigned, kWarps> waited{};
  unsigned arrivals = 0;
  unsigned overtaken = 0;  // instructions that were done while later copies were on their way
  unsigned full = 0;       // instructions that waited for an epoch
  for (unsigned cycle = 0; cycle < 300000; ++cycle) {
    const bool taking = cycle % 4096 < 2048;  // the unit always takes them
    unsigned due = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      due |= warps_[w].Due() ? 1U << w : 0;
      ASSERT_EQ(dut_.busy_o >> w & 1, warps_[w].instructions.empty() ? 0 : 1) << "cycle " << cycle;
      waited[w] = taking && cycle % 4096 > 300 && (due >> w & 1) != 0 ? waited[w] + 1 : 0;
      ASSERT_LE(waited[w], 5 * kWarps) << "cycle " << cycle << ", warp " << w;
    }
    dut_.begin_valid_i = dut_.done_valid_i = dut_.arrive_valid_i = 0;
    dut_.async_ready_i = taking || random() % 4 == 0 ? 1 : 0;
    dut_.eval();
    const bool taken = dut_.async_valid_o != 0 && dut_.async_ready_i != 0;
    const unsigned ender = random() % kWarps;
    if (!warps_[ender].copies.empty() && random() % 4 != 0) {
      End(ender, random() % warps_[ender].copies.size());
    }
    if (random() % 2 == 0) {
      Begin(random() % kWarps);
    }
    if (random() % 4 == 0) {
      const unsigned warp = random() % kWarps;
      const std::uint32_t lanes = 1U << random() % 32 | (random() % 8 == 0 ? 0x10001U : 0);
      Arrive(warp, lanes, AddressOf(warp, random()));
      full += dut_.arrive_ready_o == 0 ? 1 : 0;
    }
    if (taken) {
      const unsigned warp = dut_.async_o[2] & 31;
      const std::size_t before = warps_[warp].instructions.size();
      Take(due);
      if (HasFatalFailure()) {
        FAIL() << "cycle " << cycle;
      }
      ++arrivals;
      waited[warp] = 0;
      overtaken +=
          warps_[warp].instructions.size() < before && !warps_[warp].copies.empty() ? 1 : 0;
    }
    Clock();
  }
  EXPECT_GT(arrivals, 30000U);
  EXPECT_GT(overtaken, 5000U);
  EXPECT_GT(full, 1000U);
}

TEST_F(CopyTracker, WithoutCopiesItArrivesAtOnce) {
  Arrive(3, 0b101, 0x40);
  EXPECT_EQ(dut_.arrive_ready_o, 1);
  Clock();
  dut_.arrive_valid_i = 0;
  dut_.async_ready_i = 1;
  dut_.eval();
  for (unsigned cycle = 1; cycle <= 5; ++cycle) {  // chosen, read, two lanes
    EXPECT_EQ(dut_.async_valid_o, cycle == 3 || cycle == 4 ? 1 : 0) << cycle;
    EXPECT_EQ(dut_.busy_o, cycle < 5 ? 1 << 3 : 0) << cycle;
    Clock();
  }
}

// An epoch that is full, and a warp whose epochs are all closed, hold up that warp and no other.
TEST_F(CopyTracker, SaysWhatIsFull) {
  for (unsigned i = 0; i < kMost; ++i) {
    Begin(1);
    EXPECT_EQ(dut_.begin_ready_o, 1) << i;
    Clock();
  }
  Begin(1);
  EXPECT_EQ(dut_.begin_ready_o, 0);
  dut_.begin_warp_i = 2;
  dut_.eval();
  EXPECT_EQ(dut_.begin_ready_o, 1);
  dut_.begin_valid_i = 0;
  for (unsigned i = 0; i + 1 < kEpochs; ++i) {
    Arrive(1, 1, 8 * i);
    EXPECT_EQ(dut_.arrive_ready_o, 1) << i;
    Clock();
  }
  Arrive(1, 1, 0);
  EXPECT_EQ(dut_.arrive_ready_o, 0);
  dut_.arrive_warp_i = 2;
  dut_.eval();
  EXPECT_EQ(dut_.arrive_ready_o, 1);
}

// A reset in each cycle of copies and arrive-ons. Afterwards there are none, and the next ones are
// tracked as ever.
TEST_F(CopyTracker, ResetAtAnyMoment) {
  const auto end_cycle = [&] {
    dut_.eval();
    Clock();
    dut_.begin_valid_i = dut_.done_valid_i = dut_.arrive_valid_i = 0;
  };
  for (unsigned cycles = 0; cycles < 30; ++cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      const unsigned warp = i % kWarps;
      dut_.async_ready_i = i % 3 == 0 ? 1 : 0;
      Begin((i + 1) % kWarps);
      Arrive(warp, 0b111, AddressOf(warp, i));
      if (!warps_[warp].copies.empty() && i % 2 == 0) {
        End(warp, 0);
      }
      end_cycle();
    }
    warps_ = {};
    dut_.async_ready_i = 0;
    dut_.rst_ni = 0;
    Clock();
    dut_.rst_ni = 1;
    dut_.eval();
    EXPECT_EQ(dut_.busy_o, 0);
    EXPECT_EQ(dut_.async_valid_o, 0);
    dut_.async_ready_i = 1;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      for (unsigned copy = 0; copy < kMost; ++copy) {
        Begin(warp);
        EXPECT_NE(dut_.begin_ready_o, 0);
        end_cycle();
      }
      Arrive(warp, 1, AddressOf(warp, 500));
      end_cycle();
      while (!warps_[warp].copies.empty()) {
        EXPECT_EQ(dut_.async_valid_o, 0);
        End(warp, 0);
        end_cycle();
      }
      unsigned arrivals = 0;
      for (unsigned wait = 0; wait < 8; ++wait) {
        if (dut_.async_valid_o != 0) {
          Take(1U << warp);
          ++arrivals;
        }
        end_cycle();
      }
      EXPECT_EQ(arrivals, 1U);
    }
    EXPECT_EQ(dut_.busy_o, 0);
    ASSERT_FALSE(HasFailure()) << "reset after " << cycles << " cycles";
  }
}

}  // namespace
}  // namespace muster
