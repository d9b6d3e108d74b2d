// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of visibility against traces written by hand from the chapter on the memory
// consistency model of the PTX ISA.
#include "sim/golden/visibility.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace muster::golden {
namespace {

using Reach = Visibility::Reach;
using Thread = Visibility::Thread;
using Values = std::set<unsigned>;

// Two threads of one CTA, one of another CTA of their cluster, and two of another cluster.
const Thread kA{1, 1, 1};
const Thread kB{2, 1, 1};
const Thread kC{3, 2, 1};
const Thread kD{4, 3, 2};
const Thread kE{5, 3, 2};

constexpr std::uint64_t kX = 64;
constexpr std::uint64_t kY = 128;

// Bytes of global memory, one to a place.
class Trace {
 public:
  explicit Trace(std::uint64_t window = 100) : model(window) {}

  void Store(const Thread& thread, std::uint64_t address, std::uint8_t value) {
    model.Store(thread, {0, address}, &memory_[address], &value, 1);
    memory_[address] = value;
  }
  // What a load may find.
  Values Seen(const Thread& thread, std::uint64_t address) {
    return At(address, model.Points(thread, {0, address}, &memory_[address], 1));
  }
  Values SeenByProxy(const Thread& thread, std::uint64_t address) {
    return At(address, model.ProxyPoints(thread, {0, address}, &memory_[address], 1));
  }
  // A load finds this value.
  void Load(const Thread& thread, std::uint64_t address, std::uint8_t value) {
    for (const Visibility::Point point : model.Points(thread, {0, address}, &memory_[address], 1)) {
      if (At(address, {point}) == Values{value}) {
        model.See(thread, point, {0, address}, 1);
        return;
      }
    }
    FAIL() << "the load cannot find " << unsigned{value};
  }
  void Swap(std::uint64_t address, std::uint8_t value) {
    memory_[address] = value;
    model.Settle({0, address}, 1);
  }
  void StoreUntold(std::uint64_t address, std::uint8_t value) { memory_[address] = value; }

  Visibility model;

 private:
  Values At(std::uint64_t address, const std::vector<Visibility::Point>& points) {
    Values values;
    for (const Visibility::Point point : points) {
      std::uint8_t then = 0;
      model.BytesAt(point, {0, address}, &memory_[address], 1, &then);
      values.insert(then);
    }
    return values;
  }

  std::map<std::uint64_t, std::uint8_t> memory_;
};

// "If a write W precedes a read R in causality order, ..." and a thread's own accesses are in it.
TEST(Visibility, AThreadSeesItsOwnStores) {
  Trace trace;
  trace.Store(kA, kX, 1);
  trace.Store(kA, kX, 2);
  EXPECT_EQ(trace.Seen(kA, kX), (Values{2}));
  EXPECT_EQ(trace.Seen(kB, kX), (Values{0, 1, 2}));
  EXPECT_EQ(trace.Seen(kB, kY), (Values{0}));
}

// Coherence: what has been seen is not unseen, and a store comes after what was there.
TEST(Visibility, LoadsGoForwardOnly) {
  Trace trace;
  trace.Store(kA, kX, 1);
  trace.Store(kA, kX, 2);
  trace.Load(kB, kX, 1);
  EXPECT_EQ(trace.Seen(kB, kX), (Values{1, 2}));
  trace.Store(kB, kX, 3);
  EXPECT_EQ(trace.Seen(kB, kX), (Values{3}));
  EXPECT_EQ(trace.Seen(kD, kX), (Values{0, 1, 2, 3}));
}

TEST(Visibility, ReleaseAndAcquireAtAScopeThatHasBoth) {
  for (const auto& [reader, least] :
       std::map<unsigned, Reach>{{0, Reach::kCta}, {1, Reach::kCluster}, {2, Reach::kAll}}) {
    const Thread& thread = reader == 0 ? kB : reader == 1 ? kC : kD;
    for (const Reach release : {Reach::kCta, Reach::kCluster, Reach::kAll}) {
      for (const Reach acquire : {Reach::kCta, Reach::kCluster, Reach::kAll}) {
        Trace trace;
        trace.Store(kA, kX, 1);
        trace.model.Release(kA, release);
        EXPECT_EQ(trace.Seen(thread, kX), (Values{0, 1}));
        trace.model.Acquire(thread, acquire);
        const bool both = release >= least && acquire >= least;
        EXPECT_EQ(trace.Seen(thread, kX), both ? (Values{1}) : (Values{0, 1}));
      }
    }
  }
}

TEST(Visibility, AnAcquireBeforeTheReleaseIsNone) {
  Trace trace;
  trace.Store(kA, kX, 1);
  trace.model.Acquire(kD, Reach::kAll);
  trace.model.Release(kA, Reach::kAll);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{0, 1}));
}

