// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random traffic for a whole GPC, which fits together: a CTA that is launched in the cluster scope
// is launched on its unit, arrivals that a warp scope has gathered go to the unit or to the cluster
// scope, operations on mbarriers go out of one unit into another, and exits are told everywhere.
// Resets come at random moments; cores, scheduler and memories are reset too.
#ifndef MUSTER_TB_GPC_GPC_TRAFFIC_H_
#define MUSTER_TB_GPC_GPC_TRAFFIC_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/lockstep/gpc.h"
#include "tb/gpc/gpc_cover.h"
#include "tb/gpc/unit_traffic.h"
#include "tb/lockstep/random.h"
#include "tb/traffic/cluster_traffic.h"

namespace muster::gpc {

class GpcTraffic : public lockstep::GpcDriver, private cluster::Core {
 public:
  // `cover`: counts what the run does; null: nothing is counted.
  GpcTraffic(const lockstep::GpcShape& shape, const lockstep::GpcChecks& checks, std::uint64_t seed,
             GpcCover* cover);

  void Drive(std::uint64_t cycle, lockstep::GpcPins* pins) override;
  lockstep::Driver* unit(unsigned u) override { return &ports_[u]; }
  bool Wire(lockstep::GpcPins* pins) override;
  void Observe(std::uint64_t cycle, const lockstep::GpcPins& pins) override;
  void Finish() override;
  bool Finished() const override;

 private:
  // The driver of a unit's pins, which outlives a reset.
  class Port : public lockstep::Driver {
   public:
    explicit Port(GpcTraffic* traffic, unsigned unit) : traffic_(*traffic), unit_(unit) {}
    Port(Port&& other) noexcept : traffic_(other.traffic_), unit_(other.unit_) {}
    bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
    void Serve(const Outputs& seen, Inputs* inputs) override { own().Serve(seen, inputs); }
    void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
    void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;
    std::uint64_t SleepsUntil(std::uint64_t cycle) const override {
      return traffic_.rests_ ? traffic_.next_knobs_ : cycle;
    }

   private:
    UnitTraffic& own() { return *traffic_.units_[unit_]; }
    GpcTraffic& traffic_;
    const unsigned unit_;
  };

  // What a reset waits for.
  enum class Moment : std::uint8_t { kAny, kNetwork, kCancel };

  // How operations travel for a while.
  enum class Storm : std::uint8_t { kNone, kAllToOne, kAllToDifferent };

  // cluster::Core.
  unsigned LargestCluster() override;
  unsigned LargestGrid() override;
  bool MayLaunch(unsigned unit, unsigned slot) override;
  bool IsFree(unsigned unit, unsigned warp) override;
  void Prepare(const ClusterLife& life, const std::vector<unsigned>& warps) override;
  bool IsPrepared(unsigned unit, unsigned slot) override { return units_[unit]->IsPrepared(slot); }
  void Launched(unsigned unit, unsigned slot) override { units_[unit]->Launched(slot); }
  void Dropped(unsigned unit, unsigned slot) override;
  bool IsStuck(unsigned unit, unsigned slot) override { return units_[unit]->IsStuck(slot); }
  bool MayEnd(unsigned unit, unsigned slot) override;
  void Ended(unsigned unit, unsigned slot) override { units_[unit]->Ended(slot); }
  std::uint32_t FreeLanes(unsigned unit, unsigned warp, std::uint32_t live) override;
  bool MayExit(unsigned unit, unsigned warp) override { return units_[unit]->MayExit(warp); }
  void Exits(unsigned unit, const ClusterRequest& request) override;
  std::optional<ClusterRequest> NextRequest(unsigned unit) override;
  std::optional<RemoteSend> NextSend(unsigned unit) override;
  std::uint32_t BarrierOf(unsigned unit, unsigned slot, std::uint32_t any) override;
  bool MaySend(const RemoteSend& send) override;
  void Sends(unsigned unit, const RemoteSend& send) override;
  bool MayCancel(unsigned cluster) override;

  void Begin(std::uint64_t cycle);
  bool DriveReset(std::uint64_t cycle, lockstep::GpcPins* pins);
  bool IsMoment(std::uint64_t cycle, const lockstep::GpcPins& pins) const;
  void SetKnobs(std::uint64_t cycle);
  void CountOnTheWay();
  std::optional<RemoteSend> SendTo(unsigned sender, unsigned target);
  std::optional<MbOperation> OperationAt(unsigned target, const cluster::Traffic::Cta& cta);

  const lockstep::GpcShape shape_;
  const lockstep::GpcChecks& checks_;
  GpcCover* const cover_;
  lockstep::Random random_;
  std::vector<Port> ports_;
  // Made anew by a reset.
  std::unique_ptr<cluster::Traffic> cluster_;
  std::vector<std::unique_ptr<UnitTraffic>> units_;
  // Operations that are presented or have not come to their unit, by sender.
  std::array<std::deque<RemoteSend>, kMaxUnits> sent_;
  std::array<bool, kMaxUnits> held_{};  // one has come to the unit, which is not ready

  lockstep::GpcPins* pins_ = nullptr;
  std::uint64_t cycle_ = 0;
  std::uint64_t next_knobs_ = 0;
  bool rests_ = false;  // until then nothing begins
  std::uint64_t next_reset_ = 0;
  Moment moment_ = Moment::kAny;
  unsigned in_reset_ = 0;  // cycles that are left of it
  Storm storm_ = Storm::kNone;
  unsigned target_ = 0;     // of the storm, or the distance to the target
  unsigned remote_ = 0;     // percent of cycles in which a unit sends something
  unsigned updates_ = 0;    // percent of these that have an update
  unsigned requests_ = 50;  // percent of the direct requests of the cluster scope
  bool finishing_ = false;
};

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_GPC_TRAFFIC_H_
