// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode.h"

#include <fmt/format.h>

#include "sim/ptx/program/decode_families.h"

namespace muster::ptx {
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
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  out.op = family->op;
  family->decode(c, &out);
  if (!c->failed()) {
    c->Emit(out);
  }
}

}  // namespace muster::ptx
