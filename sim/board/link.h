// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Commands to a board, each answered before the next. What is not answered, or refused because the
// line spoilt it, is sent again; the board carries out nothing twice.
#ifndef MUSTER_SIM_BOARD_LINK_H_
#define MUSTER_SIM_BOARD_LINK_H_

#include <cstdint>
#include <memory>

#include "sim/board/frame.h"
#include "sim/board/line.h"

namespace muster::board {

// As rtl/fpga/muster_fpga_pkg.sv has them.
enum class Command : std::uint8_t { kIdentify = 1, kReset = 2, kCycle = 3, kStore = 4 };
inline constexpr std::uint8_t kReply = 0x80;  // set in the first byte of an answer
inline constexpr std::uint8_t kError = 0xFF;
enum class Cause : std::uint8_t {
  kNone,
  kStart,
  kLine,
  kGap,
  kCrc,
  kLength,
  kCommand,
  kSequence,
};

// The answer of a board to the question what it is.
struct Identity {
  std::uint8_t version = 0;
  std::uint8_t num_warps = 0;
  std::uint8_t num_ctas = 0;
  std::uint8_t num_issue = 0;
  bool mbarrier = false;
  bool remote = false;
  std::uint8_t smem_log2 = 0;  // bytes of a CTA
  std::uint8_t clock_mhz = 0;
};

class Link {
 public:
  // Waits so many milliseconds for an answer.
  explicit Link(std::unique_ptr<Line> line, int patience = 1000)
      : line_(std::move(line)), patience_(patience) {}

  // All of them throw BoardError.
  Identity Identify();
  // The unit is as after power-up; pins stay.
  void Reset() { Exchange({static_cast<std::uint8_t>(Command::kReset)}); }
  // Clocks the unit `pulses` times, then sets the pins from byte `first` on. Returns the outputs
  // that follow.
  Bytes Cycle(unsigned pulses, std::size_t first, const Bytes& pins);
  // Bytes of shared memory.
  void Store(std::uint32_t address, const Bytes& bytes);

  std::uint64_t exchanges() const { return exchanges_; }
  std::uint64_t repeats() const { return repeats_; }  // frames that were sent again

 private:
  Bytes Exchange(const Bytes& payload);
  bool Answered(const Frame& sent, Bytes* reply);
  [[noreturn]] void Refused() const;

  std::unique_ptr<Line> line_;
  const int patience_;
  Decoder decoder_;
  std::uint8_t sequence_ = 0;
  std::uint64_t exchanges_ = 0;
  std::uint64_t repeats_ = 0;
  std::uint8_t refused_ = 0;  // the cause of the latest refusal of the frame
};

}  // namespace muster::board

#endif  // MUSTER_SIM_BOARD_LINK_H_
