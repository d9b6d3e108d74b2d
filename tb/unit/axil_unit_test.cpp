// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit with the AXI4-Lite adapter beside it. Operations go into the unit and, as they commit,
// into the golden model; what the registers show is compared with the model.
#include <Vaxil_unit_plain.h>
#include <Vaxil_unit_ports.h>
#include <Vaxil_unit_small.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "rtl/adapters/axil/muster_axil.h"
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/port/structs.h"
#include "tb/unit/axil_bus.h"
#include "tb/unit/clocked.h"

namespace {

// The platform of hang.h: the unit that a test has at hand.
std::function<std::uint32_t(std::uint32_t)> platform_read;
std::function<void(std::uint32_t, std::uint32_t)> platform_write;
std::uint32_t muster_read(std::uint32_t offset) { return platform_read(offset); }
void muster_write(std::uint32_t offset, std::uint32_t value) { platform_write(offset, value); }

#include "rtl/adapters/axil/hang.h"

}  // namespace

namespace muster::axil {
namespace {

constexpr std::size_t kLog = 16;

template <class Verilated>
class System {
 public:
  explicit System(const Config& config) : config_(config), golden_(config) {
    manager_.pace = 12;
    Reset();
  }

  // While nothing is on its way.
  void Reset() {
    golden_.Reset();
    completed_ = waited_ = {};
    dut_.rst_ni = 0;
    dut_.eval();
    Clock();
    dut_.rst_ni = 1;
  }

  // Presents an operation until it is accepted. A lifecycle operation or an exit waits until all
  // others have committed, so that their order is known.
  void Do(const Operation& operation) {
    if (IsLifecycle(operation.kind)) {
      Quiet();
      Present(operation);
      const bool exit = operation.kind == OpKind::kExit;
      dut_.lifecycle_valid_i = exit ? 0 : 1;
      dut_.exit_valid_i = exit ? 1 : 0;
      while (!Cycle().lifecycle) {
      }
      dut_.lifecycle_valid_i = dut_.exit_valid_i = 0;
      leaving_ = operation;
      Quiet();
      return;
    }
    Present(operation);
    dut_.issue_valid_i = 1;
    while (!Cycle().issue) {
    }
    dut_.issue_valid_i = 0;
    inflight_[operation.warp] = operation;
    ++in_flight_;
  }
  void ArriveAtMbarrier(std::uint32_t address) {
    dut_.mb_issue_addr_i = address;
    dut_.mb_issue_valid_i = 1;
    while (!Cycle().mbarrier) {
    }
    dut_.mb_issue_valid_i = 0;
  }

  // Everything that was accepted has committed, and is in the registers.
  void Quiet() {
    while (in_flight_ > 0 || leaving_) {
      Cycle();
    }
    for (unsigned i = 0; i < 8; ++i) {
      Cycle();
    }
  }

  std::uint32_t Read(std::uint32_t address) {
    manager_.Read(address);
    while (!manager_.Idle() && manager_.error().empty()) {
      Cycle();
    }
    const Response response = manager_.reads.back();
    EXPECT_EQ(response.resp, kOkay) << address;
    return response.data;
  }
  void Write(std::uint32_t address, std::uint32_t data) {
    manager_.Write(address, data);
    while (!manager_.Idle() && manager_.error().empty()) {
      Cycle();
    }
    EXPECT_EQ(manager_.writes.back().resp, kOkay) << address;
  }
  bool Interrupt() const { return dut_.irq_o != 0; }

