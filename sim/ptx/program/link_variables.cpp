// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Linking: variables, their initial values, and parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/directives.h"
#include "sim/ptx/program/linker.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

std::uint64_t CountLeaves(const std::vector<Operand>& values) {
  std::uint64_t count = 0;
  for (const Operand& value : values) {
    count += value.kind == Kind::kVector ? CountLeaves(value.parts) : 1;
  }
  return count;
}

}  // namespace

std::uint64_t BytesOf(const syntax::Variable& variable) {
  const std::uint64_t elements = variable.unsized && !variable.initial.empty()
                                     ? CountLeaves(variable.initial)
                                     : variable.vector * variable.elements;
  return Bytes(TypeOf(variable.type)) * elements;
}

std::uint64_t AlignOf(const syntax::Variable& variable) {
  return variable.align != 0 ? variable.align : Bytes(TypeOf(variable.type)) * variable.vector;
}

std::vector<FileVariable> VariablesOf(const syntax::Module& module) {
  std::vector<FileVariable> variables;
  for (const syntax::Variable& variable : module.variables) {
    if (variable.space == "global" || variable.space == "const") {
      variables.push_back({std::string(variable.name), variable.space == "const", 0,
                           BytesOf(variable), variable.at});
    }
  }
  return variables;
}

std::uint64_t Linker::Put(std::vector<std::uint8_t>* image, const syntax::Variable& variable) {
  const std::uint64_t offset = RoundUp(image->size(), AlignOf(variable));
  CheckSpace(variable, offset + BytesOf(variable), kMaxBytes);
  image->resize(offset + BytesOf(variable));
  program_.variables.push_back({std::string(variable.name), image == &program_.const_image, offset,
                                BytesOf(variable), variable.at});
  if (!variable.initial.empty()) {
    pending_.push_back({&variable, image, offset});
  }
  return offset;
}

void Linker::PutShared(const syntax::Variable& variable, Symbol* symbol) {
  if (variable.is_extern || variable.unsized) {
    symbol->address = program_.dynamic_base;
    program_.shared_names.push_back({std::string(variable.name), program_.dynamic_base, 0});
    return;
  }
  if (reached_.count(function_ == nullptr ? variable.name : function_->name) == 0) {
    return;  // what has no place here is not used either
  }
  symbol->address = RoundUp(shared_end_, AlignOf(variable));
  shared_end_ = symbol->address + BytesOf(variable);
  program_.shared_names.push_back({std::string(variable.name),
                                   static_cast<std::uint32_t>(symbol->address),
                                   static_cast<std::uint32_t>(BytesOf(variable))});
}

void Linker::DeclareRegister(const syntax::Variable& variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kRegister;
  symbol.type = TypeOf(variable.type);
  symbol.slot = static_cast<Slot>(function_->slots);
  symbol.range = variable.range;
  const std::uint64_t slots =
      std::uint64_t{std::max(variable.range, 1U)} * variable.vector * SlotsOf(symbol.type);
  if (slots > kMaxRegisters - std::min(function_->slots, kMaxRegisters)) {
    Fail(variable.at, fmt::format("{} makes more than {} registers", variable.name, kMaxRegisters));
    ThrowIfAny();
  }
  function_->slots += static_cast<std::uint32_t>(slots);
  if (variable.vector > 1) {
    DeclareElements(variable, symbol);
    symbol.vector = variable.vector;
  }
  if (!symbols_.Declare(variable.name, symbol)) {
    Fail(variable.at, fmt::format("{} is declared twice", variable.name));
  }
}

// v.x to v.w, also called v.r to v.a.
void Linker::DeclareElements(const syntax::Variable& variable, Symbol element) {
  constexpr std::string_view kNames[] = {"xyzw", "rgba"};
  if (variable.vector > kNames[0].size() || variable.range != 0) {
    Fail(variable.at, fmt::format("{} is no vector that registers can be", variable.name));
    return;
  }
  for (std::uint32_t i = 0; i < variable.vector; ++i) {
    for (const std::string_view names : kNames) {
      element_names_.push_back(fmt::format("{}.{}", variable.name, names[i]));
      symbols_.Declare(element_names_.back(), element);
    }
    element.slot += static_cast<Slot>(SlotsOf(element.type));
  }
}

void Linker::DeclareMemory(const syntax::Variable& variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kVariable;
  symbol.bytes = static_cast<std::uint32_t>(BytesOf(variable));
  if (variable.space == "shared") {
    symbol.space = Space::kShared;
    PutShared(variable, &symbol);
  } else if (variable.space == "global") {
    symbol.space = Space::kGlobal;
    symbol.address = GenericAddress(kGlobalSegment, Put(&program_.global_image, variable));
  } else if (variable.space == "const") {
    symbol.space = Space::kConst;
    symbol.address = GenericAddress(kConstSegment, Put(&program_.const_image, variable));
  } else if (function_ != nullptr) {  // local or param
    symbol.space = Space::kLocal;
    symbol.in_frame = true;
    symbol.is_parameter = variable.space == "param";
    symbol.address = RoundUp(function_->local_bytes, AlignOf(variable));
    CheckSpace(variable, symbol.address + symbol.bytes, kMaxLocalBytes);
    function_->local_bytes = static_cast<std::uint32_t>(symbol.address + symbol.bytes);
  } else {
    Fail(variable.at,
         fmt::format(".{} variables outside of functions are not supported", variable.space));
  }
  if (!symbols_.Declare(variable.name, symbol)) {
    Fail(variable.at, fmt::format("{} is declared twice", variable.name));
  }
}

