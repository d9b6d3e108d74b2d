// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: mbarrier (PTX ISA 9.7.13.15; numbers in comments are its subsections, and those after
// "9.4:" are subsections of 9.7.15.16 in PTX ISA 9.4).
#include "sim/ptx/program/decode_mbarrier.h"

#include <fmt/format.h>

#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/decode_multicast.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// The memory order and scope that a form can have; without `order` there is only .relaxed. Returns
// whether it is that.
bool TakeMbOrder(Cursor* c, Mbarrier* mbarrier, std::string_view order) {
  const bool relaxed = c->Take("relaxed");
  const bool ordered = !relaxed && !order.empty() && c->Take(order);
  const int scope = c->TakeOne({"cta", "cluster"});
  if (relaxed || ordered || scope >= 0) {
    c->Require(scope == 1 ? "the scope .cluster" : "a memory order or scope",
               relaxed && !order.empty() ? 86 : 80, scope == 1 ? 90 : 80);
  }
  mbarrier->scope = scope == 1 ? Scope::kCluster : Scope::kCta;
  return relaxed || order.empty();
}

// .shared, .shared::cta, or none for a generic address; where another CTA's word can be meant (.8)
// .shared::cluster too. Returns whether it is the latter.
bool TakeMbSpace(Cursor* c, Mbarrier* mbarrier, bool may_be_remote) {
  if (may_be_remote && c->Take("shared::cluster")) {
    c->Require(".shared::cluster", 80, 90);
    mbarrier->address.space = Space::kCluster;
    return true;
  }
  mbarrier->address.space = c->Take("shared") ? Space::kShared
                            : c->Take("shared::cta")
                                ? (c->Require(".shared::cta", 78, 80), Space::kShared)
                                : Space::kGeneric;
  return false;
}

// PTX ISA 9.4, 9.7.15.16.14 to .17: the operation goes to several CTAs of the cluster, whose mask
// is the last operand. Returns whether it does.
bool TakeMbMulticast(Cursor* c, Mbarrier* mbarrier) {
  if (!TakeWideMulticast(c)) {
    return false;
  }
  if (mbarrier->address.space == Space::kShared) {
    c->Fail(fmt::format("{} lacks .shared::cluster", c->Spelling()));
  }
  return true;
}

// The type, which is always there, and the last modifier.
bool MbOperands(Cursor* c, std::size_t least, std::size_t most) {
  if (!c->Take("b64")) {
    c->Fail(fmt::format("{} lacks .b64", c->Spelling()));
  }
  return c->ExpectOperands(least, most);
}

// (.1) An mbarrier is in shared memory.
void MbAddress(Cursor* c, Mbarrier* mbarrier, const Operand& operand) {
  mbarrier->address = c->AddressIn(operand, mbarrier->address.space);
  if (!IsShared(mbarrier->address.space) && mbarrier->address.space != Space::kGeneric) {
    c->Fail(operand.at, fmt::format("{} takes an address in shared memory", c->Spelling()));
  }
}

// (.2) What can be seen of an operand without running.
void CheckMbNumber(Cursor* c, const Operand& operand, std::uint32_t least, std::string_view what,
                   std::uint32_t most = kMaxMbCount) {
  if (operand.kind == Kind::kInteger && (operand.value < least || operand.value > most)) {
    c->Misuse(operand.at, fmt::format("the {} {} is not within {} to {}", what,
                                      static_cast<std::int64_t>(operand.value), least, most));
  }
}

// (9.4: .2) .layout::v0 or .layout::v1: 0, 1, or -1 if none is there.
int TakeMbLayout(Cursor* c) {
  const int layout = c->TakeOne({"layout::v0", "layout::v1"});
  if (layout >= 0) {
    c->Require("a layout of mbarriers", 93, 90);
  }
  return layout;
}

// (.9, .10)
void MbInit(Cursor* c, Mbarrier* mbarrier) {
  c->Require("mbarrier", 70, 80);
  const bool init = mbarrier->op == MbOp::kInit;
  mbarrier->v1 = init && TakeMbLayout(c) == 1;
  TakeMbSpace(c, mbarrier, false);
  if (!MbOperands(c, init ? 2 : 1, init ? 2 : 1)) {
    return;
  }
  MbAddress(c, mbarrier, c->operand(0));
  if (init) {
    mbarrier->operand = c->Source(c->operand(1), Type::kU32);
    CheckMbNumber(c, c->operand(1), 1, "count", mbarrier->v1 ? kMaxMbCountV1 : kMaxMbCount);
  }
}

