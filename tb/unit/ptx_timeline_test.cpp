// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a timeline records of a launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "sim/isa/config.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"
#include "sim/ptx/runtime/on_pins/timeline.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

using Kind = Timeline::Kind;

// A launch that was recorded from its beginning to its end.
struct Recorded {
  explicit Recorded(const Kernel& what, std::uint64_t seed = 1) : kernel(what) {
    const Config& config = *FindConfig("default");
    session = std::make_unique<Session>(kernel.manifest, config, seed);
    session->Record();
    cycles = RunGolden(config, session->grid().Drivers(), kernel.manifest.max_cycles).cycles;
  }
  const Timeline& timeline() const { return *session->timeline(); }

  Kernel kernel;
  std::unique_ptr<Session> session;
  std::uint64_t cycles = 0;
};

// The latest arrival of each phase of a place is that which releases all who wait for it.
void ExpectReleasedByTheLast(const Timeline& timeline) {
  for (const Timeline::Wait& wait : timeline.waits()) {
    const Timeline::Arrival* last = nullptr;
    for (const Timeline::Arrival& arrival : timeline.arrivals()) {
      const bool same = !(arrival.place < wait.from.place) && !(wait.from.place < arrival.place) &&
                        arrival.phase == wait.from.phase;
      if (same && (last == nullptr || arrival.cycle >= last->cycle)) {
        last = &arrival;
      }
    }
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(wait.by, last->row);
    EXPECT_EQ(wait.by_line, last->line);
    EXPECT_EQ(wait.completed, last->cycle);
    EXPECT_GE(wait.end, wait.completed);
    EXPECT_LT(wait.end, wait.completed + 16);
  }
}

TEST(PtxTimeline, Barriers) {
  const Recorded run(Kernel(Header() + R"(
.visible .entry k() {
  .reg .b32 %r<4>; .reg .pred %p; mov.u32 %r1, 5;
AGAIN:
  bar.sync 3;
  bar.arrive 4, 96;
  sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
  ret; })",
                            96, 2));
  const Timeline& timeline = run.timeline();
  ASSERT_EQ(timeline.rows().size(), 6U);
  for (const Timeline::Row& row : timeline.rows()) {
    EXPECT_LT(row.begin, row.end);
    EXPECT_LE(row.end, run.cycles);
  }
  EXPECT_EQ(timeline.waits().size(), 2U * 3 * 5);
  EXPECT_EQ(timeline.arrivals().size(), 2U * 3 * 10);
  ExpectReleasedByTheLast(timeline);
  std::uint64_t waited = 0;
  for (const Timeline::Wait& wait : timeline.waits()) {
    EXPECT_EQ(wait.from.place.id, 3U);
    EXPECT_LT(wait.from.phase, 5U);
    EXPECT_EQ(wait.from.line, 8U);
    waited += wait.completed - wait.from.cycle;
  }
  std::uint64_t counted = 0;  // otherwise, for the report
  for (const BarrierRow& row : run.session->grid().Barriers()) {
    counted += row.wait_cycles;
  }
  EXPECT_EQ(waited, counted);
}

TEST(PtxTimeline, AnExitCompletesABarrier) {
  const Recorded run(Kernel(Header() + R"(
.visible .entry k() {
  .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32;
  @!%p nanosleep.u32 900;
  @%p bar.sync 0;
  ret; })",
                            64));
  ASSERT_EQ(run.timeline().waits().size(), 1U);
  const Timeline::Wait& wait = run.timeline().waits()[0];
  EXPECT_EQ(run.timeline().rows()[wait.by].warp.second, 1U);
  EXPECT_EQ(wait.by_line, 9U);  // ret
  EXPECT_EQ(wait.completed, run.timeline().rows()[wait.by].end);
}

