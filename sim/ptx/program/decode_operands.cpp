// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: operands.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/directives.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

struct SpecialEntry {
  Special special;
  Type type;
};
const std::unordered_map<std::string_view, SpecialEntry>& Specials() {
  static const std::unordered_map<std::string_view, SpecialEntry> specials = {
      {"%tid.x", {Special::kTidX, Type::kU32}},
      {"%tid.y", {Special::kTidY, Type::kU32}},
      {"%tid.z", {Special::kTidZ, Type::kU32}},
      {"%ntid.x", {Special::kNtidX, Type::kU32}},
      {"%ntid.y", {Special::kNtidY, Type::kU32}},
      {"%ntid.z", {Special::kNtidZ, Type::kU32}},
      {"%ctaid.x", {Special::kCtaidX, Type::kU32}},
      {"%ctaid.y", {Special::kCtaidY, Type::kU32}},
      {"%ctaid.z", {Special::kCtaidZ, Type::kU32}},
      {"%nctaid.x", {Special::kNctaidX, Type::kU32}},
      {"%nctaid.y", {Special::kNctaidY, Type::kU32}},
      {"%nctaid.z", {Special::kNctaidZ, Type::kU32}},
      {"%laneid", {Special::kLaneId, Type::kU32}},
      {"%warpid", {Special::kWarpId, Type::kU32}},
      {"%nwarpid", {Special::kNumWarps, Type::kU32}},
      {"%lanemask_eq", {Special::kLaneMaskEq, Type::kU32}},
      {"%lanemask_le", {Special::kLaneMaskLe, Type::kU32}},
      {"%lanemask_lt", {Special::kLaneMaskLt, Type::kU32}},
      {"%lanemask_ge", {Special::kLaneMaskGe, Type::kU32}},
      {"%lanemask_gt", {Special::kLaneMaskGt, Type::kU32}},
      {"%clock", {Special::kClock, Type::kU32}},
      {"%clock_hi", {Special::kClockHi, Type::kU32}},
      {"%clock64", {Special::kClock64, Type::kU64}},
      {"%globaltimer", {Special::kGlobalTimer, Type::kU64}},
      {"%globaltimer_lo", {Special::kGlobalTimerLo, Type::kU32}},
      {"%globaltimer_hi", {Special::kGlobalTimerHi, Type::kU32}},
      {"%smid", {Special::kSmId, Type::kU32}},
      {"%nsmid", {Special::kNumSm, Type::kU32}},
      {"%gridid", {Special::kGridId, Type::kU64}},
      {"%dynamic_smem_size", {Special::kDynamicShared, Type::kU32}},
      {"%aggr_smem_size", {Special::kAggregateShared, Type::kU32}},
      {"%total_smem_size", {Special::kTotalShared, Type::kU32}},
      {"%clusterid.x", {Special::kClusterIdX, Type::kU32}},
      {"%clusterid.y", {Special::kClusterIdY, Type::kU32}},
      {"%clusterid.z", {Special::kClusterIdZ, Type::kU32}},
      {"%nclusterid.x", {Special::kNumClustersX, Type::kU32}},
      {"%nclusterid.y", {Special::kNumClustersY, Type::kU32}},
      {"%nclusterid.z", {Special::kNumClustersZ, Type::kU32}},
      {"%cluster_ctaid.x", {Special::kClusterCtaidX, Type::kU32}},
      {"%cluster_ctaid.y", {Special::kClusterCtaidY, Type::kU32}},
      {"%cluster_ctaid.z", {Special::kClusterCtaidZ, Type::kU32}},
      {"%cluster_nctaid.x", {Special::kClusterNctaidX, Type::kU32}},
      {"%cluster_nctaid.y", {Special::kClusterNctaidY, Type::kU32}},
      {"%cluster_nctaid.z", {Special::kClusterNctaidZ, Type::kU32}},
      {"%cluster_ctarank", {Special::kClusterRank, Type::kU32}},
      {"%cluster_nctarank", {Special::kClusterCtas, Type::kU32}},
      {"%is_explicit_cluster", {Special::kExplicitCluster, Type::kPred}},
      {"%reserved_smem_offset_begin", {Special::kReservedBegin, Type::kU32}},
      {"%reserved_smem_offset_end", {Special::kReservedEnd, Type::kU32}},
      {"%reserved_smem_offset_cap", {Special::kReservedCap, Type::kU32}},
      {"%reserved_smem_offset_0", {Special::kReserved0, Type::kU32}},
      {"%reserved_smem_offset_1", {Special::kReserved1, Type::kU32}},
      {"%envreg1", {Special::kWorkspaceHigh, Type::kU32}},
      {"%envreg2", {Special::kWorkspaceLow, Type::kU32}},
      {"%current_graph_exec", {Special::kZero, Type::kU64}}};
  return specials;
}

