// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clang-format off
// Hand-written traces for the golden model of the cluster scope. Like the traces of trace.h, they
// have one event per line, followed by an arrow and everything that comes of it; a line without an
// arrow does nothing that can be seen.
//
//   grid 1 size=4 awaits=0,2            a grid of four CTAs takes slot 1; two prerequisites
//   open 3 size=2                       a cluster of two CTAs takes slot 3
//   launch 0.2 1.0                      its ranks from 0 on: CTA slot 2 of unit 0, and 0 of unit 1.
//                                       Also cluster=, grid=, rank= of the first (else 0), and
//                                       warps= (else 1); it ends at the first one that is refused
//   end 0.2
//   flushed 1                           must not be presented while flush_o is low
//   0.2.5: arrive lanes=0x3             unit 0, CTA slot 2, warp 5; without lanes=, all live lanes.
//                                       Also arrive.relaxed, wait, exit,
//                                       griddepcontrol.launch_dependents, griddepcontrol.wait
//   send 0.5 3/1 0x40 arrive lanes=0x1 x=7    of warp 5 of unit 0, to rank 1 of cluster 3. Also
//                                       token; late: see ClusterScope
//   deliver 0 1                         the oldest operation from unit 0 to unit 1, or nothing; also late
//   lose 0.5 3/1 0x40 lanes=0x1
//   cancel 0.5 3/1 addr=0x100 mbar=0x40 answer=1,2,3,1     also multicast, late
//
// Other lines:
//
//   live 0.5: 0xff                      live lanes of warp 5 of unit 0 from now on; 0xf at first
//   state 0.5       -> live 0xf arrived 0x3 waiting 0x1 passed 0x4 at_grid 0x8
//   waiting         -> 0.5:0x1          at barrier.cluster;  waiting for grids: at the other one
//   missing 3       -> 0: unseen 1 0.5:0xc, 1: not launched     in the phase that cluster 3 runs
//   phases 3        -> 0 open           those that have completed; open: a lane has arrived
//   place 3/1       -> 1.0
//   grids           -> in flight 0,1 launch_o 0 flush_o 0 awaits 1:0,2    launch_o: of those in flight
//   next 1          -> 0 arrive 1.0 0x40 lanes=0x1 x=7, 2 lost ...   at unit 1; also late
//   on the way 0 1  -> 1
//   # a comment                         (a line that ends with \ continues in the next one)
//
// After the arrow, in this order:
//
//   must not be presented               it breaks the contract, and is not carried out
//   fault CAUSE 0x3                     refused, for these lanes: nothing has changed
//   go 0x3                              lanes that need not wait
//   release 0.5:0x3                     lanes of warp 5 of unit 0 at barrier.cluster, ...
//   grid_release 0.5:0x3                ... and at griddepcontrol.wait
//   launch_o 1 flush_o 1                of these grids: they become high
//   to 1                                a send: on its way to this unit
//   arrive 1.0 0x40 lanes=0x1 x=7       a delivery: the operation, at CTA slot 0 of unit 1
//   lost 0.5 3/1 0x40 lanes=0x1
//   write 1.0 0x100 1,2,3,1 complete 1.0 0x40 16     a cancel
//
// After each request of several lanes, the model is asked what the lanes would have done one by one:
// the same.
// clang-format on
#ifndef MUSTER_TB_GOLDEN_CLUSTER_TRACE_H_
#define MUSTER_TB_GOLDEN_CLUSTER_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {

// Each difference is a GoogleTest failure with its line.
void RunClusterTrace(std::string_view text, const ClusterConfig& config = {});

class ClusterTrace {
 public:
  explicit ClusterTrace(const ClusterConfig& config) : scope_(config) {}

  void Run(std::string_view text);

 private:
  using Words = std::vector<std::string>;

  void RunLine(const std::string& line);
  // What the line does, in the words of the trace.
  std::string Carry(const std::string& text);
  std::string CarryLife(const Words& words);
  std::string CarryStep(const ClusterLife& life);
  std::string CarryRequest(const Words& words);
  std::string CarrySend(const Words& words);
  std::string CarryCancel(const Words& words);
  std::string Ask(const std::string& text, const Words& words) const;

  std::uint32_t& Live(unsigned unit, unsigned warp);
  void CheckWaiting(const ClusterScope& before, unsigned unit, const ClusterRequest& request,
                    const ClusterEffects& effects) const;
  void CheckLaneByLane(unsigned unit, const ClusterRequest& request, const ClusterEffects& effects,
                       ClusterScope before) const;

  ClusterScope scope_;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> live_;
};

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_CLUSTER_TRACE_H_
