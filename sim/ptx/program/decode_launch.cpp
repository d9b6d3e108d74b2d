// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: clusterlaunchcontrol (PTX ISA 9.7.13.17 and 18).
#include "sim/ptx/program/decode_launch.h"

#include <fmt/format.h>

namespace muster::ptx {

namespace {

using Kind = syntax::Operand::Kind;

void TryCancel(Cursor* c, Instruction* out) {
  for (const char* const part : {"async", "mbarrier::complete_tx::bytes", "b128"}) {
    if (!c->Take(part)) {
      c->Fail(fmt::format("{} lacks .{}", c->Spelling(), part));
    }
  }
  const Space space = c->Take("shared::cta") ? Space::kShared : Space::kGeneric;
  auto& request = out->Make<CancelRequest>();
  request.space = space;
  request.multicast = c->Take("multicast::cluster::all");
  if (request.multicast) {
    c->RequireVariant(".multicast::cluster::all", 100, 129);
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  request.response = c->AddressValue(c->operand(0), space);
  request.mbarrier = c->AddressValue(c->operand(1), space);
}

void QueryCancel(Cursor* c, Instruction* out) {
  out->op = Op::kQueryCancel;
  const bool asks = c->Take("is_canceled");
  const int part = asks ? -1
                        : c->TakeOne({"get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y",
                                      "get_first_ctaid::z"});
  if (!asks && part < 0) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  const bool all = part == 0 && c->Take("v4");
  const Type type = c->TakeType({asks ? Type::kPred : Type::kB32});
  if (!c->Take("b128")) {
    c->Fail(fmt::format("{} lacks .b128", c->Spelling()));
  }
  if (part == 0 && !all) {
    c->Fail(fmt::format("{} lacks .v4, or ::x, ::y or ::z", c->Spelling()));
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  auto& query = out->Make<CancelQuery>();
  query.response = c->Halves(c->operand(1), false);
  if (!all) {
    c->RefuseSink(c->operand(0));
    (asks ? query.is_canceled : query.ctaid[static_cast<std::size_t>(part) - 1]) =
        c->Destination(c->operand(0), type);
    return;
  }
  if (c->operand(0).kind != Kind::kVector || c->operand(0).parts.size() != 4) {
    c->Fail(c->operand(0).at, fmt::format("{} takes 4 registers in braces", c->Spelling()));
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const Slot slot = c->Destination(c->operand(0).parts[i], type);  // the last is left as it is
    if (i < query.ctaid.size()) {
      query.ctaid[i] = slot;
    }
  }
}

}  // namespace

void DecodeLaunchControl(Cursor* c, Instruction* out) {
  c->Require("clusterlaunchcontrol", 86, 100);
  switch (c->TakeOne({"try_cancel", "query_cancel"})) {
    case 0:
      return TryCancel(c, out);
    case 1:
      return QueryCancel(c, out);
    default:
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
}

}  // namespace muster::ptx
