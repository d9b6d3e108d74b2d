// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/isa/config.h"

namespace muster::ptx {
namespace {

constexpr unsigned kQuietCycles = 16;  // more than any release takes

}  // namespace

Grid::Grid(const Config& config, const Program& program, const Launch& launch, Memory* memory,
           std::uint64_t seed)
    : launch_(launch), clusters_(launch, config.num_ctas) {
  if (UsesClusterScope(program, launch)) {
    cluster_port_ = std::make_unique<ClusterPort>();
    ClusterLife grid;
    grid.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(launch.Ctas(), ~0U));
    cluster_port_->Ask(grid);
  }
  for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
    machines_.push_back(std::make_unique<Machine>(this, rank, config, program, launch, memory,
                                                  seed + rank * 0x9e3779b97f4a7c15U));
  }
}

std::vector<lockstep::Driver*> Grid::Drivers() const {
  std::vector<lockstep::Driver*> drivers;
  for (const auto& machine : machines_) {
    drivers.push_back(machine.get());
  }
  return drivers;
}

// ------------------------------------------------------------------------------------------------
// The run
// ------------------------------------------------------------------------------------------------

// Starts clusters in the order of the grid, in the lowest free slots, while there are any.
void Grid::LaunchClusters() {
  while (!clusters_.AllBegun()) {
    const std::optional<unsigned> slot = clusters_.FreeSlot();
    if (!slot ||
        !std::all_of(machines_.begin(), machines_.end(),
                     [](const auto& machine) { return machine->HasRoom(); }) ||
        !MayStart(clusters_.begun())) {
      return;
    }
    Cluster& cluster = clusters_.Start(*slot);
    for (const auto& machine : machines_) {
      cluster.ctas.push_back(machine->LaunchCta(*slot, &cluster));
    }
    if (cluster_port_ != nullptr) {
      OpenCluster(*slot);
    }
    if (replay_ != nullptr) {
      for (const Cta* const cta : cluster.ctas) {
        replay_->Started(cta->linear_id);
      }
    }
  }
}

void Grid::CtaEnded(unsigned rank, unsigned slot) {
  if (cluster_port_ != nullptr) {
    ClusterLife end;
    end.op = ClusterLifeOp::kEnd;
    end.unit = static_cast<std::uint8_t>(rank);
    end.cta = static_cast<std::uint8_t>(slot);
    cluster_port_->Ask(end);
  }
  if (clusters_.EndCta(slot)) {
    for (const auto& machine : machines_) {
      machine->Free(slot);
    }
  }
}

bool Grid::IsSending(const Cta* cta, unsigned warp) const {
  return cluster_port_ != nullptr && cluster_port_->IsSending(cta, warp);
}

std::optional<Transfer> Grid::Abandon(const Cta* cta) {
  std::optional<Transfer> of_another;
  for (const auto& machine : machines_) {
    std::optional<Transfer> lost = machine->Abandon(cta);
    of_another = of_another ? std::move(of_another) : std::move(lost);
  }
  return of_another;
}

