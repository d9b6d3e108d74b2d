// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Several launches in a manifest, and what they leave to each other.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A file with a variable that its kernels count in. `step` has another one, of its own, and `other`
// one more, so that it is not where `step` has it.
std::string Counters() {
  return Header() + R"(
.global .u32 total = 100;
.const .u32 stride = 7;
.visible .entry step(.param .u64 out, .param .u32 by) {
  .reg .b32 %r<4>; .reg .b64 %d;
  .global .u32 calls = 1;
  ld.param.u64 %d, [out]; ld.param.u32 %r1, [by];
  ld.global.u32 %r2, [total]; add.u32 %r2, %r2, %r1; st.global.u32 [total], %r2;
  st.global.u32 [%d], %r2;
  ld.global.u32 %r3, [calls]; add.u32 %r3, %r3, 1; st.global.u32 [calls], %r3;
  st.global.u32 [%d+4], %r3;
  ret; }
.visible .entry other(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d;
  .global .u32 unused[5] = {9, 9, 9, 9, 9};
  .global .u32 calls = 50;
  ld.param.u64 %d, [out];
  ld.global.u32 %r2, [total]; ld.const.u32 %r1, [stride]; mul.lo.u32 %r2, %r2, %r1;
  st.global.u32 [total], %r2;
  ld.global.u32 %r3, [calls]; add.u32 %r3, %r3, 1; st.global.u32 [calls], %r3;
  st.global.u32 [%d+8], %r3;
  ret; }
)";
}

KernelLaunch Launch(const std::string& ptx, const std::string& kernel,
                    std::vector<Argument> arguments = {{"out"}}) {
  KernelLaunch launch;
  launch.ptx = ptx;
  launch.kernel = kernel;
  launch.arguments = std::move(arguments);
  return launch;
}

// The launches of a manifest, each run to its end.
struct Sequence {
  explicit Sequence(const Manifest& what) : manifest(what) {
    const Config& config = *FindConfig("default");
    const auto device = std::make_shared<Device>(manifest);
    for (std::size_t i = 0; i < manifest.LaunchCount(); ++i) {
      sessions.push_back(std::make_unique<Session>(manifest, i, device, config, 1));
    }
    for (const auto& session : sessions) {
      session->Enter();
      RunGolden(config, session->grid().Drivers(), manifest.max_cycles);
      EXPECT_EQ(OutcomeName(session->grid()), "completes") << session->Which();
    }
  }

  std::vector<std::uint32_t> Words() const {
    const std::vector<std::uint8_t> bytes = sessions.back()->Contents(0);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  Manifest manifest;
  std::vector<std::unique_ptr<Session>> sessions;
};

Manifest Empty() {
  Manifest manifest;
  manifest.path = "test.json";
  manifest.buffers = {MakeBuffer("out", Type::kU32, 4)};
  return manifest;
}

TEST(PtxSequence, VariablesOfAFileStayAsItsLaunchesLeaveThem) {
  const std::string ptx = WriteTestFile("a.ptx", Counters());
  Manifest manifest = Empty();
  const auto by = [](std::uint32_t count) { return Argument{"", Type::kU32, count}; };
  manifest.launches = {Launch(ptx, "step", {{"out"}, by(1)}), Launch(ptx, "step", {{"out"}, by(2)}),
                       Launch(ptx, "other"), Launch(ptx, "other"),
                       Launch(ptx, "step", {{"out"}, by(3)})};
  const Sequence run(manifest);
  EXPECT_EQ(run.Words(), (std::vector<std::uint32_t>{103 * 49 + 3, 4, 52, 0}));
  EXPECT_EQ(run.sessions[2]->Which(), "launch 3 of 5, kernel other");
}

TEST(PtxSequence, VariablesOfAnotherFileAreItsOwn) {
  const std::string a = WriteTestFile("a.ptx", Counters());
  const std::string b = WriteTestFile("b.ptx", Counters());
  Manifest manifest = Empty();
  const Argument by{"", Type::kU32, 5};
  manifest.launches = {Launch(a, "step", {{"out"}, by}), Launch(b, "other"),
                       Launch(b, "step", {{"out"}, by}), Launch(a, "step", {{"out"}, by})};
  EXPECT_EQ(Sequence(manifest).Words(), (std::vector<std::uint32_t>{110, 3, 51, 0}));
  manifest.launches.pop_back();
  EXPECT_EQ(Sequence(manifest).Words(), (std::vector<std::uint32_t>{705, 2, 51, 0}));
}

// The heap is the device's: what one launch allocates another one finds, and frees.
TEST(PtxSequence, MemoryFromMallocStays) {
  const std::string ptx = WriteTestFile("m.ptx", Header() + R"(
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 pointer);
.visible .entry take(.param .u64 out) {
  .reg .b64 %d<3>; .param .b64 n; .param .b64 p;
  st.param.b64 [n], 16; call (p), malloc, (n); ld.param.b64 %d1, [p];
  st.u32 [%d1+12], 77;
  ld.param.u64 %d2, [out]; st.global.u64 [%d2], %d1; ret; }
.visible .entry give(.param .u64 out) {
  .reg .b32 %r; .reg .b64 %d<3>; .param .b64 p;
  ld.param.u64 %d2, [out]; ld.global.u64 %d1, [%d2];
  ld.u32 %r, [%d1+12]; st.global.u32 [%d2+8], %r;
  st.param.b64 [p], %d1; call free, (p); ret; }
)");
  Manifest manifest = Empty();
  manifest.launches = {Launch(ptx, "take"), Launch(ptx, "give")};
  EXPECT_EQ(Sequence(manifest).Words()[2], 77U);
}

