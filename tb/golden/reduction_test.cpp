// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// BAR.RED and the copies of its results: PTX ISA 9.7.13.1; BCU ISA, sections BAR.RED and
// B2R.RESULT.
#include <gtest/gtest.h>

#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

// PTX: "The result of .popc is the number of threads with a True predicate".
TEST(GoldenReduce, PopcCountsTrueLanes) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.POPC 1 p=0xff      -> popc 1/all 8
    1: RED.POPC 1 p=0         -> popc 2/all 8
    2: RED.POPC 1 p=0xffffffff -> completes release 0 1 2 with popc 40
    0: B2R.RESULT             -> reads 40
    1: B2R.RESULT             -> reads 40
    2: B2R.RESULT             -> reads 40
  )");
}

// PTX: "all-threads-True".
TEST(GoldenReduce, AndNeedsEveryLane) {
  Trace().Run(R"(
    launch 0: 0 1
    0: RED.AND 1,64 p=0xffffffff -> and 1/2 1
    1: RED.AND 1,64 p=0xffffffff -> completes release 0 1 with and 1
    0: B2R.RESULT             -> reads true
    0: RED.AND 1,64 p=0xffffffff -> and 1/2 1
    1: RED.AND 1,64 p=0x7fffffff -> completes release 0 1 with and 0
    0: B2R.RESULT             -> reads 0
    1: RED.AND 1,64 p=0xfffffffe -> and 1/2
    0: RED.AND 1,64 p=0xffffffff -> completes release 0 1 with and 0
    1: B2R.RESULT             -> reads 0
  )");
}

// PTX: "any-thread-True".
TEST(GoldenReduce, OrNeedsOneLane) {
  Trace().Run(R"(
    launch 0: 0 1
    0: RED.OR 1,64 p=0        -> or 1/2
    1: RED.OR 1,64 p=0        -> completes release 0 1 with or 0
    1: B2R.RESULT             -> reads 0
    0: RED.OR 1,64 p=0x80000000 -> or 1/2 1
    1: RED.OR 1,64 p=0        -> completes release 0 1 with or 1
    1: B2R.RESULT             -> reads true
    1: RED.OR 1,64 p=0        -> or 1/2
    0: RED.OR 1,64 p=1        -> completes release 0 1 with or 1
  )");
}

// Lanes that do not take part neither count in POPC, nor spoil AND, nor make OR true; whatever
// their predicate.
TEST(GoldenReduce, LanesThatDoNotTakePartChangeNothing) {
  Trace().Run(R"(
    launch 0: 0 1
    0: RED.POPC 0 p=0xffffffff lanes=0xf -> popc 1/all 4
    1: RED.POPC 0 p=0xf3 lanes=0xf0      -> completes release 0 1 with popc 8
    0: RED.AND 0 p=0xf lanes=0xf         -> and 1/all 1
    1: RED.AND 0 p=0x10000 lanes=0x10000 -> completes release 0 1 with and 1
    0: RED.AND 0 p=0xfffffffe lanes=0x3  -> and 1/all
    1: RED.AND 0 p=0x1 lanes=0x1         -> completes release 0 1 with and 0
    0: RED.OR 0 p=0xfffffff0 lanes=0xf   -> or 1/all
    1: RED.OR 0 p=0x0000ffff lanes=0xffff0000 -> completes release 0 1 with or 0
  )");
}

// BAR.RED: after the reduction the count is zero, and so is what was reduced.
TEST(GoldenReduce, NothingLeaksIntoTheNextReduction) {
  Trace().Run(R"(
    launch 0: 0 1
    0: RED.POPC 2,64 p=0xffff -> popc 1/2 16
    1: RED.POPC 2,64 p=0x1    -> completes release 0 1 with popc 17
    0: RED.POPC 2,64 p=0x3    -> popc 1/2 2
    1: RED.POPC 2,64 p=0x0    -> completes release 0 1 with popc 2
    0: RED.AND 2,64 p=0       -> and 1/2
    1: RED.AND 2,64 p=0       -> completes release 0 1 with and 0
    0: RED.AND 2,64 p=0xffffffff -> and 1/2 1
    1: RED.AND 2,64 p=0xffffffff -> completes release 0 1 with and 1
    0: RED.OR 2,64 p=0        -> or 1/2
    1: RED.OR 2,64 p=0        -> completes release 0 1 with or 0
    0: SYNC 2,64              -> sync 1/2
    1: SYNC 2,64              -> completes release 0 1
  )");
}

