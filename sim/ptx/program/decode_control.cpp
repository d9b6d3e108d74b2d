// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: branches, calls and the ends of threads.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

void Decoder::Branch() {
  Take("uni");
  if (!Count(1, 1)) {
    return;
  }
  Symbol symbol;
  if (Arg(0).kind != Kind::kName || !symbols_.Find(Arg(0).name, &symbol) ||
      symbol.kind != Symbol::Kind::kLabel) {
    Fail(Arg(0).at, fmt::format("there is no label {} here", Arg(0).name));
    return;
  }
  out_.target = static_cast<std::uint32_t>(symbol.address);
}

void Decoder::BranchIndexed() {
  if (!Take("idx")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  Take("uni");
  if (!Count(2, 2)) {
    return;
  }
  out_.a[0] = Source(Arg(0), Type::kU32);
  Symbol symbol;
  if (!symbols_.Find(Arg(1).name, &symbol) || symbol.kind != Symbol::Kind::kTargets) {
    Fail(Arg(1).at, fmt::format("there are no .branchtargets {} here", Arg(1).name));
    return;
  }
  out_.target = static_cast<std::uint32_t>(symbol.address);
}

void Decoder::Plain() {
  if (op_ == Op::kReturn) {
    Take("uni");
    out_.target = static_cast<std::uint32_t>(function_ - program_->functions.data());
  }
  Count(0, 0);
  // The end of a kernel is the end of its threads.
  if (op_ == Op::kReturn && function_->is_entry) {
    out_.op = Op::kExit;
  }
}

void Decoder::Sleep() {
  TakeType({Type::kU32});
  if (Count(1, 1)) {
    out_.a[0] = Source(Arg(0), Type::kU32);
  }
}

// What neither threads nor barriers can notice, as far as one grid goes.
void Decoder::NoEffect() {
  if (syntax_->opcode == "griddepcontrol") {
    Require("griddepcontrol", 78, 90);
    if (!TakeAny({"launch_dependents", "wait"})) {
      Fail(at_, "griddepcontrol lacks .launch_dependents or .wait");
    }
    Count(0, 0);
    return;
  }
  if (syntax_->opcode == "setmaxnreg") {
    Require("setmaxnreg", 80, 90);
    if (!TakeAny({"inc", "dec"}) || !Take("sync") || !Take("aligned")) {
      Fail(at_, "setmaxnreg lacks .inc or .dec, .sync or .aligned");
    }
    TakeType({Type::kU32});
    if (Count(1, 1) && (Arg(0).kind != Kind::kInteger || Arg(0).value < 24 || Arg(0).value > 256 ||
                        Arg(0).value % 8 != 0)) {
      Misuse(Arg(0).at, "the number of registers must be a multiple of 8 from 24 to 256");
    }
    return;
  }
  Take("mask");
  Count(1, 1);
}

// The caller's side of what a call moves.
std::vector<Place> Decoder::Places(const Operand& list, const std::vector<Parameter>& parameters,
                                   bool results) {
  std::vector<Place> places;
  if (list.parts.size() != parameters.size()) {
    Fail(list.at, fmt::format("the function takes {} {}, not {}", parameters.size(),
                              results ? "results" : "arguments", list.parts.size()));
    return places;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Operand& operand = list.parts[i];
    const Parameter& parameter = parameters[i];
    Place place;
    if (parameter.slot != kNoSlot) {
      place.slot = results ? Destination(operand, parameter.type) : Source(operand, parameter.type);
    } else {
      Symbol symbol;
      if (operand.kind != Kind::kName || !symbols_.Find(operand.name, &symbol) ||
          symbol.kind != Symbol::Kind::kVariable || !symbol.is_parameter || !symbol.in_frame) {
        Fail(operand.at, fmt::format("{} is not a .param variable of this function", operand.name));
        return places;
      }
      if (symbol.bytes < parameter.bytes) {
        Fail(operand.at, fmt::format("{} is smaller than the function's parameter", operand.name));
      }
      place.bytes = parameter.bytes;
      place.offset = static_cast<std::uint32_t>(symbol.address);
    }
    places.push_back(place);
  }
  return places;
}

// call (results), function or register, (arguments), prototype: all but the second may be missing.
void Decoder::CallFunction() {
  Take("uni");
  const std::vector<Operand>& operands = syntax_->operands;
  const Operand none;
  std::size_t next = 0;
  const auto list = [&]() -> const Operand& {
    const bool there = next < operands.size() && operands[next].kind == Kind::kList;
    return there ? operands[next++] : none;
  };
  const Operand& results = list();
  const Operand& target = next < operands.size() ? operands[next++] : none;
  const Operand& arguments = list();
  const Operand& prototype = next < operands.size() ? operands[next++] : none;
  if (next != operands.size() || target.kind != Kind::kName || prototype.kind != Kind::kName) {
    Fail(at_, "the operands are not those of a call");
  }
  if (!Finish()) {
    return;
  }
  Symbol symbol;
  if (!symbols_.Find(target.name, &symbol)) {
    Fail(target.at, fmt::format("there is no function {} in this file", target.name));
    return;
  }
  Call call;
  call.caller = static_cast<std::uint32_t>(function_ - program_->functions.data());
  const Function* callee = nullptr;
  if (symbol.kind == Symbol::Kind::kRegister) {
    Symbol signature;
    if (!symbols_.Find(prototype.name, &signature) || signature.kind != Symbol::Kind::kPrototype) {
      Fail(target.at, "an indirect call names no .callprototype and no .calltargets");
      return;
    }
    call.function = Call::kIndirect;
    callee = &program_->prototypes[signature.address];
    out_.a[0] = Source(target, Type::kB64);
  } else if (symbol.kind == Symbol::Kind::kFunction) {
    call.function = static_cast<std::uint32_t>(symbol.address);
    callee = &program_->functions[symbol.address];
  } else {
    Fail(target.at, fmt::format("{} is not a function", target.name));
    return;
  }
  if (callee->is_entry) {
    Fail(target.at, fmt::format("{} is an entry, which cannot be called", callee->name));
    return;
  }
  if (call.function != Call::kIndirect && !callee->has_body) {
    if (!CallRuntime(callee->name, arguments, results)) {
      Fail(target.at, fmt::format("the function {} has no body in this file", callee->name));
    }
    return;
  }
  call.arguments = Places(arguments, callee->parameters, false);
  call.results = Places(results, callee->returns, true);
  out_.target = static_cast<std::uint32_t>(program_->calls.size());
  program_->calls.push_back(std::move(call));
}

// Arguments and the result are .param variables: their offsets in the frame's local memory.
bool Decoder::CallRuntime(std::string_view name, const Operand& arguments, const Operand& results) {
  struct Entry {
    std::string_view name;
    Runtime function;
    std::size_t arguments;  // that count; assertions have more
    std::size_t results;
  };
  constexpr Entry kEntries[] = {{"__assertfail", Runtime::kAssert, 3, 0},
                                {"__assert_fail", Runtime::kAssert, 3, 0},
                                {"vprintf", Runtime::kPrint, 2, 1},
                                {"malloc", Runtime::kMalloc, 1, 1},
                                {"free", Runtime::kFree, 1, 0}};
  const auto* const entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                         [&](const Entry& e) { return e.name == name; });
  if (entry == std::end(kEntries)) {
    return false;
  }
  out_.op = Op::kRuntime;
  out_.mode = static_cast<std::uint8_t>(entry->function);
  const auto offset = [&](const Operand& operand) {
    Symbol symbol;
    if (!symbols_.Find(operand.name, &symbol) || !symbol.in_frame || !symbol.is_parameter) {
      Fail(operand.at, fmt::format("an operand of {} is not a .param variable", name));
    }
    return LiteralOf(symbol.address);
  };
  if (arguments.parts.size() < entry->arguments || results.parts.size() > entry->results) {
    Fail(at_, fmt::format("these are not the arguments of {}", name));
    return true;
  }
  for (std::size_t i = 0; i < entry->arguments; ++i) {
    out_.a[i] = offset(arguments.parts[i]);
  }
  if (!results.parts.empty()) {
    out_.a[3] = offset(results.parts.front());
  }
  return true;
}

}  // namespace muster::ptx
