// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/traffic/cluster_traffic.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::cluster {

using golden::ClusterScope;

void Traffic::Drive(std::uint64_t cycle, const ClusterOutputs& out, ClusterInputs* in) {
  if (in->life_valid && out.life_ready) {
    if (out.life_fault == FaultCause::kNone) {
      Accepted(in->life);
    } else if (in->life.op == ClusterLifeOp::kLaunch) {
      core_.Dropped(in->life.unit, in->life.cta);
    }
    in->life_valid = false;
  }
  if (!in->life_valid && !rests_ && OneIn(finishing_ ? 2 : 4)) {
    if (const auto life = NextLife(cycle, *in); life) {
      in->life_valid = true;
      in->life = *life;
    }
  }
  in->flushed = static_cast<std::uint8_t>(Below(256));
  in->take_ready = OneIn(3);
  in->take = OneIn(3) ? CancelResponse{} : CancelResponse{Below(9), Below(9), Below(9), 1};
  for (unsigned u = 0; u < config_.num_units; ++u) {
    DriveUnit(cycle, u, out, in);
  }
}

void Traffic::DriveUnit(std::uint64_t cycle, unsigned u, const ClusterOutputs& out,
                        ClusterInputs* in) {
  ClusterInputs::Unit& unit = in->units[u];
  const ClusterOutputs::Unit& shown = out.units[u];
  unit.request_valid = unit.request_valid && !shown.request_ready;
  if (!unit.request_valid) {
    const bool ends = in->life_valid && in->life.op == ClusterLifeOp::kEnd && in->life.unit == u;
    auto request = core_.NextRequest(u);
    if (!request && !rests_ && !OneIn(4)) {
      request = NextRequest(u, *in);
    }
    if (request && !(ends && request->cta == in->life.cta)) {
      unit.request_valid = true;
      unit.request = *request;
      if (request->op == ClusterOp::kExit && FindCta(u, request->cta) != nullptr) {
        warps_[u][request->warp].live = request->live;
        core_.Exits(u, *request);
      }
    }
  }
  unit.send_valid = unit.send_valid && !shown.send_ready;
  auto send = unit.send_valid ? std::nullopt : core_.NextSend(u);
  if (!unit.send_valid && !send && !rests_) {
    send = NextSend(u);
    send = send && core_.MaySend(*send) ? send : std::nullopt;
  }
  if (send) {
    unit.send_valid = true;
    unit.send = *send;
    core_.Sends(u, *send);
  }
  unit.cancel_valid = unit.cancel_valid && !shown.cancel_ready;
  if (const auto cancel = NextCancel(cycle, u); !unit.cancel_valid && !rests_ && cancel) {
    unit.cancel_valid = true;
    unit.cancel = *cancel;
  }
  unit.fence_ack = random_() | (OneIn(2) ? random_() : 0);
  unit.remote_ready = !OneIn(3);
  unit.answer_valid = unit.answer_valid && !shown.answer_ready;
  if (!unit.answer_valid && !rests_ && !finishing_ && !OneIn(3)) {
    unit.answer_valid = true;
    unit.answer.from = {true, static_cast<std::uint8_t>(Below(config_.num_units))};
    unit.answer.warp = static_cast<std::uint8_t>(Below(kMaxWarps));
    unit.answer.lane = static_cast<std::uint8_t>(Below(kMaxLanes));
    unit.answer.upper = OneIn(2);
    unit.answer.word = random_();
  }
  unit.reply_ready = !OneIn(3);
  unit.write_ready = OneIn(2);
  unit.complete_ready = OneIn(2);
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
  if (const auto end = NextEnd(in); end || (finishing_ && !launch_)) {
    return end;
  }
  if (finishing_) {
    return Prepared(cycle);
  }
  switch (Below(8)) {
    case 0: {
      life.op = ClusterLifeOp::kGrid;
      life.grid = static_cast<std::uint8_t>(Below(std::min(kMaxGrids, config_.num_grids + 1)));
      life.size = OneIn(20) ? 0 : 1 + Below(core_.LargestGrid());
      const std::uint8_t others = model.GridsInFlight() & ~(1U << life.grid);
      life.awaits = OneIn(2) ? static_cast<std::uint8_t>(others & random_()) : 0;
      return life;
    }
    case 3:
      if (OneIn(8)) {  // of a CTA that is not there
        life.op = ClusterLifeOp::kEnd;
        life.unit = static_cast<std::uint8_t>(Below(config_.num_units));
        life.cta = static_cast<std::uint8_t>(Below(config_.num_ctas));
        return FindCta(life.unit, life.cta) != nullptr ? std::nullopt : std::optional(life);
      }
      return std::nullopt;
    case 1:
    case 2: {
      life.op = ClusterLifeOp::kOpen;
      life.cluster =
          static_cast<std::uint8_t>(Below(std::min(kMaxClusters, config_.num_clusters + 1)));
      life.size =
          OneIn(20) ? (config_.num_ranks + 1) * Below(2)
                    : 1 + Below(std::min(core_.LargestCluster(), OneIn(2) ? 4 : config_.num_ranks));
      bool certain = true;  // the hardware knows which CTAs have left, or a CTA is there for long
      for (unsigned r = 0; r < config_.num_ranks; ++r) {
        certain =
            certain && (model.Place(life.cluster, r) || checker_.HasLeft(life.cluster, r, cycle));
      }
      for (const Cta& cta : ctas_) {  // and no CTA leaves just now
        certain = certain && !(cta.cluster == life.cluster && IsBusy(cta, in));
      }
      return certain ? std::optional(life) : std::nullopt;
    }
    default:
      return launch_ ? Prepared(cycle) : Launch(cycle, in);
  }
}

