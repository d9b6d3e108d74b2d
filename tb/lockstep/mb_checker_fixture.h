// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of mbarriers, driven with made-up pins and no unit.
#ifndef MUSTER_TB_LOCKSTEP_MB_CHECKER_FIXTURE_H_
#define MUSTER_TB_LOCKSTEP_MB_CHECKER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/lockstep/mb_checker.h"

namespace muster::lockstep {

inline constexpr Config kUnit = [] {
  Config config;
  config.name = "checker";
  config.clock_period_ps = 1500;
  return config;
}();
inline constexpr std::uint32_t kAddr = 0x40;
inline constexpr unsigned kWarp = 3;

// The word with so many arrivals pending of two.
inline std::uint64_t Word(bool phase, std::uint32_t pending) {
  MbWord word;
  word.phase = phase;
  word.pending = pending;
  word.expected = 2;
  return Encode(word);
}

inline MbOperation Group(MbOp op, std::uint32_t operand, unsigned warp = kWarp,
                         std::uint32_t lanes = 1) {
  MbOperation group;
  group.op = op;
  group.addr = kAddr;
  group.warp = static_cast<std::uint8_t>(warp);
  group.lanes = lanes;
  group.operand = operand;
  group.releasing = false;
  return group;
}

inline MbOperation WithToken(MbOperation group) {
  group.has_token = true;
  return group;
}

// Of the phase with parity 0, for so many ns.
inline MbOperation TryWait(std::uint32_t hint, unsigned warp = kWarp) {
  MbOperation group = Group(MbOp::kTryWaitParity, hint, warp);
  group.has_hint = true;
  return group;
}

class MbCheckerTest : public testing::Test {
 protected:
  MbCheckerTest() {
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.warps = 0xff;
    launch.size = 8;
    model_.Step(launch);
    in_.mb.fence_ack = ~std::uint64_t{0};
  }

  bool Runs() {
    if (!checker_->Check(cycle_, in_, out_)) {
      return false;
    }
    std::vector<MbEffects> effects;
    for (const MbEvent& event : checker_->events()) {
      effects.push_back(mbarriers_.Do(event));
    }
    return checker_->Compare(cycle_++, in_, out_, effects.data());
  }
  // A cycle that is as it must be, or several; then pulses fall.
  void Good(std::uint64_t cycles = 1) {
    for (; cycles != 0; --cycles) {
      ASSERT_TRUE(Runs()) << checker_->mismatch()->field << ": " << checker_->mismatch()->unit
                          << " instead of " << checker_->mismatch()->golden;
      in_.mb.issue_valid = false;
      in_.mb.async_valid = false;
      in_.mb.remote_valid = false;
      in_.mb.rdata_valid = false;
      in_.mb.stores.clear();
      in_.lifecycle_valid = false;
      mb_.commit_valid = false;
      mb_.write_valid = false;
      mb_.read_valid = false;
      mb_.wake = 0;
      mb_.expire = 0;
      mb_.response_valid = false;
      mb_.fault_valid = false;
    }
  }
  // A cycle that must be refused, and for which pin.
  void Bad(const std::string& field) {
    ASSERT_FALSE(Runs());
    EXPECT_EQ(checker_->mismatch()->field, field) << checker_->mismatch()->unit;
    EXPECT_FALSE(checker_->mismatch()->golden.empty());
  }

  // As it was at first.
  void Restart(const Config& config = kUnit) {
    mbarriers_.Reset();
    checker_ = std::make_unique<MbChecker>(config, mbarriers_);
    mb_ = MbOutputs();
  }

  void Present(const MbOperation& group) {
    in_.mb.issue_valid = true;
    in_.mb.issue = group;
    mb_.issue_ready = true;
  }
  void Accept(const MbOperation& group) {
    Present(group);
    Good();
    mb_.busy |= std::uint64_t{1} << group.warp;
  }
  // It commits in this cycle.
  void Commit(const MbOperation& group) {
    mb_.commit_valid = true;
    mb_.commit = {};
    mb_.commit.source = group.source;
    mb_.commit.warp = group.warp;
    mb_.commit.lanes = group.lanes;
    mb_.commit.place = {group.cta, group.addr};
  }
  void CommitWrite(const MbOperation& group, std::uint64_t word, bool completed = false) {
    Commit(group);
    mb_.commit.written = true;
    mb_.commit.completed = completed;
    mb_.commit.word = word;
    mb_.write_valid = true;
    mb_.write_place = mb_.commit.place;
    mb_.write_data = word;
  }
  void Idle(unsigned warp = kWarp) { mb_.busy &= ~(std::uint64_t{1} << warp); }
  // The word has two arrivals pending of two.
  void Init() {
    const MbOperation init = Group(MbOp::kInit, 2);
    Accept(init);
    CommitWrite(init, Word(false, 2));
    Good();
    Idle();
    Good();
  }
  // An arrival of two, up to the cycle of its commit.
  void ArriveToCommit(const MbOperation& arrive) {
    Accept(arrive);
    CommitWrite(arrive, Word(false, 1));
    Good();
    Idle();
  }
  // A wait parks, and the cycle after its commit is over.
  void Park(const MbOperation& wait) {
    Accept(wait);
    Commit(wait);
    mb_.commit.parked = true;
    Good();
    Idle(wait.warp);
    Good();
  }
  // The phase completes, up to the cycle of the commit.
  void Complete() {
    const MbOperation arrive = Group(MbOp::kArrive, 2, 5);
    Accept(arrive);
    CommitWrite(arrive, Word(true, 2), true);
    Good();
    Idle(5);
  }
  void Respond(const MbOperation& group, std::uint64_t token, bool complete = false) {
    mb_.response_valid = true;
    mb_.response.warp = group.warp;
    mb_.response.op = group.op;
    mb_.response.lanes = group.lanes;
    mb_.response.operand = group.operand;
    mb_.response.token = token;
    mb_.response.complete = complete;
  }
  void Leave() {
    in_.lifecycle_valid = true;
    in_.lifecycle = Operation();
    in_.lifecycle.kind = OpKind::kEnd;
    out_.lifecycle_ready = true;
  }
  void Fault(FaultCause cause, const MbOperation& group) {
    mb_.fault_valid = true;
    mb_.fault = {cause, group.source, group.warp, group.lanes, {group.cta, group.addr}};
  }

  golden::Model model_{kUnit};
  golden::Mbarriers mbarriers_{model_, kUnit.smem_bytes};
  std::unique_ptr<MbChecker> checker_ = std::make_unique<MbChecker>(kUnit, mbarriers_);
  Inputs in_;
  Outputs out_;
  MbOutputs& mb_ = out_.mb;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_MB_CHECKER_FIXTURE_H_
