// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Numbers in comments are subsections of PTX ISA 9.7.13.
#include "sim/golden/warp_result.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7f800000;

// The lanes of each value. The type of `match` says which bits of the register are the value.
std::map<std::uint64_t, std::uint32_t> LanesByValue(const WarpGroup& group,
                                                    const LaneValues& values) {
  const bool wide = group.mode == static_cast<unsigned>(MatchMode::kB64);
  std::map<std::uint64_t, std::uint32_t> lanes;
  ForEachBit(group.lanes, [&](unsigned lane) {
    lanes[wide ? values[lane] : values[lane] & 0xffffffff] |= 1U << lane;
  });
  return lanes;
}

// (.10) Each lane gets the lanes with its own value.
std::vector<WarpAnswer> MatchAny(const WarpGroup& group, const LaneValues& values) {
  std::vector<WarpAnswer> answers;
  for (const auto& [value, lanes] : LanesByValue(group, values)) {
    WarpAnswer answer;
    answer.op = group.op;
    answer.lanes = lanes;
    answer.data = lanes;
    answers.push_back(answer);
  }
  std::sort(answers.begin(), answers.end(), [](const WarpAnswer& left, const WarpAnswer& right) {
    return First(left.lanes) < First(right.lanes);
  });
  return answers;
}

bool IsNan(std::uint32_t bits) { return (bits & ~kSign) > kInfinity; }

// Orders f32 values that are no NaN; (.12) +0.0 is above -0.0.
std::int64_t RankOfFloat(std::uint32_t bits) {
  return (bits & kSign) != 0 ? ~std::int64_t{bits} : std::int64_t{bits};
}

// (.12) NaN values are left out, unless .NaN makes one of them the result.
std::uint32_t ReduceFloats(const WarpGroup& group, std::vector<std::uint32_t> values) {
  if (group.abs) {
    for (std::uint32_t& value : values) {
      value &= ~kSign;
    }
  }
  const auto numbers = std::remove_if(values.begin(), values.end(), IsNan);
  const bool some_nan = numbers != values.end();
  values.erase(numbers, values.end());
  if (values.empty() || (some_nan && group.nan)) {
    return kCanonicalNan;
  }
  const auto less = [](std::uint32_t left, std::uint32_t right) {
    return RankOfFloat(left) < RankOfFloat(right);
  };
  return group.op == WarpOp::kReduxMin ? *std::min_element(values.begin(), values.end(), less)
                                       : *std::max_element(values.begin(), values.end(), less);
}

std::uint32_t ReduceIntegers(const WarpGroup& group, const std::vector<std::uint32_t>& values) {
  const bool is_signed = group.mode == static_cast<unsigned>(ReduxMode::kS32);
  const auto less = [&](std::uint32_t left, std::uint32_t right) {
    return is_signed ? static_cast<std::int32_t>(left) < static_cast<std::int32_t>(right)
                     : left < right;
  };
  return group.op == WarpOp::kReduxMin ? *std::min_element(values.begin(), values.end(), less)
                                       : *std::max_element(values.begin(), values.end(), less);
}

// (.12)
std::uint32_t Reduce(const WarpGroup& group, const LaneValues& of_lanes) {
  std::vector<std::uint32_t> values;
  ForEachBit(group.lanes,
             [&](unsigned lane) { values.push_back(static_cast<std::uint32_t>(of_lanes[lane])); });
  const auto fold = [&](std::uint32_t neutral, auto combine) {
    return std::accumulate(values.begin(), values.end(), neutral, combine);
  };
  using U32 = std::uint32_t;
  switch (group.op) {
    case WarpOp::kReduxAdd:  // "result is truncated to 32 bits"
      return fold(0, [](U32 left, U32 right) { return left + right; });
    case WarpOp::kReduxAnd:
      return fold(~U32{0}, [](U32 left, U32 right) { return left & right; });
    case WarpOp::kReduxOr:
      return fold(0, [](U32 left, U32 right) { return left | right; });
    case WarpOp::kReduxXor:
      return fold(0, [](U32 left, U32 right) { return left ^ right; });
    default:
      return group.mode == static_cast<unsigned>(ReduxMode::kF32) ? ReduceFloats(group, values)
                                                                  : ReduceIntegers(group, values);
  }
}

}  // namespace

std::vector<WarpAnswer> WarpResults(const WarpGroup& group, const LaneValues& values) {
  if (group.op == WarpOp::kMatchAny) {
    return MatchAny(group, values);
  }
  WarpAnswer answer;
  answer.op = group.op;
  answer.lanes = group.lanes;
  const bool all = group.preds == group.lanes;
  switch (group.op) {
    case WarpOp::kVoteAll:  // (.9)
      answer.pred = all;
      break;
    case WarpOp::kVoteAny:
      answer.pred = group.preds != 0;
      break;
    case WarpOp::kVoteUni:
      answer.pred = all || group.preds == 0;
      break;
    case WarpOp::kBallot:
      answer.data = group.preds;
      break;
    case WarpOp::kMatchAll:  // (.10)
      answer.pred = LanesByValue(group, values).size() == 1;
      answer.data = answer.pred ? group.lanes : 0;
      break;
    case WarpOp::kElect:  // (.14) "deterministically"
      answer.data = First(group.lanes);
      break;
    default:
      answer.data = IsRedux(group.op) ? Reduce(group, values) : 0;
  }
  return {answer};
}

}  // namespace muster::golden
