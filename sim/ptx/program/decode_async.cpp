// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: copies and stores that are not waited for.
#include "sim/ptx/program/decode_async.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode_mbarrier.h"
#include "sim/ptx/program/decode_memory.h"
#include "sim/ptx/program/decode_multicast.h"
#include "sim/ptx/program/decode_tensor.h"
#include "sim/ptx/program/decode_validity.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

void DecodeCopyGroup(Cursor* c, Instruction* out, bool bulk, int op) {
  out->op = Op::kCopyGroup;
  auto& group = out->Make<CopyGroup>();
  group.bulk = bulk;
  if (op == 2 && bulk) {
    c->Fail("cp.async.bulk has no .wait_all");
  }
  const bool reads = op == 1 && bulk && c->Take("read");
  group.op = op == 0   ? CopyGroupOp::kCommit
             : op == 2 ? CopyGroupOp::kWaitAll
             : reads   ? CopyGroupOp::kWaitRead
                       : CopyGroupOp::kWait;
  if (!c->ExpectOperands(op == 1 ? 1 : 0) || op != 1) {
    return;
  }
  if (c->operand(0).kind != Kind::kInteger) {
    c->Fail(c->operand(0).at, fmt::format("{} takes a number of groups", c->Spelling()));
    return;
  }
  group.groups = c->Literal(c->operand(0).value & 0xffffffffU);
}

void DecodeSmallCopy(Cursor* c, Instruction* out) {
  const int space = c->TakeOne({"shared", "shared::cta"});
  if (space < 0 || !c->Take("global")) {
    c->Fail(fmt::format("{} lacks .shared.global", c->Spelling()));
  } else if (space == 1) {
    c->Require(".shared::cta", 78, 80);
  }
  const int cache = c->TakeOne({"ca", "cg"});
  Ordering none;
  const bool has_policy = TakeOrdering(c, out->op, &none);
  if (cache < 0) {
    c->Fail(fmt::format("{} lacks .ca or .cg", c->Spelling()));
  }
  if (!c->ExpectOperands(3, has_policy ? 5 : 4)) {
    return;
  }
  const std::uint64_t size = c->operand(2).value;
  if (c->operand(2).kind != Kind::kInteger || (size != 4 && size != 8 && size != 16)) {
    c->Fail(c->operand(2).at, "cp.async copies 4, 8 or 16 bytes");
    return;
  }
  if (cache == 1 && size != 16) {
    c->Fail(c->operand(2).at, "cp.async.cg copies 16 bytes");
  }
  auto& copy = out->Make<SmallCopy>();
  copy.bytes = static_cast<std::uint8_t>(size);
  copy.from = c->AddressValue(c->operand(1), Space::kGlobal);
  copy.to = c->AddressIn(c->operand(0), Space::kShared);
  // What follows is how much of it to read, or whether to read nothing: the rest is zeroes.
  copy.read = c->Literal(size);
  if (c->operands().size() == (has_policy ? 5U : 4U)) {
    Symbol symbol;
    const bool ignores = c->operand(3).kind == Kind::kName &&
                         c->Find(c->operand(3).name, &symbol) && symbol.type == Type::kPred;
    if (ignores) {
      c->Require("cp.async that may read nothing", 75, 80);
    }
    (ignores ? copy.ignores : copy.read) =
        c->Source(c->operand(3), ignores ? Type::kPred : Type::kU32);
    copy.negated = c->operand(3).negated;
  }
}

// What it fetches ahead makes no difference here.
void BulkPrefetch(Cursor* c, Instruction* out) {
  if (!c->Take("L2") || !c->Take("global")) {
    c->Fail(fmt::format("{} lacks .L2.global", c->Spelling()));
  }
  const bool has_policy = c->Take("L2::cache_hint");
  if (c->ExpectOperands(has_policy ? 3 : 2)) {
    c->AddressValue(c->operand(0), Space::kGlobal);
    c->Source(c->operand(1), Type::kU32);
  }
  Nothing(c, out);
}

// The operation and the type of a reduction; the text has more of them to global memory.
std::optional<Reduction> TakeReduction(Cursor* c, bool to_global) {
  const int op = c->TakeOne({"add", "min", "max", "and", "or", "xor", "inc", "dec"});
  constexpr Atomic kOps[] = {Atomic::kAdd, Atomic::kMin, Atomic::kMax,       Atomic::kAnd,
                             Atomic::kOr,  Atomic::kXor, Atomic::kIncrement, Atomic::kDecrement};
  if (op < 0) {
    c->Fail(fmt::format("{} lacks its operation", c->Spelling()));
    return std::nullopt;
  }
  const Atomic atomic = kOps[op];
  switch (atomic) {
    case Atomic::kAdd:
      if (!to_global) {
        return Reduction{atomic, c->TakeType({Type::kU32, Type::kS32, Type::kU64})};
      }
      if (c->Take("noftz")) {
        return Reduction{atomic, c->TakeType({Type::kF16, Type::kBF16})};
      }
      return Reduction{atomic,
                       c->TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64})};
    case Atomic::kMin:
    case Atomic::kMax:
      return Reduction{atomic, to_global ? c->TakeType({Type::kU32, Type::kS32, Type::kU64,
                                                        Type::kS64, Type::kF16, Type::kBF16})
                                         : c->TakeType({Type::kU32, Type::kS32})};
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      return Reduction{atomic, c->TakeType({Type::kU32})};
    default:
      return Reduction{
          atomic, to_global ? c->TakeType({Type::kB32, Type::kB64}) : c->TakeType({Type::kB32})};
  }
}

