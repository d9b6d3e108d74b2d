// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/frame.h"

#include <algorithm>

namespace muster::board {
namespace {

constexpr std::size_t kHead = 3;      // start byte, length, number
constexpr std::size_t kCheckSum = 2;  // high byte first

}  // namespace

std::uint16_t Crc16(const std::uint8_t* data, std::size_t size) {
  std::uint16_t crc = 0xFFFF;
  for (std::size_t i = 0; i < size; ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool flips = (crc >> 15 != 0) != ((data[i] >> (7 - bit) & 1) != 0);
      crc = static_cast<std::uint16_t>(crc << 1 ^ (flips ? 0x1021 : 0));
    }
  }
  return crc;
}

Bytes Encode(const Frame& frame) {
  Bytes bytes;
  bytes.reserve(kHead + frame.payload.size() + kCheckSum);
  bytes.push_back(kStartByte);
  bytes.push_back(static_cast<std::uint8_t>(frame.payload.size()));
  bytes.push_back(frame.sequence);
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  const std::uint16_t crc = Crc16(&bytes[1], bytes.size() - 1);
  bytes.push_back(static_cast<std::uint8_t>(crc >> 8));
  bytes.push_back(static_cast<std::uint8_t>(crc));
  return bytes;
}

std::optional<Frame> Decoder::Push(std::uint8_t byte) {
  bytes_.push_back(byte);
  // A start byte within what proves to be no frame may be the true one.
  while (!bytes_.empty()) {
    if (bytes_[0] != kStartByte) {
      bytes_.erase(bytes_.begin(), std::find(bytes_.begin(), bytes_.end(), kStartByte));
      continue;
    }
    if (bytes_.size() < 2 || bytes_.size() < kHead + bytes_[1] + kCheckSum) {
      return std::nullopt;
    }
    const std::size_t end = kHead + bytes_[1];
    const std::uint16_t crc = Crc16(&bytes_[1], end - 1);
    if (bytes_[end] == crc >> 8 && bytes_[end + 1] == (crc & 0xFF)) {
      Frame frame{bytes_[2], {&bytes_[kHead], &bytes_[end]}};
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(end + kCheckSum));
      return frame;
    }
    bytes_.erase(bytes_.begin());
  }
  return std::nullopt;
}

}  // namespace muster::board
