// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Programmatic launches: griddepcontrol between launches that overlap (PTX ISA 9.7.13.13).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel that is launched after those before it; its arguments are all buffers.
struct Step {
  std::string kernel;
  std::uint32_t ctas = 1;
  std::uint32_t threads = 32;
  std::uint32_t cluster = 0;
  bool programmatic = true;
};

Kernel Launches(const std::string& ptx, const std::vector<Step>& steps,
                std::vector<Buffer> buffers) {
  Kernel kernel(Header("sm_90") + ptx);
  kernel.manifest.buffers = std::move(buffers);
  for (const Step& step : steps) {
    KernelLaunch launch;
    launch.ptx = kernel.manifest.ptx;
    launch.kernel = step.kernel;
    launch.grid = {step.ctas, 1, 1};
    launch.block = {step.threads, 1, 1};
    launch.programmatic = step.programmatic && !kernel.manifest.launches.empty();
    if (step.cluster != 0) {
      launch.cluster = {step.cluster, 1, 1};
    }
    for (const Buffer& buffer : kernel.manifest.buffers) {
      Argument argument;
      argument.buffer = buffer.name;
      launch.arguments.push_back(argument);
    }
    kernel.manifest.launches.push_back(std::move(launch));
  }
  return kernel;
}

std::string Entry(const std::string& name, const std::string& body,
                  const std::string& buffers = ".param .u64 a") {
  return ".visible .entry " + name + "(" + buffers + ") {\n" +
         "  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
         "  ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" +
         body + "  ret;\n}\n";
}

// The first launch goes on only when the second one runs, and the second one waits for its word.
std::string Handshake(const std::string& trigger) {
  return Entry("first", trigger + R"(
W: ld.acquire.gpu.global.u32 %r3, [%d1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra W;
   st.global.u32 [%d1+4], 7;
)") + Entry("second", R"(
   st.release.gpu.global.u32 [%d1], 1;
   griddepcontrol.wait;
   ld.global.u32 %r3, [%d1+4]; add.u32 %r3, %r3, 1; st.global.u32 [%d1+8], %r3;
)");
}

TEST(PtxProgrammatic, BeginsWhenTheLaunchBeforeLetsIt) {
  const Kernel kernel = Launches(Handshake("  griddepcontrol.launch_dependents;\n"),
                                 {{"first"}, {"second"}}, {MakeBuffer("a", Type::kU32, 3)});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Ended run(kernel, "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << seed;
    EXPECT_EQ(run.Words(0), (std::vector<std::uint32_t>{1, 7, 8})) << seed;
  }
}

// Without launch_dependents, and if it is not programmatic, it begins when the one before has
// ended.
TEST(PtxProgrammatic, BeginsNoEarlier) {
  const std::vector<Buffer> buffers = {MakeBuffer("a", Type::kU32, 3)};
  EXPECT_EQ(Ended(Launches(Handshake(""), {{"first"}, {"second"}}, buffers)).outcome(), "deadlock");
  Kernel apart = Launches(Handshake("  griddepcontrol.launch_dependents;\n"),
                          {{"first"}, {"second", 1, 32, 0, false}}, buffers);
  EXPECT_EQ(Ended(apart).outcome(), "deadlock");
}

// "as soon as all other CTAs in the grid issue the same instruction or have completed": the last
// CTA of the first launch, of more than fit at once, neither does nor ends before the word is 1.
TEST(PtxProgrammatic, EveryCtaLetsItBegin) {
  const std::string second = Entry("second", "  st.global.u32 [%d1], 1;\n");
  const std::string waits = R"(
W: ld.acquire.gpu.global.u32 %r3, [%d1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra W;
)";
  const auto outcome = [&](const std::string& first) {
    return Ended(Launches(Entry("first", first) + second, {{"first", 9}, {"second"}},
                          {MakeBuffer("a", Type::kU32, 1)}))
        .outcome();
  };
  const std::string only_last = "  setp.ne.u32 %p2, %r2, 8; @%p2 ret;\n";
  const std::string trigger = "  griddepcontrol.launch_dependents;\n";
  EXPECT_EQ(outcome(only_last + waits), "deadlock");
  EXPECT_EQ(outcome(only_last + trigger + waits), "completes");
  // "Repeated invocations [...] by threads in the current CTA will have no additional side
  // effects": nor does one thread of a CTA count for another CTA.
  EXPECT_EQ(
      outcome("  setp.eq.u32 %p2, %r2, 8; @%p2 bra W;\n" + trigger + trigger + "  ret;\n" + waits),
      "deadlock");
}

// "all the memory operations from the prerequisite grids are performed and made visible": a copy,
// too, that outlives its CTA.
TEST(PtxProgrammatic, WaitSeesCopiesThatOutliveTheirCta) {
  const std::string ptx = Entry("first", R"(
  .shared .align 16 .b32 tile[4];
  setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  mov.u32 %r3, tile; mov.u32 %r4, 5; st.shared.u32 [%r3], %r4;
  fence.proxy.async; mov.u32 %r5, 0;
  griddepcontrol.launch_dependents;
C: cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 16;
  add.u64 %d1, %d1, 16; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 64; @%p2 bra C;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
)") + Entry("second", R"(
  mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u64 %d2, %d1;
  griddepcontrol.wait;
A: ld.global.u32 %r3, [%d2]; add.u32 %r4, %r4, %r3;
  add.u64 %d2, %d2, 16; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 64; @%p2 bra A;
  st.global.u32 [%d1+1024], %r4;
)");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Ended run(Launches(ptx, {{"first"}, {"second"}}, {MakeBuffer("a", Type::kU32, 257)}),
                    "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    EXPECT_EQ(run.Words(0)[256], 64U * 5) << seed;
  }
}