  // The registers against the golden model.
  void CompareFaults() {
    const std::size_t fallen = faults_.size() > kLog ? faults_.size() - kLog : 0;
    lost_ += static_cast<std::uint32_t>(fallen);
    faults_.erase(faults_.begin(), faults_.begin() + static_cast<std::ptrdiff_t>(fallen));
    ASSERT_EQ(Read(MUSTER_AXIL_FAULT_LOST), lost_);
    for (; !faults_.empty(); faults_.pop_front()) {
      const auto& [word, lanes] = faults_.front();
      ASSERT_EQ(Read(MUSTER_AXIL_FAULT), word);
      ASSERT_EQ(Read(MUSTER_AXIL_FAULT_LANES), lanes);
    }
    ASSERT_EQ(Read(MUSTER_AXIL_FAULT), 0U);
  }
  void CompareState() {
    for (unsigned cta = 0; cta < config_.num_ctas; ++cta) {
      const bool resident = golden_.Resident(cta);
      ASSERT_EQ((Read(MUSTER_AXIL_RESIDENT) >> cta) & 1U, resident ? 1U : 0U) << cta;
      for (unsigned bar = 0; bar < kNumBars; ++bar) {
        Write(MUSTER_AXIL_DEBUG_INDEX, cta << 8 | bar);
        ASSERT_EQ(Read(MUSTER_AXIL_DEBUG_ENTRY), resident ? golden_.EntryWord(cta, bar) : 0)
            << cta << ", " << bar;
      }
      for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
        if (((golden_.LiveWarps(cta) >> warp) & 1U) != 0 && resident) {
          Write(MUSTER_AXIL_DEBUG_INDEX, warp << 16);
          ASSERT_EQ(Read(MUSTER_AXIL_DEBUG_WARP),
                    ((golden_.Waiting() >> warp) & 1U) << 9 | 1U << 8 | cta)
              << warp;
        }
      }
    }
    for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
      if (((golden_.Live() >> warp) & 1U) == 0) {
        Write(MUSTER_AXIL_DEBUG_INDEX, warp << 16);
        ASSERT_EQ(Read(MUSTER_AXIL_DEBUG_WARP), 0U) << warp;
      }
    }
  }
  // While no arrival waits.
  void CompareCounters() {
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      ASSERT_EQ(Read(MUSTER_AXIL_COMPLETED(bar)), completed_[bar]) << bar;
      ASSERT_EQ(Read(MUSTER_AXIL_WAITED(bar)), waited_[bar]) << bar;
    }
  }

  const golden::Model& golden() const { return golden_; }
  const std::string& error() const { return manager_.error(); }
  std::array<unsigned, 32> causes{};  // how often each has been seen
  unsigned completions = 0;

 private:
  struct Accepted {
    bool issue, lifecycle, mbarrier;
  };

  void Present(const Operation& operation) {
    sv::issue_t::Put(operation, &dut_.issue_i);
    sv::lifecycle_t::Put(operation, &dut_.lifecycle_i);
    sv::exit_t::Put(operation, &dut_.exit_i);
    dut_.lifecycle_warps_i = static_cast<std::uint16_t>(operation.warps);
  }

  void Clock() { EndCycle(&dut_); }

  Accepted Cycle() {
    SetBus(manager_.Drive(), &dut_);
    dut_.eval();
    manager_.Observe(GetBus(dut_));
    EXPECT_EQ(manager_.error(), "");
    // What is no longer busy committed in the cycle before; a lifecycle operation in the one after
    // its acceptance.
    for (unsigned w = 0; w < config_.num_warps; ++w) {
      if (inflight_[w] && ((dut_.busy_o >> w) & 1U) == 0) {
        Commit(*inflight_[w]);
        inflight_[w].reset();
        --in_flight_;
      }
    }
    if (leaving_ && ++since_accepted_ == 2) {
      Commit(*leaving_);
      leaving_.reset();
      since_accepted_ = 0;
    }
    for (unsigned cta = 0; cta < config_.num_ctas; ++cta) {
      for (unsigned bar = 0; bar < kNumBars && golden_.Resident(cta); ++bar) {
        waited_[bar] += (golden_.EntryWord(cta, bar) >> 12) & 127U;
      }
    }
    const Accepted accepted = {dut_.issue_ready_o != 0,
                               dut_.lifecycle_ready_o != 0 || dut_.exit_ready_o != 0,
                               dut_.mb_issue_ready_o != 0};
    Clock();
    return accepted;
  }

  void Commit(const Operation& operation) {
    const Effects effects = golden_.Step(operation);
    const bool zero = operation.kind == OpKind::kR2bBar && effects.entry_written &&
                      DecodeBarWord(effects.word).kind == 0;
    if (effects.completed || zero) {
      ++completed_[zero ? operation.bar : effects.bar];
      completions += zero ? 0 : 1;
    }
    if (effects.fault == FaultCause::kNone) {
      return;
    }
    const auto cause = static_cast<std::uint32_t>(effects.fault);
    ++causes.at(cause);
    const bool lifecycle = IsLifecycle(operation.kind);
    const bool names_bar = NamesEntry(operation.kind);
    const bool names_warp =
        !lifecycle || operation.kind == OpKind::kExit || operation.kind == OpKind::kJoin;
    faults_.emplace_back(1U << 31 | (lifecycle ? 4U : 0U) << 28 |
                             (names_bar ? static_cast<std::uint32_t>(operation.bar) : 0U) << 24 |
                             (names_warp ? static_cast<std::uint32_t>(operation.warp) : 0U) << 16 |
                             static_cast<std::uint32_t>(operation.cta) << 8 | cause,
                         lifecycle ? 0 : operation.lanes);
  }

  Config config_;
  golden::Model golden_;
  VerilatedContext context_;
  Verilated dut_{&context_};
  Manager manager_{5};
  std::array<std::optional<Operation>, kMaxWarps> inflight_;  // between acceptance and commit
  unsigned in_flight_ = 0;
  std::optional<Operation> leaving_;  // of the lifecycle port or the exit port, likewise
  unsigned since_accepted_ = 0;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> faults_;  // FAULT and FAULT_LANES
  std::uint32_t lost_ = 0;
  std::array<std::uint32_t, kNumBars> completed_{}, waited_{};
};

