// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a core presents to its warp scope, and where it takes the arrivals.
#include <array>

#include "sim/isa/bits.h"
#include "tb/gpc/unit_traffic.h"

namespace muster::gpc {

warp::Traffic::Warp UnitTraffic::Of(unsigned warp) const {
  const std::uint32_t live = cluster_.live(unit_, warp);
  return {warp, static_cast<std::uint8_t>(warps_[warp].slot), live, FreeLanes(warp, live)};
}

std::optional<unsigned> UnitTraffic::AnyWarp() {
  std::uint64_t warps = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    warps |= ctas_[slot].state == State::kRunning ? ctas_[slot].warps : 0;
  }
  if ((warps & Bit(hot_)) != 0 && random_.OneIn(2)) {
    return hot_;
  }
  return warps == 0 ? std::nullopt : std::optional(random_.Bit(warps));
}

std::vector<std::uint32_t> UnitTraffic::Divide(std::uint32_t lanes, unsigned parts) {
  std::vector<std::uint32_t> divided(parts);
  ForEachBit(lanes,
             [&](unsigned lane) { divided[random_.Below(parts)] |= std::uint32_t{1} << lane; });
  return divided;
}

// Reads what the scope accepted and showed in the cycle before.
void UnitTraffic::TakeWarpPort() {
  WarpInputs& in = own_->warp_in;
  const WarpOutputs& out = own_->warp_out;
  if (in.arrival_ready && out.arrival_valid) {
    arrival_.reset();
    arrival_port_.reset();
    arrival_in_cluster_ = false;
  } else if (out.arrival_valid) {
    arrival_ = out.arrival;
  }
  if (in_progress_ && (out.ready || !out.active)) {
    in_progress_.reset();
  }
  if (in.valid && out.ready) {
    beats_.erase(beats_.begin());
    if (beats_.empty()) {
      in.valid = false;
      in_progress_ = in.request.warp;
      if (in.request.op == WarpOp::kExit) {
        exits_[in.request.warp].reset();
      }
    }
  }
  in.arrival_ready = false;
  in.clear = 0;
  if (restored_ && restores_.empty() && !in.valid && !in_progress_) {
    restored_.reset();
  }
}

void UnitTraffic::DriveWarps() {
  WarpInputs& in = own_->warp_in;
  pins_->cluster_in.units[unit_].fence_ack = ~(accessing_ | mbarriers_.busy() | Updating());
  if (!in.valid && !own_->warp_out.active && (clear_ != 0 || SaveAndRestore())) {
    in.clear = clear_;
    clear_ = 0;
    return;
  }
  if (!in.valid) {
    const std::optional<WarpRequest> request = NextWarpRequest();
    if (!request) {
      return;
    }
    in.valid = true;
    in.request = *request;
    beats_ = BeatsOf(*request, shape_.lanes_per_beat, random_.OneIn(4), shape_.warp_size);
  }
  in.beat = beats_.front();
  in.last = beats_.size() == 1;
}

bool UnitTraffic::Wire() {
  WarpInputs& in = own_->warp_in;
  if (arrival_port_) {
    in.arrival_ready = (own_->port->out.issue_ready >> *arrival_port_ & 1) != 0;
  } else if (arrival_in_cluster_) {
    in.arrival_ready = pins_->cluster_out.units[unit_].request_ready;
  }
  return in.arrival_ready;
}

std::optional<WarpRequest> UnitTraffic::NextWarpRequest() {
  if (!restores_.empty()) {
    const WarpRequest request = restores_.front();
    restores_.pop_front();
    return request;
  }
  if (clear_ != 0) {  // which waits for a moment without requests
    return std::nullopt;
  }
  if (const auto exit = NextExit(); exit) {
    return exit;
  }
  if (rests_ || finishing_ || !random_.Percent(knobs_.warps)) {
    return std::nullopt;
  }
  return NextComing();
}

std::optional<WarpRequest> UnitTraffic::NextExit() {
  const ClusterInputs::Unit& cluster = pins_->cluster_in.units[unit_];
  for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
    const bool asks = cluster.request_valid && cluster.request.warp == warp;
    if (exits_[warp] && exits_[warp]->step == Exit::Step::kCommitted && !asks &&
        !checks_.cluster.IsUnderWay(unit_, warp)) {
      exits_[warp]->step = Exit::Step::kInWarpScope;
      const ClusterRequest& request = exits_[warp]->request;
      return warp::Traffic::Request(WarpOp::kExit, {warp, request.cta, request.live, 0},
                                    request.lanes, 0);
    }
  }
  return std::nullopt;
}

