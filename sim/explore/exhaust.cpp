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
                   "nothing orders the bulk copy at {} with the access at {}, which may come "
                   "between its pieces in a run, and not in these orders",
                   place, program.Place(program.code[one.other].line));
}

std::vector<std::string> InShort(const std::vector<LeftOut>& all, const ptx::Program& program) {
  constexpr std::size_t kMost = 4;  // places that are named
  const auto line_of = [&program](std::uint32_t pc) {
    const std::string own = program.sources.OwnLine(program.code[pc].line);
    return own.empty() ? program.Place(program.code[pc].line) : own;
  };
  std::vector<std::string> sentences;
  for (const auto cause : {LeftOut::Cause::kVolatile, LeftOut::Cause::kPieces}) {
    const bool is_volatile = cause == LeftOut::Cause::kVolatile;
    std::set<std::string> places;
    for (const LeftOut& one : all) {
      if (one.cause == cause) {
        places.insert(is_volatile ? line_of(one.pc)
                                  : fmt::format("{} with {}", line_of(one.pc), line_of(one.other)));
      }
    }
    if (places.empty()) {
      continue;
    }
    std::vector<std::string> named(places.begin(), places.end());
    if (named.size() > kMost) {
      named.resize(kMost);
      named.push_back(fmt::format("{} more", places.size() - kMost));
    }
    sentences.push_back(fmt::format(
        "{}: {}",
        is_volatile
            ? "what depends on a clock, or on which lanes are together, may do more in a run"
            : "between the pieces of a bulk copy another access may come in a run",
        fmt::join(named, ", ")));
  }
  return sentences;
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
