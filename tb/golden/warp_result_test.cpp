// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of collectives on predicates and integers. Numbers in comments are subsections of
// PTX ISA 9.7.13.
#include <gtest/gtest.h>

#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

// (.14) "elects one predicated active leader thread", "the same leader thread is elected for the
// same membermask every time": here the lowest lane that has not exited.
TEST(GoldenWarpElect, LowestLaneThatCame) {
  RunWarpTrace(R"(
    0: elect.sync 0xffffffff -> answers 0xffffffff with 0x0
    0: elect.sync 0xffff0000 lanes=0xffff0000 -> answers 0xffff0000 with 0x10
    0: elect.sync 0x80000000 lanes=0x80000000 -> answers 0x80000000 with 0x1f
    0: elect.sync 0x6 lanes=0x4
    0: elect.sync 0x6 lanes=0x2 -> answers 0x6 with 0x1
    0: elect.sync 0x6 lanes=0x2
    0: elect.sync 0x6 lanes=0x4 -> answers 0x6 with 0x1
    0: exit lanes=0x2
    0: elect.sync 0x6 lanes=0x4 -> answers 0x4 with 0x2
    0: elect.sync 0x46 lanes=0x40
    0: elect.sync 0x46 lanes=0x4 -> answers 0x44 with 0x2
  )");
}

// (.9) .all: "True for all non-exited threads in membermask"
TEST(GoldenWarpVote, All) {
  RunWarpTrace(R"(
    0: vote.sync.all 0xffffffff p=0xffffffff -> answers 0xffffffff with true
    0: vote.sync.all 0xffffffff p=0x7fffffff -> answers 0xffffffff with false
    0: vote.sync.all 0xffffffff p=0xfffffffe -> answers 0xffffffff with false
    0: vote.sync.all 0xf0 lanes=0xf0 p=0xf0 -> answers 0xf0 with true
    0: vote.sync.all 0xf0 lanes=0xf0 p=0x0 -> answers 0xf0 with false
    0: vote.sync.all 0x3 lanes=0x1
    0: vote.sync.all 0x3 lanes=0x2 p=0x2 -> answers 0x3 with false
    live 0: 0xfffffffe
    0: vote.sync.all 0x3 lanes=0x2 p=0x2 -> answers 0x2 with true
  )");
}

// .any: "True for some thread in membermask"
TEST(GoldenWarpVote, Any) {
  RunWarpTrace(R"(
    0: vote.sync.any 0xffffffff p=0x0 -> answers 0xffffffff with false
    0: vote.sync.any 0xffffffff p=0x80000000 -> answers 0xffffffff with true
    0: vote.sync.any 0x3 lanes=0x1 p=0x1
    0: vote.sync.any 0x3 lanes=0x2 -> answers 0x3 with true
    0: vote.sync.any 0xf lanes=0xf p=0xf -> answers 0xf with true
    live 0: 0xfffffffe
    0: vote.sync.any 0xf lanes=0xe p=0x0 -> answers 0xe with false
    0: vote.sync.any 0xf lanes=0xe p=0x2 -> answers 0xe with true
  )");
}

// .uni: "the same value in all non-exited threads in membermask"
TEST(GoldenWarpVote, Uni) {
  RunWarpTrace(R"(
    0: vote.sync.uni 0xffffffff p=0x0 -> answers 0xffffffff with true
    0: vote.sync.uni 0xffffffff p=0xffffffff -> answers 0xffffffff with true
    0: vote.sync.uni 0xffffffff p=0x1 -> answers 0xffffffff with false
    0: vote.sync.uni 0xffffffff p=0xefffffff -> answers 0xffffffff with false
    0: vote.sync.uni 0xf0 lanes=0xf0 p=0xf0 -> answers 0xf0 with true
    0: vote.sync.uni 0x3 lanes=0x2
    0: vote.sync.uni 0x3 lanes=0x1 p=0x1 -> answers 0x3 with false
  )");
}

// .ballot: "A thread not specified in membermask will contribute a 0"
TEST(GoldenWarpVote, Ballot) {
  RunWarpTrace(R"(
    0: vote.sync.ballot 0xffffffff p=0x80000001 -> answers 0xffffffff with 0x80000001
    0: vote.sync.ballot 0xff00 lanes=0xff00 p=0xa500 -> answers 0xff00 with 0xa500
    live 0: 0xffff
    0: vote.sync.ballot 0xffffffff p=0xffff -> answers 0xffff with 0xffff
  )");
}

