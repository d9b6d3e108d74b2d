// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/nearest.h"

#include <algorithm>
#include <cstddef>

namespace muster::ptx {
namespace {

// The distance of Damerau and Levenshtein, without overlapping exchanges.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& here = rows[i][j];
      if (i == 0 || j == 0) {
        here = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      here =
          std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here = std::min(here, rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 2;
  std::size_t least = std::min(kMost + 1, (word.size() + 1) / 2);
  std::string nearest;
  for (const std::string& other : words) {
    const std::size_t distance = Distance(word, other);
    if (distance < least) {
      least = distance;
      nearest = other;
    }
  }
  return nearest;
}

}  // namespace muster::ptx
