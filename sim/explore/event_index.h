// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The events of one order by what they have to do with others, so that no search looks through all
// of them. Knows which events may be related, and not how.
#ifndef MUSTER_SIM_EXPLORE_EVENT_INDEX_H_
#define MUSTER_SIM_EXPLORE_EVENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/event.h"

namespace muster::explore {

class EventIndex {
 public:
  using Numbers = std::vector<std::uint32_t>;
  enum class What : std::uint8_t {
    kRead,     // read an object
    kOther,    // access it otherwise
    kWarp,     // steps of a warp's lanes
    kWoken,    // steps that released lanes of a warp
    kProcess,  // steps of a transfer
    kBegun,    // steps that began a transfer
    kStart,    // starts of clusters
  };
  struct Key {
    What what = What::kRead;
    std::uint64_t of = 0;

    bool operator==(const Key& other) const { return what == other.what && of == other.of; }
  };
  static std::uint64_t WarpOf(std::uint64_t cta, unsigned warp) { return cta << 6 | warp; }

  std::size_t size() const { return keys_.size(); }
  // Adds the event with the next number.
  void Add(const Event& event);
  // Forgets the events from this number on.
  void Truncate(std::size_t size);

  // Returns the events of this kind, the earliest first; null: there have been none.
  const Numbers* ListOf(const Key& key) const {
    const auto found = lists_.find(key);
    return found == lists_.end() ? nullptr : &found->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.of ^ static_cast<std::uint64_t>(key.what) << 56) * 0x9e3779b97f4a7c15U >> 7;
    }
  };

  std::unordered_map<Key, Numbers, Hash> lists_;
  std::vector<std::vector<Numbers*>> keys_;  // by event: the lists that it is in
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EVENT_INDEX_H_