// The largest sum: 64 warps of 32 true lanes, all but the last of them restored.
TEST(GoldenReduce, PopcOfTheLargestCta) {
  Trace("full").Run(R"(
    launch 0: 0 63 size 64
    0: R2B.BAR 0 popc 62/64 1984  -> popc 62/64 1984
    0: RED.POPC 0,2048 p=0xffffffff -> popc 63/64 2016
    63: RED.POPC 0,2048 p=0xffffffff -> completes release 0 63 with popc 2048
    63: B2R.RESULT                -> reads 2048
  )");
}

// BAR.RED: "each warp that took part gets a copy"; it is overwritten by that warp's next reduction,
// and by nothing else.
TEST(GoldenCopy, StableUntilTheNextReduction) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: RED.POPC 1,64 p=0x7    -> popc 1/2 3
    1: RED.POPC 1,64 p=0x7    -> completes release 0 1 with popc 6
    0: SYNC 1                 -> sync 1/all
    1: SYNC 1                 -> sync 2/all
    2: SYNC 1                 -> sync 3/all
    3: SYNC 1                 -> completes release 0 1 2 3
    0: ARV 1,32               -> completes releases nobody
    2: RED.OR 1,64 p=1        -> or 1/2 1
    3: RED.OR 1,64 p=0        -> completes release 2 3 with or 1
    0: RED.AND 4,64 p=0       -> and 1/2
    1: B2R.RESULT             -> reads 6
    1: B2R.RESULT             -> reads 6
    0: B2R.WARP               -> reads and 0 of 4 waits 4
    3: B2R.RESULT             -> reads true
    2: RED.AND 4,64 p=0       -> completes release 0 2 with and 0
    0: B2R.RESULT             -> reads 0
    0: B2R.WARP               -> reads and 0 of 4
    1: B2R.WARP               -> reads popc 6 of 1
    2: B2R.WARP               -> reads and 0 of 4
    3: B2R.WARP               -> reads or 1 of 1
  )");
}

// B2R.RESULT before any reduction: undefined in the text, 0 here. The same slot's former warp
// leaves nothing behind.
TEST(GoldenCopy, EmptyAfterLaunch) {
  Trace().Run(R"(
    launch 0: 0 1
    0: B2R.RESULT             -> reads 0
    0: B2R.WARP               -> reads none
    0: RED.POPC 15,32 p=0x3   -> completes release 0 with popc 2
    0: B2R.WARP               -> reads popc 2 of 15
    end 0
    launch 1: 0 1
    1.0: B2R.WARP             -> reads none
    1.0: B2R.RESULT           -> reads 0
  )");
}

// Without copies a warp knows which reduction it took part in last, and the release tells its
// result. A state word with a result is possible all the same: it may come from a unit that has
// copies.
TEST(GoldenCopy, NoneWithoutThem) {
  Config config = *FindConfig("small");
  config.result = false;
  EXPECT_FALSE(Has(config, OpKind::kB2rResult));
  EXPECT_TRUE(Has(config, OpKind::kB2rBar) && Has(config, OpKind::kB2rWarp) &&
              Has(config, OpKind::kR2bWarp) && Has(config, OpKind::kRedPopc));
  Trace(config).Run(R"(
    launch 0: 0 1
    0: RED.POPC 15,32 p=0x3   -> completes release 0 with popc 2
    0: B2R.WARP               -> reads popc 0 of 15
    0: RED.OR 1,64 p=1        -> or 1/2 1
    0: B2R.WARP               -> reads or 0 of 1 waits 1
    1: RED.OR 1,64 p=0        -> completes release 0 1 with or 1
    1: B2R.WARP               -> reads or 0 of 1
    1: R2B.WARP popc 33 of 4
    1: B2R.WARP               -> reads popc 0 of 4
    1: R2B.WARP popc 65 of 4  -> fault bad_state_word
  )");
  config.reduce = config.state = false;
  config.result = true;
  EXPECT_FALSE(Has(config, OpKind::kB2rResult));
}

// B2R.RESULT: Rd is meant after POPC, pu after AND and OR; the other one reads 0.
TEST(GoldenCopy, ResultGoesToTheRegisterOfItsKind) {
  Trace().Run(R"(
    launch 0: 0
    0: RED.POPC 3 p=0x1       -> completes release 0 with popc 1
    0: B2R.RESULT             -> reads 1
    0: RED.OR 3 p=0x1         -> completes release 0 with or 1
    0: B2R.RESULT             -> reads true
    0: RED.AND 3 p=0xffffffff -> completes release 0 with and 1
    0: B2R.RESULT             -> reads true
  )");
}

}  // namespace
}  // namespace muster::golden
