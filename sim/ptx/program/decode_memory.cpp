// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: memory.
#include "sim/ptx/program/decode_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <variant>

#include "sim/ptx/program/decode_async.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

Space TakeSpace(Cursor* c) {
  constexpr std::pair<std::string_view, Space> kNames[] = {{"global", Space::kGlobal},
                                                           {"const", Space::kConst},
                                                           {"param", Space::kParam},
                                                           {"shared", Space::kShared},
                                                           {"local", Space::kLocal},
                                                           {"shared::cta", Space::kShared},
                                                           {"shared::cluster", Space::kCluster},
                                                           {"param::entry", Space::kParam},
                                                           {"param::func", Space::kParam}};
  for (const auto& [name, space] : kNames) {
    if (!c->Take(name)) {
      continue;
    }
    if (name == "shared::cluster") {
      c->Require(".shared::cluster", 78, 90);
    } else if (name == "shared::cta") {
      c->Require(".shared::cta", 78, 30);
    }
    return space;
  }
  return Space::kGeneric;
}

// .mmio, which comes with an order.
bool TakeMemoryMapped(Cursor* c) {
  if (!c->Take("mmio")) {
    return false;
  }
  c->Require(".mmio", 82, 70);
  if (!c->Take("relaxed")) {
    c->Fail(fmt::format("{} lacks .relaxed", c->Spelling()));
  }
  return true;
}

// Returns whether there is one of the memory orders that the instruction can have.
bool TakeOrder(Cursor* c, Op op, Ordering* ordering) {
  if (op == Op::kAtomic) {
    ordering->order = Order::kRelaxed;
    ordering->scope = Scope::kGpu;
  }
  if ((op == Op::kLoad || op == Op::kStore) &&
      (TakeMemoryMapped(c) || c->Take("relaxed") || c->Take("volatile"))) {
    ordering->order = Order::kRelaxed;
    return true;
  }
  // The text's grammar of red has no acquire, its examples have.
  const bool acquires = (op == Op::kLoad || op == Op::kAtomic) && c->Take("acquire");
  const bool releases = (op == Op::kStore || op == Op::kAtomic) && c->Take("release");
  const bool both = op == Op::kAtomic && c->opcode() == "atom" && c->Take("acq_rel");
  if (acquires || releases || both) {
    ordering->order = both ? Order::kAcquireRelease : acquires ? Order::kAcquire : Order::kRelease;
    return true;
  }
  switch (op) {
    case Op::kLoad:
    case Op::kStore:
      return c->Take("weak");
    case Op::kAtomic:
      return c->Take("relaxed");
    default:
      return false;
  }
}

// A policy of caches, which is looked at only.
Slot Policy(Cursor* c, const Operand& operand) { return c->Source(operand, Type::kB64); }

// The operators of atom and red, and the type that follows.
Type AtomicType(Cursor* c, Atomic operation, bool vector) {
  const bool halves = c->Take("noftz");
  if (vector) {
    c->Require("a vector of atomics", 81, 90);
  }
  if (halves || vector) {
    if (operation != Atomic::kAdd &&
        !(vector && (operation == Atomic::kMin || operation == Atomic::kMax))) {
      c->Unsupported("this operation on vectors or .noftz");
    }
    if (vector && !halves) {
      if (operation != Atomic::kAdd) {
        c->Unsupported("this operation on .f32");
      }
      return c->TakeType({Type::kF32});
    }
    const Type type = c->TakeType({Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2});
    const bool bf16 = type == Type::kBF16 || type == Type::kBF16x2;
    c->Require("this type",
               bf16                 ? 78
               : type == Type::kF16 ? 63
                                    : 62,
               bf16                 ? 90
               : type == Type::kF16 ? 70
                                    : 60);
    return type;
  }
  switch (operation) {
    case Atomic::kAdd: {
      const Type type = c->TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64});
      if (type == Type::kF64) {
        c->Require("this type", 50, 60);
      }
      return type;
    }
    case Atomic::kMin:
    case Atomic::kMax:
      return c->TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      return c->TakeType({Type::kU32});
    case Atomic::kExchange:
      return c->TakeType({Type::kB32, Type::kB64, Type::kB128});
    case Atomic::kCompareSwap:
      return c->TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kB128});
    default:
      return c->TakeType({Type::kB32, Type::kB64});
  }
}

}  // namespace

