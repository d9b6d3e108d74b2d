// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Frames, good and spoilt, at the serial pins of the Verilated board. Whether something happened is
// seen in what the unit shows before and after.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sim/board/frame.h"
#include "sim/board/link.h"
#include "sim/board/pins.h"
#include "tb/unit/fpga_board.h"

namespace muster::board {
namespace {

constexpr std::uint8_t kCycle = static_cast<std::uint8_t>(Command::kCycle);

// Frames byte by byte, without Link, which would repeat them.
class FpgaLink : public testing::Test {
 protected:
  FpgaLink() {
    Ask({static_cast<std::uint8_t>(Command::kIdentify)});
    Ask({static_cast<std::uint8_t>(Command::kReset)});
    // A CTA of all warps, and an arrival that is presented, and taken with the next pulse.
    Inputs in;
    in.fence_ack = 0xFF;
    in.lifecycle_valid = true;
    in.lifecycle.kind = OpKind::kLaunch;
    in.lifecycle.warps = 0xFF;
    in.lifecycle.size = 8;
    Bytes pins;
    EncodePins({}, in, &pins);
    Cycle(0, 0, pins);
    EXPECT_TRUE(RunsTo([](const Outputs& out) { return out.lifecycle_ready; }));
    Cycle(1, 0, {0});
    Cycle(4, 0, {});
    in.lifecycle_valid = false;
    in.issue_valid = 1;
    in.issue[0].kind = OpKind::kArrive;
    in.issue[0].count = 64;
    in.issue[0].lanes = ~0U;
    EncodePins({}, in, &pins);
    Cycle(0, 0, pins);
    EXPECT_NE(shown_.issue_ready, 0);
    EXPECT_EQ(shown_.busy, 0U);
  }

  // The answer to a good frame.
  Bytes Ask(const Bytes& payload) {
    board_->Send(Encode({++sequence_, payload}));
    board_->Run(SimulatedBoard::kQuiet);
    const std::vector<Frame> frames = board_->Frames();
    EXPECT_EQ(frames.size(), 1U);
    if (frames.empty()) {
      return {};
    }
    EXPECT_EQ(frames[0].sequence, sequence_);
    return frames[0].payload;
  }

  Outputs Cycle(unsigned pulses, std::size_t first, const Bytes& pins) {
    Bytes payload{kCycle, static_cast<std::uint8_t>(pulses), static_cast<std::uint8_t>(first)};
    payload.insert(payload.end(), pins.begin(), pins.end());
    Bytes reply = Ask(payload);
    EXPECT_EQ(reply[0], kCycle | kReply);
    reply.erase(reply.begin());
    Outputs out;
    EXPECT_TRUE(DecodeOutputs({}, reply, &out));
    shown_ = out;
    return out;
  }

  template <typename Condition>
  bool RunsTo(const Condition& condition) {
    for (unsigned i = 0; i < 100 && !condition(shown_); ++i) {
      Cycle(1, 0, {});
    }
    return condition(shown_);
  }

  // The frame is refused for the cause (kNone: any), once, and nothing happens.
  void ExpectRefused(Cause cause, const std::string& what) {
    board_->Run(SimulatedBoard::kQuiet);
    const std::vector<Frame> frames = board_->Frames();
    ASSERT_EQ(frames.size(), 1U) << what;
    ASSERT_EQ(frames[0].payload.size(), 3U) << what;
    EXPECT_EQ(frames[0].payload[0], kError) << what;
    if (cause != Cause::kNone) {
      EXPECT_EQ(frames[0].payload[1], static_cast<std::uint8_t>(cause)) << what;
    }
    ++refused_;
    EXPECT_EQ(frames[0].payload[2], refused_ & 0xFF) << what;
    EXPECT_EQ(board_->leds(), refused_ & 0xFF) << what;
    ExpectUntouched(what);
  }

  // The arrival has not been taken, and is still presented.
  void ExpectUntouched(const std::string& what) {
    const Outputs out = Cycle(0, 0, {});
    ASSERT_NE(out.issue_ready, 0) << what;
    ASSERT_EQ(out.busy, 0U) << what;
    ASSERT_EQ(out.commit_valid, 0) << what;
  }

  // One that would let the arrival be taken.
  Bytes Spoilable() const {
    return Encode({static_cast<std::uint8_t>(sequence_ + 1),
                   {kCycle, 1, 0, 0, 0, 0xFF, 0xFF, 0, 0, 1, 2, 3}});
  }

