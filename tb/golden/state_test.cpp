// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// B2R and R2B: BCU ISA, sections B2R, B2R.RESULT and R2B; the words bit by bit as rtl/README.md
// draws them.
#include <gtest/gtest.h>

#include "sim/isa/state_word.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenWord, BarFields) {
  BarState state;
  EXPECT_EQ(Encode(state), 0U);
  state.value = 0xabc;
  EXPECT_EQ(Encode(state), 0x00000abcU);
  state.arrived = 0x55;
  EXPECT_EQ(Encode(state), 0x00055abcU);
  state.expected = 0x40;
  EXPECT_EQ(Encode(state), 0x02055abcU);
  state.kind = 4;
  EXPECT_EQ(Encode(state), 0x12055abcU);
  state.phase = true;
  EXPECT_EQ(Encode(state), 0x32055abcU);
  state.zero = 2;
  EXPECT_EQ(Encode(state), 0xb2055abcU);

  const BarState decoded = DecodeBarWord(0xb2055abc);
  EXPECT_EQ(decoded.value, 0xabcU);
  EXPECT_EQ(decoded.arrived, 0x55U);
  EXPECT_EQ(decoded.expected, 0x40U);
  EXPECT_EQ(decoded.kind, 4U);
  EXPECT_TRUE(decoded.phase);
  EXPECT_EQ(decoded.zero, 2U);
  EXPECT_FALSE(DecodeBarWord(0xdfffffff).phase);
}

TEST(GoldenWord, WarpFields) {
  WarpState state;
  EXPECT_EQ(Encode(state), 0U);
  state.value = 0x123;
  EXPECT_EQ(Encode(state), 0x00000123U);
  state.bar = 0xe;
  EXPECT_EQ(Encode(state), 0x0000e123U);
  state.kind = 3;
  EXPECT_EQ(Encode(state), 0x0003e123U);
  state.wait_bar = 9;
  EXPECT_EQ(Encode(state), 0x004be123U);
  state.waiting = true;
  EXPECT_EQ(Encode(state), 0x00cbe123U);
  state.apart = true;
  EXPECT_EQ(Encode(state), 0x01cbe123U);
  state.zero = 0x40;
  EXPECT_EQ(Encode(state), 0x81cbe123U);

  const WarpState decoded = DecodeWarpWord(0x81cbe123);
  EXPECT_EQ(decoded.value, 0x123U);
  EXPECT_EQ(decoded.bar, 0xeU);
  EXPECT_EQ(decoded.kind, 3U);
  EXPECT_EQ(decoded.wait_bar, 9U);
  EXPECT_TRUE(decoded.waiting);
  EXPECT_TRUE(decoded.apart);
  EXPECT_EQ(decoded.zero, 0x40U);
  EXPECT_FALSE(DecodeWarpWord(0xfeffffff).apart);
}

// The words that the model gives out, in hexadecimal: phase, kind, expected, arrived, value.
TEST(GoldenWord, OfTheModel) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3
    0: RED.POPC 5,128 p=0x1ff -> popc 1/4 9
    1: RED.POPC 6,32 p=0x7    -> completes release 1 with popc 3
    1: SYNC 7                 -> sync 1/all
  )");
  EXPECT_EQ(trace.model().EntryWord(0, 5), 0x10201009U);
  EXPECT_EQ(trace.model().EntryWord(0, 6), 0x20000000U);
  EXPECT_EQ(trace.model().EntryWord(0, 7), 0x04001000U);
  EXPECT_EQ(trace.model().WarpWord(0), 0x00ac5000U);
  EXPECT_EQ(trace.model().WarpWord(1), 0x00bc6003U);
  EXPECT_EQ(trace.model().WarpWord(2), 0U);
}

}  // namespace
}  // namespace muster::golden
