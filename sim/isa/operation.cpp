// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/operation.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace muster {

const char* Name(OpKind kind) {
  switch (kind) {
    case OpKind::kSync:
      return "sync";
    case OpKind::kArrive:
      return "arrive";
    case OpKind::kRedAnd:
      return "red_and";
    case OpKind::kRedOr:
      return "red_or";
    case OpKind::kRedPopc:
      return "red_popc";
    case OpKind::kArrivePhase:
      return "arrive_phase";
    case OpKind::kB2rBar:
      return "b2r_bar";
    case OpKind::kB2rWarp:
      return "b2r_warp";
    case OpKind::kB2rResult:
      return "b2r_result";
    case OpKind::kWait:
      return "wait";
    case OpKind::kR2bBar:
      return "r2b_bar";
    case OpKind::kR2bWarp:
      return "r2b_warp";
    case OpKind::kLaunch:
      return "launch";
    case OpKind::kOpen:
      return "open";
    case OpKind::kJoin:
      return "join";
    case OpKind::kExit:
      return "exit";
    case OpKind::kSuspend:
      return "suspend";
    case OpKind::kEnd:
      return "end";
  }
  return "?";
}

const char* Name(BarKind kind) {
  switch (kind) {
    case BarKind::kIdle:
      return "idle";
    case BarKind::kSync:
      return "sync";
    case BarKind::kAnd:
      return "and";
    case BarKind::kOr:
      return "or";
    case BarKind::kPopc:
      return "popc";
  }
  return "?";
}

std::string Describe(const Operation& operation) {
  const char* name = Name(operation.kind);
  switch (operation.kind) {
    case OpKind::kLaunch:
      return fmt::format("{} of CTA {} with warps {:#x} of {}", name, operation.cta,
                         operation.warps, operation.size);
    case OpKind::kOpen:
      return fmt::format("{} of CTA {} of {} warps", name, operation.cta, operation.size);
    case OpKind::kSuspend:
    case OpKind::kEnd:
      return fmt::format("{} of CTA {}", name, operation.cta);
    case OpKind::kJoin:
      return fmt::format("{} of warp {} to CTA {} with lanes {:#x}", name, operation.warp,
                         operation.cta, operation.lanes);
    case OpKind::kExit:
      return fmt::format("{} of lanes {:#x} of warp {} of CTA {}", name, operation.lanes,
                         operation.warp, operation.cta);
    case OpKind::kB2rWarp:
    case OpKind::kB2rResult:
      return fmt::format("{} of warp {} of CTA {}", name, operation.warp, operation.cta);
    case OpKind::kR2bWarp:
      return fmt::format("{} of {:#x} by warp {} of CTA {}", name, operation.operand,
                         operation.warp, operation.cta);
    case OpKind::kWait:
      return fmt::format("{} for phase {} of barrier {} by warp {} of CTA {}", name,
                         operation.operand & 1, operation.bar, operation.warp, operation.cta);
    case OpKind::kB2rBar:
      return fmt::format("{} of barrier {} by warp {} of CTA {}", name, operation.bar,
                         operation.warp, operation.cta);
    case OpKind::kR2bBar:
      return fmt::format("{} of {:#x} to barrier {} by warp {} of CTA {}", name, operation.operand,
                         operation.bar, operation.warp, operation.cta);
    default:
      break;
  }
  std::string text = fmt::format("{} at barrier {} with count {} by warp {} of CTA {}", name,
                                 operation.bar, operation.count, operation.warp, operation.cta);
  if (operation.lanes != ~std::uint32_t{0}) {
    text += fmt::format(", lanes {:#x}", operation.lanes);
  }
  if (IsReduction(operation.kind)) {
    text += fmt::format(", predicates {:#x}", operation.operand);
  }
  return text;
}

}  // namespace muster
