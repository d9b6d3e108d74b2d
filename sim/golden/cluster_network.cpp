// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The network, and clusterlaunchcontrol. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {

SendEffects ClusterScope::Send(unsigned unit, const RemoteSend& send, bool late) {
  SendEffects effects;
  const Member* member = FindMember(send.cluster, send.rank);
  if (member == nullptr || (Find(*member) == nullptr && !late)) {
    effects.lost = LostOf(unit, send);
    return effects;
  }
  effects.target = member->place.unit;
  queues_[{unit, effects.target}].push_back({send, *member});
  return effects;
}

DeliverEffects ClusterScope::Arrive(unsigned sender, const Message& message, bool late) const {
  DeliverEffects effects;
  const RemoteSend& send = message.send;
  const bool may =
      late ? SerialAt(message.to.place) == message.to.serial : Find(message.to) != nullptr;
  if (!may) {
    effects.lost = LostOf(sender, send);
  } else {
    effects.delivered = {send.op,      message.to.place, send.addr,  send.lanes,
                         send.operand, send.has_token,   send.atomic};
  }
  return effects;
}

DeliverEffects ClusterScope::Deliver(unsigned sender, unsigned target, bool late) {
  assert(OnTheWay(sender, target) != 0);
  std::deque<Message>& queue = queues_[{sender, target}];
  const DeliverEffects effects = Arrive(sender, queue.front(), late);
  queue.pop_front();
  return effects;
}

std::vector<std::pair<unsigned, DeliverEffects>> ClusterScope::Next(unsigned target,
                                                                    bool late) const {
  std::vector<std::pair<unsigned, DeliverEffects>> next;
  for (const auto& [units, queue] : queues_) {
    if (units.second == target && !queue.empty()) {
      next.emplace_back(units.first, Arrive(units.first, queue.front(), late));
    }
  }
  return next;
}

bool ClusterScope::Lose(const RemoteLost& lost, const std::optional<CtaPlace>& ending) {
  for (auto& [units, queue] : queues_) {
    const unsigned sender = units.first;
    const auto found = std::find_if(queue.begin(), queue.end(), [&](const Message& message) {
      return ending && message.to.place == *ending ? LostOf(sender, message.send) == lost
                                                   : Arrive(sender, message, false).lost == lost;
    });
    if (found != queue.end()) {
      queue.erase(found);
      return true;
    }
  }
  return false;
}

unsigned ClusterScope::OnTheWay(unsigned sender, unsigned target) const {
  const auto queue = queues_.find({sender, target});
  return queue == queues_.end() ? 0 : static_cast<unsigned>(queue->second.size());
}

RemoteLost ClusterScope::LostOf(unsigned unit, const RemoteSend& send) {
  const bool updates = send.atomic.valid;
  return {static_cast<std::uint8_t>(unit),
          send.warp,
          updates ? std::uint32_t{1} << send.atomic.lane : send.lanes,
          send.cluster,
          send.rank,
          updates ? send.atomic.addr : send.addr};
}

bool ClusterScope::MayBePresented(unsigned unit, const CancelRequest& request) const {
  const std::optional<CtaPlace> place = Place(request.cluster, request.rank);
  return unit < config_.num_units && (!place.has_value() || place->unit == unit);
}

// (.17) "The behavior of instruction with .multicast::cluster::all qualifier is undefined if any
// CTA in the cluster is exited." The request is refused, and so is one whose own CTA is not there.
CancelPlan ClusterScope::Cancel(unsigned unit, const CancelRequest& request, bool late) const {
  CancelPlan plan;
  plan.addr = request.addr;
  plan.mbar = request.mbar;
  std::vector<unsigned> ranks = {request.rank};
  const auto cluster = clusters_.find(request.cluster);
  if (request.multicast && cluster != clusters_.end()) {
    ranks.clear();
    for (unsigned rank = 0; rank < cluster->second.size; ++rank) {
      ranks.push_back(rank);
    }
  }
  for (const unsigned rank : ranks) {
    const Member* member = FindMember(request.cluster, rank);
    if (member == nullptr || (Find(*member) == nullptr && !late)) {
      plan.places.clear();
      plan.lost = {static_cast<std::uint8_t>(unit), request.warp, 0, request.cluster,
                   static_cast<std::uint8_t>(rank), request.addr};
      return plan;
    }
    plan.places.push_back(member->place);
  }
  return plan;
}

// (.17) "written [...] to the corresponding local shared memory addr of each CTA", and "the
// completion of the writes to addr of a particular CTA is signaled via a complete-tx operation to
// the mbarrier object on the shared memory of that CTA", "equal to amount of data stored in bytes".
std::vector<CancelStep> CancelSteps(const CancelPlan& plan, const CancelResponse& response) {
  std::vector<CancelStep> steps;
  for (const CtaPlace& place : plan.places) {
    steps.push_back({true, place, plan.addr, response, 0});
    steps.push_back({false, place, plan.mbar, {}, kCancelBytes});
  }
  return steps;
}

// The fourth word is 1 or 0; its lowest bit is the predicate.
CancelQuery DecodeCancel(const CancelResponse& response) {
  return {(response[3] & 1) != 0, {response[0], response[1], response[2]}};
}

}  // namespace muster::golden
