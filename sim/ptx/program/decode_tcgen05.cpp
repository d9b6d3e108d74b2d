// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: tcgen05.
#include "sim/ptx/program/decode_tcgen05.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/program/decode_multicast.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

constexpr unsigned kMostRegisters = 128;
constexpr unsigned kFirstReduction = 101;  // sm_101a: .red is not for sm_100

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

// What tcgen05.ld.red makes of the registers of each thread: the least or the greatest.
struct Reduction {
  Op op = Op::kMin;
  Type type = Type::kF32;
  bool absolute = false;
  bool keeps_nan = false;
};

Reduction TakeReduction(Cursor* c) {
  c->Require(c->Spelling(), 88, kFirstReduction);
  c->RequireVariant(c->Spelling(), kFirstReduction, 119);
  Reduction reduction;
  const int op = c->TakeOne({"min", "max"});
  if (op < 0) {
    c->Fail(fmt::format("{} lacks .min or .max", c->Spelling()));
  }
  reduction.op = op == 1 ? Op::kMax : Op::kMin;
  reduction.type = c->TakeType({Type::kF32, Type::kU32, Type::kS32});
  if (reduction.type == Type::kF32) {
    reduction.absolute = c->Take("abs");
    reduction.keeps_nan = c->Take("NaN");
  }
  return reduction;
}

// The load, and then an operation for each register but the first.
void Reduce(Cursor* c, const Reduction& reduction, TensorAccess load, Instruction* out) {
  const std::vector<Slot> registers = load.registers;
  Instruction access = *out;
  access.payload = std::move(load);
  c->Emit(access);
  const auto operation = [&](Op op, Slot d, const std::array<Slot, 3>& a) {
    Instruction instruction;
    instruction.op = op;
    instruction.line = out->line;
    auto& i = instruction.Make<Arithmetic>();
    i.type = reduction.type;
    i.keeps_nan = op != Op::kAbs && reduction.keeps_nan;
    i.d = d;
    i.a = a;
    return instruction;
  };
  const auto value = [&](Slot slot) {
    if (!reduction.absolute) {
      return slot;
    }
    const Slot d = c->Scratch();
    c->Emit(operation(Op::kAbs, d, {slot, kNoSlot, kNoSlot}));
    return d;
  };
  Slot so_far = value(registers[0]);
  for (std::size_t k = 1; k < registers.size(); ++k) {
    const Slot d =
        k + 1 == registers.size() ? c->Destination(c->operand(1), reduction.type) : c->Scratch();
    Instruction next = operation(reduction.op, d, {so_far, value(registers[k]), kNoSlot});
    if (k + 1 == registers.size()) {
      next.guard = out->guard;
      next.guard_negated = out->guard_negated;
      *out = std::move(next);
    } else {
      c->Emit(next);
    }
    so_far = d;
  }
}

