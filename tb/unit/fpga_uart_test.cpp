// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Receiver and transmitter of the serial line, Verilated, with their line in the test's hands.
#include <Vuart_rx.h>
#include <Vuart_tx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "tb/unit/clocked.h"

namespace muster::board {
namespace {

constexpr unsigned kClocksPerBit = 16;
constexpr unsigned kBits = 10;

class Receiver {
 public:
  Receiver() {
    top_.line_i = 1;
    top_.rst_ni = 0;
    Clock(true);
    top_.rst_ni = 1;
    Clock(true);
  }
  ~Receiver() { top_.final(); }

  // Sends ten bits, each so many clock cycles long, which need not be whole.
  void Send(unsigned bits, double length) {
    double end = 0;
    unsigned cycle = 0;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      for (end += length; cycle < std::lround(end); ++cycle) {
        Clock((bits >> bit & 1) != 0);
      }
    }
  }
  void Idle(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      Clock(true);
    }
  }

  std::vector<unsigned> bytes;
  unsigned broken = 0;

 private:
  void Clock(bool line) {
    top_.line_i = static_cast<std::uint8_t>(line);
    top_.clk_i = 0;
    top_.eval();
    if (top_.valid_o != 0) {
      bytes.push_back(top_.byte_o);
      broken += top_.broken_o;
    }
    top_.clk_i = 1;
    top_.eval();
  }

  Vuart_rx top_;
};

unsigned Framed(unsigned byte) { return 0x200 | byte << 1; }

TEST(FpgaUart, ReceivesEveryByteAtClocksThatDiffer) {
  for (const double length : {15.6, 16.0, 16.4}) {  // 2.5 %
    Receiver receiver;
    for (unsigned byte = 0; byte < 256; ++byte) {
      receiver.Send(Framed(byte), length);
    }
    receiver.Idle(2 * kClocksPerBit);
    ASSERT_EQ(receiver.bytes.size(), 256U) << length;
    for (unsigned byte = 0; byte < 256; ++byte) {
      EXPECT_EQ(receiver.bytes[byte], byte) << length;
    }
    EXPECT_EQ(receiver.broken, 0U);
  }
}

TEST(FpgaUart, SaysWhereAStopBitIsMissing) {
  Receiver receiver;
  receiver.Send(Framed(0x5A) & 0x1FF, kClocksPerBit);
  receiver.Idle(2 * kClocksPerBit);
  EXPECT_EQ(receiver.broken, 1U);
  receiver.Send(Framed(0xC3), kClocksPerBit);
  receiver.Idle(2 * kClocksPerBit);
  EXPECT_EQ(receiver.broken, 1U);
  EXPECT_EQ(receiver.bytes.back(), 0xC3U);
}

TEST(FpgaUart, SendsEveryByteBitByBit) {
  Vuart_tx top;
  top.clk_i = 0;
  top.valid_i = 0;
  top.rst_ni = 0;
  top.eval();
  EndCycle(&top);
  top.rst_ni = 1;
  top.eval();
  for (unsigned byte = 0; byte < 256; ++byte) {
    ASSERT_EQ(top.ready_o, 1);
    ASSERT_EQ(top.line_o, 1);
    top.byte_i = static_cast<std::uint8_t>(byte);
    top.valid_i = 1;
    EndCycle(&top);
    top.valid_i = 0;
    for (unsigned cycle = 0; cycle < kBits * kClocksPerBit; ++cycle) {
      ASSERT_EQ(top.line_o, Framed(byte) >> cycle / kClocksPerBit & 1) << byte << ", " << cycle;
      ASSERT_EQ(top.ready_o, 0);
      EndCycle(&top);
    }
  }
  top.final();
}

}  // namespace
}  // namespace muster::board