Operation Lifecycle(OpKind kind, unsigned cta, std::uint64_t warps = 0) {
  Operation operation;
  operation.kind = kind;
  operation.cta = static_cast<std::uint8_t>(cta);
  operation.warps = warps;
  operation.size = static_cast<std::uint8_t>(__builtin_popcountll(warps));
  return operation;
}

Operation Arrival(OpKind kind, unsigned cta, unsigned warp, unsigned bar, unsigned count) {
  Operation operation;
  operation.kind = kind;
  operation.cta = static_cast<std::uint8_t>(cta);
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.bar = static_cast<std::uint8_t>(bar);
  operation.count = static_cast<std::uint16_t>(count);
  operation.lanes = ~0U;
  return operation;
}

// CTAs of random warps come and go; their warps do anything, some of it misuse.
template <class Verilated>
void Agrees(const Config& config) {
  System<Verilated> system(config);
  std::mt19937_64 random(7);
  const auto pick = [&random](std::size_t below) {
    return static_cast<unsigned>(random() % below);
  };
  const std::uint64_t all = (std::uint64_t{1} << config.num_warps) - 1;
  for (unsigned round = 0; round < 200 && !testing::Test::HasFailure(); ++round) {
    std::uint64_t free = all;
    for (unsigned cta = 0; cta < config.num_ctas; ++cta) {
      const std::uint64_t warps = free & (random() | 3U << 2 * cta);
      if (warps == 0) {
        continue;
      }
      free &= ~warps;
      const bool joins = pick(2) == 0;  // its warps join one by one
      system.Do(Lifecycle(joins ? OpKind::kOpen : OpKind::kLaunch, cta, warps));
      for (std::uint64_t left = joins ? warps : 0; left != 0; left &= left - 1) {
        Operation join = Arrival(OpKind::kJoin, cta, First(left), 0, 0);
        join.lanes = pick(8) == 0 ? 0 : ~std::uint32_t{0};
        system.Do(join);
      }
    }
    for (unsigned i = 0; i < 200; ++i) {
      const unsigned warp = pick(config.num_warps);
      unsigned cta = 0;
      while (cta + 1 < config.num_ctas && ((system.golden().LiveWarps(cta) >> warp) & 1U) == 0) {
        ++cta;
      }
      const bool waits = ((system.golden().Waiting() >> warp) & 1U) != 0;
      if (waits && pick(8) != 0) {
        continue;
      }
      constexpr std::array<OpKind, 14> kKinds = {
          OpKind::kSync,        OpKind::kSync,   OpKind::kSync,   OpKind::kArrive,  OpKind::kArrive,
          OpKind::kArrivePhase, OpKind::kWait,   OpKind::kExit,   OpKind::kRedPopc, OpKind::kRedAnd,
          OpKind::kB2rBar,      OpKind::kR2bBar, OpKind::kR2bBar, OpKind::kLaunch};
      Operation operation = Arrival(kKinds[pick(kKinds.size())], cta, warp, pick(4), 32 * pick(5));
      operation.count += pick(32) == 0 ? 1 : 0;
      operation.operand = static_cast<std::uint32_t>(random());
      if (operation.kind == OpKind::kR2bBar) {
        operation.operand = pick(2) == 0 ? 0 : 0x04181000;  // one of three
      }
      if (operation.kind == OpKind::kLaunch) {  // of a slot that is taken, with warps that are free
        operation.warps = free != 0 ? free : 0;
        operation.size = static_cast<std::uint8_t>(__builtin_popcountll(free));
      }
      if (IsLifecycle(operation.kind) && pick(4) != 0) {
        continue;
      }
      if (Has(config, operation.kind)) {
        system.Do(operation);
      }
    }
    system.Quiet();
    ASSERT_NO_FATAL_FAILURE(system.CompareFaults()) << round;
    ASSERT_NO_FATAL_FAILURE(system.CompareState()) << round;
    for (unsigned cta = 0; cta < config.num_ctas; ++cta) {
      if (system.golden().Resident(cta) || pick(4) == 0) {
        system.Do(Lifecycle(OpKind::kEnd, cta));
      }
    }
    system.Quiet();
    ASSERT_NO_FATAL_FAILURE(system.CompareCounters()) << round;
  }
  EXPECT_GT(system.completions, 500U);
  for (const unsigned cause : {1, 2, 4, 6, 7, 8, 9, 20}) {
    EXPECT_GT(system.causes.at(cause), 2U) << cause;
  }
}

