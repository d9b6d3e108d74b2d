// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: instructions of a warp.
#include "sim/ptx/program/decode_warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

// Without .sync an instruction is one of the lanes that happen to be together, which targets since
// sm_70 do not have.
bool TakeSync(Cursor* c) {
  const bool sync = c->Take("sync");
  if (sync) {
    c->Require(c->Spelling(), 60, 30);
  } else if (c->target().architecture >= 70 && c->target().version >= 64) {
    c->Misuse(fmt::format("{} without .sync is not for .target sm_70 and above", c->Spelling()));
  }
  return sync;
}

// The mask of the lanes that take part.
Slot Members(Cursor* c, std::size_t operand) { return c->Source(c->operand(operand), Type::kB32); }

}  // namespace

void DecodeActiveMask(Cursor* c, Instruction* out) {
  c->Require("activemask", 62, 30);
  c->TakeType({Type::kB32});
  if (!c->ExpectOperands(1)) {
    return;
  }
  out->Make<ActiveMask>().d = c->Destination(c->operand(0), Type::kB32);
}

void DecodeVote(Cursor* c, Instruction* out) {
  constexpr WarpOp kModes[] = {WarpOp::kVoteAll, WarpOp::kVoteAny, WarpOp::kVoteUni,
                               WarpOp::kBallot};
  const bool sync = TakeSync(c);
  const int mode = c->TakeOne({"all", "any", "uni", "ballot"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .all, .any, .uni or .ballot", c->Spelling()));
    return;
  }
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = kModes[mode];
  const Type type =
      kModes[mode] == WarpOp::kBallot ? c->TakeType({Type::kB32}) : c->TakeType({Type::kPred});
  if (!c->ExpectOperands(sync ? 3 : 2)) {
    return;
  }
  c->RefuseSink(c->operand(0));
  exchange.d = c->Destination(c->operand(0), type);
  exchange.value = c->Predicate(c->operand(1));
  exchange.negated = c->operand(1).negated;
  if (sync) {
    exchange.members = Members(c, 2);
  }
}

void DecodeMatch(Cursor* c, Instruction* out) {
  c->Require("match", 60, 70);
  const int mode = c->TakeOne({"any", "all"});
  if (mode < 0 || !c->Take("sync")) {
    c->Fail(fmt::format("{} lacks .any or .all, or .sync", c->Spelling()));
    return;
  }
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = mode == 0 ? WarpOp::kMatchAny : WarpOp::kMatchAll;
  const Type type = c->TakeType({Type::kB32, Type::kB64});
  exchange.mode = static_cast<std::uint8_t>(type == Type::kB64 ? MatchMode::kB64 : MatchMode::kB32);
  if (!c->ExpectOperands(3)) {
    return;
  }
  if (mode == 0 && !c->operand(0).second.empty()) {
    c->Fail(c->operand(0).at, "match.any has no predicate");
  }
  if (mode == 0 || c->operand(0).second == "_") {
    c->RefuseSink(c->operand(0));
  }
  exchange.d = c->Destination(c->operand(0), Type::kB32);
  exchange.predicate = c->SecondDestination(c->operand(0), Type::kPred);
  exchange.value = c->Source(c->operand(1), type);
  exchange.members = Members(c, 2);
}

void DecodeShuffle(Cursor* c, Instruction* out) {
  constexpr ShuffleMode kModes[] = {ShuffleMode::kUp, ShuffleMode::kDown, ShuffleMode::kBfly,
                                    ShuffleMode::kIdx};
  const bool sync = TakeSync(c);
  const int mode = c->TakeOne({"up", "down", "bfly", "idx"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .up, .down, .bfly or .idx", c->Spelling()));
    return;
  }
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = WarpOp::kShuffle;
  exchange.mode = static_cast<std::uint8_t>(kModes[mode]);
  c->TakeType({Type::kB32});
  if (!c->ExpectOperands(sync ? 5 : 4)) {
    return;
  }
  exchange.d = c->Destination(c->operand(0), Type::kB32);
  exchange.predicate = c->SecondDestination(c->operand(0), Type::kPred);
  exchange.value = c->Source(c->operand(1), Type::kB32);
  exchange.from = c->Source(c->operand(2), Type::kB32);
  exchange.clamp = c->Source(c->operand(3), Type::kB32);
  if (sync) {
    exchange.members = Members(c, 4);
  }
}

void DecodeReduce(Cursor* c, Instruction* out) {
  constexpr WarpOp kModes[] = {WarpOp::kReduxAdd, WarpOp::kReduxMin, WarpOp::kReduxMax,
                               WarpOp::kReduxAnd, WarpOp::kReduxOr,  WarpOp::kReduxXor};
  c->Require("redux", 70, 80);
  const int mode = c->TakeOne({"add", "min", "max", "and", "or", "xor"});
  if (mode < 0 || !c->Take("sync")) {
    c->Fail(fmt::format("{} lacks its operation or .sync", c->Spelling()));
    return;
  }
  const WarpOp op = kModes[mode];
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = op;
  const Type type = op >= WarpOp::kReduxAnd   ? c->TakeType({Type::kB32})
                    : op == WarpOp::kReduxAdd ? c->TakeType({Type::kU32, Type::kS32})
                                              : c->TakeType({Type::kU32, Type::kS32, Type::kF32});
  exchange.mode = static_cast<std::uint8_t>(type == Type::kF32   ? ReduxMode::kF32
                                            : type == Type::kS32 ? ReduxMode::kS32
                                                                 : ReduxMode::kU32);
  if (type == Type::kF32) {
    c->Require("redux of .f32", 86, 100);
    c->RequireVariant("redux of .f32", 100, 103);
    exchange.abs = c->Take("abs");
    exchange.nan = c->Take("NaN");
  }
  if (!c->ExpectOperands(3)) {
    return;
  }
  exchange.d = c->Destination(c->operand(0), Type::kB32);
  exchange.value = c->Source(c->operand(1), type);
  exchange.members = Members(c, 2);
}

void DecodeElect(Cursor* c, Instruction* out) {
  c->Require("elect", 80, 90);
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = WarpOp::kElect;
  if (!c->Take("sync")) {
    c->Fail("elect lacks .sync");
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  if (c->operand(0).second.empty() || c->operand(0).second == "_") {
    c->Fail(c->operand(0).at, "elect.sync lacks its predicate");
  }
  exchange.d = c->Destination(c->operand(0), Type::kB32);
  exchange.predicate = c->SecondDestination(c->operand(0), Type::kPred);
  exchange.members = Members(c, 1);
}

void DecodeBarrierWarp(Cursor* c, Instruction* out) {
  out->op = Op::kExchange;
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = WarpOp::kSync;
  c->Require("bar.warp.sync", 60, 30);
  if (!c->Take("sync")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  if (c->ExpectOperands(1)) {
    exchange.members = Members(c, 0);
  }
}

}  // namespace muster::ptx