// "A release pattern: [...] a fence followed by a strong write"; and the acquire pattern.
TEST(Visibility, AFenceNeedsAStrongAccess) {
  Trace trace;
  trace.Store(kA, kX, 1);
  trace.model.ReleaseFence(kA, Reach::kAll);
  trace.Store(kA, kY, 1);  // after the fence
  trace.model.Acquire(kD, Reach::kAll);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{0, 1}));
  trace.model.StrongWrite(kA);
  trace.model.AcquireFence(kD, Reach::kAll);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{0, 1}));  // it has read nothing strong
  trace.model.StrongRead(kD);
  trace.model.AcquireFence(kD, Reach::kAll);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{1}));
  EXPECT_EQ(trace.Seen(kD, kY), (Values{0, 1}));
}

// Two fences of store buffering: fence.sc has an order, and fence.acq_rel has none.
TEST(Visibility, OnlySequentialFencesOrderStoresBeforeLoads) {
  Trace weak;
  weak.Store(kA, kX, 1);
  weak.model.AcquireFence(kA, Reach::kAll);
  weak.model.ReleaseFence(kA, Reach::kAll);
  weak.Store(kD, kY, 1);
  weak.model.AcquireFence(kD, Reach::kAll);
  weak.model.ReleaseFence(kD, Reach::kAll);
  EXPECT_EQ(weak.Seen(kA, kY), (Values{0, 1}));
  EXPECT_EQ(weak.Seen(kD, kX), (Values{0, 1}));

  for (const Reach scope : {Reach::kCta, Reach::kAll}) {
    Trace trace;
    trace.Store(kA, kX, 1);
    trace.model.SequentialFence(kA, scope);
    trace.Store(kD, kY, 1);
    trace.model.SequentialFence(kD, scope);
    EXPECT_EQ(trace.Seen(kA, kY), (Values{0, 1}));
    EXPECT_EQ(trace.Seen(kD, kX), scope == Reach::kAll ? (Values{1}) : (Values{0, 1}));
  }
}

// Causality order is transitive: of what a thread knows, its release tells others.
TEST(Visibility, WhatAThreadKnowsItPassesOn) {
  Trace acquired;  // from another cluster, and then within the CTA
  acquired.Store(kA, kX, 1);
  acquired.model.Release(kA, Reach::kAll);
  acquired.model.Acquire(kD, Reach::kAll);
  EXPECT_EQ(acquired.Seen(kE, kX), (Values{0, 1}));
  acquired.model.Release(kD, Reach::kCta);
  acquired.model.Acquire(kE, Reach::kCta);
  EXPECT_EQ(acquired.Seen(kE, kX), (Values{1}));

  Trace within;  // within the CTA, and then to another cluster
  within.Store(kA, kX, 1);
  within.model.Release(kA, Reach::kCta);
  within.model.Acquire(kB, Reach::kCta);
  within.model.Release(kB, Reach::kAll);
  within.model.Acquire(kD, Reach::kAll);
  EXPECT_EQ(within.Seen(kD, kX), (Values{1}));

  for (const Reach scope : {Reach::kCta, Reach::kCluster, Reach::kAll}) {  // without an acquire
    Trace seen;
    seen.Store(kA, kX, 1);
    seen.Load(kD, kX, 1);
    seen.model.Release(kD, scope);
    seen.model.Acquire(kE, scope);
    EXPECT_EQ(seen.Seen(kE, kX), (Values{1}));
    EXPECT_EQ(seen.Seen(kC, kX), (Values{0, 1}));
  }
}

