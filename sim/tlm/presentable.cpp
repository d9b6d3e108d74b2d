// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/presentable.h"

#include <fmt/format.h>

#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::tlm {
namespace {

constexpr unsigned kMbBytes = 8;

bool IsKind(OpKind kind) {
  return IsArrival(kind) || IsRead(kind) || kind == OpKind::kWait || kind == OpKind::kR2bBar ||
         kind == OpKind::kR2bWarp || kind == OpKind::kLaunch || kind == OpKind::kOpen ||
         kind == OpKind::kJoin || kind == OpKind::kSuspend || kind == OpKind::kEnd ||
         kind == OpKind::kExit;
}

// The sentence; false, for the caller to return.
template <typename... Args>
[[gnu::cold]] bool Refuse(std::string* refusal, fmt::format_string<Args...> text, Args&&... args) {
  *refusal = fmt::format(text, std::forward<Args>(args)...);
  return false;
}

bool MayLaunch(const Config& config, const golden::Model* state, const Operation& operation,
               std::string* refusal) {
  const std::uint64_t all = ~std::uint64_t{0} >> (kMaxWarps - config.num_warps);
  if ((operation.warps & ~all) != 0) {
    return Refuse(refusal, "a launch takes the warps {:#x}; {} has {}", operation.warps,
                  config.name, config.num_warps);
  }
  if (state == nullptr) {
    return true;
  }
  const bool taken = operation.cta < config.num_ctas && state->Resident(operation.cta);
  const std::uint64_t live = operation.warps & state->Live();
  return taken || live == 0 ||
         Refuse(refusal, "a launch takes the warps {:#x}, which are live", live);
}

bool MayJoin(const Config& config, const golden::Model* state, const Operation& operation,
             std::string* refusal) {
  if (state == nullptr || operation.warp >= config.num_warps ||
      (state->Live() & Bit(operation.warp)) == 0) {
    return true;
  }
  const bool own = operation.cta < config.num_ctas &&
                   (state->LiveWarps(operation.cta) & Bit(operation.warp)) != 0;
  return own ||
         Refuse(refusal, "a join takes the warp {}, which is live in another CTA", operation.warp);
}

bool MayDo(const Config& config, const golden::Model* state, const Operation& operation,
           std::string* refusal) {
  if (!IsKind(operation.kind)) {
    return Refuse(refusal, "there is no operation with the code {}",
                  static_cast<unsigned>(operation.kind));
  }
  if (!Has(config, operation.kind)) {
    return Refuse(refusal, "{} has no {}", config.name, Name(operation.kind));
  }
  if (operation.bar >= kNumBars) {
    return Refuse(refusal, "there is no barrier {}; a CTA has {}", operation.bar, kNumBars);
  }
  if (operation.kind == OpKind::kLaunch) {
    return MayLaunch(config, state, operation, refusal);
  }
  return operation.kind != OpKind::kJoin || MayJoin(config, state, operation, refusal);
}

bool MayDo(const Config& config, const MbOperation& operation, std::string* refusal) {
  if (static_cast<unsigned>(operation.op) >= kNumMbOps || operation.source > MbSource::kOutbound) {
    return Refuse(refusal, "there is no mbarrier operation with the code {} from the source {}",
                  static_cast<unsigned>(operation.op), static_cast<unsigned>(operation.source));
  }
  if (!Has(config, operation)) {
    return Refuse(refusal, "{} has no {}", config.name, Name(operation));
  }
  if (operation.source != MbSource::kAsync) {
    return operation.op != MbOp::kReportOn ||
           Refuse(refusal, "{} by other than a copy engine", Name(operation));
  }
  if (operation.op != MbOp::kCompleteTx && operation.op != MbOp::kReportOn &&
      (operation.op != MbOp::kArrive || operation.operand != 1)) {
    return Refuse(
        refusal,
        "{} of {} by a copy engine; it may ask for complete_tx, for report_on, and for arrive of 1",
        Name(operation.op), operation.operand);
  }
  return operation.lanes <= 1 ||
         Refuse(refusal, "lanes {:#x} of a copy engine, which has lane 0", operation.lanes);
}

bool MayHappen(const Config& config, const MbEvent& event, std::string* refusal) {
  const MbOperation& at = event.operation;
  if (!config.mbarrier) {
    return Refuse(refusal, "{} has no mbarriers", config.name);
  }
  switch (event.kind) {
    case MbEvent::Kind::kStep:
      return MayDo(config, at, refusal);
    case MbEvent::Kind::kExpire:
      return at.warp < config.num_warps || Refuse(refusal, "a time limit of warp {}; {} has {}",
                                                  at.warp, config.name, config.num_warps);
    case MbEvent::Kind::kLeave:
      if (event.how != OpKind::kSuspend && event.how != OpKind::kEnd) {
        return Refuse(refusal, "a CTA leaves by the operation {}; there are suspend and end",
                      static_cast<unsigned>(event.how));
      }
      // Of a slot beyond the unit's own, nothing leaves: the unit has refused to let it.
      return at.cta < kMaxCtas || Refuse(refusal, "there is no CTA slot {} in any unit", at.cta);
    case MbEvent::Kind::kStore:
    case MbEvent::Kind::kRestore:
      if (at.addr % kMbBytes != 0 || at.addr >= config.smem_bytes) {
        return Refuse(refusal, "a store to {:#x}; shared memory has {:#x} bytes, in words of {}",
                      at.addr, config.smem_bytes, kMbBytes);
      }
      return at.cta < config.num_ctas || Refuse(refusal, "there is no CTA slot {}; {} has {}",
                                                at.cta, config.name, config.num_ctas);
  }
  return Refuse(refusal, "there is no event with the code {}", static_cast<unsigned>(event.kind));
}

// Says which part of a transaction it is that was refused.
[[gnu::cold]] bool Refused(const char* what, unsigned number, std::string* refusal) {
  *refusal = fmt::format("{} {}: {}", what, number, *refusal);
  return false;
}

}  // namespace

bool IsPresentable(const Config& config, const golden::Model* state,
                   const BarrierExtension& extension, std::string* refusal) {
  const unsigned events = extension.event_count();
  for (unsigned i = 0; i < events; ++i) {
    if (!MayHappen(config, extension.event(i), refusal)) {
      return Refused("event", i, refusal);
    }
  }
  unsigned lifecycle = 0;
  const unsigned operations = extension.operation_count();
  for (unsigned i = 0; i < operations; ++i) {
    const Operation& operation = extension.operation(i);
    lifecycle += IsLifecycle(operation.kind) ? 1 : 0;
    if (lifecycle > 1) {
      Refuse(refusal, "a second lifecycle operation; there is one in a cycle");
      return Refused("operation", i, refusal);
    }
    if (!MayDo(config, state, operation, refusal)) {
      return Refused("operation", i, refusal);
    }
  }
  return true;
}

}  // namespace muster::tlm
