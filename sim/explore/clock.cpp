// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/clock.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

using ptx::kWarpSize;

template <typename Rows>
auto RowOf(Rows& rows, std::uint64_t cta) {
  return std::lower_bound(rows.begin(), rows.end(), cta,
                          [](const auto& one, std::uint64_t wanted) { return one.cta < wanted; });
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Of a warp
// ------------------------------------------------------------------------------------------------

bool Clock::Entry::Knows(EventNumber wanted, std::uint32_t of) const {
  if (!apart) {
    return ((of & lanes) == 0 || event >= wanted) && ((of & ~lanes) == 0 || others >= wanted);
  }
  while (of != 0 && (*apart)[First(of)] >= wanted) {
    of &= of - 1;
  }
  return of == 0;
}

bool Clock::Entry::Covers(const Entry& other) const {
  if (Latest() < other.Latest()) {
    return false;
  }
  if (!other.apart) {
    return Knows(other.event, other.lanes) && Knows(other.others, ~other.lanes);
  }
  if (apart.Is(other.apart) || (!apart && lanes == kAllLanes)) {
    return true;
  }
  Lanes space;
  const Lanes& mine = Numbers(&space);
  std::uint32_t lacks = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    lacks |= mine[lane] < (*other.apart)[lane] ? 1U : 0U;
  }
  return lacks == 0;
}

// Returns the events by lane, in *space if the entry does not store them so.
const Clock::Lanes& Clock::Entry::Numbers(Lanes* space) const {
  if (apart) {
    return *apart;
  }
  space->fill(lanes == kAllLanes ? event : others);
  if (lanes != kAllLanes) {
    ForEachBit(lanes, [&](unsigned lane) { (*space)[lane] = event; });
  }
  return *space;
}

void Clock::Entry::Join(const Entry& other) {
  if (!apart && !other.apart && lanes == other.lanes) {
    event = std::max(event, other.event);
    others = std::max(others, other.others);
  } else if (apart && apart.Is(other.apart)) {
    return;
  } else if (other.Covers(*this)) {
    *this = other;
  } else if (!Covers(other)) {
    Lanes space;
    if (!apart) {
      Numbers(&space);
      event = Latest();
      others = 0;
      apart.Own() = space;
    }
    event = std::max(event, other.Latest());
    const Lanes& its = other.Numbers(&space);
    Lanes& joined = apart.Own();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      joined[lane] = std::max(joined[lane], its[lane]);
    }
  }
}

void Clock::Entry::Note(const Entry& note) {
  if (apart && !note.Covers(*this)) {
    Lanes& numbers = apart.Own();
    event = std::max(event, note.event);
    ForEachBit(note.lanes,
               [&](unsigned lane) { numbers[lane] = std::max(numbers[lane], note.event); });
  } else if (!apart && lanes == kAllLanes && note.event >= event) {
    others = note.lanes == kAllLanes ? 0 : event;
    event = note.event;
    lanes = note.lanes;
  } else {
    Join(note);
  }
}

// ------------------------------------------------------------------------------------------------
// Of all
// ------------------------------------------------------------------------------------------------

bool Clock::Knows(const Thread& first, EventNumber event, std::uint32_t lanes) const {
  const Rows& rows = *rows_;
  const auto row = RowOf(rows, first.cta);
  const std::uint32_t warp = first.index / kWarpSize;
  if (row == rows.end() || row->cta != first.cta || warp >= row->row->warps.size()) {
    return event == 0 || lanes == 0;
  }
  return row->row->warps[warp].Knows(event, lanes << first.index % kWarpSize);
}

bool Clock::Covers(const Row& a, const Row& b) {
  if (a.latest < b.latest) {
    return false;
  }
  static const Entry nothing;
  for (std::size_t i = 0; i < b.warps.size(); ++i) {
    if (!(i < a.warps.size() ? a.warps[i] : nothing).Covers(b.warps[i])) {
      return false;
    }
  }
  return true;
}

bool Clock::Covers(const Rows& a, const Rows& b) {
  auto in_a = a.begin();
  for (const OfCta& one : b) {
    while (in_a != a.end() && in_a->cta < one.cta) {
      ++in_a;
    }
    if (in_a == a.end() || in_a->cta != one.cta ||
        (!in_a->row.Is(one.row) && !Covers(*in_a->row, *one.row))) {
      return false;
    }
  }
  return true;
}

void Clock::Join(Shared<Row>* row, const Shared<Row>& other) {
  Row& joined = row->Own();
  if (joined.warps.size() < other->warps.size()) {
    joined.warps.resize(other->warps.size());
  }
  for (std::size_t i = 0; i < other->warps.size(); ++i) {
    joined.warps[i].Join(other->warps[i]);
  }
  joined.latest = std::max(joined.latest, other->latest);
}

// Shares a row that covers the other one instead of merging the two.
void Clock::JoinNews(const Clock& other) {
  if (other.Covers(*this)) {
    rows_ = other.rows_;
    return;
  }
  Rows& rows = rows_.Own();
  const bool is_one_row = rows.size() == 1 && other.rows_->size() == 1;
  auto in_a = rows.begin();
  for (const OfCta& one : *other.rows_) {
    while (in_a != rows.end() && in_a->cta < one.cta) {
      ++in_a;
    }
    if (in_a == rows.end() || in_a->cta != one.cta) {
      in_a = rows.insert(in_a, one);
    } else if (!is_one_row && Covers(*one.row, *in_a->row)) {
      in_a->row = one.row;
    } else if (is_one_row ||  // neither covers the other one
               (!in_a->row.Is(one.row) && !Covers(*in_a->row, *one.row))) {
      Join(&in_a->row, one.row);
    }
  }
}

void Clock::Note(const Thread& first, EventNumber event, std::uint32_t lanes) {
  const std::uint32_t warp = first.index / kWarpSize;
  if (Knows(first, event, lanes)) {
    return;
  }
  Entry note;
  note.event = event;
  note.lanes = lanes << first.index % kWarpSize;
  Rows& rows = rows_.Own();
  auto row = RowOf(rows, first.cta);
  if (row == rows.end() || row->cta != first.cta) {
    row = rows.insert(row, {first.cta, {}});
  }
  Row& own = row->row.Own();
  if (own.warps.size() <= warp) {
    own.warps.resize(warp + 1);
  }
  own.warps[warp].Note(note);
  own.latest = std::max(own.latest, event);
}

}  // namespace muster::explore