void DecodeBulkCopy(Cursor* c, Instruction* out, bool reduces) {
  out->op = Op::kBulk;
  // The state spaces, in the order in which they stand there.
  std::vector<std::string_view> spaces;
  const auto is_space = [](std::string_view modifier) {
    return modifier == "shared::cluster" || modifier == "shared::cta" || modifier == "global";
  };
  std::copy_if(c->left().begin(), c->left().end(), std::back_inserter(spaces), is_space);
  c->left().erase(std::remove_if(c->left().begin(), c->left().end(), is_space), c->left().end());
  const bool two = spaces.size() == 2;
  const bool to_global = two && spaces[0] == "global" && spaces[1] == "shared::cta";
  const bool between = two && spaces[0] == "shared::cluster" && spaces[1] == "shared::cta";
  const bool in = two && !reduces && spaces[0] != "global" && spaces[1] == "global";
  if (!to_global && !between && !in) {
    c->Fail(fmt::format("{} does not say from where to where", c->Spelling()));
    return;
  }
  if (in && spaces[0] == "shared::cta") {
    c->Require("the destination .shared::cta", 86, 90);
  }
  if (!c->Take(to_global ? "bulk_group" : "mbarrier::complete_tx::bytes")) {
    c->Fail(fmt::format("{} lacks .{}", c->Spelling(),
                        to_global ? "bulk_group" : "mbarrier::complete_tx::bytes"));
  }
  const Validity validity = in && !reduces ? TakeValidity(c) : Validity::kDisabled;
  const Type mask = in ? TakeMulticast(c) : Type::kNone;
  const bool multicast = mask != Type::kNone;
  const bool has_policy = !between && c->Take("L2::cache_hint");
  const bool masked = to_global && !reduces && c->Take("cp_mask");
  const bool ignores = in && spaces[0] == "shared::cta" && c->Take("ignore_oob");
  if (!reduces && c->Take("weak")) {
    c->Require("cp.async.bulk.weak", 93, 90);
  }
  if (masked) {
    c->Require(".cp_mask", 86, 100);
  }
  if (ignores) {
    c->Require(".ignore_oob", 92, 90);
  }
  auto& copy = out->Make<BulkCopy>();
  copy.space = to_global ? Space::kGlobal : Space::kCluster;
  copy.from_shared = !in;
  copy.validity = validity;
  if (ignores && validity != Validity::kDisabled) {
    c->Misuse("a copy with .ignore_oob inspects nothing: .mbarrier::report::disabled");
  }
  if (reduces) {
    copy.reduction = TakeReduction(c, to_global);
  }
  const std::size_t mbarrier = ignores ? 5 : 3;
  const std::size_t count = mbarrier + (to_global ? 0 : 1) + (multicast ? 1 : 0) +
                            (has_policy ? 1 : 0) + (masked ? 1 : 0);
  if (!c->ExpectOperands(count)) {
    return;
  }
  copy.to = c->AddressValue(c->operand(0), copy.space);
  copy.from = c->AddressValue(c->operand(1), in ? Space::kGlobal : Space::kShared);
  copy.mbarrier = to_global ? kNoSlot : c->AddressValue(c->operand(mbarrier), Space::kCluster);
  copy.size = c->Source(c->operand(2), Type::kU32);
  copy.ctas = multicast ? c->Source(c->operand(4), mask) : kNoSlot;
  copy.byte_mask = masked ? c->Source(c->operand(count - 1), Type::kU16) : kNoSlot;
  if (ignores) {
    copy.ignore_left = c->Source(c->operand(3), Type::kU32);
    copy.ignore_right = c->Source(c->operand(4), Type::kU32);
  }
}

// Decodes stores and reductions that release: they go to global memory, and complete at no
// mbarrier.
void StoreToGlobal(Cursor* c, AsyncStore* store) {
  const bool stores = c->opcode() == "st";
  c->Require(c->Spelling(), 87, 100);
  const bool mapped = c->Take("mmio");
  const int scope = stores ? c->TakeOne({"sys", "gpu"}) : c->TakeOne({"sys", "gpu", "cluster"});
  if (scope < 0 || (mapped && scope != 0)) {
    c->Fail(fmt::format("{} lacks {}", c->Spelling(), mapped ? ".sys" : "its scope"));
  }
  const Space space = c->Take("global") ? Space::kGlobal : Space::kGeneric;
  if (stores) {
    store->type = c->TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kU8, Type::kU16,
                               Type::kU32, Type::kU64, Type::kS8, Type::kS16, Type::kS32,
                               Type::kS64, Type::kF32, Type::kF64});
  } else {
    if (!c->Take("add")) {
      c->Fail(fmt::format("{} lacks .add", c->Spelling()));
    }
    store->reduction = Atomic::kAdd;
    store->type = c->TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  store->address = c->AddressIn(c->operand(0), space);
  store->values[0] = c->Source(c->operand(1), store->type, Bytes(store->type) == 1);
}

}  // namespace

