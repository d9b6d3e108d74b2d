// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The AXI4-Lite adapter, Verilated, against the model of its page: each answer in each cycle.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "rtl/adapters/axil/muster_axil.h"
#include "tb/unit/axil_pins.h"

namespace muster::axil {
namespace {

constexpr std::uint32_t kFirstFree = 0xc0;  // no register from here on

class AxilAdapter : public testing::TestWithParam<Variant> {
 protected:
  AxilAdapter() { Reset(); }

  // Asserted in the middle of a cycle, for some cycles; what must be low is low at once.
  void Reset(unsigned cycles = 1) {
    model_.Reset();
    unit_.Reset();
    manager_.Reset();
    for (unsigned i = 0; i < cycles; ++i) {
      unit_.Begin();
      adapter_->Set(true, manager_.Drive(), unit_.pins(), unit_.shown());
      const Answers answers = adapter_->Get();
      ASSERT_FALSE(answers.bvalid || answers.rvalid || answers.irq);
      adapter_->Clock();
      unit_.Reset();
      manager_.Reset();
    }
  }

  void Cycle() {
    ++cycle_;
    unit_.Begin();
    const Requests requests = manager_.Drive();
    adapter_->Set(false, requests, unit_.pins(), unit_.shown());
    const Answers answers = adapter_->Get();
    Compare(answers);
    manager_.Observe(answers);
    ASSERT_EQ(manager_.error(), "") << "cycle " << cycle_;
    const DebugIndex index = adapter_->Index();
    ASSERT_TRUE(index.cta < GetParam().sizes.ctas && index.warp < GetParam().sizes.warps)
        << "the unit is asked for what it lacks";
    unit_.End(index);
    model_.Step(requests, unit_.shown());
    adapter_->Clock();
  }

  void Compare(const Answers& answers) {
    const Answers& expected = model_.answers();
    ASSERT_EQ(answers.awready, expected.awready) << "cycle " << cycle_;
    ASSERT_EQ(answers.wready, expected.wready) << "cycle " << cycle_;
    ASSERT_EQ(answers.bvalid, expected.bvalid) << "cycle " << cycle_;
    ASSERT_EQ(answers.arready, expected.arready) << "cycle " << cycle_;
    ASSERT_EQ(answers.rvalid, expected.rvalid) << "cycle " << cycle_;
    ASSERT_EQ(answers.irq, expected.irq) << "cycle " << cycle_;
    if (answers.bvalid) {
      ASSERT_EQ(answers.bresp, expected.bresp) << "cycle " << cycle_;
    }
    if (answers.rvalid) {
      ASSERT_EQ(answers.rresp, expected.rresp) << "cycle " << cycle_;
    }
    if (answers.rvalid && !model_.any_data()) {
      ASSERT_EQ(answers.rdata, expected.rdata) << "cycle " << cycle_;
    }
  }

  void Cycles(unsigned cycles) {
    for (unsigned i = 0; i < cycles && !HasFailure(); ++i) {
      Cycle();
    }
  }
  void Settle() {
    for (unsigned i = 0; i < 1000 && !manager_.Idle() && !HasFailure(); ++i) {
      Cycle();
    }
    ASSERT_TRUE(manager_.Idle());
  }

  Response Read(std::uint32_t address) {
    manager_.reads.clear();
    manager_.Read(address);
    Settle();
    return manager_.reads.empty() ? Response{} : manager_.reads.back();
  }
  unsigned Write(std::uint32_t address, std::uint32_t data, std::uint32_t strobes = 15) {
    manager_.writes.clear();
    manager_.Write(address, data, strobes);
    Settle();
    return manager_.writes.empty() ? ~0U : manager_.writes.back().resp;
  }

  std::uint32_t RandomAddress() {
    const auto bits = static_cast<std::uint32_t>(random_());
    switch (random_() % 8) {
      case 0:
        return bits & 0xfff;
      case 1:
        return MUSTER_AXIL_FAULT | (bits & 3U);
      case 2:
        return MUSTER_AXIL_DEBUG_ENTRY;
      default:
        return bits % (kFirstFree + 8);
    }
  }
  void RandomAccess() {
    const auto data = static_cast<std::uint32_t>(random_());
    const std::uint32_t strobes = random_() % 4 == 0 ? data >> 28 : 15;
    switch (random_() % 8) {
      case 0:
        manager_.Write(RandomAddress(), data, strobes);
        break;
      case 1:  // mostly of what is there
        manager_.Write(MUSTER_AXIL_DEBUG_INDEX,
                       data % 64 << 16 | data % (GetParam().sizes.ctas + 1) << 8 | data % 2,
                       strobes);
        break;
      case 2:  // counters and log are rarely cleared
        manager_.Write(MUSTER_AXIL_CONTROL, random_() % 16 == 0 ? data : data & 1U, strobes);
        break;
      default:
        manager_.Read(RandomAddress());
        break;
    }
  }

