// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Manifests, good and bad, and what the exit code is made of.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

std::string Refusal(const std::string& text) {
  WriteTestFile("k.ptx", "");
  return ManifestRefusal(text);
}

TEST(PtxManifest, Defaults) {
  WriteTestFile("k.ptx", "");
  const std::string path = WriteTestFile("m.json", R"({"ptx": "k.ptx", "block": [64, 2, 1]})");
  const Manifest manifest = ReadManifest(path);
  EXPECT_EQ(manifest.ptx, path.substr(0, path.size() - 6) + "k.ptx");
  EXPECT_EQ(manifest.kernel, "");
  EXPECT_EQ(manifest.grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(manifest.block, (std::array<std::uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(manifest.outcome, "completes");
  EXPECT_EQ(manifest.config, "default");
  EXPECT_EQ(manifest.seed, 1U);
  EXPECT_EQ(manifest.max_cycles, 1'000'000U);
  EXPECT_FALSE(manifest.dynamic_shared.has_value());
}

TEST(PtxManifest, StructuresByValue) {
  const std::string ptx = Header() + R"(
.visible .entry k(.param .u8 first, .param .align 8 .b8 s[32]) {
  .reg .b32 %r<8>; .reg .b64 %d<8>;
  ld.param.u64 %d1, [s+8]; ld.param.u8 %r1, [s]; ld.param.s16 %r2, [s+16];
  ld.param.u32 %r3, [s+20]; ld.param.u8 %r4, [s+24]; ld.param.u8 %r5, [first];
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;
  st.global.u32 [%d1], %r1; ret; })";
  Kernel kernel(ptx, 1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 1)};
  WriteTestFile("k.ptx", ptx);
  const std::string path = WriteTestFile("m.json", R"({"ptx": "k.ptx", "block": [1, 1, 1],
    "buffers": {"out": {"type": "u32", "count": 1}},
    "args": [{"u8": 100}, {"struct": [{"u8": 1}, {"buffer": "out"},
             {"struct": [{"s16": -2}, {"u32": 3000}]}, {"u8": 40}]}]})");
  kernel.manifest.arguments = ReadManifest(path).arguments;
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0)[0], 100 + 1 - 2 + 3000 + 40U);
}

