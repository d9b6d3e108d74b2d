// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit whose shared memory is on TCDM or OBI, by the adapter: warps and a copy engine at a few
// mbarriers. Every update, token, answer and fault is the golden model's, and so is every word that
// arrives in memory, in the order of the updates.
#include <Vunit_obi.h>
#include <Vunit_tcdm.h>
#include <Vunit_tcdm_silent.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "sim/port/pins.h"
#include "sim/port/structs.h"
#include "tb/unit/bus_memory.h"
#include "tb/unit/clocked.h"

namespace muster {
namespace {

// The parameters of mem_unit_flat.sv.
constexpr unsigned kWarps = 8, kCtas = 2, kWarpsOfCta = kWarps / kCtas;
constexpr std::uint32_t kSmemBytes = 4096;
constexpr std::uint32_t kFirstByte = 0x10000;  // of CTA 0's shared memory

// Of each CTA, in use. The last one is initialised again and again; at the others transactions are
// expected, which would otherwise be completed after an init that forgets them.
constexpr unsigned kWords = 4;
constexpr std::uint32_t kForever = 4'000'000'000;  // a time limit in nanoseconds
constexpr unsigned kCompletionToWake = 2;          // cycles

Config TheConfig() {
  Config config;
  config.reduce = config.state = false;
  config.num_warps = kWarps;
  config.num_ctas = kCtas;
  config.smem_bytes = kSmemBytes;
  return config;
}

std::uint32_t AddressOf(const MbOperation& operation) {
  return kFirstByte + kSmemBytes * operation.cta + operation.addr;
}

struct Tcdm : TcdmMemory {
  using Dut = Vunit_tcdm;
};
struct SilentTcdm : SilentTcdmMemory {
  using Dut = Vunit_tcdm_silent;
};
struct Obi : ObiMemory {
  using Dut = Vunit_obi;
};

template <class Bus>
class UnitOnMemory : public testing::Test {
 protected:
  UnitOnMemory() {
    for (unsigned cta = 0; cta < kCtas; ++cta) {
      Operation launch;
      launch.kind = OpKind::kLaunch;
      launch.cta = static_cast<std::uint8_t>(cta);
      launch.size = kWarpsOfCta;
      launch.warps = ((1U << kWarpsOfCta) - 1) << kWarpsOfCta * cta;
      core_.Step(launch);
    }
    golden_.emplace(core_, kSmemBytes);
    for (unsigned cta = 0; cta < kCtas; ++cta) {
      for (unsigned w = 0; w < kWords; ++w) {
        MbWord word;
        word.expected = word.pending = 1 + 9 * w;
        golden_->Restore(cta, 8 * w, Encode(word));
        memory_.words[kFirstByte + kSmemBytes * cta + 8 * w] = Encode(word);
      }
    }
    dut_.rst_ni = dut_.unit_rst_ni = 0;
    dut_.eval();  // the first one sees no edge
    EndCycle(&dut_);
    dut_.rst_ni = dut_.unit_rst_ni = 1;
    dut_.eval();
  }

  // Warps and copies present something now and then.
  void Traffic() {
    if (!group_ && random_() % 2 == 0) {
      const unsigned warp = random_() % kWarps;
      if (!Busy(warp)) {
        group_ = RandomGroup(warp);
      }
    }
    if (!copy_ && random_() % 3 == 0) {
      copy_ = RandomCopy();
    }
  }

  void Cycle() {
    Drive();
    if (const auto granted = memory_.Serve(cycle_ % 1000 < 900, &dut_); granted) {
      NoteGrant(*granted);
    }
    ObserveResults();
    ObserveCommit();
    ObserveHandshakes();
    EndCycle(&dut_);
    ++cycle_;
  }