// cp.async and cp.reduce.async.
void DecodeCopyAsync(Cursor* c, Instruction* out) {
  const bool reduces = c->Take("reduce");
  if (!c->Take("async")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  const bool bulk = c->Take("bulk");
  if (c->Take("tensor")) {
    c->Require(c->Spelling(), 80, 90);
    DecodeTensorCopy(c, out, reduces);
    return;
  }
  if (bulk || reduces) {
    c->Require(c->Spelling(), 80, 90);
  } else {
    c->Require("cp.async", 70, 80);
  }
  if (reduces && !bulk) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  } else if (!bulk && c->Take("mbarrier")) {
    DecodeCopyArrive(c, out);
  } else if (const int op = reduces ? -1 : c->TakeOne({"commit_group", "wait_group", "wait_all"});
             op >= 0) {
    DecodeCopyGroup(c, out, bulk, op);
  } else if (bulk && c->Take("prefetch")) {
    BulkPrefetch(c, out);
  } else if (bulk) {
    DecodeBulkCopy(c, out, reduces);
  } else {
    DecodeSmallCopy(c, out);
  }
}

void DecodeMultimemCopy(Cursor* c, Instruction* out) {
  c->Require("multimem.cp", 91, 90);
  const bool reduces = c->Take("reduce");
  if (!c->Take("async") || !c->Take("bulk") || !c->Has("bulk_group")) {
    c->Fail(fmt::format("{} lacks .async, .bulk or .bulk_group", c->Spelling()));
    return;
  }
  DecodeBulkCopy(c, out, reduces);
  if (auto* const copy = std::get_if<BulkCopy>(&out->payload)) {
    copy->multimem = true;
  }
}

// The rest of st.bulk.
void DecodeStoreBulk(Cursor* c, Instruction* out) {
  c->Require("st.bulk", 86, 100);
  out->op = Op::kStoreBulk;
  auto& store = out->Make<BulkStore>();
  c->Take("weak");
  const Space space = c->Take("shared::cta") ? Space::kShared : Space::kGeneric;
  if (!c->ExpectOperands(3)) {
    return;
  }
  const syntax::Operand& value = c->operand(2);
  if (value.kind != syntax::Operand::Kind::kInteger || value.value != 0) {
    c->Fail("the value of st.bulk is 0, and nothing else");
  }
  store.address = c->AddressIn(c->operand(0), space);
  store.size = c->Source(c->operand(1), Type::kU32, true);
}

// The rest of st.async and red.async: where to, what, and the mbarrier.
void DecodeStoreAsync(Cursor* c, Instruction* out) {
  const bool stores = c->opcode() == "st";
  const char* const name = stores ? "st.async" : "red.async";
  c->Require(name, 81, 90);
  out->op = Op::kStoreAsync;
  auto& store = out->Make<AsyncStore>();
  if (c->Take("release")) {
    StoreToGlobal(c, &store);
    return;
  }
  const Space space = c->Take("shared::cluster") ? Space::kCluster : Space::kGeneric;
  const bool completes = c->Take("mbarrier::complete_tx::bytes");
  if (stores) {
    if (!c->Take("weak") && c->Take("cluster")) {
      c->Require("st.async.cluster", 87, 90);
    }
    if (!completes) {
      c->Misuse(fmt::format("{} lacks .mbarrier::complete_tx::bytes", c->Spelling()));
    }
    store.count = TakeVector(c);
    store.type = c->TakeType({Type::kB32, Type::kB64, Type::kU32, Type::kU64, Type::kS32,
                              Type::kS64, Type::kF32, Type::kF64});
    if (Bytes(store.type) * store.count > 16) {
      c->Unsupported("a vector of more than 16 bytes");
    }
  } else {
    if (!c->Take("relaxed") || !c->Take("cluster")) {
      c->Fail(fmt::format("{} lacks .relaxed.cluster, or .release and its scope", c->Spelling()));
      return;
    }
    const auto reduction = TakeReduction(c, false);
    store.type = reduction ? reduction->type : Type::kNone;
    store.reduction = reduction ? std::optional(reduction->op) : std::nullopt;
  }
  if (!c->ExpectOperands(3)) {
    return;
  }
  store.mbarrier = c->AddressValue(c->operand(2), space);
  store.address = c->AddressIn(c->operand(0), space);
  const auto values = c->Registers(c->operand(1), store.type, store.count, false);
  std::copy(values.begin(), values.end(), store.values.begin());
}

}  // namespace muster::ptx