// (.8) `vote` has no mask: its members are the lanes that execute it, and it waits for no one.
TEST(GoldenWarpVote, WithoutSync) {
  RunWarpTrace(R"(
    0: vote.sync.any 0xf lanes=0x1 p=0x1
    0: vote.sync.any 0x6 lanes=0x6 -> answers 0x6 with false
    0: vote.sync.ballot 0xfffffffe lanes=0xfffffffe p=0xc -> answers 0xfffffffe with 0xc
    0: vote.sync.any 0xf lanes=0xe -> answers 0xf with true
  )");
}

// (.10) .any: "mask of non-exited threads in membermask that have same value of operand a"
TEST(GoldenWarpMatch, AnyAnswersEachValueInTheOrderOfItsLowestLane) {
  RunWarpTrace(R"(
    0: match.any.sync.b32 0xf lanes=0xf v=4 -> answers 0xf with 0xf
    0: match.any.sync.b32 0xff lanes=0xff v=9,1,9,0,1,9,0xffffffff,0 \
       -> answers 0x25 with 0x25 answers 0x12 with 0x12 answers 0x88 with 0x88 \
          answers 0x40 with 0x40
    0: match.any.sync.b32 0xf000000f lanes=0x80000001 v=5,6
    0: match.any.sync.b32 0xf000000f lanes=0x7000000e v=6,6,5,5,5,5 \
       -> answers 0x70000009 with 0x70000009 answers 0x80000006 with 0x80000006
    live 0: 0xfffffffb
    0: match.any.sync.b32 0x7 lanes=0x1 v=0
    0: match.any.sync.b32 0x7 lanes=0x2 v=0 -> answers 0x3 with 0x3
  )");
}

// .all: "d is set to mask corresponding to non-exited threads in membermask"; otherwise "to 0"
TEST(GoldenWarpMatch, AllAnswersWhetherAllAreTheSame) {
  RunWarpTrace(R"(
    0: match.all.sync.b32 0xffffffff v=0 -> answers 0xffffffff with 0xffffffff true
    0: match.all.sync.b32 0x7 lanes=0x7 v=3,3,2 -> answers 0x7 with 0x0 false
    0: match.all.sync.b32 0x7 lanes=0x4 v=3
    0: match.all.sync.b32 0x7 lanes=0x3 v=3 -> answers 0x7 with 0x7 true
    0: match.all.sync.b32 0x7 lanes=0x4 v=3
    0: match.all.sync.b32 0x7 lanes=0x3 v=2,2 -> answers 0x7 with 0x0 false
    live 0: 0xfffffffe
    0: match.all.sync.b32 0x7 lanes=0x6 v=3 -> answers 0x6 with 0x6 true
    0: match.all.sync.b32 0x2 lanes=0x2 v=3 -> answers 0x2 with 0x2 true
  )");
}

// .type: of .b32 only the low half of a value counts, of .b64 both.
TEST(GoldenWarpMatch, BothHalvesOf64Bits) {
  RunWarpTrace(R"(
    0: match.all.sync.b64 0x3 lanes=0x3 v=0x100000001,0x200000001 -> answers 0x3 with 0x0 false
    0: match.all.sync.b32 0x3 lanes=0x3 v=0x100000001,0x200000001 -> answers 0x3 with 0x3 true
    0: match.all.sync.b64 0x3 lanes=0x3 v=0x100000001,0x100000002 -> answers 0x3 with 0x0 false
    0: match.all.sync.b64 0x3 lanes=0x3 v=0xfedcba9876543210 -> answers 0x3 with 0x3 true
    0: match.any.sync.b64 0x7 lanes=0x7 v=0x8000000000000000,0,0x8000000000000000 \
       -> answers 0x5 with 0x5 answers 0x2 with 0x2
    0: match.any.sync.b32 0x7 lanes=0x7 v=0x8000000000000000,0,0x8000000000000000 \
       -> answers 0x7 with 0x7
    0: match.any.sync.b64 0xf lanes=0xf v=0x200000001,0x100000001,0x100000001,0x200000002 \
       -> answers 0x1 with 0x1 answers 0x6 with 0x6 answers 0x8 with 0x8
    0: match.any.sync.b32 0x3 lanes=0x2 v=0x700000004
    0: match.any.sync.b32 0x3 lanes=0x1 v=0x4 -> answers 0x3 with 0x3
  )");
}

