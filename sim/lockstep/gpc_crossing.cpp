// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/gpc_crossing.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/golden/atomics.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/mbarrier_operation.h"

namespace muster::lockstep {
namespace {

std::string Describe(bool valid, const MbOperation& operation) {
  return valid ? fmt::format("{} at {:#x} of CTA slot {}, lanes {:#010x}, operand {}{}",
                             Name(operation.op), operation.addr, operation.cta, operation.lanes,
                             operation.operand, operation.has_token ? ", with a token" : "")
               : "nothing";
}

bool IsSame(const MbOperation& a, const MbOperation& b) {
  return a.op == b.op && a.cta == b.cta && a.addr == b.addr && a.lanes == b.lanes &&
         a.operand == b.operand && a.has_token == b.has_token;
}

MbOperation OperationOf(const RemoteOperation& remote) {
  MbOperation operation;
  operation.op = remote.op;
  operation.cta = remote.place.cta;
  operation.addr = remote.addr;
  operation.lanes = remote.lanes;
  operation.operand = remote.operand;
  operation.has_token = remote.has_token;
  return operation;
}

AtomicUpdate UpdateOf(const ClusterOutputs::Unit& scope, bool upper) {
  const RemoteAtomic& atomic = scope.remote.atomic;
  AtomicUpdate update;
  update.op = atomic.op;
  update.size = atomic.size;
  update.is_signed = atomic.is_signed;
  update.cta = scope.remote.place.cta;
  update.addr = atomic.addr;
  update.upper = upper;
  update.warp = scope.from.warp;
  update.lane = atomic.lane;
  update.from = {true, scope.from.unit};
  update.completes = scope.remote.lanes != 0 && (upper || atomic.size != AtomicSize::k128);
  update.operand = upper ? atomic.operand_upper : atomic.operand;
  update.compare = upper ? atomic.compare_upper : atomic.compare;
  update.has_answer = atomic.has_answer;
  return update;
}

}  // namespace

bool GpcCrossingChecker::Wrong(const char* field, std::string unit, std::string golden) {
  mismatch_ = Mismatch{field, std::move(unit), std::move(golden)};
  return false;
}

bool GpcCrossingChecker::Check(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                               const CancelStep& complete) {
  return CheckRemote(unit, scope) && CheckUpdate(unit, scope) && CheckAnswer(unit, scope) &&
         CheckAsync(unit, scope, complete);
}

// What the mbarriers are shown, and what the network is told.
bool GpcCrossingChecker::CheckRemote(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope) {
  const GpcCrossing& crossing = unit.crossing;
  const RemoteAtomic& atomic = scope.remote.atomic;
  const bool updates = scope.remote_valid && atomic.valid;
  const bool valid = waiting_.empty() ? scope.remote_valid && !updates : due_ != 0;
  const MbOperation sent = waiting_.empty() ? OperationOf(scope.remote) : waiting_.front();
  if (crossing.remote_valid != valid || (valid && !IsSame(crossing.remote, sent))) {
    return Wrong("crossing.remote", Describe(crossing.remote_valid, crossing.remote),
                 "from the network " + Describe(valid, sent));
  }
  const bool full = scope.remote.lanes != 0 && waiting_.size() == kMostWaiting;
  const bool lower = atomic.size == AtomicSize::k128 && !upper_;
  const bool ready = updates ? crossing.atomics.remote_ready && !full && !lower
                             : crossing.remote_ready && waiting_.empty();
  return !scope.remote_valid || ready == crossing.network_ready ||
         Wrong("crossing.remote_ready",
               fmt::format("the network sees {}", static_cast<int>(crossing.network_ready)),
               fmt::format("the unit says {}", static_cast<int>(ready)));
}

// What the atomics are shown, and the operations that are to follow.
bool GpcCrossingChecker::CheckUpdate(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope) {
  const bool waits = !waiting_.empty();
  if (unit.atomic_out.remote_busy != (unit.crossing.atomics.remote_busy || waits)) {
    return Wrong("crossing.remote_busy", fmt::format("{}", unit.atomic_out.remote_busy),
                 fmt::format("{}", !unit.atomic_out.remote_busy));
  }
  const AtomicCrossing& crossing = unit.crossing.atomics;
  const bool follows = scope.remote.lanes != 0;
  const bool valid = scope.remote_valid && scope.remote.atomic.valid &&
                     !(follows && waiting_.size() == kMostWaiting);
  const AtomicUpdate sent = UpdateOf(scope, upper_);
  if (crossing.remote_valid != valid || (valid && !(crossing.remote == sent))) {
    return Wrong("crossing.update",
                 crossing.remote_valid ? muster::Describe(crossing.remote) : "nothing",
                 valid ? "from the network " + muster::Describe(sent) : "nothing");
  }
  const bool goes = unit.crossing.remote_valid && unit.crossing.remote_ready && !waiting_.empty();
  const AtomicOutputs& atomics = unit.atomic_out;
  if (atomics.commit_valid && atomics.commit.completes && atomics.commit.written) {
    ++due_;
  }
  if (goes) {
    waiting_.pop_front();
    --due_;
  }
  if (valid && crossing.remote_ready) {
    upper_ = sent.size == AtomicSize::k128 && !sent.upper;
    if (sent.completes && golden::StepAtomic(sent, 0, smem_bytes_).fault == FaultCause::kNone) {
      waiting_.push_back(OperationOf(scope.remote));
    }
  }
  return true;
}

// An answer goes to the core or to the network.
bool GpcCrossingChecker::CheckAnswer(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope) {
  const AtomicCrossing& crossing = unit.crossing.atomics;
  const bool away = crossing.response.from.remote;
  const bool own = crossing.response_valid && !away;
  const AtomicOutputs& core = unit.atomic_out;
  if (core.response_valid != own || (own && !(core.response == crossing.response))) {
    return Wrong("crossing.response", core.response_valid ? "an answer" : "nothing",
                 own ? "the answer of the unit's atomics" : "nothing");
  }
  const bool ready = away ? scope.answer_ready : unit.atomic_in.response_ready;
  return !crossing.response_valid || crossing.response_ready == ready ||
         Wrong("crossing.response_ready", fmt::format("{}", crossing.response_ready),
               fmt::format("{}", ready));
}

bool GpcCrossingChecker::CheckAsync(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                                    const CancelStep& complete) {
  const GpcCrossing& crossing = unit.crossing;
  const MbInputs& engine = unit.port->in.mb;
  shown_ = held_ != Source::kNone ? held_
           : scope.complete_valid ? Source::kCompletion
           : engine.async_valid   ? Source::kEngine
                                  : Source::kNone;
  MbOperation right;
  if (shown_ == Source::kCompletion) {
    right.op = MbOp::kCompleteTx;
    right.source = MbSource::kAsync;
    right.cta = complete.place.cta;
    right.lanes = 1;
    right.addr = complete.addr;
    right.operand = complete.bytes;
  } else if (shown_ == Source::kEngine) {
    right = engine.async;
  }
  const bool valid = shown_ != Source::kNone;
  if (crossing.async_valid != valid || (valid && !IsSame(crossing.async, right))) {
    return Wrong(
        "crossing.async", Describe(crossing.async_valid, crossing.async),
        fmt::format("of {} {}", shown_ == Source::kCompletion ? "the cluster scope" : "the engine",
                    Describe(valid, right)));
  }
  const auto agrees = [&](bool presented, bool ready, Source source) {
    return !presented || ready == (shown_ == source && crossing.async_ready);
  };
  if (!agrees(scope.complete_valid, crossing.complete_ready, Source::kCompletion)) {
    return Wrong("crossing.complete_ready", fmt::format("{}", crossing.complete_ready),
                 fmt::format("{}", !crossing.complete_ready));
  }
  if (!agrees(engine.async_valid, unit.port->out.mb.async_ready, Source::kEngine)) {
    return Wrong("crossing.async_ready", fmt::format("{}", unit.port->out.mb.async_ready),
                 fmt::format("{}", !unit.port->out.mb.async_ready));
  }
  held_ = crossing.async_ready ? Source::kNone : shown_;
  return true;
}

}  // namespace muster::lockstep
