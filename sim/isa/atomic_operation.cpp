// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/atomic_operation.h"

#include <fmt/format.h>

namespace muster {

const char* Name(AtomicOp op) {
  constexpr const char* kNames[kNumAtomicOps] = {"add", "inc", "dec", "min",  "max",
                                                 "and", "or",  "xor", "exch", "cas"};
  return kNames[static_cast<unsigned>(op)];
}

std::string Describe(const AtomicUpdate& update) {
  const bool orders = update.op == AtomicOp::kMin || update.op == AtomicOp::kMax;
  return fmt::format("{}.{}{} at {:#x} of CTA {} by warp {}, lane {}: {:#x}{}", Name(update.op),
                     orders ? (update.is_signed ? "s" : "u") : "b", 8 * BytesOf(update.size),
                     update.addr, update.cta, update.warp, update.lane, update.operand,
                     update.op == AtomicOp::kCas ? fmt::format(" if {:#x}", update.compare) : "");
}

}  // namespace muster
