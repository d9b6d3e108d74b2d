// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs that keep to a schedule: what is started and not waited for, and what goes to other CTAs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tb/unit/ptx_schedule.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kCopyOrderSeeds = 6;

// Lane 0 of two warps: the second goes to SECOND. 32 u32 in, at %d1, each 9; 32 out, at %d2; %r5 is
// bar, initialised with `count`, and %r6 is s, whose words hold 1 to 16.
// Who comes to TEST asks whether the first phase is complete, and then does what `end` says.
Kernel TwoThreads(const std::string& count, const std::string& body, std::uint32_t ctas = 1,
                  const std::string& end = "", const std::string& registers = "",
                  const std::string& version = ".version 8.6\n.target sm_100") {
  Kernel kernel(version + R"(
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>; )" +
                    registers + R"(
  .shared .align 16 .b32 s[32]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
  and.b32 %r3, %r1, 31; mov.u32 %r5, bar; mov.u32 %r6, s; mad.lo.u32 %r7, %r1, 4, %r6;
  add.u32 %r8, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 st.shared.u32 [%r7], %r8;
  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], )" +
                    count + R"(;
  barrier.cluster.arrive; // FIRST
  barrier.cluster.wait; mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p3, %r4, 1;
  setp.ne.u32 %p1, %r3, 0; setp.ne.u32 %p2, %r2, 0; @%p1 bra END;
)" + body + R"(
TEST: mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0; // TEST
  selp.u32 %r10, 1, 2, %p4; st.global.u32 [%d2], %r10;
)" + end + R"(
END: barrier.cluster.arrive; barrier.cluster.wait; ret;
}
)",
                64);
  kernel.manifest.grid = {ctas, 1, 1};
  if (ctas > 1) {
    kernel.manifest.cluster = {ctas, 1, 1};
  }
  Buffer in = MakeBuffer("in", Type::kU32, 32);
  for (std::size_t i = 0; i < in.initial.size(); i += 4) {
    in.initial[i] = 9;
  }
  kernel.manifest.buffers = {in, MakeBuffer("out", Type::kU32, 32)};
  return kernel;
}

const std::string kWaitForCopies =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra WAIT;";

Listed Performs(Listed row) {
  row.what = "performs";
  return row;
}
Listed PerformsFor(Listed row, std::uint64_t cta) {
  row.what = "performs";
  row.to = cta;
  return row;
}
Listed Reads(Listed row) {
  row.what = "reads";
  return row;
}

// All of them come, in that order, and out[0] is the value.
void Expect(const Kernel& kernel, const std::vector<Listed>& rows, std::uint32_t value) {
  for (std::uint64_t seed = 1; seed <= kCopyOrderSeeds; ++seed) {
    const Followed run(kernel, rows, seed);
    ASSERT_EQ(run.outcome(), "completes") << run.session().grid().problem();
    EXPECT_EQ(run.turns(), rows.size()) << run.session().grid().missed();
    EXPECT_EQ(run.Words(1)[0], value) << "seed " << seed;
  }
}

TEST(PtxScheduleCopy, ASourceOverwrittenBeforeOrAfterItIsRead) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p2 bra SECOND;
  cp.async.bulk.global.shared::cta.bulk_group [%d2], [s], 16; // COPY
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bra END;
SECOND: mov.u32 %r10, 77; st.shared.u32 [s], %r10; // OVER
  bra END;)");
  const Listed copy{"COPY"};
  const Listed over{"OVER", 1};
  Expect(kernel, {copy, over, Reads(copy), Performs(copy)}, 77);
  Expect(kernel, {copy, over, Reads(copy)}, 77);
  Expect(kernel, {copy, Reads(copy), over, Performs(copy)}, 1);
  Expect(kernel, {Performs(copy), over}, 1);
}

TEST(PtxScheduleCopy, CopiesToOnePlace) {
  // Warp 0 copies 1, warp 1 copies 5.
  const Kernel kernel = TwoThreads("1", R"(
  mad.lo.u32 %r9, %r2, 16, %r6;
  cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r9], 16; // COPY
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bra END;)");
  const Listed a{"COPY", 0};
  const Listed b{"COPY", 1};
  Expect(kernel, {Performs(a), Performs(b)}, 5);
  Expect(kernel, {Performs(b), Performs(a)}, 1);
  Expect(kernel, {a, b, Performs(b), Performs(a)}, 1);
  Expect(kernel, {b, a, Reads(a), Performs(b), Performs(a)}, 1);
  // A CTA that waits for a copy which waits for the CTA: not so.
  const Followed run(kernel, {Performs(a), {"FIRST", 0, ~0U}});
  EXPECT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 0);
}