  std::unique_ptr<SimulatedBoard> board_ = SimulatedBoard::Make(SimulatedBoard::Variant::kNamed);
  std::uint8_t sequence_ = 0x40;
  unsigned refused_ = 0;
  Outputs shown_;
};

TEST(FpgaFrame, CheckSumIsTheOneOfThatName) {
  const std::string check = "123456789";
  EXPECT_EQ(Crc16(reinterpret_cast<const std::uint8_t*>(check.data()), check.size()), 0x29B1);
}

TEST(FpgaFrame, IsFoundBetweenNoise) {
  std::mt19937 random(1);
  Decoder decoder;
  for (unsigned i = 0; i < 2000; ++i) {
    const Frame frame{static_cast<std::uint8_t>(i), Bytes(1 + random() % 20, kStartByte)};
    Bytes stream(random() % 3 == 0 ? random() % 4 : 0, kStartByte);  // up to three false starts
    const Bytes encoded = Encode(frame);
    stream.insert(stream.end(), encoded.begin(), encoded.end());
    stream.insert(stream.end(), 3 + kStartByte, 0);  // ends what a false start has begun
    unsigned found = 0;
    for (const std::uint8_t byte : stream) {
      if (const std::optional<Frame> got = decoder.Push(byte)) {
        found +=
            static_cast<unsigned>(got->sequence == frame.sequence && got->payload == frame.payload);
      }
    }
    EXPECT_EQ(found, 1U) << i;
  }
}

TEST_F(FpgaLink, SaysWhatItIs) {
  EXPECT_EQ(Ask({static_cast<std::uint8_t>(Command::kIdentify)}),
            (Bytes{0x81, 5, 8, 2, 1, 0, 10, 48}));
}

TEST_F(FpgaLink, GoodFrameActs) {
  ASSERT_NO_FATAL_FAILURE(ExpectUntouched("before"));
  board_->Send(Spoilable());
  board_->Run(SimulatedBoard::kQuiet);
  ++sequence_;
  EXPECT_EQ(board_->Frames().at(0).payload[0], kCycle | kReply);
  EXPECT_NE(Cycle(0, 0, {}).busy, 0U);
}

TEST_F(FpgaLink, CorruptedFrameIsRefusedWhicheverByteItIs) {
  for (std::size_t at = 0; at < Spoilable().size(); ++at) {
    for (unsigned flip = 1; flip < 256;
         flip += at == 1 ? 1 : 17) {  // all lengths, some of the rest
      Bytes bad = Spoilable();
      bad[at] ^= static_cast<std::uint8_t>(flip);
      board_->Send(bad);
      ASSERT_NO_FATAL_FAILURE(
          ExpectRefused(at == 0 ? Cause::kStart : Cause::kNone,
                        "byte " + std::to_string(at) + ", bits " + std::to_string(flip)));
    }
  }
}

TEST_F(FpgaLink, TwoBytesExchangedAreRefused) {
  for (std::size_t at = 0; at + 1 < Spoilable().size(); ++at) {
    const Bytes good = Spoilable();
    Bytes bad = good;
    std::swap(bad[at], bad[at + 1]);
    if (bad != good) {
      board_->Send(bad);
      ASSERT_NO_FATAL_FAILURE(ExpectRefused(Cause::kNone, "bytes from " + std::to_string(at)));
    }
  }
}

TEST_F(FpgaLink, FrameThatEndsEarlyIsRefused) {
  for (std::size_t size = 1; size < Spoilable().size(); ++size) {
    const Bytes good = Spoilable();
    board_->Send({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(Cause::kGap, std::to_string(size) + " bytes"));
  }
}

TEST_F(FpgaLink, MissingStopBitIsRefused) {
  for (std::size_t at = 0; at < Spoilable().size(); ++at) {
    const Bytes good = Spoilable();
    board_->Send({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(at)});
    board_->SendBroken(good[at]);
    board_->Send({good.begin() + static_cast<std::ptrdiff_t>(at + 1), good.end()});
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(Cause::kLine, "byte " + std::to_string(at)));
  }
}

TEST_F(FpgaLink, NoiseIsRefused) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 300; ++i) {
    Bytes noise(1 + random() % 40);
    for (std::uint8_t& byte : noise) {
      byte = static_cast<std::uint8_t>(random() % 4 == 0 ? kStartByte : random());
    }
    board_->Send(noise);
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(Cause::kNone, std::to_string(i)));
  }
}

