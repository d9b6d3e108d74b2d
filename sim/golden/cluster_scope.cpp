// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What warps request. Numbers in comments are subsections of PTX ISA 9.7.13.
#include "sim/golden/cluster_scope.h"

#include <cassert>
#include <cstdint>
#include <map>

#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"

namespace muster::golden {

bool ClusterScope::MayBePresented(unsigned unit, const ClusterRequest& request) const {
  if (request.lanes == 0) {
    return true;
  }
  if (unit >= config_.num_units || request.warp >= config_.num_warps) {
    return false;
  }
  const bool exits = request.op == ClusterOp::kExit;
  if (exits ? (request.lanes & request.live) != 0 : (request.lanes & ~request.live) != 0) {
    return false;
  }
  const ClusterWarp* warp = FindWarp(unit, request.warp);
  if (warp != nullptr && (request.lanes & (warp->waiting | warp->at_grid)) != 0) {
    return false;  // a lane that waits executes nothing
  }
  const CtaPlace place = {static_cast<std::uint8_t>(unit), request.cta};
  const auto cta = ctas_.find(place);
  if (cta == ctas_.end()) {
    return true;
  }
  if (warp == nullptr) {
    return cta->second.unseen != 0;
  }
  return cta->second.warps.count(request.warp) != 0 && warp->live == (request.lanes | request.live);
}

ClusterEffects ClusterScope::Step(unsigned unit, const ClusterRequest& request) {
  assert(MayBePresented(unit, request));
  ClusterEffects effects;
  if (request.lanes == 0) {
    return effects;  // no lane executes it
  }
  const auto found = ctas_.find({static_cast<std::uint8_t>(unit), request.cta});
  if (found == ctas_.end()) {
    effects.fault = FaultCause::kCtaNotResident;
    effects.at_fault = request.lanes;
    return effects;
  }
  Cta& cta = found->second;
  ClusterWarp warp;  // all lanes are idle when the CTA is launched
  warp.live = request.live;
  const auto seen = cta.warps.find(request.warp);
  if (seen != cta.warps.end()) {
    warp = seen->second;
  }
  effects.fault = JudgeLanes(warp, request, &effects.at_fault);
  if (effects.fault != FaultCause::kNone) {
    return effects;
  }
  cta.unseen -= seen == cta.warps.end() ? 1 : 0;
  ClusterWarp& kept = cta.warps[request.warp] = warp;
  switch (request.op) {
    case ClusterOp::kArrive:
    case ClusterOp::kArriveRelaxed:
      kept.arrived |= request.lanes;
      TestPhase(cta.cluster, &effects);
      break;
    case ClusterOp::kWait:
      Wait(request.lanes, &kept, &effects);
      break;
    case ClusterOp::kExit:
      Exit(request, &cta, &effects);
      break;
    case ClusterOp::kTrigger:
      Trigger(&cta, &effects);
      break;
    case ClusterOp::kGridWait:
      kept.at_grid |= request.lanes;
      ReleaseFromGrid(cta.grid, &effects);
      break;
  }
  return effects;
}

// (.3) "Each thread must arrive at the barrier only once before the barrier completes." It may
// arrive again "after using barrier.cluster.wait to detect completion".
FaultCause ClusterScope::JudgeLanes(const ClusterWarp& warp, const ClusterRequest& request,
                                    std::uint32_t* at_fault) {
  const std::uint32_t not_idle = warp.arrived | warp.passed;
  if (IsClusterArrival(request.op)) {
    *at_fault = request.lanes & not_idle;
    return *at_fault != 0 ? FaultCause::kClusterArrivedTwice : FaultCause::kNone;
  }
  if (request.op == ClusterOp::kWait) {
    *at_fault = request.lanes & ~not_idle;
    return *at_fault != 0 ? FaultCause::kClusterWaitWithoutArrive : FaultCause::kNone;
  }
  return FaultCause::kNone;
}

// Those whose phase has completed go on, the others wait for its end.
void ClusterScope::Wait(std::uint32_t lanes, ClusterWarp* warp, ClusterEffects* effects) {
  effects->go = lanes & warp->passed;
  warp->passed &= ~lanes;
  warp->waiting |= lanes & warp->arrived;
}

void ClusterScope::Exit(const ClusterRequest& request, Cta* cta, ClusterEffects* effects) {
  ClusterWarp& warp = cta->warps[request.warp];
  warp.live &= ~request.lanes;
  warp.arrived &= ~request.lanes;
  warp.passed &= ~request.lanes;
  if (warp.live == 0) {
    cta->warps.erase(request.warp);
  }
  if (!cta->IsThere()) {
    CompleteCta(cta, effects);
  }
  TestPhase(cta->cluster, effects);
}

// (.3) "When all non-exited threads in the cluster have executed barrier.cluster.arrive, the
// barrier completes and is automatically reinitialized." The threads of a CTA that is not launched
// yet, and of warps that have not been heard of, have not exited.
void ClusterScope::TestPhase(unsigned cluster, ClusterEffects* effects) {
  Cluster& completed = clusters_.at(cluster);
  if (!LacksNobody(completed) || !IsOpen(cluster)) {
    return;
  }
  ++completed.phases;
  for (const auto& [rank, member] : completed.members) {
    if (Find(member) == nullptr) {
      continue;
    }
    for (auto& [number, warp] : ctas_.at(member.place).warps) {
      if (warp.waiting != 0) {
        effects->releases.push_back(
            {member.place.unit, static_cast<std::uint8_t>(number), warp.waiting});
      }
      warp.passed |= warp.arrived & ~warp.waiting;
      warp.arrived = 0;
      warp.waiting = 0;
    }
  }
}

// (.13) "Repeated invocations of this instruction by threads in the current CTA will have no
// additional side effects past that of the first invocation."
void ClusterScope::Trigger(Cta* cta, ClusterEffects* effects) {
  if (cta->triggered) {
    return;
  }
  cta->triggered = true;
  Grid& grid = grids_.at(cta->grid);
  ++grid.triggered;
  if (grid.triggered == grid.size) {
    effects->launches |= Bit(cta->grid);
  }
}

// (.13) Dependents can be scheduled when the CTAs of the grid "issue the same instruction or have
// completed".
void ClusterScope::CompleteCta(Cta* cta, ClusterEffects* effects) {
  Trigger(cta, effects);
  Grid& grid = grids_.at(cta->grid);
  ++grid.completed;
  if (grid.completed == grid.size) {
    effects->flushes |= Bit(cta->grid);
  }
}

// (.13) They wait "until all prerequisite grids in flight have completed and all the memory
// operations from the prerequisite grids are performed and made visible".
void ClusterScope::ReleaseFromGrid(unsigned grid, ClusterEffects* effects) {
  if (grids_.at(grid).awaits != 0) {
    return;
  }
  for (auto& [place, cta] : ctas_) {
    if (cta.grid != grid) {
      continue;
    }
    for (auto& [number, warp] : cta.warps) {
      if (warp.at_grid != 0) {
        effects->grid_releases.push_back(
            {place.unit, static_cast<std::uint8_t>(number), warp.at_grid});
        warp.at_grid = 0;
      }
    }
  }
}

ClusterEffects ClusterScope::Flushed(unsigned grid) {
  assert((Flushes() >> grid & 1) != 0);
  ClusterEffects effects;
  grids_.erase(grid);
  for (auto& [number, other] : grids_) {
    other.awaits &= ~Bit(grid);
    ReleaseFromGrid(number, &effects);
  }
  return effects;
}

}  // namespace muster::golden
