// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of the tracker that answers drains, against traces written by hand from
// rtl/README.md (Memory drain, Fences).
#include "sim/golden/fence_tracker.h"

#include <gtest/gtest.h>

namespace muster::golden {
namespace {

constexpr unsigned kFirst = 0b01;
constexpr unsigned kSecond = 0b10;
constexpr unsigned kBoth = 0b11;

// A warp of two, two classes, three accesses of an epoch.
class FenceTrackerTest : public testing::Test {
 protected:
  // A cycle of a request, in which nothing else happens. Returns the acknowledge.
  bool Ask(unsigned classes) {
    const bool acknowledged = model_.Acknowledges(1, true, classes);
    model_.Request(1, true, classes, acknowledged);
    return acknowledged;
  }
  // A cycle without one.
  void Rest() { model_.Request(1, false, 0, model_.Acknowledges(1, false, 0)); }
  bool Begin(std::uint64_t number, unsigned of, bool epoch) {
    return model_.Begin(1, of, number, epoch);
  }

  FenceTracker model_{2, 2, 3};
};

TEST_F(FenceTrackerTest, NothingIsOutstandingAtFirst) {
  EXPECT_TRUE(model_.Acknowledges(1, false, kBoth));
  EXPECT_TRUE(Ask(kBoth));
}

// "Without a request: no access of the warp is outstanding", of the classes that are named.
TEST_F(FenceTrackerTest, WithoutARequestItSaysWhatIsOutstanding) {
  Begin(1, 0, false);
  EXPECT_FALSE(model_.Acknowledges(1, false, kFirst));
  EXPECT_FALSE(model_.Acknowledges(1, false, kBoth));
  EXPECT_TRUE(model_.Acknowledges(1, false, kSecond));
  EXPECT_TRUE(model_.Acknowledges(1, false, 0));
  EXPECT_TRUE(model_.Acknowledges(0, false, kBoth));
  model_.End(1, 1);
  EXPECT_TRUE(model_.Acknowledges(1, false, kBoth));
}

// "With a request: all accesses that were outstanding in its first cycle are performed": what
// begins in that cycle, too, and in any order.
TEST_F(FenceTrackerTest, RequestWaitsForWhatItHasFound) {
  Begin(1, 0, false);
  Begin(2, 1, false);
  EXPECT_FALSE(model_.Acknowledges(1, true, kBoth));
  Begin(3, 0, false);
  model_.Request(1, true, kBoth, false);
  EXPECT_TRUE(Begin(4, 0, true));
  model_.End(1, 3);
  EXPECT_FALSE(Ask(kBoth));
  model_.End(1, 1);
  EXPECT_FALSE(Ask(kBoth));
  model_.End(1, 2);
  EXPECT_TRUE(Ask(kBoth));
  // The next one waits for what has begun since.
  Rest();
  EXPECT_FALSE(Ask(kFirst));
  model_.End(1, 4);
  EXPECT_TRUE(Ask(kFirst));
}

// "A request names classes, and waits for no other."
TEST_F(FenceTrackerTest, RequestWaitsForNoOtherClass) {
  Begin(1, 0, false);
  Begin(2, 1, false);
  EXPECT_FALSE(Ask(kSecond));
  model_.End(1, 2);
  EXPECT_TRUE(Ask(kSecond));
  Rest();
  EXPECT_TRUE(Ask(0));
  EXPECT_FALSE(model_.Acknowledges(1, false, kFirst));
}

// What a request waits for may be told from what began after it, and only of the classes that it
// names.
TEST_F(FenceTrackerTest, EpochsTellAccessesApart) {
  EXPECT_TRUE(Begin(1, 0, true));
  EXPECT_TRUE(Begin(2, 1, false));
  EXPECT_FALSE(Ask(kFirst));
  EXPECT_TRUE(Begin(3, 1, false));
  EXPECT_TRUE(Begin(4, 0, false));
}

TEST_F(FenceTrackerTest, NotTheEpochOfWhatARequestWaitsFor) {
  EXPECT_TRUE(Begin(1, 0, true));
  EXPECT_FALSE(Ask(kFirst));
  EXPECT_FALSE(Begin(2, 0, true));
}

TEST_F(FenceTrackerTest, SameEpochUntilARequest) {
  EXPECT_TRUE(Begin(1, 0, true));
  EXPECT_FALSE(Begin(2, 0, false));
}

// There is room for three of an epoch, whatever else is outstanding.
TEST_F(FenceTrackerTest, RoomIsOfAnEpoch) {
  for (unsigned number = 1; number <= 3; ++number) {
    EXPECT_TRUE(model_.HasRoom(1, 0));
    Begin(number, 0, false);
  }
  EXPECT_FALSE(model_.HasRoom(1, 0));
  EXPECT_TRUE(model_.HasRoom(1, 1));
  EXPECT_TRUE(model_.HasRoom(0, 0));
  EXPECT_FALSE(Ask(kFirst));
  EXPECT_TRUE(model_.HasRoom(1, 0));
  for (unsigned number = 4; number <= 6; ++number) {
    Begin(number, 0, true);
  }
  EXPECT_FALSE(model_.HasRoom(1, 0));
  model_.End(1, 1);
  EXPECT_FALSE(model_.HasRoom(1, 0));
  model_.End(1, 4);
  EXPECT_TRUE(model_.HasRoom(1, 0));
}

TEST_F(FenceTrackerTest, KnowsWhatHasBegun) {
  Begin(7, 1, true);
  ASSERT_NE(model_.Find(1, 7), nullptr);
  EXPECT_EQ(model_.Find(1, 7)->of, 1U);
  EXPECT_TRUE(model_.Find(1, 7)->epoch);
  EXPECT_EQ(model_.Find(1, 8), nullptr);
  EXPECT_EQ(model_.Find(0, 7), nullptr);
  model_.End(1, 7);
  EXPECT_EQ(model_.Find(1, 7), nullptr);
}

}  // namespace
}  // namespace muster::golden
