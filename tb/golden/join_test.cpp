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

TEST(GoldenOpen, FindsNothingOfTheFormerCta) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: ARV 9,64               -> sync 1/2
    0: RED.POPC 3,64 p=0xff   -> popc 1/2 8
    1: SYNC 4                 -> sync 1/all
    suspend 0
    open 0 size 2
    0: join
    0: B2R.BAR 3              -> reads idle
    0: B2R.BAR 4              -> reads idle
    0: B2R.BAR 9              -> reads idle
    0: ARV 9,64               -> sync 1/2
    0: RED.OR 3 p=0           -> or 1/all
    1: join
    1: RED.OR 3 p=0           -> completes release 0 1 with or 0
    0: SYNC 4                 -> sync 1/all
    end 0                     -> hazard unfinished_barrier

    launch 0: 0 1 2           # nor what it owes
    0: R2B.BAR 7 sync 2/all   -> sync 2/all
    end 0                     -> hazard unfinished_barrier
    open 0 size 2
    0: join
    0: SYNC 7                 -> sync 1/all
    1: join
    1: exit                   -> bar 7 completes release 0
  )");
}

// Who had not joined when the CTA left does not join the next one, and is not waited for there.
TEST(GoldenOpen, ForgetsWhoHadNotJoined) {
  Trace().Run(R"(
    open 0 size 4
    0: join
    suspend 0
    1: join                   -> fault cta_not_resident
    open 0 size 2
    0: join
    0: SYNC 1                 -> sync 1/all
    1: join
    1: SYNC 1                 -> completes release 0 1
    2: join                   -> fault bad_join
    end 0

    open 0 size 4
    0: join
    end 0
    launch 0: 0 1 size 3
    0: SYNC 1                 -> sync 1/all
    2: join                   -> fault bad_join
    1: SYNC 1                 -> completes release 0 1
  )");
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

TEST(GoldenJoin, OnlyWarpPassesAtOnce) {
  Trace().Run(R"(
    open 0 size 1
    7: join
    7: SYNC 0                 -> completes release 7
    7: RED.AND 0 p=0xffffffff -> completes release 7 with and 1
  )");
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

// Who has not joined adds nothing to a reduction, and takes nothing from it.
TEST(GoldenJoin, ReductionsWaitToo) {
  Trace().Run(R"(
    open 0 size 2
    0: join
    0: RED.AND 5 p=0xffffffff -> and 1/all 1
    1: join lanes=0xf
    1: RED.AND 5 lanes=0xf p=0xf -> completes release 0 1 with and 1
    0: RED.POPC 5 p=0x7       -> popc 1/all 3
    1: exit lanes=0x7
    1: exit lanes=0x8         -> bar 5 completes release 0 with popc 3
    0: B2R.RESULT             -> reads 3
  )");
}

// An exit that leaves none but warps that have not joined completes nothing. They do, by the last
// arrival or the last exit.
TEST(GoldenJoin, ExitDoesNotStandInForThoseToJoin) {
  Trace().Run(R"(
    open 0 size 3
    0: join
    1: join
    0: SYNC 7                 -> sync 1/all
    1: exit
    0: B2R.WARP               -> reads none waits 7
    2: join
    0: B2R.BAR 7              -> reads sync 1/all
    2: SYNC 7                 -> completes release 0 2
    end 0

    open 0 size 3
    0: join
    1: join
    0: SYNC 7                 -> sync 1/all
    1: exit
    2: join
    2: exit                   -> bar 7 completes release 0
    0: SYNC 7                 -> completes release 0
    end 0

    open 0 size 4             # two more, the one arrives and the other exits
    0: join
    1: join
    0: RED.POPC 2 p=0x3       -> popc 1/all 2
    1: exit
    2: join
    2: RED.POPC 2 p=0x1       -> popc 2/all 3
    3: join
    3: exit                   -> bar 2 completes release 0 2 with popc 3
  )");
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

// An explicit count is a count: it neither waits for those to join, nor ends below them, and its
// limit is the size that the open has announced.
TEST(GoldenJoin, ExplicitCounts) {
  Trace().Run(R"(
    open 0 size 4
    0: join
    0: SYNC 1,32              -> completes release 0
    0: ARV 2,128              -> sync 1/4
    0: SYNC 3,160             -> fault count_above_cta
    1: join
    1: SYNC 1,64              -> sync 1/2
    0: SYNC 1,64              -> completes release 0 1
    0: SYNC 4,96              -> sync 1/3
    1: exit
    2: join
    2: SYNC 4,96              -> sync 2/3
    3: join
    3: ARV 2,128              -> sync 2/4
    3: SYNC 4,96              -> completes release 0 2 3
    3: SYNC 4,128             -> sync 1/4
    2: SYNC 4                 -> fault count_mismatch
  )");
}

// The slot of a warp that has exited joins again: that is another warp, with a copy, lanes and
// arrivals of its own. What the former one has done still counts.
TEST(GoldenJoin, SlotJoinsAgainAsAnotherWarp) {
  Trace().Run(R"(
    open 0 size 3
    5: join lanes=0x1
    5: ARV 2,96               -> sync 1/3
    5: RED.POPC 1,32 p=0x7 lanes=0x7 -> completes release 5 with popc 3
    5: B2R.WARP               -> reads popc 3 of 1
    5: exit lanes=0x1
    5: join lanes=0xff
    5: B2R.WARP               -> reads none
    5: B2R.RESULT             -> reads 0
    5: exit lanes=0x1
    5: ARV 2,96               -> sync 2/3
    5: SYNC 6                 -> sync 1/all
    4: join
    4: SYNC 6                 -> completes release 4 5
    5: ARV 2,96               -> completes releases nobody hazard repeated_arrival
    5: SYNC 6                 -> sync 1/all
    4: exit                   -> bar 6 completes release 5
    4: join                   -> fault bad_join
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

// A warp has the lanes that its join names, no fewer and no more.
TEST(GoldenJoin, LanesOfThePartialWarp) {
  Trace().Run(R"(
    open 0 size 3
    0: join
    1: join lanes=0xf
    2: join lanes=0x80000001
    0: SYNC 0                 -> sync 1/all
    1: exit lanes=0xfffffff0  # lanes that it does not have
    1: SYNC 1                 -> sync 1/all
    2: exit lanes=0x1
    2: SYNC 1                 -> sync 2/all
    end 0                     -> hazard unfinished_barrier
    open 0 size 3
    0: join
    1: join lanes=0xf
    2: join lanes=0x80000001
    0: SYNC 0                 -> sync 1/all
    1: exit lanes=0x3
    1: exit lanes=0xc
    1: exit                   -> fault warp_not_live
    2: exit lanes=0x1
    2: exit lanes=0x80000000  -> bar 0 completes release 0
    0: exit lanes=0x7fffffff
    0: SYNC 0                 -> completes release 0
    0: exit lanes=0x80000000
    0: SYNC 0                 -> fault warp_not_live
  )");
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

// Warps to join are live for R2B.BAR, too: who is missing at an all-warps entry may be among them.
TEST(GoldenJoin, R2bBarCountsThoseToJoin) {
  Trace().Run(R"(
    open 0 size 4
    0: join
    0: R2B.BAR 1 sync 4/all   -> fault bad_state_word
    0: R2B.BAR 1 sync 3/4     -> sync 3/4
    0: R2B.BAR 2 sync 1/5     -> fault bad_state_word
    0: R2B.WARP popc 129 of 1 -> fault bad_state_word
    0: R2B.WARP popc 128 of 1
    1: join
    1: exit
    0: R2B.BAR 2 sync 3/all   -> fault bad_state_word
    0: R2B.BAR 2 sync 2/all   -> sync 2/all
  )");
}

// A join is neither an arrival nor an exit: it goes on while a restore owes waiting warps, and pays
// none back.
TEST(GoldenJoin, AmidARestore) {
  Trace().Run(R"(
    open 0 size 3
    0: join
    0: R2B.BAR 7 sync 2/all   -> sync 2/all
    0: SYNC 7                 -> fault restore_unfinished
    1: join
    1: R2B.WARP none waits 7
    2: join
    2: SYNC 7                 -> fault restore_unfinished
    2: exit                   -> fault restore_unfinished
    2: join                   -> fault bad_join
    0: R2B.WARP none waits 7
    2: SYNC 7                 -> completes release 0 1 2
  )");
}

}  // namespace
}  // namespace muster::golden