  // The unit is reset, while the memory goes on. What had committed is or will be in memory.
  void Reset(unsigned cycles) {
    late_ += memory_.on_their_way() != 0 ? 1 : 0;
    std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> words;
    for (unsigned cta = 0; cta < kCtas; ++cta) {
      for (unsigned w = 0; w < kWords; ++w) {
        words[{cta, 8 * w}] = golden_->Word(cta, 8 * w);
      }
    }
    golden_.emplace(core_, kSmemBytes);
    for (const auto& [place, word] : words) {
      golden_->Restore(place.first, place.second, word);
    }
    group_.reset();
    copy_.reset();
    warps_ = {};
    copies_.clear();
    responses_.clear();
    fault_.reset();
    wakes_.clear();
    dut_.unit_rst_ni = 0;
    Drive();
    for (unsigned i = 0; i < cycles; ++i) {
      if (const auto granted = memory_.Serve(true, &dut_); granted) {
        NoteGrant(*granted);
      }
      EXPECT_FALSE(Seen().commit_valid);
      EndCycle(&dut_);
    }
    dut_.unit_rst_ni = 1;
    dut_.eval();
  }

  // Nothing new is presented until all is done, parked waits apart. Then memory holds the golden
  // words.
  void Finish() {
    for (unsigned i = 0; i < 5000; ++i) {
      Cycle();
    }
    EXPECT_FALSE(group_ || copy_);
    EXPECT_TRUE(copies_.empty() && writes_.empty() && responses_.empty());
    for (const Warp& warp : warps_) {
      EXPECT_TRUE(warp.left == 0 && warp.unanswered == 0);
    }
    for (unsigned cta = 0; cta < kCtas; ++cta) {
      for (unsigned w = 0; w < kWords; ++w) {
        EXPECT_EQ(memory_.words[kFirstByte + kSmemBytes * cta + 8 * w], golden_->Word(cta, 8 * w));
      }
    }
  }

  std::mt19937_64 random_{1};
  unsigned cycle_ = 0;
  // What has been seen: phases that completed, parked waits that ended, answers, faults; resets
  // with an answer of the memory still to come.
  unsigned completions_ = 0, woken_ = 0, answers_ = 0, faults_ = 0, late_ = 0;

 private:
  struct Warp {
    MbOperation group;             // what is on its way
    std::uint32_t left = 0;        // lanes of it that have not committed
    std::uint32_t unanswered = 0;  // lanes that wait for a response
    bool parked = false;
  };
  struct Response {
    unsigned warp;
    std::uint32_t lanes;
    bool complete;
    std::optional<std::uint64_t> token;
  };
  struct Fault {
    FaultCause cause;
    std::uint32_t lanes;
  };
  struct Write {
    std::uint32_t address;
    std::uint64_t word;
  };

  // The core presents nothing more of such a warp.
  bool Busy(unsigned warp) const {
    const Warp& of = warps_[warp];
    return of.left != 0 || of.unanswered != 0 || of.parked || (group_ && group_->warp == warp);
  }

  MbOperation RandomPlace(unsigned cta) {
    MbOperation operation;
    operation.cta = static_cast<std::uint8_t>(cta);
    operation.addr = static_cast<std::uint32_t>(8 * (random_() % kWords));
    return operation;
  }

  MbOperation RandomGroup(unsigned warp) {
    MbOperation group = RandomPlace(warp / kWarpsOfCta);
    const MbWord word = DecodeMbWord(golden_->Word(group.cta, group.addr));
    group.warp = static_cast<std::uint8_t>(warp);
    group.lanes =
        random_() % 2 == 0 ? 1U << random_() % 32 : static_cast<std::uint32_t>(random_()) | 0x100;
    group.operand = 1;
    group.has_token = random_() % 2 == 0;
    const bool last = group.addr == 8 * (kWords - 1);
    if (last && random_() % 32 == 0) {
      group.op = MbOp::kInit;
      group.operand = static_cast<std::uint32_t>(1 + random_() % 64);
      group.has_token = false;
      return group;
    }
    switch (random_() % 8) {
      case 0:
        group.op = MbOp::kTestWaitParity;
        group.phase = random_() % 2 == 0;
        break;
      case 1:
      case 2:
        group.op = MbOp::kTryWaitParity;
        group.phase = random_() % 8 == 0 ? !word.phase : word.phase;
        group.has_hint = true;
        group.operand = kForever;
        break;
      case 3:
        group.op = last ? MbOp::kArriveNoComplete : MbOp::kArriveExpectTx;
        group.lanes &= -group.lanes;
        group.operand = last ? 1 : 16;
        break;
      case 4:
        group.op = word.expected > 2 && random_() % 2 == 0 ? MbOp::kArriveDrop : MbOp::kCopyArrive;
        group.lanes &= -group.lanes;
        group.has_token = false;
        break;
      default:
        group.op = MbOp::kArrive;
        group.operand = random_() % 16 == 0 ? 0 : 1;
        break;
    }
    return group;
  }

