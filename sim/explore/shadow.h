// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For each byte of memory, the accesses that a later one must be ordered after: the latest writes
// and reads of which none is ordered after another. Bytes that have only been accessed as aligned
// words share one record.
#ifndef MUSTER_SIM_EXPLORE_SHADOW_H_
#define MUSTER_SIM_EXPLORE_SHADOW_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/clock.h"
#include "sim/explore/observer.h"
#include "sim/explore/touch.h"

namespace muster::explore {

// Who accessed memory, and how: an index into the analysis' list of accesses.
struct Past {
  std::uint32_t access = 0;
  std::uint8_t lane = 0;
};

class Shadow {
 public:
  struct Cell {
    std::vector<Past> writes;
    std::vector<Past> reads;
  };

  // Calls f(cell) for the records of some bytes.
  template <typename F>
  void ForEach(const Range& range, F f) {
    constexpr std::uint64_t kWord = 4;
    const bool words = range.address % kWord == 0 && range.size % kWord == 0;
    for (std::uint64_t at = range.address; at < range.address + range.size;) {
      Page& page = PageAt(range.owner, at / kPageBytes);
      if (words && page.cells.size() == kPageBytes / kWord) {
        f(page.cells[at % kPageBytes / kWord]);
        at += kWord;
        continue;
      }
      if (page.cells.size() != kPageBytes) {
        SplitWords(&page);
      }
      f(page.cells[at % kPageBytes]);
      ++at;
    }
  }

 private:
  static constexpr std::uint64_t kPageBytes = 256;
  struct Page {
    std::vector<Cell> cells;  // one for each word, or for each byte
  };

  Page& PageAt(std::uint64_t owner, std::uint64_t index) {
    Page& page = pages_[ObjectOf(owner, index)];
    if (page.cells.empty()) {
      page.cells.resize(kPageBytes / 4);
    }
    return page;
  }
  static void SplitWords(Page* page) {
    std::vector<Cell> bytes(kPageBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = page->cells[i / 4];
    }
    page->cells = std::move(bytes);
  }

  std::unordered_map<std::uint64_t, Page> pages_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SHADOW_H_
