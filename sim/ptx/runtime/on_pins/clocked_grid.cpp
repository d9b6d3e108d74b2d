// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/clocked_grid.h"

#include <algorithm>
#include <iterator>

#include "sim/isa/config.h"
#include "sim/ptx/runtime/fits.h"

namespace muster::ptx {
namespace {

constexpr unsigned kQuietCycles = 16;  // more than any release takes

}  // namespace

ClockedGrid::ClockedGrid(const Config& config, const Program& program, const Launch& launch,
                         Memory* memory, std::uint64_t seed)
    : Grid(launch, config.num_ctas), program_(program), random_(seed) {
  if (UsesClusterScope(program, launch)) {
    cluster_port_ = std::make_unique<ClusterPort>(clusters_.units());
    AnnounceLaunches();
  }
  for (unsigned unit = 0; unit < clusters_.units(); ++unit) {
    machines_.push_back(std::make_unique<Machine>(this, unit, config, program, launch, memory,
                                                  seed + unit * 0x9e3779b97f4a7c15U));
    Add(&machines_.back()->core());
  }
}

void ClockedGrid::PerformLate(Memory* memory, std::uint64_t seed) {
  late_ = std::make_unique<LateAccesses>(program_, memory, seed);
  for (const auto& machine : machines_) {
    machine->set_late(late_.get());
  }
}

std::vector<lockstep::Driver*> ClockedGrid::Drivers() const {
  std::vector<lockstep::Driver*> drivers;
  for (const auto& machine : machines_) {
    drivers.push_back(machine.get());
  }
  return drivers;
}

// ------------------------------------------------------------------------------------------------
// The run
// ------------------------------------------------------------------------------------------------

void ClockedGrid::Request(const ClusterLife& life) {
  if (cluster_port_ != nullptr) {
    cluster_port_->Ask(life);
  }
}

// If the next cluster has a turn, it waits for that.
bool ClockedGrid::MayStart() const {
  return !WaitsToBegin() &&
         std::all_of(machines_.begin(), machines_.end(),
                     [](const auto& machine) { return machine->TakesLaunch(); }) &&
         (replay_ == nullptr || replay_->MayStart(clusters_.CtasOf(clusters_.begun())));
}

void ClockedGrid::OnStart(const Cluster& cluster) {
  for (const Cta* const cta : cluster.ctas) {
    if (replay_ != nullptr) {
      replay_->Started(cta->linear_id);
    }
  }
}

bool ClockedGrid::IsSending(const Cta* cta, unsigned warp) const {
  return cluster_port_ != nullptr && cluster_port_->IsSending(cta, warp);
}

void ClockedGrid::Abandon(const Cta* cta) {
  for (const auto& machine : machines_) {
    if (const std::optional<Transfer> lost = machine->engine().Abandon(cta)) {
      EndWithLost(*lost);
    }
  }
}

// A transfer to global memory may be performed after its CTA has ended.
void ClockedGrid::Decide(std::uint64_t cycle) {
  if (clusters_.AllEnded() &&
      std::all_of(machines_.begin(), machines_.end(),
                  [](const auto& machine) { return machine->engine().Idle(); })) {
    End(Outcome::kCompletes);
  }
  if ((IsDeadlocked() || SpinsForEver(cycle)) && !DropTurns(cycle)) {
    End(Outcome::kDeadlock);
  }
}

// Whether every live warp waits and nothing in flight could release one.
bool ClockedGrid::IsDeadlocked() {
  const bool busy = ending() || std::any_of(machines_.begin(), machines_.end(),
                                            [](const auto& machine) { return machine->IsBusy(); });
  quiet_ = busy ? 0 : quiet_ + 1;
  return quiet_ > kQuietCycles;
}

// Whether all running warps repeat waits for ever.
bool ClockedGrid::SpinsForEver(std::uint64_t cycle) {
  if (cycle % kLookEvery != 0 || ending()) {
    return false;
  }
  looked_ = cycle;
  return std::all_of(machines_.begin(), machines_.end(),
                     [cycle](const auto& machine) { return machine->Repeats(cycle); });
}

void ClockedGrid::Change(std::uint64_t cycle) {
  for (const auto& machine : machines_) {
    machine->Change(cycle);
  }
}

// ------------------------------------------------------------------------------------------------
// Results
// ------------------------------------------------------------------------------------------------

// Concatenates the lists of all machines.
template <typename F>
auto ClockedGrid::Gather(F of) const {
  auto all = of(*machines_.front());
  for (std::size_t unit = 1; unit < machines_.size(); ++unit) {
    auto more = of(*machines_[unit]);
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return all;
}

template <typename F>
std::uint64_t ClockedGrid::Sum(F of) const {
  std::uint64_t sum = 0;
  for (const auto& machine : machines_) {
    sum += of(*machine);
  }
  return sum;
}

std::vector<BarrierRow> ClockedGrid::Barriers() const {
  auto rows = Gather([](const Machine& machine) { return machine.core().barriers().Rows(); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const BarrierRow& a, const BarrierRow& b) { return a.cta < b.cta; });
  return rows;
}

std::uint64_t ClockedGrid::Releases() const {
  return Sum([](const Machine& machine) { return machine.core().barriers().releases(); });
}

std::uint64_t ClockedGrid::Operations(OpKind kind) const {
  return Sum([kind](const Machine& machine) { return machine.Operations(kind); });
}

std::uint64_t ClockedGrid::WarpInstructions() const {
  return Sum([](const Machine& machine) {
    return machine.core().interpreter().execution().warp_instructions;
  });
}

std::uint64_t ClockedGrid::ThreadInstructions() const {
  return Sum([](const Machine& machine) {
    return machine.core().interpreter().execution().thread_instructions;
  });
}

std::uint64_t ClockedGrid::RendezvousLanes() const {
  return Sum([](const Machine& machine) {
    return machine.core().interpreter().execution().rendezvous_lanes;
  });
}

std::uint64_t ClockedGrid::Operations(MbOp op) const {
  return Sum([op](const Machine& machine) { return machine.core().mbarriers().Operations(op); });
}

std::uint64_t ClockedGrid::Drains() const {
  return late_ == nullptr
             ? 0
             : Sum([](const Machine& machine) { return machine.fence_port()->drains(); });
}

std::uint64_t ClockedGrid::HeldBack() const {
  return Sum([](const Machine& machine) { return machine.fence_port()->held_back(); });
}

std::vector<MbarrierRow> ClockedGrid::Mbarriers() const {
  auto rows = Gather([](const Machine& machine) { return machine.core().mbarriers().Rows(); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MbarrierRow& a, const MbarrierRow& b) { return a.cta < b.cta; });
  return rows;
}

std::vector<StuckMbarrier> ClockedGrid::StuckMbarriers() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckMbarriers(); });
}

