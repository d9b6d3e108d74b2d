// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Variables of PTX files that a manifest gives values, and expects values of.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// Constants and counters under plain and mangled names. The kernel multiplies and counts.
std::string Weights() {
  return Header() + R"(
.const .align 4 .f32 weights[2] = {1.0, 1.0};
.const .align 4 .b8 _ZN4ours5shiftE[8];
.global .u32 calls = 5;
.global .u32 _ZN4ours5countE = 6;
.global .u32 _ZN6theirs5countE = 7;
.visible .entry k(.param .u64 out) {
  .reg .b64 %d; .reg .f32 %f<4>; .reg .b32 %r<4>;
  ld.param.u64 %d, [out];
  ld.const.f32 %f1, [weights]; ld.const.f32 %f2, [weights+4]; ld.const.f32 %f3, [_ZN4ours5shiftE+4];
  fma.rn.f32 %f1, %f1, %f2, %f3; st.global.f32 [%d], %f1;
  ld.global.u32 %r1, [calls]; add.u32 %r1, %r1, 1; st.global.u32 [calls], %r1;
  ld.global.u32 %r1, [_ZN4ours5countE]; add.u32 %r1, %r1, %r1; st.global.u32 [_ZN4ours5countE], %r1;
  ret; }
)";
}

std::string ManifestWith(const std::string& members) {
  return R"({"ptx": "k.ptx", "block": [1,1,1], "args": [{"buffer": "out"}],
    "buffers": {"out": {"type": "f32", "count": 1}},
)" + members +
         "}";
}

// The run of a manifest with these members.
Ended RunWith(const std::string& members) {
  WriteTestFile("k.ptx", Weights());
  Kernel kernel("");
  kernel.manifest = ReadManifest(WriteTestFile("m.json", ManifestWith(members)));
  return Ended(kernel);
}

TEST(PtxSymbol, ValuesOfConstantsAndVariables) {
  const Ended run = RunWith(R"(
    "symbols": {"weights": {"type": "f32", "init": [3, 0.5]},
                "ours::shift": {"type": "f32", "init": "iota"},
                "calls": {"type": "u32", "init": {"fill": 41}},
                "_ZN4ours5countE": {"type": "s16", "init": [-3, -1]},
                "theirs::count": {"type": "u8"}},
    "expect": {"out": [2.5], "calls": [42], "_ZN4ours5countE": [-6, -1], "theirs::count": [7, 0, 0, 0],
               "weights": [3, 0.5], "ours::shift": [0, 1]})");
  EXPECT_EQ(run.verdict().differences, std::vector<std::string>{});
}

TEST(PtxSymbol, WithoutAValueItIsAsTheFileHasIt) {
  const Ended run = RunWith(R"(
    "symbols": {"calls": {"type": "u32"}, "weights": {"type": "f32"}},
    "expect": {"out": [1], "calls": [7], "weights": {"fill": 1}})");
  EXPECT_EQ(run.verdict().differences,
            std::vector<std::string>{"symbol calls differs in 1 of 1 elements: [0] is 6, not 7"});
}

TEST(PtxSymbol, Refusals) {
  const std::string ptx = WriteTestFile("k.ptx", Weights());
  WriteTestFile("other.ptx", Weights());
  const struct {
    std::string symbols;
    std::string message;  // how it begins, after the path
  } rows[] = {
      {R"("weight": {"type": "f32"})",
       ":3: symbols.weight names a variable that is not in " + ptx +
           "; there are _ZN4ours5countE, _ZN4ours5shiftE, _ZN6theirs5countE, calls, weights"},
      {R"("count": {"type": "u32"})", ":3: symbols.count may mean _ZN4ours5countE of " + ptx +
                                          ", _ZN6theirs5countE of " + ptx + ": write"},
      {R"("calls": {"type": "f64"})",
       ":3: symbols.calls.type has 8 bytes, of which the 4 bytes of calls are no multiple"},
      {R"("weights": {"type": "f32", "init": [1]})",
       ":3: symbols.weights.init has 1 elements, but weights has 2"},
      {R"("calls": {"type": "u8", "init": {"fill": 256}})",
       ":3: symbols.calls.init.fill is out of the range of its type"},
      {R"("calls": {"type": "u32", "init": "one"})",
       R"(:3: symbols.calls.init must be "zero", "iota", a list, )"},
      {R"("calls": {"init": [1]})", R"(:3: symbols.calls lacks "type")"},
      {R"("calls": {"type": "u32", "count": 1})", ":3: symbols.calls.count is not a known key"},
      {R"("out": {"type": "f32"})", ":3: symbols.out is the name of a buffer, too"},
      {R"("calls": {"type": "u32", "ptx": "other.ptx"})",
       ":3: symbols.calls.ptx names a PTX file of which there is no launch"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ManifestRefusal(ManifestWith("\"symbols\": {" + row.symbols + "}"))
                  .substr(0, row.message.size()),
              row.message)
        << row.symbols;
  }
  WriteTestFile("k.ptx", Header() + ".entry k(.param .u64 out) { ret; }");
  EXPECT_EQ(ManifestRefusal(ManifestWith(R"("symbols": {"x": {"type": "u8"}})")),
            ":3: symbols.x names a variable that is not in " + ptx +
                "; it has no .global or .const variable");
}