Config Small() {
  Config config;
  config.num_warps = 8;
  config.num_ctas = 2;
  return config;
}

TEST(AxilUnit, AgreesWithTheGoldenModel) { Agrees<Vaxil_unit_small>(Small()); }

Config Plain() {
  Config config;
  config.num_warps = 12;
  config.num_ctas = 3;
  config.reduce = config.state = false;
  return config;
}

// Its faults and entries are reported a cycle earlier than those of other units ...
TEST(AxilUnit, AgreesWithoutReductions) { Agrees<Vaxil_unit_plain>(Plain()); }

// A unit with two ports does not agree.
TEST(AxilUnit, AgreesWithTwoPorts) { Agrees<Vaxil_unit_ports>(Plain()); }

// Warp 3 never comes to barrier 1; a count of 33 is refused, and an mbarrier at an odd address.
TEST(AxilUnit, TellsWhyAKernelHangs) {
  System<Vaxil_unit_small> system(Small());
  platform_read = [&system](std::uint32_t offset) { return system.Read(offset); };
  platform_write = [&system](std::uint32_t offset, std::uint32_t value) {
    system.Write(offset, value);
  };
  muster_write(MUSTER_AXIL_IRQ_ENABLE, MUSTER_AXIL_IRQ_ENABLE_FAULT_MASK);
  system.Do(Lifecycle(OpKind::kLaunch, 0, 0x0f));
  system.Do(Lifecycle(OpKind::kLaunch, 1, 0x30));
  for (const unsigned warp : {0, 1, 2}) {
    system.Do(Arrival(OpKind::kSync, 0, warp, 1, 0));
  }
  system.Do(Arrival(OpKind::kArrive, 0, 3, 3, 32));  // completes: an idle entry with phase 1
  system.Do(Arrival(OpKind::kSync, 1, 4, 2, 64));
  system.Quiet();
  EXPECT_FALSE(system.Interrupt());
  system.Do(Arrival(OpKind::kSync, 1, 5, 2, 33));
  system.Quiet();
  EXPECT_TRUE(system.Interrupt());
  system.ArriveAtMbarrier(0x123);
  system.Quiet();
  testing::internal::CaptureStdout();
  muster_hang();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "fault 7: CTA 1, warp 5\n"
            "fault 11: CTA 0, warp 0\n"
            "CTA 0, barrier 1: 3 warps of 0 have arrived\n"
            "CTA 1, barrier 2: 1 warps of 2 have arrived\n"
            "CTA 0, warp 0 waits\n"
            "CTA 0, warp 1 waits\n"
            "CTA 0, warp 2 waits\n"
            "CTA 0, warp 3 does not wait\n"
            "CTA 1, warp 4 waits\n"
            "CTA 1, warp 5 does not wait\n");
  EXPECT_EQ(system.error(), "");
}

}  // namespace
}  // namespace muster::axil
