// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/fpga_board.h"

#include <Vhx8k_named.h>
#include <Vhx8k_roomy.h>
#include <Vhx8k_whole.h>
#include <verilated.h>

#include <utility>

namespace muster::board {
namespace {

template <typename Top>
class Verilated final : public SimulatedBoard {
 public:
  ~Verilated() override { top_.final(); }

  std::uint8_t leds() const override { return top_.led_o; }

 protected:
  bool Clock(bool line) override {
    top_.rx_i = static_cast<std::uint8_t>(line);
    top_.clk_12_i = 1;
    top_.eval();
    top_.clk_12_i = 0;
    top_.eval();
    return top_.tx_o != 0;
  }

 private:
  VerilatedContext context_;
  Top top_{&context_, "board"};
};

}  // namespace

std::unique_ptr<SimulatedBoard> SimulatedBoard::Make(Variant variant) {
  std::unique_ptr<SimulatedBoard> board;
  switch (variant) {
    case Variant::kNamed:
      board = std::make_unique<Verilated<Vhx8k_named>>();
      break;
    case Variant::kWhole:
      board = std::make_unique<Verilated<Vhx8k_whole>>();
      break;
    case Variant::kRoomy:
      board = std::make_unique<Verilated<Vhx8k_roomy>>();
      break;
  }
  board->Run(kQuiet);  // the PLL locks
  return board;
}

void SimulatedBoard::Run(unsigned quiet) {
  for (quiet_ = 0; quiet_ < quiet;) {
    Step();
  }
}

void SimulatedBoard::RunToByte(unsigned quiet) {
  for (quiet_ = 0; quiet_ < quiet && received_.empty();) {
    Step();
  }
}

Bytes SimulatedBoard::Received() { return std::exchange(received_, {}); }

std::vector<Frame> SimulatedBoard::Frames() {
  std::vector<Frame> frames;
  Decoder decoder;
  for (const std::uint8_t byte : Received()) {
    if (std::optional<Frame> frame = decoder.Push(byte)) {
      frames.push_back(*std::move(frame));
    }
  }
  return frames;
}

void SimulatedBoard::Step() {
  if (send_left_ == 0 && !queue_.empty()) {
    const bool broken = (queue_.front() & kBroken) != 0;
    shift_ = static_cast<std::uint16_t>((queue_.front() & 0xFF) << 1 | (broken ? 0xFC00 : 0xFE00));
    queue_.pop_front();
    // After a byte without its stop bit, the line is high for a bit.
    send_left_ = (kBits + static_cast<unsigned>(broken)) * kClocksPerBit;
  }
  const bool level = Clock((shift_ & 1) != 0);
  if (send_left_ != 0 && --send_left_ % kClocksPerBit == 0) {
    shift_ = static_cast<std::uint16_t>(shift_ >> 1 | 0x8000);
  }
  // Bits of the board are looked at in their middles.
  if (receive_at_ != 0) {
    const unsigned bit = receive_at_ / kClocksPerBit;
    if (receive_at_ % kClocksPerBit == kClocksPerBit / 2 && bit >= 1 && bit <= 8) {
      receive_ = static_cast<std::uint8_t>(receive_ >> 1 | (level ? 0x80 : 0));
    }
    ++receive_at_;
    if (receive_at_ == kBits * kClocksPerBit - 1) {
      received_.push_back(receive_);
      receive_at_ = 0;
    }
  } else if (!level && level_) {
    receive_at_ = 1;
  }
  level_ = level;
  quiet_ = (send_left_ != 0 || !queue_.empty() || receive_at_ != 0) ? 0 : quiet_ + 1;
}

}  // namespace muster::board
