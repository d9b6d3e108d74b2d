// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Exits of lanes for which others wait: "all non-exited threads corresponding to membermask" (PTX
// ISA 9.7.13.9, .10, .12), "all non-exited threads from its warp" (.1, .3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

// The results are those of the lanes that have come.
TEST(GoldenWarpExit, ResultsAreOfThoseThatCame) {
  constexpr std::array kRows = {
      std::array{"bar.warp.sync", "bar.warp.sync answers 0xa"},
      std::array{"shfl.sync.idx", "shfl.sync answers 0xa"},
      std::array{"elect.sync", "elect.sync answers 0xa with 0x1"},
      std::array{"vote.sync.all", "vote.sync.all answers 0xa with true"},
      std::array{"vote.sync.any", "vote.sync.any answers 0xa with true"},
      std::array{"vote.sync.uni", "vote.sync.uni answers 0xa with true"},
      std::array{"vote.sync.ballot", "vote.sync.ballot answers 0xa with 0xa"},
      std::array{"match.any.sync.b32",
                 "match.any.sync answers 0x2 with 0x2 match.any.sync answers 0x8 with 0x8"},
      std::array{"match.all.sync.b64", "match.all.sync answers 0xa with 0x0 false"},
      std::array{"redux.sync.add.u32", "redux.sync.add answers 0xa with 0xfffffffe"},
      std::array{"redux.sync.min.s32", "redux.sync.min answers 0xa with 0xfffffff9"},
      std::array{"redux.sync.max.f32", "redux.sync.max answers 0xa with 0x5"},
      std::array{"redux.sync.min.NaN.f32", "redux.sync.min answers 0xa with 0x7fffffff"},
      std::array{"redux.sync.and.b32", "redux.sync.and answers 0xa with 0x1"},
      std::array{"redux.sync.or.b32", "redux.sync.or answers 0xa with 0xfffffffd"},
      std::array{"redux.sync.xor.b32", "redux.sync.xor answers 0xa with 0xfffffffc"}};
  for (const auto& [operation, outcome] : kRows) {
    const bool is_vote = std::string(operation).rfind("vote", 0) == 0;
    RunWarpTrace(
        fmt::format("0: {0} 0xe lanes=0x8 p={2} v=0xfffffff9\n"
                    "0: {0} 0xe lanes=0x2 p={3} v=5\n"
                    "0: exit lanes=0x4 -> {1}\n",
                    operation, outcome, is_vote ? 8 : 0, is_vote ? 2 : 0));
  }
}

}  // namespace
}  // namespace muster::golden
