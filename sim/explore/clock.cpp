// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/clock.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

template <typename Rows>
auto RowOf(Rows& rows, std::uint64_t cta) {
  return std::lower_bound(rows.begin(), rows.end(), cta,
                          [](const auto& row, std::uint64_t wanted) { return row.first < wanted; });
}

}  // namespace

EventNumber Clock::Of(const Pointer& clock, Thread thread) {
  if (clock == nullptr) {
    return 0;
  }
  const auto row = RowOf(clock->rows_, thread.cta);
  return row == clock->rows_.end() || row->first != thread.cta ||
                 thread.index >= row->second->size()
             ? 0
             : (*row->second)[thread.index];
}

// One of the two, if it has all that the other one has.
std::shared_ptr<const Clock::Row> Clock::JoinRows(const std::shared_ptr<const Row>& a,
                                                  const std::shared_ptr<const Row>& b) {
  if (a == b) {
    return a;
  }
  const Row& long_one = a->size() >= b->size() ? *a : *b;
  const Row& short_one = a->size() >= b->size() ? *b : *a;
  bool as_long = true;
  bool as_short = a->size() == b->size();
  for (std::size_t i = 0; i < short_one.size(); ++i) {
    as_long = as_long && long_one[i] >= short_one[i];
    as_short = as_short && short_one[i] >= long_one[i];
  }
  if (as_long || as_short) {
    return (as_long == (&long_one == a.get())) ? a : b;
  }
  auto joined = std::make_shared<Row>(long_one);
  for (std::size_t i = 0; i < short_one.size(); ++i) {
    (*joined)[i] = std::max((*joined)[i], short_one[i]);
  }
  return joined;
}

Clock::Pointer Clock::Join(const Pointer& a, const Pointer& b) {
  if (a == b || b == nullptr) {
    return a;
  }
  if (a == nullptr) {
    return b;
  }
  auto joined = std::make_shared<Clock>();
  bool as_a = true;
  bool as_b = true;
  auto in_a = a->rows_.begin();
  auto in_b = b->rows_.begin();
  while (in_a != a->rows_.end() || in_b != b->rows_.end()) {
    if (in_b == b->rows_.end() || (in_a != a->rows_.end() && in_a->first < in_b->first)) {
      joined->rows_.push_back(*in_a++);
      as_b = false;
    } else if (in_a == a->rows_.end() || in_b->first < in_a->first) {
      joined->rows_.push_back(*in_b++);
      as_a = false;
    } else {
      joined->rows_.emplace_back(in_a->first, JoinRows(in_a->second, in_b->second));
      as_a = as_a && joined->rows_.back().second == in_a->second;
      as_b = as_b && joined->rows_.back().second == in_b->second;
      ++in_a;
      ++in_b;
    }
  }
  return as_a ? a : as_b ? b : joined;
}

Clock::Pointer Clock::With(const Pointer& clock, Thread first, EventNumber event,
                           std::uint32_t lanes) {
  bool has = true;
  ForEachBit(lanes, [&](unsigned lane) {
    has = has && Of(clock, {first.cta, first.index + lane}) >= event;
  });
  if (has) {
    return clock;
  }
  auto with = clock == nullptr ? std::make_shared<Clock>() : std::make_shared<Clock>(*clock);
  auto row = RowOf(with->rows_, first.cta);
  if (row == with->rows_.end() || row->first != first.cta) {
    row = with->rows_.emplace(row, first.cta, std::make_shared<Row>());
  }
  auto fresh = std::make_shared<Row>(*row->second);
  ForEachBit(lanes, [&](unsigned lane) {
    const std::uint32_t index = first.index + lane;
    if (fresh->size() <= index) {
      fresh->resize(index + 1);
    }
    (*fresh)[index] = std::max((*fresh)[index], event);
  });
  row->second = std::move(fresh);
  return with;
}

}  // namespace muster::explore
