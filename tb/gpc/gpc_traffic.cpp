// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/gpc_traffic.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::gpc {
namespace {

constexpr unsigned kLongestReset = 8;        // cycles
constexpr std::uint64_t kPatience = 2000;    // cycles that a reset waits for its moment
constexpr std::uint64_t kRest = 400;         // cycles
constexpr unsigned kMostBetweenResets = 16;  // 1 to 2^17 cycles

}  // namespace

GpcTraffic::GpcTraffic(const lockstep::GpcShape& shape, const lockstep::GpcChecks& checks,
                       std::uint64_t seed, GpcCover* cover)
    : shape_(shape), checks_(checks), cover_(cover), random_(seed) {
  for (unsigned u = 0; u < shape.cluster.num_units; ++u) {
    ports_.emplace_back(this, u);
  }
  Begin(0);
}

// New cores, a new scheduler, new memories.
void GpcTraffic::Begin(std::uint64_t cycle) {
  cluster_ = std::make_unique<cluster::Traffic>(shape_.cluster, checks_.cluster, random_.Next(),
                                                static_cast<cluster::Core*>(this));
  units_.clear();
  for (unsigned u = 0; u < shape_.cluster.num_units; ++u) {
    units_.push_back(std::make_unique<UnitTraffic>(u, shape_, checks_, *cluster_, random_.Next()));
    sent_[u].clear();
    held_[u] = false;
  }
  const unsigned least = 1U << random_.Below(kMostBetweenResets + 1);
  next_reset_ = cycle + least + random_.Below(least);
  moment_ = random_.Pick(std::array{Moment::kAny, Moment::kNetwork, Moment::kCancel});
  next_knobs_ = cycle;
}

void GpcTraffic::SetKnobs(std::uint64_t cycle) {
  next_knobs_ = cycle + random_.Between(200, 1500);
  rests_ = random_.OneIn(6);
  if (rests_) {
    next_knobs_ = cycle + kRest;
  }
  cluster_->Rest(rests_);
  for (const auto& unit : units_) {
    unit->Rest(rests_);
  }
  storm_ = random_.Pick(
      std::array{Storm::kNone, Storm::kNone, Storm::kAllToOne, Storm::kAllToDifferent});
  target_ = random_.Below(shape_.cluster.num_units);
  remote_ = rests_ || finishing_ ? 0 : random_.Pick(std::array{0U, 5U, 30U, 90U});
  requests_ = random_.Pick(std::array{2U, 10U, 60U});
  storm_ = remote_ == 0 ? Storm::kNone : storm_;
  remote_ = storm_ == Storm::kNone ? remote_ : 100;
  updates_ = random_.Pick(std::array{0U, 30U, 100U});
}

void GpcTraffic::Finish() {
  finishing_ = true;
  cluster_->Finish();
  cluster_->Rest(false);
  for (const auto& unit : units_) {
    unit->Finish();
    unit->Rest(false);
  }
  remote_ = 0;
  storm_ = Storm::kNone;
}

bool GpcTraffic::Finished() const {
  return in_reset_ == 0 && cluster_->Finished() &&
         std::all_of(units_.begin(), units_.end(),
                     [](const auto& unit) { return unit->Finished(); });
}

// ------------------------------------------------------------------------------------------------
// A cycle
// ------------------------------------------------------------------------------------------------

bool GpcTraffic::IsMoment(std::uint64_t cycle, const lockstep::GpcPins& pins) const {
  if (cycle < next_reset_ || cycle > next_reset_ + kPatience) {
    return cycle > next_reset_;
  }
  const auto& units = pins.cluster_out.units;
  switch (moment_) {
    case Moment::kNetwork:
      return std::any_of(units.begin(), units.end(),
                         [](const ClusterOutputs::Unit& unit) { return unit.remote_valid; });
    case Moment::kCancel:
      return checks_.cluster.CancelledCluster().has_value();
    default:
      return true;
  }
}