TEST(PtxTimeline, Mbarriers) {
  const Recorded run(Kernel(Header() + R"(
.visible .entry k() {
  .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p<3>; .shared .b64 m; .shared .b64 n;
  mov.u32 %r1, %tid.x; mov.u32 %r2, m;
  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r2], 64;
  bar.sync 0;
  setp.lt.u32 %p1, %r1, 32; @!%p1 nanosleep.u32 900;
  mbarrier.arrive.shared.b64 %d1, [%r2];
AGAIN:
  mbarrier.test_wait.shared.b64 %p2, [%r2], %d1; @!%p2 bra AGAIN;
  ret; })",
                            64));
  const auto& waits = run.timeline().waits();
  const auto wait = std::find_if(waits.begin(), waits.end(), [](const Timeline::Wait& other) {
    return other.from.place.kind == Kind::kMbarrier;
  });
  ASSERT_NE(wait, waits.end());  // one bar, however often the loop asked
  EXPECT_EQ(run.timeline().rows()[wait->from.row].warp.second, 0U);
  EXPECT_EQ(run.timeline().rows()[wait->by].warp.second, 1U);
  EXPECT_EQ(wait->from.line, 13U);
  EXPECT_EQ(wait->by_line, 11U);
  EXPECT_GT(wait->end - wait->from.cycle, 400U);
  EXPECT_LT(wait->end - wait->completed, 100U);
  EXPECT_EQ(std::count_if(waits.begin(), waits.end(),
                          [&](const Timeline::Wait& other) {
                            return other.from.place.kind == Kind::kMbarrier &&
                                   other.from.row == wait->from.row;
                          }),
            1);
}

TEST(PtxTimeline, Clusters) {
  Kernel kernel(Header("sm_90") + R"(
.visible .entry k() {
  .reg .b32 %r<4>; .reg .pred %p; mov.u32 %r1, 4;
AGAIN:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
  ret; })",
                64, 4);
  kernel.manifest.cluster = {2, 1, 1};
  const Recorded run(kernel);
  EXPECT_EQ(run.timeline().waits().size(), 4U * 2 * 4);
  EXPECT_EQ(run.timeline().arrivals().size(), 4U * 2 * 4);
  ExpectReleasedByTheLast(run.timeline());
}

TEST(PtxTimeline, LanesOfAWarp) {
  const Recorded run(Kernel(Header() + R"(
.visible .entry k() {
  .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 16;
  @%p bra SYNC;
  nanosleep.u32 900;
SYNC:
  bar.warp.sync 0xffffffff;
  ret; })"));
  std::uint64_t longest = 0;
  for (const Timeline::Wait& wait : run.timeline().waits()) {
    EXPECT_EQ(wait.from.place.kind, Kind::kLanes);
    EXPECT_EQ(wait.from.line, 10U);
    EXPECT_EQ(wait.by, Timeline::kNobody);
    longest = std::max(longest, wait.end - wait.from.cycle);
  }
  EXPECT_GT(longest, 400U);
}

TEST(PtxTimeline, WaitsThatNobodyEndsStayOpen) {
  const Recorded run(Kernel(Header() + R"(
.visible .entry k() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 32;
  @%p bar.sync 1, 64;
  @!%p bar.sync 2, 64;
  ret; })",
                            64));
  EXPECT_EQ(OutcomeName(run.session->grid()), "deadlock");
  ASSERT_EQ(run.timeline().waits().size(), 2U);
  for (const Timeline::Wait& wait : run.timeline().waits()) {
    EXPECT_EQ(wait.end, Timeline::kOpen);
    EXPECT_EQ(wait.by, Timeline::kNobody);
  }
}

TEST(PtxTimeline, ItsMemoryIsBounded) {
  Timeline timeline;
  timeline.Begin({0, 0}, 1);
  const Timeline::Place place{Kind::kBarrier, 0, 0};
  for (std::uint64_t cycle = 2; cycle < 2 * Timeline::kMaxEvents; ++cycle) {
    timeline.Arrive({0, 0}, place, 5, cycle);
  }
  EXPECT_EQ(timeline.arrivals().size(), Timeline::kMaxEvents - 1);
  EXPECT_EQ(timeline.full_at(), timeline.arrivals().back().cycle + 1);
  timeline.Begin({0, 1}, 7);
  timeline.BeginWait({0, 0}, place, ~0U, 5, 8);
  EXPECT_EQ(timeline.rows().size(), 1U);
  EXPECT_TRUE(timeline.waits().empty());
}

}  // namespace
}  // namespace muster::ptx
