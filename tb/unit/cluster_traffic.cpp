// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/cluster_traffic.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::cluster {

using golden::ClusterScope;

void Traffic::Drive(std::uint64_t cycle, const ClusterOutputs& out, ClusterInputs* in) {
  if (in->life_valid && out.life_ready) {
    if (out.life_fault == FaultCause::kNone) {
      Accepted(in->life);
    }
    in->life_valid = false;
  }
  if (!in->life_valid && OneIn(finishing_ ? 2 : 6)) {
    if (const auto life = NextLife(cycle, *in); life) {
      in->life_valid = true;
      in->life = *life;
    }
  }
  in->flushed = static_cast<std::uint8_t>(Below(256));
  in->take_ready = OneIn(3);
  in->take = OneIn(3) ? CancelResponse{} : CancelResponse{Below(9), Below(9), Below(9), 1};
  for (unsigned u = 0; u < config_.num_units; ++u) {
    ClusterInputs::Unit& unit = in->units[u];
    const ClusterOutputs::Unit& shown = out.units[u];
    if (unit.request_valid && shown.request_ready) {
      unit.request_valid = false;
    }
    if (!unit.request_valid && !OneIn(4)) {
      const bool ends = in->life_valid && in->life.op == ClusterLifeOp::kEnd && in->life.unit == u;
      if (const auto request = NextRequest(u); request && !(ends && request->cta == in->life.cta)) {
        unit.request_valid = true;
        unit.request = *request;
        if (request->op == ClusterOp::kExit) {
          warps_[u][request->warp].live = request->live;
        }
      }
    }
    unit.send_valid = unit.send_valid && !shown.send_ready;
    if (const auto send = NextSend(u); !unit.send_valid && send) {
      unit.send_valid = true;
      unit.send = *send;
    }
    unit.cancel_valid = unit.cancel_valid && !shown.cancel_ready;
    if (const auto cancel = NextCancel(cycle, u); !unit.cancel_valid && cancel) {
      unit.cancel_valid = true;
      unit.cancel = *cancel;
    }
    unit.fence_ack = random_() | (OneIn(2) ? random_() : 0);
    unit.remote_ready = !OneIn(3);
    unit.write_ready = OneIn(2);
    unit.complete_ready = OneIn(2);
  }
}

std::uint32_t Traffic::SomeOf(std::uint32_t lanes) {
  const auto some = static_cast<std::uint32_t>(random_()) & lanes;
  return OneIn(3) && some != 0 ? some : lanes;
}

// ------------------------------------------------------------------------------------------------
// What comes and goes
// ------------------------------------------------------------------------------------------------

std::optional<ClusterLife> Traffic::NextLife(std::uint64_t cycle, const ClusterInputs& in) {
  const ClusterScope& model = checker_.model();
  ClusterLife life;
  // A CTA whose warps have exited ends; now and then one is abandoned.
  for (const Cta& cta : ctas_) {
    const bool gone = std::all_of(cta.warps.begin(), cta.warps.end(),
                                  [&](unsigned w) { return warps_[cta.unit][w].live == 0; });
    if (!IsBusy(cta, in) && (gone || finishing_ || OneIn(400))) {
      life.op = ClusterLifeOp::kEnd;
      life.unit = static_cast<std::uint8_t>(cta.unit);
      life.cta = static_cast<std::uint8_t>(cta.slot);
      return life;
    }
  }
  if (finishing_) {
    return std::nullopt;
  }
  switch (Below(8)) {
    case 0: {
      life.op = ClusterLifeOp::kGrid;
      life.grid = static_cast<std::uint8_t>(Below(std::min(kMaxGrids, config_.num_grids + 1)));
      life.size = OneIn(20) ? 0 : 1 + Below(6);
      const std::uint8_t others = model.GridsInFlight() & ~(1U << life.grid);
      life.awaits = OneIn(2) ? static_cast<std::uint8_t>(others & random_()) : 0;
      return life;
    }
    case 1:
    case 2: {
      life.op = ClusterLifeOp::kOpen;
      life.cluster =
          static_cast<std::uint8_t>(Below(std::min(kMaxClusters, config_.num_clusters + 1)));
      life.size = OneIn(20) ? 17 * Below(2) : 1 + Below(OneIn(2) ? 4 : kMaxRanks);
      bool certain = true;  // the hardware knows who has left, or somebody is there for long
      for (unsigned r = 0; r < kMaxRanks; ++r) {
        certain =
            certain && (model.Place(life.cluster, r) || checker_.HasLeft(life.cluster, r, cycle));
      }
      for (const Cta& cta : ctas_) {  // and nobody leaves just now
        certain = certain && !(cta.cluster == life.cluster && IsBusy(cta, in));
      }
      if (!certain || !model.MayBePresented(life)) {
        return std::nullopt;
      }
      return life;
    }
    default:
      return Launch(cycle);
  }
}

