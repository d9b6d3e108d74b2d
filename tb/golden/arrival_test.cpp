// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Counting, completing and waiting: PTX ISA 9.7.13.1; BCU ISA, sections BAR.SYNC and BAR.ARV.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/isa/effects.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

// The counts compare for equality, and with 64 warps the largest needs seven bits.
TEST(GoldenSync, SixtyFourWarpsAreCounted) {
  Trace trace("full");
  std::string text = "launch 0:";
  for (unsigned warp = 0; warp < 64; ++warp) {
    text += fmt::format(" {}", warp);
  }
  for (const char* form : {"0", "0,2048"}) {
    std::string everyone;
    for (unsigned warp = 0; warp < 63; ++warp) {
      text += fmt::format("\n{}: SYNC {} -> sync {}/{}", warp, form, warp + 1,
                          std::string_view(form) == "0" ? "all" : "64");
      everyone += fmt::format(" {}", warp);
    }
    text += fmt::format("\n63: SYNC {} -> completes release{} 63", form, everyone);
  }
  trace.Run(text);
}

// PTX: "Each CTA instance has sixteen barriers numbered 0..15."
TEST(GoldenSync, SixteenBarriersAreIndependent) {
  Trace trace("default");
  std::string text = "launch 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16";
  for (unsigned bar = 0; bar < 16; ++bar) {
    text += fmt::format("\n{}: SYNC {},64 -> sync 1/2", bar, bar);
  }
  trace.Run(text);
  trace.Run(R"(
    16: SYNC 9,64             -> completes release 9 16
    16: SYNC 15,64            -> completes release 15 16
    16: SYNC 0,64             -> completes release 0 16
  )");
}

}  // namespace
}  // namespace muster::golden
