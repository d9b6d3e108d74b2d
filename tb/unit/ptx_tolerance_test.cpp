// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Expected numbers that need not be met bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sim/ptx/launch/compare.h"
#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

template <typename T>
std::vector<std::uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
Error Off(T there, T expected) {
  return ErrorOf(sizeof(T) == 4 ? Type::kF32 : Type::kF64, BytesOf<T>({there}).data(),
                 BytesOf<T>({expected}).data());
}

TEST(PtxTolerance, Errors) {
  EXPECT_EQ(Off(1.5F, 1.0F).absolute, 0.5);
  EXPECT_EQ(Off(1.5F, -2.0F).relative, 1.75);
  EXPECT_EQ(Off(1.5, 1.5).relative, 0);
  EXPECT_EQ(Off(0.0F, -0.0F).ulps, 0U);
  EXPECT_EQ(Off(0.0F, -0.0F).relative, 0);
  EXPECT_TRUE(std::isinf(Off(1e-30, 0.0).relative));
  EXPECT_EQ(Off(std::nextafter(1.0F, 2.0F), 1.0F).ulps, 1U);
  EXPECT_EQ(Off(std::nextafter(1.0, 0.0), 1.0).ulps, 1U);
  EXPECT_EQ(Off(std::nextafter(2.0F, 3.0F), std::nextafter(2.0F, 1.0F)).ulps, 2U);
  EXPECT_EQ(Off(kSmallest, -kSmallest).ulps, 2U);
  EXPECT_EQ(Off(kLargest, -kLargest).ulps, 2U * 0x7f7fffff);
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(Off(largest, -largest).ulps, 2 * std::uint64_t{0x7fefffffffffffff});
  EXPECT_TRUE(std::isinf(Off(kInfinity, kLargest).absolute));
}

// What is said of one element, under a tolerance.
std::string Said(float there, float expected, const std::optional<Tolerance>& tolerance) {
  Buffer buffer;
  buffer.name = "x";
  buffer.type = Type::kF32;
  buffer.count = 1;
  buffer.expected = BytesOf<float>({expected});
  buffer.tolerance = tolerance;
  return Difference(buffer, BytesOf<float>({there}));
}

Tolerance Absolute(double most) { return {most, {}, {}}; }
Tolerance Relative(double most) { return {{}, most, {}}; }
Tolerance Ulps(std::uint64_t most) { return {{}, {}, most}; }

TEST(PtxTolerance, OneOfTheLimitsMustHold) {
  const float three_on = std::nextafter(std::nextafter(std::nextafter(8.0F, 9.0F), 9.0F), 9.0F);
  const struct {
    float there;
    float expected;
    std::optional<Tolerance> tolerance;
    bool right;
  } rows[] = {
      {8, 8, std::nullopt, true},
      {8, three_on, std::nullopt, false},
      {1.25F, 1, Absolute(0.25), true},
      {0.75F, 1, Absolute(0.25), true},
      {1.25F, 1, Absolute(0.2499), false},
      {5, 4, Relative(0.25), true},
      {5, 4, Relative(0.2499), false},
      {4, 5, Relative(0.2), true},  // of what is expected, not of what is there
      {-4, 4, Relative(1.99), false},
      {1e-30F, 0, Relative(1e30), false},
      {0, -0.0F, Ulps(0), true},
      {three_on, 8, Ulps(3), true},
      {8, three_on, Ulps(3), true},
      {three_on, 8, Ulps(2), false},
      {three_on, 8, Tolerance{1e-9, 1e-9, 3}, true},
      {three_on, 8, Tolerance{1e-9, 1e-6, 2}, true},
      {three_on, 8, Tolerance{1e-5, 1e-9, 2}, true},
      {three_on, 8, Tolerance{1e-9, 1e-9, 2}, false},
      {kNan, kNan, Ulps(0), true},
      {-kNan, kNan, std::nullopt, true},
      {kNan, 1, Tolerance{1e300, 1e300, ~0U}, false},
      {1, kNan, Tolerance{1e300, 1e300, ~0U}, false},
      {kInfinity, kInfinity, Ulps(0), true},
      {kInfinity, -kInfinity, Tolerance{1e300, 1e300, ~0U}, false},
      {kLargest, kInfinity, Ulps(1), false},
      {kInfinity, kLargest, Tolerance{1e300, 1e300, 1}, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Said(row.there, row.expected, row.tolerance).empty(), row.right)
        << row.there << ' ' << row.expected;
  }
}