TEST(PtxSequence, HazardsOfAllLaunchesCount) {
  const std::string ptx = WriteTestFile("h.ptx", Header() + R"(
.visible .entry k() { bar.arrive 1, 64; ret; })");
  Manifest manifest = Empty();
  manifest.launches = {Launch(ptx, "k", {}), Launch(ptx, "k", {}), Launch(ptx, "k", {})};
  const auto differences = [&manifest](std::array<std::uint32_t, 3> ctas, std::uint32_t wanted) {
    for (std::size_t i = 0; i < ctas.size(); ++i) {
      manifest.launches[i].grid = {ctas[i], 1, 1};
      manifest.launches[i].block = {96, 1, 1};  // of three warps that arrive, two complete
    }
    manifest.hazards["unfinished_barrier"] = wanted;
    const Sequence run(manifest);
    HazardCounts before;
    run.sessions[0]->Count(&before);
    run.sessions[1]->Count(&before);
    return run.sessions[2]->Judge(before).differences;
  };
  EXPECT_EQ(differences({1, 3, 1}, 5), std::vector<std::string>{});
  EXPECT_EQ(differences({1, 3, 2}, 5),
            std::vector<std::string>{"the hazard unfinished_barrier was met 6 times, not 5"});
}

TEST(PtxSequence, ALaunchThatDoesNotFitIsNamed) {
  const std::string ptx = WriteTestFile("a.ptx", Counters());
  Manifest manifest = Empty();
  manifest.launches = {Launch(ptx, "other"), Launch(ptx, "step")};
  try {
    const Sequence run(manifest);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "test.json: launch 2 of 2, kernel step: \"args\" has 1 arguments, but the kernel "
                 "step takes 2");
  }
}

