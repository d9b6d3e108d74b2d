// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A core of a GPC: what random programs of the warps on one unit present to the unit, to the warp
// scope beside it, and, where the cluster scope asks for it, to that. A lane does one thing at a
// time: it waits in one scope at most, and exits in all of them.
#ifndef MUSTER_TB_GPC_UNIT_TRAFFIC_H_
#define MUSTER_TB_GPC_UNIT_TRAFFIC_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/gpc.h"
#include "sim/port/driver.h"
#include "tb/gpc/atomic_traffic.h"
#include "tb/lockstep/random.h"
#include "tb/lockstep/random_mbarrier.h"
#include "tb/traffic/cluster_traffic.h"
#include "tb/traffic/warp_traffic.h"

namespace muster::gpc {

class UnitTraffic : public lockstep::Driver, private lockstep::RandomMbarrier::Residency {
 public:
  // `cluster`: which CTAs there are, and which of their lanes live.
  UnitTraffic(unsigned unit, const lockstep::GpcShape& shape, const lockstep::GpcChecks& checks,
              const cluster::Traffic& cluster, std::uint64_t seed);

  // The pins of the unit.
  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    mbarriers_.OnEvent(cycle, event, effects);
  }

  // The other pins, in this order: reads what was accepted in the cycle before; after the cluster
  // scope's traffic, drives the warp scope; when the pins have settled, accepts an arrival where
  // the port that it goes to does.
  void Begin(std::uint64_t cycle, lockstep::GpcPins* pins);
  void DriveWarps();
  bool Wire();

  void Rest(bool rests);
  void Finish() { finishing_ = true; }
  bool Finished() const;

  // As of cluster::Core, for this unit.
  bool MayLaunch(unsigned slot) const { return ctas_[slot].state == State::kNone; }
  bool IsFree(unsigned warp) const { return warps_[warp].slot < 0; }
  void Prepare(const ClusterLife& life, const std::vector<unsigned>& warps);
  bool IsPrepared(unsigned slot) const { return ctas_[slot].state == State::kPrepared; }
  void Launched(unsigned slot);
  void Dropped(unsigned slot);
  bool IsStuck(unsigned slot) const { return cycle_ > ctas_[slot].moved + kPatience; }
  bool MayEnd(unsigned slot);
  void Ended(unsigned slot);
  std::uint32_t FreeLanes(unsigned warp, std::uint32_t live) const;
  bool MayExit(unsigned warp) const;
  void Exits(const ClusterRequest& request);
  std::optional<ClusterRequest> NextRequest();

  // The network brings an operation, or clusterlaunchcontrol a completion, which the unit accepts.
  void Expect(const MbOperation& operation) { mbarriers_.Expect(operation); }
  bool Suggest(MbOperation* operation) { return mbarriers_.Suggest(operation); }
  // An update that a warp sends to another CTA, if there are atomics. If it has an answer, the warp
  // awaits that, or hears that none will come.
  RemoteAtomic MakeUpdate(unsigned warp);
  void Reply(const AtomicResponse& reply) { atomics_->Answered(reply.warp); }
  void NoReply(unsigned warp) { atomics_->NoAnswer(warp); }
  std::uint32_t SomeWord(unsigned slot) { return mbarriers_.SomeWord(slot); }
  // `count` says how many operations are on their way to a rank of a cluster: a CTA stays until
  // they are there.
  template <typename Count>
  void CountOnTheWay(Count count) {
    for (Cta& cta : ctas_) {
      cta.on_the_way = cta.state >= State::kLeaving ? count(cta.cluster, cta.rank) : 0;
    }
  }

 private:
  static constexpr std::uint64_t kPatience = 400;  // cycles in which no warp of a CTA can run

  enum class State : std::uint8_t {
    kNone,
    kLaunching,
    kPrepared,  // the unit has it, and the cluster scope has not
    kRunning,
    kLeaving,  // nothing new begins, and what is under way comes to its end
    kEnding,   // it has left the cluster scope
    kGone,     // then its end is presented to the unit
  };
  struct Cta {
    State state = State::kNone;
    std::uint64_t warps = 0;     // slots
    std::uint64_t unjoined = 0;  // of these
    unsigned cluster = 0;
    unsigned rank = 0;
    bool launched = false;  // in the cluster scope
    unsigned on_the_way = 0;
    // What most of its warps come to now.
    unsigned bar = 0;
    unsigned count = 0;
    OpKind kind = OpKind::kSync;
    std::uint64_t until = 0;  // cycle
    std::uint64_t moved = 0;  // the latest cycle in which some warp could run
  };
  struct Warp {
    int slot = -1;                // of its CTA
    std::uint32_t presented = 0;  // lanes of its operation between valid and commit
    std::uint32_t waiting = 0;    // lanes that wait at a named barrier
  };
  // An exit: the unit first, then the cluster scope, which may complete barriers, and the warp
  // scope, which may present a warp's arrival, last.
  struct Exit {
    ClusterRequest request;
    enum class Step : std::uint8_t { kQueued, kPresented, kCommitted, kInWarpScope } step;
  };
  struct Knobs {
    unsigned issue = 30;   // percent of cycles in which a port gets an operation of its own
    unsigned warps = 70;   // likewise the warp scope
    unsigned follow = 90;  // percent of the operations that do what their CTA does now
    unsigned access = 7;   // a warp begins an access in a cycle in 2^access
    unsigned perform = 0;  // it is performed in a cycle in 2^perform
    unsigned response = 100;
    unsigned arrivals = 80;  // percent of cycles in which an arrival may be presented
  };

