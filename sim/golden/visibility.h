// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a load may see of memory, by the Memory Consistency Model of the PTX ISA: of the latest
// stores to a place, those that the thread need not know yet may be hidden from it. A thread knows
// a store that is its own, that it has seen, or that was released by a thread that knew it, at a
// scope that has both, before an acquire of its own. The order of the calls is the coherence order.
// Knows no instructions, and nothing of what is drawn.
#ifndef MUSTER_SIM_GOLDEN_VISIBILITY_H_
#define MUSTER_SIM_GOLDEN_VISIBILITY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace muster::golden {

class Visibility {
 public:
  // Bytes of a memory: a CTA's shared memory by a name of its own, or global memory. An access lies
  // within kBlock aligned bytes.
  static constexpr unsigned kBlock = 32;
  struct Place {
    std::uint64_t memory = 0;
    std::uint64_t address = 0;
  };
  struct Thread {
    std::uint64_t name = 0;
    std::uint64_t cta = 0;
    std::uint64_t cluster = 0;
  };
  // The threads that a scope has: of the CTA, of the cluster, or all.
  enum class Reach : std::uint8_t { kCta, kCluster, kAll };
  // A moment in the order of stores: what has come before is visible, and nothing after it.
  using Point = std::uint64_t;

  // A store may be hidden for so many cycles.
  explicit Visibility(std::uint64_t window) : window_(window) {}

  // It is this cycle now.
  void Advance(std::uint64_t cycle);

  // A thread has stored: what was there before, and what is there now. The tag is the caller's.
  void Store(const Thread& thread, const Place& place, const std::uint8_t* before,
             const std::uint8_t* after, unsigned bytes, std::uint32_t tag = 0);
  // The tag of the store at a point that is not the oldest one of a load.
  std::uint32_t TagOf(Point point) const { return WriteOf(point).tag; }
  // What is there now is visible to all: an atomic operation or a copy has written it.
  void Settle(const Place& place, std::uint64_t bytes);
  void SettleAll();

  // The point that the next store will be.
  Point Next() const { return first_ + writes_.size(); }

  // Release operations, and what makes one of a fence before it: a strong write. Of the stores
  // before a point alone, if those from there on are not performed.
  static constexpr Point kAll = ~Point{0};
  void Release(const Thread& thread, Reach scope, Point before = kAll);
  void ReleaseFence(const Thread& thread, Reach scope, Point before = kAll);
  void StrongWrite(const Thread& thread);
  // Acquire operations, and what makes one of a fence after it: a strong read.
  void Acquire(const Thread& thread, Reach scope) { AcquireFrom(thread, scope, ++now_); }
  void AcquireFence(const Thread& thread, Reach scope);
  void StrongRead(const Thread& thread) { threads_[thread.name].strong_read = ++now_; }
  // fence.sc.
  void SequentialFence(const Thread& thread, Reach scope, Point before = kAll);
  // A fence between the generic and the async proxy: stores that the thread knows are known to
  // operations of the async proxy, too. Of one memory space alone: of global memory, or of shared.
  enum class Spaces : std::uint8_t { kAll, kGlobal, kShared };
  void ProxyFence(const Thread& thread, Spaces spaces, Point before = kAll);

  // The points at which a load of the thread may see the bytes, of which `now` is in memory, oldest
  // first; the last one is now.
  std::vector<Point> Points(const Thread& thread, const Place& place, const std::uint8_t* now,
                            unsigned bytes);
  // The same, of an operation of the async proxy that the thread has started.
  std::vector<Point> ProxyPoints(const Thread& thread, const Place& place, const std::uint8_t* now,
                                 unsigned bytes);
  // What was there at a point.
  void BytesAt(Point point, const Place& place, const std::uint8_t* now, unsigned bytes,
               std::uint8_t* then) const;
  // The thread has seen it.
  void See(const Thread& thread, Point point, const Place& place, unsigned bytes);
  // Whether some store to these bytes may be hidden from some thread.
  bool MayHide(const Place& place) const { return !blocks_.empty() && At(place) != nullptr; }

 private:
  static constexpr std::size_t kReaches = 3;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  using Times = std::array<std::uint64_t, kReaches>;

  struct Write {
    Thread by;
    Place place;
    unsigned bytes = 0;
    std::uint64_t cycle = 0;
    std::uint32_t tag = 0;
    std::array<std::uint8_t, kBlock> before{};
    std::array<std::uint8_t, kBlock> after{};
    // When it was released: to threads that are no further from its own than that; and to others.
    Times released{kNever, kNever, kNever};
    struct Passed {
      Reach reach;
      std::uint64_t group;  // a CTA or a cluster
      std::uint64_t time;
    };
    std::vector<Passed> passed;
    std::vector<std::uint64_t> seen;  // by these threads
    bool proxied = false;             // known to the async proxy
  };
  struct State {
    Times acquired{};  // from threads that are no further than that
    Times fenced{};    // release fences without a strong write yet: the next store then, or 0
    std::uint64_t strong_read = 0;
    std::vector<Point> own;   // stores that are not released to all
    std::vector<Point> seen;  // of others, likewise
  };
  using Ids = std::vector<Point>;
  struct Key {
    std::uint64_t memory;
    std::uint64_t block;
    bool operator==(const Key& other) const {
      return memory == other.memory && block == other.block;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.memory * 0x9e3779b97f4a7c15U) ^ (key.block * 0xbf58476d1ce4e5b9U);
    }
  };

  static Key KeyOf(const Place& place) { return {place.memory, place.address / kBlock}; }
  static Reach Distance(const Thread& a, const Thread& b);
  static bool Overlaps(const Write& write, const Place& place, unsigned bytes);
  bool IsThere(Point id) const { return id >= first_ && id < Next(); }
  Write& WriteOf(Point id) { return writes_[id - first_]; }
  const Write& WriteOf(Point id) const { return writes_[id - first_]; }
  const Ids* At(const Place& place) const;
  bool Knows(const Thread& thread, const State& state, const Write& write) const;
  template <typename Must>
  std::vector<Point> PointsFrom(const Place& place, const std::uint8_t* now, unsigned bytes,
                                Must must);
  bool IsAsWritten(const Ids& ids, const Place& place, const std::uint8_t* now,
                   unsigned bytes) const;
  void Perform(const Thread& thread, Reach scope, Write* write) const;
  void AcquireFrom(const Thread& thread, Reach scope, std::uint64_t time);

  const std::uint64_t window_;
  std::uint64_t cycle_ = 0;
  std::uint64_t now_ = 0;  // counts releases and acquires
  std::deque<Write> writes_;
  Point first_ = 1;  // the oldest of them
  std::unordered_map<Key, Ids, Hash> blocks_;
  std::unordered_map<std::uint64_t, State> threads_;
  // What some thread of a CTA or a cluster has acquired.
  std::unordered_map<std::uint64_t, Times> ctas_;
  std::unordered_map<std::uint64_t, Times> clusters_;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_VISIBILITY_H_
