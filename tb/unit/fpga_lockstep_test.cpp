// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit of the Verilated board in lockstep with the golden model, through frames on a serial
// line, also one that spoils them.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "sim/board/link.h"
#include "sim/board/uart_dut.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/bank.h"
#include "sim/port/driver.h"
#include "tb/lockstep/random_driver.h"
#include "tb/unit/fpga_board.h"
#include "tb/volume.h"

namespace muster::board {
namespace {

using Spoil = std::function<Bytes(const Bytes&)>;

// Both directions go through a function.
class Spoilt final : public Line {
 public:
  Spoilt(std::unique_ptr<Line> line, Spoil there, Spoil back)
      : line_(std::move(line)), there_(std::move(there)), back_(std::move(back)) {}

  void Write(const Bytes& bytes) override { line_->Write(there_(bytes)); }
  Bytes Read(int milliseconds) override {
    for (;;) {
      const Bytes bytes = line_->Read(milliseconds);
      Bytes passed = back_(bytes);
      if (bytes.empty() || !passed.empty()) {
        return passed;
      }
    }
  }

 private:
  std::unique_ptr<Line> line_;
  const Spoil there_;
  const Spoil back_;
};

Bytes Same(const Bytes& bytes) { return bytes; }

Config BoardConfig(bool mbarrier) {
  Config config = *FindConfig("small");
  config.mbarrier = mbarrier;
  config.smem_bytes = SimulatedBoard::kSmemBytes;
  config.mb_responses = 2;
  return config;
}

// One CTA whose warps and copies do things to a few words, in turn with ordinary stores.
class MbDriver final : public lockstep::Driver {
 public:
  explicit MbDriver(const Config& config) : smem_bytes_(config.smem_bytes) {}

  bool Drive(std::uint64_t /*cycle*/, const Outputs& seen, Inputs* in) override {
    Serve(seen, in);
    in->lifecycle_valid = !launched_ && !(in->lifecycle_valid && seen.lifecycle_ready);
    in->lifecycle.kind = OpKind::kLaunch;
    in->lifecycle.warps = kWarps;
    in->lifecycle.size = 8;
    MbInputs& mb = in->mb;
    mb.issue_valid = mb.issue_valid && !seen.mb.issue_ready;
    mb.async_valid = mb.async_valid && !seen.mb.async_ready;
    if (!launched_) {
      return true;
    }
    if (!mb.issue_valid && OneIn(2)) {
      mb.issue = Draw();
      mb.issue_valid = (answers_ >> mb.issue.warp & 1) == 0;
      if (mb.issue_valid && HasResponse(mb.issue)) {
        answers_ |= 1U << mb.issue.warp;
        lanes_[mb.issue.warp] = mb.issue.lanes;
      }
    }
    if (!mb.async_valid && OneIn(10)) {
      mb.async_valid = true;
      mb.async.op = MbOp::kCompleteTx;
      mb.async.source = MbSource::kAsync;
      mb.async.lanes = 1;
      mb.async.addr = Address();
      mb.async.operand = 1 + Below(3);
    }
    const MbPlace place{0, Address()};
    if (OneIn(100) && bank_.MayStore(place)) {
      // As init writes it: both counts are held negated.
      const std::uint64_t count = (std::uint64_t{1} << 20) - 1 - Below(6);
      const std::uint64_t word = count << 43 | count << 1;
      words_.Store(place, word);
      mb.stores.push_back({place, word, false});
    }
    return true;
  }

  void Serve(const Outputs& seen, Inputs* in) override {
    MbInputs& mb = in->mb;
    bank_.Cycle(seen.mb, &mb);
    mb.stores.clear();
    // Who has an answer may go on.
    std::uint64_t done = seen.mb.wake | seen.mb.expire;
    if (seen.mb.response_valid && mb.response_ready) {
      done |= Answered(seen.mb.response.warp, seen.mb.response.lanes);
    }
    if (seen.mb.fault_valid && seen.mb.fault.source == MbSource::kWarp) {
      done |= Answered(seen.mb.fault.warp, seen.mb.fault.lanes);
    }
    answers_ &= ~done;
    mb.response_ready = !OneIn(4);
    mb.fence_ack = OneIn(3) ? 0 : kWarps;
    in->fence_ack = kWarps;
  }