  // RandomMbarrier::Residency.
  std::uint64_t AbleWarps() const override;
  unsigned CtaOf(unsigned warp) const override { return static_cast<unsigned>(warps_[warp].slot); }
  std::uint32_t LanesOf(unsigned warp) const override { return cluster_.live(unit_, warp); }
  std::uint32_t RunningCtas() const override { return CtasIn(State::kRunning, State::kRunning); }
  std::uint32_t OpenCtas() const override { return CtasIn(State::kRunning, State::kEnding); }
  std::uint32_t LeavingCtas() const override { return 0; }
  std::uint32_t CtasIn(State first, State last) const;

  void SetKnobs();
  void Choose(Cta* cta);
  // Warps that are at work on mbarriers or atomics.
  std::uint64_t Engaged() const {
    return mbarriers_.engaged() | (atomics_ ? atomics_->engaged() : 0);
  }
  // Warps with an update between acceptance and commit: an access that is not performed.
  std::uint64_t Updating() const { return atomics_ ? own_->atomic_out.busy : 0; }
  // Lanes that do nothing now, but for these of their warp.
  std::uint32_t Unengaged(unsigned warp) const;
  bool IsCalm(const Cta& cta) const;
  bool HasArrival(unsigned warp) const { return !checks_.warps[unit_].SettledOf(warp); }

  void TakeAccepted(const Outputs& seen, Inputs* inputs);
  void TakeWarpPort();
  void DriveIssue(Inputs* inputs);
  bool PickIssue(Operation* operation);
  Operation StepOf(const Cta& cta, unsigned warp, std::uint32_t lanes);
  void Present(unsigned port, const Operation& operation, Inputs* inputs);
  void DriveLifecycle(Inputs* inputs);
  void DriveExit(Inputs* inputs);
  void DriveWrite(Inputs* inputs);
  void DriveAtomics();
  void CommitIssue(const Operation& operation, const Effects& effects);
  void Left(unsigned slot);

  std::optional<WarpRequest> NextWarpRequest();
  std::optional<WarpRequest> NextExit();
  std::optional<WarpRequest> NextComing();
  std::optional<WarpRequest> NextPart(unsigned warp);
  std::optional<ClusterRequest> NextArrival();
  std::optional<ClusterRequest> NextClusterPart();
  std::optional<ClusterRequest> ExitAmidPlan();
  void Plan(const Cta& cta, const warp::Traffic::Warp& of);
  void PlanGather(const Cta& cta, std::vector<WarpRequest>* parts);
  bool SaveAndRestore();
  std::uint32_t KeyOf(const Cta& cta, unsigned warp);
  std::uint32_t InTheRightState(const WarpRequest& request) const;
  warp::Traffic::Warp Of(unsigned warp) const;
  std::optional<unsigned> AnyWarp();  // of a CTA that runs; often the same one for a while
  // The lanes, divided at random.
  std::vector<std::uint32_t> Divide(std::uint32_t lanes, unsigned parts);

  const unsigned unit_;
  const Config config_;
  const lockstep::WarpShape shape_;
  const lockstep::GpcChecks& checks_;
  const cluster::Traffic& cluster_;
  lockstep::Random random_;
  lockstep::RandomMbarrier mbarriers_;
  std::optional<AtomicTraffic> atomics_;
  warp::Traffic warp_traffic_;
  Knobs knobs_;
  lockstep::GpcPins* pins_ = nullptr;
  lockstep::GpcUnitPins* own_ = nullptr;
  std::uint64_t cycle_ = 0;
  std::uint64_t next_knobs_ = 0;
  bool rests_ = false;
  bool finishing_ = false;

  std::array<Cta, kMaxCtas> ctas_;
  std::array<Warp, kMaxWarps> warps_;
  std::array<std::optional<Exit>, kMaxWarps> exits_;
  std::deque<Operation> lifecycle_;  // operations to be presented
  std::uint64_t for_mbarriers_ = 0;  // warps that may begin an instruction on these
  std::uint64_t accessing_ = 0;

  // The warp scope.
  std::array<std::deque<WarpRequest>, kMaxWarps> plans_;  // parts of a warp still to come
  std::uint64_t wild_ = 0;                                // warps without plans
  unsigned hot_ = 0;                                      // a warp that does more than others
  std::deque<ClusterRequest> cluster_plan_;               // parts of a warp that arrive one by one
  std::vector<unsigned> beats_;                           // of its request, not accepted yet
  std::optional<unsigned> in_progress_;  // the warp of the request that was accepted last
  std::uint64_t clear_ = 0;              // warps to be cleared as soon as may be
  std::deque<WarpRequest> restores_;     // of one warp
  std::optional<unsigned> restored_;     // that one
  // An arrival of it, which is held: where it is presented.
  std::optional<WarpArrival> arrival_;
  std::optional<unsigned> arrival_port_;
  bool arrival_in_cluster_ = false;
};

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_UNIT_TRAFFIC_H_
