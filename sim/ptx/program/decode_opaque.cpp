// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode_opaque.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/program/decode_matrix.h"

namespace muster::ptx {
using syntax::Operand;
using Kind = syntax::Operand::Kind;

namespace {

// The registers that an operand names, whatever their types.
void AddRegisters(Cursor* c, const Operand& operand, std::vector<Slot>* slots) {
  for (const Operand& part : operand.parts) {
    AddRegisters(c, part, slots);
  }
  if (operand.kind != Kind::kName) {
    return;
  }
  Symbol symbol;
  if (!c->Find(operand.name, &symbol)) {
    c->Fail(operand.at, fmt::format("{} is not declared", operand.name));
  } else if (symbol.kind == Symbol::Kind::kRegister) {
    slots->push_back(symbol.slot);
  }
}

}  // namespace

void DecodeOpaque(Cursor* c, Instruction* out, Element result) {
  out->op = Op::kOpaque;
  auto& opaque = out->Make<Opaque>();
  opaque.text = c->code().NameOpaque(c->Spelling());
  for (std::size_t i = 1; i < c->operands().size(); ++i) {
    AddRegisters(c, c->operand(i), &opaque.a);
  }
  c->left().clear();
  if (c->operands().empty() || c->operand(0).kind != Kind::kVector) {
    c->Fail(fmt::format("{} takes its results in braces", c->Spelling()));
    return;
  }
  opaque.d = c->Registers(c->operand(0), RegisterOf(result),
                          static_cast<unsigned>(c->operand(0).parts.size()), true);
}

}  // namespace muster::ptx