TEST(PtxTolerance, ReportsSayTheError) {
  EXPECT_EQ(
      Said(1.5F, 1, Absolute(0.25)),
      "buffer x differs in 1 of 1 elements by more than its tolerance: [0] is 1.5, not 1 (off "
      "by 0.5, relative 0.5)")
      << "how many numbers lie between says nothing where they are many";
  EXPECT_EQ(
      Said(std::nextafter(1.0F, 2.0F), 1, std::nullopt),
      "buffer x differs in 1 of 1 elements: [0] is 1.0000001, not 1 (off by 1.19e-07, relative "
      "1.19e-07, 1 ulp)");
  Buffer wide = MakeBuffer("x", Type::kF64, 1);
  wide.expected = BytesOf<double>({0});
  EXPECT_EQ(Difference(wide, BytesOf<double>({1})),
            "buffer x differs in 1 of 1 elements: [0] is 1, not 0 (off by 1)")
      << "neither 4607182418800017408 ulps nor an infinite quotient";
  EXPECT_EQ(Said(kInfinity, 1, Ulps(4)),
            "buffer x differs in 1 of 1 elements by more than its tolerance: [0] is inf, not 1");
}

// Buffers of f16, bf16, e4m3 and e5m2: how they begin, what they show, how far off they may be.
TEST(PtxTolerance, ElementsNarrowerThanSingle) {
  const std::string manifest = R"({"ptx": "k.ptx", "block": [1,1,1], "args": [{"buffer": "x"}],
    "buffers": {"x": {"type": "TYPE", "count": 4, "init": [1, -1.5, "inf", "nan"]}},
    "expect": {"x": [1, -1.5, "inf", "nan"]}})";
  WriteTestFile("k.ptx", Header() + ".visible .entry k(.param .u64 x) { ret; }");
  const struct {
    const char* type;
    std::vector<std::uint8_t> bytes;
    std::string next;  // the number after 1
  } rows[] = {
      {"f16", {0x00, 0x3c, 0x00, 0xbe, 0x00, 0x7c, 0xff, 0x7f}, "1.0009765625"},
      {"bf16", {0x80, 0x3f, 0xc0, 0xbf, 0x80, 0x7f, 0xff, 0x7f}, "1.0078125"},
      {"e4m3", {0x38, 0xbc, 0x7f, 0x7f}, "1.125"},  // it has no infinity
      {"e5m2", {0x3c, 0xbe, 0x7c, 0x7f}, "1.25"},
  };
  for (const auto& row : rows) {
    std::string text = manifest;
    text.replace(text.find("TYPE"), 4, row.type);
    Buffer buffer = ReadManifest(WriteTestFile("m.json", text)).buffers.front();
    EXPECT_EQ(buffer.initial, row.bytes) << row.type;
    EXPECT_EQ(Difference(buffer, row.bytes), "") << row.type;
    std::vector<std::uint8_t> there = row.bytes;
    ++there.front();
    const std::string said = Difference(buffer, there);
    EXPECT_NE(said.find(": [0] is " + row.next + ", not 1 (off by "), std::string::npos) << said;
    EXPECT_NE(said.find(", 1 ulp)"), std::string::npos) << said;
    buffer.tolerance = Ulps(1);
    EXPECT_EQ(Difference(buffer, there), "") << row.type;
    text.replace(text.find("[1, -1.5"), 2, "[1e6");
    EXPECT_EQ(
        ManifestRefusal(text).find("init[0] is out of the range of its type") == std::string::npos,
        std::string(row.type) == "bf16")
        << row.type;
  }
}

