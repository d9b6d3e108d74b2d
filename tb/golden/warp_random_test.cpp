// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random programs of collectives, gathers and exits, whose results are worked out without any
// group: the steps are listed in an order in which the program could run in one piece, each lane
// executes its own ones, and lanes come in any order and company. Then each lane must get the
// results of that list, and nothing is refused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {
namespace {

using Random = std::mt19937;

struct Result {
  std::uint32_t data = 0;
  bool pred = false;
};

// What some lanes execute, and what each of them gets.
struct Step {
  WarpRequest request;
  std::array<Result, kMaxLanes> results;
};

float AsFloat(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

// min and max of two floats that are no NaN, by their arithmetic.
bool IsLess(float left, float right) {
  return left < right || (left == right && std::signbit(left) && !std::signbit(right));
}

std::uint32_t FloatResult(const WarpRequest& request) {
  bool found = false;
  bool nan = false;
  std::uint32_t best = 0;
  ForEachBit(request.lanes, [&](unsigned lane) {
    auto bits = static_cast<std::uint32_t>(request.values[lane]);
    if (request.abs) {
      bits &= 0x7fffffff;
    }
    const float value = AsFloat(bits);
    if (std::isnan(value)) {
      nan = true;
    } else if (!found || (request.op == WarpOp::kReduxMin ? IsLess(value, AsFloat(best))
                                                          : IsLess(AsFloat(best), value))) {
      found = true;
      best = bits;
    }
  });
  return !found || (nan && request.nan) ? 0x7fffffff : best;
}

std::uint32_t IntegerResult(const WarpRequest& request) {
  const auto first = static_cast<std::uint32_t>(request.values[First(request.lanes)]);
  std::uint32_t result =
      request.op == WarpOp::kReduxAdd || request.op == WarpOp::kReduxXor ? 0 : first;
  const std::uint32_t flip = request.mode == 1 ? 0x80000000 : 0;  // makes the order a signed one
  ForEachBit(request.lanes, [&](unsigned lane) {
    const auto value = static_cast<std::uint32_t>(request.values[lane]);
    switch (request.op) {
      case WarpOp::kReduxAdd:
        result += value;
        break;
      case WarpOp::kReduxMin:
        result = (value ^ flip) < (result ^ flip) ? value : result;
        break;
      case WarpOp::kReduxMax:
        result = (value ^ flip) > (result ^ flip) ? value : result;
        break;
      case WarpOp::kReduxAnd:
        result &= value;
        break;
      case WarpOp::kReduxOr:
        result |= value;
        break;
      default:
        result ^= value;
    }
  });
  return result;
}

// The result of a lane of request.lanes, if these execute it together.
Result ResultOf(const WarpRequest& request, unsigned self) {
  Result result;
  unsigned count = 0;
  unsigned yes = 0;
  std::uint32_t same = 0;
  const std::uint64_t bits = request.mode == 1 ? ~std::uint64_t{0} : 0xffffffff;
  ForEachBit(request.lanes, [&](unsigned lane) {
    ++count;
    yes += request.preds >> lane & 1;
    same |= ((request.values[lane] ^ request.values[self]) & bits) == 0 ? 1U << lane : 0;
  });
  switch (request.op) {
    case WarpOp::kSync:
    case WarpOp::kShuffle:
      break;
    case WarpOp::kElect:
      while ((request.lanes >> result.data & 1) == 0) {
        ++result.data;
      }
      break;
    case WarpOp::kVoteAll:
      result.pred = yes == count;
      break;
    case WarpOp::kVoteAny:
      result.pred = yes > 0;
      break;
    case WarpOp::kVoteUni:
      result.pred = yes % count == 0;
      break;
    case WarpOp::kBallot:
      result.data = request.lanes & request.preds;
      break;
    case WarpOp::kMatchAny:
      result.data = same;
      break;
    case WarpOp::kMatchAll:
      result.pred = same == request.lanes;
      result.data = result.pred ? same : 0;
      break;
    default:
      result.data = request.mode == 2 ? FloatResult(request) : IntegerResult(request);
  }
  return result;
}

class RandomProgram {
 public:
  RandomProgram(unsigned seed, unsigned steps);
  void Run();

 private:
  bool Draw(unsigned one_of) { return random_() % one_of == 0; }
  std::uint32_t DrawLanes() { return random_() | (Draw(2) ? random_() : 0); }
  std::uint64_t DrawValue();
  Step DrawStep(std::uint32_t live);
  WarpRequest Ready(unsigned lane);
  void Finish(std::uint32_t lanes, const Result& result, const WarpArrival* arrival);
  void Present(const WarpRequest& request);

  Random random_;
  std::vector<Step> steps_;
  std::array<std::vector<unsigned>, kMaxLanes> program_;  // the steps of a lane
  std::array<unsigned, kMaxLanes> next_{};
  std::uint32_t live_ = 0xffffffff;
  std::uint32_t waiting_ = 0;
  WarpScope scope_{1};
};

std::uint64_t RandomProgram::DrawValue() {
  constexpr std::array<std::uint32_t, 12> kCorners = {
      0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
      0x7f800000, 0xff800000, 0x7f800001, 0xffc00000, 0x7fffffff, 0x00800000};
  const auto draw = [&]() -> std::uint64_t {
    return Draw(4) ? random_() : kCorners.at(random_() % kCorners.size());
  };
  return draw() | (Draw(2) ? draw() << 32 : 0);
}

// A step for some of the lanes that are live at that place of the list.
Step RandomProgram::DrawStep(std::uint32_t live) {
  Step step;
  WarpRequest& request = step.request;
  if (Draw(12)) {
    request.op = WarpOp::kExit;
    request.lanes = live & random_() & random_();
    return step;
  }
  request.op = static_cast<WarpOp>(random_() % 16);
  if (request.op == WarpOp::kShuffle) {
    request.mode = random_() % 4;
  } else if (IsMatch(request.op) || request.op == WarpOp::kReduxAdd) {
    request.mode = random_() % 2;
  } else if (request.op == WarpOp::kReduxMin || request.op == WarpOp::kReduxMax) {
    request.mode = random_() % 3;
    request.abs = request.mode == 2 && Draw(2);
    request.nan = request.mode == 2 && Draw(2);
  }
  const std::uint64_t usual = DrawValue();
  for (std::uint64_t& value : request.values) {
    value = Draw(3) ? DrawValue() : usual;
  }
  if (request.op == WarpOp::kGather) {
    const std::array keys = {
        BarrierKey(random_() % 3, 32, OpKind::kSync), BarrierKey(random_() % 3, 32, OpKind::kRedOr),
        ClusterKey(GatherKind::kClusterArrive), ClusterKey(GatherKind::kClusterWait)};
    request.key = keys.at(random_() % keys.size());
  } else {
    request.key = DrawLanes();
  }
  request.lanes = request.op == WarpOp::kGather ? live : live & request.key;
  const std::uint32_t preds = Draw(3) ? 0 : Draw(2) ? 0xffffffff : random_();
  request.preds = HasPredicates(request.op, request.key) ? preds & request.lanes : 0;
  ForEachBit(request.op == WarpOp::kGather ? 0 : request.lanes,
             [&](unsigned lane) { step.results.at(lane) = ResultOf(request, lane); });
  return step;
}

RandomProgram::RandomProgram(unsigned seed, unsigned steps) : random_(seed) {
  std::uint32_t live = 0xffffffff;
  for (unsigned i = 0; i < steps; ++i) {
    steps_.push_back(DrawStep(live));
    ForEachBit(steps_.back().request.lanes, [&](unsigned lane) { program_.at(lane).push_back(i); });
    if (steps_.back().request.op == WarpOp::kExit) {
      live &= ~steps_.back().request.lanes;
    }
  }
}

// A request of this lane and of any others that are at the same step now.
WarpRequest RandomProgram::Ready(unsigned lane) {
  const unsigned index = program_.at(lane).at(next_.at(lane));
  const Step& step = steps_.at(index);
  WarpRequest request = step.request;
  const std::uint32_t company = Draw(3) ? 0 : Draw(2) ? 0xffffffff : random_();
  request.lanes = 1U << lane;
  ForEachBit(company & live_ & ~waiting_, [&](unsigned other) {
    if (next_.at(other) < program_.at(other).size() &&
        program_.at(other).at(next_.at(other)) == index) {
      request.lanes |= 1U << other;
    }
  });
  request.preds &= request.lanes;
  request.live = request.op == WarpOp::kExit ? live_ & ~request.lanes : live_;
  return request;
}

// These lanes go on: the results are those of the step at which each of them is.
void RandomProgram::Finish(std::uint32_t lanes, const Result& result, const WarpArrival* arrival) {
  EXPECT_EQ(lanes & ~waiting_, 0U);
  waiting_ &= ~lanes;
  ForEachBit(lanes, [&](unsigned lane) {
    const Step& step = steps_.at(program_.at(lane).at(next_.at(lane)));
    if (arrival != nullptr) {
      ASSERT_EQ(step.request.op, WarpOp::kGather);
      EXPECT_EQ(arrival->key, step.request.key);
      EXPECT_EQ(arrival->preds >> lane & 1, step.request.preds >> lane & 1);
    } else {
      EXPECT_EQ(result.data, step.results.at(lane).data) << Name(step.request.op);
      EXPECT_EQ(result.pred, step.results.at(lane).pred) << Name(step.request.op);
    }
    ++next_.at(lane);
  });
}

void RandomProgram::Present(const WarpRequest& request) {
  ASSERT_TRUE(scope_.MayBePresented(request));
  const WarpEffects effects = scope_.Step(request);
  ASSERT_EQ(effects.fault, FaultCause::kNone);
  if (request.op == WarpOp::kExit) {
    live_ &= ~request.lanes;
    ForEachBit(request.lanes, [&](unsigned lane) { ++next_.at(lane); });
  } else {
    waiting_ |= request.lanes;
  }
  for (const WarpAnswer& answer : effects.answers) {
    Finish(answer.lanes, {answer.data, answer.pred}, nullptr);
  }
  if (effects.arrival) {
    Finish(effects.arrival->lanes, {}, &*effects.arrival);
  }
  EXPECT_EQ(scope_.Waiting(0), waiting_);
}

void RandomProgram::Run() {
  while (!::testing::Test::HasFailure()) {
    std::vector<unsigned> ready;
    ForEachBit(live_ & ~waiting_, [&](unsigned lane) {
      if (next_.at(lane) < program_.at(lane).size()) {
        ready.push_back(lane);
      }
    });
    if (ready.empty()) {
      break;
    }
    Present(Ready(ready.at(random_() % ready.size())));
  }
  EXPECT_EQ(waiting_, 0U) << "lanes wait for ever";
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    EXPECT_EQ(next_.at(lane), program_.at(lane).size());
  }
}

TEST(GoldenWarpRandom, ResultsDoNotDependOnTheOrderInWhichLanesCome) {
  for (unsigned seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram(seed, 30).Run();
  }
}

}  // namespace
}  // namespace muster::golden