// What no file can go on after: a space that is used up.
void Linker::CheckSpace(const syntax::Variable& variable, std::uint64_t end, std::uint64_t most) {
  if (end > most) {
    Fail(variable.at, fmt::format("{} brings the .{} variables to more than {} bytes",
                                  variable.name, variable.space, most));
    ThrowIfAny();
  }
}

// The variable has a type and a size that there can be.
bool Linker::IsSound(const syntax::Variable& variable) {
  if (TypeOf(variable.type) == Type::kNone) {
    Fail(variable.at,
         fmt::format("the type .{} of {} is not supported", variable.type, variable.name));
    return false;
  }
  if ((variable.align & (variable.align - 1)) != 0) {
    Fail(variable.at, fmt::format("the alignment of {} is not a power of two", variable.name));
    return false;
  }
  const bool local = variable.space == "local" || variable.space == "param";
  const std::uint64_t most = local ? kMaxLocalBytes : kMaxBytes;
  if (variable.align > most || variable.elements > most || BytesOf(variable) > most) {
    Fail(variable.at, fmt::format("{} is larger than {} bytes", variable.name, most));
    ThrowIfAny();
  }
  return true;
}

void Linker::Declare(const syntax::Variable& variable) {
  if (!IsSound(variable)) {
    return;
  }
  if (variable.space == "reg" && function_ == nullptr) {
    Fail(variable.at, "registers are declared in functions");
  } else if (variable.space == "reg") {
    DeclareRegister(variable);
  } else {
    DeclareMemory(variable);
  }
}

void Linker::Initialise() {
  for (const Pending& pending : pending_) {
    Fill(*pending.variable, pending.image, pending.offset);
  }
  pending_.clear();
}

void Linker::Fill(const syntax::Variable& variable, std::vector<std::uint8_t>* image,
                  std::uint64_t offset) {
  const std::uint64_t end = offset + BytesOf(variable);
  if (!FillFrom(variable.initial, TypeOf(variable.type), image, &offset, end)) {
    Fail(variable.at, fmt::format("the initialiser of {} does not fit it", variable.name));
  }
}

bool Linker::FillFrom(const std::vector<Operand>& values, Type type,
                      std::vector<std::uint8_t>* image, std::uint64_t* offset, std::uint64_t end) {
  for (const Operand& value : values) {
    if (value.kind == Kind::kVector) {
      if (!FillFrom(value.parts, type, image, offset, end)) {
        return false;
      }
      continue;
    }
    std::uint64_t bits = value.value;
    if (value.kind == Kind::kName || value.kind == Kind::kGeneric) {
      Symbol symbol;
      if (!symbols_.Find(value.name, &symbol) ||
          (symbol.kind != Symbol::Kind::kVariable && symbol.kind != Symbol::Kind::kFunction)) {
        Fail(value.at, fmt::format("{} is not a variable or a function", value.name));
        return true;
      }
      const bool is_function = symbol.kind == Symbol::Kind::kFunction;
      bits += is_function ? FunctionAddress(symbol.address) : symbol.address;
      if (value.kind == Kind::kGeneric && !is_function) {
        bits += WindowOf(symbol.space);
      }
      if (value.mask != 0) {
        bits = (bits & value.mask) >> __builtin_ctzll(value.mask);
      }
    } else {
      bits = ImmediateBits(value, type);
    }
    if (*offset + Bytes(type) > end) {
      return false;
    }
    std::memcpy(image->data() + *offset, &bits, Bytes(type));
    *offset += Bytes(type);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------
// Functions
// ------------------------------------------------------------------------------------------------

void Linker::DeclareParameters(const std::vector<syntax::Variable>& list,
                               std::vector<Parameter>* parameters) {
  for (const syntax::Variable& variable : list) {
    if (function_->is_entry && !IsSound(variable)) {
      continue;
    }
    Parameter parameter;
    parameter.name = std::string(variable.name);
    parameter.type = variable.is_array ? Type::kNone : TypeOf(variable.type);
    parameter.bytes = static_cast<std::uint32_t>(BytesOf(variable));
    if (function_->is_entry) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::kVariable;
      symbol.space = Space::kParam;
      symbol.is_parameter = true;
      symbol.bytes = parameter.bytes;
      std::uint32_t& end = function_->local_bytes;  // of the parameters, until the body begins
      parameter.offset = static_cast<std::uint32_t>(RoundUp(end, AlignOf(variable)));
      end = parameter.offset + parameter.bytes;
      CheckSpace(variable, end, kMaxLocalBytes);
      symbol.address = GenericAddress(kParamSegment, parameter.offset);
      if (!symbols_.Declare(variable.name, symbol)) {
        Fail(variable.at, fmt::format("{} is declared twice", variable.name));
      }
    } else if (variable.space == "reg") {
      parameter.slot = static_cast<Slot>(function_->slots);
      DeclareRegister(variable);
    } else {
      Declare(variable);
      Symbol symbol;
      if (symbols_.Find(variable.name, &symbol)) {
        parameter.offset = static_cast<std::uint32_t>(symbol.address);
      }
    }
    parameters->push_back(std::move(parameter));
  }
}

}  // namespace muster::ptx
