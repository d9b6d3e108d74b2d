// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A queue for what comes and goes in every cycle. It keeps its memory, in one piece.
#ifndef MUSTER_SIM_LOCKSTEP_QUEUE_H_
#define MUSTER_SIM_LOCKSTEP_QUEUE_H_

#include <cstddef>
#include <vector>

namespace muster::lockstep {

// As of a std::deque, whose function of the same name does the same.
template <typename T>
class Queue {
 public:
  bool empty() const { return gone_ == items_.size(); }
  T& front() { return items_[gone_]; }
  const T& front() const { return items_[gone_]; }
  T& back() { return items_.back(); }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(gone_); }
  auto end() const { return items_.end(); }

  void push_back(const T& item) { items_.push_back(item); }
  void pop_front() {
    ++gone_;
    if (empty() || gone_ == kMostGone) {
      items_.erase(items_.begin(), begin());
      gone_ = 0;
    }
  }

 private:
  static constexpr std::size_t kMostGone = 32;  // before the others move up

  std::vector<T> items_;
  std::size_t gone_ = 0;  // so many in front
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_QUEUE_H_