std::optional<WarpRequest> UnitTraffic::NextComing() {
  const std::optional<unsigned> warp = AnyWarp();
  if (!warp || HasArrival(*warp) || restored_ == warp || exits_[*warp]) {
    return std::nullopt;
  }
  const warp::Traffic::Warp of = Of(*warp);
  if (random_.OneIn(40)) {
    const unsigned lane = random_.Below(shape_.warp_size);
    return warp::Traffic::Request(WarpOp::kRead, of, 0, lane | random_.Below(32) << 5);
  }
  if (of.free == 0 || of.live == 0) {
    return std::nullopt;
  }
  const Cta& cta = ctas_[static_cast<unsigned>(warps_[*warp].slot)];
  if (plans_[*warp].empty() && of.free == of.live && (wild_ & Bit(*warp)) == 0) {
    Plan(cta, of);
  }
  if (!plans_[*warp].empty()) {
    return NextPart(*warp);
  }
  if ((wild_ & Bit(*warp)) == 0) {
    return std::nullopt;
  }
  WarpRequest request = warp_traffic_.Coming(of, KeyOf(cta, *warp));
  if (request.op == WarpOp::kGather && request.key >> 20 != 0 && !random_.OneIn(24)) {
    request.lanes &= InTheRightState(request);
  }
  request.preds &= request.lanes;
  return request.lanes == 0 ? std::nullopt : std::optional(request);
}

// All live lanes of the warp come to one collective, or to one barrier, in some parts in any order.
void UnitTraffic::Plan(const Cta& cta, const warp::Traffic::Warp& of) {
  WarpRequest whole = warp_traffic_.Coming(of, KeyOf(cta, of.warp));
  if (random_.OneIn(3)) {
    whole = warp::Traffic::Request(WarpOp::kGather, of, 0, KeyOf(cta, of.warp));
  }
  whole.key = whole.op == WarpOp::kGather ? whole.key : of.live | (random_.Word() & ~of.live);
  if (HasPredicates(whole.op, whole.key)) {
    whole.preds = random_.OneIn(3) ? of.live : random_.Word();
  }
  std::vector<WarpRequest> parts;
  const unsigned number = random_.Pick(std::array{1U, 2U, 3U, 4U, 4U, 4U, 6U});
  for (const std::uint32_t lanes : Divide(of.live, number)) {
    parts.push_back(whole);
    parts.back().lanes = lanes;
  }
  if (whole.op == WarpOp::kGather) {
    PlanGather(cta, &parts);
  }
  plans_[of.warp].assign(parts.begin(), parts.end());
}

// Lanes that have arrived at barrier.cluster may wait for it, and only others may arrive: where the
// lanes of the warp have not all done the same, they come to a named barrier. Now and then some
// come to another barrier first, which is refused.
void UnitTraffic::PlanGather(const Cta& cta, std::vector<WarpRequest>* parts) {
  std::uint32_t lanes = 0;
  for (const WarpRequest& part : *parts) {
    lanes |= part.lanes;
  }
  const WarpRequest whole = parts->front();
  if (whole.key >> 20 != 0 && (lanes & ~InTheRightState(whole)) != 0) {
    for (WarpRequest& part : *parts) {
      part.key = BarrierKey(cta.bar ^ 1, 32, OpKind::kArrive);
      part.preds = 0;
    }
  }
  if (parts->size() > 1 && random_.OneIn(8)) {
    WarpRequest other = parts->back();
    other.key = other.key >> 20 != 0 ? BarrierKey(cta.bar, 0, OpKind::kSync) : other.key ^ 1;
    other.preds = HasPredicates(other.op, other.key) ? other.preds : 0;
    parts->insert(parts->begin() + 1, other);
  }
}

std::optional<WarpRequest> UnitTraffic::NextPart(unsigned warp) {
  WarpRequest part = plans_[warp].front();
  const warp::Traffic::Warp of = Of(warp);
  plans_[warp].pop_front();
  part.live = of.live;
  part.lanes &= of.free;
  // What is to be refused, as others wait elsewhere, is left out if none do.
  const bool other = !plans_[warp].empty() && plans_[warp].back().key != part.key;
  if (other && checks_.warps[unit_].model().Groups(warp).empty()) {
    return std::nullopt;
  }
  part.preds &= part.lanes;
  return part.lanes == 0 ? std::nullopt : std::optional(part);
}

// The barrier to which lanes of the warp come one by one.
std::uint32_t UnitTraffic::KeyOf(const Cta& cta, unsigned warp) {
  if (random_.OneIn(2)) {
    const ClusterWarp* const known = checks_.cluster.model().FindWarp(unit_, warp);
    const bool arrived = known != nullptr && ((known->arrived | known->passed) != 0);
    return ClusterKey(arrived && random_.Percent(70) ? GatherKind::kClusterWait
                                                     : GatherKind::kClusterArrive);
  }
  const Operation step = StepOf(cta, warp, 0);
  const bool gathers = step.kind <= OpKind::kRedPopc;
  return BarrierKey(step.bar, step.count, gathers ? step.kind : OpKind::kSync);
}