// %envreg0 to 31, and %pm0 to 7, %pm0_64 to 7_64: there is no driver that sets them, save those
// that hold the address of a cooperative grid's workspace, and nothing is monitored.
const SpecialEntry* NumberedSpecial(std::string_view name) {
  static constexpr SpecialEntry kNothing = {Special::kZero, Type::kU32};
  static constexpr SpecialEntry kWideNothing = {Special::kZero, Type::kU64};
  const bool environment = name.substr(0, 7) == "%envreg";
  if (!environment && name.substr(0, 3) != "%pm") {
    return nullptr;
  }
  std::string_view number = name.substr(environment ? 7 : 3);
  const bool wide = !environment && number.size() == 4 && number.substr(1) == "_64";
  number = number.substr(0, wide ? 1 : number.size());
  const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
  if (number.empty() || number.size() > 2 || !digits) {
    return nullptr;
  }
  return NumberIn(number) < (environment ? 32 : 8) ? (wide ? &kWideNothing : &kNothing) : nullptr;
}

const SpecialEntry* FindSpecial(std::string_view name) {
  const auto found = Specials().find(name);
  return found == Specials().end() ? NumberedSpecial(name) : &found->second;
}

}  // namespace

Slot Decoder::Destination(const Operand& operand, Type type, bool may_be_wider, Type* actual) {
  if (actual != nullptr) {
    *actual = type;
  }
  if (operand.kind != Kind::kName || operand.negated || operand.has_offset) {
    Fail(operand.at, fmt::format("the destination of {} is not a register", Spelling()));
    return kNoSlot;
  }
  if (operand.name == "_") {
    return Scratch();
  }
  Symbol symbol;
  if (!symbols_.Find(operand.name, &symbol)) {
    Fail(operand.at, fmt::format("{} is not declared", operand.name));
    return kNoSlot;
  }
  if (symbol.kind != Symbol::Kind::kRegister || symbol.vector > 1) {
    Fail(operand.at, fmt::format("the destination of {} is not a register", Spelling()));
    return kNoSlot;
  }
  const bool fits =
      (symbol.type == Type::kPred) == (type == Type::kPred) &&
      (Bytes(symbol.type) == Bytes(type) ||
       (may_be_wider && Bytes(symbol.type) > Bytes(type) && symbol.type != Type::kB128));
  if (!fits) {
    Fail(operand.at, fmt::format("the register {} does not fit the destination of {}", operand.name,
                                 Spelling()));
  }
  CheckKind(operand, symbol.type, type);
  if (actual != nullptr) {
    *actual = symbol.type;
  }
  return symbol.slot;
}

// Integers and floating-point numbers do not stand for each other; bits stand for both.
void Decoder::CheckKind(const Operand& operand, Type there, Type wanted) {
  const auto is_real = [](Type type) {
    return IsFloat(ElementOf(type)) || IsSmallFloat(ElementOf(type));
  };
  if (!IsBits(there) && !IsBits(wanted) && is_real(there) != is_real(wanted)) {
    Misuse(operand.at,
           fmt::format("the register {} is not of the type of {}", operand.name, Spelling()));
  }
}

void Decoder::RefuseSink(const Operand& operand) {
  if (operand.kind == Kind::kName && operand.name == "_") {
    Misuse(operand.at, fmt::format("{} needs a register for its result", Spelling()));
  }
}

Slot Decoder::SecondDestination(const Operand& operand, Type type) {
  if (operand.second.empty()) {
    return Scratch();
  }
  Operand second;
  second.name = operand.second;
  second.at = operand.at;
  return Destination(second, type);
}

Slot Decoder::Source(const Operand& operand, Type type, bool may_be_wider) {
  switch (operand.kind) {
    case Kind::kFloat:
      if (!IsFloat(type) && !IsBits(type)) {
        Fail(operand.at, fmt::format("a floating-point operand does not fit {}", Spelling()));
      }
      return LiteralOf(ImmediateBits(operand, type));
    case Kind::kInteger:
      if (IsFloat(type)) {
        Fail(operand.at, fmt::format("an integer operand does not fit {}", Spelling()));
      }
      return LiteralOf(ImmediateBits(operand, type));
    case Kind::kName:
      return NameSource(operand, type, may_be_wider);
    default:
      Fail(operand.at, fmt::format("this kind of operand does not fit {}", Spelling()));
      return kNoSlot;
  }
}

