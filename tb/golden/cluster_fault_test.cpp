// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Requests of warps that are refused, or must not be presented. Each refused line is checked to
// have changed nothing. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenClusterFault, CtaNotResident) {
  for (const char* op : {"arrive", "arrive.relaxed", "wait", "exit",
                         "griddepcontrol.launch_dependents", "griddepcontrol.wait"}) {
    RunClusterTrace(
        fmt::format("grid 0 size=2\nopen 0 size=1\n"
                    "0.0.0: {0} -> fault cta_not_resident 0xf\n"
                    "launch 0.0\n"
                    "0.1.0: {0} lanes=0x6 -> fault cta_not_resident 0x6\n"
                    "1.0.0: {0} -> fault cta_not_resident 0xf\n"
                    "0.255.0: {0} -> fault cta_not_resident 0xf\n"
                    "end 0.0\n"
                    "0.0.0: {0} lanes=0x1 -> fault cta_not_resident 0x1\n",
                    op));
  }
}

TEST(GoldenClusterContract, LanesThatHaveExitedExecuteNothing) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0
    0.0.0: arrive lanes=0x10   -> must not be presented
    0.0.0: exit lanes=0x1
    0.0.0: arrive lanes=0x1    -> must not be presented
    0.0.0: wait lanes=0x3      -> must not be presented
    live 0.0: 0xf
    0.0.0: arrive lanes=0x2    -> must not be presented
    0.0.0: exit lanes=0x2      -> must not be presented
    live 0.0: 0x6
    0.0.0: arrive lanes=0x2    -> must not be presented
    live 0.0: 0xe
    0.0.0: arrive
    phases 0                   -> 1
  )");
  // Lanes that exit are not among those that are left.
  ClusterScope scope;
  ClusterRequest request;
  request.op = ClusterOp::kExit;
  request.lanes = 0x3;
  request.live = 0xfffffffe;
  EXPECT_FALSE(scope.MayBePresented(0, request));
  request.live = 0xfffffffc;
  EXPECT_TRUE(scope.MayBePresented(0, request));
}

TEST(GoldenClusterContract, UnitsAndWarpsThatThereAreNot) {
  ClusterConfig config;
  config.num_units = 2;
  config.num_warps = 8;
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.8: arrive -> must not be presented
    2.0.0: arrive -> must not be presented
    0.0.7: arrive
    1.0.7: arrive
    phases 0      -> 1
  )",
                  config);
}

TEST(GoldenClusterNames, AreSpelledAsInPtxAndDistinct) {
  std::set<std::string> names;
  for (unsigned code = 0; code < kNumClusterOps; ++code) {
    names.insert(Name(static_cast<ClusterOp>(code)));
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"barrier.cluster.arrive", "barrier.cluster.arrive.relaxed",
                                   "barrier.cluster.wait", "exit",
                                   "griddepcontrol.launch_dependents", "griddepcontrol.wait"}));
  names.clear();
  for (unsigned code = 0; code < kNumClusterLifeOps; ++code) {
    names.insert(Name(static_cast<ClusterLifeOp>(code)));
  }
  EXPECT_EQ(names, (std::set<std::string>{"grid", "open", "launch", "end"}));
  EXPECT_STREQ(Name(ClusterOp::kWait), "barrier.cluster.wait");
  EXPECT_STREQ(Name(ClusterOp::kTrigger), "griddepcontrol.launch_dependents");
  EXPECT_STREQ(Name(ClusterLifeOp::kLaunch), "launch");
}

}  // namespace
}  // namespace muster::golden
