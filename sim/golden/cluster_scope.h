// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of the cluster scope, written from PTX ISA 9.7.13.3, .13, .15, .17 and .18, and
// from rtl/cluster/README.md where that says what the text leaves open: grids, clusters and CTAs,
// the lanes of their warps, and the operations that are on their way between CTAs. It knows no
// cycles and no distance: what a unit does, the whole cluster knows at once.
//
// In the hardware a unit tells a hub, which tells all units, and each of these takes cycles. Which
// requests are refused, and which lanes go on, does not depend on that. This may differ:
//
// - *When a lane goes on, and how.* Lanes that go on at once here (`go`) may find that their unit
//   has not heard of the phase yet. Then they wait, and go on by a release. A phase that completes
//   releases here the lanes that wait here; in the hardware their release comes later, and so does
//   that of lanes that came to wait meanwhile. A grid's wait is answered by a release, also where
//   the lanes go on at once, and two requests of a warp may be answered by one pulse.
//   A checker therefore keeps for each warp the lanes that may go on: Step adds `go` and the lanes
//   of `releases`, a pulse of the hardware takes its lanes away. These must be in the set, and none
//   may stay there beyond the published bound. Apart from that, requests of several units that
//   take effect in one cycle may be stepped in any order.
// - *When launch_o and flush_o rise*: not before they do here, and within the bound. In a cycle in
//   which flush_o and flushed_i are high, Flushed comes after the life-cycle operation of that
//   cycle: the grid is not over until then.
// - *When a CTA has gone.* The network, the cancels and kOpen may take it to be there for some
// cycles
//   more. So the network may route an operation that is lost here, and a cancel may be carried out
//   that is refused here: `late` says so. A kOpen in these cycles may be refused.
// - *How long an operation waits at its sender*, where it is lost if its CTA is not there. Send
// asks as
//   if it left at once. If the CTA goes while the operation is on its way, it is lost if it was at
//   its sender still, and delivered if it had left: Deliver is told by `late`. If the CTA is
//   launched while an operation waits that Send has called lost, Send may be asked once more.
//
// An arrival that releases is stepped when it takes effect, which is after its drain.
#ifndef MUSTER_SIM_GOLDEN_CLUSTER_SCOPE_H_
#define MUSTER_SIM_GOLDEN_CLUSTER_SCOPE_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"

namespace muster::golden {

// The warps and CTAs that are missing in the phase that a cluster runs.
struct ClusterMissing {
  std::uint8_t rank = 0;
  bool launched = false;            // otherwise there is nothing else
  unsigned unseen = 0;              // warps that have not presented a request
  std::vector<ClusterLanes> warps;  // live lanes that have not arrived
};

class ClusterScope {
 public:
  explicit ClusterScope(const ClusterConfig& config = {}) : config_(config) {}

  // ----- Grids, clusters and CTAs.

  // Whether the contract lets the scheduler present this. One that is refused may be presented.
  // That no warp of a CTA that ends has a request under way, the model cannot tell.
  bool MayBePresented(const ClusterLife& life) const;
  // `fault` is what life_fault_o says.
  ClusterEffects Step(const ClusterLife& life);
  // The memory operations of a grid whose flush_o is high are performed: it is over.
  ClusterEffects Flushed(unsigned grid);

  // ----- Requests of warps.

  // Whether the contract lets the unit's core present this: the warp is one of the CTA, its lanes
  // are live and do not wait, and the live lanes are those that the exits have left. A request to a
  // CTA slot that is empty may be presented, since it is refused. That a warp has one request at a
  // time, and that lanes which the hardware has not let go yet do nothing, the model cannot tell.
  bool MayBePresented(unsigned unit, const ClusterRequest& request) const;
  ClusterEffects Step(unsigned unit, const ClusterRequest& request);

  // ----- The network.

  // An operation leaves its sender: it is lost, or queued. `late`: the network has not heard yet
  // that the CTA has gone, and queues it.
  SendEffects Send(unsigned unit, const RemoteSend& send, bool late = false);
  // The oldest operation from `sender` to `target` arrives. If its CTA has gone it is lost; `late`:
  // it is delivered, as long as that CTA has its slot.
  DeliverEffects Deliver(unsigned sender, unsigned target, bool late = false);
  // What would come of each operation that may be the next one at the target: {sender, effects}.
  std::vector<std::pair<unsigned, DeliverEffects>> Next(unsigned target, bool late = false) const;
  // An operation may also be lost before those ahead of it have arrived, once its CTA is not there,
  // or while the end of its CTA slot, `ending`, is presented. Takes the oldest one of which this is
  // said; false if there is none.
  bool Lose(const RemoteLost& lost, const std::optional<CtaPlace>& ending = std::nullopt);
  // The number of operations on their way.
  unsigned OnTheWay(unsigned sender, unsigned target) const;

  // ----- clusterlaunchcontrol.

  // Whether the requesting warp can be one of this unit, if its CTA is there.
  bool MayBePresented(unsigned unit, const CancelRequest& request) const;
  // Whom the response is for. If the request is not lost, the scheduler is asked. `late`: CTAs that
  // have gone are taken to be there.
  CancelPlan Cancel(unsigned unit, const CancelRequest& request, bool late = false) const;

