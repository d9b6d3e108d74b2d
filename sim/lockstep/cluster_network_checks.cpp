// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the checker of the cluster scope compares of the network and of clusterlaunchcontrol.
#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/lockstep/cluster_checker.h"
#include "sim/lockstep/cluster_text.h"

namespace muster::lockstep {
namespace {

std::string Describe(const AtomicResponse& reply) {
  return fmt::format("{:#018x} to warp {}, lane {} of unit {}", reply.word, reply.warp, reply.lane,
                     reply.from.unit);
}

}  // namespace

// ------------------------------------------------------------------------------------------------

bool ClusterChecker::CheckNetwork(std::uint64_t cycle, const ClusterInputs& in,
                                  const ClusterOutputs& out) {
  bool stalls = false;
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const ClusterOutputs::Unit& unit = out.units[u];
    if (unit.remote_valid && !shown_[u] && !CheckArrival(cycle, u, unit)) {
      return false;
    }
    shown_[u] = unit.remote_valid && !in.units[u].remote_ready;
    stalls = stalls || shown_[u];
  }
  stalled_ += stalls ? 1 : 0;
  for (unsigned u = 0; u < config_.num_units; ++u) {
    std::deque<Sent>& sent = sent_[u];
    if (out.units[u].lost_valid && !CheckLost(u, out.units[u].lost, Ending(in))) {
      return false;
    }
    if (!sent.empty() &&
        cycle - sent.front().cycle > NetworkWait(config_) + (stalled_ - sent.front().stalled)) {
      return Wrong("remote", "an operation is not delivered",
                   fmt::format("accepted in cycle {}", sent.front().cycle), static_cast<int>(u));
    }
    if (in.units[u].send_valid && out.units[u].send_ready) {
      const RemoteSend& send = in.units[u].send;
      const bool late = !HasLeft(send.cluster, send.rank, cycle);
      sent.push_back({cycle, stalled_, send, model_.Send(u, send, late).lost.has_value()});
      ++counts_.sent;
    }
  }
  return true;
}

std::optional<CtaPlace> ClusterChecker::Ending(const ClusterInputs& in) {
  return in.life_valid && in.life.op == ClusterLifeOp::kEnd
             ? std::optional(CtaPlace{in.life.unit, in.life.cta})
             : std::nullopt;
}

// Operations leave their sender in order. One whose CTA has been launched meanwhile is not lost.
bool ClusterChecker::CheckLost(unsigned sender, const RemoteLost& lost,
                               const std::optional<CtaPlace>& ending) {
  std::deque<Sent>& sent = sent_[sender];
  const bool right = !sent.empty() && (sent.front().is_lost ? golden::ClusterScope::LostOf(
                                                                  sender, sent.front().send) == lost
                                                            : model_.Lose(lost, ending));
  if (!right) {
    return Wrong("lost", Describe(lost), "no such operation is lost", static_cast<int>(sender));
  }
  sent.pop_front();
  ++counts_.lost;
  return true;
}

bool ClusterChecker::CheckArrival(std::uint64_t cycle, unsigned target,
                                  const ClusterOutputs::Unit& out) {
  const unsigned sender = out.from.unit;
  if (sender >= config_.num_units || sent_[sender].empty()) {
    return Wrong("remote", Describe(out.remote), "nothing is on its way", static_cast<int>(target));
  }
  const Sent sent = sent_[sender].front();
  sent_[sender].pop_front();
  const RemoteSend& send = sent.send;
  DeliverEffects effects;
  if (!sent.is_lost && model_.OnTheWay(sender, target) != 0) {
    effects = model_.Deliver(sender, target, true);
  } else if (sent.is_lost && !HasLeft(send.cluster, send.rank, cycle)) {  // launched meanwhile
    effects.delivered = {send.op,      places_[{send.cluster, send.rank}],
                         send.addr,    send.lanes,
                         send.operand, send.has_token,
                         send.atomic};
  }
  if (out.from.warp != send.warp) {
    return Wrong("remote_from", fmt::format("warp {}", out.from.warp),
                 fmt::format("warp {}", send.warp), static_cast<int>(target));
  }
  if (!effects.delivered || !(*effects.delivered == out.remote)) {
    return Wrong("remote", Describe(out.remote),
                 effects.delivered ? Describe(*effects.delivered) : "it is lost",
                 static_cast<int>(target));
  }
  counts_.longest_send = std::max(counts_.longest_send, cycle - sent.cycle);
  ++counts_.delivered;
  return true;
}

