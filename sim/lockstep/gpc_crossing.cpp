// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/gpc_crossing.h"

#include <fmt/format.h>

#include <string>
#include <utility>

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

}  // namespace

bool GpcCrossingChecker::Wrong(const char* field, std::string unit, std::string golden) {
  mismatch_ = Mismatch{field, std::move(unit), std::move(golden)};
  return false;
}

bool GpcCrossingChecker::Check(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                               const CancelStep& complete) {
  return CheckRemote(unit.crossing, scope) && CheckAsync(unit, scope, complete);
}

bool GpcCrossingChecker::CheckRemote(const GpcCrossing& crossing,
                                     const ClusterOutputs::Unit& scope) {
  MbOperation sent;
  sent.op = scope.remote.op;
  sent.cta = scope.remote.place.cta;
  sent.addr = scope.remote.addr;
  sent.lanes = scope.remote.lanes;
  sent.operand = scope.remote.operand;
  sent.has_token = scope.remote.has_token;
  if (crossing.remote_valid != scope.remote_valid ||
      (crossing.remote_valid && !IsSame(crossing.remote, sent))) {
    return Wrong("crossing.remote", Describe(crossing.remote_valid, crossing.remote),
                 "from the network " + Describe(scope.remote_valid, sent));
  }
  return !crossing.remote_valid || crossing.remote_ready == crossing.network_ready ||
         Wrong("crossing.remote_ready",
               fmt::format("the network sees {}", static_cast<int>(crossing.network_ready)),
               fmt::format("the unit says {}", static_cast<int>(crossing.remote_ready)));
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