// A proxy fence by a thread that knows the store, and causality order from there.
TEST(Visibility, TheAsyncProxyNeedsAFence) {
  using Spaces = Visibility::Spaces;
  for (const Spaces spaces : {Spaces::kAll, Spaces::kGlobal, Spaces::kShared}) {
    Trace trace;
    trace.Store(kA, kX, 1);
    EXPECT_EQ(trace.SeenByProxy(kA, kX), (Values{0, 1}));
    trace.model.ProxyFence(kB, spaces);  // which does not know it
    EXPECT_EQ(trace.SeenByProxy(kA, kX), (Values{0, 1}));
    trace.model.ProxyFence(kA, spaces);
    EXPECT_EQ(trace.SeenByProxy(kA, kX), spaces == Spaces::kShared ? (Values{0, 1}) : (Values{1}));
    EXPECT_EQ(trace.SeenByProxy(kB, kX), (Values{0, 1}));
    trace.model.Release(kA, Reach::kCta);
    trace.model.Acquire(kB, Reach::kCta);
    EXPECT_EQ(trace.SeenByProxy(kB, kX), spaces == Spaces::kShared ? (Values{0, 1}) : (Values{1}));
  }
}

// An atomic operation sees and writes the latest; what writes and does not say so is seen, too.
TEST(Visibility, WhatIsNoStoreIsSeenAtOnce) {
  Trace trace;
  trace.Store(kA, kX, 1);
  trace.Swap(kX, 2);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{2}));
  trace.Store(kA, kY, 1);
  trace.StoreUntold(kY, 5);
  EXPECT_EQ(trace.Seen(kD, kY), (Values{5}));
}

TEST(Visibility, AStoreIsHiddenForItsTimeOnly) {
  Trace trace(100);
  trace.model.Advance(10);
  trace.Store(kA, kX, 1);
  trace.model.Advance(60);
  trace.Store(kA, kX, 2);
  trace.model.Advance(110);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{0, 1, 2}));
  trace.model.Advance(111);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{1, 2}));
  trace.model.Advance(161);
  EXPECT_EQ(trace.Seen(kD, kX), (Values{2}));
  trace.Store(kA, kX, 3);
  trace.model.SettleAll();
  EXPECT_EQ(trace.Seen(kD, kX), (Values{3}));
}

// A load that several stores cover sees memory as it was at one time.
TEST(Visibility, AWideLoadSeesOneMoment) {
  Visibility model(100);
  std::vector<std::uint8_t> memory(4, 0);
  const auto store = [&](std::uint64_t at, std::vector<std::uint8_t> bytes) {
    model.Store(kA, {7, at}, &memory[at], bytes.data(), static_cast<unsigned>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
  };
  store(0, {1, 1, 1, 1});
  store(2, {2, 2});
  store(0, {3});
  std::set<std::vector<std::uint8_t>> seen;
  for (const Visibility::Point point : model.Points(kD, {7, 0}, memory.data(), 4)) {
    std::vector<std::uint8_t> then(4);
    model.BytesAt(point, {7, 0}, memory.data(), 4, then.data());
    seen.insert(then);
  }
  EXPECT_EQ(seen, (std::set<std::vector<std::uint8_t>>{
                      {0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 2, 2}, {3, 1, 2, 2}}));
}

}  // namespace
}  // namespace muster::golden
