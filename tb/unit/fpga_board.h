// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The Verilated top of the iCE40HX-8K board at its serial pins.
#ifndef MUSTER_TB_UNIT_FPGA_BOARD_H_
#define MUSTER_TB_UNIT_FPGA_BOARD_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "sim/board/frame.h"
#include "sim/board/line.h"

namespace muster::board {

class SimulatedBoard {
 public:
  // How it is Verilated (fpga.cmake): faster than a board's line, and less patient.
  static constexpr unsigned kClocksPerBit = 4;
  static constexpr unsigned kGapCycles = 1024;
  static constexpr unsigned kSmemBytes = 1024;
  // All answers have gone out, and spoilt frames are reported.
  static constexpr unsigned kQuiet = 2 * kGapCycles;

  // The named barriers alone; both scopes, as for the HX8K; with more shared memory, and the places
  // in the response queue of the configuration `small`.
  enum class Variant { kNamed, kWhole, kRoomy };
  static std::unique_ptr<SimulatedBoard> Make(Variant variant);

  SimulatedBoard() = default;
  SimulatedBoard(const SimulatedBoard&) = delete;
  SimulatedBoard& operator=(const SimulatedBoard&) = delete;
  virtual ~SimulatedBoard() = default;

  void Send(const Bytes& bytes) { queue_.insert(queue_.end(), bytes.begin(), bytes.end()); }
  // A byte whose stop bit is missing.
  void SendBroken(std::uint8_t byte) { queue_.push_back(byte | kBroken); }
  // Runs until nothing has happened on either line for so many cycles.
  void Run(unsigned quiet);
  // Runs until a byte has come, or nothing has happened for so long.
  void RunToByte(unsigned quiet);

  Bytes Received();  // since the latest call
  // Those among them that are good, one by one.
  std::vector<Frame> Frames();

  virtual std::uint8_t leds() const = 0;

 protected:
  // One clock cycle with this level on the line to the board; returns that of the line from it.
  virtual bool Clock(bool line) = 0;

 private:
  static constexpr std::uint16_t kBroken = 0x100;
  static constexpr unsigned kBits = 10;

  void Step();

  std::deque<std::uint16_t> queue_;
  std::uint16_t shift_ = 0xFFFF;  // bits to send
  unsigned send_left_ = 0;        // cycles of the byte that is sent
  Bytes received_;
  bool level_ = true;        // of the line from the board
  unsigned receive_at_ = 0;  // cycles since the start bit; 0: none
  std::uint8_t receive_ = 0;
  unsigned quiet_ = 0;
};

// A line to such a board, in one process; time passes while the host waits for an answer.
class SimulatedLine : public Line {
 public:
  explicit SimulatedLine(SimulatedBoard::Variant variant) : board_(SimulatedBoard::Make(variant)) {}

  void Write(const Bytes& bytes) override { board_->Send(bytes); }
  Bytes Read(int /*milliseconds*/) override {
    board_->RunToByte(SimulatedBoard::kQuiet);
    return board_->Received();
  }

 private:
  std::unique_ptr<SimulatedBoard> board_;
};

}  // namespace muster::board

#endif  // MUSTER_TB_UNIT_FPGA_BOARD_H_
