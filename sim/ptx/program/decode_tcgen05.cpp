// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: tcgen05.
#include "sim/ptx/program/decode_tcgen05.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/ptx/program/decode_opaque.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

constexpr unsigned kMostRegisters = 128;

// .cta_group::1 or ::2: whether it is of the pair.
bool TakeGroup(Cursor* c) {
  const int group = c->TakeOne({"cta_group::1", "cta_group::2"});
  if (group < 0) {
    c->Fail(fmt::format("{} lacks .cta_group::1 or .cta_group::2", c->Spelling()));
  }
  return group == 1;
}

bool TakeAligned(Cursor* c) {
  if (c->Take("sync") && c->Take("aligned")) {
    return true;
  }
  c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
  return false;
}

// %laneid is 0, and the guard of `out`, if there is one.
Slot FirstLane(Cursor* c, const Instruction& out) {
  Instruction read;
  read.op = Op::kSpecial;
  read.line = out.line;
  const Slot lane = c->Scratch();
  read.payload = SpecialRead{Special::kLaneId, lane};
  c->Emit(read);
  Instruction first;
  first.op = Op::kSetp;
  first.line = out.line;
  auto& i = first.Make<Comparison>();
  i.type = Type::kU32;
  i.compare = Compare::kEq;
  i.a = {lane, c->Literal(0)};
  i.combine = out.guard == kNoSlot ? Combine::kNone : Combine::kAnd;
  i.c = out.guard;
  i.negated = out.guard_negated;
  i.d = c->Scratch();
  c->Emit(first);
  return i.d;
}

// The allocation for all lanes, and after it the store of the address by one of them.
void DecodeAllocation(Cursor* c, Instruction* out) {
  TensorAllocation allocation;
  allocation.pair = TakeGroup(c);
  const bool aligned = TakeAligned(c);
  const Space space = c->TakeAny({"shared", "shared::cta"}) ? Space::kShared : Space::kGeneric;
  c->TakeType({Type::kB32});
  if (!aligned || !c->ExpectOperands(2)) {
    return;
  }
  const Address address = c->AddressIn(c->operand(0), space);
  allocation.columns = c->Source(c->operand(1), Type::kB32);
  allocation.d = c->Scratch();
  Instruction first = *out;  // the guard, and the line
  first.payload = allocation;
  const Slot storer = FirstLane(c, *out);
  c->Emit(first);
  out->op = Op::kStore;
  out->guard = storer;
  out->guard_negated = false;
  auto& store = out->Make<Store>();
  store.type = Type::kB32;
  store.address = address;
  store.values[0] = allocation.d;
}

void DecodeRelease(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorAllocation>();
  i.what = TensorAllocation::What::kRelease;
  i.pair = TakeGroup(c);
  const bool aligned = TakeAligned(c);
  c->TakeType({Type::kB32});
  if (aligned && c->ExpectOperands(2)) {
    i.address = c->Source(c->operand(0), Type::kB32);
    i.columns = c->Source(c->operand(1), Type::kB32);
  }
}

void DecodeRelinquish(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorAllocation>();
  i.what = TensorAllocation::What::kRelinquish;
  i.pair = TakeGroup(c);
  if (TakeAligned(c)) {
    c->ExpectOperands(0);
  }
}

Slot TensorAddress(Cursor* c, std::size_t operand) {
  return c->AddressValue(c->operand(operand), Space::kGeneric);
}

