// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: memory, control flow, calls, warps and barriers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/golden/operation.h"
#include "sim/ptx/decode.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

// ------------------------------------------------------------------------------------------------
// Memory
// ------------------------------------------------------------------------------------------------

Space Decoder::TakeSpace() {
  constexpr std::pair<std::string_view, Space> kNames[] = {
      {"global", Space::kGlobal},      {"const", Space::kConst},
      {"param", Space::kParam},        {"shared", Space::kShared},
      {"local", Space::kLocal},        {"shared::cta", Space::kShared},
      {"param::entry", Space::kParam}, {"param::func", Space::kParam}};
  for (const auto& [name, space] : kNames) {
    if (Take(name)) {
      return space;
    }
  }
  return Space::kGeneric;
}

// Every access is performed at once and in order here, so that ordering and cache operators have
// nothing to add.
void Decoder::TakeOrdering() {
  TakeAny({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"});
  TakeAny({"cta", "cluster", "gpu", "sys", "gl"});
  TakeAny({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  Take("nc");
  left_.erase(std::remove_if(left_.begin(), left_.end(),
                             [](std::string_view modifier) {
                               return modifier.substr(0, 4) == "L1::" ||
                                      modifier.substr(0, 4) == "L2::";
                             }),
              left_.end());
}

void Decoder::LoadStore() {
  const bool load = op_ == Op::kLoad;
  out_.space = TakeSpace();
  TakeOrdering();
  const int vector = TakeOne({"v2", "v4"});
  out_.vector = vector < 0 ? 1 : vector == 0 ? 2 : 4;
  const Type type =
      TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kU8, Type::kU16, Type::kU32,
                Type::kU64, Type::kS8, Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  if (!Count(2, 2)) {
    return;
  }
  Address(Arg(load ? 1 : 0));
  const Operand& value = Arg(load ? 0 : 1);
  const bool is_vector = value.kind == Kind::kVector;
  if (is_vector != (out_.vector > 1) || (is_vector && value.parts.size() != out_.vector)) {
    Fail(value.at, fmt::format("{} takes {} register{}", Spelling(), out_.vector,
                               out_.vector == 1 ? "" : "s in braces"));
    return;
  }
  Type actual = type;
  for (unsigned i = 0; i < out_.vector; ++i) {
    const Operand& part = is_vector ? value.parts[i] : value;
    if (load) {
      out_.d[i] = Destination(part, type, !IsFloat(type), &actual);
    } else {
      out_.a[1 + i] = Source(part, type, !IsFloat(type));
    }
  }
  out_.source = actual;
}

void Decoder::AtomicAccess() {
  const bool reduces = syntax_->opcode == "red";
  if (reduces && Take("async")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  out_.space = TakeSpace();
  const int op = TakeOne({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0) {
    Fail(at_, fmt::format("{} lacks its operation", Spelling()));
    return;
  }
  out_.mode = static_cast<std::uint8_t>(op);
  const auto operation = static_cast<Atomic>(op);
  TakeOrdering();
  Type type = Type::kU32;
  switch (operation) {
    case Atomic::kAdd:
      type = TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64});
      break;
    case Atomic::kMin:
    case Atomic::kMax:
      type = TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
      break;
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      type = TakeType({Type::kU32});
      break;
    default:
      type = TakeType({Type::kB32, Type::kB64});
  }
  out_.type = type;
  const bool swaps = operation == Atomic::kCompareSwap;
  const std::size_t first = reduces ? 0 : 1;
  if (reduces && operation >= Atomic::kExchange && operation <= Atomic::kCompareSwap) {
    Fail(at_, fmt::format("red has no operation .{}", swaps ? "cas" : "exch"));
  }
  if (!Count(first + 2 + (swaps ? 1 : 0), first + 2 + (swaps ? 1 : 0))) {
    return;
  }
  out_.d[0] = reduces ? Scratch() : Destination(Arg(0), type);
  Address(Arg(first));
  out_.a[1] = Source(Arg(first + 1), type);
  if (swaps) {
    out_.a[2] = Source(Arg(first + 2), type);
  }
}

void Decoder::Fence() {
  if (syntax_->opcode == "membar") {
    if (!TakeAny({"cta", "gl", "sys"})) {
      Fail(at_, "membar lacks .cta, .gl or .sys");
    }
  } else {
    TakeAny({"sc", "acq_rel", "acquire", "release"});
    if (!TakeAny({"cta", "cluster", "gpu", "sys"})) {
      Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    }
  }
  Count(0, 0);
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

// ------------------------------------------------------------------------------------------------
// Control flow
// ------------------------------------------------------------------------------------------------

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

void Decoder::Plain() {
  if (op_ == Op::kReturn) {
    Take("uni");
  }
  Count(0, 0);
  // The end of a kernel is the end of its threads.
  if (op_ == Op::kReturn && function_->is_entry) {
    out_.op = Op::kExit;
  }
}

std::vector<Transfer> Decoder::Transfers(const Operand& list,
                                         const std::vector<Parameter>& parameters, bool results) {
  std::vector<Transfer> transfers;
  if (list.parts.size() != parameters.size()) {
    Fail(list.at, fmt::format("the function takes {} {}, not {}", parameters.size(),
                              results ? "results" : "arguments", list.parts.size()));
    return transfers;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Operand& operand = list.parts[i];
    const Parameter& parameter = parameters[i];
    Transfer transfer;
    if (parameter.slot != kNoSlot) {
      transfer.callee = parameter.slot;
      transfer.caller =
          results ? Destination(operand, parameter.type) : Source(operand, parameter.type);
    } else {
      Symbol symbol;
      if (operand.kind != Kind::kName || !symbols_.Find(operand.name, &symbol) ||
          symbol.kind != Symbol::Kind::kVariable || !symbol.is_parameter || !symbol.in_frame) {
        Fail(operand.at, fmt::format("{} is not a .param variable of this function", operand.name));
        return transfers;
      }
      if (symbol.bytes < parameter.bytes) {
        Fail(operand.at, fmt::format("{} is smaller than the function's parameter", operand.name));
      }
      transfer.bytes = parameter.bytes;
      transfer.caller_offset = static_cast<std::uint32_t>(symbol.address);
      transfer.callee_offset = parameter.offset;
    }
    transfers.push_back(transfer);
  }
  return transfers;
}

void Decoder::CallFunction() {
  Take("uni");
  const std::size_t count = syntax_->operands.size();
  const bool has_results = count > 0 && Arg(0).kind == Kind::kList;
  const std::size_t name = has_results ? 1 : 0;
  if (count > name + 2) {
    Fail(at_, "indirect calls are not supported");
    return;
  }
  if (!Count(name + 1, name + 2)) {
    return;
  }
  const Operand none;
  const Operand& results = has_results ? Arg(0) : none;
  const Operand& arguments = count > name + 1 ? Arg(name + 1) : none;
  Symbol symbol;
  if (!symbols_.Find(Arg(name).name, &symbol)) {
    Fail(Arg(name).at, fmt::format("there is no function {} in this file", Arg(name).name));
    return;
  }
  if (symbol.kind != Symbol::Kind::kFunction) {
    Fail(Arg(name).at, "indirect calls are not supported");
    return;
  }
  const Function& callee = program_->functions[symbol.address];
  if (callee.is_entry) {
    Fail(Arg(name).at, fmt::format("{} is an entry, which cannot be called", callee.name));
    return;
  }
  if (!callee.has_body && callee.name == "__assertfail") {
    CallAssert(arguments);
    return;
  }
  if (!callee.has_body) {
    Fail(Arg(name).at, fmt::format("the function {} has no body in this file", callee.name));
    return;
  }
  Call call;
  call.caller = static_cast<std::uint32_t>(function_ - program_->functions.data());
  call.function = static_cast<std::uint32_t>(symbol.address);
  call.arguments = Transfers(arguments, callee.parameters, false);
  call.results = Transfers(results, callee.returns, true);
  out_.target = static_cast<std::uint32_t>(program_->calls.size());
  program_->calls.push_back(std::move(call));
}

// __assertfail(message, file, line, function, character size): offset of the first three.
void Decoder::CallAssert(const Operand& list) {
  out_.op = Op::kAssert;
  if (list.parts.size() < 3) {
    Fail(at_, "__assertfail takes five arguments");
    return;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Symbol symbol;
    if (!symbols_.Find(list.parts[i].name, &symbol) || !symbol.in_frame) {
      Fail(list.parts[i].at, "an argument of __assertfail is not a .param variable");
      return;
    }
    out_.a[i] = LiteralOf(symbol.address);
  }
}

// ------------------------------------------------------------------------------------------------
// Warps and CTAs
// ------------------------------------------------------------------------------------------------

void Decoder::ActiveMask() {
  out_.type = TakeType({Type::kB32});
  if (!Count(1, 1)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
}

void Decoder::Vote() {
  if (!Take("sync")) {
    Unsupported("the form without .sync");
    return;
  }
  const int mode = TakeOne({"all", "any", "uni", "ballot"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .all, .any, .uni or .ballot", Spelling()));
  }
  const bool ballot = mode == static_cast<int>(VoteMode::kBallot);
  out_.mode = static_cast<std::uint8_t>(std::max(mode, 0));
  const Type type = ballot ? TakeType({Type::kB32}) : TakeType({Type::kPred});
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  out_.a[0] = Source(Arg(2), Type::kB32);  // the lanes that take part
  out_.a[1] = Predicate(Arg(1));
  out_.negated = Arg(1).negated;
}

void Decoder::Shuffle() {
  if (!Take("sync")) {
    Unsupported("the form without .sync");
    return;
  }
  const int mode = TakeOne({"up", "down", "bfly", "idx"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .up, .down, .bfly or .idx", Spelling()));
  }
  out_.mode = static_cast<std::uint8_t>(std::max(mode, 0));
  TakeType({Type::kB32});
  if (!Count(5, 5)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  out_.d[1] = Scratch();
  if (!Arg(0).second.empty()) {
    Operand second;
    second.name = Arg(0).second;
    second.at = Arg(0).at;
    out_.d[1] = Destination(second, Type::kPred);
  }
  out_.a[0] = Source(Arg(4), Type::kB32);  // the lanes that take part
  out_.a[1] = Source(Arg(1), Type::kB32);
  out_.a[2] = Source(Arg(2), Type::kB32);
  out_.a[3] = Source(Arg(3), Type::kB32);
}

void Decoder::BarrierWarp() {
  out_.op = Op::kWarpSync;
  if (!Take("sync")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  }
  if (!Count(1, 1)) {
    return;
  }
  out_.a[0] = Source(Arg(0), Type::kB32);
}

void Decoder::Barrier() {
  const bool bar = syntax_->opcode == "bar";
  if (bar && Take("warp")) {
    BarrierWarp();
    return;
  }
  Take("cta");
  const bool cluster = Take("cluster");
  const int form = TakeOne({"sync", "arrive", "red"});
  if (form < 0 || cluster) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  const bool reduces = form == 2;
  OpKind kind = form == 0 ? OpKind::kSync : OpKind::kArrive;
  Type result = Type::kPred;
  if (reduces) {
    const int op = TakeOne({"and", "or", "popc"});
    if (op < 0) {
      Fail(at_, fmt::format("{} lacks .popc, .and or .or", Spelling()));
      return;
    }
    kind = op == 0 ? OpKind::kRedAnd : op == 1 ? OpKind::kRedOr : OpKind::kRedPopc;
    result = kind == OpKind::kRedPopc ? Type::kU32 : Type::kPred;
    TakeType({result});
  }
  // Up to sm_6x, a warp comes to every barrier as one.
  out_.aligned = bar || Take("aligned") || target_ < 70;
  out_.mode = static_cast<std::uint8_t>(kind);
  out_.type = result;
  const std::size_t first = reduces ? 1 : 0;
  if (!Count(reduces ? 3 : kind == OpKind::kArrive ? 2 : 1, reduces ? 4 : 2)) {
    return;
  }
  const std::size_t last = syntax_->operands.size() - (reduces ? 1 : 0);
  out_.a[0] = Source(Arg(first), Type::kU32);
  out_.a[1] = first + 1 < last ? Source(Arg(first + 1), Type::kU32) : LiteralOf(0);
  if (reduces) {
    out_.d[0] = Destination(Arg(0), result);
    out_.a[2] = Predicate(Arg(last));
    out_.negated = Arg(last).negated;
  }
}

}  // namespace muster::ptx
