// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::ptx {

ClusterLife LifeOf(const Launch& launch) {
  ClusterLife grid;
  grid.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(launch.Ctas(), ~0U));
  return grid;
}

void Grid::Reset() {
  for (Core* const core : cores_) {
    core->Reset();
  }
  clusters_.Reset();
  printed_ = {};
  cycle_ = 0;
  ending_ = false;
  outcome_ = Outcome::kTimeout;
  problem_.clear();
  faults_.clear();
  hazards_.clear();
}

bool Grid::HasRoom() const {
  return clusters_.FreeSlot().has_value() &&
         std::all_of(cores_.begin(), cores_.end(),
                     [](const Core* core) { return core->HasRoom(); });
}

void Grid::LaunchClusters() {
  while (!ending_ && !clusters_.AllBegun() && HasRoom() && MayStart()) {
    LaunchCluster();
  }
}

void Grid::LaunchCluster() {
  const unsigned slot = *clusters_.FreeSlot();
  Cluster& cluster = clusters_.Start(slot);
  for (Core* const core : cores_) {
    cluster.ctas.push_back(core->LaunchCta(slot, cluster));
  }
  ClusterLife life;
  life.op = ClusterLifeOp::kOpen;
  life.cluster = static_cast<std::uint8_t>(slot);
  life.size = launch_.ClusterCtas();
  Request(life);
  for (unsigned rank = 0; rank < cores_.size(); ++rank) {
    life.op = ClusterLifeOp::kLaunch;
    life.size = static_cast<std::uint32_t>(launch_.Warps());
    life.rank = life.unit = static_cast<std::uint8_t>(rank);
    life.cta = static_cast<std::uint8_t>(slot);
    Request(life);
  }
  OnStart(cluster);
}

void Grid::CtaEnded(unsigned rank, unsigned slot) {
  ClusterLife end;
  end.op = ClusterLifeOp::kEnd;
  end.unit = static_cast<std::uint8_t>(rank);
  end.cta = static_cast<std::uint8_t>(slot);
  Request(end);
  if (clusters_.EndCta(slot)) {
    for (Core* const core : cores_) {
      core->Free(slot);
    }
  }
}

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

std::string Grid::CtaName(std::uint64_t linear_id) const {
  const auto point = PointOf(linear_id, launch_.grid);
  return fmt::format("({},{},{})", point[0], point[1], point[2]);
}

}  // namespace muster::ptx
