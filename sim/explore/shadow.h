// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For each byte of memory, the accesses that a later one must be ordered after: the latest writes
// and reads of which none is ordered after another. Bytes that have only been accessed as aligned
// words share one record.
#ifndef MUSTER_SIM_EXPLORE_SHADOW_H_
#define MUSTER_SIM_EXPLORE_SHADOW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/object_access.h"
#include "sim/explore/observer.h"

namespace muster::explore {

// An earlier access: an index into the analysis' list of accesses, and its lanes.
struct Past {
  std::uint32_t access = 0;
  std::uint32_t lanes = 0;
  std::uint32_t observed = 0;  // of a write: an index into the analysis' list of observers
};

// A list that mostly has one element, or none.
class Pasts {
 public:
  Pasts() = default;
  Pasts(const Pasts& other)
      : one_(other.one_),
        size_(other.size_),
        more_(other.more_ ? std::make_unique<More>(*other.more_) : nullptr) {}
  Pasts(Pasts&&) noexcept = default;
  Pasts& operator=(const Pasts&) = delete;
  Pasts& operator=(Pasts&&) noexcept = default;
  ~Pasts() = default;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Past* begin() { return more_ ? more_->all.data() : &one_; }
  Past* end() { return begin() + size_; }
  Past& back() { return *(end() - 1); }
  void push_back(const Past& past) {
    if (!more_ && size_ == 0) {
      one_ = past;
      size_ = 1;
      return;
    }
    if (!more_) {
      more_ = std::make_unique<More>();
      more_->all.push_back(one_);
    }
    more_->all.resize(size_);  // removed elements are still there
    more_->all.push_back(past);
    ++size_;
  }
  void pop_back() { --size_; }
  // Removes the elements for which the predicate holds.
  template <typename F>
  void Remove(F is) {
    size_ = static_cast<std::uint32_t>(std::remove_if(begin(), end(), is) - begin());
  }
  // Drops the oldest elements beyond the limit.
  void Limit(std::size_t most) {
    if (size_ > most) {
      std::vector<Past>& all = more_->all;
      all.resize(size_);
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most / 2));
      size_ = static_cast<std::uint32_t>(all.size());
    }
  }
  // Whether it is time to remove covered elements: the length has doubled since the last removal.
  bool IsLong() {
    constexpr std::size_t kFew = 4;
    return more_ && size_ >= std::max(kFew, more_->long_one);
  }
  void NoteLength() { more_->long_one = std::size_t{2} * size_; }

 private:
  struct More {
    std::vector<Past> all;
    std::size_t long_one = 0;
  };

  Past one_;
  std::uint32_t size_ = 0;
  std::unique_ptr<More> more_;
};

class Shadow {
 public:
  struct Cell {
    Pasts writes;
    Pasts reads;
    bool is_mbarrier = true;  // all accesses are operations on an mbarrier
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
    if (latest_ == nullptr || latest_owner_ != owner || latest_index_ != index) {
      latest_ = &pages_[ObjectOf(owner, index)];
      latest_owner_ = owner;
      latest_index_ = index;
      if (latest_->cells.empty()) {
        latest_->cells.resize(kPageBytes / 4);
      }
    }
    return *latest_;
  }
  static void SplitWords(Page* page) {
    std::vector<Cell> bytes;
    bytes.reserve(kPageBytes);
    for (std::size_t i = 0; i < kPageBytes; ++i) {
      bytes.push_back(page->cells[i / 4]);
    }
    page->cells = std::move(bytes);
  }

  std::unordered_map<std::uint64_t, Page> pages_;
  Page* latest_ = nullptr;
  std::uint64_t latest_owner_ = 0;
  std::uint64_t latest_index_ = 0;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SHADOW_H_
