// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: fences.
#include "sim/ptx/program/decode_fence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sim/ptx/program/decode_memory.h"
#include "sim/ptx/program/decode_tensor.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// .acquire with .sync_restrict::shared::cluster, .release with that of ::cta, of .cluster scope.
void RestrictedFence(Cursor* c, MemoryFence* fence) {
  const bool acquires = c->TakeOne({"release", "acquire"}) == 1;
  if (!c->Take(acquires ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta") ||
      !c->Take("cluster")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  fence->ordering = {acquires ? Order::kAcquire : Order::kRelease, Scope::kCluster};
  fence->of_shared = true;
  c->ExpectOperands(0);
}

// What stands between proxies has nothing to add for the interpreter: there is one, and it is in
// order.
void ProxyFence(Cursor* c, Instruction* out) {
  const bool membar = c->opcode() == "membar";
  auto& fence = out->As<MemoryFence>();
  if (c->TakeAny({"tensormap::generic"})) {
    c->Require(c->Spelling(), 83, 90);
    const bool acquires = c->TakeOne({"release", "acquire"}) == 1;
    const int scope = c->TakeOne({"cta", "cluster", "gpu", "sys"});
    if (membar || scope < 0) {
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
      return;
    }
    fence.ordering = {acquires ? Order::kAcquire : Order::kRelease, static_cast<Scope>(scope)};
    fence.of_maps = true;
    if (!c->ExpectOperands(acquires ? 2 : 0) || !acquires) {
      return;
    }
    const Address address = c->AddressIn(c->operand(0), Space::kGeneric);
    if (address.space != Space::kGeneric && address.space != Space::kGlobal) {
      c->Fail(c->operand(0).at, fmt::format("{} is for global memory only", c->Spelling()));
    }
    if (c->operand(1).kind != Kind::kInteger || c->operand(1).value != 128) {
      c->Fail(c->operand(1).at, "the size can only be 128");
    }
    fence.address = address;
    return;
  }
  if (c->Take("async::generic")) {
    c->Require(c->Spelling(), 86, 90);
    fence.async = true;
    RestrictedFence(c, &fence);
    return;
  }
  const int kind = c->TakeOne({"alias", "async"});
  if (kind == 1) {
    fence.async = true;
    const int space = c->TakeOne({"global", "shared::cta", "shared::cluster"});
    fence.space = space < 0 ? Space::kGeneric : space == 0 ? Space::kGlobal : Space::kShared;
    c->Require(c->Spelling(), 80, 90);
  } else {
    c->Require(c->Spelling(), 75, membar ? 60 : 70);
  }
  if (kind < 0) {
    c->Fail(fmt::format("{} lacks .alias or .async", c->Spelling()));
  }
  c->ExpectOperands(0);
}

}  // namespace

void DecodeFence(Cursor* c, Instruction* out) {
  auto& fence = out->Make<MemoryFence>();
  if (c->Take("proxy")) {
    ProxyFence(c, out);
    return;
  }
  if (c->opcode() == "membar") {
    constexpr Scope kScopes[] = {Scope::kCta, Scope::kGpu, Scope::kSystem};
    const int level = c->TakeOne({"cta", "gl", "sys"});
    if (level < 0) {
      c->Fail("membar lacks .cta, .gl or .sys");
      return;
    }
    fence.ordering = {Order::kAcquireRelease, kScopes[level]};
    fence.sequential = true;
    c->ExpectOperands(0);
    return;
  }
  const auto has = [&](std::string_view modifier) {
    return std::find(c->left().begin(), c->left().end(), modifier) != c->left().end();
  };
  if (has("sync_restrict::shared::cta") || has("sync_restrict::shared::cluster")) {
    c->Require(c->Spelling(), 86, 90);
    RestrictedFence(c, &fence);
    return;
  }
  if (c->Take("mbarrier_init")) {
    fence.ordering = {Order::kRelease, Scope::kCluster};
    fence.of_inits = true;
    c->Require(c->Spelling(), 80, 90);
    if (!c->Take("release") || !c->Take("cluster")) {
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    }
    c->ExpectOperands(0);
    return;
  }
  const int order = c->TakeOne({"sc", "acq_rel", "acquire", "release"});
  if (order >= 2) {
    c->Require(c->Spelling(), 86, 90);
  }
  const int scope = c->TakeOne({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  fence.ordering = {order == 2   ? Order::kAcquire
                    : order == 3 ? Order::kRelease
                                 : Order::kAcquireRelease,
                    static_cast<Scope>(scope)};
  fence.sequential = order <= 0;
  c->Require(c->Spelling(), scope == 1 ? 78 : 60, scope == 1 ? 90 : 70);
  c->ExpectOperands(0);
}

// tensormap: .replace, or .cp_fenceproxy, by which a warp copies 128 bytes together and releases
// them.
void DecodeTensorMap(Cursor* c, Instruction* out) {
  if (!c->Take("cp_fenceproxy")) {
    DecodeTensorReplace(c, out);
    return;
  }
  c->Require("tensormap.cp_fenceproxy", 83, 90);
  const auto at = std::find(c->left().begin(), c->left().end(), "global");
  if (at == c->left().end() || std::next(at) == c->left().end() ||
      *std::next(at) != "shared::cta") {
    c->Fail(fmt::format("{} lacks .global.shared::cta", c->Spelling()));
    return;
  }
  for (const char* const part :
       {"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"}) {
    if (!c->Take(part)) {
      c->Fail(fmt::format("{} lacks .{}", c->Spelling(), part));
    }
  }
  const int scope = c->TakeOne({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) {
    c->Fail(fmt::format("{} lacks its scope", c->Spelling()));
    return;
  }
  if (!c->ExpectOperands(3)) {
    return;
  }
  constexpr unsigned kSize = 128;
  constexpr unsigned kStep = 16;
  if (c->operand(2).kind != Kind::kInteger || c->operand(2).value != kSize) {
    c->Fail(c->operand(2).at, "the size can only be 128");
    return;
  }
  const Slot to = c->AddressValue(c->operand(0), Space::kGlobal);
  const Slot from = c->AddressValue(c->operand(1), Space::kShared);
  out->op = Op::kExchange;
  auto& exchange = out->Make<WarpExchange>();
  exchange.op = WarpOp::kSync;
  exchange.members = c->Literal(0xffffffffU);
  c->Emit(*out);
  Load load;
  load.type = load.to = Type::kB64;
  load.count = 2;
  load.d[0] = c->Scratch();
  load.d[1] = c->Scratch();
  for (unsigned done = 0; done < kSize; done += kStep) {
    load.address = {Space::kShared, false, from, done};
    out->op = Op::kLoad;
    out->payload = load;
    c->Emit(*out);
    out->op = Op::kStore;
    auto& store = out->Make<Store>();
    store.type = load.type;
    store.count = load.count;
    store.address = {Space::kGlobal, false, to, done};
    store.values = load.d;
    c->Emit(*out);
  }
  out->op = Op::kFence;
  auto& fence = out->Make<MemoryFence>();
  fence.ordering = {Order::kRelease, static_cast<Scope>(scope)};
  fence.of_maps = true;
}

}  // namespace muster::ptx
