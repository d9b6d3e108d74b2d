// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/mbarrier_operation.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace muster {
namespace {

// Operations that have a name of their own by more than their code.
struct Form {
  const char* name;
  MbOp op;
  MbAsks asks;
};
constexpr std::array kForms = {
    Form{"init.v1", MbOp::kInit, MbAsks::kPrimary},
    Form{"check_layout", MbOp::kTestWait, MbAsks::kLayout},
    Form{"test_wait.parity.conditional", MbOp::kTestWaitParity, MbAsks::kConditional},
    Form{"try_wait.parity.conditional", MbOp::kTryWaitParity, MbAsks::kConditional}};

bool IsOf(const Form& form, const MbOperation& operation) {
  return operation.op == form.op &&
         (form.op == MbOp::kInit ? operation.phase : operation.asks == form.asks);
}

}  // namespace

const char* Name(MbOp op) {
  switch (op) {
    case MbOp::kInit:
      return "init";
    case MbOp::kInval:
      return "inval";
    case MbOp::kArrive:
      return "arrive";
    case MbOp::kArriveNoComplete:
      return "arrive.noComplete";
    case MbOp::kArriveExpectTx:
      return "arrive.expect_tx";
    case MbOp::kArriveDrop:
      return "arrive_drop";
    case MbOp::kArriveDropNoComplete:
      return "arrive_drop.noComplete";
    case MbOp::kArriveDropExpectTx:
      return "arrive_drop.expect_tx";
    case MbOp::kExpectTx:
      return "expect_tx";
    case MbOp::kCompleteTx:
      return "complete_tx";
    case MbOp::kTestWait:
      return "test_wait";
    case MbOp::kTestWaitParity:
      return "test_wait.parity";
    case MbOp::kTryWait:
      return "try_wait";
    case MbOp::kTryWaitParity:
      return "try_wait.parity";
    case MbOp::kCopyArrive:
      return "cp.async.mbarrier.arrive";
    case MbOp::kReportOn:
      return "report_on";
    case MbOp::kCopyArriveNoInc:
      return "cp.async.mbarrier.arrive.noinc";
  }
  return "?";
}

const char* Name(const MbOperation& operation) {
  for (const Form& form : kForms) {
    if (IsOf(form, operation)) {
      return form.name;
    }
  }
  return Name(operation.op);
}

bool FindName(std::string_view name, MbOperation* operation) {
  for (const Form& form : kForms) {
    if (name == form.name) {
      operation->op = form.op;
      operation->asks = form.asks;
      operation->phase = form.op == MbOp::kInit;
      return true;
    }
  }
  for (unsigned code = 0; code < kNumMbOps; ++code) {
    if (name == Name(static_cast<MbOp>(code))) {
      operation->op = static_cast<MbOp>(code);
      operation->asks = MbAsks::kPrimary;
      operation->phase = false;
      return true;
    }
  }
  return false;
}

const char* Name(MbSource source) {
  switch (source) {
    case MbSource::kWarp:
      return "warp";
    case MbSource::kAsync:
      return "async";
    case MbSource::kRemote:
      return "remote";
    case MbSource::kOutbound:
      return "outbound";
  }
  return "?";
}

std::string Describe(const MbEvent& event) {
  const MbOperation& at = event.operation;
  switch (event.kind) {
    case MbEvent::Kind::kExpire:
      return fmt::format("time limit of warp {}", at.warp);
    case MbEvent::Kind::kLeave:
      return fmt::format("{} of CTA {}", Name(event.how), at.cta);
    case MbEvent::Kind::kStore:
    case MbEvent::Kind::kRestore:
      return fmt::format("store of {:#018x} to {:#x} of CTA {}", event.word, at.addr, at.cta);
    case MbEvent::Kind::kStep:
      break;
  }
  std::string text =
      fmt::format("{} of {} at {:#x} of CTA {}", Name(at),
                  IsMbWait(at.op) ? unsigned{at.phase} : at.operand, at.addr, at.cta);
  if (at.source != MbSource::kWarp) {
    return fmt::format("{}, {}", text, Name(at.source));
  }
  return fmt::format("{} by warp {}, lanes {:#x}", text, at.warp, at.lanes);
}

}  // namespace muster
