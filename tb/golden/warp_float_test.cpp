// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// redux.sync of f32, PTX ISA 9.7.13.12. 0x3f800000 is 1.0, 0x40000000 is 2.0; 0x7f800000 is
// infinity, above which are NaNs; below 0x00800000 are the subnormals.
#include <gtest/gtest.h>

#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenWarpFloat, MinAndMax) {
  RunWarpTrace(R"(
    0: redux.sync.min.f32 0x7 lanes=0x7 v=0x3f800000,0x40000000,0xbf800000 \
       -> answers 0x7 with 0xbf800000
    0: redux.sync.max.f32 0x7 lanes=0x7 v=0x3f800000,0x40000000,0xbf800000 \
       -> answers 0x7 with 0x40000000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0xbf800000,0xc0000000 -> answers 0x3 with 0xc0000000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0xbf800000,0xc0000000 -> answers 0x3 with 0xbf800000
    0: redux.sync.min.f32 0x1 lanes=0x1 v=0xc0490fdb -> answers 0x1 with 0xc0490fdb
  )");
}

TEST(GoldenWarpFloat, Infinities) {
  RunWarpTrace(R"(
    0: redux.sync.min.f32 0x7 lanes=0x7 v=0x7f800000,0x7f7fffff,0x3f800000 \
       -> answers 0x7 with 0x3f800000
    0: redux.sync.max.f32 0x7 lanes=0x7 v=0x7f800000,0x7f7fffff,0x3f800000 \
       -> answers 0x7 with 0x7f800000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0xff800000,0xff7fffff -> answers 0x3 with 0xff800000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0xff800000,0xff7fffff -> answers 0x3 with 0xff7fffff
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x7f800000 -> answers 0x3 with 0x7f800000
    0: redux.sync.min.NaN.f32 0x3 lanes=0x3 v=0xff800000,0x7f800000 -> answers 0x3 with 0xff800000
  )");
}

// "if the input value is 0.0 then +0.0 > -0.0"
TEST(GoldenWarpFloat, ZeroesHaveSigns) {
  RunWarpTrace(R"(
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x00000000,0x80000000 -> answers 0x3 with 0x80000000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x80000000,0x00000000 -> answers 0x3 with 0x80000000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x00000000,0x80000000 -> answers 0x3 with 0x0
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x80000000,0x00000000 -> answers 0x3 with 0x0
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x80000000 -> answers 0x3 with 0x80000000
    0: redux.sync.min.abs.f32 0x3 lanes=0x3 v=0x80000000 -> answers 0x3 with 0x0
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x80000000,0x80000001 -> answers 0x3 with 0x80000000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x00000000,0x00000001 -> answers 0x3 with 0x0
  )");
}

// The text rounds and flushes nothing.
TEST(GoldenWarpFloat, SubnormalValuesAreComparedAsTheyAre) {
  RunWarpTrace(R"(
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x00000002,0x00000001 -> answers 0x3 with 0x1
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x00000002,0x00000001 -> answers 0x3 with 0x2
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x007fffff,0x00800000 -> answers 0x3 with 0x800000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x007fffff,0x00800000 -> answers 0x3 with 0x7fffff
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x00000001,0x00000000 -> answers 0x3 with 0x1
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x80000001,0x80000000 -> answers 0x3 with 0x80000001
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x80000001,0x807fffff -> answers 0x3 with 0x807fffff
    0: redux.sync.max.abs.f32 0x3 lanes=0x3 v=0x80000003,0x00000002 -> answers 0x3 with 0x3
  )");
}

// "In the absence of .NaN qualifier, only non-NaN values are considered", "the result will be
// canonical NaN when all inputs are NaNs."
TEST(GoldenWarpFloat, NanValuesAreLeftOut) {
  RunWarpTrace(R"(
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x7fffffff,0x3f800000 -> answers 0x3 with 0x3f800000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x3f800000,0x7fc00000 -> answers 0x3 with 0x3f800000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0xffc00000,0x3f800000 -> answers 0x3 with 0x3f800000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0x7f800001,0xbf800000 -> answers 0x3 with 0xbf800000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0xff800001,0x7f800000 -> answers 0x3 with 0x7f800000
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0xffffffff,0xff800000 -> answers 0x3 with 0xff800000
    0: redux.sync.min.f32 0x3 lanes=0x3 v=0x7fc00000 -> answers 0x3 with 0x7fffffff
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0xffc12345,0x7f800001 -> answers 0x3 with 0x7fffffff
    0: redux.sync.min.f32 0x1 lanes=0x1 v=0xff800001 -> answers 0x1 with 0x7fffffff
    0: redux.sync.min.abs.f32 0x3 lanes=0x3 v=0xffffffff -> answers 0x3 with 0x7fffffff
  )");
}

// "the result of the reduction operation is canonical NaN if the input to the reduction operation
// from any participating thread is NaN"
TEST(GoldenWarpFloat, NanQualifier) {
  RunWarpTrace(R"(
    0: redux.sync.min.NaN.f32 0x7 lanes=0x7 v=0x3f800000,0x7fc00000,0x40000000 \
       -> answers 0x7 with 0x7fffffff
    0: redux.sync.max.NaN.f32 0x7 lanes=0x7 v=0x3f800000,0xff800001,0x40000000 \
       -> answers 0x7 with 0x7fffffff
    0: redux.sync.max.NaN.f32 0x7 lanes=0x7 v=0x3f800000,0x7f800000,0x40000000 \
       -> answers 0x7 with 0x7f800000
    0: redux.sync.max.abs.NaN.f32 0x3 lanes=0x3 v=0xbf800000,0xff800001 \
       -> answers 0x3 with 0x7fffffff
    0: redux.sync.max.abs.NaN.f32 0x3 lanes=0x3 v=0xbf800000,0x3f000000 \
       -> answers 0x3 with 0x3f800000
    0: redux.sync.min.NaN.f32 0x3 lanes=0x1 v=0x7f800001
    0: redux.sync.min.NaN.f32 0x3 lanes=0x2 v=0x3f800000 -> answers 0x3 with 0x7fffffff
    live 0: 0xfffffffe
    0: redux.sync.min.NaN.f32 0x7 lanes=0x6 v=0x3f800000 -> answers 0x6 with 0x3f800000
  )");
}

// "the absolute value of the input is considered for the reduction operation"
TEST(GoldenWarpFloat, Abs) {
  RunWarpTrace(R"(
    0: redux.sync.min.abs.f32 0x7 lanes=0x7 v=0xc0000000,0xbf800000,0x40400000 \
       -> answers 0x7 with 0x3f800000
    0: redux.sync.max.abs.f32 0x7 lanes=0x7 v=0xc0800000,0xbf800000,0x40400000 \
       -> answers 0x7 with 0x40800000
    0: redux.sync.max.abs.f32 0x3 lanes=0x3 v=0xff800000,0x7f7fffff -> answers 0x3 with 0x7f800000
    0: redux.sync.min.abs.f32 0x3 lanes=0x3 v=0xffc00000,0xc0000000 -> answers 0x3 with 0x40000000
  )");
}

}  // namespace
}  // namespace muster::golden
