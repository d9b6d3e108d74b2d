// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/arithmetic.h"

namespace muster::litmus {
namespace {

std::uint64_t Bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::int64_t Compute(Operator op, std::int64_t a, std::int64_t b) {
  const auto wrapped = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (op) {
    case Operator::kAdd:
      return wrapped(Bits(a) + Bits(b));
    case Operator::kSub:
      return wrapped(Bits(a) - Bits(b));
    case Operator::kMul:
      return wrapped(Bits(a) * Bits(b));
    case Operator::kDiv:
      // PTX leaves a division by 0 open; here it gives 0.
      return b == 0 ? 0 : b == -1 ? wrapped(-Bits(a)) : a / b;
    case Operator::kAnd:
      return a & b;
    case Operator::kOr:
      return a | b;
    case Operator::kXor:
      return a ^ b;
    case Operator::kExchange:
    case Operator::kCompareAndSwap:
      break;
  }
  return b;
}

bool Compare(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      break;
  }
  return a >= b;
}

}  // namespace muster::litmus
