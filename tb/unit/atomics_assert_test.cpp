// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The assertions at the ports of the atomics, and of what brings them updates of other CTAs: what
// is presented is held until ready, says whose it is, and has both of its halves.
#include <gtest/gtest.h>

#include "Vremote_split.h"
#include "sim/lockstep/verilated_pins.h"
#include "tb/unit/atomics_types.h"
#include "tb/unit/atomics_units.h"
#include "tb/unit/clocked.h"

namespace muster::atomics {
namespace {

// A port: of the core's warps, or of other CTAs.
class AtomicsAssertions : public Clocked<Vatomics_small>, public testing::WithParamInterface<bool> {
 protected:
  AtomicsAssertions() {
    context_.fatalOnError(false);  // a failing assertion is an error
    update_ = Update(AtomicOp::kAdd, AtomicSize::k32, 16, 1);
    update_.from.remote = GetParam();
    in_.fence_ack = ~std::uint64_t{0};
    in_.read_ready = false;  // so the second update stays at its port
  }

  void Cycle() {
    in_.issue_valid = !GetParam() && presents_;
    in_.remote_valid = GetParam() && presents_;
    (GetParam() ? in_.remote : in_.issue) = update_;
    lockstep::DriveScope(kShape<Vatomics_small>, in_, &dut_);
    dut_.eval();
    Clock();
  }
  bool Fails() {
    Cycle();
    return context_.gotError();
  }
  // An update waits at the port.
  void Fill() {
    for (unsigned i = 0; i < 4; ++i) {
      Cycle();
    }
    EXPECT_FALSE(context_.gotError());
  }
  void PresentHalves() {
    update_ = Update(AtomicOp::kExch, AtomicSize::k128, 32, 1);
    update_.from.remote = GetParam();
    EXPECT_FALSE(Fails());
    update_.upper = true;
  }

  AtomicInputs in_;
  AtomicUpdate update_;
  bool presents_ = true;
};

TEST_P(AtomicsAssertions, ChangedUpdate) {
  Fill();
  ++update_.operand;
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, UpdateTakenBack) {
  Fill();
  presents_ = false;
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, UpdateOfTheOtherPort) {
  update_.from.remote = !GetParam();
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, OperationThatTheBlockLacks) {
  update_.size = AtomicSize::k128;
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, UpperHalfThatFollows) {
  PresentHalves();
  EXPECT_FALSE(Fails());
}

TEST_P(AtomicsAssertions, UpperHalfElsewhere) {
  PresentHalves();
  update_.addr = 48;
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, LowerHalfAlone) {
  PresentHalves();
  update_.size = AtomicSize::k64;
  update_.upper = false;
  EXPECT_TRUE(Fails());
}

TEST_P(AtomicsAssertions, UpperHalfAlone) {
  update_ = Update(AtomicOp::kExch, AtomicSize::k128, 32, 1);
  update_.from.remote = GetParam();
  update_.upper = true;
  EXPECT_TRUE(Fails());
}

INSTANTIATE_TEST_SUITE_P(Ports, AtomicsAssertions, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("Remote") : std::string("Issue");
});

class SplitAssertions : public Clocked<Vremote_split> {
 protected:
  SplitAssertions() {
    context_.fatalOnError(false);
    dut_.valid_i = 1;
    message_.lanes = 1;
  }

  bool Fails() {
    lockstep::PutStruct<sv::mb_remote_t>(message_, 0, &dut_.remote_i);
    lockstep::PutStruct<sv::at_remote_t>(update_, 0, &dut_.atomic_i);
    dut_.eval();
    Clock();
    return context_.gotError();
  }

  MbOperation message_;
  RemoteAtomic update_;
};

TEST_F(SplitAssertions, ChangedOperation) {
  EXPECT_FALSE(Fails());
  ++message_.operand;
  EXPECT_TRUE(Fails());
}

TEST_F(SplitAssertions, ChangedUpdate) {
  update_.valid = true;
  EXPECT_FALSE(Fails());
  ++update_.compare_upper;
  EXPECT_TRUE(Fails());
}

TEST_F(SplitAssertions, ChangedSender) {
  EXPECT_FALSE(Fails());
  dut_.unit_i = 1;
  EXPECT_TRUE(Fails());
}

TEST_F(SplitAssertions, NeitherUpdateNorOperation) {
  message_.lanes = 0;
  EXPECT_TRUE(Fails());
}

}  // namespace
}  // namespace muster::atomics
