// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: instructions of a warp and of a CTA.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/operation.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

// Without .sync an instruction is one of the lanes that happen to be together, which targets since
// sm_70 do not have.
bool Decoder::TakeSync() {
  const bool sync = Take("sync");
  if (sync) {
    Require(Spelling(), 60, 30);
  } else if (target_ >= 70 && version_ >= 64) {
    Misuse(at_, fmt::format("{} without .sync is not for .target sm_70 and above", Spelling()));
  }
  return sync;
}

// The mask of the lanes that take part.
void Decoder::Members(std::size_t operand) { out_.a[0] = Source(Arg(operand), Type::kB32); }

void Decoder::ActiveMask() {
  Require("activemask", 62, 30);
  out_.type = TakeType({Type::kB32});
  if (!Count(1, 1)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
}

void Decoder::Vote() {
  constexpr WarpOp kModes[] = {WarpOp::kAll, WarpOp::kAny, WarpOp::kUniform, WarpOp::kBallot};
  const bool sync = TakeSync();
  const int mode = TakeOne({"all", "any", "uni", "ballot"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .all, .any, .uni or .ballot", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(kModes[mode]);
  const Type type =
      kModes[mode] == WarpOp::kBallot ? TakeType({Type::kB32}) : TakeType({Type::kPred});
  if (!Count(sync ? 3 : 2, sync ? 3 : 2)) {
    return;
  }
  out_.type = Type::kPred;
  RefuseSink(Arg(0));
  out_.d[0] = Destination(Arg(0), type);
  out_.a[1] = Predicate(Arg(1));
  out_.negated = Arg(1).negated;
  if (sync) {
    Members(2);
  }
}

void Decoder::Match() {
  Require("match", 60, 70);
  const int mode = TakeOne({"any", "all"});
  if (mode < 0 || !Take("sync")) {
    Fail(at_, fmt::format("{} lacks .any or .all, or .sync", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(mode == 0 ? WarpOp::kMatchAny : WarpOp::kMatchAll);
  out_.type = TakeType({Type::kB32, Type::kB64});
  if (!Count(3, 3)) {
    return;
  }
  if (mode == 0 && !Arg(0).second.empty()) {
    Fail(Arg(0).at, "match.any has no predicate");
  }
  if (mode == 0 || Arg(0).second == "_") {
    RefuseSink(Arg(0));
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  out_.d[1] = SecondDestination(Arg(0), Type::kPred);
  out_.a[1] = Source(Arg(1), out_.type);
  Members(2);
}

void Decoder::Shuffle() {
  constexpr WarpOp kModes[] = {WarpOp::kShuffleUp, WarpOp::kShuffleDown, WarpOp::kShuffleButterfly,
                               WarpOp::kShuffleIndex};
  const bool sync = TakeSync();
  const int mode = TakeOne({"up", "down", "bfly", "idx"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .up, .down, .bfly or .idx", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(kModes[mode]);
  out_.type = TakeType({Type::kB32});
  if (!Count(sync ? 5 : 4, sync ? 5 : 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  out_.d[1] = SecondDestination(Arg(0), Type::kPred);
  for (std::size_t i = 1; i <= 3; ++i) {
    out_.a[i] = Source(Arg(i), Type::kB32);
  }
  if (sync) {
    Members(4);
  }
}

void Decoder::Reduce() {
  constexpr WarpOp kModes[] = {WarpOp::kReduceAdd, WarpOp::kReduceMin, WarpOp::kReduceMax,
                               WarpOp::kReduceAnd, WarpOp::kReduceOr,  WarpOp::kReduceXor};
  Require("redux", 70, 80);
  const int mode = TakeOne({"add", "min", "max", "and", "or", "xor"});
  if (mode < 0 || !Take("sync")) {
    Fail(at_, fmt::format("{} lacks its operation or .sync", Spelling()));
    return;
  }
  const WarpOp op = kModes[mode];
  out_.mode = static_cast<std::uint8_t>(op);
  if (op >= WarpOp::kReduceAnd) {
    out_.type = TakeType({Type::kB32});
  } else if (op == WarpOp::kReduceAdd) {
    out_.type = TakeType({Type::kU32, Type::kS32});
  } else {
    out_.type = TakeType({Type::kU32, Type::kS32, Type::kF32});
  }
  if (out_.type == Type::kF32) {
    Require("redux of .f32", 86, 100);
    RequireVariant("redux of .f32", 100, 103);
    out_.magnitude = Take("abs");
    out_.keeps_nan = Take("NaN");
  }
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  out_.a[1] = Source(Arg(1), out_.type);
  Members(2);
}

void Decoder::Elect() {
  Require("elect", 80, 90);
  out_.mode = static_cast<std::uint8_t>(WarpOp::kElect);
  if (!Take("sync")) {
    Fail(at_, "elect lacks .sync");
  }
  if (!Count(2, 2)) {
    return;
  }
  if (Arg(0).second.empty() || Arg(0).second == "_") {
    Fail(Arg(0).at, "elect.sync lacks its predicate");
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  out_.d[1] = SecondDestination(Arg(0), Type::kPred);
  Members(1);
}

void Decoder::BarrierWarp() {
  out_.op = Op::kExchange;
  out_.mode = static_cast<std::uint8_t>(WarpOp::kSync);
  Require("bar.warp.sync", 60, 30);
  if (!Take("sync")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  if (Count(1, 1)) {
    Members(0);
  }
}

// What can be seen of a barrier's operands without running.
void Decoder::CheckBarrier(const Operand& id, const Operand* count, OpKind kind) {
  const bool arrives = kind == OpKind::kArrive;
  if (id.kind == Kind::kInteger && id.value >= kNumBars) {
    Misuse(id.at, fmt::format("there is no barrier {}: they are 0 to {}",
                              static_cast<std::int64_t>(id.value), kNumBars - 1));
  }
  if (id.kind != Kind::kInteger || count != nullptr || kind != OpKind::kSync) {
    Require(Spelling() + " with such operands", 20, 20);
  }
  if (count == nullptr || count->kind != Kind::kInteger) {
    return;
  }
  if (count->value % kWarpSize != 0) {
    Misuse(count->at, fmt::format("the thread count {} is not a multiple of {}",
                                  static_cast<std::int64_t>(count->value), kWarpSize));
  } else if (arrives && count->value == 0) {
    Misuse(count->at, fmt::format("{} needs a thread count that is not zero", Spelling()));
  } else if (count->value > std::uint64_t{kMaxWarps} * kWarpSize) {
    const auto value = static_cast<std::int64_t>(count->value);
    Misuse(count->at, fmt::format("the thread count {} is {}", value,
                                  value < 0 ? "below zero" : "more than a CTA has"));
  }
}

void Decoder::ClusterBarrier() {
  const int form = TakeOne({"arrive", "wait"});
  if (form < 0) {
    Fail(at_, fmt::format("{} lacks .arrive or .wait", Spelling()));
    return;
  }
  const int order = form == 0 ? TakeOne({"release", "relaxed"}) : TakeOne({"acquire"});
  const bool ordered = order >= 0;
  Require(Spelling(), ordered ? 80 : 78, 90);
  out_.op = Op::kClusterBarrier;
  out_.mode = static_cast<std::uint8_t>(form == 1    ? ClusterOp::kWait
                                        : order == 1 ? ClusterOp::kArriveRelaxed
                                                     : ClusterOp::kArrive);
  out_.aligned = Take("aligned");
  Count(0, 0);
}

void Decoder::Barrier() {
  const bool bar = syntax_->opcode == "bar";
  if (bar && Take("warp")) {
    BarrierWarp();
    return;
  }
  if (!bar) {
    Require("barrier", 60, 30);
  }
  const std::vector<std::string_view>& modifiers = syntax_->modifiers;
  if (!bar && !modifiers.empty() && modifiers.front() == "cluster" && Take("cluster")) {
    ClusterBarrier();
    return;
  }
  if (Take("cta")) {
    Require(".cta", 78, 20);
  }
  const std::string_view first_left = left_.empty() ? "" : left_.front();
  if (first_left != "sync" && first_left != "arrive" && first_left != "red") {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  const int form = TakeOne({"sync", "arrive", "red"});
  const bool reduces = form == 2;
  OpKind kind = form == 0 ? OpKind::kSync : OpKind::kArrive;
  Type result = Type::kPred;
  if (reduces) {
    const int op = TakeOne({"and", "or", "popc"});
    if (op < 0) {
      Fail(at_, fmt::format("{} lacks .popc, .and or .or", Spelling()));
      return;
    }
    kind = op == 0 ? OpKind::kRedAnd : op == 1 ? OpKind::kRedOr : OpKind::kRedPopc;
    result = kind == OpKind::kRedPopc ? Type::kU32 : Type::kPred;
    TakeType({result});
  }
  // Up to sm_6x, a warp comes to every barrier as one.
  out_.aligned = bar || Take("aligned") || target_ < 70;
  out_.mode = static_cast<std::uint8_t>(kind);
  out_.type = result;
  const std::size_t first = reduces ? 1 : 0;
  if (!Count(reduces ? 3 : kind == OpKind::kArrive ? 2 : 1, reduces ? 4 : 2)) {
    return;
  }
  const std::size_t last = syntax_->operands.size() - (reduces ? 1 : 0);
  const Operand* const count = first + 1 < last ? &Arg(first + 1) : nullptr;
  CheckBarrier(Arg(first), count, kind);
  out_.a[0] = Source(Arg(first), Type::kU32);
  out_.a[1] = count != nullptr ? Source(*count, Type::kU32) : LiteralOf(0);
  if (reduces) {
    RefuseSink(Arg(0));
    out_.d[0] = Destination(Arg(0), result);
    out_.a[2] = Predicate(Arg(last));
    out_.negated = Arg(last).negated;
  }
}

// wgmma.fence, wgmma.commit_group, wgmma.wait_group: they order the matrix instructions of a group
// of warps, of which there are none here. That the lanes of a warp wait for each other is left.
void Decoder::MatrixOrder() {
  const int what = TakeOne({"fence", "commit_group", "wait_group"});
  if (what < 0) {
    Fail(at_,
         fmt::format("the instruction {} is not supported: there are no tensor cores", Spelling()));
    return;
  }
  if (!Take("sync") || !Take("aligned")) {
    Fail(at_, fmt::format("{} lacks .sync.aligned", Spelling()));
    return;
  }
  if (version_ < 80) {
    Require(Spelling(), 80, 90);
  } else if (target_ != 90 || variant_ != 'a') {
    Misuse(at_, fmt::format("{} needs .target sm_90a", Spelling()));
  }
  const bool waits = what == 2;
  if (!Count(waits ? 1 : 0, waits ? 1 : 0)) {
    return;
  }
  if (waits && Arg(0).kind != Kind::kInteger) {
    Fail(Arg(0).at, fmt::format("{} takes a number of groups", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(WarpOp::kSync);
  out_.a[0] = LiteralOf(0xffffffffU);
}

}  // namespace muster::ptx
