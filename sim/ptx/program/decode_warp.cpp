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
void Members(Cursor* c, Instruction* out, std::size_t operand) {
  out->a[0] = c->Source(c->operand(operand), Type::kB32);
}

}  // namespace

void DecodeActiveMask(Cursor* c, Instruction* out) {
  c->Require("activemask", 62, 30);
  out->type = c->TakeType({Type::kB32});
  if (!c->ExpectOperands(1)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
}

void DecodeVote(Cursor* c, Instruction* out) {
  constexpr WarpOp kModes[] = {WarpOp::kAll, WarpOp::kAny, WarpOp::kUniform, WarpOp::kBallot};
  const bool sync = TakeSync(c);
  const int mode = c->TakeOne({"all", "any", "uni", "ballot"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .all, .any, .uni or .ballot", c->Spelling()));
    return;
  }
  out->mode = static_cast<std::uint8_t>(kModes[mode]);
  const Type type =
      kModes[mode] == WarpOp::kBallot ? c->TakeType({Type::kB32}) : c->TakeType({Type::kPred});
  if (!c->ExpectOperands(sync ? 3 : 2)) {
    return;
  }
  out->type = Type::kPred;
  c->RefuseSink(c->operand(0));
  out->d[0] = c->Destination(c->operand(0), type);
  out->a[1] = c->Predicate(c->operand(1));
  out->negated = c->operand(1).negated;
  if (sync) {
    Members(c, out, 2);
  }
}

void DecodeMatch(Cursor* c, Instruction* out) {
  c->Require("match", 60, 70);
  const int mode = c->TakeOne({"any", "all"});
  if (mode < 0 || !c->Take("sync")) {
    c->Fail(fmt::format("{} lacks .any or .all, or .sync", c->Spelling()));
    return;
  }
  out->mode = static_cast<std::uint8_t>(mode == 0 ? WarpOp::kMatchAny : WarpOp::kMatchAll);
  out->type = c->TakeType({Type::kB32, Type::kB64});
  if (!c->ExpectOperands(3)) {
    return;
  }
  if (mode == 0 && !c->operand(0).second.empty()) {
    c->Fail(c->operand(0).at, "match.any has no predicate");
  }
  if (mode == 0 || c->operand(0).second == "_") {
    c->RefuseSink(c->operand(0));
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
  out->d[1] = c->SecondDestination(c->operand(0), Type::kPred);
  out->a[1] = c->Source(c->operand(1), out->type);
  Members(c, out, 2);
}

void DecodeShuffle(Cursor* c, Instruction* out) {
  constexpr WarpOp kModes[] = {WarpOp::kShuffleUp, WarpOp::kShuffleDown, WarpOp::kShuffleButterfly,
                               WarpOp::kShuffleIndex};
  const bool sync = TakeSync(c);
  const int mode = c->TakeOne({"up", "down", "bfly", "idx"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .up, .down, .bfly or .idx", c->Spelling()));
    return;
  }
  out->mode = static_cast<std::uint8_t>(kModes[mode]);
  out->type = c->TakeType({Type::kB32});
  if (!c->ExpectOperands(sync ? 5 : 4)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
  out->d[1] = c->SecondDestination(c->operand(0), Type::kPred);
  for (std::size_t i = 1; i <= 3; ++i) {
    out->a[i] = c->Source(c->operand(i), Type::kB32);
  }
  if (sync) {
    Members(c, out, 4);
  }
}

void DecodeReduce(Cursor* c, Instruction* out) {
  constexpr WarpOp kModes[] = {WarpOp::kReduceAdd, WarpOp::kReduceMin, WarpOp::kReduceMax,
                               WarpOp::kReduceAnd, WarpOp::kReduceOr,  WarpOp::kReduceXor};
  c->Require("redux", 70, 80);
  const int mode = c->TakeOne({"add", "min", "max", "and", "or", "xor"});
  if (mode < 0 || !c->Take("sync")) {
    c->Fail(fmt::format("{} lacks its operation or .sync", c->Spelling()));
    return;
  }
  const WarpOp op = kModes[mode];
  out->mode = static_cast<std::uint8_t>(op);
  if (op >= WarpOp::kReduceAnd) {
    out->type = c->TakeType({Type::kB32});
  } else if (op == WarpOp::kReduceAdd) {
    out->type = c->TakeType({Type::kU32, Type::kS32});
  } else {
    out->type = c->TakeType({Type::kU32, Type::kS32, Type::kF32});
  }
  if (out->type == Type::kF32) {
    c->Require("redux of .f32", 86, 100);
    c->RequireVariant("redux of .f32", 100, 103);
    out->magnitude = c->Take("abs");
    out->keeps_nan = c->Take("NaN");
  }
  if (!c->ExpectOperands(3)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
  out->a[1] = c->Source(c->operand(1), out->type);
  Members(c, out, 2);
}

void DecodeElect(Cursor* c, Instruction* out) {
  c->Require("elect", 80, 90);
  out->mode = static_cast<std::uint8_t>(WarpOp::kElect);
  if (!c->Take("sync")) {
    c->Fail("elect lacks .sync");
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  if (c->operand(0).second.empty() || c->operand(0).second == "_") {
    c->Fail(c->operand(0).at, "elect.sync lacks its predicate");
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
  out->d[1] = c->SecondDestination(c->operand(0), Type::kPred);
  Members(c, out, 1);
}

void DecodeBarrierWarp(Cursor* c, Instruction* out) {
  out->op = Op::kExchange;
  out->mode = static_cast<std::uint8_t>(WarpOp::kSync);
  c->Require("bar.warp.sync", 60, 30);
  if (!c->Take("sync")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  if (c->ExpectOperands(1)) {
    Members(c, out, 0);
  }
}

// wgmma.fence, wgmma.commit_group, wgmma.wait_group: they order the matrix instructions of a group
// of warps, of which there are none here. That the lanes of a warp wait for each other is left.
void DecodeMatrixOrder(Cursor* c, Instruction* out) {
  const int what = c->TakeOne({"fence", "commit_group", "wait_group"});
  if (what < 0) {
    c->Fail(fmt::format("the instruction {} is not supported: there are no tensor cores",
                        c->Spelling()));
    return;
  }
  if (!c->Take("sync") || !c->Take("aligned")) {
    c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
    return;
  }
  if (c->target().version < 80) {
    c->Require(c->Spelling(), 80, 90);
  } else if (c->target().architecture != 90 || c->target().variant != 'a') {
    c->Misuse(fmt::format("{} needs .target sm_90a", c->Spelling()));
  }
  const bool waits = what == 2;
  if (!c->ExpectOperands(waits ? 1 : 0)) {
    return;
  }
  if (waits && c->operand(0).kind != Kind::kInteger) {
    c->Fail(c->operand(0).at, fmt::format("{} takes a number of groups", c->Spelling()));
    return;
  }
  out->mode = static_cast<std::uint8_t>(WarpOp::kSync);
  out->a[0] = c->Literal(0xffffffffU);
}

}  // namespace muster::ptx
