// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/unit_traffic.h"

#include <algorithm>
#include <array>

#include "sim/isa/bits.h"
#include "tb/lockstep/fields.h"

namespace muster::gpc {

using lockstep::Byte;

UnitTraffic::UnitTraffic(unsigned unit, const lockstep::GpcShape& shape,
                         const lockstep::GpcChecks& checks, const cluster::Traffic& cluster,
                         std::uint64_t seed)
    : unit_(unit),
      config_(shape.unit),
      shape_(shape.warps),
      checks_(checks),
      cluster_(cluster),
      random_(seed),
      mbarriers_(shape.unit, *this, seed),
      warp_traffic_(shape.warps, checks.warps[unit].model(), seed) {
  mbarriers_.LeaveRemoteToOthers();
  if (shape.atomics) {
    atomics_.emplace(*shape.atomics, seed);
  }
}

void UnitTraffic::SetKnobs() {
  next_knobs_ = cycle_ + random_.Between(100, 1500);
  knobs_.issue = random_.Pick(std::array{5U, 30U, 80U});
  knobs_.warps = random_.Pick(std::array{20U, 70U, 100U});
  knobs_.follow = random_.Pick(std::array{60U, 95U, 99U});
  knobs_.access = random_.Pick(std::array{2U, 5U, 7U, 60U});
  knobs_.perform = random_.Pick(std::array{0U, 0U, 1U, 3U, 5U});
  knobs_.response = random_.Pick(std::array{100U, 100U, 30U});
  knobs_.arrivals = random_.Pick(std::array{100U, 80U, 20U});
  for_mbarriers_ = random_.Sparse(random_.Between(0, 3));
  wild_ = random_.Sparse(random_.Between(1, 4));
  hot_ = random_.Below(config_.num_warps);
}

void UnitTraffic::Rest(bool rests) {
  rests_ = rests;
  mbarriers_.Rest(rests || finishing_);
  if (atomics_) {
    atomics_->Rest(rests || finishing_);
  }
}

// What the warps of a CTA come to for a while.
void UnitTraffic::Choose(Cta* cta) {
  cta->until = cycle_ + random_.Between(50, 600);
  cta->bar = random_.Below(kNumBars);
  cta->kind = random_.Pick(std::array{OpKind::kSync, OpKind::kSync, OpKind::kRedAnd, OpKind::kRedOr,
                                      OpKind::kRedPopc, OpKind::kArrive});
  const unsigned most = Ones(cta->warps);
  cta->count = cta->kind == OpKind::kArrive || random_.OneIn(4) ? 32 * random_.Between(1, most) : 0;
}

// ------------------------------------------------------------------------------------------------
// What the warps and lanes do
// ------------------------------------------------------------------------------------------------

std::uint32_t UnitTraffic::CtasIn(State first, State last) const {
  std::uint32_t slots = 0;
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    slots |= ctas_[slot].state >= first && ctas_[slot].state <= last ? std::uint32_t{1} << slot : 0;
  }
  return slots;
}

std::uint32_t UnitTraffic::Unengaged(unsigned warp) const {
  const Warp& of = warps_[warp];
  if (of.slot < 0) {
    return 0;
  }
  const Cta& cta = ctas_[static_cast<unsigned>(of.slot)];
  if (cta.state != State::kRunning || (cta.unjoined & Bit(warp)) != 0 || exits_[warp] ||
      restored_ == warp || HasArrival(warp)) {
    return 0;
  }
  std::uint32_t lanes = cluster_.live(unit_, warp) & ~of.presented & ~of.waiting &
                        ~checks_.warps[unit_].held(warp) & ~checks_.cluster.held(unit_, warp);
  if (own_->warp_in.valid && own_->warp_in.request.warp == warp) {
    lanes &= ~own_->warp_in.request.lanes;
  }
  const ClusterInputs::Unit& cluster = pins_->cluster_in.units[unit_];
  if (cluster.request_valid && cluster.request.warp == warp) {
    lanes &= ~cluster.request.lanes;
  }
  return lanes;
}

std::uint32_t UnitTraffic::FreeLanes(unsigned warp, std::uint32_t live) const {
  return (Engaged() & Bit(warp)) != 0 || finishing_ ? 0 : live & Unengaged(warp);
}

std::uint64_t UnitTraffic::AbleWarps() const {
  std::uint64_t able = 0;
  for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
    const bool has = warps_[warp].slot >= 0 && (for_mbarriers_ & Bit(warp)) != 0;
    const std::uint32_t live = has ? cluster_.live(unit_, warp) : 0;
    able |= live != 0 && (Engaged() & Bit(warp)) == 0 && Unengaged(warp) == live &&
                    !checks_.cluster.IsUnderWay(unit_, warp)
                ? Bit(warp)
                : 0;
  }
  return able;
}