  void OnCommit(std::uint64_t /*cycle*/, const Operation& /*operation*/,
                const Effects& /*effects*/) override {
    launched_ = true;
  }

 private:
  static constexpr std::uint64_t kWarps = 0xFF;
  static constexpr unsigned kWords = 4;

  class Words final : public lockstep::Bank::Words {
   public:
    std::uint64_t Load(MbPlace place) override { return words_[place.addr]; }
    void Store(MbPlace place, std::uint64_t word) override { words_[place.addr] = word; }

   private:
    std::map<std::uint32_t, std::uint64_t> words_;
  };

  unsigned Below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  // At both ends of the memory.
  std::uint32_t Address() {
    const unsigned word = Below(kWords);
    return word % 2 == 0 ? 8 * word : smem_bytes_ - 8 * word;
  }

  MbOperation Draw() {
    constexpr std::array kOps{MbOp::kInit,          MbOp::kArrive,         MbOp::kArrive,
                              MbOp::kArrive,        MbOp::kArrive,         MbOp::kArrive,
                              MbOp::kTryWaitParity, MbOp::kTryWaitParity,  MbOp::kTryWaitParity,
                              MbOp::kArriveDrop,    MbOp::kArriveExpectTx, MbOp::kTestWait,
                              MbOp::kArrive,        MbOp::kTryWaitParity,  MbOp::kArriveNoComplete};
    MbOperation group;
    group.op = kOps[Below(kOps.size())];
    group.warp = static_cast<std::uint8_t>(Below(8));
    group.lanes = 1U << Below(32);
    group.addr = OneIn(100) ? smem_bytes_ : Address();
    group.operand = 1 + Below(2);
    if (group.op == MbOp::kArrive && OneIn(4)) {
      group.lanes |= 1U << Below(32);
      group.operand = 1;
    } else if (group.op == MbOp::kInit) {
      group.operand = 1 + Below(4);
    } else if (IsTryWait(group.op)) {
      group.has_hint = true;
      group.operand = Below(200);
    }
    group.phase = OneIn(2) && group.op != MbOp::kInit;  // an init of layout v1 else
    group.has_token = IsMbArrival(group.op) && OneIn(2);
    group.whole = !OneIn(4);
    group.releasing = OneIn(2);
    return group;
  }

  // The warp, if these were the last lanes that it waited for.
  std::uint64_t Answered(unsigned warp, std::uint32_t lanes) {
    lanes_[warp] &= ~lanes;
    return lanes_[warp] == 0 ? std::uint64_t{1} << warp : 0;
  }

