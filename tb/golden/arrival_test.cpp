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

// PTX: "If no thread count is specified, all threads in the CTA participate in the barrier."
TEST(GoldenSync, CountZeroWaitsForEveryLiveWarp) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    2: SYNC 1                 -> sync 1/all
    0: SYNC 1                 -> sync 2/all
    3: SYNC 1                 -> sync 3/all
    1: SYNC 1                 -> completes release 0 1 2 3
  )");
}

// BAR.SYNC: with SrcCnt > 0 the barrier is complete when its count equals SrcCnt.
TEST(GoldenSync, ExplicitCountWaitsForThatManyWarps) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    1: SYNC 1,64              -> sync 1/2
    3: SYNC 1,64              -> completes release 1 3
  )");
}

// A count of one warp: the warp waits for no other.
TEST(GoldenSync, CountOfOneWarpDoesNotWait) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    2: SYNC 1,32              -> completes release 2
    2: SYNC 1,32              -> completes release 2
  )");
}

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

// PTX: "the barrier is reinitialized so that it can be immediately reused."
TEST(GoldenSync, EntryIsReusedAtOnceWithAnotherCountAndKind) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 5,64              -> sync 1/2
    1: SYNC 5,64              -> completes release 0 1
    0: SYNC 5,96              -> sync 1/3
    1: SYNC 5,96              -> sync 2/3
    2: SYNC 5,96              -> completes release 0 1 2
    2: RED.OR 5 p=0           -> or 1/all
    0: RED.OR 5 p=0           -> or 2/all
    1: RED.OR 5 p=0           -> or 3/all
    3: RED.OR 5 p=0           -> completes release 0 1 2 3 with or 0
    3: SYNC 5,64              -> sync 1/2
  )");
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

// BAR.SYNC: one instruction adds 32, also for a warp of which only some lanes execute it; lanes of
// one warp that come apart count a warp each.
TEST(GoldenSync, PartOfAWarpCountsAsAWarp) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0 lanes=0x1       -> sync 1/all
    1: SYNC 0 lanes=0x80000000 -> completes release 0 1
    0: ARV 3,64 lanes=0xffff  -> sync 1/2
    0: ARV 3,64 lanes=0xffff0000 -> completes releases nobody hazard repeated_arrival
  )");
}

// With no participating lane an instruction is no operation, whatever it names.
TEST(GoldenSync, WithoutLanesNothingHappens) {
  Trace().Run(R"(
    0: SYNC 0 lanes=0
    launch 0: 0 1
    0: SYNC 0 lanes=0
    0: ARV 0 lanes=0
    0: RED.AND 0,7 lanes=0
    0: B2R.BAR 0 lanes=0
    0: B2R.WARP lanes=0
    0: B2R.RESULT lanes=0
    0: R2B.BAR 0 0xffffffff lanes=0
    0: R2B.WARP 0xffffffff lanes=0
    0: exit lanes=0
    7: exit lanes=0
    0: SYNC 0                 -> sync 1/all
    0: SYNC 1 lanes=0
    1: SYNC 0                 -> completes release 0 1
  )");
}

// A CTA of a single warp never waits, but its barriers complete like any other.
TEST(GoldenSync, SingleWarpPassesAtOnce) {
  Trace().Run(R"(
    launch 0: 6
    6: SYNC 0                 -> completes release 6
    6: SYNC 0,32              -> completes release 6
    6: ARV 0,32               -> completes releases nobody
    6: RED.POPC 0 p=0x7       -> completes release 6 with popc 3
  )");
}

// PTX: "barrier.arrive does not cause executing thread to wait"; BAR.ARV.
TEST(GoldenArrive, ArrivesAndGoesOn) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV 2,96               -> sync 1/3
    0: ARV 3,64               -> sync 1/2
    1: SYNC 2,96              -> sync 2/3
    2: SYNC 2,96              -> completes release 1 2
    1: SYNC 3,64              -> completes release 1
  )");
}

// An arrival that does not wait can be the one that completes.
TEST(GoldenArrive, CompletesForTheOthers) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    1: SYNC 2,96              -> sync 1/3
    2: SYNC 2,96              -> sync 2/3
    0: ARV 2,96               -> completes release 1 2
    0: SYNC 2                 -> sync 1/all
  )");
}

// A generation of arrivals alone completes, and no trace of it is left.
TEST(GoldenArrive, CompletesWithoutWaiters) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: ARV 4,64               -> sync 1/2
    1: ARV 4,64               -> completes releases nobody
    2: SYNC 4,64              -> sync 1/2
    0: ARV 4,64               -> completes release 2
  )");
}

// Each arrival counts, also the second one of the same warp in one generation.
TEST(GoldenArrive, SecondArrivalOfAWarpCounts) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV 4,128              -> sync 1/4
    0: ARV 4,128              -> sync 2/4 hazard repeated_arrival
    0: ARV 4,128              -> sync 3/4 hazard repeated_arrival
    1: SYNC 4,128             -> completes release 1
    0: ARV 4,64               -> sync 1/2
    0: SYNC 4,64              -> completes release 0 hazard repeated_arrival
  )");
}

// The producer/consumer example of the PTX text, two rounds: barrier 0 is "full", barrier 1
// "empty".
TEST(GoldenArrive, ProducerAndConsumer) {
  Trace().Run(R"(
    launch 0: 0 1
    0: ARV 0,64               -> sync 1/2
    1: SYNC 0,64              -> completes release 1
    0: SYNC 1,64              -> sync 1/2
    1: ARV 1,64               -> completes release 0
    1: SYNC 0,64              -> sync 1/2
    0: ARV 0,64               -> completes release 1
    1: ARV 1,64               -> sync 1/2
    0: SYNC 1,64              -> completes release 0
  )");
}

}  // namespace
}  // namespace muster::golden