void DecodeAccess(Cursor* c, Instruction* out, bool stores) {
  TensorAccess i;
  i.stores = stores;
  out->op = Op::kTensorAccess;
  const bool reduces = !stores && c->Take("red");
  const Reduction reduction = reduces ? TakeReduction(c) : Reduction{};
  const bool aligned = TakeAligned(c);
  const int shape = c->TakeOne({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  const int times = c->TakeOne({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  i.halves = !reduces && c->Take(stores ? "unpack::16b" : "pack::16b");
  if (!reduces) {
    c->TakeType({Type::kB32});
  }
  if (!aligned) {
    return;
  }
  if (reduces && (shape != 0 || times == 0)) {
    c->Unsupported(shape == 0 ? "a reduction of one register" : "a reduction of this shape");
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
  if (!c->ExpectOperands(two || reduces ? 3 : 2)) {
    return;
  }
  const std::size_t address = stores ? 0 : reduces ? 2 : 1;
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
  if (reduces) {
    return Reduce(c, reduction, std::move(i), out);
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

void TakeKind(Cursor* c, TensorProduct* i) {
  const int kind = c->TakeOne({"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8",
                               "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"});
  if (kind < 0) {
    c->Fail(fmt::format("{} lacks .kind::f16 or another", c->Spelling()));
    return;
  }
  i->kind = static_cast<ProductKind>(kind);
}

// How many scales a row of A and a column of B have. An example of the text lacks .block_scale.
void TakeScales(Cursor* c, TensorProduct* i) {
  c->Take("block_scale");
  const bool small = i->kind != ProductKind::kMxF8F6F4;  // of 4 bits alone
  const bool any = i->kind == ProductKind::kMxF4NvF4;
  const int size =
      c->TakeOne({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"});
  if (size < 0 && any) {
    c->Fail(fmt::format("{} lacks .scale_vec::2X, .scale_vec::4X, .block16 or .block32",
                        c->Spelling()));
    return;
  }
  i->scale_count = size == 0 ? 1 : size == 1 ? 2 : size == 2 || size == 3 ? 4 : small ? 2 : 1;
  if (small ? i->scale_count == 1 || (i->scale_count == 4 && !any) : i->scale_count != 1) {
    c->Fail(fmt::format("{} has {} scales for a row, which its kind has not", c->Spelling(),
                        i->scale_count));
  }
}

// The buffer is a hint: a matrix "must not be modified while the MMA [...] has not completed".
void TakeCollector(Cursor* c, const TensorProduct& i) {
  static constexpr std::string_view kUses[] = {"fill", "use", "lastuse", "discard"};
  static constexpr std::string_view kBuffers[] = {"b0", "b1", "b2", "b3"};
  for (const std::string_view buffer : kBuffers) {
    for (const std::string_view use : kUses) {
      if (i.spread && c->Take(fmt::format("collector::{}::{}", buffer, use))) {
        return;
      }
    }
  }
  for (const std::string_view use : kUses) {
    const bool keeps = use == "fill" || use == "use";
    if (!i.spread && !(i.shifted && keeps) && c->Take(fmt::format("collector::a::{}", use))) {
      return;
    }
  }
}

// What comes behind the predicate: what D counts, or which columns of B count.
void DecodeLast(Cursor* c, const syntax::Operand& operand, TensorProduct* i) {
  if (i->spread) {
    i->zero_columns = c->Source(operand, Type::kB64);
    return;
  }
  constexpr std::uint64_t kMostScale = 15;
  const bool may = i->kind == ProductKind::kF16 || i->kind == ProductKind::kTF32;
  if (!may || operand.kind != Kind::kInteger || operand.value > kMostScale) {
    c->Fail(operand.at, fmt::format("{} scales D by a number from 0 to 15, of .kind::f16 and "
                                    ".kind::tf32 alone",
                                    c->Spelling()));
  }
  i->scale = static_cast<std::uint8_t>(operand.value);
}

// Of the operands after the descriptors: those that are there are told by what they are.
void DecodeProduct(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorProduct>();
  out->op = Op::kTensorProduct;
  const std::string spelling = c->Spelling();
  i.sparse = c->Take("sp");
  i.spread = c->Take("ws");
  i.shifted = c->Take("ashift");
  i.pair = TakeGroup(c);
  TakeKind(c, &i);
  const bool scaled = IsScaled(i.kind);
  if (scaled) {
    TakeScales(c, &i);
  }
  TakeCollector(c, i);
  const std::size_t first = i.sparse ? 4 : 3;  // behind the matrices
  const std::size_t least = first + (scaled ? 4 : 2);
  if (c->failed() || !c->ExpectOperands(least, least + (scaled ? 0 : i.spread ? 1 : 2))) {
    return;
  }
  const auto& operands = c->operands();
  i.d = TensorAddress(c, 0);
  i.a_in_tensor = operands[1].kind == Kind::kAddress;
  i.a = i.a_in_tensor ? TensorAddress(c, 1) : c->Source(operands[1], Type::kB64);
  i.b = c->Source(operands[2], Type::kB64);
  if (i.sparse) {
    i.metadata = TensorAddress(c, 3);
  }
  i.descriptor = c->Source(operands[first], Type::kB32);
  if (i.spread && (i.pair || scaled)) {
    c->Fail(fmt::format("{}: .ws is of one CTA, and has no scales", c->Spelling()));
  } else if (i.shifted && !i.a_in_tensor) {
    c->Fail(fmt::format("{} shifts A, which is not in tensor memory", c->Spelling()));
  }
  if (scaled || i.sparse || i.spread || i.shifted || (i.a_in_tensor && i.pair)) {
    i.text = c->code().NameOpaque(spelling);
  }
  std::size_t next = first + 1;
  if (scaled) {
    i.scales = {TensorAddress(c, next), TensorAddress(c, next + 1)};
    next += 2;
  } else if (!i.spread && operands[next].kind == Kind::kVector) {
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
    DecodeLast(c, operands[next], &i);
    ++next;
  }
  if (next != operands.size() && !c->failed()) {
    c->Fail(fmt::format("{} takes {} operands here, not {}", c->Spelling(), next, operands.size()));
  }
}

// With .64x128b two warps have the same rows, and which two is said; with .32x128b all four have.
void DecodeCopy(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorMovement>();
  out->op = Op::kTensorMovement;
  i.pair = TakeGroup(c);
  const int shape = c->TakeOne({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  const int warps = c->TakeOne({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  if (c->Take("b8x16")) {
    const int format = c->TakeOne({"b6x16_p32", "b4x16_p64"});
    if (format < 0) {
      c->Fail(fmt::format("{} lacks .b6x16_p32 or .b4x16_p64", c->Spelling()));
    }
    i.element_bits = format == 0 ? 6 : 4;
  }
  if (c->failed()) {
    return;
  }
  if (shape < 0) {
    c->Fail(fmt::format("{} lacks its shape, as .128x256b", c->Spelling()));
    return;
  }
  i.shape = static_cast<MovementShape>(shape);
  const bool two = i.shape == MovementShape::k64x128b;
  const bool four = i.shape == MovementShape::k32x128b;
  if (two != (warps == 0 || warps == 1) || four != (warps == 2)) {
    c->Fail(
        fmt::format("{}: .64x128b goes with .warpx2::02_13 or .warpx2::01_23, .32x128b with "
                    ".warpx4, and no other shape with any of them",
                    c->Spelling()));
    return;
  }
  i.neighbours = warps == 1;
  if (c->ExpectOperands(2)) {
    i.address = TensorAddress(c, 0);
    i.source = c->Source(c->operand(1), Type::kB64);
  }
}

void DecodeShift(Cursor* c, Instruction* out) {
  auto& i = out->Make<TensorMovement>();
  out->op = Op::kTensorMovement;
  i.pair = TakeGroup(c);
  if (!c->Take("down")) {
    c->Fail(fmt::format("{} lacks .down", c->Spelling()));
  } else if (c->ExpectOperands(1)) {
    i.address = TensorAddress(c, 0);
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
  constexpr const char* kRestricts = "sync_restrict::shared::read::mma::a";
  i.of_reads = c->Take(kRestricts);
  if (i.of_reads) {
    c->Require(kRestricts, 94, 107);
    c->RequireVariant(kRestricts, 107, 109);
  }
  i.space = c->Take("shared::cluster") ? Space::kCluster : Space::kGeneric;
  const Type mask = TakeMulticast(c);
  const bool multicast = mask != Type::kNone;
  c->TakeType({Type::kB64});
  if (!c->ExpectOperands(multicast ? 2 : 1)) {
    return;
  }
  i.mbarrier = c->AddressValue(c->operand(0), i.space);
  if (multicast) {
    i.ctas = c->Source(c->operand(1), mask == Type::kU32 ? Type::kB32 : Type::kB16);
    i.wide = mask == Type::kU32;
  }
}

}  // namespace

void DecodeTcgen05(Cursor* c, Instruction* out) {
  c->Require("tcgen05", 86, 100);
  c->RequireVariant("tcgen05", 100, 119);
  switch (c->TakeOne({"alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "wait::ld",
                      "wait::st", "fence::before_thread_sync", "fence::after_thread_sync", "mma",
                      "commit", "cp", "shift"})) {
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
    case 11:
      return DecodeCopy(c, out);
    case 12:
      return DecodeShift(c, out);
    default:
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
}

}  // namespace muster::ptx