  // Everything at random, the bus now slow and now fast, one access at a time or many.
  // With resets there are many at some times, and few at others.
  void RandomTraffic(unsigned cycles, bool resets) {
    unit_.updates = 40;
    unit_.lifecycles = resets ? 20 : 2;
    unsigned rest = 1000;
    for (unsigned i = 0; i < cycles && !HasFailure(); ++i) {
      if (i % 256 == 0) {
        manager_.pace = 2 + 2 * static_cast<unsigned>(random_() % 8);
        many_ = random_() % 2 == 0;
        rest = random_() % 4 == 0 ? 20 : 400;
        // Faults are many or few, at all ports or at one of them.
        const std::size_t one = random_() % 8;
        const unsigned faults = random_() % 4 == 0 ? 20 : static_cast<unsigned>(random_() % 2);
        for (std::size_t p = 0; p < unit_.faults.size(); ++p) {
          unit_.faults[p] = one >= unit_.faults.size() ? faults : p == one ? 60 : 0;
        }
      }
      if (resets && random_() % rest == 0) {
        Reset(1 + static_cast<unsigned>(random_() % 3));
      }
      if (many_ ? random_() % 4 == 0 : manager_.Idle()) {
        RandomAccess();
      }
      served_ += static_cast<unsigned>(manager_.reads.size() + manager_.writes.size());
      manager_.reads.clear();
      manager_.writes.clear();
      Cycle();
    }
    if (!HasFailure()) {
      Settle();
    }
  }

  // The lifecycle port names no lanes, and mbarriers no barrier.
  Fault FaultOf(unsigned port, unsigned warp) const {
    Fault fault = {port, 3, 1, warp, 0, 0, 0};
    fault.bar = port < kLifecycle ? 7 : 0;
    fault.lanes = port == kLifecycle ? 0 : 0xf0f00000U | warp;
    fault.address = port < kMbarriers ? 0 : 0x128;
    return fault;
  }