std::vector<StuckBarrier> ClockedGrid::StuckBarriers() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckBarriers(); });
}

std::vector<StuckWarp> ClockedGrid::StuckWarps() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckWarps(); });
}

std::vector<StuckWarp> ClockedGrid::RunningWarps() const {
  return Gather([](const Machine& machine) { return machine.wait_report().RunningWarps(); });
}

std::vector<LanesAt> ClockedGrid::Standing() const {
  return Gather([](const Machine& machine) { return machine.wait_report().Standing(); });
}

std::vector<MbarrierWord> ClockedGrid::MbarrierWords() const {
  return Gather([](const Machine& machine) { return machine.wait_report().MbarrierWords(); });
}

// Returns the clusters at whose barrier lanes wait.
std::vector<StuckCluster> ClockedGrid::StuckClusters() const {
  std::vector<StuckCluster> stuck;
  for (unsigned slot = 0; slot < clusters_.slots(); ++slot) {
    StuckCluster row;
    bool waits = false;
    for (unsigned rank = 0; clusters_.IsResident(slot) && rank < clusters_.At(slot).ctas.size();
         ++rank) {
      const CtaPlace place = clusters_.PlaceOf(slot, rank);
      waits = machines_[place.unit]->wait_report().DescribeCta(place.cta, &row) || waits;
    }
    if (waits) {
      row.cluster = clusters_.At(slot).id;
      stuck.push_back(std::move(row));
    }
  }
  return stuck;
}

}  // namespace muster::ptx