TEST(PtxManifest, EveryMember) {
  WriteTestFile("k.ptx", "");
  WriteTestFile("in.bin", std::string("\x01\x00\xff\x7f", 4));
  const std::string path = WriteTestFile("m.json", R"({
    "ptx": "k.ptx", "kernel": "k", "grid": [2, 3, 4], "block": [1, 1, 1], "cluster": 2,
    "dynamic_shared": 128, "config": "small", "seed": 7, "max_cycles": 5,
    "args": [{"buffer": "a"}, {"u8": 255}, {"s16": -2}, {"f32": 1.5}, {"f64": "-inf"},
             {"u64": "18446744073709551615"}, {"s64": "-0x10"}],
    "buffers": {"a": {"type": "u16", "count": 2, "init": {"file": "in.bin"}},
                "b": {"type": "f64", "count": 3, "init": "iota"},
                "c": {"type": "s8", "count": 2, "init": [-128, 127]},
                "d": {"type": "f32", "count": 2, "init": {"fill": "nan"}},
                "e": {"type": "u64", "count": 1}},
    "expect": {"e": {"fill": "0xff"}, "c": [1, 2]},
    "outcome": "fault:count_mismatch", "hazards": {"repeated_arrival": 3},
    "after_inval": "hazard", "hint": "ignored"})");
  const Manifest manifest = ReadManifest(path);
  EXPECT_EQ(manifest.grid, (std::array<std::uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(manifest.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(manifest.dynamic_shared, 128U);
  EXPECT_EQ(manifest.config, "small");
  EXPECT_EQ(manifest.seed, 7U);
  EXPECT_EQ(manifest.max_cycles, 5U);
  ASSERT_EQ(manifest.arguments.size(), 7U);
  EXPECT_EQ(manifest.arguments[0].buffer, "a");
  EXPECT_EQ(manifest.arguments[1].bits, 255U);
  EXPECT_EQ(manifest.arguments[2].bits, 0xfffeU);
  EXPECT_EQ(manifest.arguments[3].bits, 0x3fc00000U);
  EXPECT_EQ(manifest.arguments[4].bits, 0xfff0000000000000U);
  EXPECT_EQ(manifest.arguments[5].bits, ~std::uint64_t{0});
  EXPECT_EQ(manifest.arguments[6].bits, ~std::uint64_t{15});
  ASSERT_EQ(manifest.buffers.size(), 5U);
  EXPECT_EQ(manifest.buffers[0].initial, (std::vector<std::uint8_t>{1, 0, 0xff, 0x7f}));
  double two = 0;
  std::memcpy(&two, &manifest.buffers[1].initial[16], sizeof two);
  EXPECT_EQ(two, 2.0);
  EXPECT_EQ(manifest.buffers[2].initial, (std::vector<std::uint8_t>{0x80, 0x7f}));
  EXPECT_EQ(manifest.buffers[2].expected, (std::vector<std::uint8_t>{1, 2}));
  EXPECT_EQ((*manifest.buffers[4].expected)[0], 0xffU);
  EXPECT_EQ(manifest.outcome, "fault:count_mismatch");
  EXPECT_EQ(manifest.hazards.at("repeated_arrival"), 3U);
  EXPECT_TRUE(manifest.inval_is_hazard);
  EXPECT_TRUE(manifest.hint_is_ignored);
}

TEST(PtxManifest, Refusals) {
  const auto with = [](const std::string& members) {
    return "{\"ptx\": \"k.ptx\", \"block\": [32,1,1],\n" + members + "}";
  };
  const auto buffer = [&](const std::string& members) {
    return with(R"("buffers": {"a": {)" + members + "}}");
  };
  const struct {
    std::string text;
    std::string message;  // how it begins
  } rows[] = {
      {"", ":1: the manifest is not JSON: "},
      {"{\n\"ptx\": }", ":2: the manifest is not JSON: "},
      {"[]", ":1: the manifest must be an object"},
      {R"({"block": [1,1,1]})", R"(:1: the manifest lacks "ptx")"},
      {R"({"ptx": "k"})", R"(:1: the manifest lacks "block")"},
      {R"({"ptx": "no.ptx", "block": [1,1,1]})", ":1: ptx names "},
      {std::string(101, '['), ":1: the manifest has more than 100 brackets in each other"},
      {with(R"("seed": 1e999)"), ":2: the manifest is not JSON: number overflow parsing '1e999'"},
      {with("\"a\xc3\xb6\": 1"), ":2: a\\xc3\\xb6 is not a known key"},
      {with(R"("blok": 1)"), ":2: blok is not a known key (ptx, "},
      {with(R"("ptx": "l")"), ":2: ptx is there twice"},
      {with(R"("grid": 5)"), ":2: grid must be a list of three numbers"},
      {with(R"("grid": [1,1])"), ":2: grid must be a list of three numbers"},
      {with(R"("grid": [1,1,0])"), ":2: grid[2] must be a whole number from 1 to 65535"},
      {with(R"("grid": [1,1.5,1])"), ":2: grid[1] must be a whole number"},
      {with(R"("cluster": [4,4,4])"), ":2: cluster is of more than 32 CTAs"},
      {with(R"("cluster": 33)"),
       ":2: cluster must be a whole number from 1 to 32, or a list of three"},
      {with(R"("cluster": "2")"),
       ":2: cluster must be a whole number from 1 to 32, or a list of three"},
      {with(R"("kernel": 5)"), ":2: kernel must be a string"},
      {with(R"("dynamic_shared": -1)"), ":2: dynamic_shared must be a whole number"},
      {with(R"("outcome": "fails")"), ":2: outcome must be completes, deadlock, "},
      {with(R"("outcome": "fault:x")"), ":2: outcome names the fault cause x, "},
      {with(R"("after_inval": true)"), ":2: after_inval must be fault or hazard"},
      {with(R"("after_inval": "error")"), ":2: after_inval must be fault or hazard"},
      {with(R"("hint": "none")"), ":2: hint must be used or ignored"},
      {with(R"("hazards": {"x": 1})"), ":2: hazards.x is not a known key (repeated_arrival, "},
      {with(R"("hazards": {"repeated_arrival": -1})"),
       ":2: hazards.repeated_arrival must be a whole number"},
      {with(R"("args": 1)"), ":2: args must be a list"},
      {with(R"("args": [1])"),
       R"(:2: args[0] must be {"buffer": name}, {"multicast": name}, {"texture": name}, {"surface": name}, {"tensor_map": name}, {type: value} or {"struct": [arguments]})"},
      {with(R"("args": [{"u32": 1, "u8": 2}])"), ":2: args[0] must be "},
      {with(R"("args": [{"buffer": "a"}])"), ":2: args[0] names the buffer a, which is not"},
      {with(R"("args": [{"b32": 1}])"),
       ":2: args[0].b32 is not a known key (buffer, texture, surface, multicast, tensor_map, "
       "struct, u8, "},
      {with(R"("args": [{"tf32": 1}])"),

       ":2: args[0].tf32 is not a known key (buffer, texture, surface, multicast, tensor_map, "
       "struct, u8, "},
      {with(R"("args": [{"struct": []}])"),
       ":2: args[0].struct must be a list with at least one member"},
      {with(R"("args": [{"struct": [{"u8": 1}, {"u8": 256}]}])"),
       ":2: args[0].struct[1].u8 is out of the range of its type"},
      {with(R"("args": [{"u8": 256}])"), ":2: args[0].u8 is out of the range of its type"},
      {with(R"("args": [{"u8": -1}])"), ":2: args[0].u8 is out of the range of its type"},
      {with(R"("args": [{"s8": -129}])"), ":2: args[0].s8 is out of the range of its type"},
      {with(R"("args": [{"u32": "5"}])"), ":2: args[0].u32 must be an integer"},
      {with(R"("args": [{"u32": 1.5}])"), ":2: args[0].u32 must be an integer"},
      {with(R"("args": [{"u64": "5x"}])"), ":2: args[0].u64 is not an integer"},
      {with("\"config\": \"small\", \"seed\": 1,\n\"seed\": 2,\n\"seed\": 3"),
       ":3: seed is there twice"},
      {with(R"("config": "nope")"), ":2: config names the configuration nope, but there are "},
      {with(R"("args": [{"f32": 1e300}])"), ":2: args[0].f32 is out of the range of its type"},
      {with(R"("args": [{"f32": -3.5e38}])"), ":2: args[0].f32 is out of the range of its type"},
      {buffer("\"type\": \"f32\", \"count\": 2, \"init\": [3.4e38,\n4e38]"),
       ":3: buffers.a.init[1] is out of the range of its type"},
      {with(R"("args": [{"f32": "big"}])"), ":2: args[0].f32 must be a number, "},
      {with(R"("expect": {"a": [1]})"), ":2: expect.a names a buffer or symbol that is not there"},
      {buffer(R"("count": 1)"), R"(:2: buffers.a lacks "type")"},
      {buffer(R"("type": "u32")"), R"(:2: buffers.a lacks "count")"},
      {buffer(R"("type": "u33", "count": 1)"), ":2: buffers.a.type must be one of u8, "},
      {buffer(R"("type": "u32", "count": 0)"), ":2: buffers.a.count must be a whole number"},
      {buffer(R"("type": "u32", "count": 1, "x": 1)"), ":2: buffers.a.x is not a known key"},
      {buffer(R"("type": "u32", "count": 1, "init": "one")"),
       R"(:2: buffers.a.init must be "zero", "iota", )"},
      {buffer(R"("type": "u32", "count": 2, "init": [1])"),
       ":2: buffers.a.init has 1 elements, but a has 2"},
      {buffer("\"type\": \"u32\", \"count\": 2, \"init\": [1,\n-1]"),
       ":3: buffers.a.init[1] is out of the range of its type"},
      {buffer(R"("type": "u32", "count": 2, "init": {"fil": 1})"),
       R"(:2: buffers.a.init must be "zero", "iota", a list, {"fill": value}, {"file": path}, {"tensor_maps": names}, "any" or {"any": what})"},
      {buffer("\"type\": \"u32\", \"count\": 2, \"init\": [1,\ntrue]"),
       R"(:2: buffers.a.init must be "zero", "iota", a list, )"},
      {with("\"grid\": [1,\n1,\n\n0\n]"), ":5: grid[2] must be a whole number from 1 to 65535"},
      {with(R"("seed": -1)"), ":2: seed must be a whole number from 0 to 18446744073709551615"},
      {with(R"("seed": 0.5)"), ":2: seed must be a whole number"},
      {with(R"("max_cycles": 0)"), ":2: max_cycles must be a whole number from 1 to "},
      {buffer(R"("type": "u32", "count": 2, "init": {"file": "no.bin"})"),
       ":2: buffers.a.init.file names "},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Refusal(row.text).substr(0, row.message.size()), row.message) << row.text;
  }
  EXPECT_NE(Refusal(with(R"("seed": 2)")), "refused");
}

// What the schema and the code both list is the same.
TEST(PtxManifest, SchemaKnowsWhatTheCodeKnows) {
  const auto with = [](const std::string& members) {
    return "{\"ptx\": \"no.ptx\", \"block\": [32,1,1],\n" + members + "}";
  };
  const std::string accepted = ":1: ptx names ";  // what comes after the schema
  for (unsigned i = 0; i < kNumHazards; ++i) {
    const std::string name = Name(static_cast<Hazard>(i));
    EXPECT_EQ(Refusal(with("\"hazards\": {\"" + name + "\": 0}")).substr(0, accepted.size()),
              accepted)
        << name;
  }
  for (const char* type : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64",
                           "f16", "bf16", "e4m3", "e5m2"}) {
    const std::string buffer =
        std::string(R"("buffers": {"a": {"count": 1, "type": ")") + type + "\"}}";
    EXPECT_EQ(Refusal(with(buffer)).substr(0, accepted.size()), accepted) << type;
    const std::string argument = std::string(R"("args": [{")") + type + "\": 1}]";
    EXPECT_EQ(Refusal(with(argument)).substr(0, accepted.size()), accepted) << type;
  }
  for (const char* seed : {"0", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(Refusal(with(std::string(R"("seed": )") + seed)).substr(0, accepted.size()),
              accepted);
  }
}

TEST(PtxManifest, MissingFiles) {
  EXPECT_THROW(ReadManifest("/no/such/manifest.json"), InputError);
  Manifest manifest;
  manifest.ptx = "/no/such/kernel.ptx";
  EXPECT_THROW(Session(manifest, *FindConfig("default"), 1), InputError);
}

// What is wrong with a launch, without its path.
std::string LaunchRefusal(const Kernel& kernel, const Config& config = *FindConfig("default")) {
  try {
    Session(kernel.manifest, config, 1);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(std::string("test.json: ").size());
  }
  return "accepted";
}

TEST(PtxManifest, LaunchesThatDoNotFit) {
  const std::string plain = Header() + ".entry k() { ret; }";
  EXPECT_EQ(LaunchRefusal(Kernel(plain, 4096)),
            "a block of 4096 threads is larger than any configuration holds (2048 threads)");
  EXPECT_EQ(LaunchRefusal(Kernel(plain, 512), *FindConfig("small")),
            "a block of 512 threads is larger than the configuration small holds (256 threads): "
            "use --config default or full or large or vortex_like");
  Config narrow_warps;
  narrow_warps.name = "narrow";
  narrow_warps.warp_size = 8;
  EXPECT_EQ(LaunchRefusal(Kernel(plain, 32), narrow_warps),
            "the configuration narrow has warps of 8 lanes: those of PTX have 32");
  EXPECT_EQ(LaunchRefusal(Kernel(Header() + ".entry k(.param .u32 a) { ret; }")),
            R"("args" has 0 arguments, but the kernel k takes 1)");
  Kernel narrow(Header() + ".entry k(.param .u32 a) { ret; }");
  narrow.manifest.arguments = {{"", Type::kU64, 1}};
  EXPECT_EQ(LaunchRefusal(narrow), "args[0] has 8 bytes, but the parameter a has 4");
  EXPECT_EQ(LaunchRefusal(Kernel(Header() + ".entry k() .maxntid 64 { ret; }", 96)),
            "a block of 96 threads is more than the kernel k allows: 64 (.maxntid)");
  EXPECT_EQ(LaunchRefusal(Kernel(Header() + ".entry k() .reqntid 64 { ret; }", 32)),
            "the kernel k requires a block of 64 threads (.reqntid)");
  EXPECT_EQ(LaunchRefusal(Kernel(Header() + ".entry k() { .shared .b8 s[50000]; ret; }")),
            "the kernel's shared variables take 50000 bytes, but a CTA has 49152");
  Kernel dynamic(plain);
  dynamic.manifest.dynamic_shared = 300'000;
  EXPECT_EQ(LaunchRefusal(dynamic),
            "dynamic_shared makes 300000 bytes of shared memory, but a CTA has at most 232448");
}

TEST(PtxManifest, VerdictsAndExitCodes) {
  const std::string good = Header() + R"(
.entry k(.param .u64 out) { .reg .b64 %d; ld.param.u64 %d, [out]; st.global.u32 [%d], 7; })";
  const auto code = [](const Kernel& kernel) {
    return static_cast<int>(Ended(kernel).verdict().code);
  };
  Kernel kernel(good, 1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 1)};
  kernel.manifest.buffers[0].expected = std::vector<std::uint8_t>{7, 0, 0, 0};
  EXPECT_EQ(code(kernel), 0);
  kernel.manifest.hazards["repeated_arrival"] = 1;
  EXPECT_EQ(code(kernel), 1);
  kernel.manifest.hazards.clear();
  kernel.manifest.buffers[0].expected = std::vector<std::uint8_t>{8, 0, 0, 0};
  EXPECT_EQ(code(kernel), 1);
  EXPECT_EQ(Ended(kernel).verdict().differences,
            std::vector<std::string>{"buffer out differs in 1 of 1 elements: [0] is 7, not 8"});
  kernel.manifest.outcome = "deadlock";
  EXPECT_EQ(code(kernel), 1);

  Kernel deadlock(Header() + ".entry k() { bar.sync 0, 64; }", 32);
  EXPECT_EQ(Ended(deadlock).outcome(), "fault:count_above_cta");
  EXPECT_EQ(code(deadlock), 5);
  Kernel timeout(Header() + ".entry k() { L: bra L; }", 32);
  timeout.manifest.max_cycles = 1000;
  EXPECT_EQ(code(timeout), 6);
  timeout.manifest.outcome = "timeout";
  EXPECT_EQ(code(timeout), 0);
  Kernel trap(Header() + ".entry k() { trap; }", 32);
  EXPECT_EQ(Ended(trap).outcome(), "assert");
  EXPECT_EQ(code(trap), 5);
}

TEST(PtxManifest, NanEqualsNan) {
  Kernel kernel(Header() + R"(
.entry k(.param .u64 out) {
  .reg .b64 %d; ld.param.u64 %d, [out]; st.global.b32 [%d], 0x7fc00001; })",
                1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kF32, 1)};
  kernel.manifest.buffers[0].expected = std::vector<std::uint8_t>{0, 0, 0xc0, 0xff};
  EXPECT_EQ(Ended(kernel).verdict().code, ExitCode::kAsExpected);
}

}  // namespace
}  // namespace muster::ptx