  std::unique_ptr<Adapter> adapter_ = GetParam().make();
  Model model_{GetParam().sizes};
  PlayedUnit unit_{GetParam().sizes, 1};
  Manager manager_{2};
  std::mt19937_64 random_{3};
  unsigned cycle_ = 0;
  unsigned served_ = 0;
  bool many_ = false;
};

std::string NameOf(const testing::TestParamInfo<Variant>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Axil, AxilAdapter, testing::ValuesIn(Variants()), NameOf);

TEST_P(AxilAdapter, EveryAddress) {
  for (std::uint32_t address = 0; address < 0x1000; address += 4) {
    const bool there = address < kFirstFree;
    const bool writable = address == MUSTER_AXIL_CONTROL || address == MUSTER_AXIL_IRQ_PENDING ||
                          address == MUSTER_AXIL_IRQ_ENABLE || address == MUSTER_AXIL_DEBUG_INDEX;
    const Response first = Read(address);
    ASSERT_EQ(first.resp, there ? kOkay : kSlvErr) << address;
    ASSERT_TRUE(address < 0x10 || address == MUSTER_AXIL_FAULT_STATUS || first.data == 0)
        << address;
    ASSERT_EQ(Write(address, ~0U), writable ? kOkay : kSlvErr) << address;
    ASSERT_EQ(Write(address, ~0U, 0), writable ? kOkay : kSlvErr) << address;
    const bool kept = address == MUSTER_AXIL_CONTROL || address == MUSTER_AXIL_IRQ_ENABLE ||
                      address == MUSTER_AXIL_DEBUG_INDEX;
    ASSERT_EQ(Read(address).data != first.data, kept) << address;
  }
}

TEST_P(AxilAdapter, SaysWhatTheUnitIs) {
  const Sizes& sizes = GetParam().sizes;
  EXPECT_EQ(Read(MUSTER_AXIL_ID).data, 0x4d555354U);
  EXPECT_EQ(Read(MUSTER_AXIL_VERSION).data, MUSTER_AXIL_TEST_VERSION);
  EXPECT_EQ(Read(MUSTER_AXIL_CONFIG).data, sizes.issue << 16 | sizes.ctas << 8 | sizes.warps);
  EXPECT_EQ(Read(MUSTER_AXIL_FEATURES).data, sizes.features);
}

TEST_P(AxilAdapter, StrobesChooseBytes) {
  Write(MUSTER_AXIL_DEBUG_INDEX, 0xffffffff);
  EXPECT_EQ(Read(MUSTER_AXIL_DEBUG_INDEX).data, 0x003f1f0fU);
  Write(MUSTER_AXIL_DEBUG_INDEX, 0x00120305, 0b0010);
  EXPECT_EQ(Read(MUSTER_AXIL_DEBUG_INDEX).data, 0x003f030fU);
  Write(MUSTER_AXIL_DEBUG_INDEX, 0x00120405, 0b0101);
  EXPECT_EQ(Read(MUSTER_AXIL_DEBUG_INDEX).data, 0x00120305U);
  Write(MUSTER_AXIL_IRQ_ENABLE, 3, 0b1110);
  EXPECT_EQ(Read(MUSTER_AXIL_IRQ_ENABLE).data, 0U);
}

TEST_P(AxilAdapter, FaultsOfOneCycleComeInOrder) {
  std::vector<unsigned> ports;
  for (unsigned p = 0; p < GetParam().sizes.issue; ++p) {
    ports.push_back(p);
  }
  ports.push_back(kLifecycle);
  ports.push_back(kMbarriers + 1);
  for (unsigned turn = 0; turn < 2; ++turn) {
    for (const unsigned port : ports) {
      unit_.inject.push_back(FaultOf(port, turn));
    }
    Cycle();
  }
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_STATUS).data, 2 * ports.size());
  for (unsigned turn = 0; turn < 2; ++turn) {
    for (const unsigned port : ports) {
      const Fault fault = FaultOf(port, turn);
      EXPECT_EQ(Read(MUSTER_AXIL_FAULT).data,
                1U << 31 | port << 28 | fault.bar << 24 | turn << 16 | 1U << 8 | 3U);
      EXPECT_EQ(Read(MUSTER_AXIL_FAULT_LANES).data, fault.lanes);
      EXPECT_EQ(Read(MUSTER_AXIL_FAULT_ADDRESS).data, fault.address);
    }
  }
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_STATUS).data, MUSTER_AXIL_FAULT_STATUS_EMPTY_MASK);
  for (const auto address :
       {MUSTER_AXIL_FAULT, MUSTER_AXIL_FAULT_LANES, MUSTER_AXIL_FAULT_ADDRESS}) {
    EXPECT_EQ(Read(address).data, 0U);
  }
}

TEST_P(AxilAdapter, LogKeepsTheLast16) {
  for (unsigned i = 0; i < 20; ++i) {
    unit_.inject = {FaultOf(i % 2 == 0 ? 0 : kMbarriers, i)};
    Cycle();
  }
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_STATUS).data, 0x610U);  // lost, full, 16
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_LOST).data, 4U);
  for (unsigned i = 4; i < 20; ++i) {
    EXPECT_EQ(Read(MUSTER_AXIL_FAULT).data >> 16 & 63U, i);
  }
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT).data, 0U);
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_STATUS).data, 0x500U);  // lost, empty
  Write(MUSTER_AXIL_CONTROL, MUSTER_AXIL_CONTROL_CLEAR_FAULTS_MASK);
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_STATUS).data, 0x100U);
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_LOST).data, 0U);
}

TEST_P(AxilAdapter, InterruptIsALevel) {
  unit_.inject = {FaultOf(0, 0)};
  Cycles(2);
  EXPECT_FALSE(adapter_->Get().irq);  // not enabled
  EXPECT_EQ(Read(MUSTER_AXIL_IRQ_PENDING).data, 1U);
  Write(MUSTER_AXIL_IRQ_ENABLE, 1);
  EXPECT_TRUE(adapter_->Get().irq);
  Write(MUSTER_AXIL_IRQ_PENDING, 2);  // another bit
  EXPECT_TRUE(adapter_->Get().irq);
  Write(MUSTER_AXIL_IRQ_PENDING, 1);
  EXPECT_FALSE(adapter_->Get().irq);
  Write(MUSTER_AXIL_IRQ_ENABLE, 2);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_FALSE(adapter_->Get().irq) << i;
    unit_.inject = {FaultOf(0, i)};
    Cycle();
  }
  Cycle();
  EXPECT_TRUE(adapter_->Get().irq);  // the first was replaced
  EXPECT_EQ(Read(MUSTER_AXIL_IRQ_PENDING).data, 3U);
}

