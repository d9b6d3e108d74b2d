// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Entries of the barrier table in words.
#include <fmt/format.h>

#include "sim/golden/model.h"
#include "sim/isa/bits.h"

namespace muster::golden {

unsigned Model::TimesArrived(unsigned cta, unsigned bar, unsigned warp) const {
  const Barrier& barrier = ctas_[cta].bars[bar];
  if ((barrier.came & Bit(warp)) == 0) {
    return 0;
  }
  return barrier.again ? 1U + again_[cta][bar][warp] : 1;
}

std::string Model::Describe(unsigned cta, unsigned bar) const {
  const Barrier& barrier = ctas_[cta].bars[bar];
  std::string text = fmt::format("barrier {} of CTA {}: ", bar, cta);
  auto out = std::back_inserter(text);
  if (barrier.kind == BarKind::kIdle) {
    text += "idle";
  } else {
    fmt::format_to(out, "{}, {} of {}{} warps arrived", Name(barrier.kind), barrier.arrived,
                   barrier.expected == 0 ? "all " : "",
                   barrier.expected == 0 ? CountLive(ctas_[cta]) : barrier.expected);
    if (barrier.kind != BarKind::kSync) {
      fmt::format_to(out, ", {} so far", barrier.value);
    }
  }
  const char* separator = ": ";
  unsigned named = 0;
  for (WarpSet left = barrier.came | barrier.waiting; left != 0; left &= left - 1) {
    const unsigned warp = First(left);
    const unsigned times = TimesArrived(cta, bar, warp);
    named += times;
    fmt::format_to(out, "{}warp {}", separator, warp);
    if (times > 1) {
      fmt::format_to(out, " ({} times)", times);
    }
    if ((apart_ & barrier.waiting & Bit(warp)) != 0) {
      fmt::format_to(out, " (waits for phase {})", barrier.phase ? 1 : 0);
    } else if ((barrier.waiting & Bit(warp)) != 0) {
      text += " (waits)";
    }
    separator = ", ";
  }
  if (barrier.former != 0) {
    fmt::format_to(out, "; {} by warps that have exited", barrier.former);
  }
  if (barrier.arrived > named + barrier.former) {
    fmt::format_to(out, "; {} restored", barrier.arrived - named - barrier.former);
  }
  if (barrier.kind != BarKind::kIdle && barrier.expected == 0) {
    separator = "; missing: ";
    // Where all warps are expected, those that have arrived wait.
    for (WarpSet left = ctas_[cta].live & ~(barrier.waiting & ~apart_); left != 0;
         left &= left - 1) {
      fmt::format_to(out, "{}warp {}", separator, First(left));
      separator = ", ";
    }
    if (const unsigned to_join = ctas_[cta].to_join; to_join != 0) {
      fmt::format_to(out, "{}{} {} not joined", separator, to_join,
                     to_join == 1 ? "warp that has" : "warps that have");
    }
  }
  return text;
}

}  // namespace muster::golden