  // ----- What there is, for checkers and reports.

  std::uint8_t GridsInFlight() const;  // those that are not over
  // launch_o, which is high where no grid is in flight, and flush_o.
  std::uint8_t Launches() const;
  std::uint8_t Flushes() const;
  std::uint8_t Awaits(unsigned grid) const;

  // Returns the place at which a CTA that is there runs.
  std::optional<CtaPlace> Place(unsigned cluster, unsigned rank) const;
  bool IsResident(CtaPlace place) const { return ctas_.count(place) != 0; }
  // The cluster of the CTA that has the slot.
  std::optional<unsigned> ClusterAt(CtaPlace place) const {
    const auto cta = ctas_.find(place);
    return cta == ctas_.end() ? std::nullopt : std::optional(cta->second.cluster);
  }
  // The number of the CTA that has the slot, which no other CTA has or had; 0: none has it.
  unsigned SerialAt(CtaPlace place) const {
    const auto cta = ctas_.find(place);
    return cta == ctas_.end() ? 0 : cta->second.serial;
  }
  // The CTA of this number has threads that have not exited.
  bool IsThere(unsigned serial) const;
  // The warp's lanes, if it has presented a request and has not exited.
  const ClusterWarp* FindWarp(unsigned unit, unsigned warp) const;
  // All lanes that wait, at barrier.cluster and at griddepcontrol.wait.
  std::vector<ClusterLanes> Waiting() const;
  std::vector<ClusterLanes> WaitingForGrids() const;

  // The number of phases of this cluster that have completed.
  unsigned Phases(unsigned cluster) const;
  // Some lane has arrived in the phase that runs.
  bool IsOpen(unsigned cluster) const;
  std::vector<ClusterMissing> Missing(unsigned cluster) const;

  // What is said of an operation that is lost.
  static RemoteLost LostOf(unsigned unit, const RemoteSend& send);

 private:
  struct Grid {
    std::uint32_t size = 0;
    std::uint8_t awaits = 0;
    std::uint32_t launched = 0;
    std::uint32_t triggered = 0;  // CTAs that have triggered or completed
    std::uint32_t completed = 0;
  };
  struct Cta {
    unsigned serial = 0;  // from 1; no other CTA has it
    unsigned cluster = 0;
    unsigned grid = 0;
    unsigned unseen = 0;  // warps whose lanes no request has named yet
    bool triggered = false;
    std::map<unsigned, ClusterWarp> warps;  // that have presented a request, and have live lanes

    bool IsThere() const { return unseen != 0 || !warps.empty(); }
  };
  struct Member {  // a CTA that was launched
    CtaPlace place;
    unsigned serial = 0;
    unsigned grid = 0;
  };
  struct Cluster {
    unsigned size = 0;
    unsigned phases = 0;
    std::map<unsigned, Member> members;  // by rank
  };
  struct Message {
    RemoteSend send;
    Member to;
  };

  FaultCause Judge(const ClusterLife& life) const;
  bool MayBeOpened(const ClusterLife& life) const;
  bool MayBeLaunched(const ClusterLife& life) const;
  void Launch(const ClusterLife& life);
  void End(CtaPlace place, ClusterEffects* effects);

  static FaultCause JudgeLanes(const ClusterWarp& warp, const ClusterRequest& request,
                               std::uint32_t* at_fault);
  static void Wait(std::uint32_t lanes, ClusterWarp* warp, ClusterEffects* effects);
  void Exit(const ClusterRequest& request, Cta* cta, ClusterEffects* effects);
  void Trigger(Cta* cta, ClusterEffects* effects);
  void CompleteCta(Cta* cta, ClusterEffects* effects);
  void TestPhase(unsigned cluster, ClusterEffects* effects);
  // Missing is empty.
  bool LacksNobody(const Cluster& cluster) const;
  void ReleaseFromGrid(unsigned grid, ClusterEffects* effects);

  // The CTA of a rank, which may have gone; null: there has been none since the cluster was opened.
  const Member* FindMember(unsigned cluster, unsigned rank) const;
  // Null: it has gone.
  const Cta* Find(const Member& member) const;
  std::vector<ClusterLanes> LanesWith(std::uint32_t ClusterWarp::*state) const;

  DeliverEffects Arrive(unsigned sender, const Message& message, bool late) const;

  ClusterConfig config_;
  unsigned next_serial_ = 1;
  std::map<unsigned, Grid> grids_;  // in flight
  std::map<unsigned, Cluster> clusters_;
  std::map<CtaPlace, Cta> ctas_;                                         // launched and not ended
  std::map<std::pair<unsigned, unsigned>, std::deque<Message>> queues_;  // {sender, target}
};

// The steps of a response, in order.
std::vector<CancelStep> CancelSteps(const CancelPlan& plan, const CancelResponse& response);

// clusterlaunchcontrol.query_cancel.
CancelQuery DecodeCancel(const CancelResponse& response);

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_CLUSTER_SCOPE_H_
