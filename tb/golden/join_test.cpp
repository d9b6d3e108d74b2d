// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs that are opened, and whose warps join one by one (rtl/README.md, "The life of a CTA"). All
// warps of the CTA count as live from the open on. PTX: "If no thread count is specified, all
// threads in the CTA participate in the barrier."
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenOpen, TakesTheSlotWithoutAWarp) {
  Trace trace;
  trace.Run(R"(
    open 1 size 4
    1.0: SYNC 0               -> fault warp_not_live
    1.0: ARV 0,32             -> fault warp_not_live
    1.3: B2R.BAR 0            -> fault warp_not_live
    1.3: R2B.WARP none        -> fault warp_not_live
    1.0: exit                 -> fault warp_not_live
    0.0: SYNC 0               -> fault cta_not_resident
  )");
  EXPECT_TRUE(trace.model().Resident(1));
  EXPECT_FALSE(trace.model().Resident(0));
  EXPECT_EQ(trace.model().Live(), 0U);
  EXPECT_EQ(trace.model().LiveWarps(1), 0U);
  EXPECT_EQ(trace.model().ToJoin(1), 4U);
  EXPECT_EQ(trace.model().ToJoin(0), 0U);
  trace.Run(R"(
    end 1                     # no entry holds arrivals
    end 1                     -> fault cta_not_resident
  )");
  EXPECT_FALSE(trace.model().Resident(1));
  EXPECT_EQ(trace.model().ToJoin(1), 0U);
}

// It names no warps and no lanes: what is in the fields that it does not use is nothing.
TEST(GoldenOpen, LooksAtItsSizeAlone) {
  Model model(*FindConfig("small"));
  Operation open;
  open.kind = OpKind::kOpen;
  open.size = 2;
  open.warp = 5;
  open.lanes = 0xff;
  open.warps = 0xff;
  EXPECT_EQ(model.Step(open).fault, FaultCause::kNone);
  EXPECT_EQ(model.LiveWarps(0), 0U);
  EXPECT_EQ(model.ToJoin(0), 2U);
}

// Suspended or ended while warps wait for others that have not joined: no warp waits then, and the
// warps are free.
TEST(GoldenOpen, LeavesPartlyJoined) {
  for (const char* leave : {"suspend 0", "end 0 -> hazard unfinished_barrier"}) {
    Trace trace;
    trace.Run(R"(
      open 0 size 3
      0: join
      1: join
      0: SYNC 3               -> sync 1/all
    )");
    EXPECT_EQ(trace.model().Live(), 3U);
    EXPECT_EQ(trace.model().Waiting(), 1U);
    EXPECT_EQ(trace.model().ToJoin(0), 1U);
    trace.Run(leave);
    EXPECT_EQ(trace.model().Live(), 0U);
    EXPECT_EQ(trace.model().Waiting(), 0U);
    EXPECT_EQ(trace.model().ToJoin(0), 0U);
    trace.Run(R"(
      1: exit                 -> fault cta_not_resident
      2: join                 -> fault cta_not_resident
      open 1 size 2
      1.0: join
      1.1: join
      1.0: SYNC 3             -> sync 1/all
      1.1: SYNC 3             -> completes release 0 1
    )");
  }
}

TEST(GoldenJoin, AllWarpsAreWaitedFor) {
  Trace trace;
  trace.Run(R"(
    open 0 size 3
    4: join
    4: SYNC 1                 -> sync 1/all
    6: join
    6: SYNC 1                 -> sync 2/all
    0: join
    4: B2R.BAR 1              -> reads sync 2/all
    0: SYNC 1                 -> completes release 0 4 6
    0: SYNC 1                 -> sync 1/all
    6: SYNC 1                 -> sync 2/all
    4: SYNC 1                 -> completes release 0 4 6
  )");
  EXPECT_EQ(trace.model().Live(), 0x51U);
  EXPECT_EQ(trace.model().LiveWarps(0), 0x51U);
  EXPECT_EQ(trace.model().ToJoin(0), 0U);
}

