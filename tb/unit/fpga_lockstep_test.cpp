// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit of the Verilated board in lockstep with the golden model, through frames on a serial
// line, also one that spoils them.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "sim/board/link.h"
#include "sim/board/uart_dut.h"
#include "sim/golden/config.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"
#include "tb/unit/fpga_board.h"

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
  config.smem_bytes = 1024;
  return config;
}

struct Outcome {
  lockstep::Result result;
  std::uint64_t repeats = 0;
};

// A random stream on the board.
Outcome RunRandom(bool mbarrier, std::uint64_t cycles, const Spoil& there, const Spoil& back) {
  const Config config = BoardConfig(mbarrier);
  const auto link = std::make_shared<Link>(
      std::make_unique<Spoilt>(std::make_unique<SimulatedLine>(mbarrier), there, back));
  lockstep::RandomOptions random;
  random.seed = 1;
  lockstep::RandomDriver driver(config, random);
  lockstep::Options options;
  options.max_cycles = cycles;
  options.make_dut = [link] { return std::make_unique<UartDut>(link); };
  Outcome outcome;
  outcome.result = lockstep::Run(config, driver, options);
  outcome.repeats = link->repeats();
  return outcome;
}

TEST(FpgaLockstep, NamedBarriers) {
  const Outcome outcome = RunRandom(false, 4000, Same, Same);
  EXPECT_EQ(outcome.result.ending, lockstep::Ending::kMaxCycles) << outcome.result.report;
  EXPECT_GT(outcome.result.commits, 500U);
  EXPECT_GT(outcome.result.releases, 50U);
  EXPECT_GT(outcome.result.faults, 10U);
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
  const Outcome clean = RunRandom(false, 1000, Same, Same);
  const Outcome spoilt = RunRandom(false, 1000, spoil, spoil);
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
        frame->payload[2] ^= 0x10;  // busy_o of a warp
      }
      const Bytes encoded = Encode(*frame);
      passed.insert(passed.end(), encoded.begin(), encoded.end());
    }
    return passed;
  };
  const lockstep::Result result = RunRandom(false, 1000, Same, lies).result;
  EXPECT_EQ(result.ending, lockstep::Ending::kMismatch);
  EXPECT_EQ(result.what, "busy") << result.report;
}

TEST(FpgaLockstep, SilentBoardIsReported) {
  unsigned bytes = 0;
  const Spoil dies = [&bytes](const Bytes& sent) {
    bytes += static_cast<unsigned>(sent.size());
    return bytes < 2000 ? sent : Bytes{};
  };
  const Outcome outcome = RunRandom(false, 1000, dies, Same);
  EXPECT_EQ(outcome.result.ending, lockstep::Ending::kError);
  EXPECT_NE(outcome.result.report.find("has not answered"), std::string::npos);
}

}  // namespace
}  // namespace muster::board
