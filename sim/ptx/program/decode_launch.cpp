// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: clusterlaunchcontrol (PTX ISA 9.7.13.17 and 18).
#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/program/decode.h"

namespace muster::ptx {

namespace {

using Kind = syntax::Operand::Kind;

}  // namespace

void Decoder::LaunchControl() {
  Require("clusterlaunchcontrol", 86, 100);
  switch (TakeOne({"try_cancel", "query_cancel"})) {
    case 0:
      return TryCancel();
    case 1:
      return QueryCancel();
    default:
      Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
}

void Decoder::TryCancel() {
  for (const char* const part : {"async", "mbarrier::complete_tx::bytes", "b128"}) {
    if (!Take(part)) {
      Fail(at_, fmt::format("{} lacks .{}", Spelling(), part));
    }
  }
  const Space space = Take("shared::cta") ? Space::kShared : Space::kGeneric;
  out_.mode = Take("multicast::cluster::all") ? 1 : 0;
  if (out_.mode != 0) {
    RequireVariant(".multicast::cluster::all", 100, 129);
  }
  if (!Count(2, 2)) {
    return;
  }
  const Slot to = AddressValue(Arg(0), space);
  const Slot mbarrier = AddressValue(Arg(1), space);
  out_.space = space;
  out_.a[0] = to;
  out_.a[1] = mbarrier;
}

void Decoder::QueryCancel() {
  out_.op = Op::kQueryCancel;
  const bool asks = Take("is_canceled");
  const int part = asks ? -1
                        : TakeOne({"get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y",
                                   "get_first_ctaid::z"});
  if (!asks && part < 0) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  const bool all = part == 0 && Take("v4");
  const Type type = TakeType({asks ? Type::kPred : Type::kB32});
  if (!Take("b128")) {
    Fail(at_, fmt::format("{} lacks .b128", Spelling()));
  }
  if (part == 0 && !all) {
    Fail(at_, fmt::format("{} lacks .v4, or ::x, ::y or ::z", Spelling()));
  }
  if (!Count(2, 2)) {
    return;
  }
  const auto response = Halves(Arg(1), false);
  std::copy(response.begin(), response.end(), out_.a.begin());
  if (!all) {
    RefuseSink(Arg(0));
    out_.d[asks ? 0 : part] = Destination(Arg(0), type);
    return;
  }
  if (Arg(0).kind != Kind::kVector || Arg(0).parts.size() != 4) {
    Fail(Arg(0).at, fmt::format("{} takes 4 registers in braces", Spelling()));
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const Slot slot = Destination(Arg(0).parts[i], type);  // the last is left as it is
    out_.d[i + 1] = i < 3 ? slot : kNoSlot;
  }
}

}  // namespace muster::ptx
