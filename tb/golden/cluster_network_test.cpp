// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Operations on mbarriers of other CTAs of the cluster (PTX ISA 9.7.13.15.8): where they arrive, in
// which order, and which are lost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenClusterNetwork, OperationArrivesAsItWasSent) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 5 size=3
    launch 0.1 1.7 15.31 cluster=5
    send 0.9 5/1 0x40 arrive lanes=0xff x=3      -> to 1
    deliver 0 1              -> arrive 1.7 0x40 lanes=0xff x=3
    send 0.9 5/2 0xfffffff8 complete_tx lanes=0x80000000 x=4294967295 -> to 15
    deliver 0 15             -> complete_tx 15.31 0xfffffff8 lanes=0x80000000 x=4294967295
    send 15.63 5/0 0x8 arrive_drop.expect_tx x=16 -> to 0
    deliver 15 0             -> arrive_drop.expect_tx 0.1 0x8 lanes=0x1 x=16
    send 1.0 5/0 0x8 arrive token                -> to 0
    deliver 1 0              -> arrive 0.1 0x8 lanes=0x1 x=1 token
  )");
}

// The network carries what it is given; the unit that gets it refuses what is not for others.
TEST(GoldenClusterNetwork, CarriesEachOperation) {
  std::string text = "grid 0 size=2\nopen 0 size=2\nlaunch 0.0 1.0\n";
  for (const char* op : {"arrive", "arrive_drop", "arrive.expect_tx", "arrive_drop.expect_tx",
                         "expect_tx", "complete_tx", "init", "inval", "arrive.noComplete"}) {
    text += fmt::format(
        "send 0.0 0/1 0x10 {0} x=7 -> to 1\n"
        "deliver 0 1 -> {0} 1.0 0x10 lanes=0x1 x=7\n",
        op);
  }
  RunClusterTrace(text);
}

// A CTA may name itself, or another one of its unit.
TEST(GoldenClusterNetwork, WithinAUnit) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 2.0 2.1
    send 2.0 0/0 0x10 arrive -> to 2
    send 2.0 0/1 0x20 arrive -> to 2
    on the way 2 2           -> 2
    deliver 2 2              -> arrive 2.0 0x10 lanes=0x1 x=1
    deliver 2 2              -> arrive 2.1 0x20 lanes=0x1 x=1
    on the way 2 2           -> 0
    deliver 2 2              -> nothing
  )");
}

TEST(GoldenClusterNetwork, EachPairKeepsItsOrder) {
  RunClusterTrace(R"(
    grid 0 size=4
    open 0 size=4
    launch 0.0 1.0 1.1 2.0
    send 0.0 0/1 0x10 arrive -> to 1
    send 0.1 0/2 0x20 arrive -> to 1
    send 0.0 0/3 0x30 arrive -> to 2
    send 2.0 0/1 0x40 arrive -> to 1
    send 0.0 0/1 0x50 arrive -> to 1
    next 1      -> 0 arrive 1.0 0x10 lanes=0x1 x=1, 2 arrive 1.0 0x40 lanes=0x1 x=1
    next 2      -> 0 arrive 2.0 0x30 lanes=0x1 x=1
    next 0      ->
    deliver 0 1 -> arrive 1.0 0x10 lanes=0x1 x=1
    next 1      -> 0 arrive 1.1 0x20 lanes=0x1 x=1, 2 arrive 1.0 0x40 lanes=0x1 x=1
    deliver 0 1 -> arrive 1.1 0x20 lanes=0x1 x=1
    deliver 2 1 -> arrive 1.0 0x40 lanes=0x1 x=1
    deliver 0 1 -> arrive 1.0 0x50 lanes=0x1 x=1
    next 1      ->
    deliver 0 2 -> arrive 2.0 0x30 lanes=0x1 x=1
  )");
}

// Not launched yet, none of the cluster, no cluster.
TEST(GoldenClusterNetwork, LostAtOnce) {
  RunClusterTrace(R"(
    grid 0 size=4
    open 0 size=2
    open 1 size=2
    send 0.3 0/1 0x40 arrive lanes=0xf0 -> lost 0.3 0/1 0x40 lanes=0xf0
    launch 0.0
    send 0.0 0/1 0x40 arrive   -> lost 0.0 0/1 0x40 lanes=0x1
    launch 1.0 rank=1
    launch 1.2 cluster=1 rank=1
    send 0.0 0/1 0x40 arrive   -> to 1
    send 0.0 0/2 0x48 arrive   -> lost 0.0 0/2 0x48 lanes=0x1
    send 0.0 0/15 0x48 arrive  -> lost 0.0 0/15 0x48 lanes=0x1
    send 1.0 1/0 0x50 arrive   -> lost 1.0 1/0 0x50 lanes=0x1
    send 0.0 2/0 0x58 arrive   -> lost 0.0 2/0 0x58 lanes=0x1
    send 0.0 63/0 0x58 arrive  -> lost 0.0 63/0 0x58 lanes=0x1
    deliver 0 1                -> arrive 1.0 0x40 lanes=0x1 x=1
    on the way 0 0             -> 0
  )");
}

