// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of warp-wide instructions.
#include <cmath>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kCanonicalNan = 0x7fffffff;

template <typename F>
void ForAll(Exchange* e, F f) {
  ForEachBit(e->lanes, [&](unsigned lane) { e->result[lane] = f(lane); });
}

void EvaluateVote(Exchange* e) {
  std::uint32_t yes = 0;
  ForEachBit(e->lanes, [&](unsigned lane) { yes |= (e->value[lane] != 0 ? 1U : 0U) << lane; });
  const std::uint32_t result = e->op == WarpOp::kAll       ? (yes == e->lanes ? 1 : 0)
                               : e->op == WarpOp::kAny     ? (yes != 0 ? 1 : 0)
                               : e->op == WarpOp::kUniform ? (yes == 0 || yes == e->lanes ? 1 : 0)
                                                           : yes;
  ForAll(e, [&](unsigned) { return result; });
}

void EvaluateMatch(Exchange* e) {
  const auto same = [&](unsigned lane) {
    std::uint32_t lanes = 0;
    ForEachBit(e->lanes, [&](unsigned other) {
      lanes |= (e->value[other] == e->value[lane] ? 1U : 0U) << other;
    });
    return lanes;
  };
  const bool all = same(static_cast<unsigned>(__builtin_ctz(e->lanes))) == e->lanes;
  e->predicates = all ? e->lanes : 0;
  ForAll(e, [&](unsigned lane) { return e->op == WarpOp::kMatchAny ? same(lane) : e->predicates; });
}

void EvaluateShuffle(Exchange* e) {
  ForAll(e, [&](unsigned lane) {
    const unsigned offset = e->from[lane] & 0x1fU;
    const unsigned limit = e->clamp[lane] & 0x1fU;
    const unsigned segment = (e->clamp[lane] >> 8) & 0x1fU;
    const int last = static_cast<int>((lane & segment) | (limit & ~segment));
    const unsigned first = lane & segment;
    int from = 0;
    switch (e->op) {
      case WarpOp::kShuffleUp:
        from = static_cast<int>(lane) - static_cast<int>(offset);
        break;
      case WarpOp::kShuffleDown:
        from = static_cast<int>(lane + offset);
        break;
      case WarpOp::kShuffleButterfly:
        from = static_cast<int>(lane ^ offset);
        break;
      default:
        from = static_cast<int>(first | (offset & ~segment));
    }
    const bool inside = e->op == WarpOp::kShuffleUp ? from >= last : from <= last;
    e->predicates |= (inside ? 1U : 0U) << lane;
    return static_cast<std::uint32_t>(e->value[inside ? static_cast<unsigned>(from) : lane]);
  });
}

// Without .NaN only numbers count; -0 is less than +0.
std::uint32_t ExtremeFloat(const Exchange& e) {
  const bool greatest = e.op == WarpOp::kReduceMax;
  bool any = false;
  bool has_nan = false;
  float best = 0;
  ForEachBit(e.lanes, [&](unsigned lane) {
    auto value = FromBits<float>(e.value[lane]);
    if (e.magnitude) {
      value = std::fabs(value);
    }
    if (std::isnan(value)) {
      has_nan = true;
      return;
    }
    const bool less = value < best || (value == best && std::signbit(value) && !std::signbit(best));
    const bool more = value > best || (value == best && !std::signbit(value) && std::signbit(best));
    if (!any || (greatest ? more : less)) {
      best = value;
    }
    any = true;
  });
  return !any || (has_nan && e.keeps_nan) ? kCanonicalNan
                                          : static_cast<std::uint32_t>(ToBits(best));
}

std::uint32_t Reduced(const Exchange& e, std::uint32_t a, std::uint32_t b) {
  const bool less =
      e.type == Type::kS32 ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  switch (e.op) {
    case WarpOp::kReduceAdd:
      return a + b;
    case WarpOp::kReduceMin:
      return less ? a : b;
    case WarpOp::kReduceMax:
      return less ? b : a;
    case WarpOp::kReduceAnd:
      return a & b;
    case WarpOp::kReduceOr:
      return a | b;
    default:
      return a ^ b;
  }
}

void EvaluateReduction(Exchange* e) {
  std::uint32_t result = 0;
  if (e->type == Type::kF32) {
    result = ExtremeFloat(*e);
  } else {
    bool first = true;
    ForEachBit(e->lanes, [&](unsigned lane) {
      const auto value = static_cast<std::uint32_t>(e->value[lane]);
      result = first ? value : Reduced(*e, result, value);
      first = false;
    });
  }
  ForAll(e, [&](unsigned) { return result; });
}

}  // namespace

void Evaluate(Exchange* e) {
  e->predicates = 0;
  switch (e->op) {
    case WarpOp::kSync:
      return;
    case WarpOp::kAll:
    case WarpOp::kAny:
    case WarpOp::kUniform:
    case WarpOp::kBallot:
      return EvaluateVote(e);
    case WarpOp::kMatchAny:
    case WarpOp::kMatchAll:
      return EvaluateMatch(e);
    case WarpOp::kShuffleUp:
    case WarpOp::kShuffleDown:
    case WarpOp::kShuffleButterfly:
    case WarpOp::kShuffleIndex:
      return EvaluateShuffle(e);
    case WarpOp::kElect: {
      const auto leader = static_cast<unsigned>(__builtin_ctz(e->lanes));
      e->predicates = 1U << leader;
      return ForAll(e, [&](unsigned) { return leader; });
    }
    default:
      return EvaluateReduction(e);
  }
}

}  // namespace muster::ptx