bool GpcTraffic::DriveReset(std::uint64_t cycle, lockstep::GpcPins* pins) {
  if (in_reset_ == 0 && (finishing_ || !IsMoment(cycle, *pins))) {
    return false;
  }
  if (in_reset_ == 0) {
    if (cover_ != nullptr) {
      cover_->Reset(*pins, checks_);
    }
    in_reset_ = random_.OneIn(2) ? 2 : random_.Between(2, kLongestReset);
    Begin(cycle);
  }
  for (lockstep::GpcUnitPins& unit : pins->units) {
    unit.port->in = Inputs();
    unit.warp_in = WarpInputs();
    unit.atomic_in = AtomicInputs();
    unit.warp_in.arrival_ready = false;
  }
  pins->cluster_in = ClusterInputs();
  return --in_reset_ != 0;
}

void GpcTraffic::Drive(std::uint64_t cycle, lockstep::GpcPins* pins) {
  cycle_ = cycle;
  pins_ = pins;
  const bool was_in_reset = pins->reset;
  pins->reset = DriveReset(cycle, pins);
  if (pins->reset) {
    return;
  }
  if (was_in_reset) {  // the outputs are those of the reset, which say nothing
    pins->cluster_out = ClusterOutputs();
    for (lockstep::GpcUnitPins& unit : pins->units) {
      unit.port->out = Outputs();
      unit.warp_out = WarpOutputs();
      unit.atomic_out = AtomicOutputs();
    }
  }
  if (cycle >= next_knobs_ && !finishing_) {
    SetKnobs(cycle);
  }
  for (const auto& unit : units_) {
    unit->Begin(cycle, pins);
  }
  CountOnTheWay();
  cluster_->Drive(cycle, pins->cluster_out, &pins->cluster_in);
  for (const auto& unit : units_) {
    unit->DriveWarps();
  }
}

bool GpcTraffic::Port::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  inputs->reset = traffic_.pins_->reset;
  return inputs->reset || own().Drive(cycle, seen, inputs);
}

void GpcTraffic::Port::OnCommit(std::uint64_t cycle, const Operation& operation,
                                const Effects& effects) {
  own().OnCommit(cycle, operation, effects);
  if (traffic_.cover_ != nullptr) {
    traffic_.cover_->OnCommit(unit_, operation, effects);
  }
}

void GpcTraffic::Port::OnMbEvent(std::uint64_t cycle, const MbEvent& event,
                                 const MbEffects& effects) {
  own().OnMbEvent(cycle, event, effects);
  if (traffic_.cover_ != nullptr) {
    traffic_.cover_->OnMbEvent(event, effects);
  }
}

bool GpcTraffic::Wire(lockstep::GpcPins* pins) {
  bool changed = false;
  for (const auto& unit : units_) {
    changed = (!pins->reset && unit->Wire()) || changed;
  }
  return changed;
}

void GpcTraffic::Observe(std::uint64_t cycle, const lockstep::GpcPins& pins) {
  for (unsigned u = 0; u < units_.size(); ++u) {
    const lockstep::GpcCrossing& crossing = pins.units[u].crossing;
    const ClusterOutputs::Unit& scope = pins.cluster_out.units[u];
    if (scope.remote_valid && !held_[u]) {
      sent_[scope.from.unit].pop_front();
    }
    held_[u] = scope.remote_valid && !crossing.network_ready;
    if (crossing.remote_valid && crossing.remote_ready) {
      units_[u]->Expect(crossing.remote);
    }
    if (crossing.async_valid && crossing.async_ready &&
        checks_.crossings[u].shown() == lockstep::GpcCrossingChecker::Source::kCompletion) {
      units_[u]->Expect(crossing.async);
    }
    if (scope.lost_valid) {
      if (sent_[u].front().atomic.has_answer) {
        units_[u]->NoReply(sent_[u].front().warp);
      }
      sent_[u].pop_front();
    }
    if (scope.reply_valid && pins.cluster_in.units[u].reply_ready) {
      units_[u]->Reply(scope.reply);
    }
    const auto* const done = checks_.atomics.empty() ? nullptr : &checks_.atomics[u].committed();
    if (done != nullptr && *done && (*done)->effects.fault != FaultCause::kNone &&
        (*done)->update.from.remote && (*done)->update.has_answer &&
        !lockstep::IsLower((*done)->update)) {
      units_[(*done)->update.from.unit]->NoReply((*done)->update.warp);
    }
  }
  if (cover_ != nullptr) {
    cover_->Observe(cycle, pins, checks_);
  }
}