// An entry: one warp for ten cycles, three for five, and it completes; then two warps for seven,
// and their CTA leaves.
TEST_P(AxilAdapter, CountersByHand) {
  const bool counts = GetParam().sizes.counters;
  unit_.lifecycle = {{0, 1}};
  Cycles(20);
  EXPECT_EQ(Read(MUSTER_AXIL_RESIDENT).data, 2U);
  const auto waits = [this] {
    unit_.update = {{1, 3, 0x04181000}};
    Cycles(10);
    unit_.update = {{1, 3, 0x04183000}};
    Cycles(5);
    unit_.update = {{1, 3, 0}};
    Cycles(8);
  };
  waits();
  EXPECT_EQ(Read(MUSTER_AXIL_COMPLETED(3)).data, counts ? 1U : 0U);
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(3)).data, counts ? 25U : 0U);
  Write(MUSTER_AXIL_CONTROL, MUSTER_AXIL_CONTROL_FREEZE_MASK);
  waits();
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(3)).data, counts ? 25U : 0U);
  Write(MUSTER_AXIL_CONTROL, MUSTER_AXIL_CONTROL_CLEAR_COUNTERS_MASK);
  EXPECT_EQ(Read(MUSTER_AXIL_COMPLETED(3)).data, 0U);
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(3)).data, 0U);
  unit_.update = {{1, 3, 0x04182000}};
  Cycle();
  unsigned waited = 1;
  unit_.lifecycle = {{3, 1}};
  for (; !unit_.pins().commit_lifecycle; ++waited) {
    Cycle();
  }
  Cycles(8);
  EXPECT_EQ(Read(MUSTER_AXIL_COMPLETED(3)).data, 0U);
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(3)).data, counts ? 2 * (waited - 1) : 0U);
  EXPECT_EQ(Read(MUSTER_AXIL_RESIDENT).data, 0U);
}

// The largest unit has all of its CTAs at one barrier.
TEST_P(AxilAdapter, CountersStopAtTheirLargestValue) {
  const Sizes& sizes = GetParam().sizes;
  if (!sizes.counters || sizes.ctas < kMaxCtas) {
    return;
  }
  for (unsigned cta = 0; cta < sizes.ctas; ++cta) {
    unit_.lifecycle.emplace_back(0, cta);
    Cycles(20);
    unit_.update.push_back({cta, 0, 0x04000000 | (sizes.warps - 1) << 12});
  }
  constexpr std::uint32_t kNear = 0xfffff000;
  while (!HasFailure() && Read(MUSTER_AXIL_WAITED(0)).data < kNear) {
    Cycles(1000);
  }
  Cycles(10);
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(0)).data, ~0U);
  EXPECT_EQ(Read(MUSTER_AXIL_WAITED(1)).data, 0U);
}

TEST_P(AxilAdapter, LostFaultsStopAtTheirLargestNumber) {
  for (unsigned i = 0; i < 0x10000 + 20 && !HasFailure(); ++i) {
    unit_.inject = {FaultOf(0, i % 64), FaultOf(kMbarriers, i % 64)};
    Cycle();
  }
  EXPECT_EQ(Read(MUSTER_AXIL_FAULT_LOST).data, 0xffffU);
}

TEST_P(AxilAdapter, RandomTraffic) {
  RandomTraffic(400000, false);
  EXPECT_GT(served_, 10000U);
  EXPECT_GT(model_.refused, 500U);
  EXPECT_GT(model_.late_reports, 500U);
  EXPECT_GT(model_.lost_in_all, 1000U);
  EXPECT_GE(unit_.most_at_once, GetParam().sizes.issue + 1);
}

TEST_P(AxilAdapter, ResetAtAnyMoment) {
  RandomTraffic(100000, true);
  EXPECT_GT(served_, 3000U);
}

}  // namespace
}  // namespace muster::axil