  const std::uint32_t smem_bytes_;
  std::mt19937_64 random_{1};
  Words words_;
  lockstep::Bank bank_{&words_, 1};
  bool launched_ = false;
  std::uint64_t answers_ = 0;             // warps that wait for one
  std::array<std::uint32_t, 8> lanes_{};  // the lanes that wait, by warp
};

struct Outcome {
  lockstep::Result result;
  std::uint64_t repeats = 0;
};

Outcome RunDriver(const Config& config, lockstep::Driver* driver, std::uint64_t cycles,
                  const Spoil& there, const Spoil& back) {
  const auto variant =
      config.mbarrier ? SimulatedBoard::Variant::kWhole : SimulatedBoard::Variant::kNamed;
  const auto link = std::make_shared<Link>(
      std::make_unique<Spoilt>(std::make_unique<SimulatedLine>(variant), there, back));
  lockstep::Options options;
  options.max_cycles = cycles;
  options.skips = false;  // the board's clock never stops
  options.make_dut = [link] { return std::make_unique<UartDut>(link); };
  Outcome outcome;
  outcome.result = lockstep::Run(config, *driver, options);
  outcome.repeats = link->repeats();
  return outcome;
}

// A random stream on the board without mbarriers.
Outcome RunRandom(std::uint64_t cycles, const Spoil& there, const Spoil& back) {
  const Config config = BoardConfig(false);
  lockstep::RandomDriver driver(config, {});
  return RunDriver(config, &driver, cycles, there, back);
}

TEST(FpgaLockstep, NamedBarriers) {
  const Outcome outcome = RunRandom(4000, Same, Same);
  EXPECT_EQ(outcome.result.ending, lockstep::Ending::kMaxCycles) << outcome.result.report;
  EXPECT_GT(outcome.result.commits, 500U);
  EXPECT_GT(outcome.result.releases, 50U);
  EXPECT_GT(outcome.result.faults, 10U);
  EXPECT_EQ(outcome.repeats, 0U);
}

TEST(FpgaLockstep, Mbarriers) {
  const Config config = BoardConfig(true);
  MbDriver driver(config);
  const unsigned cycles = Volume(2000, 8000);
  const Outcome outcome = RunDriver(config, &driver, cycles, Same, Same);
  EXPECT_EQ(outcome.result.ending, lockstep::Ending::kMaxCycles) << outcome.result.report;
  EXPECT_GT(outcome.result.mb_commits, cycles / 16);
  EXPECT_GT(outcome.result.mb_phases, cycles / 400);
  EXPECT_GT(outcome.result.mb_wakes, cycles / 1000);
  EXPECT_GT(outcome.result.mb_expiries, cycles / 1000);
  EXPECT_GT(outcome.result.mb_faults, cycles / 400);
  EXPECT_EQ(outcome.repeats, 0U);
}

TEST(FpgaLockstep, SpoiltLineChangesNothing) {
  std::mt19937 random(1);
  const Spoil spoil = [&random](const Bytes& bytes) {
    Bytes spoilt;
    for (const std::uint8_t byte : bytes) {
      switch (random() % 1000) {
        case 0:
          break;  // lost
        case 1:
          spoilt.insert(spoilt.end(), {byte, byte});
          break;
        case 2:
          spoilt.push_back(static_cast<std::uint8_t>(byte ^ 1U << random() % 8));
          break;
        default:
          spoilt.push_back(byte);
      }
    }
    return spoilt;
  };
  const Outcome clean = RunRandom(1000, Same, Same);
  const Outcome spoilt = RunRandom(1000, spoil, spoil);
  EXPECT_EQ(spoilt.result.ending, lockstep::Ending::kMaxCycles) << spoilt.result.report;
  EXPECT_EQ(spoilt.result.cycles, clean.result.cycles);
  EXPECT_EQ(spoilt.result.commits, clean.result.commits);
  EXPECT_EQ(spoilt.result.releases, clean.result.releases);
  EXPECT_GT(spoilt.repeats, 20U);
}

// A bit of an answer is wrong, and its check sum is right.
TEST(FpgaLockstep, WrongAnswerIsAMismatch) {
  unsigned answers = 0;
  Decoder decoder;
  const Spoil lies = [&](const Bytes& bytes) {
    Bytes passed;
    for (const std::uint8_t byte : bytes) {
      std::optional<Frame> frame = decoder.Push(byte);
      if (!frame) {
        continue;
      }
      if (++answers == 500) {
        frame->payload[3] ^= 0x10;  // busy_o of a warp
      }
      const Bytes encoded = Encode(*frame);
      passed.insert(passed.end(), encoded.begin(), encoded.end());
    }
    return passed;
  };
  const lockstep::Result result = RunRandom(1000, Same, lies).result;
  EXPECT_EQ(result.ending, lockstep::Ending::kMismatch);
  EXPECT_EQ(result.what, "busy") << result.report;
}

TEST(FpgaLockstep, SilentBoardIsReported) {
  unsigned bytes = 0;
  const Spoil dies = [&bytes](const Bytes& sent) {
    bytes += static_cast<unsigned>(sent.size());
    return bytes < 2000 ? sent : Bytes{};
  };
  const Outcome outcome = RunRandom(1000, dies, Same);
  EXPECT_EQ(outcome.result.ending, lockstep::Ending::kError);
  EXPECT_NE(outcome.result.report.find("has not answered"), std::string::npos);
}

}  // namespace
}  // namespace muster::board
