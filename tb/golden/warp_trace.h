// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clang-format off
// Hand-written traces for the golden model of the warp scope. Like the traces of trace.h, they have
// one request per line, followed by an arrow and everything that the request does; a line without
// an arrow does nothing that can be seen: its lanes wait.
//
//   0: bar.warp.sync 0x3 lanes=0x1      lane 0 of warp 0 of CTA 0, with member mask 0x3
//   1.4: bar.warp.sync 0x3              warp 4 of CTA 1; all its live lanes
//   0: shfl.sync.up 0x3                 also .down, .bfly, .idx
//   0: vote.sync.all 0x3 p=0x1          also .any, .uni, .ballot; p: the predicate of each lane
//   0: match.any.sync.b32 0x3 v=5,7     v: the values of the lanes, in their order
//   0: redux.sync.min.abs.NaN.f32 0x3 v=0x3f800000    the same value for each lane
//   0: elect.sync 0x3
//   0: barrier.sync 1,64 lanes=0x1      a gather; also .arrive, .red.and, .red.or, .red.popc
//   0: barrier.cluster.arrive           also .arrive.relaxed, .wait
//   0: exit lanes=0x4                   these lanes are live no longer
//   0: read 3                           the slot, of which the model knows nothing
//   0: write vote.sync.all 0x3 lanes=0x1 p=0x1    a group as that instruction opens it
//
// Other lines:
//
//   live 0: 0xffff                      from now on these are the live lanes of warp 0
//   clear 0
//   groups 0 -> vote.sync.all 0x3 waits 0x1 p=0x1, barrier.sync 1 waits 0xc
//   # a comment                         (a line that ends with \ continues in the next one)
//
// After the arrow, in this order:
//
//   must not be presented               the request breaks the contract, and is not carried out
//   fault CAUSE                         refused: nothing has changed
//   answers 0x3                         to these lanes
//   answers 0x3 with 0x1                `data` of elect, ballot, match and redux
//   answers 0x3 with true               `pred` of vote
//   answers 0x3 with 0x3 true           both, of match.all
//   bar.warp.sync answers 0x3           where the line itself is an exit
//   arrives 0xff at barrier.sync 1,64   of a gather; with p=, if a predicate is True
//
// Each trace runs twice, the second time with all warps saved and restored before each line. And
// after each request of several lanes that wait, the model is asked what the lanes would have done
// one by one: the same.
// clang-format on
#ifndef MUSTER_TB_GOLDEN_WARP_TRACE_H_
#define MUSTER_TB_GOLDEN_WARP_TRACE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/golden/warp_scope.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "tb/golden/trace_text.h"

namespace muster::golden {

// Each difference is a GoogleTest failure with its line.
void RunWarpTrace(std::string_view text, unsigned warp_size = kMaxLanes);

// The model after a save and a restore of all warps: what it shows is cleared, and written again.
WarpScope SavedAndRestored(const WarpScope& scope);

class WarpTrace {
 public:
  static constexpr unsigned kNumWarps = 8;

  WarpTrace(unsigned warp_size, bool restores);

  void Run(std::string_view text);

 private:
  void RunLine(const std::string& line);
  // What the line does, in the words of the trace.
  std::string Carry(const std::string& text);
  std::string CarryRequest(const std::string& text);
  WarpRequest ParseRequest(const std::string& text) const;
  void CheckConserved(const WarpRequest& request, const WarpEffects& effects,
                      const WarpScope& before) const;
  void CheckLaneByLane(const WarpRequest& request, const WarpEffects& effects,
                       WarpScope before) const;
  std::string StateText(const WarpScope& scope) const;

  unsigned warp_size_;
  bool restores_;
  WarpScope scope_;
  std::array<std::uint32_t, kNumWarps> live_;
};

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_WARP_TRACE_H_