// A kernel whose third is one ulp off, by a manifest and by options.
TEST(PtxTolerance, OfAManifestAndOfOptions) {
  const std::string ptx = WriteTestFile("k.ptx", Header() + R"(
.visible .entry k(.param .u64 out) { .reg .b64 %d; ld.param.u64 %d, [out];
  st.global.b32 [%d], 0x3eaaaaac; st.global.b64 [%d+8], 0x3fd5555555555556; ret; })");
  const auto differences = [](const std::string& tolerance) {
    Kernel kernel("");
    kernel.manifest = ReadManifest(WriteTestFile("m.json", R"({"ptx": "k.ptx", "block": [1,1,1],
      "args": [{"buffer": "out"}], "buffers": {"out": {"type": "f32", "count": 4}},
      "expect": {"out": [0.33333334, 0, 1.466e13, 1.6666667]}, "tolerance": {"out": )" +
                                                               tolerance + "}}"));
    return Ended(kernel).verdict().differences.size();
  };
  EXPECT_EQ(differences(R"({"ulps": 1})"), 1U);  // the halves of the f64 are other numbers
  EXPECT_EQ(differences(R"({"relative": 1e-3})"), 0U);
  EXPECT_EQ(differences(R"({"absolute": 0, "relative": 0, "ulps": 0})"), 1U);
  DirectLaunch launch;
  launch.ptx = ptx;
  launch.block = "1";
  launch.args = {"out=f64[2]"};
  launch.expects = {"out=0,0.3333333333333333"};
  launch.tolerances = {"out=relative:1e-5,ulps:1", "out=absolute:0.5"};
  const DirectManifest made = ManifestOf(launch);
  EXPECT_EQ(made.members["tolerance"].dump(),
            R"({"out":{"relative":1e-05,"ulps":1,"absolute":0.5}})");
  EXPECT_NE(made.manifest.command.find(" --tolerance out=relative:1e-5,ulps:1 --tolerance "),
            std::string::npos);
  Kernel kernel("");
  kernel.manifest = made.manifest;
  EXPECT_TRUE(Ended(kernel).verdict().differences.empty());
  const auto refusal = [&launch](const std::string& tolerance) {
    launch.tolerances = {tolerance};
    try {
      ManifestOf(launch);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("out"), "--tolerance out is not NAME=LIMITS");
  EXPECT_EQ(refusal("out=1e-5"),
            "--tolerance out=1e-5: 1e-5 is not absolute:V, relative:V or ulps:N");
  EXPECT_EQ(refusal("out=ulps:1,"),
            "--tolerance out=ulps:1,: an empty text is not absolute:V, relative:V or ulps:N");
  EXPECT_EQ(refusal("out=ulps:1.5"), "--tolerance out=ulps:1.5: 1.5 is no whole number");
  EXPECT_EQ(refusal("out=absolute:-1"),
            "--tolerance out=absolute:-1 must be a number that is not below 0");
  EXPECT_EQ(refusal("in=ulps:1"), "--tolerance in=ulps:1 names what \"expect\" does not name");
}

TEST(PtxTolerance, Refusals) {
  WriteTestFile("k.ptx", "");
  const struct {
    std::string tolerance;
    std::string message;  // how it begins, after the path
  } rows[] = {
      {"1", ":3: tolerance must be an object"},
      {R"({"f": {}})", ":3: tolerance.f must be an object with absolute, relative or ulps"},
      {R"({"f": 1})", ":3: tolerance.f must be an object with absolute, relative or ulps"},
      {R"({"f": {"ulp": 1}})", ":3: tolerance.f.ulp is not a known key (absolute, relative, ulps)"},
      {R"({"f": {"absolute": -1}})",
       ":3: tolerance.f.absolute must be a number that is not below 0"},
      {R"({"f": {"relative": "1"}})",
       ":3: tolerance.f.relative must be a number that is not below 0"},
      {R"({"f": {"ulps": 0.5}})", ":3: tolerance.f.ulps must be a whole number from 0 to "},
      {R"({"i": {"ulps": 1}})", ":3: tolerance.i is of integers, which are compared bit for bit"},
      {R"({"g": {"ulps": 1}})", ":3: tolerance.g names what \"expect\" does not name"},
      {R"({"none": {"ulps": 1}})", ":3: tolerance.none names what \"expect\" does not name"},
  };
  for (const auto& row : rows) {
    const std::string path = WriteTestFile(
        "m.json",
        R"({"ptx": "k.ptx", "block": [1,1,1], "buffers": {"f": {"type": "f32", "count": 1},
          "g": {"type": "f32", "count": 1}, "i": {"type": "s32", "count": 1}}, "expect": {"f": [1], "i": [1]},
"tolerance": )" +
            row.tolerance + "}");
    std::string what = "accepted";
    try {
      ReadManifest(path);
    } catch (const InputError& error) {
      what = std::string(error.what()).substr(path.size());
    }
    EXPECT_EQ(what.substr(0, row.message.size()), row.message) << row.tolerance;
  }
}

}  // namespace
}  // namespace muster::ptx