// (9.4: .21)
void MbCheckLayout(Cursor* c, Mbarrier* mbarrier) {
  c->Require("mbarrier.check_layout", 93, 90);
  mbarrier->op = MbOp::kTestWait;
  mbarrier->asks = MbAsks::kLayout;
  const int layout = TakeMbLayout(c);
  if (layout < 0) {
    c->Fail(fmt::format("{} lacks .layout::v0 or .layout::v1", c->Spelling()));
    return;
  }
  TakeMbSpace(c, mbarrier, false);
  if (!MbOperands(c, 2, 2)) {
    return;
  }
  c->RefuseSink(c->operand(0));
  mbarrier->d = c->Destination(c->operand(0), Type::kPred);
  MbAddress(c, mbarrier, c->operand(1));
  mbarrier->operand = c->Literal(layout == 1 ? 1 : 0);
}

// (.11, .12)
void MbTransactions(Cursor* c, Mbarrier* mbarrier) {
  c->Require(c->Spelling(), 80, 90);
  TakeMbOrder(c, mbarrier, "");
  TakeMbSpace(c, mbarrier, true);
  const bool multicast = TakeMbMulticast(c, mbarrier);
  if (!MbOperands(c, multicast ? 3 : 2, multicast ? 3 : 2)) {
    return;
  }
  MbAddress(c, mbarrier, c->operand(0));
  mbarrier->operand = c->Source(c->operand(1), Type::kU32);
  CheckMbNumber(c, c->operand(1), 0, "number of bytes");
  mbarrier->ctas = multicast ? c->Source(c->operand(2), Type::kB32) : kNoSlot;
}

// (.13, .14)
void MbArrive(Cursor* c, Mbarrier* mbarrier, bool drop) {
  c->Require("mbarrier", 70, 80);
  const int form = c->TakeOne({"noComplete", "expect_tx"});
  const bool no_complete = form == 0;
  const bool expects = form == 1;
  if (no_complete) {
    const bool release = c->Take("release");
    if (c->Take("cta") || release) {
      c->Require(c->Spelling(), 80, 80);
    }
  } else {
    mbarrier->releasing = !TakeMbOrder(c, mbarrier, "release");
  }
  mbarrier->releasing |= no_complete;
  const bool remote = TakeMbSpace(c, mbarrier, !no_complete);
  const bool multicast = !no_complete && TakeMbMulticast(c, mbarrier);
  const auto plain = drop ? MbOp::kArriveDrop : MbOp::kArrive;
  mbarrier->op =
      static_cast<MbOp>(static_cast<unsigned>(plain) + (no_complete ? 1 : 0) + (expects ? 2 : 0));
  const std::size_t masks = multicast ? 1 : 0;
  if (!MbOperands(c, (no_complete || expects ? 3 : 2) + masks, 3 + masks)) {
    return;
  }
  const bool has_operand = c->operands().size() == 3 + masks;
  if (expects) {
    c->Require(".expect_tx", 80, 90);
  } else if (has_operand && !no_complete) {
    c->Require("a count without .noComplete", 78, 90);
  }
  const bool sinks = c->operand(0).kind == Kind::kName && c->operand(0).name == "_";
  if (sinks && !drop) {
    c->Require("the sink symbol _", 71, 80);
  }
  if (!sinks && (remote || multicast)) {
    c->Fail(c->operand(0).at,
            fmt::format("{} returns no state: its destination is _", c->Spelling()));
    return;
  }
  if (!sinks) {
    mbarrier->d = c->Destination(c->operand(0), Type::kB64);
  }
  MbAddress(c, mbarrier, c->operand(1));
  mbarrier->operand = has_operand ? c->Source(c->operand(2), Type::kU32) : c->Literal(1);
  if (has_operand) {
    CheckMbNumber(c, c->operand(2), expects ? 0 : 1, expects ? "number of bytes" : "count");
  }
  mbarrier->ctas = multicast ? c->Source(c->operands().back(), Type::kB32) : kNoSlot;
}

// (9.4: .19) waitComplete|reportPredicate and, perhaps, the operand reportValue after it. Returns
// whether that is there.
bool TakeMbReport(Cursor* c, Mbarrier* mbarrier, bool primary) {
  const Operand& first = c->operand(0);
  if (first.second.empty()) {
    return false;
  }
  if (!primary) {
    c->Fail(first.at,
            fmt::format("{} has no report: it lacks .phase_type::primary", c->Spelling()));
  }
  mbarrier->report_predicate = c->SecondDestination(first, Type::kPred);
  if (c->operand(1).kind == Kind::kAddress) {
    return false;
  }
  mbarrier->report_value = c->Destination(c->operand(1), Type::kB8, true);
  return true;
}

