// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/atomic_operation.h"

#include <fmt/format.h>

#include <tuple>

namespace muster {

bool operator==(const AtomicUpdate& a, const AtomicUpdate& b) {
  const auto all = [](const AtomicUpdate& u) {
    return std::tie(u.op, u.size, u.is_signed, u.cta, u.addr, u.upper, u.warp, u.lane, u.completes,
                    u.operand, u.compare, u.has_answer, u.releasing);
  };
  return all(a) == all(b) && a.from == b.from;
}

bool operator==(const RemoteAtomic& a, const RemoteAtomic& b) {
  const auto all = [](const RemoteAtomic& u) {
    return std::tie(u.valid, u.op, u.size, u.is_signed, u.addr, u.lane, u.operand, u.compare,
                    u.operand_upper, u.compare_upper, u.has_answer);
  };
  return (!a.valid && !b.valid) || all(a) == all(b);
}

bool operator==(const AtomicResponse& a, const AtomicResponse& b) {
  return std::tie(a.warp, a.lane, a.upper, a.word) == std::tie(b.warp, b.lane, b.upper, b.word) &&
         a.from == b.from;
}

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
