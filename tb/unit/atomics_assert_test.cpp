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

TEST_P(AtomicsAssertions, UpperHalfThatFollows) {
  PresentHalves();
  EXPECT_FALSE(Fails());
}

// Meanwhile the port shows something else, which is not presented.
TEST_P(AtomicsAssertions, UpperHalfThatFollowsLater) {
  PresentHalves();
  presents_ = false;
  AtomicUpdate other = update_;
  other.addr = 48;
  lockstep::PutStruct<sv::at_update_t>(other, 0, GetParam() ? &dut_.remote_i : &dut_.issue_i);
  EXPECT_FALSE(Fails());
  EXPECT_FALSE(Fails());
  presents_ = true;
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

// Of each variant, what it has is presented at either port, and what it lacks.
template <typename Unit>
class AtomicsOperations : public testing::Test {
 protected:
  static bool Fails(bool remote, AtomicUpdate update) {
    VerilatedContext context;
    context.fatalOnError(false);
    Unit dut(&context);
    AtomicInputs in;
    in.issue_valid = !remote;
    in.remote_valid = remote;
    update.from.remote = remote;
    (remote ? in.remote : in.issue) = update;
    for (const bool out_of_reset : {false, true}) {
      lockstep::DriveScope(kShape<Unit>, out_of_reset ? in : AtomicInputs(), &dut);
      dut.rst_ni = static_cast<std::uint8_t>(out_of_reset);
      dut.eval();
      EndCycle(&dut);
    }
    return context.gotError();
  }
};

using Variants = testing::Types<Vatomics_small, Vatomics_full, Vatomics_one, Vatomics_bare>;
TYPED_TEST_SUITE(AtomicsOperations, Variants);

TYPED_TEST(AtomicsOperations, OnlyThoseOfTheVariant) {
  const Shape& shape = kShape<TypeParam>;
  for (unsigned op = 0; op < kNumAtomicOps; ++op) {
    for (const AtomicSize size :
         {AtomicSize::k16, AtomicSize::k32, AtomicSize::k64, AtomicSize::k128}) {
      const AtomicUpdate update = Update(static_cast<AtomicOp>(op), size, 32, 1);
      const bool has = IsOne(update.op, size, false, shape.floats, shape.has_128);
      for (const bool remote : {false, true}) {
        EXPECT_EQ(this->Fails(remote, update), !has) << Name(update.op) << " of " << BytesOf(size);
      }
    }
  }
}

// What stands at the ports counts if it is presented.
TEST(AtomicsPorts, NothingIsPresented) {
  VerilatedContext context;
  Vatomics_small dut(&context);
  AtomicUpdate update = Update(AtomicOp::kAdd, AtomicSize::k32, 16, 1);
  update.from.remote = true;
  for (unsigned cycle = 0; cycle < 8; ++cycle) {
    dut.rst_ni = static_cast<std::uint8_t>(cycle != 0);
    lockstep::PutStruct<sv::at_update_t>(update, 0, &dut.issue_i);
    dut.eval();
    EndCycle(&dut);
    EXPECT_EQ(dut.remote_busy_o, 0);
    EXPECT_EQ(dut.busy_o, 0);
    EXPECT_EQ(dut.active_o, 0);
  }
}

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

// The atomics say twice that an update has committed, but one operation waits.
TEST_F(SplitAssertions, CommitTwice) {
  update_.valid = true;
  dut_.update_ready_i = 1;
  EXPECT_FALSE(Fails());
  dut_.valid_i = 0;
  AtomicOutputs atomics;
  atomics.commit_valid = atomics.commit.completes = atomics.commit.written = true;
  lockstep::PutStruct<sv::at_commit_t>(atomics, 0, &dut_.commit_i);
  EXPECT_FALSE(Fails());
  EXPECT_EQ(dut_.mb_valid_o, 1);
  EXPECT_FALSE(Fails());
  EXPECT_TRUE(Fails());
}

}  // namespace
}  // namespace muster::atomics