// A transfer to global memory may be performed after its CTA has ended.
void Grid::Decide(std::uint64_t cycle) {
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
bool Grid::IsDeadlocked() {
  const bool busy = ending_ || std::any_of(machines_.begin(), machines_.end(),
                                           [](const auto& machine) { return machine->IsBusy(); });
  quiet_ = busy ? 0 : quiet_ + 1;
  return quiet_ > kQuietCycles;
}

// Whether all running warps repeat waits for ever.
bool Grid::SpinsForEver(std::uint64_t cycle) {
  if (cycle % kLookEvery != 0 || ending_) {
    return false;
  }
  looked_ = cycle;
  return std::all_of(machines_.begin(), machines_.end(),
                     [cycle](const auto& machine) { return machine->Repeats(cycle); });
}

void Grid::Change(std::uint64_t cycle) {
  for (const auto& machine : machines_) {
    machine->Change(cycle);
  }
}

void Grid::End(Outcome outcome) {
  if (ending_) {
    return;
  }
  ending_ = true;
  outcome_ = outcome;
  NoteMissed();
}

// Records a fault. The first one ends the run.
void Grid::EndWithFault(Outcome outcome, Incident incident, std::string problem) {
  if (ending_) {
    return;
  }
  faults_.push_back(std::move(incident));
  problem_ = std::move(problem);
  if (replay_ != nullptr) {
    replay_->EndWithFault();
  }
  End(outcome);
}

// Records the first hazard of each kind and line, and counts the others.
void Grid::Add(Incident incident, std::vector<Incident>* incidents) {
  const auto same = std::find_if(incidents->begin(), incidents->end(), [&](const Incident& other) {
    return other.line == incident.line && other.name == incident.name;
  });
  if (same != incidents->end()) {
    ++same->count;
  } else {
    incidents->push_back(std::move(incident));
  }
}

// ------------------------------------------------------------------------------------------------
// Results
// ------------------------------------------------------------------------------------------------

// Concatenates the lists of all machines.
template <typename F>
auto Grid::Gather(F of) const {
  auto all = of(*machines_.front());
  for (std::size_t rank = 1; rank < machines_.size(); ++rank) {
    auto more = of(*machines_[rank]);
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return all;
}

template <typename F>
std::uint64_t Grid::Sum(F of) const {
  std::uint64_t sum = 0;
  for (const auto& machine : machines_) {
    sum += of(*machine);
  }
  return sum;
}

std::vector<BarrierRow> Grid::Barriers() const {
  auto rows = Gather([](const Machine& machine) { return machine.Barriers(); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const BarrierRow& a, const BarrierRow& b) { return a.cta < b.cta; });
  return rows;
}

std::uint64_t Grid::Releases() const {
  return Sum([](const Machine& machine) { return machine.releases(); });
}

std::uint64_t Grid::Operations(OpKind kind) const {
  return Sum([kind](const Machine& machine) { return machine.Operations(kind); });
}

std::uint64_t Grid::WarpInstructions() const {
  return Sum([](const Machine& machine) { return machine.interpreter().warp_instructions(); });
}

std::uint64_t Grid::ThreadInstructions() const {
  return Sum([](const Machine& machine) { return machine.interpreter().thread_instructions(); });
}

std::uint64_t Grid::RendezvousLanes() const {
  return Sum([](const Machine& machine) { return machine.interpreter().rendezvous_lanes(); });
}

std::uint64_t Grid::Operations(MbOp op) const {
  return Sum([op](const Machine& machine) { return machine.mbarriers().Operations(op); });
}

std::vector<MbarrierRow> Grid::Mbarriers() const {
  auto rows = Gather([](const Machine& machine) { return machine.mbarriers().Rows(); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MbarrierRow& a, const MbarrierRow& b) { return a.cta < b.cta; });
  return rows;
}

std::vector<StuckMbarrier> Grid::StuckMbarriers() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckMbarriers(); });
}

std::vector<StuckBarrier> Grid::StuckBarriers() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckBarriers(); });
}

std::vector<StuckWarp> Grid::StuckWarps() const {
  return Gather([](const Machine& machine) { return machine.wait_report().StuckWarps(); });
}

std::vector<StuckWarp> Grid::RunningWarps() const {
  return Gather([](const Machine& machine) { return machine.wait_report().RunningWarps(); });
}

// Returns the clusters at whose barrier lanes wait.
std::vector<StuckCluster> Grid::StuckClusters() const {
  std::vector<StuckCluster> stuck;
  for (unsigned slot = 0; slot < clusters_.slots(); ++slot) {
    StuckCluster row;
    bool waits = false;
    for (std::size_t rank = 0; clusters_.IsResident(slot) && rank < machines_.size(); ++rank) {
      waits = machines_[rank]->wait_report().DescribeCluster(clusters_.At(slot), &row) || waits;
    }
    if (waits) {
      row.cluster = clusters_.At(slot).id;
      stuck.push_back(std::move(row));
    }
  }
  return stuck;
}

std::string Grid::CtaName(std::uint64_t linear_id) const {
  const auto point = PointOf(linear_id, launch_.grid);
  return fmt::format("({},{},{})", point[0], point[1], point[2]);
}

}  // namespace muster::ptx