std::uint32_t UnitTraffic::InTheRightState(const WarpRequest& request) const {
  const ClusterWarp* const known = checks_.cluster.model().FindWarp(unit_, request.warp);
  const std::uint32_t arrived = known == nullptr ? 0 : known->arrived | known->passed;
  return request.key == ClusterKey(GatherKind::kClusterWait) ? arrived : ~arrived;
}

// The warp is suspended in the warp scope, and comes back.
bool UnitTraffic::SaveAndRestore() {
  const std::optional<unsigned> warp =
      rests_ || finishing_ || restored_ || !random_.OneIn(100) ? std::nullopt : AnyWarp();
  if (!warp || HasArrival(*warp) || exits_[*warp] ||
      checks_.warps[unit_].model().Groups(*warp).empty()) {
    return false;
  }
  for (const WarpRequest& request : warp_traffic_.Restore(Of(*warp))) {
    restores_.push_back(request);
  }
  restored_ = warp;
  clear_ = Bit(*warp);
  return true;
}

// ------------------------------------------------------------------------------------------------
// Beside the cluster scope
// ------------------------------------------------------------------------------------------------

void UnitTraffic::Exits(const ClusterRequest& request) {
  exits_[request.warp] = Exit{request, Exit::Step::kQueued};
}

std::optional<ClusterRequest> UnitTraffic::NextRequest() {
  if (const auto arrival = NextArrival(); arrival) {
    return arrival;
  }
  if (rests_ || finishing_) {
    return std::nullopt;
  }
  const auto exit = random_.OneIn(20) ? ExitAmidPlan() : std::nullopt;
  return exit ? exit : NextClusterPart();
}

// Lanes exit while others of their warp wait in the warp scope: some, or all that do not wait.
std::optional<ClusterRequest> UnitTraffic::ExitAmidPlan() {
  const std::optional<unsigned> warp = AnyWarp();
  if (!warp || !MayExit(*warp) || checks_.cluster.IsUnderWay(unit_, *warp) ||
      checks_.warps[unit_].model().Groups(*warp).empty()) {
    return std::nullopt;
  }
  const warp::Traffic::Warp of = Of(*warp);
  ClusterRequest request;
  request.op = ClusterOp::kExit;
  request.warp = static_cast<std::uint8_t>(*warp);
  request.cta = of.cta;
  request.lanes = random_.OneIn(2) ? of.free : of.free & random_.Word() & random_.Word();
  request.live = of.live & ~request.lanes;
  return request.lanes == 0 || request.live == 0 ? std::nullopt : std::optional(request);
}

// A warp whose lanes are all idle arrives at barrier.cluster in four parts.
std::optional<ClusterRequest> UnitTraffic::NextClusterPart() {
  if (cluster_plan_.empty()) {
    const std::optional<unsigned> warp = random_.OneIn(8) ? AnyWarp() : std::nullopt;
    const ClusterWarp* const known =
        warp ? checks_.cluster.model().FindWarp(unit_, *warp) : nullptr;
    if (!warp || Of(*warp).free != Of(*warp).live ||
        (known != nullptr && (known->arrived | known->passed) != 0)) {
      return std::nullopt;
    }
    ClusterRequest request;
    request.op = random_.OneIn(2) ? ClusterOp::kArrive : ClusterOp::kArriveRelaxed;
    request.warp = static_cast<std::uint8_t>(*warp);
    request.cta = static_cast<std::uint8_t>(warps_[*warp].slot);
    for (const std::uint32_t lanes : Divide(Of(*warp).live, 4)) {
      request.lanes = lanes;
      cluster_plan_.push_back(request);
    }
  }
  ClusterRequest request = cluster_plan_.front();
  const bool gone = warps_[request.warp].slot != request.cta;
  if (!gone && checks_.cluster.IsUnderWay(unit_, request.warp)) {
    return std::nullopt;
  }
  cluster_plan_.pop_front();
  request.live = gone ? 0 : cluster_.live(unit_, request.warp);
  request.lanes &= gone ? 0 : FreeLanes(request.warp, request.live);
  return request.lanes == 0 ? std::nullopt : std::optional(request);
}

// An arrival of the warp scope at barrier.cluster.
std::optional<ClusterRequest> UnitTraffic::NextArrival() {
  if (!arrival_ || arrival_->key >> 20 == 0 || !random_.Percent(knobs_.arrivals)) {
    return std::nullopt;
  }
  ClusterRequest request;
  request.op = arrival_->key == ClusterKey(GatherKind::kClusterWait) ? ClusterOp::kWait
               : arrival_->preds != 0                                ? ClusterOp::kArrive
                                                                     : ClusterOp::kArriveRelaxed;
  request.warp = arrival_->warp;
  request.cta = arrival_->cta;
  request.lanes = arrival_->lanes;
  request.live = cluster_.live(unit_, arrival_->warp);
  arrival_in_cluster_ = true;
  return request;
}

}  // namespace muster::gpc
