// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: barriers of a CTA and of a cluster.
#include "sim/ptx/program/decode_barrier.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/decode_warp.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// What can be seen of a barrier's operands without running.
void CheckBarrier(Cursor* c, const Operand& id, const Operand* count, OpKind kind) {
  const bool arrives = kind == OpKind::kArrive;
  if (id.kind == Kind::kInteger && id.value >= kNumBars) {
    c->Misuse(id.at, fmt::format("there is no barrier {}: they are 0 to {}",
                                 static_cast<std::int64_t>(id.value), kNumBars - 1));
  }
  if (id.kind != Kind::kInteger || count != nullptr || kind != OpKind::kSync) {
    c->Require(c->Spelling() + " with such operands", 20, 20);
  }
  if (count == nullptr || count->kind != Kind::kInteger) {
    return;
  }
  if (count->value % kWarpSize != 0) {
    c->Misuse(count->at, fmt::format("the thread count {} is not a multiple of {}",
                                     static_cast<std::int64_t>(count->value), kWarpSize));
  } else if (arrives && count->value == 0) {
    c->Misuse(count->at, fmt::format("{} needs a thread count that is not zero", c->Spelling()));
  } else if (count->value > std::uint64_t{kMaxWarps} * kWarpSize) {
    const auto value = static_cast<std::int64_t>(count->value);
    c->Misuse(count->at, fmt::format("the thread count {} is {}", value,
                                     value < 0 ? "below zero" : "more than a CTA has"));
  }
}

void DecodeClusterBarrier(Cursor* c, Instruction* out) {
  const int form = c->TakeOne({"arrive", "wait"});
  if (form < 0) {
    c->Fail(fmt::format("{} lacks .arrive or .wait", c->Spelling()));
    return;
  }
  const int order = form == 0 ? c->TakeOne({"release", "relaxed"}) : c->TakeOne({"acquire"});
  const bool ordered = order >= 0;
  c->Require(c->Spelling(), ordered ? 80 : 78, 90);
  out->op = Op::kClusterBarrier;
  auto& barrier = out->Make<ClusterBarrier>();
  barrier.op = form == 1    ? ClusterForm::kWait
               : order == 1 ? ClusterForm::kArriveRelaxed
                            : ClusterForm::kArrive;
  barrier.aligned = c->Take("aligned");
  c->ExpectOperands(0);
}

}  // namespace

void DecodeBarrier(Cursor* c, Instruction* out) {
  const bool bar = c->opcode() == "bar";
  if (bar && c->Take("warp")) {
    DecodeBarrierWarp(c, out);
    return;
  }
  if (!bar) {
    c->Require("barrier", 60, 30);
  }
  const std::vector<std::string_view>& modifiers = c->modifiers();
  if (!bar && !modifiers.empty() && modifiers.front() == "cluster" && c->Take("cluster")) {
    DecodeClusterBarrier(c, out);
    return;
  }
  if (c->Take("cta")) {
    c->Require(".cta", 78, 20);
  }
  const std::string_view first_left = c->left().empty() ? "" : c->left().front();
  if (first_left != "sync" && first_left != "arrive" && first_left != "red") {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  const int form = c->TakeOne({"sync", "arrive", "red"});
  const bool reduces = form == 2;
  OpKind kind = form == 0 ? OpKind::kSync : OpKind::kArrive;
  Type result = Type::kPred;
  if (reduces) {
    const int op = c->TakeOne({"and", "or", "popc"});
    if (op < 0) {
      c->Fail(fmt::format("{} lacks .popc, .and or .or", c->Spelling()));
      return;
    }
    kind = op == 0 ? OpKind::kRedAnd : op == 1 ? OpKind::kRedOr : OpKind::kRedPopc;
    result = kind == OpKind::kRedPopc ? Type::kU32 : Type::kPred;
    c->TakeType({result});
  }
  // Up to sm_6x, a warp comes to every barrier as one.
  auto& barrier = out->Make<CtaBarrier>();
  barrier.aligned = bar || c->Take("aligned") || c->target().architecture < 70;
  barrier.kind = kind;
  const std::size_t first = reduces ? 1 : 0;
  if (!c->ExpectOperands(reduces ? 3 : kind == OpKind::kArrive ? 2 : 1, reduces ? 4 : 2)) {
    return;
  }
  const std::size_t last = c->operands().size() - (reduces ? 1 : 0);
  const Operand* const count = first + 1 < last ? &c->operand(first + 1) : nullptr;
  CheckBarrier(c, c->operand(first), count, kind);
  barrier.id = c->Source(c->operand(first), Type::kU32);
  barrier.count = count != nullptr ? c->Source(*count, Type::kU32) : c->Literal(0);
  if (reduces) {
    c->RefuseSink(c->operand(0));
    barrier.d = c->Destination(c->operand(0), result);
    barrier.predicate = c->Predicate(c->operand(last));
    barrier.negated = c->operand(last).negated;
  }
}

}  // namespace muster::ptx
