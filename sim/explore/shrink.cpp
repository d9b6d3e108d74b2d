// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/shrink.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/explore/follower.h"

namespace muster::explore {
namespace {

using ptx::Turn;

constexpr std::uint64_t kFirstOrders = 8;  // that have to show a finding
constexpr std::uint64_t kOrders = 256;     // that are looked at in the end

bool IsSame(const Turn& a, const Turn& b) {
  return a.cta == b.cta && a.warp == b.warp && a.pc == b.pc && a.time == b.time &&
         a.what == b.what && (!a.to || !b.to || a.to == b.to) && (a.lanes & b.lanes) != 0;
}

class Shrinker {
 public:
  Shrinker(const Finding& finding, World* world, const Explorer::Judge& judge,
           const std::function<bool()>& stop, const std::function<void(std::size_t)>& left)
      : finding_(finding),
        ends_badly_(finding.is_bad),
        world_(*world),
        judge_(judge),
        stop_(stop),
        left_(left) {
    for (std::size_t i = 0; i < finding.turns.size(); ++i) {
      kept_.push_back({finding.turns[i], i < finding.needed});
    }
    for (std::uint64_t seed = 1; seed <= kFirstOrders; ++seed) {
      seeds_.push_back(seed);
    }
  }

  Finding Run() {
    Finding shrunk = finding_;
    if (!IsShownBy(kept_)) {
      // Of a race that ends badly on the unit alone, the order of its two events suffices.
      ends_badly_ = ends_badly_ && !IsRace(finding_.what.kind);
      if (ends_badly_ == finding_.is_bad || !IsShownBy(kept_)) {
        return shrunk;
      }
    }
    for (std::size_t size = kept_.size() / 2; (shrunk.is_minimal = Reduce(size)) && !Holds();) {
      const std::size_t too_few = kept_.size();
      if (!GoBack()) {
        return finding_;
      }
      size = (kept_.size() - too_few) / 2;
    }
    if (!shrunk.is_minimal && !Holds()) {
      return shrunk;
    }
    shrunk.is_minimal = shrunk.is_minimal && !is_cut_;
    shrunk.turns.clear();
    for (const Entry& entry : kept_) {
      shrunk.turns.push_back(entry.turn);
    }
    shrunk.needed = Needed(kept_);
    return shrunk;
  }

 private:
  struct Entry {
    Turn turn;
    bool is_needed = false;
  };

  static std::size_t Needed(const std::vector<Entry>& entries) {
    return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(),
                                                  [](const Entry& one) { return one.is_needed; }));
  }

  // Removes pieces of that size, and then smaller ones. Returns whether nothing more can be
  // removed.
  bool Reduce(std::size_t size) {
    for (size = std::max<std::size_t>(size, 1); !stop_();) {
      const bool is_less = RemoveChunks(size);
      if (size == 1 && !is_less) {
        return !stop_();
      }
      size = std::max<std::size_t>(size / 2, 1);
    }
    return false;
  }

  // Whether many more orders show the finding. One that does not has to, from now on.
  bool Holds() {
    Follower follower = FollowerOf(kept_);
    for (std::uint64_t seed = kFirstOrders + 1; seed <= kOrders; ++seed) {
      if (stop_()) {
        is_cut_ = true;
        return true;
      }
      if (!follower.Run(seed) || !EndsAsFound()) {
        seeds_.insert(seeds_.begin(), seed);
        return false;
      }
    }
    return true;
  }

  // Returns to the latest turns that all orders so far show. False: there are none.
  bool GoBack() {
    while (!former_.empty()) {
      kept_ = std::move(former_.back());
      former_.pop_back();
      if (stop_() || IsShownBy(kept_)) {
        return true;
      }
    }
    return false;
  }

  // Removes what it can in pieces of that size, from the end. Returns whether that was anything.
  bool RemoveChunks(std::size_t size) {
    bool is_less = false;
    for (std::size_t end = kept_.size(); end != 0 && !stop_(); end = end > size ? end - size : 0) {
      const std::size_t begin = end > size ? end - size : 0;
      std::vector<Entry> rest;
      for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (i < begin || i >= end || IsOfPair(kept_[i].turn)) {
          rest.push_back(kept_[i]);
        }
      }
      if (rest.size() != kept_.size() && IsShownBy(rest)) {
        former_.push_back(std::exchange(kept_, std::move(rest)));
        is_less = true;
        if (left_) {
          left_(kept_.size());
        }
      }
    }
    return is_less;
  }

  bool IsOfPair(const Turn& turn) const {
    return std::any_of(finding_.pair.begin(), finding_.pair.end(),
                       [&](const Turn& one) { return IsSame(one, turn); });
  }

  Follower FollowerOf(const std::vector<Entry>& entries) const {
    std::vector<Turn> turns;
    for (const Entry& entry : entries) {
      turns.push_back(entry.turn);
    }
    return {&world_, turns, Needed(entries)};
  }

  // An order that does not show it is the first one to be tried from now on.
  bool IsShownBy(const std::vector<Entry>& entries) {
    Follower follower = FollowerOf(entries);
    const auto not_shown = std::find_if(seeds_.begin(), seeds_.end(), [&](std::uint64_t seed) {
      return stop_() || !follower.Run(seed) || !EndsAsFound();
    });
    if (not_shown == seeds_.end()) {
      return true;
    }
    std::rotate(seeds_.begin(), not_shown, not_shown + 1);
    return false;
  }

  bool EndsAsFound() const {
    const std::vector<BadEnd> bad = judge_(world_);
    if (!ends_badly_) {
      return true;  // its two events have come in their order
    }
    const Kind kind = finding_.what.kind;
    const bool is_end = finding_.pair.empty();
    return world_.Ending() == finding_.ending && !bad.empty() &&
           (!is_end || std::any_of(bad.begin(), bad.end(),
                                   [&](const BadEnd& end) { return end.kind == kind; }));
  }

  const Finding& finding_;
  bool ends_badly_ = false;  // the order has to
  World& world_;
  const Explorer::Judge& judge_;
  const std::function<bool()>& stop_;
  const std::function<void(std::size_t)>& left_;
  std::vector<Entry> kept_;
  std::vector<std::vector<Entry>> former_;  // what was kept before, the latest last
  std::vector<std::uint64_t> seeds_;        // of orders that have to show it
  bool is_cut_ = false;                     // the time was over before it had been shown by all
};

}  // namespace

Finding Shrink(Finding finding, World* world, const Explorer::Judge& judge,
               const std::function<bool()>& stop, const std::function<void(std::size_t)>& left) {
  World::Stop former = world->set_stop(stop);
  finding = Shrinker(finding, world, judge, stop, left).Run();
  world->set_stop(std::move(former));
  return finding;
}

}  // namespace muster::explore
