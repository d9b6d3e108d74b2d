// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/operation.h"

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

}  // namespace muster
