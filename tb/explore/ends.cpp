// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/explore/ends.h"

#include <chrono>

#include "sim/explore/exhaust.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"

namespace muster::explore {

Contents ContentsOf(const ptx::Session& session, const ptx::Memory& memory) {
  Contents contents;
  for (std::size_t k = 0; k < session.manifest().buffers.size(); ++k) {
    contents.push_back(session.ContentsIn(memory, k));
  }
  return contents;
}

Ends ExploreAll(const ptx::Manifest& manifest) {
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  World world(config, session.program(), session.launch(), session.memory());
  const auto begun = std::chrono::steady_clock::now();
  ExhaustOptions options;
  options.races = false;
  options.stop = [&](std::uint64_t) {
    return std::chrono::steady_clock::now() - begun > std::chrono::seconds(1);
  };
  Ends found;
  const Exhausted exhausted = Exhaust(&world, options, [&](const Order& order) {
    const bool completes = order.world.end() == World::End::kCompletes;
    found.all.emplace(order.world.Ending(),
                      completes ? ContentsOf(session, order.world.memory()) : Contents());
    return true;
  });
  found.complete = exhausted.complete && exhausted.left_out.empty();
  return found;
}

}  // namespace muster::explore