// Of two files each has its own. A name that both have needs the file beside it.
TEST(PtxSymbol, OfSeveralFiles) {
  const std::string a = WriteTestFile("a.ptx", Weights());
  const std::string b = WriteTestFile("b.ptx", Weights() + ".global .u32 alone;");
  const auto text = [](const std::string& symbols) {
    return R"({"launches": [{"ptx": "a.ptx", "block": [1,1,1], "args": [{"buffer": "out"}]},
                            {"ptx": "b.ptx", "block": [1,1,1], "args": [{"buffer": "out"}]}],
      "buffers": {"out": {"type": "f32", "count": 1}},
"symbols": {)" +
           symbols + "}}";
  };
  EXPECT_EQ(ManifestRefusal(text(R"("calls": {"type": "u32"})")),
            ":4: symbols.calls may mean calls of " + a + ", calls of " + b +
                ": write the whole name, or \"ptx\" beside the type");
  const Manifest manifest = ReadManifest(
      WriteTestFile("m.json", text(R"("calls": {"type": "u32", "ptx": "b.ptx", "init": [9]},
                        "alone": {"type": "u32", "init": [3]})")));
  const auto device = std::make_shared<Device>(manifest);
  const Config& config = *FindConfig("default");
  Session first(manifest, 0, device, config, 1);
  Session second(manifest, 1, device, config, 1);
  const auto value = [&first](std::size_t symbol) { return first.Contents(symbol)[0]; };
  EXPECT_EQ(value(2), 9);  // before the file has been in memory
  second.Enter();
  EXPECT_EQ(value(2), 9);  // while it is
  EXPECT_EQ(value(1), 3);
  first.Enter();
  EXPECT_EQ(value(2), 9);  // and afterwards
}

TEST(PtxSymbol, OptionsOfALaunch) {
  const std::string ptx = WriteTestFile("k.ptx", Weights());
  DirectLaunch launch;
  launch.ptx = ptx;
  launch.block = "1";
  launch.args = {"out=f32[1]"};
  launch.symbols = {"weights=f32:2,4", "ours::shift=u32:iota", "calls=u32"};
  launch.expects = {"calls=6"};
  const DirectManifest made = ManifestOf(launch);
  EXPECT_EQ(made.members["symbols"].dump(),
            R"({"weights":{"type":"f32","init":[2.0,4.0]},)"
            R"("ours::shift":{"type":"u32","init":"iota"},"calls":{"type":"u32"}})");
  ASSERT_EQ(made.manifest.buffers.size(), 4U);
  EXPECT_NE(made.manifest.command.find(" --symbol weights=f32:2,4 --symbol ours::shift=u32:iota "),
            std::string::npos);
  const auto refusal = [&launch](const std::string& symbol) {
    launch.symbols = {"calls=u32", symbol};
    try {
      ManifestOf(launch);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string form = " is not NAME=TYPE or NAME=TYPE:INIT, such as weights=f32:0.5,2";
  EXPECT_EQ(refusal("weights"), "--symbol weights" + form);
  EXPECT_EQ(refusal("=u32:1"), "--symbol =u32:1" + form);
  EXPECT_EQ(refusal("weights=tf32:1"), "--symbol weights=tf32:1" + form);
  EXPECT_EQ(refusal("calls=u32:1"), "--symbol calls=u32:1: there is a --symbol calls already");
  EXPECT_EQ(refusal("weights=f32:1,2,3"),
            "--symbol weights=f32:1,2,3 has 3 elements, but weights has 2");
  EXPECT_EQ(refusal("weights=f32:x"), "--symbol weights=f32:x: x is no number");
  EXPECT_EQ(refusal("none=f32:1").rfind("--symbol none=f32:1 names a variable that is not in ", 0),
            0U);
}

}  // namespace
}  // namespace muster::ptx
