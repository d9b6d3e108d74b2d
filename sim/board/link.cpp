// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/link.h"

#include <fmt/format.h>

#include <optional>

namespace muster::board {
namespace {

constexpr unsigned kAttempts = 5;
constexpr std::uint8_t kVersion = 5;
constexpr std::size_t kIdentityBytes = 8;

}  // namespace

Identity Link::Identify() {
  const Bytes reply = Exchange({static_cast<std::uint8_t>(Command::kIdentify)});
  if (reply.size() != kIdentityBytes || reply[1] != kVersion) {
    throw BoardError("the board speaks another version of the link: build its bitstream again");
  }
  return {reply[1], reply[2], reply[3], reply[4], (reply[5] & 1) != 0, (reply[5] & 2) != 0,
          reply[6], reply[7]};
}

Bytes Link::Cycle(unsigned pulses, std::size_t first, const Bytes& pins) {
  Bytes payload{static_cast<std::uint8_t>(Command::kCycle), static_cast<std::uint8_t>(pulses),
                static_cast<std::uint8_t>(first)};
  payload.insert(payload.end(), pins.begin(), pins.end());
  Bytes reply = Exchange(payload);
  reply.erase(reply.begin());
  return reply;
}

void Link::Store(std::uint32_t address, const Bytes& bytes) {
  Bytes payload{static_cast<std::uint8_t>(Command::kStore), static_cast<std::uint8_t>(address),
                static_cast<std::uint8_t>(address >> 8), static_cast<std::uint8_t>(address >> 16)};
  payload.insert(payload.end(), bytes.begin(), bytes.end());
  Exchange(payload);
}

Bytes Link::Exchange(const Bytes& payload) {
  const Frame frame{++sequence_, payload};
  ++exchanges_;
  refused_ = 0;
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    repeats_ += static_cast<std::uint64_t>(attempt != 0);
    line_->Write(Encode(frame));
    if (Bytes reply; Answered(frame, &reply)) {
      return reply;
    }
  }
  if (refused_ == static_cast<std::uint8_t>(Cause::kLength)) {
    Refused();
  }
  throw BoardError(
      fmt::format("the board has not answered {} times: is it the right device, and is "
                  "the bitstream loaded?",
                  kAttempts));
}

void Link::Refused() const {
  throw BoardError(fmt::format(
      "the board refuses a command (cause {}): its bitstream is not of this version", refused_));
}

// False: nothing came, or the frame came to the board spoilt; its length may have been.
bool Link::Answered(const Frame& sent, Bytes* reply) {
  decoder_.Clear();
  for (;;) {
    const Bytes bytes = line_->Read(patience_);
    if (bytes.empty()) {
      return false;
    }
    for (const std::uint8_t byte : bytes) {
      const std::optional<Frame> frame = decoder_.Push(byte);
      if (!frame || frame->payload.empty()) {
        continue;
      }
      if (frame->payload[0] == (sent.payload[0] | kReply) && frame->sequence == sent.sequence) {
        *reply = frame->payload;
        return true;
      }
      if (frame->payload[0] != kError || frame->payload.size() < 2) {
        continue;  // an answer to what was repeated
      }
      refused_ = frame->payload[1];
      if (refused_ <= static_cast<std::uint8_t>(Cause::kLength)) {
        return false;
      }
      Refused();
    }
  }
}

}  // namespace muster::board