// A CTA whose warps have exited ends; now and then one is abandoned.
std::optional<ClusterLife> Traffic::NextEnd(const ClusterInputs& in) {
  for (Cta& cta : ctas_) {
    const bool gone = std::all_of(cta.warps.begin(), cta.warps.end(),
                                  [&](unsigned w) { return warps_[cta.unit][w].live == 0; });
    cta.leaving =
        cta.leaving || gone || finishing_ || OneIn(400) || core_.IsStuck(cta.unit, cta.slot);
    if (cta.leaving && core_.MayEnd(cta.unit, cta.slot) && !IsBusy(cta, in)) {
      ClusterLife life;
      life.op = ClusterLifeOp::kEnd;
      life.unit = static_cast<std::uint8_t>(cta.unit);
      life.cta = static_cast<std::uint8_t>(cta.slot);
      return life;
    }
  }
  return std::nullopt;
}

bool Traffic::IsBusy(const Cta& cta, const ClusterInputs& in) const {
  const ClusterInputs::Unit& unit = in.units[cta.unit];
  return (unit.request_valid && unit.request.cta == cta.slot) ||
         std::any_of(cta.warps.begin(), cta.warps.end(),
                     [&](unsigned w) { return checker_.IsUnderWay(cta.unit, w); });
}

std::optional<ClusterLife> Traffic::Launch(std::uint64_t cycle, const ClusterInputs& in) {
  ClusterLife life;
  life.op = ClusterLifeOp::kLaunch;
  life.unit = static_cast<std::uint8_t>(
      Below(std::min(kMaxUnits, config_.num_units + (OneIn(20) ? 1 : 0))));
  life.cta =
      static_cast<std::uint8_t>(Below(std::min(kMaxCtas, config_.num_ctas + (OneIn(20) ? 1 : 0))));
  life.cluster = static_cast<std::uint8_t>(Below(config_.num_clusters));
  life.rank = NextRank(life.cluster);
  const unsigned grid = OneIn(20) ? kMaxGrids : cluster_grid_[life.cluster];
  life.grid = static_cast<std::uint8_t>(grid < kMaxGrids ? grid : Below(config_.num_grids));
  free_warps_.clear();
  for (unsigned w = 0; w < config_.num_warps && life.unit < config_.num_units; ++w) {
    if (!IsTaken(life.unit, w) && core_.IsFree(life.unit, w) &&
        !checker_.IsUnderWay(life.unit, w)) {
      free_warps_.push_back(w);
    }
  }
  std::shuffle(free_warps_.begin(), free_warps_.end(), random_);
  if (!free_warps_.empty()) {
    free_warps_.resize(1 + Below(std::min<unsigned>(4, static_cast<unsigned>(free_warps_.size()))));
  }
  life.size = static_cast<std::uint32_t>(free_warps_.size());
  const ClusterInputs::Unit& unit = in.units[life.unit % kMaxUnits];
  const bool asked = unit.request_valid && unit.request.cta == life.cta;  // by a stray request
  if (asked || !core_.MayLaunch(life.unit, life.cta) || !checker_.model().MayBePresented(life) ||
      !IsForgotten(life.unit, life.cta, cycle)) {
    return std::nullopt;
  }
  golden::ClusterScope model = checker_.model();
  if (model.Step(life).fault != FaultCause::kNone) {
    return life;
  }
  launch_ = life;
  core_.Prepare(life, free_warps_);
  return Prepared(cycle);
}