// Every access is performed at once and in order here, so that cache operators have nothing to add.
// Returns whether an operand that names a cache policy follows.
bool TakeOrdering(Cursor* c, Op op, Ordering* ordering) {
  const bool ordered = TakeOrder(c, op, ordering);
  const int scope = c->TakeOne({"cta", "cluster", "gpu", "sys"});
  if (scope >= 0) {
    ordering->scope = static_cast<Scope>(scope);
  }
  if (scope == 1) {
    c->Require("the scope .cluster", 78, 90);
  } else if (ordered && op == Op::kAtomic) {
    c->Require("a memory order", 60, 70);
  }
  c->TakeAny({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  c->Take("nc");
  c->Take("unified");
  const bool has_policy = c->Take("L2::cache_hint");
  if (has_policy) {
    c->Require(".L2::cache_hint", 74, 80);
  }
  const bool in_l1 = c->TakeAny({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                                 "L1::evict_last", "L1::no_allocate"});
  if (c->TakeAny({"L2::evict_normal", "L2::evict_first", "L2::evict_last"}) || in_l1) {
    c->Require("an eviction priority", 74, 70);
  }
  if (const int size = c->TakeOne({"L2::64B", "L2::128B", "L2::256B"}); size >= 0) {
    c->Require("a size to fetch ahead", 74, size == 2 ? 80 : 75);
  }
  return has_policy;
}

// .v2, .v4, .v8 or none.
std::uint8_t TakeVector(Cursor* c) {
  const int vector = c->TakeOne({"v2", "v4", "v8"});
  return static_cast<std::uint8_t>(1U << (vector + 1));
}

void DecodeLoadStore(Cursor* c, Instruction* out) {
  const bool load = out->op == Op::kLoad;
  if (!load && c->Take("bulk")) {
    DecodeStoreBulk(c, out);
    return;
  }
  if (!load && c->Take("async")) {
    DecodeStoreAsync(c, out);
    return;
  }
  const Space space = TakeSpace(c);
  Access access;
  const bool has_policy = TakeOrdering(c, out->op, &access.ordering);
  access.count = TakeVector(c);
  const Type type = c->TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kB128,
                                 Type::kU8, Type::kU16, Type::kU32, Type::kU64, Type::kS8,
                                 Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  if (Bytes(type) * access.count > 32) {
    c->Unsupported("a vector of more than 32 bytes");
  }
  if (!c->ExpectOperands(has_policy ? 3 : 2)) {
    return;
  }
  if (has_policy) {
    Policy(c, c->operand(2));
  }
  access.address = c->AddressIn(c->operand(load ? 1 : 0), space);
  // A register may be wider than what moves, if that is no number of a certain format.
  Type actual = type;
  const auto slots = c->Registers(c->operand(load ? 0 : 1), type, access.count, load,
                                  IsFloat(type) ? nullptr : &actual);
  const bool halves = type == Type::kB128;
  access.type = halves ? Type::kB64 : type;
  access.count = static_cast<std::uint8_t>(halves ? 2 * access.count : access.count);
  if (load) {
    auto& body = out->Make<Load>();
    static_cast<Access&>(body) = access;
    body.to = halves ? Type::kB64 : actual;
    std::copy(slots.begin(), slots.end(), body.d.begin());
  } else {
    auto& body = out->Make<Store>();
    static_cast<Access&>(body) = access;
    std::copy(slots.begin(), slots.end(), body.values.begin());
  }
}

void DecodeAtomicAccess(Cursor* c, Instruction* out) {
  const bool reduces = c->opcode() == "red";
  if (reduces && c->Take("async")) {
    DecodeStoreAsync(c, out);
    return;
  }
  const Space space = TakeSpace(c);
  const bool shared = IsShared(space);
  if (space != Space::kGeneric && space != Space::kGlobal && !shared) {
    c->Unsupported(fmt::format("the space .{}", Name(space)));
  }
  const int op = c->TakeOne({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0) {
    c->Fail(fmt::format("{} lacks its operation", c->Spelling()));
    return;
  }
  auto& access = out->Make<AtomicAccess>();
  access.op = static_cast<Atomic>(op);
  const bool has_policy = TakeOrdering(c, out->op, &access.ordering);
  if (has_policy && (shared || access.op == Atomic::kCompareSwap)) {
    c->Unsupported(".L2::cache_hint");
  }
  access.count = TakeVector(c);
  const Type type = AtomicType(c, access.op, access.count > 1);
  if (type == Type::kB128) {
    c->Require("this type", 83, 90);
  } else if (type == Type::kB16) {
    c->Require("this type", 63, 70);
  }
  const bool most_of_vectors = IsHalf(type) ? access.count <= 8 : access.count <= 4;
  if (!most_of_vectors || (access.count > 1 && shared)) {
    c->Unsupported("this vector");
  }
  const bool swaps = access.op == Atomic::kCompareSwap;
  const std::size_t first = reduces ? 0 : 1;
  if (reduces && (swaps || access.op == Atomic::kExchange)) {
    c->Fail(fmt::format("red has no operation .{}", swaps ? "cas" : "exch"));
  }
  const std::size_t count = first + 2 + (swaps ? 1 : 0) + (has_policy ? 1 : 0);
  if (!c->ExpectOperands(count)) {
    return;
  }
  if (has_policy) {
    Policy(c, c->operand(count - 1));
  }
  access.type = type;
  access.answers = !reduces;
  access.address = c->AddressIn(c->operand(first), space);
  const auto b = c->Registers(c->operand(first + 1), type, access.count, false);
  std::copy(b.begin(), b.end(), access.b.begin());
  if (swaps) {
    const auto swapped = c->Registers(c->operand(first + 2), type, access.count, false);
    std::copy(swapped.begin(), swapped.end(), access.c.begin());
  }
  if (reduces) {
    std::generate_n(access.d.begin(), b.size(), [&] { return c->Scratch(); });
  } else {
    const auto d = c->Registers(c->operand(0), type, access.count, true);
    std::copy(d.begin(), d.end(), access.d.begin());
  }
}

// The operands have been looked at, and that is all.
void Nothing(Cursor* c, Instruction* out) {
  *out = {};
  out->line = c->at().line;
}

// prefetch, prefetchu, applypriority, discard.
void DecodeCacheHint(Cursor* c, Instruction* out) {
  const bool prefetches = c->opcode().substr(0, 8) == "prefetch";
  const bool uniform = c->opcode() == "prefetchu";
  const Space space = uniform ? Space::kGeneric : TakeSpace(c);
  const bool fits =
      uniform      ? c->Take("L1")
      : prefetches ? c->TakeAny({"L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap"})
                   : c->Take(c->opcode() == "discard" ? "L2" : "L2::evict_normal");
  if (!fits) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  if (!prefetches) {
    c->Require(c->Spelling(), 74, 80);
  }
  const std::size_t count = prefetches ? 1 : 2;
  if (!c->ExpectOperands(count)) {
    return;
  }
  c->AddressIn(c->operand(0), space);
  if (!prefetches && (c->operand(1).kind != Kind::kInteger || c->operand(1).value != 128)) {
    c->Misuse(c->operand(1).at, "the size can only be 128");
  }
  Nothing(c, out);
}

// A policy is a number that nothing reads.
void DecodeCreatePolicy(Cursor* c, Instruction* out) {
  c->Require("createpolicy", 74, 80);
  const int kind = c->TakeOne({"range", "fractional", "cvt"});
  c->Take("global");
  if (kind == 2 ? !c->Take("L2")
                : !c->TakeAny({"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                               "L2::evict_unchanged"})) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  c->TakeAny({"L2::evict_first", "L2::evict_unchanged"});
  const Type type = c->TakeType({Type::kB64});
  const bool ranges = kind == 0;
  if (!c->ExpectOperands(ranges ? 4 : kind == 2 ? 2 : 1, ranges ? 4 : 2)) {
    return;
  }
  auto& move = out->Make<Move>();
  move.type = type;
  move.d = c->Destination(c->operand(0), Type::kB64);
  move.a = c->Literal(0);
}

// alloca, stacksave, stackrestore.
void DecodeStack(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 73, 52);
  const Type type = c->TakeType({Type::kU32, Type::kU64});
  c->code().function().top =
      c->code().function().top == kNoSlot ? c->Scratch() : c->code().function().top;
  const Stacked what = (c->opcode() == "alloca"      ? Stacked::kAllocate
                        : c->opcode() == "stacksave" ? Stacked::kSave
                                                     : Stacked::kRestore);
  const std::size_t count = what == Stacked::kAllocate ? 2 : 1;
  if (!c->ExpectOperands(count, what == Stacked::kAllocate ? 3 : 1)) {
    return;
  }
  auto& stack = out->Make<StackChange>();
  stack.what = what;
  stack.function = c->code().function_index();
  if (what == Stacked::kRestore) {
    stack.a = c->Source(c->operand(0), type);
    return;
  }
  stack.d = c->Destination(c->operand(0), type);
  if (what == Stacked::kSave) {
    return;
  }
  stack.a = c->Source(c->operand(1), type);
  const std::uint64_t align = c->operands().size() == 3 ? c->operand(2).value : 1;
  if ((align & (align - 1)) != 0 || align == 0 || align > (1U << 23)) {
    c->Fail(c->operand(2).at, "the alignment is not a power of two up to 2^23");
  }
  stack.alignment = static_cast<std::uint32_t>(std::max<std::uint64_t>(align, 16));
}

void DecodeConvertAddress(Cursor* c, Instruction* out) {
  const bool to = c->Take("to");
  const Space space = TakeSpace(c);
  const Type type = c->TakeType({Type::kU64});
  out->op = to ? Op::kCvtaTo : Op::kCvta;
  if (space == Space::kGeneric) {
    c->Fail(fmt::format("{} lacks a state space", c->Spelling()));
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  const Slot d = c->Destination(c->operand(0), type);
  const Slot a = c->Source(c->operand(1), type);
  if (space == Space::kParam && c->ParameterWindow() == 0) {
    out->op = Op::kMov;
    out->payload = Move{type, false, d, a};
    return;
  }
  out->payload = AddressConversion{space, d, a};
}

void DecodeIsSpace(Cursor* c, Instruction* out) {
  auto& conversion = out->Make<AddressConversion>();
  conversion.space = TakeSpace(c);
  if (conversion.space == Space::kGeneric) {
    c->Fail(fmt::format("{} lacks a state space", c->Spelling()));
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  conversion.d = c->Destination(c->operand(0), Type::kPred);
  conversion.a = c->Source(c->operand(1), Type::kB64);
}

// mapa and getctarank: of an address of shared memory, as such or as a generic one.
void DecodeMapAddress(Cursor* c, Instruction* out) {
  auto& mapping = out->Make<ClusterMapping>();
  const bool maps = out->op == Op::kMapToRank;
  c->Require(c->opcode(), 78, 90);
  if (c->Take("shared::cluster")) {
    mapping.space = Space::kCluster;
  }
  const Type type = c->TakeType({Type::kU32, Type::kU64});
  if (!c->ExpectOperands(maps ? 3 : 2)) {
    return;
  }
  if (mapping.space == Space::kGeneric && type == Type::kU32) {
    c->Misuse(fmt::format("a generic address does not fit {}", c->Spelling()));
  }
  mapping.d = c->Destination(c->operand(0), maps ? type : Type::kU32);
  mapping.a = c->Source(c->operand(1), type);
  if (maps) {
    mapping.rank = c->Source(c->operand(2), Type::kU32);
  }
}

// Registers of all functions together: one that only another function reads counts as read.
void DropAnswers(Program* program) {
  std::unordered_set<Slot> read;
  for (const Instruction& i : program->code) {
    for (const Slot slot : SourcesOf(i)) {
      read.insert(slot);
    }
  }
  for (Instruction& i : program->code) {
    if (auto* const access = std::get_if<AtomicAccess>(&i.payload)) {
      access->answers =
          access->answers && std::any_of(access->d.begin(), access->d.end(),
                                         [&](Slot slot) { return read.count(slot) != 0; });
    }
  }
}

}  // namespace muster::ptx
