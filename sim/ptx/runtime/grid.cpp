// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/grid.h"

#include <algorithm>
#include <utility>

namespace muster::ptx {

void Grid::Reset() {
  for (Core* const core : cores_) {
    core->Reset();
  }
  clusters_.Reset();
  over_.assign(launch_.Launches(), false);
  announced_ = 0;
  cancelled_.clear();
  printed_ = {};
  cycle_ = 0;
  ending_ = false;
  outcome_ = Outcome::kTimeout;
  problem_.clear();
  faults_.clear();
  hazards_.clear();
}

// ------------------------------------------------------------------------------------------------
// Launches
// ------------------------------------------------------------------------------------------------

// A launch awaits the one before it: those before that are over.
void Grid::AnnounceLaunches() {
  while (announced_ < launch_.Launches() &&
         (announced_ < kGridSlots || over_[announced_ - kGridSlots])) {
    ClusterLife grid;
    grid.grid = static_cast<std::uint8_t>(GridOf(announced_));
    grid.awaits = announced_ == 0 ? 0 : static_cast<std::uint8_t>(1U << GridOf(announced_ - 1));
    grid.size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(launch_.At(announced_).Ctas(), ~0U));
    ++announced_;
    Request(grid);
  }
}

void Grid::EndLaunch(std::size_t launch) {
  over_[launch] = true;
  AnnounceLaunches();
}

bool Grid::LaunchMayBegin() const {
  const std::size_t next = clusters_.NextLaunch();
  return next == 0 || !clusters_.IsFirst() ||
         (next < announced_ && (over_[next - 1] || (Launchable() >> GridOf(next - 1) & 1) != 0));
}

// ------------------------------------------------------------------------------------------------
// Clusters
// ------------------------------------------------------------------------------------------------

bool Grid::HasRoom() const {
  const Launch& launch = launch_.OfCluster(clusters_.begun());
  return clusters_.FreeSlot().has_value() &&
         std::all_of(cores_.begin(), cores_.end(), [&](const Core* core) {
           return core->HasRoom(launch, clusters_.CtasOn(core->unit(), launch.ClusterCtas()));
         });
}

void Grid::LaunchClusters() {
  while (!ending_ && !clusters_.AllBegun() && HasRoom() && LaunchMayBegin() && MayStart()) {
    LaunchCluster();
  }
}

void Grid::LaunchCluster() {
  const unsigned slot = *clusters_.FreeSlot();
  const std::size_t index = clusters_.NextLaunch();
  const Launch& launch = launch_.At(index);
  Cluster& cluster = clusters_.Start(slot);
  for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
    const CtaPlace place = clusters_.PlaceOf(slot, rank);
    cluster.ctas.push_back(cores_[place.unit]->LaunchCta(place.cta, cluster, rank));
  }
  Open(launch, index, slot);
  OnStart(cluster);
}

// Tells the cluster scope of a cluster in the slot.
void Grid::Open(const Launch& launch, std::size_t index, unsigned slot) {
  ClusterLife life;
  life.op = ClusterLifeOp::kOpen;
  life.cluster = static_cast<std::uint8_t>(slot);
  life.size = launch.ClusterCtas();
  Request(life);
  for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
    life.op = ClusterLifeOp::kLaunch;
    life.grid = static_cast<std::uint8_t>(GridOf(index));
    life.size = static_cast<std::uint32_t>(launch.Warps());
    const CtaPlace place = clusters_.PlaceOf(slot, rank);
    life.rank = static_cast<std::uint8_t>(rank);
    life.unit = place.unit;
    life.cta = place.cta;
    Request(life);
  }
}

void Grid::CtaEnded(unsigned unit, unsigned cta) {
  End({static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(cta)});
  const unsigned slot = clusters_.SlotOf(cta);
  if (clusters_.EndCta(slot)) {
    for (unsigned rank = 0; rank < clusters_.At(slot).launch->ClusterCtas(); ++rank) {
      const CtaPlace place = clusters_.PlaceOf(slot, rank);
      cores_[place.unit]->Free(place.cta);
    }
    RetireCancelled();
  }
}

// Tells the cluster scope that a CTA leaves its slot.
void Grid::End(const CtaPlace& place) {
  ClusterLife end;
  end.op = ClusterLifeOp::kEnd;
  end.unit = place.unit;
  end.cta = place.cta;
  Request(end);
}

CancelResponse Grid::CancelNext(const Launch& launch) {
  const CancelResponse response = clusters_.Cancel(launch);
  const std::size_t index = launch_.IndexOfCta(launch.first_cta);
  if (response != CancelResponse() && index + 1 < launch_.Launches()) {
    cancelled_.push_back(index);
    RetireCancelled();
  }
  return response;
}

// To the cluster scope a cluster that was cancelled comes and goes, so that its launch ends.
void Grid::RetireCancelled() {
  while (!cancelled_.empty() && clusters_.FreeSlot()) {
    const unsigned slot = *clusters_.FreeSlot();
    const Launch& launch = launch_.At(cancelled_.back());
    Open(launch, cancelled_.back(), slot);
    cancelled_.pop_back();
    for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
      End(clusters_.PlaceOf(slot, rank));
    }
  }
}

// ------------------------------------------------------------------------------------------------
// The end
// ------------------------------------------------------------------------------------------------

void Grid::End(Outcome outcome) {
  if (ending_) {
    return;
  }
  ending_ = true;
  outcome_ = outcome;
  OnEnd();
}

void Grid::EndWithFault(Outcome outcome, Incident incident, std::string problem) {
  if (ending_) {
    return;
  }
  Locate(&incident);
  faults_.push_back(std::move(incident));
  problem_ = std::move(problem);
  if (replay_ != nullptr) {
    replay_->EndWithFault();
  }
  End(outcome);
}

void Grid::AddHazard(Incident incident) {
  Locate(&incident);
  Add(std::move(incident), &hazards_);
}

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

}  // namespace muster::ptx