// The launch, if the core is ready for it, and it is still one that may be presented.
std::optional<ClusterLife> Traffic::Prepared(std::uint64_t cycle) {
  if (!core_.IsPrepared(launch_->unit, launch_->cta)) {
    return std::nullopt;
  }
  const ClusterLife life = *launch_;
  launch_.reset();
  if (checker_.model().MayBePresented(life) && IsForgotten(life.unit, life.cta, cycle)) {
    return life;
  }
  core_.Dropped(life.unit, life.cta);
  return std::nullopt;
}

// One that is missing, if any is; now and then any.
std::uint8_t Traffic::NextRank(unsigned cluster) {
  std::vector<unsigned> ranks;
  for (const golden::ClusterMissing& missing : checker_.model().Missing(cluster)) {
    if (!missing.launched) {
      ranks.push_back(missing.rank);
    }
  }
  return static_cast<std::uint8_t>(OneIn(20) || ranks.empty()
                                       ? Below(config_.num_ranks)
                                       : ranks[Below(static_cast<unsigned>(ranks.size()))]);
}

bool Traffic::IsTaken(unsigned unit, unsigned warp) const {
  return std::any_of(ctas_.begin(), ctas_.end(), [&](const Cta& cta) {
    return cta.unit == unit &&
           std::find(cta.warps.begin(), cta.warps.end(), warp) != cta.warps.end();
  });
}

const Traffic::Cta* Traffic::FindCta(unsigned unit, unsigned slot) const {
  const auto found = std::find_if(ctas_.begin(), ctas_.end(), [&](const Cta& cta) {
    return cta.unit == unit && cta.slot == slot;
  });
  return found == ctas_.end() ? nullptr : &*found;
}

bool Traffic::IsForgotten(unsigned unit, unsigned slot, std::uint64_t cycle) const {
  const auto last = last_.find({unit, slot});
  return last == last_.end() || checker_.HasLeft(last->second.first, last->second.second, cycle) ||
         checker_.model().IsResident(
             {static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(slot)});
}

