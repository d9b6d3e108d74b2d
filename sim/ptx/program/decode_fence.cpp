// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: fences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

// What stands between proxies has nothing to add either: there is one, and it is in order.
void Decoder::ProxyFence() {
  const bool membar = syntax_->opcode == "membar";
  if (TakeAny({"tensormap::generic"})) {
    Require(Spelling(), 83, 90);
    const bool acquires = TakeOne({"release", "acquire"}) == 1;
    if (membar || !TakeAny({"cta", "cluster", "gpu", "sys"})) {
      Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    }
    if (!Count(acquires ? 2 : 0, acquires ? 2 : 0) || !acquires) {
      return;
    }
    Address(Arg(0));
    if (out_.space != Space::kGeneric && out_.space != Space::kGlobal) {
      Fail(Arg(0).at, fmt::format("{} is for global memory only", Spelling()));
    }
    if (Arg(1).kind != Kind::kInteger || Arg(1).value != 128) {
      Fail(Arg(1).at, "the size can only be 128");
    }
    return;
  }
  if (Take("async::generic")) {
    Require(Spelling(), 86, 90);
    RestrictedFence();
    return;
  }
  const int kind = TakeOne({"alias", "async"});
  if (kind == 1) {
    TakeAny({"global", "shared::cta", "shared::cluster"});
    Require(Spelling(), 80, 90);
  } else {
    Require(Spelling(), 75, membar ? 60 : 70);
  }
  if (kind < 0) {
    Fail(at_, fmt::format("{} lacks .alias or .async", Spelling()));
  }
  Count(0, 0);
}

// .acquire with .sync_restrict::shared::cluster, .release with that of ::cta, of .cluster scope.
void Decoder::RestrictedFence() {
  const bool acquires = TakeOne({"release", "acquire"}) == 1;
  if (!Take(acquires ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta") ||
      !Take("cluster")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  Count(0, 0);
}

void Decoder::Fence() {
  if (Take("proxy")) {
    ProxyFence();
    return;
  }
  if (syntax_->opcode == "membar") {
    if (!TakeAny({"cta", "gl", "sys"})) {
      Fail(at_, "membar lacks .cta, .gl or .sys");
    }
    Count(0, 0);
    return;
  }
  const auto has = [&](std::string_view modifier) {
    return std::find(left_.begin(), left_.end(), modifier) != left_.end();
  };
  if (has("sync_restrict::shared::cta") || has("sync_restrict::shared::cluster")) {
    Require(Spelling(), 86, 90);
    RestrictedFence();
    return;
  }
  if (Take("mbarrier_init")) {
    Require(Spelling(), 80, 90);
    if (!Take("release") || !Take("cluster")) {
      Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    }
    Count(0, 0);
    return;
  }
  if (TakeOne({"sc", "acq_rel", "acquire", "release"}) >= 2) {
    Require(Spelling(), 86, 90);
  }
  const int scope = TakeOne({"cta", "gpu", "sys", "cluster"});
  if (scope < 0) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  Require(Spelling(), scope == 3 ? 78 : 60, scope == 3 ? 90 : 70);
  Count(0, 0);
}

// tensormap.cp_fenceproxy: a warp copies 128 bytes together; its fence has nothing to add.
void Decoder::CopyFence() {
  if (!Take("cp_fenceproxy")) {
    Fail(at_,
         fmt::format("the instruction {} is not supported: there are no tensor maps", Spelling()));
    return;
  }
  Require("tensormap.cp_fenceproxy", 83, 90);
  const auto at = std::find(left_.begin(), left_.end(), "global");
  if (at == left_.end() || std::next(at) == left_.end() || *std::next(at) != "shared::cta") {
    Fail(at_, fmt::format("{} lacks .global.shared::cta", Spelling()));
    return;
  }
  for (const char* const part :
       {"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"}) {
    if (!Take(part)) {
      Fail(at_, fmt::format("{} lacks .{}", Spelling(), part));
    }
  }
  if (!TakeAny({"cta", "cluster", "gpu", "sys"})) {
    Fail(at_, fmt::format("{} lacks its scope", Spelling()));
  }
  if (!Count(3, 3)) {
    return;
  }
  constexpr unsigned kSize = 128;
  constexpr unsigned kStep = 16;
  if (Arg(2).kind != Kind::kInteger || Arg(2).value != kSize) {
    Fail(Arg(2).at, "the size can only be 128");
    return;
  }
  const Slot to = AddressValue(Arg(0), Space::kGlobal);
  const Slot from = AddressValue(Arg(1), Space::kShared);
  out_.op = Op::kExchange;
  out_.mode = static_cast<std::uint8_t>(WarpOp::kSync);
  out_.a[0] = LiteralOf(0xffffffffU);
  Emit(out_);
  const std::array<Slot, 2> words{Scratch(), Scratch()};
  out_.mode = 0;
  out_.type = out_.source = Type::kB64;
  out_.vector = 2;
  for (unsigned done = 0; done < kSize; done += kStep) {
    if (done != 0) {
      Emit(out_);
    }
    Instruction load = out_;
    load.op = Op::kLoad;
    load.space = Space::kShared;
    load.offset = done;
    load.a[0] = from;
    std::copy(words.begin(), words.end(), load.d.begin());
    Emit(load);
    out_.op = Op::kStore;
    out_.space = Space::kGlobal;
    out_.offset = done;
    out_.a[0] = to;
    std::copy(words.begin(), words.end(), out_.a.begin() + 1);
  }
}

}  // namespace muster::ptx
