// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is known of mbarriers, in words.
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/mbarrier_word.h"

namespace muster::golden {

std::vector<std::uint32_t> Mbarriers::Objects(unsigned cta) const {
  std::vector<std::uint32_t> objects;
  for (const auto& [addr, object] : words_[cta]) {
    if (object.initialised) {
      objects.push_back(addr);
    }
  }
  return objects;
}

std::string Mbarriers::Describe(unsigned cta, std::uint32_t addr) const {
  const auto found = words_[cta].find(addr);
  const Object object = found == words_[cta].end() ? Object() : found->second;
  std::string text = fmt::format("mbarrier {:#x} of CTA {}: ", addr, cta);
  const auto out = std::back_inserter(text);
  if (!object.initialised) {
    text += "not initialised";
  } else if (IsExhausted(object)) {
    fmt::format_to(out, "phase {}, exhausted", object.phase);
  } else {
    fmt::format_to(out, "phase {}, {} of {} arrivals pending, tx-count {}", object.phase,
                   object.pending, object.expected, object.tx);
  }
  if (object.initialised && object.v1) {
    fmt::format_to(out, ", layout v1, conditional phase {}", object.conditional);
    for (const auto& [report, of] : {std::pair(object.report, "of this phase"),
                                     std::pair(object.last, "of the phase before")}) {
      if (report != 0) {
        fmt::format_to(out, ", report {:#x} {}", report & 0xff, of);
      }
    }
  }
  const char* separator = "; arrived: ";
  for (WarpSet left = object.came; left != 0; left &= left - 1) {
    fmt::format_to(out, "{}warp {}", separator, __builtin_ctzll(left));
    separator = ", ";
  }
  separator = "; parked: ";
  for (WarpSet left = parked_; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    const Waiter& waiter = waiters_[warp];
    if (waiter.cta == cta && waiter.addr == addr) {
      fmt::format_to(out, "{}warp {} (lanes {:#x}, {}phase {})", separator, warp, waiter.lanes,
                     waiter.conditional ? "conditional " : "", waiter.phase);
      separator = ", ";
    }
  }
  return text;
}

}  // namespace muster::golden