bool Traffic::IsBusy(const Cta& cta, const ClusterInputs& in) const {
  const ClusterInputs::Unit& unit = in.units[cta.unit];
  return (unit.request_valid && unit.request.cta == cta.slot) ||
         std::any_of(cta.warps.begin(), cta.warps.end(),
                     [&](unsigned w) { return checker_.IsUnderWay(cta.unit, w); });
}

std::optional<ClusterLife> Traffic::Launch(std::uint64_t cycle) {
  ClusterLife life;
  life.op = ClusterLifeOp::kLaunch;
  life.unit = static_cast<std::uint8_t>(
      Below(std::min(kMaxUnits, config_.num_units + (OneIn(20) ? 1 : 0))));
  life.cta =
      static_cast<std::uint8_t>(Below(std::min(kMaxCtas, config_.num_ctas + (OneIn(20) ? 1 : 0))));
  life.cluster = static_cast<std::uint8_t>(Below(config_.num_clusters));
  const unsigned size = cluster_size_[life.cluster];
  life.rank = static_cast<std::uint8_t>(OneIn(20) || size == 0 ? Below(kMaxRanks) : Below(size));
  life.grid = static_cast<std::uint8_t>(Below(config_.num_grids));
  free_warps_.clear();
  for (unsigned w = 0; w < config_.num_warps && life.unit < config_.num_units; ++w) {
    const bool taken = std::any_of(ctas_.begin(), ctas_.end(), [&](const Cta& cta) {
      return cta.unit == life.unit &&
             std::find(cta.warps.begin(), cta.warps.end(), w) != cta.warps.end();
    });
    if (!taken) {
      free_warps_.push_back(w);
    }
  }
  std::shuffle(free_warps_.begin(), free_warps_.end(), random_);
  if (!free_warps_.empty()) {
    free_warps_.resize(1 + Below(std::min<unsigned>(4, static_cast<unsigned>(free_warps_.size()))));
  }
  life.size = static_cast<std::uint32_t>(free_warps_.size());
  if (!checker_.model().MayBePresented(life) || !IsForgotten(life.unit, life.cta, cycle)) {
    return std::nullopt;
  }
  return life;
}

bool Traffic::IsForgotten(unsigned unit, unsigned slot, std::uint64_t cycle) const {
  const auto last = last_.find({unit, slot});
  bool forgotten = last == last_.end() ||
                   checker_.HasLeft(last->second.first, last->second.second, cycle) ||
                   checker_.model().IsResident(
                       {static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(slot)});
  for (unsigned sender = 0; sender < config_.num_units; ++sender) {
    forgotten = forgotten && checker_.model().OnTheWay(sender, unit) == 0;
  }
  return forgotten;
}

void Traffic::Accepted(const ClusterLife& life) {
  switch (life.op) {
    case ClusterLifeOp::kGrid:
      break;
    case ClusterLifeOp::kOpen:
      cluster_size_[life.cluster] = life.size;
      break;
    case ClusterLifeOp::kLaunch:
      ctas_.push_back({life.unit, life.cta, life.cluster, life.rank, free_warps_});
      last_[{life.unit, life.cta}] = {life.cluster, life.rank};
      for (const unsigned w : free_warps_) {
        warps_[life.unit][w] = Warp();
      }
      break;
    case ClusterLifeOp::kEnd:
      ctas_.erase(std::remove_if(ctas_.begin(), ctas_.end(),
                                 [&](const Cta& cta) {
                                   return cta.unit == life.unit && cta.slot == life.cta;
                                 }),
                  ctas_.end());
      break;
  }
}

// ------------------------------------------------------------------------------------------------
// Warps
// ------------------------------------------------------------------------------------------------

const Traffic::Cta* Traffic::AnyCta(unsigned unit) {
  std::vector<const Cta*> here;
  for (const Cta& cta : ctas_) {
    if (cta.unit == unit) {
      here.push_back(&cta);
    }
  }
  return here.empty() ? nullptr : here[Below(static_cast<unsigned>(here.size()))];
}

