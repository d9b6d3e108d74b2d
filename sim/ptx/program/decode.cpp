// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "sim/ptx/program/decode_families.h"

namespace muster::ptx {
namespace {

// What is said of an opcode that is left out on purpose; empty: nothing.
const char* WhyNot(std::string_view opcode) {
  const auto is = [opcode](std::initializer_list<std::string_view> opcodes) {
    return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
  };
  if (opcode == "multimem") {
    return ": its address stands for memory of several GPUs, and there is one here";
  }
  if (is({"tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"})) {
    return ": there are no textures and surfaces here, only buffers";
  }
  return "";
}

}  // namespace

void Decode(Cursor* c) {
  Instruction out;
  out.line = c->at().line;
  out.column = c->at().column;
  if (const auto guard = c->guard(); guard) {
    out.guard = c->Predicate(*guard);
    out.guard_negated = guard->negated;
  }
  const Family* const family = FamilyOf(c->opcode());
  if (family == nullptr) {
    c->Fail(
        fmt::format("the instruction {} is not supported{}", c->Spelling(), WhyNot(c->opcode())));
    return;
  }
  out.op = family->op;
  family->decode(c, &out);
  if (!c->failed()) {
    c->Emit(out);
  }
}

}  // namespace muster::ptx