TEST(GoldenClusterNetwork, LostWhenTheCtaHasGone) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0 2.0 warps=2
    1.0.0: exit
    send 0.0 0/1 0x40 arrive -> to 1
    deliver 0 1              -> arrive 1.0 0x40 lanes=0x1 x=1
    1.0.1: exit lanes=0x7
    send 0.0 0/1 0x40 arrive -> to 1
    deliver 0 1              -> arrive 1.0 0x40 lanes=0x1 x=1
    1.0.1: exit lanes=0x8
    send 0.0 0/1 0x40 arrive -> lost 0.0 0/1 0x40 lanes=0x1
    end 1.0
    send 0.0 0/1 0x40 arrive -> lost 0.0 0/1 0x40 lanes=0x1
    end 2.0
    send 0.0 0/2 0x40 arrive -> lost 0.0 0/2 0x40 lanes=0x1
  )");
}

// The CTA goes while operations wait at their sender, by its last exit and by its end.
TEST(GoldenClusterNetwork, LostWhileItWaits) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0 1.1
    send 0.0 0/1 0x40 arrive lanes=0x3 -> to 1
    send 0.0 0/2 0x48 arrive           -> to 1
    send 0.0 0/1 0x50 arrive           -> to 1
    1.0.0: exit
    next 1      -> 0 lost 0.0 0/1 0x40 lanes=0x3
    deliver 0 1 -> lost 0.0 0/1 0x40 lanes=0x3
    deliver 0 1 -> arrive 1.1 0x48 lanes=0x1 x=1
    deliver 0 1 -> lost 0.0 0/1 0x50 lanes=0x1
    send 0.0 0/2 0x58 arrive           -> to 1
    end 1.1
    deliver 0 1 -> lost 0.0 0/2 0x58 lanes=0x1
  )");
}

// The sender may have gone: what it has sent arrives.
TEST(GoldenClusterNetwork, SenderMayHaveGone) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    send 0.0 0/1 0x40 arrive -> to 1
    0.0.0: exit
    end 0.0
    deliver 0 1              -> arrive 1.0 0x40 lanes=0x1 x=1
  )");
}

// A network that has not heard that a CTA has gone routes the operation. What has left its sender
// is delivered, and not lost any more.
TEST(GoldenClusterNetwork, LateNewsOfAnExit) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0
    1.0.0: exit
    send 0.0 0/1 0x40 arrive late -> to 1
    send 0.0 0/1 0x48 arrive late -> to 1
    next 1                        -> 0 lost 0.0 0/1 0x40 lanes=0x1
    next 1 late                   -> 0 arrive 1.0 0x40 lanes=0x1 x=1
    deliver 0 1                   -> lost 0.0 0/1 0x40 lanes=0x1
    deliver 0 1 late              -> arrive 1.0 0x48 lanes=0x1 x=1
    send 0.0 0/2 0x40 arrive late -> lost 0.0 0/2 0x40 lanes=0x1   # it has never been there
    send 0.0 0/0 0x40 arrive late -> to 0
    deliver 0 0 late              -> arrive 0.0 0x40 lanes=0x1 x=1
  )");
}

// What has been lost is told of before the operations ahead of it arrive.
TEST(GoldenClusterNetwork, LostOutOfTurn) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0 1.1
    send 0.0 0/1 0x40 arrive   -> to 1
    send 0.0 0/2 0x48 arrive   -> to 1
    send 0.0 0/2 0x48 arrive   -> to 1
    lose 0.0 0/2 0x48 lanes=0x1 -> not lost
    end 1.1
    lose 0.0 0/1 0x40 lanes=0x1 -> not lost
    lose 0.0 0/2 0x40 lanes=0x1 -> not lost
    lose 0.1 0/2 0x48 lanes=0x1 -> not lost
    lose 0.0 0/2 0x48 lanes=0x2 -> not lost
    lose 0.0 0/2 0x48 lanes=0x1 -> lost
    on the way 0 1              -> 2
    deliver 0 1                 -> arrive 1.0 0x40 lanes=0x1 x=1
    lose 0.0 0/2 0x48 lanes=0x1 -> lost
    lose 0.0 0/2 0x48 lanes=0x1 -> not lost
    on the way 0 1              -> 0
  )");
}

// A CTA that is launched while an operation waits gets it.
TEST(GoldenClusterNetwork, CtaIsLaunchedMeanwhile) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0
    send 0.0 0/1 0x40 arrive -> lost 0.0 0/1 0x40 lanes=0x1
    launch 1.0 rank=1
    send 0.0 0/1 0x40 arrive -> to 1
    deliver 0 1              -> arrive 1.0 0x40 lanes=0x1 x=1
  )");
}

// A later CTA of the rank's unit and slot, in another cluster, gets nothing that was lost.
TEST(GoldenClusterNetwork, NextCtaOfTheSlotGetsItsOwn) {
  RunClusterTrace(R"(
    grid 0 size=4
    open 0 size=2
    open 1 size=2
    launch 0.0 1.0
    1.0.0: exit
    end 1.0
    launch 0.1 1.0 cluster=1
    send 0.0 0/1 0x40 arrive -> lost 0.0 0/1 0x40 lanes=0x1
    send 0.1 1/1 0x48 arrive -> to 1
    deliver 0 1              -> arrive 1.0 0x48 lanes=0x1 x=1
  )");
}

}  // namespace
}  // namespace muster::golden
