// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How far the explorer lets the search of all orders go.
#include <algorithm>
#include <ctime>

#include "sim/explore/exhaust.h"
#include "sim/explore/explorer.h"

namespace muster::explore {
namespace {

constexpr std::size_t kMostFindings = 100;

// Of this process: others may be at work beside it.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr double kNanosecond = 1e-9;
  return static_cast<double>(now.tv_sec) + kNanosecond * static_cast<double>(now.tv_nsec);
}

}  // namespace

Exhausted Explorer::SeeOrders(ExhaustOptions options, unsigned jobs,
                              const std::function<bool()>& is_settled) {
  options.stop = [&](std::uint64_t classes) {
    Say("classes of orders", classes);
    explored_.settled = explored_.settled || is_settled();
    return explored_.settled || IsSearchOver() || IsEnough();
  };
  const auto each = [this](const Order& order) {
    TakeOrder(order);
    return explored_.findings.size() < kMostFindings && !IsEnough();
  };
  return jobs == 1 ? explore::Exhaust(&world_, options, each)
                   : explore::Exhaust(make_world_, jobs, options, each);
}

// Without a bound, first reverses steps at each two instructions a few times, wherever they come:
// that is mostly all that there is to see. The search of all orders, which comes then, ends when it
// has seen nothing new for long.
void Explorer::Exhaust() {
  constexpr std::uint32_t kEachPair = 4;
  const auto never = [] { return false; };
  ExhaustOptions options;
  Exhausted result;
  bool has_seen_pairs = false;
  if (options_.bound == ~std::uint64_t{0}) {
    options.most_reversals = kEachPair;
    result = SeeOrders(options, 1, never);
    has_seen_pairs = result.has_ended;
    options.most_reversals = 0;
  }
  if (!result.complete && !IsSearchOver() && !IsEnough()) {
    explored_.runs += result.classes;
    const double begun = ProcessorSeconds();
    latest_news_ = begun;
    const auto is_settled = [&] {
      constexpr double kLeast = 3;
      constexpr double kLonger = 4;
      return has_seen_pairs &&
             ProcessorSeconds() - begun > std::max(kLeast, kLonger * (latest_news_ - begun));
    };
    // One thread first, so that the number of classes of a small kernel does not depend on the
    // jobs.
    constexpr std::uint64_t kFew = 4096;
    options.most_classes = std::min(options_.bound, kFew);
    result = SeeOrders(options, 1, is_settled);
    if (!result.complete && options_.bound > kFew && !explored_.settled && !IsSearchOver()) {
      options.most_classes = options_.bound;
      result = SeeOrders(options, options_.jobs, is_settled);
    }
  }
  explored_.classes = result.classes;
  explored_.left_out.assign(result.left_out.begin(), result.left_out.end());
  explored_.complete = result.complete && explored_.left_out.empty();
}

void Explorer::TakeOrder(const Order& order) {
  const std::vector<BadEnd> bad = judge_(order.world);
  const bool news = std::any_of(order.suspicions.begin(), order.suspicions.end(),
                                [&](const Suspicion& one) {
                                  const Key key = KeyOf(one);
                                  return leads_.count(key) == 0 && found_.count(key) == 0;
                                }) ||
                    std::any_of(bad.begin(), bad.end(),
                                [&](const BadEnd& end) { return ends_.count(EndOf(end)) == 0; });
  if (news) {
    latest_news_ = ProcessorSeconds();
    const Trace trace = order.Traced();
    std::vector<Actor> actors;
    for (const Taken& step : order.steps) {
      actors.push_back(step.actor);
    }
    Take(order.world, order.suspicions, trace, actors);
    Conclude(order.world, trace);
  }
}

}  // namespace muster::explore