// ------------------------------------------------------------------------------------------------
// CTAs and warps
// ------------------------------------------------------------------------------------------------

bool GpcTraffic::MayLaunch(unsigned unit, unsigned slot) {
  const bool there = unit < units_.size() && slot < shape_.cluster.num_ctas;
  return !there || units_[unit]->MayLaunch(slot);
}

// As many as there are slots for, if all clusters have their share; now and then any.
unsigned GpcTraffic::LargestCluster() {
  const ClusterConfig& config = shape_.cluster;
  return random_.OneIn(8) ? config.num_ranks
                          : std::max(2U, config.num_units * config.num_ctas / config.num_clusters);
}

// Two of them fill a large GPC.
unsigned GpcTraffic::LargestGrid() {
  return std::max(6U, shape_.cluster.num_units * shape_.cluster.num_ctas);
}

bool GpcTraffic::IsFree(unsigned unit, unsigned warp) { return units_[unit]->IsFree(warp); }

void GpcTraffic::Prepare(const ClusterLife& life, const std::vector<unsigned>& warps) {
  units_[life.unit]->Prepare(life, warps);
}

void GpcTraffic::Dropped(unsigned unit, unsigned slot) {
  if (unit < units_.size() && slot < shape_.cluster.num_ctas) {
    units_[unit]->Dropped(slot);
  }
}

// A CTA to which the response of a cancel may come stays until it is there.
bool GpcTraffic::MayEnd(unsigned unit, unsigned slot) {
  const cluster::Traffic::Cta* const cta = cluster_->FindCta(unit, slot);
  const bool calm = units_[unit]->MayEnd(slot);
  return calm && checks_.cluster.CancelledCluster() != cta->cluster &&
         std::none_of(pins_->cluster_in.units.begin(), pins_->cluster_in.units.end(),
                      [&](const ClusterInputs::Unit& in) {
                        return in.cancel_valid && in.cancel.cluster == cta->cluster;
                      });
}

std::uint32_t GpcTraffic::FreeLanes(unsigned unit, unsigned warp, std::uint32_t live) {
  return random_.Percent(requests_) ? units_[unit]->FreeLanes(warp, live) : 0;
}

void GpcTraffic::Exits(unsigned unit, const ClusterRequest& request) {
  units_[unit]->Exits(request);
}

std::optional<ClusterRequest> GpcTraffic::NextRequest(unsigned unit) {
  return units_[unit]->NextRequest();
}

// ------------------------------------------------------------------------------------------------
// Between CTAs
// ------------------------------------------------------------------------------------------------

// A CTA that is about to end hears of no more.
bool GpcTraffic::MayCancel(unsigned cluster) {
  const auto& ctas = cluster_->ctas();
  return std::none_of(ctas.begin(), ctas.end(), [&](const cluster::Traffic::Cta& cta) {
    return cta.leaving && cta.cluster == cluster;
  });
}

// Now and then one to any rank, which need not be there.
bool GpcTraffic::MaySend(const RemoteSend& send) {
  const auto& ctas = cluster_->ctas();
  return random_.OneIn(50) && (shape_.atomics || !send.atomic.valid) &&
         std::none_of(ctas.begin(), ctas.end(), [&](const cluster::Traffic::Cta& cta) {
           return cta.leaving && cta.cluster == send.cluster && cta.rank == send.rank;
         });
}

