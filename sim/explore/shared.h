// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A value that its copies share until one of them is to be changed. What shares it is used by one
// thread of the host at a time.
#ifndef MUSTER_SIM_EXPLORE_SHARED_H_
#define MUSTER_SIM_EXPLORE_SHARED_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace muster::explore {

template <typename T>
class Shared {
 public:
  Shared() = default;  // as T{}, for which nothing is kept
  Shared(const Shared& other) : node_(other.node_) {
    if (node_ != nullptr) {
      ++node_->uses;
    }
  }
  Shared(Shared&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() {
    if (node_ != nullptr && --node_->uses == 0) {
      delete node_;
    }
  }

  explicit operator bool() const { return node_ != nullptr; }
  // One and the same, not only equal.
  bool Is(const Shared& other) const { return node_ == other.node_; }
  const T& operator*() const { return node_ != nullptr ? node_->value : Nothing(); }
  const T* operator->() const { return &**this; }
  // To be changed: that of this copy alone.
  T& Own() {
    if (node_ == nullptr) {
      node_ = new Node{};
    } else if (node_->uses != 1) {
      Node* const copy = new Node{node_->value};
      --node_->uses;
      node_ = copy;
    }
    return node_->value;
  }

 private:
  struct Node {
    T value{};
    std::uint32_t uses = 1;

    // Many live for a short time only.
    static void* operator new(std::size_t size) {
      return pool.nodes.empty() ? ::operator new(size) : pool.Take();
    }
    static void operator delete(void* node) { pool.nodes.push_back(node); }
  };
  struct Free {
    std::vector<void*> nodes;

    ~Free() {
      for (void* const node : nodes) {
        ::operator delete(node);
      }
    }
    void* Take() {
      void* const node = nodes.back();
      nodes.pop_back();
      return node;
    }
  };
  static const T& Nothing() {
    static const T nothing{};
    return nothing;
  }

  static inline thread_local Free pool;
  Node* node_ = nullptr;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SHARED_H_