void DecodeAccess(Cursor* c, Instruction* out, bool stores) {
  TensorAccess i;
  i.stores = stores;
  out->op = Op::kTensorAccess;
  if (c->Has("red")) {
    c->Unsupported("a reduction (.red)");
    return;
  }
  const bool aligned = TakeAligned(c);
  const int shape = c->TakeOne({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  const int times = c->TakeOne({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  i.halves = c->Take(stores ? "unpack::16b" : "pack::16b");
  c->TakeType({Type::kB32});
  if (!aligned) {
    return;
  }
  if (shape < 0 || times < 0) {
    c->Fail(fmt::format("{} lacks its shape and number, as .32x32b.x1", c->Spelling()));
    return;
  }
  i.shape = static_cast<TensorShape>(shape);
  i.times = static_cast<std::uint8_t>(1U << times);
  const unsigned count = RegistersOf(i.shape) << times;
  if (count > kMostRegisters) {
    c->Fail(fmt::format("{} would take {} registers: {} at most", c->Spelling(), count,
                        kMostRegisters));
    return;
  }
  const bool two = i.shape == TensorShape::k16x32bx2;
  if (!c->ExpectOperands(two ? 3 : 2)) {
    return;
  }
  const std::size_t address = stores ? 0 : 1;
  const std::size_t registers = stores ? c->operands().size() - 1 : 0;
  i.registers = c->Registers(c->operand(registers), Type::kB32, count, !stores);
  i.address = TensorAddress(c, address);
  if (two) {
    const syntax::Operand& second = c->operand(address + 1);
    if (second.kind != Kind::kInteger) {
      c->Fail(second.at, fmt::format("the offset of {} is not a number", c->Spelling()));
    }
    i.second = static_cast<std::uint32_t>(second.value);
  }
  out->payload = std::move(i);
}

void DecodeWait(Cursor* c, Instruction* out, bool stores) {
  out->op = Op::kTensorWait;
  out->Make<TensorWait>().stores = stores;
  if (TakeAligned(c)) {
    c->ExpectOperands(0);
  }
}

// All that threads do to tensor memory is done in their order already; what tensor cores do is
// waited for by mbarriers.
void DecodeOrder(Cursor* c, Instruction* out) {
  out->op = Op::kNop;
  c->ExpectOperands(0);
}

bool TakeKind(Cursor* c, TensorProduct* i) {
  const int kind = c->TakeOne({"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8"});
  if (kind < 0) {
    c->Fail(fmt::format("{} lacks .kind::f16 or another", c->Spelling()));
    return false;
  }
  i->kind = static_cast<ProductKind>(kind);
  return true;
}

// Of a sparse matrix, or scaled blocks; or of one that stays in its buffer (.ws).
void DecodeOpaqueProduct(Cursor* c, Instruction* out) {
  out->op = Op::kOpaqueProduct;
  auto& i = out->Make<OpaqueProduct>();
  i.text = c->code().NameOpaque(c->Spelling());
  const bool sparse = c->Take("sp");
  i.spread = c->Take("ws");
  i.pair = TakeGroup(c);
  if (c->failed() || c->TakeOne({"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8",
                                 "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"}) < 0) {
    c->Fail(fmt::format("{} lacks .kind::f16 or another", c->Spelling()));
    return;
  }
  c->left().clear();
  const std::size_t descriptor = sparse ? 4 : 3;
  if (c->operands().size() < descriptor + 2) {
    c->Fail(fmt::format("{} takes {} operands or more", c->Spelling(), descriptor + 2));
    return;
  }
  i.d = TensorAddress(c, 0);
  i.descriptor = c->Source(c->operand(descriptor), Type::kB32);
  for (std::size_t k = 1; k < c->operands().size(); ++k) {
    AddRegisters(c, c->operand(k), &i.others);
  }
}

// Of the operands after the descriptors: those that are there are told by what they are.
void DecodeProduct(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorProduct>();
  out->op = Op::kTensorProduct;
  if (c->Has("ashift")) {
    c->Unsupported("a product with .ashift");
    return;
  }
  if (c->Has("sp") || c->Has("ws") || c->Has("block_scale")) {
    return DecodeOpaqueProduct(c, out);
  }
  i.pair = TakeGroup(c);
  if (c->failed() || !TakeKind(c, &i)) {
    return;
  }
  // The buffer for A is a hint: A "must not be modified while the MMA [...] has not completed".
  c->TakeOne({"collector::a::fill", "collector::a::use", "collector::a::lastuse",
              "collector::a::discard"});
  if (!c->ExpectOperands(5, 7)) {
    return;
  }
  const auto& operands = c->operands();
  i.d = TensorAddress(c, 0);
  i.a_in_tensor = operands[1].kind == Kind::kAddress;
  i.a = i.a_in_tensor ? TensorAddress(c, 1) : c->Source(operands[1], Type::kB64);
  i.b = c->Source(operands[2], Type::kB64);
  i.descriptor = c->Source(operands[3], Type::kB32);
  std::size_t next = 4;
  if (operands[next].kind == Kind::kVector) {
    const unsigned words = i.pair ? 8 : 4;
    const std::vector<Slot> disabled = c->Registers(operands[next], Type::kB32, words, false);
    std::copy(disabled.begin(), disabled.end(), i.disabled.begin());
    ++next;
  }
  if (next >= operands.size()) {
    c->Fail(fmt::format("{} lacks the predicate that lets D count", c->Spelling()));
    return;
  }
  i.accumulates = c->Predicate(operands[next]);
  i.negated = operands[next].negated;
  ++next;
  if (next < operands.size()) {
    constexpr std::uint64_t kMostScale = 15;
    const bool may = i.kind == ProductKind::kF16 || i.kind == ProductKind::kTF32;
    const syntax::Operand& scale = operands[next];
    if (!may || scale.kind != Kind::kInteger || scale.value > kMostScale) {
      c->Fail(scale.at, fmt::format("{} scales D by a number from 0 to 15, of .kind::f16 and "
                                    ".kind::tf32 alone",
                                    c->Spelling()));
    }
    i.scale = static_cast<std::uint8_t>(scale.value);
    ++next;
  }
  if (next != operands.size() && !c->failed()) {
    c->Fail(fmt::format("{} takes {} operands here, not {}", c->Spelling(), next, operands.size()));
  }
}

void DecodeCommit(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorCommit>();
  out->op = Op::kTensorCommit;
  i.pair = TakeGroup(c);
  if (!c->Take("mbarrier::arrive::one")) {
    c->Fail(fmt::format("{} lacks .mbarrier::arrive::one", c->Spelling()));
    return;
  }
  i.space = c->Take("shared::cluster") ? Space::kCluster : Space::kGeneric;
  const bool multicast = c->Take("multicast::cluster");
  c->TakeType({Type::kB64});
  if (!c->ExpectOperands(multicast ? 2 : 1)) {
    return;
  }
  i.mbarrier = c->AddressValue(c->operand(0), i.space);
  if (multicast) {
    i.ctas = c->Source(c->operand(1), Type::kB16);
  }
}

}  // namespace

void DecodeTcgen05(Cursor* c, Instruction* out) {
  c->Require("tcgen05", 86, 100);
  c->RequireVariant("tcgen05", 100, 119);
  switch (
      c->TakeOne({"alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "wait::ld", "wait::st",
                  "fence::before_thread_sync", "fence::after_thread_sync", "mma", "commit"})) {
    case 0:
      return DecodeAllocation(c, out);
    case 1:
      return DecodeRelease(c, out);
    case 2:
      return DecodeRelinquish(c, out);
    case 3:
      return DecodeAccess(c, out, false);
    case 4:
      return DecodeAccess(c, out, true);
    case 5:
      return DecodeWait(c, out, false);
    case 6:
      return DecodeWait(c, out, true);
    case 7:
    case 8:
      return DecodeOrder(c, out);
    case 9:
      return DecodeProduct(c, out);
    case 10:
      return DecodeCommit(c, out);
    default:
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
}

}  // namespace muster::ptx
