// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Frames of the serial line to a board (rtl/fpga/README.md): start byte, length, number, payload,
// check sum.
#ifndef MUSTER_SIM_BOARD_FRAME_H_
#define MUSTER_SIM_BOARD_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::board {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kStartByte = 0xA5;
inline constexpr std::size_t kMaxPayload = 128;  // to the board; answers are shorter than 256

// CRC-16/CCITT: polynomial 0x1021, from 0xFFFF, high bit first.
std::uint16_t Crc16(const std::uint8_t* data, std::size_t size);

struct Frame {
  std::uint8_t sequence = 0;
  Bytes payload;
};

Bytes Encode(const Frame& frame);

// Finds frames in a stream of bytes. What is not a good frame is passed over.
class Decoder {
 public:
  // A frame, if this byte is its last.
  std::optional<Frame> Push(std::uint8_t byte);
  void Clear() { bytes_.clear(); }

 private:
  Bytes bytes_;  // from a start byte on
};

}  // namespace muster::board

#endif  // MUSTER_SIM_BOARD_FRAME_H_
