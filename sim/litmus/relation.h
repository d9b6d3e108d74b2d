// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sets of events, and relations between them, of at most 64 events: a word for each row.
#ifndef MUSTER_SIM_LITMUS_RELATION_H_
#define MUSTER_SIM_LITMUS_RELATION_H_

#include <array>
#include <cstdint>

namespace muster::litmus {

constexpr unsigned kMostEvents = 64;

using Set = std::uint64_t;

constexpr Set Of(unsigned event) { return Set{1} << event; }
constexpr bool Has(Set set, unsigned event) { return (set >> event & 1) != 0; }

// Calls visit(event) for each event of a set.
template <typename Visit>
void ForEach(Set set, Visit visit) {
  for (; set != 0; set &= set - 1) {
    visit(static_cast<unsigned>(__builtin_ctzll(set)));
  }
}

class Relation {
 public:
  explicit Relation(unsigned events) : events_(events) {}

  unsigned events() const { return events_; }
  Set After(unsigned a) const { return rows_[a]; }
  bool Relates(unsigned a, unsigned b) const { return Has(rows_[a], b); }
  void Add(unsigned a, unsigned b) { rows_[a] |= Of(b); }
  void AddAll(unsigned a, Set bs) { rows_[a] |= bs; }

  Relation& operator|=(const Relation& other) {
    for (unsigned a = 0; a < events_; ++a) {
      rows_[a] |= other.rows_[a];
    }
    return *this;
  }
  Relation& operator&=(const Relation& other) {
    for (unsigned a = 0; a < events_; ++a) {
      rows_[a] &= other.rows_[a];
    }
    return *this;
  }
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  friend Relation operator&(Relation a, const Relation& b) { return a &= b; }

  // The pairs (a, c) with a pair (a, b) here and a pair (b, c) there.
  Relation Then(const Relation& next) const {
    Relation result(events_);
    for (unsigned a = 0; a < events_; ++a) {
      ForEach(rows_[a], [&](unsigned b) { result.rows_[a] |= next.rows_[b]; });
    }
    return result;
  }

  // The transitive closure.
  Relation Closed() const {
    Relation result = *this;
    for (unsigned b = 0; b < events_; ++b) {
      for (unsigned a = 0; a < events_; ++a) {
        if (result.Relates(a, b)) {
          result.rows_[a] |= result.rows_[b];
        }
      }
    }
    return result;
  }

  // Adds a pair to a relation that is transitive, and keeps it so.
  void AddClosed(unsigned a, unsigned b) {
    const Set after = rows_[b] | Of(b);
    for (unsigned x = 0; x < events_; ++x) {
      if (x == a || Relates(x, a)) {
        rows_[x] |= after;
      }
    }
  }

 private:
  unsigned events_;
  std::array<Set, kMostEvents> rows_{};
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_RELATION_H_
