// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/gpc_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <set>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"

namespace muster::gpc {
namespace {

constexpr unsigned kApart = 4;      // parts of a warp whose orders count
constexpr std::uint64_t kSoon = 4;  // cycles between two collectives of a warp

// "1234": the places of the parts, the one with the lowest lane being 1.
std::string NameOf(const std::vector<unsigned>& order) {
  std::string name;
  for (const unsigned lane : order) {
    const auto lower =
        std::count_if(order.begin(), order.end(), [lane](unsigned other) { return other < lane; });
    name += static_cast<char>('1' + lower);
  }
  return name;
}

// "cas", "add", "add.f32": additions of floating-point numbers by the type of 32 bits.
std::string NameOf(AtomicOp op) {
  return Name(op) + (IsFloat(op) ? "." + TypeName(op, AtomicSize::k32, false) : std::string());
}

// What tells the groups of a warp apart, beside the key.
std::uint32_t CodeOf(const WarpRequest& request) {
  WarpGroup group;
  group.op = request.op;
  group.mode = request.mode;
  group.abs = request.abs;
  group.nan = request.nan;
  return EncodeInstruction(group);
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// The points
// ------------------------------------------------------------------------------------------------

GpcCover::GpcCover(bool has_atomics, bool high_ranks) {
  DefineWarps();
  DefineCluster();
  DefineCrossings();
  if (has_atomics) {
    DefineAtomics();
  }
  if (high_ranks) {
    Define("cluster.high_rank");
    Define("network.high_rank");
  }
}

void GpcCover::Define(const std::string& name) {
  by_name_.emplace("gpc." + name, points_.Define("gpc." + name));
}

void GpcCover::DefineOrders(const std::string& prefix) {
  std::vector<unsigned> order = {1, 2, 3, 4};
  do {
    Define(prefix + NameOf(order));
  } while (std::next_permutation(order.begin(), order.end()));
}

void GpcCover::DefineWarps() {
  for (unsigned op = 0; op < kNumWarpOps; ++op) {
    Define(fmt::format("warp.op.{}", Name(static_cast<WarpOp>(op))));
  }
  for (const char* name :
       {"warp.fault.not_a_member", "warp.fault.barrier_mismatch", "warp.fault.mask_mismatch",
        "warp.groups.2", "warp.groups.3", "warp.groups.4", "warp.back_to_back", "warp.arrival.unit",
        "warp.arrival.cluster", "warp.arrival.cluster.differs", "warp.arrival.while_busy",
        "warp.exit.collective.completes_several"}) {
    Define(name);
  }
  for (const char* what : {"collective", "gather"}) {
    for (const char* step : {"after_1", "after_2", "after_3", "completes"}) {
      Define(fmt::format("warp.exit.{}.{}", what, step));
    }
  }
  DefineOrders("warp.order.");
  DefineOrders("warp.gather.order.");
}

void GpcCover::DefineCluster() {
  for (unsigned op = 0; op < kNumClusterOps; ++op) {
    Define(fmt::format("cluster.op.{}", Name(static_cast<ClusterOp>(op))));
  }
  for (unsigned op = 0; op < kNumClusterLifeOps; ++op) {
    Define(fmt::format("cluster.life.{}", Name(static_cast<ClusterLifeOp>(op))));
    Define(fmt::format("cluster.refused.{}", Name(static_cast<ClusterLifeOp>(op))));
  }
  for (const char* name : {"cluster.fault.cta_not_resident",
                           "cluster.fault.cluster_arrived_twice",
                           "cluster.fault.cluster_wait_without_arrive",
                           "cluster.exit.idle",
                           "cluster.exit.arrived",
                           "cluster.exit.passed",
                           "cluster.exit.beside_waiting",
                           "cluster.exit.of_cta",
                           "cluster.phase.by_arrive",
                           "cluster.phase.by_exit",
                           "cluster.phase.by_end",
                           "cluster.phase.back_to_back",
                           "cluster.go",
                           "cluster.release",
                           "cluster.drain",
                           "grid.wait.at_once",
                           "grid.wait.waits",
                           "grid.release_after_wait",
                           "grid.launch",
                           "grid.flush",
                           "cancel.single",
                           "cancel.multicast",
                           "cancel.multicast.several",
                           "cancel.no_cluster",
                           "cancel.rank_not_there"}) {
    Define(name);
  }
  DefineOrders("cluster.order.");
}

void GpcCover::DefineCrossings() {
  for (const char* name : {"network.rank_not_there",
                           "network.all_to_one",
                           "network.all_to_different",
                           "network.storm_to_one",
                           "network.storm_to_different",
                           "network.stall",
                           "network.end_waits",
                           "crossing.completion_first",
                           "crossing.engine_first",
                           "crossing.completion_held",
                           "gathered.completes",
                           "remote.completes",
                           "remote.wakes",
                           "remote.refused",
                           "idle",
                           "idle.lanes_wait",
                           "idle.mb_clock_off",
                           "idle.clock_stands_still",
                           "reset.groups_open",
                           "reset.network",
                           "reset.cluster_open",
                           "reset.cancel"}) {
    Define(name);
  }
  for (const OpKind kind :
       {OpKind::kSync, OpKind::kArrive, OpKind::kRedAnd, OpKind::kRedOr, OpKind::kRedPopc}) {
    Define(fmt::format("gathered.{}", Name(kind)));
  }
  for (const MbOp op : {MbOp::kArrive, MbOp::kArriveExpectTx, MbOp::kArriveDrop, MbOp::kExpectTx,
                        MbOp::kCompleteTx, MbOp::kArriveDropExpectTx}) {
    Define(fmt::format("remote.{}", Name(op)));
  }
}

void GpcCover::DefineAtomics() {
  for (unsigned op = 0; op < kNumAtomicOps; ++op) {
    Define("atomics." + NameOf(static_cast<AtomicOp>(op)));
    Define("atomics.remote." + NameOf(static_cast<AtomicOp>(op)));
  }
  for (const char* name :
       {"atomics.answer", "atomics.behind", "atomics.refused", "atomics.drain", "atomics.128",
        "atomics.beside_mbarrier", "reset.atomics", "atomics.remote.128", "atomics.remote.refused",
        "atomics.remote.behind", "atomics.async", "atomics.async.refused", "atomics.async.waits",
        "atomics.async.to_itself", "atomics.turns", "atomics.reply", "atomics.reply.waits"}) {
    Define(name);
  }
}

void GpcCover::Hit(const std::string& name) {
  const auto found = by_name_.find("gpc." + name);
  assert(found != by_name_.end());
  points_.Count(found->second);
}

void GpcCover::HitOrder(const std::string& prefix, const Order& order) {
  const std::set<unsigned> distinct(order.begin(), order.end());
  if (order.size() == kApart && distinct.size() == kApart) {
    Hit(prefix + NameOf(order));
  }
}

void GpcCover::NextRun() {
  groups_.clear();
  completed_.clear();
  gathered_.clear();
  arrivals_.clear();
  lanes_.clear();
  at_grid_.clear();
  phases_.fill(0);
  phase_at_.fill(0);
  launched_ = flushed_ = 0;
  to_one_ = to_different_ = 0;
}

void GpcCover::Reset(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks) {
  bool groups = false;
  bool network = false;
  for (std::size_t u = 0; u < pins.units.size(); ++u) {
    groups = groups || pins.units[u].warp_out.open != 0;
    network =
        network || pins.cluster_out.units[u].remote_valid || pins.cluster_in.units[u].send_valid;
  }
  bool open = false;
  for (unsigned cluster = 0; cluster < kMaxClusters; ++cluster) {
    open = open || checks.cluster.model().IsOpen(cluster);
  }
  const auto hit = [&](bool is, const char* name) {
    if (is) {
      Hit(name);
    }
  };
  hit(std::any_of(checks.atomics.begin(), checks.atomics.end(),
                  [](const auto& atomics) { return !atomics.Settled(); }),
      "reset.atomics");
  hit(groups, "reset.groups_open");
  hit(network, "reset.network");
  hit(open, "reset.cluster_open");
  hit(checks.cluster.CancelledCluster().has_value(), "reset.cancel");
  NextRun();
}

void GpcCover::Observe(std::uint64_t cycle, const lockstep::GpcPins& pins,
                       const lockstep::GpcChecks& checks) {
  bool waits = false;
  bool stopped = false;  // while a wait has a limit
  bool mb_off = false;
  for (unsigned u = 0; u < pins.units.size(); ++u) {
    const lockstep::Dut& port = *pins.units[u].port;
    stopped = stopped || (port.in.mb.stopped_ns != 0 && !port.out.idle);
    ObserveWarps(cycle, u, pins, checks);
    ObserveCrossing(pins.units[u], pins.cluster_out.units[u], checks.crossings[u].shown());
    waits = waits || pins.units[u].warp_out.open != 0;
    mb_off = mb_off || port.in.mb.gated;
  }
  ObserveCluster(cycle, pins, checks);
  ObserveNetwork(pins, checks);
  ObserveAtomics(pins, checks);
  if (stopped) {
    Hit("idle.clock_stands_still");
  }
  if (mb_off && !pins.gated) {
    Hit("idle.mb_clock_off");
  }
  if (pins.gated) {
    Hit("idle");
    if (waits) {
      Hit("idle.lanes_wait");
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Warp scopes
// ------------------------------------------------------------------------------------------------

void GpcCover::ObserveWarps(std::uint64_t cycle, unsigned u, const lockstep::GpcPins& pins,
                            const lockstep::GpcChecks& checks) {
  const lockstep::GpcUnitPins& unit = pins.units[u];
  const lockstep::WarpChecker& warps = checks.warps[u];
  if (warps.accepted()) {
    CountRequest(cycle, u, *warps.accepted(), warps.model());
  }
  ForEachBit(unit.warp_in.clear, [&](unsigned warp) { groups_.erase({u, warp}); });
  if (unit.warp_out.arrival_valid && unit.warp_in.arrival_ready) {
    const bool of_unit = unit.warp_out.arrival.key >> 20 == 0;
    Hit(of_unit ? "warp.arrival.unit" : "warp.arrival.cluster");
  } else if (unit.warp_out.arrival_valid) {  // as it always is for a cycle before it is accepted
    gathered_[{u, unit.warp_out.arrival.warp}] = unit.warp_out.arrival.key >> 20 == 0;
  }
  if (!unit.warp_out.arrival_valid && unit.warp_in.busy != 0) {
    bool due = false;
    ForEachBit(unit.warp_in.busy, [&](unsigned warp) {
      due = due || (warp < warps.shape().num_warps && !warps.SettledOf(warp) &&
                    warps.model().Groups(warp).empty() && warps.held(warp) != 0);
    });
    if (due) {
      Hit("warp.arrival.while_busy");
    }
  }
}

void GpcCover::CountRequest(std::uint64_t cycle, unsigned u,
                            const lockstep::WarpChecker::Accepted& accepted,
                            const golden::WarpScope& model) {
  const WarpRequest& request = accepted.request;
  const WarpEffects& effects = accepted.effects;
  if (request.lanes == 0 && request.op != WarpOp::kRead) {
    return;
  }
  Hit(fmt::format("warp.op.{}", Name(request.op)));
  if (effects.fault != FaultCause::kNone) {
    Hit(fmt::format("warp.fault.{}", Name(effects.fault)));
    return;
  }
  if (request.op == WarpOp::kExit) {
    CountExit(u, request, effects);
  } else if (IsRendezvous(request.op)) {
    auto& groups = groups_[{u, request.warp}];
    Order& order = groups[{CodeOf(request), request.key}];
    order.push_back(First(request.lanes));
    if (!effects.answers.empty() || effects.arrival) {
      CountComplete(cycle, u, request, effects);
    }
  }
  if (const std::size_t open = model.Groups(request.warp).size(); open >= 2) {
    Hit(fmt::format("warp.groups.{}", std::min<std::size_t>(open, 4)));
  }
}

// The request is the last one of its group.
void GpcCover::CountComplete(std::uint64_t cycle, unsigned u, const WarpRequest& request,
                             const WarpEffects& effects) {
  auto& groups = groups_[{u, request.warp}];
  HitOrder(effects.arrival ? "warp.gather.order." : "warp.order.",
           groups[{CodeOf(request), request.key}]);
  groups.erase({CodeOf(request), request.key});
  if (effects.arrival) {
    const std::uint32_t preds = effects.arrival->preds;
    if (request.key == ClusterKey(GatherKind::kClusterArrive) && preds != 0 &&
        preds != effects.arrival->lanes) {
      Hit("warp.arrival.cluster.differs");
    }
    return;
  }
  const auto before = completed_.find({u, request.warp});
  if (before != completed_.end() && cycle - before->second <= kSoon) {
    Hit("warp.back_to_back");
  }
  completed_[{u, request.warp}] = cycle;
}

void GpcCover::CountExit(unsigned u, const WarpRequest& request, const WarpEffects& effects) {
  auto& groups = groups_[{u, request.warp}];
  for (const auto& [group, order] : groups) {
    const bool gather = DecodeInstruction(group.first).op == WarpOp::kGather;
    if (!order.empty()) {
      Hit(fmt::format("warp.exit.{}.after_{}", gather ? "gather" : "collective",
                      std::min<std::size_t>(order.size(), 3)));
    }
  }
  if (!effects.answers.empty()) {
    Hit("warp.exit.collective.completes");
  }
  if (effects.answers.size() > 1) {
    Hit("warp.exit.collective.completes_several");
  }
  if (effects.arrival) {
    Hit("warp.exit.gather.completes");
  }
  if (!effects.answers.empty() || effects.arrival) {
    groups.clear();  // which of them are left does not matter to any point
  }
}

void GpcCover::ObserveAtomics(const lockstep::GpcPins& pins, const lockstep::GpcChecks& checks) {
  for (unsigned u = 0; u < checks.atomics.size(); ++u) {
    if ((pins.units[u].atomic_out.fence_req & ~pins.units[u].atomic_in.fence_ack) != 0) {
      Hit("atomics.drain");
    }
    const auto hit = [&](bool is, const char* name) {
      if (is) {
        Hit(name);
      }
    };
    ObserveReplies(u, pins);
    const auto& done = checks.atomics[u].committed();
    if (!done) {
      continue;
    }
    const bool remote = done->update.from.remote;
    if (done->effects.fault != FaultCause::kNone) {
      Hit(remote ? "atomics.remote.refused" : "atomics.refused");
      hit(done->update.completes, "atomics.async.refused");
      continue;
    }
    if (remote) {
      Hit("atomics.remote." + NameOf(done->update.op));
      hit(done->behind, "atomics.remote.behind");
      hit(done->update.size == AtomicSize::k128, "atomics.remote.128");
      hit(done->update.completes, "atomics.async");
      hit(done->update.completes && done->update.from.unit == u, "atomics.async.to_itself");
      continue;
    }
    Hit("atomics." + NameOf(done->update.op));
    hit(done->update.has_answer, "atomics.answer");
    hit(done->behind, "atomics.behind");
    hit(done->update.size == AtomicSize::k128, "atomics.128");
    hit(pins.units[u].port->out.mb.commit_valid, "atomics.beside_mbarrier");
  }
}

// What passes between the atomics of a unit and those who are elsewhere.
void GpcCover::ObserveReplies(unsigned u, const lockstep::GpcPins& pins) {
  const ClusterOutputs::Unit& scope = pins.cluster_out.units[u];
  const lockstep::AtomicCrossing& crossing = pins.units[u].crossing.atomics;
  const auto hit = [&](bool is, const char* name) {
    if (is) {
      Hit(name);
    }
  };
  hit(crossing.remote_valid && pins.units[u].atomic_in.issue_valid, "atomics.turns");
  hit(scope.remote_valid && scope.remote.atomic.valid && !crossing.remote_valid,
      "atomics.async.waits");
  hit(scope.reply_valid, "atomics.reply");
  hit(scope.reply_valid && !pins.cluster_in.units[u].reply_ready, "atomics.reply.waits");
}

void GpcCover::OnCommit(unsigned unit, const Operation& operation, const Effects& effects) {
  if (IsLifecycle(operation.kind) || !gathered_[{unit, operation.warp}]) {
    return;
  }
  gathered_[{unit, operation.warp}] = false;
  Hit(fmt::format("gathered.{}", Name(operation.kind)));
  if (effects.completed) {
    Hit("gathered.completes");
  }
}

void GpcCover::OnMbEvent(const MbEvent& event, const MbEffects& effects) {
  if (event.kind != MbEvent::Kind::kStep || event.operation.source != MbSource::kRemote) {
    return;
  }
  if (by_name_.count(fmt::format("gpc.remote.{}", Name(event.operation.op))) != 0) {
    Hit(fmt::format("remote.{}", Name(event.operation.op)));
  }
  if (effects.completions != 0) {
    Hit("remote.completes");
  }
  if (!effects.answers.empty()) {
    Hit("remote.wakes");
  }
  if (AnyRefused(effects)) {
    Hit("remote.refused");
  }
}

}  // namespace muster::gpc
