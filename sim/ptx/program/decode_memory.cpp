// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: memory.
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

Space Decoder::TakeSpace() {
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
    if (!Take(name)) {
      continue;
    }
    if (name == "shared::cluster") {
      Require(".shared::cluster", 78, 90);
    } else if (name == "shared::cta") {
      Require(".shared::cta", 78, 30);
    }
    return space;
  }
  return Space::kGeneric;
}

// .mmio, which comes with an order.
bool Decoder::TakeMemoryMapped() {
  if (!Take("mmio")) {
    return false;
  }
  Require(".mmio", 82, 70);
  if (!Take("relaxed")) {
    Fail(at_, fmt::format("{} lacks .relaxed", Spelling()));
  }
  return true;
}

// Returns whether there is one of the memory orders that the instruction can have.
bool Decoder::TakeOrder() {
  switch (op_) {
    case Op::kLoad:
      return TakeMemoryMapped() || TakeAny({"weak", "relaxed", "acquire", "volatile"});
    case Op::kStore:
      return TakeMemoryMapped() || TakeAny({"weak", "relaxed", "release", "volatile"});
    case Op::kAtomic:
      // The text's grammar of red has no acquire, its examples have.
      return TakeAny({"relaxed", "acquire", "release"}) ||
             (syntax_->opcode == "atom" && Take("acq_rel"));
    default:
      return false;
  }
}

// Every access is performed at once and in order here, so that ordering and cache operators have
// nothing to add. Returns whether an operand that names a cache policy follows.
bool Decoder::TakeOrdering() {
  const bool ordered = TakeOrder();
  const int scope = TakeOne({"cta", "gpu", "sys", "cluster"});
  if (scope == 3) {
    Require("the scope .cluster", 78, 90);
  } else if (ordered && op_ == Op::kAtomic) {
    Require("a memory order", 60, 70);
  }
  TakeAny({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  Take("nc");
  Take("unified");
  const bool has_policy = Take("L2::cache_hint");
  if (has_policy) {
    Require(".L2::cache_hint", 74, 80);
  }
  if (TakeAny({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
               "L1::no_allocate"}) |
      TakeAny({"L2::evict_normal", "L2::evict_first", "L2::evict_last"})) {
    Require("an eviction priority", 74, 70);
  }
  if (const int size = TakeOne({"L2::64B", "L2::128B", "L2::256B"}); size >= 0) {
    Require("a size to fetch ahead", 74, size == 2 ? 80 : 75);
  }
  return has_policy;
}

// A policy of caches, which is looked at only.
Slot Decoder::Policy(const Operand& operand) { return Source(operand, Type::kB64); }

// .v2, .v4, .v8 or none.
std::uint8_t Decoder::TakeVector() {
  const int vector = TakeOne({"v2", "v4", "v8"});
  return static_cast<std::uint8_t>(1U << (vector + 1));
}

// The registers of a vector, or the one of a scalar. Of 128 bits each is two.
std::vector<Slot> Decoder::Registers(const Operand& operand, Type type, bool destination,
                                     Type* actual) {
  std::vector<Slot> slots;
  if (Symbol whole; operand.kind == Kind::kName && symbols_.Find(operand.name, &whole) &&
                    whole.vector > 1 && whole.vector == out_.vector &&
                    Bytes(whole.type) == Bytes(type) && type != Type::kB128) {
    for (std::uint32_t i = 0; i < whole.vector; ++i) {
      slots.push_back(whole.slot + static_cast<Slot>(i));
    }
    return slots;
  }
  const bool is_vector = operand.kind == Kind::kVector;  // of one element, too
  if (operand.parts.size() != out_.vector && (is_vector || out_.vector > 1)) {
    Fail(operand.at, fmt::format("{} takes {} register{}", Spelling(), out_.vector,
                                 out_.vector == 1 ? "" : "s in braces"));
    return slots;
  }
  for (unsigned i = 0; i < out_.vector; ++i) {
    const Operand& part = is_vector ? operand.parts[i] : operand;
    if (type == Type::kB128) {
      const auto halves = Halves(part, destination);
      slots.insert(slots.end(), halves.begin(), halves.end());
    } else if (destination) {
      slots.push_back(Destination(part, type, actual != nullptr, actual));
    } else {
      slots.push_back(Source(part, type, actual != nullptr));
    }
  }
  return slots;
}

void Decoder::LoadStore() {
  const bool load = op_ == Op::kLoad;
  if (!load && Take("async")) {
    StoreAsync();
    return;
  }
  out_.space = TakeSpace();
  const bool has_policy = TakeOrdering();
  out_.vector = TakeVector();
  const Type type = TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kB128, Type::kU8,
                              Type::kU16, Type::kU32, Type::kU64, Type::kS8, Type::kS16, Type::kS32,
                              Type::kS64, Type::kF32, Type::kF64});
  if (Bytes(type) * out_.vector > 32) {
    Unsupported("a vector of more than 32 bytes");
  }
  const std::size_t count = has_policy ? 3 : 2;
  if (!Count(count, count)) {
    return;
  }
  if (has_policy) {
    Policy(Arg(2));
  }
  out_.type = type;
  Address(Arg(load ? 1 : 0));
  // A register may be wider than what moves, if that is no number of a certain format.
  Type actual = type;
  const auto slots = Registers(Arg(load ? 0 : 1), type, load, IsFloat(type) ? nullptr : &actual);
  std::copy(slots.begin(), slots.end(), load ? out_.d.begin() : out_.a.begin() + 1);
  if (type == Type::kB128) {
    out_.type = actual = Type::kB64;
    out_.vector = static_cast<std::uint8_t>(2 * out_.vector);
  }
  out_.source = actual;
}

