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

}  // namespace
}  // namespace muster::golden