TEST(PtxSequence, ManifestOfSeveralLaunches) {
  WriteTestFile("a.ptx", "");
  WriteTestFile("b.ptx", "");
  const std::string path = WriteTestFile("m.json", R"({
    "ptx": "a.ptx", "buffers": {"x": {"type": "u32", "count": 1}},
    "launches": [{"kernel": "k", "block": [32, 2, 1], "args": [{"buffer": "x"}]},
                 {"ptx": "b.ptx", "block": [1, 1, 1], "grid": [2, 2, 2], "cluster": [2, 1, 1],
                  "cooperative": true, "dynamic_shared": 64}]})");
  const Manifest manifest = ReadManifest(path);
  const std::string folder = path.substr(0, path.size() - 6);
  ASSERT_EQ(manifest.LaunchCount(), 2U);
  const KernelLaunch& first = manifest.LaunchAt(0);
  EXPECT_EQ(first.ptx, folder + "a.ptx");
  EXPECT_EQ(first.kernel, "k");
  EXPECT_EQ(first.block, (std::array<std::uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(first.grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(first.arguments.at(0).buffer, "x");
  const KernelLaunch& second = manifest.LaunchAt(1);
  EXPECT_EQ(second.ptx, folder + "b.ptx");
  EXPECT_EQ(second.grid, (std::array<std::uint32_t, 3>{2, 2, 2}));
  EXPECT_EQ(second.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_TRUE(second.cooperative && second.arguments.empty());
  EXPECT_EQ(second.dynamic_shared, 64U);
  EXPECT_EQ(InputsOf(path), (std::vector<std::string>{path, folder + "a.ptx", folder + "b.ptx"}));
}

TEST(PtxSequence, Refusals) {
  WriteTestFile("k.ptx", "");
  const struct {
    std::string text;
    std::string message;  // how it begins, after the path
  } rows[] = {
      {R"({"launches": []})", ":1: launches must be a list of 1 to 1000 launches"},
      {R"({"launches": 1})", ":1: launches must be a list of 1 to 1000 launches"},
      {"{\"launches\": [\n1]}", ":2: launches[0] must be an object"},
      {"{\"launches\": [\n{\"ptx\": \"k.ptx\"}]}", ":2: launches[0] lacks \"block\""},
      {"{\"launches\": [\n{\"block\": [1,1,1]}]}",
       ":2: launches[0] lacks \"ptx\", which the manifest does not have either"},
      {"{\"ptx\": \"k.ptx\", \"launches\": [{\"block\": [1,1,1]},\n{\"block\": [1,1]}]}",
       ":2: launches[1].block must be a list of three numbers"},
      {"{\"ptx\": \"k.ptx\", \"launches\": [{\"block\": [1,1,1]},\n{\"block\": [1,1,1], \"x\": "
       "1}]}",
       ":2: launches[1].x is not a known key (ptx, kernel, "},
      {"{\"ptx\": \"k.ptx\", \"launches\": [{\"block\": [1,1,1], \"args\":\n[{\"u8\": 256}]}]}",
       ":2: launches[0].args[0].u8 is out of the range of its type"},
      {"{\"ptx\": \"k.ptx\", \"launches\": [{\"block\": [1,1,1], \"cluster\": [8,8,1]}]}",
       ":1: launches[0].cluster is of more than 32 CTAs"},
      {"{\"launches\": [{\"block\": [1,1,1], \"ptx\": \"no.ptx\"}]}", ":1: launches[0].ptx names "},
      {"{\"ptx\": \"k.ptx\", \"launches\": [{\"block\": [1,1,1]}],\n\"grid\": [1,1,1]}",
       ":2: grid is said by each of \"launches\": write it there"},
  };
  for (const auto& row : rows) {
    const std::string path = WriteTestFile("m.json", row.text);
    std::string what = "accepted";
    try {
      ReadManifest(path);
    } catch (const InputError& error) {
      what = std::string(error.what()).substr(path.size());
    }
    EXPECT_EQ(what.substr(0, row.message.size()), row.message) << row.text;
  }
}

// A value that is not computed goes from one file's kernel to another's, there into a variable,
// and, after a launch of the first file, out of it.
TEST(PtxSequence, WhatIsUnknownStaysSo) {
  const std::string first = WriteTestFile("first.ptx",
                                          ".version 8.7\n.target sm_120a\n.address_size 64\n"
                                          R"(
.visible .entry opaque(.param .u64 out) {
  .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %d;
  ld.param.u64 %d, [out];
  mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0
    {%f1, %f2, %f3, %f4}, {%r3, %r3, %r3, %r3}, {%r3, %r3, %r3, %r3}, {%f0, %f0, %f0, %f0}, %r3, 0, %r3, {0, 0}, %r3, {0, 0};
  st.global.f32 [%d], %f1; ret; }
.visible .entry clear(.param .u64 out) {
  .reg .b64 %d; ld.param.u64 %d, [out]; st.global.u32 [%d], 0; ret; }
)");
  const std::string second = WriteTestFile("second.ptx", Header() + R"(
.global .u32 kept[4];
.visible .entry keep(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d;
  ld.param.u64 %d, [out]; ld.global.u32 %r1, [%d]; st.global.u32 [kept+8], %r1; ret; }
.visible .entry give(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d; .global .u32 other[9] = {1};
  ld.param.u64 %d, [out]; ld.global.u32 %r1, [other]; ld.global.u32 %r1, [kept+8];
  st.global.u32 [%d+4], %r1; ret; }
)");
  Manifest manifest = Empty();
  manifest.buffers[0].expected = manifest.buffers[0].initial;
  manifest.launches = {Launch(first, "opaque"), Launch(second, "keep"), Launch(first, "clear"),
                       Launch(second, "give")};
  for (KernelLaunch& launch : manifest.launches) {
    launch.block = {32, 1, 1};
  }
  const Sequence run(manifest);
  const std::vector<std::string> told = run.sessions.back()->Judge().differences;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].rfind("of buffer out 1 of 4 elements are not known, as they depend on what "
                          "mma.sp::ordered_metadata.sync.aligned",
                          0),
            0U)
      << told[0];
}

}  // namespace
}  // namespace muster::ptx
