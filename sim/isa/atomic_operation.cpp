// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/atomic_operation.h"

#include <fmt/format.h>

namespace muster {

const char* Name(AtomicOp op) {
  constexpr const char* kNames[kNumAtomicOps] = {"add", "inc",  "dec", "min", "max", "and", "or",
                                                 "xor", "exch", "cas", "add", "add", "add"};
  return kNames[static_cast<unsigned>(op)];
}

std::string TypeName(AtomicOp op, AtomicSize size, bool is_signed) {
  switch (op) {
    case AtomicOp::kFAdd:
      return size == AtomicSize::k64 ? "f64" : "f32";
    case AtomicOp::kHAdd:
      return size == AtomicSize::k16 ? "f16" : "f16x2";
    case AtomicOp::kBAdd:
      return size == AtomicSize::k16 ? "bf16" : "bf16x2";
    default:
      break;
  }
  const bool orders = op == AtomicOp::kMin || op == AtomicOp::kMax;
  return fmt::format("{}{}", orders ? (is_signed ? "s" : "u") : "b", 8 * BytesOf(size));
}

std::string Describe(const AtomicUpdate& update) {
  return fmt::format(
      "{}.{}{} at {:#x} of CTA {} by warp {}, lane {}: {:#x}{}", Name(update.op),
      TypeName(update.op, update.size, update.is_signed),
      update.size == AtomicSize::k128 ? (update.upper ? ", upper half," : ", lower half,") : "",
      update.addr, update.cta, update.warp, update.lane, update.operand,
      update.op == AtomicOp::kCas ? fmt::format(" if {:#x}", update.compare) : "");
}

}  // namespace muster