Slot Decoder::NameSource(const Operand& operand, Type type, bool may_be_wider) {
  if (const SpecialEntry* const special = FindSpecial(operand.name); special != nullptr) {
    Instruction read;
    read.op = Op::kSpecial;
    read.type = special->type;
    read.mode = static_cast<std::uint8_t>(special->special);
    read.line = at_.line;
    read.d[0] = Scratch();
    Emit(read);
    return read.d[0];
  }
  Symbol symbol;
  if (!symbols_.Find(operand.name, &symbol)) {
    const bool is_special =
        operand.name.front() == '%' && operand.name.find('.') != std::string_view::npos;
    Fail(operand.at, fmt::format("{} is not {}", operand.name,
                                 is_special ? "a special register that is supported" : "declared"));
    return kNoSlot;
  }
  if (symbol.kind == Symbol::Kind::kVariable) {
    return AddressOf(operand, symbol);
  }
  if (symbol.kind == Symbol::Kind::kFunction && Bytes(type) == 8) {
    return LiteralOf(FunctionAddress(symbol.address));
  }
  if (symbol.kind != Symbol::Kind::kRegister || symbol.vector > 1 || operand.has_offset) {
    Fail(operand.at, fmt::format("{} does not fit {}", operand.name, Spelling()));
    return kNoSlot;
  }
  const bool fits =
      (symbol.type == Type::kPred) == (type == Type::kPred) &&
      (Bytes(symbol.type) == Bytes(type) ||
       (may_be_wider && Bytes(symbol.type) > Bytes(type) && symbol.type != Type::kB128));
  if (!fits) {
    Fail(operand.at, fmt::format("the register {} does not fit {}", operand.name, Spelling()));
  }
  CheckKind(operand, symbol.type, type);
  if (operand.negated && type != Type::kPred) {
    Fail(operand.at, fmt::format("\"!\" does not fit {}", Spelling()));
  }
  return symbol.slot;
}

// The address of a variable as a value.
Slot Decoder::AddressOf(const Operand& operand, const Symbol& symbol) {
  std::uint64_t address = symbol.address + operand.value;
  if (symbol.in_frame && symbol.is_parameter) {
    address += WindowOf(Space::kLocal);
  }
  if (!symbol.in_frame) {
    return LiteralOf(address);
  }
  return SumOf(kStackSlot, static_cast<std::int64_t>(address));
}

Slot Decoder::SumOf(Slot base, std::int64_t offset) {
  if (offset == 0) {
    return base;
  }
  Instruction add;
  add.op = Op::kAdd;
  add.type = Type::kU64;
  add.line = at_.line;
  add.d[0] = Scratch();
  add.a[0] = base;
  add.a[1] = LiteralOf(static_cast<std::uint64_t>(offset));
  Emit(add);
  return add.d[0];
}

Slot Decoder::Predicate(const Operand& operand) { return Source(operand, Type::kPred); }

// Sources from operand `first` on, of the types given, into a[0], a[1], ...
void Decoder::Sources(std::size_t first, std::initializer_list<Type> types) {
  std::size_t i = 0;
  for (const Type type : types) {
    out_.a[i] = Source(Arg(first + i), type);
    ++i;
  }
}

void Decoder::Address(const Operand& operand) {
  if (operand.kind != Kind::kAddress || operand.parts.size() != 1) {
    Fail(operand.at, fmt::format("{} takes an address in brackets", Spelling()));
    return;
  }
  const Operand& base = operand.parts.front();
  if (base.kind == Kind::kInteger) {
    out_.a[0] = LiteralOf(base.value);
    return;
  }
  if (base.kind != Kind::kName || base.negated) {
    Fail(base.at, fmt::format("this address does not fit {}", Spelling()));
    return;
  }
  Symbol symbol;
  if (!symbols_.Find(base.name, &symbol)) {
    Fail(base.at, fmt::format("{} is not declared", base.name));
    return;
  }
  out_.offset = static_cast<std::int64_t>(base.value);
  if (symbol.kind == Symbol::Kind::kRegister) {
    if (Bytes(symbol.type) < 4) {
      Fail(base.at, fmt::format("the register {} is too narrow for an address", base.name));
    }
    out_.a[0] = symbol.slot;
    out_.narrow = Bytes(symbol.type) == 4;
    // A parameter's address in a register is a generic one.
    if (out_.space == Space::kParam) {
      out_.space = Space::kGeneric;
    }
    return;
  }
  if (symbol.kind != Symbol::Kind::kVariable) {
    Fail(base.at, fmt::format("{} is not a variable", base.name));
    return;
  }
  const Space declared = symbol.is_parameter ? Space::kParam : symbol.space;
  const bool in_cluster = out_.space == Space::kCluster && declared == Space::kShared;
  if (out_.space != Space::kGeneric && out_.space != declared && !in_cluster) {
    Fail(base.at, fmt::format("{} accesses the {} space, where {} does not lie", Spelling(),
                              Name(out_.space), base.name));
  }
  out_.space = symbol.space;
  out_.a[0] = symbol.in_frame ? kStackSlot : LiteralOf(0);
  out_.offset += static_cast<std::int64_t>(symbol.address);
}

}  // namespace muster::ptx