  // Completes what is expected, unless another copy is about to, or arrives. So no phase is left
  // without an end.
  MbOperation RandomCopy() {
    MbOperation copy = RandomPlace(random_() % kCtas);
    const MbWord word = DecodeMbWord(golden_->Word(copy.cta, copy.addr));
    copy.source = MbSource::kAsync;
    copy.lanes = 1;
    const bool completes =
        word.tx > 0 && std::none_of(copies_.begin(), copies_.end(), [&](const MbOperation& other) {
          return other.op == MbOp::kCompleteTx && AddressOf(other) == AddressOf(copy);
        });
    copy.op = completes ? MbOp::kCompleteTx : MbOp::kArrive;
    copy.operand = completes ? static_cast<std::uint32_t>(word.tx) : 1;
    return copy;
  }

  void Drive() {
    const MbOperation group = group_.value_or(MbOperation());
    dut_.issue_valid_i = group_ ? 1 : 0;
    sv::mb_group_t::Put(group, &dut_.issue_i);
    const MbOperation copy = copy_.value_or(MbOperation());
    dut_.async_valid_i = copy_ ? 1 : 0;
    sv::mb_async_t::Put(copy, &dut_.async_i);
    dut_.response_ready_i = random_() % 4 != 0 ? 1 : 0;
  }

  // Words arrive in memory in the order of the updates.
  void NoteGrant(const BusRequest& granted) {
    if (!granted.writes) {
      return;
    }
    ASSERT_FALSE(writes_.empty()) << "a write without an update";
    EXPECT_EQ(granted.address, writes_.front().address);
    EXPECT_EQ(granted.data, writes_.front().word);
    writes_.pop_front();
  }

  void ObserveResults() {
    const std::uint32_t due = wakes_.count(cycle_) != 0 ? wakes_[cycle_] : 0;
    ASSERT_EQ(dut_.wake_o, due) << "cycle " << cycle_;
    ASSERT_EQ(dut_.expire_o, 0);
    for (unsigned w = 0; w < kWarps; ++w) {
      if ((due >> w & 1) != 0) {
        warps_[w].parked = false;
        ++woken_;
      }
    }
    ASSERT_EQ(dut_.fault_valid_o != 0, fault_.has_value()) << "cycle " << cycle_;
    if (fault_) {
      MbOutputs::Fault fault;
      sv::mb_fault_t::Get(dut_.fault_o, &fault);
      EXPECT_EQ(fault.cause, fault_->cause);
      EXPECT_EQ(fault.lanes, fault_->lanes);
      ++faults_;
    }
    fault_.reset();
    if (dut_.response_valid_o != 0 && dut_.response_ready_i != 0) {
      ASSERT_FALSE(responses_.empty()) << "a response that nobody waits for";
      const Response& expected = responses_.front();
      MbOutputs::Response response;
      sv::mb_response_t::Get(dut_.response_o, &response);
      EXPECT_EQ(response.warp, expected.warp);
      EXPECT_EQ(response.lanes, expected.lanes);
      EXPECT_EQ(response.complete, expected.complete);
      if (expected.token) {
        EXPECT_EQ(response.token, *expected.token);
      }
      warps_[expected.warp].unanswered &= ~expected.lanes;
      responses_.pop_front();
      ++answers_;
    }
  }

  MbOutputs Seen() const {
    MbOutputs seen;
    sv::mb_commit_t::Get(dut_.commit_o, &seen);
    return seen;
  }

