// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Follows one run with vector clocks, by the PTX memory model. Reports which of its events could
// have come in another order, and what could follow from that. Observes a run, and does not steer
// it: hands each event to the classes that know what it orders and what it must come after.
#ifndef MUSTER_SIM_EXPLORE_ANALYSIS_H_
#define MUSTER_SIM_EXPLORE_ANALYSIS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/explore/barriers.h"
#include "sim/explore/exits.h"
#include "sim/explore/lifetimes.h"
#include "sim/explore/locations.h"
#include "sim/explore/mbarriers.h"
#include "sim/explore/meetings.h"
#include "sim/explore/memory_races.h"
#include "sim/explore/observer.h"
#include "sim/explore/register_limits.h"
#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"
#include "sim/explore/world.h"

namespace muster::explore {

class Analysis : public Observer {
 public:
  explicit Analysis(const World& world, Collectives collectives = {})
      : world_(world), meetings_(std::move(collectives), &threads_) {}

  const std::vector<Suspicion>& suspicions() const { return suspicions_.all(); }
  // Call when the run has ended: adds suspicions that concern the whole run.
  void Conclude();

  void OnAccess(const Place& at, const Range& range, ptx::Op op, const ptx::Ordering& ordering,
                bool changed) override;
  void OnTensorAccess(const Place& at, const Range& range, bool writes) override;
  void OnFence(const Place& at, const ptx::MemoryFence& fence) override;
  void OnWarpSync(const Place& at, WarpOp op) override;
  void OnWholeWarp(const Place& at) override;
  void OnRegisters(const Place& at) override;
  void OnArrive(const Place& at, const Operation& operation, const Effects& effects,
                const std::vector<Place>& released) override;
  void OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) override;
  void OnClusterComplete(std::uint64_t cluster) override;
  void OnClusterWait(const Place& at, std::uint64_t cluster) override;
  void OnLaunchEnd(std::size_t launch) override;
  void OnLaunchWait(const Place& at, std::size_t launch) override;
  void OnCtaEnd(std::uint64_t cta) override;
  void OnMbarrier(const Place& at, std::uint64_t owner, const MbOperation& operation,
                  const ptx::Mbarrier* instruction, const MbEffects& effects,
                  std::uint64_t of) override;
  void OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) override;
  void OnRead(std::uint64_t number, const std::vector<Range>& ranges) override;
  void OnWrite(std::uint64_t number, const std::vector<Range>& ranges) override;
  void OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) override;
  void OnProductGroup(const Place& at, const ptx::WarpgroupOrder& order) override;
  void OnExit(const Place& at) override;

 private:
  Side Now(const Place& at, const char* does) const { return {at, world_.steps(), 0, {does}}; }

  const World& world_;
  Suspicions suspicions_;
  Threads threads_{world_.launch()};
  Meetings meetings_;
  Transfers transfers_{world_, &threads_};
  Exits exits_{&suspicions_};
  MemoryRaces memory_{world_, &threads_, transfers_, meetings_, &suspicions_};
  Locations locations_{&threads_};
  NamedBarriers named_barriers_{&threads_, transfers_, &exits_, &suspicions_};
  ClusterBarriers cluster_barriers_{&threads_, &exits_};
  Mbarriers mbarriers_{world_, &threads_, &transfers_, &memory_, &suspicions_};
  RegisterLimits register_limits_{&threads_, &suspicions_};
  CtaMemory cta_memory_{threads_, transfers_, memory_, &suspicions_};
  LaunchEnds launch_ends_{world_.launch(), &threads_, &transfers_};
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_ANALYSIS_H_
