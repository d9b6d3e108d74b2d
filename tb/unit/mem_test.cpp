// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapter to TCDM and OBI between the unit's side of shared memory, which the test plays, and
// a memory that grants and answers as it likes: every read brings what was written last, in a cycle
// of its own, and stays; a request stays until it is granted; and a reset of the unit drops what it
// had asked.
#include <Vobi.h>
#include <Vtcdm.h>
#include <Vtcdm_silent.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>

#include "tb/unit/bus_memory.h"
#include "tb/unit/clocked.h"

namespace muster {
namespace {

constexpr std::uint32_t kWindow = 0x400;  // a CTA's shared memory
constexpr unsigned kCtas = 4;

std::uint32_t BaseOf(unsigned cta) { return 0x10000 + kWindow * cta; }

struct Tcdm : TcdmMemory {
  using Dut = Vtcdm;
};
struct SilentTcdm : SilentTcdmMemory {
  using Dut = Vtcdm_silent;
};
struct Obi : ObiMemory {
  using Dut = Vobi;
};

template <class Bus>
class MemoryAdapter : public testing::Test {
 protected:
  MemoryAdapter() {
    unit_.rst_ni = unit_.unit_rst_ni = 0;
    unit_.eval();  // the first one sees no edge
    Clock();
    unit_.rst_ni = unit_.unit_rst_ni = 1;
    unit_.eval();
  }

  void Clock() { EndCycle(&unit_); }

  std::uint64_t Place(std::uint64_t cta, std::uint32_t address) const {
    return cta << 32 | address;
  }
  std::uint64_t RandomPlace() { return Place(random_() % kCtas, 8 * (random_() % 8)); }

  // The unit's side: a read when the one before has its data, and writes at any time.
  void Present() {
    if (unit_.read_valid_i == 0 && !waits_ && random_() % 2 == 0) {
      unit_.read_valid_i = 1;
      unit_.read_place_i = RandomPlace();
    }
    if (unit_.write_valid_i == 0 && random_() % 3 == 0) {
      unit_.write_valid_i = 1;
      unit_.write_place_i = RandomPlace();
      unit_.write_data_i = random_() * 0x100000001ULL;
    }
    unit_.eval();
    unit_.base_i = BaseOf(unit_.cta_o);
  }

  // The memory's side: it is asked for what the unit asked for, in that order.
  void Serve(bool grants) {
    if (const auto granted = memory_.Serve(grants, &unit_)) {
      EXPECT_FALSE(asked_.empty());
      EXPECT_EQ(granted->address, asked_.front());
      asked_.pop_front();
    }
    EXPECT_EQ(unit_.wen_o, unit_.we_o != 0 ? 0 : 1);
    EXPECT_EQ(unit_.be_o, 0xff);
    EXPECT_EQ(unit_.rready_o, 1);
  }

  // What the unit sees: an answer is that of its read.
  void Observe() {
    if (unit_.rdata_valid_o != 0) {
      EXPECT_TRUE(waits_) << "data that was not asked";
      EXPECT_EQ(unit_.rdata_o, expected_);
      waits_ = false;
      ++answers_;
      kept_ = expected_;
    } else if (kept_) {
      EXPECT_EQ(unit_.rdata_o, *kept_) << "data that do not stay";
    }
    if (unit_.write_valid_i != 0 && unit_.write_ready_o != 0) {
      written_[Address(unit_.write_place_i)] = unit_.write_data_i;
      asked_.push_back(Address(unit_.write_place_i));
      wrote_ = true;
    }
    if (unit_.read_valid_i != 0 && unit_.read_ready_o != 0) {
      EXPECT_FALSE(wrote_) << "a read and a write in one cycle";
      waits_ = true;
      expected_ = written_[Address(unit_.read_place_i)];
      asked_.push_back(Address(unit_.read_place_i));
      read_ = true;
    }
  }

  void Advance() {
    Clock();
    if (wrote_) {
      unit_.write_valid_i = 0;
    }
    if (read_) {
      unit_.read_valid_i = 0;
    }
    wrote_ = read_ = false;
  }

  static std::uint32_t Address(std::uint64_t place) {
    return BaseOf(static_cast<unsigned>(place >> 32)) + static_cast<std::uint32_t>(place);
  }

  VerilatedContext context_;
  typename Bus::Dut unit_{&context_};
  std::mt19937_64 random_{1};
  BusMemory<Bus> memory_;
  std::map<std::uint32_t, std::uint64_t> written_;  // as the unit has written it
  std::deque<std::uint32_t> asked_;                 // addresses of what is not granted
  std::optional<std::uint64_t> kept_;               // data of the last read
  std::uint64_t expected_ = 0;
  std::uint64_t answers_ = 0;
  bool waits_ = false;  // for data
  bool read_ = false, wrote_ = false;
};

using Buses = testing::Types<Tcdm, SilentTcdm, Obi>;
TYPED_TEST_SUITE(MemoryAdapter, Buses);

TYPED_TEST(MemoryAdapter, ReadsWhatWasWritten) {
  for (unsigned cycle = 0; cycle < 100'000 && !this->HasFailure(); ++cycle) {
    this->Present();
    this->Serve(cycle % 1000 < 900);
    this->Observe();
    this->Advance();
  }
  EXPECT_GT(this->answers_, 3'000U);
}

// A memory that grants requests alone; then a reset of both, with a transfer that is requested, or
// granted and not answered.
TYPED_TEST(MemoryAdapter, ResetForgetsWhatTheMemoryOwes) {
  auto& unit = this->unit_;
  unit.gnt_i = unit.rvalid_i = unit.write_valid_i = 0;
  for (unsigned turn = 0; turn < 16; ++turn) {
    unit.read_valid_i = 1;
    unit.read_place_i = this->RandomPlace();
    unit.eval();
    ASSERT_EQ(unit.read_ready_o, 1) << "turn " << turn;
    this->Clock();
    unit.read_valid_i = 0;
    unit.gnt_i = turn % 2;
    unit.eval();
    ASSERT_EQ(unit.req_o, 1) << "turn " << turn;
    if (unit.gnt_i != 0) {
      this->Clock();
      unit.gnt_i = 0;
    }
    unit.rst_ni = unit.unit_rst_ni = 0;
    unit.eval();
    ASSERT_EQ(unit.req_o, 0) << "turn " << turn;
    this->Clock();
    unit.rst_ni = unit.unit_rst_ni = 1;
    unit.eval();
  }
}

// The unit is reset at any moment, for one to four cycles, while the memory goes on.
TYPED_TEST(MemoryAdapter, DropsWhatTheUnitHadAskedBeforeItsReset) {
  unsigned resets = 0;
  unsigned late = 0;  // resets with an answer still to come
  unsigned down = 0;
  for (unsigned cycle = 0; cycle < 100'000 && !this->HasFailure(); ++cycle) {
    if (down == 0 && this->random_() % 32 == 0) {
      down = 1 + this->random_() % 4;
      ++resets;
      late += this->waits_ ? 1 : 0;
    }
    this->unit_.unit_rst_ni = down == 0;
    if (down != 0) {
      this->unit_.read_valid_i = this->unit_.write_valid_i = 0;
      this->waits_ = false;
      this->kept_.reset();
      --down;
      this->Serve(true);
      this->Clock();
      continue;
    }
    this->Present();
    this->Serve(true);
    this->Observe();
    this->Advance();
  }
  EXPECT_GT(resets, 1000U);
  EXPECT_GT(late, 500U);
  EXPECT_GT(this->answers_, 2'500U);
}

}  // namespace
}  // namespace muster