// Well-framed, and not what a host of this version sends.
TEST_F(FpgaLink, WrongCommandsAreRefused) {
  const auto refused = [this](Cause cause, const Bytes& payload, int ahead,
                              const std::string& what) {
    board_->Send(Encode({static_cast<std::uint8_t>(sequence_ + ahead), payload}));
    ExpectRefused(cause, what);
  };
  refused(Cause::kLength, {}, 1, "no payload");
  refused(Cause::kLength, Bytes(kMaxPayload + 1, 0), 1, "too long");
  refused(Cause::kLength, {static_cast<std::uint8_t>(Command::kIdentify), 0}, 1,
          "identify, 2 bytes");
  refused(Cause::kLength, {static_cast<std::uint8_t>(Command::kReset), 0}, 1, "reset, 2 bytes");
  refused(Cause::kLength, {kCycle, 1}, 1, "cycle, 2 bytes");
  refused(Cause::kLength, {kCycle, 1, 32, 0}, 1, "a pin beyond the last");
  refused(Cause::kLength, {kCycle, 1, 255, 0}, 1, "a pin far beyond the last");
  Bytes all(3 + 33, 0);
  all[0] = kCycle;
  all[1] = 1;
  refused(Cause::kLength, all, 1, "more than all pins");
  for (const unsigned command : {0, 5, 6, 0x80, 0x83, 0xFF}) {
    refused(Cause::kCommand, {static_cast<std::uint8_t>(command), 1, 0}, 1,
            "command " + std::to_string(command));
  }
  refused(Cause::kCommand, {static_cast<std::uint8_t>(Command::kStore), 0, 0, 0, 1}, 1,
          "no memory");
  for (const int ahead : {-1, 2, 3, 128}) {
    refused(Cause::kSequence, {kCycle, 1, 0}, ahead, "number " + std::to_string(ahead));
  }
}

TEST_F(FpgaLink, RepeatedFrameActsOnce) {
  const Bytes frame = Spoilable();
  std::vector<Bytes> answers;
  for (unsigned i = 0; i < 3; ++i) {
    board_->Send(frame);
    board_->Run(SimulatedBoard::kQuiet);
    answers.push_back(board_->Frames().at(0).payload);
  }
  EXPECT_EQ(answers[1], answers[0]);
  EXPECT_EQ(answers[2], answers[0]);
  ++sequence_;
  const Outputs next = Cycle(1, 0, {0});
  // The arrival that was taken once has committed once.
  unsigned commits = next.commit_valid;
  for (unsigned i = 0; i < 10; ++i) {
    commits += Cycle(1, 0, {}).commit_valid;
  }
  EXPECT_EQ(commits, 1U);
}

TEST_F(FpgaLink, SeveralPulsesAreAsManyCycles) {
  constexpr unsigned kCycles = 6;
  Inputs in;
  in.fence_ack = 0xFF;
  in.issue[0].kind = OpKind::kArrive;
  in.issue[0].count = 0x100;
  in.issue[0].lanes = ~0U;
  Bytes pins;
  // An arrival of each warp, looked at one cycle later than that of the warp before.
  std::vector<Bytes> expected(kCycles);
  const auto show = [](const Outputs& out) {
    return Bytes{static_cast<std::uint8_t>(out.busy != 0), out.commit_valid,
                 static_cast<std::uint8_t>(out.entry_valid)};
  };
  Cycle(1, 0, {0});  // the arrival of the fixture
  Cycle(kCycles, 0, {});
  for (unsigned warp = 1; warp <= kCycles; ++warp) {
    in.issue[0].warp = static_cast<std::uint8_t>(warp);
    in.issue_valid = 1;
    EncodePins({}, in, &pins);
    Cycle(0, 0, pins);
    Cycle(1, 0, {0});
    if (warp == 1) {
      for (unsigned i = 0; i < kCycles; ++i) {
        expected[i] = show(Cycle(1, 0, {}));
      }
    } else {
      EXPECT_EQ(show(Cycle(warp - 1, 0, {})), expected[warp - 2]) << warp;
    }
    Cycle(kCycles, 0, {});
  }
  EXPECT_NE(expected.front(), expected.back());
}

}  // namespace
}  // namespace muster::board
