// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: branches, calls and the ends of threads.
#include "sim/ptx/program/decode_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// The caller's side of what a call moves.
std::vector<Place> Places(Cursor* c, const Operand& list, const std::vector<Parameter>& parameters,
                          bool results) {
  std::vector<Place> places;
  if (list.parts.size() != parameters.size()) {
    c->Fail(list.at, fmt::format("the function takes {} {}, not {}", parameters.size(),
                                 results ? "results" : "arguments", list.parts.size()));
    return places;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Operand& operand = list.parts[i];
    const Parameter& parameter = parameters[i];
    Place place;
    if (parameter.slot != kNoSlot) {
      place.slot =
          results ? c->Destination(operand, parameter.type) : c->Source(operand, parameter.type);
    } else {
      Symbol symbol;
      if (operand.kind != Kind::kName || !c->Find(operand.name, &symbol) ||
          symbol.kind != Symbol::Kind::kVariable || !symbol.is_parameter || !symbol.in_frame) {
        c->Fail(operand.at,
                fmt::format("{} is not a .param variable of this function", operand.name));
        return places;
      }
      if (symbol.bytes < parameter.bytes) {
        c->Fail(operand.at,
                fmt::format("{} is smaller than the function's parameter", operand.name));
      }
      place.bytes = parameter.bytes;
      place.offset = static_cast<std::uint32_t>(symbol.address);
    }
    places.push_back(place);
  }
  return places;
}

// Arguments and the result are .param variables: their offsets in the frame's local memory.
bool CallRuntime(Cursor* c, Instruction* out, std::string_view name, const Operand& arguments,
                 const Operand& results) {
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
  out->op = Op::kRuntime;
  auto& call = out->Make<RuntimeCall>();
  call.function = entry->function;
  const auto offset = [&](const Operand& operand) {
    Symbol symbol;
    if (!c->Find(operand.name, &symbol) || !symbol.in_frame || !symbol.is_parameter) {
      c->Fail(operand.at, fmt::format("an operand of {} is not a .param variable", name));
    }
    return c->Literal(symbol.address);
  };
  if (arguments.parts.size() < entry->arguments || results.parts.size() > entry->results) {
    c->Fail(fmt::format("these are not the arguments of {}", name));
    return true;
  }
  for (std::size_t i = 0; i < entry->arguments; ++i) {
    call.arguments[i] = offset(arguments.parts[i]);
  }
  if (!results.parts.empty()) {
    call.result = offset(results.parts.front());
  }
  return true;
}

}  // namespace

void DecodeBranch(Cursor* c, Instruction* out) {
  c->Take("uni");
  if (!c->ExpectOperands(1)) {
    return;
  }
  Symbol symbol;
  if (c->operand(0).kind != Kind::kName || !c->Find(c->operand(0).name, &symbol) ||
      symbol.kind != Symbol::Kind::kLabel) {
    c->Fail(c->operand(0).at, fmt::format("there is no label {} here", c->operand(0).name));
    return;
  }
  out->Make<Branch>().target = static_cast<std::uint32_t>(symbol.address);
}

void DecodeBranchIndexed(Cursor* c, Instruction* out) {
  if (!c->Take("idx")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
  c->Take("uni");
  if (!c->ExpectOperands(2)) {
    return;
  }
  auto& branch = out->Make<IndexedBranch>();
  branch.index = c->Source(c->operand(0), Type::kU32);
  Symbol symbol;
  if (!c->Find(c->operand(1).name, &symbol) || symbol.kind != Symbol::Kind::kTargets) {
    c->Fail(c->operand(1).at,
            fmt::format("there are no .branchtargets {} here", c->operand(1).name));
    return;
  }
  branch.table = static_cast<std::uint32_t>(symbol.address);
}

void DecodePlain(Cursor* c, Instruction* out) {
  const Op op = out->op;
  if (op == Op::kReturn) {
    c->Take("uni");
    out->Make<Return>().function = c->code().function_index();
  }
  c->ExpectOperands(0);
  // The end of a kernel is the end of its threads.
  if (op == Op::kReturn && c->code().function().is_entry) {
    out->op = Op::kExit;
    out->Make<std::monostate>();
  }
}

void DecodeSleep(Cursor* c, Instruction* out) {
  c->TakeType({Type::kU32});
  if (c->ExpectOperands(1)) {
    out->Make<Nanosleep>().ns = c->Source(c->operand(0), Type::kU32);
  }
}

// What neither threads nor barriers can notice, as far as one grid goes.
void DecodeGridControl(Cursor* c, Instruction* out) {
  c->Require("griddepcontrol", 78, 90);
  const bool waits = c->Take("wait");
  if (!waits && !c->Take("launch_dependents")) {
    c->Fail("griddepcontrol lacks .launch_dependents or .wait");
  }
  c->ExpectOperands(0);
  out->Make<GridControl>().waits = waits;
}

void DecodeNoEffect(Cursor* c, Instruction* /*out*/) {
  c->Take("mask");
  c->ExpectOperands(1);
}

// call (results), function or register, (arguments), prototype: all but the second may be missing.
void DecodeCallFunction(Cursor* c, Instruction* out) {
  c->Take("uni");
  const std::vector<Operand>& operands = c->operands();
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
    c->Fail("the operands are not those of a call");
  }
  if (!c->ExpectEnd()) {
    return;
  }
  Symbol symbol;
  if (!c->Find(target.name, &symbol)) {
    c->Fail(target.at, fmt::format("there is no function {} in this file", target.name));
    return;
  }
  Call call;
  call.caller = c->code().function_index();
  const Function* callee = nullptr;
  auto& instruction = out->Make<FunctionCall>();
  if (symbol.kind == Symbol::Kind::kRegister) {
    Symbol signature;
    if (!c->Find(prototype.name, &signature) || signature.kind != Symbol::Kind::kPrototype) {
      c->Fail(target.at, "an indirect call names no .callprototype and no .calltargets");
      return;
    }
    call.function = Call::kIndirect;
    callee = &c->code().program().prototypes[signature.address];
    instruction.function = c->Source(target, Type::kB64);
  } else if (symbol.kind == Symbol::Kind::kFunction) {
    call.function = static_cast<std::uint32_t>(symbol.address);
    callee = &c->code().program().functions[symbol.address];
  } else {
    c->Fail(target.at, fmt::format("{} is not a function", target.name));
    return;
  }
  if (callee->is_entry) {
    c->Fail(target.at, fmt::format("{} is an entry, which cannot be called", callee->name));
    return;
  }
  if (call.function != Call::kIndirect && !callee->has_body) {
    if (!CallRuntime(c, out, callee->name, arguments, results)) {
      const bool launches = callee->name.rfind("__cudaCDP", 0) == 0 ||
                            callee->name.rfind("cudaLaunchDevice", 0) == 0 ||
                            callee->name.rfind("cudaGetParameterBuffer", 0) == 0;
      c->Fail(target.at,
              launches ? fmt::format("a kernel cannot launch a kernel here ({} of CUDA's dynamic "
                                     "parallelism): a manifest has the launches, one after the "
                                     "other",
                                     callee->name)
                       : fmt::format("the function {} has no body in this file", callee->name));
    }
    return;
  }
  call.arguments = Places(c, arguments, callee->parameters, false);
  call.results = Places(c, results, callee->returns, true);
  instruction.call = static_cast<std::uint32_t>(c->code().program().calls.size());
  c->code().program().calls.push_back(std::move(call));
}

}  // namespace muster::ptx