TEST(GoldenJoin, WholeCore) {
  Trace trace("full");
  trace.Run("open 31 size 64");
  std::string all;
  for (unsigned warp = 0; warp < kMaxWarps; ++warp) {
    all += fmt::format(" {}", warp);
    const bool last = warp == kMaxWarps - 1;
    trace.Run(fmt::format("31.{}: join", warp));
    trace.Run(fmt::format("31.{}: SYNC 15 -> {}", warp,
                          last ? "completes release" + all : fmt::format("sync {}/all", warp + 1)));
  }
  EXPECT_EQ(trace.model().Live(), ~std::uint64_t{0});
  EXPECT_EQ(trace.model().Waiting(), 0U);
}

// The slot of a CTA whose warps have all exited stays its own, for those to join and until its end.
TEST(GoldenJoin, AfterAllOthersHaveExited) {
  Trace trace;
  trace.Run(R"(
    open 0 size 3
    0: join
    0: exit
  )");
  EXPECT_TRUE(trace.model().Resident(0));
  EXPECT_EQ(trace.model().Live(), 0U);
  EXPECT_EQ(trace.model().ToJoin(0), 2U);
  trace.Run(R"(
    open 0 size 1             -> fault bad_launch
    launch 0: 0               -> fault bad_launch
    1: join
    1: SYNC 0                 -> sync 1/all
    2: join
    2: exit                   -> bar 0 completes release 1
    1: exit
    1: join                   -> fault bad_join
    end 0
  )");
}

// The copy of a CTA that had the warp slot before is gone, too.
TEST(GoldenJoin, StateWordsReadZero) {
  Trace trace;
  trace.Run(R"(
    launch 0: 2 3
    3: RED.OR 6,32 p=0x1      -> completes release 3 with or 1
    2: RED.POPC 5 p=0x1       -> popc 1/all 1
    end 0                     -> hazard unfinished_barrier
    open 1 size 2
    1.3: join
    1.2: join
    1.3: B2R.WARP             -> reads none
    1.3: B2R.RESULT           -> reads 0
    1.2: B2R.WARP             -> reads none
    1.2: B2R.RESULT           -> reads 0
  )");
  EXPECT_EQ(trace.model().WarpWord(2), 0U);
  EXPECT_EQ(trace.model().WarpWord(3), 0U);
}

// Where lanes are not known, any exit is the whole warp's; a join names one at least all the same.
TEST(GoldenJoin, LanesAreNotKept) {
  Config config;
  config.lanes = false;
  Model model(config);
  const auto step = [&model](const char* text) { return model.Step(ParseOperation(text)); };
  step("open 0 size 2");
  EXPECT_EQ(step("0: join lanes=0").fault, FaultCause::kBadJoin);
  EXPECT_EQ(step("0: join lanes=0xff").fault, FaultCause::kNone);
  EXPECT_EQ(step("1: join lanes=0xff").fault, FaultCause::kNone);
  step("0: SYNC 3");
  const Effects effects = step("1: exit lanes=0x100");
  EXPECT_TRUE(effects.completed);
  EXPECT_EQ(effects.released, 1U);
  EXPECT_EQ(model.LiveWarps(0), 1U);
}

TEST(GoldenJoin, ConcernsItsOwnCta) {
  Trace trace;
  trace.Run(R"(
    open 0 size 2
    open 1 size 2
    1: join
    1.4: join
    0.4: SYNC 2               -> fault warp_not_live
    1: SYNC 2                 -> sync 1/all
    1.4: SYNC 2               -> sync 1/all
    1.5: join
    1.6: join                 -> fault bad_join
    0.5: SYNC 2               -> fault warp_not_live
    1.5: SYNC 2               -> completes release 4 5
    0: join
    0: SYNC 2                 -> completes release 0 1
    0: exit
    1.5: exit
    5: join                   -> fault bad_join
  )");
  EXPECT_EQ(trace.model().LiveWarps(0), 0x2U);
  EXPECT_EQ(trace.model().LiveWarps(1), 0x10U);
  trace.Run(R"(
    end 1
    open 1 size 3
    1.0: join                 # the slots of warps that have exited from other CTAs
    1.5: join
    0.0: SYNC 2               -> fault warp_not_live
    1.0: SYNC 2               -> sync 1/all
    1.5: SYNC 2               -> sync 2/all
    0.1: SYNC 2               -> completes release 1
  )");
}

}  // namespace
}  // namespace muster::golden