TEST(PtxScheduleCopy, AnMbarrierHearsOfACopy) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p2 bra TEST;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64; // EXPECT
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 64, [bar]; // BULK
WAIT: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra WAIT; bra END;)");
  const Listed bulk{"BULK"};
  const Listed test{"TEST", 1};
  Expect(kernel, {bulk, test, Performs(bulk)}, 2);
  Expect(kernel, {bulk, Performs(bulk), test}, 1);
  Expect(kernel, {bulk, Reads(bulk), test, Performs(bulk)}, 2);
}

TEST(PtxScheduleCopy, AnArriveOnOfCopies) {
  const auto kernel = [](const std::string& form) {
    return TwoThreads("1",
                      R"(
  @%p2 bra TEST;
  cp.async.ca.shared.global [s], [%d1], 16; // COPY
  cp.async.mbarrier.arrive)" +
                          form + "\n  bra WAIT;",
                      1, kWaitForCopies);
  };
  const Listed copy{"COPY"};
  const Listed on{"ARRIVE"};
  const Listed plain{"PLAIN"};
  const Listed test{"TEST", 1};
  const Kernel noinc = kernel(".noinc.shared.b64 [bar]; // ARRIVE");
  Expect(noinc, {on, test, Performs(on)}, 2);
  Expect(noinc, {on, Performs(copy), test, Performs(on)}, 2);
  Expect(noinc, {on, Performs(copy), Performs(on), test}, 1);
  // The phase needs one more arrival than before.
  const Kernel raises =
      kernel(".shared.b64 [bar]; // ARRIVE\n  mbarrier.arrive.shared.b64 _, [bar]; // PLAIN");
  Expect(raises, {on, plain, test, Performs(on)}, 2);
  Expect(raises, {on, plain, Performs(on), test}, 1);
  Expect(raises, {on, Performs(on), test, plain}, 2);
}

TEST(PtxScheduleCopy, StoresToAnotherCta) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p3 bra OTHER; @%p2 bra END; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4; // EXPECT
  bra TEST;
OTHER: @%p2 bra END; mapa.shared::cluster.u32 %r11, %r5, 0; mapa.shared::cluster.u32 %r12, %r6, 0;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r1, [%r11]; // ASYNC
  bra END;)",
                                   2, kWaitForCopies);
  const Listed async{"ASYNC", 0, 1, 1, "executes", 1};
  const Listed expect{"EXPECT"};
  const Listed test{"TEST"};
  Expect(kernel, {expect, async, Performs(async), test}, 1);
  Expect(kernel, {expect, async, test, Performs(async)}, 2);
  Expect(kernel, {Performs(async), expect, test}, 1);
}

// An arrival at CTA 0 by a thread of CTA 1, and a copy there by it or by another one.
TEST(PtxScheduleCopy, ACopyFollowsWhatItsOwnThreadHasSent) {
  const auto kernel = [](const std::string& first, const std::string& second) {
    return TwoThreads("2", R"(
  @%p3 bra OTHER; @%p2 bra END; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16; // EXPECT
  bra TEST;
OTHER: mapa.shared::cluster.u32 %r11, %r5, 0; mapa.shared::cluster.u32 %r12, %r6, 0;
  @%p2 bra )" + second + R"(;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11]; // REMOTE
  bra )" + first + R"(;
COPY:
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [%r6], 16, [%r11]; // COPY
  bra END;)",
                      2, kWaitForCopies);
  };
  const Listed expect{"EXPECT"};
  const Listed test{"TEST"};
  const Listed arrive{"REMOTE", 0, 1, 1, "executes", 1};
  const Listed of_another{"COPY", 1, 1, 1, "executes", 1};
  const Listed own{"COPY", 0, 1, 1, "executes", 1};
  const Kernel two = kernel("END", "COPY");
  Expect(two, {expect, arrive, of_another, Performs(of_another), test, Performs(arrive)}, 2);
  Expect(two, {expect, arrive, of_another, Performs(of_another), Performs(arrive), test}, 1);
  Expect(two, {expect, arrive, of_another, Performs(arrive), test, Performs(of_another)}, 2);
  const Kernel one = kernel("COPY", "END");
  Expect(one, {expect, arrive, own, Performs(arrive), test, Performs(own)}, 2);
  Expect(one, {expect, arrive, own, Performs(arrive), Performs(own), test}, 1);
  const Followed run(one, {expect, arrive, own, Performs(own), test, Performs(arrive)});
  EXPECT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 3U);
}

