// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A copy-on-write value: its copies share storage until one of them is changed. All copies must be
// used by one host thread at a time.
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
  Shared() = default;  // equals T{}, without storage
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
  // Whether both share the same storage.
  bool Is(const Shared& other) const { return node_ == other.node_; }
  const T& operator*() const { return node_ != nullptr ? node_->value : Nothing(); }
  const T* operator->() const { return &**this; }
  // Returns this copy's own value, for changes.
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

    // Many values live for a short time only, so that storage is reused.
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
