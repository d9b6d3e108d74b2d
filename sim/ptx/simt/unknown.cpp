// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/unknown.h"

#include <algorithm>
#include <iterator>

namespace muster::ptx {

Origin Origins::Number(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto index = found - names_.begin();
  if (found == names_.end()) {
    names_.push_back(name);
  }
  return static_cast<Origin>(index + 1);
}

bool UnknownBytes::Set(std::uint64_t first, std::uint64_t size, Origin origin) {
  const std::uint64_t end = first + size;
  if (size == 0 || (origin == 0 && Find(first, size) == 0)) {
    return false;
  }
  auto next = runs_.lower_bound(first);
  if (next != runs_.begin() && std::prev(next)->second.end > first) {
    Run& before = std::prev(next)->second;
    if (before.origin == origin && before.end >= end) {
      return false;
    }
    if (before.end > end) {
      runs_.emplace(end, before);
    }
    before.end = first;
  }
  next = runs_.lower_bound(first);
  while (next != runs_.end() && next->first < end) {
    const Run run = next->second;
    next = runs_.erase(next);
    if (run.end > end) {
      next = runs_.emplace(end, run).first;
    }
  }
  if (origin == 0) {
    return true;
  }
  Run added{end, origin};
  if (next != runs_.end() && next->first == end && next->second.origin == origin) {
    added.end = next->second.end;
    next = runs_.erase(next);
  }
  if (next != runs_.begin() && std::prev(next)->second.end == first &&
      std::prev(next)->second.origin == origin) {
    std::prev(next)->second.end = added.end;
  } else {
    runs_.emplace(first, added);
  }
  return true;
}

Origin UnknownBytes::Find(std::uint64_t first, std::uint64_t size) const {
  const auto next = runs_.upper_bound(first);
  if (next != runs_.begin() && std::prev(next)->second.end > first && size != 0) {
    return std::prev(next)->second.origin;
  }
  return next == runs_.end() || next->first >= first + size ? 0 : next->second.origin;
}

void UnknownBytes::Copy(std::uint64_t to, const UnknownBytes& from, std::uint64_t first,
                        std::uint64_t size) {
  std::map<std::uint64_t, Run> copied;
  auto run = from.runs_.upper_bound(first);
  run = run == from.runs_.begin() ? run : std::prev(run);
  for (; run != from.runs_.end() && run->first < first + size; ++run) {
    const std::uint64_t begin = std::max(run->first, first);
    const std::uint64_t end = std::min(run->second.end, first + size);
    if (begin < end) {
      copied[begin - first + to] = {end - first + to, run->second.origin};
    }
  }
  Set(to, size, 0);
  for (const auto& [begin, part] : copied) {
    Set(begin, part.end - begin, part.origin);
  }
}

}  // namespace muster::ptx