std::optional<ClusterRequest> Traffic::NextRequest(unsigned unit) {
  const Cta* const cta = AnyCta(unit);
  if (cta == nullptr) {
    return std::nullopt;
  }
  const unsigned warp = cta->warps[Below(static_cast<unsigned>(cta->warps.size()))];
  auto request = checker_.IsUnderWay(unit, warp) ? std::nullopt : RequestOf(*cta, warp);
  if (request && !checker_.model().MayBePresented(unit, *request)) {
    return std::nullopt;
  }
  return request;
}

std::optional<ClusterRequest> Traffic::RequestOf(const Cta& cta, unsigned warp) {
  const std::uint32_t live = warps_[cta.unit][warp].live;
  const std::uint32_t free = live & ~checker_.held(cta.unit, warp);
  ClusterWarp lanes;
  if (const ClusterWarp* const known = checker_.model().FindWarp(cta.unit, warp);
      known != nullptr) {
    lanes = *known;
  }
  const std::uint32_t arrived = (lanes.arrived | lanes.passed) & free;
  const std::uint32_t idle = free & ~arrived;
  ClusterRequest request;
  request.warp = static_cast<std::uint8_t>(warp);
  request.cta = static_cast<std::uint8_t>(cta.slot);
  request.live = live;
  const unsigned choice = Below(40);
  if (finishing_ || choice == 0) {
    request.op = ClusterOp::kExit;
    request.lanes = finishing_ ? free : SomeOf(free);
    request.live = live & ~request.lanes;
  } else if (choice == 1) {
    request.op = ClusterOp::kTrigger;
    request.lanes = SomeOf(free);
  } else if (choice == 2) {
    request.op = ClusterOp::kGridWait;
    request.lanes = SomeOf(free);
  } else if (choice == 3) {  // whatever they have done
    request.op = OneIn(2) ? ClusterOp::kWait : ClusterOp::kArrive;
    request.lanes = SomeOf(free);
  } else if (choice == 4) {
    request.op = ClusterOp::kWait;
    request.lanes = 0;
  } else if (arrived != 0 && (idle == 0 || OneIn(2))) {
    request.op = ClusterOp::kWait;
    request.lanes = SomeOf(arrived);
  } else {
    request.op = OneIn(2) ? ClusterOp::kArrive : ClusterOp::kArriveRelaxed;
    request.lanes = SomeOf(idle);
  }
  if (request.lanes == 0 && choice != 4) {
    return std::nullopt;
  }
  return request;
}

// ------------------------------------------------------------------------------------------------
// Between CTAs
// ------------------------------------------------------------------------------------------------

std::optional<RemoteSend> Traffic::NextSend(unsigned unit) {
  const Cta* const cta = AnyCta(unit);
  if (cta == nullptr || finishing_ || OneIn(3)) {
    return std::nullopt;
  }
  RemoteSend send;
  send.cluster = static_cast<std::uint8_t>(cta->cluster);
  const unsigned size = std::max(1U, cluster_size_[cta->cluster]);
  send.rank = static_cast<std::uint8_t>(OneIn(8) ? Below(kMaxRanks) : Below(size));
  send.warp = static_cast<std::uint8_t>(cta->warps.front());
  send.op = OneIn(2) ? MbOp::kArrive : MbOp::kExpectTx;
  send.addr = Below(64) * 8;
  send.lanes = static_cast<std::uint32_t>(random_());
  send.operand = ++operand_;
  send.has_token = OneIn(4);
  return send;
}

std::optional<CancelRequest> Traffic::NextCancel(std::uint64_t cycle, unsigned unit) {
  const Cta* const cta = AnyCta(unit);
  if (cta == nullptr || finishing_ || !OneIn(30)) {
    return std::nullopt;
  }
  CancelRequest cancel;
  cancel.cluster = static_cast<std::uint8_t>(cta->cluster);
  cancel.rank = static_cast<std::uint8_t>(cta->rank);
  cancel.warp = static_cast<std::uint8_t>(cta->warps.front());
  cancel.multicast = OneIn(2);
  cancel.addr = Below(64) * 16;
  cancel.mbar = 4096 + Below(64) * 8;
  for (unsigned r = 0; r < cluster_size_[cta->cluster]; ++r) {  // none is leaving just now
    if (!checker_.model().Place(cta->cluster, r) && !checker_.HasLeft(cta->cluster, r, cycle)) {
      return std::nullopt;
    }
  }
  if (!checker_.model().MayBePresented(unit, cancel)) {
    return std::nullopt;
  }
  return cancel;
}

}  // namespace muster::cluster