  // The golden model carries out the lanes that commit.
  void ObserveCommit() {
    const MbOutputs seen = Seen();
    const MbOutputs::Commit& commit = seen.commit;
    if (!seen.commit_valid) {
      return;
    }
    MbOperation operation;
    if (commit.source == MbSource::kAsync) {
      ASSERT_FALSE(copies_.empty());
      operation = copies_.front();
      copies_.pop_front();
    } else {
      Warp& warp = warps_[commit.warp % kWarps];
      operation = warp.group;
      operation.lanes = commit.lanes;
      ASSERT_EQ(operation.lanes & ~warp.left, 0U) << "lanes commit that were not presented";
      warp.left &= ~operation.lanes;
    }
    const MbEffects effects = golden_->Step(operation);
    EXPECT_EQ(commit.written, effects.written) << Describe({{}, {}, 0, operation});
    EXPECT_EQ(commit.completed, effects.completions != 0);
    EXPECT_EQ(commit.parked, effects.parked != 0);
    if (effects.written) {
      EXPECT_EQ(commit.word, effects.word);
      writes_.push_back({AddressOf(operation), effects.word});
    }
    completions_ += effects.completions;
    for (const MbAnswer& answer : effects.answers) {
      wakes_[cycle_ + kCompletionToWake] |= 1U << answer.warp;
    }
    const auto first = static_cast<unsigned>(__builtin_ctz(operation.lanes));
    if (effects.fault[first] != FaultCause::kNone) {
      fault_ = Fault{effects.fault[first], operation.lanes};
    } else if (effects.parked != 0) {
      warps_[operation.warp].parked = true;
    } else if (operation.source == MbSource::kWarp && HasResponse(operation)) {
      warps_[operation.warp].unanswered |= operation.lanes;
      responses_.push_back({operation.warp, operation.lanes, effects.complete != 0, std::nullopt});
      if (!IsMbWait(operation.op)) {
        responses_.back().token = effects.token[first];
      }
    }
  }

  void ObserveHandshakes() {
    if (group_ && dut_.issue_ready_o != 0) {
      warps_[group_->warp].group = *group_;
      warps_[group_->warp].left = group_->lanes;
      group_.reset();
    }
    if (copy_ && dut_.async_ready_o != 0) {
      copies_.push_back(*copy_);
      copy_.reset();
    }
  }

  VerilatedContext context_;
  typename Bus::Dut dut_{&context_};
  BusMemory<Bus> memory_;
  golden::Model core_{TheConfig()};  // to which alone it matters that the CTAs are there
  std::optional<golden::Mbarriers> golden_;

  std::optional<MbOperation> group_, copy_;  // presented
  std::array<Warp, kWarps> warps_;
  std::deque<MbOperation> copies_;  // accepted
  std::deque<Response> responses_;
  std::optional<Fault> fault_;               // due in this cycle
  std::map<unsigned, std::uint32_t> wakes_;  // warps, by cycle
  std::deque<Write> writes_;                 // that have not arrived in memory
};

using Buses = testing::Types<Tcdm, SilentTcdm, Obi>;
TYPED_TEST_SUITE(UnitOnMemory, Buses);

TYPED_TEST(UnitOnMemory, AgreesWithTheGoldenModel) {
  for (unsigned i = 0; i < 200'000 && !this->HasFailure(); ++i) {
    this->Traffic();
    this->Cycle();
  }
  this->Finish();
  EXPECT_GT(this->completions_, 1000U);
  EXPECT_GT(this->woken_, 500U);
  EXPECT_GT(this->answers_, 1000U);
  EXPECT_GT(this->faults_, 50U);
}

// The unit is reset at any moment, for one to four cycles. An answer to a read from before would be
// taken for that of the first read after it.
TYPED_TEST(UnitOnMemory, DropsLateDataAfterAReset) {
  unsigned resets = 0;
  for (unsigned i = 0; i < 200'000 && !this->HasFailure(); ++i) {
    if (this->random_() % 64 == 0) {
      this->Reset(1 + this->random_() % 4);
      ++resets;
    }
    this->Traffic();
    this->Cycle();
  }
  this->Finish();
  EXPECT_GT(resets, 1000U);
  EXPECT_GT(this->late_, 300U);
  EXPECT_GT(this->completions_, 200U);
  EXPECT_GT(this->answers_, 500U);
}

}  // namespace
}  // namespace muster
