// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: mbarrier (PTX ISA 9.7.13.15; numbers in comments are its subsections).
#include <fmt/format.h>

#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

// The memory order and scope that a form can have; without `order` there is only .relaxed. Returns
// whether it is that.
bool Decoder::TakeMbOrder(std::string_view order) {
  const bool relaxed = Take("relaxed");
  const bool ordered = !relaxed && !order.empty() && Take(order);
  const int scope = TakeOne({"cta", "cluster"});
  if (relaxed || ordered || scope >= 0) {
    Require(scope == 1 ? "the scope .cluster" : "a memory order or scope",
            relaxed && !order.empty() ? 86 : 80, scope == 1 ? 90 : 80);
  }
  return relaxed || order.empty();
}

// .shared, .shared::cta, or none for a generic address; where another CTA's word can be meant (.8)
// .shared::cluster too. Returns whether it is the latter.
bool Decoder::TakeMbSpace(bool may_be_remote) {
  if (may_be_remote && Take("shared::cluster")) {
    Require(".shared::cluster", 80, 90);
    out_.space = Space::kCluster;
    return true;
  }
  out_.space = Take("shared")        ? Space::kShared
               : Take("shared::cta") ? (Require(".shared::cta", 78, 80), Space::kShared)
                                     : Space::kGeneric;
  return false;
}