// An operation that has left the cluster scope for a CTA, or may be lost on its way there.
void GpcTraffic::Sends(unsigned unit, const RemoteSend& send) { sent_[unit].push_back(send); }

void GpcTraffic::CountOnTheWay() {
  for (const auto& unit : units_) {
    unit->CountOnTheWay([&](unsigned cluster, unsigned rank) {
      unsigned count = 0;
      for (const auto& sent : sent_) {
        count += static_cast<unsigned>(std::count_if(
            sent.begin(), sent.end(),
            [&](const RemoteSend& send) { return send.cluster == cluster && send.rank == rank; }));
      }
      return count;
    });
  }
}

std::uint32_t GpcTraffic::BarrierOf(unsigned unit, unsigned slot, std::uint32_t /*any*/) {
  return units_[unit]->SomeWord(slot);
}

std::optional<RemoteSend> GpcTraffic::NextSend(unsigned unit) {
  if (!random_.Percent(remote_)) {
    return std::nullopt;
  }
  const unsigned units = shape_.cluster.num_units;
  switch (storm_) {
    case Storm::kAllToOne:
      return SendTo(unit, target_);
    case Storm::kAllToDifferent:
      return SendTo(unit, (unit + target_) % units);
    default:
      return SendTo(unit, random_.Below(units));
  }
}

// From a CTA of one unit to one of the same cluster on another unit, or on the same one.
std::optional<RemoteSend> GpcTraffic::SendTo(unsigned sender, unsigned target) {
  for (const cluster::Traffic::Cta& to : cluster_->ctas()) {
    if (to.unit != target || to.leaving || !random_.OneIn(2)) {
      continue;
    }
    for (const cluster::Traffic::Cta& from : cluster_->ctas()) {
      const unsigned warp = from.warps[random_.Below(static_cast<unsigned>(from.warps.size()))];
      if (from.unit != sender || from.leaving || from.cluster != to.cluster ||
          (from.rank == to.rank && !random_.OneIn(8)) || cluster_->live(sender, warp) == 0) {
        continue;
      }
      RemoteSend send;
      send.cluster = static_cast<std::uint8_t>(to.cluster);
      send.rank = static_cast<std::uint8_t>(to.rank);
      send.warp = static_cast<std::uint8_t>(warp);
      if (random_.Percent(updates_)) {
        send.atomic = units_[sender]->MakeUpdate(warp);
      }
      const bool updates = send.atomic.valid;
      const std::optional<MbOperation> operation =
          updates && storm_ == Storm::kNone && random_.OneIn(2) ? std::nullopt
                                                                : OperationAt(target, to);
      if (!operation) {
        return updates ? std::optional(send) : std::nullopt;
      }
      send.op = operation->op;
      send.addr = operation->addr;
      send.lanes = operation->lanes;
      send.operand = operation->operand;
      send.has_token = operation->has_token;
      return send;
    }
  }
  return std::nullopt;
}

// One that brings the phase of a word nearer to its completion, if the word needs any; in a storm,
// any.
std::optional<MbOperation> GpcTraffic::OperationAt(unsigned target,
                                                   const cluster::Traffic::Cta& cta) {
  MbOperation operation;
  if (units_[target]->Suggest(&operation) && operation.cta == cta.slot) {
    return operation;
  }
  if (storm_ == Storm::kNone) {
    return std::nullopt;
  }
  operation = MbOperation();
  operation.op = random_.Pick(std::array{MbOp::kArrive, MbOp::kExpectTx, MbOp::kCompleteTx});
  operation.addr = units_[target]->SomeWord(cta.slot);
  operation.lanes = 1U << random_.Below(kMaxLanes);
  operation.operand = 1;
  return operation;
}

}  // namespace muster::gpc
