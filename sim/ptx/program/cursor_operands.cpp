// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Operands.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/special_registers.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// Whether a number of a type has this value, signed or not.
bool Holds(Type type, std::uint64_t value) {
  const unsigned bits = 8 * Bytes(type);
  return bits < 32 || bits >= 64 || value >> bits == 0 ||
         value >> (bits - 1) == ~std::uint64_t{0} >> (bits - 1);
}

}  // namespace

std::optional<Operand> Cursor::guard() const {
  if (syntax_.guard.empty()) {
    return std::nullopt;
  }
  Operand guard;
  guard.name = syntax_.guard;
  guard.negated = syntax_.guard_negated;
  guard.at = at_;
  return guard;
}

Slot Cursor::Destination(const Operand& operand, Type type, bool may_be_wider, Type* actual) {
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
void Cursor::CheckKind(const Operand& operand, Type there, Type wanted) {
  const auto is_real = [](Type type) {
    return IsFloat(ElementOf(type)) || IsSmallFloat(ElementOf(type));
  };
  if (!IsBits(there) && !IsBits(wanted) && is_real(there) != is_real(wanted)) {
    Misuse(operand.at,
           fmt::format("the register {} is not of the type of {}", operand.name, Spelling()));
  }
}

void Cursor::RefuseSink(const Operand& operand) {
  if (operand.kind == Kind::kName && operand.name == "_") {
    Misuse(operand.at, fmt::format("{} needs a register for its result", Spelling()));
  }
}

Slot Cursor::SecondDestination(const Operand& operand, Type type) {
  if (operand.second.empty()) {
    return Scratch();
  }
  Operand second;
  second.name = operand.second;
  second.at = operand.at;
  return Destination(second, type);
}

Slot Cursor::Source(const Operand& operand, Type type, bool may_be_wider) {
  switch (operand.kind) {
    case Kind::kFloat:
      if (!IsFloat(type) && !IsBits(type)) {
        Fail(operand.at, fmt::format("a floating-point operand does not fit {}", Spelling()));
      }
      return Literal(ImmediateBits(operand, type));
    case Kind::kInteger:
      if (IsFloat(type)) {
        Fail(operand.at, fmt::format("an integer operand does not fit {}", Spelling()));
      }
      if (!Holds(type, operand.value)) {
        Misuse(operand.at, fmt::format("{:#x} has more than the {} bits of {}", operand.value,
                                       8 * Bytes(type), Spelling()));
      }
      return Literal(ImmediateBits(operand, type));
    case Kind::kName:
      return NameSource(operand, type, may_be_wider);
    default:
      Fail(operand.at, fmt::format("this kind of operand does not fit {}", Spelling()));
      return kNoSlot;
  }
}

Slot Cursor::NameSource(const Operand& operand, Type type, bool may_be_wider) {
  if (const auto special = FindSpecial(operand.name); special) {
    Instruction read;
    read.op = Op::kSpecial;
    read.line = at_.line;
    const Slot value = Scratch();
    read.payload = SpecialRead{*special, value};
    Emit(read);
    return value;
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
    return Literal(FunctionAddress(symbol.address));
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

// The parameters of a kernel are in a space of their own. In other functions the address of a
// parameter, once taken, is a generic one.
std::uint64_t Cursor::ParameterWindow() {
  return code().function().is_entry ? WindowOf(Space::kParam) : 0;
}

// The address of a variable as a value.
Slot Cursor::AddressOf(const Operand& operand, const Symbol& symbol) {
  std::uint64_t address = symbol.address + operand.value;
  if (symbol.is_parameter) {
    address += symbol.in_frame ? WindowOf(Space::kLocal) : 0;
    address -= ParameterWindow();
  }
  if (!symbol.in_frame) {
    return Literal(address);
  }
  return SumOf(kStackSlot, static_cast<std::int64_t>(address));
}

Slot Cursor::SumOf(Slot base, std::int64_t offset) {
  if (offset == 0) {
    return base;
  }
  Instruction add;
  add.op = Op::kAdd;
  add.line = at_.line;
  auto& sum = add.Make<Arithmetic>();
  sum.type = Type::kU64;
  sum.d = Scratch();
  sum.a[0] = base;
  sum.a[1] = Literal(static_cast<std::uint64_t>(offset));
  Emit(add);
  return sum.d;
}

Address Cursor::AddressIn(const Operand& operand, Space space) {
  Address address;
  address.space = space;
  if (operand.kind != Kind::kAddress || operand.parts.size() != 1) {
    Fail(operand.at, fmt::format("{} takes an address in brackets", Spelling()));
    return address;
  }
  const Operand& base = operand.parts.front();
  if (base.kind == Kind::kInteger) {
    address.base = Literal(base.value + operand.value);
    return address;
  }
  if (base.kind != Kind::kName || base.negated) {
    Fail(base.at, fmt::format("this address does not fit {}", Spelling()));
    return address;
  }
  Symbol symbol;
  if (!symbols_.Find(base.name, &symbol)) {
    Fail(base.at, fmt::format("{} is not declared", base.name));
    return address;
  }
  address.offset = static_cast<std::int64_t>(base.value + operand.value);
  if (symbol.kind == Symbol::Kind::kRegister) {
    if (Bytes(symbol.type) < 4) {
      Fail(base.at, fmt::format("the register {} is too narrow for an address", base.name));
    }
    address.base = symbol.slot;
    address.narrow = Bytes(symbol.type) == 4;
    if (space == Space::kParam) {
      address.space = Space::kGeneric;
      address.offset += static_cast<std::int64_t>(ParameterWindow());
    }
    return address;
  }
  if (symbol.kind != Symbol::Kind::kVariable) {
    Fail(base.at, fmt::format("{} is not a variable", base.name));
    return address;
  }
  const Space declared = symbol.is_parameter ? Space::kParam : symbol.space;
  const bool in_cluster = space == Space::kCluster && declared == Space::kShared;
  if (space != Space::kGeneric && space != declared && !in_cluster) {
    Fail(base.at, fmt::format("{} accesses the {} space, where {} does not lie", Spelling(),
                              Name(space), base.name));
  }
  address.space = symbol.space;
  address.base = symbol.in_frame ? kStackSlot : Literal(0);
  address.offset += static_cast<std::int64_t>(symbol.address);
  return address;
}

Slot Cursor::AddressValue(const Operand& operand, Space space) {
  const Address address = AddressIn(operand, space);
  // A variable's name stands for its generic address where there is no state space.
  const bool by_name = space == Space::kGeneric && IsShared(address.space);
  const auto window = static_cast<std::int64_t>(by_name ? WindowOf(address.space) : 0);
  return SumOf(address.base, address.offset + window);
}

std::array<Slot, 2> Cursor::Halves(const syntax::Operand& operand, bool destination) {
  std::array<Slot, 2> halves{kNoSlot, kNoSlot};
  if (operand.kind == Kind::kVector) {
    if (operand.parts.size() != 2) {
      Unsupported("this number of elements");
      return halves;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      halves[i] = destination ? Destination(operand.parts[i], Type::kB64)
                              : Source(operand.parts[i], Type::kB64);
    }
    return halves;
  }
  if (operand.kind != Kind::kName) {
    Fail(operand.at, fmt::format("this kind of operand does not fit {}", Spelling()));
    return halves;
  }
  const Slot low = destination ? Destination(operand, Type::kB128) : Source(operand, Type::kB128);
  return {low, low + 1};
}

std::vector<Slot> Cursor::Registers(const Operand& operand, Type type, unsigned count,
                                    bool destination, Type* actual) {
  std::vector<Slot> slots;
  if (Symbol whole; operand.kind == Kind::kName && symbols_.Find(operand.name, &whole) &&
                    whole.vector > 1 && whole.vector == count && Bytes(whole.type) == Bytes(type) &&
                    type != Type::kB128) {
    for (std::uint32_t i = 0; i < count; ++i) {
      slots.push_back(whole.slot + static_cast<Slot>(i));
    }
    return slots;
  }
  const bool is_vector = operand.kind == Kind::kVector;  // of one element, too
  if (operand.parts.size() != count && (is_vector || count > 1)) {
    Fail(operand.at,
         fmt::format("{} takes {} register{}", Spelling(), count, count == 1 ? "" : "s in braces"));
    return slots;
  }
  for (unsigned i = 0; i < count; ++i) {
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

}  // namespace muster::ptx
