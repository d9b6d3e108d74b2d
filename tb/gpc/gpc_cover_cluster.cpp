// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cover points of the cluster scope, and of what passes between it and the units.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/isa/bits.h"
#include "tb/gpc/gpc_cover.h"

namespace muster::gpc {
namespace {

constexpr std::uint64_t kNextPhase = 100;  // cycles between two phases of a cluster
constexpr unsigned kStorm = 8;             // cycles
constexpr unsigned kNarrowRank = 15;       // the highest rank of four bits

}  // namespace

void GpcCover::ObserveCluster(std::uint64_t cycle, const lockstep::GpcPins& pins,
                              const lockstep::GpcChecks& checks) {
  const ClusterOutputs& out = pins.cluster_out;
  for (const lockstep::ClusterChecker::Done& done : checks.cluster.done()) {
    CountDone(done, checks.cluster.model());
  }
  for (unsigned u = 0; u < pins.units.size(); ++u) {
    const ClusterOutputs::Unit& unit = out.units[u];
    if (unit.go_valid) {
      Hit("cluster.go");
    }
    if (unit.release != 0) {
      Hit("cluster.release");
    }
    if ((unit.fence_req & ~pins.cluster_in.units[u].fence_ack) != 0) {
      Hit("cluster.drain");
    }
    ForEachBit(unit.grid_release, [&](unsigned warp) {
      if (at_grid_[{u, warp}]) {
        Hit("grid.release_after_wait");
      }
      at_grid_[{u, warp}] = false;
    });
  }
  const std::uint8_t flight = checks.cluster.model().GridsInFlight();
  if ((out.launch & ~launched_ & flight) != 0) {
    Hit("grid.launch");
  }
  if ((out.flush & ~flushed_) != 0) {
    Hit("grid.flush");
  }
  launched_ = out.launch | static_cast<std::uint8_t>(~flight);
  flushed_ = out.flush;
  CountPhases(cycle, checks);
  CountLife(pins);
  CountCancel(pins);
}

void GpcCover::CountDone(const lockstep::ClusterChecker::Done& done,
                         const golden::ClusterScope& model) {
  const ClusterRequest& request = done.request;
  if (request.lanes == 0) {
    return;
  }
  Hit(fmt::format("cluster.op.{}", Name(request.op)));
  if (done.effects.fault != FaultCause::kNone) {
    Hit(fmt::format("cluster.fault.{}", Name(done.effects.fault)));
    return;
  }
  const WarpKey key = {done.unit, request.warp};
  ClusterWarp& before = lanes_[key];
  if (request.op == ClusterOp::kExit) {
    const std::uint32_t others = before.arrived | before.passed;
    const auto hit = [&](std::uint32_t lanes, const char* name) {
      if (lanes != 0) {
        Hit(name);
      }
    };
    hit(request.lanes & ~others, "cluster.exit.idle");
    hit(request.lanes & before.arrived, "cluster.exit.arrived");
    hit(request.lanes & before.passed, "cluster.exit.passed");
    hit(before.waiting, "cluster.exit.beside_waiting");
  } else if (IsClusterArrival(request.op)) {
    CountArrival(done);
  } else if (request.op == ClusterOp::kGridWait) {
    at_grid_[key] = done.effects.grid_releases.empty();
    Hit(at_grid_[key] ? "grid.wait.waits" : "grid.wait.at_once");
  }
  const ClusterWarp* const after = model.FindWarp(done.unit, request.warp);
  if (after == nullptr && request.op == ClusterOp::kExit) {
    Hit("cluster.exit.of_cta");
  }
  before = after == nullptr ? ClusterWarp() : *after;
}

void GpcCover::CountArrival(const lockstep::ClusterChecker::Done& done) {
  const ClusterRequest& request = done.request;
  Arrivals& arrivals = arrivals_[{done.unit, request.warp}];
  if ((lanes_[{done.unit, request.warp}].arrived & ~arrivals.lanes) != 0 ||
      lanes_[{done.unit, request.warp}].arrived == 0) {
    arrivals = Arrivals();
  }
  arrivals.lanes |= request.lanes;
  arrivals.order.push_back(First(request.lanes));
  if (arrivals.lanes == request.live) {
    HitOrder("cluster.order.", arrivals.order);
    arrivals = Arrivals();
  }
}

// Who has completed a phase is seen from what took effect in that cycle.
void GpcCover::CountPhases(std::uint64_t cycle, const lockstep::GpcChecks& checks) {
  for (unsigned c = 0; c < kMaxClusters; ++c) {
    const unsigned phases = checks.cluster.model().Phases(c);
    if (phases > phases_[c]) {
      bool arrives = false;
      bool exits = false;
      for (const lockstep::ClusterChecker::Done& done : checks.cluster.done()) {
        arrives = arrives || IsClusterArrival(done.request.op);
        exits = exits || done.request.op == ClusterOp::kExit;
      }
      Hit(exits     ? "cluster.phase.by_exit"
          : arrives ? "cluster.phase.by_arrive"
                    : "cluster.phase.by_end");
      if (phase_at_[c] != 0 && cycle - phase_at_[c] <= kNextPhase) {
        Hit("cluster.phase.back_to_back");
      }
      phase_at_[c] = cycle;
      for (auto& [key, lanes] : lanes_) {  // what has arrived has passed
        if (const ClusterWarp* now = checks.cluster.model().FindWarp(key.first, key.second);
            now != nullptr) {
          lanes = *now;
        }
      }
    }
    phases_[c] = phases;
  }
}

void GpcCover::CountLife(const lockstep::GpcPins& pins) {
  const ClusterInputs& in = pins.cluster_in;
  const ClusterOutputs& out = pins.cluster_out;
  if (in.life_valid && out.life_ready) {
    Hit(fmt::format("cluster.{}.{}", out.life_fault == FaultCause::kNone ? "life" : "refused",
                    Name(in.life.op)));
    if (in.life.op == ClusterLifeOp::kLaunch && in.life.rank > kNarrowRank &&
        out.life_fault == FaultCause::kNone) {
      Hit("cluster.high_rank");
    }
  }
  // What is on its way to a CTA that ends.
  const ClusterOutputs::Unit& unit = out.units[in.life.unit % kMaxUnits];
  if (!in.life_valid || in.life.op != ClusterLifeOp::kEnd || out.life_ready) {
    return;
  }
  if (unit.remote_valid && unit.remote.place.cta == in.life.cta) {
    Hit("network.end_waits");
  }
}

void GpcCover::CountCancel(const lockstep::GpcPins& pins) {
  for (unsigned u = 0; u < pins.units.size(); ++u) {
    const ClusterInputs::Unit& in = pins.cluster_in.units[u];
    if (in.cancel_valid && pins.cluster_out.units[u].cancel_ready) {
      multicasts_ = in.cancel.multicast;
      completions_ = 0;
    }
    if (pins.cluster_out.units[u].complete_valid && in.complete_ready) {
      ++completions_;
      Hit(multicasts_ ? "cancel.multicast" : "cancel.single");
      if (completions_ == 2) {
        Hit("cancel.multicast.several");
      }
    }
  }
  if (pins.cluster_out.take_valid && pins.cluster_in.take_ready && pins.cluster_in.take[3] == 0) {
    Hit("cancel.no_cluster");
  }
  if (pins.cluster_out.cancel_lost_valid) {
    Hit("cancel.rank_not_there");
  }
}

void GpcCover::ObserveNetwork(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks) {
  std::set<unsigned> targets;
  unsigned senders = 0;
  for (unsigned u = 0; u < pins.units.size(); ++u) {
    const ClusterInputs::Unit& in = pins.cluster_in.units[u];
    const ClusterOutputs::Unit& out = pins.cluster_out.units[u];
    if (out.lost_valid) {
      Hit("network.rank_not_there");
    }
    if (out.remote_valid && !in.remote_ready) {
      Hit("network.stall");
    }
    if (const auto place = checks.cluster.model().Place(in.send.cluster, in.send.rank);
        in.send_valid && place) {
      if (in.send.rank > kNarrowRank && out.send_ready) {
        Hit("network.high_rank");
      }
      ++senders;
      targets.insert(place->unit);
    }
  }
  const bool all = senders == pins.units.size();
  to_one_ = all && targets.size() == 1 ? to_one_ + 1 : 0;
  to_different_ = all && targets.size() == senders ? to_different_ + 1 : 0;
  if (to_one_ != 0) {
    Hit(to_one_ >= kStorm ? "network.storm_to_one" : "network.all_to_one");
  }
  if (to_different_ != 0) {
    Hit(to_different_ >= kStorm ? "network.storm_to_different" : "network.all_to_different");
  }
}

void GpcCover::ObserveCrossing(const lockstep::GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                               lockstep::GpcCrossingChecker::Source shown) {
  using Source = lockstep::GpcCrossingChecker::Source;
  if (!scope.complete_valid) {
    return;
  }
  if (shown == Source::kEngine) {
    Hit("crossing.engine_first");
  } else if (unit.port->in.mb.async_valid) {
    Hit("crossing.completion_first");
  }
  if (shown == Source::kCompletion && !unit.crossing.async_ready) {
    Hit("crossing.completion_held");
  }
}

}  // namespace muster::gpc