// Each launch has parameters, grid, block, cluster and special registers of its own, a kernel that
// is launched twice too; more launches than the unit has slots for come one after the other.
TEST(PtxProgrammatic, LaunchesAreTheirOwn) {
  const std::string ptx = Entry("k", R"(
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ld.param.u32 %r6, [by]; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %cluster_nctaid.x;
  mad.lo.u32 %r3, %r3, 1000, %r4; mad.lo.u32 %r3, %r5, 100000, %r3;
  add.u32 %r7, %r2, %r1; setp.ne.u32 %p1, %r7, 0; @%p1 ret;
  mad.wide.u32 %d2, %r6, 4, %d1; ld.global.u32 %r4, [%d2];
  add.u32 %r3, %r3, %r4; st.global.u32 [%d2+4], %r3;
)",
                                ".param .u64 a, .param .u32 by");
  Kernel kernel =
      Launches(ptx, {{"k", 2, 32}, {"k", 3, 64}, {"k", 4, 96, 2}, {"k", 12, 32}, {"k", 1, 128}},
               {MakeBuffer("a", Type::kU32, 6)});
  std::uint32_t by = 0;
  for (KernelLaunch& launch : kernel.manifest.launches) {
    Argument argument;
    argument.type = Type::kU32;
    argument.bits = by++;
    launch.arguments.push_back(argument);
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Ended run(kernel, "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(0), (std::vector<std::uint32_t>{0, 102032, 205096, 409192, 521224, 622352}))
        << seed;
  }
}

// A cluster that try_cancel has taken never runs; its launch ends without it.
TEST(PtxProgrammatic, CancelledClustersAreNotAwaited) {
  const std::string ptx = Entry("first", R"(
  .shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;
  .reg .b128 %q; .reg .b32 %n; .reg .pred %c;
  griddepcontrol.launch_dependents;
  setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  mov.u32 %n, 0; mov.u32 %r5, answer; mov.u32 %r6, bar; mbarrier.init.shared.b64 [%r6], 1;
N: red.global.add.u32 [%d1], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 16;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r5], [%r6];
T: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %n; @!%p2 bra T;
  xor.b32 %n, %n, 1;
  ld.shared.b128 %q, [%r5];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %c, %q;
  @%c bra N;
)") + Entry("second", R"(
  griddepcontrol.wait;
  ld.global.u32 %r3, [%d1]; st.global.u32 [%d1+4], %r3;
)");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Ended run(
        Launches(ptx, {{"first", 30}, {"second"}, {"second"}}, {MakeBuffer("a", Type::kU32, 2)}),
        "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(0), (std::vector<std::uint32_t>{30, 30})) << seed;
  }
}

TEST(PtxProgrammatic, ReportsNameTheLaunch) {
  const std::string ptx = Entry("first", "  griddepcontrol.launch_dependents;\nL: bra L;\n") +
                          Entry("second", "  griddepcontrol.wait;\n");
  const Ended run(Launches(ptx, {{"first"}, {"second", 2}}, {MakeBuffer("a", Type::kU32, 1)}));
  EXPECT_EQ(run.outcome(), "deadlock");
  EXPECT_EQ(run.session().Which(), "launches 1 to 2 of 2, kernels first and second");
  const auto stuck = run.grid().StuckWarps();
  ASSERT_EQ(stuck.size(), 3U);
  EXPECT_EQ(run.grid().CtaName(stuck[0].cta), "(0,0,0) of launch 2");
  EXPECT_EQ(stuck[0].where.what, "waits at griddepcontrol.wait");
  EXPECT_EQ(run.grid().CtaName(stuck[1].cta), "(1,0,0) of launch 2");
  EXPECT_EQ(run.grid().CtaName(stuck[2].cta), "(0,0,0) of launch 1");
  const std::string text = LaunchText(run.session(), run.outcome(), {}, {});
  EXPECT_NE(text.find("launch 2 of 2, kernel second, which may begin before that has ended: grid "
                      "2x1x1, block 32x1x1"),
            std::string::npos)
      << text;
}

TEST(PtxProgrammatic, BadManifests) {
  WriteTestFile("other.ptx", Header("sm_90"));
  WriteTestFile("k.ptx", Header("sm_90"));
  const std::string launch = R"({"block": [32, 1, 1])";
  const auto refusal = [&](const std::string& launches) {
    return ManifestRefusal(R"({"ptx": "k.ptx", "launches": [)" + launches + "]}");
  };
  EXPECT_EQ(
      refusal(launch + R"(, "programmatic": true})"),
      ":1: launches[0].programmatic is of the first launch: there is none before it that it could "
      "overlap with");
  EXPECT_EQ(
      refusal(launch + "}, " + launch + R"(, "programmatic": true, "cooperative": true})"),
      ":1: launches[1].programmatic is of a cooperative launch, whose CTAs must all be there at "
      "once: take one of the two away");
  EXPECT_EQ(
      refusal(launch + "}, " + launch + R"(, "programmatic": true, "ptx": "other.ptx"})"),
      ":1: launches[1].programmatic is of a launch of another PTX file than the one before it: "
      "launches that overlap are of one file");
  EXPECT_EQ(refusal(launch + "}, " + launch + R"(, "programmatic": 1})"),
            ":1: launches[1].programmatic must be true or false");
  EXPECT_EQ(ManifestRefusal(R"({"ptx": "k.ptx", "block": [32, 1, 1], "programmatic": true})")
                .substr(0, 37),
            ":1: programmatic is not a known key (");
  EXPECT_EQ(
      refusal(launch + R"(, "programmatic": false}, )" + launch + R"(, "programmatic": true})"),
      "accepted");
}

}  // namespace
}  // namespace muster::ptx