bool UnitTraffic::MayExit(unsigned warp) const {
  const Warp& of = warps_[warp];
  return Unengaged(warp) != 0 && (Engaged() & Bit(warp)) == 0 && of.presented == 0 &&
         of.waiting == 0 && !(own_->warp_in.valid && own_->warp_in.request.warp == warp);
}

// ------------------------------------------------------------------------------------------------
// CTAs come and go
// ------------------------------------------------------------------------------------------------

void UnitTraffic::Prepare(const ClusterLife& life, const std::vector<unsigned>& warps) {
  Cta& cta = ctas_[life.cta];
  cta = Cta();
  cta.state = State::kLaunching;
  cta.cluster = life.cluster;
  cta.rank = life.rank;
  for (const unsigned warp : warps) {
    cta.warps |= Bit(warp);
    warps_[warp] = Warp();
    warps_[warp].slot = life.cta;
  }
  Operation operation;
  operation.cta = life.cta;
  operation.size = Byte(static_cast<unsigned>(warps.size()));
  operation.kind = OpKind::kLaunch;
  operation.warps = cta.warps;
  if (config_.join && random_.OneIn(3)) {
    operation.kind = OpKind::kOpen;
    cta.unjoined = cta.warps;
  }
  lifecycle_.push_back(operation);
  for (const unsigned warp : warps) {
    if (cta.unjoined != 0) {
      operation.kind = OpKind::kJoin;
      operation.warp = Byte(warp);
      operation.lanes = lockstep::kAllLanes;
      lifecycle_.push_back(operation);
    }
  }
}

void UnitTraffic::Launched(unsigned slot) {
  ctas_[slot].state = State::kRunning;
  ctas_[slot].launched = true;
  Choose(&ctas_[slot]);
}

void UnitTraffic::Dropped(unsigned slot) {
  if (ctas_[slot].state == State::kPrepared) {
    ctas_[slot].state = State::kEnding;
  }
}

bool UnitTraffic::IsCalm(const Cta& cta) const {
  const auto slot = static_cast<unsigned>(&cta - ctas_.data());
  const lockstep::GpcCrossing& crossing = own_->crossing;
  const ClusterOutputs::Unit& scope = pins_->cluster_out.units[unit_];
  const bool held = scope.remote_valid && !crossing.network_ready && scope.remote.place.cta == slot;
  const bool updating = crossing.atomics.remote_valid || own_->atomic_out.remote_busy;
  const std::uint64_t at_work =
      (restored_ ? Bit(*restored_) : 0) | (in_progress_ ? Bit(*in_progress_) : 0);
  bool calm = cta.unjoined == 0 && cta.on_the_way == 0 && !held && !updating &&
              (cta.warps & at_work) == 0 && (!atomics_ || (atomics_->engaged() & cta.warps) == 0) &&
              mbarriers_.Quiet(slot, cta.warps);
  ForEachBit(cta.warps, [&](unsigned warp) {
    calm = calm && warps_[warp].presented == 0 && !exits_[warp] && !HasArrival(warp) &&
           !(own_->warp_in.valid && own_->warp_in.request.warp == warp);
  });
  return calm;
}

bool UnitTraffic::MayEnd(unsigned slot) {
  Cta& cta = ctas_[slot];
  if (cta.state == State::kRunning) {
    cta.state = State::kLeaving;
  }
  return cta.state == State::kLeaving && IsCalm(cta);
}

void UnitTraffic::Ended(unsigned slot) {
  ctas_[slot].state = State::kEnding;
  clear_ |= ctas_[slot].warps;
}

void UnitTraffic::Left(unsigned slot) {
  Cta& cta = ctas_[slot];
  mbarriers_.Left(slot, cta.warps);
  ForEachBit(cta.warps, [&](unsigned warp) {
    warps_[warp] = Warp();
    plans_[warp].clear();
  });
  cta = Cta();
}

bool UnitTraffic::Finished() const {
  return std::all_of(ctas_.begin(), ctas_.end(),
                     [](const Cta& cta) { return cta.state == State::kNone; });
}

void UnitTraffic::DriveLifecycle(Inputs* inputs) {
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    Cta& cta = ctas_[slot];
    // The network may find a CTA for some time after it has left.
    const bool unheard = !cta.launched || checks_.cluster.HasLeft(cta.cluster, cta.rank, cycle_);
    if (cta.state == State::kEnding && unheard && (clear_ & cta.warps) == 0 && IsCalm(cta)) {
      Operation operation;
      operation.kind = OpKind::kEnd;
      operation.cta = Byte(slot);
      lifecycle_.push_back(operation);
      cta.state = State::kGone;
    }
  }
  if (!inputs->lifecycle_valid && !lifecycle_.empty() && random_.Percent(50)) {
    inputs->lifecycle_valid = true;
    inputs->lifecycle = lifecycle_.front();
    lifecycle_.pop_front();
  }
}

