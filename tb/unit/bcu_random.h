// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random instructions of the barrier control unit, the same ones in every run.
#ifndef MUSTER_TB_UNIT_BCU_RANDOM_H_
#define MUSTER_TB_UNIT_BCU_RANDOM_H_

#include <cstdint>
#include <iterator>
#include <random>

#include "sim/bcu/instruction.h"

namespace muster::bcu {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t Bits() { return engine_(); }
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }

  // Values over the whole width of every field, RZ and PT often; the mode is one that exists.
  Instruction AnyOperands() {
    const Form& form = kForms[Below(std::size(kForms))];
    Instruction instruction(form);
    instruction[Field::kPg] = Below(8);
    instruction[Field::kPgNot] = Below(2);
    if (form.mode != Field::kNone) {
      instruction[form.mode] = Below(form.mode == Field::kRedOp ? 3 : 2);
    }
    for (const Field field : {Field::kRd, Field::kRa, Field::kRb}) {
      instruction[field] = OneIn(8) ? kRegZ : Below(256);
    }
    instruction[Field::kBar] = Below(16);
    instruction[Field::kCount] = Below(4096);
    instruction[Field::kPp] = Below(8);
    instruction[Field::kPpNot] = Below(2);
    instruction[Field::kPu] = Below(8);
    return instruction;
  }

  // One that Check lets pass.
  Instruction Legal() {
    Instruction instruction = AnyOperands();
    const bool arrives = instruction.form().optype == Optype::kBar && instruction.mode() == kArv;
    instruction[Field::kCount] = 32 * (arrives ? 1 + Below(127) : Below(128));
    return instruction;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace muster::bcu

#endif  // MUSTER_TB_UNIT_BCU_RANDOM_H_