// CTA 1 looks before it waits, so that out[0] tells which of its look and its part was first.
TEST(PtxScheduleCopy, PartsOfAMulticastCopy) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p2 bra END; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
  barrier.cluster.arrive; barrier.cluster.wait; @%p3 bra TEST;
  mov.b16 %h1, 3;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%d1], 64, [bar], %h1; // COPY
  bra LAST;)",
                                   2, "LAST: " + kWaitForCopies, ".reg .b16 %h<2>;");
  const Listed copy{"COPY"};
  const Listed test{"TEST", 0, 1, 1, "executes", 1, {}};
  Expect(kernel, {copy, PerformsFor(copy, 1), test, PerformsFor(copy, 0)}, 1);
  Expect(kernel, {copy, PerformsFor(copy, 0), test, PerformsFor(copy, 1)}, 2);
  Expect(kernel, {test, PerformsFor(copy, 1), PerformsFor(copy, 0)}, 2);
  Expect(kernel, {Performs(copy), test}, 1);
  // A part that must come before the CTAs have met, and is started after: not so.
  const Followed run(kernel, {PerformsFor(copy, 1), {"FIRST", 0, ~0U}});
  EXPECT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 0);
}

// CTA 1 arrives at all three. CTA 0 looks once, and so does CTA 1, at whose mbarrier the arrival
// takes effect with the instruction.
TEST(PtxScheduleCopy, PartsOfAMulticastArrival) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p2 bra END; mov.u32 %r12, 7; @!%p3 bra TEST;
  mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r5], %r12; // ARRIVE
  bra END;)",
                                   3, "", "", ".version 9.4\n.target sm_107f");
  const Listed arrive{"ARRIVE", 0, 1, 1, "executes", 1};
  const Listed test{"TEST"};
  Expect(kernel, {arrive, PerformsFor(arrive, 0), test, PerformsFor(arrive, 2)}, 1);
  Expect(kernel, {arrive, PerformsFor(arrive, 2), test, PerformsFor(arrive, 0)}, 2);
  Expect(kernel, {PerformsFor(arrive, 2), PerformsFor(arrive, 0), test}, 1);
  Expect(kernel, {test, arrive}, 2);
}

TEST(PtxScheduleCopy, ArrivalsAtAnotherCtasMbarrier) {
  const Kernel kernel = TwoThreads("2", R"(
  @%p3 bra OTHER; @%p2 bra END; bra TEST;
OTHER: mapa.shared::cluster.u32 %r11, %r5, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11]; // REMOTE
  bra END;)",
                                   2);
  const Listed a{"REMOTE", 0, 1, 1, "executes", 1};
  const Listed b{"REMOTE", 1, 1, 1, "executes", 1};
  const Listed test{"TEST"};
  Expect(kernel, {a, b, Performs(b), test, Performs(a)}, 2);
  Expect(kernel, {a, b, Performs(b), Performs(a), test}, 1);
  Expect(kernel, {Performs(a), test, Performs(b)}, 2);
}

// Of one warp, in another order than they set out in; but those of one lane keep theirs.
TEST(PtxScheduleCopy, ArrivalsOfOneWarpAtAnotherCtasMbarrier) {
  Kernel kernel(R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<20>; .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x; mov.u32 %r5, bar; mov.u32 %r4, %cluster_ctarank;
  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 100;
  barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p3, %r4, 0; @%p3 bra END;
  mapa.shared::cluster.u32 %r11, %r5, 0; add.u32 %r12, %r1, 1; add.u32 %r13, %r1, 5;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11], %r12; // ONE
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11], %r13; // TWO
END: barrier.cluster.arrive; barrier.cluster.wait; ret;
}
)",
                4);
  kernel.manifest.grid = {2, 1, 1};
  kernel.manifest.cluster = {2, 1, 1};
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 1)};
  const auto one = [](unsigned lane) { return Listed{"ONE", 0, 1U << lane, 1, "performs", 1}; };
  const auto two = [](unsigned lane) { return Listed{"TWO", 0, 1U << lane, 1, "performs", 1}; };
  for (std::uint64_t seed = 1; seed <= kCopyOrderSeeds; ++seed) {
    const std::vector<Listed> rows{one(3), one(1), two(1), one(2), two(3), one(0), two(0), two(2)};
    const Followed run(kernel, rows, seed);
    ASSERT_EQ(run.outcome(), "completes") << run.session().grid().problem();
    EXPECT_EQ(run.turns(), rows.size()) << run.session().grid().missed();
    EXPECT_EQ(run.RemoteOperands(), (std::vector<std::uint32_t>{4, 2, 6, 3, 8, 1, 5, 7}));
  }
  const Followed run(kernel, {two(3), one(3)});
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 0);
}