// (.12) "For the .add operation result is truncated to 32 bits."
TEST(GoldenWarpRedux, Add) {
  RunWarpTrace(R"(
    0: redux.sync.add.u32 0x3 lanes=0x3 v=0xffffffff,2 -> answers 0x3 with 0x1
    0: redux.sync.add.s32 0x3 lanes=0x3 v=0xffffffff,0xfffffffe -> answers 0x3 with 0xfffffffd
    0: redux.sync.add.s32 0x3 lanes=0x3 v=0x7fffffff,1 -> answers 0x3 with 0x80000000
    0: redux.sync.add.u32 0xffffffff v=0xffffffff -> answers 0xffffffff with 0xffffffe0
    0: redux.sync.add.u32 0x3 lanes=0x3 v=0x500000001,0x600000002 -> answers 0x3 with 0x3
    0: redux.sync.add.u32 0x8 lanes=0x8 v=7 -> answers 0x8 with 0x7
  )");
}

TEST(GoldenWarpRedux, MinAndMax) {
  RunWarpTrace(R"(
    0: redux.sync.min.u32 0x7 lanes=0x7 v=0x80000000,5,0x7fffffff -> answers 0x7 with 0x5
    0: redux.sync.min.s32 0x7 lanes=0x7 v=0x80000000,5,0x7fffffff -> answers 0x7 with 0x80000000
    0: redux.sync.max.u32 0x7 lanes=0x7 v=0x80000000,5,0x7fffffff -> answers 0x7 with 0x80000000
    0: redux.sync.max.s32 0x7 lanes=0x7 v=0x80000000,5,0x7fffffff -> answers 0x7 with 0x7fffffff
    0: redux.sync.min.s32 0x3 lanes=0x3 v=0xffffffff,0 -> answers 0x3 with 0xffffffff
    0: redux.sync.max.s32 0x3 lanes=0x3 v=0xffffffff,0 -> answers 0x3 with 0x0
    0: redux.sync.max.s32 0x3 lanes=0x3 v=0xffffffff,0xfffffff0 -> answers 0x3 with 0xffffffff
    0: redux.sync.min.u32 0x3 lanes=0x3 v=0xffffffff,0xfffffff0 -> answers 0x3 with 0xfffffff0
    0: redux.sync.min.u32 0x80000000 lanes=0x80000000 v=3 -> answers 0x80000000 with 0x3
  )");
}

// The high half of a value does not count.
TEST(GoldenWarpRedux, Takes32Bits) {
  RunWarpTrace(R"(
    0: redux.sync.min.u32 0x3 lanes=0x3 v=0x100000003,0x4 -> answers 0x3 with 0x3
    0: redux.sync.max.s32 0x3 lanes=0x3 v=0x100000003,0x4 -> answers 0x3 with 0x4
    0: redux.sync.max.f32 0x3 lanes=0x3 v=0xffffffff3f800000,0x40000000 \
       -> answers 0x3 with 0x40000000
  )");
}

TEST(GoldenWarpRedux, Bits) {
  RunWarpTrace(R"(
    0: redux.sync.and.b32 0x7 lanes=0x7 v=0xf0f0ffff,0xff00ff0f,0xffffffff \
       -> answers 0x7 with 0xf000ff0f
    0: redux.sync.or.b32 0x7 lanes=0x7 v=0x1,0x80000000,0x10 -> answers 0x7 with 0x80000011
    0: redux.sync.xor.b32 0x7 lanes=0x7 v=0x3,0x6,0x80000003 -> answers 0x7 with 0x80000006
    0: redux.sync.xor.b32 0xffffffff v=0x12345678 -> answers 0xffffffff with 0x0
    0: redux.sync.and.b32 0x3 lanes=0x1 v=0xf
    0: redux.sync.and.b32 0x3 lanes=0x2 v=0x3c -> answers 0x3 with 0xc
    0: redux.sync.or.b32 0x2 lanes=0x2 v=0 -> answers 0x2 with 0x0
  )");
}

// "across all non-exited threads in the membermask"
TEST(GoldenWarpRedux, LeavesOutLanesThatHaveExited) {
  RunWarpTrace(R"(
    0: redux.sync.add.u32 0x7 lanes=0x7 v=1,2,4 -> answers 0x7 with 0x7
    0: exit lanes=0x2
    0: redux.sync.add.u32 0x7 lanes=0x5 v=1,4 -> answers 0x5 with 0x5
    0: redux.sync.and.b32 0x7 lanes=0x5 v=6,3 -> answers 0x5 with 0x2
    0: redux.sync.min.s32 0x7 lanes=0x4 v=8
    0: redux.sync.min.s32 0x7 lanes=0x1 v=9 -> answers 0x5 with 0x8
  )");
}

}  // namespace
}  // namespace muster::golden
