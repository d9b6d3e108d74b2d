// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Video instructions: vadd and the like, on a part of each register (vector 1), or on two halves or
// four bytes at once.
#ifndef MUSTER_SIM_PTX_PROGRAM_VIDEO_H_
#define MUSTER_SIM_PTX_PROGRAM_VIDEO_H_

#include <cstdint>
#include <cstring>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

enum class VideoOp : std::uint8_t {
  kAdd,
  kSub,
  kAbsDiff,
  kMin,
  kMax,
  kAverage,
  kShl,
  kShr,
  kMad,
  kSet,
};

// What is done with the result and c.
enum class VideoSecond : std::uint8_t { kNone, kAdd, kMin, kMax };

// A part of a register: byte 0 to 3, then half 0 and 1.
inline constexpr unsigned kHalfPart = 4;
inline constexpr unsigned kWholePart = 6;

// What such an instruction has beside its operands, its type and .sat: in Instruction::offset.
struct Video {
  std::uint16_t a;  // the part; of several elements a digit each: which of a's and b's
  std::uint16_t b;
  std::uint8_t d;  // likewise; of several elements a bit for each that is written
  Compare compare;
  VideoSecond second;
  std::uint8_t shift : 4;  // mad: of the result, to the right
  bool a_signed : 1;
  bool b_signed : 1;
  bool wraps : 1;     // shl, shr
  bool plus_one : 1;  // mad
};
static_assert(sizeof(Video) == sizeof(Instruction::offset));

inline Video VideoOf(const Instruction& i) {
  Video video{};
  std::memcpy(&video, &i.offset, sizeof video);
  return video;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_VIDEO_H_
