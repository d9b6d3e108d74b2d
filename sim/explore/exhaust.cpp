// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/exhaust.h"

#include <fmt/format.h>

#include <mutex>
#include <thread>
#include <utility>

#include "sim/explore/search.h"

namespace muster::explore {

Trace Order::Traced() const {
  Trace trace;
  for (const Taken& step : steps) {
    trace.Add(step.actor, step.turn, step.gathered);
  }
  return trace;
}

std::string Explain(const LeftOut& one, const ptx::Program& program) {
  const std::string place = program.Place(program.code[one.pc].line);
  return one.cause == LeftOut::Cause::kVolatile
             ? fmt::format(
                   "what is done at {} depends on a clock, or on which lanes are together, "
                   "of which runs show more than these orders do",
                   place)
             : fmt::format(
                   "nothing orders the bulk copy at {} with another access, which may come "
                   "between its pieces in a run, and not in these orders",
                   place);
}

Exhausted Exhaust(World* world, const ExhaustOptions& options,
                  const std::function<bool(const Order&)>& each) {
  return Search(world, options, each).Run();
}

Exhausted Exhaust(const std::function<std::unique_ptr<World>()>& make_world, unsigned jobs,
                  const ExhaustOptions& options, const std::function<bool(const Order&)>& each) {
  constexpr std::size_t kForEach = 8;
  const std::unique_ptr<World> first = make_world();
  const std::vector<std::vector<Node>> beginnings =
      Search(first.get(), options, each).Split(jobs == 1 ? 1 : kForEach * jobs);
  std::mutex mutex;
  std::size_t next = 0;
  Exhausted all;
  all.complete = true;
  bool stopped = false;
  std::uint64_t classes = 0;  // of all, so far
  ExhaustOptions own = options;
  own.most_classes = ~std::uint64_t{0};
  own.stop = [&](std::uint64_t) {
    const std::lock_guard<std::mutex> lock(mutex);
    stopped = stopped || classes >= options.most_classes || (options.stop && options.stop(classes));
    return stopped;
  };
  const auto told = [&](const Order& order) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++classes;
    stopped = stopped || !each(order);
    return !stopped;
  };
  const auto work = [&](World* world) {
    while (true) {
      std::size_t mine = 0;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (next == beginnings.size() || stopped) {
          all.complete = all.complete && next == beginnings.size();
          return;
        }
        mine = next++;
      }
      const Exhausted found = Search(world, own, told, beginnings[mine]).Run();
      const std::lock_guard<std::mutex> lock(mutex);
      all.complete = all.complete && found.complete;
      all.classes += found.classes;
      all.left_out.insert(found.left_out.begin(), found.left_out.end());
      all.steps += found.steps;
    }
  };
  std::vector<std::thread> others;
  for (unsigned job = 1; job < jobs; ++job) {
    others.emplace_back([&] {
      const std::unique_ptr<World> world = make_world();
      work(world.get());
    });
  }
  work(first.get());
  for (std::thread& other : others) {
    other.join();
  }
  return all;
}

}  // namespace muster::explore