// The operators of atom and red, and the type that follows.
Type Decoder::AtomicType(Atomic operation) {
  const bool vector = out_.vector > 1;
  const bool halves = Take("noftz");
  if (vector) {
    Require("a vector of atomics", 81, 90);
  }
  if (halves || vector) {
    if (operation != Atomic::kAdd &&
        !(vector && (operation == Atomic::kMin || operation == Atomic::kMax))) {
      Unsupported("this operation on vectors or .noftz");
    }
    if (vector && !halves) {
      if (operation != Atomic::kAdd) {
        Unsupported("this operation on .f32");
      }
      return TakeType({Type::kF32});
    }
    const Type type = TakeType({Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2});
    const bool bf16 = type == Type::kBF16 || type == Type::kBF16x2;
    Require("this type",
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
      const Type type = TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64});
      if (type == Type::kF64) {
        Require("this type", 50, 60);
      }
      return type;
    }
    case Atomic::kMin:
    case Atomic::kMax:
      return TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      return TakeType({Type::kU32});
    case Atomic::kExchange:
      return TakeType({Type::kB32, Type::kB64, Type::kB128});
    case Atomic::kCompareSwap:
      return TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kB128});
    default:
      return TakeType({Type::kB32, Type::kB64});
  }
}

void Decoder::AtomicAccess() {
  const bool reduces = syntax_->opcode == "red";
  if (reduces && Take("async")) {
    StoreAsync();
    return;
  }
  out_.space = TakeSpace();
  const bool shared = IsShared(out_.space);
  if (out_.space != Space::kGeneric && out_.space != Space::kGlobal && !shared) {
    Unsupported(fmt::format("the space .{}", Name(out_.space)));
  }
  const int op = TakeOne({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0) {
    Fail(at_, fmt::format("{} lacks its operation", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(op);
  const auto operation = static_cast<Atomic>(op);
  const bool has_policy = TakeOrdering();
  if (has_policy && (shared || operation == Atomic::kCompareSwap)) {
    Unsupported(".L2::cache_hint");
  }
  out_.vector = TakeVector();
  const Type type = AtomicType(operation);
  if (type == Type::kB128) {
    Require("this type", 83, 90);
  } else if (type == Type::kB16) {
    Require("this type", 63, 70);
  }
  const bool most_of_vectors = IsHalf(type) ? out_.vector <= 8 : out_.vector <= 4;
  if (!most_of_vectors || (out_.vector > 1 && shared)) {
    Unsupported("this vector");
  }
  const bool swaps = operation == Atomic::kCompareSwap;
  const std::size_t first = reduces ? 0 : 1;
  if (reduces && (swaps || operation == Atomic::kExchange)) {
    Fail(at_, fmt::format("red has no operation .{}", swaps ? "cas" : "exch"));
  }
  const std::size_t count = first + 2 + (swaps ? 1 : 0) + (has_policy ? 1 : 0);
  if (!Count(count, count)) {
    return;
  }
  if (has_policy) {
    Policy(Arg(count - 1));
  }
  out_.type = type;
  Address(Arg(first));
  const auto b = Registers(Arg(first + 1), type, false);
  std::copy(b.begin(), b.end(), out_.a.begin() + 1);
  if (swaps) {
    const auto c = Registers(Arg(first + 2), type, false);
    std::copy(c.begin(), c.end(), out_.a.begin() + 1 + static_cast<std::ptrdiff_t>(b.size()));
  }
  if (reduces) {
    std::generate_n(out_.d.begin(), b.size(), [&] { return Scratch(); });
  } else {
    const auto d = Registers(Arg(0), type, true);
    std::copy(d.begin(), d.end(), out_.d.begin());
  }
}

// The operands have been looked at, and that is all.
void Decoder::Nothing() {
  out_ = {};
  out_.line = at_.line;
}

// prefetch, prefetchu, applypriority, discard.
void Decoder::CacheHint() {
  const bool prefetches = syntax_->opcode.substr(0, 8) == "prefetch";
  const bool uniform = syntax_->opcode == "prefetchu";
  out_.space = uniform ? Space::kGeneric : TakeSpace();
  const bool fits = uniform ? Take("L1")
                    : prefetches
                        ? TakeAny({"L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap"})
                        : Take(syntax_->opcode == "discard" ? "L2" : "L2::evict_normal");
  if (!fits) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  if (!prefetches) {
    Require(Spelling(), 74, 80);
  }
  const std::size_t count = prefetches ? 1 : 2;
  if (!Count(count, count)) {
    return;
  }
  Address(Arg(0));
  if (!prefetches && (Arg(1).kind != Kind::kInteger || Arg(1).value != 128)) {
    Misuse(Arg(1).at, "the size can only be 128");
  }
  Nothing();
}

// A policy is a number that nothing reads.
void Decoder::CreatePolicy() {
  Require("createpolicy", 74, 80);
  const int kind = TakeOne({"range", "fractional", "cvt"});
  Take("global");
  if (kind == 2 ? !Take("L2")
                : !TakeAny({"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                            "L2::evict_unchanged"})) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  TakeAny({"L2::evict_first", "L2::evict_unchanged"});
  out_.type = TakeType({Type::kB64});
  const bool ranges = kind == 0;
  if (!Count(ranges ? 4 : kind == 2 ? 2 : 1, ranges ? 4 : 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB64);
  out_.a[0] = LiteralOf(0);
}

// alloca, stacksave, stackrestore.
void Decoder::Stack() {
  Require(Spelling(), 73, 52);
  out_.type = TakeType({Type::kU32, Type::kU64});
  function_->top = function_->top == kNoSlot ? Scratch() : function_->top;
  out_.mode = static_cast<std::uint8_t>(syntax_->opcode == "alloca"      ? Stacked::kAllocate
                                        : syntax_->opcode == "stacksave" ? Stacked::kSave
                                                                         : Stacked::kRestore);
  const auto what = static_cast<Stacked>(out_.mode);
  const std::size_t count = what == Stacked::kAllocate ? 2 : 1;
  if (!Count(count, what == Stacked::kAllocate ? 3 : 1)) {
    return;
  }
  out_.target = static_cast<std::uint32_t>(function_ - program_->functions.data());
  if (what == Stacked::kRestore) {
    out_.a[0] = Source(Arg(0), out_.type);
    return;
  }
  out_.d[0] = Destination(Arg(0), out_.type);
  if (what == Stacked::kSave) {
    return;
  }
  out_.a[0] = Source(Arg(1), out_.type);
  const std::uint64_t align = syntax_->operands.size() == 3 ? Arg(2).value : 1;
  if ((align & (align - 1)) != 0 || align == 0 || align > (1U << 23)) {
    Fail(Arg(2).at, "the alignment is not a power of two up to 2^23");
  }
  out_.offset = static_cast<std::int64_t>(std::max<std::uint64_t>(align, 16));
}

void Decoder::ConvertAddress() {
  const bool to = Take("to");
  const Space space = TakeSpace();
  const Type type = TakeType({Type::kU64});
  out_.op = to ? Op::kCvtaTo : Op::kCvta;
  out_.type = type;
  out_.space = space;
  if (space == Space::kGeneric) {
    Fail(at_, fmt::format("{} lacks a state space", Spelling()));
  }
  if (!Count(2, 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  out_.a[0] = Source(Arg(1), type);
  // The address of a parameter of a function is a generic one already.
  if (space == Space::kParam) {
    out_.op = Op::kMov;
  }
}

void Decoder::IsSpace() {
  out_.space = TakeSpace();
  if (out_.space == Space::kGeneric) {
    Fail(at_, fmt::format("{} lacks a state space", Spelling()));
  }
  if (!Count(2, 2)) {
    return;
  }
  out_.type = Type::kU64;
  out_.d[0] = Destination(Arg(0), Type::kPred);
  out_.a[0] = Source(Arg(1), Type::kB64);
}

// mapa and getctarank: of an address of shared memory, as such or as a generic one.
void Decoder::MapAddress() {
  const bool maps = op_ == Op::kMapToRank;
  Require(syntax_->opcode, 78, 90);
  if (Take("shared::cluster")) {
    out_.space = Space::kCluster;
  }
  out_.type = TakeType({Type::kU32, Type::kU64});
  if (!Count(maps ? 3 : 2, maps ? 3 : 2)) {
    return;
  }
  if (out_.space == Space::kGeneric && out_.type == Type::kU32) {
    Misuse(at_, fmt::format("a generic address does not fit {}", Spelling()));
  }
  out_.d[0] = Destination(Arg(0), maps ? out_.type : Type::kU32);
  out_.a[0] = Source(Arg(1), out_.type);
  if (maps) {
    out_.a[1] = Source(Arg(2), Type::kU32);
  }
}

}  // namespace muster::ptx