// ------------------------------------------------------------------------------------------------
// The unit's ports
// ------------------------------------------------------------------------------------------------

void UnitTraffic::Begin(std::uint64_t cycle, lockstep::GpcPins* pins) {
  cycle_ = cycle;
  pins_ = pins;
  own_ = &pins->units[unit_];
  if (cycle >= next_knobs_) {
    SetKnobs();
  }
  for (unsigned slot = 0; slot < config_.num_ctas; ++slot) {
    Cta& cta = ctas_[slot];
    if (cta.state == State::kRunning && cycle >= cta.until) {
      Choose(&cta);
    }
    bool moves = cta.state != State::kRunning || rests_;
    ForEachBit(cta.warps, [&](unsigned warp) {
      const ClusterWarp* const known = checks_.cluster.model().FindWarp(unit_, warp);
      moves = moves || Unengaged(warp) != 0 || (known != nullptr && known->at_grid != 0);
    });
    cta.moved = moves ? cycle : cta.moved;
  }
  TakeAccepted(own_->port->out, &own_->port->in);
  TakeWarpPort();
}

void UnitTraffic::TakeAccepted(const Outputs& seen, Inputs* inputs) {
  inputs->issue_valid &= static_cast<std::uint8_t>(~seen.issue_ready);
  inputs->lifecycle_valid = inputs->lifecycle_valid && !seen.lifecycle_ready;
  inputs->exit_valid = inputs->exit_valid && !seen.exit_ready;
}

bool UnitTraffic::Drive(std::uint64_t /*cycle*/, const Outputs& seen, Inputs* inputs) {
  mbarriers_.Begin(cycle_, seen.mb, &inputs->mb);
  accessing_ |= random_.Sparse(rests_ ? 60 : knobs_.access);
  accessing_ &= ~random_.Sparse(rests_ || finishing_ ? 0 : knobs_.perform);
  inputs->fence_ack = ~(accessing_ | mbarriers_.busy() | Updating());
  inputs->mb.fence_ack = ~(accessing_ | Updating());
  DriveIssue(inputs);
  DriveLifecycle(inputs);
  DriveExit(inputs);
  inputs->response_ready = random_.Percent(knobs_.response);
  mbarriers_.Present(&inputs->mb);
  DriveWrite(inputs);
  DriveAtomics();
  return true;
}

void UnitTraffic::Serve(const Outputs& seen, Inputs* inputs) {
  mbarriers_.Serve(seen.mb, &inputs->mb);
  inputs->fence_ack = ~mbarriers_.busy();
}

void UnitTraffic::Present(unsigned port, const Operation& operation, Inputs* inputs) {
  inputs->issue_valid |= static_cast<std::uint8_t>(1U << port);
  inputs->issue[port] = operation;
  warps_[operation.warp].presented = operation.lanes;
}

void UnitTraffic::DriveIssue(Inputs* inputs) {
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    if ((inputs->issue_valid >> port & 1) != 0) {
      continue;
    }
    Operation operation;
    const bool gathered = arrival_ && arrival_->key >> 20 == 0 && !arrival_port_ &&
                          warps_[arrival_->warp].presented == 0;
    if (gathered && random_.Percent(knobs_.arrivals)) {
      operation.kind = static_cast<OpKind>(arrival_->key >> 16 & 0xf);
      operation.bar = Byte(arrival_->key & 0xf);
      operation.count = static_cast<std::uint16_t>(arrival_->key >> 4 & 0xfff);
      operation.cta = arrival_->cta;
      operation.warp = arrival_->warp;
      operation.lanes = arrival_->lanes;
      operation.operand = arrival_->preds;
      arrival_port_ = port;
      Present(port, operation, inputs);
    } else if (!rests_ && !finishing_ && random_.Percent(knobs_.issue) && PickIssue(&operation)) {
      Present(port, operation, inputs);
    }
  }
}

// An operation of lanes that need no gather, or of a warp whose lanes come apart to an aligned
// barrier.
bool UnitTraffic::PickIssue(Operation* operation) {
  const std::optional<unsigned> warp = AnyWarp();
  if (!warp || warps_[*warp].presented != 0) {
    return false;
  }
  const std::uint32_t live = cluster_.live(unit_, *warp);
  std::uint32_t lanes = FreeLanes(*warp, live);
  if (lanes == 0 || (lanes != live && !random_.OneIn(8))) {
    return false;
  }
  lanes = random_.OneIn(16) ? lanes & (~lanes + 1) : lanes;
  *operation = StepOf(ctas_[static_cast<unsigned>(warps_[*warp].slot)], *warp, lanes);
  return true;
}