// The answers of atomics: each is with its unit in the next cycle, and waits for its turn no longer
// than all units take.
bool ClusterChecker::CheckReplies(const ClusterInputs& in, const ClusterOutputs& out) {
  for (unsigned u = 0; u < config_.num_units; ++u) {
    std::optional<AtomicResponse>& right = replies_[u];
    const ClusterOutputs::Unit& unit = out.units[u];
    if (unit.reply_valid != right.has_value() || (right && !(unit.reply == *right))) {
      return Wrong("reply", unit.reply_valid ? Describe(unit.reply) : "nothing",
                   right ? Describe(*right) : "nothing", static_cast<int>(u));
    }
    if (right && in.units[u].reply_ready) {
      right.reset();
    }
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const AtomicResponse& answer = in.units[u].answer;
    const bool waits = in.units[u].answer_valid && !out.units[u].answer_ready;
    const bool may = in.units[u].answer_valid && !replies_[answer.from.unit];
    asks_[u] = waits ? asks_[u] + (may ? 1 : 0) : 0;
    if (asks_[u] >= config_.num_units) {
      return Wrong("answer", "is not accepted", Describe(answer), static_cast<int>(u));
    }
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const AtomicResponse& answer = in.units[u].answer;
    if (!in.units[u].answer_valid || !out.units[u].answer_ready) {
      continue;
    }
    if (answer.from.unit >= config_.num_units || replies_[answer.from.unit]) {
      return Wrong("answer", "is accepted: " + Describe(answer), "there is no place for it",
                   static_cast<int>(u));
    }
    replies_[answer.from.unit] = answer;
    ++counts_.answers;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------
// clusterlaunchcontrol
// ------------------------------------------------------------------------------------------------

// A CTA that has just gone may still seem to be there.
CancelPlan ClusterChecker::PlanOf(std::uint64_t cycle, unsigned unit,
                                  const CancelRequest& request) const {
  CancelPlan plan = model_.Cancel(unit, request);
  if (!plan.lost || HasLeft(request.cluster, plan.lost->rank, cycle)) {
    return plan;
  }
  plan.lost.reset();
  for (unsigned rank = 0; rank < config_.num_ranks; ++rank) {
    if ((request.multicast || rank == request.rank) && !HasLeft(request.cluster, rank, cycle)) {
      plan.places.push_back(places_.at({request.cluster, rank}));
    }
  }
  return plan;
}

// The CTA of which this is said has exited or ended, was never there, or is about to end.
bool ClusterChecker::MayLose(const RemoteLost& lost, const ClusterInputs& in) const {
  if (!cancel_->taken) {
    return !model_.Place(lost.cluster, lost.rank);
  }
  const auto place = cancel_->places.find(lost.rank);
  return place != cancel_->places.end() &&
         (!model_.IsThere(cancel_->serials.at(place->second)) || Ending(in) == place->second);
}

bool ClusterChecker::CheckCancel(std::uint64_t cycle, const ClusterInputs& in,
                                 const ClusterOutputs& out) {
  if (cancel_ && !cancel_->planned) {
    cancel_->plan = PlanOf(cycle, cancel_->unit, cancel_->request);
    cancel_->planned = true;
    for (unsigned rank = 0; rank < config_.num_ranks; ++rank) {
      const auto place = places_.find({cancel_->request.cluster, rank});
      if (place != places_.end()) {
        cancel_->places[rank] = place->second;
        cancel_->serials[place->second] = model_.SerialAt(place->second);
      }
    }
  }
  if (out.cancel_lost_valid) {
    if (!cancel_ || !MayLose(out.cancel_lost, in) || out.cancel_lost.unit != cancel_->unit ||
        out.cancel_lost.warp != cancel_->request.warp ||
        out.cancel_lost.cluster != cancel_->request.cluster ||
        out.cancel_lost.addr != cancel_->request.addr) {
      return Wrong("cancel_lost", Describe(out.cancel_lost),
                   "that CTA is there, or there was no request");
    }
    ++counts_.lost;
    const auto found = cancel_->places.find(out.cancel_lost.rank);
    if (!cancel_->taken) {
      cancel_.reset();
    } else {
      const auto gone =
          std::remove_if(cancel_->steps.begin(), cancel_->steps.end(), [&](const CancelStep& step) {
            return found != cancel_->places.end() && step.place == found->second;
          });
      cancel_->steps.erase(gone, cancel_->steps.end());
    }
  }
  if (out.take_valid && in.take_ready) {
    if (!cancel_ || cancel_->taken) {
      return Wrong("take", "a cluster is asked for", "there was no request");
    }
    if (cancel_->plan.lost) {
      return Wrong("take", "a cluster is asked for",
                   fmt::format("refused: {}", Describe(*cancel_->plan.lost)));
    }
    cancel_->taken = true;
    for (const CancelStep& step : golden::CancelSteps(cancel_->plan, in.take)) {
      cancel_->steps.push_back(step);
    }
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const bool writes = out.units[u].write_valid && in.units[u].write_ready;
    const bool completes = out.units[u].complete_valid && in.units[u].complete_ready;
    if (!writes && !completes) {
      continue;
    }
    const CancelStep& step = writes ? out.write : out.complete;
    if (!cancel_ || cancel_->steps.empty() || !(cancel_->steps.front() == step)) {
      return Wrong(
          writes ? "write" : "complete", Describe(step),
          cancel_ && !cancel_->steps.empty() ? Describe(cancel_->steps.front()) : "nothing",
          static_cast<int>(u));
    }
    const unsigned now = model_.SerialAt(step.place);
    if (now == 0 || now != cancel_->serials[step.place]) {
      return Wrong(writes ? "write" : "complete", Describe(step),
                   "nothing: the CTA that it is for has left the slot", static_cast<int>(u));
    }
    cancel_->steps.pop_front();
    counts_.writes += writes ? 1 : 0;
  }
  if (cancel_ && cancel_->taken && cancel_->steps.empty()) {
    cancel_.reset();
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    if (in.units[u].cancel_valid && out.units[u].cancel_ready) {
      if (cancel_) {
        return Wrong("cancel", "a request is accepted", "another one is under way",
                     static_cast<int>(u));
      }
      cancel_ = Cancel();
      cancel_->unit = u;
      cancel_->request = in.units[u].cancel;
      ++counts_.cancels;
    }
  }
  return true;
}

}  // namespace muster::lockstep