void Traffic::Accepted(const ClusterLife& life) {
  switch (life.op) {
    case ClusterLifeOp::kGrid:
      break;
    case ClusterLifeOp::kOpen:
      cluster_size_[life.cluster] = life.size;
      cluster_grid_[life.cluster] = kMaxGrids;
      break;
    case ClusterLifeOp::kLaunch:
      cluster_grid_[life.cluster] = life.grid;
      ctas_.push_back({life.unit, life.cta, life.cluster, life.rank, free_warps_, false});
      last_[{life.unit, life.cta}] = {life.cluster, life.rank};
      for (const unsigned w : free_warps_) {
        warps_[life.unit][w] = Warp();
      }
      core_.Launched(life.unit, life.cta);
      break;
    case ClusterLifeOp::kEnd:
      ctas_.erase(std::remove_if(ctas_.begin(), ctas_.end(),
                                 [&](const Cta& cta) {
                                   return cta.unit == life.unit && cta.slot == life.cta;
                                 }),
                  ctas_.end());
      core_.Ended(life.unit, life.cta);
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

std::optional<ClusterRequest> Traffic::NextRequest(unsigned unit, const ClusterInputs& in) {
  if (OneIn(200)) {
    return StrayRequest(unit, in);
  }
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

// Of a CTA that is not there.
std::optional<ClusterRequest> Traffic::StrayRequest(unsigned unit, const ClusterInputs& in) {
  ClusterRequest request;
  request.op = static_cast<ClusterOp>(Below(kNumClusterOps));
  if (request.op == ClusterOp::kArrive) {  // which might stay until another CTA has the slot
    request.op = ClusterOp::kArriveRelaxed;
  }
  request.warp = static_cast<std::uint8_t>(Below(config_.num_warps));
  request.cta = static_cast<std::uint8_t>(Below(config_.num_ctas));
  request.lanes = 1U << Below(kMaxLanes);
  request.live = request.op == ClusterOp::kExit ? 0 : request.lanes;
  const bool comes = in.life_valid && in.life.op == ClusterLifeOp::kLaunch &&
                     in.life.unit == unit && in.life.cta == request.cta;
  if (finishing_ || comes || FindCta(unit, request.cta) != nullptr || IsTaken(unit, request.warp) ||
      !core_.IsFree(unit, request.warp) || checker_.IsUnderWay(unit, request.warp)) {
    return std::nullopt;
  }
  return request;
}

std::optional<ClusterRequest> Traffic::RequestOf(const Cta& cta, unsigned warp) {
  const std::uint32_t live = warps_[cta.unit][warp].live;
  const std::uint32_t free = core_.FreeLanes(cta.unit, warp, live & ~checker_.held(cta.unit, warp));
  if (free == 0 && live != 0) {
    return std::nullopt;
  }
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
  const bool exits = (finishing_ || choice == 0) && core_.MayExit(cta.unit, warp);
  if (finishing_ && !exits) {
    return std::nullopt;
  }
  if (exits) {
    request.op = ClusterOp::kExit;
    request.lanes = finishing_ ? free : SomeOf(free);
    request.live = live & ~request.lanes;
  } else if (choice <= 1) {
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
  if (cta == nullptr || cta->leaving || finishing_ || OneIn(3)) {
    return std::nullopt;
  }
  RemoteSend send;
  send.cluster = static_cast<std::uint8_t>(cta->cluster);
  const unsigned size = std::max(1U, cluster_size_[cta->cluster]);
  send.rank = static_cast<std::uint8_t>(OneIn(8) ? Below(config_.num_ranks) : Below(size));
  send.warp = static_cast<std::uint8_t>(cta->warps.front());
  send.op = OneIn(2) ? MbOp::kArrive : MbOp::kExpectTx;
  send.addr = Below(64) * 8;
  send.lanes = static_cast<std::uint32_t>(random_());
  send.operand = ++operand_;
  send.has_token = OneIn(4);
  if (OneIn(3)) {
    send.lanes = OneIn(2) ? 0 : send.lanes;
    RemoteAtomic& atomic = send.atomic;
    atomic.valid = true;
    atomic.op = OneIn(2) ? AtomicOp::kXor : AtomicOp::kExch;
    atomic.size = OneIn(2) ? AtomicSize::k32 : AtomicSize::k64;
    atomic.addr = Below(64) * 8;
    atomic.lane = static_cast<std::uint8_t>(Below(kMaxLanes));
    atomic.operand = random_();
    atomic.compare = random_();
    atomic.operand_upper = random_();
    atomic.compare_upper = random_();
  }
  return send;
}

std::optional<CancelRequest> Traffic::NextCancel(std::uint64_t cycle, unsigned unit) {
  const Cta* const cta = AnyCta(unit);
  if (cta == nullptr || cta->leaving || finishing_ || !OneIn(30) ||
      !core_.MayCancel(cta->cluster)) {
    return std::nullopt;
  }
  CancelRequest cancel;
  cancel.cluster = static_cast<std::uint8_t>(cta->cluster);
  cancel.rank = static_cast<std::uint8_t>(cta->rank);
  cancel.warp = static_cast<std::uint8_t>(cta->warps.front());
  cancel.multicast = OneIn(2);
  cancel.addr = Below(64) * 16;
  cancel.mbar = core_.BarrierOf(unit, cta->slot, 4096 + Below(64) * 8);
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