Operation UnitTraffic::StepOf(const Cta& cta, unsigned warp, std::uint32_t lanes) {
  Operation operation;
  operation.cta = Byte(static_cast<unsigned>(&cta - ctas_.data()));
  operation.warp = Byte(warp);
  operation.lanes = lanes;
  operation.bar = Byte(cta.bar);
  operation.kind = cta.kind;
  operation.count = static_cast<std::uint16_t>(cta.count);
  if (!random_.Percent(knobs_.follow)) {
    operation.kind = random_.Pick(std::array{OpKind::kSync, OpKind::kArrive, OpKind::kRedPopc,
                                             OpKind::kB2rBar, OpKind::kB2rWarp, OpKind::kB2rResult,
                                             OpKind::kArrivePhase, OpKind::kWait});
    operation.bar = Byte(random_.Below(kNumBars));
    operation.count = static_cast<std::uint16_t>(random_.OneIn(2) ? 0 : 16 * random_.Below(20));
  }
  if (IsReduction(operation.kind)) {
    operation.operand = random_.OneIn(2) ? random_.Word() : lanes;
  } else if (operation.kind == OpKind::kWait) {
    operation.operand = random_.Below(2);
  }
  return operation;
}

void UnitTraffic::DriveExit(Inputs* inputs) {
  if (inputs->exit_valid) {
    return;
  }
  for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
    if (exits_[warp] && exits_[warp]->step == Exit::Step::kQueued) {
      const ClusterRequest& request = exits_[warp]->request;
      inputs->exit_valid = true;
      inputs->exit = Operation();
      inputs->exit.kind = OpKind::kExit;
      inputs->exit.cta = request.cta;
      inputs->exit.warp = request.warp;
      inputs->exit.lanes = request.lanes;
      exits_[warp]->step = Exit::Step::kPresented;
      return;
    }
  }
}

// The response of clusterlaunchcontrol is a store like those of the core: not to a word that the
// unit holds. It has been there for a cycle.
void UnitTraffic::DriveWrite(Inputs* inputs) {
  bool* const ready = &pins_->cluster_in.units[unit_].write_ready;
  const bool waits = pins_->cluster_out.units[unit_].write_valid && !*ready;
  *ready = false;
  if (!waits || random_.OneIn(3)) {
    return;
  }
  const CancelStep& write = pins_->cluster_out.write;
  std::vector<MbInputs::Store> stores(2);
  for (unsigned half = 0; half < stores.size(); ++half) {
    stores[half].place = {write.place.cta, write.addr + 8 * half};
    stores[half].word = std::uint64_t{write.data[2 * half + 1]} << 32 | write.data[2 * half];
  }
  *ready = mbarriers_.Write(stores, &inputs->mb);
}

RemoteAtomic UnitTraffic::MakeUpdate(unsigned warp) {
  const bool free = !finishing_ && warps_[warp].presented == 0 &&
                    FreeLanes(warp, cluster_.live(unit_, warp)) != 0;
  return atomics_ ? atomics_->Send(warp, free) : RemoteAtomic();
}

void UnitTraffic::DriveAtomics() {
  if (!atomics_) {
    return;
  }
  atomics_->Begin(own_->atomic_out, &own_->atomic_in);
  if (!finishing_ && atomics_->Wants()) {
    const std::optional<unsigned> warp = AnyWarp();
    if (warp && warps_[*warp].presented == 0 &&
        FreeLanes(*warp, cluster_.live(unit_, *warp)) != 0) {
      atomics_->Start(*warp, static_cast<unsigned>(warps_[*warp].slot));
    }
  }
  atomics_->Present(accessing_, &own_->atomic_in);
  pins_->cluster_in.units[unit_].reply_ready = random_.Percent(knobs_.response);
}

// ------------------------------------------------------------------------------------------------
// Commits
// ------------------------------------------------------------------------------------------------

void UnitTraffic::OnCommit(std::uint64_t /*cycle*/, const Operation& operation,
                           const Effects& effects) {
  switch (operation.kind) {
    case OpKind::kLaunch:
    case OpKind::kOpen:
      ctas_[operation.cta].state = State::kPrepared;
      mbarriers_.Launched(operation.cta);
      break;
    case OpKind::kJoin:
      ctas_[operation.cta].unjoined &= ~Bit(operation.warp);
      break;
    case OpKind::kEnd:
      Left(operation.cta);
      break;
    case OpKind::kExit:
      exits_[operation.warp]->step = Exit::Step::kCommitted;
      break;
    default:
      CommitIssue(operation, effects);
      break;
  }
  ForEachBit(effects.released, [&](unsigned warp) { warps_[warp].waiting = 0; });
}

void UnitTraffic::CommitIssue(const Operation& operation, const Effects& effects) {
  Warp& warp = warps_[operation.warp];
  warp.presented = 0;
  if (effects.fault == FaultCause::kNone && lockstep::MakesWait(operation)) {
    warp.waiting |= operation.lanes;
  }
}

}  // namespace muster::gpc
