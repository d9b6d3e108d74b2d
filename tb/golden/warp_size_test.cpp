// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Warps of 4, 8 and 16 lanes. PTX 9.7.13.1: a count "must be a multiple of the warp size". Lanes
// that a warp lacks may be named, and take no part.
#include <gtest/gtest.h>

#include "sim/isa/config.h"
#include "tb/golden/mbarrier_trace.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

Config Of(unsigned warp_size) {
  Config config;
  config.warp_size = warp_size;
  return config;
}

TEST(GoldenWarpSize, CountsAreMultiplesOfIt) {
  Trace(Of(4)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,8               -> sync 1/2
    1: ARV 1,8                -> completes release 0
    0: SYNC 1,4               -> completes release 0
    0: SYNC 1,6               -> fault count_not_multiple
    0: SYNC 1,2               -> fault count_not_multiple
    0: ARV 1,4095             -> fault count_not_multiple
    0: ARV 1,16               -> sync 1/4
    1: ARV 1,20               -> fault count_above_cta
  )");
  Trace(Of(8)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,16              -> sync 1/2
    1: ARV 1,16               -> completes release 0
    0: SYNC 1,4               -> fault count_not_multiple
    0: SYNC 1,40              -> fault count_above_cta
  )");
  Trace(Of(16)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,32              -> sync 1/2
    1: ARV 1,32               -> completes release 0
    0: SYNC 1,8               -> fault count_not_multiple
    0: SYNC 1,80              -> fault count_above_cta
  )");
}

// More than 127 warps: none of these is taken for fewer.
TEST(GoldenWarpSize, LargeCountsAreAboveAnyCta) {
  Trace(Of(4)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,508             -> fault count_above_cta  # 127 warps
    0: SYNC 1,512             -> fault count_above_cta  # 128
    0: ARV 1,512              -> fault count_above_cta
    0: SYNC 1,516             -> fault count_above_cta  # 129
    0: SYNC 1,1024            -> fault count_above_cta  # 256
    0: SYNC 1,4092            -> fault count_above_cta
    0: SYNC 1,4094            -> fault count_not_multiple
  )");
  Trace(Of(8)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,1024            -> fault count_above_cta  # 128
    0: SYNC 1,1032            -> fault count_above_cta
    0: SYNC 1,4088            -> fault count_above_cta
  )");
  Trace(Of(16)).Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,2048            -> fault count_above_cta  # 128
    0: SYNC 1,2064            -> fault count_above_cta
    0: SYNC 1,4080            -> fault count_above_cta
  )");
}

TEST(GoldenWarpSize, LastOfItsLanesIsTheWarp) {
  Trace(Of(4)).Run(R"(
    launch 0: 0 1 2
    0: SYNC 7                 -> sync 1/all
    1: exit lanes=0x3
    1: exit lanes=0xfffffff0  # it has none of them
    1: exit lanes=0xfffffff8
    1: exit lanes=0x4
    2: exit                   -> bar 7 completes release 0
    1: SYNC 7                 -> fault warp_not_live
  )");
}

TEST(GoldenWarpSize, LanesThatAWarpLacksTakeNoPart) {
  Trace(Of(4)).Run(R"(
    launch 0: 0 1
    0: SYNC 1,6 lanes=0x10    # without lanes: no operation
    5: B2R.BAR 1 lanes=0xfffffff0
    0: RED.AND 1 p=0xf        -> and 1/all 1
    1: RED.AND 1 lanes=0xf1 p=0xf -> completes release 0 1 with and 1
    0: RED.OR 1 p=0xfffffff0  -> or 1/all
    1: RED.OR 1 p=0xfffffff0  -> completes release 0 1 with or 0
    0: RED.POPC 1 p=0xffffffff -> popc 1/all 4
    1: RED.POPC 1 p=0xff lanes=0xf6 -> completes release 0 1 with popc 6
  )");
}

TEST(GoldenWarpSize, JoinNamesALaneOfIt) {
  Trace(Of(8)).Run(R"(
    open 0 size 2
    0: join lanes=0xffffff00  -> fault bad_join
    0: join lanes=0xff03
    0: exit lanes=0x1
    1: join
    0: SYNC 2                 -> sync 1/all
    1: SYNC 2                 -> completes release 0 1
    1: SYNC 2                 -> sync 1/all
    0: exit lanes=0x2         -> bar 2 completes release 1
  )");
}

// R2B: at most as many true lanes as the arrived warps, or those of the CTA, have.
TEST(GoldenWarpSize, StateWordsCountItsLanes) {
  Trace(Of(4)).Run(R"(
    launch 0: 0 1 2 3
    0: R2B.BAR 1 popc 2/4 9   -> fault bad_state_word
    0: R2B.BAR 1 popc 2/4 512 -> fault bad_state_word
    0: R2B.BAR 1 popc 2/4 8   -> popc 2/4 8
    0: R2B.WARP popc 17 of 3  -> fault bad_state_word
    0: R2B.WARP popc 16 of 3
    0: B2R.RESULT             -> reads 16
    2: RED.POPC 1,16 p=0x7    -> popc 3/4 11
    3: RED.POPC 1,16 p=0xffff -> completes release 2 3 with popc 15
  )");
}

TEST(GoldenWarpSize, GroupAtAnMbarrierHasItsLanes) {
  MbTrace(Of(4)).Run(R"(
    launch 0: 0 1
    0: init [0x40], 8         -> p0 8/8
    0: arrive [0x40] lanes=all -> p0 4/8
    1: arrive [0x40] lanes=0xfffffff0
    1: arrive [0x40] lanes=0xf1 -> p0 3/8
    1: arrive [0x40] lanes=0xfffffffe -> completes p1 8/8
  )");
}

}  // namespace
}  // namespace muster::golden