void Decoder::Mbarrier() {
  switch (TakeOne({"init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx",
                   "test_wait", "try_wait", "pending_count"})) {
    case 0:
      return MbInit(MbOp::kInit);
    case 1:
      return MbInit(MbOp::kInval);
    case 2:
      return MbArrive(false);
    case 3:
      return MbArrive(true);
    case 4:
      return MbTransactions(MbOp::kExpectTx);
    case 5:
      return MbTransactions(MbOp::kCompleteTx);
    case 6:
      return MbWait(false);
    case 7:
      return MbWait(true);
    case 8:
      return MbPendingCount();
    default:
      Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
}

// The type, which is always there, and the last modifier.
bool Decoder::MbOperands(MbOp op, std::size_t least, std::size_t most) {
  out_.mode = static_cast<std::uint8_t>(op);
  if (!Take("b64")) {
    Fail(at_, fmt::format("{} lacks .b64", Spelling()));
  }
  out_.type = Type::kB64;
  return Count(least, most);
}

// (.1) An mbarrier is in shared memory.
void Decoder::MbAddress(const Operand& operand) {
  Address(operand);
  if (!IsShared(out_.space) && out_.space != Space::kGeneric) {
    Fail(operand.at, fmt::format("{} takes an address in shared memory", Spelling()));
  }
}

// (.9, .10)
void Decoder::MbInit(MbOp op) {
  Require("mbarrier", 70, 80);
  TakeMbSpace(false);
  const bool init = op == MbOp::kInit;
  if (!MbOperands(op, init ? 2 : 1, init ? 2 : 1)) {
    return;
  }
  MbAddress(Arg(0));
  if (init) {
    out_.a[1] = Source(Arg(1), Type::kU32);
    CheckMbNumber(Arg(1), 1, "count");
  }
}

// (.11, .12)
void Decoder::MbTransactions(MbOp op) {
  Require(Spelling(), 80, 90);
  TakeMbOrder("");
  TakeMbSpace(true);
  if (!MbOperands(op, 2, 2)) {
    return;
  }
  MbAddress(Arg(0));
  out_.a[1] = Source(Arg(1), Type::kU32);
  CheckMbNumber(Arg(1), 0, "number of bytes");
}

// (.13, .14)
void Decoder::MbArrive(bool drop) {
  Require("mbarrier", 70, 80);
  const int form = TakeOne({"noComplete", "expect_tx"});
  const bool no_complete = form == 0;
  const bool expects = form == 1;
  if (no_complete) {
    if (Take("release") | Take("cta")) {
      Require(Spelling(), 80, 80);
    }
  } else {
    out_.releasing = !TakeMbOrder("release");
  }
  out_.releasing |= no_complete;
  const bool remote = TakeMbSpace(!no_complete);
  const auto plain = drop ? MbOp::kArriveDrop : MbOp::kArrive;
  const auto op =
      static_cast<MbOp>(static_cast<unsigned>(plain) + (no_complete ? 1 : 0) + (expects ? 2 : 0));
  if (!MbOperands(op, no_complete || expects ? 3 : 2, 3)) {
    return;
  }
  const bool has_operand = syntax_->operands.size() == 3;
  if (expects) {
    Require(".expect_tx", 80, 90);
  } else if (has_operand && !no_complete) {
    Require("a count without .noComplete", 78, 90);
  }
  const bool sinks = Arg(0).kind == Kind::kName && Arg(0).name == "_";
  if (sinks && !drop) {
    Require("the sink symbol _", 71, 80);
  }
  if (!sinks && remote) {
    Fail(Arg(0).at, fmt::format("{} returns no state: its destination is _", Spelling()));
    return;
  }
  if (!sinks) {
    out_.d[0] = Destination(Arg(0), Type::kB64);
  }
  MbAddress(Arg(1));
  out_.a[1] = has_operand ? Source(Arg(2), Type::kU32) : LiteralOf(1);
  if (has_operand) {
    CheckMbNumber(Arg(2), expects ? 0 : 1, expects ? "number of bytes" : "count");
  }
}

// (.16)
void Decoder::MbWait(bool tries) {
  Require(tries ? "mbarrier.try_wait" : "mbarrier", tries ? 78 : 70, tries ? 90 : 80);
  const bool parity = Take("parity");
  if (parity) {
    Require(".parity", 71, 80);
  }
  TakeMbOrder("acquire");
  TakeMbSpace(false);
  const auto op = static_cast<MbOp>(static_cast<unsigned>(MbOp::kTestWait) + (parity ? 1 : 0) +
                                    (tries ? 2 : 0));
  if (!MbOperands(op, 3, tries ? 4 : 3)) {
    return;
  }
  RefuseSink(Arg(0));
  out_.d[0] = Destination(Arg(0), Type::kPred);
  MbAddress(Arg(1));
  out_.a[1] = Source(Arg(2), parity ? Type::kU32 : Type::kB64);
  if (parity && Arg(2).kind == Kind::kInteger && Arg(2).value > 1) {
    Misuse(Arg(2).at, "a phase parity is 0 or 1");
  }
  if (syntax_->operands.size() == 4) {
    out_.a[2] = Source(Arg(3), Type::kU32);
  }
}

// (.17)
void Decoder::MbPendingCount() {
  Require("mbarrier", 70, 80);
  out_.op = Op::kPendingCount;
  if (!Take("b64")) {
    Fail(at_, fmt::format("{} lacks .b64", Spelling()));
  }
  if (Count(2, 2)) {
    out_.type = Type::kB64;
    RefuseSink(Arg(0));
    out_.d[0] = Destination(Arg(0), Type::kU32);
    out_.a[0] = Source(Arg(1), Type::kB64);
  }
}

// (.15)
void Decoder::MbCopyArrive() {
  out_.op = Op::kMbarrier;
  Require("cp.async.mbarrier.arrive", 70, 80);
  if (!Take("arrive")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  const MbOp op = Take("noinc") ? MbOp::kCopyArriveNoInc : MbOp::kCopyArrive;
  TakeMbSpace(false);
  if (MbOperands(op, 1, 1)) {
    MbAddress(Arg(0));
  }
}

// (.2) What can be seen of an operand without running.
void Decoder::CheckMbNumber(const Operand& operand, std::uint32_t least, std::string_view what) {
  if (operand.kind == Kind::kInteger && (operand.value < least || operand.value > kMaxMbCount)) {
    Misuse(operand.at, fmt::format("the {} {} is not within {} to {}", what,
                                   static_cast<std::int64_t>(operand.value), least, kMaxMbCount));
  }
}

}  // namespace muster::ptx
