// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The ends of all orders of a launch, by an exhaustive search.
#ifndef MUSTER_TB_EXPLORE_ENDS_H_
#define MUSTER_TB_EXPLORE_ENDS_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/memory.h"

namespace muster::explore {

using Contents = std::vector<std::vector<std::uint8_t>>;  // of the buffers
// Without contents, unless the order completes.
using End = std::pair<std::string, Contents>;

Contents ContentsOf(const ptx::Session& session, const ptx::Memory& memory);

struct Ends {
  bool complete = false;
  std::set<End> all;
};
// Stops after a second.
Ends ExploreAll(const ptx::Manifest& manifest);

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_ENDS_H_