TEST(PtxScheduleCopy, ArrivalsAtTheClustersBarrier) {
  const Kernel kernel = TwoThreads("1", "  bra END;\n", 2);
  std::vector<unsigned> order{0, 1, 2, 3};
  do {
    std::vector<Listed> rows;
    std::vector<std::pair<unsigned, unsigned>> wanted;
    for (const unsigned one : order) {
      rows.push_back({"FIRST", one % 2, ~0U, 1, "executes", one / 2});
      wanted.emplace_back(one / 2, one % 2);
    }
    const Followed run(kernel, rows, 1 + order[0]);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.turns(), 4);
    ASSERT_GE(run.cluster_arrivals().size(), 4);
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), run.cluster_arrivals().begin()));
  } while (std::next_permutation(order.begin(), order.end()));
}

// An operation that is held back for a turn which cannot come keeps its warp from exiting.
TEST(PtxScheduleCopy, ImpossibleOfAnotherCta) {
  const Kernel kernel = TwoThreads("1", R"(
  @%p3 bra OTHER; bra END;
OTHER: @%p2 bra END; mapa.shared::cluster.u32 %r11, %r5, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11]; // REMOTE
  bra END;)",
                                   2);
  const Followed run(kernel, {{"TEST"}, {"REMOTE", 0, 1, 1, "performs", 1}});
  EXPECT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.turns(), 0);
  EXPECT_EQ(run.session().Judge().code, ExitCode::kDiffers);
}

// CTA 0 asks for the next cluster: it gets one that has not started. out[c] is 1 where CTA c has
// started, and 2 where CTA 0 has taken it.
Kernel Taking(std::uint32_t ctas) {
  Kernel kernel(R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .b128 %q;
  .shared .align 16 .b8 response[16]; .shared .align 8 .b64 full;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, response; mov.u32 %r3, full;
  mov.u32 %r4, 1;
  mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2; st.global.u32 [%d2], %r4;
  setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  mbarrier.init.shared.b64 [%r3], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 16;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r2], [%r3]; // CANCEL
WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra WAIT; // WAIT
  ld.shared.b128 %q, [%r2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;
  @!%p3 ret;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q; mov.u32 %r4, 2;
  mul.wide.u32 %d2, %r5, 4; add.s64 %d2, %d1, %d2; st.global.u32 [%d2], %r4;
  ret;
}
)",
                1);
  kernel.manifest.grid = {ctas, 1, 1};
  kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1), MakeBuffer("out", Type::kU32, ctas)};
  return kernel;
}

TEST(PtxScheduleStarts, OfClustersBeforeAndAfterOneIsTaken) {
  constexpr std::uint32_t kCtas = 4;
  const Kernel kernel = Taking(kCtas);
  const Listed cancel{"CANCEL"};
  // `taken` is the first that has not started by then, and kCtas where all have.
  for (std::uint32_t taken = 1; taken <= kCtas; ++taken) {
    std::vector<Listed> rows = {Starts(0), cancel};
    std::vector<std::uint32_t> wanted(kCtas, 1);
    for (std::uint32_t cta = 1; cta < taken; ++cta) {
      rows.push_back(Starts(cta));
    }
    rows.push_back(Reads(cancel));
    if (taken < kCtas) {
      wanted[taken] = 2;
    }
    for (std::uint32_t cta = taken + 1; cta < kCtas; ++cta) {
      rows.push_back(Starts(cta));
    }
    rows.push_back(Performs(cancel));
    for (std::uint64_t seed = 1; seed <= kCopyOrderSeeds; ++seed) {
      const Followed run(kernel, rows, seed);
      ASSERT_EQ(run.outcome(), "completes") << run.session().grid().problem();
      EXPECT_EQ(run.turns(), rows.size()) << run.session().grid().missed();
      EXPECT_EQ(run.Words(1), wanted) << "seed " << seed;
    }
  }
}

TEST(PtxScheduleStarts, Impossible) {
  const Listed cancel{"CANCEL"};
  const Followed taken(Taking(2), {Starts(0), Reads(cancel), Starts(1)});
  EXPECT_EQ(taken.outcome(), "completes");
  EXPECT_EQ(taken.turns(), 2);
  EXPECT_EQ(taken.session().grid().missed(), "it has started before, or was cancelled");
  const Followed swapped(Taking(3), {Starts(2), Starts(1)});
  EXPECT_EQ(swapped.outcome(), "completes");
  EXPECT_EQ(swapped.turns(), 0);
}

}  // namespace
}  // namespace muster::ptx
