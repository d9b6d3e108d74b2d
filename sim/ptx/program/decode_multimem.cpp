// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: multimem.
#include "sim/ptx/program/decode_multimem.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/ptx/program/decode_async.h"
#include "sim/ptx/program/decode_memory.h"

namespace muster::ptx {
namespace {

using What = MultimemAccess::What;

// .weak, which is the default of loads and stores, or an order and its scope.
void TakeOrder(Cursor* c, MultimemAccess* i) {
  Ordering& ordering = i->ordering;
  const bool reads = i->what == What::kLoadReduce;
  ordering.order = i->what == What::kReduce ? Order::kRelaxed : Order::kWeak;
  if (i->what != What::kReduce && c->Take("weak")) {
    return;
  }
  if (c->Take("relaxed")) {
    ordering.order = Order::kRelaxed;
  } else if (c->Take(reads ? "acquire" : "release")) {
    ordering.order = reads ? Order::kAcquire : Order::kRelease;
  }
  if (const int scope = c->TakeOne({"cta", "cluster", "gpu", "sys"}); scope >= 0) {
    ordering.scope = static_cast<Scope>(scope);
  }
}

// The types that go with an operation; all of them, of a store.
Type TakeElement(Cursor* c, const MultimemAccess& i) {
  if (i.what == What::kStore) {
    return c->TakeType({Type::kB32, Type::kB64, Type::kU32, Type::kU64, Type::kS32, Type::kS64,
                        Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2, Type::kF32,
                        Type::kF64});
  }
  switch (i.op) {
    case Atomic::kAdd:
      return c->TakeType({Type::kU32, Type::kU64, Type::kS32, Type::kF16, Type::kF16x2, Type::kBF16,
                          Type::kBF16x2, Type::kF32, Type::kF64});
    case Atomic::kMin:
    case Atomic::kMax:
      if (i.what == What::kReduce) {
        return c->TakeType({Type::kU32, Type::kU64, Type::kS32, Type::kS64});
      }
      return c->TakeType({Type::kU32, Type::kU64, Type::kS32, Type::kS64, Type::kF16, Type::kF16x2,
                          Type::kBF16, Type::kBF16x2});
    default:
      return c->TakeType({Type::kB32, Type::kB64});
  }
}

void DecodeAccess(Cursor* c, Instruction* out, What what) {
  out->op = Op::kMultimem;
  auto& i = out->Make<MultimemAccess>();
  i.what = what;
  c->Require("multimem", 81, 90);
  TakeOrder(c, &i);
  const Space space = c->Take("global") ? Space::kGlobal : Space::kGeneric;
  if (what != What::kStore) {
    constexpr Atomic kOperations[] = {Atomic::kAdd, Atomic::kMin, Atomic::kMax,
                                      Atomic::kAnd, Atomic::kOr,  Atomic::kXor};
    const int op = c->TakeOne({"add", "min", "max", "and", "or", "xor"});
    if (op < 0) {
      c->Fail(fmt::format("{} lacks its operation", c->Spelling()));
      return;
    }
    i.op = kOperations[op];
  }
  i.in_f32 = what == What::kLoadReduce && c->Take("acc::f32");
  i.count = TakeVector(c);
  i.type = TakeElement(c, i);
  if (i.in_f32 && !IsHalf(ElementOf(i.type))) {
    c->Fail(fmt::format("{} accumulates in f32 what is no f16 or bf16", c->Spelling()));
  }
  // "The size of the specified type along with .vec must equal either 32-bits or 64-bits or
  // 128-bits."
  const unsigned bytes = Bytes(i.type) * i.count;
  const bool scalar = !IsFloat(i.type) && !IsHalf(ElementOf(i.type));
  if ((i.count > 1 && (scalar || i.type == Type::kF64)) ||
      (bytes != 4 && bytes != 8 && bytes != 16)) {
    c->Fail(fmt::format("{}: there is no such vector", c->Spelling()));
    return;
  }
  const bool loads = what == What::kLoadReduce;
  if (!c->ExpectOperands(2)) {
    return;
  }
  i.address = c->AddressIn(c->operand(loads ? 1 : 0), space);
  const std::vector<Slot> slots = c->Registers(c->operand(loads ? 0 : 1), i.type, i.count, loads);
  std::copy(slots.begin(), slots.end(), (loads ? i.d : i.values).begin());
}

}  // namespace

void DecodeMultimem(Cursor* c, Instruction* out) {
  if (c->Take("cp")) {
    DecodeMultimemCopy(c, out);
    return;
  }
  const int what = c->TakeOne({"ld_reduce", "st", "red"});
  if (what < 0) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  DecodeAccess(c, out, static_cast<What>(what));
}

}  // namespace muster::ptx