// (.16)
void MbWait(Cursor* c, Mbarrier* mbarrier, bool tries) {
  c->Require(tries ? "mbarrier.try_wait" : "mbarrier", tries ? 78 : 70, tries ? 90 : 80);
  const bool parity = c->Take("parity");
  if (parity) {
    c->Require(".parity", 71, 80);
  }
  const int phase = c->TakeOne({"phase_type::primary", "phase_type::conditional"});
  if (phase >= 0) {
    c->Require(".phase_type", 93, 90);
  }
  if (phase == 1) {
    mbarrier->asks = MbAsks::kConditional;
    if (!parity) {
      c->Fail(fmt::format("{} lacks .parity", c->Spelling()));
    }
  }
  mbarrier->acquiring = !TakeMbOrder(c, mbarrier, "acquire");
  TakeMbSpace(c, mbarrier, false);
  mbarrier->op = static_cast<MbOp>(static_cast<unsigned>(MbOp::kTestWait) + (parity ? 1 : 0) +
                                   (tries ? 2 : 0));
  if (!MbOperands(c, 3, tries ? 5 : 4)) {
    return;
  }
  c->RefuseSink(c->operand(0));
  mbarrier->d = c->Destination(c->operand(0), Type::kPred);
  const std::size_t at = TakeMbReport(c, mbarrier, phase == 0) ? 2 : 1;  // of the address
  const std::size_t count = c->operands().size();
  if (count < at + 2 || count > at + (tries ? 3 : 2)) {
    c->Fail(fmt::format("{} has another number of operands", c->Spelling()));
    return;
  }
  MbAddress(c, mbarrier, c->operand(at));
  mbarrier->operand = c->Source(c->operand(at + 1), parity ? Type::kU32 : Type::kB64);
  if (parity && c->operand(at + 1).kind == Kind::kInteger && c->operand(at + 1).value > 1) {
    c->Misuse(c->operand(at + 1).at, "a phase parity is 0 or 1");
  }
  if (count == at + 3) {
    mbarrier->hint = c->Source(c->operand(at + 2), Type::kU32);
  }
}

// (.17)
void MbPendingCount(Cursor* c, Instruction* out) {
  c->Require("mbarrier", 70, 80);
  out->op = Op::kPendingCount;
  if (TakeMbLayout(c) == 1) {
    c->Fail(fmt::format("{} is of .layout::v0 alone", c->Spelling()));
  }
  if (!c->Take("b64")) {
    c->Fail(fmt::format("{} lacks .b64", c->Spelling()));
  }
  if (c->ExpectOperands(2)) {
    auto& i = out->Make<BitOperation>();
    i.type = Type::kB64;
    c->RefuseSink(c->operand(0));
    i.d = c->Destination(c->operand(0), Type::kU32);
    i.a[0] = c->Source(c->operand(1), Type::kB64);
  }
}

}  // namespace

void DecodeMbarrier(Cursor* c, Instruction* out) {
  auto& mbarrier = out->Make<Mbarrier>();
  switch (c->TakeOne({"init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx",
                      "test_wait", "try_wait", "pending_count", "check_layout"})) {
    case 0:
      mbarrier.op = MbOp::kInit;
      return MbInit(c, &mbarrier);
    case 1:
      mbarrier.op = MbOp::kInval;
      return MbInit(c, &mbarrier);
    case 2:
      return MbArrive(c, &mbarrier, false);
    case 3:
      return MbArrive(c, &mbarrier, true);
    case 4:
      mbarrier.op = MbOp::kExpectTx;
      return MbTransactions(c, &mbarrier);
    case 5:
      mbarrier.op = MbOp::kCompleteTx;
      return MbTransactions(c, &mbarrier);
    case 6:
      return MbWait(c, &mbarrier, false);
    case 7:
      return MbWait(c, &mbarrier, true);
    case 8:
      return MbPendingCount(c, out);
    case 9:
      return MbCheckLayout(c, &mbarrier);
    default:
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
}

// (.15)
void DecodeCopyArrive(Cursor* c, Instruction* out) {
  out->op = Op::kMbarrier;
  c->Require("cp.async.mbarrier.arrive", 70, 80);
  if (!c->Take("arrive")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  auto& mbarrier = out->Make<Mbarrier>();
  mbarrier.op = c->Take("noinc") ? MbOp::kCopyArriveNoInc : MbOp::kCopyArrive;
  TakeMbSpace(c, &mbarrier, false);
  if (MbOperands(c, 1, 1)) {
    MbAddress(c, &mbarrier, c->operand(0));
  }
}

}  // namespace muster::ptx
